r"""Whether the infimum of the constrained problem is attained: directions along which it falls for ever.

Each loss falls strictly and grows at most linearly, so that d is a direction of recession of a class mean if and only
if no margin falls along it. Without a ball on the weights the problem has

- no minimiser, if along some d all margins stay or grow and some margin of class 1 grows (the classes are separated by
  a linear rule, but perhaps for ties): from every feasible point the objective falls strictly;
- no minimiser with an active constraint, if along some d no margin of class 1 changes and some margin of class 0 grows:
  the same objective could be had with a constraint that is slack;
- a minimiser, if along every such d no margin changes at all (Theorem 27.3 of Rockafellar, Convex Analysis, 1970).

References
----------
Section 3.1 of [barlaud2015]_ assumes coercivity; for the logistic loss this is the condition of [albert1984]_.

.. [barlaud2015] Barlaud, M., Combettes, P. L. and Fillatre, L. (2015). Constrained convex Neyman-Pearson
   classification using an outer approximation splitting method. Preprint hal-01160831.
.. [albert1984] Albert, A. and Anderson, J. A. (1984). On the existence of maximum likelihood estimates in logistic
   regression models. Biometrika 71, 1-10.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh
from scipy.linalg.lapack import dpotrf

# a direction counts when its margins, with columns of unit mean square and entries of at most 1, grow by this much
LEAST_GROWTH = 1e-6
# a row with a steeper slope than this is not on its way to infinity
STEEP = 0.01
# entries of a linear program over all rows
MOST_NUMBERS = 200_000
# margins this close to 0 beside the largest have no sign
ROUNDING = 1e-9
# eigenvalues this small beside the largest are 0
RANK = 1e-11
# pivots of a Cholesky factor above this, beside a largest of 1, save the eigenvalues
CLEARLY_REGULAR = 1e-4


def separates(z0, z1):
    """Return whether all margins are above 0, so that the point itself is a direction of recession."""
    least = min(float(z0.min()), float(z1.min()))
    return least > ROUNDING * max(float(z0.max()), float(z1.max()))


def missing_minimiser(risks, sets, z0, z1, active, settled):
    """Return why the problem has no minimiser, as far as the point where a solver stopped lets one tell; or "".

    Parameters
    ----------
    risks : ClassRisks
        The functions.
    sets : WeightSets
        The sets that hold w.
    z0, z1 : ndarray
        Margins where the solver stopped. Rows with steep slopes there are taken to have margins that stay bounded.
    active : bool
        Whether a constraint on a risk would be active at a minimiser.
    settled : bool
        Whether the solver has converged. If not, slopes tell nothing, and all rows enter the linear program, where they
        are not too many.

    Returns
    -------
    str
        "complete separation", "separation but for ties" ("separation, perhaps but for ties" where all rows are too many
        to tell), "a constraint active in the limit only", or "".
    """
    if sets.bounded:
        # with the weights in a ball only the intercept could go on, and one of the classes stops it
        return ""
    if separates(z0, z1):
        return "complete separation"
    steep0, steep1 = -risks.loss.derivative(z0) > STEEP, -risks.loss.derivative(z1) > STEEP
    if not settled and (risks.m0 + risks.m1) * risks.dim <= MOST_NUMBERS:
        steep0[:], steep1[:] = False, False
    if steep0.all() and steep1.all():
        return ""
    scale = np.maximum(risks.rms0, risks.rms1)
    scale = np.where(scale > 0, scale, 1.0)
    basis = _null_space(risks, np.concatenate([steep1, steep0]), scale)
    if basis is None:
        return ""
    growth1 = np.array([risks.margins1(column / scale) for column in basis.T]).T
    growth0 = np.array([risks.margins0(column / scale) for column in basis.T]).T
    signs = basis[: risks.p] if sets.nonnegative else None
    if _grows(growth1, growth0[~steep0], growth1[~steep1], basis, signs):
        return _separation(risks, scale, sets.nonnegative)
    if active and _grows(growth0, growth0[~steep0], growth1, basis, signs, still=True):
        return "a constraint active in the limit only"
    return ""


def _null_space(risks, chosen, scale):
    """Return a basis of the directions, in scaled coordinates, along which the chosen rows do not change; or None."""
    gram = risks.hessian(chosen.astype(np.float64), np.zeros((0, risks.dim)))
    gram = np.tril(gram) / np.outer(scale, scale)
    size = max(float(np.diagonal(gram).max()), np.finfo(np.float64).tiny)
    factor, failed = dpotrf(gram / size, lower=1)
    if not failed and float(np.diagonal(factor).min()) > CLEARLY_REGULAR:
        return None
    values, vectors = eigh(gram, lower=True)
    small = values <= RANK * max(float(values[-1]), 1.0)
    return vectors[:, small] if small.any() else None


def _separation(risks, scale, nonnegative):
    """Return which separation it is: whether all margins can grow at once, those of the steep rows among them."""
    if (risks.m0 + risks.m1) * risks.dim > MOST_NUMBERS:
        return "separation, perhaps but for ties"
    # imported here: scipy.optimize's linear programs are slow to import and rarely needed
    from scipy.optimize import linprog

    units = np.diag(1.0 / scale)
    growth = np.vstack([np.array([margins(unit) for unit in units]).T for margins in (risks.margins0, risks.margins1)])
    # the largest t so that every margin grows by t or more
    found = linprog(
        np.append(np.zeros(risks.dim), -1.0),
        A_ub=np.column_stack([-growth, np.ones(growth.shape[0])]),
        b_ub=np.zeros(growth.shape[0]),
        bounds=[(0.0 if nonnegative and j < risks.p else -1.0, 1.0) for j in range(risks.dim)] + [(0.0, 1.0)],
        method="highs",
    )
    complete = found.x is not None and found.x[-1] > LEAST_GROWTH
    return "complete separation" if complete else "separation but for ties"


def _grows(target, growth0, growth1, basis, signs, still=False):
    """Return whether some direction makes the mean of `target` grow while no margin falls, by a linear program."""
    # imported here: scipy.optimize's linear programs are slow to import and rarely needed
    from scipy.optimize import linprog

    falling = [-growth0] if still else [-growth0, -growth1]
    rows = np.unique(np.vstack([*falling, *([] if signs is None else [-signs])]), axis=0)
    largest = np.abs(basis).sum(axis=1).max()
    found = linprog(
        -target.mean(axis=0) / largest,
        A_ub=rows,
        b_ub=np.zeros(rows.shape[0]),
        A_eq=growth1 if still else None,
        b_eq=np.zeros(growth1.shape[0]) if still else None,
        bounds=(-1, 1),
        method="highs",
    )
    return found.x is not None and float(target.mean(axis=0) @ found.x) / largest > LEAST_GROWTH
