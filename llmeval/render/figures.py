"""The figures that every view of a report shows, worded once so that they agree everywhere."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal

from llmeval.jsonable import Json
from llmeval.results import Choice, Probability, Result, Score, Status, Value
from llmeval.stats import Interval, mean_interval, percent, wilson
from llmeval.summary import CriterionSummary, Summary
from llmeval.usage import Tokens, Usage

__all__ = [
    "amount",
    "as_json",
    "clock",
    "commit",
    "cost",
    "counts",
    "interval",
    "interval_of",
    "mean",
    "moment",
    "money",
    "plural",
    "rate",
    "repeated",
    "seconds",
    "tokens",
    "value",
    "verdict",
]

_NOUNS = {Status.ERROR: ("error", "errors")}


def plural(count: int, noun: str, several: str | None = None) -> str:
    """Returns a count and its noun, such as `1 trial` and `2 trials`."""
    return f"{count:,} {noun if count == 1 else several or noun + 's'}"


def counts(summary: Summary) -> str:
    """Returns trials by status: `2 of 5 passed, 2 failed, 1 error`; a status that none has is left out."""
    parts = [f"{summary.passed:,} of {summary.ran:,} passed"]
    for status in (Status.FAILED, Status.ERROR, Status.UNASSESSED, Status.MEASURED):
        if count := summary.counts[status]:
            noun, several = _NOUNS.get(status, (status.value, status.value))
            parts.append(plural(count, noun, several))
    return ", ".join(parts)


def repeated(summary: Summary) -> bool:
    """Whether a case had more than one trial."""
    return len(summary.cases) < summary.ran


def rate(summary: Summary) -> str:
    """Returns the pass rate of trials; `n/a` when none passed and none failed."""
    decided = summary.counts[Status.PASSED] + summary.counts[Status.FAILED]
    return percent(summary.passed, summary.ran) if decided else "n/a"


def interval_of(summary: Summary) -> Interval | None:
    """Returns the 95 % interval of the pass rate; `None` when nothing was decided.

    Repetitions of a case are alike, so they do not count as independent: then it is the interval of the mean over the
    cases, or, where all cases did equally well, that of a rate over as many trials as there are cases.
    """
    if rate(summary) == "n/a":
        return None
    if not repeated(summary):
        return wilson(summary.passed, summary.ran)
    found = mean_interval(passed / ran for passed, ran in summary.cases.values())
    if found is not None and found.low < found.high:
        return Interval(max(found.low, 0.0), min(found.high, 1.0))
    cases = len(summary.cases)
    return wilson(round(cases * summary.passed / summary.ran), cases)


def interval(found: Interval | None) -> str:
    """Returns an interval as text, such as `43.8% to 100%`; empty for none."""
    if found is None:
        return ""
    return " to ".join(percent(round(number * 10**6), 10**6) for number in (found.low, found.high))


def mean(criterion: CriterionSummary) -> str:
    """Returns what was measured: `0.7 (2 of 3)`, with how many of the results had a number; empty for none."""
    if criterion.mean is None:
        return ""
    return f"{criterion.mean:.3g} ({criterion.measured:,} of {sum(criterion.statuses.values()):,})"


def value(found: Value) -> str:
    """Returns what an evaluator gave: `pass`, `fail`, `unknown`, a number, or a choice."""
    if found is None or isinstance(found, bool):
        return {True: "pass", False: "fail", None: "unknown"}[found]
    if isinstance(found, Choice):
        return str(found.choice)
    return _number(found.probability if isinstance(found, Probability) else found.score)


def verdict(result: Result) -> str:
    """Returns a result's verdict, what it was measured against, such as `0.42, below 0.8`, and how stable it is."""
    if result.error is not None:
        return "error"
    text = value(result.value)
    if result.minimum is not None and isinstance(result.value, (Probability, Score)):
        text = f"{text}, {'at least' if result.passed else 'below'} {_number(result.minimum)}"
    if result.stable is False:
        verdicts = [one.verdict for one in (result, *result.repeats) if one.error is None]
        text = f"{text}, unstable: {verdicts.count(result.verdict)} of {len(verdicts)} gradings say so"
    return text


def as_json(data: Json) -> str:
    """Returns JSON on one line."""
    return json.dumps(data, ensure_ascii=False)


def _number(number: float) -> str:
    return f"{number:.4g}"


def seconds(duration: float) -> str:
    """Returns a duration such as `0.012s`, `3.4s`, `2m05s` or `1h02m`."""
    if duration < 0.1:
        return f"{duration:.3f}s"
    if duration < 60:
        return f"{duration:.1f}s"
    return clock(duration)


def clock(duration: float) -> str:
    """Returns a long duration in whole units, such as `42s`, `2m05s` or `1h02m`."""
    whole = int(duration)
    if whole < 60:
        return f"{whole}s"
    minutes, rest = divmod(whole, 60)
    return f"{minutes}m{rest:02}s" if minutes < 60 else f"{minutes // 60}h{minutes % 60:02}m"


def amount(number: int) -> str:
    """Returns a count in at most six characters: `950`, `12.3k`, `4.5M`."""
    for limit, unit in ((1_000_000_000, "G"), (1_000_000, "M"), (10_000, "k")):
        if number >= limit:
            return f"{number / (1000 if unit == 'k' else limit):.1f}{unit}"
    return str(number)


def tokens(found: Tokens | None) -> str:
    """Returns tokens with their parts, such as `1,200 in (800 cached), 300 out`; empty when none is known."""
    if found is None:
        return ""
    cached = f" ({found.cached:,} cached)" if found.cached else ""
    reasoning = f" ({found.reasoning:,} reasoning)" if found.reasoning else ""
    return f"{found.input:,} in{cached}, {found.output:,} out{reasoning}"


def money(dollars: float) -> str:
    """Returns US dollars: cents from one dollar on, four digits below that, and never 0 for more than nothing."""
    if dollars >= 1:
        return f"${dollars:,.2f}"
    return f"${dollars:.4f}" if dollars >= 0.0001 or dollars == 0 else f"${Decimal(f'{dollars:.2g}'):f}"


def cost(usage: Usage) -> str:
    """Returns what requests cost; `unknown (no price for X)` where a price is missing, empty when there were none."""
    if usage.cost is not None:
        return money(usage.cost)
    if usage.unpriced:
        return f"unknown (no price for {', '.join(usage.unpriced)})"
    return "unknown" if usage.requests else ""


def moment(when: datetime) -> str:
    """Returns a point in time to the minute; where its clock is not that of UTC, with the offset."""
    zone = "UTC" if not when.utcoffset() else when.strftime("%z")
    return f"{when:%Y-%m-%d %H:%M} {zone}"


def commit(environment: Mapping[str, object]) -> str:
    """Returns the short git commit of a report's environment, with `+` when the tree had changes."""
    found = environment.get("commit")
    return f"{str(found)[:8]}{'+' if environment.get('dirty') else ''}" if found else ""
