"""The interval for a mean of error rates."""

import numpy as np
import pytest
from scipy.stats import binom

from nproc.errors import InvalidInputError
from nproc.feature_ranking import averaged_error_bounds
from nproc.feature_ranking.averages import SHARES, TILTS
from nproc.orderstat import clopper_pearson


def test_the_ends_are_where_the_evidence_reaches_its_level():
    n, mean, level = 161, 0.3, 0.95
    delta = (1 - level) / 2
    upper = averaged_error_bounds(mean, n, level=level).upper
    tilts = TILTS * np.sqrt(8 * np.log(1 / delta) / n)
    evidence = SHARES @ np.exp(-tilts * n * mean - n * np.log(1 - upper * (1 - np.exp(-tilts))))
    assert evidence == pytest.approx(1 / delta, rel=1e-9)
    assert SHARES.sum() == 1


@pytest.mark.parametrize("n", [1, 7, 40, 500])
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_for_one_split_each_end_fails_with_at_most_half_of_the_rest_exactly(n, level):
    counts = np.arange(n + 1)
    bounds = averaged_error_bounds(counts / n, n, level=level)
    rates = np.linspace(0.001, 0.999, 199)
    missed_above = [binom.pmf(counts, n, rate)[bounds.upper < rate].sum() for rate in rates]
    missed_below = [binom.pmf(counts, n, rate)[bounds.lower > rate].sum() for rate in rates]
    assert max(missed_above) <= (1 - level) / 2 + 1e-12
    assert max(missed_below) <= (1 - level) / 2 + 1e-12


def test_errors_and_successes_are_treated_alike_and_the_mean_is_inside():
    means = np.linspace(0, 1, 21)
    one, other = averaged_error_bounds(means, 50), averaged_error_bounds(1 - means, 50)
    np.testing.assert_allclose(one.lower, 1 - other.upper, atol=1e-12)
    assert np.all((one.lower <= means) & (means <= one.upper))
    assert np.all(np.diff(one.upper) >= 0)
    assert (one.lower[0], one.upper[-1]) == (0.0, 1.0)


def test_it_is_never_more_than_twice_as_wide_as_that_of_a_single_split():
    for n in (30, 161, 1000, 20_000):
        for count in np.unique(np.linspace(0, n, 12).astype(int)):
            wide, exact = averaged_error_bounds(count / n, n), clopper_pearson(int(count), n)
            assert wide.upper - wide.lower < 2 * (exact.upper - exact.lower)


def test_a_number_gives_numbers():
    assert np.ndim(averaged_error_bounds(0.2, 10).upper) == 0


def test_what_is_out_of_range_is_refused():
    with pytest.raises(InvalidInputError, match="mean must lie between 0 and 1"):
        averaged_error_bounds(1.2, 10)
    with pytest.raises(InvalidInputError, match="n must"):
        averaged_error_bounds(0.2, 0)
    with pytest.raises(InvalidInputError, match="level must lie strictly"):
        averaged_error_bounds(0.2, 10, level=1)
