"""What was given to `llmeval run`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Flags"]


@dataclass(frozen=True, kw_only=True)
class Flags:
    """The arguments and options of the command line, as they were given; `None` where they were not."""

    evaluations: Sequence[str] | None
    only: Sequence[str] | None
    repetitions: int | None
    id: str | None
    dataset: str | None
    evaluator: str | None
    no_grading: bool
    tag: Sequence[str] | None
    where: Sequence[str] | None
    limit: int | None
    set: Sequence[str] | None
    concurrency: str | None
    timeout: float | None
    max_cost: float | None
    max_requests: int | None
    resume: str | None
    allow_changed: bool
    retry_errors: int | None
    require: str | None
    fail_under: str | None
    baseline: str | None
    fail_on: str | None
    output: str | None
    plan: bool
    plain: bool
    quiet: bool
    format: str
