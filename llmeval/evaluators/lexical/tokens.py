"""A token: one word, quantity, date, time, code or symbol of a text."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from llmeval.evaluators.lexical.quantities import Quantity

__all__ = ["Day", "Moment", "Token", "same"]


@dataclass(frozen=True, slots=True)
class Day:
    """A calendar day, of which the year or the day of the month may be unsaid.

    `swapped` is the other reading of a numeric date such as 03/05/2026.
    """

    year: int | None
    month: int
    day: int | None
    swapped: bool = False

    def conflicts(self, other: Day) -> bool | None:
        """Returns whether the two cannot be one day; `None` when what is unsaid or ambiguous leaves it open."""
        if self == other:
            return False
        pairs = ((self.year, other.year), (self.month, other.month), (self.day, other.day))
        if self.swapped or other.swapped:
            return True if _differ(*pairs[0]) else None
        return True if any(_differ(one, two) for one, two in pairs) else None


def _differ(one: int | None, two: int | None) -> bool:
    return one is not None and two is not None and one != two


@dataclass(frozen=True, slots=True)
class Moment:
    """A time of day in seconds; `half` says in which half of the day, `open` whether it could be in the other one."""

    second: int
    half: bool = False
    open: bool = False

    def same(self, other: Moment) -> bool:
        """Returns whether both are surely the same: "6:00" is "06:00", but perhaps not "6 am"."""
        doubtful = (self.open and other.half) or (self.half and other.open)
        return self.second == other.second and not doubtful

    def may_be(self, other: Moment) -> bool:
        """Returns whether both can be the same."""
        apart = abs(self.second - other.second)
        return apart == 0 or (apart == 12 * 3600 and (self.open or other.open))


@dataclass(frozen=True, slots=True)
class Token:
    """One token of a text.

    `kind` is `word`, `quantity`, `ordinal`, `date`, `time`, `code`, `mark` or `negation`. `text` is as it was written,
    after the characters were normalised. `tight` is whether only blanks or a hyphen stand before it. `stem` is a word
    without its plural ending, where it is surely no name; `stops` is whether a clause ends behind a yes or a no.
    """

    kind: str
    key: Hashable
    text: str
    tight: bool = False
    quantity: Quantity | None = None
    day: Day | None = None
    stem: str | None = None
    stops: bool = False
    moment: Moment | None = None

    @property
    def word(self) -> str:
        """The text without regard to case."""
        return self.text.casefold()

    @property
    def topic(self) -> str:
        """The stem, or else the word: what two texts that talk about the same thing share."""
        return self.stem or self.word

    def same(self, other: Token) -> bool:
        """Returns whether both say the same; a plural ending makes no difference, except in names."""
        if self.moment is not None and other.moment is not None:
            return self.moment.same(other.moment)
        return self.key == other.key or (self.stem is not None and self.stem == other.stem)

    def may_be(self, other: Token) -> bool:
        """Returns whether two times of day can be the same one, which "3:00" and "15:00" can."""
        return self.moment is None or other.moment is None or self.moment.may_be(other.moment)


def same(one: Sequence[Token], two: Sequence[Token]) -> bool:
    """Returns whether two texts say the same, token by token."""
    return len(one) == len(two) and all(left.same(right) for left, right in zip(one, two, strict=True))
