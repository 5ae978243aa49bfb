"""The options of a run."""

from __future__ import annotations

from typing import Any

import pytest

from llmeval import OptionError, Options, Registry
from llmeval.options import Require, merged, parse_require


def declared() -> Any:
    return Registry().evaluation(lambda inputs: inputs, name="x", dataset=[{"name": "a", "inputs": 1}], evaluator=False)


@pytest.mark.parametrize("repetitions", [0, -1, True, False, 1.5, 2.0, "2", None])
def test_repetitions_are_a_positive_whole_number(repetitions: Any) -> None:
    # R5
    with pytest.raises(OptionError, match="repetitions is"):
        declared().run(repetitions=repetitions)


def test_repetitions_are_fresh_attempts() -> None:
    # R5
    inputs = []

    def perform(value: list[int]) -> int:
        inputs.append(list(value))
        value.append(1)
        return 1 // 0

    cases = [{"name": "a", "inputs": []}]
    report = Registry().evaluation(perform, dataset=cases, evaluator=False).run(repetitions=3)
    assert inputs == [[], [], []]
    assert [(trial.repetition, trial.status) for trial in report] == [(1, "error"), (2, "error"), (3, "error")]


@pytest.mark.parametrize("id", ["", " ", 5, True])
def test_an_id_is_a_text_that_is_not_blank(id: Any) -> None:
    # R6
    with pytest.raises(OptionError, match="id is"):
        declared().run(id=id)


def test_an_id_is_generated_when_none_is_given() -> None:
    # R6
    one, two = declared().run(), declared().run()
    assert len(one.id) == len(two.id) == 36
    assert one.id != two.id
    assert declared().run(id="mine").id == "mine"


@pytest.mark.parametrize(
    "options",
    [
        {"concurrency": 0},
        {"concurrency": True},
        {"concurrency": "all"},
        {"timeout": 0},
        {"timeout": -1},
        {"timeout": True},
        {"timeout": float("nan")},
        {"timeout": "3"},
        {"limit": 0},
        {"max_requests": 0},
        {"max_cost": -1},
        {"retry_errors": -1},
        {"retry_errors": True},
        {"params": 5},
        {"params": {1: "x"}},
        {"params": {"x": object()}},
        {"params": {"x": float("nan")}},
        {"on_trial": 5},
        {"require": "2/3"},
    ],
)
def test_an_option_without_a_meaning_is_an_error(options: dict[str, Any]) -> None:
    with pytest.raises(OptionError):
        Options(**options)


def test_options_that_are_none_are_refused() -> None:
    with pytest.raises(OptionError, match=r"give Options\(…\)"):
        declared().run(options={"repetitions": 2})


def test_a_change_of_the_params_during_a_run_shows_nowhere() -> None:
    params = {"models": ["a"]}
    seen = []
    made = Registry().evaluation(
        lambda inputs, attempt: seen.append(attempt.params["models"]) or params["models"].append("b"),  # type: ignore[func-returns-value]
        name="x",
        dataset=[{"name": "a", "inputs": 1}, {"name": "b", "inputs": 1}],
        evaluator=False,
    )
    assert made.run(params=params).params == {"models": ["a"]}
    assert seen == [["a"], ["a"]]


def test_what_is_given_by_name_goes_before_the_options() -> None:
    found = merged(Options(repetitions=3, id="a"), {"repetitions": 1, "id": "b", "evaluator": False})
    assert (found.repetitions, found.id, found.evaluator) == (3, "b", False)


@pytest.mark.parametrize(("text", "expected"), [("2/3", (2, 3)), (" 1 / 1 ", (1, 1))])
def test_a_gate_over_repetitions_is_written_k_of_n(text: str, expected: tuple[int, int]) -> None:
    found = parse_require(text)
    assert (found.passes, found.trials) == expected
    assert str(Require(passes=2, trials=3)) == "2/3"


@pytest.mark.parametrize("text", ["", "2", "3/2", "0/2", "a/b", "2/3/4", None, 2])
def test_a_gate_that_cannot_be_met_is_refused(text: Any) -> None:
    with pytest.raises(OptionError, match="write K/N"):
        parse_require(text)


def test_a_gate_of_the_declaration_implies_its_repetitions() -> None:
    made = Registry().evaluation(
        lambda inputs: inputs, name="x", dataset=[{"name": "a", "inputs": 1}], evaluator=False, require="2/3"
    )
    assert len(made.run().trials) == 3
