"""Prints how the local evaluator's verdicts compare with the labels of `evals/local_judge.yaml`, as Markdown.

python benchmarks/local_evaluator.py [--disagreements | --undecided]
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import yaml

from llmeval.evaluators.lexical import compare

VERDICTS = {True: "pass", None: "unknown", False: "fail"}
DATASET = Path(__file__).resolve().parent.parent / "evals" / "local_judge.yaml"


def labelled_pairs(path: Path = DATASET) -> list[tuple[str, str, str]]:
    """Returns the (label, reference, answer) of each case of the dataset."""
    cases = yaml.safe_load(path.read_text(encoding="utf-8"))["cases"]
    return [(case["expected_output"], case["inputs"]["reference"], case["inputs"]["answer"]) for case in cases]


def confusion(pairs: Iterable[tuple[str, str, str]]) -> dict[tuple[str, str], int]:
    """Returns how many pairs of each label got each verdict, by (label, verdict)."""
    return dict(Counter((label, verdict(reference, answer)) for label, reference, answer in pairs))


def verdict(reference: str, answer: str) -> str:
    """Returns the local evaluator's verdict as a word."""
    return VERDICTS[compare(reference, answer).verdict]


def table(counts: dict[tuple[str, str], int]) -> str:
    """Returns the confusion matrix as a Markdown table."""
    lines = ["| label | pairs | pass | fail | unknown |", "|---|---:|---:|---:|---:|"]
    for label in ("pass", "fail"):
        row = [counts.get((label, found), 0) for found in ("pass", "fail", "unknown")]
        lines.append(f"| {label} | {sum(row)} | {row[0]} | {row[1]} | {row[2]} |")
    return "\n".join(lines)


if __name__ == "__main__":
    pairs = labelled_pairs()
    print(table(confusion(pairs)))  # noqa: T201 - a benchmark prints
    wanted = {"--undecided": ("unknown",), "--disagreements": ("pass", "fail")}.get("".join(sys.argv[1:]), ())
    for label, reference, answer in pairs:
        found = verdict(reference, answer)
        if found in wanted and found != label:
            print(f"{label}: {found}\n  {reference!r}\n  {answer!r}\n  {compare(reference, answer).reason}")  # noqa: T201
