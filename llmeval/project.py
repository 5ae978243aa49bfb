"""The project: its root, its evals folders and its settings."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from llmeval.errors import ConfigurationError
from llmeval.jsonable import FrozenDict
from llmeval.suggestions import unknown

__all__ = ["Project", "project_at"]


SETTINGS: Final = ("evaluator", "paths", "prices")


@dataclass(frozen=True, kw_only=True)
class Project:
    """Where evaluations live. `settings` is `[tool.llmeval]` of the root's pyproject.toml, empty without one."""

    root: Path
    settings: Mapping[str, Any] = FrozenDict()

    @property
    def folders(self) -> tuple[Path, ...]:
        """The folders (or single files) that evaluations are looked for in: `paths` of the settings, else `evals`."""
        paths = self.settings.get("paths", ["evals"])
        if isinstance(paths, str):
            paths = [paths]
        if not isinstance(paths, list) or not all(isinstance(path, str) for path in paths):
            raise ConfigurationError(f"[tool.llmeval] paths is {paths!r}: give a list of folders, as in ['evals']")
        return tuple(Path(os.path.normpath(self.root / path)) for path in paths)

    @property
    def store(self) -> Path:
        """The folder that keeps reports and journals."""
        return self.root / ".llmeval"

    def prefix(self, file: Path) -> str:
        """Returns the sub-folder of `file` below its evals folder as a prefix of names, such as `billing/`."""
        for folder in self.folders:
            if file.is_relative_to(folder) and file != folder:
                parts = file.parent.relative_to(folder).parts
                return "".join(f"{part}/" for part in parts)
        return ""

    def shown(self, path: Path) -> str:
        """Returns `path` relative to the root where it lies below it, for messages."""
        return str(path.relative_to(self.root)) if path.is_relative_to(self.root) else str(path)


def project_at(folder: Path) -> Project:
    """Returns the project of `folder`.

    Its root is the nearest folder at or above it with `[tool.llmeval]` in its pyproject.toml, else with a
    pyproject.toml, else with `evals/`, else `folder` itself.

    Raises:
        ConfigurationError: a pyproject.toml on the way that mentions llmeval is not TOML.
    """
    return _project(Path(os.path.abspath(folder)))  # noqa: PTH100 - links stay as they are, as in messages


@lru_cache(maxsize=256)
def _project(folder: Path) -> Project:
    ancestors = (folder, *folder.parents)
    with_toml = [above for above in ancestors if (above / "pyproject.toml").is_file()]
    for above in with_toml:
        settings = _settings(above / "pyproject.toml")
        if settings is not None:
            return Project(root=above, settings=settings)
    if with_toml:
        return Project(root=with_toml[0])
    with_evals = (above for above in ancestors if (above / "evals").is_dir())
    return Project(root=next(with_evals, folder))


def _settings(path: Path) -> Mapping[str, Any] | None:
    """Returns `[tool.llmeval]`, or `None` where the file has none; one that does not mention it is not parsed."""
    text = path.read_bytes()
    if b"llmeval" not in text:
        return None
    import tomllib

    try:
        settings = tomllib.loads(text.decode()).get("tool", {}).get("llmeval")
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{path} is not TOML: {error}") from None
    if settings is None:
        return None
    if not isinstance(settings, dict):
        raise ConfigurationError(f"{path}: tool.llmeval is {settings!r}: write it as a table, [tool.llmeval]")
    for name in settings:
        if name not in SETTINGS:
            raise ConfigurationError(f"{path}: [tool.llmeval]: {unknown('setting', name, SETTINGS)}")
    return settings
