"""An attempt: what the hooks of one trial see and share."""

from __future__ import annotations

import types
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from llmeval.assertions import AssertionMethods
from llmeval.callables import check_arguments
from llmeval.cases import OMITTED, Case
from llmeval.errors import DeclarationError
from llmeval.evidence import called
from llmeval.jsonable import FrozenDict, Json, thaw

if TYPE_CHECKING:
    from llmeval.evidence import Evidence, Message, ToolCall
    from llmeval.usage import Tokens, Usage

__all__ = ["Attempt", "attempt_class"]

T = TypeVar("T")


class Attempt(AssertionMethods):
    """One try at one case, made anew for every trial.

    `input` is this trial's own mutable copy of the case's inputs; `expected_output` is a plain copy of the reference,
    `None` when it was omitted. `result` is what `perform` returned, once it has. `setup` may add attributes of its own.
    """

    input: Any
    params: Mapping[str, Any] = FrozenDict()
    lifespan: Any = None
    result: Any = None
    repetition: int = 1
    duration: float = 0.0
    _case: Case
    _evidence: Evidence | None = None
    _recorder: Any = None

    def _begin(self, case: Case, repetition: int, params: Mapping[str, Any], lifespan: Any) -> None:
        self._case = case
        self.input = thaw(case.inputs)
        self.repetition = repetition
        self.params = params
        self.lifespan = lifespan

    @property
    def case_name(self) -> str:
        """The case's name."""
        return self._case.name

    @property
    def expected_output(self) -> Any:
        """A plain copy of the reference; `None` when it was omitted, which `has_expected_output` tells apart."""
        expected = self._case.expected_output
        return None if expected is OMITTED else thaw(expected)

    @property
    def has_expected_output(self) -> bool:
        """Whether the case has a reference, be it `None`."""
        return self._case.has_expected_output

    @property
    def metadata(self) -> dict[str, Any]:
        """A plain copy of the case's metadata."""
        metadata: dict[str, Any] = thaw(self._case.metadata)
        return metadata

    @property
    def output(self) -> Json:
        """What is graded, as JSON: the value, or the last assistant text of a conversation; `None` before `perform`."""
        return None if self._evidence is None else self._evidence.output

    @property
    def messages(self) -> Sequence[Message]:
        """The messages of the returned conversation; empty when the result is not one."""
        return () if self._evidence is None else self._evidence.messages or ()

    @property
    def tool_calls(self) -> Sequence[ToolCall]:
        """The tool calls of the returned conversation, in order."""
        return () if self._evidence is None else self._evidence.tool_calls

    @property
    def tool_names(self) -> list[str]:
        """The names of the tools that were called, in order."""
        return [call.name for call in self.tool_calls]

    def called(self, name: str, **arguments: Any) -> bool:
        """Returns whether tool `name` was called with at least these arguments."""
        return called(self.tool_calls, name, arguments)

    @property
    def _usage(self) -> Usage | None:
        return None if self._recorder is None else self._recorder.usage

    @property
    def tokens(self) -> Tokens | None:
        """Tokens of the application's model requests so far; `None` when none was seen."""
        usage = self._usage
        return None if usage is None else usage.tokens

    @property
    def cost(self) -> float | None:
        """US dollars of the application's model requests so far; `None` when unknown or none was seen."""
        usage = self._usage
        return None if usage is None else usage.cost


_NAMES = frozenset(name for name in {*dir(Attempt), *Attempt.__annotations__} if not name.startswith("__"))


def attempt_class(declared: type[T]) -> type[T]:
    """Returns a class that is `declared` and an `Attempt`, for an evaluation in class form.

    Raises:
        DeclarationError: a member of `declared` hides one of an attempt's names, or it is not made without arguments.
    """
    for base in declared.__mro__:
        if base is object or base is Attempt or base in Attempt.__mro__:
            continue
        hidden = sorted(_NAMES.intersection(base.__dict__))
        if hidden:
            raise DeclarationError(
                f"{base.__qualname__} hides {', '.join(map(repr, hidden))} of the attempt: rename "
                + ("it" if len(hidden) == 1 else "them")
            )
    if declared.__init__ is not object.__init__:
        check_arguments(declared.__init__, f"__init__ of {declared.__qualname__}", "self")
    if issubclass(declared, Attempt):
        return declared
    namespace = {"__module__": declared.__module__, "__qualname__": declared.__qualname__, "__doc__": declared.__doc__}
    made: type[T] = types.new_class(declared.__name__, (declared, Attempt), {}, lambda body: body.update(namespace))
    return made
