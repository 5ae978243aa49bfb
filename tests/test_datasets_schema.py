"""The JSON Schema of datasets says what `load` says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from llmeval.datasets import load, schema
from llmeval.errors import DatasetError

A = {"name": "a", "inputs": 1}

GOOD: list[Any] = [
    [A],
    {"cases": [A]},
    {"$schema": "x", "name": "x", "cases": [A]},
    {"name": None, "cases": [A]},
    [{"name": 1, "inputs": None}],
    [{**A, "expected_output": None, "metadata": {"k": [1]}}],
    [{**A, "metadata": None, "evaluators": []}],
    {"cases": [A], "evaluators": None, "report_evaluators": []},
]
BAD: list[Any] = [
    [],
    {},
    3,
    None,
    {"cases": []},
    {"cases": {"a": 1}},
    {"cases": [A], "version": 1},
    {"name": " ", "cases": [A]},
    {"name": 3, "cases": [A]},
    ["text"],
    [{"name": "a"}],
    [{"inputs": 1}],
    [{"name": "", "inputs": 1}],
    [{"name": "  ", "inputs": 1}],
    [{"name": True, "inputs": 1}],
    [{"name": None, "inputs": 1}],
    [{**A, "metadata": [1]}],
    [{**A, "tags": []}],
    [{**A, "evaluators": ["Contains"]}],
    {"cases": [A], "report_evaluators": [{"X": 1}]},
]


def test_the_schema_is_a_valid_one() -> None:
    Draft202012Validator.check_schema(schema())


@pytest.mark.parametrize("data", GOOD, ids=json.dumps)
def test_what_loads_fits_the_schema(tmp_path: Path, data: Any) -> None:
    (tmp_path / "x.json").write_text(json.dumps(data), encoding="utf-8")
    assert load(tmp_path / "x.json").cases
    assert Draft202012Validator(schema()).is_valid(data)


@pytest.mark.parametrize("data", BAD, ids=json.dumps)
def test_what_is_refused_for_its_shape_does_not_fit_the_schema(tmp_path: Path, data: Any) -> None:
    (tmp_path / "x.json").write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(DatasetError):
        load(tmp_path / "x.json")
    assert not Draft202012Validator(schema()).is_valid(data)


def test_every_field_has_a_description_for_editors() -> None:
    definitions = schema()["$defs"]
    for owner in ("dataset", "case"):
        for name, field in definitions[owner]["properties"].items():
            described = definitions[field["$ref"].rpartition("/")[2]] if "$ref" in field else field
            assert described["description"], name


def test_each_call_gives_a_copy_of_its_own() -> None:
    schema()["$defs"].clear()
    assert schema()["$defs"]
