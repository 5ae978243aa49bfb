"""A blueprint: what is declared of an evaluation, by its decorators and by those of the classes it inherits from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

from llmeval.assertions import instrument
from llmeval.attempts import attempt_class
from llmeval.callables import check_arguments, is_again, is_async, takes_attempt, where
from llmeval.criteria import Criterion
from llmeval.errors import DeclarationError
from llmeval.evaluators import check_kind, kind_of
from llmeval.naming import file_of, full_name
from llmeval.options import UNSET, parse_require
from llmeval.project import project_at

__all__ = ["PENDING", "Blueprint", "declare_adapter", "make_criterion"]

Adapters = dict[type, Callable[[Any], Any]]
F = TypeVar("F", bound=Callable[..., Any])

PENDING: Final = "__llmeval_criteria__"
"""Where `@criterion` leaves its criteria on a function or class until `@evaluation` comes."""

OWNER: Final = "__llmeval_evaluation__"
"""Where a decorated class keeps its evaluation, so that a child finds it."""

HOOKS: Final = {"setup": ("attempt",), "assertions": ("attempt",), "teardown": ("attempt",)}
"""What each trial calls, and with what in function form; the methods of a class take `self` alone."""

RUN_HOOKS: Final = {"dataset": (), "lifespan": ()}
"""What each run calls, in both forms."""


class Blueprint:
    """What is declared of one evaluation.

    `tags`, `timeout` (seconds) and `require` (a text such as `2/3`) are what the decorator said.

    Raises:
        DeclarationError: what is declared cannot be run; the message names the place.
    """

    def __init__(
        self,
        target: Any,
        *,
        name: str | None = None,
        dataset: Any = UNSET,
        evaluator: Any = UNSET,
        tags: Sequence[str] = (),
        timeout: float | None = None,
        require: str | None = None,
        adapters: Adapters | None = None,
    ) -> None:
        if not callable(target) or isinstance(target, Blueprint):
            raise DeclarationError(f"@evaluation decorates a function or a class, not {target!r}")
        self.target = target
        self.is_class = isinstance(target, type)
        self.file = file_of(target)
        self.project = project_at(self.file.parent if self.file else Path.cwd())
        self.name = full_name(name, target, self.file, self.project)
        self.tags = (tags,) if isinstance(tags, str) else tuple(tags)
        self.timeout = timeout
        self.require = require
        self._evaluator = UNSET if evaluator is None else evaluator
        self._dataset = UNSET if dataset is None else dataset
        self._registry_adapters: Adapters = {} if adapters is None else adapters
        self._own_adapters: Adapters = {}
        self._hooks: dict[str, Callable[..., Any]] = {}
        self._own_criteria: list[Criterion] = []
        self._check_options()
        self._prepare()
        for criterion in getattr(target, "__dict__", {}).get(PENDING, ()):
            self.add_criterion(criterion)

    def _check_options(self) -> None:
        if self._evaluator is not UNSET:
            check_kind(self._evaluator)
            _instrument_function(self._evaluator)
        if self.require is not None:
            parse_require(self.require)
        if any(not isinstance(tag, str) or not tag.strip() for tag in self.tags):
            raise DeclarationError(f"{self.name}: tags are {self.tags!r}: give texts that are not blank")
        number = self.timeout
        if number is not None and (isinstance(number, bool) or not isinstance(number, (int, float)) or not number > 0):
            raise DeclarationError(f"{self.name}: timeout is {number!r}: give seconds above 0")
        found = self._dataset
        if isinstance(found, (bool, bytes)) or not _gives_cases(found):
            raise DeclarationError(f"{self.name}: dataset is {found!r}: give a path, cases, or a function of none")
        if callable(found) and not hasattr(found, "__iter__"):
            check_arguments(found, "dataset")

    def _prepare(self) -> None:
        instrument(self.target)
        if not self.is_class:
            self.gives_attempt = takes_attempt(self.target)
            return
        perform = getattr(self.target, "perform", None)
        if not callable(perform):
            raise DeclarationError(f"{where(self.target)}: an evaluation needs a method perform(self, input)")
        self.gives_attempt = takes_attempt(perform, bound=not isinstance(_static(self.target, "perform"), staticmethod))
        for name in HOOKS:
            method = getattr(self.target, name, None)
            if method is not None:
                given = () if isinstance(_static(self.target, name), (staticmethod, classmethod)) else ("self",)
                check_arguments(method, name, *given)
        self._attempt_class = attempt_class(self.target)
        setattr(self.target, OWNER, self)

    # What was declared, inherited parts included

    @property
    def ancestors(self) -> tuple[Blueprint, ...]:
        """The evaluations of the decorated base classes, the nearest first."""
        bases = self.target.__mro__[1:] if self.is_class else ()
        return tuple(vars(base)[OWNER] for base in bases if OWNER in vars(base))

    @property
    def declared_criteria(self) -> tuple[Criterion, ...]:
        """The criteria that were declared here or on a parent; a child's replaces its parent's of the same name."""
        found: dict[str, Criterion] = {}
        for criteria in reversed(list(self._lineage())):
            found.update((criterion.name, criterion) for criterion in criteria)
        return tuple(found.values())

    def _lineage(self) -> Iterator[Sequence[Criterion]]:
        yield self._own_criteria
        for base in self.target.__mro__[1:] if self.is_class else ():
            members = vars(base)
            yield members[OWNER]._own_criteria if OWNER in members else members.get(PENDING, ())

    @property
    def evaluator(self) -> Any:
        """What `evaluator=` said here or on a parent; `UNSET` leaves it to the configured default."""
        given = (one._evaluator for one in (self, *self.ancestors))
        return next((evaluator for evaluator in given if evaluator is not UNSET), UNSET)

    @property
    def adapters(self) -> tuple[Mapping[type, Callable[[Any], Any]], ...]:
        """The adapters to try, in order: its own, its parents', then those of their registries."""
        family = (self, *self.ancestors)
        shared = {id(one._registry_adapters): one._registry_adapters for one in family}
        return (*(one._own_adapters for one in family), *shared.values())

    @property
    def target_function(self) -> Callable[..., Any]:
        """What performs: the function, or the class's `perform`."""
        function: Callable[..., Any] = self.target.perform if self.is_class else self.target
        return function

    def hook(self, name: str) -> Callable[..., Any] | None:
        """Returns a declared hook of the function form, or what a class's parents declared (`dataset`, `lifespan`)."""
        found = (one._hooks.get(name) for one in (self, *self.ancestors))
        return next((hook for hook in found if hook is not None), None)

    @property
    def dataset_source(self) -> Any:
        """What `dataset=` gave or `.dataset` declared, here or on a parent; `UNSET` to look beside the file."""
        found = (one._hooks.get("dataset", one._dataset) for one in (self, *self.ancestors))
        return next((source for source in found if source is not UNSET), UNSET)

    # Declaring

    def declare_hook(self, name: str, function: F) -> F:
        """Declares a hook and returns it unchanged.

        Raises:
            DeclarationError: it cannot be called as it will be, or there is another.
        """
        if self.is_class and name in HOOKS:
            raise DeclarationError(f"{self.name} is a class: write {name}(self) as a method of it")
        if not callable(function):
            raise DeclarationError(f"{self.name}: {name} is {function!r}, which is not a function")
        check_arguments(function, name, *(HOOKS | RUN_HOOKS)[name])
        known = self._hooks.get(name)
        if known is not None and not is_again(known, function):
            raise DeclarationError(f"{self.name}: {name} is declared twice, at {where(known)} and {where(function)}")
        if name == "dataset" and self._dataset is not UNSET:
            raise DeclarationError(f"{self.name}: both dataset= and a dataset function are given: keep one")
        if name in HOOKS:
            instrument(function)
        self._hooks[name] = function
        return function

    def add_criterion(self, criterion: Criterion, *, first: bool = False) -> None:
        """Declares a criterion, after the others or as the first.

        Raises:
            DeclarationError: there is one of that name.
        """
        for place, known in enumerate(self._own_criteria):
            if known.name == criterion.name:
                if known.evaluator is None or not is_again(known.evaluator, criterion.evaluator):
                    raise DeclarationError(f"{self.name}: criterion {criterion.name!r} is declared twice: rename one")
                self._own_criteria[place] = criterion
                return
        self._own_criteria.insert(0 if first else len(self._own_criteria), criterion)


def make_criterion(name: Any, instructions: Any = None, **options: Any) -> Criterion:
    """Returns a criterion whose evaluator is one of the kinds.

    Raises:
        DeclarationError: an argument has no meaning.
        EvaluatorConfigError: the evaluator is none of the kinds.
    """
    criterion = Criterion(name=name, instructions=instructions, **options)
    if criterion.evaluator is not None:
        if criterion.evaluator is False or criterion.evaluator == "none":
            raise DeclarationError(f"criterion {name!r}: evaluator is {criterion.evaluator!r}: leave the criterion out")
        check_kind(criterion.evaluator)
        _instrument_function(criterion.evaluator)
    if criterion.when is not None:
        check_arguments(criterion.when, f"when of criterion {name!r}", "case")
        if is_async(criterion.when):
            raise DeclarationError(f"criterion {name!r}: when is asynchronous: give a plain function of the case")
    return criterion


def declare_adapter(adapters: Adapters, kind: Any, function: Any) -> None:
    """Adds how objects of `kind` become evidence.

    Raises:
        DeclarationError: it is not a class and a function, or the class has an adapter.
    """
    if not isinstance(kind, type):
        raise DeclarationError(f"@adapt takes the class of the objects to convert, not {kind!r}")
    if not callable(function):
        raise DeclarationError(f"@adapt({kind.__name__}) decorates a function of the object, not {function!r}")
    check_arguments(function, f"the adapter of {kind.__name__}", kind.__name__.lower())
    known = adapters.get(kind)
    if known is not None and not is_again(known, function):
        raise DeclarationError(
            f"@adapt({kind.__name__}) is declared twice, at {where(known)} and {where(function)}: keep one, or declare "
            "it for one evaluation, as in @support.adapt"
        )
    adapters[kind] = function


def _instrument_function(evaluator: Any) -> None:
    """Has the asserts of a function that grades explained, wherever it is written."""
    if not isinstance(evaluator, str) and kind_of(evaluator) is None and callable(evaluator):
        instrument(evaluator)


def _gives_cases(source: Any) -> bool:
    return source is UNSET or callable(source) or isinstance(source, Path) or hasattr(source, "__iter__")


def _static(owner: type, name: str) -> object:
    """Returns the attribute as it stands in the class body, so that a static method is seen as one."""
    return next((vars(base)[name] for base in owner.__mro__ if name in vars(base)), None)
