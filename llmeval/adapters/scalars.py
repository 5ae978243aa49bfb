"""Values that become one JSON scalar, and keys that become text."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from math import isfinite
from pathlib import PurePath
from typing import Any, Final, TypeAlias

from llmeval.adapters.classes import base_names, by_class, full_name
from llmeval.adapters.faults import unfit
from llmeval.errors import EvidenceError
from llmeval.jsonable import dumps

__all__ = ["Scalar", "ScalarConversion", "number", "scalar_conversion", "text_key"]

Scalar: TypeAlias = str | int | float | bool | None
ScalarConversion: TypeAlias = Callable[[Any, str], Scalar]

_TOO_LONG: Final = 10**4300
"""The first integer that Python refuses to write as text, or to read back."""


def number(value: int | float, where: str) -> int | float:
    """Returns a number that JSON can hold.

    Raises:
        EvidenceError: it is not finite, or has more digits than Python reads.
    """
    if type(value) is int:
        if -_TOO_LONG < value < _TOO_LONG:
            return value
        raise EvidenceError(
            f"{where} is an int of more than 4300 digits, which JSON readers refuse: declare @adapt(int) or return text"
        )
    if isfinite(value):
        return value
    raise EvidenceError(
        f"{where} is the float {value!r}, which JSON cannot hold: declare @adapt(float), or return null or text"
    )


def text_key(key: Any, where: str, owner: type) -> str:
    """Returns the key of a mapping of class `owner` as JSON text.

    Raises:
        EvidenceError: it is neither text nor a value that becomes a scalar.
    """
    if type(key) is str:
        return key
    convert = scalar_conversion(type(key))
    if convert is None:
        raise EvidenceError(
            f"{where} has a key of type {full_name(type(key))}, which is no text: declare @adapt({owner.__name__}), "
            "or return a list of pairs"
        )
    scalar = convert(key, f"a key of {where}")
    return scalar if isinstance(scalar, str) else dumps(scalar)


@by_class
def scalar_conversion(cls: type) -> ScalarConversion | None:
    """Returns how a value of class `cls` becomes a scalar, or `None` when it does not."""
    if cls is str or cls is bool or cls is type(None):
        return _as_it_is
    if issubclass(cls, Enum):
        return _member
    for name in base_names(cls):
        if name in _BY_NAME:
            return _BY_NAME[name]
    if "Url" in cls.__name__ and cls.__module__.startswith(("pydantic.", "pydantic_core.")):
        return _as_text
    return next((conversion for base, conversion in _BY_BASE if issubclass(cls, base)), None)


def _as_it_is(value: Any, where: str) -> Scalar:
    return value  # type: ignore[no-any-return]


def _as_text(value: Any, where: str) -> str:
    return str(value)


def _member(value: Enum, where: str) -> Scalar:
    conversion = scalar_conversion(type(value.value))
    if conversion is None:
        raise unfit(type(value), where, "is an enum whose value is not a scalar")
    return conversion(value.value, where)


def _decimal(value: Any, where: str) -> str:
    if value.is_finite():
        return str(value)
    raise EvidenceError(
        f"{where} is the Decimal {str(value)!r}, which is no number: declare @adapt(Decimal), or return null or text"
    )


def _item(value: Any, where: str) -> Scalar:
    """Returns a NumPy scalar as Python's own kind of it."""
    item = value.item()
    if type(item) is type(value):  # a long double has no counterpart but float
        item = float(item)
    conversion = scalar_conversion(type(item))
    if conversion is None:
        raise unfit(type(value), where)
    return conversion(item, where)


_BY_NAME: Final[dict[str, ScalarConversion]] = {
    "datetime.date": lambda value, where: value.isoformat(),
    "datetime.time": lambda value, where: value.isoformat(),
    "datetime.timedelta": lambda value, where: value.total_seconds(),
    "decimal.Decimal": _decimal,
    "fractions.Fraction": _as_text,
    "numpy.generic": _item,
    "pydantic.types._SecretBase": lambda value, where: "**********",
    "uuid.UUID": _as_text,
}

_BY_BASE: Final[tuple[tuple[type, ScalarConversion], ...]] = (
    (int, lambda value, where: number(int.__int__(value), where)),
    (float, lambda value, where: number(float.__float__(value), where)),
    (str, lambda value, where: str.__str__(value)),
    (PurePath, _as_text),
)
