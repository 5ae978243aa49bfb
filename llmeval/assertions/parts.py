"""The parts of an asserted expression whose values explain a failure."""

from __future__ import annotations

import ast
from typing import Any, Final

__all__ = ["PREFIX", "Parts", "number_of", "segment"]

PREFIX: Final = "@llmeval"
"""Starts each name that instrumented code adds; no identifier of the user can."""

_FIELDS: Final[dict[type[ast.AST], tuple[str, ...]]] = {
    ast.Attribute: ("value",),
    ast.Await: ("value",),
    ast.BinOp: ("left", "right"),
    ast.BoolOp: ("values",),
    ast.Call: ("func", "args", "keywords"),
    ast.Compare: ("left", "comparators"),
    ast.IfExp: ("test", "body", "orelse"),
    ast.NamedExpr: ("value",),
    ast.Starred: ("value",),
    ast.Subscript: ("value", "slice"),
    ast.UnaryOp: ("operand",),
    ast.keyword: ("value",),
}
_NEVER_KEPT: Final = (ast.Constant, ast.GeneratorExp, ast.Lambda, ast.Slice, ast.Starred, ast.keyword)


class Parts:
    """Rewrites an expression in place so that its parts are kept: `f(x) == y` → `(@0 := f(@1 := x)) == (@2 := y)`.

    The order of evaluation and short circuits stay as they are, and nothing is evaluated twice. `count` is the number
    of parts; `optional` is true when some may not be evaluated.
    """

    def __init__(self) -> None:
        self.count = 0
        self.optional = False

    def of(self, test: ast.expr) -> ast.expr:
        """Returns the rewritten expression; comparisons, `and`, `or` and `not` at its top need no name of their own."""
        if isinstance(test, ast.BoolOp):
            self.optional = True
            test.values = [self.of(value) for value in test.values]
        elif isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            test.operand = self.of(test.operand)
        elif isinstance(test, ast.Compare):
            self._within(test)
        else:
            kept: ast.expr = self._kept(test)
            return kept
        return test

    def _kept(self, node: Any) -> Any:
        if isinstance(node, _NEVER_KEPT) or _is_signed_number(node):
            if isinstance(node, ast.Starred | ast.keyword):
                self._within(node)
            return node
        target = ast.Name(f"{PREFIX}{self.count}", ast.Store())
        self.count += 1
        self._within(node)
        return ast.copy_location(ast.NamedExpr(ast.copy_location(target, node), node), node)

    def _within(self, node: ast.AST) -> None:
        chained = isinstance(node, ast.Compare) and len(node.ops) > 1
        self.optional |= chained or isinstance(node, ast.BoolOp | ast.IfExp)
        for field in _FIELDS.get(type(node), ()):
            part = getattr(node, field)
            if isinstance(node, ast.BoolOp):
                node.values = [self._tested(each) for each in node.values]
            elif isinstance(node, ast.IfExp) and field == "test":
                node.test = self._tested(node.test)
            elif isinstance(part, list):
                setattr(node, field, [self._kept(each) for each in part])
            elif field == "func" or isinstance(node, ast.Await | ast.NamedExpr):
                self._within_callee(part)
            elif not (field == "slice" and isinstance(part, ast.Tuple)):  # x[1:2, 3] holds slices, which are no values
                setattr(node, field, self._kept(part))

    def _tested(self, node: Any) -> Any:
        """Keeps a part whose truth decides; `and` and `or` within it jump, so that a name would ask for it twice."""
        if isinstance(node, ast.BoolOp):
            self._within(node)
            return node
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not) and isinstance(node.operand, ast.BoolOp):
            self._within(node.operand)
            return node
        return self._kept(node)

    def _within_callee(self, node: ast.AST) -> None:
        # The function, the coroutine and the value that the user names are not worth keeping themselves.
        if not isinstance(node, ast.GeneratorExp | ast.Lambda):
            self._within(node)


def _is_signed_number(node: ast.AST) -> bool:
    return isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant)


def number_of(node: ast.AST) -> int | None:
    """Returns the number of a kept part, `None` for any other node."""
    if isinstance(node, ast.NamedExpr) and node.target.id.startswith(PREFIX):
        return int(node.target.id.removeprefix(PREFIX))
    return None


def segment(lines: list[bytes], node: ast.expr) -> str:
    """Returns the source of a node; `ast.get_source_segment` reads the whole file again for each."""
    first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
    end = node.end_col_offset
    if first == last:
        return lines[first][node.col_offset : end].decode()
    return b"".join([lines[first][node.col_offset :], *lines[first + 1 : last], lines[last][:end]]).decode()
