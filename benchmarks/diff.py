"""Times `report diff` of two 10,000-trial reports: python benchmarks/diff.py

Targets: at most 3 times what `json.loads` takes for the two files, and at most 4 times their size in memory. Each
number is the best of five processes of its own; times are of the processor, so that other work counts less.
"""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from llmeval.cases import Case
from llmeval.report import Report
from llmeval.results import Result
from llmeval.trials import Trial
from llmeval.usage import Tokens, Usage

TRIALS = 10_000

PARSE = """
import json, sys, time
start = time.process_time()
for path in sys.argv[1:]:
    json.loads(open(path, encoding="utf-8").read())
print(time.process_time() - start)
"""
DIFF = """
import resource, sys, time
from llmeval.diff import compare
from llmeval.render.diff_text import diff_text
import difflib, random
idle = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
start = time.process_time()
text = diff_text(compare(*sys.argv[1:]))
print(time.process_time() - start)
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - idle) * 1024)
"""


def report(seed: int, repetitions: int, words: int) -> Report:
    """Returns a report with outputs of so many words and two criteria."""
    random = Random(seed)
    now = datetime(2026, 1, 1, tzinfo=UTC)
    trials = []
    for index in range(TRIALS // repetitions):
        question = f"Where is order {index}? " + "It was to come last week. " * (words // 10)
        case = Case(f"case-{index}", {"question": question}, f"Order {index} left us.", {"category": "abc"[index % 3]})
        for repetition in range(1, repetitions + 1):
            output = " ".join(random.choice(("yes", "no", "perhaps", "tomorrow")) for _ in range(words))
            reason = "Because of this and that. " * (1 + words // 20)
            evaluations = tuple(
                Result(name=name, value=random.random() < 0.8, reason=reason, model="m-1")
                for name in ("correctness", "concise")
            )
            trials.append(
                Trial(
                    case=case,
                    repetition=repetition,
                    output=output,
                    evidence=output,
                    evaluations=evaluations,
                    assertion_count=2,
                    duration=random.random(),
                    task_usage=Usage(requests=1, tokens=Tokens(input=100, output=50), priced=0.001),
                    fingerprint="ab" * 32,
                )
            )
    return Report(id=f"run-{seed}", name="support", started_at=now, finished_at=now, trials=trials)


def run(code: str, paths: list[str], times: int) -> list[float]:
    """Returns the smallest of each number that `code` prints, over so many processes."""
    rows = []
    for _ in range(times):
        done = subprocess.run([sys.executable, "-c", code, *paths], capture_output=True, text=True, check=True)
        rows.append([float(line) for line in done.stdout.split()])
    return [min(column) for column in zip(*rows, strict=True)]


def met(repetitions: int, words: int) -> bool:
    """Prints the figures for one shape of report; returns whether both targets are met."""
    with TemporaryDirectory() as folder:
        paths = [str(report(seed, repetitions, words).save(Path(folder) / f"{seed}.json")) for seed in (1, 2)]
        size = sum(Path(path).stat().st_size for path in paths)
        (parse,) = run(PARSE, paths, 5)
        seconds, memory = run(DIFF, paths, 5)
    print(f"two reports of {TRIALS:,} trials, {repetitions} a case, outputs of {words} words: {size / 1e6:.1f} MB")
    print(f"  json.loads {parse:.3f} s, diff {seconds:.3f} s: {seconds / parse:.2f} times (at most 3)")
    print(f"  memory {memory / 1e6:.1f} MB: {memory / size:.2f} times the files (at most 4)")
    return seconds <= 3 * parse and memory <= 4 * size


def main() -> int:
    """Returns 0 when both targets are met for every shape."""
    return 0 if all([met(1, 60), met(3, 60), met(1, 3)]) else 1


if __name__ == "__main__":
    sys.exit(main())
