"""Modules below the evals folders: every assert in them is counted."""

import importlib
import subprocess
import sys
import textwrap
import traceback

import pytest

from llmeval.assertions import AssertionHook, AssertionLoader, compile_instrumented, counting, instrument

HELPER = '''\
"""Text."""
from __future__ import annotations

LIMIT = 3


def check(value: missing) -> None:
    assert value < LIMIT, "ß is too much"


class Check:
    def method(self):
        assert self is not None
'''


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An evals folder that is importable, with its hook installed; what was imported from it is forgotten."""
    evals = tmp_path / "evals"
    evals.mkdir()
    monkeypatch.syspath_prepend(tmp_path)
    before = set(sys.modules)
    hook = AssertionHook([evals])
    hook.install()
    yield evals
    hook.uninstall()
    for name in set(sys.modules) - before:
        if str(tmp_path) in str(getattr(sys.modules[name], "__file__", "") or ""):
            del sys.modules[name]


def test_a_helper_module_below_the_folder_is_counted(folder):
    (folder / "helper_a.py").write_text(HELPER, encoding="utf-8")
    helper = importlib.import_module("evals.helper_a")
    with counting() as tally:
        helper.check(1)
        helper.Check().method()
        with pytest.raises(AssertionError, match=r"assert 4 < 3\n.*helper_a\.py:8: assert value < LIMIT") as caught:
            helper.check(4)
    assert tally.count == 3
    assert str(caught.value).startswith("ß is too much\n")
    assert traceback.extract_tb(caught.value.__traceback__)[-1].lineno == 8
    assert helper.__doc__ == "Text."
    assert helper.check.__annotations__ == {"value": "missing", "return": "None"}
    assert isinstance(helper.__loader__, AssertionLoader)


def test_packages_and_siblings_on_the_path_are_counted(folder, monkeypatch):
    package = folder / "pack_b"
    package.mkdir()
    (package / "__init__.py").write_text("def check(value):\n    assert value\n")
    (package / "inner.py").write_text("from . import check\n\ndef twice(value):\n    check(value)\n    assert value\n")
    (folder / "sibling_b.py").write_text("def check(value):\n    assert value\n")
    monkeypatch.syspath_prepend(folder)
    inner = importlib.import_module("pack_b.inner")
    sibling = importlib.import_module("sibling_b")
    with counting() as tally:
        inner.twice(1)
        sibling.check(1)
    assert tally.count == 3


def test_modules_elsewhere_are_left_to_python(folder, tmp_path):
    (tmp_path / "evals_elsewhere.py").write_text("def check(value):\n    assert value\n")
    module = importlib.import_module("evals_elsewhere")
    assert type(module.__loader__) is not AssertionLoader
    with counting() as tally:
        module.check(1)
    assert tally.count == 0


def test_a_module_of_the_folder_does_not_shadow_one_that_python_finds_first(folder, monkeypatch):
    (folder / "colorsys.py").write_text("raise RuntimeError('imported instead of the standard library')\n")
    (folder / "sys.py").write_text("raise RuntimeError('imported instead of the built-in module')\n")
    monkeypatch.setattr(sys, "path", [*sys.path, str(folder)])
    monkeypatch.delitem(sys.modules, "colorsys", raising=False)
    assert "lib" in importlib.import_module("colorsys").__file__
    assert importlib.import_module("sys") is sys


def test_no_bytecode_is_written_or_read(folder):
    source = folder / "helper_c.py"
    source.write_text("def check(value):\n    assert value\n")
    plain = "import sys; sys.path.insert(0, sys.argv[1]); import helper_c; print(helper_c.check.__code__.co_names)"
    command = [sys.executable, "-c", plain, str(folder)]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "()\n"
    cached = list(folder.rglob("*.pyc"))
    module = importlib.import_module("evals.helper_c")
    with counting() as tally:
        module.check(1)
    assert tally.count == 1
    assert list(folder.rglob("*.pyc")) == cached
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "()\n"


def test_a_function_of_an_instrumented_module_is_not_instrumented_twice(folder):
    (folder / "helper_d.py").write_text("def check(value):\n    assert value\n\ndef other(value):\n    return value\n")
    module = importlib.import_module("evals.helper_d")
    codes = module.check.__code__, module.other.__code__
    assert instrument(module.check)
    assert instrument(module.other)
    assert (module.check.__code__, module.other.__code__) == codes


def test_asserts_of_helpers_run_under_python_o(folder):
    (folder / "helper_e.py").write_text("assert 1 + 1 == 2\n\ndef check(value):\n    assert value == 1\n")
    program = textwrap.dedent(
        """
        import sys
        from llmeval.assertions import AssertionHook, counting
        AssertionHook([sys.argv[1] + "/evals"]).install()
        sys.path.insert(0, sys.argv[1])
        with counting() as tally:
            from evals.helper_e import check
            check(1)
        print(tally.count, __debug__)
        check(2)
        """
    )
    command = [sys.executable, "-O", "-c", program, str(folder.parent)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.stdout == "2 False\n"
    assert "AssertionError: assert 2 == 1" in run.stderr


def test_installing_twice_asks_once_and_it_goes_when_uninstalled(tmp_path):
    hook = AssertionHook([tmp_path])
    hook.install()
    hook.install()
    assert sys.meta_path.count(hook) == 1
    hook.uninstall()
    hook.uninstall()
    assert hook not in sys.meta_path


def namespace_of(source, filename="evals/x.py"):
    names = {"__name__": "x"}
    exec(compile_instrumented(source, filename), names)
    return names


def test_a_source_may_be_bytes_in_any_encoding():
    for encoded in (
        b"\xef\xbb\xbfdef f(x):\n    assert x, '\xc3\x9f'\n",
        b"# coding: latin-1\r\ndef f(x):\r\n    assert x, '\xdf'",
    ):
        with pytest.raises(AssertionError, match=r"^ß\nassert 0\nevals/x.py:\d: assert x$"):
            namespace_of(encoded)["f"](0)


def test_a_syntax_error_names_the_file_and_the_line():
    with pytest.raises(SyntaxError) as caught:
        compile_instrumented("x = 1\nassert (\n", "evals/x.py")
    assert (caught.value.filename, caught.value.lineno) == ("evals/x.py", 2)
    with pytest.raises(SyntaxError, match="outside function") as caught:
        compile_instrumented("assert 1\nreturn\n", "evals/x.py")
    assert (caught.value.filename, caught.value.lineno) == ("evals/x.py", 2)


@pytest.mark.parametrize(
    "source", ["", "'''Text.'''", "from __future__ import annotations", "'''Text.'''\n'''More.'''\n"]
)
def test_a_source_without_statements_works(source):
    names = namespace_of(source)
    assert names.get("__doc__") == ("Text." if "Text" in source else None)


def test_a_source_too_deep_to_walk_still_runs():
    branches = "".join(f"elif x == {n}:\n    y = {n}\n" for n in range(1, 900))
    names = namespace_of(f"x = 899\nif x == 0:\n    y = 0\n{branches}")
    assert names["y"] == 899


def test_a_warning_of_the_source_is_given_once():
    with pytest.warns(SyntaxWarning) as warned:
        compile_instrumented("def f(x):\n    assert x is 1\n    assert (x, 'always')\n", "evals/x.py")
    assert sorted(each.lineno for each in warned) == [2, 3]
