"""The assertion methods of an attempt."""

import ast
import inspect
import logging
import re
import subprocess
import sys
import unittest
import warnings

import pytest

from llmeval.assertions import AssertionMethods, counting

OLD = {"assert_", "assertDictContainsSubset"} | {
    name for name in dir(unittest.TestCase) if name.endswith(("Equals", "Matches", "Regexp"))
}
"""What unittest itself has deprecated; Python 3.12 has none of them."""


class Attempt(AssertionMethods):
    pass


attempt = Attempt()


def snake_case(name):
    return re.sub("([A-Z])", r"_\1", name).lower()


UNITTEST = sorted(name for name in dir(unittest.TestCase) if name.startswith("assert") and name not in OLD)


@pytest.mark.parametrize("name", UNITTEST)
def test_every_assertion_of_unittest_is_there_in_snake_case_with_its_arguments(name):
    method = getattr(attempt, snake_case(name))
    theirs = inspect.signature(getattr(unittest.TestCase(), name)).parameters.values()
    ours = inspect.signature(method).parameters.values()
    assert [(each.kind, each.default) for each in ours] == [(each.kind, each.default) for each in theirs]
    assert method.__doc__


PASSING = {
    "assert_equal": (1, 1),
    "assert_not_equal": (1, 2),
    "assert_almost_equal": (1.0, 1.00000001),
    "assert_not_almost_equal": (1.0, 1.1),
    "assert_true": (1,),
    "assert_false": (0,),
    "assert_greater": (2, 1),
    "assert_greater_equal": (2, 2),
    "assert_less": (1, 2),
    "assert_less_equal": (2, 2),
    "assert_in": (1, [1]),
    "assert_not_in": (2, [1]),
    "assert_is": (None, None),
    "assert_is_not": (None, 1),
    "assert_is_none": (None,),
    "assert_is_not_none": (1,),
    "assert_is_instance": (1, int),
    "assert_not_is_instance": (1, (str, bytes)),
    "assert_regex": ("order 12", r"\d+"),
    "assert_not_regex": ("order", r"\d+"),
    "assert_count_equal": ([1, 2], [2, 1]),
    "assert_list_equal": ([1], [1]),
    "assert_tuple_equal": ((1,), (1,)),
    "assert_dict_equal": ({1: 2}, {1: 2}),
    "assert_set_equal": ({1}, {1}),
    "assert_multi_line_equal": ("a\nb", "a\nb"),
    "assert_sequence_equal": ([1], (1,)),
    "assert_starts_with": ("abc", "ab"),
    "assert_not_starts_with": ("abc", "bc"),
    "assert_ends_with": ("abc", "bc"),
    "assert_not_ends_with": ("abc", "ab"),
    "assert_has_attr": ([], "append"),
    "assert_not_has_attr": ([], "push"),
    "assert_is_subclass": (bool, int),
    "assert_not_is_subclass": (int, bool),
    "assert_includes": ([1, 2], 2),
    "assert_match": (r"\d", "a1"),
    "assert_nil": (None,),
    "assert_empty": ([],),
    "refute": (0,),
    "refute_equal": (1, 2),
    "refute_includes": ([1], 2),
    "refute_match": (re.compile(r"\d"), "a"),
    "refute_nil": (0,),
    "refute_empty": ([1],),
}
FAILING = {
    "assert_equal": ((1, 2), "1 != 2"),
    "assert_not_equal": ((1, 1), "1 == 1"),
    "assert_almost_equal": ((1, 2, None, None, 0.5), "1 != 2 within 0.5 delta (1 difference)"),
    "assert_not_almost_equal": ((1, 1.2, 0), "1 == 1.2 within 0 places"),
    "assert_true": (("",), "'' is not true"),
    "assert_false": ((3,), "3 is not false"),
    "assert_greater": ((1, 2), "1 not greater than 2"),
    "assert_greater_equal": ((1, 2), "1 not greater than or equal to 2"),
    "assert_less": ((2, 1), "2 not less than 1"),
    "assert_less_equal": ((2, 1), "2 not less than or equal to 1"),
    "assert_in": ((2, [1]), "2 not found in [1]"),
    "assert_not_in": ((1, [1]), "1 unexpectedly found in [1]"),
    "assert_is": ((None, 1), "None is not 1"),
    "assert_is_not": ((None, None), "unexpectedly identical: None"),
    "assert_is_none": ((1,), "1 is not None"),
    "assert_is_not_none": ((None,), "unexpectedly None"),
    "assert_is_instance": ((1, str), "1 is not an instance of <class 'str'>"),
    "assert_not_is_instance": ((1, int), "1 is an instance of <class 'int'>"),
    "assert_regex": (("order", r"\d+"), "Regex didn't match: '\\\\d+' not found in 'order'"),
    "assert_not_regex": (("a1", r"\d+"), "Regex matched: '1' matches '\\\\d+' in 'a1'"),
    "assert_count_equal": (([1], [2]), "Element counts were not equal:"),
    "assert_list_equal": (([1], [2]), "[1] != [2]"),
    "assert_tuple_equal": (((1,), (2,)), "(1,) != (2,)"),
    "assert_dict_equal": (({1: 2}, {1: 3}), "{1: 2} != {1: 3}"),
    "assert_set_equal": (({1}, {2}), "{1} != {2}"),
    "assert_multi_line_equal": (("a\n", "b\n"), "'a\\n' != 'b\\n'"),
    "assert_sequence_equal": (([1], (2,)), "[1] != [2]"),
    "assert_starts_with": (("abc", "bc"), "'abc' does not start with 'bc'"),
    "assert_not_starts_with": (("abc", "ab"), "'abc' starts with 'ab'"),
    "assert_ends_with": (("abc", "ab"), "'abc' does not end with 'ab'"),
    "assert_not_ends_with": (("abc", "bc"), "'abc' ends with 'bc'"),
    "assert_has_attr": ((1, "push"), "1 has no attribute 'push'"),
    "assert_not_has_attr": ((1, "real"), "1 has an attribute 'real'"),
    "assert_is_subclass": ((int, str), "<class 'int'> is not a subclass of <class 'str'>"),
    "assert_not_is_subclass": ((bool, int), "<class 'bool'> is a subclass of <class 'int'>"),
    "assert_includes": (([1], 2), "[1] does not include 2"),
    "assert_match": ((r"\d", "a"), "'\\\\d' is not found in 'a'"),
    "assert_nil": ((1,), "1 is not None"),
    "assert_empty": (([1],), "[1] is not empty"),
    "refute": ((1,), "1 is not false"),
    "refute_equal": ((1, 1.0), "1.0 equals 1"),
    "refute_includes": (([1], 1), "[1] includes 1"),
    "refute_match": ((re.compile(r"\d"), "a1"), "'\\\\d' is found in 'a1'"),
    "refute_nil": ((None,), "None is None"),
    "refute_empty": (("",), "'' is empty"),
}
BLOCKS = {name for name in dir(AssertionMethods) if re.search("raises|warns|logs", name)}


def test_every_method_is_tested_here():
    names = {name for name in dir(AssertionMethods) if not name.startswith("_")}
    assert names - BLOCKS == set(PASSING) == set(FAILING)


@pytest.mark.parametrize("name", PASSING)
def test_a_method_that_holds_counts_one(name):
    with counting() as tally:
        assert getattr(attempt, name)(*PASSING[name]) is None
    assert tally.count == 1


@pytest.mark.parametrize("name", FAILING)
def test_a_method_that_fails_counts_one_and_says_both_values_and_where(name):
    arguments, says = FAILING[name]
    with counting() as tally, pytest.raises(AssertionError) as caught:
        getattr(attempt, name)(*arguments)
    lines = str(caught.value).split("\n")
    assert lines[0] == says
    assert re.fullmatch(r"tests/test_assertion_methods\.py:\d+: getattr\(attempt, name\)\(\*arguments\)", lines[-1])
    assert tally.count == 1


@pytest.mark.parametrize("name", sorted(FAILING))
def test_the_authors_message_comes_first(name):
    with pytest.raises(AssertionError) as caught:
        getattr(attempt, name)(*FAILING[name][0][:2], **options(name), msg="said by the author")
    assert str(caught.value).split("\n")[:2] == ["said by the author", FAILING[name][1]]


def options(name):
    return {"assert_almost_equal": {"delta": 0.5}, "assert_not_almost_equal": {"places": 0}}.get(name, {})


def test_a_failure_of_long_values_is_bounded():
    with pytest.raises(AssertionError) as caught:
        attempt.assert_in("needle", "hay" * 1_000_000)
    assert len(str(caught.value)) < 5000
    with pytest.raises(AssertionError, match="second"):
        attempt.assert_equal("\n".join(["first"] * 2000), "\n".join(["second"] * 2000))


@pytest.mark.parametrize(
    ("name", "arguments", "says"),
    [
        ("assert_list_equal", ([1], (1,)), "(1,) is not a list"),
        ("assert_tuple_equal", ([1], (1,)), "[1] is not a tuple"),
        ("assert_dict_equal", ([], {}), "[] is not a dict"),
        ("assert_set_equal", ([], set()), "[] is not a Set"),
        ("assert_multi_line_equal", (b"a", "a"), "b'a' is not a str"),
        ("assert_sequence_equal", ([1], (1,), None, list), "(1,) is not a list"),
    ],
)
def test_an_equality_of_a_kind_wants_that_kind(name, arguments, says):
    with counting() as tally, pytest.raises(AssertionError) as caught:
        getattr(attempt, name)(*arguments)
    assert str(caught.value).split("\n")[0] == says
    assert tally.count == 1


def test_what_should_be_equal_is_told_apart():
    with pytest.raises(AssertionError) as caught:
        attempt.assert_equal({"a": [1], "b": 2}, {"a": [2], "b": 2})
    assert str(caught.value).split("\n")[:2] == ["{'a': [1], 'b': 2} != {'a': [2], 'b': 2}", "  at 'a': [1] != [2]"]


def test_a_failure_is_raised_at_the_call_without_unittest_below_it():
    with pytest.raises(AssertionError) as caught:
        attempt.assert_count_equal([1], [2])
    assert caught.value.__suppress_context__
    assert not any("unittest" in str(entry.path) for entry in caught.traceback)


def test_a_wrong_use_is_an_error_and_no_failure():
    with pytest.raises(TypeError):
        attempt.assert_in(1, 2)
    with pytest.raises(TypeError):
        attempt.assert_empty(None)


def test_raising_can_be_asserted_of_a_block_and_of_a_call():
    with counting() as tally:
        with attempt.assert_raises(ValueError) as caught:
            int("x")
        attempt.assert_raises((ValueError, KeyError), int, "x", base=10)
        with attempt.assert_raises_regex(ValueError, "invalid literal"):
            int("x")
        attempt.assert_raises_regex(ValueError, "invalid literal", int, "x")
    assert "invalid literal" in str(caught.exception)
    assert tally.count == 4
    with pytest.raises(AssertionError, match="ValueError not raised : it should"), counting() as tally:  # noqa: SIM117
        with attempt.assert_raises(ValueError, msg="it should"):
            pass
    assert tally.count == 1
    with pytest.raises(AssertionError, match="ValueError not raised by int"):
        attempt.assert_raises(ValueError, int, "1")
    with pytest.raises(KeyError), attempt.assert_raises(ValueError):
        raise KeyError


def test_warnings_and_logs_can_be_asserted():
    with counting() as tally:
        with attempt.assert_warns(UserWarning) as warned:
            warnings.warn("old", stacklevel=1)
        with attempt.assert_warns_regex(UserWarning, "ol"):
            warnings.warn("old", stacklevel=1)
        with attempt.assert_logs("shop", "INFO") as logged:
            logging.getLogger("shop").info("ordered")
        with attempt.assert_no_logs("shop"):
            pass
    assert str(warned.warning) == "old"
    assert logged.output == ["INFO:shop:ordered"]
    assert tally.count == 4
    with pytest.raises(AssertionError, match="no logs of level INFO"), attempt.assert_logs():
        pass


def test_nothing_heavy_is_imported_before_it_is_needed():
    program = "import sys, llmeval.assertions\nprint(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert not {"unittest", "asyncio", "logging", "difflib", "contextlib2"}.intersection(run.stdout.split())


def test_the_methods_are_written_out_for_type_checkers():
    tree = ast.parse(inspect.getsource(inspect.getmodule(AssertionMethods)))
    written = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    assert {snake_case(name) for name in UNITTEST} - {"assert_true"} <= written
