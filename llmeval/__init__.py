"""llmeval tells, before you deploy, whether a change made an LLM application better or worse.

Names are imported when they are first used, so that declaring an evaluation costs no more than it needs.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from llmeval import checks
    from llmeval.attempts import Attempt
    from llmeval.cases import OMITTED, Case
    from llmeval.criteria import Criterion
    from llmeval.declarations import adapt, criterion, default_registry, evaluation, get
    from llmeval.diff import Diff, compare
    from llmeval.errors import (
        ConfigurationError,
        DatasetError,
        DeclarationError,
        DiscoveryError,
        EvaluatorConfigError,
        EvaluatorError,
        EvidenceError,
        LLMEvalError,
        OptionError,
        ReportFileError,
        ResumeError,
        SelectionError,
    )
    from llmeval.evaluators.judge import Judge, choice, probability, score
    from llmeval.evaluators.reviewer import Reviewer
    from llmeval.evidence import Attachment, Conversation, Evidence, Message, ToolCall
    from llmeval.options import Options
    from llmeval.providers.model import Model
    from llmeval.pytest_plugin import evaluates
    from llmeval.registry import Evaluation, Registry
    from llmeval.regrading import regrade
    from llmeval.report import Report, load_report
    from llmeval.results import Choice, ErrorInfo, Probability, Result, Score, Status
    from llmeval.trials import NotRun, Trial
    from llmeval.usage import Tokens, Usage

__version__ = "0.1.0"

_HOMES: Final = {
    "attempts": ("Attempt",),
    "cases": ("OMITTED", "Case"),
    "criteria": ("Criterion",),
    "declarations": ("adapt", "criterion", "default_registry", "evaluation", "get"),
    "diff": ("Diff", "compare"),
    "errors": (
        "ConfigurationError",
        "DatasetError",
        "DeclarationError",
        "DiscoveryError",
        "EvaluatorConfigError",
        "EvaluatorError",
        "EvidenceError",
        "LLMEvalError",
        "OptionError",
        "ReportFileError",
        "ResumeError",
        "SelectionError",
    ),
    "evaluators.judge": ("Judge", "choice", "probability", "score"),
    "evaluators.reviewer": ("Reviewer",),
    "evidence": ("Attachment", "Conversation", "Evidence", "Message", "ToolCall"),
    "options": ("Options",),
    "providers.model": ("Model",),
    "pytest_plugin": ("evaluates",),
    "registry": ("Evaluation", "Registry"),
    "regrading": ("regrade",),
    "report": ("Report", "load_report"),
    "results": ("Choice", "ErrorInfo", "Probability", "Result", "Score", "Status"),
    "trials": ("NotRun", "Trial"),
    "usage": ("Tokens", "Usage"),
}
_HOME: Final = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "OMITTED",
    "Attachment",
    "Attempt",
    "Case",
    "Choice",
    "ConfigurationError",
    "Conversation",
    "Criterion",
    "DatasetError",
    "DeclarationError",
    "Diff",
    "DiscoveryError",
    "ErrorInfo",
    "Evaluation",
    "EvaluatorConfigError",
    "EvaluatorError",
    "Evidence",
    "EvidenceError",
    "Judge",
    "LLMEvalError",
    "Message",
    "Model",
    "NotRun",
    "OptionError",
    "Options",
    "Probability",
    "Registry",
    "Report",
    "ReportFileError",
    "Result",
    "ResumeError",
    "Reviewer",
    "Score",
    "SelectionError",
    "Status",
    "Tokens",
    "ToolCall",
    "Trial",
    "Usage",
    "adapt",
    "checks",
    "choice",
    "compare",
    "criterion",
    "default_registry",
    "evaluates",
    "evaluation",
    "get",
    "load_report",
    "probability",
    "regrade",
    "score",
]


def __getattr__(name: str) -> Any:
    if name == "checks":
        return import_module("llmeval.checks")
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module 'llmeval' has no attribute {name!r}")
    value = getattr(import_module(f"llmeval.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
