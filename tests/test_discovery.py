"""Finding evaluations: which files, which names, and which of them are imported."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from projects import Project

from llmeval.discovery import eval_files, scan
from llmeval.project import project_at
from llmeval.sources import declared_in

EVALUATION = """
from llmeval import evaluation
@evaluation(dataset=[{{"name": "a", "inputs": 1}}], evaluator=False)
def {name}(inputs):
    return inputs
"""

RAISES = """
from llmeval import evaluation
@evaluation
def {name}(inputs):
    return inputs
raise RuntimeError("{name} was imported")
"""


def shown(project: Project) -> list[str]:
    found = project_at(project.root)
    return [found.shown(path) for path in eval_files(found)]


def names(project: Project, source: str) -> tuple[tuple[str, ...], bool]:
    found = declared_in(project.write("evals/a.py", source))
    return found.names, found.dynamic


# Files


def test_files_that_mention_llmeval_are_found_below_evals(project: Project) -> None:
    for name in ("a.py", "billing/b.py", "billing/deep/c.py"):
        project.write(f"evals/{name}", EVALUATION.format(name="x"))
    project.write("evals/plain.py", "x = 1\n")
    project.write("other/d.py", EVALUATION.format(name="x"))
    assert shown(project) == ["evals/a.py", "evals/billing/b.py", "evals/billing/deep/c.py"]


def test_helpers_hidden_folders_environments_and_node_modules_are_never_walked(project: Project) -> None:
    for name in (
        "_helper.py",
        ".hidden/a.py",
        "node_modules/a.py",
        "venv/a.py",
        "env/a.py",
        "__pycache__/a.py",
        "conda/a.py",
    ):
        project.write(f"evals/{name}", EVALUATION.format(name="x"))
    project.write("evals/env/pyvenv.cfg", "home = /usr\n")
    project.write("evals/conda/conda-meta/history", "")
    assert shown(project) == []


def test_a_link_that_leads_nowhere_is_passed_over(project: Project) -> None:
    project.write("evals/a.py", EVALUATION.format(name="x"))
    (project.root / "evals/b.py").symlink_to(project.root / "gone.py")
    assert shown(project) == ["evals/a.py"]


def test_configured_paths_are_folders_or_files_and_must_be_there(project: Project) -> None:
    project.write("checks/a.py", EVALUATION.format(name="a"))
    project.write("one.py", EVALUATION.format(name="b"))
    project.write("pyproject.toml", "[tool.llmeval]\npaths = ['checks', 'one.py']\n")
    assert project.run("list").stdout.split()[2:] == ["a", "checks/a.py", "b", "one.py"]
    project.write("pyproject.toml", "[tool.llmeval]\npaths = ['cheks']\n")
    done = project.run("run")
    assert done.returncode == 2
    assert "paths names" in done.stderr
    assert "which is not there" in done.stderr


# Names, told from the source


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("from llmeval import evaluation\n@evaluation\ndef a(i): ...", ("a",)),
        ("from llmeval import evaluation\n@evaluation()\nasync def a(i): ...", ("a",)),
        ("from llmeval import evaluation\n@evaluation(name='b')\ndef a(i): ...", ("b",)),
        ("from llmeval import evaluation as ev\n@ev\ndef a(i): ...", ("a",)),
        ("import llmeval\n@llmeval.evaluation\ndef a(i): ...", ("a",)),
        ("import llmeval as le\n@le.evaluation(tags=['x'])\nclass RefundSafetyEvaluation: ...", ("refund_safety",)),
        ("from llmeval import *\n@evaluation\ndef a(i): ...", ("a",)),
        ("import llmeval\nif True:\n    @llmeval.evaluation\n    def a(i): ...", ("a",)),
        (
            "from llmeval import criterion, evaluation\n@criterion('x', 'y')\n@evaluation\n@criterion('z', 'y')\n"
            "def a(i): ...\n@a.assertions\ndef check(attempt): ...",
            ("a",),
        ),
    ],
)
def test_names_are_told_without_importing(project: Project, source: str, expected: tuple[str, ...]) -> None:
    assert names(project, source) == (expected, False)


@pytest.mark.parametrize(
    "source",
    [
        "from llmeval import evaluation\nfor n in 'ab':\n    evaluation(name=n)(print)",
        "from llmeval import evaluation\nN = 'a'\n@evaluation(name=N)\ndef a(i): ...",
        "from llmeval import evaluation\n@evaluation(**{})\ndef a(i): ...",
        "from llmeval import evaluation\ndef make(n):\n    @evaluation(name=n)\n    def a(i): ...\nmake('x')",
        "import llmeval\nregistry = llmeval.Registry()\n@registry.evaluation\ndef a(i): ...",
        "from llmeval import Attempt\nfrom _factory import make\nx = make('x')",
        "this is not python: llmeval",
    ],
)
def test_a_file_whose_names_are_computed_is_imported_for_them(project: Project, source: str) -> None:
    assert names(project, source)[1]


def test_a_helper_that_only_defines_things_declares_nothing(project: Project) -> None:
    project.write("evals/tools.py", "from llmeval import Attempt\ndef helper(attempt: Attempt): ...\n")
    assert scan(project_at(project.root)) == []


def test_the_sub_folder_is_a_prefix_of_the_name(project: Project) -> None:
    project.write("evals/billing/invoices.py", EVALUATION.format(name="totals"))
    assert json.loads(project.run("list", "--format", "json").stdout)[0]["name"] == "billing/totals"
    assert "billing/totals: 0 of 1 passed" in project.run("run", "-q", "billing/totals").stdout


# Which files are imported


def test_naming_an_evaluation_imports_only_the_file_that_declares_it(project: Project) -> None:
    project.write("evals/good.py", EVALUATION.format(name="good"))
    project.write("evals/bad.py", RAISES.format(name="bad"))
    project.write("evals/broken.py", "from llmeval import evaluation\ndef (:\n")
    assert project.run("cases", "good").returncode == 0
    assert project.run("run", "good").returncode == 1  # measured: it checks nothing


def test_list_imports_no_application(project: Project) -> None:
    project.write("evals/bad.py", RAISES.format(name="bad"))
    done = project.run("list")
    assert (done.returncode, done.stdout.split()[-2:]) == (0, ["bad", "evals/bad.py"])


def test_without_a_name_every_file_that_fails_to_import_is_said_before_any_trial(project: Project) -> None:
    project.write("evals/good.py", EVALUATION.format(name="good").replace("return inputs", "open('ran', 'w')"))
    project.write("evals/bad.py", RAISES.format(name="bad"))
    project.write("evals/worse.py", "import no_such_module, llmeval\nllmeval.evaluation(print)\n")
    done = project.run("run")
    assert done.returncode == 2
    assert "evals/bad.py cannot be imported: RuntimeError: bad was imported" in done.stderr
    assert "evals/worse.py cannot be imported: ModuleNotFoundError: No module named 'no_such_module'" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (project.root / "ran").exists()


def test_an_import_that_exits_is_an_import_that_fails(project: Project) -> None:
    project.write("evals/leaving.py", EVALUATION.format(name="leaving") + "raise SystemExit(0)\n")
    done = project.run("run", "leaving")
    assert done.returncode == 2
    assert "evals/leaving.py cannot be imported: SystemExit" in done.stderr


def test_a_syntax_error_names_the_file_and_the_line(project: Project) -> None:
    project.write("evals/broken.py", "import llmeval\n\ndef (:\n")
    done = project.run("run")
    assert done.returncode == 2
    assert "broken.py, line 3" in done.stderr


def test_an_evaluation_that_a_helper_makes_belongs_to_the_file_that_asks_for_it(project: Project) -> None:
    project.write(
        "evals/_factory.py",
        """
        from llmeval import evaluation
        def make(name):
            @evaluation(name=name, evaluator="local")
            def perform(inputs):
                return inputs
            return perform
        """,
    )
    for name in ("a", "b"):
        project.write(f"evals/{name}/made.py", f"# llmeval\nfrom _factory import make\nmade = make('{name}')\n")
        project.write(f"evals/{name}/{name}.json", '[{"name": "x", "inputs": 1, "expected_output": 1}]')
    assert [one["name"] for one in json.loads(project.run("list", "--format", "json").stdout)] == ["a/a", "b/b"]
    assert project.run("run", "-q").stdout.splitlines()[-1] == "passed  2 runs: 2 passed"
    assert project.run("run", "-q", "b/b").returncode == 0


def test_a_function_of_the_application_is_evaluated_where_it_is_declared(project: Project) -> None:
    project.write("shop/__init__.py", "")
    project.write("shop/agent.py", "class Agent:\n    def __call__(self, inputs):\n        return inputs\n")
    project.write(
        "evals/support.py",
        """
        from llmeval import evaluation
        from shop.agent import Agent
        support = evaluation(evaluator="local", name="support")(Agent())
        """,
    )
    project.write("evals/support.json", '[{"name": "x", "inputs": 1, "expected_output": 1}]')
    assert project.run("run", "-q", "support").returncode == 0


# Names and paths on the command line


def test_evaluations_are_named_by_path_folder_and_path_with_a_name(project: Project) -> None:
    project.write("evals/one.py", EVALUATION.format(name="one") + EVALUATION.format(name="two"))
    project.write("evals/billing/three.py", EVALUATION.format(name="three"))
    (project.root / "deep").mkdir()
    for arguments, expected in [
        (["evals/one.py"], ["one", "two"]),
        (["evals/one.py::two"], ["two"]),
        (["evals/billing"], ["billing/three"]),
        (["evals/billing/"], ["billing/three"]),
        (["billing"], ["billing/three"]),
        (["evals"], ["billing/three", "one", "two"]),
        (["."], ["billing/three", "one", "two"]),
        ([str(project.root / "evals/one.py"), "billing/three"], ["billing/three", "one", "two"]),
    ]:
        done = project.run("run", "--plan", *arguments)
        assert done.returncode == 0, done.stderr
        assert (
            sorted(name for name in ("one", "two", "billing/three") if re.search(rf"\b{name}\b", done.stdout))
            == expected
        )
    done = project.run("run", "-q", "../evals/one.py::two", cwd=project.root / "deep")
    assert done.stdout.startswith("failed  two: 0 of 1 passed, 1 measured"), done.stderr


def test_a_name_goes_before_a_folder_of_that_name(project: Project) -> None:
    project.write("evals/support.py", EVALUATION.format(name="support"))
    project.write("support/agent.py", "x = 1\n")
    assert project.run("run", "-q", "support").stdout.startswith("failed  support: 0 of 1 passed, 1 measured")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["suport"], "there is no evaluation 'suport': did you mean 'support'?"),
        (["totals"], "did you mean 'billing/totals'?"),
        (["evals/gone.py"], "there is no file 'evals/gone.py'"),
        (["evals/support.py::suport"], "did you mean 'support'?"),
        (["support", "--only", "xa"], "there is no case 'xa'"),
    ],
)
def test_an_unknown_evaluation_or_case_suggests_near_names_and_exits_2(
    project: Project, arguments: list[str], message: str
) -> None:
    project.write("evals/support.py", EVALUATION.format(name="support"))
    project.write("evals/billing/x.py", EVALUATION.format(name="totals"))
    done = project.run("run", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_a_project_without_evaluations_says_how_to_begin(project: Project) -> None:
    for arguments in (["run"], ["run", "support"]):
        done = project.run(*arguments)
        assert done.returncode == 2
        assert "`llmeval init` writes a first one" in done.stderr


def test_a_nested_projects_evaluations_have_the_names_that_their_own_project_gives(project: Project) -> None:
    project.write("pyproject.toml", "[tool.llmeval]\npaths = ['services']\n")
    project.write("services/a/pyproject.toml", "[tool.llmeval]\n")
    project.write("services/a/evals/x.py", EVALUATION.format(name="x"))
    assert project.run("list").stdout.split()[2] == "x"
    assert project.run("run", "-q", "x").stdout.startswith("failed  x: 0 of 1 passed, 1 measured")


def test_discovery_reads_any_encoding_that_python_reads(project: Project) -> None:
    path = project.root / "evals/latin.py"
    path.write_bytes("# -*- coding: latin-1 -*-\n# é\n".encode("latin-1") + EVALUATION.format(name="latin").encode())
    assert declared_in(Path(path)).names == ("latin",)
    assert project.run("run", "-q", "latin").stdout.startswith("failed  latin: 0 of 1 passed, 1 measured")
