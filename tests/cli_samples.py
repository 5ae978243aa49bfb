"""Evaluations that the tests of the command line run."""

from __future__ import annotations

from projects import Project

__all__ = ["shop", "two"]

PARROT = """
    from llmeval import Attempt, evaluation


    @evaluation(evaluator=False, tags=["quick"])
    def parrot(inputs, attempt: Attempt):
        if inputs == "boom":
            raise RuntimeError("the model is down")
        return {"said": inputs, "params": dict(attempt.params), "repetition": attempt.repetition}


    @parrot.assertions
    def says_something_good(attempt: Attempt) -> None:
        assert attempt.output["said"] != "bad"
"""

CASES = """
    - {name: hello, inputs: good, expected_output: good, metadata: {category: greeting, tags: [short, polite]}}
    - {name: bye, inputs: good, metadata: {category: farewell}}
    - {name: rude, inputs: bad, metadata: {category: greeting}}
    - {name: broken, inputs: boom}
"""

COUNTER = """
    from llmeval import evaluation


    @evaluation(evaluator=False)
    def counter(number):
        return number


    @counter.assertions
    def is_positive(attempt) -> None:
        assert attempt.output > 0
"""


def shop(project: Project) -> Project:
    """Writes `parrot`: hello and bye pass, rude fails, broken is an error."""
    project.write("evals/parrot.py", PARROT)
    project.write("evals/parrot.yaml", CASES)
    return project


def two(project: Project) -> Project:
    """Writes `parrot`, and `counter`, whose cases one and two pass."""
    shop(project)
    project.write("evals/counter.py", COUNTER)
    project.write("evals/counter.json", '[{"name": "one", "inputs": 1}, {"name": "two", "inputs": 2}]')
    return project
