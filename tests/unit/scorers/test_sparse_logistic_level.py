"""The threshold of sparse logistic regression by a level alpha: a level of the model that uses it."""

import numpy as np
import pytest

from nproc.errors import NPWarning
from nproc.scorers.papers.probability_interval import exceeded_by, out_of_fold
from nproc.scorers.papers.sparse_logistic import SparseLogisticClassifier


def rows(n0, n1, p, shift, seed=0):
    y = np.repeat([0, 1], [n0, n1])
    return np.random.default_rng(seed).normal(size=(n0 + n1, p)) + shift * y[:, None], y


@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.2])
def test_a_linear_model_has_the_type_1_error_that_was_asked_for(alpha):
    # by the probabilities of the model that chose the interval 0.0024 at alpha = 0.05: this one has a smaller slope
    X, y = rows(5000, 5000, 1, 1.0)
    model = SparseLogisticClassifier(interval="alpha", alpha=alpha, random_state=0).fit(X, y)
    assert np.mean(model.predict(X[y == 0])) == pytest.approx(alpha, rel=0.1)
    X_new, y_new = rows(20_000, 1, 1, 1.0, seed=1)
    assert np.mean(model.predict(X_new[y_new == 0])) == pytest.approx(alpha, rel=0.25)


@pytest.mark.slow
def test_the_threshold_is_the_level_of_models_that_did_not_see_the_rows():
    X, y = rows(210, 90, 2, 1.5)
    model = SparseLogisticClassifier(interval="alpha", alpha=0.1, kernel="rbf", gamma=0.3, random_state=3).fit(X, y)

    def cold(trained, left_out):
        settings = {"p_min": model.p_min_, "p_max": model.p_max_, "kernel": "rbf", "gamma": 0.3}
        return SparseLogisticClassifier(**settings).fit(X[trained], y[trained]).predict_proba(X[left_out])[:, 1]

    p0 = out_of_fold(cold, y, 5, 3)[y == 0]
    assert np.mean(p0 > model.threshold_ + 1e-6) <= 0.1 <= np.mean(p0 > model.threshold_ - 1e-6)
    # a start at the solution of all rows saves steps and changes nothing
    assert model.threshold_ == pytest.approx(exceeded_by(p0, 0.1), abs=1e-6)


@pytest.mark.filterwarnings("error")
def test_a_threshold_beyond_the_interval_is_no_cause_for_a_warning():
    X, y = rows(40, 40, 2, 0.5)
    settings = {"kernel": "rbf", "gamma": 3.0, "factor": 1.1, "random_state": 0}
    # of no use, but not for its threshold
    with pytest.warns(NPWarning, match="calls none of the 40 class 1 training rows class 1") as heard:
        model = SparseLogisticClassifier(interval="alpha", alpha=0.03, **settings).fit(X, y)
    assert len(heard) == 1
    assert model.threshold_ > model.p_max_


def test_a_model_that_is_constant_is_told():
    y = np.repeat([0, 1], 30)
    with pytest.warns(NPWarning, match="all training rows the same probability.*alpha=0.1"):
        model = SparseLogisticClassifier(interval="alpha", alpha=0.1).fit(np.ones((60, 1)), y)
    assert np.unique(model.predict(np.ones((60, 1)))).size == 1


def test_costs_that_leave_the_interval_from_alpha_are_told():
    X, y = rows(210, 90, 2, 1.5)
    with pytest.warns(NPWarning, match="the threshold that follows from the costs, 0.001,"):
        SparseLogisticClassifier(interval="alpha", alpha=0.1, cost0=1, cost1=999, random_state=0).fit(X, y)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_a_kernel_matrix_is_split_both_ways(kernel):
    # folds start at the solution of all rows, each row at its own coefficient
    X, y = rows(30, 30, 2, 1.0)
    settings = {"interval": "alpha", "alpha": 0.2, "solver": "dual", "random_state": 0}
    model = SparseLogisticClassifier(kernel=kernel, gamma=0.5, **settings).fit(X, y)
    squares = np.sum((X[:, None] - X) ** 2, axis=2)
    matrix = X @ X.T if kernel == "linear" else np.exp(-0.5 * squares)
    given = SparseLogisticClassifier(kernel="precomputed", **settings).fit(matrix, y)
    assert given.threshold_ == pytest.approx(model.threshold_, abs=1e-6)
    np.testing.assert_allclose(given.decision_function(matrix), model.decision_function(X), atol=1e-5)


def test_inside_a_narrow_interval_the_probabilities_of_a_linear_model_are_biased():
    # the figures of the notes of SparseLogisticClassifier; the log-odds are x - 1/2
    X, y = rows(20_000, 20_000, 1, 1.0)
    model = SparseLogisticClassifier(0.1, 0.4).fit(X, y)
    assert model.coef_[0, 0] == pytest.approx(0.28, abs=0.02)
    p = model.predict_proba(X)[:, 1]
    inside = (p > 0.15) & (p < 0.25)
    assert p[inside].mean() == pytest.approx(0.23, abs=0.01)
    assert y[inside].mean() == pytest.approx(0.10, abs=0.015)
