"""Tests of `nproc.orderstat` against scipy, statsmodels and exact fractions."""

import math
import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from nproc import min_class0_size, np_order, npc, violation_rate
from nproc.errors import InvalidInputError, TooFewSamplesError
from nproc.orderstat import clopper_pearson, round_up, search_orders, too_few_message, type1_upper, type2_bounds

STEADY = settings(deadline=None, derandomize=True, max_examples=150)


def exact_rate(order, n0, alpha):
    """v(order) as a fraction, for alpha written as a decimal."""
    a = Fraction(alpha)
    return sum(math.comb(n0, j) * (1 - a) ** j * a ** (n0 - j) for j in range(order, n0 + 1))


def exact_order(n0, alpha, delta):
    """k* by rational arithmetic alone; None if there is none."""
    tail, best = Fraction(0), None
    a = Fraction(alpha)
    for j in range(n0, 0, -1):
        tail += math.comb(n0, j) * (1 - a) ** j * a ** (n0 - j)
        if tail > Fraction(delta):
            break
        best = j
    return best


def levels(smallest):
    """Levels spread evenly over orders of magnitude, towards 0 and towards 1."""
    low = st.floats(math.log(smallest), math.log(0.5)).map(math.exp)
    return st.one_of(low, st.floats(0.5, 0.99))


@pytest.mark.parametrize("n0", [1, 2, 10, 59, 500])
@pytest.mark.parametrize("alpha", [0.001, 0.05, 0.5, 0.95])
def test_violation_rate_is_the_binomial_tail_of_scipy(n0, alpha):
    orders = np.arange(1, n0 + 1)
    expected = stats.binom.sf(orders - 1, n0, 1 - alpha)
    np.testing.assert_allclose(violation_rate(orders, n0, alpha), expected, rtol=1e-10)


@pytest.mark.parametrize(("order", "n0", "alpha"), [(59, 59, "0.05"), (3, 3, "0.1"), (57, 60, "0.01"), (1, 40, "0.3")])
def test_violation_rate_is_the_exact_fraction(order, n0, alpha):
    expected = float(exact_rate(order, n0, alpha))
    assert violation_rate(order, n0, float(alpha)) == pytest.approx(expected, rel=1e-12)


@given(n0=st.integers(1, 40), alpha=st.integers(1, 99), delta=st.integers(1, 999))
@STEADY
def test_np_order_is_that_of_rational_arithmetic(n0, alpha, delta):
    best = exact_order(n0, Fraction(alpha, 100), Fraction(delta, 1000))
    if best is None:
        with pytest.raises(TooFewSamplesError, match="cannot meet"):
            np_order(n0, alpha / 100, delta / 1000)
    else:
        assert np_order(n0, alpha / 100, delta / 1000) == best


@given(exponent=st.floats(0, 9), alpha=levels(1e-12), delta=levels(1e-12))
@STEADY
def test_np_order_is_the_smallest_rank_for_any_size_and_level(exponent, alpha, delta):
    n0 = int(10**exponent)
    if n0 < min_class0_size(alpha, delta):
        with pytest.raises(TooFewSamplesError, match="are needed"):
            np_order(n0, alpha, delta)
        return
    order = np_order(n0, alpha, delta)
    # scipy's tail of a binomial is an independent route to v; both carry a relative rounding error, of 1e-9 at n = 1e9
    rounding = 1e-8
    assert stats.binom.cdf(n0 - order, n0, alpha) <= delta * (1 + rounding)
    if order > 1:
        assert stats.binom.cdf(n0 - order + 1, n0, alpha) > delta * (1 - rounding)


@pytest.mark.slow
@given(exponent=st.floats(0, 9), share=st.floats(0, 1), delta=levels(1e-12))
@STEADY
def test_np_order_at_the_bound_of_a_rank_gives_that_rank_back(exponent, share, delta):
    n0 = int(10**exponent)
    order = 1 + int(share * (n0 - 1))
    bound = type1_upper(order, n0, delta)
    if 0 < bound < 1:
        assert np_order(n0, bound, delta) == order


@pytest.mark.slow
@given(alpha=levels(1e-9), delta=levels(1e-12))
@STEADY
def test_min_class0_size_is_the_smallest_size_that_has_a_rank(alpha, delta):
    size = min_class0_size(alpha, delta)
    assert np_order(size, alpha, delta) == size
    # a delta one unit in the last place below v may count as equal to it
    if size > 1 and violation_rate(size - 1, size - 1, alpha) > delta * (1 + 1e-12):
        with pytest.raises(TooFewSamplesError, match=f"at least {size} are needed"):
            np_order(size - 1, alpha, delta)


@pytest.mark.parametrize(
    ("n0", "alpha", "delta", "order"),
    [
        (3, 0.1, 0.729, 3),
        (2, 0.2, 0.64, 2),
        (2, 0.1, 0.81, 2),
        (1, 0.3, 0.7, 1),
        (2, 0.01, 0.9801, 2),
        (6, 0.5, 0.015625, 6),
    ],
)
def test_a_violation_rate_equal_to_delta_counts_as_met(n0, alpha, delta, order):
    assert np_order(n0, alpha, delta) == order
    assert min_class0_size(alpha, delta) == n0


@pytest.mark.parametrize("n0", [1, 3, 29, 45, 59, 301, 999])
def test_at_one_half_an_odd_sample_gives_the_median(n0):
    assert np_order(n0, 0.5, 0.5) == (n0 + 1) // 2


@pytest.mark.parametrize(("alpha", "delta", "size"), [(0.05, 0.05, 59), (0.1, 0.05, 29), (0.05, 0.1, 45)])
def test_the_three_sizes_of_the_paper_belong_to_these_levels(alpha, delta, size):
    assert min_class0_size(alpha, delta) == size
    assert violation_rate(size, size, alpha) <= delta < violation_rate(size - 1, size - 1, alpha)


@pytest.mark.parametrize(("n0", "delta"), [(5000, 1e-20), (10**9, 1e-12), (10**6, 1e-300)])
def test_tiny_deltas_are_not_rounded_to_machine_precision(n0, delta):
    order = np_order(n0, 0.02, delta)
    logs = stats.binom.logcdf(n0 - np.array([order, order - 1]), n0, 0.02)
    assert logs[0] <= math.log(delta) < logs[1]


def test_many_levels_at_once_are_those_of_one_at_a_time():
    alphas = np.concatenate([np.linspace(0, 1, 201), type1_upper(np.arange(1, 101), 100, 0.05)])
    orders = search_orders(100, alphas, 0.05)
    for alpha, order in zip(alphas.tolist(), orders.tolist(), strict=True):
        if order > 100:
            assert alpha < type1_upper(100, 100, 0.05)
        elif alpha < 1:
            assert order == np_order(100, alpha, 0.05)
    assert orders[200] == 1


def test_the_bound_of_a_rank_is_the_level_whose_violation_rate_is_delta():
    orders = np.arange(1, 201)
    bounds = type1_upper(orders, 200, 0.1)
    # v has slope of up to 30 in alpha here, and the bounds are good to a few units in the last place
    np.testing.assert_allclose(
        [violation_rate(int(k), 200, b) for k, b in zip(orders, bounds, strict=True)], 0.1, rtol=1e-11
    )
    assert np.all(np.diff(bounds) < 0)
    np.testing.assert_allclose(bounds, stats.beta.isf(0.1, 200 - orders + 1, orders), rtol=1e-12)


@pytest.mark.parametrize("n1", [1, 2, 20, 1000])
@pytest.mark.parametrize("delta", [0.01, 0.05, 0.3, 0.6])
def test_type2_bounds_are_clopper_pearson_of_statsmodels_and_scipy(n1, delta):
    missed = np.unique(np.linspace(0, n1, 12).astype(int))
    bounds = type2_bounds(missed, n1, delta)
    if delta < 0.5:
        low, high = proportion_confint(missed, n1, alpha=2 * delta, method="beta")
        np.testing.assert_allclose(bounds.lower, low, rtol=1e-12)
        np.testing.assert_allclose(bounds.upper, high, rtol=1e-12)
    for count, lower, upper in zip(missed.tolist(), bounds.lower, bounds.upper, strict=True):
        # scipy solves by bisection to about 1e-12
        below = stats.binomtest(count, n1, alternative="less").proportion_ci(1 - delta, method="exact")
        above = stats.binomtest(count, n1, alternative="greater").proportion_ci(1 - delta, method="exact")
        assert upper == pytest.approx(below.high, rel=1e-9)
        assert lower == pytest.approx(above.low, rel=1e-9)


@pytest.mark.slow
@given(n1=st.integers(1, 300), share=st.floats(0, 1), delta=levels(1e-6))
@STEADY
def test_each_type2_bound_is_where_the_binomial_tail_is_delta(n1, share, delta):
    missed = int(share * n1)
    bounds = type2_bounds(missed, n1, delta)
    if missed < n1:
        # a tail of scipy's at the solved probability; its relative condition number stays below about n1
        assert stats.binom.cdf(missed, n1, bounds.upper) == pytest.approx(delta, rel=1e-9)
    else:
        assert bounds.upper == 1
    if missed > 0:
        assert stats.binom.sf(missed - 1, n1, bounds.lower) == pytest.approx(delta, rel=1e-9)
    else:
        assert bounds.lower == 0


def test_clopper_pearson_is_the_two_sided_interval():
    interval = clopper_pearson(3, 100, level=0.9)
    expected = stats.binomtest(3, 100).proportion_ci(0.9, method="exact")
    # scipy solves by bisection to about 1e-12
    assert (interval.lower, interval.upper) == pytest.approx((expected.low, expected.high), rel=1e-9)


def test_scalars_give_floats_and_arrays_give_arrays_of_the_same_shape():
    assert type(violation_rate(59, 59, 0.05)) is float
    assert type(type1_upper(59, 59, 0.05)) is float
    assert type(type2_bounds(1, 5, 0.05).lower) is float
    assert type(np_order(59, 0.05, 0.05)) is int
    orders = np.array([[1, 2], [3, 4]])
    assert violation_rate(orders, 4, 0.05).shape == (2, 2)
    assert type1_upper(orders, 4, 0.05).shape == (2, 2)
    assert type2_bounds(orders, 4, 0.05).upper.shape == (2, 2)


def test_too_few_rows_name_the_smallest_size_alpha_and_delta_that_work():
    with pytest.raises(TooFewSamplesError) as caught:
        np_order(58, 0.05, 0.05)
    assert str(caught.value) == (
        "n0=58 left-out class 0 scores cannot meet alpha=0.05 with delta=0.05; at least 59 are needed "
        "(or alpha >= 0.0504, or delta >= 0.0511)."
    )


def test_too_few_rows_of_an_automatic_split_name_levels_for_which_it_leaves_out_others():
    y = np.repeat([0, 1], [33, 40])
    X = np.random.default_rng(0).normal(size=(73, 2)) + y[:, None]
    with pytest.raises(TooFewSamplesError) as caught:
        npc(X, y, "lda", random_state=1)
    ways = re.findall(r"(alpha|delta) >= (\S+) with (\d+) left out", str(caught.value))
    assert [name for name, _, _ in ways] == ["alpha", "delta"]
    for name, level, n_left in ways:
        assert npc(X, y, "lda", random_state=1, **{name: float(level)}).n0_left_out == int(n_left) > 16


@given(alpha=levels(1e-9), delta=levels(1e-9), share=st.floats(0, 1))
@STEADY
def test_the_alpha_and_delta_that_the_message_names_really_work(alpha, delta, share):
    n0 = max(1, int(share * (min_class0_size(alpha, delta) - 1)))
    if n0 >= min_class0_size(alpha, delta):
        return
    text = too_few_message(n0, alpha, delta)
    named = dict(re.findall(r"(alpha|delta) >= ([^\s,)]+)", text))
    assert all(0 < float(level) < 1 for level in named.values())
    # a larger delta is refused
    assert float(named.get("delta", 0.5)) <= 0.5
    if "alpha" in named:
        assert np_order(n0, float(named["alpha"]), delta) == n0
    if "delta" in named:
        assert np_order(n0, alpha, float(named["delta"])) == n0


@pytest.mark.parametrize(("value", "text"), [(0.050401, "0.0505"), (0.05, "0.05"), (1.2e-7, "1.2e-07"), (0.9999, "1")])
def test_numbers_in_messages_are_rounded_up(value, text):
    assert round_up(value) == text


@pytest.mark.parametrize("order", [0, 60, -1, 1.5, [1, 60], "1", True])
def test_a_rank_outside_the_sample_is_refused(order):
    with pytest.raises(InvalidInputError, match="order must hold whole numbers from 1 to n0=59, got"):
        violation_rate(order, 59, 0.05)
    with pytest.raises(InvalidInputError, match="order must hold whole numbers from 1 to n0=59, got"):
        type1_upper(order, 59, 0.05)


@pytest.mark.parametrize("n_missed", [-1, 6, 1.5, [0, 6]])
def test_a_count_outside_the_sample_is_refused(n_missed):
    with pytest.raises(InvalidInputError, match="n_missed must hold whole numbers from 0 to n1=5, got"):
        type2_bounds(n_missed, 5, 0.05)
    with pytest.raises(InvalidInputError, match="whole numbers from 0 to"):
        clopper_pearson(n_missed, 5)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: np_order(0, 0.05, 0.05), "n0 must be at least 1, got 0"),
        (lambda: np_order(59.5, 0.05, 0.05), r"n0 must be a whole number of at least 1, got 59\.5"),
        (lambda: np_order(59, 0, 0.05), "alpha must lie strictly between 0 and 1, got 0"),
        (lambda: np_order(59, 0.05, 1), "delta must lie strictly between 0 and 1, got 1"),
        (lambda: min_class0_size(1.5, 0.05), r"alpha must lie strictly between 0 and 1, got 1\.5"),
        (lambda: type2_bounds(0, 0, 0.05), "n1 must be at least 1, got 0"),
        (lambda: clopper_pearson(0, 5, level=1), "level must lie strictly between 0 and 1, got 1"),
        (lambda: violation_rate(1, 5, 2), "alpha must lie strictly between 0 and 1, got 2"),
    ],
)
def test_bad_levels_and_sizes_are_refused(call, message):
    with pytest.raises(InvalidInputError, match=message):
        call()
