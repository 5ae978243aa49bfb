import json
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from diff_reports import definitions, error, report, result, trial, trials, usage
from hypothesis import given, settings
from hypothesis import strategies as st

from llmeval.diff import Change, Verdict, compare, compare_many
from llmeval.errors import ReportFileError
from llmeval.jsonable import dumps
from llmeval.registry import Registry
from llmeval.report import load_report
from llmeval.results import Choice, Probability, Score
from llmeval.stats import mcnemar, sign_flip

RESOURCES = Path(__file__).parent / "resources" / "diff"
quick = settings(max_examples=60, deadline=None)


def f48():
    """A baseline of 3 repetitions and a candidate of 5 whose cases match in every way that cases can."""
    a = report(
        trials("kept-same", True, True, True, inputs=1),
        trials("regressed", True, True, True, inputs=2),
        trials("fixed", False, False, False, inputs=3),
        trials("removed-later", True, True, True, inputs=4),
        trials("edited", True, True, True, inputs=5),
        trials("renamed-before", True, True, True, inputs=6),
    )
    b = report(
        trials("new-and-failing", *[False] * 5, inputs=0),
        trials("kept-same", *[True] * 5, inputs=1),
        trials("regressed", *[False] * 5, inputs=2),
        trials("fixed", *[True] * 5, inputs=3),
        trials("edited", *[True] * 5, inputs=55),
        trials("renamed-after", *[True] * 5, inputs=6),
        id="b",
    )
    return a, b


def test_cases_are_paired_by_name_and_content_never_by_position():
    diff = compare(*f48())
    assert diff.regressed == ("regressed", "removed-later")
    assert diff.improved == ("fixed",)
    assert diff.unchanged == ("kept-same", "renamed-after")
    assert diff.changed == ("edited",)
    assert diff.added == ("new-and-failing",)
    assert diff.removed == ("removed-later",)
    assert diff.renamed == ("renamed-after",)
    assert diff.new_failures == ("new-and-failing",)


def test_swapping_the_reports_mirrors_the_diff():
    a, b = f48()
    diff = compare(b, a)
    assert diff.regressed == ("fixed",)
    assert diff.improved == ("regressed",)
    assert diff.added == ("removed-later",)
    assert diff.removed == ("new-and-failing",)
    assert diff.renamed == ("renamed-before",)
    assert diff.new_failures == ()


def test_with_other_repetitions_rates_are_compared_and_it_is_said():
    diff = compare(*f48())
    assert (diff.cases, diff.passed_a, diff.trials_a, diff.passed_b, diff.trials_b) == (4, 9, 12, 15, 20)
    assert diff.difference == 0
    assert "the repetitions differ: 3 → 5; rates are compared, not counts" in diff.incomparable


def test_the_reports_of_equal_runs_do_not_differ():
    a = report(trial("x", True), trial("y", False))
    diff = compare(a, replace(a, id="b"))
    assert diff.incomparable == ()
    assert diff.unchanged == ("x", "y")
    assert (diff.difference, diff.p_value, diff.verdict) == (0, 1, "not_enough_evidence")
    assert not diff.fails("any")
    assert not diff.fails("regression")


def outcomes(*passes, **more):
    return report([trial(f"case-{index}", passed) for index, passed in enumerate(passes)], **more)


def test_one_repetition_is_tested_by_mcnemar():
    a = outcomes(*[True] * 2, *[False] * 12, *[True] * 6)
    b = outcomes(*[False] * 2, *[True] * 12, *[True] * 6)
    diff = compare(a, b)
    assert diff.p_value == mcnemar(12, 2)
    assert diff.difference == pytest.approx(0.5)
    assert diff.interval.low < 0.5 < diff.interval.high
    assert diff.verdict is Verdict.IMPROVED
    assert compare(b, a).verdict is Verdict.REGRESSED


def test_several_repetitions_are_tested_by_sign_flips():
    random = Random(2)
    before = [[random.random() < 0.5 for _ in range(3)] for _ in range(12)]
    after = [[random.random() < 0.7 for _ in range(3)] for _ in range(12)]
    a = report(*[trials(f"c{i}", *passes) for i, passes in enumerate(before)])
    b = report(*[trials(f"c{i}", *passes) for i, passes in enumerate(after)])
    differences = [sum(two) - sum(one) for one, two in zip(before, after, strict=True)]
    diff = compare(a, b)
    assert diff.p_value == sign_flip(differences)
    assert diff.difference == pytest.approx(sum(differences) / 36)


def test_too_few_cases_prove_nothing_and_say_so():
    diff = compare(outcomes(*[False] * 5), outcomes(*[True] * 5))
    assert diff.verdict is Verdict.NOT_ENOUGH_EVIDENCE
    assert diff.difference == 1
    assert diff.detectable is None
    assert compare(outcomes(*[False] * 6), outcomes(*[True] * 6)).verdict is Verdict.IMPROVED


def test_a_trial_with_an_evaluator_error_has_not_passed():
    diff = compare(report(trial("x", True)), report(trial("x", "no answer")))
    assert diff.regressed == ("x",)
    assert diff.erroring == ("x",)


def test_a_failing_case_that_now_errors_is_visible():
    diff = compare(report(trial("x", False)), report(trial("x", error=error())))
    assert diff.regressed == ()
    assert diff.unchanged == ("x",)
    assert diff.erroring == ("x",)
    assert diff.fails("any")


def test_a_removed_case_that_failed_is_no_regression():
    diff = compare(report(trial("x", True), trial("gone", False)), report(trial("x", True)))
    assert diff.removed == ("gone",)
    assert diff.regressed == ()
    assert not diff.fails("any")


def test_whether_a_removed_or_new_case_passes_is_a_matter_of_its_own_run():
    a = report(trial("x", True), trial("gone", True), definitions=definitions(assertions="1" * 64))
    b = report(
        trial("x", True),
        trial("new", False),
        definitions=definitions([{"name": "correctness", "instructions": "other"}]),
    )
    diff = compare(a, b)
    assert diff.cases == 0
    assert diff.regressed == ("gone",)
    assert diff.new_failures == ("new",)


def test_a_case_passes_when_as_many_of_its_trials_do_as_the_run_required():
    flaky = trials("flaky", True, True, False)
    loose, strict = ({"require": required} for required in ("2/3", None))
    kept = trials("x", True, True, True)
    assert compare(report(kept, flaky, options=loose), report(kept)).regressed == ("flaky",)
    assert compare(report(kept, flaky, options=strict), report(kept)).regressed == ()
    assert compare(report(kept), report(kept, flaky, options=loose)).new_failures == ()
    assert compare(report(kept), report(kept, flaky, options=strict)).new_failures == ("flaky",)


def test_a_new_case_that_passes_fails_no_gate():
    diff = compare(report(trial("x", True)), report(trial("x", True), trial("new", True)))
    assert diff.added == ("new",)
    assert not diff.fails("any")


def test_the_gates_look_at_what_they_say():
    one_worse = compare(outcomes(*[True] * 10), outcomes(False, *[True] * 9))
    assert one_worse.fails("any")
    assert not one_worse.fails("regression")
    all_worse = compare(outcomes(*[True] * 10), outcomes(*[False] * 10))
    assert all_worse.fails("regression")
    assert compare(*f48()).fails("any")


def test_case_names_that_shift_by_one_are_renamed_not_changed():
    """A case inserted at the front of a dataset with numbered names."""
    a = report([trial(f"case-{i}", True, inputs=f"question {i}") for i in range(5)])
    b = report([trial(f"case-{i}", True, inputs=f"question {i - 1}") for i in range(6)])
    diff = compare(a, b)
    assert diff.changed == ()
    assert diff.renamed == ("case-1", "case-2", "case-3", "case-4", "case-5")
    assert diff.added == ("case-0",)
    assert [case.former_name for case in diff.case_diffs][:2] == ["case-0", "case-1"]


def test_cases_of_equal_content_that_cannot_be_told_apart_are_not_paired():
    a = report(trial("x1", True, inputs=1), trial("x2", False, inputs=1))
    b = report(trial("y1", True, inputs=1), trial("y2", True, inputs=1))
    diff = compare(a, b)
    assert diff.renamed == ()
    assert diff.added == ("y1", "y2")
    assert diff.removed == ("x1", "x2")
    assert diff.incomparable == (
        "cases with equal content cannot be told apart by it: 'x1', 'x2' of A and 'y1', 'y2' of B",
    )


def test_a_duplicate_of_a_case_that_stays_is_added():
    diff = compare(report(trial("x", True, inputs=1)), report(trial("x", True, inputs=1), trial("y", True, inputs=1)))
    assert diff.unchanged == ("x",)
    assert diff.added == ("y",)
    assert diff.renamed == ()


@pytest.mark.parametrize(
    "edit",
    [{"inputs": 2}, {"inputs": True}, {"inputs": 1.0}, {"expected": None}],
    ids=["inputs", "boolean", "float", "reference"],
)
def test_a_case_with_another_content_is_changed(edit):
    diff = compare(report(trial("x", True, inputs=1)), report(trial("x", False, **{"inputs": 1, **edit})))
    assert diff.changed == ("x",)
    assert diff.regressed == ()
    assert diff.cases == 0
    assert "1 case has other inputs or another reference: 'x'" in diff.incomparable


def test_a_case_with_other_metadata_is_the_same_case_and_it_is_said():
    diff = compare(report(trial("x", True, metadata={"k": 1})), report(trial("x", False, metadata={"k": 2})))
    assert diff.changed == ()
    assert diff.regressed == ("x",)
    assert diff.incomparable == ("1 case has other metadata, and is compared all the same: 'x'",)


def test_the_order_of_keys_changes_no_case():
    a = report(trial("x", True, inputs={"a": 1, "b": 2}))
    b = report(trial("x", True, inputs={"b": 2, "a": 1}))
    assert compare(a, b).unchanged == ("x",)


def test_changes_are_compared_when_they_are_allowed():
    a, b = report(trial("x", True, inputs=1)), report(trial("x", False, inputs=2))
    diff = compare(a, b, allow_changed=True)
    assert diff.changed == ("x",)
    assert diff.regressed == ("x",)
    assert diff.cases == 1
    assert "1 case has other inputs or another reference: 'x'" in diff.incomparable


def with_criteria(*criteria, verdicts=(True, True), **more):
    names = tuple(one if isinstance(one, str) else one["name"] for one in criteria)
    return report(trial("x", *verdicts[: len(names)], criteria=names), criteria=criteria, **more)


def test_a_criterion_whose_text_changed_is_not_compared_and_the_others_are():
    a = with_criteria({"name": "short", "instructions": "under 10 words"}, "correctness")
    b = with_criteria({"name": "short", "instructions": "under 5 words"}, "correctness", verdicts=(False, True))
    diff = compare(a, b)
    assert diff.incomparable == ("criterion 'short' changed: instructions 'under 10 words' → 'under 5 words'",)
    assert diff.unchanged == ("x",)
    short, correctness = diff.criteria
    assert (short.incomparable, short.cases, short.p_value) == (diff.incomparable[0], 0, None)
    assert (correctness.incomparable, correctness.cases) == (None, 1)


def test_a_changed_criterion_is_compared_when_changes_are_allowed():
    a = with_criteria({"name": "short", "instructions": "under 10 words"}, "correctness")
    b = with_criteria({"name": "short", "instructions": "under 5 words"}, "correctness", verdicts=(False, True))
    diff = compare(a, b, allow_changed=True)
    assert diff.regressed == ("x",)
    assert diff.criteria[0].regressed == ("x",)
    assert len(diff.incomparable) == 1


def test_a_minimum_that_changed_is_named():
    diff = compare(with_criteria({"name": "good", "minimum": 0.5}), with_criteria({"name": "good", "minimum": 0.8}))
    assert diff.incomparable == ("criterion 'good' changed: minimum 0.5 → 0.8",)
    assert diff.cases == 0
    assert diff.of(Change.INCOMPARABLE)[0].name == "x"


def test_nothing_comparable_is_not_called_equal():
    diff = compare(with_criteria({"name": "good", "minimum": 0.5}), with_criteria({"name": "good", "minimum": 0.8}))
    assert (diff.cases, diff.difference, diff.interval, diff.p_value, diff.detectable) == (0, None, None, None, None)
    assert diff.verdict is Verdict.NOT_ENOUGH_EVIDENCE
    assert diff.unchanged == ()


def test_criteria_that_only_one_report_has_are_named():
    a = with_criteria("correctness", {"name": "brief", "instructions": "is short"})
    b = with_criteria("correctness", {"name": "short", "instructions": "is short"}, verdicts=(True, False))
    diff = compare(a, b)
    assert diff.incomparable == (
        "criterion 'brief' is only in A; 'short' of B has the same text",
        "criterion 'short' is only in B; 'brief' of A has the same text",
    )
    assert diff.unchanged == ("x",)


def test_two_criteria_with_equal_text_stay_two():
    criteria = ({"name": "one", "instructions": "same"}, {"name": "two", "instructions": "same"})
    diff = compare(with_criteria(*criteria), with_criteria(*criteria, verdicts=(True, False)))
    one, two = diff.criteria
    assert (one.name, one.unchanged, one.regressed) == ("one", ("x",), ())
    assert (two.name, two.unchanged, two.regressed) == ("two", (), ("x",))


def test_an_evaluator_whose_model_changed_is_named():
    evaluators = {"reviewer": {"kind": "reviewer", "model": "openai:gpt-b", "prompt": 2}}
    a, b = report(trial("x", True)), report(trial("x", True), definitions=definitions(evaluators=evaluators))
    assert compare(a, b).incomparable == (
        "the evaluator of criterion 'correctness' changed: model 'openai:gpt-a' → 'openai:gpt-b', prompt 1 → 2",
    )


def test_a_provider_s_new_model_behind_an_old_name_is_named():
    b = report(trial("x", result("correctness", True, model="gpt-a-2")))
    assert compare(report(trial("x", True)), b).incomparable == (
        "the model that graded criterion 'correctness' changed: gpt-a-1 → gpt-a-2",
    )


def test_changed_assertions_are_left_out_of_the_comparison():
    a = report(trial("x", True, assertion_count=1))
    b = report(
        trial("x", True, assertion_count=1, assertion_failure="assert 1 == 2"),
        definitions=definitions(assertions="1" * 64),
    )
    diff = compare(a, b)
    assert diff.incomparable == ("the assertions changed",)
    assert diff.unchanged == ("x",)
    assert compare(a, b, allow_changed=True).regressed == ("x",)


def test_what_else_differs_between_the_runs_is_said():
    a = report(trial("x", True), params={"model": "small", "k": 1})
    b = report(
        trial("x", True),
        trial("y", True),
        name="billing",
        params={"model": "large", "k": 1},
        definitions=definitions(dataset="d2"),
        environment={"llmeval": "0.2.0"},
        interrupted=True,
        not_run=[("z", 1, "interrupted")],
    )
    assert compare(a, b).incomparable == (
        "the evaluations differ: 'support' → 'billing'",
        "the params differ: model 'small' → 'large'",
        "the dataset changed",
        "llmeval's version differs: 0.1.0 → 0.2.0",
        "B was interrupted: 1 of 3 trials did not run",
    )


def test_a_case_that_did_not_get_to_run_was_not_removed():
    a = report(trial("x", True), trial("y", True))
    b = report(trial("x", True), not_run=[("y", 1, "the budget is spent")])
    diff = compare(a, b)
    assert diff.removed == ()
    assert diff.regressed == ()
    assert diff.not_run == ("y",)
    assert diff.incomparable == ("B is not complete: 1 of 2 trials did not run (the budget is spent)",)


@pytest.mark.parametrize("options", [{"only": ["x"]}, {"limit": 1}, {"where": [["metadata.k", "v"]]}])
def test_a_case_that_was_not_selected_was_not_removed(options):
    a, b = report(trial("x", True), trial("y", True)), report(trial("x", True), options=options)
    assert compare(a, b).not_run == ("y",)
    assert compare(a, b).regressed == ()
    assert compare(b, a).not_run == ("y",)
    assert compare(b, a).added == ()


def test_criteria_that_one_run_did_not_grade_are_not_compared():
    a = report(trial("x", True, assertion_count=1))
    b = report(trial("x", None, assertion_count=1), options={"grading": False})
    diff = compare(a, b)
    assert diff.incomparable == ("criterion 'correctness' was not graded in B",)
    assert diff.unchanged == ("x",)


def test_each_criterion_has_figures_and_names_of_its_own():
    a = report(trial("x", True, True), trial("y", True, False), trial("z", False, False))
    b = report(trial("x", True, False), trial("y", True, True), trial("z", True, False))
    correctness, concise = compare(a, b).criteria
    assert (correctness.passed_a, correctness.passed_b, correctness.trials_b) == (2, 3, 3)
    assert correctness.improved == ("z",)
    assert (concise.regressed, concise.improved, concise.unchanged) == (("x",), ("y",), ("z",))
    assert concise.difference == 0


def test_criteria_are_adjusted_for_being_several():
    rows = [(True, True)] * 4 + [(False, True)] * 8
    a = report([trial(f"c{i}", one, two) for i, (one, two) in enumerate(rows)])
    b = report([trial(f"c{i}", True, True) for i in range(12)])
    correctness, concise = compare(a, b).criteria
    assert correctness.p_value == mcnemar(8, 0)
    assert correctness.adjusted_p_value == 2 * correctness.p_value
    assert correctness.verdict is Verdict.IMPROVED
    assert (concise.p_value, concise.adjusted_p_value) == (1, 1)


def test_a_criterion_counts_only_the_cases_that_it_applies_to():
    a = report(trial("x", True, True), trial("y", True))
    correctness, concise = compare(a, a).criteria
    assert (correctness.cases, concise.cases) == (2, 1)


def test_a_trial_that_crashed_before_grading_stays_in_the_denominator():
    a = report(trials("x", True, True))
    b = report(trial("x", True), trial("x", repetition=2, error=error()))
    (correctness,) = compare(a, b).criteria
    assert (correctness.passed_b, correctness.trials_b) == (1, 2)
    assert correctness.regressed == ("x",)
    assert correctness.counts_b == {"passed": 1, "error": 1}


def test_measures_without_a_minimum_are_compared_as_numbers_without_a_verdict():
    a = report([trial(f"c{i}", result("tone", Probability(0.5))) for i in range(8)], criteria=("tone",))
    b = report([trial(f"c{i}", result("tone", Probability(0.6 + i / 100))) for i in range(8)], criteria=("tone",))
    (tone,) = compare(a, b).criteria
    assert (tone.mean_a, tone.mean_b) == (pytest.approx(0.5), pytest.approx(0.635))
    assert tone.mean_difference == pytest.approx(0.135)
    assert tone.mean_interval.low < 0.135 < tone.mean_interval.high
    assert (tone.difference, tone.p_value, tone.verdict) == (None, None, "not_enough_evidence")


def test_scores_with_a_minimum_have_both_a_rate_and_a_mean():
    a = report(trial("x", result("grade", Score(3.0), minimum=2.5)), criteria=("grade",))
    b = report(trial("x", result("grade", Score(2.0), minimum=2.5)), criteria=("grade",))
    (grade,) = compare(a, b).criteria
    assert grade.regressed == ("x",)
    assert grade.mean_difference == -1


def test_choices_are_counted():
    a = report(trial("x", result("topic", Choice("billing"))), criteria=("topic",))
    b = report(trial("x", result("topic", Choice("refund"))), criteria=("topic",))
    (topic,) = compare(a, b).criteria
    assert (topic.choices_a, topic.choices_b) == ({"billing": 1}, {"refund": 1})


def test_repetitions_that_disagree_are_the_noise_of_a_criterion():
    a = report(trials("x", True, True), trials("y", True, False))
    b = report(trials("x", True, False), trials("y", True, False))
    (correctness,) = compare(a, b).criteria
    assert (correctness.flips_a, correctness.flips_b) == (0.5, 1)


def test_duration_tokens_and_costs_are_compared_per_trial():
    a = report(trials("x", True, True, duration=1.0, task_usage=usage(100, 0.01)), trial("y", True, duration=3.0))
    b = report(trials("x", True, True, duration=2.0, task_usage=usage(150, 0.02)), trial("y", True, duration=3.0))
    duration, tokens, cost = compare(a, b).usage
    assert (duration.name, duration.a, duration.b, duration.difference) == ("duration", 2, 2.5, 0.5)
    assert (tokens.name, tokens.a, tokens.b, tokens.difference) == ("task_tokens", 50, 75, 25)
    assert (cost.name, cost.a, cost.b) == ("task_cost", pytest.approx(0.005), pytest.approx(0.01))
    assert cost.cases == 2


def test_an_unknown_price_makes_the_cost_unknown():
    a = report(trial("x", True, task_usage=usage(100, 0.01)))
    b = report(trial("x", True, task_usage=usage(100, None)))
    cost = compare(a, b).usage[-1]
    assert (cost.name, cost.a, cost.b, cost.difference) == ("task_cost", 0.01, None, None)


def test_evaluators_consume_too():
    a = report(trial("x", True, evaluator_usage=usage(100, 0.01)))
    assert [delta.name for delta in compare(a, a).usage] == ["duration", "evaluator_tokens", "evaluator_cost"]


def test_the_figures_are_also_split_by_metadata():
    def run(*passes):
        return report(
            [trial(f"c{i}", passed, metadata={"category": "ab"[i % 2]}) for i, passed in enumerate(passes)],
            trial("none", True),
        )

    diff = compare(run(True, True, True, False), run(True, False, False, False), by="metadata.category")
    assert [(part.value, part.cases, part.passed_a, part.passed_b) for part in diff.slices] == [
        ("(none)", 1, 1, 1),
        ("a", 2, 2, 1),
        ("b", 2, 1, 0),
    ]
    assert compare(run(True), run(True)).slices == ()


def test_several_candidates_are_adjusted_together():
    base = outcomes(*[False] * 6)
    better, same = outcomes(*[True] * 6, id="better"), outcomes(*[False] * 6, id="same")
    alone = compare(base, better)
    assert alone.verdict is Verdict.IMPROVED
    comparison = compare_many(base, [better, same])
    first, second = comparison.diffs
    assert first.p_value == alone.p_value
    assert first.adjusted_p_value == 2 * alone.p_value
    assert first.verdict is Verdict.NOT_ENOUGH_EVIDENCE
    assert (second.b.id, second.adjusted_p_value) == ("same", 1)
    assert comparison.baseline.id == "a"


def test_a_comparison_needs_a_candidate():
    with pytest.raises(ValueError, match="candidates is empty"):
        compare_many(report(trial("x", True)), [])


def saved(tmp_path, *reports):
    return [one.save(tmp_path / f"{index}.json") for index, one in enumerate(reports)]


def rich_reports():
    a, b = f48()
    extra = [
        trial("chars", result("correctness", Probability(0.25), minimum=0.5), inputs={"é": ["\u2028", 1.5, None]}),
        trial("crash", error=error(), metadata={"deep": {"er": [1, 2]}}),
        trial("refused", "no answer", expected=None, task_usage=usage(10, None), evaluator_usage=usage(5, 0.1)),
        trial("assertion", True, assertion_count=2, assertion_failure="assert 1 == 2"),
    ]
    return replace(a, trials=(*a.trials, *extra)), replace(b, trials=(*b.trials, *extra))


def test_report_files_loaded_reports_and_reports_in_memory_give_the_same_diff(tmp_path):
    a, b = rich_reports()
    paths = saved(tmp_path, a, b)
    expected = compare(a, b, by="metadata.deep").to_dict()
    assert compare(*paths, by="metadata.deep").to_dict() == expected
    assert compare(*map(load_report, paths), by="metadata.deep").to_dict() == expected
    assert compare(str(paths[0]), b, by="metadata.deep").to_dict() == expected


@pytest.mark.parametrize("indent", [None, 2])
def test_a_report_file_that_was_written_anew_gives_the_same_diff(tmp_path, indent):
    a, b = rich_reports()
    paths = saved(tmp_path, a, b)
    expected = compare(*paths).to_dict()
    for path in paths:
        path.write_text(json.dumps(json.loads(path.read_text()), indent=indent))
    assert compare(*paths).to_dict() == expected


@pytest.mark.parametrize("change", [("\n]}\n", ""), ("},\n{", "}, 1\n{"), ("},\n{", "} {},\n{"), ("]}\n", "]}\n]}\n")])
def test_a_report_file_with_a_damaged_line_is_one_clear_error(tmp_path, change):
    path, _ = saved(tmp_path, *rich_reports())
    text = path.read_text()
    assert change[0] in text
    path.write_text(text.replace(*change, 1))
    with pytest.raises(ReportFileError, match=r"0\.json"):
        compare(path, path)


def test_comparing_leaves_the_collector_as_it_was():
    import gc

    a = report(trial("x", True))
    compare(a, a)
    assert gc.isenabled()
    gc.disable()
    try:
        compare(a, a)
        assert not gc.isenabled()
    finally:
        gc.enable()


def evaluate(dataset, repetitions, grade=None):
    """Runs the evaluation of the field case, whose task returns `metadata.answer`."""
    registry = Registry()

    @registry.evaluation(name="support", evaluator=grade or exactly)
    def support(inputs, attempt):
        return attempt.metadata["answer"]

    return support.run(dataset=str(RESOURCES / dataset), repetitions=repetitions)


def exactly(attempt, criterion):
    return attempt.output == attempt.expected_output, f"got {attempt.output}"


def never(attempt, criterion):
    return False


def test_runs_of_two_datasets_are_compared_case_by_case():
    a, b = evaluate("baseline.yaml", 3), evaluate("candidate.yaml", 5)
    diff = compare(a, b)
    assert diff.regressed == ("regressed", "removed-later")
    assert diff.improved == ("fixed",)
    assert diff.unchanged == ("kept-same", "renamed-after")
    assert diff.changed == ("edited",)
    assert (diff.renamed, diff.removed) == (("renamed-after",), ("removed-later",))
    assert (diff.added, diff.new_failures) == (("new-and-failing",), ("new-and-failing",))
    assert diff.incomparable[0].startswith("the dataset changed: name 'baseline' → 'candidate', path ")
    assert diff.incomparable[1:] == (
        "the repetitions differ: 3 → 5; rates are compared, not counts",
        "1 case has other inputs or another reference: 'edited'",
        "2 cases have other metadata, and are compared all the same: 'regressed', 'fixed'",
    )


def test_runs_of_the_same_cases_with_another_grader_cannot_be_compared():
    a, b = evaluate("baseline.yaml", 1), evaluate("baseline.yaml", 1, never)
    diff = compare(a, b)
    assert diff.cases == 0
    (reason,) = diff.incomparable
    assert "the evaluator of criterion 'correctness' changed: name 'exactly' → 'never', source" in reason
    assert compare(a, b, allow_changed=True).cases == 6


def test_a_diff_is_strict_json():
    data = compare(*rich_reports()).to_dict()
    assert json.loads(dumps(data)) == data
    assert data["verdict"] == "not_enough_evidence"
    assert data["regressed"] == ["regressed", "removed-later"]
    assert data["counts"]["unchanged"] == 6


def test_the_details_show_a_trial_that_passed_beside_one_that_did_not():
    a = report(trials("x", False, True, True))
    b = report(trials("x", True, True, False))
    b = replace(b, trials=(*b.trials[:2], replace(b.trials[2], output="wrong")))
    b = replace(
        b, trials=(*b.trials[:1], replace(b.trials[1], evaluations=(result("correctness", False, "no"),)), b.trials[2])
    )
    (case,) = compare(a, b).case_diffs
    assert case.change == "regressed"
    assert (case.trial_a.repetition, case.trial_b.repetition) == (2, 2)
    assert case.trial_b.results["correctness"].reason == "no"
    (detail,) = compare(a, b).to_dict()["details"]
    assert (detail["a"]["passed"], detail["a"]["trials"]) == (2, 3)
    assert detail["a"]["trial"]["output"] == "answer of x"
    assert detail["b"]["trial"]["results"]["correctness"] == {"status": "failed", "reason": "no"}


@pytest.mark.parametrize(
    "content",
    ["", "[]", "{}", '{"schema_version": 99}', '{"schema_version": 1}', '{"schema_version": 1, "trials": [', "\xff"],
)
def test_files_that_are_no_report_are_one_clear_error(tmp_path, content):
    path = tmp_path / "report.json"
    path.write_text(content, encoding="latin-1")
    with pytest.raises(ReportFileError, match=r"report\.json") as caught:
        compare(path, path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("damage", [{"trials": [{}]}, {"trials": [1]}, {"trials": None}, {"definitions": 1}])
def test_a_report_with_a_damaged_part_is_one_clear_error(tmp_path, damage):
    (path,) = saved(tmp_path, report(trial("x", True)))
    path.write_text(json.dumps({**json.loads(path.read_text()), **damage}))
    with pytest.raises(ReportFileError, match=r"0\.json"):
        compare(path, path)


def test_missing_files_and_folders_are_clear_errors(tmp_path):
    for path in (tmp_path / "none.json", tmp_path):
        with pytest.raises(ReportFileError):
            compare(path, path)


outcome_lists = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=12)


def repeated(counts):
    return report(*[trials(f"c{i}", *[n < count for n in range(3)]) for i, count in enumerate(counts)])


@given(outcome_lists)
@quick
def test_swapping_the_reports_negates_the_difference_and_keeps_the_p_value(counts):
    a, b = repeated([one for one, _ in counts]), repeated([two for _, two in counts])
    here, there = compare(a, b), compare(b, a)
    assert here.difference == pytest.approx(-there.difference)
    assert here.p_value == there.p_value
    assert here.interval == pytest.approx((-there.interval.high, -there.interval.low))
    assert (here.regressed, here.improved, here.unchanged) == (there.improved, there.regressed, there.unchanged)


@given(outcome_lists, st.randoms(use_true_random=False))
@quick
def test_the_order_of_the_trials_changes_no_figure(counts, random):
    a, b = repeated([one for one, _ in counts]), repeated([two for _, two in counts])
    shuffled = replace(b, trials=tuple(random.sample(b.trials, len(b.trials))))
    one, other = compare(a, b), compare(a, shuffled)
    assert one.figures() == other.figures()
    assert set(one.regressed) == set(other.regressed)


@given(outcome_lists)
@quick
def test_every_case_is_counted_once(counts):
    diff = compare(repeated([one for one, _ in counts]), repeated([two for _, two in counts]))
    assert sum(diff.counts().values()) == len(counts)
    assert len(diff.regressed) + len(diff.improved) + len(diff.unchanged) == diff.cases == len(counts)
