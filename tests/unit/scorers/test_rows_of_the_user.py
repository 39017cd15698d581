"""A method that writes into the rows that it is given changes no result and no row of the user's."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import IsolationForest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, MaxAbsScaler, MinMaxScaler

from nproc import NPClassifier, certify, np_score, npc, npc_multiclass, nproc
from nproc.row_chunks import RowChunks
from nproc.scorers import OutlierScorer, rows_for


def sample(seed, n=600):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.5).astype(int)
    return rng.gamma(2.0, size=(n, 3)) + y[:, np.newaxis], y


X, Y = sample(1)
NEW, Y_NEW = sample(2)
THIRD = np.arange(600) % 3
LEVELS = {"class0": 0, "alpha": 0.1, "random_state": 3}


def pipeline(copy):
    return make_pipeline(MinMaxScaler(copy=copy), LogisticRegression())


class Halving(ClassifierMixin, BaseEstimator):
    """Halves the rows, in place or in a copy."""

    def __init__(self, copy=True):
        self.copy = copy

    def _halved(self, X):
        X = X.copy() if self.copy else X
        if isinstance(X, pd.DataFrame):
            for name in X.columns:
                X[name] = X[name] / 2
        elif sparse.issparse(X):
            X.data /= 2
        else:
            X /= 2
        return X

    def fit(self, X, y):
        self.model_ = LogisticRegression().fit(self._halved(X), y)
        self.classes_ = self.model_.classes_
        return self

    def decision_function(self, X):
        return self.model_.decision_function(self._halved(X))

    def predict_proba(self, X):
        return self.model_.predict_proba(self._halved(X))

    def predict(self, X):
        return self.model_.predict(self._halved(X))


def everything(make, kind):
    """Return what many calls give, by name, with all rows of one kind of table."""
    train, new = kind(X), kind(NEW)
    model, own = make(), make().fit(kind(X), Y)
    kept = kind(NEW)
    one = npc(train, Y, model, **LEVELS)
    fit = npc(train, Y, model, n_splits=3, **LEVELS)
    prefit = npc(new, Y_NEW, own, prefit=True, **LEVELS)
    drawn = npc(train, Y, model, n_splits=3, vote="random", **LEVELS)
    groups = npc(train, Y, model, n_splits=3, groups=THIRD % 2, **LEVELS)
    several = npc_multiclass(train, THIRD, model, alphas=0.2, priority=[0, 1, 2], random_state=3)
    chunks = RowChunks.from_arrays(kind(NEW), Y_NEW, chunk_size=100) if isinstance(new, np.ndarray) else None
    found = {
        "thresholds": fit.thresholds,
        "predict": fit.predict(new),
        "votes": fit.votes(new),
        "scores": fit.decision_function(new),
        "one, first": one.evaluate(new, Y_NEW),
        "one, again": one.evaluate(new, Y_NEW),
        "table": one.thresholds_table(new, Y_NEW),
        "p-values": fit.p_values(new),
        "probabilities": fit.predict_proba(new),
        "certified": fit.certify(new, Y_NEW),
        "assumptions": one.check_assumptions(new[Y_NEW == 0]).to_frame(),
        "estimator": NPClassifier(model, n_splits=3, **LEVELS).fit(train, Y).predict(new),
        "cross-fitted": npc(train, Y, model, cross_fit=3, **LEVELS).predict(new),
        "drawn": drawn.predict(new, random_state=1),
        "review": npc(train, Y, model, review_beta=0.3, **LEVELS).predict(new),
        "groups": groups.predict(new, groups=THIRD % 2),
        "prefit": (prefit.thresholds, prefit.predict(new)),
        "twins, twice": [
            twin.predict(new).tolist() for twin in (one.to_sklearn(), prefit.to_sklearn()) for _ in range(2)
        ],
        "certify": certify(own, new, Y_NEW, class0=0),
        "np_score": [np_score(0.1)(own, new, Y_NEW) for _ in range(2)],
        "band": nproc(train, Y, model, n_splits=3, class0=0, random_state=3).to_frame(),
        "several classes": (several.predict(new), several.predict(new)),
        "chunks": None if chunks is None else npc(chunks, method=own, prefit=True, **LEVELS).thresholds,
    }
    unchanged = kept.equals(new) if isinstance(new, pd.DataFrame) else abs(kept - new).sum() == 0
    assert unchanged, "the rows of the user have changed"
    return {name: repr(value) if not isinstance(value, np.ndarray) else value.tolist() for name, value in found.items()}


KINDS = {"array": np.array, "frame": lambda X: pd.DataFrame(X.copy(), columns=list("abc")), "sparse": sparse.csr_array}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("model", [pipeline, Halving], ids=["scikit-learn", "own"])
def test_methods_that_write_into_their_rows_give_what_those_give_that_copy_them(model, kind):
    if kind == "sparse" and model is pipeline:

        def model(copy):
            return make_pipeline(MaxAbsScaler(copy=copy), LogisticRegression())

    copying, writing = (everything(lambda copy=copy: model(copy), KINDS[kind]) for copy in (True, False))
    assert [name for name in copying if copying[name] != writing[name]] == []


@pytest.mark.slow
def test_a_detector_that_writes_into_its_rows_scores_as_one_that_copies_them():
    fits = [
        npc(
            X,
            Y,
            OutlierScorer(make_pipeline(MinMaxScaler(copy=copy), IsolationForest(n_estimators=20)), outliers=1),
            n_splits=3,
            **LEVELS,
        )
        for copy in (True, False)
    ]
    first, second = (fit.predict(NEW.copy()) for fit in fits)
    assert np.array_equal(first, second)


def test_rows_are_copied_only_for_what_may_write_into_them():
    fitted = LogisticRegression().fit(X, Y)
    search = GridSearchCV(pipeline(True), {"minmaxscaler__copy": [False]}, cv=2).fit(X.copy(), Y)
    shared = [fitted, pipeline(True).fit(X, Y), GridSearchCV(pipeline(True), {}, cv=2).fit(X, Y)]
    own = [
        fitted.decision_function,
        lambda X: X[:, 0],
        search,
        Halving().fit(X, Y),
        make_pipeline(FunctionTransformer(np.log), LogisticRegression()).fit(X, Y),
    ]
    large = np.tile(X, (50, 1))
    assert [rows_for(model, large) is large for model in shared + own] == [True] * len(shared) + [False] * len(own)
