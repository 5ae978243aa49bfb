"""Structure: whether two JSON values agree, part by part."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import isclose
from typing import Any, NoReturn

from llmeval.cases import MAX_DEPTH
from llmeval.evaluators.lexical.agreement import Agreement, agrees, disagrees, excerpt, undecided
from llmeval.evaluators.lexical.texts import compare_texts
from llmeval.jsonable import Json, canonical

__all__ = ["compare"]

_FENCE = re.compile(r"\s*```(?:json)?\s*\n(.*?)\n\s*```\s*", re.DOTALL | re.IGNORECASE)
_NOTHING = frozenset({"null", "none", "nothing", "n/a", "nil", "-"})
_BOOLEANS = {"true": True, "yes": True, "false": False, "no": False}


def compare(reference: Json, answer: Json, question: str = "") -> Agreement:
    """Returns whether the JSON value `answer` agrees with `reference`; `question` is what it answers, where known."""
    kind, other = _kind(reference), _kind(answer)
    if kind == other == "text":
        return _texts(reference, answer, question)
    if kind == other:
        return _ALIKE[kind](reference, answer)
    if other == "text":
        return _against_text(reference, kind, answer)
    if kind == "text":
        return _text_against(reference, answer, other)
    return _unlike(kind, other)


def _kind(value: Json) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, (int, float)):
        return "number"
    if isinstance(value, str):
        return "text"
    return "object" if isinstance(value, Mapping) else "list"


def _unlike(kind: str, other: str) -> Agreement:
    return undecided(f"The reference is {_a(kind)} and the answer {_a(other)}, which wording cannot compare.")


def _a(kind: str) -> str:
    return "null" if kind == "null" else f"an {kind}" if kind == "object" else f"a {kind}"


def _nulls(reference: Json, answer: Json) -> Agreement:
    return agrees("Both are null.")


def _booleans(reference: Json, answer: Json) -> Agreement:
    if reference == answer:
        return agrees(f"Both are {_shown(reference)}.")
    return disagrees(f"The reference is {_shown(reference)}, but the answer is {_shown(answer)}.")


def _numbers(reference: Any, answer: Any) -> Agreement:
    if reference == answer or (
        isinstance(reference, float) and isinstance(answer, float) and isclose(reference, answer, rel_tol=1e-12)
    ):
        return agrees(f"Both are {_shown(reference)}.")
    if _rounds(reference, answer):
        return undecided(f"{_shown(reference)} and {_shown(answer)} are one number, rounded, or two.")
    return disagrees(f"The reference is {_shown(reference)}, but the answer is {_shown(answer)}.")


def _rounds(one: Any, two: Any) -> bool:
    """Returns whether one decimal number may be the other with fewer decimals."""
    if not (isinstance(one, float) and isinstance(two, float)):
        return False
    coarse, fine = sorted((repr(one), repr(two)), key=len)
    places = len(coarse.partition(".")[2]) if "e" not in coarse + fine else 0
    return places > 0 and abs(Fraction(coarse) - Fraction(fine)) < Fraction(1, 10**places)


def _texts(reference: str, answer: str, question: str) -> Agreement:
    ours, theirs = _parsed(reference), _parsed(answer)
    if reference == answer or not (isinstance(ours, (dict, list)) and isinstance(theirs, (dict, list))):
        return compare_texts(reference, answer, question)
    return compare(ours, theirs)


def _against_text(reference: Json, kind: str, answer: str) -> Agreement:
    if kind in {"object", "list"}:
        parsed = _parsed(answer)
        return compare(reference, parsed) if _kind(parsed) == kind else _unlike(kind, "text")
    if kind == "number":
        return compare_texts(_shown(reference), answer)
    if kind == "boolean":
        said = _BOOLEANS.get(answer.strip(" \t\n.!,").casefold())
        return _unlike(kind, "text") if said is None else _booleans(reference, said)
    return agrees("Both are null.") if answer.strip() == "null" else _unlike(kind, "text")


def _text_against(reference: str, answer: Json, other: str) -> Agreement:
    if other == "null":
        if not reference.strip() or reference.strip(" .").casefold() in _NOTHING:
            return _unlike("text", other)
        return disagrees(f"The answer is null, but the reference is {excerpt(reference)}.")
    if other == "number":
        return compare_texts(reference, _shown(answer))
    if other == "boolean":
        meant = _BOOLEANS.get(reference.strip(" \t\n.!,").casefold())
        return _unlike("text", other) if meant is None else _booleans(meant, answer)
    parsed = _parsed(reference)
    return compare(parsed, answer) if _kind(parsed) == other else _unlike("text", other)


def _objects(reference: Mapping[str, Json], answer: Mapping[str, Json]) -> Agreement:
    missing = [key for key in reference if key not in answer]
    if missing:
        return disagrees(f"The answer has no {missing[0]!r}, which the reference has.")
    found = _worst((f"{key!r}", compare(value, answer[key])) for key, value in reference.items())
    added = [key for key in answer if key not in reference]
    if found.verdict and added:
        return undecided(f"The answer also has {added[0]!r}, of which the reference says nothing.")
    return found


def _lists(reference: Sequence[Json], answer: Sequence[Json]) -> Agreement:
    ours, theirs = len(reference), len(answer)
    if ours == theirs:
        if reference != answer and sorted(map(canonical, reference)) == sorted(map(canonical, answer)):
            return undecided("The answer has the items of the reference in another order, which may or may not matter.")
        return _worst((f"item {at}", compare(*pair)) for at, pair in enumerate(zip(reference, answer, strict=True), 1))
    shorter, longer = sorted((reference, answer), key=len)
    left = list(map(canonical, longer))
    if all(_take(left, canonical(item)) for item in shorter):
        return disagrees(f"The reference has {ours} items, but the answer has {theirs}.")
    return undecided(f"The reference has {ours} items and the answer {theirs}, and they do not pair up by wording.")


def _take(items: list[str], item: str) -> bool:
    if item not in items:
        return False
    items.remove(item)
    return True


def _worst(parts: Any) -> Agreement:
    """Returns the first part that disagrees, else the first that is undecided, else a pass."""
    open_part = None
    for name, part in parts:
        if part.verdict is False:
            return disagrees(f"At {name}: {part.reason}")
        if part.verdict is None and open_part is None:
            open_part = undecided(f"At {name}: {part.reason}")
    return open_part or agrees("Every part of the answer agrees with the reference.")


def _parsed(text: str) -> Json:
    """Returns the JSON that a text holds, perhaps in a code fence, or the text itself."""
    fenced = _FENCE.fullmatch(text)
    source = fenced[1] if fenced else text
    if source.strip()[:1] not in ("{", "["):
        return text
    try:
        parsed = json.loads(source, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return text
    return text if _depth(parsed) > MAX_DEPTH else parsed


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


def _depth(value: Json) -> int:
    """Returns how many levels lists and objects are nested, one level at a time."""
    depth, level = 0, [value]
    while level := [item for item in level if isinstance(item, (dict, list))]:
        level = [part for item in level for part in (item.values() if isinstance(item, dict) else item)]
        depth += 1
    return depth


def _shown(value: Json) -> str:
    return json.dumps(value)


_ALIKE = {
    "null": _nulls,
    "boolean": _booleans,
    "number": _numbers,
    "object": _objects,
    "list": _lists,
}
