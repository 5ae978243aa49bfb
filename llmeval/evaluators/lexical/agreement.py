"""What a comparison of two values found: they agree, they disagree, or wording alone cannot decide."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Agreement", "agrees", "disagrees", "excerpt", "undecided"]


@dataclass(frozen=True, slots=True)
class Agreement:
    """A verdict (True agrees, False disagrees, None undecided) and one sentence that says why."""

    verdict: bool | None
    reason: str


def agrees(reason: str) -> Agreement:
    """Returns a pass."""
    return Agreement(True, reason)


def disagrees(reason: str) -> Agreement:
    """Returns a fail."""
    return Agreement(False, reason)


def undecided(reason: str) -> Agreement:
    """Returns an unknown."""
    return Agreement(None, reason)


def excerpt(text: str, limit: int = 80) -> str:
    """Returns `text` on one line and in quotes, cut to `limit` characters."""
    line = " ".join(text.split())
    return repr(line if len(line) <= limit else line[: limit - 1] + "…")
