"""Tests of `nproc.crossval` through `roc_cv`: an exact vertical average of honest curves."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from nproc import nproc, roc_cv
from nproc.crossval import empirical_roc, vertical_average
from nproc.errors import InvalidInputError, TooFewSamplesError
from nproc.scorers import fit_scorer, get_scorer, score_rows

STEADY = settings(deadline=None, derandomize=True, max_examples=60)


def data(n0=100, n1=100, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.repeat([0, 1], [n0, n1]))
    return rng.normal(size=(n0 + n1, 2)) + np.outer(y, [1.5, 0.0]), y


X, Y = data()


def height(scores0, scores1, alpha):
    """Largest share of class 1 above a threshold that at most a share alpha of class 0 exceeds (no ties)."""
    order = scores0.size - int(np.floor(alpha * scores0.size + 1e-9))
    threshold = -np.inf if order == 0 else np.sort(scores0)[order - 1]
    return np.mean(scores1 > threshold)


@given(seed=st.integers(0, 999), n0=st.integers(1, 20), n1=st.integers(1, 20), n_curves=st.integers(1, 4))
@STEADY
def test_the_average_is_that_of_the_single_curves_at_every_alpha(seed, n0, n1, n_curves):
    rng = np.random.default_rng(seed)
    samples = [(rng.normal(size=n0), rng.normal(1, 1, size=n1)) for _ in range(n_curves)]
    y = np.repeat([0, 1], [n0, n1])
    fpr, tpr = vertical_average([empirical_roc(y, np.concatenate(s)) for s in samples])
    # off the jumps, which lie at multiples of 1/n0
    alphas = (np.arange(n0) + rng.random(n0) * 0.98 + 0.01) / n0
    expected = [np.mean([height(*s, a) for s in samples]) for a in alphas]
    np.testing.assert_allclose(np.interp(alphas, fpr, tpr), expected, atol=1e-12)
    # at the jumps the curve has the upper height
    at_jumps = np.arange(n0 + 1) / n0
    np.testing.assert_allclose(
        np.interp(at_jumps, fpr, tpr), [np.mean([height(*s, a) for s in samples]) for a in at_jumps], atol=1e-12
    )


def test_the_area_of_the_average_is_the_average_of_the_areas():
    curve = roc_cv(X, Y, "lda", random_state=1)
    assert curve.auc == pytest.approx(curve.auc_folds.mean(), rel=1e-12)


@pytest.mark.parametrize("fpr_max", [0.03, 0.2, 0.5, 0.999999])
def test_a_partial_area_is_that_under_the_curve_up_to_the_level(fpr_max):
    curve = roc_cv(X, Y, "lda", random_state=1)
    grid = np.linspace(0, fpr_max, 200_001)
    expected = np.trapezoid(np.interp(grid, curve.fpr, curve.tpr), grid)
    assert curve.partial_auc(fpr_max) == pytest.approx(expected, abs=2e-5)


@pytest.mark.parametrize("value", [(1, 0.9), [0.9, 1.0], np.array([1.0, 0.9])])
def test_a_partial_area_in_the_form_of_proc_is_told_as_the_level(value):
    for result, name in ((roc_cv(X, Y, "lda", random_state=1), "fpr_max"), (nproc(X, Y, "lda"), "alpha")):
        with pytest.raises(InvalidInputError, match=rf"c\(1, 0\.9\) of R's pROC is {name}=0\.1 here\."):
            result.partial_auc(value)
        with pytest.raises(InvalidInputError, match=r"the area is asked for, got \(0\.9, 0\.8\)\.$"):
            result.partial_auc((0.9, 0.8))


def test_folds_are_stratified_held_out_and_scored_once():
    curve = roc_cv(X, Y, "lda", n_folds=4, random_state=1)
    state = int(np.random.SeedSequence(1).generate_state(1)[0])
    areas = []
    for train, test in StratifiedKFold(4, shuffle=True, random_state=state).split(X, Y):
        fitted = fit_scorer(get_scorer("lda"), X[train], Y[train])
        areas.append(roc_auc_score(Y[test], score_rows(fitted, X[test])))
    np.testing.assert_allclose(curve.auc_folds, areas, rtol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize(("scale", "start"), [("roc", 0.0), ("errors", 1.0)])
def test_a_drawn_curve_begins_where_no_row_is_called_class_1(scale, start):
    curve = roc_cv(X, Y, "lda", random_state=1)
    ax = curve.plot(ax=nproc(X, Y, "lda", random_state=1).plot(scale=scale))
    assert curve.tpr[0] > 0
    assert ax.lines[-1].get_xydata()[0].tolist() == [0.0, start]


def test_tied_scores_are_joined_by_a_straight_line():
    fpr, tpr = empirical_roc(np.array([0, 0, 1, 1]), np.zeros(4))
    assert (fpr.tolist(), tpr.tolist()) == ([0, 1], [0, 1])


def test_every_number_of_processes_gives_the_same_curve():
    alone, two = (roc_cv(X, Y, "tree", random_state=1, n_jobs=n) for n in (1, 2))
    np.testing.assert_array_equal(alone.tpr, two.tpr)


@pytest.mark.parametrize("metric", ["cv", "subsample"])
def test_one_seed_gives_one_curve(metric):
    alone = roc_cv(X, Y, "tree", metric=metric, random_state=1)
    fresh = roc_cv(X, Y, "tree", metric=metric)
    np.testing.assert_array_equal(fresh.tpr, roc_cv(X, Y, "tree", metric=metric, random_state=fresh.seed).tpr)
    other = roc_cv(X, Y, "tree", metric=metric, random_state=2)
    assert other.auc != alone.auc


def test_the_curve_rises_from_left_to_right_between_0_and_1():
    curve = roc_cv(X, Y, "lda", random_state=1)
    assert np.all(np.diff(curve.fpr) >= 0)
    assert np.all(np.diff(curve.tpr) >= 0)
    assert (curve.fpr[0], curve.fpr[-1], curve.tpr[-1]) == (0, 1, 1)


def test_class0_decides_which_error_is_type_one():
    one, other = (roc_cv(X, np.where(Y, "b", "a"), "lda", class0=c, random_state=1) for c in "ab")
    # turning the classes round turns the curve round, and the folds are the same up to the coding
    assert one.auc == pytest.approx(other.auc, abs=0.02)
    assert one.labels.tolist() == ["a", "b"]
    assert other.labels.tolist() == ["b", "a"]


def test_texts_and_tables_show_the_curve():
    curve = roc_cv(X, Y, "lda", random_state=1)
    assert (
        repr(curve) == f"ROCCurve(method='lda', metric='cv', n_folds=5, auc={curve.auc:.4f}, class0={curve.labels[0]})"
    )
    text = " ".join(str(curve.summary()).split())
    for expected in ("lda", "5 folds", f"{curve.auc:.4f}", "above alpha about half of the time"):
        assert expected in text
    assert curve.to_frame().columns.tolist() == ["fpr", "tpr"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"metric": "foo"}, "metric must be one of 'cv', 'subsample', got 'foo'"),
        ({"n_folds": 1}, "n_folds must be at least 2, got 1"),
        ({"n_folds": 0, "metric": "subsample"}, "n_folds must be at least 1, got 0"),
        ({"train_fraction": 1}, "train_fraction must lie strictly between 0 and 1, got 1"),
        ({"method": None}, "method must have fit"),
    ],
)
def test_bad_arguments_are_refused(arguments, message):
    with pytest.raises(InvalidInputError, match=message):
        roc_cv(X, Y, **{"method": "lda", **arguments})


@pytest.mark.parametrize(
    ("n0", "n1", "arguments", "message"),
    [
        (100, 4, {}, "n_folds=5 needs at least 5 rows of each class, got n0=100 and n1=4"),
        (100, 1, {"metric": "subsample"}, "n_folds=5 needs at least 2 rows of each class, got n0=100 and n1=1"),
        (2, 2, {"metric": "subsample"}, r"train_fraction=0\.8 of 4 rows leaves 3 to train and 1 to test"),
        (
            300,
            3,
            {"metric": "subsample", "train_fraction": 0.95},
            r"train_fraction=0\.95 .* leaves one part without rows of one",
        ),
    ],
)
def test_too_few_rows_of_a_class_are_an_error(n0, n1, arguments, message):
    with pytest.raises(TooFewSamplesError, match=message):
        roc_cv(*data(n0, n1), "lda", random_state=1, **arguments)


def test_the_legend_of_a_curve_has_its_auc():
    X, y = np.random.default_rng(0).normal(size=(200, 2)) + np.repeat([0, 1], 100)[:, None], np.repeat([0, 1], 100)
    curve = roc_cv(X, y, "lda", random_state=1)
    assert curve.plot().lines[-1].get_label() == f"ROC-CV lda, AUC {curve.auc:.2f}"
    assert curve.plot(label="mine").lines[-1].get_label() == "mine"


@pytest.mark.slow
@pytest.mark.parametrize("figsize", [None, (3.35, 3.35)])
def test_a_curve_beside_the_band_of_its_method_has_the_same_name_in_the_legend(figsize):
    method = make_pipeline(StandardScaler(), PCA(), LogisticRegression())
    curve = roc_cv(X, Y, method, random_state=1)
    ax = nproc(X, Y, method, random_state=1).plot(figsize=figsize)
    band, beside = (text.get_text() for text in curve.plot(ax=ax).get_legend().get_texts())
    assert beside.replace("\n", " ") == f"ROC-CV {band}, AUC {curve.auc:.2f}, estimated errors"
