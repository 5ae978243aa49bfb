"""Times the paired tests on 10,000 differing cases: python benchmarks/stats.py

Target: under a second each, in the standard library alone.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from random import Random
from time import perf_counter

from llmeval.stats import mcnemar, sign_flip

LIMIT = 1.0


def differences(repetitions: int) -> list[int]:
    """Returns 10,000 differences that are not 0, in repetitions."""
    random = Random(repetitions)
    return [random.choice((-1, 1)) * random.randint(1, repetitions) for _ in range(10_000)]


def timed(name: str, test: object, *arguments: Sequence[int] | int) -> bool:
    """Prints the time of one test; returns whether it is below the limit."""
    assert callable(test)
    start = perf_counter()
    p_value = test(*arguments)
    seconds = perf_counter() - start
    print(f"{name:<34} {seconds:6.3f} s   p = {p_value:.4f}")
    return seconds < LIMIT


def main() -> int:
    """Returns 0 when every test is fast enough."""
    fast = [timed(f"sign_flip, {count} repetitions", sign_flip, differences(count)) for count in (1, 3, 5, 15, 100)]
    fast.append(timed("mcnemar, 10,000 cases", mcnemar, 4900, 5100))
    return 0 if all(fast) else 1


if __name__ == "__main__":
    sys.exit(main())
