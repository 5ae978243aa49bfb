"""What each format's reader hands on: the data, frozen, and where in the file each part of it stands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

from llmeval.jsonable import Json

__all__ = ["BROKEN", "NOWHERE", "Keys", "Parsed", "Place"]

Keys: TypeAlias = tuple[str | int, ...]
"""The way to a value: `("cases", 3, "inputs")`."""

Place: TypeAlias = tuple[int | None, int | None]
"""Line and column, counted from 1."""

NOWHERE: Place = (None, None)

BROKEN: Final = object()
"""Stands where a record could not be read; the reason is among the problems, and positions still count it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Parsed:
    """A document and `locate`, which is asked only when something is wrong, so it may parse the file again."""

    document: Json
    locate: Callable[[Keys], Place]
