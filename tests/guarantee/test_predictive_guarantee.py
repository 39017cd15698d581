"""Bounds on predictive values hold at their exact rates in a Gaussian world, with ties, and for all alpha at once.

Given the threshold t both errors are known and the number of class 1 scores up to t is binomial; a bound falls or rises
with that number, so that it holds from some number on. Averaged over the law of the order statistic this is exact.
All of it is found by scipy alone.
"""

import numpy as np
import pytest
from exactness import assert_rate, assert_rate_at_most, smallest_order
from scipy import optimize, special, stats

from nproc import NPROCBand
from nproc.bands.predictive import error_laws, pointwise_values, simultaneous_values
from nproc.simultaneous import simultaneous_cdf_bounds

CLASS0, CLASS1 = stats.norm(0, 1), stats.norm(1.5, 1.2)
SETTINGS = [(n0, n1, delta) for n0, n1 in ((80, 60), (200, 150), (600, 500)) for delta in (0.05, 0.2)]
ALPHA, PREVALENCE = 0.1, 0.15
PPV_LOWER, PPV, PPV_UPPER, NPV_LOWER, NPV, NPV_UPPER = range(6)


def ppv(prevalence, type1, type2):
    return prevalence * (1 - type2) / (prevalence * (1 - type2) + (1 - prevalence) * type1)


def npv(prevalence, type1, type2):
    return (1 - prevalence) * (1 - type1) / ((1 - prevalence) * (1 - type1) + prevalence * type2)


def pairs_of_levels(delta):
    """Levels of the two errors on the edge of the region that holds with probability 1 - delta, by a fine grid."""
    a = 0.9 * (1 - np.sqrt(1 - delta))
    c = optimize.brentq(lambda c: 2 * a + c * np.log(c / a**2) - c - delta, a**2, a)
    levels = np.geomspace(a, c / a, 400)
    return levels, c / levels


def bounds_of_counts(n0, n1, order, delta):
    """PPV and NPV bounds for every number of class 1 scores up to the threshold: lower PPV, lower NPV, upper both."""
    levels1, levels2 = (levels[:, None] for levels in pairs_of_levels(delta))
    count = np.arange(n1 + 1)
    low1 = special.betaincinv(n0 - order, order + 1, levels1) if order < n0 else 0 * levels1
    high1 = special.betainccinv(n0 + 1 - order, order, levels1)
    low2 = np.where(count > 0, special.betaincinv(np.maximum(count, 1), n1 - count + 1, levels2), 0.0)
    high2 = np.where(count < n1, special.betainccinv(count + 1, np.maximum(n1 - count, 1), levels2), 1.0)
    lower = [value(PREVALENCE, high1, high2).min(axis=0) for value in (ppv, npv)]
    return lower, [value(PREVALENCE, low1, low2).max(axis=0) for value in (ppv, npv)]


def exact_coverage(n0, n1, order, delta):
    """Rates at which the lower PPV, lower NPV, both, the upper PPV, upper NPV, and both hold."""
    # the order statistic at its quantiles: 20 000 thresholds of equal weight
    t = CLASS0.ppf(stats.beta.ppf((np.arange(20_000) + 0.5) / 20_000, order, n0 + 1 - order))
    type1, type2 = CLASS0.sf(t), CLASS1.cdf(t)
    truth = ppv(PREVALENCE, type1, type2), npv(PREVALENCE, type1, type2)
    lower, upper = bounds_of_counts(n0, n1, order, delta)
    # all four fall as the count rises: lower bounds hold from some count on, upper bounds up to some count
    least = [np.searchsorted(-curve, -value, side="left") for curve, value in zip(lower, truth, strict=True)]
    most = [np.searchsorted(-curve, -value, side="right") - 1 for curve, value in zip(upper, truth, strict=True)]
    low = [np.mean(stats.binom.sf(c - 1, n1, type2)) for c in (*least, np.maximum(*least))]
    high = [np.mean(stats.binom.cdf(c, n1, type2)) for c in (*most, np.minimum(*most))]
    return low + high


@pytest.mark.slow
@pytest.mark.parametrize(("n0", "n1", "delta"), SETTINGS)
def test_the_bounds_at_one_alpha_hold_at_their_exact_rates(n0, n1, delta):
    order, n_runs = smallest_order(n0, ALPHA, delta), 20_000
    rng = np.random.default_rng([n0, int(100 * delta)])
    t = CLASS0.ppf(rng.beta(order, n0 + 1 - order, n_runs))
    type1, type2 = CLASS0.sf(t), CLASS1.cdf(t)
    counts = rng.binomial(n1, type2)
    at_rank = np.full(n_runs, order)
    found = pointwise_values(at_rank, at_rank, n0, counts, n1, delta, (PREVALENCE, PREVALENCE))
    truth1, truth0 = ppv(PREVALENCE, type1, type2), npv(PREVALENCE, type1, type2)
    low = found[PPV_LOWER] <= truth1, found[NPV_LOWER] <= truth0
    high = found[PPV_UPPER] >= truth1, found[NPV_UPPER] >= truth0
    events = [*low, low[0] & low[1], *high, high[0] & high[1]]
    for event, exact in zip(events, exact_coverage(n0, n1, order, delta), strict=True):
        assert exact >= 1 - delta
        assert_rate(event.sum(), n_runs, min(exact, 1.0))
    assert_rate_at_most(n_runs - np.sum(np.logical_and.reduce(events)), n_runs, 2 * delta)


@pytest.mark.slow
@pytest.mark.parametrize(("n0", "n1", "delta"), [SETTINGS[0], SETTINGS[3]])
def test_the_band_itself_holds_at_the_exact_rates(n0, n1, delta):
    order, n_runs = smallest_order(n0, ALPHA, delta), 500
    rng = np.random.default_rng([n0, 1])
    held = np.zeros((n_runs, 4), dtype=bool)
    for row in held:
        scores0, scores1 = rng.standard_normal(n0), 1.5 + 1.2 * rng.standard_normal(n1)
        values = NPROCBand.from_scores(scores0, scores1, delta=delta).predictive_values(PREVALENCE).at(ALPHA)
        t = np.sort(scores0)[order - 1]
        truth = ppv(PREVALENCE, CLASS0.sf(t), CLASS1.cdf(t)), npv(PREVALENCE, CLASS0.sf(t), CLASS1.cdf(t))
        row[:] = [
            values.ppv_lower <= truth[0],
            values.npv_lower <= truth[1],
            values.ppv_upper >= truth[0],
            values.npv_upper >= truth[1],
        ]
    exact = exact_coverage(n0, n1, order, delta)
    for count, rate in zip(held.sum(axis=0), [exact[0], exact[1], exact[3], exact[4]], strict=True):
        assert_rate(count, n_runs, min(rate, 1.0))


# the lower bound on the type I error where scores are tied


def exact_failure(n0, order, up_to, bound):
    """P(the bound for n0 - k' exceedances is above the type I error), k' scores up to the threshold at a rank.

    `up_to` are the values of the distribution function at the atoms; `bound` maps an array of k' to bounds.
    """
    count = np.arange(order, n0 + 1)
    bounds = bound(count)
    total, before = 0.0, 0.0
    for p in up_to:
        fails = bounds > 1 - p + 1e-15
        # `count` scores up to the atom, of which fewer than `order` lie below it
        weight = stats.binom.pmf(count, n0, min(p, 1.0)) * stats.binom.cdf(order - 1, count, before / p)
        total += weight[fails].sum()
        before = p
    return total


def proved(n0, share):
    return lambda count: np.where(count < n0, stats.beta.ppf(share, np.maximum(n0 - count, 1), count + 1), 0.0)


def of_continuous_scores(n0, share):
    return lambda count: stats.beta.ppf(share, n0 + 1 - count, count)


@pytest.mark.parametrize(("n0", "n1", "delta"), SETTINGS)
def test_with_ties_the_lower_bound_on_the_type_1_error_holds_at_its_exact_rate(n0, n1, delta):
    share, order, n_runs = 1 - np.sqrt(1 - delta), smallest_order(n0, ALPHA, delta), 4000
    rng = np.random.default_rng([n0, int(100 * delta), 2])
    for up_to in (np.array([0.5, 0.75, 0.9, 0.97, 1.0]), np.linspace(0.02, 1, 50)):
        counts = np.cumsum(rng.multinomial(n0, np.diff(up_to, prepend=0.0), n_runs), axis=1)
        atom = np.argmax(counts >= order, axis=1)
        up_to0 = np.take_along_axis(counts, atom[:, None], axis=1)[:, 0]
        rest = error_laws(np.full(n_runs, order), up_to0, n0, np.zeros(n_runs, dtype=int), n1)[1]
        lower = np.where(rest[1] > 0, 1 - special.betainccinv(rest[0], np.maximum(rest[1], 1), share), 0.0)
        exact = exact_failure(n0, order, up_to, proved(n0, share))
        assert exact <= share
        assert_rate(np.sum(lower > 1 - up_to[atom] + 1e-15), n_runs, exact)


@pytest.mark.parametrize(("n0", "n1", "delta"), SETTINGS)
def test_no_choice_of_atoms_breaks_the_lower_bound_and_one_breaks_that_of_continuous_scores(n0, n1, delta):
    share, order = 1 - np.sqrt(1 - delta), smallest_order(n0, ALPHA, delta)
    # atoms that end a hair beyond the places where the bound for some count begins to fail
    places = 1 - proved(n0, share)(np.linspace(order, n0 - 1, 8).astype(int)) + 1e-9
    worlds = [np.array([p, 1.0]) for p in places] + [np.append(places[j:], 1.0) for j in range(places.size)]
    rng = np.random.default_rng([n0, int(100 * delta), 3])
    worlds += [np.append(np.sort(rng.uniform(0.8, 1, rng.integers(1, 40))), 1.0) for _ in range(10)]
    failures = [exact_failure(n0, order, up_to, proved(n0, share)) for up_to in worlds]
    assert max(failures) <= share + 1e-12
    # one of them is as bad as it can be
    assert max(failures) > 0.99 * share
    edge = 1 - of_continuous_scores(n0, share)(np.array([order]))[0] + 1e-9
    assert exact_failure(n0, order, np.array([edge, 1.0]), of_continuous_scores(n0, share)) > 1.05 * share


@pytest.mark.slow
@pytest.mark.parametrize(("n0", "n1", "delta"), SETTINGS)
def test_all_bounds_hold_for_all_alpha_and_prevalences_at_once(n0, n1, delta):
    n_runs, prevalences = 100, (0.01, 0.3)
    rng = np.random.default_rng([n0, int(100 * delta), 4])
    orders = np.arange(1, n0 + 1)
    errors_out, values_out = 0, 0
    for _ in range(n_runs):
        scores0, scores1 = np.sort(rng.standard_normal(n0)), np.sort(1.5 + 1.2 * rng.standard_normal(n1))
        type1, type2 = CLASS0.sf(scores0), CLASS1.cdf(scores0)
        up_to1 = np.searchsorted(scores1, scores0, side="right")
        share = 1 - np.sqrt(1 - delta)
        (below, above), (low2, high2) = (
            simultaneous_cdf_bounds(counts, n, share) for counts, n in ((orders, n0), (up_to1, n1))
        )
        low1, high1 = 1 - above, 1 - below
        errors_out += np.any((type1 < low1) | (type1 > high1) | (type2 < low2) | (type2 > high2))
        wrong = False
        for p in prevalences:
            found = simultaneous_values(orders, n0, up_to1, n1, delta, "berk_jones", (p, p))
            for low, high, truth in (
                (PPV_LOWER, PPV_UPPER, ppv(p, type1, type2)),
                (NPV_LOWER, NPV_UPPER, npv(p, type1, type2)),
            ):
                wrong |= bool(np.any((found[low] > truth + 1e-12) | (found[high] < truth - 1e-12)))
        values_out += wrong
    assert_rate_at_most(errors_out, n_runs, delta)
    assert values_out <= errors_out


@pytest.mark.parametrize(("n0", "n1", "delta"), SETTINGS)
def test_a_prevalence_inside_the_interval_is_covered(n0, n1, delta):
    rng = np.random.default_rng([n0, 5])
    band = NPROCBand.from_scores(rng.standard_normal(n0), 1.5 + 1.2 * rng.standard_normal(n1), delta=delta)
    wide = band.predictive_values((0.05, 0.3))
    for p in (0.05, 0.1, 0.3):
        one = band.predictive_values(p)
        assert np.all(wide.ppv_lower <= one.ppv_lower)
        assert np.all(wide.ppv_upper >= one.ppv_upper)
        assert np.all(wide.npv_lower <= one.npv_lower)
        assert np.all(wide.npv_upper >= one.npv_upper)
