"""The fields of cases and datasets: names, references, unknown fields, and files of Pydantic Evals."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from llmeval.datasets import Dataset, load
from llmeval.errors import DatasetError

FILES = Path(__file__).parent / "resources" / "datasets"


def loaded(folder: Path, data: Any) -> Dataset:
    (folder / "x.json").write_text(json.dumps(data), encoding="utf-8")
    return load(folder / "x.json", root=folder)


def refusal(folder: Path, data: Any) -> list[str]:
    with pytest.raises(DatasetError) as caught:
        loaded(folder, data)
    return str(caught.value).splitlines()


def problems_of(name: str) -> list[str]:
    with pytest.raises(DatasetError) as caught:
        load(FILES / name, root=FILES)
    return str(caught.value).splitlines()


@pytest.mark.parametrize("suffix", ["yaml", "jsonl"])
def test_an_explicit_null_reference_differs_from_an_omitted_one(suffix: str) -> None:
    dataset = load(FILES / f"null_vs_missing.{suffix}")
    cases = {case.name: case for case in dataset}
    assert cases["says-null"].has_expected_output
    assert cases["says-null"].expected_output is None
    assert not cases["says-nothing"].has_expected_output
    assert dataset.notes == ()


def test_empty_text_false_and_zero_are_references() -> None:
    cases = {case.name: case for case in load(FILES / "null_vs_missing.yaml")}
    references = [cases[name].expected_output for name in ("empty-string", "explicit-false", "zero")]
    assert references == ["", False, 0]
    assert [type(reference) for reference in references] == [str, bool, int]


def test_null_inputs_and_null_metadata_are_accepted() -> None:
    cases = {case.name: case for case in load(FILES / "null_vs_missing.jsonl")}
    assert cases["inputs-null"].inputs is None
    assert cases["says-null"].metadata == {}


@pytest.mark.parametrize(
    "inputs", ["text", 0, 1.5, False, None, [], {}, ["first turn", "second turn"], {"a": {"b": []}}]
)
def test_any_json_value_is_an_input(tmp_path: Path, inputs: Any) -> None:
    (case,) = loaded(tmp_path, [{"name": "a", "inputs": inputs}]).cases
    assert (case.inputs, type(case.inputs).__mro__[-2]) == (inputs, type(inputs).__mro__[-2])


def test_big_integers_and_floats_are_read_as_they_are_written() -> None:
    cases = {case.name: case for case in load(FILES / "big_numbers.jsonl")}
    assert cases["snowflake"].inputs == {"id": 9007199254740993}
    assert cases["u64"].expected_output == 18446744073709551616
    assert type(cases["int-or-float"].inputs["n"]) is int
    assert type(cases["int-or-float"].expected_output) is float
    assert str(cases["minus-zero"].inputs["n"]) == "-0.0"


def test_names_that_are_numbers_become_text(tmp_path: Path) -> None:
    dataset = loaded(tmp_path, [{"name": 1, "inputs": 0}, {"name": 1.0, "inputs": 0}])
    assert [case.name for case in dataset] == ["1", "1.0"]


def test_names_are_checked_as_text_and_every_bad_one_is_reported() -> None:
    assert problems_of("name_types.yaml") == [
        "name_types.yaml: 5 problems",
        "  line 3, column 5: case 2 has the name '1' that case 1 (line 2) has already: rename one of them",
        "  line 5, column 6: case 4: the name is true, not text: quote it, or give the case another name",
        "  line 6, column 6: case 5: the name is missing: give each case a name of its own",
        "  line 7, column 6: case 6: the name '' is blank: give each case a name of its own",
        "  line 8, column 6: case 7: the name '   ' is blank: give each case a name of its own",
    ]


def test_duplicate_names_are_refused_with_both_positions() -> None:
    assert problems_of("duplicate_names.yaml") == [
        "duplicate_names.yaml, line 4, column 5: case 3 has the name 'refund' that case 1 (line 2) has already: "
        "rename one of them"
    ]


def test_a_case_without_a_name_is_refused_and_none_is_made_up() -> None:
    assert problems_of("autoname_collision.yaml") == [
        "autoname_collision.yaml: 2 problems",
        "  line 3, column 5: case 1: the name is missing: give each case a name of its own",
        "  line 5, column 5: case 3: the name is missing: give each case a name of its own",
    ]


def test_names_that_differ_in_case_or_unicode_form_are_two_names(tmp_path: Path) -> None:
    names = ["Refund", "refund", "caf\u00e9", "cafe\u0301"]
    assert [case.name for case in loaded(tmp_path, [{"name": name, "inputs": 0} for name in names])] == names


@pytest.mark.parametrize(
    ("field", "cure"),
    [
        ("input", "did you mean `inputs`?"),
        ("Inputs", "did you mean `inputs`?"),
        ("expected", "did you mean `expected_output`?"),
        ("expectedOutput", "did you mean `expected_output`?"),
        ("meta_data", "did you mean `metadata`?"),
        ("tags", "a case has expected_output, inputs, metadata, name (data of your own goes into metadata)"),
    ],
)
def test_an_unknown_field_of_a_case_is_named_with_a_suggestion(tmp_path: Path, field: str, cure: str) -> None:
    (line,) = refusal(tmp_path, [{"name": "a", "inputs": 1, field: 2}])
    assert line == f"x.json, line 1, column 29: case 'a': unknown field {field!r}: {cure}"


@pytest.mark.parametrize(
    ("field", "cure"), [("case", "did you mean `cases`?"), ("version", "a dataset has cases, name")]
)
def test_an_unknown_field_of_a_dataset_is_named_with_a_suggestion(tmp_path: Path, field: str, cure: str) -> None:
    (line,) = refusal(tmp_path, {field: 1, "cases": [{"name": "a", "inputs": 1}]})
    assert line == f"x.json, line 1, column 2: unknown field {field!r}: {cure}"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({}, "x.json, line 1, column 1: `cases` is missing: write the cases as a list under `cases:`"),
        ({"cases": {"a": 1}}, "x.json, line 1, column 2: the cases are an object, not a list"),
        (3, "x.json, line 1, column 1: the cases are the number 3, not a list"),
        ([{"name": "a"}], "x.json, line 1, column 2: case 'a': inputs are missing"),
        (
            [{"name": "a", "inputs": 1, "metadata": [1]}],
            "x.json, line 1, column 29: case 'a': metadata is a list, not an",
        ),
        ([{"name": ["a"], "inputs": 1}], "x.json, line 1, column 3: case 1: the name is a list, not text"),
        ([{"name": {}, "inputs": 1}], "x.json, line 1, column 3: case 1: the name is an object, not text"),
        ({"name": 3, "cases": [{"name": "a", "inputs": 1}]}, "x.json, line 1, column 2: the dataset's name is 3"),
        ({"name": " ", "cases": [{"name": "a", "inputs": 1}]}, "x.json, line 1, column 2: the dataset's name is ' '"),
    ],
)
def test_a_document_of_the_wrong_shape_is_refused(tmp_path: Path, data: Any, message: str) -> None:
    (line,) = refusal(tmp_path, data)
    assert line.startswith(message)


def test_all_bad_cases_are_reported_at_once(tmp_path: Path) -> None:
    lines = refusal(tmp_path, [{"name": "a"}, {"inputs": 1}, 3, {"name": "d", "inputs": 1, "x": 1, "y": 2}])
    assert [line.split(": ", 1)[1][:9] for line in lines[1:]] == [
        "case 'a':",
        "case 2: t",
        "case 3 is",
        "case 'd':",
        "case 'd':",
    ]


def test_the_schema_and_the_name_of_a_dataset_are_fine(tmp_path: Path) -> None:
    dataset = loaded(tmp_path, {"$schema": "s.json", "name": "orders", "cases": [{"name": "a", "inputs": 1}]})
    assert (dataset.name, len(dataset)) == ("orders", 1)


def test_a_dataset_that_declares_evaluators_is_refused_with_their_names_and_the_cure() -> None:
    lines = problems_of("pydantic_full.yaml")
    cure = (
        "declare evaluators in Python, with @criterion or @evaluation(evaluator=…), or convert the file with "
        "`llmeval import`"
    )
    assert lines[1] == (
        f"  line 8, column 5: case 'delivered': declares evaluators: EqualsExpected, Contains, LLMJudge: {cure}"
    )
    assert lines[2].endswith("case 2: the name is missing: give each case a name of its own")
    assert lines[3] == f"  line 19, column 1: the dataset declares evaluators: IsInstance, MaxDuration: {cure}"
    assert "CompanyPolicyCheck" in problems_of("unknown_evaluator.yaml")[0]
    assert "IsInstance" in problems_of("pydantic_full.json")[3]


def test_report_evaluators_are_refused_by_name(tmp_path: Path) -> None:
    data = {"report_evaluators": [{"name": "Matrix", "arguments": {}}], "cases": [{"name": "a", "inputs": 1}]}
    (line,) = refusal(tmp_path, data)
    assert "the dataset declares report_evaluators: Matrix: declare evaluators in Python" in line


def written_by_pydantic_evals(**fields: Any) -> dict[str, Any]:
    """Returns what `Dataset.to_file` of Pydantic Evals writes: every field, null and empty ones too."""
    case = {"name": "a", "inputs": 1, "metadata": None, "expected_output": None, "evaluators": []}
    return {"name": "shop", "cases": [{**case, **fields}], "evaluators": [], "report_evaluators": []}


def test_files_that_pydantic_evals_wrote_load(tmp_path: Path) -> None:
    dataset = loaded(tmp_path, written_by_pydantic_evals(expected_output="yes"))
    assert dataset.cases[0].to_dict() == {"name": "a", "inputs": 1, "expected_output": "yes", "metadata": {}}
    assert dataset.notes == ()


def test_in_files_of_pydantic_evals_a_null_reference_means_omitted_and_the_run_can_say_so(tmp_path: Path) -> None:
    dataset = loaded(tmp_path, written_by_pydantic_evals())
    assert not dataset.cases[0].has_expected_output
    assert dataset.notes == (
        "a null expected_output is read as omitted (1 case), because the data has evaluators keys: Pydantic Evals "
        "writes those, and null for both",
    )


@pytest.mark.parametrize("place", ["evaluators", "report_evaluators", "case"])
def test_any_evaluators_key_makes_null_references_omitted_in_all_cases(tmp_path: Path, place: str) -> None:
    cases: list[dict[str, Any]] = [{"name": name, "inputs": 1, "expected_output": None} for name in "ab"]
    data: dict[str, Any] = {"cases": cases}
    (cases[0] if place == "case" else data)["evaluators" if place == "case" else place] = None
    dataset = loaded(tmp_path, data)
    assert [case.has_expected_output for case in dataset] == [False, False]
    assert "2 cases" in dataset.notes[0]


def test_a_twin_of_a_case_that_is_wrong_otherwise_is_reported_too(tmp_path):
    path = tmp_path / "cases.jsonl"
    path.write_text('{"name": "a", "inputs": 1, "input": 3}\n{"name": "a", "inputs": 1}\n', encoding="utf-8")
    with pytest.raises(DatasetError) as caught:
        load(path)
    assert "unknown field 'input'" in str(caught.value)
    assert "case 2 has the name 'a' that case 1 (line 1) has already" in str(caught.value)
