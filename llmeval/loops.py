"""Event loops that end, whatever the application left running on them."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, Final, TypeVar

__all__ = ["close", "run", "stuck"]

T = TypeVar("T")

GRACE: Final = 2.0
"""Seconds that tasks which are cancelled at the end, and threads of the loop's executor, are waited for."""


stuck: Final[list[asyncio.Task[Any]]] = []
"""Tasks that did not end when they were cancelled; kept, since Python would complain when it collects them."""


def run(main: Coroutine[Any, Any, T]) -> T:
    """Returns what `main` returns, run on a loop of its own; unlike `asyncio.run` it does not wait for ever at the end.

    In the main thread a Ctrl-C cancels `main`, as `asyncio.run` has it; a second one raises KeyboardInterrupt.
    """
    loop = asyncio.new_event_loop()
    task = loop.create_task(main)
    try:
        with _cancelling(loop, task):
            return loop.run_until_complete(task)
    finally:
        close(loop)


def close(loop: asyncio.AbstractEventLoop) -> None:
    """Cancels what is left on the loop, waits a moment for it, and closes the loop."""
    try:
        left = asyncio.all_tasks(loop)
        for task in left:
            task.cancel()
        if left:
            loop.run_until_complete(asyncio.wait(left, timeout=GRACE))
        for task in left:
            if not task.done():
                stuck.append(task)
                task._log_destroy_pending = False  # type: ignore[attr-defined]  # it would not end, which was said
            elif not task.cancelled():
                task.exception()
        _end_executor(loop)
        loop.run_until_complete(loop.shutdown_asyncgens())
    finally:
        loop.close()


def _end_executor(loop: asyncio.AbstractEventLoop) -> None:
    """Ends the loop's own executor without waiting for a function that does not return."""
    executor = getattr(loop, "_default_executor", None)
    if executor is not None:
        ending = threading.Thread(target=executor.shutdown, kwargs={"cancel_futures": True}, daemon=True)
        ending.start()
        ending.join(GRACE)


@contextmanager
def _cancelling(loop: asyncio.AbstractEventLoop, task: asyncio.Task[Any]) -> Iterator[None]:
    """Lets the first SIGINT cancel `task`, where nobody else took the signal."""
    main = threading.current_thread() is threading.main_thread()
    if not main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return

    def interrupt(number: int, frame: object) -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        loop.call_soon_threadsafe(task.cancel)

    signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
