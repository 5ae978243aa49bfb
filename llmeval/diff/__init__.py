"""Two reports, compared: what got better or worse, whether that is real, and what cannot be compared.

`compare` → facts of both reports → pairs of cases → what is comparable → a Diff of figures and cases.
"""

from llmeval.diff.case_diffs import CaseDiff, Change
from llmeval.diff.comparison import Comparison, compare, compare_many
from llmeval.diff.criterion_diffs import CriterionDiff
from llmeval.diff.deltas import Delta
from llmeval.diff.diffs import Diff, RunInfo
from llmeval.diff.figures import Figures, Verdict
from llmeval.diff.slices import Slice

__all__ = [
    "CaseDiff",
    "Change",
    "Comparison",
    "CriterionDiff",
    "Delta",
    "Diff",
    "Figures",
    "RunInfo",
    "Slice",
    "Verdict",
    "compare",
    "compare_many",
]
