"""Unpenalised logistic regression, and separation."""

import re
import warnings

import numpy as np
import pytest
import statsmodels.api as sm
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from nproc.errors import InvalidInputError, NotConvergedWarning, SeparationWarning
from nproc.scorers.classical.logistic import LogisticRegressionML, independent_columns
from nproc.scorers.training import not_converged


def world(seed=0, n=300, p=3, slope=1.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    y = (rng.random(n) < 1 / (1 + np.exp(-1 - slope * X[:, 0]))).astype(int)
    return X, y


def test_the_coefficients_are_those_of_statsmodels():
    X, y = world()
    fit = LogisticRegressionML().fit(X, y)
    oracle = sm.GLM(y, sm.add_constant(X), family=sm.families.Binomial()).fit(tol=1e-14)
    np.testing.assert_allclose(np.r_[fit.intercept_, fit.coef_], oracle.params, rtol=1e-10)
    assert fit.converged_
    assert fit.separation_ is None


def test_the_likelihood_is_largest():
    X, y = world(1, n=80)

    def negative(b):
        linear = b[0] + X @ b[1:]
        return np.sum(np.logaddexp(0, linear) - y * linear)

    fit = LogisticRegressionML().fit(X, y)
    oracle = minimize(negative, np.zeros(4), method="BFGS", options={"gtol": 1e-7})
    assert negative(np.r_[fit.intercept_, fit.coef_]) <= oracle.fun + 1e-12
    # the gradient, zero at the optimum
    residual = y - 1 / (1 + np.exp(-fit.decision_function(X)))
    assert np.abs(np.column_stack([np.ones(80), X]).T @ residual).max() < 1e-8


def test_the_score_is_the_linear_predictor():
    X, y = world()
    fit = LogisticRegressionML().fit(X, y)
    np.testing.assert_array_equal(fit.decision_function(X), X @ fit.coef_ + fit.intercept_)


def test_a_large_offset_and_odd_units_do_not_disturb_the_fit():
    X, y = world()
    fit = LogisticRegressionML().fit(X, y)
    moved = LogisticRegressionML().fit(X * [1e8, 1e-8, 1.0] + [1e9, 1.0, -1e6], y)
    # an offset of 1e6 standard deviations leaves 10 digits of the column
    np.testing.assert_allclose(moved.coef_ * [1e8, 1e-8, 1.0], fit.coef_, rtol=1e-7)


def test_numbers_whose_squares_overflow_give_the_same_scores():
    X, y = world()
    scores = LogisticRegressionML().fit(X, y).decision_function(X)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        huge = LogisticRegressionML().fit(X * 1e300, y).decision_function(X * 1e300)
    np.testing.assert_allclose(huge, scores, rtol=1e-9)


def test_weights_count_rows():
    X, y = world()
    weight = np.random.default_rng(1).integers(0, 4, y.size)
    weighted = LogisticRegressionML().fit(X, y, sample_weight=weight)
    repeated = LogisticRegressionML().fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-9)


def test_columns_that_depend_up_to_the_rounding_of_float32_are_dropped_too():
    X, y = world()
    columns = np.column_stack([X, X @ [1.0, -0.7, 0.3]])
    exact = LogisticRegressionML().fit(columns, y)
    rounded = LogisticRegressionML().fit(columns.astype(np.float32), y)
    assert rounded.converged_
    assert rounded.aliased_.tolist() == exact.aliased_.tolist() == [False, False, False, True]
    np.testing.assert_allclose(rounded.coef_, exact.coef_, rtol=1e-5)


def test_dependent_columns_are_dropped_from_the_right_as_in_r():
    X, y = world()
    design = np.column_stack([X[:, 0], np.ones(300), 2 * X[:, 0] - 5, X[:, 1], X[:, 0] + X[:, 1], X[:, 2]])
    fit = LogisticRegressionML().fit(design, y)
    assert fit.aliased_.tolist() == [False, True, True, False, True, False]
    plain = LogisticRegressionML().fit(X, y)
    np.testing.assert_allclose(fit.coef_[~fit.aliased_], plain.coef_, rtol=1e-8)
    np.testing.assert_array_equal(fit.coef_[fit.aliased_], 0.0)


def test_more_columns_than_rows_keep_as_many_as_rows_allow():
    rng = np.random.default_rng(0)
    assert independent_columns(rng.normal(size=(10, 30)), 1e-9).tolist() == list(range(9))


@pytest.mark.parametrize(("n", "p"), [(60, 2), (40, 100)])
def test_complete_separation_is_reported_once_and_the_ranking_is_perfect(n, p):
    X = np.random.default_rng(0).normal(size=(n, p))
    y = (X[:, 0] > 0.1).astype(int)
    with pytest.warns(SeparationWarning, match="completely separated.*no maximum likelihood") as caught:
        fit = LogisticRegressionML().fit(X, y)
    assert len(caught) == 1
    assert (fit.separation_, fit.converged_) == ("complete", False)
    assert fit.diverging_.all() == (p < n)
    scores = fit.decision_function(X)
    assert scores[y == 1].min() > scores[y == 0].max()


def test_quasi_separation_is_reported():
    X, y = world()
    flag = np.zeros(300)
    flag[:30] = 1
    y[:30] = 1
    with pytest.warns(SeparationWarning, match="quasi-complete separation") as caught:
        fit = LogisticRegressionML().fit(np.column_stack([X, flag]), y)
    assert len(caught) == 1
    assert fit.separation_ == "quasi-complete"
    assert np.isfinite(fit.coef_).all()
    # a summary has the words of the warning
    words = re.search(r"There is quasi-complete separation: .* in one class only\.", str(caught[0].message))[0]
    assert words in not_converged([fit])[1]
    few = not_converged([fit, fit, LogisticRegressionML().fit(np.column_stack([X, flag])[30:], y[30:])])[1]
    assert f"In 2 of 3 splits t{words[1:]} So logistic regression has no maximum likelihood estimate there." in few


@pytest.mark.parametrize("seed", range(4))
def test_the_coefficients_that_diverge_are_those_that_go_on_growing_with_the_penalty_gone(seed):
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.normal(size=(400, 2)), rng.integers(0, 5, 400)[:, None] == np.arange(1, 5)]).astype(float)
    y = (rng.random(400) < expit(X[:, 0])).astype(int)
    # rare and frequent levels of one class only, of which the last is the reference level in half of the cases
    for level, label in ((1, 0), (3, 1)):
        y[X[:, 1 + level] == 1] = label
    if seed % 2:
        y[X[:, 2:].sum(axis=1) == 0] = 1
    with pytest.warns(SeparationWarning, match="diverging_ of the scorer name"):
        fit = LogisticRegressionML().fit(X, y)
    weak, weaker = (LogisticRegression(C=C, max_iter=10_000, tol=1e-8).fit(X, y).coef_[0] for C in (1e5, 1e7))
    # without a penalty a finite coefficient has settled, and another one grows by about log 100
    np.testing.assert_array_equal(fit.diverging_, np.abs(weaker - weak) > 1)
    assert 0 < fit.diverging_.sum() < 6


def test_quasi_separation_in_a_mixed_direction_is_reported():
    # only the sum of two columns separates, and only weakly
    rng = np.random.default_rng(2)
    X = rng.integers(-2, 3, size=(400, 2)).astype(float)
    total = X.sum(axis=1)
    y = np.where(total == 0, rng.integers(0, 2, 400), total > 0).astype(int)
    noise = rng.normal(size=400)
    with pytest.warns(SeparationWarning, match="separat.* linear rule"):
        fit = LogisticRegressionML().fit(np.column_stack([noise, X]), y)
    assert fit.diverging_.tolist() == [False, True, True]


def test_strong_signal_without_separation_is_no_cause_for_a_warning():
    X, y = world(3, n=3000, slope=12.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fit = LogisticRegressionML().fit(X, y)
    assert fit.converged_
    assert np.abs(fit.decision_function(X)).max() > 25


def test_too_few_iterations_are_reported():
    X, y = world()
    with pytest.warns(NotConvergedWarning, match="did not converge in 1 iterations; raise max_iter"):
        LogisticRegressionML(max_iter=1).fit(X, y)


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        (np.ones(2), r"sample_weight must have one weight a row \(300\), got shape \(2,\)"),
        (np.full(300, -1.0), "at least 0"),
        (np.full(300, np.nan), "finite"),
        (np.zeros(300), r"sample_weight is zero for all \d+ rows of class 0; both classes are needed"),
    ],
)
def test_bad_weights_are_errors(weight, message):
    X, y = world()
    with pytest.raises(InvalidInputError, match=message):
        LogisticRegressionML().fit(X, y, sample_weight=weight)


def test_one_or_three_classes_are_errors():
    X, _ = world()
    with pytest.raises(InvalidInputError, match="one class only"):
        LogisticRegressionML().fit(X, np.zeros(300))
    with pytest.raises(InvalidInputError, match="Only binary classification is supported"):
        LogisticRegressionML().fit(X, np.arange(300) % 3)


def test_max_iter_must_be_a_count():
    X, y = world()
    with pytest.raises(InvalidInputError, match="max_iter must be at least 1"):
        LogisticRegressionML(max_iter=0).fit(X, y)


def test_splits_with_other_columns_each_say_that_some_coefficients_are_arbitrary():
    X, y = world(4, n=400, slope=1.0)
    rare = (np.arange(400) % 7 == 0) & (y == 0)
    with pytest.warns(SeparationWarning):
        models = [LogisticRegressionML().fit(np.column_stack([X[:, :p], rare]), y) for p in (2, 3)]
    assert "some of the coefficients are arbitrary in size" in not_converged(models)[1]
