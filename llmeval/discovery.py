"""Finds evaluations: which files declare which, told from their source without importing it."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from llmeval.errors import DiscoveryError, SelectionError
from llmeval.naming import full_name, snake_case
from llmeval.project import Project

if TYPE_CHECKING:
    from llmeval.evaluations import Evaluation
    from llmeval.registry import Registry

__all__ = ["Declared", "declared_in", "eval_files", "find", "load_all", "scan"]

SKIPPED: Final = frozenset({"node_modules", "venv", "__pycache__", "site-packages"})


@dataclass(frozen=True, kw_only=True, slots=True)
class Declared:
    """What a file declares, as far as its source says: `dynamic` when it may declare more under other names."""

    file: Path
    names: tuple[str, ...]
    dynamic: bool = False


def eval_files(project: Project) -> list[Path]:
    """Returns the files whose source mentions llmeval, below the evals folders; those starting with `_` are helpers.

    Raises:
        DiscoveryError: a configured folder is not there.
    """
    found: dict[Path, None] = {}
    for folder in project.folders:
        if not folder.exists() and "paths" in project.settings:
            raise DiscoveryError(f"[tool.llmeval] paths names {str(folder)!r}, which is not there")
        found.update((path, None) for path in _walk(folder) if b"llmeval" in path.read_bytes())
    return list(found)


def scan(project: Project, files: Sequence[Path] | None = None) -> list[Declared]:
    """Returns what each file declares, without importing any; files that declare nothing are left out."""
    found = (declared_in(path, project) for path in (eval_files(project) if files is None else files))
    return [one for one in found if one.names or one.dynamic]


def declared_in(path: Path, project: Project) -> Declared:
    """Returns what one file declares; a file that is not Python counts as dynamic, so that importing it says why."""
    try:
        tree = ast.parse(path.read_bytes(), str(path))
    except (SyntaxError, ValueError):
        return Declared(file=path, names=(), dynamic=True)
    names, dynamic = _names(tree)
    return Declared(file=path, names=tuple(full_name(name, None, path, project) for name in names), dynamic=dynamic)


def find(asked: Sequence[str], project: Project, registry: Registry) -> list[Evaluation]:
    """Returns the evaluations that names or paths ask for; of nothing, all. Only the files that declare them are imported.

    Raises:
        SelectionError: a name is unknown; the message suggests near ones.
        DiscoveryError: a file is not there or cannot be imported.
    """
    if not asked:
        return load_all(project, registry)
    found: dict[str, Evaluation] = {}
    for text in asked:
        path = _as_path(text, project)
        evaluations = _from_path(path, text, project, registry) if path else [_named(text, project, registry)]
        found.update((evaluation.name, evaluation) for evaluation in evaluations)
    return list(found.values())


def load_all(project: Project, registry: Registry, files: Sequence[Path] | None = None) -> list[Evaluation]:
    """Returns every evaluation of the project, or of `files`, importing what declares one.

    Raises:
        DiscoveryError: there is none, or files cannot be imported (all of them are named).
    """
    from llmeval.imports import import_file

    failures: list[str] = []
    first: Exception | None = None
    wanted = [declared.file for declared in scan(project, files)]
    for file in wanted:
        try:
            import_file(file, project)
        except DiscoveryError as error:
            failures.append(str(error))
            first = first or error
    if failures:
        raise DiscoveryError("\n".join(failures)) from (first and first.__cause__)
    found = [evaluation for evaluation in registry if evaluation.file in wanted]
    if not found:
        places = ", ".join(str(folder) for folder in project.folders) if files is None else ", ".join(map(str, files))
        raise DiscoveryError(f"no evaluation is declared below {places}: `llmeval init` writes a first one")
    return found


def _named(name: str, project: Project, registry: Registry) -> Evaluation:
    from llmeval.imports import import_file

    declared = scan(project)
    exact = [one for one in declared if name in one.names]
    for one in exact or [one for one in declared if one.dynamic]:
        import_file(one.file, project)
    if name in registry:
        return registry.get(name)
    from llmeval.registry import unknown

    known = {*(name for one in declared for name in one.names), *(evaluation.name for evaluation in registry)}
    if not known:
        raise SelectionError(
            f"there is no evaluation {name!r}: none is declared below "
            f"{', '.join(map(str, project.folders))}; `llmeval init` writes a first one"
        )
    raise SelectionError(unknown("evaluation", name, sorted(known)))


def _from_path(path: Path, text: str, project: Project, registry: Registry) -> list[Evaluation]:
    files = [path] if path.is_file() else [file for file in _walk(path) if b"llmeval" in file.read_bytes()]
    evaluations = load_all(project, registry, files)
    _, separator, name = text.partition("::")
    if not separator:
        return evaluations
    chosen = [one for one in evaluations if name in (one.name, one.name.rpartition("/")[2])]
    if not chosen:
        from llmeval.registry import unknown

        raise SelectionError(unknown("evaluation", name, [one.name for one in evaluations]))
    return chosen


def _as_path(text: str, project: Project) -> Path | None:
    """Returns the file or folder that `text` names, or `None` where it is an evaluation's name."""
    name = text.partition("::")[0]
    for base in (Path.cwd(), project.root):
        path = Path(os.path.normpath(base / name))
        if path.is_file() or (path.is_dir() and (name.endswith(("/", os.sep)) or name in (".", ".."))):
            return path
        if path.is_dir() and path in (*project.folders, project.root):
            return path
    if name.endswith(".py"):
        raise DiscoveryError(f"there is no file {name!r}")
    return None


def _walk(folder: Path) -> Iterator[Path]:
    if folder.is_file():
        yield folder
        return
    for base, folders, files in os.walk(folder):
        folders[:] = sorted(
            name
            for name in folders
            if not name.startswith((".", "_")) and name not in SKIPPED and not Path(base, name, "pyvenv.cfg").is_file()
        )
        yield from (Path(base, name) for name in sorted(files) if name.endswith(".py") and not name.startswith("_"))


def _names(tree: ast.Module) -> tuple[list[str], bool]:
    """Returns the names that decorators declare, and whether some other use may declare more."""
    decorators, modules = {"evaluation"}, {"llmeval"}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "llmeval":
            decorators |= {alias.asname or alias.name for alias in node.names if alias.name == "evaluation"}
        elif isinstance(node, ast.Import):
            modules |= {alias.asname or alias.name for alias in node.names if alias.name == "llmeval"}
    names: list[str] = []
    dynamic = False
    used: set[ast.AST] = set()
    for node in ast.walk(tree):
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            continue
        for decorator in node.decorator_list:
            call = decorator.func if isinstance(decorator, ast.Call) else decorator
            if not _is_evaluation(call, decorators):
                continue
            used.add(call)
            name = _given_name(decorator) if isinstance(decorator, ast.Call) else None
            if name is None:
                dynamic = True
            else:
                names.append(name or (snake_case(node.name) if isinstance(node, ast.ClassDef) else node.name))
    others = (node for node in ast.walk(tree) if isinstance(node, (ast.Name, ast.Attribute)) and node not in used)
    return names, dynamic or any(_is_evaluation(node, decorators) for node in others)


def _is_evaluation(node: ast.AST, decorators: set[str]) -> bool:
    if isinstance(node, ast.Name):
        return node.id in decorators
    return isinstance(node, ast.Attribute) and node.attr == "evaluation"


def _given_name(call: ast.Call) -> str | None:
    """Returns the text given as `name=`; nothing where none is given, `None` where it is computed."""
    for keyword in call.keywords:
        if keyword.arg is None:
            return None
        if keyword.arg == "name":
            value = keyword.value
            return value.value if isinstance(value, ast.Constant) and isinstance(value.value, str) else None
    return ""
