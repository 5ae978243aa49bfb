"""Whole trials of applications that are built on SDKs and frameworks: how they are run, and what may be wrong."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any, NoReturn

import openai
import pydantic
import pytest
from adapter_server import chat, function_call, response, said, serving
from model_graders import model
from stub_server import StubServer
from test_adapters import KEPT, REFUSED, Hostile

from llmeval import Registry, Report, Status, criterion
from llmeval.adapters import snapshot
from llmeval.adapters.sdks import _FILES

ASK: list[Any] = [{"role": "user", "content": "Where is 42?"}]
LOOKUP = chat(None, {"lookup_order": {"order_id": 42}})


def run(
    perform: Callable[[Any], Any], *, inputs: Any = ("one",), evaluator: Any = lambda attempt: True, **more: Any
) -> Report:
    """Returns the report of a trial for each of `inputs`."""
    registry = Registry()
    dataset = [{"name": str(one), "inputs": one} for one in inputs]
    declare = registry.evaluation(name="app", evaluator=evaluator, dataset=dataset)
    return declare(criterion("graded", "It is fine")(lambda given: perform(given))).run(**more)


def chunks(*texts: str) -> list[Any]:
    made: list[Any] = [
        {
            "id": "c",
            "object": "chat.completion.chunk",
            "created": 1,
            "model": "gpt-5-mini",
            "choices": [{"index": 0, "delta": {"role": "assistant", "content": text}, "finish_reason": None}],
        }
        for text in texts
    ]
    made[-1]["choices"][0]["finish_reason"] = "stop"
    return [*made, "data: [DONE]\n\n"]


# Streams


def test_a_stream_that_was_half_read_is_an_error_of_its_trial_and_the_next_one_runs() -> None:
    with serving(chunks("Hel", "lo"), chat("Hello")) as server:
        client = openai.OpenAI(api_key="x", base_url=server.url, max_retries=0)

        def perform(given: str) -> Any:
            answer = client.chat.completions.create(model="m", messages=ASK, stream=given == "streamed")
            if given == "streamed":
                next(answer)
            return answer

        with client:
            report = run(perform, inputs=["streamed", "whole"])
            first, second = report.trials
            first.result.close()
    assert first.error is not None
    assert (first.status, first.error.type, first.evidence) == (Status.ERROR, "EvidenceError", None)
    assert "openai.Stream, a stream that has nothing to show" in first.error.message
    assert first.evaluations == ()
    assert (second.status, second.output) == (Status.PASSED, "Hello")


@pytest.mark.parametrize("is_async", [False, True])
def test_a_generator_that_passes_a_stream_on_is_read_once_and_is_its_message(is_async: bool) -> None:
    def perform(_: str) -> Iterator[Any]:
        with openai.OpenAI(api_key="x", base_url=server.url) as client:
            yield from client.chat.completions.create(model="m", messages=ASK, stream=True)

    async def aperform(_: str) -> AsyncIterator[Any]:
        async with openai.AsyncOpenAI(api_key="x", base_url=server.url) as client:
            async for chunk in await client.chat.completions.create(model="m", messages=ASK, stream=True):
                yield chunk

    with serving(chunks("Hel", "lo")) as server:
        [trial] = run(aperform if is_async else perform).trials
        assert len(server.requests) == 1
    assert (trial.status, trial.output) == (Status.PASSED, "Hello")
    assert trial.evidence["completeness"] == "finished"


# Runs that raised inside the framework


def pydantic_agent(client: openai.AsyncOpenAI) -> Any:
    pydantic_ai = pytest.importorskip("pydantic_ai")
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    agent = pydantic_ai.Agent(OpenAIChatModel("gpt-5-mini", provider=OpenAIProvider(openai_client=client)))

    @agent.tool_plain
    def lookup_order(order_id: int) -> str:
        return "shipped"

    return agent


def test_a_pydantic_ai_run_that_reached_its_limit_is_an_error_with_the_tokens_that_it_took() -> None:
    from pydantic_ai import UsageLimits

    with serving(LOOKUP, LOOKUP, LOOKUP) as server:

        async def perform(_: str) -> Any:
            async with openai.AsyncOpenAI(api_key="x", base_url=server.url, max_retries=0) as client:
                limits = UsageLimits(request_limit=2)
                return await pydantic_agent(client).run("Where is 42?", usage_limits=limits)

        [trial] = run(perform).trials
    assert trial.error is not None
    assert (trial.status, trial.error.type, trial.evaluations) == (Status.ERROR, "UsageLimitExceeded", ())
    assert trial.task_tokens is not None
    assert (trial.task_tokens.input, trial.task_tokens.output) == (20, 10)


def test_an_agents_sdk_run_that_reached_its_limit_is_an_error_with_the_tokens_that_it_took() -> None:
    agents = pytest.importorskip("agents")
    call = response(function_call("lookup_order", {"order_id": 42}))

    @agents.function_tool
    def lookup_order(order_id: int) -> str:
        """Looks an order up."""
        return "shipped"

    with serving(call, call, call) as server:

        async def perform(_: str) -> Any:
            async with openai.AsyncOpenAI(api_key="x", base_url=server.url, max_retries=0) as client:
                chosen = agents.OpenAIResponsesModel(model="gpt-5-mini", openai_client=client)
                agent = agents.Agent(name="shop", model=chosen, tools=[lookup_order])
                config = agents.RunConfig(tracing_disabled=True)
                return await agents.Runner.run(agent, "Where is 42?", max_turns=2, run_config=config)

        [trial] = run(perform).trials
    assert trial.error is not None
    assert (trial.error.type, trial.error.message) == ("MaxTurnsExceeded", "Max turns (2) exceeded")
    assert trial.task_tokens is not None
    assert trial.task_tokens.input == 20


def test_a_graph_that_does_not_end_is_an_error_of_its_trial() -> None:
    pytest.importorskip("langgraph")
    from langchain_core.messages import AIMessage, HumanMessage
    from langgraph.graph import START, MessagesState, StateGraph

    built = StateGraph(MessagesState)
    built.add_node("talk", lambda state: {"messages": [AIMessage("Hm.")]})
    built.add_edge(START, "talk")
    built.add_edge("talk", "talk")
    graph = built.compile()

    [trial] = run(lambda _: graph.invoke({"messages": [HumanMessage("Hi")]}, {"recursion_limit": 3})).trials

    assert trial.error is not None
    assert (trial.status, trial.error.type) == (Status.ERROR, "GraphRecursionError")


def test_the_exception_of_a_framework_that_is_returned_is_an_error_of_its_trial() -> None:
    [trial] = run(lambda _: openai.APIConnectionError(request=None)).trials  # type: ignore[arg-type]
    assert trial.error is not None
    assert "openai.APIConnectionError, which is an exception" in trial.error.message


# Where they run


@pytest.mark.parametrize("place", ["script", "running loop", "two at once"])
def test_the_synchronous_entry_points_of_frameworks_work(place: str) -> None:
    agents = pytest.importorskip("agents")
    replies = [response(said("Shipped."))] * 2
    with serving(*replies) as server:

        def perform(_: str) -> Any:
            client = openai.AsyncOpenAI(api_key="x", base_url=server.url, max_retries=0)
            agent = agents.Agent(name="shop", model=agents.OpenAIResponsesModel("gpt-5-mini", client))
            try:
                return agents.Runner.run_sync(agent, "Where?", run_config=agents.RunConfig(tracing_disabled=True))
            finally:
                loop = asyncio.get_event_loop()  # the SDK made it and keeps it open
                loop.run_until_complete(client.close())
                loop.close()
                asyncio.set_event_loop(None)

        def report() -> Report:
            return run(perform, inputs=["a", "b"], concurrency=2 if place == "two at once" else 1)

        async def inside() -> Report:
            return report()

        found = asyncio.run(inside()) if place == "running loop" else report()
    assert [(trial.output, trial.error) for trial in found] == [("Shipped.", None)] * 2
    assert [trial.task_tokens and trial.task_tokens.input for trial in found] == [10, 10]


# Messages that are not as they should be

CALLS = [{"id": "0", "function": {"name": name, "arguments": "{}"}} for name in ("first", "second")]
ODD: dict[str, tuple[Any, Any, str | None]] = {
    "unknown role": ([ASK[0], {"role": "narrator", "content": "x"}, {"role": "assistant", "content": "A"}], "A", None),
    "orphan in chat form": ([*ASK, {"role": "tool", "tool_call_id": "z", "content": "4"}], None, None),
    "orphan in responses form": ([*ASK, {"type": "function_call_output", "call_id": "z", "output": "4"}], None, None),
    "orphan in anthropic form": (
        [
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "z", "content": "4"}]},
            {"role": "assistant", "content": "A"},
        ],
        "A",
        None,
    ),
    "no content": ([*ASK, {"role": "assistant", "content": None}], None, None),
    "calls that are none": ([*ASK, {"role": "assistant", "content": "A", "tool_calls": ["x", 3]}], "A", "finished"),
    "parts without what they announce": (
        [
            {"role": "user", "content": [{"type": kind} for kind in ("file", "image_url", "image", "document")]},
            {"role": "assistant", "content": "A"},
        ],
        "A",
        "finished",
    ),
    "an identity that is a list": (
        [
            *ASK,
            {"role": "assistant", "tool_calls": [{"id": ["a"], "function": {"name": "f"}}]},
            {"role": "tool", "tool_call_id": "['a']", "content": "4"},
        ],
        None,
        None,
    ),
}


@pytest.mark.parametrize("name", ODD)
def test_odd_messages_are_graded_as_they_stand_and_marked_incomplete(name: str) -> None:
    value, output, completeness = ODD[name]

    [trial] = run(lambda _: value).trials

    assert (trial.status, trial.error, trial.output) == (Status.PASSED, None, output)
    assert trial.evidence["completeness"] == (completeness or "incomplete")


@pytest.mark.parametrize("value", [[], {"messages": []}, {"messages": None, "answer": 42}, {"answer": 42}])
def test_a_state_without_messages_is_graded_as_it_stands(value: Any) -> None:
    [trial] = run(lambda _: value).trials
    assert (trial.status, trial.output, trial.evidence) == (Status.PASSED, value, value)


def test_results_for_calls_of_one_id_go_to_them_in_order() -> None:
    results = [{"role": "tool", "tool_call_id": "0", "content": text} for text in ("one", "two")]
    turns = [*ASK, {"role": "assistant", "tool_calls": CALLS}, *results, {"role": "assistant", "content": "Done."}]

    evidence = snapshot([*turns, {"role": "assistant", "tool_calls": CALLS[:1]}, {**results[0], "content": "three"}])

    assert [(call.name, call.result) for call in evidence.tool_calls] == [
        ("first", "one"),
        ("second", "two"),
        ("first", "three"),
    ]


@pytest.mark.parametrize(
    "broken",
    [
        lambda: openai.types.chat.ChatCompletion.model_construct(choices=None),
        lambda: openai.types.responses.Response.model_construct(),
        lambda: openai.types.responses.Response.model_construct(output=3),
        lambda: openai.types.chat.ChatCompletion.model_construct(choices=[3]),
    ],
)
def test_an_sdk_object_that_is_not_whole_crashes_nothing(broken: Callable[[], Any]) -> None:
    [trial] = run(lambda _: broken()).trials
    if trial.error is None:
        assert trial.evidence["completeness"] == "incomplete"
    else:
        assert trial.error.type == "EvidenceError"
        assert "declare @adapt(" in trial.error.message


# Which adapter


class Completion(openai.types.chat.ChatCompletion):
    """A subclass of a known class, as applications make them."""


def test_a_subclass_takes_the_nearest_adapter_and_the_user_s_own_always_wins() -> None:
    value = Completion.model_validate(chat("Hello"))
    assert snapshot(value).output == "Hello"
    for cls in (Completion, openai.types.chat.ChatCompletion, openai.BaseModel, pydantic.BaseModel):
        assert snapshot(value, [{cls: lambda one: f"my own {one.id}"}]).output == "my own chatcmpl-1"
    nearest = {pydantic.BaseModel: lambda _: "far", Completion: lambda _: "near", openai.BaseModel: lambda _: "nearer"}
    assert snapshot(value, [nearest]).output == "near"


def test_a_user_s_adapter_may_leave_the_rest_to_the_one_that_is_built_in() -> None:
    def shortened(one: openai.types.chat.ChatCompletion) -> Any:
        return one.choices[0].message

    assert snapshot(Completion.model_validate(chat("Hello")), [{Completion: shortened}]).output == "Hello"


# All kinds of values


def test_every_kind_of_value_ends_in_a_trial_of_a_report_that_is_strict_json() -> None:
    values = {name: value for name, (value, _) in (KEPT | REFUSED).items()}
    values["map"] = Hostile()  # in place of an iterator, which a run reads

    report = run(lambda name: values[name], inputs=list(values))

    saved = json.loads(json.dumps(report.to_dict(), allow_nan=False), parse_constant=_refused)
    assert [trial["case"]["name"] for trial in saved["trials"]] == list(values)
    assert {trial.case.name: trial.error.type for trial in report if trial.error} == dict.fromkeys(
        REFUSED, "EvidenceError"
    )
    assert {trial.case.name: trial.output for trial in report if not trial.error} == {
        name: kept for name, (_, kept) in KEPT.items()
    }
    assert " at 0x" not in json.dumps([[trial.get("error"), trial.get("evidence")] for trial in saved["trials"]])


def test_what_a_model_reads_is_what_the_report_shows_and_never_a_repr(model_server: StubServer) -> None:
    values = {name: value for name, (value, _) in KEPT.items()}

    report = run(lambda name: values[name], inputs=list(values), evaluator=model(model_server, "pass"), concurrency=8)

    assert report.passed
    read = sorted(json.dumps(_read(body)) for body in model_server.bodies)
    assert read == sorted(json.dumps(trial.evidence) for trial in report)
    assert " at 0x" not in json.dumps(model_server.bodies)


def _read(body: dict[str, Any]) -> Any:
    lines = _text(body["messages"][-1]).split("\n")
    begin = next(number for number, line in enumerate(lines) if line.startswith("BEGIN TRIAL "))
    return json.loads(lines[begin + 1])["evidence"]


def _text(message: dict[str, Any]) -> str:
    content = message["content"]
    return content if isinstance(content, str) else "\n".join(part["text"] for part in content)


def _refused(constant: str) -> NoReturn:
    raise AssertionError(constant)


# Imports


def test_importing_llmeval_loads_none_of_these_packages() -> None:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", "import llmeval"], capture_output=True, text=True, check=True
    )
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "llmeval" in loaded
    packages = {*_FILES, "asyncio", "langchain", "opentelemetry", "pydantic", "rapidfuzz", "jsonschema"}
    assert not {name for name in loaded if any(name == one or name.startswith(f"{one}.") for one in packages)}


def test_a_value_of_another_class_loads_no_package_either() -> None:
    code = (
        "import sys; from llmeval.adapters import snapshot; snapshot([{'role': 'user', 'content': 'a'}]);"
        f"print(sorted(set(sys.modules) & set({sorted(_FILES)!r})))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
