"""Algorithm 4 with the truncated likelihood in the place of the sigmoid loss."""

import numpy as np
import pytest
from sklearn.datasets import make_moons

from nproc.losses.truncated import TruncatedLikelihood
from nproc.solvers.jit import plain_python
from nproc.solvers.network import lagrangian_parts, solve_np_network
from nproc.solvers.network_steps import new_network, run_steps, weight_mask


def two_moons(n):
    X, y = make_moons(n, noise=0.2, random_state=0)
    return 1.5 * (X - X.mean(axis=0)), y


def truncated_lagrangian(state, X, y, lam, likelihood, eta):
    f = state.scores(X)
    penalty = 0.5 * lam * np.sum(state.theta[weight_mask(state.sizes)] ** 2)
    losses = likelihood.value(np.where(y == 1, eta, -eta) * f, y)
    return penalty + losses[y == 1].mean() + state.numbers[1] * losses[y == 0].mean()


@pytest.mark.parametrize("hidden", [(), (4,)])
def test_with_the_truncated_likelihood_the_mean_step_is_minus_its_gradient(hidden):
    X, y = two_moons(40)
    likelihood = TruncatedLikelihood(0.4, 0.6)
    gamma, lam, eta, total = 1e-3, 0.05, 1.3, 0.0
    for i in range(len(y)):
        state = new_network(2, hidden=hidden, activation="tanh", rng=np.random.default_rng(2))
        state.numbers[:2] = 0.2, 0.8
        before = np.append(state.theta.copy(), state.numbers[0])
        run_steps(state, X, y, np.array([i], dtype=np.int32), coefficients=(2.0, 2.0), alpha=0.1, lam=lam, eta=eta,
                  gamma0=gamma, decay=0.0, nu=0.0, likelihood=likelihood)  # fmt: skip
        total = total + (np.append(state.theta, state.numbers[0]) - before) / len(y)
    start = new_network(2, hidden=hidden, activation="tanh", rng=np.random.default_rng(2))
    start.numbers[:2] = 0.2, 0.8
    gradient = sum(lagrangian_parts(start, X, y, lam, eta, likelihood))
    np.testing.assert_allclose(total, -gamma * gradient, rtol=1e-9, atol=1e-15)
    for k in range(start.theta.size):
        values = []
        for sign in (1, -1):
            start.theta[k] += sign * 1e-6
            values.append(truncated_lagrangian(start, X, y, lam, likelihood, eta))
            start.theta[k] -= sign * 1e-6
        np.testing.assert_allclose(gradient[k], (values[0] - values[1]) / 2e-6, rtol=1e-5, atol=1e-8)


def test_rows_that_are_cut_off_move_the_multiplier_and_not_the_weights():
    X, y = two_moons(20)
    state = new_network(2, hidden=(3,), activation="tanh", rng=np.random.default_rng(2))
    # far below the threshold: class 0 is right beyond p_min
    state.numbers[0] = -30.0
    before = state.theta.copy()
    rows = np.flatnonzero(y == 0).astype(np.int32)
    run_steps(state, X, y, rows, coefficients=(2.0, 2.0), alpha=0.1, lam=0.0, eta=1.0, gamma0=0.1, decay=0.0, nu=0.1,
              likelihood=TruncatedLikelihood(0.4, 0.6))  # fmt: skip
    np.testing.assert_array_equal(state.theta, before)
    assert state.numbers[0] == -30.0
    assert state.numbers[1] < 1.0


@pytest.mark.parametrize("interval", [(0.0, 1.0), (0.3, 0.7)])
def test_the_truncated_likelihood_trains_a_network_at_its_level(interval):
    X, y = two_moons(600)
    likelihood = TruncatedLikelihood(*interval)
    kwargs = {"alpha": 0.1, "likelihood": likelihood, "rng": np.random.default_rng(0)}
    result = solve_np_network(X, y, **kwargs)
    assert result.converged
    assert result.history["type1_loss"][-1] < 0.1 * (1 + 0.4)
    assert result.history["type1"][-1] < 0.12
    assert result.history["type2"][-1] < 0.1
    with plain_python():
        plain = solve_np_network(X[:30], y[:30], **{**kwargs, "max_iter": 2, "rng": np.random.default_rng(1)})
    compiled = solve_np_network(X[:30], y[:30], **{**kwargs, "max_iter": 2, "rng": np.random.default_rng(1)})
    np.testing.assert_allclose(compiled.coef, plain.coef, rtol=1e-8, atol=1e-10)


def test_the_scores_of_a_likelihood_network_are_the_log_of_the_density_ratio_over_lambda():
    # class 0 is N(0, 1) and class 1 N(2, 1): the log of their ratio is 2 x - 2
    rng = np.random.default_rng(0)
    y = np.arange(4000) % 2
    X = rng.normal(size=(4000, 1)) + 2.0 * y[:, None]
    result = solve_np_network(
        X, y, alpha=0.2, hidden=(), lam=0.0, likelihood=TruncatedLikelihood(), max_iter=60, rng=np.random.default_rng(0)
    )
    # the sampling error of a slope from 4000 rows is about 0.05
    assert result.coef[0] == pytest.approx(2.0, abs=0.25)
    assert result.intercept == pytest.approx(-2.0 - np.log(result.multiplier), abs=0.3)
