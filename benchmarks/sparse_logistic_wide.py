"""Is sparse logistic regression as fast as LogisticRegression where there are more columns than rows?"""

import warnings
from functools import partial

import measure  # isort: skip  (before numpy)
import numpy as np
from np_protocol import load
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from nproc import SparseLogisticClassifier
from nproc.scorers.base import ranks_only

LAMBDAS = (0.1, 1.0, 10.0)
WHOLE, INTERVAL = (0.0, 1.0), (0.3, 0.7)
TEXT_ROWS = 2000
REPEATS = 7
MOST = 1.0
# of the peer
TOL = 1e-6


def wide_data():
    """Return {name: (X, y, most)} with the limit of the ratio, None for sparse rows."""
    with np.load(measure.SHARED / "data" / "leukemia_golub.npz", allow_pickle=False) as stored:
        genes, leukemia = StandardScaler().fit_transform(stored["X"].astype(np.float64)), stored["y"]
    texts, topic = load("rcv1")
    rows = np.random.default_rng(0).permutation(topic.size)[:TEXT_ROWS]
    return {
        "leukemia": (genes, (leukemia == leukemia.max()).astype(int), MOST),
        "RCV1": (texts[rows], topic[rows], None),
    }


def ours(X, y, interval, lam):
    """Return the fitted model; a warning is an error, so that only converged fits are timed."""
    with ranks_only(), warnings.catch_warnings():
        warnings.simplefilter("error")
        return SparseLogisticClassifier(*interval, lam).fit(X, y)


def peer(X, y, lam, solver):
    return LogisticRegression(C=1.0 / lam, solver=solver, tol=TOL, max_iter=10_000).fit(X, y)


def objective(model, X, y, lam):
    """Return the sum of the logistic losses and the penalty."""
    weights = np.ravel(model.coef_)
    margins = (2 * y - 1) * (X @ weights + np.ravel(model.intercept_))
    return float(np.logaddexp(0.0, -margins).sum() + 0.5 * lam * weights @ weights)


def main():
    measure.print_text(
        f"Genes of leukemia, standardised, and {TEXT_ROWS:,} texts. The peer is the faster of LogisticRegression's",
        f"solvers lbfgs and newton-cg with tol={TOL:g}. Interval 0 to 1 is the same problem; the last column is our",
        "objective less the peer's. Ours has a certificate of 1e-9. For sparse rows it forms the products of all pairs",
        "of rows, which newton-cg does not, so that it has no target there.",
    )
    table = []
    for name, (X, y, most) in wide_data().items():
        for lam in LAMBDAS:
            tasks = {interval: partial(ours, X, y, interval, lam) for interval in (WHOLE, INTERVAL)}
            tasks |= {solver: partial(peer, X, y, lam, solver) for solver in ("lbfgs", "newton-cg")}
            seconds = measure.interleave(tasks, REPEATS)
            faster = min(("lbfgs", "newton-cg"), key=lambda solver: np.median(seconds[solver]))
            ends = [objective(model, X, y, lam) for model in (tasks[WHOLE](), tasks[faster]())]
            gap = (ends[0] - ends[1]) / ends[1]
            for interval in (WHOLE, INTERVAL):
                what = f"lambda {lam:g}, interval {interval[0]:g} to {interval[1]:g}"
                told = f"{gap:.1e}" if interval == WHOLE else "-"
                row = measure.ratio_row(what, seconds[interval], seconds[faster], most)
                table.append((name, f"{X.shape[0]} x {X.shape[1]}", *row, faster, told))
    columns = ("data", "shape", *measure.RATIO_COLUMNS, "peer", "objective, relative difference")
    measure.print_table(columns, table)


if __name__ == "__main__":
    main()
