"""What a live table shows: the trials that run, the last ones that ended, and how far the run is."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import islice
from time import monotonic
from typing import Final, TypeAlias

from llmeval.events import Event, Note, RunStarted, TrialFinished, TrialStarted
from llmeval.render import figures
from llmeval.render.opening import opening_line
from llmeval.render.rows import Cell, Layout
from llmeval.render.style import Look
from llmeval.render.text import cell_width, one_line
from llmeval.results import Status
from llmeval.trials import Trial

__all__ = ["Board", "Line"]

WHOLE: Final = 300
"""Trials that all get a row which stays; in a larger run only those do that did not pass,..."""
KEPT: Final = 100
"""...and only so many of them: the report has the rest."""
FRAME: Final = 16
"""Rows of the frame at most, so that what is printed stays on the screen too."""

Line: TypeAlias = list[Cell]


class Board:
    """Takes events and says what is to be drawn; the work for a frame depends on its height alone."""

    def __init__(self, look: Look, now: Callable[[], float] = monotonic) -> None:
        self._look = look
        self._now = now
        self._layout = Layout.of(look, ())
        self._above: list[str | Trial | None] = []
        self._begin(RunStarted(run_id="", evaluation="", total=0))

    def __call__(self, event: Event) -> None:
        """Takes one event."""
        match event:
            case RunStarted():
                self._begin(event)
                self._above += [self._look.words(opening_line(event)), None]
            case TrialStarted():
                self._running[event.case, event.repetition] = self._now()
            case TrialFinished():
                self._end(event)
            case Note():
                self._above.append(f"note: {one_line(event.message)}")

    def print(self, text: str) -> None:
        """Adds printed text, empty or ended by a line feed, above the table."""
        if text:
            self._above.append(text[:-1])

    def above(self, columns: int) -> list[str | Line]:
        """Returns, once, what is to stay above the frame: text as it was printed, and rows."""
        waiting, self._above = self._above, []
        layout = self._fitting(columns)
        lines: list[str | Line] = []
        for item in waiting:
            if isinstance(item, str):
                lines.append(item)
            elif item is not None:
                lines.append(layout.finished(item))
            elif columns >= 40:
                lines.append(layout.head())
        return lines

    def frame(self, columns: int, rows: int, printing: str = "") -> list[Line]:
        """Returns the rows to draw at the bottom; `printing` is a line of the application without an end."""
        room = max(1, min(rows * 2 // 3, FRAME)) - 1
        layout = self._fitting(columns)
        lines: list[Line] = []
        if printing and room > 1:
            lines.append([Cell(self._look.fit(printing, columns - 1))])
        running = self._running_rows(layout, room - len(lines))
        recent = list(islice(reversed(self._recent), max(room - len(lines) - len(running), 0)))
        lines += [layout.finished(trial) for trial in reversed(recent)]
        return [*lines, *running, self._progress(columns - 1)]

    def _begin(self, event: RunStarted) -> None:
        self._criteria: Sequence[str] = event.criteria
        self._total, self._done, self._before = event.total, event.resumed, event.resumed
        self._counts: Counter[Status] = Counter()
        self._running: dict[tuple[str, int], float] = {}
        self._recent: deque[Trial] = deque(maxlen=0 if event.total <= WHOLE else FRAME // 2)
        self._kept = 0
        self._started = self._now()
        self._layout = Layout.of(self._layout.look, self._criteria)

    def _end(self, event: TrialFinished) -> None:
        trial = event.trial
        self._running.pop((event.case, event.repetition), None)
        self._done = max(self._done, event.completed)
        self._total = event.total
        status = trial.status
        self._counts[status] += 1
        if not self._recent.maxlen:
            self._above.append(trial)
        elif status is Status.PASSED or self._kept > KEPT:
            self._recent.append(trial)
        else:
            self._kept += 1
            more = "(more of them are in the report)"
            self._above.append(trial if self._kept <= KEPT else more)

    def _fitting(self, columns: int) -> Layout:
        if columns != self._layout.look.width:
            self._layout = Layout.of(replace(self._look, width=columns), self._criteria)
        return self._layout

    def _running_rows(self, layout: Layout, room: int) -> list[Line]:
        now = self._now()
        some = room if len(self._running) <= room else room - 1
        rows = [layout.running(*key, now - since) for key, since in islice(self._running.items(), max(some, 0))]
        if len(self._running) > room > 0:
            more = f"{len(self._running) - some:,} more running"
            rows.append([Cell(self._look.fit(more, layout.look.width - 1), "dim")])
        return rows

    def _progress(self, width: int) -> Line:
        """Counts first, then what fits of: time left, trials by status, a bar."""
        done = f"{self._done:,}/{self._total:,}"
        cells = [Cell(done, "bold")]
        room = width - len(done)
        extra = [Cell(f"{count:,} {status}", status.value) for status, count in self._counts.items() if count]
        extra.sort(key=lambda cell: list(Status).index(Status(cell.style)))
        for cell in [Cell(self._left(), "dim"), *reversed(extra)]:
            if cell.text and cell_width(cell.text) + 2 <= room:
                cells.insert(1, cell)
                room -= cell_width(cell.text) + 2
        line = [part for cell in cells for part in (Cell("  "), cell)][1:]
        bar = min(room - 2, 40)
        return [*self._bar(bar), Cell("  "), *line] if bar >= 5 else line

    def _bar(self, width: int) -> Line:
        filled = width * self._done // self._total if self._total else width
        full, empty = ("█", "░") if self._look.unicode else ("#", ".")
        return [Cell(full * filled, "passed"), Cell(empty * (width - filled), "dim")]

    def _left(self) -> str:
        new = self._done - self._before
        if not new or self._done >= self._total:
            return f"{figures.clock(self._now() - self._started)}"
        each = (self._now() - self._started) / new
        return f"{figures.clock(each * (self._total - self._done))} left"
