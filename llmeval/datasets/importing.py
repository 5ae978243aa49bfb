"""Datasets out of foreign files: Pydantic Evals with evaluators, CSV, and JSON or JSONL with other field names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from llmeval.cases import Case
from llmeval.datasets.fields import DATASET_FIELDS, EVALUATOR_FIELDS, evaluator_names, kind
from llmeval.datasets.foreign import Foreign, build_cases
from llmeval.datasets.loading import SUFFIXES, parse
from llmeval.datasets.mapping import Targets, targets_for
from llmeval.datasets.parsed import Keys, Parsed
from llmeval.datasets.problems import Problems, plural
from llmeval.datasets.text import read_text
from llmeval.errors import DatasetError
from llmeval.jsonable import Json

__all__ = ["Imported", "import_file"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Imported:
    """Cases out of a foreign file, and a name for the dataset.

    `left_out` has a line for everything that is not in the cases, `notes` one for what was made up or understood.
    """

    cases: tuple[Case, ...]
    left_out: tuple[str, ...]
    notes: tuple[str, ...]
    suggested_name: str


def import_file(path: str | Path, mapping: Mapping[str, str] | None = None) -> Imported:
    """Returns the cases in a `.csv`, `.tsv`, `.jsonl`, `.json`, `.yaml` or `.yml` file.

    `mapping` says which field becomes which part of a case: `{"question": "inputs", "id": "metadata.id"}`; several
    fields mapped to `inputs.X` make an object. Fields that are named like a part of a case need no mapping.

    Raises:
        DatasetError: the file cannot be read, or the mapping does not fit it.
    """
    path = Path(path)
    problems = Problems(str(path))
    foreign = _csv(path, problems) if path.suffix.lower() in (".csv", ".tsv") else _document(path, problems)
    if not foreign.records:
        raise DatasetError(f"{path}: there are no cases to import")
    fields = dict.fromkeys(field for record in foreign.records for field in record if field != "evaluators")
    targets = targets_for(mapping or {}, fields, str(path))
    cases, notes = build_cases(foreign, targets, problems)
    left_out = (
        *foreign.left_out,
        *_evaluators(foreign.records, cases),
        *_unmapped(foreign.records, fields, targets),
    )
    name = _file_name(foreign.name or path.stem)
    return Imported(cases=cases, left_out=left_out, notes=notes, suggested_name=name)


def _csv(path: Path, problems: Problems) -> Foreign:
    from llmeval.datasets.csvfile import read_rows  # imports csv, which no other format needs

    rows = read_rows(read_text(path, str(path)), problems, tabs=path.suffix.lower() == ".tsv")
    records = [record for _, record in rows]
    return Foreign(records=records, locate=lambda index: (rows[index][0], None), empty_means_missing=True)


def _document(path: Path, problems: Problems) -> Foreign:
    if path.suffix.lower() not in SUFFIXES:
        raise DatasetError(f"{path}: only .csv, .tsv, .jsonl, .json, .yaml and .yml files can be imported")
    parsed = parse(read_text(path, str(path)), path.suffix, problems)
    problems.check()
    document = parsed.document
    whole: Mapping[str, Json] = document if isinstance(document, Mapping) else {"cases": document}
    above: Keys = ("cases",) if whole is document else ()
    records = _records(whole.get("cases"), above, parsed, problems)
    problems.check()
    name = whole.get("name")
    return Foreign(
        records=records,
        locate=lambda index: parsed.locate((*above, index)),
        name=name if isinstance(name, str) else None,
        left_out=tuple(_dataset_leftovers(whole)),
        null_means_missing=any("evaluators" in record for record in (whole, *records)),
    )


def _records(found: Json, above: Keys, parsed: Parsed, problems: Problems) -> list[Mapping[str, Json]]:
    if not isinstance(found, list):
        problems.add(f"the cases are {kind(found)}: they should be a list, or an object with a list under `cases`", 1)
        return []
    for index, record in enumerate(found):
        if not isinstance(record, Mapping):
            problems.add(f"case {index + 1} is {kind(record)}, not an object", *parsed.locate((*above, index)))
    return found


def _dataset_leftovers(document: Mapping[str, Json]) -> Iterator[str]:
    for field in document:
        if field in DATASET_FIELDS:
            continue
        if field not in EVALUATOR_FIELDS:
            yield f"field {field!r} of the dataset"
        elif document[field]:
            yield f"{field} of the dataset: {', '.join(evaluator_names(document[field]))}"


def _evaluators(records: Sequence[Mapping[str, Json]], cases: Sequence[Case]) -> Iterator[str]:
    for record, case in zip(records, cases, strict=True):
        if record.get("evaluators"):
            yield f"evaluators of case {case.name!r}: {', '.join(evaluator_names(record['evaluators']))}"


def _unmapped(records: Sequence[Mapping[str, Json]], fields: Iterable[str], targets: Targets) -> Iterator[str]:
    for field in fields:
        if field not in targets:
            count = sum(field in record for record in records)
            yield f"field {field!r} of {plural(count, 'case')} (keep it with --map {field}=metadata.{field})"


def _file_name(name: str) -> str:
    return re.sub(r"\W+", "_", name.strip()).strip("_").lower() or "dataset"
