"""What the README shows is what happens."""

from __future__ import annotations

import re
import shlex
import subprocess
import tomllib
from pathlib import Path

from docs_pages import ROOT, Page, blocks, matrices

README = ROOT / "README.md"
TEXT = README.read_text(encoding="utf-8")


def command(name: str) -> str:
    """Returns a command as `.ci/run` finds it: two lines below its marker."""
    script = f'$0 == "<!-- command: {name} -->" {{ getline; getline; print; exit }}'
    done = subprocess.run(["awk", script, str(README)], capture_output=True, text=True, check=True)
    return done.stdout.rstrip("\n")


def test_each_block_runs_and_prints_what_is_shown(tmp_path: Path) -> None:
    page = Page(README, tmp_path)
    page.run()

    assert page.problems == []
    assert len(blocks(TEXT)) == 10


def test_the_run_command_sets_up_and_runs_one_case(tmp_path: Path) -> None:
    *setup, last = command("run").split(" && ")
    page = Page(README, tmp_path)
    page.use("evals")
    done = page.call(shlex.split(last.removeprefix(".venv/bin/")))

    assert setup == ["python3 -m venv .venv", ".venv/bin/pip install -q ."]
    assert done.returncode == 0, done.stdout
    assert "1 of 1 passed" in done.stdout


def test_the_test_command_sets_up_what_the_tests_need() -> None:
    setup = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    installed = {re.split(r"[>=\[]", requirement)[0] for requirement in setup["dev"]}

    assert command("test").split(" && ")[:2] == ["python3 -m venv .venv", ".venv/bin/pip install -q -e '.[dev]'"]
    assert command("test").split(" && ")[2].startswith(".venv/bin/python -m pytest -q -n 2")
    assert {"pytest", "pytest-xdist"} <= installed


def test_the_matrices_are_those_that_the_benchmark_prints() -> None:
    found = re.search(r"<!-- matrices -->\n(.*?)\n<!-- /matrices -->", TEXT, re.DOTALL)

    assert found is not None
    assert found[1] == matrices()


def test_the_introduction_has_three_sentences() -> None:
    introduction = TEXT.split("\n\n")[1]

    assert len(re.findall(r"[.;:?!](?=\s|$)", introduction.replace(";", ","))) == 3
