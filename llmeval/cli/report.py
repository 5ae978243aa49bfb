"""`llmeval report`."""

from __future__ import annotations

from typing import Annotated

import typer

REPORT = typer.Argument(metavar="REPORT", help="A path, NAME, NAME@ID, NAME@latest or NAME@previous.")


def show_command(
    report: Annotated[str, REPORT],
    all: Annotated[bool, typer.Option("--all", help="Show every trial.")] = False,
    by: Annotated[
        str | None, typer.Option(metavar="PATH", help="Also per value of this, as in metadata.category.")
    ] = None,
    format: Annotated[str, typer.Option(metavar="table|json|agent", help="How to print it.")] = "table",
) -> None:
    """Show a saved report."""
    from llmeval.archive import Archive
    from llmeval.cli.formats import check_format, print_json
    from llmeval.cli.project import current_project
    from llmeval.render.console import echo, look_of
    from llmeval.report import load_report

    check_format(format, ("table", "json", "agent"))
    loaded = load_report(Archive(current_project()).find(report))
    if format == "json":
        from llmeval.render.show import slices_data

        print_json(loaded.to_dict() if by is None else {**loaded.to_dict(), "slices": slices_data(loaded, by)})
    elif format == "agent":
        from llmeval.render.agent import agent_text

        echo(agent_text(loaded))
    else:
        from llmeval.render.show import report_text

        echo(report_text(loaded, look_of(), every=all, by=by))


def list_command(
    name: Annotated[str | None, typer.Argument(help="The evaluation; all without it.")] = None,
    last: Annotated[int, typer.Option(metavar="N", help="The last N reports of each evaluation.")] = 20,
    format: Annotated[str, typer.Option(metavar="table|json", help="How to print them.")] = "table",
) -> None:
    """List the saved reports, oldest first, with the trend of their pass rates."""
    from llmeval.archive import Archive
    from llmeval.cli.formats import check_format, print_json
    from llmeval.cli.project import current_project
    from llmeval.render.console import echo, look_of
    from llmeval.render.history import Run, history_data, history_text
    from llmeval.report import load_report

    check_format(format, ("table", "json"))
    archive = Archive(current_project())
    runs = [Run.of(load_report(path)) for path in archive.recent(last, name)]
    if format == "json":
        print_json(history_data(runs))
    else:
        echo(history_text(runs, look_of()) if runs else f"no report is in {archive.folder}: `llmeval run` saves one")
