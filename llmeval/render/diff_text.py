"""A diff as text: the verdict first, then what got worse with both sides of it, what got better, and the figures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from llmeval.diff import CaseDiff, Change, Comparison, CriterionDiff, Diff, Figures, Verdict
from llmeval.render import diff_figures as figures
from llmeval.render import diff_words as words
from llmeval.render.figures import plural
from llmeval.render.side_by_side import side_by_side
from llmeval.render.style import PLAIN, Look
from llmeval.render.text import cell_width, one_line, wrap
from llmeval.results import Status

__all__ = ["comparison_text", "diff_text"]

FIRST: Final = 20
"""Cases that got worse, or better, that are shown in full; of the rest only their number."""
EXCERPT: Final = 600
"""Characters of an output or a reason."""
STYLES: Final = {
    Verdict.IMPROVED: Status.PASSED.value,
    Verdict.REGRESSED: Status.FAILED.value,
    Verdict.NOT_ENOUGH_EVIDENCE: Status.UNASSESSED.value,
}
HEAD: Final = ("A passed", "B passed", "difference", "95% interval", "p", "verdict")
LISTS: Final = (
    ("changed", "other inputs or another reference"),
    ("added", "only in B"),
    ("removed", "only in A"),
    ("renamed", "equal content, another name"),
    ("erroring", "an error in B and none in A"),
    ("not_run", "not selected, or not reached, on one side"),
)
"""Changes whose cases are listed by name, and what they mean."""


def diff_text(diff: Diff, look: Look = PLAIN, *, only_changed: bool = False, first: int = FIRST) -> str:
    """Returns the diff; with `only_changed`, without the figures of what did not change."""
    parts = [
        _head(diff, look),
        *_sections(diff, look, first),
        _lists(diff, look),
        _table("criterion", [(one_line(one.name), one) for one in _criteria(diff, only_changed)], look),
        _table(diff.by or "", [(one_line(one.value), one) for one in diff.slices], look),
        "" if only_changed else _usage(diff, look),
        _incomparable(diff, look),
        "\n".join(wrap(f"cases: {figures.counts(diff)}", look.width)),
    ]
    return look.words("\n\n".join(part for part in parts if part))


def comparison_text(comparison: Comparison, look: Look = PLAIN) -> str:
    """Returns a table of the candidates beside their baseline, and what cannot be compared."""
    baseline = comparison.baseline
    lines = [f"baseline  {words.run_title(baseline)}  passed {figures.passed(baseline.passed, baseline.trials)}"]
    lines.append(_table("candidate", [(words.run_label(diff.b), diff) for diff in comparison.diffs], look))
    for diff in comparison.diffs:
        reasons = [f"{one_line(diff.b.id)}: {one_line(reason)}" for reason in diff.incomparable]
        lines += [line for reason in reasons for line in wrap(reason, look.width)]
    return look.words("\n".join(lines))


def _head(diff: Diff, look: Look) -> str:
    style = STYLES[diff.verdict]
    lines = [look.paint(line, style) for line in wrap(figures.sentence(diff), look.width)]
    lines.append(look.paint(one_line(diff.b.name), "bold"))
    texts = [f"A  {words.run_title(diff.a)}", f"B  {words.run_title(diff.b)}"]
    if diff.cases:
        a, b = figures.trials(diff)
        partly = any("criterion" in reason or "assertions" in reason for reason in diff.incomparable)
        only = ", by what can be compared alone (see below)" if partly else ""
        texts.append(f"A passed {a}, B passed {b}, over {plural(diff.cases, 'comparable case')}{only}")
        if diff.verdict is Verdict.NOT_ENOUGH_EVIDENCE:
            texts.append(figures.evidence(diff))
    return "\n".join(lines + [line for text in texts for line in wrap(text, look.width)])


def _sections(diff: Diff, look: Look, first: int) -> Iterator[str]:
    """Returns the cases that got worse and better, under a heading for each kind."""
    found: dict[str, list[CaseDiff]] = {}
    for case in words.shown(diff):
        found.setdefault(words.change(case), []).append(case)
    for heading, cases in found.items():
        yield from _section(heading, cases, diff, look, first)


def _section(heading: str, cases: Sequence[CaseDiff], diff: Diff, look: Look, first: int) -> Iterator[str]:
    yield look.paint(f"{heading} ({len(cases):,})", "bold")
    for case in cases[:first]:
        yield "\n".join(_block(case, diff, look))
    if len(cases) > first:
        yield look.paint(
            f"and {len(cases) - first:,} more: {words.listed([case.name for case in cases[first:]])}", "dim"
        )


def _block(case: CaseDiff, diff: Diff, look: Look) -> Iterator[str]:
    mark = look.mark(Status.PASSED if case.change is Change.IMPROVED else Status.FAILED)
    yield f"{mark} {look.paint(words.title(case), 'bold')}  {words.outcome(case)}"
    for name, before, after in words.paired_reasons(case):
        yield f"  {one_line(name)}: {words.statuses(case, before, after)}"
        yield from _sides(before and before[1], after and after[1], look)
    outputs = words.outputs(case)
    if outputs != (None, None):
        yield f"  {look.paint('output', 'dim')}"
        yield from _sides(*outputs, look)
    if case.b is not None and case.change is not Change.IMPROVED:
        yield f"  {look.paint('again', 'dim')}  {words.again(diff.b, case.name)}"


def _sides(before: str | None, after: str | None, look: Look) -> Iterator[str]:
    return side_by_side(before or None, after or None, look, indent=4, limit=EXCERPT)


def _lists(diff: Diff, look: Look) -> str:
    lines = []
    for name, meaning in LISTS:
        names = getattr(diff, name)
        if names:
            word = name.replace("_", " ")
            lines += wrap(f"{word} ({len(names):,}; {meaning}): {words.listed(names)}", look.width)
    return "\n".join(lines)


def _criteria(diff: Diff, only_changed: bool) -> list[CriterionDiff]:
    return [one for one in diff.criteria if not only_changed or one.regressed or one.improved or one.mean_difference]


def _table(kind: str, rows: Sequence[tuple[str, Figures]], look: Look) -> str:
    """Returns the figures of criteria, slices or candidates, a row each, or a paragraph each where that is too wide."""
    if not rows:
        return ""
    cells = [[one_line(kind), *HEAD], *([name, *figures.cells(one)] for name, one in rows)]
    if _fits(cells, look):
        lines = look.columns(cells, right=frozenset({1, 2, 3, 4, 5}))
    else:
        lines = [line for name, one in rows for line in _paragraph(name, one, look)]
    for name, one in rows:
        lines += [line for note in figures.notes(one) for line in wrap(f"{name}: {note}", look.width)]
    return "\n".join(lines)


def _paragraph(name: str, one: Figures, look: Look) -> list[str]:
    a, b = figures.trials(one)
    text = ", ".join(filter(None, (f"A {a}", f"B {b}", figures.evidence(one))))
    verdict = figures.verdict(one) if one.difference is not None else figures.undecided(one)
    return [*wrap(f"{name}: {verdict}", look.width), *(f"  {line}" for line in wrap(text, max(look.width - 2, 16)))]


def _usage(diff: Diff, look: Look) -> str:
    if not diff.usage:
        return ""
    rows = [["per trial", "A", "B", "change"], *(list(figures.amounts(delta)) for delta in diff.usage)]
    if _fits(rows, look):
        return "\n".join(look.columns(rows, right=frozenset({1, 2})))
    texts = [f"{name} per trial: A {a}, B {b}, {change or 'change unknown'}" for name, a, b, change in rows[1:]]
    return "\n".join(line for text in texts for line in wrap(text, look.width))


def _fits(rows: Sequence[Sequence[str]], look: Look) -> bool:
    """Whether a table needs no cut: figures are shown whole or not at all."""
    widths = [max(map(cell_width, column)) for column in zip(*rows, strict=True)]
    return sum(widths) + 2 * (len(widths) - 1) <= look.width


def _incomparable(diff: Diff, look: Look) -> str:
    if not diff.incomparable:
        return ""
    heading = "compared all the same" if diff.allow_changed else "not comparable, or not alike"
    lines = [look.paint(f"{heading} ({len(diff.incomparable):,})", "bold")]
    for reason in diff.incomparable:
        lines += [f"  {line}" for line in wrap(one_line(reason), max(look.width - 2, 16))]
    return "\n".join(lines)
