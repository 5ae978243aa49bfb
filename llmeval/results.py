"""What an evaluator found: a status, and the values that a result can have."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from math import isfinite
from typing import Any, TypeAlias

from llmeval.errors import EvaluatorError
from llmeval.jsonable import Json

__all__ = ["Choice", "ErrorInfo", "Probability", "Result", "Score", "Status", "Value", "worst"]


class Status(StrEnum):
    """How a result or a trial ended, from best to worst; only `passed` is a success."""

    PASSED = "passed"
    MEASURED = "measured"
    UNASSESSED = "unassessed"
    FAILED = "failed"
    ERROR = "error"


_RANK = {status: rank for rank, status in enumerate(Status)}


def worst(statuses: Iterable[Status]) -> Status:
    """Returns the worst status; of none, *measured*, because nothing was checked."""
    return max(statuses, key=_RANK.__getitem__, default=Status.MEASURED)


@dataclass(frozen=True, kw_only=True, slots=True)
class ErrorInfo:
    """An exception as text: its type's name, its message, and its traceback (empty when there is none)."""

    type: str
    message: str
    traceback: str = ""

    def to_dict(self) -> dict[str, str]:
        """Returns plain JSON."""
        return {"type": self.type, "message": self.message, "traceback": self.traceback}

    @classmethod
    def from_dict(cls, data: Mapping[str, str] | None) -> ErrorInfo | None:
        """Returns what `to_dict` wrote."""
        return None if data is None else cls(**data)


@dataclass(frozen=True, slots=True)
class Probability:
    """The probability, from 0 to 1, that the answer to a question is yes."""

    probability: float

    def __post_init__(self) -> None:
        _within(self.probability, 0, 1, "a probability")

    def to_dict(self) -> dict[str, Any]:
        """Returns plain JSON."""
        return {"kind": "probability", "probability": self.probability}


@dataclass(frozen=True, slots=True)
class Choice:
    """The option that was chosen, the probability of each, and how sure the choice is (which is not a quality)."""

    choice: str | bool
    probabilities: Mapping[str | bool, float] | None = None
    confidence: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Returns plain JSON; the probabilities are pairs, since an option may be a boolean."""
        pairs = None if self.probabilities is None else [[key, value] for key, value in self.probabilities.items()]
        return {"kind": "choice", "choice": self.choice, "probabilities": pairs, "confidence": self.confidence}


@dataclass(frozen=True, slots=True)
class Score:
    """A score in the scale of its levels (worst first; a level's number counts from 0), or a plain number without them.

    `probabilities` maps the number of a level to its probability.
    """

    score: float
    levels: tuple[str, ...] | None = None
    probabilities: Mapping[int, float] | None = None
    confidence: float | None = None

    def __post_init__(self) -> None:
        _within(self.score, None, None, "a score")

    def to_dict(self) -> dict[str, Any]:
        """Returns plain JSON; the probabilities are pairs, so that their keys stay integers."""
        pairs = None if self.probabilities is None else [[key, value] for key, value in self.probabilities.items()]
        levels = None if self.levels is None else list(self.levels)
        return {
            "kind": "score",
            "score": self.score,
            "levels": levels,
            "probabilities": pairs,
            "confidence": self.confidence,
        }


Value: TypeAlias = bool | Probability | Choice | Score | None
"""A verdict is True (pass), False (fail) or None (unknown)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Result:
    """One criterion's outcome in one trial.

    `error` says why the evaluator delivered nothing; otherwise `value` is the verdict or the measure. `model` is the
    provider's own id of the model that answered; `method` says how a probability was obtained (`native`, `stated`,
    `logprobs`); `evidence` is JSON: the tool calls that the evaluator made (`tool_calls`), or a reply that could not be
    read (`raw`). `repeats` are what it answered when it was asked again about the same evidence.
    """

    name: str
    value: Value = None
    reason: str | None = None
    minimum: float | None = None
    error: ErrorInfo | None = None
    model: str | None = None
    method: str | None = None
    evidence: Json = None
    repeats: tuple[Result, ...] = ()

    @property
    def status(self) -> Status:
        """The outcome; a minimum turns a probability or a score into a pass or a fail."""
        if self.error is not None:
            return Status.ERROR
        value = self.value
        if value is True:
            return Status.PASSED
        if value is False:
            return Status.FAILED
        if value is None:
            return Status.UNASSESSED
        if self.minimum is None or isinstance(value, Choice):
            return Status.MEASURED
        number = value.probability if isinstance(value, Probability) else value.score
        return Status.PASSED if number >= self.minimum else Status.FAILED

    @property
    def passed(self) -> bool:
        """Whether the status is *passed*."""
        return self.status is Status.PASSED

    @property
    def verdict(self) -> str | None:
        """What it decided: a status, or the option chosen; `None` for an error, and for a number without a minimum."""
        if self.error is not None:
            return None
        if isinstance(self.value, Choice):
            return repr(self.value.choice)
        return None if self.status is Status.MEASURED else self.status.value

    @property
    def stable(self) -> bool | None:
        """Whether it and its repeats agree; `None` with fewer than two verdicts among them."""
        verdicts = [found for one in (self, *self.repeats) if (found := one.verdict) is not None]
        return len(set(verdicts)) == 1 if len(verdicts) > 1 else None

    def to_dict(self) -> dict[str, Any]:
        """Returns plain JSON; what is not known is left out."""
        value = self.value
        data: dict[str, Any] = {
            "name": self.name,
            "status": self.status.value,
            "value": value if value is None or isinstance(value, bool) else value.to_dict(),
            "reason": self.reason,
        }
        if self.minimum is not None:
            data["minimum"] = self.minimum
        if self.error is not None:
            data["error"] = self.error.to_dict()
        if self.model is not None:
            data["model"] = self.model
        if self.method is not None:
            data["method"] = self.method
        if self.evidence is not None:
            data["evidence"] = self.evidence
        if self.repeats:
            data["stable"] = self.stable
            data["repeats"] = [_repeat(one) for one in self.repeats]
        return data

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Result:
        """Returns what `to_dict` wrote."""
        return cls(
            name=data["name"],
            value=_value(data["value"]),
            reason=data["reason"],
            minimum=data.get("minimum"),
            error=ErrorInfo.from_dict(data.get("error")),
            model=data.get("model"),
            method=data.get("method"),
            evidence=data.get("evidence"),
            repeats=tuple(
                cls.from_dict({"name": data["name"], "minimum": data.get("minimum"), **one})
                for one in data.get("repeats", ())
            ),
        )


def _repeat(result: Result) -> dict[str, Any]:
    """Returns the JSON of a repeat, less what it has in common with the result that it repeats."""
    return {key: value for key, value in result.to_dict().items() if key not in ("name", "minimum")}


def _value(data: Json) -> Value:
    if data is None or isinstance(data, bool):
        return data
    if data["kind"] == "probability":
        return Probability(data["probability"])
    pairs = data["probabilities"]
    probabilities = None if pairs is None else dict(pairs)
    if data["kind"] == "choice":
        return Choice(data["choice"], probabilities, data["confidence"])
    levels = data["levels"]
    return Score(data["score"], None if levels is None else tuple(levels), probabilities, data["confidence"])


def _within(number: object, low: float | None, high: float | None, what: str) -> None:
    if isinstance(number, bool) or not isinstance(number, (int, float)) or not isfinite(number):
        raise EvaluatorError(f"{what} is {number!r}, which is not a finite number")
    if low is not None and high is not None and not low <= number <= high:
        raise EvaluatorError(f"{what} is {number!r}, which is not between {low} and {high}")
