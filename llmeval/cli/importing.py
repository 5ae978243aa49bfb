"""`llmeval import`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def command(
    file: Annotated[Path, typer.Argument(help="A Pydantic Evals file, a CSV with a header, or a JSONL.")],
    mapping: Annotated[
        list[str] | None,
        typer.Option("--map", metavar="A=B", help="Take field A as B, as in question=inputs,answer=expected_output."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write here; the ending chooses the format.")
    ] = None,
    format: Annotated[str, typer.Option(metavar="yaml|json|jsonl", help="The format on stdout.")] = "yaml",
    force: Annotated[bool, typer.Option("--force", help="Replace the output file.")] = False,
) -> None:
    """Turn another tool's file into a dataset, and say what was left out."""
    import sys

    from llmeval.cli.formats import check_format
    from llmeval.datasets.importing import import_file
    from llmeval.datasets.writing import render, write
    from llmeval.errors import DatasetError
    from llmeval.render.console import echo

    check_format(format, ("yaml", "json", "jsonl"))
    imported = import_file(file, pairs(mapping or ()))
    if output is not None:
        if output.exists() and not force:
            raise DatasetError(f"{output} exists: --force replaces it")
        write(imported.cases, output)
        echo(f"{len(imported.cases)} cases are in {output}", sys.stderr)
    else:
        echo(render(imported.cases, format))
    for line in imported.left_out:
        echo(f"left out: {line}", sys.stderr)
    for line in imported.notes:
        echo(f"note: {line}", sys.stderr)


def pairs(texts: list[str] | tuple[str, ...]) -> dict[str, str] | None:
    """Returns the mapping that `a=b,c=d` texts say, or `None` for none.

    Raises:
        OptionError: a part has no `=`, or a field is given twice.
    """
    from llmeval.errors import OptionError

    found: dict[str, str] = {}
    for part in (part for text in texts for part in text.split(",")):
        field, equals, target = (piece.strip() for piece in part.partition("="))
        if not (field and equals and target) or field in found:
            raise OptionError(
                f"map has {part!r}: write FIELD=inputs, FIELD=expected_output or FIELD=metadata.NAME, each once"
            )
        found[field] = target
    return found or None
