"""Tests of `nproc.score_chunks.top_scores`: the largest scores of parts, counts of ties, memory."""

import os
import pickle
import signal

import dask.array as da
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nproc import np_threshold
from nproc.score_chunks import top_scores
from nproc.score_chunks.top_scores import TopScores, likely_floor

STEADY = settings(deadline=None, derandomize=True, max_examples=150)


def parts_of(seed, n, n_parts, digits):
    """A sample with more ties the fewer digits it has, cut into parts of which some are empty."""
    rng = np.random.default_rng(seed)
    scores = np.round(rng.normal(size=n), digits)
    return scores, np.split(scores, np.sort(rng.integers(0, n + 1, n_parts - 1)))


def in_memory(scores, rank):
    value = np.sort(scores)[-rank]
    return value, np.sum(scores > value), np.sum(scores == value)


SAMPLES = {
    "seed": st.integers(0, 2**32),
    "n": st.integers(1, 400),
    "n_parts": st.integers(1, 9),
    "digits": st.sampled_from([0, 1, 9]),
    "share": st.floats(0, 1),
}


@given(**SAMPLES)
@STEADY
def test_parts_give_the_order_statistic_and_the_ties_of_the_whole(seed, n, n_parts, digits, share):
    scores, parts = parts_of(seed, n, n_parts, digits)
    n_keep = 1 + int(share * (n - 1))
    top = TopScores(n_keep)
    for part in parts:
        top.add(part)
        assert top.held.size < 2 * n_keep
    assert top.n == n
    assert top.complete
    for rank in {1, n_keep}:
        assert top.largest(rank) == in_memory(scores, rank)


@pytest.mark.slow
@given(**SAMPLES, order=st.randoms(use_true_random=False))
@STEADY
def test_accumulators_merge_in_any_order_and_leave_each_other_as_they_are(seed, n, n_parts, digits, share, order):
    scores, parts = parts_of(seed, n, n_parts, digits)
    n_keep = 1 + int(share * (n - 1))
    tops = []
    for part in parts:
        tops.append(TopScores(n_keep))
        tops[-1].add(part)
    order.shuffle(tops)
    while len(tops) > 1:
        left, right = tops.pop(order.randrange(len(tops))), tops.pop(order.randrange(len(tops)))
        before = pickle.dumps(right)
        left.merge(right)
        assert pickle.dumps(right) == before
        left.trim()
        tops.append(pickle.loads(pickle.dumps(left)))
    assert tops[0].n == n
    assert tops[0].largest(n_keep) == in_memory(scores, n_keep)


@pytest.mark.parametrize("order", ["ascending", "descending", "random", "tied"])
def test_no_more_than_twice_the_scores_asked_for_are_held_and_few_selections_are_made(order, monkeypatch):
    monkeypatch.setattr(top_scores, "PIECE", 1000)
    n, n_keep = 100_000, 500
    scores = np.random.default_rng(0).normal(size=n)
    if order == "tied":
        scores = np.round(scores)
    elif order != "random":
        scores = np.sort(scores)[:: 1 if order == "ascending" else -1]
    selections = []
    select = TopScores._select
    monkeypatch.setattr(TopScores, "_select", lambda top: (selections.append(1), select(top)))
    top = TopScores(n_keep)
    for part in np.split(scores, 40):
        top.add(part)
        assert top.held.size <= 2 * n_keep
        assert top._buffer.size <= 2 * n_keep
    assert top.largest(n_keep) == in_memory(scores, n_keep)
    # in ascending order each selection makes room for n_keep scores; otherwise the cutoff keeps nearly all out
    assert len(selections) <= {"ascending": n // n_keep, "descending": 1, "random": 12, "tied": 12}[order]


def test_a_trimmed_part_holds_no_more_than_the_scores_asked_for_and_can_go_on():
    scores = np.round(np.random.default_rng(0).normal(size=1190), 1)
    top = TopScores(100)
    top.add(scores[:190])
    top.trim()
    assert len(pickle.dumps(top)) < 100 * 8 + 1000
    assert top.complete
    top.add(scores[190:])
    assert top.largest(100) == in_memory(scores, 100)


def test_a_floor_that_is_too_high_is_noticed_and_one_that_is_not_changes_nothing():
    scores = np.random.default_rng(0).normal(size=1000)
    high, good = TopScores(100, floor=2.0), TopScores(100, floor=1.0)
    for top in (high, good):
        top.add(scores)
    assert not high.complete
    assert good.complete
    assert good.largest(100) == in_memory(scores, 100)


@given(seed=st.integers(0, 2**32), digits=st.sampled_from([0, 1, 9]))
@STEADY
def test_parts_with_a_floor_merge_as_others(seed, digits):
    scores, parts = parts_of(seed, 400, 5, digits)
    floor = likely_floor(scores, 0.1)
    total = TopScores(40, floor)
    for part in parts:
        top = TopScores(40, floor)
        top.add(part)
        total.merge(top)
    assert total.largest(40) == in_memory(scores, 40)


@pytest.mark.parametrize("share", [0.001, 0.05, 0.4])
def test_the_likely_floor_lies_below_the_quantile_and_not_far_below(share):
    rng = np.random.default_rng(0)
    floors = [likely_floor(rng.uniform(size=100_000), share) for _ in range(100)]
    assert max(floors) < 1 - share
    # 5 % and five standard errors more than the share, and as much again for the chance of the sample itself
    slack = 0.05 * share + 10 * np.sqrt(share / 100_000)
    assert min(floors) > 1 - share - slack


def test_there_is_no_floor_where_the_sample_says_nothing():
    assert likely_floor(np.array([1.0, np.nan] * 50), 0.1) == -np.inf
    assert likely_floor(np.arange(100.0), 0.99) == -np.inf


def test_scores_tied_with_the_floor_are_counted_and_not_held():
    # the quantile lies among the ties: those at the floor are all that is needed besides the few above
    scores = np.concatenate([np.full(50_000, 1.0), np.random.default_rng(0).normal(size=50_000) - 1.5])
    floor = likely_floor(scores[::10], 0.2)
    assert floor == 1.0
    top = TopScores(20_000, floor)
    for part in np.array_split(np.random.default_rng(1).permutation(scores), 7):
        top.add(part)
    assert top.complete
    assert top.held.size < 1_000
    for rank in (1, top.held.size, top.held.size + 1, 20_000):
        assert top.largest(rank) == in_memory(scores, rank)


@pytest.mark.slow
def test_a_cluster_of_processes_reduces_to_the_same_threshold_and_so_it_does_after_it_lost_a_worker(tmp_path):
    distributed = pytest.importorskip("distributed")
    scores = np.round(np.random.default_rng(0).normal(size=50_000), 3)
    killed, here = tmp_path / "killed", os.getpid()

    def dies_once(block):
        # dask tries a function on no scores, in this process
        if os.getpid() != here and not killed.exists():
            killed.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return block

    levels = {"alpha": 0.03, "ties": "randomize", "random_state": 3}
    blocks = da.from_array(scores, chunks=1234)
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0", silence_logs="CRITICAL"
        ) as cluster,
        distributed.Client(cluster),
    ):
        for source in (blocks, blocks[blocks > -99], blocks.map_blocks(dies_once, dtype=float)):
            assert np_threshold(source, **levels) == np_threshold(scores, **levels)
    assert killed.exists()
