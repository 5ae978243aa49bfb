"""How two JSON values differ, place by place."""

from __future__ import annotations

from collections.abc import Iterator

from llmeval.jsonable import Json, canonical, dumps

__all__ = ["differences", "same_json"]


def same_json(left: Json, right: Json) -> bool:
    """Returns whether two values are the same JSON: `1` and `1.0` are, `1` and `true` are not."""
    return next(differences(left, right), None) is None


def differences(found: Json, wanted: Json, *, ignore_order: bool = False, where: str = "$") -> Iterator[str]:
    """Yields each difference with its place; with `ignore_order`, lists are the same in any order."""
    if isinstance(found, dict) and isinstance(wanted, dict):
        yield from _in_objects(found, wanted, ignore_order, where)
    elif isinstance(found, list) and isinstance(wanted, list):
        yield from (_in_any_order if ignore_order else _in_lists)(found, wanted, where)
    elif _kind(found) != _kind(wanted) or found != wanted:
        yield f"{where} is {_brief(found)}, expected {_brief(wanted)}"


def _in_objects(found: dict[str, Json], wanted: dict[str, Json], ignore_order: bool, where: str) -> Iterator[str]:
    for key, value in wanted.items():
        place = f"{where}.{key}" if key.isidentifier() else f"{where}[{dumps(key)}]"
        if key in found:
            yield from differences(found[key], value, ignore_order=ignore_order, where=place)
        else:
            yield f"{place} is missing, expected {_brief(value)}"
    for key in found.keys() - wanted.keys():
        yield f"{where} has {dumps(key)}: {_brief(found[key])}, which is not expected"


def _in_lists(found: list[Json], wanted: list[Json], where: str) -> Iterator[str]:
    for index, (left, right) in enumerate(zip(found, wanted, strict=False)):
        yield from differences(left, right, where=f"{where}[{index}]")
    for index in range(len(found), len(wanted)):
        yield f"{where}[{index}] is missing, expected {_brief(wanted[index])}"
    for index in range(len(wanted), len(found)):
        yield f"{where}[{index}] is {_brief(found[index])}, which is not expected"


def _in_any_order(found: list[Json], wanted: list[Json], where: str) -> Iterator[str]:
    left, right = [_unordered(item) for item in found], [_unordered(item) for item in wanted]
    for item, key in zip(wanted, right, strict=True):
        if key in left:
            left[left.index(key)] = ""
        else:
            yield f"{where} has no {_brief(item)}"
    yield from (
        f"{where} has {_brief(item)}, which is not expected" for item, key in zip(found, left, strict=True) if key
    )


def _unordered(value: Json) -> str:
    """Returns text that is equal for values that differ in the order of their lists, or in `1` and `1.0`."""
    return canonical(_sorted(value))


def _sorted(value: Json) -> Json:
    if isinstance(value, list):
        return sorted((_sorted(item) for item in value), key=canonical)
    if isinstance(value, dict):
        return {key: _sorted(item) for key, item in value.items()}
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _kind(value: Json) -> object:
    return bool if isinstance(value, bool) else float if isinstance(value, (int, float)) else type(value)


def _brief(value: Json) -> str:
    text = dumps(value)
    return text if len(text) <= 60 else f"{text[:50]}…"
