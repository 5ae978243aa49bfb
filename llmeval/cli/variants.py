"""What `--set` says: parameters, and the variants that several values of one make."""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence
from typing import Any

from llmeval.errors import OptionError

__all__ = ["variants"]


def variants(texts: Sequence[str]) -> list[dict[str, Any] | None]:
    """Returns the params of each variant: every combination of the values that a key was given; `None` for no params.

    Raises:
        OptionError: a text is not KEY=VALUE.
    """
    values: dict[str, list[Any]] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or not key.strip():
            raise OptionError(f"--set {text!r}: write KEY=VALUE")
        values.setdefault(key.strip(), []).append(_parsed(value))
    if not values:
        return [None]
    return [dict(zip(values, combination, strict=True)) for combination in itertools.product(*values.values())]


def _parsed(text: str) -> Any:
    """Returns a number, true, false, null, list or object for text that is JSON, else the text."""
    try:
        return json.loads(text, parse_constant=_no_number, parse_float=_finite)
    except (ValueError, RecursionError):
        return text


def _finite(text: str) -> float:
    number = float(text)
    return number if abs(number) != float("inf") else _no_number(text)


def _no_number(text: str) -> float:
    raise ValueError(f"{text} is no number of JSON")
