"""Anthropic's results as evidence, made by the real package against a local server."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import anthropic
import pydantic
import pytest
from adapter_server import claude, serving

from llmeval.adapters import snapshot
from llmeval.errors import EvidenceError

LOOKUP = {"type": "tool_use", "id": "t1", "name": "lookup_order", "input": {"order_id": 42}}
SHIPPED = {"type": "text", "text": "It is on its way."}
ASK: list[Any] = [{"role": "user", "content": "Where is 42?"}]
TURN: Any = {"model": "claude-haiku-4-5", "max_tokens": 100, "messages": ASK}


@contextmanager
def talking(*replies: Any) -> Iterator[anthropic.Anthropic]:
    with serving(*replies) as server, anthropic.Anthropic(api_key="x", base_url=server.url, max_retries=0) as client:
        yield client


def answered(*content: dict[str, Any], **more: Any) -> Any:
    with talking(claude(*content, **more)) as client:
        return client.messages.create(**TURN)


def test_a_message_gives_its_text_calls_and_usage() -> None:
    evidence = snapshot(answered({"type": "text", "text": "Let me look."}, LOOKUP))
    assert evidence.to_json() == {
        "messages": [
            {
                "role": "assistant",
                "content": "Let me look.",
                "tool_calls": [{"id": "t1", "name": "lookup_order", "arguments": {"order_id": 42}}],
            }
        ],
        "completeness": "waiting",
    }
    tokens = evidence.usage and evidence.usage.tokens
    assert tokens and (tokens.input, tokens.output, tokens.cached) == (13, 5, 3)


def test_a_tool_call_round_trip_is_one_conversation() -> None:
    with talking(claude(LOOKUP), claude(SHIPPED)) as client:
        first = client.messages.create(**TURN)
        result = {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "shipped"}]}
        turns = [*ASK, {"role": "assistant", "content": first.content}, {"role": "user", "content": [result]}]
        last = client.messages.create(**{**TURN, "messages": turns})
    for whole in ([*turns, last], [*turns, {"role": "assistant", "content": last.content}]):
        evidence = snapshot(whole)
        assert [message.role for message in evidence.messages or ()] == ["user", "assistant", "tool", "assistant"]
        assert [(call.name, call.result) for call in evidence.tool_calls] == [("lookup_order", "shipped")]
        assert (evidence.output, evidence.completeness) == ("It is on its way.", "finished")


def test_a_tool_runner_s_result_and_the_runner_itself_are_conversations() -> None:
    @anthropic.beta_tool
    def lookup_order(order_id: int) -> str:
        """Looks an order up."""
        return f"order {order_id} shipped"

    with talking(claude(LOOKUP), claude(SHIPPED)) as client:
        runner = client.beta.messages.tool_runner(**TURN, system="Be kind.", tools=[lookup_order])
        unread = snapshot(runner)
        final = runner.until_done()
    assert (unread.completeness, unread.output) == ("incomplete", None)
    assert snapshot(final).output == "It is on its way."
    evidence = snapshot(runner)
    assert [message.role for message in evidence.messages or ()] == ["system", "user", "assistant", "tool", "assistant"]
    assert evidence.tool_calls[0].result == "order 42 shipped"
    assert (evidence.output, evidence.completeness) == ("It is on its way.", "finished")


def test_a_parsed_message_has_the_object_as_its_output() -> None:
    class Answer(pydantic.BaseModel):
        shipped: bool

    with talking(claude({"type": "text", "text": '{"shipped": true}'})) as client:
        parsed = client.messages.parse(**TURN, output_format=Answer)
    assert snapshot(parsed).output == {"shipped": True}


@pytest.mark.parametrize(
    ("reason", "completeness"),
    [
        ("end_turn", "finished"),
        ("stop_sequence", "finished"),
        ("max_tokens", "truncated"),
        ("model_context_window_exceeded", "truncated"),
        ("pause_turn", "waiting"),
        ("refusal", "refused"),
        ("surprise", "incomplete"),
    ],
)
def test_a_stop_reason_says_whether_a_message_is_whole(reason: str, completeness: str) -> None:
    assert snapshot(answered(SHIPPED, stop_reason=reason)).completeness == completeness


def test_thinking_is_left_out_and_citations_are_kept() -> None:
    cited = {
        "type": "text",
        "text": "It is ",
        "citations": [
            {
                "type": "char_location",
                "cited_text": "shipped",
                "document_index": 0,
                "document_title": "Orders",
                "start_char_index": 0,
                "end_char_index": 7,
            }
        ],
    }
    evidence = snapshot(
        answered(
            {"type": "thinking", "thinking": "hm", "signature": "s"}, cited, {"type": "text", "text": "on its way."}
        )
    )
    assert evidence.output == "It is on its way."
    assert "hm" not in json.dumps(evidence.to_json()["messages"])
    assert evidence.citations[0]["document_title"] == "Orders"


def test_tools_that_anthropic_ran_have_their_results() -> None:
    found = {"type": "web_search_result", "url": "https://a", "title": "A", "encrypted_content": "e", "page_age": None}
    evidence = snapshot(
        answered(
            {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "42"}},
            {"type": "web_search_tool_result", "tool_use_id": "s1", "content": [found]},
            SHIPPED,
        )
    )
    call = evidence.tool_calls[0]
    assert (call.name, call.arguments, call.has_result) == ("web_search", {"query": "42"}, True)
    assert "https://a" in json.dumps(call.to_json())
    assert evidence.completeness == "finished"


def test_pictures_and_documents_are_attachments_and_failed_tools_are_marked() -> None:
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}}
    document = {
        "type": "document",
        "title": "a.txt",
        "source": {"type": "text", "media_type": "text/plain", "data": "order 42"},
    }
    result = {"type": "tool_result", "tool_use_id": "t1", "is_error": True, "content": "no such order"}
    turns = [
        {"role": "user", "content": [{"type": "text", "text": "What?"}, picture, document]},
        {"role": "assistant", "content": [LOOKUP]},
        {"role": "user", "content": [result, {"type": "text", "text": "Try again."}]},
        {"role": "assistant", "content": "Sorry."},
    ]
    evidence = snapshot(turns)
    assert [(item.media_type, item.name) for item in evidence.attachments] == [
        ("image/png", None),
        ("text/plain", "a.txt"),
    ]
    assert [message.role for message in evidence.messages or ()] == ["user", "assistant", "tool", "user", "assistant"]
    assert (evidence.tool_calls[0].error, evidence.tool_calls[0].result) == (True, "no such order")


def test_an_orphaned_result_is_kept_and_marked() -> None:
    result = {"type": "tool_result", "tool_use_id": "nobody", "content": "42"}
    evidence = snapshot([{"role": "user", "content": [result]}, {"role": "assistant", "content": "Ok."}])
    assert evidence.completeness == "incomplete"
    assert evidence.to_json()["messages"][0] == {"role": "tool", "tool_call_id": "nobody", "content": "42"}


def events() -> list[Any]:
    started = claude(usage={"input_tokens": 10, "output_tokens": 1}, stop_reason=None)
    return [
        {"type": "message_start", "message": started},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hel"}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "lo"}},
        {"type": "content_block_stop", "index": 0},
        {
            "type": "message_delta",
            "delta": {"stop_reason": "end_turn", "stop_sequence": None},
            "usage": {"output_tokens": 5},
        },
        {"type": "message_stop"},
    ]


def test_a_stream_that_was_read_is_its_message() -> None:
    with talking(events()) as client, client.messages.stream(**TURN) as stream:
        with pytest.raises(EvidenceError, match=r"MessageStream, a stream.*get_final_message"):
            snapshot(stream)
        stream.until_done()
        evidence = snapshot(stream)
    assert (evidence.output, evidence.completeness) == ("Hello", "finished")


def test_a_stream_that_was_left_is_incomplete_and_not_read_on() -> None:
    with talking(events()) as client, client.messages.stream(**TURN) as stream:
        for event in stream:
            if event.type == "text":
                break
        evidence = snapshot(stream)
    assert (evidence.output, evidence.completeness) == ("Hel", "incomplete")


def test_the_events_of_a_stream_in_a_list_are_its_message() -> None:
    call = [
        {"type": "content_block_start", "index": 1, "content_block": {**LOOKUP, "input": {}}},
        {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": '{"order_'}},
        {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": 'id": 42}'}},
        {"type": "content_block_stop", "index": 1},
    ]
    made = events()
    with talking([*made[:5], *call, *made[5:]]) as client:
        read = list(client.messages.create(**TURN, stream=True))
    evidence = snapshot(read)
    assert (evidence.output, evidence.completeness) == ("Hello", "waiting")
    assert [(call.id, call.arguments) for call in evidence.tool_calls] == [("t1", {"order_id": 42})]
    assert evidence.usage and evidence.usage.tokens and evidence.usage.tokens.output == 5
    assert snapshot(read[:4]).completeness == "incomplete"


def test_a_stream_of_events_keeps_nothing_and_is_an_error() -> None:
    with talking(events()) as client:
        stream = client.messages.create(**TURN, stream=True)
        with pytest.raises(EvidenceError, match=r"@adapt\(Stream\)"):
            snapshot(stream)
        stream.close()
