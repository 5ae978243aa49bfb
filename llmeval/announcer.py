"""Tells subscribers what happens in a run, and keeps what the report has to say of it."""

from __future__ import annotations

from llmeval.events import Event, Note, RunFinished, RunStarted, Subscriber, TrialFinished, TrialStarted
from llmeval.plans import Plan, shown_path
from llmeval.report import Report
from llmeval.trials import Trial

__all__ = ["Announcer"]


class Announcer:
    """The subscribers of a run, called one after another; what one raises stops the run."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._run = {"run_id": plan.id, "evaluation": plan.evaluation.name}
        self.subscribers: list[Subscriber] = list(plan.options.subscribers)
        self.notes = list(plan.notes)
        """What the report says beside its figures."""
        self._stopped = False

    def started(self, resumed: int) -> None:
        """Says that the run begins, `resumed` of its trials having finished before."""
        plan = self._plan
        self._tell(
            RunStarted(
                **self._run,
                total=plan.total,
                resumed=resumed,
                criteria=tuple(criterion.name for criterion in plan.grading.criteria),
                evaluators=tuple(group.key for group in plan.grading.groups),
                dataset=shown_path(plan, plan.dataset.path),
                params=plan.params,
            )
        )
        for message in self.notes:
            self._tell(Note(**self._run, message=message))

    def trial_started(self, index: int) -> None:
        """Says that a trial begins."""
        if self.subscribers:
            case, repetition = self._plan.at(index)
            self._tell(TrialStarted(**self._run, case=case.name, repetition=repetition))

    def trial_finished(self, trial: Trial, completed: int) -> None:
        """Says that a trial is complete, and then hands it to `on_trial`; nothing more once a receiver raised."""
        if self._stopped:
            return
        self._stopped = True
        if self.subscribers:
            self._tell(
                TrialFinished(
                    **self._run,
                    total=self._plan.total,
                    completed=completed,
                    case=trial.case.name,
                    repetition=trial.repetition,
                    trial=trial,
                )
            )
        if self._plan.options.on_trial is not None:
            self._plan.options.on_trial(trial)
        self._stopped = False

    def note(self, message: str, *, kept: bool = True) -> None:
        """Says something to the person at the terminal, and, where it is `kept`, in the report; once."""
        if message in self.notes:
            return
        if kept:
            self.notes.append(message)
        self._tell(Note(**self._run, message=message))

    def finished(self, report: Report | None) -> None:
        """Says that the run ended."""
        self._tell(RunFinished(**self._run, report=report))

    def _tell(self, event: Event) -> None:
        for subscriber in self.subscribers:
            subscriber(event)
