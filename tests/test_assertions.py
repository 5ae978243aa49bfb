"""Plain asserts in hooks: counted and explained wherever the hook is written."""

import ast
import asyncio
import contextlib
import functools
import gc
import inspect
import linecache
import subprocess
import sys
import textwrap
import traceback
import weakref
from types import SimpleNamespace

import pytest

from llmeval.assertions import AssertionMethods, Tally, counting, counts_as_one, instrument
from llmeval.assertions.tally import CURRENT


def failure(function, *arguments):
    """Instruments and calls a function that must fail; returns the lines of its failure and the count."""
    instrument(function)
    with counting() as tally, pytest.raises(AssertionError) as caught:
        function(*arguments)
    return str(caught.value).split("\n"), tally.count


def passes(function, *arguments):
    """Instruments and calls a function that must pass; returns the count."""
    assert instrument(function)
    with counting() as tally:
        function(*arguments)
    return tally.count


def declared(source, name="hook", filename="<cell-1>", **names):
    """Returns a function declared as a notebook does: executed code whose lines linecache knows."""
    text = textwrap.dedent(source)
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    exec(compile(text, filename, "exec", dont_inherit=True), names)
    return names[name]


# What a failure says


def test_a_comparison_says_both_operands_and_where_they_come_from():
    def hook(attempt):
        assert "lookup_order" in attempt.tool_names

    lines, _ = failure(hook, SimpleNamespace(tool_names=["search", "reply"]))
    place = f"tests/test_assertions.py:{hook.__code__.co_firstlineno + 1}"
    assert lines == [
        "assert \"lookup_order\" in ['search', 'reply']",
        "  where attempt.tool_names = ['search', 'reply']",
        "  where attempt = namespace(tool_names=['search', 'reply'])",
        f'{place}: assert "lookup_order" in attempt.tool_names',
    ]


def test_the_authors_message_comes_first():
    def hook(total):
        assert total == 12.5, f"shipping is missing from {total}"

    lines, _ = failure(hook, 12)
    assert lines[:2] == ["shipping is missing from 12", "assert 12 == 12.5"]


def test_the_message_is_made_only_when_the_assert_fails():
    def hook(made):
        assert made == [], made.append(1)

    made = []
    assert passes(hook, made) == 1
    assert made == []


@pytest.mark.parametrize(
    ("expression", "first"),
    [
        ("a == b", "assert 1 == 2"),
        ("a != 1", "assert 1 != 1"),
        ("a > b >= 0", "assert 1 > 2 >= 0"),
        ("not a", "assert not 1"),
        ("not (a and b)", "assert not (1 and 2)"),
        ("a == 1 and b == 1", "assert 1 == 1 and 2 == 1"),
        ("a == 2 and b == 1", "assert 1 == 2 and b == 1"),
        ("a == 2 or not b", "assert 1 == 2 or not 2"),
        ("a is None", "assert 1 is None"),
        ("a is not a", "assert 1 is not 1"),
        ("b not in [a, b]", "assert 2 not in [1, 2]"),
        ("f(a, b=b) == 4", "assert 3 == 4"),
        ("f(*[a], **{'b': b}) == -1", "assert 3 == -1"),
        ("(a if b else missing) == b", "assert 1 == 2"),
        ("(n := a + b) == 4 and missing", "assert 3 == 4 and missing"),
        ("texts[0].startswith('x')", "assert False"),
        ("texts[0][1:] == 'x'", "assert 'b' == 'x'"),
        ("f'{a}!' == 'x'", "assert '1!' == 'x'"),
        ("any(text == 'x' for text in texts)", "assert False"),
        ("(lambda: 0)()", "assert 0"),
        ("a - b + a", "assert 0"),
        ("None", "assert None"),
        ("0", "assert 0"),
        ("[]", "assert []"),
        ("()", "assert ()"),
    ],
)
def test_the_first_line_has_values_in_the_place_of_names(expression, first):
    hook = declared(f"def hook(a, b, texts):\n    assert {expression}\n", f=lambda a, b: a + b)
    lines, count = failure(hook, 1, 2, ["ab"])
    assert lines[0] == first
    assert lines[-1] == f"<cell-1>:2: assert {expression}"
    assert count == 1


def test_the_values_of_inner_parts_are_listed():
    def hook(answer):
        assert answer.text.lower().startswith(answer.prefixes[0])

    lines, _ = failure(hook, SimpleNamespace(text="HELLO", prefixes=["bye"]))
    assert lines[:6] == [
        "assert False",
        "  where answer.text.lower().startswith(answer.prefixes[0]) = False",
        "  where answer.text.lower() = 'hello'",
        "  where answer.text = 'HELLO'",
        "  where answer = namespace(text='HELLO', prefixes=['bye'])",
        "  where answer.prefixes[0] = 'bye'",
    ]


def test_an_expression_over_several_lines_is_shown_on_one_at_its_first_line():
    def hook(values):
        assert (
            values.first  # the first
            == values.second
        ), "they differ"

    lines, _ = failure(hook, SimpleNamespace(first=1, second=2))
    first_line = hook.__code__.co_firstlineno + 1
    assert lines[:2] == ["they differ", "assert 1 == 2"]
    assert lines[-1] == f"tests/test_assertions.py:{first_line}: assert values.first == values.second"


@pytest.mark.parametrize(
    ("left", "right", "said"),
    [
        ([1, 2, 3], [1, 5], ["at index 1: 2 != 5", "left has 1 more, from index 2 on: 3"]),
        ((1,), (1, 2, 3), ["right has 2 more, from index 1 on: 2"]),
        ({"a": 1, "b": 2}, {"a": 3, "c": 4}, ["at 'a': 1 != 3", "only left has 'b': 2", "only right has 'c': 4"]),
        ({1, 2}, {2, 3}, ["only left has 1", "only right has 3"]),
        ("a\nb\nc", "a\nB\nc", ["from line 1 on, left (-) and right (+):", " a", "-b", "+B", " c"]),
        ("x" * 100 + "left", "x" * 100 + "right", [f"from character 100 on: '{'x' * 30}left' != '{'x' * 30}right'"]),
        ("ab", "ac", []),
        (1, 2, []),
    ],
)
def test_values_that_should_be_equal_are_told_apart(left, right, said):
    def hook(left, right):
        assert left == right

    lines, _ = failure(hook, left, right)
    assert lines[1:-1] == [f"  {line}" for line in said]


def test_long_differences_and_long_values_are_bounded():
    def hook(left, right):
        assert left == right

    lines, _ = failure(hook, dict.fromkeys(range(5000), "x" * 10_000), {})
    assert len(lines) < 30
    assert max(map(len, lines)) < 500
    assert lines[-2] == "  …"


class Hostile:
    def __init__(self, error):
        self.error = error

    def __repr__(self):
        raise self.error

    __str__ = __eq__ = __repr__
    __hash__ = None


@pytest.mark.parametrize("error", [ValueError("no"), SystemExit(3), RecursionError()])
def test_a_value_whose_repr_raises_is_shown_by_its_type(error):
    def hook(value, values):
        assert value in values, "hostile"

    lines, _ = failure(hook, Hostile(error), [])
    assert lines[1] == f"assert <Hostile whose repr raises {type(error).__name__}> in []"


def test_a_hostile_message_or_element_does_not_hide_the_assert():
    def message(value):
        assert not value, value

    def elements(left, right):
        assert left == right

    lines, _ = failure(message, Hostile(ValueError()))
    assert lines[0] == "<Hostile whose repr raises ValueError>"
    lines, _ = failure(elements, [1, Hostile(ValueError())], [2, 3])
    assert lines[0] == "assert [1, <Hostile whose repr raises ValueError>] == [2, 3]"
    lines, _ = failure(elements, 10**5000, 1)
    assert lines[0] == "assert <int whose repr raises ValueError> == 1"


def test_the_attempt_itself_and_functions_are_not_listed_as_values():
    class Attempt(AssertionMethods):
        output = 1

        def __repr__(self):
            return "A"

    def hook(attempt, check):
        assert check(attempt.output)

    lines, _ = failure(hook, Attempt(), lambda output: output == 2)
    assert lines[1:-1] == ["  where check(attempt.output) = False", "  where attempt.output = 1"]


# What an assert does beside failing


def test_an_exception_inside_an_assert_stays_itself_and_counts_nothing():
    def hook():
        assert {}["missing"] == 1

    instrument(hook)
    with counting() as tally, pytest.raises(KeyError, match="missing"):
        hook()
    assert tally.count == 0


def test_the_failure_is_a_plain_assertion_error_raised_by_the_hook_itself():
    def hook():
        assert False  # noqa: B011

    instrument(hook)
    with pytest.raises(AssertionError) as caught:
        hook()
    assert type(caught.value) is AssertionError
    frames = traceback.extract_tb(caught.value.__traceback__)
    assert [(frame.name, frame.lineno) for frame in frames[1:]] == [("hook", hook.__code__.co_firstlineno + 1)]


def test_a_shadowed_assertion_error_does_not_matter():
    hook = declared("AssertionError = KeyError\ndef hook():\n    assert 1 == 2\n", filename="<cell-2>")
    assert failure(hook)[0][0] == "assert 1 == 2"


def test_objects_of_a_passed_assert_are_not_kept_alive():
    class Thing:
        pass

    seen = []

    def hook():
        assert seen.append(weakref.ref(thing := Thing())) is None and thing  # noqa: RUF018 - works in asserts
        del thing
        gc.collect()
        seen.append(seen[0]())

    assert passes(hook) == 1
    assert seen[1] is None


def test_asserts_everywhere_in_a_function_are_counted():
    def hook(items):
        for item in items:
            assert item
        else:
            assert True
        try:
            assert items
        except ValueError:
            raise
        else:
            assert items
        finally:
            assert items
        with contextlib.nullcontext():
            assert items
        while items:
            assert items.pop()
        match items:
            case []:
                assert True
        if items:
            raise ValueError
        elif not items:  # noqa: RET506 - an elif is wanted
            assert True

        def inner():
            assert True

        class Inner:
            """Text."""

            assert [1] == [1]
            names = tuple(name for name in locals() if "@" in name)

        inner()
        assert Inner.names == ()
        assert "@" not in "".join(vars(Inner))

    assert passes(hook, [1, 2]) == 2 + 1 + 3 + 1 + 2 + 1 + 1 + 1 + 1 + 2


def test_an_assert_in_the_body_of_an_enum_adds_no_member():
    hook = declared(
        """
        import enum

        def hook():
            class Mood(enum.Enum):
                assert 1 == 1
                GOOD = "good"
                assert len(GOOD) == 4 and GOOD
            return [mood.name for mood in Mood]
        """,
        filename="<cell-3>",
    )
    instrument(hook)
    with counting() as tally:
        assert hook() == ["GOOD"]
    assert tally.count == 2


def test_an_assert_of_a_tuple_is_always_true_and_counts_nothing():
    with pytest.warns(SyntaxWarning, match="assertion is always true"):
        hook = declared("def hook():\n    assert (1 == 2, 'never')\n", filename="<cell-4>")
    assert passes(hook) == 0


# Counting


def test_outside_of_a_trial_asserts_are_explained_and_not_counted():
    def hook(value):
        assert value == 1

    instrument(hook)
    assert CURRENT.get() is None
    hook(1)
    with pytest.raises(AssertionError, match="assert 2 == 1"):
        hook(2)


def test_a_tally_can_be_given_and_the_one_before_comes_back():
    def hook():
        assert True

    instrument(hook)
    outer = Tally()
    with counting(outer) as same:
        assert same is outer
        hook()
        with counting() as inner:
            hook()
        hook()
    assert (outer.count, inner.count) == (2, 1)
    assert CURRENT.get() is None


def test_tasks_and_threads_that_copy_the_context_count_on_the_same_tally():
    async def hook():
        def in_thread():
            assert True

        assert await asyncio.sleep(0, result=True)
        await asyncio.gather(asyncio.to_thread(in_thread), asyncio.create_task(asyncio.sleep(0)))

    instrument(hook)
    with counting() as tally:
        asyncio.run(hook())
    assert tally.count == 2


@pytest.mark.parametrize(
    ("body", "counts"),
    [
        ("pass", False),
        ("...", False),
        ("return", False),
        ("return None", False),
        ("'''Text.'''", False),
        ("'''Text.'''\n    pass\n    pass", False),
        ("return 0", True),
        ("return attempt", True),
        ("attempt.check()", True),
        ("assert attempt", True),
        ("'''Text.'''\n    attempt = 1", True),
        ("yield", True),
    ],
)
@pytest.mark.parametrize("kind", ["def", "async def"])
def test_a_hook_counts_as_one_when_its_body_does_something(kind, body, counts):
    hook = declared(f"{kind} hook(attempt):\n    {body}\n", filename="<cell-5>")
    assert counts_as_one(hook) is counts
    assert instrument(hook)
    assert counts_as_one(hook) is counts
    assert counts_as_one(functools.partial(hook, 1)) is counts


def test_no_hook_counts_nothing_and_a_callable_without_code_counts_as_one():
    assert counts_as_one(None) is False
    assert counts_as_one(print) is True


# Wherever the hook is written


def test_the_function_stays_the_same_object():
    def hook(value, *, other=2):
        """Text."""
        assert value == other

    before = hook
    names = (hook.__qualname__, hook.__module__, hook.__doc__, hook.__kwdefaults__, inspect.signature(hook))
    source = inspect.getsource(hook)
    assert instrument(hook)
    assert hook is before
    assert names == (hook.__qualname__, hook.__module__, hook.__doc__, hook.__kwdefaults__, inspect.signature(hook))
    assert inspect.getsource(hook) == source


def test_instrumenting_again_changes_nothing():
    def hook():
        assert True

    assert instrument(hook)
    code = hook.__code__
    assert instrument(hook)
    assert hook.__code__ is code
    assert passes(hook) == 1


def test_closures_see_and_change_their_variables():
    limit, seen = 3, 0

    def hook(value):
        nonlocal seen
        seen += 1
        assert value < limit

    assert passes(hook, 2) == 1
    limit = 1
    assert failure(hook, 2)[0][0] == "assert 2 < 1"
    assert seen == 2


def test_functions_of_one_name_are_told_apart():
    def make(first):
        if first:

            def hook(value):
                assert value == "first"
        else:

            def hook(value):
                assert value == "second"

        return hook

    assert failure(make(True), 0)[0][0] == 'assert 0 == "first"'
    assert failure(make(False), 0)[0][0] == 'assert 0 == "second"'


def logged(function):
    @functools.wraps(function)
    def wrapper(*arguments):
        assert arguments
        return function(*arguments)

    return wrapper


def test_decorated_functions_and_partials_are_found():
    @logged
    @logged
    @functools.cache
    def hook(value):
        assert value == 1

    assert passes(hook, 1) == 3
    assert passes(functools.partial(functools.partial(hook), 1)) == 2, "the cached call runs no assert again"


def test_lambdas_and_builtins_and_mocks_are_left_alone():
    from unittest.mock import Mock

    function = lambda: 1  # noqa: E731
    code = function.__code__
    assert instrument(function)
    assert function.__code__ is code
    assert instrument(print)
    assert instrument(Mock())


def test_async_functions_and_generators_are_counted():
    async def hook(value):
        assert await asyncio.sleep(0, result=value) == 1
        return "done"

    def generator():
        assert (yield 1) == "sent"
        assert True

    async def agen():
        assert True
        yield 1

    async def collect():
        return [await hook(1), [each async for each in agen()]]

    for function in (hook, generator, agen):
        assert instrument(function)
    with counting() as tally:
        assert asyncio.run(collect()) == ["done", [1]]
        running = generator()
        assert next(running) == 1
        with pytest.raises(StopIteration):
            running.send("sent")
    assert tally.count == 4
    lines, _ = failure(lambda: asyncio.run(hook(2)))
    assert lines[:2] == ["assert 2 == 1", "  where await asyncio.sleep(0, result=value) = 2"]


class Base:
    def setup(self):
        assert self.ready

    def helper(self):
        assert True


class Form(Base):
    ready = True
    limit = 3

    def perform(self, value):
        assert value < self.limit
        return value

    def assertions(self):
        super().setup()
        self.check(2)
        self.checked_static(2)
        self.checked_class(2)
        assert self.name == "form"
        self.helper()
        self.Nested().check()

    def check(self, value):
        assert super().helper() is None
        assert value == 2

    @staticmethod
    def checked_static(value):
        assert value == 2

    @classmethod
    def checked_class(cls, value):
        assert value < cls.limit

    @property
    def name(self):
        assert True
        return "form"

    class Nested:
        def check(self):
            assert True


def test_every_method_of_a_class_is_counted():
    assert instrument(Form)
    form = Form()
    with counting() as tally:
        form.perform(1)
        assert tally.count == 1
        form.assertions()
    assert tally.count == 1 + 1 + 3 + 1 + 1 + 2 + 1 + 1


def test_the_methods_of_a_library_are_not_touched():
    class Hook(contextlib.ExitStack):
        close_all = contextlib.ExitStack.close

        def assertions(self):
            assert True

    codes = {name: getattr(each, "__code__", None) for name, each in vars(contextlib.ExitStack).items()}
    assert instrument(Hook)
    assert {name: getattr(each, "__code__", None) for name, each in vars(contextlib.ExitStack).items()} == codes
    assert passes(Hook().assertions) == 1


def test_a_hook_in_a_notebook_cell_is_counted():
    hook = declared("x = 1\n\ndef hook(value):\n    assert value == x\n", filename="<ipython-input-1-abc>")
    assert passes(hook, 1) == 1
    assert failure(hook, 2)[0] == ["assert 2 == 1", "<ipython-input-1-abc>:4: assert value == x"]


def test_a_module_imported_in_another_statement_of_the_cell_does_not_matter():
    source = (
        "import re\nif re:\n    import json\n\ndef hook(value):\n    assert re.match('a', value) and json.loads('1')\n"
    )
    for filename, units in (("<cell-12>", [source]), ("<cell-13>", ast.parse(source).body)):
        linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
        names = {}
        for unit in units:
            exec(compile(unit if unit is source else ast.Module([unit], []), filename, "exec"), names)
        assert passes(names["hook"], "ab") == 1


def test_a_hook_without_source_keeps_plain_asserts():
    names = {}
    exec("def hook(value):\n    assert value == 1, 'plain'\n", names)
    assert instrument(names["hook"]) is False
    with counting() as tally, pytest.raises(AssertionError, match=r"^plain$"):
        names["hook"](2)
    assert tally.count == 0


@pytest.mark.parametrize(
    "text", ["def hook(value):\n    assert value == 2\n", "x = 'assert'\n", "def hook(:\n assert", "\n\n\n#assert"]
)
def test_a_file_that_changed_since_it_was_imported_is_not_mistaken_for_the_source(text):
    hook = declared("def hook(value):\n    assert value == 1\n", filename="<cell-6>")
    linecache.cache["<cell-6>"] = (len(text), None, text.splitlines(keepends=True), "<cell-6>")
    assert instrument(hook) is False
    hook(1)
    with pytest.raises(AssertionError):
        hook(2)


def test_future_annotations_stay_text():
    hook = declared(
        """
        from __future__ import annotations

        def hook(value):
            def inner(x: missing) -> None: ...
            assert value
            return inner.__annotations__
        """,
        filename="<cell-7>",
    )
    assert instrument(hook)
    assert hook(1) == {"x": "missing", "return": "None"}
    assert passes(hook, 1) == 1


def test_a_warning_of_the_source_is_not_given_twice():
    with pytest.warns(SyntaxWarning):
        hook = declared("def hook(value):\n    assert value is 1 or 1\n", filename="<cell-8>")
    assert passes(hook, 1) == 1


def test_names_of_other_scripts_and_private_names_work():
    hook = declared(
        """
        class Form:
            __größe = 3
            def hook(self):
                assert self.__größe == 4, "ß"
        """,
        name="Form",
        filename="<cell-9>",
    )
    lines, _ = failure(hook().hook)
    assert lines[:3] == ["ß", "assert 3 == 4", "  where self.__größe = 3"]


def test_asserts_run_and_are_counted_under_python_o(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        textwrap.dedent(
            """
            import re
            from llmeval.assertions import counting, instrument

            def hook(value):
                assert value == 1
                assert re.match("a", "a")
                return __debug__

            print(instrument(hook))
            with counting() as tally:
                print(hook(1), tally.count)
            try:
                hook(2)
            except AssertionError as failure:
                print(failure)
            """
        )
    )
    run = subprocess.run([sys.executable, "-OO", str(script)], capture_output=True, text=True, check=True)
    assert run.stdout.split("\n")[:4] == ["True", "False 2", "assert 2 == 1", f"{script}:6: assert value == 1"]


# Debuggers


def lines_of(function, *arguments):
    seen = []

    def trace(frame, event, argument):
        if frame.f_code.co_filename != function.__code__.co_filename:
            return None
        if event == "line":
            seen.append(frame.f_lineno - function.__code__.co_firstlineno)
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        with contextlib.suppress(AssertionError):
            function(*arguments)
    finally:
        sys.settrace(before)
    return seen


SOURCE = """
def hook(value):
    x = value
    assert x == 1
    assert not (x == 2 and x), "never"
    for y in [1, 2]:
        assert y > 0
    assert x in {1: 2} or x < y, str(x)
    return x
"""


@pytest.mark.parametrize("value", [1, 2])
def test_a_debugger_stops_at_the_same_lines(value):
    hook = declared(SOURCE, filename="<cell-10>")
    plain = lines_of(hook, value)
    assert instrument(hook)
    assert lines_of(hook, value) == plain
    assert len(plain) == (10 if value == 1 else 2)


def test_a_debugger_stops_in_an_assert_over_several_lines_at_its_own_lines():
    hook = declared(
        """\
        def hook(a, b):
            assert (
                a ==
                b
            ) and a, (
                "text"
            )
            assert (a
                    and b)
            return a
        """,
        filename="<cell-11>",
    )
    plain = {line for _, _, line in hook.__code__.co_lines()}
    assert instrument(hook)
    assert {line for _, _, line in hook.__code__.co_lines()} - plain <= {2, 8}, "the first lines of the asserts"
    assert set(lines_of(hook, 1, 1)) - {1} == {2, 3, 4, 7, 8, 9}


def test_pdb_steps_through_an_instrumented_hook(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        textwrap.dedent(
            """
            from llmeval.assertions import instrument

            def hook(value):
                assert value == 1
                assert value == 2
                return value

            instrument(hook)
            hook(1)
            """
        )
    )
    commands = "b 6\nc\np value\nn\nq\n"
    run = subprocess.run(
        [sys.executable, "-m", "pdb", str(script)], input=commands, capture_output=True, text=True, check=False
    )
    assert "-> assert value == 2" in run.stdout
    assert "(Pdb) 1\n" in run.stdout
    assert "AssertionError: assert 1 == 2" in run.stdout
