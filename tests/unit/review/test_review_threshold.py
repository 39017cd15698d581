"""Tests of `nproc.review.threshold`: two cuts, what they call, and the shares that they leave to a person."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from scipy.stats import binomtest, norm

from nproc import np_order, np_review, np_threshold
from nproc.errors import InvalidInputError, NPWarning, TooFewSamplesError
from nproc.review import plan_review

RNG = np.random.default_rng(1)
S0, S1 = RNG.normal(size=300), RNG.normal(1.5, 1, size=200)


def test_the_cuts_are_the_order_statistics_of_each_class():
    rule = np_review(S0, S1, alpha=0.1, beta=0.2, delta0=0.05, delta1=0.1)
    assert rule.upper == np_threshold(S0, alpha=0.1, delta=0.05).value
    assert rule.lower == -np_threshold(-S1, alpha=0.2, delta=0.1).value
    assert rule.order0 == np_order(300, 0.1, 0.05)
    assert rule.order1 == 201 - np_order(200, 0.2, 0.1)
    assert rule.lower <= rule.upper
    assert not rule.crossed


def test_the_mirror_image_swaps_the_classes():
    rule = np_review(S0, S1, alpha=0.1, beta=0.2, delta0=0.05, delta1=0.1)
    mirrored = np_review(-S1, -S0, alpha=0.2, beta=0.1, delta0=0.1, delta1=0.05)
    assert (mirrored.lower, mirrored.upper) == (-rule.upper, -rule.lower)
    shares, other = rule.shares(), mirrored.shares()
    np.testing.assert_allclose(shares["review"], other["review"][::-1])
    np.testing.assert_allclose(shares["review_lower"], other["review_lower"][::-1])
    np.testing.assert_array_equal(mirrored.predict(-S0), np.array([1, 0, -1])[rule.predict(S0)])


def test_every_score_gets_one_of_three_answers_and_ties_are_reviewed():
    rule = np_review(S0, S1, alpha=0.1, beta=0.2)
    called = rule.predict([rule.lower - 1, rule.lower, rule.upper, rule.upper + 1])
    np.testing.assert_array_equal(called, [0, -1, -1, 1])


def test_where_the_cuts_cross_one_cut_does_both():
    rule = np_review(S0, S1 + 5, alpha=0.1, beta=0.2)
    assert rule.crossed
    assert rule.lower == rule.upper == np_threshold(S0, alpha=0.1).value
    # a score equal to the cut is class 0, as for np_threshold, and lies below the class 1 order statistic
    assert rule.upper < -np_threshold(-S1 - 5, alpha=0.2).value
    np.testing.assert_array_equal(rule.predict([rule.upper, np.nextafter(rule.upper, np.inf)]), [0, 1])
    assert (rule.shares()["review"] == 0).all()


def test_equal_cuts_of_tied_scores_are_reviewed():
    rule = np_review(np.zeros(100), np.zeros(100))
    assert not rule.crossed
    np.testing.assert_array_equal(rule.predict([-1.0, 0.0, 1.0]), [0, -1, 1])


def test_shares_count_what_the_rule_calls():
    for shift in (0, 5):
        rule = np_review(S0, S1 + shift, alpha=0.1, beta=0.2)
        for row, scores in zip(rule.shares().itertuples(), (S0, S1 + shift), strict=True):
            called = rule.predict(scores)
            assert row.called0 == np.mean(called == 0)
            assert row.called1 == np.mean(called == 1)
            assert row.review == pytest.approx(np.mean(called == -1))
            assert row.review_lower <= row.review <= row.review_upper or shift
    both = np_review(S0, S1).shares(prevalence=0.25)
    assert both["P(class 1)"].tolist() == [0.0, 1.0, 0.25]
    assert list(both)[:2] == ["of", "P(class 1)"]
    named = np_review(S0, S1).shares(prevalence={"ill": 0.75}, labels=["ill", "well"])
    assert named.to_numpy()[:, 1:].tolist() == both.to_numpy()[:, 1:].tolist()
    assert list(named["of"]) == ["ill", "well", "all"]
    assert named["P(well)"].tolist() == [0.0, 1.0, 0.25]
    with pytest.warns(NPWarning, match="prevalence=0.25 is taken as the share of 'well' rows"):
        np_review(S0, S1).shares(prevalence=0.25, labels=["ill", "well"])
    assert "P(class 1)" not in np_review(S0, S1).shares()
    assert both["review"][2] == pytest.approx(0.75 * both["review"][0] + 0.25 * both["review"][1])


@pytest.mark.slow
def test_the_interval_of_the_share_in_review_covers():
    rng, missed = np.random.default_rng(2), np.zeros(2, dtype=int)
    n_runs = 2000
    for _ in range(n_runs):
        rule = np_review(rng.normal(size=80), rng.normal(1, 1, size=120), alpha=0.1, beta=0.1)
        shares = rule.shares(level=0.8)
        for label, centre in enumerate((0.0, 1.0)):
            true = norm.cdf(rule.upper - centre) - norm.cdf(rule.lower - centre)
            missed[label] += not shares["review_lower"][label] <= true <= shares["review_upper"][label]
    for count in missed:
        assert binomtest(int(count), n_runs, 0.2, alternative="greater").pvalue > 1e-6
        # and it is no interval that is always wide
        assert count > 0.02 * n_runs


def test_too_few_scores_are_told_by_the_names_of_their_class():
    with pytest.raises(TooFewSamplesError, match=r"n1=20 left-out class 1 scores cannot meet beta=0.05 with delta1="):
        np_review(S0, S1[:20])
    with pytest.raises(TooFewSamplesError, match=r"n0=20 left-out class 0 scores cannot meet alpha=0.05 with delta0="):
        np_review(S0[:20], S1)
    with pytest.raises(InvalidInputError, match="beta"):
        np_review(S0, S1, beta=0)


@pytest.mark.slow
def test_a_plan_expects_the_share_that_new_rules_have():
    # a large pilot stands for the world, so that what is left is the integral over the laws of the cuts
    pilot0, pilot1 = norm.ppf((np.arange(20_000) + 0.5) / 20_000), 2 + norm.ppf((np.arange(20_000) + 0.5) / 20_000)
    plan = plan_review(pilot0, pilot1, max_review=0.01, alpha=0.1, beta=0.1, prevalence=0.3)
    rng = np.random.default_rng(3)
    n0, n1 = int(plan.n0[3]), int(plan.n1[3])
    found = []
    for _ in range(1000):
        rule = np_review(rng.normal(size=n0), rng.normal(2, 1, size=n1), alpha=0.1, beta=0.1)
        found.append([max(0, norm.cdf(rule.upper - c) - norm.cdf(rule.lower - c)) for c in (0, 2)])
    mean, error = np.mean(found, axis=0), np.std(found, axis=0) / np.sqrt(len(found))
    assert abs(plan.review0[3] - mean[0]) < 5 * error[0]
    assert abs(plan.review1[3] - mean[1]) < 5 * error[1]
    assert plan.review[3] == pytest.approx(0.7 * plan.review0[3] + 0.3 * plan.review1[3])
    assert plan.review_limit == pytest.approx(
        0.7 * (0.9 - norm.cdf(2 + norm.ppf(0.1))) + 0.3 * (norm.cdf(norm.ppf(0.9) - 2) - 0.1), abs=1e-3
    )


@pytest.mark.slow
def test_a_plan_takes_the_share_of_either_class():
    names = {"labels": ["ill", "well"]}
    plans = [plan_review(S0, S1, prevalence=share, **names) for share in ({"ill": 0.1}, {"well": 0.9})]
    assert plans[0].prevalence == plans[1].prevalence == 0.9
    assert plans[0].review.tolist() == plans[1].review.tolist()
    with pytest.warns(NPWarning, match="prevalence=0.1 is taken as the share of 'well' rows"):
        assert plan_review(S0, S1, prevalence=0.1, **names).prevalence == 0.1
    assert plan_review(S0, S1, prevalence=0.1).prevalence == 0.1


@pytest.mark.slow
def test_a_plan_finds_enough_rows_or_says_that_there_are_none():
    rng = np.random.default_rng(4)
    near, far = rng.normal(1, 1, size=400), rng.normal(2.9, 1, size=400)
    pilot = rng.normal(size=400)
    enough = plan_review(pilot, far, max_review=0.15)
    assert enough.review[-1] <= 0.15 < enough.review[-2]
    assert (enough.n0_needed, enough.n1_needed) == (enough.n0[-1], enough.n1[-1])
    ax = enough.plot()
    lines = {line.get_gid(): line for line in ax.lines}
    np.testing.assert_array_equal(lines["nproc-plan-review-0"].get_ydata(), enough.review)
    assert lines["nproc-plan-review-needed"].get_xdata()[0] == enough.n0_needed
    assert "pilot: 400" in ax.get_xlabel()
    # well inside the frame
    assert ax.transAxes.inverted().transform(ax.transData.transform((enough.n0_needed, 0)))[0] < 0.93
    assert ax.get_legend().get_title().get_text() == "limit and asked: shares of all rows"
    assert len({lines[f"nproc-plan-review-{number}"].get_marker() for number in range(3)}) == 3
    plt.close("all")
    never = plan_review(pilot, near, max_review=0.1)
    assert "fewer may be enough" not in str(never.summary())
    assert never.n0_needed is None
    assert never.review_limit > 0.1
    # the levels that it offers do bring the share down, for rules of as many other scores
    shares = [
        np_review(rng.normal(size=400), rng.normal(1, 1, size=400), alpha=never.alpha_needed, beta=never.beta_needed)
        for _ in range(100)
    ]
    assert np.mean([rule.shares(prevalence=0.5)["review"][2] for rule in shares]) < 0.13


def test_a_plan_names_the_classes_and_says_how_far_apart_its_sizes_are():
    rng = np.random.default_rng(4)
    plan = plan_review(rng.normal(size=90), rng.normal(3, 1, size=120), max_review=0.12, labels=["ill", "well"])
    text = " ".join(str(plan.summary()).split())
    assert "Class 0: ill" in text
    assert "up to 29 % fewer may be enough" in text
    # sizes are whole numbers, rounded up
    assert np.all(np.abs(plan.n0[1:] / plan.n0[:-1] - np.sqrt(2)) < 2 / plan.n0[:-1])
    assert plan.review[-1] <= 0.12 < plan.review[-2]
    legend = [text.get_text() for text in plan.plot().get_legend().get_texts()]
    assert {"all rows", "class 0 (ill)", "class 1 (well)"} <= set(legend)
    for wrong in ("ab", ["ill"], ["ill", "ill"], 3):
        with pytest.raises(InvalidInputError, match="labels must be two different names, of class 0 and of class 1"):
            plan_review([0.0, 1.0], [2.0, 3.0], labels=wrong)
        with pytest.raises(InvalidInputError, match="labels must be two different names, of class 0 and of class 1"):
            np_review(S0, S1).shares(labels=wrong)
