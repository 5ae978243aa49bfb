"""The reports of a session: trials out of all its processes, merged and saved."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from llmeval.archive import Archive
from llmeval.project import project_at
from llmeval.render import figures
from llmeval.report import Report, report_from

__all__ = ["Reports"]


class Merged:
    """What is known of one run: its head, its trials by case and repetition, and its notes."""

    def __init__(self) -> None:
        self.head: dict[str, Any] = {}
        self.root = ""
        self.selected: list[tuple[str, int]] = []
        self.trials: dict[tuple[str, int], str] = {}
        self.notes: dict[str, None] = {}

    def add(self, carried: Mapping[str, Any]) -> None:
        """Takes what a test's report carries; of a trial that ran again, the last."""
        if "head" in carried:
            head = json.loads(carried["head"])
            started = min(head["started_at"], self.head.get("started_at", head["started_at"]))
            self.head = {**head, "started_at": started}
            self.root = carried["root"]
            self.selected = [(case, repetition) for case, repetition in carried["selected"]]
        trial = json.loads(carried["trial"])
        self.trials[trial["case"]["name"], trial["repetition"]] = carried["trial"]
        self.notes.update(dict.fromkeys(carried["notes"]))

    def report(self, interrupted: bool) -> Report:
        """Returns the report."""
        reason = "interrupted" if interrupted else "pytest has no result of it"
        missing = [one for one in self.selected if one not in self.trials]
        return report_from(
            {
                **self.head,
                "finished_at": datetime.now(UTC).isoformat(),
                "trials": [json.loads(self.trials[one]) for one in self.selected if one in self.trials],
                "interrupted": interrupted,
                "not_run": [{"case": case, "repetition": number, "reason": reason} for case, number in missing],
                "notes": list(self.notes),
            }
        )


class Reports:
    """The runs of a session by their ids and evaluations, saved when it ends."""

    def __init__(self) -> None:
        self._runs: dict[str, Merged] = {}
        self._lines: list[str] = []

    def add(self, carried: Mapping[str, Any]) -> None:
        """Takes a trial."""
        self._runs.setdefault(carried["run"], Merged()).add(carried)

    def note(self, run: str, notes: Iterable[str]) -> None:
        """Takes what a process had to say of a run when it ended."""
        if run in self._runs:
            self._runs[run].notes.update(dict.fromkeys(notes))

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, exitstatus: int) -> None:
        """Saves the reports."""
        interrupted = exitstatus == pytest.ExitCode.INTERRUPTED
        for merged in self._runs.values():
            self._lines.append(_saved(merged, merged.report(interrupted)))

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Says how each evaluation went, and where its report is."""
        if terminalreporter.verbosity > -2:
            for line in self._lines:
                terminalreporter.write_line(line)


def _saved(merged: Merged, report: Report) -> str:
    archive = Archive(project_at(Path(merged.root)))
    path = archive.report_path(report.name, report.id)
    said = f"llmeval: {report.name}: {figures.counts(report.summary)}"
    if report.not_run:
        said += f", {len(report.not_run)} not run"
    try:
        archive.prepare()
        report.save(path)
    except OSError as error:
        return f"{said}; the report could not be saved: {error}"
    return f"{said}; report: {os.path.relpath(path)}"
