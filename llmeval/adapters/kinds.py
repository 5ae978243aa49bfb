"""The kinds of value that are evidence without an adapter, each with its conversion to JSON.

Nothing is imported to recognise a value: NumPy, Pydantic, attrs and msgspec are known by the names of their classes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from enum import Enum
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from llmeval.adapters import conversations
from llmeval.adapters.classes import base_names, by_class
from llmeval.adapters.faults import unfit
from llmeval.adapters.fields import Fields, fields_of
from llmeval.adapters.scalars import scalar_conversion, text_key
from llmeval.cases import MAX_DEPTH
from llmeval.errors import EvidenceError
from llmeval.evidence import Attachment, Conversation, Evidence, Message, ToolCall
from llmeval.jsonable import FrozenDict, FrozenList, Json, canonical

if TYPE_CHECKING:
    from llmeval.adapters.walk import Walk

__all__ = ["Conversion", "conversion", "is_known"]

Conversion: TypeAlias = "Callable[[Walk, Any, str, int], Json]"
"""Turns a value, at a place, at a depth, into frozen JSON."""

_LONGEST_RANGE: Final = 1_000_000


@by_class
def conversion(cls: type) -> Conversion:
    """Returns how a value of class `cls` becomes JSON; for an unknown class, what raises its error."""
    if issubclass(cls, Enum):
        return lambda walk, value, where, depth: walk.value(value.value, where, depth)
    for base, convert in _NOUNS:
        if issubclass(cls, base):
            return convert
    if scalar := scalar_conversion(cls):
        return lambda walk, value, where, depth: scalar(value, where)
    if _is_array(cls):
        return lambda walk, value, where, depth: walk.value(value.tolist(), where, depth)
    if fields := fields_of(cls):
        return _with_fields(cls, fields)
    return next((convert for base, convert in _CONTAINERS if issubclass(cls, base)), _unknown)


def is_known(cls: type) -> bool:
    """Returns whether a value of class `cls` is evidence without an adapter."""
    return conversion(cls) is not _unknown


def _with_fields(cls: type, fields: Fields) -> Conversion:
    root = bool(getattr(cls, "__pydantic_root_model__", False))

    def convert(walk: Walk, value: Any, where: str, depth: int) -> Json:
        try:
            pairs = list(fields(value))
        except AttributeError as error:
            raise unfit(cls, where, f"has a field that is not set ({error})") from None
        if root:
            return walk.value(pairs[0][1], where, depth)
        return _object(walk, cls, pairs, where, depth)

    return convert


def _object(walk: Walk, cls: type, pairs: Iterable[tuple[Any, Any]], where: str, depth: int) -> Json:
    _check_depth(where, depth)
    data: dict[str, Json] = {}
    for key, item in pairs:
        name = key if type(key) is str else text_key(key, where, cls)
        if name in data:
            raise EvidenceError(
                f"{where} is a {cls.__name__} with two keys that both become the text {name!r}: "
                f"declare @adapt({cls.__name__}), or make them differ"
            )
        data[name] = item if type(item) in walk.plain else walk.value(item, _below(where, name), depth + 1)
    return FrozenDict(data)


def _mapping(walk: Walk, value: Mapping[Any, Any], where: str, depth: int) -> Json:
    return _object(walk, type(value), list(value.items()), where, depth)


def _list(walk: Walk, value: Iterable[Any], where: str, depth: int) -> Json:
    _check_depth(where, depth)
    found = conversations.in_list(walk, value, where)
    if found is not None:
        return found
    return FrozenList(
        [
            item if type(item) in walk.plain else walk.value(item, f"{where}[{index}]", depth + 1)
            for index, item in enumerate(value)
        ]
    )


def _set(walk: Walk, value: Set[Any], where: str, depth: int) -> Json:
    """Returns the members in an order that is the same in every process: numbers, then texts, then the rest."""
    _check_depth(where, depth)
    members = [walk.value(item, f"{where}{{…}}", depth + 1) for item in value]
    return FrozenList(sorted(members, key=_order))


def _order(member: Json) -> tuple[int, Any]:
    if isinstance(member, (int, float)) and not isinstance(member, bool):
        return 0, member
    return (1, member) if isinstance(member, str) else (2, canonical(member))


def _range(walk: Walk, value: range, where: str, depth: int) -> Json:
    if len(value) > _LONGEST_RANGE:
        raise EvidenceError(f"{where} is a range of {len(value)} numbers: return its bounds, or what is to be graded")
    return FrozenList(value)


def _bytes(walk: Walk, value: bytes | bytearray | memoryview, where: str, depth: int) -> Json:
    return _attachment(walk, Attachment(value), where, depth)


def _attachment(walk: Walk, value: Attachment, where: str, depth: int) -> Json:
    walk.attach(value)
    return value.descriptor


def _unknown(walk: Walk, value: Any, where: str, depth: int) -> Json:
    raise unfit(type(value), where)


def _check_depth(where: str, depth: int) -> None:
    if depth > MAX_DEPTH:
        raise EvidenceError(
            f"{_shortened(where)} is nested more than {MAX_DEPTH} levels deep: return what is to be graded"
        )


def _shortened(where: str) -> str:
    return where if len(where) <= 80 else f"{where[:40]}…{where[-20:]}"


def _below(where: str, name: str) -> str:
    return f"{where}.{name}" if name.isidentifier() else f"{where}[{name!r}]"


def _is_array(cls: type) -> bool:
    return not {"numpy.ndarray", "array.array"}.isdisjoint(base_names(cls))


_NOUNS: Final[tuple[tuple[type, Conversion], ...]] = (
    (Attachment, _attachment),
    (Conversation, conversations.nested),
    (Evidence, conversations.nested_evidence),
    (Message, conversations.nested_message),
    (ToolCall, conversations.nested_call),
)

_CONTAINERS: Final[tuple[tuple[Any, Conversion], ...]] = (
    ((bytes, bytearray, memoryview), _bytes),
    (Mapping, _mapping),
    (range, _range),
    (Set, _set),
    (Sequence, _list),
)
