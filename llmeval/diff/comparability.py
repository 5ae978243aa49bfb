"""What two reports can be compared by, and why not by the rest."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from llmeval.diff.facts import RunFacts, TrialFacts
from llmeval.jsonable import Json, canonical

__all__ = ["Comparability", "comparability"]

DIGEST = re.compile("[0-9a-f]{64}")
SHOWN = 60
"""Characters of a value that a reason shows."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Comparability:
    """What both reports mean by "passed".

    `criteria` gives, for each criterion of either report in order, why it cannot be compared (`None` when it can).
    `whole` is true when a trial's own status can be compared; otherwise a trial passes here when everything in it that
    can be compared passed.
    """

    criteria: Mapping[str, str | None]
    assertions: bool
    whole: bool
    reasons: tuple[str, ...]

    def judges(self, trial: TrialFacts) -> bool:
        """Whether anything that can be compared was checked in the trial."""
        if self.whole or (self.assertions and (trial.assertions > 0 or trial.failure is not None)):
            return True
        return any(self.criteria.get(name) is None for name in trial.results)

    def passed(self, trial: TrialFacts) -> bool:
        """Whether the trial passed by what can be compared; one that checked nothing did not."""
        if self.whole:
            return trial.status == "passed"
        if trial.error is not None or (self.assertions and trial.failure is not None) or not self.judges(trial):
            return False
        return all(result.status == "passed" for name, result in trial.results.items() if not self.criteria.get(name))


class Side:
    """One report's criteria by name, as they were declared and with the models that answered for them."""

    def __init__(self, letter: str, run: RunFacts) -> None:
        self.letter = letter
        self.run = run
        self.declared: dict[str, Mapping[str, Any]] = {
            one["name"]: one for one in run.definitions.get("criteria") or ()
        }
        self.models: dict[str, set[str | None]] = {name: set() for name in self.declared}
        for case in run.cases.values():
            for trial in case.trials:
                for name, result in trial.results.items():
                    self.models.setdefault(name, set()).add(result.model)

    def evaluator(self, name: str) -> Mapping[str, Any]:
        """Returns the identity of the evaluator that grades a criterion; nothing when it is not known."""
        key = self.declared.get(name, {}).get("evaluator")
        found: Mapping[str, Any] = (self.run.definitions.get("evaluators") or {}).get(key) or {}
        return found

    def with_text(self, text: str | None) -> str | None:
        """Returns the one criterion that has these instructions, if just one has."""
        found = [name for name, one in self.declared.items() if text and one.get("instructions") == text]
        return found[0] if len(found) == 1 else None


def comparability(a: RunFacts, b: RunFacts, allow_changed: bool = False) -> Comparability:
    """Returns what can be compared; with `allow_changed` all of it can, and the reasons are still given."""
    before, after = Side("A", a), Side("B", b)
    found = {name: _criterion(name, before, after) for name in {**before.models, **after.models}}
    assertions = a.definitions.get("assertions") == b.definitions.get("assertions")
    reasons = [reason for reason in found.values() if reason is not None]
    if not assertions:
        reasons.append("the assertions changed")
    both = before.models.keys() & after.models.keys()
    return Comparability(
        criteria={name: None if allow_changed and name in both else reason for name, reason in found.items()},
        assertions=assertions or allow_changed,
        whole=allow_changed or (assertions and not any(found.values())),
        reasons=(*reasons, *_whole_run(a, b)),
    )


def _criterion(name: str, a: Side, b: Side) -> str | None:
    """Returns why a criterion cannot be compared, or `None`."""
    for side, other in ((a, b), (b, a)):
        if name not in side.models:
            twin = side.with_text(other.declared.get(name, {}).get("instructions"))
            hint = f"; {twin!r} of {side.letter} has the same text" if twin else ""
            return f"criterion {name!r} is only in {other.letter}{hint}"
        if side.run.options.get("grading") is False:
            return f"criterion {name!r} was not graded in {side.letter}"
    one, two = a.declared.get(name, {}), b.declared.get(name, {})
    before, after = a.evaluator(name), b.evaluator(name)
    found = []
    if one.get("fingerprint") != two.get("fingerprint"):
        found.append(f"criterion {name!r} changed{_changes(one, two, _keys(one, two))}")
    if not _same(before.get("fingerprint", before), after.get("fingerprint", after)):
        found.append(f"the evaluator of criterion {name!r} changed{_changes(before, after, _keys(before, after))}")
    return "; ".join(found) or _model(name, a.models[name] - {None}, b.models[name] - {None})


def _model(name: str, before: set[Any], after: set[Any]) -> str | None:
    """Returns the reason when a provider answered the same request for a model with different ones."""
    if not before or not after or before & after:
        return None
    return f"the model that graded criterion {name!r} changed: {', '.join(sorted(before))} → {', '.join(sorted(after))}"


def _whole_run(a: RunFacts, b: RunFacts) -> Iterable[str]:
    """Returns what differs between the runs and is compared all the same, so that the reader can judge."""
    if a.name != b.name:
        yield f"the evaluations differ: {a.name!r} → {b.name!r}"
    if not _same(a.params, b.params):
        yield f"the params differ{_changes(a.params, b.params, _keys(a.params, b.params))}"
    before, after = (run.definitions.get("dataset") or {} for run in (a, b))
    if not _same(before.get("fingerprint"), after.get("fingerprint")):
        yield f"the dataset changed{_changes(before, after, ('name', 'path'))}"
    if a.repetitions != b.repetitions:
        yield f"the repetitions differ: {a.repetitions} → {b.repetitions}; rates are compared, not counts"
    one, two = (run.environment.get("llmeval") for run in (a, b))
    if one != two:
        yield f"llmeval's version differs: {one} → {two}"
    for letter, run in (("A", a), ("B", b)):
        yield from _incomplete(letter, run)


def _incomplete(letter: str, run: RunFacts) -> Iterable[str]:
    missing, scheduled = len(run.not_run), len(run.not_run) + run.trials
    if run.interrupted:
        yield f"{letter} was interrupted: {missing} of {scheduled} trials did not run"
    elif missing:
        yield f"{letter} is not complete: {missing} of {scheduled} trials did not run ({run.not_run[0][2]})"


def _keys(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    return [key for key in {**before, **after} if key not in ("fingerprint", "evaluator")]


def _changes(before: Mapping[str, Any], after: Mapping[str, Any], keys: Sequence[str]) -> str:
    """Returns `: key old → new, …` for the keys whose values differ; of digests, the key alone."""
    found = []
    for key in keys:
        one, two = before.get(key), after.get(key)
        if not _same(one, two):
            digests = any(isinstance(value, str) and DIGEST.fullmatch(value) for value in (one, two))
            found.append(key if digests else f"{key} {_shown(one)} → {_shown(two)}")
    return f": {', '.join(found)}" if found else ""


def _shown(value: Json) -> str:
    text = repr(value) if value is None or isinstance(value, str) else canonical(value)
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…"


def _same(one: Json, other: Json) -> bool:
    return canonical(one) == canonical(other)
