"""`llmeval cases`."""

from __future__ import annotations

from typing import Annotated

import typer

from llmeval.cli.common import complete_case, complete_evaluation


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
    from llmeval.cli.common import one_evaluation
    from llmeval.cli.formats import check_format, print_json
    from llmeval.render.cases import cases_data, cases_text
    from llmeval.render.console import echo, look_of

    check_format(format, ("table", "json"))
    cases = one_evaluation(name).cases(dataset, only or None)
    if format == "json":
        print_json(cases_data(cases))
    else:
        echo(cases_text(cases, look_of()))
