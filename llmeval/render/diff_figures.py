"""The figures of a diff, worded once so that every form of it agrees."""

from __future__ import annotations

from typing import Final

from llmeval.diff import Change, CriterionDiff, Delta, Diff, Figures, Verdict
from llmeval.render.figures import money, plural, seconds
from llmeval.render.noise import noise_words
from llmeval.render.text import one_line
from llmeval.stats import Interval, percent, points
from llmeval.stats.paired import ALPHA

__all__ = [
    "amounts",
    "cells",
    "counts",
    "evidence",
    "notes",
    "p_value",
    "passed",
    "sentence",
    "span",
    "trials",
    "undecided",
    "verdict",
]

WORDS: Final = {
    Verdict.IMPROVED: "improved",
    Verdict.REGRESSED: "regressed",
    Verdict.NOT_ENOUGH_EVIDENCE: "not enough evidence",
}
CHANGES: Final = {Change.NOT_RUN: "not run", Change.INCOMPARABLE: "not comparable"}
LABELS: Final = {
    "duration": "duration",
    "task_tokens": "tokens",
    "task_cost": "cost",
    "evaluator_tokens": "grading tokens",
    "evaluator_cost": "grading cost",
}
LEFT: Final = {"unassessed": ("unassessed",) * 2, "error": ("error",), "measured": ("measured",) * 2}
"""Statuses that a pass rate leaves out or counts as not passed, so that they are named beside it."""


def verdict(figures: Figures) -> str:
    """Returns the verdict in words."""
    return WORDS[figures.verdict]


def sentence(diff: Diff) -> str:
    """Returns the verdict in one sentence, with what it rests on."""
    return f"{verdict(diff)} ({_ground(diff)})"


def _ground(diff: Diff) -> str:
    if diff.verdict is not Verdict.NOT_ENOUGH_EVIDENCE:
        return evidence(diff)
    if not diff.cases:
        return "nothing can be compared"
    if not diff.decided:
        return "every trial only measured something, so that nothing passed or failed"
    if diff.detectable is None:
        return f"with {plural(diff.cases, 'comparable case')} no difference could have been seen"
    return f"a difference of less than {points(diff.detectable).lstrip('+')} could not have been seen"


def evidence(figures: Figures) -> str:
    """Returns the difference, its interval and its p-value; empty when there is none."""
    if figures.difference is None:
        return ""
    return f"{points(figures.difference)}, 95% interval {span(figures.interval)}, {p_value(figures)}"


def span(interval: Interval | None) -> str:
    """Returns an interval of a difference of rates, such as `-1.2 to +12.5 points`."""
    if interval is None:
        return "unknown"
    return f"{points(interval.low).removesuffix(' points')} to {points(interval.high)}"


def p_value(figures: Figures) -> str:
    """Returns `p = 0.031`, and what it is after adjusting for several comparisons where that differs."""
    text = f"p {_chance(figures.p_value)}"
    if figures.adjusted_p_value != figures.p_value:
        text += f" (adjusted {_chance(figures.adjusted_p_value).removeprefix('= ')})"
    return text


def _chance(number: float | None) -> str:
    """Returns a p-value after its relation; rounding moves none across 0.05."""
    if number is None:
        return "unknown"
    if number < 0.0001:
        return "< 0.0001"
    for digits in range(2, 17):
        text = f"{number:.{digits}g}"
        if (float(text) < ALPHA) == (number < ALPHA):
            break
    return f"= {text}"


def passed(count: int, total: int) -> str:
    """Returns `28 of 30 (93.3%)`; `n/a` for 0 of 0."""
    return f"{count:,} of {total:,} ({percent(count, total)})" if total else "n/a"


def trials(figures: Figures) -> tuple[str, str]:
    """Returns how many of the compared trials passed in A and in B."""
    return passed(figures.passed_a, figures.trials_a), passed(figures.passed_b, figures.trials_b)


def cells(figures: Figures) -> list[str]:
    """Returns a row: A passed, B passed, difference, interval, p-value (adjusted in brackets), verdict."""
    if figures.difference is None:
        return [*trials(figures), "", "", "", undecided(figures)]
    chances = [_chance(figures.p_value)]
    if figures.adjusted_p_value != figures.p_value:
        chances.append(f"({_chance(figures.adjusted_p_value)})")
    return [
        *trials(figures),
        points(figures.difference),
        span(figures.interval),
        " ".join(chances).replace("= ", ""),
        verdict(figures),
    ]


def undecided(figures: Figures) -> str:
    """Returns why there are no figures."""
    if isinstance(figures, CriterionDiff) and figures.incomparable is None:
        return "not decided"
    return "not comparable"


def notes(figures: Figures) -> list[str]:
    """Returns what else is to be said of a criterion: statuses other than pass and fail, means, choices, noise."""
    if not isinstance(figures, CriterionDiff):
        return []
    found = [_mean(figures), _noise(figures)]
    for letter, noise in (("A", figures.noise_a), ("B", figures.noise_b)):
        found.append("" if noise is None else f"asked {noise.gradings} times in {letter}: {noise_words(noise)}")
    for letter, others in (("A", figures.counts_a), ("B", figures.counts_b)):
        left = [plural(others[status], *nouns) for status, nouns in LEFT.items() if others.get(status)]
        found.append(f"{letter} has {', '.join(left)}" if left else "")
    for letter, chosen in (("A", figures.choices_a), ("B", figures.choices_b)):
        found.append(f"{letter} chose {', '.join(f'{one_line(k)} {n:,}' for k, n in chosen.items())}" if chosen else "")
    return [note for note in found if note]


def _mean(criterion: CriterionDiff) -> str:
    """Returns the mean of what was measured on either side; empty when nothing was."""
    if criterion.mean_a is None or criterion.mean_b is None or criterion.mean_difference is None:
        return ""
    interval = criterion.mean_interval
    more = "" if interval is None else f", 95% interval {interval.low:+.3g} to {interval.high:+.3g}"
    change = f"{criterion.mean_a:.3g} → {criterion.mean_b:.3g} ({criterion.mean_difference:+.3g}{more})"
    return f"mean {change}, over {criterion.measured:,} of {plural(criterion.graded, 'case')}"


def _noise(criterion: CriterionDiff) -> str:
    """Returns how often two repetitions of a case disagree; empty with one repetition."""
    found = [
        (letter, rate) for letter, rate in (("A", criterion.flips_a), ("B", criterion.flips_b)) if rate is not None
    ]
    if not found:
        return ""
    sides = ", ".join(f"{letter} {percent(round(rate * 10**6), 10**6)}" for letter, rate in found)
    return f"repetitions disagree: {sides}"


def amounts(delta: Delta) -> tuple[str, str, str, str]:
    """Returns a label, the amount per trial in A and in B, and the change with its interval."""
    change = ""
    if delta.difference is not None:
        interval = delta.interval
        if delta.difference == 0 and (interval is None or interval.low == interval.high):
            return LABELS[delta.name], _amount(delta.name, delta.a), _amount(delta.name, delta.b), "none"
        change = _signed(delta.name, delta.difference)
        if delta.a:
            change += f" ({delta.difference / delta.a:+.1%})"
        if interval is not None:
            change += f", 95% interval {_signed(delta.name, interval.low)} to {_signed(delta.name, interval.high)}"
    return LABELS[delta.name], _amount(delta.name, delta.a), _amount(delta.name, delta.b), change


def _amount(name: str, number: float | None) -> str:
    if number is None:
        return "unknown"
    if name == "duration":
        return seconds(number) if number >= 0.01 or number == 0 else f"{number * 1000:.2g}ms"
    return money(number) if name.endswith("cost") else f"{number:,.1f}".removesuffix(".0")


def _signed(name: str, number: float) -> str:
    sign = "+" if number > 0 else "-" if number < 0 else ""
    return f"{sign}{_amount(name, abs(number))}"


def counts(diff: Diff) -> str:
    """Returns how many cases there are of each change, every case once."""
    found = diff.counts()
    lost = len(diff.regressed) - len(diff.of(Change.REGRESSED))
    found[Change.REMOVED.value] -= lost
    parts = [f"{count:,} {CHANGES.get(Change(change), change)}" for change, count in found.items() if count]
    if lost:
        parts[0] += f" ({lost:,} of them removed)"
    extra = (("renamed", diff.renamed), ("erroring", diff.erroring))
    more = [f"{len(names):,} {word}" for word, names in extra if names]
    text = ", ".join(parts) or "no cases"
    return f"{text} (of these {' and '.join(more)})" if more else text
