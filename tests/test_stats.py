import subprocess
import sys
from math import isnan, nan, sqrt
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats
from scipy.special import stdtrit

from llmeval.stats import (
    detectable_difference,
    difference_interval,
    flip_rate,
    holm,
    k_of_n,
    mcnemar,
    mean,
    mean_interval,
    paired,
    paired_test,
    pass_at_k,
    pass_hat_k,
    percent,
    points,
    sign_flip,
    stdev,
    wilson,
)

DIFFERENCES = st.lists(st.integers(-5, 5), max_size=16)
quick = settings(max_examples=100, deadline=None)


@pytest.mark.parametrize(
    ("passed", "total", "text"),
    [
        (2, 2, "100%"),
        (0, 2, "0%"),
        (1, 2, "50%"),
        (2, 3, "66.7%"),
        (1, 3, "33.3%"),
        (999, 1000, "99.9%"),
        (1, 1000, "0.1%"),
        (9999, 10_000, "99.99%"),
        (1, 100_000, "0.001%"),
        (1999, 4000, "50.0%"),
        (0, 0, "n/a"),
    ],
)
def test_a_rate_is_rounded_but_never_to_all_or_none(passed, total, text):
    assert percent(passed, total) == text


@given(st.integers(1, 10**7), st.data())
@quick
def test_only_all_is_100_percent_and_only_none_is_0(total, data):
    passed = data.draw(st.integers(0, total))
    text = percent(passed, total)
    number = float(text.removesuffix("%"))
    assert (number == 100) == (passed == total)
    assert (number == 0) == (passed == 0)
    assert number == pytest.approx(passed / total * 100, abs=0.051)


@pytest.mark.parametrize(
    ("difference", "text"),
    [
        (0.0, "0 points"),
        (0.125, "+12.5 points"),
        (-0.5, "-50 points"),
        (1.0, "+100 points"),
        (-1.0, "-100 points"),
        (0.00004, "+0.004 points"),
        (-0.99999, "-99.999 points"),
    ],
)
def test_a_difference_of_rates_is_written_in_points(difference, text):
    assert points(difference) == text


def test_means_leave_out_what_is_unknown():
    assert mean([0.8, None, 0.6]) == pytest.approx(0.7)
    assert mean([0.8, nan, 0.6]) == pytest.approx(0.7)
    assert mean([]) is None
    assert mean([None, nan]) is None


def test_one_number_has_a_mean_but_no_standard_deviation():
    assert mean([0.5]) == 0.5
    assert stdev([0.5]) is None
    assert mean_interval([0.5, None]) is None


def test_a_standard_deviation_is_the_sample_s():
    assert stdev([2, 4, 4, 4, 5, 5, 7, 9, nan]) == pytest.approx(np.std([2, 4, 4, 4, 5, 5, 7, 9], ddof=1))


@pytest.mark.parametrize("size", [2, 3, 4, 5, 6, 7, 10, 30, 1000])
def test_the_interval_of_a_mean_is_student_s(size):
    values = [Random(size).gauss(3, 2) for _ in range(size)]
    low, high = mean_interval(values)
    half = stdtrit(size - 1, 0.975) * np.std(values, ddof=1) / sqrt(size)
    assert (low, high) == pytest.approx((np.mean(values) - half, np.mean(values) + half), rel=2e-3)


@given(st.integers(1, 5000), st.data())
@quick
def test_wilson_s_interval_agrees_with_scipy(total, data):
    passed = data.draw(st.integers(0, total))
    expected = scipy_stats.binomtest(passed, total).proportion_ci(method="wilson")
    low, high = wilson(passed, total)
    assert low == pytest.approx(expected.low, abs=1e-12)
    assert high == pytest.approx(expected.high, abs=1e-12)
    assert low <= passed / total <= high


def test_the_interval_of_no_trial_is_unknown():
    assert wilson(0, 0) is None


@given(st.integers(0, 300), st.integers(0, 300))
@quick
def test_mcnemar_agrees_with_scipy_s_binomial_test(improved, regressed):
    expected = scipy_stats.binomtest(improved, improved + regressed).pvalue if improved + regressed else 1.0
    assert mcnemar(improved, regressed) == pytest.approx(expected, rel=1e-9)


def test_mcnemar_stays_exact_for_many_cases():
    expected = scipy_stats.binomtest(24_500, 50_000).pvalue
    assert mcnemar(24_500, 25_500) == pytest.approx(expected, rel=1e-7)


@given(st.lists(st.integers(-5, 5), min_size=2, max_size=12))
@quick
def test_counted_sign_flips_agree_with_scipy(differences):
    if not any(differences):
        assert sign_flip(differences) == 1
        return
    expected = scipy_stats.permutation_test(
        (np.array(differences),), np.sum, permutation_type="samples", n_resamples=np.inf
    )
    assert sign_flip(differences) == pytest.approx(expected.pvalue)


@pytest.fixture
def drawing(monkeypatch):
    """Beyond 16 differing cases signs are always drawn, however cheap counting them is."""
    monkeypatch.setattr(paired, "EXACT_WORK", 0)


def eighty_differences():
    random = Random(5)
    return [random.choice([-3, -2, -1, 0, 1, 2, 3, 4]) for _ in range(80)]


def test_drawn_sign_flips_agree_with_scipy(drawing):
    differences = eighty_differences()
    expected = scipy_stats.permutation_test(
        (np.array(differences),), np.sum, permutation_type="samples", n_resamples=50_000, rng=np.random.default_rng(1)
    )
    assert sign_flip(differences) == pytest.approx(expected.pvalue, abs=0.01)


def test_counted_and_drawn_sign_flips_agree_for_many_cases(monkeypatch):
    differences = eighty_differences()
    counted = sign_flip(differences)
    monkeypatch.setattr(paired, "EXACT_WORK", 0)
    assert sign_flip(differences) != counted
    assert sign_flip(differences) == pytest.approx(counted, abs=0.005)


def test_counting_many_cases_gives_the_exact_share_of_sign_flips():
    """All 2**18 assignments of signs, one by one."""
    differences = [1, 2, 3, -1, 2, 3] * 3
    sums = np.zeros(1, dtype=int)
    for difference in differences:
        sums = np.concatenate([sums + difference, sums - difference])
    assert sign_flip(differences) == pytest.approx(np.mean(np.abs(sums) >= abs(sum(differences))), rel=1e-12)


@pytest.mark.parametrize("cases", [16, 17, 40, 500])
def test_drawn_sign_flips_continue_the_counted_ones(cases, drawing):
    """One size for all makes McNemar's test the exact answer on both sides of the limit."""
    differences = [1] * (cases * 8 // 15) + [-1] * (cases - cases * 8 // 15)
    improved = cases * 8 // 15
    assert sign_flip(differences) == pytest.approx(mcnemar(improved, cases - improved), abs=0.005)


@pytest.mark.parametrize("sizes", [[1], [1, 2, 3], list(range(1, 400))], ids=["one", "few", "many"])
def test_both_ways_to_add_drawn_signs_have_the_right_spread(sizes, drawing):
    random = Random(9)
    differences = [random.choice([-1, 1]) * random.choice(sizes) for _ in range(500)]
    normal = abs(sum(differences)) / sqrt(sum(size * size for size in differences))
    assert sign_flip(differences) == pytest.approx(2 * scipy_stats.norm.sf(normal), abs=0.02)


@pytest.mark.parametrize("sizes", [(1, 2), tuple(range(1, 51))])
def test_a_p_value_is_never_0(sizes):
    assert 0 < sign_flip(sizes * 40) < 1e-4


@given(DIFFERENCES)
@quick
def test_swapping_the_runs_keeps_the_p_value_and_mirrors_the_interval(differences):
    swapped = [-difference for difference in differences]
    assert paired_test(swapped) == paired_test(differences)
    fractions = [difference / 5 for difference in differences]
    here, there = difference_interval(fractions), difference_interval([-fraction for fraction in fractions])
    assert (here is None and there is None) or here == pytest.approx((-there.high, -there.low), abs=1e-12)
    assert detectable_difference(fractions) == detectable_difference([-fraction for fraction in fractions])


@given(st.lists(st.integers(-3, 3), min_size=17, max_size=60), st.randoms(use_true_random=False))
@settings(max_examples=10, deadline=None)
def test_the_order_of_the_cases_changes_nothing(differences, random):
    shuffled = random.sample(differences, len(differences))
    assert sign_flip(shuffled) == sign_flip(differences)
    fractions = [difference / 3 for difference in differences]
    again = [difference / 3 for difference in shuffled]
    assert difference_interval(again) == difference_interval(fractions)
    assert detectable_difference(again) == detectable_difference(fractions)


@given(DIFFERENCES, st.integers(2, 50))
@quick
def test_the_unit_of_the_differences_changes_no_p_value(differences, unit):
    assert sign_flip([difference * unit for difference in differences]) == sign_flip(differences)


@given(st.lists(st.integers(-1, 1), max_size=16))
@quick
def test_with_one_repetition_mcnemar_and_sign_flips_are_one_test(differences):
    assert paired_test(differences) == pytest.approx(sign_flip(differences))


def share_below(p_values, level):
    return sum(p_value <= level for p_value in p_values) / len(p_values)


def test_p_values_are_uniform_under_the_null_for_cases_of_many_sizes():
    """2,000 comparisons without any effect: each decile holds its share within 2.5 points (3.7 standard errors)."""
    random = Random(45)
    p_values = [sign_flip([random.choice([-1, 1]) * random.randint(1, 10**6) for _ in range(10)]) for _ in range(2000)]
    for decile in range(1, 10):
        assert share_below(p_values, decile / 10) == pytest.approx(decile / 10, abs=0.025)


def test_p_values_of_repeated_trials_never_promise_too_much_under_the_null():
    """1,000 comparisons of 15 equal cases with 3 repetitions: at most level + 2 points are below each level."""
    random = Random(46)
    rates = [random.random() for _ in range(15)]

    def passes(rate):
        return sum(random.random() < rate for _ in range(3))

    p_values = [paired_test([passes(rate) - passes(rate) for rate in rates]) for _ in range(1000)]
    for level in (0.01, 0.05, 0.1, 0.2, 0.5):
        assert share_below(p_values, level) <= level + 0.02
    assert share_below(p_values, 0.5) >= 0.3


def test_mcnemar_never_promises_too_much_under_the_null():
    random = Random(47)

    def once():
        differences = [random.choice([-1, 0, 0, 1]) for _ in range(200)]
        return paired_test(differences)

    p_values = [once() for _ in range(1000)]
    for level in (0.01, 0.05, 0.2, 0.5):
        assert level - 0.08 <= share_below(p_values, level) <= level + 0.02


def noisy_case(random, repetitions):
    """A case that passes sometimes, and 10 points more often in B."""
    rate = random.choice([0.1, 0.5, 0.6, 0.9])
    before = sum(random.random() < rate for _ in range(repetitions))
    after = sum(random.random() < rate + 0.1 for _ in range(repetitions))
    return (after - before) / repetitions


def steady_case(random, repetitions):
    """A case that always or never passes; in B one more in five does, and one in ten no longer."""
    draw = random.random()
    return 1.0 if draw < 0.2 else -1.0 if draw < 0.3 else 0.0


@pytest.mark.parametrize("case", [noisy_case, steady_case])
@pytest.mark.parametrize(("cases", "repetitions"), [(10, 1), (30, 1), (30, 4), (200, 1), (200, 3)])
def test_the_interval_of_a_difference_covers_the_truth_as_often_as_it_says(case, cases, repetitions):
    """1,500 simulated comparisons with a true difference of 0.1: coverage is 93.5 % to 98 % (nominal 95 %)."""
    random = Random(cases * 10 + repetitions)
    covered = 0
    for _ in range(1500):
        low, high = difference_interval([case(random, repetitions) for _ in range(cases)], repetitions)
        covered += low <= 0.1 <= high
    assert 0.935 <= covered / 1500 <= (0.995 if cases == 10 else 0.98)


def test_wilson_s_interval_covers_the_truth_as_often_as_it_says():
    random = Random(48)
    for rate, total in ((0.5, 20), (0.9, 50), (0.05, 100)):
        covered = 0
        for _ in range(1500):
            low, high = wilson(sum(random.random() < rate for _ in range(total)), total)
            covered += low <= rate <= high
        assert 0.925 <= covered / 1500 <= 0.985


@given(st.lists(st.sampled_from([-1.0, -0.5, 0.0, 0.5, 1.0]), min_size=1, max_size=40))
@quick
def test_the_interval_holds_the_difference_it_belongs_to(differences):
    low, high = difference_interval(differences)
    assert -1 <= low <= sum(differences) / len(differences) <= high <= 1


def test_ten_equal_cases_do_not_prove_that_nothing_changed():
    low, high = difference_interval([0.0] * 10)
    assert low < -0.2
    assert high > 0.2


def test_large_comparisons_have_the_plain_clustered_interval():
    random = Random(3)
    differences = [random.choice([-1, -0.5, 0, 0.5, 1]) for _ in range(20_000)]
    half = 1.96 * scipy_stats.sem(differences)
    assert difference_interval(differences) == pytest.approx(
        (np.mean(differences) - half, np.mean(differences) + half), abs=1e-4
    )


def test_fewer_than_six_cases_can_show_nothing():
    assert detectable_difference([1.0] * 5) is None
    assert paired_test([1] * 5) > 0.05
    assert detectable_difference([0.0] * 6) == 1
    assert paired_test([1] * 6) < 0.05


def test_the_detectable_difference_is_found_with_a_power_of_about_0_8():
    random = Random(11)
    cases, found = 300, 0
    pilot = [random.choice([-1, 0, 0, 0, 0, 0, 0, 1]) for _ in range(cases)]
    gain = detectable_difference(pilot)
    for _ in range(400):
        chances = (0.125 + gain / 2, 0.125 - gain / 2)
        draws = [random.random() for _ in range(cases)]
        differences = [1 if draw < chances[0] else -1 if draw < sum(chances) else 0 for draw in draws]
        found += sum(differences) > 0 and paired_test(differences) < 0.05
    assert 0.7 <= found / 400 <= 0.88


def test_more_cases_show_smaller_differences():
    sizes = [detectable_difference([1.0, -1.0, 0.0, 0.0] * count) for count in (3, 10, 100, 1000)]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] == pytest.approx(2.8016 * sqrt(0.5 / 4000), rel=0.01)


@given(st.lists(st.floats(0, 1), max_size=20))
@quick
def test_holm_agrees_with_its_definition_and_keeps_the_order(p_values):
    adjusted = holm(p_values)
    assert len(adjusted) == len(p_values)
    ranked = sorted(zip(p_values, adjusted, strict=True))
    for rank, (p_value, _) in enumerate(ranked):
        expected = max(min(1, (len(ranked) - i) * p) for i, (p, _) in enumerate(ranked[: rank + 1]))
        assert ranked[rank][1] == pytest.approx(expected)
        assert ranked[rank][1] >= p_value


def test_holm_adjusts_a_textbook_example():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([]) == []


@given(st.integers(1, 10), st.data())
@quick
def test_pass_at_k_and_pass_hat_k_count_the_draws_without_replacement(total, data):
    from itertools import combinations

    passed, k = data.draw(st.integers(0, total)), data.draw(st.integers(1, total))
    outcomes = [True] * passed + [False] * (total - passed)
    draws = list(combinations(outcomes, k))
    assert pass_at_k(passed, total, k) == pytest.approx(sum(map(any, draws)) / len(draws))
    assert pass_hat_k(passed, total, k) == pytest.approx(sum(map(all, draws)) / len(draws))


def test_pass_at_k_needs_k_attempts():
    assert pass_at_k(1, 2, 3) is None
    assert pass_hat_k(1, 2, 3) is None
    assert pass_at_k(0, 0, 1) is None


def test_a_case_passes_when_k_of_its_trials_do():
    assert k_of_n([True, False, True], 2)
    assert not k_of_n([True, False, False], 2)


@given(st.integers(2, 12), st.data())
@quick
def test_the_flip_rate_is_the_share_of_pairs_that_disagree(total, data):
    passed = data.draw(st.integers(0, total))
    outcomes = [True] * passed + [False] * (total - passed)
    pairs = [(one, two) for i, one in enumerate(outcomes) for two in outcomes[i + 1 :]]
    assert flip_rate(passed, total) == pytest.approx(sum(one != two for one, two in pairs) / len(pairs))


def test_one_attempt_has_no_flip_rate():
    assert flip_rate(1, 1) is None


def test_nothing_here_returns_a_value_that_is_not_a_number():
    assert not any(isnan(value) for value in (mcnemar(0, 0), sign_flip([]), paired_test([]), *holm([0.0, 1.0])))


def test_importing_the_statistics_imports_no_other_package():
    code = "import sys, llmeval.stats; print(*{'numpy', 'scipy', 'random', 'statistics', 'fractions'} & {*sys.modules})"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == ""
