"""Exceptions of the user's code as text, whatever they are."""

from __future__ import annotations

from types import TracebackType
from typing import Final

from llmeval.results import ErrorInfo

__all__ = ["error_info", "message_of"]

MAX_TRACEBACK: Final = 20_000
"""Characters of a traceback that are kept: its beginning and its end."""

_OTHER_LOOP: Final = (
    " (run() has an event loop of its own: for a client that was made in a running loop, such as a notebook's, write "
    "await evaluation.arun())"
)

_OWN: Final = __file__.removesuffix("failures.py")


def error_info(error: BaseException) -> ErrorInfo:
    """Returns `error` as text; the traceback begins at the first frame that is not llmeval's."""
    if isinstance(error, RuntimeError) and isinstance(error.__cause__, StopIteration):
        error = error.__cause__  # what a coroutine makes of a StopIteration that passes through it
    message = message_of(error)
    if isinstance(error, RuntimeError) and "different" in message and "loop" in message:
        message += _OTHER_LOOP
    return ErrorInfo(type=type(error).__name__, message=message, traceback=_traceback(error))


def message_of(error: BaseException) -> str:
    """Returns `str(error)`, or what can be said of it when that fails."""
    try:
        return str(error)
    except BaseException as failure:  # noqa: BLE001 - the exception's own __str__ is user code
        return f"<str() of the {type(error).__name__} raised {type(failure).__name__}>"


def _traceback(error: BaseException) -> str:
    import traceback

    try:
        lines = traceback.format_exception(type(error), error, _users(error.__traceback__))
        text = "".join(lines)
    except BaseException as failure:  # noqa: BLE001 - formatting calls the exception's own methods
        return f"<the traceback could not be written: {type(failure).__name__}>"
    if len(text) <= MAX_TRACEBACK:
        return text
    half = MAX_TRACEBACK // 2
    return f"{text[:half]}\n… {len(text) - MAX_TRACEBACK} characters left out …\n{text[-half:]}"


def _users(trace: TracebackType | None) -> TracebackType | None:
    first = trace
    while first is not None and first.tb_frame.f_code.co_filename.startswith(_OWN):
        first = first.tb_next
    return first or trace
