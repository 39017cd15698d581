"""The cache of kernel rows: what it gives is the kernel matrix, whatever its size."""

import numpy as np
import pytest
from scipy import sparse

from nproc.errors import InvalidInputError
from nproc.solvers import kernel_cache
from nproc.solvers.jit import plain_python
from nproc.solvers.kernel_cache import KernelRows
from nproc.solvers.kernels import make_kernel

N = 150
X = np.random.default_rng(3).normal(size=(N, 4))
# MB that hold about ten rows, and none
TEN_ROWS, NO_ROW = 16 * N * 8 / 2**20, 1e-6
KINDS = {
    "rbf": ("rbf", X),
    "poly": ("poly", X),
    "linear": ("linear", X),
    "precomputed": ("precomputed", X @ X.T),
    "callable": (lambda A, B: A @ B.T + 1.0, X),
    "sparse rbf": ("rbf", sparse.csr_array(X * (X > 0))),
    "sparse linear": ("linear", sparse.csr_matrix(X * (X > 0))),
}


def kernel_and_matrix(kind):
    name, data = KINDS[kind]
    kernel = make_kernel(name, gamma=0.3, coef0=1.0)
    return kernel, data, kernel.matrix(data, data)


@pytest.fixture(params=[True, False], ids=["at once", "in blocks"])
def small_at_once(request, monkeypatch):
    if not request.param:
        monkeypatch.setattr(kernel_cache, "AT_ONCE", 0)
        monkeypatch.setattr(kernel_cache, "BLOCK_ROWS", 5)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("cache_size", [200.0, TEN_ROWS, NO_ROW])
@pytest.mark.usefixtures("small_at_once")
def test_products_and_squares_are_those_of_the_matrix(kind, cache_size):
    kernel, data, K = kernel_and_matrix(kind)
    rows = KernelRows(kernel, data, cache_size=cache_size)
    rng = np.random.default_rng(1)
    for _ in range(5):
        v = rng.normal(size=N) * (rng.random(N) < 0.5)
        np.testing.assert_allclose(rows.product(v), K @ v, rtol=1e-10, atol=1e-10)
        idx = np.sort(rng.choice(N, 9, replace=False))
        np.testing.assert_allclose(rows.square(idx), K[np.ix_(idx, idx)], rtol=1e-12, atol=1e-13)
        np.testing.assert_allclose(rows.block(idx), K[idx], rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(rows.diagonal, np.diag(K), rtol=1e-12)


@pytest.mark.parametrize("cache_size", [200.0, TEN_ROWS, NO_ROW])
@pytest.mark.usefixtures("small_at_once")
def test_a_fetched_row_lies_where_slot_of_says(cache_size):
    kernel, data, K = kernel_and_matrix("rbf")
    rows = KernelRows(kernel, data, cache_size=cache_size)
    rng = np.random.default_rng(2)
    for _ in range(40):
        idx = rng.choice(N, min(rows.store.shape[0], rng.integers(1, 9)), replace=False)
        rows.fetch(idx)
        assert np.all(rows.slot_of[idx] >= 0)
        kept = np.flatnonzero(rows.slot_of >= 0)
        np.testing.assert_allclose(rows.store[rows.slot_of[kept]], K[kept], rtol=1e-12, atol=1e-13)
        np.testing.assert_array_equal(rows.owner[rows.slot_of[kept]], kept)
        assert np.unique(rows.slot_of[kept]).size == kept.size


@pytest.mark.usefixtures("small_at_once")
def test_where_the_matrix_fits_no_row_is_computed_twice():
    rows = KernelRows(make_kernel("rbf"), X)
    for _ in range(3):
        rows.fetch(np.arange(N))
        rows.product(np.ones(N))
    assert rows.n_computed == N


def test_a_large_matrix_is_computed_row_by_row_as_rows_are_asked_for(monkeypatch):
    monkeypatch.setattr(kernel_cache, "AT_ONCE", 0)
    rows = KernelRows(make_kernel("rbf"), X)
    rows.square(np.arange(20))
    assert rows.n_computed == 0
    rows.fetch([3, 7])
    rows.product(np.eye(N)[7])
    assert rows.n_computed == 2


def test_the_rows_take_no_more_memory_than_they_may():
    for cache_size in (200.0, 0.1, TEN_ROWS):
        rows = KernelRows(make_kernel("rbf"), X, cache_size=cache_size)
        rows.product(np.ones(N))
        rows.square(np.arange(rows.most_in_square))
        assert rows.store.nbytes + 8 * rows.most_in_square**2 <= cache_size * 2**20
    # two rows are kept whatever happens: a step needs both
    assert KernelRows(make_kernel("rbf"), X, cache_size=NO_ROW).store.shape[0] == 2


def test_the_row_that_was_used_last_longest_ago_makes_room():
    rows = KernelRows(make_kernel("rbf"), X, cache_size=NO_ROW)
    for idx in (0, 1, 0, 2):
        rows.fetch([idx])
    assert np.flatnonzero(rows.slot_of >= 0).tolist() == [0, 2]
    assert rows.n_computed == 3


def test_a_precomputed_matrix_is_neither_copied_nor_changed():
    K = X @ X.T
    before = K.copy()
    rows = KernelRows(make_kernel("precomputed"), K, cache_size=NO_ROW)
    rows.product(np.ones(N))
    assert rows.store is K
    assert rows.n_computed == 0
    np.testing.assert_array_equal(K, before)


def test_compiled_and_plain_products_agree():
    v = np.random.default_rng(1).normal(size=N)
    compiled = KernelRows(make_kernel("rbf"), X)
    expected, square = compiled.product(v), compiled.square(np.arange(0, N, 7)).copy()
    with plain_python():
        plain = KernelRows(make_kernel("rbf"), X)
        np.testing.assert_allclose(plain.product(v), expected, rtol=1e-12)
        np.testing.assert_allclose(plain.square(np.arange(0, N, 7)), square, rtol=1e-12)


def test_a_kernel_that_overflows_is_refused():
    with (
        np.errstate(over="ignore"),
        pytest.raises(InvalidInputError, match=r"kernel 'poly' overflows.*Scale the columns"),
    ):
        KernelRows(make_kernel("poly", degree=20), X * 1e20)
