"""The files that `llmeval init` writes."""

from __future__ import annotations

from typing import Final

__all__ = ["FILES", "NEXT"]

_EVALUATION: Final = '''\
"""A first evaluation: `llmeval run greeting` runs it, `llmeval cases greeting` lists its cases."""

from llmeval import Attempt, criterion, evaluation


def greet(name: str) -> str:
    """Stands for your application: call your agent, chain or prompt here."""
    return f"Hello {name}, how can I help you today?"


@evaluation(evaluator="local")  # "anthropic:MODEL" or "openai:MODEL" lets a model judge
@criterion("correctness")  # compares what is returned with expected_output
def greeting(name: str) -> str:
    return greet(name)


@greeting.assertions
def greets_by_name(attempt: Attempt) -> None:
    assert attempt.input in attempt.output
'''

_CASES: Final = """# One case per situation that matters. Say what a good answer is.
cases:
  - name: plain_name
    inputs: Ada
    expected_output: Hello Ada, how can I help you today?
  - name: name_with_accents
    inputs: Zoë
    expected_output: Hello Zoë, how can I help you today?
"""

FILES: Final = {"greeting.py": _EVALUATION, "greeting.yaml": _CASES}
"""The starter's files by path below the folder of the evaluations."""

NEXT: Final = """\
  llmeval run greeting      runs it; no key and no network are needed
  llmeval cases greeting    lists its cases
Then let `greeting` call your own application, and write cases that matter to you."""
