"""While a run lasts, the SDKs, threads and OpenTelemetry report to recorders; afterwards all is as it was."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from llmeval.capture import sdks, spans, threads
from llmeval.capture.patches import Patches
from llmeval.capture.recorder import before_start, take_strays
from llmeval.usage import Usage

__all__ = ["Capture", "capturing"]


class Capture:
    """What a run captures."""

    def strays(self) -> Usage:
        """Returns, once, the requests that belong to no trial: made between trials, or by threads of no known trial."""
        return take_strays()


@contextmanager
def capturing() -> Iterator[Capture]:
    """Lets recorders see requests; runs may overlap."""
    _enter()
    try:
        yield Capture()
    finally:
        _leave()


def _enter() -> None:
    global _runs
    with _lock:
        _runs += 1
        if _runs == 1:
            sdks.watch(_patches)
            threads.watch(_patches)
            before_start.extend((_patches.catch_up, spans.listen))


def _leave() -> None:
    global _runs
    with _lock:
        _runs -= 1
        if _runs == 0:
            before_start.clear()
            _patches.undo()
            spans.stop_listening()


_lock = threading.Lock()
_patches = Patches()
_runs = 0
