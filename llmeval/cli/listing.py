"""`llmeval list`."""

from __future__ import annotations

from typing import Annotated

import typer


def command(
    format: Annotated[str, typer.Option(metavar="table|json", help="How to print them.")] = "table",
) -> None:
    """List the evaluations of the project, without importing the application."""
    from llmeval.cli.common import current_project
    from llmeval.cli.formats import check_format, print_json
    from llmeval.discovery import scan
    from llmeval.listing import listed
    from llmeval.render.console import echo, look_of
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
