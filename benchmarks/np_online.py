"""ONP-SVM's search as the studies of Figure 5 run it: the paper's 42 candidates, all trained at once."""

import itertools
import time

import measure  # noqa: F401  isort: skip  (before numpy)
import numpy as np
from np_protocol import Outcome

from nproc.model_choice import np_loss
from nproc.solvers.stochastic.lockstep import solve_stochastic_np_together
from nproc.solvers.stochastic.run import StochasticProblem

LAMBDAS = (0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1)
TAUS = (0.1, 1, 5, 10, 50, 100)
EPOCHS = 100
ONLINE_GRID = [{"lam": lam, "tau": tau} for lam, tau in itertools.product(LAMBDAS, TAUS)]
# what tau is of: the paper prints gamma = tau / n0, and by its own rule that nu is proportional to 1/n0 may mean nu
READINGS = ("nu", "gamma")
# shares of alpha at which candidates train: the paper's, and half of it besides
SHARES = {"1": (1.0,), "1, 1/2": (1.0, 0.5)}
SETTINGS = tuple(itertools.product(READINGS, SHARES))
# nu in the second reading, times n0
FIXED_TAU = 10.0


def problem_of(params, alpha, reading, n0):
    """Return the problem of a candidate, with the settings of OnlineNPClassifier where none are given."""
    rates = {"gamma0": "auto", "tau": params["tau"]}
    if reading == "gamma":
        rates = {"gamma0": params["tau"] / n0, "tau": FIXED_TAU}
    return StochasticProblem(
        alpha=alpha, lam=params["lam"], loss="sigmoid", eta=2.0, balanced=True, additive=False, **rates
    )


def rates_of(models, X, y):
    """Return (P_fa, P_nd) of each model, two arrays."""
    called = X @ models.coef.T + models.intercept > 0
    return called[y == 0].mean(axis=0), (~called[y == 1]).mean(axis=0)


def onp_svm(protocol, setting, alphas):
    """Return ({alpha: Outcome}, seconds) of one search for all `alphas`: all candidates are trained at once."""
    reading, shares = setting[0], SHARES[setting[1]]
    ((fitted, validated),) = protocol.folds
    X, y = np.ascontiguousarray(protocol.X[fitted]), protocol.y[fitted].astype(np.uint8)
    n0 = int(np.sum(y == 0))
    started = time.process_time()
    grid = [(params, share) for share in shares for params in ONLINE_GRID]
    problems = [problem_of(params, share * alpha, reading, n0) for alpha in alphas for params, share in grid]
    models = solve_stochastic_np_together(X, y, problems, max_iter=EPOCHS, rng=np.random.default_rng(1))
    type1, type2 = rates_of(models, protocol.X[validated], protocol.y[validated])
    levels = np.repeat(alphas, len(grid))
    best = np.argmin(np_loss(type1, type2, levels).reshape(len(alphas), -1), axis=1)
    seconds = time.process_time() - started
    test1, test2 = rates_of(models, protocol.X[protocol.test], protocol.y[protocol.test])
    outcomes = {}
    for number, alpha in enumerate(alphas):
        at = number * len(grid) + best[number]
        params = {**grid[best[number]][0], "share": grid[best[number]][1]}
        outcomes[alpha] = Outcome(test1[at], test2[at], seconds, len(grid), int(np.sum(~models.finite)), params)
    return outcomes, seconds


def compile_loops():
    """Let this process compile what `onp_svm` runs, or read it from the cache, before a clock starts."""
    X, y = np.array([[0.0], [0.0], [1.0], [1.0]]), np.array([0, 0, 1, 1], dtype=np.uint8)
    problems = [problem_of(params, 0.2, "nu", 2) for params in ONLINE_GRID[:2]]
    solve_stochastic_np_together(X, y, problems, max_iter=1, rng=np.random.default_rng(1))
