"""YAML in block style whose every plain scalar both versions of YAML read alike."""

from __future__ import annotations

import re
from typing import Any

import yaml

from llmeval.datasets.plain import agrees_on_text

__all__ = ["dump"]

# Line breaks to YAML 1.1 and text to 1.2, and what block text would lose.
DELICATE = re.compile("[\\x00-\\x09\\x0b-\\x1f\\x7f-\\xa0\\u2028\\u2029\\ufeff]")


class _Dumper(yaml.SafeDumper):
    """Quotes what is not text without quotes, and writes longer text over several lines."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
    style = None
    if DELICATE.search(value) or not agrees_on_text(value):
        style = '"'
    elif "\n" in value:
        style = "|"
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)


_Dumper.add_representer(str, _text)


def dump(data: Any) -> str:
    """Returns `data`, made of JSON's types, as one YAML document."""
    text: str = yaml.dump(
        data, Dumper=_Dumper, sort_keys=False, allow_unicode=True, default_flow_style=False, width=110
    )
    return text
