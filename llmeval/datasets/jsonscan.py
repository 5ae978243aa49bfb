"""A slow, careful scanner of JSON, for when something is wrong: it goes on after a mistake and knows every place."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from math import isfinite
from typing import Any, Final, TypeAlias

from llmeval.cases import MAX_DEPTH
from llmeval.datasets.parsed import NOWHERE, Keys, Place
from llmeval.datasets.problems import TOO_DEEP, Problems, shorten
from llmeval.jsonable import FrozenDict, FrozenList, Json

__all__ = ["Scanner", "Unfinished"]

SPACE: Final = re.compile(r"[ \t\r\n]*")
COMMENT: Final = re.compile(r"//[^\n]*|#[^\n]*|/\*.*?(?:\*/|\Z)", re.S)
STRING: Final = re.compile(r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"')
STRING_START: Final = re.compile(r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*')
WORD: Final = re.compile(r"""[^\s,:\[\]{}"]+|.""", re.S)
NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")
NUMERIC: Final = "0123456789.+-"
LINE_ENDS: Final = "\r\n"
LITERALS: Final = {"true": True, "false": False, "null": None}
NOT_FINITE: Final = {"NaN", "Infinity", "-Infinity"}
PYTHON: Final = {"True": "true", "False": "false", "None": "null", "undefined": "null"}

State: TypeAlias = Callable[[], "State"]  # what to read next


class Unfinished(Exception):
    """Scanning cannot go on; the reason has been added to the problems."""


class Scanner:
    """Reads `text` once; `line` is the number of its first line, `above` the collections around a case's values."""

    def __init__(self, text: str, problems: Problems, *, line: int = 1, above: int | None = None) -> None:
        self.text = text
        self.problems = problems
        self.line = line
        self.above = above
        self.at = 0
        self.comma = 0
        self.root: list[Json] = []
        self.container: Any = self.root
        self.key: str | None = None
        self.first: dict[str, int] = {}
        self.stack: list[tuple[Any, str | None, dict[str, int], int]] = []
        self.keys: list[str | int] = []
        self.places: dict[Keys, int] = {}

    def scan(self) -> Json:
        """Returns the one value in the text, frozen.

        Raises:
            Unfinished: the text is not JSON, and the place is among the problems.
        """
        state: Any = self.read_value
        while state is not None:
            self.skip()
            state = state()
        return self.root[0]

    def place(self, keys: Keys) -> Place:
        """Returns line and column of the value at `keys`, or of the nearest thing around it."""
        while keys and keys not in self.places:
            keys = keys[:-1]
        return self.line_and_column(self.places[keys]) if keys in self.places else NOWHERE

    def line_and_column(self, index: int) -> tuple[int, int]:
        return self.text.count("\n", 0, index) + self.line, index - self.text.rfind("\n", 0, index)

    # States: each reads one token and returns the next state.

    def read_value(self) -> Any:
        char = self.peek()
        if char == '"':
            return self.put(self.string())
        if char in ("{", "["):
            return self.open(char)
        if char in ("]", "}", ",", ":"):
            self.stop(f"`{char}` where a value belongs")
        return self.put(self.word())

    def read_first_item(self) -> Any:
        return self.close() if self.peek() == "]" else self.read_value()

    def read_next_item(self) -> Any:
        return self.close_after_comma() if self.peek() == "]" else self.read_value()

    def read_first_key(self) -> Any:
        return self.close() if self.peek() == "}" else self.read_key()

    def read_next_key(self) -> Any:
        return self.close_after_comma() if self.peek() == "}" else self.read_key()

    def read_key(self) -> Any:
        start = self.at
        if self.peek() != '"':
            self.stop(f"{_quoted(self.next_word())} where a key belongs: keys stand in double quotes")
        self.key = key = self.string()
        if key in self.first:
            line = self.line_and_column(self.first[key])[0]
            self.add(f"the key {shorten(key)} is already there at line {line}: keep one of the two", start)
        self.first.setdefault(key, start)
        self.places.setdefault((*self.keys, key), start)
        return self.read_colon

    def read_colon(self) -> Any:
        if self.peek() != ":":
            self.stop("a colon is missing after the key")
        self.at += 1
        return self.read_value

    def read_comma(self) -> Any:
        char = self.peek()
        closing = "]" if isinstance(self.container, list) else "}"
        if char == closing:
            return self.close()
        if char != ",":
            self.stop(f"a comma or `{closing}` is missing before this")
        self.comma = self.at
        self.at += 1
        return self.read_next_item if closing == "]" else self.read_next_key

    def read_end(self) -> Any:
        if self.at < len(self.text):
            self.stop(f"something after the end of the first value{self.after_the_end()}")
        return None

    def after_the_end(self) -> str:
        """Returns the cure for what stands behind the one value of a file or a line."""
        if self.above is not None:
            return ": a line holds one object and no comma after it"
        if isinstance(self.root[0], dict) and self.text.startswith("{", self.at):
            return ": one object on each line is JSONL, so rename the file to .jsonl"
        return ""

    # What the states are made of.

    def skip(self) -> None:
        self.at = SPACE.match(self.text, self.at).end()  # type: ignore[union-attr]  # it matches nothing, too
        while comment := COMMENT.match(self.text, self.at):
            self.add("a comment, which JSON does not have: remove it", self.at)
            self.at = SPACE.match(self.text, comment.end()).end()  # type: ignore[union-attr]

    def peek(self) -> str:
        if self.at >= len(self.text):
            opened = f"the `{'[' if isinstance(self.container, list) else '{'}` of line " if self.stack else ""
            line = self.line_and_column(self.stack[-1][3])[0] if self.stack else ""
            self.stop(f"the text ends before {opened}{line} is closed" if opened else "the text ends too early")
        return self.text[self.at]

    def put(self, value: Json, start: int | None = None) -> Any:
        self.places.setdefault(self.way(), self.began if start is None else start)
        if isinstance(self.container, list):
            list.append(self.container, value)
        else:
            dict.__setitem__(self.container, self.key, value)
        return self.read_comma if self.stack else self.read_end

    def way(self) -> Keys:
        if not self.stack:
            return ()
        return (*self.keys, len(self.container) if isinstance(self.container, list) else str(self.key))

    def open(self, char: str) -> Any:
        start, way = self.at, self.way()
        value: Any = FrozenDict() if char == "{" else FrozenList()
        self.put(value, start)
        self.stack.append((self.container, self.key, self.first, start))
        self.container, self.key, self.first, self.keys = value, None, {}, list(way)
        above = self.above or 3 - isinstance(self.root[0], list)
        if len(self.stack) > MAX_DEPTH + above:
            self.add(TOO_DEEP, start)
            raise Unfinished
        self.at += 1
        return self.read_first_key if char == "{" else self.read_first_item

    def close_after_comma(self) -> Any:
        self.add(f"a comma before `{self.peek()}`: remove it", self.comma)
        return self.close()

    def close(self) -> Any:
        self.at += 1
        self.container, self.key, self.first, _ = self.stack.pop()
        self.keys = self.keys[:-1]
        return self.read_comma if self.stack else self.read_end

    def string(self) -> str:
        self.began = self.at
        found = STRING.match(self.text, self.at)
        if not found:
            self.stop_in_string()
        assert found
        self.at = found.end()
        value: str = json.loads(found[0])
        return value

    def stop_in_string(self) -> None:
        end = STRING_START.match(self.text, self.at).end()  # type: ignore[union-attr]  # a quote is there
        rest = self.text[end : end + 2]
        if not rest:
            self.stop("a string that does not end: a quote is missing")
        self.at = end
        if rest[0] == "\\":
            self.stop(f"`{rest}` is not an escape in JSON: write a backslash as \\\\")
        what = "line break" if rest[0] in LINE_ENDS else "control character"
        escape = json.dumps(rest[0])[1:-1]
        self.stop(f"a raw {what} inside a string: write it as {escape}, or close the quote")

    def word(self) -> Json:
        self.began = self.at
        word = self.next_word()
        if NUMBER.fullmatch(word):
            value = self.number(word)
        elif word in LITERALS:
            value = LITERALS[word]
        elif word in NOT_FINITE:
            value = self.not_finite(word)
        elif word in PYTHON:
            self.add(f"`{word}` is not JSON: write {PYTHON[word]}", self.at)
            value = None
        else:
            cure = "write the number plainly, or put it" if word[0] in NUMERIC else "put text"
            self.stop(f"{_quoted(word)} is not JSON: {cure} in double quotes")
        self.at += len(word)
        return value

    def next_word(self) -> str:
        found = WORD.match(self.text, self.at)
        return found[0] if found else ""

    def number(self, word: str) -> Json:
        if any(NUMBER.fullmatch(word).groups()):  # type: ignore[union-attr]  # it matched
            value = float(word)
            return value if isfinite(value) else self.not_finite(word)
        try:
            return int(word)
        except ValueError:
            digits = len(word.lstrip("-"))
            self.add(f"a whole number of {digits} digits, too many to read: write it as text in quotes", self.at)
            return 0

    def not_finite(self, word: str) -> Json:
        self.add(
            f"`{word}` is not a finite number, which JSON cannot hold: write it as text in quotes, or null", self.at
        )
        return 0

    def add(self, message: str, index: int) -> None:
        self.problems.add(message, *self.line_and_column(index))

    def stop(self, message: str) -> None:
        self.add(f"not valid JSON: {message}", self.at)
        raise Unfinished


def _quoted(word: str) -> str:
    return f"`{word[:20]}`" if word.isprintable() else repr(word[:20])
