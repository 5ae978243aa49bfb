"""A test for one trial of an evaluation."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from llmeval.cases import Case
from llmeval.declarations import default_registry
from llmeval.discovery import named
from llmeval.errors import ConfigurationError
from llmeval.project import project_at
from llmeval.pytest_plugin.session import CannotRun, EvaluationSession, Tested
from llmeval.render.text import clean
from llmeval.render.trial_text import headline, location, trial_text
from llmeval.trials import Trial

if TYPE_CHECKING:
    from llmeval.pytest_plugin import EvaluationTests

__all__ = ["TrialFailed", "TrialItem", "items_of", "trial_items"]


class TrialFailed(Exception):
    """A trial whose status is not *passed*; its text is what the user is shown."""

    def __init__(self, trial: Trial) -> None:
        super().__init__(trial_text(trial))
        self.trial = trial


class TrialItem(pytest.Function):
    """Runs one trial. It is a test function to pytest, so that fixtures and marks apply, but calls none."""

    tested: Tested
    case: Case
    repetition: int
    trial: Trial | None = None

    @property
    def id(self) -> Any:
        """The id with its parts, as pytest 9 reads it back from its cache for `--lf`."""
        whole = super().id
        return type(whole).parse(str(whole))

    def runtest(self) -> None:
        """Runs the trial.

        Raises:
            TrialFailed: its status is not *passed*.
        """
        self.trial = None
        trial = self.tested.run(self.case, self.repetition)
        if (reason := _skipped(trial)) is not None:
            pytest.skip(reason)
        self.trial = trial
        if not trial.passed:
            raise TrialFailed(trial)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Returns what is known of the trial; of what a fixture raised, what pytest says of it."""
        error = excinfo.value
        if isinstance(error, TrialFailed):
            return _shown(excinfo, headline(error.trial), *(location(error.trial) or self._place()))
        if isinstance(error, CannotRun):
            return _shown(excinfo, str(error).rpartition("\n")[2], *self._place())
        return super().repr_failure(excinfo)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Returns where the test is declared."""
        return self.path, self.tested.line - 1, self.name

    def _place(self) -> tuple[str, int]:
        return str(self.path), self.tested.line


def items_of(session: EvaluationSession, collector: Any, name: str, tests: EvaluationTests) -> list[TrialItem]:
    """Returns the tests of what `evaluates` gave in a test file; no trial runs and no request is made.

    Raises:
        CollectError: the evaluation or its cases cannot be found.
    """
    try:
        evaluation = tests.evaluation
        if isinstance(evaluation, str):
            evaluation = named(evaluation, project_at(collector.path.parent), default_registry)
        tested = session.add(evaluation, tests.options, tests.line)
        return list(trial_items(collector, name, tested, tests.pytestmark))
    except ConfigurationError as error:
        raise collector.CollectError(f"{name}: {error}") from None


def trial_items(collector: Any, name: str, tested: Tested, marks: Any = ()) -> list[TrialItem]:
    """Returns a test for each case and repetition, such as `test_support[unopened_return]`."""
    found: dict[str, TrialItem] = {}
    for case in tested.cases:
        for repetition in range(1, tested.options.repetitions + 1):
            id = _id(case.name) + (f"-{repetition}" if repetition > 1 else "")
            while (full := f"{name}[{id}]") in found:
                id += "_"
            item = TrialItem.from_parent(collector, name=full, callobj=_function(marks))
            item.tested, item.case, item.repetition = tested, case, repetition
            item.add_marker(pytest.mark.llmeval)
            found[full] = item
    return list(found.values())


def _shown(excinfo: pytest.ExceptionInfo[BaseException], summary: str, file: str, line: int) -> Any:
    """Returns the exception's text as pytest's kind of report, with its summary and its place."""
    shown = excinfo.getrepr(style="value")
    if shown.reprcrash is not None:
        shown.reprcrash.path, shown.reprcrash.lineno, shown.reprcrash.message = file, line, summary
    return shown


def _function(marks: Any) -> Callable[[], None]:
    """Returns what pytest takes marks and fixtures from."""

    def trial() -> None:
        """Is never called."""

    trial.pytestmark = list(marks)  # type: ignore[attr-defined]  # where pytest keeps marks
    return trial


def _id(name: str) -> str:
    """Returns a case's name fit for a test's id, which goes through terminals, XML and the environment."""
    return clean(name).replace("\n", "\\n")


def _skipped(trial: Trial) -> str | None:
    """Returns the reason if the user's code called `pytest.skip`."""
    if trial.error is None or trial.error.type != "Skipped":
        return None
    return trial.error.message if f"\nSkipped: {trial.error.message}" in trial.error.traceback else None
