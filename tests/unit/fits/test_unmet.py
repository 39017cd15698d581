"""A fit that follows a search, or a step that learned from the labels, has no guarantee and says so everywhere."""

import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.experimental import enable_halving_search_cv, enable_iterative_imputer  # noqa: F401
from sklearn.feature_selection import SelectFromModel, SelectKBest, VarianceThreshold
from sklearn.frozen import FrozenEstimator
from sklearn.impute import IterativeImputer, SimpleImputer
from sklearn.linear_model import BayesianRidge, Lasso, LogisticRegression
from sklearn.model_selection import GridSearchCV, HalvingGridSearchCV, RandomizedSearchCV
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import StandardScaler, TargetEncoder

from nproc import NPClassifier, NPMultiClassifier, load, npc, npc_multiclass, nproc, save
from nproc.errors import NPWarning
from nproc.fits import NO_SHARED_OWNERS
from nproc.serving import linear_rule
from nproc.simulate import simulation1

X, Y = simulation1(400, random_state=1).X, simulation1(400, random_state=1).y
X = np.column_stack([X, np.random.default_rng(1).normal(size=(400, 3))])
LEVELS = {"class0": 0, "alpha": 0.2, "delta": 0.1, "random_state": 1}
GRID = {"method__C": [0.1, 1.0]}
SEARCHED = "if no search had chosen among candidates by the rows of this fit"
LABELS_SEEN = "if no step in front of the classifier had learned from the labels of these rows"
LABELS_FROZEN = (
    "if it were known that no frozen step in front of the classifier had learned from the labels of these rows"
)


class RequiresLabels(TransformerMixin, BaseEstimator):
    """A transformer of a user's own that cannot be trained without labels."""

    def fit(self, X, y):
        self.best_ = np.argsort(-np.abs(X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0)))[:2]
        return self

    def transform(self, X):
        return X[:, self.best_]


class OffersLabels(RequiresLabels):
    """The same in the form of most transformers, which the package cannot tell from one that ignores the labels."""

    def fit(self, X, y=None):
        return super().fit(X, y)


def one_line(text):
    return " ".join(str(text).split())


@pytest.fixture(scope="module")
def searched():
    return GridSearchCV(NPClassifier(LogisticRegression(), **LEVELS), GRID, cv=2).fit(X, Y).best_estimator_.fit_


@pytest.mark.parametrize(
    "search",
    [
        GridSearchCV(NPClassifier("lda", **LEVELS), {"alpha": [0.15, 0.2]}, cv=2),
        RandomizedSearchCV(NPClassifier("lda", **LEVELS), {"alpha": [0.15, 0.2]}, n_iter=2, cv=2, n_jobs=2),
        HalvingGridSearchCV(NPClassifier("lda", **LEVELS), {"alpha": [0.15, 0.2]}, cv=2, min_resources=300),
        GridSearchCV(
            make_pipeline(StandardScaler(), NPClassifier("lda", **LEVELS)), {"npclassifier__alpha": [0.15, 0.2]}, cv=2
        ),
    ],
    ids=["grid", "random", "halving", "pipeline"],
)
def test_the_winner_of_a_search_has_no_guarantee(search):
    best = search.fit(X, Y).best_estimator_
    fit = (best if hasattr(best, "fit_") else best[-1]).fit_
    assert fit.unmet == (SEARCHED,)
    assert not fit.guaranteed


def test_a_search_with_one_candidate_has_chosen_nothing():
    search = GridSearchCV(NPClassifier("lda", **LEVELS), {"alpha": [0.2]}, cv=2).fit(X, Y)
    alone = NPClassifier("lda", **LEVELS).fit(X, Y)
    assert search.best_estimator_.fit_.guaranteed
    assert repr(search.best_estimator_.fit_) == repr(alone.fit_)


def test_a_search_inside_the_method_keeps_the_guarantee():
    inside = NPClassifier(GridSearchCV(LogisticRegression(), {"C": [0.1, 1.0]}, cv=2), **LEVELS).fit(X, Y)
    assert inside.fit_.unmet == ()
    assert inside.fit_.guaranteed


def test_repr_and_summary_say_that_a_search_has_taken_the_guarantee(searched):
    assert f"no guarantee: it would hold {SEARCHED}" in repr(searched)
    summary = one_line(searched.summary())
    assert "[1] No guarantee: a search chose among candidates by the rows of this fit. If no search" in summary
    assert "P(predict 1 | 0) <= 0.2 would hold with probability at least 0.9" in summary
    assert "A second fit to the same rows has no guarantee either" in summary


def test_what_is_made_of_the_winner_has_no_guarantee_either(searched, tmp_path):
    rule = linear_rule(searched)
    assert rule.to_dict()["guaranteed"] is False
    assert "There is no guarantee on the type I error" in one_line(rule.summary())
    curve = searched.type1_upper_curve()
    assert not curve.guaranteed
    assert f"They would hold {SEARCHED}." in one_line(curve.summary())
    assert searched.thresholds_table().type1_bound.isna().all()
    assert searched.with_levels(alpha=0.3).unmet == searched.unmet
    save(searched, tmp_path / "fit.npz")
    assert load(tmp_path / "fit.npz").unmet == searched.unmet


def test_the_report_on_the_winner_neither_claims_nor_assumes_what_does_not_hold(searched, tmp_path):
    text = searched.report(tmp_path / "report.md").read_text()
    assert "is proved under what is assumed below" not in text
    assert "was fixed before anybody looked" not in text
    assert "were fixed before anybody looked" not in text
    assert f"The bound would be proved only {SEARCHED}." in text
    methods = text.partition("## For a methods section")[2]
    assert "so the type I error is not guaranteed" in methods
    assert "Make the search the method" not in methods


@pytest.mark.parametrize("kind", [{"cross_fit": 4}, {"n_splits": 3, "vote": "random"}, {"n_splits": 3}])
def test_no_kind_of_fit_claims_a_bound_after_a_search(kind):
    search = GridSearchCV(NPClassifier(LogisticRegression(), **LEVELS, **kind), GRID, cv=2).fit(X, Y)
    fit = search.best_estimator_.fit_
    assert not fit.guaranteed
    assert f"it would hold {SEARCHED}" in repr(fit)
    assert "holds with probability" not in " ".join(fit.notes())
    assert fit.thresholds_table().type1_bound.isna().all()


@pytest.mark.parametrize(
    "kind",
    [
        {},
        {"n_splits": 3, "vote": "random"},
        {"groups": np.arange(400) % 2},
        {"clusters": np.arange(400)},
        {"review_beta": 0.2},
        {"small_sample": "normal"},
    ],
    ids=lambda kind: next(iter(kind), "plain"),
)
def test_a_promise_whose_conditions_are_not_met_leaves_the_labels_as_they_are(kind):
    labels = np.array(["all holds with care", "well, and so does P"])
    rows = slice(0, 60) if "small_sample" in kind else slice(None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NPWarning)
        levels = LEVELS | {"class0": labels[0], "alpha": 0.03 if "small_sample" in kind else 0.2}
        fit = npc(X[rows], labels[Y[rows]], "lda", **levels, **kind)
    promise, unmet = fit.notes()[0], replace(fit, unmet=(NO_SHARED_OWNERS, SEARCHED)).notes()[1]
    assert unmet.startswith(f"I{NO_SHARED_OWNERS[1:]} and {SEARCHED}")
    assert (" would hold with " in unmet) == (" holds with probability" in promise)
    assert all(unmet.count(label) == promise.count(label) for label in labels)


def test_the_winner_among_several_classes_has_no_guarantee_either():
    y = np.where(X[:, 1] > 0.3, 2, Y)
    model = NPMultiClassifier(LogisticRegression(), priority=[0, 1, 2], alphas=0.2, deltas=0.1, random_state=1)
    fit = GridSearchCV(model, GRID, cv=2).fit(X, y).best_estimator_.fit_
    assert not fit.guaranteed
    assert f"no guarantee: it would hold {SEARCHED}" in repr(fit)
    assert "Nothing is guaranteed. What follows would hold if" in one_line(fit.summary())
    assert f"{SEARCHED}" in one_line(fit.evaluate(X, y).summary())
    assert model.fit(X, y).fit_.guaranteed


@pytest.mark.parametrize(
    ("step", "name"),
    [
        (SelectKBest(k=2), "SelectKBest"),
        (ColumnTransformer([("code", TargetEncoder(), [3])], remainder="passthrough"), "ColumnTransformer"),
        (LinearDiscriminantAnalysis(), "LinearDiscriminantAnalysis"),
        (SelectFromModel(Lasso(0.01)), "SelectFromModel"),
        (FeatureUnion([("all", "passthrough"), ("best", SelectKBest(k=1))]), "FeatureUnion"),
        (RequiresLabels(), "RequiresLabels"),
        (make_pipeline(StandardScaler(), RequiresLabels()), "Pipeline"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_step_in_front_that_learns_from_the_labels_is_told(step, name):
    model = make_pipeline(step, NPClassifier("lda", **LEVELS))
    with pytest.warns(NPWarning, match=f"{name} in front of the classifier learned from the labels"):
        model.fit(X, Y)
    assert model[-1].fit_.unmet == (LABELS_SEEN,)
    assert not model[-1].fit_.guaranteed


@pytest.mark.parametrize(
    "step",
    [
        StandardScaler(),
        PCA(2),
        VarianceThreshold(),
        SimpleImputer(),
        IterativeImputer(BayesianRidge()),
        "passthrough",
        FrozenEstimator(PCA(2).fit(X)),
    ],
)
def test_a_step_in_front_that_does_not_use_the_labels_is_silent(step):
    with warnings.catch_warnings():
        warnings.simplefilter("error", NPWarning)
        model = make_pipeline(step, NPClassifier("lda", **LEVELS)).fit(X, Y)
    assert model[-1].fit_.unmet == ()


@pytest.mark.parametrize(
    ("step", "name"),
    [
        (FrozenEstimator(SelectKBest(k=2).fit(X, Y)), r"FrozenEstimator\(SelectKBest\)"),
        (FrozenEstimator(make_pipeline(StandardScaler(), SelectKBest(k=2)).fit(X, Y)), r"FrozenEstimator\(Pipeline\)"),
        (FeatureUnion([("best", FrozenEstimator(SelectKBest(k=2).fit(X, Y)))]), "FeatureUnion"),
        (FrozenEstimator(RequiresLabels().fit(X, Y)), r"FrozenEstimator\(RequiresLabels\)"),
    ],
    ids=["selector", "pipeline", "part", "own"],
)
def test_of_a_frozen_step_that_learned_from_labels_it_is_not_known_from_which(step, name):
    model = make_pipeline(step, NPClassifier("lda", **LEVELS))
    with pytest.warns(NPWarning, match=rf"{name} in front of the classifier is frozen.* claims no guarantee"):
        model.fit(X, Y)
    fit = model[-1].fit_
    assert (fit.unmet, fit.guaranteed) == ((LABELS_FROZEN,), False)
    assert f"it would hold {LABELS_FROZEN}" in repr(fit)
    assert "transform X with it beforehand" in one_line(fit.summary())


def test_the_docs_say_that_a_step_with_optional_labels_is_not_noticed():
    with warnings.catch_warnings():
        warnings.simplefilter("error", NPWarning)
        assert make_pipeline(OffersLabels(), NPClassifier("lda", **LEVELS)).fit(X, Y)[-1].fit_.unmet == ()
    for page in ("guarantees.md", "ecosystem.md"):
        text = (Path(__file__).resolve().parents[3] / "docs" / page).read_text(encoding="utf-8")
        assert "y=None" in text
        assert "the package cannot know whether" in text
    assert "which the package cannot know" in one_line(NPClassifier.__doc__)


def test_a_step_inside_the_method_may_learn_from_the_labels():
    with warnings.catch_warnings():
        warnings.simplefilter("error", NPWarning)
        method = make_pipeline(SelectKBest(k=2), LogisticRegression())
        assert NPClassifier(method, **LEVELS).fit(X, Y).fit_.unmet == ()


def test_rows_made_in_front_of_the_classifier_are_told():
    over, under = pytest.importorskip("imblearn.over_sampling"), pytest.importorskip("imblearn.under_sampling")
    from imblearn.pipeline import make_pipeline as make_sampling

    model = make_sampling(over.SMOTE(random_state=1), NPClassifier("lda", **LEVELS))
    with pytest.warns(NPWarning, match="SMOTE in front of the classifier learned from the labels"):
        model.fit(X, Y)
    assert model[-1].fit_.unmet == (LABELS_SEEN,)
    # of each class the rows that stay are a random sample
    less = make_sampling(under.RandomUnderSampler(random_state=1), NPClassifier("lda", **LEVELS)).fit(X, Y)
    assert less[-1].fit_.unmet == ()


def patients():
    labels = np.arange(400) % 2
    x = np.random.default_rng(0).normal(size=400) + labels
    return pd.DataFrame({"patient_id": np.arange(400) // 4, "x": x}), labels


@pytest.mark.parametrize(
    "fitted",
    [
        lambda rows, y: npc(rows, y, "lda", **LEVELS),
        lambda rows, y: npc("y ~ .", rows.assign(y=y), method="lda", **LEVELS),
        lambda rows, y: npc(rows, y, "lda", clusters=np.arange(400) // 2, **LEVELS),
        lambda rows, y: npc(rows, y, "lda", cross_fit=5, **LEVELS),
        lambda rows, y: nproc(rows, y, "lda", class0=0, random_state=1).classifier(0.2),
        lambda rows, y: NPClassifier("lda", **LEVELS).fit(rows, y).fit_,
        lambda rows, y: npc_multiclass(rows, y, "lda", alphas=0.2, deltas=0.1, priority=[0, 1], random_state=1),
    ],
)
def test_a_fit_to_rows_of_which_a_predictor_shows_that_they_share_a_patient_has_no_guarantee(fitted, tmp_path):
    rows, y = patients()
    with pytest.warns(NPWarning, match="'patient_id' is used as a predictor"):
        fit = fitted(rows, y)
    other = "a row of another cluster" if hasattr(fit, "n_clusters") else "another row"
    shares = f"are not independent: all 400 rows share their 'patient_id' with {other}."
    save(fit, tmp_path / "fit.joblib")
    for kept in (fit, load(tmp_path / "fit.joblib")):
        assert not kept.guaranteed
        assert kept.unmet == (NO_SHARED_OWNERS,)
        assert one_line(kept.summary()).count(shares) == 1


def test_the_report_on_a_fit_with_patients_among_its_predictors_does_not_assume_independent_rows(tmp_path):
    rows, y = patients()
    with pytest.warns(NPWarning, match="'patient_id' is used as a predictor"):
        fit = npc(rows, y, "lda", **LEVELS)
    fit.report(tmp_path / "r.md", data=(rows, y))
    told = one_line((tmp_path / "r.md").read_text())
    assert "The type I error of this classifier is not guaranteed." in told
    assert "which rows of one patient, country or other unit are not" in told


@pytest.mark.parametrize(
    "fitted",
    [
        lambda rows, y: npc(rows, y, "lda", clusters="visit", **LEVELS),
        lambda rows, y: npc("y ~ .", rows.assign(y=y), method="lda", clusters="visit", **LEVELS),
        lambda rows, y: NPClassifier("lda", **LEVELS).fit(rows, y, clusters="visit").fit_,
        lambda rows, y: npc(rows.drop(columns="visit"), y, "lda", clusters=rows["visit"], **LEVELS),
        lambda rows, y: npc(rows.drop(columns="visit"), y, "lda", clusters=[(v,) for v in rows["visit"]], **LEVELS),
        lambda rows, y: npc(rows.assign(visit=rows["visit"] % 2), y, "lda", groups="visit", **LEVELS),
    ],
)
def test_clusters_or_groups_by_name_guarantee_no_more_than_their_values_do(fitted):
    rows, y = patients()
    rows["visit"] = np.arange(400) // 2 % 50
    with pytest.warns(NPWarning, match="'patient_id' is used as a predictor"):
        assert fitted(rows, y).unmet == (NO_SHARED_OWNERS,)


def test_patients_that_a_formula_names_or_that_are_the_clusters_leave_the_guarantee():
    rows, y = patients()
    assert npc("y ~ x + patient_id", rows.assign(y=y), method="lda", **LEVELS).guaranteed
    assert npc(rows, y, "lda", clusters="patient_id", **LEVELS).guaranteed
    with pytest.warns(NPWarning, match="'patient_id' is used as a predictor"):
        # rows of one patient are in one cluster
        fit = npc(rows, y, "lda", clusters=np.arange(400) // 8, **LEVELS)
    assert fit.guaranteed
