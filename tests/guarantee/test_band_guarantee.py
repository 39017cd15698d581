"""Coverage of the NP-ROC band of raw scores in worlds where both errors of every threshold are known.

The type I bound of a rank covers with probability exactly 1 - delta. Given the threshold t, the number of class 1
scores up to t is binomial with the true type II error of t as its probability, so that Clopper-Pearson's
coverage at that error, averaged over the law of the order statistic, is exact too. Both are found by scipy alone.
"""

import numpy as np
import pytest
from exactness import assert_rate, assert_rate_at_most, rejects, smallest_order
from scipy import stats

from nproc import NPROCBand, nproc
from nproc.simulate import GaussianWorld

CLASS0, CLASS1 = stats.norm(0, 1), stats.norm(1.5, 1.2)
SETTINGS = [(100, 80, 0.05), (100, 80, 0.1), (500, 500, 0.05), (500, 500, 0.1)]
NAMES = [f"n0={n0} n1={n1} delta={delta}" for n0, n1, delta in SETTINGS]
NODES, NODE_WEIGHTS = np.polynomial.legendre.leggauss(20)


def ranks_of(n0):
    """Twenty ranks from the smallest score to the largest, denser where alpha is small."""
    return n0 - np.round((n0 - 1) * np.linspace(1, 0, 20) ** 1.5).astype(int)


def clopper_pearson(n1, delta):
    """One-sided bounds for the counts 0, ..., n1."""
    count = np.arange(n1 + 1)
    lower = np.where(count > 0, stats.beta.ppf(delta, np.maximum(count, 1), n1 - count + 1), 0.0)
    upper = np.where(count < n1, stats.beta.ppf(1 - delta, count + 1, np.maximum(n1 - count, 1)), 1.0)
    return lower, upper


def coverage_at(error, n1, delta):
    """P(lower bound <= error) and P(upper bound >= error) for a binomial count with that probability."""
    lower, upper = clopper_pearson(n1, delta)
    lower_holds = stats.binom.cdf(np.searchsorted(lower, error, side="right") - 1, n1, error)
    upper_holds = stats.binom.sf(np.searchsorted(upper, error, side="left") - 1, n1, error)
    return lower_holds, upper_holds


def mean_over_order_statistic(function, order, n0, jumps):
    """E function(T_(order)) of n0 class 0 scores; the function may jump at `jumps` and is smooth between."""
    edges = np.unique(np.clip(np.concatenate([jumps, np.linspace(-9, 9, 181)]), -9, 9))
    half = np.diff(edges)[:, None] / 2
    t = edges[:-1, None] + half * (1 + NODES)
    density = stats.beta.pdf(CLASS0.cdf(t), order, n0 - order + 1) * CLASS0.pdf(t)
    weights = half * NODE_WEIGHTS * density
    # the rule integrates the density itself to 1, which shows that its panels are short enough
    assert abs(weights.sum() - 1) < 1e-9
    return float(np.sum(weights * function(t)))


def exact_type2_coverage(order, n0, n1, delta):
    lower, upper = clopper_pearson(n1, delta)
    return [
        mean_over_order_statistic(
            lambda t, side=side: coverage_at(CLASS1.cdf(t), n1, delta)[side], order, n0, CLASS1.ppf(bounds)
        )
        for side, bounds in enumerate((lower, upper))
    ]


def coverage_counts(n_data_sets, n0, n1, delta, draw0, draw1, type1, type2, seed):
    """How often each of the three bounds holds at each rank: an array of shape (3, number of ranks)."""
    rng = np.random.default_rng(seed)
    orders = ranks_of(n0)
    knots = n0 - orders
    counts = np.zeros((3, orders.size), dtype=int)
    for _ in range(n_data_sets):
        scores0, scores1 = draw0(rng, n0), draw1(rng, n1)
        band = NPROCBand.from_scores(scores0, scores1, delta=delta)
        thresholds = np.sort(scores0)[orders - 1]
        true1, true2 = type1(thresholds), type2(thresholds)
        counts[0] += true1 <= band.alpha[knots]
        counts[1] += band.type2_lower[knots] <= true2
        counts[2] += true2 <= band.type2_upper[knots]
    return counts


def continuous_counts(n_data_sets, n0, n1, delta, seed):
    return coverage_counts(
        n_data_sets,
        n0,
        n1,
        delta,
        lambda rng, n: rng.standard_normal(n),
        lambda rng, n: 1.5 + 1.2 * rng.standard_normal(n),
        CLASS0.sf,
        CLASS1.cdf,
        seed,
    )


def check_continuous(n_data_sets, n0, n1, delta, seed):
    counts = continuous_counts(n_data_sets, n0, n1, delta, seed)
    for j, order in enumerate(ranks_of(n0)):
        assert_rate(counts[0, j], n_data_sets, 1 - delta)
        lower, upper = exact_type2_coverage(order, n0, n1, delta)
        assert min(lower, upper) >= 1 - delta - 1e-9
        # quadrature may leave a rounding error above 1
        assert_rate(counts[1, j], n_data_sets, min(lower, 1.0))
        assert_rate(counts[2, j], n_data_sets, min(upper, 1.0))


def test_twenty_ranks_are_looked_at():
    for n0 in (100, 500):
        assert np.unique(ranks_of(n0)).size == 20
        assert (ranks_of(n0)[0], ranks_of(n0)[-1]) == (1, n0)


@pytest.mark.slow
@pytest.mark.parametrize(("n0", "n1", "delta"), SETTINGS, ids=NAMES)
def test_all_three_bounds_cover_at_their_exact_rates_at_20_ranks(n0, n1, delta):
    # bounds of a neighbouring rank would be found with probability 0.999 at every rank of 100, and at the outer of 500
    check_continuous(8000, n0, n1, delta, seed=2)


# tied scores: atoms at whole tenths, either few or those of normal scores rounded to one decimal


def rounded_masses(law, atoms):
    return law.cdf(atoms + 0.05) - law.cdf(atoms - 0.05)


ROUNDED = np.round(np.arange(-70, 90) / 10, 1)
FEW = np.array([0.0, 1.0, 2.0, 3.0, 4.0])
TIED_WORLDS = {
    "rounded to one decimal": (ROUNDED, rounded_masses(CLASS0, ROUNDED), rounded_masses(CLASS1, ROUNDED)),
    "five values": (FEW, np.array([0.5, 0.25, 0.15, 0.07, 0.03]), np.array([0.05, 0.15, 0.2, 0.25, 0.35])),
}


def check_tied(name, n_data_sets, n0, n1, delta, seed):
    atoms, mass0, mass1 = TIED_WORLDS[name]
    mass0, mass1 = mass0 / mass0.sum(), mass1 / mass1.sum()
    up_to0, up_to1 = np.cumsum(mass0).clip(0, 1), np.cumsum(mass1).clip(0, 1)
    above0 = 1 - up_to0
    counts = coverage_counts(
        n_data_sets,
        n0,
        n1,
        delta,
        lambda rng, n: rng.choice(atoms, n, p=mass0),
        lambda rng, n: rng.choice(atoms, n, p=mass1),
        lambda t: above0[np.searchsorted(atoms, t)],
        lambda t: up_to1[np.searchsorted(atoms, t)],
        seed,
    )
    lower_holds, upper_holds = coverage_at(up_to1, n1, delta)
    for j, order in enumerate(ranks_of(n0)):
        # law of the order statistic over the atoms: P(T_(k) <= a) = P(at least k scores are <= a)
        mass = np.diff(stats.binom.sf(order - 1, n0, up_to0), prepend=0.0)
        bound = stats.beta.ppf(1 - delta, n0 - order + 1, order)
        exact = [mass @ (above0 <= bound), mass @ lower_holds, mass @ upper_holds]
        for count, rate in zip(counts[:, j], exact, strict=True):
            assert rate >= 1 - delta - 1e-9
            assert_rate(count, n_data_sets, min(rate, 1.0))
            assert_rate_at_most(n_data_sets - count, n_data_sets, delta)


@pytest.mark.slow
@pytest.mark.parametrize(("n0", "n1", "delta"), SETTINGS, ids=NAMES)
@pytest.mark.parametrize("name", TIED_WORLDS)
def test_with_ties_every_bound_covers_at_its_level_and_at_its_summed_rate_on_4000_data_sets(name, n0, n1, delta):
    check_tied(name, 4000, n0, n1, delta, seed=4)


@pytest.mark.slow
def test_counting_a_class_1_score_equal_to_the_threshold_as_found_would_be_noticed():
    # R's upper bound: one count too few where a class 1 score equals the threshold
    atoms, mass0, mass1 = TIED_WORLDS["five values"]
    n0, n1, delta, n = 100, 80, 0.05, 10_000
    rng = np.random.default_rng(5)
    _, upper = clopper_pearson(n1, delta)
    thresholds = np.sort(rng.choice(atoms, (n, n0), p=mass0), axis=1)[:, 94]
    scores1 = rng.choice(atoms, (n, n1), p=mass1)
    missed = np.sum(scores1 <= thresholds[:, None], axis=1)
    equal = np.any(scores1 == thresholds[:, None], axis=1)
    true = np.cumsum(mass1)[np.searchsorted(atoms, thresholds)]
    failures = np.sum(upper[missed - equal] < true)
    assert failures > n * delta
    assert rejects(failures, n, delta)


# Simulation S1: the lower curve as an estimate of the oracle ROC curve


def exact_overshoot(alpha, n0, n1, delta):
    """P(1 - type2_upper at alpha > oracle ROC curve at alpha), over both samples."""
    order = smallest_order(n0, alpha, delta)
    oracle_type2 = CLASS1.cdf(CLASS0.isf(alpha))
    _, upper = clopper_pearson(n1, delta)
    most = np.searchsorted(upper, oracle_type2, side="left") - 1  # largest count whose upper bound is below
    return mean_over_order_statistic(lambda t: stats.binom.cdf(most, n1, CLASS1.cdf(t)), order, n0, np.empty(0))


@pytest.mark.slow
@pytest.mark.parametrize(("n0", "n1", "delta"), SETTINGS, ids=NAMES)
def test_the_lower_curve_is_a_conservative_estimate_of_the_oracle_roc_curve(n0, n1, delta):
    # It lies above the oracle curve only if the type I error exceeds alpha (probability at most delta) or the type
    # II bound fails (at most delta): together 2 delta. The exact probability is far below.
    alphas = np.array([0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.8])
    alphas = alphas[(1 - alphas) ** n0 <= delta]
    oracle = CLASS1.sf(CLASS0.isf(alphas))
    rng = np.random.default_rng(6)
    n = 2000
    lower = np.empty((n, alphas.size))
    for row in lower:
        band = NPROCBand.from_scores(rng.standard_normal(n0), 1.5 + 1.2 * rng.standard_normal(n1), delta=delta)
        row[:] = 1 - band.at(alphas).type2_upper
    for j, alpha in enumerate(alphas):
        exact = exact_overshoot(alpha, n0, n1, delta)
        assert exact <= 2 * delta
        assert_rate(np.sum(lower[:, j] > oracle[j]), n, exact)
        assert_rate_at_most(np.sum(lower[:, j] > oracle[j]), n, 2 * delta)
    # "on average" of the paper's figure: by at least 5 standard errors at every level
    gap = oracle - lower.mean(axis=0)
    assert np.all(gap > 5 * lower.std(axis=0) / np.sqrt(n))


def test_below_the_first_knot_the_lower_curve_is_zero():
    band = NPROCBand.from_scores(np.arange(50.0), np.arange(50.0) + 100)
    assert band.at(0.05).type2_upper == 1.0
    assert band.at(0.06).type2_upper < 1.0


@pytest.mark.slow
def test_the_lower_curve_of_a_trained_method_stays_below_the_oracle_curve_of_the_best_score():
    world = GaussianWorld([0, 0], [1.5, 1])
    alphas = np.array([0.05, 0.1, 0.2, 0.5])
    oracle = world.roc(alphas)
    n, delta = 1500, 0.05
    lower = np.empty((n, alphas.size))
    for seed, row in enumerate(lower):
        sample = world.sample_classes(200, 200, seed)
        row[:] = 1 - nproc(sample.X, sample.y, "lda", delta=delta, random_state=seed).at(alphas).type2_upper
    for j in range(alphas.size):
        assert_rate_at_most(np.sum(lower[:, j] > oracle[j]), n, 2 * delta)
    assert np.all(lower.mean(axis=0) < oracle)
