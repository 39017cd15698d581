"""The cross-fitted estimate of the type II error: by hand, near the truth, in files and pictures; what is refused."""

import matplotlib as mpl
import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from nproc import load, npc, nproc, save
from nproc.cross_fitting.fit import make_folds
from nproc.errors import InvalidInputError
from nproc.orderstat import type1_upper
from nproc.simulate import GaussianWorld

mpl.use("Agg")
WORLD = GaussianWorld([0.0] * 5, [1.0] * 5)
SAMPLE = WORLD.sample_classes(103, 58, 1)
BAND = nproc(SAMPLE.X, SAMPLE.y, "lda", cross_fit=4, random_state=3)


def test_it_is_the_share_of_class_1_rows_below_the_rank_by_the_scorer_of_their_fold():
    X, y = SAMPLE.X, SAMPLE.y
    shares = []
    folds = make_folds(y, 4, BAND.seed, both=True)
    for fold in folds:
        rest = np.setdiff1d(np.arange(y.size), np.concatenate([fold.idx_left0, fold.idx_left1]))
        np.testing.assert_array_equal(fold.idx_train, rest)
        model = LinearDiscriminantAnalysis().fit(X[rest], y[rest])
        known, new = (model.decision_function(X[rows]) for rows in (fold.idx_left0, fold.idx_left1))
        shares += [np.mean(known >= score) for score in new]
    for label, n in ((0, 103), (1, 58)):
        left = np.concatenate([fold.idx_left1 if label else fold.idx_left0 for fold in folds])
        np.testing.assert_array_equal(np.sort(left), np.flatnonzero(y == label))
        assert left.size == n
    order = np.arange(103, 0, -1)
    curve = BAND.cross_fitted
    np.testing.assert_array_equal(curve.order, order)
    np.testing.assert_allclose(curve.alpha, type1_upper(order, 103, 0.05))
    np.testing.assert_allclose(curve.type2, [np.mean(np.array(shares) > (103 - k) / 103 + 1e-9) for k in order])


def test_it_is_read_at_levels_and_as_a_table():
    curve = BAND.cross_fitted
    assert curve.at(curve.alpha[0] / 2) == 1.0
    assert curve.at(curve.alpha[10]) == curve.type2[10]
    np.testing.assert_array_equal(curve.at([0.1, 0.4]), [curve.at(0.1), curve.at(0.4)])
    assert curve.to_frame().columns.tolist() == ["alpha", "order", "type2"]
    assert repr(curve) == "CrossFittedCurve(4 folds, 103 class 0 rows; an estimate)"
    with pytest.raises(InvalidInputError, match="alpha"):
        curve.at(1.5)


@pytest.mark.slow
def test_on_average_it_is_near_the_error_of_the_cross_fitted_classifier():
    test = WORLD.sample_classes(100, 5000, 99)
    differences = []
    for seed in range(12):
        sample = WORLD.sample_classes(200, 150, seed)
        band = nproc(sample.X, sample.y, "lda", cross_fit=5, random_state=seed)
        fit = npc(sample.X, sample.y, "lda", cross_fit=5, alpha=0.1, random_state=seed)
        differences.append(band.cross_fitted.at(0.1) - np.mean(fit.predict(test.X[test.y == 1]) == 0))
    assert abs(np.mean(differences)) < 4 * np.std(differences) / np.sqrt(12) + 0.02


def test_the_bounds_are_those_of_the_band_without_it():
    alone = nproc(SAMPLE.X, SAMPLE.y, "lda", random_state=3)
    assert alone.cross_fitted is None
    np.testing.assert_array_equal(alone.type2_upper, BAND.type2_upper)


@pytest.mark.parametrize("ending", ["joblib", "skops"])
def test_a_saved_band_keeps_it(tmp_path, ending):
    save(BAND, tmp_path / f"band.{ending}")
    np.testing.assert_array_equal(load(tmp_path / f"band.{ending}").cross_fitted.type2, BAND.cross_fitted.type2)


def test_it_is_drawn_as_a_line_with_its_name():
    ax = BAND.plot()
    assert "cross-fitted, 4 folds: an estimate" in [text.get_text() for text in ax.get_legend().get_texts()]
    (line,) = [line for line in ax.lines if line.get_gid() == "nproc-band-0-cross-fitted"]
    at = np.searchsorted(line.get_xdata(), 0.3, side="right") - 1
    assert line.get_ydata()[at] == pytest.approx(1 - BAND.cross_fitted.at(0.3))


def test_with_a_level_beyond_which_nothing_is_said_it_ends_there():
    band = nproc(SAMPLE.X, SAMPLE.y, "lda", band="simultaneous", alpha_max=0.3, cross_fit=4, random_state=3)
    assert band.cross_fitted.alpha.max() <= 0.3


def test_too_many_folds_and_a_trained_scorer_are_refused():
    with pytest.raises(InvalidInputError, match="cross_fit=59 requires at least 59 rows of each class, got 103 and 58"):
        nproc(SAMPLE.X, SAMPLE.y, "lda", cross_fit=59)
    with pytest.raises(InvalidInputError, match="leave out prefit=True"):
        nproc(SAMPLE.X, SAMPLE.y, lambda X: X[:, 0], prefit=True, cross_fit=5)
    with pytest.raises(InvalidInputError, match="cross_fit"):
        nproc(SAMPLE.X, SAMPLE.y, "lda", cross_fit=1)
