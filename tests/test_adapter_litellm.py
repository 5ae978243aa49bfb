"""LiteLLM's results as evidence, made by the real package against a local server."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator

import openai
import pytest
from adapter_server import chat, serving

from llmeval.adapters import snapshot
from llmeval.errors import EvidenceError

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # or it asks the internet for prices when imported
litellm = pytest.importorskip("litellm")

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")  # of the package's own types, and none of llmeval's

TOOLS = [{"type": "function", "function": {"name": "lookup_order", "parameters": {"type": "object"}}}]
ASK = [{"role": "user", "content": "Where is 42?"}]


@pytest.fixture(scope="module", autouse=True)
def _closed() -> Iterator[None]:
    """Closes the clients that the package keeps."""
    yield
    for client in litellm.in_memory_llm_clients_cache.cache_dict.values():
        if isinstance(client, openai.OpenAI):
            client.close()


def complete(url: str, **more: object) -> object:
    return litellm.completion(model="openai/gpt-5-mini", api_base=url, api_key="x", num_retries=0, **more)


def test_a_tool_call_round_trip_is_one_conversation() -> None:
    with serving(chat(None, {"lookup_order": {"order_id": 42}}), chat("It is on its way.")) as server:
        first = complete(server.url, messages=ASK, tools=TOOLS)
        asked = first.choices[0].message  # type: ignore[attr-defined]
        turns = [*ASK, asked, {"role": "tool", "tool_call_id": asked.tool_calls[0].id, "content": "shipped"}]
        second = complete(server.url, messages=turns)
    waiting = snapshot(first)
    assert (waiting.completeness, waiting.output) == ("waiting", None)
    assert [(call.name, call.arguments) for call in waiting.tool_calls] == [("lookup_order", {"order_id": 42})]
    done = snapshot(second)
    assert (done.completeness, done.output) == ("finished", "It is on its way.")
    assert done.usage and done.usage.tokens and (done.usage.tokens.input, done.usage.tokens.output) == (10, 5)
    whole = snapshot([*turns, second.choices[0].message])  # type: ignore[attr-defined]
    assert [(call.name, call.result) for call in whole.tool_calls] == [("lookup_order", "shipped")]
    assert whole.output == "It is on its way."


def test_a_truncated_completion_is_marked() -> None:
    with serving(chat("It is", finish="length")) as server:
        assert snapshot(complete(server.url, messages=ASK)).completeness == "truncated"


def test_a_stream_is_an_error_and_its_chunks_are_a_completion() -> None:
    chunk = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "gpt-5-mini"}
    events = [
        {**chunk, "choices": [{"index": 0, "delta": {"role": "assistant", "content": "Hello"}, "finish_reason": None}]},
        {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
        "data: [DONE]\n\n",
    ]
    with serving(events) as server:
        stream = complete(server.url, messages=ASK, stream=True)
        with pytest.raises(EvidenceError, match="CustomStreamWrapper, a stream that has nothing to show"):
            snapshot(stream)
        read = list(stream)  # type: ignore[call-overload]
        built = litellm.stream_chunk_builder(read)
    assert (snapshot(read).output, snapshot(read).completeness) == ("Hello", "finished")
    evidence = snapshot(built)
    assert (evidence.output, evidence.completeness) == ("Hello", "finished")
    json.dumps(evidence.to_json())
