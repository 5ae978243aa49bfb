"""What happened in a run, for subscribers: a subscriber is a callable that takes each event."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from llmeval.report import Report
from llmeval.trials import Trial

__all__ = ["Event", "Note", "RunFinished", "RunStarted", "Subscriber", "TrialFinished", "TrialStarted"]


@dataclass(frozen=True, kw_only=True, slots=True)
class RunStarted:
    """A run is about to start; `total` counts every trial of it, those too that a resumed run finished before."""

    run_id: str
    evaluation: str
    total: int
    resumed: int = 0
    criteria: Sequence[str] = ()
    evaluators: Sequence[str] = ()
    dataset: str | None = None
    params: Mapping[str, Any] | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class TrialStarted:
    """A trial begins."""

    run_id: str
    evaluation: str
    case: str
    repetition: int


@dataclass(frozen=True, kw_only=True, slots=True)
class TrialFinished:
    """A trial is complete, graded and in the journal if there is one; `completed` of `total` are."""

    run_id: str
    evaluation: str
    total: int
    completed: int
    case: str
    repetition: int
    trial: Trial


@dataclass(frozen=True, kw_only=True, slots=True)
class Note:
    """Something that the person at the terminal should know, in one line."""

    run_id: str
    evaluation: str
    message: str


@dataclass(frozen=True, kw_only=True, slots=True)
class RunFinished:
    """A run ended; `report` is `None` when a receiver's exception stopped it."""

    run_id: str
    evaluation: str
    report: Report | None


Event: TypeAlias = RunStarted | TrialStarted | TrialFinished | Note | RunFinished
Subscriber: TypeAlias = Callable[[Event], object]
