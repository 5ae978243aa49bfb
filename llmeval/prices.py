"""What model requests cost: the price list of genai-prices, and the user's own prices before it."""

from __future__ import annotations

import difflib
from bisect import bisect_left
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from decimal import Decimal
from functools import cache, partial
from math import isfinite
from typing import Any, TypeAlias

from llmeval.errors import OptionError
from llmeval.usage import Tokens

__all__ = ["Rates", "configure", "price"]

Tariff: TypeAlias = "Callable[[Tokens], Decimal | None]"


@dataclass(frozen=True, kw_only=True, slots=True)
class Rates:
    """US dollars for a million tokens; cached and written input costs what other input does where nothing is said."""

    input: Decimal
    output: Decimal
    cached: Decimal | None = None
    cache_write: Decimal | None = None

    def __call__(self, tokens: Tokens) -> Decimal:
        cached, written = tokens.cached or 0, tokens.cache_write or 0
        plain = max(tokens.input - cached - written, 0)
        read = self.input if self.cached is None else self.cached
        write = self.input if self.cache_write is None else self.cache_write
        return (plain * self.input + cached * read + written * write + tokens.output * self.output) / 1_000_000


_FIELDS = tuple(field.name for field in fields(Rates))
_own: dict[tuple[str, str], Rates] = {}


def configure(mapping: Mapping[str, Any]) -> None:
    """Sets the user's own prices, as in `[tool.llmeval.prices]`; those set before are dropped.

    A key is `"provider:model"`, its value `{input = 1.0, output = 2.0}` and, where they differ, `cached` and
    `cache_write`, in US dollars for a million tokens.

    Raises:
        OptionError: a key or a value is none of these; it names all of them.
    """
    problems: list[str] = []
    own = {_name(key, problems): _rates(key, value, problems) for key, value in mapping.items()}
    if problems:
        raise OptionError("[tool.llmeval.prices]: " + "; ".join(problems))
    _own.clear()
    _own.update(own)


def price(provider: str, model: str, tokens: Tokens, *, requested: str | None = None) -> float | None:
    """Returns what one request cost in US dollars, or `None` when there is no price for the model.

    `model` is the id that the provider answered with; `requested` the name that was asked for, tried second. A provider
    is named as OpenTelemetry and genai-prices name it: `openai`, `anthropic`, `gcp.gemini`, `aws.bedrock` …
    """
    names = [name for name in dict.fromkeys((model, requested)) if name]
    for name in names:
        if (rates := _own.get((provider.partition("-decisions")[0], name))) is not None:
            return float(rates(tokens))
    for name in names:
        tariff = _tariff(provider, name)
        amount = None if tariff is None else tariff(tokens)
        if amount is not None:
            return float(amount)
    return None


_PROVIDERS = {"openai-decisions": ("openai-decisions", "openai"), "x_ai": ("x-ai",), "azure.ai.inference": ("azure",)}
"""Names that genai-prices does not know by itself, and where to look for them."""


@cache
def _tariff(provider: str, model: str) -> Tariff | None:
    from genai_prices.data_snapshot import get_snapshot  # loads the price list, when the first price is asked for
    from genai_prices.types import ModelPrice

    for name in _PROVIDERS.get(provider, (provider,)):
        try:
            found, info = get_snapshot().find_provider_model(model, None, name, None)
        except LookupError:
            continue
        # Prices that depend on the date or the hour are looked up each time.
        return _Steps(info, found) if isinstance(info.prices, ModelPrice) else partial(_ask, info, found)
    return None


class _Steps:
    """A model's price as rates for each step of input tokens: asking the price list costs fifty times as much."""

    def __init__(self, info: Any, provider: Any) -> None:
        self._info = info
        self._provider = provider
        tiers = (getattr(value, "tiers", ()) for value in vars(info.prices).values())
        self._starts = sorted({tier.start for of_price in tiers for tier in of_price})
        self._known: dict[int, tuple[Decimal, Rates] | None] = {}

    def __call__(self, tokens: Tokens) -> Decimal | None:
        step = bisect_left(self._starts, tokens.input)
        if step not in self._known:
            self._known[step] = self._probe(self._starts[step - 1] + 1 if step else 1)
        known = self._known[step]
        if known is None or (tokens.cached or 0) + (tokens.cache_write or 0) > tokens.input:
            return _ask(self._info, self._provider, tokens)
        fee, rates = known
        return fee + rates(tokens)

    def _probe(self, size: int) -> tuple[Decimal, Rates] | None:
        """Returns the fee of a request and the rates at `size` input tokens."""
        fee = _ask(self._info, self._provider, Tokens(input=0, output=0))
        base = _ask(self._info, self._provider, Tokens(input=size, output=0))
        parts = (
            Tokens(input=size, output=1),
            Tokens(input=size, output=0, cached=1),
            Tokens(input=size, output=0, cache_write=1),
        )
        amounts = [_ask(self._info, self._provider, tokens) for tokens in parts]
        if fee is None or base is None or None in amounts:
            return None
        plain = (base - fee) / size
        output, cached, written = ((amount or Decimal(0)) - base for amount in amounts)
        million = 1_000_000
        return fee, Rates(
            input=plain * million,
            output=output * million,
            cached=(plain + cached) * million,
            cache_write=(plain + written) * million,
        )


def _ask(info: Any, provider: Any, tokens: Tokens) -> Decimal | None:
    from genai_prices import Usage  # loaded already by `_tariff`

    usage = Usage(
        input_tokens=tokens.input,
        output_tokens=tokens.output,
        cache_read_tokens=tokens.cached or None,
        cache_write_tokens=tokens.cache_write or None,
    )
    try:
        amount: Decimal = info.calc_price(usage, provider).total_price
    except ValueError:  # parts that cannot be: more cached tokens than input tokens
        return None
    return amount


def _name(key: object, problems: list[str]) -> tuple[str, str]:
    provider, colon, model = key.partition(":") if isinstance(key, str) else ("", "", "")
    if not (provider and colon and model):
        problems.append(f"{key!r} is no 'provider:model', such as 'openai:my-model'")
    return provider, model


def _rates(key: object, value: object, problems: list[str]) -> Rates:
    given = dict(value) if isinstance(value, Mapping) else {}
    if not isinstance(value, Mapping):
        problems.append(f"{key!r} is {value!r}; write {{input = 1.0, output = 2.0}}, US dollars for a million tokens")
    for name in [name for name in given if name not in _FIELDS]:
        near = difflib.get_close_matches(str(name), _FIELDS, 1)
        hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(_FIELDS)}"
        problems.append(f"{key!r} has {name!r}: {hint}")
        del given[name]
    if isinstance(value, Mapping):
        missing = [name for name in ("input", "output") if name not in given]
        problems.extend(f"{key!r} has no {name!r} price" for name in missing)
    amounts = {name: _amount(key, name, amount, problems) for name, amount in given.items()}
    zero = Decimal(0)
    return Rates(**{"input": zero, "output": zero, **amounts})


def _amount(key: object, name: str, amount: object, problems: list[str]) -> Decimal:
    if isinstance(amount, bool) or not isinstance(amount, int | float | Decimal) or not isfinite(amount) or amount < 0:
        problems.append(f"{key!r} has {name} = {amount!r}; a price is a number that is not negative")
        return Decimal(0)
    return Decimal(str(amount))
