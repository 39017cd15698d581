"""Algorithm 1: a full minimisation at each multiplier."""

import numpy as np

from nproc.solvers.kernels import make_kernel
from nproc.solvers.npsvm.annealed import solve_annealed
from nproc.solvers.npsvm.constraint import made_constraint
from nproc.solvers.npsvm.nonconvex_svm import solve_nonconvex_svm
from nproc.solvers.npsvm.uzawa import solve_uzawa

RBF = make_kernel("rbf", gamma=1.0)


def world(seed, n=160, shift=1.0):
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], n // 2)
    return rng.normal(size=(n, 2)) + shift * y[:, None], y


def test_both_updates_and_both_algorithms_find_the_multiplier_of_the_constraint():
    X, y = world(6, n=400)
    constraint = made_constraint(y, 0.1, eps=1e-3)
    fits = [solve_uzawa(X, y, constraint=constraint, kernel="linear", update=u) for u in ("multiplicative", "additive")]
    fits.append(solve_annealed(X, y, constraint=constraint, kernel="linear"))
    assert all(fit.converged for fit in fits)
    # local minima differ a little; 1e-3 of type I error is worth about 2e-3 of type II error here
    np.testing.assert_allclose([fit.rates.ramp1 for fit in fits], 0.1, atol=1e-3)
    np.testing.assert_allclose([fit.rates.ramp2 for fit in fits], fits[0].rates.ramp2, atol=0.02)
    np.testing.assert_allclose([fit.multiplier for fit in fits], fits[0].multiplier, rtol=0.2)


def test_with_a_restart_every_multiplier_begins_with_the_convex_machine():
    X, y = world(7)
    constraint = made_constraint(y, 0.1)
    fit = solve_uzawa(X, y, constraint=constraint, kernel=RBF, restart=True)
    assert fit.converged
    alone = solve_nonconvex_svm(X, y, kernel=RBF, cost=constraint.costs(y, 1.0, fit.multiplier))
    # both solved to a KKT gap of 1e-3
    np.testing.assert_allclose(fit.decision, alone.decision, atol=0.02)


def test_uzawa_solves_several_convex_problems_for_each_multiplier():
    X, y = world(7)
    fit = solve_uzawa(X, y, constraint=made_constraint(y, 0.05), kernel=RBF)
    assert fit.converged
    assert fit.n_solves == fit.history["n_solves"].sum() > fit.n_iter
