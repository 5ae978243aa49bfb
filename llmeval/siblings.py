"""Modules below the evals folders: their asserts count, and what stands beside a file is private to its folder."""

from __future__ import annotations

import builtins
import importlib.machinery
import importlib.util
import sys
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from types import CodeType, ModuleType
from typing import Final

from llmeval.project import Project

__all__ = ["EvalFinder", "dotted", "find_below", "leads_to", "synthetic_package"]

_SYNTHETIC: Final = "llmeval_evals_"


class EvalLoader(importlib.machinery.SourceFileLoader):
    """Loads a module below the evals folders: its asserts count, and its imports look beside it first."""

    def __init__(self, name: str, path: str, siblings: Siblings) -> None:
        super().__init__(name, path)
        self._siblings = siblings

    def get_code(self, fullname: str) -> CodeType:
        """Returns the instrumented code; cached bytecode, which has plain asserts, is neither read nor written."""
        from llmeval.assertions import compile_instrumented  # only where a file is really loaded

        path = self.get_filename(fullname)
        return compile_instrumented(self.get_data(path), path)

    def exec_module(self, module: ModuleType) -> None:
        """Runs the module with an `__import__` of its own."""
        module.__dict__["__builtins__"] = self._siblings.builtins
        super().exec_module(module)


class EvalFinder:
    """Finds modules below the evals folders of the projects it was told of."""

    def __init__(self) -> None:
        self.folders: dict[Path, Project] = {}
        self._siblings: dict[Path, Siblings] = {}

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
            if origin.is_relative_to(folder):
                top = folder if folder.is_dir() else folder.parent
                spec.loader = EvalLoader(name, spec.origin, self._beside(origin.parent, top))
                return spec
        return None

    def _may_have(self, last: str, path: Sequence[str] | None) -> bool:
        """Whether a search is worth it: most imports of a process lead elsewhere."""
        if path is None:
            return any(_is_module(root / last) for root in {project.root for project in self.folders.values()})
        roots = [*self.folders, *(project.root for project in self.folders.values())]
        return any(Path(entry).is_relative_to(root) for entry in path for root in roots)

    def _beside(self, folder: Path, top: Path) -> Siblings:
        if folder not in self._siblings:
            self._siblings[folder] = Siblings(folder, top)
        return self._siblings[folder]


class Siblings:
    """The modules beside a file, up to its evals folder, under names that are private to their folder."""

    def __init__(self, folder: Path, top: Path) -> None:
        self.folders = [parent for parent in (folder, *folder.parents) if parent.is_relative_to(top)]
        self.builtins = {**vars(builtins), "__import__": self._import}
        self._packages: dict[tuple[str, object], str | None] = {}

    def _import(
        self,
        name: str,
        globals: Mapping[str, object] | None = None,
        locals: Mapping[str, object] | None = None,
        fromlist: Sequence[str] = (),
        level: int = 0,
    ) -> ModuleType:
        if level == 0:
            importer = None if globals is None else globals.get("__file__")
            package = self._package(name.partition(".")[0], importer)
            if package is not None:
                return builtins.__import__(name, {"__package__": package, "__name__": package}, locals, fromlist, 1)
        return builtins.__import__(name, globals, locals, fromlist, level)

    def _package(self, first: str, importer: object) -> str | None:
        """Returns the private package that has a module `first`, if one of the folders has it."""
        if first in sys.stdlib_module_names or first == "llmeval":
            return None
        key = first, importer
        if key not in self._packages:
            found = (folder for folder in self.folders if self._has(folder / first, importer))
            folder = next(found, None)
            self._packages[key] = None if folder is None else package_with(first, folder)
        return self._packages[key]

    @staticmethod
    def _has(path: Path, importer: object) -> bool:
        file = path.with_name(f"{path.name}.py")
        if file.is_file():
            # `evals/support.py` may import the application's package `support`: it does not mean itself.
            return str(file) != importer
        if (path / "__init__.py").is_file():
            return True
        # As everywhere, a folder that is no package yields to a package or module of its name elsewhere.
        return _has_modules(path) and not _is_elsewhere(path.name)


_finder: Final = EvalFinder()


def find_below(project: Project, *files: Path) -> None:
    """Makes the project's root importable, and has the modules of its evals folders, and `files`, found here."""
    if str(project.root) not in sys.path:
        sys.path.insert(0, str(project.root))
    for place in (*project.folders, *files):
        if not any(place.is_relative_to(folder) for folder in _finder.folders):
            _finder.folders[place] = project
    if _finder not in sys.meta_path:
        sys.meta_path.insert(0, _finder)


def package_with(module: str, folder: Path) -> str:
    """Returns the package to import the folder's `module` from: the natural one if it leads there, or one made up."""
    for root in {project.root for project in _finder.folders.values()}:
        if folder != root and folder.is_relative_to(root):
            name = dotted(folder.relative_to(root) / "_.py").removesuffix("._")
            if leads_to(name, folder) and not _is_taken(f"{name}.{module}", folder):
                return name
    return synthetic_package(folder)


def _is_taken(name: str, folder: Path) -> bool:
    """Whether a module of that name is loaded from another folder, as when a process has two projects."""
    file = getattr(sys.modules.get(name), "__file__", None)
    return file is not None and not Path(file).is_relative_to(folder)


def synthetic_package(folder: Path) -> str:
    """Returns the name of a package that is made up for a folder, so that no other module can have it."""
    name = _SYNTHETIC + sha256(str(folder).encode()).hexdigest()[:16]
    if name not in sys.modules:
        package = ModuleType(name)
        package.__path__ = [str(folder)]
        sys.modules[name] = package
    return name


def leads_to(name: str, path: Path) -> bool:
    """Returns whether importing `name` finds the file or folder at `path` rather than another module."""
    if not all(part.isidentifier() for part in name.split(".")) or name.partition(".")[0] in sys.stdlib_module_names:
        return False
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, AttributeError, ValueError):
        return False
    if spec is None:
        return False
    # A package without an `__init__.py` may be spread over the folders of several projects: the first has its modules.
    return spec.origin == str(path) or next(iter(spec.submodule_search_locations or ()), None) == str(path)


def dotted(relative: Path) -> str:
    """Returns the module's name of a file, given by its path below where names begin."""
    parts = list(relative.with_suffix("").parts)
    if parts[-1] == "__init__":
        del parts[-1]
    return ".".join(parts)


def _is_module(path: Path) -> bool:
    return path.with_name(f"{path.name}.py").is_file() or (path / "__init__.py").is_file() or _has_modules(path)


def _has_modules(folder: Path) -> bool:
    return folder.is_dir() and any(folder.rglob("*.py"))


def _is_elsewhere(name: str) -> bool:
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, AttributeError, ValueError):
        return False
    return spec is not None and spec.origin is not None
