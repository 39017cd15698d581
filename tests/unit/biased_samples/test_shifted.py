"""Thresholds under a shift: special cases that are known, averages by hand, errors that say what is wrong."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from scipy.stats import binom

from nproc import InvalidInputError, NPWarning, TooFewSamplesError, np_threshold, np_threshold_shifted
from nproc.biased_samples.coins import LEVELS, MeanEvidence

S0 = np.random.default_rng(1).normal(size=400)


def test_equal_weights_at_their_bound_give_the_plain_threshold():
    rule = np_threshold_shifted(S0, np.ones(400), weight_max=1)
    assert (rule.value, rule.order, rule.n_kept) == (np_threshold(S0).value, np_threshold(S0).order, 400)
    assert np_threshold_shifted(S0, [[2.0, 2.0]]).value == rule.value


def test_the_evidence_is_its_mean_over_all_outcomes_by_hand():
    rng = np.random.default_rng(2)
    above, below = rng.random(10), rng.random(90)
    laws = []
    for chances in (above, below):
        law = np.ones(1)
        for chance in chances:
            law = np.convolve(law, [1 - chance, chance])
        laws.append(law)
    total = 0.0
    for k, mass in enumerate(laws[0]):
        m = np.arange(91)
        lower, upper = binom.cdf(k - 1, k + m, 0.2), binom.cdf(k, k + m, 0.2)
        for share, part in LEVELS:
            passed = np.clip((share * 0.1 - lower) / (upper - lower), 0, 1)
            total += mass * part / share * (laws[1] @ passed)
    assert MeanEvidence(100, 0.2, 0.1).at(above, below) == pytest.approx(total, rel=1e-9)


def test_averaged_coins_need_no_seed_and_a_factor_changes_nothing():
    weights = np.random.default_rng(3).random(400)
    rules = [
        np_threshold_shifted(S0, factor * weights, weight_max=factor, coins="averaged", random_state=seed)
        for factor, seed in ((1, 1), (4, 2))
    ]
    assert rules[0].value == rules[1].value


def test_estimated_weights_promise_nothing_and_say_so():
    rule = np_threshold_shifted(S0, np.linspace(0.5, 1, 400), estimated=True, random_state=0)
    assert rule.violation_rate is None
    assert "nothing is promised" in repr(rule)
    assert "nothing is promised" in " ".join(str(rule.summary()).split())


@pytest.mark.parametrize(
    ("weights", "weight_max", "message"),
    [
        (np.r_[-1, np.ones(399)], 1, r"1 row\(s\) are not, the first at weights\[0\] \(-1\)"),
        (np.r_[1, np.nan, np.ones(398)], 1, r"the first at weights\[1\] \(nan\)"),
        (np.r_[1, 3, np.ones(398)], 2, r"below 1 weight\(s\), the largest 3, the first at weights\[1\]"),
        (np.ones(399), 1, "shape"),
        (np.tile([2, 1], (400, 1)), 2, r"then an upper one: 400 row\(s\) do not, the first at weights\[0\]"),
        (np.ones(400), None, "weight_max is missing"),
    ],
)
def test_bad_weights_are_told_by_row_and_value(weights, weight_max, message):
    with pytest.raises(InvalidInputError, match=message):
        np_threshold_shifted(S0, weights, weight_max=weight_max)


@pytest.mark.parametrize("coins", ["drawn", "averaged"])
def test_too_few_rows_are_told_with_about_how_many_are_needed(coins):
    with pytest.raises(TooFewSamplesError, match=r"keep 5.0% .* About \d+ scores"):
        np_threshold_shifted(S0, np.ones(400), weight_max=20, coins=coins, random_state=0)


def test_a_bound_read_off_the_weights_is_warned_of():
    weights = np.linspace(0.5, 1, 400)
    with pytest.warns(NPWarning, match="weight of only one row"):
        np_threshold_shifted(S0, weights, weight_max=1.0, random_state=0)


def test_the_picture_weighs_the_scores_and_of_intervals_takes_the_worst_weights():
    rng = np.random.default_rng(4)
    scores, weights = rng.normal(size=300), rng.uniform(0.5, 1.5, size=300)
    rule = np_threshold_shifted(scores, weights, weight_max=1.6, random_state=1)
    above = scores > rule.value

    def told(given):
        ax = rule.plot(scores, given)
        assert next(line for line in ax.lines if line.get_gid() == "nproc-threshold").get_xdata()[0] == rule.value
        text = next(t.get_text() for t in ax.get_legend().texts if "to come" in t.get_text())
        target = next(patch for patch in ax.patches if patch.get_gid() == "nproc-scores-target").get_data()
        np.testing.assert_allclose(np.sum(target.values * np.diff(target.edges)), 1)
        plt.close("all")
        return text

    assert f"{100 * weights[above].sum() / weights.sum():.3g} %" in told(weights)
    share = 1.5 * above.sum() / (1.5 * above.sum() + 0.5 * (~above).sum())
    assert f"{100 * share:.3g} %" in told([[0.5, 1.5]])
    with pytest.raises(InvalidInputError, match="weights are all 0"):
        rule.plot(scores, np.zeros(300))
