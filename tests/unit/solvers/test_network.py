"""Networks on flat arrays: back-propagation against differences, and Algorithm 4 with them."""

import numpy as np
import pytest
from scipy.special import expit

from nproc.errors import InvalidInputError
from nproc.solvers.jit import plain_python
from nproc.solvers.network import constraint_gap, lagrangian_parts, solve_np_network
from nproc.solvers.network_steps import (
    initial_parameters,
    network_gradient,
    network_scores,
    new_network,
    run_steps,
    unpack,
    weight_mask,
)

DEPTHS = [(), (4,), (5, 3), (4, 3, 2)]
SMOOTH = ["tanh", "logistic"]


def random_network(hidden, activation, seed=0, n=7, p=3):
    rng = np.random.default_rng(seed)
    sizes = np.array([p, *hidden, 1])
    theta = initial_parameters(sizes, activation, rng)
    # biases that are not zero, so that they are tested too
    theta += 0.3 * rng.normal(size=theta.size)
    return theta, sizes, rng.normal(size=(n, p)), rng


def by_matrices(theta, sizes, activation, X):
    act = {"tanh": np.tanh, "logistic": expit, "relu": lambda z: np.maximum(z, 0)}[activation]
    weights, biases = unpack(theta, 0.0, sizes)
    values = X
    for layer, (weight, bias) in enumerate(zip(weights, biases, strict=True)):
        values = values @ weight + bias
        if layer < len(weights) - 1:
            values = act(values)
    return values[:, 0]


def two_moons(n=300, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    angle = np.pi * rng.random(n)
    X = np.column_stack([np.cos(angle), np.sin(angle)])
    X[y == 1] = np.column_stack([1 - np.cos(angle[y == 1]), 0.4 - np.sin(angle[y == 1])])
    return 1.5 * (X + 0.2 * rng.normal(size=X.shape) - [0.5, 0.2]), y


@pytest.mark.parametrize("activation", ["tanh", "logistic", "relu"])
@pytest.mark.parametrize("hidden", DEPTHS)
def test_scores_are_those_of_the_matrices(hidden, activation):
    theta, sizes, X, _ = random_network(hidden, activation)
    np.testing.assert_allclose(
        network_scores(theta, sizes, activation, X), by_matrices(theta, sizes, activation, X), rtol=1e-12, atol=1e-14
    )


@pytest.mark.parametrize("activation", SMOOTH)
@pytest.mark.parametrize("hidden", DEPTHS)
def test_gradients_are_those_of_differences(hidden, activation):
    theta, sizes, X, rng = random_network(hidden, activation)
    factors = rng.normal(size=len(X))
    gradient = network_gradient(theta, sizes, activation, X, factors)
    differences = np.empty_like(theta)
    for k in range(theta.size):
        step = np.zeros_like(theta)
        step[k] = 1e-6
        up, down = (network_scores(theta + sign * step, sizes, activation, X) for sign in (1, -1))
        differences[k] = factors @ (up - down) / 2e-6
    # central differences are exact to the square of the step, and to rounding divided by it
    np.testing.assert_allclose(gradient, differences, rtol=1e-6, atol=1e-8)


def test_the_gradient_of_relu_is_that_of_differences_off_its_kinks():
    theta, sizes, X, rng = random_network((6, 4), "relu", seed=3)
    factors = rng.normal(size=len(X))
    gradient = network_gradient(theta, sizes, "relu", X, factors)
    direction = rng.normal(size=theta.size)
    up, down = (network_scores(theta + sign * 1e-7 * direction, sizes, "relu", X) for sign in (1, -1))
    np.testing.assert_allclose(gradient @ direction, factors @ (up - down) / 2e-7, rtol=1e-5)


def test_the_mask_parts_weights_from_biases():
    sizes = np.array([3, 4, 2, 1])
    mask = weight_mask(sizes)
    assert mask.size == 3 * 4 + 4 + 4 * 2 + 2 + 2
    assert mask.sum() == 3 * 4 + 4 * 2 + 2


def lagrangian(state, X, y, alpha, lam, eta):
    f = state.scores(X)
    penalty = 0.5 * lam * np.sum(state.theta[weight_mask(state.sizes)] ** 2)
    return penalty + expit(-eta * f[y == 1]).mean() + state.numbers[1] * (expit(eta * f[y == 0]).mean() - alpha)


@pytest.mark.parametrize("hidden", DEPTHS)
def test_the_parts_of_the_certificate_sum_to_the_gradient_of_the_lagrangian(hidden):
    X, y = two_moons(40)
    state = new_network(2, hidden=hidden, activation="tanh", rng=np.random.default_rng(1))
    state.numbers[:2] = 0.3, 2.5
    gradient = sum(lagrangian_parts(state, X, y, 0.1, 1.7))
    everything = [state.theta] * state.theta.size + [state.numbers]
    for k, array in enumerate(everything):
        place = k if array is state.theta else 0
        values = []
        for sign in (1, -1):
            array[place] += sign * 1e-6
            values.append(lagrangian(state, X, y, 0.05, 0.1, 1.7))
            array[place] -= sign * 1e-6
        np.testing.assert_allclose(gradient[k], (values[0] - values[1]) / 2e-6, rtol=1e-5, atol=1e-8)


@pytest.mark.parametrize("hidden", DEPTHS)
def test_the_mean_balanced_step_is_minus_the_gradient_of_the_lagrangian(hidden):
    # one step from the same place for each row; classes of different sizes, drawn with probability 1/2 each
    X, y = two_moons(60)
    X, y = X[:45], y[:45]
    y[:15] = 1
    gamma, lam, eta = 1e-3, 0.05, 1.3
    total = 0.0
    for i in range(len(y)):
        state = new_network(2, hidden=hidden, activation="tanh", rng=np.random.default_rng(2))
        state.numbers[:2] = 0.2, 0.8
        before = np.append(state.theta.copy(), state.numbers[0])
        run_steps(state, X, y, np.array([i], dtype=np.int32), coefficients=(2.0, 2.0), alpha=0.1, lam=lam, eta=eta,
                  gamma0=gamma, decay=0.0, nu=0.0)  # fmt: skip
        share = 0.5 / np.sum(y == y[i])
        total = total + share * (np.append(state.theta, state.numbers[0]) - before)
    start = new_network(2, hidden=hidden, activation="tanh", rng=np.random.default_rng(2))
    start.numbers[:2] = 0.2, 0.8
    # multiplier below 1: no stabiliser
    np.testing.assert_allclose(total, -gamma * sum(lagrangian_parts(start, X, y, lam, eta)), rtol=1e-9, atol=1e-15)


def test_the_multiplier_moves_on_class_0_alone_and_by_the_printed_rule():
    X, y = two_moons(20)
    state = new_network(2, hidden=(3,), activation="tanh", rng=np.random.default_rng(2))
    f = state.scores(X)
    settings = {"coefficients": (2.0, 2.0), "alpha": 0.1, "lam": 0.0, "eta": 1.0, "gamma0": 1e-9, "decay": 0.0}
    run_steps(state, X, y, np.flatnonzero(y == 1).astype(np.int32), nu=1.0, **settings)
    assert state.numbers[1] == 1.0
    first0 = np.flatnonzero(y == 0)[:1].astype(np.int32)
    run_steps(state, X, y, first0, nu=1.0, **settings)
    # nu is cut at the learning rate
    np.testing.assert_allclose(state.numbers[1], 1 + 1e-9 * (expit(f[first0[0]]) - 0.1), rtol=1e-12)


@pytest.mark.parametrize("hidden", [(), (4,), (3, 2)])
def test_compiled_and_plain_runs_agree(hidden):
    X, y = two_moons(30)
    kwargs = {"alpha": 0.1, "hidden": hidden, "max_iter": 3}
    compiled = solve_np_network(X, y, rng=np.random.default_rng(4), **kwargs)
    with plain_python():
        plain = solve_np_network(X, y, rng=np.random.default_rng(4), **kwargs)
    # sums in another order
    np.testing.assert_allclose(compiled.coef, plain.coef, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(compiled.multiplier, plain.multiplier, rtol=1e-8)
    np.testing.assert_allclose(compiled.certificate, plain.certificate, rtol=1e-6)


@pytest.mark.parametrize("balanced", [True, False])
def test_two_moons_are_parted_at_the_level_asked_for(balanced):
    X, y = two_moons(600)
    result = solve_np_network(X, y, alpha=0.1, balanced=balanced, rng=np.random.default_rng(0))
    assert result.converged
    # the loss is bounded by alpha to within the tolerance that it states
    assert result.history["type1_loss"][-1] < 0.1 * (1 + 0.4)
    assert result.history["type1"][-1] < 0.12
    assert result.history["type2"][-1] < 0.08


def test_a_smaller_alpha_costs_class_1():
    X, y = two_moons(400)
    missed = [
        solve_np_network(X, y, alpha=alpha, rng=np.random.default_rng(0)).history["type2"][-1]
        for alpha in (0.02, 0.1, 0.4)
    ]
    assert missed[0] > missed[1] >= missed[2]


def test_deeper_networks_learn_too():
    X, y = two_moons(400)
    for hidden in ((8, 4), (6, 5, 4)):
        result = solve_np_network(X, y, alpha=0.1, hidden=hidden, rng=np.random.default_rng(1))
        assert result.history["type2"][-1] < 0.15


def test_the_gap_is_zero_where_the_constraint_is_tight_or_its_multiplier_zero():
    assert constraint_gap(0.1, 0.1, 3.0) == 0
    assert constraint_gap(0.02, 0.1, 0.0) == 0
    np.testing.assert_allclose(constraint_gap(0.12, 0.1, 0.0), 0.2)
    np.testing.assert_allclose(constraint_gap(0.05, 0.1, 100.0), 0.5)


@pytest.mark.slow
def test_a_network_that_calls_everything_class_0_is_not_called_converged():
    X, y = two_moons(400)
    # a learning rate at which three hidden layers saturate, from most starts; from which depends on the last bits
    results = [
        solve_np_network(X, y, alpha=0.1, hidden=(6, 5, 4), gamma0=0.5, rng=np.random.default_rng(seed))
        for seed in range(5)
    ]
    saturated = [result for result in results if result.history["type2"][-1] == 1.0]
    assert len(saturated) >= 2
    for result in saturated:
        assert not result.converged
        assert "no better than a constant score" in result.reason


def test_useless_epochs_are_not_called_converged():
    X, y = two_moons(300)
    result = solve_np_network(X, y, alpha=0.01, max_iter=1, rng=np.random.default_rng(0))
    assert not result.converged
    assert "above tol" in result.reason


def test_weights_that_overflow_are_an_error_and_not_a_model():
    X, y = two_moons(100)
    with pytest.raises(InvalidInputError, match="gamma0=1e\\+200 makes the training diverge"):
        solve_np_network(
            1e150 * X, y, alpha=0.1, hidden=(5,), activation="relu", lam=0.0, gamma0=1e200, rng=np.random.default_rng(0)
        )


def test_the_callback_hears_every_epoch():
    X, y = two_moons(30)
    heard = []
    result = solve_np_network(
        X, y, alpha=0.1, max_iter=4, rng=np.random.default_rng(0), callback=lambda *row: heard.append(row)
    )
    assert [row[0] for row in heard] == [1, 2, 3, 4]
    np.testing.assert_array_equal([row[1] for row in heard], result.objective)
