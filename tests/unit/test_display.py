"""Tests of `nproc.display`: scikit-learn's display convention over bands."""

import matplotlib as mpl
import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from nproc import NPClassifier, NPROCBand, NPROCDisplay, nproc
from nproc.errors import InvalidInputError

mpl.use("Agg")


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


RNG = np.random.default_rng(0)
Y = np.repeat([0, 1], 100)
X = RNG.normal(size=(200, 2)) + 2 * Y[:, None]
MODEL = LogisticRegression().fit(X[::2], Y[::2])


def test_from_estimator_is_the_band_of_a_trained_model():
    display = NPROCDisplay.from_estimator(MODEL, X, Y, delta=0.1, name="model", plot=False)
    np.testing.assert_array_equal(display.band.type2_upper, nproc(X, Y, MODEL, prefit=True, delta=0.1).type2_upper)
    assert not hasattr(display, "ax_")


def test_class_0_is_that_of_the_estimator_unless_another_is_given():
    labels = np.where(Y, "a", "b")
    model = NPClassifier("lda", class0="b", alpha=0.2, random_state=1).fit(X[::2], labels[::2])
    assert NPROCDisplay.from_estimator(model, X[1::2], labels[1::2], plot=False).band.subject.labels[0] == "b"
    band = NPROCDisplay.from_estimator(MODEL, X[1::2], Y[1::2], class0=1, plot=False).band
    assert band.subject.labels[0] == 1


def test_from_predictions_is_the_band_of_the_scores():
    scores = MODEL.decision_function(X)
    display = NPROCDisplay.from_predictions(np.where(Y, "b", "a"), -scores, class0="b", delta=0.1)
    by_hand = NPROCBand.from_scores(-scores[Y == 1], -scores[Y == 0], delta=0.1)
    np.testing.assert_array_equal(display.band.type2_upper, by_hand.type2_upper)
    assert display.ax_.figure is display.figure_


def test_a_display_draws_on_the_axes_given_and_returns_itself():
    import matplotlib.pyplot as plt

    _, ax = plt.subplots()
    display = NPROCDisplay.from_predictions(Y, MODEL.decision_function(X), ax=ax, name="first")
    assert display.ax_ is ax
    assert display.plot(ax, name="second") is display
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert any("first" in text for text in labels)
    assert any("second" in text for text in labels)


@pytest.mark.parametrize(
    ("y_true", "y_score", "message"),
    [
        (Y, np.ones(199), "y_score has 199 rows and y_true has 200 labels"),
        (Y, np.full(200, np.nan), "y_score must be finite, got 200 NaN"),
        (np.zeros(200), np.ones(200), r"y_true has one class only \(0\.0, 200 rows\)"),
        (Y, np.ones((200, 2)), r"y_score must be one-dimensional .* got shape \(200, 2\)"),
    ],
)
def test_bad_predictions_are_refused(y_true, y_score, message):
    with pytest.raises(InvalidInputError, match=message):
        NPROCDisplay.from_predictions(y_true, y_score)
