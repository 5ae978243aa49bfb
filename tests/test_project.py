"""The project: its root, its evals folders and its settings."""

from __future__ import annotations

from pathlib import Path

import pytest

from llmeval import ConfigurationError
from llmeval.project import project_at


def folder(path: Path) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    return path


def test_the_root_is_the_nearest_folder_whose_pyproject_has_settings(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.llmeval]\nevaluator = 'local'\n")
    inner = folder(tmp_path / "services" / "a")
    (inner / "pyproject.toml").write_text("[project]\nname = 'a'\n")
    folder(inner / "evals")
    found = project_at(folder(inner / "src"))
    assert (found.root, found.settings["evaluator"]) == (tmp_path, "local")


def test_else_the_nearest_folder_with_a_pyproject(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'a'\n")
    inner = folder(tmp_path / "b")
    folder(inner / "evals")
    assert project_at(inner).root == tmp_path


def test_else_the_nearest_folder_with_evals(tmp_path: Path) -> None:
    folder(tmp_path / "evals")
    inner = folder(tmp_path / "b" / "c")
    assert project_at(inner).root == tmp_path


def test_else_the_folder_itself(tmp_path: Path) -> None:
    inner = folder(tmp_path / "b" / "c")
    assert project_at(inner).root == inner


def test_an_empty_table_of_settings_counts(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.llmeval]\n")
    inner = folder(tmp_path / "a")
    (inner / "pyproject.toml").write_text("[tool.other]\nllmeval = 1\n")
    assert project_at(inner).root == tmp_path


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[tool.llmeval\n", "is not TOML"),
        ("[tool]\nllmeval = 5\n", r"write it as a table, \[tool.llmeval\]"),
    ],
)
def test_a_broken_pyproject_is_named(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "pyproject.toml").write_text(text)
    with pytest.raises(ConfigurationError, match=message) as error:
        project_at(tmp_path)
    assert str(tmp_path / "pyproject.toml") in str(error.value)


def test_paths_replace_the_evals_folder(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.llmeval]\npaths = ['checks', 'more/evals']\n")
    found = project_at(tmp_path)
    assert found.folders == (tmp_path / "checks", tmp_path / "more/evals")
    assert found.prefix(tmp_path / "checks/billing/x.py") == "billing/"
    assert found.prefix(tmp_path / "evals/billing/x.py") == ""


def test_paths_that_are_no_list_of_texts_are_refused(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.llmeval]\npaths = 5\n")
    with pytest.raises(ConfigurationError, match="paths is 5: give a list of folders"):
        _ = project_at(tmp_path).folders


def test_a_file_is_shown_relative_to_the_root(tmp_path: Path) -> None:
    folder(tmp_path / "evals")
    found = project_at(tmp_path)
    assert found.shown(tmp_path / "evals/a.py") == str(Path("evals/a.py"))
    assert found.shown(tmp_path.parent / "a.py") == str(tmp_path.parent / "a.py")
