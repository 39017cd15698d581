"""k-nearest neighbours, and the scaling of columns."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.neighbors import KNeighborsClassifier

from nproc.errors import InvalidInputError
from nproc.scorers.classical.neighbours_and_svm import NearestNeighbours
from nproc.scorers.scaling import ColumnScaler

RNG = np.random.default_rng(0)
Y = np.repeat([0, 1], 50)
X = RNG.normal(size=(100, 2)) + Y[:, None]


def test_scores_are_those_of_scikit_learn_on_standardised_columns():
    standard = (X - X.mean(axis=0)) / X.std(axis=0)
    oracle = KNeighborsClassifier(7, weights="uniform").fit(standard, Y).predict_proba(standard)[:, 1]
    scores = NearestNeighbours(7, weights="uniform").fit(X, Y).decision_function(X)
    np.testing.assert_allclose(scores, oracle - 0.5, atol=1e-12)


@pytest.mark.parametrize(("given", "used"), [(None, 10), (3, 3), (1000, 100)])
def test_the_number_of_neighbours_is_sqrt_n_unless_given(given, used):
    assert NearestNeighbours(given).fit(X, Y).model_.n_neighbors == used


def test_bad_parameters_are_errors():
    with pytest.raises(InvalidInputError, match="n_neighbors must be at least 1"):
        NearestNeighbours(0).fit(X, Y)
    with pytest.raises(InvalidInputError, match="weights must be one of 'distance', 'uniform'"):
        NearestNeighbours(weights="equal").fit(X, Y)


def test_a_sparse_matrix_stays_sparse_when_scaled():
    scaler = ColumnScaler().fit(sparse.csr_array(X))
    out = scaler.transform(sparse.csr_array(X))
    assert sparse.issparse(out)
    np.testing.assert_allclose(out.toarray(), X / X.std(axis=0), rtol=1e-12)


def test_a_constant_column_becomes_zero():
    out = ColumnScaler().fit_transform(np.column_stack([X, np.full(100, 0.1)]))
    np.testing.assert_allclose(out[:, 2], 0.0, atol=1e-12)
