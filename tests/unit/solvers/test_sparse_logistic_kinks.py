"""A quadratic plus hinges: the optimality conditions, and a generic quadratic program."""

import numpy as np
import pytest
from scipy.optimize import minimize

from nproc.solvers import hinges
from nproc.solvers.hinges import minimise_hinges


def problem(seed, k, q, spread=1.0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=q) * 3, rng.normal(size=(k, q)), spread * rng.normal(size=k), rng.uniform(0.1, 1.0, size=k)


def solve(gradient, B, past, slope, **settings):
    settings = {"width": 0.5, "narrowest": 1e-5, "tol": 1e-11, **settings}
    return minimise_hinges(gradient, B, past, slope, slope / 2, **settings)


def value(v, gradient, B, past, slope):
    return 0.5 * v @ v + gradient @ v + slope @ np.maximum(0.0, past + B @ v)


@pytest.mark.parametrize(("k", "q"), [(1, 1), (20, 3), (100, 10), (8, 20), (300, 4)])
@pytest.mark.parametrize("spread", [0.0, 1.0, 30.0])
def test_the_optimality_conditions_hold(k, q, spread):
    gradient, B, past, slope = problem(0, k, q, spread)
    point, m, _ = solve(gradient, B, past, slope)
    after = past + B @ point
    np.testing.assert_allclose(point + gradient + m @ B, 0.0, atol=1e-9)
    assert m.min() >= 0
    assert np.all(m <= slope)
    between = (m > 0) & (m < slope)
    assert np.abs(after[between]).max(initial=0.0) <= 1e-10
    assert after[m == 0].max(initial=0.0) <= 1e-9
    assert after[m == slope].min(initial=0.0) >= -1e-9


def test_a_quadratic_program_finds_nothing_better():
    gradient, B, past, slope = problem(1, 15, 4)
    point = solve(gradient, B, past, slope)[0]
    # the dual: a quadratic on a box
    dual = minimize(
        lambda m: 0.5 * np.sum((gradient + m @ B) ** 2) - m @ past,
        slope / 2,
        jac=lambda m: B @ (gradient + m @ B) - past,
        bounds=[(0, h) for h in slope],
        method="L-BFGS-B",
        options={"ftol": 1e-15, "gtol": 1e-12, "maxiter": 10000},
    )
    assert value(point, gradient, B, past, slope) == pytest.approx(-dual.fun, rel=1e-9)


def test_repeated_hinges_share_their_multipliers():
    gradient, B, past, slope = problem(2, 10, 3)
    once = solve(gradient, B, past, slope)[0]
    thrice = solve(gradient, np.tile(B, (3, 1)), np.tile(past, 3), np.tile(slope / 3, 3))[0]
    np.testing.assert_allclose(thrice, once, atol=1e-9)


def test_a_start_at_the_solution_takes_few_steps():
    gradient, B, past, slope = problem(3, 60, 6)
    point, multiplier, steps = solve(gradient, B, past, slope)
    warm = minimise_hinges(gradient, B, past, slope, multiplier, width=1e-4, narrowest=1e-5, tol=1e-11)
    assert warm[2] < steps
    np.testing.assert_allclose(warm[0], point, atol=1e-9)


def test_it_stops_after_the_steps_allowed():
    assert solve(*problem(4, 60, 6), max_iter=3)[2] == 3


@pytest.mark.parametrize("seed", range(6))
def test_multipliers_of_a_problem_nearby_lead_there_without_parabolas(monkeypatch, seed):
    gradient, B, past, slope = problem(seed, 60, 12)
    rng = np.random.default_rng([1, seed])
    # some hinges change sides from one problem to the other
    nearby = solve(gradient + 0.02 * rng.normal(size=12), B, past + 0.02 * rng.normal(size=60), slope)[1]
    settings = {"width": 1e-2, "narrowest": 1e-5, "tol": 1e-11}
    found = minimise_hinges(gradient, B, past, slope, nearby, **settings)
    assert found[2] <= hinges.MOST_GUESSES
    monkeypatch.setattr(hinges, "MOST_GUESSES", 0)
    by_parabolas = minimise_hinges(gradient, B, past, slope, nearby, **settings)
    assert by_parabolas[2] > found[2]
    np.testing.assert_allclose(by_parabolas[0], found[0], atol=1e-9)
    np.testing.assert_allclose(by_parabolas[1], found[1], atol=1e-8)


def test_a_useless_guess_falls_back_on_parabolas():
    # rows that occur twice: the system of a guess that holds both has no unique solution
    gradient, B, past, slope = problem(7, 20, 12)
    point, multiplier, _ = solve(gradient, B, past, slope)
    on = (multiplier > 0) & (multiplier < slope)
    assert 0 < 2 * on.sum() <= 12
    twice = [np.tile(values, (2, 1)) if values.ndim == 2 else np.tile(values, 2) for values in (B, past, slope / 2)]
    found = minimise_hinges(gradient, *twice, np.tile(multiplier / 2, 2), width=0.1, narrowest=1e-5, tol=1e-11)
    np.testing.assert_allclose(found[0], point, atol=1e-9)
