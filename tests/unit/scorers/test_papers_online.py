"""The stochastic Neyman-Pearson estimator: its rates, its chunks, its kernel, its words."""

import pickle
import tracemalloc

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from nproc.errors import InvalidInputError, NotConvergedWarning, NPWarning
from nproc.scorers.papers.online import OnlineNPClassifier, onpsvm


def gaussians(n=600, seed=0, shift=2.0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    X = rng.normal(size=(n, 3))
    X[:, 0] += shift * y
    return X, y


def rings(n=800, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    angle, radius = rng.uniform(0, 2 * np.pi, n), rng.normal(1.0 + 2.0 * y, 0.4)
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]), y


def quick(**changes):
    return OnlineNPClassifier(**({"alpha": 0.1, "max_iter": 30, "random_state": 1} | changes))


@pytest.mark.parametrize("alpha", [0.05, 0.1, 0.2])
def test_the_training_type_1_error_is_near_alpha_and_not_far_above(alpha):
    X, y = load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    model = OnlineNPClassifier(alpha, random_state=0).fit(X, y)
    type1 = np.mean(model.predict(X[y == 0]) == 1)
    # one row of 212 is 0.005
    assert 0.5 * alpha <= type1 <= alpha + 0.01
    assert model.converged_
    assert np.mean(model.predict(X[y == 1]) == 0) < 0.02


def test_the_last_row_of_the_history_has_the_errors_on_all_rows():
    X, y = gaussians()
    model = quick().fit(X, y)
    last = model.history_.iloc[-1]
    assert list(model.history_.columns) == ["objective", "type1", "type2", "multiplier", "full_data"]
    assert len(model.history_) == model.n_iter_ == 30
    assert last["full_data"] == 1
    assert last["type1"] == np.mean(model.predict(X[y == 0]) == 1)
    assert last["type2"] == np.mean(model.predict(X[y == 1]) == 0)
    assert last["multiplier"] == model.multiplier_
    assert model.t_ == 30 * 600


def test_the_score_is_the_linear_function_of_the_coefficients():
    X, y = gaussians()
    model = quick().fit(X, y)
    assert model.coef_.shape == (1, 3)
    assert model.intercept_.shape == (1,)
    np.testing.assert_allclose(model.decision_function(X), X @ model.coef_[0] + model.intercept_[0], rtol=1e-12)


def test_the_other_label_can_be_the_one_that_is_bounded():
    X, y = gaussians()
    names = np.array(["fraud", "honest"])[y]
    model = quick(alpha=0.02, class0="honest").fit(X, names)
    assert model.class0_ == "honest"
    assert np.mean(model.predict(X[y == 1]) == "fraud") < 0.04
    turned = quick(alpha=0.02).fit(X, 1 - y)
    np.testing.assert_array_equal(model.decision_function(X), -turned.decision_function(X))


def test_the_same_seed_gives_the_same_model_and_another_seed_another():
    X, y = gaussians()
    first, again, other = (quick(random_state=seed).fit(X, y).coef_ for seed in (3, 3, 4))
    np.testing.assert_array_equal(first, again)
    assert (first != other).all()


def test_small_and_whole_numbers_are_taken():
    X, y = gaussians()
    rounded = np.round(X)
    expected = quick().fit(rounded, y).coef_
    for kind in (np.float32, np.int64):
        np.testing.assert_array_equal(quick().fit(rounded.astype(kind), y).coef_, expected)
    np.testing.assert_array_equal(quick().fit(np.asfortranarray(rounded), y).coef_, expected)


def test_sparse_rows_are_not_made_dense():
    rng = np.random.default_rng(0)
    columns = rng.integers(0, 2**20, size=8000)
    X = sparse.csr_array((np.ones(8000), (np.repeat(np.arange(400), 20), columns)), shape=(400, 2**20))
    y = rng.integers(0, 2, 400)
    # dense, it would be 3.4 GB
    model = quick(max_iter=2, tol=None).fit(X, y)
    assert model.decision_function(X).shape == (400,)


def test_chunks_are_learnt_one_after_another():
    X, y = gaussians(6000)
    model, again = quick(), quick()
    for one in (model, again):
        for start in range(0, 6000, 500):
            one.partial_fit(X[start : start + 500], y[start : start + 500], classes=[0, 1])
    np.testing.assert_array_equal(model.coef_, again.coef_)
    assert model.t_ == 6000
    assert model.n_iter_ == len(model.history_) == 12
    assert not hasattr(model, "certificate_")
    whole = quick(max_iter=30).fit(X, y)
    assert 0.02 < np.mean(model.predict(X[y == 0]) == 1) < 0.15
    type2 = np.mean(model.predict(X[y == 1]) == 0)
    assert type2 < np.mean(whole.predict(X[y == 1]) == 0) + 0.1


def test_a_fit_can_be_carried_on_with_and_pickled():
    X, y = gaussians()
    model = quick().fit(X, y)
    back = pickle.loads(pickle.dumps(model))
    for one in (model, back):
        one.partial_fit(X, y)
    np.testing.assert_array_equal(model.coef_, back.coef_)
    assert model.t_ == 31 * 600
    assert len(model.history_) == 31


def test_a_chunk_of_one_class_is_learnt_with_the_weights_for_the_counts_so_far():
    X, y = gaussians()
    model = quick().partial_fit(X, y, classes=[0, 1])
    before = model.intercept_[0]
    with pytest.warns(NPWarning, match="the rows seem to be sorted"):
        model.partial_fit(X[y == 0][:100], y[y == 0][:100])
    assert model.t_ == 700
    assert model.intercept_[0] < before
    # means over no rows are unknown, not 0
    assert np.isfinite(model.history_["type1"].to_numpy()).all()
    np.testing.assert_array_equal(np.isnan(model.history_[["objective", "type2"]]), [[False, False], [True, True]])


def test_the_rate_of_the_multiplier_follows_n0_total():
    X, y = gaussians()
    few, many = (quick(n0_total=n).partial_fit(X, y, classes=[0, 1]).multiplier_ for n in (100_000, None))
    assert abs(few - 1) < 0.2 * abs(many - 1)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_random_features_separate_what_a_line_cannot(kind):
    X, y = rings()
    model = quick(kernel="rbf", n_components=200).fit(kind(X), y)
    assert model.coef_.shape == (1, 200)
    assert np.mean(model.predict(kind(X[y == 0])) == 1) < 0.12
    assert np.mean(model.predict(kind(X[y == 1])) == 0) < 0.05
    line = quick().fit(kind(X), y)
    assert np.mean(line.predict(kind(X[y == 1])) == 0) > 0.5


def test_progress_is_written_on_standard_error(capsys):
    X, y = gaussians()
    quick(verbose=10).fit(X, y).partial_fit(X, y)
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(":")[0] for line in lines] == ["epoch 10", "epoch 20", "epoch 30"]
    assert "(rows drawn), multiplier" in lines[0]
    assert "(all rows), multiplier" in lines[2]


def test_a_fit_that_is_not_done_warns_with_the_reason():
    X, y = gaussians()
    with pytest.warns(NotConvergedWarning, match="OnlineNPClassifier stopped after 2 iterations: .* above tol=1e-06"):
        model = quick(max_iter=2, tol=1e-6).fit(X, y)
    assert not model.converged_


def test_an_alpha_of_less_than_one_row_warns():
    X, y = gaussians()
    with pytest.warns(NPWarning, match="is less than one row"):
        quick(alpha=1e-3, tol=None).fit(X, y)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"alpha": 1.5}, "alpha must lie strictly between 0 and 1, got 1.5"),
        ({"lam": 0.0}, "lam must be a finite number above 0 or 'auto', got 0.0"),
        ({"eta": -1}, "eta must be a finite number above 0, got -1"),
        ({"gamma0": "fast"}, "gamma0 must be a finite number above 0 or 'auto', got 'fast'"),
        ({"tau": np.inf}, "tau must be a finite number above 0, got inf"),
        ({"loss": "hinge"}, "loss must be one of 'sigmoid', 'ramp', got 'hinge'"),
        ({"kernel": "poly"}, "kernel must be one of 'linear', 'rbf', got 'poly'"),
        ({"kernel": "rbf", "gamma": 0}, "gamma must be a finite number above 0 or 'scale', got 0"),
        ({"kernel": "rbf", "n_components": 0}, "n_components must be at least 1, got 0"),
        ({"update": "plus"}, "update must be one of 'multiplicative', 'additive', got 'plus'"),
        ({"max_iter": 0}, "max_iter must be at least 1, got 0"),
        ({"average": -1}, "average must be at least 0, got -1"),
        ({"tol": -1.0}, "tol must be a finite number above 0, got -1.0"),
        ({"class0": 5}, r"class0 must be one of the labels \[0, 1\] of y, got 5"),
        ({"gamma0": 1e308, "lam": 1e-320}, "lam must be at least 1e-300"),
    ],
)
def test_bad_parameters_are_named(changes, message):
    X, y = gaussians()
    with pytest.raises(InvalidInputError, match=message):
        quick(**changes).fit(X, y)


def test_partial_fit_says_what_it_needs():
    X, y = gaussians()
    with pytest.raises(InvalidInputError, match="classes must be given in the first call"):
        quick().partial_fit(X, y)
    with pytest.raises(InvalidInputError, match=r"classes must hold 2 labels, got \[0, 1, 2\]"):
        quick().partial_fit(X, y, classes=[0, 1, 2])
    model = quick().partial_fit(X, y, classes=[0, 1])
    with pytest.raises(InvalidInputError, match=r"classes must be the labels \[0, 1\] of the first call, got \[0, 2\]"):
        model.partial_fit(X, y, classes=[0, 2])
    with pytest.raises(InvalidInputError, match=r"only the labels \[0, 1\] given as classes, got .*7"):
        model.partial_fit(X, np.where(y == 1, 7, y))
    with pytest.raises(AttributeError, match="not fitted yet"):
        _ = quick().history_


def test_the_factory_hands_its_keywords_on():
    pipeline = onpsvm(alpha=0.2, kernel="rbf", n_components=7)
    assert pipeline["onpsvm"].get_params()["n_components"] == 7
    X, y = gaussians()
    assert pipeline.set_params(onpsvm__max_iter=20).fit(X, y).decision_function(X).shape == (600,)


# scikit-learn's data are tiny: alpha * n0 < 1, and runs of few steps; some checks are skipped with a warning
# scikit-learn's checks have labels of all kinds and never name class0
@pytest.mark.filterwarnings("ignore:class0 is not given")
@pytest.mark.filterwarnings("ignore::nproc.errors.NPWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@pytest.mark.parametrize("changes", [{}, {"kernel": "rbf", "n_components": 50}], ids=["linear", "rbf"])
def test_it_keeps_scikit_learns_conventions(changes):
    assert len(check_estimator(OnlineNPClassifier(**changes), on_fail="raise")) > 30


def test_memory_beyond_the_data_is_little_more_than_a_byte_a_row():
    n, labels = 100_000, np.array([0, 1])
    y = labels[np.random.default_rng(0).integers(0, 2, n)]
    X = np.random.default_rng(1).normal(size=(n, 2)) + y[:, None]
    few = {"max_iter": 1, "tol": None}
    # imports and compiled functions are not the data's
    quick(**few).fit(X[:100], y[:100]).partial_fit(X[:100], y[:100])
    peaks = []
    for learn in (lambda: quick(**few).fit(X, y), lambda: quick().partial_fit(X, y, classes=labels)):
        tracemalloc.start()
        learn()
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    # blocks of draws and a scan of the labels take the rest; the rows are 1.6 MB
    assert max(peaks) < 2 * n + 250_000
