"""`llmeval cases`."""

from __future__ import annotations

from typing import Annotated

import typer

from llmeval.cli.completion import complete_case, complete_evaluation


def command(
    name: Annotated[str, typer.Argument(help="The evaluation.", autocompletion=complete_evaluation)],
    only: Annotated[
        list[str] | None,
        typer.Option("--only", metavar="NAME", help="Show this case; repeatable.", autocompletion=complete_case),
    ] = None,
    dataset: Annotated[str | None, typer.Option(metavar="PATH", help="Take the cases from this file.")] = None,
    format: Annotated[str, typer.Option(metavar="table|json", help="How to print them.")] = "table",
) -> None:
    """List the cases of an evaluation; nothing runs and no request is made."""
    from llmeval.cli.direct import show_cases

    show_cases(name, only or None, dataset, format)
