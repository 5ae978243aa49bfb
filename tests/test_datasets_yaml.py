"""YAML: what both of its versions read alike is read, everything else is refused by name."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from llmeval.datasets import load
from llmeval.datasets.plain import SUSPECT, PlainError, read_plain
from llmeval.datasets.problems import Problems
from llmeval.datasets.yamlfile import read
from llmeval.errors import DatasetError
from llmeval.jsonable import FrozenDict, FrozenList

FILES = Path(__file__).parent / "resources" / "datasets"


def refusal(text: str) -> str:
    with pytest.raises(DatasetError) as caught:
        document(text)
    return str(caught.value)


def document(text: str) -> Any:
    problems = Problems("x.yaml")
    parsed = read(text, problems)
    problems.check()
    return parsed.document


def problems_of(name: str) -> list[str]:
    with pytest.raises(DatasetError) as caught:
        load(FILES / name, root=FILES)
    return str(caught.value).splitlines()


@pytest.fixture(params=["libyaml", "pure Python"], autouse=True)
def parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every test here runs with libyaml and without it."""
    if request.param == "pure Python":
        monkeypatch.setattr(yaml, "__with_libyaml__", False)


@pytest.mark.parametrize(
    ("text", "old", "new", "cure"),
    [
        ("no", "false", 'the text "no"', "or write false"),
        ("On", "true", 'the text "On"', "or write true"),
        ("OFF", "false", 'the text "OFF"', "or write false"),
        ("yes", "true", 'the text "yes"', "or write true"),
        ("12:30", "the number 750", 'the text "12:30"', "or write 750"),
        ("1:30.5", "the number 90.5", 'the text "1:30.5"', "or write 90.5"),
        ("010", "the number 8", "the number 10", "or write 8 or 10"),
        ("08", 'the text "08"', "the number 8", "or write 8"),
        ("0o17", 'the text "0o17"', "the number 15", "or write 15"),
        ("0b11", "the number 3", 'the text "0b11"', "or write 3"),
        ("-0x1F", "the number -31", 'the text "-0x1F"', "or write -31"),
        ("1_000", "the number 1000", 'the text "1_000"', "or write 1000"),
        ("1e3", 'the text "1e3"', "the number 1000.0", "or write 1000.0"),
        ("1.5E3", 'the text "1.5E3"', "the number 1500.0", "or write 1500.0"),
        ("+.5", 'the text "+.5"', "the number 0.5", "or write 0.5"),
        ("-.5", 'the text "-.5"', "the number -0.5", "or write -0.5"),
        ("2023-11-30", "the date 2023-11-30", 'the text "2023-11-30"', ""),
        ("2023-11-30 09:15:00", "the time 2023-11-30T09:15:00", 'the text "2023-11-30 09:15:00"', ""),
        ("2023-02-30", "an impossible timestamp", 'the text "2023-02-30"', ""),
        ("1e999", 'the text "1e999"', "the number inf", ""),
        ("=", "a value key", 'the text "="', ""),
    ],
)
def test_a_scalar_with_two_readings_is_refused_with_both_and_the_cure(text: str, old: str, new: str, cure: str) -> None:
    message = refusal(f"- first\n- {text}\n")
    expected = f'x.yaml, line 2, column 3: `{text}` is {old} in YAML 1.1 and {new} in YAML 1.2: quote it ("{text}")'
    assert message == expected + (f", {cure}" if cure else "")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("~", None),
        ("null", None),
        ("Null", None),
        ("NULL", None),
        ("true", True),
        ("True", True),
        ("FALSE", False),
        ("0", 0),
        ("-0", 0),
        ("+7", 7),
        ("007", 7),
        ("0x1F", 31),
        ("1.5", 1.5),
        ("1.", 1.0),
        (".5", 0.5),
        ("1.5e+3", 1500.0),
        ("-0.0", -0.0),
        ("18446744073709551616", 18446744073709551616),
        ("y", "y"),
        ("N", "N"),
        ("nO", "nO"),
        ("tRUE", "tRUE"),
        (".", "."),
        ("-.nan", "-.nan"),
        ("1.2.3", "1.2.3"),
        ("12-30", "12-30"),
        ("1,000", "1,000"),
        ("2023-1-1", "2023-1-1"),
        ("no thanks", "no thanks"),
        ("0o8", "0o8"),
        ("0x", "0x"),
    ],
)
def test_a_scalar_that_both_versions_read_alike_is_read(text: str, value: Any) -> None:
    result = document(f"- {text}\n")[0]
    assert result == value
    assert type(result) is type(value)
    assert str(result) == str(value)


@pytest.mark.parametrize("text", ["no", "12:30", "010", "2023-11-30", "~", "<<", "1e3", "=", "*a", "!x", ".inf"])
def test_quotes_make_text_of_anything(text: str) -> None:
    assert document(f"- '{text}'\n- \"{text}\"\n- |-\n  {text}\n") == [text] * 3
    assert document(f'"{text}": 1') == {text: 1}


@pytest.mark.parametrize("text", [".nan", ".NaN", ".inf", "-.Inf", "+.INF", "1.0e+999"])
def test_numbers_that_are_not_finite_are_refused(text: str) -> None:
    assert refusal(f"- {text}") == (
        f"x.yaml, line 1, column 3: `{text}` is not a finite number, which JSON cannot hold: quote it, or write null"
    )


@pytest.mark.parametrize(
    ("key", "what"), [("3", "a number"), ("1.5", "a number"), ("true", "a boolean"), ("null", "null"), ("~", "null")]
)
def test_keys_are_text(key: str, what: str) -> None:
    assert (
        refusal(f"{key}: x")
        == f'x.yaml, line 1, column 1: the key `{key}` is {what}, and keys are text: quote it ("{key}")'
    )


@pytest.mark.parametrize("key", ["[a]", "{a: b}"])
def test_lists_and_objects_are_no_keys(key: str) -> None:
    assert refusal(f"{{? {key} : 1}}") == "x.yaml, line 1, column 4: a list or an object as a key: keys are text"


def test_ambiguous_keys_are_refused_as_values_are() -> None:
    assert refusal("on: push\n").startswith("x.yaml, line 1, column 1: `on` is true in YAML 1.1")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: &x 1", "line 1, column 4: the anchor `&x`: anchors are not read"),
        ("a: !!str 1", "line 1, column 4: the tag `!!str`: tags are not read"),
        ("a: !custom {b: 1}", "line 1, column 4: the tag `!custom`: tags are not read"),
        ("- !!python/object/apply:os.system [x]", "the tag `!!python/object/apply:os.system`: tags are not read"),
        ("a: ! 1", "line 1, column 4: the tag `!`: tags are not read"),
        ("a: *x", "line 1, column 4: the alias `*x`: aliases are not read"),
        ("? *x\n: 1", "the alias `*x`: aliases are not read"),
        ("&x a: 1", "line 1, column 1: the anchor `&x`"),
        ("<<: {a: 1}", "line 1, column 1: the merge key `<<`: merge keys are not read, so write the merged fields out"),
        ("%TAG ! tag:x,2000:\n---\na: 1", "line 1, column 1: a %TAG directive: tags are not read"),
        ("a: 1\n---\nb: 2\n", "line 2, column 1: a second document starts here: a dataset is one document"),
    ],
)
def test_what_is_not_plain_data_is_refused_by_name(text: str, message: str) -> None:
    assert message in refusal(text)


def test_a_document_may_be_marked_as_one() -> None:
    assert document("%YAML 1.2\n---\na: 1\n...\n") == {"a": 1}


@pytest.mark.parametrize("name", ["anchor_block.yaml", "merge_key_is_fine.yaml", "recursive.yaml", "alias_bomb.yaml"])
def test_anchors_aliases_and_merge_keys_are_refused_by_name(name: str) -> None:
    lines = problems_of(name)
    assert "anchor `&" in lines[1]
    assert any("alias `*" in line for line in lines)
    assert ("merge key" in "".join(lines)) == (name in ("anchor_block.yaml", "merge_key_is_fine.yaml"))


def test_an_alias_bomb_is_refused_with_a_bounded_message() -> None:
    lines = problems_of("alias_bomb.yaml")
    assert lines[0] == "alias_bomb.yaml: 81 problems"
    assert len(lines) == 22


def test_all_ambiguous_scalars_of_a_file_are_reported_at_once() -> None:
    lines = problems_of("norway.yaml")
    assert lines[0] == "norway.yaml: 10 problems"
    assert lines[1] == (
        '  line 4, column 23: `NO` is false in YAML 1.1 and the text "NO" in YAML 1.2: quote it ("NO"), or write false'
    )
    assert [int(re.findall(r"line (\d+)", line)[0]) for line in lines[1:]] == [4, 4, 4, 5, 8, 9, 10, 10, 10, 11]


def test_dates_are_refused_as_names_keys_and_values() -> None:
    lines = problems_of("dates.yaml")
    assert [int(re.findall(r"line (\d+)", line)[0]) for line in lines[1:]] == [2, 3, 4, 6, 7, 8, 13]
    assert problems_of("impossible_date.yaml") == [
        "impossible_date.yaml, line 4, column 22: `2023-02-30` is an impossible timestamp in YAML 1.1 and the text "
        '"2023-02-30" in YAML 1.2: quote it ("2023-02-30")'
    ]


def test_numbers_that_are_too_long_or_not_finite_are_refused_with_their_place() -> None:
    assert problems_of("int_5000_digits.yaml") == [
        f"int_5000_digits.yaml, line 3, column 17: `{'7' * 40}…` is a whole number of 5000 digits, too many to read: "
        "write it as text in quotes"
    ]
    assert [line.split(":")[0] for line in problems_of("nonfinite.yaml")[1:]] == [
        "  line 2, column 33",
        "  line 2, column 58",
        "  line 3, column 33",
        "  line 3, column 58",
    ]


def test_keys_that_are_numbers_are_refused_with_their_case_file() -> None:
    assert problems_of("inputs_shapes.yaml") == [
        'inputs_shapes.yaml, line 11, column 50: the key `3` is a number, and keys are text: quote it ("3")'
    ]


@pytest.mark.parametrize(
    ("character", "escape"), [("\u2028", "\\u2028"), ("\u2029", "\\u2029"), ("\x85", "\\x85"), ("\x07", "\\x07")]
)
def test_characters_that_yaml_cannot_hold_plainly_are_refused_with_their_escape(character: str, escape: str) -> None:
    code = f"U+{ord(character):04X}"
    assert refusal(f"- a\n- x{character}y") == (
        f"x.yaml, line 2, column 4: the character {code}: write it as {escape} inside double quotes"
    )
    assert document(f'- "x{escape}y"') == [f"x{character}y"]


@pytest.mark.parametrize(
    ("text", "place", "cure"),
    [
        ("a: b: c", "line 1, column 5", "quote a text that holds a colon and a space"),
        ("cases:\n\t- x", "line 2, column 1", "indent with spaces, not tabs"),
        ('a: "\\d"', "line 1, column ", "write a backslash as \\\\, or use single quotes"),
        ('a: "\\ud83d\\ude00"', "line 1, column ", "escape"),
        ("a: [1, 2", "line ", "not valid YAML"),
    ],
)
def test_text_that_is_no_yaml_is_refused_with_its_place_and_what_helps(text: str, place: str, cure: str) -> None:
    message = refusal(text)
    assert message.startswith(f"x.yaml, {place}")
    assert cure in message


def test_syntax_errors_come_with_what_was_found_before_them() -> None:
    lines = refusal("- no\n- &a b\n- [").splitlines()
    assert lines[0] == "x.yaml: 3 problems"
    assert lines[3].startswith("  line ")


def test_lists_and_objects_are_frozen() -> None:
    value = document("a: [1, {b: []}]")
    assert [type(value), type(value["a"]), type(value["a"][1])] == [FrozenDict, FrozenList, FrozenDict]


def test_windows_line_ends_become_line_feeds_in_block_text() -> None:
    assert document("a: |\r\n  x\r\n  y\r\n") == {"a": "x\ny\n"}


@given(st.text(alphabet="0123456789+-.:_eExobnNaAiIfFyYtTrRuUlLsS~ TZ", max_size=12))
@settings(max_examples=200, deadline=None)
def test_what_is_read_from_a_plain_scalar_is_what_pyyaml_reads(text: str) -> None:
    try:
        node = yaml.compose(f"- {text}").value[0]
        value = read_plain(text) if text[:1] in SUSPECT or not text else text
    except (yaml.YAMLError, PlainError, AttributeError):
        return
    if isinstance(node, yaml.ScalarNode) and node.value == text:
        (expected,) = yaml.safe_load(f"- {text}")
        assert (type(value), value) == (type(expected), expected)


@given(st.text(alphabet=" \n-:[]{}'\"&*!|>%#a1,?~\\x", max_size=40))
@settings(max_examples=200, deadline=None)
def test_any_text_is_read_or_refused_and_what_is_read_is_what_pyyaml_reads(text: str) -> None:
    try:
        value = document(text)
    except DatasetError:
        return
    # The two parsers differ in a few documents that neither specification allows.
    assert value == yaml.load(text, yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader)
