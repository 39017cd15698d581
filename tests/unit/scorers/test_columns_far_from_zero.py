"""Columns whose means are millions of standard deviations from 0: the model returned is the one that was certified."""

import numpy as np
import pytest
from scipy import sparse

from nproc import NPSVC, AsymmetricCostSVC, NotConvergedWarning, QValueSVC, SparseLogisticClassifier
from nproc.errors import InvalidInputError
from nproc.solvers.npsvm.linear_newton import MOST_COLUMNS

FAR = 1e7


def world(seed=3, n=256):
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], n // 2)
    # quarters, and as many rows as a power of 2: far from 0 rows less their mean are the same, to the last digit
    return np.round(4 * (rng.normal(size=(n, 4)) + y[:, None])) / 4, y


@pytest.mark.parametrize("C", [1.0, 100.0])
@pytest.mark.parametrize("solver", ["annealed", "uzawa"])
def test_a_linear_machine_is_the_same_far_from_zero(solver, C):
    X, y = world()
    near, far = (NPSVC(0.1, kernel="linear", C=C, solver=solver).fit(rows, y) for rows in (X, X + FAR))
    assert far.converged_
    np.testing.assert_allclose(far.coef_, near.coef_, rtol=1e-9)
    # the shift has room for rounding of terms of this size, so that it is larger far from 0
    scores, wanted = far.decision_function(X + FAR) + far.shift_, near.decision_function(X) + near.shift_
    np.testing.assert_allclose(scores, wanted, atol=1e-6)
    called = far.predict(X + FAR)
    assert far.train_type1_ == np.mean(called[y == 0])
    assert far.train_type2_ == np.mean(called[y == 1] == 0)


def test_a_linear_machine_of_q_values_is_the_same_far_from_zero():
    X, y = world()
    far = QValueSVC(0.1, kernel="linear").fit(X + FAR, y)
    called = far.predict(X + FAR)
    assert far.train_type1_ == np.mean(called[y == 0])
    assert far.train_type2_ == np.mean(called[y == 1] == 0)


@pytest.mark.parametrize("interval", [(0.0, 1.0), (0.3, 0.7)])
@pytest.mark.parametrize("solver", ["primal", "dual"])
def test_sparse_logistic_regression_is_the_same_far_from_zero(solver, interval):
    X, y = world()
    near, far = (SparseLogisticClassifier(*interval, solver=solver).fit(rows, y) for rows in (X, X + FAR))
    assert far.converged_
    np.testing.assert_allclose(far.coef_, near.coef_, rtol=1e-6)
    # a constant of 1e7 has nine digits behind the point
    np.testing.assert_allclose(far.decision_function(X + FAR), near.decision_function(X), atol=1e-7)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("far_away", [FAR, 1e9])
def test_a_machine_with_chosen_costs_is_the_same_far_from_zero(kernel, far_away):
    X, y = world()
    grid = {"C1s": [0.01, 0.1], "C0s": [0.01, 0.1, 1.0], "gammas": [0.1, 0.4], "n_folds": 2, "random_state": 0}
    near, far = (AsymmetricCostSVC(0.3, kernel=kernel, **grid).fit(rows, y) for rows in (X, X + far_away))
    assert far.converged_
    assert far.history_.equals(near.history_)
    called = far.predict(X + far_away)
    np.testing.assert_array_equal(called, near.predict(X))
    np.testing.assert_array_equal(called, far.estimator_.predict(X + far_away))
    if kernel == "linear":
        np.testing.assert_array_equal(far.coef_, near.coef_)
    else:
        # rows less others are the same to the last digit
        np.testing.assert_array_equal(far.decision_function(X + far_away), near.decision_function(X))
        np.testing.assert_array_equal(far.estimator_.support_vectors_, (X + far_away)[far.support_])


@pytest.mark.parametrize(
    ("kernel", "form", "told"),
    [
        ("poly", np.asarray, "no finite coefficients .* Standardise the columns"),
        ("rbf", sparse.csr_matrix, "'rbf' cannot be computed accurately"),
    ],
)
def test_rows_that_cannot_be_centred_are_refused_where_no_digits_are_left(kernel, form, told):
    X, y = world()
    model = AsymmetricCostSVC(0.1, kernel=kernel, C1s=[0.1], C0s=[0.1], gammas=[10.0], n_folds=2)
    with pytest.raises(InvalidInputError, match=told):
        model.fit(form(X + FAR), y)


def test_weights_of_chosen_costs_that_rounding_moves_are_not_called_converged():
    X, y = world()
    with pytest.warns(NotConvergedWarning, match="AsymmetricCostSVC: the columns lie so far .* Subtract the column"):
        model = AsymmetricCostSVC(0.1, kernel="linear", C1s=[0.1], C0s=[0.1], n_folds=2).fit(X + 2.0**48, y)
    assert not model.converged_


def test_sparse_rows_too_far_from_zero_to_be_scored_say_so():
    X, y = world()
    # more columns than Newton's method takes, which would subtract the means
    rows = sparse.csr_matrix(np.hstack([X + FAR, np.zeros((y.size, MOST_COLUMNS))]))
    with pytest.warns(NotConvergedWarning, match="Subtract the column means"):
        model = NPSVC(0.1, kernel="linear").fit(rows, y)
    assert not model.converged_
