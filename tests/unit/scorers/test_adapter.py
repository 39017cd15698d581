"""Scores from any model."""

import re
import warnings

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
import statsmodels.formula.api as smf
from joblib.externals.loky.process_executor import TerminatedWorkerError
from scipy.special import expit, softmax
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import BaggingClassifier, IsolationForest, RandomForestClassifier, VotingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import FixedThresholdClassifier, GridSearchCV
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, ComplementNB, GaussianNB, MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from nproc import npc
from nproc.errors import InvalidInputError, NPWarning
from nproc.scorers import check_trainable, fit_scorer, score_rows, scoring_method

RNG = np.random.default_rng(3)
Y = np.repeat([0, 1], 40)
X = RNG.normal(size=(80, 2)) + Y[:, None]


class Scores:
    def __init__(self, scores, classes=None):
        self.scores = scores
        if classes is not None:
            self.classes_ = np.asarray(classes)

    def decision_function(self, X):
        return self.scores


def test_a_decision_function_goes_before_a_probability():
    model = LogisticRegression().fit(X, Y)
    np.testing.assert_array_equal(score_rows(model, X), model.decision_function(X))


def test_without_a_decision_function_the_score_is_the_probability_of_class_1():
    model = DecisionTreeClassifier(max_depth=2).fit(X, Y)
    np.testing.assert_array_equal(score_rows(model, X), model.predict_proba(X)[:, 1])


COUNTS = np.abs(X).round()
NAIVE_BAYES = {
    "gaussian": (GaussianNB(), X),
    "multinomial": (MultinomialNB(), COUNTS),
    "complement": (ComplementNB(), COUNTS),
    "bernoulli": (BernoulliNB(), X),
    "categorical": (CategoricalNB(), COUNTS),
    "bagged": (BaggingClassifier(GaussianNB(), random_state=1), X),
    "bagged in pipelines": (BaggingClassifier(make_pipeline(StandardScaler(), GaussianNB()), random_state=1), X),
    "passed on": (FixedThresholdClassifier(GaussianNB()), X),
    "in a pipeline": (make_pipeline(StandardScaler(), GaussianNB()), X),
    "in a search": (GridSearchCV(make_pipeline(StandardScaler(), GaussianNB()), {}, cv=2), X),
    "frozen": (FrozenEstimator(GaussianNB().fit(X, Y)), X),
}


@pytest.mark.parametrize(("model", "rows"), NAIVE_BAYES.values(), ids=NAIVE_BAYES)
def test_naive_bayes_scores_by_the_log_odds(model, rows):
    model.fit(rows, Y)
    expected = np.subtract(*model.predict_log_proba(rows).T[::-1])
    np.testing.assert_array_equal(score_rows(model, rows), expected)
    np.testing.assert_array_equal(score_rows(model, rows, values=[1, 0]), -expected)
    np.testing.assert_allclose(score_rows(model, rows[:1]), expected[:1], rtol=1e-9, atol=1e-12)


class Softmax(ClassifierMixin, BaseEstimator):
    """Two columns, none of them 1 minus the other, of log odds `factor` times the sum of a row."""

    def __init__(self, factor=1.0):
        self.factor = factor

    def fit(self, X, y):
        self.classes_, self.centre_ = np.unique(y), X.mean(axis=0)
        return self

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def predict_proba(self, X):
        half = self.factor * (X - self.centre_).sum(axis=1) / 2
        return softmax(np.column_stack([-half, half]), axis=1)


class LogSoftmax(Softmax):
    """A class that has logarithms of its own."""

    def predict_log_proba(self, X):
        log_odds = self.factor * (X - self.centre_).sum(axis=1)
        return -np.logaddexp(0, np.column_stack([log_odds, -log_odds]))


TWO_VOTES = VotingClassifier([("a", GaussianNB()), ("b", GaussianNB(var_smoothing=0.1))], voting="soft")


@pytest.mark.parametrize(
    "model",
    [
        GaussianNB(),
        BaggingClassifier(GaussianNB(), random_state=1),
        TWO_VOTES,
        Softmax(2.0),
        BaggingClassifier(Softmax(2.0), random_state=1),
        LogSoftmax(2.0),
    ],
    ids=lambda model: str(model)[:30],
)
def test_rows_are_told_apart_whose_probability_is_one(model):
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1], 300)
    rows = np.repeat((rng.normal(size=600) + 2 * y)[:, None], 30, axis=1) + 0.1 * rng.normal(size=(600, 30))
    trained = clone(model).fit(rows, y)
    assert np.mean(trained.predict_proba(rows)[y == 1, 1] == 1.0) > 0.5
    assert np.unique(score_rows(trained, rows)).size == 600
    fit = npc(rows, y, model, alpha=0.1, delta=0.1, random_state=1)
    assert fit.evaluate(rows, y).type2 < 0.4
    assert np.array_equal(fit.to_sklearn().predict(rows), fit.predict(rows))


@pytest.mark.parametrize("model", [Softmax(), TWO_VOTES], ids=["softmax", "voting"])
def test_log_odds_order_rows_as_the_probabilities_do_where_these_are_not_rounded(model):
    model = clone(model).fit(X, Y)
    assert scoring_method(model) == "log_odds"
    scores, p1 = score_rows(model, X), model.predict_proba(X)[:, 1]
    np.testing.assert_allclose(expit(scores), p1, rtol=1e-12)
    assert np.array_equal(np.argsort(scores), np.argsort(p1))
    # for a user whose class 0 is the model's second
    np.testing.assert_array_equal(score_rows(model, X, values=[1, 0]), -scores)


class Answers(Softmax):
    """A class whose probabilities are given."""

    def predict_proba(self, X):
        return np.asarray(X)


def test_a_probability_of_zero_has_a_finite_score_beyond_all_others():
    p0 = np.array([0.0, 1e-300, 0.5, 1.0, 1.0])
    p1 = np.array([1.0, 1.0, 0.5, 1e-300, 0.0])
    scores = score_rows(Answers(), np.column_stack([p0, p1]))
    np.testing.assert_allclose(scores[1:4], np.log(p1[1:4] / p0[1:4]), rtol=1e-12)
    assert np.all(np.diff(scores) < 0)
    assert np.isfinite(scores).all()


def test_what_is_no_probability_is_an_error():
    with pytest.raises(InvalidInputError, match=r"Answers\.predict_proba\(X\) must give probabilities.*got -2\. Give"):
        score_rows(Answers(), np.array([[-2.0, 2.0], [0.5, 0.5]]))


def test_an_impossible_class_has_a_finite_score():
    model = CategoricalNB(alpha=0.0, force_alpha=True)
    rows = np.array([[0, 1], [0, 0], [1, 1], [1, 0]])
    with np.errstate(divide="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(rows, [0, 0, 1, 1])
        assert score_rows(model, rows).tolist() == [-1e300, -1e300, 1e300, 1e300]


@pytest.mark.parametrize(
    "model",
    [
        RandomForestClassifier(5, random_state=1),
        CalibratedClassifierCV(GaussianNB(), cv=2),
        BaggingClassifier(DecisionTreeClassifier(max_depth=2), random_state=1),
        VotingClassifier([("a", LogisticRegression()), ("b", DecisionTreeClassifier())], voting="soft"),
    ],
    ids=lambda model: type(model).__name__,
)
def test_other_probabilities_stay_the_scores(model):
    np.testing.assert_array_equal(score_rows(model.fit(X, Y), X), model.predict_proba(X)[:, 1])


def test_a_plain_function_is_called():
    np.testing.assert_array_equal(score_rows(lambda rows: rows[:, :1], X), X[:, 0])


def test_rows_without_a_shape_are_counted():
    assert score_rows(lambda rows: [sum(row) for row in rows], [[1, 2], [3, 4]]).tolist() == [3.0, 7.0]


def test_a_one_class_model_scores_without_classes():
    model = IsolationForest(n_estimators=5, random_state=0).fit(X)
    np.testing.assert_array_equal(score_rows(model, X), model.decision_function(X))


@pytest.mark.parametrize("model", [LogisticRegression(), DecisionTreeClassifier(max_depth=2)])
@pytest.mark.parametrize("values", [["a", "b"], ["b", "a"], [0, 1], [1, 0], [False, True], [True, False]])
def test_the_direction_follows_the_users_labels(model, values):
    labels = np.array(values)[Y]
    scores = score_rows(model.fit(X, labels), X, values=values)
    assert scores[Y == 1].mean() > scores[Y == 0].mean()


def test_a_model_of_codes_is_refused_for_users_with_other_labels():
    model = LogisticRegression().fit(X, Y)
    with pytest.raises(InvalidInputError, match=r"trained on the classes \[0, 1\], but \['no', 'yes'\] are expected"):
        score_rows(model, X, values=["no", "yes"])


@pytest.mark.parametrize(
    ("classes", "values"), [(["a", "b"], None), (["a", "c"], ["a", "b"]), ([0, 1], [1, 2]), ([0, 1, 2], None)]
)
def test_other_classes_are_an_error(classes, values):
    with pytest.raises(InvalidInputError, match=r"was trained on the classes .* are expected"):
        score_rows(Scores(np.zeros(80), classes), X, values=values)


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        (np.zeros(79), r"Scores\.decision_function\(X\) must give one score a row: X has 80 rows, got 79"),
        (np.full(80, np.nan), r"Scores\.decision_function\(X\) must be finite, got 80 NaN"),
        (np.zeros((80, 3)), r"one score a row, got shape \(80, 3\).*more than two classes"),
    ],
)
def test_bad_scores_are_an_error_that_names_the_method(scores, message):
    with pytest.raises(InvalidInputError, match=message):
        score_rows(Scores(scores), X)


def test_a_function_that_gives_both_probabilities_is_an_error_with_advice():
    with pytest.raises(InvalidInputError, match=r"got shape \(80, 2\).*predict_proba\(X\)\[:, 1\]"):
        score_rows(LogisticRegression().fit(X, Y).predict_proba, X)


def test_the_advice_takes_the_column_of_class_1_also_where_its_label_sorts_first():
    values = ["hadron", "gamma"]
    model = LogisticRegression().fit(X, np.array(values)[Y])
    for function in (model.predict_proba, lambda X: model.predict_proba(X)):
        with pytest.raises(InvalidInputError) as error:
            score_rows(function, X, values=values)
        (advised,) = re.findall(r"for example (model\..*)\.$", str(error.value))
        scores = eval(advised, {"model": model, "X": X})
        np.testing.assert_allclose(scores, expit(score_rows(model, X, values=values)), rtol=1e-12)


def test_the_advice_for_a_model_of_codes_says_for_which_code_it_holds():
    model = LogisticRegression().fit(X, 1 - Y)
    told = r"\[:, 1\] if its label 1 stands for 'gamma', and \[:, 0\] if 0 does\."
    for scorer in (model, model.predict_proba):
        with pytest.raises(InvalidInputError, match=told):
            score_rows(scorer, X, values=["hadron", "gamma"])


def test_a_model_with_labels_only_is_an_error():
    class Labels:
        def predict(self, X):
            return np.zeros(len(X))

    with pytest.raises(InvalidInputError, match="needs decision_function or predict_proba; Labels has only predict"):
        score_rows(Labels(), X)


def test_a_regressor_gets_advice_before_training():
    with pytest.raises(InvalidInputError, match=r"LinearRegression has only predict.*Use a classifier"):
        check_trainable(LinearRegression())


def test_hard_voting_gets_advice_after_training():
    voters = VotingClassifier([("a", LogisticRegression()), ("b", GaussianNB())], voting="hard")
    check_trainable(voters)
    with pytest.raises(InvalidInputError, match="voting='soft'"):
        score_rows(voters.fit(X, Y), X)


@pytest.mark.parametrize(
    "scorer",
    [
        SVC(),
        make_pipeline(StandardScaler(), SVC()),
        GridSearchCV(SVC(), {"C": [1, 10]}),
        VotingClassifier([("a", LogisticRegression())], voting="soft"),
    ],
    ids=lambda scorer: type(scorer).__name__,
)
def test_scikit_learn_classifiers_can_be_trained(scorer):
    assert check_trainable(scorer) is scorer


def test_an_object_whose_scores_appear_in_fit_is_not_refused():
    class Late:
        def fit(self, X, y):
            self.decision_function = lambda rows: rows[:, 0]
            return self

    scorer = check_trainable(Late())
    assert scoring_method(scorer.fit(X, Y)) == "decision_function"


def test_a_function_cannot_be_trained():
    with pytest.raises(InvalidInputError, match=r"scorer=len is a function without fit.*prefit=True"):
        check_trainable(len, "scorer")


def test_a_model_without_fit_cannot_be_trained():
    with pytest.raises(InvalidInputError, match="is a model without fit"):
        check_trainable(Scores(np.zeros(3)))


def test_a_class_or_a_number_cannot_be_trained():
    with pytest.raises(InvalidInputError, match="is the class SVC; pass an instance"):
        check_trainable(SVC)
    with pytest.raises(InvalidInputError, match="method must have fit"):
        check_trainable(3)


def test_results_of_statsmodels_say_which_columns_they_need():
    frame = pd.DataFrame(X, columns=["x", "exp"]).assign(y=Y, n=2)
    given = {"prefit": True, "alpha": 0.3, "random_state": 1}
    logit = sm.Logit(Y, sm.add_constant(frame[["x"]])).fit(disp=False)
    for rows, found in ((frame[["x"]], r"\['x'\]"), (X[:, :1], r"1 column\(s\)")):
        with pytest.raises(
            InvalidInputError, match=rf"\['const', 'x'\], but X has {found}. Put a column of ones first"
        ):
            npc(rows, Y, logit, **given)
    family = sm.families.Binomial()
    glm = smf.glm("y ~ np.exp(x)", frame, family=family).fit()
    for rows, found in ((frame[["n"]], r"has \['n'\]"), (X, "is no DataFrame")):
        with pytest.raises(InvalidInputError, match=rf"'y ~ np.exp\(x\)' on the columns \['x'\], but X {found}"):
            npc(rows, Y, glm, **given)
    # the column exp is none of the formula
    assert npc(frame[["x"]], Y, glm, **given).thresholds.size == 1
    glm = smf.glm("y ~ x", frame, family=family, offset=np.log(frame["n"])).fit()
    with pytest.warns(
        NPWarning, match=r"offset or exposure, which its predictions for X leave out.*predict\(X, offset="
    ):
        npc(frame[["x"]], Y, glm, **given)


def test_constant_columns_that_scikit_learn_trips_over_are_called_so():
    with pytest.raises(InvalidInputError, match="of class 0: all columns are constant"):
        fit_scorer(LinearDiscriminantAnalysis(), np.ones((80, 2)), Y)

    class Faulty(LogisticRegression):
        def fit(self, X, y):
            return X[:, 99]

    with pytest.raises(InvalidInputError, match=r"of class 0: IndexError: index 99 is out of bounds for .* size 2\.$"):
        fit_scorer(Faulty(), np.arange(160.0).reshape(80, 2), Y)


class ErrorOfALibrary(Exception):
    pass


class FailsLater(LogisticRegression):
    """It trains with the first seed and fails with the next, or fails to score, by an error of some class."""

    def __init__(self, error=None, scores=True, random_state=None):
        super().__init__(random_state=random_state)
        self.error, self.scores = error, scores

    def fit(self, X, y):
        if self.scores and self.random_state % 2:
            raise self.error
        return super().fit(X, y)

    def decision_function(self, X):
        if not self.scores or len(X) == 7:
            raise self.error
        return super().decision_function(X)


@pytest.mark.parametrize("error", [KeyError("age"), ErrorOfALibrary("'age'"), ValueError("'age'")])
def test_errors_of_a_users_method_are_told_with_its_name_in_training_and_scoring(error):
    rows = np.random.default_rng(1).normal(size=(90, 2))
    labels = np.tile([0, 0, 1], 30)
    with pytest.raises(InvalidInputError, match=r"^FailsLater cannot be trained.*'age'"):
        npc(rows, labels, FailsLater(error, random_state=1), alpha=0.3, class0=0)
    with pytest.raises(InvalidInputError, match=r"^FailsLater cannot score these rows: .*'age'\. If it was trained"):
        npc(rows, labels, FailsLater(error, scores=False), alpha=0.3, class0=0)
    fit = npc(rows, labels, FailsLater(error, random_state=2), alpha=0.3, class0=0, random_state=1)
    with pytest.raises(InvalidInputError, match=r"^the method refuses these rows: .*'age'\. Correct them"):
        fit.predict(rows[:7])
    model = FailsLater(error, random_state=2).fit(rows, labels)
    with pytest.raises(InvalidInputError, match=r"^FailsLater cannot score .*, give it the columns of that training"):
        npc(rows[:, :1], labels, model, prefit=True, alpha=0.3, class0=0)


class ArrayMemoryError(MemoryError):
    __module__ = "numpy._core._exceptions"


class ErrorOfAScript(Exception):
    __module__ = "__main__"


@pytest.mark.parametrize("error", [ArrayMemoryError("too much"), TerminatedWorkerError("killed"), ErrorOfAScript()])
def test_errors_of_memory_lost_processes_and_scripts_are_not_told_as_faults_of_the_rows(error):
    rows = np.random.default_rng(1).normal(size=(90, 2))
    labels = np.tile([0, 0, 1], 30)
    fit = npc(rows, labels, FailsLater(error, random_state=2), alpha=0.3, class0=0, random_state=1)
    with pytest.raises(type(error)):
        fit.predict(rows[:7])
    for model in (FailsLater(error, random_state=1), FailsLater(error, scores=False)):
        # in a fit, lost processes are tried again
        if not isinstance(error, TerminatedWorkerError):
            with pytest.raises(type(error)):
                npc(rows, labels, model, alpha=0.3, class0=0)


@pytest.mark.parametrize(("splits", "note"), [({"n_splits": 3}, "split"), ({"cross_fit": 5}, "fold")])
def test_an_error_in_a_later_split_or_fold_says_which(splits, note):
    rows = np.random.default_rng(1).normal(size=(90, 2))
    # the scorer of the second split is the first with an odd seed
    with pytest.raises(TypeError, match="no number") as caught:
        npc(
            rows,
            np.tile([0, 0, 1], 30),
            FailsLater(TypeError("no number")),
            alpha=0.3,
            class0=0,
            **splits,
            random_state=1,
        )
    assert caught.value.__notes__ == [f"This was in {note} 2."]
