"""What every form of a diff says of a report and of a case."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from llmeval.diff import CaseDiff, Change, Diff, RunInfo
from llmeval.diff.facts import TrialFacts
from llmeval.render.figures import as_json
from llmeval.render.text import clean, excerpt, one_line, shell_word

__all__ = [
    "again",
    "change",
    "listed",
    "outcome",
    "outputs",
    "paired_reasons",
    "run_label",
    "run_title",
    "shown",
    "statuses",
    "title",
    "worse",
]

LONGEST: Final = 50_000
"""Characters of an output that are looked at."""


def run_title(run: RunInfo) -> str:
    """Returns which report a side is: id, time, commit, params."""
    commit = "" if run.commit is None else f"{run.commit[:8]}{'+' if run.dirty else ''}"
    parts = (one_line(run.id), run.started_at[:16].replace("T", " "), commit, *_params(run))
    return " · ".join(filter(None, parts))


def run_label(run: RunInfo) -> str:
    """Returns a report's id and params, which is what variants of one run differ in."""
    return " ".join((one_line(run.id), *_params(run)))


def _params(run: RunInfo) -> list[str]:
    return [f"{one_line(key)}={one_line(as_json(value))}" for key, value in run.params.items()]


def worse(diff: Diff) -> list[CaseDiff]:
    """Returns the cases that got worse, then those that are new and do not pass, then those that now have an error."""
    seen = diff.of(Change.REGRESSED)
    seen += [case for case in diff.of(Change.REMOVED) if case.passing_a]
    seen += [case for case in diff.of(Change.ADDED) if not case.passing_b]
    known = {case.name for case in seen}
    errors = [case for case in diff.case_diffs if case.errors and case.name not in known]
    return seen + [case for case in errors if case.change is not Change.CHANGED]


def shown(diff: Diff) -> list[CaseDiff]:
    """Returns the cases that are shown in full: what got worse, then what got better."""
    bad = worse(diff)
    known = {case.name for case in bad}
    return bad + [case for case in diff.of(Change.IMPROVED) if case.name not in known]


def change(case: CaseDiff) -> str:
    """Returns what became of a case, in words."""
    if case.change is Change.REMOVED and case.passing_a:
        return "regressed"
    if case.change is Change.ADDED:
        return "new and not passing" if not case.passing_b else "new"
    if case.errors and case.change is not Change.REGRESSED:
        return "now with an error"
    return case.change.value.replace("_", " ")


def title(case: CaseDiff) -> str:
    """Returns the case's name, and its former one."""
    former = f" (was {one_line(case.former_name)})" if case.former_name is not None else ""
    return f"{one_line(case.name)}{former}"


def outcome(case: CaseDiff) -> str:
    """Returns how the case went on either side: `passed → failed`, or counts with several repetitions."""
    rates = case.rates
    sides = (_side(case, "a", rates.passed_a, rates.trials_a), _side(case, "b", rates.passed_b, rates.trials_b))
    return " → ".join(side for side in sides if side)


def _side(case: CaseDiff, which: str, count: int, total: int) -> str:
    side = case.a if which == "a" else case.b
    if side is None:
        return "removed" if case.change is Change.REMOVED else ""
    if total > 1:
        return f"{count:,} of {total:,} passed"
    return "passed" if count else side.trials[0].status


def paired_reasons(case: CaseDiff) -> Iterator[tuple[str, tuple[str, str] | None, tuple[str, str] | None]]:
    """Returns a name with its status and reason on either side, for all that did not pass on one of them."""
    one, two = _reasons(case.trial_a), _reasons(case.trial_b)
    for name in dict.fromkeys([*two, *one]):
        before, after = one.get(name), two.get(name)
        if any(side is not None and side[0] != "passed" for side in (before, after)):
            yield name, before, after


def _reasons(trial: TrialFacts | None) -> dict[str, tuple[str, str]]:
    """Returns, for the error, the assertions and each criterion, a status and a reason (which may be empty)."""
    if trial is None:
        return {}
    found: dict[str, tuple[str, str]] = {}
    if trial.error is not None:
        found["error"] = ("error", clean(trial.error))
    if trial.failure is not None:
        found["assertions"] = ("failed", clean(trial.failure))
    elif trial.assertions:
        found["assertions"] = ("passed", "")
    for name, result in trial.results.items():
        found[name] = (result.status, clean(result.reason or "").strip())
    return found


def statuses(case: CaseDiff, before: tuple[str, str] | None, after: tuple[str, str] | None) -> str:
    """Returns a status, or both where the case is on both sides."""
    sides = [side for run, side in ((case.a, before), (case.b, after)) if run is not None]
    return " → ".join("none" if side is None else side[0] for side in sides)


def outputs(case: CaseDiff) -> tuple[str | None, str | None]:
    """Returns the outputs of the trials to show as cleaned text; `None` where there is none."""
    return _output(case.trial_a), _output(case.trial_b)


def _output(trial: TrialFacts | None) -> str | None:
    if trial is None or trial.error is not None:
        return None
    return excerpt(trial.output, LONGEST) or "(empty)"


def again(run: RunInfo, case: str) -> str:
    """Returns the shell command that runs a case again as `run` did."""
    name = shell_word(case)
    words = [
        "llmeval",
        "run",
        shell_word(run.name),
        *([f"--only={name}"] if case.startswith("-") else ["--only", name]),
    ]
    for option in ("dataset", "evaluator"):
        chosen = run.options.get(option)
        if isinstance(chosen, str) and chosen:
            words += [f"--{option}", shell_word(chosen)]
    for key, value in run.params.items():
        words += ["--set", shell_word(f"{key}={value if isinstance(value, str) else as_json(value)}")]
    return " ".join(words)


def listed(names: Sequence[str], limit: int = 20) -> str:
    """Returns names on one line, and how many more there are."""
    shown = ", ".join(map(one_line, names[:limit]))
    return shown if len(names) <= limit else f"{shown} and {len(names) - limit:,} more"
