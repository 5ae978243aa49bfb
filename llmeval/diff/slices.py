"""The comparable cases by the values of a field."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from llmeval.diff.case_diffs import CaseDiff
from llmeval.diff.figures import Figures, Rates, figures
from llmeval.jsonable import Json, dumps

__all__ = ["Slice", "slices"]

NONE = "(none)"
"""The value of a case without the field."""


@dataclass(frozen=True, kw_only=True)
class Slice(Figures):
    """The cases with one value of the field."""

    value: str

    def to_dict(self) -> dict[str, Any]:
        """Returns plain JSON."""
        return {"value": self.value, **self.figures()}


def slices(cases: Iterable[CaseDiff], by: str) -> Iterator[Slice]:
    """Returns a slice for each value at `by`, a path such as `metadata.category`, in order of the values.

    A list counts for each of its items.
    """
    found: dict[str, list[Rates]] = {}
    for case in cases:
        if case.compared and case.b is not None:
            data = {**case.b.content, "metadata": case.b.metadata}
            for value in _values(data, by.split(".")):
                found.setdefault(value, []).append(case.rates)
    for value, rates in sorted(found.items()):
        yield Slice(value=value, **figures(rates))


def _values(data: Json, path: Iterable[str]) -> list[str]:
    for key in path:
        if not isinstance(data, Mapping) or key not in data:
            return [NONE]
        data = data[key]
    items = data if isinstance(data, list) else [data]
    return [item if isinstance(item, str) else dumps(item) for item in items] or [NONE]
