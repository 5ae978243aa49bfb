"""Counting: reads a number with its currency, scale and unit out of a row of pieces."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from llmeval.evaluators.lexical.quantities import Quantity, number
from llmeval.evaluators.lexical.scanner import Piece
from llmeval.evaluators.lexical.units import CURRENCY_SYMBOLS, UNITS, Unit
from llmeval.evaluators.lexical.vocabulary import NUMBER_WORDS, SCALES

__all__ = ["counted"]

_BEFORE_ONE = frozenset({"in", "within", "takes", "take", "for", "after", "before", "than", "is", "lasts", "last"})
_CURRENCY_CODES = frozenset({"usd", "eur", "gbp", "jpy", "inr", "chf"})
_CODE = re.compile(r"-?0\d+")
"""Digits that begin with a zero are a code, such as a PIN or an area code."""

_CASE_COUNTS = frozenset({"Mb", "Gb", "Tb", "Kb", "Mg", "G", "H", "S", "M"})
"""Letters that mean another unit than the same letters in lower case."""

_STARTS = _CURRENCY_CODES | {"half", "a", "an", *NUMBER_WORDS}

_FRACTION = re.compile(r"([1-9])/([23458])")


def counted(pieces: Sequence[Piece], at: int) -> tuple[Quantity, int] | None:
    """Returns the quantity that begins at `at`, such as "$1.2 million", and how many pieces it took."""
    piece = pieces[at]
    if piece.kind == "word" and piece.lower not in _STARTS:
        return None
    row = _Row(pieces, at)
    found = row.quantity()
    return None if found is None else (found, row.at - at)


class _Row:
    """A position in a row of pieces; each method reads what it is named for and steps over it."""

    def __init__(self, pieces: Sequence[Piece], at: int) -> None:
        self.pieces = pieces
        self.at = at

    def peek(self, ahead: int = 0) -> Piece | None:
        index = self.at + ahead
        return self.pieces[index] if 0 <= index < len(self.pieces) else None

    def word(self, ahead: int = 0) -> str:
        """Returns the word there in lower case; nothing when there is none or it does not follow at once."""
        piece = self.peek(ahead)
        return piece.lower if piece is not None and piece.kind == "word" and (ahead == 0 or piece.tight) else ""

    def next_word(self) -> str:
        """Returns the word that follows what was read at once, or nothing."""
        piece = self.peek()
        return self.word() if piece is not None and piece.tight else ""

    def quantity(self) -> Quantity | None:
        symbol = self.symbol()
        amount, suffix = self.amount()
        if amount is None:
            return None
        if symbol is not None and suffix.casefold() == "m":
            amount, suffix = self.scaled(amount, "million"), ""
        if suffix:
            unit = None if symbol or suffix in _CASE_COUNTS else UNITS.get(suffix.casefold())
            return None if unit is None else replace(amount, unit=unit)
        if symbol is None:
            return replace(amount, unit=self.unit())
        if UNITS.get(self.next_word()) == symbol:  # "$30 USD" says it twice
            self.at += 1
        return replace(amount, unit=symbol)

    def symbol(self) -> Unit | None:
        piece, following = self.peek(), self.peek(1)
        if piece is None or following is None or not following.tight or following.kind not in {"number", "word"}:
            return None
        name = CURRENCY_SYMBOLS.get(piece.text) or (piece.lower if piece.lower in _CURRENCY_CODES else None)
        if name is None:
            return None
        self.at += 1
        return UNITS[name]

    def amount(self) -> tuple[Quantity | None, str]:
        """Reads digits or number words with their scale words; letters right behind digits are the second value."""
        piece = self.peek()
        if piece is None:
            return None, ""
        if piece.kind == "number":
            return self.digits(piece)
        if piece.kind == "code":
            fraction = _fraction(piece)
            self.at += 1
            return None if fraction is None else Quantity(fraction), ""
        if piece.kind != "word":
            return None, ""
        if piece.lower == "half" and self.word(1) in {"a", "an"} and self.word(2) in UNITS:
            self.at += 2
            return Quantity(Fraction(1, 2)), ""
        return (self.article() if piece.lower in {"a", "an"} else self.spelled()), ""

    def digits(self, piece: Piece) -> tuple[Quantity | None, str]:
        self.at += 1
        amount, suffix = number(piece.text), piece.suffix
        if amount is None or _CODE.fullmatch(piece.text):
            return None, ""
        if suffix.casefold() in {"k", "mn", "bn"}:
            amount, suffix = self.scaled(amount, suffix.casefold()), ""
        return (amount, suffix) if suffix else (self.halved(self.scales(amount)), "")

    def scales(self, amount: Quantity) -> Quantity:
        while self.next_word() in SCALES and self.next_word() != "k":
            amount = self.scaled(amount, self.word())
            self.at += 1
        return amount

    def scaled(self, amount: Quantity, word: str) -> Quantity:
        factor = SCALES[word]
        return Quantity(amount.amount * factor, rounded=factor >= 1000)

    def halved(self, amount: Quantity) -> Quantity:
        """Adds the half of "two and a half" or the fraction of "2 1/2"."""
        piece = self.peek()
        if [self.next_word(), self.word(1), self.word(2)] == ["and", "a", "half"]:
            self.at += 3
            return Quantity(amount.amount + Fraction(1, 2))
        fraction = _fraction(piece) if piece is not None and piece.tight else None
        if fraction is None or amount.amount.denominator != 1:
            return amount
        self.at += 1
        return Quantity(amount.amount + fraction)

    def article(self) -> Quantity | None:
        """Reads "a" as one where it counts: "within an hour", "a hundred", "a dozen"."""
        before, following = self.peek(-1), self.word(1)
        if following in SCALES and following != "k":
            self.at += 1
            return self.scales(Quantity(Fraction(1)))
        unit = UNITS.get(following)
        if unit is None or unit.family != "duration" or before is None or before.lower not in _BEFORE_ONE:
            return None
        self.at += 1
        return Quantity(Fraction(1))

    def spelled(self) -> Quantity | None:
        """Reads number words such as "twenty-five", "one hundred and five" or "two thousand"."""
        total, value, began = 0, 0, self.at
        while word := self.word() if self.at == began else self.next_word():
            if word in NUMBER_WORDS and (self.at == began or _continues(NUMBER_WORDS[word], total, value)):
                value += NUMBER_WORDS[word]
            elif word == "hundred" and 0 < value < 10:
                value *= 100
            elif word in {"thousand", "million", "billion"} and 0 < value < 1000:
                total, value = total + value * SCALES[word], 0
            elif not (word == "and" and (total or value) and value % 100 == 0 and self.word(1) in NUMBER_WORDS):
                break
            self.at += 1
        return None if self.at == began else self.halved(self.scales(Quantity(Fraction(total + value))))

    def unit(self) -> Unit | None:
        piece = self.peek()
        if piece is None or not piece.tight:
            return None
        name = CURRENCY_SYMBOLS.get(piece.text, piece.lower)
        length = 1
        if (name, self.word(1)) in {("per", "cent"), ("degrees", "celsius"), ("degrees", "fahrenheit")}:
            name, length = ("%" if name == "per" else self.word(1)), 2
        if (
            name not in UNITS
            or piece.text in _CASE_COUNTS
            or (name == "percent" and self.word(1) in {"point", "points"})
        ):
            return None
        # "$5 $6": a symbol with digits behind it belongs to those.
        following = self.peek(1)
        if (
            piece.kind == "mark"
            and name != "%"
            and following is not None
            and following.kind == "number"
            and following.tight
        ):
            return None
        self.at += length
        return UNITS[name]


def _continues(value: int, total: int, before: int) -> bool:
    """Returns whether a number word adds to those before it: "twenty five", "hundred five", but not "five six"."""
    if value == 0:
        return False
    if before == 0:
        return total > 0
    return before % 100 == 0 or (before % 100 >= 20 and before % 10 == 0 and value < 10)


def _fraction(piece: Piece) -> Fraction | None:
    found = _FRACTION.fullmatch(piece.text)
    if found is None or int(found[1]) >= int(found[2]):
        return None
    fraction = Fraction(int(found[1]), int(found[2]))
    return fraction if fraction.denominator == int(found[2]) else None
