"""A diff for a coding agent: the verdict, then a bounded block of `key: value` lines for each case that got worse."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from llmeval.diff import CaseDiff, Diff
from llmeval.render import diff_figures as figures
from llmeval.render import diff_words as words
from llmeval.render.figures import plural
from llmeval.render.side_by_side import focused
from llmeval.render.text import one_line

__all__ = ["diff_agent"]

FIRST: Final = 50
EXCERPT: Final = 300


def diff_agent(diff: Diff, first: int = FIRST) -> str:
    """Returns the verdict, and a block for each case that got worse, is new and does not pass, or has a new error."""
    worse = words.worse(diff)
    parts = ["\n".join(_head(diff)), *("\n".join(_block(case, diff)) for case in worse[:first])]
    if len(worse) > first:
        parts.append(f"{plural(len(worse) - first, 'more case')} got worse")
    return "\n\n".join(parts)


def _head(diff: Diff) -> Iterator[str]:
    yield f"verdict: {figures.sentence(diff)}"
    yield f"evaluation: {one_line(diff.b.name)}"
    if diff.cases:
        a, b = figures.trials(diff)
        yield f"passed: {a} → {b}, over {plural(diff.cases, 'comparable case')}"
        yield f"difference: {figures.evidence(diff)}"
    yield f"cases: {figures.counts(diff)}"
    for reason in diff.incomparable:
        yield f"not comparable: {one_line(reason)}"


def _block(case: CaseDiff, diff: Diff) -> Iterator[str]:
    yield f"case: {words.title(case)}"
    yield f"change: {words.change(case)}, {words.outcome(case)}"
    for name, before, after in words.paired_reasons(case):
        yield f"criterion: {one_line(name)}"
        yield f"  status: {words.statuses(case, before, after)}"
        yield from _sides("  reason", before and before[1], after and after[1])
    yield from _sides("output", *words.outputs(case))
    if case.b is not None:
        yield f"again: {words.again(diff.b, case.name)}"


def _sides(label: str, before: str | None, after: str | None) -> Iterator[str]:
    if before and after:
        before, after = focused(before, after, EXCERPT)
    for which, text in ((f"{label} in A", before), (f"{label} in B", after)):
        if text:
            yield f"{which}: {_inline(text)}"


def _inline(text: str) -> str:
    """Returns `text` cut, its later lines indented so that none looks like a line of ours."""
    shown = text if len(text) <= 2 * EXCERPT else f"{text[:EXCERPT]} …"
    return shown.replace("\n", "\n    ")
