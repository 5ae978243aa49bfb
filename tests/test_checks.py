"""Built-in code criteria: each says why it fails, and negation never turns an error into a pass."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import pydantic
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from llmeval import checks
from llmeval.cases import OMITTED, Case
from llmeval.checks.differences import differences, same_json
from llmeval.criteria import Criterion
from llmeval.errors import EvaluatorConfigError, EvaluatorError
from llmeval.evaluators.base import Grades, Subject
from llmeval.evaluators.function import FunctionEvaluator
from llmeval.evidence import Evidence, ToolCall
from llmeval.results import Probability, Result
from llmeval.usage import Tokens


def attempt(output: Any = None, expected: Any = OMITTED, **more: Any) -> Any:
    """Returns what a check reads of an attempt."""
    return SimpleNamespace(output=output, has_expected_output=expected is not OMITTED, expected_output=expected, **more)


def passes(check: Any, *args: Any, **more: Any) -> bool:
    verdict, reason = check(attempt(*args, **more))
    assert isinstance(verdict, bool)
    assert reason
    return verdict


def reason(check: Any, *args: Any, **more: Any) -> str:
    verdict, told = check(attempt(*args, **more))
    assert verdict is False
    return str(told)


# exact


def test_exact_compares_with_a_value_or_with_the_reference() -> None:
    assert passes(checks.exact("Yes"), "Yes")
    assert passes(checks.exact(), {"a": [1]}, {"a": [1]})
    assert passes(checks.exact(None), None)
    assert passes(checks.exact(), None, None)
    assert reason(checks.exact("Yes"), "yes") == 'the output is "yes", expected "Yes"'
    with pytest.raises(EvaluatorError, match=r"checks\.exact has nothing to compare with"):
        checks.exact()(attempt("x"))


def test_exact_tells_types_apart_as_json_does() -> None:
    assert not passes(checks.exact(1), True)
    assert not passes(checks.exact("1"), 1)
    assert not passes(checks.exact(False), 0)
    assert not passes(checks.exact(""), None)
    assert passes(checks.exact(1), 1.0)


def test_exact_may_ignore_case_and_space() -> None:
    assert passes(checks.exact("straße", ignore_case=True), "STRASSE")
    assert passes(checks.exact("a b", ignore_space=True), " a \n b ")
    assert not passes(checks.exact("a b"), "a  b")


def test_exact_says_where_long_texts_begin_to_differ() -> None:
    told = reason(checks.exact("x" * 50 + "a"), "x" * 50 + "b")
    assert told.endswith('they differ from character 51: "b", "a"')


# includes, matches


def test_includes_asks_for_all_texts_or_one_of_them() -> None:
    assert passes(checks.includes("refund", "30 days"), "A refund within 30 days")
    assert reason(checks.includes("refund", "60 days"), "A refund") == 'the output has no "60 days": "A refund"'
    assert passes(checks.includes("refund", "60 days", any_of=True), "A refund")
    assert reason(checks.includes("a", "b", any_of=True), "x") == 'the output has no one of "a", "b": "x"'
    assert passes(checks.includes("REFUND", ignore_case=True), "refund")
    assert not passes(checks.includes("REFUND"), "refund")


def test_includes_looks_for_the_reference_when_nothing_is_given() -> None:
    assert passes(checks.includes(), "A refund within 30 days", ["refund", "30 days"])
    assert not passes(checks.includes(), "A refund", "exchange")
    with pytest.raises(EvaluatorError, match="looks for texts"):
        checks.includes()(attempt("x", 3))
    with pytest.raises(EvaluatorError, match="nothing to compare with"):
        checks.includes()(attempt("x"))


def test_includes_searches_other_values_as_json() -> None:
    assert passes(checks.includes("Füchse"), {"text": "Füchse"})
    assert reason(checks.includes("x"), None) == "the output is null"


def test_matches_searches_or_matches_all_of_the_output() -> None:
    assert passes(checks.matches(r"\b\d+ days\b"), "within 30 days")
    assert not passes(checks.matches(r"\d+ days", whole=True), "within 30 days")
    assert passes(checks.matches("REFUND", ignore_case=True), "refund")
    assert reason(checks.matches("^x"), "ax") == "'^x' is not in the output \"ax\""


# JSON


def test_json_valid_reads_exactly_one_document() -> None:
    assert passes(checks.json_valid(), '{"a": [1, null]}')
    assert passes(checks.json_valid(), {"a": 1})
    assert reason(checks.json_valid(), '{"a": 1,}').startswith("the output is not JSON")
    assert "line 1, column" in reason(checks.json_valid(), '{"a": 1,}')
    assert not passes(checks.json_valid(), '```json\n{"a": 1}\n```')
    assert not passes(checks.json_valid(), "{} {}")
    assert reason(checks.json_valid(), "[NaN]") == "the output is not JSON: NaN is no number of JSON"
    assert not passes(checks.json_valid(), "[" * 100_000)


SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


def test_json_schema_lists_every_violation_with_its_place() -> None:
    assert passes(checks.json_schema(SCHEMA), '{"n": 1}')
    assert passes(checks.json_schema(SCHEMA), {"n": 1})
    assert reason(checks.json_schema(SCHEMA), {"n": "x"}) == "$.n: 'x' is not of type 'integer'"
    assert "'n' is a required property" in reason(checks.json_schema(SCHEMA), "{}")
    assert "the output is not JSON" in reason(checks.json_schema(SCHEMA), "no")
    many = {"type": "array", "items": {"type": "integer"}}
    assert reason(checks.json_schema(many), ["x"] * 8).endswith("and 3 more")


def test_json_schema_takes_a_pydantic_model() -> None:
    class Answer(pydantic.BaseModel):
        n: int

    assert passes(checks.json_schema(Answer), '{"n": 1}')
    assert not passes(checks.json_schema(Answer), '{"n": "x"}')


def test_what_a_schema_refers_to_is_not_fetched() -> None:
    check = checks.json_schema({"$ref": "http://127.0.0.1:9/schema.json"})
    with pytest.raises(Exception, match=r"Unresolvable: http://127\.0\.0\.1:9/schema\.json"):
        check(attempt({}))
    local = {"$defs": {"n": {"type": "integer"}}, "$ref": "#/$defs/n"}
    assert passes(checks.json_schema(local), 3)


def test_json_equal_lists_the_differences_place_by_place() -> None:
    check = checks.json_equal({"a": 1, "b": [1, 2], "c": {"d": True}})
    assert passes(check, '{"c": {"d": true}, "b": [1, 2], "a": 1.0}')
    told = reason(check, {"a": 2, "b": [1], "c": {"d": 1, "e f": 0}})
    assert told.split("; ") == [
        "$.a is 2, expected 1",
        "$.b[1] is missing, expected 2",
        "$.c.d is 1, expected true",
        '$.c has "e f": 0, which is not expected',
    ]


def test_json_equal_may_ignore_the_order_of_lists() -> None:
    wanted = [{"a": [1, 2]}, {"b": 1}]
    assert passes(checks.json_equal(wanted, ignore_order=True), [{"b": 1}, {"a": [2, 1.0]}])
    assert not passes(checks.json_equal(wanted), [{"b": 1}, {"a": [1, 2]}])
    told = reason(checks.json_equal([1, 1], ignore_order=True), [1, 2])
    assert told.split("; ") == ["$ has no 1", "$ has 2, which is not expected"]


def test_json_equal_reads_a_reference_that_is_json_text() -> None:
    assert passes(checks.json_equal(), '{"a": 1}', '{"a":1}')
    assert passes(checks.json_equal(), {"a": 1}, {"a": 1})
    assert not passes(checks.json_equal(), "plain", "other")


# numeric, similar


@pytest.mark.parametrize(
    ("output", "wanted"),
    [
        (42, True),
        (42.0, True),
        ("42", True),
        ("The total is 42.", True),
        ("42 km", True),
        ("It is 42%", True),
        ("1,042", False),
        ("between 41 and 43", False),
        ("version 4.2.1", False),
        ("4,2", False),
        ("forty-two", False),
        ("x42", False),
        (True, False),
        (None, False),
    ],
)
def test_numeric_reads_exactly_one_number(output: Any, wanted: bool) -> None:
    assert passes(checks.numeric(42), output) is wanted


@pytest.mark.parametrize(
    ("text", "number"), [("1,234.50 EUR", 1234.5), ("-3", -3), ("\N{MINUS SIGN}3", -3), ("1e3", 1000), ("+0.5", 0.5)]
)
def test_numeric_knows_how_numbers_are_written(text: str, number: float) -> None:
    assert passes(checks.numeric(number), text)


def test_numeric_allows_a_tolerance_or_a_share() -> None:
    assert passes(checks.numeric(0.3), 0.1 + 0.2) is False
    assert passes(checks.numeric(0.3, tolerance=1e-9), 0.1 + 0.2)
    assert passes(checks.numeric(100, relative=0.05), "about 104")
    assert reason(checks.numeric(100, tolerance=2), 104) == "the output is 104, expected 100: 4 apart, 2 allowed"
    assert passes(checks.numeric(), "42", 42)
    with pytest.raises(EvaluatorError, match='the reference "none" has no number in it'):
        checks.numeric()(attempt(1, "none"))


def test_similar_measures_how_many_characters_differ() -> None:
    assert passes(checks.similar("colour"), "color")
    assert reason(checks.similar("abcd", minimum=0.9), "abcx").endswith("by 0.75; 0.9 is asked")
    assert passes(checks.similar("ABC", ignore_case=True, minimum=1), "abc")
    assert passes(checks.similar(), "same", "same")


# Tool calls


def called(*calls: Any) -> Any:
    made = [ToolCall(name=one) if isinstance(one, str) else ToolCall(name=one[0], arguments=one[1]) for one in calls]
    return attempt("x", tool_calls=tuple(made))


SEARCH = ("search", {"query": "a", "limit": 3})


@pytest.mark.parametrize(
    ("mode", "made", "holds"),
    [
        ("strict", ("search", "refund"), True),
        ("strict", ("refund", "search"), False),
        ("strict", ("search",), False),
        ("strict", ("search", "refund", "search"), False),
        ("unordered", ("refund", "search"), True),
        ("unordered", ("refund", "search", "search"), False),
        ("unordered", ("refund",), False),
        ("subset", ("search",), True),
        ("subset", (), True),
        ("subset", ("search", "other"), False),
        ("subset", ("search", "search"), False),
        ("superset", ("other", "refund", "search"), True),
        ("superset", ("search", "other"), False),
    ],
)
def test_a_trajectory_is_compared_in_four_ways(mode: Any, made: tuple[str, ...], holds: bool) -> None:
    verdict, told = checks.tool_trajectory(["search", "refund"], mode=mode)(called(*made))
    assert verdict is holds
    assert told


def test_a_trajectory_says_which_call_is_wrong() -> None:
    check = checks.tool_trajectory([("search", {"query": "b"})])
    _, told = check(called(SEARCH))
    assert told == (
        'call 1 is search(query="a", limit=3), expected search(query="b") (called: search(query="a", limit=3))'
    )
    _, told = checks.tool_trajectory(["search", "refund"])(called("search"))
    assert told == "call 2 is missing, expected refund (called: search())"
    _, told = checks.tool_trajectory(["a"], mode="unordered")(called("b"))
    assert told == "a was not called; b() was called and is not expected (called: b())"


def test_arguments_of_a_trajectory_are_at_least_or_exactly_those() -> None:
    assert checks.tool_trajectory([("search", {"query": "a"})])(called(SEARCH))[0]
    assert not checks.tool_trajectory([("search", {"query": "a"})], exact_arguments=True)(called(SEARCH))[0]
    assert checks.tool_trajectory([{"name": "search", "arguments": {"limit": 3.0}}])(called(SEARCH))[0]
    assert not checks.tool_trajectory([("search", {"limit": True})])(called(("search", {"limit": 1})))[0]


def test_a_call_that_fits_several_expectations_goes_where_it_is_needed() -> None:
    both, one = ("f", {"a": 1, "b": 2}), ("f", {"a": 1})
    for wanted in ([("f", {"a": 1}), ("f", {"b": 2})], ["f", ("f", {"b": 2})]):
        for made in ((both, one), (one, both)):
            assert checks.tool_trajectory(wanted, mode="unordered")(called(*made))[0]


def test_a_trajectory_may_be_the_reference() -> None:
    subject = called("search")
    subject.has_expected_output, subject.expected_output = True, ["search"]
    assert checks.tool_trajectory()(subject)[0]
    subject.expected_output = "search"
    with pytest.raises(EvaluatorError, match="give a list of them"):
        checks.tool_trajectory()(subject)


# Budgets


def test_budgets_say_what_was_used_and_what_is_allowed() -> None:
    used = attempt("x", duration=1.5, tokens=Tokens(input=90, output=20), cost=0.02)
    assert checks.max_duration(2)(used) == (True, "it took 1.5 s, 2 s allowed")
    assert checks.max_duration(1)(used)[0] is False
    assert checks.max_tokens(100)(used) == (False, "it took 110 tokens (90 in, 20 out), 100 allowed")
    assert checks.max_tokens(110)(used)[0]
    assert checks.max_cost(0.01)(used) == (False, "it cost $0.02, $0.01 allowed")
    assert checks.max_cost(0.02)(used)[0]


def test_what_is_not_known_is_an_error_and_no_pass() -> None:
    unknown = attempt("x", tokens=None, cost=None)
    for check in (checks.max_tokens(10), checks.max_cost(1)):
        for one in (check, checks.negate(check)):
            with pytest.raises(EvaluatorError, match="no model request was seen"):
                one(unknown)


# Negation


def test_negation_turns_a_verdict_round_and_keeps_the_reason() -> None:
    check = checks.negate(checks.includes("refund"))
    assert check(attempt("A refund")) == (False, 'the output has "refund"')
    assert check(attempt("No")) == (True, 'the output has no "refund": "No"')
    assert checks.negate(check)(attempt("A refund"))[0] is True


@pytest.mark.parametrize(
    ("check", "output"),
    [
        (checks.includes("x"), None),
        (checks.matches("x"), None),
        (checks.json_schema(SCHEMA), "not JSON"),
        (checks.json_equal([1]), "not JSON"),
        (checks.numeric(3), "no number"),
        (checks.similar("x"), None),
    ],
)
def test_what_nothing_can_be_said_about_fails_either_way(check: Any, output: Any) -> None:
    assert not passes(check, output)
    assert not passes(checks.negate(check), output)


def test_negation_never_turns_an_error_or_unknown_into_a_pass() -> None:
    def boom(attempt: Any) -> bool:
        raise RuntimeError("boom")

    with pytest.raises(RuntimeError, match="boom"):
        checks.negate(boom)(attempt("x"))
    with pytest.raises(EvaluatorError, match="nothing to compare with"):
        checks.negate(checks.exact())(attempt("x"))
    unknown = Result(name="c", value=None)
    assert checks.negate(lambda attempt: unknown)(attempt("x")) is unknown
    for odd in (None, 0.5, Probability(0.5), "no", (None, "why")):
        with pytest.raises(EvaluatorError, match="has no opposite"):
            checks.negate(lambda attempt, odd=odd: odd)(attempt("x"))


def test_negation_takes_functions_of_the_user_sync_and_async() -> None:
    async def later(attempt: Any) -> tuple[bool, str]:
        return False, "why"

    assert checks.negate(lambda attempt: True)(attempt("x")) is False
    assert checks.negate(lambda attempt: (False, "why"))(attempt("x")) == (True, "why")
    assert asyncio.run(checks.negate(later)(attempt("x"))) == (True, "why")
    turned = checks.negate(lambda attempt: Result(name="c", value=True, reason="r"))(attempt("x"))
    assert (turned.value, turned.reason) == (False, "r")


# Mistakes


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: checks.includes(""), "'' is no text to look for"),
        (lambda: checks.includes(3), "3 is no text to look for"),  # type: ignore[arg-type]
        (lambda: checks.matches("("), "is no regular expression"),
        (lambda: checks.json_schema({"type": "nonsense"}), "the schema is not one"),
        (lambda: checks.json_schema([1]), "give an object or a Pydantic model"),  # type: ignore[arg-type]
        (lambda: checks.numeric("none"), "expected is 'none'"),
        (lambda: checks.numeric(True), "expected is True"),
        (lambda: checks.numeric(1, tolerance=-1), "tolerance is -1"),
        (lambda: checks.similar("x", minimum=2), "minimum is 2"),
        (lambda: checks.tool_trajectory("search"), "give a list of them"),
        (lambda: checks.tool_trajectory([3]), "3 is no call"),
        (lambda: checks.tool_trajectory([], mode="sorted"), "mode is 'sorted'"),  # type: ignore[arg-type]
        (lambda: checks.max_cost(float("nan")), "dollars is nan"),
        (lambda: checks.max_tokens(True), "tokens is True"),
        (lambda: checks.exact(object()), "a setting is not JSON"),
        (lambda: checks.negate(3), "3 is no function"),  # type: ignore[arg-type]
    ],
)
def test_a_mistake_is_an_error_where_the_check_is_made(make: Any, message: str) -> None:
    with pytest.raises(EvaluatorConfigError, match=message):
        make()


def test_a_check_is_an_evaluator_whose_settings_are_in_its_identity() -> None:
    one, same, other = (FunctionEvaluator(checks.includes(text)) for text in ("a", "a", "b"))
    assert one.identity() == same.identity()
    assert one.identity() != other.identity()
    assert FunctionEvaluator(checks.negate(checks.includes("a"))).identity() != one.identity()
    assert one.describe() == "checks.includes"
    subject = Subject(case=Case("c", "q"), evidence=Evidence(output="b"), attempt=attempt("b"))
    grades = one.evaluate(subject, [Criterion(name="names a", evaluator=one)])
    assert isinstance(grades, Grades)
    assert [(result.value, result.reason) for result in grades.results] == [(False, 'the output has no "a": "b"')]


def test_checks_say_what_they_are_so_that_reports_can_be_compared() -> None:
    assert checks.includes("a") != checks.includes("b")
    assert checks.includes("a").settings == '{"any_of":false,"ignore_case":false,"texts":["a"]}'
    assert checks.negate(checks.includes("a")).__qualname__ == "checks.not includes"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=10,
)


@settings(max_examples=100, deadline=None)
@given(JSON, JSON)
def test_no_difference_means_the_same_json(left: Any, right: Any) -> None:
    assert same_json(left, json.loads(json.dumps(left)))
    assert not list(differences(left, left, ignore_order=True))
    if same_json(left, right):
        assert not list(differences(left, right, ignore_order=True))
        assert same_json(right, left)


def test_checks_are_imported_from_the_package_and_only_when_they_are_asked_for() -> None:
    code = (
        "import sys, llmeval; assert 'llmeval.checks' not in sys.modules; from llmeval import checks;"
        "assert checks is llmeval.checks is sys.modules['llmeval.checks']; print(checks.exact('a').name)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "exact\n"
