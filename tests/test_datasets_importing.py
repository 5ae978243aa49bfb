"""Importing foreign files: what becomes of their fields, and that nothing is lost in silence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from llmeval.cases import Case
from llmeval.datasets.importing import Imported, import_file
from llmeval.errors import DatasetError

FILES = Path(__file__).parent / "resources" / "datasets"


def imported(folder: Path, name: str, text: str, mapping: dict[str, str] | None = None) -> Imported:
    (folder / name).write_bytes(text.encode())
    return import_file(folder / name, mapping)


def refusal(folder: Path, name: str, text: str, mapping: dict[str, str] | None = None) -> str:
    with pytest.raises(DatasetError) as caught:
        imported(folder, name, text, mapping)
    return str(caught.value).replace(f"{folder}/", "")


@pytest.mark.parametrize("suffix", ["yaml", "json"])
def test_a_file_of_pydantic_evals_is_imported_and_its_evaluators_are_listed_by_name_and_case(suffix: str) -> None:
    found = import_file(FILES / f"pydantic_full.{suffix}")
    delivered, unnamed = found.cases
    assert (delivered.name, delivered.inputs) == ("delivered", {"order": "A-17"})
    assert delivered.metadata["difficulty"] == "easy"
    assert unnamed == Case("case_2", {"order": "A-18"})
    assert found.suggested_name == "order_status"
    evaluators = {"yaml": "EqualsExpected, Contains, LLMJudge", "json": "EqualsExpected, Contains"}[suffix]
    of_the_dataset = {"yaml": "IsInstance, MaxDuration", "json": "IsInstance"}[suffix]
    assert found.left_out == (
        f"evaluators of the dataset: {of_the_dataset}",
        f"evaluators of case 'delivered': {evaluators}",
    )
    assert found.notes == (
        "1 case had no name and got one: case_2",
        "1 case has no expected_output (null in the file)",
    )


def test_made_up_names_never_equal_written_ones(tmp_path: Path) -> None:
    names = [case.name for case in import_file(FILES / "autoname_collision.yaml").cases]
    assert names == ["case_1", "Case 1", "case_3", "Case 3"]
    lines = [
        '{"inputs": 1}',
        '{"name": "case_1", "inputs": 2}',
        '{"name": " ", "inputs": 3}',
        '{"name": "case_1_", "inputs": 4}',
    ]
    found = imported(tmp_path, "x.jsonl", "\n".join(lines))
    assert [case.name for case in found.cases] == ["case_1__", "case_1", "case_3", "case_1_"]
    assert "2 cases had no name and got one: case_1__, case_3" in found.notes


def test_metadata_that_is_no_object_is_kept_in_one(tmp_path: Path) -> None:
    text = '{"cases": [{"name": "a", "inputs": 1, "metadata": "easy", "expected_output": "x"}], "evaluators": []}'
    assert imported(tmp_path, "x.json", text).cases == (Case("a", 1, "x", {"metadata": "easy"}),)


CSV = 'id,question,answer,lang\r\n1,"What, now?\nReally?",yes,en\r\n\r\n2,Ünicode ☔,,de\r\n'


def test_a_csv_is_imported_with_its_columns_mapped(tmp_path: Path) -> None:
    mapping = {"question": "inputs", "answer": "expected_output", "id": "name", "lang": "metadata.language"}
    found = imported(tmp_path, "Support Questions.csv", f"\ufeff{CSV}", mapping)
    assert found.cases == (
        Case("1", "What, now?\nReally?", "yes", {"language": "en"}),
        Case("2", "Ünicode ☔", metadata={"language": "de"}),
    )
    assert found.suggested_name == "support_questions"
    assert found.left_out == ()
    assert found.notes == ("1 case has no expected_output (an empty cell in the file)",)


def test_several_columns_mapped_into_the_inputs_make_an_object(tmp_path: Path) -> None:
    mapping = {"question": "inputs.question", "lang": "inputs.options.lang"}
    assert imported(tmp_path, "x.csv", CSV, mapping).cases[1].inputs == {
        "question": "Ünicode ☔",
        "options": {"lang": "de"},
    }


def test_unmapped_columns_are_listed_with_how_to_keep_them(tmp_path: Path) -> None:
    assert imported(tmp_path, "x.csv", CSV, {"question": "inputs"}).left_out == (
        "field 'id' of 2 cases (keep it with --map id=metadata.id)",
        "field 'answer' of 2 cases (keep it with --map answer=metadata.answer)",
        "field 'lang' of 2 cases (keep it with --map lang=metadata.lang)",
    )


def test_columns_named_like_parts_of_a_case_need_no_mapping(tmp_path: Path) -> None:
    text = "name,inputs.q,inputs.k,expected_output,metadata.x\na,why,3,because,y\n"
    found = imported(tmp_path, "x.csv", text)
    assert found.cases == (Case("a", {"q": "why", "k": "3"}, "because", {"x": "y"}),)
    assert found.left_out == ()


def test_cells_are_text_and_an_empty_input_is_empty_text(tmp_path: Path) -> None:
    found = imported(tmp_path, "x.csv", "name,inputs,expected_output\na,,no\nb,007,1.0\n")
    assert found.cases == (Case("a", "", "no"), Case("b", "007", "1.0"))


@pytest.mark.parametrize(("name", "separator"), [("x.csv", ";"), ("x.tsv", "\t")])
def test_semicolons_and_tabs_separate_columns_too(tmp_path: Path, name: str, separator: str) -> None:
    text = f"name{separator}inputs\na{separator}1,5\n"
    assert imported(tmp_path, name, text).cases == (Case("a", "1,5"),)


def test_long_cells_are_read(tmp_path: Path) -> None:
    assert imported(tmp_path, "x.csv", f"name,inputs\na,{'x' * 200_000}\n").cases[0].inputs == "x" * 200_000


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name,inputs\na,1\nb\nc,1,2\n", "line 3: 1 cell where the header has 2"),
        ("name,inputs\na,1\nb\nc,1,2\n", "line 4: 3 cells where the header has 2"),
        ("name,inputs,inputs\na,1,2\n", "x.csv, line 1: 2 columns are called 'inputs': rename all but one"),
        ('name,inputs\na,"1\n', "x.csv, line 2: not valid CSV: unexpected end of data"),
        ("name,inputs\na,1\na,2\n", "x.csv, line 3: case 2 has the name 'a' that case 1 (line 2) has already"),
        ("name,inputs\n", "x.csv: there are no cases to import"),
        ("\n\n", "x.csv, line 1: there is no header: the first line names the columns"),
        ("", "x.csv, line 1: there is no header: the first line names the columns"),
    ],
)
def test_a_broken_csv_is_refused_with_the_line(tmp_path: Path, text: str, message: str) -> None:
    assert message in refusal(tmp_path, "x.csv", text)


def test_jsonl_with_other_field_names_keeps_the_types_of_values(tmp_path: Path) -> None:
    text = (
        '{"input": [{"role": "user"}], "ideal": null, "n": 1, "metadata": {"a": 1}}\n{"input": 2, "ideal": 1.0, "n": 2}'
    )
    found = imported(tmp_path, "x.jsonl", text, {"input": "inputs", "ideal": "expected_output", "n": "metadata.n"})
    assert found.cases == (
        Case("case_1", [{"role": "user"}], None, {"a": 1, "n": 1}),
        Case("case_2", 2, 1.0, {"n": 2}),
    )


def test_a_field_that_only_some_records_have_is_no_problem(tmp_path: Path) -> None:
    found = imported(
        tmp_path, "x.jsonl", '{"q": 1, "a": 2}\n{"q": 3, "extra": 4}\n', {"q": "inputs", "a": "expected_output"}
    )
    assert [case.has_expected_output for case in found.cases] == [True, False]
    assert found.left_out[-1] == "field 'extra' of 1 case (keep it with --map extra=metadata.extra)"


@pytest.mark.parametrize(
    ("mapping", "message"),
    [
        (
            {},
            "x.csv: no field becomes the inputs of a case: say which with --map id=inputs (fields: id, ",
        ),
        ({"q": "inputs"}, "x.csv: there is no field 'q' to map: the fields are id, question, answer, lang"),
        (
            {"question": "input"},
            "x.csv: question=input maps to no part of a case: the parts are name, inputs, expected_",
        ),
        ({"question": "name.x"}, "x.csv: question=name.x maps to no part of a case"),
        (
            {"question": "inputs", "lang": "inputs.x"},
            "x.csv: 'question' and 'lang' would both become inputs: map one of",
        ),
        ({"question": "inputs.x", "lang": "inputs.x"}, "would both become inputs.x"),
        ({"question": "inputs.", "lang": "inputs.x"}, "x.csv: question=inputs. maps to no part of a case"),
    ],
)
def test_a_mapping_that_does_not_fit_is_refused(tmp_path: Path, mapping: dict[str, str], message: str) -> None:
    assert message in refusal(tmp_path, "x.csv", CSV, mapping)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        (
            "x.json",
            '{"data": []}',
            "x.json, line 1: the cases are null: they should be a list, or an object with a list",
        ),
        ("x.json", '[{"q": 1}, 2]', "x.json, line 1, column 12: case 2 is the number 2, not an object"),
        (
            "x.jsonl",
            '{"q": 1}\n{"a": 2}\n',
            "x.jsonl, line 2, column 1: case 'case_2': nothing in it becomes its inputs",
        ),
        ("x.yaml", "cases: [{q: no}]", "x.yaml, line 1, column 13: `no` is false in YAML 1.1"),
        ("x.toml", "a", "x.toml: only .csv, .tsv, .jsonl, .json, .yaml and .yml files can be imported"),
    ],
)
def test_what_cannot_be_imported_is_refused_with_its_place(tmp_path: Path, name: str, text: str, message: str) -> None:
    assert refusal(tmp_path, name, text, {"q": "inputs"}).startswith(message)


def test_a_field_never_replaces_what_is_in_the_metadata_already(tmp_path: Path) -> None:
    text = '{"q": 1, "metadata": {"n": 1}, "n": 2}'
    assert refusal(tmp_path, "x.jsonl", text, {"q": "inputs", "n": "metadata.n"}) == (
        "x.jsonl, line 1, column 1: case 1: metadata.n is there already (1): map the field elsewhere"
    )


def test_imported_cases_are_frozen(tmp_path: Path) -> None:
    case: Any = imported(tmp_path, "x.jsonl", '{"q": {"a": [1]}}', {"q": "inputs"}).cases[0]
    with pytest.raises(TypeError, match="frozen"):
        case.inputs["a"].append(2)
