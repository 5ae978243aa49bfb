"""Distributions: how a model that only writes states the probabilities of its answers, and how these are read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from llmeval.evaluators.prompt import DATA
from llmeval.evaluators.questions import Asked
from llmeval.evaluators.replies import Unreadable, find_object, number, text_of
from llmeval.jsonable import Json, dumps
from llmeval.results import Choice, Probability, Score

__all__ = ["STATED_RULES", "Stated", "answer_schema", "keys", "measure", "questions_text", "read_answers"]

STATED_RULES: Final = f"""\
You answer questions about the work of an application, and say how sure you are.

{DATA}

Answer each question by itself. A question with yes and no gets the probability, from 0 to 1, that the answer is yes. \
A question with options or levels gets the probability of each of them, adding up to 1. Be honest about doubt: 0 and 1 \
are for what the trial shows beyond any.

Answer with one JSON object and nothing else. It has one entry for each question, under its key, in the order given: \
{{"answers": {{"q1": {{"reason": "…", "probability": 0.9}}, "q2": {{"reason": "…", "probabilities": {{"o0": 0.7, "o1": \
0.3}}}}, …}}}}
Write the reason first: one or two sentences that point at what in the trial decides. The numbers follow from it."""

Stated = tuple[Probability | Choice | Score, str]
"""A value and the reason for it."""


def keys(count: int) -> tuple[str, ...]:
    """Returns the keys of so many questions: `q1`, `q2` …"""
    return tuple(f"q{place}" for place in range(1, count + 1))


def questions_text(questions: Sequence[Asked]) -> str:
    """Returns the questions under their keys, with their options or levels under keys of their own."""
    told = [f"{key}: {_told(one)}" for key, one in zip(keys(len(questions)), questions, strict=True)]
    return "The questions:\n\n" + "\n\n".join(told)


def answer_schema(questions: Sequence[Asked]) -> Mapping[str, Json]:
    """Returns the JSON Schema of an answer; ranges are checked when it is read, since some servers refuse them here."""
    answers = {key: _schema(one) for key, one in zip(keys(len(questions)), questions, strict=True)}
    return _object({"answers": _object(answers)})


def read_answers(text: str, questions: Sequence[Asked]) -> Mapping[str, Stated | Unreadable]:
    """Returns what a reply says on each question; other keys beside `answers` do not matter.

    Raises:
        Unreadable: the reply as a whole is no answer, or answers what was not asked.
    """
    asked = keys(len(questions))
    data = find_object(text, lambda found: bool({"answers", "probability", "probabilities"} & found.keys()))
    if len(asked) == 1 and "answers" not in data:
        data = {"answers": {asked[0]: data}}
    answers = data.get("answers")
    if not isinstance(answers, Mapping):
        raise Unreadable('the reply has no object "answers"')
    unasked = [key for key in answers if key not in asked]
    if unasked:
        raise Unreadable(f"the reply answers {', '.join(map(repr, unasked))}, which was not asked")
    return {key: _read(key, answers.get(key), one) for key, one in zip(asked, questions, strict=True)}


def measure(question: Asked, chances: Sequence[float]) -> Probability | Choice | Score:
    """Returns the value that a distribution over the question's answers means; `chances` are made to add up to 1.

    A probability's chances are those of yes and of no.

    Raises:
        Unreadable: they are all 0.
    """
    total = sum(chances)
    if total <= 0:
        raise Unreadable("the probabilities are all 0")
    shares = [chance / total for chance in chances]
    if question.options is None:
        return Probability(shares[0])
    top = max(shares)
    if question.kind == "choice":
        options = tuple(question.options)
        return Choice(options[shares.index(top)], dict(zip(options, shares, strict=True)), top)
    expected = sum(place * share for place, share in enumerate(shares))
    return Score(min(expected, len(shares) - 1), question.levels, dict(enumerate(shares)), top)


def _read(key: str, data: Any, question: Asked) -> Stated | Unreadable:
    if not isinstance(data, Mapping):
        return Unreadable(f"there is no answer for {key!r}" if data is None else f"the answer for {key!r} is no object")
    try:
        if question.options is None:
            value: Probability | Choice | Score = Probability(
                number(data.get("probability"), 0, 1, f"the probability for {key!r}")
            )
        else:
            value = measure(question, _chances(key, data, question))
        return value, text_of(data.get("reason"), f"the reason for {key!r}")
    except Unreadable as error:
        return error


def _chances(key: str, data: Mapping[str, Any], question: Asked) -> list[float]:
    given = data.get("probabilities")
    wanted = _places(question)
    if not isinstance(given, Mapping) or set(given) != set(wanted):
        raise Unreadable(f"the probabilities for {key!r} are not those of {', '.join(wanted)}")
    return [number(given[place], 0, 1, f"the probability of {place!r} for {key!r}") for place in wanted]


def _places(question: Asked) -> list[str]:
    return [f"o{place}" for place in range(len(question.options or ()))]


def _told(question: Asked) -> str:
    if question.options is None:
        return f"{question.words}\n(yes or no)"
    kind = "options" if question.kind == "choice" else "levels, from worst to best"
    lines = [
        f"  {place}: {dumps(option)}{'' if text is None else f' - {text}'}"
        for place, (option, text) in zip(_places(question), question.options.items(), strict=True)
    ]
    return "\n".join([question.words, f"({kind})", *lines])


def _schema(question: Asked) -> Json:
    reason = {"type": "string"}
    if question.options is None:
        return _object({"reason": reason, "probability": {"type": "number"}})
    chances = _object({place: {"type": "number"} for place in _places(question)})
    return _object({"reason": reason, "probabilities": chances})


def _object(properties: Mapping[str, Json]) -> dict[str, Json]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }
