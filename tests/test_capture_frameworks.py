from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from anthropic import AsyncAnthropic
from openai import AsyncOpenAI
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from usage_server import serving

from llmeval.capture import capturing, recording
from llmeval.usage import Tokens

CHAT = Tokens(input=120, output=30, cached=20, reasoning=10)
MESSAGE = Tokens(input=125, output=30, cached=20, cache_write=5)


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with serving() as url:
        yield url


@pytest.fixture(params=["traced", "untraced"])
def spans(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> InMemorySpanExporter | None:
    """The user's exporter, or `None` where no provider is configured."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    traced = request.param == "traced"
    monkeypatch.setattr(trace, "_TRACER_PROVIDER", provider if traced else None)
    return exporter if traced else None


async def _ask_pydantic_ai(kind: str, url: str) -> None:
    agents = pytest.importorskip("pydantic_ai")
    if kind == "anthropic":
        from pydantic_ai.models.anthropic import AnthropicModel
        from pydantic_ai.providers.anthropic import AnthropicProvider

        async with AsyncAnthropic(base_url=url, api_key="k") as claude:
            model: Any = AnthropicModel("claude-sonnet-5", provider=AnthropicProvider(anthropic_client=claude))
            await agents.Agent(model).run("hello")
        return
    from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
    from pydantic_ai.providers.openai import OpenAIProvider

    async with AsyncOpenAI(base_url=f"{url}/v1", api_key="k") as client:
        kinds = {"chat": OpenAIChatModel, "responses": OpenAIResponsesModel}
        model = kinds[kind]("gpt-4o", provider=OpenAIProvider(openai_client=client))
        await agents.Agent(model).run("hello")


@pytest.mark.parametrize(("kind", "tokens"), [("chat", CHAT), ("responses", CHAT), ("anthropic", MESSAGE)])
def test_an_instrumented_pydantic_ai_agents_request_counts_once(url, spans, kind, tokens):
    agents = pytest.importorskip("pydantic_ai")
    agents.Agent.instrument_all(True)
    try:
        with capturing(), recording() as recorder:
            asyncio.run(_ask_pydantic_ai(kind, url))
    finally:
        agents.Agent.instrument_all(False)
    assert (recorder.usage.requests, recorder.usage.tokens) == (1, tokens)
    if spans is not None:
        assert any(span.attributes["gen_ai.operation.name"] == "chat" for span in spans.get_finished_spans())


async def _ask_openai_agents(url: str) -> None:
    agents = pytest.importorskip("agents")
    agents.set_tracing_disabled(True)
    async with AsyncOpenAI(base_url=f"{url}/v1", api_key="k") as client:
        model = agents.OpenAIChatCompletionsModel(model="gpt-4o", openai_client=client)
        await agents.Runner.run(agents.Agent(name="helper", model=model), "hello")


def test_an_openai_agents_run_counts_once(url):
    with capturing(), recording() as recorder:
        asyncio.run(_ask_openai_agents(url))
    assert (recorder.usage.requests, recorder.usage.tokens) == (1, CHAT)
