"""A project in a temporary folder, and `llmeval` run in it as a person would."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from textwrap import dedent
from typing import Any

import forks  # beside this file, which is not a package

__all__ = ["Project", "environment"]

_SECRET = ("KEY", "TOKEN", "SECRET", "PASSWORD", "LLMEVAL", "OPENAI", "ANTHROPIC")


def environment(**changes: str | None) -> dict[str, str]:
    """Returns this process's environment without anything that configures an evaluator, and with `changes`."""
    kept = {name: value for name, value in os.environ.items() if not any(word in name for word in _SECRET)}
    kept |= {"LLMEVAL_EVALUATOR": "local", "COLUMNS": "100"}
    for name, value in changes.items():
        kept.pop(name, None) if value is None else kept.__setitem__(name, value)
    return kept


class Project:
    """A folder with `evals/` in it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        (root / "evals").mkdir(parents=True, exist_ok=True)

    def write(self, name: str, text: str) -> Path:
        """Writes a file below the root; the text is dedented."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text).lstrip("\n"), encoding="utf-8")
        return path

    def run(
        self, *arguments: str, cwd: Path | None = None, input: str | None = None, timeout: float = 60, **env: str | None
    ) -> subprocess.CompletedProcess[str]:
        """Runs `llmeval` with `arguments` and returns what it printed and its exit code.

        It is forked from a process that has imported llmeval, unless something decides that only a new one obeys.
        """
        if input is None and not any(name.startswith(("PYTHON", "LC_", "LANG")) for name in env):
            return forks.run(list(arguments), cwd or self.root, environment(**env), timeout)
        return subprocess.run(
            [sys.executable, "-m", "llmeval", *arguments],
            cwd=cwd or self.root,
            env=environment(**env),
            input=input,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=timeout,
            check=False,
        )

    def start(self, *arguments: str, **env: str | None) -> subprocess.Popen[str]:
        """Starts `llmeval` with `arguments`."""
        return subprocess.Popen(
            [sys.executable, "-m", "llmeval", *arguments],
            cwd=self.root,
            env=environment(**env),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )

    def report(self, name: str, id: str) -> dict[str, Any]:
        """Returns the JSON of a saved report."""
        data: dict[str, Any] = json.loads((self.root / ".llmeval" / name / f"{id}.json").read_text(encoding="utf-8"))
        return data
