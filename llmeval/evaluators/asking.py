"""What reviewers and judges share: a model, a session to ask it in, and the checks before the first trial."""

from __future__ import annotations

import copy
import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Final

from llmeval.criteria import Criterion
from llmeval.errors import EvaluatorConfigError
from llmeval.evaluators.base import Evaluator
from llmeval.jsonable import Json
from llmeval.providers.model import Model

if TYPE_CHECKING:
    from typing import Self

    from llmeval.providers.session import Session

__all__ = ["ModelEvaluator", "as_model", "check_key"]

_KEYS: Final[Mapping[str, tuple[str, ...]]] = {
    "openai": ("OPENAI_API_KEY",),
    "anthropic": (
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_AUTH_TOKEN",
        "ANTHROPIC_PROFILE",
        "ANTHROPIC_IDENTITY_TOKEN",
        "ANTHROPIC_IDENTITY_TOKEN_FILE",
        "ANTHROPIC_CONFIG_DIR",
    ),
}
"""Where each SDK finds a key; any of them will do."""


class ModelEvaluator(Evaluator):
    """Grades by asking a model.

    `note` is called with a line that the person at the terminal should know. A run gives each evaluator its session by
    `bound`; one that is not bound makes a session of its own, which `aclose` ends.
    """

    note: ClassVar[Callable[[str], None]] = staticmethod(lambda message: None)
    session: Session | None = None
    _own: Session | None = None

    @property
    def model_used(self) -> Model:
        """The model.

        Raises:
            EvaluatorConfigError: there is none.
        """
        raise NotImplementedError

    def bound(self, session: Session | None = None) -> Self:
        """Returns a copy for one run, which asks in `session`."""
        fresh = copy.copy(self)
        fresh.session, fresh._own = session, None
        return fresh

    def describe(self) -> str:
        """Returns the model's name."""
        return self.model_used.describe()

    def check(self, criteria: Sequence[Criterion]) -> None:
        """Refuses criteria that it cannot grade, and a model without a key.

        Raises:
            EvaluatorConfigError: before the first trial, with the cure.
        """
        super().check(criteria)
        check_key(self.model_used)

    def asking(self) -> Session:
        """Returns the session to ask in."""
        if self.session is not None:
            return self.session
        if self._own is None:
            from llmeval.providers.session import Session  # only when a request is about to be made

            self._own = Session(note=self.note)
        return self._own

    async def aclose(self) -> None:
        """Closes the clients of a session of its own."""
        if self._own is not None:
            own, self._own = self._own, None
            await own.aclose()

    def identity(self) -> Mapping[str, Json]:
        """Returns the kind, the model and its settings."""
        return {"kind": self.kind, **self.model_used.identity()}


def as_model(value: Any, owner: str) -> Model:
    """Returns a model as it was written: a `Model` or `"provider:name"`.

    Raises:
        EvaluatorConfigError: it is neither, or missing.
    """
    if isinstance(value, Model):
        return value
    if value is None:
        raise EvaluatorConfigError(f'{owner} has no model: give one, as in model="openai:gpt-6-luna"')
    return Model(value)


def check_key(model: Model) -> None:
    """Refuses a model whose key is nowhere to be found; makes no request and imports no SDK.

    Raises:
        EvaluatorConfigError: with the cure.
    """
    if model.client is not None or model.api_key or (model.provider == "openai" and model.base_url is not None):
        return
    names = _KEYS.get(model.provider, ())
    if not names or any(os.environ.get(name) for name in names):
        return
    if model.provider == "anthropic" and _profile():
        return
    raise EvaluatorConfigError(
        f"{model.describe()} needs a key: set {names[0]}, or pass Model({model.spec!r}, api_key=…); "
        '--no-grading runs assertions only, and evaluator="local" compares without a model'
    )


def _profile() -> bool:
    from pathlib import Path  # a profile that Anthropic's own tool has written down

    return (Path.home() / ".config" / "anthropic").is_dir()
