"""Agents of Pydantic AI and of the OpenAI Agents SDK as evaluators, each over its own client."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import pytest
from model_graders import KEY, criteria, subject
from stub_server import StubServer

from llmeval.criteria import Criterion
from llmeval.errors import EvaluatorConfigError
from llmeval.evaluators import evaluator_for
from llmeval.evaluators.agents import agent_evaluator, is_agent
from llmeval.evaluators.base import Grades, RequestCount
from llmeval.evidence import Attachment
from llmeval.results import Status
from llmeval.usage import Tokens

pydantic_ai = pytest.importorskip("pydantic_ai")
agents = pytest.importorskip("agents")

FRAMEWORKS = ("pydantic", "openai")
each_framework = pytest.mark.parametrize("framework", FRAMEWORKS)
ONE = criteria("kind")
TOKENS = Tokens(input=120, output=30, cached=20, reasoning=10)


@pytest.fixture(autouse=True)
def _no_traces() -> None:
    agents.set_tracing_disabled(True)  # its exporter would send them to OpenAI


def lookup(order_id: int) -> str:
    """Looks an order up."""
    return f"order {order_id}"


def graded(
    server: StubServer, framework: str, name: str, asked: Sequence[Criterion] = ONE, *, one: Any = None, **options: Any
) -> Grades:
    """Returns what an agent of `framework`, whose client is closed again, says about one trial."""
    import openai

    async def run() -> Grades:
        async with openai.AsyncOpenAI(base_url=server.openai_url, api_key=KEY, max_retries=0) as client:
            evaluator = agent_evaluator(agent(client, framework, name, **options))
            grades: Grades = await evaluator.evaluate(one or subject(), asked)
            return grades

    return asyncio.run(run())


def agent(client: Any, framework: str, name: str, **options: Any) -> Any:
    if framework == "openai":
        model = agents.OpenAIResponsesModel(f"stub-{name}", client)
        tools = [agents.function_tool(lookup)]
        return agents.Agent(name="grader", instructions="Be strict.", model=model, tools=tools, **options)
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    model = OpenAIChatModel(f"stub-{name}", provider=OpenAIProvider(openai_client=client))
    return pydantic_ai.Agent(model, name="grader", instructions="Be strict.", tools=[lookup], **options)


@each_framework
@pytest.mark.parametrize(("name", "status"), [("pass", Status.PASSED), ("fail", Status.FAILED)])
def test_an_agent_grades_all_criteria_in_one_run(
    model_server: StubServer, framework: str, name: str, status: Status
) -> None:
    grades = graded(model_server, framework, name, criteria("kind", "short"))

    assert [(result.status, result.reason) for result in grades.results] == [(status, "because")] * 2
    assert {result.model for result in grades.results} == {f"stub-{name}"}
    assert (grades.usage.requests, grades.usage.tokens) == (1, TOKENS)
    assert model_server.stats.total() == 1


@each_framework
def test_an_agent_keeps_its_instructions_and_tools_and_sees_no_case_name(
    model_server: StubServer, framework: str
) -> None:
    graded(model_server, framework, "pass")

    text = json.dumps(model_server.bodies[0])
    assert "Be strict." in text
    assert text.index("Be strict.") < text.index("You grade the work of an application")
    assert '"lookup"' in text
    assert "a-secret-name" not in text


@each_framework
def test_what_an_agent_calls_is_kept_in_the_evidence(model_server: StubServer, framework: str) -> None:
    grades = graded(model_server, framework, "tools-2")

    call = {"name": "lookup", "arguments": {"order_id": 1}, "result": "order 1"}
    assert grades.results[0].evidence == {"tool_calls": [call, call]}
    assert grades.results[0].passed
    assert grades.usage.requests == 3


@each_framework
def test_an_agents_answer_is_repaired_once_and_then_an_error_with_the_reply_kept(
    model_server: StubServer, framework: str
) -> None:
    result = graded(model_server, framework, "unasked").results[0]

    assert result.status is Status.ERROR
    assert result.error is not None
    assert "'c99', which was not asked" in result.error.message
    assert "c99" in result.evidence["raw"]
    assert model_server.stats.total() == 2


@each_framework
def test_an_agent_that_raises_is_an_evaluator_error_without_the_key(model_server: StubServer, framework: str) -> None:
    result = graded(model_server, framework, "auth").results[0]

    assert result.error is not None
    assert "This key is not known: Bearer [masked]" in result.error.message
    assert KEY not in json.dumps(result.to_dict())


@each_framework
def test_attachments_reach_an_agent(model_server: StubServer, framework: str) -> None:
    picture = Attachment(b"\x89PNG\r\n\x1a\n", "image/png")
    graded(model_server, framework, "pass", one=subject(attachments=[picture]))

    assert "data:image/png;base64,iVBORw0KGgo=" in json.dumps(model_server.bodies[0])


@each_framework
def test_an_agent_with_an_output_type_of_its_own_is_refused(framework: str) -> None:
    options = {"output_type": int}
    own: Any = agents.Agent(name="a", **options) if framework == "openai" else pydantic_ai.Agent("test", **options)

    with pytest.raises(EvaluatorConfigError, match="sets its own output type"):
        evaluator_for(own)


def test_an_agents_instructions_may_be_a_function(model_server: StubServer) -> None:
    import openai

    async def run() -> None:
        async with openai.AsyncOpenAI(base_url=model_server.openai_url, api_key=KEY) as client:
            model = agents.OpenAIResponsesModel("stub-pass", client)
            own = agents.Agent(name="a", instructions=lambda context, agent: f"I am {agent.name}.", model=model)
            await agent_evaluator(own).evaluate(subject(), ONE)

    asyncio.run(run())
    assert model_server.bodies[0]["instructions"].startswith("I am a.\n\nYou grade")


def test_agents_are_known_by_their_class_and_say_who_they_are() -> None:
    one = agent_evaluator(agents.Agent(name="a", model="gpt-6-luna", instructions="Be strict."))
    two = agent_evaluator(pydantic_ai.Agent("test", name="b", instructions="Be strict."))

    assert one.describe() == "OpenAI Agents SDK agent 'a' (gpt-6-luna)"
    assert two.describe() == "Pydantic AI agent 'b' (test:test)"
    assert one.identity()["instructions"] == two.identity()["instructions"]
    assert one.requests(ONE) == RequestCount(requests=1, exact=False)
    assert not is_agent("a")
    assert not is_agent(agents)
