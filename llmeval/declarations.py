"""The decorators over the default registry."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from llmeval.evaluations import Evaluation
from llmeval.project import project_at
from llmeval.registry import Registry, criterion

__all__ = ["adapt", "criterion", "default_registry", "evaluation", "get"]

default_registry: Final = Registry()
"""The registry that `llmeval run` reads."""

evaluation = default_registry.evaluation
adapt = default_registry.adapt


def get(name: str) -> Evaluation:
    """Returns the evaluation of that name; one that is not declared yet is looked for in the project.

    Raises:
        SelectionError: there is none; the message suggests near names.
        DiscoveryError: its file cannot be imported.
    """
    if name in default_registry:
        return default_registry.get(name)
    from llmeval.discovery import named  # only for what is not declared in this process

    return named(name, project_at(Path.cwd()), default_registry)
