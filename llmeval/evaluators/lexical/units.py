"""Units: what a quantity counts, and which units convert exactly into each other."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Final

__all__ = ["CURRENCY_SYMBOLS", "UNITS", "Unit"]


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit: amounts of one `dimension` convert exactly, by `factor`; those of one `family` can rival each other."""

    dimension: str
    factor: Fraction
    family: str
    imperial: bool = False


CURRENCY_SYMBOLS: Final = {"$": "usd", "€": "eur", "£": "gbp", "¥": "jpy", "₹": "inr"}

UNITS: Final[dict[str, Unit]] = {}


def _add(names: str, dimension: str, factor: str = "1", family: str | None = None, imperial: bool = False) -> None:
    unit = Unit(dimension, Fraction(factor), family or dimension, imperial)
    UNITS.update(dict.fromkeys(names.split(), unit))


_add("millisecond milliseconds ms", "time", "1/1000", "duration")
_add("second seconds sec secs s", "time", "1", "duration")
_add("minute minutes min mins", "time", "60", "duration")
_add("hour hours hr hrs h", "time", "3600", "duration")
_add("day days", "time", "86400", "duration")
_add("week weeks wk wks", "time", "604800", "duration")
_add("fortnight fortnights", "time", "1209600", "duration")
_add("month months", "months", "1", "duration")
_add("quarter quarters", "months", "3", "duration")
_add("year years yr yrs", "months", "12", "duration")
_add("decade decades", "months", "120", "duration")
_add("century centuries", "months", "1200", "duration")

_add("% percent pct", "percent")

_add("mg", "gram", "1/1000", "mass")
_add("g gram grams gramme grammes", "gram", "1", "mass")
_add("kg kgs kilo kilos kilogram kilograms", "gram", "1000", "mass")
_add("tonne tonnes", "gram", "1000000", "mass")
_add("lb lbs", "gram", "453.59237", "mass", imperial=True)
_add("oz ounce ounces", "gram", "28.349523125", "mass", imperial=True)

_add("mm millimetre millimetres millimeter millimeters", "metre", "1/1000", "length")
_add("cm centimetre centimetres centimeter centimeters", "metre", "1/100", "length")
_add("metre metres meter meters", "metre", "1", "length")
_add("km kms kilometre kilometres kilometer kilometers", "metre", "1000", "length")
_add("inch inches", "metre", "0.0254", "length", imperial=True)
_add("ft foot feet", "metre", "0.3048", "length", imperial=True)
_add("yard yards yd", "metre", "0.9144", "length", imperial=True)
_add("mile miles mi", "metre", "1609.344", "length", imperial=True)

_add("ml millilitre millilitres milliliter milliliters", "litre", "1/1000", "volume")
_add("l litre litres liter liters", "litre", "1", "volume")
_add("gallon gallons", "gallon", "1", "volume", imperial=True)

_add("celsius °c", "celsius", "1", "temperature")
_add("fahrenheit °f", "fahrenheit", "1", "temperature")
_add("kelvin", "kelvin", "1", "temperature")

# A megabyte is 1000² or 1024² bytes depending on who says it, so sizes do not convert.
for _names in (
    "byte bytes",
    "kb kilobyte kilobytes",
    "mb megabyte megabytes",
    "gb gigabyte gigabytes",
    "tb terabyte terabytes",
):
    _add(_names, _names.split()[0], "1", "data")
_add("kib", "kib", "1", "binary data")
_add("mib", "mib", "1", "binary data")
_add("gib", "gib", "1", "binary data")

# "m" is metres, minutes or millions, "pounds" are money or mass: they equal only themselves.
_add("m", "m", "1", "m")
_add("pound pounds", "pound", "1", "pound")

_add("usd dollar dollars", "usd", "1", "money")
_add("eur euro euros", "eur", "1", "money")
_add("gbp", "gbp", "1", "money")
_add("jpy yen", "jpy", "1", "money")
_add("inr rupee rupees", "inr", "1", "money")
_add("chf", "chf", "1", "money")
_add("cent cents", "cent", "1", "cent")
