"""Tokens and costs that add up, and stay unknown when they are unknown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["NO_USAGE", "Tokens", "Usage", "total"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Tokens:
    """Tokens of one or more requests.

    `input` counts every input token, cached ones included; `output` every output token, reasoning included. The parts
    are `None` where no request said them.
    """

    input: int
    output: int
    cached: int | None = None
    cache_write: int | None = None
    reasoning: int | None = None

    def __add__(self, other: Tokens) -> Tokens:
        return Tokens(
            input=self.input + other.input,
            output=self.output + other.output,
            cached=_sum(self.cached, other.cached),
            cache_write=_sum(self.cache_write, other.cache_write),
            reasoning=_sum(self.reasoning, other.reasoning),
        )

    def to_dict(self) -> dict[str, int]:
        """Returns input and output, and the parts that are known."""
        named = {"cached": self.cached, "cache_write": self.cache_write, "reasoning": self.reasoning}
        known = {key: value for key, value in named.items() if value is not None}
        return {"input": self.input, "output": self.output, **known}

    @classmethod
    def from_dict(cls, data: Mapping[str, int] | None) -> Tokens | None:
        """Returns what `to_dict` wrote."""
        return None if data is None else cls(**data)


@dataclass(frozen=True, kw_only=True, slots=True)
class Usage:
    """What model requests consumed.

    `tokens` is `None` when no request was seen, or none said its tokens. `priced` is the sum of the known prices in US
    dollars; `unpriced` names the models without a known price.
    """

    requests: int = 0
    tokens: Tokens | None = None
    priced: float | None = None
    unpriced: tuple[str, ...] = ()

    @property
    def cost(self) -> float | None:
        """US dollars; `None` when no request was seen or one of the prices is unknown, never 0 for unknown."""
        return None if self.unpriced else self.priced

    def __add__(self, other: Usage) -> Usage:
        if other is NO_USAGE:
            return self
        if self is NO_USAGE:
            return other
        return Usage(
            requests=self.requests + other.requests,
            tokens=_sum(self.tokens, other.tokens),
            priced=_sum(self.priced, other.priced),
            unpriced=tuple(dict.fromkeys(self.unpriced + other.unpriced)),
        )

    def to_dict(self) -> dict[str, Any] | None:
        """Returns plain JSON, or `None` when no request was seen."""
        if not self.requests:
            return None
        tokens = self.tokens and self.tokens.to_dict()
        return {"requests": self.requests, "tokens": tokens, "cost": self.cost, "unpriced": list(self.unpriced)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any] | None) -> Usage:
        """Returns what `to_dict` wrote; a price that was known beside unknown ones is forgotten."""
        if data is None:
            return NO_USAGE
        return cls(
            requests=data["requests"],
            tokens=Tokens.from_dict(data["tokens"]),
            priced=data["cost"],
            unpriced=tuple(data["unpriced"]),
        )


NO_USAGE = Usage()
"""The usage of no request at all."""


def total(usages: Iterable[Usage]) -> Usage:
    """Returns the sum; of nothing, `NO_USAGE`."""
    return sum(usages, NO_USAGE)


def _sum(left: Any, right: Any) -> Any:
    if left is None:
        return right
    return left if right is None else left + right
