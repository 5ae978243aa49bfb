"""The names of evaluations, and the files that they are declared in."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

from llmeval.callables import wrapped
from llmeval.errors import DeclarationError
from llmeval.project import Project

__all__ = ["file_of", "full_name", "last_part", "snake_case"]


def full_name(given: str | None, target: Any, file: Path | None, project: Project) -> str:
    """Returns an evaluation's name: `given`, or the function's or class's, below the file's sub-folder.

    Raises:
        DeclarationError: the name is blank, or there is none to take.
    """
    if given is not None and (not isinstance(given, str) or not given.strip("/ ")):
        raise DeclarationError(f"an evaluation's name is {given!r}: give it a name that is not blank")
    name = given if given is not None else _own_name(target)
    return name if "/" in name or file is None else project.prefix(file) + name


def last_part(name: str) -> str:
    """Returns the part of a name behind its last slash: the stem of its dataset's file."""
    return name.rpartition("/")[2]


def snake_case(name: str) -> str:
    """Returns a class's name in snake case without a trailing `_evaluation`: RefundSafetyEvaluation is refund_safety."""
    name = re.sub(r"(?<=[A-Z])(?=[A-Z][a-z])|(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
    return name.removesuffix("_evaluation")


def file_of(target: Any) -> Path | None:
    """Returns the file that declares `target`; `None` in a notebook or an interactive session."""
    if isinstance(target, type):
        name = getattr(sys.modules.get(target.__module__), "__file__", None)
    else:
        name = getattr(getattr(wrapped(target), "__code__", None), "co_filename", None)
    if not name:
        return None
    path = Path(name).absolute()
    return path if path.is_file() else None


def _own_name(target: Any) -> str:
    if isinstance(target, type):
        return snake_case(target.__name__)
    name = getattr(target, "__name__", None) or getattr(wrapped(target), "__name__", None)
    if not isinstance(name, str) or name == "<lambda>":
        raise DeclarationError(f"{target!r} has no name of its own: write @evaluation(name='…')")
    return name
