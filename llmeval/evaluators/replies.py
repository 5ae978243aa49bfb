"""What a model meant by its reply: the one JSON object in it, read strictly, wherever it stands."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from math import isfinite
from typing import Any, Final

from llmeval.jsonable import canonical

__all__ = ["Unreadable", "find_object", "number", "text_of"]

Answers = Callable[[Mapping[str, Any]], bool]
"""Whether an object has the shape of an answer."""


class Unreadable(Exception):
    """A reply, or a part of it, cannot be read; the message says why, for the model and for people."""


# Where a model prints its thinking, what stands there is not its answer.
_THINKING: Final = re.compile(r"<(think|thinking|reasoning)>.*?</\1>|\A.*</(?:think|thinking|reasoning)>", re.S | re.I)
_TRAILING_COMMA: Final = re.compile(r'("(?:[^"\\]|\\.)*")|,(\s*[}\]])', re.S)
_OPENING: Final = re.compile(r'\{\s*(?:"(?:[^"\\]|\\.)*"\s*:|\})', re.S)
_BLANKS: Final = " \t\r\n\f\v\ufeff\u00a0\u200b\u2028\u2029\u3000"


def find_object(text: str, answers: Answers) -> dict[str, Any]:
    """Returns the one object in `text` that `answers`: bare, in a fence, in prose, after thinking, or encoded twice.

    Raises:
        Unreadable: there is none, it is cut off or malformed, or several differ, as when the reply quotes another.
    """
    plain = text.strip(_BLANKS)
    whole = _whole(plain)
    if whole is None:
        plain = _THINKING.sub("", plain).strip(_BLANKS)
        whole = _whole(plain)
    if whole is not None:
        return whole
    if not plain:
        raise Unreadable("the reply is empty")
    found = _found(plain)
    fitting = [data for data in found if answers(data)]
    if not fitting:
        raise Unreadable("there is no JSON object with the answer in the reply")
    if len({canonical(data) for data in fitting}) > 1:
        raise Unreadable("the reply holds several different answers")
    return fitting[0]


def number(value: object, low: float, high: float, what: str) -> float:
    """Returns `value` as a float when it is a number from `low` to `high`; nothing is clamped or converted.

    Raises:
        Unreadable: it is none; a text or a boolean is no number.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise Unreadable(f"{what} is {_short(value)}, which is not a number")
    if not low <= value <= high or not isfinite(value):
        raise Unreadable(f"{what} is {_short(value)}, which is not between {low:g} and {high:g}")
    return float(value)


def text_of(value: object, what: str) -> str:
    """Returns a reason; a missing one is empty.

    Raises:
        Unreadable: it is neither text nor missing.
    """
    if value is None:
        return ""
    if not isinstance(value, str):
        raise Unreadable(f"{what} is {_short(value)}, which is not text")
    return value


def _whole(text: str) -> dict[str, Any] | None:
    try:
        data = _DECODER.decode(text)
        if isinstance(data, str):
            data = _DECODER.decode(data.strip(_BLANKS))
    except json.JSONDecodeError:
        return None
    except RecursionError:
        raise Unreadable("the reply is nested too deeply") from None
    if isinstance(data, list) and len(data) == 1:
        data = data[0]
    if not isinstance(data, dict):
        raise Unreadable(f"the reply is {_short(data)}, which is not a JSON object")
    return data


def _found(text: str) -> list[dict[str, Any]]:
    try:
        return list(_objects(text))
    except Unreadable:
        # A comma too many is forgiven, and nothing else: an object within a malformed one never stands for it.
        return list(_objects(_TRAILING_COMMA.sub(r"\1\2", text)))


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """Yields the objects that stand in prose; braces that do not begin one are prose."""
    position = 0
    while (start := _OPENING.search(text, position)) is not None:
        try:
            data, position = _DECODER.raw_decode(text, start.start())
        except json.JSONDecodeError as error:
            raise Unreadable(f"the JSON in the reply is cut off or malformed ({error.msg})") from None
        except RecursionError:
            raise Unreadable("the reply is nested too deeply") from None
        yield data


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    data = dict(pairs)
    if len(data) < len(pairs):
        twice = next(key for key, _ in pairs if sum(key == other for other, _ in pairs) > 1)
        raise Unreadable(f"the key {twice!r} stands twice in the reply")
    return data


def _no_constant(name: str) -> float:
    raise Unreadable(f"the reply holds {name}, which is not a number in JSON")


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:60] + "…"


# Not strict: models write line breaks inside of texts.
_DECODER: Final = json.JSONDecoder(strict=False, object_pairs_hook=_unique, parse_constant=_no_constant)
