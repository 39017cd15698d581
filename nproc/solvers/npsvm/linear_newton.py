r"""Newton's method for a linear support vector machine with shifted boxes, whatever its costs.

With a linear kernel the primal problem has as many unknowns as columns, plus the constant. Its losses are hinges of
slope :math:`C_i / (2 \eta)` and, for rows given up, a linear term, so that `nproc.solvers.hinges` solves it. The number
of steps does not grow with the costs, as that of sequential minimal optimisation does.

References
----------
The convex step of Algorithm 2 of [gasso2011]_, in its primal form.
"""

import numpy as np
from scipy import sparse

from nproc.solvers.hinges import minimise_hinges

# numbers in the matrix of all rows, and columns: more take too much room or time
MOST_NUMBERS, MOST_COLUMNS = 20_000_000, 500
# the constant has no penalty: each round holds it near the last one, by this share of what holds the weights
HOLD = 1e-6
MOST_ROUNDS, MOST_STEPS = 20, 300
# parabolas at first (rows begin at a distance of eta, between the lines), in later rounds, and at least, in units of
# eta; then how near to their kinks rows are to end, and by how little the constant may move in the last round
FIRST, LATER, NARROWEST = 4.0, 1e-2, 1e-6
NEAR = 1e-8
SETTLED = 1e-7


def suits_newton(rows):
    """Return whether the kernel is linear and the rows are few enough for their matrix to be dense."""
    columns = rows.X.shape[1]
    return rows.kernel.name == "linear" and columns <= MOST_COLUMNS and rows.n * (columns + 1) <= MOST_NUMBERS


def linear_coefficients(X, signs, cost, beta, eta):
    """Return the coefficients y_i a_i of the solution, shape (n,), of sum 0 but for rounding.

    Parameters
    ----------
    X : ndarray or CSR matrix, shape (n, p)
        The rows.
    signs : ndarray, shape (n,)
        +1 for class 1 and -1 for class 0.
    cost, beta : ndarray, shape (n,)
        Costs and shares given up, as `nproc.solvers.solve_shifted_svm` takes them.
    eta : float
        Half the width of the ramp.
    """
    dense = X.toarray() if sparse.issparse(X) else X
    dense = dense - dense.mean(axis=0)
    size = float(np.mean(np.sum(dense**2, axis=1))) or 1.0
    slope = cost / (2.0 * eta)
    used = np.flatnonzero(slope > 0.0)
    # the last unknown is the constant over `unit`, which makes its hold a penalty like that of the weights
    unit = np.sqrt(size / HOLD)
    margins = np.column_stack([dense, np.full(signs.size, unit)]) * signs[:, None]
    gradient = (beta * slope) @ margins
    away = -margins[used]
    multiplier, constant, width, point = 0.5 * slope[used], 0.0, FIRST, None
    for _ in range(MOST_ROUNDS):
        point, multiplier, _ = minimise_hinges(
            gradient,
            away,
            eta - signs[used] * constant,
            slope[used],
            multiplier,
            width=width * eta,
            narrowest=NARROWEST * eta,
            tol=NEAR * eta,
            max_iter=MOST_STEPS,
            start=point,
        )
        width = LATER
        moved = unit * float(point[-1])
        constant += moved
        # the next round begins where this one ended, with its move in the constant
        point[-1] = 0.0
        if abs(moved) <= SETTLED * eta:
            break
    dual = -beta * slope
    dual[used] += multiplier
    return signs * dual
