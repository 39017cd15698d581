"""What do the log odds of naive Bayes and its ensembles gain where probabilities are exactly 1?"""

import warnings

import measure  # isort: skip  (before numpy)
import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.ensemble import BaggingClassifier, VotingClassifier
from sklearn.naive_bayes import GaussianNB

from nproc import NPWarning, npc

ALPHA = DELTA = 0.05
N_COLUMNS, N_EACH, N_TEST = 30, 500, 20_000
# correlation of any two columns, and the distance of the class means in each column
WORLDS = ((0.0, 0.4), (0.5, 1.5), (0.9, 2.0))
REPETITIONS = 40


class ByProbability(ClassifierMixin, BaseEstimator):
    """A classifier that is scored by its probability of class 1."""

    def __init__(self, model):
        self.model = model

    def fit(self, X, y):
        self.model_ = clone(self.model).fit(X, y)
        self.classes_ = self.model_.classes_
        return self

    def decision_function(self, X):
        return self.model_.predict_proba(X)[:, 1]


BAGGING = BaggingClassifier(GaussianNB(), random_state=1)
VOTING = VotingClassifier([("all", GaussianNB()), ("smooth", GaussianNB(var_smoothing=0.1))], voting="soft")
# method, and what is done with ties
WAYS = {
    "GaussianNB by probabilities": (ByProbability(GaussianNB()), "conservative"),
    "the same, ties randomised": (ByProbability(GaussianNB()), "randomize"),
    "GaussianNB in npc (log odds)": (GaussianNB(), "conservative"),
    'npc\'s "nb"': ("nb", "conservative"),
    "bagging by probabilities": (ByProbability(BAGGING), "conservative"),
    "bagging in npc (log odds)": (BAGGING, "conservative"),
    "soft voting by probabilities": (ByProbability(VOTING), "conservative"),
    "soft voting in npc (log odds)": (VOTING, "conservative"),
}


def draw(rng, n_each, correlation, distance):
    """Return rows of two normal classes whose columns share one factor, and their labels."""
    y = np.repeat([0, 1], n_each)
    common = rng.normal(size=(y.size, 1))
    own = rng.normal(size=(y.size, N_COLUMNS))
    return np.sqrt(correlation) * common + np.sqrt(1 - correlation) * own + distance * y[:, None], y


def one_sample(seed):
    """Return ``{world: {way: (type I, type II, share of left-out class 0 scores equal to the largest)}}``."""
    found = {}
    for world in WORLDS:
        rng = np.random.default_rng(seed)
        X, y = draw(rng, N_EACH, *world)
        X_test, y_test = draw(rng, N_TEST, *world)
        found[world] = {}
        for way, (method, ties) in WAYS.items():
            with warnings.catch_warnings():
                # that scores tie
                warnings.simplefilter("ignore", NPWarning)
                fit = npc(X, y, method, alpha=ALPHA, delta=DELTA, ties=ties, random_state=seed)
                wrong = fit.predict(X_test) != y_test
            scores0 = fit.scores0[0]
            at_top = np.mean(scores0 == scores0.max())
            found[world][way] = wrong[y_test == 0].mean(), wrong[y_test == 1].mean(), at_top
    return found


def main():
    arguments = measure.arguments(repetitions=REPETITIONS)
    measure.print_text(
        f"Two normal classes with {N_COLUMNS} columns, any two of them with the same correlation, and class means the",
        f"same distance apart in each column; {N_EACH} rows of each class in npc, {N_TEST:,} of each test;",
        f"alpha = delta = {ALPHA}. Naive Bayes takes the columns to be independent, so that the more they are",
        "correlated, the larger its log odds are: from about 37 on, a probability in double precision is exactly 1.",
        "Bagging is scikit-learn's, of 10 GaussianNB; soft voting is of GaussianNB and of one whose variances are",
        "raised by a tenth of the largest (var_smoothing=0.1).",
        f"Means of {arguments.repetitions} samples, with the standard error of the type II error.",
    )
    runs = measure.repeat(one_sample, (), arguments.repetitions, label="saturated_scores")
    table = []
    for world in WORLDS:
        for way in WAYS:
            errors = np.array([run[world][way] for run in runs])
            error = errors[:, 1].std(ddof=1) / np.sqrt(len(runs)) if len(runs) > 1 else np.nan
            type1, type2, at_top = errors.mean(axis=0)
            table.append((*world, way, f"{type2:.3f} ({error:.3f})", f"{type1:.3f}", f"{at_top:.3f}"))
    columns = ("correlation", "distance", "method", "type II", "type I", "left-out class 0 scores equal to the largest")
    measure.print_table(columns, table)


if __name__ == "__main__":
    main()
