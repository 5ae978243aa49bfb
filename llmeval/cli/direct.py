"""Commands as functions; called with names alone they need no parser, and start without importing one."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from llmeval.cli.formats import check_format, print_json
from llmeval.cli.project import current_project, one_evaluation
from llmeval.render.console import echo, look_of

__all__ = ["direct", "run_names", "show_cases", "show_list"]


def direct(arguments: Sequence[str]) -> Callable[[], object] | None:
    """Returns the command that the arguments ask for when they are names alone, or `None` where there is to parse."""
    if not arguments or any(argument.startswith("-") for argument in arguments):
        return None
    command, *names = arguments
    if command == "run":
        return lambda: run_names(names)
    if command == "cases" and len(names) == 1:
        return lambda: show_cases(names[0])
    if command == "list" and not names:
        return show_list
    return None


def run_names(names: Sequence[str]) -> int:
    """Runs evaluations without options, and returns the exit code."""
    from llmeval.cli.flags import Flags
    from llmeval.cli.running import run_all

    return run_all(Flags(evaluations=names))


def show_cases(name: str, only: Sequence[str] | None = None, dataset: str | None = None, format: str = "table") -> None:
    """Prints the cases of an evaluation."""
    from llmeval.render.cases import cases_data, cases_text

    check_format(format, ("table", "json"))
    cases = one_evaluation(name).cases(dataset, only)
    if format == "json":
        print_json(cases_data(cases))
    else:
        echo(cases_text(cases, look_of()))


def show_list(format: str = "table") -> None:
    """Prints the evaluations of the project."""
    from llmeval.discovery import scan
    from llmeval.listing import listed
    from llmeval.render.listing import Listed, listing_data, listing_text

    check_format(format, ("table", "json"))
    project = current_project()
    found = [Listed(**one) for one in listed(project, scan(project))]
    if format == "json":
        print_json(listing_data(found))
    elif found:
        echo(listing_text(found, look_of()))
    else:
        echo(
            f"no evaluation is declared below {', '.join(map(str, project.folders))}: `llmeval init` writes a first one"
        )
