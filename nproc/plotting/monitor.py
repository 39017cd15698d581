"""How the share of errors and the evidence against a level move as rows come in."""

import numpy as np

from nproc.checks import class_names, rows_of
from nproc.errors import InvalidInputError
from nproc.plotting.canvas import (
    LINESTYLES,
    LONGEST_IN_LEGEND,
    as_given,
    axes_or_new,
    color_of,
    drawn_classes,
    extent_of,
    ink,
    level_line,
    line_width,
    short_names,
    two_axes,
    write_counts,
    write_powers,
    write_round_levels,
)
from nproc.plotting.legend import legend_above
from nproc.plotting.lines import SHORTEST_OF_NAMES, name_x, name_y, room_of

# share of the height of Axes, before the legends take theirs, that the name of the shares may have
MOST_OF_RATES = 0.8
# an axis of the shares that ends at this or above is drawn up to the largest of them
HALF = 0.5
# where the axis of rows ends at the earliest, in rows of an alarm
ROOM_OF_ALARM = 1.02
# errors that have a dot each
MOST_DOTS = 50


def plot_monitor(monitor, *, ax=None, figsize=None):
    """Return two Axes: the share of errors with its bounds, and below it the evidence on a logarithmic axis.

    Parameters
    ----------
    monitor : Type1Monitor
        What is drawn.
    ax : sequence of two Axes, optional
        Where to draw; None makes a figure.
    figsize : (float, float), optional
        Size of the new figure in inches.

    Returns
    -------
    ndarray of two Axes

    Raises
    ------
    InvalidInputError
        If `ax` is not two Axes, or there are no rows yet.
    """
    if not monitor.n:
        raise InvalidInputError("there is nothing to draw yet: give the errors of some rows by update().")
    n, n_errors, log_e_value, lower, upper = monitor.to_frame().to_numpy(dtype=np.float64).T
    pair = two_axes(ax, figsize, (5.2, 4.6), sharex=True, gridspec_kw={"height_ratios": [3, 2]})
    _draw_rates(pair[0], n, n_errors / n, lower, upper, monitor)
    _draw_rows(pair[1], n, log_e_value, -2.0, 1 / monitor.delta, monitor)
    legend_above(pair[0], handlelength=2.1)
    if monitor.alarm:
        _mark_alarm(pair[0], monitor.alarm_at)
    return pair


def plot_change(detector, *, ax=None, figsize=None):
    """Return Axes with the evidence for a late change on a logarithmic axis, and the limit of an alarm.

    Parameters
    ----------
    detector : Type1ChangeDetector
        What is drawn.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None makes a figure.
    figsize : (float, float), optional
        Size of the new figure in inches.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    InvalidInputError
        If there was no error yet.
    """
    if not detector.n_errors:
        raise InvalidInputError("there is nothing to draw yet: no row was an error.")
    n, _, log_evidence = detector.to_frame().to_numpy(dtype=np.float64).T
    ax = axes_or_new(ax, figsize, (5.2, 2.6))
    # an error multiplies, so that the evidence at an error is above 1
    _draw_rows(ax, n, log_evidence, 0.0, detector.run_length, detector)
    # the line between two errors is no evidence of the rows there
    ax.set_ylabel("evidence at errors")
    if n.size <= MOST_DOTS:
        ax.lines[0].set(marker="o", markersize=line_width(2))
    return ax


def draw_evidence(ax, n, log_evidence, limit, words, name, lowest=np.inf):
    """Draw evidence, given by its logarithm, on a logarithmic axis, with the limit of an alarm and words for it."""
    # logarithms to base 10: the evidence itself may be too large or too small for a float
    powers = log_evidence / np.log(10.0)
    ax.plot(n, powers, color=color_of(0), lw=line_width(1.2), gid=f"nproc-{name}-evidence")
    reached = np.log10(limit)
    level_line(ax, y=reached, ls=LINESTYLES[1], gid=f"nproc-{name}-alarm-level", label=words)
    low, high = min(lowest, powers.min()), max(reached, powers.max())
    ax.set_ylim(max(low, -6.0) - 0.3, min(high, max(12.0, reached + 2)) + 0.8)
    bottom, top = ax.get_ylim()
    # a line that leaves the axes ends with a triangle
    for beyond, edge, marker, where in ((powers > top, top, "^", "above"), (powers < bottom, bottom, "v", "below")):
        first = n[beyond][:1]
        for row in first:
            stays = " on" * bool(beyond[n >= row].all())
            told = f"evidence {where} the axis from row {row:,.0f}{stays}"
            _mark_cut(ax, first, edge, marker, f"nproc-{name}-evidence-{where}", told)
    write_powers(ax)
    ax.set_ylabel("evidence")


def _draw_rows(ax, n, log_evidence, lowest, limit, watch):
    words = f"alarm at evidence {limit:,g}" + (f": none in {watch.n:,} rows" if not watch.alarm else "")
    draw_evidence(ax, n, log_evidence, limit, words, "monitor", lowest)
    class0, _ = drawn_classes(watch.about.get("labels") or None)
    # the line of an alarm at the last row would lie under the frame
    ax.set_xlim(0, max(watch.n, ROOM_OF_ALARM * (watch.alarm_at or 0)))
    name_x(ax, rows_of(class0))
    write_counts(ax, room_of)
    if watch.alarm:
        _mark_alarm(ax, watch.alarm_at, f"alarm after {watch.alarm_at:,} rows")
    legend_above(ax, handlelength=2.4)


def _mark_alarm(ax, alarm_at, words=None):
    look = {"color": color_of(1), "lw": 0.9, "ls": LINESTYLES[2]}
    level_line(ax, x=alarm_at, gid="nproc-monitor-alarm", label=words, **look)


def _draw_rates(ax, n, rate, lower, upper, monitor):
    (shares,) = ax.plot(n, rate, color=color_of(0), lw=line_width(1.2), gid="nproc-monitor-rate", label="share so far")
    no_bounds = bool(np.isnan(upper).all())
    if no_bounds:
        # in words alone, and the estimate counts as the highest that is drawn
        rows = "that are not new" if monitor.rows_again else "that depend on each other"
        rows = "of unknown clusters" if monitor._clusters_unknown else rows
        ax.plot([], [], ls="", label=f"rows {rows}: no bounds, no valid alarm", gid="nproc-key-no-bounds")
        upper = rate
    else:
        told = f"bounds valid at all times, {100 * (1 - monitor.delta):.4g} % each"
        look = {"color": color_of(2), "alpha": 0.35, "lw": 0}
        bounds = ax.fill_between(n, lower, upper, gid="nproc-monitor-bounds", label=told, **look)
    alpha = monitor.alpha
    level_line(ax, y=alpha, ls=LINESTYLES[1], gid="nproc-monitor-alpha", label=rf"$\alpha$ = {alpha:g}")
    # the first few rows tell nothing, and their bounds would take the whole height
    later = n >= 0.02 * n[-1]
    top = max(2 * alpha, 1.3 * rate[later].max(), 1.05 * np.quantile(upper[later], 0.95))
    # no share is above 1, and a line at 1 has room
    top = min(max(top, 1.03 * upper.max(), 1.03 * rate.max()), 1.04) if top >= HALF else top
    # room for the whole of a line at 0
    ax.set_ylim(-0.04 * top, top)
    beyond = np.maximum(rate, upper) > top
    last = n[beyond][-1:]
    _mark_cut(ax, last, top, "^", "nproc-monitor-above")
    for row in last:
        # an error may lift the bounds above the axis again
        words = "too high to draw until" if beyond[n <= row].all() else "last too high to draw at"
        # without bounds the estimate is the highest that is drawn
        highest = shares if no_bounds else bounds
        highest.set_label(f"{highest.get_label()}; {words} row {row:,.0f} (triangle)")
    labels = monitor.about.get("labels") or None
    class0, other = drawn_classes(labels)
    longest = range(LONGEST_IN_LEGEND, SHORTEST_OF_NAMES - 1, -1)
    cut = [as_given(short_names(list(class_names(labels)), letters)[1]) for letters in longest]
    # the whole name if it has room
    shorter = [f"share called {name}" for name in dict.fromkeys([other, *cut])]
    name_y(ax, f"share of {class0} called {other}", shorter=shorter, room=_room_of_rates)
    write_round_levels(ax)


def _mark_cut(ax, row, edge, marker, gid, told="_"):
    """Mark at an edge of the axes the row, an array of one or none, at which what is drawn lies beyond it."""
    if row.size:
        look = {"color": ink(), "ls": "", "marker": marker, "ms": 4.0, "clip_on": False, "zorder": 5}
        ax.plot(row, [edge], label=told, gid=gid, **look)


def _room_of_rates(ax):
    return MOST_OF_RATES * extent_of(ax).height
