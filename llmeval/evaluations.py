"""An evaluation: an application to run, and how to check and grade what it returns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from llmeval.assertions import instrument
from llmeval.attempts import Attempt, attempt_class
from llmeval.callables import takes_attempt, where, wrapped
from llmeval.criteria import Criterion
from llmeval.errors import DeclarationError
from llmeval.evaluators import check_kind
from llmeval.naming import file_of, full_name
from llmeval.options import RUN_OPTIONS, merged
from llmeval.project import Project, project_at

if TYPE_CHECKING:
    from llmeval.cases import Case
    from llmeval.options import Options
    from llmeval.report import Report
    from llmeval.trials import Trial

__all__ = ["PENDING", "UNSET", "Evaluation", "Unset", "check_adapter", "make_criterion"]

F = TypeVar("F", bound=Callable[..., Any])


class Unset:
    """The type of `UNSET`, which stands for an option that was not given."""

    def __repr__(self) -> str:
        return "<unset>"

    def __bool__(self) -> bool:
        return False


UNSET: Final = Unset()

PENDING: Final = "__llmeval_criteria__"
"""Where `@criterion` leaves its criteria on a function or class until `@evaluation` comes."""

OWNER: Final = "__llmeval_evaluation__"
"""Where a decorated class keeps its evaluation, so that a child finds it."""

HOOKS: Final = ("setup", "assertions", "teardown")


class Evaluation:
    """A function or class that runs the application once per case, with its criteria, hooks and adapters.

    It is made by `@evaluation`, and callable like what it wraps. `tags`, `timeout` (seconds) and `require` (a text such
    as `2/3`) are what the declaration said.

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
        adapters: Mapping[type, Callable[[Any], Any]] | None = None,
    ) -> None:
        self.target = target
        self.is_class = isinstance(target, type)
        self.file = file_of(target)
        self.project: Project = project_at(self.file.parent if self.file else Path.cwd())
        self.name = full_name(name, target, self.file, self.project)
        self.tags = (tags,) if isinstance(tags, str) else tuple(tags)
        self.timeout = timeout
        self.require = require
        self._evaluator = evaluator
        self._dataset = dataset
        self._global_adapters = {} if adapters is None else adapters
        self._own_adapters: dict[type, Callable[[Any], Any]] = {}
        self._hooks: dict[str, Callable[..., Any]] = {}
        self._own_criteria: list[Criterion] = []
        for attribute in ("__module__", "__qualname__", "__name__", "__doc__"):
            setattr(self, attribute, getattr(target, attribute, None))
        if evaluator is not UNSET:
            check_kind(evaluator)
        if timeout is not None and (isinstance(timeout, bool) or not isinstance(timeout, (int, float)) or timeout <= 0):
            raise DeclarationError(f"{self.name}: timeout is {timeout!r}: give seconds above 0")
        self._prepare()
        pending = vars(target).get(PENDING, ()) if hasattr(target, "__dict__") else ()
        for criterion in pending:
            self._add(criterion, first=False)

    def _prepare(self) -> None:
        if not self.is_class:
            if not callable(self.target):
                raise DeclarationError(f"@evaluation decorates a function or a class, not {self.target!r}")
            self.gives_attempt = takes_attempt(self.target)
            instrument(self.target)
            return
        perform = getattr(self.target, "perform", None)
        if not callable(perform):
            raise DeclarationError(f"{where(self.target)}: an evaluation needs a method perform(self, input)")
        self.gives_attempt = takes_attempt(perform, bound=not isinstance(_static(self.target, "perform"), staticmethod))
        self._attempt_class = attempt_class(self.target)
        for member in list(vars(self.target).values()):
            if hasattr(wrapped(getattr(member, "__func__", member)), "__code__"):
                instrument(getattr(member, "__func__", member))
        setattr(self.target, OWNER, self)

    def __repr__(self) -> str:
        return f"<Evaluation {self.name!r}>"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.target(*args, **kwargs)

    def __mro_entries__(self, bases: tuple[Any, ...]) -> tuple[type, ...]:
        if not self.is_class:
            raise DeclarationError(f"{self.name} is a function: only an evaluation in class form can be inherited")
        return (self.target,)

    # What was declared, inherited parts included

    @property
    def parent(self) -> Evaluation | None:
        """The evaluation of the nearest decorated base class."""
        if not self.is_class:
            return None
        bases = self.target.__mro__[1:]
        return next((vars(base)[OWNER] for base in bases if OWNER in vars(base)), None)

    @property
    def declared_criteria(self) -> tuple[Criterion, ...]:
        """The criteria that were declared here or on a parent; a child's replaces its parent's of the same name."""
        inherited = () if self.parent is None else self.parent.declared_criteria
        own = {criterion.name: criterion for criterion in self._own_criteria}
        kept = [own.pop(criterion.name, criterion) for criterion in inherited]
        return (*kept, *own.values())

    @property
    def criteria(self) -> tuple[Criterion, ...]:
        """What trials are graded by: the declared criteria, else a Judge's questions, else correctness, if anything."""
        from llmeval.grading import effective_criteria

        return effective_criteria(self.declared_criteria, self.evaluator)

    @property
    def evaluator(self) -> Any:
        """What `evaluator=` said here or on a parent; `UNSET` leaves it to the configured default."""
        if self._evaluator is UNSET and self.parent is not None:
            return self.parent.evaluator
        return self._evaluator

    @property
    def adapters(self) -> tuple[Mapping[type, Callable[[Any], Any]], ...]:
        """The adapters to try, in order: its own, its parents', then the registry's."""
        inherited = (self._global_adapters,) if self.parent is None else self.parent.adapters
        return (self._own_adapters, *inherited)

    @property
    def target_function(self) -> Callable[..., Any]:
        """What performs: the function, or the class's `perform`."""
        function: Callable[..., Any] = self.target.perform if self.is_class else self.target
        return function

    def hook(self, name: str) -> Callable[..., Any] | None:
        """Returns a declared hook of the function form, or what a class's parents declared (`dataset`, `lifespan`)."""
        found = self._hooks.get(name)
        return self.parent.hook(name) if found is None and self.parent is not None else found

    @property
    def dataset_source(self) -> Any:
        """What `dataset=` gave or `.dataset` declared, here or on a parent; `UNSET` to look beside the file."""
        found = self._hooks.get("dataset", self._dataset)
        return self.parent.dataset_source if found is UNSET and self.parent is not None else found

    # Declaring

    def setup(self, function: F) -> F:
        """Declares what runs before `perform`, in the trial's thread; it takes the Attempt."""
        return self._declare("setup", function)

    def assertions(self, function: F) -> F:
        """Declares the assertions; they run after `perform` and take the Attempt."""
        return self._declare("assertions", function)

    def teardown(self, function: F) -> F:
        """Declares what runs at a trial's end whatever failed; it takes the Attempt."""
        return self._declare("teardown", function)

    def dataset(self, function: F) -> F:
        """Declares a function that returns the cases; it is called once per run."""
        if self._dataset is not UNSET:
            raise DeclarationError(f"{self.name}: dataset= and @{self.__name__}.dataset are both given: keep one")
        return self._declare("dataset", function)

    def lifespan(self, function: F) -> F:
        """Declares a context manager (or a generator function) around a whole run; its value is `attempt.lifespan`."""
        return self._declare("lifespan", function)

    def adapt(self, kind: type) -> Callable[[F], F]:
        """Declares how objects of `kind` become evidence in this evaluation."""

        def declare(function: F) -> F:
            check_adapter(kind, function)
            self._own_adapters[kind] = function
            return function

        return declare

    def criterion(self, name: str, instructions: str | None = None, **options: Any) -> Callable[[F], F]:
        """Declares a code criterion: a function of the attempt, or of the attempt and the criterion.

        It takes what `@criterion` takes, but for the evaluator, which is the function.
        """

        def declare(function: F) -> F:
            instrument(function)
            self._add(make_criterion(name, instructions, evaluator=function, **options), first=False)
            return function

        if callable(name):
            raise DeclarationError(
                f"@{self.__name__}.criterion needs a name, as in @{self.__name__}.criterion('short')"
            )
        return declare

    def _declare(self, name: str, function: F) -> F:
        if self.is_class and name in HOOKS:
            raise DeclarationError(f"{self.name} is a class: write {name}(self) as a method of it")
        if not callable(function):
            raise DeclarationError(f"{self.name}: {name} is {function!r}, which is not a function")
        known = self._hooks.get(name)
        if known is not None and where(known) != where(function):
            raise DeclarationError(f"{self.name}: {name} is declared twice, at {where(known)} and {where(function)}")
        if name in HOOKS:
            instrument(function)
        self._hooks[name] = function
        return function

    def _add(self, criterion: Criterion, *, first: bool) -> None:
        if any(known.name == criterion.name for known in self._own_criteria):
            raise DeclarationError(f"{self.name}: criterion {criterion.name!r} is declared twice: rename one")
        self._own_criteria.insert(0 if first else len(self._own_criteria), criterion)

    # Running

    def new_attempt(self) -> Attempt:
        """Returns a fresh attempt: of the class in class form, made without arguments."""
        return self._attempt_class() if self.is_class else Attempt()  # type: ignore[no-any-return]

    def cases(self, dataset: Any = None, only: str | Iterable[str] | None = None) -> list[Case]:
        """Returns the cases that a run would take, in dataset order; nothing runs and no request is made.

        Raises:
            ConfigurationError: the dataset is wrong, or `only` selects nothing.
        """
        from llmeval.selection import select, sourced

        return list(select(sourced(self, dataset).cases, only=only))

    def run(
        self,
        dataset: Any = None,
        only: str | Iterable[str] | None = None,
        repetitions: int = 1,
        id: str | None = None,
        on_trial: Callable[[Trial], object] | None = None,
        concurrency: int | str = 1,
        timeout: float | None = None,
        evaluator: Any = None,
        params: Mapping[str, Any] | None = None,
        journal: str | Path | None = None,
        options: Options | None = None,
    ) -> Report:
        """Runs the selected cases and returns the report; no file is written unless `journal` is given.

        In a thread where an event loop is running, the run has a loop of its own in a thread of its own: for clients
        that belong to the running loop, use `await evaluation.arun()`.

        Raises:
            ConfigurationError: before the first trial.
            Exception: whatever `on_trial` or a subscriber raised; the run stops.
        """
        from llmeval.runner import run

        given = {key: value for key, value in locals().items() if key in RUN_OPTIONS}
        return run(self, merged(options, given))

    async def arun(
        self,
        dataset: Any = None,
        only: str | Iterable[str] | None = None,
        repetitions: int = 1,
        id: str | None = None,
        on_trial: Callable[[Trial], object] | None = None,
        concurrency: int | str = 1,
        timeout: float | None = None,
        evaluator: Any = None,
        params: Mapping[str, Any] | None = None,
        journal: str | Path | None = None,
        options: Options | None = None,
    ) -> Report:
        """Does what `run` does, on the running event loop."""
        from llmeval.runner import arun

        given = {key: value for key, value in locals().items() if key in RUN_OPTIONS}
        return await arun(self, merged(options, given))


def make_criterion(name: Any, instructions: Any, **options: Any) -> Criterion:
    """Returns a criterion whose evaluator is one of the kinds.

    Raises:
        DeclarationError: it is not.
    """
    criterion = Criterion(name=name, instructions=instructions, **options)
    if criterion.evaluator is False:
        raise DeclarationError(f"criterion {name!r}: evaluator is False: leave the criterion out instead")
    if criterion.evaluator is not None:
        check_kind(criterion.evaluator)
    return criterion


def check_adapter(kind: object, function: object) -> None:
    """Refuses an adapter without a class or a function.

    Raises:
        DeclarationError: with what was given.
    """
    if not isinstance(kind, type):
        raise DeclarationError(f"@adapt takes the class of the objects to convert, not {kind!r}")
    if not callable(function):
        raise DeclarationError(f"@adapt({kind.__name__}) decorates a function of the object, not {function!r}")


def _static(owner: type, name: str) -> object:
    """Returns the attribute as it stands in the class body, so that a static method is seen as one."""
    return next((vars(base)[name] for base in owner.__mro__ if name in vars(base)), None)
