"""Declaring evaluations: decorators, hooks, criteria, classes and what they inherit."""

from __future__ import annotations

import functools
import textwrap
from pathlib import Path
from typing import Any

import pytest

from llmeval import (
    Attempt,
    Case,
    ConfigurationError,
    DeclarationError,
    EvaluatorConfigError,
    Registry,
    criterion,
    probability,
    score,
)
from llmeval.evaluators.judge import Judge
from llmeval.evaluators.reviewer import Reviewer
from llmeval.naming import snake_case
from llmeval.providers.model import Model

CASES = [{"name": "a", "inputs": "hello", "expected_output": "hello"}]


def echo(inputs: Any) -> Any:
    return inputs


class Helpful(Judge):
    model = "decisions:gpt-6-luna"
    helpful = probability("Does it help?")
    tone = score("How kind is it?", ["rude", "plain", "kind"])


def names(evaluation: Any) -> list[str]:
    return [one.name for one in evaluation.criteria]


# Decorators


def test_a_function_is_declared_with_and_without_parentheses() -> None:
    registry = Registry()

    @registry.evaluation
    def bare(inputs: str) -> str:
        """What it does."""
        return inputs + "!"

    @registry.evaluation(name="other", tags=["fast"], timeout=3, require="2/3")
    def called(inputs: str) -> str:
        return inputs

    assert [one.name for one in registry] == ["bare", "other"]
    assert (called.tags, called.timeout, called.require) == (("fast",), 3, "2/3")
    assert bare("hi") == "hi!"
    assert (bare.__name__, bare.__doc__) == ("bare", "What it does.")


def test_an_evaluation_can_be_made_by_a_plain_call_with_options() -> None:
    made = Registry().evaluation(echo, name="plain", dataset=CASES, evaluator="local")
    assert made.name == "plain"
    assert made.run().passed


class Agent:
    def __init__(self, suffix: str = "") -> None:
        self.suffix = suffix

    def ask(self, question: str) -> str:
        return question + self.suffix

    def __call__(self, question: str) -> str:
        return question + self.suffix


class AsyncAgent:
    async def __call__(self, question: str) -> str:
        return question


async def echo_later(inputs: str) -> str:
    return inputs


@pytest.mark.parametrize(
    ("target", "name"),
    [
        (Agent().ask, "ask"),
        (Agent(), "agent"),
        (AsyncAgent(), "async_agent"),
        (functools.partial(echo), "echo"),
        (functools.partial(echo_later), "echo_later"),
        (echo_later, "echo_later"),
    ],
    ids=["bound method", "callable object", "async callable object", "partial", "async partial", "async function"],
)
def test_anything_that_can_be_called_with_one_value_can_be_evaluated(target: Any, name: str) -> None:
    made = Registry().evaluation(dataset=CASES, evaluator="local")(target)
    assert made.name == name
    assert made.run().passed


# F18
@pytest.mark.parametrize("inputs", [{"question": "q", "k": 3}, "plain text", ["q", 3], 0, {}, {"class": "x"}, None])
def test_perform_receives_the_one_value_whatever_its_shape(inputs: Any) -> None:
    case = {"name": "a", "inputs": inputs, "expected_output": inputs}
    received = []

    def perform(value: Any, /, k: int = 1) -> Any:
        received.append((value, k))
        return value

    report = Registry().evaluation(dataset=[case], evaluator=False)(perform).run()
    assert received == [(inputs, 1)]
    assert report.trials[0].error is None


# F18
def test_a_signature_that_does_not_take_one_value_is_refused_with_what_it_takes() -> None:
    def two(question: str, answer: str) -> None: ...
    def none() -> None: ...
    def keyword(question: str, *, strict: bool) -> None: ...
    def kwargs_only(**kwargs: Any) -> None: ...

    for target, message in [
        (two, r"perform requires \(question, answer\), but it is given one value"),
        (none, "no positional parameter"),
        (keyword, "given one value"),
        (kwargs_only, "no positional parameter"),
    ]:
        with pytest.raises(DeclarationError, match=message):
            Registry().evaluation(target)


# F18
def test_a_type_error_inside_perform_is_an_error_of_the_trial() -> None:
    def perform(inputs: Any) -> Any:
        return echo()  # type: ignore[call-arg]

    trial = Registry().evaluation(dataset=CASES, evaluator="local")(perform).run().trials[0]
    assert trial.error is not None
    assert trial.error.type == "TypeError"


def test_a_second_parameter_named_attempt_receives_the_attempt() -> None:
    seen: list[Any] = []

    @Registry().evaluation(dataset=CASES, evaluator=False)
    def one(inputs: str, attempt: Attempt) -> None:
        seen.append(attempt.case_name)

    @Registry().evaluation(dataset=CASES, evaluator=False)
    class Two:
        def perform(self, inputs: str, attempt: Attempt) -> None:
            seen.append(attempt is self)

    one.run()
    Two.run()
    assert seen == ["a", True]


@pytest.mark.parametrize("target", [5, None, "text", object()])
def test_what_cannot_be_called_is_refused(target: Any) -> None:
    with pytest.raises(DeclarationError):
        Registry().evaluation()(target)


def test_a_lambda_needs_a_name() -> None:
    with pytest.raises(DeclarationError, match=r"write @evaluation\(name='…'\)"):
        Registry().evaluation(lambda inputs: inputs)
    assert Registry().evaluation(name="shout")(lambda inputs: inputs).name == "shout"


def test_a_name_without_parentheses_says_how_to_write_it() -> None:
    with pytest.raises(DeclarationError, match=r"write @evaluation\(name='support'\)"):
        Registry().evaluation("support")  # type: ignore[call-overload]


def test_a_misspelled_option_is_refused_with_the_near_one() -> None:
    with pytest.raises(DeclarationError, match="no option 'evalutor': did you mean 'evaluator'"):
        Registry().evaluation(evalutor="local")  # type: ignore[call-overload]


@pytest.mark.parametrize(
    "options",
    [
        {"name": ""},
        {"name": " "},
        {"name": 5},
        {"tags": [""]},
        {"tags": [1]},
        {"timeout": 0},
        {"timeout": True},
        {"timeout": "3"},
        {"timeout": float("nan")},
        {"require": "3/2"},
        {"require": "x"},
        {"dataset": 5},
        {"dataset": True},
        {"dataset": lambda one: []},
    ],
)
def test_an_option_without_a_meaning_is_refused_at_declaration(options: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError):
        Registry().evaluation(**options)(echo)


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("RefundSafetyEvaluation", "refund_safety"),
        ("RefundSafety", "refund_safety"),
        ("HTTPAnswers", "http_answers"),
        ("Rag2Evaluation", "rag2"),
        ("Evaluation", "evaluation"),
    ],
)
def test_a_class_is_named_in_snake_case_without_a_trailing_evaluation(written: str, name: str) -> None:
    assert snake_case(written) == name


# Criteria


def test_without_criteria_correctness_is_checked() -> None:
    # E1
    made = Registry().evaluation(echo, dataset=CASES, evaluator="local")
    assert names(made) == ["correctness"]
    assert made.run().trials[0].evaluations[0].name == "correctness"


def test_declaring_a_criterion_replaces_the_implicit_correctness() -> None:
    # E2
    assert names(criterion("short", "It is short")(Registry().evaluation(echo))) == ["short"]


def test_correctness_is_included_by_name_beside_others() -> None:
    # E2
    made = criterion("correctness")(criterion("short", "It is short")(Registry().evaluation(echo)))
    assert [(one.name, one.compares) for one in made.criteria] == [("correctness", True), ("short", False)]


def test_correctness_with_instructions_needs_no_reference() -> None:
    # E2
    @Registry().evaluation(dataset=[{"name": "a", "inputs": 1}], evaluator="local")
    @criterion("correctness", "The answer is friendly")
    def friendly(inputs: int) -> int:
        return inputs

    assert not friendly.criteria[0].compares
    assert friendly.run().trials[0].evaluations[0].status == "unassessed"


def test_criteria_keep_their_order_on_the_page_above_and_below_the_decorator() -> None:
    @criterion("one", "1")
    @criterion("two", "2")
    @Registry().evaluation
    @criterion("three", "3")
    @criterion("four", "4")
    def both(inputs: str) -> str:
        return inputs

    @both.criterion("five")
    def five(attempt: Attempt) -> bool:
        return True

    assert names(both) == ["one", "two", "three", "four", "five"]


@pytest.mark.parametrize("name", ["", " ", None, 5])
def test_a_criterion_needs_a_name(name: Any) -> None:
    # E3
    with pytest.raises(DeclarationError):
        criterion(name, "It is short")


def test_a_criterion_is_not_declared_twice() -> None:
    # E3
    with pytest.raises(DeclarationError, match="criterion 'short' is declared twice"):
        criterion("short", "It is short")(criterion("short", "Again")(Registry().evaluation(echo)))
    with pytest.raises(DeclarationError, match="criterion 'short' is declared twice"):

        @criterion("short", "It is short")
        @criterion("short", "Again")
        def perform(inputs: str) -> str:
            return inputs


@pytest.mark.parametrize("minimum", [float("nan"), float("inf"), -float("inf"), True, "0.8", [1]])
def test_a_minimum_is_a_finite_number(minimum: Any) -> None:
    # E4
    with pytest.raises(DeclarationError, match="minimum"):
        criterion("short", "It is short", minimum=minimum)


def test_a_criterion_without_a_name_in_parentheses_says_how_to_write_it() -> None:
    with pytest.raises(DeclarationError, match="needs a name, as in"):
        criterion(echo)  # type: ignore[arg-type]
    made = Registry().evaluation(echo)
    with pytest.raises(DeclarationError, match="needs a name"):
        made.criterion(echo)  # type: ignore[arg-type]


def test_a_criterion_decorates_nothing_but_functions_and_classes() -> None:
    with pytest.raises(DeclarationError, match="not 5"):
        criterion("short", "It is short")(5)
    with pytest.raises(DeclarationError, match="put it above"):
        criterion("short", "It is short")(Agent().ask)


def test_a_code_criterion_grades_and_its_function_is_returned_unchanged() -> None:
    made = Registry().evaluation(echo, dataset=CASES)

    def short(attempt: Attempt) -> tuple[bool, str]:
        return len(attempt.output) < 4, "counted"

    assert made.criterion("short")(short) is short
    result = made.run().trials[0].evaluations[0]
    assert (result.name, result.value, result.reason) == ("short", False, "counted")


def test_a_criterion_is_not_applicable_where_its_when_is_false() -> None:
    cases = [{"name": "a", "inputs": 1, "metadata": {"kind": "x"}}, {"name": "b", "inputs": 2}]
    made = Registry().evaluation(echo, dataset=cases)
    made.criterion("only_x", when=lambda case: case.metadata.get("kind") == "x")(lambda attempt: True)
    one, two = made.run().trials
    assert [result.name for result in one.evaluations] == ["only_x"]
    assert (list(two.evaluations), list(two.not_applicable), two.passed) == ([], ["only_x"], False)


def test_a_when_that_raises_is_found_before_the_first_trial() -> None:
    ran: list[Any] = []
    made = Registry().evaluation(dataset=CASES, evaluator="local", name="x")(ran.append)
    criterion("correctness", when=lambda case: case.metadata["kind"] == "x")(made)
    with pytest.raises(EvaluatorConfigError, match="when= raised KeyError for case 'a'"):
        made.run()
    assert ran == []


def test_a_when_is_a_plain_function_of_the_case() -> None:
    async def later(case: Case) -> bool:
        return True

    with pytest.raises(DeclarationError, match="asynchronous"):
        criterion("short", "It is short", when=later)
    with pytest.raises(DeclarationError, match="called with"):
        criterion("short", "It is short", when=lambda: True)  # type: ignore[arg-type, misc]
    with pytest.raises(DeclarationError, match="when is 'x'"):
        criterion("short", "It is short", when="x")  # type: ignore[arg-type]


# Evaluators at declaration


@pytest.mark.parametrize(
    "evaluator",
    [
        False,
        "none",
        "local",
        "openai:gpt-6-luna",
        "anthropic:claude-sonnet-5-5",
        "decisions:gpt-6-luna",
        "evals/judges.py::Quality",
        Model("openai:gpt-6-luna", base_url="http://127.0.0.1:1/v1"),
        Reviewer("Be strict", model="openai:gpt-6-luna"),
        Helpful,
        Helpful(),
        lambda attempt: True,
        lambda attempt, criterion: 0.5,
        functools.partial(lambda limit, attempt: True, 5),
    ],
)
def test_every_kind_of_evaluator_is_accepted_at_declaration(evaluator: Any) -> None:
    # E7
    assert Registry().evaluation(echo, evaluator=evaluator).evaluator == evaluator


@pytest.mark.parametrize(
    "evaluator",
    [
        True,
        5,
        0.5,
        b"local",
        [],
        {"model": "openai:x"},
        object(),
        int,
        Agent,
        Model,
        "",
        "gpt-6-luna",
        "opnai:gpt-6-luna",
        "openai:",
        "openai: ",
        lambda: True,
        lambda one, two, three: True,
    ],
)
def test_anything_else_is_refused_at_declaration(evaluator: Any) -> None:
    # E7
    with pytest.raises(EvaluatorConfigError):
        Registry().evaluation(evaluator=evaluator)
        Registry().evaluation(evaluator=evaluator)(echo)
    with pytest.raises(EvaluatorConfigError):
        criterion("short", "It is short", evaluator=evaluator)


def test_grading_cannot_be_turned_off_for_one_criterion() -> None:
    # E8
    for off in (False, "none"):
        with pytest.raises(DeclarationError, match="leave the criterion out"):
            criterion("short", "It is short", evaluator=off)


# Hooks


def test_each_hook_returns_its_function_unchanged() -> None:
    made = Registry().evaluation(echo)

    def takes_attempt(attempt: Attempt) -> None: ...
    def takes_nothing() -> list[Any]:
        return []

    for decorate in (made.setup, made.assertions, made.teardown, made.adapt(Agent)):
        assert decorate(takes_attempt) is takes_attempt
    for decorate in (made.dataset, made.lifespan):
        assert decorate(takes_nothing) is takes_nothing


@pytest.mark.parametrize("hook", ["setup", "assertions", "teardown"])
def test_a_hook_that_does_not_take_the_attempt_is_refused(hook: str) -> None:
    made = Registry().evaluation(echo)
    with pytest.raises(DeclarationError, match=rf"{hook} is called with \(attempt\)"):
        getattr(made, hook)(lambda: None)
    with pytest.raises(DeclarationError, match=r"takes \(one, two\)"):
        getattr(made, hook)(lambda one, two: None)
    with pytest.raises(DeclarationError, match="not a function"):
        getattr(made, hook)(5)


def test_dataset_and_lifespan_functions_take_nothing() -> None:
    made = Registry().evaluation(echo)
    for hook in (made.dataset, made.lifespan):
        with pytest.raises(DeclarationError, match="called with no argument"):
            hook(lambda attempt: None)


def test_a_hook_that_is_declared_twice_is_refused_with_both_places() -> None:
    made = Registry().evaluation(echo)
    made.setup(lambda attempt: None)
    with pytest.raises(DeclarationError, match=r"test_evaluations\.py:\d+.* and .*test_evaluations\.py:\d+"):
        made.setup(lambda attempt: None)


def test_the_hooks_of_a_class_are_its_methods() -> None:
    @Registry().evaluation
    class Support:
        def perform(self, inputs: str) -> str:
            return inputs

    for hook in ("setup", "assertions", "teardown"):
        with pytest.raises(DeclarationError, match=rf"write {hook}\(self\) as a method"):
            getattr(Support, hook)(lambda attempt: None)


def test_two_sources_of_cases_on_one_evaluation_are_refused() -> None:
    # D7
    made = Registry().evaluation(echo, dataset=CASES)
    with pytest.raises(DeclarationError, match="both dataset= and a dataset function"):
        made.dataset(lambda: CASES)


def test_an_adapter_needs_a_class_and_a_function() -> None:
    # E10
    registry = Registry()
    made = registry.evaluation(echo)
    for owner in (registry, made):
        for kind in ("Agent", echo, None, list[int]):
            with pytest.raises(DeclarationError, match="takes the class"):
                owner.adapt(kind)  # type: ignore[arg-type]
        with pytest.raises(DeclarationError, match="not 5"):
            owner.adapt(Agent)(5)  # type: ignore[type-var]
        with pytest.raises(DeclarationError, match="adapter of Agent is called with"):
            owner.adapt(Agent)(lambda: None)


def test_two_adapters_for_one_class_are_refused_with_both_places() -> None:
    registry = Registry()
    registry.adapt(Agent)(lambda agent: 1)
    with pytest.raises(DeclarationError, match=r"@adapt\(Agent\) is declared twice, at .*:\d+.* and .*:\d+"):
        registry.adapt(Agent)(lambda agent: 2)


def test_an_evaluations_own_adapter_goes_before_the_registrys() -> None:
    registry = Registry()
    registry.adapt(Agent)(lambda agent: "everyone's")
    case = [{"name": "a", "inputs": "x", "expected_output": "own"}]
    made = registry.evaluation(dataset=case, evaluator="local", name="x")(lambda inputs: Agent())
    assert made.run().trials[0].output == "everyone's"
    made.adapt(Agent)(lambda agent: "own")
    assert made.run().trials[0].output == "own"


# Classes


def test_a_class_needs_a_perform() -> None:
    # E11
    with pytest.raises(DeclarationError, match=r"needs a method perform\(self, input\)"):

        @Registry().evaluation
        class Empty:
            def setup(self) -> None: ...


def test_the_methods_of_a_class_are_checked_at_declaration() -> None:
    class Takes:
        def perform(self) -> None: ...

    class Gives:
        def perform(self, inputs: str) -> str:
            return inputs

        def assertions(self, attempt: Attempt) -> None: ...

    class Needs(Gives):
        def __init__(self, model: str) -> None: ...

    for target in (Takes, Gives, Needs):
        with pytest.raises(DeclarationError):
            Registry().evaluation(target)


def test_a_member_that_hides_a_name_of_the_attempt_is_refused() -> None:
    with pytest.raises(DeclarationError, match="hides 'called', 'output' of the attempt: rename them"):

        @Registry().evaluation
        class Hiding:
            output = 5

            def called(self) -> None: ...

            def perform(self, inputs: str) -> str:
                return inputs


def test_self_has_what_an_attempt_has_also_without_deriving_from_it() -> None:
    seen = []

    @Registry().evaluation(dataset=CASES, evaluator="local")
    class Plain:
        def setup(self) -> None:
            self.greeting = "hi"

        def perform(self, inputs: str) -> str:
            return inputs

        def assertions(self) -> None:
            seen.append((self.greeting, self.case_name, self.output, self.metadata))  # type: ignore[attr-defined]
            self.assert_equal("hello", self.result)  # type: ignore[attr-defined]

    @Registry().evaluation(dataset=CASES, evaluator="local")
    class Typed(Attempt):
        def perform(self, inputs: str) -> str:
            seen.append((self.case_name, self.expected_output))
            return inputs

    assert Plain.run().trials[0].assertion_count == 1
    assert Typed.run().passed
    assert seen == [("hi", "a", "hello", {}), ("a", "hello")]


def test_every_trial_has_a_fresh_instance() -> None:
    # R1
    @Registry().evaluation(dataset=[*CASES, {"name": "b", "inputs": "x", "expected_output": "x"}], evaluator="local")
    class Counting:
        made = 0

        def perform(self, inputs: str) -> str:
            self.made += 1
            self.left = getattr(self, "left", 0) + 1
            return f"{inputs}" if (self.made, self.left) == (1, 1) else "leaked"

    assert Counting.run(repetitions=3).counts["passed"] == 6


# Inheritance (E9)


def family() -> tuple[Any, Any]:
    registry = Registry()

    @registry.evaluation(dataset=CASES, evaluator="local")
    @criterion("correctness")
    @criterion("short", "It is short")
    class Parent:
        def perform(self, inputs: str) -> str:
            return inputs

    @registry.evaluation
    @criterion("kind", "It is kind")
    @criterion("short", "At most ten words")
    class Child(Parent):  # type: ignore[valid-type, misc]
        pass

    return Parent, Child


def test_a_child_inherits_criteria_and_replaces_one_by_its_name_in_its_place() -> None:
    # E9
    _, child = family()
    assert [(one.name, one.instructions) for one in child.criteria] == [
        ("correctness", None),
        ("short", "At most ten words"),
        ("kind", "It is kind"),
    ]


def test_a_parent_never_changes() -> None:
    # E9
    parent, child = family()
    child.adapt(Agent)(lambda agent: 1)
    child.criterion("code")(lambda attempt: True)
    assert [(one.name, one.instructions) for one in parent.criteria] == [
        ("correctness", None),
        ("short", "It is short"),
    ]
    assert [Agent in adapters for adapters in parent.adapters] == [False, False]


def test_a_child_inherits_dataset_evaluator_adapters_and_lifespan() -> None:
    # E9
    parent, child = family()
    parent.adapt(Agent)(lambda agent: "adapted")
    parent.lifespan(lambda: __import__("contextlib").nullcontext("shared"))
    assert child.evaluator == "local"
    assert [case.name for case in child.cases()] == ["a"]
    assert any(Agent in adapters for adapters in child.adapters)
    assert child.hook("lifespan") is parent.hook("lifespan")
    assert child.run().trials[0].passed is False  # "kind" is unassessed by the local evaluator


def test_a_child_has_a_dataset_of_its_own_when_it_declares_one() -> None:
    _, child = family()
    child.dataset(lambda: [Case(name="b", inputs=1)])
    assert [case.name for case in child.cases()] == ["b"]


def test_an_implicit_correctness_is_never_inherited_as_a_declared_one() -> None:
    # E9
    registry = Registry()

    @registry.evaluation(dataset=CASES, evaluator="local")
    class Parent:
        def perform(self, inputs: str) -> str:
            return inputs

    @registry.evaluation
    @criterion("kind", "It is kind")
    class Child(Parent):  # type: ignore[valid-type, misc]
        pass

    assert names(Parent) == ["correctness"]
    assert names(Child) == ["kind"]
    assert Parent.declared_criteria == ()


def test_a_child_may_enable_grading_again() -> None:
    # E9
    registry = Registry()

    @registry.evaluation(dataset=CASES, evaluator=False)
    class Parent:
        def perform(self, inputs: str) -> str:
            return inputs

    @registry.evaluation(evaluator="local")
    class Child(Parent):  # type: ignore[valid-type, misc]
        pass

    assert (names(Parent), names(Child)) == ([], ["correctness"])
    assert Parent.run().trials[0].status == "measured"
    assert Child.run().passed


def test_criteria_of_a_mixin_that_is_no_evaluation_are_inherited() -> None:
    registry = Registry()

    @criterion("polite", "It is polite")
    class Polite:
        pass

    @registry.evaluation
    @criterion("short", "It is short")
    class Support(Polite):
        def perform(self, inputs: str) -> str:
            return inputs

    assert names(Support) == ["polite", "short"]


def test_a_child_calls_its_parents_methods() -> None:
    registry = Registry()

    @registry.evaluation(dataset=CASES, evaluator=False)
    class Parent:
        def perform(self, inputs: str) -> str:
            return inputs

        def assertions(self) -> None:
            assert self.result  # type: ignore[attr-defined]

    @registry.evaluation
    class Child(Parent):  # type: ignore[valid-type, misc]
        def perform(self, inputs: str) -> str:
            return str(super().perform(inputs)).upper()

        def assertions(self) -> None:
            super().assertions()
            assert self.result == "HELLO"  # type: ignore[attr-defined]

    trial = Child.run().trials[0]
    assert (trial.passed, trial.assertion_count) == (True, 2)


def test_a_function_cannot_be_inherited_from() -> None:
    made = Registry().evaluation(echo)
    with pytest.raises(DeclarationError, match="only an evaluation in class form can be inherited"):

        class Child(made):  # type: ignore[valid-type, misc]
            pass


# Assertions, wherever they are declared


def test_asserts_are_counted_and_explained_in_every_hook_of_a_function() -> None:
    made = Registry().evaluation(echo, dataset=CASES, evaluator=False)

    @made.setup
    def prepare(attempt: Attempt) -> None:
        assert attempt.input

    @made.assertions
    def check(attempt: Attempt) -> None:
        assert attempt.output
        assert attempt.output == "bye"

    trial = made.run().trials[0]
    assert trial.assertion_count == 3
    assert trial.assertion_failure.startswith("""assert 'hello' == "bye"\n  where attempt.output = 'hello'""")


class Checks:
    def assertions(self) -> None:
        assert self.output  # type: ignore[attr-defined]
        assert self.output == "bye"  # type: ignore[attr-defined]


def test_asserts_are_counted_in_the_methods_of_a_class_and_of_its_bases() -> None:
    @Registry().evaluation(dataset=CASES, evaluator=False)
    class Support(Checks):
        def perform(self, inputs: str) -> str:
            return inputs

        def setup(self) -> None:
            assert self.input  # type: ignore[attr-defined]

    trial = Support.run().trials[0]
    assert trial.assertion_count == 3
    assert "where self.output = 'hello'" in trial.assertion_failure


def test_a_failing_assert_of_a_code_criterion_is_its_reason() -> None:
    def check(attempt: Attempt) -> None:
        assert attempt.output == "bye"

    made = Registry().evaluation(echo, dataset=CASES)
    made.criterion("one")(check)
    criterion("two", evaluator=check)(made)
    for result in made.run().trials[0].evaluations:
        assert (result.status, "where attempt.output = 'hello'" in result.reason) == ("failed", True)


# Where a declaration belongs


def test_a_decorator_that_is_not_the_hooks_own_does_not_move_the_evaluation(tmp_path: Path) -> None:
    """The cases of an evaluation are beside the file that declares it, not beside a library's wrapper."""
    library = tmp_path / "library" / "retrying.py"
    library.parent.mkdir()
    library.write_text(
        textwrap.dedent("""
            import functools
            def retry(function):
                @functools.wraps(function)
                def again(*args, **kwargs):
                    return function(*args, **kwargs)
                return again
        """)
    )
    scope: dict[str, Any] = {}
    exec(compile(library.read_text(), str(library), "exec"), scope)
    made = Registry().evaluation(scope["retry"](echo))
    assert made.file == Path(__file__)
    assert made.name == "echo"
