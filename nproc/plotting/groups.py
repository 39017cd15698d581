"""Scores and errors of groups: one row a group."""

from __future__ import annotations

import numpy as np

from nproc.checks import as_floats, check_level, check_levels, check_scores
from nproc.errors import InvalidInputError
from nproc.plotting.canvas import COLORS, axes_or_new


def plot_group_scores(scores0, thresholds, groups, alpha, *, ax=None):
    """Return Axes with the left-out class 0 scores of each group about its threshold.

    A light bar holds all scores of a group, a darker one their middle half with the median as a notch; a black line is
    the threshold of the group, and points are the scores above it. With several splits, the threshold of its split and
    group is subtracted from each score and the differences are pooled.

    Parameters
    ----------
    scores0 : sequence of sequence of array-like
        The scores of each split and group.
    thresholds : array-like, shape (n_splits, G)
        The threshold of each.
    groups : sequence
        Names of the groups.
    alpha : float
        The bound on the type I error, for the legend.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None makes a figure.

    Returns
    -------
    matplotlib.axes.Axes
        The Axes drawn on.

    Raises
    ------
    InvalidInputError
        If there is not one array of scores and one threshold for each split and group.
    """
    alpha, thresholds = check_level(alpha, "alpha"), np.atleast_2d(as_floats(thresholds, "thresholds"))
    if thresholds.shape != (len(scores0), len(groups)) or {len(parts) for parts in scores0} != {len(groups)}:
        raise InvalidInputError(
            f"scores0 and thresholds must have one entry for each split and each of {len(groups)} groups."
        )
    several = len(scores0) > 1
    ax = axes_or_new(ax, figsize=(6.4, 1.5 + 0.5 * len(groups)))
    # the longest bar would end at the frame
    ax.use_sticky_edges = False
    for row in range(len(groups)):
        parts = [check_scores(split[row], "scores0") for split in scores0]
        shift = thresholds[:, row] if several else np.zeros(1)
        scores = np.concatenate([part - by for part, by in zip(parts, shift, strict=True)])
        cut = 0.0 if several else thresholds[0, row]
        _draw_row(ax, row, scores, cut, alpha, several)
    sizes = [len(part) for part in scores0[0]]
    names = [f"{group}\nn = {size}" for group, size in zip(groups, sizes, strict=True)]
    ax.set_yticks(range(len(groups)), names)
    ax.set_ylim(len(groups) - 0.4, -0.6)
    ax.set_xlabel("score minus the threshold of its split and group" if several else "score of left-out class 0 rows")
    # above the axes: inside, every place may hold scores
    ax.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), fontsize="small", frameon=False, ncols=2)
    return ax


def plot_group_errors(groups, rates, lower, upper, alpha, sizes, *, ax=None):
    """Return Axes with the type I error of each group on new rows, its interval, and alpha.

    Parameters
    ----------
    groups : sequence
        Names of the groups.
    rates, lower, upper : array-like, shape (G,)
        The observed errors and the ends of their intervals.
    alpha : float
        The bound, drawn as a dashed line.
    sizes : sequence of int
        Class 0 rows of each group.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None makes a figure.

    Returns
    -------
    matplotlib.axes.Axes
        The Axes drawn on.

    Raises
    ------
    InvalidInputError
        If there is not one of each for every group.
    """
    alpha = check_level(alpha, "alpha")
    pairs = zip((rates, lower, upper), ("rates", "lower", "upper"), strict=True)
    rates, lower, upper = (check_levels(values, name, closed=True) for values, name in pairs)
    if len({len(groups), len(sizes), *(values.size for values in (rates, lower, upper))}) > 1 or not len(groups):
        raise InvalidInputError(
            "groups, rates, lower, upper and sizes must have one entry for each group, at least one."
        )
    ax = axes_or_new(ax, figsize=(6.4, 1.5 + 0.45 * len(groups)))
    bars = np.vstack([np.maximum(rates - lower, 0), np.maximum(upper - rates, 0)])
    rows = np.arange(len(groups))
    points = ax.errorbar(
        rates, rows, xerr=bars, fmt="o", ms=5, color=COLORS[0], capsize=3, label="type I error, interval"
    )
    points.lines[0].set_gid("nproc-group-errors")
    ax.axvline(alpha, color="black", ls="--", lw=1.2, label=rf"$\alpha$ = {alpha:g}", gid="nproc-group-alpha")
    ax.set_yticks(rows, [f"{group}\nn = {size}" for group, size in zip(groups, sizes, strict=True)])
    ax.set_ylim(len(groups) - 0.5, -0.5)
    most = min(1.0, 1.1 * max(alpha, float(upper.max())))
    # room for the whole of a point at 0
    ax.set_xlim(-0.02 * most, most)
    ax.set_xlabel("share of class 0 rows called class 1")
    ax.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), fontsize="small", frameon=False, ncols=2)
    return ax


def _draw_row(ax, row, scores, cut, alpha, several):
    def told(text):
        return text if row == 0 else None

    low, first, middle, third, high = np.quantile(scores, [0, 0.25, 0.5, 0.75, 1])
    ax.barh(row, high - low, left=low, height=0.28, color="0.85", label=told("all scores"), gid=f"nproc-group-{row}")
    ax.barh(row, third - first, left=first, height=0.28, color="0.55", label=told("middle half, median"))
    ax.plot([middle, middle], [row - 0.14, row + 0.14], color="white", lw=1.5)
    above = scores[scores > cut]
    share = f"above it{', all splits' * several}"
    ax.plot(
        above, np.full(above.size, row), "o", ms=4, color=COLORS[0], label=told(share), gid=f"nproc-group-above-{row}"
    )
    line = {"color": "black", "lw": 2.2, "label": told(rf"threshold for $\alpha$ = {alpha:g}")}
    ax.plot([cut, cut], [row - 0.3, row + 0.3], gid=f"nproc-group-threshold-{row}", **line)
