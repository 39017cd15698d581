"""The bound on the type I error of a fitted rule against the probability that it fails."""

import numpy as np

from nproc.checks import level_text
from nproc.plotting.canvas import (
    as_given,
    axes_or_new,
    color_of,
    ink,
    level_line,
    line_width,
    style_of,
    write_plain_numbers,
    write_round_levels,
)
from nproc.plotting.legend import has_room_above, height_below_legend, note_caption, place_legend
from nproc.plotting.lines import name_x, name_y


def plot_type1_curve(curve, rate, *, ax=None, figsize=None):
    """Return Axes with the bound against delta on a logarithmic axis, the level of the rule and its mean error marked.

    Parameters
    ----------
    curve : Type1Curve
        What is drawn.
    rate : str
        The probability that the type I error exceeds the level of the rule, rounded up.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None makes a figure.
    figsize : (float, float), optional
        Size of the new figure in inches.

    Returns
    -------
    matplotlib.axes.Axes
    """
    ax = axes_or_new(ax, figsize, (6, 4))
    order, alpha = curve.delta.argsort(), curve.alpha
    look = {"color": color_of(0), "lw": line_width(1.2), "label": "bound on the type I error"}
    ax.plot(curve.delta[order], curve.type1_upper[order], gid="nproc-type1-curve", **look)
    level_line(ax, y=alpha, gid="nproc-type1-alpha", label=rf"$\alpha$ = {level_text(alpha)}")
    dot = {"color": ink(), "ms": line_width(4.0), "label": rf"$\alpha$ exceeded with probability {rate}"}
    ax.plot([curve.delta_at(alpha)], [alpha], "o", gid="nproc-type1-at-alpha", **dot)
    look = {"color": color_of(1), "lw": 1.0, "ls": ":", "label": f"mean type I error {curve.mean:.3g}"}
    level_line(ax, y=curve.mean, gid="nproc-type1-mean", **look)
    ax.set(xscale="log", xlabel=r"probability that the bound fails, $\delta$", ylabel="bound on the type I error")
    write_plain_numbers(ax)
    write_round_levels(ax)
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
    level_line(ax, x=alpha, label=rf"$\alpha$ = {level_text(alpha)}", gid="nproc-votebound-alpha")
    level_line(ax, y=delta, ls=":", label=rf"$\delta$ = {delta:g}", gid="nproc-votebound-delta")
    ax.set(xlabel="type I error, x", xlim=(0, type1[-1]), ylim=(0, 1.02))
    place_legend(ax)
    # a line may end before the probability, not within it
    chance = "P(type I error > x)".replace(" ", "\N{NO-BREAK SPACE}")
    name_y(ax, f"bound on {chance}", room=height_below_legend)
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
    _draw_expected(ax, columns, "type1")
    fill = ax.fill_between(columns["n0"], low, high, color="0.82", lw=0, label="central 90 % of samples")
    fill.set_gid("nproc-plan-range")
    level_line(ax, y=alpha, ls="--", label=rf"$\alpha$ = {level_text(alpha)}", gid="nproc-plan-alpha")
    ax.set(xlabel=XLABEL, ylim=(0, max(1.25 * alpha, 1.05 * float(high.max()))))
    return _finish(ax, columns["n0"], marks, "type I error of the rule")


def plot_plan_type2(columns, oracle, alpha, *, marks, ax=None, figsize=None):
    """Return Axes with the expected type II error against the number of rows, and its bounds where there are some.

    Parameters
    ----------
    columns : dict of ndarray
        ``n0``, ``type2_mean`` and perhaps ``type2_lower`` and ``type2_upper``.
    oracle : float
        Type II error of the threshold with type I error alpha exactly.
    alpha : float
        The bound on the type I error.
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
    _draw_expected(ax, columns, "type2")
    if "type2_lower" in columns:
        fill = ax.fill_between(
            columns["n0"], columns["type2_lower"], columns["type2_upper"], color="0.82", lw=0, label="bounds from pilot"
        )
        fill.set_gid("nproc-plan-range")
    told = rf"best possible at $\alpha$ = {level_text(alpha)}: {oracle:.3g}"
    best = level_line(ax, y=oracle, ls="--", label=told, gid="nproc-plan-oracle")
    ax.set(xlabel=XLABEL, ylim=(0, 1))
    return _finish(ax, columns["n0"], marks, "expected type II error", shorter={best: f"best: {oracle:.3g}"})


def plot_split_plan(plan, *, ax=None, figsize=None):
    """Return Axes with the expected type II error against the split ratio; open points are extrapolated.

    Parameters
    ----------
    plan : SplitRatioPlan
        What is drawn.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None makes a figure.
    figsize : (float, float), optional
        Size of the new figure in inches.

    Returns
    -------
    matplotlib.axes.Axes
    """
    ax = axes_or_new(ax, figsize, (5.6, 4.0))
    ax.plot(plan.ratios, plan.type2_mean, color=color_of(0), lw=line_width(0.7), gid="nproc-plan-ratios")
    faces = color_of(0), ax.get_facecolor()
    names = "training sizes seen in the pilot", "beyond it"
    for rows, face, label in zip((~plan.beyond, plan.beyond), faces, names, strict=True):
        if np.any(rows):
            look = {"fmt": "o", "ms": line_width(3.0), "mfc": face, "color": color_of(0), "label": label}
            ax.errorbar(plan.ratios[rows], plan.type2_mean[rows], yerr=plan.type2_se[rows], **look)
    best = plan.split_ratio
    level_line(ax, x=best, label=f"best, {best:g}", gid="nproc-plan-best")
    ax.set_xlim(0, 1)
    name_x(ax, "split ratio: share of class 0 that trains")
    name_y(ax, r"expected type II error $\pm$ standard error")
    place_legend(ax)
    return ax


def _draw_expected(ax, columns, error):
    style = {"color": color_of(0), "lw": line_width(0.9), "label": "expected"}
    ax.plot(columns["n0"], columns[f"{error}_mean"], gid=f"nproc-plan-{error}", **style)


def _finish(ax, sizes, marks, name, *, shorter=None):
    """Mark the sizes that a plan is about, draw the legend, and name the vertical axis.

    `shorter` has the names of lines for a legend with little room.
    """
    power = marks.get("power")
    goal = "smallest with the guarantee" if power is None else f"{100 * power:.4g} % of the best possible power"
    times = ("from here on", "for the first time") if power else ("", "")
    kept = 1 if marks["n0"] == marks["n0_first"] else 2
    lines = []
    for mark, style, when in list(zip(("n0", "n0_first"), ("-.", ":"), times, strict=True))[:kept]:
        look = {"color": color_of(1), "ls": style, "lw": 0.9, "label": f"{goal} {when}".strip() + f": {marks[mark]}"}
        lines.append(level_line(ax, x=marks[mark], gid=f"nproc-plan-{mark}", **look))
    room = 0.02 * (sizes.max() - sizes.min())
    ax.set_xlim(sizes.min() - room, sizes.max() + room)
    if power and not has_room_above(ax):
        # what both lines share is the title, and the legend needs as little height as it can
        ax._nproc_pad = 0.3
        note_caption(ax, 0, f"vertical lines: {goal.replace(' possible', '')}")
        for line, text in zip(lines, (f"from {marks['n0']} on", f"first at {marks['n0_first']}"), strict=False):
            line.set_label(text)
        for line, text in (shorter or {}).items():
            line.set_label(text)
        for fill in ax.collections:
            fill.set_label(fill.get_label().removesuffix(" of samples").removesuffix(" from pilot"))
    place_legend(ax)
    name_y(ax, name, room=height_below_legend)
    return ax


def plot_calibration(
    estimate, share, lower, upper, p_min, p_max, *, ax=None, figsize=None, label="class 1", level=0.95
):
    """Return Axes with the observed share of class 1 against the estimated probability.

    Each point is a group of rows with similar estimates; its bar is a confidence interval of the share. In the hatched
    parts, outside [p_min, p_max], an estimate says no more than that the probability is below p_min or above p_max, and
    points there need not lie near the diagonal. Between them points off the diagonal show the bias of the model, which
    a linear one has where the interval is narrow. Both axes show the same part of [0, 1]: that of the points, their
    bars and the ends of the interval.

    Parameters
    ----------
    estimate : ndarray, shape (k,)
        Mean estimated probability of each group.
    share : ndarray, shape (k,)
        Share of class 1 rows in it.
    lower, upper : ndarray, shape (k,)
        Ends of the confidence intervals of the shares.
    p_min, p_max : float
        The interval in which the estimate is meant literally.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None makes a figure.
    figsize : (float, float), optional
        Size of the new figure in inches.
    label : str
        Name of class 1.
    level : float
        That of the intervals, for the legend.

    Returns
    -------
    matplotlib.axes.Axes
        The Axes drawn on.
    """
    ax = axes_or_new(ax, figsize, (4.5, 5.1))
    is_second = any(line.get_gid() == "nproc-calibration" for line in ax.lines)
    _shade_outside(ax, p_min, p_max)
    bars = np.vstack([np.maximum(share - lower, 0), np.maximum(upper - share, 0)])
    told = f"observed share, {100 * level:.4g} % interval of each"
    look = {"fmt": "o", "ms": line_width(2.7), "color": color_of(0), "capsize": 2, "label": told}
    ax.errorbar(estimate, share, yerr=bars, **look).lines[0].set_gid("nproc-calibration")
    look = {"color": ink(), "ls": ":", "lw": line_width(0.7), "label": "calibrated"}
    ax.plot([0, 1], [0, 1], gid="nproc-probability-diagonal", **look)
    label = as_given(label)
    ends = _ends_of_shares(estimate, lower, upper, [p_min] * (p_min > 0), [p_max] * (p_max < 1))
    if is_second:
        ends = min(ends[0], ax.get_xlim()[0]), max(ends[1], ax.get_xlim()[1])
    ax.set(xlim=ends, ylim=ends)
    name_y(ax, f"observed share of {label}")
    name_x(ax, f"estimated probability of {label}")
    place_legend(ax)
    return ax


def _ends_of_shares(*shares):
    """Return the limits of an axis of shares: with a margin, and room for the whole of a point at 0 or 1."""
    found = np.concatenate(shares)
    margin = 0.05 * max(float(np.ptp(found)), 0.1)
    return max(found.min() - margin, -0.02), min(found.max() + margin, 1.02)


def _shade_outside(ax, p_min, p_max):
    """Hatch the parts of both kinds of axes outside the interval, and mark its ends."""
    style = {"facecolor": "0.95", "edgecolor": "0.8", "hatch": "///", "lw": 0, "zorder": 0}
    told = False
    for start, stop, side in ((0.0, p_min, "below"), (p_max, 1.0, "above")):
        if stop > start:
            text = "outside the interval: only a side is estimated"
            ax.axvspan(start, stop, label=None if told else text, gid=f"nproc-probability-{side}", **style)
            told = True
