"""What a run would do, before it does it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from llmeval.render.figures import plural
from llmeval.render.style import PLAIN, Look
from llmeval.render.text import one_line

__all__ = ["Planned", "Regraded", "plan_text", "regrade_text"]

TIMES: Final = "\N{MULTIPLICATION SIGN}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Planned:
    """One evaluation's part: its trials, and the grading requests that each evaluator makes for all of them.

    `requests` holds an evaluator's name, its requests, and whether that number is exact.
    """

    evaluation: str
    cases: int
    repetitions: int
    requests: Sequence[tuple[str, int, bool]] = ()

    @property
    def trials(self) -> int:
        """How often the application runs."""
        return self.cases * self.repetitions


@dataclass(frozen=True, kw_only=True, slots=True)
class Regraded:
    """A regrading: the report's trials, those with evidence to grade, how often, and the requests as in `Planned`."""

    report: str
    trials: int
    graded: int
    repeat: int = 1
    requests: Sequence[tuple[str, int, bool]] = ()

    def to_dict(self) -> dict[str, Any]:
        """Returns plain JSON."""
        requests = [{"evaluator": name, "requests": count, "exact": exact} for name, count, exact in self.requests]
        counts = {"trials": self.trials, "graded": self.graded, "repeat": self.repeat}
        return {"report": self.report, **counts, "requests": requests}


def regrade_text(planned: Regraded, look: Look = PLAIN) -> str:
    """Returns trials with evidence times gradings, and the grading requests."""
    times = f" {TIMES} {plural(planned.repeat, 'grading')}"
    left = planned.trials - planned.graded
    lines = [f"{one_line(planned.report)}: {plural(planned.graded, 'saved trial')}{times}"]
    if left:
        lines.append(f"  {plural(left, 'trial')} without evidence stay{'s' if left == 1 else ''} as before")
    lines += _by_evaluator(planned.requests)
    count, exact = sum(n for _, n, _ in planned.requests), all(e for _, _, e in planned.requests)
    lines.append(f"{_requests(count, exact)}; nothing was graded")
    return "\n".join(map(look.words, lines))


def plan_text(planned: Sequence[Planned], look: Look = PLAIN) -> str:
    """Returns cases times repetitions times grading requests; *at least* where an evaluator may make more."""
    lines: list[str] = []
    for one in planned:
        repetitions = f" {TIMES} {plural(one.repetitions, 'repetition')}"
        lines.append(
            f"{one_line(one.evaluation)}: {plural(one.cases, 'case')}{repetitions} = {plural(one.trials, 'trial')}"
        )
        lines += _by_evaluator(one.requests)
    if len(planned) > 1:
        lines.append(f"together: {plural(sum(one.trials for one in planned), 'trial')}")
    requests = [request for one in planned for request in one.requests]
    lines.append(f"{_requests(sum(n for _, n, _ in requests), all(e for _, _, e in requests))}; nothing was run")
    return "\n".join(map(look.words, lines))


def _by_evaluator(requests: Sequence[tuple[str, int, bool]]) -> list[str]:
    return [f"  {one_line(name)}: {_requests(count, exact)}" for name, count, exact in requests if count or not exact]


def _requests(count: int, exact: bool) -> str:
    return f"{'' if exact else 'at least '}{plural(count, 'grading request')}"
