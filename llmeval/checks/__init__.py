"""Built-in code criteria that need no model and say why they fail.

Each function here makes an evaluator: `@criterion("names the refund", evaluator=checks.includes("refund"))`.
"""

from llmeval.checks.base import Check, negate
from llmeval.checks.budgets import max_cost, max_duration, max_tokens
from llmeval.checks.documents import json_equal, json_schema, json_valid
from llmeval.checks.numbers import numeric
from llmeval.checks.texts import exact, includes, matches, similar
from llmeval.checks.trajectories import tool_trajectory

__all__ = [
    "Check",
    "exact",
    "includes",
    "json_equal",
    "json_schema",
    "json_valid",
    "matches",
    "max_cost",
    "max_duration",
    "max_tokens",
    "negate",
    "numeric",
    "similar",
    "tool_trajectory",
]
