"""How often an evaluator contradicted itself, in a few lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from llmeval.noise import Noise
from llmeval.render.figures import plural
from llmeval.render.text import one_line
from llmeval.stats import percent, points

__all__ = ["noise_lines", "noise_words"]

NAMES: Final = 5
"""Names of trials that a line lists at most."""


def noise_lines(found: Mapping[str, Noise]) -> list[str]:
    """Returns what repeated gradings showed, a block per criterion; nothing where nothing was graded repeatedly."""
    if not found:
        return []
    gradings = max(noise.gradings for noise in found.values())
    lines = [f"the evaluator's noise, over {gradings} gradings of the same evidence:"]
    for name, noise in found.items():
        lines.append(f"  {one_line(name)}: {noise_words(noise)}")
        lines += [f"    {line}" for line in (*_unstable(noise), *_shares(noise))]
    return lines


def noise_words(noise: Noise) -> str:
    """Returns a criterion's noise in one line, each rate with its denominator."""
    parts = list(_parts(noise)) or ["n/a, no trial was decided twice"]
    if noise.errors:
        parts.append(f"{plural(noise.errors, 'grading')} ended in an error and left out")
    return "; ".join(parts)


def _parts(noise: Noise) -> Iterator[str]:
    if noise.trials:
        flipped = len(noise.unstable)
        yield f"{percent(flipped, noise.trials)} of {noise.trials:,} verdicts flip ({flipped:,})"
    if noise.floor:
        yield f"which alone moves its rate by up to {points(noise.floor).removeprefix('+')}"
    if noise.deviation is not None:
        yield f"standard deviation {noise.deviation:.3g} over {plural(noise.measured, 'trial')}"


def _unstable(noise: Noise) -> Iterator[str]:
    if noise.unstable:
        shown = [f"{one_line(case)} #{repetition}" for case, repetition in noise.unstable[:NAMES]]
        more = len(noise.unstable) - len(shown)
        yield f"unstable: {', '.join(shown)}" + (f" and {more:,} more" if more else "")


def _shares(noise: Noise) -> Iterator[str]:
    """What the application varies over repetitions, beside what the evaluator does."""
    if noise.across_disagreement is not None and noise.disagreement is not None:
        yield (
            f"verdicts of two repetitions differ in {_share(noise.across_disagreement)}: "
            f"{_share(noise.disagreement)} by the evaluator, "
            f"{_share(noise.application_disagreement or 0.0)} by the application"
        )
    if noise.across_deviation is not None and noise.deviation is not None:
        yield (
            f"standard deviation over repetitions {noise.across_deviation:.3g}: "
            f"{noise.deviation:.3g} by the evaluator, {noise.application_deviation or 0.0:.3g} by the application"
        )


def _share(rate: float) -> str:
    return f"{points(rate).removeprefix('+').removesuffix(' points')}%"
