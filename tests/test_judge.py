"""Judges: questions, criteria, and answers by decisions, in words and by log-probabilities."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from model_graders import KEY, criteria, grade, grade_with_notes, model, subject
from stub_server import StubServer

from llmeval.criteria import Criterion
from llmeval.errors import DeclarationError, EvaluatorConfigError, EvaluatorError
from llmeval.evaluators import evaluator_for
from llmeval.evaluators.base import RequestCount
from llmeval.evaluators.distributions import measure
from llmeval.evaluators.judge import Judge, choice, probability, score
from llmeval.evaluators.logprobs import chances
from llmeval.evaluators.questions import Asked
from llmeval.evaluators.replies import Unreadable
from llmeval.providers import Model
from llmeval.results import Choice, Probability, Score, Status

RESOURCES = Path(__file__).parent / "resources" / "replies"


class Quality(Judge):
    model = "decisions:gpt-6-luna"
    correctness = probability("Is the answer correct?", yes="it agrees", no="it does not")
    tone = choice("Which tone?", {"warm": "as to a friend", "cold": None, True: None})
    depth = score("How deep is it?", ["shallow", "fair", "deep"])


QUESTIONS = [Criterion(name=name) for name in Quality.questions]


def native(server: StubServer, name: str) -> Model:
    return model(server, name, "decisions")


def test_questions_become_criteria_in_their_order() -> None:
    assert [one.name for one in Quality().own_criteria()] == ["correctness", "tone", "depth"]
    assert Quality().requests(QUESTIONS) == RequestCount(requests=1)


def test_decisions_answer_all_questions_in_one_request_with_native_probabilities(model_server: StubServer) -> None:
    [grades] = grade(Quality(native(model_server, "pass")), QUESTIONS, subject())

    assert [result.value for result in grades.results] == [
        Probability(0.9),
        Choice("warm", {"warm": 0.8, "cold": 0.1, True: 0.1}, 0.8),
        Score(2.0, ("shallow", "fair", "deep"), {0: 0.0, 1: 0.0, 2: 1.0}, 1.0),
    ]
    assert {result.method for result in grades.results} == {"native"}
    assert {result.model for result in grades.results} == {"stub-pass-2026-10-01"}
    assert {result.status for result in grades.results} == {Status.MEASURED}
    assert model_server.stats.total() == 1 == grades.usage.requests
    assert grades.usage.tokens is not None
    assert (grades.usage.tokens.input, grades.usage.tokens.cache_write) == (50, 4)


def test_the_decisions_request_is_the_apis_own(model_server: StubServer) -> None:
    grade(Quality(native(model_server, "pass")), QUESTIONS, subject(expected="42"))

    [request] = model_server.requests
    assert request["path"] == "/v1/decisions"
    assert {question["name"]: question for question in request["body"]["questions"]} == {
        "correctness": {
            "type": "predicate",
            "name": "correctness",
            "instructions": "Is the answer correct?\nYes: it agrees\nNo: it does not",
        },
        "tone": {
            "type": "choice",
            "name": "tone",
            "instructions": "Which tone?",
            "choices": [{"value": "warm", "description": "as to a friend"}, {"value": "cold"}, {"value": True}],
        },
        "depth": {
            "type": "score",
            "name": "depth",
            "instructions": "How deep is it?",
            "levels": [{"label": "shallow"}, {"label": "fair"}, {"label": "deep"}],
        },
    }
    assert [item["role"] for item in request["body"]["input"]] == ["developer", "user"]
    assert "a-secret-name" not in json.dumps(request["body"])


def test_the_request_is_what_the_sdks_own_method_sends(model_server: StubServer) -> None:
    import openai

    grade(Quality(native(model_server, "pass")), QUESTIONS, subject())
    [body] = model_server.bodies

    async def by_hand() -> Any:
        async with openai.AsyncOpenAI(base_url=model_server.openai_url, api_key=KEY) as client:
            return await client.decisions.create(**body)

    decision = asyncio.run(by_hand())
    assert model_server.bodies[1] == body
    assert {answer.type for answer in decision.answers} == {"predicate", "choice", "score"}


def test_a_minimum_turns_a_measure_into_a_pass_or_a_fail_in_its_own_scale(model_server: StubServer) -> None:
    asked = [Criterion(name="correctness", minimum=0.9), Criterion(name="depth", minimum=1.5), Criterion(name="tone")]
    [passing] = grade(Quality(native(model_server, "pass")), asked, subject())
    [failing] = grade(Quality(native(model_server, "fail")), asked, subject())

    assert [result.status for result in passing.results] == [Status.PASSED, Status.PASSED, Status.MEASURED]
    assert [result.status for result in failing.results] == [Status.FAILED, Status.FAILED, Status.MEASURED]


def test_a_refusal_of_one_question_is_an_error_of_that_criterion_alone(model_server: StubServer) -> None:
    [grades] = grade(Quality(native(model_server, "refusal")), QUESTIONS, subject())

    errors = [result for result in grades.results if result.status is Status.ERROR]
    assert len(errors) == 1
    assert errors[0].error is not None
    assert f"refused to answer the question {errors[0].name!r}" in errors[0].error.message
    assert model_server.stats.total() == 1


def test_any_other_criterion_becomes_a_probability_question(model_server: StubServer) -> None:
    asked = [*QUESTIONS, *criteria("short")]
    [grades] = grade(Quality(native(model_server, "pass")), asked, subject())

    assert grades.results[-1].value == Probability(0.9)
    [question] = [one for one in model_server.bodies[0]["questions"] if one["name"] == "short"]
    assert question == {"type": "predicate", "name": "short", "instructions": "Is this so? The answer is short"}


def test_a_question_named_correctness_needs_no_reference_and_the_comparison_does() -> None:
    class Other(Judge):
        model = "decisions:m"
        kind_of_it = probability("Is it kind?")

    assert not Quality().needs_reference
    assert Other().needs_reference
    assert Judge("decisions:m").needs_reference


def test_a_judge_of_only_a_model_asks_every_criterion_as_a_probability(model_server: StubServer) -> None:
    judge = evaluator_for(native(model_server, "pass"))
    [grades] = grade(judge, [Criterion(name="correctness", minimum=0.5)], subject(expected="42"))

    assert grades.results[0].status is Status.PASSED
    assert "agrees with `expected_output`" in model_server.bodies[0]["questions"][0]["instructions"]


@pytest.mark.parametrize("protocol", ["chat", "responses", "messages"])
def test_another_model_is_asked_to_state_its_probabilities(model_server: StubServer, protocol: str) -> None:
    def reply(body: dict[str, Any]) -> Any:
        text = json.dumps(body)
        answers = {}
        for key in ("q1", "q2", "q3"):
            words = text.split(f"{key}: ")[1].split("q", 1)[0]
            if "correct?" in words:
                answers[key] = {"reason": "about right", "probability": 0.7}
            elif "tone?" in words:
                answers[key] = {"reason": "warm", "probabilities": {"o0": 0.6, "o1": 0.2, "o2": 0.0}}
            else:
                answers[key] = {"reason": "deep", "probabilities": {"o0": 0, "o1": 1, "o2": 1}}
        return {"answers": answers}

    model_server.reply = reply
    [grades] = grade(Quality(model(model_server, "pass", protocol)), QUESTIONS, subject())

    correctness, tone, depth = (result.value for result in grades.results)
    assert correctness == Probability(0.7)
    assert isinstance(tone, Choice)
    assert isinstance(depth, Score)
    assert (tone.choice, tone.probabilities) == ("warm", pytest.approx({"warm": 0.75, "cold": 0.25, True: 0.0}))
    assert (depth.score, depth.probabilities, depth.confidence) == (1.5, {0: 0.0, 1: 0.5, 2: 0.5}, 0.5)
    assert {result.method for result in grades.results} == {"stated"}
    assert [result.reason for result in grades.results] == ["about right", "warm", "deep"]
    assert model_server.stats.total() == 1


@pytest.mark.parametrize("name", ["missing", "strnum", "truncated", "refusal"])
def test_a_stated_answer_that_cannot_be_read_is_an_error_after_one_repair(model_server: StubServer, name: str) -> None:
    [grades] = grade(Quality(model(model_server, name)), QUESTIONS, subject())

    assert {result.status for result in grades.results} == {Status.ERROR}
    assert all(result.value is None for result in grades.results)
    assert model_server.stats.total() == 2


@pytest.mark.parametrize(
    "answer",
    [
        {"probability": 1.2},
        {"probability": -0.1},
        {"probability": True},
        {"probability": "0.8"},
        {"probability": None},
        {"probability": [0.8]},
        {"reason": "r"},
        {"reason": ["a"], "probability": 0.5},
    ],
)
def test_a_stated_probability_is_never_clamped_or_converted(model_server: StubServer, answer: Any) -> None:
    model_server.reply = lambda body: {"answers": {"q1": answer}}
    [grades] = grade(Judge(model(model_server, "pass")), criteria("kind"), subject())

    assert grades.results[0].status is Status.ERROR
    assert grades.results[0].evidence == {"raw": json.dumps({"answers": {"q1": answer}})}


def test_with_the_sdks_own_url_a_server_without_decisions_is_asked_over_chat(
    model_server: StubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", model_server.openai_url)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    judge = Quality("decisions:stub-norespond")
    grades, notes = grade_with_notes(judge, QUESTIONS, *[subject(inputs=n) for n in range(3)])

    assert {result.method for one in grades for result in one.results} == {"stated"}
    assert model_server.stats.total() == 4
    assert len(notes) == 1
    assert "asked over Chat Completions instead" in notes[0]


def test_parts_of_a_question_may_be_functions_of_the_attempt(model_server: StubServer) -> None:
    class Router(Judge):
        team = choice(lambda attempt: f"Who answers {attempt.input}?", lambda attempt: attempt.params["teams"])
        sure = probability("Is it sure?", yes=lambda attempt: f"as sure as {attempt.input}")

    attempt = SimpleNamespace(input="refunds", params={"teams": ["billing", "tech"]})
    judge = Router(native(model_server, "pass"))
    [grades] = grade(judge, judge.own_criteria(), subject(attempt=attempt))

    assert grades.results[0].value == Choice("billing", {"billing": 0.8, "tech": 0.2}, 0.8)
    asked = {one["name"]: one["instructions"] for one in model_server.bodies[0]["questions"]}
    assert asked == {"team": "Who answers refunds?", "sure": "Is it sure?\nYes: as sure as refunds"}


def test_a_function_that_gives_nothing_to_ask_is_an_evaluator_error() -> None:
    class Router(Judge):
        model = "decisions:m"
        team = choice("Who?", lambda attempt: ["only one"])

    judge = Router()
    with pytest.raises(EvaluatorError, match="at least two, all different"):
        judge.evaluate(subject(attempt=SimpleNamespace()), judge.own_criteria())
    with pytest.raises(EvaluatorError, match="saved evidence does not have"):
        judge.evaluate(subject(), judge.own_criteria())


def test_a_subclass_inherits_questions_may_replace_one_and_take_one_back() -> None:
    class Base(Judge):
        model = "decisions:m"
        first = probability("First?")
        second = probability("Second?")

    class Child(Base):
        second = score("How second?", ["a", "b"])
        third = probability("Third?")

    class Fewer(Base):
        first = None

    assert {name: one.kind for name, one in Child.questions.items()} == {
        "first": "probability",
        "second": "score",
        "third": "probability",
    }
    assert list(Base.questions) == ["first", "second"]
    assert Base.questions["second"].kind == "probability"
    assert list(Fewer.questions) == ["second"]
    assert Child().identity() != Base().identity()


def test_a_judge_works_on_its_own_by_attribute_and_by_item(model_server: StubServer) -> None:
    class Own(Quality):
        model = native(model_server, "pass")

    found = Own.judge({"text": "hello"})

    assert found.correctness.probability == 0.9
    assert found["tone"].choice == "warm"
    assert found.depth.score == 2
    assert list(found) == ["correctness", "tone", "depth"]
    assert found.usage.requests == 1
    assert '"evidence": {"text": "hello"}' in model_server.bodies[0]["input"][1]["content"][0]["text"]
    with pytest.raises(AttributeError, match="there was no question 'colour'"):
        _ = found.colour


def test_a_judge_works_on_its_own_beside_a_running_loop_and_as_a_coroutine(model_server: StubServer) -> None:
    judge = Quality(native(model_server, "fail"))

    async def main() -> None:
        assert judge.judge("x").correctness.probability == 0.1
        assert (await judge.ajudge("x"))["depth"].score == 0

    asyncio.run(main())


def test_a_question_without_an_answer_raises_when_it_is_read(model_server: StubServer) -> None:
    class One(Judge):
        model = native(model_server, "refusal")
        polite = probability("Is it polite?")

    found = One.judge("x")
    with pytest.raises(EvaluatorError, match=r"polite: .* refused to answer"):
        _ = found.polite


@pytest.mark.parametrize(
    ("criterion", "said"),
    [
        (Criterion(name="correctness", instructions="x"), "asks a question of that name: leave the instructions out"),
        (Criterion(name="tone", minimum=0.5), "has no meaning for a choice"),
        (Criterion(name="correctness", minimum=80), "is outside the scale of its answers, which is from 0 to 1"),
        (Criterion(name="depth", minimum=3), "is outside the scale of its answers, which is from 0 to 2"),
        (Criterion(name="other"), "has no question of that name (it has correctness, tone, depth)"),
    ],
)
def test_a_criterion_that_contradicts_the_questions_is_refused(criterion: Criterion, said: str) -> None:
    with pytest.raises(EvaluatorConfigError) as caught:
        Quality(Model("decisions:m", api_key=KEY)).check([criterion])
    assert said in str(caught.value)


def test_a_judge_without_questions_is_refused() -> None:
    class Silent(Judge):
        model = "decisions:m"

    with pytest.raises(EvaluatorConfigError, match="Silent asks nothing"):
        evaluator_for(Silent)


def test_a_question_may_not_hide_what_a_judge_has() -> None:
    with pytest.raises(DeclarationError, match=r"Bad\.check: a Judge has a check of its own"):

        class Bad(Judge):
            check = probability("Is it?")


@pytest.mark.parametrize(
    ("declare", "said"),
    [
        (lambda: probability(""), "a question is ''"),
        (lambda: probability("q", yes=" "), "what yes means is ' '"),
        (lambda: choice("q", ["one"]), "at least two"),
        (lambda: choice("q", ["a", "a"]), "all different"),
        (lambda: choice("q", "ab"), "give a list of them"),
        (lambda: choice("q", {1: None, 2: None}), "the option 1 is not a text or a boolean"),
        (lambda: choice("q", {"a": 5, "b": None}), "the description of the option 'a' is 5"),
        (lambda: choice("q", [str(n) for n in range(256)]), "more than the 255"),
        (lambda: score("q", ["only"]), "at least two"),
        (lambda: score("q", [1, 2]), "the level 1 is not a text"),
        (lambda: score("q", [True, False]), "is not a text"),
    ],
)
def test_a_question_that_cannot_be_asked_is_refused_where_it_is_declared(declare: Any, said: str) -> None:
    with pytest.raises(DeclarationError, match=said):
        declare()


def test_a_judge_says_who_it_is() -> None:
    assert Quality().describe() == "Quality on openai:gpt-6-luna"
    assert Judge("openai:m").describe() == "openai:m"
    assert Quality().identity()["questions"]["depth"]["options"] == ["shallow", "fair", "deep"]


def test_a_decision_that_does_not_fit_its_question_is_an_error(model_server: StubServer) -> None:
    from llmeval.evaluators.judging import _native_value

    asked = Asked(kind="choice", text="q", options={"a": None, "b": None})
    good = {"type": "choice", "name": "x", "choice": "a", "confidence": 1, "probabilities": []}

    assert _native_value(good, "x", asked) == Choice("a", {}, 1.0)
    for change in ({"choice": "c"}, {"type": "score"}, {"name": "y"}, {"confidence": 7}, {"choice": True}):
        with pytest.raises(Unreadable):
            _native_value({**good, **change}, "x", asked)


@given(st.lists(st.floats(0, 1), min_size=2, max_size=10))
@settings(max_examples=100, deadline=None)
def test_a_distribution_adds_up_to_one_and_its_score_stays_on_the_scale(given_chances: list[float]) -> None:
    levels = Asked(kind="score", text="q", options={str(n): None for n in range(len(given_chances))})
    if sum(given_chances) == 0:
        with pytest.raises(Unreadable, match="all 0"):
            measure(levels, given_chances)
        return
    found = measure(levels, given_chances)

    assert isinstance(found, Score)
    assert found.probabilities is not None
    assert sum(found.probabilities.values()) == pytest.approx(1)
    assert 0 <= found.score <= len(given_chances) - 1


# Log-probabilities


def rows() -> list[Any]:
    lines = (RESOURCES / "logprobs.jsonl").read_text(encoding="utf-8").splitlines()
    return [
        pytest.param(row, id=row["id"]) for row in map(json.loads, lines) if row["tokens"] and row["words"] != "0-100"
    ]


@pytest.mark.parametrize("row", rows())
def test_a_probability_is_that_of_the_token_that_answers(row: dict[str, Any]) -> None:
    words = ("yes", "no") if row["words"] == "yes no" else tuple("0123456789")
    if row["reads"] is None:
        with pytest.raises(Unreadable, match="no token of the reply is one of"):
            chances(row["tokens"], words)
        return
    found = chances(row["tokens"], words)

    value = found[0] if row["words"] == "yes no" else sum(place * chance for place, chance in enumerate(found))
    assert value == pytest.approx(row["reads"])
    assert sum(found) == pytest.approx(1)


def token(text: str, **alternatives: float) -> dict[str, Any]:
    from math import log

    listed = [{"token": name.replace("_", " "), "logprob": log(chance)} for name, chance in alternatives.items()]
    return {"token": text, "logprob": 0.0, "top_logprobs": listed or [{"token": text, "logprob": 0.0}]}


def test_on_a_server_with_logprobs_each_line_answers_its_question(model_server: StubServer) -> None:
    tokens = [token("q1"), token(":"), token(" yes", yes=0.8, _No=0.2), token("\n"), token("q2"), token(": ")]
    model_server.logprobs = [*tokens, token("2", **{"2": 0.5, "1": 0.5}), token("\nq3"), token(":"), token("B", B=1.0)]

    class Own(Judge):
        model = Model("openai:stub-pass", base_url=model_server.openai_url, logprobs=True)
        right = probability("Is it right?")
        depth = score("How deep?", ["a", "b", "c"])
        tone = choice("Which?", ["warm", "cold"])

    found = Own.judge("x")

    assert found.right.probability == pytest.approx(0.8)
    assert found.depth.score == pytest.approx(1.5)
    assert (found.tone.choice, found.tone.confidence) == ("cold", 1.0)
    assert {result.method for result in found.results.values()} == {"logprobs"}
    [body] = model_server.bodies
    assert (body["logprobs"], body["top_logprobs"]) == (True, 20)
    assert "response_format" not in body


def test_without_logprobs_the_probabilities_are_stated_and_that_is_said_once(model_server: StubServer) -> None:
    judge = Judge(Model("openai:stub-pass", base_url=model_server.openai_url, logprobs=True))
    grades, notes = grade_with_notes(judge, criteria("kind"), *[subject(inputs=n) for n in range(3)], one_by_one=True)

    assert {one.results[0].method for one in grades} == {"stated"}
    assert len(notes) == 1
    assert "gives no log-probabilities" in notes[0]
    assert [one.usage.requests for one in grades] == [2, 1, 1]


def test_a_score_of_more_than_ten_levels_is_stated_since_its_number_is_no_single_token(
    model_server: StubServer,
) -> None:
    class Fine(Judge):
        model = Model("openai:stub-pass", base_url=model_server.openai_url, logprobs=True)
        grade = score("How good?", [f"level {n}" for n in range(11)])

    assert Fine.judge("x").results["grade"].method == "stated"
    assert model_server.stats.total() == 1


def test_a_line_without_an_answer_is_an_error_of_that_question_alone(model_server: StubServer) -> None:
    model_server.logprobs = [token("q1"), token(":"), token(" yes", yes=1.0), token("\nq2"), token(":"), token(" hm")]

    class Own(Judge):
        model = Model("openai:stub-pass", base_url=model_server.openai_url, logprobs=True)
        right = probability("Is it right?")
        kind_of_it = probability("Is it kind?")

    found = Own.judge("x")
    assert found.right.probability == 1
    assert found.results["kind_of_it"].status is Status.ERROR


def test_logprobs_with_anthropic_are_a_configuration_error() -> None:
    with pytest.raises(EvaluatorConfigError, match='logprobs=True needs protocol="chat"'):
        Model("anthropic:m", logprobs=True)
