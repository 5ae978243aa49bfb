"""What is said about a value that evidence cannot hold; `repr` is never part of it, since it may be anything."""

from __future__ import annotations

import io
from collections.abc import AsyncIterator, Awaitable, Iterator
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Final

from llmeval.adapters.classes import full_name
from llmeval.errors import EvidenceError

__all__ = ["unfit", "unread"]

_CURES: Final = (
    (io.IOBase, "is an open file", "return its text, or Attachment(its bytes)"),
    (BaseException, "is an exception", "raise it, or return its text"),
    (type, "is a class and not an instance", "return an instance"),
    (ModuleType, "is a module", "return a value"),
    ((FunctionType, BuiltinFunctionType, MethodType), "is a function", "return what it returns"),
    (Awaitable, "was not awaited", "await it in perform"),
    ((Iterator, AsyncIterator), "can be read only once", "return list(…) of it"),
    (object, "has no JSON form", "return what is to be graded"),
)


def unfit(cls: type, where: str, hint: str | None = None) -> EvidenceError:
    """Returns the error for a value of class `cls` at `where`, with its cure; `hint` says what is wrong with it."""
    fault, cure = next((fault, cure) for kind, fault, cure in _CURES if issubclass(cls, kind))
    return EvidenceError(
        f"{where} is of type {full_name(cls)}, which {hint or fault}: declare @adapt({cls.__name__}), or {cure}"
    )


def unread(cls: type, cure: str) -> EvidenceError:
    """Returns the error for a stream that keeps nothing of what it gave, or was not read at all."""
    return EvidenceError(
        f"the result is of type {full_name(cls)}, a stream that has nothing to show: {cure}, or declare "
        f"@adapt({cls.__name__})"
    )
