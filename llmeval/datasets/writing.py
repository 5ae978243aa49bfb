"""Datasets as text: what is written loads again as equal cases, in each format and in both versions of YAML."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from llmeval.cases import Case
from llmeval.datasets.dataset import Dataset
from llmeval.datasets.loading import check_suffix
from llmeval.errors import DatasetError
from llmeval.jsonable import Json, dumps, thaw

__all__ = ["render", "write"]

SURROGATE = re.compile("[\ud800-\udfff]")


def write(dataset: Dataset | Iterable[Case], path: str | Path) -> Path:
    """Writes the cases in the format that the suffix of `path` stands for and returns the path."""
    path = Path(path)
    check_suffix(path, str(path))
    cases = dataset.cases if isinstance(dataset, Dataset) else tuple(dataset)
    path.write_text(render(cases, path.suffix.lower().lstrip(".")), encoding="utf-8", newline="\n")
    return path


def render(cases: Iterable[Case], format: str) -> str:
    """Returns `cases` as `yaml` (or `yml`), `json` or `jsonl`.

    Raises:
        DatasetError: the format cannot hold a text in them.
        ValueError: there is no such format.
    """
    records = [_record(case) for case in cases]
    if format == "jsonl":
        return "".join(f"{dumps(record)}\n" for record in records)
    if format == "json":
        return _json(records)
    if format in ("yaml", "yml"):
        return _yaml(records)
    raise ValueError(f"a dataset is written as yaml, json or jsonl, not as {format!r}")


def _record(case: Case) -> dict[str, Any]:
    record: dict[str, Any] = thaw(case.record())
    if not record["metadata"]:
        del record["metadata"]
    return record


def _json(records: list[dict[str, Any]]) -> str:
    text = json.dumps({"cases": records}, indent=2, ensure_ascii=False, allow_nan=False)
    if SURROGATE.search(text):  # half a character has no UTF-8, but an escape
        text = json.dumps({"cases": records}, indent=2, allow_nan=False)
    return f"{text}\n"


def _yaml(records: list[dict[str, Any]]) -> str:
    from llmeval.datasets import yamlwriting  # imports PyYAML, which the other formats do not need

    for record in records:
        _refuse_surrogates(record, record["name"])
    return yamlwriting.dump({"cases": records})


def _refuse_surrogates(value: Json, name: str) -> None:
    if isinstance(value, str) and SURROGATE.search(value):
        raise DatasetError(f"case {name!r} holds half a character (a lone surrogate), which YAML cannot: use JSON")
    if isinstance(value, dict):
        for each in (*value.keys(), *value.values()):
            _refuse_surrogates(each, name)
    elif isinstance(value, list):
        for each in value:
            _refuse_surrogates(each, name)
