"""What a comparison needs to know of a report, and no more: a table of facts by case.

A report file is read into facts without building its trials: two reports of 10,000 trials are compared in about the
time that reading their JSON takes, and what the comparison does not show is forgotten as soon as it was read.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from llmeval.cases import Case
from llmeval.errors import ReportFileError
from llmeval.jsonable import Json, digest
from llmeval.report import Report, Trial, read_report
from llmeval.results import Choice, Probability, Result
from llmeval.usage import Usage

__all__ = ["CaseFacts", "ResultFacts", "RunFacts", "TrialFacts", "facts_of"]


class ResultFacts(NamedTuple):
    """One criterion's outcome; `number` is a probability or a score, `choice` the option that was chosen."""

    status: str
    reason: str | None = None
    number: float | None = None
    choice: str | bool | None = None
    model: str | None = None


class TrialFacts(NamedTuple):
    """One trial; `usage` is (task tokens, task dollars, evaluator tokens, evaluator dollars).

    A usage is `None` when no request was seen, NaN when it is not known.
    """

    repetition: int
    status: str
    output: Json
    error: str | None
    failure: str | None
    assertions: int
    results: Mapping[str, ResultFacts]
    duration: float
    usage: tuple[float | None, float | None, float | None, float | None]

    def to_dict(self) -> dict[str, Any]:
        """Returns plain JSON: what there is to read in the trial."""
        return {
            "repetition": self.repetition,
            "status": self.status,
            "output": self.output,
            "error": self.error,
            "assertion_failure": self.failure,
            "results": {name: {"status": one.status, "reason": one.reason} for name, one in self.results.items()},
        }


@dataclass
class CaseFacts:
    """One case and its trials; `content` is the case's JSON without its name."""

    name: str
    content: Mapping[str, Any]
    trials: list[TrialFacts] = field(default_factory=list)

    @cached_property
    def fingerprint(self) -> str:
        """What `Case.fingerprint` is."""
        return digest(self.content)

    def equals(self, other: CaseFacts) -> bool:
        """Whether the content is the same; 1, 1.0 and true are not."""
        one, two = self.content, other.content
        # Most cases are equal and written alike, which is known much sooner than their fingerprints are.
        return (one == two and repr(one) == repr(two)) or self.fingerprint == other.fingerprint


@dataclass(frozen=True, kw_only=True, slots=True)
class RunFacts:
    """One report: its cases by name in dataset order, and what decides whether it can be compared with another."""

    id: str
    name: str
    started_at: str
    cases: Mapping[str, CaseFacts]
    definitions: Mapping[str, Any]
    params: Mapping[str, Any]
    options: Mapping[str, Any]
    environment: Mapping[str, Any]
    interrupted: bool
    not_run: Sequence[tuple[str, int, str]]

    @property
    def trials(self) -> int:
        """How many trials ran."""
        return sum(len(case.trials) for case in self.cases.values())

    @property
    def repetitions(self) -> int:
        """How many trials a case has, at most."""
        return max((len(case.trials) for case in self.cases.values()), default=0)


def facts_of(source: Report | str | os.PathLike[str]) -> RunFacts:
    """Returns the facts of a report, or of the report file at a path.

    Raises:
        ReportFileError: the file is not a report.
    """
    if isinstance(source, Report):
        return _of_report(source)
    data = read_report(source)
    try:
        return _of_json(data)
    except KeyError as error:
        raise ReportFileError(f"{source} is not a report of llmeval: the field {error} is missing") from None
    except (TypeError, ValueError, AttributeError) as error:
        raise ReportFileError(f"{source} is not a report of llmeval: {error}") from None


def _of_report(report: Report) -> RunFacts:
    return RunFacts(
        id=report.id,
        name=report.name,
        started_at=report.started_at.isoformat(),
        cases=_cases_of_report(report),
        definitions=report.definitions,
        params=report.params,
        options=report.options,
        environment=report.environment,
        interrupted=report.interrupted,
        not_run=report.not_run,
    )


def _cases_of_report(trials: Iterable[Trial]) -> dict[str, CaseFacts]:
    cases: dict[str, CaseFacts] = {}
    for trial in trials:
        case = trial.case
        known = cases.get(case.name)
        if known is None:
            known = cases[case.name] = CaseFacts(case.name, _content(case))
        known.trials.append(_trial(trial))
    return cases


def _content(case: Case) -> dict[str, Any]:
    content = {"inputs": case.inputs, "metadata": case.metadata}
    if case.has_expected_output:
        content["expected_output"] = case.expected_output
    return content


def _trial(trial: Trial) -> TrialFacts:
    return TrialFacts(
        repetition=trial.repetition,
        status=trial.status.value,
        output=trial.output,
        error=None if trial.error is None else f"{trial.error.type}: {trial.error.message}",
        failure=trial.assertion_failure,
        assertions=trial.assertion_count,
        results={result.name: _result(result) for result in trial.evaluations},
        duration=trial.duration,
        usage=(*_usage(trial.task_usage), *_usage(trial.evaluator_usage)),
    )


def _result(result: Result) -> ResultFacts:
    value = result.value
    number = choice = None
    if isinstance(value, Choice):
        choice = value.choice
    elif value is not None and not isinstance(value, bool):
        number = value.probability if isinstance(value, Probability) else value.score
    reason = result.reason if result.error is None else f"{result.error.type}: {result.error.message}"
    return ResultFacts(result.status.value, reason, number, choice, result.model)


def _usage(usage: Usage) -> tuple[float | None, float | None]:
    if not usage.requests:
        return None, None
    tokens = usage.tokens
    cost = usage.cost
    return NAN if tokens is None else tokens.input + tokens.output, NAN if cost is None else cost


NAN = float("nan")
NO_USAGE = (None, None)


def _of_json(data: Mapping[str, Any]) -> RunFacts:
    return RunFacts(
        id=data["id"],
        name=data["name"],
        started_at=data["started_at"],
        cases=_cases_of_json(data["trials"]),
        definitions=_object(data, "definitions"),
        params=_object(data, "params"),
        options=_object(data, "options"),
        environment=_object(data, "environment"),
        interrupted=data["interrupted"],
        not_run=[(one["case"], one["repetition"], one["reason"]) for one in data["not_run"]],
    )


def _object(data: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value: Mapping[str, Any] = data[key]
    if not isinstance(value, dict):
        raise TypeError(f"{key} is {value!r:.40}, not an object")
    return value


def _cases_of_json(trials: Iterable[Mapping[str, Any]]) -> dict[str, CaseFacts]:
    cases: dict[str, CaseFacts] = {}
    for trial in trials:
        case = trial["case"]
        known = cases.get(case["name"])
        if known is None:
            content = {key: value for key, value in case.items() if key != "name"}
            known = cases[case["name"]] = CaseFacts(case["name"], content)
        known.trials.append(_trial_of_json(trial))
    return cases


def _trial_of_json(trial: Mapping[str, Any]) -> TrialFacts:
    error = trial["error"]
    return TrialFacts(
        trial["repetition"],
        trial["status"],
        trial["output"],
        None if error is None else f"{error['type']}: {error['message']}",
        trial["assertion_failure"],
        trial["assertion_count"],
        {result["name"]: _result_of_json(result) for result in trial["evaluations"]},
        trial["duration"],
        _usage_of_json(trial["task_usage"]) + _usage_of_json(trial["evaluator_usage"]),
    )


def _result_of_json(result: Mapping[str, Any]) -> ResultFacts:
    value = result["value"]
    number = choice = None
    if isinstance(value, dict):
        number = value.get("probability", value.get("score"))
        choice = value.get("choice")
    error = result.get("error")
    reason = result["reason"] if error is None else f"{error['type']}: {error['message']}"
    return ResultFacts(result["status"], reason, number, choice, result.get("model"))


def _usage_of_json(usage: Mapping[str, Any] | None) -> tuple[float | None, float | None]:
    if usage is None:
        return NO_USAGE
    tokens, cost = usage["tokens"], usage["cost"]
    return NAN if tokens is None else tokens["input"] + tokens["output"], NAN if cost is None else cost
