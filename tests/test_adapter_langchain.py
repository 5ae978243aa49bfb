"""LangChain messages and LangGraph states as evidence, made by the real packages."""

from __future__ import annotations

from typing import Any, TypedDict

import pytest

pytest.importorskip("langchain_core")
pytest.importorskip("langgraph")

from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    ChatMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from langgraph.types import interrupt

from llmeval.adapters import snapshot

CALLS = AIMessage(
    "Let me look.",
    tool_calls=[{"name": "lookup_order", "args": {"order_id": 42}, "id": "c1"}],
    usage_metadata={"input_tokens": 10, "output_tokens": 5, "total_tokens": 15},
    response_metadata={"model_name": "gpt-5-mini", "model_provider": "openai"},
)
ANSWER = AIMessage(
    "It is on its way.",
    usage_metadata={
        "input_tokens": 20,
        "output_tokens": 6,
        "total_tokens": 26,
        "input_token_details": {"cache_read": 8},
        "output_token_details": {"reasoning": 2},
    },
    response_metadata={"model_name": "gpt-5-mini", "model_provider": "openai", "finish_reason": "stop"},
)


@tool
def lookup_order(order_id: int) -> str:
    """Looks an order up."""
    return f"order {order_id} shipped"


class State(MessagesState):
    intent: str


def graph(*replies: AIMessage, **compiled: Any) -> Any:
    model = GenericFakeChatModel(messages=iter(replies))

    def talk(state: State) -> dict[str, Any]:
        return {"messages": [model.invoke(state["messages"])], "intent": "shipping"}

    def more(state: State) -> str:
        return "tools" if getattr(state["messages"][-1], "tool_calls", None) else END

    built = StateGraph(State)
    built.add_node("talk", talk)
    built.add_node("tools", ToolNode([lookup_order]))
    built.add_edge(START, "talk")
    built.add_conditional_edges("talk", more)
    built.add_edge("tools", "talk")
    return built.compile(**compiled)


def test_a_graph_s_state_is_a_conversation_with_the_rest_of_the_state() -> None:
    state = graph(CALLS, ANSWER).invoke({"messages": [SystemMessage("Be kind."), HumanMessage("Where is 42?")]})
    evidence = snapshot(state)
    assert [message.role for message in evidence.messages or ()] == ["system", "user", "assistant", "tool", "assistant"]
    call = evidence.tool_calls[0]
    assert (call.id, call.name, call.arguments, call.result) == (
        "c1",
        "lookup_order",
        {"order_id": 42},
        "order 42 shipped",
    )
    assert (evidence.output, evidence.completeness) == ("It is on its way.", "finished")
    assert evidence.to_json()["state"] == {"intent": "shipping"}
    assert evidence.usage and evidence.usage.requests == 2
    tokens = evidence.usage.tokens
    assert tokens and (tokens.input, tokens.output, tokens.cached, tokens.reasoning) == (30, 11, 8, 2)


def test_a_graph_that_was_interrupted_is_waiting() -> None:
    def ask(state: State) -> dict[str, Any]:
        return {"intent": interrupt({"question": "refund?"})}

    built = StateGraph(State)
    built.add_node("ask", ask)
    built.add_edge(START, "ask")
    made = built.compile(checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "1"}}
    state = made.invoke({"messages": [HumanMessage("Refund 42")]}, config)
    evidence = snapshot(state)
    assert evidence.completeness == "waiting"
    assert "refund?" in str(evidence.state)
    assert snapshot(made.get_state(config)).completeness == "waiting"


def test_a_structured_response_is_the_output() -> None:
    evidence = snapshot({"messages": [HumanMessage("Is it?"), ANSWER], "structured_response": {"shipped": True}})
    assert evidence.output == {"shipped": True}


def test_a_list_of_messages_is_a_conversation() -> None:
    evidence = snapshot([SystemMessage("Be kind."), HumanMessage("Hi"), ANSWER])
    assert evidence.output == "It is on its way."
    assert [message.role for message in evidence.messages or ()] == ["system", "user", "assistant"]


def test_a_lone_message_gives_only_itself_and_its_usage() -> None:
    evidence = snapshot(CALLS)
    assert (evidence.output, evidence.completeness) == ("Let me look.", "waiting")
    assert evidence.usage and evidence.usage.tokens and evidence.usage.tokens.input == 10
    assert len(evidence.messages or ()) == 1


def test_what_a_model_answers_is_a_lone_message() -> None:
    evidence = snapshot(GenericFakeChatModel(messages=iter([AIMessage("Hello")])).invoke("Hi"))
    assert evidence.output == "Hello"
    chunks = list(GenericFakeChatModel(messages=iter([AIMessage("Hello there")])).stream("Hi"))
    whole = chunks[0]
    for chunk in chunks[1:]:
        whole += chunk
    assert isinstance(whole, AIMessageChunk)
    assert snapshot(whole).output == "Hello there"
    assert snapshot(chunks).output == "Hello there"


def test_messages_without_a_call_and_with_odd_roles_are_marked_incomplete() -> None:
    orphan = [HumanMessage("Hi"), ToolMessage("42", tool_call_id="nobody"), AIMessage("Hello")]
    assert snapshot(orphan).completeness == "incomplete"
    odd = [HumanMessage("Hi"), ChatMessage("meanwhile", role="narrator"), AIMessage("Hello")]
    evidence = snapshot(odd)
    assert evidence.completeness == "incomplete"
    assert [message.role for message in evidence.messages or ()] == ["user", "narrator", "assistant"]


def test_a_failed_tool_and_broken_arguments_are_in_the_evidence() -> None:
    broken = AIMessage("", invalid_tool_calls=[{"name": "a", "args": "{oops", "id": "x", "error": None}])
    evidence = snapshot([HumanMessage("Hi"), broken, ToolMessage("boom", tool_call_id="x", status="error")])
    call = evidence.tool_calls[0]
    assert (call.arguments, call.error, call.result) == ({"unparsed": "{oops"}, True, "boom")


def test_blocks_of_content_become_text_and_attachments() -> None:
    picture = {"type": "image", "base64": "iVBORw0KGgo=", "mime_type": "image/png"}
    linked = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}
    evidence = snapshot([HumanMessage([{"type": "text", "text": "What?"}, picture, linked]), AIMessage("A fox.")])
    assert [item.media_type for item in evidence.attachments] == ["image/png"]
    thought = AIMessage([{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "A fox."}])
    assert snapshot(thought).output == "A fox."


def test_a_prompt_is_its_messages() -> None:
    prompt = ChatPromptTemplate([("system", "Be kind."), ("user", "{q}")]).invoke({"q": "Hi"})
    assert [message.role for message in snapshot(prompt).messages or ()] == ["system", "user"]


def test_a_state_without_messages_is_graded_as_it_stands() -> None:
    class Plain(TypedDict):
        answer: str

    built = StateGraph(Plain)
    built.add_node("a", lambda state: {"answer": "42"})
    built.add_edge(START, "a")
    evidence = snapshot(built.compile().invoke({"answer": ""}))
    assert (evidence.output, evidence.messages) == ({"answer": "42"}, None)


def test_messages_inside_another_value_keep_their_form_and_give_their_calls() -> None:
    evidence = snapshot({"history": [HumanMessage("Hi"), CALLS], "answer": "soon"})
    assert evidence.output["answer"] == "soon"
    assert evidence.output["history"][0] == {"role": "user", "content": "Hi"}
    assert [call.name for call in evidence.tool_calls] == ["lookup_order"]
