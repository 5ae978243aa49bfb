"""Frozen JSON: equal to the plain kind, written as it, and not to be changed."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llmeval.jsonable import FrozenDict, FrozenList, canonical, digest, dumps, freeze, thaw

VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)

LIST_MUTATORS = {
    "append": (1,),
    "extend": ([1],),
    "insert": (0, 1),
    "pop": (),
    "remove": (1,),
    "clear": (),
    "sort": (),
    "reverse": (),
    "__setitem__": (0, 2),
    "__delitem__": (0,),
    "__iadd__": ([1],),
    "__imul__": (2,),
}
DICT_MUTATORS = {
    "pop": ("a",),
    "popitem": (),
    "clear": (),
    "update": ({"b": 1},),
    "setdefault": ("b", 1),
    "__setitem__": ("a", 2),
    "__delitem__": ("a",),
    "__ior__": ({"b": 1},),
}


@pytest.mark.parametrize("method", sorted(LIST_MUTATORS))
def test_every_mutator_of_a_frozen_list_raises(method: str) -> None:
    value = freeze([1])
    with pytest.raises(TypeError, match=r"FrozenList is frozen: .*thaw"):
        getattr(value, method)(*LIST_MUTATORS[method])
    assert value == [1]


@pytest.mark.parametrize("method", sorted(DICT_MUTATORS))
def test_every_mutator_of_a_frozen_dict_raises(method: str) -> None:
    value = freeze({"a": 1})
    with pytest.raises(TypeError, match=r"FrozenDict is frozen: .*thaw"):
        getattr(value, method)(*DICT_MUTATORS[method])
    assert value == {"a": 1}


def test_no_method_that_changes_a_list_or_dict_is_forgotten() -> None:
    unchanging = {"copy", "count", "index", "get", "items", "keys", "values", "fromkeys"}
    public = {name for kind in (list, dict) for name in dir(kind) if not name.startswith("_")}
    assert public - unchanging == {name for name in {*LIST_MUTATORS, *DICT_MUTATORS} if not name.startswith("_")}


def test_assignment_deletion_and_augmented_assignment_raise() -> None:
    items, fields = freeze([1]), freeze({"a": 1})
    with pytest.raises(TypeError):
        items[0] = 2
    with pytest.raises(TypeError):
        del fields["a"]
    with pytest.raises(TypeError):
        items += [1]
    with pytest.raises(TypeError):
        fields |= {"b": 1}


def test_new_values_made_from_frozen_ones_are_plain() -> None:
    assert type(freeze([1]) + [2]) is list  # noqa: RUF005  # the operator is the point
    assert type(freeze([1, 2])[:1]) is list
    assert type(freeze({"a": 1}) | {"b": 2}) is dict
    assert type(freeze({"a": 1}).copy()) is dict
    assert type({**freeze({"a": 1})}) is dict


@given(VALUES)
def test_freezing_and_thawing_keep_the_value(value: Any) -> None:
    frozen = freeze(value)
    assert frozen == value
    assert thaw(frozen) == value
    assert json.dumps(frozen) == json.dumps(value)
    assert canonical(frozen) == canonical(value)
    hash(frozen)


@given(VALUES)
def test_frozen_values_survive_pickle_and_stay_frozen(value: Any) -> None:
    frozen = freeze(value)
    twin = pickle.loads(pickle.dumps(frozen))
    assert twin == frozen
    assert type(twin) is type(frozen)
    assert copy.copy(frozen) is frozen


def test_a_deep_copy_is_plain_and_may_be_changed() -> None:
    twin = copy.deepcopy(freeze({"a": [1, {"b": 2}]}))
    twin["a"][1]["b"] = 3
    assert twin == {"a": [1, {"b": 3}]}
    assert [type(twin), type(twin["a"]), type(twin["a"][1])] == [dict, list, dict]


def test_thawed_data_shares_nothing_with_the_frozen() -> None:
    frozen = freeze({"a": [1]})
    thaw(frozen)["a"].append(2)
    assert frozen == {"a": [1]}


def test_tuples_and_other_mappings_freeze_as_lists_and_dicts() -> None:
    from types import MappingProxyType

    frozen = freeze(MappingProxyType({"a": (1, (2,))}))
    assert type(frozen) is FrozenDict
    assert type(frozen["a"]) is FrozenList
    assert frozen == {"a": [1, [2]]}


def test_equal_frozen_values_have_equal_hashes() -> None:
    assert hash(freeze({"a": [1], "b": 2})) == hash(freeze({"b": 2, "a": [1]}))
    assert len({freeze([1]), freeze([1]), freeze([2])}) == 2


@pytest.mark.parametrize("value", [float("nan"), float("inf"), [-float("inf")]])
def test_numbers_that_are_not_finite_are_never_written(value: Any) -> None:
    for write in (dumps, canonical, digest):
        with pytest.raises(ValueError, match="not JSON compliant"):
            write(value)


def test_text_is_written_as_it_is_and_half_characters_as_escapes() -> None:
    assert dumps({"é": "☔🦊"}) == '{"é": "☔🦊"}'
    assert dumps("é\ud800") == '"\\u00e9\\ud800"'
    assert json.loads(dumps("é\ud800")) == "é\ud800"


@given(VALUES)
def test_written_json_is_one_line_of_utf_8_that_reads_back_equal(value: Any) -> None:
    text = dumps(value)
    assert "\n" not in text
    assert json.loads(text.encode().decode()) == value


def test_canonical_json_is_ascii_with_sorted_keys_and_no_spaces() -> None:
    assert canonical({"b": [1, 2.0], "a": "é"}) == '{"a":"\\u00e9","b":[1,2.0]}'


def test_the_digest_is_the_sha_256_of_the_canonical_json() -> None:
    assert digest({}) == "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
    assert digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1})
    assert len({digest(value) for value in (1, 1.0, True, "1")}) == 4
