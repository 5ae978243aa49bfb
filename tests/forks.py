"""Runs `llmeval` in processes forked from one that has imported it: real processes, without 0.4 s of imports each."""

from __future__ import annotations

import atexit
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

__all__ = ["run"]

_SERVER = """\
import atexit, io, json, os, sys, threading

import typer, rich.console, rich.text, yaml, pydantic, asyncio, subprocess, traceback, difflib, inspect
import typer._adapters, typer._coercion, typer.testing
import llmeval.cli, llmeval.cli.direct, llmeval.cli.run, llmeval.cli.running, llmeval.cli.report
import llmeval.runner, llmeval.concurrent, llmeval.render.summary, llmeval.render.trials, llmeval.diff
import llmeval.evaluators.local, llmeval.evaluators.function, llmeval.evaluators.lexical


def become(job):
    os.setsid()
    os.chdir(job["cwd"])
    os.environ.clear()
    os.environ.update(job["env"])
    for number, (path, flags) in enumerate(zip(job["streams"], (os.O_RDONLY, os.O_WRONLY, os.O_WRONLY))):
        file = os.open(path, flags)
        os.dup2(file, number)
        os.close(file)
    sys.stdin = open(0, encoding="utf-8", closefd=False)
    sys.stdout = io.TextIOWrapper(io.FileIO(1, "w", closefd=False), encoding="utf-8", write_through=False)
    sys.stderr = io.TextIOWrapper(io.FileIO(2, "w", closefd=False), encoding="utf-8", line_buffering=True)
    sys.argv = ["llmeval", *job["arguments"]]
    code = 0
    try:
        llmeval.cli.main()
    except SystemExit as leave:
        code = leave.code if isinstance(leave.code, int) else 0 if leave.code is None else 1
    except BaseException:
        traceback.print_exc()
        code = 1
    threading._shutdown()
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            pass
    os._exit(code)


requests, answers = os.fdopen(os.dup(0), "r"), os.fdopen(os.dup(1), "w")
for line in requests:
    child = os.fork()
    if not child:
        requests.close(), answers.close()
        become(json.loads(line))
    print(child, file=answers, flush=True)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), file=answers, flush=True)
"""


class _Server:
    """The process that forks; one a test process."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", _SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        )
        atexit.register(self.close)

    def run(self, job: dict[str, Any], timeout: float) -> int:
        """Returns the exit code of the job; one that takes longer than `timeout` seconds is killed.

        Raises:
            subprocess.TimeoutExpired: it was.
        """
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps(job) + "\n")
        self._process.stdin.flush()
        child = int(self._process.stdout.readline())
        assert child > 1, "a number that killpg would take for this process's own group"
        killer = threading.Timer(timeout, os.killpg, (child, signal.SIGKILL))
        killer.start()
        try:
            code = int(self._process.stdout.readline())
        finally:
            late = killer.finished.is_set()
            killer.cancel()
            killer.join()
        if late:
            raise subprocess.TimeoutExpired(job["arguments"], timeout)
        return code

    def close(self) -> None:
        """Ends it."""
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                stream.close()
        self._process.wait(5)


_server: _Server | None = None
_lock = threading.Lock()
"""One job at a time: a test that runs several at once waits."""


def run(arguments: list[str], cwd: Path, env: dict[str, str], timeout: float) -> subprocess.CompletedProcess[str]:
    """Returns what `llmeval` with `arguments` printed, and its exit code."""
    with _lock:
        return _run(arguments, cwd, env, timeout)


def _run(arguments: list[str], cwd: Path, env: dict[str, str], timeout: float) -> subprocess.CompletedProcess[str]:
    global _server
    if _server is None:
        _server = _Server()
    with tempfile.TemporaryDirectory(prefix="llmeval-") as folder:
        out, error = Path(folder, "out"), Path(folder, "error")
        out.touch()
        error.touch()
        job = {"arguments": arguments, "cwd": str(cwd), "env": env, "streams": [os.devnull, str(out), str(error)]}
        code = _server.run(job, timeout)
        return subprocess.CompletedProcess(
            ["llmeval", *arguments], code, out.read_text(encoding="utf-8"), error.read_text(encoding="utf-8")
        )
