"""The OpenAI Agents SDK's results as evidence, made by the real package against a local server."""

from __future__ import annotations

import pytest

pytest.importorskip("agents")

import openai
from adapter_server import function_call, response, said, talking
from agents import Agent, OpenAIResponsesModel, RunConfig, Runner, function_tool
from pydantic import BaseModel

from llmeval.adapters import snapshot

pytestmark = pytest.mark.asyncio

QUIET = RunConfig(tracing_disabled=True)


class Answer(BaseModel):
    shipped: bool


@function_tool
def lookup_order(order_id: int) -> str:
    """Looks an order up."""
    return f"order {order_id} shipped"


@function_tool(needs_approval=True)
def refund(order_id: int) -> str:
    """Refunds an order."""
    raise AssertionError("a tool that waits for approval must not run")


def agent(client: openai.AsyncOpenAI, **more: object) -> Agent:
    model = OpenAIResponsesModel(model="gpt-5-mini", openai_client=client)
    return Agent(name="shop", instructions="Be kind.", model=model, tools=[lookup_order, refund], **more)


async def test_a_run_gives_instructions_messages_calls_with_results_and_usage() -> None:
    async with talking(
        response(function_call("lookup_order", {"order_id": 42})), response(said("It is on its way."))
    ) as (client, _server):
        evidence = snapshot(await Runner.run(agent(client), "Where is 42?", run_config=QUIET))
    assert [message.role for message in evidence.messages or ()] == ["system", "user", "assistant", "tool", "assistant"]
    call = evidence.tool_calls[0]
    assert (call.id, call.name, call.arguments, call.result) == (
        "call_lookup_order",
        "lookup_order",
        {"order_id": 42},
        "order 42 shipped",
    )
    assert (evidence.output, evidence.completeness) == ("It is on its way.", "finished")
    assert evidence.usage and evidence.usage.requests == 2
    assert evidence.usage.tokens and evidence.usage.tokens.input == 20


async def test_a_typed_output_is_the_output() -> None:
    async with talking(response(said('{"shipped": true}'))) as (client, _server):
        evidence = snapshot(await Runner.run(agent(client, output_type=Answer), "Is it?", run_config=QUIET))
    assert evidence.output == {"shipped": True}


async def test_a_run_that_waits_for_approval_is_waiting_and_not_resumed() -> None:
    async with talking(response(function_call("refund", {"order_id": 42}))) as (client, server):
        evidence = snapshot(await Runner.run(agent(client), "Refund 42", run_config=QUIET))
        assert len(server.requests) == 1
    assert evidence.completeness == "waiting"
    assert [(call.name, call.has_result) for call in evidence.tool_calls] == [("refund", False)]
    assert evidence.output is None


async def test_the_turns_of_an_earlier_run_stay_in_front() -> None:
    async with talking(response(said("Hello.")), response(said("Still here."))) as (client, _server):
        first = await Runner.run(agent(client), "Hi", run_config=QUIET)
        turns = [*first.to_input_list(), {"role": "user", "content": "And now?"}]
        evidence = snapshot(await Runner.run(agent(client), turns, run_config=QUIET))  # type: ignore[arg-type]
    assert [message.text for message in evidence.messages or ()] == [
        "Be kind.",
        "Hi",
        "Hello.",
        "And now?",
        "Still here.",
    ]


async def test_a_list_of_run_items_is_a_conversation() -> None:
    async with talking(response(said("Hello."))) as (client, _server):
        result = await Runner.run(agent(client), "Hi", run_config=QUIET)
    assert snapshot(result.new_items).output == "Hello."


async def test_a_streamed_run_is_whole_once_it_was_read() -> None:
    done = response(said("Hello."))
    events = [
        {"type": "response.created", "sequence_number": 0, "response": {**done, "status": "in_progress", "output": []}},
        {"type": "response.completed", "sequence_number": 1, "response": done},
    ]
    async with talking(events) as (client, _server):
        result = Runner.run_streamed(agent(client), "Hi", run_config=QUIET)
        before = snapshot(result)
        async for _ in result.stream_events():
            pass
    assert (before.output, before.completeness) == (None, "incomplete")
    after = snapshot(result)
    assert (after.output, after.completeness) == ("Hello.", "finished")
