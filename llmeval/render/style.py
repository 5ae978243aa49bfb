"""How things look: colours, marks and the width that there is, in one place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from llmeval.render.text import cell_width, fit, pad
from llmeval.results import Status

__all__ = ["PLAIN", "STYLES", "Look", "marks"]

STYLES: Final = {
    Status.PASSED.value: ("32", "green"),
    Status.MEASURED.value: ("36", "cyan"),
    Status.UNASSESSED.value: ("33", "yellow"),
    Status.FAILED.value: ("31", "red"),
    Status.ERROR.value: ("35", "magenta"),
    "bold": ("1", "bold"),
    "dim": ("2", "dim"),
    "": ("", ""),
}
"""For each style its SGR parameter and Rich's words for it; a status is the style of what has it."""

_MARKS: Final = {
    Status.PASSED: ("✓", "+"),
    Status.MEASURED: ("~", "~"),
    Status.UNASSESSED: ("?", "?"),
    Status.FAILED: ("✗", "x"),
    Status.ERROR: ("!", "!"),
}
_ASCII: Final = str.maketrans({"\N{MULTIPLICATION SIGN}": "x", "…": "...", "·": "-", "—": "-", "→": "->", "▸": ">"})


def marks(unicode: bool) -> dict[Status, str]:
    """Returns the one-character mark of each status."""
    return {status: pair[0 if unicode else 1] for status, pair in _MARKS.items()}


@dataclass(frozen=True, kw_only=True, slots=True)
class Look:
    """What the reader's screen can show: its width in columns, colours, and characters beyond ASCII."""

    width: int = 100
    color: bool = False
    unicode: bool = True

    def paint(self, text: str, style: str) -> str:
        """Returns `text` in the colours of `style`, one of `STYLES`."""
        code = STYLES[style][0]
        return f"\x1b[{code}m{text}\x1b[0m" if self.color and code and text else text

    def mark(self, status: Status) -> str:
        """Returns the mark of `status` in its colour."""
        return self.paint(_MARKS[status][0 if self.unicode else 1], status.value)

    def words(self, text: str) -> str:
        """Returns a text of our own with its typographic signs as this screen has them."""
        return text if self.unicode else text.translate(_ASCII)

    def fit(self, text: str, width: int, *, middle: bool = False) -> str:
        """Returns cleaned `text` cut to `width` columns."""
        return fit(text, width, ellipsis=self.words("…"), middle=middle)

    def columns(self, rows: list[list[str]], *, right: frozenset[int] = frozenset(), head: bool = True) -> list[str]:
        """Returns `rows` of cleaned cells as aligned lines, the first one as their head.

        Columns in `right`, those of numbers, are set at their right edge and stay whole; of the others the widest gives
        way where the width does not suffice.
        """
        widths = [min(max(map(cell_width, column)), self.width) for column in zip(*rows, strict=True)]
        texts = [index for index in range(len(widths)) if index not in right]
        for _ in range(sum(widths) + 2 * (len(widths) - 1) - self.width):
            widest = max(texts, key=widths.__getitem__)
            widths[widest] = max(widths[widest] - 1, min(widths[widest], 8))
        lines = ["  ".join(self._cells(row, widths, right)).rstrip() for row in rows]
        return [self.paint(lines[0], "dim"), *lines[1:]] if head else lines

    def _cells(self, row: list[str], widths: list[int], right: frozenset[int]) -> list[str]:
        return [
            pad(self.fit(cell, width, middle=index == 0), width, right=index in right)
            for index, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]


PLAIN: Final = Look()
"""No colours, 100 columns."""
