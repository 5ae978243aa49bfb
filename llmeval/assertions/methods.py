"""The assertion methods of an attempt: those of `unittest.TestCase` in snake_case, and the reference's."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Any, TypeVar, overload

from llmeval.assertions.checking import check, check_by_unittest, check_equal, check_kind, start_unittest
from llmeval.assertions.reference import ReferenceMethods

if TYPE_CHECKING:
    import logging
    from contextlib import AbstractContextManager
    from unittest.case import _AssertRaisesContext, _AssertWarnsContext

__all__ = ["AssertionMethods"]

E = TypeVar("E", bound=BaseException)
Types = type[Any] | tuple[Any, ...]
Pattern = str | re.Pattern[str]


class AssertionMethods(ReferenceMethods):
    """Each call counts one assertion of the trial; `msg` comes first in the failure."""

    __slots__ = ()

    def assert_equal(self, first: object, second: object, msg: object = None) -> None:
        """Fails unless `first == second`."""
        check_equal(first, second, msg=msg)

    def assert_not_equal(self, first: object, second: object, msg: object = None) -> None:
        """Fails unless `first != second`."""
        check_by_unittest("assertNotEqual", first, second, msg=msg)

    def assert_almost_equal(
        self, first: Any, second: Any, places: int | None = None, msg: object = None, delta: Any = None
    ) -> None:
        """Fails unless both are equal after rounding to `places` (7), or differ by at most `delta`."""
        check_by_unittest("assertAlmostEqual", first, second, places=places, delta=delta, msg=msg)

    def assert_not_almost_equal(
        self, first: Any, second: Any, places: int | None = None, msg: object = None, delta: Any = None
    ) -> None:
        """Fails if both are equal after rounding to `places` (7), or differ by at most `delta`."""
        check_by_unittest("assertNotAlmostEqual", first, second, places=places, delta=delta, msg=msg)

    def assert_false(self, expr: object, msg: object = None) -> None:
        """Fails unless `expr` is false in a condition."""
        check_by_unittest("assertFalse", expr, msg=msg)

    def assert_greater(self, first: Any, second: Any, msg: object = None) -> None:
        """Fails unless `first > second`."""
        check_by_unittest("assertGreater", first, second, msg=msg)

    def assert_greater_equal(self, first: Any, second: Any, msg: object = None) -> None:
        """Fails unless `first >= second`."""
        check_by_unittest("assertGreaterEqual", first, second, msg=msg)

    def assert_less(self, first: Any, second: Any, msg: object = None) -> None:
        """Fails unless `first < second`."""
        check_by_unittest("assertLess", first, second, msg=msg)

    def assert_less_equal(self, first: Any, second: Any, msg: object = None) -> None:
        """Fails unless `first <= second`."""
        check_by_unittest("assertLessEqual", first, second, msg=msg)

    def assert_in(self, member: object, container: Container[Any], msg: object = None) -> None:
        """Fails unless `member in container`."""
        check_by_unittest("assertIn", member, container, msg=msg)

    def assert_not_in(self, member: object, container: Container[Any], msg: object = None) -> None:
        """Fails unless `member not in container`."""
        check_by_unittest("assertNotIn", member, container, msg=msg)

    def assert_is(self, first: object, second: object, msg: object = None) -> None:
        """Fails unless `first is second`."""
        check_by_unittest("assertIs", first, second, msg=msg)

    def assert_is_not(self, first: object, second: object, msg: object = None) -> None:
        """Fails unless `first is not second`."""
        check_by_unittest("assertIsNot", first, second, msg=msg)

    def assert_is_none(self, value: object, msg: object = None) -> None:
        """Fails unless `value is None`."""
        check_by_unittest("assertIsNone", value, msg=msg)

    def assert_is_not_none(self, value: object, msg: object = None) -> None:
        """Fails if `value is None`."""
        check_by_unittest("assertIsNotNone", value, msg=msg)

    def assert_is_instance(self, value: object, types: Types, msg: object = None) -> None:
        """Fails unless `isinstance(value, types)`."""
        check_by_unittest("assertIsInstance", value, types, msg=msg)

    def assert_not_is_instance(self, value: object, types: Types, msg: object = None) -> None:
        """Fails if `isinstance(value, types)`."""
        check_by_unittest("assertNotIsInstance", value, types, msg=msg)

    def assert_regex(self, text: str, expected_regex: Pattern, msg: object = None) -> None:
        """Fails unless the regular expression is found in `text`."""
        check_by_unittest("assertRegex", text, expected_regex, msg=msg)

    def assert_not_regex(self, text: str, unexpected_regex: Pattern, msg: object = None) -> None:
        """Fails if the regular expression is found in `text`."""
        check_by_unittest("assertNotRegex", text, unexpected_regex, msg=msg)

    def assert_count_equal(self, first: Iterable[Any], second: Iterable[Any], msg: object = None) -> None:
        """Fails unless both have the same elements, as often, in any order."""
        check_by_unittest("assertCountEqual", first, second, msg=msg)

    def assert_list_equal(self, first: list[Any], second: list[Any], msg: object = None) -> None:
        """Fails unless both are equal lists."""
        check_equal(first, second, list, msg=msg)

    def assert_tuple_equal(self, first: tuple[Any, ...], second: tuple[Any, ...], msg: object = None) -> None:
        """Fails unless both are equal tuples."""
        check_equal(first, second, tuple, msg=msg)

    def assert_dict_equal(self, first: Mapping[Any, Any], second: Mapping[Any, Any], msg: object = None) -> None:
        """Fails unless both are equal dicts."""
        check_equal(first, second, dict, msg=msg)

    def assert_set_equal(self, first: AbstractSet[Any], second: AbstractSet[Any], msg: object = None) -> None:
        """Fails unless both are equal sets."""
        check_equal(first, second, AbstractSet, msg=msg)

    def assert_multi_line_equal(self, first: str, second: str, msg: object = None) -> None:
        """Fails unless both are equal texts; shows the lines that differ."""
        check_equal(first, second, str, msg=msg)

    def assert_sequence_equal(
        self, first: Sequence[Any], second: Sequence[Any], msg: object = None, seq_type: type[Any] | None = None
    ) -> None:
        """Fails unless both are equal sequences, of `seq_type` if given."""
        check_kind(first, second, seq_type or object, msg=msg)
        check_equal(list(first), list(second), msg=msg)

    # Python 3.14 adds these to unittest; here they are in every Python.

    def assert_starts_with(self, text: Any, prefix: Any, msg: object = None) -> None:
        """Fails unless `text.startswith(prefix)`."""
        check(text.startswith(prefix), "{} does not start with {}", text, prefix, msg=msg)

    def assert_not_starts_with(self, text: Any, prefix: Any, msg: object = None) -> None:
        """Fails if `text.startswith(prefix)`."""
        check(not text.startswith(prefix), "{} starts with {}", text, prefix, msg=msg)

    def assert_ends_with(self, text: Any, suffix: Any, msg: object = None) -> None:
        """Fails unless `text.endswith(suffix)`."""
        check(text.endswith(suffix), "{} does not end with {}", text, suffix, msg=msg)

    def assert_not_ends_with(self, text: Any, suffix: Any, msg: object = None) -> None:
        """Fails if `text.endswith(suffix)`."""
        check(not text.endswith(suffix), "{} ends with {}", text, suffix, msg=msg)

    def assert_has_attr(self, value: object, name: str, msg: object = None) -> None:
        """Fails unless `hasattr(value, name)`."""
        check(hasattr(value, name), "{} has no attribute {}", value, name, msg=msg)

    def assert_not_has_attr(self, value: object, name: str, msg: object = None) -> None:
        """Fails if `hasattr(value, name)`."""
        check(not hasattr(value, name), "{} has an attribute {}", value, name, msg=msg)

    def assert_is_subclass(self, cls: type, superclass: Types, msg: object = None) -> None:
        """Fails unless `issubclass(cls, superclass)`."""
        check(issubclass(cls, superclass), "{} is not a subclass of {}", cls, superclass, msg=msg)

    def assert_not_is_subclass(self, cls: type, superclass: Types, msg: object = None) -> None:
        """Fails if `issubclass(cls, superclass)`."""
        check(not issubclass(cls, superclass), "{} is a subclass of {}", cls, superclass, msg=msg)

    # Without a callable these are for a `with` block; what they are entered as keeps the exception, warning or records.

    @overload
    def assert_raises(
        self, expected: type[E] | tuple[type[E], ...], *, msg: object = None
    ) -> _AssertRaisesContext[E]: ...
    @overload
    def assert_raises(
        self,
        expected: type[BaseException] | tuple[type[BaseException], ...],
        call: Callable[..., object],
        /,
        *args: Any,
        **kwargs: Any,
    ) -> None: ...
    def assert_raises(self, expected: Any, *args: Any, **kwargs: Any) -> Any:
        """Fails unless the block, or the call, raises `expected`."""
        return start_unittest("assertRaises", expected, *args, **kwargs)

    @overload
    def assert_raises_regex(
        self, expected: type[E] | tuple[type[E], ...], regex: Pattern, *, msg: object = None
    ) -> _AssertRaisesContext[E]: ...
    @overload
    def assert_raises_regex(
        self,
        expected: type[BaseException] | tuple[type[BaseException], ...],
        regex: Pattern,
        call: Callable[..., object],
        /,
        *args: Any,
        **kwargs: Any,
    ) -> None: ...
    def assert_raises_regex(self, expected: Any, regex: Any, *args: Any, **kwargs: Any) -> Any:
        """Fails unless the block, or the call, raises `expected` with a text that has `regex`."""
        return start_unittest("assertRaisesRegex", expected, regex, *args, **kwargs)

    @overload
    def assert_warns(
        self, expected: type[Warning] | tuple[type[Warning], ...], *, msg: object = None
    ) -> _AssertWarnsContext: ...
    @overload
    def assert_warns(
        self,
        expected: type[Warning] | tuple[type[Warning], ...],
        call: Callable[..., object],
        /,
        *args: Any,
        **kwargs: Any,
    ) -> None: ...
    def assert_warns(self, expected: Any, *args: Any, **kwargs: Any) -> Any:
        """Fails unless the block, or the call, warns `expected`."""
        return start_unittest("assertWarns", expected, *args, **kwargs)

    @overload
    def assert_warns_regex(
        self, expected: type[Warning] | tuple[type[Warning], ...], regex: Pattern, *, msg: object = None
    ) -> _AssertWarnsContext: ...
    @overload
    def assert_warns_regex(
        self,
        expected: type[Warning] | tuple[type[Warning], ...],
        regex: Pattern,
        call: Callable[..., object],
        /,
        *args: Any,
        **kwargs: Any,
    ) -> None: ...
    def assert_warns_regex(self, expected: Any, regex: Any, *args: Any, **kwargs: Any) -> Any:
        """Fails unless the block, or the call, warns `expected` with a text that has `regex`."""
        return start_unittest("assertWarnsRegex", expected, regex, *args, **kwargs)

    def assert_logs(self, logger: str | logging.Logger | None = None, level: int | str | None = None) -> Any:
        """Fails unless the block logs at `level` (INFO) or above; it is entered as what has `records` and `output`."""
        return start_unittest("assertLogs", logger, level)

    def assert_no_logs(
        self, logger: str | logging.Logger | None = None, level: int | str | None = None
    ) -> AbstractContextManager[None]:
        """Fails if the block logs at `level` (INFO) or above."""
        context: AbstractContextManager[None] = start_unittest("assertNoLogs", logger, level)
        return context
