"""What several repetitions of one case say."""

from __future__ import annotations

from collections.abc import Iterable
from math import comb

__all__ = ["flip_rate", "k_of_n", "pass_at_k", "pass_hat_k"]


def pass_at_k(passed: int, total: int, k: int) -> float | None:
    """Returns the unbiased estimate that at least one of `k` attempts passes; `None` with fewer than `k` attempts.

    Source: M. Chen et al., "Evaluating large language models trained on code", arXiv:2107.03374 (2021), equation 1.
    """
    if not 1 <= k <= total:
        return None
    return 1 - comb(total - passed, k) / comb(total, k)


def pass_hat_k(passed: int, total: int, k: int) -> float | None:
    """Returns the unbiased estimate that all of `k` attempts pass (pass^k); `None` with fewer than `k` attempts.

    Source: S. Yao et al., "τ-bench: a benchmark for tool-agent-user interaction in real-world domains",
    arXiv:2406.12045 (2024), section 3.
    """
    if not 1 <= k <= total:
        return None
    return comb(passed, k) / comb(total, k)


def k_of_n(outcomes: Iterable[bool], k: int) -> bool:
    """Returns whether at least `k` of the outcomes are passes."""
    return sum(1 for outcome in outcomes if outcome) >= k


def flip_rate(passed: int, total: int) -> float | None:
    """Returns the unbiased estimate that two of the attempts disagree; `None` with fewer than two.

    Source: E. H. Simpson, "Measurement of diversity", Nature 163 (1949): the complement of his index.
    """
    if total < 2:
        return None
    return 2 * passed * (total - passed) / (total * (total - 1))
