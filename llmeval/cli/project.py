"""The project that a command works in."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from llmeval.project import Project, project_at

if TYPE_CHECKING:
    from llmeval.evaluations import Evaluation

__all__ = ["current_project", "one_evaluation"]


def current_project() -> Project:
    """Returns the project of the working directory."""
    return project_at(Path.cwd())


def one_evaluation(name: str) -> Evaluation:
    """Returns the evaluation that a name or a path means, importing only the file that declares it.

    Raises:
        SelectionError: it means none, or several.
    """
    from llmeval.declarations import default_registry
    from llmeval.discovery import find
    from llmeval.errors import SelectionError

    found = find([name], current_project(), default_registry)
    if len(found) > 1:
        names = ", ".join(evaluation.name for evaluation in found)
        raise SelectionError(f"{name!r} declares several evaluations: name one of {names}")
    return found[0]
