"""A model server for benchmarks, in a process of its own: python benchmarks/model_server.py LATENCY [CAPACITY]

It answers Chat Completions, Responses and Messages after LATENCY seconds with the smallest thing that fits the schema
or tool of the request, and 429 at once to what comes while CAPACITY requests are being served. `GET /stats` tells the
requests, refusals and characters of prompt for each model, and forgets them. It parses no more of HTTP than it must, so
that it serves some 5,000 requests a second and is never what is measured.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import urllib.request
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

REASON = "The answer says so in as many words as it needs."
PLAIN = {"reason": REASON, "verdict": "pass", "pass": True, "score": 1}


class Server:
    """What is served, what was counted."""

    def __init__(self, latency: float, capacity: int | None) -> None:
        self._latency = latency
        self._capacity = capacity
        self._serving = 0
        self._stats: defaultdict[str, Counter[str]] = defaultdict(Counter)

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answers the requests of one connection."""
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                method, path, _ = head.split(" ", 2)
                length = next((line[15:] for line in head.lower().split("\r\n") if line[:15] == "content-length:"), "0")
                raw = await reader.readexactly(int(length))
                status, data = (200, self._told()) if method == "GET" else await self._answer(path, raw)
                writer.write(_http(status, data))
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    def _told(self) -> Mapping[str, Any]:
        stats, self._stats = self._stats, defaultdict(Counter)
        return stats

    async def _answer(self, path: str, raw: bytes) -> tuple[int, Mapping[str, Any]]:
        body = json.loads(raw)
        seen = self._stats[body["model"]]
        seen["requests"] += 1
        if self._capacity is not None and self._serving >= self._capacity:
            seen["refused"] += 1
            return 429, {"error": {"message": "Too many at once", "type": "rate_limit", "code": "rate_limit_exceeded"}}
        self._serving += 1
        try:
            await asyncio.sleep(self._latency)
        finally:
            self._serving -= 1
        seen["characters"] += len(raw)
        return 200, _reply(path, body, len(raw) // 4)


def _http(status: int, data: Mapping[str, Any]) -> bytes:
    raw = json.dumps(data).encode()
    extra = "retry-after-ms: 50\r\n" if status == 429 else ""
    head = f"HTTP/1.1 {status} OK\r\ncontent-type: application/json\r\n{extra}content-length: {len(raw)}\r\n\r\n"
    return head.encode() + raw


def _reply(path: str, body: Mapping[str, Any], given: int) -> Mapping[str, Any]:
    if path.endswith("/responses"):
        return _response(body, given)
    if path.endswith("/messages"):
        return _message(body, given)
    return _completion(body, given)


def _response(body: Mapping[str, Any], given: int) -> Mapping[str, Any]:
    text = _text(body, ((body.get("text") or {}).get("format") or {}).get("schema"))
    part = {"type": "output_text", "text": text, "annotations": []}
    message = {"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": [part]}
    details = {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    return {
        "id": f"resp_{id(part)}",
        "object": "response",
        "created_at": 0,
        "model": body["model"],
        "status": "completed",
        "output": [message],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": {"input_tokens": given, "output_tokens": 30, "total_tokens": given + 30, **details},
    }


def _message(body: Mapping[str, Any], given: int) -> Mapping[str, Any]:
    text = _text(body, ((body.get("output_config") or {}).get("format") or {}).get("schema"))
    return {
        "id": "msg",
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": [{"type": "text", "text": text}],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": given, "output_tokens": 30},
    }


def _completion(body: Mapping[str, Any], given: int) -> Mapping[str, Any]:
    schema = ((body.get("response_format") or {}).get("json_schema") or {}).get("schema")
    message: dict[str, Any] = {"role": "assistant", "content": _text(body, schema)}
    tools = body.get("tools")
    if tools:
        function = tools[0]["function"]
        arguments = json.dumps(_sample(function["parameters"], function["parameters"]))
        call = {"id": "call", "type": "function", "function": {"name": function["name"], "arguments": arguments}}
        message = {"role": "assistant", "content": None, "tool_calls": [call]}
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if tools else "stop"}
    usage = {"prompt_tokens": given, "completion_tokens": 30, "total_tokens": given + 30}
    kind = "chat.completion"
    return {"id": "c", "object": kind, "created": 0, "model": body["model"], "choices": [choice], "usage": usage}


def _text(body: Mapping[str, Any], schema: Any) -> str:
    if schema:
        return json.dumps(_sample(schema, schema))
    asked = json.dumps(body)
    if "GRADE:" in asked:  # as Inspect asks
        return f"{REASON}\n\nGRADE: C"
    return json.dumps(PLAIN) if "JSON" in asked else "Within 30 days, also opened."


def _sample(schema: Mapping[str, Any], root: Mapping[str, Any]) -> Any:
    if "$ref" in schema:
        return _sample(root["$defs"][schema["$ref"].rpartition("/")[2]], root)
    if "anyOf" in schema:
        return _sample(schema["anyOf"][0], root)
    if "enum" in schema:
        return schema["enum"][0]
    kind = schema.get("type")
    if kind == "object":
        return {name: _sample(each, root) for name, each in schema["properties"].items()}
    if kind == "array":
        return [_sample(schema["items"], root)]
    return {"boolean": True, "number": 1, "integer": 1, "null": None}.get(str(kind), REASON)


class Served:
    """A server in a process of its own."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        assert process.stdout is not None
        self.root = process.stdout.readline().strip()
        self.url = f"{self.root}/v1"

    def stats(self) -> Mapping[str, Mapping[str, int]]:
        """Returns what was counted since the last time."""
        with urllib.request.urlopen(f"{self.root}/stats") as answer:
            found: Mapping[str, Mapping[str, int]] = json.load(answer)
            return found


@contextmanager
def served(latency: float, capacity: int | None = None) -> Iterator[Served]:
    """Starts a server, and ends it."""
    command = [sys.executable, __file__, str(latency), *([] if capacity is None else [str(capacity)])]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield Served(process)
        finally:
            process.terminate()


async def main(latency: float, capacity: int | None = None) -> None:
    """Serves until it is ended."""
    server = await asyncio.start_server(Server(latency, capacity).talk, "127.0.0.1", 0, backlog=1000)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(float(sys.argv[1]), int(sys.argv[2]) if sys.argv[2:] else None))
