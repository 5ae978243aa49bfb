"""Charts as inline SVG: pass rates with their intervals, and how durations, costs and scores are spread."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from itertools import islice
from typing import Final

from llmeval.render import figures
from llmeval.render.show import slices
from llmeval.render.text import fit, one_line
from llmeval.report import Report
from llmeval.results import Choice, Probability
from llmeval.summary import Summary

__all__ = ["bins", "charts", "histogram", "rates"]

WIDTH: Final = 360
ROW: Final = 22
HEIGHT: Final = 120
BINS: Final = 20
VALUES: Final = 12
"""Bars of a chart at most."""
KEYS: Final = 4
"""Metadata keys that get a chart at most."""


def charts(report: Report) -> str:
    """Returns the charts that tell something: those of one bar do not."""
    drawn = [rates(f"Pass rate by {key}", found) for key, found in _categories(report)]
    drawn += [
        histogram("Duration", [trial.duration for trial in report], figures.seconds),
        histogram("Cost", [trial.cost for trial in report if trial.cost is not None], figures.money),
    ]
    drawn += [histogram(f"{name}", values, _number, minimum) for name, (values, minimum) in _measures(report).items()]
    shown = "".join(f"<figure>{drawing}</figure>" for drawing in drawn if drawing)
    return f"<details class=charts open><summary>Charts</summary><div>{shown}</div></details>" if shown else ""


def rates(title: str, found: Mapping[str, Summary]) -> str:
    """Returns a bar for each slice's pass rate, with its 95 % interval as a line; empty for fewer than two."""
    if len(found) < 2:
        return ""
    worst = sorted(found.items(), key=lambda item: item[1].pass_rate or 0.0)[:VALUES]
    rows = [_rate(20 + ROW * index, value, one) for index, (value, one) in enumerate(worst)]
    more = f" (the lowest {VALUES} of {len(found)})" if len(found) > VALUES else ""
    said = "; ".join(f"{value}: {figures.counts(one)}" for value, one in worst)
    return _svg(f"{title}{more}", 24 + ROW * len(worst), "".join(rows), said)


def _rate(y: int, value: str, one: Summary) -> str:
    left, width = 120, WIDTH - 220
    parts = [_text(left - 6, y + 13, fit(one_line(value), 17), "end")]
    parts.append(f'<rect class="rest" x="{left}" y="{y + 3}" width="{width}" height="14"/>')
    bar = width * (one.pass_rate or 0.0)
    parts.append(f'<rect class="passed" x="{left}" y="{y + 3}" width="{bar:.1f}" height="14"/>')
    found = figures.interval_of(one)
    if found is not None:
        low, high = left + width * found.low, left + width * found.high
        parts.append(
            f'<path class="interval" d="M{low:.1f} {y + 10}H{high:.1f}M{low:.1f} {y + 6}v8M{high:.1f} {y + 6}v8"/>'
        )
    label = f"{figures.rate(one)} of {one.ran:,}"
    return "".join([*parts, _text(left + width + 6, y + 14, label)])


def histogram(title: str, values: Sequence[float], word: Callable[[float], str], minimum: float | None = None) -> str:
    """Returns how `values` are spread, with a line at `minimum`; empty when they are all the same."""
    if len(set(values)) < 2:
        return ""
    low, high = min(values), max(values)
    if minimum is not None:
        low, high = min(low, minimum), max(high, minimum)
    counts = bins(values, low, high)
    top, step = max(counts), WIDTH / BINS
    parts = [
        f'<rect class="bar" x="{index * step + 1:.1f}" y="{20 + HEIGHT * (1 - count / top):.1f}" '
        f'width="{step - 2:.1f}" height="{HEIGHT * count / top:.1f}"><title>{count:,}</title></rect>'
        for index, count in enumerate(counts)
        if count
    ]
    parts += [_text(0, HEIGHT + 36, word(low)), _text(WIDTH, HEIGHT + 36, word(high), "end")]
    middle = sorted(values)[len(values) // 2]
    said = f"{len(values):,} values from {word(min(values))} to {word(max(values))}, median {word(middle)}"
    if minimum is not None:
        x = WIDTH * (minimum - low) / (high - low)
        parts.append(f'<path class="minimum" d="M{x:.1f} 18V{HEIGHT + 22}"/>')
        parts.append(_text(x, HEIGHT + 36, f"minimum {word(minimum)}", "middle"))
        said += f", minimum {word(minimum)}"
    else:
        parts.append(_text(WIDTH / 2, HEIGHT + 36, f"median {word(middle)}", "middle"))
    return _svg(title, HEIGHT + 42, "".join(parts), said)


def bins(values: Iterable[float], low: float, high: float, number: int = BINS) -> list[int]:
    """Returns how many of `values` are in each of `number` equal parts from `low` to `high`."""
    counts = [0] * number
    for value in values:
        counts[min(int((value - low) / (high - low) * number), number - 1)] += 1
    return counts


def _categories(report: Report) -> list[tuple[str, dict[str, Summary]]]:
    """The metadata keys whose values are few enough to be categories."""
    keys = dict.fromkeys(key for trial in islice(report, 1000) for key in trial.case.metadata)
    found = [(key, slices(report, f"metadata.{key}")) for key in islice(keys, 3 * KEYS) if "." not in key]
    return [(key, one) for key, one in found if 2 <= len(one) <= max(VALUES, len(report.summary.cases) // 3)][:KEYS]


def _measures(report: Report) -> dict[str, tuple[list[float], float | None]]:
    found: dict[str, tuple[list[float], float | None]] = {}
    for trial in report:
        for result in trial.evaluations:
            value = result.value
            if value is None or isinstance(value, (bool, Choice)):
                continue
            number = value.probability if isinstance(value, Probability) else value.score
            found.setdefault(result.name, ([], result.minimum))[0].append(number)
    return found


def _number(value: float) -> str:
    return f"{value:.3g}"


def _svg(title: str, height: int, body: str, said: str) -> str:
    name, label = escape(one_line(title)), escape(one_line(f"{title}: {said}"))
    return (
        f"<figcaption>{name}</figcaption>"
        f'<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{label}">{body}</svg>'
    )


def _text(x: float, y: float, text: str, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'
