"""Cross-validated ROC curves, for comparison with NP-ROC bands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nproc.checkpoints import open_checkpoint
from nproc.checks import check_choice, check_end_of_area, check_levels, check_models
from nproc.errors import TooFewSamplesError
from nproc.inputs import Inputs, RunSettings, knows_names_of_r
from nproc.parallel import run_tasks
from nproc.rows import take_rows
from nproc.scorers import naming_refused, score_rows
from nproc.tables import Axes, DataFrame, InNotebook, Summary, summary_table, table_frame
from nproc.umbrella import train

METRICS = ("cv", "subsample")


@dataclass(frozen=True, repr=False, eq=False)
class ROCCurve(InNotebook):
    """A vertical average of empirical ROC curves; made by `roc_cv`.

    Attributes
    ----------
    fpr, tpr : ndarray, shape (k,)
        Corners of the average curve: empirical type I error and one minus the empirical type II error. Where the
        curve jumps, an fpr occurs twice, with the heights before and after. The curve starts at fpr 0 with the
        average height reached there, which need not be 0.
    auc : float
        Area under the average curve, which is the average of `auc_folds`.
    auc_folds : ndarray, shape (n_folds,)
        Areas under the single curves.
    method : str
        Name of the scorer.
    metric : str
        "cv" or "subsample".
    labels : ndarray, shape (2,)
        The user's labels, that of class 0 first.
    seed : int
        Root seed.
    """

    fpr: np.ndarray
    tpr: np.ndarray
    auc: float
    auc_folds: np.ndarray
    method: str
    metric: str
    labels: np.ndarray
    seed: int

    @property
    def n_folds(self) -> int:
        """Number of curves averaged."""
        return self.auc_folds.size

    def __repr__(self):
        return (
            f"ROCCurve(method={self.method!r}, metric={self.metric!r}, n_folds={self.n_folds}, auc={self.auc:.4f}, "
            f"class0={self.labels[0]!s})"
        )

    def to_frame(self) -> DataFrame:
        """Return a DataFrame with the columns fpr and tpr."""
        return table_frame({"fpr": self.fpr, "tpr": self.tpr})

    def summary(self, *, fpr: Sequence[float] = (0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5)) -> Summary:
        """Return a table of the curve at some points that prints like those of statsmodels."""
        fpr = np.ravel(check_levels(fpr, "fpr", closed=True))
        pairs = [
            ("Method", self.method),
            ("Class 0", str(self.labels[0])),
            ("Class 1", str(self.labels[1])),
            ("Curves averaged", f"{self.n_folds} {'folds' if self.metric == 'cv' else 'subsamples'}"),
            ("AUC", self.auc),
            ("AUC, lowest curve", self.auc_folds.min()),
            ("AUC, highest curve", self.auc_folds.max()),
            ("Seed", self.seed),
        ]
        rows = list(zip(fpr, np.interp(fpr, self.fpr, self.tpr), strict=True))
        notes = [
            "Both axes are estimates. If you choose a threshold from this curve at an empirical type I error of "
            "alpha, the true type I error is above alpha about half of the time. For a bound, see the NP-ROC "
            "band.",
            "Larger scores are taken to mean class 1.",
        ]
        return summary_table("ROC curve, vertical average", pairs, ["Type I error", "1 - type II error"], rows, notes)

    def partial_auc(self, fpr_max: float) -> float:
        """Return the area under the average curve from 0 to an empirical type I error; a perfect curve has `fpr_max`.

        Parameters
        ----------
        fpr_max : float
            In (0, 1).

        Returns
        -------
        float
            An estimate. `NPROCBand.partial_auc` has bounds, and `nproc.comparison.partial_auc` is for your own scores.
        """
        return area_up_to(self.fpr, self.tpr, check_end_of_area(fpr_max, "fpr_max"))

    @knows_names_of_r
    def plot(
        self,
        *,
        ax: Axes | None = None,
        figsize: tuple[float, float] | None = None,
        label: str | None = None,
        color: Any = None,
        linestyle: Any = None,
        drawstyle: str = "default",
    ) -> Axes:
        """Draw the curve, beside a band of the same class 0 if `ax` holds one; return the Axes.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            The axes to draw on; None makes a figure. On the axes of a band the curve takes the scale of the band: with
            ``scale="errors"`` the curve shows the type II error. The legend then says that its errors are estimated.
        figsize : (float, float), optional
            Size of a new figure in inches, as in `NPROCBand.plot`.
        label : str, optional
            Name in the legend. None takes the name of the method and the AUC.
        color, linestyle : optional
            As matplotlib takes them. None takes the next free style on the axes, which is grey beside a band.
        drawstyle : str
            How matplotlib joins the corners of the curve. The default joins them by straight lines, as the average of
            the folds does; "steps-post" draws steps like those of a band.

        Raises
        ------
        InvalidInputError
            If `ax` shows a band or a curve of another class 0, or predictive values.
        """
        from nproc.plotting import as_given, error_axes, legend_letters, name_of_curve, plot_roc, short_name

        style = {"color": color, "linestyle": linestyle, "drawstyle": drawstyle}
        ax = error_axes(ax, figsize=figsize)
        if label is None:
            label = f"ROC-CV {as_given(name_of_curve(self.method, ax))}, AUC {self.auc:.2f}"
        else:
            label = short_name(label, legend_letters(ax))
        return plot_roc(self.fpr, self.tpr, ax=ax, label=label, labels=self.labels, **style)


def average_roc(inputs: Inputs, run: RunSettings, *, metric: str, n_folds: int, train_fraction: float) -> ROCCurve:
    """Return the `ROCCurve` of checked inputs; see `roc_cv` for the arguments."""
    check_choice(metric, "metric", METRICS)
    n_folds = check_models(n_folds, "n_folds", minimum=2 if metric == "cv" else 1)
    n0, n1, least = inputs.labels.n0, inputs.labels.n1, n_folds if metric == "cv" else 2
    if min(n0, n1) < least:
        raise TooFewSamplesError(
            f"n_folds={n_folds} needs at least {least} rows of each class, got n0={n0} and n1={n1}; use fewer folds."
        )
    n_trained = int(train_fraction * inputs.y.size)
    if metric == "subsample" and min(n_trained, inputs.y.size - n_trained) < 2:
        raise TooFewSamplesError(
            f"train_fraction={train_fraction:g} of {inputs.y.size} rows leaves {n_trained} to train and "
            f"{inputs.y.size - n_trained} to test; both need at least 2, one of each class."
        )
    root = np.random.SeedSequence(run.seed)
    state, seeds = int(root.generate_state(1)[0]), root.spawn(n_folds)
    if metric == "cv":
        fold_of, tasks = _fold_of_rows(inputs.y, n_folds, state), list[Any](enumerate(seeds))
    else:
        fold_of, tasks = None, []
        rng = np.random.RandomState(state)
        for fold_seed in seeds:
            tasks.append((rng.get_state(), fold_seed))
            for idx in _random_parts(inputs.y, train_fraction, rng):
                if np.unique(inputs.y[idx]).size < 2:
                    raise TooFewSamplesError(
                        f"train_fraction={train_fraction:g} of n0={n0} and n1={n1} rows leaves one part without "
                        "rows of one class; choose a value nearer to 0.5."
                    )
    store = open_checkpoint(
        run,
        inputs,
        what="ROC curves of folds",
        # random splits beyond n_folds add to those before, folds do not
        settings=(metric, n_folds) if metric == "cv" else (metric, train_fraction),
    )
    curves = run_tasks(
        _fold_curve,
        tasks,
        shared=(inputs.X, inputs.y, inputs.method.scorer, inputs.sample_weight, run.resample, train_fraction, fold_of),
        n_jobs=run.n_jobs,
        verbose=run.verbose,
        label="roc_cv: fold",
        store=store,
        keys=None if store is None else [f"fold-{j:05d}" for j in range(n_folds)],
    )
    fpr, tpr = vertical_average(curves)
    return ROCCurve(
        fpr=fpr,
        tpr=tpr,
        auc=float(np.trapezoid(tpr, fpr)),
        auc_folds=np.array([np.trapezoid(tpr, fpr) for fpr, tpr in curves]),
        method=inputs.method.name,
        metric=metric,
        labels=inputs.labels.values,
        seed=run.seed,
    )


def vertical_average(curves):
    """Return the corners (fpr, tpr) of the exact average, at each fpr, of curves given by their corners.

    The curves jump where an fpr is repeated. The average has a corner before and one after each jump; at fpr 0 only
    the upper one.
    """
    grid = np.unique(np.concatenate([fpr for fpr, _ in curves]))
    # of several corners at one fpr, numpy.interp takes the last: the upper one, or on the mirrored curve the lower
    after = np.mean([np.interp(grid, fpr, tpr) for fpr, tpr in curves], axis=0)
    before = np.mean([np.interp(-grid[::-1], -fpr[::-1], tpr[::-1])[::-1] for fpr, tpr in curves], axis=0)
    fpr, tpr = np.repeat(grid, 2)[1:], np.column_stack([before, after]).ravel()[1:]
    moves = np.append(True, (np.diff(fpr) > 0) | (np.diff(tpr) > 0))
    return fpr[moves], tpr[moves]


def empirical_roc(y, scores):
    """Return the corners (fpr, tpr) of the empirical ROC curve; tied scores are joined by a straight line."""
    from sklearn.metrics import roc_curve

    fpr, tpr, _ = roc_curve(y, scores, drop_intermediate=False)
    return fpr, tpr


def area_up_to(fpr, tpr, fpr_max):
    """Return the area under a ROC curve, given by its corners, from 0 to an empirical type I error in (0, 1)."""
    after = int(np.searchsorted(fpr, fpr_max, side="left"))
    # where the curve jumps at fpr_max, this is the lower of its heights
    height = np.interp(fpr_max, fpr[after - 1 : after + 1], tpr[after - 1 : after + 1])
    return float(np.trapezoid(np.append(tpr[:after], height), np.append(fpr[:after], fpr_max)))


def _fold_of_rows(y, n_folds, state):
    """Return the fold of each row, which stands for the index arrays of all folds."""
    # imported here, like all of scikit-learn's model selection, to keep the import of the package fast
    from sklearn.model_selection import StratifiedKFold

    fold_of = np.empty(y.size, dtype=np.intp)
    folds = StratifiedKFold(n_folds, shuffle=True, random_state=state).split(np.zeros(y.size), y)
    for j, (_, idx_test) in enumerate(folds):
        fold_of[idx_test] = j
    return fold_of


def _random_parts(y, train_fraction, rng):
    """Return the training and the test rows of the next random split of `rng`."""
    from sklearn.model_selection import StratifiedShuffleSplit

    splitter = StratifiedShuffleSplit(1, train_size=train_fraction, random_state=rng)
    return next(splitter.split(np.zeros(y.size), y))


def _fold_curve(X, y, scorer, sample_weight, resample, train_fraction, fold_of, fold, seed):
    if fold_of is None:
        # `fold` is the state of the generator before this split: 2500 bytes instead of n integers
        rng = np.random.RandomState()
        rng.set_state(fold)
        idx_train, idx_test = _random_parts(y, train_fraction, rng)
    else:
        idx_train, idx_test = np.flatnonzero(fold_of != fold), np.flatnonzero(fold_of == fold)
    with naming_refused(scorer, X):
        fitted = train(X, y, scorer, sample_weight, resample, idx_train, seed)
        return empirical_roc(y[idx_test], score_rows(fitted, take_rows(X, idx_test)))
