"""Secrets stay out of reports, logs, tracebacks and prompts.

A secret is the value of an environment variable whose name says KEY, TOKEN, SECRET or PASSWORD, what was registered
(a key given to a model or found in a client), an `Authorization` or API key header, and the credentials in a URL.
"""

from __future__ import annotations

import os
import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any, Final
from urllib.parse import quote, quote_plus, unquote

from llmeval.jsonable import Json, canonical, dumps

__all__ = ["MASK", "Masker", "mask", "mask_json", "register", "register_client"]

MASK: Final = "[masked]"
SHORTEST: Final = 8
"""A shorter value, such as `test` or `true`, is no secret: masking it would only spoil the text."""

OWN_WORDS: Final = (
    "not_applicable evaluations assertion_count assertion_failure evaluator_usage fingerprint repetition "
    "expected_output has_expected_output task_usage cache_write reasoning traceback probability probabilities "
    "confidence unassessed schema_version started_at finished_at definitions interrupted environment completeness "
    "tool_calls attachments media_type arguments metadata duration instructions evidence"
)
"""A value inside one of these words of a report hides nothing, and masking it would spoil the report."""

_NAMES = re.compile("KEY|TOKEN|SECRET|PASSWORD", re.IGNORECASE)
_HEADERS = frozenset({"authorization", "proxy-authorization", "x-api-key", "api-key", "x-goog-api-key"})
_QUOTE = r"\\*[\"']"
_HEADER = rf"(?i:authorization|api-key)(?:{_QUOTE})?(?:\s*[:=]\s*|,\s*(?=b?{_QUOTE}))b?(?:{_QUOTE})?"
_VALUE = r"[^\s\"'\\\[\],;}<>]"
_USERINFO = r"[^\s/?#\"'\\\[\]<>@]"
_URL = re.compile(rf"(://)({_USERINFO}*:{_USERINFO}+|{_USERINFO}{{8,}})(?=@)")

# A pattern keeps its first group and hides its second. It is tried only where one of its hints is found, since that
# costs a hundredth. None matches MASK, so that masking twice changes nothing.
_HEADER_HINTS = ("uthorization", "UTHORIZATION", "pi-key", "PI-KEY", "pi-Key", "PI-Key")
_QUERY_HINTS = ("ey=", "EY=", "oken=", "OKEN=", "ecret=", "ECRET=", "assword=", "ASSWORD=", "sig=", "ignature=")
_PATTERNS = (
    (_HEADER_HINTS, re.compile(rf"({_HEADER})((?i:digest|aws4-hmac-sha256)\s[^\r\n]+)")),
    (_HEADER_HINTS, re.compile(rf"({_HEADER}(?i:bearer|basic|token)\s+)({_VALUE}+)")),
    (_HEADER_HINTS, re.compile(rf"({_HEADER})({_VALUE}{{8,}})")),
    (("earer ", "EARER "), re.compile(r"(\b(?i:bearer)\s+)(?=\S*\d)([\w.~+/=-]{8,})")),
    (("://",), _URL),
    (_QUERY_HINTS, re.compile(r"([?&](?i:[\w.-]*(?:key|token|secret|password)|sig|signature)=)([^&#\s\"'\\\[\]<>]+)")),
)
_HINTS = (*_HEADER_HINTS, "earer ", "EARER ")

_registered: set[str] = set()


def register(*secrets: str) -> None:
    """Makes every masker of this process hide `secrets`; of a URL, its credentials."""
    for secret in secrets:
        _registered.update(_credentials(secret) if "://" in secret else (secret,))


def register_client(client: object) -> None:
    """Makes every masker hide the keys that an SDK's client object holds, and its base URL's credentials."""
    for name in ("api_key", "auth_token", "webhook_key", "webhook_secret", "admin_api_key"):
        value = getattr(client, name, None)
        if isinstance(value, str):
            register(value)
    url = getattr(client, "base_url", None)
    if url is not None:
        register(str(url))


class Masker:
    """Hides secrets in text and in JSON.

    It learns what `register` adds later, and, with the process's own environment, what a `.env` file adds later.
    """

    def __init__(self, environ: Mapping[str, str] | None = None, secrets: Iterable[str] = ()) -> None:
        self._environ = os.environ if environ is None else environ
        self._secrets = frozenset(secrets)
        self._known = (-1, -1)
        self._refresh()

    def __repr__(self) -> str:
        return f"<Masker of {len(self._needles)} texts>"

    def suspects(self, text: str) -> bool:
        """Returns whether there may be a secret in `text`, which may be JSON; costs a few microseconds."""
        self._refresh()
        for needle in self._needles:
            if needle in text:
                return True
        if "://" in text and _URL.search(text):
            return True
        return "=" in text and any(hint in text for hint in _QUERY_HINTS)

    def mask(self, text: str) -> str:
        """Returns `text` with each secret in it replaced by `[masked]`."""
        return self.count(text)[0]

    def count(self, text: str) -> tuple[str, int]:
        """Returns the masked text and how many places were masked."""
        return self._replace(text) if self.suspects(text) else (text, 0)

    def mask_json(self, value: Json) -> tuple[Json, int]:
        """Returns JSON-compatible `value` with its texts and keys masked, and how many places were.

        The value itself comes back when nothing was masked.
        """
        return self._walk(value) if self.suspects(dumps(value)) else (value, 0)

    def line(self, record: dict[str, Any]) -> str:
        """Returns `record` as one line of strict JSON, masked; what was masked is added to its `masked`."""
        return self.counted_line(record)[0]

    def counted_line(self, record: dict[str, Any]) -> tuple[str, int]:
        """Returns what `line` does, and how many places were masked."""
        text = dumps(record)
        if not self.suspects(text):
            return text, 0
        masked, count = self._walk(record)
        if not count:
            return text, 0
        return dumps({**masked, "masked": record.get("masked", 0) + count}), count

    def _refresh(self) -> None:
        # The environment's size tells, at the price of two calls, whether something was added: `load_dotenv` does.
        known = (len(self._environ), len(_registered))
        if known == self._known:
            return
        found = {secret for secret in self._found() if not any(secret in word for word in OWN_WORDS.split())}
        forms = sorted({form for secret in found for form in _forms(secret)}, key=lambda form: (-len(form), form))
        self._numbers = frozenset(secret for secret in found if secret.isdecimal() and secret.isascii())
        self._values = re.compile("|".join(map(re.escape, forms))) if forms else None
        self._needles = (*forms, *_HINTS)
        self._known = known

    def _found(self) -> Iterator[str]:
        for name, value in dict(self._environ).items():
            yield from (part for part in _credentials(value) if len(part) >= SHORTEST)
            if _NAMES.search(name) and len(value.strip()) >= SHORTEST:
                yield value.strip()
        yield from (secret for secret in (*self._secrets, *set(_registered)) if len(secret) >= SHORTEST)

    def _replace(self, text: str) -> tuple[str, int]:
        count = 0
        for hints, pattern in _PATTERNS:
            if any(hint in text for hint in hints):
                text, more = pattern.subn(rf"\g<1>{MASK}", text)
                count += more
        if self._values is not None:
            text, more = self._values.subn(MASK, text)
            count += more
        return text, count

    def _walk(self, value: Json) -> tuple[Json, int]:
        if isinstance(value, str):
            return self._replace(value)
        if isinstance(value, Mapping):
            return self._object(value)
        if isinstance(value, list | tuple):
            pairs = [self._walk(item) for item in value]
            count = sum(more for _, more in pairs)
            return ([item for item, _ in pairs], count) if count else (value, 0)
        if type(value) is int and self._numbers and str(value) in self._numbers:
            return MASK, 1
        return value, 0

    def _object(self, value: Mapping[str, Json]) -> tuple[Json, int]:
        masked: dict[str, Json] = {}
        total = 0
        for key, item in value.items():
            name, in_key = self._replace(key)
            item, in_item = self._walk(item)
            if not in_item and isinstance(item, str) and key.lower() in _HEADERS and item and MASK not in item:
                item, in_item = MASK, 1
            masked[_free(name, masked) if in_key else name] = item
            total += in_key + in_item
        return (masked, total) if total else (value, 0)


def mask(text: str) -> str:
    """Returns `text` with each secret of this process replaced by `[masked]`."""
    return _shared().mask(text)


def mask_json(value: Json) -> tuple[Json, int]:
    """Returns JSON-compatible `value` without the secrets of this process, and how many places were masked."""
    return _shared().mask_json(value)


def _shared() -> Masker:
    global _SHARED
    if _SHARED is None:
        _SHARED = Masker()
    return _SHARED


_SHARED: Masker | None = None


def _credentials(text: str) -> Iterator[str]:
    """Yields the secrets in the URLs of `text`: the password, as written and as meant, and its Basic header."""
    if "://" not in text or "@" not in text:
        return
    for match in _URL.finditer(text):
        user, colon, password = match[2].partition(":")
        secret = password if colon else user
        yield from (secret, unquote(secret))
        yield b64encode(f"{unquote(user)}:{unquote(password)}".encode()).decode()


def _forms(secret: str) -> Iterator[str]:
    """Yields how a secret looks where it may be met: plain, in JSON, in JSON within JSON, in a repr, in a URL."""
    yield secret
    for written in (dumps(secret), canonical(secret)):
        yield written[1:-1]
        yield dumps(written[1:-1])[1:-1]
    yield repr(secret)[1:-1]
    with suppress(UnicodeEncodeError):  # bytes of another encoding in the environment: they cannot be in a URL
        yield from (quote(secret, safe=""), quote_plus(secret))
    if "\n" in secret:  # a private key: tracebacks indent it line by line
        yield from (line for line in secret.splitlines() if len(line) >= 2 * SHORTEST and "-----" not in line)


def _free(name: str, taken: Mapping[str, Json]) -> str:
    number = 2
    free = name
    while free in taken:
        free, number = f"{name} ({number})", number + 1
    return free
