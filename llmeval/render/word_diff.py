"""Two texts, word by word: what only one of them says."""

from __future__ import annotations

import re
from typing import Final, TypeAlias

__all__ = ["Piece", "word_diff"]

Piece: TypeAlias = tuple[str, bool]
"""A run of text, and whether the other text does not have it."""

WORDS: Final = re.compile(r"\w+|\s+|[^\w\s]")
MOST: Final = 2000
"""Words that are compared; the comparison takes time with the square of their number."""


def word_diff(before: str, after: str) -> tuple[list[Piece], list[Piece]]:
    """Returns the pieces of both texts; joined, they are the texts. Very long or unlike texts are one piece each."""
    one, two = WORDS.findall(before), WORDS.findall(after)
    if len(one) > MOST or len(two) > MOST:
        return [(before, before != after)], [(after, before != after)]
    # Imported here: only cases that are shown side by side need it.
    from difflib import SequenceMatcher

    matcher = SequenceMatcher(None, one, two, autojunk=False)
    if matcher.real_quick_ratio() < 0.2 or matcher.ratio() < 0.3:
        return [(before, True)], [(after, True)]
    left: list[Piece] = []
    right: list[Piece] = []
    for tag, start, end, other_start, other_end in matcher.get_opcodes():
        _add(left, "".join(one[start:end]), tag != "equal")
        _add(right, "".join(two[other_start:other_end]), tag != "equal")
    return left, right


def _add(pieces: list[Piece], text: str, changed: bool) -> None:
    """Adds a run; a space between two changed words is a part of the change."""
    if not text:
        return
    if changed and len(pieces) > 1 and pieces[-2][1] and not pieces[-1][0].strip():
        text = pieces[-2][0] + pieces[-1][0] + text
        del pieces[-2:]
    pieces.append((text, changed))
