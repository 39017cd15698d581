"""The promise for rows in chunks: a random part of a file sets the threshold, and the violation rate is the exact one.

Scores are x itself, so that the type I error of a threshold is a formula. The number of threshold rows is random; given
it, the rate is that of its rank, and the count of violations is held against the sum over the runs.
"""

import numpy as np
import pytest
from exactness import assert_mixed_rate, exact_violation_rate
from scipy import stats

from nproc import npc
from nproc.row_chunks import RowChunks

ALPHA, DELTA = 0.1, 0.2
N_RUNS = 600


def identity(X):
    return X[:, 0]


@pytest.mark.slow
def test_the_violation_rate_is_exact_given_the_number_of_threshold_rows():
    count, rates, rates_of_next_rank, sizes = 0, [], [], set()
    rng = np.random.default_rng(11)
    for run in range(N_RUNS):
        # in the order of the scores: which rows are left out must not depend on that
        x = np.sort(rng.normal(size=160))
        y = (rng.random(160) < 0.3).astype(int)
        rows = RowChunks.from_arrays(x[:, None], y, chunk_size=41)
        left_out = rows.split(0.4, random_state=run)[1]
        fit = npc(left_out, method=identity, prefit=True, alpha=ALPHA, delta=DELTA, random_state=run)
        count += stats.norm.sf(fit.thresholds[0]) > ALPHA
        rates.append(exact_violation_rate(fit.n0, fit.orders[0], ALPHA))
        rates_of_next_rank.append(exact_violation_rate(fit.n0, fit.orders[0] + 1, ALPHA))
        sizes.add(fit.n0)
    assert len(sizes) > 10
    assert max(rates) <= DELTA
    assert_mixed_rate(count, np.array(rates))
    # the check would find a rank that is wrong by one
    with pytest.raises(AssertionError, match="p "):
        assert_mixed_rate(count, np.array(rates_of_next_rank))
