"""What to say of a name that nothing has."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["near", "unknown"]

SHOWN = 8
"""How many names a message lists when none is near."""


def unknown(kind: str, name: str, known: Sequence[str]) -> str:
    """Returns the message for a name that nothing of this `kind` has, with the near ones, else those that there are."""
    found = near(name, known)
    if found:
        return f"there is no {kind} {name!r}: did you mean {' or '.join(map(repr, found))}?"
    if not known:
        return f"there is no {kind} {name!r}, nor any other"
    more = f" and {len(known) - SHOWN} more" if len(known) > SHOWN else ""
    listed = ", ".join(map(repr, known[:SHOWN])) + more
    return f"there is no {kind} {name!r}: there is {listed}"


def near(name: str, known: Sequence[str]) -> list[str]:
    """Returns the names that may have been meant: those below a folder, or spelled much the same."""
    from difflib import get_close_matches  # only a mistake pays for it

    below = [one for one in known if one.rpartition("/")[2] == name.rpartition("/")[2] and one != name]
    lower = {one.lower(): one for one in known}
    alike = [lower[one] for one in get_close_matches(name.lower(), list(lower), n=3, cutoff=0.5)]
    return list(dict.fromkeys([*below, *(one for one in alike if one != name)]))[:3]
