"""JSON: the quick reader and the careful scanner agree, and the scanner names every mistake."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from llmeval.datasets.jsonfile import read, read_lines
from llmeval.datasets.jsonscan import Scanner
from llmeval.datasets.problems import Problems
from llmeval.errors import DatasetError
from llmeval.jsonable import FrozenDict, FrozenList

VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def document(text: str) -> Any:
    problems = Problems("x.json")
    parsed = read(text, problems)
    problems.check()
    return parsed.document


def refusal(text: str) -> str:
    with pytest.raises(DatasetError) as caught:
        document(text)
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{'a': 1}", "line 1, column 2: not valid JSON: `'a'` where a key belongs: keys stand in double quotes"),
        ("{a: 1}", "line 1, column 2: not valid JSON: `a` where a key belongs: keys stand in double quotes"),
        ('{"a": True}', "line 1, column 7: `True` is not JSON: write true"),
        ('{"a": None}', "line 1, column 7: `None` is not JSON: write null"),
        ('{"a": yes}', "line 1, column 7: not valid JSON: `yes` is not JSON: put text in double quotes"),
        (
            '{"a": 01}',
            "line 1, column 7: not valid JSON: `01` is not JSON: write the number plainly, or put it in double",
        ),
        ('{"a": +1}', "line 1, column 7: not valid JSON: `+1` is not JSON: write the number plainly"),
        ('{"a": .5}', "line 1, column 7: not valid JSON: `.5` is not JSON: write the number plainly"),
        ('{"a" 1}', "line 1, column 6: not valid JSON: a colon is missing after the key"),
        ('{"a": 1 "b": 2}', "line 1, column 9: not valid JSON: a comma or `}` is missing before this"),
        ("[1 2]", "line 1, column 4: not valid JSON: a comma or `]` is missing before this"),
        ("[1,,2]", "line 1, column 4: not valid JSON: `,` where a value belongs"),
        ('{"a": }', "line 1, column 7: not valid JSON: `}` where a value belongs"),
        ('[\n{"a": [1,\n2', "line 3, column 2: not valid JSON: the text ends before the `[` of line 2 is closed"),
        ('["a\nb"]', "line 1, column 4: not valid JSON: a raw line break inside a string: write it as \\n"),
        ('["a\tb"]', "line 1, column 4: not valid JSON: a raw control character inside a string: write it as \\t"),
        ('["C:\\dir"]', "line 1, column 5: not valid JSON: `\\d` is not an escape in JSON: write a backslash as \\\\"),
        ('["a]', "line 1, column 2: not valid JSON: a string that does not end: a quote is missing"),
        ("[1] 2", "line 1, column 5: not valid JSON: something after the end of the first value"),
        ("\ufeff[]", "line 1, column 1: not valid JSON: '\\ufeff' is not JSON"),
    ],
)
def test_a_mistake_is_named_with_line_column_and_cure(text: str, message: str) -> None:
    assert refusal(text).startswith(f"x.json, {message}")


@pytest.mark.parametrize("text", ["NaN", "Infinity", "-Infinity", "1e999", "-1E400"])
def test_numbers_that_are_not_finite_are_refused(text: str) -> None:
    assert refusal(f'{{"a": [{text}]}}') == (
        f"x.json, line 1, column 8: `{text}` is not a finite number, which JSON cannot hold: write it as text in "
        "quotes, or null"
    )


def test_numbers_too_long_to_read_are_refused_with_their_length() -> None:
    assert refusal(f"[1, {'7' * 5000}]") == (
        "x.json, line 1, column 5: a whole number of 5000 digits, too many to read: write it as text in quotes"
    )
    assert document(f"[{'7' * 4300}]") == [int("7" * 4300)]


def test_mistakes_that_do_not_hide_others_are_reported_together() -> None:
    assert refusal('{"a": NaN, // why\n"a": [1,], "b": {"c": 1, "c": 2,},\n}').splitlines() == [
        "x.json: 7 problems",
        "  line 1, column 7: `NaN` is not a finite number, which JSON cannot hold: write it as text in quotes, or null",
        "  line 1, column 12: a comment, which JSON does not have: remove it",
        "  line 2, column 1: the key 'a' is already there at line 1: keep one of the two",
        "  line 2, column 8: a comma before `]`: remove it",
        "  line 2, column 26: the key 'c' is already there at line 2: keep one of the two",
        "  line 2, column 32: a comma before `}`: remove it",
        "  line 2, column 34: a comma before `}`: remove it",
    ]


def test_comments_of_each_kind_are_found_but_not_in_strings() -> None:
    assert len(refusal("# a\n[/* b\n*/ 1 // c\n]").splitlines()) == 4
    assert document('["// a", "/* b */", "# c"]') == ["// a", "/* b */", "# c"]


def test_duplicates_are_found_at_every_depth_and_only_within_one_object() -> None:
    assert "the key 'x' is already there at line 2" in refusal('[[{"y": {\n"x": 1,\n"x": 2}}]]')
    assert document('[{"x": 1}, {"x": {"x": 1}}]') == [{"x": 1}, {"x": {"x": 1}}]


def test_escaped_and_plain_spellings_of_a_key_are_one_key() -> None:
    assert "already there" in refusal('{"a": 1, "\\u0061": 2}')


def test_half_a_character_written_as_an_escape_is_kept() -> None:
    assert document('["\\ud800"]') == ["\ud800"]


def test_places_are_those_of_keys_and_items() -> None:
    parsed = read('{"a": [1,\n  {"b": 2}]}', Problems("x"))
    assert parsed.locate(("a",)) == (1, 2)
    assert parsed.locate(("a", 0)) == (1, 8)
    assert parsed.locate(("a", 1, "b")) == (2, 4)
    assert parsed.locate(("a", 1, "nothing")) == (2, 3)


@given(VALUES, st.sampled_from([None, 1]))
@settings(deadline=None)
def test_the_reader_and_the_scanner_read_what_json_reads(value: Any, indent: int | None) -> None:
    text = json.dumps(value, indent=indent)
    problems = Problems("x")
    for found in (document(text), Scanner(text, problems).scan()):
        assert found == json.loads(text)
        assert json.dumps(found) == json.dumps(value)
    assert not problems


@given(VALUES)
@settings(deadline=None)
def test_everything_that_is_read_is_frozen(value: Any) -> None:
    def check(part: Any) -> None:
        assert type(part) not in (list, dict)
        for inner in part.values() if isinstance(part, FrozenDict) else part if isinstance(part, FrozenList) else ():
            check(inner)

    text = json.dumps({"inputs": value})
    check(document(text))
    check(Scanner(text, Problems("x")).scan())
    check(read_lines(text, Problems("x")).document)


@given(VALUES, st.data())
@settings(max_examples=200, deadline=None)
def test_damaged_json_is_read_as_json_reads_it_or_refused_with_a_place(value: Any, data: st.DataObject) -> None:
    text = json.dumps(value)
    at = data.draw(st.integers(0, len(text)))
    cut = data.draw(st.integers(0, 2))
    damaged = (
        text[:at]
        + data.draw(st.sampled_from(["", ",", "]", "}", "[", "{", '"', "\\", ":", "1", "\n", "e", "/"]))
        + text[at + cut :]
    )
    try:
        expected = json.loads(damaged)
    except ValueError:
        if damaged.strip():
            assert "line " in refusal(damaged)
        return
    try:
        assert document(damaged) == expected
    except DatasetError as error:
        assert "already there" in str(error) or "not a finite number" in str(error)


@given(st.text(alphabet='{}[]",:\n 1ae\\/#', max_size=30))
@settings(max_examples=200, deadline=None)
def test_any_text_is_read_as_json_lines_or_refused(text: str) -> None:
    problems = Problems("x")
    try:
        parsed = read_lines(text, problems)
        problems.check()
    except DatasetError:
        return
    assert parsed.document == [json.loads(line) for line in text.split("\n") if line.strip()]
