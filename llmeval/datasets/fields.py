"""From plain data to cases: which fields there are, and what is wrong with the others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Final

from llmeval.cases import OMITTED, Case
from llmeval.datasets.parsed import Keys, Parsed, Place
from llmeval.datasets.problems import Problems, plural, shorten
from llmeval.jsonable import FrozenDict, Json

__all__ = ["CASE_FIELDS", "DATASET_FIELDS", "Reading", "check_names", "evaluator_names", "read_cases"]

CASE_FIELDS: Final = frozenset({"name", "inputs", "expected_output", "metadata"})
DATASET_FIELDS: Final = frozenset({"$schema", "name", "cases"})
EVALUATOR_FIELDS: Final = frozenset({"evaluators", "report_evaluators"})
EMPTY: Final = FrozenDict()


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
        if not isinstance(records, list):
            self.add(f"the cases are {_kind(records)}, not a list: write each case as an item of a list")
            raise self.problems.error()
        if not records and not self.problems:
            self.add("there are no cases: a dataset has at least one")
        return records

    def check_dataset(self, document: Mapping[str, Json]) -> None:
        for field in document.keys() - DATASET_FIELDS:
            value = document[field]
            if field not in EVALUATOR_FIELDS:
                self.add(_unknown(field, DATASET_FIELDS, "a dataset"), (field,))
            elif value:
                self.add(f"the dataset declares {field}: {_declare(value)}", (field,))
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
        check_names(names, lambda index: self.locate((*self.above, index)), self.problems)
        if emptied:
            self.notes = (
                f"a null expected_output is read as omitted ({plural(emptied, 'case')}): the file has evaluators keys, "
                "as Pydantic Evals writes them, and Pydantic Evals writes null for both",
            )
        return cases

    def written_by_pydantic_evals(self, records: list[Json]) -> bool:
        if isinstance(self.document, dict) and not EVALUATOR_FIELDS.isdisjoint(self.document):
            return True
        return any("evaluators" in record for record in records if type(record) is FrozenDict)

    def odd_case(self, index: int, record: Json) -> Case | None:
        """Returns the case of a record that needs a closer look, or `None` after adding what is wrong with it."""
        if not isinstance(record, dict):
            self.add(f"case {index + 1} is {_kind(record)}, not an object with name and inputs", (index,))
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
            record.get("metadata") or EMPTY,
        )


def _plain_case(record: Json) -> Case | None:
    """Returns the case of a record without anything special, the usual case, quickly."""
    if type(record) is not FrozenDict or not record.keys() <= CASE_FIELDS or "inputs" not in record:
        return None
    name, metadata = record.get("name"), record.get("metadata", EMPTY)
    if type(name) is not str or not name or name.isspace() or type(metadata) is not FrozenDict:
        return None
    return Case.trusted(name, record["inputs"], record.get("expected_output", OMITTED), metadata)


def case_label(record: Mapping[str, Json], index: int) -> str:
    """Returns how messages call a case: by its name when it has a usable one, else by its position."""
    name = record.get("name")
    usable = isinstance(name, (str, int, float)) and not isinstance(name, bool) and str(name).strip()
    return f"case {shorten(str(name))}" if usable else f"case {index + 1}"


def record_problems(record: Mapping[str, Json]) -> Iterable[tuple[Keys, str]]:
    """Yields where and what is wrong with the fields of one case."""
    for field in record:
        if field == "evaluators":
            if record[field]:
                yield (field,), f"declares evaluators: {_declare(record[field])}"
        elif field not in CASE_FIELDS:
            yield (field,), _unknown(field, CASE_FIELDS, "a case")
    name = record.get("name")
    if name is None:
        yield ("name",) if "name" in record else (), "the name is missing: give each case a name of its own"
    elif isinstance(name, bool) or not isinstance(name, (str, int, float)):
        yield ("name",), f"the name is {_kind(name)}, not text: quote it, or give the case another name"
    elif not str(name).strip():
        yield ("name",), f"the name {name!r} is blank: give each case a name of its own"
    if "inputs" not in record:
        yield (), "inputs are missing: write what the application is given (null if it is given nothing)"
    metadata = record.get("metadata")
    if metadata is not None and not isinstance(metadata, dict):
        yield ("metadata",), f"metadata is {_kind(metadata)}, not an object"


def check_names(names: Iterable[tuple[int, str]], locate: Callable[[int], Place], problems: Problems) -> None:
    """Adds each name that an earlier case has, with both positions.

    Names are compared as text, character by character: `1` and `"1"` are one name, `Refund` and `refund` are two.
    """
    first: dict[str, int] = {}
    for index, name in names:
        earlier = first.setdefault(name, index)
        if earlier != index:
            line = locate(earlier)[0]
            where = f"case {earlier + 1}" + (f" (line {line})" if line else "")
            problems.add(
                f"case {index + 1} has the name {shorten(name)} that {where} has already: rename one of them",
                *locate(index),
            )


def evaluator_names(value: Json) -> list[str]:
    """Returns the names in an `evaluators` list in any of the spellings of Pydantic Evals."""
    names = []
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, dict):
            names.append(str(item["name"]) if "name" in item and "arguments" in item else str(next(iter(item), "?")))
        else:
            names.append(str(item))
    return names


def _declare(value: Json) -> str:
    names = ", ".join(shorten(name, 40).strip("'\"") for name in evaluator_names(value)[:10])
    return (
        f"{names}: declare evaluators in Python, with @criterion or @evaluation(evaluator=…), "
        "or convert the file with `llmeval import`"
    )


def _unknown(field: str, known: frozenset[str], owner: str) -> str:
    near = get_close_matches(field.lower(), known, n=1, cutoff=0.6)
    cure = f"did you mean `{near[0]}`?" if near else f"{owner} has {', '.join(sorted(known - {'$schema'}))}"
    more = " (put data of your own into metadata)" if owner == "a case" and not near else ""
    return f"unknown field {shorten(field)}: {cure}{more}"


def _kind(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "null"}[value]
    if isinstance(value, (dict, list)):
        return "an object" if isinstance(value, dict) else "a list"
    return f"the text {shorten(value)}" if isinstance(value, str) else f"the number {shorten(value)}"
