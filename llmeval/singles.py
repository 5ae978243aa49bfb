"""Runs single trials of a plan, each when somebody asks for it: for test frameworks, which have a loop of their own."""

from __future__ import annotations

import threading
from contextvars import ContextVar, copy_context
from queue import SimpleQueue
from typing import Any, Final, Protocol

from llmeval.capture import capturing
from llmeval.events import Event, TrialFinished
from llmeval.executors import Inline, Lane
from llmeval.jsonable import thaw
from llmeval.lifespans import Lifespan
from llmeval.limits import Launch
from llmeval.plans import Plan
from llmeval.runner import Run, loop_is_running
from llmeval.schedule import Schedule
from llmeval.trials import Trial

__all__ = ["SingleTrials"]

PATIENCE: Final = 10.0
"""Seconds that the thread of trials with a timeout may take to end."""


class SingleTrials:
    """The trials of a plan by number; the lifespan, the evaluators and their clients serve all of them until `close`.

    Trials run in the caller's thread, and see what its context holds when they are asked for. With a timeout, or where
    an event loop is running, they run in a thread of their own.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._run = Run(plan)
        self._run.subscribe(self._take)
        self._trial: Trial | None = None
        self._way: _Way | None = None
        self._failure: BaseException | None = None

    def run(self, index: int) -> Trial:
        """Returns the finished trial, secrets masked.

        Raises:
            KeyboardInterrupt: it was interrupted; its teardown has run.
            BaseException: what entering the lifespan raised, for every trial.
        """
        if self._failure is not None:
            raise self._failure
        way = self._opened()
        self._trial = None
        way.run(index)
        if self._trial is None:
            raise KeyboardInterrupt
        return self._trial

    @property
    def notes(self) -> list[str]:
        """What the report has to say beside its figures, so far."""
        return self._run.announcer.notes

    def head(self) -> dict[str, Any]:
        """Returns what a report says before its trials, as JSON, secrets masked."""
        head: dict[str, Any] = thaw(self._run._head())
        return head

    def close(self) -> None:
        """Leaves the lifespan and frees the evaluators; what goes wrong is noted."""
        way, self._way = self._way, None
        if way is not None:
            way.close()

    def _opened(self) -> _Way:
        if self._way is None:
            apart = self.plan.timeout is not None or loop_is_running()
            way: _Way = _Apart(self._run) if apart else _Here(self._run)
            try:
                way.open()
            except BaseException as error:
                self._failure = error
                way.close()
                raise
            self._way = way
        return self._way

    def _take(self, event: Event) -> None:
        if isinstance(event, TrialFinished):
            self._trial = event.trial


class _Way(Protocol):
    def open(self) -> None: ...

    def run(self, index: int) -> None: ...

    def close(self) -> None: ...


class _Here:
    """Trials in the caller's thread; between them nothing is patched, no span is current and no loop runs."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._executor = Inline()
        self._lifespan = Lifespan(run.plan.lifespan, run.plan.evaluation.name)
        self._context = copy_context()
        self._value: Any = None
        self._variables: dict[ContextVar[Any], Any] = {}

    def open(self) -> None:
        before = copy_context()
        for evaluator in self._run.plan.grading.evaluators:
            evaluator.note = self._run.announcer.note
        with capturing():
            self._value = self._call(self._lifespan.enter)
        unset = object()
        self._variables = {one: value for one, value in self._context.items() if before.get(one, unset) is not value}

    def run(self, index: int) -> None:
        context = copy_context()
        for variable, value in self._variables.items():
            context.run(variable.set, value)
        with capturing() as captured:
            self._run._run_inline(index, self._executor, context, self._value)
            self._run._note_strays(captured.strays())

    def close(self) -> None:
        with capturing():
            self._run._close(self._call, self._lifespan)
        self._executor.close()
        with self._run.trace:  # ends the run's span, which has never been the current one
            pass

    def _call(self, function: Any) -> Any:
        return self._executor.run(Lane().call(function), self._context)


class _Apart:
    """Trials in a thread of their own, where a whole run waits for each to be asked for."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._landed: SimpleQueue[BaseException | None] = SimpleQueue()
        self._schedule = run.schedule = _AsAsked(run.plan, self._landed)
        self._thread = threading.Thread(
            target=copy_context().run, args=(self._work,), name="llmeval-trials", daemon=True
        )

    def open(self) -> None:
        self._thread.start()
        self._wait()

    def run(self, index: int) -> None:
        self._schedule.asked.put(index)
        try:
            self._wait()
        except KeyboardInterrupt:
            self._run.interrupt()
            self._wait()
            raise

    def close(self) -> None:
        self._schedule.asked.put(None)
        self._thread.join(PATIENCE)

    def _wait(self) -> None:
        error = self._landed.get()
        if error is not None:
            raise error

    def _work(self) -> None:
        try:
            self._run.execute()
        except BaseException as error:  # noqa: BLE001 - it is raised again in the caller's thread
            self._landed.put(error)
        else:
            self._landed.put(None)


class _AsAsked(Schedule):
    """Launches the trials that are asked for, in that order; says each time when it is ready for the next."""

    def __init__(self, plan: Plan, ready: SimpleQueue[BaseException | None]) -> None:
        super().__init__(plan, ())
        self.asked: SimpleQueue[int | None] = SimpleQueue()
        self._ready = ready

    def next(self) -> int | Launch:
        """Waits for the next number; the loop stands still meanwhile, as between trials in a caller's thread."""
        self._ready.put(None)
        index = self.asked.get()
        return Launch.NEVER if index is None or self.stopped is not None else index
