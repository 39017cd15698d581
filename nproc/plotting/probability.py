"""Estimated probabilities that mean what they say inside an interval only."""

from __future__ import annotations

import numpy as np

from nproc.checks import check_levels
from nproc.errors import InvalidInputError
from nproc.plotting.canvas import COLORS, axes_or_new

LEAST_ROWS = 10


def plot_probability_band(truth, estimate, p_min, p_max, *, ax=None, n_bins=25, coverage=0.8):
    """Return Axes with the spread of estimated probabilities against the true ones.

    The median of the estimates and a band that holds a share `coverage` of them, in bins of the true probability.
    Inside [p_min, p_max] the closer to the diagonal the better; outside, the estimate is only asked to lie on the right
    side of the interval, and tends to p_min or p_max.

    Parameters
    ----------
    truth : array-like, shape (n,)
        True probabilities of class 1.
    estimate : array-like, shape (n,)
        Estimated ones.
    p_min, p_max : float
        The interval in which the estimate is meant literally.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None makes a figure.
    n_bins : int
        Bins of equal width; those with fewer than 10 rows are left out.
    coverage : float
        Share of the estimates in the band.

    Returns
    -------
    matplotlib.axes.Axes
        The Axes drawn on.

    Raises
    ------
    InvalidInputError
        If the two arrays differ in length, or hold other than probabilities.

    Examples
    --------
    >>> import numpy as np
    >>> from matplotlib.figure import Figure
    >>> p = np.linspace(0, 1, 1000)
    >>> ax = plot_probability_band(p, np.clip(p, 0.2, 0.4), 0.2, 0.4, ax=Figure().subplots())
    >>> ax.get_xlabel()
    'true probability of class 1'
    """
    truth, estimate = check_levels(truth, "truth", closed=True), check_levels(estimate, "estimate", closed=True)
    if truth.ndim != 1 or truth.shape != estimate.shape:
        raise InvalidInputError(
            f"truth and estimate must be one-dimensional and equally long, got shapes {truth.shape}, {estimate.shape}."
        )
    bins = np.minimum((truth * n_bins).astype(np.int64), n_bins - 1)
    kept = [rows for rows in (np.flatnonzero(bins == b) for b in range(n_bins)) if rows.size >= LEAST_ROWS]
    tail = (1 - coverage) / 2
    centres = [truth[rows].mean() for rows in kept]
    lower, median, upper = (
        np.array([np.quantile(estimate[rows], [tail, 0.5, 1 - tail]) for rows in kept]).reshape(-1, 3).T
    )
    ax = axes_or_new(ax, figsize=(4.5, 4.5))
    _shade_outside(ax, p_min, p_max)
    band = ax.fill_between(centres, lower, upper, color="0.6", lw=0, label=f"{100 * coverage:g} % of the estimates")
    band.set_gid("nproc-probability-band")
    ax.plot(centres, median, color="black", lw=1.6, label="median", gid="nproc-probability-median")
    ax.plot([0, 1], [0, 1], color="black", ls=":", lw=1, label="estimate = truth", gid="nproc-probability-diagonal")
    ax.set(xlabel="true probability of class 1", ylabel="estimated probability of class 1", xlim=(0, 1), ylim=(0, 1))
    ax.set_aspect("equal")
    return ax


def plot_calibration(estimate, share, lower, upper, p_min, p_max, *, ax=None, label="class 1"):
    """Return Axes with the observed share of class 1 against the estimated probability.

    Each point is a group of rows with similar estimates; its bar is a confidence interval of the share. In the hatched
    parts, outside [p_min, p_max], an estimate says no more than that the probability is below p_min or above p_max, and
    points there need not lie near the diagonal. Between them points off the diagonal show the bias of the model, which
    a linear one has where the interval is narrow.

    Parameters
    ----------
    estimate : array-like, shape (k,)
        Mean estimated probability of each group.
    share : array-like, shape (k,)
        Share of class 1 rows in it.
    lower, upper : array-like, shape (k,)
        Ends of the confidence intervals of the shares.
    p_min, p_max : float
        The interval in which the estimate is meant literally.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None makes a figure.
    label : str
        Name of class 1.

    Returns
    -------
    matplotlib.axes.Axes
        The Axes drawn on.

    Raises
    ------
    InvalidInputError
        If the arrays hold other than probabilities.
    """
    names = ("estimate", "share", "lower", "upper")
    values = [check_levels(v, n, closed=True) for v, n in zip((estimate, share, lower, upper), names, strict=True)]
    estimate, share, lower, upper = values
    ax = axes_or_new(ax, figsize=(4.5, 5.1))
    _shade_outside(ax, p_min, p_max)
    bars = np.vstack([np.maximum(share - lower, 0), np.maximum(upper - share, 0)])
    points = ax.errorbar(estimate, share, yerr=bars, fmt="o", ms=4, color=COLORS[0], capsize=2, label="observed share")
    points.lines[0].set_gid("nproc-calibration")
    ax.plot([0, 1], [0, 1], color="black", ls=":", lw=1, label="calibrated", gid="nproc-probability-diagonal")
    ax.set(
        xlabel=f"estimated probability of {label}", ylabel=f"observed share of {label}", xlim=(0, 1), ylim=(-0.02, 1.02)
    )
    # above the axes: inside, the place that is free of lines may hold points and their bars
    ax.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), fontsize="small", frameon=False)
    return ax


def _shade_outside(ax, p_min, p_max):
    """Hatch the parts of both kinds of axes outside the interval, and mark its ends."""
    style = {"facecolor": "0.95", "edgecolor": "0.8", "hatch": "///", "lw": 0, "zorder": 0}
    told = False
    for start, stop, side in ((0.0, p_min, "below"), (p_max, 1.0, "above")):
        if stop > start:
            text = "outside the interval: only a side is estimated"
            ax.axvspan(start, stop, label=None if told else text, gid=f"nproc-probability-{side}", **style)
            told = True
