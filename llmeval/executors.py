"""Where a trial's code runs: in the caller's thread, in a thread of the run, or on the run's event loop.

A trial is a coroutine that calls the user's code through its *lane*. A lane runs synchronous code in the trial's one
thread and awaits what it returns on the run's event loop, always in the trial's one `contextvars.Context`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Generator
from contextvars import Context
from types import CoroutineType
from typing import TYPE_CHECKING, Any, TypeVar

from llmeval.callables import is_async

if TYPE_CHECKING:
    import asyncio
    from concurrent.futures import Future

    from llmeval.threads import Threads, Worker

__all__ = ["Ended", "Inline", "Interrupted", "Lane", "LoopLane", "ThreadLane", "TimedOut", "awaitable"]

T = TypeVar("T")


class Ended(BaseException):
    """Thrown into a trial that must end; not an Exception, so that no handler of the user's takes it."""


class TimedOut(Ended):
    """The trial's time is up."""


class Interrupted(Ended):
    """The run was interrupted."""


class Suspend:
    """What a trial's coroutine yields to its driver: something to await on the run's loop."""

    __slots__ = ("value",)

    def __init__(self, value: Awaitable[Any]) -> None:
        self.value = value

    def __await__(self) -> Generator[Suspend, Any, Any]:
        return (yield self)


class Raised:
    """An exception as a value, since a loop would end at SystemExit and a future refuses StopIteration."""

    __slots__ = ("error",)

    def __init__(self, error: BaseException) -> None:
        self.error = error


def awaitable(value: object) -> bool:
    """Returns whether `value` can be awaited."""
    return hasattr(type(value), "__await__")


class Lane:
    """One trial's way to call the user's code; this one runs it where it stands."""

    ending: type[Ended] | None = None
    interruptible = True
    """Whether a KeyboardInterrupt in the user's code is a Ctrl-C: it is in the main thread."""
    busy = False
    """Whether synchronous code is running, which cannot be cancelled."""

    async def call(self, function: Callable[..., Any], *args: Any) -> Any:
        """Returns what `function(*args)` gives, awaited if it is an awaitable.

        Raises:
            Ended: the trial has to end.
            BaseException: whatever the function raised.
        """
        self.busy = True
        try:
            self.check()
            value = function(*args)
        finally:
            self.busy = False
            self.check()
        return _open(await Suspend(value)) if awaitable(value) else value

    def check(self) -> None:
        """Raises `ending`, once."""
        if self.ending is not None:
            ending, self.ending = self.ending, None
            raise ending


class Inline:
    """Runs trials one after another in the caller's thread, where no event loop runs but while something is awaited."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None

    def run(self, trial: Coroutine[Any, Any, T], context: Context) -> T:
        """Returns what the trial's coroutine returns."""
        return _drive(trial, context, lambda value: self.wait(value, context))

    def wait(self, value: Awaitable[T], context: Context) -> T:
        """Returns what `value` gives, awaited on this executor's loop; an interruption cancels it first."""
        import asyncio

        if self._loop is None:
            self._loop = asyncio.new_event_loop()
        task = self._loop.create_task(_boxed(value), context=context)
        try:
            result: T = _open(self._loop.run_until_complete(task))
            return result
        except BaseException:
            if not task.done():
                task.cancel()
                self._loop.run_until_complete(asyncio.gather(task, return_exceptions=True))
            raise

    def close(self) -> None:
        """Ends the loop, if one was needed."""
        if self._loop is not None:
            from llmeval.loops import close

            loop, self._loop = self._loop, None
            close(loop)


class TaskLane(Lane):
    """A lane whose awaitables are tasks of the run's loop, so that they can be cancelled."""

    interruptible = False
    task: asyncio.Task[Any] | None = None

    def end(self, how: type[Ended]) -> bool:
        """Ends the trial, on the loop's thread; returns false while synchronous code keeps it from ending."""
        self.ending = how
        if self.task is not None:
            self.task.cancel()
            return True
        return not self.busy


class ThreadLane(TaskLane):
    """A trial in a thread of its own: one hop there, and one to the loop for each thing to await."""

    def __init__(self, loop: asyncio.AbstractEventLoop, context: Context) -> None:
        self._loop = loop
        self._context = context

    def drive(self, trial: Coroutine[Any, Any, T]) -> T:
        """Returns what the trial's coroutine returns; called in the trial's thread."""
        return _drive(trial, self._context, self._wait)

    def _wait(self, value: Awaitable[Any]) -> Any:
        from concurrent.futures import Future

        future: Future[Any] = Future()
        self._loop.call_soon_threadsafe(self._start, value, future)
        result = future.result()
        self.check()
        return _open(result)

    def _start(self, value: Awaitable[Any], future: Future[Any]) -> None:
        task = self.task = self._loop.create_task(_boxed(value), context=self._context)
        if self.ending is not None:
            task.cancel()
        task.add_done_callback(lambda _: self._done(task, value, future))

    def _done(self, task: asyncio.Task[Any], value: Awaitable[Any], future: Future[Any]) -> None:
        self.task = None
        if task.cancelled():
            import asyncio

            _discard(value)
            future.set_result(Raised(asyncio.CancelledError()))
        else:
            future.set_result(task.result())


class LoopLane(TaskLane):
    """A trial on the run's loop; its synchronous code hops to one thread that is borrowed when first needed."""

    def __init__(self, threads: Threads, context: Context) -> None:
        self._threads = threads
        self._context = context
        self._worker: Worker | None = None

    async def drive(self, trial: Coroutine[Any, Any, T]) -> T:
        """Returns what the trial's coroutine returns; it must run in a task whose context is the trial's."""
        try:
            return await trial
        finally:
            if self._worker is not None:
                self._threads.give_back(self._worker)
                self._worker = None

    async def call(self, function: Callable[..., Any], *args: Any) -> Any:
        """As `Lane.call`."""
        self.check()
        value = function(*args) if is_async(function) else await self._hop(function, *args)
        return await self._wait(value) if awaitable(value) else value

    async def _hop(self, function: Callable[..., Any], *args: Any) -> Any:
        import asyncio

        loop = asyncio.get_running_loop()
        landed: asyncio.Future[Any] = loop.create_future()
        self.busy = True
        # Sent when this step has left the trial's context, which only one thread can be in.
        loop.call_soon(self._send, loop, landed, function, args)
        try:
            value = await landed
        finally:
            self.busy = False
            self.check()
        return _open(value)

    def _send(
        self, loop: asyncio.AbstractEventLoop, landed: asyncio.Future[Any], function: Callable[..., Any], args: Any
    ) -> None:
        if self._worker is None:
            self._worker = self._threads.borrow()

        def land(done: Future[Any]) -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(_settle, landed, done.result())

        self._worker.submit(self._context.run, _caught, function, args).add_done_callback(land)

    async def _wait(self, value: Awaitable[Any]) -> Any:
        import asyncio

        # Awaited where it stands: a task of its own would wait for its turn in the loop three times.
        task = self.task = asyncio.current_task()
        try:
            return await value
        finally:
            self.task = None
            while task is not None and task.cancelling():
                task.uncancel()  # by `end`, or by the application itself; the trial goes on to its teardown
            self.check()


def _drive(trial: Coroutine[Any, Any, T], context: Context, wait: Callable[[Awaitable[Any]], Any]) -> T:
    value: Any = None
    while True:
        try:
            suspend: Suspend = context.run(trial.send, value)
        except StopIteration as stop:
            result: T = stop.value
            return result
        try:
            value = wait(suspend.value)
        except BaseException as error:  # noqa: BLE001 - it belongs to the trial, which awaited
            # Sent rather than thrown: a GeneratorExit that is thrown would close the trial instead of reaching it.
            value = Raised(error)


async def _boxed(value: Awaitable[Any]) -> Any:
    import asyncio

    try:
        return await value
    except asyncio.CancelledError as error:
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            raise
        return Raised(error)
    except BaseException as error:  # noqa: BLE001 - it is raised again in the trial
        return Raised(error)


def _discard(value: Awaitable[Any]) -> None:
    """Closes a coroutine whose task was cancelled before it began, so that Python does not call it forgotten."""
    if isinstance(value, CoroutineType):
        value.close()


def _caught(function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    try:
        return function(*args)
    except BaseException as error:  # noqa: BLE001 - it is raised again in the trial
        return Raised(error)


def _settle(landed: asyncio.Future[Any], value: Any) -> None:
    if not landed.done():
        landed.set_result(value)


def _open(value: Any) -> Any:
    if isinstance(value, Raised):
        raise value.error
    return value
