"""Two texts in two columns, or one below the other where the screen is narrow, with the words that differ marked."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import zip_longest
from typing import Final

from llmeval.render.style import Look
from llmeval.render.text import cell_width, shorten, wrap
from llmeval.render.word_diff import Piece, word_diff
from llmeval.results import Status

__all__ = ["compared", "focused", "side_by_side"]

NARROW: Final = 100
"""Columns from which on there are two of them."""
LINES: Final = 10
"""Lines of a text at most."""
WORD: Final = re.compile(r"\n|[^\S\n]+|\S+")
MARKS: Final = {"A": ("[-", "-]", Status.FAILED.value), "B": ("{+", "+}", Status.PASSED.value)}
"""What stands around words that only A or B has, where there are no colours, and else their style."""


def compared(before: str, after: str, limit: int) -> tuple[list[Piece], list[Piece]]:
    """Returns the pieces of two texts around their first difference, about `limit` characters of each."""
    return word_diff(*focused(before, after, limit))


def focused(before: str, after: str, limit: int) -> tuple[str, str]:
    """Returns both texts cut to `limit` characters, from a little before the place where they begin to differ."""
    if max(len(before), len(after)) <= limit:
        return before, after
    shared = next(
        (i for i, (x, y) in enumerate(zip(before, after, strict=False)) if x != y), min(len(before), len(after))
    )
    start = max(0, min(shared - limit // 3, max(len(before), len(after)) - limit))
    return _cut(before, start, limit), _cut(after, start, limit)


def _cut(text: str, start: int, limit: int) -> str:
    end = start + limit
    more = f" … ({len(text) - end:,} more characters)" if len(text) > end else ""
    return f"{'… ' if start else ''}{text[start:end]}{more}"


def side_by_side(before: str | None, after: str | None, look: Look, *, indent: int, limit: int) -> Iterator[str]:
    """Returns the lines of two cleaned texts beside `A` and `B`; one that is `None` is left out, equal ones are one."""
    if before is None or after is None or before == after:
        letter = "A B" if before == after else "A" if after is None else "B"
        text = before if after is None else after
        if text is not None:
            yield from _column([(shorten(text, limit), False)], letter, look, indent)
        return
    one, two = compared(before, after, limit)
    if look.width < NARROW:
        yield from _column(one, "A", look, indent)
        yield from _column(two, "B", look, indent)
    else:
        yield from _columns(one, two, look, indent)


def _column(pieces: list[Piece], letter: str, look: Look, indent: int) -> Iterator[str]:
    lines = _flow(pieces, letter, look, look.width - indent - len(letter) - 2)
    for index, (line, _) in enumerate(lines):
        label = look.paint(letter, "dim") if index == 0 else " " * len(letter)
        yield f"{' ' * indent}{label}  {line}".rstrip()


def _columns(before: list[Piece], after: list[Piece], look: Look, indent: int) -> Iterator[str]:
    width = (look.width - indent - 8) // 2
    left, right = _flow(before, "A", look, width), _flow(after, "B", look, width)
    for index, ((one, used), (two, _)) in enumerate(zip_longest(left, right, fillvalue=("", 0))):
        a, b = (look.paint(letter, "dim") if index == 0 else " " for letter in "AB")
        yield f"{' ' * indent}{a}  {one}{' ' * (width - used)}  {b}  {two}".rstrip()


def _flow(pieces: list[Piece], letter: str, look: Look, width: int) -> list[tuple[str, int]]:
    """Returns painted lines with the columns they take, `LINES` of them at most."""
    found: list[tuple[str, int]] = []
    line, used = "", 0
    for word, style in _words(pieces, letter, look):
        size = cell_width(word)
        if word == "\n" or (used + size > width and used):
            found.append((line, used))
            line, used = "", 0
            if not word.strip():
                continue
        for part in wrap(word, width) if size > width else [word]:
            if used + cell_width(part) > width:
                found.append((line, used))
                line, used = "", 0
            line += look.paint(part, style)
            used += cell_width(part)
    found.append((line, used))
    return found if len(found) <= LINES else [*found[:LINES], (look.words("…"), len(look.words("…")))]


def _words(pieces: list[Piece], letter: str, look: Look) -> Iterator[tuple[str, str]]:
    opening, closing, style = MARKS.get(letter, ("", "", ""))
    mixed = len(pieces) > 1
    for text, changed in pieces:
        text = look.words(text) if not look.unicode else text
        if changed and mixed and not look.color and text.strip():
            body = text.strip()
            head, _, tail = text.partition(body)
            text = f"{head}{opening}{body}{closing}{tail}"
        for word in WORD.findall(text):
            yield word, style if changed and mixed else ""
