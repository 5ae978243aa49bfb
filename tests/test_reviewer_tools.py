"""Reviewers that may call functions before they grade."""

from __future__ import annotations

import threading
from typing import Any, Literal

import pytest
from model_graders import PROTOCOLS, criteria, grade, model, subject
from stub_server import StubServer

from llmeval.errors import EvaluatorConfigError
from llmeval.evaluators.base import RequestCount
from llmeval.evaluators.reviewer import Reviewer
from llmeval.evaluators.tools import Toolbox
from llmeval.results import Status

each_protocol = pytest.mark.parametrize("protocol", PROTOCOLS)
ONE = criteria("kind")


def lookup(order_id: int, detail: Literal["low", "high"] = "low") -> dict[str, Any]:
    """Looks an order up.

    Args:
        order_id: The number on the receipt.
    """
    return {"order": order_id, "detail": detail, "thread": threading.current_thread() is threading.main_thread()}


async def policy(topic: str) -> str:
    """Returns the shop's policy."""
    return f"the policy on {topic}"


def broken() -> None:
    raise RuntimeError("the shop is closed")


def test_a_schema_comes_from_the_signature_and_the_docstring() -> None:
    [spec] = Toolbox([lookup]).specs

    assert spec.name == "lookup"
    assert spec.description == "Looks an order up."
    assert spec.parameters["required"] == ["order_id"]
    assert spec.parameters["properties"]["order_id"]["type"] == "integer"
    assert spec.parameters["properties"]["order_id"]["description"] == "The number on the receipt."
    assert spec.parameters["properties"]["detail"]["enum"] == ["low", "high"]


@each_protocol
def test_tools_are_called_as_often_as_the_model_asks_and_kept_in_the_evidence(
    model_server: StubServer, protocol: str
) -> None:
    reviewer = Reviewer(model=model(model_server, "tools-2", protocol), tools=[lookup, policy])
    [grades] = grade(reviewer, criteria("kind", "short"), subject())

    assert {result.status for result in grades.results} == {Status.PASSED}
    calls = [
        {
            "name": "lookup",
            "arguments": {"order_id": 1, "detail": "low"},
            "result": '{"order":1,"detail":"low","thread":false}',
        },
        {"name": "policy", "arguments": {"topic": "x"}, "result": "the policy on x"},
    ]
    assert [result.evidence for result in grades.results] == [{"tool_calls": calls * 2}] * 2
    assert grades.usage.requests == model_server.stats.total() == 3


@each_protocol
def test_a_tool_that_raises_tells_the_model_and_does_not_end_the_grading(
    model_server: StubServer, protocol: str
) -> None:
    [grades] = grade(Reviewer(model=model(model_server, "tools-1", protocol), tools=[broken]), ONE, subject())

    call = {"name": "broken", "arguments": {}, "error": "RuntimeError: the shop is closed"}
    assert grades.results[0].evidence == {"tool_calls": [call]}
    assert grades.results[0].passed
    assert "error: RuntimeError: the shop is closed" in str(model_server.bodies[-1])


def test_arguments_are_checked_before_a_tool_is_called(model_server: StubServer) -> None:
    called: list[int] = []

    def narrow(size: int) -> str:
        called.append(size)
        return "ok"

    toolbox = Toolbox([narrow])
    record: list[dict[str, Any]] = []

    async def run() -> Any:
        from llmeval.providers.messages import ToolUse

        uses = [
            ToolUse(id="1", name="narrow", arguments='{"size": "much"}'),
            ToolUse(id="2", name="narrow", arguments="not JSON"),
            ToolUse(id="3", name="other", arguments="{}"),
            ToolUse(id="4", name="narrow", arguments='{"size": 7}'),
        ]
        return await toolbox.run(uses, record)

    import asyncio

    outputs = asyncio.run(run())
    assert [output.failed for output in outputs] == [True, True, True, False]
    assert called == [7]
    assert "there is no tool 'other': there are narrow" in outputs[2].text
    assert record[1]["arguments"] == "not JSON"


def test_a_model_that_only_calls_tools_is_stopped(model_server: StubServer) -> None:
    reviewer = Reviewer(model=model(model_server, "tools-99"), tools=[policy], max_steps=3)
    [grades] = grade(reviewer, ONE, subject())

    assert grades.results[0].error is not None
    assert "called tools 3 times in a row and did not grade" in grades.results[0].error.message
    assert model_server.stats.total() == 4 == grades.usage.requests


def test_every_trial_starts_afresh(model_server: StubServer) -> None:
    reviewer = Reviewer(model=model(model_server, "tools-1"), tools=[policy])
    grades = grade(reviewer, ONE, *[subject(inputs=n) for n in range(3)])

    assert all(len(one.results[0].evidence["tool_calls"]) == 1 for one in grades)


def test_the_plan_says_that_there_may_be_more_requests() -> None:
    assert Reviewer(model="openai:m", tools=[policy]).requests(ONE) == RequestCount(requests=1, exact=False)


def test_the_identity_changes_with_the_tools_source() -> None:
    with_policy, with_lookup = (Reviewer(model="openai:m", tools=[tool]).identity() for tool in (policy, lookup))

    assert with_policy["tools"].keys() == {"policy"}
    assert with_policy != with_lookup
    assert "tools" not in Reviewer(model="openai:m").identity()


@pytest.mark.parametrize(
    ("tools", "said"),
    [
        ("lookup", "give a list of functions"),
        ([5], "is not a function with a name"),
        ([lambda: 1], "is not a function with a name"),
        ([lookup, lookup], "two tools are named lookup"),
    ],
)
def test_what_is_no_list_of_functions_is_refused(tools: Any, said: str) -> None:
    with pytest.raises(EvaluatorConfigError, match=said):
        Reviewer(model="openai:m", tools=tools)


def test_a_signature_without_a_schema_is_refused_by_name() -> None:
    def odd(thing: threading.Lock) -> None:  # type: ignore[valid-type]  # on purpose
        pass

    with pytest.raises(EvaluatorConfigError, match="tool odd: its signature has no JSON Schema"):
        Toolbox([odd])
