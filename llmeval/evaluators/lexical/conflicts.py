"""Conflicts: where two texts make claims of which only one can be right."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from llmeval.evaluators.lexical.quantities import rivals
from llmeval.evaluators.lexical.tokens import Token, same
from llmeval.evaluators.lexical.units import UNITS
from llmeval.evaluators.lexical.vocabulary import ANTONYMS, AUXILIARIES, CLOSED_SETS, FUNCTION_WORDS, HEDGES

__all__ = ["conflict"]

_COMMON_GROUND = 0.6
"""How much of their content two texts share when a number, alone of its kind in each, is about the same thing."""

_DIGITS = re.compile(r"\d+")
_REVERSING = ("un", "non", "dis", "im", "ir", "il")
_NOT_REVERSED = frozenset({"until", "unless", "less"})
_LEADS = {"yes": "no", "no": "yes"}


def conflict(reference: Sequence[Token], answer: Sequence[Token]) -> str | None:
    """Returns one sentence on what cannot be right in both, or `None` when nothing is surely wrong."""
    if _only_leads_differ(reference, answer):
        return None
    return (
        _opposite_leads(reference, answer)
        or _in_place(reference, answer)
        or _negation(reference, answer)
        or _lone_rivals(reference, answer)
    )


def _only_leads_differ(reference: Sequence[Token], answer: Sequence[Token]) -> bool:
    """Returns whether the texts say the same behind a yes and a no, which then answer to two ways of asking."""
    leads = bool(reference and answer and _lead(reference[0]) and _lead(answer[0]))
    return leads and len(reference) > 1 and same(reference[1:], answer[1:])


def _says(reference: Token, answer: Token) -> str:
    return f"the reference says {reference.text!r} where the answer says {answer.text!r}"


def _opposite_leads(reference: Sequence[Token], answer: Sequence[Token]) -> str | None:
    """Compares a leading yes or no, as in "No, …"; "no fees apply" is no such lead."""
    if not reference or not answer:
        return None
    first, second = _lead(reference[0]), _lead(answer[0])
    if first is None or second is None or _LEADS[first] != second or _idle_no(reference) or _idle_no(answer):
        return None
    return _says(reference[0], answer[0])


def _lead(token: Token) -> str | None:
    return token.word if token.word in _LEADS and token.stops else None


def _idle_no(tokens: Sequence[Token]) -> bool:
    """Returns whether the text goes on in a way that takes its yes or no back, such as "No, but you can …"."""
    return len(tokens) > 1 and tokens[1].word in {"but", "wait", "however", "not", "no", "yes", "actually"}


def _in_place(reference: Sequence[Token], answer: Sequence[Token]) -> str | None:
    """Compares texts that are the same but for some places, each of which holds rivals."""
    changes = list(_changes(reference, answer))
    if not changes or any(left is None or right is None for left, right in changes):
        return None
    pairs = [(left, right) for left, right in changes if left is not None and right is not None]
    if not all(_contradict(left, right) for left, right in pairs):
        return None
    reversals = sum(left.kind in {"word", "negation"} for left, _ in pairs)
    # "$10 per month" is "$120 per year", and not open is closed: two turns may be none.
    if reversals > 1 or (reversals and len(pairs) > 1) or _reordered(reference, pairs):
        return None
    return _says(*pairs[0])


def _changes(reference: Sequence[Token], answer: Sequence[Token]) -> Iterator[tuple[Token | None, Token | None]]:
    if len(reference) != len(answer):
        yield None, None
        return
    for left, right in zip(reference, answer, strict=True):
        if not left.same(right):
            yield left, right


def _contradict(left: Token, right: Token) -> bool:
    """Returns whether the two tokens, in the same place of the same sentence, surely exclude each other."""
    if left.quantity is not None and right.quantity is not None:
        return rivals(left.quantity, right.quantity) is True
    if left.day is not None and right.day is not None:
        return left.day.conflicts(right.day) is True
    if left.kind != right.kind:
        return frozenset((left.word, right.word)) in ANTONYMS
    if left.kind == "time":
        return not left.may_be(right)
    if left.kind == "ordinal":
        return True
    if left.kind == "code":
        return _codes_differ(left.word, right.word)
    if left.kind not in {"word", "negation"}:
        return False
    return _reversed(left.word, right.word) or _reversed(left.topic, right.topic)


def _codes_differ(left: str, right: str) -> bool:
    """Returns whether two codes are alike but for their numbers, as A-1001 and A-1002 are."""
    if _DIGITS.sub("0", left) != _DIGITS.sub("0", right):
        return False
    one, two = ([digits.lstrip("0") for digits in _DIGITS.findall(code)] for code in (left, right))
    return one != two


def _reversed(left: str, right: str) -> bool:
    if frozenset((left, right)) in ANTONYMS or any(left in words and right in words for words in CLOSED_SETS):
        return left != right
    short, long = sorted((left, right), key=len)
    return long not in _NOT_REVERSED and len(short) > 4 and any(long == prefix + short for prefix in _REVERSING)


def _reordered(reference: Sequence[Token], pairs: Sequence[tuple[Token, Token]]) -> bool:
    """Returns whether the same values only stand in another order, which matters only when words tell them apart."""
    if len(pairs) < 2 or Counter(_value(left) for left, _ in pairs) != Counter(_value(right) for _, right in pairs):
        return False
    places = [at for at, token in enumerate(reference) if any(token is left for left, _ in pairs)]
    labels = [_label(reference[:at]) for at in places]
    # "Version 2 works with version 3" may be turned round, "standard $5, express $10" may not.
    return () in labels or len(set(labels)) < len(labels) or len(set(map(len, labels))) > 1


def _label(before: Sequence[Token]) -> tuple[str, ...]:
    """Returns the run of content words nearest to the end: what the value that comes next is a value of."""
    words = list(before)
    while words and not _content(words[-1]):
        words.pop()
    label: list[str] = []
    while words and _content(words[-1]):
        label.append(words.pop().topic)
    return tuple(label)


def _value(token: Token) -> object:
    """Returns a token's value without its unit, which "between 5 and 10 days" says only once."""
    return token.key if token.quantity is None else token.quantity.amount


def _negation(reference: Sequence[Token], answer: Sequence[Token]) -> str | None:
    """Compares texts of which one only negates the other."""
    plain, other = _unnegated(reference), _unnegated(answer)
    if not plain or not same(plain, other) or any(token.word == "only" for token in (*reference, *answer)):
        return None
    ours, theirs = (sum(map(_negates, tokens)) for tokens in (reference, answer))
    if (ours, theirs) == (0, 1):
        return f"the answer negates what the reference says ({_negated(answer)})"
    if (ours, theirs) == (1, 0):
        return f"the answer leaves out the negation of the reference ({_negated(reference)})"
    return None


def _unnegated(tokens: Sequence[Token]) -> list[Token]:
    """Returns the tokens without negations, and without what comes with them ("do not", "no longer")."""
    kept = []
    for at, token in enumerate(tokens):
        no_longer = token.word == "longer" and at > 0 and tokens[at - 1].word == "no"
        measures = at + 1 < len(tokens) and tokens[at + 1].word == "than"
        if not _negates(token) and token.word not in AUXILIARIES and (not no_longer or measures):
            kept.append(token)
    return kept


def _negates(token: Token) -> bool:
    """Returns whether a token negates what follows, unlike the no in "No, that is fine" and "No. 5"."""
    return token.kind == "negation" and not (token.word == "no" and token.stops)


def _negated(tokens: Sequence[Token]) -> str:
    at = next(at for at, token in enumerate(tokens) if _negates(token))
    return repr(" ".join(token.text for token in tokens[max(0, at - 1) : at + 2]))


def _lone_rivals(reference: Sequence[Token], answer: Sequence[Token]) -> str | None:
    """Compares the one quantity or date of a kind that each text has, when both texts talk about the same thing."""
    if not _same_topic(reference, answer):
        return None
    for kind in {token.kind for token in reference} & {"quantity", "date"}:
        ours, theirs = ([token for token in tokens if token.kind == kind] for tokens in (reference, answer))
        if len(ours) != 1 or len(theirs) != 1 or _complements(ours[0], theirs[0]):
            continue
        if _contradict(ours[0], theirs[0]):
            return _says(ours[0], theirs[0])
    return None


def _same_topic(reference: Sequence[Token], answer: Sequence[Token]) -> bool:
    ours, theirs = ({token.topic for token in tokens if _content(token)} for tokens in (reference, answer))
    if any(word in UNITS for word in ours ^ theirs):
        return False
    if not ours or not theirs or len(ours & theirs) < _COMMON_GROUND * max(len(ours), len(theirs)):
        return False
    if len(ours & theirs) < 2:
        return False
    return _qualifiers(reference) == _qualifiers(answer)


def _qualifiers(tokens: Sequence[Token]) -> Counter[str]:
    """Returns the words that change what a number means; where they differ, two numbers can both be right."""
    return Counter(token.word for token in tokens if token.kind == "negation" or token.word in HEDGES)


def _content(token: Token) -> bool:
    return token.kind == "word" and token.word not in FUNCTION_WORDS and token.word not in HEDGES


def _complements(left: Token, right: Token) -> bool:
    """Returns whether two percentages are the two parts of a whole: 30 % off is 70 % to pay."""
    if left.quantity is None or right.quantity is None or left.quantity.dimension != "percent":
        return False
    return left.quantity.base + right.quantity.base == 100
