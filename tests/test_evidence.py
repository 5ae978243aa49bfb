"""Evidence: conversations, tool calls, and reading back what a report kept."""

import json

import pytest

from llmeval.adapters import snapshot
from llmeval.errors import EvidenceError
from llmeval.evidence import Attachment, Conversation, Evidence, Message, ToolCall, called

LOOKUP = ToolCall(id="c1", name="lookup_order", arguments={"order_id": 42})


def conversation(*more: Message) -> Conversation:
    return Conversation([Message("system", "Be kind."), Message("user", "Where is 42?"), *more])


def test_a_conversation_gives_every_message_and_joins_results_with_their_calls() -> None:
    evidence = snapshot(
        conversation(
            Message("assistant", None, [LOOKUP]),
            Message("tool", "shipped", tool_call_id="c1"),
            Message("assistant", "It is on its way."),
        )
    )
    assert [message.role for message in evidence.messages or ()] == ["system", "user", "assistant", "tool", "assistant"]
    assert evidence.tool_calls == (
        ToolCall(id="c1", name="lookup_order", arguments={"order_id": 42}, result="shipped", has_result=True),
    )
    assert evidence.output == "It is on its way."
    assert evidence.completeness == "finished"


def test_what_evaluators_see_of_a_conversation_has_each_result_once() -> None:
    evidence = snapshot(
        conversation(
            Message("assistant", "", [LOOKUP]),
            Message("tool", "shipped", tool_call_id="c1"),
            Message("assistant", "It is on its way."),
        )
    )
    call = {"id": "c1", "name": "lookup_order", "arguments": {"order_id": 42}, "result": "shipped"}
    assert evidence.to_json() == {
        "messages": [
            {"role": "system", "content": "Be kind."},
            {"role": "user", "content": "Where is 42?"},
            {"role": "assistant", "content": "", "tool_calls": [call]},
            {"role": "assistant", "content": "It is on its way."},
        ],
        "completeness": "finished",
    }


def test_results_without_an_id_belong_to_the_first_call_that_waits() -> None:
    two = [ToolCall(name="a"), ToolCall(name="b")]
    evidence = snapshot(
        conversation(Message("assistant", None, two), Message("tool", "first"), Message("tool", "second"))
    )
    assert [(call.name, call.result) for call in evidence.tool_calls] == [("a", "first"), ("b", "second")]


def test_an_id_that_is_used_again_joins_the_latest_call() -> None:
    evidence = snapshot(
        conversation(
            Message("assistant", None, [LOOKUP]),
            Message("tool", "one", tool_call_id="c1"),
            Message("assistant", None, [LOOKUP]),
            Message("tool", "two", tool_call_id="c1"),
            Message("assistant", "done"),
        )
    )
    assert [call.result for call in evidence.tool_calls] == ["one", "two"]


@pytest.mark.parametrize(
    ("messages", "completeness"),
    [
        ([Message("assistant", None, [LOOKUP])], "waiting"),
        ([Message("assistant", None, [LOOKUP]), Message("assistant", "never mind")], "incomplete"),
        ([Message("tool", "shipped", tool_call_id="unknown"), Message("assistant", "ok")], "incomplete"),
        ([Message("assistant", "ok"), Message("user", "and then?")], "incomplete"),
        ([Message("assistant", None, [LOOKUP]), Message("tool", "x", tool_call_id="c1")], "incomplete"),
        ([Message("narrator", "meanwhile"), Message("assistant", "ok")], "incomplete"),
        ([Message("assistant", "")], "incomplete"),
        ([Message("assistant", "ok")], "finished"),
    ],
)
def test_completeness_follows_from_the_messages(messages: list[Message], completeness: str) -> None:
    assert snapshot(conversation(*messages)).completeness == completeness


def test_a_conversation_without_messages_is_incomplete_and_has_no_output() -> None:
    evidence = snapshot(Conversation([]))
    assert (evidence.output, evidence.completeness, evidence.messages) == (None, "incomplete", ())


def test_completeness_that_is_stated_wins_and_is_checked() -> None:
    stated = Conversation([Message("user", "hi"), Message("assistant", "he")], completeness="truncated")
    assert snapshot(stated).completeness == "truncated"
    with pytest.raises(EvidenceError, match="'done': it is one of finished, waiting, truncated, refused, incomplete"):
        snapshot(Conversation([Message("user", "hi")], completeness="done"))


def test_a_lone_message_gives_only_itself() -> None:
    evidence = snapshot(Message("assistant", "Hello"))
    assert evidence.messages == (Message("assistant", "Hello"),)
    assert (evidence.output, evidence.completeness) == ("Hello", "finished")


def test_a_lone_tool_call_gives_name_and_arguments_and_is_not_executed() -> None:
    evidence = snapshot(ToolCall(name="refund", arguments={"amount": 5}))
    assert evidence.to_json() == {"name": "refund", "arguments": {"amount": 5}}
    assert evidence.tool_calls == (ToolCall(name="refund", arguments={"amount": 5}),)


def test_arguments_that_are_json_text_become_an_object_and_other_text_is_kept() -> None:
    calls = [
        ToolCall(name="a", arguments='{"x": 1}'),  # type: ignore[arg-type]
        ToolCall(name="b", arguments='{"x": NaN}'),  # type: ignore[arg-type]
        ToolCall(name="c", arguments="[1]"),  # type: ignore[arg-type]
        ToolCall(name="d", arguments=""),  # type: ignore[arg-type]
    ]
    evidence = snapshot(Conversation([Message("assistant", None, calls)]))
    assert [call.arguments for call in evidence.tool_calls] == [
        {"x": 1},
        {"unparsed": '{"x": NaN}'},
        {"unparsed": "[1]"},
        {},
    ]


def test_what_a_tool_returned_is_data_whatever_it_looks_like() -> None:
    results: list[object] = [{"type": "reasoning", "score": 1}, ["a", "b"], [], {"type": "tool_use"}, None]
    for result in results:
        evidence = snapshot(
            conversation(Message("assistant", None, [LOOKUP]), Message("tool", result, tool_call_id="c1"))
        )
        assert evidence.tool_calls[0].result == result
        assert evidence.tool_calls[0].has_result
        given = ToolCall(name="x", result=result, has_result=True)
        assert snapshot(Conversation([Message("assistant", "a", [given])])).tool_calls[0].result == result


def test_calls_and_messages_may_be_given_in_an_sdk_s_form() -> None:
    call = {"id": 7, "function": {"name": "lookup_order", "arguments": '{"order_id": 42}'}}
    evidence = snapshot(
        Conversation(
            [
                {"role": "user", "content": "Where is 42?"},
                Message("assistant", None, [call]),  # type: ignore[list-item]
                Message("tool", "shipped", tool_call_id=7),  # type: ignore[arg-type]
            ]
        )
    )
    assert [(call.id, call.arguments, call.result) for call in evidence.tool_calls] == [
        ("7", {"order_id": 42}, "shipped")
    ]


def test_citations_are_frozen_and_beside_the_messages() -> None:
    sources = [{"url": "a"}]
    evidence = snapshot(Conversation([Message("assistant", "x", citations=sources)], citations=[{"url": "b"}]))
    sources[0]["url"] = "changed"
    assert evidence.to_json()["citations"] == [{"url": "b"}, {"url": "a"}]
    assert (evidence.messages or ())[0].citations == ({"url": "a"},)


def test_a_tool_that_failed_is_marked() -> None:
    evidence = snapshot(
        conversation(Message("assistant", None, [LOOKUP]), Message("tool", "no such order", (), "c1", error=True))
    )
    call = evidence.tool_calls[0]
    assert (call.error, call.result) == (True, "no such order")
    assert call.to_json()["error"] is True


def test_an_output_that_is_not_the_last_text_is_shown_beside_the_messages() -> None:
    evidence = snapshot(Conversation([Message("assistant", "see the object")], output={"n": 1}, state={"step": 3}))
    assert evidence.output == {"n": 1}
    assert evidence.to_json() == {
        "output": {"n": 1},
        "messages": [{"role": "assistant", "content": "see the object"}],
        "completeness": "finished",
        "state": {"step": 3},
    }


def test_a_conversation_inside_a_plain_value_keeps_the_value_and_gives_its_calls() -> None:
    inner = conversation(
        Message("assistant", None, [LOOKUP]), Message("tool", "shipped", (), "c1"), Message("assistant", "On its way.")
    )
    evidence = snapshot({"answer": "On its way.", "trace": inner})
    assert evidence.output["answer"] == "On its way."
    assert evidence.output["trace"]["completeness"] == "finished"
    assert [call.name for call in evidence.tool_calls] == ["lookup_order"]
    assert evidence.to_json() == evidence.output


def test_attachments_of_messages_travel_apart_and_leave_their_descriptor() -> None:
    image = Attachment(b"\x89PNG\r\n\x1a\n123", name="crack.png")
    evidence = snapshot(Conversation([Message("user", ["what is this?", image]), Message("assistant", "a crack")]))
    assert evidence.attachments == (image,)
    assert evidence.to_json()["messages"][0]["content"] == ["what is this?", image.descriptor]
    assert "123" not in json.dumps(evidence.to_json())


def test_a_message_that_is_none_is_an_error_that_names_its_place() -> None:
    with pytest.raises(EvidenceError, match=r"output\.messages\[1\] is of type int and no message"):
        snapshot(Conversation([Message("user", "hi"), 3]))  # type: ignore[list-item]
    with pytest.raises(EvidenceError, match=r"output\.messages\[0\] has a role of type int"):
        snapshot(Conversation([Message(3, "hi")]))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "value",
    [
        "text",
        None,
        {"messages": "not a conversation"},
        {"messages": [{"role": "user"}], "completeness": "finished"},
        {"messages": [{"role": "user", "content": "x", "extra": 1}], "completeness": None},
        conversation(Message("assistant", None, [LOOKUP]), Message("tool", {"eta": 2}, (), "c1", "lookup_order")),
        Conversation([Message("assistant", "a")], output=[1], citations=[{"url": "u"}], state={"k": None}),
    ],
)
def test_saved_evidence_reads_back_and_is_shown_the_same(value: object) -> None:
    saved = json.loads(json.dumps(snapshot(value).to_json()))
    again = Evidence.from_json(saved)
    assert again.to_json() == saved
    assert again.output == snapshot(value).output
    assert again.tool_calls == snapshot(value).tool_calls
    if isinstance(value, Conversation):
        assert again.completeness == snapshot(value).completeness


def test_saved_evidence_keeps_the_tool_calls_of_a_conversation_inside_a_plain_value() -> None:
    call = ToolCall(id="1", name="lookup", arguments={"id": 42}, result="open", has_result=True)
    value = {"answer": [{"trace": Conversation([Message("user", "?"), Message("assistant", "ok", [call])])}], "n": 1}
    taken = snapshot(value)
    again = Evidence.from_json(json.loads(json.dumps(taken.to_json())))
    assert again.tool_calls == taken.tool_calls != ()
    assert again.completeness == taken.completeness
    assert again.to_json() == taken.to_json()


def test_saved_evidence_says_which_attachments_it_no_longer_has() -> None:
    saved = json.loads(json.dumps(snapshot({"scan": Attachment(b"%PDF-1.7", name="scan.pdf")}).to_json()))
    again = Evidence.from_json(saved)
    assert again.attachments == ()
    assert [item["name"] for item in again.absent] == ["scan.pdf"]


def test_called_asks_for_the_name_and_at_least_the_arguments_given() -> None:
    calls = [ToolCall(name="lookup", arguments={"id": 42, "full": True})]
    assert called(calls, "lookup", {})
    assert called(calls, "lookup", {"id": 42})
    assert not called(calls, "lookup", {"id": 43})
    assert not called(calls, "lookup", {"missing": None})
    assert not called(calls, "refund", {})
