"""What a trial costs that does nothing: CPU time and peak memory, with a journal and a report written.

    python benchmarks/overhead.py [TRIALS...]

Each number of trials (1,000, 10,000 and 100,000 without arguments) runs in a process of its own. Beside llmeval: an
event loop that awaits an empty task and writes a line of JSON, and Pydantic Evals and Inspect where they can be
imported; `PYDANTIC_EVALS_PYTHON` and `INSPECT_PYTHON` name the interpreters of environments that have them. At
concurrency 1 a trial is to cost at most 100 µs of CPU and 2 KB of peak memory.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
TRIALS = (1_000, 10_000, 100_000)
PEERS = {"pydantic_evals": 10_000, "inspect": 1_000}
"""Trials that are enough to tell what a peer costs."""

PRELUDE = """
import gc, json, os, resource, sys, time
COUNT, FOLDER = int(sys.argv[1]), sys.argv[2]

def measured(prepare, run):
    prepared = prepare()
    gc.collect()
    memory, cpu = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    run(prepared)
    cpu = time.process_time() - cpu
    print(cpu, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory) * 1024)
"""

SUBJECTS = {
    "llmeval": """
from pathlib import Path
from llmeval import Case, Options, Registry
from llmeval.plans import build_plan
from llmeval.runner import Run

registry = Registry()

@registry.evaluation(evaluator=False)
def nothing(number):
    return number

@nothing.assertions
def same(attempt):
    assert attempt.output == attempt.input

def prepare():
    nothing.run([Case(name="warm", inputs=0)])
    return [Case(name=f"c{number}", inputs=number) for number in range(COUNT)]

def run(cases):
    options = Options(dataset=cases, journal=Path(FOLDER, "journal.jsonl"), keep=False)
    report = Run(build_plan(nothing, options)).execute()
    report.save(Path(FOLDER, "report.json"))
    assert report.passed and len(report) == COUNT

measured(prepare, run)
""",
    "bare loop": """
import asyncio

async def nothing(number):
    return number

async def everything(cases):
    with open(os.path.join(FOLDER, "lines.jsonl"), "w", encoding="utf-8") as file:
        for case in cases:
            output = await asyncio.create_task(nothing(case["inputs"]))
            assert output == case["inputs"]
            file.write(json.dumps({**case, "output": output}) + "\\n")

def prepare():
    return [{"name": f"c{number}", "inputs": number} for number in range(COUNT)]

measured(prepare, lambda cases: asyncio.run(everything(cases)))
""",
    "pydantic_evals": """
from pydantic_evals import Case, Dataset
from pydantic_evals.evaluators import Evaluator

class Same(Evaluator):
    def evaluate(self, ctx):
        return ctx.output == ctx.inputs

async def nothing(number):
    return number

def prepare():
    cases = [Case(name=f"c{number}", inputs=number) for number in range(COUNT)]
    return Dataset(name="nothing", cases=cases, evaluators=[Same()])

measured(prepare, lambda dataset: dataset.evaluate_sync(nothing, max_concurrency=1, progress=False))
""",
    "inspect": """
from inspect_ai import Task, eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.scorer import match
from inspect_ai.solver import solver

@solver
def nothing():
    async def solve(state, generate):
        state.output.completion = state.input_text
        return state
    return solve

def prepare():
    return [Sample(id=f"c{number}", input=str(number), target=str(number)) for number in range(COUNT)]

def run(samples):
    task = Task(dataset=MemoryDataset(samples), solver=nothing(), scorer=match())
    eval(task, model="mockllm/model", log_dir=FOLDER, display="none", max_samples=1)

measured(prepare, run)
""",
}


def main() -> None:
    """Prints what each costs per trial, and how often the bare loop's cost that is."""
    counts = [int(text) for text in sys.argv[1:]] or TRIALS
    bare = report("bare loop", max(counts), None)
    for count in counts:
        report("llmeval", count, bare)
    for peer, most in PEERS.items():
        report(peer, min(most, max(counts)), bare)


def report(subject: str, count: int, bare: float | None) -> float | None:
    """Prints a line, and returns the CPU seconds of a trial; `None` where the subject cannot be imported."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [
                os.environ.get(f"{subject.upper()}_PYTHON", sys.executable),
                "-c",
                PRELUDE + SUBJECTS[subject],
                str(count),
                folder,
            ],
            env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])},
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode:
        print(f"{subject:<15} {count:>8,} trials  not measured: {done.stderr.strip().splitlines()[-1]}")
        return None
    cpu, memory = map(float, done.stdout.split()[-2:])
    ratio = "" if not bare else f"  {cpu / count / bare:6.1f} x the bare loop"
    print(f"{subject:<15} {count:>8,} trials  {cpu / count * 1e6:8.1f} µs  {memory / count / 1024:6.2f} KB each{ratio}")
    return cpu / count


if __name__ == "__main__":
    main()
