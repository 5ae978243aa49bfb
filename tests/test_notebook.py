"""Reports and trials in a notebook: their HTML, and evaluations in a real kernel."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from projects import environment

from llmeval import Case, Registry
from llmeval.report import Report

HOSTILE = "<img src=x onerror=alert(1)>\"'&\x1b[31m"


class Tags(HTMLParser):
    """The elements of a fragment, all of them closed, and its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.names: set[str] = set()
        self.attributes: set[str] = set()
        self.text = ""
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)
        self.names.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def report_of(cases: list[Case], perform: Any = lambda text: text, **options: Any) -> Report:
    evaluation = Registry().evaluation(name=options.pop("name", "shop"), dataset=cases, evaluator="local")(perform)
    return evaluation.run(**options)


def test_a_report_shows_its_verdict_its_trials_and_why_some_did_not_pass() -> None:
    cases = [Case("good", "yes", "yes"), Case("bad", "no", "yes")]
    tags = Tags(report_of(cases)._repr_html_())
    assert tags.text.startswith("failed shop: 1 of 2 passed, 1 failed · 50% (95% interval ")
    assert "casestatuscorrectnessassertionstimetokenscost" in tags.text
    assert "goodpassed✓ pass" in tags.text
    assert "badfailed✗ fail" in tags.text
    assert "case 'bad': failed\n  inputs    no\n  expected  yes\n  output    no" in tags.text
    assert "case 'good'" not in tags.text


def test_a_trial_shows_all_that_is_known_of_it() -> None:
    (trial,) = report_of([Case("good", "yes", "yes")])
    text = Tags(trial._repr_html_()).text
    assert text.startswith("passed · 0.")
    assert "case 'good': passed\n  inputs    yes\n  expected  yes\n  output    yes\n\ncorrectness  pass" in text


def test_everything_is_escaped_and_nothing_is_loaded() -> None:
    def perform(text: str) -> str:
        raise RuntimeError(text)

    failing = report_of([Case(HOSTILE, HOSTILE, HOSTILE)], perform, name=HOSTILE)
    passing = report_of([Case(HOSTILE, HOSTILE, HOSTILE)], name=HOSTILE)
    for shown in (failing._repr_html_(), failing.trials[0]._repr_html_(), passing._repr_html_()):
        tags = Tags(shown)
        assert tags.names <= {"div", "span", "table", "tr", "th", "td", "details", "summary", "pre"}
        assert tags.attributes <= {"style", "title"}
        assert "<img src=x onerror=alert(1)>" in tags.text
        assert "\x1b" not in shown
        assert not re.search(r"url\(|https?:", shown)


def test_a_large_report_stays_small() -> None:
    report = report_of([Case(f"c{number}", "no", "yes") for number in range(500)])
    shown = report._repr_html_()
    assert shown.count("<tr>") == 51
    assert shown.count("<details>") == 20
    assert "and 450 more trials" in shown
    assert "and 480 more trials that did not pass" in shown


def test_repetitions_have_a_column() -> None:
    report = report_of([Case("good", "yes", "yes")], repetitions=2)
    assert "caserepetitionstatus" in Tags(report._repr_html_()).text


def test_the_plain_form_of_a_report_is_one_line() -> None:
    assert repr(report_of([Case("good", "yes", "yes")], id="mine")) == "<Report 'shop' mine: 1 of 1 passed>"


# In a kernel

DECLARED = """
from llmeval import Attempt, evaluation, default_registry

@evaluation(evaluator=False, dataset=[{"name": "a", "inputs": 1}, {"name": "b", "inputs": 2}])
def shop(number):
    return number

@shop.assertions
def is_small(attempt: Attempt):
    assert attempt.output < LIMIT
    assert attempt.output > 0
"""
ASYNC = """
import asyncio

loop = asyncio.get_running_loop()

@evaluation(evaluator=False, dataset=[{"name": "a", "inputs": 1}])
async def later(number):
    await asyncio.sleep(0)
    return asyncio.get_running_loop() is loop

@later.assertions
def on_the_loop(attempt):
    assert attempt.output is attempt.params["here"]
"""
CELLS = (
    "LIMIT = 2" + DECLARED,
    "report = shop.run()\nreport",
    "report.trials[1]",
    "LIMIT = 3" + DECLARED.replace("return number", "return number + 0"),
    "again = await shop.arun()\n[again.passed, [one.assertion_count for one in again], len(default_registry)]",
    ASYNC,
    "[later.run(params={'here': False}).passed, (await later.arun(params={'here': True})).passed]",
    """
from llmeval import Options
from llmeval.render.notebook_progress import NotebookProgress

progress = Options(subscribers=[NotebookProgress()])
shop.run(options=progress)
await shop.arun(options=progress);
""",
)


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> list[list[Any]]:
    """What each cell of a notebook put out."""
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
    folder: Path = tmp_path_factory.mktemp("notebook")
    client = nbclient.NotebookClient(notebook, timeout=30, resources={"metadata": {"path": str(folder)}})
    client.execute(env=environment(PYTHONPATH=str(Path(__file__).parents[1])))
    assert list(folder.iterdir()) == []
    return [cell["outputs"] for cell in notebook.cells]


def data(cell: list[Any]) -> Any:
    """Returns the data of a cell's one output: nothing else was printed, and no table was drawn."""
    (output,) = cell
    assert output["output_type"] == "execute_result"
    return output["data"]


def test_a_run_works_in_a_cell_and_shows_its_report(outputs: list[list[Any]]) -> None:
    assert outputs[0] == []
    shown = data(outputs[1])
    assert re.fullmatch(r"<Report 'shop' \S+: 1 of 2 passed>", shown["text/plain"])
    assert Tags(shown["text/html"]).text.startswith("failed shop: 1 of 2 passed, 1 failed")


def test_asserts_in_a_cell_are_counted_and_explained(outputs: list[list[Any]]) -> None:
    text = Tags(data(outputs[2])["text/html"]).text
    assert ">       assert attempt.output < LIMIT\nE       assert 2 < 2" in text


def test_a_cell_that_runs_again_replaces_its_evaluation(outputs: list[list[Any]]) -> None:
    assert data(outputs[4])["text/plain"] == "[True, [2, 2], 1]"


def test_a_run_has_a_loop_of_its_own_and_arun_that_of_the_notebook(outputs: list[list[Any]]) -> None:
    assert data(outputs[6])["text/plain"] == "[True, True]"


def test_progress_is_one_output_a_run_which_becomes_the_report(outputs: list[list[Any]]) -> None:
    shown = [output["data"]["text/html"] for output in outputs[7]]
    assert [output["output_type"] for output in outputs[7]] == ["display_data", "display_data"]
    for text in shown:
        assert Tags(text).text.startswith("passed shop: 2 of 2 passed")
