"""What can be said of a run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from llmeval.cases import checked
from llmeval.errors import DatasetError, OptionError
from llmeval.jsonable import FrozenDict, Json

if TYPE_CHECKING:
    from llmeval.events import Subscriber
    from llmeval.trials import Trial

__all__ = ["RUN_OPTIONS", "UNSET", "Options", "Require", "Unset", "merged", "parse_require"]


class Unset:
    """The type of `UNSET`, which stands for an option of a declaration that was not given."""

    def __repr__(self) -> str:
        return "<unset>"

    def __bool__(self) -> bool:
        return False


UNSET: Final = Unset()


@dataclass(frozen=True, kw_only=True, slots=True)
class Require:
    """A gate over repetitions: a case passes when `passes` of its `trials` do."""

    passes: int
    trials: int

    def __str__(self) -> str:
        return f"{self.passes}/{self.trials}"


@dataclass(frozen=True, kw_only=True)
class Options:
    """What a run is told; everything has a default.

    `only` and `where` (pairs of a dotted path such as `metadata.category` and a text) select cases, `limit` keeps the
    first of them. `concurrency` is a positive number or `auto`. `timeout` is in seconds, for setup to assertions of a
    trial. `evaluator` replaces the evaluation's; `grading=False` leaves criteria unassessed. `params` are
    `attempt.params`. `retry_errors` is how often a trial that ends in an error is tried again. `max_cost` is in US
    dollars. `subscribers` are called with each event. `keep=False` releases each trial once it is in the `journal`.

    Raises:
        OptionError: a value has no meaning.
    """

    dataset: Any = None
    only: str | Iterable[str] | None = None
    where: Sequence[tuple[str, str]] = ()
    limit: int | None = None
    repetitions: int = 1
    id: str | None = None
    on_trial: Callable[[Trial], object] | None = None
    concurrency: int | str = 1
    timeout: float | None = None
    evaluator: Any = None
    grading: bool = True
    params: Mapping[str, Any] | None = None
    journal: str | Path | None = None
    resume: bool = False
    allow_changed: bool = False
    retry_errors: int = 0
    require: Require | None = None
    max_requests: int | None = None
    max_cost: float | None = None
    subscribers: Sequence[Subscriber] = ()
    keep: bool = True

    def __post_init__(self) -> None:
        _positive("repetitions", self.repetitions)
        if self.concurrency != "auto":
            _positive("concurrency", self.concurrency, " or 'auto'")
        for name in ("limit", "max_requests"):
            if getattr(self, name) is not None:
                _positive(name, getattr(self, name))
        if _not_whole(self.retry_errors) or self.retry_errors < 0:
            raise OptionError(f"retry_errors is {self.retry_errors!r}: give a whole number, 0 or more")
        for name in ("timeout", "max_cost"):
            _amount(name, getattr(self, name))
        if self.id is not None and (not isinstance(self.id, str) or not self.id.strip()):
            raise OptionError(f"id is {self.id!r}: give a text that is not blank, or leave it out")
        if self.on_trial is not None and not callable(self.on_trial):
            raise OptionError(f"on_trial is {self.on_trial!r}: give a function of the trial")
        if self.require is not None and not isinstance(self.require, Require):
            raise OptionError(f"require is {self.require!r}: give a Require, or parse_require('2/3')")
        if self.params is not None:
            object.__setattr__(self, "params", _params(self.params))

    def to_json(self) -> dict[str, Any]:
        """Returns what a resumed run needs to be the same run, as JSON."""
        only = [self.only] if isinstance(self.only, str) else self.only and list(self.only)
        return {
            "dataset": str(self.dataset) if isinstance(self.dataset, (str, Path)) else None,
            "only": only or None,
            "where": [list(pair) for pair in self.where],
            "limit": self.limit,
            "repetitions": self.repetitions,
            "concurrency": self.concurrency,
            "timeout": self.timeout,
            "evaluator": _spelled(self.evaluator),
            "grading": self.grading,
            "params": dict(self.params or {}),
            "retry_errors": self.retry_errors,
            "require": self.require and str(self.require),
            "max_requests": self.max_requests,
            "max_cost": self.max_cost,
        }


RUN_OPTIONS: Final = frozenset(
    {
        "dataset", "only", "repetitions", "id", "on_trial", "concurrency", "timeout", "evaluator", "params", "journal",
    }
)  # fmt: skip
"""The options that `Evaluation.run` takes by name."""

_DEFAULTS: Final = FrozenDict({"repetitions": 1, "concurrency": 1})


def merged(options: Options | None, given: Mapping[str, Any]) -> Options:
    """Returns `options` with those of `given` that say something: a value other than the default.

    Raises:
        OptionError: a value has no meaning.
    """
    if options is not None and not isinstance(options, Options):
        raise OptionError(f"options is {options!r}: give Options(…)")
    said = {key: value for key, value in given.items() if value is not _DEFAULTS.get(key) or isinstance(value, bool)}
    return Options(**said) if options is None else replace(options, **said)


def parse_require(text: str) -> Require:
    """Returns the gate that `K/N` says.

    Raises:
        OptionError: it is not two whole numbers with 1 ≤ K ≤ N.
    """
    passes, slash, trials = text.partition("/") if isinstance(text, str) else ("", "", "")
    if slash and passes.strip().isdecimal() and trials.strip().isdecimal():
        gate = Require(passes=int(passes), trials=int(trials))
        if 1 <= gate.passes <= gate.trials:
            return gate
    raise OptionError(f"require is {text!r}: write K/N, as in 2/3: a case passes when 2 of its 3 trials do")


def _params(given: Any) -> Json:
    """Returns a frozen copy, so that a change during the run shows nowhere."""
    if not isinstance(given, Mapping):
        raise OptionError(f"params is {given!r}: give a mapping of names to values")
    try:
        return checked(given, "params")
    except DatasetError as error:
        raise OptionError(str(error)) from None


def _spelled(evaluator: Any) -> str | None:
    """Returns the text form of an evaluator, where it has one."""
    if evaluator is False:
        return "none"
    return evaluator if isinstance(evaluator, str) else None


def _positive(name: str, value: Any, more: str = "") -> None:
    if _not_whole(value) or value < 1:
        raise OptionError(f"{name} is {value!r}: give a whole number of 1 or more{more}")


def _amount(name: str, value: Any) -> None:
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if value is not None and not (number and isfinite(value) and value > 0):
        raise OptionError(f"{name} is {value!r}: give a number above 0")


def _not_whole(value: Any) -> bool:
    return isinstance(value, bool) or not isinstance(value, int)
