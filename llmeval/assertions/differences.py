"""Where two values that should be equal differ, in a few lines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import islice

__all__ = ["differences"]

_MOST_LINES = 20
_MOST_COMPARED = 300
_CONTEXT = 30

Shown = Callable[[object], str]


def differences(left: object, right: object, shown: Shown) -> list[str]:
    """Returns lines that say where texts, lists, tuples, sets or mappings differ; nothing for other values."""
    if isinstance(left, str) and isinstance(right, str):
        found: Iterable[str] = _of_texts(left, right)
    elif isinstance(left, Mapping) and isinstance(right, Mapping):
        found = _of_mappings(left, right, shown)
    elif isinstance(left, AbstractSet) and isinstance(right, AbstractSet):
        found = _of_sets(left, right, shown)
    elif isinstance(left, list | tuple) and isinstance(right, list | tuple):
        found = _of_sequences(left, right, shown)
    else:
        return []
    lines = list(islice(found, _MOST_LINES + 1))
    return lines if len(lines) <= _MOST_LINES else [*lines[:_MOST_LINES], "…"]


def _of_texts(left: str, right: str) -> Iterable[str]:
    if "\n" in left or "\n" in right:
        return _of_lines(left.split("\n"), right.split("\n"))
    if max(len(left), len(right)) < 3 * _CONTEXT:
        return []
    at = _first_difference(left, right)
    around = slice(max(at - _CONTEXT, 0), at + _CONTEXT)
    return [f"from character {at} on: {left[around]!r} != {right[around]!r}"]


def _of_lines(left: list[str], right: list[str]) -> Iterable[str]:
    from difflib import unified_diff  # only a failure pays for it

    same = max(_first_difference(left, right) - 1, 0)
    left, right = (lines[same : same + _MOST_COMPARED] for lines in (left, right))
    yield f"from line {same + 1} on, left (-) and right (+):"
    for line in islice(unified_diff(left, right, n=1, lineterm=""), 3, None):
        yield line if len(line) < 6 * _CONTEXT else f"{line[: 6 * _CONTEXT]}…"


def _of_sequences(left: Sequence[object], right: Sequence[object], shown: Shown) -> Iterable[str]:
    at = _first_difference(left, right)
    if at < min(len(left), len(right)):
        yield f"at index {at}: {shown(left[at])} != {shown(right[at])}"
    if len(left) != len(right):
        longer, side = (left, "left") if len(left) > len(right) else (right, "right")
        more = abs(len(left) - len(right))
        yield f"{side} has {more} more, from index {len(longer) - more} on: {shown(longer[-more])}"


def _of_mappings(left: Mapping[object, object], right: Mapping[object, object], shown: Shown) -> Iterable[str]:
    for key, value in left.items():
        if key not in right:
            yield f"only left has {shown(key)}: {shown(value)}"
        elif not (value is right[key] or value == right[key]):
            yield f"at {shown(key)}: {shown(value)} != {shown(right[key])}"
    yield from (f"only right has {shown(key)}: {shown(value)}" for key, value in right.items() if key not in left)


def _of_sets(left: AbstractSet[object], right: AbstractSet[object], shown: Shown) -> Iterable[str]:
    yield from sorted(f"only left has {shown(each)}" for each in left - right)
    yield from sorted(f"only right has {shown(each)}" for each in right - left)


def _first_difference(left: Sequence[object], right: Sequence[object]) -> int:
    pairs = enumerate(zip(left, right, strict=False))
    return next((at for at, (one, other) in pairs if not (one is other or one == other)), min(len(left), len(right)))
