"""Which trials of a run are still to launch, and why one was not."""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import Final

from llmeval.limits import Budget, Launch
from llmeval.options import Options
from llmeval.plans import Plan
from llmeval.trials import NotRun
from llmeval.usage import Usage

__all__ = ["INTERRUPTED", "STOPPED", "Schedule"]

INTERRUPTED: Final = "interrupted"
"""Why a trial did not run after a Ctrl-C."""

STOPPED: Final = "the run was stopped"
"""Why a trial did not run after a receiver of trials raised."""


class Schedule:
    """The trials of a plan by number, less those that are `done`; launched one by one as far as the budget allows."""

    def __init__(self, plan: Plan, done: Container[int]) -> None:
        self._plan = plan
        self._budget = budget_of(plan.options)
        self._pending = (index for index in range(plan.total) if index not in done)
        self._next = next(self._pending, None)
        self._left_out: dict[int, str] = {}
        self.stopped: str | None = None
        """Why no further trial is launched."""

    @property
    def exhausted(self) -> bool:
        """Whether every trial was launched, or done before."""
        return self._next is None

    def next(self) -> int | Launch:
        """Returns the number of the next trial to launch, or LATER, or NEVER when nothing is left to launch."""
        while self._next is not None:
            launch = Launch.NEVER if self.stopped is not None else self._budget.launch()
            if launch is Launch.LATER:
                return launch
            index, self._next = self._next, next(self._pending, None)
            if launch is Launch.NOW:
                return index
            self._left_out[index] = self.stopped or self._budget.reason or STOPPED
        return Launch.NEVER

    def stop(self, reason: str) -> None:
        """Launches nothing more; the first reason is kept."""
        self.stopped = self.stopped or reason

    def leave_out(self, index: int) -> None:
        """Records that a trial which was launched did not run to its end, because of the stop."""
        self._left_out[index] = self.stopped or STOPPED
        self._budget.cancel()

    def finish(self, usage: Usage) -> None:
        """Counts what a trial that was launched consumed."""
        self._budget.finish(requests=usage.requests, cost=usage.cost, unpriced=usage.unpriced)

    def recall(self, usage: Usage) -> None:
        """Counts what a trial consumed that an earlier part of the run finished."""
        self._budget.recall(requests=usage.requests, cost=usage.cost, unpriced=usage.unpriced)

    def not_run(self, done: Container[int], ran: int) -> Iterator[NotRun]:
        """Yields what has no trial; before a run's end that is also what is still to come. `ran` trials are `done`."""
        missing: Iterator[int]
        if ran + len(self._left_out) < self._plan.total:
            missing = (index for index in range(self._plan.total) if index not in done)
        else:
            missing = iter(sorted(self._left_out))
        for index in missing:
            case, repetition = self._plan.at(index)
            yield NotRun(case.name, repetition, self._left_out.get(index, self.stopped or INTERRUPTED))


def budget_of(options: Options) -> Budget:
    """Returns the budget that the options set."""
    return Budget(max_requests=options.max_requests, max_cost=options.max_cost)
