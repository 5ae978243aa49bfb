"""The check of a number."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any, Final

from llmeval.cases import OMITTED
from llmeval.checks.base import Check, Outcome, check, expected_of, finite, shown
from llmeval.errors import EvaluatorConfigError, EvaluatorError
from llmeval.jsonable import Json

__all__ = ["numeric"]

_MINUS: Final = "\N{MINUS SIGN}"

_NUMBER: Final = re.compile(
    rf"""
    (?<! [\w.,] )                         # not in the middle of a word, a version or a decimal comma
    [-+{_MINUS}]?
    (?: \d{{1,3}} (?: ,\d{{3}} )+ | \d+ )  # with or without commas between thousands
    (?: \.\d+ )?
    (?: [eE] [-+]? \d{{1,3}} )?
    (?! [\w.,]* \d )
    """,
    re.VERBOSE,
)


def numeric(expected: Json = OMITTED, *, tolerance: float = 0, relative: float = 0) -> Check:
    """Returns a check that the output is a number near `expected`, or else the case's `expected_output`.

    It may differ by `tolerance`, or by the share `relative` of what is expected, whichever is more. Text must have
    exactly one number in it, as in `"The total is 1,234.50 EUR"`; thousands are separated by commas only.

    Raises:
        EvaluatorConfigError: `expected` has no number, or a tolerance is negative.
    """
    if expected is not OMITTED and _number(expected)[0] is None:
        raise EvaluatorConfigError(f"checks.numeric: expected is {expected!r}: give a finite number")
    allowed = Decimal(str(finite("numeric", "tolerance", tolerance)))
    share = Decimal(str(finite("numeric", "relative", relative)))

    def run(attempt: Any) -> Outcome:
        reference = expected_of("numeric", expected, attempt)
        wanted, fault = _number(reference)
        if wanted is None:
            raise EvaluatorError(f"checks.numeric: the reference {shown(reference)} {fault}")
        found, fault = _number(attempt.output)
        if found is None:
            return None, f"the output {shown(attempt.output)} {fault}"
        off, most = abs(found - wanted), max(allowed, share * abs(wanted))
        told = f"the output is {found}, expected {wanted}"
        return off <= most, told if not most and off == 0 else f"{told}: {off} apart, {most.normalize():f} allowed"

    return check("numeric", {"expected": expected, "tolerance": tolerance, "relative": relative}, run)


def _number(value: Json) -> tuple[Decimal | None, str]:
    """Returns the one number in a value, or why there is none."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None, "is no number"
    if not isinstance(value, str):
        number = Decimal(str(value))
        return (number, "") if number.is_finite() else (None, "is no finite number")
    found = _NUMBER.findall(value)
    if len(found) != 1:
        return None, f"has {len(found) or 'no'} number{'s' if len(found) > 1 else ''} in it, and not one"
    return Decimal(found[0].replace(",", "").replace(_MINUS, "-")), ""
