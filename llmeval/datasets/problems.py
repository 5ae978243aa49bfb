"""Everything that is wrong with one dataset, gathered and raised at once."""

from __future__ import annotations

from dataclasses import dataclass

from llmeval.cases import MAX_DEPTH
from llmeval.errors import DatasetError

__all__ = ["SHOWN", "TOO_DEEP", "Problem", "Problems", "plural", "shorten"]

TOO_DEEP = f"nested more than {MAX_DEPTH} levels deep: write the inner part as text, or flatten it"

SHOWN = 20
"""Problems that an error lists; the rest are counted."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Problem:
    """One mistake: `message` says what was found and what to do; `line` and `column` count from 1."""

    message: str
    line: int | None = None
    column: int | None = None

    def __str__(self) -> str:
        return f"{self.place}: {self.message}" if self.line else self.message

    @property
    def place(self) -> str:
        return f"line {self.line}" + (f", column {self.column}" if self.column else "")


class Problems:
    """Gathers the problems of the dataset that `where` names: a path, or what the cases came from."""

    def __init__(self, where: str) -> None:
        self.where = where
        self._found: list[Problem] = []

    def __bool__(self) -> bool:
        return bool(self._found)

    def __len__(self) -> int:
        return len(self._found)

    def add(self, message: str, line: int | None = None, column: int | None = None) -> None:
        """Records a problem and goes on, so that one error tells all of them."""
        self._found.append(Problem(message=message, line=line, column=column))

    def check(self) -> None:
        """Raises a DatasetError if anything was added."""
        if self._found:
            raise self.error()

    def error(self) -> DatasetError:
        """Returns one error over all problems, in the order of the file."""
        found = list(dict.fromkeys(sorted(self._found, key=lambda p: (p.line or 0, p.column or 0))))
        if len(found) == 1:
            join = ", " if found[0].line else ": "
            return DatasetError(f"{self.where}{join}{found[0]}")
        lines = [f"{self.where}: {len(found)} problems", *(f"  {problem}" for problem in found[:SHOWN])]
        if len(found) > SHOWN:
            lines.append(f"  … and {len(found) - SHOWN} more")
        return DatasetError("\n".join(lines))


def shorten(value: object, limit: int = 60) -> str:
    """Returns `repr(value)`, cut visibly when it is long."""
    if isinstance(value, str) and len(value) > limit:
        return f"{value[:limit]!r}…"
    if isinstance(value, (list, tuple, dict)) and len(value) > limit:
        return f"a {type(value).__name__} of {len(value)}"
    text = repr(value)
    return text if len(text) <= limit + 2 else f"{text[:limit]}…"


def plural(count: int, word: str) -> str:
    """Returns `1 case`, `2 cases`."""
    return f"{count} {word}" if count == 1 else f"{count} {word}s"
