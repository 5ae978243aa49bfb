"""The work of `grading.py` by other packages, each run by the Python of its own environment.

    PEERS/deepeval/bin/python benchmarks/peers.py deepeval URL CONCURRENCY CRITERIA CASES

Each makes one application request a case and grades the answer by its own model grader, once for each criterion where
it knows no other way. The figures are printed as JSON; Promptfoo is a command, so that only its whole process is timed.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

QUESTION = "May I return an opened box, number {}?"
CRITERION = "The answer says whether the box may be returned (point {})"

Command = Callable[[Path, str, int, int, int], Sequence[str]]


def questions(count: int) -> list[str]:
    """Returns the inputs of the cases."""
    return [QUESTION.format(number) for number in range(count)]


def rules(count: int) -> list[str]:
    """Returns the criteria."""
    return [CRITERION.format(number) for number in range(count)]


def pydantic_evals(url: str, concurrency: int, criteria: int, cases: int) -> Callable[[], object]:
    """Returns a run of `LLMJudge`, one a criterion."""
    import openai
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider
    from pydantic_evals import Case, Dataset
    from pydantic_evals.evaluators import LLMJudge

    judge = OpenAIChatModel("judge", provider=OpenAIProvider(base_url=url, api_key="none"))
    client = openai.AsyncOpenAI(base_url=url, api_key="none")

    async def task(question: str) -> str:
        return (await client.responses.create(model="app", input=question)).output_text

    graders = [LLMJudge(rubric=rule, include_input=True, model=judge) for rule in rules(criteria)]
    dataset = Dataset(
        name="grading", cases=[Case(name=one, inputs=one) for one in questions(cases)], evaluators=tuple(graders)
    )

    def run() -> None:
        report = asyncio.run(dataset.evaluate(task, max_concurrency=concurrency, progress=False))
        assert all(one.value for case in report.cases for one in case.assertions.values())
        assert len(report.cases) == cases

    return run


def deepeval(url: str, concurrency: int, criteria: int, cases: int) -> Callable[[], object]:
    """Returns a run of `GEval`, one a criterion, its steps given so that it asks once and not twice."""
    os.environ.update(DEEPEVAL_TELEMETRY_OPT_OUT="1", ERROR_REPORTING="0", OPENAI_API_KEY="none")
    import openai
    from deepeval import evaluate
    from deepeval.evaluate import AsyncConfig, CacheConfig, DisplayConfig
    from deepeval.metrics import GEval
    from deepeval.models import OpenAIModel
    from deepeval.test_case import LLMTestCase, SingleTurnParams

    judge = OpenAIModel(model="judge", base_url=url, api_key="none", cost_per_input_token=0, cost_per_output_token=0)
    shown = [SingleTurnParams.INPUT, SingleTurnParams.ACTUAL_OUTPUT]
    metrics: list[Any] = [
        GEval(name=f"p{i}", evaluation_steps=[rule], evaluation_params=shown, model=judge, threshold=0.0)
        for i, rule in enumerate(rules(criteria))
    ]

    async def answers() -> list[LLMTestCase]:
        places = asyncio.Semaphore(concurrency)
        async with openai.AsyncOpenAI(base_url=url, api_key="none") as client:

            async def one(question: str) -> LLMTestCase:
                async with places:
                    reply = await client.responses.create(model="app", input=question)
                return LLMTestCase(input=question, actual_output=reply.output_text)

            return list(await asyncio.gather(*map(one, questions(cases))))

    def run() -> None:
        result = evaluate(
            asyncio.run(answers()),
            metrics,
            async_config=AsyncConfig(max_concurrent=concurrency),
            display_config=DisplayConfig(show_indicator=False, print_results=False),
            cache_config=CacheConfig(write_cache=False),
        )
        assert len(result.test_results) == cases

    return run


def inspect(url: str, concurrency: int, criteria: int, cases: int) -> Callable[[], object]:
    """Returns a run of `model_graded_qa`, one a criterion."""
    os.environ.update(OPENAI_API_KEY="none", OPENAI_BASE_URL=url)
    from inspect_ai import Task, eval
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.model import get_model
    from inspect_ai.scorer import model_graded_qa
    from inspect_ai.solver import generate

    judge = get_model("openai/judge")
    dataset = MemoryDataset([Sample(input=one, target="It says so") for one in questions(cases)])
    scorers = [
        model_graded_qa(instructions=f"{rule}. End with GRADE: C or GRADE: I", model=judge) for rule in rules(criteria)
    ]
    task = Task(dataset=dataset, solver=generate(), scorer=scorers)

    def run() -> None:
        [log] = eval(
            task,
            model="openai/app",
            max_connections=concurrency,
            max_samples=concurrency,
            display="none",
            log_dir=f"/tmp/inspect-{os.getpid()}",
        )
        assert log.status == "success", log.error

    return run


def promptfoo(folder: Path, url: str, concurrency: int, criteria: int, cases: int) -> Sequence[str]:
    """Returns the command of a run of `llm-rubric`, one a criterion."""

    def model(name: str) -> Mapping[str, Any]:
        return {"id": f"openai:chat:{name}", "config": {"apiBaseUrl": url, "apiKey": "none"}}

    tests = [{"vars": {"question": one}} for one in questions(cases)]
    config = {
        "prompts": ["{{question}}"],
        "providers": [model("app")],
        "defaultTest": {
            "options": {"provider": model("judge")},
            "assert": [{"type": "llm-rubric", "value": rule} for rule in rules(criteria)],
        },
        "tests": tests,
    }
    path = folder / "promptfooconfig.json"
    path.write_text(json.dumps(config), encoding="utf-8")
    settings = ["PROMPTFOO_DISABLE_TELEMETRY=1", "PROMPTFOO_DISABLE_UPDATE=1", f"PROMPTFOO_CONFIG_DIR={folder}/home"]
    program = str(folder / "node_modules" / ".bin" / "promptfoo")
    options = ["-c", str(path), "-j", str(concurrency), "--no-cache", "--no-table", "--no-progress-bar", "--no-write"]
    return ["env", *settings, program, "eval", *options]


RUNS = {"pydantic-evals": pydantic_evals, "deepeval": deepeval, "inspect": inspect}


def _in_its_environment(name: str) -> Command:
    def command(folder: Path, url: str, concurrency: int, criteria: int, cases: int) -> Sequence[str]:
        return [
            str(folder / "bin" / "python"),
            str(Path(__file__).resolve()),
            name,
            url,
            *map(str, (concurrency, criteria, cases)),
        ]

    return command


PEERS: Mapping[str, Command] = {name: _in_its_environment(name) for name in RUNS} | {"promptfoo": promptfoo}


if __name__ == "__main__":
    prepared = RUNS[sys.argv[1]](sys.argv[2], *map(int, sys.argv[3:6]))
    wall, cpu = time.perf_counter(), time.process_time()
    prepared()
    print("\n" + json.dumps({"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}))
