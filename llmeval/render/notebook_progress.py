"""A run's progress in a notebook: one output, which becomes the report's table when the run ends."""

from __future__ import annotations

from html import escape
from time import monotonic
from typing import Any, Final

from llmeval.events import Event, RunFinished, RunStarted, TrialFinished
from llmeval.render import figures
from llmeval.render.notebook import report_html
from llmeval.render.text import one_line
from llmeval.summary import Summary

__all__ = ["NotebookProgress"]

PAUSE: Final = 0.2
"""Seconds between two updates at least."""


class NotebookProgress:
    """A subscriber: `support.run(options=Options(subscribers=[NotebookProgress()]))`.

    Raises:
        ImportError: there is no IPython.
    """

    def __init__(self) -> None:
        from IPython.display import HTML, display  # is loaded in a notebook, and no dependency elsewhere

        self._html: Any = HTML
        self._display: Any = display
        self._handle: Any = None
        self._summary = Summary()
        self._total = 0
        self._shown = 0.0

    def __call__(self, event: Event) -> None:
        """Takes one event."""
        if isinstance(event, RunStarted):
            self._summary, self._total, self._shown = Summary(), event.total - event.resumed, 0.0
            self._handle = self._display(self._html(self._bar(event.evaluation)), display_id=True)
        elif isinstance(event, TrialFinished):
            self._summary.add(event.trial)
            if monotonic() - self._shown >= PAUSE:
                self._shown = monotonic()
                self._handle.update(self._html(self._bar(event.evaluation)))
        elif isinstance(event, RunFinished) and self._handle is not None:
            text = self._bar(event.evaluation) if event.report is None else report_html(event.report)
            self._handle.update(self._html(text))

    def _bar(self, evaluation: str) -> str:
        ran = self._summary.ran
        counts = escape(figures.counts(self._summary)) if ran else "running"
        bar = f'<progress value="{ran}" max="{self._total}"></progress> {ran:,}/{self._total:,}'
        return f"<div>{escape(one_line(evaluation))} {bar} {counts}</div>"
