"""The JSON Schema of dataset files, for editors and other programs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

__all__ = ["schema"]


def schema() -> dict[str, Any]:
    """Returns the JSON Schema (draft 2020-12) of a YAML or JSON dataset; `$defs/case` is that of a JSONL line."""
    data: dict[str, Any] = json.loads(Path(__file__).with_name("schema.json").read_text(encoding="utf-8"))
    return data
