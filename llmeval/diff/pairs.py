"""Which case of one report is which case of the other: by name and content, never by position."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from llmeval.diff.facts import CaseFacts, RunFacts

__all__ = ["Pair", "Pairing", "paired"]


class Pair(NamedTuple):
    """A case in A and in B; `changed` when its inputs or its reference differ."""

    a: CaseFacts
    b: CaseFacts
    changed: bool = False

    @property
    def renamed(self) -> bool:
        """Whether only the name differs."""
        return self.a.name != self.b.name


@dataclass(kw_only=True, slots=True)
class Pairing:
    """Every case of two reports, in the order of A and then of B.

    `not_run_a` are cases of B that A did not get to run or did not select, `not_run_b` the other way round.
    `ambiguous` says which cases of equal content cannot be told apart.
    """

    pairs: list[Pair] = field(default_factory=list)
    added: list[CaseFacts] = field(default_factory=list)
    removed: list[CaseFacts] = field(default_factory=list)
    not_run_a: list[CaseFacts] = field(default_factory=list)
    not_run_b: list[CaseFacts] = field(default_factory=list)
    ambiguous: list[str] = field(default_factory=list)

    def edits(self) -> list[str]:
        """Returns what differs in cases of equal name: what cannot be compared, and metadata, which can."""
        edited = [pair.b for pair in self.pairs if pair.changed]
        annotated = [pair.b for pair in self.pairs if not pair.changed and pair.a.metadata != pair.b.metadata]
        found = []
        if edited:
            found.append(f"{_have(edited)} other inputs or another reference: {_names(edited)}")
        if annotated:
            be = "is" if len(annotated) == 1 else "are"
            found.append(f"{_have(annotated)} other metadata, and {be} compared all the same: {_names(annotated)}")
        return found


def paired(a: RunFacts, b: RunFacts) -> Pairing:
    """Returns the cases in pairs: of equal name and content, else of equal content, else of equal name."""
    pairing = Pairing()
    kept = {name for name, case in a.cases.items() if name in b.cases and case.equals(b.cases[name])}
    former = _renamed(_others(a, kept), _others(b, kept), pairing.ambiguous)
    taken = {case.name for case in former.values()}
    for name, case in a.cases.items():
        other = former.get(name)
        same = b.cases.get(name)
        if other is not None:
            pairing.pairs.append(Pair(case, other))
        elif same is not None and name not in taken:
            pairing.pairs.append(Pair(case, same, name not in kept))
            taken.add(name)
        else:
            (pairing.not_run_b if _left_out(name, b, a) else pairing.removed).append(case)
    for name, case in b.cases.items():
        if name not in taken:
            (pairing.not_run_a if _left_out(name, a, b) else pairing.added).append(case)
    return pairing


def _others(run: RunFacts, kept: set[str]) -> list[CaseFacts]:
    return [case for name, case in run.cases.items() if name not in kept]


def _renamed(a: Iterable[CaseFacts], b: Iterable[CaseFacts], ambiguous: list[str]) -> dict[str, CaseFacts]:
    """Returns, by their name in A, the cases of B with the same content and another name."""
    left, right = _by_content(a), _by_content(b)
    former = {}
    for fingerprint, cases in left.items():
        others = right.get(fingerprint, [])
        if len(cases) == len(others) == 1:
            former[cases[0].name] = others[0]
        elif others:
            ambiguous.append(
                f"cases with equal content cannot be told apart by it: {_names(cases)} of A and {_names(others)} of B"
            )
    return former


def _by_content(cases: Iterable[CaseFacts]) -> dict[str, list[CaseFacts]]:
    found: dict[str, list[CaseFacts]] = {}
    for case in cases:
        found.setdefault(case.fingerprint, []).append(case)
    return found


def _left_out(name: str, run: RunFacts, other: RunFacts) -> bool:
    """Whether `run` has no trial of a case because it ended early or was told to select others."""
    if any(case == name for case, _, _ in run.not_run):
        return True
    options = run.options
    only = options.get("only")
    if only and name not in only:
        return True
    narrowed = bool(only or options.get("where") or options.get("limit"))
    dataset = run.definitions.get("dataset") or {}
    fingerprint = dataset.get("fingerprint")
    same = fingerprint is not None and fingerprint == (other.definitions.get("dataset") or {}).get("fingerprint")
    return narrowed and same


def _have(cases: Sequence[CaseFacts]) -> str:
    return "1 case has" if len(cases) == 1 else f"{len(cases):,} cases have"


def _names(cases: Sequence[CaseFacts]) -> str:
    shown = ", ".join(repr(case.name) for case in cases[:5])
    return shown if len(cases) <= 5 else f"{shown} and {len(cases) - 5} more"
