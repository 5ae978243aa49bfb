"""Rates, intervals and paired tests, in the standard library alone; each function cites its source.

Nothing here raises on too little data: what cannot be said is `None`, never 0, 100 % or NaN.
"""

from llmeval.stats.paired import detectable_difference, difference_interval, holm, mcnemar, paired_test, sign_flip
from llmeval.stats.rates import Interval, mean, mean_interval, percent, points, stdev, wilson
from llmeval.stats.repeats import flip_rate, k_of_n, pass_at_k, pass_hat_k

__all__ = [
    "Interval",
    "detectable_difference",
    "difference_interval",
    "flip_rate",
    "holm",
    "k_of_n",
    "mcnemar",
    "mean",
    "mean_interval",
    "paired_test",
    "pass_at_k",
    "pass_hat_k",
    "percent",
    "points",
    "sign_flip",
    "stdev",
    "wilson",
]
