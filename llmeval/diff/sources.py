"""Reading a report, or a report file, into facts.

A file is read a trial at a time, as it was written, and what a comparison does not show is forgotten at once: two
reports of 10,000 trials are compared in about the time that parsing their JSON takes, and in less memory.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import IO, Any, Final, TypeAlias

from llmeval.cases import Case
from llmeval.diff.facts import CaseFacts, ResultFacts, RunFacts, TrialFacts
from llmeval.errors import ReportFileError
from llmeval.noise import noise_of
from llmeval.report import SCHEMA_VERSION, Report, Trial, read_report
from llmeval.results import Choice, Probability, Result
from llmeval.usage import Usage

__all__ = ["Source", "facts_of"]

Source: TypeAlias = Report | str | os.PathLike[str]
"""A report, or the path of a report file, which is compared faster and in less memory than a loaded report."""

DECODER: Final = json.JSONDecoder()
NAN: Final = float("nan")
NO_USAGE: Final = (0.0, 0.0)
TRIALS: Final = '"trials": [\n'
"""The line after which a report file has a trial a line."""


def facts_of(source: Source) -> RunFacts:
    """Returns the facts of a report, or of the report file at a path.

    Raises:
        ReportFileError: the file is not a report.
    """
    if isinstance(source, Report):
        return _of_report(source)
    try:
        return _of_lines(source)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        # Not as this version writes it, or no report at all: what reads any JSON also knows how to say what is wrong.
        return _of_file(source)


def _of_lines(path: str | os.PathLike[str]) -> RunFacts:
    """Returns the facts of a file with a trial a line; any error means that it is not such a file."""
    with Path(path).open(encoding="utf-8", newline="\n") as file:
        data = _head(file)
        cases: dict[str, CaseFacts] = {}
        for line in file:
            if line.startswith("]"):
                break
            trial, end = DECODER.raw_decode(line)
            if line[end:] not in (",\n", "\n"):
                raise ValueError("a line holds more than a trial")
            _add(cases, trial)
        if line + file.read() != "]}\n":
            raise ValueError("the file does not end where a report does")
    return _run(data, cases)


def _head(file: IO[str]) -> Mapping[str, Any]:
    lines: list[str] = []
    for line in file:
        if line == TRIALS:
            data: Mapping[str, Any] = json.loads(f"{''.join(lines).rstrip()[:-1]}}}")
            if data["schema_version"] != SCHEMA_VERSION:
                raise ValueError("another version wrote the file")
            return data
        lines.append(line)
    raise ValueError("the file has no line where its trials begin")


def _of_file(path: str | os.PathLike[str]) -> RunFacts:
    data = read_report(path)
    try:
        cases: dict[str, CaseFacts] = {}
        for trial in data["trials"]:
            _add(cases, trial)
        return _run(data, cases)
    except KeyError as error:
        raise ReportFileError(f"{path} is not a report of llmeval: the field {error} is missing") from None
    except (TypeError, ValueError, AttributeError) as error:
        raise ReportFileError(f"{path} is not a report of llmeval: {error}") from None


def _run(data: Mapping[str, Any], cases: Mapping[str, CaseFacts]) -> RunFacts:
    return RunFacts(
        id=data["id"],
        name=data["name"],
        started_at=data["started_at"],
        cases=cases,
        definitions=_object(data, "definitions"),
        params=_object(data, "params"),
        options=_object(data, "options"),
        environment=_object(data, "environment"),
        interrupted=data["interrupted"],
        not_run=[(one["case"], one["repetition"], one["reason"]) for one in data["not_run"]],
        noise=noise_of(data),
    )


def _object(data: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value: Mapping[str, Any] = data[key]
    if not isinstance(value, dict):
        raise TypeError(f"{key} is {value!r:.40}, not an object")
    return value


def _add(cases: dict[str, CaseFacts], trial: Mapping[str, Any]) -> None:
    content = trial["case"]
    content.pop("fingerprint", None)  # that of the metadata too
    name, metadata = content.pop("name"), content.pop("metadata")
    known = cases.get(name)
    if known is None:
        known = cases[name] = CaseFacts(name, content, metadata)
    known.trials.append(_trial_of_json(trial))


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


def _usage_of_json(usage: Mapping[str, Any] | None) -> tuple[float, float]:
    if usage is None:
        return NO_USAGE
    tokens, cost = usage["tokens"], usage["cost"]
    return NAN if tokens is None else tokens["input"] + tokens["output"], NAN if cost is None else cost


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
        noise=noise_of(report),
    )


def _cases_of_report(trials: Iterable[Trial]) -> dict[str, CaseFacts]:
    cases: dict[str, CaseFacts] = {}
    for trial in trials:
        case = trial.case
        known = cases.get(case.name)
        if known is None:
            known = cases[case.name] = CaseFacts(case.name, _content(case), case.metadata)
        known.trials.append(_trial(trial))
    return cases


def _content(case: Case) -> dict[str, Any]:
    content = {"inputs": case.inputs}
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


def _usage(usage: Usage) -> tuple[float, float]:
    if not usage.requests:
        return NO_USAGE
    tokens = usage.tokens
    cost = usage.cost
    return NAN if tokens is None else tokens.input + tokens.output, NAN if cost is None else cost
