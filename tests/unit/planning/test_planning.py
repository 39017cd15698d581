"""Planning: sizes against brute force, curves against quadrature, errors, tables, pictures."""

import json
import pickle
import re

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from scipy import integrate, stats

from nproc import (
    InvalidInputError,
    NPROCBand,
    NPWarning,
    TooFewSamplesError,
    min_class0_size,
    np_order,
    npc,
    nproc,
    plan_class0,
)
from nproc.cli import main
from nproc.planning import plan_split_ratio, supported_levels, type1_law
from nproc.planning.pilot import PilotCurve, read_pilot
from nproc.planning.rank_law import settled_size, sizes_for, tooth_starts
from nproc.simulate import DiscreteWorld, GaussianWorld, LogisticWorld
from nproc.splitting import auto_left_out

RNG = np.random.default_rng(12)
PILOT = RNG.normal(size=120), RNG.normal(1.6, 1, size=90)
WORLD = GaussianWorld(np.zeros(3), np.array([1.8, 0.0, 0.0]))


@pytest.fixture(scope="module")
def plan():
    return plan_class0(0.1, 0.05, power=0.7, pilot=PILOT)


# sizes


@pytest.mark.parametrize(("alpha", "delta"), [(0.05, 0.05), (0.3, 0.02), (0.5, 0.5), (0.01, 0.1), (0.1, 0.3)])
def test_teeth_start_where_the_rank_steps(alpha, delta):
    starts = tooth_starts(40, alpha, delta)
    assert starts[0] == min_class0_size(alpha, delta)
    for size in range(int(starts[0]), min(600, int(starts[-1]))):
        assert size - np_order(size, alpha, delta) == np.searchsorted(starts, size, side="right") - 1


def test_a_tie_with_delta_starts_a_tooth_where_np_order_says():
    # (1 - 0.5)^n = 0.125 at n = 3 exactly
    assert tooth_starts(2, 0.5, 0.125)[0] == 3 == min_class0_size(0.5, 0.125)


@pytest.mark.parametrize("pilot", [None, 0.9, PILOT, WORLD], ids=["none", "auc", "scores", "world"])
@pytest.mark.parametrize(("alpha", "delta", "power"), [(0.1, 0.05, 0.6), (0.1, 0.3, 0.8), (0.25, 0.05, 0.85)])
def test_the_sizes_are_those_that_looking_at_every_size_finds(pilot, alpha, delta, power):
    found = plan_class0(alpha, delta, power=power, pilot=pilot)
    curve = read_pilot(pilot, alpha, 0.05)
    sizes = np.arange(found.n0_min, 3 * found.n0 + 200)
    above = np.array([n - np_order(int(n), alpha, delta) for n in sizes])
    enough = curve.mean_power(above, sizes) / curve.power_at(alpha) >= power
    assert found.n0_first == sizes[np.argmax(enough)]
    assert found.n0 == (sizes[np.flatnonzero(~enough)[-1] + 1] if not enough.all() else found.n0_min)


@pytest.mark.parametrize("deficit", [0.5, 0.2, 0.05])
@pytest.mark.parametrize(("alpha", "delta"), [(0.05, 0.05), (0.3, 0.5), (0.01, 0.001)])
def test_from_the_settled_size_on_the_shortfall_is_small(alpha, delta, deficit):
    settled = settled_size(alpha, delta, deficit)
    for size in [settled, settled + 1, settled + 17, 2 * settled, 5 * settled]:
        order = np_order(size, alpha, delta)
        law = stats.beta(size + 1 - order, order)
        shortfall = law.expect(lambda r: alpha - r, lb=0, ub=alpha)
        assert shortfall <= alpha * deficit


def test_a_rule_that_always_has_the_power_needs_the_smallest_size_only():
    assert sizes_for(lambda m, n: np.ones(m.size), 0.5, 0.1, 0.1) == (22, 22)


def test_without_power_the_plan_is_the_smallest_size():
    plan = plan_class0(0.05, 0.05, power=None)
    assert (plan.n0, plan.n0_first, plan.n0_min, plan.order) == (59, 59, 59, 59)
    assert plan.rows == 77
    assert plan_class0(0.05, 0.05, power=None, split_ratio=0.5).rows == 117
    assert plan.rows_of_both is None
    assert plan.type1_mean == pytest.approx(1 / 60)
    assert plan.price == pytest.approx(0.05 - 1 / 60)


@pytest.mark.parametrize("prevalence", [0.001, 0.3, 0.9, 0.9999])
@pytest.mark.parametrize("delta", [0.01, 0.5])
def test_rows_of_both_classes_are_the_least_that_hold_the_class_0_rows(prevalence, delta):
    plan = plan_class0(0.1, delta, power=None, prevalence=prevalence)
    # failures before the last of the class 0 rows
    wanted = plan.rows + stats.nbinom.ppf(1 - delta, plan.rows, 1 - prevalence)
    assert plan.rows_of_both == wanted
    few = stats.binom.cdf(plan.rows - 1, [plan.rows_of_both, plan.rows_of_both - 1], 1 - prevalence)
    assert few[0] <= delta < few[1]
    assert str(plan.rows_of_both) in str(plan.summary())


def test_a_plan_takes_the_share_of_either_class_and_names_the_class_of_the_one_it_shows():
    labels = np.repeat(["ill", "well"], [60, 40])
    band = nproc(np.r_[PILOT[0][:60], PILOT[1][:40]][:, None], labels, "lda", class0="ill", random_state=1)
    bare = plan_class0(0.2, power=None, prevalence=0.75)
    for known in ({"labels": ["ill", "well"]}, {"pilot": band}, {"pilot": band, "labels": ("ill", "well")}):
        for share in ({"ill": 0.25}, {"well": 0.75}):
            found = plan_class0(0.2, power=None, prevalence=share, **known)
            assert (found.prevalence, found.rows_of_both) == (0.75, bare.rows_of_both)
            assert f"rows_of_both={found.rows_of_both} at P(well)=0.75," in repr(found)
            assert "if the share of well among all rows is 0.75." in " ".join(str(found.summary()).split())
        with pytest.warns(NPWarning, match="prevalence=0.75 is taken as the share of 'well' rows"):
            plan_class0(0.2, power=None, prevalence=0.75, **known)
    assert " at P(class 1)=0.75," in repr(bare)
    assert plan_class0(0.2, power=None, prevalence={0: 0.25}).rows_of_both == bare.rows_of_both
    for wrong, message in (
        ({"prevalence": {"ill": 0.25}}, "only key, got {'ill': 0.25}. Name other labels by labels=, that of class 0 f"),
        ({"labels": ["ill"]}, "labels must be two different names"),
        ({"labels": ["well", "ill"], "pilot": band}, "labels must be those of the pilot, ['ill', 'well'], class 0 fi"),
    ):
        with pytest.raises(InvalidInputError, match=re.escape(message)):
            plan_class0(0.2, **wrong)


def test_more_power_takes_more_rows_and_a_better_score_takes_fewer():
    sizes = [plan_class0(0.1, 0.1, power=p).n0 for p in (0.3, 0.5, 0.7)]
    assert sizes == sorted(set(sizes))
    assert plan_class0(0.1, 0.1, power=0.7, pilot=0.95).n0 < plan_class0(0.1, 0.1, power=0.7, pilot=0.7).n0 < sizes[-1]


# curves


def test_the_law_at_one_size_agrees_with_scipy():
    law = type1_law(200, 0.05, 0.05)
    beta = stats.beta(200 + 1 - law.order, law.order)
    assert law.type1_mean == pytest.approx(beta.mean(), rel=1e-12)
    assert law.type1_sd == pytest.approx(beta.std(), rel=1e-12)
    assert law.probability(0.01, 0.04) == pytest.approx(beta.cdf(0.04) - beta.cdf(0.01), rel=1e-10)
    assert law.probability(0.05, 1) == pytest.approx(law.violation_rate, rel=1e-10)
    share = integrate.quad(lambda r: min(1, r / 0.05) * beta.pdf(r), 0, 1, points=[0.05], epsabs=1e-12)[0]
    assert law.power_share == pytest.approx(share, rel=1e-8)
    assert law.price == pytest.approx(0.05 - beta.mean())
    assert law.quantile([0.5]).shape == (1,)


def bounds_at(curve, type1):
    """Lower and upper bounds of a `PilotCurve` on the power at type I errors."""
    (starts, lower), (stops, upper) = curve.lower_steps, curve.upper_steps
    reached = np.searchsorted(starts, type1, side="right")
    beyond = np.searchsorted(stops, type1, side="left")
    return np.append(0.0, lower)[reached], np.append(upper, 1.0)[beyond]


@pytest.mark.parametrize("pilot", [0.9, PILOT, WORLD], ids=["auc", "scores", "world"])
@pytest.mark.parametrize(("above", "n0"), [(0, 29), (3, 90), (30, 500)])
def test_expected_power_agrees_with_numerical_integration(pilot, above, n0):
    curve = read_pilot(pilot, 0.1, 0.05)
    beta = stats.beta(above + 1, n0 - above)
    grid = beta.ppf((np.arange(200_000) + 0.5) / 200_000)
    assert float(curve.mean_power(above, n0)) == pytest.approx(np.mean(curve.power_at(grid)), abs=2e-5)
    if curve.has_bounds:
        low, high = curve.mean_bounds(above, n0)
        lower, upper = bounds_at(curve, grid)
        assert (float(low), float(high)) == pytest.approx((lower.mean(), upper.mean()), abs=2e-5)


def test_pilot_bounds_hold_the_estimate_and_widen_with_a_smaller_level():
    sizes = [29, 100, 400]
    wide, narrow = (plan_class0(0.1, 0.05, pilot=PILOT, power=None, level=v).to_frame(sizes) for v in (0.01, 0.5))
    for frame in (wide, narrow):
        assert ((frame["type2_lower"] < frame["type2_mean"]) & (frame["type2_mean"] < frame["type2_upper"])).all()
    assert ((wide["type2_lower"] <= narrow["type2_lower"]) & (narrow["type2_upper"] <= wide["type2_upper"])).all()


def test_bounds_of_tied_pilot_scores_stay_in_order():
    curve = PilotCurve.from_scores(np.round(PILOT[0]), np.round(PILOT[1]), "tied", 0.1)
    lower, upper = bounds_at(curve, np.linspace(0, 1, 101))
    assert np.all(np.diff(lower) >= 0)
    assert np.all(np.diff(upper) >= 0)
    assert np.all(lower <= upper)


def test_a_band_and_its_scores_are_the_same_pilot():
    band = NPROCBand.from_scores(*PILOT)
    by_band, by_scores = (plan_class0(0.1, 0.05, power=0.7, pilot=p) for p in (band, PILOT))
    assert (by_band.n0, by_band.type2_mean) == (by_scores.n0, by_scores.type2_mean)


@pytest.mark.slow
def test_a_summary_says_where_the_curve_of_a_pilot_gives_less_than_the_least_share():
    points = (np.arange(500) + 0.5) / 500
    scores = stats.norm.ppf(points)
    worst = plan_class0()
    told = "The ROC curve of this pilot is not concave"
    # of class 1 scores that are less spread out, the curve is convex near 0
    convex, concave = (plan_class0(pilot=(scores, shift + sd * scores)) for shift, sd in ((1.2, 0.4), (1.5, 1.0)))
    assert 1 - convex.type2_mean < convex.law.power_share * (1 - convex.type2_oracle)
    assert convex.n0 > worst.n0
    assert told in " ".join(str(convex.summary()).split())
    assert 1 - concave.type2_mean >= concave.law.power_share * (1 - concave.type2_oracle)
    assert concave.n0 <= worst.n0
    for plan in (concave, worst):
        assert told not in " ".join(str(plan.summary()).split())


@pytest.mark.slow
def test_the_tabulated_curve_of_a_world_is_near_its_own():
    world = LogisticWorld(1, [3, 0])
    plan = plan_class0(0.1, 0.05, power=0.6, pilot=world)
    assert plan.type2_oracle == pytest.approx(world.np_oracle(0.1).type2, abs=1e-4)
    nodes = stats.beta(plan.n0 + 1 - plan.order, plan.order).ppf((np.arange(200) + 0.5) / 200)
    assert plan.type2_mean == pytest.approx(1 - np.mean(world.roc(nodes)), abs=1e-3)


def test_the_price_in_type_2_error_is_the_excess_over_the_oracle(plan):
    known = plan_class0(0.1, 0.05, power=0.7, pilot=WORLD)
    assert known.type2_oracle == pytest.approx(WORLD.np_oracle(0.1).type2)
    assert known.type2_price == pytest.approx(known.type2_mean - known.type2_oracle)
    assert known.type2_bounds is None
    low, high = plan.type2_bounds
    assert low < plan.type2_mean < high
    none = plan_class0(0.1, 0.05, power=0.7)
    assert (none.type2_mean, none.type2_oracle, none.type2_price, none.has_pilot) == (None, None, None, False)


# what rows in hand support


def npc_order_of(n0):
    sample = GaussianWorld([0.0], [1.0]).sample_classes(n0, 30, 1)
    return npc(sample.X, sample.y, "lda", random_state=1).orders[0]


@pytest.mark.parametrize(("power", "alpha", "delta"), [(0.5, 0.1, 0.1), (0.7, 0.05, 0.05), (None, 0.02, 0.3)])
def test_of_the_planned_rows_npc_leaves_out_as_many_as_the_plan_says_or_more(power, alpha, delta):
    plan = plan_class0(alpha, delta, power=power)
    assert auto_left_out(plan.rows, alpha, delta) >= plan.n0 > auto_left_out(plan.rows - 1, alpha, delta)


def test_supported_levels_are_just_met():
    assert supported_levels(rows=80).order == npc_order_of(80)
    found = supported_levels(rows=80, split_ratio=0.5)
    assert (found.n0, found.order, found.n0_min, found.law) == (40, None, 59, None)
    assert np_order(40, found.smallest_alpha * 1.0001, 0.05) == 40
    assert np_order(40, 0.05, found.smallest_delta * 1.0001) == 40
    with pytest.raises(TooFewSamplesError):
        np_order(40, found.smallest_alpha * 0.999, 0.05)
    enough = supported_levels(200)
    assert enough.law == type1_law(200)
    assert "rank 196 meets both" in repr(enough)
    assert len(found.to_frame()) == 1
    assert "0.0722" in str(found.summary())
    # a delta above 0.5 would be refused
    few, enough = (supported_levels(n0, alpha=0.05) for n0 in (13, 14))
    assert few.smallest_delta > 0.5 > enough.smallest_delta
    assert "at alpha=0.05 delta >= 0.488" in repr(enough)
    assert "at delta=0.05 alpha >= " in repr(few)
    assert "delta >=" not in repr(few)
    assert re.search(r"Least delta: +none\n", str(few.summary()))
    assert "Least delta none: at this alpha no delta up to 0.5" in " ".join(str(few.summary()).split())


@pytest.mark.parametrize("rows", [2, 3, 40, 60, 76, 500])
@pytest.mark.parametrize("level", [0.01, 0.05, 0.5])
def test_the_smallest_levels_are_those_from_which_the_default_of_npc_finds_a_threshold(rows, level):
    found = supported_levels(rows=rows, alpha=level, delta=level)

    def works(alpha, delta):
        return min_class0_size(alpha, delta) <= auto_left_out(rows, alpha, delta)

    for least, at in ((found.smallest_alpha, lambda x: (x, level)), (found.smallest_delta, lambda x: (level, x))):
        # next to 1 for two rows
        assert works(*at(min(1.000001 * least, 0.5 * (1 + least))))
        assert not any(works(*at(share * least)) for share in np.linspace(0.2, 0.99999, 100))


@pytest.mark.slow
@pytest.mark.parametrize("rows", [21, 77, 119, 120, 375])
def test_every_alpha_from_the_smallest_one_on_as_it_is_printed_has_a_rule_by_the_default_of_npc(rows):
    found = supported_levels(rows=rows)
    alpha, delta = re.findall(r"(?:alpha|delta) >= ([0-9.]+(?:e-[0-9]+)?)", repr(found))
    told = re.findall(r"Least (?:alpha|delta): +(\S+) \((\d+) left out\)", str(found.summary()))
    (in_table, n_alpha), (_, n_delta) = told
    assert in_table == alpha
    assert auto_left_out(rows, float(alpha), 0.05) == int(n_alpha) >= min_class0_size(float(alpha), 0.05)
    assert auto_left_out(rows, 0.05, float(delta)) == int(n_delta) >= min_class0_size(0.05, float(delta))
    levels = np.geomspace(float(alpha), 0.9, 200)
    assert all(auto_left_out(rows, level, 0.05) >= min_class0_size(level, 0.05) for level in levels)


def test_the_error_of_npc_names_levels_that_its_rows_support():
    sample = WORLD.sample_classes(60, 60, 1)
    with pytest.raises(TooFewSamplesError) as raised:
        npc(sample.X, sample.y, "lda", random_state=1)
    alpha, delta = (float(re.search(rf"{name} >= (0[.][0-9]+)", str(raised.value))[1]) for name in ("alpha", "delta"))
    assert (alpha, delta) == (0.0631, 0.0853)
    for levels in ({"alpha": alpha}, {"delta": delta}):
        assert npc(sample.X, sample.y, "lda", **levels, random_state=1).guaranteed


@pytest.mark.parametrize(("alpha", "delta"), [(0.05, 0.05), (0.1, 0.01)])
def test_the_sizes_listed_are_those_where_one_more_score_lies_above_the_threshold(alpha, delta):
    found = supported_levels(rows=300, alpha=alpha, delta=delta).sizes()
    above = [n - np_order(n, alpha, delta) for n in range(min_class0_size(alpha, delta), 300)]
    steps = np.flatnonzero(np.diff(above, prepend=-1)) + min_class0_size(alpha, delta)
    assert found["n0_left_out"].tolist() == steps.tolist()
    sample = WORLD.sample_classes(300, 20, random_state=1)
    for size, ratio, order in zip(found["n0_left_out"], found["split_ratio"], found["order"], strict=True):
        fit = npc(sample.X, sample.y, "lda", alpha=alpha, delta=delta, split_ratio=ratio, random_state=1)
        assert (fit.n0_left_out, fit.orders[0]) == (size, order)
    # without rows there is no ratio, and all of them may be left out
    alone = supported_levels(93).sizes()
    assert alone["n0_left_out"].tolist() == [59, 93]
    assert alone["split_ratio"].isna().all()
    assert supported_levels(rows=93).sizes()["n0_left_out"].tolist() == [59]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "give either n0="),
        ({"n0": 5, "rows": 9}, "give either n0="),
        ({"n0": 0}, "n0 must be at least 1"),
        ({"rows": 2, "split_ratio": 0.9}, "leaves none out"),
        ({"n0": 5, "alpha": 0}, "alpha must lie strictly"),
    ],
)
def test_supported_levels_refuses(arguments, message):
    with pytest.raises(InvalidInputError, match=message):
        supported_levels(**arguments)


# errors


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"delta": 0.6}, "delta must be at most 0.5, got 0.6"),
        ({"power": 1.0}, "power must lie strictly"),
        ({"power": 0.9999, "alpha": 0.01}, "is too near 1 to plan for"),
        ({"pilot": 0.4}, r"must lie in \(0.5, 1\)"),
        ({"pilot": 1.5}, "must lie strictly"),
        ({"pilot": "lda"}, "pilot must be a pair"),
        ({"pilot": DiscreteWorld([0, 1, 2], [0.7, 0.2, 0.1], [0.1, 0.3, 0.6])}, "with tied scores"),
        ({"pilot": GaussianWorld([0, 0], [1, 1], cov1=np.diag([2.0, 1.0]))}, "weights must be given"),
        ({"pilot": (np.zeros(5), np.ones(5))}, "5 class 0 scores, which say nothing about a type I error"),
        ({"pilot": (np.arange(50.0), [np.nan])}, "pilot scores1 must be finite"),
        ({"pilot": (np.arange(50.0), np.full(9, -1.0))}, "the estimated power is 0"),
        ({"split_ratio": 0}, "split_ratio must lie"),
        ({"level": 2}, "level must lie"),
    ],
)
def test_plan_class0_refuses(arguments, message):
    with pytest.raises(InvalidInputError, match=message):
        plan_class0(**arguments)


def test_a_band_of_several_splits_is_no_pilot():
    band = NPROCBand.from_scores([PILOT[0]] * 3, [PILOT[1]] * 3)
    with pytest.raises(InvalidInputError, match="band of one split, got 3"):
        plan_class0(pilot=band)


def test_a_law_refuses_ends_out_of_order():
    with pytest.raises(InvalidInputError, match="low must be at most high"):
        type1_law(100).probability(0.5, 0.2)


# tables and pictures


def test_tables_and_reprs_tell_the_sizes(plan):
    text = str(plan.summary())
    for number in (plan.n0, plan.n0_first, plan.n0_min, plan.rows):
        assert str(number) in text
    at_least = plan_class0(plan.alpha, plan.delta, power=None).rows
    assert re.search(rf"In all for a guarantee: +{at_least}\b", text)
    assert "power from here on" in text
    notes = " ".join(text.split())
    assert "Price in type II error: E type II minus the best possible type II error." in notes
    assert "Unused part of alpha: alpha minus the expected type I error." in notes
    auto = plan_class0(0.1, 0.05, power=0.8, pilot=0.9)
    # 116 of 212 rows
    assert 0 < auto.n0 - auto.rows / 2 <= 10
    told = (
        "Split ratio (auto): the number of left-out rows is within 10 of half, so more rows may be left out than train."
    )
    assert told in " ".join(str(auto.summary()).split())
    assert "within 10" not in str(plan_class0(0.1, 0.05, power=0.8, pilot=0.9, split_ratio=0.5).summary())
    assert f"n0_min={plan.n0_min} left-out rows for a guarantee, n0={plan.n0} or more for " in repr(plan)
    assert len(repr(plan).splitlines()) == 2
    one = plan_class0(0.1, 0.05, power=0.8)
    told = (
        f"n0={one.n0} or more for a rule with 0.8 of the best possible power ({one.n0_first} reach it, but some larger"
    )
    assert f"{told} numbers do not)" in repr(one)
    laws = [one.at(n).power_share >= 0.8 for n in (one.n0_first - 1, one.n0_first, one.n0 - 1, one.n0)]
    assert laws == [False, True, False, True]
    assert str(type1_law(59)).startswith("RankLaw(n0=59, order=59")
    assert "0.0485" in str(type1_law(59).summary())
    assert type1_law(59).to_frame().shape == (1, 10)
    assert "Least share" in str(plan_class0(0.1, 0.1, power=0.5).summary())
    # without a power to reach there is one size, and no word on sizes that reach it
    smallest = str(plan_class0(0.1, power=None).summary())
    assert "for a guarantee" in smallest
    assert "from here on" not in smallest
    assert "first with the power" not in smallest


def test_the_curve_of_a_plan_is_a_frame_of_laws(plan):
    frame = plan.to_frame()
    assert frame["n0"].iloc[0] == plan.n0_min
    assert {plan.n0, plan.n0_first} <= set(frame["n0"])
    row = frame[frame["n0"] == plan.n0].iloc[0]
    assert row["order"] == plan.order
    assert row["type2_mean"] == pytest.approx(plan.type2_mean)
    assert row["type1_mean"] == pytest.approx(plan.type1_mean)


@pytest.mark.parametrize("what", ["type1", "type2", None])
def test_the_plot_shows_both_sizes(plan, what):
    ax = plan.plot(ax=Figure().subplots(), what=what)
    lines = {line.get_gid(): line for line in ax.lines}
    assert lines["nproc-plan-n0"].get_xdata()[0] == plan.n0
    assert ("nproc-plan-type1" in lines) == (what == "type1")


def test_a_plot_of_type_2_errors_needs_a_pilot():
    with pytest.raises(InvalidInputError, match="what must be 'type1'"):
        plan_class0(0.1, 0.1, power=0.4).plot(what="type2")


@pytest.mark.parametrize("pilot", [None, 0.9, PILOT, WORLD], ids=["none", "auc", "scores", "world"])
def test_a_plan_survives_pickling(pilot):
    plan = plan_class0(0.1, 0.1, power=0.4, pilot=pilot)
    again = pickle.loads(pickle.dumps(plan))
    assert repr(again) == repr(plan)


# split ratio


@pytest.fixture(scope="module")
def sample():
    return WORLD.sample_classes(100, 80, random_state=3)


@pytest.mark.slow
def test_the_split_ratio_plan_is_the_same_for_any_number_of_jobs(sample):
    first, second = (
        plan_split_ratio(sample.X, sample.y, "lda", rows=200, n_repeats=2, random_state=4, n_jobs=n) for n in (1, 2)
    )
    pd.testing.assert_frame_equal(first.to_frame(), second.to_frame())
    assert first.split_ratio == first.ratios[np.argmin(first.type2_mean)]
    assert np.all(first.n_train + first.n0 == 200)
    assert first.n0.min() >= 59
    assert first.beyond.tolist() == [m > 50 or m < 12 for m in first.n_train]
    assert first.seed == 4


def test_expected_type_2_errors_of_the_ratios_are_near_the_truth():
    world = GaussianWorld(np.zeros(2), np.array([2.0, 0.0]))
    pilot = world.sample_classes(1200, 1200, random_state=5)
    plan = plan_split_ratio(pilot.X, pilot.y, "lda", rows=600, ratios=[0.1, 0.5, 0.8], n_repeats=3, random_state=6)
    # two columns are learnt at once, so the score is nearly the best one at every ratio
    oracle = plan_class0(0.05, 0.05, power=None, pilot=world)
    truth = oracle.to_frame(plan.n0.tolist())["type2_mean"].to_numpy()
    assert np.abs(plan.type2_mean - truth).max() < 0.05
    assert plan.split_ratio == 0.1


def test_the_split_ratio_plan_shows_itself(sample):
    plan = plan_split_ratio(sample.X, sample.y, "lda", rows=150, n_repeats=2, random_state=1)
    assert "extrapolated" in str(plan.summary())
    assert repr(plan).startswith(f"SplitRatioPlan(split_ratio={plan.split_ratio:g}, method='lda', rows=150")
    ax = plan.plot(ax=Figure().subplots())
    assert ax.get_xlabel().startswith("split ratio")
    assert repr(pickle.loads(pickle.dumps(plan))) == repr(plan)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"rows": 60}, TooFewSamplesError, "no ratio of .* leaves out the 59"),
        ({"alpha": 0.01}, InvalidInputError, "each of 2 folds has 50 class 0 scores"),
        ({"n_folds": 60}, TooFewSamplesError, "n_folds=60 requires at least 120"),
        ({"n_repeats": 1}, InvalidInputError, "n_repeats must be at least 2"),
        ({"rate": 0}, InvalidInputError, "rate must be a finite number above 0"),
        ({"ratios": [1.2]}, InvalidInputError, "ratios must lie"),
    ],
)
def test_plan_split_ratio_refuses(sample, arguments, error, message):
    with pytest.raises(error, match=message):
        plan_split_ratio(sample.X, sample.y, "lda", random_state=1, **arguments)


# command line


def run(capsys, *arguments):
    code = main([str(a) for a in arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_the_command_plans_for_power(capsys, tmp_path):
    code, text, _ = run(capsys, "plan", "--power", 0.5, "--delta", 0.1, "--json", tmp_path / "plan.json")
    assert code == 0
    record = json.loads((tmp_path / "plan.json").read_text())["plan"][0]
    wanted = plan_class0(0.05, 0.1, power=0.5)
    assert (record["n0"], record["n0_first"], record["type1_mean"]) == (wanted.n0, wanted.n0_first, wanted.type1_mean)
    assert str(wanted.n0) in text


@pytest.mark.slow
def test_the_command_reads_a_pilot_and_draws(capsys, tmp_path):
    labels = np.repeat(["no", "yes"], [PILOT[0].size, PILOT[1].size])
    pd.DataFrame({"risk": np.concatenate(PILOT), "label": labels}).to_csv(tmp_path / "pilot.csv", index=False)
    code, out, _ = run(
        capsys, "plan", "--alpha", 0.1, tmp_path / "pilot.csv", "--score", "risk",
        "--plot", tmp_path / "plan.png", "--json",
    )  # fmt: skip
    assert code == 0
    record = json.loads(out)["plan"][0]
    wanted = plan_class0(0.1, 0.05, pilot=PILOT)
    assert record["n0"] == wanted.n0
    assert record["type2_bounds"] == pytest.approx(list(wanted.type2_bounds))
    assert (tmp_path / "plan.png").stat().st_size > 1000
    turned = run(
        capsys, "plan", "--alpha", 0.3, tmp_path / "pilot.csv", "--score", "risk", "--class0", "yes",
        "--json",
    )  # fmt: skip
    assert json.loads(turned[1])["plan"][0]["type2_oracle"] > 0.9


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--power", 0.5, "--n0", 100], "plan_class0(0.05, 0.05, pilot=(scores0, scores1)).to_frame(100)"),
        (["--auc", 0.9, "--alpha", "0.1,0.2", "--plot", "a.png"], "--plot draws one plan"),
        (["--auc", 0.9, "a.csv"], "not allowed with argument"),
        (["--power", 0], "power must lie strictly"),
        (["--plot", "plan.xyz"], "--plot must end as the name of a picture does"),
    ],
)
def test_the_command_refuses(capsys, arguments, message):
    code, _, err = run(capsys, "plan", *arguments)
    assert code == 2
    assert message in err
