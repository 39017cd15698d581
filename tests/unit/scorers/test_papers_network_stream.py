"""OnlineNPNetwork.partial_fit: the size of the parts, changed parameters, refused rows, history and progress."""

import pickle

import numpy as np
import pytest
from sklearn.datasets import make_moons
from sklearn.exceptions import NotFittedError

from nproc.errors import InvalidInputError, NPWarning
from nproc.losses import SigmoidLoss
from nproc.scorers.papers.network import OnlineNPNetwork

X, Y = make_moons(400, noise=0.2, random_state=0)
ROWS = ["objective", "type1", "type2", "multiplier", "full_data"]


def streamed(X, y, size, **parameters):
    model = OnlineNPNetwork(alpha=0.1, **parameters)
    for start in range(0, len(y), size):
        model.partial_fit(X[start : start + size], y[start : start + size], classes=[0, 1])
    return model


@pytest.mark.slow
def test_one_pass_ends_alike_whatever_the_size_of_its_parts():
    fresh, labels = make_moons(20_000, noise=0.2, random_state=999)
    for seed in range(4):
        rows, y = make_moons(30_000, noise=0.2, random_state=seed)
        errors = []
        for size in (20, 1000, 30_000):
            wrong = streamed(rows, y, size, random_state=seed).predict(fresh) != labels
            errors.append([wrong[labels == 0].mean(), wrong[labels == 1].mean()])
        # the level kept, and what is learnt at it: another order of the rows makes as much of a difference
        assert np.max(errors) < 0.08
        assert np.ptp(errors, axis=0).max() < 0.05


@pytest.mark.slow
def test_rows_one_by_one_teach_as_much_as_at_once():
    rows, y = make_moons(3000, noise=0.2, random_state=1)
    for size in (1, 3000):
        wrong = streamed(rows, y, size, random_state=0).predict(X) != Y
        assert wrong[Y == 0].mean() < 0.17
        assert wrong[Y == 1].mean() < 0.25


@pytest.mark.parametrize("begin", ["fit", "partial_fit"])
@pytest.mark.filterwarnings("ignore:OnlineNPNetwork would call")
def test_another_class0_in_the_middle_of_the_training_is_an_error(begin):
    model = OnlineNPNetwork(alpha=0.1, max_iter=2, tol=1e9, random_state=0)
    getattr(model, begin)(X, Y)
    before = model.decision_function(X)
    with pytest.raises(InvalidInputError, match=r"class0 must stay as it was .* of class 0, not of 1\. Set it back"):
        model.set_params(class0=1).partial_fit(X, Y)
    with pytest.raises(InvalidInputError, match=r"class0 must be one of the labels \[0, 1\]"):
        model.set_params(class0=7).partial_fit(X, Y)
    np.testing.assert_array_equal(model.decision_function(X), before)
    # the same class by its name
    assert model.set_params(class0=0).partial_fit(X, Y).class0_ == 0
    assert model.set_params(class0=1).fit(X, Y).partial_fit(X, Y).class0_ == 1


@pytest.mark.parametrize("begin", ["fit", "partial_fit"])
@pytest.mark.filterwarnings("ignore:OnlineNPNetwork would call")
def test_other_classes_in_the_middle_of_the_training_are_an_error(begin):
    model = getattr(OnlineNPNetwork(alpha=0.1, max_iter=2, tol=1e9, random_state=0), begin)(X, Y)
    with pytest.raises(InvalidInputError, match=r"classes must be the labels \[0, 1\] of the first call, got \[0, 2\]"):
        model.partial_fit(X, Y, classes=[0, 2])
    assert model.partial_fit(X, Y, classes=[1, 0]).classes_.tolist() == [0, 1]


def test_another_decay_counts_from_the_next_call_on():
    models = [streamed(X, Y, 400, random_state=0) for _ in range(2)]
    models[1].set_params(decay=10.0)
    for model in models:
        model.partial_fit(X, Y)
    assert models[0].multiplier_ != models[1].multiplier_


# the sum with which scikit-learn looks for infinite values overflows
@pytest.mark.filterwarnings("ignore:invalid value encountered:RuntimeWarning")
def test_after_refused_first_rows_the_network_is_not_fitted():
    model = OnlineNPNetwork(alpha=0.1, activation="relu", random_state=0)
    with pytest.raises(InvalidInputError, match="makes the training diverge"):
        model.partial_fit(1e308 * np.clip(X, -1.7, 1.7), Y)
    with pytest.raises(NotFittedError):
        model.predict(X)
    with pytest.raises(AttributeError, match="not fitted yet"):
        _ = model.history_
    assert model.partial_fit(X, Y).n_iter_ == len(model.history_) == 1


def test_the_history_of_a_stream_has_a_row_a_call():
    model = streamed(X, Y, 100, random_state=0, lam=0.01)
    assert list(model.history_.columns) == ROWS
    assert len(model.history_) == model.n_iter_ == 4
    assert (model.history_["full_data"] == 0).all()
    assert model.history_["multiplier"].iloc[-1] == model.multiplier_
    # no step between the look at few rows and their steps: the errors are those of the model so far
    part = slice(0, 40)
    wrong = model.predict(X[part]) != Y[part]
    loss1 = SigmoidLoss(eta=1.0).value(model.decision_function(X[part])[Y[part] == 1]).mean()
    last = model.partial_fit(X[part], Y[part]).history_.iloc[-1]
    np.testing.assert_allclose(last[["type1", "type2"]], [wrong[Y[part] == k].mean() for k in (0, 1)])
    penalty = 0.005 * sum(np.sum(weight**2) for weight in model.coefs_)
    np.testing.assert_allclose(last["objective"], penalty + loss1)


def test_a_call_without_rows_of_a_class_says_nothing_of_its_error():
    model = OnlineNPNetwork(random_state=0).partial_fit(X[Y == 1], Y[Y == 1], classes=[0, 1])
    with pytest.warns(NPWarning, match="The rows seem to be sorted"):
        model.partial_fit(X[Y == 0], Y[Y == 0])
    assert np.isnan(model.history_[["objective", "type1", "type2"]]).to_numpy().tolist() == [
        [False, True, False],
        [True, False, True],
    ]


@pytest.mark.parametrize("given", [{}, {"loss": "truncated", "p_min": 0.1, "p_max": 0.9}])
@pytest.mark.filterwarnings("ignore:OnlineNPNetwork would call")
def test_the_history_goes_on_after_a_fit(given):
    model = OnlineNPNetwork(alpha=0.1, max_iter=3, tol=1e9, random_state=0, **given).fit(X, Y)
    epochs = model.history_
    model.partial_fit(X, Y).partial_fit(X, Y)
    assert list(model.history_.columns) == ROWS
    assert model.history_["full_data"].tolist() == [1, 1, 1, 0, 0]
    assert model.history_[ROWS[:4]].iloc[:3].equals(epochs[ROWS[:4]])
    assert np.isfinite(model.history_).all(axis=None)
    assert pickle.loads(pickle.dumps(model)).history_.equals(model.history_)


def test_progress_is_a_line_every_so_many_calls(capsys):
    model = streamed(X, Y, 50, random_state=0, verbose=3)
    heard = capsys.readouterr()
    assert heard.out == ""
    assert [line.split(":")[0] for line in heard.err.splitlines()] == [
        "OnlineNPNetwork, epoch 3",
        "OnlineNPNetwork, epoch 6",
    ]
    assert f"multiplier {model.history_['multiplier'].iloc[5]:.4g}" in heard.err
    with pytest.raises(InvalidInputError, match="verbose must be at least 0"):
        model.set_params(verbose=-1).partial_fit(X, Y)
    assert model.n_iter_ == 8
