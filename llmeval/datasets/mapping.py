"""Which column or field of a foreign file becomes which part of a case."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any, TypeAlias

from llmeval.datasets.problems import shorten
from llmeval.errors import DatasetError

__all__ = ["Targets", "place", "targets_for"]

Targets: TypeAlias = dict[str, tuple[str, ...]]
"""Field of the file to the way into a case: `{"question": ("inputs", "question")}`."""

FIELDS = ("name", "inputs", "expected_output", "metadata")
WHOLE_METADATA = ("metadata",)
"""Goes first: other fields may join an object that is there."""


def targets_for(mapping: Mapping[str, str], fields: Iterable[str], where: str) -> Targets:
    """Returns where each of `fields` goes: as `mapping` says, or into the part of a case that it is named like.

    Raises:
        DatasetError: the mapping names an unknown field or part, or two fields want one place.
    """
    fields = list(fields)
    targets = {field: _target(field, target, where) for field, target in mapping.items()}
    for field in mapping:
        if field not in fields:
            raise DatasetError(f"{where}: there is no field {field!r} to map: the fields are {', '.join(fields)}")
    taken = {way[0] for way in targets.values()}
    for field in fields:
        way = tuple(field.split("."))
        if field not in targets and way[0] in FIELDS and all(way) and way[0] not in taken - {"metadata"}:
            targets[field] = _target(field, field, where)
    _check_collisions(targets, where)
    targets = dict(sorted(targets.items(), key=lambda item: item[1] != WHOLE_METADATA))
    if not any(way[0] == "inputs" for way in targets.values()):
        first = next((field for field in fields if field not in targets), "question")
        cure = f"say which with --map {first}=inputs (fields: {', '.join(fields)})"
        raise DatasetError(f"{where}: no field becomes the inputs of a case: {cure}")
    return targets


def _target(field: str, target: str, where: str) -> tuple[str, ...]:
    way = tuple(target.split("."))
    if way[0] not in FIELDS or not all(way) or (way[0] == "name" and len(way) > 1):
        raise DatasetError(
            f"{where}: {field}={target} maps to no part of a case: the parts are name, inputs, expected_output and "
            "metadata.X (inputs.X and expected_output.X make an object)"
        )
    return way


def _check_collisions(targets: Targets, where: str) -> None:
    ways = sorted((way, field) for field, way in targets.items() if way != WHOLE_METADATA)
    for (way, field), (next_way, next_field) in pairwise(ways):
        if next_way[: len(way)] == way:
            both = f"{field!r} and {next_field!r}"
            raise DatasetError(f"{where}: {both} would both become {'.'.join(way)}: map one of them elsewhere")


def place(draft: dict[str, Any], way: tuple[str, ...], value: Any) -> None:
    """Puts `value` into the nested dicts of `draft`.

    Raises:
        DatasetError: something is there already.
    """
    inner = draft
    for key in way[:-1]:
        inner = inner.setdefault(key, {})
    if way[-1] in inner:
        raise DatasetError(f"{'.'.join(way)} is there already ({shorten(inner[way[-1]])}): map the field elsewhere")
    inner[way[-1]] = value
