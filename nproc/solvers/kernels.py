r"""Kernels of support vector machines, and the check of a given Gram matrix.

A kernel k(x, x') is the inner product of two rows after a mapping into a feature space; a kernel machine sees its data
through the matrix of their kernels only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import ArpackNoConvergence, eigsh

from nproc.checks import check_choice, check_count, check_number, check_real
from nproc.errors import InvalidInputError

KERNELS = ("linear", "rbf", "poly", "precomputed")
# a smallest eigenvalue below minus this share of the largest one is no rounding error
NEGATIVE_SHARE = 1e-8
# above this many rows all eigenvalues take too long, and Lanczos iterations find the smallest one
MOST_ROWS_FOR_ALL_EIGENVALUES = 3000

# products of so large a kernel value with coefficients overflow
LARGEST_KERNEL = 1e200
# gamma times a squared norm from which rounding in a squared distance moves the rbf kernel of a row with itself off 1
LARGEST_EXPONENT = 1e15
# exp of less is below the smallest normal number
LOWEST_EXPONENT = -708.0


@dataclass(frozen=True)
class Kernel:
    r"""A kernel with its parameters; made by `make_kernel`.

    Parameters
    ----------
    name : {'linear', 'rbf', 'poly', 'precomputed', 'callable'}
        Linear :math:`x'z`, rbf :math:`\exp(-\gamma \|x - z\|^2)`, poly :math:`(\gamma x'z + c_0)^d`, a Gram matrix
        given instead of the rows, or a function.
    gamma : float
        Scale, above 0, of rbf and poly.
    degree : int
        Degree of poly.
    coef0 : float
        Constant of poly.
    function : callable, optional
        ``function(A, B)`` returns the (a, b) matrix of a symmetric kernel.

    Examples
    --------
    >>> import numpy as np
    >>> kernel = make_kernel("rbf", gamma=0.5)
    >>> kernel.matrix(np.array([[0.0], [1.0]]), np.array([[0.0]])).round(4)
    array([[1.    ],
           [0.6065]])
    """

    name: str
    gamma: float = 1.0
    degree: int = 3
    coef0: float = 0.0
    function: Callable | None = None

    def matrix(self, A, B):
        """Return the (a, b) matrix of the kernel of each row of `A` with each row of `B`, dense.

        For a precomputed kernel `A` is that matrix already: one row for each new point, one column for each training
        row, and it is given back.
        """
        if self.name == "precomputed":
            return np.asarray(A, dtype=np.float64)
        if self.name == "callable":
            return self._called(A, B)
        centre = None if sparse.issparse(A) else centre_of(B)
        left, _ = self.factors(A, centre)
        _, right = self.factors(B, centre)
        values = self.of_products(products(left, right))
        if self.name != "rbf":
            self.check_size(values)
        return values

    def check_size(self, values):
        """Raise where kernel values are NaN or too large to compute with."""
        # NaN is not less than anything
        if not (np.max(values, initial=0.0) < LARGEST_KERNEL and np.min(values, initial=0.0) > -LARGEST_KERNEL):
            raise InvalidInputError(
                f"kernel {self.name!r} overflows: the kernel of two rows is NaN or beyond {LARGEST_KERNEL:g}. "
                "Scale the columns of X."
            )

    def diagonal(self, A):
        """Return the (a,) kernel of each row of `A` with itself; for a precomputed kernel `A` is the Gram matrix."""
        if self.name == "precomputed":
            return np.array(np.diagonal(A), dtype=np.float64)
        if self.name == "callable":
            rows = range(A.shape[0])
            return np.array([self._called(A[i : i + 1], A[i : i + 1])[0, 0] for i in rows], dtype=np.float64)
        if self.name == "rbf":
            return np.ones(A.shape[0])
        return self.of_products(squared_norms(A))

    def factors(self, A, centre=None):
        r"""Return (left, right): the kernel is a function of the products of left and right rows alone.

        For rbf they have two more columns, so that BLAS gives :math:`2 \gamma x'z - \gamma \|x\|^2 - \gamma \|z\|^2`
        in one product; `centre` is taken off dense rows first, which changes no distance and saves digits.
        Raises `InvalidInputError` where the squared norms overflow.
        """
        if self.name != "rbf":
            return A, A
        if sparse.issparse(A):
            halves = self._finite(-self.gamma * squared_norms(A))[:, None]
            scaled, ones = sparse.csr_array(A) * np.sqrt(2.0 * self.gamma), np.ones_like(halves)
            left, right = ([scaled, halves, ones], [scaled, ones, halves])
            return sparse.hstack(left, format="csr"), sparse.hstack(right, format="csr")
        scaled = (A if centre is None else A - centre) * np.sqrt(2.0 * self.gamma)
        halves = self._finite(-0.5 * squared_norms(scaled))[:, None]
        ones = np.ones_like(halves)
        return np.hstack([scaled, halves, ones]), np.hstack([scaled, ones, halves])

    def _finite(self, norms):
        # twice as much is added up
        if not np.min(norms, initial=0.0) > -1e307:
            raise InvalidInputError(
                f"kernel 'rbf' overflows: with gamma={self.gamma:.3g} squared distances of rows are infinite or NaN. "
                "Bring the columns of X to one scale."
            )
        return norms

    def of_products(self, inner):
        """Return the kernel of products of left and right rows, in their memory."""
        if self.name == "poly":
            inner *= self.gamma
            inner += self.coef0
            # infinite values are found by `check_size`, and told of in its words
            with np.errstate(over="ignore"):
                return np.power(inner, self.degree, out=inner)
        if self.name == "rbf":
            # rounding may leave a distance below 0; the lower end keeps exp from subnormal numbers, which are slow
            np.clip(inner, LOWEST_EXPONENT, 0.0, out=inner)
            return np.exp(inner, out=inner)
        return inner

    def _called(self, A, B):
        values = np.asarray(self.function(A, B), dtype=np.float64)
        if values.shape != (A.shape[0], B.shape[0]):
            raise InvalidInputError(
                "kernel must be a function whose value at (A, B) has one row for each row of A and one column for each "
                f"row of B, here shape {(A.shape[0], B.shape[0])}; got shape {values.shape}."
            )
        if not np.isfinite(values).all():
            raise InvalidInputError("kernel returned NaN or infinite values; it must be finite for all pairs of rows.")
        return values


def make_kernel(kernel="rbf", *, gamma=1.0, degree=3, coef0=0.0):
    r"""Return a `Kernel` from its name or from a function.

    Parameters
    ----------
    kernel : {'linear', 'rbf', 'poly', 'precomputed'}, callable or Kernel
        Name, or a function k(A, B) that returns the (a, b) matrix and is symmetric in its arguments. With 'precomputed'
        the (n, n) Gram matrix stands in the place of X.
    gamma : float
        Scale, above 0, of rbf and poly.
    degree : int
        Degree of poly, at least 1.
    coef0 : float
        Constant of poly.

    Returns
    -------
    Kernel
        Its ``matrix(A, B)`` is dense; linear, rbf and poly take dense arrays and CSR.

    Raises
    ------
    InvalidInputError
        For an unknown name, or a parameter out of its range.

    Examples
    --------
    >>> import numpy as np
    >>> make_kernel("poly", gamma=1.0, degree=2, coef0=1.0).matrix(np.array([[2.0]]), np.array([[3.0]]))
    array([[49.]])
    """
    if isinstance(kernel, Kernel):
        return kernel
    if not callable(kernel):
        check_choice(kernel, "kernel", KERNELS)
    gamma, degree, coef0 = check_number(gamma, "gamma"), check_count(degree, "degree"), check_real(coef0, "coef0")
    name, function = ("callable", kernel) if callable(kernel) else (kernel, None)
    return Kernel(name, gamma, degree, coef0, function)


def products(A, B, out=None):
    """Return A B', dense, of dense or CSR rows; dense ones into `out` where it is given."""
    if sparse.issparse(A) and sparse.issparse(B):
        return (A @ B.T).toarray(order="C")
    if sparse.issparse(B):
        return np.ascontiguousarray((B @ A.T).T)
    return np.matmul(A, B.T, out=out) if out is not None else np.ascontiguousarray(A @ B.T)


def check_digits(gamma, exponent):
    """Raise where rounding spoils the rbf kernel: at an `exponent`, gamma times a squared norm, that is too large."""
    if exponent > LARGEST_EXPONENT:
        raise InvalidInputError(
            f"kernel 'rbf' cannot be computed accurately: gamma={gamma:.3g} times the squared length of a row (after "
            f"the means of dense columns are subtracted) is {exponent:.3g}, more than {LARGEST_EXPONENT:g}. Bring the "
            "columns of X to one scale, or choose a smaller gamma."
        )


def squared_norms(A):
    """Return the squared Euclidean norm of each row, dense or CSR."""
    if sparse.issparse(A):
        return np.asarray(A.multiply(A).sum(axis=1), dtype=np.float64).ravel()
    return np.einsum("ij,ij->i", A, A)


def centre_of(A):
    """Return the mean row of a dense array, None for CSR, which stays sparse."""
    return None if sparse.issparse(A) or A.shape[0] == 0 else A.mean(axis=0)


def check_gram(K):
    """Return `K` as float64 where it is the Gram matrix of a kernel: square, finite, symmetric, no negative eigenvalue.

    A kernel is an inner product, so its matrix is positive semi-definite; with one that is not, a support vector
    machine has no convex problem, and what a solver returns depends on where it starts.

    Parameters
    ----------
    K : array-like, shape (n, n)
        Kernel of each training row with each.

    Returns
    -------
    ndarray, shape (n, n)
        The matrix.

    Raises
    ------
    InvalidInputError
        Where it is not square, not finite, not symmetric (to 1e-10 of its largest entry), or its smallest eigenvalue is
        below -1e-8 times the largest.

    Notes
    -----
    Up to 3,000 rows all eigenvalues are computed. Above, Lanczos iterations approach the smallest eigenvalue from
    above: a negative one that they find is there, and one so small that they miss it in their 1,000 iterations passes.

    Examples
    --------
    >>> check_gram([[1.0, 2.0], [2.0, 1.0]])
    Traceback (most recent call last):
    ...
    nproc.errors.InvalidInputError: X is not a kernel matrix: its smallest eigenvalue is -1 and its largest 3, but ...
    """
    if sparse.issparse(K):
        raise InvalidInputError("X is sparse; a precomputed kernel must be a dense matrix (X.toarray()).")
    K = np.asarray(K, dtype=np.float64)
    if K.ndim != 2 or K.shape[0] != K.shape[1]:
        raise InvalidInputError(
            "X must be square with kernel='precomputed' (the kernel of each training row with each), got shape "
            f"{K.shape}. For rows of predictors choose kernel='rbf', 'linear' or 'poly'."
        )
    if not np.isfinite(K).all():
        raise InvalidInputError("X must be finite, and this kernel matrix has NaN or infinite values.")
    scale = float(np.abs(K).max(initial=0.0))
    gap = float(np.abs(K - K.T).max(initial=0.0))
    if gap > 1e-10 * scale:
        raise InvalidInputError(
            f"X must be symmetric with kernel='precomputed': entries (i, j) and (j, i) differ by up to {gap:.3g}. "
            "If that is rounding, give (X + X.T) / 2."
        )
    smallest, largest = _extreme_eigenvalues(K)
    if smallest < -NEGATIVE_SHARE * max(largest, 0.0) and smallest < 0:
        raise InvalidInputError(
            f"X is not a kernel matrix: its smallest eigenvalue is {smallest:.3g} and its largest {largest:.3g}, "
            "but a kernel matrix has no eigenvalue below 0. To make a kernel matrix of it, add a constant of at least "
            f"{-smallest:.3g} to the diagonal."
        )
    return K


def _extreme_eigenvalues(K):
    if K.shape[0] <= MOST_ROWS_FOR_ALL_EIGENVALUES:
        values = np.linalg.eigvalsh(K)
        return float(values[0]), float(values[-1])
    start = np.random.default_rng(0).normal(size=K.shape[0])
    largest = float(eigsh(K, k=1, which="LA", v0=start, return_eigenvectors=False, tol=1e-6)[0])
    try:
        smallest = eigsh(K, k=1, which="SA", v0=start, return_eigenvectors=False, tol=1e-2, maxiter=50)
    except ArpackNoConvergence as error:
        # eigenvalues that crowd at 0 are no reason to refuse; what has converged is all that is known
        smallest = error.eigenvalues
    return float(np.min(smallest, initial=largest)), largest
