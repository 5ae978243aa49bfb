"""Importing evaluation files: roots, packages, siblings, and the standard library."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from projects import Project

from llmeval import DiscoveryError
from llmeval.imports import load_object

RESOURCES = Path(__file__).parent / "resources" / "imports"


def passed(done: subprocess.CompletedProcess[str], *expected: str) -> bool:
    lines = [line.split(":")[0].split() for line in done.stdout.splitlines()]
    return done.returncode == 0 and sorted(line[-1] for line in lines if "runs" not in line) == sorted(expected)


@pytest.fixture
def folders(tmp_path: Path) -> Project:
    """Two folders with files of one name, and a package."""
    shutil.copytree(RESOURCES, tmp_path / "imports")
    (tmp_path / "imports" / "pyproject.toml").write_text('[tool.llmeval]\npaths = ["."]\n')
    return Project(tmp_path)


# F58
@pytest.mark.parametrize("place", ["holder", "inside", "root"])
def test_files_of_one_name_do_not_mix_wherever_the_run_is_started(
    folders: Project, place: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    inside = folders.root / "imports"
    cwd = {"holder": folders.root, "inside": inside, "root": tmp_path_factory.mktemp("elsewhere")}[place]
    everything = folders.run("run", "-q", str(inside), cwd=cwd)
    assert passed(everything, "alpha/quality", "beta/quality", "pkg/evals/relative"), everything
    files = [str(inside / name / "eval_quality.py") for name in ("alpha", "beta")]
    by_path = folders.run("run", "-q", *files, str(inside / "pkg/evals/eval_relative.py"), cwd=cwd)
    assert passed(by_path, "alpha/quality", "beta/quality", "pkg/evals/relative"), by_path


# F58
def test_a_relative_import_works_by_path_in_a_package_that_is_no_project(folders: Project) -> None:
    (folders.root / "imports" / "pyproject.toml").unlink()
    assert passed(folders.run("run", "-q", "imports/pkg/evals/eval_relative.py"), "relative")
    assert passed(folders.run("run", "-q", "eval_relative.py", cwd=folders.root / "imports/pkg/evals"), "relative")


def test_the_project_root_is_importable_from_an_eval_file(project: Project) -> None:
    project.write("shop/__init__.py", "")
    project.write("shop/agent.py", "def ask(inputs):\n    return inputs\n")
    project.write("plain_module.py", "SUFFIX = '!'\n")
    project.write(
        "evals/deep/support.py",
        """
        from llmeval import evaluation
        from plain_module import SUFFIX
        from shop.agent import ask
        @evaluation(dataset=[{"name": "a", "inputs": "x", "expected_output": "x!"}], evaluator="local")
        def support(inputs):
            from shop import agent
            return agent.ask(inputs) + SUFFIX
        """,
    )
    (project.root / "src").mkdir()
    assert passed(project.run("run", "-q", cwd=project.root / "src"), "deep/support")


def test_a_file_may_be_called_as_the_applications_package_that_it_imports(project: Project) -> None:
    project.write("support/__init__.py", "WHO = 'application'\n")
    project.write("support/agent.py", "WHO = 'application'\n")
    project.write("billing/__init__.py", "WHO = 'application'\n")
    project.write("evals/billing/invoices.py", "# a folder of the application package's name\n")
    project.write(
        "evals/support.py",
        """
        import billing
        from llmeval import evaluation
        from support.agent import WHO
        import support as application
        @evaluation(dataset=[{"name": "a", "inputs": "x"}], evaluator=False)
        def support(inputs):
            return WHO
        @support.assertions
        def check(attempt):
            assert attempt.output == application.WHO == billing.WHO == "application"
        """,
    )
    assert passed(project.run("run", "-q"), "support")


def test_a_package_below_evals_may_be_called_as_the_applications(project: Project) -> None:
    project.write("shop/__init__.py", "")
    project.write("shop/agent.py", "WHO = 'application'\n")
    project.write("evals/shop/__init__.py", "")
    project.write("evals/shop/tools.py", "WHO = 'evals'\n")
    project.write(
        "evals/shop/support.py",
        """
        from llmeval import evaluation
        from .tools import WHO
        @evaluation(dataset=[{"name": "a", "inputs": "x", "expected_output": "evals"}], evaluator="local")
        def support(inputs):
            return WHO
        """,
    )
    assert passed(project.run("run", "-q"), "shop/support")


def test_helpers_of_the_folder_and_of_the_folders_above_are_importable_by_their_bare_name(project: Project) -> None:
    project.write("evals/_tools.py", "import _more\nNAME = _more.NAME\n")
    project.write("evals/_more.py", "NAME = 'above'\n")
    project.write("evals/a/_tools.py", "NAME = 'beside'\n")
    project.write("evals/b/deep/x.py", "# nothing\n")
    for folder, expected in [("a", "beside"), ("b", "above")]:
        project.write(
            f"evals/{folder}/x.py",
            f"""
            from llmeval import evaluation
            import _tools
            @evaluation(dataset=[{{"name": "a", "inputs": 1, "expected_output": "{expected}"}}], evaluator="local")
            def x(inputs):
                from _tools import NAME
                return NAME if NAME == _tools.NAME else "mixed"
            """,
        )
    assert passed(project.run("run", "-q"), "a/x", "b/x")


def test_a_siblings_module_is_not_left_importable_for_others(project: Project) -> None:
    project.write("evals/a/helper.py", "WHO = 'a'\n")
    project.write("evals/a/x.py", "import helper, sys\nassert 'helper' not in sys.modules\n# llmeval evaluation()\n")
    project.write(
        "check.py",
        """
        import sys
        from pathlib import Path
        from llmeval.imports import import_file
        from llmeval.project import project_at
        import_file(Path("evals/a/x.py").absolute(), project_at(Path.cwd()))
        try:
            import helper
        except ModuleNotFoundError:
            print("private")
        """,
    )
    done = subprocess.run([sys.executable, "check.py"], cwd=project.root, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "private"


def test_asserts_of_helper_modules_below_evals_count_and_explain_themselves(project: Project) -> None:
    project.write("evals/_checks.py", "def polite(attempt):\n    assert 'please' in attempt.output\n")
    project.write(
        "evals/support.py",
        """
        from _checks import polite
        from llmeval import evaluation
        @evaluation(dataset=[{"name": "a", "inputs": "now"}], evaluator=False)
        def support(inputs):
            return inputs
        @support.assertions
        def check(attempt):
            assert attempt.output
            polite(attempt)
        """,
    )
    done = project.run("run", "--id", "one")
    trial = project.report("support", "one")["trials"][0]
    assert (done.returncode, trial["assertion_count"]) == (1, 2)
    assert "assert 'please' in 'now'" in trial["assertion_failure"]


def test_asserts_count_also_under_python_O(project: Project) -> None:
    project.write(
        "evals/support.py",
        """
        from llmeval import evaluation
        @evaluation(dataset=[{"name": "a", "inputs": "now"}], evaluator=False)
        def support(inputs):
            return inputs
        @support.assertions
        def check(attempt):
            assert attempt.output == "later"
        """,
    )
    done = subprocess.run(
        [sys.executable, "-O", "-m", "llmeval", "run", "-q"],
        cwd=project.root,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, "0 of 1 passed" in done.stdout) == (1, True)


def test_a_file_that_imports_another_eval_file_shares_its_module(project: Project) -> None:
    project.write(
        "evals/one.py",
        """
        from llmeval import evaluation
        @evaluation(dataset=[{"name": "a", "inputs": 1, "expected_output": 1}], evaluator="local")
        def one(inputs):
            return inputs
        """,
    )
    project.write(
        "evals/two.py",
        """
        from llmeval import evaluation
        from one import one
        import evals.one
        assert evals.one.one is one
        @evaluation(dataset=one.cases(), evaluator="local")
        def two(inputs):
            return one(inputs)
        """,
    )
    assert passed(project.run("run", "-q"), "one", "two")


def test_a_file_name_that_is_no_module_name_is_imported_all_the_same(project: Project) -> None:
    for name in ("my-support", "2nd", "class"):
        project.write(
            f"evals/{name}.py",
            f"""
            import pickle
            from llmeval import evaluation
            class Answer: pass
            @evaluation(name="{name}", dataset=[{{"name": "a", "inputs": 1, "expected_output": 1}}], evaluator="local")
            def perform(inputs):
                return 1 if type(pickle.loads(pickle.dumps(Answer()))) is Answer else 2
            """,
        )
    assert passed(project.run("run", "-q"), "my-support", "2nd", "class")
    project.write("evals/a.b.py", "import llmeval\nllmeval.evaluation(print)\n")
    done = project.run("run", "-q")
    assert (done.returncode, "rename the file" in done.stderr) == (2, True)


def test_a_package_that_raises_is_a_file_that_cannot_be_imported(project: Project) -> None:
    project.write("evals/__init__.py", "raise RuntimeError('no')\n")
    project.write("evals/a.py", "import llmeval\nllmeval.evaluation(print)\n")
    done = project.run("run")
    assert done.returncode == 2
    assert "evals/a.py cannot be imported: RuntimeError: no" in done.stderr


def test_an_object_is_loaded_by_path_and_name(project: Project) -> None:
    project.write("evals/judges.py", "class Quality: pass\n")
    assert load_object("evals/judges.py::Quality", project.root).__name__ == "Quality"
    with pytest.raises(DiscoveryError, match="has no 'Qality': did you mean 'Quality'"):
        load_object("evals/judges.py::Qality", project.root)
    with pytest.raises(DiscoveryError, match=r"there is no file 'evals/gone\.py'"):
        load_object("evals/gone.py::Quality", project.root)


def test_projects_of_one_process_do_not_mix(tmp_path: Path) -> None:
    for number in (1, 2, 3):
        project = Project(tmp_path / str(number))
        project.write("evals/_helper.py", f"NUMBER = {number}\n")
        project.write(
            "evals/judges.py", "from _helper import NUMBER\ndef later():\n    import _helper\n    return _helper\n"
        )
    for number in (1, 2, 3, 1, 2):
        root = tmp_path / str(number)
        assert load_object("evals/judges.py::NUMBER", root) == number
        helper = load_object("evals/judges.py::later", root)()
        assert number == helper.NUMBER
