"""Checks of text: the same, a part of it, a pattern, or nearly the same."""

from __future__ import annotations

import re
from typing import Any

from llmeval.cases import OMITTED
from llmeval.checks.base import Check, Outcome, check, expected_of, finite, shown, text_of
from llmeval.checks.differences import same_json
from llmeval.errors import EvaluatorConfigError, EvaluatorError
from llmeval.jsonable import Json

__all__ = ["exact", "includes", "matches", "similar"]


def exact(expected: Json = OMITTED, *, ignore_case: bool = False, ignore_space: bool = False) -> Check:
    """Returns a check that the output is `expected`, or else the case's `expected_output`.

    Types count: `true` is not `1`, and the text `"1"` is not the number. `ignore_space` makes any run of white space
    one space, and none at the ends.
    """

    def run(attempt: Any) -> Outcome:
        wanted = expected_of("exact", expected, attempt)
        found, sought = (_folded(value, ignore_case, ignore_space) for value in (attempt.output, wanted))
        if same_json(found, sought):
            return True, f"the output is {shown(wanted)}"
        return (
            False,
            f"the output is {shown(attempt.output)}, expected {shown(wanted)}{_first_difference(found, sought)}",
        )

    return check("exact", {"expected": expected, "ignore_case": ignore_case, "ignore_space": ignore_space}, run)


def includes(*texts: str, ignore_case: bool = False, any_of: bool = False) -> Check:
    """Returns a check that the output has all of `texts` in it (with `any_of`, one of them).

    Without texts it looks for the case's `expected_output`, a text or a list of them. An output that is no text is
    searched as JSON.

    Raises:
        EvaluatorConfigError: one of `texts` is empty or no text.
    """
    for text in texts:
        if not isinstance(text, str) or not text:
            raise EvaluatorConfigError(
                f"checks.includes: {text!r} is no text to look for: give texts that are not empty"
            )

    def run(attempt: Any) -> Outcome:
        wanted = texts or _references(attempt)
        output = text_of(attempt.output)
        if output is None:
            return None, "the output is null"
        inside = output.casefold() if ignore_case else output
        missing = [text for text in wanted if (text.casefold() if ignore_case else text) not in inside]
        return _included(list(wanted), missing, any_of, output)

    return check("includes", {"texts": list(texts), "ignore_case": ignore_case, "any_of": any_of}, run)


def matches(pattern: str, *, ignore_case: bool = False, whole: bool = False) -> Check:
    """Returns a check that the regular expression `pattern` is found in the output (with `whole`, is all of it).

    `.` matches line ends only with `(?s)` in the pattern, as in `re`. An output that is no text is searched as JSON.

    Raises:
        EvaluatorConfigError: the pattern is not a regular expression.
    """
    try:
        compiled = re.compile(pattern, re.IGNORECASE if ignore_case else 0)
    except (re.error, TypeError) as error:
        raise EvaluatorConfigError(f"checks.matches: {pattern!r} is no regular expression: {error}") from None

    def run(attempt: Any) -> Outcome:
        output = text_of(attempt.output)
        if output is None:
            return None, "the output is null"
        found = compiled.fullmatch(output) if whole else compiled.search(output)
        if found is None:
            return False, f"{pattern!r} {'is not all of' if whole else 'is not in'} the output {shown(output)}"
        return True, f"{pattern!r} matches {shown(found.group())}"

    return check("matches", {"pattern": pattern, "ignore_case": ignore_case, "whole": whole}, run)


def similar(expected: Json = OMITTED, *, minimum: float = 0.8, ignore_case: bool = False) -> Check:
    """Returns a check that the output is nearly `expected`, or else the case's `expected_output`.

    The ratio is 1 minus the number of characters to insert, delete or replace, as a share of the longer text. It needs
    `pip install 'llmeval[similar]'`.

    Raises:
        EvaluatorConfigError: rapidfuzz is not installed, or `minimum` is not between 0 and 1.
    """
    try:
        from rapidfuzz.distance import Levenshtein
    except ImportError:
        raise EvaluatorConfigError("checks.similar needs rapidfuzz: pip install 'llmeval[similar]'") from None
    if finite("similar", "minimum", minimum) > 1:
        raise EvaluatorConfigError(f"checks.similar: minimum is {minimum!r}: give a ratio between 0 and 1")

    def run(attempt: Any) -> Outcome:
        wanted, output = text_of(expected_of("similar", expected, attempt)), text_of(attempt.output)
        if output is None or wanted is None:
            return None, f"the {'output' if output is None else 'reference'} is null"
        pair = (output.casefold(), wanted.casefold()) if ignore_case else (output, wanted)
        ratio = Levenshtein.normalized_similarity(*pair)
        told = f"the output {shown(output)} agrees with {shown(wanted)} by {ratio:.2f}; {minimum:g} is asked"
        return ratio >= minimum, told

    return check("similar", {"expected": expected, "minimum": minimum, "ignore_case": ignore_case}, run)


def _folded(value: Json, ignore_case: bool, ignore_space: bool) -> Json:
    if not isinstance(value, str):
        return value
    text = " ".join(value.split()) if ignore_space else value
    return text.casefold() if ignore_case else text


def _first_difference(found: Json, sought: Json) -> str:
    """Returns where two long texts begin to differ."""
    if not isinstance(found, str) or not isinstance(sought, str) or max(len(found), len(sought)) <= 40:
        return ""
    place = next((at for at, pair in enumerate(zip(found, sought, strict=False)) if pair[0] != pair[1]), None)
    place = min(len(found), len(sought)) if place is None else place
    there = slice(place, place + 30)
    return f"; they differ from character {place + 1}: {shown(found[there])}, {shown(sought[there])}"


def _references(attempt: Any) -> tuple[str, ...]:
    wanted = expected_of("includes", OMITTED, attempt)
    listed = wanted if isinstance(wanted, list) else [wanted]
    if not listed or not all(isinstance(text, str) and text for text in listed):
        raise EvaluatorError(f"checks.includes looks for texts, but the case's expected_output is {shown(wanted)}")
    return tuple(listed)


def _included(wanted: list[str], missing: list[str], any_of: bool, output: str) -> Outcome:
    if any_of and len(missing) < len(wanted):
        return True, f"the output has {shown(next(text for text in wanted if text not in missing))}"
    if missing:
        names = ", ".join(shown(text) for text in missing)
        return False, f"the output has no {'one of ' if any_of and len(wanted) > 1 else ''}{names}: {shown(output)}"
    return True, f"the output has {', '.join(shown(text) for text in wanted)}"
