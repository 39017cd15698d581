"""nproc.groups.equal_opportunity and equal_ranks: the pair of ranks, its result, and what is refused."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from scipy import integrate, stats

from nproc.errors import InvalidInputError, TooFewSamplesError
from nproc.groups import np_equal_thresholds
from nproc.groups.equal_ranks import EqualLevels, best_pair, gap_tails, overall_tail

RNG = np.random.default_rng(0)
GROUPS = np.repeat(["f", "m"], [54, 95])
SCORES0 = RNG.normal(size=149)
LEVELS = {"alpha": 0.1, "epsilon": 0.1, "delta": 0.1, "gamma": 0.1}


@pytest.mark.parametrize(("n", "k", "m", "j"), [(50, 46, 80, 74), (1, 1, 1, 1), (12, 12, 300, 270), (90, 60, 20, 15)])
def test_the_integrals_are_those_of_scipy(n, k, m, j):
    a, b, share, alpha, epsilon = stats.beta(n - k + 1, k), stats.beta(m - j + 1, j), 0.3, 0.15, 0.1
    known = EqualLevels(alpha, 0.1, epsilon, 0.1, share, share)
    ranks = np.array([k]), np.array([j])

    def mean(of):
        points = sorted({0.0, 1.0, *a.ppf([1e-6, 0.1, 0.5, 0.9, 1 - 1e-6]), 0.1, 0.9, 0.15, 0.5})
        return sum(integrate.quad(lambda r: a.pdf(r) * of(r), *ends)[0] for ends in zip(points, points[1:]))  # noqa: B905, RUF007

    overall = mean(lambda r: b.sf((alpha - share * r) / (1 - share)))
    assert overall_tail((n, m), ranks, known)[0] == pytest.approx(overall, abs=1e-7)
    one, other = gap_tails((n, m), ranks, epsilon)
    assert one[0] == pytest.approx(mean(lambda r: b.cdf(r - epsilon)), abs=1e-7)
    assert other[0] == pytest.approx(mean(lambda r: b.sf(r + epsilon)), abs=1e-7)


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [0.03, 0.06, 0.2])
@pytest.mark.parametrize("sizes", [(54, 95), (120, 40)], ids=str)
def test_the_pair_is_the_best_of_all_that_meet_both_levels(sizes, epsilon):
    levels = EqualLevels(0.2, 0.1, epsilon, 0.2, 0.3, 0.45)

    def worth(k, j):
        return 0.4 * np.log(sizes[0] + 1 - k) + 0.6 * np.log(sizes[1] + 1 - j)

    ranks = tuple(grid.ravel() for grid in np.meshgrid(*(np.arange(n // 2, n + 1) for n in sizes), indexing="ij"))
    good = (overall_tail(sizes, ranks, levels) <= 0.1) & (sum(gap_tails(sizes, ranks, epsilon)) <= 0.2)
    found = best_pair(sizes, levels, worth)
    if not good.any():
        assert found is None
    else:
        assert worth(*map(float, found)) == pytest.approx(worth(*ranks)[good].max(), abs=1e-12)


def test_the_result_tells_what_it_promises():
    found = np_equal_thresholds(SCORES0, GROUPS, **LEVELS, random_state=0)
    for group, value, order in zip("fm", found.values, found.orders, strict=True):
        assert value == np.sort(SCORES0[group == GROUPS])[order - 1]
    assert found.violation_rate <= 0.1
    assert found.difference_violation_rate <= 0.1
    assert found.type1_upper <= 0.1
    assert found.difference_upper <= 0.1
    assert "differ by at most 0.1" in " ".join(str(found.summary()).split())
    assert list(found.to_frame()["group"]) == ["f", "m"]
    assert len(repr(found).splitlines()) == 2
    np.testing.assert_array_equal(found.predict([9.0, -9.0], ["f", "m"]), [1, 0])
    with pytest.raises(InvalidInputError, match="'x', which has no threshold"):
        found.predict([1.0], ["x"])


def test_the_ranks_depend_on_no_score():
    one = np_equal_thresholds(SCORES0, GROUPS, **LEVELS)
    other = np_equal_thresholds(np.exp(-SCORES0), GROUPS, **LEVELS)
    np.testing.assert_array_equal(one.orders, other.orders)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"groups": np.repeat(["a", "b", "c"], [50, 50, 49])}, "np_group_thresholds"),
        ({"groups": ["a"] * 149}, "np_threshold"),
        ({"shares": {"f": 0.5, "m": 0.6}}, "add up to 1"),
        ({"shares": {"f": 0.5}}, "mapping with the groups"),
        ({"shares": "all"}, "shares must be 'sample'"),
        ({"n0_by_group": {"f": 10, "m": 100}}, "at least the number of scores0"),
        ({"shares": "any", "n0_by_group": {"f": 54, "m": 95}}, "only with"),
        ({"pilot_scores": SCORES0}, "pilot_groups is missing"),
        ({"pilot_scores": SCORES0, "pilot_groups": GROUPS, "pilot_y": np.zeros(149)}, "hold all of scores0"),
        ({"scores0": np.zeros(149), "ties": "refuse"}, "ties='randomize'"),
    ],
)
def test_what_cannot_be_is_refused(changed, message):
    with pytest.raises(InvalidInputError, match=message):
        np_equal_thresholds(**{"scores0": SCORES0, "groups": GROUPS, **LEVELS} | changed)


@pytest.mark.slow
@pytest.mark.parametrize("changed", [{"epsilon": 0.01}, {"alpha": 0.01}])
def test_too_few_rows_are_told_with_what_would_do(changed):
    with pytest.raises(TooFewSamplesError, match="times as many class 0 rows"):
        np_equal_thresholds(SCORES0, GROUPS, **LEVELS | changed)


def test_the_picture_has_a_row_for_each_group():
    equal = np_equal_thresholds(SCORES0, GROUPS, **LEVELS, random_state=1)
    ax = equal.plot(SCORES0, GROUPS)
    lines = {line.get_gid(): line for line in ax.lines}
    for row, group in enumerate(["f", "m"]):
        assert lines[f"nproc-group-threshold-{row}"].get_xdata()[0] == equal.values[row]
        n_above = int(np.sum(SCORES0[group == GROUPS] > equal.values[row]))
        assert lines[f"nproc-group-above-{row}"].get_xdata().size == n_above
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["f\nn = 54", "m\nn = 95"]
    plt.close("all")
    for scores0, groups, told in (
        (SCORES0[:-1], GROUPS, "rows"),
        ([*SCORES0[:-1], np.nan], GROUPS, "scores0"),
        (SCORES0, np.where(GROUPS == "f", "x", GROUPS), "groups"),
    ):
        with pytest.raises(InvalidInputError, match=told):
            equal.plot(scores0, groups)
