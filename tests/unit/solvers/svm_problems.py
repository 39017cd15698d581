"""Random problems for the tests of the shifted-box solver."""

import numpy as np

from nproc.solvers.kernels import make_kernel

KERNELS = {
    "rbf": make_kernel("rbf", gamma=0.5),
    "linear": make_kernel("linear"),
    "poly": make_kernel("poly", gamma=0.5, degree=2, coef0=1.0),
}


def signs(y):
    return np.where(y == 1, 1.0, -1.0)


def sample(seed, n=None, p=3):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(6, 70)) if n is None else n
    X = rng.normal(size=(n, p))
    y = (X[:, 0] + rng.normal(size=n) > 0).astype(int)
    y[:2] = 0, 1
    return X, y


def random_problem(seed, n=None):
    """Rows, labels, costs that differ between the classes, rows given up, and eta."""
    X, y = sample(seed, n)
    rng = np.random.default_rng([7, seed])
    cost = np.where(y == 1, *(10 ** rng.uniform(-1, 2, size=2)))
    beta = (rng.random(y.size) < 0.25).astype(float)
    return X, y, {"cost": cost, "beta": beta, "eta": float(rng.choice([0.3, 1.0, 2.5]))}
