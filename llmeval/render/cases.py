"""The cases of a dataset as a list; nothing heavy is imported, since listing is to be quick."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from llmeval.cases import Case
from llmeval.render.style import PLAIN, Look
from llmeval.render.text import excerpt, one_line

__all__ = ["cases_data", "cases_text"]

EXCERPT: Final = 200


def cases_text(listed: Sequence[Case], look: Look = PLAIN) -> str:
    """Returns a line per case: its name, its inputs, whether it has a reference, and its metadata."""
    metadata = any(case.metadata for case in listed)
    head = ["case", "inputs", "expected", *(["metadata"] if metadata else [])]
    rows = [head, *(_row(case, metadata) for case in listed)]
    return "\n".join(look.columns(rows))


def cases_data(listed: Sequence[Case]) -> list[dict[str, Any]]:
    """Returns the cases as plain JSON, as in a dataset."""
    return [case.to_dict() for case in listed]


def _row(case: Case, metadata: bool) -> list[str]:
    row = [one_line(case.name), one_line(excerpt(case.inputs, EXCERPT)), "yes" if case.has_expected_output else "no"]
    if metadata:
        row.append(one_line(", ".join(f"{key}={excerpt(value, 40)}" for key, value in case.metadata.items())))
    return row
