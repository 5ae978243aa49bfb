"""What surrounds reading YAML: the parser, characters it cannot hold, its mistakes in words, and where things stand."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Any

import yaml
from yaml.events import (
    CollectionEndEvent,
    CollectionStartEvent,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
    StreamEndEvent,
)
from yaml.scanner import ScannerError

from llmeval.datasets.parsed import NOWHERE, Keys, Place
from llmeval.datasets.problems import TOO_DEEP, Problems

__all__ = ["Marks", "check_characters", "new_parser", "syntax_message"]

# Besides what YAML forbids: characters that end a line in YAML 1.1 and are text in 1.2.
# They are listed rather than those allowed: that expression takes 8 ms to compile.
FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]")
SURROGATE = re.compile("[\ud800-\udfff]")

CURES = (
    ("cannot start any token", "quote the text, and indent with spaces, not tabs"),
    ("mapping values are not allowed", "quote a text that holds a colon and a space, and check the indentation"),
    ("escape", "in double quotes write a backslash as \\\\, or use single quotes"),
    ("expected <block end>", "check the indentation and the quotes above this place"),
    ("end of stream", "something above is not closed"),
    ("could not find expected ':'", "a key needs a colon and a space after it; check the indentation"),
)


def new_parser(text: str) -> Any:
    """Returns libyaml's parser of events, or PyYAML's own where it was built without libyaml."""
    if not yaml.__with_libyaml__:
        return _PurePython(text)
    from yaml._yaml import CParser  # there only with libyaml

    return CParser(text)


class _PurePython(yaml.SafeLoader):
    """Refuses what libyaml refuses and PyYAML's own scanner lets through: half a character, written as an escape."""

    def get_event(self) -> Any:
        event = super().get_event()  # type: ignore[no-untyped-call]  # the stubs leave it untyped
        mark: Any = getattr(event, "start_mark", None)
        if isinstance(event, ScalarEvent) and SURROGATE.search(event.value):
            raise ScannerError(None, None, "found invalid Unicode character escape code", mark)
        return event


def check_characters(text: str, problems: Problems) -> None:
    """Adds each character that YAML cannot hold, or that only one of its versions takes for a line break."""
    for found in FORBIDDEN.finditer(text):
        code = ord(found[0])
        escape = f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"
        line = text.count("\n", 0, found.start()) + 1
        column = found.start() - text.rfind("\n", 0, found.start())
        problems.add(f"the character U+{code:04X}: write it as {escape} inside double quotes", line, column)
        if len(problems) > 100:  # a binary file; the count would say no more
            return


def syntax_message(error: yaml.YAMLError) -> str:
    """Returns the parser's complaint on one line, with what usually helps."""
    problem = getattr(error, "problem", None) or str(error).replace("\n", " ")
    if "nesting depth" in problem:
        return TOO_DEEP
    context = getattr(error, "context", None)
    cure = next((f": {cure}" for sign, cure in CURES if sign in problem), "")
    return f"not valid YAML: {f'{context}, ' if context else ''}{problem}{cure}"


class Marks:
    """Where each value and key of a YAML text stands."""

    def __init__(self, text: str) -> None:
        self._values: dict[Keys, Place] = {}
        self._first: dict[int, int] = {}
        with suppress(yaml.YAMLError):  # reported by the reader; what came before it is known
            self._walk(new_parser(text).get_event)

    def place(self, keys: Keys) -> Place:
        """Returns line and column of the value at `keys`, or of the nearest thing around it."""
        keys = (0, *keys)  # the stream is a list of one document
        while keys and keys not in self._values:
            keys = keys[:-1]
        return self._values.get(keys, NOWHERE)

    def first(self, index: int) -> int | None:
        """Returns the line of the earlier key that the one at character `index` repeats."""
        return self._first.get(index)

    def _walk(self, next_event: Any) -> None:
        stack: list[_Level] = []
        level = _Level((), False)
        while not isinstance(event := next_event(), StreamEndEvent):
            if isinstance(event, CollectionEndEvent):
                level = stack.pop()
            elif isinstance(event, NodeEvent):
                keys = self._enter(level, event)
                if isinstance(event, CollectionStartEvent):
                    stack.append(level)
                    level = _Level(keys, isinstance(event, MappingStartEvent))

    def _enter(self, level: _Level, event: Any) -> Keys:
        """Notes where `event` stands and returns the way to it."""
        mark = event.start_mark
        if level.mapping and level.key is None:
            level.key = str(getattr(event, "value", f"key at {mark.index}"))
            if level.key in level.lines:
                self._first[mark.index] = level.lines[level.key]
            level.lines.setdefault(level.key, mark.line + 1)
            self._values.setdefault((*level.keys, level.key), (mark.line + 1, mark.column + 1))
            return (*level.keys, level.key)
        keys = level.next()
        self._values.setdefault(keys, (mark.line + 1, mark.column + 1))
        return keys


class _Level:
    """A collection on the way: the keys that lead to it, and how far it has been read."""

    def __init__(self, keys: Keys, mapping: bool) -> None:
        self.keys = keys
        self.mapping = mapping
        self.key: str | None = None
        self.count = 0
        self.lines: dict[str, int] = {}

    def next(self) -> Keys:
        """Returns the way to the value that comes now."""
        if self.mapping:
            key, self.key = str(self.key), None
            return (*self.keys, key)
        self.count += 1
        return (*self.keys, self.count - 1)
