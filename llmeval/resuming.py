"""Going on with a run that did not end: what its journal holds already, and whether that still counts."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from llmeval.environment import CHECKED
from llmeval.errors import ResumeError
from llmeval.journal import Journaled, read_journal
from llmeval.plans import Plan
from llmeval.trials import Trial

__all__ = ["Resumed", "resumed"]

_PARTS: Final = {"source": "the source of the evaluations", "commit": "the git commit", "tree": "the working tree"}


class Resumed:
    """The finished trials of a journal that a plan can keep."""

    def __init__(self, journaled: Journaled, plan: Plan, changed: tuple[str, ...]) -> None:
        self._path = journaled.path
        self.places: dict[int, tuple[int, int]] = {}
        self.started_at = datetime.fromisoformat(journaled.head["started_at"])
        for index in range(plan.total):
            case, repetition = plan.at(index)
            found = journaled.places.get((case.name, repetition))
            if found is not None and found[2] == plan.fingerprint(case):
                self.places[index] = found[:2]
        earlier = [note for head in journaled.heads for note in head.get("notes", ()) if note.startswith("resumed")]
        self.notes = tuple(dict.fromkeys(earlier)) + ((_changed_note(changed),) if changed else ())

    def trials(self) -> Iterator[tuple[int, Trial, tuple[int, int]]]:
        """Yields each kept trial with its number and its place in the journal."""
        with self._path.open("rb") as file:
            for index, place in self.places.items():
                file.seek(place[0])
                yield index, Trial.from_dict(json.loads(file.read(place[1]))), place


def resumed(path: Path, plan: Plan, environment: Mapping[str, Any]) -> Resumed:
    """Returns what the journal at `path` has of the run that `plan` describes.

    Raises:
        ResumeError: it is another evaluation's, cannot be read, or the source, the commit or the working tree changed
            and `allow_changed` was not given.
    """
    if not path.is_file():
        raise ResumeError(f"there is nothing to resume at {path}: start the run without --resume")
    journaled = read_journal(path)
    name = journaled.head["name"]
    if name != plan.evaluation.name:
        raise ResumeError(f"{path} belongs to the evaluation {name!r}, not to {plan.evaluation.name!r}")
    then = journaled.heads[-1]["environment"]
    changed = tuple(part for part in CHECKED if then.get(part) != environment.get(part))
    if changed and not plan.options.allow_changed:
        raise ResumeError(
            f"{' and '.join(_PARTS[part] for part in changed)} changed since run {plan.id} began, so its trials would "
            "not be of one kind: start a new run, or resume with --allow-changed, which the report will say"
        )
    return Resumed(journaled, plan, changed)


def _changed_note(changed: tuple[str, ...]) -> str:
    return f"resumed after a change of {' and '.join(_PARTS[part] for part in changed)}"
