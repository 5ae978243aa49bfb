"""The evaluations of a project as a list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from llmeval.render.style import PLAIN, Look
from llmeval.render.text import one_line

__all__ = ["Listed", "listing_data", "listing_text"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Listed:
    """One evaluation: where it is declared, where its cases are, and its criteria and tags, as far as that is known."""

    name: str
    file: str
    cases: str | None = None
    criteria: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()


def listing_text(evaluations: Sequence[Listed], look: Look = PLAIN) -> str:
    """Returns a line per evaluation; a column in which nothing would stand is left out."""
    head = ["evaluation", "file", "cases", "criteria", "tags"]
    rows = [[*map(one_line, (one.name, one.file, one.cases or "", *_joined(one)))] for one in evaluations]
    kept = [index for index in range(len(head)) if index < 2 or any(row[index] for row in rows)]
    return "\n".join(look.columns([[row[index] for index in kept] for row in (head, *rows)]))


def listing_data(evaluations: Sequence[Listed]) -> list[dict[str, Any]]:
    """Returns the evaluations as plain JSON."""
    return [{key: list(v) if isinstance(v, tuple) else v for key, v in asdict(one).items()} for one in evaluations]


def _joined(one: Listed) -> tuple[str, str]:
    return ", ".join(one.criteria), ", ".join(one.tags)
