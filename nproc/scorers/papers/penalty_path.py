"""The penalty of a linear stochastic classifier and the place of its cut, chosen on training rows that are set aside.

References
----------
The criterion J is that of section 5.4 of [gasso2011]_.
"""

from copy import deepcopy
from dataclasses import replace

import numpy as np
from scipy.special import betaincc

from nproc.solvers import solve_stochastic_np_together
from nproc.solvers.stochastic.run import mean_square_norm
from nproc.solvers.stochastic.solve import examined

# of each class this share is set aside, and no more rows than this
SHARE, MOST_ROWS = 0.25, 10_000
# rows of class 0 set aside times alpha, and rows of class 1: with fewer the choice would be one of chance
ENOUGH = 10
# lam times n over the mean square norm of the rows: blind to the number of rows and to their unit
FACTORS = 10.0 ** np.arange(-4, 2)
# rows that are scored at a time
BLOCK = 1 << 11


def set_aside(codes, alpha, rng):
    """Return (rows that train, rows set aside), drawn within each class, or None where there are too few.

    Parameters
    ----------
    codes : ndarray, shape (n,)
        0 or 1 a row.
    alpha : float
        Bound on the type I error.
    rng : numpy.random.Generator
        Where chance comes from.
    """
    n1 = int(np.count_nonzero(codes))
    size0, size1 = (min(int(SHARE * n), MOST_ROWS) for n in (codes.size - n1, n1))
    if alpha * size0 < ENOUGH or size1 < ENOUGH:
        return None
    drawn = [
        rng.choice(np.flatnonzero(codes == label), size, replace=False) for label, size in ((0, size0), (1, size1))
    ]
    aside = np.sort(np.concatenate(drawn))
    numbers = np.arange(codes.size, dtype=np.int32 if codes.size < 2**31 else np.int64)
    return np.delete(numbers, aside), aside


def best_cut(scores0, scores1, alpha):
    r"""Return the cut with the least expected J, and that J, by scores of rows that did not train.

    At the k-th largest of m scores of class 0 the type I error T of new rows has the law Beta(k, m - k + 1) (for
    continuous scores), so that

    .. math:: E (T - \alpha)_+ = \tfrac{k}{m + 1} P(B_{k + 1} > \alpha) - \alpha P(B_k > \alpha), \quad
              B_j \sim \mathrm{Beta}(j, m - k + 1) .

    Divided by alpha and added to the share of class 1 scores at or below the cut, it is the expected J.

    Examples
    --------
    >>> scores0 = np.arange(1000.0)
    >>> cut, loss = best_cut(scores0, scores0 + 500.0, 0.1)
    >>> float(cut), round(float(loss), 2)
    (912.0, 0.42)
    """
    falling, rising = np.sort(scores0)[::-1], np.sort(scores1)
    m = falling.size
    k = np.arange(1, m + 1)
    excess = k / (m + 1) * betaincc(k + 1.0, m - k + 1.0, alpha) - alpha * betaincc(k, m - k + 1.0, alpha)
    losses = np.searchsorted(rising, falling, side="right") / rising.size + excess / alpha
    best = int(np.argmin(losses))
    return falling[best], losses[best]


def scores_of(X, rows, coef, intercept):
    """Return the scores of some rows of `X` by each row of `coef`, shape (rows, runs)."""
    blocks = (rows[start : start + BLOCK] for start in range(0, rows.size, BLOCK))
    return np.concatenate([np.asarray(X[block] @ coef.T) for block in blocks]) + intercept


def choose_penalty(X, codes, problem, training, aside, *, average, max_iter, tol, rng):
    """Return the result of `solve_stochastic_np` with the lam of a path whose expected J on rows set aside is least.

    All are trained at once on the same draws, those that a run with `rng` would make, and `rng` is left as that run
    would leave it. Of equal ones the one nearest to the mean square norm over n is taken. None if there is none.
    """
    lams = FACTORS * (mean_square_norm(X) / training.size)
    if problem.gamma0 != "auto":
        # one step must not reverse the weights
        lams = lams[problem.gamma0 * lams < 1.0]
    if lams.size == 0:
        return None
    problems = [replace(problem, lam=float(lam)) for lam in lams]
    drawn = deepcopy(rng)
    result = solve_stochastic_np_together(
        X, codes, problems, average=average, rows=training, max_iter=max_iter, rng=drawn
    )
    scores = scores_of(X, aside, result.coef, result.intercept)
    class0 = codes[aside] == 0
    losses = np.array([best_cut(column[class0], column[~class0], problem.alpha)[1] for column in scores.T])
    losses[~result.finite] = np.inf
    if not np.isfinite(losses).any():
        return None
    equal = np.flatnonzero(losses <= losses.min() + 1e-12)
    best = min(equal, key=lambda i: abs(np.log(FACTORS[i])))
    rng.bit_generator.state = drawn.bit_generator.state
    n0 = training.size - int(np.count_nonzero(codes[training]))
    return examined(result.runs[best], result.told[best], X, codes, n0=n0, rows=training, tol=tol)
