"""ONP-SVM's search as the studies of Figure 5 run it: all candidates are trained at once on the same draws."""

import itertools
import time

import measure  # noqa: F401  isort: skip  (before numpy)
import numpy as np
from np_protocol import Outcome

from nproc.model_choice import np_loss
from nproc.solvers.stochastic.lockstep import solve_stochastic_np_together
from nproc.solvers.stochastic.run import StochasticProblem

TAUS = (0.1, 1, 5, 10, 50, 100)
EPOCHS = 100
PAPER, WIDE, SHORTER = "the paper's", "wide", "wide, 200 epochs"
# the iterates of a weak penalty need longer, and those of the others do not
LONG_EPOCHS, LONG_BELOW = {WIDE: 300, SHORTER: 200}, 1e-4
# values of lambda_c = 1/C, and the shares of alpha at which candidates train. AC-SVM's largest C, 1000, is a lambda_c
# of 4e-7 on page blocks
WIDE_GRID = ((1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1), (1.0, 0.5))
GRIDS = {
    PAPER: ((0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1), (1.0,)),
    WIDE: WIDE_GRID,
    SHORTER: WIDE_GRID,
}


def candidates(search):
    """Return what `search` tries, by the number of epochs: {epochs: [{share, lam, tau}, ...]}."""
    lams, shares = GRIDS[search]
    by_epochs = {}
    for share, lam, tau in itertools.product(shares, lams, TAUS):
        epochs = LONG_EPOCHS[search] if lam < LONG_BELOW else EPOCHS
        by_epochs.setdefault(epochs, []).append({"share": share, "lam": lam, "tau": tau})
    return by_epochs


def problem_of(params, alpha):
    """Return the problem of a candidate, with the settings of OnlineNPClassifier where none are given."""
    return StochasticProblem(
        alpha=params["share"] * alpha,
        lam=params["lam"],
        tau=params["tau"],
        loss="sigmoid",
        eta=2.0,
        gamma0="auto",
        balanced=True,
        additive=False,
    )


def rates_of(models, X, y):
    """Return (P_fa, P_nd) of each model of several results, two arrays."""
    called = np.hstack([X @ result.coef.T + result.intercept > 0 for result in models])
    return called[y == 0].mean(axis=0), (~called[y == 1]).mean(axis=0)


def onp_svm(protocol, search, alphas):
    """Return ({alpha: Outcome}, seconds) of one search for all `alphas`: all candidates are trained at once."""
    ((fitted, validated),) = protocol.folds
    X, y = np.ascontiguousarray(protocol.X[fitted]), protocol.y[fitted].astype(np.uint8)
    started = time.process_time()
    models, grid, levels = [], [], []
    for epochs, tried in candidates(search).items():
        problems = [problem_of(params, alpha) for alpha in alphas for params in tried]
        models.append(solve_stochastic_np_together(X, y, problems, max_iter=epochs, rng=np.random.default_rng(1)))
        grid += tried * len(alphas)
        levels += np.repeat(alphas, len(tried)).tolist()
    levels = np.array(levels)
    losses = np_loss(*rates_of(models, protocol.X[validated], protocol.y[validated]), levels)
    best = {alpha: int(np.argmin(np.where(levels == alpha, losses, np.inf))) for alpha in alphas}
    seconds = time.process_time() - started
    test1, test2 = rates_of(models, protocol.X[protocol.test], protocol.y[protocol.test])
    failures = sum(int(np.sum(~result.finite)) for result in models)
    n_fits = len(grid) // len(alphas)
    outcomes = {
        alpha: Outcome(float(test1[at]), float(test2[at]), seconds, n_fits, failures) for alpha, at in best.items()
    }
    return outcomes, seconds


def compile_loops():
    """Let this process compile what `onp_svm` runs, or read it from the cache, before a clock starts."""
    X, y = np.array([[0.0], [0.0], [1.0], [1.0]]), np.array([0, 0, 1, 1], dtype=np.uint8)
    problems = [problem_of(params, 0.2) for params in candidates(PAPER)[EPOCHS][:2]]
    solve_stochastic_np_together(X, y, problems, max_iter=1, rng=np.random.default_rng(1))
