"""Planning: the law of the type I error, the least share of power, and bounds from a pilot hold in simulation."""

import numpy as np
import pytest
from exactness import (
    FALSE_ALARM,
    assert_rate,
    assert_rate_above,
    assert_rate_at_most,
    exact_violation_rate,
    smallest_order,
)
from scipy import stats

from nproc import plan_class0
from nproc.planning import type1_law
from nproc.planning.pilot import PilotCurve

N_SAMPLES = 20_000
Z = stats.norm.isf(FALSE_ALARM / 2)


def type1_errors(n0, order, seed):
    """True type I errors of the rule at a rank: uniform class 0 scores, sorted sample by sample."""
    rng = np.random.default_rng(seed)
    left = N_SAMPLES
    parts = []
    while left:
        take = min(left, 4_000_000 // n0)
        parts.append(1 - np.partition(rng.random((take, n0)), order - 1, axis=1)[:, order - 1])
        left -= take
    return np.concatenate(parts)


def assert_mean(values, mean):
    """The mean of independent values is neither too large nor too small."""
    error = values.std(ddof=1) / np.sqrt(values.size)
    assert abs(values.mean() - mean) < Z * error, (values.mean(), mean, error)


def concave_power(type1, separation):
    return stats.norm.cdf(stats.norm.ppf(type1) + separation)


@pytest.mark.parametrize("delta", [0.05, 0.3])
@pytest.mark.parametrize("n0", [59, 180, 416])
def test_the_type_1_error_of_the_planned_rank_has_the_law_that_is_told(n0, delta):
    law = type1_law(n0, 0.05, delta)
    assert law.order == smallest_order(n0, 0.05, delta)
    errors = type1_errors(n0, law.order, seed=n0)
    assert_rate(np.sum(errors > 0.05), N_SAMPLES, exact_violation_rate(n0, law.order, 0.05))
    assert law.violation_rate == pytest.approx(exact_violation_rate(n0, law.order, 0.05), rel=1e-10)
    assert_mean(errors, law.type1_mean)
    assert_mean((errors - errors.mean()) ** 2, law.type1_sd**2)
    assert_rate(np.sum((errors > 0.02) & (errors <= 0.05)), N_SAMPLES, law.probability(0.02, 0.05))
    assert_rate(np.sum(errors > law.quantile(0.9)), N_SAMPLES, 0.1)


@pytest.mark.parametrize("delta", [0.05, 0.3])
@pytest.mark.parametrize("power", [0.4, 0.6, 0.75])
def test_the_planned_size_has_the_power_and_the_least_favourable_curve_attains_the_share(power, delta):
    plan = plan_class0(0.1, delta, power=power)
    law = plan.law
    errors = type1_errors(plan.n0, plan.order, seed=7)
    # the curve min(1, r / alpha) attains the share, and normal classes have more
    assert_mean(np.minimum(1, errors / 0.1), law.power_share)
    assert law.power_share >= power
    for separation in (0.5, 2.0):
        shares = concave_power(errors, separation) / concave_power(0.1, separation)
        assert shares.mean() > law.power_share
    binormal = plan_class0(0.1, delta, power=power, pilot=float(stats.norm.cdf(2 / np.sqrt(2))))
    errors = type1_errors(binormal.n0, binormal.order, seed=8)
    assert_mean(1 - concave_power(errors, 2.0), binormal.type2_mean)
    assert 1 - binormal.type2_mean >= power * (1 - binormal.type2_oracle)


@pytest.mark.parametrize("level", [0.1, 0.4])
@pytest.mark.parametrize("n0", [60, 120, 240])
def test_bounds_from_a_pilot_hold_at_all_sizes_at_once(n0, level):
    rng = np.random.default_rng(n0)
    sizes = np.array([29, 60, 150, 600])
    laws = [type1_law(int(n), 0.1, 0.05) for n in sizes]
    known = plan_class0(0.1, 0.05, power=None, pilot=float(stats.norm.cdf(1.5 / np.sqrt(2))))
    truth = known.to_frame(sizes)["type2_mean"].to_numpy()
    failures, runs = 0, 40
    for _ in range(runs):
        pilot = rng.normal(size=n0), rng.normal(1.5, 1, size=n0)
        frame = plan_class0(0.1, 0.05, power=None, pilot=pilot, level=level).to_frame(sizes)
        failures += bool(((frame["type2_lower"] > truth) | (frame["type2_upper"] < truth)).any())
    assert frame["order"].tolist() == [law.order for law in laws]
    assert_rate_at_most(failures, runs, level)


@pytest.mark.slow
@pytest.mark.parametrize("level", [0.2, 0.5])
@pytest.mark.parametrize("n1", [15, 30, 60])
def test_each_class_of_a_pilot_takes_half_of_the_level_and_nearly_uses_it(n1, level):
    # the bounds on the curve join the worst of both classes and so hold far more often than they promise: here each
    # class by itself, with thresholds so many that class 1 is bounded nearly everywhere
    rng = np.random.default_rng([n1, int(100 * level)])
    missed0, missed1, runs = 0, 0, 400
    for _ in range(runs):
        cuts, scores1 = np.sort(rng.random(6 * n1))[::-1], rng.random(n1)
        curve = PilotCurve.from_scores(cuts, scores1, "uniform scores of both classes", level)
        (above, lower), (below, upper) = curve.lower_steps, curve.upper_steps
        missed0 += np.any((1 - cuts > above) | (1 - cuts < below))
        missed1 += np.any((1 - cuts < lower) | (1 - cuts > upper))
    assert_rate_at_most(missed0, runs, level / 2)
    assert_rate_at_most(missed1, runs, level / 2)
    assert_rate_above(missed1, runs, level / 10)
