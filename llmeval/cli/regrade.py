"""`llmeval regrade`."""

from __future__ import annotations

from typing import Annotated

import typer

from llmeval.cli.completion import complete_case


def command(
    report: Annotated[
        str | None,
        typer.Argument(metavar="[REPORT]", help="A path, NAME, NAME@ID, NAME@latest or NAME@previous."),
    ] = None,
    evaluator: Annotated[
        str | None,
        typer.Option(
            metavar="SPEC", help="Grade with this: openai:MODEL, local, file.py::Name, ...; as before without it."
        ),
    ] = None,
    repeat: Annotated[
        int | None, typer.Option(metavar="N", help="Ask the evaluator N times, and tell how often it flips.")
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option("--only", metavar="NAME", help="Grade this case; repeatable.", autocompletion=complete_case),
    ] = None,
    id: Annotated[
        str | None, typer.Option("--id", metavar="ID", help="Name the new report; a UUID without it.")
    ] = None,
    concurrency: Annotated[
        str | None, typer.Option("--concurrency", "-j", metavar="N|auto", help="Trials at the same time.")
    ] = None,
    max_cost: Annotated[float | None, typer.Option(metavar="USD", help="Launch nothing that would cost more.")] = None,
    max_requests: Annotated[
        int | None, typer.Option(metavar="N", help="Launch nothing that would make more model requests.")
    ] = None,
    resume: Annotated[
        str | None, typer.Option(metavar="ID", help="Go on with a regrading; the begin of its id will do.")
    ] = None,
    allow_changed: Annotated[
        bool, typer.Option("--allow-changed", help="Resume although the source, commit or tree changed.")
    ] = False,
    retry_errors: Annotated[int | None, typer.Option(metavar="N", help="Ask again after an evaluator's error.")] = None,
    output: Annotated[
        str | None, typer.Option("--output", "-o", metavar="PATH", help="Save the report there too.")
    ] = None,
    plan: Annotated[bool, typer.Option("--plan", help="Print what would be graded, and grade nothing.")] = False,
    plain: Annotated[bool, typer.Option("--plain", help="Print lines instead of the live table.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print the verdict only.")] = False,
    format: Annotated[str, typer.Option(metavar="table|json|agent", help="What to print on stdout.")] = "table",
) -> None:
    """Grade the evidence of a report again, without running the application."""
    given = {name: value for name, value in locals().items() if name not in ("report", "repeat")}
    from llmeval.cli.flags import Flags
    from llmeval.cli.regrading import regrade_all

    raise typer.Exit(regrade_all(report, repeat, Flags(**given)))
