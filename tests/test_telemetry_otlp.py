"""A run's spans and events over OTLP, through a real collector, which hands them on to a receiver in this process."""

from __future__ import annotations

import gzip
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from projects import Project

pytest.importorskip("rotel", reason="the collector is not built for this platform")
pytest.importorskip("opentelemetry.exporter.otlp.proto.http")

import rotel
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

APPLICATION = """
    from opentelemetry import trace
    from opentelemetry._logs import set_logger_provider
    from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk._logs import LoggerProvider
    from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    from llmeval import evaluation

    provider = TracerProvider()
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)
    logs = LoggerProvider()
    logs.add_log_record_processor(BatchLogRecordProcessor(OTLPLogExporter()))
    set_logger_provider(logs)


    @evaluation(dataset=[{"name": "hi", "inputs": "Hi", "expected_output": "Hello"},
                         {"name": "bye", "inputs": "Bye", "expected_output": "Goodbye"}])
    def greeting(text):
        with trace.get_tracer("shop").start_as_current_span("think"):
            return "Hello"
"""


class Receiver:
    """What the collector handed on."""

    def __init__(self) -> None:
        self.spans: dict[str, list[Any]] = {}
        self.logs: list[Any] = []
        self.scopes: dict[str, str] = {}
        self.url = ""

    def take(self, path: str, body: bytes) -> None:
        if path.endswith("/traces"):
            for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
                for scope in resource.scope_spans:
                    self.scopes[scope.scope.name] = scope.schema_url
                    for span in scope.spans:
                        self.spans.setdefault(span.name, []).append(span)
        else:
            for resource in ExportLogsServiceRequest.FromString(body).resource_logs:
                self.logs += [record for scope in resource.scope_logs for record in scope.log_records]


@contextmanager
def receiving() -> Iterator[Receiver]:
    state = Receiver()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            state.take(self.path, gzip.decompress(body) if self.headers["Content-Encoding"] == "gzip" else body)
            self.send_response(200)
            self.send_header("Content-Type", "application/x-protobuf")
            self.send_header("Content-Length", "0")
            self.end_headers()

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


@contextmanager
def collector(target: str, folder: Path) -> Iterator[str]:
    """Runs the collector that hands on to `target` and yields its address; it ends when what it took was handed on."""
    grpc, http = _free_port(), _free_port()
    options = {
        "pid-file": str(folder / "collector.pid"),
        "otlp-grpc-endpoint": f"127.0.0.1:{grpc}",
        "otlp-http-endpoint": f"127.0.0.1:{http}",
        "exporter": "otlp",
        "otlp-exporter-endpoint": target,
        "otlp-exporter-protocol": "http",
    }
    program = Path(rotel.__file__).parent / "rotel-agent"
    command = [str(program), "start", "--disable-batching"]
    command += [part for name, value in options.items() for part in (f"--{name}", value)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        try:
            _wait_for(http, process)
            yield f"http://127.0.0.1:{http}"
        finally:
            process.terminate()
            process.communicate(timeout=30)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    while process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return
        except ConnectionRefusedError:
            time.sleep(0.01)
    pytest.fail(f"the collector ended: {process.communicate()[0]!r}")


@pytest.fixture(scope="module")
def received(tmp_path_factory: pytest.TempPathFactory) -> Receiver:
    """What arrives of a run of two cases."""
    folder = tmp_path_factory.mktemp("otlp")
    project = Project(folder)
    project.write("evals/greeting.py", APPLICATION)
    with receiving() as receiver:
        with collector(receiver.url, folder) as url:
            done = project.run("run", "greeting", "--id", "over-otlp", OTEL_EXPORTER_OTLP_ENDPOINT=url)
        assert (done.returncode, done.stderr.count("Traceback")) == (1, 0), done.stderr
    return receiver


def attributes(item: Any) -> dict[str, Any]:
    return {pair.key: getattr(pair.value, str(pair.value.WhichOneof("value"))) for pair in item.attributes}


def test_the_spans_of_a_run_arrive_with_their_parents(received: Receiver) -> None:
    (run,) = received.spans["llmeval run greeting"]
    trials, performs = received.spans["llmeval trial"], received.spans["perform"]
    assert run.parent_span_id == b""
    assert {trial.parent_span_id for trial in trials} == {run.span_id}
    assert {attributes(trial)["test.case.name"] for trial in trials} == {"hi", "bye"}
    assert {span.parent_span_id for span in performs} == {trial.span_id for trial in trials}
    assert {span.parent_span_id for span in received.spans["think"]} == {span.span_id for span in performs}
    assert {span.trace_id for spans in received.spans.values() for span in spans} == {run.trace_id}


def test_the_run_id_and_the_version_of_the_conventions_arrive(received: Receiver) -> None:
    own = [span for name, spans in received.spans.items() if name != "think" for span in spans]
    assert {attributes(span)["llmeval.run.id"] for span in own} == {"over-otlp"}
    assert received.scopes["llmeval"] == "https://opentelemetry.io/schemas/1.44.0"


def test_each_result_arrives_as_an_event_of_evaluate_and_as_a_log_event(received: Receiver) -> None:
    events = [event for span in received.spans["evaluate"] for event in span.events]
    assert {event.name for event in events} == {record.event_name for record in received.logs}
    assert {event.name for event in events} == {"gen_ai.evaluation.result"}
    told = [attributes(event) for event in events]
    assert [each["gen_ai.evaluation.name"] for each in told] == ["correctness", "correctness"]
    assert sorted(each["gen_ai.evaluation.score.label"] for each in told) in (["fail", "pass"], ["pass", "unknown"])
    assert all(each["gen_ai.evaluation.explanation"] for each in told)
    key = "gen_ai.evaluation.explanation"
    assert sorted(attributes(record)[key] for record in received.logs) == sorted(each[key] for each in told)
    assert {record.span_id for record in received.logs} == {span.span_id for span in received.spans["evaluate"]}
