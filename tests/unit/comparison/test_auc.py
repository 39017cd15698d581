"""AUCs of scores of the same rows, their intervals and tests: against plain formulas, and by simulation."""

import itertools
import re

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom, norm
from sklearn.metrics import roc_auc_score

from nproc import NPROCBand, nproc, nproc_bands
from nproc.comparison import compare_aucs, partial_auc
from nproc.datasets import load_logistic_world
from nproc.errors import InvalidInputError, NPWarning, TooFewSamplesError

RNG = np.random.default_rng(3)
# with ties within and between the classes
SCORES0, SCORES1 = RNG.integers(0, 6, size=(23, 3)), RNG.integers(2, 9, size=(31, 3))


def wins(scores0, scores1):
    """One, half or nothing for each pair of a class 0 and a class 1 row."""
    return (scores1[None, :] > scores0[:, None]) + 0.5 * (scores1[None, :] == scores0[:, None])


def test_estimates_and_covariance_are_those_of_all_pairs_of_rows():
    result = compare_aucs(SCORES0, SCORES1)
    y = np.repeat([0, 1], [23, 31])
    columns = [np.concatenate(pair) for pair in zip(SCORES0.T, SCORES1.T, strict=True)]
    np.testing.assert_allclose([a.auc for a in result.aucs], [roc_auc_score(y, column) for column in columns])
    kernels = [wins(*pair) for pair in zip(SCORES0.T, SCORES1.T, strict=True)]
    for i, j in itertools.product(range(3), repeat=2):
        over1, over0 = (np.cov(kernels[i].mean(axis=axis), kernels[j].mean(axis=axis))[0, 1] for axis in (1, 0))
        assert result.covariance[i, j] == pytest.approx(over1 / 23 + over0 / 31, rel=1e-12)


def test_a_difference_has_the_variance_of_the_difference_of_the_two():
    result = compare_aucs(SCORES0, SCORES1, names=["a", "b", "c"], level=0.9)
    c = result.covariance
    first = result.differences[0]
    assert (first.first, first.second) == ("a", "b")
    assert first.std_error == pytest.approx(np.sqrt(c[0, 0] + c[1, 1] - 2 * c[0, 1]))
    assert first.upper - first.difference == pytest.approx(norm.ppf(0.95) * first.std_error)
    assert first.p_value == pytest.approx(2 * norm.sf(abs(first.difference) / first.std_error))
    assert sorted(d.p_value for d in result.differences)[0] * 3 == pytest.approx(
        min(d.p_adjusted for d in result.differences)
    )
    table = result.to_frame()
    assert list(table["kind"]) == ["auc"] * 3 + ["difference"] * 3
    assert list(table["first"]) == ["a", "b", "c", "a", "a", "b"]
    assert list(table["second"]) == ["", "", "", "b", "c", "c"]
    assert list(table["estimate"]) == [a.auc for a in result.aucs] + [d.difference for d in result.differences]
    assert list(table["upper"]) == [one.upper for one in (*result.aucs, *result.differences)]
    assert table["p_value"].isna().tolist() == [True] * 3 + [False] * 3
    assert "a - b" in str(result.summary())


def test_equal_scores_do_not_differ_and_one_method_needs_no_columns():
    same = compare_aucs(SCORES0[:, [0, 0]], SCORES1[:, [0, 0]], names=["a", "b"]).differences[0]
    assert (same.difference, same.std_error, same.p_value) == (0, 0, 1)
    alone = compare_aucs(SCORES0[:, 0], SCORES1[:, 0])
    assert alone.differences == ()
    assert alone.to_frame()["estimate"].tolist() == [compare_aucs(SCORES0, SCORES1).aucs[0].auc]


@pytest.mark.parametrize("fpr_max", [0.04, 0.1, 0.33, 0.9])
def test_a_partial_area_is_the_uncorrected_one_of_all_pairs_of_rows(fpr_max):
    rng = np.random.default_rng(1)
    scores0, scores1 = rng.normal(size=50), rng.normal(1, 1, size=40)
    # without ties, each class 1 row adds what is left of fpr_max beside the share of class 0 rows above it
    by_rows = np.mean([max(0.0, fpr_max - np.mean(scores0 > score)) for score in scores1])
    assert partial_auc(scores0, scores1, fpr_max) == pytest.approx(by_rows, rel=1e-12)
    # with ties, scikit-learn's area, whose standardisation is undone
    tied0, tied1 = np.round(scores0), np.round(scores1)
    standard = roc_auc_score(np.repeat([0, 1], [50, 40]), np.concatenate([tied0, tied1]), max_fpr=fpr_max)
    least = fpr_max**2 / 2
    area = least + (2 * standard - 1) * (fpr_max - least)
    assert partial_auc(tied0, tied1, fpr_max) == pytest.approx(area, rel=1e-12)


def test_a_p_value_below_the_smallest_float_is_not_said_to_be_0():
    noise0, noise1 = np.random.default_rng(2).normal(size=(2, 3000, 2))
    result = compare_aucs(noise0, noise1 + np.array([3, 0]))
    assert result.differences[0].p_value == 0
    assert re.search(r"method 1 - method 2 .* < 1e-300 +< 1e-300\n", str(result.summary()))


def test_names_come_from_the_columns():
    frames = [pd.DataFrame(scores, columns=["u", "v", "w"]) for scores in (SCORES0, SCORES1)]
    assert [a.name for a in compare_aucs(*frames).aucs] == ["u", "v", "w"]


def test_classes_that_do_not_overlap_are_told_of():
    with pytest.warns(NPWarning, match="do not overlap for 'm'"):
        result = compare_aucs([1.0, 2.0], [3.0, 4.0, 5.0], names=["m"])
    assert (result.aucs[0].lower, result.aucs[0].upper) == (1, 1)


def test_what_cannot_be_estimated_is_refused():
    with pytest.raises(TooFewSamplesError, match="n0=1 and n1=3"):
        compare_aucs([1.0], [3.0, 4.0, 5.0])
    with pytest.raises(InvalidInputError, match="one column for each of the methods, got 3 and 2"):
        compare_aucs(SCORES0, SCORES1[:, :2])


@pytest.mark.slow
def test_interval_and_test_are_near_their_levels_for_normal_scores():
    rng = np.random.default_rng(7)
    truth, repeats, held, rejected = norm.cdf(1 / np.sqrt(2)), 1000, 0, 0
    for _ in range(repeats):
        shared0, shared1 = rng.normal(size=(2, 100, 1))
        scores0 = 0.6 * shared0 + 0.8 * rng.normal(size=(100, 2))
        scores1 = 1 + 0.6 * shared1 + 0.8 * rng.normal(size=(100, 2))
        result = compare_aucs(scores0, scores1)
        held += result.aucs[0].lower <= truth <= result.aucs[0].upper
        rejected += result.differences[0].p_value <= 0.05
    # approximate: a coverage of 93 to 97 % and a size of 3 to 7 % pass, within the noise of the simulation
    assert binom.ppf(1e-4, repeats, 0.93) <= held <= binom.isf(1e-4, repeats, 0.97)
    assert binom.ppf(1e-4, repeats, 0.03) <= rejected <= binom.isf(1e-4, repeats, 0.07)


# R 4.2.2 with pROC 1.18.0: ci.auc(roc(y, x, direction = "<")) and roc.test(roc1, roc2)
PROC = {
    "x1": (0.909495746815752, 0.925228252813153, 0.940960758810554),
    "x2": (0.464541167668851, 0.501019136176807, 0.537497104684764),
    "x1, whole numbers": (0.868326224703326, 0.886768496058217, 0.905210767413108),
}
PROC_DIFFERENCE = {"p_value": 4.93659665321053e-100, "lower": 0.385047828150615, "upper": 0.463370405122075}
PROC_P_VALUE_WITH_TIES = 3.24563258089941e-17


def test_intervals_and_tests_are_those_of_proc_in_r_also_with_ties():
    world = load_logistic_world()
    x1, x2, y = world.X["x1"].to_numpy(), world.X["x2"].to_numpy(), world.y.to_numpy()
    scores = np.column_stack([x1, x2, np.round(x1), np.round(x1, 1)])
    result = compare_aucs(scores[y == 0], scores[y == 1])
    for interval, theirs in zip(result.aucs, PROC.values(), strict=False):
        assert (interval.lower, interval.auc, interval.upper) == pytest.approx(theirs, rel=1e-12)
    first = result.differences[0]
    assert first.p_value == pytest.approx(PROC_DIFFERENCE["p_value"], rel=1e-9)
    assert (first.lower, first.upper) == pytest.approx((PROC_DIFFERENCE["lower"], PROC_DIFFERENCE["upper"]), rel=1e-12)
    tied = compare_aucs(scores[y == 0, 2:], scores[y == 1, 2:]).differences[0]
    assert tied.p_value == pytest.approx(PROC_P_VALUE_WITH_TIES, rel=1e-9)


@pytest.mark.parametrize("labels", [np.repeat([0, 1], 30), np.repeat(["ill", "well"], 30)])
def test_labels_in_the_place_of_scores_are_told(labels):
    scores = np.random.default_rng(0).normal(size=60)
    for pair in ((labels, scores), (scores, labels)):
        with pytest.raises(InvalidInputError, match=r"looks like labels. .* compare_aucs\(s\[y == 0\], s\[y == 1\]\)"):
            compare_aucs(*pair)


def test_bands_of_one_split_stand_for_their_left_out_scores():
    world = load_logistic_world()
    bands = nproc_bands(world.X, world.y, ["lda", "tree"], random_state=1)
    result = compare_aucs(bands)
    columns = [[getattr(band.scored[0], name) for band in bands.values()] for name in ("scores0", "scores1")]
    expected = compare_aucs(*map(np.column_stack, columns), names=["lda", "tree"])
    assert repr(result) == repr(expected)
    np.testing.assert_array_equal(result.covariance, expected.covariance)
    assert [a.name for a in compare_aucs(list(bands.values()), names=["x", "y"]).aucs] == ["x", "y"]
    # the AUC of one needs no order of the rows
    alone = NPROCBand.from_scores(columns[0][0], columns[1][0], name="lda")
    assert compare_aucs(alone).aucs == compare_aucs(bands["lda"]).aucs
    assert compare_aucs(alone).aucs[0].auc == pytest.approx(result.aucs[0].auc, rel=1e-12)


def test_bands_without_common_rows_have_no_aucs_to_compare():
    world = load_logistic_world()
    one, other = (nproc(world.X, world.y, "lda", random_state=seed) for seed in (1, 2))
    with pytest.raises(InvalidInputError, match="bands that left out the same rows, as those of nproc_bands"):
        compare_aucs([one, other])
    with pytest.raises(InvalidInputError, match=r"requires bands of one split, .* got 3 splits"):
        compare_aucs(nproc(world.X, world.y, "lda", n_splits=3, random_state=1))
    with pytest.raises(InvalidInputError, match="needs scores0 and scores1, or in their place bands"):
        compare_aucs(SCORES0)


def test_two_bands_are_given_as_a_list():
    bands = [NPROCBand.from_scores(SCORES0[:, j], SCORES1[:, j]) for j in range(2)]
    with pytest.raises(InvalidInputError, match=r"Write compare_aucs\(\[a, b\]\)"):
        compare_aucs(*bands)
