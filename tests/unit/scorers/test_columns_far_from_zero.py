"""Columns whose means are ten million standard deviations from 0: the model returned is the one that was certified."""

import numpy as np
import pytest
from scipy import sparse

from nproc import NPSVC, NotConvergedWarning, QValueSVC, SparseLogisticClassifier
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


def test_sparse_rows_too_far_from_zero_to_be_scored_say_so():
    X, y = world()
    # more columns than Newton's method takes, which would subtract the means
    rows = sparse.csr_matrix(np.hstack([X + FAR, np.zeros((y.size, MOST_COLUMNS))]))
    with pytest.warns(NotConvergedWarning, match="Subtract the column means"):
        model = NPSVC(0.1, kernel="linear").fit(rows, y)
    assert not model.converged_
