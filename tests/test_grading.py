"""Who grades what: defaults, replacements, groups, definitions, and what is refused before the first trial."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from projects import Project

from llmeval import (
    DatasetError,
    EvaluatorConfigError,
    Model,
    Options,
    Registry,
    Reviewer,
    criterion,
    probability,
    score,
)
from llmeval.evaluators import AGENTS, evaluator_for
from llmeval.evaluators.agents import _FRAMEWORKS
from llmeval.evaluators.judge import Judge, choice
from llmeval.evaluators.local import LocalEvaluator
from llmeval.grading import default_evaluator, grading_of
from llmeval.plans import build_plan

CASES = [{"name": "a", "inputs": "hello", "expected_output": "hello"}]


class Quality(Judge):
    model = "decisions:gpt-6-luna"
    helpful = probability("Does it help?")
    tone = score("How kind is it?", ["rude", "plain", "kind"])
    topic = choice("What is it about?", ["refunds", "orders"])


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """No evaluator and no key but those that a test sets."""
    for name in ("LLMEVAL_EVALUATOR", "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    yield


def declared(evaluator: Any = None, *criteria: Any, **options: Any) -> Any:
    """Returns an evaluation of the identity, whose project is a folder of its own."""
    made = Registry().evaluation(lambda inputs: inputs, name="echo", dataset=CASES, evaluator=evaluator, **options)
    for decorate in criteria:
        decorate(made)
    return made


# The default


def test_the_environment_decides_before_the_project_and_the_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789")
    monkeypatch.setenv("LLMEVAL_EVALUATOR", "openai:chosen")
    assert default_evaluator(declared()) == ("openai:chosen", None)


def test_the_project_decides_before_the_keys(project: Project) -> None:
    project.write("pyproject.toml", '[tool.llmeval]\nevaluator = "local"\n')
    project.write("evals/echo.json", json.dumps(CASES))
    project.write(
        "evals/echo.py", "from llmeval import evaluation\n@evaluation\ndef echo(inputs):\n    return inputs\n"
    )
    done = project.run("run", "--id", "one", LLMEVAL_EVALUATOR=None, OPENAI_API_KEY="sk-0123456789")
    assert done.returncode == 0
    assert list(project.report("echo", "one")["definitions"]["evaluators"]) == ["local"]


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        (["ANTHROPIC_API_KEY"], "anthropic:"),
        (["OPENAI_API_KEY"], "openai:"),
        (["OPENAI_API_KEY", "ANTHROPIC_API_KEY"], "anthropic:"),
    ],
)
def test_else_the_provider_whose_key_is_set_grades_and_the_run_says_which(
    project: Project, keys: list[str], expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = _declared_in(project, monkeypatch)
    for key in keys:
        monkeypatch.setenv(key, "sk-0123456789")
    grading = grading_of(made)
    assert grading.evaluators[0].describe().startswith(expected)
    assert f"grades, because {keys[-1]} is set" in grading.notes[0]


def test_without_any_the_error_lists_the_cures(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    made = _declared_in(project, monkeypatch)
    with pytest.raises(EvaluatorConfigError) as error:
        made.run()
    for cure in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "--evaluator", "LLMEVAL_EVALUATOR", "'local'", "--no-grading"):
        assert cure in str(error.value)


def test_a_configured_default_that_is_no_evaluator_names_its_place(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LLMEVAL_EVALUATOR", "gpt")
    with pytest.raises(EvaluatorConfigError, match="LLMEVAL_EVALUATOR: evaluator is 'gpt'"):
        declared().run()
    monkeypatch.delenv("LLMEVAL_EVALUATOR")
    project.write("pyproject.toml", "[tool.llmeval]\nevaluator = 5\n")
    with pytest.raises(EvaluatorConfigError, match=r"\[tool.llmeval\] evaluator: evaluator is 5"):
        _declared_in(project, monkeypatch).run()


def test_a_default_of_none_turns_grading_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLMEVAL_EVALUATOR", "none")
    assert declared().run().trials[0].status == "measured"


# What each kind becomes


def test_text_forms_and_objects_become_their_evaluators() -> None:
    # E7
    assert isinstance(evaluator_for("local"), LocalEvaluator)
    assert evaluator_for("openai:gpt-6-luna").describe() == "openai:gpt-6-luna"
    assert evaluator_for("openai:gpt-6-luna").kind == "reviewer"
    assert evaluator_for("anthropic:claude-sonnet-5-5").kind == "reviewer"
    assert evaluator_for(Model("openai:m", base_url="http://127.0.0.1:1/v1")).kind == "reviewer"
    assert evaluator_for("decisions:gpt-6-luna").kind == "judge"
    reviewer = Reviewer("Be strict", tools=[], model="openai:m")
    assert evaluator_for(reviewer) is reviewer
    assert isinstance(evaluator_for(Quality), Quality)
    assert evaluator_for(lambda attempt: True).kind == "function"


def test_a_subclass_of_reviewer_is_made() -> None:
    class Strict(Reviewer):
        instructions = "Be strict"
        model = "openai:m"

    assert evaluator_for(Strict).instructions == "Be strict"


def test_agents_are_told_by_the_classes_that_can_grade() -> None:
    assert set(_FRAMEWORKS) == AGENTS

    class Agent:
        def __call__(self, attempt: Any) -> bool:
            return True

    Agent.__module__ = "agents.agent"
    assert evaluator_for(Agent()).kind == "function"


def test_a_pydantic_ai_agent_is_accepted_and_one_with_an_output_type_is_refused() -> None:
    # V7
    pydantic_ai = pytest.importorskip("pydantic_ai")
    from pydantic_ai.models.test import TestModel

    agent = pydantic_ai.Agent(TestModel(), instructions="Be strict")
    assert grading_of(declared(agent)).evaluators[0].kind == "agent"
    made = declared(pydantic_ai.Agent(TestModel(), output_type=int))
    with pytest.raises(EvaluatorConfigError, match="sets its own output type"):
        made.run()


def test_a_judge_of_ones_own_is_named_by_path(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.write(
        "evals/judges.py",
        """
        from llmeval import Judge, probability
        class Quality(Judge):
            model = "decisions:gpt-6-luna"
            helpful = probability("Does it help?")
        number = 5
        """,
    )
    monkeypatch.chdir(project.root)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789")
    grading = grading_of(declared(), "evals/judges.py::Quality")
    assert [one.name for one in grading.criteria] == ["helpful"]
    assert grading.groups[0].key == "Quality on openai:gpt-6-luna"
    made = _declared_in(project, monkeypatch, evaluator="evals/judges.py::Quality")
    assert [one.name for one in made.criteria] == ["helpful"]
    with pytest.raises(EvaluatorConfigError, match=r"evals/judges\.py::number: evaluator is 5"):
        declared().run(evaluator="evals/judges.py::number")


# Off


def test_criteria_without_an_evaluator_of_their_own_are_an_error_when_grading_is_off() -> None:
    # E8
    ran: list[Any] = []
    for off in (False, "none"):
        made = Registry().evaluation(ran.append, name="x", dataset=CASES, evaluator=off)
        criterion("short", "It is short")(made)
        with pytest.raises(EvaluatorConfigError, match="grading is off, but 'short' needs an evaluator"):
            made.run()
        with pytest.raises(EvaluatorConfigError, match="grading is off"):
            declared("local", criterion("short", "It is short")).run(evaluator=off)
    assert ran == []


def test_criteria_with_an_evaluator_of_their_own_are_graded_when_grading_is_off() -> None:
    # E6, E8
    made = declared(False, criterion("short", evaluator=lambda attempt: True))
    assert made.run().passed


def test_without_grading_criteria_are_unassessed_and_nobody_is_asked() -> None:
    made = declared("openai:m", criterion("code", evaluator=lambda attempt: 1 / 0), criterion("short", "It is short"))
    trial = made.run(options=Options(grading=False)).trials[0]
    assert [(one.name, one.status) for one in trial.evaluations] == [("short", "unassessed"), ("code", "unassessed")]


# Missing keys


def test_a_missing_key_is_an_error_before_any_trial() -> None:
    ran: list[Any] = []
    made = Registry().evaluation(ran.append, name="x", dataset=CASES, evaluator="openai:m")
    with pytest.raises(EvaluatorConfigError, match="needs a key: set OPENAI_API_KEY"):
        made.run()
    assert ran == []


def test_a_missing_key_of_an_evaluator_that_is_not_used_is_none() -> None:
    made = declared("openai:m", criterion("correctness"))
    assert made.run(evaluator="local").passed
    assert declared("openai:m", criterion("short", evaluator=lambda attempt: True)).run().passed


# Groups


def test_criteria_are_grouped_by_evaluator_and_each_is_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    # E6
    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789")
    made = declared(
        "openai:m",
        criterion("d", "It is d", evaluator="openai:m"),
        criterion("c", "It is c", evaluator="openai:other"),
        criterion("b", "It is b"),
        criterion("a", "It is a"),
    )
    grading = grading_of(made)
    assert [(group.key, [one.name for one in group.criteria]) for group in grading.groups] == [
        ("openai:m", ["a", "b", "d"]),
        ("openai:other", ["c"]),
    ]
    assert build_plan(made, Options(repetitions=3)).requests == (("openai:m", 3, True), ("openai:other", 3, True))


def test_equal_models_are_one_evaluator_and_different_settings_are_two(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789")
    made = declared(
        Model("openai:m"),
        criterion("c", "It is c", evaluator=Model("openai:m", temperature=0)),
        criterion("b", "It is b", evaluator=Model("openai:m")),
        criterion("a", "It is a"),
    )
    groups = grading_of(made).groups
    assert [[one.name for one in group.criteria] for group in groups] == [["a", "b"], ["c"]]
    assert [group.key for group in groups] == ["openai:m", "openai:m #2"]


def test_the_evaluation_of_a_judge_asks_its_questions_beside_criteria_of_their_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # V8
    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789")
    made = declared(Quality, criterion("short", evaluator=lambda attempt: True))
    assert [one.name for one in made.criteria] == ["short", "helpful", "tone", "topic"]
    assert [one.name for one in grading_of(made).criteria] == ["short", "helpful", "tone", "topic"]


# References


def test_references_are_needed_on_every_selected_case_that_correctness_applies_to() -> None:
    # C6
    cases = [{"name": "a", "inputs": 1, "expected_output": 1}, {"name": "b", "inputs": 2}, {"name": "c", "inputs": 3}]
    ran: list[Any] = []

    def perform(inputs: Any) -> Any:
        ran.append(inputs)
        return inputs

    for decorate in (lambda made: made, criterion("correctness")):
        made = decorate(Registry().evaluation(perform, dataset=cases, evaluator="local"))
        with pytest.raises(DatasetError, match="missing in 2 of the selected cases: 'b', 'c'"):
            made.run()
        assert ran == []
        assert made.run(only="a").passed
        ran.clear()
    limited = criterion("correctness", when=lambda case: case.has_expected_output)(
        Registry().evaluation(perform, dataset=cases, evaluator="local")
    )
    assert limited.run().counts["passed"] == 1


@pytest.mark.parametrize("reference", [None, False, 0, "", [], {}])
def test_an_explicit_reference_counts_whatever_its_value(reference: Any) -> None:
    # C5
    case = {"name": "a", "inputs": reference, "expected_output": reference}
    assert Registry().evaluation(lambda inputs: inputs, name="x", dataset=[case], evaluator="local").run().passed


# Instructions


def test_missing_instructions_are_an_error_before_anything_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    # E5
    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789")
    for evaluator in ("openai:m", Quality):
        with pytest.raises(EvaluatorConfigError, match="criterion 'short' has no instructions"):
            declared(evaluator, criterion("short")).run()
    for evaluator in ("openai:m", Quality, "local"):
        grading_of(declared(evaluator, criterion("correctness")))
    grading_of(declared(Quality, criterion("helpful")))
    grading_of(declared(lambda attempt: True, criterion("short")))
    grading_of(declared("openai:m", criterion("short", evaluator=lambda attempt: True)))


def test_instructions_for_an_existing_question_are_an_error() -> None:
    # V8
    with pytest.raises(EvaluatorConfigError, match="leave them out, or rename"):
        declared(Quality, criterion("helpful", "It helps")).run()


# Minimums


def test_a_minimum_for_an_evaluator_of_verdicts_or_a_choice_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    # E4, V9
    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789")
    for evaluator in ("openai:m", "local"):
        with pytest.raises(EvaluatorConfigError, match=r"minimum=0.8 needs a probability or a score"):
            declared(evaluator, criterion("short", "It is short", minimum=0.8)).run()
    with pytest.raises(EvaluatorConfigError, match="no meaning for a choice"):
        declared(Quality, criterion("topic", minimum=0.8)).run()


def test_a_minimum_sets_the_pass_mark_of_an_existing_question(monkeypatch: pytest.MonkeyPatch) -> None:
    # V8
    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789")
    found = grading_of(declared(Quality, criterion("tone", minimum=2))).criteria
    assert {one.name: one.minimum for one in found} == {"tone": 2, "helpful": None, "topic": None}


def test_a_replacement_sets_a_minimum_aside_that_it_cannot_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789")
    made = declared(Quality, criterion("kind", "It is kind", minimum=0.8), criterion("tone", "Tone", minimum=2))
    for replacement, kept, why in [
        ("local", [None, None], "local gives verdicts"),
        ("decisions:other", [0.8, None], "answers on another scale"),
    ]:
        grading = grading_of(made, replacement)
        assert sorted((one.name, one.minimum) for one in grading.criteria) == list(
            zip(["kind", "tone"], kept, strict=True)
        )
        assert [note for note in grading.notes if why in note and "set aside" in note]
    assert "the minimum of 2 for 'tone' is set aside: local gives verdicts" in grading_of(made, "local").notes


def test_a_replacement_replaces_the_evaluations_evaluator_and_not_a_criterions() -> None:
    made = declared("openai:m", criterion("own", evaluator=lambda attempt: (False, "mine")), criterion("correctness"))
    results = made.run(evaluator="local").trials[0].evaluations
    assert [(one.name, one.status) for one in results] == [("correctness", "passed"), ("own", "failed")]


def test_a_replacement_that_is_no_evaluator_is_refused_also_where_none_is_needed() -> None:
    made = declared(False, criterion("own", evaluator=lambda attempt: True))
    for replacement in (5, "gpt", True):
        with pytest.raises(EvaluatorConfigError):
            made.run(evaluator=replacement)


# Definitions


def fingerprints(made: Any) -> dict[str, str]:
    return {one["name"]: one["fingerprint"] for one in grading_of(made).definitions()["criteria"]}


def test_a_criterions_fingerprint_covers_text_kind_and_minimum(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789")

    def one(evaluator: Any, *args: Any, **options: Any) -> str:
        return fingerprints(declared(evaluator, criterion("x", *args, **options)))["x"]

    base = one("openai:m", "It is short")
    assert base == one("openai:other", "It is short")
    assert len({base, one("openai:m", "It is long"), one("decisions:m", "It is short")}) == 3
    assert one("decisions:m", "It is short") != one("decisions:m", "It is short", minimum=0.5)


def test_a_code_criterions_fingerprint_covers_its_source() -> None:
    def fingerprint(function: Any) -> str:
        made = declared(False)
        made.criterion("x")(function)
        return fingerprints(made)["x"]

    def longer_than(limit: int) -> Any:
        return lambda attempt: len(attempt.output) > limit

    assert fingerprint(lambda attempt: True) != fingerprint(lambda attempt: False)
    assert fingerprint(longer_than(10)) == fingerprint(longer_than(10))
    assert fingerprint(longer_than(10)) != fingerprint(longer_than(20))


def test_a_questions_fingerprint_covers_its_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789")

    class Reworded(Quality):
        helpful = probability("Does it really help?")

    before, after = fingerprints(declared(Quality)), fingerprints(declared(Reworded))
    assert before["tone"] == after["tone"]
    assert before["helpful"] != after["helpful"]


def test_definitions_are_json_with_the_evaluators_identity(monkeypatch: pytest.MonkeyPatch) -> None:
    # S3
    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789")
    made = declared("openai:m", criterion("own", evaluator=lambda attempt: True), criterion("short", "It is short"))
    found = json.loads(json.dumps(build_plan(made, Options()).definitions))
    assert [(one["name"], one["kind"], one["evaluator"].partition(".")[0]) for one in found["criteria"]] == [
        ("short", "verdict", "openai:m"),
        ("own", "function", "test_definitions_are_json_with_the_evaluators_identity"),
    ]
    identity = found["evaluators"]["openai:m"]
    assert (identity["model"], len(identity["fingerprint"])) == ("openai:m", 64)


def _declared_in(project: Project, monkeypatch: pytest.MonkeyPatch, **options: Any) -> Any:
    """Returns an evaluation whose project is `project`."""
    from llmeval.project import project_at

    made = declared(**options)
    monkeypatch.chdir(project.root)
    made.project = project_at(project.root)
    return made
