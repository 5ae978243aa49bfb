"""Quantities: numbers with a unit, read from the ways people write them, and compared exactly."""

from __future__ import annotations

import re
from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from llmeval.evaluators.lexical.units import Unit

__all__ = ["Quantity", "compound", "number", "rivals"]


@dataclass(frozen=True, slots=True)
class Quantity:
    """An amount, counted in `unit` or in nothing.

    `other` is a second reading of the same digits ("1.500" is 1.5, or 1500 in German). `places` are the decimals as
    written, `rounded` is whether a scale word such as "million" stands for unwritten digits.
    """

    amount: Fraction
    unit: Unit | None = None
    other: Fraction | None = None
    places: int = 0
    rounded: bool = False

    @property
    def base(self) -> Fraction:
        """The amount in the base unit of its dimension."""
        return self.amount if self.unit is None else self.amount * self.unit.factor

    @property
    def dimension(self) -> str | None:
        """What is counted; only amounts of one dimension convert into each other."""
        return None if self.unit is None else self.unit.dimension

    @property
    def key(self) -> Hashable:
        """Equal for equal quantities, however they are written; two readings equal only the same two readings."""
        doubt = self.amount if self.other is not None and self.places else None
        return ("quantity", self.dimension, self.base, doubt is not None)


MAX_DIGITS: Final = 60
"""Characters of a number; what is longer is a code, and far longer ones Python refuses to convert."""

_GROUPED = re.compile(r"\d{1,3}(?:[,']\d{3})+(?:\.\d+)?|\d{1,2}(?:,\d{2})+,\d{3}(?:\.\d+)?")
_DOT_GROUPED = re.compile(r"\d{1,3}(?:\.\d{3})+,\d+|\d{1,3}(?:\.\d{3}){2,}")


def number(text: str) -> Quantity | None:
    """Returns the number that `text` (digits, separators, a sign) stands for, or `None` when it stands for none."""
    if len(text) > MAX_DIGITS:
        return None
    sign, digits = (-1, text[1:]) if text.startswith("-") else (1, text)
    if _GROUPED.fullmatch(digits):
        plain = digits.replace(",", "").replace("'", "")
        other = Fraction(digits.replace(",", ".")) if re.fullmatch(r"\d{1,3},\d{3}", digits) else None
    elif _DOT_GROUPED.fullmatch(digits):
        plain, other = digits.replace(".", "").replace(",", "."), None
    else:
        plain = digits.replace(",", ".")
        other = Fraction(digits.replace(".", "")) if re.fullmatch(r"[1-9]\d{0,2}\.\d{3}", digits) else None
    if plain.count(".") > 1:
        return None
    places = len(plain.partition(".")[2])
    return Quantity(sign * Fraction(plain), other=None if other is None else sign * other, places=places)


def compound(first: Quantity, second: Quantity) -> Quantity | None:
    """Returns the sum of "1 hour" and "30 minutes", or `None` when the two do not belong together."""
    a, b = first.unit, second.unit
    if a is None or b is None or a.dimension != b.dimension or a.factor <= b.factor:
        return None
    if not 0 <= second.base < a.factor or first.amount.denominator != 1:
        return None
    return Quantity((first.base + second.base) / b.factor, unit=b)


def rivals(one: Quantity, two: Quantity) -> bool | None:
    """Returns whether both cannot be right in one place; `None` when the way they are written leaves it open."""
    a, b = one.unit, two.unit
    if (a and a.family) != (b and b.family):
        return None
    if a is not None and b is not None and a.dimension != b.dimension:
        return _rivals_across(one, two)
    if one.base == two.base and one.key == two.key:
        return False
    if _readings(one) & _readings(two) or _roundings(one, two):
        return None
    if a is not None and b is not None and a.imperial != b.imperial and _near(one.base, two.base):
        return None
    return True


def _readings(quantity: Quantity) -> set[Fraction]:
    factor = Fraction(1) if quantity.unit is None else quantity.unit.factor
    return {reading * factor for reading in (quantity.amount, quantity.other) if reading is not None}


def _rivals_across(one: Quantity, two: Quantity) -> bool | None:
    if {one.dimension, two.dimension} == {"time", "months"}:
        (low, high), (least, most) = _seconds(one), _seconds(two)
        return True if high < least or most < low else None
    return True if one.amount == two.amount != 0 else None


def _seconds(quantity: Quantity) -> tuple[Fraction, Fraction]:
    if quantity.dimension == "time":
        return quantity.base, quantity.base
    ends = quantity.base * 28 * 86400, quantity.base * 31 * 86400
    return min(ends), max(ends)


def _roundings(one: Quantity, two: Quantity) -> bool:
    if one.rounded or two.rounded:
        return _near(one.base, two.base)
    if one.places == two.places and one.dimension == two.dimension and one.unit == two.unit:
        return False
    if one.unit != two.unit:
        return _near(one.base, two.base)
    coarse, fine = sorted((one, two), key=lambda quantity: quantity.places)
    return abs(coarse.amount - fine.amount) < Fraction(1, 10**coarse.places)


def _near(a: Fraction, b: Fraction) -> bool:
    return abs(a - b) * 20 <= max(abs(a), abs(b))
