"""Judgement: what a Judge answered about data of one's own, outside of a run."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from llmeval.errors import EvaluatorError
from llmeval.results import Choice, Probability, Result, Score
from llmeval.usage import Usage

__all__ = ["Judgement", "Standalone"]


class Judgement(Mapping[str, Probability | Choice | Score]):
    """The answers by name: `judgement.correctness.probability`, `judgement["correctness"]`.

    `results` also has reasons, errors and the model; `usage` is what was consumed.
    """

    def __init__(self, results: Sequence[Result], usage: Usage) -> None:
        self.results = {result.name: result for result in results}
        self.usage = usage

    def __getitem__(self, name: str) -> Probability | Choice | Score:
        """Returns an answer.

        Raises:
            KeyError: there was no such question.
            EvaluatorError: the question got no answer.
        """
        result = self.results[name]
        if result.error is not None:
            raise EvaluatorError(f"{name}: {result.error.message}")
        assert isinstance(result.value, Probability | Choice | Score)
        return result.value

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self.results:
            raise AttributeError(f"there was no question {name!r}: there were {', '.join(self.results)}")
        return self[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    def __repr__(self) -> str:
        shown = [
            f"{name}={one.value if one.error is None else one.error.message!r}" for name, one in self.results.items()
        ]
        return f"Judgement({', '.join(shown)})"


class Standalone:
    """A method that runs a coroutine method to its end, on an instance or on a fresh one of the class."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, instance: Any, owner: type) -> Callable[..., Any]:
        method = getattr(owner() if instance is None else instance, self.name)

        @functools.wraps(method)
        def run(*args: Any, **options: Any) -> Any:
            return _finished(lambda: method(*args, **options))

        return run


def _finished(start: Callable[[], Any]) -> Any:
    """Returns what the coroutine returns; beside a running event loop it runs in a thread with a loop of its own."""
    import asyncio  # a declaration must not load it
    from concurrent.futures import ThreadPoolExecutor
    from contextvars import copy_context

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(start())
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(copy_context().run, lambda: asyncio.run(start())).result()
