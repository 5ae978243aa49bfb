"""One trial: setup, perform, evidence, assertions, grading, teardown, and what is recorded of them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING, Any

from llmeval.adapters import snapshot
from llmeval.assertions import Tally, counting, counts_as_one
from llmeval.attempts import Attempt
from llmeval.capture import Recorder, recording
from llmeval.errors import EvaluatorError
from llmeval.evaluators.base import Grades, Subject
from llmeval.executors import Ended, Lane, TimedOut
from llmeval.failures import error_info, message_of
from llmeval.results import ErrorInfo, Result, Status
from llmeval.telemetry import RunTrace
from llmeval.trials import Trial
from llmeval.usage import NO_USAGE, Usage

if TYPE_CHECKING:
    from llmeval.cases import Case
    from llmeval.criteria import Criterion
    from llmeval.evidence import Evidence
    from llmeval.grading import Group
    from llmeval.plans import Plan

__all__ = ["TrialRun"]


class TrialRun:
    """Runs one trial through its lane, and keeps what becomes known so that the trial can be told at any moment."""

    def __init__(self, plan: Plan, case: Case, repetition: int, lifespan: Any, lane: Lane, trace: RunTrace) -> None:
        self.plan = plan
        self.case = case
        self.repetition = repetition
        self.lane = lane
        self.lifespan = lifespan
        self.recorder = Recorder()
        self.evaluator_usage = NO_USAGE
        self.retries = 0
        self.on_try: Callable[[], object] = _nothing
        """Called when a try begins, from whatever thread it runs in."""
        self.on_performed: Callable[[], object] = _nothing
        """Called, likewise, when the part of it that the timeout bounds is over."""
        self._run_trace = trace
        self._reset()

    def _reset(self) -> None:
        self.attempt: Attempt | None = None
        self.evidence: Evidence | None = None
        self.error: ErrorInfo | None = None
        self.assertion_failure: str | None = None
        self.assertion_count = 0
        self.results: list[Result] = []
        self.started = 0.0
        self.duration = 0.0

    async def run(self) -> Trial:
        """Returns the finished trial; one that ends in an error is tried again as often as the run's options say.

        Raises:
            Ended, KeyboardInterrupt: the run was interrupted; teardown has run.
        """
        self.recorder.start()
        try:
            with self._run_trace.trial(self.case.name, self.repetition, self.plan.params) as self.trace:
                await self._try()
                while self.error is not None and self.retries < self.plan.options.retry_errors:
                    self.retries += 1
                    self._reset()
                    await self._try()
                trial = self.trial()
                self.trace.finished(trial)
                return trial
        finally:
            self.recorder.stop()

    async def _try(self) -> None:
        interruption: BaseException | None = None
        self.on_try()
        try:
            with self.trace.phase("perform"):
                await self._perform_in_time()
            if self.evidence is not None:
                await self._evaluate(self.evidence)
        except TimedOut:
            self.time_out()
        except (Ended, KeyboardInterrupt) as ended:
            interruption = ended
        await self._teardown()
        if interruption is not None:
            raise interruption

    def time_out(self) -> None:
        """Records that the time was up; what was returned after it is not graded."""
        seconds = f"{self.plan.timeout:g}"
        self._record(ErrorInfo(type="TimeoutError", message=f"setup to assertions took longer than {seconds} s"))
        self.evidence = None
        if self.started and not self.duration:
            self.duration = perf_counter() - self.started

    def trial(self) -> Trial:
        """Returns the trial as far as it is known."""
        evidence = self.evidence
        return Trial(
            case=self.case,
            repetition=self.repetition,
            params=self.plan.params,
            result=None if self.attempt is None else self.attempt.result,
            output=None if evidence is None else evidence.output,
            evidence=None if evidence is None else evidence.to_json(),
            evaluations=tuple(self.results),
            not_applicable=self.plan.groups(self.case)[1],
            assertion_count=self.assertion_count,
            assertion_failure=self.assertion_failure,
            error=self.error,
            duration=self.duration,
            task_usage=self._task_usage(),
            evaluator_usage=self.evaluator_usage,
            retries=self.retries,
            fingerprint=self.plan.fingerprint(self.case),
        )

    # The parts, in their order

    async def _perform_in_time(self) -> None:
        try:
            with counting() as tally:
                await self._perform(tally)
        except TimedOut:
            self.time_out()
        finally:
            self.on_performed()

    async def _perform(self, tally: Tally) -> None:
        try:
            is_class = self.plan.evaluation.is_class
            self.attempt = await self.lane.call(self._begin) if is_class else self._begin()
            if not await self._hook("setup", tally):
                return
            await self._call_application(tally)
        except BaseException as error:  # noqa: BLE001 - the user's code; it is recorded on the trial
            self._reraise(error)
            self._record(error_info(error))
            return
        if await self._hook("assertions", tally) and not tally.count and counts_as_one(self._declared("assertions")):
            self.assertion_count = 1

    def _begin(self) -> Attempt:
        attempt = self.plan.evaluation.new_attempt()
        attempt._begin(self.case, self.repetition, self.plan.params, self.lifespan)
        attempt._recorder = self.recorder
        return attempt

    async def _call_application(self, tally: Tally) -> None:
        attempt, call, evaluation = self._known_attempt(), self.lane.call, self.plan.evaluation
        perform = attempt.perform if evaluation.is_class else evaluation.target  # type: ignore[attr-defined]
        asserted = tally.count
        self.started = perf_counter()
        try:
            if evaluation.gives_attempt:
                value = await call(perform, attempt.input, attempt)
            else:
                value = await call(perform, attempt.input)
            if is_lazy(value):
                value = await call(_collect if hasattr(value, "__anext__") else list, value)
        finally:
            self.duration = attempt.duration = perf_counter() - self.started
            tally.count = asserted  # what the application asserts is its own business
        attempt.result = value
        adapters = evaluation.adapters
        if any(adapters):
            self.evidence = await call(snapshot, value, adapters)
        else:  # no code of the user's runs, so that an async trial needs no thread
            self.evidence = snapshot(value, adapters)
        attempt._evidence = self.evidence

    async def _hook(self, name: str, tally: Tally) -> bool:
        """Runs a hook and returns whether it returned; a failed assertion and an error are recorded."""
        hook = self._bound(name)
        if hook is None:
            return True
        try:
            await self.lane.call(*hook)
        except AssertionError as failure:
            self.assertion_failure = self.assertion_failure or message_of(failure) or "assertion failed"
            self.assertion_count = max(tally.count, 1)
            return False
        except BaseException as error:  # noqa: BLE001 - the user's code; it is recorded on the trial
            self._reraise(error)
            self._record(error_info(error))
            return False
        finally:
            self.assertion_count = max(self.assertion_count, tally.count)
        return True

    async def _evaluate(self, evidence: Evidence) -> None:
        with self.trace.phase("evaluate") as phase:
            await self._grade(evidence)
            self.trace.results(phase, self.results, self.recorder.response_id)

    async def _grade(self, evidence: Evidence) -> None:
        groups = self.plan.groups(self.case)[0]
        subject = Subject(case=self.case, evidence=evidence, attempt=self.attempt)
        for group in groups:
            self.results += await self._ask(group, subject)
        criteria = self.plan.grading.criteria
        if not self.plan.options.grading:
            self.results = [Result(name=one.name, reason="not graded") for one in criteria]
        elif len(groups) > 1:
            order = {criterion.name: place for place, criterion in enumerate(criteria)}
            self.results.sort(key=lambda result: order[result.name])

    async def _ask(self, group: Group, subject: Subject) -> list[Result]:
        """Returns a result for each of the group's criteria; those that ended in an error are asked for again."""
        found: dict[str, Result] = {}
        left: Sequence[Criterion] = group.criteria
        for _ in range(self.plan.options.retry_errors + 1):
            found.update((result.name, result) for result in await self._answers(group, subject, left))
            left = [criterion for criterion in left if found[criterion.name].status is Status.ERROR]
            if not left:
                break
        return [found[criterion.name] for criterion in group.criteria]

    async def _answers(self, group: Group, subject: Subject, criteria: Sequence[Criterion]) -> list[Result]:
        told = NO_USAGE
        try:
            with recording(strays=False) as seen:
                grades = await self.lane.call(group.evaluator.evaluate, subject, criteria)
            told = grades.usage
            return _checked(grades, criteria)
        except BaseException as error:  # noqa: BLE001 - the user's code; it is recorded on the trial
            self._reraise(error)
            why = error_info(error)
            return [Result(name=one.name, minimum=one.minimum, error=why) for one in criteria]
        finally:
            self.evaluator_usage += told if told.requests else seen.usage

    async def _teardown(self) -> None:
        if self.attempt is not None:
            with counting() as tally:
                tally.count = self.assertion_count
                await self._hook("teardown", tally)

    # What they share

    def _task_usage(self) -> Usage:
        """What the application's requests consumed; what its result says of them counts only when none was seen."""
        seen, evidence = self.recorder.usage, self.evidence
        return seen if seen.requests or evidence is None or evidence.usage is None else evidence.usage

    def _declared(self, name: str) -> Callable[..., Any] | None:
        evaluation = self.plan.evaluation
        return getattr(evaluation.target, name, None) if evaluation.is_class else evaluation.hook(name)

    def _bound(self, name: str) -> tuple[Any, ...] | None:
        """Returns a hook and its arguments, if it is declared."""
        attempt, evaluation = self._known_attempt(), self.plan.evaluation
        if evaluation.is_class:
            method = getattr(attempt, name, None)
            return None if method is None else (method,)
        hook = evaluation.hook(name)
        return None if hook is None else (hook, attempt)

    def _known_attempt(self) -> Attempt:
        assert self.attempt is not None
        return self.attempt

    def _record(self, error: ErrorInfo) -> None:
        if self.error is None:
            self.error = error

    def _reraise(self, error: BaseException) -> None:
        """Raises what ends the trial rather than being recorded on it: an interruption, or the end of its time."""
        if isinstance(error, Ended) or (isinstance(error, KeyboardInterrupt) and self.lane.interruptible):
            raise error


def _nothing() -> None:
    """Is called where nobody wants to know."""


def is_lazy(value: object) -> bool:
    """Returns whether `value` is a generator or another of Python's own iterators, which can be read only once."""
    kind = type(value)
    return kind.__module__ in ("builtins", "itertools") and (hasattr(kind, "__next__") or hasattr(kind, "__anext__"))


async def _collect(values: AsyncIterator[Any]) -> list[Any]:
    return [value async for value in values]


def _checked(grades: Grades, criteria: Sequence[Criterion]) -> list[Result]:
    results = list(grades.results)
    if [result.name for result in results] != [criterion.name for criterion in criteria]:
        raise EvaluatorError(
            f"the evaluator answered for {[result.name for result in results]!r}, but was asked for "
            f"{[criterion.name for criterion in criteria]!r}"
        )
    return [
        result if result.minimum is not None or one.minimum is None else replace(result, minimum=one.minimum)
        for result, one in zip(results, criteria, strict=True)
    ]
