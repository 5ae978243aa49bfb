"""The journal: a line for each finished trial, written before it is announced, so that nothing finished is lost."""

from __future__ import annotations

import json
import os
from array import array
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, overload

from llmeval.errors import ReportFileError, ResumeError
from llmeval.jsonable import dumps
from llmeval.report import report_from
from llmeval.trials import Trial

__all__ = ["Journal", "JournalTrials", "Journaled", "discard_empty", "read_journal", "restore_journal"]

VERSION: Final = 1

HEAD: Final = ("id", "name", "started_at", "params", "options", "definitions", "environment", "notes")
"""The fields of a report that are known when its run starts; a journal begins with them."""


class Journal:
    """An open journal; `append` returns when the line is with the operating system.

    Raises:
        ResumeError: another process writes to it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o644)
        self._lock()
        self._end = _whole_lines(path)
        os.ftruncate(self._file, self._end)
        os.lseek(self._file, self._end, os.SEEK_SET)

    def begin(self, head: Mapping[str, Any]) -> None:
        """Writes what the trials that follow have in common."""
        self.append(dumps({"journal": VERSION, **head}))

    def append(self, line: str) -> tuple[int, int]:
        """Writes one line and returns where it begins and how many bytes it has."""
        data = line.encode() + b"\n"
        start, self._end = self._end, self._end + len(data)
        view = memoryview(data)
        while view:
            view = view[os.write(self._file, view) :]
        return start, len(data) - 1

    def close(self) -> None:
        """Closes the file; again, it does nothing."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def _lock(self) -> None:
        try:
            import fcntl
        except ImportError:  # Windows: two runs with one id are kept apart by the check for existing files alone
            return
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self._file)
            raise ResumeError(f"{self.path} is in use: is another run of this id under way?") from None


class Journaled:
    """What a journal holds: its heads, and where the last line of each trial stands."""

    def __init__(
        self, path: Path, heads: list[dict[str, Any]], places: dict[tuple[str, int], tuple[int, int, str]]
    ) -> None:
        self.path = path
        self.heads = heads
        self.places = places

    @property
    def head(self) -> dict[str, Any]:
        """The fields that the run began with."""
        return self.heads[0]

    def trials(self) -> Iterator[Trial]:
        """Yields the trials, in the order in which they finished."""
        with self.path.open("rb") as file:
            for start, length, _ in self.places.values():
                file.seek(start)
                yield Trial.from_dict(json.loads(file.read(length)))


class JournalTrials(Sequence[Trial]):
    """A run's trials in order, read from its journal when they are asked for: memory holds their places only."""

    def __init__(self, path: Path, total: int) -> None:
        self._path = path
        self._starts = array("q", bytes(8 * total))
        self._lengths = array("q", bytes(8 * total))
        self._order: list[int] | None = None

    def put(self, index: int, place: tuple[int, int]) -> None:
        """Keeps where trial `index` stands."""
        self._starts[index], self._lengths[index] = place
        self._order = None

    def lines(self) -> Iterator[str]:
        """Yields the trials' lines as they stand in the journal."""
        with self._path.open("rb") as file:
            for index in self._indices():
                yield self._line(file, index).decode()

    def __len__(self) -> int:
        return len(self._indices())

    @overload
    def __getitem__(self, place: int) -> Trial: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[Trial]: ...

    def __getitem__(self, place: int | slice) -> Trial | Sequence[Trial]:
        indices = self._indices()
        with self._path.open("rb") as file:
            if isinstance(place, slice):
                return [self._trial(file, index) for index in indices[place]]
            return self._trial(file, indices[place])

    def __iter__(self) -> Iterator[Trial]:
        with self._path.open("rb") as file:
            for index in self._indices():
                yield self._trial(file, index)

    def _indices(self) -> list[int]:
        if self._order is None:
            self._order = [index for index, length in enumerate(self._lengths) if length]
        return self._order

    def _line(self, file: Any, index: int) -> bytes:
        file.seek(self._starts[index])
        line: bytes = file.read(self._lengths[index])
        return line

    def _trial(self, file: Any, index: int) -> Trial:
        return Trial.from_dict(json.loads(self._line(file, index)))


def read_journal(path: Path) -> Journaled:
    """Returns what the journal at `path` holds; a torn last line is ignored.

    Raises:
        ResumeError: it is not a journal, or a line in the middle of it cannot be read.
    """
    heads: list[dict[str, Any]] = []
    places: dict[tuple[str, int], tuple[int, int, str]] = {}
    start = 0
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if not line.endswith(b"\n"):
                break
            try:
                data = json.loads(line)
                if "journal" in data:
                    heads.append(data)
                else:
                    key = (data["case"]["name"], data["repetition"])
                    places.pop(key, None)
                    places[key] = (start, len(line) - 1, data["fingerprint"])
            except (ValueError, KeyError, TypeError) as error:
                raise ResumeError(f"{path}, line {number} is not a journal's line: {error}") from None
            start += len(line)
    if not heads:
        raise ResumeError(f"{path} has no whole line: the run ended before its first trial; start it again")
    if heads[0].get("journal") != VERSION:
        raise ResumeError(f"{path} was written by another version of llmeval, which can resume it")
    return Journaled(path, heads, places)


def discard_empty(path: Path) -> None:
    """Removes a journal without a whole line, which a run left that was killed before it began.

    Raises:
        ResumeError: another process writes to it.
    """
    if path.exists() and not _whole_lines(path):
        Journal(path).close()
        path.unlink(missing_ok=True)


def restore_journal(report: Path, path: Path) -> None:
    """Writes a journal from a saved report, so that its run can go on.

    Raises:
        ReportFileError: the file is not a report.
    """
    from llmeval.report import read_report

    data = read_report(report)
    report_from(data, report)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("w", encoding="utf-8", newline="\n") as file:
            file.write(dumps({"journal": VERSION, **{key: data[key] for key in HEAD}}) + "\n")
            file.writelines(dumps(trial) + "\n" for trial in data["trials"])
        temporary.replace(path)
    except KeyError as error:
        raise ReportFileError(f"{report} lacks {error}") from None
    finally:
        temporary.unlink(missing_ok=True)


def _whole_lines(path: Path) -> int:
    """Returns the size of the file without a torn last line."""
    size = path.stat().st_size
    with path.open("rb") as file:
        while size:
            start = max(0, size - 65536)
            file.seek(start)
            found = file.read(size - start).rfind(b"\n")
            if found >= 0:
                return start + found + 1
            size = start
    return 0
