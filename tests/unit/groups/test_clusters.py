"""nproc.groups.clusters: splits by cluster, one row for each, and the data of the Early Warning Project."""

import re
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.ensemble import StackingClassifier
from sklearn.feature_selection import RFECV, SequentialFeatureSelector
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from versions import since

from nproc import NPClassifier, certify, load, np_order, np_threshold, npc, save
from nproc.errors import InvalidInputError, NPWarning, TooFewSamplesError
from nproc.groups import NPClusterFit, one_per_cluster
from nproc.groups.membership import read_membership
from nproc.groups.umbrella import cluster_splits
from nproc.orderstat import clopper_pearson

pytestmark = pytest.mark.usefixtures("reports_without_pictures")

EWP = Path(__file__).resolve().parents[4] / "shared" / "data" / "ewp_masskilling32.csv.gz"
RNG = np.random.default_rng(0)
CLUSTERS = np.repeat(np.arange(120), RNG.integers(2, 12, size=120))
N = CLUSTERS.size
# every fourth cluster has no class 0 row, every fourth no class 1 row
Y = np.where(CLUSTERS % 4 == 0, 1, np.where(CLUSTERS % 4 == 1, 0, np.arange(N) % 2))
HAS0 = np.unique(CLUSTERS[Y == 0])
X = RNG.normal(size=(N, 2)) + RNG.normal(size=120)[CLUSTERS, None] + 1.5 * Y[:, None]
NEW_Y = np.tile([0, 1], 100)
NEW, NEW_CLUSTERS = RNG.normal(size=(200, 2)) + 1.5 * NEW_Y[:, None], np.repeat(np.arange(200, 240), 5)
LEVELS = {"alpha": 0.1, "delta": 0.1}


@pytest.fixture(scope="module")
def fit():
    return npc(X, Y, "lda", clusters=CLUSTERS, random_state=1, **LEVELS, split_ratio=0.5)


# one row for each cluster


def test_one_row_for_each_cluster_and_every_row_with_the_same_chance():
    clusters = ["a", "b", "a", "a", "c"]
    counts = np.zeros(5)
    for seed in range(3000):
        rows = one_per_cluster(clusters, random_state=seed)
        assert sorted(clusters[row] for row in rows) == ["a", "b", "c"]
        assert np.all(np.diff(rows) > 0)
        counts[rows] += 1
    assert counts[[1, 4]].tolist() == [3000, 3000]
    # 1000 expected, standard deviation 26
    assert np.all(np.abs(counts[[0, 2, 3]] - 1000) < 110)


def test_one_row_for_each_cluster_refuses_what_is_no_list_of_clusters():
    with pytest.raises(InvalidInputError, match="clusters is empty"):
        one_per_cluster([], random_state=1)
    with pytest.raises(InvalidInputError, match="clusters has 1 missing"):
        one_per_cluster(["a", None], random_state=1)
    with pytest.raises(InvalidInputError, match="clusters must be one value a row"):
        one_per_cluster(3, random_state=1)


# splits


def test_no_cluster_has_rows_on_both_sides_and_each_left_out_one_has_one_class_0_row():
    members = read_membership(CLUSTERS, "clusters", X)[2]
    n_left = 45
    splits = cluster_splits(Y, members, 5, n_left, 3)
    for split in splits:
        left = CLUSTERS[split.idx_left0]
        assert np.all(Y[split.idx_left0] == 0)
        assert left.size == np.unique(left).size == n_left
        assert not np.isin(CLUSTERS[split.idx_train], left).any()
        # all other rows train, also those of clusters without class 0
        assert split.idx_train.size == np.sum(~np.isin(CLUSTERS, left))
    assert len({tuple(split.idx_left0) for split in splits}) == 5


def test_more_splits_extend_fewer():
    members = read_membership(CLUSTERS, "clusters", X)[2]
    two, four = (cluster_splits(Y, members, n, 45, 3) for n in (2, 4))
    for ours, theirs in zip(two, four, strict=False):
        np.testing.assert_array_equal(ours.idx_left0, theirs.idx_left0)


# the classifier


def test_the_threshold_is_that_of_one_score_for_each_left_out_cluster(fit):
    n_left = HAS0.size - round(HAS0.size * 0.5)
    assert (fit.n_clusters, fit.n_clusters0, fit.n0_left_out) == (120, HAS0.size, n_left)
    assert fit.scores0[0].size == n_left
    assert fit.orders[0] == np_order(n_left, **LEVELS)
    assert fit.thresholds[0] == np_threshold(fit.scores0[0], **LEVELS).value
    assert fit.n0 == np.sum(Y == 0)


def test_rows_that_are_their_own_clusters_give_the_sizes_of_npc():
    own = npc(X, Y, "lda", clusters=np.arange(N), random_state=1, **LEVELS)
    plain = npc(X, Y, "lda", random_state=1, **LEVELS)
    assert own.n0_left_out == plain.n0_left_out
    assert own.orders[0] == plain.orders[0]


def test_a_column_names_the_clusters_and_does_not_predict(fit):
    frame = pd.DataFrame(X, columns=["u", "v"]).assign(patient=CLUSTERS)
    named = npc(frame, Y, "lda", clusters="patient", random_state=1, **LEVELS, split_ratio=0.5)
    assert named.feature_names == ("u", "v")
    assert named.thresholds[0] == fit.thresholds[0]
    new = pd.DataFrame(NEW, columns=["u", "v"])
    np.testing.assert_array_equal(named.predict(new), fit.predict(NEW))
    np.testing.assert_array_equal(named.predict(new.assign(patient=NEW_CLUSTERS)), fit.predict(NEW))


def test_a_prefit_score_takes_one_row_for_each_cluster_with_class_0():
    fit = npc(X, Y, lambda rows: rows[:, 0], prefit=True, clusters=CLUSTERS, random_state=1, **LEVELS)
    assert fit.n0_left_out == HAS0.size
    assert fit.split_ratio is None
    of_cluster = {value: CLUSTERS[row] for row, value in enumerate(X[:, 0])}
    assert sorted(of_cluster[score] for score in fit.scores0[0]) == HAS0.tolist()


def test_three_splits_vote_without_a_proof():
    fit = npc(X, Y, "lda", clusters=CLUSTERS, n_splits=3, random_state=1, **LEVELS)
    assert fit.guaranteed is False
    assert "the same bound is not proved" in " ".join(str(fit.summary()).split())
    assert fit.votes(NEW).max() <= 1


def test_the_same_seed_gives_the_same_classifier_for_every_number_of_jobs():
    runs = [
        npc(X, Y, "lda", clusters=CLUSTERS, n_splits=3, n_jobs=n_jobs, random_state=4, **LEVELS) for n_jobs in (1, 2)
    ]
    np.testing.assert_array_equal(runs[0].thresholds, runs[1].thresholds)


def test_randomised_ties():
    def rounded(rows):
        return np.floor(rows[:, 0])

    rough = npc(X, Y, rounded, prefit=True, clusters=CLUSTERS, ties="randomize", random_state=1, **LEVELS)
    assert 0 < rough.rules[0].tie_cut < 1
    tied = np.full((4000, 2), rough.thresholds[0])
    np.testing.assert_allclose(rough.votes(tied, random_state=2).mean(), 1 - rough.rules[0].tie_cut, atol=0.04)


# what cannot be


def test_too_few_clusters_are_counted_and_what_would_do_is_said():
    message = (
        r"n0=45 left-out clusters with class 0 rows cannot meet alpha=0.01 with delta=0.1; at least 230 are needed "
        rf"\(or alpha >= 0.0499\). The {np.sum(Y == 0)} class 0 rows belong to 90 cluster\(s\). "
        r"Each cluster gives one row .* 460 such clusters are needed in all.$"
    )
    with pytest.raises(TooFewSamplesError, match=message):
        npc(X, Y, "lda", clusters=CLUSTERS, alpha=0.01, delta=0.1, random_state=1, split_ratio=0.5)
    with pytest.raises(TooFewSamplesError, match=r"n0=90 clusters with class 0 rows cannot meet alpha=0.01"):
        npc(X, Y, lambda rows: rows[:, 0], prefit=True, clusters=CLUSTERS, alpha=0.01, delta=0.1, random_state=1)


def test_a_single_cluster_cannot_be_split():
    with pytest.raises(TooFewSamplesError, match=r"split_ratio=0.5 of 1 cluster\(s\) with class 0 rows leaves"):
        npc(X, Y, "lda", clusters=np.zeros(N), alpha=0.5, delta=0.5, random_state=1, split_ratio=0.5)


def test_class_1_rows_must_remain_for_training():
    # class 1 only where class 0 is, in one cluster: some split leaves it out
    y = (np.arange(N) == 0).astype(int)
    clusters = np.r_[0, 0, CLUSTERS[2:]]
    with pytest.raises(TooFewSamplesError, match="no class 1 row is left to train: all lie in the left-out clusters"):
        npc(X, y, "lda", clusters=clusters, n_splits=21, random_state=1, **LEVELS)


def test_arguments_that_do_not_fit_are_errors():
    with pytest.raises(InvalidInputError, match="split_ratio='adaptive' cannot be used with clusters"):
        npc(X, Y, "lda", clusters=CLUSTERS, split_ratio="adaptive", random_state=1)
    with pytest.raises(InvalidInputError, match="clusters has 5 values"):
        npc(X, Y, "lda", clusters=CLUSTERS[:5], random_state=1)


# what it says


@pytest.mark.slow
def test_reports_state_the_target(fit):
    assert isinstance(fit, NPClusterFit)
    shown = "one row from each of 45 of 90 clusters with class 0 rows sets the threshold at rank"
    assert repr(fit).startswith("NPClusterFit(method='lda', alpha=0.1, delta=0.1, 1 split, class0=0, seed=1)\n")
    assert shown in repr(fit)
    text = " ".join(str(fit.summary()).split())
    assert "for a class 0 row drawn at random from a new cluster" in text
    assert "is an average over clusters" in text
    assert f"Class 1 rows trained: {fit.n1_trained[0]} " in text
    assert fit.to_frame()["n0_left_out"].tolist() == [45]
    assert "class 0, one per left-out cluster (n = 45)" in [
        text.get_text() for text in fit.plot().get_legend().get_texts()
    ]


def test_the_methods_text_of_a_report_counts_clusters(fit, tmp_path):
    text = fit.report(tmp_path / "report.md").read_text().split("## For a methods section")[1]
    assert "45 of the 90 clusters with class 0 rows were left out of the training, with all their rows." in text
    (split,) = cluster_splits(Y, read_membership(CLUSTERS, "clusters", X)[2], 1, 45, fit.seed)
    trained = np.bincount(Y[split.idx_train])
    assert (fit.n0_trained.tolist(), fit.n1_trained.tolist()) == ([trained[0]], [trained[1]])
    told = f"The other clusters trained the method, with {trained[0]} rows of class 0 and {trained[1]} of class 1."
    assert told in text
    assert f"of the {fit.n0} class 0 rows" not in text
    prefit = npc(X, Y, lambda rows: rows[:, 0], prefit=True, clusters=CLUSTERS, random_state=1, **LEVELS)
    assert prefit.n0_trained is prefit.n1_trained is None
    text = prefit.report(tmp_path / "prefit.md").read_text()
    assert "one class 0 row from each of 90 clusters set the threshold." in text


def test_the_claim_counts_a_random_rank_in():
    fit = npc(X, Y, "lda", clusters=CLUSTERS, rank="randomize", random_state=1, **LEVELS)
    assert "over the draw of the clusters and their rows and the random choice between two ranks" in fit.notes()[0]


def test_errors_are_counted_on_one_row_of_each_class_for_each_cluster(fit):
    found = fit.evaluate(NEW, NEW_Y, NEW_CLUSTERS, random_state=3)
    assert (found.n0, found.n1) == (40, 40)
    assert found.type1_interval == clopper_pearson(found.n_false1, 40, level=0.95)
    assert "One row of each cluster and class counts" in str(found.summary())
    with pytest.warns(NPWarning, match=r"clusters is missing, so each of the 200 rows is treated as its own cluster"):
        every = fit.evaluate(NEW, NEW_Y, random_state=3)
    assert every.n0 == 100
    told = " ".join(str(every.summary()).split())
    assert "No clusters were given: each row counts as its own cluster. If rows belong together, the intervals" in told
    assert "One row of each cluster" not in told
    frame = pd.DataFrame(X, columns=["u", "v"]).assign(patient=CLUSTERS)
    named = npc(frame, Y, "lda", clusters="patient", random_state=1, **LEVELS)
    new = pd.DataFrame(NEW, columns=["u", "v"]).assign(patient=NEW_CLUSTERS)
    assert named.evaluate(new, NEW_Y, random_state=3).n_false1 == found.n_false1
    with pytest.raises(InvalidInputError, match="label 7, which was not in the training data"):
        fit.evaluate(NEW, np.where(NEW_Y == 1, 7, 0), NEW_CLUSTERS, random_state=3)


def test_the_table_of_thresholds_counts_the_rows_that_the_errors_count(fit):
    table = fit.thresholds_table(NEW, NEW_Y, NEW_CLUSTERS, alphas=[0.1, 0.3], prevalence=0.2, random_state=5)
    assert len(table) == 2
    for row in table.itertuples():
        told = fit.with_levels(alpha=row.alpha).evaluate(NEW, NEW_Y, NEW_CLUSTERS, random_state=5)
        # 40 clusters, not 200 rows
        assert (told.n0, told.n1) == (40, 40)
        assert (row.type1, row.type2) == (told.type1, told.type2)
        assert (row.type1_lower, row.type1_upper) == (told.type1_interval.lower, told.type1_interval.upper)
        assert (row.type2_lower, row.type2_upper) == (told.type2_interval.lower, told.type2_interval.upper)
    with pytest.warns(NPWarning, match="clusters is missing"):
        fit.thresholds_table(NEW, NEW_Y, alphas=[0.1])
    with pytest.raises(InvalidInputError, match="clusters is for new rows; give X and y too"):
        fit.thresholds_table(clusters=NEW_CLUSTERS)


def test_a_certificate_counts_clusters(fit):
    bound = fit.certify(NEW, NEW_Y, clusters=NEW_CLUSTERS, random_state=3)
    assert bound.n0 == 40
    assert fit.certify(NEW[NEW_Y == 0], clusters=NEW_CLUSTERS[NEW_Y == 0], random_state=3).n0 == 40
    # of the same rows as the errors, by the same seed or that of the fit
    for seed in (None, fit.seed, *range(10)):
        errors = fit.evaluate(NEW, NEW_Y, clusters=NEW_CLUSTERS, random_state=seed)
        of_class0 = NEW[NEW_Y == 0], NEW_CLUSTERS[NEW_Y == 0]
        again = fit.certify(of_class0[0], clusters=of_class0[1], random_state=fit.seed if seed is None else seed)
        assert errors.n_false1 == again.n_called1
    with pytest.warns(NPWarning, match=r"clusters is missing, so each of the 100 rows .* nothing is certified.*f\"new"):
        bounds = [bound, fit.certify(NEW[NEW_Y == 0]), certify(fit, NEW[NEW_Y == 0])]
    assert [one.n0 for one in bounds] == [40, 100, 100]
    missing = (
        "Nothing is certified, because the classifier was made with clusters, and those of these rows are not known."
    )
    assert [missing in " ".join(str(one.summary()).split()) for one in bounds] == [False, True, True]
    assert "no bound holds because the clusters of the rows are not known" in repr(bounds[1])
    # rows that are all called class 0, so that only their clusters stand in the way
    low = NEW[NEW_Y == 0] - 9
    each = [f"new {row}" for row in range(100)]
    with pytest.warns(NPWarning, match="clusters is missing"):
        unknown = [fit.certify(low), certify(fit, low, alpha=fit.alpha)]
    assert [one.certified for one in unknown] == [False, False]
    assert [
        one.certified for one in (fit.certify(low, clusters=each), certify(fit, low, clusters=each, alpha=0.3))
    ] == [
        True,
        True,
    ]
    # the column of the fit, or of another name
    frame = pd.DataFrame(X, columns=["u", "v"]).assign(patient=CLUSTERS)
    named = npc(frame, Y, "lda", clusters="patient", random_state=1, **LEVELS)
    new = pd.DataFrame(NEW, columns=["u", "v"]).assign(patient=NEW_CLUSTERS)
    for call in (named.certify, partial(certify, named)):
        assert call(new, NEW_Y).n0 == 40
        assert call(new.rename(columns={"patient": "who"}), NEW_Y, clusters="who").n0 == 40


def test_a_report_says_whether_clusters_of_the_new_rows_were_given(fit, tmp_path):
    frame = pd.DataFrame(X, columns=["u", "v"])
    named = npc(frame.assign(patient=CLUSTERS), Y, "lda", clusters="patient", random_state=1, **LEVELS)
    for one, new in ((named, pd.DataFrame(NEW, columns=["u", "v"])), (fit, NEW)):
        with pytest.warns(NPWarning, match="clusters is missing, so each of the 200 rows") as heard:
            without = one.report(tmp_path / "without.md", new, NEW_Y).read_text()
        assert len(heard) == 1
    given = fit.report(tmp_path / "given.md", NEW, NEW_Y, clusters=NEW_CLUSTERS).read_text()
    for text, known in ((without, False), (given, True)):
        text = " ".join(text.replace("\\", "").split())
        methods = text.split("For a methods section")[1]
        # the errors and the methods section
        assert text.count("No clusters were given: each row counts as its own cluster.") == (0 if known else 2)
        assert ("Nothing is certified, because the classifier was made with clusters" in text) == (not known)
        assert ("one row of each cluster and class" in text.lower()) == known
        assert ("the intervals are too narrow" in methods) == (not known)


def test_a_report_on_changed_clusters_speaks_of_clusters_and_names_no_call(fit, tmp_path):
    text = fit.report(tmp_path / "changed.md", NEW + 9, NEW_Y, clusters=NEW_CLUSTERS).read_text()
    requires = "The guarantee requires that the left-out and future clusters are independent and have one distribution."
    assert requires in text.split("methods section")[1]
    text = " ".join(text.split())
    assert text.count("See the check 'new errors'.") == 2
    assert "check_assumptions" not in text
    assert "The rows drawn must be independent" in text


def test_clusters_of_the_fit_among_those_of_new_rows_are_told(fit, tmp_path):
    # a gap in another file makes whole numbers decimal
    again = np.where(NEW_CLUSTERS < 206, NEW_CLUSTERS - 195.0, NEW_CLUSTERS)
    told = "6 of the 40 clusters have the names of clusters of the fit. If they are the same clusters,"
    rows0 = NEW_Y == 0
    for call in (
        lambda: fit.evaluate(NEW, NEW_Y, again).summary(),
        lambda: fit.certify(NEW[rows0], clusters=again[rows0]).summary(),
        lambda: certify(fit, NEW[rows0], clusters=again[rows0].astype(int).astype(str)).summary(),
        lambda: fit.report(tmp_path / "report.md", NEW, NEW_Y, clusters=again).read_text().split("methods section")[1],
    ):
        with pytest.warns(NPWarning, match=f"{told} .* no interval or bound holds. Leave out their rows") as heard:
            text = str(call())
        assert len(heard) == 1
        assert "if only the names begin anew in each table" in str(heard[0].message)
        assert told in " ".join(text.split())
    assert "Leave out their rows" not in text
    # the bound is of the class 0 rows alone
    assert fit.certify(NEW, NEW_Y, clusters=np.where(rows0, NEW_CLUSTERS, again)).n0 == 40
    with pytest.warns(
        NPWarning, match=r"^1 of the 40 clusters has the name of a cluster of the fit. If it is the same"
    ):
        fit.evaluate(NEW, NEW_Y, np.where(NEW_CLUSTERS == 239, 7, NEW_CLUSTERS))


def test_whole_numbers_of_another_variable_are_not_taken_for_clusters_of_the_fit(tmp_path):
    frame = pd.DataFrame(X, columns=["u", "v"])
    patients = npc(frame.assign(patient=CLUSTERS), Y, "lda", clusters="patient", random_state=1, **LEVELS)
    # visit 5 is not patient 5
    new = pd.DataFrame(NEW, columns=["u", "v"]).assign(visit=NEW_CLUSTERS - 195)
    rows0 = NEW_Y == 0
    said = "The clusters of the new rows are those of 'visit', and the fit had those of 'patient'. Whether"
    for clusters in ("visit", new["visit"]):
        of_class0 = clusters if isinstance(clusters, str) else clusters[rows0]
        for result in (
            patients.evaluate(new, NEW_Y, clusters),
            patients.certify(new, NEW_Y, clusters=clusters),
            certify(patients, new[rows0], clusters=of_class0),
            patients.check_assumptions(new[rows0], clusters_new=of_class0),
        ):
            assert said in " ".join(str(result.summary()).split())
    text = patients.report(tmp_path / "report.md", new, NEW_Y, clusters="visit").read_text()
    assert said in " ".join(text.split())
    # a column of the same name, or values without one, may have clusters of the fit
    for clusters in (new["visit"].rename("patient"), new["visit"].to_numpy()):
        with pytest.warns(NPWarning, match="All 40 clusters have the names of clusters of the fit"):
            assert said not in str(patients.evaluate(new, NEW_Y, clusters).summary())


def test_clusters_of_the_fit_are_told_also_where_their_column_has_another_name():
    names = np.array([f"P{cluster:04}" for cluster in range(240)])
    frame = pd.DataFrame(X, columns=["u", "v"]).assign(patient=names[CLUSTERS])
    patients = npc(frame, Y, "lda", clusters="patient", random_state=1, **LEVELS)
    again = pd.Series(names[np.where(NEW_CLUSTERS < 206, NEW_CLUSTERS - 195, NEW_CLUSTERS)])
    new = pd.DataFrame(NEW, columns=["u", "v"]).assign(Patient=again)
    rows0 = NEW_Y == 0
    told = "6 of the 40 clusters have the names of clusters of the fit (the new clusters come from"
    for clusters, name in (
        ("Patient", "Patient"),
        (again.rename("patient_id"), "patient_id"),
        (again.rename(0), 0),
        (pd.Index(again, name="Patient"), "Patient"),
    ):
        of_class0 = clusters if isinstance(clusters, str) else clusters[rows0]
        for call in (
            lambda clusters=clusters: patients.evaluate(new, NEW_Y, clusters),
            lambda clusters=clusters: patients.certify(new, NEW_Y, clusters=clusters),
            lambda of_class0=of_class0: certify(patients, new[rows0], clusters=of_class0),
            lambda of_class0=of_class0: patients.check_assumptions(new[rows0], clusters_new=of_class0),
        ):
            whole = f"{told} {name!r}, those of the fit from 'patient'). If they are the same clusters,"
            with pytest.warns(NPWarning, match=re.escape(whole)):
                result = call()
            assert whole in " ".join(str(result.summary()).split())


def test_notes_say_what_holds_for_each_single_split_and_nothing_more_of_the_vote():
    several = npc(X, Y, "lda", clusters=CLUSTERS, n_splits=3, random_state=1, **LEVELS)
    notes = several.notes()
    assert "for each single split" in notes[0]
    assert any("majority vote of 3 splits the same bound is not proved" in note for note in notes)
    # there are no experiments with such votes
    assert "experiments" not in " ".join(notes)
    assert "Violation rate and Type I upper are those of each single split, not of the vote." in notes[1]
    text = " ".join(str(several.summary()).split())
    assert all(note.split(":")[0] in text for note in notes)


@pytest.mark.parametrize("ending", ["joblib", "skops"])
def test_saving_and_loading(fit, tmp_path, ending):
    if ending == "skops":
        pytest.importorskip("skops")
    again = load(save(fit, tmp_path / f"fit.{ending}"))
    assert isinstance(again, NPClusterFit)
    np.testing.assert_array_equal(again.predict(NEW), fit.predict(NEW))


def test_the_estimator_does_the_same(fit):
    model = NPClassifier("lda", random_state=1, **LEVELS, split_ratio=0.5).fit(X, Y, clusters=CLUSTERS)
    assert isinstance(model.fit_, NPClusterFit)
    np.testing.assert_array_equal(model.thresholds_, fit.thresholds)
    np.testing.assert_array_equal(model.predict(NEW), fit.predict(NEW))


# the Early Warning Project: 60 onsets of mass killing in 39 countries


@pytest.fixture(scope="module")
def onsets():
    if not EWP.exists():
        pytest.skip("ewp_masskilling32.csv.gz is not beside the repository (../shared/data)")
    frame = pd.read_csv(EWP)
    return frame.drop(columns=["y", "id_sftgcode", "id_year"]), frame["y"]


def test_left_out_countries_are_too_few_for_a_small_alpha(onsets):
    rows, y = onsets
    message = (
        r"n0=19 left-out clusters with class 0 rows cannot meet alpha=0.1 with delta=0.1; at least 22 are needed "
        r"\(or alpha >= 0.115, .*The 60 class 0 rows belong to 39 cluster\(s\)"
    )
    with pytest.raises(TooFewSamplesError, match=message):
        npc(rows, y, "penlog", clusters="id_country", alpha=0.1, delta=0.1, random_state=1, split_ratio=0.5)


def test_at_alpha_12_percent_19_countries_are_enough(onsets):
    rows, y = onsets
    fit = npc(rows, y, "lda", clusters="id_country", alpha=0.12, delta=0.1, random_state=1, split_ratio=0.5)
    assert (fit.n_clusters, fit.n_clusters0, fit.n0, fit.n0_left_out) == (162, 39, 60, 19)
    assert fit.orders[0] == 19
    assert "id_country" not in fit.feature_names
    assert len(fit.feature_names) == 32


def test_a_certificate_is_the_same_in_every_call_and_says_that_clusters_count():
    rng = np.random.default_rng(4)
    patients = np.repeat(np.arange(80), 5)
    labels = np.repeat(rng.integers(0, 2, 80), 5)
    rows = rng.normal(size=(400, 2)) + labels[:, None] + rng.normal(size=80)[patients][:, None]
    fit = npc(rows, labels, "lda", alpha=0.4, delta=0.2, clusters=patients, random_state=1)
    fresh = rng.normal(size=(300, 2)) + rng.normal(size=60)[np.repeat(np.arange(60), 5)][:, None]
    groups_of = np.repeat(np.arange(100, 160), 5)
    bounds = {fit.certify(fresh, clusters=groups_of).n_called1 for _ in range(5)}
    errors = {fit.evaluate(rows, labels, patients + 200).type1 for _ in range(5)}
    assert len(bounds) == len(errors) == 1
    others = {fit.certify(fresh, clusters=groups_of, random_state=seed).n_called1 for seed in range(10)}
    assert len(others) > 1
    text = " ".join(str(fit.certify(fresh, clusters=groups_of).summary()).split())
    assert "One row was drawn of each cluster" in text
    assert fit.certify(fresh, clusters=groups_of).n0 == 60


@pytest.mark.slow
def test_looks_as_clusters_come_in_count_the_same_rows(fit):
    rng = np.random.default_rng(5)
    # within a cluster some rows are called class 1 and others are not
    fresh, clusters = rng.normal(size=(300, 2)) * 3, np.repeat(np.arange(200, 300), 3)
    looks = [fit.certify(fresh[: 3 * n], clusters=clusters[: 3 * n], anytime=True) for n in range(1, 101)]
    assert [look.n0 for look in looks] == list(range(1, 101))
    steps = np.diff([look.n_called1 for look in looks])
    assert set(steps.tolist()) == {0, 1}


@pytest.mark.filterwarnings("ignore::nproc.errors.NPWarning")
def test_the_same_seed_gives_the_same_errors_where_scores_tie():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [200, 200])
    rows, new = (np.round(rng.normal(size=(400, 2)) + y[:, None]) for _ in range(2))
    clusters = np.arange(400) // 2
    fit = npc(rows, y, "tree", alpha=0.2, ties="randomize", clusters=clusters, random_state=1)
    assert (fit.scores0[0] == fit.thresholds[0]).sum() > 1
    found = [fit.evaluate(new, y, clusters, random_state=3) for _ in range(5)]
    assert len({(one.type1, one.type2) for one in found}) == 1


# folds inside the method that keep clusters together


class SameRows:
    def fit_resample(self, X, y):
        return X, y


def by_groups(**known):
    return GridSearchCV(LogisticRegression(), {"C": [0.001, 0.1, 10.0]}, cv=GroupKFold(4), **known)


def same_search(fit, search):
    (split,) = cluster_splits(Y, read_membership(CLUSTERS, "clusters", X)[2], 1, fit.scores0[0].size, fit.seed)
    rows = split.idx_train
    expected = search.fit(X[rows], Y[rows], groups=CLUSTERS[rows])
    found = fit.scorers[0]
    np.testing.assert_array_equal(found.cv_results_["mean_test_score"], expected.cv_results_["mean_test_score"])
    assert found.best_params_ == expected.best_params_


def test_a_search_by_groups_has_the_clusters_of_its_training_rows_as_groups():
    fit = npc(X, Y, by_groups(), clusters=CLUSTERS, random_state=1, **LEVELS)
    same_search(fit, by_groups())
    with pytest.raises(InvalidInputError, match=r"give clusters=, the cluster of each row$"):
        npc(X, Y, by_groups(), **LEVELS)
    with pytest.raises(InvalidInputError, match=r"give clusters=, the cluster of each row, and no resample=$"):
        npc(X, Y, by_groups(), resample=SameRows(), **LEVELS)
    # other folds give other errors, so that the agreement says something
    with pytest.raises(AssertionError):
        same_search(npc(X, Y, by_groups().set_params(cv=4), clusters=CLUSTERS, random_state=1, **LEVELS), by_groups())


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_the_search_may_stand_in_a_pipeline_and_run_in_processes(n_jobs):
    method = make_pipeline(StandardScaler(), by_groups())
    known = {"clusters": CLUSTERS, "random_state": 1, "n_splits": 3, **LEVELS}
    fit = npc(X, Y, method, n_jobs=n_jobs, **known)
    assert np.isfinite(fit.scorers[2][-1].cv_results_["mean_test_score"]).all()
    model = NPClassifier(method, random_state=1, n_splits=3, class0=0, **LEVELS).fit(X, Y, clusters=CLUSTERS)
    np.testing.assert_array_equal(model.predict(X), fit.predict(X))


@pytest.mark.skipif(not since("scikit-learn", "1.9"), reason="1.6 hands no groups to a selection within a pipeline")
@pytest.mark.parametrize("kind", [RFECV, SequentialFeatureSelector])
def test_a_selection_by_groups_before_the_last_step_has_the_clusters_as_groups(kind):
    groups_seen = []

    class Folds(GroupKFold):
        def split(self, X, y=None, groups=None):
            groups_seen.append((np.asarray(X), groups))
            return super().split(X, y, groups)

    method = make_pipeline(StandardScaler(), kind(LogisticRegression(), cv=Folds(3)), LogisticRegression())
    fit = npc(X, Y, method, clusters=CLUSTERS, random_state=1, **LEVELS)
    (split,) = cluster_splits(Y, read_membership(CLUSTERS, "clusters", X)[2], 1, fit.scores0[0].size, fit.seed)
    scaled = StandardScaler().fit_transform(X[split.idx_train])
    assert groups_seen
    for rows, groups in groups_seen:
        np.testing.assert_array_equal(groups, CLUSTERS[split.idx_train])
        # a selection may look at one column at a time
        assert any(np.allclose(rows[:, 0], column) for column in scaled.T)


@pytest.mark.slow
def test_folds_that_clusters_cannot_reach_are_told_so():
    known = {"clusters": CLUSTERS, "random_state": 1, **LEVELS}
    one = ("one", LogisticRegression())
    for method in (
        StackingClassifier([one], cv=GroupKFold(3)),
        StackingClassifier([one, ("two", by_groups())], cv=3),
    ):
        with pytest.raises(InvalidInputError, match="The clusters do not reach all folds inside this method") as told:
            npc(X, Y, method, **known)
        assert "give clusters=" not in str(told.value)


def test_a_search_by_groups_without_clusters_and_with_weights_is_told_the_way():
    with pytest.raises(InvalidInputError, match="clusters of npc: give clusters=, the cluster of each row"):
        npc(X, Y, by_groups(), random_state=1, **LEVELS)
    known = {"clusters": CLUSTERS, "random_state": 1, **LEVELS}
    with pytest.raises(InvalidInputError, match="asks for groups, and sample_weight is given as well"):
        npc(X, Y, by_groups(), sample_weight=np.ones(N), **known)
    with config_context(enable_metadata_routing=True):
        inner = LogisticRegression().set_fit_request(sample_weight=True).set_score_request(sample_weight=False)
    weighted = by_groups().set_params(estimator=inner)
    same_search(npc(X, Y, weighted, sample_weight=np.ones(N), **known), by_groups())


def test_the_chosen_number_of_left_out_clusters_is_explained():
    fit = npc(X, Y, "lda", clusters=CLUSTERS, random_state=1, **LEVELS)
    told = " ".join(str(fit.summary()).split())
    near = int(
        re.search(r"The split ratio \(auto\): among the numbers of left-out clusters within (\d+) of half", told)[1]
    )
    assert abs(fit.n0_left_out - fit.n_clusters0 / 2) <= near + 0.5
