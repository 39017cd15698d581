"""L1-penalised logistic regression and sparse discriminant analysis."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import Lasso, LassoCV, LogisticRegression
from sklearn.model_selection import PredefinedSplit
from versions import since

from nproc.errors import InvalidInputError, NotConvergedWarning
from nproc.scorers.classical import penalised
from nproc.scorers.classical import penalised as l1_path
from nproc.scorers.classical.penalised import (
    L1LogisticCV,
    SparseLDA,
    choose_penalty,
    largest_penalty,
    logistic_loss,
    squared_loss,
    standardised,
    stratified_folds,
    walk_path,
)


def world(seed=0, n=200, p=8):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    y = (X[:, 0] - X[:, 1] + rng.normal(size=n) > 0.7).astype(float)
    return X, y


def test_logistic_path_is_the_optimum_of_scikit_learns_objective():
    X, y = world()
    lams = largest_penalty(X, y) * np.geomspace(1, 0.01, 8)
    for fit in list(walk_path(X, y, lams, logistic_loss, tol=1e-9))[1::2]:
        lasso = {"l1_ratio": 1} if since("scikit-learn", "1.8") else {"penalty": "l1"}
        oracle = LogisticRegression(**lasso, C=1 / (200 * fit.lam), solver="saga", tol=1e-9, max_iter=20000)
        oracle.fit(X, y)
        # saga stops at 1e-9 in its steps, a little further from the optimum
        np.testing.assert_allclose(fit.coef, oracle.coef_[0], atol=1e-6)
        np.testing.assert_allclose(fit.intercept, oracle.intercept_[0], atol=1e-6)
        assert fit.violation <= 1e-9


@pytest.mark.parametrize(("n", "p"), [(200, 8), (40, 120)])
def test_squared_path_is_the_lasso(n, p):
    X, y = world(1, n, p)
    lams = largest_penalty(X - X.mean(axis=0), y) * np.geomspace(1, 0.05, 6)
    for fit in list(walk_path(X, y, lams, squared_loss, tol=1e-9))[1:]:
        oracle = Lasso(alpha=fit.lam, tol=1e-12, max_iter=100000).fit(X, y)
        np.testing.assert_allclose(fit.coef, oracle.coef_, atol=1e-6)


def test_the_path_starts_empty():
    X, y = world()
    first, second = walk_path(X, y, largest_penalty(X, y) * np.array([1.0, 0.9]), logistic_loss)
    assert np.count_nonzero(first.coef) == 0
    assert np.count_nonzero(second.coef) > 0


def test_a_separable_path_stays_finite_and_repeats_its_last_fit():
    X = np.random.default_rng(0).normal(size=(30, 60))
    y = np.repeat([0.0, 1.0], 15)
    fits = list(walk_path(X, y, largest_penalty(X, y) * np.geomspace(1, 1e-6, 60), logistic_loss))
    assert len(fits) == 60
    assert fits[-1] is fits[-2]
    assert np.isfinite(fits[-1].coef).all()


def test_duplicate_columns_are_harmless():
    X, y = world()
    fits = list(walk_path(np.hstack([X, X]), y, largest_penalty(X, y) * np.geomspace(1, 0.01, 5), logistic_loss))
    plain = list(walk_path(X, y, largest_penalty(X, y) * np.geomspace(1, 0.01, 5), logistic_loss))
    for fit, single in zip(fits, plain, strict=True):
        # both stop at 1e-6 of the largest penalty
        np.testing.assert_allclose(fit.coef[:8] + fit.coef[8:], single.coef, atol=1e-4)


def test_the_penalty_is_that_of_lassocv_on_the_same_folds():
    X, y = world(2)
    standard, _, _ = standardised(X)
    fold = stratified_folds(y, 5, np.random.default_rng(0))
    fit, tried, losses, _ = choose_penalty(
        standard, y, fold, squared_loss, lambda linear, y: (y - linear) ** 2, n_lams=60, rule="min"
    )
    oracle = LassoCV(alphas=tried, cv=PredefinedSplit(fold), tol=1e-8).fit(standard, y)
    assert fit.lam == pytest.approx(oracle.alpha_, rel=1e-12)
    # the folds are fitted to 1e-3 of the largest penalty
    np.testing.assert_allclose(losses, oracle.mse_path_.mean(axis=1), rtol=1e-3)
    np.testing.assert_allclose(fit.coef, oracle.coef_, atol=1e-5)


def test_the_one_standard_error_rule_takes_a_larger_penalty_within_one_error():
    X, y = world()
    model = L1LogisticCV(rule="1se", random_state=1).fit(X, y)
    least = L1LogisticCV(random_state=1).fit(X, y)
    assert model.lambda_ > least.lambda_
    best = model.cv_losses_.argmin()
    chosen = np.flatnonzero(model.lambdas_ == model.lambda_)[0]
    limit = model.cv_losses_[best] + model.cv_standard_errors_[best]
    assert model.cv_losses_[chosen] <= limit < model.cv_losses_[chosen - 1]
    assert least.lambda_ == least.lambdas_[best]


@pytest.mark.parametrize("model", [L1LogisticCV(rule="1se", random_state=0), SparseLDA(rule="1se", random_state=0)])
def test_without_signal_a_model_with_a_column_is_taken_all_the_same(model):
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(100, 10)), np.repeat([0, 1], 50)
    scores = model.fit(X, y).decision_function(X)
    assert np.unique(scores).size == 100


def test_folds_are_balanced_in_each_class():
    codes = np.repeat([0.0, 1.0], [7, 23])
    fold = stratified_folds(codes, 5, np.random.default_rng(0))
    sizes = np.bincount(fold)
    assert sizes.tolist() == [6] * 5
    assert set(np.bincount(fold[codes == 0])) == {1, 2}


def test_sparse_lda_is_lda_when_nothing_is_penalised():
    # the lasso without penalty is least squares, whose direction is that of discriminant analysis
    X, y = world(4)
    lams = largest_penalty(X, y) * np.geomspace(1, 1e-9, 10)
    n, n1 = y.size, y.sum()
    recoded = np.where(y == 1, n / n1, -n / (n - n1))
    coef = list(walk_path(X, recoded, lams, squared_loss, tol=1e-12))[-1].coef
    direction = LinearDiscriminantAnalysis().fit(X, y).coef_[0]
    np.testing.assert_allclose(coef / np.linalg.norm(coef), direction / np.linalg.norm(direction), atol=1e-6)


def test_sparse_lda_finds_the_columns_that_matter():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [60, 120])
    X = rng.normal(size=(180, 300))
    X[:, :3] += 2 * y[:, None]
    model = SparseLDA(random_state=0).fit(X, y)
    assert (model.coef_[:3] > 0).all()
    assert np.count_nonzero(model.coef_) < 40
    assert np.mean(model.predict(X) == y) > 0.9


def test_sparse_columns_are_scaled_like_dense_ones():
    X = np.random.default_rng(0).poisson(0.3, size=(50, 4)).astype(float)
    X[:, 2] = 0
    X[:, 3] = 5
    dense, centre, scale = standardised(X)
    rows, zero, sparse_scale = standardised(sparse.csr_array(X))
    np.testing.assert_allclose(sparse_scale, scale, rtol=1e-12)
    difference = rows.toarray()[:, :2] - dense[:, :2]
    np.testing.assert_allclose(difference, np.broadcast_to(centre[:2] / scale[:2], (50, 2)), rtol=1e-10)
    assert not rows[:, [2, 3]].toarray().any()
    assert not zero.any()


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"rule": "best"}, "rule must be one of '1se', 'min'"),
        ({"n_lambdas": 1}, "n_lambdas must be at least 2"),
        ({"n_folds": 1}, "n_folds must be at least 2"),
        ({"random_state": -1}, "random_state must be at least 0"),
    ],
)
def test_bad_parameters_are_errors(params, message):
    X, y = world()
    with pytest.raises(InvalidInputError, match=message):
        L1LogisticCV(**params).fit(X, y)


def test_a_class_of_one_row_is_an_error():
    X, _ = world()
    with pytest.raises(InvalidInputError, match=r"L1LogisticCV needs at least 2 rows of each class.*got \[1, 10\]"):
        L1LogisticCV().fit(X[:11], np.repeat([0, 1], [1, 10]))


def test_constant_columns_alone_are_an_error():
    with pytest.raises(InvalidInputError, match="no column of X varies with y"):
        SparseLDA().fit(np.ones((20, 2)), np.repeat([0, 1], 10))


def test_a_fit_that_stops_early_is_reported_once(monkeypatch):
    X, y = world()
    halting = l1_path._minimise
    monkeypatch.setattr(l1_path, "_minimise", lambda *args: halting(*args[:-1], 1))
    with pytest.warns(NotConvergedWarning, match="L1LogisticCV did not converge at lambda") as caught:
        model = L1LogisticCV(rule="min", n_folds=3, n_lambdas=5, random_state=0).fit(X, y)
    assert len(caught) == 1
    assert not model.converged_


def test_left_out_deviance_of_one_row_is_bounded():
    assert penalised._deviance(np.array([1e6]), np.array([0.0]))[0] == pytest.approx(-2 * np.log(1e-5))
