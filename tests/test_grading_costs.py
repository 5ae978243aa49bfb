"""What a run's application and its graders cost, each request counted once, and how `--max-cost` bounds it."""

from __future__ import annotations

from typing import Any

import openai
import pytest
from model_graders import KEY
from stub_server import StubServer

from llmeval import Model, Registry, Report, criterion
from llmeval.options import Options
from llmeval.prices import price
from llmeval.render.figures import money
from llmeval.usage import Tokens

HELLO: Any = [{"role": "user", "content": "hello"}]
USED = Tokens(input=120, output=30, cached=20, reasoning=10)
"""What the stub server says of each answer over Responses."""


def run(
    server: StubServer, application: str | None, grader: str, trials: int, returned: str = "text", **how: Any
) -> Report:
    """Returns a report whose trials make a request to `application`, if there is one, and one to `grader`."""
    registry = Registry()
    client = openai.OpenAI(base_url=server.openai_url, api_key="k")

    @criterion("kind", "It is kind")
    @registry.evaluation(
        evaluator=Model(f"openai:{grader}", base_url=server.openai_url, protocol="responses", api_key=KEY),
        dataset=[{"name": str(number), "inputs": number} for number in range(trials)],
    )
    def shop(question: int) -> Any:
        if application is None:
            return "hello"
        response = client.responses.create(model=application, input=HELLO)
        return response if returned == "response" else response.output_text

    with client:
        concurrency = how.pop("concurrency", 1)
        return shop.run(concurrency=concurrency, options=Options(**how))


def cost(*models: str) -> float:
    """Returns what one request to each of `models` costs."""
    found = [price("openai", model, USED) for model in models]
    assert None not in found
    return float(sum(one or 0 for one in found))


def test_application_and_grader_are_told_apart_and_add_up(model_server: StubServer) -> None:
    report = run(model_server, "gpt-6-sol", "gpt-6-luna", 3)

    assert (report.summary.task_usage.requests, report.summary.evaluator_usage.requests) == (3, 3)
    assert report.summary.task_usage.tokens == report.summary.evaluator_usage.tokens == USED + USED + USED
    assert report.summary.task_usage.cost == pytest.approx(3 * cost("gpt-6-sol"))
    assert report.summary.evaluator_usage.cost == pytest.approx(3 * cost("gpt-6-luna"))
    assert report.cost == pytest.approx(3 * cost("gpt-6-sol", "gpt-6-luna"))


def test_a_result_that_carries_its_usage_is_not_counted_twice(model_server: StubServer) -> None:
    report = run(model_server, "gpt-6-sol", "gpt-6-luna", 2, returned="response")

    assert report.passed
    assert (report.summary.task_usage.requests, report.summary.task_usage.tokens) == (2, USED + USED)


def test_an_application_that_asks_no_model_has_no_cost_and_no_tokens(model_server: StubServer) -> None:
    report = run(model_server, None, "gpt-6-luna", 1)

    assert (report.summary.task_usage.requests, report.trials[0].task_tokens, report.trials[0].task_cost) == (
        0,
        None,
        None,
    )
    assert report.cost == pytest.approx(cost("gpt-6-luna"))


@pytest.mark.parametrize("concurrency", [1, 4])
def test_no_trial_starts_that_would_pass_the_budget(model_server: StubServer, concurrency: int) -> None:
    each = cost("gpt-6-sol", "gpt-6-luna")
    report = run(model_server, "gpt-6-sol", "gpt-6-luna", 10, concurrency=concurrency, max_cost=each * 6.5)

    assert len(report.trials) == 6
    assert report.cost == pytest.approx(6 * each)
    assert len(report.not_run) == 4
    assert {one.reason.partition(":")[0] for one in report.not_run} == {f"--max-cost {each * 6.5:g}"}
    assert model_server.stats.total() == 12
    assert not report.passed


@pytest.mark.parametrize(
    ("application", "grader", "unknown"),
    [("unheard-of", "gpt-6-luna", "openai:unheard-of"), ("gpt-6-sol", "unheard-of", "openai:unheard-of")],
)
def test_a_price_that_turns_out_unknown_stops_launching_and_is_named(
    model_server: StubServer, application: str, grader: str, unknown: str
) -> None:
    report = run(model_server, application, grader, 5, concurrency=3, max_cost=10)

    assert (len(report.trials), len(report.not_run), report.cost) == (1, 4, None)
    assert {one.reason for one in report.not_run} == {f"--max-cost 10: no price is known for {unknown}"}


@pytest.mark.parametrize(
    ("dollars", "told"), [(0, "$0.0000"), (0.000025, "$0.000025"), (0.00123, "$0.0012"), (2.5, "$2.50")]
)
def test_a_small_amount_is_told_in_digits(dollars: float, told: str) -> None:
    assert money(dollars) == told
