"""Verdicts: the schema that a reviewer's answer must match, and what an answer says on each criterion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from llmeval.evaluators.replies import Unreadable, find_object, text_of
from llmeval.jsonable import Json

__all__ = ["Answer", "Verdict", "keys", "read_verdicts", "verdict_schema"]

VERDICTS: Final[Mapping[str, bool | None]] = {"pass": True, "fail": False, "unknown": None}


@dataclass(frozen=True, slots=True)
class Verdict:
    """A verdict and the reason for it; the value is True, False, or None for *unknown*."""

    value: bool | None
    reason: str


Answer = Mapping[str, Verdict | Unreadable]
"""For each key that was asked: the verdict, or why there is none."""


def keys(count: int) -> tuple[str, ...]:
    """Returns the keys of so many criteria: `c1`, `c2` …"""
    return tuple(f"c{number}" for number in range(1, count + 1))


@lru_cache(maxsize=64)
def verdict_schema(count: int) -> Mapping[str, Json]:
    """Returns the JSON Schema of an answer on so many criteria; it is the same for every case, which servers cache."""
    verdict = _object({"reason": {"type": "string"}, "verdict": {"type": "string", "enum": list(VERDICTS)}})
    return _object({"verdicts": _object(dict.fromkeys(keys(count), verdict))})


def read_verdicts(text: str, asked: Sequence[str]) -> Answer:
    """Returns what a reply says on each key of `asked`; other keys beside `verdicts` do not matter.

    Raises:
        Unreadable: the reply as a whole is no answer, or answers what was not asked.
    """
    data = find_object(text, lambda found: "verdicts" in found or "verdict" in found)
    if len(asked) == 1 and "verdicts" not in data and "verdict" in data:
        data = {"verdicts": {asked[0]: data}}
    verdicts = data.get("verdicts")
    if not isinstance(verdicts, Mapping):
        raise Unreadable('the reply has no object "verdicts"')
    unasked = [key for key in verdicts if key not in asked]
    if unasked:
        raise Unreadable(f"the reply answers {', '.join(map(repr, unasked))}, which was not asked")
    return {key: _verdict(key, verdicts.get(key)) for key in asked}


def _verdict(key: str, data: Any) -> Verdict | Unreadable:
    if data is None:
        return Unreadable(f"there is no answer for {key!r}")
    if not isinstance(data, Mapping):
        return Unreadable(f"the answer for {key!r} is not an object with a reason and a verdict")
    label = data.get("verdict")
    word = label.strip().rstrip(".!").casefold() if isinstance(label, str) else ""
    if word not in VERDICTS:
        return Unreadable(f"the verdict for {key!r} is {label!r:.60}, which is not pass, fail or unknown")
    try:
        return Verdict(VERDICTS[word], text_of(data.get("reason"), f"the reason for {key!r}"))
    except Unreadable as error:
        return error


def _object(properties: Mapping[str, Json]) -> dict[str, Json]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }
