"""The identity of a function that grades: its source, and what else it holds."""

from __future__ import annotations

import functools
from typing import Any

from llmeval.attempts import Attempt
from llmeval.evaluators.function import FunctionEvaluator


def test_the_identity_changes_with_the_source() -> None:
    def first(attempt: Attempt) -> bool:
        return len(attempt.output) < 10

    def second(attempt: Attempt) -> bool:
        return len(attempt.output) < 20

    one, two = FunctionEvaluator(first).identity(), FunctionEvaluator(second).identity()

    assert one == FunctionEvaluator(first).identity()
    assert one["name"].endswith("first")
    assert one["source"] != two["source"]


def test_the_identity_changes_with_what_a_closure_a_partial_or_an_object_holds() -> None:
    class Longer:
        def __init__(self, limit: int) -> None:
            self.limit = limit

        def __call__(self, attempt: Attempt) -> bool:
            return len(attempt.output) > self.limit

    def longer(limit: int) -> Any:
        return lambda attempt: len(attempt.output) > limit

    def long(attempt: Attempt, limit: int) -> bool:
        return len(attempt.output) > limit

    for make in (Longer, longer, lambda limit: functools.partial(long, limit=limit), lambda n: Longer(n).__call__):
        sources = [FunctionEvaluator(make(limit)).identity()["source"] for limit in (1, 1, 2)]
        assert sources[0] == sources[1] != sources[2]


def test_a_function_without_source_has_an_identity_too() -> None:
    made: dict[str, Any] = {}
    exec("def one(attempt): return len(attempt.output) > 1\ndef two(attempt): return len(attempt.output) > 2", made)

    one, two = (FunctionEvaluator(made[name]).identity()["source"] for name in ("one", "two"))

    assert one != two
