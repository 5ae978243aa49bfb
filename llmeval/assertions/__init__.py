"""Assertions: plain `assert` statements and methods, counted and explained."""

from llmeval.assertions.hooks import counts_as_one, instrument
from llmeval.assertions.importing import AssertionHook, AssertionLoader
from llmeval.assertions.methods import AssertionMethods
from llmeval.assertions.rewriting import compile_instrumented
from llmeval.assertions.tally import Tally, counting

__all__ = [
    "AssertionHook",
    "AssertionLoader",
    "AssertionMethods",
    "Tally",
    "compile_instrumented",
    "counting",
    "counts_as_one",
    "instrument",
]
