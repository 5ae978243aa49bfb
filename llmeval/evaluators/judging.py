"""Judging: one trial's questions, put to a model by native decisions, by log-probabilities or in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from llmeval.attachments import Attachment
from llmeval.errors import EvaluatorError
from llmeval.evaluators import distributions, logprobs
from llmeval.evaluators.exchange import Exchange, ModelExchange, readable
from llmeval.evaluators.prompt import DATA
from llmeval.evaluators.questions import Asked
from llmeval.evaluators.replies import Unreadable, number
from llmeval.providers.messages import Reply, Request
from llmeval.providers.model import Model
from llmeval.results import Choice, Probability, Result, Score
from llmeval.usage import NO_USAGE, Usage

if TYPE_CHECKING:
    from llmeval.providers.session import Session

__all__ = ["Judging"]

NATIVE_RULES: Final = f"The questions are about the work of an application.\n\n{DATA}"

Answer = tuple[Probability | Choice | Score, str | None, str]
"""A value, the reason if the model gave one, and the method by which it was obtained."""


class _NoLogprobs(EvaluatorError):
    """The server answered, but without log-probabilities."""


class Judging:
    """Asks about one trial; `usage` is what that consumed, `without_logprobs` that the server has none to give."""

    def __init__(
        self,
        session: Session,
        model: Model,
        asked: Mapping[str, Asked],
        parts: tuple[str | Attachment, ...],
        logprobs: bool = True,
    ) -> None:
        self.usage: Usage = NO_USAGE
        self.without_logprobs = False
        self._session = session
        self._model = model
        self._asked = asked
        self._parts = parts
        self._keys = distributions.keys(len(asked))
        self._logprobs = logprobs and model.logprobs and all(map(_single_word, asked.values()))

    async def results(self, minimums: Mapping[str, float | None]) -> dict[str, Result]:
        """Returns each question's result by its name."""
        exchange, found = await self._ask(self._logprobs)
        if any(isinstance(answer, _NoLogprobs) for answer in found.values()):
            self.without_logprobs = True
            self._session.note(
                f"{self._model.describe()}: the server gives no log-probabilities, so the model is asked to state its "
                "probabilities"
            )
            exchange, found = await self._ask(False)
        results = {}
        for key, name in zip(self._keys, self._asked, strict=True):
            answer, minimum = found[key], minimums.get(name)
            if isinstance(answer, Exception):
                results[name] = exchange.failure(name, answer, minimum)
            else:
                results[name] = exchange.result(name, answer[0], answer[1], minimum, answer[2])
        return results

    async def _ask(self, by_logprobs: bool) -> tuple[Exchange, Mapping[str, Answer | Exception]]:
        exchange = ModelExchange(self._session, self._model, self._request(by_logprobs))
        found = await exchange.answers(self._keys, lambda reply: self._read(reply, by_logprobs))
        self.usage += exchange.usage
        return exchange, found

    def _request(self, by_logprobs: bool) -> Request:
        questions = tuple(self._asked.values())
        if by_logprobs:
            return Request(system=logprobs.LOGPROB_RULES, parts=(logprobs.words_text(questions), *self._parts))
        stated = Request(
            system=distributions.STATED_RULES,
            parts=(distributions.questions_text(questions), *self._parts),
            schema=distributions.answer_schema(questions),
        )
        if self._model.wire != "decisions":
            return stated
        native = tuple(question.native(name) for name, question in self._asked.items())
        return Request(system=NATIVE_RULES, parts=self._parts, questions=native, otherwise=stated)

    def _read(self, reply: Reply, by_logprobs: bool) -> Mapping[str, Answer | Exception]:
        questions = tuple(self._asked.values())
        if reply.answers:
            return self._native(reply.answers)
        try:
            text = readable(reply, self._model.describe())
            if by_logprobs:
                return self._by_logprobs(reply)
            stated = distributions.read_answers(text, questions)
        except Unreadable as error:
            return dict.fromkeys(self._keys, error)
        return {key: one if isinstance(one, Exception) else (*one, "stated") for key, one in stated.items()}

    def _by_logprobs(self, reply: Reply) -> Mapping[str, Answer | Exception]:
        if not any(token.get("top_logprobs") for token in reply.logprobs or ()):
            raise _NoLogprobs(f"{self._model.describe()}: the reply has no log-probabilities")
        lines = logprobs.lines_of(reply.logprobs or (), self._keys)
        found: dict[str, Answer | Exception] = {}
        for key, question in zip(self._keys, self._asked.values(), strict=True):
            try:
                shares = logprobs.chances(lines.get(key, ()), logprobs.labels(question) or ())
                found[key] = (distributions.measure(question, shares), None, "logprobs")
            except Unreadable as error:
                found[key] = error
        return found

    def _native(self, answers: Sequence[Mapping[str, Any]]) -> Mapping[str, Answer | Exception]:
        """Returns OpenAI's answers, which come in the order of the questions; no repair could change one."""
        if len(answers) != len(self._keys):
            error = EvaluatorError(
                f"{self._model.describe()} gave {len(answers)} answers to {len(self._keys)} questions"
            )
            return dict.fromkeys(self._keys, error)
        found: dict[str, Answer | Exception] = {}
        for key, answer, (name, question) in zip(self._keys, answers, self._asked.items(), strict=True):
            try:
                found[key] = (_native_value(answer, name, question), None, "native")
            except (Unreadable, KeyError, TypeError) as error:
                found[key] = EvaluatorError(f"{self._model.describe()}: {_why(error, answer)}")
        return found


def _single_word(question: Asked) -> bool:
    return logprobs.labels(question) is not None


def _why(error: Exception, answer: Mapping[str, Any]) -> str:
    return (
        str(error) if isinstance(error, Unreadable) else f"the answer {dict(answer)!r:.200} is not one of its protocol"
    )


def _native_value(answer: Mapping[str, Any], name: str, question: Asked) -> Probability | Choice | Score:
    kind = answer["type"]
    if kind == "refusal":
        raise Unreadable(f"the model refused to answer the question {name!r}")
    if answer.get("name") not in (None, name):
        raise Unreadable(f"the answer to {name!r} is named {answer['name']!r}")
    wanted = "predicate" if question.kind == "probability" else question.kind
    if kind != wanted:
        raise Unreadable(f"the answer to {name!r} is a {kind}, not a {wanted}")
    if kind == "predicate":
        return Probability(number(answer["probability"], 0, 1, f"the probability of {name!r}"))
    pairs = [
        (one["value"], number(one["probability"], 0, 1, f"a probability of {name!r}"))
        for one in answer["probabilities"]
    ]
    confidence = number(answer["confidence"], 0, 1, f"the confidence of {name!r}")
    options = question.options or {}
    if kind == "choice":
        chosen = answer["choice"]
        if not any(chosen == option and type(chosen) is type(option) for option in options):
            raise Unreadable(f"the choice of {name!r} is {chosen!r}, which was no option")
        return Choice(chosen, dict(pairs), confidence)
    score = number(answer["score"], 0, len(options) - 1, f"the score of {name!r}")
    return Score(score, question.levels, dict(pairs), confidence)
