"""`llmeval list`."""

from __future__ import annotations

from typing import Annotated

import typer


def command(
    format: Annotated[str, typer.Option(metavar="table|json", help="How to print them.")] = "table",
) -> None:
    """List the evaluations of the project, without importing the application."""
    from llmeval.cli.direct import show_list

    show_list(format)
