"""Where a project's reports and journals are, and how they are named on the command line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from llmeval.errors import ReportFileError
from llmeval.project import Project

__all__ = ["Archive", "encoded", "read_head"]

LONGEST: Final = 120
"""Characters of an encoded file name that are kept; a digest makes up for the rest."""

_RESERVED: Final = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\..*)?$")


class Archive:
    """The folder `.llmeval` of a project: `<name>/<id>.json` for reports, `<name>/<id>.jsonl` for journals."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self.folder = project.store

    def report_path(self, name: str, id: str) -> Path:
        """Returns where the report of a run belongs."""
        return self._folder(name) / f"{encoded(id)}.json"

    def journal_path(self, name: str, id: str) -> Path:
        """Returns where the journal of a run belongs."""
        return self._folder(name) / f"{encoded(id)}.jsonl"

    def prepare(self) -> None:
        """Makes the folder, which ignores itself in git."""
        self.folder.mkdir(parents=True, exist_ok=True)
        ignore = self.folder / ".gitignore"
        if not ignore.exists():
            ignore.write_text("*\n", encoding="utf-8")

    def find(self, reference: str) -> Path:
        """Returns the report file that a path, `NAME`, `NAME@ID`, `NAME@latest` or `NAME@previous` means.

        An id may be a unique prefix; `latest` is the last complete run, `previous` the complete one before it.

        Raises:
            ReportFileError: there is no such report.
        """
        path = Path(reference)
        if path.suffix == ".json" or path.exists():
            return path
        name, _, id = reference.partition("@")
        if id in ("", "latest", "previous"):
            return self._recent(name, id or "latest")
        return self._one(name, id, ".json", "report")

    def find_run(self, id: str, names: list[str]) -> tuple[str, str]:
        """Returns the name and the whole id of the run whose id begins with `id`, among the evaluations `names`, or all.

        Raises:
            ReportFileError: there is none, or more than one.
        """
        found = {(name, full) for name, full in self._ids() if full.startswith(id) and (not names or name in names)}
        exact = {one for one in found if one[1] == id}
        found = exact or found
        if len(found) != 1:
            listed = ", ".join(sorted(f"{name}@{full}" for name, full in found))
            raise ReportFileError(
                f"{id!r} begins the id of several runs: {listed}" if found else f"there is no run {id!r} to resume"
            )
        return found.pop()

    def heads(self, name: str | None = None) -> list[tuple[Path, dict[str, Any]]]:
        """Returns the reports of one evaluation, or of all, with what they say before their trials; oldest first."""
        folder = self.folder if name is None else self._folder(name)
        found = [(path, head) for path in folder.rglob("*.json") if (head := _try_head(path)) is not None]
        if name is not None:
            found = [(path, head) for path, head in found if head.get("name") == name]
        return sorted(found, key=lambda one: str(one[1].get("started_at", "")))

    def recent(self, last: int, name: str | None = None) -> list[Path]:
        """Returns the `last` reports of one evaluation, or of each; oldest first."""
        by_name: dict[str, list[Path]] = {}
        for path, head in self.heads(name):
            by_name.setdefault(str(head["name"]), []).append(path)
        return [path for name in sorted(by_name) for path in by_name[name][-last:]]

    def _recent(self, name: str, which: str) -> Path:
        complete = [path for path, head in self.heads(name) if not head.get("interrupted") and not head.get("not_run")]
        place = {"latest": 1, "previous": 2}[which]
        if len(complete) < place:
            known = sorted({str(head["name"]) for _, head in self.heads()})
            raise ReportFileError(
                f"{name}@{which}: {len(complete)} complete reports of {name!r} are in {self.folder}"
                + (f"; there are reports of {', '.join(known)}" if known and not complete else "")
            )
        return complete[-place]

    def _one(self, name: str, id: str, suffix: str, what: str) -> Path:
        folder = self._folder(name)
        found = [path for path in folder.glob(f"*{suffix}") if path.stem.startswith(encoded(id))]
        exact = [path for path in found if path.stem == encoded(id)]
        found = exact or found
        if len(found) != 1:
            listed = ", ".join(sorted(path.stem for path in found))
            raise ReportFileError(
                f"{name}@{id} means several {what}s: {listed}" if found else f"there is no {what} {id!r} in {folder}"
            )
        return found[0]

    def _ids(self) -> Iterator[tuple[str, str]]:
        for path in self.folder.rglob("*.json*"):
            head = _try_head(path)
            if head is not None:
                yield str(head.get("name")), str(head.get("id"))

    def _folder(self, name: str) -> Path:
        return self.folder.joinpath(*(encoded(part) for part in name.split("/") if part))


def encoded(text: str) -> str:
    """Returns `text` as a file name that every file system takes: the same text gives the same name, others do not."""
    name = quote(text, safe=" ._-+=@,()", errors="surrogatepass")
    if name.startswith(".") or name.endswith((".", " ")) or _RESERVED.match(name):
        name = f"%{ord(name[0]):02X}{name[1:]}" if not name.endswith((".", " ")) else f"{name[:-1]}%{ord(name[-1]):02X}"
        name = name.replace("..", "%2E%2E") if name.startswith("..") else name
    if len(name) > LONGEST:
        name = f"{name[:LONGEST]}~{sha256(text.encode(errors='surrogatepass')).hexdigest()[:16]}"
    return name


def read_head(path: Path) -> dict[str, Any]:
    """Returns what a report says before its trials, or a journal's first line, without reading the trials.

    Raises:
        ValueError, OSError: the file is neither.
    """
    lines: list[str] = []
    with path.open(encoding="utf-8") as file:
        for line in file:
            if line.startswith('"trials": ['):
                return dict(json.loads("".join(lines).rstrip().removesuffix(",") + "}"))
            lines.append(line)
            if len(lines) == 1 and line.startswith('{"journal"'):
                break
    return dict(json.loads("".join(lines)))


def _try_head(path: Path) -> dict[str, Any] | None:
    try:
        head = read_head(path)
    except (ValueError, OSError):
        return None
    return head if "id" in head and "name" in head else None
