"""What an application returned, as evidence."""

from llmeval.adapters.snapshots import snapshot

__all__ = ["snapshot"]
