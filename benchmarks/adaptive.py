"""`-j auto` against a server that takes 32 requests at once: python benchmarks/adaptive.py [TRIALS …]

The server answers after 100 ms, and 429 at once to what is beyond its 32. The trials (2,000 and 200 unless said) are
graded by a model there; or their application asks it, which is the other limit that `auto` finds. Targets, for 1,000
trials and more: at least 85 % of the throughput of the best fixed concurrency, and under 5 % of requests refused.
"""

from __future__ import annotations

import sys
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import openai
from model_server import Served, served

from llmeval import Attempt, Model, Registry, criterion

CAPACITY = 32
FIXED = (16, 24, 28, 32, 40)
SHARE, REFUSED = 0.85, 0.05


def evaluation(server: Served, where: str) -> Any:
    """Returns an evaluation that asks the server once a trial, in its application or for its grades."""

    @asynccontextmanager
    async def client() -> AsyncIterator[openai.AsyncOpenAI]:
        async with openai.AsyncOpenAI(base_url=server.url, api_key="none") as opened:
            yield opened

    async def asking(question: str, attempt: Attempt) -> str:
        return str((await attempt.lifespan.responses.create(model="judge", input=question)).output_text)

    async def answering(question: str) -> str:
        return question

    grader = Model("openai:judge", base_url=server.url, protocol="responses", api_key="none")
    if where == "application":
        declared = Registry().evaluation(evaluator=False, dataset=[])(asking)
        declared.lifespan(client)
        return declared
    return criterion("short", "The answer is short")(Registry().evaluation(evaluator=grader, dataset=[])(answering))


def throughput(server: Served, where: str, trials: int, concurrency: int | str) -> tuple[float, float]:
    """Returns the requests answered in a second, and the share of those made that was refused."""
    cases = [{"name": str(number), "inputs": f"Question {number}"} for number in range(trials)]
    server.stats()
    start = time.perf_counter()
    report = evaluation(server, where).run(cases, concurrency=concurrency)
    seconds = time.perf_counter() - start
    seen = server.stats()["judge"]
    answered = seen["requests"] - seen.get("refused", 0)
    # Beyond what the server takes, some trials meet nothing but refusals; never with `auto`.
    assert len(report.trials) == trials and (answered == trials or concurrency != "auto"), (report.counts, seen)
    return answered / seconds, seen.get("refused", 0) / seen["requests"]


def compare(where: str, trials: int) -> bool:
    """Prints each concurrency's throughput; returns whether `auto` keeps up."""
    print(f"{trials} requests of the {where}, {CAPACITY} at once")
    found: dict[int | str, tuple[float, float]] = {}
    with served(0.1, CAPACITY) as server:
        throughput(server, where, 20, 8)  # imports what is imported late
        for concurrency in (*FIXED, "auto"):
            found[concurrency] = rate, refused = throughput(server, where, trials, concurrency)
            print(f"  -j {concurrency:<6}{rate:8.1f}/s{refused:8.1%} refused")
    best = max(rate for concurrency, (rate, _) in found.items() if concurrency != "auto")
    share = found["auto"][0] / best
    print(f"  auto is {share:.1%} of the best fixed value\n")
    return share >= SHARE and found["auto"][1] < REFUSED


def main(arguments: Sequence[str]) -> int:
    """Returns 0 when the targets are met where there are enough requests."""
    sizes = [int(size) for size in arguments] or [2000, 200]
    met = [(compare(where, size), size) for size in sizes for where in ("evaluator", "application")]
    return 0 if all(good for good, size in met if size >= 1000) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
