"""LangGraph: what a graph returns with its interrupts, and snapshots of its state."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

__all__ = ["MESSAGES", "RESULTS"]


def _output(value: Any) -> Any:
    return _interrupted(value.value, value.interrupts)


def _state(value: Any) -> Any:
    return _interrupted(value.values, value.interrupts or value.next)


def _interrupted(state: Any, interrupts: Any) -> Any:
    """Returns the state with its interrupts where a plain result of a graph has them."""
    return {**state, "__interrupt__": list(interrupts)} if interrupts and isinstance(state, Mapping) else state


RESULTS: Final[dict[str, Callable[[Any], Any]]] = {"GraphOutput": _output, "StateSnapshot": _state}

MESSAGES: Final[dict[str, Callable[[Any], Any]]] = {}
