"""The runs of evaluations over time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from llmeval.render import figures
from llmeval.render.style import PLAIN, Look
from llmeval.render.text import one_line
from llmeval.report import Report

__all__ = ["Run", "history_data", "history_text", "sparkline"]

_BARS = "▁▂▃▄▅▆▇█"


@dataclass(frozen=True, kw_only=True, slots=True)
class Run:
    """What a line of the history says of one report."""

    name: str
    id: str
    started_at: datetime
    passed: int
    ran: int
    rate: str
    interval: str
    cost: float | None
    duration: float
    commit: str
    complete: bool

    @classmethod
    def of(cls, report: Report) -> Run:
        """Returns the line of `report`."""
        counted = report.summary
        return cls(
            name=report.name,
            id=report.id,
            started_at=report.started_at,
            passed=counted.passed,
            ran=counted.ran,
            rate=figures.rate(counted),
            interval=figures.interval(figures.interval_of(counted)),
            cost=report.cost,
            duration=report.duration,
            commit=figures.commit(report.environment),
            complete=not report.interrupted and not report.not_run,
        )


def history_text(runs: Sequence[Run], look: Look = PLAIN) -> str:
    """Returns the runs of each evaluation, oldest first, each with the trend of its pass rate."""
    names = dict.fromkeys(run.name for run in runs)
    return "\n\n".join(_evaluation(name, [run for run in runs if run.name == name], look) for name in names)


def history_data(runs: Sequence[Run]) -> list[dict[str, Any]]:
    """Returns the runs as plain JSON."""
    return [
        {
            "name": run.name,
            "id": run.id,
            "started_at": run.started_at.isoformat(),
            "passed": run.passed,
            "ran": run.ran,
            "cost": run.cost,
            "duration": run.duration,
            "commit": run.commit or None,
            "complete": run.complete,
        }
        for run in sorted(runs, key=_time)
    ]


def sparkline(rates: Sequence[float | None]) -> str:
    """Returns a bar for each rate from 0 to 1, and a space for none."""
    return "".join(" " if rate is None else _BARS[min(int(rate * len(_BARS)), len(_BARS) - 1)] for rate in rates)


def _evaluation(name: str, runs: list[Run], look: Look) -> str:
    runs.sort(key=_time)
    head = ["run", "started", "passed", "rate", "95% interval", "cost", "time", "commit"]
    rows = [_row(run) for run in runs]
    kept = [index for index in range(len(head)) if index < 4 or any(row[index] for row in rows)]
    table = look.columns([[row[index] for index in kept] for row in (head, *rows)], right=_RIGHT)
    trend = sparkline([run.passed / run.ran if run.ran and run.rate != "n/a" else None for run in runs[-look.width :]])
    title = look.paint(one_line(name), "bold")
    return "\n".join([f"{title}  {trend}" if look.unicode and len(runs) > 1 else title, *table])


_RIGHT = frozenset(range(1, 8))


def _row(run: Run) -> list[str]:
    return [
        one_line(run.id),
        figures.moment(run.started_at),
        f"{run.passed:,} of {run.ran:,}" + ("" if run.complete else " (incomplete)"),
        run.rate,
        run.interval,
        "" if run.cost is None else figures.money(run.cost),
        figures.seconds(run.duration),
        run.commit,
    ]


def _time(run: Run) -> float:
    return run.started_at.timestamp()
