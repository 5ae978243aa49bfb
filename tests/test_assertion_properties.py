"""An instrumented assert does what the plain one does, for any expression."""

import re

import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from llmeval.assertions import compile_instrumented, counting

VALUES = ["v(0)", "v(1)", "v('')", "v('ab')", "v([])", "v([1, 2])", "v(None)", "v(...)", "v({'a': 1})", "1", "'ab'"]
OTHERS = [
    "boom()",
    "missing",
    "obj.attr",
    "obj.broken",
    "obj",
    "-1",
    "()",
    "[v(1), *[v(2)]]",
    "f'{v(1)}'",
    "lambda: v(1)",
]
ATOMS = st.sampled_from([*VALUES, *OTHERS, "None"])


def combined(inner):
    two = st.tuples(inner, inner)
    three = st.tuples(inner, inner, inner)
    operators = st.sampled_from(["==", "!=", "<", ">=", "in", "not in", "is", "is not"])
    return st.one_of(
        st.builds("({0[0]}) {1} ({0[1]})".format, two, operators),
        st.builds("({0[0]}) {1} ({0[1]}) {2} ({0[2]})".format, three, operators, operators),
        st.builds("({0[0]}) and ({0[1]})".format, two),
        st.builds("({0[0]}) or ({0[1]}) or ({0[2]})".format, three),
        st.builds("not ({0})".format, inner),
        st.builds("({0[0]}) if ({0[1]}) else ({0[2]})".format, three),
        st.builds("({0[0]}) + ({0[1]})".format, two),
        st.builds("({0[0]})[{0[1]}]".format, two),
        st.builds("({0[0]})[{0[1]}:{0[2]}]".format, three),
        st.builds("call({0[0]}, *[{0[1]}], key={0[2]})".format, three),
        st.builds("obj.method({0}).attr".format, inner),
        st.builds("(n := ({0}))".format, inner),
        st.builds("({0})()".format, inner),
        st.builds("[x for x in [{0[0]}, {0[1]}] if x]".format, two),
        st.builds("any(x == ({0[1]}) for x in [{0[0]}])".format, two),
        st.builds("-({0})".format, inner),
        st.builds("(yield ({0}))".format, inner),
    )


EXPRESSIONS = st.recursive(ATOMS, combined, max_leaves=8)


def shown(value):
    return re.sub(" at 0x[0-9a-f]+", "", repr(value))


class Thing:
    """Writes down everything that is asked of it."""

    def __init__(self, log):
        self.log = log

    def __repr__(self):
        return "thing"  # only explanations ask, and they may

    @property
    def attr(self):
        self.log.append("attr")
        return 1

    @property
    def broken(self):
        raise LookupError("broken")

    def method(self, value):
        self.log.append(("method", shown(value)))
        return self

    def __bool__(self):
        self.log.append("bool")
        return False

    def __lt__(self, other):
        self.log.append("lt")
        return self

    __hash__ = None

    def __contains__(self, value):
        self.log.append("in")
        return True


def run(code):
    """Returns all that happens when the assert of `code` runs: evaluations in order, the outcome, and `n`."""
    log = []

    def v(value):
        log.append(shown(value))
        return value

    def call(first, second, key):
        log.append("call")
        return [first, second, key]

    def boom():
        log.append("boom")
        raise RuntimeError("boom")

    names = {"v": v, "call": call, "boom": boom, "obj": Thing(log)}
    exec(code, names)
    try:
        sent = list(names["f"]())
    except AssertionError:
        return log, "failed", None
    except Exception as error:  # noqa: BLE001 - whatever the expression raises is to be the same
        return log, (type(error), str(error)), None
    return log, "passed", shown(sent)


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@given(EXPRESSIONS)
@settings(max_examples=200, deadline=None)
def test_operands_are_evaluated_as_often_and_in_the_same_order_with_the_same_outcome(expression):
    source = f"def f():\n    n = 0\n    assert {expression}\n    yield n\n"
    try:
        code = compile(source, "plain", "exec")
    except SyntaxError:  # such as a walrus in a comprehension's iterable
        reject()
    plain = run(code)
    with counting() as tally:
        ours = run(compile_instrumented(source, "ours"))
    assert ours == plain
    assert tally.count == (1 if plain[1] in ("passed", "failed") else 0)
