"""Coefficients follow scikit-learn: they rebuild the score of `decision_function`, whichever label is class 0."""

import importlib
import pickle
import pkgutil

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.feature_selection import SelectFromModel
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.utils.validation import check_is_fitted

import nproc.scorers
from nproc.persistence import TRUSTED
from nproc.scorers.base import NPScorer

# a model of it that adds up columns
LINEAR = {
    "AsymmetricCostSVC": {"alpha": 0.2, "kernel": "linear", "C1s": [1.0], "C0s": [1.0], "n_folds": 2},
    "ConstrainedNPClassifier": {"alpha": 0.2},
    "GaussianNPClassifier": {"alpha": 0.2},
    "NPSVC": {"alpha": 0.2, "kernel": "linear", "shift": True},
    "OnlineNPClassifier": {"alpha": 0.2, "max_iter": 5, "random_state": 1},
    "OnlineNPClassifierCV": {"alpha": 0.2, "lams": [0.01], "taus": [1.0], "cv": 2, "max_iter": 5, "random_state": 1},
    "PrecisionAtKSVC": {"k": 0.5},
    "QValueLinear": {"q": 0.2, "max_iter": 5, "random_state": 1},
    "QValueSVC": {"q": [0.1, 0.3], "kernel": "linear"},
    # a threshold of 0.3, not of 1/2
    "SparseLogisticClassifier": {"p_min": 0.2, "p_max": 0.4},
}
# and one that adds up values of a kernel
GAMMA = 0.4
KERNEL = {
    "AsymmetricCostSVC": {"alpha": 0.2, "gammas": [GAMMA], "C1s": [1.0], "C0s": [1.0], "n_folds": 2},
    "GaussianNPClassifier": {"alpha": 0.2, "kernel": "rbf", "gamma": GAMMA},
    "NPSVC": {"alpha": 0.2, "gamma": GAMMA, "shift": True},
    "QValueSVC": {"q": [0.1, 0.3], "gamma": GAMMA},
    "SparseLogisticClassifier": {"p_min": 0.2, "p_max": 0.4, "kernel": "rbf", "gamma": GAMMA},
}
# never a sum of either
OTHERS = {"OnlineNPNetwork", "ParzenNP", "QValueNetwork"}

RNG = np.random.default_rng(0)
Y = np.repeat([0, 1], [70, 90])
X = RNG.normal(size=(160, 3)) + np.outer(Y, [1.5, -1.0, 0.0])
X_NEW = RNG.normal(size=(40, 3)) + np.array([0.7, -0.5, 0.0])
LABELS = {
    "numbers": (np.array([0, 1]), {}),
    "numbers, class 0 second": (np.array([1, 0]), {"class0": 1}),
    "words": (np.array(["fit", "ill"]), {"class0": "fit"}),
    "words, class 0 second": (np.array(["well", "ill"]), {"class0": "well"}),
}

# how well they are trained is not what is looked at
pytestmark = [
    pytest.mark.filterwarnings("ignore::nproc.errors.NPWarning"),
    pytest.mark.filterwarnings("ignore::nproc.errors.NotConvergedWarning"),
]


def children(kind):
    for child in kind.__subclasses__():
        yield child
        yield from children(child)


def estimators():
    """The classes of the package to be fitted, by name: those that no other class of it is made of."""
    for module in pkgutil.walk_packages(nproc.scorers.__path__, "nproc.scorers."):
        importlib.import_module(module.name)
    own = {kind for kind in children(NPScorer) if kind.__module__.startswith("nproc.")}
    return {kind.__name__: kind for kind in own if not own.intersection(kind.__subclasses__())}


KINDS = estimators()


def made(name, settings, labels="numbers"):
    return KINDS[name](**{**settings[name], **LABELS[labels][1]})


def fitted(name, settings, labels="numbers"):
    return made(name, settings, labels).fit(X, LABELS[labels][0][Y])


def assert_rebuilds(model, products):
    """The products of the terms with their coefficients, plus the intercept, are the scores of the new rows."""
    assert model.intercept_.shape == (1,)
    scores = model.decision_function(X_NEW)
    assert np.ptp(scores) > 0
    np.testing.assert_allclose(products + model.intercept_, scores[:, None], rtol=1e-9, atol=1e-10)
    np.testing.assert_array_equal(model.predict(X_NEW), model.classes_[(scores > 0).astype(int)])


def test_every_scorer_is_looked_at_here():
    assert set(KINDS) == {*LINEAR, *KERNEL, *OTHERS}
    assert OTHERS.isdisjoint({*LINEAR, *KERNEL})


@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("name", LINEAR)
def test_the_weights_rebuild_the_score(name, labels):
    model = fitted(name, LINEAR, labels)
    assert (model.class0_ == model.classes_[1]) == ("second" in labels)
    assert model.coef_.shape == (1, 3)
    assert_rebuilds(model, X_NEW @ model.coef_.T)


@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("name", KERNEL)
def test_the_dual_coefficients_rebuild_the_score(name, labels):
    model = fitted(name, KERNEL, labels)
    assert model.dual_coef_.shape == (1, model.support_.size)
    assert_rebuilds(model, rbf_kernel(X_NEW, X[model.support_], gamma=GAMMA) @ model.dual_coef_.T)
    assert not hasattr(model, "coef_")


@pytest.mark.parametrize("labels", ["numbers", "words, class 0 second"])
def test_the_dual_coefficients_of_a_linear_and_a_precomputed_kernel_have_the_same_sign(labels):
    linear = fitted("NPSVC", LINEAR, labels)
    np.testing.assert_allclose(linear.dual_coef_ @ X[linear.support_], linear.coef_, atol=1e-10)
    given = made("NPSVC", {"NPSVC": {**KERNEL["NPSVC"], "kernel": "precomputed"}}, labels)
    given.fit(rbf_kernel(X, gamma=GAMMA), LABELS[labels][0][Y])
    rows = rbf_kernel(X_NEW, X, gamma=GAMMA)
    by_hand = rows[:, given.support_] @ given.dual_coef_.T + given.intercept_
    np.testing.assert_allclose(by_hand[:, 0], given.decision_function(rows), atol=1e-10)


@pytest.mark.parametrize("labels", ["numbers", "numbers, class 0 second"])
def test_weights_of_random_features_rebuild_the_score(labels):
    settings = {**LINEAR["OnlineNPClassifier"], "kernel": "rbf", "n_components": 8}
    model = fitted("OnlineNPClassifier", {"OnlineNPClassifier": settings}, labels)
    assert model.coef_.shape == (1, 8)
    assert_rebuilds(model, model.random_features_.project(X_NEW, model.coef_[0])[:, None])


@pytest.mark.parametrize("labels", ["numbers", "words, class 0 second"])
def test_the_weights_follow_every_chunk(labels):
    model, names = made("OnlineNPClassifier", LINEAR, labels), LABELS[labels][0]
    seen = []
    for start in (0, 1):
        model.partial_fit(X[start::2], names[Y[start::2]], classes=np.sort(names))
        assert_rebuilds(model, X_NEW @ model.coef_.T)
        seen.append(model.coef_)
    assert not np.array_equal(*seen)


def test_each_machine_of_several_q_has_its_own():
    model = fitted("QValueSVC", LINEAR, "words, class 0 second")
    for machine in model.machines_:
        assert_rebuilds(machine, X_NEW @ machine.coef_.T)
    np.testing.assert_array_equal(model.coef_, model.machines_[0].coef_)


@pytest.mark.parametrize("name", [name for name in LINEAR if KINDS[name]._accepts_sparse is True])
def test_sparse_rows_leave_dense_weights(name):
    names = LABELS["words, class 0 second"][0]
    model = made(name, LINEAR, "words, class 0 second").fit(sparse.csr_array(X), names[Y])
    assert type(model.coef_) is np.ndarray
    assert_rebuilds(model, X_NEW @ model.coef_.T)


@pytest.mark.parametrize("name", KERNEL)
def test_a_second_fit_leaves_nothing_of_the_first(name):
    model = fitted(name, LINEAR)
    kernel = KINDS[name](**KERNEL[name])
    model.set_params(**kernel.get_params()).fit(X, Y)
    assert not hasattr(model, "coef_")
    np.testing.assert_array_equal(model.dual_coef_, kernel.fit(X, Y).dual_coef_)
    model.set_params(**KINDS[name](**LINEAR[name]).get_params()).fit(X, Y)
    assert_rebuilds(model, X_NEW @ model.coef_.T)
    assert hasattr(model, "dual_coef_") == (name in ("NPSVC", "QValueSVC", "SparseLogisticClassifier"))
    assert hasattr(model, "support_") == hasattr(model, "dual_coef_")


@pytest.mark.parametrize("name", sorted({*LINEAR, *KERNEL}))
def test_without_a_fit_there_are_none_and_the_reason_is_told(name):
    model = made(name, LINEAR)
    for attribute in ("coef_", "intercept_", "dual_coef_"):
        assert not hasattr(model, attribute)
        with pytest.raises(AttributeError, match=f"{name} is not fitted yet, so it has no {attribute}"):
            getattr(model, attribute)
    model = clone(model.fit(X, Y))
    assert not hasattr(model, "coef_")


def test_what_a_model_has_not_is_told():
    with pytest.raises(AttributeError, match="NPSVC has no coef_: its score is not kept as a weighted sum of columns"):
        _ = fitted("NPSVC", KERNEL).coef_
    with pytest.raises(AttributeError, match="GaussianNPClassifier has no dual_coef_: its score is not"):
        _ = fitted("GaussianNPClassifier", LINEAR).dual_coef_


@pytest.mark.parametrize("name", sorted(OTHERS))
def test_other_scorers_have_none(name):
    assert not hasattr(KINDS[name], "coef_")


@pytest.mark.parametrize("labels", ["numbers", "numbers, class 0 second"])
def test_they_are_to_be_read_only(labels):
    model = fitted("ConstrainedNPClassifier", LINEAR, labels)
    with pytest.raises(AttributeError):
        model.coef_ = np.zeros((1, 3))
    with pytest.raises(ValueError, match="read-only"):
        model.coef_[0, 0] = 0.0
    with pytest.raises(ValueError, match="read-only"):
        model.intercept_ += 1.0


def test_a_weight_of_0_is_0_on_either_side():
    for labels in ("numbers", "numbers, class 0 second"):
        settings = {"ConstrainedNPClassifier": {"tau": 0.68, "fit_intercept": False}}
        model = fitted("ConstrainedNPClassifier", settings, labels)
        assert model.intercept_[0] == 0.0
        assert not np.signbit(model.intercept_[0])


@pytest.mark.parametrize("name", LINEAR)
def test_features_are_selected_by_them(name):
    model = made(name, LINEAR, "words, class 0 second")
    chosen = SelectFromModel(model, max_features=2, threshold=-np.inf).fit(X, LABELS["words, class 0 second"][0][Y])
    # the third column says nothing
    assert chosen.get_support().tolist() == [True, True, False]
    check_is_fitted(chosen.estimator_, "coef_")


@pytest.mark.parametrize("settings", [LINEAR, KERNEL], ids=["linear", "kernel"])
def test_a_saved_model_keeps_them(settings):
    for name in settings:
        model = fitted(name, settings, "words, class 0 second")
        again = pickle.loads(pickle.dumps(model))
        for attribute in ("coef_", "intercept_", "dual_coef_"):
            assert hasattr(again, attribute) == hasattr(model, attribute)
            if hasattr(model, attribute):
                np.testing.assert_array_equal(getattr(again, attribute), getattr(model, attribute))


@pytest.mark.slow
@pytest.mark.parametrize("settings", [LINEAR, KERNEL], ids=["linear", "kernel"])
def test_a_safe_file_keeps_them(settings, tmp_path):
    sio = pytest.importorskip("skops.io")
    for name in settings:
        model = fitted(name, settings, "words, class 0 second")
        path = tmp_path / f"{name}.skops"
        sio.dump(model, path)
        assert set(sio.get_untrusted_types(file=path)) <= set(TRUSTED)
        again = sio.load(path, trusted=TRUSTED)
        np.testing.assert_array_equal(again.intercept_, model.intercept_)
        shown = "coef_" if settings is LINEAR else "dual_coef_"
        np.testing.assert_array_equal(getattr(again, shown), getattr(model, shown))
