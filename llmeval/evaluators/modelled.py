"""Which evaluator grades for a model, a reviewer, a judge or an agent, as `evaluator=` takes them."""

from __future__ import annotations

from typing import Any

from llmeval.evaluators.base import Evaluator
from llmeval.providers.model import Model, is_model_name

__all__ = ["model_evaluator"]


def model_evaluator(value: Any) -> Evaluator | None:
    """Returns the evaluator that `value` stands for, or `None` when it is nothing that asks a model.

    It is the name of a model or a `Model`, a `Reviewer` or a `Judge` (an instance or a subclass), or an agent of
    another framework. A model that is asked for decisions or log-probabilities makes a Judge without questions.

    Raises:
        EvaluatorConfigError: it is one of these, but wrongly made.
    """
    if isinstance(value, str):
        return _for_model(Model(value)) if is_model_name(value) else None
    if isinstance(value, Model):
        return _for_model(value)
    from llmeval.evaluators.asking import ModelEvaluator

    if isinstance(value, ModelEvaluator):
        return value
    if isinstance(value, type) and issubclass(value, ModelEvaluator):
        made: ModelEvaluator = value()
        return made
    from llmeval.evaluators.agents import agent_evaluator, is_agent

    return agent_evaluator(value) if is_agent(value) else None


def _for_model(model: Model) -> Evaluator:
    if model.wire == "decisions" or model.logprobs:
        from llmeval.evaluators.judge import Judge

        return Judge(model)
    from llmeval.evaluators.reviewer import Reviewer

    return Reviewer(model=model)
