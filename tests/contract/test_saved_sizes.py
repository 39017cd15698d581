"""What a fitted object keeps: no training rows, but for the scorers whose score is made of them."""

import pickle

import numpy as np
import pytest
from test_scorers import BUILT_IN, QUICK

from nproc import InvalidInputError, NPClassifier, load, npc, nproc, save

N_FEATURES = 60
ROW = 8 * N_FEATURES
SIZES = (500, 1000)
# support vectors, neighbours and kernel centres: the training rows are the model
MADE_OF_ROWS = {"acsvm", "knn", "npsvm", "parzen", "qsvm", "svm"}
# bytes a row of what grows with the data without being rows: nodes of trees, knots of densities
GROWS = {"tree": 60, "gradientboosting": 160, "randomforest": 200, "nnb": 160}
SMALL = {
    **QUICK,
    "randomforest": {"n_estimators": 10},
    "acsvm": {"n_folds": 2, "C1s": [1.0], "C0s": [1.0]},
    "onpsvm": {"max_iter": 20},
    "onpnet": {"max_iter": 20},
    "qnet": {"q": 0.3, "max_iter": 20},
    "qsvm": {"q": 0.3},
}


def sample(n):
    rng = np.random.default_rng(0)
    y = np.arange(n) % 2
    return rng.normal(size=(n, N_FEATURES)) + 0.5 * y[:, None] * (np.arange(N_FEATURES) < 20), y


def size_of(thing):
    return len(pickle.dumps(thing))


@pytest.mark.parametrize("name", BUILT_IN)
@pytest.mark.filterwarnings("ignore::nproc.errors.NPWarning")
def test_a_saved_fit_has_no_training_rows_that_its_scorer_does_not_need(name):
    fits = [npc(*sample(n), name, alpha=0.1, delta=0.1, random_state=1, method_params=SMALL.get(name)) for n in SIZES]
    # of class 0 one half trains
    n_trained = [n - n // 4 for n in SIZES]
    if name in MADE_OF_ROWS:
        assert size_of(fits[1]) < 1.25 * ROW * n_trained[1] + 30_000
        return
    growth = (size_of(fits[1]) - size_of(fits[0])) / (n_trained[1] - n_trained[0])
    # left-out scores, indices and flags are a few bytes a row
    assert growth < GROWS.get(name, 16)


@pytest.mark.parametrize("make", [npc, nproc, NPClassifier])
def test_no_face_adds_the_rows(make):
    sizes = []
    for n in SIZES:
        X, y = sample(n)
        fitted = make("lda", random_state=1).fit(X, y) if make is NPClassifier else make(X, y, "lda", random_state=1)
        sizes.append(size_of(fitted))
    assert sizes[1] - sizes[0] < 32 * (SIZES[1] - SIZES[0])


@pytest.mark.parametrize("name", ["npsvm", "sparselogit"])
@pytest.mark.filterwarnings("ignore::nproc.errors.NPWarning")
def test_a_linear_kernel_leaves_its_weights_and_no_rows(name):
    X, y = sample(400)
    fit = npc(X, y, name, alpha=0.2, delta=0.2, kernel="linear", random_state=1)
    machine = fit.scorers[0][-1]
    assert not hasattr(machine, "support_vectors_")
    assert machine.coef_.shape == (1, N_FEATURES)
    assert size_of(fit) < 0.25 * ROW * 300


@pytest.mark.parametrize("name", BUILT_IN)
@pytest.mark.filterwarnings("ignore::nproc.errors.NPWarning")
def test_a_saved_fit_has_nothing_of_the_machinery_that_trained_it(name):
    X, y = sample(300)
    kept = pickle.dumps(npc(X, y, name, alpha=0.2, delta=0.2, random_state=1, method_params=SMALL.get(name)))
    # what scikit-learn hangs on the steps of a pipeline while it is fitted
    assert b"allback" not in kept
    # frames of history are kept as columns
    assert b"pandas" not in kept


# their compiled code follows the numbers of a file, see nproc/persistence.py
IN_NEED_OF_TRUST = {"ada", "gradientboosting", "knn", "randomforest", "tree"}


@pytest.mark.parametrize("name", BUILT_IN)
@pytest.mark.filterwarnings("ignore::nproc.errors.NPWarning")
def test_a_safe_file_of_every_name_loads_or_says_whom_to_trust(name, tmp_path):
    pytest.importorskip("skops")
    X, y = sample(300)
    fit = npc(X, y, name, alpha=0.2, delta=0.2, random_state=1, method_params=SMALL.get(name))
    path = save(fit, tmp_path / "model.skops")
    if name in IN_NEED_OF_TRUST:
        with pytest.raises(InvalidInputError, match=r"not trusted: sklearn\."):
            load(path)
        return
    np.testing.assert_array_equal(load(path).decision_function(X), fit.decision_function(X))
