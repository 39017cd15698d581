"""The test at one cut, against sums over all pairs of counts and over a fine grid of the nuisance."""

import numpy as np
import pytest
from scipy.stats import binom

from nproc.biased_samples.mixture_test import NullCurve, allowed_counts, rows_needed

CASES = [
    (60, 40, 0.1, 0.05, 0.05, 0.1),
    (200, 300, 0.1, 0.1 / 0.9, 0.1 / 0.9, 0.05),
    (150, 80, 0.05, 0.0, 0.3, 0.1),
    (100, 3, 0.2, 0.2, 0.6, 0.1),
    (30, 1, 0.3, 0.4, 0.4, 0.3),
    (5, 50, 0.9, 0.5, 0.9, 0.7),
    (300, 300, 0.1, 1e-4, 1e-4, 1e-6),
]


def exact_size(allowed, n0, n1, u, v):
    """P(X <= k(Y)) as a plain sum over Y."""
    y = np.arange(n1 + 1)
    return float(np.sum(binom.pmf(y, n1, v) * binom.cdf(allowed(y), n0, u)))


@pytest.mark.parametrize(("n0", "n1", "alpha", "low", "high", "delta"), CASES)
def test_the_test_has_its_level_on_and_above_the_curve(n0, n1, alpha, low, high, delta):
    curve = NullCurve(alpha, low, high)
    assert n0 >= rows_needed(curve, delta)
    allowed = allowed_counts(n0, n1, curve, delta)
    v = np.unique(np.concatenate([np.linspace(0, 1, 801), alpha + np.linspace(-1, 1, 41) * 1e-3]).clip(0, 1))
    sizes = np.array([exact_size(allowed, n0, n1, float(curve(one)), one) for one in v])
    assert sizes.max() <= allowed.size <= delta
    above = [exact_size(allowed, n0, n1, min(1.0, float(curve(one)) + 0.02), one) for one in v[::20]]
    assert np.all(above <= sizes[::20] + 1e-12)


@pytest.mark.parametrize(("n0", "n1", "alpha", "low", "high", "delta"), CASES)
def test_the_counts_do_not_fall(n0, n1, alpha, low, high, delta):
    counts = allowed_counts(n0, n1, NullCurve(alpha, low, high), delta)(np.arange(n1 + 1))
    assert np.all(np.diff(counts) >= 0)
    assert counts[0] >= 0
    assert counts[-1] <= n0


def test_the_level_is_nearly_spent_for_most_of_the_nuisance():
    curve = NullCurve(0.1, 1 / 9, 1 / 9)
    allowed = allowed_counts(1000, 1000, curve, 0.1)
    sizes = [exact_size(allowed, 1000, 1000, float(curve(v)), v) for v in np.linspace(0.1, 0.95, 18)]
    assert np.median(sizes) > 0.09


def test_the_curve_is_the_least_share_over_all_noises_of_a_box():
    box0, box1, alpha = (0.05, 0.3), (0.1, 0.4), 0.1
    curve = NullCurve(alpha, 0.05 / 0.9, 0.3 / 0.6)
    noise0, noise1 = np.meshgrid(np.linspace(*box0, 21), np.linspace(*box1, 21))
    for v in np.linspace(0, 1, 51):
        # u at which class 0 has the share alpha above the cut, if v is the share of rows labelled 1
        above1 = (v - noise1 * alpha) / (1 - noise1)
        u = (1 - noise0) * alpha + noise0 * above1
        assert float(curve(v)) == pytest.approx(u.min(), abs=1e-12)


@pytest.mark.slow
def test_many_rows_and_lopsided_samples_are_settled():
    for n0, n1 in ((10**6, 10**6), (10**7, 50), (50, 10**8)):
        allowed = allowed_counts(n0, n1, NullCurve(0.1, 0.1, 0.2), 0.1)
        assert 0 < allowed.size <= 0.1
