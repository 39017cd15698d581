"""Random features come close to the Gaussian kernel, on dense and sparse rows, by blocks."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics.pairwise import rbf_kernel

from nproc.solvers.sampling import draw_fourier_features


def features(n_components=4000, p=5, gamma=0.2):
    return draw_fourier_features(p, gamma=gamma, n_components=n_components, rng=np.random.default_rng(1))


def test_products_of_features_are_close_to_the_kernel():
    X = np.random.default_rng(0).normal(size=(60, 5))
    z = features().transform(X)
    # an entry has a standard error of at most 1/sqrt(4000) = 0.016, and there are 1800
    assert np.abs(z @ z.T - rbf_kernel(X, gamma=0.2)).max() < 5 * 0.016


def test_more_features_come_closer_at_the_rate_of_the_square_root():
    X = np.random.default_rng(0).normal(size=(60, 5))
    kernel = rbf_kernel(X, gamma=0.2)
    few, many = (np.std((z := features(d).transform(X)) @ z.T - kernel) for d in (100, 10_000))
    assert 5 < few / many < 20


@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csr_matrix])
def test_sparse_rows_have_the_features_of_dense_ones(kind):
    X = np.random.default_rng(2).normal(size=(30, 5)) * (np.random.default_rng(3).random((30, 5)) < 0.4)
    mapping = features(50)
    np.testing.assert_allclose(mapping.transform(kind(X)), mapping.transform(X), atol=1e-12)
    np.testing.assert_allclose(mapping.project(kind(X), np.ones(50)), mapping.transform(X).sum(axis=1), atol=1e-12)


def test_blocks_change_nothing(monkeypatch):
    mapping = features(50)
    X = np.random.default_rng(4).normal(size=(100, 5))
    whole, projected = mapping.transform(X), mapping.project(X, np.arange(50.0))
    monkeypatch.setattr("nproc.solvers.sampling.BLOCK_ENTRIES", 50 * 16)
    assert mapping.block_rows == 16
    np.testing.assert_allclose(mapping.transform(X), whole, atol=1e-12)
    np.testing.assert_allclose(mapping.project(X, np.arange(50.0)), projected, atol=1e-9)
