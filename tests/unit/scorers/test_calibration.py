"""Groups of rows with similar probabilities: every row is in one, and the intervals are exact."""

import numpy as np
import pytest

from nproc.errorbounds import clopper_pearson
from nproc.scorers.calibration import calibration_groups


def test_groups_are_in_order_and_hold_every_row_once():
    rng = np.random.default_rng(0)
    p = rng.random(103)
    y = (rng.random(103) < p).astype(np.int64)
    groups = calibration_groups(p, y, n_groups=10)
    assert groups.size.sum() == 103
    assert np.ptp(groups.size) <= 1
    assert (np.diff(groups.estimate) > 0).all()
    assert np.sum(groups.size * groups.share) == pytest.approx(y.sum())
    assert np.sum(groups.size * groups.estimate) == pytest.approx(p.sum())


def test_the_interval_of_a_group_is_that_of_clopper_and_pearson():
    groups = calibration_groups(np.linspace(0, 1, 20), np.repeat([0, 1], 10), n_groups=2)
    exact = clopper_pearson(0, 10)
    assert (groups.lower[0], groups.upper[0]) == (exact.lower, exact.upper)
    assert groups.upper[1] == 1.0


def test_there_are_no_more_groups_than_rows():
    assert calibration_groups(np.array([0.2, 0.7]), np.array([0, 1])).size.tolist() == [1, 1]
