"""What a file declares, told from its source without importing it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from llmeval.naming import full_name, snake_case
from llmeval.project import project_at

__all__ = ["Declared", "declared_in"]

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@dataclass(frozen=True, kw_only=True, slots=True)
class Declared:
    """What a file declares, as far as its source says: `dynamic` when it may declare more under other names."""

    file: Path
    names: tuple[str, ...]
    dynamic: bool = False


def declared_in(path: Path) -> Declared:
    """Returns what one file declares; a file that is not Python counts as dynamic, so that importing it says why."""
    try:
        tree = ast.parse(path.read_bytes(), str(path))
    except (SyntaxError, ValueError, RecursionError):
        return Declared(file=path, names=(), dynamic=True)
    reader = _Reader(tree)
    project = project_at(path.parent)
    names = tuple(dict.fromkeys(full_name(name, None, path, project) for name in reader.names))
    return Declared(file=path, names=names, dynamic=reader.dynamic)


class _Reader:
    """Reads the decorators of a module's own functions and classes; whatever else may declare makes it dynamic."""

    def __init__(self, tree: ast.Module) -> None:
        self.names: list[str] = []
        self.dynamic = False
        self._decorators = {"evaluation"}
        self._modules = {"llmeval"}
        self._used: set[ast.AST] = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module in ("llmeval", "llmeval.declarations"):
                self._decorators |= {one.asname or one.name for one in node.names if one.name == "evaluation"}
            elif isinstance(node, ast.Import):
                self._modules |= {one.asname or one.name for one in node.names if one.name == "llmeval"}
        for definition in _definitions(tree):
            self._read(definition)
        rest = (node for node in ast.walk(tree) if isinstance(node, (ast.Name, ast.Attribute)))
        self.dynamic = self.dynamic or any(node not in self._used and self._may_declare(node) for node in rest)
        if not self.names:  # what it calls may be a helper that declares
            self.dynamic = self.dynamic or any(isinstance(node, ast.Call) for node in _expressions(tree))

    def _read(self, definition: Definition) -> None:
        for decorator in definition.decorator_list:
            call = decorator.func if isinstance(decorator, ast.Call) else decorator
            if not self._is_evaluation(call):
                continue
            self._used.add(call)
            name = _given_name(decorator) if isinstance(decorator, ast.Call) else ""
            if name is None:
                self.dynamic = True
            else:
                own = snake_case(definition.name) if isinstance(definition, ast.ClassDef) else definition.name
                self.names.append(name or own)

    def _is_evaluation(self, node: ast.AST) -> bool:
        """Whether a decorator is llmeval's own; a registry's of the user's may be another."""
        if isinstance(node, ast.Name):
            return node.id in self._decorators
        if not isinstance(node, ast.Attribute) or node.attr != "evaluation":
            return False
        return isinstance(node.value, ast.Name) and node.value.id in self._modules

    def _may_declare(self, node: ast.Name | ast.Attribute) -> bool:
        if isinstance(node, ast.Name):
            return node.id in self._decorators
        return node.attr == "evaluation"


def _definitions(tree: ast.AST) -> Iterator[Definition]:
    """Yields the functions and classes that importing the module defines once: not those in functions and loops."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, Definition):
            yield node
        elif isinstance(node, (ast.If, ast.Try, ast.With, ast.ExceptHandler)):
            yield from _definitions(node)


def _expressions(tree: ast.AST) -> Iterator[ast.AST]:
    """Yields what importing the module evaluates, decorators included."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield from (part for decorator in node.decorator_list for part in ast.walk(decorator))
        else:
            yield node
            yield from _expressions(node)


def _given_name(call: ast.Call) -> str | None:
    """Returns the text given as `name=`; nothing where none is given, `None` where it is computed."""
    for keyword in call.keywords:
        if keyword.arg is None:
            return None
        if keyword.arg == "name":
            value = keyword.value
            return value.value if isinstance(value, ast.Constant) and isinstance(value.value, str) else None
    return ""
