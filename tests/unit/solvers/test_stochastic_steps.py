"""The steps of Algorithm 4: against a naive oracle, against finite differences, unbiased, never a lost scale."""

import numpy as np
import pytest
from scipy import sparse

from nproc.losses import RampLoss, SigmoidLoss
from nproc.solvers.sampling import RowSampler
from nproc.solvers.stochastic import steps
from nproc.solvers.stochastic.run import StochasticProblem, StochasticRun, mean_square_norm

LOSSES = {"sigmoid": SigmoidLoss, "ramp": RampLoss}


def gaussians(n=400, p=3, shift=2.0, seed=0, share0=0.5):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) >= share0).astype(np.uint8)
    X = rng.normal(size=(n, p))
    X[:, 0] += shift * y
    return X, y


def problem(**changes):
    settings = {"alpha": 0.1, "lam": 0.01, "loss": "sigmoid", "eta": 2.0, "gamma0": 0.05, "tau": 10.0}
    return StochasticProblem(**(settings | {"balanced": True, "additive": False} | changes))


def naive(X, y, rows, what, n0, n1, *, multiplier=1.0):
    """Algorithm 4 as it is printed, one row of the list a step, with w itself."""
    loss = LOSSES[what.loss](eta=what.eta)
    w, b, lam = np.zeros(X.shape[1]), 0.0, multiplier
    n = n0 + n1
    for t, i in enumerate(rows):
        sign = 1.0 if y[i] == 1 else -1.0
        gamma = what.gamma0 / (1 + what.lam * t)
        margin = sign * (X[i] @ w + b)
        a = (2.0 if y[i] == 1 else 2 * lam) if what.balanced else (n / n1 if y[i] == 1 else lam * n / n0)
        slope = float(loss.derivative(margin)) * sign
        w = (1 - gamma * what.lam) * w - gamma * a * slope * X[i]
        b -= gamma * a * slope
        if y[i] == 0:
            nu, gap = min(what.tau / n0, gamma, 0.5), float(loss.value(margin)) - what.alpha
            lam = max(0.0, lam + nu * gap) if what.additive else lam * (1 + nu * gap)
    return w, b, lam


@pytest.mark.parametrize("kind", ["dense", "csr", "csr, 64 bits"])
@pytest.mark.parametrize(
    "changes",
    [{}, {"loss": "ramp", "eta": 1.0}, {"balanced": False}, {"additive": True, "tau": 100.0}, {"lam": 5.0}],
    ids=str,
)
def test_the_scaled_weights_are_those_of_the_naive_update(kind, changes):
    X, y = gaussians(300)
    what = problem(**changes)
    given = X if kind == "dense" else sparse.csr_array(X)
    if kind == "csr, 64 bits":
        given.indices, given.indptr = given.indices.astype(np.int64), given.indptr.astype(np.int64)
    run, n1 = StochasticRun(what), int(y.sum())
    run.learn(given, y, RowSampler(y, np.random.default_rng(3)), n0=y.size - n1, n1=n1)
    sampler = RowSampler(y, np.random.default_rng(3))
    rows = sampler.balanced(300) if what.balanced else sampler.plain(300)
    w, b, lam = naive(X, y, rows, what, y.size - n1, n1)
    np.testing.assert_allclose(run.coef, w, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose([run.intercept, run.multiplier], [b, lam], rtol=1e-9)


def test_the_scale_is_folded_in_before_it_is_lost():
    X, y = gaussians(300)
    run = StochasticRun(problem(lam=19.0, gamma0=0.05))
    run._begin(X)
    # w shrinks by 0.05 at every step: the scale would be 1e-390
    run._setting[[steps.WEIGHT0, steps.WEIGHT1, steps.DECAY]] = 2.0, 2.0, 0.0
    run._steps_on(steps.run_dense, X, y, np.arange(300, dtype=np.int32), np.zeros(steps.TALLY_SIZE))
    assert 1e-11 < run._state[steps.SCALE] <= 1.0
    w, b = np.zeros(3), 0.0
    for x, label in zip(X, y, strict=True):
        sign = 1.0 if label == 1 else -1.0
        push = -0.1 * sign * float(SigmoidLoss(eta=2.0).derivative(sign * (x @ w + b)))
        w, b = 0.05 * w + push * x, b + push
    np.testing.assert_allclose(run.coef, w, rtol=1e-9)


@pytest.mark.parametrize("loss", ["sigmoid", "ramp"])
@pytest.mark.parametrize("label", [0, 1])
@pytest.mark.parametrize("balanced", [True, False])
def test_a_step_goes_down_the_gradient_of_the_lagrangian_of_its_example(loss, label, balanced):
    rng = np.random.default_rng(5)
    x, w, b, lam, gamma, multiplier, n0, n1 = rng.normal(size=4), rng.normal(size=4) * 0.1, 0.05, 0.3, 1e-3, 1.7, 30, 60
    value = LOSSES[loss](eta=1.0).value
    sign = 1.0 if label == 1 else -1.0

    def lagrangian(point):
        a = 2.0 if balanced else 90 / (n1 if label == 1 else n0)
        weight = a if label == 1 else a * multiplier
        return lam / 2 * point[:-1] @ point[:-1] + weight * value(sign * (x @ point[:-1] + point[-1]))

    start = np.append(w, b)
    gradient = [(lagrangian(start + h) - lagrangian(start - h)) / 2e-6 for h in np.eye(5) * 1e-6]
    run = StochasticRun(problem(loss=loss, eta=1.0, lam=lam, gamma0=gamma, balanced=balanced), multiplier=multiplier)
    X = np.array([x])
    run._begin(X)
    run._v[:], run._state[steps.INTERCEPT] = w, b
    run._setting[steps.WEIGHT0] = 2.0 if balanced else 90 / n0
    run._setting[steps.WEIGHT1] = 2.0 if balanced else 90 / n1
    label_array, row = np.array([label], dtype=np.uint8), np.zeros(1, dtype=np.int32)
    run._steps_on(steps.run_dense, X, label_array, row, np.zeros(steps.TALLY_SIZE))
    moved = (start - np.append(run.coef, run.intercept)) / gamma
    # finite differences
    np.testing.assert_allclose(moved, gradient, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("margin", [-1.0, 1.0, -3.0, 2.0])
def test_the_ramp_teaches_nothing_at_its_kinks_and_outside(margin):
    assert steps.loss_and_slope(margin, False, 1.0)[1] == 0.0


@pytest.mark.parametrize("loss", ["sigmoid", "ramp"])
def test_the_losses_of_the_loop_are_those_of_the_package(loss):
    for margin in np.linspace(-60, 60, 41):
        value, slope = steps.loss_and_slope(float(margin), loss == "sigmoid", 0.7)
        there = LOSSES[loss](eta=0.7)
        # beyond 40 the loss is cut to 0 or 1
        np.testing.assert_allclose([value, slope], [there.value(margin), there.derivative(margin)], atol=1e-15)


def test_the_exponential_of_the_loop_is_that_of_the_library_to_within_rounding():
    x = np.append(np.random.default_rng(0).uniform(-steps.FAR, steps.FAR, 20_000), [0.0, 1 / 32, -steps.FAR, steps.FAR])
    # four units in the last place
    np.testing.assert_allclose([steps.near_exp(number) for number in x], np.exp(x), rtol=9e-16)
    # beyond its table, and for a score that is no number, which overflowing weights give
    beyond = [steps.near_exp(number) for number in (1e300, np.inf, -1e300, -np.inf, np.nan)]
    np.testing.assert_allclose(beyond, np.exp([40.0, 40.0, -40.0, -40.0, -40.0]), rtol=9e-16)


@pytest.mark.parametrize("balanced", [True, False])
def test_the_sampled_gradient_has_the_gradient_of_the_objective_as_its_mean(balanced):
    X, y = gaussians(60, share0=0.2)
    n1 = int(y.sum())
    n0 = y.size - n1
    rng = np.random.default_rng(7)
    w, b, lam, multiplier = rng.normal(size=3), 0.2, 0.3, 1.9
    loss = SigmoidLoss(eta=1.0)
    sign = np.where(y == 1, 1.0, -1.0)
    slopes = loss.derivative(sign * (X @ w + b)) * sign
    full = lam * w + slopes[y == 1] @ X[y == 1] / n1 + multiplier * slopes[y == 0] @ X[y == 0] / n0
    run = StochasticRun(problem(eta=1.0, lam=lam, gamma0=1.0, balanced=balanced), multiplier=multiplier)
    run.learn(X, y, RowSampler(y, rng), n0=n0, n1=n1)
    weights = run._setting[[steps.WEIGHT0, steps.WEIGHT1]]
    # the mean over all rows, with the chance that each has of being drawn
    chance = np.where(y == 1, 0.5 / n1, 0.5 / n0) if balanced else np.full(y.size, 1 / y.size)
    weight = np.where(y == 1, weights[1], weights[0] * multiplier)
    np.testing.assert_allclose(lam * w + (chance * weight * slopes) @ X, full, rtol=1e-12)


@pytest.mark.parametrize("n", [3, 1024, 1025, 5000, 20_000])
def test_the_unit_of_length_comes_from_rows_spread_over_all(n):
    X = np.linspace(0.0, 2.0, n)[:, None] * np.ones(2)
    expected = np.mean(np.sum(X**2, axis=1))
    # exact up to 1024 rows; eight blocks from both ends weigh the ends a little more
    rtol = 1e-12 if n <= 1024 else 0.08
    np.testing.assert_allclose(mean_square_norm(X), expected, rtol=rtol)
    np.testing.assert_allclose(mean_square_norm(sparse.csr_array(X)), mean_square_norm(X), rtol=1e-12)
