"""Copies with their own seeds, and training."""

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from nproc.errors import InvalidInputError
from nproc.scorers import fit_scorer, fresh_copy

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
    ],
    ids=["estimator", "pipeline", "nested", "search"],
)
def test_weights_reach_the_estimator_at_the_end(scorer):
    weight = np.array([1.0, 1.0, 1.0, 9.0, 1.0, 1.0])
    weighted = fit_scorer(fresh_copy(scorer, 1), X, Y, sample_weight=weight)
    plain = fit_scorer(fresh_copy(scorer, 1), X, Y)
    # the heavy row is of class 0
    assert weighted.decision_function(X).mean() < plain.decision_function(X).mean() - 0.1


@pytest.mark.parametrize(
    "scorer",
    [
        LinearDiscriminantAnalysis(),
        make_pipeline(StandardScaler(), LinearDiscriminantAnalysis()),
        make_pipeline(StandardScaler(), "passthrough"),
    ],
)
def test_weights_that_would_be_lost_are_an_error(scorer):
    with pytest.raises(InvalidInputError, match="sample_weight was given"):
        fit_scorer(scorer, X, Y, sample_weight=np.ones(6))


def test_a_fit_that_returns_nothing_still_gives_the_scorer():
    class Silent:
        def fit(self, X, y):
            self.seen = len(X)

    scorer = Silent()
    assert fit_scorer(scorer, X, Y) is scorer
    assert scorer.seen == 6
