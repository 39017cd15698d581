"""The picture of a ranking."""

from dataclasses import replace

import numpy as np
import pytest

from nproc import rank_features
from nproc.errors import InvalidInputError


@pytest.fixture(scope="module")
def ranking():
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1], 60)
    return rank_features(rng.normal(size=(120, 12)) + np.arange(12) / 6 * y[:, None], y, alpha=0.2, random_state=1)


def test_dots_and_intervals_of_the_best_features_stand_in_their_order(ranking):
    ax = ranking.plot(n_features=5)
    (dots,) = [line for line in ax.lines if line.get_gid() == "nproc-features-scores"]
    frame = ranking.to_frame()[:5]
    np.testing.assert_array_equal(dots.get_xdata(), frame["score"])
    (intervals,) = [c for c in ax.collections if c.get_gid() == "nproc-features-intervals"]
    ends = np.array([segment[:, 0] for segment in intervals.get_segments()])
    np.testing.assert_array_equal(ends, frame[["lower", "upper"]])
    assert [label.get_text() for label in ax.get_yticklabels()] == frame["feature"].astype(str).tolist()
    low, high = ax.get_ylim()
    assert low > high


def test_it_says_which_error_and_which_interval(ranking):
    ax = ranking.plot()
    assert ax.get_xlabel() == r"type II error at $\alpha$ = 0.2"
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["mean of the splits", "95 % interval of each"]
    assert len(ax.get_yticks()) == 12


def test_long_names_are_cut_between_words_and_dollars_are_letters():
    X = np.random.default_rng(0).normal(size=(40, 2))
    import pandas as pd

    frame = pd.DataFrame(X, columns=["price in $ or $", "a very long name of one feature"])
    ax = rank_features(frame, np.repeat([0, 1], 20), "classical", random_state=1).plot()
    assert {label.get_text() for label in ax.get_yticklabels()} == {r"price in \$ or \$", "a very ... one feature"}
    ax.figure.canvas.draw()


def test_axes_and_a_size_together_are_refused(ranking):
    ax = ranking.plot()
    assert ranking.plot(ax=ax) is ax
    with pytest.raises(InvalidInputError, match="figsize"):
        ranking.plot(ax=ax, figsize=(3, 3))


def test_a_dot_at_the_end_of_the_scale_is_drawn_whole():
    # nothing predicts, so that errors are near 1
    X = np.random.default_rng(0).normal(size=(120, 3))
    ranking = rank_features(X, np.repeat([0, 1], 60), alpha=0.05, delta=0.5, random_state=1)
    scores = np.array([0.5, 0.9, 1.0])
    ax = replace(ranking, scores=scores, upper=np.ones(3)).plot(figsize=(3.35, 3))
    ax.figure.canvas.draw()
    (dots,) = [line for line in ax.lines if line.get_gid() == "nproc-features-scores"]
    radius = dots.get_markersize() / 2 / 72 * ax.figure.dpi
    assert ax.transData.transform((1.0, 0.0))[0] + radius < ax.get_window_extent().x1
