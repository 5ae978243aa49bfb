"""How much may happen at once, and in all: concurrency that finds a server's limit, and budgets."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from enum import Enum
from typing import Self

__all__ = ["AdaptiveLimit", "Budget", "FixedLimit", "Launch"]


class _Turn:
    """Somebody's place in the queue; `wake` returns false when nobody waits there any more."""

    def __init__(self, wake: Callable[[], bool]) -> None:
        self.wake = wake
        self.granted = False


class FixedLimit:
    """At most `size` at once, for tasks of any event loop (`async with`) and threads (`with`), in their order."""

    def __init__(self, size: int) -> None:
        self._size = float(size)
        self._active = 0
        self._waiting: deque[_Turn] = deque()
        self._lock = threading.Lock()

    @property
    def size(self) -> int:
        """How many may be active at once now."""
        return max(1, int(self._size))

    @property
    def active(self) -> int:
        """How many are active."""
        return self._active

    def ok(self) -> None:
        """Tells that the server answered."""

    def throttled(self) -> None:
        """Tells that the server refused for want of capacity (429, 503 or 529); call it before leaving."""

    def __enter__(self) -> Self:
        granted = threading.Event()

        def wake() -> bool:
            granted.set()
            return True

        turn = _Turn(wake)
        if not self._enter(turn):
            try:
                granted.wait()
            except BaseException:  # Ctrl-C while waiting: the place goes to the next
                self._give_up(turn)
                raise
        return self

    def __exit__(self, *_: object) -> None:
        self.release()

    async def __aenter__(self) -> Self:
        if not self._enter(None):
            await self._wait()
        return self

    async def __aexit__(self, *_: object) -> None:
        self.release()

    async def _wait(self) -> None:
        import asyncio  # loaded where a loop runs; `llmeval cases` reads this module without one

        loop, thread = asyncio.get_running_loop(), threading.get_ident()
        granted: asyncio.Future[None] = loop.create_future()

        def settle() -> None:
            if not granted.done():
                granted.set_result(None)

        def wake() -> bool:
            if granted.cancelled() or loop.is_closed():
                return False
            if threading.get_ident() == thread:
                settle()
            else:
                loop.call_soon_threadsafe(settle)
            return True

        turn = _Turn(wake)
        if self._enter(turn):
            return
        try:
            await granted
        except BaseException:  # cancelled while waiting: the place goes to the next
            self._give_up(turn)
            raise

    def _enter(self, turn: _Turn | None) -> bool:
        """Returns whether there was a place; otherwise `turn` waits for one."""
        with self._lock:
            if self._active < self.size and not self._waiting:
                self._active += 1
                return True
            if turn is not None:
                self._waiting.append(turn)
            return False

    def release(self) -> None:
        """Frees a place that was entered, where a `with` block does not fit."""
        with self._lock:
            self._active -= 1
            self._admit()

    def _give_up(self, turn: _Turn) -> None:
        with self._lock:
            if turn.granted:
                self._active -= 1
            elif turn in self._waiting:
                self._waiting.remove(turn)
            self._admit()

    def _admit(self) -> None:
        while self._waiting and self._active < self.size:
            turn = self._waiting.popleft()
            turn.granted = turn.wake()
            self._active += turn.granted


class AdaptiveLimit(FixedLimit):
    """Grows while the server answers, halves when it refuses, and returns to just below where it refused.

    A burst of refusals halves once: what was in flight at the first one only tells how many the server took. From there
    a probe for more comes after some fifteen rounds of answers, so that few requests are refused. It does not grow
    while there is no demand.
    """

    FIRST = 0.6
    """Growth for each answer while no ceiling is known: sixty per cent in each round of answers."""

    AGAIN = 4.0
    """Growth for each answer below the known ceiling."""

    ROUNDS = 15
    """Rounds of answers for one more at the ceiling."""

    def __init__(self, start: int = 8, maximum: int = 512) -> None:
        super().__init__(min(start, maximum))
        self._maximum = maximum
        self._ceiling: float | None = None
        self._burst = 0
        self._pending = 0
        self._refused = 0

    def ok(self) -> None:
        with self._lock:
            if self._pending:
                self._settle()
            elif self._active >= self.size - 1 or self._waiting:
                self._grow()
                self._admit()

    def throttled(self) -> None:
        with self._lock:
            if self._pending:
                self._refused += 1
                self._settle()
                return
            self._burst, self._refused = max(self._active, 1), 1
            self._pending = self._burst - 1
            self._size = max(1.0, min(self._size, self._burst) / 2)
            if not self._pending:
                self._ceiling = 1.0

    def _settle(self) -> None:
        self._pending -= 1
        if not self._pending:
            self._ceiling = max(1.0, self._burst - self._refused)
            self._size = min(self._size, self._ceiling)

    def _grow(self) -> None:
        if self._ceiling is None:
            grown = self._size + self.FIRST
        elif self._size < self._ceiling:
            grown = min(self._size + self.AGAIN, self._ceiling)
        else:
            grown = self._size + 1 / (self.ROUNDS * self._size)
            if grown >= self._ceiling + 2:
                self._ceiling = None  # the server takes more than it did
        self._size = min(grown, self._maximum)


class Launch(Enum):
    """Whether another trial may start."""

    NOW = "now"
    LATER = "later"
    NEVER = "never"


class Budget:
    """At most so many requests, or US dollars, for the trials of a run; kept by one thread.

    The first trial runs alone, to see what one consumes. A trial starts when what is spent, what is in flight and it
    itself, each taken at the mean so far, stay within the budget: the overshoot is at most what was in flight.
    """

    def __init__(self, *, max_requests: int | None = None, max_cost: float | None = None) -> None:
        self._limits = {
            "requests": None if max_requests is None else float(max_requests),
            "cost": None if max_cost is None else max_cost,
        }
        self._spent = {"requests": 0.0, "cost": 0.0}
        self._finished = 0
        self._running = 0
        self.reason: str | None = None
        """Why no more trial starts, once that is so."""

    def launch(self) -> Launch:
        """Returns whether another trial may start now, perhaps later, or never; it is counted as started if now."""
        if self.reason is not None:
            return Launch.NEVER
        if self._bounded and not self._finished and self._running:
            return Launch.LATER
        exhausted = self._exhausted()
        if exhausted is None:
            self._running += 1
            return Launch.NOW
        if self._running:
            return Launch.LATER
        self.reason = exhausted
        return Launch.NEVER

    def finish(self, *, requests: int, cost: float | None, unpriced: Sequence[str] = ()) -> None:
        """Counts a trial that was started: its requests and its US dollars, `None` when they are unknown."""
        self._running -= 1
        self._finished += 1
        self._spent["requests"] += requests
        self._spent["cost"] += cost or 0.0
        if cost is None and requests and self._limits["cost"] is not None and self.reason is None:
            named = f"no price is known for {', '.join(unpriced)}" if unpriced else "a request did not tell its tokens"
            self.reason = f"--max-cost {self._limits['cost']:g}: {named}"

    def recall(self, *, requests: int, cost: float | None, unpriced: Sequence[str] = ()) -> None:
        """Counts a trial that an earlier part of the run finished."""
        self._running += 1
        self.finish(requests=requests, cost=cost, unpriced=unpriced)

    def cancel(self) -> None:
        """Forgets a trial that was started and did not run."""
        self._running -= 1

    @property
    def _bounded(self) -> bool:
        return any(limit is not None for limit in self._limits.values())

    def _exhausted(self) -> str | None:
        for name, limit in self._limits.items():
            if limit is None:
                continue
            spent = self._spent[name]
            mean = spent / self._finished if self._finished else 0.0
            # A hair's breadth for sums of prices such as 0.1 + 0.2.
            if spent + mean * (self._running + 1) > limit * (1 + 1e-9):
                return f"--max-{name} {limit:g}: {self._amount(name, spent)} spent, {self._amount(name, mean)} a trial"
        return None

    @staticmethod
    def _amount(name: str, amount: float) -> str:
        return f"${amount:.4g}" if name == "cost" else f"{amount:.4g} requests"
