"""What people bring, and what becomes of it: the rows of the table in docs/ecosystem.md.

``python tests/ecosystem.py`` prints the table.
"""

import importlib
import sys
import warnings

import numpy as np
import pandas as pd

from nproc import NPClassifier, npc
from nproc.errors import NPWarning

N = 400
RNG = np.random.default_rng(0)
Y = np.repeat(["bad", "good"], N // 2)
CODES = (Y == "good").astype(int)
FRAME = pd.DataFrame(RNG.normal(size=(N, 3)) + CODES[:, None], columns=["a", "b", "c"])
KIND = np.resize(["u", "v", "w"], N)
KNOWN = {"class0": "bad", "alpha": 0.2, "random_state": 1}
HALF = np.arange(N) % 2 == 0


def of(module, name):
    """An attribute of a module that is imported when it is asked for."""
    return getattr(importlib.import_module(module), name)


def fitted(X, y=Y, method="lda", **more):
    """Labels of the rows by a classifier that was fitted to them."""
    return npc(X, y, method, **{**KNOWN, **more}).predict(X)


def with_formula(data):
    return npc("y ~ a + kind", data=data, method="lda", **KNOWN).predict(data)


def trained(model, X=FRAME):
    """Labels by a model that was trained on the other half."""
    rest = X[~HALF] if not hasattr(X, "filter") or isinstance(X, pd.DataFrame) else X
    return npc(rest, Y[~HALF], model, prefit=True, **KNOWN).predict(rest)


class OnlyPredict:
    """A trained model of a library that has scores, and calls them predictions."""

    def predict(self, X):
        return np.asarray(X).sum(axis=1)


def polars_frame():
    return of("polars", "DataFrame")(FRAME)


def booster_of_lightgbm():
    data = of("lightgbm", "Dataset")(FRAME[HALF], CODES[HALF])
    return of("lightgbm", "train")({"objective": "binary", "verbose": -1}, data, 10)


def booster_of_xgboost():
    data = of("xgboost", "DMatrix")(FRAME[HALF], CODES[HALF])
    return of("xgboost", "train")({"objective": "binary:logistic"}, data, 10)


def with_kind(as_text=False):
    return FRAME.assign(kind=KIND if as_text else pd.Categorical(KIND))


def catboost(**more):
    return of("catboost", "CatBoostClassifier")(iterations=10, verbose=0, allow_writing_files=False, **more)


def with_terms():
    """Splines, a polynomial and a scaled column, learned in each split."""
    frame = with_kind().assign(y=Y)
    return npc("y ~ bs(a, df=4) + poly(b, 2) + scale(c) * kind", data=frame, **KNOWN).predict(frame)


def with_gaps():
    """Rows with missing values that the fit leaves out."""
    frame = FRAME.copy()
    frame.loc[[1, 5], "a"] = np.nan
    return npc(frame, Y, "lda", na_action="omit", **KNOWN).predict(FRAME)


def in_onnx():
    """Labels of a graph by the runtime."""
    from nproc.serving import to_onnx

    fit = npc(FRAME, Y, "randomforest", **KNOWN)
    with warnings.catch_warnings():
        # that these are few rows
        warnings.simplefilter("ignore", NPWarning)
        model = to_onnx(fit, FRAME)
    session = of("onnxruntime", "InferenceSession")(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(["label"], {"X": FRAME.to_numpy(np.float32)})[0]


def routed():
    """Groups and weights that find their way through a search."""
    from sklearn import config_context
    from sklearn.model_selection import GridSearchCV

    with config_context(enable_metadata_routing=True):
        model = NPClassifier("logistic", **KNOWN).set_fit_request(groups=True, sample_weight=True)
        model.set_predict_request(groups=True).set_score_request(groups=True, sample_weight=False)
        search = GridSearchCV(model, {"delta": [0.05, 0.1]}, cv=2, error_score="raise")
        search.fit(FRAME, Y, groups=np.resize(["x", "y"], N), sample_weight=np.ones(N))
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    return search.best_estimator_.predict(FRAME, np.resize(["x", "y"], N))


def by_groups_inside():
    """A search whose folds keep the clusters together."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GridSearchCV, GroupKFold

    search = GridSearchCV(LogisticRegression(), {"C": [0.1, 1]}, cv=GroupKFold(3))
    return npc(FRAME, Y, search, clusters=np.arange(N), **KNOWN).predict(FRAME)


def twin():
    """The classifier of scikit-learn with the same labels, as its tools take it."""
    from sklearn.inspection import partial_dependence, permutation_importance
    from sklearn.utils.validation import check_is_fitted

    fit = npc(FRAME, Y, "lda", **KNOWN)
    model = fit.to_sklearn()
    check_is_fitted(model)
    assert (model.n_features_in_, list(model.feature_names_in_)) == (3, ["a", "b", "c"])
    permutation_importance(model, FRAME, Y, n_repeats=2, random_state=1)
    partial_dependence(model, FRAME, [0], grid_resolution=5)
    assert (model.predict(FRAME) == fit.predict(FRAME)).all()
    return model.predict(FRAME)


CASES = {
    "pandas, nullable types": lambda: fitted(FRAME.convert_dtypes(), pd.Series(Y, dtype="string")),
    "pandas, types of Arrow": lambda: fitted(
        FRAME.convert_dtypes(dtype_backend="pyarrow"), pd.Series(Y, dtype="string[pyarrow]")
    ),
    "pandas, category column, in a formula": lambda: with_formula(with_kind().assign(y=Y)),
    "pandas, category column, without one": lambda: fitted(with_kind()),
    "pandas, splines and scales in a formula": with_terms,
    "pandas, missing values, `na_action='omit'`": with_gaps,
    "polars, DataFrame and Series": lambda: fitted(polars_frame(), of("polars", "Series")("y", Y)),
    "polars, formula": lambda: with_formula(of("polars", "DataFrame")(with_kind(True).assign(y=Y))),
    "polars, LazyFrame": lambda: fitted(polars_frame().lazy()),
    "pyarrow, Table and Array": lambda: fitted(
        of("pyarrow", "Table").from_pandas(FRAME), of("pyarrow", "chunked_array")([Y])
    ),
    "dask, DataFrame": lambda: fitted(of("dask.dataframe", "from_pandas")(FRAME, npartitions=2)),
    "xarray, DataArray": lambda: fitted(of("xarray", "DataArray")(FRAME.to_numpy(), dims=("row", "column"))),
    "xarray, Dataset": lambda: fitted(of("xarray", "Dataset").from_dataframe(FRAME)),
    "numpy, structured array": lambda: fitted(FRAME.to_records(index=False)),
    "scikit-learn, groups and weights through a search around `NPClassifier`": routed,
    "scikit-learn, a search by groups (`cv=GroupKFold()`) inside the method, with `clusters=`": by_groups_inside,
    "scikit-learn, fit(X, y, weights)": lambda: (
        NPClassifier("logistic", **KNOWN).fit(FRAME, Y, np.ones(N)).predict(FRAME)
    ),
    "scikit-learn, `fit.to_sklearn()` in its tools": twin,
    "scikit-learn, HistGradientBoosting with categories": lambda: fitted(
        with_kind(),
        method=of("sklearn.ensemble", "HistGradientBoostingClassifier")(categorical_features="from_dtype", max_iter=10),
    ),
    "LightGBM, LGBMClassifier with categories": lambda: fitted(
        with_kind(), method=of("lightgbm", "LGBMClassifier")(n_estimators=10, verbose=-1)
    ),
    "LightGBM, fitted Booster": lambda: trained(booster_of_lightgbm()),
    "XGBoost, XGBClassifier with categories": lambda: fitted(
        with_kind(), method=of("xgboost", "XGBClassifier")(n_estimators=10, enable_categorical=True)
    ),
    "XGBoost, fitted Booster": lambda: trained(booster_of_xgboost()),
    "CatBoost, CatBoostClassifier with categories": lambda: fitted(
        with_kind(True), method=catboost(cat_features=["kind"])
    ),
    "CatBoost, trained": lambda: trained(catboost().fit(FRAME[HALF], Y[HALF])),
    "CatBoost, trained on other labels": lambda: trained(catboost().fit(FRAME[HALF], CODES[HALF])),
    "statsmodels, fitted Logit": lambda: trained(of("statsmodels.api", "Logit")(CODES[HALF], FRAME[HALF]).fit(disp=0)),
    "statsmodels, fitted formula": lambda: trained(
        of("statsmodels.formula.api", "logit")("y ~ a + C(kind)", with_kind().assign(y=CODES)[HALF]).fit(disp=0),
        with_kind(),
    ),
    "ONNX, a forest by `nproc.serving.to_onnx`": in_onnx,
    "scikit-learn, a classifier with predict alone": lambda: fitted(
        FRAME,
        method=of("sklearn.ensemble", "VotingClassifier")(
            [("one", of("sklearn.naive_bayes", "GaussianNB")())], voting="hard"
        ),
    ),
    "a trained model whose predict returns scores": lambda: trained(OnlyPredict()),
    "the same, as `method=model.predict`": lambda: trained(OnlyPredict().predict),
}


def outcome(name):
    """What becomes of a case: "works", or the message."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            labels = CASES[name]()
        except (ValueError, TypeError) as error:
            return " ".join(str(error).split())
    assert set(labels) == {"bad", "good"}
    return "works"


def row(name):
    return f"| {name} | {outcome(name)} |"


if __name__ == "__main__":
    sys.stdout.write("\n".join(row(name) for name in CASES) + "\n")
