"""The fields of a dataset and of a case, and what is wrong with others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from llmeval.datasets.parsed import Keys, Place
from llmeval.datasets.problems import Problems, shorten
from llmeval.jsonable import Json

__all__ = [
    "CASE_FIELDS",
    "DATASET_FIELDS",
    "EVALUATOR_FIELDS",
    "case_label",
    "check_names",
    "declares",
    "evaluator_names",
    "kind",
    "record_problems",
    "unknown",
]

CASE_FIELDS: Final = frozenset({"name", "inputs", "expected_output", "metadata"})
DATASET_FIELDS: Final = frozenset({"$schema", "name", "cases"})
EVALUATOR_FIELDS: Final = frozenset({"evaluators", "report_evaluators"})


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
                yield (field,), f"declares evaluators: {declares(record[field])}"
        elif field not in CASE_FIELDS:
            yield (field,), unknown(field, CASE_FIELDS, "a case")
    name = record.get("name")
    if name is None:
        yield ("name",) if "name" in record else (), "the name is missing: give each case a name of its own"
    elif isinstance(name, bool) or not isinstance(name, (str, int, float)):
        yield ("name",), f"the name is {kind(name)}, not text: quote it, or give the case another name"
    elif not str(name).strip():
        yield ("name",), f"the name {name!r} is blank: give each case a name of its own"
    if "inputs" not in record:
        yield (), "inputs are missing: write what the application is given (null if it is given nothing)"
    metadata = record.get("metadata")
    if metadata is not None and not isinstance(metadata, Mapping):
        yield ("metadata",), f"metadata is {kind(metadata)}, not an object"


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


def declares(value: Json) -> str:
    """Returns the names of the evaluators that a file declares, with the cure, for a message."""
    names = ", ".join(shorten(name, 40).strip("'\"") for name in evaluator_names(value)[:10])
    return (
        f"{names}: declare evaluators in Python, with @criterion or @evaluation(evaluator=…), "
        "or convert the file with `llmeval import`"
    )


def unknown(field: object, known: frozenset[str], owner: str) -> str:
    """Returns what to do about a field that does not exist: the one that was meant, or those there are."""
    from difflib import get_close_matches  # only for this message

    near = get_close_matches(str(field).lower(), known, n=1, cutoff=0.6)
    if near:
        return f"unknown field {shorten(field)}: did you mean `{near[0]}`?"
    more = " (data of your own goes into metadata)" if owner == "a case" else ""
    return f"unknown field {shorten(field)}: {owner} has {', '.join(sorted(known - {'$schema'}))}{more}"


def kind(value: object) -> str:
    """Returns what `value` is, in the words of the file."""
    if value is None or isinstance(value, bool):
        return {True: "true", False: "false", None: "null"}[value]
    if isinstance(value, (Mapping, list)):
        return "an object" if isinstance(value, Mapping) else "a list"
    if isinstance(value, (str, int, float)):
        return f"the {'text' if isinstance(value, str) else 'number'} {shorten(value)}"
    return f"a {type(value).__name__}"
