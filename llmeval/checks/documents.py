"""Checks of JSON: readable at all, of a schema, or equal to a reference."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, NoReturn

from llmeval.cases import OMITTED
from llmeval.checks.base import Check, Outcome, check, expected_of, shown
from llmeval.checks.differences import differences
from llmeval.errors import EvaluatorConfigError
from llmeval.jsonable import Json

__all__ = ["json_equal", "json_schema", "json_valid"]

_MOST = 5
"""Differences that a reason shows."""


def json_valid() -> Check:
    """Returns a check that the output is JSON: text that is exactly one JSON document, or a value that is no text."""

    def run(attempt: Any) -> Outcome:
        _, fault = _document(attempt.output)
        return (True, "the output is JSON") if fault is None else (False, fault)

    return check("json_valid", {}, run)


def json_schema(schema: Mapping[str, Any] | type) -> Check:
    """Returns a check that the output, as JSON, is of a JSON Schema, or of a Pydantic model's.

    It needs `pip install 'llmeval[schema]'`. Nothing that a schema refers to is fetched.

    Raises:
        EvaluatorConfigError: jsonschema is not installed, or the schema is not one.
    """
    try:
        import jsonschema
        from referencing import Registry
    except ImportError:
        raise EvaluatorConfigError("checks.json_schema needs jsonschema: pip install 'llmeval[schema]'") from None
    plain = schema.model_json_schema() if hasattr(schema, "model_json_schema") else schema
    if not isinstance(plain, Mapping):
        raise EvaluatorConfigError(
            f"checks.json_schema: the schema is {schema!r:.80}: give an object or a Pydantic model"
        )
    plain = dict(plain)
    kind = jsonschema.validators.validator_for(plain, jsonschema.Draft202012Validator)
    try:
        kind.check_schema(plain)
    except jsonschema.SchemaError as error:
        raise EvaluatorConfigError(f"checks.json_schema: the schema is not one: {error.message}") from None
    # A registry of its own, or jsonschema would fetch what a schema refers to.
    validator = kind(plain, registry=Registry(), format_checker=kind.FORMAT_CHECKER)

    def run(attempt: Any) -> Outcome:
        document, fault = _document(attempt.output)
        if fault is not None:
            return None, fault
        found = sorted(validator.iter_errors(document), key=lambda error: list(map(str, error.absolute_path)))
        if not found:
            return True, "the output is of the schema"
        return False, _listed(f"{error.json_path}: {error.message}" for error in found)

    return check("json_schema", {"schema": plain}, run)


def json_equal(expected: Json = OMITTED, *, ignore_order: bool = False) -> Check:
    """Returns a check that the output, as JSON, equals `expected`, or else the case's `expected_output`.

    Text is read as JSON on both sides where it is JSON. `ignore_order` makes lists equal in any order.
    """

    def run(attempt: Any) -> Outcome:
        document, fault = _document(attempt.output)
        wanted = expected_of("json_equal", expected, attempt)
        reference, unreadable = _document(wanted)
        if fault is not None:
            return None, fault
        found = differences(document, wanted if unreadable else reference, ignore_order=ignore_order)
        told = _listed(found)
        return (False, told) if told else (True, "the output equals the reference")

    return check("json_equal", {"expected": expected, "ignore_order": ignore_order}, run)


def _document(output: Json) -> tuple[Json, str | None]:
    """Returns the output as JSON, or why it is none."""
    if not isinstance(output, str):
        return output, None
    try:
        return json.loads(output, parse_constant=_not_json), None
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        return None, f"the output is not JSON: {error.msg} at {place} of {shown(output)}"
    except (ValueError, RecursionError) as error:
        return None, f"the output is not JSON: {error or 'it is nested too deeply'}"


def _not_json(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no number of JSON")


def _listed(found: Iterator[str]) -> str:
    told = list(islice(found, _MOST))
    more = sum(1 for _ in found)
    return "; ".join(told) + (f"; and {more} more" if more else "")
