"""A dot for each feature with its interval, the best at the top."""

import numpy as np

from nproc.plotting.canvas import as_given, axes_or_new, color_of, line_width, points, short_names, small_size
from nproc.plotting.legend import legend_above
from nproc.plotting.lines import name_x

LONGEST = 22


def plot_features(names, scores, lower, upper, *, xlabel, level=0.95, simultaneous=False, ax=None, figsize=None):
    """Return Axes with a dot and an interval for each feature, the first at the top.

    Parameters
    ----------
    names : sequence of str, length m
        Features, the best first.
    scores, lower, upper : ndarray, shape (m,)
        Errors and the ends of their intervals, in [0, 1].
    xlabel : str
        Which error it is.
    level : float
        That of the intervals, for the legend.
    simultaneous : bool
        Whether it is that of all intervals at once, for the legend.
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
        If both `ax` and `figsize` are given.
    """
    # a line of text and a half for each feature
    ax = axes_or_new(ax, figsize, (4.6, 0.9 + 1.5 * points(small_size()) / 72 * len(names)))
    places = np.arange(len(names))
    look = {"color": color_of(0), "ms": line_width(2.6), "label": "mean of the splits"}
    # above the intervals, though it is first in the legend
    (dots,) = ax.plot(scores, places, "o", zorder=3, **look)
    dots.set_gid("nproc-features-scores")
    told = f"{100 * level:.4g} % interval{'s, all at once' if simultaneous else ' of each'}"
    bars = ax.hlines(places, lower, upper, color=color_of(2), lw=line_width(1.6), label=told)
    bars.set_gid("nproc-features-intervals")
    ax.set_yticks(places, list(map(as_given, short_names(names, LONGEST))), fontsize=small_size())
    ax.set_ylim(len(names) - 0.4, -0.6)
    # a dot at the end is drawn whole
    ax.set_xlim(0, min(1.02, 1.04 * float(np.max(upper))))
    name_x(ax, xlabel)
    ax.tick_params(axis="y", length=0)
    ax.grid(axis="x", lw=0.4, color="0.85")
    ax.set_axisbelow(True)
    ax.spines[["top", "right", "left"]].set_visible(False)
    legend_above(ax, loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=2, borderaxespad=0.1, handlelength=1.2)
    return ax
