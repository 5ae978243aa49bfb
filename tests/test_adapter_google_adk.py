"""Google ADK's events as evidence, made by the real package against a local server.

The package needs an older OpenTelemetry than llmeval's other development packages, so that this runs in an environment
of its own: `tests/environments/google_adk.txt` says how.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from typing import Any

import pytest
from adapter_server import serving

from llmeval.adapters import snapshot

pytest.importorskip("google.adk")

from google.adk.agents import Agent
from google.adk.models import Gemini
from google.adk.runners import InMemoryRunner
from google.genai import types

# The package warns about experimental features of its own and leaves its client open.
pytestmark = [pytest.mark.asyncio, pytest.mark.filterwarnings("ignore")]


@pytest.fixture(autouse=True)
def _collected() -> Iterator[None]:
    """Has what the package leaves open collected here, where its warnings are expected."""
    yield
    gc.collect()


def answer(*parts: dict[str, Any]) -> dict[str, Any]:
    return {
        "candidates": [{"content": {"role": "model", "parts": list(parts)}, "finishReason": "STOP"}],
        "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 5},
        "modelVersion": "gemini-2.5-flash",
    }


def lookup_order(order_id: int) -> dict[str, str]:
    """Looks an order up."""
    return {"status": f"order {order_id} shipped"}


async def test_the_events_of_a_run_are_a_conversation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOOGLE_API_KEY", "x")
    call = answer({"functionCall": {"id": "f1", "name": "lookup_order", "args": {"order_id": 42}}})
    with serving(call, answer({"text": "It is on its way."})) as server:
        monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", server.url)
        agent = Agent(name="shop", model=Gemini(model="gemini-2.5-flash"), instruction="Be kind.", tools=[lookup_order])
        runner = InMemoryRunner(agent=agent, app_name="shop")
        session = await runner.session_service.create_session(app_name="shop", user_id="u")
        asked = types.Content(role="user", parts=[types.Part(text="Where is 42?")])
        events = [event async for event in runner.run_async(user_id="u", session_id=session.id, new_message=asked)]
    evidence = snapshot(events)
    assert [message.role for message in evidence.messages or ()] == ["assistant", "tool", "assistant"]
    call_made = evidence.tool_calls[0]
    assert (call_made.name, call_made.arguments, call_made.result) == (
        "lookup_order",
        {"order_id": 42},
        {"status": "order 42 shipped"},
    )
    assert (evidence.output, evidence.completeness) == ("It is on its way.", "finished")
    assert evidence.usage and evidence.usage.requests == 2
    assert snapshot(events[-1]).output == "It is on its way."
