"""Requests over each protocol, through the SDKs' own clients against a server on this machine."""

from __future__ import annotations

import asyncio
import json
import sys
from base64 import b64encode
from collections.abc import Callable
from typing import Any

import pytest
from model_graders import KEY, PROTOCOLS, criteria, grade, grade_with_notes, model, subject
from stub_server import StubServer

from llmeval.criteria import Criterion
from llmeval.evaluators.base import Grades
from llmeval.evaluators.reviewer import Reviewer
from llmeval.evidence import Attachment
from llmeval.providers import Model, Session
from llmeval.providers.messages import Request
from llmeval.results import Status
from llmeval.usage import Tokens

PNG = b"\x89PNG\r\n\x1a\n picture"
each_protocol = pytest.mark.parametrize("protocol", PROTOCOLS)
ONE = criteria("kind")


def error(grades: Grades) -> str:
    result = grades.results[0]
    assert result.status is Status.ERROR
    assert result.error is not None
    return result.error.message


@each_protocol
def test_a_request_covers_all_criteria_and_its_usage_is_counted(model_server: StubServer, protocol: str) -> None:
    [grades] = grade(
        Reviewer(model=model(model_server, "pass", protocol)), criteria("short", "kind", "true"), subject()
    )

    assert [result.name for result in grades.results] == ["short", "kind", "true"]
    assert {result.status for result in grades.results} == {Status.PASSED}
    assert {result.model for result in grades.results} == {"stub-pass"}
    assert dict(model_server.stats) == {"stub-pass": 1}
    assert grades.usage.requests == 1
    if protocol == "messages":
        assert grades.usage.tokens == Tokens(input=125, output=30, cached=20, cache_write=5)
    else:
        assert grades.usage.tokens == Tokens(input=120, output=30, cached=20, reasoning=10)
    assert grades.usage.cost is None
    assert grades.usage.unpriced == (f"{model(model_server, 'pass', protocol).provider}:stub-pass",)


def test_a_reply_without_usage_is_a_request_of_unknown_tokens(model_server: StubServer) -> None:
    [grades] = grade(Reviewer(model=model(model_server, "nousage")), ONE, subject())

    assert grades.results[0].passed
    assert grades.usage.requests == 1
    assert grades.usage.tokens is None


def test_a_known_model_has_its_price(model_server: StubServer) -> None:
    from llmeval.prices import price

    spec = Model("openai:gpt-4o", base_url=model_server.openai_url)
    [grades] = grade(Reviewer(model=spec), ONE, subject())

    tokens = Tokens(input=120, output=30, cached=20, reasoning=10)
    assert grades.usage.cost is not None
    assert grades.usage.cost == price("openai", "gpt-4o", tokens)


def test_chat_gets_a_system_message_first_and_a_schema(model_server: StubServer) -> None:
    settings = {"max_tokens": 300, "temperature": 0.5, "reasoning": "low"}
    grade(Reviewer(model=model(model_server, "pass", "chat", **settings)), ONE, subject())

    [body] = model_server.bodies
    assert [message["role"] for message in body["messages"]] == ["system", "user"]
    assert body["response_format"]["json_schema"]["strict"] is True
    assert (body["max_tokens"], body["temperature"], body["reasoning_effort"]) == (300, 0.5, "low")
    assert model_server.requests[0]["headers"]["authorization"] == f"Bearer {KEY}"


def test_responses_get_instructions_and_a_schema(model_server: StubServer) -> None:
    settings = {"max_tokens": 300, "temperature": 0.5, "reasoning": "low"}
    grade(Reviewer(model=model(model_server, "pass", "responses", **settings)), ONE, subject())

    [body] = model_server.bodies
    assert body["instructions"].startswith("You grade the work of an application")
    assert body["text"]["format"]["type"] == "json_schema"
    assert (body["max_output_tokens"], body["temperature"], body["reasoning"]) == (300, 0.5, {"effort": "low"})


def test_messages_get_cache_marks_a_limit_and_a_schema_and_never_a_forced_tool(model_server: StubServer) -> None:
    settings = {"temperature": 0.5, "reasoning": 2048}
    reviewer = Reviewer(model=model(model_server, "noforce", "messages", **settings))
    [grades] = grade(reviewer, ONE, subject())

    [body] = model_server.bodies
    assert grades.results[0].passed
    assert body["system"][0]["cache_control"] == {"type": "ephemeral"}
    assert body["messages"][0]["content"][0]["cache_control"] == {"type": "ephemeral"}
    assert body["output_config"]["format"]["type"] == "json_schema"
    assert body["thinking"] == {"type": "enabled", "budget_tokens": 2048}
    assert body["max_tokens"] > 2048
    assert "tool_choice" not in body
    assert KEY in str(model_server.requests[0]["headers"])


@each_protocol
def test_by_default_no_parameter_is_sent_that_a_model_may_reject(model_server: StubServer, protocol: str) -> None:
    grade(
        Reviewer(model=model(model_server, "notemp+nomaxtok" if protocol == "chat" else "notemp", protocol)),
        ONE,
        subject(),
    )

    [body] = model_server.bodies
    assert not {"temperature", "top_p", "max_completion_tokens", "reasoning", "thinking"} & body.keys()


@each_protocol
def test_a_temperature_that_the_user_set_is_sent_and_its_rejection_is_shown(
    model_server: StubServer, protocol: str
) -> None:
    [grades] = grade(Reviewer(model=model(model_server, "notemp", protocol, temperature=0.2)), ONE, subject())

    assert "takes only its default" in error(grades)
    assert "temperature=0.2 was set in Model(…): remove it" in error(grades)
    assert model_server.stats.total() == 1


def test_a_limit_on_tokens_is_sent_under_the_name_that_the_server_knows(model_server: StubServer) -> None:
    reviewer = Reviewer(model=model(model_server, "nomaxtok", max_tokens=200))
    grades, _ = grade_with_notes(reviewer, ONE, *[subject(inputs=n) for n in range(3)], one_by_one=True)

    assert all(one.results[0].passed for one in grades)
    assert [body.get("max_completion_tokens") for body in model_server.bodies] == [None, 200, 200, 200]


@pytest.mark.parametrize(
    ("name", "protocol", "requests"),
    [
        ("noschema", "chat", 2),
        ("nostructured", "chat", 3),
        ("nostructured+fenced", "chat", 3),
        ("nostructured", "responses", 3),
        ("nostructured", "messages", 2),
    ],
)
def test_a_server_without_structured_output_is_found_out_once_also_by_many_at_once(
    model_server: StubServer, name: str, protocol: str, requests: int
) -> None:
    reviewer = Reviewer(model=model(model_server, name, protocol))
    subjects = [subject(inputs=n) for n in range(5)]
    grades, notes = grade_with_notes(reviewer, ONE, *subjects, one_by_one=protocol == "responses")

    if name != "noschema":  # there the stub has no schema to answer by, and one criterion may be answered bare
        assert all(one.results[0].passed for one in grades)
    assert model_server.stats.total() == requests + 4
    assert len(notes) == 1
    assert "no structured output by schema" in notes[0]


def test_a_cache_mark_that_a_server_refuses_is_left_out_from_then_on(model_server: StubServer) -> None:
    reviewer = Reviewer(model=model(model_server, "nocache", "messages"))
    grades = grade(reviewer, ONE, *[subject(inputs=n) for n in range(3)])

    assert all(one.results[0].passed for one in grades)
    assert ["cache_control" in json.dumps(body) for body in model_server.bodies] == [True, False, False, False]


@each_protocol
def test_a_rate_limit_is_waited_out_by_the_sdk_and_said(model_server: StubServer, protocol: str) -> None:
    reviewer = Reviewer(model=model(model_server, "rate-2", protocol))
    grades, notes = grade_with_notes(reviewer, ONE, subject())

    assert grades[0].results[0].passed
    assert dict(model_server.stats) == {"stub-rate-2": 3}
    assert any("answers 429 and asks to wait 0.01 s" in note for note in notes)


@pytest.mark.parametrize(("retries", "requests"), [(None, 3), (0, 1), (4, 5)])
def test_a_request_is_sent_at_most_once_and_max_retries_times(
    model_server: StubServer, retries: int | None, requests: int
) -> None:
    [grades] = grade(Reviewer(model=model(model_server, "rateforever", max_retries=retries)), ONE, subject())

    assert "HTTP 429, rate limit: Too many requests" in error(grades)
    assert model_server.stats.total() == requests


@pytest.mark.parametrize("protocol", ["chat", "messages"])
def test_an_overloaded_server_is_asked_again(model_server: StubServer, protocol: str) -> None:
    [grades] = grade(Reviewer(model=model(model_server, "overload-1", protocol)), ONE, subject())

    assert grades.results[0].passed
    assert model_server.stats.total() == 2


@each_protocol
@pytest.mark.parametrize(
    ("name", "said"),
    [("auth", "HTTP 401, authentication"), ("quota", "HTTP 429, quota"), ("nomodel", "HTTP 404, unknown model")],
)
def test_what_no_repetition_can_change_is_asked_once_in_a_run(
    model_server: StubServer, protocol: str, name: str, said: str
) -> None:
    reviewer = Reviewer(model=model(model_server, name, protocol))
    subjects = [subject(inputs=n) for n in range(4)]
    (first, *others), _ = grade_with_notes(reviewer, ONE, *subjects, one_by_one=protocol == "responses")

    assert said in error(first)
    assert all("was not asked: earlier in this run it answered" in error(one) for one in others)
    assert all(said in error(one) for one in others)
    assert model_server.stats.total() == 1


def test_a_server_that_has_what_its_protocol_says_is_asked_many_times_at_once_from_the_start(
    model_server: StubServer,
) -> None:
    """What waits for a first answer would cost a run the time of one; only what is under way is refused as well."""
    subjects = [subject(inputs=n) for n in range(12)]

    async def at_most_four() -> list[Grades]:
        session, places = Session(), asyncio.Semaphore(4)
        reviewer = Reviewer(model=model(model_server, "auth", "responses")).bound(session)

        async def one(number: int) -> Grades:
            async with places:
                return await reviewer.evaluate(subjects[number], ONE)

        try:
            return list(await asyncio.gather(*map(one, range(12))))
        finally:
            await session.aclose()

    grades = asyncio.run(at_most_four())
    assert model_server.stats.total() == 4
    assert sum("was not asked: earlier in this run" in error(one) for one in grades) == 8


def test_a_key_that_the_server_repeats_is_not_shown(model_server: StubServer) -> None:
    [grades] = grade(Reviewer(model=model(model_server, "auth", "messages")), ONE, subject())

    assert "This key is not known: Bearer [masked] (check the key)" in error(grades)
    assert KEY not in json.dumps(grades.results[0].to_dict())


def test_a_page_instead_of_an_answer_is_one_line(model_server: StubServer) -> None:
    [grades] = grade(Reviewer(model=model(model_server, "html", max_retries=0)), ONE, subject())

    assert error(grades).endswith("HTTP 502, server: 502 Bad Gateway proxy")


@pytest.mark.parametrize("protocol", ["chat", "messages"])
def test_a_server_that_never_answers_is_left_after_the_timeout_and_the_others_finish(
    model_server: StubServer, protocol: str
) -> None:
    [grades] = grade(Reviewer(model=model(model_server, "hang", protocol, timeout=0.1, max_retries=0)), ONE, subject())

    assert "timeout: no answer in time" in error(grades)


def test_a_body_that_breaks_off_is_never_read_in_part(model_server: StubServer) -> None:
    [grades] = grade(Reviewer(model=model(model_server, "drop", max_retries=1)), ONE, subject())

    assert "connection: Connection error." in error(grades)
    assert model_server.stats.total() == 2


def test_a_reply_of_another_shape_is_an_error_that_shows_it(model_server: StubServer) -> None:
    [grades] = grade(Reviewer(model=model(model_server, "garbage")), ONE, subject())

    assert "not one of its protocol" in error(grades)
    assert "surprise" in error(grades)


@each_protocol
def test_a_reply_that_is_no_json_is_an_error_of_that_trial(model_server: StubServer, protocol: str) -> None:
    grades = grade(Reviewer(model=model(model_server, "notjson", protocol)), ONE, subject(), subject(inputs=2))

    assert all("server: the reply cannot be decoded" in error(one) for one in grades)
    assert model_server.stats.total() == 2


@each_protocol
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("filter400", "HTTP 400, filter"),
        ("context400", "(shorten what the application returns"),
    ],
)
def test_a_request_that_is_filtered_or_too_long_is_an_error_and_not_repeated(
    model_server: StubServer, protocol: str, name: str, said: str
) -> None:
    [grades] = grade(Reviewer(model=model(model_server, name, protocol)), ONE, subject())

    assert said in error(grades)
    assert model_server.stats.total() == 1


def test_with_the_sdks_own_url_a_server_without_responses_is_asked_over_chat_and_it_is_said_once(
    model_server: StubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", model_server.openai_url)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)

    grades, notes = grade_with_notes(
        Reviewer(model="openai:stub-norespond"), ONE, *[subject(inputs=n) for n in range(3)]
    )

    assert all(one.results[0].passed for one in grades)
    assert model_server.stats.total() == 4
    assert len(notes) == 1
    assert "asked over Chat Completions instead" in notes[0]


def test_a_protocol_that_was_asked_for_is_not_replaced(model_server: StubServer) -> None:
    [grades] = grade(Reviewer(model=model(model_server, "norespond", "responses")), ONE, subject())

    assert "HTTP 404, missing address" in error(grades)
    assert model_server.stats.total() == 1


def test_anthropics_own_url_is_used(model_server: StubServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_BASE_URL", model_server.url)
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)

    [grades] = grade(Reviewer(model="anthropic:stub-pass"), ONE, subject())

    assert grades.results[0].passed


@each_protocol
def test_images_and_pdfs_go_as_attachments(model_server: StubServer, protocol: str) -> None:
    attachments = [Attachment(PNG, "image/png", "a.png"), Attachment(b"%PDF-1.7 x", "application/pdf")]
    grade(Reviewer(model=model(model_server, "pass", protocol)), ONE, subject(attachments=attachments))

    [body] = model_server.bodies
    parts = body["input"][0]["content"] if protocol == "responses" else body["messages"][-1]["content"]
    assert [part["type"] for part in parts] == {
        "chat": ["text", "text", "image_url", "file"],
        "responses": ["input_text", "input_text", "input_image", "input_file"],
        "messages": ["text", "text", "image", "document"],
    }[protocol]


@each_protocol
def test_an_attachment_of_another_kind_is_an_error_that_names_it(model_server: StubServer, protocol: str) -> None:
    video = Attachment(b"....", "video/mp4", "clip.mp4")
    [grades] = grade(Reviewer(model=model(model_server, "pass", protocol)), ONE, subject(attachments=[video]))

    assert "an attachment of type 'video/mp4' (clip.mp4) cannot be shown" in error(grades)
    assert model_server.stats.total() == 0


def test_audio_goes_over_chat(model_server: StubServer) -> None:
    sound = Attachment(b"RIFF", "audio/wav")
    grade(Reviewer(model=model(model_server, "pass", "chat")), ONE, subject(attachments=[sound]))

    part = model_server.bodies[0]["messages"][-1]["content"][-1]
    assert part == {"type": "input_audio", "input_audio": {"data": "UklGRg==", "format": "wav"}}


def test_clients_are_made_once_for_a_run_and_server(model_server: StubServer, monkeypatch: pytest.MonkeyPatch) -> None:
    import openai

    made: list[object] = []
    original: Callable[..., None] = openai.AsyncOpenAI.__init__

    def counted(self: Any, **options: Any) -> None:
        made.append(self)
        original(self, **options)

    monkeypatch.setattr(openai.AsyncOpenAI, "__init__", counted)

    async def run() -> None:
        session = Session()
        chat, responses = model(model_server, "pass", "chat"), model(model_server, "fail", "responses")
        reviewers = [Reviewer(model=one).bound(session) for one in (chat, responses)]
        await asyncio.gather(*[one.evaluate(subject(inputs=n), ONE) for one in reviewers for n in range(3)])
        await session.aclose()
        assert made[0].is_closed()  # type: ignore[attr-defined]  # every SDK client has it

    asyncio.run(run())
    assert len(made) == 1


@pytest.mark.parametrize("sdk", ["openai", "anthropic"])
def test_a_client_of_ones_own_is_used_in_every_run_and_never_closed(model_server: StubServer, sdk: str) -> None:
    import anthropic
    import openai

    client: Any = (
        openai.AsyncOpenAI(base_url=model_server.openai_url, api_key=KEY, default_headers={"x-mine": "1"})
        if sdk == "openai"
        else anthropic.AsyncAnthropic(base_url=model_server.url, api_key=KEY, default_headers={"x-mine": "1"})
    )
    for _ in range(3):  # each in an event loop of its own
        [one, two] = grade(Reviewer(model=Model(f"{sdk}:stub-pass", client=client)), ONE, subject(), subject(inputs=2))
        assert one.results[0].passed
        assert two.results[0].passed
    assert not client.is_closed()
    assert all(request["headers"]["x-mine"] == "1" for request in model_server.requests)
    asyncio.run(client.close())


def test_a_client_with_an_http_client_of_ones_own_is_used_as_it_is(model_server: StubServer) -> None:
    import openai

    async def run() -> list[str]:
        seen: list[str] = []

        async def hook(request: Any) -> None:
            seen.append(str(request.url.path))

        http = openai.DefaultAsyncHttpxClient(event_hooks={"request": [hook]})
        async with openai.AsyncOpenAI(base_url=model_server.openai_url, api_key=KEY, http_client=http) as client:
            reviewer = Reviewer(model=Model("openai:stub-pass", client=client))
            await reviewer.evaluate(subject(), ONE)
            await reviewer.aclose()
            assert not client.is_closed()
        return seen

    assert asyncio.run(run()) == ["/v1/responses"]


def test_azure_keeps_its_own_address_and_key(model_server: StubServer) -> None:
    import openai

    client = openai.AsyncAzureOpenAI(azure_endpoint=model_server.url, api_key=KEY, api_version="2026-01-01")
    [grades] = grade(Reviewer(model=Model("openai:stub-pass", client=client, protocol="chat")), ONE, subject())

    assert grades.results[0].passed
    [request] = model_server.requests
    assert request["path"] == "/openai/deployments/stub-pass/chat/completions?api-version=2026-01-01"
    assert request["headers"]["api-key"] == KEY
    asyncio.run(client.close())


@pytest.mark.parametrize("given", ["setting", "environment", "client"])
@pytest.mark.parametrize("sdk", ["openai", "anthropic"])
def test_credentials_in_a_base_url_are_sent_as_basic_authorization(
    model_server: StubServer, monkeypatch: pytest.MonkeyPatch, sdk: str, given: str
) -> None:
    import anthropic
    import openai

    url = (model_server.openai_url if sdk == "openai" else model_server.url).replace("//", "//eve:canary-in-a-url@")
    name = f"{sdk}:stub-pass"
    monkeypatch.setenv(f"{sdk.upper()}_API_KEY", KEY)
    if given == "environment":
        monkeypatch.setenv(f"{sdk.upper()}_BASE_URL", url)
        asked = Model(name)
    elif given == "setting":
        asked = Model(name, base_url=url)
    else:
        client = openai.AsyncOpenAI(base_url=url) if sdk == "openai" else anthropic.AsyncAnthropic(base_url=url)
        asked = Model(name, client=client)
    [grades] = grade(Reviewer(model=asked), ONE, subject())

    assert grades.results[0].passed, error(grades)
    [request] = model_server.requests
    headers = {key.lower(): value for key, value in request["headers"].items()}
    assert headers["authorization"] == "Basic " + b64encode(b"eve:canary-in-a-url").decode()
    assert "canary-in-a-url" not in repr(asked) + asked.describe()


def test_a_second_run_in_the_same_process_works(model_server: StubServer) -> None:
    reviewer = Reviewer(model=model(model_server, "pass"))

    for _ in range(2):
        assert grade(reviewer, ONE, subject())[0].results[0].passed


def test_an_evaluator_that_no_session_was_given_makes_its_own_and_closes_it(model_server: StubServer) -> None:
    reviewer = Reviewer(model=model(model_server, "pass"))

    async def run() -> Grades:
        grades = await reviewer.evaluate(subject(), ONE)
        await reviewer.aclose()
        return grades

    for _ in range(2):
        assert asyncio.run(run()).results[0].passed


def test_a_session_says_who_is_throttled(model_server: StubServer) -> None:
    seen: list[tuple[str, float | None]] = []

    async def run() -> None:
        session = Session(throttled=lambda provider, seconds: seen.append((provider, seconds)))
        await session.ask(model(model_server, "rate-1"), Request(system="s", parts=("p",)))
        await session.aclose()

    asyncio.run(run())
    assert seen == [("openai", 0.01)]


def test_declaring_a_reviewer_loads_no_sdk_and_no_event_loop() -> None:
    import subprocess

    code = (
        "import sys; from llmeval.evaluators.reviewer import Reviewer; from llmeval.evaluators.judge import Judge; "
        "Reviewer(model='openai:m').identity(); Judge('decisions:m').describe(); "
        "print([name for name in ('openai', 'anthropic', 'asyncio', 'pydantic', 'httpx2') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_criterion_without_instructions_compares_with_the_reference(model_server: StubServer) -> None:
    grade(Reviewer(model=model(model_server, "pass")), [Criterion(name="correctness")], subject(expected="42"))

    assert "agrees with `expected_output`" in model_server.bodies[0]["messages"][1]["content"]


def test_a_parameter_that_the_server_blames_is_not_taken_for_structured_output(model_server: StubServer) -> None:
    [grades] = grade(Reviewer(model=model(model_server, "nomaxtok", "messages", max_tokens=50)), ONE, subject())

    assert "max_tokens=50 was set in Model(…): remove it" in error(grades)
    assert model_server.stats.total() == 1


def test_decisions_have_a_price_of_their_own(model_server: StubServer) -> None:
    from llmeval.evaluators.judge import Judge
    from llmeval.prices import price

    spec = Model("openai:gpt-6-luna", base_url=model_server.openai_url, protocol="decisions", api_key=KEY)
    [grades] = grade(Judge(spec), ONE, subject())

    tokens = Tokens(input=50, output=3, cached=10, cache_write=4, reasoning=0)
    assert grades.usage.cost == price("openai-decisions", "gpt-6-luna-2026-10-01", tokens, requested="gpt-6-luna")
    assert grades.usage.cost is not None
