"""`llmeval report diff`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from llmeval.cli.completion import complete_evaluation

if TYPE_CHECKING:
    from llmeval.diff import Comparison

REPORTS = "A path, NAME, NAME@ID, NAME@latest or NAME@previous"


def diff_command(
    baseline: Annotated[
        str, typer.Argument(metavar="A", help=f"The baseline. {REPORTS}.", autocompletion=complete_evaluation)
    ],
    candidates: Annotated[
        list[str],
        typer.Argument(
            metavar="B...", help="What is compared with it, one or several.", autocompletion=complete_evaluation
        ),
    ],
    format: Annotated[str, typer.Option(metavar="text|markdown|json|agent|html", help="How to print it.")] = "text",
    by: Annotated[
        str | None, typer.Option(metavar="PATH", help="Also per value of this, as in metadata.category.")
    ] = None,
    only_changed: Annotated[bool, typer.Option("--only-changed", help="Leave out what did not change.")] = False,
    allow_changed: Annotated[
        bool, typer.Option("--allow-changed", help="Compare also what is not comparable.")
    ] = False,
    fail_on: Annotated[
        str | None, typer.Option(metavar="any|regression", help="Exit with 1 when a case, or the whole, got worse.")
    ] = None,
) -> None:
    """Compare a report with a baseline: what got worse or better, and whether that is real."""
    from llmeval.archive import Archive
    from llmeval.cli.baselines import check_fail_on, diff_exit
    from llmeval.cli.formats import check_format
    from llmeval.cli.outcomes import worst
    from llmeval.cli.project import current_project
    from llmeval.diff import compare_many
    from llmeval.errors import OptionError

    check_format(format, ("text", "table", "markdown", "json", "agent", "html"))
    check_fail_on(fail_on)
    if format == "html" and len(candidates) > 1:
        raise OptionError(f"--format html shows one candidate, and there are {len(candidates)}: compare one at a time")
    archive = Archive(current_project())
    paths = [archive.find(reference) for reference in (baseline, *candidates)]
    found = compare_many(paths[0], paths[1:], allow_changed, by)
    _print(found, format, only_changed)
    raise typer.Exit(worst([diff_exit(diff, fail_on) for diff in found.diffs]))


def _print(found: Comparison, format: str, only_changed: bool) -> None:
    from llmeval.cli.formats import print_json, say

    one = found.diffs[0] if len(found.diffs) == 1 else None
    if format == "json":
        print_json(found.to_dict() if one is None else one.to_dict())
    elif format == "agent":
        from llmeval.render.diff_agent import diff_agent

        say("\n\n".join(map(diff_agent, found.diffs)))
    elif format == "markdown":
        from llmeval.render.diff_markdown import comparison_markdown, diff_markdown

        say(comparison_markdown(found) if one is None else diff_markdown(one, only_changed=only_changed))
    elif format == "html" and one is not None:
        from llmeval.render.html import diff_page

        say(diff_page(one))
    else:
        from llmeval.render.console import look_of
        from llmeval.render.diff_text import comparison_text, diff_text

        look = look_of()
        say(comparison_text(found, look) if one is None else diff_text(one, look, only_changed=only_changed))
