"""Foreign records as cases: fields put in their places, names made up where there are none, losses noted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from llmeval.cases import Case
from llmeval.datasets.fields import check_names
from llmeval.datasets.mapping import Targets, place
from llmeval.datasets.parsed import Place
from llmeval.datasets.problems import Problems, plural
from llmeval.errors import DatasetError
from llmeval.jsonable import Json

__all__ = ["Foreign", "build_cases"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Foreign:
    """What a file holds; `locate` finds the place of a record.

    CSV has nothing but text, so that an empty cell means that nothing is there; Pydantic Evals writes null for it.
    """

    records: Sequence[Mapping[str, Json]]
    locate: Callable[[int], Place]
    name: str | None = None
    left_out: tuple[str, ...] = ()
    empty_means_missing: bool = False
    null_means_missing: bool = False


def build_cases(foreign: Foreign, targets: Targets, problems: Problems) -> tuple[tuple[Case, ...], tuple[str, ...]]:
    """Returns the cases, and a line for everything in them that was made up or understood.

    Raises:
        DatasetError: with all records that make no case.
    """
    drafts = [_draft(index, targets, foreign, problems) for index in range(len(foreign.records))]
    problems.check()
    named = _name(drafts)
    cases: list[Case] = []
    for index, draft in enumerate(drafts):
        try:
            if "inputs" not in draft:
                raise DatasetError(f"case {draft['name']!r}: nothing in it becomes its inputs")
            cases.append(Case(**draft))
        except DatasetError as error:
            problems.add(str(error), *foreign.locate(index))
    check_names(((index, case.name) for index, case in enumerate(cases)), foreign.locate, problems)
    problems.check()
    return tuple(cases), (*_made_up(named, cases), *_without(cases, foreign))


def _draft(index: int, targets: Targets, foreign: Foreign, problems: Problems) -> dict[str, Any]:
    """Returns the arguments of a case, without those that the record leaves open."""
    draft: dict[str, Any] = {}
    record = foreign.records[index]
    for field, way in targets.items():
        if field in record and not _is_missing(record[field], way[0], foreign):
            try:
                _put(draft, field, way, record[field])
            except DatasetError as error:
                problems.add(f"case {index + 1}: {error}", *foreign.locate(index))
    return draft


def _is_missing(value: Json, part: str, foreign: Foreign) -> bool:
    if part == "name":
        return value is None or (isinstance(value, str) and not value.strip())
    if value is None:
        return part == "metadata" or (part == "expected_output" and foreign.null_means_missing)
    return value == "" and foreign.empty_means_missing and part != "inputs"


def _put(draft: dict[str, Any], field: str, way: tuple[str, ...], value: Json) -> None:
    if way != ("metadata",):
        place(draft, way, value)
    elif isinstance(value, Mapping):
        draft["metadata"] = dict(value)
    else:
        place(draft, ("metadata", field), value)


def _name(drafts: list[dict[str, Any]]) -> list[int]:
    """Gives each draft without a name one that no other has, and returns their indexes."""
    unnamed = [index for index, draft in enumerate(drafts) if "name" not in draft]
    taken = {str(draft["name"]) for draft in drafts if "name" in draft}
    for index in unnamed:
        name = f"case_{index + 1}"
        while name in taken:
            name += "_"
        taken.add(name)
        drafts[index]["name"] = name
    return unnamed


def _made_up(unnamed: list[int], cases: list[Case]) -> list[str]:
    if not unnamed:
        return []
    names = ", ".join(cases[index].name for index in unnamed[:3]) + (" …" if len(unnamed) > 3 else "")
    return [f"{plural(len(unnamed), 'case')} had no name and got one: {names}"]


def _without(cases: list[Case], foreign: Foreign) -> list[str]:
    count = sum(not case.has_expected_output for case in cases)
    why = "an empty cell" if foreign.empty_means_missing else "null"
    if not count or not (foreign.empty_means_missing or foreign.null_means_missing) or count == len(cases):
        return []
    return [f"{plural(count, 'case')} {'has' if count == 1 else 'have'} no expected_output ({why} in the file)"]
