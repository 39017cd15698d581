"""The split ratio of a study to come, from the learning curve that pilot data show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from nproc.checks import (
    Seed,
    check_count,
    check_delta,
    check_level,
    check_levels,
    check_models,
    check_number,
    check_seed,
    tells_names,
)
from nproc.errors import TooFewSamplesError
from nproc.inputs import merged_params, read_inputs, read_method
from nproc.orderstat import min_class0_size, np_order
from nproc.parallel import check_n_jobs, run_tasks
from nproc.planning.pilot import PilotCurve, check_reach
from nproc.rows import GivenRows, Table, take_rows
from nproc.scorers import MethodLike, naming_refused, score_rows
from nproc.splitting import n_train
from nproc.tables import Axes, DataFrame, InNotebook, Summary, level_pairs, short, summary_table, table_frame
from nproc.umbrella import train

RATIOS = tuple(round(0.1 * i, 1) for i in range(1, 10))
# training sizes at which the learning curve is seen, as shares of the class 0 rows that a fold may train on
SHARES = (0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True, repr=False, eq=False)
class SplitRatioPlan(InNotebook):
    """Expected type II errors of a study at some split ratios. Made by `plan_split_ratio`.

    Attributes
    ----------
    split_ratio : float
        The ratio with the smallest expected type II error.
    ratios, type2_mean, type2_se : ndarray, shape (k,)
        Ratios that leave out enough rows, expected type II error of each, and its standard error over repeats.
    n_train, n0, order : ndarray of int, shape (k,)
        Class 0 rows of the study that train, that are left out, and the rank of the threshold.
    beyond : ndarray of bool, shape (k,)
        Whether `n_train` lies outside the training sizes that the pilot could show.
    sizes : ndarray of int, shape (4,)
        Those training sizes.
    learning : ndarray, shape (k, 4)
        Cross-validated type II errors at those sizes, with the rank of each ratio.
    rows, pilot_rows : int
        Class 0 rows of the study and of the pilot.
    alpha, delta : float
        Levels.
    rate : float
        Exponent of the inverse power law.
    method : str
        Name of the method.
    n_folds, n_repeats : int
        Folds and their repeats.
    seed : int
        Root seed.
    """

    split_ratio: float
    ratios: np.ndarray
    type2_mean: np.ndarray
    type2_se: np.ndarray
    n_train: np.ndarray
    n0: np.ndarray
    order: np.ndarray
    beyond: np.ndarray
    sizes: np.ndarray
    learning: np.ndarray
    rows: int
    pilot_rows: int
    alpha: float
    delta: float
    rate: float
    method: str
    n_folds: int
    n_repeats: int
    seed: int

    def __repr__(self):
        best = int(np.argmin(self.type2_mean))
        return (
            f"SplitRatioPlan(split_ratio={short(self.split_ratio)}, method={self.method!r}, rows={self.rows}, "
            f"alpha={short(self.alpha)}, delta={short(self.delta)}, seed={self.seed})\n  E[type II]="
            f"{short(float(self.type2_mean[best]))}, an estimate from {self.pilot_rows} class 0 rows"
            + (", extrapolated" * bool(self.beyond[best]))
        )

    def to_frame(self) -> DataFrame:
        """Return a DataFrame with a row a ratio: split_ratio, n_train, n0, order, type1_mean, type2_mean, ..."""
        return table_frame(
            {
                "split_ratio": self.ratios,
                "n_train": self.n_train,
                "n0": self.n0,
                "order": self.order,
                "type1_mean": (self.n0 + 1 - self.order) / (self.n0 + 1),
                "type2_mean": self.type2_mean,
                "type2_se": self.type2_se,
                "beyond": self.beyond,
            }
        )

    def summary(self) -> Summary:
        """Return a table of the ratios and their expected type II errors, as a summary of statsmodels."""
        pairs = [
            ("Method", self.method),
            ("Class 0 rows of the study", self.rows),
            ("Class 0 rows of the pilot", self.pilot_rows),
            *level_pairs(self, "alpha", "delta"),
            ("Best split ratio", f"{self.split_ratio:g}"),
            ("Folds", f"{self.n_folds} x {self.n_repeats}"),
            ("Seed", self.seed),
        ]
        columns = ["Ratio", "Train", "Left out", "Rank", "E type I", "E type II", "se", "Beyond the pilot"]
        rows = list(self.to_frame().itertuples(index=False, name=None))
        power = "n" if self.rate == 1 else f"n^{self.rate:g}"
        notes = [
            "E type II: the expected type II error over the left-out rows, from the exact distribution of the "
            "type I error at this rank. The ROC curve is cross-validated on the pilot, and extrapolated to other "
            f"training sizes n by the curve a + b / {power}. The number of class 1 rows is that of the "
            "pilot.",
            "This is an estimate, not a bound; it assumes the learning curve above. Beyond the pilot: the "
            "training size is outside the range seen in the pilot, so the value is extrapolated. se: the standard "
            "error over repeats of the folds, which does not include the variation between pilots.",
        ]
        return summary_table("Plan: split ratio", pairs, columns, rows, notes)

    def plot(self, *, ax: Axes | None = None, figsize: tuple[float, float] | None = None) -> Axes:
        """Draw the expected type II error against the split ratio; return the Axes.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; None makes a figure.
        figsize : (float, float), optional
            Width and height of a new figure, in inches.

        Returns
        -------
        matplotlib.axes.Axes
        """
        from nproc.plotting import plot_split_plan

        return plot_split_plan(self, ax=ax, figsize=figsize)


@tells_names
def plan_split_ratio(
    X: Table,
    y: ArrayLike | None = None,
    method: MethodLike = "logistic",
    *,
    rows: int | None = None,
    alpha: float = 0.05,
    delta: float = 0.05,
    ratios: Sequence[float] = RATIOS,
    rate: float = 1.0,
    n_folds: int = 2,
    n_repeats: int = 10,
    class0: object = None,
    data: Table | None = None,
    method_params: Mapping[str, Any] | None = None,
    n_jobs: int | None = None,
    random_state: Seed = None,
) -> SplitRatioPlan:
    r"""Plan the split ratio of a study of `rows` class 0 rows from pilot data, by the expected type II error.

    More rows for training give a better score; more rows for the threshold bring its type I error nearer to alpha.

    Parameters
    ----------
    X, y, method, class0, data, method_params, n_jobs, random_state
        Pilot data and method, as in `npc`.
    rows : int, optional
        Class 0 rows of the study to come; None: as many as the pilot has.
    alpha, delta : float
        The levels of the study: alpha in (0, 1), delta in (0, 0.5].
    ratios : sequence of float
        Ratios to compare; those that leave out too few rows for a rule are dropped.
    rate : float
        Exponent of the learning curve, above 0: 1 for the usual rate of methods with a fixed number of parameters
        (lda, logistic), 1/2 for slow learners.
    n_folds, n_repeats : int
        Folds of the cross-validation and its repeats, at least 2 each.

    Returns
    -------
    SplitRatioPlan

    Raises
    ------
    TooFewSamplesError
        If no ratio leaves out enough rows of the study, or a fold of the pilot is too small for alpha.
    InvalidInputError
        If an argument is out of range.

    See Also
    --------
    plan_class0 : rows for given levels and power.
    npc : its ``split_ratio="adaptive"`` chooses a ratio from the rows of the study itself.

    Notes
    -----
    In each fold the method trains on 1/4, 1/2, 3/4 and all of the class 0 rows outside it (and on all class 1 rows
    outside it) and scores the fold. Given these scores, the type II error that the rule at rank k of n left-out rows
    has in expectation is computed from the law of its type I error, Beta(n + 1 - k, k), and the ROC curve of the
    fold, as in `plan_class0`. For each ratio r, with its own n and k, the errors at the four training sizes are fitted
    by limit + slope / size^rate with slope >= 0, and read off at the size r rows.

    Assumed: the study's rows are like the pilot's; class 1 trains with as many rows as in a fold of the pilot; the
    learning curve has that form. It is an estimate without a bound. The choice does not affect the guarantee on the
    type I error, as long as no pilot row sets a threshold in the study.

    Examples
    --------
    >>> from nproc.datasets import load_breast_cancer_np
    >>> cancer = load_breast_cancer_np()
    >>> plan = plan_split_ratio(
    ...     cancer.X, cancer.y, "lda", rows=300, class0="malignant", n_repeats=2, random_state=1
    ... )
    >>> plan.n0.tolist()[0], plan.n_train.tolist()[0]
    (270, 30)
    """
    alpha, delta = check_level(alpha, "alpha"), check_delta(delta)
    ratios = np.unique(check_levels(ratios, "ratios"))
    rate = check_number(rate, "rate")
    n_folds = check_count(n_folds, "n_folds", minimum=2)
    n_repeats = check_models(n_repeats, "n_repeats", minimum=2)
    n_jobs, seed = check_n_jobs(n_jobs), check_seed(random_state)
    chosen = read_method(method, merged_params(method_params, {}), prefit=False, alpha=alpha)
    inputs = read_inputs(GivenRows(X, y, data), method=chosen, class0=class0)
    n0, n1 = inputs.labels.n0, inputs.labels.n1
    rows = n0 if rows is None else check_count(rows, "rows", minimum=2)
    if min(n0, n1) < 2 * n_folds:
        raise TooFewSamplesError(f"n_folds={n_folds} requires at least {2 * n_folds} pilot rows of each class.")
    check_reach(n0 // n_folds, alpha, f"each of {n_folds} folds has")
    trains, needed = np.array([n_train(rows, r) for r in ratios.tolist()]), min_class0_size(alpha, delta)
    usable = (trains >= 1) & (rows - trains >= needed)
    if not usable.any():
        raise TooFewSamplesError(
            f"no ratio of {ratios.tolist()} leaves out the {needed} of rows={rows} class 0 rows that alpha={alpha:g} "
            f"and delta={delta:g} need."
        )
    ratios, trains = ratios[usable], trains[usable]
    left = rows - trains
    orders = np.array([np_order(n, alpha, delta) for n in left.tolist()])
    pool = n0 - -(-n0 // n_folds)
    sizes = np.array([max(1, round(share * pool)) for share in SHARES])
    errors = run_tasks(
        _fold_errors,
        [(repeat, j) for repeat in range(n_repeats) for j in range(n_folds)],
        shared=(inputs.X, inputs.y, inputs.method.scorer, sizes, left - orders, left, n_folds, seed),
        n_jobs=n_jobs,
        verbose=0,
        label="plan: fold",
    )
    errors = np.reshape(errors, (n_repeats, n_folds, ratios.size, len(SHARES))).mean(axis=1)
    fitted = np.array([_extrapolate(curves, sizes, trains, rate) for curves in errors])
    type2 = _extrapolate(errors.mean(axis=0), sizes, trains, rate)
    return SplitRatioPlan(
        split_ratio=float(ratios[np.argmin(type2)]),
        ratios=ratios,
        type2_mean=type2,
        type2_se=fitted.std(axis=0, ddof=1) / np.sqrt(n_repeats),
        n_train=trains,
        n0=left,
        order=orders,
        beyond=(trains < sizes[0]) | (trains > sizes[-1]),
        sizes=sizes,
        learning=errors.mean(axis=0),
        rows=rows,
        pilot_rows=n0,
        alpha=alpha,
        delta=delta,
        rate=rate,
        method=inputs.subject.method,
        n_folds=n_folds,
        n_repeats=n_repeats,
        seed=seed,
    )


def _fold_errors(X, y, scorer, sizes, n_above, left, n_folds, root, repeat, j):
    """Expected type II errors of one fold, shape (ratios, sizes)."""
    rng = np.random.default_rng(np.random.SeedSequence([root, 4, repeat]))
    folds = [np.array_split(rng.permutation(np.flatnonzero(y == label)), n_folds) for label in (0, 1)]
    held = [parts.pop(j) for parts in folds]
    rest0, rest1 = map(np.concatenate, folds)
    seed = np.random.SeedSequence([root, 3, repeat, j])
    columns = []
    for size in sizes.tolist():
        idx_train = np.sort(np.concatenate([rest0[:size], rest1]))
        with naming_refused(scorer, X):
            fitted = train(X, y, scorer, None, None, idx_train, seed)
            scores = [score_rows(fitted, take_rows(X, idx)) for idx in held]
        columns.append(1 - PilotCurve.from_scores(*scores, "fold").mean_power(n_above, left))
    return np.column_stack(columns)


def _extrapolate(errors, sizes, trains, rate):
    """Errors at the sizes `trains`, one a row of `errors`, by least squares on limit + slope / size^rate."""
    x = sizes**-rate
    spread = x - x.mean()
    scale = np.sum(spread**2)
    slopes = np.maximum(errors @ spread / scale, 0.0) if scale > 0 else np.zeros(len(errors))
    return np.clip(errors.mean(axis=1) + slopes * (trains**-rate - x.mean()), 0.0, 1.0)
