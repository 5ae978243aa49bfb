"""`llmeval report export`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from llmeval.cli.completion import complete_evaluation

if TYPE_CHECKING:
    from llmeval.report import Report

STDOUT: Final = "-"
FORMS: Final = ("html", "markdown", "junit", "csv")


def export_command(
    report: Annotated[
        str | None,
        typer.Argument(
            metavar="REPORT",
            help="A path, NAME, NAME@ID, NAME@latest or NAME@previous.",
            autocompletion=complete_evaluation,
        ),
    ] = None,
    html: Annotated[str | None, typer.Option(metavar="[PATH]", help="One page that needs nothing but itself.")] = None,
    markdown: Annotated[str | None, typer.Option(metavar="[PATH]", help="Fits a pull request's comment.")] = None,
    junit: Annotated[str | None, typer.Option(metavar="[PATH]", help="JUnit XML, for the test pages of CI.")] = None,
    csv: Annotated[str | None, typer.Option(metavar="[PATH]", help="A row for each trial and criterion.")] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="PATH", help="Write what has no path of its own there.")
    ] = None,
) -> None:
    """Write a report in other forms, to the paths given or to standard output."""
    from llmeval.archive import Archive
    from llmeval.cli.project import current_project
    from llmeval.report import load_report

    asked = {form: path for form, path in zip(FORMS, (html, markdown, junit, csv), strict=True) if path is not None}
    reference, targets = _targets(report, asked, output)
    loaded = load_report(Archive(current_project()).find(reference))
    texts = {form: _text(form, loaded) for form in targets}
    for form, path in targets.items():
        _write(texts[form], path)


def explicit(arguments: Sequence[str]) -> list[str]:
    """Returns the arguments with `-` behind each form that no path follows: its text goes to standard output."""
    options = {f"--{form}" for form in FORMS}
    found: list[str] = []
    for argument, following in zip(arguments, [*arguments[1:], "--"], strict=True):
        found.append(argument)
        if argument in options and following.startswith("-") and following != STDOUT:
            found.append(STDOUT)
    return found


def _targets(report: str | None, asked: dict[str, str], output: Path | None) -> tuple[str, dict[str, str]]:
    """Returns which report is meant, and where each of its forms goes.

    Raises:
        OptionError: no form is asked for, no report is named, or several would go to one place.
    """
    from llmeval.errors import OptionError

    if not asked:
        raise OptionError(f"say which form: {', '.join(f'--{form}' for form in FORMS)}, with a path or without")
    if report is None and len(asked) == 1 and STDOUT not in asked.values():
        ((form, report),) = asked.items()  # `export --html REPORT`: what follows the option is the report
        asked = {form: STDOUT}
    if report is None:
        raise OptionError("say which report: a path, NAME, NAME@ID, NAME@latest or NAME@previous")
    targets = {form: str(output) if path == STDOUT and output else path for form, path in asked.items()}
    if len({*targets.values()}) < len(targets):
        raise OptionError(f"{' and '.join(f'--{form}' for form in targets)} would go to one place: give each a path")
    return report, targets


def _text(form: str, report: Report) -> str:
    return _renderer(form)(report)


def _renderer(form: str) -> Callable[[Report], str]:
    if form == "html":
        from llmeval.render.html import report_page

        return report_page
    if form == "markdown":
        from llmeval.render.markdown import markdown_text

        return markdown_text
    if form == "junit":
        from llmeval.render.junit import junit_text

        return junit_text
    from llmeval.render.csv import csv_text

    return csv_text


def _write(text: str, path: str) -> None:
    import sys

    from llmeval.cli.formats import say
    from llmeval.errors import OptionError

    if path == STDOUT:
        say(text)
        return
    try:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text(text, encoding="utf-8", newline="")
    except OSError as error:
        raise OptionError(f"{path} cannot be written: {error}") from None
    say(f"wrote {path}", sys.stderr)
