"""A criterion: one thing that a trial's evidence is graded by."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, Any, Final

from llmeval.errors import DeclarationError

if TYPE_CHECKING:
    from llmeval.cases import Case

__all__ = ["CORRECTNESS", "Criterion"]

CORRECTNESS: Final = "correctness"
"""The built-in criterion: the evidence agrees with the case's `expected_output`."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Criterion:
    """One thing to grade by.

    `minimum` is a pass mark in the scale of a Probability or a Score. `evaluator` is one of its own, in any form that
    `@evaluation(evaluator=)` takes, or `None` for the evaluation's. `when` limits it to the cases for which it is true.

    Raises:
        DeclarationError: the name or the instructions are blank, or the minimum is not a finite number.
    """

    name: str
    instructions: str | None = None
    minimum: float | None = None
    evaluator: Any = None
    when: Callable[[Case], object] | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.strip():
            raise DeclarationError(f"a criterion's name is {self.name!r}: give it a name that is not blank")
        if self.instructions is not None and (not isinstance(self.instructions, str) or not self.instructions.strip()):
            raise DeclarationError(
                f"criterion {self.name!r}: instructions are {self.instructions!r}: write what to look for, or leave "
                "them out"
            )
        number = self.minimum
        if number is not None and (
            isinstance(number, bool) or not isinstance(number, (int, float)) or not isfinite(number)
        ):
            raise DeclarationError(f"criterion {self.name!r}: minimum is {number!r}, which is not a finite number")
        if self.when is not None and not callable(self.when):
            raise DeclarationError(f"criterion {self.name!r}: when is {self.when!r}: give a function of the case")

    @property
    def compares(self) -> bool:
        """Whether this is the built-in comparison with `expected_output`."""
        return self.name == CORRECTNESS and self.instructions is None
