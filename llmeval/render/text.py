"""Text of any origin made fit to be shown: nothing invisible, nothing that moves the cursor, no wider than asked."""

from __future__ import annotations

import json
from functools import lru_cache
from itertools import islice
from typing import Final

from llmeval.jsonable import Json

__all__ = ["cell_width", "clean", "excerpt", "fit", "one_line", "pad", "shell_word", "shorten", "wrap"]

JOINERS: Final = frozenset({0x200C, 0x200D, *range(0x0600, 0x0606), 0x06DD, 0x08E2})
"""Format characters that belong to ordinary text of some scripts, and to emoji."""

_ENCODE = json.JSONEncoder(ensure_ascii=False).iterencode


class _Visible(dict[int, str | int]):
    """What `str.translate` puts for a character: its escape where it would not be seen or would do something."""

    def __missing__(self, code: int) -> str | int:
        from unicodedata import category  # most runs print nothing but plain text

        seen = code == 0x0A or code in JOINERS or category(chr(code)) not in ("Cc", "Cf", "Cs", "Zl", "Zp")
        self[code] = code if seen else _escape(code)
        return self[code]


def _escape(code: int) -> str:
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


_VISIBLE: Final = _Visible({0x09: "    "})


def clean(text: str) -> str:
    """Returns `text` with control, bidi and invisible characters as their escapes; line feeds stay, tabs are spaces."""
    if text.isprintable():
        return text
    return text.replace("\r\n", "\n").translate(_VISIBLE)


def one_line(text: str) -> str:
    """Returns `text` cleaned, with each run of white space as one space."""
    return clean(" ".join(text.split()))


@lru_cache(maxsize=4096)
def _char_width(char: str) -> int:
    from unicodedata import category, east_asian_width

    if category(char) in ("Mn", "Me", "Cf") or 0x1160 <= ord(char) <= 0x11FF:
        return 0
    return 2 if east_asian_width(char) in "WF" else 1


def cell_width(text: str) -> int:
    """Returns how many columns of a terminal cleaned `text` takes."""
    return len(text) if text.isascii() else sum(map(_char_width, text))


def fit(text: str, width: int, *, ellipsis: str = "…", middle: bool = False) -> str:
    """Returns the start of cleaned `text` that `width` columns hold; with `middle`, its start and its end."""
    if cell_width(text) <= width and len(text) <= 4 * width:
        return text
    room = width - len(ellipsis)
    if room <= 0:
        return ellipsis[: max(width, 0)]
    tail = room // 3 if middle else 0
    return _head(text, room - tail) + ellipsis + _head(text[::-1], tail)[::-1]


def _head(text: str, width: int) -> str:
    used = end = 0
    for char in islice(text, 4 * width):  # more characters than that are marks piled on one another
        used += _char_width(char)
        if used > width:
            break
        end += 1
    return text[:end]


def pad(text: str, width: int, *, right: bool = False) -> str:
    """Returns cleaned `text` filled with spaces to `width` columns; `right` puts it at the right edge."""
    space = " " * (width - cell_width(text))
    return space + text if right else text + space


def wrap(text: str, width: int) -> list[str]:
    """Returns the lines of cleaned `text`, those that are too long broken at a space where there is one."""
    lines: list[str] = []
    for line in text.split("\n"):
        while cell_width(line) > width:
            head = _head(line, width) or line[:1]
            space = head.rfind(" ")
            if space > width // 2:
                head = head[:space]
            lines.append(head)
            line = line[len(head) :].lstrip(" ")
        lines.append(line)
    return lines


def shorten(text: str, limit: int) -> str:
    """Returns `text` cleaned and, beyond `limit` characters, cut, with how many more there are."""
    if len(text) <= limit:
        return clean(text)
    return f"{clean(text[:limit].rstrip())} … ({len(text) - limit:,} more characters)"


def excerpt(value: Json, limit: int) -> str:
    """Returns the beginning of `value`: a text as it is, anything else as JSON."""
    if isinstance(value, str):
        return shorten(value, limit)
    parts: list[str] = []
    length = 0
    for part in _ENCODE(value):  # piece by piece, so that a large value costs no more than its beginning
        parts.append(part)
        length += len(part)
        if length > limit:
            return f"{clean(''.join(parts)[:limit])} …"
    return clean("".join(parts))


def shell_word(text: str) -> str:
    """Returns `text` quoted for a POSIX shell; characters that do not print are written as escapes."""
    from shlex import quote

    if text.isprintable():
        return quote(text)
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return "$'" + "".join(char if char.isprintable() else _shell_escape(char) for char in escaped) + "'"


def _shell_escape(char: str) -> str:
    undecoded = 0xDC80 <= ord(char) <= 0xDCFF  # a byte of a command line that was not UTF-8
    return "".join(
        f"\\x{byte:02x}" for byte in char.encode("utf-8", "surrogateescape" if undecoded else "surrogatepass")
    )
