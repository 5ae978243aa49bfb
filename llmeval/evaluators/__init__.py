"""Evaluators: what grades a trial. A module of a kind is imported when an evaluator of that kind is wanted."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from llmeval.callables import check_arguments
from llmeval.errors import DeclarationError, EvaluatorConfigError

__all__ = ["FORMS", "check_kind", "evaluator_for", "is_off", "kind_of", "loaded"]

FORMS: Final = (
    "a text such as 'openai:MODEL', 'anthropic:MODEL', 'decisions:MODEL', 'local', 'none' or 'judges.py::Quality', "
    "False, a Model, a Reviewer, a Judge, an Agent of Pydantic AI or of the OpenAI Agents SDK, or a function of "
    "the attempt"
)

PROVIDERS: Final = ("openai", "anthropic", "decisions")
AGENTS: Final = frozenset({("pydantic_ai.agent.abstract", "AbstractAgent"), ("agents.agent", "AgentBase")})
"""The base classes of the agents that can grade; `llmeval.evaluators.agents` says what grades with them."""


def is_off(spec: object) -> bool:
    """Returns whether `spec` says that nothing grades by default."""
    return spec is False or spec == "none"


def check_kind(spec: object) -> None:
    """Refuses what cannot be an evaluator, without importing what it would take.

    Raises:
        EvaluatorConfigError: `spec` is none of the kinds, and the message lists them; or it is a function that cannot
            be called with an attempt.
    """
    if isinstance(spec, str):
        _check_text(spec)
    elif is_off(spec) or kind_of(spec) is not None:
        return
    elif isinstance(spec, type) or not callable(spec):
        raise EvaluatorConfigError(f"evaluator is {spec!r}: give {FORMS}")
    else:
        try:
            check_arguments(spec, "evaluator", "attempt", "criterion", at_least=1)
        except DeclarationError as error:
            raise EvaluatorConfigError(str(error)) from None


def evaluator_for(spec: Any, root: Path | None = None) -> Any:
    """Returns the Evaluator that `spec` stands for; `root` is where the path of a text form begins.

    Raises:
        EvaluatorConfigError: it is none of the kinds, or cannot be made; the message says the cure.
    """
    check_kind(spec)
    if isinstance(spec, str):
        return _from_text(spec, root)
    kind = kind_of(spec)
    if kind in ("judge", "model", "agent"):
        return _asking(spec)
    if kind == "evaluator":
        return spec() if isinstance(spec, type) else spec
    from llmeval.evaluators.function import FunctionEvaluator

    return FunctionEvaluator(spec)


def loaded(spec: Any, root: Path | None = None) -> Any:
    """Returns the object that a text such as `evals/judges.py::Quality` names; anything else as it is.

    Raises:
        DiscoveryError: there is no such file or name.
        EvaluatorConfigError: what it names is none of the kinds.
    """
    if not isinstance(spec, str) or "::" not in spec:
        return spec
    from llmeval.imports import load_object  # the one import from a line below: it reads a file of the user's

    found = load_object(spec, root)
    try:
        check_kind(found)
    except EvaluatorConfigError as error:
        raise EvaluatorConfigError(f"{spec}: {error}") from None
    return found


def kind_of(spec: object) -> str | None:
    """Returns which kind an object is by its class's names, so that no module is imported to tell."""
    classes = spec.__mro__ if isinstance(spec, type) else type(spec).__mro__
    for found in classes:
        module, name = found.__module__, found.__name__
        if module == "llmeval.evaluators.base" and name == "Evaluator":
            return "evaluator"
        if module.startswith("llmeval.evaluators.judge") and name == "Judge":
            return "judge"
        if module.startswith("llmeval.providers") and name == "Model" and not isinstance(spec, type):
            return "model"
        if (module, name) in AGENTS and not isinstance(spec, type):
            return "agent"
    return None


def _check_text(spec: str) -> None:
    if spec in ("none", "local") or "::" in spec:
        return
    provider, colon, model = spec.partition(":")
    if not colon or not provider or not model.strip():
        raise EvaluatorConfigError(f"evaluator is {spec!r}: write PROVIDER:MODEL, as in 'openai:MODEL', or {FORMS}")
    if provider not in PROVIDERS:
        raise EvaluatorConfigError(
            f"evaluator is {spec!r}: there is no provider {provider!r}; write openai:, anthropic: or decisions: before "
            "the model's name, or Model('openai:MODEL', base_url=…) for a server that speaks OpenAI's protocol"
        )


def _from_text(spec: str, root: Path | None) -> Any:
    if spec == "local":
        from llmeval.evaluators.local import LocalEvaluator

        return LocalEvaluator()
    found = loaded(spec, root)
    return _asking(found) if isinstance(found, str) else evaluator_for(found, root)


def _asking(spec: Any) -> Any:
    from llmeval.evaluators.modelled import model_evaluator

    return model_evaluator(spec)
