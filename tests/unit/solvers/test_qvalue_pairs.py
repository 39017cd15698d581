"""q-value optimisation by pairs: the placement, the gradient of the Lagrangian, the steps, and what is found."""

import numpy as np
import pytest
from scipy.special import expit

from nproc.errors import InvalidInputError
from nproc.qvalues import accepted
from nproc.solvers import qvalue_pairs
from nproc.solvers.jit import plain_python
from nproc.solvers.network_steps import network_scores, new_network
from nproc.solvers.qvalue_pairs import (
    accepting_threshold,
    best_placement,
    pair_gradients,
    run_pairs,
    solve_qvalue_pairs,
)


def targets_and_decoys(n=1000, seed=0, real=0.4, ratio=1):
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], [n // 2, n // 2 * ratio])
    is_real = (y == 1) & (rng.random(y.size) < real)
    X = rng.normal(size=(y.size, 3)) + np.outer(is_real, [2.5, 1.5, 0.0])
    return X, y


def lagrangian(theta, state, X, y, q_rate, offsets, multipliers, lam, eta):
    g = network_scores(theta, state.sizes, state.activation, X)
    value = 0.0
    for rate, b, multiplier in zip(q_rate, offsets, multipliers, strict=True):
        missed, false = expit(-eta * (g[y == 1] + b)).mean(), expit(eta * (g[y == 0] + b)).mean()
        value += (1 + multiplier * rate) * missed + multiplier * (false - rate)
    mask = qvalue_pairs.weight_mask(state.sizes)
    return 0.5 * lam * np.sum(theta[mask] ** 2) + value / len(q_rate)


def small_problem(hidden, q=(0.1, 0.3), n=24, ratio=2):
    X, y = targets_and_decoys(n, ratio=ratio)
    state = new_network(3, hidden=hidden, activation="tanh", rng=np.random.default_rng(1))
    q_rate = np.array(q) * np.sum(y == 1) / np.sum(y == 0)
    problem = qvalue_pairs.QValueProblem(X, y, np.array(q), q_rate, 0.07, 1.4)
    return X, y, state, problem


@pytest.mark.parametrize("hidden", [(), (4,), (3, 2)])
def test_the_gradients_are_those_of_differences_of_the_lagrangian(hidden):
    X, y, state, problem = small_problem(hidden)
    offsets, multipliers = np.array([-0.4, 0.3]), np.array([5.0, 1.5])
    scores = network_scores(state.theta, state.sizes, "tanh", X)
    gradient = sum(pair_gradients(state, problem, scores, offsets, multipliers))
    arguments = (state, X, y, problem.q_rate, offsets, multipliers, problem.lam, problem.eta)
    for k in range(state.theta.size):
        step = np.zeros_like(state.theta)
        step[k] = 1e-6
        slope = (lagrangian(state.theta + step, *arguments) - lagrangian(state.theta - step, *arguments)) / 2e-6
        np.testing.assert_allclose(gradient[k], slope, rtol=1e-5, atol=1e-8)


@pytest.mark.parametrize("hidden", [(), (4,), (3, 2)])
def test_the_mean_step_over_all_pairs_is_minus_the_gradient(hidden):
    X, y, start, problem = small_problem(hidden)
    offsets, multipliers = np.array([-0.4, 0.3]), np.array([5.0, 1.5])
    rows0, rows1 = np.flatnonzero(y == 0).astype(np.int32), np.flatnonzero(y == 1).astype(np.int32)
    gamma, total = 1e-4, 0.0
    for i in rows0:
        for j in rows1:
            state = new_network(3, hidden=hidden, activation="tanh", rng=np.random.default_rng(1))
            numbers = (problem.lam, problem.eta, gamma, 0.0, 0.0)
            pair = np.array([i], dtype=np.int32), np.array([j], dtype=np.int32)
            run_pairs(state, offsets.copy(), multipliers.copy(), np.zeros(1), X, *pair, problem.q_rate, numbers)
            total = total + (state.theta - start.theta) / (rows0.size * rows1.size)
    scores = network_scores(start.theta, start.sizes, "tanh", X)
    largest = max(5.0, 1 + 5.0 * problem.q_rate[0])
    expected = -gamma / largest * sum(pair_gradients(start, problem, scores, offsets, multipliers))
    # the second half of a step sees weights that the first has shrunk by rate * lam
    np.testing.assert_allclose(total, expected, rtol=1e-4, atol=1e-12)


def test_a_multiplier_moves_by_the_printed_rule_with_the_ratio_of_the_classes():
    X, y, state, problem = small_problem((3,), q=(0.1,))
    scores = network_scores(state.theta, state.sizes, "tanh", X)
    i, j = np.flatnonzero(y == 0)[:1].astype(np.int32), np.flatnonzero(y == 1)[:1].astype(np.int32)
    multipliers = np.array([2.0])
    run_pairs(state, np.array([0.2]), multipliers, np.zeros(1), X, i, j, problem.q_rate, (0.0, 1.0, 0.5, 0.0, 1e-3))
    false, missed = expit(scores[i[0]] + 0.2), expit(-(scores[j[0]] + 0.2))
    np.testing.assert_allclose(problem.q_rate, [0.2])
    np.testing.assert_allclose(multipliers, 2.0 * (1 + 1e-3 * (false - 0.2 * (1 - missed))), rtol=1e-12)


@pytest.mark.parametrize("q_rate", [0.05, 0.2, 0.6])
def test_the_placement_is_the_best_of_a_fine_grid_and_stationary(q_rate):
    rng = np.random.default_rng(2)
    y = np.repeat([0, 1], 400)
    scores = 3 * rng.normal(size=800) + 6 * ((y == 1) & (rng.random(800) < 0.5))
    found = best_placement(scores, y, q_rate, 1.0)
    grid = np.linspace(scores.min(), scores.max(), 4000)
    false = np.array([expit(scores[y == 0] - t).mean() for t in grid])
    true = np.array([expit(scores[y == 1] - t).mean() for t in grid])
    best = true[false <= q_rate * true].max()
    assert found.feasible
    # the grid is no finer than this
    np.testing.assert_allclose(1 - found.type2_loss, best, atol=1e-3)
    f0, f1 = expit(scores[y == 0] + found.offset).mean(), expit(scores[y == 1] + found.offset).mean()
    np.testing.assert_allclose(f0, q_rate * f1, rtol=1e-3)
    slopes = [np.mean(expit(s) * expit(-s)) for s in (scores[y == 0] + found.offset, scores[y == 1] + found.offset)]
    np.testing.assert_allclose((1 + found.multiplier * q_rate) * slopes[1], found.multiplier * slopes[0], rtol=1e-9)


def test_scores_that_tell_nothing_have_no_feasible_placement():
    rng = np.random.default_rng(3)
    found = best_placement(rng.normal(size=400), np.arange(400) % 2, 0.05, 1.0)
    assert not found.feasible
    assert found.type2_loss == 1.0
    assert np.isfinite(found.offset)
    assert found.multiplier > 0


# tiny cases may have their scores the wrong way round
@pytest.mark.filterwarnings("ignore::nproc.errors.NPWarning")
def test_the_accepting_threshold_accepts_what_the_q_values_do():
    rng = np.random.default_rng(4)
    for _ in range(200):
        n = int(rng.integers(4, 40))
        y = rng.integers(0, 2, n)
        y[:2] = [0, 1]
        scores = np.round(rng.normal(size=n) + y, 1)
        level = rng.uniform(0.05, 0.6)
        threshold, count = accepting_threshold(scores, y, level)
        expected = accepted(scores, y, level)
        assert count == expected.sum()
        np.testing.assert_array_equal((scores > threshold) & (y == 1), expected)


@pytest.mark.parametrize(("q", "n_found"), [(0.29, 100), (0.07, 100), (0.57, 700)])
def test_a_level_that_is_met_exactly_is_met_whatever_the_rounding(q, n_found):
    y = np.repeat([1, 0], [n_found, round(q * n_found)])
    scores = np.append(np.ones(y.size), [0.0] * 500)
    y = np.append(y, [0] * 500)
    assert accepted(scores, y, q).sum() == accepting_threshold(scores, y, q)[1] == n_found


def test_where_the_classes_are_apart_the_placement_lies_between_them():
    rng = np.random.default_rng(5)
    y = np.repeat([0, 1], 100)
    scores = rng.normal(size=200) + np.where(y == 1, 10.0, -10.0)
    found = best_placement(scores, y, 0.05, 1.0)
    grid = np.linspace(-15, 15, 3001)
    false, true = (np.array([expit(scores[y == k] - t).mean() for t in grid]) for k in (0, 1))
    assert found.type2_loss <= 1 - true[false <= 0.05 * true].max() + 1e-12
    assert expit(scores[y == 0] + found.offset).mean() <= 0.05 * expit(scores[y == 1] + found.offset).mean()


def test_neighbouring_floats_are_parted():
    one = 1.0
    above = np.nextafter(one, 2)
    threshold, count = accepting_threshold(np.array([above, above, one]), np.array([1, 1, 0]), 0.1)
    assert count == 2
    assert one <= threshold < above


@pytest.mark.parametrize("hidden", [(), (4,)])
def test_compiled_and_plain_runs_agree(hidden):
    X, y = targets_and_decoys(60)
    kwargs = {"q": (0.1,), "hidden": hidden, "max_iter": 2, "init_iter": 2}
    compiled = solve_qvalue_pairs(X, y, rng=np.random.default_rng(5), **kwargs)
    with plain_python():
        plain = solve_qvalue_pairs(X, y, rng=np.random.default_rng(5), **kwargs)
    # sums in another order
    np.testing.assert_allclose(compiled.coef, plain.coef, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(compiled.objective, plain.objective, rtol=1e-8)


@pytest.mark.parametrize("ratio", [1, 3])
@pytest.mark.parametrize("hidden", [(), (5,)])
def test_the_search_accepts_about_what_the_best_ranking_does_on_new_rows(hidden, ratio):
    X, y = targets_and_decoys(2000, ratio=ratio)
    X_new, y_new = targets_and_decoys(2000, seed=1, ratio=ratio)
    gamma0, lam = (1.0, 1e-3) if hidden == () else (0.1, 1e-2)
    result = solve_qvalue_pairs(X, y, q=(0.05,), hidden=hidden, gamma0=gamma0, lam=lam, rng=np.random.default_rng(0))
    assert result.converged
    found = accepted(result.state.scores(X_new), y_new, 0.05).sum()
    # the likelihood ratio rises with this direction
    best = accepted(X_new @ [2.5, 1.5, 0.0], y_new, 0.05).sum()
    assert found > 0.95 * best


@pytest.mark.parametrize("seed", range(3))
def test_with_few_class_0_rows_accepting_all_rows_is_known_to_be_the_best(seed):
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], [20, 5000])
    X = rng.normal(size=(y.size, 5)) + y[:, None]
    # q n1 is above n0: the constraint is met whatever is accepted
    result = solve_qvalue_pairs(X, y, hidden=(), gamma0=1.0, lam=1e-3, rng=rng)
    assert result.converged
    assert result.certificate <= result.objective.min() <= 1e-6
    assert "lower bound" in result.reason
    assert result.accepted[0] == 5000


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_with_few_class_1_rows_the_multiplier_returned_is_stationary_however_large(seed):
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], [20000, 20])
    X = rng.normal(size=(y.size, 5)) + 2.0 * y[:, None]
    result = solve_qvalue_pairs(X, y, hidden=(), gamma0=1.0, lam=1e-3, rng=np.random.default_rng(seed))
    assert result.multiplier[0] > 1e4
    assert result.converged
    scores = X @ result.coef + result.offsets[0]
    slopes = [np.mean(expit(scores[y == k]) * expit(-scores[y == k])) for k in (0, 1)]
    np.testing.assert_allclose((1 + result.multiplier[0] * 1e-5) * slopes[1], result.multiplier[0] * slopes[0])


def test_the_result_is_no_worse_than_its_start_and_than_any_epoch():
    X, y = targets_and_decoys(600)
    still = solve_qvalue_pairs(X, y, q=(0.05,), gamma0=1e-12, rng=np.random.default_rng(0))
    moved = solve_qvalue_pairs(X, y, q=(0.05,), rng=np.random.default_rng(0))
    start = still.objective[0]
    problem = qvalue_pairs.QValueProblem(X, y, np.array([0.05]), np.array([0.05]), 1e-2, 1.0)
    reached = problem.measure(moved.state)[0]
    assert reached <= min(start, moved.objective.min()) + 1e-9


def test_the_score_is_above_zero_for_the_rows_accepted_in_training():
    X, y = targets_and_decoys(600)
    result = solve_qvalue_pairs(X, y, q=(0.2, 0.05), rng=np.random.default_rng(0))
    assert result.q.tolist() == [0.05, 0.2]
    scores = result.state.scores(X)
    np.testing.assert_array_equal((scores > 0) & (y == 1), accepted(scores, y, 0.05))
    assert result.accepted.tolist() == [accepted(scores, y, level).sum() for level in (0.05, 0.2)]


def test_more_restarts_never_have_a_higher_objective():
    X, y = targets_and_decoys(300)
    values = []
    for n_restarts in (1, 3):
        result = solve_qvalue_pairs(X, y, q=(0.1,), n_restarts=n_restarts, max_iter=5, rng=np.random.default_rng(1))
        problem = qvalue_pairs.QValueProblem(X, y, np.array([0.1]), np.array([0.1]), 1e-2, 1.0)
        values.append(problem.measure(result.state)[0])
    assert values[1] <= values[0]


def test_noise_is_not_called_converged():
    rng = np.random.default_rng(6)
    X, y = rng.normal(size=(400, 2)), np.arange(400) % 2
    result = solve_qvalue_pairs(X, y, q=(0.01,), hidden=(), gamma0=1.0, max_iter=3, rng=rng)
    assert not result.converged
    assert "no threshold on the training scores meets q=0.01" in result.reason
    assert np.isfinite(result.state.scores(X)).all()


def test_weights_that_overflow_are_an_error_and_not_a_model():
    X, y = targets_and_decoys(100)
    with pytest.raises(InvalidInputError, match="makes the training diverge"):
        solve_qvalue_pairs(
            1e150 * X, y, q=(0.1,), hidden=(4,), activation="relu", gamma0=1e250, lam=0.0, rng=np.random.default_rng(0)
        )
