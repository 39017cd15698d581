"""nproc.groups.thresholds, groupfit and groupevaluation: thresholds, classifiers and errors by group."""

import itertools
import pickle
import re
import warnings

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from nproc import NPClassifier, NPFit, load, min_class0_size, np_order, np_threshold, npc, save
from nproc.errors import InvalidInputError, NPWarning, TooFewSamplesError
from nproc.groups import GroupThresholds, NPGroupFit, np_group_thresholds
from nproc.groups.membership import read_membership
from nproc.groups.umbrella import group_splits
from nproc.orderstat import clopper_pearson, type1_upper, violation_rate
from nproc.plotting.scores import plot_group_scores
from nproc.splitting import make_splits

pytestmark = pytest.mark.usefixtures("reports_without_pictures")

RNG = np.random.default_rng(0)
GROUPS = np.repeat(["a", "b", "c"], [300, 200, 240])
Y = np.tile([0, 1], 370)
FRAME = pd.DataFrame(RNG.normal(size=(740, 2)) + 1.5 * Y[:, None], columns=["u", "v"])
FRAME["v"] += GROUPS == "b"
NEW_GROUPS, NEW_Y = GROUPS[::7], Y[::7]
NEW = pd.DataFrame(RNG.normal(size=(106, 2)) + 1.5 * NEW_Y[:, None], columns=["u", "v"])
LEVELS = {"alpha": 0.1, "delta": 0.1}


def words_of(summary):
    return " ".join(str(summary).split())


@pytest.fixture(scope="module")
def separate():
    return npc(FRAME, Y, "lda", groups=GROUPS, random_state=1, **LEVELS, split_ratio=0.5)


@pytest.fixture(scope="module")
def pooled():
    return npc(FRAME, Y, "lda", groups=GROUPS, group_thresholds="pooled", random_state=1, **LEVELS, split_ratio=0.5)


# thresholds from scores


def test_separate_thresholds_are_order_statistics_at_the_shared_level():
    scores0 = RNG.normal(size=740)
    found = np_group_thresholds(scores0, GROUPS, **LEVELS)
    each = 1 - 0.9 ** (1 / 3)
    assert found.groups == ("a", "b", "c")
    np.testing.assert_allclose(found.group_delta, each, rtol=1e-14)
    for group, value, order, n0 in zip("abc", found.values, found.orders, found.n0, strict=True):
        own = np.sort(scores0[group == GROUPS])
        assert n0 == own.size
        assert order == np_order(n0, 0.1, each)
        assert value == own[order - 1]
    rates = [violation_rate(int(k), int(n), 0.1) for k, n in zip(found.orders, found.n0, strict=True)]
    np.testing.assert_array_equal(found.violation_rates, rates)
    np.testing.assert_allclose(found.violation_rate, 1 - np.prod(1 - np.array(rates)), rtol=1e-12)
    uppers = [type1_upper(int(k), int(n), found.group_delta) for k, n in zip(found.orders, found.n0, strict=True)]
    np.testing.assert_array_equal(found.type1_uppers, uppers)
    assert found.setter is None


def test_the_pooled_threshold_is_the_largest_of_those_at_delta():
    scores0 = RNG.normal(size=740) + (GROUPS == "b")
    found = np_group_thresholds(scores0, GROUPS, pooled=True, **LEVELS)
    own = [np_threshold(scores0[group == GROUPS], **LEVELS) for group in "abc"]
    assert found.setter == "b"
    assert found.values.tolist() == [max(rule.value for rule in own)] * 3
    assert found.violation_rate == max(rule.violation_rate for rule in own)
    assert found.type1_uppers.tolist() == [max(rule.type1_upper for rule in own)] * 3
    assert found.predict([9.0, -9.0]).tolist() == [1, 0]


@pytest.mark.parametrize("pooled", [False, True])
def test_one_group_is_no_group(pooled):
    scores0 = RNG.normal(size=100)
    found = np_group_thresholds(scores0, np.zeros(100), pooled=pooled)
    plain = np_threshold(scores0)
    assert (found.values[0], found.violation_rate, found.type1_uppers[0]) == (
        plain.value,
        pytest.approx(plain.violation_rate, rel=1e-13),
        plain.type1_upper,
    )


def test_labels_follow_the_threshold_of_the_group():
    found = np_group_thresholds(np.r_[np.arange(50.0), np.arange(50.0) + 100], np.repeat([0, 1], 50), **LEVELS)
    assert found.predict([60.0, 60.0, 200.0], [0, 1, 1]).tolist() == [1, 0, 1]
    with pytest.raises(InvalidInputError, match="groups is missing: separate thresholds need the group of every score"):
        found.predict([60.0])
    with pytest.raises(InvalidInputError, match="groups has the value 7, which has no threshold"):
        found.predict([60.0], [7])


@pytest.mark.parametrize("pooled", [False, True])
def test_randomised_ties_have_the_cut_of_the_group_or_of_the_largest_pair(pooled):
    scores0, groups = np.tile([0.0, 1.0, 2.0], 60), np.repeat(["a", "b"], 90)
    found = np_group_thresholds(scores0, groups, pooled=pooled, ties="randomize", random_state=3, **LEVELS)
    pairs = [(rule.value, rule.tie_cut) for rule in found.rules]
    if pooled:
        assert {(rule.value, rule.tie_cut) for rule in found.used} == {max(pairs)}
    else:
        assert [(rule.value, rule.tie_cut) for rule in found.used] == pairs
    tied = found.predict(np.full(20_000, 2.0), np.repeat(["a", "b"], 10_000), random_state=4).reshape(2, -1)
    shares = [1 - rule.tie_cut for rule in found.used]
    np.testing.assert_allclose(tied.mean(axis=1), shares, atol=0.02)


def test_reports_of_thresholds():
    found = np_group_thresholds(RNG.normal(size=740), GROUPS, **LEVELS)
    assert repr(found).startswith("GroupThresholds(separate, 3 groups, alpha=0.1, delta=0.1, values=[")
    text = " ".join(str(found.summary()).split())
    assert "in all groups at once with probability at least 0.9" in text
    assert "delta of each group:" in text
    frame = found.to_frame()
    assert frame["group"].tolist() == ["a", "b", "c"]
    assert frame["threshold"].tolist() == found.values.tolist()
    largest = np_group_thresholds(RNG.normal(size=740) + (GROUPS == "c"), GROUPS, pooled=True, **LEVELS)
    assert "The threshold was computed from the group c" in " ".join(str(largest.summary()).split())


# too few rows


def test_the_group_that_is_too_small_is_named_with_its_sizes_and_what_would_do():
    sizes = [50, 200]
    with pytest.raises(TooFewSamplesError) as error:
        np_group_thresholds(np.arange(250.0), np.repeat(["a", "b"], sizes))
    message = str(error.value)
    assert message.startswith(
        "the group 'a' has 50 class 0 row(s); alpha=0.05 with delta=0.05 (each of the 2 groups at"
    )
    assert f"needs at least {min_class0_size(0.05, 1 - 0.95**0.5)} left out" in message
    # pooled needs 59, so it is no way out here
    assert "pooled" not in message
    assert "merging the groups 'a' and 'b'" in message
    assert "'a': 50, 'b': 200" in message
    suggested = float(message.split("alpha >= ")[1].split(";")[0])
    np_group_thresholds(np.arange(250.0), np.repeat(["a", "b"], sizes), alpha=suggested)


def test_npc_says_how_many_rows_the_group_takes_in_all():
    groups = np.where(np.arange(740) < 100, "small", "large")
    message = r"the group 'small' has 50 class 0 row\(s\), of which split_ratio=0.5 leaves out 25 for its threshold; "
    with pytest.raises(TooFewSamplesError, match=message + r".* which takes \d+ in the group.*split_ratio=0\."):
        npc(FRAME, Y, "lda", groups=groups, random_state=1, alpha=0.1, delta=0.05, split_ratio=0.5)
    with pytest.raises(TooFewSamplesError, match=r"needs at least 29 left out, which takes 57 in the group"):
        npc(
            FRAME,
            Y,
            "lda",
            groups=groups,
            group_thresholds="pooled",
            random_state=1,
            alpha=0.1,
            delta=0.05,
            split_ratio=0.5,
        )
    assert (
        npc(FRAME, Y, "lda", groups=groups, random_state=1, alpha=0.2, delta=0.05, split_ratio=0.5).n0_left_out == 185
    )


def test_a_group_without_class_0_rows_is_named():
    groups = np.where((np.arange(740) < 100) & (Y == 1), "ones", "others")
    with pytest.raises(
        TooFewSamplesError, match="the group 'ones' has no class 0 row, so its type I error cannot be bounded"
    ):
        npc(FRAME, Y, "lda", groups=groups, random_state=1)


def test_a_group_of_which_no_row_trains_is_named_with_another_way_out():
    with pytest.raises(
        TooFewSamplesError, match=r"^split_ratio=0\.001 leaves none of the \d+ class 0 row\(s\) of the group"
    ):
        npc(FRAME, Y, "lda", groups=GROUPS, split_ratio=0.001, random_state=1, alpha=0.1, delta=0.1)


def test_no_alpha_of_1_is_suggested():
    # 2 scores of one group are too few for any alpha in floats, and those of both too few for this delta
    with pytest.raises(TooFewSamplesError, match="Collect more class 0 rows, or merge groups") as error:
        np_group_thresholds(np.arange(202.0), np.repeat(["a", "b"], [2, 200]), delta=1e-8)
    assert "alpha >=" not in str(error.value)


def _ways(message):
    after = message.split("Any of these would be enough: ")
    return after[1].split(". In all")[0].split("; ") if len(after) > 1 else []


SIZES_AND_WAYS = [
    ([40] * 5, 1),
    ([50, 200], 2),
    ([60, 200], 3),
    ([60, 60, 60], 2),
    ([58, 200, 200], 2),
    ([2, 200], 2),
    ([20, 20, 20, 200], 1),
    ([5, 70], 2),
]


@pytest.mark.parametrize(("sizes", "n_ways"), SIZES_AND_WAYS)
def test_each_piece_of_advice_for_too_small_groups_works(sizes, n_ways):
    groups, scores = np.repeat([*"abcde"][: len(sizes)], sizes), np.arange(float(sum(sizes)))
    with pytest.raises(TooFewSamplesError) as error:
        np_group_thresholds(scores, groups)
    ways = _ways(str(error.value))
    for way in ways:
        if way.startswith("alpha >= "):
            np_group_thresholds(scores, groups, alpha=float(way[len("alpha >= ") :]))
        elif way.startswith("one threshold"):
            np_group_thresholds(scores, groups, pooled=True)
        else:
            first, second = way.removeprefix("merging the groups ").replace("'", "").split(" and ")
            np_group_thresholds(scores, np.where(groups == first, second, groups))
    assert len(ways) == n_ways
    # what is not said is refused: pooled, and each merging of two groups
    if not any(way.startswith("one threshold") for way in ways):
        with pytest.raises(TooFewSamplesError):
            np_group_thresholds(scores, groups, pooled=True)
    if not any(way.startswith("merging") for way in ways):
        for first, second in itertools.combinations(np.unique(groups), 2):
            with pytest.raises(TooFewSamplesError):
                np_group_thresholds(scores, np.where(groups == first, second, groups))


@pytest.mark.parametrize("ratio", [0.5, "auto"])
def test_each_piece_of_advice_for_too_small_groups_of_a_fit_works(ratio):
    # the smallest group has 50 class 0 rows
    groups = np.where(np.arange(740) < 100, "small", np.where(np.arange(740) < 400, "middle", "large"))
    call = {"groups": groups, "random_state": 1, "alpha": 0.08, "split_ratio": ratio}
    with pytest.raises(TooFewSamplesError) as error:
        npc(FRAME, Y, "lda", **call)
    ways = _ways(str(error.value))
    assert len(ways) > 1
    for way in ways:
        if way.startswith("alpha >= "):
            changed = {"alpha": float(way[len("alpha >= ") :])}
        elif way.startswith("split_ratio="):
            changed = {"split_ratio": float(way[len("split_ratio=") :])}
        elif way.startswith("one threshold"):
            changed = {"group_thresholds": "pooled"}
        else:
            first, second = way.removeprefix("merging the groups ").replace("'", "").split(" and ")
            changed = {"groups": np.where(groups == first, second, groups)}
        npc(FRAME, Y, "lda", **(call | changed))


# splits


def test_every_group_leaves_out_as_many_rows_as_asked():
    members = read_membership(GROUPS, "groups", FRAME)[2]
    for split in group_splits(Y, members, 3, (90, 60, 72), 7):
        left = split.idx_left0
        assert np.all(np.diff(left) > 0)
        assert np.all(Y[left] == 0)
        assert [int(np.sum(GROUPS[left] == g)) for g in "abc"] == [90, 60, 72]
        assert sorted([*left, *split.idx_train]) == list(range(740))


def test_a_single_group_has_the_splits_of_no_groups():
    members = read_membership(np.zeros(740), "groups", FRAME)[2]
    pairs = zip(
        group_splits(Y, members, 3, (185,), 5), make_splits(Y, 3, 0.5, 5, leave_out_class1=False), strict=True
    )  # fmt: skip
    for ours, plain in pairs:
        np.testing.assert_array_equal(ours.idx_left0, plain.idx_left0)
        np.testing.assert_array_equal(ours.idx_train, plain.idx_train)


def test_npc_with_a_single_group_is_npc(separate):
    one = npc(FRAME, Y, "lda", groups=np.zeros(740), random_state=1, n_splits=3, **LEVELS)
    plain = npc(FRAME, Y, "lda", random_state=1, n_splits=3, **LEVELS)
    np.testing.assert_array_equal(one.thresholds[:, 0], plain.thresholds)
    np.testing.assert_array_equal(one.decision_function(NEW, np.zeros(len(NEW))), plain.decision_function(NEW))


def test_left_out_rows_do_not_train():
    class Memory:
        def fit(self, X, y):
            self.rows = {tuple(row) for row in np.asarray(X).tolist()}
            return self

        def decision_function(self, X):
            return np.array([tuple(row) in self.rows for row in np.asarray(X).tolist()]) + np.asarray(X)[:, 0] * 1e-3

    fit = npc(FRAME, Y, Memory(), groups=GROUPS, random_state=1, **LEVELS)
    assert max(part.max() for part in fit.scores0[0]) < 0.5


# the classifier


def test_predictions_are_those_of_the_definition(separate, pooled):
    scores = separate.scorers[0].decision_function(NEW.to_numpy())
    cuts = dict(zip(separate.group_values, separate.thresholds[0], strict=True))
    expected = (scores > np.array([cuts[g] for g in NEW_GROUPS])).astype(int)
    np.testing.assert_array_equal(separate.predict(NEW, NEW_GROUPS), expected)
    np.testing.assert_array_equal(separate.decision_function(NEW, NEW_GROUPS) > 0, expected == 1)
    np.testing.assert_array_equal(separate.votes(NEW, NEW_GROUPS), expected)
    np.testing.assert_array_equal(pooled.predict(NEW), (scores > pooled.thresholds[0, 0]).astype(int))
    np.testing.assert_array_equal(pooled.predict(NEW, NEW_GROUPS), pooled.predict(NEW))


def test_three_splits_vote():
    fit = npc(FRAME, Y, "lda", groups=GROUPS, n_splits=3, random_state=2, **LEVELS)
    cuts = np.column_stack([rule.values[np.searchsorted(["a", "b", "c"], NEW_GROUPS)] for rule in fit.rules])
    above = np.column_stack([s.decision_function(NEW.to_numpy()) for s in fit.scorers]) > cuts
    np.testing.assert_allclose(fit.votes(NEW, NEW_GROUPS), above.mean(axis=1))
    np.testing.assert_array_equal(fit.predict(NEW, NEW_GROUPS), above.mean(axis=1) > 0.5)
    assert fit.guaranteed is False
    text = " ".join(str(fit.summary()).split())
    assert "the same bound is not proved" in text
    assert fit.vote_bound().sentence().replace("Proved:", "Proved in all groups at once:") in text
    bound = fit.vote_bound()
    assert (bound.type1_upper, bound.failure) == (pytest.approx(0.15), pytest.approx(0.3))
    assert fit.to_frame().shape == (9, 8)


def test_groups_of_new_rows_are_needed_and_known(separate):
    with pytest.raises(InvalidInputError, match="groups is missing: give the group of every row"):
        separate.predict(NEW)
    with pytest.raises(InvalidInputError, match="groups has the value 'z', which has no threshold"):
        separate.predict(NEW, np.full(len(NEW), "z"))
    with pytest.raises(InvalidInputError, match="groups has 3 values and X has"):
        separate.predict(NEW, ["a", "b", "c"])


def test_a_named_column_that_a_step_asks_for_is_said_to_be_taken_out():
    frame = FRAME.assign(site=GROUPS)
    coding = make_column_transformer((OneHotEncoder(), ["site"]), remainder="passthrough")
    model = make_pipeline(coding, LogisticRegression())
    with pytest.raises(InvalidInputError, match=r"A column whose name .* no longer in X.*groups=X\[NAME\]"):
        npc(frame, Y, model, groups="site", random_state=1, **LEVELS)
    assert npc(frame, Y, model, groups=frame["site"], random_state=1, **LEVELS).feature_names == ("u", "v", "site")


def test_a_named_column_does_not_predict_and_is_found_again(separate):
    frame, new = FRAME.assign(site=GROUPS), NEW.assign(site=NEW_GROUPS)
    fit = npc(frame, Y, "lda", groups="site", random_state=1, **LEVELS, split_ratio=0.5)
    assert fit.feature_names == ("u", "v")
    assert fit.group_column == "site"
    np.testing.assert_array_equal(fit.thresholds, separate.thresholds)
    np.testing.assert_array_equal(fit.predict(new), separate.predict(NEW, NEW_GROUPS))
    np.testing.assert_array_equal(fit.predict(NEW, NEW_GROUPS), separate.predict(NEW, NEW_GROUPS))
    renamed = new.rename(columns={"site": "town"})
    np.testing.assert_array_equal(fit.predict(renamed, "town"), separate.predict(NEW, NEW_GROUPS))
    with pytest.raises(InvalidInputError, match="give the group of every row by groups=, or a column 'site' in X"):
        fit.predict(NEW)
    for given in ({}, {"groups": "site"}):
        with pytest.raises(
            InvalidInputError, match=r"the column 'site' of X, .*, has the value 'z', .* as groups=, or"
        ):
            fit.evaluate(new.assign(site="z"), NEW_Y, **given)


def test_groups_computed_from_a_column_are_not_looked_for_under_its_name():
    frame, new = FRAME.assign(flag=(GROUPS == "b") * 1), NEW.assign(flag=(NEW_GROUPS == "b") * 1)
    for values in (1 - frame["flag"], frame["flag"].map({0: "no", 1: "yes"}), frame["flag"].iloc[::-1].to_numpy()):
        for rows in (frame, FRAME):
            fit = npc(rows, Y, "lda", groups=values, random_state=1, **LEVELS)
            assert fit.group_column is None
            with pytest.raises(
                InvalidInputError, match=r"groups=\. The groups of the fit were given as values, not as a"
            ):
                fit.predict(new)
    clustered = npc(frame, Y, "lda", clusters=frame["flag"] + np.arange(len(frame)) // 2, random_state=1, **LEVELS)
    with pytest.warns(NPWarning, match="clusters is missing, so each"):
        clustered.certify(new[NEW_Y == 0])


def test_a_formula_decides_whether_the_groups_predict():
    data = FRAME.assign(label=Y, site=GROUPS)
    plain = npc("label ~ .", data=data, method="lda", groups="site", random_state=1, **LEVELS)
    assert plain.feature_names == ("u", "v")
    both = npc("label ~ u + v + site", data=data, method="lda", groups="site", random_state=1, **LEVELS)
    assert both.feature_names == ("u", "v", "site")
    new = NEW.assign(site=NEW_GROUPS, label=NEW_Y)
    assert plain.evaluate(new).overall.n0 == both.evaluate(new).overall.n0 == int(np.sum(NEW_Y == 0))


def test_an_array_of_groups_leaves_the_rows_as_they_are():
    frame = FRAME.assign(b=(GROUPS == "b").astype(float))
    fit = npc(frame, Y, "lda", groups=frame["b"], random_state=1, **LEVELS)
    assert fit.feature_names == ("u", "v", "b")
    assert fit.predict(NEW.assign(b=(NEW_GROUPS == "b").astype(float))).shape == (len(NEW),)


def test_prefit_scores_all_class_0_rows():
    fit = npc(FRAME.to_numpy(), Y, lambda X: X[:, 0], prefit=True, groups=GROUPS, random_state=1, **LEVELS)
    assert fit.n0_left_out_by_group.tolist() == [150, 100, 120]
    assert fit.split_ratio is None
    own = np_group_thresholds(FRAME["u"].to_numpy()[Y == 0], GROUPS[Y == 0], **LEVELS)
    np.testing.assert_array_equal(fit.thresholds[0], own.values)


def test_a_trained_fit_by_groups_needs_their_column_in_X_whatever_groups_the_call_has(separate):
    with pytest.raises(InvalidInputError, match=r"sees X alone, and not the groups .* the name of a column of X\.$"):
        npc(NEW, NEW_Y, separate, prefit=True, groups=NEW_GROUPS, alpha=0.3, delta=0.5)
    by_column = npc(FRAME.assign(g=GROUPS), Y, "lda", groups="g", random_state=1, **LEVELS)
    rows = NEW.assign(g=NEW_GROUPS)
    for X, groups in ((NEW, NEW_GROUPS), (rows, "g")):
        with pytest.raises(InvalidInputError, match=r"^X has no column 'g' for the method.* give the values"):
            npc(X, NEW_Y, by_column, prefit=True, groups=groups, alpha=0.3, delta=0.5)
    assert npc(rows, NEW_Y, by_column, prefit=True, groups=rows["g"], alpha=0.3, delta=0.5).group_values == (*"abc",)


def test_randomised_ties_of_a_fit_use_the_cut_of_the_group():
    X = np.floor(2 * FRAME.to_numpy())
    fit = npc(X, Y, lambda X: X[:, 0], prefit=True, groups=GROUPS, ties="randomize", random_state=1, **LEVELS)
    tied = np.column_stack([fit.thresholds[0].repeat(4000), np.zeros(12_000)])
    votes = fit.votes(tied, np.repeat(["a", "b", "c"], 4000), random_state=2).reshape(3, -1).mean(axis=1)
    np.testing.assert_allclose(votes, [1 - rule.tie_cut for rule in fit.rules[0].rules], atol=0.04)
    assert "called at random" in " ".join(str(fit.summary()).split())


def test_the_same_seed_gives_the_same_classifier_for_every_number_of_jobs(separate):
    runs = [
        npc(FRAME, Y, "lda", groups=GROUPS, n_splits=3, n_jobs=n_jobs, random_state=1, **LEVELS, split_ratio=0.5)
        for n_jobs in (1, 2)
    ]
    np.testing.assert_array_equal(runs[0].thresholds, runs[1].thresholds)
    np.testing.assert_array_equal(runs[0].thresholds[0], separate.thresholds[0])


def test_constant_scores_are_warned_of_and_told_without_the_groups():
    with pytest.warns(NPWarning, match="^method '<lambda>' gives every row the same score, 0, so") as heard:
        fit = npc(FRAME, Y, lambda X: np.zeros(len(X)), prefit=True, groups=GROUPS, random_state=1, **LEVELS)
    assert len(heard) == 1
    assert "Some scores are tied. Method '<lambda>' gives every row the same score" in words_of(fit.summary())


@pytest.mark.parametrize("how", ["separate", "pooled"])
def test_groups_in_which_every_row_is_called_class_0_are_named_by_their_own_thresholds(how, tmp_path):
    # in b nothing lies above the threshold that is used there, while in c class 1 does
    scores = np.where(GROUPS == "b", 0.0 if how == "separate" else 9.3, np.arange(740.0) / 80 + Y)[:, None]
    told = "in group 'b', method '<lambda>' gives every row the same score, (0|9.3), so every row is called class 0"
    arguments = {"groups": GROUPS, "group_thresholds": how, "prefit": True, "random_state": 1, **LEVELS}
    with pytest.warns(NPWarning, match=f"^{told}") as heard:
        fit = npc(scores, Y, lambda X: X[:, 0], **arguments)
    assert len(heard) == 1
    called = fit.predict(scores, GROUPS)
    assert not called[GROUPS == "b"].any()
    assert called[GROUPS != "b"].any()
    assert re.search(told.replace("in", "In", 1), words_of(fit.summary()))
    fit.report(tmp_path / "report.md")
    assert "every row is called class 0" in (tmp_path / "report.md").read_text()
    # the caveat stays where the threshold of the group stays
    assert fit.with_levels(alpha=0.3).caveats == fit.caveats


def test_only_the_caveats_of_groups_with_lower_thresholds_go_and_all_groups_are_named_in_one_warning():
    tied = np.tile([0.0, 1.0, 2.0, 3.0], 185)
    scores = np.where(GROUPS == "b", np.where(Y == 1, 3.0, np.repeat(tied[:370], 2)), np.where(GROUPS == "a", 5.0, Y))
    match = r"^in group 'a', .* are also found in group 'b', in group 'c'\."
    scores[(GROUPS == "c") & (Y == 0)] = 7.0
    scores[(GROUPS == "c") & (Y == 1)] = 7.0
    with pytest.warns(NPWarning, match=match) as heard:
        fit = npc(scores[:, None], Y, lambda X: X[:, 0], prefit=True, groups=GROUPS, random_state=1, **LEVELS)
    assert len(heard) == 1
    assert [caveat.split(", ")[0] for caveat in fit.caveats] == [
        f"Some scores are tied. In group '{group}'" for group in "abc"
    ]
    less = fit.with_levels(alpha=0.45)
    assert less.predict(scores[:, None], GROUPS)[GROUPS == "b"].any()
    assert less.caveats == (fit.caveats[0], fit.caveats[2])


def test_a_group_with_equal_scores_and_no_row_of_class_1_is_named():
    kept = (GROUPS != "b") | (Y == 0)
    # the second column does not predict, so that equal scores are of different rows
    X = np.c_[np.where(GROUPS == "b", 0.0, FRAME["u"]), FRAME["v"]]
    model = make_pipeline(make_column_transformer(("passthrough", [0])), LogisticRegression())
    with pytest.warns(NPWarning, match="^in group 'b', method '.*' gives every row the same score"):
        npc(X[kept], Y[kept], model, groups=GROUPS[kept], random_state=1, **LEVELS)
    with pytest.warns(
        NPWarning, match=r"^in group 'b', .* \(so it is in all 3 splits; the numbers are those of split 1\)"
    ):
        fit = npc(X, Y, model, groups=GROUPS, random_state=1, n_splits=3, **LEVELS)
    assert "every row is called class 0. So it is in all 3 splits." in words_of(fit.summary())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"groups": GROUPS, "clusters": GROUPS}, "clusters cannot be combined with groups"),
        ({"group_thresholds": "pooled"}, "group_thresholds='pooled' needs groups="),
        ({"groups": GROUPS, "group_thresholds": "one"}, "group_thresholds must be one of 'separate', 'pooled'"),
        ({"groups": GROUPS, "split_ratio": "adaptive"}, "split_ratio='adaptive' cannot be used with groups"),
        ({"groups": GROUPS[:5]}, "groups has 5 values and there are 740 rows"),
    ],
)
def test_arguments_that_do_not_fit_are_errors(arguments, message):
    with pytest.raises(InvalidInputError, match=message):
        npc(FRAME, Y, "lda", random_state=1, **arguments)


# what it says


def test_reports_of_a_fit(separate, pooled, tmp_path):
    def flat(text):
        return " ".join(str(text).split())

    assert isinstance(separate, NPFit)
    assert repr(separate).startswith("NPGroupFit(method='lda', alpha=0.1, delta=0.1, 1 split, class0=0, seed=1)\n")
    assert "separate thresholds for 3 groups, 50 to 75 left-out class 0 rows in each" in repr(separate)
    assert "one threshold for 3 groups" in repr(pooled)
    one = npc(FRAME, Y, "lda", groups=np.repeat("a", 740), random_state=1, **LEVELS, split_ratio=0.5)
    assert "one threshold for 1 group, 185 left-out class 0 rows: violation rate" in repr(one)
    text = str(separate.summary())
    assert "type I error controlled in every group" in text
    # 1 - 0.9^(1/3)
    assert "With 3 groups, each threshold therefore uses 1 - (1 - delta)^(1/3) = 0.03451 in place" in flat(text)
    assert "in place of delta" not in flat(one.summary())
    methods = flat(separate.report(tmp_path / "report.md").read_text().split("For a methods section")[1])
    sizes = zip(separate.group_values, separate.n0_left_out_by_group.tolist(), strict=True)
    named = ", ".join(f"{group}: {size}" for group, size in sizes)
    assert f"In each of the 3 groups ({named} of these rows), a threshold was set by its own rows." in methods
    methods = flat(pooled.report(tmp_path / "report.md").read_text().split("For a methods section")[1])
    assert "set by its own rows, and the largest of them is used in all groups." in methods
    assert "it is so in all groups" in " ".join(str(pooled.summary()).split())
    # the rank is that of the own threshold, in the fit as among the thresholds alone
    ranks = "Rank: the rank of the group's own threshold among the scores of the group."
    frame = pooled.to_frame()
    for scores0, order, own in zip(pooled.scores0[0], frame["order"], frame["own_threshold"], strict=True):
        assert np.sum(scores0 <= own) == order
    assert frame["own_threshold"].max() == frame["threshold"].unique().item()
    alone = np_group_thresholds(
        np.concatenate(pooled.scores0[0]), np.repeat(pooled.group_values, frame["n0_left_out"]), pooled=True, **LEVELS
    )
    assert alone.to_frame()["own_threshold"].tolist() == frame["own_threshold"].tolist()
    for shown in (pooled, alone):
        assert ranks in " ".join(str(shown.summary()).split())
    assert "... 1 more" in str(separate.summary(max_rows=2))
    assert separate.to_frame().columns.tolist() == [
        "split",
        "group",
        "threshold",
        "order",
        "own_threshold",
        "n0_left_out",
        "violation_rate",
        "type1_upper",
    ]
    assert separate.violation_rate[0] <= 0.1
    assert separate.n0_by_group.tolist() == [150, 100, 120]
    assert separate.n1_by_group.tolist() == [150, 100, 120]


def test_errors_by_group_are_counts_with_exact_intervals(separate, pooled):
    found = separate.evaluate(NEW, NEW_Y, NEW_GROUPS, level=0.9)
    calls = separate.predict(NEW, NEW_GROUPS)
    for group, part in zip(found.groups, found.parts, strict=True):
        rows = group == NEW_GROUPS
        assert part.n_false1 == np.sum(calls[rows & (NEW_Y == 0)] == 1)
        assert part.n_false0 == np.sum(calls[rows & (NEW_Y == 1)] == 0)
        assert part.type1_interval == clopper_pearson(part.n_false1, part.n0, level=0.9)
        assert found[group] is part
    assert found.overall.n_false1 == sum(part.n_false1 for part in found.parts)
    assert found.to_frame().shape == (6, 10)
    assert repr(found).startswith("GroupEvaluation(3 groups, highest type I error 0.")
    assert "% each, for independent rows, not for all groups at once" in " ".join(str(found.summary()).split())
    with pytest.raises(InvalidInputError, match=r"'z' is not one of the groups \['a', 'b', 'c'\]"):
        found["z"]
    with pytest.raises(InvalidInputError, match="groups is missing"):
        pooled.evaluate(NEW, NEW_Y)
    assert pooled.evaluate(NEW, NEW_Y, NEW_GROUPS)["a"].n0 == found["a"].n0


def test_a_group_without_new_rows_has_no_rate(separate):
    kept = NEW_GROUPS != "c"
    found = separate.evaluate(NEW[kept], NEW_Y[kept], NEW_GROUPS[kept])
    assert found["c"].type1 is None
    assert "-" in str(found.summary())
    assert [t.get_text() for t in found.plot(ax=Figure().subplots()).get_yticklabels()] == [
        f"{g}\nn = {found[g].n0}" for g in "ab"
    ]


def test_what_needs_a_single_threshold_says_so(separate):
    with pytest.raises(InvalidInputError, match=r"p_values requires .*by group"):
        separate.p_values(NEW)
    bound = separate.certify(NEW[NEW_Y == 0], groups=NEW_GROUPS[NEW_Y == 0])
    assert 0 < bound.type1_upper < 1


def test_a_picture_has_a_threshold_and_the_scores_above_it_for_each_group(separate):
    ax = separate.plot(ax=Figure().subplots())
    for row, value in enumerate(separate.thresholds[0]):
        line = next(line for line in ax.lines if line.get_gid() == f"nproc-group-threshold-{row}")
        assert line.get_xdata().tolist() == [value, value]
        above = next(line for line in ax.lines if line.get_gid() == f"nproc-group-above-{row}")
        np.testing.assert_array_equal(
            np.sort(above.get_xdata()), np.sort([s for s in separate.scores0[0][row] if s > value])
        )
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["a\nn = 75", "b\nn = 50", "c\nn = 60"]


@pytest.mark.parametrize(
    ("names", "shown"),
    [((0, 1), ["group 0", "group 1"]), (("1.5", "north"), ["group 1.5", "north"]), (("2 to 3", "-"), ["2 to 3", "-"])],
)
def test_a_group_whose_name_is_a_number_is_called_a_group(names, shown):
    ax = plot_group_scores([[np.arange(4.0), np.arange(6.0)]], [[2.5, 4.5]], names, 0.1, ax=Figure().subplots())
    told = [tick.get_text() for tick in ax.get_yticklabels()]
    assert told == [f"{name}\nn = {n}" for name, n in zip(shown, (4, 6), strict=True)]


def test_the_legend_of_errors_of_groups_has_the_errors_first(separate):
    ax = separate.evaluate(NEW, NEW_Y, NEW_GROUPS).plot(ax=Figure().subplots())
    first, second = (text.get_text() for text in ax.get_legend().get_texts())
    assert first.startswith("type I error")
    assert second.startswith(r"$\alpha$")


def test_a_picture_of_several_splits_is_about_the_thresholds():
    scores = [[np.array([0.0, 2.0]), np.array([1.0])], [np.array([1.0, 5.0]), np.array([2.0])]]
    ax = plot_group_scores(scores, [[1.0, 3.0], [4.0, 4.0]], "ab", 0.1)
    above = next(line for line in ax.lines if line.get_gid() == "nproc-group-above-0")
    assert sorted(above.get_xdata().tolist()) == [1.0, 1.0]
    assert ax.get_xlabel() == "score of left-out class 0 rows,\nminus the threshold of its split and group"


def test_without_class_0_rows_there_is_no_error_to_draw(separate):
    with pytest.raises(InvalidInputError, match="there is no class 0 row"):
        separate.evaluate(NEW[:3], np.ones(3, dtype=int), NEW_GROUPS[:3]).plot(ax=Figure().subplots())


@pytest.mark.parametrize("ending", ["joblib", "skops"])
def test_saving_and_loading(separate, tmp_path, ending):
    if ending == "skops":
        pytest.importorskip("skops")
    again = load(save(separate, tmp_path / f"fit.{ending}"))
    assert isinstance(again, NPGroupFit)
    np.testing.assert_array_equal(again.predict(NEW, NEW_GROUPS), separate.predict(NEW, NEW_GROUPS))
    copy = pickle.loads(pickle.dumps(np_group_thresholds(np.arange(740.0), GROUPS, **LEVELS)))
    assert isinstance(copy, GroupThresholds)


# the estimator


def test_the_estimator_does_the_same(separate):
    model = NPClassifier("lda", random_state=1, **LEVELS, split_ratio=0.5).fit(FRAME, Y, groups=GROUPS)
    np.testing.assert_array_equal(model.thresholds_, separate.thresholds)
    np.testing.assert_array_equal(model.predict(NEW, groups=NEW_GROUPS), separate.predict(NEW, NEW_GROUPS))
    np.testing.assert_array_equal(
        model.decision_function(NEW, groups=NEW_GROUPS), separate.decision_function(NEW, NEW_GROUPS)
    )
    np.testing.assert_array_equal(model.votes(NEW, groups=NEW_GROUPS), separate.votes(NEW, NEW_GROUPS))
    with pytest.raises(InvalidInputError, match="groups is missing"):
        model.predict(NEW)


def test_the_estimator_with_a_pooled_threshold_needs_no_groups(pooled):
    model = NPClassifier("lda", group_thresholds="pooled", random_state=1, **LEVELS, split_ratio=0.5).fit(
        FRAME, Y, groups=GROUPS
    )
    np.testing.assert_array_equal(model.predict(NEW), pooled.predict(NEW))
    plain = model.fit(FRAME, Y)
    assert type(plain.fit_) is NPFit
    with pytest.raises(InvalidInputError, match="groups= is for a classifier that was fitted with groups="):
        plain.predict(NEW, groups=NEW_GROUPS)


def test_cross_validation_of_scikit_learn_divides_the_groups_with_the_rows():
    model = NPClassifier("lda", group_thresholds="pooled", random_state=1, alpha=0.2, delta=0.2)
    folds = StratifiedKFold(3, shuffle=True, random_state=1)
    scores = cross_val_score(model, FRAME, Y, params={"groups": GROUPS}, cv=folds, scoring="balanced_accuracy")
    assert np.all(scores > 0.5)


@pytest.mark.parametrize("how", [{"groups": GROUPS}, {}, {"n_splits": 3, "vote": "random"}])
def test_the_errors_of_a_seed_are_those_of_its_labels(how):
    rows = FRAME.to_numpy()
    if "vote" in how:
        fit = npc(rows, Y, "lda", **how, random_state=1, **LEVELS)
    else:
        tied = {"method": lambda X: np.floor(2 * X[:, 0]), "prefit": True, "ties": "randomize"}
        fit = npc(rows, Y, **tied, **how, random_state=1, **LEVELS)
    members = [GROUPS] if "groups" in how else []
    found = set()
    for seed in range(5):
        labels = fit.predict(rows, *members, random_state=seed)
        with warnings.catch_warnings():
            # the rows of the fit, for their ties
            warnings.simplefilter("ignore", NPWarning)
            errors = fit.evaluate(rows, Y, *members, random_state=seed)
        errors = getattr(errors, "overall", errors)
        assert errors.n_false1 == np.sum(labels[Y == 0] == 1)
        assert errors.n_false0 == np.sum(labels[Y == 1] == 0)
        found.add((errors.n_false1, errors.n_false0))
    # the seeds differ
    assert len(found) > 1


def test_the_chosen_number_of_left_out_rows_is_explained_for_each_group():
    fit = npc(FRAME, Y, "lda", groups=GROUPS, random_state=1, **LEVELS)
    told = " ".join(str(fit.summary()).split())
    assert "The split ratio (auto) is chosen in each group by itself" in told
    near = int(re.search(r"left-out rows within (\d+) of half of the group", told)[1])
    sizes = [int(np.sum((fit.class0 == Y) & (group == np.asarray(GROUPS).astype(str)))) for group in fit.group_values]
    for n0, left in zip(sizes, fit.rules[0].n0, strict=True):
        assert abs(left - n0 / 2) <= near + 0.5


def test_far_scores_of_a_group_leave_the_others_their_room_and_the_axis_says_how_many_are_not_shown():
    rng = np.random.default_rng(3)
    near = [rng.normal(size=100), rng.normal(size=80)]
    ax = plot_group_scores([near], [[1.0, 1.5]], "ab", 0.1)
    assert "not shown" not in ax.get_xlabel()
    low, high = ax.get_xlim()
    far = [np.append(near[0], [-1e9, 2e6]), near[1]]
    ax = plot_group_scores([far], [[1.0, 1.5]], "ab", 0.1)
    assert np.subtract(*ax.get_xlim()[::-1]) < 1.5 * (high - low)
    shown = (np.concatenate(far) >= ax.get_xlim()[0]) & (np.concatenate(far) <= ax.get_xlim()[1])
    n_not_shown = sum(map(int, re.findall(r"(\d+) (?:below|above)", ax.get_xlabel())))
    assert n_not_shown == np.sum(~shown) == 2
