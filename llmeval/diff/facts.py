"""What a comparison needs to know of a report, and no more: a table of facts by case."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from llmeval.jsonable import Json, digest
from llmeval.noise import Noise

__all__ = ["CaseFacts", "ResultFacts", "RunFacts", "TrialFacts"]


class ResultFacts(NamedTuple):
    """One criterion's outcome; `number` is a probability or a score, `choice` the option that was chosen."""

    status: str
    reason: str | None = None
    number: float | None = None
    choice: str | bool | None = None
    model: str | None = None


class TrialFacts(NamedTuple):
    """One trial; `usage` is (task tokens, task dollars, evaluator tokens, evaluator dollars), NaN where not known."""

    repetition: int
    status: str
    output: Json
    error: str | None
    failure: str | None
    assertions: int
    results: Mapping[str, ResultFacts]
    duration: float
    usage: tuple[float, float, float, float]

    def to_dict(self) -> dict[str, Any]:
        """Returns plain JSON: what there is to read in the trial."""
        return {
            "repetition": self.repetition,
            "status": self.status,
            "output": self.output,
            "error": self.error,
            "assertion_failure": self.failure,
            "results": {name: {"status": one.status, "reason": one.reason} for name, one in self.results.items()},
        }


@dataclass
class CaseFacts:
    """One case and its trials; `content` is what makes it the same case: its inputs, and its reference if any."""

    name: str
    content: Mapping[str, Any]
    metadata: Mapping[str, Any]
    trials: list[TrialFacts] = field(default_factory=list)

    @cached_property
    def fingerprint(self) -> str:
        """The SHA-256 of the content."""
        return digest(self.content)

    def equals(self, other: CaseFacts) -> bool:
        """Whether the content is the same; 1, 1.0 and true are not."""
        one, two = self.content, other.content
        # Most cases are equal and written alike, which is known much sooner than their fingerprints are.
        return (one == two and repr(one) == repr(two)) or self.fingerprint == other.fingerprint


@dataclass(frozen=True, kw_only=True, slots=True)
class RunFacts:
    """One report: its cases by name in dataset order, and what decides whether it can be compared with another."""

    id: str
    name: str
    started_at: str
    cases: Mapping[str, CaseFacts]
    definitions: Mapping[str, Any]
    params: Mapping[str, Any]
    options: Mapping[str, Any]
    environment: Mapping[str, Any]
    interrupted: bool
    not_run: Sequence[tuple[str, int, str]]
    noise: Mapping[str, Noise] = field(default_factory=dict)

    @property
    def trials(self) -> int:
        """How many trials ran."""
        return sum(len(case.trials) for case in self.cases.values())

    @property
    def repetitions(self) -> int:
        """How many trials a case has, at most."""
        return max((len(case.trials) for case in self.cases.values()), default=0)

    @property
    def needed(self) -> int | None:
        """How many trials of a case must pass for the case to pass, where the run said so (`--require K/N`)."""
        passes, slash, _ = str(self.options.get("require") or "").partition("/")
        return int(passes) if slash and passes.isdecimal() else None
