"""Certificates: bounds for any classifier, in words and numbers, and the sizes they take."""

import pickle
import re
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.linear_model import LogisticRegression

from nproc import NPClassifier, certify, min_class0_size, np_order, npc
from nproc.cli import main
from nproc.errors import FirstRowError, InvalidInputError, NPWarning
from nproc.fits import CertifiedBound, certification_size
from nproc.orderstat import round_up
from nproc.serving import score_rule

RNG = np.random.default_rng(0)
Y = np.repeat([0, 1], 200)
X = RNG.normal(size=(400, 2)) + np.outer(Y, [2.0, 0.0])
Y_FRESH = np.repeat([0, 1], [300, 50])
FRESH = RNG.normal(size=(350, 2)) + np.outer(Y_FRESH, [2.0, 0.0])


def above(cut):
    return lambda rows: (rows[:, 0] > cut).astype(int)


def test_the_bound_solves_the_binomial_tail():
    bound = certify(above(1.5), FRESH[:300], class0=0, delta=0.03)
    assert bound.n_called1 == np.sum(FRESH[:300, 0] > 1.5)
    assert stats.binom.cdf(bound.n_called1, 300, bound.type1_upper) == pytest.approx(0.03, rel=1e-9)
    assert bound.type1 == bound.n_called1 / 300


def test_an_error_that_is_surely_above_alpha_is_told_with_what_may_explain_it():
    bound = certify(above(-0.5), FRESH[:300], class0=0, delta=0.03, alpha=0.2)
    lower = stats.beta.ppf(0.03, bound.n_called1, 300 - bound.n_called1 + 1)
    text = " ".join(str(bound.summary()).split())
    assert (
        f"With probability at least 0.97 the type I error is at least {np.floor(1e4 * lower) / 1e4:g}, which is" in text
    )
    # of a classifier without a guarantee that may be so, whatever the rows
    assert "labels swapped" not in text
    fit = npc(np.vstack([FRESH[:300], FRESH[:300] + 2]), np.repeat([0, 1], 300), "lda", class0=0, random_state=1)
    bound = fit.certify(FRESH[:300] + 2, delta=0.03)
    text = " ".join(str(bound.summary()).split())
    assert (
        "Where class 0 is that of the fit, this happens with probability at most 0.08. Are rows of another class among"
        in text
    )
    assert "labels swapped" not in str(replace(fit, alpha_chosen=True).certify(FRESH[:300] + 2, delta=0.03).summary())
    for other in (
        certify(above(1.5), FRESH[:300], class0=0, delta=0.03, alpha=0.05),
        replace(bound, own_rows=True),
        replace(bound, dependent="rows of one patient"),
        replace(bound, anytime=True),
        replace(bound, alpha=None),
    ):
        assert "labels swapped" not in str(other.summary())


@pytest.mark.parametrize("told", [{"own_rows": True}, {"dependent": "some rows have one patient"}])
def test_a_table_shows_no_bound_where_none_holds(told):
    bound = certify(above(1.5), FRESH[:300], class0=0, alpha=0.2)
    shown = str(round_up(bound.type1_upper, 4))
    assert str(bound.summary()).count(shown) == 2
    doubted = replace(bound, **told)
    assert shown not in str(doubted.summary())
    row = next(line for line in str(doubted.summary()).splitlines() if "Type I upper" in line)
    assert re.search(r"Type I upper: +-$", row)
    # the numbers stay in the frame, beside the verdict
    frame = doubted.to_frame()
    assert frame["type1_upper"].item() == bound.type1_upper
    assert not frame["certified"].item()
    # where there is no alpha, there is no verdict either
    without = replace(doubted, alpha=None).to_frame().iloc[0]
    assert (without["own_rows"], without["dependent"]) == (doubted.own_rows, doubted.dependent) != (None, "")


def test_a_table_without_rows_is_refused_and_nothing_else_is_said_of_it():
    # warnings are errors here
    fit = npc(X, Y, "lda", alpha=0.2, random_state=1, clusters=np.arange(Y.size) // 2)
    for call in (lambda: fit.certify(X[:0]), lambda: certify(fit, X[:0]), lambda: certify(above(1), X[:0], class0=0)):
        with pytest.raises(InvalidInputError, match=r"^X0 is empty: 0 rows\. Give the fresh class 0 rows\.$"):
            call()


@pytest.mark.parametrize(
    ("empty", "told"), [({}, "a dict, which has values by name, but a table"), ("", "the text ''")]
)
def test_what_is_no_table_is_told_as_such_although_it_is_empty(empty, told):
    fit = npc(X, Y, "lda", alpha=0.2, random_state=1)
    clustered = npc(X, Y, "lda", alpha=0.2, random_state=1, clusters=np.arange(Y.size) // 2)
    by_function = partial(certify, above(1), class0=0)
    for call in (fit.certify, clustered.certify, partial(certify, fit), by_function):
        with pytest.raises(InvalidInputError, match=f"^X0 is {told}"):
            call(empty)


def test_labels_pick_the_class_0_rows():
    all_rows = certify(above(1.5), FRESH, Y_FRESH, class0=0)
    assert all_rows.n0 == 300
    assert all_rows.type1_upper == certify(above(1.5), FRESH[:300], class0=0).type1_upper


def test_no_error_and_nothing_but_errors():
    assert certify(above(99), FRESH, class0=0, delta=0.05).type1_upper == pytest.approx(1 - 0.05 ** (1 / 350))
    with pytest.warns(NPWarning, match="none of the 350 rows is predicted as class0='well'"):
        assert certify(above(99), FRESH, class0="well").type1_upper == 1.0


def test_it_is_certified_exactly_where_the_rank_of_the_errors_serves_alpha():
    for n in (3, 60, 100):
        for count in range(n):
            rows = np.r_[np.ones(count), np.zeros(n - count)][:, None]
            bound = certify(above(0.5), rows, class0=0, delta=0.1, alpha=0.1)
            assert bound.certified == (np_possible(n) and n - count >= np_order(n, 0.1, 0.1))


def np_possible(n):
    return n >= min_class0_size(0.1, 0.1)


def test_an_equality_of_decimals_counts_as_certified():
    # P(Bin(4, 0.2) = 0) is 0.4096, though its floating-point value is a little more
    assert certify(above(0.5), np.zeros((4, 1)), class0=0, delta=0.4096, alpha=0.2).certified


def test_candidates_share_delta():
    one = certify(above(1.5), FRESH, class0=0, delta=0.01)
    five = certify(above(1.5), FRESH, class0=0, delta=0.05, n_candidates=5)
    assert five.type1_upper == pytest.approx(one.type1_upper, rel=1e-12)
    assert "each at delta / 5" in " ".join(str(five.summary()).split())
    assert "n_candidates=K" in str(one.summary())
    # a probability is rounded down in words, so that they never claim certainty
    sure = " ".join(str(certify(above(1.5), FRESH, class0=0, delta=1e-9).summary()).split())
    assert "With probability at least 0.999999 over" in sure


def test_fits_of_any_kind_are_certified_by_their_predictions():
    fit = npc(X, Y, "lda", n_splits=5, delta=0.1, random_state=1, split_ratio=0.5)
    bound = fit.certify(FRESH, Y_FRESH)
    assert bound.n_called1 == np.sum(fit.predict(FRESH[:300]) == 1)
    assert (bound.delta, bound.alpha, bound.method) == (0.1, 0.05, "lda, 5 splits")
    free = certify(fit, FRESH, Y_FRESH, delta=0.1, alpha=0.05)
    assert free.type1_upper == bound.type1_upper
    model = NPClassifier("lda", n_splits=5, class0=0, random_state=1, split_ratio=0.5).fit(X, Y)
    assert certify(model, FRESH, Y_FRESH, delta=0.1).n_called1 == bound.n_called1
    assert model.fit_.certify(FRESH, Y_FRESH, delta=0.2).delta == 0.2


def test_any_scikit_learn_classifier_with_text_labels():
    named = np.array(["well", "ill"])
    model = LogisticRegression().fit(X, named[Y])
    bound = certify(model, FRESH, named[Y_FRESH], class0="well")
    assert bound.n_called1 == np.sum(model.predict(FRESH[:300]) == "ill")
    assert bound.certified is None
    assert "LogisticRegression" in repr(bound)


def test_a_fit_with_ties_called_at_random_takes_a_seed():
    scores = np.round(X[:, :1])
    fit = npc(scores, Y, lambda rows: rows[:, 0], prefit=True, ties="randomize", random_state=1)
    counts = {fit.certify(np.round(FRESH[:300, :1]), random_state=seed).n_called1 for seed in range(8)}
    assert len(counts) > 1
    again = [fit.certify(np.round(FRESH[:300, :1]), random_state=3).n_called1 for _ in range(2)]
    assert again[0] == again[1]


def test_a_fit_with_clusters_is_certified_on_one_row_of_each():
    clusters = np.arange(Y.size) // 2
    fit = npc(X, Y, "lda", clusters=clusters, alpha=0.1, delta=0.1, random_state=1)
    fresh = 1000 + np.arange(300) // 3
    for classifier in (fit, NPClassifier("lda", alpha=0.1, delta=0.1, class0=0, random_state=1)):
        if classifier is not fit:
            classifier.fit(X, Y, clusters=clusters)
        with pytest.warns(NPWarning, match="clusters is missing, so each of the 300 rows is treated as its own"):
            unknown = certify(classifier, FRESH[:300] - 9, alpha=0.1)
        assert (unknown.n0, unknown.n_called1, unknown.certified) == (300, 0, False)
        bound, wanted = certify(classifier, FRESH[:300], clusters=fresh), fit.certify(FRESH[:300], clusters=fresh)
        assert (bound.n0, bound.n_called1, bound.note) == (100, wanted.n_called1, wanted.note)
    assert fit.certify(FRESH[:300], clusters=fresh, random_state=1).n0 == 100


def test_any_classifier_is_certified_on_one_class_0_row_of_each_cluster():
    labels, who = np.tile([0, 1, 0], 100), np.repeat(np.arange(60), 5)
    bound = certify(above(1), FRESH[:300], labels, class0=0, clusters=who)
    assert bound.n0 == 60
    # with a row for each cluster nothing is drawn
    alone = certify(above(1), FRESH[:300], labels, class0=0, clusters=np.arange(300))
    assert str(alone.summary()) == str(certify(above(1), FRESH[:300], labels, class0=0).summary())
    with pytest.raises(InvalidInputError, match="clusters must have one value for each of the 300 rows of X0"):
        certify(above(1), FRESH[:300], labels, class0=0, clusters=who[:200])


def test_a_fit_with_groups_is_certified_over_all_groups_and_says_so():
    groups = np.tile(["a", "b"], Y.size // 2)
    fit = npc(X, Y, "lda", groups=groups, alpha=0.2, delta=0.2, random_state=1)
    bound = fit.certify(FRESH[:300], groups=np.repeat(["a", "b"], 150))
    assert "over all groups" in " ".join(str(bound.summary()).split())
    assert "groups" not in str(certify(above(1.5), FRESH, class0=0).summary())


def test_the_label_column_that_a_formula_knows_picks_the_class_0_rows():
    names = np.array(["well", "ill"])
    frame = pd.DataFrame(X, columns=["a", "b"]).assign(state=names[Y], who=np.arange(Y.size) // 2)
    fresh = pd.DataFrame(FRESH, columns=["a", "b"]).assign(state=names[Y_FRESH], who=1000 + np.arange(len(FRESH)) // 3)
    n1 = int(np.sum(Y_FRESH == 1))
    said = f"The column 'state' has the labels; {n1} rows of another class are left out."
    given = {"class0": "well", "alpha": 0.1, "delta": 0.1, "random_state": 1}
    fit = npc("state ~ a + b", data=frame, method="lda", **given)
    groups = {"groups": np.tile(["u", "v"], Y.size // 2)}
    grouped = npc("state ~ a + b", data=frame, method="lda", **given, **groups)
    of_clusters = npc("state ~ a + b", data=frame, method="lda", clusters="who", **given)
    new_groups = {"groups": np.resize(["u", "v"], len(fresh))}
    for certified, beside in (
        (fit.certify, {}),
        (lambda *rows: certify(fit, *rows), {}),
        (grouped.certify, new_groups),
        (of_clusters.certify, {}),
    ):
        bound, wanted = certified(fresh, **beside), certified(fresh, fresh["state"], **beside)
        assert (bound.n0, bound.n_called1) == (wanted.n0, wanted.n_called1)
        assert bound.note == f"{wanted.note} {said}".strip()
        assert said in " ".join(str(bound.summary()).split())
        assert "all groups together" in repr(bound) or certified != grouped.certify
        ill = fresh["state"] == "ill"
        beside = {name: values[ill] for name, values in beside.items()}
        with pytest.raises(InvalidInputError, match="X0 has no row of class 0, state = 'well';"):
            certified(fresh[ill], **beside)
    # rows of class 0 alone, and rows without the column, count as they are
    assert fit.certify(fresh[:300]).note == ""
    assert fit.certify(fresh[["a", "b"]]).n0 == len(fresh)


def test_a_shown_bound_is_never_below_the_bound():
    for cut in (0.5, 1.0, 1.5, 2.0, 2.5):
        bound = certify(above(cut), FRESH, class0=0)
        assert float(repr(bound).split("type I error <= ")[1].split()[0]) >= bound.type1_upper


def test_what_is_shown():
    bound = certify(above(1.5), FRESH[:300], class0=0, alpha=0.2)
    assert isinstance(pickle.loads(pickle.dumps(bound)), CertifiedBound)
    frame = bound.to_frame()
    assert frame.loc[0, ["n0", "n_called1", "certified"]].tolist() == [300, bound.n_called1, True]
    text = " ".join(str(bound.summary()).split())
    assert "must not have been used to train this classifier" in text
    # that is said of a fit, and of no function
    noticed = "Rows of the fit are noticed only if their values are unchanged and they are at least a fifth"
    of_fit = npc(X, Y, "lda", alpha=0.2, random_state=1).certify(FRESH[:300])
    assert [noticed in told for told in (text, " ".join(str(of_fit.summary()).split()))] == [False, True]
    assert "certified=True for alpha=0.2" in repr(bound)
    assert "rows of class 0 called another class" in repr(bound)
    # "class 1" is the other class
    for class0, words in ((1, "label 1 (class 0) called another label"), ("ill", "class ill called another class")):
        assert f"rows of {words}" in repr(replace(bound, class0=class0))
    assert "Certified type I error" in bound._repr_html_()


@pytest.mark.parametrize(("more", "needed"), [({}, 59), ({"n_candidates": 2}, 72), ({"anytime": True}, None)])
def test_too_few_rows_are_told_and_how_many_it_takes(more, needed):
    few = certify(above(9), FRESH[:40], class0=0, alpha=0.05, **more)
    needed = few.n0_needed if needed is None else needed
    assert few.n0_needed == needed
    text = " ".join(str(few.summary()).split())
    assert "Certified: no, too few rows" in text
    assert "With 40 fresh class 0 rows no classifier can be certified for alpha = 0.05" in text
    assert f"at least {needed} are needed" in text
    # that many are enough, and one less is not
    rows = np.zeros((needed, 2))
    assert certify(above(9), rows, class0=0, alpha=0.05, **more).certified
    assert not certify(above(9), rows[1:], class0=0, alpha=0.05, **more).certified
    enough = certify(above(-9), FRESH[:60], class0=1, alpha=0.05)
    assert "too few" not in str(enough.summary())


def test_no_means_that_these_rows_alone_do_not_prove_alpha_and_says_nothing_against_the_fit():
    no, stands = "Certified: no. These rows alone do not prove that the type I error is at most 0.1.", "does not speak"
    # 4 of 56 are below 0.1, and the bound is above it
    loose = certify(above(51.5), np.arange(56.0)[:, None], class0=0, alpha=0.1)
    assert (loose.n_called1, loose.certified) == (4, False)
    text = " ".join(str(loose.summary()).split())
    assert no in text
    assert stands not in text
    fit = npc(X, Y, "lda", alpha=0.1, random_state=1)
    for n in (20, 56):
        bound = fit.certify(FRESH[:n])
        text = " ".join(str(bound.summary()).split())
        assert not bound.certified
        assert (no in text) == (n == 56)
        assert (
            "This does not speak against the guarantee of the fit, which rests on its left-out rows. See "
            "check_assumptions." in text
        )
    many = fit.certify(FRESH[:300] + 2)
    assert "which is above alpha" in " ".join(str(many.summary()).split())
    assert stands not in str(many.summary())


def test_an_error_above_alpha_stands_before_that_the_rows_are_few_and_asks_for_labels_where_none_came():
    fit = npc(X, Y, "lda", alpha=0.1, random_state=1)
    few = FRESH[:20] + 2
    mixed, said = "Are rows of another class among these (then give their labels)?", {}
    for y in (None, np.zeros(20, dtype=int)):
        said[y is None] = " ".join(str(fit.certify(few, y).summary()).split())
        assert "[1] With probability at least 0.95 the type I error is at least" in said[y is None]
        assert "[2] With 20 fresh class 0 rows no classifier can be certified" in said[y is None]
    assert mixed in said[True]
    assert mixed not in said[False]


def test_no_says_nothing_against_the_guarantee_of_a_rule_either():
    rule = score_rule(np.arange(100.0), class0="well", class1="ill", score="marker", alpha=0.1)
    rests = "against its guarantee, which rests on the rows that set its threshold."

    def told(scores, **more):
        return " ".join(str(certify(rule, scores, **more).summary()).split())

    for n in (20, 56):
        # 4 scores are above the threshold
        text = told(np.r_[np.full(4, 1000.0), np.zeros(n - 4)], alpha=0.1)
        assert f"this does not speak {rests} [2]" in text
    # it guarantees no smaller level, and nothing of the other class
    assert rests not in told(np.zeros(20), alpha=0.09)
    assert rests not in told(np.r_[1000.0, np.zeros(19)], alpha=0.1, class0="ill")
    swapped = told(np.r_[np.full(299, 1000.0), 0.0], alpha=0.1)
    assert rests not in swapped
    chance = "Where all that the rule requires holds, this happens with probability at most 0.1."
    assert chance in swapped
    assert "Are the labels swapped, or has class 0 changed since the rule was made?" in swapped


def test_a_fit_that_is_certified_as_any_classifier_keeps_its_guarantee_at_its_level_and_above():
    fit = npc(X, Y, "lda", alpha=0.1, random_state=1)
    for alpha, stands in ((0.1, True), (0.2, True), (0.09, False)):
        text = " ".join(str(certify(fit, FRESH[:10], alpha=alpha).summary()).split())
        assert ("This does not speak against the guarantee of the fit" in text) is stands


def test_rows_called_the_other_class_are_counted_under_its_label():
    y = np.where(Y == 0, "ill", "well")
    fit = npc(X, y, "lda", class0="ill", alpha=0.1, random_state=1)
    assert "Called well:" in str(fit.certify(FRESH[:300]).summary())
    assert "Called another class:" in str(certify(above(1), FRESH[:300], class0=0).summary())


@pytest.mark.parametrize("n_errors", [0, 1, 7, 40])
@pytest.mark.parametrize(("alpha", "delta"), [(0.05, 0.05), (0.3, 0.1), (0.01, 0.5)])
def test_the_size_is_the_smallest_that_certifies(alpha, delta, n_errors):
    n = certification_size(alpha, delta, n_errors=n_errors)
    assert stats.binom.cdf(n_errors, n, alpha) <= delta < stats.binom.cdf(n_errors, n - 1, alpha)


def test_the_size_without_errors_is_that_of_a_threshold():
    for alpha, delta in [(0.05, 0.05), (0.2, 0.4096), (0.2, 0.01)]:
        assert certification_size(alpha, delta) == min_class0_size(alpha, delta)
    assert certification_size(0.05, 0.05, n_candidates=10) == min_class0_size(0.05, 0.005)


def test_bad_input_is_told():
    with pytest.raises(InvalidInputError, match="class0 is missing: name the label"):
        certify(LogisticRegression().fit(X, Y), FRESH)
    with pytest.raises(InvalidInputError, match=r"^class0='ill' is not a class of the classifier, which has \[0, 1\]"):
        certify(LogisticRegression().fit(X, Y), FRESH, class0=np.array("ill"))
    with pytest.raises(InvalidInputError, match="class0 must be one label"):
        certify(above(1), FRESH, class0=[0, 1])
    with pytest.raises(InvalidInputError, match="must be a fitted object with predict, or a function of X"):
        certify(LogisticRegression, FRESH, class0=0)
    with pytest.raises(InvalidInputError, match="must be a fitted object with predict, or a function of X"):
        certify("lda", FRESH, class0=0)
    with pytest.raises(InvalidInputError, match=r"one label for each of the 350 rows of X0, got shape \(350, 2\)"):
        certify(lambda rows: rows, FRESH, class0=0)
    with pytest.raises(InvalidInputError, match="y must have one label a row"):
        certify(above(1), FRESH, Y_FRESH[:10], class0=0)
    with pytest.raises(InvalidInputError, match=r"y has no label 0, which is class0: its labels are \[1\]"):
        certify(above(1), FRESH[300:], Y_FRESH[300:], class0=0)
    with pytest.raises(InvalidInputError, match=r"class0='froud': .* gives the labels \['fraud', 'ok'\]\. Give class0"):
        certify(lambda rows: np.where(rows[:, 0] > 1, "ok", "fraud"), FRESH, class0="froud")
    with pytest.raises(InvalidInputError, match="has 'Fraud', and class 0 is 'fraud'"):
        certify(lambda rows: np.full(len(rows), "Fraud"), FRESH, class0="fraud")
    several = np.where(np.arange(350) < 9, 2, Y_FRESH)
    assert "labels [1, 2] of y are taken for other classes" in certify(above(1), FRESH, several, class0=0).note
    with pytest.raises(InvalidInputError, match="delta must lie strictly"):
        certify(above(1), FRESH, class0=0, delta=0.0)
    with pytest.raises(InvalidInputError, match="alpha must lie strictly"):
        certify(above(1), FRESH, class0=0, alpha=1.0)
    with pytest.raises(InvalidInputError, match="n_candidates must be at least 1"):
        certify(above(1), FRESH, class0=0, n_candidates=0)
    with pytest.raises(InvalidInputError, match="n_errors must be at least 0"):
        certification_size(0.05, 0.05, n_errors=-1)
    fit = npc(X, Y, "lda", random_state=1)
    with pytest.raises(InvalidInputError, match=r"^X0 has 5 rows and y has 350 labels"):
        fit.certify(FRESH[:5], Y_FRESH)
    for ask in (fit.certify, lambda rows: certify(fit, rows)):
        with pytest.raises(InvalidInputError, match=r"^X0 is missing; give a table"):
            ask(None)
        with pytest.raises(InvalidInputError, match=r"^X0 must be "):
            ask(3)
        with pytest.raises(InvalidInputError, match=r"^X0 must hold numbers, got dtype <U1"):
            ask([["a", "b"]])
        with pytest.raises(InvalidInputError, match=r"^X0 is empty: 0 rows"):
            ask(FRESH[:0])
        with pytest.raises(InvalidInputError, match=r"^X0 has 3 features, but lda is expecting"):
            ask(np.zeros((3, 3)))
        with pytest.raises(InvalidInputError, match=r"^X0 is the text 'fresh.csv', and must be a table here"):
            ask("fresh.csv")
        with pytest.raises(InvalidInputError, match=r"^X0 contains NaN: .* the first at X0\[1\]"):
            ask(np.array([[0.0, 0.0], [0.0, np.nan]]))
        with pytest.raises(FirstRowError) as of_gap:
            ask(np.array([[0.0, 0.0], [0.0, np.nan]]))
        assert of_gap.value.counted(lambda row: row + 10).worded(argument="new.csv").startswith("new.csv contains NaN")
    clustered = npc(X, Y, "lda", random_state=1, clusters=np.arange(len(Y)))
    askers = [
        fit.certify,
        lambda rows: certify(fit.predict, rows, class0=0),
        lambda rows: clustered.certify(rows, clusters=np.arange(3)),
        lambda rows: certify(clustered, rows, clusters="visit"),
    ]
    for ask in askers:
        for text in ("abc", "", b"abc", b"", bytearray(b"abc")):
            told = re.escape(f"X0 is the text {text!r}, and must be a table here")
            with pytest.raises(InvalidInputError, match=f"^{told}"):
                ask(text)
        with pytest.raises(InvalidInputError, match=r"^X0 is a dict, .* Give pandas\.DataFrame\(X0\)\."):
            ask({"a": [0.0, 1.0, 2.0]})
    frame = pd.DataFrame(X, columns=["a", "b"])
    fit_of_frame = npc(frame, Y, "lda", random_state=1)
    for ask in (fit_of_frame.certify, lambda rows: certify(fit_of_frame, rows)):
        with pytest.raises(InvalidInputError, match=r": X0\['a'\] = pandas\.to_numeric\(X0\['a'\]\) makes numbers"):
            ask(frame.astype({"a": str}))
    with pytest.raises(InvalidInputError, match="certify needs rows of class 0"):
        fit.certify(FRESH[300:], Y_FRESH[300:])
    with pytest.raises(InvalidInputError, match="not in the training data"):
        fit.certify(FRESH, Y_FRESH + 5)


MISSING = {
    "NaN": np.where(np.arange(350) < 50, np.nan, Y_FRESH),
    "None": [None if row < 50 else int(label) for row, label in enumerate(Y_FRESH)],
    "NA": pd.array(Y_FRESH, dtype="Int64").copy(),
}
MISSING["NA"][:50] = pd.NA


@pytest.mark.parametrize("kind", MISSING)
def test_missing_labels_are_refused_and_not_left_out_in_silence(kind):
    labels = MISSING[kind]
    fit = npc(X, Y, "lda", random_state=1)
    clustered = npc(X, Y, "lda", clusters=np.arange(len(Y)) // 2, alpha=0.1, random_state=1)
    for ask in (
        lambda: certify(above(1), FRESH, labels, class0=0),
        lambda: fit.certify(FRESH, labels),
        lambda: fit.evaluate(FRESH, labels),
        lambda: clustered.certify(FRESH, labels, clusters=np.arange(350)),
        lambda: clustered.evaluate(FRESH, labels, clusters=np.arange(350)),
    ):
        with pytest.raises(
            InvalidInputError, match=r"y has 50 (missing|NaN).*or keep only the others: keep = "
        ) as told:
            ask()
        assert "na_action" not in str(told.value)


def test_class_0_rows_with_another_spelling_are_refused_and_not_left_out():
    X = np.linspace(0, 1, 200)[:, None]
    y = np.where(X[:, 0] > 0.5, "fraud", "fine")

    def rule(rows):
        return np.where(rows[:, 0] > 0.6, "fraud", "fine")

    model = LogisticRegression().fit(X, y)
    for word, differ in (("Fraud", "capital letters"), ("fraud ", "spaces")):
        typed = np.where((X[:, 0] > 0.5) & (X[:, 0] <= 0.6), word, y)
        for classifier in (rule, model):
            with pytest.raises(InvalidInputError, match=f"y has '{word}', and class 0 is 'fraud'.*only in {differ}"):
                certify(classifier, X, typed, class0="fraud")
    typed = np.where(X[:, 0] <= 0.6, "froud", y)
    with pytest.raises(InvalidInputError, match="y has the label 'froud', which is not a class of the classifier"):
        certify(model, X, typed, class0="fraud")
    # labels of a classifier that differ only in capital letters are its two classes
    by_capital = np.array(["a", "A"])
    for known in (
        npc(X, by_capital[(y == "fine") * 1], "lda", class0="a", alpha=0.3, random_state=1),
        LogisticRegression().fit(X, by_capital[(y == "fine") * 1]),
    ):
        far = -100.0 - X if known.predict([[-100.0]])[0] == "A" else 100.0 + X
        with pytest.warns(NPWarning, match=r"none of the 200 rows is predicted as class0='a'") as heard:
            assert certify(known, far, class0="a").n_called1 == 200
        assert ("Check that the rows are of class 0." in str(heard[-1].message)) == hasattr(known, "class0")
    # of a function the other classes are not known, and only rows of class 0 count
    assert certify(rule, X, typed, class0="fraud").n0 == 80


def test_rows_without_labels_are_said_to_be_of_class_0():
    fit = npc(X, np.where(Y == 0, "ill", "well"), "lda", class0="ill", random_state=1)
    for certified in (fit.certify, lambda *rows: certify(fit, *rows)):
        alone, labelled = certified(FRESH[:300]), certified(FRESH, np.where(Y_FRESH == 0, "ill", "well"))
        told = "No labels were given, so all 300 rows are taken to be of class 0, ill."
        assert told in " ".join(str(alone.summary()).replace("\n", " ").split())
        assert "No labels were given" not in str(labelled.summary())


def test_looks_as_rows_come_in_are_nowhere_offered(capsys):
    text = " ".join(str(certify(above(1), FRESH, class0=0).summary()).split())
    assert "all fixed beforehand" in text
    assert "does not cover repeated looks as rows come in" in text
    assert main(["certify", "--help"]) == 0
    for words in (certify.__doc__, npc(X, Y, "lda", random_state=1).certify.__doc__, capsys.readouterr().out):
        assert "all fixed beforehand" in " ".join(words.split())


def test_the_command_line_certifies_a_saved_classifier(tmp_path, capsys):
    import json

    from nproc import save

    frame = pd.DataFrame(X, columns=["a", "b"])
    fit = npc(frame, Y, "lda", random_state=1)
    save(fit, tmp_path / "model.joblib")
    fresh = pd.DataFrame(FRESH, columns=["a", "b"]).assign(y=Y_FRESH)
    fresh.to_csv(tmp_path / "fresh.csv", index=False)
    command = ["certify", str(tmp_path / "model.joblib"), str(tmp_path / "fresh.csv"), "--label", "y"]
    assert main([*command, "--candidates", "3", "--delta", "0.1", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    expected = fit.certify(fresh[["a", "b"]], Y_FRESH, delta=0.1, n_candidates=3)
    assert (record["n0"], record["n_called1"]) == (300, expected.n_called1)
    assert record["type1_upper"] == pytest.approx(expected.type1_upper, rel=1e-12)
    fresh[:300].drop(columns="y").to_csv(tmp_path / "zero.csv", index=False)
    assert main([command[0], command[1], str(tmp_path / "zero.csv")]) == 0
    shown = capsys.readouterr()
    assert "Certified type I error" in shown.out
    assert "all 300 rows are taken to be of class 0\n" in shown.err
    assert main(["certify", str(tmp_path / "none.joblib"), str(tmp_path / "zero.csv")]) == 2
    assert "none.joblib' is neither a number nor a file" in capsys.readouterr().err


def test_the_command_line_takes_the_label_column_of_a_formula_and_refuses_others(tmp_path, capsys):
    import json

    from nproc import save

    frame = pd.DataFrame(X, columns=["a", "b"]).assign(y=Y)
    fresh = pd.DataFrame(FRESH, columns=["a", "b"]).assign(y=Y_FRESH)
    fresh.to_csv(tmp_path / "fresh.csv", index=False)
    fit = npc("y ~ a + b", data=frame, method="lda", random_state=1)
    save(fit, tmp_path / "formula.joblib")
    save(npc(frame[["a", "b"]], Y, "lda", random_state=1), tmp_path / "plain.joblib")
    assert main(["certify", str(tmp_path / "formula.joblib"), str(tmp_path / "fresh.csv"), "--json"]) == 0
    shown = capsys.readouterr()
    wanted = fit.certify(fresh)
    record = json.loads(shown.out)
    assert (record["n0"], record["n_called1"]) == (wanted.n0, wanted.n_called1) == (300, wanted.n_called1)
    assert "the column 'y' has the labels" in shown.err
    assert main(["certify", str(tmp_path / "plain.joblib"), str(tmp_path / "fresh.csv")]) == 2
    assert "'y' with the labels of both classes" in capsys.readouterr().err
    fresh.assign(y=fresh["y"].where(np.arange(len(fresh)) > 0)).to_csv(tmp_path / "gap.csv", index=False)
    assert main(["certify", str(tmp_path / "plain.joblib"), str(tmp_path / "gap.csv")]) == 2
    assert "'y' with the labels of both classes" in capsys.readouterr().err
    words = {0: "well", 1: "ill"}
    named = npc(frame[["a", "b"]], frame["y"].map(words), "lda", class0="well", random_state=1)
    save(named, tmp_path / "words.joblib")
    for kept in (0, 1):
        in_words = fresh["y"].map(words).where(np.arange(len(fresh)) >= kept)
        fresh.assign(y=in_words).to_csv(tmp_path / "words.csv", index=False)
        assert main(["certify", str(tmp_path / "words.joblib"), str(tmp_path / "words.csv")]) == 2
        assert "'y' with the labels of both classes" in capsys.readouterr().err
    fresh.assign(y=in_words, past=in_words).to_csv(tmp_path / "words.csv", index=False)
    assert main(["certify", str(tmp_path / "words.joblib"), str(tmp_path / "words.csv")]) == 2
    assert "has the columns 'y', 'past' with the labels of both classes" in capsys.readouterr().err


@pytest.mark.parametrize("names", [{0: 0, 1: 1}, {0: "m", 1: "f"}], ids=["numbers", "words"])
def test_the_command_line_takes_no_column_of_groups_for_labels(tmp_path, monkeypatch, capsys, names):
    monkeypatch.chdir(tmp_path)
    frame = pd.DataFrame(X, columns=["a", "b"]).assign(y=Y, sex=np.arange(Y.size) // 2 % 2)
    frame.replace({"y": names, "sex": names}).to_csv("rows.csv", index=False)
    rows0 = pd.DataFrame(FRESH[:300], columns=["a", "b"]).assign(sex=np.arange(300) % 2)
    rows0.replace({"sex": names}).to_csv("fresh.csv", index=False)
    fitted = ["fit", "rows.csv", "--label", "y", "--class0", str(names[0]), "--groups", "sex", "--method", "lda"]
    assert main([*fitted, "--alpha", "0.2", "--features", "a,b", "--out", "model.npc"]) == 0
    capsys.readouterr()
    for groups in ([], ["--groups", "sex"]):
        assert main(["certify", "model.npc", "fresh.csv", *groups]) == 0
        assert "labels" not in capsys.readouterr().err.replace("note: all", "")


def test_the_command_line_counts_one_row_of_each_cluster(tmp_path, capsys):
    import json

    from nproc import save

    frame = pd.DataFrame(X, columns=["a", "b"]).assign(patient=np.arange(Y.size) // 2)
    fit = npc(frame, Y, "lda", clusters="patient", alpha=0.1, delta=0.1, random_state=1)
    save(fit, tmp_path / "model.joblib")
    fresh = pd.DataFrame(FRESH[:300], columns=["a", "b"]).assign(patient=1000 + np.arange(300) // 3)
    fresh.to_csv(tmp_path / "fresh.csv", index=False)
    assert main(["certify", str(tmp_path / "model.joblib"), str(tmp_path / "fresh.csv"), "--json"]) == 0
    shown = capsys.readouterr()
    record = json.loads(shown.out)
    assert record["n0"] == 100
    assert record["n_called1"] == fit.certify(fresh, random_state=fit.seed).n_called1
    assert "one row of each class for each 'patient'" in shown.err
