"""Collects the evaluations of a project as tests: `pytest --llmeval`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

from llmeval.declarations import default_registry
from llmeval.discovery import scan
from llmeval.errors import ConfigurationError, SelectionError
from llmeval.evaluations import Evaluation
from llmeval.imports import import_file
from llmeval.project import Project, project_at
from llmeval.pytest_plugin.items import TrialItem, trial_items
from llmeval.suggestions import unknown

if TYPE_CHECKING:
    from llmeval.pytest_plugin import Hooks

__all__ = ["EvaluationFile", "Files"]


class Files:
    """Which files are collected as evaluations: those below the evals folders that declare what is asked for.

    Without a path on the command line, `--llmeval` stands in its place: pytest collects the evals folders alone, or the
    files of the evaluations named. From `addopts`, it adds them to what pytest would collect.

    Raises:
        UsageError: a name is unknown, or there is no evaluation.
    """

    def __init__(self, config: pytest.Config, hooks: Hooks) -> None:
        self.hooks = hooks
        folder = config.invocation_params.dir
        self.project = _project(folder, config.rootpath)
        try:
            self._declared = scan(self.project)
            given = [text for text in config.getoption("llmeval") if text]
            paths = [text for text in given if self._is_path(text, folder)]
            self.names = [text for text in given if text not in paths]
            self._files = self._declaring(self.names)
        except ConfigurationError as error:
            raise pytest.UsageError(str(error)) from None
        self._place(config, paths)

    def _place(self, config: pytest.Config, paths: Sequence[str]) -> None:
        """Puts the files into the place of pytest's arguments."""
        files = [str(file) for file in self._files]
        own = files if self.names else [str(folder) for folder in self.project.folders if folder.exists()]
        typed = any(argument.partition("=")[0] == "--llmeval" for argument in config.invocation_params.args)
        if config.args_source is config.ArgsSource.ARGS:
            config.args += [*paths, *(files if self.names else ())]
        elif paths:
            config.args[:] = [*paths, *(files if self.names else ())]
        elif typed:
            config.args[:] = own
        else:
            config.args += own

    def _is_path(self, text: str, folder: Path) -> bool:
        """Whether a value of `--llmeval` is not a name but one of pytest's own arguments, which it has swallowed."""
        return not any(text in one.names for one in self._declared) and (folder / text.partition("::")[0]).exists()

    def _declaring(self, names: Sequence[str]) -> list[Path]:
        """Returns the files that declare evaluations of these names, or any, told from their source.

        Raises:
            SelectionError: there is none.
        """
        declared = self._declared
        if not declared:
            folders = ", ".join(map(str, self.project.folders))
            raise SelectionError(f"no evaluation is declared below {folders}: `llmeval init` writes a first one")
        found: dict[Path, None] = {}
        for name in names:
            exact = [one.file for one in declared if name in one.names]
            files = exact or [one.file for one in declared if one.dynamic]
            if not files:
                raise SelectionError(unknown("evaluation", name, sorted(n for one in declared for n in one.names)))
            found.update(dict.fromkeys(files))
        return list(found) if names else [one.file for one in declared]

    def pytest_collection_finish(self) -> None:
        """Refuses a name that the files which may declare it do not.

        Raises:
            UsageError: it names near ones.
        """
        lost = [name for name in self.names if name not in default_registry]
        config = self.hooks.config
        if lost and not config.getoption("lf", False) and not hasattr(config, "workerinput"):
            known = sorted(evaluation.name for evaluation in default_registry)
            raise pytest.UsageError("; ".join(unknown("evaluation", name, known) for name in lost))

    @pytest.hookimpl(wrapper=True)
    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> Any:
        """Adds the evaluations of a file, and leaves out its test functions where it is not a test file as well."""
        found = yield
        if file_path not in self._files:
            return found
        patterns = parent.config.getini("python_files")
        is_test = any(file_path.match(pattern) for pattern in patterns)
        kept = [one for one in found if is_test or type(one) is not pytest.Module]
        return [*kept, EvaluationFile.from_parent(parent, path=file_path, files=self)]


class EvaluationFile(pytest.Module):
    """The evaluations that a file declares, each with a test for each of its cases."""

    def __init__(self, *, files: Files, **options: Any) -> None:
        super().__init__(**options)
        self._files = files

    def collect(self) -> list[TrialItem]:
        """Imports the file and returns the tests; no trial runs and no request is made.

        Raises:
            CollectError: the file cannot be imported, or the cases are wrong.
        """
        try:
            self._getobj()
            return [item for evaluation in self._evaluations() for item in self._items(evaluation)]
        except ConfigurationError as error:
            from llmeval.failures import error_info

            cause = error.__cause__
            text = f"{error}" if cause is None else f"{error}\n\n{error_info(cause).traceback.rstrip()}"
            raise self.CollectError(text) from None

    def _getobj(self) -> ModuleType:
        return import_file(self.path, self._files.project)

    def _evaluations(self) -> list[Evaluation]:
        names = self._files.names
        found = [evaluation for evaluation in default_registry if evaluation.file == self.path]
        return [evaluation for evaluation in found if not names or evaluation.name in names]

    def _items(self, evaluation: Evaluation) -> list[TrialItem]:
        code = getattr(evaluation.target_function, "__code__", None)
        tested = self._files.hooks.evaluations().add(evaluation, {}, code.co_firstlineno if code else 1)
        name = evaluation.name.removeprefix(self._files.project.prefix(self.path))
        return trial_items(self, name, tested)


def _project(folder: Path, root: Path) -> Project:
    """Returns the project of the working directory, or that of pytest's root where there are no evaluations."""
    project = project_at(folder)
    return project if any(path.exists() for path in project.folders) else project_at(root)
