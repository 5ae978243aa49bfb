"""Prints how the local evaluator's verdicts compare with labels, as Markdown: of the set it was developed with
(`evals/local_judge.yaml`), and of pairs that were held back until its rules were finished.

python benchmarks/local_evaluator.py [--disagreements | --undecided]
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml

from llmeval.evaluators.lexical import compare

VERDICTS = {True: "pass", None: "unknown", False: "fail"}
ROOT = Path(__file__).resolve().parent.parent
Pair = tuple[str, str, str]


def labelled_pairs() -> list[Pair]:
    """Returns the (label, reference, answer) of each case of the labelled set."""
    cases = _loaded("evals/local_judge.yaml")["cases"]
    return [(case["expected_output"], case["inputs"]["reference"], case["inputs"]["answer"]) for case in cases]


def held_out_pairs() -> list[Pair]:
    """Returns the (label, reference, answer) of each pair that was held back."""
    pairs = _loaded("tests/resources/local_held_out.yaml")["pairs"]
    return [(pair["label"], pair["reference"], pair["answer"]) for pair in pairs]


def _loaded(path: str) -> Any:
    return yaml.safe_load((ROOT / path).read_text(encoding="utf-8"))


def confusion(pairs: Iterable[Pair]) -> dict[tuple[str, str], int]:
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


def main() -> None:
    wanted = {"--undecided": ("unknown",), "--disagreements": ("pass", "fail")}.get("".join(sys.argv[1:]), ())
    for title, pairs in (("Labelled set", labelled_pairs()), ("Held out", held_out_pairs())):
        print(f"{title}\n\n{table(confusion(pairs))}\n")
        for label, reference, answer in pairs:
            found = verdict(reference, answer)
            if found in wanted and found != label:
                print(f"{label}: {found}\n  {reference!r}\n  {answer!r}")


if __name__ == "__main__":
    main()
