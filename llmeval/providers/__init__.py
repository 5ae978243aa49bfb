"""Where the models of reviewers and judges are hosted; a file per protocol, imported when a model of it is asked."""

from llmeval.providers.base import Provider
from llmeval.providers.model import Model
from llmeval.providers.session import Session

__all__ = ["Model", "Provider", "Session"]
