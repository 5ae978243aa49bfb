"""What the pages of the documentation show is what happens."""

from __future__ import annotations

import json
import re
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from docs_pages import ROOT, Block, Page, blocks, same

sys.path.insert(0, str(ROOT / "docs"))

from generate_cli import reference

from llmeval import Attempt, Registry, Status, checks
from llmeval.gates import Exit

DOCS = ROOT / "docs"
RUN_HERE = ("ci", "datasets", "evaluations", "extending", "reports", "running", "tracing")
"""Pages that these tests run; the others have tests of their own."""
WRITTEN = {path.name: path.read_text(encoding="utf-8") for path in (ROOT / "README.md", *sorted(DOCS.glob("*.md")))}
FOREIGN_OPTIONS = {
    *("body-file", "branch", "create-if-none", "dir", "edit-last", "event", "jq", "json", "limit", "name", "workflow"),
    *("debug", "dist"),
    *("collect-only", "lf", "llmeval", "llmeval-evaluator", "llmeval-repetitions"),
}
"""Options of gh and pytest, and `--debug`, which no help lists."""


def parsed(block: Block) -> object:
    """Returns what a block of data holds."""
    if block.language == "toml":
        return tomllib.loads(block.text)
    if block.language == "yaml":
        return yaml.safe_load(block.text)
    if (block.named("file") or "").endswith(".jsonl"):
        return [json.loads(line) for line in block.text.splitlines()]
    return json.loads(block.text)


@pytest.mark.parametrize("name", RUN_HERE)
def test_each_block_runs_and_prints_what_is_shown(name: str, tmp_path: Path) -> None:
    page = Page(DOCS / f"{name}.md", tmp_path)
    page.run()

    assert page.problems == []


def test_the_reference_of_the_command_line_is_what_help_says() -> None:
    assert WRITTEN["cli.md"] == reference(), "run `python docs/generate_cli.py`"


@pytest.mark.parametrize("page", WRITTEN)
def test_every_block_of_data_can_be_read(page: str) -> None:
    for block in blocks(WRITTEN[page]):
        if block.language in ("json", "toml", "yaml"):
            assert parsed(block), block.text


@pytest.mark.parametrize("page", WRITTEN)
def test_every_block_says_what_it_is(page: str) -> None:
    known = {"console", "json", "python", "sh", "text", "toml", "yaml"}

    assert {block.language for block in blocks(WRITTEN[page])} <= known


def test_the_workflow_keeps_a_baseline_and_compares_with_it() -> None:
    (block,) = (block for block in blocks(WRITTEN["ci.md"]) if block.named("file"))
    workflow = parsed(block)
    assert isinstance(workflow, dict)
    steps = workflow["jobs"]["evals"]["steps"]
    commands = [line.strip() for step in steps for line in step.get("run", "").splitlines() if "llmeval run" in line]

    assert set(workflow[True]) == {"pull_request", "push"}  # YAML 1.1 reads `on` as true, GitHub does not
    assert workflow["permissions"]["pull-requests"] == "write"
    assert len(commands) == 2
    assert "--output reports/" in commands[0]
    assert "--baseline baseline/ --fail-on regression" in commands[1]


@pytest.mark.parametrize("page", WRITTEN)
def test_every_link_leads_to_a_page_and_a_heading(page: str) -> None:
    folder = ROOT if page == "README.md" else DOCS
    for target in re.findall(r"\]\((?!https?:)([^)\s]+)\)", WRITTEN[page]):
        name, _, heading = target.partition("#")
        path = folder / name if name else folder / page
        assert path.exists(), target
        assert not heading or heading in headings(path.read_text(encoding="utf-8")), target


def headings(text: str) -> set[str]:
    """Returns the anchors of a page's headings, as GitHub makes them."""
    found = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in found}


@pytest.mark.parametrize("page", ["README.md", "cli.md", "evaluators.md", *(f"{name}.md" for name in RUN_HERE)])
def test_every_option_that_is_named_exists(page: str) -> None:
    named = set(re.findall(r"(?<![\w-])--([a-z][a-z-]+)", WRITTEN[page]))
    known = set(re.findall(r"--([a-z][a-z-]+)", reference()))

    assert named - known - FOREIGN_OPTIONS == set()


def test_every_page_is_in_the_readme() -> None:
    linked = set(re.findall(r"\(docs/([\w-]+\.md)", WRITTEN["README.md"]))

    assert {path.name for path in DOCS.glob("*.md")} <= linked


def test_a_changed_output_is_noticed() -> None:
    shown = "report  ID\npassed  7 of 7 · 0.063s\n"

    assert same(shown, "report  ID\npassed   7 of 7 · 12.1s\n")
    assert not same(shown, "report  ID\npassed  6 of 7 · 0.063s\n")
    assert same("a\n…\nd\n", "a\nb\nc\nd\n")
    assert not same("a\n…\nd\n", "a\nb\nc\n")


def test_the_page_about_reports_names_every_field() -> None:
    declare = Registry().evaluation(name="same", evaluator=False, dataset=[{"name": "one", "inputs": 1}])
    data = declare(lambda number: number).run().to_dict()
    named = set(re.findall(r"`(\w+)`", WRITTEN["reports.md"]))

    assert data.keys() - named == set()
    assert data["trials"][0].keys() - named - {"status"} == set()


def test_the_page_about_evaluations_names_what_an_attempt_has() -> None:
    table = WRITTEN["evaluations.md"].partition("## The attempt")[2].partition("## Objects")[0]
    named = set(re.findall(r"`(\w+)", table))
    members = {name for name in {*vars(Attempt), *Attempt.__annotations__} if not name.startswith("_")}

    assert named - {"None"} == members


def test_the_page_about_evaluations_names_every_check() -> None:
    named = set(re.findall(r"\w+", WRITTEN["evaluations.md"]))

    assert {name for name in checks.__all__ if name.islower()} <= named


def test_the_pages_name_every_status_and_exit_code() -> None:
    statuses = re.findall(r"^\| `(\w+)` \|", WRITTEN["running.md"], re.MULTILINE)
    codes = re.findall(r"^\| (\d+) \|", WRITTEN["cli.md"], re.MULTILINE)

    assert statuses == [status.value for status in Status]
    assert codes == [str(code.value) for code in Exit]
