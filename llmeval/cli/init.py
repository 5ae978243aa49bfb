"""`llmeval init`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def command(
    folder: Annotated[Path | None, typer.Argument(help="The project's folder; the one here without it.")] = None,
) -> None:
    """Write a first evaluation that runs, and say what to do next."""
    from llmeval.errors import ConfigurationError
    from llmeval.project import project_at
    from llmeval.render.console import echo
    from llmeval.render.text import shell_word
    from llmeval.starter import FILES, NEXT

    here = Path.cwd()
    project = project_at(here if folder is None else folder)
    if folder is not None and project.root != folder.absolute():
        raise ConfigurationError(
            f"{folder} belongs to the project at {project.root}, where evaluations are looked for below "
            f"{', '.join(map(project.shown, project.folders))}: run `llmeval init` there"
        )
    paths = {project.folders[0] / name: text for name, text in FILES.items()}
    for path in paths:
        if path.exists():
            raise ConfigurationError(f"{project.shown(path)} exists: nothing was written")
    try:
        for path, text in paths.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ConfigurationError(f"nothing can be written in {project.root}: {error}") from None
    lines = ["wrote " + ", ".join(map(project.shown, paths)), "", "Next:"]
    if not here.is_relative_to(project.root):
        lines.append(f"  cd {shell_word(str(project.root))}")
    echo("\n".join([*lines, NEXT]))
