"""Texts: whether an answer says what a reference says, as far as wording can tell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from llmeval.evaluators.lexical.agreement import Agreement, agrees, disagrees, excerpt, undecided
from llmeval.evaluators.lexical.conflicts import conflict
from llmeval.evaluators.lexical.courtesy import without_courtesy
from llmeval.evaluators.lexical.reader import read
from llmeval.evaluators.lexical.tokens import Token, same
from llmeval.evaluators.lexical.vocabulary import FUNCTION_WORDS, HEDGES

__all__ = ["compare_texts"]

MAX_LENGTH: Final = 20_000
"""Characters beyond which two texts are only compared for being the same."""

_COPULAS: Final = frozenset({"is", "are", "was", "were"})

_FRAMES: Final = (
    ("it", "is"),
    ("that", "is"),
    ("you", "have"),
    ("there", "are"),
    ("it", "takes"),
    ("it", "costs"),
    ("they", "are"),
)
"""Beginnings that make a sentence of a bare value, such as "You have 30 days"."""


def compare_texts(reference: str, answer: str, question: str = "") -> Agreement:
    """Returns whether `answer` agrees with `reference`: a pass or a fail only when that is sure.

    The answer may repeat words of `question`, as in "The capital of France is Paris" for "Paris".
    """
    if reference.strip() == answer.strip():
        return agrees("The answer is the reference, word for word.")
    if not reference.strip() or not answer.strip():
        return _one_is_empty(reference, answer)
    if max(len(reference), len(answer)) > MAX_LENGTH:
        return undecided(
            f"The texts differ and are longer than {MAX_LENGTH:,} characters: only a model can compare them."
        )
    if "```" in reference or "```" in answer:
        return undecided("The texts differ and hold code, in which blanks and symbols count.")
    return _compare(read(without_courtesy(reference)), read(without_courtesy(answer)), read(question[:MAX_LENGTH]))


def _one_is_empty(reference: str, answer: str) -> Agreement:
    if not answer.strip():
        return disagrees(f"The answer is empty, but the reference is {excerpt(reference)}.")
    return disagrees(f"The reference is empty, but the answer is {excerpt(answer)}.")


def _compare(reference: Sequence[Token], answer: Sequence[Token], question: Sequence[Token]) -> Agreement:
    if not reference or not answer:
        return undecided("One of the texts has no words to compare.")
    if same(reference, answer):
        return agrees("The answer says the same as the reference, apart from spelling and punctuation.")
    if _is_value(reference) and same(reference, _unframed(answer)):
        return agrees("The answer is a sentence around the reference and adds nothing to it.")
    if _repeats(question, reference, answer):
        return agrees("The answer repeats the question around the reference and adds nothing to it.")
    found = conflict(reference, answer) or (conflict(reference, _unframed(answer)) if _is_value(reference) else None)
    if found is not None:
        return disagrees(f"{found[0].upper()}{found[1:]}.")
    return undecided(_difference(reference, answer))


def _is_value(tokens: Sequence[Token]) -> bool:
    """Returns whether a text is nothing but one quantity, date or time."""
    return len(tokens) == 1 and tokens[0].kind in {"quantity", "date", "time"}


def _unframed(tokens: Sequence[Token]) -> Sequence[Token]:
    start = tuple(token.word for token in tokens[:2])
    return tokens[2:] if start in _FRAMES else tokens


def _repeats(question: Sequence[Token], reference: Sequence[Token], answer: Sequence[Token]) -> bool:
    """Returns whether the answer is the reference, "is", and words of the question, or these the other way round."""
    rest = len(answer) - len(reference)
    if rest < 2 or any(token.kind == "negation" or token.word == "or" for token in question):
        return False
    asked = {token.topic for token in question if token.kind == "word"}
    if {token.topic for token in reference} & (asked - FUNCTION_WORDS):
        return False
    for value, frame, copula in (
        (answer[rest:], answer[:rest], answer[rest - 1]),
        (answer[:-rest], answer[-rest:], answer[-rest]),
    ):
        words = [token for token in frame if token is not copula]
        if same(value, reference) and copula.word in _COPULAS and all(_harmless(token, asked) for token in words):
            return any(token.topic in asked - FUNCTION_WORDS for token in words)
    return False


def _harmless(token: Token, asked: set[str]) -> bool:
    return token.kind == "word" and token.topic in asked and token.word not in HEDGES | {"and"}


def _difference(reference: Sequence[Token], answer: Sequence[Token]) -> str:
    missing, added = _beyond(reference, answer), _beyond(answer, reference)
    if not missing and not added:
        return "The answer has the words of the reference in another order, which may or may not matter."
    if not missing:
        return f"The answer adds {added} to the reference, and wording alone cannot tell whether that is right."
    if not added:
        return f"The answer leaves {missing} of the reference out, and wording alone cannot tell whether that matters."
    return f"The answer says {added} for {missing}, and wording alone cannot tell whether that is the same."


def _beyond(tokens: Sequence[Token], others: Sequence[Token]) -> str:
    """Returns what stands in `tokens` but not in `others`, in quotes, or nothing."""
    left = Counter(map(_said, others))
    words = []
    for token in tokens:
        if left[_said(token)] > 0:
            left[_said(token)] -= 1
        else:
            words.append(f"{token.text}," if token.stops else token.text)
    return excerpt(" ".join(words)) if words else ""


def _said(token: Token) -> object:
    return token.topic if token.kind == "word" and not token.stops else token.key
