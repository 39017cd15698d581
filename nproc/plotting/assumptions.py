"""Left-out class 0 scores in their order, and beside them new ones or the evidence."""

import numpy as np

from nproc.plotting.canvas import (
    LINESTYLES,
    as_given,
    color_of,
    level_line,
    line_width,
    short_name,
    two_axes,
    write_counts,
)
from nproc.plotting.legend import legend_above
from nproc.plotting.lines import name_x, room_of
from nproc.plotting.monitor import draw_evidence


def plot_assumptions(checks, *, ax=None, figsize=None):
    """Return two Axes: the scores in their order with the threshold, and the two distributions or the evidence.

    Parameters
    ----------
    checks : AssumptionChecks
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
        If `ax` is not two Axes.
    """
    drawn, level = checks.drawn, checks.level
    both_by_rows = drawn.fresh is None and drawn.path is not None
    pair = two_axes(ax, figsize, (5.2, 4.8), sharex=both_by_rows)
    words = "left-out class 0 row"
    if drawn.path is not None:
        words += f", in order of {as_given(short_name(checks.order))}"
    _draw_scores(pair[0], drawn, ordered=drawn.path is not None)
    if drawn.fresh is not None:
        _draw_distributions(pair[1], drawn.scores, drawn.fresh, drawn.threshold)
    elif both_by_rows:
        number = np.arange(1, drawn.path.size + 1)
        draw_evidence(pair[1], number, drawn.path, 1 / level, f"alarm at evidence {1 / level:g}", "assumptions")
        pair[1].set_xlim(0, number.size + 1)
        write_counts(pair[1], room_of)
        name_x(pair[1], words)
    else:
        pair[1].set_axis_off()
        # a shared axis has them at the lower panel alone
        pair[0].tick_params(labelbottom=True)
    # once both panels have the numbers at their axes, which decide how much room a name has
    if not both_by_rows or pair[0].xaxis.get_major_ticks()[0].label1.get_visible():
        name_x(pair[0], words)
    # a key has room for a dash and a dot
    narrow = {"ncols": 4, "handlelength": 2.1, "handletextpad": 0.4, "columnspacing": 0.8}
    legend_above(pair[0], **narrow, markerscale=2.0)
    if drawn.fresh is not None or both_by_rows:
        legend_above(pair[1], **narrow)
    return pair


def _draw_scores(ax, drawn, *, ordered):
    scores = drawn.scores
    number = np.arange(1, scores.size + 1)
    dots = {"ls": "", "marker": "o", "ms": 2.6 if scores.size < 1000 else 1.3, "mew": 0, "alpha": 0.8}
    ax.plot(number, scores, color=color_of(2), label="score", gid="nproc-assumptions-scores", **dots)
    if ordered and scores.size >= 20:
        width = max(5, scores.size // 10)
        windows = np.lib.stride_tricks.sliding_window_view(scores, width)
        middle = number[: windows.shape[0]] + (width - 1) / 2
        look = {"color": color_of(0), "lw": line_width(1.2), "label": f"median of {width}"}
        ax.plot(middle, np.median(windows, axis=1), gid="nproc-assumptions-median", **look)
    level_line(ax, y=drawn.threshold, lw=0.8, ls=LINESTYLES[3], label="threshold", gid="nproc-assumptions-threshold")
    if drawn.change is not None:
        told = f"change at row {drawn.change + 1}"
        look = {"color": color_of(1), "lw": 1.0, "ls": LINESTYLES[2], "label": told}
        level_line(ax, x=drawn.change + 0.5, gid="nproc-assumptions-change", **look)
    ax.set(ylabel="score", xlim=(0, scores.size + 1))
    write_counts(ax, room_of)


def _draw_distributions(ax, scores, fresh, threshold):
    for values, name, which in ((scores, "left-out", 0), (fresh, "new", 1)):
        x = np.sort(values)
        share = np.arange(1, x.size + 1) / x.size
        style = {"color": color_of(which), "ls": LINESTYLES[which], "lw": line_width(1.2)}
        ax.step(x, share, where="post", label=f"{name} ({x.size})", gid=f"nproc-assumptions-{name}", **style)
    # the legend of the scores names this line too, and low panels have no room for another row
    level_line(ax, x=threshold, lw=0.8, ls=LINESTYLES[3])
    ax.set(ylabel="share", ylim=(0, 1.02))
    name_x(ax, "score (share of rows up to it)")
