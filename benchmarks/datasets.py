"""How long it takes to load 10,000 cases, beside the fastest parser of each format that checks nothing.

python benchmarks/datasets.py [CASES]
"""

from __future__ import annotations

import gc
import json
import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import yaml

from llmeval.datasets import load

TEXT = "order refund the customer asked about returning an unopened item within thirty days shipping label"
WORDS = TEXT.split()
RUNS = 5


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    records = [record(number) for number in range(count)]
    with tempfile.TemporaryDirectory() as folder:
        lines, document, yml = (Path(folder) / name for name in ("cases.jsonl", "cases.json", "cases.yaml"))
        lines.write_text("".join(json.dumps(each) + "\n" for each in records), encoding="utf-8")
        document.write_text(json.dumps({"cases": records}, indent=2), encoding="utf-8")
        yml.write_text(yaml.dump({"cases": records}, Dumper=yaml.CSafeDumper, sort_keys=False), encoding="utf-8")
        print(f"{count} cases; CPU seconds, the best of {RUNS} runs (YAML: of 2)")
        compare("JSONL", "json.loads of the lines", lines, parse_lines, limit=4.0)
        compare("JSON ", "json.loads", document, json.loads)
        compare("YAML ", "yaml.load with CSafeLoader", yml, lambda text: yaml.load(text, yaml.CSafeLoader), 1.3, 2)


def record(number: int) -> dict[str, object]:
    """Returns a case as support teams write them: a question, a short history, a reference, some metadata."""
    chance = random.Random(number)
    text = lambda length: " ".join(chance.choices(WORDS, k=length))  # noqa: E731  # local and tiny
    return {
        "name": f"case_{number}",
        "inputs": {"question": text(14), "history": [{"role": role, "content": text(8)} for role in ("user", "agent")]},
        "expected_output": text(10),
        "metadata": {"category": chance.choice(["returns", "orders"]), "difficulty": number % 5, "weight": 0.5},
    }


def parse_lines(text: str) -> list[object]:
    return [json.loads(line) for line in text.split("\n") if line]


def compare(
    name: str, baseline: str, path: Path, parse: Callable[[str], object], limit: float | None = None, runs: int = RUNS
) -> None:
    """Prints the time of `load` as a ratio to that of `parse` over the same file."""
    text = path.read_text(encoding="utf-8")
    base = best(lambda: parse(text), runs)
    ours = best(lambda: load(path), runs)
    goal = f", at most {limit}" if limit else ""
    print(f"{name} load {ours:6.3f}   {baseline} {base:6.3f}   ratio {ours / base:.2f}{goal}")


def best(action: Callable[[], object], runs: int) -> float:
    """Returns the CPU seconds of the fastest run, each started with a clean heap."""
    times = []
    for _ in range(runs):
        gc.collect()
        start = time.process_time()
        action()
        times.append(time.process_time() - start)
    return min(times)


if __name__ == "__main__":
    main()
