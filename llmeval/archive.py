"""Where a project's reports and journals are, and how they are named on the command line."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from llmeval.errors import ReportFileError
from llmeval.project import Project

__all__ = ["PLACES", "Archive", "encoded", "read_head"]

LONGEST: Final = 120
"""Characters of an encoded file name that are kept; a digest makes up for the rest."""

PLACES: Final = {"latest": 1, "previous": 2}
"""Words that stand for an id: the complete run that many places from the last one."""

_VARIANT: Final = re.compile(r"\.\d+$")
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
        if path.suffix == ".json" or path.is_file():
            return path
        name, id = self._named(reference)
        if path.is_dir() and not self._folder(name).is_dir():
            return path
        if id in ("", *PLACES):
            return self._recent(name, id or "latest")
        return self._one(name, id)

    def find_runs(self, id: str, names: Sequence[str] = ()) -> list[tuple[str, str]]:
        """Returns name and whole id of each run that `id` means, in the order of their starts.

        These are the runs of one command: they have the same id, but for the number that variants add. `id` may be the
        begin of theirs; `names` are the evaluations to look at, or all.

        Raises:
            ReportFileError: there is none, or there are runs of several commands.
        """
        found = [one for one in self._ids() if one[1].startswith(id) and (not names or one[0] in names)]
        exact = [one for one in found if one[1] == id]
        chosen = list(dict.fromkeys(exact or found))
        if not chosen:
            raise ReportFileError(f"there is no run {id!r}{' of ' + ' or '.join(names) if names else ''} to resume")
        if len({_VARIANT.sub("", full) for _, full in chosen}) > 1:
            listed = ", ".join(f"{name}@{full}" for name, full in chosen)
            raise ReportFileError(f"{id!r} begins the id of several runs: {listed}")
        return chosen

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

    def unreadable(self, name: str | None = None) -> list[Path]:
        """Returns the files among the reports of one evaluation, or of all, that are no reports."""
        folder = self.folder if name is None else self._folder(name)
        return sorted(path for path in folder.rglob("*.json") if _try_head(path) is None)

    def _recent(self, name: str, which: str) -> Path:
        complete = [path for path, head in self.heads(name) if not head.get("interrupted") and not head.get("not_run")]
        place = PLACES[which]
        if len(complete) < place:
            raise ReportFileError(self._lacking(name, which, len(complete)))
        return complete[-place]

    def _lacking(self, name: str, which: str, count: int) -> str:
        if count:
            return f"{name}@{which}: {self.folder} holds only one complete report of {name!r}"
        known = sorted({str(head["name"]) for _, head in self.heads()})
        if not known:
            return f"there is no report {name!r}: {self.folder} holds none; `llmeval run` saves one"
        if name in known:
            return f"{name}@{which}: no report of {name!r} in {self.folder} is complete: name one by NAME@ID"
        from llmeval.registry import unknown  # reading a report needs no registry

        return unknown("report", name, known)

    def _one(self, name: str, id: str) -> Path:
        folder = self._folder(name)
        found = [path for path in folder.glob("*.json") if path.stem.startswith(encoded(id))]
        exact = [path for path in found if path.stem == encoded(id)]
        found = exact or found
        if len(found) != 1:
            listed = ", ".join(sorted(path.stem for path in found))
            raise ReportFileError(
                f"{name}@{id} means several reports: {listed}" if found else f"there is no report {id!r} in {folder}"
            )
        return found[0]

    def _named(self, reference: str) -> tuple[str, str]:
        """Returns the name and the id that `NAME@ID` says, either of which may have an `@` in it."""
        parts = reference.split("@")
        splits = [("@".join(parts[:at]), "@".join(parts[at:])) for at in range(len(parts), 0, -1)]
        return next((split for split in splits if self._folder(split[0]).is_dir()), splits[-1])

    def _ids(self) -> list[tuple[str, str]]:
        """Returns the name and id of every report and journal, in the order of their starts."""
        paths = [path for path in self.folder.rglob("*.json*") if path.suffix in (".json", ".jsonl")]
        heads = [head for path in paths if (head := _try_head(path)) is not None]
        heads.sort(key=lambda head: str(head.get("started_at", "")))
        return [(str(head["name"]), str(head["id"])) for head in heads]

    def _folder(self, name: str) -> Path:
        return self.folder.joinpath(*(encoded(part) for part in name.split("/") if part))


def encoded(text: str) -> str:
    """Returns `text` as a file name that every file system takes: the same text gives the same name, others do not."""
    name = quote(text, safe=" ._-+=@,()", errors="surrogatepass")
    if name.startswith(".") or _RESERVED.match(name):
        name = _escaped(name[0]) + name[1:]
    if name.endswith((".", " ")):
        name = name[:-1] + _escaped(name[-1])
    if len(name) > LONGEST:
        name = f"{name[:LONGEST]}~{sha256(text.encode(errors='surrogatepass')).hexdigest()[:16]}"
    return name


def _escaped(char: str) -> str:
    return f"%{ord(char):02X}"


def read_head(path: Path) -> dict[str, Any]:
    """Returns what a report says before its trials, or a journal's first line, without reading the trials.

    Raises:
        ValueError, TypeError, OSError: the file is neither.
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
    except (ValueError, TypeError, OSError, RecursionError):
        return None
    return head if "id" in head and "name" in head else None
