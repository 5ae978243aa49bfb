"""The registry that evaluations are declared in; its methods are the decorators."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, TypeVar, overload

from llmeval.blueprints import PENDING, declare_adapter, make_criterion
from llmeval.callables import where
from llmeval.errors import DeclarationError, SelectionError
from llmeval.evaluations import Evaluation
from llmeval.options import UNSET
from llmeval.suggestions import unknown

__all__ = ["Evaluation", "Registry", "criterion", "unknown"]

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")

OPTIONS: Final = ("name", "dataset", "evaluator", "tags", "timeout", "require")
"""What `@evaluation` takes."""


class Registry:
    """Evaluations by name, in order of declaration, and the adapters that all of them share."""

    def __init__(self) -> None:
        self._evaluations: dict[str, Evaluation] = {}
        self._adapters: dict[type, Callable[[Any], Any]] = {}

    def __iter__(self) -> Iterator[Evaluation]:
        return iter(self._evaluations.values())

    def __len__(self) -> int:
        return len(self._evaluations)

    def __contains__(self, name: object) -> bool:
        return name in self._evaluations

    def get(self, name: str) -> Evaluation:
        """Returns the evaluation of that name.

        Raises:
            SelectionError: there is none; the message suggests near names.
        """
        if name not in self._evaluations:
            raise SelectionError(unknown("evaluation", name, list(self._evaluations)))
        return self._evaluations[name]

    @overload
    def evaluation(
        self,
        target: Callable[..., Any],
        /,
        *,
        name: str | None = None,
        dataset: Any = UNSET,
        evaluator: Any = UNSET,
        tags: Sequence[str] = (),
        timeout: float | None = None,
        require: str | None = None,
    ) -> Evaluation: ...

    @overload
    def evaluation(
        self,
        target: None = None,
        /,
        *,
        name: str | None = None,
        dataset: Any = UNSET,
        evaluator: Any = UNSET,
        tags: Sequence[str] = (),
        timeout: float | None = None,
        require: str | None = None,
    ) -> Callable[[Callable[..., Any]], Evaluation]: ...

    def evaluation(self, target: Any = None, /, **options: Any) -> Any:
        """Declares an evaluation: a function, which is `perform`, or a class with `perform(self, input)`.

        Raises:
            DeclarationError: it cannot be run, or another declaration has its name; the message names both files.
        """
        if isinstance(target, str):
            raise DeclarationError(f"@evaluation({target!r}): write @evaluation(name={target!r})")
        if (wrong := next((name for name in options if name not in OPTIONS), None)) is not None:
            raise DeclarationError(f"@evaluation: {unknown('option', wrong, OPTIONS)}")
        if target is None:
            return lambda decorated: self._register(Evaluation(decorated, adapters=self._adapters, **options))
        return self._register(Evaluation(target, adapters=self._adapters, **options))

    def adapt(self, kind: type) -> Callable[[F], F]:
        """Declares how objects of `kind` become evidence, for every evaluation of this registry.

        Raises:
            DeclarationError: it is not a class and a function, or the class has an adapter.
        """
        if not isinstance(kind, type):
            raise DeclarationError(f"@adapt takes the class of the objects to convert, not {kind!r}")

        def declare(function: F) -> F:
            declare_adapter(self._adapters, kind, function)
            return function

        return declare

    def clear(self) -> None:
        """Forgets every evaluation and adapter."""
        self._evaluations.clear()
        self._adapters.clear()

    def _register(self, evaluation: Evaluation) -> Evaluation:
        known = self._evaluations.get(evaluation.name)
        if known is not None and not _is_same(known, evaluation):
            raise DeclarationError(
                f"two evaluations are named {evaluation.name!r}: {_place(known)} and {_place(evaluation)}; "
                "rename one, or give it @evaluation(name='…')"
            )
        self._evaluations[evaluation.name] = evaluation
        return evaluation


def criterion(
    name: str,
    instructions: str | None = None,
    *,
    minimum: float | None = None,
    evaluator: Any = None,
    when: Callable[[Any], object] | None = None,
) -> Callable[[T], T]:
    """Declares a criterion on a function or class, above or below `@evaluation`; criteria keep their order on the page.

    Declaring any replaces the implicit correctness; `@criterion("correctness")` includes it.

    Raises:
        DeclarationError: the name is blank or taken, or an argument has no meaning.
    """
    if callable(name):
        raise DeclarationError("@criterion needs a name, as in @criterion('concise', 'The answer …')")
    made = make_criterion(name, instructions, minimum=minimum, evaluator=evaluator, when=when)

    def declare(target: T) -> T:
        if isinstance(target, Evaluation):
            target.add_criterion(made, first=True)
            return target
        if not callable(target) or not hasattr(target, "__dict__"):
            raise DeclarationError(f"@criterion({name!r}) decorates an evaluation's function or class, not {target!r}")
        own = vars(target).get(PENDING, ())
        if any(known.name == name for known in own):
            raise DeclarationError(f"{where(target)}: criterion {name!r} is declared twice: rename one")
        try:
            setattr(target, PENDING, [made, *own])
        except AttributeError:  # a bound method, say
            raise DeclarationError(
                f"@criterion({name!r}) cannot be below @evaluation on {target!r}: put it above"
            ) from None
        return target

    return declare


def _is_same(one: Evaluation, other: Evaluation) -> bool:
    """Whether both are one declaration, made again: a notebook cell run twice, or a file imported under two names."""
    if one.__qualname__ != other.__qualname__ or one.file != other.file:
        return False
    if one.module_code is not None and one.module_code is other.module_code:
        return False  # one reading of the file declares both
    return one.file is not None or one.__module__ == other.__module__


def _place(evaluation: Evaluation) -> str:
    return where(evaluation.target) if evaluation.file else str(evaluation.__module__)
