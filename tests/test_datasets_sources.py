"""Where cases come from: the file beside the evaluation, a path, code, or a function."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from llmeval.cases import OMITTED, Case
from llmeval.datasets import Dataset, discover, find, from_items, source
from llmeval.errors import DatasetError


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "evals").mkdir()
    return tmp_path


def write(path: Path, name: str = "a") -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text(f'{{"name": "{name}", "inputs": 1}}\n', encoding="utf-8")
    return path


def names(value: Any, project: Path | None = None, **options: Any) -> list[str]:
    if project is not None:
        options = {"eval_file": project / "evals" / "support.py", "root": project, **options}
    dataset = source(value, **options)
    assert isinstance(dataset, Dataset)
    return [case.name for case in dataset]


def refusal(items: Any, name: str = "cases of support") -> list[str]:
    with pytest.raises(DatasetError) as caught:
        from_items(items, name)
    return str(caught.value).splitlines()


@pytest.mark.parametrize("suffix", ["yml", "yaml", "json", "jsonl"])
def test_the_dataset_of_an_evaluation_is_the_file_with_its_name(project: Path, suffix: str) -> None:
    path = write(project / "evals" / f"support.{suffix}")
    write(project / "evals" / "support.txt")
    write(project / "evals" / "other.yaml")
    assert discover(project / "evals", "support") == path


def test_no_dataset_is_an_error_that_lists_where_it_was_looked_for(project: Path) -> None:
    with pytest.raises(DatasetError) as caught:
        discover(project / "evals", "support", root=project)
    assert str(caught.value) == (
        "'support' has no dataset: write one of evals/support.yml, evals/support.yaml, evals/support.json, "
        "evals/support.jsonl, or name another with dataset=…"
    )


def test_more_than_one_dataset_is_an_error_that_lists_them(project: Path) -> None:
    write(project / "evals" / "support.yaml")
    write(project / "evals" / "support.jsonl")
    with pytest.raises(DatasetError) as caught:
        discover(project / "evals", "support", root=project)
    assert str(caught.value) == (
        "'support' has 2 datasets: evals/support.yaml, evals/support.jsonl: keep one, or name it with dataset=…"
    )


def test_a_folder_with_the_name_of_a_dataset_is_not_one(project: Path) -> None:
    (project / "evals" / "support.yaml").mkdir()
    with pytest.raises(DatasetError, match="has no dataset"):
        discover(project / "evals", "support")


@pytest.mark.parametrize("kind", [str, Path])
def test_a_path_is_relative_to_the_eval_file_or_to_the_root(project: Path, kind: Any) -> None:
    write(project / "evals" / "beside.jsonl", "beside")
    write(project / "data" / "central.jsonl", "central")
    assert names(kind("beside.jsonl"), project) == ["beside"]
    assert names(kind("data/central.jsonl"), project) == ["central"]
    assert names(kind(project / "data" / "central.jsonl"), project) == ["central"]


def test_a_path_that_means_two_different_files_is_an_error(project: Path) -> None:
    one = write(project / "evals" / "x.jsonl", "one")
    other = write(project / "x.jsonl", "other")
    with pytest.raises(DatasetError) as caught:
        names("x.jsonl", project)
    assert str(caught.value) == (
        f"the dataset 'x.jsonl' means two different files: {one} and {other}: write the path out in full"
    )


def test_a_path_that_means_two_files_with_one_content_is_fine(project: Path) -> None:
    one = write(project / "evals" / "x.jsonl", "same")
    write(project / "x.jsonl", "same")
    assert find("x.jsonl", eval_file=project / "evals" / "support.py", root=project) == one


def test_a_path_that_leads_nowhere_lists_where_it_was_looked_for(project: Path) -> None:
    with pytest.raises(DatasetError) as caught:
        names("x.jsonl", project)
    assert str(caught.value) == (
        f"the dataset 'x.jsonl' is not there: looked for {project}/evals/x.jsonl, {project}/x.jsonl"
    )


def test_without_a_file_or_root_a_path_is_taken_as_it_is(project: Path) -> None:
    assert names(write(project / "x.jsonl")) == ["a"]


def test_cases_and_dicts_may_be_mixed() -> None:
    assert names([Case("a", 1), {"name": "b", "inputs": [1], "expected_output": None}]) == ["a", "b"]


def test_cases_from_code_have_the_given_name_and_no_path() -> None:
    dataset = from_items([Case("a", 1)], "support")
    assert (dataset.name, dataset.path, dataset.notes) == ("support", None, ())


def test_dicts_give_the_cases_that_a_file_would_give() -> None:
    (case,) = from_items([{"name": 1, "inputs": {"a": (1, 2)}, "metadata": None}], "x").cases
    assert case == Case("1", {"a": [1, 2]})
    with pytest.raises(TypeError, match="frozen"):
        case.inputs["a"].append(3)


def test_an_omitted_and_a_null_reference_in_dicts_differ() -> None:
    cases = from_items(
        [
            {"name": "a", "inputs": 1, "expected_output": None},
            {"name": "b", "inputs": 1},
            {"name": "c", "inputs": 1, "expected_output": OMITTED},
        ],
        "x",
    ).cases
    assert [case.has_expected_output for case in cases] == [True, False, False]


def test_dicts_of_pydantic_evals_mean_omitted_by_null() -> None:
    dataset = from_items(
        [{"name": "a", "inputs": 1, "expected_output": None, "evaluators": []}, Case("b", 1, None)], "x"
    )
    assert [case.has_expected_output for case in dataset] == [False, True]
    assert "(1 case)" in dataset.notes[0]


def test_every_mistake_in_cases_from_code_is_named_with_its_position() -> None:
    lines = refusal(
        [
            {"name": "a", "inputs": {1, 2}, "metadata": {"x": float("nan")}},
            "b",
            {"name": "c", "input": 1},
            {"inputs": 1},
            {"name": "e", "inputs": 1, "evaluators": ["Contains"]},
            Case("a2", 1),
            {"name": "a2", "inputs": 1},
        ]
    )
    assert lines == [
        "cases of support: 8 problems",
        "  case at position 1: inputs is a set ({1, 2}), which JSON cannot hold",
        "  case at position 1: metadata.x is nan, which JSON cannot hold: write it as text, or use null",
        "  case at position 2 is 'b', neither a Case nor a dict",
        "  case at position 3: unknown field 'input': did you mean `inputs`?",
        "  case at position 3: inputs are missing: write what the application is given (null if it is given nothing)",
        "  case at position 4: the name is missing: give each case a name of its own",
        "  case at position 5: declares evaluators: Contains: declare evaluators in Python, with @criterion or "
        "@evaluation(evaluator=…), or convert the file with `llmeval import`",
        "  case 7 has the name 'a2' that case 6 has already: rename one of them",
    ]


def test_no_cases_from_code_is_an_error() -> None:
    assert refusal([]) == ["cases of support: there are no cases: a dataset has at least one"]


@pytest.mark.parametrize(
    ("items", "found"), [({"name": "a"}, "an object"), ("a", "the text 'a'"), (3, "the number 3"), (None, "null")]
)
def test_what_is_no_iterable_of_cases_is_refused(items: Any, found: str) -> None:
    assert refusal(items) == [f"cases of support: cases are an iterable of Case or dict, not {found}"]


def test_a_function_is_called_once_and_may_return_any_source(project: Path) -> None:
    write(project / "evals" / "x.jsonl", "from a file")
    calls = []

    def returning(value: Any) -> Any:
        def cases() -> Any:
            calls.append(value)
            return value

        return cases

    assert names(returning([Case("a", 1)]), project) == ["a"]
    assert names(returning("x.jsonl"), project) == ["from a file"]
    assert names(returning(from_items([Case("b", 1)], "x")), project) == ["b"]
    assert len(calls) == 3


def test_a_generator_function_gives_its_cases() -> None:
    def cases() -> Iterator[dict[str, Any]]:
        yield {"name": "a", "inputs": 1}
        yield {"name": "b", "inputs": 2}

    assert names(cases) == ["a", "b"]
    assert names(cases()) == ["a", "b"]


def test_async_functions_give_something_to_be_awaited() -> None:
    async def cases() -> list[Case]:
        return [Case("a", 1)]

    async def generated() -> AsyncIterator[Case]:
        yield Case("b", 1)

    for value, name in ((cases, "a"), (generated, "b")):
        later = source(value, name="later")
        assert inspect.isawaitable(later)
        dataset = asyncio.run(later)
        assert (dataset.name, [case.name for case in dataset]) == ("later", [name])


def test_a_dataset_is_a_source_of_its_own() -> None:
    dataset = from_items([Case("a", 1)], "x")
    assert source(dataset) is dataset


def test_what_a_function_raises_reaches_the_caller() -> None:
    def cases() -> Any:
        raise RuntimeError("no database")

    with pytest.raises(RuntimeError, match="no database"):
        source(cases)
