"""Simultaneous and paired regions: no false region at any alpha and for any pair, with probability 1 - delta."""

import numpy as np
import pytest
from exactness import assert_rate, assert_rate_above, assert_rate_at_most
from scipy import stats

from nproc import NPROCBand, compare
from nproc.comparison.bands import compare_scores
from nproc.comparison.dominance import type1_bounds_at
from nproc.comparison.regions import better_in_both, paired_claims

# class 0 and class 1 rows left out
SIZES = ((40, 60), (150, 100), (60, 800))
DELTAS = (0.05, 0.2)
SEEDS = {size: 11 * j for j, size in enumerate(SIZES, start=1)}


def equal_features(rng, n0, n1, n_methods, correlation, shift):
    """Features with one law in each class, N(0, 1) against N(shift, 1); the correlation is that of each two."""
    x = rng.standard_normal((n0 + n1, n_methods))
    if n_methods > 1:
        covariance = np.full((n_methods, n_methods), correlation) + (1 - correlation) * np.eye(n_methods)
        x = x @ np.linalg.cholesky(covariance).T
    x[n0:] += shift
    return x[:n0], x[n0:]


def unpaired(scores0, scores1, delta, about):
    bands = [
        NPROCBand.from_scores(scores0[:, j], scores1[:, j], delta=delta, name=str(j)) for j in range(scores0.shape[1])
    ]
    return compare(bands, regions="simultaneous", about=about)


@pytest.mark.slow
@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("n_methods", [2, 4])
def test_features_with_one_law_have_no_region_with_probability_1_minus_delta(size, delta, n_methods):
    # their ROC curves are equal: every region that speaks of scores is false
    rng = np.random.default_rng([SEEDS[size], n_methods])
    n, found = 60, np.zeros(2, dtype=int)
    for run in range(n):
        scores = equal_features(rng, *size, n_methods, (0.0, 0.9, -0.3)[run % 3], (1.0, 2.5)[run % 2])
        found += [
            len(unpaired(*scores, delta, "scores").intervals) > 0,
            len(compare_scores(*scores, delta=delta).regions) > 0,
        ]
    for count in found:
        assert_rate_at_most(count, n, delta)


@pytest.mark.slow
def test_the_same_features_have_regions_between_rules_far_more_often():
    # rules of equal scores differ by their thresholds: what pointwise regions say of rules is no news of features
    rng = np.random.default_rng(5)
    n, found = 100, np.zeros(2, dtype=int)
    for _ in range(n):
        scores0, scores1 = equal_features(rng, 250, 250, 2, 0.0, 1.0)
        bands = [NPROCBand.from_scores(scores0[:, j], scores1[:, j], name=str(j)) for j in (0, 1)]
        found += [len(compare(*bands, regions=kind).intervals) > 0 for kind in ("pointwise", "simultaneous")]
    assert_rate_above(found[0], n, 0.5)
    assert_rate_at_most(found[1], n, 0.05)


def false_rules(result, scores0, shift):
    """Whether any region calls the worse of two rules better, at any rank; class 1 is N(shift, 1)."""
    n0 = scores0.shape[0]
    type2 = stats.norm.cdf(np.sort(scores0, axis=0)[::-1] - shift)
    levels = result.bands[0].alpha
    ends = np.append(levels[1:], 1.0)
    for region in result.intervals:
        inside = (ends > region.alpha_low) & (levels < region.alpha_high)
        better, worse = (type2[:, int(name)] for name in (region.better, region.worse))
        assert inside.size == n0
        if np.any(better[inside] >= worse[inside]):
            return True
    return False


@pytest.mark.slow
@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize("size", SIZES)
def test_the_worse_of_two_rules_is_called_better_anywhere_with_probability_at_most_delta(size, delta):
    rng = np.random.default_rng(SEEDS[size])
    n, false, some = 100, np.zeros(2, dtype=int), np.zeros(2, dtype=int)
    for run in range(n):
        scores0, scores1 = equal_features(rng, *size, 2, (0.0, 0.9, -0.9)[run % 3], 1.0)
        names = ["0", "1"]
        results = (
            unpaired(scores0, scores1, delta, "rules"),
            compare_scores(scores0, scores1, delta=delta, names=names, about="rules"),
        )
        false += [false_rules(result, scores0, 1.0) for result in results]
        some += [len(result.intervals) > 0 for result in results]
    for count in false:
        assert_rate_at_most(count, n, delta)
    # the test says something only if there are regions
    assert some.min() > 0


@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize("size", [30, 100, 400])
def test_rules_with_equal_errors_at_all_thresholds_have_a_region_seldom_but_not_never(size, delta):
    # the same thresholds and the same law of class 1, of which the second method has many more rows: a region is there
    # about where the bounds of the first leave its true errors, which they do with probability delta / 2 at most
    rng = np.random.default_rng(size)
    n, n0, many = 100, 500, 5_000
    scores0 = stats.norm.ppf((np.arange(n0) + 0.5) / n0)
    second = NPROCBand.from_scores(scores0, stats.norm.ppf((np.arange(many) + 0.5) / many), delta=delta)
    count = 0
    for _ in range(n):
        first = NPROCBand.from_scores(scores0, rng.standard_normal(size), delta=delta)
        count += len(compare(first, second, regions="simultaneous", about="rules").intervals) > 0
    assert_rate_at_most(count, n, delta / 2)
    assert delta < 0.2 or size == 400 or count > 0


@pytest.mark.parametrize("level", DELTAS)
@pytest.mark.parametrize("n1", [20, 100, 500])
def test_a_single_paired_test_errs_exactly_as_often_as_the_binomial_law_says(n1, level):
    rng = np.random.default_rng(n1)
    n, share = 800, 0.3
    # each method misses the row alone with this probability; both errors are equal, either claim is false
    kind = rng.multinomial(n1, [share, share, 1 - 2 * share], size=n)
    count = 0
    for only_first, only_second, neither in kind:
        first = np.repeat([-1.0, 1.0, 1.0], [only_first, only_second, neither])
        second = np.repeat([1.0, -1.0, 1.0], [only_first, only_second, neither])
        cuts = [np.zeros(1), np.zeros(1)]
        count += paired_claims(cuts, cuts, [first, second], level).any()
    sizes = np.arange(n1 + 1)
    # Holm's first step takes half of the level for each direction
    least = stats.binom.isf(level / 2, sizes, 0.5) + 1
    either = 2 * stats.binom.sf(least - 1, sizes, 0.5)
    assert_rate(count, n, float(stats.binom.pmf(sizes, n1, 2 * share) @ either))


def crossing(rng, n0, n1):
    """Simulation 2 of the paper: the second feature has the higher ROC curve below alpha = 0.1587, the first above."""
    return rng.standard_normal((n0, 2)), 1 + rng.standard_normal((n1, 2)) * [1.0, np.sqrt(6)]


def total(result, better):
    return sum(r.alpha_high - r.alpha_low for r in result.intervals if r.better == better)


def ranks_called(result, better):
    """Which rules, from rank n0 to rank 1, are called better than those of the other method."""
    alpha = result.bands[0].alpha
    return np.any(
        [(alpha >= r.alpha_low) & (alpha < r.alpha_high) for r in result.intervals if r.better == better]
        or [alpha > 1],
        0,
    )


@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize("n", [200, 400, 800])
def test_simulation_2_rules_are_told_apart_at_more_ranks_than_by_bands_at_delta_over_the_grid(n, delta):
    rng = np.random.default_rng(n)
    numbers = np.zeros((3, 2))
    for _ in range(6):
        scores0, scores1 = crossing(rng, n, n)
        # what R's compare does, at delta over its grid of 1001 levels and both directions
        columns = zip(scores0.T, scores1.T, strict=True)
        bands = [NPROCBand.from_scores(*pair, delta=delta / 2002) for pair in columns]
        results = (
            unpaired(scores0, scores1, delta, "rules"),
            compare_scores(scores0, scores1, delta=delta, names=["0", "1"], about="rules"),
            compare(*bands, names=["0", "1"]),
        )
        called = np.array([[ranks_called(result, better) for better in "01"] for result in results])
        # every rank that the corrected bands tell apart, the simultaneous ones do
        assert np.all(called[0] >= called[2])
        numbers += called.sum(axis=2)
    assert np.all(numbers[:2] > numbers[2])


@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize("n", [200, 400, 800])
def test_simulation_2_regions_of_scores_lie_where_the_curves_do_and_paired_ones_are_longer(n, delta):
    rng = np.random.default_rng(n + 1)
    alone, paired = 0.0, 0.0
    truth = stats.norm.sf(1.0)
    for _ in range(8):
        scores0, scores1 = crossing(rng, n, n)
        results = (
            unpaired(scores0, scores1, delta, "scores"),
            compare_scores(scores0, scores1, delta=delta, names=["0", "1"]),
        )
        for result in results:
            # a false region has probability at most delta in each run; in none of these is there one
            assert all(r.alpha_low >= truth if r.better == "0" else r.alpha_high <= truth for r in result.intervals)
        alone, paired = alone + total(results[0], "0"), paired + total(results[1], "0")
    assert paired > alone
    assert paired > 0


# --- ranges in each of which one method is better at some level ---


@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize("size", [(100, 60), (300, 800)])
@pytest.mark.parametrize("n_methods", [2, 4])
def test_of_equal_curves_neither_is_called_better_somewhere_with_probability_1_minus_delta(size, delta, n_methods):
    rng = np.random.default_rng([*size, n_methods, 3])
    n, count = 150, 0
    for run in range(n):
        scores0, scores1 = equal_features(rng, *size, n_methods, (0.0, 0.9, -0.3)[run % 3], (1.0, 2.5)[run % 2])
        count += bool(better_in_both(list(scores0.T), list(scores1.T), [False] * n_methods, delta))
    assert_rate_at_most(count, n, delta)


def curves_2(alpha):
    """Type II errors of both features of Simulation 2 at true type I errors."""
    cuts = stats.norm.isf(alpha)
    return stats.norm.cdf(cuts - 1), stats.norm.cdf((cuts - 1) / np.sqrt(6))


@pytest.mark.parametrize("n", [1000, 4000])
def test_a_range_holds_a_level_at_which_the_better_one_is_better(n):
    rng, n_ranges = np.random.default_rng([n, 4]), 0
    for _ in range(20):
        scores0, scores1 = crossing(rng, n, n)
        for better, worse, low, high in better_in_both(list(scores0.T), list(scores1.T), [False] * 2, 0.05):
            errors = curves_2(np.linspace(low, high, 1000)[1:-1])
            # false with probability 0.05 in a run at most; in none of these is there one
            assert np.any(errors[better] < errors[worse])
            n_ranges += 1
    assert n_ranges > 5


@pytest.mark.parametrize("ties", [False, True])
def test_methods_that_are_close_to_each_other_are_told_apart(ties):
    rng = np.random.default_rng([6, ties])
    n, throughout, somewhere = 20, 0, 0
    for _ in range(n):
        scores0, scores1 = equal_features(rng, 500, 500, 2, 0.95, 2.0)
        scores1 = scores1 - [0.0, 0.5]
        if ties:
            scores0, scores1 = scores0.round(1), scores1.round(1)
        result = compare_scores(scores0, scores1, names=["0", "1"])
        throughout += len(result.intervals) > 0
        somewhere += any(region.better == "0" for region in result.somewhere)
        assert all(region.better == "0" for region in result.somewhere)
    assert throughout < 5
    assert somewhere > 12


@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize("atoms", [None, 12])
def test_type_1_errors_of_all_thresholds_are_inside_their_bounds_at_once(delta, atoms):
    rng = np.random.default_rng([7, int(100 * delta)])
    n, out = 200, 0
    for _ in range(n):
        scores = rng.random(80) if atoms is None else rng.integers(atoms, size=80) / atoms
        cuts = np.unique(np.concatenate([scores, [-1.0]]))
        errors = 1 - np.clip(cuts, 0, 1) if atoms is None else 1 - np.clip(np.floor(cuts * atoms + 1) / atoms, 0, 1)
        lower, upper = type1_bounds_at(scores, cuts, delta)
        out += np.any((errors < lower - 1e-12) | (errors > upper + 1e-12))
    assert_rate_at_most(out, n, delta)
    assert atoms is not None or out > 0


@pytest.mark.parametrize("level", DELTAS)
@pytest.mark.parametrize("n1", [20, 100, 500])
def test_with_one_pair_of_thresholds_the_tests_in_both_classes_err_exactly_as_often_as_the_binomial_law_says(n1, level):
    rng = np.random.default_rng([n1, 8])
    n, share = 800, 0.3
    # 24 rows set two thresholds, and the other 24 lie between them: in class 0 the stricter rule is surely better
    scores0 = [np.arange(48.0)] * 2
    # each method misses a row alone with this probability, at both thresholds; both errors are equal, a claim is false
    count = 0
    for only_first, only_second, neither in rng.multinomial(n1, [share, share, 1 - 2 * share], size=n):
        first = np.repeat([-1.0, 99.0, 99.0], [only_first, only_second, neither])
        second = np.repeat([99.0, -1.0, 99.0], [only_first, only_second, neither])
        count += bool(better_in_both(scores0, [first, second], [False] * 2, level))
    sizes = np.arange(n1 + 1)
    # 7/8 of the level is for the tests, and Holm's first step takes half of that for each direction
    least = stats.binom.isf(7 / 16 * level, sizes, 0.5) + 1
    either = 2 * stats.binom.sf(least - 1, sizes, 0.5)
    assert_rate(count, n, float(stats.binom.pmf(sizes, n1, 2 * share) @ either))
