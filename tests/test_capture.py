from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from contextvars import ContextVar
from http.server import ThreadingHTTPServer
from typing import Any

import anthropic
import httpx2
import openai
import pytest
from openai import AsyncOpenAI, OpenAI
from opentelemetry import trace
from opentelemetry.sdk.trace import SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF, ParentBased, TraceIdRatioBased
from pydantic import BaseModel
from usage_server import Talk, serving

from llmeval.capture import Recorder, capturing, recording, unrecorded
from llmeval.capture.recorder import current
from llmeval.prices import price
from llmeval.usage import NO_USAGE, Tokens, Usage

CHAT = Tokens(input=120, output=30, cached=20, reasoning=10)
MESSAGE = Tokens(input=125, output=30, cached=20, cache_write=5)
DECISION = Tokens(input=50, output=3, cached=10, cache_write=4, reasoning=0)
EMBEDDING = Tokens(input=8, output=0)
HELLO = [{"role": "user", "content": "hello"}]


class Answer(BaseModel):
    text: str


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with serving() as url:
        yield url


@pytest.fixture(scope="module")
def oai(url: str) -> Iterator[OpenAI]:
    with OpenAI(base_url=f"{url}/v1", api_key="k", max_retries=0) as client:
        yield client


@pytest.fixture(scope="module")
def claude(url: str) -> Iterator[anthropic.Anthropic]:
    with anthropic.Anthropic(base_url=url, api_key="k", max_retries=0) as client:
        yield client


@pytest.fixture(autouse=True)
def capture() -> Iterator[Any]:
    with capturing() as capture:
        yield capture
        capture.strays()


def chat(client: OpenAI, model: str = "gpt-4o", **how: Any) -> Any:
    return client.chat.completions.create(model=model, messages=HELLO, **how)  # type: ignore[arg-type]


def message(client: anthropic.Anthropic, **how: Any) -> Any:
    return client.messages.create(model="claude-sonnet-5", max_tokens=9, messages=HELLO, **how)  # type: ignore[arg-type]


def _read(stream: Any) -> None:
    for _ in stream:
        pass


def _stream_raw(response: Any) -> None:
    with response as body:
        for _ in body.iter_lines():
            pass


def _helper(manager: Any) -> None:
    with manager as stream:
        for _ in stream:
            pass


def _usage_of(request: Any, client: Any) -> Usage:
    with recording() as recorder:
        request(client)
    return recorder.usage


USAGE = {"include_usage": True}
OPENAI = {
    "chat": (lambda c: chat(c), CHAT),
    "chat parse": (lambda c: c.chat.completions.parse(model="gpt-4o", messages=HELLO, response_format=Answer), CHAT),
    "chat raw": (lambda c: c.chat.completions.with_raw_response.create(model="gpt-4o", messages=HELLO).parse(), CHAT),
    "chat raw, never parsed": (
        lambda c: c.chat.completions.with_raw_response.create(model="gpt-4o", messages=HELLO).text,
        CHAT,
    ),
    "chat read raw": (
        lambda c: _stream_raw(c.chat.completions.with_streaming_response.create(model="gpt-4o", messages=HELLO)),
        CHAT,
    ),
    "chat stream": (lambda c: _read(chat(c, stream=True, stream_options=USAGE)), CHAT),
    "chat stream helper": (
        lambda c: _helper(c.chat.completions.stream(model="gpt-4o", messages=HELLO, stream_options=USAGE)),
        CHAT,
    ),
    "chat stream without usage": (lambda c: _read(chat(c, stream=True)), None),
    "chat stream raw": (
        lambda c: _read(
            c.chat.completions.with_raw_response.create(
                model="gpt-4o", messages=HELLO, stream=True, stream_options=USAGE
            ).parse()
        ),
        CHAT,
    ),
    "chat stream read raw": (
        lambda c: _stream_raw(
            c.chat.completions.with_streaming_response.create(
                model="gpt-4o", messages=HELLO, stream=True, stream_options=USAGE
            )
        ),
        CHAT,
    ),
    "responses": (lambda c: c.responses.create(model="gpt-4o", input="hi"), CHAT),
    "responses parse": (lambda c: c.responses.parse(model="gpt-4o", input="hi", text_format=Answer), CHAT),
    "responses stream": (lambda c: _read(c.responses.create(model="gpt-4o", input="hi", stream=True)), CHAT),
    "responses stream helper": (lambda c: _helper(c.responses.stream(model="gpt-4o", input="hi")), CHAT),
    "embeddings": (lambda c: c.embeddings.create(model="gpt-4o", input="hi"), EMBEDDING),
    "embeddings raw": (lambda c: c.embeddings.with_raw_response.create(model="gpt-4o", input="hi"), EMBEDDING),
    "decisions": (lambda c: c.decisions.create(model="gpt-4o", input="hi", questions=[]), DECISION),
    "post for an object": (
        lambda c: c.post("/chat/completions", body={"model": "gpt-4o", "messages": HELLO}, cast_to=object),
        CHAT,
    ),
    "post for text": (
        lambda c: c.post("/chat/completions", body={"model": "gpt-4o", "messages": HELLO}, cast_to=str),
        CHAT,
    ),
    "post for a response": (
        lambda c: c.post("/chat/completions", body={"model": "gpt-4o", "messages": HELLO}, cast_to=httpx2.Response),
        CHAT,
    ),
}
CLAUDE = {
    "messages": lambda c: message(c),
    "messages raw": lambda c: c.messages.with_raw_response.create(
        model="claude-sonnet-5", max_tokens=9, messages=HELLO
    ),
    "messages stream": lambda c: _read(message(c, stream=True)),
    "messages stream helper": lambda c: _helper(
        c.messages.stream(model="claude-sonnet-5", max_tokens=9, messages=HELLO)
    ),
    "messages stream read raw": lambda c: _stream_raw(
        c.messages.with_streaming_response.create(model="claude-sonnet-5", max_tokens=9, messages=HELLO, stream=True)
    ),
    "messages parse": lambda c: c.messages.parse(
        model="claude-sonnet-5", max_tokens=9, messages=HELLO, output_format=Answer
    ),
    "beta messages": lambda c: c.beta.messages.create(model="claude-sonnet-5", max_tokens=9, messages=HELLO),
}


@pytest.mark.parametrize("name", OPENAI)
def test_a_request_of_the_openai_sdk_counts_once_with_its_tokens(oai, name):
    request, tokens = OPENAI[name]
    usage = _usage_of(request, oai)
    assert (usage.requests, usage.tokens) == (1, tokens)
    provider = "openai-decisions" if name == "decisions" else "openai"
    assert usage.cost == (None if tokens is None else price(provider, "gpt-4o", tokens))


@pytest.mark.parametrize("name", CLAUDE)
def test_a_request_of_the_anthropic_sdk_counts_once_with_its_tokens(claude, name):
    usage = _usage_of(CLAUDE[name], claude)
    assert (usage.requests, usage.tokens) == (1, MESSAGE)
    assert usage.cost == price("anthropic", "claude-sonnet-5", MESSAGE) is not None


def test_requests_of_the_asynchronous_clients_count_streamed_or_not(url):
    async def perform() -> Usage:
        async with (
            AsyncOpenAI(base_url=f"{url}/v1", api_key="k") as oai,
            anthropic.AsyncAnthropic(base_url=url, api_key="k") as claude,
        ):
            with recording() as recorder:
                await oai.responses.create(model="gpt-4o", input="hi")
                async for _ in await oai.responses.create(model="gpt-4o", input="hi", stream=True):
                    pass
                await oai.embeddings.create(model="gpt-4o", input="hi")
                await claude.messages.create(model="claude-sonnet-5", max_tokens=9, messages=HELLO)
                async with claude.messages.stream(model="claude-sonnet-5", max_tokens=9, messages=HELLO) as stream:
                    await stream.get_final_message()
                raw = claude.messages.with_streaming_response
                async with raw.create(model="claude-sonnet-5", max_tokens=9, messages=HELLO, stream=True) as body:
                    async for _ in body.iter_lines():
                        pass
            return recorder.usage

    usage = asyncio.run(perform())
    assert usage.requests == 6
    assert usage.tokens == CHAT + CHAT + EMBEDDING + MESSAGE + MESSAGE + MESSAGE


def test_a_stream_that_is_left_early_counts_what_it_has_said(claude):
    with recording() as recorder, message(claude, stream=True) as stream:
        next(iter(stream))
    assert recorder.usage.tokens == Tokens(input=125, output=1, cached=20, cache_write=5)


def test_an_answer_without_usage_is_a_request_of_unknown_tokens_and_cost(oai):
    usage = _usage_of(lambda c: chat(c, model="nousage"), oai)
    assert usage == Usage(requests=1, unpriced=("openai:nousage",))


def test_the_models_without_a_price_are_named_and_leave_the_cost_unknown(oai):
    usage = _usage_of(lambda c: (chat(c), chat(c, model="mine")), oai)
    assert (usage.requests, usage.cost, usage.unpriced) == (2, None, ("openai:mine",))
    assert usage.tokens == CHAT + CHAT


def test_what_asks_no_model_does_not_count(oai, claude):
    with recording() as recorder:
        oai.models.list()
        oai.moderations.create(input="hi")
        oai.responses.retrieve("resp_of_another_day")
        claude.messages.count_tokens(model="claude-sonnet-5", messages=HELLO)
    assert recorder.usage is NO_USAGE


def test_a_refused_request_counts_and_costs_nothing(oai):
    def perform(client: OpenAI) -> None:
        chat(client)
        with pytest.raises(openai.InternalServerError):
            chat(client, model="broken")

    usage = _usage_of(perform, oai)
    assert (usage.requests, usage.tokens) == (2, CHAT)
    assert usage.cost == price("openai", "gpt-4o", CHAT)


def test_a_refusal_for_want_of_capacity_is_told_at_once_though_the_sdk_asks_again(url):
    """Once for each request: the refusals of its further tries tell nothing new."""
    told = []
    with OpenAI(base_url=f"{url}/v1", api_key="k", max_retries=5) as client, recording() as recorder:
        recorder.on_throttled = lambda: told.append(recorder.usage.tokens)
        chat(client, model="busy")
        chat(client, model="busy")
    assert recorder.usage.requests == 2
    assert 1 <= recorder.throttled <= 2  # the server answers every third of its requests, whoever makes the others
    assert len(told) == recorder.throttled
    assert told[0] is None
    with anthropic.Anthropic(base_url=url, api_key="k", max_retries=0) as claude, recording() as refused:
        for _ in range(3):
            with suppress(anthropic.RateLimitError):
                claude.messages.create(model="busy", max_tokens=9, messages=HELLO)
    assert refused.throttled == 2


def test_a_request_that_timed_out_has_an_unknown_cost():
    silent = ThreadingHTTPServer(("127.0.0.1", 0), Talk)  # takes connections, and no thread answers them
    address = f"http://127.0.0.1:{silent.server_address[1]}/v1"
    timed_out = pytest.raises(openai.APITimeoutError)
    with OpenAI(base_url=address, api_key="k", max_retries=0) as client, recording() as recorder, timed_out:
        chat(client, timeout=0.05)
    silent.server_close()
    assert recorder.usage == Usage(requests=1, unpriced=("openai:gpt-4o",))


def test_a_request_that_was_never_sent_does_not_count(url, monkeypatch):
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    monkeypatch.delenv("ANTHROPIC_AUTH_TOKEN", raising=False)
    with recording() as recorder, anthropic.Anthropic(base_url=url) as client, pytest.raises(TypeError):
        message(client)
    assert recorder.usage is NO_USAGE


def test_a_response_made_in_the_background_counts_once_with_what_it_says_in_the_end(oai):
    with recording() as recorder:
        response = oai.responses.create(model="gpt-4o", input="hi", background=True)
        assert recorder.usage.tokens is None
        oai.responses.retrieve(response.id)
        oai.responses.retrieve(response.id)
    assert (recorder.usage.requests, recorder.usage.tokens) == (1, CHAT)


def test_an_answer_that_the_sdk_refuses_to_parse_counts_with_its_tokens(oai):
    with recording() as recorder, pytest.raises(openai.LengthFinishReasonError):
        oai.chat.completions.parse(model="gpt-4o-cut", messages=HELLO, response_format=Answer)
    assert (recorder.usage.requests, recorder.usage.tokens) == (1, CHAT)


def test_no_request_is_no_usage():
    with recording() as recorder:
        pass
    assert recorder.usage is NO_USAGE


class _Thread(threading.Thread):
    def __init__(self, work: Any) -> None:
        super().__init__()
        self.work = work

    def run(self) -> None:
        self.work()


def _in_executor(work: Any) -> None:
    async def perform() -> None:
        await asyncio.get_running_loop().run_in_executor(None, work)

    asyncio.run(perform())


def _join(thread: threading.Thread) -> None:
    thread.start()
    thread.join()


def _with_pool(work: Any) -> None:
    with ThreadPoolExecutor(1) as pool:
        pool.submit(work).result()


@pytest.mark.parametrize(
    "run",
    [
        lambda work: _join(threading.Thread(target=work)),
        lambda work: _join(_Thread(work)),
        lambda work: _join(threading.Thread(target=lambda: _join(threading.Thread(target=work)))),
        _with_pool,
        _in_executor,
        lambda work: asyncio.run(asyncio.to_thread(work)),
    ],
    ids=["thread", "thread class", "thread of a thread", "pool", "run_in_executor", "to_thread"],
)
def test_what_a_thread_of_the_application_asks_counts_for_the_trial_that_started_it(oai, run):
    with recording(), recording() as recorder:  # two are open, so that it cannot be a guess
        run(lambda: chat(oai))
    assert recorder.usage.requests == 1


def test_a_thread_gets_no_other_context_variable_of_its_starter():
    variable: ContextVar[str] = ContextVar("variable", default="unset")
    variable.set("set")
    found: list[str] = []
    with recording():
        _join(threading.Thread(target=lambda: found.append(variable.get())))
        _with_pool(lambda: found.append(variable.get()))
    assert found == ["unset", "unset"]


def test_a_pool_that_outlives_a_trial_counts_for_whichever_trial_uses_it(oai):
    with ThreadPoolExecutor(1) as pool, recording():
        with recording() as first:
            pool.submit(chat, oai).result()
        with recording() as second:
            pool.submit(chat, oai).result()
            pool.submit(chat, oai).result()
    assert (first.usage.requests, second.usage.requests) == (1, 2)


def test_trials_at_the_same_time_do_not_mix(oai):
    recorders = [Recorder() for _ in range(4)]

    def trial(recorder: Recorder, times: int) -> None:
        recorder.start()
        for _ in range(times):
            _with_pool(lambda: chat(oai))
        recorder.stop()

    threads = [threading.Thread(target=trial, args=(recorder, i)) for i, recorder in enumerate(recorders)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [recorder.usage.requests for recorder in recorders] == [0, 1, 2, 3]


def test_a_request_of_an_older_thread_counts_for_the_only_open_trial(oai):
    recorder = Recorder()
    done = threading.Thread(target=lambda: chat(oai))
    recorder_thread = threading.Thread(target=recorder.start)
    _join(recorder_thread)  # open, but not in this thread's context
    _join(done)
    recorder.stop()
    assert recorder.usage.requests == 1


def test_a_request_that_belongs_to_no_trial_is_told_apart_once(oai, capture):
    first, second = Recorder(), Recorder()
    _join(threading.Thread(target=first.start))
    _join(threading.Thread(target=second.start))
    _join(threading.Thread(target=lambda: chat(oai)))
    first.stop()
    second.stop()
    assert (first.usage, second.usage) == (NO_USAGE, NO_USAGE)
    assert capture.strays().tokens == CHAT
    assert capture.strays() is NO_USAGE


def test_grading_that_is_recorded_apart_is_not_the_trials(oai):
    with recording() as task:
        with recording(strays=False) as grading:
            chat(oai)
        with unrecorded():
            chat(oai)
            _join(threading.Thread(target=lambda: chat(oai)))
    assert grading.usage.requests == 1
    assert task.usage is NO_USAGE


def test_a_recorder_may_be_stopped_in_another_context():
    recorder = Recorder()
    recorder.start()
    _join(threading.Thread(target=recorder.stop))
    assert recorder.closed
    with recording() as other:
        assert current() is other


def test_outside_a_run_sdks_and_threads_are_as_they_were():
    code = """
import threading, openai, anthropic, concurrent.futures.thread as pools
names = [(openai._base_client.SyncAPIClient, "request"), (openai._base_client.AsyncAPIClient, "request"),
         (anthropic._base_client.SyncAPIClient, "request"), (openai._base_client.BaseClient, "_process_response_data"),
         (threading.Thread, "start"), (pools.ThreadPoolExecutor, "submit")]
before = [owner.__dict__[name] for owner, name in names]
from llmeval.capture import capturing
with capturing():
    with capturing():
        pass
    during = [owner.__dict__[name] for owner, name in names]
after = [owner.__dict__[name] for owner, name in names]
assert not any(a is b for a, b in zip(before, during)), during
assert before == after
"""
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)


def test_what_another_tool_put_in_front_meanwhile_stays(monkeypatch):
    original = threading.Thread.start

    def theirs(self: threading.Thread) -> None:
        original(self)

    monkeypatch.setattr(threading.Thread, "start", theirs)
    with capturing():
        pass
    assert threading.Thread.start is theirs


def test_an_sdk_that_perform_imports_itself_is_counted_and_none_is_imported_before(url):
    code = f"""
import sys
from llmeval.capture import capturing, recording
with capturing():
    with recording() as recorder:
        pass
    heavy = {{"openai", "anthropic", "opentelemetry", "genai_prices", "asyncio", "concurrent.futures.thread"}}
    assert not heavy & set(sys.modules), heavy & set(sys.modules)
    with recording() as recorder:
        import concurrent.futures
        from openai import OpenAI
        from anthropic import Anthropic
        a = OpenAI(base_url="{url}/v1", api_key="k").responses.create(model="gpt-4o", input="hi")
        def ask():
            Anthropic(base_url="{url}", api_key="k").messages.create(
                model="claude-sonnet-5", max_tokens=9, messages=[{{"role": "user", "content": "x"}}])
        with recording(), concurrent.futures.ThreadPoolExecutor(1) as pool:
            pool.submit(ask).result()
    print(recorder.usage.requests)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "1"


class _User:
    """What the user's own tracer provider gets."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, sampler: Any = None) -> None:
        self.exporter = InMemorySpanExporter()
        self.provider = TracerProvider(sampler=sampler, shutdown_on_exit=False)
        self.provider.add_span_processor(SimpleSpanProcessor(self.exporter))
        monkeypatch.setattr(trace, "_TRACER_PROVIDER", self.provider)

    @property
    def names(self) -> list[str]:
        return [span.name for span in self.exporter.get_finished_spans()]


def _ask_gemini(id: str | None = "r1", tracer: trace.Tracer | None = None, **more: Any) -> None:
    asked = {"gen_ai.operation.name": "generate_content", "gen_ai.provider.name": "gcp.gemini", **more}
    with (tracer or trace.get_tracer("gemini")).start_as_current_span(
        "generate_content gemini", attributes=asked
    ) as span:
        answered: dict[str, Any] = {"gen_ai.response.model": "gemini-2.5-pro", "gen_ai.usage.input_tokens": 70}
        answered |= {"gen_ai.usage.output_tokens": 7, "gen_ai.usage.cache_read.input_tokens": 5}
        if id is not None:
            answered["gen_ai.response.id"] = id
        span.set_attributes(answered)


GEMINI = Tokens(input=70, output=7, cached=5)


def test_another_librarys_genai_span_counts_with_the_users_provider(monkeypatch):
    user = _User(monkeypatch)
    with recording() as recorder:
        _ask_gemini()
    assert recorder.usage == Usage(requests=1, tokens=GEMINI, priced=price("google", "gemini-2.5-pro", GEMINI))
    assert user.names == ["generate_content gemini"]


def test_a_response_id_counts_once_however_many_spans_have_it(monkeypatch):
    _User(monkeypatch)
    with recording() as recorder:
        _ask_gemini("r1")
        _ask_gemini("r1")
        _ask_gemini("r2")
    assert recorder.usage.requests == 2


def test_only_chat_generate_and_embeddings_operations_count(monkeypatch):
    _User(monkeypatch)
    with recording() as recorder:
        for operation in ("invoke_agent", "execute_tool", "create_agent", "retrieval"):
            _ask_gemini(operation, **{"gen_ai.operation.name": operation})
        with trace.get_tracer("db").start_as_current_span("select"):
            pass
    assert recorder.usage is NO_USAGE


@pytest.mark.parametrize("with_id", [True, False], ids=["with an id", "without an id"])
def test_a_span_about_a_request_of_the_sdks_counts_nothing_more(oai, monkeypatch, with_id):
    _User(monkeypatch)
    with recording() as recorder:
        response = chat(oai)
        with trace.get_tracer("instrumentation").start_as_current_span("chat gpt-4o") as span:
            told: dict[str, Any] = {"gen_ai.operation.name": "chat", "gen_ai.system": "openai"}
            told |= {"gen_ai.usage.input_tokens": 120, "gen_ai.usage.output_tokens": 30}
            span.set_attributes(told | ({"gen_ai.response.id": response.id} if with_id else {}))
    assert (recorder.usage.requests, recorder.usage.tokens) == (1, CHAT)


def test_the_spans_that_the_anthropic_sdk_emits_count_nothing_more(url, monkeypatch):
    user = _User(monkeypatch)
    with recording() as recorder, anthropic.Anthropic(base_url=url, api_key="k") as client:
        message(client)
        _read(message(client, stream=True))
    assert (recorder.usage.requests, recorder.usage.tokens) == (2, MESSAGE + MESSAGE)
    assert user.names == ["anthropic.messages.create"] * 2


@pytest.mark.parametrize("sampler", [ALWAYS_OFF, ParentBased(TraceIdRatioBased(0.0))], ids=["off", "ratio"])
def test_a_sampled_out_request_counts_and_is_not_exported(monkeypatch, sampler):
    user = _User(monkeypatch, sampler)
    tracer = user.provider.get_tracer("made before the run")
    with recording() as recorder:
        _ask_gemini(tracer=tracer)
        with tracer.start_as_current_span("something else") as span:
            assert not span.is_recording()
    assert recorder.usage.tokens == GEMINI
    assert user.names == []


def test_samplers_are_as_they_were_after_the_run(monkeypatch, capture):
    user = _User(monkeypatch, ALWAYS_OFF)
    with recording():
        pass
    assert "should_sample" in vars(ALWAYS_OFF)
    from llmeval.capture.spans import stop_listening

    stop_listening()
    assert "should_sample" not in vars(ALWAYS_OFF)
    with user.provider.get_tracer("x").start_as_current_span("chat x") as span:
        assert not span.is_recording()


def test_the_users_processors_and_context_are_undisturbed(monkeypatch):
    seen: list[str] = []

    class Theirs(SpanProcessor):
        def on_start(self, span: Any, parent_context: Any = None) -> None:
            seen.append(span.name)

    user = _User(monkeypatch)
    user.provider.add_span_processor(Theirs())
    with recording(), trace.get_tracer("x").start_as_current_span("outer") as outer:
        _ask_gemini()
        assert trace.get_current_span() is outer
    assert seen == ["outer", "generate_content gemini"]
    assert trace.get_tracer_provider() is user.provider


def test_a_span_counts_for_the_trial_it_started_in(monkeypatch):
    user = _User(monkeypatch)
    with recording(), recording() as recorder:
        span = user.provider.get_tracer("x").start_span("chat", attributes={"gen_ai.operation.name": "chat"})
    _join(threading.Thread(target=span.end))
    assert recorder.usage.requests == 1


def test_without_a_provider_spans_count_and_the_global_provider_stays_unset(monkeypatch):
    monkeypatch.setattr(trace, "_TRACER_PROVIDER", None)
    tracer = trace.get_tracer("gemini")
    with recording() as recorder:
        _ask_gemini(tracer=tracer)
        with tracer.start_as_current_span("outer"):
            assert not trace.get_current_span().get_span_context().is_valid
    assert recorder.usage.tokens == GEMINI
    assert trace._TRACER_PROVIDER is None
    user = _User(monkeypatch)
    _ask_gemini("later", tracer=tracer)
    assert user.names == ["generate_content gemini"]


def test_outside_a_trial_spans_without_a_provider_are_dropped_as_ever(monkeypatch):
    monkeypatch.setattr(trace, "_TRACER_PROVIDER", None)
    with recording():
        pass
    with trace.get_tracer("gemini").start_as_current_span("chat x") as span:
        assert not span.is_recording()
