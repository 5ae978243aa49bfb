"""What tests share."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from projects import Project  # beside this file, which is not a package
from stub_server import StubServer, running


@pytest.fixture(scope="session")
def sdks() -> None:
    """Imports both SDKs, which takes a second each that is no test's own time."""
    import anthropic  # noqa: F401
    import openai  # noqa: F401


@pytest.fixture(scope="session")
def _model_server(sdks: None) -> Iterator[StubServer]:
    with running() as server:
        yield server


@pytest.fixture
def model_server(_model_server: StubServer) -> StubServer:
    """A model server on a free port, whose counts start at nothing; `tests/stub_server.py` lists its models."""
    server = _model_server
    with server.lock:
        server.stats.clear()
        server.requests.clear()
    server.reply = server.logprobs = None
    return server


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A project with an empty `evals/`."""
    return Project(tmp_path)
