"""One assertion made by calling a method: counted, and explained where it fails."""

from __future__ import annotations

import functools
import sys
from types import FrameType
from typing import TYPE_CHECKING, Any

from llmeval.assertions.tally import passed

if TYPE_CHECKING:
    from unittest import TestCase

__all__ = ["check", "check_by_unittest", "check_equal", "check_kind", "start_unittest"]


def check(holds: object, says: str, *values: object, msg: object = None) -> None:
    """Counts one assertion.

    `says` has a `{}` for each of `values`, as in `"{} is not empty"`.

    Raises:
        AssertionError: it does not hold.
    """
    passed()
    if not holds:
        from llmeval.assertions.explanation import shown  # only failures pay for it

        raise _failure(says.format(*map(shown, values)), msg)


def check_equal(first: object, second: object, kind: type = object, msg: object = None) -> None:
    """Counts one assertion: both are of `kind`, and equal.

    `unittest` is not asked: it takes seconds for the difference of two lists of some thousand elements.

    Raises:
        AssertionError: it does not hold.
    """
    check_kind(first, second, kind, msg)
    passed()
    if not first == second:  # noqa: SIM201 - asks ==, not !=
        from llmeval.assertions.explanation import difference_lines, shown  # only failures pay for it

        says = [f"{shown(first)} != {shown(second)}", *difference_lines(first, second)]
        raise _failure("\n".join(says), msg)


def check_kind(first: object, second: object, kind: type, msg: object = None) -> None:
    """Counts an assertion only where it fails: both are of `kind`.

    Raises:
        AssertionError: it does not hold.
    """
    for value in (first, second):
        if not isinstance(value, kind):
            check(False, f"{{}} is not a {kind.__name__}", value, msg=msg)


def check_by_unittest(method: str, *arguments: Any, msg: object = None, **options: Any) -> None:
    """Counts one assertion, made by a method of `unittest.TestCase`.

    Raises:
        AssertionError: it does not hold.
    """
    passed()
    try:
        getattr(_case(), method)(*arguments, **options)
    except AssertionError as failure:
        raise _failure(str(failure), msg) from None


def start_unittest(method: str, *arguments: Any, **options: Any) -> Any:
    """Counts one assertion and returns what the method of `unittest.TestCase` returns for a block or a call."""
    passed()
    return getattr(_case(), method)(*arguments, **options)


@functools.cache
def _case() -> TestCase:
    from unittest import TestCase  # 10 ms, which a run without such assertions need not pay

    case = TestCase()
    case.maxDiff = None  # the text is bounded here
    return case


def _failure(says: str, message: object) -> AssertionError:
    from llmeval.assertions.explanation import call_text  # only failures pay for it

    frame = _caller()
    said = () if message is None else (message,)
    return AssertionError(call_text(says, said, frame.f_code.co_filename, frame.f_lineno))


def _caller() -> FrameType:
    """Returns the frame that called the assertion method."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals["__name__"].startswith(__package__):
        frame = frame.f_back
    return frame
