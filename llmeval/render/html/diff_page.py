"""A diff's page: the verdict and its figures as HTML, and every case with both sides of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from llmeval.diff import CaseDiff, Change, Diff, Figures, Verdict
from llmeval.jsonable import Json
from llmeval.render import diff_figures as figures
from llmeval.render import diff_words as words
from llmeval.render.html.shell import element, script_json, shell
from llmeval.render.word_diff import word_diff
from llmeval.results import Status

__all__ = ["diff_page"]

MARKED: Final = 500
"""Cases whose differing words are marked, which takes time; those that got worse come first."""
COLORS: Final = {
    Verdict.IMPROVED: Status.PASSED,
    Verdict.REGRESSED: Status.FAILED,
    Verdict.NOT_ENOUGH_EVIDENCE: Status.UNASSESSED,
}
HEAD: Final = ("A passed", "B passed", "difference", "95% interval", "p", "verdict")


def diff_page(diff: Diff) -> str:
    """Returns one self-contained page: the verdict, its figures, and the cases side by side with search and filters."""
    first = words.shown(diff)
    known = {case.name for case in first}
    cases = [*first, *(case for case in diff.case_diffs if case.name not in known)]
    data = [_case(diff, case, index < MARKED and case.name in known) for index, case in enumerate(cases)]
    changes = list(dict.fromkeys(one["change"] for one in data))
    title = f"{diff.b.name}: {diff.a.id} and {diff.b.id}"
    return shell(title, _main(diff), script_json({"changes": changes, "cases": data}), "diff.js")


def _case(diff: Diff, case: CaseDiff, marked: bool) -> dict[str, Any]:
    worse = case.change is Change.REGRESSED or words.change(case) != case.change.value.replace("_", " ")
    return {
        "change": words.change(case),
        "tone": "better" if case.change is Change.IMPROVED else "worse" if worse else "dim",
        "title": words.title(case),
        "outcome": words.outcome(case),
        "reasons": [
            {
                "name": name,
                "statuses": words.statuses(case, before, after),
                "sides": _sides(before and before[1], after and after[1], marked),
            }
            for name, before, after in words.paired_reasons(case)
        ],
        "outputs": _sides(*words.outputs(case), marked),
        "inputs": _inputs(case),
        "again": words.again(diff.b, case.name) if case.b is not None else "",
    }


def _sides(before: str | None, after: str | None, marked: bool) -> list[Json]:
    """Both texts in pieces, each with whether the other text does not have it."""
    if before and after and marked:
        return [[list(piece) for piece in side] for side in word_diff(before, after)]
    return [[[text, False]] if text else None for text in (before, after)]


def _inputs(case: CaseDiff) -> list[list[Json]]:
    """Inputs and reference: once, or of each side where they differ."""
    found: list[list[Json]] = []
    sides = [("A", case.a), ("B", case.b)] if case.edited else [("", case.b or case.a)]
    for letter, side in sides:
        for key, title in (("inputs", "inputs"), ("expected_output", "expected output"), ("metadata", "metadata")):
            if side is not None and side.content.get(key, {}) != {}:
                found.append([f"{title} {letter}".strip(), side.content[key]])
    return found


def _main(diff: Diff) -> str:
    parts = [
        f"<header>{element('p', figures.verdict(diff), class_=f'outcome {COLORS[diff.verdict]}')}",
        element("h1", diff.b.name),
        f"</header>{element('p', figures.sentence(diff), class_='sentence')}",
        f"<dl class=facts>{_facts(diff)}</dl>",
        _table("criterion", [(one.name, one) for one in diff.criteria]),
        _notes(f"{one.name}: {note}" for one in diff.criteria for note in figures.notes(one)),
        _table(diff.by or "", [(one.value, one) for one in diff.slices]),
        _rows(("per trial", "A", "B", "change"), map(figures.amounts, diff.usage)),
        _notes(diff.incomparable),
        _LIST,
    ]
    return f"<main>{''.join(parts)}</main>"


def _facts(diff: Diff) -> str:
    a, b = figures.trials(diff)
    facts = [
        ("A", words.run_title(diff.a)),
        ("B", words.run_title(diff.b)),
        ("A passed", a),
        ("B passed", b),
        ("Evidence", figures.evidence(diff)),
        ("Cases", figures.counts(diff)),
    ]
    return "".join(f"<div>{element('dt', name)}{element('dd', text)}</div>" for name, text in facts if text)


def _table(kind: str, found: Sequence[tuple[str, Figures]]) -> str:
    return _rows((kind, *HEAD), ((name, *figures.cells(one)) for name, one in found))


def _rows(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [
        f"<tr>{element('th', row[0], scope='row')}{''.join(element('td', cell) for cell in row[1:])}</tr>"
        for row in rows
    ]
    if not lines:
        return ""
    titles = "".join(element("th", title, scope="col") for title in head)
    return f"<div class=scroll><table><thead><tr>{titles}</tr></thead><tbody>{''.join(lines)}</tbody></table></div>"


def _notes(lines: Iterable[str]) -> str:
    items = "".join(element("li", line) for line in lines)
    return f"<ul class=notes>{items}</ul>" if items else ""


_LIST: Final = """
<h2 id="list" tabindex="-1">Cases</h2>
<form id="filters" role="search" aria-label="Filter the cases">
<label class="wide">Search <input type="search" id="text" placeholder="names, inputs, outputs, reasons  ( / )"></label>
<fieldset id="status"><legend>Change</legend></fieldset>
</form>
<p id="count" role="status" aria-live="polite"></p>
<ol id="trials"></ol>
<button id="more" type="button" hidden>Show more</button>
"""
