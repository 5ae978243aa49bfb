"""Runs the trials of a plan, one after another or many at once, and makes the report."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import Context, copy_context
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from llmeval.announcer import Announcer
from llmeval.capture import capturing
from llmeval.environment import Probe
from llmeval.errors import ResumeError
from llmeval.evaluations import Evaluation
from llmeval.events import Subscriber
from llmeval.executors import Ended, Inline, Lane
from llmeval.failures import message_of
from llmeval.journal import Journal
from llmeval.lifespans import Lifespan
from llmeval.options import Options
from llmeval.plans import Plan, build_plan
from llmeval.report import Report
from llmeval.resuming import Resumed, resumed
from llmeval.schedule import INTERRUPTED, STOPPED, Schedule
from llmeval.store import Store
from llmeval.telemetry import RunTrace
from llmeval.trials import Trial
from llmeval.usage import Usage

__all__ = ["Run", "arun", "loop_is_running", "run"]


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
        self.started_at = datetime.now(UTC)
        self.announcer = Announcer(plan)
        path = None if plan.options.journal is None else Path(plan.options.journal)
        project, file = plan.evaluation.project, plan.evaluation.file
        self._probe = Probe(project, file, resumable=path is not None)
        self._resumed = self._take_up(path)
        self.journal = None if path is None else Journal(path)
        self.store = Store(plan.total, self.journal, keep=plan.options.keep)
        self.schedule = Schedule(plan, () if self._resumed is None else self._resumed.places)
        self.trace = RunTrace(evaluation=plan.evaluation.name, run_id=plan.id, trials=plan.total)
        self._interrupt: Callable[[], object] | None = None
        self._in_trial = False
        self._begun = False

    def _take_up(self, path: Path | None) -> Resumed | None:
        if path is None:
            return None
        if not self.plan.options.resume:
            if path.exists():
                raise ResumeError(f"{path} exists: give the run another id, or resume it")
            return None
        found = resumed(path, self.plan, self._probe.known())
        self.started_at = found.started_at
        self.announcer.notes += found.notes
        return found

    # Running

    def begin(self) -> None:
        """Begins the journal, if it has not begun: a run that came no further can be resumed, too."""
        if self.journal is not None and not self._begun:
            self._begun = True
            self.journal.begin(self._head())

    def execute(self) -> Report:
        """Runs what is left and returns the report; where an event loop is running, in a thread of its own."""
        if loop_is_running():
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
        self.schedule.stop(INTERRUPTED)
        self.interrupted = True
        if self._interrupt is not None:
            self._interrupt()
        elif self._in_trial:
            raise KeyboardInterrupt

    def _execute(self) -> Report:
        if self.plan.options.concurrency == 1 and self.plan.timeout is None:
            return self._execute_inline()
        from llmeval import loops

        return loops.run(self.execute_here())

    def _execute_inline(self) -> Report:
        executor, base = Inline(), copy_context()
        lifespan = Lifespan(self.plan.lifespan, self.plan.evaluation.name)
        with self._around():
            try:
                value = executor.run(Lane().call(lifespan.enter), base)
                while isinstance(index := self.schedule.next(), int):
                    self._run_inline(index, executor, base.copy(), value)
            finally:
                self._close(lambda function: executor.run(Lane().call(function), base), lifespan)
                executor.close()
        return self._finish()

    def _run_inline(self, index: int, executor: Inline, context: Context, lifespan: Any) -> None:
        trial_run = self.plan.trial_run(index, lifespan, Lane(), self.trace)
        self.announcer.trial_started(index)
        self._in_trial = True
        try:
            trial = executor.run(trial_run.run(), context)
        except (KeyboardInterrupt, Ended):
            self.interrupted = True
            self.schedule.stop(INTERRUPTED)
            self.schedule.leave_out(index)
            return
        finally:
            self._in_trial = False
        self.finished(index, trial)

    def finished(self, index: int, trial: Trial) -> None:
        """Records a finished trial, and announces it.

        Raises:
            Exception: whatever a receiver raised.
        """
        trial = self.store.add(index, trial)
        self.schedule.finish(self.plan.spent(trial))
        try:
            self.announcer.trial_finished(trial, self.store.summary.ran)
        except BaseException:
            self.schedule.stop(STOPPED)
            raise

    def subscribe(self, subscriber: Subscriber) -> None:
        """Adds one that is called with each event."""
        self.announcer.subscribers.append(subscriber)

    # Beginning and ending

    @contextmanager
    def _around(self) -> Iterator[None]:
        for evaluator in self.plan.grading.evaluators:
            evaluator.note = self.announcer.note
            if self.plan.options.concurrency == "auto":
                evaluator.find_limit()
        self._recall()
        self.begin()
        try:
            self.announcer.started(self.store.summary.ran)
            with capturing() as captured, self.trace:
                yield
                self._note_strays(captured.strays())
        except BaseException:
            self.announcer.finished(None)
            self.abandon()
            raise
        finally:
            if self.journal is not None:
                self.journal.close()

    def abandon(self) -> None:
        """Takes back a journal in which no trial stands, so that the run's id is free again."""
        if self.journal is not None and not self.store.summary.ran:
            self.journal.close()
            self.journal.path.unlink(missing_ok=True)

    def _note_strays(self, usage: Usage) -> None:
        if usage.requests:
            self.announcer.note(
                f"{usage.requests} model requests belong to no trial and are not in the figures: "
                "they were made between trials, or by a thread that was started before them"
            )

    def _recall(self) -> None:
        if self._resumed is not None:
            for index, trial, place in self._resumed.trials():
                self.store.recall(index, trial, place)
                self.schedule.recall(self.plan.spent(trial))

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

    def _closings(self, lifespan: Lifespan) -> Iterator[tuple[str, Callable[[], Any]]]:
        if lifespan.declared:
            yield "the end of the lifespan", lifespan.leave
        for evaluator in self.plan.grading.evaluators:
            yield f"closing {evaluator.describe()}", evaluator.aclose

    def _note_failure(self, what: str, error: Exception) -> None:
        self.announcer.note(f"{what} raised {type(error).__name__}: {message_of(error)}")

    def _finish(self) -> Report:
        report = self.report()
        self.announcer.finished(report)
        return report

    def report(self) -> Report:
        """Returns the report as far as the run has come."""
        head = self._head()
        report = Report(
            **{**head, "started_at": self.started_at, "notes": tuple(head["notes"])},
            finished_at=datetime.now(UTC),
            trials=self.store.trials,
            interrupted=self.interrupted,
            not_run=(*self.schedule.not_run(self.store, self.store.summary.ran), *self.plan.never_run),
        )
        self.store.summary.order(criterion.name for criterion in self.plan.grading.criteria)
        report.__dict__["summary"] = self.store.summary  # counted already, and the trials may be in the journal only
        return report

    def _head(self) -> dict[str, Any]:
        """Returns what is known when the run starts, secrets masked; the journal begins with it."""
        plan = self.plan
        head, _ = self.store.masker.mask_json(self._known(plan))
        return dict(head)

    def _known(self, plan: Plan) -> dict[str, Any]:
        return {
            "id": plan.id,
            "name": plan.evaluation.name,
            "started_at": self.started_at.isoformat(),
            "params": plan.params,
            "options": plan.saved_options(),
            "definitions": plan.definitions,
            "environment": self._probe.known(),
            "notes": list(self.announcer.notes),
        }


def loop_is_running() -> bool:
    """Returns whether an event loop is running in this thread."""
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
