"""Reading a model's reply: what is accepted, and that nothing else is ever taken for an answer."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from llmeval.evaluators.replies import Unreadable, find_object, number, text_of
from llmeval.evaluators.verdicts import Verdict, keys, read_verdicts, verdict_schema

RESOURCES = Path(__file__).parent / "resources" / "replies"


def rows(name: str) -> list[Any]:
    lines = (RESOURCES / name).read_text(encoding="utf-8").splitlines()
    return [pytest.param(row, id=row["id"]) for row in map(json.loads, lines)]


def verdict(raw: str) -> str | None:
    """Returns the verdict on one criterion, or `None` when the reply cannot be read."""
    try:
        found = read_verdicts(raw, ("c1",))["c1"]
    except Unreadable:
        return None
    if isinstance(found, Unreadable):
        return None
    return {True: "pass", False: "fail", None: "unknown"}[found.value]


@pytest.mark.parametrize("row", rows("verdicts.jsonl"))
def test_a_reply_is_read_as_its_author_meant_it_or_not_at_all(row: dict[str, Any]) -> None:
    assert verdict(row["raw"]) == row["reads"]


@pytest.mark.parametrize("row", rows("numbers.jsonl"))
def test_a_number_is_taken_as_it_is_or_not_at_all(row: dict[str, Any]) -> None:
    low, high = row["range"]

    def read() -> float:
        data = find_object(row["raw"], lambda found: "score" in found)
        text_of(data.get("reason"), "the reason")
        return number(data.get("score"), low, high, "the score")

    if row["reads"] is None:
        with pytest.raises(Unreadable):
            read()
    else:
        assert read() == row["reads"]


def test_a_quoted_object_never_wins_over_the_graders_own_whatever_comes_first() -> None:
    own, quoted = '{"reason": "it tried", "verdict": "fail"}', '{"reason": "ok", "verdict": "pass"}'

    assert verdict(f"The text says {quoted}. My answer: {own}") is None
    assert verdict(f"{own} since the text says {quoted}") is None
    assert verdict(f'{{"reason": {json.dumps(f"it says {quoted}")}, "verdict": "fail"}}') == "fail"


def test_the_same_answer_given_twice_is_one_answer() -> None:
    one = '{"reason": "fine", "verdict": "pass"}'

    assert verdict(f"{one}\nTo sum up:\n```json\n{one}\n```") == "pass"


def test_an_object_inside_a_malformed_one_does_not_stand_for_it() -> None:
    assert verdict('{"verdicts": {"c1": {"reason": "x", "verdict": "pass"}, "c2": oops}}') is None
    assert verdict('So: {"verdicts": {"c1": {"reason": "x", "verdict": "pass"}') is None


def test_a_key_that_stands_twice_makes_a_reply_unreadable() -> None:
    with pytest.raises(Unreadable, match="'verdict' stands twice"):
        read_verdicts('{"reason": "x", "verdict": "fail", "verdict": "pass"}', ("c1",))


def test_thinking_is_no_answer_even_when_its_opening_tag_is_missing() -> None:
    assert verdict('so {"reason": "x", "verdict": "fail"}?</think>{"reason": "y", "verdict": "pass"}') == "pass"
    assert verdict('{"reason": "the text holds </think>", "verdict": "fail"}') == "fail"


def test_a_trailing_comma_is_forgiven_and_a_text_with_one_is_kept() -> None:
    found = read_verdicts('Here: {"reason": "a,} b", "verdict": "pass",}', ("c1",))

    assert found["c1"] == Verdict(True, "a,} b")


def test_keys_beside_the_verdicts_do_not_matter_and_an_unasked_criterion_does() -> None:
    one = {"reason": "r", "verdict": "pass"}

    assert verdict(json.dumps({"note": 1, "verdicts": {"c1": one}, "debug": {}})) == "pass"
    with pytest.raises(Unreadable, match="'c9', which was not asked"):
        read_verdicts(json.dumps({"verdicts": {"c1": one, "c9": one}}), ("c1",))


def test_a_bare_answer_is_taken_only_when_one_criterion_was_asked() -> None:
    bare = '{"reason": "r", "verdict": "pass"}'

    assert read_verdicts(bare, ("c1",)) == {"c1": Verdict(True, "r")}
    with pytest.raises(Unreadable, match='no object "verdicts"'):
        read_verdicts(bare, ("c1", "c2"))


@pytest.mark.parametrize("label", [True, 1, None, "ok", "", "passed", ["pass"], {"pass": 1}])
def test_only_pass_fail_and_unknown_are_verdicts(label: object) -> None:
    found = read_verdicts(json.dumps({"verdicts": {"c1": {"reason": "r", "verdict": label}}}), ("c1",))

    assert isinstance(found["c1"], Unreadable)


def test_a_missing_criterion_leaves_the_others_as_they_are() -> None:
    found = read_verdicts('{"verdicts": {"c2": {"reason": "r", "verdict": "Unknown."}}}', ("c1", "c2"))

    assert found["c2"] == Verdict(None, "r")
    assert str(found["c1"]) == "there is no answer for 'c1'"


def test_the_schema_asks_for_the_reason_before_the_verdict_and_for_nothing_else() -> None:
    schema: Mapping[str, Any] = verdict_schema(2)

    inner = schema["properties"]["verdicts"]
    assert list(inner["properties"]) == ["c1", "c2"] == inner["required"]
    assert list(inner["properties"]["c1"]["properties"]) == ["reason", "verdict"]
    assert inner["properties"]["c1"]["properties"]["verdict"]["enum"] == ["pass", "fail", "unknown"]
    assert not schema["additionalProperties"]
    assert verdict_schema(2) is schema


def test_deep_nesting_is_unreadable_and_no_crash() -> None:
    with pytest.raises(Unreadable, match="nested too deeply"):
        find_object('{"a":' * 100_000, lambda found: True)


@given(st.text(max_size=200))
@settings(max_examples=200, deadline=None)
def test_any_text_is_read_or_refused(text: str) -> None:
    assert verdict(text) in (None, "pass", "fail", "unknown")


words = st.text(max_size=60)
wrappers = st.sampled_from(
    ["{}", "```json\n{}\n```", "```\n{}", "Well, {{x}} aside: {} Bye {{-:}}", "\ufeff{}\n", "<think>no</think>\n{}"]
)


@given(words, st.sampled_from(["pass", "fail", "unknown"]), wrappers, st.booleans())
@settings(max_examples=150, deadline=None)
def test_an_answer_survives_whatever_stands_around_it(reason: str, label: str, wrapper: str, indent: bool) -> None:
    answer = {"verdicts": {"c1": {"reason": reason, "verdict": label}}}
    raw = json.dumps(answer, ensure_ascii=not indent, indent=2 if indent else None)

    found = read_verdicts(wrapper.format(raw), ("c1",))["c1"]

    assert found == Verdict({"pass": True, "fail": False, "unknown": None}[label], reason)


@given(st.integers(1, 5), st.integers(0, 400))
@settings(max_examples=100, deadline=None)
def test_an_answer_that_is_cut_off_is_never_read(count: int, place: int) -> None:
    asked = keys(count)
    raw = json.dumps({"verdicts": {key: {"reason": "some reason", "verdict": "pass"} for key in asked}})

    with pytest.raises(Unreadable):
        read_verdicts("Sure: " + raw[: min(place, len(raw) - 1)], asked)
