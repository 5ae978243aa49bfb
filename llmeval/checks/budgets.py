"""Checks of what an attempt took: time, tokens, money."""

from __future__ import annotations

from typing import Any

from llmeval.checks.base import Check, Outcome, check, finite
from llmeval.errors import EvaluatorError

__all__ = ["max_cost", "max_duration", "max_tokens"]


def max_duration(seconds: float) -> Check:
    """Returns a check that `perform` took no longer than `seconds`."""
    most = finite("max_duration", "seconds", seconds)

    def run(attempt: Any) -> Outcome:
        took = attempt.duration
        return took <= most, f"it took {took:.3g} s, {most:g} s allowed"

    return check("max_duration", {"seconds": seconds}, run)


def max_tokens(tokens: int) -> Check:
    """Returns a check that the application's requests took no more than `tokens` tokens, input and output together.

    Where no model request was seen, the check is an error and no pass.
    """
    most = finite("max_tokens", "tokens", tokens)

    def run(attempt: Any) -> Outcome:
        used = attempt.tokens
        if used is None:
            raise EvaluatorError("checks.max_tokens: no model request was seen, so the tokens are not known")
        total = used.input + used.output
        return total <= most, f"it took {total} tokens ({used.input} in, {used.output} out), {most:g} allowed"

    return check("max_tokens", {"tokens": tokens}, run)


def max_cost(dollars: float) -> Check:
    """Returns a check that the application's requests cost no more than `dollars` US dollars.

    Where no model request was seen, or a price is not known, the check is an error and no pass.
    """
    most = finite("max_cost", "dollars", dollars)

    def run(attempt: Any) -> Outcome:
        cost = attempt.cost
        if cost is None:
            raise EvaluatorError(
                "checks.max_cost: the cost is not known: no model request was seen, or a model has no price (which "
                "[tool.llmeval.prices] can set)"
            )
        return cost <= most, f"it cost ${cost:.6g}, ${most:g} allowed"

    return check("max_cost", {"dollars": dollars}, run)
