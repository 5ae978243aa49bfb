"""Says why an assertion failed: what its operands were, where they differ, and where it stands."""

from __future__ import annotations

import ast
import linecache
import os
import reprlib
from collections.abc import Iterator
from types import ModuleType
from typing import Any, Final

from llmeval.assertions.differences import differences
from llmeval.assertions.methods import AssertionMethods
from llmeval.assertions.parts import Parts, number_of, segment

__all__ = ["call_text", "difference_lines", "failure_text", "shown"]

_VALUE_LENGTH: Final = 200
_TEXT_LENGTH: Final = 4000
_MOST_WHERES: Final = 8
_LITERALS: Final = (ast.Dict, ast.JoinedStr, ast.List, ast.Set, ast.Tuple)
_OPERATORS: Final[dict[type[ast.cmpop], str]] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "in",
    ast.NotIn: "not in",
}


def failure_text(expression: str, values: tuple[object, ...], message: tuple[object, ...], file: str, line: int) -> str:
    """Returns the author's message, the expression with its values, and where it is written."""
    said = [_shorten(_text_of(each), _TEXT_LENGTH) for each in message]
    try:
        explained = _Explanation(expression, values).lines()
    except Exception:  # noqa: BLE001 - hostile values must not hide which assertion failed
        explained = []
    return "\n".join(
        [*said, *explained, f"{_place(file, line)}: assert {_shorten(_one_line(expression), _TEXT_LENGTH)}"]
    )


def call_text(says: str, message: tuple[object, ...], file: str, line: int) -> str:
    """Returns the author's message, what an assertion method says, and where it was called."""
    said = [_shorten(_text_of(each), _TEXT_LENGTH) for each in message]
    written = linecache.getline(file, line).strip()
    return "\n".join([*said, _shorten(says, _TEXT_LENGTH), f"{_place(file, line)}: {written}".removesuffix(": ")])


class _Explanation:
    def __init__(self, expression: str, values: tuple[object, ...]) -> None:
        source = f"({expression}\n)"
        self._lines = source.encode().splitlines(keepends=True)
        self._values = values
        self._test = Parts().of(ast.parse(source, mode="eval").body)

    def lines(self) -> list[str]:
        return [f"assert {self._with_values(self._test)}", *self._differences(), *self._wheres()]

    def _with_values(self, node: ast.expr) -> str:
        if isinstance(node, ast.BoolOp):
            word = " and " if isinstance(node.op, ast.And) else " or "
            return word.join(self._nested(value) for value in node.values)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return f"not {self._nested(node.operand)}"
        if isinstance(node, ast.Compare):
            right = zip(node.ops, node.comparators, strict=True)
            pairs = [f"{_OPERATORS[type(op)]} {self._with_values(operand)}" for op, operand in right]
            return " ".join([self._with_values(node.left), *pairs])
        if (number := self._evaluated(node)) is not None:
            return shown(self._values[number])
        is_walrus = isinstance(getattr(node, "value", None), ast.NamedExpr)
        return f"({self._source(node)})" if is_walrus else self._source(node)

    def _nested(self, node: ast.expr) -> str:
        text = self._with_values(node)
        return f"({text})" if isinstance(node, ast.BoolOp) else text

    def _differences(self) -> list[str]:
        test = self._test
        if not isinstance(test, ast.Compare) or not isinstance(test.ops[0], ast.Eq) or len(test.ops) > 1:
            return []
        return difference_lines(self._value(test.left), self._value(test.comparators[0]))

    def _wheres(self) -> list[str]:
        lines = [f"  where {self._source(part)} = {shown(value)}" for part, value in self._worth_showing()]
        return list(dict.fromkeys(lines))[:_MOST_WHERES]

    def _worth_showing(self) -> Iterator[tuple[ast.NamedExpr, object]]:
        on_top = _operands(self._test)
        named = [node for node in ast.walk(self._test) if isinstance(node, ast.NamedExpr)]
        evaluated = {number: node for node in named if (number := self._evaluated(node)) is not None}
        for number, node in sorted(evaluated.items()):
            value, source = self._values[number], node.value
            is_thing = callable(value) or issubclass(type(value), ModuleType | AssertionMethods)
            is_obvious = isinstance(source, _LITERALS) or (isinstance(source, ast.Name) and node in on_top)
            says_nothing = isinstance(source, ast.Name) and type(value).__repr__ is object.__repr__
            if not (is_thing or is_obvious or says_nothing):
                yield node, value

    def _evaluated(self, node: ast.AST) -> int | None:
        number = number_of(node)
        return None if number is None or self._values[number] is ... else number

    def _value(self, node: ast.expr) -> object:
        number = number_of(node)
        return self._values[number] if number is not None else ast.literal_eval(node)

    def _source(self, node: ast.expr) -> str:
        return _shorten(_one_line(segment(self._lines, node)), _VALUE_LENGTH)


def difference_lines(left: object, right: object) -> list[str]:
    """Returns where two values that should be equal differ, as lines of a failure."""
    try:
        found = differences(left, right, shown)
    except Exception:  # noqa: BLE001 - the elements' own __eq__ may raise; the operands are still shown
        return []
    return [f"  {line}" for line in found]


def _operands(node: ast.expr) -> list[ast.expr]:
    """Returns what is shown by value in the first line."""
    if isinstance(node, ast.BoolOp):
        return [operand for value in node.values for operand in _operands(value)]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return _operands(node.operand)
    return [node.left, *node.comparators] if isinstance(node, ast.Compare) else [node]


def _one_line(source: str) -> str:
    return source if "\n" not in source else ast.unparse(ast.parse(f"({source}\n)", mode="eval"))


def _place(file: str, line: int) -> str:
    """Returns `file:line`, relative to the working directory where that is shorter."""
    here = os.getcwd() + os.sep  # noqa: PTH109 - no pathlib for a prefix
    return f"{file.removeprefix(here)}:{line}"


def _shorten(text: str, length: int) -> str:
    """Returns `text` without its middle where it is longer than `length`."""
    if len(text) <= length:
        return text
    half = (length - 1) // 2
    return f"{text[:half]}…{text[-half:]}"


def shown(value: object) -> str:
    """Returns a bounded `repr`; a value whose `repr` fails is shown by its type."""
    try:
        return _shorten(_REPR.repr(value), _VALUE_LENGTH)
    except Exception as error:  # noqa: BLE001 - such as an int of more digits than Python writes
        return f"<{type(value).__name__} whose repr raises {type(error).__name__}>"


def _text_of(message: object) -> str:
    try:
        return str(message)
    except Exception:  # noqa: BLE001 - a hostile __str__, as above
        return shown(message)


class _BoundedRepr(reprlib.Repr):
    """Looks at no more of a large container than can be shown."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlevel = 8
        self.maxstring = self.maxlong = self.maxother = _VALUE_LENGTH
        for name in ("maxlist", "maxtuple", "maxdict", "maxset", "maxfrozenset", "maxdeque", "maxarray"):
            setattr(self, name, 60)

    def repr_instance(self, value: Any, level: int) -> str:
        try:
            return _shorten(repr(value), self.maxother)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001 - a hostile __repr__, as above
            return f"<{type(value).__name__} whose repr raises {type(error).__name__}>"


_REPR: Final = _BoundedRepr()
