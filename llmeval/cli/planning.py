"""What `llmeval run --plan` prints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llmeval.cli.formats import print_json
from llmeval.cli.jobs import Job
from llmeval.render.console import echo, look_of
from llmeval.render.plan import Planned, plan_text
from llmeval.render.text import one_line
from llmeval.secrets import mask

__all__ = ["print_plan"]


def print_plan(jobs: Sequence[Job], format: str) -> int:
    """Prints cases times repetitions times grading requests; nothing runs."""
    planned = [
        Planned(
            evaluation=job.name,
            cases=len(job.plan.cases),
            repetitions=job.plan.repetitions,
            requests=job.plan.requests,
        )
        for job in jobs
    ]
    if format == "json":
        print_json([_data(one) for one in planned])
    else:
        notes = dict.fromkeys(f"note: {one_line(note)}" for job in jobs for note in job.plan.notes)
        echo(mask("\n".join([*notes, plan_text(planned, look_of())])))
    return 0


def _data(planned: Planned) -> dict[str, Any]:
    return {
        "evaluation": planned.evaluation,
        "cases": planned.cases,
        "repetitions": planned.repetitions,
        "trials": planned.trials,
        "requests": [{"evaluator": name, "requests": count, "exact": exact} for name, count, exact in planned.requests],
    }
