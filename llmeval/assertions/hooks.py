"""Instruments the functions and classes that are declared as hooks, wherever they are written."""

from __future__ import annotations
import __future__

import ast
import functools
import linecache
import warnings
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from opcode import opmap
from types import CodeType, FunctionType, MethodType
from typing import Any, Final

from llmeval.assertions import tally
from llmeval.assertions.rewriting import MARK, RUNTIME, parsed, rewrite

__all__ = ["counts_as_one", "instrument"]

_HOOKS: Final = ("perform", "setup", "assertions", "teardown")
_PYTEST: Final = "@pytest_ar"
"""A name in code whose asserts pytest has rewritten."""
_MAY_IMPORT: Final = (ast.Import, ast.ImportFrom, ast.If, ast.Try, ast.With)


def instrument(target: Any) -> bool:
    """Has the asserts of a function, or of a class's methods, counted and explained, and returns whether all are.

    The function stays the same object. Where no source is found, or the code is not what the source says, they stay
    plain asserts. Functions below `functools.wraps`, partials and methods are found. Doing it again changes nothing.
    """
    if isinstance(target, type):
        return _instrument_all(_methods(target))
    layers = list(_layers(target))
    # A wrapper that is written beside the hook belongs to it; one out of a library does not.
    return _instrument_all(each for each in layers if each.__code__.co_filename == layers[-1].__code__.co_filename)


def _methods(owner: type) -> Iterator[FunctionType]:
    for base in owner.__mro__:
        for name, member in list(vars(base).items()):
            if isinstance(member, type) and member.__qualname__ == f"{owner.__qualname__}.{name}":
                yield from _methods(member)
            elif base.__module__ == owner.__module__ or name in _HOOKS:
                yield from (each for each in _layers(member) if each.__module__ == base.__module__)


def _layers(target: Any) -> Iterator[FunctionType]:
    """Yields the functions that `target` leads to, outermost first."""
    for _ in range(100):  # a chain that loops, or an object that has every attribute, must end
        if isinstance(target, FunctionType):
            yield target
        if isinstance(target, functools.partial | functools.partialmethod | functools.cached_property):
            target = target.func
        elif isinstance(target, MethodType | staticmethod | classmethod):
            target = target.__func__
        elif isinstance(target, property):
            target = target.fget
        else:
            target = getattr(target, "__wrapped__", None)
        if target is None:
            return


def _instrument_all(functions: Iterable[FunctionType]) -> bool:
    return min([_instrument_function(function) for function in functions], default=True)


def _instrument_function(function: FunctionType) -> bool:
    code = function.__code__
    if code.co_name == "<lambda>" or MARK in function.__globals__ or _mentions(code, RUNTIME):
        return True
    instrumented = _instrumented(code, function.__globals__)
    if instrumented is None:
        return False
    function.__globals__[RUNTIME] = tally
    function.__code__ = instrumented
    return True


def _instrumented(code: CodeType, module: dict[str, Any]) -> CodeType | None:
    linecache.checkcache(code.co_filename)
    text = "".join(linecache.getlines(code.co_filename, module))
    if "assert" not in text:
        return code if text else None
    try:
        with warnings.catch_warnings(action="ignore"):  # Python has said them when it compiled the file itself
            return _source(text, code.co_filename, code.co_flags & __future__.annotations.compiler_flag).of(code)
    except (LookupError, RecursionError, SyntaxError, ValueError):
        return None


class _Source:
    """A file's text, compiled as it is and instrumented, one outermost statement at a time."""

    def __init__(self, text: str, filename: str, flags: int) -> None:
        self._lines = text.encode(errors="surrogatepass").splitlines(keepends=True)
        self._statements = parsed(text, filename).body
        self._filename = filename
        self._flags = flags
        self._compiled: dict[int, tuple[CodeType, CodeType, CodeType]] = {}

    def of(self, code: CodeType) -> CodeType:
        """Returns the instrumented code that stands at the place of `code`.

        Raises:
            LookupError: another code stands there: the file has changed, or a tool other than pytest rewrote the code.
        """
        ends = [statement.end_lineno or 0 for statement in self._statements]
        instrumented, *plain = self._at(bisect_left(ends, code.co_firstlineno))
        if not _mentions(code, _PYTEST) and not any(_shape(_find(each, code)) == _shape(code) for each in plain):
            raise LookupError(code.co_qualname)
        return _find(instrumented, code)

    def _at(self, number: int) -> tuple[CodeType, CodeType, CodeType]:
        """Returns a statement's code: instrumented, plain in its file, and plain alone, as notebooks compile it.

        The last two differ, because Python calls the functions of a module differently where it sees the import.
        """
        if number not in self._compiled:
            statement = self._statements[number]
            imports = [each for each in self._statements if isinstance(each, _MAY_IMPORT) and each is not statement]
            in_file, alone = self._compile(*imports, statement), self._compile(statement)
            tree = ast.Module([statement], [])
            rewrite(tree, self._lines)
            self._compiled[number] = self._compile(*tree.body), in_file, alone
        return self._compiled[number]

    def _compile(self, *statements: ast.stmt) -> CodeType:
        tree = ast.Module(list(statements), [])
        code: CodeType = compile(tree, self._filename, "exec", self._flags, dont_inherit=True)
        return code


_source = functools.lru_cache(maxsize=2)(_Source)  # the hooks of a file are declared one after the other


def _find(tree: CodeType, wanted: CodeType) -> CodeType:
    identity = (wanted.co_qualname, wanted.co_firstlineno, wanted.co_freevars)
    for code in _codes(tree):
        if (code.co_qualname, code.co_firstlineno, code.co_freevars) == identity:
            return code
    raise LookupError(wanted.co_qualname)


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _mentions(code: CodeType, name: str) -> bool:
    return any(name in each.co_names for each in _codes(code))


def _shape(code: CodeType) -> tuple[object, ...]:
    """Returns what makes two codes do the same; a file that changed since it was imported differs here."""
    constants = [_shape(each) if isinstance(each, CodeType) else (type(each), each) for each in code.co_consts]
    return code.co_code, code.co_names, code.co_varnames, constants


def counts_as_one(function: Any) -> bool:
    """Returns whether a hook that returned counts as one assertion at least: it does something.

    A body of a docstring, `pass`, `...` or a bare `return` does nothing.
    """
    layers = list(_layers(function))
    if not layers:
        return function is not None
    code, empty = layers[-1].__code__, (None, layers[-1].__doc__)
    return _steps(code) not in _NOTHING or any(constant not in empty for constant in code.co_consts)


def _steps(code: CodeType) -> tuple[int, ...]:
    return tuple(step for step in code.co_code[::2] if step != opmap["NOP"])


def _nothing() -> None: ...


async def _nothing_async() -> None: ...


_NOTHING: Final = {_steps(_nothing.__code__), _steps(_nothing_async.__code__)}
