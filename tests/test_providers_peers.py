"""Two model servers that others wrote as peers: one that fails at random, and one that answers by rules."""

from __future__ import annotations

import random
import socket
import threading
import time
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from model_graders import KEY, criteria, grade, subject

from llmeval.evaluators.reviewer import Reviewer
from llmeval.providers import Model
from llmeval.results import Status

llmock = pytest.importorskip("llmock.testing")
fakellm = pytest.importorskip("fakellm.server")

ANSWER = '{"verdicts": {"c1": {"reason": "r", "verdict": "pass"}, "c2": {"reason": "r", "verdict": "pass"}}}'
TWO = criteria("kind", "short")


@pytest.fixture(scope="module")
def chaos(sdks: None) -> Iterator[Any]:
    from llmock.chaos import ChaosSettings

    with llmock.LLMockServer(chaos=ChaosSettings(error_rates={429: 0.15, 500: 0.1, 503: 0.05})) as server:
        yield server


@pytest.fixture(scope="module")
def calm(sdks: None) -> Iterator[Any]:
    with llmock.LLMockServer() as server:
        yield server


def model(server: Any, provider: str, **options: Any) -> Model:
    if provider == "anthropic":
        return Model("anthropic:m", base_url=server.base_url("anthropic"), api_key=KEY, **options)
    return Model("openai:m", base_url=server.base_url(), protocol=provider, api_key=KEY, **options)


def ready(server: Any, provider: str) -> Any:
    """Returns the state of a server that has forgotten the last test; it knows Anthropic's schemas by no other way."""
    from llmock.scenarios import Reply

    server.state.reset()
    if provider == "anthropic":
        server.state.scenarios.add(Reply(text=ANSWER, times=None))
    return server.state


@pytest.mark.parametrize("provider", ["chat", "responses", "anthropic"])
def test_with_injected_faults_every_trial_is_accounted_for_and_none_passes_by_accident(
    chaos: Any, provider: str
) -> None:
    random.seed(7)  # the server's own die
    trials = 200 if provider == "chat" else 60
    ready(chaos, provider)
    reviewer = Reviewer(model=model(chaos, provider, max_retries=0))
    grades = grade(reviewer, TWO, *[subject(inputs=n) for n in range(trials)])

    counts = Counter(result.status for one in grades for result in one.results)
    answered = sum(record.status == 200 for record in chaos.state.journal.records(wait=1))
    assert counts[Status.PASSED] == answered * len(TWO)
    assert counts[Status.ERROR] == (trials - answered) * len(TWO)
    assert 0.5 * trials < answered < 0.9 * trials
    assert sum(one.usage.requests for one in grades) == answered


@pytest.mark.parametrize("provider", ["chat", "responses", "anthropic"])
def test_faults_that_pass_are_ridden_out_as_a_well_behaved_client_does(calm: Any, provider: str) -> None:
    from llmock.scenarios import Fail

    state = ready(calm, provider)
    state.scenarios.add(Fail(429, retry_after=0.05, times=1))
    state.scenarios.add(Fail(429, retry_after=0.02, times=1))
    [grades] = grade(Reviewer(model=model(calm, provider)), TWO, subject())

    assert grades.results[0].passed
    assert [record.status for record in state.journal.records(wait=1)] == [429, 429, 200]


@pytest.mark.parametrize("provider", ["chat", "responses"])
def test_tools_are_called_on_a_server_that_knows_nothing_of_us(calm: Any, provider: str) -> None:
    calm.state.reset()

    def lookup_order(order_id: int) -> str:
        """Looks an order up."""
        return f"order {order_id} was returned"

    reviewer = Reviewer(model=model(calm, provider), tools=[lookup_order])
    [grades] = grade(reviewer, criteria("kind"), subject(output="please look up the order"))

    result = grades.results[0]
    assert result.passed
    assert result.evidence["tool_calls"][0]["result"].endswith("was returned")


RULES = """
version: 1
defaults: {fallback: deterministic_echo}
rules:
  - name: good
    when: {messages_contain: "it is mild"}
    respond: {content: 'Well: {"reason": "it says so", "verdict": "pass"}'}
  - name: bad
    when: {messages_contain: "it is wild"}
    respond: {content: '{"verdicts": {"c1": {"reason": "it is not", "verdict": "fail"}}}'}
  - name: broken
    when: {messages_contain: "it is broken"}
    respond: {status: 400, error: "no such luck"}
"""


@pytest.fixture(scope="module")
def rules(sdks: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    import uvicorn
    from fakellm.config import load_config

    config = tmp_path_factory.mktemp("fakellm") / "fakellm.yaml"
    config.write_text(RULES, encoding="utf-8")
    fakellm._config = load_config(config)
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(fakellm.app, log_level="warning", lifespan="off"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]}, daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.01)
        yield f"http://127.0.0.1:{bound.getsockname()[1]}"
        server.should_exit = True
        thread.join()


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
@pytest.mark.parametrize(
    ("output", "status"),
    [
        ("it is mild", Status.PASSED),
        ("it is wild", Status.FAILED),
        ("it is broken", Status.ERROR),
        ("it is something else", Status.ERROR),
    ],
)
def test_a_server_that_ignores_schemas_is_understood_or_an_error(
    rules: str, provider: str, output: str, status: Status
) -> None:
    url = rules if provider == "anthropic" else f"{rules}/v1"
    reviewer = Reviewer(model=Model(f"{provider}:m", base_url=url, api_key=KEY, max_retries=0))
    [grades] = grade(reviewer, criteria("kind"), subject(output=output))

    assert grades.results[0].status is status
