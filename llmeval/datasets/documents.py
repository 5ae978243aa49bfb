"""From a file's data to its cases: the object with `cases`, or the bare list."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from llmeval.cases import OMITTED, Case
from llmeval.datasets.fields import (
    CASE_FIELDS,
    DATASET_FIELDS,
    EVALUATOR_FIELDS,
    case_label,
    check_names,
    declares,
    kind,
    record_problems,
    unknown,
)
from llmeval.datasets.parsed import BROKEN, Keys, Parsed
from llmeval.datasets.problems import Problems, plural, shorten
from llmeval.jsonable import FrozenDict, Json

__all__ = ["NULL_NOTE", "Reading", "read_cases"]

NO_METADATA: Final = FrozenDict()
NULL_NOTE: Final = (
    "a null expected_output is read as omitted ({}), because the data has evaluators keys: "
    "Pydantic Evals writes those, and null for both"
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Reading:
    """The cases of a document, its own name if it has one, and what a run should say about how it was read."""

    name: str | None
    cases: tuple[Case, ...]
    notes: tuple[str, ...]


def read_cases(parsed: Parsed, problems: Problems) -> Reading:
    """Returns the cases of a document that is an object with `cases` or a bare list.

    Raises:
        DatasetError: with all that is wrong in the file.
    """
    reader = _Reader(parsed, problems)
    records = reader.records()
    cases = reader.cases(records)
    problems.check()
    return Reading(name=reader.name, cases=tuple(cases), notes=reader.notes)


class _Reader:
    """Goes through one document and adds every mistake to the problems."""

    def __init__(self, parsed: Parsed, problems: Problems) -> None:
        self.document = parsed.document
        self.locate = parsed.locate
        self.problems = problems
        self.name: str | None = None
        self.above: Keys = ()
        self.notes: tuple[str, ...] = ()

    def add(self, message: str, keys: Keys = ()) -> None:
        self.problems.add(message, *self.locate((*self.above, *keys)))

    def records(self) -> list[Json]:
        """Returns what should be cases."""
        records = self.document
        if isinstance(self.document, dict):
            self.check_dataset(self.document)
            self.above = ("cases",)
            records = self.document.get("cases")
            if records is None:
                self.above = ()
                self.add("`cases` is missing: write the cases as a list under `cases:`")
                raise self.problems.error()
        if records is None:
            self.add("the file holds nothing: a dataset has at least one case")
            raise self.problems.error()
        if not isinstance(records, list):
            self.add(f"the cases are {kind(records)}, not a list: write each case as an item of a list")
            raise self.problems.error()
        if not records and not self.problems:
            self.add("there are no cases: a dataset has at least one")
        return records

    def check_dataset(self, document: Mapping[str, Json]) -> None:
        for field in document.keys() - DATASET_FIELDS:
            value = document[field]
            if field not in EVALUATOR_FIELDS:
                self.add(unknown(field, DATASET_FIELDS, "a dataset"), (field,))
            elif value:
                self.add(f"the dataset declares {field}: {declares(value)}", (field,))
        name = document.get("name")
        if name is not None and (not isinstance(name, str) or not name.strip()):
            self.add(f"the dataset's name is {shorten(name)}: write a text, or leave it out", ("name",))
        elif name is not None:
            self.name = name

    def cases(self, records: list[Json]) -> list[Case]:
        """Returns a case for each record, or adds what is wrong with it."""
        null_means_omitted = self.written_by_pydantic_evals(records)
        cases, names, emptied = [], [], 0
        for index, record in enumerate(records):
            case = _plain_case(record)
            if case is None:
                case = self.odd_case(index, record)
            if case is not None:
                if null_means_omitted and case.expected_output is None:
                    case, emptied = Case.trusted(case.name, case.inputs, OMITTED, case.metadata), emptied + 1  # type: ignore[arg-type]  # frozen
                cases.append(case)
                names.append((index, case.name))
            elif (name := usable_name(record)) is not None:
                names.append((index, name))
        check_names(names, lambda index: self.locate((*self.above, index)), self.problems)
        if emptied:
            self.notes = (NULL_NOTE.format(plural(emptied, "case")),)
        return cases

    def written_by_pydantic_evals(self, records: list[Json]) -> bool:
        if isinstance(self.document, dict) and not EVALUATOR_FIELDS.isdisjoint(self.document):
            return True
        return any("evaluators" in record for record in records if type(record) is FrozenDict)

    def odd_case(self, index: int, record: Json) -> Case | None:
        """Returns the case of a record that needs a closer look, or `None` after adding what is wrong with it."""
        if record is BROKEN:
            return None
        if not isinstance(record, dict):
            self.add(f"case {index + 1} is {kind(record)}, not an object with name and inputs", (index,))
            return None
        found = len(self.problems)
        label = case_label(record, index)
        for keys, message in record_problems(record):
            self.add(f"{label}: {message}", (index, *keys))
        if len(self.problems) > found:
            return None
        return Case.trusted(
            str(record["name"]),
            record["inputs"],
            record.get("expected_output", OMITTED),
            record.get("metadata") or NO_METADATA,
        )


def usable_name(record: Json) -> str | None:
    """Returns the name of a record that is no case for other reasons, so that a twin of it is found all the same."""
    name = record.get("name") if isinstance(record, dict) else None
    usable = isinstance(name, (str, int, float)) and not isinstance(name, bool) and str(name).strip()
    return str(name) if usable else None


def _plain_case(record: Json) -> Case | None:
    """Returns the case of a record without anything special, the usual case, quickly."""
    if type(record) is not FrozenDict or not record.keys() <= CASE_FIELDS or "inputs" not in record:
        return None
    name, metadata = record.get("name"), record.get("metadata", NO_METADATA)
    if type(name) is not str or not name or name.isspace() or type(metadata) is not FrozenDict:
        return None
    return Case.trusted(name, record["inputs"], record.get("expected_output", OMITTED), metadata)
