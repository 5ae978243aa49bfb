"""DSPy's predictions as evidence, made by the real package against a local server."""

from __future__ import annotations

import os
from collections.abc import Iterator

import openai
import pytest
from adapter_server import Replies, chat, serving

from llmeval.adapters import snapshot

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # or it asks the internet for prices when imported
dspy = pytest.importorskip("dspy")


@pytest.fixture(scope="module", autouse=True)
def _closed() -> Iterator[None]:
    """Closes the clients that the package keeps."""
    import litellm

    yield
    for client in litellm.in_memory_llm_clients_cache.cache_dict.values():
        if isinstance(client, openai.OpenAI):
            client.close()


def fields(**values: object) -> dict[str, object]:
    """Returns a completion in the form that DSPy's chat adapter reads."""
    return chat("".join(f"[[ ## {name} ## ]]\n{value}\n\n" for name, value in values.items()) + "[[ ## completed ## ]]")


@pytest.fixture
def server() -> Iterator[Replies]:
    with serving() as server:
        lm = dspy.LM("openai/gpt-5-mini", api_base=server.url, api_key="x", cache=False, num_retries=0)
        with dspy.context(lm=lm, track_usage=True, adapter=dspy.ChatAdapter()):
            yield server


def test_a_prediction_s_fields_are_the_output(server: Replies) -> None:
    server.replies = [fields(reasoning="I looked.", answer="It is on its way.")]
    evidence = snapshot(dspy.ChainOfThought("question -> answer")(question="Where is 42?"))
    assert evidence.output == {"reasoning": "I looked.", "answer": "It is on its way."}
    assert evidence.to_json() == evidence.output
    assert evidence.usage and evidence.usage.tokens and evidence.usage.tokens.input == 10


def test_an_agent_s_trajectory_gives_its_tool_calls(server: Replies) -> None:
    def lookup_order(order_id: int) -> str:
        if order_id == 7:
            raise LookupError("no such order")
        return f"order {order_id} shipped"

    step = {"next_thought": "Look.", "next_tool_name": "lookup_order"}
    server.replies = [
        fields(**step, next_tool_args='{"order_id": 7}'),
        fields(**step, next_tool_args='{"order_id": 42}'),
        fields(next_thought="Done.", next_tool_name="finish", next_tool_args="{}"),
        fields(reasoning="It says so.", answer="It is on its way."),
    ]
    evidence = snapshot(dspy.ReAct("question -> answer", tools=[lookup_order])(question="Where is 42?"))
    assert evidence.output["answer"] == "It is on its way."
    assert "trajectory" not in evidence.output
    failed, found = evidence.tool_calls
    assert (failed.arguments, failed.error) == ({"order_id": 7}, True)
    assert (found.name, found.arguments, found.result) == ("lookup_order", {"order_id": 42}, "order 42 shipped")
    assert evidence.completeness == "finished"
