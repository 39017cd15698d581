"""The probability that uniform order statistics keep within bounds."""

import math

import numpy as np
import pytest
from scipy.stats import beta, binom, ksone, kstwo

from nproc.errors import InvalidInputError
from nproc.simultaneous import inside_probability


def band(n, half):
    ranks = np.arange(1, n + 1)
    return np.clip(ranks / n - half, 0, 1), np.clip((ranks - 1) / n + half, 0, 1)


@pytest.mark.parametrize("n", [1, 2, 5, 10, 100])
@pytest.mark.parametrize("scaled", [0.6, 1.0, 1.6])
def test_bounds_parallel_to_the_diagonal_give_the_law_of_kolmogorov(n, scaled):
    lower, upper = band(n, scaled / math.sqrt(n))
    assert inside_probability(lower, upper) == pytest.approx(kstwo.cdf(scaled / math.sqrt(n), n), abs=1e-11)


@pytest.mark.parametrize("n", [1, 2, 5, 10, 100, 1000, 5000])
def test_upper_bounds_alone_give_the_law_of_smirnov(n):
    upper = band(n, 1 / math.sqrt(n))[1]
    assert inside_probability(np.zeros(n), upper) == pytest.approx(ksone.cdf(1 / math.sqrt(n), n), abs=1e-12)


@pytest.mark.parametrize("n", [1, 30, 1000, 10_000, 100_000])
@pytest.mark.parametrize("steepness", [1.2, 20.0])
def test_bounds_along_a_line_from_0_give_the_law_of_daniels(n, steepness):
    # the empirical distribution function stays below a line through 0 with probability 1 - 1 / steepness, for every n
    lower = np.minimum(np.arange(1, n + 1) / (n * steepness), 1.0)
    assert inside_probability(lower, np.ones(n)) == pytest.approx(1 - 1 / steepness, abs=1e-12)


@pytest.mark.parametrize("n", [9, 1000, 100_000, 1_000_000])
def test_without_bounds_nothing_is_lost_to_rounding(n):
    assert inside_probability(np.zeros(n), np.ones(n)) == pytest.approx(1, abs=1e-14)


@pytest.mark.parametrize("rank", [1, 4, 7])
def test_one_bound_gives_the_beta_law(rank):
    n, at = 7, 0.37
    lower, upper = np.zeros(n), np.ones(n)
    upper[:rank] = at  # U_(rank) <= at says the same of all below
    assert inside_probability(lower, upper) == pytest.approx(beta.cdf(at, rank, n + 1 - rank), rel=1e-12)
    lower[rank - 1 :] = at
    assert inside_probability(lower, np.ones(n)) == pytest.approx(beta.sf(at, rank, n + 1 - rank), rel=1e-12)


def test_crossed_bounds_keep_nothing():
    assert inside_probability([0.5, 0.5], [0.4, 1.0]) == 0
    assert inside_probability([0.0, 0.0], [-0.1, 1.0]) == 0


def one_bound_at_a_time(lower, upper):
    """The law of the number of values below t, from bound to bound, by binomial transitions."""
    n = lower.size
    counts = np.arange(n + 1)
    law, now = np.eye(1, n + 1)[0], 0.0
    bounds = [(a, j - 1, False) for j, a in enumerate(lower, 1)] + [(b, j, True) for j, b in enumerate(upper, 1)]
    for time, limit, is_floor in sorted(bounds, key=lambda bound: bound[0]):
        if time > now:
            share = (time - now) / (1 - now)
            law = law @ binom.pmf(counts[None, :] - counts[:, None], n - counts[:, None], share)
            now = time
        law[counts < limit if is_floor else counts > limit] = 0.0
    return law.sum()


@pytest.mark.parametrize("n", [2, 5, 23, 24, 25, 48, 61])
@pytest.mark.parametrize("seed", [1, 2])
def test_any_bounds_agree_with_the_recursion_that_takes_one_at_a_time(n, seed):
    rng = np.random.default_rng([n, seed])
    ranks = np.arange(1, n + 1)
    # quantiles at levels of their own, made monotone: with ties, and with some that bind much and some that do not
    lower = np.maximum.accumulate(beta.ppf(rng.uniform(0, 0.05, n), ranks, n + 1 - ranks))
    upper = np.minimum.accumulate(beta.ppf(rng.uniform(0.95, 1, n), ranks, n + 1 - ranks)[::-1])[::-1]
    expected = one_bound_at_a_time(lower, upper)
    assert 0.01 < expected < 0.9
    assert inside_probability(lower, upper) == pytest.approx(expected, rel=1e-11)


@pytest.mark.parametrize("n", [1, 40, 777])
def test_mirrored_bounds_give_the_same_from_both_halves_and_in_one_go(n):
    lower, upper = band(n, 1.2 / math.sqrt(n))
    halves = inside_probability(lower, upper)
    # moved by so little that the probability keeps its digits, but the bounds are no mirror images
    assert inside_probability(lower, np.minimum(1.0, upper + 1e-14)) == pytest.approx(halves, abs=1e-9)


@pytest.mark.parametrize("at", [0.1, 0.5, 0.9])
def test_a_single_bound_on_many_values_takes_one_long_step(at):
    n = 4000
    rank = int(n * at) - 30
    upper = np.ones(n)
    upper[:rank] = at
    assert inside_probability(np.zeros(n), upper) == pytest.approx(binom.sf(rank - 1, n, at), abs=1e-12)
    lower = np.zeros(n)
    lower[rank:] = at
    assert inside_probability(lower, np.ones(n)) == pytest.approx(binom.cdf(rank, n, at), abs=1e-12)


def test_uneven_bounds_agree_with_simulation():
    rng = np.random.default_rng(3)
    lower, upper = np.array([0.01, 0.1, 0.15, 0.5, 0.55]), np.array([0.3, 0.52, 0.7, 0.9, 0.99])
    order = np.sort(rng.uniform(size=(200_000, 5)), axis=1)
    share = np.mean(np.all((order >= lower) & (order <= upper), axis=1))
    exact = inside_probability(lower, upper)
    assert abs(share - exact) < 4.5 * math.sqrt(exact * (1 - exact) / 200_000)


@pytest.mark.parametrize(
    ("lower", "upper", "match"),
    [
        ([0.1], [0.5, 0.9], "two lists of n bounds"),
        ([0.2, 0.1], [0.5, 0.9], "lower must hold finite numbers"),
        ([0.1, 0.2], [0.5, np.nan], "upper must hold finite numbers"),
    ],
)
def test_bounds_that_are_none_are_refused(lower, upper, match):
    with pytest.raises(InvalidInputError, match=match):
        inside_probability(lower, upper)
