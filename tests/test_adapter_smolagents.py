"""smolagents' results as evidence, made by the real package against a local server."""

from __future__ import annotations

from typing import Any

import pytest
from adapter_server import chat, serving

from llmeval.adapters import snapshot

smolagents = pytest.importorskip("smolagents")


def lookup_order(order_id: int) -> str:
    """Looks an order up.

    Args:
        order_id: The number of the order.
    """
    return f"order {order_id} shipped"


TOOL = smolagents.tool(lookup_order)


def run(url: str, **more: Any) -> Any:
    model = smolagents.OpenAIServerModel("gpt-5-mini", api_base=url, api_key="x")
    agent = smolagents.ToolCallingAgent(tools=[TOOL], model=model, verbosity_level=-1, **more)
    with model.client:
        return agent.run("Where is 42?", return_full_result=True)


def test_a_run_gives_the_task_the_calls_with_results_and_the_answer() -> None:
    with serving(
        chat(None, {"lookup_order": {"order_id": 42}}), chat(None, {"final_answer": {"answer": "It is on its way."}})
    ) as server:
        evidence = snapshot(run(server.url))
    assert (evidence.output, evidence.completeness) == ("It is on its way.", "finished")
    assert [(call.name, call.arguments) for call in evidence.tool_calls] == [("lookup_order", {"order_id": 42})]
    assert "order 42 shipped" in str(evidence.tool_calls[0].result)
    messages = evidence.messages or ()
    assert messages[0].role == "user"
    assert "Where is 42?" in str(messages[0].text)
    assert evidence.usage and evidence.usage.tokens and evidence.usage.tokens.input == 20
    assert evidence.usage.cost is None


def test_a_run_that_ran_out_of_steps_is_truncated() -> None:
    with serving(chat(None, {"lookup_order": {"order_id": 1}}), chat("I do not know.")) as server:
        evidence = snapshot(run(server.url, max_steps=1))
    assert evidence.completeness == "truncated"
    assert evidence.output == "I do not know."


def test_a_call_that_failed_is_marked() -> None:
    with serving(
        chat(None, {"lookup_order": {"wrong": 1}}), chat(None, {"final_answer": {"answer": "Sorry."}})
    ) as server:
        evidence = snapshot(run(server.url))
    assert evidence.tool_calls[0].error


def test_the_plain_answer_of_a_run_is_a_bare_string() -> None:
    with serving(chat(None, {"final_answer": {"answer": "Hi."}})) as server:
        model = smolagents.OpenAIServerModel("gpt-5-mini", api_base=server.url, api_key="x")
        agent = smolagents.ToolCallingAgent(tools=[TOOL], model=model, verbosity_level=-1)
        with model.client:
            assert snapshot(agent.run("Hi")).to_json() == "Hi."


def test_a_chat_message_is_a_lone_message() -> None:
    message = smolagents.ChatMessage(role=smolagents.MessageRole.ASSISTANT, content="Hello")
    assert snapshot(message).output == "Hello"
    assert snapshot([smolagents.ChatMessage(role="user", content="Hi"), message]).completeness == "finished"
