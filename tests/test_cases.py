"""`Case`: what it holds, what it refuses, and that nothing in it can change."""

from __future__ import annotations

import copy
import dataclasses
import json
import pickle
from enum import Enum, IntEnum, StrEnum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llmeval.cases import MAX_DEPTH, OMITTED, Case
from llmeval.errors import ConfigurationError, DatasetError
from llmeval.jsonable import FrozenDict, FrozenList

JSON_VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def test_a_case_is_made_by_position_or_by_keyword() -> None:
    assert Case("a", {"q": 1}, "yes", {"k": "v"}) == Case(
        name="a", inputs={"q": 1}, expected_output="yes", metadata={"k": "v"}
    )


def test_an_explicit_null_reference_differs_from_an_omitted_one() -> None:
    null, omitted = Case("a", 1, None), Case("a", 1)
    assert (null.has_expected_output, omitted.has_expected_output) == (True, False)
    assert null != omitted
    assert null.fingerprint != omitted.fingerprint
    assert null.to_dict() == {"name": "a", "inputs": 1, "expected_output": None, "metadata": {}}
    assert omitted.to_dict() == {"name": "a", "inputs": 1, "metadata": {}}


@pytest.mark.parametrize("reference", [False, 0, "", None, [], {}])
def test_falsy_references_are_references(reference: Any) -> None:
    assert Case("a", 1, reference).has_expected_output
    assert Case("a", 1, reference).expected_output == reference


def test_the_omitted_reference_is_one_object_through_pickle_and_copy() -> None:
    assert pickle.loads(pickle.dumps(OMITTED)) is OMITTED
    assert copy.deepcopy(OMITTED) is OMITTED
    assert repr(OMITTED) == "<omitted>"
    assert not OMITTED


@pytest.mark.parametrize(("name", "text"), [(1, "1"), (1.0, "1.0"), ("é", "é"), (" a ", " a ")])
def test_numbers_as_names_become_text(name: Any, text: str) -> None:
    assert Case(name, 0).name == text


@pytest.mark.parametrize(
    ("name", "found"),
    [("", "''"), ("  \t", "blank"), (None, "no name"), (True, "True"), (["a"], "['a']"), (float("nan"), "nan")],
)
def test_a_name_that_is_blank_or_no_text_is_refused(name: Any, found: str) -> None:
    with pytest.raises(DatasetError) as caught:
        Case(name, 0)
    assert found in str(caught.value)
    assert isinstance(caught.value, ConfigurationError)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (float("inf"), "case 'a': inputs is inf, which JSON cannot hold"),
        ({"x": [1, float("nan")]}, "case 'a': inputs.x[1] is nan, which JSON cannot hold"),
        ({1: "x"}, "case 'a': inputs has the key 1, which is not text"),
        ({"x": {1, 2}}, "case 'a': inputs.x is a set ({1, 2}), which JSON cannot hold"),
        (b"x", "case 'a': inputs is a bytes (b'x'), which JSON cannot hold"),
        pytest.param(10**5000, "case 'a': inputs is a whole number of about 5001 digits, too many", id="too long"),
    ],
)
def test_what_json_cannot_hold_is_refused_with_its_place(value: Any, message: str) -> None:
    with pytest.raises(DatasetError) as caught:
        Case("a", value)
    assert str(caught.value).startswith(message)


def test_references_and_metadata_are_checked_as_inputs_are() -> None:
    with pytest.raises(DatasetError, match=r"case 'a': expected_output\[0\] is nan"):
        Case("a", 1, [float("nan")])
    with pytest.raises(DatasetError, match=r"case 'a': metadata\.x is a object"):
        Case("a", 1, metadata={"x": object()})
    with pytest.raises(DatasetError, match=r"case 'a': metadata is \[1\], which is not an object"):
        Case("a", 1, metadata=[1])  # type: ignore[arg-type]  # the mistake


def test_null_metadata_is_empty_metadata() -> None:
    assert Case("a", 1, metadata=None) == Case("a", 1)  # type: ignore[arg-type]  # files may say null


def test_values_that_contain_themselves_are_refused() -> None:
    loop: dict[str, Any] = {}
    loop["again"] = loop
    with pytest.raises(DatasetError, match=r"nested more than 100 levels deep, or contains itself"):
        Case("a", loop)


def test_nesting_is_allowed_up_to_the_limit_and_not_beyond() -> None:
    def nested(levels: int) -> Any:
        value: Any = 1
        for _ in range(levels):
            value = [value]
        return value

    assert Case("a", nested(MAX_DEPTH)).inputs == nested(MAX_DEPTH)
    with pytest.raises(DatasetError, match="nested"):
        Case("a", nested(MAX_DEPTH + 1))


def test_members_of_enums_and_other_subclasses_become_plain_values() -> None:
    class Colour(StrEnum):
        RED = "red"

    class Size(IntEnum):
        BIG = 3

    class Old(str, Enum):  # noqa: UP042  # the older way, which StrEnum does not cover
        YES = "yes"

    case = Case("a", [Colour.RED, Size.BIG, Old.YES], metadata={Colour.RED: True})
    assert [type(value) for value in case.inputs] == [str, int, str]
    assert case.inputs == ["red", 3, "yes"]
    assert json.dumps(case.metadata) == '{"red": true}'
    assert type(next(iter(case.metadata))) is str


def test_tuples_become_lists() -> None:
    assert Case("a", (1, (2,))).inputs == [1, [2]]


def test_a_case_keeps_nothing_of_the_objects_it_was_made_from() -> None:
    inputs = {"turns": ["hi"]}
    case = Case("a", inputs)
    inputs["turns"].append("changed")
    assert case.inputs == {"turns": ["hi"]}


def test_a_frozen_object_that_holds_plain_lists_is_frozen_all_the_way_down() -> None:
    assert type(Case("a", FrozenDict(x=[1])).inputs["x"]) is FrozenList


def test_neither_the_fields_nor_the_values_of_a_case_can_be_changed() -> None:
    case = Case("a", {"turns": ["hi", {"role": "user"}]}, ["x"], {"k": {"deep": 1}})
    with pytest.raises(dataclasses.FrozenInstanceError):
        case.name = "b"  # type: ignore[misc]  # the mistake
    with pytest.raises(TypeError, match="frozen"):
        case.inputs["new"] = 1
    with pytest.raises(TypeError, match="frozen"):
        case.inputs["turns"][1]["role"] = "system"
    with pytest.raises(TypeError, match="frozen"):
        case.metadata["k"].clear()
    with pytest.raises(TypeError, match="frozen"):
        case.expected_output.append("y")


def test_copies_and_pickles_of_a_case_are_equal_and_just_as_frozen() -> None:
    case = Case("a", {"turns": ["hi"]}, None, {"k": [1]})
    for twin in (copy.copy(case), copy.deepcopy(case), pickle.loads(pickle.dumps(case)), dataclasses.replace(case)):
        assert twin == case
        assert hash(twin) == hash(case)
        assert type(twin.inputs) is FrozenDict
        assert type(twin.inputs["turns"]) is FrozenList
        assert twin.fingerprint == case.fingerprint


def test_to_dict_gives_plain_data_that_may_be_changed() -> None:
    case = Case("a", {"turns": ["hi"]})
    data = case.to_dict()
    data["inputs"]["turns"].append("bye")
    assert type(data["inputs"]) is dict
    assert case.inputs == {"turns": ["hi"]}


def test_the_fingerprint_ignores_the_name_and_the_order_of_keys() -> None:
    assert Case("a", {"x": 1, "y": 2}).fingerprint == Case("b", {"y": 2, "x": 1}).fingerprint


def test_the_fingerprint_tells_apart_what_json_tells_apart() -> None:
    values = [1, 1.0, True, "1", "true", None, "null", 0, -0.0, False, ""]
    assert len({Case("a", value).fingerprint for value in values}) == len(values)


def test_the_fingerprint_covers_inputs_reference_and_metadata() -> None:
    base = Case("a", 1, 2, {"k": 3})
    changed = [Case("a", 9, 2, {"k": 3}), Case("a", 1, 9, {"k": 3}), Case("a", 1, 2, {"k": 9})]
    assert base.fingerprint not in {case.fingerprint for case in changed}


@given(JSON_VALUES, JSON_VALUES)
def test_any_json_value_is_kept_equal_and_can_be_written(inputs: Any, reference: Any) -> None:
    case = Case("a", inputs, reference, {"k": inputs})
    assert case.inputs == inputs
    assert case.expected_output == reference
    assert json.loads(json.dumps(case.to_dict())) == case.to_dict()
    assert Case.trusted("a", case.inputs, case.expected_output, FrozenDict(k=case.inputs)) == case
