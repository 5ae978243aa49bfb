"""What every evaluator is: shown a subject, asked for criteria, it answers with a result for each."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from llmeval.cases import Case
from llmeval.criteria import Criterion
from llmeval.errors import EvaluatorConfigError
from llmeval.evidence import Evidence
from llmeval.jsonable import Json
from llmeval.results import Result
from llmeval.usage import NO_USAGE, Usage

__all__ = ["Evaluator", "Grades", "RequestCount", "Subject"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Subject:
    """What an evaluator is shown of one trial.

    `attempt` is the live attempt, for evaluators that are functions of the user, or one that is made of saved evidence;
    `None` when there is neither. A model is shown inputs, reference, metadata and evidence, never the case's name.
    """

    case: Case
    evidence: Evidence
    attempt: Any = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Grades:
    """One evaluator's answer for one trial: a result for each criterion, in their order, and what it consumed."""

    results: Sequence[Result]
    usage: Usage = NO_USAGE


@dataclass(frozen=True, kw_only=True, slots=True)
class RequestCount:
    """How many model requests grading one trial makes; `exact` is false where it may be more."""

    requests: int
    exact: bool = True


class Evaluator:
    """Grades one trial by one or more criteria; the base of every kind.

    An instance serves a whole run, from several threads and tasks at once: `evaluate` keeps no state of a trial.
    """

    kind: ClassVar[str]
    """The kind's name in reports."""

    measures: ClassVar[bool] = False
    """Whether it may give probabilities or scores, so that a criterion's `minimum` has a meaning."""

    needs_instructions: ClassVar[bool] = True
    """Whether a criterion other than the built-in comparison must say what to look for."""

    needs_reference: ClassVar[bool] = True
    """Whether the built-in comparison, graded by it, needs the case's `expected_output`; a function may do without."""

    note: Callable[..., object] = staticmethod(lambda message, **_: None)
    """What it calls with a line for the person at the terminal; a run sets it on the instance."""

    def identity(self) -> Mapping[str, Json]:
        """Returns what makes its verdicts comparable with another run's: kind, model, settings, prompt version."""
        return {"kind": self.kind}

    def describe(self) -> str:
        """Returns a short name for people, such as `openai:gpt-6-luna`."""
        return self.kind

    def check(self, criteria: Sequence[Criterion]) -> None:
        """Refuses criteria that it cannot grade.

        Raises:
            EvaluatorConfigError: before the first trial, with the cure.
        """
        for criterion in criteria:
            if criterion.minimum is not None and not self.measures:
                raise EvaluatorConfigError(
                    f"criterion {criterion.name!r}: minimum={criterion.minimum} needs a probability or a score, but "
                    f"{self.describe()} gives verdicts: remove the minimum, or grade it with a Judge"
                )
            if criterion.instructions is None and self.needs_instructions and not criterion.compares:
                raise EvaluatorConfigError(
                    f"criterion {criterion.name!r} has no instructions: say what to look for, as in "
                    f"@criterion({criterion.name!r}, 'The answer …')"
                )

    def asks(self, criterion: Criterion) -> Mapping[str, Json]:
        """Returns what is asked beyond a criterion's declaration: its kind, a Judge's question, a function's source."""
        return {"kind": "verdict"}

    def own_criteria(self) -> Sequence[Criterion]:
        """Returns the criteria that it brings along, as a Judge does with its questions."""
        return ()

    def requests(self, criteria: Sequence[Criterion]) -> RequestCount:
        """Returns how many model requests one trial needs."""
        return RequestCount(requests=0)

    def evaluate(self, subject: Subject, criteria: Sequence[Criterion]) -> Grades | Awaitable[Grades]:
        """Returns a result for each of `criteria`, in their order, or an awaitable of them.

        It is called in the trial's own thread and context; what it returns to be awaited runs on the run's event loop.
        Whatever it raises becomes an error on each of `criteria`.
        """
        raise NotImplementedError(f"{type(self).__name__} does not say how to evaluate")

    def find_limit(self) -> None:
        """Finds out by itself how many requests at once its server takes, as a run of `auto` concurrency asks."""

    async def aclose(self) -> None:
        """Frees what it holds, on the run's event loop, when the run ends."""
