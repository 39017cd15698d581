r"""How a support vector machine would score a training row that it had not seen, without training it again.

References
----------
The span of support vectors: [vapnik2000]_.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nproc.checks import Matrix
from nproc.solvers.kernels import Kernel

# most free support vectors; the time grows like their number cubed (some seconds here) and the memory squared
MOST_FREE = 4000
# the least share of support vectors that are free: with fewer, leaving out a row changes which ones are
LEAST_SHARE = 0.2
# a coefficient nearer than this to the largest of its sign has reached its bound
AT_BOUND = 1e-6
# added to the kernel of a row with itself, in units of the largest: copies of a row have a singular matrix
RIDGE = 1e-10


def leave_one_out_scores(
    kernel: Kernel, X: Matrix, coef: NDArray[np.float64], scores: NDArray[np.float64]
) -> NDArray[np.float64] | None:
    r"""Estimate how a machine would score each training row if that row had been left out, as if the row were new.

    Leaving out row i changes its own score by its coefficient times :math:`S_i^2`, the squared distance in the space of
    the kernel between the row and the plane through the other free support vectors (those whose coefficient has not
    reached its bound). That holds exactly if no row becomes or stops being a free support vector, which is not proved,
    so the result is an estimate. The costs of the rows, the rows given up and the multiplier of a constraint count as
    fixed, though they were learned from all rows. Rows without a coefficient keep their scores.

    With few columns a handful of free support vectors determine the machine, and the estimate is often far off. So
    there is none where less than a fifth of the support vectors are free.

    Parameters
    ----------
    kernel : Kernel
        The kernel of the machine.
    X : array or CSR matrix, shape (n, p)
        The training rows, or their (n, n) kernel matrix for a precomputed kernel.
    coef : ndarray, shape (n,)
        Coefficients of the expansion, above 0 towards class 1.
    scores : ndarray, shape (n,)
        Scores of the training rows.

    Returns
    -------
    ndarray, shape (n,), or None
        The estimated scores; None if less than a share `LEAST_SHARE` of the support vectors are free, or more than
        `MOST_FREE`.

    Examples
    --------
    >>> import numpy as np
    >>> from nproc.solvers.kernels import make_kernel
    >>> kernel, X = make_kernel("precomputed"), np.eye(4)
    >>> coef = np.array([-1.5, -0.5, 1.0, 1.0])
    >>> leave_one_out_scores(kernel, X, coef, coef + 0.25).round(6)
    array([ 1.75,  0.25, -0.75, -0.75])
    """
    support = np.flatnonzero(coef)
    size = np.abs(coef[support])
    at_bound = np.zeros(support.size, dtype=bool)
    for side in (coef[support] > 0, coef[support] < 0):
        at_bound |= side & (size >= (1 - AT_BOUND) * np.max(size, where=side, initial=0.0))
    free, bounded = support[~at_bound], support[at_bound]
    if not LEAST_SHARE * support.size <= free.size <= MOST_FREE:
        return None
    squared = kernel.diagonal(X)
    if free.size:
        # the last row and column stand for the constant
        system = np.ones((free.size + 1, free.size + 1))
        system[:-1, :-1] = _kernel_values(kernel, X, free, free)
        system[-1, -1] = 0.0
        inner = np.arange(free.size)
        system[inner, inner] += RIDGE * (float(np.max(squared)) or 1.0)
        inverse = np.linalg.inv(system)
        others = np.ones((free.size + 1, bounded.size))
        others[:-1] = _kernel_values(kernel, X, free, bounded)
        squared[bounded] -= np.sum(others * (inverse @ others), axis=0)
        # a single free support vector has no others to span a plane with, and keeps its distance from 0
        own = np.diagonal(inverse)[:-1]
        squared[free] = np.divide(1.0, own, out=squared[free], where=own > 0)
    return scores - coef * np.maximum(squared, 0.0)


def _kernel_values(kernel, X, rows, columns):
    if kernel.name == "precomputed":
        return X[np.ix_(rows, columns)]
    return kernel.matrix(X[rows], X[columns])
