"""R's band beside ours: its bounds are points of a 0.001 grid, so that they agree within one step where R is right."""

import numpy as np
import pytest
from r_numbers import GRID, NOISY, TIED, groups, needs_folder, noisy_scores, part, scores, small_set, table
from scipy import stats

from nproc import NPROCBand, compare, np_threshold
from nproc.orderstat import type2_bounds

SMALL = small_set()
ROUNDING = 1e-9  # R's grid points are sums of 0.001


def band_of(sample, delta):
    return NPROCBand.from_scores(*scores(sample), delta=delta, name=sample)


def check_knots(scores0, scores1, delta, r):
    """R's bounds for its class 0 cutoffs, one a row, against the knots of our band. Scores are untied."""
    n0, n1 = scores0.size, scores1.size
    band = NPROCBand.from_scores(scores0, scores1, delta=delta)
    order = np.searchsorted(np.sort(scores0), r["score"], side="right")
    knot = n0 - order
    # R takes the next point of its grid: up for upper bounds, down for lower ones
    excess = r["alpha_u"] - band.alpha[knot]
    assert np.all((excess >= -ROUNDING) & (excess <= GRID + ROUNDING))
    missed = np.searchsorted(np.sort(scores1), r["score"], side="right")
    # with a single class 1 score that is not missed R's lower bound is NaN
    none = (n1 == 1) & (missed == 0)
    assert np.all(np.isnan(r["beta_l"]) == none)
    assert np.all(band.type2_lower[knot][none] == 0)
    slack = (band.type2_lower[knot] - r["beta_l"])[~none]
    assert np.all((slack >= -ROUNDING) & (slack <= GRID + ROUNDING))
    # where all class 1 scores but one are missed, R's upper bound is 1; Clopper-Pearson's is (1 - delta)^(1 / n1)
    last = missed == n1 - 1
    assert np.all(r["beta_u"][last] == 1)
    np.testing.assert_allclose(band.type2_upper[knot][last], (1 - delta) ** (1 / n1), rtol=1e-12)
    excess = (r["beta_u"] - band.type2_upper[knot])[~last]
    assert np.all((excess >= -ROUNDING) & (excess <= GRID + ROUNDING))


@pytest.mark.parametrize("case", SMALL["bands"], ids=lambda case: case["sample"])
def test_knots_of_the_small_set_equal_those_of_r_up_to_its_grid(case):
    r = {key: np.array(case[key]) for key in ("score", "alpha_u", "beta_l", "beta_u")}
    check_knots(np.array(case["scores0"]), np.array(case["scores1"]), case["delta"], r)


KNOTS = groups("find_order.csv.gz", "sample", "delta")


@needs_folder
@pytest.mark.parametrize(("sample", "delta"), [key for key in KNOTS if key[0] not in TIED])
def test_knots_equal_those_of_r_up_to_its_grid(sample, delta):
    frame = part("find_order.csv.gz", sample=sample, delta=delta)
    r = {key: frame[key].to_numpy() for key in ("score", "alpha_u", "beta_l", "beta_u")}
    scores0, scores1 = scores(sample)
    assert r["score"].tolist() == np.sort(scores0).tolist()
    check_knots(scores0, scores1, delta, r)


@needs_folder
@pytest.mark.parametrize(("sample", "delta"), [key for key in KNOTS if key[0] in NOISY])
def test_on_the_noisy_scores_of_r_the_knots_equal_its_own(sample, delta):
    # defect 4: fewer than 10 distinct class 0 scores, and R adds noise of its own before its band
    frame = part("find_order.csv.gz", sample=sample, delta=delta)
    r = {key: frame[key].to_numpy() for key in ("score", "alpha_u", "beta_l", "beta_u")}
    check_knots(*noisy_scores(sample), delta, r)


@needs_folder
@pytest.mark.parametrize(("sample", "delta"), [key for key in KNOTS if key[0] in TIED and key[0] not in NOISY])
def test_at_tied_cutoffs_r_counts_one_class_1_score_too_few(sample, delta):
    frame = part("find_order.csv.gz", sample=sample, delta=delta)
    scores0, scores1 = scores(sample)
    band = NPROCBand.from_scores(scores0, scores1, delta=delta)
    cutoff = frame["score"].to_numpy()
    # the type I bound of a tied cutoff is that of the last of its equals, which is a knot of ours
    knot = scores0.size - np.searchsorted(np.sort(scores0), cutoff, side="right")
    excess = frame["alpha_u"].to_numpy() - band.alpha[knot]
    assert np.all((excess >= -ROUNDING) & (excess <= GRID + ROUNDING))
    missed = np.searchsorted(np.sort(scores1), cutoff, side="right")
    tied = missed > np.searchsorted(np.sort(scores1), cutoff, side="left")
    assert tied.any()
    # defect 2: the bound of one missed score less
    one_less = type2_bounds(missed[tied] - 1, scores1.size, delta).upper
    excess = frame["beta_u"].to_numpy()[tied] - one_less
    # the search for it may stop one step later
    assert np.all((excess >= -ROUNDING) & (excess <= 2 * GRID))
    assert np.all(frame["beta_u"].to_numpy()[tied] <= band.type2_upper[knot][tied])
    # and its lower bound is nowhere above ours
    assert np.all(frame["beta_l"].to_numpy() <= band.type2_lower[knot] + ROUNDING)


def test_difference_4_ten_of_twenty_tied_class_1_scores_count_as_missed():
    scores0, scores1 = np.full(20, 1.0), np.repeat([1.0, 2.0], 10)
    band = NPROCBand.from_scores(scores0, scores1, delta=0.05)
    # binomial tails: P(Bin(20, upper) <= 10) = P(Bin(20, lower) >= 10) = delta
    assert stats.binom.cdf(10, 20, band.type2_upper[0]) == pytest.approx(0.05, rel=1e-9)
    assert stats.binom.sf(9, 20, band.type2_lower[0]) == pytest.approx(0.05, rel=1e-9)
    # three digits are printed
    assert band.type2_upper[0] == pytest.approx(0.698, abs=5e-4)
    assert band.type2_lower[0] == pytest.approx(0.302, abs=5e-4)
    # R: .654, the bound of nine missed, and .002
    assert SMALL["defects"]["tied_10_of_20_type2_upper"] == pytest.approx(type2_bounds(9, 20, 0.05).upper, abs=GRID)


def test_difference_2_two_valued_scores_get_no_cutoff_inside_an_atom():
    # behaviour 8: P(1) = .1 in class 0 and .5 in class 1; R promises a type II error of at most .538 at alpha = .3
    scores0, scores1 = np.repeat([0.0, 1.0], [450, 50]), np.repeat([0.0, 1.0], [250, 250])
    band = NPROCBand.from_scores(scores0, scores1, delta=0.05)
    for alpha in (0.05, 0.3, 0.9):
        value = np_threshold(scores0, alpha=alpha).value
        missed = int(np.sum(scores1 <= value))
        # the band speaks of the classifier that the threshold gives, and is the same on each call
        assert band.at(alpha).type2_upper == type2_bounds(missed, 500, 0.05).upper
    assert band.at(0.3).type2_upper == pytest.approx(SMALL["defects"]["two_values_type2_upper_at_0.3"], abs=GRID)
    assert band.at(0.05).type2_upper == 1.0


@needs_folder
@pytest.mark.parametrize("sample", NOISY)
def test_difference_2_bands_of_few_values_are_those_of_the_classifiers_not_of_the_noise(sample):
    band = band_of(sample, 0.05)
    counts = np.searchsorted(np.sort(scores(sample)[1]), np.unique(scores(sample)[0]), side="right")
    allowed = type2_bounds(counts, scores(sample)[1].size, 0.05).upper
    assert np.isin(band.type2_upper, allowed).all()
    r = part("bands.csv.gz", sample=sample, delta=0.05)["typeII_u"].to_numpy()
    # R's band promises more than that by up to .396 (few values), .632 (two) and 1 (one)
    promised = {"few_unique_200_200": 0.396, "binary_150_150": 0.632, "constant_50_50": 1.0}[sample]
    assert np.max(band.at(np.arange(1001) / 1000).type2_upper - r) == pytest.approx(promised, abs=GRID)


# the band on R's grid


def next_lower(band, alpha):
    """Lower type II bound of the next knot to the right, which the paper's interpolation draws, and R."""
    at = np.searchsorted(band.alpha, alpha - GRID + ROUNDING, side="right")
    at = np.minimum(at, band.alpha.size - 1)
    # all knots that R rounds to the same grid point are averaged: the last of them is lowest
    cell = np.ceil(band.alpha[at] / GRID - 1e-6) * GRID
    last = np.searchsorted(band.alpha, cell + ROUNDING, side="right") - 1
    # a knot at the edge of its cell may be rounded either way
    return band.type2_lower[np.minimum(last + 1, band.alpha.size - 1)]


BANDS = groups("bands.csv.gz", "sample", "delta")


@needs_folder
@pytest.mark.parametrize(
    ("sample", "delta"), [key for key in BANDS if key[0] not in TIED and not key[0].startswith("multi")]
)
def test_the_band_of_r_lies_between_ours_at_this_level_and_one_grid_step_before(sample, delta):
    # R rounds a knot up to the grid, by at most one step, and averages knots that meet there; so its upper bound lies
    # between ours at alpha and ours at alpha - .001, up to the rounding of the bound itself
    band, r = band_of(sample, delta), part("bands.csv.gz", sample=sample, delta=delta)
    # at alpha = 1 R averages with a type II error of 0
    r = r[r["alpha"] < 1]
    alpha, upper, lower = (r[name].to_numpy() for name in ("alpha", "typeII_u", "typeII_l"))
    before = band.at(np.maximum(alpha - GRID, 0))
    # with n1 = 1 or 5, R's bound where all scores but one are missed is 1, see check_knots
    edge = 1 - (1 - delta) ** (1 / band.n1_left_out) if band.n1_left_out < 20 else 0.0
    assert np.all(upper >= band.at(alpha).type2_upper - ROUNDING)
    assert np.all(upper <= before.type2_upper + GRID + edge + ROUNDING)
    # the lower bound of R is that of the next knot, looser than that of the classifier at alpha
    inside = alpha >= np.ceil(band.alpha[0] / GRID) * GRID
    assert np.all(lower[inside] <= before.type2_lower[inside] + ROUNDING)
    if band.n1_left_out > 1:
        assert np.all(lower >= next_lower(band, alpha) - GRID - ROUNDING)


@needs_folder
@pytest.mark.parametrize("delta", [0.05, 0.1])
@pytest.mark.parametrize("sample", ["multi5_normal", "multi11_ties"])
def test_the_average_band_of_several_splits_agrees_with_that_of_r(sample, delta):
    band, r = band_of(sample, delta), part("bands.csv.gz", sample=sample, delta=delta)
    r = r[r["alpha"] < 1]
    alpha, upper = r["alpha"].to_numpy(), r["typeII_u"].to_numpy()
    assert band.n_splits == {"multi5_normal": 5, "multi11_ties": 11}[sample]
    before = band.at(np.maximum(alpha - GRID, 0)).type2_upper
    assert np.all(upper <= before + GRID + ROUNDING)
    # one count of 120 too few at ties is worth at most .019 in the bound
    too_low = 0.0 if sample == "multi5_normal" else 0.019
    assert np.all(upper >= band.at(alpha).type2_upper - too_low - ROUNDING)


@needs_folder
@pytest.mark.parametrize(
    ("sample", "delta"),
    [key for key in BANDS if key[0] not in TIED and "n1_is_1" not in key[0] and "cross" not in key[0]],
)
def test_areas_under_the_band_differ_from_those_of_r_by_its_grid_alone(sample, delta):
    band, r = band_of(sample, delta), part("bands_auc.csv", sample=sample, delta=delta).iloc[0]
    # lower curve: two roundings of at most one grid step each, in opposite directions on average
    assert band.auc_lower == pytest.approx(r["auc_l"], abs=2 * GRID)
    # upper curve: R's is that of the next knot and so encloses ours, up to the strip below the first knot
    assert r["auc_u"] >= band.auc_upper - GRID


@pytest.mark.slow
@pytest.mark.parametrize("alpha", [0.001, 0.002, 0.005, 0.01])
def test_difference_2_the_lower_bound_covers_at_small_alpha_where_the_grid_of_r_fails(alpha):
    # n0 = n1 = 5000 from N(0, 1) and N(2, 1); R's lower edge lies above the truth in 63 to 27 % of 60 data sets
    n, delta = 300, 0.05
    rng = np.random.default_rng(round(alpha * 1000))
    too_high = too_low = 0
    for _ in range(n):
        scores0, scores1 = rng.standard_normal(5000), 2 + rng.standard_normal(5000)
        point = NPROCBand.from_scores(scores0, scores1, delta=delta).at(alpha)
        true = stats.norm.cdf(np.sort(scores0)[point.order - 1] - 2)
        too_high += point.type2_lower > true
        too_low += point.type2_upper < true
    for count in (too_high, too_low):
        # one-sided, false alarm 1e-4
        assert stats.binomtest(count, n, delta, alternative="greater").pvalue > 1e-4


@needs_folder
def test_difference_2_r_misses_the_truth_at_small_alpha():
    frame = table("band_coverage.csv")
    large = frame[(frame["n0"] == 5000) & (frame["alpha"] <= 0.01)]
    assert large["true_below_lower"].tolist() == pytest.approx([0.633, 0.683, 0.367, 0.267], abs=5e-4)


# comparison

PAIRS = groups("compare_intervals.csv", "sample1", "sample2", "delta")


def regions_of_r(first, second, delta):
    region = np.full(1001, 3)
    for row in part("compare_intervals.csv", sample1=first, sample2=second, delta=delta).itertuples():
        region[round(row.alpha_first / GRID) : round(row.alpha_last / GRID) + 1] = row.region
    return region


def regions_of(first, second, delta):
    a, b = band_of(first, delta), band_of(second, delta)
    grid = np.arange(1001) * GRID
    region = np.full(1001, 3)
    for interval in compare(a, b, names=["first", "second"]).intervals:
        inside = (interval.alpha_low <= grid + 1e-12) & (grid + 1e-12 < interval.alpha_high)
        region[inside] = 1 if interval.better == "first" else 2
    return region, a, b


@needs_folder
@pytest.mark.parametrize(("first", "second", "delta"), PAIRS)
def test_every_dominance_that_r_finds_is_found_and_none_the_other_way_round(first, second, delta):
    r, (ours, _, _) = regions_of_r(first, second, delta), regions_of(first, second, delta)
    decided = (r != 3) & (np.arange(1001) < 1000)
    assert ours[decided].tolist() == r[decided].tolist()


@needs_folder
@pytest.mark.parametrize(
    ("first", "second", "delta"), [key for key in PAIRS if key[0] not in TIED and key[1] not in TIED]
)
def test_dominance_that_r_does_not_find_is_lost_in_its_grid_or_its_looser_lower_bound(first, second, delta):
    # The bounds of R lie within what was tested above: upper ones at most one step over ours one step before, lower
    # ones at most one step under ours at the next knot. Where even those two are apart, R finds the dominance too.
    r, (ours, a, b) = regions_of_r(first, second, delta), regions_of(first, second, delta)
    grid = np.arange(1000) * GRID
    upper = [band.at(np.maximum(grid - GRID, 0)).type2_upper + GRID + ROUNDING for band in (a, b)]
    lower = [next_lower(band, grid) - GRID - ROUNDING for band in (a, b)]
    clear = np.select([upper[0] < lower[1], upper[1] < lower[0]], [1, 2], 3)
    assert np.all((clear == 3) | (clear == r[:1000]))
    assert np.all((r[:1000] == 3) | (r[:1000] == ours[:1000]))


@needs_folder
@pytest.mark.parametrize("delta", [0.05, 0.1])
def test_the_crossing_bands_of_the_vignette_have_the_regions_of_r_within_two_grid_points(delta):
    r, (ours, _, _) = regions_of_r("crossing_x1", "crossing_x2", delta), regions_of("crossing_x1", "crossing_x2", delta)
    # alpha = 1 itself lies outside our intervals
    assert np.sum(r[:1000] != ours[:1000]) <= 2
    counts = part("compare_counts.csv", sample1="crossing_x1", sample2="crossing_x2", delta=delta).iloc[0]
    assert [np.sum(r == region) for region in (1, 2, 3)] == [counts["n1"], counts["n2"], counts["n3"]]
