"""Evaluations as pytest tests: real sessions of pytest, in processes of their own."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from projects import Project, environment

from llmeval import evaluates, load_report
from llmeval.errors import DeclarationError
from llmeval.pytest_plugin import pytest_addoption
from llmeval.report import Report

SUPPORT = """
    from llmeval import Attempt, Result, Score, criterion, evaluation

    def grade(attempt):
        if attempt.input == "unread":
            raise ValueError("the grader is ill")
        return (len(attempt.output) < 12, f"{len(attempt.output)} characters")

    @evaluation(evaluator=False)
    @criterion("short", evaluator=grade)
    @criterion("tone", evaluator=lambda attempt: Result(name="tone") if attempt.input == "unsure" else True)
    @criterion("style", evaluator=lambda attempt: Score(3), when=lambda case: case.name == "scored")
    def support(question):
        print("asked", question)
        if question == "boom":
            raise RuntimeError("the shop is closed")
        return question

    @support.assertions
    def is_polite(attempt: Attempt) -> None:
        words = attempt.output.split()
        assert words[0] != "rude", "please be polite"
"""
CASES = """
    - {name: good, inputs: fine}
    - {name: impolite, inputs: rude words}
    - {name: long_winded, inputs: more words than anybody needs}
    - {name: broken, inputs: boom}
    - {name: undecided, inputs: unsure}
    - {name: scored, inputs: ok}
    - {name: ungraded, inputs: unread}
"""
TOTALS = """
    import asyncio
    from llmeval import evaluation

    ODD = [{"name": "two words [1]", "inputs": 1}, {"name": "ungerade_drei_€", "inputs": 3}]

    @evaluation(evaluator=False, dataset=ODD)
    async def totals(number):
        await asyncio.sleep(0)
        return number

    @totals.assertions
    async def is_odd(attempt):
        assert attempt.output % 2 == 1
"""

_OUTCOME = re.compile(r"^\S+?\.py::(?P<name>.+) (?P<outcome>PASSED|FAILED|ERROR|SKIPPED)\b", re.MULTILINE)


class Session:
    """What a run of pytest printed, how it ended, and what it left behind."""

    def __init__(self, project: Project, *arguments: str, autoload: bool = False, **env: str | None) -> None:
        self.root = project.root
        own = [] if autoload else ["-p", "llmeval"]
        if "cacheprovider" not in arguments:
            own += ["-p", "no:cacheprovider"]
        changes = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": None if autoload else "1", "PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "--color=no", *own, *arguments],
            cwd=project.root,
            env=environment(**{**changes, "PYTEST_ADDOPTS": None, "CI": None, "LLMEVAL_EVALUATOR": None, **env}),
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=60,
            check=False,
        )
        self.code, self.out, self.err = done.returncode, done.stdout, done.stderr
        self.lines = done.stdout.splitlines()

    def outcomes(self) -> dict[str, str]:
        """Returns the outcome of each test of a verbose session, by the part of its id behind `::`."""
        return {found["name"]: found["outcome"] for found in _OUTCOME.finditer(self.out)}

    def collected(self) -> list[str]:
        """Returns the ids of a session with `--collect-only -q`."""
        return [line for line in self.lines if "::" in line]

    def block(self, name: str) -> str:
        """Returns what is printed of a failed test."""
        start = next(number for number, line in enumerate(self.lines) if line.strip("_").strip() == name)
        end = next(n for n in range(start + 1, len(self.lines)) if self.lines[n].startswith(("___", "===", "llmeval:")))
        return "\n".join(self.lines[start + 1 : end])

    def report(self, name: str) -> Report:
        """Returns the only report of an evaluation."""
        (path,) = (self.root / ".llmeval" / name).glob("*.json")
        return load_report(path)


def written(root: Path) -> Project:
    project = Project(root)
    project.write("pyproject.toml", "[tool.llmeval]\n")
    project.write("evals/support.py", SUPPORT)
    project.write("evals/support.yaml", CASES)
    project.write("evals/billing/invoices.py", TOTALS)
    project.write("tests/test_support.py", 'from llmeval import evaluates\n\ntest_support = evaluates("support")\n')
    return project


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Session:
    """A session with every outcome that a trial can have."""
    return Session(written(tmp_path_factory.mktemp("plugin")), "tests", "-v", "--junitxml=junit.xml")


@pytest.fixture
def shop(tmp_path: Path) -> Project:
    return written(tmp_path)


# What a test of a trial is


def test_each_case_is_a_test_which_passes_only_if_its_trial_does(session: Session) -> None:
    assert session.outcomes() == {
        "test_support[good]": "PASSED",
        "test_support[impolite]": "FAILED",
        "test_support[long_winded]": "FAILED",
        "test_support[broken]": "FAILED",
        "test_support[undecided]": "FAILED",
        "test_support[scored]": "FAILED",
        "test_support[ungraded]": "FAILED",
    }
    assert session.code == 1


def test_a_failed_assertion_is_shown_as_pytest_shows_one(session: Session) -> None:
    shown, _, captured = session.block("test_support[impolite]").partition("\n---")
    assert (
        shown
        == """\
case 'impolite': failed
  inputs    rude words
  output    rude words

>       assert words[0] != "rude"
E       please be polite
E       assert 'rude' != "rude"
E         where words[0] = 'rude'
E         where words = ['rude', 'words']

evals/support.py:21: AssertionError

short  pass: 10 characters
tone   pass
style  not applicable"""
    )
    assert captured.endswith("-\nasked rude words")


def test_an_error_is_shown_with_its_own_traceback_and_none_of_llmeval(session: Session) -> None:
    block = session.block("test_support[broken]")
    assert 'evals/support.py", line 15, in support\n    raise RuntimeError("the shop is closed")' in block
    assert "RuntimeError: the shop is closed" in block
    assert block.count('  File "') == 1


@pytest.mark.parametrize(
    ("case", "status", "line"),
    [
        ("long_winded", "failed", "short  fail: 29 characters"),
        ("undecided", "unassessed", "tone   unknown"),
        ("scored", "measured", "style  3"),
        ("ungraded", "error", "short  error: ValueError: the grader is ill"),
    ],
)
def test_a_status_other_than_passed_fails_and_is_named(session: Session, case: str, status: str, line: str) -> None:
    lines = session.block(f"test_support[{case}]").splitlines()
    assert lines[0] == f"case '{case}': {status}"
    assert line in lines
    assert any(f"test_support[{case}] - {status}: " in one for one in session.lines)


def test_junit_output_has_the_reason_as_its_message(session: Session) -> None:
    cases = ElementTree.parse(session.root / "junit.xml").getroot().iter("testcase")
    messages = {
        case.get("name"): failure.get("message") for case in cases if (failure := case.find("failure")) is not None
    }
    assert messages["test_support[long_winded]"] == "failed: short: fail: 29 characters"
    assert messages["test_support[broken]"] == "error: RuntimeError: the shop is closed"
    assert "test_support[good]" not in messages


def test_the_report_is_saved_and_named(session: Session) -> None:
    report = session.report("support")
    assert {trial.case.name: trial.status.value for trial in report} == {
        "good": "passed",
        "impolite": "failed",
        "long_winded": "failed",
        "broken": "error",
        "undecided": "unassessed",
        "scored": "measured",
        "ungraded": "error",
    }
    assert (report.not_run, report.interrupted, report.definitions["dataset"]["selected"]) == ((), False, 7)
    path = f".llmeval/support/{report.id}.json"
    assert (
        f"llmeval: support: 1 of 7 passed, 2 failed, 2 errors, 1 unassessed, 1 measured; report: {path}"
        in session.lines
    )
    assert (session.root / ".llmeval" / ".gitignore").read_text(encoding="utf-8") == "*\n"


# Collecting


def test_the_project_s_evaluations_are_collected_when_asked_for(shop: Project) -> None:
    session = Session(shop, "--llmeval", "--collect-only", "-q")
    assert session.collected() == [
        "evals/billing/invoices.py::totals[two words [1]]",
        "evals/billing/invoices.py::totals[ungerade_drei_€]",
        *(
            f"evals/support.py::support[{name}]"
            for name in ("good", "impolite", "long_winded", "broken", "undecided", "scored", "ungraded")
        ),
    ]
    assert session.code == 0
    assert not (shop.root / ".llmeval").exists()


def test_collecting_grades_nothing_and_imports_no_sdk(shop: Project) -> None:
    shop.write(
        "evals/asked.py",
        'from llmeval import evaluation\n\n@evaluation(evaluator="openai:gpt-6-luna")\ndef asked(x): return x\n',
    )
    shop.write("evals/asked.yaml", "- {name: a, inputs: 1, expected_output: 1}\n")
    shop.write(
        "conftest.py",
        """
        import sys

        def pytest_collection_finish(session):
            print("loaded", {name.partition(".")[0] for name in sys.modules} & {"openai", "anthropic", "rich", "typer"})
        """,
    )
    session = Session(shop, "--llmeval", "asked", "--collect-only", "-q")
    assert session.collected() == ["evals/asked.py::asked[a]"]
    assert "loaded set()" in session.out


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        (
            ["--llmeval", "support", "billing/totals", "-k", "good or drei"],
            ["totals[ungerade_drei_€]", "support[good]"],
        ),
        (["--llmeval", "tests", "-k", "good"], ["test_support[good]"]),
        (["--llmeval", "evals/billing"], ["totals[two words [1]]", "totals[ungerade_drei_€]"]),
        (["--llmeval", "evals/support.py::support[good]"], ["support[good]"]),
        (["tests", "--llmeval", "-k", "good"], ["test_support[good]"]),
        (["tests", "--llmeval", "support", "-k", "good"], ["test_support[good]", "support[good]"]),
        (["--llmeval", "-m", "not llmeval"], []),
    ],
)
def test_names_paths_and_filters_select(shop: Project, arguments: list[str], found: list[str]) -> None:
    session = Session(shop, *arguments, "--collect-only", "-q")
    assert sorted(id.partition("::")[2] for id in session.collected()) == sorted(found)


def test_a_path_works_from_another_folder(shop: Project, tmp_path_factory: pytest.TempPathFactory) -> None:
    elsewhere = Project(tmp_path_factory.mktemp("elsewhere"))
    (elsewhere.root / "evals").rmdir()
    shop.write("pytest.ini", "[pytest]\n")
    session = Session(elsewhere, str(shop.root / "evals" / "billing"), "--llmeval", "--collect-only", "-q")
    assert session.collected() == [
        "evals/billing/invoices.py::totals[two words [1]]",
        "evals/billing/invoices.py::totals[ungerade_drei_€]",
    ]


def test_a_worker_that_dies_leaves_the_other_trials_in_the_report(shop: Project) -> None:
    shop.write(
        "evals/deadly.py",
        """
        import os
        from llmeval import evaluation

        @evaluation(evaluator=False, dataset=[{"name": name, "inputs": name} for name in "ab"])
        def deadly(name):
            if name == "a":
                os._exit(3)
            return name

        @deadly.assertions
        def returned(attempt): assert attempt.output
        """,
    )
    session = Session(shop, "--llmeval", "deadly", "-q", "-p", "xdist", "-n", "1")
    report = session.report("deadly")
    assert session.code == 1
    assert [trial.case.name for trial in report] == ["b"]
    assert [(one.case, one.reason) for one in report.not_run] == [("a", "pytest has no result of it")]


def test_in_addopts_it_adds_the_evaluations_to_the_tests(shop: Project) -> None:
    shop.write("pytest.ini", "[pytest]\naddopts = --llmeval\n")
    session = Session(shop, "-k", "good", "--collect-only", "-q")
    assert session.collected() == ["evals/support.py::support[good]", "tests/test_support.py::test_support[good]"]


def test_an_unknown_name_is_a_usage_error_that_suggests_one(shop: Project) -> None:
    session = Session(shop, "--llmeval", "suport")
    assert session.code == 4
    assert "ERROR: there is no evaluation 'suport': did you mean 'support'?" in session.err


def test_an_unknown_name_among_computed_ones_is_a_usage_error_too(shop: Project) -> None:
    shop.write("evals/made.py", 'from llmeval import evaluation\n\nname = "ma" + "de"\nevaluation(name=name)(print)\n')
    session = Session(shop, "--llmeval", "mode", "-q")
    assert session.code == 4
    assert "there is no evaluation 'mode': did you mean 'made'?" in session.out + session.err


def test_a_file_that_cannot_be_imported_is_shown_with_its_own_traceback(shop: Project) -> None:
    shop.write("evals/bad.py", "import llmeval\n\nnothing.there()\n")
    session = Session(shop, "--llmeval", "-q")
    assert session.code == 2
    assert "ERROR collecting evals/bad.py" in session.out
    assert 'evals/bad.py", line 3, in <module>' in session.out
    assert "NameError: name 'nothing' is not defined" in session.out
    assert "imports.py" not in session.out


def test_a_wrong_dataset_is_an_error_of_the_file_that_says_what_is_wrong(shop: Project) -> None:
    shop.write(
        "tests/test_wrong.py", 'from llmeval import evaluates\n\ntest_wrong = evaluates("support", only="godo")\n'
    )
    session = Session(shop, "tests/test_wrong.py", "-q")
    assert session.code == 2
    assert "test_wrong: there is no case 'godo': did you mean 'good'?" in session.lines
    assert "pytest_plugin" not in session.out


def test_an_evaluation_of_the_test_module_itself_can_be_tested(shop: Project) -> None:
    shop.write(
        "tests/test_own.py",
        """
        from llmeval import Case, evaluates, evaluation

        @evaluation(evaluator=False, dataset=[Case("one", 1), Case("two", 2)])
        def own(number):
            return number

        @own.assertions
        def is_one(attempt):
            assert attempt.output == 1

        class TestOwn:
            test_it = evaluates(own)

        test_by_name = evaluates("own", only=["one"])
        """,
    )
    session = Session(shop, "tests/test_own.py", "-v")
    assert session.outcomes() == {
        "TestOwn::test_it[one]": "PASSED",
        "TestOwn::test_it[two]": "FAILED",
        "test_by_name[one]": "PASSED",
    }
    assert "E       assert 2 == 1" in session.out
    first, second = sorted((shop.root / ".llmeval" / "own").glob("*.json"), key=lambda path: len(path.name))
    assert second.stem == f"{first.stem}.2"
    assert sorted([len(load_report(first)), len(load_report(second))]) == [1, 2]


def test_evaluates_refuses_what_is_no_evaluation() -> None:
    with pytest.raises(DeclarationError, match="evaluates takes an evaluation or the name of one, not 3"):
        evaluates(3)  # type: ignore[arg-type]  # the mistake


def test_options_of_the_declaration_and_of_the_command_line_hold(shop: Project) -> None:
    shop.write(
        "tests/test_shop.py",
        """
        from llmeval import evaluates

        data = [{"name": "a", "inputs": "x", "expected_output": "y"}, {"name": "a-2", "inputs": "y"}]
        test_options = evaluates("support", dataset=data, only=["a"], repetitions=2, params={"model": "m"})
        test_all = evaluates("support", dataset=data, grading=False, repetitions=1)
        """,
    )
    session = Session(shop, "tests/test_shop.py", "-v", "-k", "test_options or a-2")
    assert session.outcomes() == {
        "test_options[a]": "PASSED",
        "test_options[a-2]": "PASSED",
        "test_all[a-2]": "FAILED",
    }
    more = Session(shop, "tests/test_shop.py", "--llmeval-repetitions", "3", "--collect-only", "-q", "-k", "test_all")
    assert [id.partition("::")[2] for id in more.collected()] == [
        f"test_all[{id}]" for id in ("a", "a-2", "a-3", "a-2_", "a-2-2", "a-2-3")
    ]


def test_the_evaluator_can_be_replaced_on_the_command_line(shop: Project) -> None:
    shop.write("evals/said.py", "from llmeval import evaluation\n\n@evaluation\ndef said(x): return x\n")
    shop.write("evals/said.yaml", "- {name: a, inputs: yes sir, expected_output: yes sir}\n")
    session = Session(shop, "--llmeval", "said", "--llmeval-evaluator", "local", "-v")
    assert session.outcomes() == {"said[a]": "PASSED"}
    assert session.report("said").options["evaluator"] == "local"


def test_without_an_evaluator_each_test_fails_and_says_the_cure(shop: Project) -> None:
    shop.write("evals/said.py", "from llmeval import evaluation\n\n@evaluation\ndef said(x): return x\n")
    shop.write(
        "evals/said.yaml", "- {name: a, inputs: 1, expected_output: 1}\n- {name: b, inputs: 1, expected_output: 1}\n"
    )
    session = Session(shop, "--llmeval", "said", "-v")
    assert session.outcomes() == {"said[a]": "FAILED", "said[b]": "FAILED"}
    assert session.block("said[b]").startswith(
        "EvaluatorConfigError: said: no evaluator is configured. Set ANTHROPIC_API_KEY"
    )
    assert not (shop.root / ".llmeval").exists()


# Sessions


def test_what_x_leaves_out_is_in_the_report_as_not_run(shop: Project) -> None:
    session = Session(shop, "tests", "-x", "-q", "--deselect", "tests/test_support.py::test_support[ungraded]")
    report = session.report("support")
    assert [trial.case.name for trial in report] == ["good", "impolite"]
    assert [(one.case, one.reason) for one in report.not_run] == [
        (name, "pytest has no result of it") for name in ("long_winded", "broken", "undecided", "scored")
    ]
    assert "llmeval: support: 1 of 2 passed, 1 failed, 4 not run; report: " in session.out


def test_lf_runs_what_failed_last(shop: Project) -> None:
    Session(shop, "--llmeval", "-q", "-p", "cacheprovider")
    session = Session(shop, "--llmeval", "--lf", "-q", "-p", "cacheprovider", "--collect-only")
    assert [id.partition("[")[2] for id in session.collected()] == [
        f"{name}]" for name in ("impolite", "long_winded", "broken", "undecided", "scored", "ungraded")
    ]


def test_an_interrupted_session_saves_an_interrupted_report(shop: Project) -> None:
    shop.write(
        "evals/stopped.py",
        """
        from pathlib import Path
        from llmeval import evaluation

        @evaluation(evaluator=False, dataset=[{"name": name, "inputs": name} for name in "abc"])
        def stopped(name):
            if name == "b":
                raise KeyboardInterrupt
            assert name

        @stopped.assertions
        def returned(attempt):
            assert attempt.output is None

        @stopped.teardown
        def torn_down(attempt):
            with Path("torn").open("a") as file:
                file.write(attempt.case_name)
        """,
    )
    session = Session(shop, "--llmeval", "stopped", "-q")
    report = session.report("stopped")
    assert session.code == 2
    assert report.interrupted
    assert [trial.case.name for trial in report] == ["a"]
    assert [(one.case, one.reason) for one in report.not_run] == [("b", "interrupted"), ("c", "interrupted")]
    assert (shop.root / "torn").read_text(encoding="utf-8") == "ab"


SHARED = """
    import asyncio, os
    from pathlib import Path
    from llmeval import Result, evaluation
    from llmeval.evaluators.base import Evaluator, Grades

    def log(text):
        with (Path(__file__).parent / "log").open("a") as file:
            file.write(f"{text} {os.getpid()}\\n")

    class Client(Evaluator):
        kind = "client"
        needs_reference = False

        def __init__(self):
            self.loop = None

        async def evaluate(self, subject, criteria):
            self.loop = self.loop or asyncio.get_running_loop()
            assert self.loop is asyncio.get_running_loop()
            return Grades(results=[Result(name=one.name, value=True) for one in criteria])

        async def aclose(self):
            assert self.loop in (None, asyncio.get_running_loop())
            log("closed")

    @evaluation(evaluator=Client(), dataset=[{"name": f"c{number}", "inputs": number} for number in range(6)])
    async def shared(number):
        await asyncio.sleep(0.05)
        return number

    @shared.lifespan
    async def shop():
        log("opened")
        yield "the shop"
        log("left")

    @shared.assertions
    def has_the_lifespan(attempt):
        assert attempt.lifespan == "the shop"
"""


def test_the_lifespan_and_the_evaluators_serve_the_whole_session(shop: Project) -> None:
    shop.write("evals/shared.py", SHARED)
    session = Session(shop, "--llmeval", "shared", "-q")
    assert session.code == 0, session.out
    log = (shop.root / "evals" / "log").read_text(encoding="utf-8").splitlines()
    assert [line.split()[0] for line in log] == ["opened", "left", "closed"]


def test_workers_make_one_report_and_enter_the_lifespan_once_each(shop: Project) -> None:
    shop.write("evals/shared.py", SHARED)
    session = Session(shop, "--llmeval", "shared", "-v", "-p", "xdist", "-n", "2")
    report = session.report("shared")
    assert session.code == 0, session.out
    assert [trial.case.name for trial in report] == [f"c{number}" for number in range(6)]
    assert report.passed
    log = [line.split() for line in (shop.root / "evals" / "log").read_text(encoding="utf-8").splitlines()]
    assert len({pid for _, pid in log}) == 2
    for worker in {pid for _, pid in log}:
        assert [what for what, pid in log if pid == worker] == ["opened", "left", "closed"]
    assert session.out.count("llmeval: shared: 6 of 6 passed; report: ") == 1


def test_failures_come_from_workers_as_they_are(shop: Project) -> None:
    session = Session(shop, "tests", "-q", "-p", "xdist", "-n", "1", "-k", "impolite or broken")
    assert '>       assert words[0] != "rude"' in session.block("test_support[impolite]")
    assert "FAILED tests/test_support.py::test_support[broken] - error: RuntimeError: the shop" in session.out


def test_a_lifespan_that_raises_fails_each_test_with_the_user_s_traceback(shop: Project) -> None:
    shop.write(
        "evals/shut.py",
        """
        from llmeval import evaluation

        @evaluation(evaluator=False, dataset=[{"name": "a", "inputs": 1}, {"name": "b", "inputs": 1}])
        def shut(x): return x

        @shut.assertions
        def checked(attempt): assert attempt.output

        @shut.lifespan
        def database():
            raise OSError("no database")
            yield
        """,
    )
    session = Session(shop, "--llmeval", "shut", "-v")
    assert session.outcomes() == {"shut[a]": "FAILED", "shut[b]": "FAILED"}
    block = session.block("shut[b]")
    assert block.endswith("OSError: no database")
    assert "singles.py" not in block


def test_a_trial_that_takes_too_long_fails_and_the_next_runs(shop: Project) -> None:
    shop.write(
        "evals/slow.py",
        """
        import time
        from llmeval import evaluation

        @evaluation(evaluator=False, timeout=0.1, dataset=[{"name": "a", "inputs": 0.4}, {"name": "b", "inputs": 0}])
        def slow(seconds):
            time.sleep(seconds)
            return "done"

        @slow.assertions
        def checked(attempt): assert attempt.output == "done"
        """,
    )
    session = Session(shop, "--llmeval", "slow", "-v")
    assert session.outcomes() == {"slow[a]": "FAILED", "slow[b]": "PASSED"}
    assert "slow[a] - error: TimeoutError: setup to assertions" in session.out
    assert [trial.status.value for trial in session.report("slow")] == ["error", "passed"]


# At home in pytest


def test_fixtures_marks_and_skips_apply(shop: Project) -> None:
    shop.write(
        "conftest.py",
        """
        import os
        import pytest

        @pytest.fixture(autouse=True, scope="module")
        def shop_is_open(request):
            os.environ["SHOP"] = "open"
            yield
            del os.environ["SHOP"]

        @pytest.fixture
        def quiet(monkeypatch):
            monkeypatch.setenv("SHOP", "quiet")
        """,
    )
    shop.write(
        "evals/opened.py",
        """
        import os
        import pytest
        from llmeval import evaluation

        @evaluation(evaluator=False, dataset=[{"name": "a", "inputs": "open"}, {"name": "b", "inputs": "quiet"}])
        def opened(wanted):
            if wanted == "quiet" and os.environ["SHOP"] == "open":
                pytest.skip("not quiet")
            return os.environ["SHOP"]

        @opened.assertions
        def is_as_wanted(attempt): assert attempt.output == attempt.input
        """,
    )
    shop.write(
        "tests/test_opened.py",
        """
        import pytest
        from llmeval import evaluates

        test_quiet = pytest.mark.usefixtures("quiet")(evaluates("opened", only="b"))
        test_not_now = pytest.mark.skip(reason="later")(evaluates("opened"))
        """,
    )
    session = Session(shop, "tests/test_opened.py", "--llmeval", "opened", "-v", "-rs")
    assert (
        session.outcomes()
        == {
            "test_quiet[b]": "PASSED",
            "test_not_now[a]": "SKIPPED",
            "test_not_now[b]": "SKIPPED",
            "opened[a]": "PASSED",
            "opened[b]": "SKIPPED",
        }
        or {name: one.split()[0] for name, one in session.outcomes().items()} == {}
    )
    assert session.code == 0


@pytest.mark.parametrize("mode", ["strict", "auto"])
def test_async_evaluations_run_beside_other_async_plugins(shop: Project, mode: str) -> None:
    shop.write("pytest.ini", f"[pytest]\nasyncio_mode = {mode}\nasyncio_default_fixture_loop_scope = function\n")
    shop.write(
        "tests/test_async.py",
        """
        import asyncio
        import pytest
        from llmeval import evaluates

        test_totals = evaluates("billing/totals")

        @pytest.mark.asyncio
        async def test_of_asyncio():
            await asyncio.sleep(0)

        @pytest.mark.anyio
        def test_of_anyio(anyio_backend):
            pass
        """,
    )
    session = Session(
        shop, "tests/test_async.py", "-q", "-W", "error", "-p", "asyncio", "-p", "anyio", "-k", "not trio"
    )
    assert session.code == 0, session.out
    assert "llmeval: billing/totals: 2 of 2 passed; report: " in session.out


def test_it_works_where_an_event_loop_is_running(shop: Project) -> None:
    script = shop.write(
        "inside.py",
        """
        import asyncio, sys
        import pytest

        async def main():
            return pytest.main(["-q", "-p", "llmeval", "-p", "no:cacheprovider", "--llmeval", "billing/totals"])

        sys.exit(asyncio.run(main()))
        """,
    )
    done = subprocess.run(
        [sys.executable, str(script)],
        cwd=shop.root,
        env=environment(PYTEST_DISABLE_PLUGIN_AUTOLOAD="1"),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert "llmeval: billing/totals: 2 of 2 passed; report: " in done.stdout


# In a project that does not use it


PLAIN = """
    import sys

    def test_nothing_is_loaded():
        heavy = {"llmeval", "openai", "anthropic", "rich", "typer", "yaml"}
        loaded = {name for name in sys.modules if name.partition(".")[0] in heavy}
        assert loaded <= {"llmeval", "llmeval.pytest_plugin"}
        assert "asyncio" not in sys.modules

    def test_plain():
        assert 1 + 1 == 2
"""


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Project:
    root = tmp_path_factory.mktemp("plain")
    (root / "plain").mkdir()
    project = Project(root / "plain")
    (project.root / "evals").rmdir()
    project.write("test_plain.py", PLAIN)
    return project


def test_a_project_that_does_not_use_it_sees_nothing_of_it(plain: Project) -> None:
    other = Session(plain, "-q", "-p", "no:llmeval")
    session = Session(plain, "-q")
    assert (session.code, other.code) == (0, 0)
    assert [line.partition(" in ")[0] for line in session.lines] == [line.partition(" in ")[0] for line in other.lines]
    assert session.err == ""
    assert [path.name for path in plain.root.iterdir()] == ["test_plain.py"]


def test_it_is_found_by_its_name_and_can_be_switched_off_by_it(plain: Project) -> None:
    plugins = entry_points(group="pytest11")
    others = [f"-pno:{one.name}" for one in plugins if one.name != "llmeval"]
    found = Session(plain, "-q", "--llmeval-repetitions=1", *others, autoload=True)
    refused = Session(plain, "-q", "--llmeval", "-p", "no:llmeval", *others, autoload=True)
    assert plugins["llmeval"].value == "llmeval.pytest_plugin"
    assert found.code == 0, found.out
    assert refused.code == 4
    assert "unrecognized arguments: --llmeval" in refused.err


def test_every_option_begins_with_its_name() -> None:
    class Options:
        """Takes options as pytest's parser does."""

        def __init__(self) -> None:
            self.names: list[str] = []

        def getgroup(self, *_: Any) -> Options:
            return self

        def addoption(self, name: str, **_: Any) -> None:
            self.names.append(name)

    options = Options()
    pytest_addoption(options)  # type: ignore[arg-type]  # stands for the parser
    assert options.names
    assert all(name == "--llmeval" or name.startswith("--llmeval-") for name in options.names)
