"""The function evaluator: a function of the user's grades, with whatever it knows about the attempt."""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar, Final

from llmeval.callables import where, wrapped
from llmeval.criteria import Criterion
from llmeval.errors import EvaluatorConfigError, EvaluatorError
from llmeval.evaluators.base import Evaluator, Grades, Subject
from llmeval.failures import error_info, message_of
from llmeval.jsonable import Json
from llmeval.results import Choice, Probability, Result, Score, Value

__all__ = ["FunctionEvaluator"]

RETURNS: Final = "a bool, a number (a score), (bool, reason), (number, reason), a Probability, Score, Choice or Result"


class FunctionEvaluator(Evaluator):
    """Grades each criterion by one call of `function(attempt)` or `function(attempt, criterion)`.

    The criterion is passed by position, when the function's second parameter has no default. A failing `assert` is a
    fail with its explanation as the reason; any other exception is an error of that criterion alone. A function that
    makes assertions and returns `None` passes when they hold, as a test does.

    Raises:
        EvaluatorConfigError: `function` cannot be called with an attempt.
    """

    kind: ClassVar[str] = "function"
    measures: ClassVar[bool] = True
    needs_instructions: ClassVar[bool] = False
    needs_reference: ClassVar[bool] = False

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self._wants_criterion = _wants_criterion(function)

    def identity(self) -> Mapping[str, Json]:
        """Returns the function's name and a digest of its source and settings."""
        return {"kind": self.kind, "name": self.describe(), "source": self._source}

    def asks(self, criterion: Criterion) -> Mapping[str, Json]:
        """Returns the kind and the digest of the source, which decide what a criterion means."""
        return {"kind": self.kind, "source": self._source}

    def describe(self) -> str:
        """Returns the function's qualified name."""
        return _name(self.function)

    def evaluate(self, subject: Subject, criteria: Sequence[Criterion]) -> Grades | Awaitable[Grades]:
        """Returns a result for each of `criteria`, or an awaitable of them when the function is asynchronous.

        Raises:
            EvaluatorError: there is no attempt, since saved evidence is graded again.
        """
        if subject.attempt is None:
            raise EvaluatorError(f"{self.describe()} grades live attempts, and saved evidence has none: run it again")
        outcomes = [self._outcome(subject.attempt, criterion) for criterion in criteria]
        if all(isinstance(outcome, Result) for outcome in outcomes):
            return Grades(results=outcomes)
        return self._awaited(outcomes, criteria)

    def _outcome(self, attempt: Any, criterion: Criterion) -> Any:
        """Returns a result, or what the function returned when that is to be awaited."""
        try:
            returned = self.function(attempt, criterion) if self._wants_criterion else self.function(attempt)
            if hasattr(returned, "__await__"):
                return returned
            return self._result(returned, criterion)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001 - the user's function: even its SystemExit is this criterion's
            return _failure(error, criterion)

    async def _awaited(self, outcomes: list[Any], criteria: Sequence[Criterion]) -> Grades:
        results: list[Result] = []
        try:
            for outcome, criterion in zip(outcomes, criteria, strict=True):
                done = isinstance(outcome, Result)
                results.append(outcome if done else await self._awaited_result(outcome, criterion))
        finally:
            for outcome in outcomes[len(results) :]:
                if hasattr(outcome, "close"):
                    outcome.close()
        return Grades(results=results)

    async def _awaited_result(self, awaitable: Awaitable[Any], criterion: Criterion) -> Result:
        import asyncio

        try:
            return self._result(await awaitable, criterion)
        except (KeyboardInterrupt, GeneratorExit):
            raise
        except asyncio.CancelledError as error:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise  # the run cancels the grading, not the function itself
            return _failure(error, criterion)
        except BaseException as error:  # noqa: BLE001 - as above
            return _failure(error, criterion)

    def _result(self, returned: Any, criterion: Criterion) -> Result:
        if isinstance(returned, Result):
            minimum = criterion.minimum if returned.minimum is None else returned.minimum
            return replace(returned, name=criterion.name, minimum=minimum)
        value, reason = returned, None
        if isinstance(returned, tuple) and len(returned) == 2 and (returned[1] is None or isinstance(returned[1], str)):
            value, reason = returned
        if returned is None and self._asserts:
            value, reason = True, "every assertion holds"
        graded = self._value(value, returned)
        if criterion.minimum is not None and isinstance(graded, (bool, Choice)):
            raise EvaluatorError(
                f"{self.describe()} returned {returned!r:.80}, but minimum={criterion.minimum:g} needs a number: "
                "return one, or remove the minimum"
            )
        return Result(name=criterion.name, value=graded, reason=reason, minimum=criterion.minimum)

    def _value(self, value: Any, returned: Any) -> Value:
        item = getattr(value, "item", None)
        if callable(item) and not isinstance(value, (bool, int, Probability, Score, Choice)):
            value = item()  # a scalar of NumPy or a tensor
        if isinstance(value, (bool, Probability, Score, Choice)):
            return value
        if isinstance(value, (int, float)):
            return Score(float(value))
        raise EvaluatorError(f"{self.describe()} returned {returned!r:.80}: return {RETURNS}")

    @cached_property
    def _asserts(self) -> bool:
        return _asserts(self.function)

    @cached_property
    def _source(self) -> str:
        from llmeval.evaluators.sources import source_digest

        return source_digest(self.function)


def _failure(error: BaseException, criterion: Criterion) -> Result:
    if isinstance(error, AssertionError):
        return Result(name=criterion.name, value=False, reason=message_of(error) or _failed_line(error))
    return Result(name=criterion.name, minimum=criterion.minimum, error=error_info(error))


def _failed_line(error: AssertionError) -> str:
    """Returns the source line of an `assert` that explains nothing itself."""
    import traceback

    frames = traceback.extract_tb(error.__traceback__)
    return (frames[-1].line if frames else None) or "an assertion failed"


def _name(function: Any) -> str:
    while isinstance(function, functools.partial):
        function = function.func
    return getattr(function, "__qualname__", None) or type(function).__qualname__


def _wants_criterion(function: Any) -> bool:
    import inspect

    if isinstance(function, type) or not callable(function):
        raise EvaluatorConfigError(f"evaluator is {function!r}: give a function of the attempt, or an instance")
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):  # built-in callables need not have a signature
        return False
    keywords = [one.name for one in parameters if one.kind is one.KEYWORD_ONLY and one.default is one.empty]
    places = [one for one in parameters if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
    required = [one.name for one in places if one.default is one.empty]
    unlimited = any(one.kind is one.VAR_POSITIONAL for one in parameters)
    if keywords or len(required) > 2 or not (places or unlimited):
        raise EvaluatorConfigError(
            f"{where(function)}: an evaluator is called with (attempt) or (attempt, criterion), but this one takes "
            f"{inspect.signature(function)}"
        )
    return len(required) == 2 or (len(places) > 1 and places[1].name == "criterion")


def _asserts(function: Any) -> bool:
    """Returns whether the source of a function has an `assert` or calls one of the attempt's assertion methods."""
    import ast

    from llmeval.evaluators.sources import syntax_tree

    tree = syntax_tree(wrapped(function))
    if tree is None:
        return False
    return any(
        isinstance(node, ast.Assert)
        or (isinstance(node, ast.Attribute) and node.attr.startswith(("assert_", "refute")))
        for node in ast.walk(tree)
    )
