"""What the pages on pytest, notebooks and events show is what happens."""

from __future__ import annotations

from pathlib import Path

import pytest
from docs_pages import ROOT, Page


@pytest.mark.parametrize("name", ["pytest", "events"])
def test_each_block_runs_and_prints_what_is_shown(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # a reader has other plugins, or none
    monkeypatch.setenv("PYTEST_ADDOPTS", "-p llmeval")
    monkeypatch.delenv("CI", raising=False)
    page = Page(ROOT / "docs" / f"{name}.md", tmp_path)
    page.run()

    assert page.problems == []
