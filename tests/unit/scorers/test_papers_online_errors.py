"""What is left of a stochastic classifier after an error, and what its warnings say."""

import re
import tracemalloc
import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError

from nproc.errors import InvalidInputError, NPWarning, PlainPythonWarning
from nproc.scorers import base as np_scorer
from nproc.scorers.papers.online import OnlineNPClassifier
from nproc.solvers import jit


def gaussians(n=600, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    X = rng.normal(size=(n, 3))
    X[:, 0] += 2.0 * y
    return X, y


def quick(**changes):
    return OnlineNPClassifier(**({"alpha": 0.1, "max_iter": 30, "random_state": 1} | changes))


def test_a_chunk_that_makes_weights_overflow_leaves_a_model_of_numbers():
    X, y = gaussians()
    model = quick(gamma0=0.1)
    with pytest.raises(InvalidInputError, match="the weights overflowed"):
        model.partial_fit(1e150 * X, y, classes=[0, 1])
    # nothing was learnt, so that the next call is the first
    scores = model.partial_fit(1e-300 * X, y, classes=[0, 1]).decision_function(X)
    for _ in range(2):
        with pytest.raises(InvalidInputError, match="the weights overflowed"):
            model.partial_fit(1e150 * X, y)
    np.testing.assert_array_equal(model.decision_function(X), scores)
    assert len(model.history_) == model.n_iter_ == 1


def test_a_fit_that_fails_leaves_the_old_model_in_one_piece():
    X, y = gaussians()
    model = quick(kernel="rbf", n_components=20, tol=None).fit(X, y)
    scores = model.decision_function(X)
    with pytest.raises(InvalidInputError, match="must be below 1"):
        model.set_params(lam=1e9, random_state=2).fit(X, y)
    np.testing.assert_array_equal(model.decision_function(X), scores)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_a_scale_of_the_rbf_kernel_that_overflows_is_told_and_a_tiny_one_is_not_divided_by(kind):
    X, y = gaussians()
    with pytest.raises(InvalidInputError, match="squares overflow"):
        quick(kernel="rbf").fit(kind(1e200 * X), y)
    model = quick(kernel="rbf", n_components=20, tol=None).fit(kind(1e-160 * X), y)
    assert np.isfinite(model.decision_function(X)).all()


@pytest.mark.parametrize("n0", [1, 3, 7, 30, 49, 99, 107, 997])
def test_the_advice_on_alpha_is_followed_without_another_warning(n0):
    X, y = gaussians(n=2 * n0)
    y = np.repeat([0, 1], n0)
    with pytest.warns(NPWarning, match="is less than one row") as caught:
        quick(alpha=0.5 / n0, max_iter=1, tol=None).fit(X, y)
    advised = float(re.search(r"at least ([0-9.e-]+),", str(caught[0].message)).group(1))
    assert 1 / n0 <= advised * (1 + 1e-12) <= 1.1 / n0 * (1 + 1e-12)
    if n0 > 1:
        # warnings are errors: neither the advised level nor one row exactly draws one
        quick(alpha=advised, max_iter=1, tol=None).fit(X, y)
        quick(alpha=1 / n0, max_iter=1, tol=None).fit(X, y)


@pytest.mark.parametrize("class0", [[0], [0, 1, 2], "0", None, 0])
def test_class0_is_one_label_or_none(class0):
    X, y = gaussians()
    model = quick(class0=class0, max_iter=1, tol=None)
    if class0 in (None, 0):
        assert model.fit(X, y).class0_ == 0
    else:
        with pytest.raises(InvalidInputError, match=r"class0 must be one (label|of the labels)"):
            model.fit(X, y)


def test_without_numba_one_warning_says_what_it_costs_and_what_to_install(monkeypatch):
    X, y = gaussians(n=60)
    compiled = quick(max_iter=3, tol=None).fit(X, y)
    monkeypatch.setattr(jit, "numba_installed", lambda: False)
    monkeypatch.setattr(np_scorer, "_told_of_numba", False)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = quick(max_iter=3, tol=None).fit(X, y).fit(X, y)
        model.partial_fit(X, y)
        quick().partial_fit(X, y, classes=[0, 1])
    told = [w for w in caught if issubclass(w.category, PlainPythonWarning)]
    assert len(told) == 1
    assert re.search(r"about \d+ times slower.*pip install 'nproc-py\[fast\]'", str(told[0].message))
    assert told[0].filename == __file__
    np.testing.assert_allclose(quick(max_iter=3, tol=None).fit(X, y).coef_, compiled.coef_, rtol=1e-10)


def test_a_parameter_changed_between_chunks_is_an_error():
    X, y = gaussians()
    model = quick(alpha=0.1).partial_fit(X, y, classes=[0, 1])
    with pytest.raises(InvalidInputError, match=f"change of alpha from 0.1 to 0.4, lam from {model.lam_} to 5.0"):
        model.set_params(alpha=0.4, lam=5.0).partial_fit(X, y)
    with pytest.raises(InvalidInputError, match="alpha must lie strictly between 0 and 1"):
        model.set_params(alpha=7).partial_fit(X, y)
    assert model.set_params(alpha=0.1, lam=model.lam_).partial_fit(X, y).n_iter_ == 2


@pytest.mark.parametrize("begin", ["fit", "partial_fit"])
@pytest.mark.parametrize(
    ("given", "changes", "told"),
    [
        ({}, {"class0": 1}, "class0 from 0 to 1"),
        ({"class0": 1}, {"class0": None}, "class0 from 1 to 0"),
        ({}, {"kernel": "rbf"}, "kernel from 'linear' to 'rbf'"),
        ({"kernel": "rbf"}, {"kernel": "linear"}, "kernel from 'rbf' to 'linear'"),
        ({"kernel": "rbf"}, {"gamma": 2}, "gamma from 'scale' to 2.0"),
        ({"kernel": "rbf"}, {"n_components": 30}, "n_components from 20 to 30"),
        ({}, {"update": "additive"}, "update from 'multiplicative' to 'additive'"),
    ],
)
def test_another_class_kernel_or_update_in_the_middle_of_the_training_is_an_error(begin, given, changes, told):
    X, y = gaussians()
    given = {"n_components": 20, "class0": None, "gamma": "scale", "kernel": "linear", **given}
    model = quick(tol=None, **given)
    model.fit(X, y) if begin == "fit" else model.partial_fit(X, y, classes=[0, 1])
    before = model.decision_function(X)
    with pytest.raises(InvalidInputError, match=f"there is a change of {re.escape(told)}. Set it back"):
        model.set_params(**changes).partial_fit(X, y)
    np.testing.assert_array_equal(model.decision_function(X), before)
    # the way out
    model.set_params(update="multiplicative", **given).partial_fit(X, y)
    model.set_params(**changes).fit(X, y).partial_fit(X, y)


def test_averaging_that_began_cannot_be_turned_off():
    X, y = gaussians()
    model = quick(average=True).partial_fit(X, y, classes=[0, 1])
    # the first chunk is not in the mean yet
    model.set_params(average=False).partial_fit(X, y)
    model.set_params(average=True).partial_fit(X, y)
    with pytest.raises(InvalidInputError, match=r"trained with averaging.* Set it back, or train a new model"):
        model.set_params(average=False).partial_fit(X, y)
    assert model.set_params(average=True).partial_fit(X, y).n_iter_ == 4


def test_what_does_not_change_the_model_may_change_between_chunks():
    X, y = gaussians()
    model = quick().partial_fit(X, y, classes=[0, 1])
    # the class by its name, and settings of a kernel that is not used
    assert model.set_params(class0=0, gamma=3.0, n_components=7).partial_fit(X, y).n_iter_ == 2


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_after_a_refused_first_chunk_the_model_is_not_fitted(kernel):
    X, y = gaussians()
    model = quick(kernel=kernel, n_components=20, gamma0=0.1)
    refused = [
        ({}, np.where(y == 1, 7, y), "only the labels"),
        ({"gamma0": 1e200}, y, "the weights overflowed|must be below 1"),
        ({"n0_total": 0}, y, "n0_total must be at least 1"),
        ({"verbose": -1}, y, "verbose must be at least 0"),
        ({"average": -1}, y, "average must be at least 0"),
    ]
    for changes, labels, message in refused:
        with pytest.raises(InvalidInputError, match=message):
            model.set_params(**changes).partial_fit(X, labels, classes=[0, 1])
        with pytest.raises(NotFittedError):
            model.predict(X)
        model.set_params(gamma0=0.1, n0_total=None, verbose=0, average=True)
    again = quick(kernel=kernel, n_components=20, gamma0=0.1).partial_fit(X, y, classes=[0, 1])
    np.testing.assert_array_equal(model.partial_fit(X, y, classes=[0, 1]).coef_, again.coef_)
    # a refused setting leaves a trained model as it was
    with pytest.raises(InvalidInputError, match="n0_total must be at least 1"):
        model.set_params(n0_total=0).partial_fit(X, y)
    assert model.t_ == 600
    np.testing.assert_array_equal(model.coef_, again.coef_)


def test_a_matrix_with_entries_in_parts_gives_the_same_model():
    X, y = gaussians()
    whole = sparse.csr_array(X)
    parts = sparse.csr_array((np.repeat(whole.data / 2, 2), np.repeat(whole.indices, 2), whole.indptr * 2), X.shape)
    for kernel in ("linear", "rbf"):
        models = [quick(kernel=kernel, n_components=20, max_iter=3, tol=None).fit(A, y) for A in (whole, parts)]
        np.testing.assert_array_equal(models[0].coef_, models[1].coef_)
    # the user's matrix is left as it was
    assert parts.nnz == 2 * whole.nnz


def test_a_matrix_with_unsorted_rows_is_learnt_without_a_copy():
    n, p, each = 4000, 500, 60
    rng = np.random.default_rng(0)
    columns = np.argsort(rng.random((n, p)), axis=1)[:, :each]
    y = rng.integers(0, 2, n)
    unsorted = sparse.csr_array((rng.normal(size=n * each), columns.ravel(), np.arange(0, n * each + 1, each)), (n, p))
    assert not unsorted.has_canonical_format
    ordered = unsorted.copy()
    ordered.sort_indices()
    given = {"lam": 1e-3, "max_iter": 1, "tol": None}
    # imports and compiled functions are not the data's
    quick(**given).fit(unsorted[:100], y[:100])
    tracemalloc.start()
    model = quick(**given).fit(unsorted, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # the entries alone are 1.9 MB, and scikit-learn's check of finite numbers takes nothing
    assert peak < 0.5 * unsorted.data.nbytes
    assert not unsorted.has_sorted_indices
    # the terms of a score are added up in another order
    np.testing.assert_allclose(model.coef_, quick(**given).fit(ordered, y).coef_, rtol=1e-9, atol=1e-12)


def test_few_class_0_rows_are_told_as_what_they_are_rows_scored_by_models_without_them():
    y = np.repeat([0, 1], [20, 200])
    X = np.random.default_rng(0).normal(size=(220, 2)) + 1.5 * y[:, None]
    told = (
        "sets its threshold on 20 class 0 training rows, each scored by a model trained without it. Of them 0 may "
        "exceed it. So few rows cannot keep the type I error near alpha=0.05. Even if the final model had not seen "
        "these rows, it would be above 0.1 with probability 0.12"
    )
    # no row may exceed it, so that it is above 0.1 with probability 0.9 ^ 20
    assert round(0.9**20, 2) == 0.12
    with pytest.warns(NPWarning, match=re.escape(told)):
        OnlineNPClassifier(alpha=0.05, random_state=1).fit(X, y)
