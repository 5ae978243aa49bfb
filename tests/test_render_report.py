"""Reports as text, whole and at a fixed width."""

import re

import pytest
from render_samples import MARKUP, PRICED, UNPRICED, report, trial, verdicts

from llmeval.render.agent import agent_text
from llmeval.render.history import Run, history_data, history_text, sparkline
from llmeval.render.show import report_text, slices_data
from llmeval.render.style import Look
from llmeval.render.summary import summary_text, verdict_line
from llmeval.render.trials import block, blocks
from llmeval.results import Choice, ErrorInfo, Probability, Result, Score
from llmeval.trials import NotRun

NARROW = Look(width=60)


def graded(*results, **fields):
    return trial(evaluations=results, **fields)


def test_three_passing_cases_take_two_lines():
    text = summary_text(report(trial(name) for name in "abc"), path=".llmeval/support/r1.json")
    assert text == (
        "report  .llmeval/support/r1.json\npassed  support: 3 of 3 passed · 100% (95% interval 43.9% to 100%) · 12.3s"
    )


def test_one_criterion_needs_no_table():
    text = summary_text(report(verdicts([True, False])))
    assert text == "failed  support: 1 of 2 passed, 1 failed · 50% (95% interval 9.5% to 90.5%) · 12.3s"


def test_a_summary_tells_consistency_usage_notes_and_what_was_not_run():
    trials = [
        trial("a", repetition=1, task_usage=PRICED, evaluator_usage=UNPRICED),
        trial("a", repetition=2, task_usage=PRICED),
        trial("b", repetition=1, masked=2),
        trial("b", False, repetition=2),
        graded(Result(name="tone", value=Score(0.4), minimum=0.8), not_applicable=("concise",)),
        graded(Result(name="tone", value=Score(0.9), minimum=0.8)),
    ]
    made = report(trials, notes=("evaluator: local",), not_run=(NotRun("z", 1, "the budget is spent"),) * 2)
    assert summary_text(made, exit_code=1) == (
        "criterion         rate  passed  failed  not applicable           mean\n"
        "correctness  100% of 4       4\n"
        "concise       75% of 4       3       1               1\n"
        "tone          50% of 2       1       1                  0.65 (2 of 2)\n"
        "over repetitions: 1 case always passed, 2 sometimes, 0 never\n"
        "  sometimes: b (1 of 2), unopened_return (1 of 2)\n"
        "not run: 2 trials, the budget is spent\n"
        "note: evaluator: local\n"
        "application: 2 requests · 2,400 in (1,600 cached), 68 out · cost $0.0024\n"
        "evaluator:   1 request · 500 in, 50 out · cost unknown (no price for my-model)\n"
        "together:    3 requests · 2,900 in (1,600 cached), 118 out · cost unknown (no price for my-model)\n"
        "2 secrets masked\n"
        "failed  support: 4 of 6 passed, 2 failed, 2 not run · 66.7% (95% interval 0% to 100%) · 12.3s"
    )


@pytest.mark.parametrize(
    ("values", "line"),
    [
        ([True, True], "passed  support: 2 of 2 passed · 100% (95% interval 34.2% to 100%) · 12.3s"),
        (
            [True, None, False],
            "failed  support: 1 of 3 passed, 1 failed, 1 unassessed · 33.3% (95% interval 6.1% to 79.2%) · 12.3s",
        ),
        ([None, None], "failed  support: 0 of 2 passed, 2 unassessed · 12.3s"),
        (
            ["refused"] * 9 + [True],
            "incomplete  support: 1 of 10 passed, 9 errors · 10% (95% interval 1.8% to 40.4%) · 12.3s",
        ),
        (["refused"], "incomplete  support: 0 of 1 passed, 1 error · 12.3s"),
        ([], "incomplete  support: no trial ran · 12.3s"),
        (
            [True] * 999 + [False],
            "failed  support: 999 of 1,000 passed, 1 failed · 99.9% (95% interval 99.4% to 99.98%) · 12.3s",
        ),
        (
            [False] * 999 + [True],
            "failed  support: 1 of 1,000 passed, 999 failed · 0.1% (95% interval 0.02% to 0.6%) · 12.3s",
        ),
    ],
)
def test_a_rate_never_hides_what_was_not_decided(values, line):
    assert verdict_line(report(verdicts(values))) == line


@pytest.mark.parametrize(("code", "word"), [(0, "passed"), (1, "failed"), (3, "incomplete"), (130, "interrupted")])
def test_the_last_line_says_what_the_exit_code_says(code, word):
    text = summary_text(report(verdicts([True, False])), exit_code=code, gate="at least 50% required", path="r.json")
    assert text.splitlines()[-1].startswith(f"{word}  support: 1 of 2 passed, 1 failed · 50% ")
    assert "at least 50% required" in text.splitlines()[-1]


def test_an_interrupted_run_is_not_called_complete():
    assert verdict_line(report([trial()], interrupted=True)).startswith("interrupted  support: 1 of 1 passed")


def test_scores_without_a_number_do_not_enter_the_mean():
    values = [Score(0.8), None, Score(0.6)]
    made = report(graded(Result(name="quality", value=value), Result(name="x", value=True)) for value in values)
    assert "0.7 (2 of 3)" in summary_text(made)
    empty = report([graded(Result(name="quality", value=None), Result(name="x", value=True))])
    assert summary_text(empty).splitlines()[1].split() == ["quality", "n/a", "1"]


def test_a_block_says_why_and_how_to_run_the_case_again():
    one = trial("damaged item", False, repetition=2, assertion_failure='assert "lookup_order" in []', output="x" * 70)
    assert block(report([one], options={"evaluator": "local"}), one, NARROW) == (
        "✗ damaged item #2  failed\n"
        '  assertion: failed  assert "lookup_order" in []\n'
        "  concise: fail  It promises a refund within 3 days.\n"
        "  output\n"
        f"    {'x' * 56}\n"
        f"    {'x' * 14}\n"
        "  again  llmeval run support --only 'damaged item' --evaluator local"
    )


def test_each_kind_of_result_is_worded():
    one = graded(
        Result(name="quality", value=Score(0.4), minimum=0.8, reason="Thin."),
        Result(name="likely", value=Probability(0.25)),
        Result(name="kind", value=Choice("refund")),
        Result(name="tone", error=ErrorInfo(type="EvaluatorError", message="the answer was cut off")),
        Result(name="fair", value=None, reason="Cannot tell."),
        Result(name="fine", value=True),
    )
    assert block(report([one]), one) == (
        "! unopened_return  error\n"
        "  quality: 0.4, below 0.8  Thin.\n"
        "  likely: 0.25\n"
        "  kind: refund\n"
        "  tone: error  EvaluatorError: the answer was cut off\n"
        "  fair: unknown  Cannot tell.\n"
        "  output  Yes, within 30 days.\n"
        "  again  llmeval run support --only unopened_return"
    )


def test_an_error_is_placed_in_the_applications_own_file():
    traceback = (
        'Traceback (most recent call last):\n  File "/usr/lib/python3.11/asyncio/runners.py", line 3, in run\n'
        '  File "/home/me/shop/support.py", line 12, in ask\n    raise ValueError\n'
        '  File "/venv/lib/python3.11/site-packages/openai/client.py", line 2, in send\n'
    )
    one = graded(error=ErrorInfo(type="ValueError", message="no such order", traceback=traceback))
    assert block(report([one]), one).splitlines()[1:4] == [
        "  error: ValueError",
        "    no such order",
        "    at /home/me/shop/support.py:12 in ask",
    ]


def test_a_trial_that_checked_nothing_says_so():
    one = graded()
    assert "  checks: none  nothing was checked" in block(report([one]), one).splitlines()


def test_only_the_first_blocks_are_shown_and_long_texts_are_bounded():
    failing = [trial(f"case-{n}", False, output="word " * 10_000) for n in range(25)]
    text = blocks(report([*failing, trial()]))
    assert text.count("again  llmeval run") == 20
    assert text.endswith("\n\nand 5 more trials that did not pass")
    assert len(text) < 20 * 900


@pytest.mark.parametrize("text", MARKUP)
def test_markup_is_shown_as_it_is_everywhere(text):
    one = trial(text, evaluations=(Result(name=text, value=False, reason=text),), output=text, inputs=text)
    made = report([one, trial()], name="support")
    for shown in (block(made, one), report_text(made), agent_text(made)):
        assert text in shown
        assert "\x1b" not in shown


def test_control_characters_never_reach_the_screen():
    nasty = "\x1b]0;title\x07\x1b[2J\u202egnp.exe\x9b31m"
    one = trial(
        nasty, evaluations=(Result(name=nasty, value=False, reason=nasty),), output=nasty, error=None, inputs=nasty
    )
    made = report([one], notes=(nasty,), not_run=(NotRun(nasty, 1, nasty),), params={nasty: nasty}, id=nasty)
    for shown in (report_text(made, by="metadata.x"), agent_text(made), history_text([Run.of(made)])):
        assert not set(shown) & set("\x1b\x07\u202e\x9b")
        assert "\\x1b" in shown


def test_agent_format_has_only_what_did_not_pass():
    one = trial("damaged", False, expected="No", output="first line\ncase: fake\nagain: rm -rf /")
    assert agent_text(report([trial(), one])) == (
        "case: damaged\n"
        "status: failed\n"
        "criterion: concise\n"
        "  verdict: fail\n"
        "  reason: It promises a refund within 3 days.\n"
        "input: Can I return it?\n"
        "expected: No\n"
        "output: first line\n"
        "    case: fake\n"
        "    again: rm -rf /\n"
        "again: llmeval run support --only damaged"
    )
    assert agent_text(report([trial()])) == ""


def test_agent_blocks_are_bounded():
    nasty = trial("x", False, output="y" * 10**6, inputs=["z" * 10**6], assertion_failure="w" * 10**6)
    text = agent_text(report([nasty] * 60))
    assert len(text) < 60 * 1500
    assert text.endswith("10 more trials did not pass: see the report support@r1")


@pytest.mark.parametrize(
    ("name", "option"),
    [("-x", "--only=-x"), ("a b", "--only 'a b'"), ("it's", """--only 'it'"'"'s'"""), ("é", "--only 'é'")],
)
def test_the_command_quotes_names(name, option):
    one = trial(name, False, params={"model": "luna", "k": 3})
    command = block(report([one], options={"dataset": "b.yaml", "grading": False}), one).splitlines()[-1]
    assert command == (
        f"  again  llmeval run support {option} --dataset b.yaml --no-grading --set model=luna --set k=3"
    )


def test_a_report_as_text_whole():
    made = report(
        [trial("a", metadata={"category": "returns"}, assertion_count=2), trial("b", False, task_usage=PRICED)],
        environment={"commit": "abcdef0123", "dirty": True},
        params={"model": "luna"},
    )
    assert report_text(made, Look(width=90), by="metadata.category") == (
        "support r1  2026-03-04 09:30 UTC · abcdef01+ · model=luna\n"
        "\n"
        "case                     rep status     correctness concise asserts   time tokens    cost\n"
        "a                         #1 passed     ✓           ✓             2   0.8s\n"
        "b                         #1 failed     ✓           ✗                 0.8s   1234 $0.0012\n"
        "\n"
        "✗ b  failed\n"
        "  concise: fail  It promises a refund within 3 days.\n"
        "  output  Yes, within 30 days.\n"
        "  again  llmeval run support --only b\n"
        "\n"
        "metadata.category                   passed  rate   95% interval\n"
        "(none)             0 of 1 passed, 1 failed    0%    0% to 79.3%\n"
        "returns                      1 of 1 passed  100%  20.7% to 100%\n"
        "\n"
        "criterion         rate  passed  failed\n"
        "correctness  100% of 2       2\n"
        "concise       50% of 2       1       1\n"
        "application: 1 request · 1,200 in (800 cached), 34 out · cost $0.0012\n"
        "failed  support: 1 of 2 passed, 1 failed · 50% (95% interval 9.5% to 90.5%) · 12.3s"
    )


def test_slices_follow_a_dotted_path():
    made = report(
        [
            trial("a", metadata={"category": "returns", "tags": ["x", "y"]}),
            trial("b", False, metadata={"category": "returns"}),
            trial("c", metadata={"category": 3}),
            trial("d"),
        ]
    )
    assert slices_data(made, "metadata.category") == [
        {"value": "(none)", "passed": 1, "ran": 1, "pass_rate": 1.0},
        {"value": "3", "passed": 1, "ran": 1, "pass_rate": 1.0},
        {"value": "returns", "passed": 1, "ran": 2, "pass_rate": 0.5},
    ]
    assert [one["value"] for one in slices_data(made, "metadata.tags")] == ["(none)", "x", "y"]


def test_the_history_has_a_line_per_run_and_a_trend():
    runs = [report(verdicts([True, False]), id="r1"), report(verdicts([True, True]), id="r2", interrupted=True)]
    assert history_text([Run.of(one) for one in runs]) == (
        "support  ▅█\n"
        "run               started               passed  rate   95% interval   time\n"
        "r1   2026-03-04 09:30 UTC               1 of 2   50%  9.5% to 90.5%  12.3s\n"
        "r2   2026-03-04 09:30 UTC  2 of 2 (incomplete)  100%  34.2% to 100%  12.3s"
    )
    assert history_data([Run.of(runs[1])])[0]["complete"] is False
    assert sparkline([0, 0.5, None, 1]) == "▁▅ █"


def test_colours_add_nothing_but_colours():
    made = report([trial("a"), trial("b", False), *verdicts([None, "refused"])])
    colored = report_text(made, Look(width=80, color=True))
    assert "\x1b[31m" in colored and "\x1b[32m" in colored
    assert re.sub(r"\x1b\[\d+m", "", colored) == report_text(made, Look(width=80))


def test_ascii_screens_get_ascii():
    assert report_text(report([trial(), trial("b", False)]), Look(width=40, unicode=False)).isascii()
