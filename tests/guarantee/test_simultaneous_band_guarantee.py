"""The simultaneous NP-ROC band: how often any of its bounds fails, at any alpha, against the exact rate.

Class 0 scores are uniform and class 1 scores have the distribution function t^2, so that the rule "score > t" has the
errors 1 - t and t^2. The exact rates come from binomial laws alone: at the times t_1 <= t_2 <= ... of all bounds, the
number of scores below is a Markov chain, and a path fails if and only if it comes to the count next to a bound.
"""

import numpy as np
import pytest
from exactness import assert_rate, assert_rate_above, assert_rate_at_most, first_column
from scipy.special import gammaln, xlog1py, xlogy

from nproc import NPROCBand, np_order, nproc
from nproc.errors import NPWarning

SIZES = (60, 250, 1000)
DELTAS = (0.05, 0.2)
SETTINGS = [(n, delta) for n in SIZES for delta in DELTAS]
REPEATS = 3000


def any_band(n0, n1, delta, **kind):
    """A band of these sizes, whose class 0 bounds depend on nothing else."""
    rng = np.random.default_rng(n0 + n1)
    return NPROCBand.from_scores(rng.random(n0), np.sqrt(rng.random(n1)), delta=delta, **kind)


def simultaneous_band(n0, n1, delta):
    return any_band(n0, n1, delta, band="simultaneous")


def cdf_bounds(band, n1):
    """Bounds on the distribution function of class 1 for the counts 0, ..., n1."""
    bounds = band.rule.type2(np.arange(n1 + 1), n1)
    return bounds.lower, bounds.upper


def binomial_pmf(count, n, p):
    logs = gammaln(n + 1.0) - gammaln(count + 1.0) - gammaln(n - count + 1.0) + xlogy(count, p) + xlog1py(n - count, -p)
    return np.exp(logs)


def exact_failure(n, floors=None, ceilings=None):
    """P(fewer than j of n uniforms below floors[j - 1], or at least j below ceilings[j - 1], for some j).

    With s_k the state next to the k-th bound, first-hit probabilities h solve
    P(N(t_k) = s_k) = sum_{i <= k} h_i P(N(t_k) = s_k | N(t_i) = s_i), and the probability of failure is their sum.
    """
    ranks = np.arange(1, n + 1)
    times = np.concatenate([part for part in (floors, ceilings) if part is not None])
    known = ((floors, ranks - 1), (ceilings, ranks))
    states = np.concatenate([s[: part.size] for part, s in known if part is not None])
    order = np.argsort(times, kind="stable")
    times, states = times[order], states[order]
    hits = np.zeros(times.size)
    free = binomial_pmf(states, n, times)
    for k in range(times.size):
        early = np.flatnonzero(states[:k] <= states[k])
        share = (times[k] - times[early]) / (1 - times[early])
        arrive = binomial_pmf(states[k] - states[early], n - states[early], share)
        hits[k] = free[k] - hits[early] @ arrive
    return hits.sum()


def class0_failure(band):
    """Exact P(type I error above its bound at any rank): 1 - U_(k) > bound_k, that is V_(n + 1 - k) > bound_k."""
    return exact_failure(band.n0_left_out, floors=band.alpha)


def class1_failure(band, n1):
    lower, upper = cdf_bounds(band, n1)
    return exact_failure(n1, floors=upper[:-1], ceilings=lower[1:])


def class0_fails(band, rng, repeats):
    """Whether the type I error at any rank is above its bound, in each of many samples."""
    type1 = 1 - np.sort(rng.random((repeats, band.n0_left_out)), axis=1)[:, ::-1]
    return np.any(type1 > band.alpha, axis=1)


def class1_fails(band, n1, rng, repeats):
    """Whether the distribution function of class 1 leaves its bounds anywhere: they bind next to the values."""
    lower, upper = cdf_bounds(band, n1)
    values = np.sort(np.sqrt(rng.random((repeats, n1))), axis=1) ** 2
    return np.any(values > upper[:-1], axis=1) | np.any(values < lower[1:], axis=1)


def test_the_exact_rates_of_one_score_are_those_of_an_interval():
    assert exact_failure(1, floors=np.array([0.9])) == pytest.approx(0.1, rel=1e-12)
    assert exact_failure(1, floors=np.array([0.9]), ceilings=np.array([0.05])) == pytest.approx(0.15, rel=1e-12)


@pytest.mark.parametrize(("n", "delta"), SETTINGS)
def test_each_class_fails_at_its_exact_rate_which_is_its_share_of_delta(n, delta):
    band = simultaneous_band(n, n, delta)
    share = 1 - np.sqrt(1 - delta)
    rng = np.random.default_rng(n)
    for exact, fails in (
        (class0_failure(band), class0_fails(band, rng, REPEATS)),
        (class1_failure(band, n), class1_fails(band, n, rng, REPEATS)),
    ):
        assert 0.998 * share <= exact <= share * (1 + 1e-9)
        assert_rate(fails.sum(), REPEATS, exact)


@pytest.mark.parametrize(("n", "delta"), SETTINGS)
def test_the_two_classes_together_fail_with_probability_delta(n, delta):
    n1 = 2 * n // 3
    band = simultaneous_band(n, n1, delta)
    rng = np.random.default_rng(n + 1)
    fails = class0_fails(band, rng, REPEATS) | class1_fails(band, n1, rng, REPEATS)
    # the test above has shown that each class uses its share to 0.2 %, far below what a count can tell
    assert_rate(fails.sum(), REPEATS, delta)


def promise_fails(band):
    """Whether any rule of the band has a type I error above its level, or a type II error outside the band."""
    thresholds = band.sorted0[0][::-1]
    above = 1 - thresholds > band.alpha
    outside = (thresholds**2 < band.type2_lower) | (thresholds**2 > band.type2_upper)
    return bool(np.any(above | outside))


@pytest.mark.parametrize("alpha_max", [0.02, 0.1, 0.5])
@pytest.mark.parametrize(("n", "delta"), SETTINGS)
def test_up_to_a_level_class_0_fails_at_its_exact_rate_too(n, delta, alpha_max):
    share = 1 - np.sqrt(1 - delta)
    if 1 - share ** (1 / n) > alpha_max:
        with pytest.warns(NPWarning, match="have no threshold for any alpha up to alpha_max"):
            band = any_band(n, 40, delta, band="simultaneous", alpha_max=alpha_max)
        assert np.all(band.alpha == 1)
        return
    band = any_band(n, 40, delta, band="simultaneous", alpha_max=alpha_max)
    bounded = band.alpha[band.alpha < 1]
    assert bounded.size == band.n_knots
    assert 0.999 * share <= exact_failure(n, floors=bounded) <= share * (1 + 1e-9)
    # all ranks with a bound up to alpha_max are bounded
    assert bounded[-1] <= alpha_max
    full = simultaneous_band(n, 40, delta)
    assert np.all(bounded < full.alpha[: bounded.size])


@pytest.mark.slow
@pytest.mark.parametrize(("n0", "n1"), [(60, 40), (200, 120), (400, 500)])
@pytest.mark.parametrize("delta", DELTAS)
def test_the_promise_of_a_band_from_scores_fails_at_most_delta(n0, n1, delta):
    # at the thresholds of the band alone the bounds of class 1 fail less often than anywhere
    rng = np.random.default_rng(n0)
    count = 0
    for _ in range(400):
        scores0, scores1 = rng.random(n0), np.sqrt(rng.random(n1))
        count += promise_fails(NPROCBand.from_scores(scores0, scores1, delta=delta, band="simultaneous"))
    assert_rate_at_most(count, 400, delta)
    assert count >= 2


@pytest.mark.parametrize("delta", DELTAS)
def test_the_class_0_half_of_a_band_is_exact_and_the_whole_fails_clearly_less_often_than_delta(delta):
    # docs/guarantees.md and SimultaneousBounds say so: the band reads class 1 at the class 0 scores alone
    n0, n1, repeats = 100, 1000, 6000
    band = simultaneous_band(n0, n1, delta)
    lower, upper = cdf_bounds(band, n1)
    rng = np.random.default_rng(9)
    cuts = np.sort(rng.random((repeats, n0)), axis=1)
    fails0 = np.any(1 - cuts[:, ::-1] > band.alpha, axis=1)
    assert_rate(fails0.sum(), repeats, class0_failure(band))
    scores1 = np.sort(np.sqrt(rng.random((repeats, n1))), axis=1)
    missed = np.array([np.searchsorted(own, at, side="right") for own, at in zip(scores1, cuts, strict=True)])
    fails1 = np.any((cuts**2 < lower[missed]) | (cuts**2 > upper[missed]), axis=1)
    share = 1 - np.sqrt(1 - delta)
    assert_rate_at_most(fails1.sum(), repeats, 0.75 * share)
    assert_rate_at_most(np.sum(fails0 | fails1), repeats, 0.9 * delta)
    assert_rate_above(np.sum(fails0 | fails1), repeats, 0.5 * delta)


@pytest.mark.parametrize("bounds", ["berk_jones", "dkw"])
@pytest.mark.parametrize("delta", DELTAS)
def test_with_ties_every_bound_is_conservative(bounds, delta):
    n, atoms = 120, 6
    band = any_band(n, n, delta, band="simultaneous", bounds=bounds)
    rng = np.random.default_rng(8)
    scores = np.sort(rng.integers(0, atoms, size=(REPEATS, n)), axis=1)
    type1 = 1 - (scores + 1) / atoms
    fails0 = np.any(type1[:, ::-1] > band.alpha, axis=1)
    lower, upper = cdf_bounds(band, n)
    counts = np.stack([np.sum(scores <= a, axis=1) for a in range(atoms)], axis=1)
    truth = np.arange(1, atoms + 1) / atoms
    fails1 = np.any((truth < lower[counts]) | (truth > upper[counts]), axis=1)
    assert_rate_at_most(np.sum(fails0 | fails1), REPEATS, delta)


@pytest.mark.parametrize(("n", "delta"), SETTINGS)
def test_the_bounds_of_dkw_fail_at_most_delta(n, delta):
    band = any_band(n, n, delta, band="simultaneous", bounds="dkw")
    rng = np.random.default_rng(n + 2)
    assert_rate_at_most(np.sum(class0_fails(band, rng, REPEATS) | class1_fails(band, n, rng, REPEATS)), REPEATS, delta)


@pytest.mark.parametrize(("n", "delta"), SETTINGS)
def test_an_adversary_who_sees_everything_finds_a_bad_alpha_on_a_pointwise_band_but_not_on_this_one(n, delta):
    # there is an alpha whose rule is worse than alpha if and only if the bound of some rank fails
    rng = np.random.default_rng(n + 3)
    found = class0_fails(simultaneous_band(n, n, delta), rng, REPEATS).sum()
    assert_rate_at_most(found, REPEATS, delta)
    found = class0_fails(any_band(n, n, delta), rng, REPEATS).sum()
    assert_rate_above(found, REPEATS, 2 * delta)


@pytest.mark.parametrize(("n0", "delta"), [(200, 0.05), (500, 0.2), (2000, 0.05)])
def test_the_classifier_has_a_larger_rank_than_npc_and_is_guaranteed_at_a_chosen_alpha(n0, delta):
    y = np.repeat([0, 1], [n0, 300])
    X = (np.random.default_rng(n0).standard_normal(n0 + 300) + 1.5 * y)[:, None]
    band = nproc(X, y, first_column, prefit=True, delta=delta, band="simultaneous", random_state=1)
    for alpha in (0.05, 0.1, 0.3):
        fit = band.classifier(alpha)
        assert fit.orders[0] > np_order(n0, alpha, delta)
        assert fit.guaranteed
        assert fit.violation_rates[0] < delta
        assert fit.type1_uppers[0] <= alpha
    for choice in (band.choose_alpha("youden"), band.choose_alpha(type2_max=0.5)):
        fit = band.classifier(choice)
        assert choice.guaranteed
        assert fit.guaranteed
        assert fit.alpha_chosen
        text = " ".join(str(fit.summary()).split())
        assert f"holds with probability at least {1 - delta:g}" in text
        assert "The bounds hold for all alpha at once, so alpha may be chosen" in text
        assert "no guarantee" not in text
