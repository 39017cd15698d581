"""Tests of `nproc.comparison.dominance`: bounds, cells and ranges are those of a direct count."""

import numpy as np
import pytest

from nproc.comparison.dominance import StepCurve, join_ranges, roc_cells, roc_curve_bounds, rule_cells, runs_below
from nproc.simultaneous import local_bounds, local_level, simultaneous_cdf_bounds


def bounds_at(scores0, scores1, delta, alpha):
    """The bounds at one level, rank by rank, as the notes define them."""
    n0, n1 = scores0.size, scores1.size
    below, above = local_bounds(n0, local_level(n0, delta / 2))
    counts = np.sum(scores1[None, :] <= np.sort(scores0)[:, None], axis=1)
    lower, upper = simultaneous_cdf_bounds(counts, n1, delta / 2)
    high = [upper[k] for k in range(n0) if 1 - below[k] <= alpha]
    low = [lower[k] for k in range(n0) if 1 - above[k] > alpha]
    return max(low, default=0.0), min(high, default=1.0)


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("sizes", [(1, 1), (7, 30), (80, 12)])
def test_bounds_on_a_roc_curve_are_those_of_all_ranks(sizes, ties):
    rng = np.random.default_rng(sizes)
    scores0, scores1 = rng.normal(size=sizes[0]), rng.normal(1, 1, size=sizes[1])
    if ties:
        scores0, scores1 = scores0.round(), scores1.round()
    curve = roc_curve_bounds(np.sort(scores0), np.sort(scores1), 0.2)
    assert curve.alpha[0] == 0
    assert np.all(np.diff(curve.alpha) > 0)
    assert np.all(np.diff(curve.lower) <= 0)
    assert np.all(np.diff(curve.upper) <= 0)
    assert np.all(curve.lower <= curve.upper)
    middles = (curve.alpha + np.append(curve.alpha[1:], 1.0)) / 2
    for alpha in middles:
        assert tuple(np.array(curve.at(alpha))) == bounds_at(scores0, scores1, 0.2, alpha)


def test_a_guard_raises_the_upper_bound_only():
    scores0, scores1 = np.arange(50.0), np.arange(50.0) + 1e-13
    plain, guarded = (roc_curve_bounds(scores0, scores1, 0.2, guard=guard) for guard in (0.0, 1e-12))
    assert np.all(guarded.upper >= plain.upper)
    assert np.any(guarded.upper > plain.upper)
    np.testing.assert_array_equal(guarded.lower, plain.lower)


@pytest.mark.parametrize("n0", [5, 60, 1000])
def test_the_thresholds_of_a_cell_bound_the_curve_throughout_it(n0):
    cells = roc_cells(n0, 0.05)
    below, above = local_bounds(n0, local_level(n0, 0.05))
    np.testing.assert_array_equal(cells.alpha_low, 1 - below[cells.upper_ranks - 1])
    np.testing.assert_array_equal(cells.alpha_high, 1 - above[cells.lower_ranks - 1])
    assert np.all(cells.alpha_low < cells.alpha_high)
    for ranks in (cells.upper_ranks, cells.lower_ranks):
        assert np.all(np.diff(ranks) <= 0)
    assert np.all(cells.upper_ranks > cells.lower_ranks)
    # no level is left out between the first and the last
    assert np.all(cells.alpha_low[1:] <= cells.alpha_high[:-1])


def test_many_scores_have_cells_for_nearly_all_levels():
    cells = roc_cells(10_000, 0.05)
    assert cells.alpha_low[0] < 0.002
    assert cells.alpha_high[-1] > 0.998
    assert cells.alpha_low.size == pytest.approx(np.pi * 100, rel=0.05)


@pytest.mark.parametrize("n0", [1, 2, 59, 1000])
def test_each_rule_lies_in_one_cell(n0):
    alpha = np.linspace(0.01, 0.9, n0)
    cells = rule_cells(alpha)
    ranks = [
        r for high, low in zip(cells.upper_ranks, cells.lower_ranks, strict=True) for r in range(high, low - 1, -1)
    ]
    assert ranks == list(range(n0, 0, -1))
    np.testing.assert_array_equal(cells.alpha_low, alpha[n0 - cells.upper_ranks])
    np.testing.assert_array_equal(cells.alpha_high, np.append(cells.alpha_low[1:], 1.0))


def test_runs_are_maximal_and_end_at_knots():
    first = StepCurve(np.array([0.1, 0.5]), np.array([0.0, 0.0]), np.array([0.3, 0.1]))
    second = StepCurve(np.array([0.2, 0.7]), np.array([0.4, 0.2]), np.array([0.9, 0.8]))
    # below its first knot a lower bound is that of the knot, an upper one is 1
    assert runs_below(first, second) == [(0.1, 1.0)]
    assert runs_below(second, first) == []


def test_empty_ranges_are_left_out_and_touching_ones_joined():
    lows, highs = np.array([0.1, 0.1, 0.2, 0.4]), np.array([0.1, 0.2, 0.3, 0.5])
    assert join_ranges(lows, highs) == [(0.1, 0.3), (0.4, 0.5)]
    assert join_ranges(lows[:0], highs[:0]) == []
