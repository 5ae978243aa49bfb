"""No secret reaches a file, a log or the terminal, wherever a key may come from: tried as a person runs llmeval."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator

import pytest
from projects import Project  # beside this file, which is not a package
from stub_server import StubServer

PLACES = ("environment", "setting", "client", "url", "environment-url", "tool", "anthropic")
CANARIES = {place: f"sk-canary-{place}-0123456789" for place in PLACES}

EVALS = """
    import os

    import anthropic, openai
    from llmeval import Model, Reviewer, criterion, evaluation

    at, KEYS = os.environ["STUB"], os.environ["CANARIES"].split()
    setting, client, url, tool, claude = KEYS

    def look_up(word: str) -> str:
        "Looks a word up."
        raise RuntimeError(f"no access with {tool}")

    in_setting = Model("openai:stub-auth", base_url=f"{at}/v1", api_key=setting)
    in_client = Model("openai:stub-auth", client=openai.AsyncOpenAI(base_url=f"{at}/v1", api_key=client))
    in_url = Model("openai:stub-auth+x", base_url=f"{at}/v1".replace("//", f"//eve:{url}@"))
    of_claude = Model("anthropic:stub-auth", client=anthropic.AsyncAnthropic(base_url=at, api_key=claude))
    with_tool = Reviewer(tools=[look_up], model=Model("openai:stub-echo+tools-1", base_url=f"{at}/v1", api_key=tool))

    @evaluation(dataset=[{"name": name, "inputs": name} for name in ("answers", "raises", "returns", "asserts")])
    @criterion("in the environment", "It is kind")
    @criterion("in a setting", "It is kind", evaluator=in_setting)
    @criterion("in a client", "It is kind", evaluator=in_client)
    @criterion("in a client of Anthropic's", "It is kind", evaluator=of_claude)
    @criterion("in a URL", "It is kind", evaluator=in_url)
    @criterion("in a tool", "It is kind", evaluator=with_tool)
    def leaks(name):
        headers = {"Authorization": f"Bearer {setting}"}
        if name == "raises":
            raise RuntimeError(f"401 for https://user:{url}@example.com/v1?api_key={client}: {headers}")
        if name == "returns":
            return openai.OpenAI(api_key=setting)
        return f"My key is {setting}, and the other {client}, in {headers}."

    @leaks.assertions
    def is_empty(attempt):
        headers = {"x-api-key": claude}
        assert attempt.input != "asserts" or headers == {}, f"{headers} were sent with {claude}"
"""


@pytest.fixture(scope="module")
def _told(_model_server: StubServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Project, list]]:
    """Everything that was printed, by one run and by what reads its report; the project; the requests."""
    server = _model_server
    server.requests.clear()
    project = Project(tmp_path_factory.mktemp("leaks"))
    project.write("evals/leaks.py", EVALS)
    env = {
        "STUB": server.url,
        "CANARIES": " ".join(CANARIES[place] for place in ("setting", "client", "url", "tool", "anthropic")),
        "OPENAI_API_KEY": CANARIES["environment"],
        "OPENAI_BASE_URL": f"{server.url}/v1".replace("//", f"//eve:{CANARIES['environment-url']}@"),
        "LLMEVAL_EVALUATOR": "openai:stub-auth",
    }
    run = project.run("run", "leaks", "--id", "one", "-j", "2", **env)
    assert run.returncode == 3, run.stdout + run.stderr
    assert project.report("leaks", "one")["masked"] > 10
    told = [run.stdout, run.stderr]
    for arguments in (
        ("report", "show", "leaks@one", "--format", "json"),
        ("report", "show", "leaks@one", "--format", "agent"),
        ("report", "show", "leaks@one", "--all"),
        ("report", "export", "leaks@one", "--html=it.html", "--markdown=it.md", "--junit=it.xml", "--csv=it.csv"),
    ):
        found = project.run(*arguments, **env)
        told += [found.stdout, found.stderr]
    yield "\n".join(told), project, list(server.requests)


@pytest.mark.parametrize("place", PLACES)
def test_no_secret_is_printed_or_written_wherever_it_comes_from(
    place: str, _told: tuple[str, Project, list[object]]
) -> None:
    told, project, requests = _told
    secret = CANARIES[place]
    forms = (secret, b64encode(f"eve:{secret}".encode()).decode())
    written = [path for path in project.root.rglob("*") if path.is_file() and "evals" not in path.parts]

    assert len(written) >= 6
    for form in forms:
        assert form not in told
        assert [path for path in written if form.encode() in path.read_bytes()] == []
    sent = [str(request) for request in requests]
    assert any(secret in one or forms[1] in one for one in sent) or place in ("environment", "tool")


def test_a_secret_in_what_an_application_returns_is_not_shown_to_a_model(
    _told: tuple[str, Project, list[dict[str, object]]],
) -> None:
    _, _, requests = _told
    bodies = "\n".join(str(request["body"]) for request in requests)

    assert "My key is [masked], and the other [masked]" in bodies
    assert not any(secret in bodies for secret in CANARIES.values())


def test_what_was_masked_still_says_what_went_wrong(_told: tuple[str, Project, list[object]]) -> None:
    _, project, _ = _told
    trials = {trial["case"]["name"]: trial for trial in project.report("leaks", "one")["trials"]}
    errors = {one["name"]: one["error"]["message"] for one in trials["answers"]["evaluations"] if "error" in one}

    assert "HTTP 401, authentication: This key is not known: Bearer [masked]" in errors["in a setting"]
    assert trials["raises"]["error"]["message"].startswith("401 for https://[masked]@example.com/v1?api_key=[masked]")
    assert "OpenAI" in trials["returns"]["error"]["message"]
    assert "[masked]" in trials["asserts"]["assertion_failure"]
