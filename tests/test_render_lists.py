"""Cases, evaluations and plans as lists."""

import json
import subprocess
import sys

from llmeval.cases import Case
from llmeval.render.cases import cases_data, cases_text
from llmeval.render.listing import Listed, listing_data, listing_text
from llmeval.render.plan import Planned, plan_text
from llmeval.render.style import Look

CASES = [
    Case("unopened_return", {"question": "Can I return it?"}, "Yes", {"category": "returns"}),
    Case("[bold]wide 你好[/]", "line one\nline two " + "x" * 200),
]


def test_cases_are_a_line_each():
    assert cases_text(CASES, Look(width=80)) == (
        "case                inputs                            expected  metadata\n"
        'unopened_return     {"question": "Can I return it?"}  yes       category=returns\n'
        "[bold]wide 你好[/]  line one line two xxxxxxxxxxxxx…  no"
    )


def test_cases_as_data_are_the_dataset():
    assert cases_data(CASES)[0] == {
        "name": "unopened_return",
        "inputs": {"question": "Can I return it?"},
        "expected_output": "Yes",
        "metadata": {"category": "returns"},
    }
    assert "expected_output" not in cases_data(CASES)[1]
    json.dumps(cases_data(CASES))


def test_listing_cases_imports_nothing_heavy():
    code = (
        "import sys, llmeval.render.cases, llmeval.render.console;"
        "print(sorted({'rich', 'asyncio', 'openai', 'anthropic', 'yaml'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "[]\n"


def test_evaluations_are_a_line_each_without_empty_columns():
    listed = [
        Listed(
            name="support", file="evals/support.py", cases="evals/support.yaml", criteria=("correctness", "concise")
        ),
        Listed(name="billing/totals", file="evals/billing/totals.py"),
    ]
    assert listing_text(listed) == (
        "evaluation      file                     cases               criteria\n"
        "support         evals/support.py         evals/support.yaml  correctness, concise\n"
        "billing/totals  evals/billing/totals.py"
    )
    assert listing_data(listed)[0]["criteria"] == ["correctness", "concise"]


def test_a_plan_multiplies_and_says_at_least_where_more_requests_are_possible():
    planned = [
        Planned(evaluation="support", cases=12, repetitions=3, requests=[("openai:gpt-6-luna", 36, True)]),
        Planned(evaluation="refunds", cases=1, repetitions=1, requests=[("an agent", 1, False), ("local", 0, True)]),
    ]
    assert plan_text(planned) == (
        "support: 12 cases \N{MULTIPLICATION SIGN} 3 repetitions = 36 trials\n"
        "  openai:gpt-6-luna: 36 grading requests\n"
        "refunds: 1 case \N{MULTIPLICATION SIGN} 1 repetition = 1 trial\n"
        "  an agent: at least 1 grading request\n"
        "together: 37 trials\n"
        "at least 37 grading requests; nothing was run"
    )
    assert plan_text(planned[:1]).endswith("\n36 grading requests; nothing was run")
