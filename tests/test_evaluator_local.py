"""The local evaluator: lexical agreement with the reference, unknown when wording cannot decide."""

from __future__ import annotations

from typing import Any

import pytest

from llmeval.cases import OMITTED, Case
from llmeval.criteria import CORRECTNESS, Criterion
from llmeval.errors import EvaluatorConfigError
from llmeval.evaluators.base import Subject
from llmeval.evaluators.lexical import compare
from llmeval.evaluators.local import LocalEvaluator
from llmeval.evidence import Evidence
from llmeval.results import Result, Status


def grade(reference: Any, output: Any, criterion: Criterion | None = None) -> Result:
    subject = Subject(case=Case("one", inputs="?", expected_output=reference), evidence=Evidence(output=output))
    (result,) = LocalEvaluator().evaluate(subject, [criterion or Criterion(name=CORRECTNESS)]).results
    return result


def verdict(reference: Any, output: Any) -> bool | None:
    found = grade(reference, output)
    assert found.reason
    assert isinstance(found.value, bool) or found.value is None
    return found.value


def test_other_criteria_are_unknown() -> None:
    result = grade("fine", "fine", Criterion(name="polite", instructions="The answer is polite"))

    assert result.status is Status.UNASSESSED
    assert result.reason == "local cannot judge 'polite': configure a model to grade it"


def test_correctness_with_instructions_is_a_criterion_like_any_other() -> None:
    assert grade("fine", "fine", Criterion(name=CORRECTNESS, instructions="It is right")).value is None


def test_results_come_in_the_order_of_the_criteria() -> None:
    subject = Subject(case=Case("one", inputs="?", expected_output=1), evidence=Evidence(output=1))
    criteria = [Criterion(name="polite"), Criterion(name=CORRECTNESS), Criterion(name="short")]

    grades = LocalEvaluator().evaluate(subject, criteria)

    assert [(result.name, result.value) for result in grades.results] == [
        ("polite", None),
        (CORRECTNESS, True),
        ("short", None),
    ]


def test_a_minimum_and_missing_instructions_are_refused() -> None:
    LocalEvaluator().check([Criterion(name="polite", instructions="The answer is polite"), Criterion(name=CORRECTNESS)])

    with pytest.raises(EvaluatorConfigError, match="criterion 'correctnes' has no instructions"):
        LocalEvaluator().check([Criterion(name="correctnes")])
    with pytest.raises(EvaluatorConfigError, match="minimum"):
        LocalEvaluator().check([Criterion(name=CORRECTNESS, minimum=0.5)])


def test_without_a_reference_nothing_is_decided() -> None:
    assert grade(OMITTED, "fine").value is None


@pytest.mark.parametrize("value", [None, False, True, 0, 0.5, "", "x", [], {}, [1, None], {"a": [False]}])
def test_every_json_value_is_a_valid_reference(value: Any) -> None:
    assert verdict(value, value) is True


@pytest.mark.parametrize(
    ("reference", "output", "expected"),
    [
        (1, 1.0, True),
        (1, 2, False),
        (10**18, 10**18 + 1, False),
        (0.3, 0.1 + 0.2, True),
        (3.14, 3.14159, None),
        (True, 1, None),
        (1, True, None),
        (0, False, None),
        (False, None, None),
        (None, 0, None),
        (True, False, False),
        (True, "Yes.", True),
        (True, "no", False),
        (30, "30", True),
        (30, "thirty", True),
        (30, "31", False),
        (30, "30 days", None),
        ("30", 30, True),
        ("Paris", None, False),
        ("Paris", "  ", False),
        ("", "Paris", False),
        ("", " \n", True),
        (None, "nothing", None),
        ([1, 2], [1, 2.0], True),
        ([1, 2], [2, 1], None),
        ([1, 2], [1, 2, 3], False),
        ([1, 2], [1, 3], False),
        (["x y"], ["X, y"], True),
        ({"a": 1}, {"a": 1, "b": 2}, None),
        ({"a": 1, "b": 2}, {"a": 1}, False),
        ({"a": {"b": [1]}}, {"a": {"b": [2]}}, False),
        ({"a": "30 days"}, {"a": "thirty days"}, True),
        ({"a": 1}, '```json\n{"a": 1}\n```', True),
        ({"a": 1}, '{"a": 2}', False),
        ({"a": 1}, "a is 1", None),
        ('{"a": 1}', {"a": 1}, True),
        ("[NaN]", "[NaN]", True),
        ("[NaN]", "[1.5]", None),
        ("[" * 900 + "]" * 900, "[" * 901 + "]" * 901, None),
        ([0, True], "[1, true]", False),
        ("a is 1", {"a": 1}, None),
    ],
)
def test_values_are_compared_by_structure(reference: Any, output: Any, expected: bool | None) -> None:
    assert verdict(reference, output) is expected


def test_the_reason_names_the_part_that_disagrees() -> None:
    reason = compare({"order": {"days": [3, 5]}}, {"order": {"days": [3, 7]}}).reason

    assert reason == "At 'order': At 'days': At item 2: The reference is 5, but the answer is 7."


@pytest.mark.parametrize(
    ("reference", "output"),
    [
        ("½ cup", "0.5 cup"),
        ("2½ hours", "150 minutes"),
        ("one hundred and five", "105"),
        ("twenty-five percent", "25 %"),
        ("$1.2M", "1.2 million dollars"),
        ("1\u202f234\u202f567 people", "1,234,567 people"),
        ("3.500,25 Euro", "3500.25 euros"),
        ("21st of June 2026", "2026-06-21"),
        ("Sept. 5, 2025", "5 September 2025"),
        ("12 am", "00:00"),
        ("9:00", "09:00"),
        ("6 pm", "18:00"),
        ("5\u201310 days", "5 to 10 days"),
        ("It\u2019s \u201cfine\u201d\u2026", "it is 'fine'"),
        ("ﬁne Straße", "fine strasse"),
        ("We'll refund customers' orders.", "we will refund customer orders"),
        ("10²", "10²"),
    ],
)
def test_another_spelling_of_the_same_passes(reference: str, output: str) -> None:
    assert verdict(reference, output) is True


@pytest.mark.parametrize(
    ("reference", "output"),
    [
        ("10²", "102"),
        ("Grade A-", "Grade A"),
        ("C#", "C++"),
        ("Adams wrote it.", "Adam wrote it."),
        ("a few items", "few items"),
        ("vitamin A", "vitamin"),
        ("~~30~~ 14 days", "30 14 days"),
        ("x >= 5", "x <= 5"),
        ("You can return it.", "You can return it?"),
        ("five, six", "fifty-six"),
        ("1.500 Euro", "1.5 Euro"),
        ("3.11.2", "3.112"),
        ("No refunds", "No, refunds"),
        ("--force", "force"),
        ("-v", "--v"),
        ("-$40", "$40"),
        ("PIN 0042", "PIN 42"),
        ("10 Mb", "10 MB"),
        ("5 mW", "5 MW"),
        ("5mW", "5MW"),
        ("5 Mg", "5 mg"),
        ("key aB3", "key ab3"),
        ("closes at 6:00", "closes at 6 am"),
        ("A is right", "is right"),
    ],
)
def test_what_looks_alike_but_is_not_does_not_pass(reference: str, output: str) -> None:
    assert verdict(reference, output) is not True


@pytest.mark.parametrize(
    ("reference", "output"),
    [
        ("It costs $10 per month.", "It costs $120 per year."),
        ("The offer ends on 03/05/2026.", "The offer ends on 3 May 2026."),
        ("The offer ends on 03/05/2026.", "The offer ends on May 3 2026."),
        ("It weighs about 5 kg.", "It weighs 4.8 kg."),
        ("It is 5 miles away.", "It is 8 km away."),
        ("The file has 1.2 million rows.", "The file has 1,234,567 rows."),
        ("It takes a month.", "It takes 30 days."),
        ("It is not open.", "It is closed."),
        ("返品は30日以内です", "返品は30日以内にお願いします"),
        ("pages 3 and 4", "pages 4 and 3"),
        ("Version 2 works with version 3.", "Version 3 works with version 2."),
        ("Version 2 is faster than version 3.", "Version 3 is slower than version 2."),
        ("The call is at 3:00.", "The call is at 15:00."),
        ("You can return it.", "No, you can return it."),
        ("Order 5 is late.", "Order No. 5 is late."),
        ("No, it cannot be returned.", "Yes, it cannot be returned."),
        ("The first is more expensive than the second.", "The second is less expensive than the first."),
    ],
)
def test_what_can_be_right_in_another_way_does_not_fail(reference: str, output: str) -> None:
    assert verdict(reference, output) is not False


def ask(question: Any, reference: str, output: str) -> bool | None:
    case = Case("one", inputs=question, expected_output=reference)
    subject = Subject(case=case, evidence=Evidence(output=output))
    return LocalEvaluator().evaluate(subject, [Criterion(name=CORRECTNESS)]).results[0].value  # type: ignore[return-value]


def test_an_answer_that_repeats_the_question_around_the_reference_passes() -> None:
    assert ask("What is the capital of France?", "Paris", "The capital of France is Paris.") is True
    assert ask("What is the capital of France?", "Paris", "Paris is the capital of France.") is True
    assert ask("How long is the return window?", "30 days", "The return window is thirty days.") is True


@pytest.mark.parametrize(
    ("question", "reference", "output"),
    [
        ("What is the capital of France?", "Paris", "The capital of France is not Paris."),
        ("What is the capital of France?", "Paris", "The capital of France is Lyon."),
        ("What is the capital of France?", "Paris", "The capital of Italy is Paris."),
        ("What is the capital of France?", "Paris", "Paris is the capital of France and Italy."),
        ("Is Lyon or Paris the capital?", "Paris", "Lyon is Paris."),
        ("Which city is not in France?", "Berlin", "City in France is Berlin."),
        ("How long is the return window?", "30 days", "The return window is over 30 days."),
        ("How long is the return window after 14 days?", "30 days", "The return window after 14 days is 30 days."),
    ],
)
def test_repeating_the_question_does_not_excuse_anything_else(question: str, reference: str, output: str) -> None:
    assert ask(question, reference, output) is not True


def test_a_reason_says_what_could_not_be_decided() -> None:
    assert compare("Returns are free.", "Returns are free on Mondays.").reason == (
        "The answer adds 'on Mondays' to the reference, and wording alone cannot tell whether that is right."
    )
    assert compare("We take Visa and PayPal.", "We take Visa.").reason == (
        "The answer leaves 'and PayPal' of the reference out, and wording alone cannot tell whether that matters."
    )
    assert compare("You have 30 days.", "You have 14 days.").reason == (
        "The reference says '30 days' where the answer says '14 days'."
    )


def test_texts_of_enormous_length_are_only_compared_for_being_the_same() -> None:
    text = "word " * 10_000

    assert verdict(text, text) is True
    assert verdict(text, text + "more") is None


@pytest.mark.parametrize("unit", ["9", "1,", "123,", "1.", "-", "a-", "a@", "*a", "_", "twenty ", "1:", "?"])
def test_long_runs_of_anything_are_compared_too(unit: str) -> None:
    text = unit * 3000

    assert verdict(text, text + " more") is not True


def test_code_is_not_compared_without_its_blanks() -> None:
    assert verdict("```\nif a:\n  b\n```", "```\nif a:\nb\n```") is None
