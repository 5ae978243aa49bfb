"""What was given to `llmeval run`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Flags"]


@dataclass(frozen=True, kw_only=True)
class Flags:
    """The arguments and options of the command line, as they were given; `None` where they were not."""

    evaluations: Sequence[str] | None = None
    only: Sequence[str] | None = None
    repetitions: int | None = None
    id: str | None = None
    dataset: str | None = None
    evaluator: str | None = None
    no_grading: bool = False
    tag: Sequence[str] | None = None
    where: Sequence[str] | None = None
    limit: int | None = None
    set: Sequence[str] | None = None
    concurrency: str | None = None
    timeout: float | None = None
    max_cost: float | None = None
    max_requests: int | None = None
    resume: str | None = None
    allow_changed: bool = False
    retry_errors: int | None = None
    require: str | None = None
    fail_under: str | None = None
    baseline: str | None = None
    fail_on: str | None = None
    output: str | None = None
    plan: bool = False
    plain: bool = False
    quiet: bool = False
    format: str = "table"
