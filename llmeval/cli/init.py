"""`llmeval init`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def command(
    folder: Annotated[Path, typer.Argument(help="The project's folder.")] = Path(),
) -> None:
    """Write a first evaluation that runs, and say what to do next."""
    from llmeval.errors import ConfigurationError
    from llmeval.render.console import echo
    from llmeval.starter import FILES, NEXT

    written = []
    for name, text in FILES.items():
        path = folder / name
        if path.exists():
            raise ConfigurationError(f"{path} exists: nothing was written")
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        written.append(str(path))
    echo("\n".join(["wrote " + ", ".join(written), "", NEXT]))
