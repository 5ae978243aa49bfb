"""The pages of the documentation, run as a reader would: files are written, scripts and commands run, outputs compared.

A block's language says what becomes of it, and a comment above its fence more:

- `<!-- file: PATH -->` writes the block to that file of the page's project.
- `console` runs each line that begins with `$ ` and compares what it prints with what follows; a line `…` stands for
  any lines. `sh` runs the block; it succeeds, or ends with N under `<!-- exit: N -->`. `python` runs it as a script.
- `<!-- project: evals -->` goes on in a project with this repository's evals, `empty` in an empty one.
- `<!-- command: NAME -->` is for whoever sets the project up and is not run here.

`python tests/docs_pages.py PAGE...` writes what commands print today into those pages, and `docs/cli.md` anew.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parent))

from projects import environment

__all__ = ["ROOT", "Block", "Page", "blocks", "matrices", "normal", "same"]

ROOT = Path(__file__).parents[1]
HOME = "/home/me/shop"
"""What the pages call a project's folder where a message names it in full."""

_BLOCK = re.compile(
    r"^(?:<!-- (?P<note>[^\n]*?) -->\n)?```(?P<language>\w*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL
)
_MATRICES = re.compile(r"(?<=<!-- matrices -->\n).*(?=<!-- /matrices -->)", re.DOTALL)
_VARYING = (
    (re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"), "ID"),
    (re.compile(r"^duration .*", re.MULTILINE), "duration"),
    (re.compile(r"\b\d+\.\d+ ?s\b"), "TIME"),
    (re.compile(r"\b\d{4}-\d\d-\d\d \d\d:\d\d( UTC)?"), "DATE"),
    (re.compile(r"[ \t]+"), " "),
)


@dataclass(frozen=True, kw_only=True)
class Block:
    """A fenced block of a page, and where its text stands."""

    language: str
    note: str
    text: str
    span: tuple[int, int]

    def named(self, kind: str) -> str | None:
        """Returns what the comment above says of `kind`."""
        key, _, value = self.note.partition(": ")
        return value if key == kind else None


def blocks(text: str) -> list[Block]:
    """Returns the blocks of a page, in order."""
    return [
        Block(language=found["language"], note=found["note"] or "", text=found["text"], span=found.span("text"))
        for found in _BLOCK.finditer(text)
    ]


def normal(text: str) -> str:
    """Returns printed text without what differs from run to run: ids, times, dates, the widths of columns."""
    for pattern, word in _VARYING:
        text = pattern.sub(word, text)
    return "\n".join(line.rstrip() for line in text.strip().splitlines())


def same(shown: str, printed: str) -> bool:
    """Returns whether a page shows what was printed; a line `…` stands for any lines."""
    pattern = (
        re.escape(normal(shown)).replace(re.escape("\n…\n"), r"\n(?:.*\n)*?").replace(re.escape("\n…"), r"(?:\n.*)*")
    )
    return re.fullmatch(pattern, normal(printed)) is not None


class Page:
    """A page and the temporary project that its blocks are run in."""

    def __init__(self, path: Path, folder: Path) -> None:
        self.path = path
        self.text = path.read_text(encoding="utf-8")
        self.problems: list[str] = []
        self._folder = folder
        self._count = 0
        self._bin = folder / "bin"
        self._bin.mkdir()
        command = self._bin / "llmeval"
        command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m llmeval "$@"\n', encoding="utf-8")
        command.chmod(0o755)
        self.use("empty")

    def run(self) -> str:
        """Runs every block and returns the page with today's outputs in it; `problems` says what does not hold."""
        parts, end = [], 0
        for block in blocks(self.text):
            for match in re.finditer(r"^<!-- project: (\w+) -->$", self.text[end : block.span[0]], re.MULTILINE):
                self.use(match[1])
            parts += [self.text[end : block.span[0]], self._run(block)]
            end = block.span[1]
        return "".join((*parts, self.text[end:]))

    def use(self, kind: str) -> None:
        """Goes on in a new project."""
        self._count += 1
        self.project = self._folder / f"project{self._count}"
        self.project.mkdir()
        if kind == "evals":
            shutil.copytree(ROOT / "evals", self.project / "evals", ignore=shutil.ignore_patterns("__pycache__"))
            (self.project / "pyproject.toml").write_text('[tool.llmeval]\nevaluator = "local"\n', encoding="utf-8")

    def _run(self, block: Block) -> str:
        if block.named("command"):
            return block.text
        if name := block.named("file"):
            path = self.project / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text, encoding="utf-8")
        elif block.language == "console":
            return "".join(self._command(*one) for one in _commands(block.text))
        elif block.language == "sh":
            self._expect(["bash", "-euo", "pipefail", "-c", block.text], int(block.named("exit") or 0), block.text)
        elif block.language == "python":
            script = self.project / f"script_{block.span[0]}.py"
            script.write_text(block.text, encoding="utf-8")
            self._expect([sys.executable, str(script)], 0, block.text)
            script.unlink()
        return block.text

    def _command(self, command: str, shown: str) -> str:
        printed = self.call(["bash", "-c", command]).stdout.replace(str(self.project), HOME)
        printed = "\n".join(line.rstrip() for line in printed.splitlines()) + ("\n" if printed.strip() else "")
        if same(shown, printed):
            return f"$ {command}\n{shown}"
        self.problems.append(f"$ {command}\nshows\n{shown}\nbut prints\n{printed}")
        return f"$ {command}\n{printed}"

    def _expect(self, command: list[str], code: int, text: str) -> None:
        done = self.call(command)
        if done.returncode != code:
            self.problems.append(f"{text}\nends with {done.returncode} and prints\n{done.stdout}")

    def call(self, command: list[str]) -> subprocess.CompletedProcess[str]:
        """Runs a command in the project; what it prints is in `stdout`."""
        path = os.pathsep.join([str(self._bin), str(Path(sys.executable).parent), os.environ.get("PATH", "")])
        changes = {"PATH": path, "COLUMNS": "90", "PYTHONPATH": str(ROOT), "GIT_CEILING_DIRECTORIES": str(self._folder)}
        return subprocess.run(
            command,
            cwd=self.project,
            env=environment(**changes, LLMEVAL_EVALUATOR=None, GITHUB_STEP_SUMMARY=None),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            timeout=60,
            check=False,
        )


def _commands(text: str) -> Iterator[tuple[str, str]]:
    """Yields each command of a console block and what it prints."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, shown = part.partition("\n")
        yield command, shown


def matrices() -> str:
    """Returns the confusion matrices of the local evaluator, as its benchmark prints them."""
    command = [sys.executable, str(ROOT / "benchmarks" / "local_evaluator.py")]
    done = subprocess.run(command, env=environment(PYTHONPATH=str(ROOT)), capture_output=True, text=True, check=True)
    return done.stdout.strip()


def main(names: list[str]) -> None:
    """Writes what commands print today into pages."""
    from generate_cli import reference  # in docs/, which is no package

    (ROOT / "docs" / "cli.md").write_text(reference(), encoding="utf-8")
    for path in map(Path, names):
        with TemporaryDirectory() as folder:
            page = Page(path, Path(folder))
            path.write_text(_MATRICES.sub(lambda _: f"{matrices()}\n", page.run()), encoding="utf-8")
            print(path, *page.problems, sep="\n", file=sys.stderr)  # noqa: T201 - a script's own words


if __name__ == "__main__":
    sys.path[:0] = [str(ROOT), str(ROOT / "docs")]
    main(sys.argv[1:])
