"""QValueLinear and QValueNetwork: what they promise as estimators."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupShuffleSplit
from sklearn.utils.estimator_checks import check_estimator

from nproc.errors import InvalidInputError, NotConvergedWarning, NPWarning
from nproc.qvalues import accepted
from nproc.scorers import get_scorer
from nproc.scorers.papers.qvalue import QValueLinear, QValueNetwork

BOTH = [QValueLinear, QValueNetwork]


def spectra(n=600, seed=0, real=0.4):
    """A decoy and a target each; what the two share tells nothing."""
    rng = np.random.default_rng(seed)
    spectrum = np.repeat(np.arange(n), 2)
    y = np.tile([0, 1], n)
    is_real = (y == 1) & (rng.random(2 * n) < real)
    X = rng.normal(size=(2 * n, 3)) + np.outer(is_real, [2.5, 1.5, 0.0]) + 0.5 * rng.normal(size=(n, 1))[spectrum]
    return X, y, spectrum


X, Y, SPECTRUM = spectra()
FITTED = {kind: kind(q=0.05, random_state=0).fit(X, Y) for kind in BOTH}


# scikit-learn's tiny data are no target-decoy problem: less than 1 / q rows, some without a threshold at q = 0.01
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::nproc.errors.NPWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@pytest.mark.parametrize("kind", BOTH)
def test_it_keeps_scikit_learns_conventions(kind):
    assert len(check_estimator(kind(random_state=0), on_fail="raise")) > 30


@pytest.mark.parametrize("kind", BOTH)
def test_the_scores_above_zero_are_the_class_1_rows_accepted_in_training(kind):
    model = FITTED[kind]
    inside = (model.decision_function(X) > 0) & (Y == 1)
    np.testing.assert_array_equal(inside, model.accepted(X, Y))
    assert model.n_accepted_.tolist() == [inside.sum()]
    assert model.converged_


@pytest.mark.slow
@pytest.mark.parametrize("kind", BOTH)
def test_held_out_rows_are_split_by_group_and_counted(kind):
    train, test = next(GroupShuffleSplit(1, test_size=0.5, random_state=0).split(X, Y, SPECTRUM))
    assert np.intersect1d(SPECTRUM[train], SPECTRUM[test]).size == 0
    model = kind(q=0.05, random_state=0).fit(X[train], Y[train])
    counted = model.accepted(X[test], Y[test])
    np.testing.assert_array_equal(counted, accepted(model.decision_function(X[test]), Y[test], 0.05))
    assert counted.sum() > 80
    assert model.accepted(X[test], Y[test], 0.2).sum() > counted.sum()
    assert model.accepted(X[test], Y[test], correction=1).sum() <= counted.sum()


@pytest.mark.slow
@pytest.mark.parametrize("kind", BOTH)
def test_a_target_among_few_real_ones_is_found_more_often_than_by_logistic_regression(kind):
    # most of class 1 is false, and real rows lie on both sides of a direction that misleads the logistic loss
    def world(seed):
        rng = np.random.default_rng(seed)
        y = np.repeat([0, 1], 3000)
        X = rng.normal(size=(6000, 3))
        X[3000:3500] += [3.0, 0.0, 0.0]
        X[3500:5000] += [-0.6, 1.5, 0.0]
        return X, y

    (rows, y), (new_rows, new_y) = world(0), world(1)
    model = kind(q=0.02, random_state=0).fit(rows, y)
    logistic = LogisticRegression().fit(rows, y).decision_function(new_rows)
    assert model.accepted(new_rows, new_y).sum() > 1.2 * accepted(logistic, new_y, 0.02).sum()


@pytest.mark.slow
@pytest.mark.parametrize("kind", BOTH)
def test_the_known_negatives_can_be_either_label(kind):
    names = np.where(Y == 1, "a target", "decoy")
    model = kind(q=0.05, class0="decoy", random_state=0).fit(X, names)
    assert model.class0_ == "decoy"
    np.testing.assert_array_equal(model.accepted(X, names), FITTED[kind].accepted(X, Y))
    # scores follow scikit-learn: larger = more like the second label
    np.testing.assert_allclose(model.decision_function(X), -FITTED[kind].decision_function(X))


@pytest.mark.slow
def test_several_q_share_a_ranking_and_have_a_threshold_and_a_multiplier_each():
    model = QValueLinear(q=[0.2, 0.05, 0.1], random_state=0).fit(X, Y)
    assert model.multiplier_.shape == model.offsets_.shape == model.n_accepted_.shape == (3,)
    assert np.all(np.diff(model.offsets_) > 0)
    assert np.all(np.diff(model.n_accepted_) >= 0)
    # the least q is the one of the score and of `accepted`
    assert model.accepted(X, Y).sum() == model.n_accepted_[0]


def test_the_linear_weights_reproduce_the_scores():
    model = FITTED[QValueLinear]
    np.testing.assert_allclose(model.decision_function(X), X @ model.coef_[0] + model.intercept_[0], atol=1e-10)


def test_the_network_weights_reproduce_the_scores():
    model = FITTED[QValueNetwork]
    inner = np.tanh(X @ model.coefs_[0] + model.intercepts_[0])
    expected = (inner @ model.coefs_[1] + model.intercepts_[1])[:, 0]
    np.testing.assert_allclose(model.decision_function(X), expected, atol=1e-10)
    assert model.coefs_[0].shape == (3, 5)


@pytest.mark.slow
@pytest.mark.parametrize("kind", BOTH)
def test_a_seed_decides_everything_and_a_copy_keeps_the_scores(kind):
    model = FITTED[kind]
    np.testing.assert_array_equal(clone(model).fit(X, Y).decision_function(X), model.decision_function(X))
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))


@pytest.mark.parametrize("kind", BOTH)
def test_history_has_a_row_an_epoch(kind):
    model = kind(q=0.05, max_iter=7, random_state=0).fit(X, Y)
    assert len(model.history_) == model.n_iter_ == 7
    assert list(model.history_.columns) == ["objective", "type1", "type2", "multiplier", "accepted"]
    assert model.history_.notna().all(axis=None)


def test_noise_is_reported_and_gives_finite_scores():
    # each decoy has the predictors of a target
    noise, y = np.repeat(np.random.default_rng(0).normal(size=(200, 2)), 2, axis=0), np.arange(400) % 2
    with pytest.warns(NotConvergedWarning, match="no threshold on the training scores meets q=0.01"):
        model = QValueLinear(0.01, max_iter=3, random_state=0).fit(noise, y)
    assert np.isfinite(model.decision_function(noise)).all()


@pytest.mark.parametrize("kind", BOTH)
@pytest.mark.filterwarnings("ignore::nproc.errors.NotConvergedWarning")
@pytest.mark.filterwarnings("ignore:.* So short a list")
def test_a_q_value_that_not_one_class_0_row_may_have_is_a_warning(kind):
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1], [90, 30])
    rows = rng.normal(size=(120, 2)) + y[:, None]
    quick = {"max_iter": 1, "init_iter": 1, "random_state": 0}
    text = r"q=0\.02, 0\.033 times 30 class 1 training rows is less than one row\. .* below 1/30.* at least 0\.034"
    with pytest.warns(NPWarning, match=text):
        kind(q=[0.02, 0.1, 0.033], **quick).fit(rows, y)
    # 1 of 30 rows is a row
    kind(q=1 / 30, **quick).fit(rows, y)


@pytest.mark.parametrize("n1", [3, 30, 99])
def test_below_one_in_n1_every_q_accepts_the_same_rows_and_at_it_there_may_be_others(n1):
    """What the warning says, by count: the best any scores can do with k class 1 rows and one class 0 row is 1 / n1."""
    rng = np.random.default_rng(n1)
    y = np.repeat([0, 1], [40, n1])
    for _ in range(50):
        scores = rng.normal(size=y.size) + 2.0 * y
        above = (scores > scores[y == 0].max()) & (y == 1)
        for q in (1e-6, 0.5 / n1, (1 - 1e-9) / n1):
            np.testing.assert_array_equal(accepted(scores, y, q), above)
    # all but one class 0 row below class 1
    scores = np.append(np.linspace(-2, -1, 39), np.append(9.0, np.ones(n1)))
    assert accepted(scores, y, 1 / n1).all(where=y == 1)


@pytest.mark.parametrize("kind", BOTH)
@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"q": 0}, "q must lie strictly between 0 and 1"),
        ({"q": 1.0}, "q must lie strictly between 0 and 1"),
        ({"q": [0.1, 2]}, "q must lie strictly between 0 and 1"),
        ({"q": []}, "q must be a number strictly between 0 and 1, or several of them"),
        ({"q": [[0.1]]}, "q must be a number strictly between 0 and 1, or several of them"),
        ({"q": "small"}, "q must hold numbers"),
        ({"q": ["0.1", "0.2"]}, "q must hold numbers"),
        ({"q": [0.1, [0.2]]}, "q must hold numbers"),
        ({"init": "zero"}, "init must be one of 'logistic', 'random'"),
        ({"init_iter": 0}, "init_iter must be at least 1"),
        ({"max_iter": 0}, "max_iter must be at least 1"),
        ({"lam": -1}, "lam must be"),
        ({"eta": 0}, "eta must be"),
        ({"tau": -1}, "tau must be"),
        ({"tol": np.nan}, "tol must be"),
        ({"gamma0": 100, "lam": 0.1}, "gamma0 \\* lam must lie below 1"),
        ({"class0": 7}, "class0 must be one of the labels"),
    ],
)
def test_bad_settings_are_explained(kind, parameters, message):
    with pytest.raises(InvalidInputError, match=message):
        kind(**parameters).fit(X, Y)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"hidden": (0,)}, "each number of hidden units must be at least 1"),
        ({"hidden": "five"}, "hidden must be the numbers of units"),
        ({"activation": "sine"}, "activation must be one of"),
        ({"n_restarts": 0}, "n_restarts must be at least 1"),
    ],
)
def test_bad_settings_of_the_network_are_explained(parameters, message):
    with pytest.raises(InvalidInputError, match=message):
        QValueNetwork(**parameters).fit(X, Y)


def test_what_is_counted_must_have_both_labels_and_a_level():
    model = FITTED[QValueLinear]
    with pytest.raises(InvalidInputError, match="one class only"):
        model.accepted(X[Y == 1], Y[Y == 1])
    with pytest.raises(InvalidInputError, match="q must lie strictly between 0 and 1"):
        model.accepted(X, Y, 1.5)


@pytest.mark.parametrize("kind", BOTH)
def test_the_least_q_of_the_training_counts_whatever_the_parameter_is_later(kind):
    model = kind(q=[0.2, 0.05], max_iter=2, tol=10, random_state=0).fit(X, Y)
    assert model.q_.tolist() == [0.05, 0.2]
    expected = accepted(model.decision_function(X), Y, 0.05)
    np.testing.assert_array_equal(model.accepted(X, Y), expected)
    np.testing.assert_array_equal(model.set_params(q=0.5).accepted(X, Y), expected)


@pytest.mark.parametrize("kind", BOTH)
def test_labels_other_than_those_of_fit_are_told_of_in_words(kind):
    with pytest.raises(InvalidInputError, match="y has the labels 'decoy' and 'target', but the training rows had 0 a"):
        FITTED[kind].accepted(X, np.array(["decoy", "target"])[Y])
    # a label is what it is equal to
    np.testing.assert_array_equal(FITTED[kind].accepted(X, Y.astype(float)), FITTED[kind].accepted(X, Y))


@pytest.mark.parametrize("kind", BOTH)
def test_sparse_rows_are_refused_in_words(kind):
    with pytest.raises(InvalidInputError, match=f"X is sparse, and {kind.__name__} needs dense rows"):
        kind().fit(sparse.csr_array(X), Y)


@pytest.mark.parametrize("scale", [1e150, 1e200])
def test_columns_too_large_to_compute_with_are_told_of(scale):
    with pytest.raises(InvalidInputError, match=r"makes the training diverge.*standardise the columns"):
        QValueLinear(q=0.1, random_state=0).fit(X * scale, Y)


@pytest.mark.slow
def test_a_random_start_is_possible():
    model = QValueLinear(q=0.1, init="random", random_state=0).fit(X, Y)
    assert model.n_accepted_[0] > 0.9 * QValueLinear(q=0.1, random_state=0).fit(X, Y).n_accepted_[0]


def test_progress_goes_to_standard_error(capsys):
    QValueLinear(q=0.1, max_iter=2, verbose=1, random_state=0).fit(X, Y)
    assert [line.split(":")[0] for line in capsys.readouterr().err.splitlines()] == [
        "QValueLinear, epoch 1",
        "QValueLinear, epoch 2",
    ]


@pytest.mark.slow
def test_the_name_qnet_standardises_and_passes_its_keywords_on():
    pipeline = get_scorer("qnet", q=0.05, hidden=(3,), random_state=0)
    units = np.array([2.0**20, 1.0, 2.0**-20])
    scores = pipeline.fit(X * units, Y).decision_function(X * units)
    again = get_scorer("qnet", q=0.05, hidden=(3,), random_state=0).fit(X, Y).decision_function(X)
    np.testing.assert_allclose(scores, again, rtol=1e-6, atol=1e-8)
    assert pipeline["qnet"].hidden == (3,)


@pytest.mark.filterwarnings("ignore:.*stopped after 5 iterations")
@pytest.mark.filterwarnings("ignore:q=0.1 is at least the ratio")
@pytest.mark.parametrize("kind", BOTH)
def test_few_class_0_rows_do_not_make_the_multiplier_negative(kind):
    # a step of the multiplier is at most nu q', here 1/20 of 0.1 * 200
    y = np.repeat([0, 1], [20, 4000])
    rows = np.random.default_rng(0).normal(size=(y.size, 5)) + 0.7 * y[:, np.newaxis]
    model = kind(q=0.1, max_iter=5, random_state=0).fit(rows, y)
    assert model.history_["multiplier"].min() > 0
    assert np.isfinite(model.decision_function(rows)).all()
