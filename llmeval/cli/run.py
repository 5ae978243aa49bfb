"""`llmeval run`."""

from __future__ import annotations

from typing import Annotated

import typer

from llmeval.cli.completion import complete_case, complete_evaluation


def command(
    evaluations: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME or PATH]...",
            help="Evaluations, files or folders; all without one.",
            autocompletion=complete_evaluation,
        ),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option("--only", metavar="NAME", help="Run this case; repeatable.", autocompletion=complete_case),
    ] = None,
    repetitions: Annotated[str | None, typer.Option(metavar="N", help="Trials of each case.")] = None,
    id: Annotated[str | None, typer.Option("--id", metavar="ID", help="Name the run; a UUID without it.")] = None,
    dataset: Annotated[str | None, typer.Option(metavar="PATH", help="Take the cases from this file.")] = None,
    evaluator: Annotated[
        str | None, typer.Option(metavar="SPEC", help="Grade with this: openai:MODEL, local, none, file.py::Name, ...")
    ] = None,
    no_grading: Annotated[bool, typer.Option("--no-grading", help="Run assertions only.")] = False,
    tag: Annotated[
        list[str] | None, typer.Option(metavar="TAG", help="Run evaluations with this tag; repeatable.")
    ] = None,
    where: Annotated[
        list[str] | None,
        typer.Option(metavar="PATH=VALUE", help="Run cases like metadata.category=returns; repeatable."),
    ] = None,
    limit: Annotated[str | None, typer.Option(metavar="N", help="Run the first N of the selected cases.")] = None,
    set: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Set attempt.params; several values of a key make variants."),
    ] = None,
    concurrency: Annotated[
        str | None, typer.Option("--concurrency", "-j", metavar="N|auto", help="Trials at the same time.")
    ] = None,
    timeout: Annotated[str | None, typer.Option(metavar="SECONDS", help="For setup to assertions of a trial.")] = None,
    max_cost: Annotated[str | None, typer.Option(metavar="USD", help="Launch nothing that would cost more.")] = None,
    max_requests: Annotated[
        str | None, typer.Option(metavar="N", help="Launch nothing that would make more model requests.")
    ] = None,
    resume: Annotated[
        str | None, typer.Option(metavar="ID", help="Go on with a run; the begin of its id will do.")
    ] = None,
    allow_changed: Annotated[
        bool, typer.Option("--allow-changed", help="Resume, or compare with a baseline, although something changed.")
    ] = False,
    retry_errors: Annotated[
        str | None, typer.Option(metavar="N", help="Try a trial that ends in an error again.")
    ] = None,
    require: Annotated[str | None, typer.Option(metavar="K/N", help="Run N times; a case passes when K do.")] = None,
    fail_under: Annotated[str | None, typer.Option(metavar="RATE", help="Pass at this rate: 0.9 or 90%.")] = None,
    baseline: Annotated[
        str | None, typer.Option(metavar="REPORT", help="Compare with this report, or the one in this folder.")
    ] = None,
    fail_on: Annotated[
        str | None, typer.Option(metavar="any|regression", help="With --baseline: exit with 1 when it got worse.")
    ] = None,
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="PATH", help="Save the report there too; several in a folder."),
    ] = None,
    plan: Annotated[bool, typer.Option("--plan", help="Print what would run, and run nothing.")] = False,
    plain: Annotated[bool, typer.Option("--plain", help="Print lines instead of the live table.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print the verdict only.")] = False,
    format: Annotated[str, typer.Option(metavar="table|json|agent", help="What to print on stdout.")] = "table",
) -> None:
    """Run evaluations and save their reports."""
    given = locals().copy()
    from llmeval.cli.flags import Flags
    from llmeval.cli.numbers import amount, whole
    from llmeval.cli.running import run_all

    for name, text in given.items():
        if name in ("repetitions", "limit", "max_requests", "retry_errors"):
            given[name] = whole(name, text)
        elif name in ("timeout", "max_cost"):
            given[name] = amount(name, text)
    raise typer.Exit(run_all(Flags(**given)))
