"""nproc.solvers.stochastic.lockstep: many stochastic runs at once end where each ends alone."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from nproc.errors import InvalidInputError
from nproc.solvers.jit import plain_python
from nproc.solvers.stochastic.lockstep import solve_stochastic_np_together
from nproc.solvers.stochastic.run import StochasticProblem
from nproc.solvers.stochastic.solve import examined, solve_stochastic_np
from nproc.solvers.stochastic.steps import SMALL_SCALE

BASE = StochasticProblem(
    alpha=0.1, lam=1e-3, loss="sigmoid", eta=2.0, gamma0="auto", tau=10.0, balanced=True, additive=False
)


def rows(n=400, p=3, seed=0, share0=0.5):
    rng = np.random.default_rng(seed)
    y = (np.arange(n) >= share0 * n).astype(np.uint8)
    return rng.normal(size=(n, p)) + 1.5 * y[:, np.newaxis], y


def different(**shared):
    """Problems that differ in all that may differ."""
    grid = itertools.product((0.05, 0.2), (1e-4, 0.1), ("auto", 0.05), (1.0, 50.0), (1.0, 2.0))
    return [
        replace(BASE, alpha=alpha, lam=lam, gamma0=gamma0, tau=tau, eta=eta, **shared)
        for alpha, lam, gamma0, tau, eta in grid
    ]


@pytest.mark.parametrize("loss", ["sigmoid", "ramp"])
@pytest.mark.parametrize("additive", [False, True])
@pytest.mark.parametrize("balanced", [False, True])
@pytest.mark.parametrize("average", [True, False, 3])
def test_each_run_ends_where_it_ends_alone(loss, additive, balanced, average):
    X, y = rows(share0=0.3)
    problems = different(loss=loss, additive=additive, balanced=balanced)
    shared = {"average": average, "max_iter": 8}
    result = solve_stochastic_np_together(X, y, problems, rng=np.random.default_rng(3), **shared)
    few = solve_stochastic_np_together(X, y, problems[::5], rng=np.random.default_rng(3), **shared)
    assert result.finite.all()
    assert few.finite.all()
    for k, problem in enumerate(problems):
        alone = solve_stochastic_np(X, y, **vars(problem), rng=np.random.default_rng(3), tol=None, **shared)
        np.testing.assert_allclose(result.coef[k], alone.coef, rtol=1e-8, atol=1e-10)
        np.testing.assert_allclose(result.intercept[k], alone.intercept, rtol=1e-8, atol=1e-10)
        if k % 5 == 0:
            # few runs make the same steps in turn
            np.testing.assert_array_equal(few.coef[k // 5], alone.coef)
            np.testing.assert_array_equal(few.intercept[k // 5], alone.intercept)
            # and can be examined as if they had been made alone
            run, told = few.runs[k // 5], few.told[k // 5]
            one = examined(run, told, X, y, n0=int(np.sum(y == 0)), rows=None, tol=None)
            assert (one.multiplier, one.reason, one.n_iter) == (alone.multiplier, alone.reason, alone.n_iter)
            for name, values in alone.history.items():
                np.testing.assert_array_equal(one.history[name], values)


@pytest.mark.slow
def test_sparse_rows_and_plain_python_give_the_same():
    X, y = rows()
    X[np.abs(X) < 1.0] = 0.0
    # few runs are made in turn, many in lockstep
    for problems in (different()[::5], different()[::3]):
        results = []
        for data in (X, sparse.csr_array(X)):
            results.append(solve_stochastic_np_together(data, y, problems, max_iter=2, rng=np.random.default_rng(3)))
            with plain_python():
                again = solve_stochastic_np_together(data, y, problems, max_iter=2, rng=np.random.default_rng(3))
            results.append(again)
        for other in results[1:]:
            np.testing.assert_allclose(other.coef, results[0].coef, rtol=1e-10, atol=1e-12)
            np.testing.assert_allclose(other.intercept, results[0].intercept, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("n_runs", [1, 9])
def test_parts_of_a_long_epoch_are_those_of_one_run(n_runs):
    X, y = rows(n=20_000)
    alone = solve_stochastic_np(X, y, **vars(BASE), rng=np.random.default_rng(5), tol=None, max_iter=3)
    result = solve_stochastic_np_together(X, y, [BASE] * n_runs, rng=np.random.default_rng(5), max_iter=3)
    np.testing.assert_allclose(result.coef[0], alone.coef, rtol=1e-8)


@pytest.mark.parametrize("n_runs", [1, 9])
def test_scales_that_become_small_are_folded(n_runs):
    X, y = rows()
    shrinking = replace(BASE, lam=0.02, gamma0=40.0, loss="ramp", eta=1e-6)
    settings = {"average": False, "max_iter": 4}
    alone = solve_stochastic_np(X, y, **vars(shrinking), rng=np.random.default_rng(1), tol=None, **settings)
    result = solve_stochastic_np_together(X, y, [shrinking] * n_runs, rng=np.random.default_rng(1), **settings)
    assert np.prod(1 - 40.0 * 0.02 / (1 + 0.02 * np.arange(4 * y.size))) < SMALL_SCALE
    np.testing.assert_allclose(result.coef[0], alone.coef, rtol=1e-8, atol=1e-300)


@pytest.mark.parametrize("times", [1, 5])
def test_a_run_that_overflows_leaves_the_others_alone(times):
    X, y = rows()
    wild = replace(BASE, gamma0=1e170, lam=1e-180, eta=1e-3)
    with pytest.raises(InvalidInputError, match="overflowed"):
        solve_stochastic_np(X * 1e60, y, **vars(wild), rng=np.random.default_rng(1), max_iter=4)
    calm = replace(BASE, lam=1e-3)
    settings = {"max_iter": 4}
    result = solve_stochastic_np_together(X * 1e60, y, [calm, wild] * times, rng=np.random.default_rng(1), **settings)
    single = solve_stochastic_np_together(X * 1e60, y, [calm, calm] * times, rng=np.random.default_rng(1), **settings)
    assert result.finite.tolist() == [True, False] * times
    assert np.isfinite(result.coef).all()
    assert not result.coef[1].any()
    np.testing.assert_array_equal(result.coef[0], single.coef[0])


def test_steps_that_would_reverse_the_weights_are_refused():
    X, y = rows()
    with pytest.raises(InvalidInputError, match=r"gamma0 \* lam must be below 1"):
        solve_stochastic_np_together(X, y, [replace(BASE, gamma0=10.0, lam=1.0)], rng=np.random.default_rng(1))
