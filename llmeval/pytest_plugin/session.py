"""The evaluations that the tests of one process run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pytest

from llmeval.cases import Case
from llmeval.errors import ConfigurationError
from llmeval.evaluations import Evaluation
from llmeval.failures import error_info
from llmeval.jsonable import dumps
from llmeval.options import Options, parse_require
from llmeval.selection import select, sourced
from llmeval.trials import Trial

if TYPE_CHECKING:
    from llmeval.singles import SingleTrials

__all__ = ["CannotRun", "EvaluationSession", "Tested"]


class CannotRun(Exception):
    """No trial of an evaluation can run; the text says why."""


class Tested:
    """One evaluation with the options of its run, which makes one report; its plan is made when its first test runs.

    Raises:
        ConfigurationError: an option has no meaning, or the cases are wrong.
    """

    def __init__(self, evaluation: Evaluation, options: Options, line: int) -> None:
        self.evaluation = evaluation
        self.line = line
        """Where it is declared, in the file that the tests are collected from."""
        dataset = sourced(evaluation, options.dataset)
        self.cases = select(dataset.cases, only=options.only)
        if evaluation.require is not None and options.repetitions == 1:
            options = replace(options, repetitions=parse_require(evaluation.require).trials)
        self._asked = options
        self.options = replace(options, dataset=dataset)
        self.selected: list[tuple[Case, int]] = []
        """What pytest is going to run, in dataset and repetition order; known when it has collected everything."""
        self._trials: SingleTrials | None = None
        self._failure: str | None = None
        self._places: dict[tuple[str, int], int] = {}
        self._told = False

    def run(self, case: Case, repetition: int) -> Trial:
        """Returns the finished trial.

        Raises:
            CannotRun: the evaluation is wrongly configured, or its lifespan raised; it is raised for every trial.
        """
        if self._failure is None:
            try:
                trials = self._begun()
                return trials.run(self._places[case.name, repetition])
            except ConfigurationError as error:
                self._failure = f"{type(error).__name__}: {error}"
            except Exception as error:  # noqa: BLE001 - the user's lifespan
                self._failure = error_info(error).traceback.rstrip()
        raise CannotRun(self._failure) from None

    def carried(self, trial: Trial) -> dict[str, Any]:
        """Returns what a test's report carries to where the evaluation's report is saved, as JSON."""
        trials = self._begun()
        data: dict[str, Any] = {"run": self.run_key, "trial": trial.to_line(), "notes": list(trials.notes)}
        if not self._told:
            self._told = True
            head = trials.head()
            head["options"]["dataset"] = self._asked.to_json()["dataset"]
            selected = [[case.name, number] for case, number in self.selected]
            data |= {"head": dumps(head), "selected": selected, "root": str(self.evaluation.project.root)}
        return data

    @property
    def run_key(self) -> str:
        """What tells its run from the others of the session, in all processes."""
        return f"{self.evaluation.name}@{self.options.id}"

    def close(self) -> list[str]:
        """Frees what the trials shared, and returns what the report has to say of it."""
        if self._trials is None:
            return []
        self._trials.close()
        return list(self._trials.notes)

    def _begun(self) -> SingleTrials:
        if self._trials is None:
            from llmeval.plans import build_plan
            from llmeval.singles import SingleTrials

            names = list(dict.fromkeys(case.name for case, _ in self.selected))
            plan = build_plan(self.evaluation, replace(self.options, only=names))
            numbered = ((index, *plan.at(index)) for index in range(plan.total))
            self._places = {(case.name, repetition): index for index, case, repetition in numbered}
            self._trials = SingleTrials(plan)
        return self._trials


class EvaluationSession:
    """The evaluations of a process, and what pytest tells it."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        given: Mapping[str, Any] = getattr(config, "workerinput", {})
        self._id = given.get("llmeval_id") or str(uuid4())
        self._tested: list[Tested] = []

    def add(self, evaluation: Evaluation, options: Mapping[str, Any], line: int) -> Tested:
        """Returns the evaluation with its options, less those that the command line replaces.

        Raises:
            ConfigurationError: it cannot be tested.
        """
        earlier = sum(tested.evaluation.name == evaluation.name for tested in self._tested)
        id = f"{self._id}.{earlier + 1}" if earlier else self._id
        given = {name: self._config.getoption(f"llmeval_{name}") for name in ("evaluator", "repetitions")}
        said = {**options, **{name: value for name, value in given.items() if value is not None}}
        tested = Tested(evaluation, Options(**said, id=id), line)
        self._tested.append(tested)
        return tested

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Learns which tests are going to run."""
        from llmeval.pytest_plugin.items import TrialItem

        asked: dict[int, set[tuple[str, int]]] = {}
        for item in session.items:
            if isinstance(item, TrialItem):
                asked.setdefault(id(item.tested), set()).add((item.case.name, item.repetition))
        for tested in self._tested:
            wanted = asked.get(id(tested), set())
            numbers = range(1, tested.options.repetitions + 1)
            every = ((case, number) for case in tested.cases for number in numbers)
            tested.selected = [one for one in every if (one[0].name, one[1]) in wanted]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> Any:
        """Has the report of a test carry its trial, also from a worker to where reports are saved."""
        report = yield
        from llmeval.pytest_plugin.items import TrialItem

        if isinstance(item, TrialItem) and call.when == "call" and item.trial is not None:
            report.llmeval_trial = item.tested.carried(item.trial)
        return report

    def pytest_sessionfinish(self) -> None:
        """Frees what the evaluations shared."""
        notes = {tested.run_key: said for tested in self._tested if (said := tested.close())}
        if hasattr(self._config, "workeroutput"):
            self._config.workeroutput["llmeval_notes"] = notes
        elif (hooks := self._config.pluginmanager.get_plugin("llmeval-hooks")) and hooks.reports is not None:
            for run, said in notes.items():
                hooks.reports.note(run, said)
