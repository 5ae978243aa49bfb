"""The frame of a page: its style and script inside it, and a policy that lets nothing else run or load."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Mapping
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import Final

from llmeval.jsonable import Json, dumps
from llmeval.render.text import one_line

__all__ = ["element", "script_json", "shell"]

_FIELD: Final = re.compile(r"\{\{(\w+)\}\}")


def shell(title: str, main: str, data: str, script: str) -> str:
    """Returns a whole page; `main` is HTML, `data` the JSON of `script_json`, `script` the name of a file here.

    The policy allows the one style and the one script by their digests: should markup from a report ever get into the
    page, it stays without effect.
    """
    style, code = _file("page.css"), _file("common.js") + _file(script)
    return _filled(
        _file("page.html"),
        {
            "title": escape(one_line(title)),
            "style": style,
            "style_digest": _digest(style),
            "script": code,
            "script_digest": _digest(code),
            "main": main,
            "data": data,
        },
    )


def script_json(data: Json) -> str:
    """Returns JSON that can stand inside a `script` element: no `<` in it ends the element or begins a comment."""
    return dumps(data).replace("<", "\\u003c")


def element(name: str, text: str, **attributes: str) -> str:
    """Returns an element that holds `text`, escaped and on one line; `class_` gives its class."""
    given = "".join(f' {key.rstrip("_")}="{escape(one_line(value))}"' for key, value in attributes.items())
    return f"<{name}{given}>{escape(one_line(text))}</{name}>"


def _file(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return b64encode(sha256(text.encode()).digest()).decode()


def _filled(template: str, values: Mapping[str, str]) -> str:
    """Returns `template` with its fields filled in one pass: what is filled in is not looked at again."""
    return _FIELD.sub(lambda field: values[field[1]], template)
