"""Reads what a model's response says it consumed, by each vendor's convention, and prices it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from llmeval.prices import price
from llmeval.usage import Tokens, Usage

__all__ = ["consumed", "provider_at", "read_tokens"]


def read_tokens(usage: object) -> Tokens | None:
    """Returns the tokens that a vendor's `usage` object or dict says, or `None` when it says none.

    OpenAI counts cached tokens within the input, in Chat Completions (`prompt_tokens`), Responses, Decisions and
    embeddings alike. Anthropic counts them beside it, so they are added; and leaves the tokens of compactions out of
    its sums, so those are added too. Reasoning is part of the output with both.
    """
    if usage is None:
        return None
    if _count(usage, "prompt_tokens") is not None:
        return _tokens(usage, "prompt_tokens", "completion_tokens")
    if _count(usage, "input_tokens") is None:
        return None
    if _count(usage, "cache_read_input_tokens") is None and _count(usage, "cache_creation_input_tokens") is None:
        tokens = _tokens(usage, "input_tokens", "output_tokens")
    else:
        tokens = _beside(usage)
    for step in _get(usage, "iterations") or ():
        if _get(step, "type") == "compaction" and (more := _beside(step)) is not None:
            tokens = tokens + more
    return tokens


def consumed(
    provider: str, model: str | None, tokens: Tokens | None, *, requested: str | None = None, billed: bool = True
) -> Usage:
    """Returns the usage of one request, priced.

    `billed` is false for a request that the provider refused: it costs nothing, whatever its model costs. An answer
    that says no tokens has an unknown price.
    """
    if tokens is None and not billed:
        return Usage(requests=1)
    name = model or requested or "unknown"
    amount = None if tokens is None else price(provider, name, tokens, requested=requested)
    unpriced = () if amount is not None else (f"{provider.partition('-decisions')[0]}:{name}",)
    return Usage(requests=1, tokens=tokens, priced=amount, unpriced=unpriced)


@cache
def provider_at(vendor: str, base_url: str) -> str:
    """Returns whose prices hold for the SDK of `vendor` at `base_url`: the vendor's own at an unknown address."""
    if vendor == "openai-decisions":
        return vendor
    from genai_prices.data_snapshot import get_snapshot  # loads the price list

    try:
        found = get_snapshot().find_provider(None, None, base_url)
    except LookupError:
        return vendor
    return str(found.id)


def _tokens(usage: object, given: str, made: str) -> Tokens:
    details = _get(usage, f"{given}_details")
    made_details = _get(usage, f"{made}_details")
    reasoning = _count(made_details, "reasoning_tokens")
    return Tokens(
        input=_count(usage, given) or 0,
        output=_count(usage, made) or 0,
        cached=_count(details, "cached_tokens"),
        cache_write=_count(details, "cache_write_tokens"),
        reasoning=_count(made_details, "thinking_tokens") if reasoning is None else reasoning,
    )


def _beside(usage: object) -> Tokens:
    cached = _count(usage, "cache_read_input_tokens")
    written = _count(usage, "cache_creation_input_tokens")
    return Tokens(
        input=(_count(usage, "input_tokens") or 0) + (cached or 0) + (written or 0),
        output=_count(usage, "output_tokens") or 0,
        cached=cached,
        cache_write=written,
        reasoning=_count(_get(usage, "output_tokens_details"), "thinking_tokens"),
    )


def _count(source: object, name: str) -> int | None:
    value = _get(source, name)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _get(source: object, name: str) -> Any:
    return source.get(name) if isinstance(source, Mapping) else getattr(source, name, None)
