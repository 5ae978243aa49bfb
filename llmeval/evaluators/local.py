"""The local evaluator: compares with the reference by wording alone, without a network and always with one result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Final

from llmeval.criteria import Criterion
from llmeval.evaluators.base import Evaluator, Grades, Subject
from llmeval.jsonable import Json
from llmeval.results import Result

__all__ = ["LocalEvaluator"]

VERSION: Final = 1
"""Of the comparison's rules: reports graded by different ones are not comparable."""


class LocalEvaluator(Evaluator):
    """Grades the built-in comparison with `expected_output`, and leaves every other criterion *unknown*.

    It passes an answer only when its words, numbers, units, dates and negations are those of the reference, and fails
    it only when they contradict; whatever wording alone cannot decide is unknown, with the reason.
    """

    kind: ClassVar[str] = "local"

    def identity(self) -> Mapping[str, Json]:
        """Returns the kind and the version of the rules."""
        return {"kind": self.kind, "version": VERSION}

    def evaluate(self, subject: Subject, criteria: Sequence[Criterion]) -> Grades:
        """Returns a result for each of `criteria`; equal subjects always get equal results."""
        return Grades(results=[_result(subject, criterion) for criterion in criteria])


def _question(inputs: Json) -> str:
    """Returns the question that was asked, whose words an answer may repeat; nothing when inputs are no text."""
    return inputs if isinstance(inputs, str) else ""


def _result(subject: Subject, criterion: Criterion) -> Result:
    name = criterion.name
    if not criterion.compares:
        return Result(name=name, reason=f"local cannot judge {name!r}: configure a model to grade it")
    if not subject.case.has_expected_output:
        return Result(name=name, reason="local has nothing to compare with: the case has no expected_output")
    # Only a run that grades with it pays for the comparison's word lists and patterns.
    from llmeval.evaluators.lexical import compare

    found = compare(subject.case.expected_output, subject.evidence.output, _question(subject.case.inputs))
    return Result(name=name, value=found.verdict, reason=found.reason)
