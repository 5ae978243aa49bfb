"""Model: what it is written as, what it refuses, and what it never shows."""

from __future__ import annotations

from typing import Any

import pytest

from llmeval.errors import EvaluatorConfigError
from llmeval.providers import Model
from llmeval.providers.problems import Problem, status_problem
from llmeval.secrets import mask

KEY = "sk-canary-9876543210"


@pytest.mark.parametrize("spec", ["gpt-6", "openai:", "openai: m", ":m", "", 5, None])
def test_a_malformed_name_is_refused_with_the_forms(spec: Any) -> None:
    with pytest.raises(EvaluatorConfigError, match="openai:MODEL"):
        Model(spec)


def test_an_unknown_provider_is_named() -> None:
    with pytest.raises(EvaluatorConfigError, match="there is no provider 'gemini'"):
        Model("gemini:pro")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"protocol": "grpc"}, "protocol='grpc' is not one of 'responses', 'chat', 'decisions'"),
        ({"max_tokens": 0}, "max_tokens=0 is not a whole number from 1 up"),
        ({"max_tokens": True}, "max_tokens=True"),
        ({"max_retries": -1}, "max_retries=-1 is not a whole number from 0 up"),
        ({"timeout": 0}, "timeout=0 is not a number of seconds above 0"),
        ({"timeout": float("inf")}, "timeout=inf"),
        ({"timeout": float("nan")}, "timeout=nan"),
        ({"temperature": "hot"}, "temperature='hot' is not a number from 0 up"),
        ({"logprobs": True, "protocol": "responses"}, 'logprobs=True needs protocol="chat", not'),
        ({"reasoning": 2000}, 'reasoning=2000 is an effort here, such as "low"'),
    ],
)
def test_a_setting_without_meaning_is_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(EvaluatorConfigError) as caught:
        Model("openai:m", **options)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("model", "protocol"),
    [
        (Model("openai:m"), "responses"),
        (Model("openai:m", base_url="http://h/v1"), "chat"),
        (Model("openai:m", base_url="http://h/v1", protocol="responses"), "responses"),
        (Model("openai:m", logprobs=True), "chat"),
        (Model("decisions:m"), "decisions"),
        (Model("anthropic:m"), "messages"),
        (Model("anthropic:m", base_url="http://h"), "messages"),
    ],
)
def test_the_protocol_follows_from_provider_and_server(model: Model, protocol: str) -> None:
    assert model.wire == protocol


def test_decisions_is_short_for_a_protocol_of_openai() -> None:
    assert Model("decisions:m") == Model("openai:m", protocol="decisions")
    assert Model("decisions:ft:gpt:x").name == "ft:gpt:x"


def test_neither_repr_nor_identity_nor_description_shows_a_key_or_credentials() -> None:
    model = Model("openai:m", base_url=f"https://me:{KEY}@host:8/v1?token={KEY}", api_key=KEY)

    shown = f"{model!r} {model.identity()} {model.describe()}"
    assert KEY not in shown
    assert repr(model) == "Model('openai:m', base_url='https://host:8/v1')"
    assert model.describe() == "openai:m at https://host:8/v1"


def test_a_key_that_was_given_is_masked_everywhere() -> None:
    Model("openai:m", api_key="zq-not-seen-before-1")

    assert mask("it was zq-not-seen-before-1") == "it was [masked]"


def test_an_identity_has_what_changes_verdicts_and_no_limits_on_time() -> None:
    assert Model("anthropic:m", timeout=3, max_retries=0).identity() == {"model": "anthropic:m", "protocol": "messages"}
    assert Model("anthropic:m", reasoning=2000, max_tokens=9000).identity() == {
        "model": "anthropic:m",
        "protocol": "messages",
        "max_tokens": 9000,
        "reasoning": 2000,
    }


def test_a_client_that_is_not_asynchronous_is_refused() -> None:
    import openai

    for client in (object(), openai.OpenAI(api_key=KEY)):
        with pytest.raises(EvaluatorConfigError, match="give an asynchronous client of the SDK, such as AsyncOpenAI"):
            Model("openai:m", client=client)
    assert KEY not in repr(Model("openai:m", client=openai.AsyncOpenAI(api_key=KEY)))


@pytest.mark.parametrize("url", ["localhost:11434/v1", "", "http://", "eve:a-canary@host/v1", "ftp://host", 5])
def test_a_base_url_that_is_no_address_is_refused_without_its_credentials(url: Any) -> None:
    with pytest.raises(EvaluatorConfigError, match="is not the address of a server, such as 'http://") as caught:
        Model("openai:m", base_url=url)
    assert "canary" not in str(caught.value)


def test_models_are_values() -> None:
    assert Model("openai:m", temperature=0) == Model("openai:m", temperature=0)
    assert hash(Model("openai:m")) == hash(Model("openai:m"))
    assert Model("openai:m") != Model("openai:m", temperature=0)


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (401, {"error": {"message": "no"}}, "authentication"),
        (402, None, "quota"),
        (429, {"error": {"message": "slow down", "code": "rate_limit_exceeded"}}, "rate limit"),
        (429, {"error": {"message": "x", "code": "insufficient_quota"}}, "quota"),
        (400, {"error": {"type": "invalid_request_error", "message": "Your credit balance is too low"}}, "quota"),
        (403, {"error": {"message": "Project has no access"}}, "permission"),
        (404, {"error": {"message": "The model `x` does not exist", "code": "model_not_found"}}, "unknown model"),
        (404, {"type": "error", "error": {"type": "not_found_error", "message": "model: claude-x"}}, "unknown model"),
        (404, {"detail": "Not Found"}, "missing address"),
        (405, "Method Not Allowed", "missing address"),
        (400, {"error": {"message": "prompt is too long: 210000 tokens > 200000 maximum"}}, "context"),
        (413, None, "context"),
        (400, {"error": {"code": "content_filter", "message": "filtered"}}, "filter"),
        (400, {"error": {"message": "Unknown parameter: 'response_format'"}}, "rejected"),
        (422, {"error": "unexpected field"}, "rejected"),
        (500, None, "server"),
        (529, {"error": {"type": "overloaded_error", "message": "Overloaded"}}, "server"),
    ],
)
def test_what_went_wrong_follows_from_what_the_server_said(status: int, body: object, kind: str) -> None:
    assert status_problem(status, body, "as the SDK put it").kind == kind


def test_a_long_or_hostile_message_is_one_short_line() -> None:
    problem = Problem(kind="server", message="<html>\n<script>x</script><b>Bad</b>\n\n" + "y" * 900, status=502)

    assert problem.line().startswith("HTTP 502, server: Bad yyy")
    assert len(problem.line()) < 450
    assert "\n" not in problem.line()


def test_a_parameter_is_blamed_by_its_whole_name() -> None:
    problem = Problem(kind="rejected", message="Use 'max_completion_tokens' instead of 'max_tokens'")

    assert problem.names("max_tokens")
    assert not problem.names("tokens")
    assert Problem(kind="rejected", message="x", parameter="text.format").names("text")
