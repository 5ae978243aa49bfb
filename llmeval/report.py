"""The report that a run's trials make: what it says, how it is saved, and how it is loaded again."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from llmeval.errors import ReportFileError
from llmeval.jsonable import dumps, thaw
from llmeval.results import Status
from llmeval.summary import Summary
from llmeval.trials import NotRun, Trial
from llmeval.usage import Tokens

if TYPE_CHECKING:
    from llmeval.noise import Noise

__all__ = ["SCHEMA_VERSION", "NotRun", "Report", "Trial", "load_report", "read_report", "report_from"]

SCHEMA_VERSION: Final = 1


@dataclass(frozen=True, kw_only=True)
class Report:
    """The trials of one run of one evaluation, in dataset and repetition order.

    `definitions` is JSON: the `criteria` and `evaluators` with their fingerprints, the `dataset`, and a digest of the
    hooks' source. `environment` holds versions, the git commit and whether the tree was dirty. `options` are those of
    the run, `notes` what it had to say. `not_run` lists what was scheduled and never ran.
    """

    id: str
    name: str
    started_at: datetime
    finished_at: datetime
    definitions: Mapping[str, Any] = field(default_factory=dict)
    trials: Sequence[Trial] = ()
    interrupted: bool = False
    not_run: tuple[NotRun, ...] = ()
    params: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    environment: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[Trial]:
        return iter(self.trials)

    def __len__(self) -> int:
        return len(self.trials)

    def __repr__(self) -> str:
        return f"<Report {self.name!r} {self.id}: {self.summary.passed} of {self.summary.ran} passed>"

    def _repr_html_(self) -> str:
        """Returns what a notebook shows."""
        from llmeval.render.notebook import report_html  # a renderer, which stands above values

        return report_html(self)

    @cached_property
    def summary(self) -> Summary:
        """What the trials add up to."""
        summary = Summary.of(self.trials)
        summary.order(self._criteria())
        return summary

    def _criteria(self) -> list[str]:
        """Returns the criteria's names in the order of their declarations."""
        return [
            one["name"] for one in self.definitions.get("criteria", ()) if isinstance(one, Mapping) and "name" in one
        ]

    @property
    def counts(self) -> dict[str, int]:
        """Trials by status, best first; every status is there."""
        return {status.value: self.summary.counts[status] for status in Status}

    @property
    def pass_rate(self) -> float | None:
        """Passed ÷ trials that ran; `None` when none ran."""
        return self.summary.pass_rate

    @property
    def passed(self) -> bool:
        """Whether at least one trial ran, all passed, and nothing was left out."""
        return 0 < self.summary.ran == self.summary.passed and not self.not_run and not self.interrupted

    @property
    def tokens(self) -> Tokens | None:
        """Tokens of the application and the evaluators; `None` when no request was seen."""
        return self.summary.usage.tokens

    @property
    def cost(self) -> float | None:
        """US dollars; `None` when no request was seen or a price is unknown."""
        return self.summary.usage.cost

    @property
    def noise(self) -> dict[str, Noise]:
        """How often each criterion's evaluator contradicted itself; empty unless it was asked repeatedly."""
        return {name: meter.noise() for name, meter in self.summary.noise.items()}

    @property
    def duration(self) -> float:
        """Seconds from start to finish."""
        return (self.finished_at - self.started_at).total_seconds()

    def to_dict(self) -> dict[str, Any]:
        """Returns plain JSON with a `schema_version`; it validates against `llmeval schema report`."""
        return {**self._head(), "trials": [trial.to_dict() for trial in self.trials]}

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes the report, one line a trial, and returns the path.

        The file is written beside its place and then moved there, so that no reader ever sees a half-written one.
        """
        target = Path(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
        try:
            with temporary.open("w", encoding="utf-8", newline="\n") as file:
                file.writelines(self._text())
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(target)
        finally:
            temporary.unlink(missing_ok=True)
        return target

    def _head(self) -> dict[str, Any]:
        summary = self.summary
        usage = summary.usage
        noise = {name: one.to_dict() for name, one in self.noise.items()}
        return {
            "schema_version": SCHEMA_VERSION,
            "id": self.id,
            "name": self.name,
            "started_at": self.started_at.isoformat(),
            "finished_at": self.finished_at.isoformat(),
            "interrupted": self.interrupted,
            "passed": self.passed,
            "pass_rate": self.pass_rate,
            "counts": self.counts,
            "not_run": [{"case": case, "repetition": number, "reason": why} for case, number, why in self.not_run],
            "params": thaw(self.params),
            "options": thaw(self.options),
            "definitions": thaw(self.definitions),
            "environment": thaw(self.environment),
            "notes": list(self.notes),
            "tokens": usage.tokens and usage.tokens.to_dict(),
            "cost": usage.cost,
            "task_usage": summary.task_usage.to_dict(),
            "evaluator_usage": summary.evaluator_usage.to_dict(),
            "masked": summary.masked,
            **({"noise": noise} if noise else {}),
        }

    def _text(self) -> Iterator[str]:
        yield from ("{", *(f"{dumps(key)}: {dumps(value)},\n" for key, value in self._head().items()), '"trials": [')
        separator = "\n"
        for line in _lines(self.trials):
            yield separator + line
            separator = ",\n"
        yield "\n]}\n"


def _lines(trials: Sequence[Trial]) -> Iterable[str]:
    """The trials' JSON lines: as they stand in the journal where that is what the trials are read from."""
    lines = getattr(trials, "lines", None)
    return lines() if lines is not None else (trial.to_line() for trial in trials)


def load_report(path: str | os.PathLike[str]) -> Report:
    """Returns the report in the file at `path`.

    Raises:
        ReportFileError: there is no such file, or it is not a report that this version reads.
    """
    return report_from(read_report(path), path)


def read_report(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Returns the JSON of the report file at `path`, known to be a report's by its version and fields.

    Raises:
        ReportFileError: as `load_report`.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise ReportFileError(f"{path}: there is no such report") from None
    except IsADirectoryError:
        raise ReportFileError(f"{path} is a folder: name a report's JSON file") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ReportFileError(f"{path} cannot be read: {error}") from None
    if not text.strip():
        raise ReportFileError(f"{path} is empty: it is not a report")
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ReportFileError(f"{path} is not JSON ({error}): is the file whole?") from None
    if not isinstance(data, dict) or "schema_version" not in data:
        raise ReportFileError(f"{path} is not a report of llmeval: it holds {_kind(data)} without a schema_version")
    if data["schema_version"] != SCHEMA_VERSION:
        raise ReportFileError(
            f"{path} has schema_version {data['schema_version']!r}, and this llmeval reads {SCHEMA_VERSION}: "
            "use the version that wrote it"
        )
    return data


def report_from(data: Mapping[str, Any], path: object = "report") -> Report:
    """Returns the report that `to_dict` wrote.

    Raises:
        ReportFileError: a field is missing or of another kind.
    """
    try:
        return Report(
            id=data["id"],
            name=data["name"],
            started_at=datetime.fromisoformat(data["started_at"]),
            finished_at=datetime.fromisoformat(data["finished_at"]),
            definitions=data["definitions"],
            trials=tuple(Trial.from_dict(trial) for trial in data["trials"]),
            interrupted=data["interrupted"],
            not_run=tuple(NotRun(one["case"], one["repetition"], one["reason"]) for one in data["not_run"]),
            params=data["params"],
            options=data["options"],
            environment=data["environment"],
            notes=tuple(data["notes"]),
        )
    except KeyError as error:
        raise ReportFileError(f"{path} is not a report of llmeval: the field {error} is missing") from None
    except (TypeError, ValueError, AttributeError) as error:
        raise ReportFileError(f"{path} is not a report of llmeval: {error}") from None


def _kind(data: object) -> str:
    return {dict: "an object", list: "a list", str: "a text", type(None): "null"}.get(type(data), "a number")
