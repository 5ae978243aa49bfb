"""The JSON Schema of report files, which the package ships."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

__all__ = ["schema"]


def schema() -> dict[str, Any]:
    """Returns the JSON Schema (2020-12) that every saved report validates against."""
    data: dict[str, Any] = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
    return data
