"""CSV files with a header, for import: every value is text, as nothing in the file says otherwise."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator
from typing import Any

from llmeval.datasets.problems import Problems, plural, shorten

__all__ = ["read_rows"]

LONGEST = 1 << 30
"""Characters that a cell may have; the module's own limit of 128 KiB is short for documents."""


def read_rows(text: str, problems: Problems, *, tabs: bool = False) -> list[tuple[int, dict[str, str]]]:
    """Returns the rows as column to cell, each with the line it ends at; wholly empty rows are left out.

    Columns are separated by commas, by semicolons where the header has no comma, or by tabs.

    Raises:
        DatasetError: the header is unusable, or rows do not fit it.
    """
    first = text.partition("\n")[0]
    delimiter = "\t" if tabs else ";" if ";" in first and "," not in first else ","
    limit = csv.field_size_limit(LONGEST)
    try:
        return list(_rows(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True), problems))
    finally:
        csv.field_size_limit(limit)
        problems.check()


def _rows(reader: Any, problems: Problems) -> Iterator[tuple[int, dict[str, str]]]:
    try:
        header = [cell.strip() for cell in next(reader, [])]
        _check_header(header, problems)
        for row in reader:
            if not any(row):
                continue
            if len(row) != len(header):
                problems.add(f"{plural(len(row), 'cell')} where the header has {len(header)}", reader.line_num)
            yield reader.line_num, dict(zip(header, row, strict=False))
    except csv.Error as error:
        problems.add(f"not valid CSV: {error}", reader.line_num)


def _check_header(header: list[str], problems: Problems) -> None:
    if not any(header):
        problems.add("there is no header: the first line names the columns", 1)
    for name, count in Counter(header).items():
        if count > 1:
            problems.add(f"{count} columns are called {shorten(name)}: rename all but one", 1)
    problems.check()
