"""Tests of `nproc.bands.large`: areas, choices and pictures of large bands against those from all exact knots."""

import math
from decimal import Decimal, localcontext

import numpy as np
import pytest
from matplotlib.figure import Figure

from nproc import NPROCBand, nproc, simultaneous
from nproc.bands import band as bands
from nproc.bands import large as manyknots
from nproc.bands.bounds import PointwiseBounds
from nproc.bands.large import orders_to_show
from nproc.errors import InvalidInputError
from nproc.orderstat import type1_upper, type2_curve
from nproc.simultaneous import ACCURACY, smooth_bounds

KINDS = [("pointwise", "berk_jones"), ("simultaneous", "berk_jones"), ("simultaneous", "dkw")]


def scores(n0=3000, n1=1700, shift=1.5, digits=9):
    rng = np.random.default_rng(0)
    return np.round(rng.normal(size=n0), digits), np.round(rng.normal(shift, 1, size=n1), digits)


@pytest.fixture
def many(monkeypatch):
    """Treat bands of more than 100 knots as large ones, in blocks that do not divide their number."""

    def switch(on=True):
        monkeypatch.setattr(bands, "MANY", 100 if on else 1 << 20)
        monkeypatch.setattr(manyknots, "BLOCK", 257)

    return switch


def band_of(kind, **arguments):
    return NPROCBand.from_scores(*scores(**arguments), delta=0.05, band=kind[0], bounds=kind[1])


@pytest.mark.parametrize("n", [1, 5, 1999, 4100, 30_000])
@pytest.mark.parametrize("level", [0.05, 0.5, 1e-4])
def test_the_spline_gives_all_bounds_from_few_and_none_is_closer(n, level):
    counts = np.arange(n + 1)
    counted = []

    def exact(name):
        def bounds(nodes):
            counted.append(nodes.size)
            return getattr(type2_curve(nodes, n, level), name)

        return bounds

    everything = type2_curve(counts, n, level)
    for name, outwards in (("lower", -1), ("upper", 1)):
        right = getattr(everything, name)
        away = outwards * (smooth_bounds(exact(name), n, outwards)(counts) - right)
        inside = (right > 0) & (right < 1)
        assert np.all(away[inside] > 0)
        assert np.all(away <= 2 * ACCURACY * right)
    assert max(counted) < 8000


def test_where_the_spline_would_not_do_the_exact_bounds_are_taken(monkeypatch):
    def rough(counts):
        return (counts + 0.5 + 0.4 * (counts % 7 == 3)) / (10**5 + 1)

    assert smooth_bounds(rough, 10**5, 1) is rough

    def exact(counts):
        return type2_curve(counts, 10**5, 0.05).upper

    assert smooth_bounds(exact, 10**5, 1) is not exact
    # nodes so far apart that the error between two of them, but not at any node, is too large
    monkeypatch.setattr(simultaneous, "STEP", 0.5)
    assert smooth_bounds(exact, 10**5, 1) is exact


@pytest.mark.parametrize("n", [20_000, 10**6, pytest.param(10**7, marks=pytest.mark.slow)])
@pytest.mark.parametrize("level", [0.05, 0.0253, 1e-4])
def test_bounds_of_the_smallest_counts_are_outside_the_exact_ones_by_closed_form_and_many_digits(n, level):
    upper = smooth_bounds(lambda counts: type2_curve(counts, n, level).upper, n, 1)
    lower = smooth_bounds(lambda counts: type2_curve(counts, n, level).lower, n, -1)
    # with no error at all the bound x solves (1 - x)^n = level, with all rows errors x^n = level
    assert 0 < upper(np.array([0]))[0] / -np.expm1(np.log(level) / n) - 1 < 1.8e-12
    assert 0 < 1 - lower(np.array([n]))[0] / np.exp(np.log(level) / n) < 1.8e-12
    for count in (1, 7, 40, 999, 1000):
        # P(B >= k) for the lower bound, and P(B <= count) = 1 - P(B >= count + 1) for the upper one
        low, high = (bounds(np.array([count]))[0] for bounds in (lower, upper))
        assert -1.8e-12 < error_by_many_digits(low, count, n, level) < 0
        assert 0 < error_by_many_digits(high, count + 1, n, 1 - Decimal(level)) < 1.8e-12


def error_by_many_digits(x, k, n, level):
    """Return the relative error of x as the bound below which P(B >= k) is `level`, by sums of 60 digits."""
    with localcontext(prec=60):
        share = Decimal(float(x))
        first = term = math.comb(n, k) * share**k * (1 - share) ** (n - k)
        total, at = Decimal(0), k
        while term > total * Decimal("1e-40"):
            total += term
            term *= Decimal(n - at) / (at + 1) * share / (1 - share)
            at += 1
        return float((total - Decimal(level)) / (k * first))


@pytest.mark.parametrize(
    ("n", "level"), [(30_000, 0.05), (30_000, 1e-12), pytest.param(200_000, 1e-7, marks=pytest.mark.slow)]
)
def test_the_chain_tells_the_error_of_each_value_as_sums_of_sixty_digits_do(n, level):
    counts = np.arange(simultaneous.DENSE - 1, n - simultaneous.DENSE + 2)
    values = type2_curve(counts, n, level).lower
    # errors like those of a bad spline
    values *= 1 + 1e-11 * np.sin(counts / 300)
    places = np.linspace(0, counts.size - 1, 12).astype(np.intp)
    right = [error_by_many_digits(values[place], int(counts[place]), n, level) for place in places]
    errors = simultaneous._chained(values, counts.astype(float), n, right[0])
    np.testing.assert_allclose(errors[places], right, atol=3e-15, rtol=1e-6)


@pytest.mark.parametrize("level", [0.05, 1e-5])
def test_nodes_that_are_off_are_corrected(level):
    n, counts = 30_000, np.arange(30_001)

    def upper(nodes):
        return type2_curve(nodes, n, level).upper

    def noisy(nodes):
        inner = (nodes >= simultaneous.DENSE) & (nodes <= n - simultaneous.DENSE)
        return upper(nodes) * (1 + inner * 2e-11 * np.sin(nodes))

    away = smooth_bounds(noisy, n, 1)(counts) / upper(counts) - 1
    assert away[:-1].min() > 0
    assert away.max() < 2 * ACCURACY


@pytest.mark.slow
def test_the_spline_holds_at_ten_million():
    # both sides of the step from dense to sparse nodes, and all over
    n = 10**7
    rng = np.random.default_rng(0)
    counts = np.unique(np.concatenate([np.arange(1, 4000, 7), n - np.arange(1, 4000, 7), rng.integers(0, n, 1000)]))
    exact = type2_curve(counts, n, 0.05)
    for name, outwards in (("lower", -1), ("upper", 1)):
        spline = smooth_bounds(lambda nodes, name=name: getattr(type2_curve(nodes, n, 0.05), name), n, outwards)
        away = outwards * (spline(counts) - getattr(exact, name))
        assert away.min() >= 0
        assert np.all(away <= 2 * ACCURACY * getattr(exact, name))


@pytest.mark.parametrize(("n0", "n1"), [(20_000, 30_000), (50_000, 300)])
@pytest.mark.parametrize("kind", KINDS[:1])
def test_curves_of_many_knots_are_those_of_beta_quantiles_moved_outwards(n0, n1, kind):
    band = band_of(kind, n0=n0, n1=n1)
    knots = np.unique(np.random.default_rng(1).integers(0, n0, 500))
    orders = n0 - knots
    alpha, exact = band.alpha[knots], type1_upper(orders, n0, 0.05)
    np.testing.assert_allclose(alpha, exact, rtol=3 * ACCURACY)
    assert np.all(alpha >= exact)
    assert np.all(np.diff(band.alpha) > 0)
    np.testing.assert_array_equal(band.at(alpha).order, orders)
    values = band.at(alpha)
    np.testing.assert_allclose(band.type2_lower[knots], values.type2_lower, rtol=3 * ACCURACY)
    np.testing.assert_allclose(band.type2_upper[knots], values.type2_upper, rtol=3 * ACCURACY)
    np.testing.assert_array_equal(band.type2[knots], values.type2)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("digits", [1, 9])
def test_areas_and_choices_are_those_of_all_knots(kind, digits, many):
    exact = band_of(kind, digits=digits)
    expected = exact.auc_lower, exact.auc_upper, exact.choose_alpha("youden"), exact.choose_alpha(type2_max=0.5)
    part = exact.partial_auc(0.3)
    many()
    band = band_of(kind, digits=digits)
    for name in ("lower", "estimate", "upper"):
        assert getattr(band.partial_auc(0.3), name) == pytest.approx(getattr(part, name), abs=1e-10)
    assert (band.auc_lower, band.auc_upper) == pytest.approx(expected[:2], abs=1e-10)
    assert band.choose_alpha("youden") == expected[2]
    assert band.choose_alpha(type2_max=0.5) == expected[3]
    assert str(band.summary()) == str(exact.summary())
    assert "alpha" not in vars(band)
    assert "_curves" not in vars(band)


@pytest.mark.parametrize("type2_max", [0.05, 0.2, 0.9, 0.999])
@pytest.mark.parametrize("kind", KINDS)
def test_every_bound_on_the_error_finds_its_knot(kind, type2_max, many):
    exact = band_of(kind).choose_alpha(type2_max=type2_max)
    many()
    assert band_of(kind).choose_alpha(type2_max=type2_max) == exact


@pytest.mark.parametrize("kind", KINDS)
def test_a_bound_that_no_knot_reaches_is_the_same_error(kind, many):
    messages = []
    for on in (False, True):
        many(on)
        with pytest.raises(InvalidInputError, match=r"no alpha has a type II upper bound of at most 0\.001") as caught:
            band_of(kind, shift=0.0).choose_alpha(type2_max=0.001)
        messages.append(str(caught.value))
    assert messages[0] == messages[1]


@pytest.mark.parametrize("arguments", [{}, {"criterion": "best"}, {"criterion": "youden", "type2_max": 0.3}])
def test_a_wrong_way_to_choose_is_refused_before_any_work(arguments, many):
    many()
    with pytest.raises(InvalidInputError, match="criterion"):
        band_of(KINDS[0]).choose_alpha(**arguments)


def test_several_splits_and_scorers_are_averaged_and_guarded_as_in_the_exact_band(many):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(900, 2))
    y = (X[:, 0] + rng.normal(size=900) > 0).astype(int)
    exact = nproc(X, y, "lda", n_splits=3, random_state=1)
    expected = exact.auc_lower, exact.auc_upper, exact.choose_alpha("youden")
    many()
    band = nproc(X, y, "lda", n_splits=3, random_state=1)
    assert (band.auc_lower, band.auc_upper) == pytest.approx(expected[:2], abs=1e-10)
    assert band.choose_alpha("youden") == expected[2]


def test_a_picture_shows_some_of_the_knots_and_moves_no_step_far(many):
    exact = NPROCBand.from_scores(*scores(30_000, 20_000))
    many()
    band = NPROCBand.from_scores(*scores(30_000, 20_000))
    lines = {line.get_gid(): line for line in band.plot(ax=Figure().subplots()).lines}
    assert "alpha" not in vars(band)
    x, y = lines["nproc-band-0-lower"].get_data()
    assert x.size <= 8100
    # the drawn curve at any level lies between the exact one a little to the left and a little to the right
    levels = np.linspace(0.001, 0.999, 5000)
    drawn = y[np.searchsorted(x, levels, side="right") - 1]
    left, right = (1 - exact.at(np.clip(levels + by, 0, 1)).type2_upper for by in (-1.1 / 8000, 1.1 / 8000))
    assert np.all((left <= drawn) & (drawn <= right))


def test_a_picture_has_the_ends_and_equal_steps():
    orders = orders_to_show(10**8)
    assert (orders[0], orders[-1], orders.size) == (10**8, 1, 8001)
    alpha = PointwiseBounds(0.05).type1_at(orders, 10**8)
    # a tenth more where the bound rises faster than the rank falls
    assert np.diff(alpha).max() < 1.1 / 8000


@pytest.mark.slow
def test_a_band_of_more_knots_than_are_computed_has_the_areas_of_all():
    band = NPROCBand.from_scores(*scores(2**20 + 1, 1000))
    areas = band.auc_lower, band.auc_upper
    widths = np.diff(np.concatenate([[0.0], band.alpha, [1.0]]))
    assert areas[0] == pytest.approx(widths[1:] @ (1 - band.type2_upper), abs=1e-10)
    upper = widths[0] * (1 - band.type2_lower[0]) + widths[1:] @ (1 - band.type2_lower)
    assert areas[1] == pytest.approx(upper, abs=1e-10)
