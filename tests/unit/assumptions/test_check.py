"""The checks of a fit: which rows it left out, which checks are made, and what is said of the others."""

import pickle
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from nproc import npc, nproc
from nproc.assumptions import AssumptionCheck
from nproc.assumptions.check import left_out_positions
from nproc.assumptions.result import combined
from nproc.errors import InvalidInputError, NPWarning
from nproc.orderstat import holm_adjusted
from nproc.simulate import simulation1

SAMPLE = simulation1(1200, random_state=3)
LATER = simulation1(600, random_state=4)
X, Y = SAMPLE.X, SAMPLE.y
X0_NEW = LATER.X[LATER.y == 0]
N0 = int(np.sum(Y == 0))
GIVEN = {"method": "lda", "random_state": 1}


@pytest.fixture(scope="module")
def fit():
    return npc(X, Y, **GIVEN)


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"n_splits": 3},
        {"split_ratio": 0.3},
        {"split_ratio": "adaptive"},
        {"n_splits": 3, "vote": "random"},
        {"rank": "randomize"},
    ],
)
def test_the_left_out_rows_are_known_again(given):
    fit = npc(X, Y, **GIVEN, **given)
    X0 = X[Y == 0]
    positions = left_out_positions(fit, Y)
    for j, left in enumerate(positions):
        assert np.allclose(fit._scores(X0[left])[:, j], fit.scores0[j])


def test_the_left_out_rows_of_the_classifier_of_a_band_are_known_again():
    fit = nproc(X, Y, n_splits=3, **GIVEN).classifier(0.05)
    for j, left in enumerate(left_out_positions(fit, None)):
        assert np.allclose(fit._scores(X[Y == 0][left])[:, j], fit.scores0[j])


def test_all_checks_are_made_where_all_is_given(fit):
    found = fit.check_assumptions(X0_NEW, order=np.arange(1200), clusters=np.arange(1200) // 6, X=X, y=Y)
    assert len(found.made) == 6
    assert found.to_frame()["reading"].tolist() == ["not against"] * 6
    assert "this proves none of them" in repr(found)
    notes = " ".join(str(found.summary()).split())
    assert "Change: the score of a row from the one named on is larger or smaller than that of a row before" in notes
    assert "the distance is the largest one between the distribution functions" in notes
    assert all(len(check.by_split) == 1 for check in found.checks)


def test_without_anything_the_order_of_the_rows_is_checked_and_the_rest_says_why_not(fit):
    found = fit.check_assumptions()
    assert [check.name for check in found.made] == ["trend", "change", "martingale"]
    assert found.new_errors.reading == "not made"
    text = str(found.summary())
    # each check has its line, and says where the reason is
    assert [line.split()[-6:] for line in text.splitlines() if line.startswith("clusters")] == [
        ["note", "[3]", "-", "-", "not", "made"]
    ]
    for why in (
        "Not made: new scores, new errors. No new class 0 rows",
        "for npc check --data, --label and --clusters.",
    ):
        assert why in " ".join(text.split())


def test_what_new_scores_mean_follows_what_is_guaranteed_and_what_was_checked(fit):
    band = nproc(X, Y, **GIVEN)
    simultaneous = nproc(X, Y, **GIVEN, band="simultaneous").classifier(0.2)
    said = {
        (True, True): fit,
        (False, True): npc(X, Y, **GIVEN, n_splits=5),
        (True, False): simultaneous,
        (False, False): band.classifier(band.choose_alpha("youden")),
    }
    for (guaranteed, counted), one in said.items():
        assert one.guaranteed is guaranteed
        found = one.check_assumptions(X0_NEW + 1)
        text = " ".join(str(found.summary()).split())
        assert found.new_scores.against
        assert found.new_errors.made is counted
        assert ("The bound may still hold." in text) is guaranteed
        assert ("See new errors." in text) is counted
        assert ("This concerns the bound itself." in text) is (guaranteed and counted)
        assert ("Certify on the new rows" in text) is counted


def test_the_order_of_class_0_rows_and_of_all_rows_with_labels_are_one(fit):
    when = np.random.default_rng(1).random(1200)
    both = [fit.check_assumptions(order=when, y=Y), fit.check_assumptions(order=when[Y == 0])]
    assert both[0].to_frame().equals(both[1].to_frame())
    as_times = pd.Series(pd.Timestamp("2020-01-01") + pd.to_timedelta(when * 1e4, unit="D"))
    assert fit.check_assumptions(order=as_times, y=pd.Series(Y)).trend == both[0].trend


def test_times_with_a_zone_and_columns_of_other_libraries_are_read(fit):
    polars = pytest.importorskip("polars")
    when = pd.Series(pd.date_range("2020-01-01", periods=1200, freq="h", tz="Europe/Berlin"))
    known = fit.check_assumptions().trend.p_value
    assert fit.check_assumptions(order=when, y=pd.Series(Y)).trend.p_value == known
    people = np.arange(1200) // 6
    found = fit.check_assumptions(order=polars.Series(np.arange(1200)), clusters=polars.Series(people), y=Y)
    assert found.trend.p_value == known
    as_text = fit.check_assumptions(clusters=[f"no. {person}" for person in people], y=Y)
    assert found.clusters.by_split == as_text.clusters.by_split


def test_an_order_that_goes_with_the_scores_is_found(fit):
    found = fit.check_assumptions(order=X[Y == 0][:, 0])
    assert [check.name for check in found.against] == ["trend", "change", "martingale"]
    assert abs(found.trend.by_split[0].correlation) == pytest.approx(1.0)
    assert "3 of 3 checks speak against the assumptions: trend (Holm p = 0.002)" in repr(found)
    # what each of them means is a note of its own
    text = " ".join(str(found.summary()).split())
    assert all(f"[{i}] {check.name}: {check.meaning[:30]}" in text for i, check in enumerate(found.against, start=2))
    # the scores rise or fall with the first column
    signs = {found.trend.by_split[0].correlation: found}
    back = fit.check_assumptions(order=-X[Y == 0][:, 0])
    signs[back.trend.by_split[0].correlation] = back
    for sign, way in zip(sorted(signs), ("smaller", "larger"), strict=True):
        told = rf"scores from row \d+ of {fit.n0_left_out} on: {way} in ([01]\.\d\d) of pairs"
        share = re.fullmatch(told, signs[sign].change.found)[1]
        later = signs[sign].change.by_split[0].later_larger
        assert float(share) >= 0.5
        assert float(share) == pytest.approx(later if way == "larger" else 1 - later, abs=0.005)


def test_a_small_p_value_among_several_checks_is_read_by_holm(fit):
    found = fit.check_assumptions(n_permutations=19)
    ps = {"trend": 0.03, "change": 0.5, "martingale": 1.0}
    found = replace(found, **{name: replace(getattr(found, name), p_value=p) for name, p in ps.items()})
    assert found.readings[:3] == ("against alone", "not against", "not against")
    assert [check.name for check in found.against] == ["trend"]
    text = " ".join(str(found.summary()).split())
    # the number that the repr has, and apart from it those that only p speaks of
    assert "Checks against: 0 of 3, and 1 alone" in text
    assert "none of the 3 checks made speaks against the assumptions" in repr(found)
    assert "only without the adjustment for 3 checks: trend (p = 0.03)" in repr(found)
    # 3 times 0.016 is below 0.05
    clear = replace(found, trend=replace(found.trend, p_value=0.016))
    assert clear.to_frame()["reading"].tolist()[:3] == ["against", "not against", "not against"]
    assert "1 of 3 checks speaks against the assumptions: trend (Holm p = 0.048)" in repr(clear)
    assert "Checks against: 1 of 3 Class" in " ".join(str(clear.summary()).split())
    # a small one is the same number in the table
    small = replace(found, trend=replace(found.trend, p_value=0.00005))
    assert "trend (Holm p = 0.00015)" in repr(small)
    assert "5e-05 0.00015 against" in " ".join(str(small.summary()).split())


def test_new_rows_that_score_higher_are_found_by_the_law_of_the_rank(fit):
    found = fit.check_assumptions(X0_NEW + 1)
    assert found.new_errors.against
    errors = found.new_errors.by_split[0]
    assert errors.n_above == int(np.sum(fit.predict(X0_NEW + 1) == 1))
    assert (errors.order, errors.n0) == (fit.orders[0], fit.n0_left_out)
    # lower scores keep the bound
    lower = fit.check_assumptions(X0_NEW - 1)
    assert lower.new_scores.against
    assert not lower.new_errors.against


def test_clusters_that_score_alike_are_found_with_what_they_cost(fit):
    x0 = X[Y == 0][:, 0]
    clusters = np.argsort(np.argsort(x0)) // 10
    checks = fit.check_assumptions(clusters=clusters)
    found = checks.clusters
    assert found.against
    means = "Clusters: the correlation of the ranks of the scores of two rows of one cluster."
    assert means in " ".join(str(checks.summary()).split())
    assert "Clusters: the" not in str(fit.check_assumptions().summary())
    one = found.by_split[0]
    assert one.icc > 0.95
    assert one.n0_effective < fit.n0_left_out / 3
    assert "violation rate would be about" in found.meaning
    assert "left-out rows are of a cluster that also trained" in found.meaning


def test_several_splits_are_combined_by_their_median():
    found = npc(X, Y, n_splits=3, **GIVEN).check_assumptions(X0_NEW)
    p = sorted(one.p_value for one in found.new_scores.by_split)
    assert found.new_scores.p_value == pytest.approx(min(1, 1.5 * p[1]))
    assert "2 M / (M + 1)" in " ".join(str(found.summary()).split())
    assert combined([0.01, 0.02, 0.3, 0.4]) == pytest.approx(4 / 3 * 0.3)


def test_the_table_says_which_p_values_random_permutations_gave_and_how_small_they_can_be(fit):
    for given, which, size in (
        ({}, "trend, change", "999 random permutations. It is never below 0.001,"),
        ({"n_permutations": 19}, "trend, change", "19 random permutations. It is never below 0.05,"),
        ({"clusters": np.arange(N0) // 6}, "trend, change, clusters", "999 random permutations."),
    ):
        text = " ".join(str(fit.check_assumptions(**given).summary()).split())
        assert f"Permutation tests: {which}. Their p comes from {size}" in text
    assert fit.check_assumptions(order=X[Y == 0][:, 0], n_permutations=19).trend.p_value == pytest.approx(0.05)
    equal = fit.check_assumptions(X0_NEW, order=np.zeros(N0))
    assert [check.name for check in equal.made] == ["new scores", "new errors"]
    assert "Permutation" not in str(equal.summary())


def test_holms_p_values_are_those_of_his_paper():
    assert holm_adjusted(np.array([0.01, 0.04, 0.03, 0.005])) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm_adjusted(np.empty(0)).size == 0


def test_the_same_call_gives_the_same_result_and_another_seed_another(fit):
    assert fit.check_assumptions().to_frame().equals(fit.check_assumptions().to_frame())
    other = fit.check_assumptions(random_state=99)
    assert other.trend.p_value != fit.check_assumptions().trend.p_value
    assert other.seed == 99
    assert repr(pickle.loads(pickle.dumps(other))) == repr(other)


def test_a_trained_model_has_all_rows_left_out_and_no_rows_that_trained():
    fit = npc(X, Y, method=lambda rows: np.asarray(rows)[:, 0], prefit=True, random_state=1)
    found = fit.check_assumptions(X0_NEW, order=np.arange(N0), clusters=np.arange(N0) // 4, X=X, y=Y)
    assert len(found.made) == len(found.checks)
    assert found.trend.by_split[0].n == N0


def test_alpha_that_was_chosen_has_no_law_of_the_rank():
    band = nproc(X, Y, **GIVEN)
    found = band.classifier(band.choose_alpha(criterion="youden")).check_assumptions(X0_NEW)
    assert found.new_scores.made
    assert "rank may have been chosen" in found.new_errors.found


def test_a_fit_with_clusters_is_checked_as_far_as_its_rows_are_known():
    frame = pd.DataFrame({"x": X[:, 0], "person": np.arange(1200) // 2})
    fit = npc(frame, Y, clusters="person", **GIVEN)
    new = pd.DataFrame({"x": X0_NEW[:, 0], "person": 900 + np.arange(X0_NEW.shape[0]) // 3})
    found = fit.check_assumptions(new, clusters=frame.person, y=Y)
    assert found.new_errors.by_split[0].n_new == -(-X0_NEW.shape[0] // 3)
    assert "took one row of each cluster" in found.clusters.found
    assert found.trend.made
    later = fit.check_assumptions(order=np.arange(N0))
    assert "Give clusters, too" in later.trend.found
    by_visit = fit.check_assumptions(order=np.arange(1200), clusters=frame.person, y=Y)
    assert "one time that does not depend on its rows" in by_visit.trend.found
    with pytest.raises(InvalidInputError, match="clusters must be those of the fit"):
        fit.check_assumptions(order=np.arange(N0), clusters=np.arange(N0))


def in_tens(seed, n):
    """Rows of clusters of ten nearly equal ones, their labels and clusters; both classes have one law."""
    rng = np.random.default_rng(seed)
    rows = np.repeat(rng.normal(size=n), 10) + 1e-3 * rng.normal(size=10 * n)
    return rows[:, None], np.tile([0, 1], 5 * n), np.repeat(np.arange(n), 10) + 1000 * seed


@pytest.mark.slow
def test_one_new_row_of_each_cluster_counts_so_that_alike_rows_do_not_speak_against_the_assumption():
    against = {True: 0, False: 0}
    for seed in range(1, 61):
        rows, labels, who = in_tens(seed, 60)
        fit = npc(rows, labels, lambda Z: Z[:, 0], prefit=True, alpha=0.2, delta=0.2, clusters=who, random_state=seed)
        new, new_labels, new_who = in_tens(seed + 100, 20)
        given = new[new_labels == 0], new_who[new_labels == 0]
        found = fit.check_assumptions(given[0], clusters_new=given[1])
        assert found.new_scores.by_split[0].n_new == 20
        against[True] += found.new_scores.against
        with pytest.warns(NPWarning, match="^clusters_new is missing, so each of the 100 rows .* too often"):
            against[False] += fit.check_assumptions(given[0]).new_scores.against
    # of 60 at most 5 % are expected: more than 9 have probability 0.001; without the clusters about half speak
    assert against[True] <= 9
    assert against[False] >= 20


@pytest.mark.slow
def test_the_probability_of_a_check_is_not_claimed_where_the_clusters_of_new_rows_are_not_known(tmp_path):
    rows, labels, who = in_tens(1, 60)
    given = {"prefit": True, "alpha": 0.2, "delta": 0.2, "random_state": 1}
    fit = npc(rows, labels, lambda Z: Z[:, 0], clusters=who, **given)
    new, new_labels, new_who = in_tens(2, 20)
    with pytest.warns(NPWarning, match="clusters_new is missing"):
        unknown = fit.check_assumptions(new[new_labels == 0])
    known = fit.check_assumptions(new[new_labels == 0], clusters_new=new_who[new_labels == 0])
    told = "This does not hold for new scores and new errors, because the fit was made with clusters"
    assert [told in " ".join(str(one.summary()).split()) for one in (unknown, known)] == [True, False]
    # in the report, whose rows are those that evaluate counts
    with pytest.warns(NPWarning, match="^clusters is missing") as heard:
        text = fit.report(tmp_path / "unknown.md", new, new_labels).read_text()
    assert len(heard) == 1
    assert told in " ".join(text.split())
    text = fit.report(tmp_path / "known.md", new, new_labels, clusters=new_who).read_text()
    assert told not in " ".join(text.split())
    # a column of another name, beside class 0 rows with gaps
    frame = pd.DataFrame({"x": new[:, 0], "who": new_who})[new_labels == 0]
    named = npc(pd.DataFrame({"x": rows[:, 0]}), labels, "lda", clusters=who, alpha=0.2, delta=0.2, random_state=1)
    found = named.check_assumptions(frame[["x"]], clusters_new=frame["who"])
    assert found.new_scores.by_split[0].n_new == 20
    with pytest.warns(NPWarning, match="of the fit. If they are the same clusters, the checks of new rows do not hold"):
        named.check_assumptions(frame[["x"]], clusters_new=frame["who"] - 1000)
    with pytest.raises(InvalidInputError, match="clusters_new has 600 values and X0_new has 100 rows"):
        named.check_assumptions(frame[["x"]], clusters_new=who)
    with pytest.raises(InvalidInputError, match="clusters_new is for new rows; give X0_new too"):
        named.check_assumptions(clusters_new=who)
    with pytest.raises(InvalidInputError, match="clusters_new is for a fit that was made with clusters"):
        npc(X, Y, **GIVEN).check_assumptions(X0_NEW, clusters_new=np.arange(len(X0_NEW)))


@pytest.mark.parametrize(
    "given", [{}, {"n_splits": 3}, {"prefit": True, "method": lambda frame: np.asarray(frame)[:, 0]}]
)
@pytest.mark.parametrize("people", [np.repeat(np.arange(400), 3), [f"no. {i % 401}" for i in range(1200)]])
def test_the_rows_that_a_fit_with_clusters_drew_are_known_again(given, people):
    fit = npc(X, Y, clusters=people, **(GIVEN | given))
    clusters0 = np.asarray(people)[Y == 0]
    for j, drawn in enumerate(fit._drawn_rows(clusters0)):
        assert np.allclose(fit._scores(X[Y == 0][drawn])[:, j], fit.scores0[j])


def test_a_drift_of_clusters_is_found_by_the_time_of_each_cluster_wherever_its_rows_stand():
    rng = np.random.default_rng(3)
    person = rng.permutation(np.repeat(np.arange(400), 3))
    frame = pd.DataFrame({"person": person, "x": X[:, 0] + person / 200})
    fit = npc(frame, Y, clusters="person", **GIVEN)
    assert "give clusters and as order one time for each cluster" in fit.check_assumptions().trend.found
    entered = pd.Series(person, name="entered")
    found = fit.check_assumptions(X=frame, y=Y, order=entered)
    assert {"trend", "change"} <= {check.name for check in found.against}
    assert found.order == "entered"
    chance = fit.check_assumptions(X=frame, y=Y, order=rng.permutation(400)[person])
    assert not chance.against
    with pytest.raises(InvalidInputError, match="rows in their order"):
        fit.check_assumptions(X=frame[::-1], y=Y[::-1])


def checks_of_clusters(seed, by):
    """The checks of a fit to independent clusters, with rows in order of `by`; the two early visits may be missing."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"person": np.repeat(np.arange(150), 4), "visit": np.tile(np.arange(4), 150)})
    frame["x"] = np.repeat(rng.normal(size=150), 4) + rng.normal(size=600)
    frame["y"] = (rng.random(600) < 1 / (1 + np.exp(1.5 - frame.x - frame.visit))).astype(int)
    frame = frame[(rng.random(600) < 0.7) | (frame.visit > 1)].sort_values(by, kind="stable", ignore_index=True)
    fit = npc(frame[["x", "visit"]], frame.y, "lda", alpha=0.2, class0=0, clusters=frame.person, random_state=seed)
    return fit.check_assumptions(n_permutations=99)


@pytest.mark.slow
def test_independent_clusters_are_not_rejected_because_of_the_order_of_their_visits():
    sorted_by_person = [checks_of_clusters(seed, ["person", "visit"]) for seed in range(40)]
    for name in ("trend", "change", "martingale"):
        n_against = sum(getattr(found, name).against for found in sorted_by_person)
        # P(more than 6 of 40) is 0.003 where each has probability 0.05
        assert n_against <= 6, name
    assert sorted_by_person[0].order == "the clusters"
    for by in (["visit", "person"], ["x"]):
        found = checks_of_clusters(1, by)
        assert not found.made
        assert "sort the table by cluster before the fit" in found.trend.found


@pytest.mark.parametrize(
    ("given", "match"),
    [({"groups": np.arange(1200) % 2}, "set by group"), ({"cross_fit": 5}, "one scorer for each fold")],
)
def test_fits_without_one_sample_of_scores_are_refused(given, match):
    fit = npc(X, Y, **GIVEN, **given)
    with pytest.raises(InvalidInputError, match=match):
        fit.check_assumptions()


def test_rows_of_class_1_among_the_new_rows_of_a_formula_are_left_out():
    frame = pd.DataFrame({"label": Y, "x": X[:, 0]})
    fit = npc("label ~ x", data=frame, **GIVEN)
    new = pd.DataFrame({"label": LATER.y, "x": LATER.X[:, 0]})
    found, alone = fit.check_assumptions(new), fit.check_assumptions(new[new["label"] == 0])
    assert found.to_frame().equals(alone.to_frame())
    n1 = int(np.sum(LATER.y == 1))
    said = f"The column 'label' has the labels; {n1} rows of another class are left out."
    assert said in " ".join(str(found.summary()).split())
    assert alone.note == ""
    assert fit.check_assumptions(new[["x"]]).new_scores.by_split[0].n_new == len(new)
    with pytest.raises(InvalidInputError, match="X0_new has no row of class 0, label = 0;"):
        fit.check_assumptions(new[new["label"] == 1])


def test_a_fit_by_formula_reads_the_labels_of_its_rows_from_the_table():
    frame = pd.DataFrame({"label": Y, "x": X[:, 0]})
    fit = npc("label ~ x", data=frame, **GIVEN)
    assert fit.check_assumptions(X=frame, clusters=np.arange(1200) // 6).clusters.made


@pytest.mark.parametrize("by_formula", [False, True])
def test_order_and_clusters_may_be_names_of_columns_of_the_rows_of_the_fit(by_formula):
    frame = pd.DataFrame(X, columns=["a"]).assign(y=Y)
    named = npc("y ~ a", frame, **GIVEN) if by_formula else npc(frame[["a"]], Y, **GIVEN)
    rows = frame.assign(day=np.arange(1200) // 2, person=np.arange(1200) // 6)
    y = None if by_formula else Y
    found = named.check_assumptions(X=rows, y=y, order="day", clusters="person")
    by_values = named.check_assumptions(X=rows, y=y, order=rows["day"], clusters=rows["person"])
    assert str(found.summary()) == str(by_values.summary())
    assert found.clusters.made
    assert found.order == "day"
    with pytest.raises(InvalidInputError, match="clusters='nobody' is no column of the data"):
        named.check_assumptions(X=rows, y=y, clusters="nobody")


@pytest.mark.parametrize(
    ("given", "match"),
    [
        ({"order": np.arange(1200)}, "Give y, too"),
        ({"order": np.arange(7)}, f"one value for each of the {N0} class 0 rows"),
        ({"order": np.full(N0, np.nan)}, f"order has {N0} missing"),
        ({"order": ["2020-01-01"] * N0}, "pandas.to_datetime"),
        ({"order": pd.Series(["2020-01-01"] * N0)}, "pandas.to_datetime"),
        ({"order": pd.Series([pd.NaT] * N0)}, "missing"),
        ({"order": [object()] * N0}, "can be compared"),
        ({"clusters": "person"}, "clusters must be one value for each row, got 'person'. If it names a column, give X"),
        ({"clusters": "person", "X": X, "y": Y}, "clusters='person' names a column, and the rows are a ndarray"),
        ({"clusters": np.ones((N0, 2))}, "clusters must be one value for each row"),
        ({"clusters": [None] * N0}, "clusters has"),
        ({"y": Y[:-1]}, "labels of the rows of the fit"),
        ({"X": X[::-1], "y": Y[::-1]}, "rows in their order"),
        ({"level": 0}, "level must lie"),
        ({"n_permutations": 5}, "n_permutations must be at least 19"),
        ({"X0_new": np.ones((3, 5))}, "5 features"),
    ],
)
def test_what_does_not_match_the_fit_is_refused(fit, given, match):
    with pytest.raises(InvalidInputError, match=match):
        fit.check_assumptions(**given)


def test_one_score_far_out_hides_no_table_of_other_rows():
    rows = X.copy()
    first = np.flatnonzero(Y == 0)[0]
    rows[first] = 1e11
    fit, others = npc(rows, Y, lambda Z: Z[:, 0], prefit=True), rows.copy()
    others[Y == 0] = np.vstack([rows[first], rows[Y == 0][:0:-1]])
    assert fit.check_assumptions(X=rows, y=Y, clusters=np.arange(1200) // 6).clusters.made
    with pytest.raises(InvalidInputError, match="rows in their order"):
        fit.check_assumptions(X=others, y=Y, clusters=np.arange(1200) // 6)


def test_rows_of_the_fit_as_new_rows_are_noticed(fit):
    with pytest.warns(UserWarning, match="exactly"):
        checks = fit.check_assumptions(X[Y == 0])
    # on them these checks tell nothing
    assert (checks.new_scores.made, checks.new_errors.made, checks.trend.made) == (False, False, True)


@pytest.mark.slow
def test_the_picture_shows_the_first_split(fit):
    import matplotlib.pyplot as plt

    scores, below = fit.check_assumptions(X0_NEW).plot()
    assert len(scores.findobj(match=lambda artist: artist.get_gid() == "nproc-assumptions-scores")) == 1
    assert (below.get_ylabel(), below.get_xlabel()) == ("share", "score (share of rows up to it)")
    # one legend names the threshold of both panels, which looks the same in both
    assert [text.get_text().partition(" (")[0] for text in below.get_legend().get_texts()] == ["left-out", "new"]
    (cut,) = scores.findobj(match=lambda artist: artist.get_gid() == "nproc-assumptions-threshold")
    assert cut.get_linestyle() == below.lines[-1].get_linestyle()
    _, axes = plt.subplots(2, 1)
    drawn = fit.check_assumptions(order=X[Y == 0][:, 0]).plot(ax=axes)
    assert drawn[1].get_ylabel() == "evidence"
    ages = pd.Series(X[Y == 0][:, 0], name="age")
    for order, named in ((None, "the rows"), (ages.to_numpy(), "the values given"), (ages, "age")):
        checks = fit.check_assumptions(order=order)
        assert checks.order == named
        # an axis has its name where it has its numbers, which of two panels one below the other may be shared
        stacked, beside = plt.subplots(2, 1)[1], plt.subplots(1, 2, sharex=True)[1]
        for ax, is_twice in ((None, False), (stacked, True), (beside, True)):
            pair = checks.plot(ax=ax)
            names = [" ".join(one.get_xlabel().split()) for one in pair]
            of_rows = f"left-out class 0 row, in order of {named}"
            assert names == [of_rows if is_twice else "", of_rows]
    checks = fit.check_assumptions(order=X[Y == 0][:, 0])
    found = lambda pair: pair[0].findobj(match=lambda artist: artist.get_gid() == "nproc-assumptions-change")  # noqa: E731
    (line,) = found(checks.plot())
    first = int(re.match(r"scores from row (\d+) of", checks.change.found)[1])
    assert line.get_xdata() == [first - 0.5, first - 0.5]
    assert line.get_label() == f"change at row {first}"
    # what chance explains is no change
    assert found(fit.check_assumptions().plot()) == []
    # the key of a line shows its dashes
    assert all(pair.get_legend().handlelength > 2 for pair in drawn)
    with pytest.raises(InvalidInputError, match="two Axes"):
        fit.check_assumptions().plot(ax=axes[0])
    plt.close("all")


def test_a_small_sample_has_too_few_scores_for_an_order():
    import matplotlib.pyplot as plt

    small = np.concatenate([X[Y == 0][:40], X[Y == 1][:40]])
    fit = npc(small, np.repeat([0, 1], 40), alpha=0.3, delta=0.3, split_ratio=0.6, **GIVEN)
    found = fit.check_assumptions()
    assert found.made == ()
    assert "16 left-out class 0 rows; 20 are needed" in found.trend.found
    assert "no check could be made" in repr(found)
    assert "Checks against: - (none made)" in " ".join(str(found.summary()).split())
    for pair in (found.plot(), found.plot(ax=plt.subplots(2, 1, sharex=True)[1])):
        assert not pair[1].axison
        # then the upper panel has the numbers and the name of its axis
        assert pair[0].xaxis.get_major_ticks()[0].label1.get_visible()
        assert pair[0].get_xlabel() == "left-out class 0 row"
    plt.close("all")


def test_a_check_tells_itself(fit):
    check = fit.check_assumptions().trend
    assert isinstance(check, AssumptionCheck)
    assert repr(check).startswith("AssumptionCheck(name='trend', p_value=")
