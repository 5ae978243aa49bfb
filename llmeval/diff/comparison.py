"""Comparing one report with another, or several candidates with one baseline."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from llmeval.diff.case_diffs import case_diffs
from llmeval.diff.comparability import comparability
from llmeval.diff.criterion_diffs import criterion_diffs
from llmeval.diff.deltas import deltas
from llmeval.diff.diffs import Diff, RunInfo
from llmeval.diff.facts import RunFacts
from llmeval.diff.figures import Figures, figures
from llmeval.diff.pairs import paired
from llmeval.diff.slices import slices
from llmeval.diff.sources import Source, facts_of
from llmeval.stats import holm

__all__ = ["Comparison", "compare", "compare_many"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Comparison:
    """A baseline and its candidates: a diff each, whose verdicts hold for all of them together."""

    baseline: RunInfo
    diffs: tuple[Diff, ...]

    def to_dict(self) -> dict[str, Any]:
        """Returns plain JSON."""
        return {"baseline": self.baseline.to_dict(), "diffs": [diff.to_dict() for diff in self.diffs]}


def compare(a: Source, b: Source, allow_changed: bool = False, by: str | None = None) -> Diff:
    """Returns what report `b` differs in from report `a`.

    Cases are paired by name and content, criteria by name. What cannot be compared is left out of the figures and named
    in `incomparable`; with `allow_changed` it is compared all the same. `by` is a metadata field, such as
    `metadata.category`, whose values the figures are also split by.

    Raises:
        ReportFileError: a path is not that of a report.
    """
    return compare_many(a, [b], allow_changed, by).diffs[0]


def compare_many(
    baseline: Source, candidates: Sequence[Source], allow_changed: bool = False, by: str | None = None
) -> Comparison:
    """Returns what each of `candidates` differs in from `baseline`; p-values are adjusted by Holm over all of them.

    Raises:
        ReportFileError: a path is not that of a report.
        ValueError: there is no candidate.
    """
    if not candidates:
        raise ValueError("candidates is empty: give at least one report to compare with the baseline")
    with _one_generation():
        facts = facts_of(baseline)
        diffs = [_diff(facts, facts_of(candidate), allow_changed, by) for candidate in candidates]
    return Comparison(baseline=diffs[0].a, diffs=tuple(_adjusted(diffs)))


@contextmanager
def _one_generation() -> Iterator[None]:
    """Keeps the cyclic collector from walking a growing table again and again: there are no cycles in it.

    It takes a third of the time. Freezing and unfreezing makes what is new old, so that it is not walked at the end.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            if not gc.get_freeze_count():
                gc.freeze()
                gc.unfreeze()
            gc.enable()


def _diff(a: RunFacts, b: RunFacts, allow_changed: bool, by: str | None) -> Diff:
    rules, pairing = comparability(a, b, allow_changed), paired(a, b)
    cases = tuple(case_diffs(pairing, rules, allow_changed, a.needed, b.needed))
    pairs = [pair for pair in pairing.pairs if allow_changed or not pair.changed]
    return Diff(
        **figures([case.rates for case in cases if case.compared]),
        a=RunInfo.of(a),
        b=RunInfo.of(b),
        case_diffs=cases,
        criteria=tuple(criterion_diffs(pairs, rules, a.noise, b.noise)),
        usage=tuple(deltas(pairs)),
        by=by,
        slices=() if by is None else tuple(slices(cases, by)),
        incomparable=(*rules.reasons, *pairing.ambiguous, *pairing.edits()),
        allow_changed=allow_changed,
    )


def _adjusted(diffs: Sequence[Diff]) -> list[Diff]:
    """Returns the diffs with p-values adjusted over all candidates, over all their criteria, and over all slices."""
    whole = _holm(diffs)
    criteria = iter(_holm([one for diff in diffs for one in diff.criteria]))
    parts = iter(_holm([part for diff in diffs for part in diff.slices]))
    return [
        replace(
            diff,
            criteria=tuple(next(criteria) for _ in diff.criteria),
            slices=tuple(next(parts) for _ in diff.slices),
        )
        for diff in whole
    ]


T = TypeVar("T", bound=Figures)


def _holm(family: Sequence[T]) -> list[T]:
    """Returns the figures with p-values adjusted for being tested together; those without a p-value as they are."""
    adjusted = iter(holm([one.p_value for one in family if one.p_value is not None]))
    return [one if one.p_value is None else replace(one, adjusted_p_value=next(adjusted)) for one in family]
