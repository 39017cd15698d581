"""How the share of errors and the evidence against a level move as rows come in."""

import numpy as np

from nproc.errors import InvalidInputError
from nproc.plotting.canvas import LINESTYLES, axes_or_new, color_of, level_line, line_width, small_size, two_axes
from nproc.plotting.legend import legend_above


def plot_monitor(n, n_errors, log_e_value, lower, upper, *, alpha, delta, alarm_at=None, ax=None, figsize=None):
    """Return two Axes: the share of errors with its bounds, and below it the evidence on a logarithmic axis.

    Parameters
    ----------
    n, n_errors : ndarray of int, shape (m,)
        Class 0 rows at each point, and those of them that were called class 1.
    log_e_value, lower, upper : ndarray, shape (m,)
        Logarithm of the evidence, and the bounds on the rate.
    alpha, delta : float
        Level, and the bound on the probability of a false alarm.
    alarm_at : int, optional
        Where the alarm came.
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
    if len(n) == 0:
        raise InvalidInputError("there is nothing to draw yet: give the errors of some rows by update().")
    pair = two_axes(ax, figsize, (5.2, 4.6), sharex=True, gridspec_kw={"height_ratios": [3, 2]})
    rates, evidence = pair
    _draw_rates(rates, n, n_errors / n, lower, upper, alpha)
    _draw_rows(evidence, n, log_e_value, -2.0, int(n[-1]), 1 / delta, alarm_at)
    if alarm_at is not None:
        _mark_alarm(rates, alarm_at)
    return pair


def plot_change(n, log_evidence, *, n_rows, run_length, alarm_at=None, ax=None, figsize=None):
    """Return Axes with the evidence for a late change on a logarithmic axis, and the limit of an alarm.

    Parameters
    ----------
    n : ndarray of int, shape (m,)
        Class 0 rows at each point.
    log_evidence : ndarray, shape (m,)
        Logarithm of the evidence there.
    n_rows : int
        Class 0 rows in all.
    run_length : int
        The evidence at which an alarm comes.
    alarm_at : int, optional
        Where the alarm came.
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
    if len(n) == 0:
        raise InvalidInputError("there is nothing to draw yet: no row was an error.")
    ax = axes_or_new(ax, figsize, (5.2, 2.6))
    # an error multiplies, so that the evidence at an error is above 1
    _draw_rows(ax, n, log_evidence, 0.0, n_rows, run_length, alarm_at)
    return ax


def draw_evidence(ax, n, log_evidence, limit, words, name, lowest=np.inf):
    """Draw evidence, given by its logarithm, on a logarithmic axis, with the limit of an alarm and words at it."""
    # logarithms to base 10: the evidence itself may be too large or too small for a float
    powers = log_evidence / np.log(10.0)
    ax.plot(n, powers, color=color_of(0), lw=line_width(1.2), gid=f"nproc-{name}-evidence")
    reached = np.log10(limit)
    level_line(ax, y=reached, ls=LINESTYLES[1], gid=f"nproc-{name}-alarm-level")
    low, high = min(lowest, powers.min()), max(reached, powers.max())
    ax.set_ylim(max(low, -6.0) - 0.3, min(high, max(12.0, reached + 2)) + 0.8)
    ax.set_yticks(*_ticks(*ax.get_ylim()))
    ax.set_ylabel("evidence")
    place = {"xycoords": ("axes fraction", "data"), "xytext": (0, 2), "textcoords": "offset points", "va": "bottom"}
    ax.annotate(words, (0.01, reached), fontsize=small_size(), gid=f"nproc-{name}-alarm-words", **place)


def _draw_rows(ax, n, log_evidence, lowest, n_rows, limit, alarm_at):
    came = f"none in {n_rows:,} rows" if alarm_at is None else f"after {alarm_at:,} rows"
    draw_evidence(ax, n, log_evidence, limit, f"alarm at {limit:,g}: {came}", "monitor", lowest)
    ax.set(xlabel="class 0 rows", xlim=(0, n_rows))
    if alarm_at is not None:
        _mark_alarm(ax, alarm_at)


def _mark_alarm(ax, alarm_at):
    level_line(ax, x=alarm_at, color=color_of(1), lw=0.9, ls=LINESTYLES[2], gid="nproc-monitor-alarm")


def _draw_rates(ax, n, rate, lower, upper, alpha):
    ax.fill_between(n, lower, upper, color=color_of(3), alpha=0.35, lw=0, gid="nproc-monitor-bounds", label="bounds")
    ax.plot(n, rate, color=color_of(0), lw=line_width(1.2), gid="nproc-monitor-rate", label="share so far")
    level_line(ax, y=alpha, ls=LINESTYLES[1], gid="nproc-monitor-alpha", label=rf"$\alpha$ = {alpha:g}")
    # the first few rows tell nothing, and their bounds would take the whole height
    later = n >= 0.02 * n[-1]
    ax.set_ylim(0, min(1.0, max(2 * alpha, 1.3 * rate[later].max(), 1.05 * np.quantile(upper[later], 0.95))))
    ax.set_ylabel("called class 1")
    legend_above(ax)


def _ticks(low, high):
    """Return whole powers of ten between two, not too many, and what to write at them."""
    step = max(1, int(np.ceil((high - low) / 7)))
    powers = np.arange(int(np.ceil(low / step)) * step, int(np.floor(high)) + 1, step)
    return powers, [f"$10^{{{power}}}$" if power else "1" for power in powers.tolist()]
