"""OpenAI's results as evidence, made by the real package against a local server."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import openai
import pydantic
import pytest
from adapter_server import chat, function_call, response, said, serving

from llmeval.adapters import snapshot
from llmeval.errors import EvidenceError

PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n").decode()
ASK: list[Any] = [{"role": "developer", "content": "Be kind."}, {"role": "user", "content": "Where is 42?"}]


class Answer(pydantic.BaseModel):
    shipped: bool


@contextmanager
def talking(*replies: Any) -> Iterator[openai.OpenAI]:
    with serving(*replies) as server, openai.OpenAI(api_key="x", base_url=server.url, max_retries=0) as client:
        yield client


def answered(*output: dict[str, Any], **more: Any) -> Any:
    with talking(response(*output, **more)) as client:
        return client.responses.create(model="gpt-5-mini", input="Where is 42?")


def completed(*args: Any, **more: Any) -> Any:
    with talking(chat(*args, **more)) as client:
        return client.chat.completions.create(model="gpt-5-mini", messages=ASK)


# Responses


def test_a_response_gives_its_instructions_messages_calls_and_usage() -> None:
    evidence = snapshot(
        answered(
            {"type": "reasoning", "id": "r", "summary": []},
            said("Let me look."),
            function_call("lookup_order", {"order_id": 42}),
            instructions="Be kind.",
        )
    )
    call = {"id": "call_lookup_order", "name": "lookup_order", "arguments": {"order_id": 42}}
    assert evidence.to_json() == {
        "messages": [
            {"role": "system", "content": "Be kind."},
            {"role": "assistant", "content": "Let me look.", "tool_calls": [call]},
        ],
        "completeness": "waiting",
    }
    assert evidence.output == "Let me look."
    tokens = evidence.usage and evidence.usage.tokens
    assert tokens and (tokens.input, tokens.output, tokens.cached, tokens.reasoning) == (10, 5, 4, 2)


def test_a_tool_call_round_trip_in_responses_form_is_one_conversation() -> None:
    with talking(response(function_call("lookup_order", {"order_id": 42})), response(said("Shipped."))) as client:
        turns = list(ASK)
        first = client.responses.create(model="gpt-5-mini", input=turns)
        turns += first.output
        turns.append({"type": "function_call_output", "call_id": "call_lookup_order", "output": "order 42 shipped"})
        turns += client.responses.create(model="gpt-5-mini", input=turns).output
    evidence = snapshot(turns)
    assert [message.role for message in evidence.messages or ()] == [
        "developer",
        "user",
        "assistant",
        "tool",
        "assistant",
    ]
    assert [(call.name, call.result) for call in evidence.tool_calls] == [("lookup_order", "order 42 shipped")]
    assert (evidence.output, evidence.completeness) == ("Shipped.", "finished")


def test_a_parsed_response_has_the_object_as_its_output() -> None:
    with talking(response(said('{"shipped": true}'))) as client:
        parsed = client.responses.parse(model="gpt-5-mini", input="Is it?", text_format=Answer)
    evidence = snapshot(parsed)
    assert evidence.output == {"shipped": True}
    assert evidence.to_json()["messages"] == [{"role": "assistant", "content": '{"shipped": true}'}]


@pytest.mark.parametrize(
    ("more", "completeness"),
    [
        ({"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}, "truncated"),
        ({"status": "incomplete", "incomplete_details": {"reason": "content_filter"}}, "refused"),
        ({"status": "in_progress"}, "incomplete"),
        ({"status": "failed", "error": {"code": "server_error", "message": "boom"}}, "incomplete"),
        ({}, "finished"),
    ],
)
def test_a_response_s_status_says_whether_it_is_whole(more: dict[str, Any], completeness: str) -> None:
    evidence = snapshot(answered(said("It is"), **more))
    assert evidence.completeness == completeness
    assert ("boom" in json.dumps(evidence.to_json())) == ("error" in more)


def test_a_refusal_in_a_response_is_refused() -> None:
    refusal = {**said(""), "content": [{"type": "refusal", "refusal": "I will not."}]}
    evidence = snapshot(answered(refusal))
    assert (evidence.output, evidence.completeness) == ("I will not.", "refused")


def test_a_response_without_output_is_incomplete() -> None:
    evidence = snapshot(answered())
    assert (evidence.output, evidence.completeness) == (None, "incomplete")


def test_tools_that_openai_ran_have_their_results_and_wait_for_nothing() -> None:
    evidence = snapshot(
        answered(
            {"type": "web_search_call", "id": "ws", "status": "completed", "action": {"type": "search", "query": "42"}},
            {
                "type": "mcp_call",
                "id": "m",
                "name": "roll",
                "arguments": '{"d": 6}',
                "output": "4",
                "server_label": "x",
            },
            {
                "type": "code_interpreter_call",
                "id": "ci",
                "status": "completed",
                "code": "1+1",
                "container_id": "c",
                "outputs": [{"type": "logs", "logs": "2"}],
            },
            {"type": "image_generation_call", "id": "ig", "status": "completed", "result": PNG},
            said(
                "Done.", [{"type": "url_citation", "url": "https://a", "title": "A", "start_index": 0, "end_index": 1}]
            ),
        )
    )
    assert [(call.name, call.has_result) for call in evidence.tool_calls] == [
        ("web_search", True),
        ("roll", True),
        ("code_interpreter", True),
        ("image_generation", True),
    ]
    assert evidence.tool_calls[0].arguments["query"] == "42"
    assert evidence.tool_calls[1].result == "4"
    assert evidence.completeness == "finished"
    assert [item.media_type for item in evidence.attachments] == ["image/png"]
    assert evidence.citations[0]["url"] == "https://a"


def test_a_call_that_waits_for_approval_is_waiting() -> None:
    request = {"type": "mcp_approval_request", "id": "a", "name": "refund", "arguments": "{}", "server_label": "x"}
    evidence = snapshot(answered(said("May I?"), request))
    assert evidence.completeness == "waiting"
    assert [call.name for call in evidence.tool_calls] == ["refund"]


def test_an_item_that_nobody_knows_is_kept_as_it_is() -> None:
    evidence = snapshot(answered({"type": "hologram", "id": "h", "depth": 3}, said("Done.")))
    assert evidence.output == "Done."
    assert "hologram" in json.dumps(evidence.to_json())


# Chat completions


def test_a_chat_completion_gives_its_message_calls_and_usage() -> None:
    evidence = snapshot(completed("Let me look.", {"lookup_order": {"order_id": 42}}))
    assert [(call.id, call.name, call.arguments) for call in evidence.tool_calls] == [
        ("call_lookup_order", "lookup_order", {"order_id": 42})
    ]
    assert (evidence.output, evidence.completeness) == ("Let me look.", "waiting")
    assert evidence.usage and evidence.usage.tokens and evidence.usage.tokens.input == 10


def test_a_tool_call_round_trip_in_chat_form_is_one_conversation() -> None:
    with talking(chat(None, {"lookup_order": {"order_id": 42}}), chat("Shipped.")) as client:
        turns = list(ASK)
        message = client.chat.completions.create(model="gpt-5-mini", messages=turns).choices[0].message
        turns += [message, {"role": "tool", "tool_call_id": "call_lookup_order", "content": "order 42 shipped"}]
        turns.append(client.chat.completions.create(model="gpt-5-mini", messages=turns).choices[0].message)
    evidence = snapshot(turns)
    assert [message.role for message in evidence.messages or ()][-2:] == ["tool", "assistant"]
    assert [(call.name, call.result) for call in evidence.tool_calls] == [("lookup_order", "order 42 shipped")]
    assert (evidence.output, evidence.completeness) == ("Shipped.", "finished")


def test_both_apis_give_the_same_evidence_for_the_same_conversation() -> None:
    in_chat = [
        *ASK,
        chat(None, {"lookup_order": {"order_id": 42}})["choices"][0]["message"],
        {"role": "tool", "tool_call_id": "call_lookup_order", "content": "shipped"},
        {"role": "assistant", "content": "On its way."},
    ]
    in_responses = [
        *ASK,
        function_call("lookup_order", {"order_id": 42}),
        {"type": "function_call_output", "call_id": "call_lookup_order", "output": "shipped"},
        said("On its way."),
    ]
    assert snapshot(in_chat).to_json() == snapshot(in_responses).to_json()


@pytest.mark.parametrize(
    ("finish", "completeness"),
    [("length", "truncated"), ("content_filter", "refused"), ("stop", "finished"), ("surprise", "incomplete")],
)
def test_a_finish_reason_says_whether_a_completion_is_whole(finish: str, completeness: str) -> None:
    assert snapshot(completed("It is", finish=finish)).completeness == completeness


def test_a_refusal_in_a_completion_is_refused() -> None:
    reply = chat(None)
    reply["choices"][0]["message"]["refusal"] = "I will not."
    with talking(reply) as client:
        evidence = snapshot(client.chat.completions.create(model="gpt-5-mini", messages=ASK))
    assert (evidence.output, evidence.completeness) == ("I will not.", "refused")


def test_a_parsed_completion_has_the_object_as_its_output() -> None:
    with talking(chat('{"shipped": false}')) as client:
        parsed = client.chat.completions.parse(model="gpt-5-mini", messages=ASK, response_format=Answer)
    assert snapshot(parsed).output == {"shipped": False}


def test_a_completion_without_choices_is_incomplete_and_further_choices_are_state() -> None:
    assert snapshot(completed("x", choices=[])).completeness == "incomplete"
    reply = chat("first")
    reply["choices"].append({**reply["choices"][0], "index": 1, "message": {"role": "assistant", "content": "second"}})
    with talking(reply) as client:
        evidence = snapshot(client.chat.completions.create(model="gpt-5-mini", messages=ASK, n=2))
    assert evidence.output == "first"
    assert evidence.to_json()["state"] == {"other_choices": ["second"]}


def test_a_lone_message_gives_only_itself() -> None:
    evidence = snapshot(completed("Hello").choices[0].message)
    assert (evidence.output, len(evidence.messages or ()), evidence.completeness) == ("Hello", 1, "finished")


def test_calls_of_custom_tools_have_their_text_as_input() -> None:
    custom = {"id": "c1", "type": "custom", "custom": {"name": "sql", "input": "select 1"}}
    evidence = snapshot([{"role": "user", "content": "x"}, {"role": "assistant", "tool_calls": [custom]}])
    assert [(call.name, call.arguments) for call in evidence.tool_calls] == [("sql", {"input": "select 1"})]


def test_the_oldest_form_of_calls_is_read_too() -> None:
    turns = [
        {"role": "user", "content": "x"},
        {"role": "assistant", "content": None, "function_call": {"name": "lookup", "arguments": '{"a": 1}'}},
        {"role": "function", "name": "lookup", "content": "found"},
        {"role": "assistant", "content": "Done."},
    ]
    evidence = snapshot(turns)
    assert [(call.arguments, call.result) for call in evidence.tool_calls] == [({"a": 1}, "found")]
    assert evidence.completeness == "finished"


def test_pictures_audio_and_files_are_attachments_and_addresses_stay_data() -> None:
    content = [
        {"type": "text", "text": "What is this?"},
        {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}},
        {"type": "input_audio", "input_audio": {"data": "SUQz", "format": "mp3"}},
        {"type": "file", "file": {"file_data": "data:application/pdf;base64,JVBERi0=", "filename": "a.pdf"}},
        {"type": "input_image", "image_url": "https://example.com/a.png"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,broken!"}},
    ]
    evidence = snapshot([{"role": "user", "content": content}, {"role": "assistant", "content": "A fox."}])
    assert [(item.media_type, item.name) for item in evidence.attachments] == [
        ("image/png", None),
        ("audio/mpeg", None),
        ("application/pdf", "a.pdf"),
    ]
    shown = evidence.to_json()["messages"][0]["content"]
    assert shown[4]["image_url"] == "https://example.com/a.png"
    assert PNG not in json.dumps(shown)


# Streams


def chunks(*texts: str, finish: str | None = "stop") -> list[Any]:
    made: list[Any] = [
        {
            "id": "c",
            "object": "chat.completion.chunk",
            "created": 1,
            "model": "gpt-5-mini",
            "choices": [{"index": 0, "delta": {"role": "assistant", "content": text}, "finish_reason": None}],
        }
        for text in texts
    ]
    made[-1]["choices"][0]["finish_reason"] = finish
    return [*made, "data: [DONE]\n\n"]


def test_a_chat_stream_that_was_read_is_its_completion() -> None:
    with talking(chunks("Hel", "lo")) as client, client.chat.completions.stream(model="m", messages=ASK) as stream:
        stream.until_done()
        evidence = snapshot(stream)
    assert (evidence.output, evidence.completeness) == ("Hello", "finished")


def test_a_chat_stream_that_was_left_is_incomplete_and_not_read_on() -> None:
    with talking(chunks("Hel", "lo")) as client, client.chat.completions.stream(model="m", messages=ASK) as stream:
        with pytest.raises(EvidenceError, match="ChatCompletionStream, a stream that has nothing to show"):
            snapshot(stream)
        next(stream)
        evidence = snapshot(stream)
        assert (evidence.output, evidence.completeness) == ("Hel", "incomplete")
        stream.until_done()
        assert snapshot(stream).output == "Hello"


def events(*, whole: bool) -> list[Any]:
    done = response(said("Hello"))
    started = {**done, "status": "in_progress", "output": []}
    item = {**said(""), "content": [], "status": "in_progress"}
    part = {"type": "output_text", "text": "", "annotations": []}
    at = {"item_id": "msg_1", "output_index": 0, "content_index": 0}
    made: list[Any] = [
        {"type": "response.created", "response": started},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.content_part.added", **at, "part": part},
        {"type": "response.output_text.delta", **at, "delta": "Hel", "logprobs": []},
        {"type": "response.output_text.delta", **at, "delta": "lo", "logprobs": []},
    ]
    if whole:
        made.append({"type": "response.completed", "response": done})
    return [{**event, "sequence_number": number} for number, event in enumerate(made)]


def test_a_response_stream_that_was_read_is_its_response() -> None:
    with talking(events(whole=True)) as client, client.responses.stream(model="m", input="Hi") as stream:
        final = stream.get_final_response()
        evidence = snapshot(stream)
    assert (evidence.output, evidence.completeness) == ("Hello", "finished")
    assert snapshot(final).output == "Hello"


def test_a_response_stream_that_broke_off_is_incomplete() -> None:
    with talking(events(whole=False)) as client, client.responses.stream(model="m", input="Hi") as stream:
        for _ in stream:
            pass
        evidence = snapshot(stream)
    assert (evidence.output, evidence.completeness) == ("Hello", "incomplete")


def test_the_chunks_of_a_stream_in_a_list_are_its_completion() -> None:
    pieces = [
        {"index": 0, "id": "c1", "type": "function", "function": {"name": "lookup_order", "arguments": ""}},
        {"index": 0, "function": {"arguments": '{"order_id"'}},
        {"index": 0, "function": {"arguments": ": 42}"}},
    ]
    made = chunks("Let me ", "look.", "", "", "", finish="tool_calls")
    for chunk, piece in zip(made[2:5], pieces, strict=True):
        chunk["choices"][0]["delta"]["tool_calls"] = [piece]
    used = {**made[0], "choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}}
    with talking([*made[:-1], used, made[-1]]) as client:
        read = list(client.chat.completions.create(model="m", messages=ASK, stream=True))
    evidence = snapshot(read)
    assert (evidence.output, evidence.completeness) == ("Let me look.", "waiting")
    assert [(call.id, call.name, call.arguments) for call in evidence.tool_calls] == [
        ("c1", "lookup_order", {"order_id": 42})
    ]
    assert evidence.usage and evidence.usage.tokens and evidence.usage.tokens.input == 7
    assert snapshot(read[:1]).completeness == "incomplete"


@pytest.mark.parametrize(("whole", "completeness"), [(True, "finished"), (False, "incomplete")])
def test_the_events_of_a_stream_in_a_list_are_its_response(whole: bool, completeness: str) -> None:
    with talking(events(whole=whole)) as client:
        read = list(client.responses.create(model="m", input="Hi", stream=True))
    evidence = snapshot(read)
    assert (evidence.output, evidence.completeness) == ("Hello", completeness)


def test_a_stream_of_events_keeps_nothing_and_is_an_error() -> None:
    with talking(chunks("Hello")) as client:
        stream = client.chat.completions.create(model="m", messages=ASK, stream=True)
        with pytest.raises(EvidenceError, match=r"Stream, a stream that has nothing to show.*@adapt\(Stream\)"):
            snapshot(stream)
        stream.close()


# What is not a conversation


def test_other_objects_of_the_sdk_are_plain_objects() -> None:
    reply = {"object": "list", "model": "m", "data": [{"object": "embedding", "index": 0, "embedding": [0.5, 1.0]}]}
    with talking(reply) as client:
        made = client.embeddings.create(model="m", input="x", encoding_format="float")
    evidence = snapshot(made)
    assert evidence.output["data"][0]["embedding"] == [0.5, 1.0]
    assert evidence.messages is None


def test_the_client_itself_is_an_error_that_says_where_it_is() -> None:
    with talking() as client, pytest.raises(EvidenceError, match=r"output\.client is of type openai.*@adapt\(OpenAI\)"):
        snapshot({"answer": "x", "client": client})


def test_a_response_inside_a_value_keeps_the_value_and_gives_calls_and_usage() -> None:
    evidence = snapshot({"answer": "soon", "raw": answered(function_call("lookup_order", {"order_id": 42}))})
    assert evidence.output["answer"] == "soon"
    assert [call.name for call in evidence.tool_calls] == ["lookup_order"]
    assert evidence.usage and evidence.usage.requests == 1


def test_two_completions_in_a_list_stay_a_list() -> None:
    evidence = snapshot([completed("a"), completed("b")])
    assert [item["messages"][0]["content"] for item in evidence.output] == ["a", "b"]


def test_the_user_s_adapter_wins_over_the_one_for_the_sdk() -> None:
    from openai.types.chat import ChatCompletion

    evidence = snapshot(completed("a"), [{ChatCompletion: lambda value: value.id}])
    assert evidence.to_json() == "chatcmpl-1"


def test_a_subclass_of_the_sdk_s_class_is_read_like_it() -> None:
    from openai.types.chat import ChatCompletion

    class Mine(ChatCompletion):
        pass

    assert snapshot(Mine.construct(**completed("a").to_dict())).output == "a"
