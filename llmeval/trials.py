"""A trial: one attempt at one case, and everything that is known of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from llmeval.cases import OMITTED, Case
from llmeval.jsonable import FrozenDict, Json, dumps, freeze, thaw
from llmeval.results import ErrorInfo, Result, Status, worst
from llmeval.usage import NO_USAGE, Tokens, Usage

__all__ = ["NotRun", "Trial"]


class NotRun(NamedTuple):
    """A trial that was scheduled and never ran, and why."""

    case: str
    repetition: int
    reason: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Trial:
    """One attempt at one case.

    `result` is the live object that the application returned (`None` in a loaded report); `output` and `evidence` are
    JSON: what was graded. `evaluations` holds a result per criterion that applies, `not_applicable` names the others.
    `duration` is in seconds, of `perform` alone. `retries` counts the tries before this one, which ended in an error;
    what they consumed is in the usage. `masked` counts the places where a secret was masked.
    """

    case: Case
    repetition: int = 1
    params: Mapping[str, Any] = FrozenDict()
    result: Any = field(default=None, compare=False, repr=False)
    output: Json = None
    evidence: Json = None
    evaluations: tuple[Result, ...] = ()
    not_applicable: tuple[str, ...] = ()
    assertion_count: int = 0
    assertion_failure: str | None = None
    error: ErrorInfo | None = None
    duration: float = 0.0
    task_usage: Usage = NO_USAGE
    evaluator_usage: Usage = NO_USAGE
    retries: int = 0
    fingerprint: str = ""
    masked: int = 0

    @property
    def status(self) -> Status:
        """The worst of its error, its assertions and its results; *measured* when it checked nothing."""
        if self.error is not None:
            return Status.ERROR
        found = [result.status for result in self.evaluations]
        if self.assertion_failure is not None:
            found.append(Status.FAILED)
        elif self.assertion_count:
            found.append(Status.PASSED)
        return worst(found)

    @property
    def passed(self) -> bool:
        """Whether the status is *passed*."""
        return self.status is Status.PASSED

    @property
    def task_tokens(self) -> Tokens | None:
        """Tokens of the application's requests; `None` when none was seen."""
        return self.task_usage.tokens

    @property
    def task_cost(self) -> float | None:
        """US dollars of the application's requests; `None` when unknown or none was seen."""
        return self.task_usage.cost

    @property
    def evaluator_tokens(self) -> Tokens | None:
        """Tokens of the grading requests; `None` when none was made."""
        return self.evaluator_usage.tokens

    @property
    def evaluator_cost(self) -> float | None:
        """US dollars of the grading requests; `None` when unknown or none was made."""
        return self.evaluator_usage.cost

    @property
    def usage(self) -> Usage:
        """What the application and the evaluators consumed together."""
        return self.task_usage + self.evaluator_usage

    @property
    def tokens(self) -> Tokens | None:
        """Tokens of all requests."""
        return self.usage.tokens

    @property
    def cost(self) -> float | None:
        """US dollars of all requests."""
        return self.usage.cost

    def _repr_html_(self) -> str:
        """Returns what a notebook shows."""
        from llmeval.render.notebook import trial_html  # a renderer, which stands above values

        return trial_html(self)

    def to_dict(self) -> dict[str, Any]:
        """Returns plain, mutable JSON, as in a report's file and in a journal's line."""
        data: dict[str, Any] = thaw(self._data())
        return data

    def to_line(self) -> str:
        """Returns the JSON of `to_dict` as one line of text."""
        return dumps(self._data())

    def _data(self) -> dict[str, Any]:
        case, error = self.case, self.error
        described: dict[str, Any] = {"name": case.name, "inputs": case.inputs}
        if case.expected_output is not OMITTED:
            described["expected_output"] = case.expected_output
        described["metadata"] = case.metadata
        described["fingerprint"] = case.fingerprint
        return {
            "case": described,
            "repetition": self.repetition,
            "params": self.params,
            "status": self.status.value,
            "output": self.output,
            "evidence": self.evidence,
            "evaluations": [result.to_dict() for result in self.evaluations],
            "not_applicable": list(self.not_applicable),
            "assertion_count": self.assertion_count,
            "assertion_failure": self.assertion_failure,
            "error": None if error is None else error.to_dict(),
            "duration": self.duration,
            "task_usage": self.task_usage.to_dict(),
            "evaluator_usage": self.evaluator_usage.to_dict(),
            "retries": self.retries,
            "fingerprint": self.fingerprint,
            "masked": self.masked,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Trial:
        """Returns the trial that `to_dict` wrote, without its live `result`.

        Raises:
            KeyError, TypeError, ValueError: `data` is not a trial's JSON.
        """
        case = data["case"]
        expected = freeze(case["expected_output"]) if "expected_output" in case else OMITTED
        return cls(
            case=Case.trusted(case["name"], freeze(case["inputs"]), expected, freeze(case["metadata"])),
            repetition=data["repetition"],
            params=freeze(data["params"]),
            output=data["output"],
            evidence=data["evidence"],
            evaluations=tuple(Result.from_dict(result) for result in data["evaluations"]),
            not_applicable=tuple(data["not_applicable"]),
            assertion_count=data["assertion_count"],
            assertion_failure=data["assertion_failure"],
            error=ErrorInfo.from_dict(data["error"]),
            duration=data["duration"],
            task_usage=Usage.from_dict(data["task_usage"]),
            evaluator_usage=Usage.from_dict(data["evaluator_usage"]),
            retries=data["retries"],
            fingerprint=data["fingerprint"],
            masked=data["masked"],
        )
