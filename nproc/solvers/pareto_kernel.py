"""The Pareto-optimal direction in the feature space of a kernel.

References
----------
.. [kim2006] Kim, S.-J., Magnani, A., Samar, S., Boyd, S. and Lim, J. (2006). Pareto optimal linear classification.
   Proceedings of the International Conference on Machine Learning, 473-480.
.. [huang2006] Huang, K., Yang, H., King, I. and Lyu, M. R. (2006). Imbalanced learning with a biased minimax
   probability machine. IEEE Transactions on Systems, Man, and Cybernetics, Part B 36(4), 913-923.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from scipy import linalg

from nproc.errors import InvalidInputError
from nproc.solvers.pareto_direction import ParetoDirection, solve_pareto_direction

# pivots below this share of the largest diagonal entry are left out: far below any useful ridge
RANK_TOL = 1e-10
# what rounding leaves of K - Z Z' for a positive semidefinite K, with room to spare
PSD_TOL = 1e-6


@dataclass(frozen=True, kw_only=True, repr=False)
class ParetoKernel(ParetoDirection):
    """A Pareto-optimal rule sum_i a_i k(x, x_i) + b; ``coef`` holds the a_i of the rows in ``support``.

    Attributes
    ----------
    support : ndarray, shape (r,)
        Rows whose features span those of all rows, r the rank of the kernel matrix.
    """

    support: np.ndarray


def solve_pareto_kernel(K, y, *, alpha, bound="gaussian", reg=1e-3, tol=1e-9, max_iter=100):
    r"""Return the rule of `solve_pareto_direction` on the features of a kernel.

    A pivoted Cholesky factor :math:`K = Z Z'` gives each row r coordinates (its row of Z, r the rank of K) in which all
    inner products are those of the features :math:`\phi(x_i)`. The means and covariances of the classes in these
    coordinates are those of the features in their span, where the optimal w lies:

    .. math:: m_k = Z_k' 1 / n_k, \qquad S_k = Z_k'(I - 1 1' / n_k) Z_k / (n_k - 1) + \varepsilon I,

    with the ridge :math:`\varepsilon` = `reg` times the mean variance per direction. Then
    :math:`w = \sum_i a_i \phi(x_i)` over the r pivot rows, :math:`Z_{piv}' a = w`. With a linear kernel this is the
    linear rule, ridge included.

    Parameters
    ----------
    K : ndarray, shape (n, n)
        Kernel matrix, symmetric and positive semidefinite.
    y : ndarray, shape (n,)
        0 for the class whose error is bounded, 1 for the other.
    alpha : float
        Bound on the type I error.
    bound : {'gaussian', 'chebyshev'}
        Model of the classes in the feature space.
    reg : float
        Ridge, above 0 since the covariances are singular in n dimensions.
    tol : float
        As in `solve_pareto_direction`.
    max_iter : int
        As in `solve_pareto_direction`.

    Returns
    -------
    result : ParetoKernel
        ``certificate`` as in `solve_pareto_direction`, in the coordinates Z.

    Raises
    ------
    InvalidInputError
        If K is not positive semidefinite, or a covariance is singular (reg = 0).

    See Also
    --------
    nproc.solvers.pareto_direction.solve_pareto_direction : The linear rule and the method.

    Notes
    -----
    Cost: O(n r^2) for the factor and the covariances and O(r^3) for each Newton step, so O(n^3) for a kernel of full
    rank; about five n by n matrices in memory. All r rows enter a score: there is no sparsity.

    References
    ----------
    [kim2006]_: the linear rule and its kernel version. [huang2006]_: the Chebyshev form.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 100)
    >>> X = rng.normal(size=(200, 2)) + 3 * y[:, None]
    >>> result = solve_pareto_kernel(X @ X.T, y, alpha=0.05)
    >>> result.support.size
    2
    """
    Z, support = kernel_coordinates(K)
    found = solve_pareto_direction(Z, y, alpha=alpha, bound=bound, reg=reg, tol=tol, max_iter=max_iter)
    values = {field.name: getattr(found, field.name) for field in fields(found)}
    values["coef"] = linalg.solve_triangular(Z[support], found.coef, lower=True, trans="T")
    return ParetoKernel(support=support, **values)


def kernel_coordinates(K):
    """Return coordinates Z of the rows, shape (n, r), with K = Z Z', and the r pivot rows; Z of these is triangular."""
    diagonal = np.diag(K)
    largest = float(diagonal.max())
    if largest <= 0:
        raise InvalidInputError("the kernel matrix has no positive diagonal entry; use a kernel that is not zero.")
    factor, pivots, rank, _ = linalg.lapack.dpstrf(K, lower=1, tol=RANK_TOL * largest)
    Z = np.empty((K.shape[0], rank))
    Z[pivots - 1] = np.tril(factor)[:, :rank]
    worst = _largest_residual(K, Z)
    if worst > PSD_TOL * largest:
        raise InvalidInputError(
            f"the kernel matrix is not positive semidefinite (a residual of {worst:.2g} is left of its Cholesky "
            "factor); use a kernel that is, such as 'rbf'."
        )
    return Z, pivots[:rank] - 1


def _largest_residual(K, Z):
    # in blocks: no further n by n matrix
    blocks = (slice(start, start + 256) for start in range(0, K.shape[0], 256))
    return max(float(np.abs(K[block] - Z[block] @ Z.T).max()) for block in blocks)
