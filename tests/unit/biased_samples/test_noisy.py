"""Thresholds from noisy labels: the worst noise of a box, the plain threshold without noise, results and errors."""

import itertools

import matplotlib.pyplot as plt
import numpy as np
import pytest

from nproc import InvalidInputError, NPWarning, TooFewSamplesError, np_threshold, np_threshold_noisy
from nproc.biased_samples import noise_sensitivity

RNG = np.random.default_rng(5)
LABELLED0 = np.concatenate([RNG.normal(size=900), RNG.normal(2, size=100)])
LABELLED1 = np.concatenate([RNG.normal(2, size=450), RNG.normal(size=50)])
BOTH = {"alpha": 0.1, "delta": 0.1}


def test_without_noise_in_class_0_it_is_the_plain_threshold():
    for n0, alpha, delta in itertools.product((59, 100, 997), (0.05, 0.1, 0.3), (0.05, 0.5)):
        plain = np_threshold(LABELLED0[:n0], alpha=alpha, delta=delta)
        rule = np_threshold_noisy(LABELLED0[:n0], LABELLED1, noise0=0, noise1=0.3, alpha=alpha, delta=delta)
        assert (rule.value, rule.order, rule.violation_rate) == (plain.value, plain.order, plain.violation_rate)


def test_an_interval_from_zero_costs_hardly_a_rank():
    plain = np_threshold(LABELLED0, **BOTH)
    rule = np_threshold_noisy(LABELLED0, LABELLED1, noise0=(0, 0.1), noise1=(0, 0.1), **BOTH)
    assert plain.order <= rule.order <= plain.order + 1


@pytest.mark.slow
def test_more_noise_assumed_gives_a_lower_threshold_and_an_interval_counts_by_its_lower_end():
    at = [np_threshold_noisy(LABELLED0, LABELLED1, noise0=noise, noise1=0.1, **BOTH) for noise in (0.02, 0.05, 0.1)]
    assert at[0].value > at[1].value > at[2].value
    wide = np_threshold_noisy(LABELLED0, LABELLED1, noise0=(0.05, 0.1), noise1=(0.1, 0.2), **BOTH)
    assert at[2].value < wide.value <= at[0].value
    assert abs(wide.order - at[1].order) <= 1


def test_the_threshold_is_a_score_labelled_0_and_the_counts_are_those_above_it():
    rule = np_threshold_noisy(LABELLED0, LABELLED1, noise0=0.1, noise1=0.1, **BOTH)
    assert rule.value == np.sort(LABELLED0)[rule.order - 1]
    assert rule.n_above0 == rule.predict(LABELLED0).sum() == 1000 - rule.order
    assert rule.n_above1 == rule.predict(LABELLED1).sum()


def test_only_the_order_of_the_scores_counts():
    plain = np_threshold_noisy(LABELLED0, LABELLED1, noise0=0.1, noise1=0.1, **BOTH)
    moved = np_threshold_noisy(np.exp(LABELLED0), np.exp(LABELLED1[::-1]), noise0=0.1, noise1=0.1, **BOTH)
    assert (moved.order, moved.n_above1, moved.value) == (plain.order, plain.n_above1, np.exp(plain.value))


def test_estimates_undo_the_mixture():
    rule = np_threshold_noisy(LABELLED0, LABELLED1, noise0=0.1, noise1=0.1, **BOTH)
    above = np.linalg.solve([[0.9, 0.1], [0.1, 0.9]], [rule.n_above0 / rule.n0, rule.n_above1 / rule.n1])
    np.testing.assert_allclose([rule.type1_estimate, 1 - rule.type2_estimate], above, rtol=1e-12)
    box = np_threshold_noisy(LABELLED0, LABELLED1, noise0=(0.05, 0.1), noise1=(0.02, 0.1), **BOTH)
    seen = [box.n_above0 / box.n0, box.n_above1 / box.n1]
    corners = [np.linalg.solve([[1 - a, a], [b, 1 - b]], seen) for a, b in itertools.product((0.05, 0.1), (0.02, 0.1))]
    assert box.type1_estimate == pytest.approx(max(one[0] for one in corners))
    assert box.type2_estimate == pytest.approx(max(1 - one[1] for one in corners))


@pytest.mark.parametrize(
    ("noise0", "noise1", "words"),
    [
        (-0.1, 0.1, r"noise0 must be a number in \[0, 1\)"),
        (0.1, 1.0, "noise1 must be a number"),
        ((0.2, 0.1), 0.1, r"noise0 must have its smaller end first, got \(0.2, 0.1\)"),
        ((0.1, 0.2, 0.3), 0.1, r"noise0 must be a number .* or an interval"),
        ("0.1", 0.1, "noise0"),
        (np.nan, 0.1, "noise0 must be a number"),
        (0.5, 0.5, "add up to 1 at their largest"),
        ((0.1, 0.6), (0.2, 0.5), "noise0=0.1 to 0.6 and noise1=0.2 to 0.5 add up to 1.1"),
    ],
)
def test_bad_noise_is_refused(noise0, noise1, words):
    with pytest.raises(InvalidInputError, match=words):
        np_threshold_noisy(LABELLED0, LABELLED1, noise0=noise0, noise1=noise1)


def test_too_few_rows_are_an_error_that_says_how_many():
    with pytest.raises(TooFewSamplesError, match=r"n0=20 scores .* at least 25 are needed") as caught:
        np_threshold_noisy(LABELLED0[:20], LABELLED1, noise0=0.1, noise1=0.1, **BOTH)
    assert caught.value.limit == 25
    # P(no row above the cut) is (1 - alpha (1 - rho))^n0, rho = 1/9
    assert (1 - 0.1 * 8 / 9) ** 25 <= 0.1 < (1 - 0.1 * 8 / 9) ** 24
    rule = np_threshold_noisy(LABELLED0[:25], LABELLED1, noise0=0.1, noise1=0.1, **BOTH)
    assert rule.violation_rate <= 0.1
    with pytest.raises(TooFewSamplesError, match="at least 22 are needed"):
        np_threshold_noisy(LABELLED0[:20], LABELLED1, noise0=0, noise1=0.1, **BOTH)


def test_ties_are_class_0_and_a_rule_that_calls_nobody_is_told():
    with pytest.warns(NPWarning, match="no score of either sample lies above"):
        rule = np_threshold_noisy(np.zeros(100), np.zeros(50), noise0=0.1, noise1=0.1, **BOTH)
    assert rule.predict([0.0, 1e-300]).tolist() == [0, 1]


def test_what_a_result_shows():
    rule = np_threshold_noisy(LABELLED0, LABELLED1, noise0=(0.05, 0.1), noise1=0.1, **BOTH)
    assert "noise0=0.05 to 0.1, noise1=0.1" in repr(rule)
    assert len(repr(rule).splitlines()) == 2
    frame = rule.to_frame()
    assert frame.shape == (1, 15)
    assert frame.loc[0, ["noise0_low", "noise0_high", "noise1_low"]].tolist() == [0.05, 0.1, 0.1]
    assert "Class 1 among labelled 0" in str(rule.summary())


def test_a_curve_holds_the_thresholds_of_its_noises():
    curve = noise_sensitivity(LABELLED0, LABELLED1, noise0=[0, 0.1], noise1=[0.05, 0.1], **BOTH)
    frame = curve.to_frame()
    for k, (noise0, noise1) in enumerate([(0, 0.05), (0.1, 0.1)]):
        rule = np_threshold_noisy(LABELLED0, LABELLED1, noise0=noise0, noise1=noise1, **BOTH)
        assert curve.thresholds[k] == rule
        assert frame["threshold"][k] == rule.value
        assert frame["called1_of_labelled1"][k] == rule.n_above1 / rule.n1
    assert "2 noises" in repr(curve)
    assert "noise0" in str(curve.summary())
    for wrong in ({"noise0": 0.1}, {"noise0": []}, {"noise0": [0.1, 0.2], "noise1": [0.1, 0.1, 0.1]}):
        with pytest.raises(InvalidInputError, match=r"noise[01] must be"):
            noise_sensitivity(LABELLED0, LABELLED1, **wrong)


def test_the_plot_shows_the_thresholds_and_who_is_called_class_1():
    curve = noise_sensitivity(LABELLED0, LABELLED1, noise0=[0.1, 0, 0.05], **BOTH)
    top, bottom = curve.plot()
    frame = curve.to_frame().sort_values("noise0")
    np.testing.assert_array_equal(top.lines[0].get_ydata(), frame["threshold"])
    np.testing.assert_array_equal(bottom.lines[1].get_ydata(), frame["called1_of_labelled0"])
    assert all(a is b for a, b in zip(curve.plot(ax=[top, bottom]), (top, bottom), strict=True))
    with pytest.raises(InvalidInputError, match="two Axes"):
        curve.plot(ax=top)
    with pytest.raises(InvalidInputError, match="figsize"):
        curve.plot(ax=[top, bottom], figsize=(2, 2))


def test_the_picture_shows_the_share_above_the_threshold():
    threshold = np_threshold_noisy(LABELLED0, LABELLED1, noise0=0.1, noise1=0.1, **BOTH)
    ax = threshold.plot(LABELLED0, LABELLED1)
    lines = {line.get_gid(): line for line in ax.lines}
    assert lines["nproc-threshold"].get_xdata()[0] == threshold.value
    share = 100 * threshold.n_above0 / threshold.n0
    assert any(f"labelled 0 above the threshold: {share:.3g} %" in text.get_text() for text in ax.get_legend().texts)
    plt.close("all")
