"""Naive Bayes: Gaussian and with kernel densities."""

import numpy as np
import pytest
from scipy.stats import gaussian_kde
from sklearn.naive_bayes import GaussianNB

from nproc.errors import InvalidInputError
from nproc.scorers.classical.naive_bayes import GaussianNaiveBayes, KernelNaiveBayes, fit_log_density, nrd0

RNG = np.random.default_rng(0)
Y = np.repeat([0, 1], [60, 90])
X = RNG.normal(size=(150, 3)) * (1 + Y[:, None]) + Y[:, None]


def test_gaussian_scores_are_the_log_odds_of_scikit_learn():
    oracle = GaussianNB(var_smoothing=0).fit(X, Y)
    oracle.var_ *= np.array([[60 / 59], [90 / 89]])  # R's divisor is n - 1
    joint = oracle.predict_joint_log_proba(X)
    np.testing.assert_allclose(GaussianNaiveBayes().fit(X, Y).decision_function(X), joint[:, 1] - joint[:, 0])


def test_gaussian_scores_do_not_saturate():
    scores = GaussianNaiveBayes().fit(X, Y).decision_function(np.array([[100.0] * 3, [101.0] * 3]))
    assert np.isfinite(scores).all()
    assert scores[1] > scores[0]


def test_a_column_constant_in_one_class_gives_finite_scores():
    odd = X.copy()
    odd[Y == 0, 0] = 2.0
    for model in (GaussianNaiveBayes(), KernelNaiveBayes()):
        assert np.isfinite(model.fit(odd, Y).decision_function(X)).all()


@pytest.mark.parametrize("model", [GaussianNaiveBayes(), KernelNaiveBayes()])
def test_a_class_of_one_row_is_an_error(model):
    with pytest.raises(InvalidInputError, match=r"at least 2 rows of each class .*got \[1, 90\]"):
        model.fit(X[59:], Y[59:])


def test_kernel_scores_are_sums_of_exact_log_density_ratios():
    expected = np.full(150, np.log(90 / 60))
    for j in range(3):
        for rows, sign in ((X[:60], -1), (X[60:], 1)):
            column = rows[:, j]
            factor = nrd0(column, 0.0) / column.std(ddof=1)
            expected += sign * gaussian_kde(column, bw_method=factor).logpdf(X[:, j])
    # interpolation between knots
    np.testing.assert_allclose(KernelNaiveBayes().fit(X, Y).decision_function(X), expected, atol=2e-3)


@pytest.mark.parametrize(
    "sample",
    [RNG.normal(size=300), RNG.standard_cauchy(300), np.r_[RNG.normal(size=50), RNG.normal(size=50) + 40]],
    ids=["normal", "cauchy", "two clusters"],
)
def test_the_log_density_is_near_the_exact_one_wherever_there_are_data(sample):
    h = nrd0(sample, 0.0)
    grid = np.linspace(sample.min() - 6 * h, sample.max() + 6 * h, 5001)
    grid = grid[np.abs(grid[:, None] - sample).min(axis=1) < 4 * h]
    exact = gaussian_kde(sample, bw_method=h / sample.std(ddof=1)).logpdf(grid)
    np.testing.assert_allclose(fit_log_density(sample, h)(grid), exact, atol=5e-3)


def test_between_far_clusters_and_outside_the_log_density_falls_like_a_gaussian_tail():
    density = fit_log_density(np.array([0.0, 100.0]), 1.0)
    points = np.array([-30.0, 40.0, 50.0, 130.0])
    exact = np.log(0.5) - 0.5 * np.log(2 * np.pi) - 0.5 * np.minimum(np.abs(points), np.abs(points - 100)) ** 2
    exact[2] += np.log(2)
    np.testing.assert_allclose(density(points), exact, rtol=1e-6)
    assert np.isfinite(density(np.array([-1e300, 1e300]))).all()


def test_scores_are_finite_and_ordered_far_outside():
    model = KernelNaiveBayes().fit(X, Y)
    scores = model.decision_function(np.array([[1e3] * 3, [1e4] * 3, [1e100] * 3]))
    assert np.isfinite(scores).all()
    # class 1 has the wider kernels
    assert (np.diff(scores) > 0).all()


def test_the_bandwidth_is_rs_nrd0():
    # by hand: sd sqrt(2.5) = 1.58, interquartile range 2 / 1.34 = 1.49 is less
    assert nrd0(np.array([1.0, 2.0, 3.0, 4.0, 5.0]), 0.0) == pytest.approx(0.9 * 2 / 1.34 * 5 ** (-0.2), rel=1e-12)
    # the interquartile range is zero: the standard deviation
    lumped = np.array([0.0, 0, 0, 0, 0, 0, 0, 9])
    assert nrd0(lumped, 0.0) == pytest.approx(0.9 * lumped.std(ddof=1) * 8 ** (-0.2), rel=1e-12)
    assert nrd0(np.ones(5), 0.25) == 0.25


def test_adjust_multiplies_the_bandwidths():
    one, two = KernelNaiveBayes().fit(X, Y), KernelNaiveBayes(adjust=2).fit(X, Y)
    np.testing.assert_allclose(two.bandwidths_, 2 * one.bandwidths_, rtol=1e-12)


@pytest.mark.parametrize("adjust", [0, -1.0, np.inf, "2", True])
def test_adjust_must_be_positive(adjust):
    with pytest.raises(InvalidInputError, match="adjust must be a finite number above 0"):
        KernelNaiveBayes(adjust=adjust).fit(X, Y)
