"""The comparable cases by the values of a metadata field."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from llmeval.diff.case_diffs import CaseDiff
from llmeval.diff.figures import Figures, Rates, figures
from llmeval.jsonable import Json, canonical

__all__ = ["Slice", "slices"]


@dataclass(frozen=True, kw_only=True)
class Slice(Figures):
    """The cases with one value of the field; `None` stands for cases without it."""

    value: str | None

    def to_dict(self) -> dict[str, Any]:
        """Returns plain JSON."""
        return {"value": self.value, **self.figures()}


def slices(cases: Iterable[CaseDiff], by: str) -> Iterator[Slice]:
    """Returns a slice for each value of `by`, a path such as `metadata.category`, in order of appearance."""
    path = by.removeprefix("metadata.").split(".")
    found: dict[str | None, list[Rates]] = {}
    for case in cases:
        if case.compared and case.b is not None:
            found.setdefault(_value(case.b.content["metadata"], path), []).append(case.rates)
    for value, rates in found.items():
        yield Slice(value=value, **figures(rates))


def _value(metadata: Json, path: Iterable[str]) -> str | None:
    for key in path:
        if not isinstance(metadata, Mapping) or key not in metadata:
            return None
        metadata = metadata[key]
    return metadata if isinstance(metadata, str) else canonical(metadata)
