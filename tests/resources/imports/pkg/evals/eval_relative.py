from llmeval import evaluation

from ..shared import VALUE


@evaluation(dataset=[{"name": "a", "inputs": 1, "expected_output": 42}], evaluator="local")
def relative(inputs):
    return VALUE
