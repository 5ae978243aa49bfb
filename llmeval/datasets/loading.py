"""`load`: a dataset file by its suffix."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from llmeval.datasets.dataset import Dataset
from llmeval.datasets.documents import read_cases
from llmeval.datasets.parsed import Parsed
from llmeval.datasets.problems import Problems
from llmeval.datasets.text import read_text
from llmeval.errors import DatasetError

__all__ = ["SUFFIXES", "check_suffix", "load", "parse", "shown"]

SUFFIXES: Final = (".yml", ".yaml", ".json", ".jsonl")
"""The formats of a dataset, in the order in which they are looked for."""


def load(path: str | Path, *, root: Path | None = None) -> Dataset:
    """Returns the dataset in a `.yml`, `.yaml`, `.json` or `.jsonl` file.

    Messages show the path below `root` where it is there. The name is the file's `name`, or its stem.

    Raises:
        DatasetError: with everything that is wrong with the file, and the line of each mistake.
    """
    path = Path(path)
    where = shown(path, root)
    check_suffix(path, where)
    problems = Problems(where)
    reading = read_cases(parse(read_text(path, where), path.suffix, problems), problems)
    return Dataset(name=reading.name or path.stem, cases=reading.cases, path=path, notes=reading.notes)


def parse(text: str, suffix: str, problems: Problems) -> Parsed:
    """Returns the data in `text`, which is written in the format that `suffix` stands for."""
    if not text.strip():
        raise DatasetError(f"{problems.where}: the file is empty: a dataset has at least one case")
    if suffix.lower() in (".json", ".jsonl"):
        from llmeval.datasets import jsonfile

        return (jsonfile.read if suffix.lower() == ".json" else jsonfile.read_lines)(text, problems)
    from llmeval.datasets import yamlfile  # imports PyYAML, which the other formats do not need

    return yamlfile.read(text, problems)


def check_suffix(path: Path, where: str) -> None:
    """Raises a DatasetError for a file whose format is not known."""
    if path.suffix.lower() not in SUFFIXES:
        what = f"the suffix {path.suffix!r}" if path.suffix else "no suffix"
        raise DatasetError(
            f"{where}: a dataset is a {', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]} file, and this has {what}"
        )


def shown(path: Path, root: Path | None) -> str:
    """Returns `path` as messages show it."""
    if root is not None and path.is_absolute() and path.is_relative_to(root):
        return str(path.relative_to(root))
    return str(path)
