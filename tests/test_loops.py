"""Event loops end, whatever the application left running on them."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys

import pytest
from projects import environment

from llmeval import loops

PROGRAM = """
import asyncio, json, threading
import llmeval.concurrent, llmeval.loops
from llmeval import Registry

llmeval.loops.GRACE = llmeval.concurrent.GRACE = 0.1

async def forever(number):
    while number == 1:
        try:
            await asyncio.sleep(0.05)
        except BaseException:
            pass
    return number

async def stuck(number):
    await asyncio.to_thread(threading.Event().wait, 3 if number == 1 else 0)
    return number

registry = Registry()
two = [{"name": "a", "inputs": 1}, {"name": "b", "inputs": 2}]
evaluation = registry.evaluation(dataset=two, evaluator=False)(NAME)
report = evaluation.run(timeout=0.1, concurrency=CONCURRENCY)
print(json.dumps([[trial.error and trial.error.type for trial in report], report.notes]), flush=True)
import os
os._exit(0)
"""


@pytest.mark.parametrize(("name", "concurrency"), [("forever", 1), ("forever", 2), ("stuck", 1)])
def test_what_does_not_end_when_it_is_cancelled_does_not_hold_the_run(name: str, concurrency: int) -> None:
    program = PROGRAM.replace("NAME", name).replace("CONCURRENCY", str(concurrency))
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment(), capture_output=True, text=True, timeout=20, check=True
    )
    errors, notes = json.loads(done.stdout)
    assert errors == ["TimeoutError", None]
    left = ["case 'a', repetition 1, was not torn down: its function had not returned when the run ended"]
    assert notes == (left if name == "forever" else [])


def test_tasks_that_are_left_are_cancelled_and_waited_for() -> None:
    cleaned: list[str] = []
    kept: list[asyncio.Task[None]] = []

    async def lingering() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            cleaned.append("cleaned")

    async def main() -> str:
        kept.append(asyncio.get_running_loop().create_task(lingering()))
        await asyncio.sleep(0)
        return "done"

    assert loops.run(main()) == "done"
    assert cleaned == ["cleaned"]
