"""Threads that a run owns: one trial's synchronous code stays on one of them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Any

__all__ = ["Threads", "Worker"]


class Worker:
    """One daemon thread that runs what it is given, in order; a process may end while it is still busy."""

    def __init__(self, name: str) -> None:
        self._queue: SimpleQueue[tuple[Callable[..., Any], tuple[Any, ...], Future[Any]] | None] = SimpleQueue()
        threading.Thread(target=self._work, name=name, daemon=True).start()

    def submit(self, function: Callable[..., Any], *args: Any) -> Future[Any]:
        """Runs `function(*args)` on the thread; the future holds what it returned or raised."""
        future: Future[Any] = Future()
        self._queue.put((function, args, future))
        return future

    def stop(self) -> None:
        """Ends the thread when it has done what it was given."""
        self._queue.put(None)

    def _work(self) -> None:
        while (job := self._queue.get()) is not None:
            function, args, future = job
            try:
                value = function(*args)
            except BaseException as error:  # noqa: BLE001 - whatever it was belongs to who waits for the future
                future.set_exception(error)
            else:
                future.set_result(value)
            del job, function, args, future


class Threads:
    """A run's workers, made when they are needed and lent to one trial at a time."""

    def __init__(self) -> None:
        self._free: list[Worker] = []
        self._made = 0
        self._closed = False

    def borrow(self) -> Worker:
        """Returns a worker that nobody else uses."""
        if self._free:
            return self._free.pop()
        self._made += 1
        return Worker(f"llmeval-trial-{self._made}")

    def give_back(self, worker: Worker) -> None:
        """Takes a worker that is idle again."""
        if self._closed:
            worker.stop()
        else:
            self._free.append(worker)

    def close(self) -> None:
        """Ends the idle threads; one that is still busy ends when it is given back."""
        self._closed = True
        for worker in self._free:
            worker.stop()
        self._free.clear()
