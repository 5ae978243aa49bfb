"""A case: one input of a dataset, with what is known about the right answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from typing import Any, Final

from llmeval.errors import DatasetError
from llmeval.jsonable import FrozenDict, FrozenList, Json, digest, thaw

__all__ = ["MAX_DEPTH", "OMITTED", "Case", "Omitted", "case_name", "checked"]

MAX_DEPTH: Final = 100
"""Levels of nesting that a case may have; deeper data is nearly always a mistake and breaks JSON readers."""


class Omitted:
    """The type of `OMITTED`, which stands for an `expected_output` that nobody wrote down."""

    def __repr__(self) -> str:
        return "<omitted>"

    def __bool__(self) -> bool:
        return False

    def __reduce__(self) -> str:
        return "OMITTED"


OMITTED: Final = Omitted()


@dataclass(frozen=True, eq=True)
class Case:
    """One input of a dataset; deeply immutable.

    `name` is not empty (a number becomes text); `inputs`, `expected_output` and `metadata` hold JSON-compatible
    values only. An explicit `None` as `expected_output` is a reference like any other; leaving it out means that
    there is none.

    Raises:
        DatasetError: the name is blank, or a value is not JSON-compatible; the message says where.
    """

    name: str
    inputs: Json
    expected_output: Json = OMITTED
    metadata: Mapping[str, Any] = FrozenDict()

    def __post_init__(self) -> None:
        name = case_name(self.name)
        fix = object.__setattr__
        fix(self, "name", name)
        fix(self, "inputs", checked(self.inputs, f"case {name!r}: inputs"))
        if self.expected_output is not OMITTED:
            fix(self, "expected_output", checked(self.expected_output, f"case {name!r}: expected_output"))
        metadata = {} if self.metadata is None else self.metadata
        if not isinstance(metadata, Mapping):
            raise DatasetError(f"case {name!r}: metadata is {metadata!r:.80}, which is not an object")
        fix(self, "metadata", checked(metadata, f"case {name!r}: metadata"))

    def __deepcopy__(self, memo: object) -> Case:
        """Returns the case itself, as nothing in it can change."""
        return self

    @property
    def has_expected_output(self) -> bool:
        """Whether a reference was given, be it `None`."""
        return self.expected_output is not OMITTED

    @cached_property
    def fingerprint(self) -> str:
        """The SHA-256 of the canonical JSON of inputs, reference and metadata (not of the name).

        JSON's own distinctions count: `1`, `1.0`, `true` and `"1"` are four different inputs, whatever file they are
        written in, although Python finds the first three equal.
        """
        data = self.record()
        del data["name"]
        return digest(data)

    def to_dict(self) -> dict[str, Any]:
        """Returns plain, mutable JSON; `expected_output` is there only when it was given."""
        data: dict[str, Any] = thaw(self.record())
        return data

    def record(self) -> dict[str, Any]:
        """Returns what `to_dict` returns without copying: the values in it are the frozen ones of the case."""
        data: dict[str, Any] = {"name": self.name, "inputs": self.inputs}
        if self.expected_output is not OMITTED:
            data["expected_output"] = self.expected_output
        data["metadata"] = self.metadata
        return data

    @classmethod
    def trusted(cls, name: str, inputs: Json, expected_output: Json, metadata: FrozenDict) -> Case:
        """Returns a case of values that are known to be checked and frozen already, as a dataset's reader has them."""
        case = object.__new__(cls)
        case.__dict__.update(name=name, inputs=inputs, expected_output=expected_output, metadata=metadata)
        return case


def case_name(name: object) -> str:
    """Returns `name` as text.

    Raises:
        DatasetError: it is neither text nor a number, or it is blank.
    """
    if name is None:
        raise DatasetError("a case has no name: give each case a name of its own")
    if isinstance(name, bool) or not isinstance(name, (str, int, float)):
        raise DatasetError(f"a case's name is text, not {name!r:.80}")
    text = str.__str__(name) if isinstance(name, str) else str(_scalar(name, "a case's name"))
    if not text.strip():
        raise DatasetError(f"a case's name is {name!r}, which is blank: give each case a name of its own")
    return text


def checked(value: object, where: str, depth: int = 1) -> Json:
    """Returns `value` frozen, made of nothing but JSON's own types; `where` names it in messages.

    Raises:
        DatasetError: JSON cannot hold it, or it is nested too deeply.
    """
    if value is None or isinstance(value, (str, int, float)):
        return _scalar(value, where)
    if isinstance(value, (Mapping, list, tuple)) and depth > MAX_DEPTH:
        raise DatasetError(f"{where:.80}… is nested more than {MAX_DEPTH} levels deep, or contains itself")
    if isinstance(value, Mapping):
        return FrozenDict({_key(key, where): checked(item, f"{where}.{key}", depth + 1) for key, item in value.items()})
    if isinstance(value, (list, tuple)):
        return FrozenList([checked(item, f"{where}[{index}]", depth + 1) for index, item in enumerate(value)])
    raise DatasetError(f"{where} is a {type(value).__name__} ({value!r:.80}), which JSON cannot hold")


def _key(key: object, where: str) -> str:
    if not isinstance(key, str):
        raise DatasetError(f"{where} has the key {key!r:.80}, which is not text")
    return str.__str__(key)


def _scalar(value: str | float | None, where: str) -> Json:
    """Returns a plain value; members of enums and NumPy's floats are subclasses that may carry more than it."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, float):
        if not isfinite(value):
            raise DatasetError(f"{where} is {value!r}, which JSON cannot hold: write it as text, or use null")
        return float.__float__(value)
    return _whole(int.__int__(value), where)


def _whole(value: int, where: str) -> int:
    try:
        str(value)
    except ValueError:
        digits = int(value.bit_length() * 0.30103) + 1
        message = f"{where} is a whole number of about {digits} digits, too many to write: give it as text"
        raise DatasetError(message) from None
    return value
