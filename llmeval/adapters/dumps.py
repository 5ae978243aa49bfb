"""Objects of the SDKs as the plain JSON that they came from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

__all__ = ["dumped"]

_SDKS: Final = ("anthropic", "google", "litellm", "openai")


def dumped(value: Any) -> Any:
    """Returns an SDK's object as a plain one; anything else stays what it is."""
    cls = type(value)
    if isinstance(value, Mapping) or cls.__module__.partition(".")[0] not in _SDKS:
        return value
    # The SDKs build their objects without validation, so a dump would warn about what a server sent.
    return value.model_dump(warnings=False) if hasattr(cls, "model_dump") else value
