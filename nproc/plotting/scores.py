"""The scores behind a threshold."""

from __future__ import annotations

import numpy as np

from nproc.checks import check_level, check_scores
from nproc.errors import InvalidInputError
from nproc.plotting.canvas import COLORS, axes_or_new
from nproc.plotting.curves import histogram_edges, histogram_heights


def plot_threshold(scores0_per_split, thresholds, *, ax=None, scores1=None, alpha=None, labels=None):
    """Return Axes with the scores of left-out class 0 rows and the threshold that they set.

    A histogram on the density scale, with the part above the threshold (the rows that are classified
    wrongly) in another shade and its share in the legend. Models of different splits score differently:
    with several splits, each threshold is subtracted from the scores of its split, so that 0 is the
    threshold everywhere, and the differences are pooled.

    Parameters
    ----------
    scores0_per_split : array-like, shape (n0,), or sequence of those
        Scores of left-out class 0 rows; one array a split.
    thresholds : float or sequence of float
        One threshold a split.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None makes a figure.
    scores1 : array-like, shape (n1,), or sequence of those, optional
        Scores of class 1 rows, drawn as an outline.
    alpha : float, optional
        The bound on the type I error, for the legend.
    labels : sequence of two, optional
        The names of class 0 and class 1.

    Returns
    -------
    matplotlib.axes.Axes
        The Axes drawn on.

    Raises
    ------
    InvalidInputError
        If there is not one threshold a split, or a score is not finite.
    """
    thresholds = np.atleast_1d(check_scores(np.atleast_1d(thresholds), "thresholds"))
    several = thresholds.size > 1
    samples = [_split_samples(scores0_per_split, thresholds, "scores0_per_split")]
    samples += [] if scores1 is None else [_split_samples(scores1, thresholds, "scores1")]
    share = np.mean([np.mean(s > t) for s, t in zip(samples[0], thresholds, strict=True)])
    cut = 0.0 if several else thresholds[0]
    shift = thresholds if several else np.zeros(1)
    pooled = [np.concatenate([s - t for s, t in zip(x, shift, strict=True)]) for x in samples]
    edges = histogram_edges(pooled, cut)
    above = int(np.searchsorted(edges, cut))
    heights = histogram_heights(pooled[0], edges)
    names = ("class 0", "class 1") if labels is None else [str(label) for label in labels]
    ax = axes_or_new(ax, figsize=(6, 4))
    sizes = f"n = {samples[0][0].size}" + (f" in each of {thresholds.size} splits" if several else "")
    bars = ax.stairs(heights, edges, fill=True, color="0.8", label=f"{names[0]}, left out ({sizes})")
    bars.set_gid("nproc-scores-0")
    part = ax.stairs(heights[above:], edges[above:], fill=True, color=COLORS[0], gid="nproc-scores-above")
    part.set_label(f"{names[0]} above the threshold: {100 * share:.3g} %" + (" on average" * several))
    if scores1 is not None:
        outline = histogram_heights(pooled[1], edges)
        ax.stairs(outline, edges, color=COLORS[1], ls="--", lw=1.5, label=names[1], gid="nproc-scores-1")
    bound = "" if alpha is None else rf" for $\alpha$ = {check_level(alpha, 'alpha'):g}"
    ax.axvline(cut, color="black", lw=1.5, label="threshold" + bound, gid="nproc-threshold")
    beyond = sum(int(np.sum((x < edges[0]) | (x > edges[-1]))) for x in pooled)
    note = f" (scores beyond, in the end bars: {beyond})" if beyond else ""
    ax.set(xlabel=("score minus the threshold of its split" if several else "score") + note, ylabel="density")
    ax.set_ylim(0, 1.45 * ax.dataLim.ymax)  # room for the legend above the bars
    ax.legend(loc="upper left", fontsize="small")
    return ax


def _split_samples(scores, thresholds, name):
    """One checked array of scores a split."""
    nested = isinstance(scores, list | tuple) and len(scores) > 0 and np.ndim(scores[0]) > 0
    samples = list(scores) if nested or thresholds.size > 1 else [scores]
    if len(samples) != thresholds.size:
        raise InvalidInputError(
            f"{name} must hold one array for each of the {thresholds.size} thresholds, got {len(samples)}."
        )
    return [check_scores(sample, name) for sample in samples]
