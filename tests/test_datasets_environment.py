"""Datasets under other locales and with few imports."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

FILES = Path(__file__).parent / "resources" / "datasets"

LOAD = """
import json, sys
from llmeval.datasets import load, write
dataset = load(sys.argv[1])
again = load(write(dataset, sys.argv[2]))
assert again.cases == dataset.cases
try:
    load(sys.argv[3])
except ValueError as error:
    print(json.dumps([dataset.cases[0].name, str(error)]))
"""

IMPORTS = """
import json, sys
before = set(sys.modules)
from llmeval.datasets import load
load(sys.argv[1])
print(json.dumps(sorted(set(sys.modules) - before)))
"""


def python(code: str, *arguments: object, options: tuple[str, ...] = (), **environment: str) -> str:
    command = [sys.executable, *options, "-c", code, *map(str, arguments)]
    done = subprocess.run(
        command, capture_output=True, env={**os.environ, **environment}, cwd=Path(__file__).parents[1]
    )
    assert (done.returncode, done.stderr.decode()) == (0, "")
    return done.stdout.decode("ascii")


@pytest.mark.parametrize("suffix", ["yaml", "json", "jsonl"])
def test_files_are_utf_8_in_any_locale_and_no_encoding_is_left_to_chance(tmp_path: Path, suffix: str) -> None:
    name, error = json.loads(
        python(
            LOAD,
            FILES / "utf8_wide.yaml",
            tmp_path / f"x.{suffix}",
            FILES / "latin1.yaml",
            options=("-X", "warn_default_encoding", "-W", "error"),
            LC_ALL="C",
            PYTHONUTF8="0",
            PYTHONCOERCECLOCALE="0",
        )
    )
    assert name == "日本語ケース"
    assert "line 3, byte offset 41" in error


@pytest.mark.parametrize("name", ["bom.json", "bom_crlf.jsonl"])
def test_json_datasets_load_without_yaml_asyncio_or_csv(name: str) -> None:
    loaded = json.loads(python(IMPORTS, FILES / name))
    assert "llmeval.datasets.jsonfile" in loaded
    heavy = {"yaml", "_yaml", "asyncio", "csv", "difflib", "typer", "rich", "openai", "anthropic"}
    assert heavy.isdisjoint(module.partition(".")[0] for module in loaded)


def test_yaml_datasets_load_without_asyncio_or_csv() -> None:
    loaded = json.loads(python(IMPORTS, FILES / "bom_crlf.yaml"))
    assert "yaml" in loaded
    assert {"asyncio", "csv", "typer", "rich", "openai", "anthropic"}.isdisjoint(loaded)


def test_bombs_are_refused_within_little_memory_and_time(tmp_path: Path) -> None:
    code = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (1_000_000_000, 1_000_000_000))
resource.setrlimit(resource.RLIMIT_CPU, (10, 10))
from llmeval.datasets import load
for path in sys.argv[1:]:
    try:
        load(path)
    except ValueError as error:
        print(len(str(error)) < 5_000)
"""
    deep = tmp_path / "deep.yaml"
    deep.write_text("[" * 1_000_000, encoding="ascii")
    wide = tmp_path / "wide.json"
    wide.write_text('{"a":' * 1_000_000, encoding="ascii")
    names = ["alias_bomb.yaml", "recursive.yaml", "deep_nesting.json"]
    assert python(code, *(FILES / name for name in names), deep, wide).split() == ["True"] * 5
