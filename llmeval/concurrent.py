"""Runs many trials at once on an event loop: each in a thread of its own, or as a task where `perform` is async."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextvars import copy_context
from typing import TYPE_CHECKING, Any, Final

from llmeval.callables import is_async
from llmeval.executors import Ended, Interrupted, LoopLane, ThreadLane, TimedOut
from llmeval.lifespans import Lifespan
from llmeval.limits import AdaptiveLimit, Launch
from llmeval.schedule import INTERRUPTED, STOPPED
from llmeval.threads import Threads, Worker
from llmeval.trials import Trial

if TYPE_CHECKING:
    from llmeval.runner import Run
    from llmeval.trial_runner import TrialRun

__all__ = ["Concurrent"]

WIDEST: Final = 512
"""Trials under way at most where the concurrency finds its own limit; most of them wait for a grader then."""

IDLE: Final = 0.02
"""Seconds after which the first trials are usually waiting for their models, so that there is time for other work."""

GRACE: Final = 2.0
"""Seconds that code which was cancelled may take to clean up before its trial is given up."""


class Flight:
    """A trial under way: its lane, what awaits it, and whether it was given up."""

    def __init__(self, trial_run: TrialRun, lane: ThreadLane | LoopLane, timeout: float | None) -> None:
        self.trial_run = trial_run
        self.lane = lane
        self.landed: asyncio.Future[Any]
        self._loop = asyncio.get_running_loop()
        self.given_up: asyncio.Future[None] = self._loop.create_future()
        self._timers: list[asyncio.TimerHandle] = []
        self._timeout = timeout
        self._try: int | None = None
        self.on_performed: Callable[[], object] | None = None
        """Called on the loop's thread when the application's part of a try is over."""
        trial_run.on_try, trial_run.on_performed = self._on_try, self._on_performed

    def end(self, how: type[Ended]) -> None:
        """Ends the trial; one that does not end in time is given up, at once where synchronous code keeps it."""
        self._later(GRACE if self.lane.end(how) or how is Interrupted else 0, self.give_up)

    def give_up(self) -> None:
        """Goes on without the trial's code, which may still be running."""
        if not self.given_up.done():
            self.given_up.set_result(None)

    def close(self) -> None:
        """Cancels its timers."""
        for timer in self._timers:
            timer.cancel()

    def _on_try(self) -> None:
        if self._timeout is not None:
            self._try = number = self.trial_run.retries
            self._loop.call_soon_threadsafe(self._later, self._timeout, self._expire, number)

    def _on_performed(self) -> None:
        self._try = None
        if self.on_performed is not None:
            self._loop.call_soon_threadsafe(self.on_performed)

    def _expire(self, number: int) -> None:
        if self._try == number:
            self.end(TimedOut)

    def _later(self, seconds: float, function: Callable[..., None], *args: Any) -> None:
        self._timers.append(self._loop.call_later(seconds, function, *args))


class Place:
    """A trial's place among those whose application runs at the same time; grading has limits of its own."""

    def __init__(self, limit: AdaptiveLimit | None) -> None:
        self._limit = limit
        self._held = False

    async def take(self) -> None:
        """Waits for the place."""
        if self._limit is not None:
            await self._limit.__aenter__()
            self._held = True

    def performed(self, trial_run: TrialRun) -> None:
        """Frees the place when the application is done, and tells the limit that the provider took its requests."""
        recorder = trial_run.recorder
        if self._limit is not None and self._held and recorder.usage.requests and not recorder.throttled:
            self._limit.ok()
        self.leave()

    def throttled(self) -> None:
        """Tells the limit of a refusal at once: the SDK goes on asking, and the trial may take long to end."""
        if self._limit is not None and self._held:
            self._limit.throttled()

    def leave(self) -> None:
        """Frees the place, once."""
        if self._limit is not None and self._held:
            self._held = False
            self._limit.release()


class Concurrent:
    """The trials of a run, as many at once as its concurrency says."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._plan = run.plan
        self._loop = asyncio.get_running_loop()
        self._threads = Threads()
        self._base = copy_context()
        self._native = is_async(self._plan.evaluation.target_function)
        self._flights: dict[int, Flight] = {}
        self._given_up: list[Flight] = []
        self._landing = asyncio.Event()
        self._limit = AdaptiveLimit(maximum=WIDEST) if self._plan.options.concurrency == "auto" else None
        self._lifespan: Any = None

    async def run(self) -> None:
        """Runs what is pending.

        Raises:
            Exception: whatever a receiver of trials raised; what was in flight is torn down.
            CancelledError: the task was cancelled, and the run is not one that reports interruptions itself.
        """
        lifespan = Lifespan(self._plan.lifespan, self._plan.evaluation.name)
        worker: Worker | None = None

        async def call(function: Callable[[], Any]) -> Any:
            nonlocal worker
            if is_async(function):
                return await function()
            worker = worker or self._threads.borrow()
            lane = ThreadLane(self._loop, self._base)
            return await asyncio.wrap_future(worker.submit(lane.drive, lane.call(function)))

        try:
            if lifespan.declared:
                self._lifespan = await call(lifespan.enter)
            await self._run_all()
        finally:
            await self._close(call, lifespan)
            if worker is not None:
                self._threads.give_back(worker)
            self._threads.close()

    def interrupt(self) -> None:
        """Ends every trial in flight; callable from a signal's handler."""
        self._loop.call_soon_threadsafe(self._end_all)

    async def _run_all(self) -> None:
        tasks = [self._loop.create_task(self._work()) for _ in range(self._width())]
        self._loop.call_later(IDLE, self._plan.prepare)
        try:
            await self._all(tasks)
        except BaseException:
            self._run.schedule.stop(STOPPED)
            self._end_all()
            await asyncio.wait(tasks)
            for task in tasks:
                _ignore(task)
            raise

    async def _all(self, tasks: list[asyncio.Task[None]]) -> None:
        """Waits for all, or for the first that raises; the task's own cancellation interrupts the run."""
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
        except asyncio.CancelledError:
            self._run.interrupted = True
            self._run.schedule.stop(INTERRUPTED)
            self._end_all()
            done, _ = await asyncio.wait(tasks)
        for task in done:
            task.result()

    async def _work(self) -> None:
        while True:
            place = Place(self._limit)
            await place.take()
            try:
                index = self._run.schedule.next()
                if isinstance(index, int):
                    await self._fly(index, place)
            finally:
                place.leave()
            if index is Launch.NEVER:
                return
            if index is Launch.LATER:
                await self._landing.wait()
            else:
                self._landing.set()
                self._landing = asyncio.Event()

    async def _fly(self, index: int, place: Place) -> None:
        flight = self._launch(index)
        if self._limit is not None:
            flight.on_performed = lambda: place.performed(flight.trial_run)
        flight.trial_run.recorder.on_throttled = place.throttled
        try:
            await asyncio.wait([flight.landed, flight.given_up], return_when=asyncio.FIRST_COMPLETED)
        finally:
            flight.close()
            del self._flights[index]
        if not flight.landed.done():
            self._give_up(index, flight)
        elif isinstance(error := flight.landed.exception(), Ended):
            self._run.schedule.leave_out(index)
        elif error is not None:
            raise error
        else:
            trial: Trial = flight.landed.result()
            self._run.finished(index, trial)

    def _launch(self, index: int) -> Flight:
        context = self._base.copy()
        lane = LoopLane(self._threads, context) if self._native else ThreadLane(self._loop, context)
        trial_run = self._plan.trial_run(index, self._lifespan, lane, self._run.trace)
        flight = self._flights[index] = Flight(trial_run, lane, self._plan.timeout)
        self._run.announcer.trial_started(index)
        if isinstance(lane, LoopLane):
            flight.landed = self._loop.create_task(lane.drive(trial_run.run()), context=context)
        else:
            worker = self._threads.borrow()
            flight.landed = asyncio.wrap_future(worker.submit(lane.drive, trial_run.run()))
            flight.landed.add_done_callback(lambda _: self._threads.give_back(worker))
        return flight

    def _give_up(self, index: int, flight: Flight) -> None:
        self._given_up.append(flight)
        flight.landed.add_done_callback(_ignore)
        if self._run.schedule.stopped is not None:
            self._run.schedule.leave_out(index)
            return
        flight.trial_run.time_out()
        self._run.finished(index, flight.trial_run.trial())

    def _end_all(self) -> None:
        for flight in self._flights.values():
            flight.end(Interrupted)

    async def _close(self, call: Callable[[Callable[[], Any]], Any], lifespan: Lifespan) -> None:
        await self._wait_for_teardowns()
        await self._run.close_async(call, lifespan)

    async def _wait_for_teardowns(self) -> None:
        late = [flight.landed for flight in self._given_up if not flight.landed.done()]
        if late:
            await asyncio.wait(late, timeout=GRACE / 4)
        for flight in self._given_up:
            if not flight.landed.done():
                case, repetition = flight.trial_run.case.name, flight.trial_run.repetition
                self._run.announcer.note(
                    f"case {case!r}, repetition {repetition}, was not torn down: "
                    "its function had not returned when the run ended"
                )

    def _width(self) -> int:
        concurrency = self._plan.options.concurrency
        return min(WIDEST if concurrency == "auto" else int(concurrency), self._plan.total)


def _ignore(future: asyncio.Future[Any]) -> None:
    """Takes the exception of a trial that nobody waits for any more."""
    if not future.cancelled():
        future.exception()
