"""Left-out class 0 scores in their order, and beside them new ones or the evidence."""

import numpy as np

from nproc.plotting.canvas import LINESTYLES, color_of, ink, line_width, small_size, two_axes


def plot_assumptions(scores, threshold, *, fresh, path, level, change=None, ax=None, figsize=None):
    """Return two Axes: the scores in their order with the threshold, and the two distributions or the evidence.

    Parameters
    ----------
    scores : ndarray, shape (n,)
        Left-out class 0 scores in their order.
    threshold : float
        The threshold.
    fresh : ndarray, shape (m,), or None
        Scores of new class 0 rows.
    path : ndarray, shape (n,), or None
        Logarithm of the evidence after each score; drawn where there are no new rows.
    level : float
        Level of the checks.
    change : int, optional
        Number of scores before a change, to be marked.
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
    pair = two_axes(ax, figsize, (5.2, 4.8), gridspec_kw={"height_ratios": [3, 2]})
    _draw_scores(pair[0], scores, threshold, change, ordered=path is not None)
    if fresh is not None:
        _draw_distributions(pair[1], scores, fresh, threshold)
    else:
        _draw_evidence(pair[1], path, level)
    return pair


def _draw_scores(ax, scores, threshold, change, ordered):
    number = np.arange(1, scores.size + 1)
    dots = {"ls": "", "marker": "o", "ms": 2.6 if scores.size < 1000 else 1.3, "mew": 0, "alpha": 0.8}
    ax.plot(number, scores, color=color_of(3), label="score", gid="nproc-assumptions-scores", **dots)
    if ordered and scores.size >= 20:
        width = max(5, scores.size // 10)
        windows = np.lib.stride_tricks.sliding_window_view(scores, width)
        middle = number[: windows.shape[0]] + (width - 1) / 2
        ax.plot(
            middle,
            np.median(windows, axis=1),
            color=color_of(0),
            lw=line_width(1.2),
            label=f"median of {width}",
            gid="nproc-assumptions-median",
        )
    ax.axhline(
        threshold,
        color=ink(),
        lw=line_width(0.8),
        ls=LINESTYLES[1],
        label="threshold",
        gid="nproc-assumptions-threshold",
    )
    if change is not None:
        ax.axvline(
            change + 0.5,
            color=color_of(1),
            lw=line_width(1.0),
            ls=LINESTYLES[2],
            label="change",
            gid="nproc-assumptions-change",
        )
    ax.set(xlabel="left-out class 0 row" + ", in order" * ordered, ylabel="score", xlim=(0, scores.size + 1))
    _legend(ax)


def _draw_distributions(ax, scores, fresh, threshold):
    for values, name, which in ((scores, "left-out", 0), (fresh, "new", 1)):
        x = np.sort(values)
        share = np.arange(1, x.size + 1) / x.size
        style = {"color": color_of(which), "ls": LINESTYLES[which], "lw": line_width(1.2)}
        ax.step(x, share, where="post", label=f"{name} ({x.size})", gid=f"nproc-assumptions-{name}", **style)
    ax.axvline(threshold, color=ink(), lw=line_width(0.8), ls=LINESTYLES[3], label="threshold")
    ax.set(xlabel="score", ylabel="share up to it", ylim=(0, 1.02))
    _legend(ax)


def _draw_evidence(ax, path, level):
    if path is None:
        ax.set_axis_off()
        return
    powers = path / np.log(10.0)
    ax.plot(
        np.arange(1, path.size + 1), powers, color=color_of(0), lw=line_width(1.2), gid="nproc-assumptions-evidence"
    )
    reached = -np.log10(level)
    ax.axhline(reached, color=ink(), lw=line_width(0.7), ls=LINESTYLES[1], gid="nproc-assumptions-alarm-level")
    low, high = max(powers.min(), -6.0), min(max(reached, powers.max()), 12.0)
    ax.set_ylim(low - 0.3, high + 0.8)
    step = max(1, int(np.ceil((high - low) / 6)))
    ticks = np.arange(int(np.ceil(low / step)) * step, int(np.floor(high)) + 1, step)
    ax.set_yticks(ticks, [f"$10^{{{tick}}}$" if tick else "1" for tick in ticks.tolist()])
    ax.set(xlabel="left-out class 0 row, in order", ylabel="evidence", xlim=(0, path.size + 1))
    ax.annotate(
        f"alarm at {1 / level:g}",
        (0.01, reached),
        xycoords=("axes fraction", "data"),
        xytext=(0, 2),
        textcoords="offset points",
        fontsize=small_size(),
        va="bottom",
    )


def _legend(ax):
    place = {"loc": "lower left", "bbox_to_anchor": (0.0, 1.0), "ncols": 4, "borderaxespad": 0.2}
    place["markerscale"] = 2.0
    ax.legend(fontsize=small_size(), frameon=False, handlelength=1.2, handletextpad=0.4, columnspacing=0.8, **place)
