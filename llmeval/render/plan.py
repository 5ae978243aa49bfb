"""What a run would do, before it does it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from llmeval.render.figures import plural
from llmeval.render.style import PLAIN, Look
from llmeval.render.text import one_line

__all__ = ["Planned", "plan_text"]

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


def plan_text(planned: Sequence[Planned], look: Look = PLAIN) -> str:
    """Returns cases times repetitions times grading requests; *at least* where an evaluator may make more."""
    lines: list[str] = []
    for one in planned:
        repetitions = f" {TIMES} {plural(one.repetitions, 'repetition')}"
        lines.append(
            f"{one_line(one.evaluation)}: {plural(one.cases, 'case')}{repetitions} = {plural(one.trials, 'trial')}"
        )
        lines += [
            f"  {one_line(name)}: {_requests(count, exact)}"
            for name, count, exact in one.requests
            if count or not exact
        ]
    if len(planned) > 1:
        lines.append(f"together: {plural(sum(one.trials for one in planned), 'trial')}")
    requests = [request for one in planned for request in one.requests]
    lines.append(f"{_requests(sum(n for _, n, _ in requests), all(e for _, _, e in requests))}; nothing was run")
    return "\n".join(map(look.words, lines))


def _requests(count: int, exact: bool) -> str:
    return f"{'' if exact else 'at least '}{plural(count, 'grading request')}"
