"""The evaluators of one run share its clients and what it finds out about a model."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pytest
from model_graders import model
from stub_server import StubServer

from llmeval import Case, Registry, Reviewer, criterion
from llmeval.events import Event, Note, TrialFinished
from llmeval.options import Options
from llmeval.providers import session
from llmeval.render.board import Board
from llmeval.render.plain import PlainLines
from llmeval.render.style import Look
from llmeval.results import Status


def test_evaluators_of_one_run_share_a_client_and_a_refusal(
    model_server: StubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    import openai

    made: list[Any] = []
    original: Callable[..., None] = openai.AsyncOpenAI.__init__

    def counted(self: Any, **options: Any) -> None:
        made.append(self)
        original(self, **options)

    monkeypatch.setattr(openai.AsyncOpenAI, "__init__", counted)
    registry = Registry()
    mine = Reviewer("Be strict.", model=model(model_server, "auth"))

    @registry.evaluation(evaluator=model(model_server, "pass"), dataset=[Case("a", 1), Case("b", 2)])
    def shop(question: int) -> str:
        return "yes"

    criterion("kind", "The answer is kind")(shop)
    criterion("short", "The answer is short", evaluator=mine)(shop)
    criterion("true", "The answer is true", evaluator=Reviewer(model=model(model_server, "auth")))(shop)
    report = shop.run()

    for trial in report.trials:
        statuses = {result.name: result.status for result in trial.evaluations}
        assert statuses == {"kind": Status.PASSED, "short": Status.ERROR, "true": Status.ERROR}
    assert len(made) == 1
    assert made[0].is_closed()
    assert dict(model_server.stats) == {"stub-pass": 2, "stub-auth": 1}
    assert shop.run().counts == report.counts
    assert len(made) == 2


@pytest.mark.parametrize("concurrency", [1, 4])
def test_waiting_for_a_rate_limit_is_said_while_it_lasts_and_shown_by_the_table_and_the_plain_lines(
    model_server: StubServer, monkeypatch: pytest.MonkeyPatch, concurrency: int
) -> None:
    monkeypatch.setattr(session, "QUIET_SECONDS", 0.0)
    monkeypatch.setenv("COLUMNS", "100")
    registry = Registry()
    grader = model(model_server, "rate-2", "responses")

    @criterion("kind", "The answer is kind")
    @registry.evaluation(evaluator=grader, dataset=[Case("a", 1)])
    def shop(question: int) -> str:
        return "yes"

    events: list[Event] = []
    plain, board = io.StringIO(), Board(Look())
    report = shop.run(concurrency=concurrency, options=Options(subscribers=[events.append, PlainLines(plain), board]))

    finished = next(place for place, event in enumerate(events) if isinstance(event, TrialFinished))
    first, second = [event.message for event in events[:finished] if isinstance(event, Note)]
    assert first == "openai answers 429 and asks to wait 0.01 s: the SDK tries again"
    assert second == f"{first} (2 refusals so far)"
    assert f"note: {first}\n" in plain.getvalue()
    assert f"note: {second}\n" in plain.getvalue()
    assert [line for line in board.above(100) if isinstance(line, str)][-2:] == [f"note: {first}", f"note: {second}"]
    assert report.passed
    assert [note for note in report.to_dict()["notes"] if "429" in note] == [first]
