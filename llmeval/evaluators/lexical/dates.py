"""Dates and times of day, read from digits and from words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from llmeval.evaluators.lexical.scanner import Piece
from llmeval.evaluators.lexical.tokens import Day, Moment
from llmeval.evaluators.lexical.vocabulary import MONTHS, ORDINAL_WORDS

__all__ = ["date_from_digits", "date_from_words", "moment"]

_ORDINAL_SUFFIXES = frozenset({"", "st", "nd", "rd", "th"})


def date_from_digits(text: str) -> Day | None:
    """Returns the day that digits with separators name; the year is first, or last behind day and month."""
    parts = [int(part) for part in re.split(r"[-./]", text)]
    if len(re.split(r"[-./]", text)[0]) == 4:
        return _day(parts[0], parts[1], parts[2])
    first, second, year = parts
    year = year if year > 99 else 2000 + year
    if first > 12 or first == second or "." in text:
        return _day(year, second, first)
    if second > 12:
        return _day(year, first, second)
    found = _day(year, first, second)
    return found and Day(found.year, found.month, found.day, swapped=True)


def date_from_words(pieces: Sequence[Piece], at: int) -> tuple[Day, int] | None:
    """Returns the day that pieces from `at` on name, such as "3 May 2026" or "May 3rd", and how many pieces it took."""
    piece = pieces[at]
    if piece.kind != "number" and piece.lower not in MONTHS and piece.lower not in ORDINAL_WORDS:
        return None
    ahead = pieces[at : at + 5]
    found = _month_first(ahead) or _day_first(ahead)
    if found is None:
        return None
    year, month, day, length = found
    checked = _day(year, month, day)
    return None if checked is None else (checked, length)


def moment(text: str) -> Moment | None:
    """Returns the time of day that a text such as "3 pm" or "15:00" names, or `None` when it names none."""
    found = re.fullmatch(r"(\d{1,2})(?::(\d\d))?(?::(\d\d))?\s*(?:([ap])\.?m?\.?)?", text.casefold())
    if found is None:
        return None
    hour, half = int(found[1]), found[4]
    if half is not None:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if half == "p" else 0)
    second = (hour * 60 + int(found[2] or 0)) * 60 + int(found[3] or 0)
    return Moment(second, half=half is not None, open=half is None and 1 <= hour <= 12 and not text.startswith("0"))


def _month_first(ahead: Sequence[Piece]) -> tuple[int | None, int, int | None, int] | None:
    month = _month(ahead[0]) if ahead else None
    if month is None or len(ahead) < 2 or not _joined(ahead[1]):
        return None
    year = _year(ahead[1])
    if year is not None:
        return year, month, None, 2
    day = _day_number(ahead[1])
    if day is None or (len(ahead) > 2 and ahead[1].kind == "number" and _counts(ahead[2])):
        return None
    year = _year(ahead[2]) if len(ahead) > 2 and _joined(ahead[2]) else None
    return year, month, day, 2 if year is None else 3


def _day_first(ahead: Sequence[Piece]) -> tuple[int | None, int, int | None, int] | None:
    day = _day_number(ahead[0]) if ahead else None
    if day is None or len(ahead) < 2:
        return None
    skip = 2 if ahead[1].lower == "of" else 1
    if len(ahead) <= skip or not _joined(ahead[skip]):
        return None
    year = _year(ahead[skip + 1]) if len(ahead) > skip + 1 and _joined(ahead[skip + 1]) else None
    month = _month(ahead[skip], sure=year is not None)
    if month is None:
        return None
    return year, month, day, skip + (1 if year is None else 2)


def _month(piece: Piece, sure: bool = False) -> int | None:
    """Returns the month's number; "may" and "march" in lower case are verbs unless a year makes it `sure`."""
    if piece.kind != "word" or (piece.lower in {"may", "march", "mar", "sun"} and piece.text.islower() and not sure):
        return None
    return MONTHS.get(piece.lower)


def _day_number(piece: Piece) -> int | None:
    if piece.kind == "word":
        return ORDINAL_WORDS.get(piece.lower)
    if piece.kind != "number" or piece.suffix.casefold() not in _ORDINAL_SUFFIXES or not piece.text.isdecimal():
        return None
    return int(piece.text) if len(piece.text) <= 2 and 1 <= int(piece.text) <= 31 else None


def _year(piece: Piece) -> int | None:
    plain = piece.kind == "number" and not piece.suffix and piece.text.isdecimal() and len(piece.text) == 4
    return int(piece.text) if plain and 1000 <= int(piece.text) < 2200 else None


def _joined(piece: Piece) -> bool:
    return piece.gap.strip() in {"", ",", ".", "-"}


def _counts(piece: Piece) -> bool:
    """Returns whether a word makes the number before it an amount: "In May 3 items were returned"."""
    return (
        piece.kind == "word" and piece.tight and piece.lower not in {"at", "and", "is", "to", "by", "for", "in", "or"}
    )


def _day(year: int | None, month: int, day: int | None) -> Day | None:
    if not 1 <= month <= 12 or (day is not None and not 1 <= day <= 31):
        return None
    return Day(year, month, day)
