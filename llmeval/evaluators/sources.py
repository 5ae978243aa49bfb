"""The source of a callable, and what else decides how it grades, as a digest."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from textwrap import dedent
from typing import TYPE_CHECKING, Any

from llmeval.callables import wrapped
from llmeval.jsonable import Json, digest

if TYPE_CHECKING:
    import ast

__all__ = ["source_digest", "source_of", "syntax_tree"]

_SCALARS = (str, int, float, bool, type(None))


def source_digest(function: Any) -> str:
    """Returns the SHA-256 of a callable's source and of its plain settings.

    The settings are the arguments of a partial, the variables of a closure and the public attributes of an object, as
    far as they are texts, numbers, booleans or null: `longer_than(10)` and `longer_than(20)` share their source.
    """
    return digest([source_of(function), [[name, value] for name, value in sorted(_settings(function), key=_first)]])


def source_of(function: Any) -> str:
    """Returns the source of the function (of the class, for an object); its bytecode where there is no source."""
    import inspect

    while isinstance(function, functools.partial):
        function = function.func
    named = hasattr(function, "__code__") or hasattr(function, "__func__") or isinstance(function, type)
    target = inspect.unwrap(function) if named else type(function)
    try:
        source = dedent(inspect.getsource(target))
        # The source of a lambda is its whole line, which several may share.
        return source + _bytecode(target) if source.count("lambda") > 1 else source
    except (OSError, TypeError):
        return _bytecode(wrapped(function)) or f"{target.__module__}.{getattr(target, '__qualname__', '')}"


def syntax_tree(function: Any) -> ast.AST | None:
    """Returns the syntax tree of a function's source; `None` where there is none, as for a lambda in mid-line."""
    import ast
    import inspect

    try:
        return ast.parse(dedent(inspect.getsource(inspect.unwrap(function))))
    except (OSError, TypeError, SyntaxError):
        return None


def _bytecode(function: Any) -> str:
    code = getattr(function, "__code__", None)
    if code is None:
        return ""
    constants = [repr(constant) for constant in code.co_consts if isinstance(constant, _SCALARS)]
    return f"{code.co_code.hex()} {constants} {code.co_names}"


def _settings(function: Any) -> Iterator[tuple[str, Json]]:
    while isinstance(function, functools.partial):
        yield from _scalars({str(at): value for at, value in enumerate(function.args)} | function.keywords)
        function = function.func
    owner = getattr(function, "__self__", function)
    if not isinstance(owner, type) and not hasattr(owner, "__code__"):
        yield from _scalars({name: value for name, value in _attributes(owner).items() if not name.startswith("_")})
    inner = wrapped(function)
    code = getattr(inner, "__code__", None)
    for name, cell in zip(code.co_freevars if code else (), getattr(inner, "__closure__", None) or (), strict=False):
        try:
            yield from _scalars({name: cell.cell_contents})
        except ValueError:  # the variable has no value yet
            continue


def _attributes(owner: Any) -> Mapping[str, Any]:
    return getattr(owner, "__dict__", {})


def _scalars(values: Mapping[str, Any]) -> Iterator[tuple[str, Json]]:
    for name, value in values.items():
        if isinstance(value, _SCALARS):
            # As text, since a number may be one that JSON cannot hold.
            yield name, repr(value)


def _first(pair: tuple[str, Json]) -> tuple[str, str]:
    return pair[0], str(pair[1])
