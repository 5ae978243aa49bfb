"""YAML in block style whose every plain scalar both versions of YAML read alike."""

from __future__ import annotations

import re
from typing import Any

import yaml

from llmeval.datasets.plain import agrees_on_text

__all__ = ["dump"]

# Line breaks to YAML 1.1 and text to 1.2, and what block text would lose.
DELICATE = re.compile("[\\x00-\\x09\\x0b-\\x1f\\x7f-\\xa0\\u2028\\u2029\\ufeff]")


def dump(data: Any) -> str:
    """Returns `data`, made of JSON's types, as one YAML document."""
    text: str = yaml.dump(
        data, Dumper=_dumper(), sort_keys=False, allow_unicode=True, default_flow_style=False, width=110
    )
    return text


def _dumper() -> Any:
    """Returns libyaml's writer, or PyYAML's own, that repeats values instead of pointing at them."""
    base: Any = yaml.CSafeDumper if yaml.__with_libyaml__ else yaml.SafeDumper
    dumper: Any = type("Dumper", (base,), {"ignore_aliases": lambda self, data: True})
    dumper.add_representer(str, _text)
    return dumper


def _text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
    style = None
    if DELICATE.search(value) or not agrees_on_text(value):
        style = '"'
    elif "\n" in value:
        style = "|"
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)
