"""A line per trial, for logs and pipes."""

from __future__ import annotations

import sys
from typing import TextIO

from llmeval.events import Event, Note, RunStarted, TrialFinished
from llmeval.render.console import echo, look_of
from llmeval.render.figures import seconds
from llmeval.render.opening import opening_line
from llmeval.render.text import one_line
from llmeval.results import Status
from llmeval.trials import Trial

__all__ = ["PlainLines", "plain_line"]


class PlainLines:
    """A subscriber that writes a line for each trial on `stream` (standard error), as they finish.

    A stream that is closed, or whose reader went away, silences it; the run goes on.
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._look = look_of(self._stream)
        self._silent = self._stream is None

    def __call__(self, event: Event) -> None:
        """Takes one event."""
        match event:
            case RunStarted():
                self._say(self._look.words(opening_line(event)))
            case TrialFinished(trial=trial, completed=completed, total=total):
                line = plain_line(trial, completed, total)
                status = trial.status.value
                self._say(self._look.paint(status, status) + line.removeprefix(status))
            case Note():
                self._say(f"note: {one_line(event.message)}")

    def _say(self, line: str) -> None:
        if self._silent:
            return
        try:
            echo(line, self._stream)
        except (OSError, ValueError):
            self._silent = True


def plain_line(trial: Trial, completed: int, total: int) -> str:
    """Returns `failed      12/300  damaged_item #2  0.8s  correctness`: what did not pass stands at the end."""
    counter = f"{completed:>{len(str(total))}}/{total}"
    name = one_line(trial.case.name) + (f" #{trial.repetition}" if trial.repetition > 1 else "")
    why = ", ".join(_reasons(trial))
    return f"{trial.status.value:<10}  {counter}  {name}  {seconds(trial.duration)}{'  ' if why else ''}{why}"


def _reasons(trial: Trial) -> list[str]:
    found = [trial.error.type] if trial.error is not None else []
    if trial.assertion_failure is not None:
        found.append("assertion")
    return [*found, *(one_line(result.name) for result in trial.evaluations if result.status is not Status.PASSED)]
