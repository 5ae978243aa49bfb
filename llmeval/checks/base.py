"""What a check is, and its negation."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any, TypeAlias

from llmeval.cases import OMITTED
from llmeval.errors import EvaluatorConfigError, EvaluatorError
from llmeval.jsonable import Json, canonical, dumps
from llmeval.results import Result

__all__ = ["Check", "Outcome", "check", "expected_of", "finite", "negate", "shown", "text_of"]

Outcome: TypeAlias = tuple[bool | None, str]
"""Whether it holds, and why; `None` when the output is nothing that it could hold or not hold for."""


@dataclass(frozen=True)
class Check:
    """A function of the attempt that returns whether the attempt passes, and why.

    `settings` is JSON text, so that reports can tell whether two runs checked the same. `negated` turns the answer
    round, but not where the output is nothing that the check could hold for: that fails either way.
    """

    name: str
    settings: str
    function: Callable[[Any], Outcome]
    negated: bool = False

    def __post_init__(self) -> None:
        # The name that a report shows for a function.
        object.__setattr__(self, "__qualname__", f"checks.{'not ' if self.negated else ''}{self.name}")

    def __call__(self, attempt: Any) -> tuple[bool, str]:
        """Returns whether `attempt` passes, and why.

        Raises:
            EvaluatorError: what the check needs is not there, such as a reference.
        """
        holds, reason = self.function(attempt)
        return holds is not None and holds is not self.negated, reason


def check(name: str, settings: Mapping[str, Json], function: Callable[[Any], Outcome]) -> Check:
    """Returns a check; settings that JSON cannot hold are a mistake of the user.

    Raises:
        EvaluatorConfigError: a setting is not JSON.
    """
    known = {key: value for key, value in settings.items() if value is not OMITTED}
    try:
        return Check(name, canonical(known), function)
    except (TypeError, ValueError) as error:
        raise EvaluatorConfigError(f"checks.{name}: a setting is not JSON ({error}): give plain values") from None


def negate(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Returns an evaluator that passes where `function` fails; an error stays an error, and *unknown* stays unknown.

    `function` is a check, or a function of your own that returns a bool, `(bool, reason)` or a `Result`.
    """
    if isinstance(function, Check):
        return replace(function, negated=not function.negated)
    return _Negated(function)


class _Negated:
    """The negation of a function of the user."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        if not callable(function):
            raise EvaluatorConfigError(f"checks.negate: {function!r} is no function: give a check or a function")
        self.function = function
        self.__qualname__ = f"checks.not {getattr(function, '__qualname__', type(function).__qualname__)}"
        # A report tells by the public texts of an object, and by its source, whether two runs checked the same.
        self.source = _source(function)

    def __call__(self, attempt: Any) -> Any:
        returned = self.function(attempt)
        return _later(returned) if isinstance(returned, Awaitable) else _opposite(returned)


async def _later(awaitable: Awaitable[Any]) -> Any:
    return _opposite(await awaitable)


def _opposite(returned: Any) -> Any:
    if isinstance(returned, bool):
        return not returned
    if isinstance(returned, tuple) and len(returned) == 2 and isinstance(returned[0], bool):
        return not returned[0], returned[1]
    if isinstance(returned, Result) and (returned.error is not None or returned.value is None):
        return returned
    if isinstance(returned, Result) and isinstance(returned.value, bool):
        return replace(returned, value=not returned.value)
    raise EvaluatorError(
        f"checks.negate: the function returned a {type(returned).__name__}, which has no opposite: return a bool, "
        "(bool, reason) or a Result with a verdict"
    )


def _source(function: Any) -> str:
    import inspect

    try:
        return inspect.getsource(function)
    except (OSError, TypeError):
        return f"{type(function).__qualname__} {getattr(function, '__qualname__', '')}"


def expected_of(name: str, expected: Any, attempt: Any) -> Json:
    """Returns what was given to the check, or else the case's reference.

    Raises:
        EvaluatorError: there is neither.
    """
    if expected is not OMITTED:
        return expected
    if attempt.has_expected_output:
        return attempt.expected_output
    raise EvaluatorError(f"checks.{name} has nothing to compare with: give it a value, or the case an expected_output")


def text_of(value: Json) -> str | None:
    """Returns text as it is and other values as JSON; `None` for null, which says nothing."""
    return value if value is None or isinstance(value, str) else dumps(value)


def shown(value: Json, limit: int = 120) -> str:
    """Returns a value as JSON that is short enough for a reason."""
    text = dumps(value)
    return text if len(text) <= limit else f"{text[: limit - 20]}… ({len(text)} characters)"


def finite(name: str, what: str, value: Any, minimum: float = 0) -> float:
    """Returns a number that is a setting.

    Raises:
        EvaluatorConfigError: it is not a finite number of at least `minimum`.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not isfinite(value) or value < minimum:
        raise EvaluatorConfigError(f"checks.{name}: {what} is {value!r}: give a finite number of at least {minimum:g}")
    return value
