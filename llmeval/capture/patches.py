"""Puts something in front of a class's method for as long as a run lasts, and when the class gets imported."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

__all__ = ["Patches"]


class Patches:
    """Methods that are replaced, and modules that are waited for.

    Nothing is imported: a module that is not loaded yet is patched right after its import.
    """

    def __init__(self) -> None:
        self._waiting: dict[str, Callable[[ModuleType], bool]] = {}
        self._replaced: list[tuple[type, str, Any, Any]] = []
        self._finder = _Finder(self._waiting)

    def when_imported(self, name: str, patch: Callable[[ModuleType], bool]) -> None:
        """Calls `patch` with the module `name` once it is imported; false from `patch` means it was too early."""
        self._waiting[name] = patch
        if self._finder not in sys.meta_path:
            sys.meta_path.insert(0, self._finder)
        self.catch_up()

    def catch_up(self) -> None:
        """Patches what was imported past the finder."""
        for name in tuple(self._waiting):
            if (module := sys.modules.get(name)) is not None:
                _patch(self._waiting, name, module)

    def replace(self, owner: type, name: str, make: Callable[[Any], Any]) -> None:
        """Replaces `owner.name` by what `make` makes of it, if there is one."""
        original = owner.__dict__.get(name)
        if original is not None:
            replacement = make(original)
            setattr(owner, name, replacement)
            self._replaced.append((owner, name, original, replacement))

    def undo(self) -> None:
        """Puts back what nobody else has replaced since, and waits for nothing."""
        self._waiting.clear()
        if self._finder in sys.meta_path:
            sys.meta_path.remove(self._finder)
        for owner, name, original, replacement in reversed(self._replaced):
            if owner.__dict__.get(name) is replacement:
                setattr(owner, name, original)
        self._replaced.clear()


def _patch(waiting: dict[str, Callable[[ModuleType], bool]], name: str, module: ModuleType) -> None:
    patch = waiting.pop(name, None)
    if patch is not None and not patch(module):
        waiting[name] = patch


class _Finder:
    """Finds nothing itself: lets the other finders find a module that is waited for, and adds to its loading."""

    def __init__(self, waiting: dict[str, Callable[[ModuleType], bool]]) -> None:
        self._waiting = waiting

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name not in self._waiting:
            return None
        for finder in sys.meta_path:
            find = None if finder is self else getattr(finder, "find_spec", None)
            spec = None if find is None else find(name, path, target)
            if spec is not None:
                self._add_to(spec)
                return spec  # type: ignore[no-any-return]  # finders are typed by convention only
        return None

    def _add_to(self, spec: ModuleSpec) -> None:
        loader: Any = spec.loader
        execute = loader.exec_module

        def exec_module(module: ModuleType) -> None:
            execute(module)
            _patch(self._waiting, spec.name, module)

        loader.exec_module = exec_module
