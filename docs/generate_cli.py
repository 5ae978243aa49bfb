"""Writes the help of every command, at 80 columns, into `docs/cli.md`.

Run it with `python docs/generate_cli.py` after a change to the command line; a test checks that it was.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import typer

from llmeval.cli import build

__all__ = ["PAGE", "reference"]

PAGE: Final = Path(__file__).parent / "cli.md"
WIDTH: Final = 80

_HELP = re.compile(r"(?<=<!-- help -->\n).*(?=<!-- /help -->)", re.DOTALL)


def reference() -> str:
    """Returns the page with today's help in it."""
    helps = _helps(typer.main.get_command(build()), ("llmeval",))
    text = "".join(f"\n### `{' '.join(names)}`\n\n```text\n{text}\n```\n" for names, text in helps)
    return _HELP.sub(lambda _: f"{text}\n", PAGE.read_text(encoding="utf-8"))


def _helps(command: Any, names: tuple[str, ...], parent: Any = None) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yields the names and the help of a command and of those below it."""
    context = command.make_context(names[-1], [], parent=parent, resilient_parsing=True)
    context.terminal_width = context.max_content_width = WIDTH
    formatter = context.make_formatter()
    formatter.width = WIDTH
    command.format_help(context, formatter)
    yield names, formatter.getvalue().rstrip()
    for name, inner in getattr(command, "commands", {}).items():
        yield from _helps(inner, (*names, name), context)


if __name__ == "__main__":
    PAGE.write_text(reference(), encoding="utf-8")
