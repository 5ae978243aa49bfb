"""The check of which tools an agent called."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

from llmeval.cases import OMITTED
from llmeval.checks.base import Check, Outcome, check, expected_of, shown
from llmeval.checks.differences import same_json
from llmeval.errors import EvaluatorConfigError, EvaluatorError
from llmeval.evidence import ToolCall
from llmeval.jsonable import Json

__all__ = ["tool_trajectory"]

Mode: TypeAlias = Literal["strict", "unordered", "subset", "superset"]


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A call that is expected; without arguments, with any."""

    name: str
    arguments: Mapping[str, Json] | None = None

    def allows(self, call: ToolCall, exact: bool) -> bool:
        if call.name != self.name:
            return False
        if self.arguments is None:
            return True
        if exact and call.arguments.keys() != self.arguments.keys():
            return False
        return all(
            key in call.arguments and same_json(call.arguments[key], value) for key, value in self.arguments.items()
        )

    def __str__(self) -> str:
        return self.name if self.arguments is None else f"{self.name}({_told(self.arguments)})"


def tool_trajectory(expected: Any = OMITTED, *, mode: Mode = "strict", exact_arguments: bool = False) -> Check:
    """Returns a check of the tool calls against `expected`, or else the case's `expected_output`, a list.

    A call is the tool's name, `(name, arguments)`, or `{"name": …, "arguments": …}`; without arguments it may have had
    any, and with some it must have had at least these (with `exact_arguments`, no others). `strict`: these calls in
    this order and no others. `unordered`: these in any order and no others. `subset`: none but these. `superset`: at
    least these.

    Raises:
        EvaluatorConfigError: `expected` holds something that is no call, or there is no such mode.
    """
    if mode not in get_args(Mode):
        raise EvaluatorConfigError(f"checks.tool_trajectory: mode is {mode!r}: give one of {', '.join(get_args(Mode))}")
    fixed = None if expected is OMITTED else _read(expected, EvaluatorConfigError)

    def run(attempt: Any) -> Outcome:
        wanted = fixed
        if wanted is None:
            wanted = _read(expected_of("tool_trajectory", OMITTED, attempt), EvaluatorError)
        return _compared(list(attempt.tool_calls), wanted, mode, exact_arguments)

    told = OMITTED if fixed is None else [[one.name, one.arguments] for one in fixed]
    return check("tool_trajectory", {"expected": told, "mode": mode, "exact_arguments": exact_arguments}, run)


def _read(expected: Any, error: type[Exception]) -> list[_Wanted]:
    if isinstance(expected, (str, Mapping)) or not isinstance(expected, Sequence):
        raise error(f"checks.tool_trajectory: the expected calls are {expected!r:.80}: give a list of them")
    return [_wanted(item, error) for item in expected]


def _wanted(item: Any, error: type[Exception]) -> _Wanted:
    name, arguments = item, None
    if isinstance(item, ToolCall):
        name, arguments = item.name, item.arguments
    elif isinstance(item, Mapping):
        name, arguments = item.get("name"), item.get("arguments")
    elif isinstance(item, (tuple, list)) and len(item) == 2:
        name, arguments = item
    if not isinstance(name, str) or not (arguments is None or isinstance(arguments, Mapping)):
        raise error(f"checks.tool_trajectory: {item!r:.80} is no call: give a name, or (name, arguments)")
    return _Wanted(name, arguments)


def _compared(calls: list[ToolCall], wanted: list[_Wanted], mode: Mode, exact: bool) -> Outcome:
    if mode == "strict":
        fault = _in_order(calls, wanted, exact)
    else:
        matched = _matched(calls, wanted, exact)
        missing = [str(one) for index, one in enumerate(wanted) if index not in matched]
        others = [_called(call) for index, call in enumerate(calls) if index not in matched.values()]
        fault = "; ".join(
            [f"{one} was not called" for one in missing if mode != "subset"]
            + [f"{one} was called and is not expected" for one in others if mode != "superset"]
        )
    made = ", ".join(map(_called, calls)) or "nothing"
    return (True, f"called {made}") if not fault else (False, f"{fault} (called: {made})")


def _in_order(calls: list[ToolCall], wanted: list[_Wanted], exact: bool) -> str:
    for number, (call, one) in enumerate(zip(calls, wanted, strict=False), start=1):
        if not one.allows(call, exact):
            return f"call {number} is {_called(call)}, expected {one}"
    if len(calls) < len(wanted):
        return f"call {len(calls) + 1} is missing, expected {wanted[len(calls)]}"
    return (
        f"call {len(wanted) + 1} is {_called(calls[len(wanted)])}, expected no more" if len(calls) > len(wanted) else ""
    )


def _matched(calls: list[ToolCall], wanted: list[_Wanted], exact: bool) -> dict[int, int]:
    """Returns the largest pairing of what is wanted with calls: one that allows several calls leaves others theirs."""
    taken: dict[int, int] = {}

    def place(one: int, tried: set[int]) -> bool:
        for index, call in enumerate(calls):
            if index in tried or not wanted[one].allows(call, exact):
                continue
            tried.add(index)
            if index not in taken or place(taken[index], tried):
                taken[index] = one
                return True
        return False

    for one in range(len(wanted)):
        place(one, set())
    return {one: index for index, one in taken.items()}


def _called(call: ToolCall) -> str:
    return f"{call.name}({_told(call.arguments)})"


def _told(arguments: Mapping[str, Json]) -> str:
    return ", ".join(f"{key}={shown(value, 60)}" for key, value in arguments.items())
