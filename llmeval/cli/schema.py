"""`llmeval schema`."""

from __future__ import annotations

from llmeval.cli.formats import print_json


def dataset_command() -> None:
    """Print the JSON Schema of dataset files, which editors use for completion."""
    from llmeval.datasets import schema

    print_json(schema())


def report_command() -> None:
    """Print the JSON Schema of report files."""
    from llmeval.report_schema import schema

    print_json(schema())
