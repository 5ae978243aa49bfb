"""Which cases a run takes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from projects import Project

from llmeval import Case, DatasetError, Options, Registry, SelectionError
from llmeval.plans import build_plan
from llmeval.selection import parse_where, select

CASES = [
    Case(name="one", inputs={"k": 1}, metadata={"category": "returns", "tags": ["a", "b"], "deep": {"x": 1}}),
    Case(name="two", inputs={"k": 2}, metadata={"category": "orders", "urgent": True}),
    Case(name="three", inputs={"k": 3}, expected_output="yes", metadata={"category": "returns"}),
    Case(name=4, inputs={"k": 4}),  # type: ignore[arg-type]
]


def chosen(**options: Any) -> list[str]:
    return [case.name for case in select(CASES, **options)]


def declared(**options: Any) -> Any:
    return Registry().evaluation(lambda inputs: inputs, name="echo", evaluator=False, **{"dataset": CASES, **options})


def test_only_selects_one_or_several_in_dataset_order() -> None:
    # R4
    assert chosen(only="two") == ["two"]
    assert chosen(only=["three", "one"]) == ["one", "three"]
    assert chosen(only=("one", "one")) == ["one"]
    assert chosen(only=(name for name in ["two"])) == ["two"]
    assert chosen(only=[4]) == ["4"]
    assert [trial.case.name for trial in declared().run(only=["three", "one"])] == ["one", "three"]


def test_all_unknown_names_are_listed_with_near_ones() -> None:
    # R4
    with pytest.raises(SelectionError) as error:
        chosen(only=["one", "tow", "xyz"])
    assert str(error.value) == (
        "there is no case 'tow': did you mean 'two'?; there is no case 'xyz': there is '4', 'one', 'three', 'two'"
    )


@pytest.mark.parametrize("only", [[], (), "", [""], 5, [None], [True], [["one"]]])
def test_an_empty_or_meaningless_selection_is_an_error(only: Any) -> None:
    # R4
    with pytest.raises(SelectionError):
        chosen(only=only)


def test_where_selects_by_metadata_inputs_and_name() -> None:
    assert chosen(where=parse_where(["metadata.category=returns"])) == ["one", "three"]
    assert chosen(where=parse_where(["metadata.tags=b"])) == ["one"]
    assert chosen(where=parse_where(["metadata.deep.x=1"])) == ["one"]
    assert chosen(where=parse_where(["metadata.urgent=true"])) == ["two"]
    assert chosen(where=parse_where(["inputs.k=3"])) == ["three"]
    assert chosen(where=parse_where(["name=two"])) == ["two"]
    assert chosen(where=parse_where(["expected_output=yes"])) == ["three"]


def test_several_conditions_must_all_hold() -> None:
    assert chosen(where=parse_where(["metadata.category=returns", "inputs.k=3"])) == ["three"]


def test_a_condition_that_selects_nothing_says_what_is_there() -> None:
    with pytest.raises(
        SelectionError, match=r"metadata.category=refunds: there metadata.category is 'returns', 'orders'"
    ):
        chosen(where=parse_where(["metadata.category=refunds"]))
    with pytest.raises(SelectionError, match="is nowhere"):
        chosen(where=parse_where(["metadata.kind=x"]))


@pytest.mark.parametrize("text", ["", "category=returns", "metadata.category", "evidence=x"])
def test_a_condition_of_another_form_is_refused(text: str) -> None:
    with pytest.raises(SelectionError, match="write PATH=VALUE"):
        parse_where([text])


def test_limit_keeps_the_first_of_the_selected() -> None:
    assert chosen(limit=2) == ["one", "two"]
    assert chosen(limit=1, where=parse_where(["inputs.k=3"])) == ["three"]
    assert chosen(limit=9) == ["one", "two", "three", "4"]


def test_where_and_limit_are_options_of_the_command_line(project: Project) -> None:
    project.write(
        "evals/echo.py",
        """
        from llmeval import evaluation
        @evaluation(evaluator="local")
        def echo(inputs):
            return inputs
        """,
    )
    project.write(
        "evals/echo.yaml",
        """
        cases:
          - {name: a, inputs: 1, expected_output: 1, metadata: {category: returns}}
          - {name: b, inputs: 1, expected_output: 1, metadata: {category: orders}}
          - {name: c, inputs: 1, expected_output: 1, metadata: {category: returns}}
        """,
    )
    done = project.run("run", "--where", "metadata.category=returns", "--limit", "1", "--id", "x")
    assert done.returncode == 0
    assert [trial["case"]["name"] for trial in project.report("echo", "x")["trials"]] == ["a"]
    assert project.run("run", "--where", "metadata.category=x").returncode == 2


def test_tags_select_evaluations(project: Project) -> None:
    for name, tags in (("a", ["fast"]), ("b", ["slow"]), ("c", ["fast", "slow"])):
        project.write(
            f"evals/{name}.py",
            f"""
            from llmeval import evaluation
            @evaluation(tags={tags}, dataset=[{{"name": "x", "inputs": 1, "expected_output": 1}}], evaluator="local")
            def {name}(inputs):
                return inputs
            """,
        )
    done = project.run("run", "-q", "--tag", "fast")
    assert [line.split()[1] for line in done.stdout.splitlines()[:-1]] == ["a:", "c:"]
    done = project.run("run", "--tag", "quick")
    assert (done.returncode, "there are fast, slow" in done.stderr) == (2, True)


# Where cases come from


def test_a_run_takes_the_dataset_that_it_is_given_before_the_declared_one() -> None:
    # D6
    made = declared()
    assert [case.name for case in made.cases(dataset=[{"name": "z", "inputs": 1}])] == ["z"]
    assert [trial.case.name for trial in made.run(dataset=lambda: [{"name": "z", "inputs": 1}])] == ["z"]


def test_a_dataset_function_is_called_once_per_run() -> None:
    # D6
    calls = []

    def cases() -> list[Case]:
        calls.append(1)
        return CASES

    made = declared(dataset=cases)
    made.run(repetitions=2)
    assert len(calls) == 1
    made.run()
    assert len(calls) == 2


def test_a_dataset_function_may_be_asynchronous() -> None:
    async def cases() -> list[Case]:
        return CASES

    assert len(declared(dataset=cases).cases()) == 4


def test_the_dataset_is_found_beside_the_file_by_the_last_part_of_the_name(project: Project) -> None:
    # D1
    project.write("evals/billing/x.py", "import llmeval\n@llmeval.evaluation(name='totals')\ndef y(i):\n    return i\n")
    project.write("evals/billing/totals.json", '[{"name": "a", "inputs": 1}]')
    assert project.run("cases", "billing/totals").returncode == 0
    project.write("evals/billing/totals.yaml", "[{name: a, inputs: 1}]")
    done = project.run("cases", "billing/totals")
    assert (done.returncode, "has 2 datasets" in done.stderr) == (2, True)


def test_listing_cases_runs_nothing() -> None:
    # R10
    made = Registry().evaluation(lambda inputs: 1 / 0, name="x", dataset=CASES, evaluator="openai:m")
    assert [case.name for case in made.cases(only="two")] == ["two"]


def test_a_dataset_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="is not there"):
        declared(dataset=tmp_path / "gone.yaml").cases()


def test_a_plan_numbers_trials_in_dataset_and_repetition_order() -> None:
    plan = build_plan(declared(), Options(only=["one", "two"], repetitions=2))
    assert [(case.name, repetition) for case, repetition in map(plan.at, range(plan.total))] == [
        ("one", 1),
        ("one", 2),
        ("two", 1),
        ("two", 2),
    ]
