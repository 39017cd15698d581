"""Tests of `nproc.tuning`: the adaptive split ratio, and the rows that it must not touch."""

import numpy as np
import pytest

from nproc.errors import TooFewSamplesError
from nproc.splitting import n_train
from nproc.tuning import RATIOS, TUNING_SHARE, choose_split_ratio


class Spy:
    """Scores rows by their number, and notes who trained and who was scored."""

    def __init__(self, type2_of_size=None):
        self.calls = []
        self.type2_of_size = type2_of_size

    def __call__(self, idx_train, idx_score, seed):
        self.calls.append((idx_train, idx_score, seed))
        return np.random.default_rng(seed).normal(size=idx_score.size)


def labels_of(n0, n1):
    return np.random.default_rng(0).permutation(np.repeat([0, 1], [n0, n1]))


def choose(score, y, **arguments):
    levels = {"alphas": [0.05], "delta": 0.05, "seed": np.random.SeedSequence(1)}
    return choose_split_ratio(y, score, **{**levels, **arguments})


@pytest.mark.parametrize("leave_out_class1", [False, True])
def test_only_the_rows_marked_as_used_are_looked_at(leave_out_class1):
    y, spy = labels_of(600, 80), Spy()
    choice = choose(spy, y, leave_out_class1=leave_out_class1)
    looked_at = np.unique(np.concatenate([idx for train, scored, _ in spy.calls for idx in (train, scored)]))
    assert np.all(choice.used[looked_at])
    assert np.sum(choice.used & (y == 0)) == round(TUNING_SHARE * 600)
    assert np.sum(choice.used & (y == 1)) == (round(TUNING_SHARE * 80) if leave_out_class1 else 80)


def test_training_and_scored_rows_are_disjoint_and_sized_by_the_ratio():
    y, spy = labels_of(600, 80), Spy()
    choice = choose(spy, y)
    n_folds = len(spy.calls) // len(choice.ratios)
    for number, (train, scored, _) in enumerate(spy.calls):
        ratio = choice.ratios[number // n_folds]
        assert not np.intersect1d(train, scored).size
        assert np.sum(y[train] == 0) == n_train(60, ratio)
        assert np.sum(y[scored] == 0) == 60


def test_class1_folds_are_each_held_out_once():
    y, spy = labels_of(600, 83), Spy()
    choice = choose(spy, y)
    n_folds = len(spy.calls) // len(choice.ratios)
    held = np.concatenate([scored[y[scored] == 1] for _, scored, _ in spy.calls[:n_folds]])
    assert np.array_equal(np.sort(held), np.flatnonzero(y == 1))


def test_seeds_of_folds_are_the_same_for_every_ratio():
    spy = Spy()
    choice = choose(spy, labels_of(600, 80))
    seeds = np.reshape([seed for _, _, seed in spy.calls], (len(choice.ratios), -1))
    assert np.all(seeds == seeds[0])


def test_all_errors_are_reported_and_a_clear_winner_wins():
    choice = choose(Spy(), labels_of(600, 80))
    assert len(choice.type2) == len(choice.ratios)
    assert set(choice.ratios) <= set(RATIOS)
    # a score that works only when it has trained on many class 0 rows
    y = labels_of(600, 80)
    useful = choose(lambda train, rows, seed: y[rows] * (np.sum(y[train] == 0) > 42) + 1e-3 * rows % 1, y)
    assert useful.split_ratio == 0.8
    assert useful.type2[-1] == min(useful.type2) == 0


def test_ratios_that_leave_out_too_few_rows_are_skipped():
    choice = choose(Spy(), labels_of(100, 80), alphas=[0.05], delta=0.05)
    # 59 of 100 must be left out, and the 30 tuning rows must all train
    assert choice.ratios == (0.3, 0.4)


def test_the_result_is_the_same_for_one_seed_and_differs_for_others():
    y = labels_of(300, 80)
    runs = [choose(Spy(), y, seed=np.random.SeedSequence(s)) for s in (1, 1, 2)]
    assert runs[0].type2 == runs[1].type2 != runs[2].type2
    assert np.array_equal(runs[0].used, runs[1].used)


def test_a_perfect_score_has_no_type2_error_and_one_half_wins_the_tie():
    y = labels_of(600, 80)
    choice = choose(lambda train, rows, seed: y[rows] + 1e-3 * np.arange(rows.size) / rows.size, y)
    assert set(choice.type2) == {0.0}
    assert choice.split_ratio == 0.5


def test_too_few_class0_rows_are_an_error_that_says_what_is_needed():
    with pytest.raises(TooFewSamplesError, match=r"uses 14 of n0=70 .* leaves out the 59 rows that alpha=0\.05"):
        choose(Spy(), labels_of(70, 80))


@pytest.mark.parametrize(("n1", "leave_out_class1"), [(1, False), (1, True), (2, True)])
def test_too_few_class1_rows_are_an_error(n1, leave_out_class1):
    with pytest.raises(TooFewSamplesError, match=rf"needs more class 1 rows for its cross-validation \(n1={n1}\)"):
        choose(Spy(), labels_of(300, n1), leave_out_class1=leave_out_class1)


@pytest.mark.parametrize("n1", [3, 4, 5, 7])
def test_with_few_class1_rows_a_ratio_leaves_out_at_least_one_that_was_not_looked_at(n1):
    y = labels_of(300, n1)
    choice = choose(Spy(), y, leave_out_class1=True)
    free = np.sum(~choice.used & (y == 1))
    for ratio in choice.ratios:
        assert 1 <= n1 - n_train(n1, ratio) <= free
