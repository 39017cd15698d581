"""Parts that stay trained where an estimator is copied for training."""

from functools import partial

import numpy as np
import pytest
from imblearn import FunctionSampler
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier, StackingClassifier, VotingClassifier
from sklearn.feature_selection import SelectFromModel
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import FixedThresholdClassifier, GridSearchCV, TunedThresholdClassifierCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from nproc import NPClassifier, npc, npc_multiclass, nproc, nproc_bands, roc_cv, train_in_chunks
from nproc.comparison import compare_procedures
from nproc.errors import InvalidInputError, NPWarning
from nproc.multiclass import npcs
from nproc.planning.split_ratio import plan_split_ratio
from nproc.row_chunks.chunks import RowChunks
from nproc.scorers import AveragedScorer, check_trainable

RNG = np.random.default_rng(5)
Y = np.repeat([0, 1], 80)
X = RNG.normal(size=(160, 3)) + Y[:, None]
MODEL = LogisticRegression().fit(X, Y)
PCA_OF_ALL = PCA(2).fit(X)
FROZEN = FrozenEstimator(MODEL)
FROZEN_PCA = FrozenEstimator(PCA_OF_ALL)


class CopiesItself(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        self.classes_ = np.array([0, 1])
        return self

    def __sklearn_clone__(self):
        return self


class WithoutParameters:
    def __init__(self, inner):
        self.inner = inner

    def fit(self, X, y):
        return self

    def decision_function(self, X):
        return self.inner.decision_function(X)


def by_pca(X, pca=PCA_OF_ALL):
    return pca.transform(X)


def by_given(X, pca):
    return pca.transform(X)


def with_transform(function, **settings):
    return make_pipeline(FunctionTransformer(function, **settings), LogisticRegression())


class Holder:
    """A scorer without get_params, or a function object, that holds a trained model."""

    def __init__(self, model):
        self.model = model

    def fit(self, X, y):
        return self

    def decision_function(self, X):
        return self.model.decision_function(X)


class Call:
    def __init__(self, model):
        self.model = model

    def __call__(self, X):
        return self.model.predict_proba(X)


def of_a_list(X):
    return MODELS[0].predict_proba(X)


def by_another_function(X):
    return of_a_list(X)


def by_an_inner_function(X):
    return (lambda Z: MODEL.predict_proba(Z))(X)


MODELS = [MODEL]
STAY_TRAINED = {
    "frozen": FROZEN,
    "a class that copies itself": CopiesItself().fit(X, Y),
    "step": make_pipeline(StandardScaler(), FROZEN),
    "first step": make_pipeline(FROZEN_PCA, LogisticRegression()),
    "column transformer": make_pipeline(ColumnTransformer([("pca", FROZEN_PCA, [0, 1, 2])]), LogisticRegression()),
    "vote": VotingClassifier([("a", LogisticRegression()), ("b", FROZEN)], voting="soft"),
    "stack": StackingClassifier([("a", FROZEN)]),
    "stack of trained": StackingClassifier([("a", MODEL)], cv="prefit"),
    "calibration": CalibratedClassifierCV(FROZEN),
    "tuned threshold": TunedThresholdClassifierCV(FROZEN, cv="prefit", refit=False),
    "fixed threshold": FixedThresholdClassifier(FROZEN),
    "selection": make_pipeline(SelectFromModel(MODEL, prefit=True), LogisticRegression()),
    "search": GridSearchCV(FROZEN, {}),
    "candidates of a search": GridSearchCV(
        make_pipeline(StandardScaler(), LogisticRegression()), {"standardscaler": [FROZEN_PCA, "passthrough"]}
    ),
    "bagging": BaggingClassifier(FROZEN),
    "averaged": AveragedScorer(FROZEN),
    "bound method": with_transform(PCA_OF_ALL.transform),
    "function that names a model": with_transform(lambda X: PCA_OF_ALL.transform(X)),
    "default": with_transform(by_pca),
    "partial": with_transform(partial(by_given, pca=PCA_OF_ALL)),
    "keywords": with_transform(by_given, kw_args={"pca": PCA_OF_ALL}),
    "without get_params": WithoutParameters(FROZEN),
    "attribute of a scorer without parameters": Holder(MODEL),
    "attribute of a function object": with_transform(Call(MODEL)),
    "frozen attribute of a function object": with_transform(Call(FROZEN)),
    "default of a keyword": with_transform(lambda X, *, model=MODEL: model.predict_proba(X)),
    "list": with_transform(of_a_list),
    "function of a function": with_transform(by_another_function),
    "function in a function": with_transform(by_an_inner_function),
}


@pytest.mark.parametrize("method", STAY_TRAINED.values(), ids=STAY_TRAINED)
def test_a_part_that_stays_trained_is_refused(method):
    with pytest.raises(
        InvalidInputError, match=r"method has a part that is trained already: .*not frozen.*prefit=True"
    ):
        npc(X, Y, method, alpha=0.3, delta=0.3, random_state=1)


FORGET = {
    "trained": LogisticRegression().fit(X, Y),
    "trained pipeline": make_pipeline(StandardScaler(), LogisticRegression()).fit(X, Y),
    "search": GridSearchCV(MODEL, {"C": [0.1, 1.0]}, cv=2),
    "trained candidates": GridSearchCV(make_pipeline(PCA(1), MODEL), {"pca": [PCA_OF_ALL, "passthrough"]}, cv=2),
    "vote of trained": VotingClassifier([("a", MODEL)], voting="soft"),
    "function": with_transform(np.tanh),
    "lambda": with_transform(lambda X: X * 2.0),
    "method of a function": make_pipeline(FunctionTransformer(FunctionTransformer(np.abs).fit(X).transform), MODEL),
    "frozen without training": make_pipeline(FrozenEstimator(FunctionTransformer(np.abs)), LogisticRegression()),
    "averaged": AveragedScorer(MODEL, n_members=2),
}


@pytest.mark.parametrize("method", FORGET.values(), ids=FORGET)
def test_what_a_copy_forgets_and_what_needs_no_training_is_taken(method):
    assert check_trainable(method) is method
    assert npc(X, Y, method, alpha=0.3, delta=0.3, random_state=1).n0 == 80


def test_the_message_names_the_part():
    with pytest.raises(InvalidInputError, match=r"steps\['frozenestimator'\] is FrozenEstimator\(estimator=Logistic"):
        npc(X, Y, make_pipeline(StandardScaler(), FROZEN), random_state=1)
    with pytest.raises(InvalidInputError, match=r"cv is 'prefit', which asks for one"):
        npc(X, Y, StackingClassifier([("a", MODEL)], cv="prefit"), random_state=1)


@pytest.mark.parametrize("face", [npc, nproc, roc_cv])
def test_a_resampler_that_asks_a_trained_model_is_refused(face):
    with pytest.raises(InvalidInputError, match="resample has a part that is trained already: func is a function"):
        face(X, Y, "lda", resample=FunctionSampler(func=lambda X, y: (X, MODEL.predict(X))), random_state=1)


FACES = {
    "npc": lambda: npc(X, Y, FROZEN),
    "groups": lambda: npc(X, Y, FROZEN, groups=np.tile([0, 1], 80)),
    "clusters": lambda: npc(X, Y, FROZEN, clusters=np.arange(160)),
    "few": lambda: npc(X, Y, FROZEN, small_sample="normal"),
    "nproc": lambda: nproc(X, Y, FROZEN),
    "nproc_bands": lambda: nproc_bands(X, Y, {"a": "lda", "b": FROZEN}),
    "compare_procedures": lambda: compare_procedures(X, Y, {"a": "lda", "b": FROZEN}),
    "roc_cv": lambda: roc_cv(X, Y, FROZEN),
    "NPClassifier": lambda: NPClassifier(FROZEN).fit(X, Y),
    "averaged": lambda: npc(X, Y, "averaged", scorer=FROZEN),
    "npc_multiclass": lambda: npc_multiclass(X, Y, FROZEN, stage_score="own"),
    "npcs": lambda: npcs(X, Y, FROZEN, alphas={0: 0.3}),
    "plan_split_ratio": lambda: plan_split_ratio(X, Y, FROZEN),
    "train_in_chunks": lambda: train_in_chunks(FROZEN, RowChunks.from_arrays(X, Y)),
}


@pytest.mark.parametrize("call", FACES.values(), ids=FACES)
def test_every_face_that_trains_refuses_it(call):
    with pytest.raises(InvalidInputError, match=r"is trained already: .*FrozenEstimator"):
        call()


def test_with_prefit_a_frozen_model_is_used_as_it_is():
    new = RNG.normal(size=(100, 3)), np.repeat([0, 1], 50)
    fit = npc(*new, FROZEN, prefit=True, alpha=0.3, delta=0.3, random_state=1)
    same = npc(*new, MODEL, prefit=True, alpha=0.3, delta=0.3, random_state=1)
    assert fit.thresholds.tolist() == same.thresholds.tolist()


def test_a_forest_that_saw_the_left_out_rows_would_break_the_promise():
    # what the refusal is for: the frozen forest scores its own class 0 rows far below new ones
    forest = RandomForestClassifier(20, random_state=1).fit(X, Y)
    with pytest.warns(NPWarning, match="If some of these rows trained it, nothing is guaranteed"):
        fit = npc(X, Y, forest, prefit=True, alpha=0.1, delta=0.1, random_state=1)
    assert fit.predict(RNG.normal(size=(2000, 3))).mean() > 0.2
