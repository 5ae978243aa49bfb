"""A small model server that streams, and whose every answer has an id of its own; for tests of what is counted."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from typing import Any


class Talk(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    numbers = count(1)

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def do_GET(self) -> None:
        if "/responses/" in self.path:
            return self._json(_response(self.path.rpartition("/")[2], "gpt-4o", "completed"))
        return self._json({"object": "list", "data": []})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        model, path = str(body.get("model")), self.path.partition("?")[0]
        if model == "broken":
            return self._json({"error": {"message": "no"}}, 500)
        number = next(self.numbers)
        if model == "busy" and number % 3:
            return self._json({"error": {"message": "slow down"}}, 429)
        if path.endswith("/chat/completions"):
            data = _completion(f"chatcmpl-{number}", model)
            events = _chat_events(data, bool((body.get("stream_options") or {}).get("include_usage")))
        elif path.endswith("/responses"):
            background = body.get("background")
            data = _response(f"resp_{number}", model, "queued" if background else "completed")
            events = _response_events(data)
        elif path.endswith("/v1/messages"):
            data = _message(f"msg_{number}", model)
            events = _message_events(data)
        elif path.endswith("/decisions"):
            details = {"input_tokens_details": {"cached_tokens": 10, "cache_write_tokens": 4}}
            details |= {"output_tokens_details": {"reasoning_tokens": 0}}
            usage = {"input_tokens": 50, "output_tokens": 3, "total_tokens": 53, **details}
            data = {"model": model, "answers": [], "usage": usage}
        elif path.endswith("/embeddings"):
            vectors = [{"object": "embedding", "index": 0, "embedding": [0.5]}]
            data = {"object": "list", "model": model, "data": vectors, "usage": {"prompt_tokens": 8, "total_tokens": 8}}
        else:
            data = {"id": "x", "model": model, "input_tokens": 9, "results": [], "usage": {"input_tokens": 9}}
        return self._stream(events) if body.get("stream") else self._json(data)

    def _json(self, data: Any, status: int = 200) -> None:
        self._send(json.dumps(data).encode(), "application/json", status)

    def _stream(self, events: list[tuple[str | None, Any]]) -> None:
        text = "".join(
            (f"event: {name}\n" if name else "") + f"data: {data if data == '[DONE]' else json.dumps(data)}\n\n"
            for name, data in events
        )
        self._send(text.encode(), "text/event-stream; charset=utf-8", 200)

    def _send(self, raw: bytes, kind: str, status: int) -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("retry-after-ms", "1")
        self.send_header("content-length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)


def _completion(id: str, model: str) -> dict[str, Any]:
    usage = {"prompt_tokens": 120, "completion_tokens": 30, "total_tokens": 150}
    usage |= {"prompt_tokens_details": {"cached_tokens": 20}, "completion_tokens_details": {"reasoning_tokens": 10}}  # type: ignore[dict-item]
    message = {"role": "assistant", "content": '{"text": "hi"}'}
    choices = [{"index": 0, "message": message, "finish_reason": "length" if "cut" in model else "stop"}]
    data = {"id": id, "object": "chat.completion", "created": 0, "model": model, "choices": choices, "usage": usage}
    return {key: value for key, value in data.items() if key != "usage" or "nousage" not in model}


def _chat_events(data: dict[str, Any], with_usage: bool) -> list[tuple[str | None, Any]]:
    chunk = {**data, "object": "chat.completion.chunk", "usage": None}
    parts = ['{"text":', ' "hi"}']
    chunks = [{**chunk, "choices": [{"index": 0, "delta": {"content": part}}]} for part in parts]
    chunks.append({**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    if with_usage:
        chunks.append({**chunk, "choices": [], "usage": data["usage"]})
    return [*((None, chunk) for chunk in chunks), (None, "[DONE]")]


def _response(id: str, model: str, status: str) -> dict[str, Any]:
    details = {"input_tokens_details": {"cached_tokens": 20}, "output_tokens_details": {"reasoning_tokens": 10}}
    usage = {"input_tokens": 120, "output_tokens": 30, "total_tokens": 150, **details}
    part = {"type": "output_text", "text": '{"text": "hi"}', "annotations": []}
    message = {"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": [part]}
    done = status == "completed"
    return {
        "id": id,
        "object": "response",
        "created_at": 0,
        "model": model,
        "status": status,
        "output": [message] if done else [],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": usage if done else None,
    }


def _response_events(data: dict[str, Any]) -> list[tuple[str | None, Any]]:
    begun = {**data, "status": "in_progress", "output": [], "usage": None}
    steps = [("response.created", begun), ("response.completed", data)]
    return [(name, {"type": name, "sequence_number": i, "response": part}) for i, (name, part) in enumerate(steps)]


def _message(id: str, model: str) -> dict[str, Any]:
    return {
        "id": id,
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [{"type": "text", "text": '{"text": "hi"}'}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {
            "input_tokens": 100,
            "output_tokens": 30,
            "cache_read_input_tokens": 20,
            "cache_creation_input_tokens": 5,
        },
    }


def _message_events(data: dict[str, Any]) -> list[tuple[str | None, Any]]:
    begun = {**data, "content": [], "stop_reason": None, "usage": {**data["usage"], "output_tokens": 1}}
    text = {"type": "text_delta", "text": data["content"][0]["text"]}
    events = [
        {"type": "message_start", "message": begun},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": text},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 30}},
        {"type": "message_stop"},
    ]
    return [(str(event["type"]), event) for event in events]


@contextmanager
def serving() -> Iterator[str]:
    """Starts the server on a free port; the value is its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Talk)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
