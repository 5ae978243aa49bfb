"""Counts assertions, for the trial that makes them.

Instrumented code calls `passed` and `failed` of this module; it is imported by every evaluation, so it stays small.
"""

from __future__ import annotations

import sys
from contextvars import ContextVar, Token
from types import TracebackType
from typing import Final

__all__ = ["CURRENT", "Tally", "counting", "failed", "passed"]


class Tally:
    """How many assertions one trial has made; failed ones count too."""

    __slots__ = ("count",)

    def __init__(self) -> None:
        self.count = 0


CURRENT: Final[ContextVar[Tally | None]] = ContextVar("llmeval_tally", default=None)
"""The tally of the trial that runs in this context; `None` outside of trials, where nothing is counted."""


class counting:  # reads as a function: `with counting() as tally`
    """Counts the assertions made in its block, on a tally of its own or on the one it is given."""

    __slots__ = ("_tally", "_token")
    _token: Token[Tally | None]

    def __init__(self, tally: Tally | None = None) -> None:
        self._tally = Tally() if tally is None else tally

    def __enter__(self) -> Tally:
        self._token = CURRENT.set(self._tally)
        return self._tally

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        CURRENT.reset(self._token)


def passed() -> None:
    """Counts one assertion."""
    tally = CURRENT.get()
    if tally is not None:
        tally.count += 1


def failed(expression: str, values: tuple[object, ...], *message: object) -> AssertionError:
    """Counts one assertion and returns its failure, for the caller to raise.

    `expression` is the source of what was asserted; `values` holds what its parts were, numbered as `Parts` does, with
    `...` for those that were not evaluated. `message` is the author's own, if any.
    """
    passed()
    caller = sys._getframe(1)
    from llmeval.assertions.explanation import failure_text  # only failures pay for it

    return AssertionError(failure_text(expression, values, message, caller.f_code.co_filename, caller.f_lineno))
