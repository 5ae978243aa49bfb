"""Lexical comparison: whether two JSON values say the same, as far as their wording can tell."""

from llmeval.evaluators.lexical.agreement import Agreement
from llmeval.evaluators.lexical.structure import compare

__all__ = ["Agreement", "compare"]
