"""A context manager around a whole run, as the user declared it: synchronous, asynchronous, or a generator function."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

from llmeval.callables import wrapped
from llmeval.errors import LifespanError
from llmeval.failures import message_of

__all__ = ["Lifespan"]


class Lifespan:
    """Enters and leaves what a lifespan function gives; without a function it does nothing.

    `enter` and `leave` return a value or an awaitable of it, as a trial's hooks do.
    """

    def __init__(self, function: Callable[..., Any] | None, name: str) -> None:
        self._function = function
        self._name = name
        self._manager: Any = None

    @property
    def declared(self) -> bool:
        """Whether there is anything to enter."""
        return self._function is not None

    def enter(self) -> Any:
        """Returns the context manager's value, or an awaitable of it.

        Raises:
            LifespanError: the function gives no context manager, or it raised.
        """
        if self._function is None:
            return None
        try:
            manager = self._made(self._function)
            if hasattr(type(manager), "__enter__"):
                value = manager.__enter__()
            elif hasattr(type(manager), "__aenter__"):
                value = self._entered(manager)
            else:
                raise TypeError(f"{manager!r} is not a context manager: yield once, or return one")
        except Exception as error:
            raise self._failed(error) from error
        self._manager = manager
        return value

    async def _entered(self, manager: Any) -> Any:
        try:
            return await manager.__aenter__()
        except Exception as error:
            self._manager = None
            raise self._failed(error) from error

    def _failed(self, error: Exception) -> LifespanError:
        words = " ".join(message_of(error).split())
        return LifespanError(f"{self._name}: the lifespan raised {type(error).__name__}: {words}")

    def leave(self) -> Any:
        """Leaves the context manager, if it was entered."""
        manager, self._manager = self._manager, None
        if manager is None:
            return None
        if hasattr(type(manager), "__exit__"):
            return manager.__exit__(None, None, None)
        return manager.__aexit__(None, None, None)

    @staticmethod
    def _made(function: Callable[..., Any]) -> Any:
        flags = getattr(getattr(wrapped(function), "__code__", None), "co_flags", 0)
        if flags & 0x20:
            return contextlib.contextmanager(function)()
        if flags & 0x200:
            return contextlib.asynccontextmanager(function)()
        return function()
