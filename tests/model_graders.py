"""What the tests of reviewers, judges and providers share."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Sequence
from typing import Any

from stub_server import StubServer

from llmeval.cases import OMITTED, Case
from llmeval.criteria import Criterion
from llmeval.evaluators.asking import ModelEvaluator
from llmeval.evaluators.base import Evaluator, Grades, Subject
from llmeval.evidence import Attachment, Evidence
from llmeval.providers import Model, Session

PROTOCOLS = ("chat", "responses", "messages")
KEY = "sk-canary-0123456789"


def model(server: StubServer, name: str, protocol: str = "chat", **options: Any) -> Model:
    """Returns a model of the stub server, asked over `protocol`."""
    if protocol == "messages":
        return Model(f"anthropic:stub-{name}", base_url=server.url, api_key=KEY, **options)
    return Model(f"openai:stub-{name}", base_url=server.openai_url, protocol=protocol, api_key=KEY, **options)


def subject(
    output: Any = "it is 42",
    inputs: Any = "what is it?",
    expected: Any = OMITTED,
    metadata: Any = {},  # noqa: B006
    attachments: Sequence[Attachment] = (),
    attempt: Any = None,
) -> Subject:
    """Returns a trial whose case has a name that nobody may see."""
    case = Case("a-secret-name", inputs, expected, metadata)
    return Subject(case=case, evidence=Evidence(output=output, attachments=tuple(attachments)), attempt=attempt)


def criteria(*names: str) -> list[Criterion]:
    """Returns criteria with instructions."""
    return [Criterion(name=name, instructions=f"The answer is {name}") for name in names]


def grade(evaluator: Evaluator, asked: Sequence[Criterion], *subjects: Subject) -> list[Grades]:
    """Returns the grades of each subject, asked at once in one run, and closes what was opened."""
    return grade_with_notes(evaluator, asked, *subjects)[0]


def grade_with_notes(
    evaluator: Evaluator, asked: Sequence[Criterion], *subjects: Subject, one_by_one: bool = False
) -> tuple[list[Grades], list[str]]:
    """Returns the grades, and what was noted."""
    notes: list[str] = []

    async def run() -> list[Grades]:
        fresh = evaluator.bound(Session()) if isinstance(evaluator, ModelEvaluator) else evaluator
        fresh.note = notes.append
        try:
            if one_by_one:
                return [await _grades(fresh, one, asked) for one in subjects]
            return list(await asyncio.gather(*[_grades(fresh, one, asked) for one in subjects]))
        finally:
            await fresh.aclose()

    return asyncio.run(run()), notes


async def _grades(evaluator: Evaluator, one: Subject, asked: Sequence[Criterion]) -> Grades:
    found = evaluator.evaluate(one, asked)
    return await found if isinstance(found, Awaitable) else found
