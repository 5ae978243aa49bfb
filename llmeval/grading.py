"""Who grades what in a run: criteria, grouped by their evaluators."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol, runtime_checkable

from llmeval.criteria import CORRECTNESS, Criterion
from llmeval.errors import EvaluatorConfigError
from llmeval.evaluations import Evaluation
from llmeval.evaluators import check_kind, evaluator_for, is_off, kind_of, loaded
from llmeval.jsonable import digest
from llmeval.options import UNSET

if TYPE_CHECKING:
    from llmeval.cases import Case
    from llmeval.evaluators.base import Evaluator

__all__ = ["DEFAULT_MODELS", "Grading", "Group", "applies", "default_evaluator", "effective_criteria", "grading_of"]

DEFAULT_MODELS: Final = {"ANTHROPIC_API_KEY": "anthropic:claude-sonnet-5-5", "OPENAI_API_KEY": "openai:gpt-6-luna"}
"""The model that grades when only a provider's key is set, in order of preference."""


@runtime_checkable
class Asks(Protocol):
    """An evaluator that asks a model: those of one run share a session, and with it each server's client."""

    def bound(self, session: Any) -> Evaluator:
        """Returns a copy for one run."""


@dataclass(frozen=True, kw_only=True)
class Group:
    """One evaluator and the criteria that it is asked for together; `key` names it in a report's definitions."""

    key: str
    evaluator: Evaluator
    criteria: tuple[Criterion, ...]


@dataclass(frozen=True, kw_only=True)
class Grading:
    """How a run grades: the criteria in order, and the groups. Without groups the criteria stay unassessed."""

    criteria: tuple[Criterion, ...]
    groups: tuple[Group, ...]
    notes: tuple[str, ...] = ()

    @property
    def evaluators(self) -> tuple[Evaluator, ...]:
        """The evaluators, each once."""
        return tuple({id(group.evaluator): group.evaluator for group in self.groups}.values())

    def applicable(self, case: Case) -> tuple[tuple[Group, ...], tuple[str, ...]]:
        """Returns the groups for `case`, less the criteria that do not apply to it, and the names of those.

        Raises:
            EvaluatorConfigError: a `when` raised.
        """
        if all(criterion.when is None for criterion in self.criteria):
            return self.groups, ()
        absent = {criterion.name for criterion in self.criteria if not applies(criterion, case)}
        if not absent:
            return self.groups, ()
        kept = (
            replace(group, criteria=tuple(c for c in group.criteria if c.name not in absent)) for group in self.groups
        )
        return tuple(group for group in kept if group.criteria), tuple(sorted(absent))

    def definitions(self) -> dict[str, Any]:
        """Returns the criteria and evaluators as JSON, each with its fingerprint."""
        groups = {criterion.name: group for group in self.groups for criterion in group.criteria}
        evaluators = {group.key: dict(group.evaluator.identity()) for group in self.groups}
        for identity in evaluators.values():
            identity["fingerprint"] = digest(identity)
        return {
            "criteria": [_definition(criterion, groups.get(criterion.name)) for criterion in self.criteria],
            "evaluators": evaluators,
        }


def effective_criteria(
    declared: Sequence[Criterion], spec: Any, evaluator: Evaluator | None = None, root: Path | None = None
) -> tuple[Criterion, ...]:
    """Returns what is graded: the declared criteria, a Judge's questions, or the implicit correctness.

    `evaluator` is the one that `spec` stands for, where it is at hand; otherwise a Judge is made, for its questions.

    Raises:
        EvaluatorConfigError: a declared criterion gives instructions to a question that the Judge defines.
    """
    if evaluator is None:
        spec = loaded(spec, root)
        evaluator = evaluator_for(spec) if _brings_criteria(spec) else None
    own = {} if evaluator is None else {criterion.name: criterion for criterion in evaluator.own_criteria()}
    if not declared and not own:
        return () if is_off(spec) else (Criterion(name=CORRECTNESS),)
    merged = [_question(criterion, own.pop(criterion.name, None)) for criterion in declared]
    return (*merged, *own.values())


def grading_of(evaluation: Evaluation, replacement: Any = None, graded: bool = True) -> Grading:
    """Returns how a run of `evaluation` grades; `replacement` stands in for its evaluator.

    Raises:
        EvaluatorConfigError: a criterion has no evaluator that can grade it; the message says the cure.
    """
    root = evaluation.project.root
    if replacement is not None:
        check_kind(replacement)
    spec = evaluation.evaluator if replacement is None else replacement
    declared = evaluation.declared_criteria
    if not graded:
        criteria = effective_criteria(declared, spec, root=root)
        return Grading(criteria=criteria, groups=(), notes=("criteria are not graded",))
    notes: list[str] = []
    needed = not declared or any(criterion.evaluator is None for criterion in declared)
    if needed and spec is UNSET:
        spec, note = default_evaluator(evaluation)
        notes += [note] if note else []
    spec = loaded(spec, root)
    main = evaluator_for(spec, root) if not is_off(spec) and (needed or _brings_criteria(spec)) else None
    criteria = effective_criteria(declared, spec, main)
    if main is None:
        _refuse_ungraded(criteria, evaluation)
    elif replacement is not None:
        criteria = tuple(_usable(criterion, main, notes) for criterion in criteria)
    return Grading(criteria=criteria, groups=_groups(criteria, spec, main, root), notes=tuple(notes))


def default_evaluator(evaluation: Evaluation) -> tuple[Any, str | None]:
    """Returns the configured default and a note for the person at the terminal where it was a key that decided.

    Raises:
        EvaluatorConfigError: nothing is configured, and the message lists the cures; or what is, is no evaluator.
    """
    places = {
        "LLMEVAL_EVALUATOR": os.environ.get("LLMEVAL_EVALUATOR") or None,
        "[tool.llmeval] evaluator": evaluation.project.settings.get("evaluator"),
    }
    for place, spec in places.items():
        if spec is not None:
            try:
                check_kind(spec)
            except EvaluatorConfigError as error:
                raise EvaluatorConfigError(f"{place}: {error}") from None
            return spec, None
    for key, model in DEFAULT_MODELS.items():
        if os.environ.get(key):
            return model, f"{model} grades, because {key} is set: choose with --evaluator or [tool.llmeval] evaluator"
    raise EvaluatorConfigError(
        f"{evaluation.name}: no evaluator is configured. Set ANTHROPIC_API_KEY or OPENAI_API_KEY, say --evaluator "
        "SPEC, LLMEVAL_EVALUATOR or evaluator = '…' below [tool.llmeval] in pyproject.toml ('local' compares with "
        "expected_output without a model), or run with --no-grading for assertions only"
    )


def _groups(criteria: Iterable[Criterion], spec: Any, main: Evaluator | None, root: Path) -> tuple[Group, ...]:
    """Returns a group for each evaluator; a criterion's own that equals the evaluation's is the same."""
    found: dict[object, tuple[Evaluator, list[Criterion]]] = {}
    for criterion in criteria:
        own = loaded(criterion.evaluator, root)
        key = _key(spec if own is None else own)
        if key not in found:
            is_main = main is not None and key == _key(spec)
            found[key] = (main if is_main else evaluator_for(own, root), [])  # type: ignore[assignment]
        found[key][1].append(criterion)
    groups: list[Group] = []
    session: Any = None
    for evaluator, members in found.values():
        if isinstance(evaluator, Asks):
            session = session or _session()
            evaluator = evaluator.bound(session)
        evaluator.check(members)
        name = evaluator.describe()
        taken = sum(group.key.partition(" #")[0] == name for group in groups)
        key_text = f"{name} #{taken + 1}" if taken else name
        groups.append(Group(key=key_text, evaluator=evaluator, criteria=tuple(members)))
    return tuple(groups)


def _key(spec: Any) -> object:
    """Returns what equal evaluators share: by value where they have one, else by identity."""
    try:
        hash(spec)
    except TypeError:
        return id(spec)
    return type(spec), spec


def _brings_criteria(spec: Any) -> bool:
    return not isinstance(spec, str) and kind_of(spec) in ("judge", "evaluator")


def _session() -> Any:
    from llmeval.providers.session import Session  # only for a run that asks models

    return Session()


def _refuse_ungraded(criteria: Iterable[Criterion], evaluation: Evaluation) -> None:
    left = [criterion.name for criterion in criteria if criterion.evaluator is None]
    if left:
        raise EvaluatorConfigError(
            f"{evaluation.name}: grading is off, but {', '.join(map(repr, left))} needs an evaluator: give the "
            "criterion one of its own, say --evaluator SPEC, or run with --no-grading to leave it unassessed"
        )


def _question(declared: Criterion, question: Criterion | None) -> Criterion:
    if question is None or declared.evaluator is not None:
        return declared
    if declared.instructions is not None:
        raise EvaluatorConfigError(
            f"criterion {declared.name!r} has instructions, but the Judge asks a question of that name: leave them "
            "out, or rename the criterion"
        )
    return replace(question, minimum=declared.minimum, when=declared.when)


def _usable(criterion: Criterion, replacement: Evaluator, notes: list[str]) -> Criterion:
    """Returns a criterion without the minimum that only the evaluation's own evaluator could use."""
    if criterion.minimum is None or criterion.evaluator is not None:
        return criterion
    bare = replace(criterion, minimum=None)
    if replacement.measures and (_accepts(replacement, criterion) or not _accepts(replacement, bare)):
        return criterion
    why = "answers on another scale" if replacement.measures else "gives verdicts"
    notes.append(
        f"the minimum of {criterion.minimum:g} for {criterion.name!r} is set aside: {replacement.describe()} {why}"
    )
    return bare


def _accepts(evaluator: Evaluator, criterion: Criterion) -> bool:
    try:
        evaluator.check([criterion])
    except EvaluatorConfigError:
        return False
    return True


def applies(criterion: Criterion, case: Case) -> bool:
    """Returns whether a criterion applies to a case, by its `when`.

    Raises:
        EvaluatorConfigError: `when` raised.
    """
    try:
        return criterion.when is None or bool(criterion.when(case))
    except Exception as error:  # the user's function
        raise EvaluatorConfigError(
            f"criterion {criterion.name!r}: when= raised {type(error).__name__} for case {case.name!r}: {error}"
        ) from error


def _definition(criterion: Criterion, group: Group | None) -> Mapping[str, Any]:
    asked = {} if group is None else group.evaluator.asks(criterion)
    content = {"name": criterion.name, "instructions": criterion.instructions, "minimum": criterion.minimum, **asked}
    return {**content, "evaluator": group and group.key, "fingerprint": digest(content)}
