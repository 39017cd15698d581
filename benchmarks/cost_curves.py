"""How does the cost of each main function grow with n?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import measure  # isort: skip  (before numpy)
import numpy as np
from cost_figure import draw
from scaling import DECADES, fit_exponent, verdict
from sklearn.linear_model import LogisticRegression

from nproc import NPROCBand, compare, np_order, np_threshold, npc, nproc, roc_cv
from nproc.bands.large import bounds_of_counts
from nproc.comparison import compare_scores
from nproc.comparison.dominance import _count_bounds, _type1_bounds
from nproc.fits import p_values
from nproc.simultaneous import _log_level

GRID = np.linspace(0, 1, 1001)
N_COLUMNS, N_SPLITS, N_TRAIN = 10, 11, 2000
SEED = 1
# a median over at most so many calls of each size, and fewer of those that take long
RUNS = 9
# calls of less are timed several at once
MILLISECONDS = 5
# the exponent of a function is above that of its law by no more than this
SLACK = 0.15


@dataclass(frozen=True)
class Curve:
    """A function whose cost is measured.

    Attributes
    ----------
    name : str
        As it stands in the tables and the legend.
    task : callable
        Takes the data of one size, and does the work that is timed.
    law : str
        How the cost should grow: a key of `scaling.LAWS`.
    most : int
        The largest n.
    peer : bool
        Whether this is another package's function, for comparison.
    """

    name: str
    task: Callable
    law: str
    most: int
    peer: bool = False


def scores(n):
    """Return two normal samples, one shifted by 1, and a second score of the same rows."""
    rng = np.random.default_rng(n)
    scores0, scores1 = rng.normal(size=n), rng.normal(1, 1, size=n)
    return scores0, scores1, scores0 + rng.normal(size=n), scores1 + rng.normal(size=n)


def rows(n):
    """Return predictors and labels, classes equally likely and normal."""
    rng = np.random.default_rng(n)
    y = rng.integers(0, 2, n)
    return rng.normal(size=(n, N_COLUMNS)) + 0.3 * y[:, None], y


def forget():
    """Empty what is kept for each sample size, so that a call costs what the first of its size does."""
    for kept in (_log_level, _type1_bounds, _count_bounds, bounds_of_counts):
        kept.cache_clear()


def simultaneous(scores0, scores1, *_):
    forget()
    NPROCBand.from_scores(scores0, scores1, band="simultaneous").at(GRID)


def paired(scores0, scores1, other0, other1):
    forget()
    compare_scores(np.column_stack([scores0, other0]), np.column_stack([scores1, other1]))


def knots(scores0, scores1, *_):
    forget()
    band = NPROCBand.from_scores(scores0, scores1)
    return band.alpha, band.type2_lower, band.type2_upper


def compared(scores0, scores1, other0, other1):
    forget()
    compare(NPROCBand.from_scores(scores0, scores1), NPROCBand.from_scores(other0, other1))


SCORES = (
    Curve("np_order", lambda a, *_: np_order(a.size, 0.05, 0.05), "1", 10**7),
    Curve("np_threshold", lambda a, *_: np_threshold(a), "n", 10**7),
    Curve("p_values", lambda a, b, *_: p_values(a, b), "n log n", 10**7),
    Curve("band at 1001 levels", lambda a, b, *_: NPROCBand.from_scores(a, b).at(GRID), "n log n", 10**7),
    Curve("band at all knots", knots, "n log n", 10**6),
    Curve("compare, two bands", compared, "n log n", 10**6),
    Curve("compare, paired rows", paired, "n^1.5", 10**5),
    Curve("simultaneous band", simultaneous, "n^1.5", 10**5),
    Curve("np.sort, both classes", lambda a, b, *_: (np.sort(a), np.sort(b)), "n log n", 10**7, peer=True),
)


def fitting_curves():
    """Return the curves of functions of rows; the ensemble that predicts is trained once."""
    X, y = rows(N_TRAIN)
    call = {"class0": 0, "random_state": SEED}
    ensemble = npc(X, y, n_splits=N_SPLITS, **call)
    weights = np.random.default_rng(SEED).normal(size=(N_COLUMNS, N_SPLITS))
    most = 10**6
    return (
        Curve("npc, 1 split", lambda X, y: npc(X, y, **call), "n log n", most),
        Curve(f"npc, {N_SPLITS} splits", lambda X, y: npc(X, y, n_splits=N_SPLITS, **call), "n log n", most),
        Curve("npc, 3 groups", lambda X, y: npc(X, y, groups=np.arange(y.size) % 3, **call), "n log n", most),
        Curve("nproc, 1 split", lambda X, y: nproc(X, y, **call), "n log n", most),
        Curve("roc_cv, 5 folds", lambda X, y: roc_cv(X, y, **call), "n log n", most),
        Curve(f"predict, {N_SPLITS} splits", lambda X, y: ensemble.predict(X), "n", most),
        Curve("LogisticRegression.fit", lambda X, y: LogisticRegression(C=np.inf).fit(X, y), "n", most, peer=True),
        Curve(f"matrix product, {N_SPLITS} columns", lambda X, y: X @ weights, "n", most, peer=True),
    )


def half_decades(most):
    """Return 10^3, 10^3.5, ..., up to `most`."""
    return [size for size in (round(10 ** (j / 2)) for j in range(6, 15)) if size <= most]


def measured(curves, data, most, runs, milliseconds):
    """Return ``{curve: {n: [seconds of a call, ...]}}``."""
    kept = {n: data(n) for n in half_decades(min(most, max(curve.most for curve in curves)))}
    found = {}
    for curve in curves:
        tasks = {n: lambda t=curve.task, d=kept[n]: t(*d) for n in half_decades(min(most, curve.most))}
        found[curve] = measure.time_sizes(tasks, runs=runs, least=milliseconds / 1000)
    return found


def exponent_rows(found):
    """Yield a table row for each curve: the fitted exponent beside that of its law."""
    for curve, seconds in found.items():
        fit = fit_exponent(seconds, curve.law)
        smallest, largest = min(seconds), max(seconds)
        most = fit.of_law + SLACK
        yield (
            curve.name + " (peer)" * curve.peer,
            curve.law,
            f"{fit.exponent:.2f} ({'-' if np.isnan(fit.standard_error) else f'{fit.standard_error:.2f}'})",
            f"{fit.of_law:.2f}",
            f"{fit.smallest:,} to {fit.largest:,}",
            f"{most:.2f}" if not curve.peer else "-",
            verdict(fit, most) if not curve.peer else "-",
            f"{smallest:,}: {measure.median_and_spread(seconds[smallest])}",
            f"{largest:,}: {measure.median_and_spread(seconds[largest])}",
        )


EXPONENT_COLUMNS = (
    "function",
    "law",
    "exponent (standard error)",
    "of the law",
    "fitted over n",
    "at most",
    "met",
    "smallest n: s, median (spread)",
    "largest n: s, median (spread)",
)


def time_rows(found):
    """Yield a table row for each n: the median time of each function, with its spread."""
    for n in sorted({n for seconds in found.values() for n in seconds}):
        cells = (measure.median_and_spread(by[n]) if n in by else "-" for by in found.values())
        yield (f"{n:,}", *cells)


def main():
    given = measure.arguments(most_scores=10**7, most_rows=10**6, runs=RUNS, milliseconds=MILLISECONDS)
    of_scores = measured(SCORES, scores, given.most_scores, given.runs, given.milliseconds)
    of_rows = measured(fitting_curves(), rows, given.most_rows, given.runs, given.milliseconds)
    parts = {"n, scores of each class": of_scores, f"n, rows ({N_COLUMNS} columns, logistic)": of_rows}
    measure.print_text(
        "Processor seconds of one call: the median, with the smallest and the largest of up to",
        f"{given.runs} runs (2 if a call takes over {measure.LONG:g} s). The exponent is the least-squares slope of",
        f"log seconds on log n over the last {DECADES} decades of each function, with its standard error. Beside it is",
        "the slope that the same fit gives to the law itself (a little above 1 for n log n). The target is an exponent",
        f"of at most that of the law plus {SLACK:g}, which a cost that grows as a higher power misses. The slack",
        "allows for caches, which are too small for large samples. The target is missed if the exponent minus two",
        "standard errors exceeds it; if only the exponent itself exceeds it, the result is inconclusive. Each call",
        "makes its bands anew, with their sorts and local levels. A function ends before 10^7 scores if a call takes",
        "more than about ten seconds: at 10^6 if it needs all knots, at 10^5 if it needs local levels.",
    )
    picture = draw(parts, measure.FIGURES / "cost_curves.png")
    measure.print_text(f"![Processor seconds of each main function against n](figures/{picture.name})")
    for title, found in parts.items():
        measure.print_text(f"**Against {title}.**")
        measure.print_table(EXPONENT_COLUMNS, exponent_rows(found))
    for title, found in parts.items():
        measure.print_text(f"**Seconds against {title}.**")
        measure.print_table(("n", *(curve.name for curve in found)), time_rows(found))


if __name__ == "__main__":
    main()
