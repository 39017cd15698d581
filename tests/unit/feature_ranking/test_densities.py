"""The ratio of two densities: what it is, where it stays finite, and what does not change it."""

import numpy as np
import pytest
from scipy.stats import gaussian_kde

from nproc.errors import InvalidInputError
from nproc.feature_ranking import densities, log_density_ratio


def samples(seed=0, n0=60, n1=80, m=50):
    rng = np.random.default_rng(seed)
    return rng.normal(size=n0), rng.normal(1, 2, n1), rng.normal(0.5, 2, m)


def width(values):
    low, high = np.quantile(values, [0.25, 0.75])
    return 0.9 * min(values.std(ddof=1), (high - low) / 1.34) * values.size**-0.2


def test_it_is_the_ratio_of_two_normal_kernel_densities_with_the_reference_bandwidth():
    a, b, x = samples()
    p0, p1 = (gaussian_kde(s, bw_method=width(s) / s.std(ddof=1))(x) for s in (a, b))
    np.testing.assert_allclose(log_density_ratio(a, b, x), np.log(p1 / p0), atol=1e-10)


def test_cells_change_it_by_less_than_a_hundredth():
    a, b, x = samples(1, 2000, 1500, 800)
    p0, p1 = (gaussian_kde(s, bw_method=width(s) / s.std(ddof=1)).logpdf(x) for s in (a, b))
    inside = (x > a.min()) & (x < a.max())
    np.testing.assert_allclose(log_density_ratio(a, b, x)[inside], (p1 - p0)[inside], atol=0.01)


def test_with_cells_the_score_of_a_point_does_not_depend_on_the_other_points():
    a, b, x = samples(2, 2000, 1500, 800)
    together = log_density_ratio(a, b, x)
    np.testing.assert_array_equal(together[:400], log_density_ratio(a, b, x[:400]))


def test_far_from_all_rows_it_is_finite_and_that_of_the_nearest_rows():
    a, b = np.array([0.0, 1.0, 2.0, 3.0]), np.array([0.0, 2.0, 4.0, 6.0])
    found = log_density_ratio(a, b, [1e3, 1e6, -1e150])
    assert np.all(np.isfinite(found))
    # class 1 has the larger bandwidth, so that it wins
    assert np.all(found[:2] > 0)


@pytest.mark.parametrize("n", [60, 3000])
def test_a_change_of_unit_and_origin_leaves_it_as_it_is(n):
    a, b, x = samples(3, n, n, n)
    plain = log_density_ratio(a, b, x)
    np.testing.assert_array_equal(plain, log_density_ratio(4 * a, 4 * b, 4 * x))
    np.testing.assert_allclose(plain, log_density_ratio(*(3 * s - 7 for s in (a, b, x))), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("factor", [1e-300, 1e-150, 1e150, 1e300])
def test_values_of_any_size_do_not_overflow(factor):
    a, b, x = samples(4)
    np.testing.assert_allclose(
        log_density_ratio(a, b, x), log_density_ratio(a * factor, b * factor, x * factor), rtol=1e-7, atol=1e-9
    )


def test_equal_points_have_exactly_equal_values():
    a, b, x = samples(5, 300, 300, 301)
    doubled = np.concatenate([x, x[::-1]])
    found = log_density_ratio(a, b, doubled)
    np.testing.assert_array_equal(found[: x.size], found[: x.size - 1 : -1])


def test_few_values_are_counted():
    a, b = np.repeat([0.0, 1.0], [30, 10]), np.repeat([0.0, 1.0], [5, 15])
    cells0, cells1 = np.array([30, 10, 0]) + 0.5, np.array([5, 15, 0]) + 0.5
    wanted = np.log(cells1 / cells1.sum()) - np.log(cells0 / cells0.sum())
    np.testing.assert_allclose(log_density_ratio(a, b, [0.0, 1.0, 7.0]), wanted, rtol=1e-13)


def test_a_few_rows_without_ties_are_continuous():
    a, b = np.arange(6.0), np.arange(6.0) + 0.5
    found = log_density_ratio(a, b, np.linspace(0, 6, 25))
    assert np.unique(found).size > 20


def test_a_class_whose_rows_are_all_equal_takes_the_bandwidth_of_the_other():
    b = np.linspace(-3, 3, 60)
    found = log_density_ratio(np.zeros(40), b, [-2.0, -1.0, 0.0, 1.0, 2.0])
    assert np.all(np.isfinite(found))
    assert np.argmin(found) == 2


def test_one_far_value_does_not_make_many_cells(monkeypatch):
    sizes = []
    true_sum = densities._log_kernel_sum
    monkeypatch.setattr(
        densities, "_log_kernel_sum", lambda c, n, w, v: sizes.append((c.size, v.size)) or true_sum(c, n, w, v)
    )
    a, b, x = samples(6, 5000, 5000, 5000)
    a[0] = b[0] = x[0] = 1e9
    assert np.all(np.isfinite(log_density_ratio(a, b, x)))
    assert np.max(sizes) < 1000


def test_gaps_and_empty_samples_are_refused_by_name():
    with pytest.raises(InvalidInputError, match="train1"):
        log_density_ratio([0.0, 1.0], [np.nan, 1.0], [0.0])
    with pytest.raises(InvalidInputError, match="train0"):
        log_density_ratio([], [0.0, 1.0], [0.0])
