"""Judge: questions of one's own that are answered by probabilities, choices and scores."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from llmeval.criteria import CORRECTNESS, Criterion
from llmeval.errors import DeclarationError, EvaluatorConfigError
from llmeval.evaluators import prompt
from llmeval.evaluators.asking import ModelEvaluator, as_model
from llmeval.evaluators.base import Grades, RequestCount, Subject
from llmeval.evaluators.judgement import Judgement, Standalone
from llmeval.evaluators.questions import Asked, Question, choice, probability, score
from llmeval.jsonable import Json
from llmeval.providers.model import Model
from llmeval.results import Result

if TYPE_CHECKING:
    from llmeval.attachments import Attachment

__all__ = ["Judge", "choice", "probability", "score"]


class Judge(ModelEvaluator):
    """Answers questions about a trial, all of them in one request.

    A subclass declares its questions as class attributes, with `probability`, `choice` and `score`, and a `model`; it
    inherits those of its bases. They become criteria; a criterion without a question becomes a probability question.

    On OpenAI's Decisions the probabilities are the model's own (`method` is `native`). Any other model is asked to
    state them (`stated`), or, with `Model(protocol="chat", logprobs=True)`, they are those of the token that answers
    (`logprobs`).
    """

    kind = "judge"
    measures = True
    needs_instructions = False
    model: Model | str | None = None
    questions: ClassVar[Mapping[str, Question]] = {}
    _no_logprobs = False

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        found = dict(cls.questions)
        for name, value in vars(cls).items():
            if isinstance(value, Question):
                if hasattr(Judge, name):
                    raise DeclarationError(f"{cls.__name__}.{name}: a Judge has a {name} of its own: name it otherwise")
                found[name] = value
            elif name in found:  # a subclass takes a question back with `name = None`
                del found[name]
        cls.questions = found
        # A question of that name is asked in its own words, and not as the comparison with a reference.
        cls.needs_reference = CORRECTNESS not in found

    def __init__(self, model: Model | str | None = None) -> None:
        super().__init__()
        name = type(self).__name__
        self.model = self.model if model is None else model
        if self.model is not None:
            self.model = as_model(self.model, name)
        if type(self) is not Judge and not self.questions:
            raise EvaluatorConfigError(
                f"{name} asks nothing: give it a question, as in correct = probability('Is the answer correct?')"
            )

    judge = Standalone("ajudge")
    """`judge(data, attempt=None) -> Judgement`: answers the questions about `data`, on the class or an instance."""

    @property
    def model_used(self) -> Model:
        """The model that answers.

        Raises:
            EvaluatorConfigError: none was given.
        """
        return as_model(self.model, type(self).__name__)

    def describe(self) -> str:
        """Returns the class's name, when it is a subclass, and the model."""
        model = self.model_used.describe()
        return model if type(self) is Judge else f"{type(self).__name__} on {model}"

    def identity(self) -> Mapping[str, Json]:
        """Returns the model and its settings, the prompt's version and the questions."""
        asked = {name: question.identity() for name, question in self.questions.items()}
        return {**super().identity(), **prompt.identity(None)} | ({"questions": asked} if asked else {})

    def asks(self, criterion: Criterion) -> Mapping[str, Json]:
        """Returns the kind of its answer, and the question's words where the Judge has them."""
        question = self.questions.get(criterion.name)
        return {"kind": "probability"} if question is None else {"kind": question.kind, "question": question.identity()}

    def own_criteria(self) -> Sequence[Criterion]:
        """Returns a criterion for each of its questions."""
        return [Criterion(name=name) for name in self.questions]

    def requests(self, criteria: Sequence[Criterion]) -> RequestCount:
        """Returns one request for all questions."""
        return RequestCount(requests=1)

    def check(self, criteria: Sequence[Criterion]) -> None:
        """Refuses criteria that contradict its questions, and pass marks that no answer can have.

        Raises:
            EvaluatorConfigError: before the first trial, with the cure.
        """
        for criterion in criteria:
            self._check_one(criterion)
        super().check(criteria)

    def _check_one(self, criterion: Criterion) -> None:
        name, owner = criterion.name, self.describe()
        question = self.questions.get(name)
        if question is None and criterion.instructions is None and not criterion.compares:
            near = ", ".join(self.questions) or "no questions of its own"
            raise EvaluatorConfigError(
                f"criterion {name!r} has no instructions, and {owner} has no question of that name (it has {near}): "
                f"say what to look for, as in @criterion({name!r}, 'The answer …')"
            )
        if question is not None and criterion.instructions is not None:
            raise EvaluatorConfigError(
                f"criterion {name!r} has instructions, but {owner} asks a question of that name: leave the "
                "instructions out, or name the criterion otherwise"
            )
        if criterion.minimum is None or question is None:
            highest: float | None = 1
        elif question.kind == "choice":
            raise EvaluatorConfigError(
                f"criterion {name!r}: minimum={criterion.minimum} has no meaning for a choice: remove it, or ask for a "
                "probability or a score"
            )
        else:
            highest = question.highest()
        if criterion.minimum is not None and (criterion.minimum < 0 or criterion.minimum > (highest or float("inf"))):
            raise EvaluatorConfigError(
                f"criterion {name!r}: minimum={criterion.minimum} is outside the scale of its answers, which is from 0 "
                f"to {highest if highest is not None else 'the number of its last level'}"
            )

    def evaluate(self, subject: Subject, criteria: Sequence[Criterion]) -> Awaitable[Grades]:
        """Returns an awaitable of a result for each criterion.

        Raises:
            EvaluatorError: the trial cannot be shown to a model, or a question that is a function failed to give one.
        """
        order = prompt.in_order(criteria, subject)
        asked = {one.name: self._question(one).resolve(subject.attempt) for one in order}
        return self._grade(asked, prompt.trial_parts(subject), criteria)

    async def ajudge(self, data: Any, attempt: Any = None) -> Judgement:
        """Returns the answers to its questions about `data`, by attribute and by item.

        Questions that are functions get `attempt`, or `data` without one.

        Raises:
            EvaluatorConfigError: it has no questions, or no model or key.
            EvidenceError: `data` cannot be shown to a model.
            EvaluatorError: the request failed; a single question without an answer raises when it is read.
        """
        from llmeval.adapters import snapshot  # standalone use only: a run makes the snapshot itself

        own = self.bound()
        if not self.questions:
            raise EvaluatorConfigError(f"{self.describe()} has no questions: declare some in a subclass of Judge")
        own.check(self.own_criteria())
        evidence = snapshot(data)
        asked = {name: one.resolve(data if attempt is None else attempt) for name, one in self.questions.items()}
        parts: tuple[str | Attachment, ...] = (
            prompt.block({"evidence": evidence.to_json()}),
            *prompt.attached(evidence),
        )
        try:
            grades = await own._grade(asked, parts, self.own_criteria())
        finally:
            await own.aclose()
        return Judgement(grades.results, grades.usage)

    async def _grade(
        self, asked: Mapping[str, Asked], parts: tuple[str | Attachment, ...], criteria: Sequence[Criterion]
    ) -> Grades:
        from llmeval.evaluators.judging import Judging  # not for a mere declaration

        judging = Judging(self.asking(), self.model_used, asked, parts, logprobs=not self._no_logprobs)
        results: dict[str, Result] = await judging.results({one.name: one.minimum for one in criteria})
        self._no_logprobs = self._no_logprobs or judging.without_logprobs
        return Grades(results=[results[one.name] for one in criteria], usage=judging.usage)

    def _question(self, criterion: Criterion) -> Question:
        question = self.questions.get(criterion.name)
        if question is not None:
            return question
        text = prompt.COMPARISON if criterion.instructions is None else criterion.instructions
        return Question(kind="probability", text=f"Is this so? {text}")
