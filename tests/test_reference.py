"""Each behaviour that the reference promises, and the tests that show it.

C1  an_unknown_field_of_a_case_is_named_with_a_suggestion
C2  what_json_cannot_hold_is_refused_with_its_place neither_the_fields_nor_the_values_of_a_case_can_be_changed
C3  the_model_sees_inputs_reference_metadata_and_evidence_and_never_the_name
C4  an_explicit_null_reference_differs_from_an_omitted_one null_and_omitted_references_survive_the_report
C5  falsy_references_are_references an_explicit_reference_counts_whatever_its_value
C6  references_are_needed_on_every_selected_case_that_correctness_applies_to
C7  duplicate_names_are_refused_with_both_positions a_name_that_is_blank_or_no_text_is_refused
C7  a_dataset_without_cases_is_refused numbers_as_names_become_text
C8  each_trial_has_its_own_copy_of_the_inputs
C9  a_list_of_turns_arrives_as_the_list
D1  the_dataset_of_an_evaluation_is_the_file_with_its_name
D2  more_than_one_dataset_is_an_error_that_lists_them no_dataset_is_an_error_that_lists_where_it_was_looked_for
D3  the_same_data_has_the_same_digest_in_each_format
D4  what_is_not_plain_data_is_refused_by_name anchors_aliases_and_merge_keys_are_refused_by_name
D5  files_that_pydantic_evals_wrote_load a_dataset_that_declares_evaluators_is_refused_with_their_names_and_the_cure
D6  a_run_takes_the_dataset_that_it_is_given_before_the_declared_one a_dataset_function_is_called_once_per_run
D7  two_sources_of_cases_on_one_evaluation_are_refused
E1  without_criteria_correctness_is_checked
E2  declaring_a_criterion_replaces_the_implicit_correctness correctness_is_included_by_name_beside_others
E2  correctness_with_instructions_needs_no_reference
E3  a_criterion_needs_a_name a_criterion_is_not_declared_twice
E4  a_minimum_is_a_finite_number a_minimum_for_an_evaluator_of_verdicts_or_a_choice_is_an_error
E5  missing_instructions_are_an_error_before_anything_runs
E6  criteria_are_grouped_by_evaluator_and_each_is_asked_once
E7  every_kind_of_evaluator_is_accepted_at_declaration anything_else_is_refused_at_declaration
E8  criteria_without_an_evaluator_of_their_own_are_an_error_when_grading_is_off
E8  criteria_with_an_evaluator_of_their_own_are_graded_when_grading_is_off
E9  a_child_inherits_criteria_and_replaces_one_by_its_name_in_its_place a_parent_never_changes
E9  a_child_inherits_dataset_evaluator_adapters_and_lifespan a_child_may_enable_grading_again
E9  an_implicit_correctness_is_never_inherited_as_a_declared_one
E10 an_adapter_needs_a_class_and_a_function
E11 a_class_needs_a_perform
R1  a_class_has_a_fresh_instance_for_every_case_and_repetition
R2  whatever_a_task_raises_is_recorded_and_later_trials_run
R2  a_criterion_that_raises_is_an_error_and_the_others_are_still_judged
R3  each_finished_trial_is_handed_over_before_the_next_starts
R3  an_exception_from_the_receiver_stops_the_run_and_reaches_the_caller
R4  only_selects_one_or_several_in_dataset_order all_unknown_names_are_listed_with_near_ones
R4  an_empty_or_meaningless_selection_is_an_error
R5  repetitions_are_a_positive_whole_number repetitions_are_fresh_attempts
R6  an_id_is_a_text_that_is_not_blank an_id_is_generated_when_none_is_given each_span_has_the_run_id
R7  subscribers_get_the_events_of_a_run the_last_event_has_no_report_when_the_receiver_stopped_the_run
R8  the_hooks_run_in_order_and_teardown_last teardown_runs_whatever_failed_and_the_first_error_is_kept
R9  grading_runs_even_when_an_assertion_failed no_evidence_means_no_grading_and_no_pass
R10 listing_cases_runs_nothing
V1  a_conversation_gives_every_message_and_joins_results_with_their_calls a_lone_message_gives_only_itself
V1  completeness_follows_from_the_messages a_lone_tool_call_gives_name_and_arguments_and_is_not_executed
V2  paths_and_addresses_are_never_opened a_text_is_never_opened_as_a_path_or_address
V3  a_value_without_a_json_form_is_an_error_that_names_type_place_and_cure
V3  an_unknown_object_is_an_error_that_says_how_to_adapt_it_and_never_its_repr
V4  evidence_is_a_frozen_snapshot the_live_object_stays_available_as_the_result
V5  a_verdict_becomes_a_status_with_its_reason
V6  what_cannot_be_read_is_an_error_after_one_repair_and_never_a_verdict
V7  an_agent_keeps_its_instructions_and_tools_and_sees_no_case_name
V7  an_agent_with_an_output_type_of_its_own_is_refused
V8  questions_become_criteria_in_their_order instructions_for_an_existing_question_are_an_error
V9  a_minimum_turns_a_measure_into_a_pass_or_a_fail_in_its_own_scale
V9  probabilities_and_scores_without_a_minimum_and_choices_are_measured
V10 a_score_keeps_its_levels_and_whole_number_keys_in_the_report
S1  the_worst_status_of_its_parts_is_a_trials_status a_trial_that_checks_nothing_does_not_pass
S2  the_pass_rate_counts_every_trial_that_ran a_report_without_trials_or_with_trials_left_out_has_not_passed
S3  definitions_are_json_with_the_evaluators_identity the_report_keeps_what_was_graded_but_not_the_live_object
S4  what_the_task_and_the_evaluators_consume_is_kept_apart
S4  the_models_without_a_price_are_named_and_leave_the_cost_unknown
S5  each_case_is_a_test_which_passes_only_if_its_trial_does a_failed_assertion_is_shown_as_pytest_shows_one
"""

from __future__ import annotations

import json
import re
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from llmeval import Choice, Options, Probability, Registry, Score, Status, criterion, load_report
from llmeval.events import RunFinished

ROWS = [
    f"{letter}{n}" for letter, last in zip("CDERVS", (9, 7, 11, 10, 10, 5), strict=True) for n in range(1, last + 1)
]
TESTS = [path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("test_*.py")]
CASES = [{"name": "a", "inputs": "hello"}]


def table() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for row, names in re.findall(r"^([CDERVS]\d+) +(\w.*)$", str(__doc__), re.M):
        found.setdefault(row, []).extend(names.split())
    return found


def graded(function: Any, **options: Any) -> Any:
    """Returns the one trial of a run that a function grades."""
    made = Registry().evaluation(lambda inputs: inputs, name="x", dataset=CASES, evaluator=False)
    return criterion("c", evaluator=function, **options)(made).run().trials[0]


def test_every_row_has_tests() -> None:
    assert list(table()) == ROWS


@pytest.mark.parametrize("row", ROWS)
def test_the_tests_of_a_row_exist(row: str) -> None:
    for name in table()[row]:
        assert any(f"def test_{name}(" in source for source in TESTS), name


# C4
@pytest.mark.parametrize("reference", [{}, {"expected_output": None}])
def test_null_and_omitted_references_survive_the_report(reference: dict[str, None], tmp_path: Path) -> None:
    made = Registry().evaluation(lambda inputs: inputs, name="x", dataset=[CASES[0] | reference], evaluator=False)
    saved = made.run().save(tmp_path / "report.json")
    assert load_report(saved).trials[0].case.has_expected_output == bool(reference)
    assert ("expected_output" in json.loads(saved.read_text(encoding="utf-8"))["trials"][0]["case"]) == bool(reference)


# R7
def test_the_last_event_has_no_report_when_the_receiver_stopped_the_run() -> None:
    events: list[Any] = []

    def stop(trial: Any) -> None:
        raise RuntimeError("enough")

    made = Registry().evaluation(lambda inputs: inputs, name="x", dataset=CASES, evaluator=False)
    with pytest.raises(RuntimeError, match="enough"):
        made.run(on_trial=stop, options=Options(subscribers=[events.append]))
    assert [event.report for event in events if isinstance(event, RunFinished)] == [None]


# V2
@pytest.mark.parametrize("text", [__file__, "https://example.invalid/a.png", "data:text/plain;base64,aGk="])
def test_a_text_is_never_opened_as_a_path_or_address(text: str) -> None:
    made = Registry().evaluation(lambda inputs: text, name="x", dataset=CASES, evaluator=False)
    assert made.run().trials[0].evidence == text


# V4
def test_the_live_object_stays_available_as_the_result() -> None:
    answer = {"items": [1]}
    made = Registry().evaluation(lambda inputs: answer, name="x", dataset=CASES, evaluator=False)

    @made.assertions
    def check(attempt: Any) -> None:
        attempt.result["items"].append(2)
        assert attempt.result is answer
        assert attempt.output == {"items": [1]}

    trial = made.run().trials[0]
    assert (trial.passed, trial.result, trial.evidence) == (True, {"items": [1, 2]}, {"items": [1]})


# V9
def test_probabilities_and_scores_without_a_minimum_and_choices_are_measured() -> None:
    values = [Probability(0.99), Score(0.99), Choice("yes", {"yes": 1.0, "no": 0.0})]
    assert [graded(lambda attempt, value=value: value).status for value in values] == ["measured"] * 3
    assert [graded(lambda attempt, value=value: value, minimum=0.5).status for value in values[:2]] == ["passed"] * 2


# V10
def test_a_score_keeps_its_levels_and_whole_number_keys_in_the_report(tmp_path: Path) -> None:
    score = Score(1.25, ["bad", "fair", "good"], {0: 0.25, 1: 0.25, 2: 0.5})
    made = Registry().evaluation(lambda inputs: inputs, name="x", dataset=CASES, evaluator=False)
    criterion("c", evaluator=lambda attempt: score)(made)
    report = made.run()
    for found in (report, load_report(report.save(tmp_path / "report.json"))):
        value = found.trials[0].evaluations[0].value
        assert (value.score, list(value.levels)) == (1.25, ["bad", "fair", "good"])
        assert dict(value.probabilities) == {0: 0.25, 1: 0.25, 2: 0.5}


# S1
@pytest.mark.parametrize(
    ("worse", "better"), list(combinations(["error", "failed", "unassessed", "measured", "passed"], 2))
)
def test_the_worst_status_of_its_parts_is_a_trials_status(worse: str, better: str) -> None:
    outcomes = {
        "error": lambda attempt: 1 / 0,
        "failed": lambda attempt: False,
        "unassessed": "local",
        "measured": lambda attempt: 0.5,
        "passed": lambda attempt: True,
    }
    made = Registry().evaluation(lambda inputs: inputs, name="x", dataset=CASES, evaluator=False)
    for status in (better, worse):
        criterion(status, "It is so", evaluator=outcomes[status])(made)
    trial = made.run().trials[0]
    assert [one.status for one in trial.evaluations] == [worse, better]
    assert (trial.status, trial.passed) == (Status(worse), False)


# S2
def test_a_report_without_trials_or_with_trials_left_out_has_not_passed() -> None:
    made = Registry().evaluation(
        lambda inputs: inputs, name="x", dataset=[*CASES, {"name": "b", "inputs": 1}], evaluator=False
    )
    made.criterion("c")(lambda attempt: True)
    report = made.run()
    assert (report.pass_rate, report.passed) == (1, True)
    cut = load_report_of(report, trials=report.to_dict()["trials"][:1], not_run=[_left_out("b")])
    assert (cut.pass_rate, cut.passed) == (1, False)
    none = load_report_of(report, trials=[], not_run=[_left_out("a"), _left_out("b")])
    assert (none.pass_rate, none.passed) == (None, False)


# S3
def test_the_report_keeps_what_was_graded_but_not_the_live_object(tmp_path: Path) -> None:
    class Live:
        secret_of_the_object = "live"

    made = Registry().evaluation(lambda inputs: Live(), name="x", dataset=CASES, evaluator=False)
    made.adapt(Live)(lambda live: {"answer": 5})
    made.criterion("c")(lambda attempt: (False, "not enough"))
    made.assertions(lambda attempt: attempt.assert_equal(5, attempt.output["answer"]))
    report = made.run()
    assert isinstance(report.trials[0].result, Live)
    text = report.save(tmp_path / "report.json").read_text(encoding="utf-8")
    trial = json.loads(text)["trials"][0]
    assert (trial["case"]["name"], trial["evidence"], trial["assertion_count"]) == ("a", {"answer": 5}, 1)
    assert (trial["evaluations"][0]["reason"], trial["error"], trial["duration"] >= 0) == ("not enough", None, True)
    assert "secret_of_the_object" not in text


# S4
def test_what_the_task_and_the_evaluators_consume_is_kept_apart(model_server: Any) -> None:
    from openai import OpenAI

    from llmeval import Model

    client = OpenAI(api_key="sk-0123456789", base_url=model_server.openai_url)

    def ask(inputs: str) -> str:
        message = [{"role": "user", "content": inputs}]
        return str(client.chat.completions.create(model="pass", messages=message).choices[0].message.content)

    grader = Model("openai:pass", base_url=model_server.openai_url, api_key="sk-0123456789")
    made = Registry().evaluation(ask, dataset=CASES, evaluator=grader)
    trial = criterion("c", "It answers")(made).run().trials[0]
    client.close()
    assert trial.passed
    assert trial.task_tokens and trial.evaluator_tokens
    assert trial.tokens.input == trial.task_tokens.input + trial.evaluator_tokens.input
    assert (trial.task_cost, trial.evaluator_cost, trial.cost) == (None, None, None)


def load_report_of(report: Any, **changes: Any) -> Any:
    from llmeval.report import report_from

    return report_from({**report.to_dict(), **changes})


def _left_out(case: str) -> dict[str, Any]:
    return {"case": case, "repetition": 1, "reason": "interrupted"}
