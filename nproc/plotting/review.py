"""The scores of two classes about two cuts, and the plan of how many rows are left between them."""

from nproc.checks import check_scores
from nproc.plotting.canvas import (
    BESIDE_NAME,
    LINESTYLES,
    as_given,
    axes_or_new,
    color_of,
    drawn_classes,
    ink,
    letters_of,
    level_line,
    line_width,
    score_bins,
    write_plain_numbers,
)
from nproc.plotting.legend import legend_height, note_caption, place_legend
from nproc.plotting.scores import finish_histogram

# what is free behind the last number of scores in a plan, as a share of the length of the curves
FREE_BEHIND = 0.12
# of the shares in a plan, whose lines cross
MARKERS = ("o", "s", "^")
# the share of the height of a figure that a legend may take with the names of the classes in all its rows
MOST_OF_LEGEND = 0.4
# and of that height a legend that has each name once must not take more than this share, to be worth it
SAVES = 0.9


def plot_review(scores0, scores1, lower, upper, *, labels=None, ax=None, figsize=None):
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
    figsize : (float, float), optional
        Size of the new figure in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The Axes drawn on.

    Raises
    ------
    InvalidInputError
        If a score is not finite.
    """
    samples = [check_scores(scores0, "scores0"), check_scores(scores1, "scores1")]
    names = drawn_classes(labels)
    bins = score_bins(samples, lower, upper)
    ax = axes_or_new(ax, figsize, (6, 4))
    looks = {"fill": True, "color": "0.8"}, {"color": color_of(1), "ls": "--", "lw": line_width(1.0)}
    shares = [100 * ((sample >= lower) & (sample <= upper)).mean() for sample in samples]
    sizes = [f"{name} (n = {sample.size})" for name, sample in zip(names, samples, strict=True)]
    told = _review_texts(ax, names, shares, lower < upper)
    # the names may stand once in the legend, and the other rows refer to them
    sizes_once = [f"class {j}: {size}" for j, size in enumerate(sizes)]
    told_once = _review_texts(ax, ("class 0", "class 1"), shares, lower < upper)
    height, height_once = legend_height(ax, [*sizes, *told]), legend_height(ax, [*sizes_once, *told_once])
    if height > MOST_OF_LEGEND * ax.figure.bbox.height and height_once < SAVES * height:
        sizes, told = sizes_once, told_once
    for j, (size, sample, look) in enumerate(zip(sizes, samples, looks, strict=True)):
        ax.stairs(bins.heights(sample), bins.edges, label=size, gid=f"nproc-scores-{j}", **look)
    if lower < upper:
        # hatched, so that it does not look like the bars in grey-scale print
        look = {"fc": (color_of(0), 0.12), "ec": (color_of(0), 0.5), "hatch": "//", "lw": 0}
        ax.axvspan(lower, upper, label=told[0], gid="nproc-review", **look)
        level_line(ax, x=lower, lw=1.0, ls=":", label=told[1], gid="nproc-lower")
    level_line(ax, x=upper, lw=1.0, ls="-", label=told[-1], gid="nproc-upper")
    return finish_histogram(ax, "score", bins)


def _review_texts(ax, names, shares, has_zone):
    """What the legend says of the zone of review and its two ends, or of the one cut where there is no review."""
    if not has_zone:
        return ["one cut, no review"]
    zone = f"review: {shares[0]:.3g} % of {names[0]}, {shares[1]:.3g} % of {names[1]}"
    if len(zone) > letters_of(ax) - BESIDE_NAME:
        zone = zone.replace(f"{names[0]}, ", f"{names[0]},\n")
    return [zone, f"below: called {names[0]}", f"above: called {names[1]}"]


def plot_review_plan(n0, shares, *, n0_pilot, max_review, limit, needed=None, ax=None, figsize=None):
    """Return Axes with the expected share in review against the number of class 0 scores, on a logarithmic axis.

    Parameters
    ----------
    n0 : ndarray of int, shape (k,)
        Numbers of class 0 scores.
    shares : mapping
        From a name to the shares at these numbers, shape (k,).
    n0_pilot : int
        Class 0 scores of the pilot.
    max_review, limit : float
        The share that was asked for, and what no number of scores goes below.
    needed : int, optional
        The number at which the first of the shares is small enough.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None makes a figure.
    figsize : (float, float), optional
        Size of the new figure in inches.

    Returns
    -------
    matplotlib.axes.Axes
    """
    ax = axes_or_new(ax, figsize, (5.6, 4.0))
    thin = {"color": ink(), "lw": line_width(0.7)}
    for number, (name, values) in enumerate(shares.items()):
        look = {"color": color_of(number), "ls": LINESTYLES[number], "marker": MARKERS[number], "ms": line_width(3)}
        ax.plot(n0, values, label=as_given(name), gid=f"nproc-plan-review-{number}", lw=line_width(1.2), **look)
        if number == 0:
            # of the first share, so beside it in the legend and in its colour
            own = {**thin, "color": color_of(0), "ls": (0, (1, 2)), "label": f"limit {limit:.3g}"}
            ax.axhline(limit, **own, gid="nproc-plan-review-limit")
            asked = {**thin, "ls": (0, (4, 3)), "label": f"asked {max_review:.3g}"}
            ax.axhline(max_review, **asked, gid="nproc-plan-review-asked")
    if needed is not None:
        ax.axvline(needed, color="0.5", lw=line_width(0.7), label=f"needed: {needed}", gid="nproc-plan-review-needed")
    ax.set_xscale("log")
    # the line of the number needed, which is the last, lies clear of the frame
    ax.set_xlim(right=n0[-1] * (n0[-1] / n0[0]) ** FREE_BEHIND)
    write_plain_numbers(ax)
    ax.set(xlabel=f"class 0 scores (pilot: {n0_pilot})", ylabel="expected share in review")
    ax.set_ylim(0, 1.05 * max(max_review, *(float(values.max()) for values in shares.values())))
    note_caption(ax, 0, "limit and asked: shares of all rows")
    place_legend(ax)
    return ax
