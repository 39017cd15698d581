"""Algorithm 1, and Theorem 3: errors are monotone along multipliers whose solutions satisfy (16)."""

import itertools

import numpy as np
import pytest

from nproc.solvers.kernels import make_kernel
from nproc.solvers.npsvm.annealed import solve_annealed
from nproc.solvers.npsvm.constraint import made_constraint
from nproc.solvers.npsvm.uzawa import lambda_path, solve_uzawa

RBF = make_kernel("rbf", gamma=1.0)


def world(seed, n=160, shift=1.0):
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], n // 2)
    return rng.normal(size=(n, 2)) + shift * y[:, None], y


@pytest.mark.parametrize("of_discoveries", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_theorem_3_the_ramp_type_1_error_falls_as_the_multiplier_rises(seed, of_discoveries):
    X, y = world(seed)
    constraint = made_constraint(y, 0.1, of_discoveries=of_discoveries)
    path = lambda_path(X, y, np.geomspace(0.1, 30, 12), constraint=constraint, kernel=RBF, C=5.0)
    # (16), for every pair: no solution is better at another's multiplier
    for one, other in itertools.permutations(path, 2):
        own = constraint.lagrangian(one.penalty, one.rates, one.lam)
        assert own <= constraint.lagrangian(other.penalty, other.rates, one.lam)
    excess = np.array([constraint.excess(one.rates) for one in path])
    objective = np.array([one.objective for one in path])
    # rounding only: the theorem holds for any finite set of functions
    assert np.diff(excess).max() <= 1e-12
    assert np.diff(objective).min() >= -1e-12
    assert excess[0] > 0 > excess[-1]


def test_on_the_path_no_solution_is_worse_than_the_one_from_a_fresh_start():
    X, y = world(5)
    constraint = made_constraint(y, 0.1)
    lams = np.geomspace(0.2, 10, 6)
    # so precise that what the starts leave to chance stays far below the tolerance of the comparison
    settings = {"constraint": constraint, "kernel": RBF, "C": 5.0, "tol": 1e-5}
    path = lambda_path(X, y, lams, **settings)
    for lam, one in zip(lams, path, strict=True):
        alone = lambda_path(X, y, [lam], **settings)[0]
        assert one.lam == alone.lam == lam
        # up to the tolerance of the convex problems
        assert (
            constraint.lagrangian(one.penalty, one.rates, lam)
            <= alone.penalty + alone.rates.ramp2 + lam * (alone.rates.ramp1 - 0.1) + 1e-6
        )


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
    alone = lambda_path(X, y, [fit.multiplier], constraint=constraint, kernel=RBF)[0]
    # both solved to a KKT gap of 1e-3
    np.testing.assert_allclose(fit.decision, alone.solution.decision, atol=0.02)


def test_uzawa_solves_several_convex_problems_for_each_multiplier():
    X, y = world(7)
    fit = solve_uzawa(X, y, constraint=made_constraint(y, 0.05), kernel=RBF)
    assert fit.converged
    assert fit.n_solves == fit.history["n_solves"].sum() > fit.n_iter
