"""QValueSVC: known negatives stay rare among the accepted rows, by counts, for one q or several."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.utils.estimator_checks import check_estimator

from nproc.errors import InvalidInputError, NotConvergedWarning, NPWarning
from nproc.qvalues import accepted
from nproc.scorers.papers.qvalue_svm import QValueSVC, qsvm


def world(seed, n0=300, n1=400, share=0.3):
    """Class 1: a `share` of real rows on a ring around the others, which no linear score finds."""
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], [n0, n1])
    X = rng.normal(size=(n0 + n1, 2))
    n_real = int(share * n1)
    angle = rng.uniform(0, 2 * np.pi, n_real)
    X[n0 : n0 + n_real] = 4.0 * np.column_stack([np.cos(angle), np.sin(angle)]) + 0.5 * rng.normal(size=(n_real, 2))
    return X, y


X, Y = world(0)
X_NEW, Y_NEW = world(1)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
# hardly any row of its data sets is called rightly by a machine that has not seen it
@pytest.mark.filterwarnings("ignore:QValueSVC would (not keep|accept)")
# 20 to 40 rows in its data sets: the limit is a part of a row
# scikit-learn's checks have labels of all kinds and never name class0
@pytest.mark.filterwarnings("ignore:class0 is not given")
@pytest.mark.filterwarnings("ignore::nproc.errors.NotConvergedWarning")
@pytest.mark.filterwarnings("ignore:q=:nproc.errors.NPWarning")
@pytest.mark.filterwarnings("ignore:QValueSVC accepts")
def test_the_conventions_of_scikit_learn_hold():
    assert len(check_estimator(QValueSVC(q=0.3), on_fail="raise")) > 30


def overlapping():
    rng = np.random.default_rng(3)
    y = np.repeat([0, 1], [60, 120])
    return rng.normal(size=(180, 3)) + 1.5 * y[:, None], y


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:QValueSVC would (not keep|accept .* So short a list)")
# a few rows change sides of the ramp for ever
@pytest.mark.filterwarnings("ignore::nproc.errors.NotConvergedWarning")
def test_the_shift_keeps_q_in_training_where_the_ramp_does_not_and_lowers_the_score_no_more_than_it_must():
    n_over, (X, y) = 0, overlapping()
    for q, kernel in [(0.03, "rbf"), (0.05, "rbf"), (0.1, "rbf"), (0.05, "linear"), (0.1, "linear")]:
        plain, model = (QValueSVC(q, C=10.0, kernel=kernel, shift=shift).fit(X, y) for shift in (False, True))
        scores = plain.decision_function(X)
        called = model.predict(X) == 1
        assert called[y == 0].sum() <= q * called[y == 1].sum()
        np.testing.assert_allclose(model.decision_function(X), scores - model.shift_, atol=1e-9)
        for threshold in np.concatenate([[0.0], np.sort(scores[scores > 0])]):
            if np.sum(scores[y == 0] > threshold) <= q * np.sum(scores[y == 1] > threshold):
                # the least threshold that keeps q
                np.testing.assert_array_equal(called, scores > threshold)
                break
        n_over += model.shift_ > 0
    assert n_over > 0


@pytest.mark.parametrize("solver", ["annealed", "uzawa"])
@pytest.mark.parametrize("rate", ["ramp", "0-1"])
def test_on_the_training_rows_the_constraint_holds_by_counts(solver, rate):
    model = QValueSVC(0.05, solver=solver, rate=rate).fit(X, Y)
    assert model.converged_, model.reason_
    last = model.history_.iloc[-1]
    limit = 0.05 * 400 / 300 * (1 - last["type2"])
    assert last["type1"] <= limit + model.eps_
    calls = model.predict(X) == 1
    found, false = calls[Y == 1].sum(), calls[Y == 0].sum()
    assert false <= 0.05 * found
    assert found > 90
    # accepted() may take the threshold 0 or any better one, at the q-value that the threshold 0 has
    assert model.accepted(X, Y, q=max(0.05, false / found)).sum() >= found


def test_it_accepts_more_new_rows_than_logistic_regression():
    model = QValueSVC(0.05).fit(X, Y)
    linear = LogisticRegression().fit(X, Y).decision_function(X_NEW)
    assert model.accepted(X_NEW, Y_NEW).sum() > accepted(linear, Y_NEW, 0.05).sum() + 50


def test_accepted_is_that_of_the_score():
    model = QValueSVC(0.05).fit(X, Y)
    scores = model.decision_function(X_NEW)
    np.testing.assert_array_equal(model.accepted(X_NEW, Y_NEW), accepted(scores, Y_NEW, 0.05))
    np.testing.assert_array_equal(model.accepted(X_NEW, Y_NEW, 0.2), accepted(scores, Y_NEW, 0.2))
    strict = model.accepted(X_NEW, Y_NEW, correction=1)
    np.testing.assert_array_equal(strict, accepted(scores, Y_NEW, 0.05, correction=1))
    # class 0 may be the second label
    turned = QValueSVC(0.05, class0="b").fit(X, np.where(Y == 0, "b", "a"))
    np.testing.assert_array_equal(turned.accepted(X_NEW, np.where(Y_NEW == 0, "b", "a")), model.accepted(X_NEW, Y_NEW))


@pytest.mark.slow
def test_several_q_train_a_machine_each():
    both = QValueSVC([0.05, 0.2]).fit(X, Y)
    alone = [QValueSVC(q).fit(X, Y) for q in (0.05, 0.2)]
    for q, machine, one in zip((0.05, 0.2), both.machines_, alone, strict=True):
        assert machine.q == q
        assert machine.q_.tolist() == [q]
        assert machine.multiplier_ == one.multiplier_
        np.testing.assert_array_equal(machine.decision_function(X_NEW), one.decision_function(X_NEW))
        np.testing.assert_array_equal(both.accepted(X_NEW, Y_NEW, q), one.accepted(X_NEW, Y_NEW))
    np.testing.assert_array_equal(both.decision_function(X_NEW), alone[0].decision_function(X_NEW))
    # the machine of the nearest q scores for a q that is not among them
    np.testing.assert_array_equal(both.accepted(X_NEW, Y_NEW, 0.15), alone[1].accepted(X_NEW, Y_NEW, 0.15))
    back = pickle.loads(pickle.dumps(both))
    np.testing.assert_array_equal(back.accepted(X_NEW, Y_NEW, 0.2), both.accepted(X_NEW, Y_NEW, 0.2))


@pytest.mark.slow
@pytest.mark.parametrize("given", [[0.2, 0.05], (0.05, 0.2, 0.2), np.array([0.2, 0.05])])
def test_the_least_q_of_the_training_counts_whatever_the_order_given(given):
    model, least = QValueSVC(given).fit(X, Y), QValueSVC(0.05).fit(X, Y)
    assert model.q_.tolist() == [0.05, 0.2]
    assert [machine.q for machine in model.machines_] == [0.05, 0.2]
    np.testing.assert_array_equal(model.decision_function(X_NEW), least.decision_function(X_NEW))
    expected = least.accepted(X_NEW, Y_NEW)
    np.testing.assert_array_equal(model.accepted(X_NEW, Y_NEW), expected)
    # a parameter that is set later is that of the next fit
    np.testing.assert_array_equal(model.set_params(q=0.5).accepted(X_NEW, Y_NEW), expected)


def test_labels_other_than_those_of_fit_are_told_of_in_words():
    model = QValueSVC(0.05).fit(X, Y)
    with pytest.raises(InvalidInputError, match=r"y has the labels 1 and 2, but the training rows had 0 and 1\."):
        model.accepted(X_NEW, Y_NEW + 1)


@pytest.mark.slow
def test_sparse_rows_are_taken():
    dense = QValueSVC(0.05, tol=1e-6).fit(X, Y)
    thin = QValueSVC(0.05, tol=1e-6).fit(sparse.csr_array(X), Y)
    np.testing.assert_array_equal(thin.accepted(sparse.csr_array(X), Y), dense.accepted(X, Y))


def test_where_nothing_can_be_found_the_run_says_so():
    rng = np.random.default_rng(3)
    with pytest.warns(NotConvergedWarning, match="QValueSVC stopped after .* The model kept accepts no row of class 1"):
        model = QValueSVC(0.02, C=0.01, max_iter=200).fit(rng.normal(size=(200, 2)), np.repeat([0, 1], 100))
    assert not model.converged_


def test_on_columns_that_do_not_vary_nothing_is_accepted_and_the_run_says_so():
    with pytest.warns(NotConvergedWarning, match="QValueSVC stopped after"):
        model = QValueSVC(0.1).fit(np.full((140, 2), 0.1), np.repeat([0, 1], [60, 80]))
    assert not model.converged_


@pytest.mark.filterwarnings("ignore::nproc.errors.NotConvergedWarning")
def test_a_q_value_that_not_one_class_0_row_may_have_is_a_warning():
    with pytest.warns(
        NPWarning, match=r"q=0\.001, 0\.002 times 400 class 1 training rows is less than one row\. A sing"
    ):
        QValueSVC([0.05, 0.001, 0.002], max_iter=1).fit(X, Y)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"q": 0.0}, "q must lie strictly between 0 and 1"),
        ({"q": [0.1, 2.0]}, "q must lie strictly between 0 and 1"),
        ({"q": []}, "q must be a number strictly between 0 and 1, or several of them"),
        ({"q": "0.1"}, "q must hold numbers"),
        ({"C": -1.0}, "C must be a finite number above 0"),
        ({"kernel": "tanh"}, "kernel must be one of"),
    ],
)
def test_a_parameter_out_of_its_range_is_told(parameters, message):
    with pytest.raises(InvalidInputError, match=message):
        QValueSVC(**parameters).fit(X, Y)


def test_the_name_passes_its_parameters_on():
    machine = qsvm(q=0.2, C=3.0).named_steps["qvaluesvc"]
    assert (machine.q, machine.C) == (0.2, 3.0)
