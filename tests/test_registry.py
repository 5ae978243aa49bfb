"""Registries: names, their collisions, and evaluations that are declared again."""

from __future__ import annotations

from typing import Any

import pytest
from projects import Project

import llmeval
from llmeval import DeclarationError, Registry, SelectionError


def cell(source: str, number: int, scope: dict[str, Any]) -> None:
    """Runs a notebook's cell, whose code is in no file."""
    exec(compile(source, f"<ipython-input-{number}>", "exec"), scope)


def notebook() -> dict[str, Any]:
    return {"__name__": "__main__", "registry": Registry()}


def test_a_registry_is_iterated_in_the_order_of_declaration() -> None:
    registry = Registry()
    for name in ("b", "a", "c"):
        registry.evaluation(name=name)(lambda inputs: inputs)
    assert [one.name for one in registry] == ["b", "a", "c"]
    assert (len(registry), "a" in registry, "d" in registry) == (3, True, False)


def test_registries_share_nothing() -> None:
    one, two = Registry(), Registry()
    one.adapt(Project)(lambda project: 1)
    made = two.evaluation(name="x")(lambda inputs: inputs)
    assert (len(one), len(two)) == (0, 1)
    assert not any(Project in adapters for adapters in made.adapters)


def test_get_finds_an_evaluation_by_its_name() -> None:
    registry = Registry()
    made = registry.evaluation(name="billing/totals")(lambda inputs: inputs)
    assert registry.get("billing/totals") is made


def test_an_unknown_name_suggests_near_ones() -> None:
    registry = Registry()
    for name in ("support", "billing/totals", "refunds"):
        registry.evaluation(name=name)(lambda inputs: inputs)
    with pytest.raises(SelectionError, match="no evaluation 'suport': did you mean 'support'"):
        registry.get("suport")
    with pytest.raises(SelectionError, match="did you mean 'billing/totals'"):
        registry.get("totals")
    with pytest.raises(SelectionError, match="there is 'support', 'billing/totals', 'refunds'"):
        registry.get("xyz")
    with pytest.raises(SelectionError, match="nor any other"):
        Registry().get("support")


def test_the_default_registry_finds_an_evaluation_that_is_not_imported_yet(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.write(
        "evals/found_by_get.py",
        """
        from llmeval import evaluation
        @evaluation(dataset=[{"name": "a", "inputs": 1}], evaluator=False)
        def found_by_get(inputs):
            return inputs
        """,
    )
    monkeypatch.chdir(project.root)
    assert llmeval.get("found_by_get").file == project.root / "evals/found_by_get.py"
    with pytest.raises(SelectionError, match="did you mean 'found_by_get'"):
        llmeval.get("found_by_gett")


def test_a_notebook_cell_that_is_run_twice_replaces_its_evaluation() -> None:
    scope = notebook()
    source = "@registry.evaluation\ndef support(inputs):\n    return '{}'\n"
    cell(source.format("one"), 1, scope)
    cell(source.format("two"), 2, scope)
    assert [one.name for one in scope["registry"]] == ["support"]
    assert scope["registry"].get("support")("x") == "two"


def test_a_notebook_cell_of_a_hook_that_is_run_twice_replaces_the_hook() -> None:
    scope = notebook()
    cell("@registry.evaluation\ndef support(inputs):\n    return inputs\n", 1, scope)
    hooks = """
@support.assertions
def check(attempt):
    attempt.{0} = 1
@support.criterion("short")
def short(attempt):
    return {1}
@support.adapt(int)
def adapted(number):
    return number
@support.dataset
def cases():
    return [{{"name": "{0}", "inputs": "x"}}]
"""
    cell(hooks.format("one", False), 2, scope)
    cell(hooks.format("two", True), 3, scope)
    report = scope["support"].run()
    assert [trial.case.name for trial in report] == ["two"]
    assert [result.value for result in report.trials[0].evaluations] == [True]


def test_a_notebook_cell_of_a_class_that_is_run_twice_replaces_it() -> None:
    scope = notebook()
    source = """
@registry.evaluation(evaluator=False, dataset=[{"name": "a", "inputs": 1}])
class Support:
    def perform(self, inputs):
        return "%s"
"""
    cell(source % "one", 1, scope)
    cell(source % "two", 2, scope)
    assert [one.run().trials[0].output for one in scope["registry"]] == ["two"]


def test_another_function_of_the_name_in_a_notebook_is_refused() -> None:
    scope = notebook()
    cell("@registry.evaluation(name='x')\ndef one(inputs):\n    return inputs\n", 1, scope)
    with pytest.raises(DeclarationError, match="two evaluations are named 'x'"):
        cell("@registry.evaluation(name='x')\ndef two(inputs):\n    return inputs\n", 2, scope)


def test_a_name_that_two_declarations_claim_is_an_error_that_names_both_files(project: Project) -> None:
    for name in ("one", "two"):
        project.write(
            f"evals/{name}.py",
            """
            from llmeval import evaluation
            @evaluation
            def support(inputs):
                return inputs
            """,
        )
    done = project.run("run")
    assert done.returncode == 2
    assert "two evaluations are named 'support'" in done.stderr
    assert str(project.root / "evals/one.py") in done.stderr
    assert str(project.root / "evals/two.py") in done.stderr
    assert "Traceback" not in done.stderr
    assert project.run("run", "support").returncode == 2


def test_a_file_that_is_imported_under_two_names_declares_once(project: Project) -> None:
    project.write(
        "evals/billing/invoices.py",
        """
        from llmeval import evaluation
        @evaluation(dataset=[{"name": "a", "inputs": 1}])
        def totals(inputs):
            return inputs
        """,
    )
    project.write(
        "check.py",
        """
        import sys
        sys.path[:0] = ["evals", "evals/billing"]
        import evals.billing.invoices, billing.invoices, invoices
        from llmeval.declarations import default_registry
        print([one.name for one in default_registry])
        """,
    )
    import subprocess
    import sys

    done = subprocess.run([sys.executable, "check.py"], cwd=project.root, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['billing/totals']"


def test_the_sub_folder_is_a_prefix_also_under_pytest(project: Project) -> None:
    project.write(
        "evals/billing/test_invoices.py",
        """
        from llmeval import Registry
        registry = Registry()
        @registry.evaluation(dataset=[{"name": "a", "inputs": 1}])
        def totals(inputs):
            return inputs
        def test_its_name():
            assert totals.name == "billing/totals"
            assert totals.file.name == "test_invoices.py"
        """,
    )
    import subprocess
    import sys

    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "evals/billing"],
        cwd=project.root,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "1 passed" in done.stdout, done.stdout
