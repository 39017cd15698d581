"""Tests of what a fitted classifier says beside its labels: its trade-off, p-values, and its scikit-learn twin."""

import pickle

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import FixedThresholdClassifier, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import SVC
from sklearn.utils.validation import check_is_fitted

from nproc import NPClassifier, get_scorer, npc, nproc, violation_rate
from nproc.errors import InvalidInputError
from nproc.fits import Type1Curve, conditional_p_values, p_values
from nproc.fits.fixed_threshold import smallest_above
from nproc.orderstat import type1_upper
from nproc.thresholds import rounding_guard

mpl.use("Agg")
# of rounded rows many are copies, and a tree may give a class 0 row the largest score: both warnings are right
pytestmark = [
    pytest.mark.filterwarnings("ignore:.*and no class 1 score lies above:nproc.errors.NPWarning"),
    pytest.mark.filterwarnings("ignore:.*exact copies of training rows:nproc.errors.NPWarning"),
]


FOREST = get_scorer("randomforest", n_estimators=30)


def world(n=400, seed=0, digits=None):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.repeat([0, 1], n // 2))
    X = rng.normal(size=(n, 2)) + np.outer(y, [2.0, 0.5])
    return (X if digits is None else np.round(X, digits)), y


X, Y = world()
X_NEW, Y_NEW = world(seed=1)
NAMED = np.array(["ill", "well"])


# the whole trade-off


def test_the_curve_is_the_quantile_function_of_a_beta_law():
    fit = npc(X, Y, "lda", random_state=1)
    curve = fit.type1_upper_curve([0.01, 0.05, 0.3])
    n0, k = fit.n0_left_out, int(fit.orders[0])
    np.testing.assert_allclose(curve.type1_upper, stats.beta.ppf([0.99, 0.95, 0.7], n0 + 1 - k, k), rtol=1e-10)
    assert curve.at(0.05) == fit.type1_uppers[0] == type1_upper(k, n0, 0.05)
    assert curve.delta_at(0.05) == fit.violation_rates[0] == violation_rate(k, n0, 0.05)
    assert curve.mean == pytest.approx(stats.beta.mean(n0 + 1 - k, k), rel=1e-12)
    assert curve.guaranteed


def test_the_default_curve_falls_and_is_shown():
    fit = npc(X, Y, "lda", n_splits=3, random_state=1)
    curve = fit.type1_upper_curve()
    assert np.all(np.diff(curve.type1_upper) < 0)
    assert np.all(np.diff(curve.delta) > 0)
    assert curve.delta.size == 199
    assert curve.to_frame().columns.tolist() == ["delta", "type1_upper"]
    assert not curve.guaranteed
    assert "for each of the 3 splits, not for their vote" in " ".join(str(curve.summary()).lower().split())
    assert isinstance(pickle.loads(pickle.dumps(curve)), Type1Curve)
    assert f"(each split: rank {fit.orders[0]} of {fit.n0_left_out}" in repr(curve)
    assert "each split" not in repr(npc(X, Y, "lda", random_state=1).type1_upper_curve())
    axes = curve.plot()
    (line,) = axes.findobj(lambda artist: artist.get_gid() == "nproc-type1-curve")
    np.testing.assert_array_equal(line.get_ydata(), curve.type1_upper)
    mpl.pyplot.close(axes.figure)


def test_the_picture_of_the_curve_writes_the_violation_rate_of_its_summary_which_is_rounded_up():
    levels = {"alpha": 0.05, "n_splits": 1, "guaranteed": True}
    curve = Type1Curve(order=123, n0=125, delta=np.array([0.05, 0.1]), type1_upper=np.array([0.05, 0.04]), **levels)
    assert curve.delta_at(0.05) == pytest.approx(0.047704, rel=1e-4)
    axes = curve.plot()
    told = [text.get_text() for text in axes.get_legend().get_texts()]
    assert r"$\alpha$ exceeded with probability 0.0478" in told
    assert "Violation rate at alpha: 0.0478" in " ".join(str(curve.summary()).split())
    assert "rate 0.0478 at alpha" in repr(curve)
    mpl.pyplot.close(axes.figure)


def test_a_rank_chosen_on_the_left_out_rows_has_no_law():
    band = nproc(X, Y, "lda", random_state=1)
    chosen = band.classifier(band.choose_alpha("youden"))
    assert not chosen.type1_upper_curve().guaranteed
    assert "none of these bounds is guaranteed" in " ".join(str(chosen.type1_upper_curve().summary()).split())
    assert nproc(X, Y, "lda", random_state=2).classifier(0.1).type1_upper_curve().guaranteed
    invites = nproc(X, Y, "lda", random_state=1, band="simultaneous").classifier(0.3)
    assert not invites.type1_upper_curve().guaranteed


def test_bad_chances_are_told():
    fit = npc(X, Y, "lda", random_state=1)
    with pytest.raises(InvalidInputError, match="deltas must lie strictly"):
        fit.type1_upper_curve([0.5, 1.0])
    with pytest.raises(InvalidInputError, match="delta must lie strictly"):
        fit.type1_upper_curve().at(0.0)
    with pytest.raises(InvalidInputError, match="type1 must lie strictly"):
        fit.type1_upper_curve().delta_at(1.0)


# p-values


@pytest.mark.parametrize("digits", [None, 1, 0])
@pytest.mark.parametrize("method", ["lda", "knn", FOREST], ids=["lda", "knn", "forest"])
def test_class_1_is_called_exactly_where_the_p_value_is_at_most_its_cut(method, digits):
    rows, labels = world(digits=digits)
    fit = npc(rows, labels, method, random_state=1)
    n0, k = fit.n0_left_out, int(fit.orders[0])
    for new in (rows, world(seed=1, digits=digits)[0]):
        np.testing.assert_array_equal(fit.predict(new) == 1, fit.p_values(new) <= (n0 + 1 - k) / (n0 + 1))


@pytest.mark.parametrize("n_splits", [3, 5])
def test_the_vote_calls_class_1_exactly_where_the_combined_p_value_is_at_most_its_cut(n_splits):
    fit = npc(X, Y, "lda", n_splits=n_splits, random_state=1)
    n0, k = fit.n0_left_out, int(fit.orders[0])
    factor = n_splits / (n_splits // 2 + 1)
    combined = fit.p_values(X_NEW)
    np.testing.assert_array_equal(fit.predict(X_NEW) == 1, combined <= factor * (n0 + 1 - k) / (n0 + 1))
    assert np.all((combined > 0) & (combined <= 1))


def test_p_values_are_those_of_the_scores():
    fit = npc(X, Y, "lda", class0=1, random_state=1)
    scores = fit.scorers[0].decision_function(X_NEW)
    np.testing.assert_array_equal(fit.p_values(X_NEW), p_values(fit.scores0[0], scores))
    np.testing.assert_array_equal(
        fit.conditional_p_values(X_NEW, delta=0.1), conditional_p_values(fit.scores0[0], scores, delta=0.1)
    )
    np.testing.assert_array_equal(fit.conditional_p_values(X_NEW), fit.conditional_p_values(X_NEW, delta=0.05))


def test_the_simultaneous_band_calls_class_1_where_the_conditional_p_value_is_at_most_alpha():
    band = nproc(X, Y, "lda", random_state=1, band="simultaneous")
    for alpha in (0.1, 0.2, 0.5):
        fit = band.classifier(alpha)
        values = fit.conditional_p_values(X_NEW, delta=band.rule.share)
        np.testing.assert_array_equal(fit.predict(X_NEW) == 1, values <= alpha)


def test_ties_called_at_random_may_differ_only_at_ties():
    rows, labels = world(digits=0)
    fit = npc(rows, labels, "lda", ties="randomize", alpha=0.2, random_state=1)
    cut = (fit.n0_left_out + 1 - fit.orders[0]) / (fit.n0_left_out + 1)
    margins = fit.decision_function(rows)
    differs = (fit.predict(rows, random_state=1) == 1) != (fit.p_values(rows) <= cut)
    assert np.all(margins[differs] == 0)


def test_the_estimator_offers_all_of_it():
    model = NPClassifier("lda", class0=0, random_state=1).fit(X, Y)
    assert model.fit_.p_values(X_NEW).shape == (400,)
    assert isinstance(model.fit_.to_sklearn(), FixedThresholdClassifier)


def test_several_splits_have_no_conditional_p_values():
    with pytest.raises(InvalidInputError, match="conditional p-values require one split, and this fit has 3"):
        npc(X, Y, "lda", n_splits=3, random_state=1).conditional_p_values(X)


def test_a_fit_by_groups_has_certificates_only():
    groups = np.repeat(["a", "b"], 200)
    fit = npc(X, Y, "lda", groups=groups, alpha=0.2, random_state=1)
    assert fit.certify(X_NEW, Y_NEW, groups=groups).n0 == 200
    for ask in (fit.type1_upper_curve, fit.to_sklearn, lambda: fit.p_values(X), lambda: fit.conditional_p_values(X)):
        with pytest.raises(InvalidInputError, match="by group or from a model of the scores"):
            ask()


# the twin


def check_twin(fit, *tables):
    twin = fit.to_sklearn()
    for rows in tables:
        expected = fit.predict(rows)
        predicted = twin.predict(rows)
        assert predicted.dtype == expected.dtype
        np.testing.assert_array_equal(predicted, expected)
    check_is_fitted(twin)
    check_is_fitted(FrozenEstimator(twin))
    np.testing.assert_array_equal(make_pipeline(FunctionTransformer(), twin).predict(tables[0]), fit.predict(tables[0]))
    again = pickle.loads(pickle.dumps(twin))
    check_is_fitted(again)
    np.testing.assert_array_equal(again.predict(tables[0]), fit.predict(tables[0]))
    return twin


METHODS = ["logistic", "lda", "svm", FOREST, "nb", "tree", "knn"]


@pytest.mark.parametrize("digits", [None, 0])
@pytest.mark.parametrize("class0", ["ill", "well"])
@pytest.mark.parametrize("method", METHODS, ids=str)
def test_the_twin_predicts_the_same_text_labels(method, class0, digits):
    rows, labels = world(digits=digits)
    fit = npc(rows, NAMED[labels], method, class0=class0, alpha=0.1, random_state=1)
    twin = check_twin(fit, rows, X_NEW)
    assert twin.classes_.tolist() == ["ill", "well"]


@pytest.mark.parametrize("class0", [0, 1])
@pytest.mark.parametrize(
    "method",
    [
        "lda",
        FOREST,
        LogisticRegression(),
        RandomForestClassifier(20, random_state=0),
        make_pipeline(StandardScaler(), LogisticRegression()),
    ],
    ids=["lda", "forest", "sklearn logistic", "sklearn forest", "pipeline"],
)
def test_the_twin_predicts_the_same_codes(method, class0):
    check_twin(npc(X, Y, method, class0=class0, random_state=1), X, X_NEW)


def test_labels_0_and_1_leave_a_scorer_itself_inside_whose_probabilities_need_no_correction():
    assert isinstance(npc(X, Y, SVC(), random_state=1).to_sklearn().estimator.estimator, SVC)
    trained = LogisticRegression().fit(X_NEW, Y_NEW)
    assert isinstance(npc(X, Y, trained, prefit=True).to_sklearn().estimator.estimator, LogisticRegression)
    # truth values are other labels, although they equal 0 and 1
    assert check_twin(npc(X, Y == 1, LogisticRegression(), random_state=1), X).predict(X).dtype == bool


@pytest.mark.parametrize("method", ["lda", make_pipeline(StandardScaler(), LogisticRegression())], ids=["lda", "own"])
def test_frames_go_in_as_they_are(method):
    frame, new = (pd.DataFrame(rows, columns=["a", "b"]) for rows in (X, X_NEW))
    check_twin(npc(frame, NAMED[Y], method, class0="well", random_state=1), frame, new)
    check_twin(npc(frame, Y, method, random_state=1), frame, new)


def test_a_formula_codes_new_rows():
    frame = pd.DataFrame(X, columns=["a", "b"]).assign(y=NAMED[Y], c=np.where(X[:, 1] > 0, "u", "v"))
    new = pd.DataFrame(X_NEW, columns=["a", "b"]).assign(c=np.where(X_NEW[:, 1] > 0, "u", "v"))
    fit = npc("y ~ a * c", data=frame, class0="ill", random_state=1)
    np.testing.assert_array_equal(fit.to_sklearn().predict(new), fit.predict(new))


def test_the_twin_of_a_wide_frame_is_shown_in_a_few_lines():
    frame = pd.DataFrame(np.repeat(X, 30, axis=1), columns=[f"column {number}" for number in range(60)])
    shown = repr(npc(frame, NAMED[Y], "nb", class0="ill", random_state=1).to_sklearn())
    assert len(shown.splitlines()) <= 6
    assert "<design of 60 column(s)>" in shown


# with "well" as class 0 the column does point the wrong way
@pytest.mark.filterwarnings("ignore:the scores seem to have the wrong sign")
@pytest.mark.parametrize("class0", ["ill", "well"])
def test_prefit_models_and_functions(class0):
    model = RandomForestClassifier(20, random_state=0).fit(*(world(seed=5)[0], NAMED[world(seed=5)[1]]))
    twin = check_twin(npc(X, NAMED[Y], model, prefit=True, class0=class0, random_state=1), X, X_NEW)
    assert isinstance(twin.estimator.estimator, RandomForestClassifier)
    check_twin(npc(X, NAMED[Y], first_column, prefit=True, class0=class0, random_state=1), X, X_NEW)


def first_column(rows):
    sign = 1.0
    return sign * rows[:, 0]


def single_precision(rows):
    return np.asarray(rows[:, 0], dtype=np.float32)


def test_scores_of_single_precision_keep_their_ties():
    check_twin(npc(X, Y, single_precision, prefit=True, random_state=1), X, X_NEW)


def test_scores_an_ulp_from_the_threshold_are_judged_alike():
    fit = npc(X, NAMED[Y], first_column, prefit=True, class0="ill", random_state=1)
    threshold = fit.thresholds[0]
    near = [threshold]
    for direction in (np.inf, -np.inf):
        value = threshold
        for _ in range(20):
            value = np.nextafter(value, direction)
            near.append(value)
    guard = rounding_guard(fit.scores0[0], threshold)
    edge = smallest_above(threshold, guard)
    near += [edge, np.nextafter(edge, -np.inf), np.nextafter(edge, np.inf)]
    rows = np.column_stack([near, np.zeros(len(near))])
    np.testing.assert_array_equal(fit.to_sklearn().predict(rows), fit.predict(rows))
    assert fit.predict(rows[-3:]).tolist() == ["well", "ill", "well"]


@pytest.mark.parametrize("guard", [0.0, 1e-12, 0.3])
@pytest.mark.parametrize("threshold", [0.0, 1.0, -3.7, 1e-300, 1e17])
def test_the_cut_is_the_first_float_that_passes(threshold, guard):
    cut = smallest_above(threshold, guard)
    assert cut - threshold > guard
    assert not np.nextafter(cut, -np.inf) - threshold > guard


def test_the_twin_of_a_fit_with_clusters_takes_rows_without_their_column():
    frame = pd.DataFrame(X, columns=["a", "b"]).assign(patient=np.arange(400) // 2)
    fit = npc(frame, Y, "lda", clusters="patient", alpha=0.1, delta=0.1, random_state=1)
    np.testing.assert_array_equal(fit.to_sklearn().predict(frame[["a", "b"]]), fit.predict(frame))
    n0, k = fit.n0_left_out, int(fit.orders[0])
    np.testing.assert_array_equal(fit.predict(frame) == 1, fit.p_values(frame) <= (n0 + 1 - k) / (n0 + 1))


def test_training_again_does_not_move_it():
    fit = npc(X, Y, "lda", random_state=1)
    twin = fit.to_sklearn()
    np.testing.assert_array_equal(clone(twin).fit(X[:50], Y[:50]).predict(X_NEW), fit.predict(X_NEW))
    np.testing.assert_array_equal(cross_val_predict(twin, X_NEW, Y_NEW, cv=3), fit.predict(X_NEW))


@pytest.mark.parametrize("method", ["lda", LogisticRegression()], ids=["own rows", "plain"])
def test_a_clone_of_the_twin_is_unfitted_until_a_fit_that_trains_nothing(method):
    frame, new = (pd.DataFrame(rows, columns=["a", "b"]) for rows in (X, X_NEW))
    fit = npc(frame, NAMED[Y], method, class0="well", random_state=1)
    twin = fit.to_sklearn()
    copy = clone(twin)
    with pytest.raises(NotFittedError):
        check_is_fitted(copy)
    # the labels are turned round, and nothing is learnt from them
    again = copy.fit(new, NAMED[1 - Y_NEW])
    check_is_fitted(again)
    for answer in ("predict", "decision_function"):
        np.testing.assert_array_equal(getattr(again, answer)(new), getattr(twin, answer)(new))
    assert again.estimator_.estimator is twin.estimator_.estimator
    assert again.threshold == twin.threshold


@pytest.mark.parametrize("class0", [0, 1])
@pytest.mark.parametrize("values", [[0, 1], [False, True], ["ill", "well"]], ids=["codes", "truth", "text"])
@pytest.mark.parametrize("method", ["lda", FOREST, make_pipeline(StandardScaler(), LogisticRegression())], ids=str)
def test_the_twin_has_the_probabilities_of_the_fit(method, values, class0):
    fit = npc(X, np.array(values)[Y], method, class0=values[class0], alpha=0.2, random_state=1)
    expected = fit.predict_proba(X_NEW)
    np.testing.assert_array_equal(fit.to_sklearn().predict_proba(X_NEW), expected[:, ::-1] if class0 else expected)


@pytest.mark.parametrize("class0", [0, 1])
@pytest.mark.parametrize("values", [[0, 1], ["ill", "well"]], ids=["codes", "text"])
def test_the_twin_has_the_probabilities_of_a_trained_model(values, class0):
    values = np.array(values)
    model = LogisticRegression().fit(X_NEW, values[Y_NEW])
    fit = npc(X, values[Y], model, prefit=True, class0=values[class0], alpha=0.2, random_state=1)
    np.testing.assert_allclose(fit.to_sklearn().predict_proba(X), model.predict_proba(X), rtol=1e-12)


def test_a_twin_without_probabilities_offers_none():
    for labels in (Y, NAMED[Y]):
        twin = npc(X, labels, SVC(), class0=labels[Y == 0][0], random_state=1).to_sklearn()
        assert not hasattr(twin, "predict_proba")


def test_what_has_no_twin_is_told():
    with pytest.raises(InvalidInputError, match="the vote of 3 splits has no single threshold"):
        npc(X, Y, "lda", n_splits=3, random_state=1).to_sklearn()
    with pytest.raises(InvalidInputError, match="no fixed threshold does"):
        npc(X, Y, "lda", ties="randomize", random_state=1).to_sklearn()


def test_scores_and_rule_of_the_inner_estimator():
    fit = npc(X, NAMED[Y], "lda", class0="well", random_state=1)
    inner = fit.to_sklearn().estimator.estimator
    # class 1 is 'ill', the first label in sorted order
    np.testing.assert_array_equal(inner.decision_function(X), -fit.scorers[0].decision_function(X))
    np.testing.assert_array_equal(inner.predict(X) == "well", inner.decision_function(X) > 0)
    assert inner.fit(X, Y) is inner
