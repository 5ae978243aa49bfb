"""A trial as one row of a table: which columns fit a width, and what stands in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from llmeval.render import figures
from llmeval.render.style import Look, marks
from llmeval.render.text import cell_width, one_line, pad
from llmeval.results import Result, Status
from llmeval.trials import Trial

__all__ = ["Cell", "Column", "Layout"]

NAME: Final = 22
"""Columns that a case's name gets before anything else does,..."""
SHORT_NAME: Final = 14
"""...how many it gets where that makes room for all columns, and..."""
LONG_NAME: Final = 60
"""...how many where there is room."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A piece of a row: text that is cleaned and cut already, and one of `STYLES`."""

    text: str
    style: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Column:
    """A column of a table of trials; `criterion` is the one that it is of, if any."""

    kind: str
    title: str
    width: int
    right: bool = False
    criterion: str | None = None


_OPTIONAL: Final = (
    Column(kind="time", title="time", width=6, right=True),
    Column(kind="rep", title="rep", width=3, right=True),
    Column(kind="criteria", title="criteria", width=8),
    Column(kind="status", title="status", width=10),
    Column(kind="asserts", title="asserts", width=7, right=True),
    Column(kind="tokens", title="tokens", width=6, right=True),
    Column(kind="cost", title="cost", width=7, right=True),
)
"""The most useful first; a narrow screen has only the first of them."""
_ORDER: Final = ("mark", "case", "rep", "status", "criteria", "asserts", "time", "tokens", "cost")


@dataclass(frozen=True, kw_only=True, slots=True)
class Layout:
    """The columns that fit a screen, for trials that are graded by `criteria`."""

    look: Look
    criteria: tuple[str, ...]
    columns: tuple[Column, ...]
    gap: str

    @classmethod
    def of(cls, look: Look, criteria: Sequence[str]) -> Layout:
        """Returns the layout for `look.width` columns, of which the last stays free."""
        width = look.width - 1
        gap = 2 if width >= 99 else 1
        for name in (NAME, SHORT_NAME):
            name = min(name, width // 2)
            chosen, room = _chosen(width - name, len(criteria), gap)
            if room >= 0 and len(chosen) >= len(_OPTIONAL) - (not criteria):
                break
        chosen, room = _spread(chosen, criteria, room, gap)
        name += min(room, LONG_NAME - name)
        chosen.append(Column(kind="case", title="case", width=name))
        chosen.sort(key=lambda column: _ORDER.index(column.kind))  # stable: criteria keep their order
        return cls(look=look, criteria=tuple(criteria), columns=tuple(chosen), gap=" " * gap)

    def head(self) -> list[Cell]:
        """Returns the titles as a row."""
        return self._row(
            [self._cell(column, column.title * (len(column.title) <= column.width), "dim") for column in self.columns]
        )

    def finished(self, trial: Trial) -> list[Cell]:
        """Returns the row of a finished trial."""
        results = {result.name: result for result in trial.evaluations}
        return self._row([self._finished(column, trial, results) for column in self.columns])

    def running(self, case: str, repetition: int, elapsed: float) -> list[Cell]:
        """Returns the row of a trial that has been running for `elapsed` seconds."""
        texts = {
            "mark": self.look.words("▸"),
            "case": one_line(case),
            "rep": f"#{repetition}",
            "status": "running",
            "time": figures.clock(elapsed),
        }
        styles = {"case": ""}
        return self._row(
            [self._cell(column, texts.get(column.kind, ""), styles.get(column.kind, "dim")) for column in self.columns]
        )

    def _finished(self, column: Column, trial: Trial, results: dict[str, Result]) -> Cell:
        status = trial.status
        match column.kind:
            case "mark":
                return self._cell(column, marks(self.look.unicode)[status], status.value)
            case "case":
                return self._cell(column, one_line(trial.case.name))
            case "status":
                return self._cell(column, status.value, status.value)
            case "criteria" if column.criterion is None:
                text = "".join(self._mark(results.get(name)) for name in self.criteria)
                worst = max((result.status for result in results.values()), key=list(Status).index, default="")
                return self._cell(column, text, str(worst))
            case "criteria":
                result = results.get(column.criterion or "")
                return self._cell(column, self._graded(result), "dim" if result is None else result.status.value)
            case "asserts":
                failed = trial.assertion_failure is not None
                return self._cell(column, self._asserts(trial), Status.FAILED.value if failed else "")
        return self._cell(column, self._number(column.kind, trial), "dim")

    def _mark(self, result: Result | None) -> str:
        return self.look.words("·") if result is None else marks(self.look.unicode)[result.status]

    def _graded(self, result: Result | None) -> str:
        number = result is not None and result.value is not None and not isinstance(result.value, bool)
        return (
            f"{self._mark(result)} {one_line(figures.value(result.value))}" if number and result else self._mark(result)
        )

    def _asserts(self, trial: Trial) -> str:
        if trial.assertion_failure is not None:
            return f"{trial.assertion_count} {marks(self.look.unicode)[Status.FAILED]}"
        return str(trial.assertion_count or "")

    def _number(self, kind: str, trial: Trial) -> str:
        if kind == "rep":
            return f"#{trial.repetition}"
        if kind == "time":
            return figures.seconds(trial.duration)
        usage = trial.usage
        if kind == "tokens":
            return "" if usage.tokens is None else figures.amount(usage.tokens.input + usage.tokens.output)
        if usage.cost is None:
            return "?" if usage.requests else ""
        return figures.money(usage.cost)

    def _row(self, cells: list[Cell]) -> list[Cell]:
        while cells and not cells[-1].text.strip():
            cells.pop()
        row = [part for cell in cells for part in (Cell(self.gap), cell)][1:]
        return [*row[:-1], *(Cell(cell.text.rstrip(), cell.style) for cell in row[-1:])]

    def _cell(self, column: Column, text: str, style: str = "") -> Cell:
        text = self.look.fit(text, column.width, middle=column.kind == "case")
        return Cell(pad(text, column.width, right=column.right), style)


def _chosen(room: int, criteria: int, gap: int) -> tuple[list[Column], int]:
    """Returns the columns that fit beside the name, and the room that is left."""
    chosen = [Column(kind="mark", title="", width=1)]
    room -= 1 + gap
    for column in _OPTIONAL:
        if column.kind == "criteria":
            if not criteria:
                continue
            column = replace(
                column, width=max(min(criteria, room // 3), min(criteria, 8, room - gap), min(8, room // 4))
            )
        if column.kind == "status" and column.width - 1 <= room:  # the word tells what the mark does
            chosen[0], room = column, room - column.width + 1
        elif column.width + gap <= room:
            chosen.append(column)
            room -= column.width + gap
        else:
            break
    return chosen, room


def _spread(chosen: list[Column], criteria: Sequence[str], room: int, gap: int) -> tuple[list[Column], int]:
    """Gives each criterion a column under its name, where all of them fit."""
    merged = next((column for column in chosen if column.kind == "criteria"), None)
    titles = [one_line(name) for name in criteria]
    named = [
        Column(kind="criteria", title=title, width=max(cell_width(title), 6), criterion=name)
        for title, name in zip(titles, criteria, strict=True)
    ]
    if merged is None or not named or len(chosen) < len(_OPTIONAL):
        return chosen, room
    room += merged.width + gap - sum(column.width + gap for column in named)
    if room < 0:
        return chosen, room + sum(column.width + gap for column in named) - merged.width - gap
    return [column for column in chosen if column is not merged] + named, room
