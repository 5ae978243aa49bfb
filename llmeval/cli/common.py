"""What commands share: the project, and values that a shell completes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from llmeval.project import Project, project_at

if TYPE_CHECKING:
    from llmeval.evaluations import Evaluation

__all__ = ["complete_case", "complete_evaluation", "current_project", "one_evaluation"]


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


def complete_evaluation(incomplete: str) -> list[str]:
    """Returns the evaluations whose names begin so, without importing any application."""
    from llmeval.discovery import scan

    try:
        return sorted(name for one in scan(current_project()) for name in one.names if name.startswith(incomplete))
    except Exception:  # noqa: BLE001 - a shell that completes shows no error
        return []


def complete_case(ctx: typer.Context, incomplete: str) -> list[str]:
    """Returns the cases whose names begin so, of the evaluations named on the line, from the files beside them."""
    from llmeval.datasets import discover, load
    from llmeval.discovery import scan
    from llmeval.naming import last_part

    named = ctx.params.get("evaluations") or ctx.params.get("name") or ()
    wanted = {named} if isinstance(named, str) else set(named)
    found: list[str] = []
    for one in scan(current_project()):
        for name in one.names:
            if wanted and name not in wanted:
                continue
            try:
                cases = load(discover(one.file.parent, last_part(name))).cases
            except Exception:  # noqa: BLE001 - as above
                continue
            found += [case.name for case in cases if case.name.startswith(incomplete)]
    return found
