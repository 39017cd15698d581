"""Tests of `nproc.fits.fit`: labels, votes and margins agree, and what is printed is right."""

import pickle
import warnings

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression

from nproc import np_order, npc, violation_rate
from nproc.errors import InvalidInputError, NotConvergedWarning, NPWarning, SeparationWarning
from nproc.orderstat import type1_upper
from nproc.tables import rounded_up

# trees and neighbours often give class 0 rows the largest score, about which the warning is right
pytestmark = pytest.mark.filterwarnings("ignore:.*and no class 1 score lies above:nproc.errors.NPWarning")


def world(n=300, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.repeat([0, 1], [n // 2, n - n // 2]))
    return rng.normal(size=(n, 2)) + np.outer(y, [2.0, 0.0]), y


X, Y = world()
X_NEW, Y_NEW = world(seed=1)


@pytest.mark.parametrize("method", ["lda", "tree", "knn"])
@pytest.mark.parametrize("n_splits", [1, 3, 5])
def test_labels_votes_and_margins_agree(method, n_splits):
    fit = npc(X, Y, method, n_splits=n_splits, random_state=1)
    for rows in (X, X_NEW):
        labels, votes, margins = fit.predict(rows), fit.votes(rows), fit.decision_function(rows)
        np.testing.assert_array_equal(labels == 1, margins > 0)
        np.testing.assert_array_equal(labels == 1, votes > 0.5)
        np.testing.assert_allclose(votes * n_splits, np.round(votes * n_splits), atol=1e-12)


def test_the_margin_is_the_lower_median_of_score_minus_threshold():
    with pytest.warns(UserWarning, match="even"):
        fit = npc(X, Y, "lda", n_splits=4, random_state=1)
    margins = np.column_stack(
        [s.decision_function(X_NEW) - t for s, t in zip(fit.scorers, fit.thresholds, strict=True)]
    )
    np.testing.assert_array_equal(fit.decision_function(X_NEW), np.sort(margins, axis=1)[:, 1])
    single = npc(X, Y, "lda", random_state=1)
    expected = single.scorers[0].decision_function(X_NEW) - single.thresholds[0]
    np.testing.assert_array_equal(single.decision_function(X_NEW), expected)


@pytest.mark.filterwarnings("ignore:class0 is not given")
@pytest.mark.parametrize(
    ("labels", "class0"),
    [(["ill", "well"], "well"), ([False, True], True), ([-1, 1], 1), ([2.5, 7.5], 2.5), (["ill", "well"], None)],
)
def test_predictions_are_the_users_own_labels(labels, class0):
    named = np.array(labels)
    fit = npc(X, named[Y], "lda", class0=class0, random_state=1)
    predicted = fit.predict(X_NEW)
    assert predicted.dtype == named.dtype
    assert set(predicted) == set(labels)
    assert fit.class0 == (labels[0] if class0 is None else class0)
    np.testing.assert_array_equal(predicted == fit.labels[1], fit.decision_function(X_NEW) > 0)


def test_the_other_class0_turns_the_problem_round():
    fit = npc(X, Y, LogisticRegression(), class0=1, random_state=1)
    errors = fit.evaluate(X_NEW, Y_NEW)
    # type I is now the error on label 1, held at 0.05; with 150 rows four standard errors are 0.07
    assert errors.type1 < 0.12
    assert errors.n_false1 == np.sum((Y_NEW == 1) & (fit.predict(X_NEW) == 0))


def test_fields_are_those_of_the_ranks():
    fit = npc(X, Y, "lda", alpha=0.1, delta=0.2, n_splits=3, split_ratio=0.4, random_state=1)
    order = np_order(90, 0.1, 0.2)
    assert (fit.n0, fit.n1, fit.n0_left_out, fit.n_splits) == (150, 150, 90, 3)
    assert fit.orders.tolist() == [order] * 3
    assert np.all(fit.violation_rates == violation_rate(order, 90, 0.1))
    assert np.all(fit.type1_uppers == type1_upper(order, 90, 0.2))
    assert set(fit.versions) >= {"nproc-py", "numpy", "scikit-learn"}


def test_both_texts_name_the_levels_sizes_and_class0():
    fit = npc(
        X,
        np.where(Y, "well", "ill"),
        "lda",
        alpha=0.1,
        delta=0.2,
        n_splits=3,
        class0="well",
        random_state=77,
        split_ratio=0.5,
    )
    assert repr(fit).splitlines() == [
        "NPFit(method='lda', alpha=0.1, delta=0.2, 3 splits, class0=well, seed=77)",
        f"  75 of 150 class 0 rows set the threshold at rank {fit.orders[0]}: violation rate "
        f"{rounded_up(fit.violation_rates[0])}, type I error <= {rounded_up(fit.type1_uppers[0])} in each split",
    ]
    text = str(fit.summary())
    for expected in ("lda", "well", "ill", "0.1", "0.2", "77", "150", "75", "Proposition 1", "majority vote of 3"):
        assert expected in text


def test_the_summary_tells_what_the_scorers_are_and_how_often_their_training_converged():
    def told(fit):
        text = " ".join(str(fit.summary()).split()).rpartition("] ")[2]
        # what a score means comes last
        row = "A row" if fit.n_splits == 1 else "In each split a row"
        return text.partition(f" {row} is called {fit.labels[1]} (class 1) when its score exceeds the threshold")[0]

    named = npc(X, Y, "npsvm", C=10.0, n_splits=3, alpha=0.1, random_state=1)
    assert told(named) == (
        "Scorer: ColumnScaler(), then NPSVC(alpha=0.1, C=10.0). Its training converged in 3 of 3 splits."
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotConvergedWarning)
        hasty = npc(X, Y, "npsvm", max_iter=2, alpha=0.1, random_state=1)
    assert told(hasty) == (
        "The training of the method did not converge. A bound on the type I error does not need convergence, but the "
        "type II error may be larger."
    )
    # no verdict of its own
    assert told(npc(X, Y, "lda", n_splits=3, random_state=1)) == "Scorer: LinearDiscriminantAnalysis()."
    assert told(npc(X, Y, lambda rows: rows[:, 0], prefit=True)) == "Scorer: <lambda>."
    assert len(str(named.summary()).splitlines()) <= 33


def test_a_scorer_its_convergence_and_the_separation_of_the_classes_have_a_note_each():
    rows = np.random.default_rng(1).normal(size=(300, 2))
    with pytest.warns(SeparationWarning, match=r"or fewer columns\. If a column tells the label, leave it out\."):
        fit = npc(rows, (rows[:, 0] > 0).astype(int), "logistic", random_state=1)
    scorer, convergence, separation = (" ".join(note.split()) for note in str(fit.summary()).split("\n[")[-3:])
    assert scorer.startswith("3] Scorer: LogisticRegressionML(). A row is called 1 (class 1)")
    assert convergence == (
        "4] The training of the method did not converge. A bound on the type I error does not need convergence, but "
        "the type II error may be larger."
    )
    assert separation.startswith("5] The classes of the training rows are completely separated by a linear rule.")
    advice = "The method 'penlog', or fewer columns, would avoid this. If a column tells the label, leave it out."
    assert separation.endswith(advice)


def test_a_table_has_a_row_a_split():
    fit = npc(X, Y, "lda", n_splits=3, random_state=1)
    frame = fit.to_frame()
    assert frame.columns.tolist() == ["split", "threshold", "order", "n0_left_out", "violation_rate", "type1_upper"]
    np.testing.assert_array_equal(frame["threshold"], fit.thresholds)


def test_a_randomised_rule_is_repeatable_and_agrees_with_the_margins_away_from_ties():
    fit = npc(X, Y, "tree", ties="randomize", n_splits=3, random_state=1)
    np.testing.assert_array_equal(fit.predict(X_NEW, random_state=9), fit.predict(X_NEW, random_state=9))
    drawn = [fit.predict(X_NEW, random_state=s) for s in range(5)]
    scores = np.column_stack([s.predict_proba(X_NEW)[:, 1] for s in fit.scorers])
    clear = np.all(scores != fit.thresholds, axis=1)
    assert all(np.array_equal(labels[clear] == 1, fit.decision_function(X_NEW)[clear] > 0) for labels in drawn)
    assert any(not np.array_equal(labels, drawn[0]) for labels in drawn)
    text = " ".join(str(fit.summary()).split())
    assert "A row with a score equal to the threshold is called at random. The majority of the splits decides." in text
    assert "in each split the probability of a type I error above alpha is exactly the violation rate." in text


def test_a_randomised_rule_has_no_luck_that_repeats_row_by_row():
    # a constant score: every row is tied, and rows that come one at a time must not share one uniform number
    X_any = np.arange(400.0)[:, None]
    fit = npc(X_any, np.repeat([0, 1], 200), DummyClassifier(), alpha=0.5, ties="randomize", random_state=1)
    one_by_one = np.array([fit.predict([[0.0]])[0] for _ in range(200)])
    assert 0 < one_by_one.mean() < 1


@pytest.mark.parametrize("method", ["logistic", "lda", "nb", "knn"])
def test_a_row_equal_to_the_one_at_the_threshold_is_class0_alone_and_among_others(method):
    profiles = np.random.default_rng(0).normal(size=(8, 20))
    X_ties, y_ties = profiles[np.arange(800) % 8], np.random.default_rng(1).integers(0, 2, size=800)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NPWarning)
        fit = npc(X_ties, y_ties, method, alpha=0.3, random_state=1)
    together = fit.decision_function(profiles)
    alone = np.array([fit.decision_function(row[None])[0] for row in profiles])
    assert np.count_nonzero(together == 0) == 1
    np.testing.assert_array_equal(together > 0, alone > 0)
    np.testing.assert_array_equal(together == 0, alone == 0)


def test_a_fit_survives_pickling():
    fit = npc(X, Y, "lda", n_splits=3, random_state=1)
    again = pickle.loads(pickle.dumps(fit))
    np.testing.assert_array_equal(fit.predict(X_NEW), again.predict(X_NEW))
    assert repr(again) == repr(fit)


def test_a_fit_can_be_compared_and_hashed_without_an_error():
    one, two = (npc(X, Y, "lda", random_state=1) for _ in range(2))
    assert one == one
    assert one != two
    assert len({one, two}) == 2


def test_evaluate_without_labels_needs_a_formula():
    with pytest.raises(InvalidInputError, match="y is missing"):
        npc(X, Y, "lda", random_state=1).evaluate(X_NEW)


def test_a_plot_returns_the_axes():
    import matplotlib

    matplotlib.use("Agg")
    ax = npc(X, Y, "lda", random_state=1).plot()
    assert hasattr(ax, "figure")
    matplotlib.pyplot.close(ax.figure)


def test_a_picture_of_a_model_that_was_trained_before_says_nothing_of_rows_left_out():
    from matplotlib.figure import Figure

    fit = npc(X, Y, LogisticRegression().fit(X_NEW, Y_NEW), prefit=True, random_state=1)
    told = fit.plot(ax=Figure().subplots()).get_legend().get_texts()[0].get_text()
    assert told == f"class 0, rows that set the threshold (n = {np.sum(Y == 0)})"
