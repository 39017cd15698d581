"""A rank drawn by a coin: the violation rate is delta itself, over the left-out scores and the coin."""

import numpy as np
import pytest
from exactness import assert_rate, exact_violation_rate, rejects, smallest_order, type1_of

from nproc import np_threshold, npc


# with one seed for all data sets, as people type it, and with another one for each
@pytest.mark.slow
@pytest.mark.parametrize("seed", [None, 0, 1, 42])
@pytest.mark.parametrize(
    ("n0", "alpha", "delta"), [(61, 0.05, 0.05), (90, 0.05, 0.05), (59, 0.05, 0.05), (45, 0.1, 0.2), (200, 0.3, 0.01)]
)
def test_the_violation_rate_is_delta(n0, alpha, delta, seed):
    n_draws = 4000
    scores = np.random.default_rng([1, n0]).random((n_draws, n0))
    seeds = range(n_draws) if seed is None else [seed] * n_draws
    pairs = zip(scores, seeds, strict=True)
    rules = [np_threshold(s, alpha=alpha, delta=delta, rank="randomize", random_state=i) for s, i in pairs]
    # scores of class 0 are uniform: the type I error of a threshold t is 1 - t
    count = sum(1 - rule.value > alpha for rule in rules)
    assert_rate(count, n_draws, delta)
    assert all(rule.violation_rate == delta and rule.type1_upper == alpha for rule in rules)


def test_the_check_would_see_the_conservative_rank():
    order = smallest_order(90, 0.05, 0.05)
    assert rejects(round(4000 * exact_violation_rate(90, order, 0.05)), 4000, 0.05)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:the scores seem to have the wrong sign")
@pytest.mark.parametrize("seed", [None, 1])
def test_npc_fails_at_delta_exactly(seed):
    n_data, count, y = 1500, 0, np.repeat([0, 1], [60, 40])
    for i in range(n_data):
        rows = np.random.default_rng([2, i]).normal(size=(100, 2)) + 1.5 * y[:, None]
        fit = npc(
            rows,
            y,
            "lda",
            alpha=0.1,
            delta=0.2,
            split_ratio=0.5,
            rank="randomize",
            random_state=i if seed is None else seed,
        )
        count += int(type1_of(fit, 2)[0] > 0.1)
    assert_rate(count, n_data, 0.2)
