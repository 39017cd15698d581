"""Groups of rows with similar probabilities: every row is in one, and the intervals are exact."""

import numpy as np
import pytest

from nproc.orderstat import calibration_groups, clopper_pearson
from nproc.scorers.papers.sparse_logistic import SparseLogisticClassifier


def test_groups_are_in_order_and_hold_every_row_once():
    rng = np.random.default_rng(0)
    p = rng.random(103)
    y = (rng.random(103) < p).astype(np.int64)
    groups = calibration_groups(p, y, n_groups=10)
    assert (np.diff(groups["estimate"]) > 0).all()
    # of sizes that differ by at most one
    sizes = np.repeat([11, 10], [3, 7])
    assert np.sum(sizes * groups["share"]) == pytest.approx(y.sum())
    assert np.sum(sizes * groups["estimate"]) == pytest.approx(p.sum())


def test_the_interval_of_a_group_is_that_of_clopper_and_pearson():
    groups = calibration_groups(np.linspace(0, 1, 20), np.repeat([0, 1], 10), n_groups=2)
    exact = clopper_pearson(0, 10)
    assert (groups["lower"][0], groups["upper"][0]) == (exact.lower, exact.upper)
    assert groups["upper"][1] == 1.0


def test_there_are_no_more_groups_than_rows():
    assert calibration_groups(np.array([0.2, 0.7]), np.array([0, 1]))["estimate"].tolist() == [0.2, 0.7]


@pytest.mark.slow
def test_a_linear_model_is_off_inside_an_interval_far_from_one_half_even_where_the_log_odds_are_linear():
    # it cannot level off at the ends; the figures are those of the notes of TruncatedLikelihood
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [70_000, 30_000])
    X = rng.normal(size=(100_000, 2)) + np.where(y == 1, 1.0, -1.0)[:, None]
    shares, cost = {}, {}
    truth = 1 / (1 + np.exp(-(np.log(3 / 7) + 2 * X.sum(axis=1))))
    best = np.mean(np.where(y == 0, 9 * (truth > 0.9), truth <= 0.9))
    for interval in ("given", "costs"):
        model = SparseLogisticClassifier(interval=interval, cost0=9, cost1=1, factor=3).fit(X, y)
        p = model.predict_proba(X)[:, 1]
        shares[interval] = np.mean(y[np.abs(p - 0.9) < 0.02])
        cost[interval] = np.mean(np.where(y == 0, 9 * (p > 0.9), p <= 0.9)) / best
    assert shares["given"] == pytest.approx(0.90, abs=0.015)
    assert shares["costs"] == pytest.approx(0.94, abs=0.015)
    assert cost["given"] == pytest.approx(1.0, abs=0.005)
    assert cost["costs"] == pytest.approx(1.05, abs=0.02)
