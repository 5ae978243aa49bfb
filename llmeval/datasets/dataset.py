"""A dataset: named cases, in order, and where they came from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from llmeval.cases import Case
from llmeval.jsonable import digest

__all__ = ["Dataset"]


@dataclass(frozen=True, kw_only=True)
class Dataset:
    """At least one case, each name once.

    `path` is `None` for cases that came from code; `notes` are sentences that a run shows to the user.
    """

    name: str
    cases: tuple[Case, ...]
    path: Path | None = None
    notes: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[Case]:
        return iter(self.cases)

    def __len__(self) -> int:
        return len(self.cases)

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of the canonical JSON of all cases with their names; the same for each file format."""
        return digest([case.record() for case in self.cases])
