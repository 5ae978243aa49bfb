"""The evaluators of one run share its clients and what it finds out about a model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from model_graders import model
from stub_server import StubServer

from llmeval import Case, Registry, Reviewer, criterion
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
