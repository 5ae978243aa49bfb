"""Replaces `assert` statements so that each is counted and can explain itself, also under `python -O`."""

from __future__ import annotations

import ast
from types import CodeType
from typing import Any, Final

from llmeval.assertions.parts import PREFIX, Parts, segment

__all__ = ["MARK", "RUNTIME", "compile_instrumented", "parsed", "rewrite"]

RUNTIME: Final = PREFIX
"""The global name under which instrumented code finds `llmeval.assertions.tally`."""

MARK: Final = f"{PREFIX}_all"
"""A global name that only modules have whose whole source was instrumented."""


def compile_instrumented(source: str | bytes, filename: str) -> CodeType:
    """Returns a module's code with its asserts instrumented.

    Raises:
        SyntaxError: as `compile` does.
    """
    if isinstance(source, bytes):
        from importlib.util import decode_source

        source = decode_source(source)
    tree = parsed(source, filename)
    try:
        rewrite(tree, source.encode(errors="surrogatepass").splitlines(keepends=True))
    except RecursionError:  # nested more deeply than can be walked here: it runs, but its asserts are not counted
        return compile(source, filename, "exec", dont_inherit=True)
    tree.body.insert(_first_statement(tree.body), _runtime_import())
    return compile(tree, filename, "exec", dont_inherit=True)


def parsed(source: str, filename: str) -> ast.Module:
    """Returns the tree of a file; unlike that of `ast.parse`, its syntax error and warnings name the file."""
    try:
        tree = compile(source, filename, "exec", ast.PyCF_ONLY_AST, dont_inherit=True)
    except SystemError:  # CPython 3.11 confuses two threads that build trees at the same time; the next try is alone
        tree = compile(source, filename, "exec", ast.PyCF_ONLY_AST, dont_inherit=True)
    assert isinstance(tree, ast.Module)
    return tree


def rewrite(tree: ast.AST, lines: list[bytes]) -> None:
    """Replaces each assert below `tree` in place; doing it again changes nothing."""
    _rewrite_blocks(tree, lines, set())


def _rewrite_blocks(node: Any, lines: list[bytes], names: set[str]) -> None:
    for field in ("body", "orelse", "finalbody"):
        if block := getattr(node, field, None):
            setattr(node, field, [new for statement in block for new in _rewritten(statement, lines, names)])
    for part in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
        _rewrite_blocks(part, lines, names)


def _rewritten(node: ast.stmt, lines: list[bytes], names: set[str]) -> list[ast.stmt]:
    if isinstance(node, ast.Assert):
        return _instrumented(node, lines, names)
    if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        names = set()  # a scope of its own
    _rewrite_blocks(node, lines, names)
    if isinstance(node, ast.ClassDef) and names:  # kept parts must not become attributes, or members of an enum
        hidden = ast.copy_location(ast.Global(sorted(names)), node.body[0])
        node.body.insert(1 if _is_text(node.body[0]) else 0, hidden)
    return [node]


def _instrumented(node: ast.Assert, lines: list[bytes], names: set[str]) -> list[ast.stmt]:
    if isinstance(node.test, ast.Tuple) and node.test.elts:
        return [node]  # `assert (x, "message")` is always true: Python warns about it, and it checks nothing
    source = segment(lines, node.test)
    parts = Parts()
    test = parts.of(node.test)
    kept = [f"{PREFIX}{number}" for number in range(parts.count)]
    names.update(kept)
    at, after = _first_line(node), _first_line(test)
    values = ast.Tuple([ast.Name(name, ast.Load(), **at) for name in kept], ast.Load(), **at)
    failure = _call("failed", at, ast.Constant(source, **at), values, *([node.msg] if node.msg else []))
    raised = ast.copy_location(ast.Raise(failure), node)
    statements: list[ast.stmt] = [ast.If(test, [ast.Expr(_call("passed", after), **after)], [raised], **at)]
    if kept and parts.optional:
        statements.insert(0, _assignment(kept, ..., after))
    if kept:
        statements.append(_assignment(kept, None, after))
    return statements


def _first_line(node: ast.stmt | ast.expr) -> dict[str, Any]:
    """Returns a place on the first line alone; over several lines, Python has a call begin where its name ends."""
    line, column = node.lineno, node.col_offset
    return {"lineno": line, "end_lineno": line, "col_offset": column, "end_col_offset": column}


def _assignment(names: list[str], value: Any, at: dict[str, Any]) -> ast.Assign:
    return ast.Assign([ast.Name(name, ast.Store(), **at) for name in names], ast.Constant(value, **at), **at)


def _call(function: str, at: dict[str, Any], *arguments: ast.expr) -> ast.Call:
    runtime = ast.Name(RUNTIME, ast.Load(), **at)
    return ast.Call(ast.Attribute(runtime, function, ast.Load(), **at), list(arguments), [], **at)


def _first_statement(body: list[ast.stmt]) -> int:
    """Returns where a statement may be inserted: after the docstring and the imports from `__future__`."""
    for index, node in enumerate(body):
        future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
        if not future and not (index == 0 and _is_text(node)):
            return index
    return len(body)


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _runtime_import() -> ast.Import:
    aliases = [ast.alias("llmeval.assertions.tally", name) for name in (RUNTIME, MARK)]
    return ast.fix_missing_locations(ast.Import(aliases, lineno=1, col_offset=0))
