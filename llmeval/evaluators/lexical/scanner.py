"""The scanner: cuts cleaned text into raw pieces, before words become numbers, dates and units."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

__all__ = ["Piece", "scan"]


@dataclass(frozen=True)
class Piece:
    """One piece of text: its kind (the name of a group of the pattern), and what stands around it.

    `gap` is the text between the piece before it and this one; `suffix` are letters that follow a number at once;
    `stops` is whether a comma or the end of a clause follows.
    """

    kind: str
    text: str
    gap: str
    suffix: str = ""
    stops: bool = False

    @cached_property
    def lower(self) -> str:
        """The text without regard to case."""
        return self.text.casefold()

    @property
    def tight(self) -> bool:
        """Whether only blanks or a hyphen stand before it."""
        return self.gap == "-" or not self.gap.strip()


_PATTERN = re.compile(
    r"""
      (?P<link>https?://[^\s<>]+[\w/] | www\.[^\s<>]+[\w/] | (?<![\w.+-])[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+)
    | (?P<stamp>\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-][\d:]+)?)
    | (?P<ymd>(?<![\w-])\d{4}(?P<ymd_sep>[-/])\d{1,2}(?P=ymd_sep)\d{1,2}(?![\w-]))
    | (?P<dmy>(?<![\w.-])\d{1,2}(?P<dmy_sep>[-./])\d{1,2}(?P=dmy_sep)\d{4}(?![\w-])
            |(?<![\w.-])\d{1,2}/\d{1,2}/\d{2}(?![\w-]))
    | (?P<time>(?<![\w:.])(?:[01]?\d|2[0-4]):[0-5]\d(?::[0-5]\d)?(?![:\w])(?:\s*[ap]\.?m\b\.?)?
             |(?<![\w:.])(?:0?\d|1[0-2])\s?[ap]\.?m\b\.?
             |(?<![\w:.])(?:[01]?\d|2[0-4]):[0-5]\d[ap]m\b)
    | (?P<code>[^\W\d_]+[-_./:]?\d\w*(?:[-_./:]\w+)*
             |\d+(?:[-:/]\d+)+(?:[-:/]\w+)*
             |\d+(?:\.\d+){2,}(?<!\.\d{3})(?:[-.]\w+)*
             |\w*[^\W_]_\w+)
    | (?P<number>(?:(?<![\w)])-)?(?:\d{1,3}(?:[,']\d{3})+(?!\d)(?:\.\d+)?|\d{1,2}(?:,\d{2})+,\d{3}(?!\d)
               |\d{1,3}(?:\.\d{3})+,\d+|\d+(?:\.\d+)+|\d+,\d{1,2}(?!\d)|(?<![\w.])\.\d+|\d+))
      (?P<suffix>[^\W\d_]\w*)?
    | (?P<word>[^\W\d_]+(?:'[^\W\d_]+)*'?)
    | (?P<digits>\w+)
    | (?P<mark>°[CcFf]\b | [^\w\s.,;:!?"'()\[\]{}-] | \?+ | (?<=\w)-+(?!\w) | (?<![\w\s])-+(?=\w)
             | (?<=\s)-+(?=[^\W\d_]) | --+ | -(?=[$€£¥₹]\d))
    """,
    re.VERBOSE,
)
_STOPS = re.compile(r"\s*(?:[.,;:!?)]|-\s|$)")


def scan(text: str) -> Iterator[Piece]:
    """Yields the pieces of cleaned `text`; punctuation is left in the gaps, every other symbol is a piece."""
    end = 0
    for found in _PATTERN.finditer(text):
        kind = next(name for name in _KINDS if found[name] is not None)
        yield Piece(
            kind,
            found[kind],
            text[end : found.start()],
            found["suffix"] or "",
            _STOPS.match(text, found.end()) is not None,
        )
        end = found.end()


_KINDS = ("link", "stamp", "ymd", "dmy", "time", "code", "number", "word", "digits", "mark")
