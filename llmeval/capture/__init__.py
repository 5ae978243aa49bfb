"""Counts the model requests that an application makes, whatever it returns.

Inside `capturing()` (a run), each request of the OpenAI and Anthropic SDKs, and each OpenTelemetry GenAI span, is
counted by the `Recorder` of the context that makes it: `recording()` opens one. Threads and tasks that the application
starts count for the trial that started them.

Not seen: requests from other processes, over WebSockets, and in batches; and what a thread does that was started before
the trial, unless only one trial runs, which then gets it.
"""

from llmeval.capture.recorder import Recorder, recording, unrecorded
from llmeval.capture.run import capturing

__all__ = ["Recorder", "capturing", "recording", "unrecorded"]
