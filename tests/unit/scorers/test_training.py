"""Copies with their own seeds, and training."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier, StackingClassifier, VotingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, RidgeClassifierCV
from sklearn.metrics import log_loss, make_scorer
from sklearn.model_selection import FixedThresholdClassifier, GridSearchCV, RandomizedSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from nproc import OnlineNPClassifierCV, npc
from nproc.checks import MOST_NAMED
from nproc.errors import InvalidInputError
from nproc.scorers import fit_scorer, fresh_copy, get_scorer, naming_refused, score_rows
from nproc.scorers.training import describe_trained, not_converged

X = np.array([[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]])
Y = np.array([0, 0, 1, 0, 1, 1])


def test_every_open_random_state_gets_its_own_seed():
    nested = make_pipeline(StandardScaler(), BaggingClassifier(DecisionTreeClassifier()))
    params = fresh_copy(nested, 1).get_params()
    outer = params["baggingclassifier__random_state"]
    inner = params["baggingclassifier__estimator__random_state"]
    assert isinstance(outer, int)
    assert isinstance(inner, int)
    assert outer != inner
    assert nested.get_params()["baggingclassifier__random_state"] is None


def test_seeds_follow_the_seed_given():
    forest = RandomForestClassifier()
    assert fresh_copy(forest, 1).random_state == fresh_copy(forest, 1).random_state
    assert fresh_copy(forest, 1).random_state != fresh_copy(forest, 2).random_state


def test_a_whole_number_set_by_the_user_stays():
    assert fresh_copy(RandomForestClassifier(random_state=np.int64(7)), 1).random_state == 7


def test_a_generator_is_replaced_and_not_used_up():
    state = np.random.RandomState(4)
    before = state.get_state()[1].copy()
    copy = fresh_copy(RandomForestClassifier(random_state=state), 1)
    assert isinstance(copy.random_state, int)
    np.testing.assert_array_equal(state.get_state()[1], before)


def test_an_object_without_parameters_is_copied_deeply():
    class Plain:
        weights: list

    plain = Plain()
    plain.weights = [1.0]
    copy = fresh_copy(plain, 1)
    copy.weights.append(2.0)
    assert plain.weights == [1.0]


def test_the_copy_of_a_fitted_estimator_is_unfitted():
    assert not hasattr(fresh_copy(LogisticRegression().fit(X, Y), 1), "coef_")


@pytest.mark.parametrize(
    "scorer",
    [
        LogisticRegression(),
        make_pipeline(StandardScaler(), LogisticRegression()),
        make_pipeline(StandardScaler(), make_pipeline(StandardScaler(), LogisticRegression())),
        GridSearchCV(LogisticRegression(), {"C": [1.0]}, cv=2),
        CalibratedClassifierCV(LogisticRegression(), cv=2, ensemble=False),
        VotingClassifier([("one", LogisticRegression()), ("none", "drop")], voting="soft"),
        StackingClassifier([("one", LogisticRegression())], cv=2),
        make_pipeline(StandardScaler(), VotingClassifier([("one", LogisticRegression())], voting="soft")),
    ],
    ids=["estimator", "pipeline", "nested", "search", "calibration", "vote", "stack", "vote in a pipeline"],
)
def test_weights_reach_the_estimator_at_the_end(scorer):
    weight = np.array([1.0, 1.0, 1.0, 9.0, 1.0, 1.0])
    weighted = fit_scorer(fresh_copy(scorer, 1), X, Y, sample_weight=weight)
    plain = fit_scorer(fresh_copy(scorer, 1), X, Y)
    # the heavy row is of class 0
    assert score_rows(weighted, X).mean() < score_rows(plain, X).mean() - 0.05


LDA = LinearDiscriminantAnalysis()
PIPELINE = make_pipeline(StandardScaler(), LogisticRegression())


@pytest.mark.parametrize(
    ("scorer", "part"),
    [
        (LDA, "LinearDiscriminantAnalysis"),
        (make_pipeline(StandardScaler(), LDA), "LinearDiscriminantAnalysis in StandardScaler+"),
        (make_pipeline(StandardScaler(), "passthrough"), "passthrough"),
        (GridSearchCV(LDA, {}), "LinearDiscriminantAnalysis in GridSearchCV"),
        (VotingClassifier([("a", LogisticRegression()), ("b", LDA)]), "LinearDiscriminantAnalysis in VotingClassifier"),
        (StackingClassifier([("a", LogisticRegression())], LDA), "LinearDiscriminantAnalysis in StackingClassifier"),
        (StackingClassifier([("a", PIPELINE)]), "StandardScaler+LogisticRegression in StackingClassifier"),
        (CalibratedClassifierCV(PIPELINE, cv=2), "StandardScaler+LogisticRegression in CalibratedClassifierCV"),
        (GridSearchCV(CalibratedClassifierCV(PIPELINE), {}), "StandardScaler+LogisticRegression in GridSearchCV"),
        (make_pipeline(StandardScaler(), CalibratedClassifierCV(LDA)), "LinearDiscriminantAnalysis in StandardScaler+"),
        (FrozenEstimator(LogisticRegression()), "FrozenEstimator"),
        (CalibratedClassifierCV(VotingClassifier([("a", LogisticRegression())])), "VotingClassifier in Calibrated"),
        (CalibratedClassifierCV(GridSearchCV(LogisticRegression(), {})), "GridSearchCV in CalibratedClassifierCV"),
        (CalibratedClassifierCV(OneVsRestClassifier(LogisticRegression())), "OneVsRestClassifier in Calibrated"),
        (CalibratedClassifierCV(FixedThresholdClassifier(LogisticRegression())), "FixedThresholdClassifier in Calib"),
    ],
)
def test_weights_that_would_be_lost_are_an_error_that_names_what_takes_none(scorer, part):
    told = f"^sample_weight was given, but {re.escape(part)}.* cannot use weights in fit"
    with pytest.raises(InvalidInputError, match=told):
        fit_scorer(scorer, X, Y, sample_weight=np.ones(6))


@pytest.mark.parametrize("scorer", [LogisticRegression(), PIPELINE, GridSearchCV(PIPELINE, {}, cv=2)])
def test_weights_that_are_zero_for_all_rows_of_a_class_are_refused(scorer):
    with pytest.raises(InvalidInputError, match=r"^sample_weight is zero for all 3 rows of class 0; both classes"):
        fit_scorer(scorer, X, Y, sample_weight=np.where(Y == 0, 0.0, 1.0))


@pytest.mark.parametrize("around", [lambda one: one, lambda one: make_pipeline(StandardScaler(), one)])
def test_a_model_that_declines_weights_does_not_get_them(around):
    with config_context(enable_metadata_routing=True):
        scorer = around(LogisticRegression().set_fit_request(sample_weight=False))
    with pytest.raises(InvalidInputError, match=r"LogisticRegression.* declines weights by set_fit_request\("):
        fit_scorer(scorer, X, Y, sample_weight=np.ones(6))


@pytest.mark.slow
@pytest.mark.parametrize("enabled", [False, True])
@pytest.mark.parametrize("name", ["ada", "randomforest", "svm", "tree", "logistic"])
def test_a_named_method_takes_weights_with_and_without_metadata_routing(name, enabled):
    weight = np.array([1.0, 1.0, 1.0, 9.0, 1.0, 1.0])
    plain = score_rows(fit_scorer(fresh_copy(get_scorer(name), 1), X, Y, sample_weight=weight), X)
    with config_context(enable_metadata_routing=enabled):
        scorer = fit_scorer(fresh_copy(get_scorer(name), 1), X, Y, sample_weight=weight)
    np.testing.assert_array_equal(score_rows(scorer, X), plain)


@pytest.mark.parametrize("to_scaler", [False, True])
def test_weights_go_where_a_pipeline_asks_for_them_also_in_other_processes(to_scaler):
    weight = np.linspace(0.1, 3.0, 120)
    rows = np.random.default_rng(1).normal(size=(120, 2)) + np.repeat([[0.0], [1.0]], 60, axis=0)
    labels = np.repeat([0, 1], 60)
    with config_context(enable_metadata_routing=True):
        scaler = StandardScaler().set_fit_request(sample_weight=to_scaler)
        # with a penalty the scale of the columns shows in the scores
        scorer = make_pipeline(scaler, LogisticRegression(C=0.01).set_fit_request(sample_weight=True))
        trained = fit_scorer(clone(scorer), rows, labels, sample_weight=weight)
        known = {"class0": 0, "alpha": 0.2, "n_splits": 3, "random_state": 1, "sample_weight": weight}
        fits = [npc(rows, labels, scorer, n_jobs=n_jobs, **known) for n_jobs in (1, 2)]
    scaled = StandardScaler().fit(rows, sample_weight=weight if to_scaler else None)
    model = LogisticRegression(C=0.01).fit(scaled.transform(rows), labels, sample_weight=weight)
    np.testing.assert_array_equal(trained.decision_function(rows), model.decision_function(scaled.transform(rows)))
    np.testing.assert_array_equal(fits[0].thresholds, fits[1].thresholds)


def test_a_fit_that_returns_nothing_still_gives_the_scorer():
    class Silent:
        def fit(self, X, y):
            self.seen = len(X)

    scorer = Silent()
    assert fit_scorer(scorer, X, Y) is scorer
    assert scorer.seen == 6


class Verdict(LogisticRegression):
    """A learner that says whether its training converged."""

    def __init__(self, converged=True, certificate=0.0, C=1.0, random_state=None):
        super().__init__(C=C, random_state=random_state)
        self.converged = converged
        self.certificate = certificate

    def fit(self, X, y):
        super().fit(X, y)
        self.converged_, self.certificate_ = self.converged, self.certificate
        return self


ROWS, CODES = np.array([[0.0], [1.0], [2.0], [3.0], [0.5], [2.5]]), np.array([0, 1, 0, 1, 0, 1])


def test_training_is_told_with_the_number_of_splits_in_which_it_converged_and_trouble_apart_from_the_scorer():
    scorers = [Verdict(np.bool_(yes), random_state=j).fit(ROWS, CODES) for j, yes in enumerate([True, False, True])]
    assert describe_trained(scorers) == "Scorer: Verdict(converged=np.True_)."
    assert not_converged(scorers)[0].startswith("The training of the method converged in 2 of 3 splits. A")
    assert describe_trained(scorers[:1]).endswith("Its training converged.")
    assert not_converged(scorers[:1]) == []
    # there may be no bound, as at a level that was chosen on a band
    said = "The training of the method did not converge. A bound on the type I error does not need convergence, but the"
    assert not_converged(scorers[1:2])[0].startswith(said)


@pytest.mark.parametrize(
    "wrap", [lambda e: make_pipeline(StandardScaler(), e), lambda e: GridSearchCV(e, {"C": [1.0, 2.0]}, cv=3)]
)
def test_the_verdict_is_that_of_the_last_step_or_of_the_best_estimator(wrap):
    [told] = not_converged([wrap(Verdict(False)).fit(ROWS, CODES)])
    assert "did not converge" in told


SAMPLE = np.random.default_rng(1).normal(size=(400, 2)) + 2.0 * np.repeat([0, 1], 200)[:, None]


class OwnCV(LogisticRegression):
    """It has an alpha_ of its own, of any size."""

    def __init__(self, held=None):
        super().__init__()
        self.held = held

    def fit(self, X, y):
        self.alpha_ = None if self.held is None else np.array(self.held)
        return super().fit(X, y)


@pytest.mark.slow
def test_what_a_search_chose_comes_first_for_each_split():
    def search(*values, **settings):
        found = GridSearchCV(LogisticRegression(), {"C": list(values)}, cv=3, **settings)
        return make_pipeline(StandardScaler(), found).fit(ROWS, CODES)

    assert describe_trained([search(2.0, scoring="roc_auc")]).startswith(
        "GridSearchCV chose C=2, by roc_auc. Scorer: StandardScaler(), then GridSearchCV("
    )
    for less, sign in ((False, ", smaller is better"), (True, "")):
        scoring = make_scorer(log_loss, response_method="predict_proba", greater_is_better=less)
        told = describe_trained([search(2.0, scoring=scoring)])
        assert told.startswith(f"GridSearchCV chose C=2, by log_loss{sign}. Scorer")
    assert describe_trained([search(2.0)] * 2).startswith("GridSearchCV chose C=2 in all 2 splits. Scorer")
    differ = describe_trained([search(2.0), search(0.12345), search(2.0)], "folds")
    assert differ.startswith("GridSearchCV chose C=2 in 2 of 3 folds; C=0.1235 in 1. Scorer")
    drawn = RandomizedSearchCV(LogisticRegression(), {"C": np.array([3.0])}, n_iter=1, cv=3).fit(ROWS, CODES)
    assert describe_trained([drawn]).startswith("RandomizedSearchCV chose C=3. Scorer")
    own = RidgeClassifierCV(alphas=[0.5], scoring="accuracy").fit(ROWS, CODES)
    assert describe_trained([own]).startswith("RidgeClassifierCV chose alpha=0.5. Scorer")
    for held in ([], [0.0, 1.0, 2.0], None):
        assert describe_trained([OwnCV(held).fit(ROWS, CODES)]).startswith("Scorer: OwnCV(")
    assert describe_trained([OwnCV([3.0]).fit(ROWS, CODES)]).startswith("OwnCV chose alpha=3. Scorer")
    # the alpha at which it trains would read as that of the fit
    online = OnlineNPClassifierCV(taus=(1,), random_state=1).fit(SAMPLE, np.repeat([0, 1], 200))
    assert re.match(r"OnlineNPClassifierCV chose lam=\S+, tau=1, gamma0='auto'\. Scorer", describe_trained([online]))
    many = [search(float(j)) for j in range(1, MOST_NAMED + 3)]
    assert "; something else in 2. Scorer" in describe_trained(many)


def test_where_training_has_not_been_judged_nothing_is_said():
    assert describe_trained([Verdict(certificate=None).fit(ROWS, CODES)]) == "Scorer: Verdict(certificate=None)."
    assert describe_trained([LogisticRegression().fit(ROWS, CODES)]) == "Scorer: LogisticRegression()."


def test_a_description_has_an_end():
    long = GridSearchCV(Verdict(), {name: list(range(1000)) for name in "abcdefgh"})
    many = Pipeline([(f"step{j}", StandardScaler(with_mean=False)) for j in range(20)] + [("last", Verdict())])
    assert describe_trained([long]).startswith("Scorer: GridSearchCV(estimator=Verdict(), param_grid={'a': [0, 1, 2,")
    for scorer in (long, many):
        assert len(describe_trained([scorer])) <= 210


def test_a_long_pipeline_is_told_with_its_last_step_and_without_addresses():
    def selected(frame):
        return list(frame.columns)

    numbers = make_pipeline(SimpleImputer(), StandardScaler())
    encode = ColumnTransformer([("n", numbers, selected), ("c", OneHotEncoder(), selected), ("rest", "drop", selected)])
    method = make_pipeline(encode, LogisticRegression(C=3.0))
    told = "ColumnTransformer(transformers=[SimpleImputer+StandardScaler, OneHotEncoder, drop])"
    assert describe_trained([method]) == f"Scorer: {told}, then LogisticRegression(C=3.0)."
    many = make_pipeline(encode, *(PCA(n_components=n, whiten=True) for n in range(9)), LogisticRegression(C=3.0))
    shortened = describe_trained([many])
    assert shortened.startswith("Scorer: ColumnTransformer, then PCA, then PCA, ")
    assert shortened.endswith("PCA(n_components=8, whiten=True), then LogisticRegression(C=3.0).")
    assert describe_trained([FunctionTransformer(np.log1p)]) == "Scorer: FunctionTransformer(func=log1p)."
    assert " at 0x" not in describe_trained([FunctionTransformer(func=selected, kw_args={"a": selected})])


def test_an_object_that_is_no_estimator_is_told_by_its_name():
    class Plain:
        converged_ = True

    assert describe_trained([Plain()]) == "Scorer: Plain. Its training converged."


class SumOfSquares(ClassifierMixin, BaseEstimator):
    """A model that needs numbers and finite squares."""

    def fit(self, X, y):
        squares = np.asarray(X, dtype=np.float64) ** 2
        if not np.isfinite(squares).all():
            raise ValueError("Input X contains NaN.")
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X):
        return np.asarray(X)[:, 0]


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([[1.0, 2.0]] * 6, r"^X has columns with several values in one row, such as lists: \['v'\]"),
        ([1e300, -2e300] * 3, r"^X has numbers of a size up to 2e\+300 in column\(s\) \['v'\]\. X has no missing"),
    ],
)
def test_a_column_of_lists_or_of_numbers_too_large_is_named_where_a_pipeline_refuses_it(values, said):
    frame, scorer = pd.DataFrame({"x": np.arange(6.0), "v": values}), make_pipeline(SumOfSquares())
    with np.errstate(over="ignore"), pytest.raises(InvalidInputError, match=said), naming_refused(scorer, frame):
        fit_scorer(scorer, frame, Y)
