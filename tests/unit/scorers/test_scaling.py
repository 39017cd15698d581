"""Rows like documents by tf-idf keep the weights of their columns; other rows are standardised."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler, normalize
from sklearn.svm import SVC

from nproc import npc
from nproc.scorers import OnlineNPClassifier, get_scorer
from nproc.scorers.scaling import ColumnScaler, rows_like_documents


def texts(seed, n=400, p=300):
    """Rows of few words each, most of them rare, of one length; the first twenty words tell the classes apart."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    chances = np.where(np.arange(p) < 20, 0.1 + 0.3 * y[:, None], 3 / (3 + np.arange(p)))
    words = (rng.random((n, p)) < chances) * rng.gamma(2.0, size=(n, p))
    words[:, -1] = 0.01
    return sparse.csr_matrix(normalize(words)), y


X, Y = texts(0)
NEW = texts(1)[0]


def test_rows_like_documents_are_left_as_they_are_sparse_or_dense():
    for rows in (X, sparse.csr_array(X), X.toarray()):
        assert rows_like_documents(rows)
        scaled = ColumnScaler().fit(rows).transform(NEW)
        np.testing.assert_array_equal(scaled.toarray(), NEW.toarray())


@pytest.mark.parametrize("change", [lambda row: 1.01 * row, lambda row: row * [np.nan]])
def test_one_other_row_and_the_columns_are_standardised(change):
    rows = X.toarray()
    rows[3] = change(rows[3])
    assert not rows_like_documents(rows)
    np.testing.assert_array_equal(ColumnScaler().fit_transform(rows), StandardScaler().fit_transform(rows))


def test_rows_of_zeros_and_few_digits_do_not_count_and_one_column_has_no_length():
    rows = np.vstack([X.toarray().round(5), np.zeros((2, X.shape[1]))])
    assert rows_like_documents(rows)
    assert not rows_like_documents(np.ones((5, 1)))
    assert not rows_like_documents(np.zeros((5, 2)))


def test_rows_of_one_length_that_are_no_documents_are_standardised():
    rng = np.random.default_rng(0)
    shares = np.sqrt(rng.dirichlet(np.ones(8), size=50))
    year = np.column_stack([rng.normal(size=(50, 2)), np.full(50, 2024.0)])
    groups = np.column_stack([np.eye(20)[rng.integers(20, size=50)], np.full(50, 2024.0)])
    for rows in (shares, year, groups, sparse.csr_matrix(groups)):
        assert not rows_like_documents(rows)
    np.testing.assert_array_equal(ColumnScaler().fit_transform(year), StandardScaler().fit_transform(year))


@pytest.mark.parametrize("name", ["knn", "svm", "slda", "npsvm"])
def test_a_constant_column_changes_nothing(name):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 150)
    X = np.column_stack([0.01 * rng.normal(1.5 * y, 1), 10 * rng.normal(size=300)])
    with_year = np.column_stack([X, np.full(300, 2024.0)])
    fits = [npc(rows, y, name, random_state=1).decision_function(rows) for rows in (X, with_year)]
    # as far as the width of a kernel, 1 / columns, allows
    assert np.corrcoef(*fits)[0, 1] > 0.9


def test_training_rows_that_are_all_the_same_are_scaled_by_one():
    rows, new = np.tile(np.repeat([1.0, 0.0], [5, 15]), (6, 1)), np.eye(20)
    assert rows_like_documents(rows)
    np.testing.assert_array_equal(ColumnScaler(unit_variance=True).fit(rows).transform(new), new)


@pytest.mark.parametrize(
    ("name", "params", "typed"),
    [
        ("logistic", {}, LogisticRegression()),
        ("svm", {}, SVC(gamma=1.0)),
        ("onpsvm", {"random_state": 1}, OnlineNPClassifier(class0=0, random_state=1)),
    ],
)
def test_a_name_gives_text_the_model_that_a_user_would_type(name, params, typed):
    if name == "svm":
        # one over the sum of the columns' variances: a width that 1 / p is of columns of variance 1
        typed.gamma = 1.0 / np.var(X.toarray(), axis=0).sum()
    scores = get_scorer(name, **params).fit(X, Y).decision_function(NEW)
    np.testing.assert_allclose(scores, typed.fit(X, Y).decision_function(NEW), rtol=1e-6, atol=1e-8)


def test_logistic_regression_of_sparse_rows_counts_weights_and_gives_coefficients_of_the_columns():
    rows = sparse.csr_matrix(X.toarray()[:, :60] * np.geomspace(1e-3, 1e3, 60))
    weight = np.random.default_rng(2).integers(0, 3, Y.size)
    weighted = get_scorer("logistic").fit(rows, Y, sample_weight=weight)
    repeated = np.repeat(np.arange(Y.size), weight)
    many = get_scorer("logistic").fit(rows[repeated], Y[repeated])
    np.testing.assert_allclose(weighted.decision_function(rows), many.decision_function(rows), atol=2e-3)
    np.testing.assert_allclose(rows @ many.coef_ + many.intercept_, many.decision_function(rows))
    assert many.converged_
    assert many.separation_ is None
    assert not many.aliased_.any()


def test_few_columns_give_the_maximum_likelihood_estimate_sparse_or_dense():
    rows = X[:, :30].toarray()
    dense, few = get_scorer("logistic").fit(rows, Y), get_scorer("logistic").fit(sparse.csr_array(rows), Y)
    np.testing.assert_array_equal(few.coef_, dense.coef_)


def test_npc_takes_sparse_text_by_the_name_logistic():
    fit = npc(X, Y, "logistic", alpha=0.1, random_state=0)
    assert fit.guaranteed
    assert np.mean(fit.predict(NEW) == 1) > 0.2


def test_the_penalty_of_documents_follows_their_number():
    # with a small alpha no rows can be set aside to choose the penalty
    for n in (500, 4000):
        rows, y = texts(3, n=n, p=25)
        model = OnlineNPClassifier(0.015, class0=0, max_iter=3, tol=None, random_state=0).fit(rows, y)
        # rows of norm 1
        assert model.lam_ == pytest.approx(0.3 / n)


def test_chunks_keep_the_penalty_of_the_first_one():
    model = OnlineNPClassifier(class0=0, random_state=0)
    for start in (0, 100):
        model.partial_fit(X[start : start + 100], Y[start : start + 100], classes=[0, 1])
    assert model.lam_ == pytest.approx(0.3 / 10_000)
    plain = OnlineNPClassifier(class0=0, lam=model.lam_, random_state=0)
    for start in (0, 100):
        plain.partial_fit(X[start : start + 100], Y[start : start + 100], classes=[0, 1])
    np.testing.assert_array_equal(model.coef_, plain.coef_)
