"""Runs the trials of a plan, one after another or many at once, and makes the report."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import copy_context
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from llmeval.capture import capturing
from llmeval.environment import environment_of
from llmeval.errors import ResumeError
from llmeval.evaluations import Evaluation
from llmeval.events import Event, Note, RunFinished, RunStarted, Subscriber, TrialFinished, TrialStarted
from llmeval.executors import Ended, Inline, Lane
from llmeval.failures import message_of
from llmeval.journal import Journal
from llmeval.lifespans import Lifespan
from llmeval.limits import Budget, Launch
from llmeval.options import Options
from llmeval.plans import Plan, build_plan, shown_path
from llmeval.report import Report
from llmeval.resuming import Resumed, resumed
from llmeval.store import Store
from llmeval.telemetry import RunTrace
from llmeval.trial_runner import TrialRun
from llmeval.trials import NotRun, Trial
from llmeval.usage import Usage

__all__ = ["Run", "arun", "run"]

INTERRUPTED = "interrupted"
"""Why a trial did not run after a Ctrl-C."""


def run(evaluation: Evaluation, options: Options) -> Report:
    """Runs `evaluation` and returns its report; see `Evaluation.run`.

    Raises:
        KeyboardInterrupt: the run was interrupted; what was in flight is torn down, the journal is whole.
    """
    report = Run(build_plan(evaluation, options)).execute()
    if report.interrupted:
        raise KeyboardInterrupt
    return report


async def arun(evaluation: Evaluation, options: Options) -> Report:
    """Runs `evaluation` on the running event loop and returns its report; see `Evaluation.arun`."""
    import asyncio

    report = await Run(build_plan(evaluation, options)).execute_here()
    if report.interrupted:
        raise asyncio.CancelledError
    return report


class Run:
    """One run: its schedule, its subscribers and what became of its trials.

    Raises:
        ResumeError: the journal cannot be taken up, or exists already.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.interrupted = False
        self.stopping: str | None = None
        """Why no further trial is launched."""
        self.notes = list(plan.notes)
        self.started_at = datetime.now(UTC)
        options = plan.options
        self._subscribers = list(options.subscribers)
        path = None if options.journal is None else Path(options.journal)
        project, file = plan.evaluation.project, plan.evaluation.file
        self.environment = environment_of(project, file, resumable=path is not None)
        if path is not None and not options.resume and path.exists():
            raise ResumeError(f"{path} exists: give the run another id, or resume it")
        self._resumed: Resumed | None = None
        if path is not None and options.resume:
            self._resumed = resumed(path, plan, self.environment)
            self.started_at = self._resumed.started_at
            self.notes += self._resumed.notes
        self.journal = None if path is None else Journal(path)
        self.store = Store(plan.total, self.journal, keep=options.keep)
        self._left_out: dict[int, str] = {}
        self._budget = Budget(max_requests=options.max_requests, max_cost=options.max_cost)
        done = {} if self._resumed is None else self._resumed.places
        self._pending = (index for index in range(plan.total) if index not in done)
        self._next = next(self._pending, None)
        self.trace = RunTrace(evaluation=plan.evaluation.name, run_id=plan.id, trials=plan.total)
        self._interrupt: Callable[[], object] | None = None
        self._in_trial = False

    # Running

    def execute(self) -> Report:
        """Runs what is left and returns the report; where an event loop is running, in a thread of its own."""
        if _loop_is_running():
            return _in_thread(self._execute)
        return self._execute()

    async def execute_here(self) -> Report:
        """Does the same on the running loop."""
        from llmeval.concurrent import Concurrent

        with self._around():
            concurrent = Concurrent(self)
            self._interrupt = concurrent.interrupt
            await concurrent.run()
        return self._finish()

    def interrupt(self) -> None:
        """Starts nothing new and ends what is running; for a signal's handler, in the main thread.

        Raises:
            KeyboardInterrupt: a trial is running in this thread, and has to end.
        """
        self.stopping = self.stopping or INTERRUPTED
        self.interrupted = True
        if self._interrupt is not None:
            self._interrupt()
        elif self._in_trial:
            raise KeyboardInterrupt

    def _execute(self) -> Report:
        if self.plan.options.concurrency == 1 and self.plan.timeout is None:
            return self._execute_inline()
        import asyncio

        return asyncio.run(self.execute_here())

    def _execute_inline(self) -> Report:
        executor, base = Inline(), copy_context()
        lifespan = Lifespan(self.plan.evaluation.hook("lifespan"))
        with self._around():
            try:
                value = executor.run(Lane().call(lifespan.enter), base)
                while isinstance(index := self.next(), int):
                    self._run_inline(index, executor, base.copy(), value)
            finally:
                self._close(lambda function: executor.run(Lane().call(function), base), lifespan)
                executor.close()
        return self._finish()

    def _run_inline(self, index: int, executor: Inline, context: Any, lifespan: Any) -> None:
        case, repetition = self.plan.at(index)
        trial_run = TrialRun(self.plan, case, repetition, lifespan, Lane(), self.trace)
        self.begin(index)
        self._in_trial = True
        try:
            trial = executor.run(trial_run.run(), context)
        except (KeyboardInterrupt, Ended):
            self.interrupted = True
            self.stopping = INTERRUPTED
            self.leave_out(index, INTERRUPTED)
            return
        finally:
            self._in_trial = False
        self.finished(index, trial)

    # What trials are scheduled, and what became of them

    def next(self) -> int | Launch:
        """Returns the number of the next trial to launch, or LATER, or NEVER when nothing is left to launch."""
        while self._next is not None:
            launch = Launch.NEVER if self.stopping is not None else self._budget.launch()
            if launch is Launch.LATER:
                return launch
            index, self._next = self._next, next(self._pending, None)
            if launch is Launch.NOW:
                return index
            self._left_out[index] = self.stopping or self._budget.reason or "the run was stopped"
        return Launch.NEVER

    def leave_out(self, index: int, reason: str) -> None:
        """Records that a trial which was launched did not run to its end."""
        self._left_out[index] = reason
        self._budget.cancel()

    def begin(self, index: int) -> None:
        """Announces that a trial begins."""
        if self._subscribers:
            case, repetition = self.plan.at(index)
            name = self.plan.evaluation.name
            self._emit(TrialStarted(run_id=self.plan.id, evaluation=name, case=case.name, repetition=repetition))

    def finished(self, index: int, trial: Trial) -> None:
        """Records a finished trial, and announces it.

        Raises:
            Exception: whatever a receiver raised.
        """
        trial = self.store.add(index, trial)
        usage = trial.usage
        self._budget.finish(requests=usage.requests, cost=usage.cost, unpriced=usage.unpriced)
        if self._subscribers:
            self._emit(
                TrialFinished(
                    run_id=self.plan.id,
                    evaluation=self.plan.evaluation.name,
                    total=self.plan.total,
                    completed=self.store.summary.ran,
                    case=trial.case.name,
                    repetition=trial.repetition,
                    trial=trial,
                )
            )
        if self.plan.options.on_trial is not None:
            self.plan.options.on_trial(trial)

    def subscribe(self, subscriber: Subscriber) -> None:
        """Adds one that is called with each event."""
        self._subscribers.append(subscriber)

    def note(self, message: str, *, kept: bool = True) -> None:
        """Says something to the person at the terminal, and, where it is `kept`, in the report; once."""
        if message not in self.notes:
            if kept:
                self.notes.append(message)
            self._emit(Note(run_id=self.plan.id, evaluation=self.plan.evaluation.name, message=message))

    # Beginning and ending

    @contextmanager
    def _around(self) -> Iterator[None]:
        plan = self.plan
        for evaluator in plan.grading.evaluators:
            evaluator.note = self.note
        self._recall()
        if self.journal is not None:
            self.journal.begin(self._head())
        self._emit(self._announcement())
        for message in plan.notes:
            self._emit(Note(run_id=plan.id, evaluation=plan.evaluation.name, message=message))
        try:
            with capturing() as captured, self.trace:
                yield
                self._note_strays(captured.strays())
        except BaseException:
            self._emit(RunFinished(run_id=plan.id, evaluation=plan.evaluation.name, report=None))
            raise
        finally:
            if self.journal is not None:
                self.journal.close()

    def _note_strays(self, usage: Usage) -> None:
        if usage.requests:
            self.note(
                f"{usage.requests} model requests belong to no trial and are not in the figures: they were made between "
                "trials, or by a thread that was started before them"
            )

    def _recall(self) -> None:
        if self._resumed is None:
            return
        for index, trial, place in self._resumed.trials():
            self.store.recall(index, trial, place)
            self._budget.recall(requests=trial.usage.requests, cost=trial.usage.cost, unpriced=trial.usage.unpriced)

    def _announcement(self) -> RunStarted:
        plan = self.plan
        return RunStarted(
            run_id=plan.id,
            evaluation=plan.evaluation.name,
            total=plan.total,
            resumed=self.store.summary.ran,
            criteria=tuple(criterion.name for criterion in plan.grading.criteria),
            evaluators=tuple(group.key for group in plan.grading.groups),
            dataset=shown_path(plan, plan.dataset.path),
            params=plan.params,
        )

    def _head(self) -> dict[str, Any]:
        plan = self.plan
        return {
            "id": plan.id,
            "name": plan.evaluation.name,
            "started_at": self.started_at.isoformat(),
            "params": plan.params,
            "options": plan.options.to_json(),
            "definitions": plan.definitions,
            "environment": self.environment,
            "notes": list(self.notes),
        }

    def _close(self, call: Callable[[Callable[[], Any]], Any], lifespan: Lifespan) -> None:
        """Leaves the lifespan and frees the evaluators; what goes wrong is noted, since the trials are there."""
        for what, function in self._closings(lifespan):
            try:
                call(function)
            except Exception as error:  # noqa: BLE001 - the user's code; every other part is still closed
                self._note_failure(what, error)

    async def close_async(self, call: Callable[[Callable[[], Any]], Any], lifespan: Lifespan) -> None:
        """Does what `_close` does where `call` is to be awaited."""
        for what, function in self._closings(lifespan):
            try:
                await call(function)
            except Exception as error:  # noqa: BLE001 - as above
                self._note_failure(what, error)

    def _note_failure(self, what: str, error: Exception) -> None:
        self.note(f"{what} raised {type(error).__name__}: {message_of(error)}")

    def _closings(self, lifespan: Lifespan) -> Iterator[tuple[str, Callable[[], Any]]]:
        yield "the end of the lifespan", lifespan.leave
        for evaluator in self.plan.grading.evaluators:
            yield f"closing {evaluator.describe()}", evaluator.aclose

    def _finish(self) -> Report:
        report = self.report()
        self._emit(RunFinished(run_id=self.plan.id, evaluation=self.plan.evaluation.name, report=report))
        return report

    def report(self) -> Report:
        """Returns the report as far as the run has come."""
        plan = self.plan
        report = Report(
            id=plan.id,
            name=plan.evaluation.name,
            started_at=self.started_at,
            finished_at=datetime.now(UTC),
            definitions=plan.definitions,
            trials=self.store.trials,
            interrupted=self.interrupted,
            not_run=tuple(self._not_run()),
            params=plan.params,
            options=plan.options.to_json(),
            environment=self.environment,
            notes=tuple(self.notes),
        )
        report.__dict__["summary"] = self.store.summary
        return report

    def _not_run(self) -> Iterator[NotRun]:
        """Yields what was scheduled and has no trial; before a run's end that is also what is still to come."""
        if self.store.summary.ran + len(self._left_out) < self.plan.total:
            missing = (index for index in range(self.plan.total) if index not in self.store)
        else:
            missing = iter(sorted(self._left_out))
        for index in missing:
            yield NotRun(*self._named(index), self._left_out.get(index, self.stopping or INTERRUPTED))

    def _named(self, index: int) -> tuple[str, int]:
        case, repetition = self.plan.at(index)
        return case.name, repetition

    def _emit(self, event: Event) -> None:
        for subscriber in self._subscribers:
            subscriber(event)


def _loop_is_running() -> bool:
    import sys

    if "asyncio" not in sys.modules:  # nothing can be running, and importing it takes 50 ms
        return False
    import asyncio

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _in_thread(function: Callable[[], Report]) -> Report:
    """Returns what `function` returns, called in a thread of its own that sees the caller's context variables."""
    outcome: list[Report | BaseException] = []

    def work() -> None:
        try:
            outcome.append(function())
        except BaseException as error:  # noqa: BLE001 - it is raised again in the caller's thread
            outcome.append(error)

    thread = threading.Thread(target=copy_context().run, args=(work,), name="llmeval-run")
    thread.start()
    thread.join()
    if isinstance(outcome[0], BaseException):
        raise outcome[0]
    return outcome[0]
