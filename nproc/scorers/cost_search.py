"""The search of a support vector machine's two costs and kernel scale: the grid, its judges and the winner."""

from __future__ import annotations

import numbers
import threading
import warnings

import numpy as np
from scipy import sparse

from nproc.checks import as_floats, check_count, check_level, check_number, check_real
from nproc.errors import InvalidInputError
from nproc.model_choice import np_loss
from nproc.scorers.l1_choice import stratified_folds

# the costs tried by default, for each class; the papers have 10 from 1e-2 to 1e2
COSTS = (0.01, 0.1, 1.0, 10.0, 100.0)
# the kernel scales tried by default, as multiples of 1 / (sum of the variances of the columns)
GAMMA_FACTORS = (0.25, 1.0, 4.0)
# most passes of LIBLINEAR by default; LIBSVM has no limit
LINEAR_MAX_ITER = 10_000
# far below every tolerance in use, and above what rounding leaves of a gradient
SMALLEST_TOL = 1e-12
# of the C code of both
LARGEST_INT = 2**31 - 1
COUNTED = "LIBSVM and LIBLINEAR count no further"


def judging_parts(y, n_folds, validation_share, rng):
    """Return the part of the rows that each row is judged in (-1: none), and the number of parts.

    The parts are stratified folds, at most as many as the smaller class has rows; or, with a `validation_share`, one
    part with that share of each class.
    """
    sizes = np.bincount(y, minlength=2)
    n_folds = check_count(n_folds, "n_folds", minimum=2)
    if sizes.min() < 2:
        raise InvalidInputError(
            "AsymmetricCostSVC needs at least 2 rows of each class, one to train and one to judge, "
            f"got {sizes.tolist()}."
        )
    if validation_share is None:
        n_folds = min(n_folds, int(sizes.min()))
        return stratified_folds(y, n_folds, rng), n_folds
    share = check_level(validation_share, "validation_share")
    part = np.full(y.size, -1)
    for label in (0, 1):
        held_out = int(np.clip(round(share * sizes[label]), 1, sizes[label] - 1))
        part[rng.permutation(np.flatnonzero(y == label))[:held_out]] = 0
    return part, 1


def grid_values(given, default, name):
    """Return the values of a grid as a list of floats, sorted and each once."""
    values = np.unique(as_floats(default if given is None else given, name, "be a list of finite numbers above 0"))
    good = values.size > 0 and np.isfinite(values).all() and (values > 0).all()
    if isinstance(given, numbers.Number) or not good:
        raise InvalidInputError(f"{name} must be a list of finite numbers above 0, got {given!r}.")
    return [float(value) for value in values]


def usual_scales(X):
    """Return the kernel scales tried by default, which are blind to shifts of the columns, centred or not."""
    with np.errstate(over="ignore", invalid="ignore"):
        if sparse.issparse(X):
            means, squares = (np.asarray(A.mean(axis=0)).ravel() for A in (X, X.multiply(X)))
            variance, least = float(np.sum(squares - means**2)), 1e-12 * squares.sum()
        else:
            # not the mean of squares, which loses the variance of a column far from 0
            variance = float(X.var(axis=0).sum())
            least = 1e-24 * float(np.square(X.mean(axis=0)).sum())
    # what rounding leaves of constant columns is no variance
    scale = 1.0 / variance if least < variance < np.inf else 1.0
    return tuple(scale * factor for factor in GAMMA_FACTORS)


def shared_parameters(model, seed):
    """Return the parameters of scikit-learn's machine that all fits of an `AsymmetricCostSVC` share."""
    given = {} if model.tol is None else {"tol": _checked_tol(model.tol)}
    cache_size = check_number(model.cache_size, "cache_size")
    limit = (
        None if model.max_iter is None else check_count(model.max_iter, "max_iter", maximum=LARGEST_INT, reason=COUNTED)
    )
    if model.kernel == "linear":
        # LIBLINEAR solves the hinge in the dual only
        own = {"loss": model.loss, "dual": True if model.loss == "hinge" else "auto", "random_state": seed >> 1}
        return own | {"max_iter": limit or LINEAR_MAX_ITER} | given
    own = {
        "kernel": model.kernel,
        "degree": check_count(model.degree, "degree", maximum=LARGEST_INT, reason=COUNTED),
        "coef0": check_real(model.coef0, "coef0"),
        "cache_size": cache_size,
    }
    return own | {"max_iter": limit or -1} | given


def _checked_tol(tol):
    tol = check_number(tol, "tol")
    if tol < SMALLEST_TOL:
        raise InvalidInputError(
            f"tol must be at least {SMALLEST_TOL:g}, below which rounding may keep the solver from ever stopping, got "
            f"{tol:g}."
        )
    return tol


def judged_candidates(rates, costs, scales, alpha):
    """Return a dict of columns, one entry a candidate, from error rates of shape (len(scales), len(costs), 2)."""
    gammas, pairs = np.array(scales, dtype=float), np.array(costs)
    type1, type2 = rates[:, :, 0].ravel(), rates[:, :, 1].ravel()
    return {
        "C1": np.tile(pairs[:, 0], gammas.size),
        "C0": np.tile(pairs[:, 1], gammas.size),
        "gamma": np.repeat(gammas, len(pairs)),
        "sigma": np.repeat(np.sqrt(0.5 / gammas), len(pairs)),
        "type1": type1,
        "type2": type2,
        "J": np_loss(type1, type2, alpha),
    }


def best_candidate(candidates):
    """Return the index of the least J; of equals the lower type I error, the smaller C1 + C0, gamma and C1."""
    total = candidates["C1"] + candidates["C0"]
    # the last key counts first
    keys = (candidates["C1"], candidates["gamma"], total, candidates["type1"], candidates["J"])
    return int(np.lexsort(keys)[0])


def errors_of_fits(X, y, part, judge, costs, gamma, fixed):
    """Return the errors of both classes in part `judge`, shape (len(costs), 2), and how many fits did not converge."""
    train, test = part != judge, part == judge
    X_train, X_test, y_test = X[train], X[test], y[test]
    errors, stopped = np.empty((len(costs), 2)), 0
    for row, pair in enumerate(costs):
        machine, converged = trained_machine(X_train, y[train], pair, gamma, fixed)
        called1 = machine.decision_function(X_test) > 0
        errors[row] = np.sum(called1 & (y_test == 0)), np.sum(~called1 & (y_test == 1))
        stopped += not converged
    return errors, stopped


def trained_machine(X, y, costs, gamma, fixed):
    """Return a machine trained with costs (C1, C0), and whether it converged."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.svm import SVC, LinearSVC

    weight = {0: costs[1], 1: costs[0]}
    machine = (
        LinearSVC(class_weight=weight, **fixed) if gamma is None else SVC(class_weight=weight, gamma=gamma, **fixed)
    )
    if threading.current_thread() is threading.main_thread():
        # counted below, and told once for all fits
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            machine.fit(X, y)
    else:
        # filters are global to a process, so that another thread must not touch them
        machine.fit(X, y)
    limit = fixed["max_iter"]
    return machine, limit < 0 or bool(np.max(machine.n_iter_) < limit)


def coefficients_of(machine):
    """Return a dict of the constant of a machine of `trained_machine` and its weights, or its dual weights."""
    if hasattr(machine, "dual_coef_"):
        dual = machine.dual_coef_
        coefficients = {"dual_weights": (dual.toarray() if sparse.issparse(dual) else dual)[0]}
    else:
        coefficients = {"weights": machine.coef_[0]}
    return {"constant": machine.intercept_[0], **coefficients}


def unfinished(n_stopped, n_fits, fixed):
    """Return the message that `n_stopped` of `n_fits` fits stopped at max_iter."""
    advice = "loss='squared_hinge', " if fixed.get("loss") == "hinge" else ""
    return (
        f"AsymmetricCostSVC: {n_stopped} of {n_fits} fits stopped at max_iter. "
        f"Use a larger max_iter or tol, {advice}or smaller costs."
    )
