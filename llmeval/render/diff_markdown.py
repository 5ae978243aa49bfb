"""A diff as Markdown for a pull request: figures open, cases folded, everything from the reports inert.

Text from a report stands in code spans, or escaped in `<code>` and `<pre>` within blocks of HTML, where neither
Markdown nor GitHub looks for links, mentions or emoji codes: it stays text, whatever it holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import Final

from llmeval.diff import CaseDiff, Change, Comparison, Diff, Figures, Verdict
from llmeval.render import diff_figures as figures
from llmeval.render import diff_words as words
from llmeval.render.figures import plural
from llmeval.render.side_by_side import compared
from llmeval.render.text import one_line, shorten
from llmeval.render.word_diff import Piece

__all__ = ["comparison_markdown", "diff_markdown", "inert"]

LONGEST: Final = 60_000
"""Characters of a whole text: GitHub refuses a comment of more than 65,536."""
EXCERPT: Final = 1500
ICONS: Final = {Verdict.IMPROVED: "🟢", Verdict.REGRESSED: "🔴", Verdict.NOT_ENOUGH_EVIDENCE: "⚪"}
HEAD: Final = ("A passed", "B passed", "difference", "95% interval", "p", "verdict")
LISTS: Final = ("changed", "added", "removed", "renamed", "erroring", "not_run")


def diff_markdown(diff: Diff, *, only_changed: bool = False, longest: int = LONGEST) -> str:
    """Returns the diff in at most `longest` characters, as long as its figures alone are not longer."""
    head = [
        f"### {ICONS[diff.verdict]} {inert(diff.b.name)}: {figures.sentence(diff)}",
        _runs(diff),
        *_tables(diff, only_changed),
        *_reasons(diff),
    ]
    foot = [*_lists(diff), f"Cases: {figures.counts(diff)}."]
    room = longest - sum(len(part) + 2 for part in (*head, *foot))
    return "\n\n".join([*head, *_details(diff, room), *foot]) + "\n"


def comparison_markdown(comparison: Comparison) -> str:
    """Returns a table of the candidates beside their baseline, and what cannot be compared."""
    baseline = comparison.baseline
    parts = [
        f"### {inert(baseline.name)}: {plural(len(comparison.diffs), 'candidate')} and a baseline",
        f"Baseline {inert(words.run_title(baseline))}, passed {figures.passed(baseline.passed, baseline.trials)}.",
        _table("candidate", [(words.run_label(diff.b), diff) for diff in comparison.diffs]),
    ]
    for diff in comparison.diffs:
        if diff.incomparable:
            parts.append(f"Not comparable in {inert(diff.b.id)}:\n\n{_bullets(diff.incomparable)}")
    return "\n\n".join(parts) + "\n"


def inert(text: str) -> str:
    """Returns one line of text as a code span, in which no character has a meaning."""
    line = one_line(text) or "(empty)"
    fence = "`"
    while fence in line:
        fence += "`"
    space = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{fence}{space}{line}{space}{fence}"


def _cell(text: str) -> str:
    """Returns a code span for a table, where a bar would end the cell."""
    return inert(text).replace("|", "\\|")


def _runs(diff: Diff) -> str:
    lines = [f"A {inert(words.run_title(diff.a))}  ", f"B {inert(words.run_title(diff.b))}"]
    if diff.cases:
        a, b = figures.trials(diff)
        lines[-1] += "  "
        lines.append(f"A passed {a}, B passed {b}, over {plural(diff.cases, 'comparable case')}")
        if diff.verdict is Verdict.NOT_ENOUGH_EVIDENCE:
            lines[-1] += f": {figures.evidence(diff)}"
    return "\n".join(lines)


def _tables(diff: Diff, only_changed: bool) -> Iterator[str]:
    criteria = [
        one for one in diff.criteria if not only_changed or one.regressed or one.improved or one.mean_difference
    ]
    if criteria:
        yield _table("criterion", [(one.name, one) for one in criteria])
        notes = [f"- {inert(one.name)}: {inert(note)}" for one in criteria for note in figures.notes(one)]
        if notes:
            yield "\n".join(notes)
    if diff.slices:
        yield _table(diff.by or "", [(one.value, one) for one in diff.slices])
    if diff.usage and not only_changed:
        yield _rows([("per trial", "A", "B", "change"), *map(figures.amounts, diff.usage)])


def _table(kind: str, rows: Sequence[tuple[str, Figures]]) -> str:
    return _rows([(_cell(kind), *HEAD), *((_cell(name), *figures.cells(one)) for name, one in rows)])


def _rows(rows: Iterable[Sequence[str]]) -> str:
    head, *rest = (f"| {' | '.join(row)} |" for row in rows)
    return "\n".join([head, "|".join(["", *["---"] * (head.count(" | ") + 1), ""]), *rest])


def _reasons(diff: Diff) -> Iterator[str]:
    if diff.incomparable:
        heading = "Compared all the same" if diff.allow_changed else "Not comparable, or not alike"
        yield f"{heading}:\n\n{_bullets(diff.incomparable)}"


def _bullets(texts: Sequence[str]) -> str:
    return "\n".join(f"- {inert(text)}" for text in texts)


def _lists(diff: Diff) -> Iterator[str]:
    for name in LISTS:
        names = getattr(diff, name)
        if names:
            shown = ", ".join(map(inert, names[:20])) + (f" and {len(names) - 20:,} more" if len(names) > 20 else "")
            yield f"{name.replace('_', ' ').capitalize()} ({len(names):,}): {shown}"


def _details(diff: Diff, room: int) -> Iterator[str]:
    """Returns a folded block for each case that got worse or better, as long as there is room."""
    left = 0
    for case in words.shown(diff):
        block = _block(case, diff)
        if len(block) + 2 > room - 60:
            left += 1
            continue
        room -= len(block) + 2
        yield block
    if left:
        yield f"{plural(left, 'more case')} left out to fit a comment."


def _block(case: CaseDiff, diff: Diff) -> str:
    summary = f"{words.change(case)} <code>{escape(words.title(case))}</code>: {words.outcome(case)}"
    lines = [f"<details><summary>{summary}</summary>", ""]
    for name, before, after in words.paired_reasons(case):
        lines += [f"{inert(name)}: {words.statuses(case, before, after)}", ""]
        lines += _sides(before and before[1], after and after[1])
    outputs = words.outputs(case)
    if outputs != (None, None):
        lines += ["output", "", *_sides(*outputs)]
    if case.b is not None and case.change is not Change.IMPROVED:
        lines += [f"again: {inert(words.again(diff.b, case.name))}", ""]
    return "\n".join([*lines, "</details>"])


def _sides(before: str | None, after: str | None) -> list[str]:
    if before and after and before != after:
        one, two = compared(before, after, EXCERPT)
        return [*_pre("A", one, "del"), *_pre("B", two, "ins")]
    letter = "A and B" if before and after else "A" if before else "B"
    text = before or after
    return _pre(letter, [(shorten(text, EXCERPT), False)], "") if text else []


def _pre(letter: str, pieces: list[Piece], tag: str) -> list[str]:
    mixed = len(pieces) > 1
    marked = [f"<{tag}>{escape(text)}</{tag}>" if changed and mixed else escape(text) for text, changed in pieces]
    return [f"<pre>{letter}: {''.join(marked)}</pre>", ""]
