"""How near 200 cases of 0.1 s at concurrency 50 come to the ideal of 0.4 s, asynchronous and synchronous.

    python benchmarks/concurrency.py

Beside them the same sleeps without llmeval: a semaphore on a bare event loop, and a bare thread pool. Both are to reach
at least 95 % of the ideal.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from llmeval import Case, Options, Registry

CASES, CONCURRENCY, SLEEP, ROUNDS = 200, 50, 0.1, 3
IDEAL = CASES / CONCURRENCY * SLEEP
registry = Registry()


@registry.evaluation(evaluator=False)
async def asynchronous(number: int) -> int:
    """Sleeps on the event loop."""
    await asyncio.sleep(SLEEP)
    return number


@registry.evaluation(evaluator=False)
def synchronous(number: int) -> int:
    """Sleeps in its thread."""
    time.sleep(SLEEP)
    return number


async def bare_loop() -> None:
    """Sleeps so often on a loop, so many at once."""
    turns = asyncio.Semaphore(CONCURRENCY)

    async def one() -> None:
        async with turns:
            await asyncio.sleep(SLEEP)

    await asyncio.gather(*(one() for _ in range(CASES)))


def bare_threads() -> None:
    """Sleeps so often in the threads of a pool."""
    with ThreadPoolExecutor(CONCURRENCY) as pool:
        list(pool.map(lambda _: time.sleep(SLEEP), range(CASES)))


def main() -> None:
    """Prints the best of several rounds of each, as a share of the ideal."""
    cases = [Case(name=f"c{number}", inputs=number) for number in range(CASES)]
    runs: dict[str, Callable[[], object]] = {
        "asyncio.sleep, bare loop": lambda: asyncio.run(bare_loop()),
        "asyncio.sleep, llmeval": lambda: asynchronous.run(cases, options=Options(concurrency=CONCURRENCY)),
        "time.sleep, bare threads": bare_threads,
        "time.sleep, llmeval": lambda: synchronous.run(cases, options=Options(concurrency=CONCURRENCY)),
    }
    print(f"{CASES} cases of {SLEEP} s at concurrency {CONCURRENCY}: ideally {IDEAL:.2f} s")
    for name, run in runs.items():
        found = min(seconds(run) for _ in range(ROUNDS))
        print(f"{found:6.3f} s  {IDEAL / found:6.1%} of the ideal  {name}")


def seconds(run: Callable[[], object]) -> float:
    """Returns how long a run takes."""
    begun = time.perf_counter()
    run()
    return time.perf_counter() - begun


if __name__ == "__main__":
    main()
