"""Attachments from what a function returns to what a model is asked, and to the report."""

from __future__ import annotations

import hashlib
import json
from base64 import b64decode, b64encode
from pathlib import Path
from typing import Any

import pytest
from model_graders import KEY, PROTOCOLS, model
from stub_server import StubServer

from llmeval import Attachment, Conversation, Message, Model, Registry, Report, Status, criterion, load_report
from llmeval.secrets import register

PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256))
PDF = b"%PDF-1.7\n" + bytes(range(256))
WAV = b"RIFF\x24\x00\x00\x00WAVEfmt " + bytes(32)

each_protocol = pytest.mark.parametrize("protocol", PROTOCOLS)


def run(grader: Model, returned: Any) -> Report:
    """Returns the report of one trial that returns `returned`."""
    registry = Registry()

    @registry.evaluation(evaluator=grader, dataset=[{"name": "one", "inputs": "Draw a fox"}])
    @criterion("a fox", "It shows a fox")
    def draw(_: str) -> Any:
        return returned

    return draw.run()


def parts(server: StubServer, protocol: str) -> list[Any]:
    """Returns the parts of the one message that a model was sent, but those that are text."""
    [body] = server.bodies
    content = body["input"][0]["content"] if protocol == "responses" else body["messages"][-1]["content"]
    return [part for part in content if part["type"] not in ("text", "input_text")]


def encoded(data: bytes) -> str:
    return b64encode(data).decode()


SHOWN = {
    "chat": [
        {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{encoded(PNG)}"}},
        {"type": "file", "file": {"filename": "a.pdf", "file_data": f"data:application/pdf;base64,{encoded(PDF)}"}},
    ],
    "responses": [
        {"type": "input_image", "image_url": f"data:image/png;base64,{encoded(PNG)}"},
        {"type": "input_file", "filename": "a.pdf", "file_data": f"data:application/pdf;base64,{encoded(PDF)}"},
    ],
    "messages": [
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": encoded(PNG)}},
        {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": encoded(PDF)}},
    ],
}


@each_protocol
def test_what_a_function_returns_reaches_a_model_as_attachments_and_the_report_as_descriptors(
    model_server: StubServer, protocol: str, tmp_path: Path
) -> None:
    returned = {"text": "Here.", "files": [Attachment(PNG), Attachment(PDF, name="a.pdf")]}

    report = run(model(model_server, "pass", protocol), returned)

    assert report.passed, report.to_dict()
    assert parts(model_server, protocol) == SHOWN[protocol]
    saved = report.save(tmp_path / "report.json").read_text(encoding="utf-8")
    assert encoded(PNG)[:40] not in saved
    assert json.loads(saved)["trials"][0]["evidence"]["files"] == [
        {"name": None, "media_type": "image/png", "size": len(PNG), "sha256": hashlib.sha256(PNG).hexdigest()},
        {"name": "a.pdf", "media_type": "application/pdf", "size": len(PDF), "sha256": hashlib.sha256(PDF).hexdigest()},
    ]
    assert load_report(tmp_path / "report.json").trials[0].evaluations[0].passed


@each_protocol
@pytest.mark.parametrize(
    "returned",
    [
        Attachment(PNG),
        PNG,
        Conversation([Message("user", "Draw a fox"), Message("assistant", ["Here.", Attachment(PNG)])]),
        [
            {"role": "user", "content": [{"type": "image_url", "image_url": {"url": Attachment(PNG).data_url}}]},
            {"role": "assistant", "content": "Here."},
        ],
    ],
    ids=["attachment", "bytes", "conversation", "message dicts"],
)
def test_a_picture_is_shown_wherever_it_stands(model_server: StubServer, protocol: str, returned: Any) -> None:
    assert run(model(model_server, "pass", protocol), returned).passed
    assert parts(model_server, protocol) == SHOWN[protocol][:1]


def test_audio_is_shown_where_the_protocol_takes_it_and_is_an_error_elsewhere(model_server: StubServer) -> None:
    assert run(model(model_server, "pass", "chat"), Attachment(WAV)).passed
    assert parts(model_server, "chat") == [
        {"type": "input_audio", "input_audio": {"data": encoded(WAV), "format": "wav"}}
    ]
    for protocol in ("responses", "messages"):
        report = run(model(model_server, "pass", protocol), Attachment(WAV))
        [result] = report.trials[0].evaluations
        assert (result.status, report.trials[0].error) == (Status.ERROR, None)
        assert result.error is not None
        assert "'audio/wav' cannot be shown" in result.error.message


def test_a_text_file_is_a_document_of_its_own_and_never_part_of_the_prompt(model_server: StubServer) -> None:
    notes = Attachment("A quick fox: Füchse.".encode(), name="notes.md", media_type="text/markdown")

    assert run(model(model_server, "pass", "messages"), notes).passed
    source = {"type": "text", "media_type": "text/plain", "data": "A quick fox: Füchse."}
    assert parts(model_server, "messages") == [{"type": "document", "source": source, "title": "notes.md"}]
    model_server.requests.clear()

    assert run(model(model_server, "pass", "responses"), b"a quick fox").passed
    assert parts(model_server, "responses") == [
        {
            "type": "input_file",
            "filename": "attachment.txt",
            "file_data": f"data:text/plain;base64,{encoded(b'a quick fox')}",
        }
    ]
    assert "a quick fox" not in json.dumps(model_server.bodies)
    model_server.requests.clear()

    [result] = run(model(model_server, "pass", "chat"), b"a quick fox").trials[0].evaluations
    assert result.error is not None
    assert "'text/plain' cannot be shown over OpenAI's Chat Completions protocol" in result.error.message
    assert "return its text, decoded" in result.error.message
    assert model_server.bodies == []


@pytest.mark.parametrize("protocol", ["responses", "messages"])
def test_a_secret_in_a_text_file_is_masked_before_it_is_sent(model_server: StubServer, protocol: str) -> None:
    register("canary-in-a-file")
    run(model(model_server, "pass", protocol), Attachment(b"the key is canary-in-a-file"))

    [part] = parts(model_server, protocol)
    sent = part["source"]["data"] if protocol == "messages" else b64decode(part["file_data"].partition(",")[2]).decode()
    assert sent == "the key is [masked]"


def test_an_attachment_of_100_mb_is_described_and_not_sent(model_server: StubServer) -> None:
    data = bytes(100_000_000)

    report = run(model(model_server, "pass", "responses"), Attachment(data, "image/png"))

    [trial] = report.trials
    [result] = trial.evaluations
    assert (trial.error, result.status) == (None, Status.ERROR)
    assert result.error is not None
    assert "100,000,000 bytes, more than the 50,000,000 that a model is shown" in result.error.message
    assert model_server.bodies == []
    descriptor = report.to_dict()["trials"][0]["evidence"]
    assert (descriptor["size"], descriptor["sha256"]) == (len(data), hashlib.sha256(data).hexdigest())


def test_a_key_of_the_grader_is_not_in_the_report(model_server: StubServer) -> None:
    report = run(model(model_server, "pass", "chat"), Attachment(PNG))
    assert KEY not in json.dumps(report.to_dict())
