"""The evidence is the integral that it says, to ten digits and for ten million rows, and the bounds follow from it."""

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import beta

from nproc.monitoring import default_prior, log_evidence, rate_bounds
from nproc.orderstat import clopper_pearson


@pytest.mark.parametrize("level", [0.01, 0.05, 0.3])
@pytest.mark.parametrize("prior", [(1.0, 10.0), (0.5, 2.0), (2.0, 1.0)])
@pytest.mark.parametrize(("k", "n"), [(0, 0), (0, 40), (3, 40), (40, 40), (30, 300)])
def test_the_evidence_is_the_integral(level, prior, k, n):
    law = beta(*prior)

    def averaged(p):
        return law.pdf(p) * math.exp(k * math.log(p / level) + (n - k) * math.log((1 - p) / (1 - level)))

    mode = min(max((k + prior[0]) / (n + sum(prior)), level), 0.999)
    expected = quad(averaged, level, 1, points=[mode], limit=500, epsabs=0, epsrel=1e-11)[0] / law.sf(level)
    assert log_evidence(k, n, level, prior) == pytest.approx(math.log(expected), abs=1e-8)


# by a quadrature with 60 digits
EXACT = [
    (10_000_000, 0.05, 500_000, -7.002717826707538),
    (10_000_000, 0.05, 510_000, 98.29507840464207),
    (10_000_000, 0.05, 450_000, -11.513106381804128),
    (10_000_000, 0.001, 9_000, -7.610174493209284),
    (100_000, 0.2, 21_000, 26.254494260014805),
]


@pytest.mark.parametrize(("n", "level", "k", "expected"), EXACT)
def test_ten_digits_for_ten_million_rows(n, level, k, expected):
    assert log_evidence(k, n, level, default_prior(level)) == pytest.approx(expected, abs=1e-10 * max(1, abs(expected)))


def test_the_exact_step_of_the_average_is_a_martingale():
    # E of n rows is the mean of that of n + 1 rows, at the level itself: the promise rests on this line alone
    level, prior = 0.07, (1.0, 7.0)
    n = 500
    k = np.arange(n + 1)
    now = log_evidence(k, np.full(n + 1, n), level, prior)
    error, none = (log_evidence(k + more, np.full(n + 1, n + 1), level, prior) for more in (1, 0))
    steps = level * np.exp(error - now) + (1 - level) * np.exp(none - now)
    np.testing.assert_allclose(steps, 1.0, rtol=1e-10)


@pytest.mark.parametrize("n", [1, 7, 100, 10_000])
@pytest.mark.parametrize("share", [0.0, 0.03, 0.5, 1.0])
def test_the_bounds_are_where_the_evidence_reaches_its_limit(n, share):
    k, delta, prior = round(share * n), 0.05, (1.0, 10.0)
    lower, upper = rate_bounds(k, n, delta, prior)
    assert lower <= k / n <= upper
    reached = math.log(1 / delta)
    if k:
        assert log_evidence(k, n, lower, prior) == pytest.approx(reached, abs=1e-6)
    if k < n and upper < 1:
        assert log_evidence(n - k, n, 1 - upper, prior[::-1]) == pytest.approx(reached, abs=1e-6)
    # wider than the bounds for one look
    once = clopper_pearson(k, n, level=1 - 2 * delta)
    assert lower <= once.lower
    assert upper >= once.upper


@pytest.mark.parametrize("prior", [(1.0, 1.0), (1.0, 10.0), (1.0, 200.0), (0.5, 10.0)])
def test_no_rate_below_the_lower_bound_is_kept(prior):
    # the evidence crosses its limit once
    for k, n in [(1, 1), (1, 50), (9, 50), (50, 1000), (400, 1000)]:
        rates = np.linspace(1e-6, k / n, 4000, endpoint=False)
        over = log_evidence(k, n, rates, prior) >= math.log(20)
        assert np.sum(np.diff(over.astype(int)) != 0) <= 1
