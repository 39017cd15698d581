"""Tests of `train_in_chunks`: what it trains is what the same chunks train by hand, scaled by the training rows."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from nproc import InvalidInputError, NPWarning, OnlineNPClassifier, OnlineNPNetwork, read_in_chunks, train_in_chunks
from nproc.row_chunks import RowChunks

MEAN = np.array([0.2, 0.6, 1.0])
SCALE = np.array([100.0, 1.0, 0.01])


def sample(n=6000, seed=0, share1=0.5):
    """Two normal classes whose columns have very different units."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < share1).astype(int)
    return (rng.normal(size=(n, 3)) + MEAN * y[:, None]) * SCALE + 5.0, y


X, Y = sample()


def rows_of(X=X, Y=Y, chunk_size=500, **options):
    return RowChunks.from_arrays(X, Y, chunk_size=chunk_size, **options)


def type2(trained, alpha=0.05):
    """The exact type II error of a linear scorer where its type I error is alpha."""
    weights = trained[-1].coef_[0] / trained[0].scale_ * SCALE
    return norm.cdf(norm.isf(alpha) - weights @ MEAN / np.linalg.norm(weights))


BEST = norm.cdf(norm.isf(0.05) - np.linalg.norm(MEAN))


class Recorder(ClassifierMixin, BaseEstimator):
    """Keeps what it is given."""

    def fit(self, X, y):
        raise AssertionError("only partial_fit is called")

    def partial_fit(self, X, y, classes=None):
        self.calls_ = [*getattr(self, "calls_", []), (np.array(X), np.array(y), list(classes))]
        return self


@pytest.mark.parametrize(
    "model",
    [OnlineNPClassifier(), OnlineNPNetwork(hidden=()), SGDClassifier(loss="log_loss", average=True), GaussianNB()],
    ids=lambda model: type(model).__name__,
)
def test_any_estimator_with_partial_fit_learns(model):
    trained = train_in_chunks(model, rows_of(), n_epochs=2, random_state=1)
    fresh, labels = sample(4000, seed=9)
    scored = trained.predict_proba(fresh)[:, 1] if isinstance(model, GaussianNB) else trained.decision_function(fresh)
    threshold = np.quantile(scored[labels == 0], 0.95)
    # the best score misses 62 %, a useless one 95 %
    assert np.mean(scored[labels == 1] <= threshold) < BEST + 0.1


def test_the_model_sees_every_training_row_once_an_epoch_scaled_by_the_training_rows_alone():
    train, left_out = rows_of().split(0.6, random_state=4)
    trained = train_in_chunks(Recorder(), train, n_epochs=3, random_state=2)
    kept = np.concatenate([part for part, _ in train])
    assert len(kept) + left_out.n_rows == len(X)
    scaler = StandardScaler().fit(kept)
    np.testing.assert_allclose(trained[0].mean_, scaler.mean_, rtol=1e-12)
    np.testing.assert_allclose(trained[0].scale_, scaler.scale_, rtol=1e-12)
    calls = trained[-1].calls_
    per_epoch = -(-len(kept) // 500)
    assert len(calls) == 3 * per_epoch
    orders = []
    for epoch in range(3):
        seen = np.concatenate([part for part, _, _ in calls[epoch * per_epoch : (epoch + 1) * per_epoch]])
        np.testing.assert_allclose(np.sort(seen[:, 0]), np.sort(scaler.transform(kept)[:, 0]), rtol=1e-9, atol=1e-12)
        orders.append(seen[:, 0].tolist())
    assert orders[0] != orders[1] != orders[2]
    assert all(classes == [0, 1] for _, _, classes in calls)


def test_it_is_the_loop_over_shuffled_chunks():
    rows = rows_of()
    trained = train_in_chunks(OnlineNPClassifier(random_state=3), rows, n_epochs=2, random_state=7)
    by_hand = OnlineNPClassifier(random_state=3, n0_total=int(np.sum(Y == 0)), class0=0)
    for epoch in range(2):
        for part, labels in rows.shuffled(7, epoch=epoch):
            by_hand.partial_fit(trained[0].transform(part), labels, classes=[0, 1])
    np.testing.assert_array_equal(trained[-1].coef_, by_hand.coef_)
    assert trained[-1].intercept_ == by_hand.intercept_


def test_the_same_seed_gives_the_same_bits_and_leaves_the_model_alone():
    model = OnlineNPClassifier()
    first, second, third = (train_in_chunks(model, rows_of(), random_state=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first[-1].coef_, second[-1].coef_)
    assert not np.array_equal(first[-1].coef_, third[-1].coef_)
    assert not hasattr(model, "coef_")
    assert model.n0_total is None


def test_without_standardising_the_model_itself_comes_back():
    trained = train_in_chunks(GaussianNB(), rows_of(), standardize=False, random_state=1)
    whole = GaussianNB().fit(X, Y)
    np.testing.assert_allclose(trained.theta_, whole.theta_, rtol=1e-10)


@pytest.mark.parametrize("class0", ["good", "bad"])
def test_labels_of_any_type_and_either_class_may_have_priority(class0):
    text = np.where(Y, "good", "bad")
    trained = train_in_chunks(OnlineNPClassifier(alpha=0.1), rows_of(Y=text), class0=class0, n_epochs=5, random_state=1)
    assert trained[-1].class0_ == class0
    assert trained[-1].n0_total == np.sum(text == class0)
    # what is trained for: an error of about 0.1 in class 0, and a larger one in the other
    called = trained.predict(X)
    assert np.mean(called[text == class0] != class0) == pytest.approx(0.1, abs=0.04)
    assert np.mean(called[text != class0] == class0) > 0.3


@pytest.mark.slow
def test_a_file_sorted_by_class_trains_as_well_as_one_in_random_order(tmp_path):
    features, labels = sample(40_000, seed=3)
    frame = pd.DataFrame(features, columns=list("abc")).assign(y=labels).sort_values("y")
    frame.to_parquet(tmp_path / "sorted.parquet", row_group_size=500)
    rows = read_in_chunks(tmp_path / "sorted.parquet", "y", chunk_size=2000)
    model = SGDClassifier(loss="log_loss", average=True, random_state=0)
    assert type2(train_in_chunks(model, rows, random_state=1)) < BEST + 0.005
    # in the order of the file, one class after the other, the same model ends at a far worse one
    scaler = train_in_chunks(model, rows, random_state=1)[0]
    in_file_order = SGDClassifier(loss="log_loss", random_state=0)
    in_random_order = train_in_chunks(SGDClassifier(loss="log_loss", random_state=0), rows, random_state=1)
    for part, y in rows:
        in_file_order.partial_fit(scaler.transform(part), y, classes=[0, 1])
    assert np.mean(in_file_order.predict(scaler.transform(frame[list("abc")])) != frame["y"]) > 0.45
    assert np.mean(in_random_order.predict(frame[list("abc")]) != frame["y"]) < 0.35


def test_progress_is_shown_on_the_standard_error(capsys):
    train_in_chunks(GaussianNB(), rows_of(chunk_size=2500), n_epochs=2, random_state=1, verbose=2)
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(" done")[0] for line in lines] == [f"train_in_chunks: chunk {i} of 6" for i in range(1, 7)]


class Interrupted(Recorder):
    """Is stopped by Ctrl-C at the third chunk."""

    def partial_fit(self, X, y, classes=None):
        super().partial_fit(X, y, classes)
        if len(self.calls_) == 3:
            raise KeyboardInterrupt
        return self


def test_an_interrupt_passes_through_at_once(tmp_path):
    pd.DataFrame(X, columns=list("abc")).assign(y=Y).to_csv(tmp_path / "rows.csv", index=False)
    rows = read_in_chunks(tmp_path / "rows.csv", "y", chunk_size=500)
    model = Interrupted()
    with pytest.raises(KeyboardInterrupt):
        train_in_chunks(model, rows, random_state=1)
    # the rows are as good as before
    assert sum(len(y) for _, y in rows) == len(X)


@pytest.mark.parametrize(
    ("model", "rows", "message"),
    [
        (make_pipeline(StandardScaler(), SGDClassifier()), rows_of(), "a pipeline cannot be trained in chunks"),
        (
            LogisticRegression(),
            rows_of(),
            "LogisticRegression has no partial_fit, so it can only be trained on all rows at once",
        ),
        (SGDClassifier, rows_of(), r"model is the class SGDClassifier; pass an instance"),
        (lambda X: X, rows_of(), "is a function without fit"),
        (GaussianNB(), X, r"rows must be RowChunks, .* got ndarray"),
        (
            OnlineNPClassifier(class0=1),
            rows_of(),
            "model has class0=1 of its own, but the rows were read with class0=0",
        ),
        (GaussianNB(), rows_of(Y=np.zeros(len(X))), "exactly 2 classes are needed"),
    ],
)
def test_what_cannot_be_trained_is_an_error(model, rows, message):
    with pytest.raises(InvalidInputError, match=message):
        train_in_chunks(model, rows, random_state=1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_epochs": 0}, "n_epochs must be at least 1"),
        ({"buffer": 10}, "buffer must be at least chunk_size=500"),
        ({"verbose": -1}, "verbose must be 0"),
    ],
)
def test_bad_arguments_are_errors(options, message):
    with pytest.raises(InvalidInputError, match=message):
        train_in_chunks(GaussianNB(), rows_of(), random_state=1, **options)


def test_rows_that_the_model_refuses_are_named():
    broken = X.copy()
    broken[777, 1] = np.nan
    rows = rows_of(broken)
    with pytest.raises(InvalidInputError, match=r"the ndarray X: column 1 has a missing value \(NaN\), .* in row 778"):
        train_in_chunks(GaussianNB(), rows, standardize=False, random_state=1)
    text = pd.DataFrame({"a": X[:, 0], "b": np.where(Y, "u", "v")})
    with pytest.raises(InvalidInputError, match=r"DataFrame X: column 'b' has text '[uv]', the first in row 1;"):
        train_in_chunks(GaussianNB(), rows_of(text), random_state=1)


@pytest.mark.slow
@pytest.mark.parametrize(("blocks", "warns"), [("large", True), ("small", False)])
def test_chunks_of_one_class_warn_of_a_file_that_is_badly_mixed(tmp_path, blocks, warns):
    features, labels = sample(8000, seed=3, share1=0.8)
    frame = pd.DataFrame(features, columns=list("abc")).assign(y=labels).sort_values("y")
    # the first of two row groups has all of class 0
    frame.to_parquet(tmp_path / "sorted.parquet", row_group_size=4000 if blocks == "large" else 20)
    rows = read_in_chunks(tmp_path / "sorted.parquet", "y", chunk_size=200)
    if warns:
        with pytest.warns(
            NPWarning, match=r"of the 40 training chunks had rows of one class only, because .*is sorted by"
        ):
            train_in_chunks(GaussianNB(), rows, random_state=1)
    else:
        # warnings are errors in tests
        train_in_chunks(GaussianNB(), rows, random_state=1)
