"""Imports the modules below the evals folders with their asserts instrumented."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import CodeType, ModuleType

from llmeval.assertions.rewriting import compile_instrumented

__all__ = ["AssertionHook", "AssertionLoader"]


class AssertionLoader(SourceFileLoader):
    """Loads a source file with its asserts instrumented.

    It reads and writes no bytecode, so that a plain import of the same file elsewhere is not affected.
    """

    def get_code(self, fullname: str) -> CodeType:
        """Returns the module's code, compiled anew."""
        path = self.get_filename(fullname)
        return compile_instrumented(self.get_data(path), path)


class AssertionHook:
    """Finds the modules below `folders`, as Python would, and has them loaded by `AssertionLoader`.

    Every other import costs a look at its search path and no more.
    """

    def __init__(self, folders: Iterable[str | os.PathLike[str]]) -> None:
        paths = [os.path.abspath(folder) for folder in folders]  # noqa: PTH100 - text, compared on each import
        self._roots = tuple({path + os.sep for given in paths for path in (given, os.path.realpath(given))})

    def install(self) -> None:
        """Adds itself to the imports: after built-in modules and pytest's own rewriting, before other source files."""
        if self not in sys.meta_path:
            at = next((n for n, finder in enumerate(sys.meta_path) if finder is PathFinder), len(sys.meta_path))
            sys.meta_path.insert(at, self)

    def uninstall(self) -> None:
        """Removes itself from the imports."""
        if self in sys.meta_path:
            sys.meta_path.remove(self)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Returns the spec of a module below the folders, `None` for any other."""
        name = fullname.rpartition(".")[2]
        if not any(self._may_hold(entry, name) for entry in (sys.path if path is None else path)):
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is None or type(spec.loader) is not SourceFileLoader or not self._is_below(spec.origin or ""):
            return None
        spec.loader = AssertionLoader(fullname, spec.loader.path)
        return spec

    def _may_hold(self, entry: str, name: str) -> bool:
        module = os.path.join(os.path.abspath(entry), name)  # noqa: PTH100, PTH118 - runs on each import
        return self._is_below(module + os.sep) and (os.path.exists(module) or os.path.exists(f"{module}.py"))  # noqa: PTH110

    def _is_below(self, path: str) -> bool:
        return path.startswith(self._roots)
