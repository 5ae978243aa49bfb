"""The code and the figures in `docs/evaluators.md`."""

from __future__ import annotations

import importlib.metadata
import re
from pathlib import Path

import pytest
from model_graders import KEY
from stub_server import StubServer

from llmeval.criteria import Criterion
from llmeval.evaluators import prompt
from llmeval.evaluators.distributions import STATED_RULES
from llmeval.prices import price
from llmeval.usage import Tokens

PAGE = Path(__file__).parents[1] / "docs" / "evaluators.md"
PRICED_WITH = "0.2.3"


def test_every_block_of_python_runs(model_server: StubServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", model_server.openai_url)
    monkeypatch.setenv("ANTHROPIC_BASE_URL", model_server.url)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    blocks = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    source = tmp_path / "page.py"
    source.write_text("\n".join(blocks), encoding="utf-8")  # from a file, since assertions are read from their source

    namespace: dict[str, object] = {"__name__": "page", "__file__": str(source)}
    exec(compile(source.read_text(encoding="utf-8"), str(source), "exec"), namespace)

    assert len(blocks) == 6
    assert model_server.stats.keys() >= {"gpt-6-luna", "claude-haiku-5-5", "claude-sonnet-5-5"}


def costs() -> str:
    """Returns the table of costs, computed from the real prompts and the price list."""
    trial = prompt.block({"inputs": "i" * 300, "expected_output": "r" * 300, "evidence": "o" * 600})
    asked = [
        Criterion(name=f"criterion {n}", instructions="The answer is what was asked for, in full") for n in range(3)
    ]
    shared = prompt.criteria_text(asked) + trial
    reviewed = Tokens(input=len(prompt.RULES + shared) // 4, output=3 * 60)
    stated = Tokens(input=len(STATED_RULES + shared) // 4, output=3 * 60)
    decided = Tokens(input=len(prompt.DATA + shared) // 4, output=3)
    looking = Tokens(input=2 * reviewed.input + 200, output=reviewed.output + 40)
    rows = [
        ("a model's verdicts", "openai:gpt-6-luna", "openai", reviewed),
        ("", "openai:gpt-6-sol", "openai", reviewed),
        ("", "anthropic:claude-haiku-5-5", "anthropic", reviewed),
        ("", "anthropic:claude-sonnet-5-5", "anthropic", reviewed),
        ("", "anthropic:claude-opus-5", "anthropic", reviewed),
        ("a reviewer with one round of tools", "openai:gpt-6-luna", "openai", looking),
        ("", "anthropic:claude-sonnet-5-5", "anthropic", looking),
        ("a Judge, native", "decisions:gpt-6-luna", "openai-decisions", decided),
        ("a Judge, stated", "anthropic:claude-sonnet-5-5", "anthropic", stated),
        ("local, functions, assertions", "", "", None),
    ]
    lines = ["| kind | model | tokens in, out | 1,000 trials |", "|---|---|---|---|"]
    for kind, name, vendor, tokens in rows:
        if tokens is None:
            lines.append(f"| {kind} | | | $0 |")
            continue
        cost = price(vendor, name.partition(":")[2], tokens)
        assert cost is not None
        lines.append(f"| {kind} | `{name}` | {tokens.input:,}, {tokens.output:,} | ${1000 * cost:.2f} |")
    return "\n".join(lines)


def test_the_costs_are_those_of_the_price_list() -> None:
    if importlib.metadata.version("genai-prices") != PRICED_WITH:
        pytest.skip(f"the page shows the prices of genai-prices {PRICED_WITH}")
    found = re.search(r"<!-- costs -->\n(.*?)\n?<!-- /costs -->", PAGE.read_text(encoding="utf-8"), re.DOTALL)

    assert found is not None
    assert found[1] == costs()
