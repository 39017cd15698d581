"""What is proved of a majority vote, as curves."""

from __future__ import annotations

from nproc.plotting.canvas import COLORS, LINESTYLES, axes_or_new


def plot_vote_bound(type1, best, union, single, *, n_splits, alpha, delta, ax=None):
    """Return Axes with the proved chance that the type I error is above a value, against that value.

    Parameters
    ----------
    type1 : ndarray, shape (n,)
        Type I errors.
    best, union : ndarray, shape (n,)
        Bounds for the vote: the best one, and the one by counting thresholds alone.
    single : ndarray, shape (n,)
        The chance for a single split.
    n_splits : int
        Splits of the vote.
    alpha, delta : float
        The levels of a single split, drawn as lines.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None makes a figure.

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
    ax = axes_or_new(ax, figsize=(6, 4))
    curves = (
        (single, "a single split (exact)", "single"),
        (best, f"vote of {n_splits}, best proved bound", "best"),
        (union, f"vote of {n_splits}, counting thresholds", "counting"),
    )
    for number, (values, label, name) in enumerate(curves):
        gid = f"nproc-votebound-{name}"
        ax.plot(type1, values, color=COLORS[number], ls=LINESTYLES[number], label=label, gid=gid)
    ax.axvline(alpha, color="0.5", lw=0.8, gid="nproc-votebound-alpha")
    ax.axhline(delta, color="0.5", lw=0.8, ls=":", gid="nproc-votebound-delta")
    ax.annotate(
        rf"$\alpha$ = {alpha:g}", (alpha, 0.5), xytext=(-3, 0), textcoords="offset points", ha="right", fontsize="small"
    )
    ax.annotate(
        rf"$\delta$ = {delta:g}", (type1[0], delta), xytext=(2, 3), textcoords="offset points", fontsize="small"
    )
    ax.set(xlabel="type I error, x", ylabel="P(type I error > x), at most", xlim=(0, type1[-1]), ylim=(0, 1.02))
    ax.legend(fontsize="small", loc="upper right")
    return ax
