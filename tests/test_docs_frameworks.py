"""Each example of `docs/frameworks.md`, run against a local model that looks an order up and then answers."""

from __future__ import annotations

import gc
import importlib
import json
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from adapter_server import Replies, chat, claude, function_call, response, said, serving
from docs_pages import Block, blocks

from llmeval import declarations
from llmeval.evaluations import Evaluation
from llmeval.registry import Registry

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # or it asks the internet for prices when imported

PAGE = Path(__file__).parents[1] / "docs" / "frameworks.md"
TEXT = PAGE.read_text(encoding="utf-8")
ANSWER = "It is on its way."
NEEDS = {
    "OpenAI Responses": "openai",
    "OpenAI Chat Completions": "openai",
    "Anthropic": "anthropic",
    "Messages as dicts": None,
    "Pydantic AI": "pydantic_ai",
    "OpenAI Agents SDK": "agents",
    "LangChain and LangGraph": "langchain_openai",
    "LlamaIndex": "llama_index.llms.litellm",
    "LiteLLM": "litellm",
    "DSPy": "dspy",
    "smolagents": "smolagents",
    "Google Gen AI": "google.genai",
    "Google ADK": "google.adk",
    "Attachments": None,
    "Anything else": None,
}
"""The module that each section's example needs."""

# The packages warn about themselves, and keep clients open that they made.
pytestmark = pytest.mark.filterwarnings("ignore")


def section(title: str) -> Block:
    """Returns the one example of a section."""
    found = re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", TEXT, re.MULTILINE | re.DOTALL)
    assert found is not None, title
    [block] = blocks(found[1])
    return block


def model(path: str, body: dict[str, Any]) -> dict[str, Any]:
    """Returns what a model says: the answer once it has read that the order was shipped, before that a call."""
    looked = "shipped" in json.dumps(body)
    if path.endswith("/messages"):
        text = {"type": "text", "text": ANSWER}
        call = {"type": "tool_use", "id": "t1", "name": "lookup_order", "input": {"order_id": 42}}
        return claude(text if looked else call)
    if path.endswith("/responses"):
        item = said(ANSWER) if looked else function_call("lookup_order", {"order_id": 42})
        return response(item, id=f"resp_{looked:d}")  # graphs take messages of one id for one
    if ":generateContent" in path:
        call = {"functionCall": {"id": "f1", "name": "lookup_order", "args": {"order_id": 42}}}
        content = {"role": "model", "parts": [{"text": ANSWER} if looked else call]}
        return {"candidates": [{"content": content, "finishReason": "STOP"}], "modelVersion": "gemini-2.5-flash"}
    assert path.endswith("/chat/completions"), path
    if "[[ ## " in json.dumps(body):
        return _dspy(json.dumps(body), looked)
    if "final_answer" in json.dumps(body.get("tools")) and looked:
        return chat(None, {"final_answer": {"answer": ANSWER}})
    return chat(ANSWER) if looked else chat(None, {"lookup_order": {"order_id": 42}})


def _dspy(body: str, looked: bool) -> dict[str, Any]:
    fields = {"reasoning": "It says so.", "answer": ANSWER}
    if "next_tool_name" in body:
        name, arguments = ("finish", "{}") if looked else ("lookup_order", '{"order_id": 42}')
        fields = {"next_thought": "Look.", "next_tool_name": name, "next_tool_args": arguments}
    return chat("".join(f"[[ ## {name} ## ]]\n{value}\n\n" for name, value in fields.items()) + "[[ ## completed ## ]]")


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Replies]:
    """A model where a reader's environment says that it is, and a project with the module that the examples share."""
    with serving(model) as server:
        for vendor, url in (("OPENAI", f"{server.url}/v1"), ("ANTHROPIC", server.url), ("GOOGLE_GEMINI", server.url)):
            monkeypatch.setenv(f"{vendor}_BASE_URL", url)
            monkeypatch.setenv(f"{vendor.split('_')[0]}_API_KEY", "x")
        monkeypatch.setenv("OPENAI_AGENTS_DISABLE_TRACING", "1")
        monkeypatch.delenv("LLMEVAL_EVALUATOR", raising=False)
        [shop] = [block for block in blocks(TEXT) if block.named("file") == "shop.py"]
        (tmp_path / "shop.py").write_text(shop.text, encoding="utf-8")
        monkeypatch.syspath_prepend(tmp_path)
        decorator = Registry().evaluation
        monkeypatch.setattr("llmeval.evaluation", decorator)  # before its source, from which it is taken at first use
        monkeypatch.setattr(declarations, "evaluation", decorator)
        yield server
    sys.modules.pop("shop", None)
    gc.collect()


def test_every_framework_has_an_example() -> None:
    code = [block for block in blocks(TEXT) if block.language == "python" and not block.named("file")]
    assert [block.text for block in code] == [section(title).text for title in NEEDS]


@pytest.mark.parametrize("title", NEEDS, ids=lambda title: title.replace(" ", "_").lower())
def test_the_example_passes(title: str, server: Replies, tmp_path: Path) -> None:
    needed = NEEDS[title]
    if needed is not None:
        pytest.importorskip(needed)
    source = tmp_path / f"example_{title.replace(' ', '_')}.py"
    source.write_text(section(title).text, encoding="utf-8")  # from a file, since assertions are read from their source

    namespace: dict[str, Any] = {"__name__": source.stem, "__file__": str(source)}
    exec(compile(source.read_text(encoding="utf-8"), str(source), "exec"), namespace)

    declared = [value for value in namespace.values() if isinstance(value, Evaluation)]
    assert declared
    for evaluation in declared:
        report = evaluation.run()
        [trial] = report.trials
        assert report.passed, (trial.error, trial.assertion_failure, trial.evaluations, trial.evidence)
        assert trial.assertion_count
        assert trial.evaluations or title == "Attachments"


def test_what_the_page_says_of_completeness_is_all_that_there_is() -> None:
    evidence = importlib.import_module("llmeval.evidence")
    table = TEXT.partition("## Whether it is whole")[2]
    assert tuple(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)) == evidence.COMPLETENESS
