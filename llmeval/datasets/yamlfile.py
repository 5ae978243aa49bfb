"""YAML datasets, built straight from the parser's events, so that every check is made on the way."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Final

import yaml
from yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from llmeval.cases import MAX_DEPTH
from llmeval.datasets.parsed import Parsed
from llmeval.datasets.plain import SUSPECT, PlainError, read_plain
from llmeval.datasets.problems import TOO_DEEP, Problems, shorten
from llmeval.datasets.yamltext import Marks, check_characters, new_parser, syntax_message
from llmeval.jsonable import FrozenDict, FrozenList, Json

__all__ = ["read"]

NO_KEY: Final = object()
"""Stands where a mapping waits for its next key."""

STANDARD: Final = "tag:yaml.org,2002:"

ABOVE_INPUTS: Final = 3
"""Collections around a case's values: the document's mapping, the list of cases, the case."""


def read(text: str, problems: Problems) -> Parsed:
    """Returns the one document in `text`; what is wrong with its YAML is added to `problems`.

    Raises:
        DatasetError: reading cannot go on.
    """
    check_characters(text, problems)
    problems.check()
    reader = _Reader(text, problems)
    try:
        document = reader.build()
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
        problems.add(syntax_message(error), *((mark.line + 1, mark.column + 1) if mark else ()))
        raise problems.error() from None
    if reader.partial:
        raise problems.error()
    return Parsed(document=document, locate=lambda keys: reader.marks.place(keys))


class _Reader:
    """One pass over the events of a file."""

    def __init__(self, text: str, problems: Problems) -> None:
        self.text = text
        self.problems = problems
        self.documents = 0
        self.partial = False  # something was refused whose fields nobody knows

    @cached_property
    def marks(self) -> Marks:
        """Where everything stands; a second pass, made only to explain a mistake."""
        return Marks(self.text)

    def build(self) -> Json:
        """Returns the document.

        One loop over local names instead of small functions: it runs for every scalar, and calls would double its time.
        """
        next_event = new_parser(self.text).get_event
        # The frozen classes refuse to be changed; here they are still being filled.
        put, append = dict.__setitem__, list.append
        container: Any = FrozenList()
        key: Any = NO_KEY
        stack: list[tuple[Any, Any]] = []
        while True:
            event = next_event()
            kind = type(event)
            if kind is ScalarEvent:
                if event.anchor is not None or event.tag is not None:
                    self.refuse_properties(event)
                value = event.value
                if not event.style and (not value or value[0] in SUSPECT):
                    value = self.plain(event)
            elif kind is MappingStartEvent or kind is SequenceStartEvent:
                if event.anchor is not None or event.tag is not None:
                    self.refuse_properties(event)
                value = FrozenDict() if kind is MappingStartEvent else FrozenList()
            elif kind is MappingEndEvent or kind is SequenceEndEvent:
                container, key = stack.pop()
                continue
            elif kind is AliasEvent:
                value = self.refuse_alias(event)
            elif kind is StreamEndEvent:
                return container[0] if container else None
            else:
                self.begin(event)
                continue
            if type(container) is FrozenList:
                append(container, value)
            elif key is not NO_KEY:
                put(container, key, value)
                key = NO_KEY
            else:
                key = value if type(value) is str else self.refuse_key(event, value)
                if key in container:
                    self.refuse_duplicate(event, key)
                elif key == "<<":
                    self.refuse_merge(event)
            if kind is MappingStartEvent or kind is SequenceStartEvent:
                stack.append((container, key))
                container, key = value, NO_KEY
                if len(stack) >= MAX_DEPTH + ABOVE_INPUTS:
                    self.check_depth(event, stack)

    def begin(self, event: Event) -> None:
        """Refuses a second document and tag directives."""
        if not isinstance(event, DocumentStartEvent):
            return
        if event.tags:
            self.add(event, "a %TAG directive: tags are not read, so remove it")
        self.documents += 1
        if self.documents > 1:
            self.add(
                event, "a second document starts here: a dataset is one document, so remove `---` or split the file"
            )
            raise self.problems.error()

    def plain(self, event: ScalarEvent) -> Json:
        """Returns the value of a scalar without quotes."""
        try:
            return read_plain(event.value)
        except PlainError as error:
            if event.value != "<<":  # said in its own words where it is a key
                self.add(event, str(error))
            return event.value

    def refuse_properties(self, event: Any) -> None:
        if event.anchor is not None:
            self.add(
                event, f"the anchor `&{event.anchor}`: anchors are not read, so write the value out where it is used"
            )
        if event.tag is not None:
            self.add(
                event, f"the tag `{event.tag.replace(STANDARD, '!!')}`: tags are not read, so write the plain value"
            )

    def refuse_alias(self, event: AliasEvent) -> str:
        self.partial = True
        self.add(event, f"the alias `*{event.anchor}`: aliases are not read, so write the value out")
        return f"*{event.anchor}"

    def refuse_merge(self, event: Event) -> None:
        if not getattr(event, "style", None):
            self.partial = True
            self.add(event, "the merge key `<<`: merge keys are not read, so write the merged fields out")

    def refuse_key(self, event: Any, value: Json) -> str:
        """Returns a text to go on with in the place of a key that is none."""
        if isinstance(event, ScalarEvent):
            what = {bool: "a boolean", type(None): "null"}.get(type(value), "a number")
            self.add(event, f'the key `{event.value}` is {what}, and keys are text: quote it ("{event.value}")')
            return f"{event.value}"
        self.partial = True
        self.add(event, "a list or an object as a key: keys are text")
        return f"key at {event.start_mark.index}"

    def refuse_duplicate(self, event: Any, key: str) -> None:
        first = self.marks.first(event.start_mark.index)
        was = f"at line {first}" if first else "before"
        self.add(event, f"the key {shorten(key)} is already there {was}: keep one of the two")

    def check_depth(self, event: Event, stack: list[tuple[Any, Any]]) -> None:
        # The first entry is the list that the document goes into.
        document = stack[1][0]
        if len(stack) > MAX_DEPTH + ABOVE_INPUTS - (type(document) is FrozenList):
            self.add(event, TOO_DEEP)
            raise self.problems.error()

    def add(self, event: Any, message: str) -> None:
        self.problems.add(message, event.start_mark.line + 1, event.start_mark.column + 1)
