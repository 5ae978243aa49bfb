"""The names of evaluations, and the files that they are declared in."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

from llmeval.callables import innermost, wrapped
from llmeval.errors import DeclarationError
from llmeval.project import Project, project_at

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
    """Returns a class's name in snake case without a last `_evaluation`: RefundSafetyEvaluation is refund_safety."""
    name = re.sub(r"(?<=[A-Z])(?=[A-Z][a-z])|(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
    return name.removesuffix("_evaluation")


def file_of(target: Any) -> Path | None:
    """Returns the file that an evaluation of `target`, which is being declared, belongs to; `None` in a notebook.

    It is the file that `target` is written in, when that is an evaluation file or the one that is being imported.
    Otherwise `target` comes from elsewhere (a function of the application, or one that a helper makes), and it is the
    evaluation file that declares it, else the place of the declaration.
    """
    own = _written_in(target)
    if own is not None and _is_eval_file(own):
        return own
    callers = list(_callers())
    running = {file for file, top in callers if top}
    if own is not None and own in running:
        return own
    for file, _ in callers:
        if file is not None and _is_eval_file(file):
            return file
    return own if own in {file for file, _ in callers} else callers[0][0]


def _is_eval_file(file: Path) -> bool:
    if file.name.startswith("_"):
        return False
    return any(file.is_relative_to(folder) for folder in project_at(file.parent).folders)


def _callers() -> Iterator[tuple[Path | None, bool]]:
    """Yields the file of each caller outside llmeval, and whether it is being imported, the nearest first."""
    frame: FrameType | None = sys._getframe()
    seen: set[tuple[str, bool]] = set()
    while frame is not None:
        code, name = frame.f_code, frame.f_globals.get("__name__") or ""
        place = code.co_filename, code.co_name == "<module>"
        if name != "llmeval" and not name.startswith("llmeval.") and place not in seen:
            seen.add(place)
            yield _existing(code.co_filename), code.co_name == "<module>"
        frame = frame.f_back


def _written_in(target: Any) -> Path | None:
    if isinstance(target, type):
        name = getattr(sys.modules.get(target.__module__), "__file__", None)
        return _existing(name)
    return _existing(getattr(getattr(innermost(target), "__code__", None), "co_filename", None))


def _existing(name: str | None) -> Path | None:
    if not name:
        return None
    path = Path(name).absolute()
    return path if path.is_file() else None


def _own_name(target: Any) -> str:
    if isinstance(target, type):
        return snake_case(target.__name__)
    name = getattr(target, "__name__", None) or getattr(wrapped(target), "__name__", None)
    if name == "__call__":
        name = snake_case(type(target).__name__)
    if not isinstance(name, str) or name == "<lambda>":
        raise DeclarationError(f"{target!r} has no name of its own: write @evaluation(name='…')")
    return name
