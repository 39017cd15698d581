"""Does NPSVC do better on test rows if its score is lowered until the training type I error is at most alpha?"""

import itertools
import warnings

import measure  # isort: skip  (before numpy)
import numpy as np
from np_protocol import ALPHAS, divide

from nproc.errors import NPWarning
from nproc.model_choice import np_loss
from nproc.scorers import NPSVC

DATA = ("pima", "breast", "german_numeric24")
DIVISIONS = 3
MOST_ROWS = 400
COSTS = (1.0, 10.0, 100.0)
COLUMNS = (
    "data",
    "alpha",
    "fits",
    "lowered",
    "mean J as trained",
    "lowered mean J",
    "no worse",
    "of those lowered: better, worse",
    "mean difference",
    "largest training type I error less alpha",
)


def run(name, seed):
    """Return rows (alpha, J as trained, J lowered, training type I error as trained, whether lowered)."""
    protocol = divide(name, seed)
    rows = np.random.default_rng(seed).permutation(protocol.rest)[:MOST_ROWS]
    X, y, X_test, y_test = protocol.X[rows], protocol.y[rows], protocol.X[protocol.test], protocol.y[protocol.test]
    found = []
    for kernel, C, alpha in itertools.product(("linear", "rbf"), COSTS, ALPHAS):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NPWarning)
            model = NPSVC(alpha, kernel=kernel, C=C, max_iter=100, shift=True, class0=0).fit(X, y)
        losses = []
        for back in (model.shift_, 0.0):
            called = model.decision_function(X_test) + back > 0
            losses.append(float(np_loss(called[y_test == 0].mean(), (~called[y_test == 1]).mean(), alpha)))
        trained = float(np.mean(model.decision_function(X[y == 0]) + model.shift_ > 0))
        found.append((alpha, *losses, trained, model.shift_ > 0))
    return found


def main():
    measure.print_text(
        f"{DIVISIONS} random divisions, {MOST_ROWS} training rows, linear and rbf kernels, C of 1, 10 and 100, all",
        "columns standardised, the ramp rate. `shift=True` lowers the score after training, as little as needed for",
        "at most a share alpha of the class 0 training rows to lie above 0. J is that of the test rows.",
    )
    table = []
    for name in DATA:
        found = np.array(list(itertools.chain(*measure.repeat(run, (name,), DIVISIONS, label=name, n_jobs=1))))
        for alpha in ALPHAS:
            _, before, after, trained, lowered = found[found[:, 0] == alpha].T
            gain = (after - before)[lowered == 1]
            table.append(
                (
                    name,
                    f"{alpha:g}",
                    before.size,
                    gain.size,
                    f"{before.mean():.3f}",
                    f"{after.mean():.3f}",
                    "yes" if after.mean() <= before.mean() + 5e-4 else "**no**",
                    f"{np.sum(gain < 0)}, {np.sum(gain > 0)}",
                    f"{gain.mean():+.4f}" if gain.size else "-",
                    f"{trained.max() - alpha:+.4f}",
                )
            )
    measure.print_table(COLUMNS, table)


if __name__ == "__main__":
    main()
