"""Outlier detectors: refused alone, and scored by the label of their outliers with `OutlierScorer`."""

from functools import partial

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.covariance import EllipticEnvelope
from sklearn.ensemble import IsolationForest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import LocalOutlierFactor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import OneClassSVM

from nproc import NPClassifier, load, npc, npc_multiclass, nproc, save
from nproc.errors import InvalidInputError
from nproc.row_chunks import RowChunks
from nproc.scorers import AveragedScorer, OutlierScorer

RNG = np.random.default_rng(8)
N0, N1 = 300, 200
NORMAL = RNG.normal(size=(N0, 2))
ABNORMAL = RNG.normal(size=(N1, 2)) + np.array([3.0, -3.0])
X = np.r_[NORMAL, ABNORMAL]
Y = np.repeat(["fine", "fraud"], [N0, N1])
DETECTORS = {
    "forest": IsolationForest(n_estimators=30, random_state=0),
    "one-class": OneClassSVM(nu=0.1),
    "neighbours": LocalOutlierFactor(novelty=True),
    "envelope": EllipticEnvelope(random_state=0),
    "pipeline": make_pipeline(StandardScaler(), OneClassSVM(nu=0.1)),
}


def pyod_detector():
    return pytest.importorskip("pyod.models.knn").KNN()


@pytest.fixture(params=[*DETECTORS, "pyod"])
def detector(request):
    return pyod_detector() if request.param == "pyod" else clone(DETECTORS[request.param])


def test_a_detector_alone_is_refused_trained_or_not(detector):
    with pytest.raises(InvalidInputError, match=r"outlier detector .*OutlierScorer\(.*outliers=label.*function of X"):
        npc(X, Y, detector)
    with pytest.raises(InvalidInputError, match=r"outlier detector .*OutlierScorer"):
        npc(X, Y, detector.fit(NORMAL), prefit=True)


@pytest.mark.parametrize("class0", ["fine", "fraud"])
def test_either_class_may_be_the_outliers(detector, class0):
    fit = npc(X, Y, OutlierScorer(detector, outliers="fraud"), class0=class0, alpha=0.1, random_state=1)
    assert fit.evaluate(X, Y).type2 < 0.25
    assert "Outliers are 'fraud'" in str(fit.summary())


@pytest.mark.parametrize("class0", ["fine", "fraud"])
def test_a_trained_detector_is_used_as_it_is(detector, class0):
    scorer = OutlierScorer(detector.fit(NORMAL[:100]), outliers="fraud")
    fit = npc(X[100:], Y[100:], scorer, prefit=True, class0=class0, alpha=0.1, random_state=1)
    assert fit.evaluate(X[100:], Y[100:]).type2 < 0.25
    assert not hasattr(scorer, "detector_")


@pytest.mark.slow
@pytest.mark.parametrize("class0", [0, 1])
def test_labels_0_and_1_are_those_of_the_user_and_not_the_codes(class0):
    y = (Y == "fraud").astype(int)
    scorer = OutlierScorer(DETECTORS["forest"], outliers=1)
    for method in (
        scorer,
        make_pipeline(StandardScaler(), scorer),
        GridSearchCV(scorer, {"detector__max_samples": [0.5, 1.0]}, cv=2),
        AveragedScorer(scorer, n_members=2),
    ):
        fit = npc(X, y, method, class0=class0, alpha=0.1, random_state=1)
        assert fit.evaluate(X, y).type2 < 0.25


def test_other_faces_take_it(tmp_path):
    scorer = OutlierScorer(DETECTORS["one-class"], outliers="fraud")
    assert nproc(X, Y, scorer, class0="fine", random_state=1).at(0.1).type2 < 0.25
    model = NPClassifier(scorer, alpha=0.1, class0="fraud", random_state=1).fit(X, Y)
    assert np.mean(model.predict(X) == Y) > 0.8
    rows = RowChunks.from_arrays(X, Y, chunk_size=90)
    trained = OutlierScorer(clone(scorer.detector).fit(NORMAL), outliers="fraud")
    assert npc(rows, method=trained, prefit=True, class0="fine").evaluate(X, Y).type2 < 0.25
    again = load(save(model, tmp_path / "model.joblib"))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


def test_it_trains_on_the_rows_that_are_no_outliers_unless_told_otherwise():
    few, all_rows = (
        OutlierScorer(EllipticEnvelope(random_state=0), "fraud", train_on=on).fit(X, Y) for on in ("inliers", "all")
    )
    np.testing.assert_allclose(few.detector_.location_, NORMAL.mean(axis=0), atol=0.2)
    assert np.abs(all_rows.detector_.dist_).size == len(X)
    assert few.predict([[0.0, 0.0], [9.0, -9.0]]).tolist() == ["fine", "fraud"]


@pytest.mark.parametrize(
    ("scorer", "message"),
    [
        (
            OutlierScorer(IsolationForest(), "thief"),
            "outliers='thief' is not a label in y, which has 'fine' and",
        ),
        (OutlierScorer(StandardScaler(), "fraud"), "detector must be an outlier detector"),
        (OutlierScorer(LocalOutlierFactor(), "fraud"), "novelty=True"),
        (OutlierScorer(IsolationForest(), "fraud", train_on="some"), "train_on must be"),
        (
            GridSearchCV(
                make_pipeline(StandardScaler(), OutlierScorer(IsolationForest(), "fraud")),
                {"outlierscorer": [OutlierScorer(IsolationForest(), "fraud")]},
            ),
            "among its candidates",
        ),
    ],
)
def test_what_cannot_be_is_refused(scorer, message):
    with pytest.raises(InvalidInputError, match=message):
        npc(X, Y, scorer, class0="fine", alpha=0.1, random_state=1)


def test_a_copy_is_untrained():
    trained = OutlierScorer(DETECTORS["forest"], "fraud").fit(X, Y)
    assert not hasattr(clone(trained), "detector_")
    np.testing.assert_array_equal(clone(trained).fit(X, Y).decision_function(X), trained.decision_function(X))


def test_a_saved_scorer_comes_back_from_skops(tmp_path):
    pytest.importorskip("skops")
    fit = npc(X, Y, OutlierScorer(EllipticEnvelope(random_state=0), "fraud"), class0="fine", alpha=0.1, random_state=1)
    again = load(save(fit, tmp_path / "model.skops"))
    np.testing.assert_array_equal(again.predict(X), fit.predict(X))


def test_several_classes_refuse_it():
    with pytest.raises(InvalidInputError, match="works with two classes only"):
        npc_multiclass(X, Y, make_pipeline(StandardScaler(), OutlierScorer(IsolationForest(), "fraud")))


@pytest.mark.parametrize("method", ["decision_function", "score_samples"])
def test_a_bound_method_of_a_detector_is_refused_as_the_detector_is(method):
    forest = IsolationForest(random_state=0).fit(X)
    for function in (getattr(forest, method), partial(getattr(forest, method))):
        with pytest.raises(InvalidInputError, match="method is the outlier detector IsolationForest"):
            npc(X, Y, function, prefit=True, class0="fine")


def test_a_detector_inside_another_estimator_is_refused():
    with pytest.raises(InvalidInputError, match="method has the outlier detector IsolationForest in it, as estimator"):
        npc(X, Y, CalibratedClassifierCV(IsolationForest()), class0="fine")


def test_what_is_not_trained_cannot_be_used_as_it_is():
    scorer = OutlierScorer(IsolationForest(), outliers="fraud")
    for method in (
        scorer,
        make_pipeline(StandardScaler(), LogisticRegression()),
        LogisticRegression().decision_function,
    ):
        with pytest.raises(InvalidInputError, match=r"prefit=True needs a trained model, and method=.* is not trained"):
            npc(X, Y, method, prefit=True, class0="fine")
