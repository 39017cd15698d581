"""The updated Cholesky factor and the bordered system against factors and solutions computed anew."""

import numpy as np
import pytest

from nproc.solvers.jit import plain_python
from nproc.solvers.kernel_cache import KernelRows
from nproc.solvers.kernels import make_kernel
from nproc.solvers.sparse_logistic.newton_systems import CholeskyFactor, ColumnSystem, KernelSystem


def definite(rng, m):
    A = rng.normal(size=(m, m + 3))
    return A @ A.T


def bordered_solution(H, s, rhs, total):
    m = s.size
    whole = np.block([[H, s[:, None]], [s[None, :], np.zeros((1, 1))]])
    solution = np.linalg.solve(whole, np.append(rhs, total))
    return solution[:m], solution[m]


def system_of(H, s):
    """The system of the matrix H = G and the signs s."""
    return KernelSystem(KernelRows(make_kernel("precomputed"), H * np.outer(s, s)), s, 1.0)


def changed_at_random(seed, system):
    """Let rows enter and leave and stiffen them at random."""
    rng = np.random.default_rng(seed)
    everything = np.arange(system.signs.size)
    for _ in range(60):
        what, active = rng.integers(4), system.active
        if what <= 1 and active.size < everything.size:
            assert system.enter(int(rng.choice(np.setdiff1d(everything, active))), 0.0)
        elif what == 2 and active.size > 2:
            system.leave(int(rng.choice(active)))
        elif what == 3 and active.size:
            system.stiffen(int(rng.choice(active)), 2.5)


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("seed", range(8))
def test_after_any_changes_the_bordered_system_is_solved_as_if_it_were_new(seed, compiled):
    rng = np.random.default_rng(seed)
    m = 40
    full, s = definite(rng, m), rng.choice([-1.0, 1.0], size=m)
    system = system_of(full, s)
    if compiled:
        changed_at_random(seed, system)
    else:
        with plain_python():
            changed_at_random(seed, system)
    kept = system.active
    H = full[np.ix_(kept, kept)] + np.diag(system.stiffness)
    rhs = rng.normal(size=len(kept))
    d, gamma = system.direction(rhs, 0.7)
    expected, multiplier = bordered_solution(H, s[kept], rhs, 0.7)
    np.testing.assert_allclose(d, expected, rtol=1e-8, atol=1e-9 * np.abs(expected).max())
    np.testing.assert_allclose(gamma, multiplier, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(system.product(d), H @ d, rtol=1e-12, atol=1e-10)


def test_compiled_and_plain_updates_agree_to_rounding():
    rng = np.random.default_rng(3)
    M = definite(rng, 25)
    factors = []
    for plain in (False, True):
        factor = CholeskyFactor()
        assert factor.factorise(np.array(M, order="F"))
        if plain:
            with plain_python():
                factor.delete(4)
                factor.add_to_diagonal(7, 3.0)
        else:
            factor.delete(4)
            factor.add_to_diagonal(7, 3.0)
        factors.append(factor)
    rhs = rng.normal(size=24)
    np.testing.assert_allclose(factors[0].solve(rhs), factors[1].solve(rhs), rtol=1e-10)
    kept = np.delete(np.arange(25), 4)
    expected = M[np.ix_(kept, kept)]
    expected[7, 7] += 3.0
    np.testing.assert_allclose(expected @ factors[0].solve(rhs), rhs, rtol=1e-10, atol=1e-10)


def test_a_row_that_depends_on_the_others_is_refused_and_changes_nothing():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(4, 3))
    M = A @ A.T
    factor = CholeskyFactor()
    for i in range(3):
        assert factor.append(M[i, :i], M[i, i]) > 0
    before = factor.solve(np.eye(3))
    assert factor.append(M[3, :3], M[3, 3]) <= 1e-11 * M[3, 3]
    np.testing.assert_array_equal(factor.solve(np.eye(3)), before)
    assert not CholeskyFactor().factorise(np.array(M, order="F"))


def test_h_may_be_singular_where_the_border_makes_the_system_regular():
    s = np.array([1.0, -1.0, 1.0])
    # rank 2, and no null vector is balanced: (1, 1, 1) / 1 has s'd = 1
    H = 3.0 * np.eye(3) - np.ones((3, 3))
    system = system_of(H, s)
    assert system.restart(np.arange(3), np.zeros(3)) == []
    rhs = np.array([1.0, -2.0, 0.5])
    d, gamma = system.direction(rhs, -0.3)
    np.testing.assert_allclose(H @ d + gamma * s, rhs, atol=1e-13)
    np.testing.assert_allclose(s @ d, -0.3, atol=1e-14)


def test_balance_is_kept_to_the_last_digits_by_an_ill_conditioned_system():
    rng = np.random.default_rng(5)
    Q, _ = np.linalg.qr(rng.normal(size=(30, 30)))
    H = (Q * np.logspace(0, 9, 30)) @ Q.T
    s = rng.choice([-1.0, 1.0], size=30)
    system = system_of((H + H.T) / 2, s)
    assert system.restart(np.arange(30), np.zeros(30)) == []
    d, _ = system.direction(rng.normal(size=30), 0.0)
    assert abs(s @ d) <= 1e-14 * np.abs(d).sum()


def test_a_stiff_row_may_repeat_another():
    H, s = np.ones((2, 2)), np.array([1.0, 1.0])
    system = system_of(H, s)
    assert system.enter(0, 0.0)
    assert not system.enter(1, 0.0)
    assert system.enter(1, 4.0)
    d, gamma = system.direction(np.array([1.0, 2.0]), 0.5)
    np.testing.assert_allclose((H + np.diag([0.0, 4.0])) @ d + gamma * s, [1.0, 2.0], atol=1e-13)


def test_both_systems_give_the_same_directions():
    rng = np.random.default_rng(4)
    X, s, lam = rng.normal(size=(30, 4)), rng.choice([-1.0, 1.0], size=30), 0.7
    systems = [KernelSystem(KernelRows(make_kernel("linear"), X), s, lam), ColumnSystem(X, s, lam)]
    active = np.array([3, 8, 9, 15, 20, 21, 28])
    stiffness = np.array([0.0, 5.0, 7.0, 0.0, 4.0, 0.0, 6.0])
    answers = []
    for system in systems:
        assert system.restart(active, stiffness) == []
        system.leave(9)
        assert system.enter(2, 0.0)
        system.stiffen(15, 4.5)
        order = np.argsort(system.active)
        d, gamma = system.direction(np.cos(system.active), 0.3)
        null, curvature = system.null_direction(11)
        # a sixth row cannot be independent of five others in four columns and a constant
        refused = [i for i in (0, 1, 4, 5) if not system.enter(i, 0.0)]
        answers.append((d[order], gamma, null[order], curvature, refused))
    for first, second in zip(*answers, strict=True):
        np.testing.assert_allclose(first, second, rtol=1e-8, atol=1e-9)
