"""Random rows of two classes: right shares, uniform within a class, reproducible, and little memory."""

import tracemalloc

import numpy as np
import pytest
from scipy.stats import chisquare

from nproc.solvers.jit import plain_python
from nproc.solvers.sampling import RARE, RowSampler


def labels(n0, n1, seed=0):
    return np.random.default_rng(seed).permutation(np.repeat([0, 1], [n0, n1]))


# common, searched for, listed
@pytest.mark.parametrize(("n0", "n1"), [(20, 20), (8, 90), (90, 8), (6, 6 * RARE), (2, 5 * RARE)])
def test_balanced_draws_take_each_class_half_the_time_and_its_rows_uniformly(n0, n1):
    y = labels(n0, n1)
    rows = RowSampler(y, np.random.default_rng(1)).balanced(40_000)
    counts = np.bincount(rows, minlength=y.size)
    # false alarm 1e-6 each
    assert abs(y[rows].mean() - 0.5) < 4.9 * 0.5 / np.sqrt(rows.size)
    for label in (0, 1):
        assert chisquare(counts[y == label]).pvalue > 1e-6


def test_plain_draws_are_uniform():
    y = labels(10, 30)
    rows = RowSampler(y, np.random.default_rng(2)).plain(40_000)
    assert chisquare(np.bincount(rows, minlength=40)).pvalue > 1e-6


def test_pairs_hold_one_row_of_each_class():
    y = labels(7, 300)
    rows0, rows1 = RowSampler(y, np.random.default_rng(3)).pairs(1000)
    assert rows0.shape == rows1.shape == (1000,)
    assert (y[rows0] == 0).all()
    assert (y[rows1] == 1).all()
    assert len(set(rows1.tolist())) > 250


@pytest.mark.parametrize("kind", [np.int64, np.uint8, np.float64, np.bool_])
def test_the_same_seed_gives_the_same_rows_whatever_the_type_of_y(kind):
    y = labels(30, 70)
    first = RowSampler(y, np.random.default_rng(4)).balanced(500)
    np.testing.assert_array_equal(RowSampler(y.astype(kind), np.random.default_rng(4)).balanced(500), first)


def test_compiled_and_plain_draws_are_the_same():
    y = labels(30, 70)
    compiled = RowSampler(y, np.random.default_rng(5)).balanced(500)
    with plain_python():
        np.testing.assert_array_equal(RowSampler(y, np.random.default_rng(5)).balanced(500), compiled)


def test_more_rows_than_a_block_holds_can_be_drawn():
    y = labels(25, 75)
    rows = RowSampler(y, np.random.default_rng(6)).pairs(100_000)[0]
    assert (y[rows] == 0).all()
    assert chisquare(np.bincount(rows, minlength=100)[y == 0]).pvalue > 1e-6


@pytest.mark.parametrize("share", [0.5, 0.1, 0.04, 0.001])
def test_no_list_of_rows_is_held(share):
    y = (np.random.default_rng(7).random(1_000_000) >= share).astype(np.uint8)
    RowSampler(labels(30, 70).astype(np.uint8), np.random.default_rng(8)).balanced(10)
    tracemalloc.start()
    RowSampler(y, np.random.default_rng(8)).balanced(4096)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # a list of all rows would be 4 MB, one of a class of a tenth of them is 0.4 MB, a comparison of all labels 1 MB
    assert peak < 600_000
