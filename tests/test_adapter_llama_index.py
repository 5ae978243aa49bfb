"""LlamaIndex's answers as evidence, made by the real package with models of its own."""

from __future__ import annotations

import gc
from collections.abc import AsyncGenerator, Iterator
from typing import Any

import pytest

from llmeval.adapters import snapshot
from llmeval.errors import EvidenceError

pytest.importorskip("llama_index.core")

from llama_index.core import Document, MockEmbedding, VectorStoreIndex
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.base.llms.types import (
    ChatMessage,
    ChatResponse,
    ChatResponseAsyncGen,
    ImageBlock,
    LLMMetadata,
    TextBlock,
)
from llama_index.core.chat_engine.types import AgentChatResponse
from llama_index.core.llms import MockLLM
from llama_index.core.llms.function_calling import FunctionCallingLLM
from llama_index.core.tools import FunctionTool, ToolOutput, ToolSelection

# The package's agents read a deprecated attribute of Pydantic; its chat engines leave a SQLite connection open.
pytestmark = [
    pytest.mark.filterwarnings("ignore::pydantic.warnings.PydanticDeprecatedSince20"),
    pytest.mark.filterwarnings("ignore::pydantic.warnings.PydanticDeprecatedSince211"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.fixture(autouse=True)
def _collected() -> Iterator[None]:
    """Has what the package leaves open collected here, where its warnings are expected."""
    yield
    gc.collect()


def lookup_order(order_id: int) -> str:
    """Looks an order up."""
    return f"order {order_id} shipped"


class Scripted(FunctionCallingLLM):
    """A model that calls the tool and then answers."""

    turns: int = 0

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(is_function_calling_model=True)

    async def astream_chat_with_tools(self, tools: Any, **_: Any) -> ChatResponseAsyncGen:
        self.turns += 1
        call = ToolSelection(tool_id="c1", tool_name="lookup_order", tool_kwargs={"order_id": 42})
        message = ChatMessage(
            role="assistant",
            content="" if self.turns == 1 else "It is on its way.",
            additional_kwargs={"calls": [call]} if self.turns == 1 else {},
        )

        async def answers() -> AsyncGenerator[ChatResponse, None]:
            yield ChatResponse(message=message, delta=message.content)

        return answers()

    def get_tool_calls_from_response(self, response: Any, **_: Any) -> list[ToolSelection]:
        return list(response.message.additional_kwargs.get("calls", []))

    def _prepare_chat_with_tools(self, *_: Any, **__: Any) -> dict[str, Any]:
        return {}

    def chat(self, *_: Any, **__: Any) -> Any: ...
    def complete(self, *_: Any, **__: Any) -> Any: ...
    def stream_chat(self, *_: Any, **__: Any) -> Any: ...
    def stream_complete(self, *_: Any, **__: Any) -> Any: ...
    async def achat(self, *_: Any, **__: Any) -> Any: ...
    async def acomplete(self, *_: Any, **__: Any) -> Any: ...
    async def astream_chat(self, *_: Any, **__: Any) -> Any: ...
    async def astream_complete(self, *_: Any, **__: Any) -> Any: ...


def index() -> VectorStoreIndex:
    documents = [Document(text="Order 42 was shipped.", metadata={"file": "orders.txt"})]
    return VectorStoreIndex.from_documents(documents, embed_model=MockEmbedding(embed_dim=4))


def test_a_query_s_answer_comes_with_its_sources() -> None:
    evidence = snapshot(index().as_query_engine(llm=MockLLM(max_tokens=5)).query("Where is 42?"))
    assert isinstance(evidence.output, str)
    assert evidence.output
    assert evidence.citations[0]["text"] == "Order 42 was shipped."
    assert evidence.citations[0]["metadata"] == {"file": "orders.txt"}
    assert evidence.completeness == "finished"


def test_a_streamed_answer_is_evidence_once_it_was_read() -> None:
    engine = index().as_query_engine(llm=MockLLM(max_tokens=5), streaming=True)
    answer = engine.query("Where is 42?")
    with pytest.raises(EvidenceError, match=r"StreamingResponse, a stream.*return its get_response"):
        snapshot(answer)
    assert snapshot(answer.get_response()).completeness == "finished"


def test_a_chat_engine_s_answer_is_a_conversation() -> None:
    evidence = snapshot(index().as_chat_engine(llm=MockLLM(max_tokens=5), chat_mode="context").chat("Hi"))
    assert isinstance(evidence.output, str)
    assert evidence.citations[0]["text"] == "Order 42 was shipped."


def test_a_chat_stream_is_whole_once_it_was_read() -> None:
    stream = index().as_chat_engine(llm=MockLLM(max_tokens=5), chat_mode="context").stream_chat("Hi")
    text = "".join(stream.response_gen)
    evidence = snapshot(stream)
    assert (evidence.output, evidence.completeness) == (text, "finished")


def test_tools_that_a_chat_engine_used_are_calls_with_results() -> None:
    output = FunctionTool.from_defaults(lookup_order).call(order_id=42)
    evidence = snapshot(AgentChatResponse(response="Shipped.", sources=[output]))
    call = evidence.tool_calls[0]
    assert (call.name, call.arguments, call.result) == ("lookup_order", {"order_id": 42}, "order 42 shipped")
    failed = ToolOutput(tool_name="x", content="boom", raw_input={}, raw_output="boom", is_error=True)
    assert snapshot(AgentChatResponse(response="No.", sources=[failed])).tool_calls[0].error


@pytest.mark.asyncio
async def test_an_agent_s_answer_comes_after_its_calls() -> None:
    agent = FunctionAgent(tools=[FunctionTool.from_defaults(lookup_order)], llm=Scripted())
    evidence = snapshot(await agent.run("Where is 42?"))
    assert (evidence.output, evidence.completeness) == ("It is on its way.", "finished")
    call = evidence.tool_calls[0]
    assert (call.id, call.name, call.arguments, call.result) == (
        "c1",
        "lookup_order",
        {"order_id": 42},
        "order 42 shipped",
    )


def test_chat_messages_and_responses_are_conversations() -> None:
    picture = ImageBlock(image=b"\x89PNG\r\n\x1a\n", image_mimetype="image/png")
    asked = ChatMessage(role="user", blocks=[TextBlock(text="What?"), picture])
    answered = ChatMessage(role="assistant", content="A fox.")
    evidence = snapshot([ChatMessage(role="system", content="Be kind."), asked, answered])
    assert [message.role for message in evidence.messages or ()] == ["system", "user", "assistant"]
    assert [(item.media_type, item.data) for item in evidence.attachments] == [("image/png", b"\x89PNG\r\n\x1a\n")]
    assert snapshot(ChatResponse(message=answered)).output == "A fox."
    assert snapshot(MockLLM(max_tokens=3).complete("Hi there")).output
