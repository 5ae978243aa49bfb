"""A trial as the page's script reads it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from llmeval.jsonable import Json
from llmeval.render import figures
from llmeval.render.findings import again
from llmeval.report import Report
from llmeval.results import Probability, Result, Score
from llmeval.trials import Trial
from llmeval.usage import Usage

__all__ = ["trial_data"]


def trial_data(report: Report, trial: Trial) -> dict[str, Json]:
    """Returns what the page shows of `trial`; figures are worded here, so that they are the terminal's."""
    case, usage = trial.case, trial.usage
    tokens = usage.tokens
    data: dict[str, Any] = {
        "name": case.name,
        "repetition": trial.repetition,
        "status": trial.status.value,
        "inputs": case.inputs,
        "metadata": case.metadata,
        "params": trial.params,
        "results": [_result(result) for result in trial.evaluations],
        "not_applicable": list(trial.not_applicable),
        "assertions": trial.assertion_count,
        "failure": trial.assertion_failure,
        "error": trial.error and trial.error.to_dict(),
        "retries": trial.retries,
        "duration": trial.duration,
        "time": figures.seconds(trial.duration),
        "tokens": None if tokens is None else tokens.input + tokens.output,
        "cost": usage.cost,
        "price": "" if usage.cost is None else figures.money(usage.cost),
        "usage": _usage(trial),
        "again": again(report, trial),
    }
    if trial.error is None or trial.evidence is not None:
        data["output"] = trial.evidence if _is_conversation(trial.evidence) else trial.output
    if case.has_expected_output:
        data["expected"] = case.expected_output
    return data


def _result(result: Result) -> dict[str, Json]:
    value = result.value
    data: dict[str, Json] = {
        "name": result.name,
        "status": result.status.value,
        "verdict": figures.verdict(result),
        "reason": f"{result.error.type}: {result.error.message}" if result.error else result.reason,
        "model": result.model,
        "evidence": result.evidence,
    }
    pairs = None if isinstance(value, bool) or value is None or isinstance(value, Probability) else value.probabilities
    if pairs:
        levels = value.levels if isinstance(value, Score) else None
        data["probabilities"] = [[_named(key, levels), probability] for key, probability in pairs.items()]
    return data


def _named(key: Any, levels: tuple[str, ...] | None) -> str:
    return levels[key] if levels is not None and isinstance(key, int) and key < len(levels) else str(key)


def _usage(trial: Trial) -> list[list[str]]:
    parts = (("application", trial.task_usage), ("evaluator", trial.evaluator_usage))
    return [[name, _worded(usage)] for name, usage in parts if usage.requests]


def _worded(usage: Usage) -> str:
    words = (figures.plural(usage.requests, "request"), figures.tokens(usage.tokens), f"cost {figures.cost(usage)}")
    return " · ".join(word for word in words if word)


def _is_conversation(evidence: Json) -> bool:
    return isinstance(evidence, Mapping) and isinstance(evidence.get("messages"), list) and "completeness" in evidence
