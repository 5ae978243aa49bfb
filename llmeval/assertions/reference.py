"""Assertion methods by the names, and in the argument order, of the system that llmeval re-creates."""

from __future__ import annotations

import re
from collections.abc import Container, Sized

from llmeval.assertions.checking import check

__all__ = ["ReferenceMethods"]


class ReferenceMethods:
    """Assertions whose expected value comes first."""

    __slots__ = ()

    def assert_true(self, value: object, msg: object = None) -> None:
        """Fails unless `value` is true in a condition."""
        check(value, "{} is not true", value, msg=msg)

    def assert_includes(self, collection: Container[object], value: object, msg: object = None) -> None:
        """Fails unless `value in collection`."""
        check(value in collection, "{} does not include {}", collection, value, msg=msg)

    def assert_match(self, pattern: str | re.Pattern[str], text: str, msg: object = None) -> None:
        """Fails unless the regular expression is found somewhere in `text`."""
        check(re.search(pattern, text), "{} is not found in {}", _written(pattern), text, msg=msg)

    def assert_nil(self, value: object, msg: object = None) -> None:
        """Fails unless `value is None`."""
        check(value is None, "{} is not None", value, msg=msg)

    def assert_empty(self, value: Sized, msg: object = None) -> None:
        """Fails unless `value` has a length of 0."""
        check(len(value) == 0, "{} is not empty", value, msg=msg)

    def refute(self, value: object, msg: object = None) -> None:
        """Fails if `value` is true in a condition."""
        check(not value, "{} is not false", value, msg=msg)

    def refute_equal(self, unexpected: object, actual: object, msg: object = None) -> None:
        """Fails if `unexpected == actual`."""
        check(not unexpected == actual, "{} equals {}", actual, unexpected, msg=msg)  # noqa: SIM201 - asks ==, not !=

    def refute_includes(self, collection: Container[object], value: object, msg: object = None) -> None:
        """Fails if `value in collection`."""
        check(value not in collection, "{} includes {}", collection, value, msg=msg)

    def refute_match(self, pattern: str | re.Pattern[str], text: str, msg: object = None) -> None:
        """Fails if the regular expression is found anywhere in `text`."""
        check(not re.search(pattern, text), "{} is found in {}", _written(pattern), text, msg=msg)

    def refute_nil(self, value: object, msg: object = None) -> None:
        """Fails if `value is None`."""
        check(value is not None, "{} is None", value, msg=msg)

    def refute_empty(self, value: Sized, msg: object = None) -> None:
        """Fails if `value` has a length of 0."""
        check(len(value) > 0, "{} is empty", value, msg=msg)


def _written(pattern: str | re.Pattern[str]) -> str:
    return pattern if isinstance(pattern, str) else pattern.pattern
