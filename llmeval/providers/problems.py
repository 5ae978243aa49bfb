"""Problem: why a request to a model failed, found from what the server said rather than from a model's name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

__all__ = ["FATAL", "Kind", "Problem", "one_line", "status_problem"]

Kind: TypeAlias = Literal[
    "authentication",
    "permission",
    "quota",
    "unknown model",
    "missing address",
    "context",
    "filter",
    "rejected",
    "rate limit",
    "server",
    "timeout",
    "connection",
]

FATAL: Final = frozenset({"authentication", "permission", "quota", "unknown model"})
"""Kinds that the next request to the same model would meet as well."""

LONGEST: Final = 400
"""Characters of a server's message that are shown."""

_QUOTA = re.compile(r"insufficient_quota|billing|credit balance|exceeded your current quota", re.IGNORECASE)
_MODEL = re.compile(
    r"model_not_found|unknown model|not_found_error model:|model\b.{0,120}\b(does not exist|not found|not_found)",
    re.I | re.S,
)
_CONTEXT = re.compile(
    r"context_length_exceeded|context (length|window)|prompt is too long|too many (input )?tokens|"
    r"maximum (number of )?(input )?tokens|request_too_large|reduce the length|exceeds? the (model|maximum)",
    re.IGNORECASE,
)
_FILTER = re.compile(
    r"content_filter|content_policy|content management policy|invalid_prompt|safety (system|policy)", re.IGNORECASE
)
_TAG = re.compile(r"<(script|style)\b.*?</\1>|<[^>]*>", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, kw_only=True, slots=True)
class Problem:
    """A failed request: its kind, the HTTP status if there was one, the server's message, the parameter it names."""

    kind: Kind
    message: str
    status: int | None = None
    parameter: str | None = None

    def line(self) -> str:
        """Returns one masked line for people."""
        status = "" if self.status is None else f"HTTP {self.status}, "
        return f"{status}{self.kind}: {one_line(self.message)}"

    def names(self, parameter: str) -> bool:
        """Returns whether the server blames `parameter`."""
        if self.parameter is not None and self.parameter.split(".")[0] == parameter:
            return True
        return re.search(rf"(?<!\w){re.escape(parameter)}(?!\w)", self.message) is not None


def one_line(text: str) -> str:
    """Returns `text` masked, without HTML tags, on one line, and cut when it is long."""
    from llmeval.secrets import mask  # only when there is an error to show

    # Masked before it is cut: half a key would no longer be recognised as one.
    line = " ".join(mask(_TAG.sub(" ", text)).split())
    return line if len(line) <= LONGEST else line[:LONGEST] + "…"


def status_problem(status: int, body: object, message: str) -> Problem:
    """Returns the problem that an HTTP error with this decoded `body` means; `message` stands in for a missing body."""
    error: Mapping[str, Any] = body if isinstance(body, Mapping) else {}
    if isinstance(error.get("error"), Mapping):
        error = error["error"]
    said = error.get("message") or (error.get("error") if isinstance(error.get("error"), str) else None)
    text = str(said or (body if isinstance(body, str) and body else message))
    labels = " ".join(str(error[key]) for key in ("code", "type") if isinstance(error.get(key), str))
    parameter = error.get("param")
    return Problem(
        kind=_kind(status, labels, text),
        message=text,
        status=status,
        parameter=parameter if isinstance(parameter, str) else None,
    )


def _kind(status: int, labels: str, text: str) -> Kind:
    said = f"{labels} {text}"
    if status == 401:
        return "authentication"
    if status == 402 or (status in (400, 403, 429) and _QUOTA.search(said)):
        return "quota"
    if status == 429:
        return "rate limit"
    if status == 403:
        return "permission"
    if status in (400, 404, 422) and _MODEL.search(said):
        return "unknown model"
    if status in (404, 405):
        return "missing address"
    if status == 413 or (status in (400, 422) and _CONTEXT.search(said)):
        return "context"
    if status >= 500 or status in (408, 409):
        return "server"
    return "filter" if _FILTER.search(said) else "rejected"
