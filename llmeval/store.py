"""Where a run's finished trials go: kept in memory, written to the journal, or both."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

from llmeval.journal import Journal, JournalTrials
from llmeval.secrets import Masker
from llmeval.summary import Summary
from llmeval.trials import Trial

__all__ = ["Store"]


class Store:
    """Takes each finished trial by its place in the run; `add` returns the trial as it is reported, secrets masked."""

    def __init__(self, total: int, journal: Journal | None = None, *, keep: bool = True) -> None:
        self.summary = Summary()
        self._done = bytearray(total)
        self.masker = Masker()
        self._journal = journal
        self._kept: dict[int, Trial] | None = {} if keep or journal is None else None
        self._journaled = None if journal is None else JournalTrials(journal.path, total)

    def add(self, index: int, trial: Trial) -> Trial:
        """Records trial `index`, in the journal first."""
        line, masked = self.masker.counted_line(trial._data())
        if masked:
            trial = replace(Trial.from_dict(json.loads(line)), result=trial.result)
        if self._journal is not None and self._journaled is not None:
            self._journaled.put(index, self._journal.append(line))
        self._count(index, trial)
        return trial

    def recall(self, index: int, trial: Trial, place: tuple[int, int]) -> None:
        """Takes trial `index`, which stands in the journal already."""
        if self._journaled is not None:
            self._journaled.put(index, place)
        self._count(index, trial)

    @property
    def trials(self) -> Sequence[Trial]:
        """The trials so far, in the run's order."""
        if self._kept is not None:
            return tuple(self._kept[index] for index in sorted(self._kept))
        assert self._journaled is not None
        return self._journaled

    def __contains__(self, index: object) -> bool:
        return isinstance(index, int) and bool(self._done[index])

    def _count(self, index: int, trial: Trial) -> None:
        self._done[index] = True
        self.summary.add(trial)
        if self._kept is not None:
            self._kept[index] = trial
