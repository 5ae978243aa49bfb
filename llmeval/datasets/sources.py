"""Where an evaluation's cases come from: the file beside it, another path, code, or a function that returns one."""

from __future__ import annotations

from collections.abc import AsyncIterable, Callable, Coroutine
from inspect import isawaitable
from pathlib import Path
from typing import Any, TypeAlias

from llmeval.datasets.dataset import Dataset
from llmeval.datasets.items import Items, from_items
from llmeval.datasets.loading import SUFFIXES, load, shown
from llmeval.errors import DatasetError

__all__ = ["Source", "discover", "find", "source"]

Source: TypeAlias = str | Path | Items | Callable[[], Any]


def discover(folder: Path, last_name: str, *, root: Path | None = None) -> Path:
    """Returns the one dataset file in `folder` that is called `last_name`.

    Raises:
        DatasetError: there is none, or more than one; the message lists the paths.
    """
    paths = [folder / f"{last_name}{suffix}" for suffix in SUFFIXES]
    found = [path for path in paths if path.is_file()]
    if len(found) == 1:
        return found[0]
    if found:
        names = ", ".join(shown(path, root) for path in found)
        raise DatasetError(f"{last_name!r} has {len(found)} datasets: {names}: keep one, or name it with dataset=…")
    names = ", ".join(shown(path, root) for path in paths)
    raise DatasetError(f"{last_name!r} has no dataset: write one of {names}, or name another with dataset=…")


def source(
    value: Source, *, eval_file: Path | None = None, root: Path | None = None, name: str = "cases"
) -> Dataset | Coroutine[Any, Any, Dataset]:
    """Returns the dataset that `dataset=` stands for; from an `async` function, a coroutine that returns it.

    A path is relative to the folder of `eval_file` or to `root`. A function is called here, so call this once a run.
    `name` is what cases from code are called in messages and in the dataset.

    Raises:
        DatasetError: there is no such file, two different ones, or something is wrong with the cases.
    """
    if isinstance(value, (str, Path)):
        return load(find(value, eval_file=eval_file, root=root), root=root)
    if isinstance(value, Dataset):
        return value
    if not callable(value):
        return from_items(value, name)
    found = value()
    if isawaitable(found) or isinstance(found, AsyncIterable):
        return _later(found, name, eval_file=eval_file, root=root)
    return _returned(found, name, eval_file=eval_file, root=root)


def find(path: str | Path, *, eval_file: Path | None = None, root: Path | None = None) -> Path:
    """Returns the file that `path` means, relative to the folder of `eval_file` or to `root`.

    Raises:
        DatasetError: there is none, or there are two that differ.
    """
    folders = [folder for folder in (eval_file and eval_file.parent, root) if folder is not None]
    candidates = list(dict.fromkeys(folder / path for folder in folders)) or [Path(path)]
    existing = [candidate for candidate in candidates if candidate.exists()]
    if not existing:
        tried = ", ".join(str(candidate) for candidate in candidates)
        raise DatasetError(f"the dataset {str(path)!r} is not there: looked for {tried}")
    if len(existing) > 1 and not _same(*existing):
        both = " and ".join(str(candidate) for candidate in existing)
        raise DatasetError(f"the dataset {str(path)!r} means two different files: {both}: write the path out in full")
    return existing[0]


def _same(one: Path, other: Path) -> bool:
    return one.samefile(other) or (one.is_file() and other.is_file() and one.read_bytes() == other.read_bytes())


async def _later(found: Any, name: str, **places: Path | None) -> Dataset:
    items = await found if isawaitable(found) else [item async for item in found]
    return _returned(items, name, **places)


def _returned(found: Any, name: str, **places: Path | None) -> Dataset:
    """Returns the dataset of what a function returned: cases, or the path of a file."""
    if isinstance(found, (str, Path)):
        return load(find(found, **places), root=places.get("root"))
    return from_items(found, name)
