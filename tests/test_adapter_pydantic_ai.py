"""Pydantic AI's results as evidence, made by the real package against a local server."""

from __future__ import annotations

import pytest

pytest.importorskip("pydantic_ai")

import openai
import pydantic
from adapter_server import chat, talking
from pydantic_ai import Agent, BinaryContent, DeferredToolRequests
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

from llmeval.adapters import snapshot

pytestmark = pytest.mark.asyncio

LOOKUP = chat(None, {"lookup_order": {"order_id": 42}})


class Answer(pydantic.BaseModel):
    shipped: bool


def model(client: openai.AsyncOpenAI) -> OpenAIChatModel:
    return OpenAIChatModel("gpt-5-mini", provider=OpenAIProvider(openai_client=client))


def agent(client: openai.AsyncOpenAI, **more: object) -> Agent:
    made = Agent(model(client), instructions="Be kind.", **more)

    @made.tool_plain(requires_approval=more.get("output_type") is not None and "Deferred" in str(more["output_type"]))
    def lookup_order(order_id: int) -> dict[str, int]:
        return {"order": order_id}

    return made


async def test_a_run_gives_instructions_messages_calls_with_results_and_usage() -> None:
    async with talking(LOOKUP, chat("It is on its way.")) as (client, _server):
        evidence = snapshot(await agent(client).run("Where is 42?"))
    assert [message.role for message in evidence.messages or ()] == ["system", "user", "assistant", "tool", "assistant"]
    assert evidence.to_json()["messages"][0] == {"role": "system", "content": "Be kind."}
    call = evidence.tool_calls[0]
    assert (call.id, call.name, call.arguments, call.result) == (
        "call_lookup_order",
        "lookup_order",
        {"order_id": 42},
        {"order": 42},
    )
    assert (evidence.output, evidence.completeness) == ("It is on its way.", "finished")
    assert evidence.usage and evidence.usage.requests == 2
    assert evidence.usage.tokens and (evidence.usage.tokens.input, evidence.usage.tokens.output) == (20, 10)


async def test_a_typed_output_is_the_output_and_no_tool_call() -> None:
    async with talking(chat(None, {"final_result": {"shipped": True}})) as (client, _server):
        evidence = snapshot(await agent(client, output_type=Answer).run("Is it?"))
    assert evidence.output == {"shipped": True}
    assert evidence.tool_calls == ()
    assert evidence.completeness == "finished"


async def test_a_call_that_waits_for_approval_is_waiting_and_is_not_run() -> None:
    async with talking(LOOKUP) as (client, _server):
        evidence = snapshot(await agent(client, output_type=[str, DeferredToolRequests]).run("Where?"))
    assert evidence.completeness == "waiting"
    assert [(call.name, call.has_result) for call in evidence.tool_calls] == [("lookup_order", False)]


async def test_all_messages_are_a_conversation_of_their_own() -> None:
    async with talking(LOOKUP, chat("Done.")) as (client, _server):
        result = await agent(client).run("Where is 42?")
    evidence = snapshot(result.all_messages())
    assert [message.role for message in evidence.messages or ()] == ["system", "user", "assistant", "tool", "assistant"]
    assert evidence.output == "Done."
    assert snapshot(result.all_messages()[-1]).output == "Done."


async def test_a_truncated_answer_is_marked() -> None:
    async with talking(chat("It is on", finish="length")) as (client, _server):
        evidence = snapshot(await agent(client).run("Where?"))
    assert evidence.completeness == "truncated"


async def test_a_failed_tool_and_a_picture_are_in_the_evidence() -> None:
    from pydantic_ai import ModelRetry

    async with talking(chat(None, {"fail": {}}), chat("Sorry.")) as (client, _server):
        made = Agent(model(client))

        @made.tool_plain
        def fail() -> str:
            raise ModelRetry("try another order")

        picture = BinaryContent(b"\x89PNG\r\n\x1a\n", media_type="image/png")
        evidence = snapshot(await made.run(["What is this?", picture]))
    assert evidence.tool_calls[0].error
    assert "try another order" in str(evidence.tool_calls[0].result)
    assert [item.media_type for item in evidence.attachments] == ["image/png"]


async def test_a_stream_that_was_left_is_incomplete() -> None:
    chunks = [
        {
            "id": "c",
            "object": "chat.completion.chunk",
            "created": 1,
            "model": "gpt-5-mini",
            "choices": [{"index": 0, "delta": {"role": "assistant", "content": text}, "finish_reason": None}],
        }
        for text in ("Hel", "lo")
    ]
    chunks[1]["choices"][0]["finish_reason"] = "stop"  # type: ignore[index]
    async with talking([*chunks, "data: [DONE]\n\n"], [*chunks, "data: [DONE]\n\n"]) as (client, _server):
        async with agent(client).run_stream("Hi") as stream:
            left = snapshot(stream)
        async with agent(client).run_stream("Hi") as stream:
            await stream.get_output()
            read = snapshot(stream)
    assert left.completeness == "incomplete"
    assert (read.output, read.completeness) == ("Hello", "finished")
