"""The probability that uniform order statistics keep within bounds."""

import math

import numpy as np
import pytest
from scipy.stats import beta, ksone, kstwo

from nproc.crossing import inside_probability
from nproc.errors import InvalidInputError


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
    # the arithmetic of n steps, each with a rounding error of 1e-16
    assert inside_probability(np.zeros(n), upper) == pytest.approx(ksone.cdf(1 / math.sqrt(n), n), abs=1e-10)


@pytest.mark.parametrize("rank", [1, 4, 7])
def test_one_bound_gives_the_beta_law(rank):
    n, at = 7, 0.37
    lower, upper = np.zeros(n), np.ones(n)
    upper[:rank] = at  # U_(rank) <= at says the same of all below
    assert inside_probability(lower, upper) == pytest.approx(beta.cdf(at, rank, n + 1 - rank), rel=1e-12)
    lower[rank - 1 :] = at
    assert inside_probability(lower, np.ones(n)) == pytest.approx(beta.sf(at, rank, n + 1 - rank), rel=1e-12)


def test_no_bounds_keep_everything_and_crossed_bounds_nothing():
    assert inside_probability(np.zeros(9), np.ones(9)) == pytest.approx(1, abs=1e-14)
    assert inside_probability([0.5, 0.5], [0.4, 1.0]) == 0
    assert inside_probability([0.0, 0.0], [-0.1, 1.0]) == 0


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
