"""Reports validate against the schema that the package ships, and what is no report does not."""

import json

import pytest
from jsonschema import Draft202012Validator
from render_samples import PRICED, UNPRICED, report, trial

from llmeval.report_schema import schema
from llmeval.results import Choice, ErrorInfo, Probability, Result, Score
from llmeval.trials import NotRun

RICH = [
    trial("a", expected=None, metadata={"k": [1, {"x": None}]}, task_usage=PRICED, evaluator_usage=UNPRICED, masked=1),
    trial("b", False, repetition=2, assertion_count=3, assertion_failure="assert 1 == 2", params={"model": "x"}),
    trial("c", evaluations=(), error=ErrorInfo(type="ValueError", message="x", traceback="Traceback …"), output=None),
    trial(
        "d",
        evaluations=(
            Result(name="p", value=Probability(0.3), minimum=0.5, model="m", method="native", evidence={"raw": "x"}),
            Result(name="c", value=Choice("refund", {"refund": 0.9, True: 0.1}, 0.8)),
            Result(name="s", value=Score(1.5, ("bad", "good"), {0: 0.5, 1: 0.5}, 0.2)),
            Result(name="n", value=Score(7)),
            Result(name="u"),
            Result(name="e", error=ErrorInfo(type="EvaluatorError", message="refused")),
        ),
        not_applicable=("z",),
        evidence={"messages": [{"role": "user", "content": "hi"}], "completeness": "complete"},
    ),
]


@pytest.fixture(scope="module")
def validator():
    Draft202012Validator.check_schema(schema())
    return Draft202012Validator(schema())


@pytest.mark.parametrize(
    "made",
    [
        report([]),
        report(RICH, not_run=(NotRun("z", 1, "the budget is spent"),), notes=("n",), interrupted=True),
        report(RICH[:1], params={"model": "x"}, options={"dataset": None}, definitions={"criteria": []}),
    ],
)
def test_a_report_validates_as_data_and_as_the_saved_file(made, validator, tmp_path):
    validator.validate(made.to_dict())
    validator.validate(json.loads(made.save(tmp_path / "r.json").read_text(encoding="utf-8")))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("schema_version",), 2),
        (("trials", 0, "status"), "fine"),
        (("trials", 0, "repetition"), 0),
        (("trials", 0, "extra"), 1),
        (("trials", 0, "evaluations", 0, "value"), "pass"),
        (("counts", "passed"), -1),
        (("cost",), "unknown"),
    ],
)
def test_what_no_run_writes_does_not_validate(path, value, validator):
    data = report(RICH).to_dict()
    place = data
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    assert not validator.is_valid(data)


def test_each_field_is_required_unless_it_may_be_left_out(validator):
    data = report(RICH).to_dict()
    for part in (data, data["trials"][0], data["trials"][0]["evaluations"][0]):
        for key in list(part):
            kept = part.pop(key)
            assert not validator.is_valid(data) or key == "expected_output", key
            part[key] = kept
    assert validator.is_valid(data)
