"""Cleaning: one spelling for each character, and no decoration, before a text is cut into tokens."""

from __future__ import annotations

import re
import unicodedata

__all__ = ["clean"]

_SUPERSCRIPTS = re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹]+")
_FRACTIONS = re.compile("[\u00bc-\u00be\u2150-\u215e]")
_THIN_GROUPS = re.compile("(?<=\\d)[\u00a0\u2009\u202f](?=\\d{3}(?!\\d))")
_SPELLINGS = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛′ʼ`´", "'"),  # noqa: RUF001 - look-alikes are what it is about
        **dict.fromkeys("“”„‟″«»", '"'),
        **dict.fromkeys("‐‑‒–−﹣－", "-"),  # noqa: RUF001 - look-alikes are what it is about
        **dict.fromkeys("—―", " - "),
        **dict.fromkeys("😊🙂😀👋🎉🙏", " "),
        "⁄": "/",  # noqa: RUF001 - look-alikes are what it is about
        "…": " ",
        "•": "\n",
        **dict.fromkeys("。、・「」『』【】《》¿¡", " "),
    }
)
_OPERATORS = ((re.compile(r"!=|<>"), "≠"), (re.compile("<="), "≤"), (re.compile(">="), "≥"), (re.compile("=="), "="))
_EMPHASIS = re.compile(r"(?<![\w*])(\*{1,3})(?=\S)([^*\n]+?)(?<=\S)\1(?![\w*])")
_UNDERLINE = re.compile(r"(?<!\w)(_{1,2})(?=\S)([^_\n]+?)(?<=\S)\1(?!\w)")
_BULLET = re.compile(r"^[ \t]*(?:[-*]|#{1,6})[ \t]+", re.MULTILINE)
_LONE_MINUS = re.compile(r"\s*-\s+(?=\d)")
_NUMBERING = re.compile(r"^[ \t]*\(?(\d{1,2})[.)][ \t]+", re.MULTILINE)


def clean(text: str) -> str:
    """Returns `text` in NFKC with plain quotes, dashes and blanks, and without Markdown's decoration."""
    text = _SUPERSCRIPTS.sub(lambda found: "^" + unicodedata.normalize("NFKC", found[0]), text)
    text = _FRACTIONS.sub(lambda found: " " + unicodedata.normalize("NFKC", found[0]), text)
    text = _THIN_GROUPS.sub(",", text)
    text = unicodedata.normalize("NFKC", text.translate(_SPELLINGS)).translate(_SPELLINGS)
    text = "".join(char for char in text if unicodedata.category(char) != "Cf")
    for pattern, sign in _OPERATORS:
        text = pattern.sub(sign, text)
    return _undecorated(text)


def _undecorated(text: str) -> str:
    text = _UNDERLINE.sub(r"\2", _EMPHASIS.sub(r"\2", text))
    if "\n" not in text and _LONE_MINUS.match(text):
        text = _LONE_MINUS.sub("-", text, count=1)
    text = _BULLET.sub("", text)
    numbers = [int(found[1]) for found in _NUMBERING.finditer(text)]
    # Only a list that counts 1, 2, 3 is numbering; any other number at the start of a line is a claim.
    if len(numbers) > 1 and numbers == list(range(1, len(numbers) + 1)):
        text = _NUMBERING.sub("", text)
    return text
