"""Threads that the application starts: Python gives a new thread an empty context, so the recorder is carried there.

Only the recorder is carried: the application's own context variables stay as they would be without llmeval.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import wraps
from types import ModuleType
from typing import Any

from llmeval.capture.patches import Patches
from llmeval.capture.recorder import Recorder, carried, carry

__all__ = ["watch"]


def watch(patches: Patches) -> None:
    """Carries the recorder into threads and into what executors run, `run_in_executor` too."""
    patches.replace(threading.Thread, "start", _start)
    patches.when_imported("concurrent.futures.thread", lambda module: _patch(patches, module))


def _patch(patches: Patches, module: ModuleType) -> bool:
    if not hasattr(module, "ThreadPoolExecutor"):
        return False
    patches.replace(module.ThreadPoolExecutor, "submit", _submit)
    return True


def _start(original: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(original)
    def start(self: threading.Thread, *args: Any, **how: Any) -> Any:
        recorder = carried()
        if recorder is not None:
            _carry_into(self, recorder)
        return original(self, *args, **how)

    return start


def _carry_into(thread: threading.Thread, recorder: Recorder) -> None:
    run = thread.run
    own = thread.__dict__.get("run")

    def carrying() -> None:
        # Gone before it runs, so that the thread does not keep itself alive.
        if own is None:
            del thread.run  # the instance's attribute, not the class's method
        else:
            thread.run = own  # type: ignore[method-assign]
        carry(recorder)
        run()

    thread.run = carrying  # type: ignore[method-assign]


def _submit(original: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(original)
    def submit(self: Any, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        recorder = carried()
        if recorder is None:
            return original(self, fn, *args, **kwargs)
        carry(None)  # a worker that is started for this outlives the trial
        try:
            return original(self, _run, recorder, fn, args, kwargs)
        finally:
            carry(recorder)

    return submit


def _run(recorder: Recorder, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    previous = carry(recorder)
    try:
        return fn(*args, **kwargs)
    finally:
        carry(previous)
