"""All that is to be known of one trial, as text: for a failing test, and for a notebook."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from llmeval.cases import OMITTED
from llmeval.render.figures import as_json, verdict
from llmeval.render.findings import findings
from llmeval.render.text import clean, excerpt, one_line, shorten
from llmeval.results import Result
from llmeval.trials import Trial

__all__ = ["headline", "location", "trial_text"]

LONGEST: Final = 400
"""Characters of inputs, reference and output that are shown."""
REASON: Final = 2000
SUMMARY: Final = 200

_PLACE: Final = re.compile(r"(?P<file>[^\n]+?):(?P<line>\d+)(: (?P<source>[^\n]+))?\Z")
_FRAME: Final = re.compile(r'^  File "(?P<file>[^"]+)", line (?P<line>\d+)', re.MULTILINE)


def headline(trial: Trial) -> str:
    """Returns the first thing that kept the trial from passing, on one line."""
    first = findings(trial)[0]
    parts = [trial.status.value, first.name, first.verdict, first.reason.partition("\n")[0]]
    if first.name in ("assertion", "error"):
        del parts[1]
    return one_line(": ".join(dict.fromkeys(part for part in parts if part)))[:SUMMARY]


def location(trial: Trial) -> tuple[str, int] | None:
    """Returns the file and line of the failed assertion, or of the error where it was raised."""
    if trial.error is not None:
        frames = _FRAME.findall(trial.error.traceback)
        return (frames[-1][0], int(frames[-1][1])) if frames else None
    found = trial.assertion_failure and _PLACE.search(trial.assertion_failure)
    return (found["file"], int(found["line"])) if found else None


def trial_text(trial: Trial) -> str:
    """Returns the case, the assertion, the error's traceback, every evaluator's verdict, and the output."""
    blocks = [_case(trial), _error(trial), _assertion(trial), _results(trial)]
    return "\n\n".join(block for block in map("\n".join, blocks) if block)


def _case(trial: Trial) -> Iterator[str]:
    case = trial.case
    repetition = f", repetition {trial.repetition}" if trial.repetition > 1 else ""
    yield f"case {one_line(case.name)!r}{repetition}: {trial.status.value}"
    yield f"  inputs    {excerpt(case.inputs, LONGEST)}"
    if case.expected_output is not OMITTED:
        yield f"  expected  {excerpt(case.expected_output, LONGEST)}"
    if trial.params:
        yield f"  params    {as_json(dict(trial.params))}"
    if trial.evidence is not None:
        yield f"  output    {excerpt(trial.output, LONGEST)}"


def _error(trial: Trial) -> Iterator[str]:
    error = trial.error
    if error is not None:
        yield clean(error.traceback.rstrip() or f"{error.type}: {error.message}")


def _assertion(trial: Trial) -> Iterator[str]:
    """Yields the failed assertion as pytest shows one: the line, what its operands were, and where it stands."""
    failure = trial.assertion_failure
    if failure is None:
        return
    found = _PLACE.search(failure)
    said = failure if found is None else failure[: found.start()].rstrip("\n")
    if found is not None and found["source"]:
        yield f">       {clean(found['source'])}"
    yield from (f"E       {line}".rstrip() for line in clean(said).split("\n"))
    if found is not None:
        yield ""
        yield f"{clean(found['file'])}:{found['line']}: AssertionError"


def _results(trial: Trial) -> Iterator[str]:
    width = max((len(result.name) for result in trial.evaluations), default=0)
    for result in trial.evaluations:
        yield f"{one_line(result.name):{width}}  {_verdict(result)}"
    yield from (f"{one_line(name):{width}}  not applicable" for name in trial.not_applicable)
    if not trial.evaluations and not trial.assertion_count and trial.error is None:
        yield "nothing was checked: declare assertions or criteria"


def _verdict(result: Result) -> str:
    by = f" ({result.model})" if result.model else ""
    if result.error is not None:
        return f"error{by}: {shorten(f'{result.error.type}: {result.error.message}', REASON)}"
    text = f"{verdict(result)}{by}"
    return f"{text}: {shorten(result.reason.strip(), REASON)}" if result.reason else text
