"""Finds evaluations: which files may declare some, and the evaluations that names or paths ask for."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from llmeval.errors import DiscoveryError, SelectionError
from llmeval.project import Project
from llmeval.sources import Declared, declared_in
from llmeval.suggestions import unknown

if TYPE_CHECKING:
    from llmeval.evaluations import Evaluation
    from llmeval.registry import Registry

__all__ = ["eval_files", "find", "load_all", "named", "scan"]

SKIPPED: Final = frozenset({"node_modules", "venv", "__pycache__", "site-packages"})


def eval_files(project: Project) -> list[Path]:
    """Returns the files whose source mentions llmeval, below the evals folders; those starting with `_` are helpers.

    Raises:
        DiscoveryError: a configured folder is not there.
    """
    found: dict[Path, None] = {}
    for folder in project.folders:
        if not folder.exists() and "paths" in project.settings:
            raise DiscoveryError(f"[tool.llmeval] paths names {str(folder)!r}, which is not there")
        found.update(dict.fromkeys(_mentioning(folder)))
    return list(found)


def scan(project: Project, files: Sequence[Path] | None = None) -> list[Declared]:
    """Returns what each file declares, without importing any; files that declare nothing are left out."""
    found = (declared_in(path) for path in (eval_files(project) if files is None else files))
    return [one for one in found if one.names or one.dynamic]


def find(asked: Sequence[str], project: Project, registry: Registry) -> list[Evaluation]:
    """Returns the evaluations that names or paths ask for; for none, all. Only files that declare them are imported.

    Raises:
        SelectionError: a name is unknown; the message suggests near ones.
        DiscoveryError: a file is not there or cannot be imported.
    """
    if not asked:
        return load_all(project, registry)
    declared = scan(project) if any(not text.partition("::")[0].endswith(".py") for text in asked) else []
    names = {name for one in declared for name in one.names}
    found: dict[str, Evaluation] = {}
    for text in asked:
        path = None if text in names else _as_path(text, project)
        evaluations = _from_path(path, text, project, registry) if path else [named(text, project, registry, declared)]
        found.update((evaluation.name, evaluation) for evaluation in evaluations)
    return list(found.values())


def load_all(project: Project, registry: Registry, files: Sequence[Path] | None = None) -> list[Evaluation]:
    """Returns every evaluation of the project, or of `files`, importing what declares one.

    Raises:
        DiscoveryError: there is none, or files cannot be imported (all of them are named).
    """
    from llmeval.imports import import_file  # not for a list of names

    failures: list[DiscoveryError] = []
    wanted = [declared.file for declared in scan(project, files)]
    for file in wanted:
        try:
            import_file(file, project)
        except DiscoveryError as error:
            failures.append(error)
    if len(failures) == 1:
        raise failures[0]
    if failures:
        raise DiscoveryError("\n".join(map(str, failures))) from failures[0].__cause__
    found = [evaluation for evaluation in registry if evaluation.file in wanted]
    if not found:
        places = ", ".join(map(str, project.folders if files is None else files))
        raise DiscoveryError(f"no evaluation is declared below {places}: `llmeval init` writes a first one")
    return found


def named(name: str, project: Project, registry: Registry, declared: Sequence[Declared] | None = None) -> Evaluation:
    """Returns the evaluation of that name, importing the file that declares it; `declared` is what a scan has found.

    Raises:
        SelectionError: there is none; the message suggests near names.
        DiscoveryError: its file cannot be imported.
    """
    from llmeval.imports import import_file  # as above

    declared = scan(project) if declared is None else declared
    for one in [one for one in declared if name in one.names]:
        import_file(one.file, project)
    if name not in registry:
        for one in [one for one in declared if one.dynamic]:
            import_file(one.file, project)
    if name in registry:
        return registry.get(name)
    known = {*(name for one in declared for name in one.names), *(evaluation.name for evaluation in registry)} - {name}
    if not known:
        places = ", ".join(map(str, project.folders))
        raise SelectionError(
            f"there is no evaluation {name!r}: none is declared below {places}; `llmeval init` writes a first one"
        )
    raise SelectionError(unknown("evaluation", name, sorted(known)))


def _from_path(path: Path, text: str, project: Project, registry: Registry) -> list[Evaluation]:
    files = [path] if path.is_file() else list(_mentioning(path))
    if not files:
        raise DiscoveryError(f"no evaluation is declared below {path}: no file there mentions llmeval")
    evaluations = load_all(project, registry, files)
    _, separator, name = text.partition("::")
    if not separator:
        return evaluations
    chosen = [one for one in evaluations if name in (one.name, one.name.rpartition("/")[2])]
    if not chosen:
        raise SelectionError(unknown("evaluation", name, [one.name for one in evaluations]))
    return chosen


def _as_path(text: str, project: Project) -> Path | None:
    """Returns the file or folder that `text` names, or `None` where it is an evaluation's name."""
    name = text.partition("::")[0]
    for base in (Path.cwd(), project.root, *project.folders):
        path = Path(os.path.normpath(base / name))
        if path.is_file() or path.is_dir():
            return path
    if name.endswith(".py"):
        raise DiscoveryError(f"there is no file {name!r}")
    return None


def _mentioning(folder: Path) -> Iterator[Path]:
    for path in _walk(folder):
        try:
            if b"llmeval" in path.read_bytes():
                yield path
        except OSError:  # a link that leads nowhere, or a file of somebody else's
            continue


def _walk(folder: Path) -> Iterator[Path]:
    if folder.is_file():
        yield folder
        return
    for base, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not _is_skipped(Path(base, name)))
        yield from (Path(base, name) for name in sorted(files) if name.endswith(".py") and not name.startswith("_"))


def _is_skipped(folder: Path) -> bool:
    if folder.name.startswith((".", "_")) or folder.name in SKIPPED:
        return True
    return (folder / "pyvenv.cfg").is_file() or (folder / "conda-meta").is_dir()
