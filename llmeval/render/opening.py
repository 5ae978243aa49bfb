"""The line that a run begins with: what runs, on which data, graded by whom."""

from __future__ import annotations

from llmeval.events import RunStarted
from llmeval.render.figures import plural
from llmeval.render.text import excerpt, one_line

__all__ = ["opening_line"]


def opening_line(event: RunStarted) -> str:
    """Returns one line that names the evaluation, its trials, its dataset file and its evaluators."""
    trials = plural(event.total, "trial")
    if event.resumed:
        trials += f" ({event.resumed:,} finished before)"
    parts = [trials]
    if event.dataset:
        parts.append(one_line(event.dataset))
    parts.append(f"graded by {', '.join(map(one_line, event.evaluators))}" if event.evaluators else "not graded")
    parts += [f"{one_line(key)}={one_line(excerpt(value, 60))}" for key, value in (event.params or {}).items()]
    return f"{one_line(event.evaluation)}: {' · '.join(parts)}"
