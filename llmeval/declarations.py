"""The decorators over the default registry."""

from __future__ import annotations

from typing import Final

from llmeval.registry import Registry, criterion

__all__ = ["adapt", "criterion", "default_registry", "evaluation", "get"]

default_registry: Final = Registry()
"""The registry that `llmeval run` reads."""

evaluation = default_registry.evaluation
adapt = default_registry.adapt
get = default_registry.get
