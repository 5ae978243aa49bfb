"""Numbers on the command line; the library says what they may be."""

from __future__ import annotations

from llmeval.errors import OptionError

__all__ = ["amount", "whole"]


def whole(name: str, text: str | None) -> int | None:
    """Returns the whole number that an option's text says; `None` where it was not given.

    Raises:
        OptionError: it says none.
    """
    try:
        return None if text is None else int(text)
    except ValueError:
        raise OptionError(f"{name} is {text!r}: give a whole number") from None


def amount(name: str, text: str | None) -> float | None:
    """Returns the number that an option's text says; `None` where it was not given.

    Raises:
        OptionError: it says none.
    """
    try:
        return None if text is None else float(text)
    except ValueError:
        raise OptionError(f"{name} is {text!r}: give a number") from None
