"""Does the local evaluator ever decide against a careful reader? Undecided is allowed, wrong is not."""

from llmeval import Attempt, Case, evaluation
from llmeval.criteria import CORRECTNESS, Criterion
from llmeval.evaluators.base import Subject
from llmeval.evaluators.local import LocalEvaluator
from llmeval.evidence import Evidence


@evaluation(evaluator=False)
def local_judge(pair: dict) -> dict:
    """Returns the verdict of the local evaluator on a reference and an answer, with its reason."""
    subject = Subject(
        case=Case("pair", inputs=None, expected_output=pair["reference"]),
        evidence=Evidence(output=pair["answer"]),
    )
    (result,) = LocalEvaluator().evaluate(subject, [Criterion(name=CORRECTNESS)]).results
    return {"verdict": result.status.value, "reason": result.reason}


@local_judge.assertions
def never_decides_against_the_label(attempt: Attempt) -> None:
    wrong = {"pass": "failed", "fail": "passed"}[attempt.expected_output]
    assert attempt.output["verdict"] != wrong
    assert attempt.output["reason"]
