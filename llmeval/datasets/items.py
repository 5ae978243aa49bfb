"""Cases from code: `Case` objects, or dicts with the fields that a case has in a file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeAlias

from llmeval.cases import OMITTED, Case, case_name, checked
from llmeval.datasets.dataset import Dataset
from llmeval.datasets.documents import NULL_NOTE
from llmeval.datasets.fields import check_names, kind, record_problems
from llmeval.datasets.parsed import NOWHERE
from llmeval.datasets.problems import Problems, plural, shorten
from llmeval.errors import DatasetError
from llmeval.jsonable import Json

__all__ = ["Items", "from_items"]

Items: TypeAlias = Iterable[Case | Mapping[str, Any]]

VALUES: Final = ("inputs", "expected_output", "metadata")


def from_items(items: Items, name: str) -> Dataset:
    """Returns a dataset of cases from code; dicts are checked as the cases of a file are.

    Raises:
        DatasetError: with everything that is wrong, each with the position of the case, counted from 1.
    """
    if isinstance(items, Dataset):
        return items
    if isinstance(items, (str, bytes, Mapping)) or not isinstance(items, Iterable):
        raise DatasetError(f"{name}: cases are an iterable of Case or dict, not {kind(items)}")
    problems = Problems(name)
    found = list(items)
    cases = [_case(item, position, problems) for position, item in enumerate(found, 1)]
    if not found:
        problems.add("there are no cases: a dataset has at least one")
    check_names([(index, case.name) for index, case in enumerate(cases) if case], lambda _: NOWHERE, problems)
    problems.check()
    return _dataset(name, [case for case in cases if case], found)


def _dataset(name: str, cases: list[Case], found: list[Any]) -> Dataset:
    """Returns the dataset, null references of dicts dropped if the dicts came from Pydantic Evals."""
    notes: tuple[str, ...] = ()
    if any(isinstance(item, Mapping) and "evaluators" in item for item in found):
        emptied = [index for index, item in enumerate(found) if isinstance(item, Mapping) and _is_null(item)]
        for index in emptied:
            cases[index] = Case(cases[index].name, cases[index].inputs, OMITTED, cases[index].metadata)
        notes = (NULL_NOTE.format(plural(len(emptied), "case")),) if emptied else ()
    return Dataset(name=name, cases=tuple(cases), notes=notes)


def _is_null(item: Mapping[str, Any]) -> bool:
    return item.get("expected_output", OMITTED) is None


def _case(item: object, position: int, problems: Problems) -> Case | None:
    """Returns the case that `item` is or describes, or `None` after adding what is wrong with it."""
    if isinstance(item, Case):
        return item
    label = f"case at position {position}"
    if not isinstance(item, Mapping):
        problems.add(f"{label} is {shorten(item)}, neither a Case nor a dict")
        return None
    mistakes = [message for _, message in record_problems(item)]
    values = {field: _value(item[field], field, mistakes) for field in VALUES if field in item}
    for message in mistakes:
        problems.add(f"{label}: {message}")
    return None if mistakes else Case(case_name(item["name"]), **values)


def _value(value: object, field: str, mistakes: list[str]) -> Json:
    try:
        return value if value is OMITTED else checked(value, field)
    except DatasetError as error:
        mistakes.append(str(error))
        return None
