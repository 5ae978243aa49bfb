"""A local HTTP server that answers each request with the next prepared reply, for the SDKs to talk to."""

from __future__ import annotations

import json
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Replies:
    """What the server answers, in order, and what it was asked."""

    def __init__(self, replies: list[Any]) -> None:
        self.replies = list(replies)
        self.requests: list[dict[str, Any]] = []
        self.url = ""


@contextmanager
def serving(*replies: Any) -> Iterator[Replies]:
    """Yields a server at `url`; a dict is answered as JSON, a list as server-sent events.

    A function of a request's path and body, in place of the replies, gives the reply to every request.
    """
    state = Replies(list(replies))

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            state.requests.append(json.loads(self.rfile.read(length) or b"{}"))
            answers = state.replies[0]
            reply = answers(self.path, state.requests[-1]) if callable(answers) else state.replies.pop(0)
            if isinstance(reply, list):
                events = [event if isinstance(event, str) else _event(event) for event in reply]
                body, kind = "".join(events).encode(), "text/event-stream"
            else:
                body, kind = json.dumps(reply).encode(), "application/json"
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    state.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@asynccontextmanager
async def talking(*replies: Any) -> AsyncIterator[tuple[Any, Replies]]:
    """Yields an async OpenAI client, and the server that it talks to."""
    import openai

    with serving(*replies) as server:
        async with openai.AsyncOpenAI(api_key="x", base_url=server.url, max_retries=0) as client:
            yield client, server


def _event(event: dict[str, Any]) -> str:
    name = f"event: {event['type']}\n" if "type" in event else ""
    return f"{name}data: {json.dumps(event)}\n\n"


# Replies in the form of each API


def chat(content: str | None = None, calls: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    """Returns an OpenAI chat completion; `calls` maps the name of a tool to its arguments."""
    found = [
        {"id": f"call_{name}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
        for name, arguments in (calls or {}).items()
    ]
    message: dict[str, Any] = {"role": "assistant", "content": content}
    if found:
        message["tool_calls"] = found
    choice = {"index": 0, "message": message, "finish_reason": more.pop("finish", "tool_calls" if found else "stop")}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "gpt-5-mini",
        "choices": [choice],
        "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
        **more,
    }


def response(*output: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Returns an OpenAI response with these output items."""
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1,
        "model": "gpt-5-mini",
        "status": "completed",
        "output": list(output),
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": {
            "input_tokens": 10,
            "input_tokens_details": {"cached_tokens": 4, "cache_write_tokens": 0},
            "output_tokens": 5,
            "output_tokens_details": {"reasoning_tokens": 2},
            "total_tokens": 15,
        },
        **more,
    }


def said(text: str, annotations: list[Any] | None = None) -> dict[str, Any]:
    """Returns the output item of a response that is a message."""
    content = {"type": "output_text", "text": text, "annotations": annotations or []}
    return {"type": "message", "id": "msg_1", "status": "completed", "role": "assistant", "content": [content]}


def function_call(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Returns the output item of a response that is a call of a function."""
    return {
        "type": "function_call",
        "id": f"fc_{name}",
        "call_id": f"call_{name}",
        "name": name,
        "arguments": json.dumps(arguments),
        "status": "completed",
    }


def claude(*content: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Returns an Anthropic message with these blocks."""
    calls = any(block["type"] == "tool_use" for block in content)
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-haiku-4-5",
        "content": list(content),
        "stop_reason": "tool_use" if calls else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 10, "output_tokens": 5, "cache_read_input_tokens": 3},
        **more,
    }
