"""Curves of a plan: errors against the number of left-out class 0 rows, and against the split ratio."""

from __future__ import annotations

import numpy as np

from nproc.plotting.canvas import COLORS, axes_or_new

XLABEL = "left-out class 0 rows, $n_0$"


def plot_plan_type1(columns, low, high, alpha, *, marks, ax=None):
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
        ``n0`` and ``n0_first``, marked by vertical lines.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None makes a figure.

    Returns
    -------
    matplotlib.axes.Axes
    """
    ax = axes_or_new(ax, figsize=(6.4, 4.2))
    fill = ax.fill_between(columns["n0"], low, high, color="0.82", lw=0, label="90 % of samples")
    fill.set_gid("nproc-plan-range")
    ax.plot(columns["n0"], columns["type1_mean"], color=COLORS[0], lw=1.4, label="expected", gid="nproc-plan-type1")
    ax.axhline(alpha, color="black", ls="--", lw=1, label=rf"$\alpha$ = {alpha:g}", gid="nproc-plan-alpha")
    ax.set(xlabel=XLABEL, ylabel="type I error of the rule", ylim=(0, max(1.25 * alpha, 1.05 * float(high.max()))))
    return _finish(ax, columns["n0"], marks)


def plot_plan_type2(columns, oracle, *, marks, ax=None):
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

    Returns
    -------
    matplotlib.axes.Axes
    """
    ax = axes_or_new(ax, figsize=(6.4, 4.2))
    if "type2_lower" in columns:
        fill = ax.fill_between(
            columns["n0"], columns["type2_lower"], columns["type2_upper"], color="0.82", lw=0, label="bounds from pilot"
        )
        fill.set_gid("nproc-plan-range")
    ax.plot(columns["n0"], columns["type2_mean"], color=COLORS[0], lw=1.4, label="expected", gid="nproc-plan-type2")
    ax.axhline(oracle, color="black", ls="--", lw=1, label=f"oracle, {oracle:.3g}", gid="nproc-plan-oracle")
    ax.set(xlabel=XLABEL, ylabel="expected type II error", ylim=(0, 1))
    return _finish(ax, columns["n0"], marks)


def plot_split_plan(ratios, type2, error, beyond, best, *, ax=None):
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

    Returns
    -------
    matplotlib.axes.Axes
    """
    ax = axes_or_new(ax, figsize=(5.6, 4.0))
    ax.plot(ratios, type2, color=COLORS[0], lw=1, gid="nproc-plan-ratios")
    for rows, face, label in ((~beyond, COLORS[0], "training sizes seen in the pilot"), (beyond, "white", "beyond it")):
        if np.any(rows):
            ax.errorbar(
                ratios[rows], type2[rows], yerr=error[rows], fmt="o", ms=5, mfc=face, color=COLORS[0], label=label
            )
    ax.axvline(best, color="0.2", ls=(0, (4, 3)), lw=1, label=f"best, {best:g}", gid="nproc-plan-best")
    ax.set(xlabel="split ratio: share of class 0 that trains", ylabel="expected type II error", xlim=(0, 1))
    ax.legend(fontsize="small")
    return ax


def _finish(ax, sizes, marks):
    lines = [("n0", "-.", "from here on"), ("n0_first", ":", "first with the power")]
    for name, style, text in lines[: 1 if marks["n0"] == marks["n0_first"] else 2]:
        line = ax.axvline(marks[name], color=COLORS[1], ls=style, lw=1.4, label=f"{text}: {marks[name]}")
        line.set_gid(f"nproc-plan-{name}")
    room = 0.02 * (sizes.max() - sizes.min())
    ax.set_xlim(sizes.min() - room, sizes.max() + room)
    # above the axes: range and curve leave no corner free
    ax.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), fontsize="small", frameon=False, ncols=3)
    return ax
