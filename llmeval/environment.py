"""Where a run took place: versions, the commit, and digests of the source that decides its outcome."""

from __future__ import annotations

import platform
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from llmeval import __version__
from llmeval.project import Project

__all__ = ["CHECKED", "Probe", "environment_of", "source_digest"]

CHECKED: Final = ("source", "commit", "tree")
"""The parts of an environment that must be the same for a run to be resumed."""

_OWN: Final = re.compile(rb"^\? (.*/)?(\.llmeval/|__pycache__/)|^\? .*\.pyc$")

LARGEST: Final = 1_000_000
"""Bytes of an untracked file that count for the digest of the working tree; of a larger one, its size does."""


class Probe:
    """Finds out the environment in a thread of its own, since git takes a while; `known` waits for it."""

    def __init__(self, project: Project, file: Path | None, *, resumable: bool) -> None:
        self._work = (project, file, resumable)
        self._found: dict[str, Any] | OSError = {}
        self._thread = threading.Thread(target=self._look, name="llmeval-environment", daemon=True)
        self._thread.start()

    def known(self) -> dict[str, Any]:
        """Returns what `environment_of` does.

        Raises:
            OSError: a source file cannot be read.
        """
        self._thread.join()
        if isinstance(self._found, OSError):
            raise self._found
        return self._found

    def _look(self) -> None:
        project, file, resumable = self._work
        try:
            self._found = environment_of(project, file, resumable=resumable)
        except OSError as error:
            self._found = error


def environment_of(project: Project, file: Path | None, *, resumable: bool = False) -> dict[str, Any]:
    """Returns the environment as JSON.

    `source` is a digest of the Python files below the evals folders; `commit` and `dirty` are of the git work tree,
    `None` without one. Of a `resumable` run, `tree` is a digest of what differs from the commit, `None` when nothing
    does.
    """
    commit, changes = _status(project.root)
    return {
        "llmeval": __version__,
        "python": platform.python_version(),
        "platform": sys.platform,
        "source": source_digest(project, file),
        "commit": commit,
        "dirty": None if commit is None else bool(changes),
        "tree": _tree(project.root, changes) if resumable and commit and changes else None,
    }


def source_digest(project: Project, file: Path | None) -> str:
    """Returns the SHA-256 over the evaluation's file and every Python file below the evals folders."""
    found = {path for folder in project.folders for path in _python_files(folder)}
    if file is not None:
        found.add(file)
    whole = sha256()
    for path in sorted(found):
        whole.update(f"{project.shown(path)}\0".encode())
        whole.update(path.read_bytes())
        whole.update(b"\0")
    return whole.hexdigest()


def _python_files(folder: Path) -> Iterator[Path]:
    if folder.is_file():
        yield folder
        return
    for path in folder.rglob("*.py"):
        if not any(part.startswith(".") or part == "__pycache__" for part in path.relative_to(folder).parts):
            yield path


def _status(root: Path) -> tuple[str | None, list[bytes]]:
    """Returns the commit, if there is one, and the entries of what differs from it; what llmeval writes is left out."""
    printed = _git(root, "status", "--porcelain=v2", "--branch", "--untracked-files=all", "-z")
    if printed is None:
        return None, []
    entries = [entry for entry in printed.split(b"\0") if entry]
    commit = next((entry[13:].decode() for entry in entries if entry.startswith(b"# branch.oid ")), "(initial)")
    changes = [entry for entry in entries if not entry.startswith(b"# ") and not _OWN.search(entry)]
    return (None if commit == "(initial)" else commit), changes


def _tree(root: Path, changes: list[bytes]) -> str:
    """Returns a digest of what differs from the commit: tracked changes, and untracked files with their text."""
    whole = sha256(_git(root, "diff", "HEAD", "--no-ext-diff", "--binary") or b"")
    top = Path((_git(root, "rev-parse", "--show-toplevel") or b".").decode().strip())
    for entry in sorted(change for change in changes if change.startswith(b"? ")):
        path = top / entry[2:].decode(errors="surrogateescape")
        if path.is_file():
            size = path.stat().st_size
            whole.update(entry + b"\0" + (path.read_bytes() if size <= LARGEST else str(size).encode()))
    return whole.hexdigest()


def _git(root: Path, *arguments: str) -> bytes | None:
    """Returns what git prints, or `None` where there is no git, no repository or no commit."""
    command = ["git", "--no-optional-locks", "-C", str(root), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None
