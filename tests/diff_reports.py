"""Small reports to compare, written the way a run writes them."""

from datetime import UTC, datetime

from llmeval.cases import OMITTED, Case
from llmeval.jsonable import digest
from llmeval.report import NotRun, Report
from llmeval.results import ErrorInfo, Result
from llmeval.trials import Trial
from llmeval.usage import NO_USAGE, Tokens, Usage

START = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def definitions(criteria=("correctness",), *, evaluators=None, assertions="0" * 64, dataset="d1"):
    """The definitions of criteria: names, or mappings of their own."""
    evaluators = evaluators or {"reviewer": {"kind": "reviewer", "model": "openai:gpt-a", "prompt": 1}}
    key = next(iter(evaluators))
    described = []
    for one in criteria:
        one = {"name": one} if isinstance(one, str) else dict(one)
        one = {"instructions": None, "minimum": None, "evaluator": key, **one}
        one["fingerprint"] = digest({k: v for k, v in one.items() if k not in ("evaluator", "name")})
        described.append(one)
    return {
        "criteria": described,
        "evaluators": {name: {**it, "fingerprint": digest(it)} for name, it in evaluators.items()},
        "assertions": assertions,
        "dataset": {"name": "support", "path": "evals/support.yaml", "fingerprint": dataset},
    }


def result(name, value, reason=None, model="gpt-a-1", **more):
    """A verdict; an exception's text, as `value`, makes an evaluator's error."""
    if isinstance(value, str):
        return Result(name=name, error=ErrorInfo(type="EvaluatorError", message=value), model=model, **more)
    return Result(name=name, value=value, reason=reason, model=model, **more)


def usage(tokens, cost):
    """The usage of one request; a cost of `None` is an unknown price."""
    unpriced = ("mystery",) if cost is None else ()
    return Usage(requests=1, tokens=Tokens(input=tokens, output=0), priced=cost, unpriced=unpriced)


def trial(name, *verdicts, inputs=None, expected=OMITTED, metadata=None, repetition=1, **more):
    """A trial with a verdict, or a result, for each criterion; one verdict is of `correctness`."""
    names = more.pop("criteria", ("correctness", "concise", "polite"))
    evaluations = tuple(
        one if isinstance(one, Result) else result(names[index], one, f"reason {one}")
        for index, one in enumerate(verdicts)
    )
    case = Case(name, name if inputs is None else inputs, expected, metadata or {})
    more.setdefault("output", f"answer of {name}")
    more.setdefault("duration", 1.0)
    return Trial(case=case, repetition=repetition, evaluations=evaluations, **more)


def trials(name, *passes, **more):
    """One trial a repetition, each with a verdict of `correctness`."""
    return [trial(name, passed, repetition=index, **more) for index, passed in enumerate(passes, 1)]


def report(*given, id="a", criteria=("correctness",), not_run=(), **more):
    """A report of trials and lists of trials."""
    flat = [one for item in given for one in (item if isinstance(item, list) else [item])]
    described = more.pop("definitions", None) or definitions(criteria)
    environment = {"llmeval": "0.1.0", "python": "3.11.7", "commit": "abc1234def", "dirty": False}
    more.setdefault("options", {"only": None, "where": [], "limit": None, "grading": True})
    more.setdefault("environment", environment)
    return Report(
        id=id,
        name=more.pop("name", "support"),
        started_at=START,
        finished_at=START,
        definitions=described,
        trials=tuple(flat),
        not_run=tuple(NotRun(*one) for one in not_run),
        **more,
    )


def error(message="boom"):
    """An error of the application."""
    return ErrorInfo(type="ValueError", message=message, traceback="Traceback …")


__all__ = [
    "NO_USAGE", "OMITTED", "definitions", "error", "report", "result", "trial", "trials", "usage",
]  # fmt: skip
