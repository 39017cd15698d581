"""nproc.scorers.encoders: which columns come to a method without an encoder that says what a new category becomes."""

import numpy as np
import pandas as pd
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer, make_column_selector, make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, StackingClassifier, VotingClassifier
from sklearn.feature_selection import SelectFromModel
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import FeatureUnion, make_pipeline, make_union
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler, TargetEncoder

from nproc import npc
from nproc.rows import UnseenCategoriesError
from nproc.scorers import columns_of_xgboost, columns_without_encoder

TABLE = pd.DataFrame({"job": ["a", "b"], "x": [1.0, 2.0], "town": ["c", "d"]})
ENCODER = OneHotEncoder(handle_unknown="ignore")
MODEL = LogisticRegression()


def jobs(rest, chosen=("job",)):
    """Return a transformer that encodes one column, or those chosen."""
    return ColumnTransformer([("jobs", ENCODER, list(chosen) if isinstance(chosen, tuple) else chosen)], remainder=rest)


ENCODED = make_pipeline(ENCODER, MODEL)


@pytest.mark.parametrize(
    ("scorer", "columns"),
    [
        (HistGradientBoostingClassifier(), "job x town"),
        (len, "job x town"),
        (ENCODED, ""),
        (make_pipeline("passthrough", ENCODED), ""),
        (make_pipeline(TargetEncoder(), MODEL), "job x town"),
        (make_pipeline(jobs("drop"), MODEL), ""),
        (make_pipeline(jobs("passthrough"), MODEL), "x town"),
        (make_pipeline(jobs(StandardScaler()), MODEL), "x town"),
        (make_pipeline(jobs(ENCODER), MODEL), ""),
        (make_pipeline(jobs("passthrough"), ENCODER, MODEL), ""),
        (make_column_transformer((ENCODER, ["job"]), ("passthrough", ["town"])), "town"),
        (make_column_transformer((make_pipeline(StandardScaler(), ENCODER), ["job", "town"])), ""),
        # the same column twice, once as it is
        (make_column_transformer((ENCODER, ["job"]), (TargetEncoder(), ["job", "town"])), "job town"),
        (jobs("passthrough", "town"), "job x"),
        (jobs("passthrough", 2), "job x"),
        (jobs("passthrough", [0, -1]), "x"),
        (jobs("passthrough", slice("x", "town")), "job"),
        (jobs("passthrough", [True, False, True]), "x"),
        (jobs("passthrough", make_column_selector(dtype_include="number")), "job town"),
        (jobs("passthrough", lambda table: ["job"]), "x town"),
        # names hold behind another step, and places do not
        (make_pipeline(FunctionTransformer(), jobs("passthrough")), "x town"),
        (make_pipeline(FunctionTransformer(), jobs("drop", [0])), "job x town"),
        (make_pipeline(FunctionTransformer(), jobs("drop", make_column_selector())), "job x town"),
        # what cannot be read
        (jobs("drop", ["other"]), "job x town"),
        (jobs("drop", lambda table: table.other), "job x town"),
        (make_union(ENCODER, jobs("passthrough")), "x town"),
        (FeatureUnion([("one", ENCODER), ("two", "drop")]), ""),
        (GridSearchCV(ENCODED, {}), ""),
        (CalibratedClassifierCV(make_pipeline(jobs("passthrough"), MODEL)), "x town"),
        (SelectFromModel(ENCODED), "job x town"),
        (VotingClassifier([("one", ENCODED), ("two", HistGradientBoostingClassifier())]), "job x town"),
        (VotingClassifier([("one", ENCODED), ("two", "drop")]), ""),
        (StackingClassifier([("one", ENCODED)], MODEL), ""),
        (StackingClassifier([("one", ENCODED)], MODEL, passthrough=True), "job x town"),
    ],
)
def test_a_column_is_named_that_comes_to_the_model_past_the_encoders(scorer, columns):
    assert columns_without_encoder(scorer, TABLE) == columns.split()


def test_columns_that_come_to_xgboost_as_they_are_are_found_in_other_scorers():
    boosted = pytest.importorskip("xgboost").XGBClassifier(enable_categorical=True)

    class Own(type(boosted)):
        """Of the user's."""

    some = make_column_transformer((StandardScaler(), ["x"]), ("passthrough", ["job"]))
    for scorer, columns in (
        (boosted, "job x town"),
        (Own(enable_categorical=True), "job x town"),
        (GridSearchCV(boosted, {"max_depth": [1, 2]}), "job x town"),
        (CalibratedClassifierCV(make_pipeline("passthrough", boosted)), "job x town"),
        (VotingClassifier([("a", MODEL), ("b", make_pipeline(some, boosted))]), "job"),
        (make_pipeline(some.set_output(transform="pandas"), boosted), "job"),
        (make_pipeline(jobs("passthrough"), boosted), "x town"),
        (make_pipeline(TargetEncoder(), boosted), ""),
        (make_pipeline(boosted, MODEL), ""),
        (MODEL, ""),
        (len, ""),
    ):
        assert " ".join(columns_of_xgboost(scorer, TABLE)) == columns


@pytest.mark.parametrize("name", ["clerk", "pilot", "zoologist"])
def test_xgboost_labels_no_row_with_a_category_that_the_fit_did_not_have(name):
    # XGBoost 3.2 refuses "zoologist", and takes "clerk" for "nurse" and "pilot" for "teacher"
    boosted = pytest.importorskip("xgboost").XGBClassifier(n_estimators=5, n_jobs=1, enable_categorical=True)
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 600)
    job = np.where(rng.random(600) < 0.2 + 0.6 * y, "nurse", rng.choice(["teacher", "waiter"], 600))
    X = pd.DataFrame({"a": rng.normal(size=600), "job": pd.Categorical(job)})
    fit = npc(X[:400], y[:400], boosted, alpha=0.2, class0=0, random_state=1)
    new = X[400:].astype({"job": str})
    assert fit.predict(new).tolist() == fit.predict(X[400:]).tolist()
    new.iloc[[3, 7], 1] = name
    with pytest.raises(UnseenCategoriesError, match=rf"column 'job' has '{name}' .first at X.iloc.3.; known: .'nurse'"):
        fit.predict(new)
    with pytest.raises(UnseenCategoriesError, match="2 rows have a category"):
        fit.certify(new, y[400:])
