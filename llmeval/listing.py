"""What a list of a project's evaluations says, as far as it can be told without importing them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from llmeval.naming import last_part
from llmeval.project import Project
from llmeval.sources import Declared

__all__ = ["listed"]


def listed(project: Project, declared: Sequence[Declared]) -> Iterator[dict[str, Any]]:
    """Yields name, file and dataset file of each evaluation; a file whose names are computed is imported for them."""
    for one in declared:
        names = dict.fromkeys(one.names)
        if one.dynamic:
            names.update(dict.fromkeys(_imported(one, project)))
        for name in names:
            yield {"name": name, "file": project.shown(one.file), "cases": _cases(one, name, project)}


def _imported(one: Declared, project: Project) -> list[str]:
    from llmeval.declarations import default_registry
    from llmeval.imports import import_file

    import_file(one.file, project)
    return [evaluation.name for evaluation in default_registry if evaluation.file == one.file]


def _cases(one: Declared, name: str, project: Project) -> str | None:
    from llmeval.datasets import SUFFIXES

    paths = (one.file.parent / f"{last_part(name)}{suffix}" for suffix in SUFFIXES)
    return ", ".join(project.shown(path) for path in paths if path.is_file()) or None
