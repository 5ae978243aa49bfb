"""Plain YAML scalars: read only where YAML 1.1 (as PyYAML resolves it) and YAML 1.2 (its core schema) agree."""

from __future__ import annotations

import datetime
import re
from functools import lru_cache
from math import isfinite

from yaml.constructor import SafeConstructor
from yaml.nodes import ScalarNode
from yaml.resolver import Resolver

from llmeval.datasets.problems import shorten
from llmeval.jsonable import Json

__all__ = ["SUSPECT", "PlainError", "agrees_on_text", "read_plain"]

SUSPECT = frozenset("0123456789+-.~nNyYtTfFoO=<")
"""What a plain scalar starts with that either version may read as anything but text."""

NULLS = {"", "~", "null", "Null", "NULL"}
BOOLEANS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
INTEGER = re.compile(r"[-+]?[0-9]+")
OCTAL = re.compile(r"0o[0-7]+")
HEXADECIMAL = re.compile(r"0x[0-9a-fA-F]+")
FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
INFINITY = re.compile(r"[-+]?\.(inf|Inf|INF)")
NANS = {".nan", ".NaN", ".NAN"}


class PlainError(ValueError):
    """A plain scalar has two readings, or one that JSON cannot hold; the message says which and what to do."""


class Unreadable:
    """A reading that is no JSON value, in words."""

    def __init__(self, words: str) -> None:
        self.words = words

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Unreadable) and self.words == other.words

    __hash__ = None  # type: ignore[assignment]  # compared only


@lru_cache(maxsize=4096)
def read_plain(text: str) -> Json:
    """Returns what both YAML versions read `text` as.

    Raises:
        PlainError: they differ, or the value is not finite or has too many digits.
    """
    old, new = _yaml11(text), _yaml12(text)
    if not _same(old, new):
        raise PlainError(
            f"`{_cut(text)}` is {_words(old)} in YAML 1.1 and {_words(new)} in YAML 1.2: "
            f'quote it ("{_cut(text)}"){_or_write(old, new)}'
        )
    if isinstance(old, Unreadable):
        raise PlainError(f"`{_cut(text)}` is {old.words}: write it as text in quotes")
    if isinstance(old, float) and not isfinite(old):
        raise PlainError(f"`{_cut(text)}` is not a finite number, which JSON cannot hold: quote it, or write null")
    return old


def agrees_on_text(text: str) -> bool:
    """Whether both versions read `text`, written without quotes, as text."""
    return isinstance(_yaml11(text), str) and isinstance(_yaml12(text), str)


def _yaml11(text: str) -> object:
    for tag, pattern in Resolver.yaml_implicit_resolvers.get(text[:1], ()):
        if pattern.match(text):
            return _constructed(tag, text)
    return text


def _constructed(tag: str, text: str) -> object:
    kind = tag.rpartition(":")[2]
    if kind in ("merge", "value", "yaml"):  # `yaml` stands for `!`, `&` and `*`, which start no plain scalar
        return Unreadable(f"a {kind} key")
    try:
        return SafeConstructor.yaml_constructors[tag](SafeConstructor(), ScalarNode(tag, text))
    except (ValueError, OverflowError):
        return Unreadable(_too_long(text) if kind == "int" else f"an impossible {kind}")


def _yaml12(text: str) -> object:
    if text in NULLS:
        return None
    if text in BOOLEANS:
        return BOOLEANS[text]
    if OCTAL.fullmatch(text):
        return int(text[2:], 8)
    if HEXADECIMAL.fullmatch(text):
        return int(text, 16)
    if INTEGER.fullmatch(text):
        return _whole(text)
    if FLOAT.fullmatch(text):
        return float(text)
    if INFINITY.fullmatch(text):
        return float(text.replace(".", ""))
    return float("nan") if text in NANS else text


def _whole(text: str) -> object:
    try:
        return int(text)
    except ValueError:
        return Unreadable(_too_long(text))


def _too_long(text: str) -> str:
    return f"a whole number of {len(text.lstrip('+-'))} digits, too many to read"


def _same(old: object, new: object) -> bool:
    if isinstance(old, float) and isinstance(new, float):
        return old == new or (old != old and new != new)
    return type(old) is type(new) and old == new


def _words(reading: object) -> str:
    if isinstance(reading, Unreadable):
        return reading.words
    if isinstance(reading, str):
        return f'the text "{_cut(reading)}"'
    if isinstance(reading, datetime.datetime):
        return f"the time {reading.isoformat()}"
    if isinstance(reading, datetime.date):
        return f"the date {reading.isoformat()}"
    if isinstance(reading, bool) or reading is None:
        return {True: "true", False: "false", None: "null"}[reading]
    return f"the number {shorten(reading, 24)}"


def _or_write(*readings: object) -> str:
    """Returns the spellings that are read alike, for readings that have one."""
    words = [_words(r) for r in readings if isinstance(r, bool) or (isinstance(r, (int, float)) and isfinite(r))]
    return f", or write {' or '.join(words)}".replace("the number ", "") if words else ""


def _cut(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:40]}…"
