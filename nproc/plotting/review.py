"""The scores of two classes about two cuts."""

from nproc.checks import check_real, check_scores
from nproc.plotting.canvas import COLORS, axes_or_new, figure_size, histogram_edges, histogram_heights
from nproc.plotting.legend import place_legend


def plot_review(scores0, scores1, lower, upper, *, labels=None, ax=None):
    """Return Axes with histograms of the scores of both classes, the two cuts, and the zone of review between them.

    Parameters
    ----------
    scores0, scores1 : array-like of float
        Scores of each class.
    lower, upper : float
        The cuts; equal where there is no review.
    labels : pair, optional
        The names of class 0 and class 1.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None makes a figure.

    Returns
    -------
    matplotlib.axes.Axes
        The Axes drawn on.

    Raises
    ------
    InvalidInputError
        If a score or a cut is not finite.
    """
    samples = [check_scores(scores0, "scores0"), check_scores(scores1, "scores1")]
    lower, upper = check_real(lower, "lower"), check_real(upper, "upper")
    names = ("class 0", "class 1") if labels is None else [str(label) for label in labels]
    edges = histogram_edges(samples, upper)
    ax = axes_or_new(ax, figure_size((6, 4)))
    heights = [histogram_heights(sample, edges) for sample in samples]
    bars = ax.stairs(heights[0], edges, fill=True, color="0.8", label=f"{names[0]} (n = {samples[0].size})")
    bars.set_gid("nproc-scores-0")
    ax.stairs(heights[1], edges, color=COLORS[1], ls="--", lw=1.5, label=f"{names[1]} (n = {samples[1].size})").set_gid(
        "nproc-scores-1"
    )
    if lower < upper:
        shares = [100 * ((sample >= lower) & (sample <= upper)).mean() for sample in samples]
        ax.axvspan(
            lower,
            upper,
            color=COLORS[0],
            alpha=0.15,
            lw=0,
            label=f"review: {shares[0]:.3g} % of {names[0]}, {shares[1]:.3g} % of {names[1]}",
            gid="nproc-review",
        )
        ax.axvline(lower, color="black", lw=1.5, ls=":", label=f"below: {names[0]}", gid="nproc-lower")
        ax.axvline(upper, color="black", lw=1.5, label=f"above: {names[1]}", gid="nproc-upper")
    else:
        ax.axvline(upper, color="black", lw=1.5, label="one cut, no review", gid="nproc-upper")
    ax.set(xlabel="score", ylabel="density")
    ax.set_ylim(0, 1.05 * ax.dataLim.ymax)
    place_legend(ax)
    return ax
