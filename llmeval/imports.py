"""Imports evaluation files: the project root is importable, sibling modules are private to their folder.

A file below the root is imported under its natural dotted name (`evals.billing.invoices`), so that its classes can be
pickled and relative imports work in packages. What it and its siblings import by a bare name is looked up beside them
first, as in a script, but never shadows the standard library nor another folder's module of that name.
"""

from __future__ import annotations

import builtins
import importlib
import importlib.machinery
import importlib.util
import sys
from collections.abc import Mapping, Sequence
from hashlib import sha256
from importlib.abc import MetaPathFinder
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, Final

from llmeval.errors import DiscoveryError
from llmeval.project import Project

__all__ = ["import_file", "load_object"]

_SYNTHETIC: Final = "llmeval_evals_"


def import_file(path: Path, project: Project) -> ModuleType:
    """Returns the module of an evaluation file, imported once.

    Raises:
        DiscoveryError: it raised while it was imported; the cause is chained.
    """
    _prepare(project)
    name = _module_name(path, project)
    try:
        return importlib.import_module(name)
    except (KeyboardInterrupt, GeneratorExit):
        raise
    except DiscoveryError:
        raise
    except BaseException as error:
        from llmeval.errors import ConfigurationError

        if isinstance(error, ConfigurationError):
            raise
        place = _place(error, path)
        raise DiscoveryError(
            f"{project.shown(path)} cannot be imported: {type(error).__name__}: {error}{place}"
        ) from error


def load_object(spec: str, root: Path | None) -> Any:
    """Returns what `path/to/file.py::Name` names.

    Raises:
        DiscoveryError: there is no such file or name.
    """
    from llmeval.project import project_at

    file, _, name = spec.partition("::")
    project = project_at(Path.cwd() if root is None else root)
    path = next((base / file for base in (Path.cwd(), project.root) if (base / file).is_file()), None)
    if path is None:
        raise DiscoveryError(f"{spec!r}: there is no file {file!r} below {project.root}")
    module = import_file(path.absolute(), project)
    if not hasattr(module, name):
        from difflib import get_close_matches

        near = get_close_matches(name, dir(module), n=1)
        raise DiscoveryError(f"{spec!r}: {file} has no {name!r}" + (f": did you mean {near[0]!r}?" if near else ""))
    return getattr(module, name)


class EvalLoader(importlib.machinery.SourceFileLoader):
    """Loads a module below the evals folders: its asserts count, and its imports look beside it first."""

    def __init__(self, name: str, path: str, siblings: Siblings) -> None:
        super().__init__(name, path)
        self._siblings = siblings

    def get_code(self, fullname: str) -> CodeType:
        """Returns the instrumented code; a cached bytecode file, which has plain asserts, is neither read nor written."""
        from llmeval.assertions import compile_instrumented

        path = self.get_filename(fullname)
        return compile_instrumented(self.get_data(path), path)

    def exec_module(self, module: ModuleType) -> None:
        """Runs the module with an `__import__` of its own."""
        module.__dict__["__builtins__"] = self._siblings.builtins
        super().exec_module(module)


class EvalFinder(MetaPathFinder):
    """Finds modules below the evals folders of a project."""

    def __init__(self) -> None:
        self.folders: dict[Path, Project] = {}

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Returns the spec of a module whose file is below one of the folders."""
        if not self._may_have(name.rpartition(".")[2], path):
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is None or spec.origin is None or not isinstance(spec.loader, importlib.machinery.SourceFileLoader):
            return None
        origin = Path(spec.origin)
        for folder in self.folders:
            if origin.is_relative_to(folder) or origin == folder:
                top = folder if folder.is_dir() else folder.parent
                spec.loader = EvalLoader(name, spec.origin, siblings_of(origin.parent, top))
                return spec
        return None

    def _may_have(self, last: str, path: Sequence[str] | None) -> bool:
        """Whether a search is worth it: most imports of a process lead elsewhere."""
        if path is None:
            return any(_is_module(project.root / last) for project in self.folders.values())
        roots = [*self.folders, *(project.root for project in self.folders.values())]
        return any(Path(entry).is_relative_to(root) for entry in path for root in roots)


class Siblings:
    """The modules beside a file, up to its evals folder, under names that are private to their folder."""

    def __init__(self, folder: Path, top: Path) -> None:
        self.folders = [parent for parent in (folder, *folder.parents) if parent == top or parent.is_relative_to(top)]
        self.builtins = {**vars(builtins), "__import__": self._import}

    def _import(
        self,
        name: str,
        globals: Mapping[str, object] | None = None,
        locals: Mapping[str, object] | None = None,
        fromlist: Sequence[str] = (),
        level: int = 0,
    ) -> ModuleType:
        first = name.partition(".")[0]
        if level == 0 and first not in sys.stdlib_module_names and first != "llmeval":
            for folder in self.folders:
                if _is_module(folder / first):
                    package = _private_package(folder)
                    return builtins.__import__(name, {"__package__": package, "__name__": package}, locals, fromlist, 1)
        return builtins.__import__(name, globals, locals, fromlist, level)


_finder: Final = EvalFinder()
_siblings: dict[Path, Siblings] = {}


def siblings_of(folder: Path, top: Path) -> Siblings:
    """Returns the siblings of a folder's files; one object a folder."""
    if folder not in _siblings:
        _siblings[folder] = Siblings(folder, top)
    return _siblings[folder]


def _prepare(project: Project) -> None:
    root = str(project.root)
    if root not in sys.path:
        sys.path.insert(0, root)
    for folder in project.folders:
        _finder.folders.setdefault(folder, project)
    if _finder not in sys.meta_path:
        sys.meta_path.insert(0, _finder)


def _module_name(path: Path, project: Project) -> str:
    """Returns the natural name of a file where it has one that leads to it, else a private one."""
    package_top = path.parent
    while (package_top / "__init__.py").is_file():
        package_top = package_top.parent
    if package_top != path.parent:
        if str(package_top) not in sys.path:
            sys.path.append(str(package_top))
        return _dotted(path.relative_to(package_top))
    if path.is_relative_to(project.root):
        relative = path.relative_to(project.root)
        name = _dotted(relative)
        if len(relative.parts) > 1 and all(part.isidentifier() for part in name.split(".")) and _leads_to(name, path):
            return name
    if not any(path.is_relative_to(folder) for folder in _finder.folders):
        _finder.folders[path] = project
    return f"{_private_package(path.parent)}.{path.stem}"


def _leads_to(name: str, path: Path) -> bool:
    """Whether importing `name` would find the file at `path` rather than another package's module."""
    if name.partition(".")[0] in sys.stdlib_module_names:
        return False
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, AttributeError, ValueError):
        return False
    return spec is not None and spec.origin is not None and Path(spec.origin) == path


def _private_package(folder: Path) -> str:
    """Returns the name of a package that stands for a folder: the natural one where it leads there."""
    for project in _finder.folders.values():
        if folder != project.root and folder.is_relative_to(project.root):
            name = _dotted(folder.relative_to(project.root) / "_")[:-2]
            if all(part.isidentifier() for part in name.split(".")) and _is_namespace(name, folder):
                return name
    name = _SYNTHETIC + sha256(str(folder).encode()).hexdigest()[:16]
    if name not in sys.modules:
        package = ModuleType(name)
        package.__path__ = [str(folder)]
        sys.modules[name] = package
    return name


def _is_namespace(name: str, folder: Path) -> bool:
    if name.partition(".")[0] in sys.stdlib_module_names:
        return False
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, AttributeError, ValueError):
        return False
    return spec is not None and str(folder) in (spec.submodule_search_locations or ())


def _is_module(path: Path) -> bool:
    return (
        path.with_suffix(".py").is_file()
        or (path / "__init__.py").is_file()
        or (path.is_dir() and any(path.glob("*.py")))
    )


def _dotted(relative: Path) -> str:
    parts = list(relative.with_suffix("").parts)
    if parts[-1] == "__init__":
        del parts[-1]
    return ".".join(parts)


def _place(error: BaseException, path: Path) -> str:
    """Returns where in the user's files an import failed, if that can be told."""
    if isinstance(error, SyntaxError):
        return ""
    found = ""
    trace = error.__traceback__
    while trace is not None:
        name = trace.tb_frame.f_code.co_filename
        if name == str(path) or path.parent in Path(name).parents:
            found = f" ({name}:{trace.tb_lineno})"
        trace = trace.tb_next
    return found
