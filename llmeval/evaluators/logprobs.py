"""Log-probabilities: the distribution of an answer from the alternatives of the token that gives it."""

from __future__ import annotations

import re
import string
from collections.abc import Mapping, Sequence
from math import exp
from typing import Any, Final

from llmeval.evaluators.distributions import keys
from llmeval.evaluators.prompt import DATA
from llmeval.evaluators.questions import Asked
from llmeval.evaluators.replies import Unreadable
from llmeval.jsonable import dumps

__all__ = ["LOGPROB_RULES", "chances", "labels", "lines_of", "words_text"]

LOGPROB_RULES: Final = f"""\
You answer questions about the work of an application.

{DATA}

Answer each question by itself, with one line for each: its key, a colon, and the one word that is asked for. Write \
nothing else."""

Token = Mapping[str, Any]
"""A token of a reply with its `top_logprobs`, as OpenAI's Chat Completions give it."""

_EDGES: Final = string.whitespace + string.punctuation


def labels(question: Asked) -> tuple[str, ...] | None:
    """Returns the words that answer a question, each a single token; `None` when it has too many answers for that.

    They are yes and no; a level's digit, of at most ten; or an option's letter, of at most 26.
    """
    if question.options is None:
        return ("yes", "no")
    words = string.digits if question.kind == "score" else string.ascii_uppercase
    count = len(question.options)
    return tuple(words[:count]) if count <= len(words) else None


def words_text(questions: Sequence[Asked]) -> str:
    """Returns the questions under their keys, with the word for each answer."""
    told = [f"{key}: {_told(one)}" for key, one in zip(keys(len(questions)), questions, strict=True)]
    return "The questions:\n\n" + "\n\n".join(told)


def chances(tokens: Sequence[Token], words: Sequence[str]) -> list[float]:
    """Returns the probability of each of `words` at the last token that is one of them.

    An earlier one may stand in a reason. Spellings that differ in case, spaces or punctuation are added up, every other
    alternative is left out, and what is left adds up to 1.

    Raises:
        Unreadable: no token is one of the words.
    """
    places = {word.casefold(): place for place, word in enumerate(words)}
    for token in reversed(tokens):
        if _plain(token.get("token")) in places:
            found = [0.0] * len(words)
            for alternative in token.get("top_logprobs") or ():
                place = places.get(_plain(alternative.get("token")))
                if place is not None:
                    found[place] += exp(alternative["logprob"])
            total = sum(found)
            if total > 0:
                return [value / total for value in found]
    raise Unreadable(f"no token of the reply is one of {', '.join(words)}")


def lines_of(tokens: Sequence[Token], asked: Sequence[str]) -> dict[str, Sequence[Token]]:
    """Returns the tokens of each key's line; with one key, all tokens when it has no line of its own."""
    text = "".join(str(token.get("token", "")) for token in tokens)
    starts = _starts(tokens)
    found: dict[str, Sequence[Token]] = {}
    for key in asked:
        lines = list(re.finditer(rf"^\W*{key}\W*:(.*)$", text, re.MULTILINE))
        if lines:
            # A token belongs to the line in which it ends, since it may begin with the colon or with a line break.
            begin, end = lines[-1].span(1)
            found[key] = [token for token, (_, stop) in zip(tokens, starts, strict=True) if begin < stop <= end + 1]
    if len(asked) == 1 and asked[0] not in found:
        found[asked[0]] = tokens
    return found


def _starts(tokens: Sequence[Token]) -> list[tuple[int, int]]:
    spans, position = [], 0
    for token in tokens:
        length = len(str(token.get("token", "")))
        spans.append((position, position + length))
        position += length
    return spans


def _told(question: Asked) -> str:
    words = labels(question) or ()
    if question.options is None:
        return f"{question.words}\n(answer yes or no)"
    kind = "level's digit, from worst to best" if question.kind == "score" else "option's letter"
    lines = [
        f"  {word}: {dumps(option)}{'' if text is None else f' - {text}'}"
        for word, (option, text) in zip(words, question.options.items(), strict=True)
    ]
    return "\n".join([question.words, f"(answer with the {kind})", *lines])


def _plain(token: Any) -> str:
    return token.strip(_EDGES).casefold() if isinstance(token, str) else ""
