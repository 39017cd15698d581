import pickle
import re

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import check_estimator

from nproc import (
    InvalidInputError,
    NPMultiClassifier,
    NPWarning,
    TooFewSamplesError,
    load,
    np_order,
    npc,
    npc_multiclass,
    save,
)
from nproc.multiclass.result import MultiEvaluation, confusion_counts
from nproc.multiclass.stages import ModelStages, class_values, first_kept, stage_thresholds
from nproc.rows.labels import order_labels
from nproc.tables import rounded_down

MEANS = np.array([[0.0, 0.0], [3.0, 0.0], [1.5, 3.0]])
NAMES = np.array(["malignant", "suspect", "benign"])


def sample(n=120, seed=0):
    rng = np.random.default_rng(seed)
    codes = np.repeat([0, 1, 2], n)
    return MEANS[codes] + rng.standard_normal((3 * n, 2)), NAMES[codes]


def fitted(method="lda", **arguments):
    X, y = sample()
    return npc_multiclass(X, y, method, **{"priority": NAMES, "alphas": (0.1, 0.2), "random_state": 1, **arguments})


# thresholds


def test_the_joint_threshold_counts_rows_called_higher_as_the_smallest_scores():
    rng = np.random.default_rng(1)
    codes = np.repeat([0, 1], 50)
    scores = rng.random((100, 2))
    scores[50:, 0] += 0.4
    found = stage_thresholds(scores, codes, (0.1, 0.1), (0.2, 0.2))
    order = np_order(50, 0.1, 0.2)
    t0 = np.sort(scores[:50, 0])[order - 1]
    own = np.sort(np.where(scores[50:, 0] > t0, scores[50:, 1], -np.inf))
    assert found.rules[0].value == t0
    assert found.rules[1].value == own[order - 1]
    assert found.n_called_higher == (0, int(np.isinf(own).sum()))
    separate = stage_thresholds(scores, codes, (0.1, 0.1), (0.2, 0.2), scheme="separate")
    assert separate.rules[1].value == np.sort(scores[50:, 1])[order - 1]
    assert separate.rules[1].value > found.rules[1].value


def test_a_row_is_called_the_first_class_whose_stage_keeps_it():
    margins = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0], [np.inf, np.inf]])
    assert first_kept(margins).tolist() == [0, 1, 2, 0, 1, 2]


def test_left_out_rows_called_lower_are_as_many_as_the_rank_leaves():
    fit = fitted()
    for j, rule in enumerate(fit.rules):
        lower = fit.left_out_counts[j, j + 1 :].sum()
        assert lower == rule.n0 - rule.order
        assert fit.left_out_counts[j].sum() == rule.n0 == 60
    assert fit.left_out_counts[2].sum() == 0


def test_two_classes_give_the_classifier_of_npc():
    X, y = sample()
    keep = y != "benign"
    two = npc_multiclass(X[keep], y[keep], priority=["malignant", "suspect"], alphas=0.1, random_state=4)
    one = npc(X[keep], y[keep], class0="malignant", alpha=0.1, random_state=4, split_ratio=0.5)
    assert two.thresholds.tolist() == one.thresholds.tolist()
    assert np.array_equal(two.predict(X), one.predict(X))


def test_a_function_gives_the_scores_of_the_stages():
    X, y = sample()
    fit = fitted(lambda rows: -np.asarray(rows), prefit=True)
    assert fit.n_left_out.tolist() == [120, 120]
    assert fit.thresholds[0] == np.sort(X[:120, 0])[np_order(120, 0.1, 0.05) - 1]
    assert np.allclose(fit.decision_function(X)[:, 0], X[:, 0] - fit.thresholds[0])
    with pytest.raises(InvalidInputError, match=r"one score a row for every class but the last, shape \(360, 2\)"):
        npc_multiclass(X, y, lambda rows: rows[:, 0], prefit=True, priority=NAMES, alphas=0.1)
    with pytest.raises(InvalidInputError, match=r"the function must give numbers, shape \(m, 2\), got dtype <U"):
        npc_multiclass(X, y, lambda rows: ["a"] * 360, prefit=True, priority=NAMES, alphas=0.1)
    with pytest.raises(InvalidInputError, match="the function must give finite values, got 360 that are not"):
        npc_multiclass(X, y, lambda rows: rows * [1, np.nan], prefit=True, priority=NAMES, alphas=0.1)


# scores of models


def test_a_model_is_asked_for_the_odds_against_lower_classes_or_for_its_own_probability():
    X, y = sample()
    model = LogisticRegression(C=np.inf).fit(X, y)
    P = model.predict_proba(X)[:, [model.classes_.tolist().index(name) for name in NAMES]]
    against = ModelStages(model, tuple(NAMES), "against_lower").scores(X)
    assert np.allclose(against[:, 0], np.log((1 - P[:, 0]) / P[:, 0]))
    assert np.allclose(against[:, 1], np.log(P[:, 2] / P[:, 1]))
    assert np.allclose(ModelStages(model, tuple(NAMES), "own").scores(X), np.log(1 / P[:, :2] - 1))


def rule_of_the_paper(P_left, codes_left, P, alphas, deltas):
    """The Discussion's rule: c_j from the left-out rows of class j; class j for the first j with p_j >= c_j."""
    cuts = []
    for j, (alpha, delta) in enumerate(zip(alphas, deltas, strict=True)):
        own = np.sort(P_left[codes_left == j, j])[::-1]
        cuts.append(own[np_order(own.size, alpha, delta) - 1])
    kept = P[:, :-1] >= cuts
    return np.where(kept.any(axis=1), kept.argmax(axis=1), P.shape[1] - 1), np.array(cuts)


# naive Bayes on dependent columns is far too sure: most of its probabilities are 0 or 1 to twelve digits
@pytest.mark.parametrize(
    "model", [LogisticRegression(max_iter=10_000), GaussianNB(), RandomForestClassifier(20, random_state=0)], ids=str
)
@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_separate_own_probabilities_are_the_rule_of_the_paper_to_the_letter(model, n_classes):
    rng = np.random.default_rng(n_classes)
    codes = np.repeat(np.arange(n_classes), 300)
    shared = rng.standard_normal((codes.size, 1))
    X = 1.5 * codes[:, None] + 0.8 * shared + 0.6 * rng.standard_normal((codes.size, 30))
    train = rng.random(codes.size) < 0.5
    model = clone(model).fit(X[train], codes[train])
    alphas, deltas = (0.05, 0.1, 0.2)[: n_classes - 1], (0.1, 0.2, 0.1)[: n_classes - 1]
    fit = npc_multiclass(
        X[~train], codes[~train], model, prefit=True, alphas=alphas, deltas=deltas, scheme="separate", stage_score="own"
    )
    P = model.predict_proba(X)
    called, cuts = rule_of_the_paper(P[~train], codes[~train], P, alphas, deltas)
    assert np.array_equal(fit.predict(X), called)
    assert fit.thresholds == pytest.approx(np.log((1 - cuts) / cuts))
    assert np.all(np.diag(fit.evaluate(X, codes).counts) > 0)


def test_a_named_method_is_one_model_of_all_classes_for_its_own_probabilities():
    X, _ = sample()
    named, given = (
        fitted(method, stage_score="own", scheme="separate") for method in ("lda", LinearDiscriminantAnalysis())
    )
    assert np.array_equal(named.decision_function(X), given.decision_function(X))
    assert named.method == "lda"
    with pytest.raises(InvalidInputError, match="method 'svm' is for two classes; use one of 'logistic', 'lda'"):
        fitted("svm", stage_score="own")
    with pytest.raises(InvalidInputError, match="prefit=True needs a fitted model or a function as method"):
        fitted("lda", stage_score="own", prefit=True)


def test_decision_values_are_compared_with_the_best_of_the_lower_classes():
    X, y = sample()
    model = SVC().fit(X, y)
    D = model.decision_function(X)[:, [model.classes_.tolist().index(name) for name in NAMES]]
    against = ModelStages(model, tuple(NAMES), "against_lower").scores(X)
    assert np.allclose(against, np.column_stack([np.maximum(D[:, 1], D[:, 2]) - D[:, 0], D[:, 2] - D[:, 1]]))
    pairs = SVC(decision_function_shape="ovo")
    # three classes have three pairs: the shape of the values is the same
    for model in (pairs, make_pipeline(StandardScaler(), pairs), GridSearchCV(pairs, {"C": [1]}, cv=2)):
        with pytest.raises(InvalidInputError, match="SVC compares classes by pairs; set decision_function_shape='ovr'"):
            class_values(model.fit(X, y), X, NAMES.tolist())


def test_a_probability_of_zero_gives_a_finite_score():
    class Certain:
        classes_ = np.array([0, 1, 2])

        def predict_proba(self, X):
            return np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])

    scores = ModelStages(Certain(), (0, 1, 2), "against_lower").scores(np.zeros((3, 1)))
    assert np.isfinite(scores).all()
    assert scores[0, 1] == 0
    assert scores[:, 0].argmin() == 0


def test_models_without_scores_or_of_other_classes_are_refused():
    X, y = sample()

    class Silent:
        def fit(self, X, y):
            return self

    with pytest.raises(InvalidInputError, match="needs predict_proba or decision_function; Silent has neither"):
        npc_multiclass(X, y, Silent(), priority=NAMES, alphas=0.1, random_state=1)
    other = LogisticRegression().fit(X, np.where(y == "benign", "other", y))
    with pytest.raises(InvalidInputError, match="was trained on the classes"):
        npc_multiclass(X, y, other, prefit=True, priority=NAMES, alphas=0.1)
    with pytest.raises(
        InvalidInputError, match=r"prefit=True needs a trained model, and method=SVC\(\) is not trained"
    ):
        npc_multiclass(X, y, SVC(), prefit=True, priority=NAMES, alphas=0.1)
    assert fitted(LogisticRegression().fit(X, y), prefit=True).n_left_out.tolist() == [120, 120]


@pytest.mark.parametrize(
    ("method", "words"),
    [("qda", "in the stage of class 'malignant', 0, against"), (QuadraticDiscriminantAnalysis(), "'benign' = 2")],
)
def test_a_training_that_fails_says_which_class_has_which_code(method, words):
    X, y = sample()
    few = np.r_[0:240, 240]
    if method == "qda":
        X, y, few = X, np.where(y == "benign", "suspect", y), np.r_[0:120, 120]
    labels = [name for name in NAMES if name in y[few]]
    with pytest.raises(InvalidInputError, match=words):
        npc_multiclass(X[few], y[few], method, priority=labels, alphas=0.2, random_state=1)


@pytest.mark.parametrize("method", ["lda", "logistic", LogisticRegression(), SVC()], ids=str)
def test_names_and_estimators_are_fitted_from_one_seed(method):
    X, _ = sample()
    first, again = fitted(method), fitted(method)
    assert np.array_equal(first.decision_function(X), again.decision_function(X))
    assert set(first.predict(X)) == set(NAMES)


def test_parameters_of_a_named_method_are_passed_on():
    assert fitted("svm", C=3).stages.scorers[0].get_params()["svc__C"] == 3
    assert fitted("svm", method_params={"C": 3}).stages.scorers[1].get_params()["svc__C"] == 3
    with pytest.raises(InvalidInputError, match="given twice"):
        fitted("svm", C=3, method_params={"C": 3})
    with pytest.raises(InvalidInputError, match="method_params must be a dict"):
        fitted("svm", method_params=[3])


def test_formulas_code_text_columns():
    X, y = sample()
    frame = pd.DataFrame(X, columns=["a", "b"]).assign(side=np.where(np.arange(360) % 2, "left", "right"), kind=y)
    fit = npc_multiclass("kind ~ a + b + side", None, "lda", data=frame, priority=NAMES, alphas=0.1, random_state=1)
    assert fit.evaluate(frame).counts.sum() == 360
    with pytest.raises(InvalidInputError, match="y is missing, and X has no column 'kind'"):
        fit.evaluate(frame.drop(columns="kind"))
    with pytest.raises(InvalidInputError, match="prefit=True cannot be used with a formula"):
        npc_multiclass("kind ~ a", None, lambda X: X, data=frame, prefit=True, priority=NAMES, alphas=0.1)


# errors


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"alphas": (0.1, 0.2, 0.3)},
            r"alphas must be one number, or one for each class but the last \(2: \['malignant', 'suspect'\], in this "
            r"order\), got 3",
        ),
        ({"alphas": (0.1, 1.5)}, "alphas must lie strictly between 0 and 1, got 1.5"),
        (
            {"alphas": {"malignant": 0.1}},
            r"alphas is a dict, which has values by name, .* the levels of \['malignant', 'suspect'\], in this order\.",
        ),
        (
            {"alphas": pd.Series([0.1, 0.2], index=NAMES[[1, 0]])},
            "alphas is a Series, which has values by name, .* order",
        ),
        ({"deltas": 0}, "deltas must lie strictly between 0 and 1, got 0"),
        ({"scheme": "both"}, "scheme must be one of 'joint', 'separate', got 'both'"),
        ({"stage_score": "both"}, "stage_score must be one of 'against_lower', 'own', got 'both'"),
        ({"split_ratio": "adaptive"}, "split_ratio must be a number in"),
        ({"priority": "malignant"}, "priority must list the labels from the highest"),
        ({"priority": NAMES[:2]}, r"priority must list each of the labels .* once, .*\['benign'\] are missing"),
        ({"priority": [*NAMES, "other"]}, r"\['other'\] are not labels of y"),
        ({"priority": [*NAMES, "benign"]}, "some labels are repeated"),
    ],
)
def test_bad_arguments_are_named(arguments, message):
    with pytest.raises(InvalidInputError, match=message):
        fitted(**arguments)


def test_a_series_of_levels_is_taken_where_its_index_cannot_mean_another_order():
    by_place = fitted(alphas=pd.Series([0.1, 0.2]))
    assert by_place.alphas == fitted(alphas=pd.Series([0.1, 0.2], index=NAMES[:2])).alphas == (0.1, 0.2)
    X, y = sample()
    # here 0 and 1 may be places or labels
    codes = np.searchsorted(np.sort(NAMES), y)
    with pytest.raises(InvalidInputError, match=r"deltas is a Series, .* the levels of \[1, 2\], in this order"):
        npc_multiclass(X, codes, "lda", priority=[1, 2, 0], alphas=0.1, deltas=pd.Series([0.1, 0.2]))


def test_too_few_rows_name_the_class_and_what_would_do():
    message = (
        r"^60 left-out rows of class 'suspect' cannot meet alpha=0\.01 with delta=0\.05; at least 299 are needed \(or "
        r"alpha >= 0\.0488\)\. With split_ratio=0\.5, 597 rows of class 'suspect' are "
        r"needed in all, and there are 120\.$"
    )
    with pytest.raises(TooFewSamplesError, match=message):
        fitted(alphas=(0.1, 0.01))
    X, y = sample(45)
    # one ratio that serves all classes is named, and it does
    few = {"method": "lda", "priority": NAMES, "alphas": (0.1, 0.2), "random_state": 1}
    with pytest.raises(TooFewSamplesError, match=r"are 45\. split_ratio=0\.\d+ leaves out 29 of them, so") as told:
        npc_multiclass(X, y, **few)
    ratio = float(re.search(r"split_ratio=(0\.\d+) leaves", str(told.value))[1])
    assert npc_multiclass(X, y, split_ratio=ratio, **few).n_left_out.tolist() == [29, 29]
    X, y = sample(1)
    with pytest.raises(TooFewSamplesError, match=r"class 'malignant' has 1 row\(s\): 0 to train and 1 to set"):
        npc_multiclass(X, y, "lda", priority=NAMES)
    with pytest.raises(TooFewSamplesError, match="120 left-out rows of class 'malignant' cannot meet"):
        fitted(lambda rows: rows, prefit=True, alphas=0.01)


def test_labels_are_ordered_by_priority():
    labels = order_labels([3, 1, 2, 3], [2, 3, 1])
    assert labels.y.tolist() == [1, 2, 0, 1]
    assert labels.values.tolist() == [2, 3, 1]
    assert order_labels(["b", "a"]).values.tolist() == ["a", "b"]
    with pytest.raises(InvalidInputError, match=r"y has one class only \('a', 2 rows\); 2 are needed"):
        order_labels(["a", "a"])
    with pytest.raises(InvalidInputError, match="y has 9 distinct values, which look continuous"):
        order_labels(np.linspace(0, 1, 9))


def test_rows_matched_in_another_order_are_an_error():
    X, y = sample()
    frame, labels = pd.DataFrame(X), pd.Series(y)
    with pytest.raises(InvalidInputError, match="same row labels in a different order"):
        npc_multiclass(frame, labels[::-1], "lda", priority=NAMES, alphas=0.1)


def test_copies_on_both_sides_of_the_split_are_told_of_and_kept():
    X, y = sample()
    with pytest.warns(NPWarning, match=r"\d+ of 180 left-out rows \([\d.]+ %\) are exact copies") as caught:
        fit = npc_multiclass(np.vstack([X, X[:120]]), np.append(y, y[:120]), "lda", priority=NAMES, random_state=1)
    (told,) = fit.caveats
    assert str(caught[0].message).startswith(told)
    assert " ".join(str(fit.summary()).split()).count(told) == 1
    assert fitted().caveats == ()


@pytest.mark.parametrize("how", [{"method": "lda"}, {"method": lambda Z: -Z[:, :1], "prefit": True}])
def test_a_fit_to_rows_of_the_first_of_two_classes_that_look_oversampled_claims_no_guarantee(how):
    X, y = sample(150)
    X, y = X[:300], y[:300]
    known = {"priority": NAMES[:2], "alphas": 0.2, "random_state": 1}
    assert npc_multiclass(X, y, **known, **how).unmet == ()
    X[:150] = X[np.arange(150) % 30]
    with pytest.warns(NPWarning, match="It seems to have been oversampled before the fit"):
        fit = npc_multiclass(X, y, **known, **how)
    assert not fit.guaranteed
    assert "Fit to the rows before oversampling" in " ".join(str(fit.summary()).split())
    with pytest.warns(NPWarning, match="It seems to have been oversampled before the fit"):
        assert NPMultiClassifier(**how, **known).fit(X, y).fit_.unmet == fit.unmet


def test_a_class_that_is_never_called_gives_a_warning():
    X, y = sample()
    call = {"prefit": True, "priority": NAMES, "alphas": (0.05, 0.5), "random_state": 1}

    def second_only(rows):
        # stage 0 tells nothing, and keeps every row
        return np.column_stack([np.zeros(len(rows)), -rows[:, 1]])

    with pytest.warns(NPWarning, match=r"no row will be called 'suspect' \(120 of 120 called higher\)"):
        fit = npc_multiclass(X, y, second_only, **call)
    assert set(fit.predict(X)) == {"malignant"}
    assert np.isposinf(fit.decision_function(X)[:, 1]).all()
    assert "No row is ever called suspect" in " ".join(str(fit.summary()).split())
    assert np.isfinite(npc_multiclass(X, y, second_only, scheme="separate", **call).thresholds).all()


# results


def test_the_summary_says_what_holds_and_what_has_no_bound():
    fit = fitted()
    assert fit.guaranteed
    text = " ".join(str(fit.summary()).split())
    assert "malignant > suspect > benign" in text
    assert f"probability at least {rounded_down(np.prod(1 - fit.violation_rates))}" in text
    assert "No error of the last class is bounded" in text
    assert "Thresholds: joint" in text
    assert "Thresholds: separate" in " ".join(str(fitted(scheme="separate").summary()).split())
    assert repr(fit).startswith("NPMultiFit(method='lda', priority malignant > suspect > benign, alphas=(0.1, 0.2)")
    assert len(repr(fit)) < 300
    assert "<table" in fit._repr_html_()


def test_the_frame_has_a_row_a_class():
    fit = fitted()
    frame = fit.to_frame()
    assert frame["class"].tolist() == NAMES.tolist()
    assert frame["order"].tolist()[:2] == fit.orders.tolist()
    assert frame["alpha"].isna().tolist() == [False, False, True]
    assert np.all(frame["error_upper"][:2] <= frame["alpha"][:2])


def test_the_confusion_table_separates_controlled_and_total_errors():
    X, y = sample(200, seed=9)
    fit = fitted()
    evaluation = fit.evaluate(X, y)
    table = pd.crosstab(pd.Series(y), pd.Series(fit.predict(X))).reindex(index=NAMES, columns=NAMES, fill_value=0)
    assert np.array_equal(evaluation.counts, table.to_numpy())
    middle = evaluation.controlled_errors[1]
    assert (middle.count, middle.n) == (table.iloc[1, 2], 200)
    assert evaluation.total_errors[1].count == table.iloc[1, 0] + table.iloc[1, 2]
    assert evaluation.controlled_errors[2] is None
    assert middle.lower <= middle.rate <= middle.upper
    frame = evaluation.to_frame()
    assert frame["called suspect"].tolist() == table["suspect"].tolist()
    assert np.isnan(frame["controlled_rate"][2])
    text = " ".join(str(evaluation.summary()).split())
    assert "and it has no bound" in text
    assert "rows right" in repr(evaluation)


def test_a_class_without_rows_has_no_rates():
    counts = confusion_counts(np.array([0, 0, 2]), np.array([0, 1, 2]), 3)
    assert counts.tolist() == [[1, 1, 0], [0, 0, 0], [0, 0, 1]]
    triangle = np.triu(np.ones((3, 3), dtype=bool), 1)
    evaluation = MultiEvaluation(NAMES, counts, triangle, (0.1, 0.1, None), 0.95, "x")
    assert evaluation.controlled_errors[1].rate is None
    assert np.isnan(evaluation.rates[1]).all()
    assert "-" in str(evaluation.summary())
    assert evaluation.to_frame()["total_rate"].isna().tolist() == [False, True, False]
    beside = [text.get_text() for text in evaluation.plot(ax=Figure().subplots()).texts[-3:]]
    assert [text == "no rows" for text in beside] == [False, True, False]


def test_the_picture_frames_the_controlled_cells():
    X, y = sample(50, seed=2)
    ax = fitted().plot(X, y, ax=Figure().subplots())
    frames = [patch.get_gid() for patch in ax.patches]
    assert frames == ["nproc-controlled-0-1", "nproc-controlled-0-2", "nproc-controlled-1-2"]
    texts = [text.get_text() for text in ax.texts]
    assert any("no bound" in text for text in texts)
    assert fitted().plot(ax=Figure().subplots()).get_title() == "left-out rows, which set the thresholds"
    with pytest.raises(InvalidInputError, match="y was given without X"):
        fitted().plot(y=y)


def test_other_labels_at_evaluate_are_an_error():
    X, y = sample()
    with pytest.raises(InvalidInputError, match=r"y has the label 'other', .*'malignant', 'suspect' and 'benign'"):
        fitted().evaluate(X, np.where(y == "benign", "other", y))
    with pytest.raises(InvalidInputError, match="y is missing; give one label a row"):
        fitted().evaluate(X)


@pytest.mark.parametrize("suffix", ["joblib", "skops"])
def test_saved_fits_predict_the_same(tmp_path, suffix):
    X, y = sample()
    for fit in (fitted(), fitted(LogisticRegression())):
        again = load(save(fit, tmp_path / f"fit.{suffix}"))
        assert np.array_equal(again.predict(X), fit.predict(X))
        assert repr(pickle.loads(pickle.dumps(fit))) == repr(fit)
    model = NPMultiClassifier("lda", priority=NAMES.tolist(), alphas=0.1, random_state=1)
    with pytest.raises(InvalidInputError, match="save takes a fitted NPMultiClassifier"):
        save(model, tmp_path / "model.joblib")
    again = load(save(model.fit(X, y), tmp_path / f"model.{suffix}"))
    assert np.array_equal(again.predict(X), model.predict(X))


# the estimator


def test_the_estimator_is_the_function():
    X, y = sample()
    model = NPMultiClassifier("lda", priority=NAMES.tolist(), alphas=(0.1, 0.2), random_state=1).fit(X, y)
    assert np.array_equal(model.predict(X), fitted().predict(X))
    assert model.classes_.tolist() == sorted(NAMES)
    assert model.priority_.tolist() == NAMES.tolist()
    assert model.thresholds_.tolist() == fitted().thresholds.tolist()
    assert 0 < model.score(X, y) <= 1
    assert str(model.summary()) == str(fitted().summary())
    named = NPMultiClassifier("lda", priority=NAMES.tolist(), alphas=0.2, random_state=1).fit(
        pd.DataFrame(X, columns=["a", "b"]), y
    )
    assert named.feature_names_in_.tolist() == ["a", "b"]
    assert not hasattr(named.fit(X, y), "feature_names_in_")
    with pytest.raises(InvalidInputError, match="requires y to be passed"):
        model.fit(X, None)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::nproc.NPWarning", "ignore::nproc.SeparationWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
def test_the_estimator_passes_the_checks_of_scikit_learn():
    check_estimator(NPMultiClassifier("lda", alphas=0.3, deltas=0.5, random_state=1), on_skip=None)


def test_real_data_keep_their_levels_on_other_rows():
    X, y = load_wine(return_X_y=True)
    rng = np.random.default_rng(3)
    test = rng.random(y.size) < 0.3
    fit = npc_multiclass(X[~test], y[~test], "lda", priority=[2, 1, 0], alphas=0.25, deltas=0.1, random_state=1)
    evaluation = fit.evaluate(X[test], y[test])
    assert all(error.lower <= 0.25 for error in evaluation.controlled_errors[:2])


@pytest.mark.parametrize("method", ["lda", "npsvm"])
@pytest.mark.parametrize("name", ["alpha", "delta"])
def test_one_level_has_the_name_of_the_levels(method, name):
    X, y = sample()
    with pytest.raises(InvalidInputError, match=rf"unknown argument '{name}': use {name}s, one level or one for each"):
        npc_multiclass(X, y, method, priority=[2, 0, 1], **{name: 0.2})


def test_what_fits_of_two_classes_have_besides_is_told():
    fit = fitted()
    certify = r"\. nproc\.certify\(fit, X0, class0=label\) bounds .* fit\.evaluate\(X_new, y_new\) has exact intervals"
    for name, way in {
        "certify": certify,
        "check_assumptions": "Fits of two classes, by npc, have it",
        "no_such_name": "no attribute 'no_such_name'$",
    }.items():
        with pytest.raises(AttributeError, match=way):
            getattr(fit, name)
    X, y = sample()
    model = NPMultiClassifier("lda", priority=NAMES, alphas=0.2, random_state=1)
    with pytest.raises(AttributeError, match=r"no attribute 'stages'\.$"):
        _ = model.stages
    for name, way in {
        "predict_proba": r"no probabilities, .*\. fit_\.decision_function has score minus threshold of each stage\.$",
        "decision_function": r"The fit has it: use fit_\.decision_function\.$",
        "certify": certify,
        "no_such_name": r"no attribute 'no_such_name'\.$",
    }.items():
        with pytest.raises(AttributeError, match=way):
            getattr(model.fit(X, y), name)
