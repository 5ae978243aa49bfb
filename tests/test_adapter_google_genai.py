"""Google Gen AI's results as evidence, made by the real package against a local server."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from adapter_server import serving

from llmeval.adapters import snapshot

pytest.importorskip("google.genai")

from google import genai
from google.genai import types


def answer(*parts: dict[str, Any], finish: str = "STOP", **candidate: Any) -> dict[str, Any]:
    return {
        "candidates": [{"content": {"role": "model", "parts": list(parts)}, "finishReason": finish, **candidate}],
        "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 5, "thoughtsTokenCount": 3},
        "modelVersion": "gemini-2.5-flash",
    }


CALL = answer({"functionCall": {"id": "f1", "name": "lookup_order", "args": {"order_id": 42}}})


def lookup_order(order_id: int) -> str:
    """Looks an order up."""
    return f"order {order_id} shipped"


@contextmanager
def talking(*replies: Any) -> Iterator[genai.Client]:
    with serving(*replies) as server:
        client = genai.Client(api_key="x", http_options=types.HttpOptions(base_url=server.url))
        try:
            yield client
        finally:
            client.close()


def ask(client: genai.Client, **config: Any) -> Any:
    return client.models.generate_content(
        model="gemini-2.5-flash", contents="Where is 42?", config=types.GenerateContentConfig(**config)
    )


def test_automatic_function_calling_gives_the_whole_conversation() -> None:
    with talking(CALL, answer({"text": "It is on its way."})) as client:
        evidence = snapshot(ask(client, tools=[lookup_order]))
    assert [message.role for message in evidence.messages or ()] == ["user", "assistant", "tool", "assistant"]
    call = evidence.tool_calls[0]
    assert (call.name, call.arguments, call.result) == (
        "lookup_order",
        {"order_id": 42},
        {"result": "order 42 shipped"},
    )
    assert (evidence.output, evidence.completeness) == ("It is on its way.", "finished")
    tokens = evidence.usage and evidence.usage.tokens
    assert tokens and (tokens.input, tokens.output, tokens.reasoning) == (10, 8, 3)


def test_a_call_without_a_result_is_waiting_and_is_not_run() -> None:
    with talking(CALL) as client:
        declared = types.Tool(function_declarations=[types.FunctionDeclaration(name="lookup_order")])
        evidence = snapshot(ask(client, tools=[declared]))
    assert (evidence.completeness, evidence.output) == ("waiting", None)
    assert [call.id for call in evidence.tool_calls] == ["f1"]


@pytest.mark.parametrize(("finish", "completeness"), [("MAX_TOKENS", "truncated"), ("SAFETY", "refused")])
def test_how_it_finished_is_in_the_evidence(finish: str, completeness: str) -> None:
    with talking(answer({"text": "It is"}, finish=finish)) as client:
        assert snapshot(ask(client)).completeness == completeness


def test_a_blocked_prompt_is_refused() -> None:
    with talking({"promptFeedback": {"blockReason": "SAFETY"}}) as client:
        evidence = snapshot(ask(client))
    assert (evidence.completeness, evidence.output) == ("refused", None)


def test_thoughts_are_left_out_and_pictures_are_attachments() -> None:
    picture = base64.b64encode(b"\x89PNG\r\n\x1a\n").decode()
    reply = answer(
        {"text": "hm", "thought": True},
        {"text": "Here it is."},
        {"inlineData": {"mimeType": "image/png", "data": picture}},
    )
    with talking(reply) as client:
        evidence = snapshot(ask(client))
    assert evidence.output == "Here it is."
    assert [item.media_type for item in evidence.attachments] == ["image/png"]


def test_sources_are_citations() -> None:
    chunk = {"web": {"uri": "https://example.com", "title": "Orders"}}
    with talking(answer({"text": "Shipped."}, groundingMetadata={"groundingChunks": [chunk]})) as client:
        evidence = snapshot(ask(client))
    assert evidence.citations[0]["web"]["uri"] == "https://example.com"


def test_a_parsed_answer_is_the_output() -> None:
    with talking(answer({"text": '{"shipped": true}'})) as client:
        evidence = snapshot(ask(client, response_mime_type="application/json", response_schema={"type": "OBJECT"}))
    assert evidence.output == {"shipped": True}


def test_the_history_of_a_chat_is_a_conversation() -> None:
    with talking(answer({"text": "Hello."})) as client:
        chat = client.chats.create(model="gemini-2.5-flash")
        chat.send_message("Hi")
        evidence = snapshot(chat.get_history())
    assert [(message.role, message.text) for message in evidence.messages or ()] == [
        ("user", "Hi"),
        ("assistant", "Hello."),
    ]
