"""The forms that commands print in."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from llmeval.errors import OptionError
from llmeval.render.console import echo

__all__ = ["check_format", "print_json"]


def check_format(format: str, known: Sequence[str]) -> None:
    """Refuses a form that a command does not have.

    Raises:
        OptionError: it lists those that it has.
    """
    if format not in known:
        raise OptionError(f"format is {format!r}: give {', '.join(known[:-1])} or {known[-1]}")


def print_json(data: Any) -> None:
    """Prints indented JSON on stdout."""
    echo(json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False))
