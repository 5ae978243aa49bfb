"""`llmeval report`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from llmeval.cli.completion import complete_evaluation

if TYPE_CHECKING:
    from llmeval.render.history import Run

REPORT = typer.Argument(
    metavar="REPORT",
    help="A path, NAME, NAME@ID, NAME@latest or NAME@previous.",
    autocompletion=complete_evaluation,
)


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
    name: Annotated[
        str | None, typer.Argument(help="The evaluation; all without it.", autocompletion=complete_evaluation)
    ] = None,
    last: Annotated[str, typer.Option(metavar="N", help="The last N reports of each evaluation.")] = "20",
    format: Annotated[str, typer.Option(metavar="table|json", help="How to print them.")] = "table",
) -> None:
    """List the saved reports, oldest first, with the trend of their pass rates."""
    from llmeval.archive import Archive
    from llmeval.cli.formats import check_format, print_json
    from llmeval.cli.numbers import whole
    from llmeval.cli.project import current_project
    from llmeval.errors import OptionError
    from llmeval.render.console import echo, look_of
    from llmeval.render.history import history_data, history_text

    check_format(format, ("table", "json"))
    number = whole("last", last)
    if not number or number < 1:
        raise OptionError(f"last is {last!r}: give a whole number of 1 or more")
    archive = Archive(current_project())
    paths = [*archive.unreadable(name), *archive.recent(number, name)]
    runs = [run for path in paths if (run := _run(path)) is not None]
    if format == "json":
        print_json(history_data(runs))
    elif runs:
        echo(history_text(runs, look_of()))
    else:
        of = "" if name is None else f" of {name!r}"
        echo(f"no report{of} is in {archive.folder}: `llmeval run` saves one")


def _run(path: Path) -> Run | None:
    """Returns a report's line; one that cannot be read is noted."""
    import sys

    from llmeval.errors import ReportFileError
    from llmeval.render.console import echo
    from llmeval.render.history import Run
    from llmeval.report import load_report

    try:
        return Run.of(load_report(path))
    except ReportFileError as error:
        echo(f"note: left out: {error}", sys.stderr)
        return None
