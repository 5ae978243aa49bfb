"""What the application prints while a live table is on the screen, wherever it prints it from."""

from __future__ import annotations

import contextlib
import os
import re
import sys
from tempfile import TemporaryFile
from typing import IO, Final

from llmeval.render.text import clean

__all__ = ["Capture", "Printed"]

_SEQUENCES: Final = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?|[ -/]*[0-~])")
_COLORS: Final = re.compile(r"(\x1b\[[0-9;:]*m)")


class Capture:
    """Redirects file descriptors into a file that `read` follows, until `stop`.

    Descriptors, because loggers hold on to old streams, and subprocesses and extension modules write to descriptors;
    a file and not a pipe, because a writer that holds the interpreter's lock would wait forever for a pipe's reader.
    """

    def __init__(self, descriptors: tuple[int, ...]) -> None:
        self._descriptors = descriptors
        self._saved: dict[int, int] = {}
        self._file: IO[bytes] | None = None
        self._offset = 0

    def start(self) -> None:
        """Begins to collect what is written."""
        _flush()
        self._file = TemporaryFile(prefix="llmeval-")  # noqa: SIM115 - closed by stop()
        for descriptor in self._descriptors:
            self._saved[descriptor] = os.dup(descriptor)
            os.dup2(self._file.fileno(), descriptor)

    def read(self) -> bytes:
        """Returns what was written since the last call."""
        if self._file is None:
            return b""
        data = os.pread(self._file.fileno(), 1 << 20, self._offset)
        self._offset += len(data)
        return data

    def read_all(self) -> bytes:
        """Returns what was printed up to now, what streams still hold included."""
        _flush()
        return b"".join(iter(self.read, b""))

    def stop(self) -> bytes:
        """Gives the descriptors back and returns what had not been read."""
        if self._file is None:
            return b""
        _flush()
        for descriptor, saved in self._saved.items():
            os.dup2(saved, descriptor)
            os.close(saved)
        self._saved.clear()
        rest = b"".join(iter(self.read, b""))
        self._file.close()
        self._file = None
        return rest


class Printed:
    """Printed bytes as lines that can stand above a live table: text and colours, without cursor movement.

    `rest` is the line that has no end yet, as a terminal would show it.
    """

    def __init__(self) -> None:
        from codecs import getincrementaldecoder

        self._decoder = getincrementaldecoder("utf-8")("replace")
        self._rest = ""

    @property
    def rest(self) -> str:
        """The line without an end, as plain text."""
        return _COLORS.sub("", _shown(self._rest))

    def lines(self, data: bytes) -> str:
        """Returns the whole lines that `data` completes."""
        text = self._rest + self._decoder.decode(data)
        whole, feed, self._rest = text.rpartition("\n")
        self._rest = self._rest[self._rest[:-1].rfind("\r") + 1 :]  # what a progress bar wrote before is overwritten
        return "".join(f"{_shown(line)}\n" for line in whole.split("\n")) if feed else ""

    def end(self) -> str:
        """Returns the line without an end as a whole one."""
        rest, self._rest = _shown(self._rest), ""
        return f"{rest}\n" if rest else ""


def _shown(line: str) -> str:
    """Returns what a terminal shows of `line`: what follows its last carriage return, colours closed."""
    line = line.rstrip("\r").rpartition("\r")[2]
    if line.isprintable():
        return line
    kept = _SEQUENCES.sub(lambda found: found[0] if _COLORS.fullmatch(found[0]) else "", line)
    parts = _COLORS.split(kept.replace("\x07", "").expandtabs(8))
    text = "".join(part if index % 2 else clean(part) for index, part in enumerate(parts))
    return f"{text}\x1b[0m" if len(parts) > 1 else text


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):  # closed, absent, or no stream at all
            stream.flush()
