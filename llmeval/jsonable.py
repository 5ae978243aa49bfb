"""JSON-compatible data: frozen, copied, written and digested.

JSON-compatible is `None`, `bool`, `int`, finite `float`, `str`, lists of such values and objects with text keys.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import Any, NoReturn, TypeAlias

__all__ = ["FrozenDict", "FrozenList", "Json", "canonical", "digest", "dumps", "freeze", "thaw"]

Json: TypeAlias = Any
"""`None`, a `bool`, `int`, finite `float`, `str`, a list of Json or a dict of text to Json."""

SCALARS = (str, int, float, bool, type(None))


def _refuse(self: object, *_: object, **__: object) -> NoReturn:
    raise TypeError(f"{type(self).__name__} is frozen: take a copy with llmeval.jsonable.thaw(value) to change it")


class FrozenList(list[Any]):
    """A list whose mutators raise TypeError; equal to a list, and JSON writes it as one."""

    __slots__ = ()
    append = extend = insert = pop = remove = clear = sort = reverse = _refuse
    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refuse

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(self))

    def __copy__(self) -> FrozenList:
        return self

    def __deepcopy__(self, memo: object) -> list[Any]:
        copy: list[Any] = thaw(self)
        return copy

    def __reduce__(self) -> tuple[Callable[[Json], Json], tuple[list[Any]]]:
        return freeze, (list(self),)


class FrozenDict(dict[str, Any]):
    """A dict whose mutators raise TypeError; equal to a dict, and JSON writes it as one."""

    __slots__ = ()
    __setitem__ = __delitem__ = __ior__ = _refuse
    pop = popitem = clear = update = setdefault = _refuse

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))

    def __copy__(self) -> FrozenDict:
        return self

    def __deepcopy__(self, memo: object) -> dict[str, Any]:
        copy: dict[str, Any] = thaw(self)
        return copy

    def __reduce__(self) -> tuple[Callable[[Json], Json], tuple[dict[str, Any]]]:
        return freeze, (dict(self),)


def freeze(value: Json) -> Json:
    """Returns JSON-compatible `value` with every list and object in it frozen."""
    if isinstance(value, SCALARS) or type(value) is FrozenDict or type(value) is FrozenList:
        return value
    if isinstance(value, Mapping):
        return FrozenDict({key: freeze(item) for key, item in value.items()})
    return FrozenList([freeze(item) for item in value])


def thaw(value: Json) -> Json:
    """Returns a copy of JSON-compatible `value` made of plain, mutable lists and dicts."""
    if isinstance(value, dict):
        return {key: thaw(item) for key, item in value.items()}
    if isinstance(value, list):
        return [thaw(item) for item in value]
    return value


def dumps(value: Json) -> str:
    """Returns strict JSON on one line that UTF-8 can hold: a lone surrogate is written as its escape.

    Raises:
        ValueError: a number is not finite, or an integer has more digits than Python converts.
    """
    text = _COMPACT(value)
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            return _ASCII(value)
    return text


def canonical(value: Json) -> str:
    """Returns JSON with sorted keys, no spaces and ASCII only: equal data gives equal text."""
    return _CANONICAL(value)


def digest(value: Json) -> str:
    """Returns the SHA-256 of the canonical JSON of `value` as 64 hexadecimal digits."""
    return sha256(canonical(value).encode()).hexdigest()


_COMPACT = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
_ASCII = json.JSONEncoder(ensure_ascii=True, allow_nan=False).encode
_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False).encode
