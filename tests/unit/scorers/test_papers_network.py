"""OnlineNPNetwork: what it promises as an estimator."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, make_moons
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from nproc.errors import InvalidInputError, NotConvergedWarning, NPWarning
from nproc.scorers import get_scorer
from nproc.scorers.papers.network import OnlineNPNetwork

X, Y = make_moons(400, noise=0.2, random_state=0)
MODEL = OnlineNPNetwork(alpha=0.1, max_iter=50, random_state=1).fit(X, Y)


def errors(model, X, y, class0):
    called0 = model.predict(X) == class0
    return np.mean(~called0[y == class0]), np.mean(called0[y != class0])


# scikit-learn's tiny data: alpha asks for less than one row, and 100 epochs of 20 rows do not get far
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::nproc.errors.NotConvergedWarning")
@pytest.mark.filterwarnings("ignore::nproc.errors.NPWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@pytest.mark.parametrize("hidden", [(), (6, 4)])
def test_it_keeps_scikit_learns_conventions(hidden):
    assert len(check_estimator(OnlineNPNetwork(hidden=hidden, random_state=0), on_fail="raise")) > 30


def test_the_level_is_kept_in_training_and_two_moons_are_parted():
    type1, type2 = errors(MODEL, X, Y, 0)
    assert type1 <= 0.12
    assert type2 <= 0.05
    assert MODEL.converged_
    assert 0 <= MODEL.certificate_ <= MODEL.tol


@pytest.mark.slow
@pytest.mark.parametrize("alpha", [0.05, 0.2])
def test_it_trains_out_of_the_box_on_breast_cancer(alpha):
    rows, y = load_breast_cancer(return_X_y=True)
    model = OnlineNPNetwork(alpha=alpha, random_state=0).fit(StandardScaler().fit_transform(rows), y)
    type1, type2 = errors(model, StandardScaler().fit_transform(rows), y, 0)
    assert type1 <= 1.25 * alpha
    assert type2 <= 0.03


@pytest.mark.parametrize("class0", [0, 1])
def test_the_class_whose_error_is_bounded_can_be_either(class0):
    model = OnlineNPNetwork(alpha=0.05, class0=class0, max_iter=50, random_state=1).fit(X, Y)
    assert model.class0_ == class0
    assert errors(model, X, Y, class0)[0] <= 0.08
    scores = model.decision_function(X)
    np.testing.assert_array_equal(model.predict(X), model.classes_[(scores > 0).astype(int)])
    assert np.corrcoef(scores, Y)[0, 1] > 0.5


def test_the_weights_reproduce_the_scores():
    values = X
    for layer, (weight, bias) in enumerate(zip(MODEL.coefs_, MODEL.intercepts_, strict=True)):
        values = values @ weight + bias
        if layer < len(MODEL.coefs_) - 1:
            values = np.tanh(values)
    np.testing.assert_allclose(values[:, 0], MODEL.decision_function(X), rtol=1e-10, atol=1e-12)
    assert [w.shape for w in MODEL.coefs_] == [(2, 10), (10, 1)]


def test_history_has_a_row_an_epoch_and_ends_with_the_model():
    assert list(MODEL.history_.columns) == ["objective", "type1", "type2", "type1_loss", "multiplier"]
    assert len(MODEL.history_) == MODEL.n_iter_ == 50
    type1, type2 = errors(MODEL, X, Y, 0)
    np.testing.assert_allclose(MODEL.history_[["type1", "type2"]].iloc[-1], [type1, type2])
    assert MODEL.history_["multiplier"].iloc[-1] == MODEL.multiplier_


@pytest.mark.slow
def test_a_seed_decides_everything_and_a_copy_keeps_the_scores():
    again = clone(MODEL).fit(X, Y)
    np.testing.assert_array_equal(again.decision_function(X), MODEL.decision_function(X))
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(MODEL)).predict(X), MODEL.predict(X))
    other = clone(MODEL).set_params(random_state=2).fit(X, Y)
    assert not np.array_equal(other.decision_function(X), MODEL.decision_function(X))


def test_the_global_random_state_is_left_alone():
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    OnlineNPNetwork(alpha=0.3, max_iter=1, tol=1e6, random_state=0).fit(X, Y)
    np.testing.assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002


def test_rows_that_come_in_parts_teach_the_network():
    rng = np.random.default_rng(0)
    stream = OnlineNPNetwork(alpha=0.1, decay=1e-4, random_state=0)
    for _ in range(150):
        part = rng.choice(len(Y), 100, replace=False)
        assert stream.partial_fit(X[part], Y[part], classes=[0, 1]) is stream
    assert stream.n_iter_ == 150
    type1, type2 = errors(stream, X, Y, 0)
    assert type1 <= 0.15
    assert type2 <= 0.1
    assert not hasattr(stream, "certificate_")


def test_a_part_may_lack_a_class_if_both_are_named():
    stream = OnlineNPNetwork(random_state=0).partial_fit(X[Y == 1], Y[Y == 1], classes=[0, 1])
    assert stream.multiplier_ == 1.0
    with pytest.warns(NPWarning, match="The rows seem to be sorted"):
        stream.partial_fit(X[Y == 0], Y[Y == 0])
    assert stream.multiplier_ != 1.0
    assert np.isfinite(stream.decision_function(X)).all()


def test_training_goes_on_after_a_fit():
    model = OnlineNPNetwork(alpha=0.1, max_iter=50, random_state=1).fit(X, Y)
    before = model.decision_function(X)
    model.partial_fit(X[:50], Y[:50])
    assert model.n_iter_ == 51
    assert not np.array_equal(model.decision_function(X), before)


def test_a_part_without_a_class_needs_the_names():
    with pytest.raises(InvalidInputError, match="has one class only"):
        OnlineNPNetwork().partial_fit(X[Y == 1], Y[Y == 1])
    with pytest.raises(InvalidInputError, match="classes must hold 2 labels"):
        OnlineNPNetwork().partial_fit(X, Y, classes=[0, 1, 2])
    with pytest.raises(InvalidInputError, match=r"y must hold only the labels \[0, 1\] given as classes, got 7"):
        OnlineNPNetwork().partial_fit(X, np.where(Y == 0, 7, Y), classes=[0, 1])


def test_an_unfinished_search_is_a_warning_with_its_reason():
    with pytest.warns(NotConvergedWarning, match="OnlineNPNetwork stopped after 1 iterations: the"):
        OnlineNPNetwork(alpha=0.05, max_iter=1, random_state=0).fit(X, Y)


@pytest.mark.filterwarnings("ignore:OnlineNPNetwork calls")
def test_less_than_one_row_of_class_0_is_a_warning():
    with pytest.warns(NPWarning, match="less than one row"):
        OnlineNPNetwork(alpha=0.001, max_iter=2, tol=1e9, random_state=0).fit(X, Y)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"alpha": 0}, "alpha must lie strictly between 0 and 1"),
        ({"alpha": 1.5}, "alpha must lie strictly between 0 and 1"),
        ({"hidden": "ten"}, "hidden must be the numbers of units"),
        ({"hidden": None}, "hidden must be the numbers of units"),
        ({"hidden": (5, 0)}, "each number of hidden units must be at least 1"),
        ({"hidden": (2.5,)}, "each number of hidden units must be a whole number"),
        ({"hidden": ((3, 4),)}, "hidden must be the numbers of units"),
        ({"activation": "sigmoid"}, "activation must be one of 'tanh', 'logistic', 'relu'"),
        ({"lam": -1}, "lam must be a finite number of at least 0"),
        ({"eta": 0}, "eta must be a finite number above 0"),
        ({"gamma0": np.inf}, "gamma0 must be a finite number above 0"),
        ({"gamma0": 2.0, "lam": 0.5}, "gamma0 \\* lam must lie below 1"),
        ({"decay": -1}, "decay must be a finite number of at least 0 or None"),
        ({"tau": 0}, "tau must be"),
        ({"tol": 0}, "tol must be"),
        ({"max_iter": 0}, "max_iter must be at least 1"),
        ({"verbose": -1}, "verbose must be at least 0"),
        ({"class0": 3}, "class0 must be one of the labels"),
        ({"random_state": "seed"}, "random_state must be"),
    ],
)
def test_bad_settings_are_explained(parameters, message):
    with pytest.raises(InvalidInputError, match=message):
        OnlineNPNetwork(**{"max_iter": 1, **parameters}).fit(X, Y)


def test_a_learning_rate_that_makes_weights_overflow_is_an_error():
    with pytest.raises(InvalidInputError, match=r"makes the training diverge.*standardise"):
        OnlineNPNetwork(alpha=0.1, activation="relu", gamma0=1e200, lam=0, max_iter=2).fit(1e150 * X, Y)


def test_sparse_rows_are_refused_in_words():
    with pytest.raises(InvalidInputError, match="X is sparse, and OnlineNPNetwork needs dense rows"):
        OnlineNPNetwork().fit(sparse.csr_array(X), Y)


def test_progress_goes_to_standard_error(capsys):
    OnlineNPNetwork(alpha=0.1, max_iter=4, tol=1e9, verbose=2, random_state=0).fit(X, Y)
    heard = capsys.readouterr()
    assert heard.out == ""
    assert [line.split(":")[0] for line in heard.err.splitlines()] == [
        "OnlineNPNetwork, epoch 2",
        "OnlineNPNetwork, epoch 4",
    ]


def test_the_name_onpnet_standardises_and_passes_its_keywords_on():
    pipeline = get_scorer("onpnet", alpha=0.1, hidden=(3,), max_iter=20, random_state=0)
    units = np.array([2.0**20, 2.0**-20])
    scores = pipeline.fit(X * units, Y).decision_function(X * units)
    again = get_scorer("onpnet", alpha=0.1, hidden=(3,), max_iter=20, random_state=0).fit(X, Y)
    np.testing.assert_allclose(scores, again.decision_function(X), rtol=1e-6, atol=1e-8)
    assert pipeline["onpnet"].hidden == (3,)


@pytest.mark.parametrize("before", ["nothing", "a chunk", "a fit"])
@pytest.mark.filterwarnings("ignore:invalid value encountered:RuntimeWarning")
def test_a_chunk_that_makes_weights_overflow_leaves_the_network_as_it_was(before):
    model = OnlineNPNetwork(alpha=0.1, activation="relu", max_iter=5, tol=1e9, random_state=0)
    if before == "a chunk":
        model.partial_fit(X, Y)
    if before == "a fit":
        model.fit(X, Y)
    scores = None if before == "nothing" else model.decision_function(X)
    with pytest.raises(InvalidInputError, match="makes the training diverge"):
        model.partial_fit(1e308 * np.clip(X, -1.7, 1.7), Y)
    if before != "nothing":
        np.testing.assert_array_equal(model.decision_function(X), scores)
    assert np.isfinite(model.partial_fit(X, Y).decision_function(X)).all()


def test_the_truncated_likelihood_is_another_loss_for_the_same_level():
    model = OnlineNPNetwork(alpha=0.1, loss="truncated", p_min=0.2, p_max=0.8, max_iter=50, random_state=1).fit(X, Y)
    assert model.converged_
    type1, type2 = errors(model, X, Y, 0)
    assert type1 <= 0.12
    assert type2 <= 0.08
    assert not np.array_equal(model.decision_function(X), MODEL.decision_function(X))


def test_the_truncated_likelihood_learns_from_rows_as_they_come():
    model = OnlineNPNetwork(alpha=0.1, loss="truncated", p_min=0.1, p_max=0.9, hidden=(5,), random_state=0)
    for _ in range(20):
        model.partial_fit(X, Y)
    assert errors(model, X, Y, 0)[1] < 0.3


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"loss": "hinge"}, "loss must be one of 'sigmoid', 'truncated'"),
        ({"loss": "truncated", "p_min": 0.6, "p_max": 0.4}, "p_min must be smaller than p_max"),
        ({"loss": "truncated", "p_min": 0.6}, "p_min must be below 1/2 and p_max above 1/2"),
        ({"p_min": 0.2}, r"p_min=0.2 and p_max=1.0 need loss='truncated'"),
        ({"p_max": 7}, "p_max must be a number between 0 and 1, got 7"),
        ({"p_min": "a"}, "p_min must be a number between 0 and 1, got 'a'"),
    ],
)
def test_a_loss_that_cannot_be_is_an_error(parameters, message):
    with pytest.raises(InvalidInputError, match=message):
        OnlineNPNetwork(**parameters).fit(X, Y)


@pytest.mark.parametrize("begin", ["fit", "partial_fit"])
@pytest.mark.parametrize("other", [{"loss": "sigmoid", "p_min": 0.0, "p_max": 1.0}, {"p_max": 0.8}])
@pytest.mark.filterwarnings("ignore:OnlineNPNetwork would call")
def test_another_loss_in_the_middle_of_the_training_is_an_error(begin, other):
    given = {"loss": "truncated", "p_min": 0.2, "p_max": 0.7}
    model = OnlineNPNetwork(alpha=0.1, max_iter=2, tol=1e9, random_state=0, **given)
    getattr(model, begin)(X, Y)
    before = model.decision_function(X)
    with pytest.raises(InvalidInputError, match=r"'truncated' with p_min=0.2 and p_max=0.7, not with loss=.*Set them"):
        model.set_params(**other).partial_fit(X, Y)
    np.testing.assert_array_equal(model.decision_function(X), before)
    # the way out
    model.set_params(**given).partial_fit(X, Y)
    model.set_params(**other).fit(X, Y).partial_fit(X, Y)
    assert not np.array_equal(model.decision_function(X), before)


@pytest.mark.parametrize("changed", [{"hidden": (4,)}, {"hidden": (3, 3)}, {"activation": "relu"}])
def test_training_does_not_go_on_with_another_shape_of_network(changed):
    model = OnlineNPNetwork(0.1, hidden=3, random_state=1).partial_fit(X, Y, classes=[0, 1])
    before = model.decision_function(X)
    with pytest.raises(InvalidInputError, match="hidden and activation must stay as they were"):
        model.set_params(**changed).partial_fit(X, Y)
    np.testing.assert_array_equal(model.decision_function(X), before)
    # one layer of 3 units, written otherwise
    model.set_params(hidden=[3], activation="tanh").partial_fit(X, Y)
    assert model.n_iter_ == 2


@pytest.mark.parametrize(("alpha", "hidden"), [(0.1, (10,)), (0.5, (5, 5))])
@pytest.mark.filterwarnings("ignore:OnlineNPNetwork learns")
def test_a_network_that_is_a_constant_has_not_converged(alpha, hidden):
    # columns far from 0 saturate the hidden units at once
    y = np.repeat([0, 1], 200)
    far = np.random.default_rng(0).normal(10.0, 1.0, size=(400, 2)) + y[:, np.newaxis]
    with pytest.warns(NotConvergedWarning, match=r"than a constant score\. Standardise the columns first: some means"):
        model = OnlineNPNetwork(alpha, hidden=hidden, random_state=0).fit(far, y)
    assert not model.converged_
