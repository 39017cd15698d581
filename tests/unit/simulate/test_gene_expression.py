"""Counts of reads: the law of a count, what differs between the classes, seeds, bad input.

A check of a law is two-sided and raises a false alarm with probability 1e-4 over the choice of the seed.
"""

import numpy as np
import pytest
from scipy import stats

from nproc.errors import InvalidInputError
from nproc.simulate import CountSample, Sample, rna_seq
from nproc.simulate.gene_expression import RNASeqWorld

FALSE_ALARM = 1e-4


def constant_world(mean, n_genes, depth_sd=0.0, size=6.0):
    return RNASeqWorld(np.ones(n_genes), np.full(n_genes, mean), np.full(n_genes, mean), size=size, depth_sd=depth_sd)


@pytest.mark.parametrize(("mean", "size"), [(3.0, 6.0), (80.0, 6.0), (40.0, 1.5)])
def test_a_count_is_negative_binomial_with_its_mean_and_size(mean, size):
    X = constant_world(mean, 5, size=size).sample_classes(4000, 0, random_state=1).X.ravel()
    law = stats.nbinom(size, size / (size + mean))
    assert law.mean() == pytest.approx(mean)
    assert law.var() == pytest.approx(mean + mean**2 / size)
    inner = np.unique(law.ppf(np.linspace(0.02, 0.98, 25)))
    edges = np.concatenate([[-1.0], inner, [np.inf]])
    expected = np.diff(law.cdf(edges)) * X.size
    counts = np.histogram(X, np.concatenate([[-1.0], inner + 0.5, [np.inf]]))[0]
    assert stats.chisquare(counts, expected).pvalue > FALSE_ALARM


def test_the_means_are_expression_times_length_times_depth():
    world = RNASeqWorld([1.0, 3.0, 2.0], [10.0, 20.0, 30.0], [10.0, 40.0, 30.0])
    np.testing.assert_array_equal(world.means(0), [10.0, 60.0, 60.0])
    np.testing.assert_array_equal(world.means(1, [1.0, 2.0]), [[10.0, 120.0, 60.0], [20.0, 240.0, 120.0]])
    sample = world.sample_classes(4000, 4000, random_state=2)
    for label in (0, 1):
        rows = sample.y == label
        means = world.means(label, sample.depths[rows])
        z = (sample.X[rows] - means) / np.sqrt(means + means**2 / 6.0)
        # the standardised counts have mean 0 and variance 1, whatever the depth of their row
        assert np.all(np.abs(z.mean(axis=0)) * np.sqrt(4000) < 4.5)
        assert np.all(np.abs(stats.pearsonr(z, sample.depths[rows][:, None])[0]) * np.sqrt(4000) < 4.5)
        assert (z**2).mean() == pytest.approx(1.0, abs=0.1)


def test_depths_are_normal_and_drawn_again_where_they_are_not_above_zero():
    usual = constant_world(5.0, 1, depth_sd=0.2).sample_classes(5000, 0, random_state=3).depths
    assert stats.kstest(usual, stats.norm(1.0, 0.2).cdf).pvalue > FALSE_ALARM
    wide = constant_world(5.0, 1, depth_sd=2.0).sample_classes(5000, 0, random_state=3).depths
    assert wide.min() > 0
    assert stats.kstest(wide, stats.truncnorm(-0.5, np.inf, 1.0, 2.0).cdf).pvalue > FALSE_ALARM
    assert np.all(constant_world(5.0, 1).sample_classes(10, 0, random_state=3).depths == 1.0)


def test_the_sizes_are_those_of_the_paper_by_default():
    # three genes, to be quick
    sample = rna_seq(n_genes=3, random_state=4)
    assert np.bincount(sample.y).tolist() == [1040, 3340]
    assert np.all(np.diff(sample.y) >= 0)
    assert rna_seq(5, 5, random_state=4).X.shape == (10, 1000)
    assert sample.world.size == 6.0
    assert isinstance(sample, CountSample)
    assert isinstance(sample, Sample)
    assert sample.X.dtype == np.int64


@pytest.mark.parametrize("share", [0.0, 0.2, 1.0])
def test_a_share_of_the_genes_is_changed_by_normal_offsets_of_the_logarithm(share):
    world = rna_seq(1, 1, 5000, changed=share, shift=0.3, random_state=5).world
    offsets = np.log(world.expression0 / world.expression1)
    assert world.changed.size == round(5000 * share)
    np.testing.assert_array_equal(np.flatnonzero(offsets), world.changed)
    if share:
        assert stats.kstest(offsets[world.changed], stats.norm(0.0, 0.3).cdf).pvalue > FALSE_ALARM
        # neither the long nor the strong genes are chosen
        assert stats.ks_2samp(world.lengths, world.lengths[world.changed]).pvalue > FALSE_ALARM
        assert stats.ks_2samp(world.expression1, world.expression1[world.changed]).pvalue > FALSE_ALARM


def test_without_a_shift_the_classes_have_the_same_law():
    world = rna_seq(1, 1, 100, shift=0.0, random_state=6).world
    np.testing.assert_array_equal(world.expression0, world.expression1)
    assert world.changed.size == 0


def test_the_shift_changes_nothing_but_the_distance():
    near, far = (rna_seq(1, 1, 100, shift=s, random_state=7).world for s in (0.1, 0.4))
    np.testing.assert_array_equal(near.expression1, far.expression1)
    np.testing.assert_array_equal(near.changed, far.changed)
    offsets = [np.log(world.expression0 / world.expression1) for world in (near, far)]
    np.testing.assert_allclose(4.0 * offsets[0], offsets[1], rtol=1e-9, atol=1e-12)


def test_a_seed_gives_the_same_sample_and_the_global_state_is_left_alone():
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    first, again = rna_seq(10, 20, 30, random_state=8), rna_seq(10, 20, 30, random_state=8)
    np.testing.assert_array_equal(first.X, again.X)
    np.testing.assert_array_equal(first.depths, again.depths)
    assert first.seed == 8
    assert np.any(rna_seq(10, 20, 30, random_state=9).X != first.X)
    fresh = rna_seq(10, 20, 30)
    np.testing.assert_array_equal(fresh.X, rna_seq(10, 20, 30, random_state=fresh.seed).X)
    np.testing.assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002


def test_the_world_draws_further_rows():
    world = rna_seq(0, 5, 30, random_state=10).world
    more = world.sample_classes(7, 8, random_state=1)
    assert np.bincount(more.y).tolist() == [7, 8]
    assert more.world is world
    assert repr(more) == "Sample(n0=7, n1=8, d=30, seed=1)"
    assert repr(world) == "RNASeqWorld(n_features=30, changed=6, size=6, depth_sd=0.2)"


def test_rows_of_either_class_come_in_the_proportion_of_the_sample():
    sample = rna_seq(10, 30, 4, random_state=11)
    assert sample.world.prob0 == 0.25
    more = sample.world.sample(4000, random_state=2)
    assert isinstance(more, CountSample)
    assert more.X.shape == (4000, 4)
    assert stats.binomtest(int(np.sum(more.y == 0)), 4000, 0.25).pvalue > FALSE_ALARM
    # independent rows, so not sorted by class
    assert np.any(np.diff(more.y) < 0)
    for label in (0, 1):
        means = sample.world.means(label, more.depths[more.y == label])
        z = (more.X[more.y == label] - means) / np.sqrt(means + means**2 / 6.0)
        assert np.all(np.abs(z.mean(axis=0)) * np.sqrt(len(z)) < 4.5)
    np.testing.assert_array_equal(sample.world.sample(20, random_state=3).X, sample.world.sample(20, random_state=3).X)
    assert rna_seq(0, 5, 3, random_state=1).world.sample(9, random_state=1).y.tolist() == [1] * 9
    assert rna_seq(0, 0, 3, random_state=1).world.prob0 == constant_world(5.0, 1).prob0 == 0.5


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n0": -1}, "n0 must be at least 0"),
        ({"n1": 2.5}, "n1 must be a whole number"),
        ({"n_genes": 0}, "n_genes must be at least 1"),
        ({"shift": -0.1}, "shift must be a finite number of at least 0, got -0.1"),
        ({"shift": 1000.0}, "shift must be at most 50, got 1000"),
        ({"shift": 45.0, "n_genes": 50, "random_state": 0}, "mean counts must be at most 1e\\+16, got"),
        ({"depth_sd": 1e30}, "mean counts must be at most"),
        ({"changed": 1.2}, "changed must be a share of the genes, from 0 to 1, got 1.2"),
        ({"changed": -0.2}, "changed must be a finite number of at least 0"),
        ({"size": 0}, "size must be a finite number above 0, got 0"),
        ({"depth_sd": -1}, "depth_sd must be a finite number of at least 0"),
        ({"random_state": "a"}, "random_state must be None"),
    ],
)
def test_a_bad_argument_is_an_error(options, message):
    with pytest.raises(InvalidInputError, match=message):
        rna_seq(**{"n0": 2, "n1": 2, "n_genes": 3, **options})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1.0, -1.0], [1.0, 1.0], [1.0, 1.0]), "lengths must be above 0, got -1"),
        (([1.0, 1.0], [1.0, 0.0], [1.0, 1.0]), "expression0 must be above 0, got 0"),
        (([1.0, 1.0], [1.0, 1.0], [1.0]), "expression1 must hold 2 numbers, got 1"),
        (([1.0], [1.0], [1.0], 6.0, 0.2, 1.5), "prob0 must be a probability, from 0 to 1, got 1.5"),
    ],
)
def test_a_world_of_impossible_parameters_is_an_error(arguments, message):
    with pytest.raises(InvalidInputError, match=message):
        RNASeqWorld(*arguments)
