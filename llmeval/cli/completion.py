"""Values that a shell completes; the application is never imported for them."""

from __future__ import annotations

from pathlib import Path

import typer

from llmeval.cli.project import current_project

__all__ = ["complete_case", "complete_evaluation"]


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

    wanted = {word for word in ctx.args if not word.startswith("-")}  # while completing, no argument has its place yet
    paths = {Path(word).absolute() for word in wanted}
    found: dict[str, None] = {}
    try:
        declared = [(one, name) for one in scan(current_project()) for name in one.names]
    except Exception:  # noqa: BLE001 - as above
        return []
    for one, name in declared:
        if wanted and name not in wanted and one.file not in paths:
            continue
        try:
            cases = load(discover(one.file.parent, last_part(name))).cases
        except Exception:  # noqa: BLE001 - as above
            continue
        found.update((case.name, None) for case in cases if case.name.startswith(incomplete))
    return list(found)
