"""An evaluation: an application to run, and how to check and grade what it returns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from llmeval.assertions import instrument
from llmeval.attempts import Attempt
from llmeval.blueprints import Blueprint, declare_adapter, make_criterion
from llmeval.callables import module_code
from llmeval.errors import DeclarationError
from llmeval.options import RUN_OPTIONS, merged

if TYPE_CHECKING:
    from llmeval.cases import Case
    from llmeval.criteria import Criterion
    from llmeval.options import Options
    from llmeval.report import Report
    from llmeval.trials import Trial

__all__ = ["Evaluation"]

F = TypeVar("F", bound=Callable[..., Any])


class Evaluation(Blueprint):
    """A function or class that runs the application once per case, with its criteria, hooks and adapters.

    It is made by `@evaluation`, and callable like what it wraps.

    Raises:
        DeclarationError: what is declared cannot be run; the message names the place.
    """

    __name__: str
    __qualname__: str

    def __init__(self, target: Any, **options: Any) -> None:
        super().__init__(target, **options)
        for attribute in ("__module__", "__qualname__", "__name__", "__doc__"):
            setattr(self, attribute, getattr(target, attribute, None))
        self.module_code = module_code(self.__module__)

    def __repr__(self) -> str:
        return f"<Evaluation {self.name!r}>"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.target(*args, **kwargs)

    def __mro_entries__(self, bases: tuple[Any, ...]) -> tuple[type, ...]:
        if not self.is_class:
            raise DeclarationError(f"{self.name} is a function: only an evaluation in class form can be inherited")
        return (self.target,)

    @property
    def criteria(self) -> tuple[Criterion, ...]:
        """What trials are graded by: the declared criteria, else a Judge's questions, else correctness, if anything."""
        from llmeval.grading import effective_criteria  # it knows this class

        return effective_criteria(self.declared_criteria, self.evaluator, root=self.project.root)

    def setup(self, function: F) -> F:
        """Declares what runs before `perform`, in the trial's thread; it takes the Attempt."""
        return self.declare_hook("setup", function)

    def assertions(self, function: F) -> F:
        """Declares the assertions; they run after `perform` and take the Attempt."""
        return self.declare_hook("assertions", function)

    def teardown(self, function: F) -> F:
        """Declares what runs at a trial's end whatever failed; it takes the Attempt."""
        return self.declare_hook("teardown", function)

    def dataset(self, function: F) -> F:
        """Declares a function that returns the cases; it is called once per run."""
        return self.declare_hook("dataset", function)

    def lifespan(self, function: F) -> F:
        """Declares a context manager (or a generator function) around a whole run; its value is `attempt.lifespan`."""
        return self.declare_hook("lifespan", function)

    def adapt(self, kind: type) -> Callable[[F], F]:
        """Declares how objects of `kind` become evidence in this evaluation.

        Raises:
            DeclarationError: it is not a class and a function, or the class has an adapter here.
        """
        if not isinstance(kind, type):
            raise DeclarationError(f"@adapt takes the class of the objects to convert, not {kind!r}")

        def declare(function: F) -> F:
            declare_adapter(self._own_adapters, kind, function)
            return function

        return declare

    def criterion(
        self,
        name: str,
        instructions: str | None = None,
        *,
        minimum: float | None = None,
        when: Callable[[Case], object] | None = None,
    ) -> Callable[[F], F]:
        """Declares a code criterion: a function of the attempt, or of the attempt and the criterion.

        It takes what `@criterion` takes, but for the evaluator, which is the function.

        Raises:
            DeclarationError: the name is blank or taken, or the function cannot be called so.
        """
        if not isinstance(name, str):
            raise DeclarationError(f"{self.name}: its criterion decorator needs a name, as in .criterion('short')")

        def declare(function: F) -> F:
            instrument(function)
            self.add_criterion(make_criterion(name, instructions, evaluator=function, minimum=minimum, when=when))
            return function

        return declare

    def new_attempt(self) -> Attempt:
        """Returns a fresh attempt: of the class in class form, made without arguments."""
        attempt: Attempt = self._attempt_class() if self.is_class else Attempt()
        return attempt

    def cases(self, dataset: Any = None, only: str | Iterable[str] | None = None) -> list[Case]:
        """Returns the cases that a run would take, in dataset order; nothing runs and no request is made.

        Raises:
            ConfigurationError: the dataset is wrong, or `only` selects nothing.
        """
        from llmeval.selection import select, sourced  # they know this class

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
        from llmeval.runner import run  # declaring an evaluation imports no runner

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
        from llmeval.runner import arun  # as above

        given = {key: value for key, value in locals().items() if key in RUN_OPTIONS}
        return await arun(self, merged(options, given))
