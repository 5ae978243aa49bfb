"""Any supported value as evidence, and what is said about the others."""

import collections
import copy
import dataclasses
import datetime as dt
import decimal
import enum
import fractions
import functools
import io
import json
import pathlib
import re
import subprocess
import sys
import types
import uuid
from collections.abc import Callable
from typing import Annotated, Any

import attrs
import numpy as np
import pydantic
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from llmeval.adapters import snapshot
from llmeval.errors import EvidenceError
from llmeval.evidence import Attachment, Conversation, Evidence, Message, ToolCall


class Colour(enum.Enum):
    RED = 1


class Level(enum.IntEnum):
    LOW = 0


class Mood(enum.StrEnum):
    GLAD = "glad"


class Size(enum.Enum):
    BIG = (2, 3)


@dataclasses.dataclass
class Point:
    x: int
    y: "Point | None" = None


@attrs.define
class Spot:
    x: int
    tags: set[str] = attrs.field(factory=lambda: {"fox", "den"})


class Pair(collections.namedtuple("Pair", "a b")):
    pass


class Model(pydantic.BaseModel):
    a: int = 1
    when: dt.date = dt.date(2026, 1, 2)
    secret: pydantic.SecretStr = pydantic.SecretStr("hunter2")
    token: str = pydantic.Field("hunter3", exclude=True)
    shown: Annotated[int, pydantic.PlainSerializer(lambda value: f"{value} km")] = 5

    @pydantic.computed_field  # type: ignore[prop-decorator]
    @property
    def double(self) -> int:
        return self.a * 2


class Roots(pydantic.RootModel[list[int]]):
    pass


class Old(pydantic.BaseModel):
    kept: int = 1
    gone: int = pydantic.Field(2, deprecated=True)


class Open(pydantic.BaseModel, extra="allow"):
    pass


class Client:
    """An object that evidence cannot hold."""


class Hostile:
    def __repr__(self) -> str:
        raise RuntimeError("repr fails")

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("eq fails")

    __hash__ = None  # type: ignore[assignment]


class Text(str):
    def __str__(self) -> str:
        return "something else"


NODE = Point(1)
NODE.y = NODE
CYCLE: dict[str, Any] = {"name": "self"}
CYCLE["me"] = CYCLE
DEEP: list[Any] = []
for _ in range(5000):
    DEEP = [DEEP]

KEPT: dict[str, tuple[object, object]] = {
    "text": ("text", "text"),
    "empty text": ("", ""),
    "null": (None, None),
    "false": (False, False),
    "zero": (0, 0),
    "text of a subclass": (Text("kept"), "kept"),
    "json text": ('{"text": "fox"}', '{"text": "fox"}'),
    "lines": ("first\n\n   fox\n", "first\n\n   fox\n"),
    "path-like text": ("/etc/hostname", "/etc/hostname"),
    "lone surrogate": ("cut \ud83d", "cut \ud83d"),
    "nul": ("a\x00b", "a\x00b"),
    "large integer": (10**400, 10**400),
    "decimal": (decimal.Decimal("0.10"), "0.10"),
    "fraction": (fractions.Fraction(1, 3), "1/3"),
    "list": (["a", "fox"], ["a", "fox"]),
    "tuple": ((1, 2), [1, 2]),
    "deque": (collections.deque([1, 2]), [1, 2]),
    "range": (range(3), [0, 1, 2]),
    "set": ({3, 1, 2}, [1, 2, 3]),
    "mixed set": ({"b", 2, "a", 1.5, None}, [1.5, 2, "a", "b", None]),
    "set of tuples": (frozenset({(2, 1), (1, 2)}), [[1, 2], [2, 1]]),
    "keys": ({"b": 1}.keys(), ["b"]),
    "date": (dt.date(2026, 1, 2), "2026-01-02"),
    "naive": (dt.datetime(2026, 1, 2, 3, 4), "2026-01-02T03:04:00"),
    "aware": (dt.datetime(2026, 1, 2, 3, 4, tzinfo=dt.UTC), "2026-01-02T03:04:00+00:00"),
    "time": (dt.time(3, 4), "03:04:00"),
    "timedelta": (dt.timedelta(days=1.5), 129600.0),
    "enum": (Colour.RED, 1),
    "int enum": (Level.LOW, 0),
    "str enum": (Mood.GLAD, "glad"),
    "enum of a tuple": (Size.BIG, [2, 3]),
    "uuid": (uuid.UUID(int=7), "00000000-0000-0000-0000-000000000007"),
    "path": (pathlib.PurePosixPath("/tmp/x"), "/tmp/x"),
    "dataclass": (Point(1, Point(2)), {"x": 1, "y": {"x": 2, "y": None}}),
    "attrs": (Spot(1), {"x": 1, "tags": ["den", "fox"]}),
    "named tuple": (Pair(1, "b"), {"a": 1, "b": "b"}),
    "int keys": ({1: "a", 2: "b"}, {"1": "a", "2": "b"}),
    "other keys": ({None: 1, True: 2, 1.5: 3}, {"null": 1, "true": 2, "1.5": 3}),
    "enum keys": ({Colour.RED: 1}, {"1": 1}),
    "date keys": ({dt.date(2026, 1, 2): 1}, {"2026-01-02": 1}),
    "uuid keys": ({uuid.UUID(int=7): 1}, {"00000000-0000-0000-0000-000000000007": 1}),
    "counter": (collections.Counter("aab"), {"a": 2, "b": 1}),
    "ordered": (collections.OrderedDict([("b", 1), ("a", 2)]), {"b": 1, "a": 2}),
    "mapping proxy": (types.MappingProxyType({"a": 1}), {"a": 1}),
    "float32": (np.float32(0.5), 0.5),
    "float64": (np.float64(2.5), 2.5),
    "int64": (np.int64(5), 5),
    "bool_": (np.bool_(True), True),
    "long double": (np.longdouble(1.5), 1.5),
    "array": (np.arange(4).reshape(2, 2), [[0, 1], [2, 3]]),
    "array of objects": (np.array([{"a": np.int8(1)}, None], dtype=object), [{"a": 1}, None]),
    "datetime64": (np.datetime64("2026-01-02"), "2026-01-02"),
    "numpy in a dict": ({"acc": np.float32(0.5)}, {"acc": 0.5}),
    "numpy keys": ({np.int64(3): 1}, {"3": 1}),
    "pydantic": (Model(), {"a": 1, "when": "2026-01-02", "secret": "**********", "shown": "5 km", "double": 2}),
    "pydantic root": (Roots([1, 2]), [1, 2]),
    "pydantic deprecated": (Old(), {"kept": 1, "gone": 2}),
    "pydantic without validation": (Old.model_construct(), {"kept": 1, "gone": 2}),
    "attrs subclass": (type("Sub", (Spot,), {})(2), {"x": 2, "tags": ["den", "fox"]}),
    "pydantic extra": (Open(a=1, b=[2]), {"a": 1, "b": [2]}),
    "pydantic url": (pydantic.TypeAdapter(pydantic.AnyUrl).validate_python("https://a.b/"), "https://a.b/"),
}


def of_exactly(kind: type, value: object) -> bool:
    return type(value) is kind or (kind in (list, dict) and isinstance(value, kind))


@pytest.mark.parametrize("name", KEPT)
def test_a_value_with_a_json_form_is_kept_as_that(name: str) -> None:
    value, expected = KEPT[name]
    evidence = snapshot(value)
    assert evidence.output == expected
    assert of_exactly(type(expected), evidence.output)
    assert evidence.to_json() == expected
    json.dumps(evidence.to_json(), allow_nan=False)


REFUSED: dict[str, tuple[object, str]] = {
    "nan": (float("nan"), r"output is the float nan.*@adapt\(float\)"),
    "infinity": ([1, float("-inf")], r"output\[1\] is the float -inf"),
    "decimal nan": ({"a": decimal.Decimal("NaN")}, r"output\.a is the Decimal 'NaN'.*@adapt\(Decimal\)"),
    "numpy nan": ({"acc": np.float64("nan")}, r"output\.acc is the float nan"),
    "array nan": (np.array([1.0, np.inf]), r"output\[1\] is the float inf"),
    "complex": (1 + 2j, r"output is of type complex, which has no JSON form: declare @adapt\(complex\)"),
    "numpy complex": (np.complex64(1), r"@adapt\(complex64\)"),
    "huge integer": (10**5000, r"output is an int of more than 4300 digits"),
    "huge negative": ([-(10**4300)], r"output\[0\] is an int of more than 4300 digits"),
    "regex": (re.compile("a+"), r"re\.Pattern.*@adapt\(Pattern\)"),
    "exception": (ValueError("as a value"), r"ValueError, which is an exception.*raise it"),
    "class": (int, "a class and not an instance"),
    "model class": (Model, "a class and not an instance"),
    "ellipsis": (..., r"type ellipsis"),
    "function": ({"f": print}, r"output\.f .*which is a function"),
    "partial": (functools.partial(print), r"functools\.partial.*@adapt\(partial\)"),
    "module": (json, "which is a module"),
    "map": (map(str.upper, ["a"]), r"type map, which can be read only once.*return list"),
    "generator inside": ({"g": (i for i in range(3))}, r"output\.g is of type generator"),
    "file": (io.StringIO("fox"), r"which is an open file.*return its text"),
    "object": ({"client": Client()}, r"output\.client is of type .*Client.*declare @adapt\(Client\)"),
    "hostile": ([{"deep": [Hostile()]}], r"output\[0\]\.deep\[0\] is of type .*Hostile.*@adapt\(Hostile\)"),
    "odd key in the place": ({"a b": {"c": Client()}}, r"output\['a b'\]\.c is of type"),
    "colliding keys": ({1: "a", "1": "b"}, r"two keys that both become the text '1'.*@adapt\(dict\)"),
    "colliding words": ({None: "a", "null": "b"}, "both become the text 'null'"),
    "tuple keys": ({(1, 2): "x"}, r"a key of type tuple.*@adapt\(dict\)"),
    "cycle": (CYCLE, r"output\.me is a dict that contains itself"),
    "dataclass cycle": (NODE, r"output\.y is a Point that contains itself.*@adapt\(Point\)"),
    "deep": (DEEP, "nested more than 100 levels deep"),
    "endless range": (range(10**12), "a range of 1000000000000 numbers"),
    "enum of an object": ({Size.BIG: 1}, "an enum whose value is not a scalar"),
    "attribute that is not set": (Spot.__new__(Spot), "has a field that is not set"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_value_without_a_json_form_is_an_error_that_names_type_place_and_cure(name: str) -> None:
    value, message = REFUSED[name]
    with pytest.raises(EvidenceError, match=message) as caught:
        snapshot(value)
    assert " at 0x" not in str(caught.value)


def test_a_coroutine_inside_a_value_is_an_error() -> None:
    async def hello() -> str:
        return "Hello"

    pending = hello()
    with pytest.raises(EvidenceError, match=r"output\.answer is of type coroutine, which was not awaited"):
        snapshot({"answer": pending})
    pending.close()


def test_the_same_object_twice_is_no_cycle() -> None:
    shared = {"a": [1]}
    assert snapshot([shared, shared]).output == [{"a": [1]}, {"a": [1]}]


def test_a_hundred_levels_are_kept() -> None:
    value: Any = "x"
    for _ in range(100):
        value = [value]
    assert snapshot(value).output == value
    with pytest.raises(EvidenceError, match="more than 100 levels"):
        snapshot([value])


def test_evidence_is_a_frozen_snapshot() -> None:
    value: dict[str, Any] = {"items": [1], "point": Point(1)}
    evidence = snapshot(value)
    value["items"].append(2)
    value["point"].x = 5
    assert evidence.output == {"items": [1], "point": {"x": 1, "y": None}}
    with pytest.raises(TypeError, match="frozen"):
        evidence.output["items"].append(3)


@pytest.mark.parametrize("data", [b"a quick fox", bytearray(b"a quick fox"), memoryview(b"a quick fox")])
def test_bytes_become_an_attachment(data: bytes) -> None:
    evidence = snapshot({"file": data})
    assert evidence.attachments == (Attachment(b"a quick fox", "text/plain"),)
    assert evidence.output["file"] == evidence.attachments[0].descriptor


def test_an_attachment_that_is_met_twice_travels_once() -> None:
    evidence = snapshot([Attachment(b"fox"), Attachment(b"fox"), Attachment(b"fox", name="x")])
    assert len(evidence.attachments) == 2


# Adapters of the user


class Base:
    text = "base"


class Child(Base):
    pass


def test_the_nearest_base_class_wins() -> None:
    assert snapshot(Child(), [{Base: lambda value: "of Base", object: lambda value: "of object"}]).output == "of Base"
    assert snapshot(Child(), [{Base: lambda v: "of Base", Child: lambda v: "of Child"}]).output == "of Child"


def test_the_evaluation_s_own_adapters_come_first() -> None:
    own, shared = {Base: lambda value: "own"}, {Child: lambda value: "shared"}
    assert snapshot(Child(), [own, shared]).output == "own"
    assert snapshot(Child(), [{}, shared]).output == "shared"


def test_adapters_apply_to_values_inside_other_values() -> None:
    value = {"list": [Child()], "point": Point(Child()), "set": {Colour.RED}}  # type: ignore[arg-type]
    evidence = snapshot(value, [{Base: lambda value: value.text, Colour: lambda value: value.name}])
    assert evidence.output == {"list": ["base"], "point": {"x": "base", "y": None}, "set": ["RED"]}


def test_the_user_s_adapters_win_over_built_in_ones() -> None:
    declared: list[dict[type, Callable[[Any], Any]]] = [
        {Point: lambda p: f"({p.x})", str: str.upper, float: lambda f: None, Conversation: lambda c: len(c.messages)}
    ]
    assert snapshot(Point(3), declared).output == "(3)"
    assert snapshot("fox", declared).output == "FOX"
    assert snapshot(["fox", float("nan")], declared).output == ["FOX", None]
    assert snapshot(Conversation([Message("user", "a")]), declared).output == 1


def test_models_inside_models_are_adapted_too() -> None:
    class Outer(pydantic.BaseModel):
        inner: Model

    assert snapshot(Outer(inner=Model()), [{Model: lambda m: "inner"}]).output == {"inner": "inner"}


def test_what_an_adapter_returns_is_converted_again() -> None:
    declared: list[dict[type, Callable[[Any], Any]]] = [
        {Client: lambda value: Child(), Base: lambda value: Point(7), Point: lambda value: {value.x}}
    ]
    assert snapshot(Client(), declared).output == [7]


def test_adapters_that_return_each_other_s_types_end() -> None:
    declared: list[dict[type, Callable[[Any], Any]]] = [{Client: lambda v: Base(), Base: lambda v: Client()}]
    with pytest.raises(EvidenceError, match=r"@adapt\((Client|Base)\)"):
        snapshot(Client(), declared)


def test_an_adapter_that_wraps_a_new_object_each_time_ends() -> None:
    with pytest.raises(EvidenceError, match="more than 100 levels"):
        snapshot(Client(), [{Client: lambda value: {"next": Client()}}])


def test_an_adapter_for_an_abstract_class_takes_what_is_registered_with_it() -> None:
    assert snapshot(map(str, [1, 2]), [{collections.abc.Iterator: list}]).output == ["1", "2"]


def test_an_adapter_runs_once_for_each_value() -> None:
    seen: list[int] = []

    def adapt(value: Point) -> object:
        seen.append(value.x)
        return value.x

    assert snapshot([Point(1), Point(2)], [{Point: adapt}]).output == [1, 2]
    assert seen == [1, 2]
    assert snapshot(Point(3), [{Point: adapt}]).output == 3
    assert seen == [1, 2, 3]


def test_an_async_adapter_is_an_error() -> None:
    async def adapt(value: object) -> object:
        return value

    with pytest.raises(EvidenceError, match="the adapter for Client is async"):
        snapshot(Client(), [{Client: adapt}])


def test_an_exception_in_an_adapter_reaches_the_caller_as_it_is() -> None:
    def adapt(value: object) -> object:
        raise KeyError("the adapter's own mistake")

    with pytest.raises(KeyError, match="own mistake"):
        snapshot(Client(), [{Client: adapt}])


def test_an_adapter_may_return_a_conversation_or_evidence() -> None:
    spoken = Conversation([Message("user", "hi"), Message("assistant", "hello", [ToolCall(name="wave")])])
    evidence = snapshot(Client(), [{Client: lambda value: spoken}])
    assert (evidence.output, evidence.completeness) == ("hello", "waiting")
    whole = Evidence(output=3)
    assert snapshot(Client(), [{Client: lambda value: whole}]) is whole


def test_an_adapter_for_object_takes_only_what_is_not_known() -> None:
    declared: list[dict[type, Callable[[Any], Any]]] = [{object: lambda value: f"some {type(value).__name__}"}]
    assert snapshot([Client(), "text", 1, {"a": Point(1)}], declared).output == [
        "some Client",
        "text",
        1,
        {"a": {"x": 1, "y": None}},
    ]


# Lists of message objects


def test_a_list_of_objects_that_are_no_messages_stays_a_list() -> None:
    for value in (
        [{"role": "admin", "name": "Bob"}],
        [{"role": "admin", "content": "Bob"}],
        [{"role": "user", "content": "a"}, {"name": "b"}],
        [{"type": "circle", "r": 1}],
        [{"type": "phone_call", "to": "Bob"}],
        [{"role": 3, "content": "a"}],
    ):
        evidence = snapshot(value)
        assert evidence.output == value
        assert evidence.messages is None


def test_a_list_of_message_objects_inside_a_value_is_shown_as_it_is_and_gives_its_calls() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "lookup", "arguments": "{}"}}
    rows = [{"role": "user", "content": "hi", "at": 3}, {"role": "assistant", "content": None, "tool_calls": [call]}]
    evidence = snapshot({"rows": rows})
    assert evidence.output == {"rows": rows}
    assert [call.name for call in evidence.tool_calls] == ["lookup"]
    assert evidence.completeness == "waiting"


def test_the_process_s_hash_seed_does_not_change_the_order_of_sets() -> None:
    code = "from llmeval.adapters import snapshot; print(snapshot({'b', 'a', 'c', (1, 'x'), 2, None}).output)"
    runs = {
        subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert len(runs) == 1


def test_converting_plain_values_imports_nothing_heavy() -> None:
    code = (
        "import sys; from llmeval.adapters import snapshot; snapshot({'a': [1, 'x', {2}]});"
        "print([m for m in ('asyncio', 'openai', 'pydantic', 'numpy', 'attrs', 'httpx') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@settings(max_examples=100, deadline=None)
@given(JSON)
def test_json_is_evidence_as_it_is_and_reads_back(value: Any) -> None:
    untouched = copy.deepcopy(value)
    evidence = snapshot(value)
    again = Evidence.from_json(json.loads(json.dumps(evidence.to_json())))
    assert value == untouched
    if evidence.messages is None:
        assert evidence.to_json() == value
    assert again.to_json() == evidence.to_json()
