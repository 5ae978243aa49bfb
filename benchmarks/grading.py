"""Grading by a model beside the same requests by hand, and beside other packages: python benchmarks/grading.py [PEERS]

First the CPU time of grading requests, against as many `client.responses.create` in a loop of one's own: at most half.
Then 200 cases with one application request and one grading request each, against a server of this machine that takes
100 ms, at concurrency 50 and 200, for 1 and for 10 criteria: at most the wall time of a hand-written asyncio loop that
makes the same requests with the SDK's ordinary methods, and exactly 2 requests a trial. Every contender runs in a
process of its own, three times in turn; the smallest figure counts. Wall and CPU time are of a second run, after a
short one that imports what is imported late; `process` is the whole of it, interpreter and imports included.

PEERS is a folder with the virtual environments of other packages, for the same work at concurrency 50:

    python -m venv PEERS/pydantic-evals; PEERS/pydantic-evals/bin/pip install pydantic-evals 'pydantic-ai-slim[openai]'
    python -m venv PEERS/deepeval;       PEERS/deepeval/bin/pip install deepeval
    python -m venv PEERS/inspect;        PEERS/inspect/bin/pip install inspect-ai openai
    mkdir PEERS/promptfoo; cd PEERS/promptfoo; npm install promptfoo  # Node.js 22; with 20 and --omit=optional,
                                                                    # @libsql/linux-x64-gnu too
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen
from typing import Any
from urllib.request import urlopen

from model_server import Served, served

CASES = 200
ROUNDS = 3
QUESTION = "May I return an opened box, number {}?"
CRITERION = "The answer says whether the box may be returned (point {})"


# The contenders, each in a process of its own


def clocked(url: str, run: Callable[[int], object]) -> None:
    """Prints how long `run` took for all cases, as JSON, after a run for two."""
    run(2)
    urlopen(url.replace("/v1", "/stats")).close()  # those requests do not count
    wall, cpu = time.perf_counter(), time.process_time()
    run(CASES)
    print(json.dumps({"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}))


async def at_once(concurrency: int, work: Callable[[int], Awaitable[object]], count: int) -> None:
    """Awaits `work` for each number below `count`, so many at once."""
    places = asyncio.Semaphore(concurrency)

    async def one(number: int) -> None:
        async with places:
            await work(number)

    await asyncio.gather(*map(one, range(count)))


def by_hand(url: str, concurrency: int, criteria: int, application: bool = True) -> None:
    """Makes the requests with the SDK's ordinary methods."""
    import openai

    from llmeval.evaluators import prompt
    from llmeval.evaluators.verdicts import verdict_schema

    asked, schema = _criteria(criteria), dict(verdict_schema(criteria))
    text: Any = {"format": {"type": "json_schema", "name": "grades", "schema": schema, "strict": True}}

    async def main(count: int) -> None:
        async with openai.AsyncOpenAI(base_url=url, api_key="none") as client:

            async def trial(number: int) -> None:
                answer = "Within 30 days, also opened."
                if application:
                    answer = (await client.responses.create(model="app", input=QUESTION.format(number))).output_text
                trial = {"inputs": QUESTION.format(number), "evidence": {"output": answer}}
                shown = f"{prompt.criteria_text(asked)}\n\n{json.dumps(trial)}"
                reply = await client.responses.create(model="judge", instructions=prompt.RULES, input=shown, text=text)
                verdicts = json.loads(reply.output_text)["verdicts"]
                assert all(one["verdict"] == "pass" for one in verdicts.values())

            await at_once(concurrency, trial, count)

    clocked(url, lambda count: asyncio.run(main(count)))


def graded(url: str, concurrency: int, criteria: int) -> None:
    """Makes the grading requests alone, by a Reviewer."""
    from llmeval import Case, Model, Reviewer
    from llmeval.evaluators.base import Subject
    from llmeval.evidence import Evidence
    from llmeval.providers import Session

    model = Model("openai:judge", base_url=url, protocol="responses", api_key="none")
    evidence = Evidence(output="Within 30 days, also opened.")

    async def main(count: int) -> None:
        session = Session()
        reviewer = Reviewer(model=model).bound(session)

        async def grade(number: int) -> None:
            subject = Subject(case=Case(str(number), QUESTION.format(number)), evidence=evidence, attempt=None)
            grades = await reviewer.evaluate(subject, asked)
            assert all(result.passed for result in grades.results)

        await at_once(concurrency, grade, count)
        await session.aclose()

    asked = _criteria(criteria)
    clocked(url, lambda count: asyncio.run(main(count)))


def llmeval(url: str, concurrency: int, criteria: int, synchronous: bool = False) -> None:
    """Runs an evaluation; its application is a function that awaits the SDK, or a synchronous one."""
    import openai

    from llmeval import Model, Registry, criterion

    registry = Registry()
    clients: list[Any] = []
    threads = openai.OpenAI(base_url=url, api_key="none")

    async def returns(question: str) -> str:
        return (await clients[-1].responses.create(model="app", input=question)).output_text

    def returns_in_threads(question: str) -> str:
        return threads.responses.create(model="app", input=question).output_text

    grader = Model("openai:judge", base_url=url, protocol="responses", api_key="none")
    cases = [{"name": str(number), "inputs": QUESTION.format(number)} for number in range(CASES)]
    declared = registry.evaluation(evaluator=grader, dataset=cases)(returns_in_threads if synchronous else returns)
    for one in reversed(_criteria(criteria)):
        criterion(one.name, one.instructions)(declared)

    def run(count: int) -> None:
        clients.append(openai.AsyncOpenAI(base_url=url, api_key="none"))  # for this run's event loop
        report = declared.run(cases[:count], concurrency=concurrency)
        assert (report.counts["passed"], report.passed) == (count, True), report.counts

    clocked(url, run)


def in_threads(url: str, concurrency: int, criteria: int) -> None:
    """Runs an evaluation of a synchronous application."""
    llmeval(url, concurrency, criteria, synchronous=True)


def requests_by_hand(url: str, concurrency: int, criteria: int) -> None:
    """Makes the grading requests alone, with the SDK's ordinary methods."""
    by_hand(url, concurrency, criteria, application=False)


def _criteria(count: int) -> Sequence[Any]:
    from llmeval.criteria import Criterion

    return [Criterion(name=f"point_{i}", instructions=CRITERION.format(i)) for i in range(count)]


CONTENDERS = {one.__name__: one for one in (by_hand, requests_by_hand, graded, llmeval, in_threads)}


# What runs and compares them


def measured(server: Served, command: Sequence[str], peer: Path | None = None) -> dict[str, float]:
    """Returns what a contender's process used, what it printed as JSON, and what the server counted.

    Raises:
        SystemExit: it failed.
    """
    server.stats()
    start = time.perf_counter()
    with Popen(command, stdout=PIPE, stderr=None if peer is None else DEVNULL, text=True, cwd=peer) as process:
        assert process.stdout is not None
        printed = process.stdout.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    whole = time.perf_counter() - start
    stats = server.stats()
    # One that fails when its work is done, as Promptfoo's log does with Node.js 20, is measured as well.
    if process.returncode and (peer is None or stats.get("judge", {}).get("requests", 0) < CASES):
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}\n{printed[-2000:]}")
    found: dict[str, float] = {"process": whole, "process_cpu": used.ru_utime + used.ru_stime}
    last = printed.strip().splitlines()[-1:] or [""]
    found |= json.loads(last[0]) if last[0].startswith("{") else {"wall": whole, "cpu": found["process_cpu"]}
    found["requests"] = sum(seen.get("requests", 0) for seen in stats.values()) / CASES
    found["tokens"] = stats.get("judge", {}).get("characters", 0) / 4 / CASES
    return found


def contest(server: Served, names: Sequence[str], concurrency: int, criteria: int) -> dict[str, dict[str, float]]:
    """Returns each contender's best figures; they run in turn, so that a busy machine disturbs all alike."""
    best: dict[str, dict[str, float]] = {}
    for _ in range(ROUNDS):
        for name in names:
            command = [sys.executable, __file__, name, server.url, str(concurrency), str(criteria)]
            found = measured(server, command)
            best[name] = {key: min(value, best.get(name, found)[key]) for key, value in found.items()}
    return best


def show(name: str, found: dict[str, float], beside: dict[str, float] | None = None) -> None:
    """Prints one line."""
    ratio = "" if beside is None else f"{found['wall'] / beside['wall']:6.2f} x"
    print(
        f"  {name:<28}{found['requests']:9.2f}{found['wall']:9.2f} s{found['cpu']:9.2f} s"
        f"{found['process']:9.2f} s{found['tokens']:9.0f}  {ratio}"
    )


HEAD = f"  {'':<28}{'req/trial':>9}{'wall':>11}{'CPU':>11}{'process':>11}{'tokens':>9}  wall ratio"


def compare_requests() -> bool:
    """Prints the CPU time of a grading request beside one by hand; returns whether it is at most half."""
    with served(0) as server:
        best = contest(server, ("requests_by_hand", "graded"), 50, 1)
    hand, ours = (best[name]["cpu"] / CASES * 1000 for name in ("requests_by_hand", "graded"))
    print(f"CPU of a request: {hand:.2f} ms by hand, {ours:.2f} ms graded: {ours / hand:.2f} x (at most 0.50)\n")
    return ours / hand <= 0.5


def compare_runs(concurrency: int, criteria: int) -> bool:
    """Prints whole runs; returns whether llmeval's is no slower than the loop by hand, with 2 requests a trial."""
    print(f"{CASES} cases, concurrency {concurrency}, {criteria} criteria\n{HEAD}")
    with served(0.1) as server:
        best = contest(server, ("by_hand", "llmeval", "in_threads"), concurrency, criteria)
    for name, found in best.items():
        show(name, found, best["by_hand"])
    print()
    return best["llmeval"]["wall"] <= best["by_hand"]["wall"] and best["llmeval"]["requests"] == 2


def compare_peers(folder: Path, criteria: int) -> None:
    """Prints other packages' runs at concurrency 50, once each."""
    from peers import PEERS

    print(f"other packages, {CASES} cases, concurrency 50, {criteria} criteria\n{HEAD}")
    with served(0.1) as server:
        for name, command in PEERS.items():
            if (folder / name).exists():
                show(name, measured(server, command(folder / name, server.url, 50, criteria, CASES), folder / name))
            else:
                print(f"  {name:<28} is not in {folder}")
    print()


def main(arguments: Sequence[str]) -> int:
    """Returns 0 when the targets are met."""
    met = [compare_requests()]
    met += [compare_runs(concurrency, criteria) for concurrency in (50, 200) for criteria in (1, 10)]
    for folder in arguments[:1]:
        for criteria in (1, 3):
            compare_peers(Path(folder).resolve(), criteria)
    return 0 if all(met) else 1


if __name__ == "__main__":
    if sys.argv[1:2] and sys.argv[1] in CONTENDERS:
        CONTENDERS[sys.argv[1]](sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
        sys.exit()
    sys.exit(main(sys.argv[1:]))
