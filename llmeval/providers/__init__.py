"""Where the models of reviewers and judges are hosted; a file per protocol, imported when a model of it is asked."""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from llmeval.providers.base import Provider
    from llmeval.providers.model import Model
    from llmeval.providers.session import Session

__all__ = ["Model", "Provider", "Session"]

_HOMES: Final = {"Model": "model", "Provider": "base", "Session": "session"}


def __getattr__(name: str) -> Any:
    """Imports a name when it is first used, since declaring a Model needs no session."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
