"""Question: what a Judge asks, and what its answer may be."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from llmeval.errors import DeclarationError, EvaluatorError
from llmeval.jsonable import Json, digest

__all__ = ["Asked", "Option", "Question", "choice", "probability", "score"]

Option: TypeAlias = str | bool
Kind: TypeAlias = Literal["probability", "choice", "score"]

MOST_CHOICES: Final = 255
"""The most options that OpenAI's Decisions take in one question."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """A question as it is asked about one trial.

    `options` are a choice's options, or a score's levels from worst to best, each with a description or `None`; `yes`
    and `no` say what a probability's answers mean.
    """

    kind: Kind
    text: str
    yes: str | None = None
    no: str | None = None
    options: Mapping[Option, str | None] | None = None

    @property
    def words(self) -> str:
        """The question, with what yes and no mean."""
        meanings = [f"{word}: {text}" for word, text in (("Yes", self.yes), ("No", self.no)) if text is not None]
        return "\n".join([self.text, *meanings])

    @property
    def levels(self) -> tuple[str, ...]:
        """The names of a score's levels."""
        return tuple(str(option) for option in self.options or ())

    def native(self, name: str) -> dict[str, Json]:
        """Returns the question in the form of OpenAI's Decisions."""
        base: dict[str, Json] = {"name": name, "instructions": self.words}
        if self.options is None:
            return {"type": "predicate", **base}
        described = [(option, {} if text is None else {"description": text}) for option, text in self.options.items()]
        if self.kind == "choice":
            return {"type": "choice", **base, "choices": [{"value": option, **more} for option, more in described]}
        return {"type": "score", **base, "levels": [{"label": option, **more} for option, more in described]}


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """A question of a Judge; each of its parts is given, or is a function of the attempt."""

    kind: Kind
    text: str | Callable[[Any], str]
    yes: str | Callable[[Any], str] | None = None
    no: str | Callable[[Any], str] | None = None
    options: Any = None

    def __post_init__(self) -> None:
        _text(self.text, "a question", DeclarationError)
        for value, what in ((self.yes, "what yes means"), (self.no, "what no means")):
            if value is not None:
                _text(value, what, DeclarationError)
        if self.kind != "probability" and not callable(self.options):
            _options(self.options, self.kind, DeclarationError)

    def resolve(self, attempt: Any) -> Asked:
        """Returns the question for one attempt.

        Raises:
            EvaluatorError: a part that is a function returned nothing that can be asked, or there is no live attempt.
        """
        options = _called(self.options, attempt)
        return Asked(
            kind=self.kind,
            text=_text(_called(self.text, attempt), "a question", EvaluatorError),
            yes=None if self.yes is None else _text(_called(self.yes, attempt), "what yes means", EvaluatorError),
            no=None if self.no is None else _text(_called(self.no, attempt), "what no means", EvaluatorError),
            options=None if self.kind == "probability" else _options(options, self.kind, EvaluatorError),
        )

    def highest(self) -> float | None:
        """Returns the top of its scale, or `None` when that depends on the attempt; a scale begins at 0."""
        if self.kind == "probability":
            return 1
        return None if callable(self.options) else len(self.options) - 1

    def identity(self) -> Json:
        """Returns what makes two answers comparable: the words, and the source of a part that is a function."""
        parts = {"kind": self.kind, "text": self.text, "yes": self.yes, "no": self.no, "options": self.options}
        return {name: _told(value) for name, value in parts.items() if value is not None}


def probability(
    question: str | Callable[[Any], str],
    *,
    yes: str | Callable[[Any], str] | None = None,
    no: str | Callable[[Any], str] | None = None,
) -> Any:
    """Declares a question that is answered by the probability of yes; `yes` and `no` may say what they mean."""
    return Question(kind="probability", text=question, yes=yes, no=no)


def choice(question: str | Callable[[Any], str], options: Any) -> Any:
    """Declares a question that is answered by one of `options`: a mapping to descriptions (or `None`), or a list.

    Raises:
        DeclarationError: there are fewer than two options, or they are neither texts nor booleans.
    """
    return Question(kind="choice", text=question, options=options)


def score(question: str | Callable[[Any], str], levels: Any) -> Any:
    """Declares a question that is answered by a place on `levels`, from worst (0) to best: a list, or a mapping.

    Raises:
        DeclarationError: there are fewer than two levels, or they are not different texts.
    """
    return Question(kind="score", text=question, options=levels)


def _called(value: Any, attempt: Any) -> Any:
    if not callable(value):
        return value
    if attempt is None:
        raise EvaluatorError("a question depends on the live attempt, which saved evidence does not have")
    return value(attempt)


def _text(value: Any, what: str, error: type[Exception]) -> Any:
    if callable(value) and error is DeclarationError:
        return value
    if not isinstance(value, str) or not value.strip():
        raise error(f"{what} is {value!r:.80}, which is not a text that can be asked")
    return value


def _options(given: Any, kind: Kind, error: type[Exception]) -> dict[Option, str | None]:
    what = "option" if kind == "choice" else "level"
    if isinstance(given, Mapping):
        pairs = list(given.items())
    elif isinstance(given, Sequence) and not isinstance(given, str):
        pairs = [(option, None) for option in given]
    else:
        raise error(f"{what}s are {given!r:.80}: give a list of them, or a mapping to descriptions")
    types = (str, bool) if kind == "choice" else (str,)
    for option, text in pairs:
        if not isinstance(option, types) or option == "":
            raise error(f"the {what} {option!r:.80} is not a text{' or a boolean' if kind == 'choice' else ''}")
        if text is not None and not isinstance(text, str):
            raise error(f"the description of the {what} {option!r} is {text!r:.80}, which is not a text")
    if len(pairs) < 2 or len({option for option, _ in pairs}) < len(pairs):
        raise error(f"{what}s are {[option for option, _ in pairs]!r:.200}: at least two, all different, are needed")
    if kind == "choice" and len(pairs) > MOST_CHOICES:
        raise error(f"there are {len(pairs)} options, more than the {MOST_CHOICES} that can be asked at once")
    return dict(pairs)


def _told(value: Any) -> Json:
    if callable(value):
        import inspect  # only for questions that are functions

        try:
            return {"source": digest(inspect.getsource(value))}
        except (OSError, TypeError):
            return {"source": getattr(value, "__qualname__", type(value).__name__)}
    if isinstance(value, Mapping):
        return [[option, text] for option, text in value.items()]
    return list(value) if isinstance(value, (list, tuple)) else value
