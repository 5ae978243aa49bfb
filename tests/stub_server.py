"""A model server for tests, on this machine alone: the name of the model says how it behaves.

It speaks OpenAI's Chat Completions, Responses and Decisions and Anthropic's Messages, as far as grading needs them, and
answers with the smallest thing that fits the schema it was given. A name may join several behaviours with `+`:
`pass`, `fail`, `unknown`, `flip`; `echo` (the reason is the prompt); `fenced`, `prose`, `upper`, `extra`, `missing`,
`strnum`, `truncated`, `refusal`, `filtered`; `filter400`, `context400`, `notemp`, `nomaxtok`, `nocache`, `noschema`,
`nostructured`, `noforce`, `norespond` (404 but for Chat), `nomodel`, `auth`, `quota`, `rate-N`, `rateforever`,
`overload-N`, `html`, `hang`, `slow-MS`, `drop`, `nousage`, `garbage`, `notjson`, `tools-N` (asks for every tool N
times first), `repair` (the first answer of each conversation cannot be read), `unasked`, `raw:TEXT` (the reply's text).
"""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote

RETRY_AFTER = "0.01"
LABELS = {"pass": ("pass", "yes", "true"), "fail": ("fail", "no", "false"), "unknown": ("unknown", "unsure")}


class StubServer:
    """The running server: its address, how often each model was asked, and every request's path, headers and body."""

    def __init__(self) -> None:
        self.stats: Counter[str] = Counter()
        self.requests: list[dict[str, Any]] = []
        self.lock = threading.Lock()
        self.released = threading.Event()
        self.reply: Callable[[dict[str, Any]], Any] | None = None
        """Replaces the answer's object, given the request's body."""
        self.logprobs: Any = None
        """The token list of Chat's answers."""
        self.http = _Server(("127.0.0.1", 0), type("Bound", (_Talk,), {"stub": self}))
        self.url = f"http://127.0.0.1:{self.http.server_address[1]}"
        self.openai_url = f"{self.url}/v1"

    @property
    def bodies(self) -> list[dict[str, Any]]:
        """The bodies of the requests so far."""
        return [request["body"] for request in self.requests]


@contextmanager
def running() -> Iterator[StubServer]:
    """Starts a server on a free port and stops it."""
    server = StubServer()
    thread = threading.Thread(target=server.http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.released.set()
        server.http.shutdown()
        server.http.server_close()
        thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256  # a connection beyond the usual 5 would wait a second


class _Refuse(Exception):
    def __init__(self, status: int, code: str, message: str, param: str | None = None, **headers: str) -> None:
        self.status, self.code, self.message, self.param, self.headers = status, code, message, param, headers


class _Talk(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    stub: StubServer

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def do_GET(self) -> None:
        self._json(dict(self.stub.stats) if self.path == "/stats" else {"data": []})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        model = body["model"].removeprefix("stub-")
        with self.stub.lock:
            self.stub.stats[body["model"]] += 1
            number = self.stub.stats[body["model"]]
            self.stub.requests.append({"path": self.path, "headers": dict(self.headers), "body": body})
        traits = {} if model.startswith("raw:") else dict(_trait(name) for name in model.split("+"))
        try:
            self._refusals(body, traits, number)
            self._faults(traits)
            answer = _Answer(self.stub, self.path.partition("?")[0], body, model, traits, number)
            self._json(answer.whole(), cut="drop" in traits)
        except _Refuse as refusal:
            self._error(refusal)

    def _refusals(self, body: Mapping[str, Any], traits: Mapping[str, int], number: int) -> None:
        form = (body.get("response_format") or (body.get("text") or {}).get("format") or {}).get("type")
        form = form or ((body.get("output_config") or {}).get("format") or {}).get("type")
        choice = body.get("tool_choice")
        if "norespond" in traits and not self.path.endswith("/chat/completions"):
            raise _Refuse(404, "not_found", "Not Found")
        if number <= traits.get("rate", 0) or "rateforever" in traits:
            raise _Refuse(429, "rate_limit_exceeded", "Too many requests", **{"retry-after": RETRY_AFTER})
        if number <= traits.get("overload", 0):
            raise _Refuse(529 if "messages" in self.path else 503, "overloaded_error", "Overloaded")
        if "auth" in traits:
            key = self.headers.get("x-api-key") or self.headers.get("authorization")
            raise _Refuse(401, "invalid_api_key", f"This key is not known: {key}")
        if "quota" in traits:
            raise _Refuse(429, "insufficient_quota", "You exceeded your current quota", **{"retry-after": RETRY_AFTER})
        if "nomodel" in traits:
            raise _Refuse(404, "model_not_found", f"The model `{body['model']}` does not exist")
        if "filter400" in traits:
            raise _Refuse(400, "content_filter", "The prompt was stopped by the content management policy", "prompt")
        if "context400" in traits:
            raise _Refuse(400, "context_length_exceeded", "The maximum context length is 8192 tokens", "messages")
        if "notemp" in traits and body.get("temperature", 1) != 1:
            raise _Refuse(400, "unsupported_value", "'temperature' takes only its default here", "temperature")
        if "nomaxtok" in traits and "max_tokens" in body:
            raise _Refuse(
                400, "unsupported_parameter", "No 'max_tokens' here: use 'max_completion_tokens'", "max_tokens"
            )
        if "nocache" in traits and "cache_control" in json.dumps(body):
            raise _Refuse(400, "invalid_request_error", "system.0.cache_control: Extra inputs are not permitted")
        if "noschema" in traits and form == "json_schema":
            raise _Refuse(400, "invalid_request_error", "This response_format is unavailable", "response_format")
        if "nostructured" in traits and (form or body.get("tools")):
            raise _Refuse(400, "invalid_request_error", "No response_format and no tools on this server")
        if "noforce" in traits and choice not in (None, "auto", "none") and choice != {"type": "auto"}:
            raise _Refuse(400, "invalid_request_error", "Thinking does not go with a forced tool", "tool_choice")

    def _faults(self, traits: Mapping[str, int]) -> None:
        if "html" in traits:
            raise _Refuse(502, "html", "<html><head><title>502 Bad Gateway</title></head><body>proxy</body></html>")
        if "notjson" in traits:
            raise _Refuse(200, "notjson", '{"choices": [oops')
        if "hang" in traits:
            self.stub.released.wait(30)
        time.sleep(traits.get("slow", 0) / 1000)

    def _error(self, refusal: _Refuse) -> None:
        if refusal.code in ("html", "notjson"):
            kind = "text/html" if refusal.code == "html" else "application/json"
            return self._send(refusal.message.encode(), refusal.status, kind, {})
        error: dict[str, Any] = {"message": refusal.message, "type": refusal.code}
        if self.path.endswith("/messages"):
            return self._json({"type": "error", "error": error}, refusal.status, refusal.headers)
        return self._json(
            {"error": {**error, "param": refusal.param, "code": refusal.code}}, refusal.status, refusal.headers
        )

    def _json(self, data: Any, status: int = 200, headers: Mapping[str, str] = {}, cut: bool = False) -> None:
        self._send(json.dumps(data).encode(), status, "application/json", headers, cut)

    def _send(self, raw: bytes, status: int, kind: str, headers: Mapping[str, str], cut: bool = False) -> None:
        self.send_response(status)
        for name, value in {"content-type": kind, "content-length": str(len(raw)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(raw[: len(raw) // 2] if cut else raw)
        self.close_connection = self.close_connection or cut


class _Answer:
    def __init__(
        self, stub: StubServer, path: str, body: dict[str, Any], model: str, traits: Mapping[str, int], number: int
    ) -> None:
        self.stub, self.path, self.body, self.model, self.traits, self.number = stub, path, body, model, traits, number

    def whole(self) -> dict[str, Any]:
        if "garbage" in self.traits:
            return {"object": "surprise"}
        data = self._protocol()
        if "nousage" in self.traits:
            del data["usage"]
        return data

    def _protocol(self) -> dict[str, Any]:
        if self.path.endswith("/decisions"):
            return _decision(self.body, "fail" if "fail" in self.traits else "pass", "refusal" in self.traits)
        uses = self._tool_uses()
        text, finish, refusal = ("", "tools", None) if uses else self._text()
        if self.path.endswith("/messages"):
            return self._message(text or refusal or "", finish, uses)
        if self.path.endswith("/responses"):
            return self._response(text, finish, refusal, uses)
        return self._completion(text, finish, refusal, uses)

    def _tool_uses(self) -> list[dict[str, Any]]:
        turns = self.body.get("messages") or self.body.get("input")
        rounds = sum(_is_tool_turn(turn) for turn in turns)
        tools = [tool.get("function", tool) for tool in self.body.get("tools") or ()]
        final = [tool for tool in tools if "verdicts" in _parameters(tool).get("properties", {})]
        plain = [tool for tool in tools if tool not in final]
        if rounds >= self.traits.get("tools", 0) * (1 if self.path.endswith("/messages") else len(plain)):
            return [{"id": "call_final", "name": tool["name"], "input": self._object(tool)} for tool in final]
        return [
            {"id": f"call_{rounds}_{i}", "name": tool["name"], "input": _sample(_parameters(tool), "pass", "x")}
            for i, tool in enumerate(plain)
        ]

    def _text(self) -> tuple[str, str, str | None]:
        if self.model.startswith("raw:"):
            return unquote(self.model[4:]), "stop", None
        traits = self.traits
        answer = self._object()
        text = answer if isinstance(answer, str) else json.dumps(answer)
        if "fenced" in traits:
            text = f"Here is what I think.\n\n```json\n{json.dumps(answer, indent=1)}\n```\nAsk for {{more}} if needed."
        if "prose" in traits:
            text = f"I looked at the set {{a, b}}. {text} Glad to help {{-:}}"
        if "truncated" in traits:
            return text[: len(text) // 2], "length", None
        if "filtered" in traits:
            return text[:5], "filter", None
        if "refusal" in traits:
            return "", "refusal", "I would rather not grade this."
        if "repair" in traits and len(self.body.get("messages") or self.body.get("input")) < 3:
            return "It is fine, I suppose.", "stop", None
        return text, "stop", None

    def _object(self, tool: Mapping[str, Any] | None = None) -> Any:
        if self.stub.reply is not None:
            return self.stub.reply(self.body)
        traits = self.traits
        want = next((label for label in ("fail", "unknown") if label in traits), "pass")
        if "flip" in traits and self.number % 2 == 0:
            want = "fail"
        reason = _prompt(self.body) if "echo" in traits else "because"
        schema = _schema(self.body) if tool is None else _parameters(tool)
        data = _sample(schema, want, reason) if schema else {"reason": reason, "verdict": want}
        return _spoilt(data, traits)

    def _message(self, text: str, finish: str, uses: list[dict[str, Any]]) -> dict[str, Any]:
        content = [{"type": "tool_use", **use} for use in uses] or ([{"type": "text", "text": text}] if text else [])
        reason = {"length": "max_tokens", "filter": "refusal", "refusal": "refusal", "tools": "tool_use"}
        return {
            "id": f"msg_{self.number}",
            "type": "message",
            "role": "assistant",
            "model": self.body["model"],
            "content": content,
            "stop_reason": reason.get(finish, "end_turn"),
            "usage": {"input_tokens": 100, "output_tokens": 30, "cache_read_input_tokens": 20}
            | {"cache_creation_input_tokens": 5},
        }

    def _response(self, text: str, finish: str, refusal: str | None, uses: list[dict[str, Any]]) -> dict[str, Any]:
        part = {"type": "refusal", "refusal": refusal} if refusal else {"type": "output_text", "text": text}
        output: list[dict[str, Any]] = [
            {"type": "function_call", "id": f"fc_{use['id']}", "call_id": use["id"], "name": use["name"]}
            | {"arguments": json.dumps(use["input"]), "status": "completed"}
            for use in uses
        ] or [{"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": [part]}]
        reason = {"length": "max_output_tokens", "filter": "content_filter"}.get(finish)
        details = {"input_tokens_details": {"cached_tokens": 20}, "output_tokens_details": {"reasoning_tokens": 10}}
        return {
            "id": f"resp_{self.number}",
            "object": "response",
            "created_at": 0,
            "model": self.body["model"],
            "status": "incomplete" if reason else "completed",
            "incomplete_details": {"reason": reason} if reason else None,
            "output": output,
            "parallel_tool_calls": True,
            "tool_choice": "auto",
            "tools": [],
            "usage": {"input_tokens": 120, "output_tokens": 30, "total_tokens": 150, **details},
        }

    def _completion(self, text: str, finish: str, refusal: str | None, uses: list[dict[str, Any]]) -> dict[str, Any]:
        message: dict[str, Any] = {"role": "assistant", "content": text or None, "refusal": refusal}
        if uses:
            message["tool_calls"] = [
                {"id": use["id"], "type": "function"}
                | {"function": {"name": use["name"], "arguments": json.dumps(use["input"])}}
                for use in uses
            ]
        reason = {"length": "length", "filter": "content_filter", "tools": "tool_calls"}.get(finish, "stop")
        logprobs = {"content": self.stub.logprobs} if self.stub.logprobs else None
        details = {
            "prompt_tokens_details": {"cached_tokens": 20},
            "completion_tokens_details": {"reasoning_tokens": 10},
        }
        return {
            "id": f"chatcmpl_{self.number}",
            "object": "chat.completion",
            "created": 0,
            "model": self.body["model"],
            "choices": [{"index": 0, "message": message, "finish_reason": reason, "logprobs": logprobs}],
            "usage": {"prompt_tokens": 120, "completion_tokens": 30, "total_tokens": 150, **details},
        }


def _trait(name: str) -> tuple[str, int]:
    head, _, tail = name.rpartition("-")
    return (head, int(tail)) if tail.isdigit() and head else (name, 1)


def _is_tool_turn(turn: Mapping[str, Any]) -> bool:
    content = turn.get("content")
    results = isinstance(content, list) and any(part.get("type") == "tool_result" for part in content)
    return turn.get("role") == "tool" or turn.get("type") == "function_call_output" or results


def _parameters(tool: Mapping[str, Any]) -> Mapping[str, Any]:
    return tool.get("parameters") or tool.get("input_schema") or {}


def _schema(body: Mapping[str, Any]) -> Mapping[str, Any] | None:
    form = body.get("response_format") or {}
    if form.get("type") == "json_schema":
        return form["json_schema"]["schema"]
    form = (body.get("text") or {}).get("format") or (body.get("output_config") or {}).get("format") or {}
    return form.get("schema")


def _sample(schema: Mapping[str, Any], want: str, text: str, key: str = "", root: Any = None) -> Any:
    root = root or schema
    if "$ref" in schema:
        node: Any = root
        for step in schema["$ref"].removeprefix("#/").split("/"):
            node = node[step]
        return _sample(node, want, text, key, root)
    if "anyOf" in schema:
        return _sample(schema["anyOf"][0], want, text, key, root)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return next((value for value in schema["enum"] if str(value).lower() in LABELS[want]), schema["enum"][0])
    kind = schema.get("type", "object" if "properties" in schema else "string")
    if kind == "object":
        return {name: _sample(part, want, text, name, root) for name, part in schema.get("properties", {}).items()}
    if kind == "array":
        return [_sample(schema.get("items", {}), want, text, key, root)]
    if kind == "boolean":
        return want == "pass"
    if kind in ("number", "integer"):
        low, high = schema.get("minimum", 0), schema.get("maximum", 1)
        return {"pass": high, "fail": low}.get(want, (low + high) / 2)
    return text


def _spoilt(data: Any, traits: Mapping[str, int]) -> Any:
    if "upper" in traits:
        data = _mapped(
            data, lambda v: v.upper() + "." if isinstance(v, str) and v in ("pass", "fail", "unknown") else v
        )
    if "strnum" in traits:
        data = _mapped(data, lambda v: f"{v}/10" if isinstance(v, (int, float)) and not isinstance(v, bool) else v)
    if "extra" in traits:
        data = {"note": "n/a", **data, "debug": {"a": [1]}}
    if "missing" in traits:
        data = {key: value for key, value in data.items() if key not in ("verdicts", "verdict", "answers")}
    if "unasked" in traits:
        data.setdefault("verdicts", {})["c99"] = {"reason": "because", "verdict": "pass"}
    return data


def _mapped(data: Any, change: Callable[[Any], Any]) -> Any:
    if isinstance(data, dict):
        return {key: _mapped(value, change) for key, value in data.items()}
    return [_mapped(item, change) for item in data] if isinstance(data, list) else change(data)


def _prompt(body: Mapping[str, Any]) -> str:
    found: list[str] = []

    def walk(node: Any) -> None:
        if isinstance(node, str):
            found.append(node)
        elif isinstance(node, list):
            for item in node:
                walk(item)
        elif isinstance(node, dict):
            walk(node.get("content", node.get("text", "")))

    for key in ("system", "instructions", "messages", "input"):
        walk(body.get(key, ""))
    return "\n".join(found)


def _decision(body: Mapping[str, Any], want: str, refuse: bool) -> dict[str, Any]:
    answers = [_decided(question, want) for question in body["questions"]]
    if refuse:
        answers[0] = {"type": "refusal", "name": body["questions"][0].get("name")}
    usage = {"input_tokens": 50, "output_tokens": 3, "total_tokens": 53}
    usage |= {"input_tokens_details": {"cached_tokens": 10, "cache_write_tokens": 4}}
    usage |= {"output_tokens_details": {"reasoning_tokens": 0}}
    return {"model": f"{body['model']}-2026-10-01", "answers": answers, "usage": usage}


def _decided(question: Mapping[str, Any], want: str) -> dict[str, Any]:
    base = {"type": question["type"], "name": question.get("name")}
    high = 0.9 if want == "pass" else 0.1
    if question["type"] == "predicate":
        return base | {"probability": high}
    if question["type"] == "choice":
        values = [choice["value"] for choice in question["choices"]]
        rest = 0.2 / (len(values) - 1)
        spread = [{"value": value, "probability": 0.8 if i == 0 else rest} for i, value in enumerate(values)]
        return base | {"choice": values[0], "confidence": 0.8, "probabilities": spread}
    labels = [level["label"] for level in question["levels"]]
    top = len(labels) - 1
    chance = [0.0] * top + [1.0] if want == "pass" else [1.0] + [0.0] * top
    spread = [{"label": label, "value": i, "probability": chance[i]} for i, label in enumerate(labels)]
    return base | {"score": top * (want == "pass"), "confidence": 1.0, "probabilities": spread}


if __name__ == "__main__":
    with running() as stub:
        print(stub.url, flush=True)  # noqa: T201
        threading.Event().wait()
