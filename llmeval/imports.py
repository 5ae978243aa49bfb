"""Imports evaluation files, and what a text such as `evals/judges.py::Quality` names.

A file below the root is imported under its natural dotted name (`evals.billing.invoices`), so that its classes can be
pickled and relative imports work in packages. What it and its siblings import by a bare name is looked up beside them
first, as in a script, but never shadows the standard library nor another folder's module of that name.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from llmeval.errors import ConfigurationError, DiscoveryError
from llmeval.failures import message_of
from llmeval.project import Project, project_at
from llmeval.siblings import dotted, find_below, leads_to, synthetic_package
from llmeval.suggestions import near

__all__ = ["import_file", "load_object"]


def import_file(path: Path, project: Project) -> ModuleType:
    """Returns the module of an evaluation file, imported once.

    The roots of `project` and, where it is another, of the file's own project are importable from it.

    Raises:
        DiscoveryError: it raised while it was imported; the cause is chained.
        ConfigurationError: what it declares is wrong.
    """
    find_below(project)
    own = project_at(path.parent)
    find_below(own, path)
    try:
        return importlib.import_module(_module_name(path, own))
    except (KeyboardInterrupt, GeneratorExit, ConfigurationError):
        raise
    except BaseException as error:  # a file may raise anything, SystemExit included
        raise DiscoveryError(
            f"{project.shown(path)} cannot be imported: {type(error).__name__}: {' '.join(message_of(error).split())}"
            f"{_place(error, own.root)}"
        ) from error


def load_object(spec: str, root: Path | None) -> Any:
    """Returns what `path/to/file.py::Name` names; the path is relative to the working directory or to `root`.

    Raises:
        DiscoveryError: there is no such file or name.
    """
    file, _, name = spec.partition("::")
    project = project_at(Path.cwd() if root is None else root)
    path = next((base / file for base in (Path.cwd(), project.root) if (base / file).is_file()), None)
    if path is None:
        raise DiscoveryError(f"{spec!r}: there is no file {file!r} below {project.root}")
    module = import_file(path.absolute(), project)
    if not hasattr(module, name):
        meant = near(name, [one for one in vars(module) if not one.startswith("_")])
        raise DiscoveryError(f"{spec!r}: {file} has no {name!r}" + (f": did you mean {meant[0]!r}?" if meant else ""))
    return getattr(module, name)


def _module_name(path: Path, project: Project) -> str:
    """Returns the natural name of a file where it has one that leads to it, else a private one."""
    if "." in path.stem:
        raise DiscoveryError(f"{project.shown(path)}: a module's name has no dot in it: rename the file")
    top = _package_top(path)
    if top.is_relative_to(project.root):
        relative = path.relative_to(project.root)
        if len(relative.parts) > 1 and leads_to(dotted(relative), path):
            return dotted(relative)
    elif top != path.parent:  # the project is itself in a package
        if str(top) not in sys.path:
            sys.path.append(str(top))
        if leads_to(dotted(path.relative_to(top)), path):
            return dotted(path.relative_to(top))
    return f"{synthetic_package(top)}.{dotted(path.relative_to(top))}"


def _package_top(path: Path) -> Path:
    """Returns the folder that holds the outermost package of a file; the file's own folder without a package."""
    top = path.parent
    while (top / "__init__.py").is_file():
        top = top.parent
    return top


def _place(error: BaseException, root: Path) -> str:
    """Returns where in the project's own files an import failed, if that can be told."""
    found = ""
    trace = None if isinstance(error, SyntaxError) else error.__traceback__
    while trace is not None:
        name = Path(trace.tb_frame.f_code.co_filename)
        if root in name.parents and "site-packages" not in name.parts:
            found = f" ({name}:{trace.tb_lineno})"
        trace = trace.tb_next
    return found
