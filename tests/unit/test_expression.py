"""The logarithm of counts has about the stated moments; the gene score is the formula and sees what it is given."""

import numpy as np
import pytest
from scipy import sparse, stats
from scipy.special import digamma, polygamma
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from nproc import npc
from nproc.errors import InvalidInputError
from nproc.expression import gene_score, log_count_moments, log_counts, top_genes
from nproc.simulate import rna_seq


def moments_of_the_logarithm(mean, size):
    """Mean and variance of ln(X + size / 2) by a sum over the counts."""
    law = stats.nbinom(size, size / (size + mean))
    counts = np.arange(law.ppf(1 - 1e-13))
    mass, z = law.pmf(counts), np.log(counts + size / 2)
    first = mass @ z
    return first, mass @ (z - first) ** 2


def test_the_logarithm_is_that_of_the_count_plus_half_the_size():
    X = np.array([[0, 1, 10], [5, 0, 200]])
    np.testing.assert_allclose(log_counts(X), np.log(X + 3.0), rtol=1e-15)
    np.testing.assert_allclose(log_counts(X, [1.0, 2.0, 6.0]), np.log(X + np.array([0.5, 1.0, 3.0])), rtol=1e-15)


@pytest.mark.parametrize("size", [2.0, 6.0, 20.0])
def test_the_moments_are_those_of_large_counts(size):
    mean, variance = log_count_moments(1000.0, size)
    exact_mean, exact_variance = moments_of_the_logarithm(1000.0, size)
    # an expansion in 1 / size: ln(size) - digamma(size) is 1 / (2 size) + 1 / (12 size^2)
    assert mean == pytest.approx(exact_mean, abs=0.1 / size**2)
    assert np.log(size) - digamma(size) == pytest.approx(0.5 / size, abs=0.1 / size**2)
    assert variance == pytest.approx(exact_variance, rel=0.01)
    assert variance == polygamma(1, size)


@pytest.mark.parametrize(("mean", "in_mean", "in_variance"), [(100.0, 0.004, 0.01), (20.0, 0.004, 0.04)])
def test_with_size_6_the_moments_are_as_close_as_the_notes_say(mean, in_mean, in_variance):
    exact_mean, exact_variance = moments_of_the_logarithm(mean, 6.0)
    approximate_mean, approximate_variance = log_count_moments(mean, 6.0)
    assert approximate_mean == pytest.approx(exact_mean, abs=in_mean)
    assert approximate_variance == pytest.approx(exact_variance, rel=in_variance)


def test_on_the_log_scale_lengths_and_depths_add_up():
    sample = rna_seq(0, 3000, 20, random_state=1)
    Z = log_counts(sample.X)
    strong = sample.world.means(1) > 50
    expected, variance = log_count_moments(sample.world.means(1, sample.depths)[:, strong])
    residual = Z[:, strong] - expected
    # 4.5 standard errors and the 0.004 of the expansion
    assert np.all(np.abs(residual.mean(axis=0)) < 4.5 * np.sqrt(variance / 3000) + 0.004)
    np.testing.assert_allclose(residual.var(axis=0), variance, rtol=0.2)


@pytest.mark.parametrize(
    ("X", "size", "message"),
    [
        ([[1.0, -2.0]], 6.0, "X must hold counts of at least 0, got -2"),
        ([[1.0, 2.0]], 0.0, "size must be above 0, got 0"),
        ([[1.0, 2.0]], [1.0, 2.0, 3.0], "size must be one number, or one for each of 2 columns, got 3"),
        ([[1.0, 2.0]], "large", "size must be a one-dimensional array of numbers"),
        (sparse.csr_array([[1.0, 0.0]]), 6.0, r"X is sparse.*needs a dense array"),
    ],
)
def test_counts_and_sizes_that_are_none_are_errors(X, size, message):
    with pytest.raises(InvalidInputError, match=message):
        log_counts(X, size)


def test_moments_of_a_mean_that_is_not_positive_are_an_error():
    with pytest.raises(InvalidInputError, match="mean must be above 0 everywhere"):
        log_count_moments([1.0, 0.0])
    with pytest.raises(InvalidInputError, match="mean must hold numbers above 0, got dtype <U1"):
        log_count_moments("a")
    with pytest.raises(InvalidInputError, match="size must be a finite number above 0"):
        log_count_moments(1.0, -1.0)


def test_the_gene_score_is_the_formula():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 4)) * [1, 2, 3, 4] + [1e6, 0, 5, 5], rng.integers(0, 2, 50)
    first, second = X[y == 0], X[y == 1]
    expected = np.abs(first.mean(axis=0) - second.mean(axis=0)) / (first.std(axis=0) + second.std(axis=0))
    np.testing.assert_allclose(gene_score(X, y), expected, rtol=1e-9)
    np.testing.assert_allclose(gene_score(X, np.array(["b", "a"])[y]), expected, rtol=1e-9)


def test_the_gene_score_is_blind_to_units_and_to_the_order_of_the_labels():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(30, 3)), np.repeat([0, 1], 15)
    np.testing.assert_allclose(gene_score(X * [2.0, 1e6, -1e-6] + [1.0, 0.0, 7.0], 1 - y), gene_score(X, y), rtol=1e-9)


def test_columns_that_are_constant_within_the_classes_score_zero_or_infinity():
    X = np.array([[0.1, 0.1, 1.0], [0.1, 0.1, 2.0], [0.1, 0.3, 3.0], [0.1, 0.3, 4.0]])
    scores = gene_score(X, [0, 0, 1, 1])
    assert scores[0] == 0.0
    assert scores[1] == np.inf
    assert scores[2] == pytest.approx(2.0)
    assert top_genes(X, [0, 0, 1, 1], 3).tolist() == [1, 2, 0]


def test_equal_scores_are_taken_in_the_order_of_the_columns():
    X = np.array([[0.0, 0.0, 1.0], [2.0, 2.0, 1.0], [5.0, 5.0, 1.0], [7.0, 7.0, 2.0]])
    assert top_genes(X, [0, 0, 1, 1], 2).tolist() == [0, 1]


def test_the_changed_genes_score_highest():
    sample = rna_seq(150, 300, 200, shift=1.0, random_state=2)
    found = top_genes(log_counts(sample.X), sample.y, 30)
    assert set(found) <= set(sample.world.changed)


def test_select_k_best_takes_the_score():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(60, 8)), np.repeat([0, 1], 30)
    X[y == 1, 5] += 3.0
    X[:, 0] = 1.0
    selector = SelectKBest(gene_score, k=3).fit(X, y)
    np.testing.assert_array_equal(selector.scores_, gene_score(X, y))
    np.testing.assert_array_equal(selector.get_support(indices=True), np.sort(top_genes(X, y, 3)))


def test_in_a_pipeline_under_npc_only_the_training_rows_choose_the_genes():
    sample = rna_seq(120, 200, 40, shift=0.8, random_state=4)
    pipeline = make_pipeline(FunctionTransformer(log_counts), SelectKBest(gene_score, k=5), LogisticRegression(C=0.1))
    fit = npc(sample.X, sample.y, pipeline, alpha=0.1, delta=0.1, random_state=4)
    seen = fit.scorers[0][1].scores_
    assert not np.allclose(seen, gene_score(log_counts(sample.X), sample.y))
    left_out = fit.n0_left_out
    assert 0 < left_out < 120
    assert fit.predict(sample.X).shape == (320,)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([0, 0, 0, 0], "y must have exactly 2 classes, whose distance is the score, got 1"),
        ([0, 1, 2, 1], "y must have exactly 2 classes, whose distance is the score, got 3"),
        ([0, 1], "y must hold one label for each of the 4 rows of X, got shape"),
    ],
)
def test_labels_of_other_than_two_classes_are_errors(y, message):
    with pytest.raises(InvalidInputError, match=message):
        gene_score(np.arange(8.0).reshape(4, 2), y)


def test_more_genes_than_there_are_is_an_error():
    X = np.arange(8.0).reshape(4, 2)
    with pytest.raises(InvalidInputError, match="n must be at most the number of columns, 2, got 3"):
        top_genes(X, [0, 1, 0, 1], 3)
    with pytest.raises(InvalidInputError, match="n must be at least 1"):
        top_genes(X, [0, 1, 0, 1], 0)
