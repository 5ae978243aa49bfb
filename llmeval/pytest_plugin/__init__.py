"""The pytest plugin: a test for each trial of an evaluation.

Every pytest run loads this module, also where nobody evaluates anything: it imports nothing but what pytest has loaded,
and what does the work is imported when the first evaluation is collected. `-p no:llmeval` switches it off.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import pytest

    from llmeval.evaluations import Evaluation

__all__ = ["EvaluationTests", "Hooks", "evaluates"]


class EvaluationTests:
    """What `evaluates` gives: an evaluation, by name or itself, and the options of its run. pytest collects it."""

    def __init__(self, evaluation: Any, options: Mapping[str, Any], line: int) -> None:
        self.evaluation = evaluation
        self.options = options
        self.line = line
        self.__name__ = "evaluates"  # pytest's marks are taken by what has a name and can be called
        self.pytestmark: list[Any] = []

    def __call__(self) -> None:
        """Raises:
        TypeError: always; pytest collects it.
        """
        raise TypeError("evaluates(…) is collected by pytest: bind it to a name that begins with test")


def evaluates(
    evaluation: str | Evaluation,
    *,
    only: str | Iterable[str] | None = None,
    dataset: Any = None,
    repetitions: int = 1,
    evaluator: Any = None,
    grading: bool = True,
    params: Mapping[str, Any] | None = None,
    timeout: float | None = None,
    retry_errors: int = 0,
) -> EvaluationTests:
    """Returns the tests of an evaluation, one for each case and repetition: `test_support = evaluates("support")`.

    `evaluation` is one, or the name of one that the project declares. The options are those of `Evaluation.run`.

    Raises:
        DeclarationError: `evaluation` is neither.
    """
    if not isinstance(evaluation, str) and not hasattr(evaluation, "declared_criteria"):
        from llmeval.errors import DeclarationError

        raise DeclarationError(f"evaluates takes an evaluation or the name of one, not {evaluation!r}")
    options = {
        "only": only,
        "dataset": dataset,
        "repetitions": repetitions,
        "evaluator": evaluator,
        "grading": grading,
        "params": params,
        "timeout": timeout,
        "retry_errors": retry_errors,
    }
    return EvaluationTests(evaluation, options, sys._getframe(1).f_lineno)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declares the options; all begin with `--llmeval`."""
    group = parser.getgroup("llmeval", "evaluations of LLM applications")
    group.addoption(
        "--llmeval",
        nargs="*",
        action="extend",
        metavar="NAME",
        help="collect the project's evaluations, or those named, as tests",
    )
    group.addoption("--llmeval-evaluator", metavar="SPEC", help="grade with this, as `llmeval run --evaluator` does")
    group.addoption("--llmeval-repetitions", type=int, metavar="N", help="make N tests of each case")


def pytest_configure(config: pytest.Config) -> None:
    """Registers the hooks, and what collects evaluation files if that is asked for."""
    config.addinivalue_line("markers", "llmeval: a trial of an evaluation; llmeval sets it itself")
    hooks = Hooks(config)
    config.pluginmanager.register(hooks, "llmeval-hooks")
    if config.pluginmanager.hasplugin("xdist"):
        config.pluginmanager.register(Nodes(hooks), "llmeval-nodes")
    if config.getoption("llmeval") is not None:
        from llmeval.pytest_plugin.files import Files

        config.pluginmanager.register(Files(config, hooks), "llmeval-files")


class Hooks:
    """What is called in every session; it does nothing until there is an evaluation."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.session: Any = None
        self.reports: Any = None

    def evaluations(self) -> Any:
        """Returns the `EvaluationSession` of this process, made when the first evaluation is collected."""
        if self.session is None:
            from llmeval.pytest_plugin.session import EvaluationSession

            self.session = EvaluationSession(self.config)
            self.config.pluginmanager.register(self.session, "llmeval-session")
        return self.session

    def pytest_pycollect_makeitem(self, collector: Any, name: str, obj: object) -> Any:
        """Makes the tests of what `evaluates` gave."""
        if type(obj) is not EvaluationTests or not collector.funcnamefilter(name):
            return None
        from llmeval.pytest_plugin.items import items_of

        return items_of(self.evaluations(), collector, name, obj)

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Takes the trial that a test's report carries, out of whatever process."""
        if hasattr(report, "llmeval_trial") and not hasattr(self.config, "workerinput"):
            self.saved().add(report.llmeval_trial)

    def saved(self) -> Any:
        """Returns the `Reports` of the whole session."""
        if self.reports is None:
            from llmeval.pytest_plugin.reports import Reports

            self.reports = Reports()
            self.config.pluginmanager.register(self.reports, "llmeval-reports")
        return self.reports


class Nodes:
    """What pytest-xdist calls: its workers' trials make one report."""

    def __init__(self, hooks: Hooks) -> None:
        self._hooks = hooks
        self._id: str | None = None

    def pytest_configure_node(self, node: Any) -> None:
        """Gives all workers the same id for their runs."""
        if self._id is None:
            from uuid import uuid4

            self._id = str(uuid4())
        node.workerinput["llmeval_id"] = self._id

    def pytest_testnodedown(self, node: Any) -> None:
        """Takes what a worker had to say at its end."""
        for id, notes in (getattr(node, "workeroutput", None) or {}).get("llmeval_notes", {}).items():
            self._hooks.saved().note(id, notes)
