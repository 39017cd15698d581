"""Kernels against their definitions and scikit-learn's, and the check of a Gram matrix."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics.pairwise import linear_kernel, polynomial_kernel, rbf_kernel

from nproc.errors import InvalidInputError
from nproc.solvers import kernels
from nproc.solvers.kernels import check_gram, make_kernel

PEERS = {
    "linear": linear_kernel,
    "rbf": lambda A, B: rbf_kernel(A, B, gamma=0.3),
    "poly": lambda A, B: polynomial_kernel(A, B, gamma=0.3, degree=3, coef0=1.0),
}


def rows(seed, n, p=4):
    return np.random.default_rng(seed).normal(size=(n, p))


def kernel_named(name):
    return make_kernel(name, gamma=0.3, degree=3, coef0=1.0)


@pytest.mark.parametrize("name", PEERS)
def test_the_matrix_is_scikit_learns(name):
    A, B = rows(1, 7), rows(2, 5)
    np.testing.assert_allclose(kernel_named(name).matrix(A, B), PEERS[name](A, B), rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(kernel_named(name).diagonal(A), np.diag(PEERS[name](A, A)), rtol=1e-12)


@pytest.mark.parametrize("name", PEERS)
@pytest.mark.parametrize("which", ["both", "first", "second"])
def test_csr_rows_give_the_dense_matrix(name, which):
    A, B = (rows(seed, n) * (rows(seed + 9, n) > 0) for seed, n in ((1, 7), (2, 5)))
    sparse_a = sparse.csr_array(A) if which != "second" else A
    sparse_b = sparse.csr_matrix(B) if which != "first" else B
    found = kernel_named(name).matrix(sparse_a, sparse_b)
    assert isinstance(found, np.ndarray)
    assert found.flags.c_contiguous
    np.testing.assert_allclose(found, kernel_named(name).matrix(A, B), rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(kernel_named(name).diagonal(sparse_a), kernel_named(name).diagonal(A), rtol=1e-12)


def test_the_inputs_are_not_changed():
    A, B = rows(1, 7), rows(2, 5)
    before = A.copy(), B.copy()
    for name in PEERS:
        kernel_named(name).matrix(A, B)
    np.testing.assert_array_equal(A, before[0])
    np.testing.assert_array_equal(B, before[1])


def test_rbf_keeps_its_digits_far_from_the_origin():
    A, B = rows(1, 7), rows(2, 5)
    exact = np.exp(-0.3 * ((A[:, None] - B[None]) ** 2).sum(axis=2))
    # rows near 1e6 have 1e-10 of rounding themselves
    far = make_kernel("rbf", gamma=0.3).matrix(A + 1e6, B + 1e6)
    np.testing.assert_allclose(far, exact, rtol=1e-8)


def test_rbf_is_at_most_one_and_one_for_equal_rows():
    A = rows(1, 50)
    K = make_kernel("rbf", gamma=2.0).matrix(A, A)
    assert K.max() <= 1.0
    np.testing.assert_allclose(np.diag(K), 1.0, rtol=1e-13)


def test_rbf_of_far_rows_is_tiny_and_never_subnormal():
    found = make_kernel("rbf", gamma=1.0).matrix(np.array([[0.0]]), np.array([[27.0], [1e3], [1e150]]))
    assert np.all((found > 2.2e-308) & (found < 1e-300))


def test_a_precomputed_kernel_gives_the_matrix_back():
    K = rows(1, 3, 5)
    kernel = make_kernel("precomputed")
    np.testing.assert_array_equal(kernel.matrix(K, None), K)
    square = K @ K.T
    np.testing.assert_array_equal(kernel.diagonal(square), np.diag(square))


def test_a_function_serves_as_a_kernel():
    A, B = rows(1, 7), rows(2, 5)
    kernel = make_kernel(PEERS["rbf"])
    assert kernel.name == "callable"
    np.testing.assert_array_equal(kernel.matrix(A, B), PEERS["rbf"](A, B))
    np.testing.assert_allclose(kernel.diagonal(A), 1.0)


def test_a_kernel_passes_through():
    kernel = make_kernel("rbf", gamma=0.7)
    assert make_kernel(kernel) is kernel


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kernel": "sigmoid"}, "kernel must be one of 'linear', 'rbf', 'poly', 'precomputed', got 'sigmoid'"),
        ({"gamma": 0.0}, "gamma must be a finite number above 0, got 0.0"),
        ({"gamma": np.inf}, "gamma must be a finite number"),
        ({"degree": 0}, "degree must be at least 1, got 0"),
        ({"degree": 1.5}, "degree must be a whole number"),
        ({"coef0": np.nan}, "coef0 must be a finite number, got nan"),
    ],
)
def test_a_bad_parameter_is_named(change, message):
    with pytest.raises(InvalidInputError, match=message):
        make_kernel(**change)


def test_a_function_that_is_no_kernel_is_refused():
    A = rows(1, 7)
    with pytest.raises(InvalidInputError, match=r"one row for each row of A.*got shape \(7,\)"):
        make_kernel(lambda A, B: A[:, 0]).matrix(A, A)
    with pytest.raises(InvalidInputError, match="kernel returned NaN or infinite values"):
        make_kernel(lambda A, B: np.full((len(A), len(B)), np.nan)).matrix(A, A)


def test_a_gram_matrix_passes():
    for K in (np.eye(3), np.zeros((3, 3)), np.ones((4, 4)), rows(1, 20) @ rows(1, 20).T):
        np.testing.assert_array_equal(check_gram(K), K)


@pytest.mark.parametrize(
    ("K", "message"),
    [
        (np.ones((2, 3)), r"X must be square with kernel='precomputed'.*got shape \(2, 3\)"),
        (np.ones(4), "X must be square"),
        (np.array([[1.0, np.nan], [np.nan, 1.0]]), "X must be finite"),
        (np.array([[1.0, 0.5], [0.4, 1.0]]), "X must be symmetric.*differ by up to 0.1"),
        (np.array([[1.0, 2.0], [2.0, 1.0]]), "X is not a kernel matrix: its smallest eigenvalue is -1 .*largest 3"),
        (-np.eye(2), "X is not a kernel matrix"),
        (sparse.eye_array(3), "X is sparse; a precomputed kernel must be a dense matrix"),
    ],
)
def test_a_matrix_that_is_no_gram_matrix_is_refused(K, message):
    with pytest.raises(InvalidInputError, match=message):
        check_gram(K)


def test_rounding_is_forgiven_but_not_a_negative_eigenvalue():
    vectors, _ = np.linalg.qr(rows(1, 6, 6))
    for smallest, good in ((-1e-10, True), (-1e-6, False)):
        K = (vectors * np.array([1.0, 0.5, 0.1, 0.0, 0.0, smallest])) @ vectors.T
        K = (K + K.T) / 2
        if good:
            check_gram(K)
        else:
            with pytest.raises(InvalidInputError, match="smallest eigenvalue is -1e-06"):
                check_gram(K)


def test_a_large_matrix_is_checked_by_lanczos_iterations(monkeypatch):
    monkeypatch.setattr(kernels, "MOST_ROWS_FOR_ALL_EIGENVALUES", 50)
    A = rows(1, 120)
    K = make_kernel("rbf", gamma=0.3).matrix(A, A)
    K = (K + K.T) / 2
    check_gram(K)
    check_gram(A @ A.T)
    with pytest.raises(InvalidInputError, match="X is not a kernel matrix: its smallest eigenvalue is -"):
        check_gram(K - 0.5 * np.eye(120))
    with pytest.raises(InvalidInputError, match="X is not a kernel matrix"):
        check_gram(np.tanh(A @ A.T - 1.0))
