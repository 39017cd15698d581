"""The bound on the type I error of a fitted rule against the probability that it fails."""

import numpy as np

from nproc.checks import check_level, check_levels
from nproc.errors import InvalidInputError
from nproc.plotting.canvas import (
    axes_or_new,
    color_of,
    ink,
    line_width,
    style_of,
)
from nproc.plotting.legend import place_legend


def plot_type1_curve(delta, type1_upper, *, alpha, delta_alpha, mean, ax=None, figsize=None):
    """Return Axes with the bound against delta on a logarithmic axis, the level of the rule and its mean error marked.

    Parameters
    ----------
    delta, type1_upper : array-like, shape (m,)
        Probabilities that the bound fails, and the bound for each of them.
    alpha : float
        Level of the rule.
    delta_alpha : float
        The probability that the type I error is above `alpha`.
    mean : float
        Mean of the type I error.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None makes a figure.
    figsize : (float, float), optional
        Size of the new figure in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The Axes drawn on.

    Raises
    ------
    InvalidInputError
        If the arrays differ in length, or a number is not in (0, 1).
    """
    delta, type1_upper = check_levels(delta, "delta"), check_levels(type1_upper, "type1_upper")
    if delta.ndim != 1 or delta.shape != type1_upper.shape:
        raise InvalidInputError(
            f"delta and type1_upper must be two lists of one length, got shapes {delta.shape} and {type1_upper.shape}."
        )
    alpha, mean = check_level(alpha, "alpha"), check_level(mean, "mean")
    ax = axes_or_new(ax, figsize, (6, 4))
    order = delta.argsort()
    (line,) = ax.plot(
        delta[order], type1_upper[order], color=color_of(0), lw=line_width(1.2), label="bound on the type I error"
    )
    line.set_gid("nproc-type1-curve")
    ax.axhline(
        alpha, color=ink(), lw=line_width(0.7), ls=(0, (4, 3)), gid="nproc-type1-alpha", label=rf"$\alpha$ = {alpha:g}"
    )
    ax.plot(
        [delta_alpha],
        [alpha],
        "o",
        color=ink(),
        ms=line_width(4.0),
        gid="nproc-type1-at-alpha",
        label=f"exceeded with probability {delta_alpha:.3g}",
    )
    ax.axhline(
        mean,
        color=color_of(1),
        lw=line_width(1.0),
        ls=":",
        gid="nproc-type1-mean",
        label=f"mean type I error {mean:.3g}",
    )
    ax.set(xscale="log", xlabel=r"probability that the bound fails, $\delta$", ylabel="bound on the type I error")
    ax.set_ylim(bottom=0)
    place_legend(ax)
    return ax


def plot_vote_bound(type1, best, union, single, *, n_splits, alpha, delta, ax=None, figsize=None):
    """Return Axes with the proved bound on the probability that the type I error is above a value, against that value.

    Parameters
    ----------
    type1 : ndarray, shape (n,)
        Type I errors.
    best, union : ndarray, shape (n,)
        Bounds for the vote: the best one, and the one by counting thresholds alone.
    single : ndarray, shape (n,)
        The probability for a single split.
    n_splits : int
        Splits of the vote.
    alpha, delta : float
        The levels of a single split, drawn as lines.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None makes a figure.
    figsize : (float, float), optional
        Size of the new figure in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The Axes drawn on.

    Examples
    --------
    >>> import numpy as np
    >>> from matplotlib.figure import Figure
    >>> ones = np.ones(3)
    >>> ax = plot_vote_bound(
    ...     np.array([0.05, 0.1, 0.15]), ones, ones, ones, n_splits=3, alpha=0.05, delta=0.05, ax=Figure().subplots()
    ... )
    >>> ax.get_xlabel()
    'type I error, x'
    """
    ax = axes_or_new(ax, figsize, (6, 4))
    curves = (
        (single, "a single split (exact)", "single"),
        (best, f"vote of {n_splits}, best proved bound", "best"),
        (union, f"vote of {n_splits}, counting thresholds", "counting"),
    )
    for number, (values, label, name) in enumerate(curves):
        gid = f"nproc-votebound-{name}"
        color, style = style_of(number)
        ax.plot(type1, values, color=color, ls=style, lw=line_width(1.0), label=label, gid=gid)
    level = {"color": ink(), "lw": line_width(0.7)}
    ax.axvline(alpha, ls=(0, (4, 3)), label=rf"$\alpha$ = {alpha:g}", gid="nproc-votebound-alpha", **level)
    ax.axhline(delta, ls=":", label=rf"$\delta$ = {delta:g}", gid="nproc-votebound-delta", **level)
    ax.set(xlabel="type I error, x", ylabel="P(type I error > x), at most", xlim=(0, type1[-1]), ylim=(0, 1.02))
    place_legend(ax)
    return ax


XLABEL = "left-out class 0 rows, $n_0$"


def plot_plan_type1(columns, low, high, alpha, *, marks, ax=None, figsize=None):
    """Return Axes with the expected type I error and its central 90 % range against the number of rows.

    Parameters
    ----------
    columns : dict of ndarray
        ``n0`` and ``type1_mean``.
    low, high : ndarray
        Ends of the range at each number of rows.
    alpha : float
        The bound.
    marks : dict
        ``n0`` and ``n0_first``, marked by vertical lines, and the ``power`` that was asked for.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None makes a figure.
    figsize : (float, float), optional
        Size of the new figure in inches.

    Returns
    -------
    matplotlib.axes.Axes
    """
    ax = axes_or_new(ax, figsize, (6.4, 4.2))
    fill = ax.fill_between(columns["n0"], low, high, color="0.82", lw=0, label="90 % of samples")
    fill.set_gid("nproc-plan-range")
    _draw_expected(ax, columns, "type1")
    ax.axhline(alpha, color=ink(), ls="--", lw=line_width(0.7), label=rf"$\alpha$ = {alpha:g}", gid="nproc-plan-alpha")
    ax.set(xlabel=XLABEL, ylabel="type I error of the rule", ylim=(0, max(1.25 * alpha, 1.05 * float(high.max()))))
    return _finish(ax, columns["n0"], marks)


def plot_plan_type2(columns, oracle, *, marks, ax=None, figsize=None):
    """Return Axes with the expected type II error against the number of rows, and its bounds where there are some.

    Parameters
    ----------
    columns : dict of ndarray
        ``n0``, ``type2_mean`` and perhaps ``type2_lower`` and ``type2_upper``.
    oracle : float
        Type II error of the threshold with type I error alpha exactly.
    marks : dict
        As in `plot_plan_type1`.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None makes a figure.
    figsize : (float, float), optional
        Size of the new figure in inches.

    Returns
    -------
    matplotlib.axes.Axes
    """
    ax = axes_or_new(ax, figsize, (6.4, 4.2))
    if "type2_lower" in columns:
        fill = ax.fill_between(
            columns["n0"], columns["type2_lower"], columns["type2_upper"], color="0.82", lw=0, label="bounds from pilot"
        )
        fill.set_gid("nproc-plan-range")
    _draw_expected(ax, columns, "type2")
    ax.axhline(oracle, color=ink(), ls="--", lw=line_width(0.7), label=f"oracle, {oracle:.3g}", gid="nproc-plan-oracle")
    ax.set(xlabel=XLABEL, ylabel="expected type II error", ylim=(0, 1))
    return _finish(ax, columns["n0"], marks)


def plot_split_plan(ratios, type2, error, beyond, best, *, ax=None, figsize=None):
    """Return Axes with the expected type II error against the split ratio.

    Parameters
    ----------
    ratios, type2, error : ndarray, shape (k,)
        Ratios, expected type II errors and their standard errors.
    beyond : ndarray of bool, shape (k,)
        Where the learning curve is extrapolated; drawn as open points.
    best : float
        The ratio to mark.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None makes a figure.
    figsize : (float, float), optional
        Size of the new figure in inches.

    Returns
    -------
    matplotlib.axes.Axes
    """
    ax = axes_or_new(ax, figsize, (5.6, 4.0))
    ax.plot(ratios, type2, color=color_of(0), lw=line_width(0.7), gid="nproc-plan-ratios")
    for rows, face, label in (
        (~beyond, color_of(0), "training sizes seen in the pilot"),
        (beyond, ax.get_facecolor(), "beyond it"),
    ):
        if np.any(rows):
            ax.errorbar(
                ratios[rows],
                type2[rows],
                yerr=error[rows],
                fmt="o",
                ms=line_width(3.0),
                mfc=face,
                color=color_of(0),
                label=label,
            )
    ax.axvline(best, color=ink(), ls=(0, (4, 3)), lw=line_width(0.7), label=f"best, {best:g}", gid="nproc-plan-best")
    ax.set(xlabel="split ratio: share of class 0 that trains", ylabel="expected type II error", xlim=(0, 1))
    place_legend(ax)
    return ax


def _draw_expected(ax, columns, error):
    style = {"color": color_of(0), "lw": line_width(0.9), "label": "expected"}
    ax.plot(columns["n0"], columns[f"{error}_mean"], gid=f"nproc-plan-{error}", **style)


def _finish(ax, sizes, marks):
    power = marks.get("power")
    goal = "smallest with the guarantee" if power is None else f"{100 * power:.4g} % power"
    lines = [("n0", "-.", f"{goal} from here on" if power else goal), ("n0_first", ":", f"{goal} for the first time")]
    for name, style, text in lines[: 1 if marks["n0"] == marks["n0_first"] else 2]:
        line = ax.axvline(marks[name], color=color_of(1), ls=style, lw=line_width(0.9), label=f"{text}: {marks[name]}")
        line.set_gid(f"nproc-plan-{name}")
    room = 0.02 * (sizes.max() - sizes.min())
    ax.set_xlim(sizes.min() - room, sizes.max() + room)
    place_legend(ax)
    return ax


LEAST_ROWS = 10


def plot_probability_band(truth, estimate, p_min, p_max, *, ax=None, figsize=None, n_bins=25, coverage=0.8):
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
    figsize : (float, float), optional
        Size of the new figure in inches.
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
    ax = axes_or_new(ax, figsize, (4.5, 4.5))
    _shade_outside(ax, p_min, p_max)
    band = ax.fill_between(centres, lower, upper, color="0.6", lw=0, label=f"{100 * coverage:g} % of the estimates")
    band.set_gid("nproc-probability-band")
    ax.plot(centres, median, color=ink(), lw=line_width(1.1), label="median", gid="nproc-probability-median")
    ax.plot(
        [0, 1],
        [0, 1],
        color=ink(),
        ls=":",
        lw=line_width(0.7),
        label="estimate = truth",
        gid="nproc-probability-diagonal",
    )
    ax.set(xlabel="true probability of class 1", ylabel="estimated probability of class 1", xlim=(0, 1), ylim=(0, 1))
    ax.set_aspect("equal")
    return ax


def plot_calibration(estimate, share, lower, upper, p_min, p_max, *, ax=None, figsize=None, label="class 1"):
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
    figsize : (float, float), optional
        Size of the new figure in inches.
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
    ax = axes_or_new(ax, figsize, (4.5, 5.1))
    _shade_outside(ax, p_min, p_max)
    bars = np.vstack([np.maximum(share - lower, 0), np.maximum(upper - share, 0)])
    points = ax.errorbar(
        estimate, share, yerr=bars, fmt="o", ms=line_width(2.7), color=color_of(0), capsize=2, label="observed share"
    )
    points.lines[0].set_gid("nproc-calibration")
    ax.plot(
        [0, 1], [0, 1], color=ink(), ls=":", lw=line_width(0.7), label="calibrated", gid="nproc-probability-diagonal"
    )
    ax.set(
        xlabel=f"estimated probability of {label}", ylabel=f"observed share of {label}", xlim=(0, 1), ylim=(-0.02, 1.02)
    )
    place_legend(ax)
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
