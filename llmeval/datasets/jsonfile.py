"""JSON and JSONL datasets: the standard decoder with a hook that freezes and finds duplicate keys.

Whatever goes wrong here is explained by the slow scanner in `jsonscan`, which knows lines and columns.
"""

from __future__ import annotations

import json
from contextlib import suppress
from functools import cached_property
from typing import NoReturn

from llmeval.cases import MAX_DEPTH
from llmeval.datasets.jsonscan import Scanner, Unfinished
from llmeval.datasets.parsed import BROKEN, Keys, Parsed, Place
from llmeval.datasets.problems import Problems
from llmeval.jsonable import FrozenDict, FrozenList, Json

__all__ = ["read", "read_lines"]

BLANK = " \t\r"
ODD = (ValueError, RecursionError)
"""What decoding raises for anything that the scanner has to explain."""


def read(text: str, problems: Problems) -> Parsed:
    """Returns the one document in `text`; duplicate keys and the like are added to `problems`.

    Raises:
        DatasetError: the text is not JSON.
    """
    explained = _Explained(text)
    try:
        document = _decode(text.strip(BLANK + "\n"))
    except ODD as error:
        document = explained.document(problems, error)
    return Parsed(document=document, locate=explained.place)


def read_lines(text: str, problems: Problems) -> Parsed:
    """Returns the values of a JSONL text, one a line, split at LF only; blank lines are left out.

    Raises:
        DatasetError: the text is JSON, but not one value a line.
    """
    lines = text.split("\n")
    values: list[Json] = FrozenList()
    numbers: list[int] = []
    broken: list[tuple[int, Exception]] = []
    append = list.append  # the frozen list is still being filled
    for number, line in enumerate(lines, 1):
        if line := line.strip(BLANK):
            try:
                append(values, _decode(line, 1))
            except ODD as error:
                append(values, BROKEN)
                broken.append((number, error))
            numbers.append(number)
    if broken or len(values) == 1:
        _refuse_other_shapes(text, values, problems)
    for number, reason in broken:
        _explain_line(lines[number - 1], number, reason, problems)

    def locate(keys: Keys) -> Place:
        if not keys or not isinstance(keys[0], int):
            return 1, None
        number = numbers[keys[0]]
        return _Explained(lines[number - 1], number).place(keys[1:])

    return Parsed(document=values, locate=locate)


def _explain_line(line: str, number: int, error: Exception, problems: Problems) -> None:
    known = len(problems)
    if line.lstrip().startswith(("//", "#")):
        problems.add("a comment, which JSONL does not have: remove the line", number)
        return
    with suppress(Unfinished):
        Scanner(line, problems, line=number, above=1).scan()
    if len(problems) == known:
        problems.add(f"not valid JSON: {error}", number)


class _Explained:
    """A text that is scanned when a place in it is asked for."""

    def __init__(self, text: str, line: int | None = None) -> None:
        self.text = text
        self.line = line

    def document(self, problems: Problems, error: Exception) -> Json:
        known = len(problems)
        try:
            document = self.scanner(problems).scan()
        except Unfinished:
            raise problems.error() from None
        if len(problems) == known:
            problems.add(f"not valid JSON: {error}")
            raise problems.error()
        return document

    def scanner(self, problems: Problems) -> Scanner:
        return Scanner(self.text, problems, line=self.line or 1, above=self.line and 1)

    @cached_property
    def scanned(self) -> Scanner:
        scanner = self.scanner(Problems(""))
        with suppress(Unfinished):  # reported already; the places before it are known
            scanner.scan()
        return scanner

    def place(self, keys: Keys) -> Place:
        return self.scanned.place(keys)


def _refuse_other_shapes(text: str, values: list[Json], problems: Problems) -> None:
    """Names a file that holds JSON in another shape than one case a line, and the cure."""
    if text.lstrip().startswith("["):
        what = "a JSON array: rename the file to .json, or write one case on each line without brackets and commas"
    elif len(values) == 1 and isinstance(values[0], dict) and "cases" in values[0] and "inputs" not in values[0]:
        what = "a whole dataset on one line: rename the file to .json, or write one case on each line"
    elif _is_spread(text):
        what = "JSON objects spread over several lines: write each case on one line, or the file as .json"
    else:
        return
    problems.add(f"this is {what}", 1)
    raise problems.error()


def _is_spread(text: str) -> bool:
    """Whether `text` is a row of JSON values of which one at least takes more than a line."""
    decoder = json.JSONDecoder()
    rest, spread = text.strip(), False
    try:
        while rest:
            _, end = decoder.raw_decode(rest)
            spread = spread or "\n" in rest[:end]
            rest = rest[end:].lstrip()
    except (ValueError, RecursionError):
        return False
    return spread


def _decode(text: str, above: int | None = None) -> Json:
    decode = _parse if "[" in text else _parse_without_lists
    value, end = decode(text)
    if end != len(text):
        raise ValueError("another value after the end of the first")
    if type(value) is list:
        value = _frozen_list(value)
    # Without more brackets than levels there is nothing to look for.
    if text.count("{") + text.count("[") > MAX_DEPTH and type(value) in (FrozenDict, FrozenList):
        _check_depth(value, MAX_DEPTH + (above or (3 if type(value) is FrozenDict else 2)))
    return value


def _check_depth(value: Json, levels: int) -> None:
    if levels == 0:
        raise RecursionError("nested too deeply")
    for item in value.values() if type(value) is FrozenDict else value:
        if type(item) is FrozenDict or type(item) is FrozenList:
            _check_depth(item, levels - 1)


def _object(pairs: list[tuple[str, Json]]) -> FrozenDict:
    value = FrozenDict(pairs)
    if len(value) != len(pairs):
        raise ValueError("a key stands twice in one object")
    return value


def _object_with_lists(pairs: list[tuple[str, Json]]) -> FrozenDict:
    value = _object(pairs)
    for key, item in pairs:
        if type(item) is list:
            dict.__setitem__(value, key, _frozen_list(item))  # still being made, so not frozen yet
    return value


def _frozen_list(items: list[Json]) -> FrozenList:
    return FrozenList([_frozen_list(item) if type(item) is list else item for item in items])


def _finite(text: str) -> float:
    value = float(text)
    if value - value != 0:
        raise ValueError("a number is not finite")
    return value


def _constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is not a finite number")


_parse = json.JSONDecoder(
    object_pairs_hook=_object_with_lists, parse_float=_finite, parse_constant=_constant
).raw_decode
_parse_without_lists = json.JSONDecoder(
    object_pairs_hook=_object, parse_float=_finite, parse_constant=_constant
).raw_decode
