"""What is written loads again as equal cases, in each format."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from llmeval.cases import OMITTED, Case
from llmeval.datasets import Dataset, from_items, load, render, write
from llmeval.datasets.documents import read_cases
from llmeval.datasets.loading import parse
from llmeval.datasets.plain import agrees_on_text
from llmeval.datasets.problems import Problems
from llmeval.errors import DatasetError

AMBIGUOUS = [
    *("no", "Yes", "on", "OFF", "y", "n", "~", "null", "NULL", "true", "False", ".nan", ".inf", "-.INF"),
    *(
        "12:30",
        "010",
        "08",
        "0o17",
        "0b1",
        "0x1F",
        "1_000",
        "1e3",
        "1.5e3",
        "+.5",
        "-.5",
        "1.",
        ".5",
        "007",
        "+1",
        "-0",
    ),
    *("2023-11-30", "2023-02-30", "2023-11-30T09:15:00Z", "2023-11-30 09:15:00", "=", "<<", "<", ".", "-", "?", ":"),
    *(
        "",
        " ",
        " a",
        "a ",
        "a: b",
        "a #b",
        "# a",
        "- a",
        "? a",
        "&a",
        "*a",
        "!a",
        "|",
        ">",
        "%",
        "@",
        "`",
        "'",
        '"',
        "---",
    ),
    *(
        "a\nb",
        "a\n\n b\n",
        "\n",
        "\na",
        "a\n\n",
        "  a\nb",
        "a\tb",
        "\t",
        "a\r\nb",
        "\r",
        "\x85",
        "\u2028",
        "\u2029",
        "\ufeff",
    ),
    *(
        "\x00",
        "\x07",
        "\x7f",
        "\xa0",
        "[",
        "]",
        "{",
        "}",
        ",",
        "[a]",
        "{a: b}",
        "a, b",
        "😀",
        "\U0010ffff",
        "é",
        "e\u0301",
    ),
    *("\\", "\\n", "a\\", "...", "--- a", "!!str a", "a" * 300, "word " * 60, "\n" * 5, "a\n" * 40),
]
TEXT = st.sampled_from(AMBIGUOUS) | st.text()
FULL_TEXT = TEXT | st.text(alphabet="\ud800a")
NUMBERS = st.integers() | st.floats(allow_nan=False, allow_infinity=False)


def values(text: st.SearchStrategy[str]) -> st.SearchStrategy[Any]:
    return st.recursive(
        st.none() | st.booleans() | NUMBERS | text,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3),
        max_leaves=8,
    )


def cases(text: st.SearchStrategy[str]) -> st.SearchStrategy[list[Case]]:
    case = st.builds(
        Case,
        text.filter(str.strip),
        values(text),
        st.just(OMITTED) | values(text),
        st.dictionaries(text, values(text), max_size=2),
    )
    return st.lists(case, min_size=1, max_size=4, unique_by=lambda case: case.name)


def reloaded(text: str, suffix: str) -> tuple[Case, ...]:
    problems = Problems(suffix)
    return read_cases(parse(text, suffix, problems), problems).cases


def exactly(found: tuple[Case, ...]) -> list[tuple[str, bool, str]]:
    """Returns what tells 1, 1.0 and true apart, and null from omitted, which equality does not."""
    return [(case.name, case.has_expected_output, case.fingerprint) for case in found]


@pytest.fixture(params=["libyaml", "pure Python"], autouse=True)
def writer(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every test here runs with libyaml and without it."""
    if request.param == "pure Python":
        monkeypatch.setattr(yaml, "__with_libyaml__", False)


@given(cases(TEXT))
@settings(max_examples=100, deadline=None)
def test_yaml_json_and_jsonl_give_back_the_cases_that_were_written(written: list[Case]) -> None:
    for suffix in (".yaml", ".json", ".jsonl"):
        found = reloaded(render(written, suffix[1:]), suffix)
        assert found == tuple(written)
        assert exactly(found) == exactly(tuple(written))


@given(cases(FULL_TEXT))
@settings(deadline=None)
def test_json_holds_half_characters_too(written: list[Case]) -> None:
    for suffix in (".json", ".jsonl"):
        text = render(written, suffix[1:])
        assert exactly(reloaded(text.encode().decode(), suffix)) == exactly(tuple(written))


@given(cases(TEXT))
@settings(deadline=None)
def test_written_yaml_is_read_alike_by_pyyaml(written: list[Case]) -> None:
    records = yaml.safe_load(render(written, "yaml"))["cases"]
    assert tuple(from_items(records, "x").cases) == tuple(written)


@pytest.mark.parametrize("text", AMBIGUOUS)
def test_each_delicate_text_survives_as_key_and_as_value(text: str) -> None:
    case = Case("a", {text: text}, [text], {"deep": {text: [text]}})
    for suffix in (".yaml", ".json", ".jsonl"):
        assert reloaded(render([case], suffix[1:]), suffix) == (case,)


def test_yaml_is_written_for_people() -> None:
    case = Case(
        "unopened_return", {"question": "May I?\nIt is unopened.\n", "code": "no"}, "yes", {"tags": ["a", "1e3"]}
    )
    assert render([case, Case("later", "Größe ☔", None)], "yaml") == (
        "cases:\n"
        "- name: unopened_return\n"
        "  inputs:\n"
        "    question: |\n"
        "      May I?\n"
        "      It is unopened.\n"
        '    code: "no"\n'
        '  expected_output: "yes"\n'
        "  metadata:\n"
        "    tags:\n"
        "    - a\n"
        '    - "1e3"\n'
        "- name: later\n"
        "  inputs: Größe ☔\n"
        "  expected_output: null\n"
    )


def test_json_and_jsonl_are_written_for_people_and_programs() -> None:
    case = Case("a", "é", None, {"k": 1})
    assert render([case], "jsonl") == '{"name": "a", "inputs": "é", "expected_output": null, "metadata": {"k": 1}}\n'
    assert render([Case("a", "é")], "json") == (
        '{\n  "cases": [\n    {\n      "name": "a",\n      "inputs": "é"\n    }\n  ]\n}\n'
    )


@pytest.mark.parametrize("suffix", [".yml", ".yaml", ".json", ".jsonl"])
def test_a_dataset_that_was_written_to_a_file_loads_equal(tmp_path: Path, suffix: str) -> None:
    dataset = from_items([Case("ä\n", {"no": "12:30"}, None), Case("b", [1, 1.0, True], "\r\n")], "x")
    path = write(dataset, tmp_path / f"x{suffix}")
    assert load(path).cases == dataset.cases
    assert load(path).digest == dataset.digest
    assert b"\r" not in path.read_bytes().replace(b"\\r", b"")


def test_yaml_refuses_half_a_character_and_says_what_can_hold_it() -> None:
    with pytest.raises(DatasetError, match=r"case 'a' holds half a character .* use JSON"):
        render([Case("a", {"x": ["\ud800"]})], "yaml")


def test_an_unknown_format_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"yaml, json or jsonl, not as 'toml'"):
        render([Case("a", 1)], "toml")
    with pytest.raises(DatasetError, match=r"the suffix '\.toml'"):
        write([Case("a", 1)], tmp_path / "x.toml")


def test_unquoted_text_is_text_in_both_versions() -> None:
    assert [text for text in ("word", "no", "1e3", "08", "12:30", "~", "") if agrees_on_text(text)] == ["word"]


def test_the_example_of_a_dataset_is_iterable_and_has_a_length() -> None:
    dataset = Dataset(name="x", cases=(Case("a", 1), Case("b", 2)))
    assert [case.name for case in dataset] == ["a", "b"]
    assert len(dataset) == 2
