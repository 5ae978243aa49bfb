"""A trial that is graded again: saved evidence stands where the application ran."""

from __future__ import annotations

import functools
import types
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from llmeval.assertions import Tally, counting, counts_as_one
from llmeval.attempts import Attempt
from llmeval.callables import wrapped
from llmeval.evidence import Evidence
from llmeval.executors import Lane
from llmeval.failures import error_info
from llmeval.jsonable import freeze
from llmeval.results import ErrorInfo, Result, Status
from llmeval.telemetry import RunTrace
from llmeval.trial_runner import TrialRun
from llmeval.trials import Trial
from llmeval.usage import NO_USAGE, Usage

if TYPE_CHECKING:
    from llmeval.criteria import Criterion
    from llmeval.evaluators.base import Subject
    from llmeval.grading import Group
    from llmeval.regrading import RegradePlan

__all__ = ["RegradedTrial", "has_evidence"]

REGRADED: Final = (
    "the trial was regraded from saved evidence: setup, perform, teardown and the lifespan do not run, and `result` is "
    "None"
)
"""What is said of code that may have needed more than saved evidence has."""

ASKED: Final = "_result_asked"
"""Where an attempt made of saved evidence keeps that its `result` was asked for."""


def has_evidence(trial: Trial) -> bool:
    """Returns whether the application gave something to grade, be it null."""
    if trial.evidence is not None:
        return True
    return trial.error is None and (bool(trial.evaluations) or trial.duration > 0)


class RegradedTrial(TrialRun):
    """Runs the assertions on a saved trial's evidence and grades it; one without evidence stays what it is.

    What the application consumed and how long it took are the saved trial's.
    """

    def __init__(self, plan: RegradePlan, source: Trial, lane: Lane, trace: RunTrace) -> None:
        super().__init__(plan, source.case, source.repetition, None, lane, trace)
        self._regrading = plan
        self._source = source

    async def run(self) -> Trial:
        """Returns the graded trial.

        Raises:
            Ended, KeyboardInterrupt: the run was interrupted.
        """
        if has_evidence(self._source):
            return await super().run()
        return replace(self._source, evaluator_usage=NO_USAGE, fingerprint=self.plan.fingerprint(self.case))

    def trial(self) -> Trial:
        """Returns the trial as far as it is known; requests that its assertions made count for grading."""
        source = self._source
        return replace(
            super().trial(),
            params=source.params,
            output=source.output,
            evidence=source.evidence,
            error=self.error or self._error_that_stays(),
            duration=source.duration,
            task_usage=source.task_usage,
            evaluator_usage=self.evaluator_usage + self.recorder.usage,
            retries=source.retries,
            masked=source.masked,
        )

    async def _try(self) -> None:
        self.on_try()
        self.evidence = Evidence.from_json(freeze(self._source.evidence))
        try:
            with counting() as tally:
                await self._assert(tally)
        finally:
            self.on_performed()
        await self._evaluate(self.evidence)

    async def _assert(self, tally: Tally) -> None:
        try:
            self.attempt = await self.lane.call(self._begin)
        except BaseException as error:  # noqa: BLE001 - the user's class is made; it is recorded on the trial
            self._reraise(error)
            self._record(error_info(error))
            return
        hook = self._declared("assertions")
        if await self._hook("assertions", tally) and hook is not None and not tally.count and counts_as_one(hook):
            self.assertion_count = 1
        if self.assertion_failure is not None and self._needed_result:
            self._record(ErrorInfo(type="AssertionError", message=self.assertion_failure))
            self.assertion_failure = None
        elif self.error is None and not self._regrading.hooks_changed:
            self._keep_assertions()

    def _keep_assertions(self) -> None:
        """Adds what the saved trial knows of the same hooks: those that do not run again have asserted, too."""
        self.assertion_count = max(self.assertion_count, self._source.assertion_count)
        self.assertion_failure = self.assertion_failure or self._source.assertion_failure

    def _begin(self) -> Attempt:
        attempt, source = self.plan.evaluation.new_attempt(), self._source
        kind: Any = type(attempt)  # mypy does not take it for hashable, because an Attempt is not known to be
        attempt.__class__ = _watched(kind)
        attempt._begin(self.case, self.repetition, source.params, None)
        attempt._evidence = self.evidence
        attempt._recorder = Consumed(source.task_usage)
        attempt.duration = source.duration
        return attempt

    async def _ask(self, group: Group, subject: Subject) -> list[Result]:
        """Returns a result for each criterion; asked repeatedly, the first that is no error, with the others in it."""
        ask = super()._ask
        rounds = [await ask(group, subject) for _ in range(self._regrading.repeat)]
        return [_joined(results) for results in zip(*rounds, strict=True)]

    async def _answers(self, group: Group, subject: Subject, criteria: Sequence[Criterion]) -> list[Result]:
        self._forget_result()
        results = await super()._answers(group, subject, criteria)
        if group.evaluator.kind != "function":
            return results
        return [self._explained(result) for result in results]

    def _explained(self, result: Result) -> Result:
        """Returns a code criterion's result; a failure that looked at the missing `result` is an error."""
        if result.status is Status.FAILED and self._needed_result:
            error = ErrorInfo(type="EvaluatorError", message=_with_reason(result.reason or "failed"))
            return replace(result, value=None, reason=None, error=error)
        if result.error is not None:
            return replace(result, error=replace(result.error, message=_with_reason(result.error.message)))
        return result

    @property
    def _needed_result(self) -> bool:
        return self.attempt is not None and ASKED in vars(self.attempt)

    def _forget_result(self) -> None:
        if self.attempt is not None:
            vars(self.attempt).pop(ASKED, None)

    def _record(self, error: ErrorInfo) -> None:
        super()._record(replace(error, message=_with_reason(error.message)))

    def _error_that_stays(self) -> ErrorInfo | None:
        """Returns the saved trial's error, unless the assertions raised it, which have run again."""
        error = self._source.error
        code = getattr(wrapped(self._declared("assertions")), "__code__", None)
        raised = error is not None and code is not None and f", in {code.co_name}\n" in error.traceback
        return None if raised else error


@dataclass(frozen=True, slots=True)
class Consumed:
    """What an attempt reads its tokens and cost from, where nothing is recorded any more."""

    usage: Usage


@functools.cache
def _watched(kind: type[Any]) -> type[Attempt]:
    """Returns a class like `kind` whose attempts know whether their `result` was asked for; they have none."""
    names = {"__module__": kind.__module__, "__qualname__": kind.__qualname__, "__doc__": kind.__doc__}
    members = {**names, "__slots__": (), "result": property(_result)}
    made: type[Attempt] = types.new_class(kind.__name__, (kind,), {}, lambda body: body.update(members))
    return made


def _result(attempt: Attempt) -> None:
    vars(attempt)[ASKED] = True


def _with_reason(message: str) -> str:
    return f"{message} ({REGRADED})"


def _joined(results: Sequence[Result]) -> Result:
    best = next((place for place, one in enumerate(results) if one.error is None), 0)
    return replace(results[best], repeats=tuple(one for place, one in enumerate(results) if place != best))
