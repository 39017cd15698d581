"""Differences with their intervals, one below another."""

from __future__ import annotations

from nproc.errors import InvalidInputError
from nproc.plotting.canvas import COLORS, axes_or_new

ROW_INCHES = 0.34


def plot_differences(rows, marked, *, ax=None, note=None):
    r"""Return Axes with a point and an interval for each difference, and a line at 0.

    Parameters
    ----------
    rows : sequence of (str, float, float, float)
        Label, difference, and the ends of its interval.
    marked : sequence of bool
        Which points to fill; the others are hollow.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None makes a figure as high as the rows need.
    note : str, optional
        What the intervals are, written as title.

    Returns
    -------
    matplotlib.axes.Axes
        The Axes drawn on.

    Raises
    ------
    InvalidInputError
        If there is no row, or an interval does not hold its difference.
    """
    rows, marked = list(rows), list(marked)
    if not rows or len(rows) != len(marked):
        raise InvalidInputError(f"rows must have at least one entry, and marked one for each, got {len(rows)}.")
    for label, value, lower, upper in rows:
        if not lower <= value <= upper:
            raise InvalidInputError(f"the interval of {label!r} must hold {value}, got {lower} to {upper}.")
    ax = axes_or_new(ax, figsize=(6.4, 1.1 + ROW_INCHES * len(rows)))
    ax.axvline(0, color="0.4", lw=1, linestyle=(0, (4, 3)), zorder=1).set_gid("nproc-difference-zero")
    for row, ((_, value, lower, upper), filled) in enumerate(zip(rows, marked, strict=True)):
        (line,) = ax.plot([lower, upper], [row, row], color=COLORS[0], lw=2, marker="|", ms=9, zorder=2)
        line.set_gid(f"nproc-difference-{row}-interval")
        (point,) = ax.plot(
            [value], [row], marker="o", ms=8, color=COLORS[0], mfc=COLORS[0] if filled else "white", zorder=3
        )
        point.set_gid(f"nproc-difference-{row}-point")
    ax.set(ylim=(len(rows) - 0.4, -0.6), yticks=range(len(rows)), xlabel="difference of type II errors")
    ax.set_yticklabels([label for label, *_ in rows], fontsize="small")
    if note is not None:
        ax.set_title(note, fontsize="small")
    return ax
