"""What reviewers and judges share: a model, a session to ask it in, and the checks before the first trial."""

from __future__ import annotations

import copy
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

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

    The evaluators of a run may share a session, by `bound`: each server's client is then made once. An evaluator
    without one makes a session of its own for each event loop. `aclose` ends either.
    """

    def __init__(self) -> None:
        self._session: Session | None = None
        self._own: dict[object, Session] = {}

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
        fresh._session, fresh._own = session, {}
        return fresh

    def find_limit(self) -> None:
        """As `Evaluator.find_limit`."""
        if self._session is not None:
            self._session.adaptive = True

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
        session = self._session or self._session_of_loop()
        if "note" in vars(self):  # a run has set it
            session.note = self.note
        return session

    async def aclose(self) -> None:
        """Closes the clients of its session."""
        import asyncio  # as below

        own = self._own.pop(asyncio.get_running_loop(), None)
        for session in (own, self._session):
            if session is not None:
                await session.aclose()

    def _session_of_loop(self) -> Session:
        import asyncio  # declaring an evaluator must not load it

        from llmeval.providers.session import Session

        loop = asyncio.get_running_loop()
        if loop not in self._own:
            self._own[loop] = Session()
        return self._own[loop]

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
