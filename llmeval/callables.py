"""What a function of the user takes and gives, told without calling it."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from types import CodeType, FrameType, FunctionType
from typing import Any

from llmeval.errors import DeclarationError

__all__ = ["check_arguments", "innermost", "is_again", "is_async", "module_code", "takes_attempt", "where", "wrapped"]

_COROUTINE = 0x80 | 0x200
"""The flags of a coroutine function's and an async generator function's code."""

_LAYERS = 100
"""How far a chain of wrappers is followed: one that loops, or an object that has every attribute, must end."""


def wrapped(function: Any) -> Any:
    """Returns the function below partials, bound methods and callable objects, as far as there is one."""
    for _ in range(_LAYERS):
        if isinstance(function, FunctionType):
            break
        if isinstance(function, functools.partial):
            function = function.func
        elif hasattr(function, "__func__"):
            function = function.__func__
        elif isinstance(getattr(type(function), "__call__", None), FunctionType) and not isinstance(function, type):  # noqa: B004
            return type(function).__call__
        else:
            break
    return function


def innermost(function: Any) -> Any:
    """Returns the function below decorators that use `functools.wraps` too: what the user wrote."""
    for _ in range(_LAYERS):
        function = wrapped(function)
        inner = getattr(function, "__wrapped__", None)
        if inner is None:
            break
        function = inner
    return function


def is_async(function: Any) -> bool:
    """Returns whether calling `function` gives something to await: it, what it wraps, or its `__call__` is async."""
    code = getattr(wrapped(function), "__code__", None)
    return bool(code is not None and code.co_flags & _COROUTINE)


def is_again(one: Any, other: Any) -> bool:
    """Returns whether two functions are one declaration, made again, as by a notebook cell that is run twice.

    Two functions of one name in one file are two declarations.
    """
    if one is other:
        return True
    one, other = innermost(one), innermost(other)
    if not (isinstance(one, FunctionType) and isinstance(other, FunctionType)):
        return False
    if (one.__module__, one.__qualname__) != (other.__module__, other.__qualname__):
        return False
    before, after = one.__code__, other.__code__
    return before.co_filename != after.co_filename or before.co_firstlineno == after.co_firstlineno


def takes_attempt(function: Callable[..., Any], bound: bool = False) -> bool:
    """Returns whether `perform` also wants the attempt: its second parameter is named `attempt`.

    `bound` says that the first parameter is `self`.

    Raises:
        DeclarationError: it does not take the one value `inputs`.
    """
    positional, required, unlimited = _parameters(function)
    if bound:
        positional, required = positional[1:], max(required - 1, 0)
    if not positional and not unlimited:
        raise DeclarationError(
            f"{where(function)}: perform takes {_signature(positional)}, but it is given one value, the case's inputs"
        )
    second = len(positional) > 1 and positional[1] == "attempt"
    if required > (2 if second else 1):
        raise DeclarationError(
            f"{where(function)}: perform requires {_signature(positional)}, but it is given one value, the case's "
            "inputs (a mapping arrives whole), and the Attempt when its second parameter is named 'attempt'"
        )
    return second


def check_arguments(function: Callable[..., Any], role: str, *given: str, at_least: int | None = None) -> None:
    """Refuses a function that cannot be called with the positional arguments `given`, or the first `at_least` of them.

    Raises:
        DeclarationError: with what the function takes; `role` says what it is, as in `assertions`.
    """
    positional, required, unlimited = _parameters(function)
    least = len(given) if at_least is None else at_least
    if required > len(given) or (len(positional) < least and not unlimited):
        wanted = f"({', '.join(given)})" if given else "no argument"
        raise DeclarationError(
            f"{where(function)}: {role} is called with {wanted}, but this one takes {_signature(positional)}"
        )


def where(function: Any) -> str:
    """Returns the place of `function` for a message: file, line and name."""
    inner = innermost(function)
    code = getattr(inner, "__code__", None)
    names = (getattr(one, "__qualname__", None) for one in (function, inner, type(function)))
    name = next(name for name in names if isinstance(name, str))
    return name if code is None else f"{code.co_filename}:{code.co_firstlineno}: {name}"


def _parameters(function: Callable[..., Any]) -> tuple[list[str], int, bool]:
    """Returns the names of positional parameters, how many parameters are required, and whether `*args` is there."""
    if isinstance(function, FunctionType) and not hasattr(function, "__wrapped__"):
        code = function.__code__
        names = list(code.co_varnames[: code.co_argcount])
        keywords = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
        required_keywords = sum(name not in (function.__kwdefaults__ or {}) for name in keywords)
        required = len(names) - len(function.__defaults__ or ()) + (required_keywords and len(names) + 3)
        return names, required, bool(code.co_flags & 0x04)
    import inspect

    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # built-in callables need not have a signature
        return [], 0, True
    places = [one for one in parameters if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
    keyword = [one for one in parameters if one.kind is one.KEYWORD_ONLY and one.default is one.empty]
    required = sum(one.default is one.empty for one in places) + (len(places) + 3 if keyword else 0)
    return [one.name for one in places], required, any(one.kind is one.VAR_POSITIONAL for one in parameters)


def _signature(names: list[str]) -> str:
    return f"({', '.join(names)})" if names else "no positional parameter"


def module_code(module: str | None) -> CodeType | None:
    """Returns the code of the module of that name that is being run on this stack, which tells one reading of a file.

    A file that is read again, and a notebook's cell that is run again, has another.
    """
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_name == "<module>" and frame.f_globals.get("__name__") == module:
            return frame.f_code
        frame = frame.f_back
    return None
