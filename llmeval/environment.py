"""Where a run took place: versions, the commit, and digests of the source that decides its outcome."""

from __future__ import annotations

import platform
import subprocess
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from llmeval import __version__
from llmeval.project import Project

__all__ = ["CHECKED", "environment_of", "source_digest"]

CHECKED: Final = ("source", "commit", "tree")
"""The parts of an environment that must be the same for a run to be resumed."""

LARGEST: Final = 1_000_000
"""Bytes of an untracked file that count for the digest of the working tree; of a larger one, its size does."""


def environment_of(project: Project, file: Path | None, ignored: Path | None = None) -> dict[str, Any]:
    """Returns the environment as JSON; `ignored` is a file that the run itself writes.

    `source` is a digest of the Python files below the evals folders, `commit` and `tree` of the git work tree (`tree`
    is `None` when nothing differs from the commit); they are `None` without git.
    """
    commit = _git(project.root, "rev-parse", "HEAD")
    tree = None if commit is None else _tree(project.root, ignored)
    return {
        "llmeval": __version__,
        "python": platform.python_version(),
        "platform": sys.platform,
        "source": source_digest(project, file),
        "commit": commit and commit.decode().strip(),
        "dirty": None if commit is None else tree is not None,
        "tree": tree,
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


def _tree(root: Path, ignored: Path | None) -> str | None:
    """Returns a digest of what differs from the commit, or `None` when nothing does."""
    changes = _git(root, "diff", "HEAD", "--no-ext-diff", "--binary") or b""
    whole = sha256(changes)
    dirty = bool(changes)
    top = Path((_git(root, "rev-parse", "--show-toplevel") or b".").decode().strip())
    listed = _git(root, "ls-files", "--others", "--exclude-standard", "--full-name", "-z", ":/") or b""
    for name in sorted(filter(None, listed.split(b"\0"))):
        path = top / name.decode(errors="surrogateescape")
        if path == ignored or path.suffix == ".pyc" or ".llmeval" in path.parts or not path.is_file():
            continue
        dirty = True
        size = path.stat().st_size
        whole.update(name + b"\0" + (path.read_bytes() if size <= LARGEST else str(size).encode()))
    return whole.hexdigest() if dirty else None


def _git(root: Path, *arguments: str) -> bytes | None:
    """Returns what git prints, or `None` where there is no git, no repository or no commit."""
    try:
        done = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None
