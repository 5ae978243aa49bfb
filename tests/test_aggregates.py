"""Rates and means over what was decided, unknown, an error or no number: the same figure in every view, never NaN."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from render_samples import report, verdicts

from llmeval import Attempt, Registry, Report, Result
from llmeval.diff import compare
from llmeval.render.diff_text import diff_text
from llmeval.render.markdown import markdown_text
from llmeval.render.style import Look
from llmeval.render.summary import criteria_rows, summary_text

ROWS = {
    "all pass": ([True, True], "2 of 2 passed", "100%", "100% of 2"),
    "one unknown": ([True, None, False], "1 of 3 passed, 1 failed, 1 unassessed", "33.3%", "50% of 2"),
    "only unknown": ([None, None], "0 of 2 passed, 2 unassessed", None, "n/a"),
    "error heavy": (["down"] * 9 + [True], "1 of 10 passed, 9 errors", "10%", "100% of 1"),
    "rounding": ([True] * 999 + [False], "999 of 1,000 passed, 1 failed", "99.9%", "99.9% of 1,000"),
    "rounding low": ([False] * 999 + [True], "1 of 1,000 passed, 999 failed", "0.1%", "0.1% of 1,000"),
}


@pytest.mark.parametrize("row", ROWS)
def test_a_rate_shows_its_denominator_and_what_it_leaves_out(row: str, tmp_path: Path) -> None:
    values, counts, rate, decided = ROWS[row]
    made = report(verdicts(values))
    line = summary_text(made).splitlines()[-1]
    assert counts in line
    assert f"· {rate} (95% interval" in line if rate else "%" not in line
    assert criteria_rows(made.summary)[1][1] == decided
    saved = json.loads(made.save(tmp_path / "r.json").read_text())
    assert saved["pass_rate"] == sum(value is True for value in values) / len(values)
    assert counts.split(" passed")[0] in markdown_text(made)
    text = diff_text(compare(made, made), Look(width=200))
    assert f"{sum(value is True for value in values):,} of {len(values):,}" in text
    assert "nan" not in (line + text).lower()


def scored(values: list[Any]) -> Report:
    """A run whose grader gives these scores; `None` for a verdict that it does not know."""
    cases = [{"name": f"c{number}", "inputs": number} for number in range(len(values))]

    def score(attempt: Attempt) -> Any:
        value = values[attempt.output]
        return Result(name="score") if value is None else value

    evaluation = Registry().evaluation(name="scored", dataset=cases, evaluator=False)(lambda number: number)
    evaluation.criterion("score")(score)
    return evaluation.run()


@pytest.mark.parametrize(
    ("values", "mean", "shown"),
    [
        ([0.8, None, 0.6], 0.7, "0.7 (2 of 3)"),
        ([0.8, float("nan"), 0.6], 0.7, "0.7 (2 of 3)"),
        ([None, None], None, ""),
        ([0.5], 0.5, "0.5"),
    ],
)
def test_a_mean_is_over_the_numbers_there_are(values: list[Any], mean: float | None, shown: str) -> None:
    made = scored(values)
    found = made.summary.criteria["score"].mean
    assert found == (None if mean is None else pytest.approx(mean))
    head, row = criteria_rows(made.summary)
    text = row[head.index("mean")] if "mean" in head else ""
    assert text.startswith(shown)
    assert "nan" not in summary_text(made).lower()
    json.dumps(made.to_dict(), allow_nan=False)


def test_a_report_of_nothing_has_no_rate() -> None:
    made = report([])
    assert made.pass_rate is None
    assert "no trial ran" in summary_text(made)
    assert "%" not in summary_text(made)
