"""Classes, known by their names so that nothing has to be imported, and what is remembered about each."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TypeVar

__all__ = ["base_names", "by_class", "full_name"]

T = TypeVar("T")


def full_name(cls: type) -> str:
    """Returns the name of a class with its module, unless it is a built-in one."""
    return cls.__qualname__ if cls.__module__ == "builtins" else f"{cls.__module__}.{cls.__qualname__}"


def base_names(cls: type) -> list[str]:
    """Returns the full names of a class and its bases, nearest first."""
    return [full_name(base) for base in cls.__mro__]


def by_class(function: Callable[[type], T]) -> Callable[[type], T]:
    """Returns a function of a class that remembers its answers for the last thousand classes."""
    return lru_cache(maxsize=1024)(function)
