"""NP-ROC bands, ROC curves and marked levels."""

import numpy as np

from nproc.checks import check_level, check_levels
from nproc.errors import InvalidInputError
from nproc.plotting.canvas import (
    COLORS,
    HATCHES,
    LINESTYLES,
    axes_or_new,
    band_color,
    claim_axes,
    count_drawn,
    name_axes,
    next_style,
    step_corners,
    thin_corners,
)

SEGMENT_COLOR = "#1A66FF"


def plot_band(
    alpha,
    type2_lower,
    type2_upper,
    *,
    ax=None,
    label=None,
    color=None,
    linestyle=None,
    hatch=None,
    shade=True,
    marked_alpha=None,
    delta=None,
    kind=None,
    class0=None,
):
    r"""Return Axes with one NP-ROC band: two step curves of one minus the bounds on the type II error.

    The band at a level is that of the largest knot not above it. Below the first knot there is no
    classifier: the lower curve is 0 there, and the upper curve has its value at the first knot.

    Parameters
    ----------
    alpha : array-like, shape (k,)
        The knots in ascending order: bounds on the type I error.
    type2_lower, type2_upper : array-like, shape (k,)
        Bounds on the conditional type II error at the knots.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None makes a figure.
    label : str, optional
        Name in the legend. There is no legend as long as neither a label nor `delta` is given.
    color, linestyle, hatch : optional
        As matplotlib takes them; None takes the next free style on these Axes.
    shade : bool
        Fill the band.
    marked_alpha : float, optional
        A level to mark with `mark_alpha`.
    delta : float, optional
        The probability with which a bound may fail, for the legend.
    kind : str, optional
        What the bounds are, for the legend; shown with `delta`.
    class0 : label, optional
        The class whose error alpha bounds; Axes that show another one are refused.

    Returns
    -------
    matplotlib.axes.Axes
        The Axes drawn on.

    Raises
    ------
    InvalidInputError
        If the arrays differ in length, leave [0, 1], or the knots are not in order; or `ax` shows another class.

    Notes
    -----
    Up to 8000 knots every step is exact; with more, no step moves by more than 1/4000 (see `thin_corners`
    in `nproc.plotting.canvas`).

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> ax = plot_band([0.1, 0.4], [0.3, 0.0], [0.7, 0.2], label="lda", ax=Figure().subplots())
    >>> ax.findobj(lambda artist: artist.get_gid() == "nproc-band-0-lower")[0].get_ydata()
    array([0. , 0.3, 0.8, 0.8])
    """
    alpha = check_levels(alpha, "alpha", closed=True)
    type2_lower = check_levels(type2_lower, "type2_lower", closed=True)
    type2_upper = check_levels(type2_upper, "type2_upper", closed=True)
    x, lower, upper = step_corners(alpha, type2_lower, type2_upper)
    marked_alpha = None if marked_alpha is None else check_level(marked_alpha, "marked_alpha")
    if delta is not None:
        parts = ["NP-ROC band" if label is None else label, *([kind] if kind else [])]
        label = ", ".join([*parts, rf"$\delta$ = {check_level(delta, 'delta'):g}"])
    ax = axes_or_new(ax)
    claim_axes(ax, class0)
    number = count_drawn(ax, "band")
    chosen = zip((color, linestyle, hatch), next_style(ax), strict=True)
    color, linestyle, hatch = (default if given is None else given for given, default in chosen)
    shown_x, shown_lower, shown_upper = thin_corners(x, lower, upper)
    # below the first knot no classifier respects alpha: there is a lower curve, at 0, but no band to show
    inside = shown_x > alpha[0]
    band_x = np.append(alpha[0], shown_x[inside])
    band_lower, band_upper = (
        np.append(curve[1], shown[inside]) for curve, shown in ((lower, shown_lower), (upper, shown_upper))
    )
    for name, line_x, curve in (("lower", shown_x, shown_lower), ("upper", band_x, band_upper)):
        (line,) = ax.plot(line_x, curve, color=color, linestyle=linestyle, drawstyle="steps-post", lw=1.5)
        line.set_gid(f"nproc-band-{number}-{name}")
        line.set_label(label if name == "lower" and label else "_")
    if shade:
        fill = ax.fill_between(band_x, band_lower, band_upper, step="post", lw=0, alpha=0.25)
        fill.set(facecolor=color, edgecolor=color, hatch=hatch, gid=f"nproc-band-{number}-fill")
    name_axes(ax)
    if marked_alpha is not None:
        at = np.searchsorted(x, marked_alpha, side="right") - 1
        mark_alpha(marked_alpha, 1 - upper[at], 1 - lower[at], ax=ax)
    return ax


def plot_estimate(alpha, type2, *, ax, label):
    """Return the Axes with one minus an estimated type II error drawn as a dotted line over the last band.

    Parameters
    ----------
    alpha, type2 : array-like, shape (k,)
        Knots in ascending order, and estimates from each to the next.
    ax : matplotlib.axes.Axes
        Axes with the band.
    label : str
        Name in the legend.

    Returns
    -------
    matplotlib.axes.Axes
        The same Axes.
    """
    alpha, type2 = check_levels(alpha, "alpha", closed=True), check_levels(type2, "type2", closed=True)
    number = count_drawn(ax, "band") - 1
    x, power, _ = step_corners(alpha, type2, type2)
    x, power, _ = thin_corners(x, power, power)
    (line,) = ax.plot(x, power, color=band_color(ax, number), linestyle=":", drawstyle="steps-post", lw=2, label=label)
    line.set_gid(f"nproc-band-{number}-estimate")
    name_axes(ax)
    return ax


def plot_bands(bands, *, ax=None, marked_alpha=None):
    """Return Axes with several NP-ROC bands laid over each other, told apart by colour, line and hatch.

    Parameters
    ----------
    bands : sequence of dict
        Keyword arguments of `plot_band` for each band; each should have a ``label``.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None makes a figure.
    marked_alpha : float, optional
        A level to mark by a line across all bands.

    Returns
    -------
    matplotlib.axes.Axes
        The Axes drawn on.
    """
    ax = axes_or_new(ax)
    if marked_alpha is not None:
        mark_level(marked_alpha, ax=ax)
    # what all bands share is told once
    shared = {(band.get("kind"), band.get("delta")) for band in bands}
    kind, delta = shared.pop() if len(shared) == 1 else (None, None)
    # two bands are told apart by their lines; hatching is for more
    plain = {"hatch": ""} if len(bands) <= 2 else {}
    for number, band in enumerate(bands, start=1):
        own = plain | (band if delta is None else {**band, "kind": None, "delta": None})
        plot_band(**{"label": f"band {number}", **own}, ax=ax)
    if delta is not None:
        parts = [*([kind] if kind else []), rf"$\delta$ = {check_level(delta, 'delta'):g}"]
        ax.get_legend().set_title(", ".join(parts), prop={"size": "small"})
    return ax


def mark_level(alpha, *, ax):
    """Return the Axes with a level marked by a dashed vertical line, which belongs to no band.

    Parameters
    ----------
    alpha : float
        The level.
    ax : matplotlib.axes.Axes
        Where to draw, before the bands if the legend is to name it.

    Returns
    -------
    matplotlib.axes.Axes
        The same Axes.
    """
    alpha = check_level(alpha, "alpha")
    line = ax.axvline(alpha, color="0.2", linestyle=(0, (4, 3)), lw=1, zorder=3)
    line.set(label=rf"$\alpha$ = {alpha:.4g}", gid=f"nproc-level-{count_drawn(ax, 'level')}-line")
    return ax


def mark_alpha(alpha, type2_lower, type2_upper, *, ax, label=None):
    """Return the Axes with a chosen level marked: a dashed vertical line and the segment of the band there.

    Parameters
    ----------
    alpha : float
        The level.
    type2_lower, type2_upper : float
        Bounds on the conditional type II error at that level.
    ax : matplotlib.axes.Axes
        Where to draw.
    label : str, optional
        Name in the legend; None gives the value of alpha.

    Returns
    -------
    matplotlib.axes.Axes
        The same Axes.
    """
    alpha = check_level(alpha, "alpha")
    ends = 1 - check_levels([type2_upper, type2_lower], "type2_lower and type2_upper", closed=True)
    number = count_drawn(ax, "mark")
    line = ax.axvline(alpha, color="0.2", linestyle=(0, (4, 3)), lw=1, label="_", zorder=3)
    line.set_gid(f"nproc-mark-{number}-line")
    (segment,) = ax.plot([alpha] * 2, ends, color=SEGMENT_COLOR, lw=3, marker="_", ms=11, mew=2.5, zorder=4)
    segment.set(gid=f"nproc-mark-{number}-segment", solid_capstyle="butt")
    segment.set_label(rf"$\alpha$ = {alpha:.4g}" if label is None else label)
    name_axes(ax)
    return ax


def plot_roc(
    fpr, tpr, *, ax=None, label="ROC-CV", color="0.3", linestyle=(0, (1, 1)), drawstyle="default", class0=None
):
    """Return Axes with an empirical ROC curve, which may lie beside a band.

    The two have different axes: a ROC curve shows estimated errors, a band shows bounds on errors. When
    both are drawn the legend says so.

    Parameters
    ----------
    fpr, tpr : array-like, shape (k,)
        Empirical type I error and one minus the empirical type II error.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None makes a figure.
    label : str
        Name in the legend.
    color, linestyle, drawstyle : optional
        As matplotlib takes them.
    class0 : label, optional
        The class whose error is the type I error; Axes that show another one are refused.

    Returns
    -------
    matplotlib.axes.Axes
        The Axes drawn on.
    """
    fpr, tpr = check_levels(fpr, "fpr", closed=True), check_levels(tpr, "tpr", closed=True)
    if fpr.ndim != 1 or fpr.shape != tpr.shape:
        raise InvalidInputError(f"fpr and tpr must have one length, got shapes {fpr.shape} and {tpr.shape}.")
    ax = axes_or_new(ax)
    claim_axes(ax, class0)
    gid = f"nproc-roc-{count_drawn(ax, 'roc')}"
    ax.plot(fpr, tpr, color=color, linestyle=linestyle, drawstyle=drawstyle, lw=2, label=label, gid=gid)
    name_axes(ax)
    return ax


def plot_predictive(alpha, curves, *, prevalence, delta, note, labels, ax=None):
    """Return Axes with a band for each predictive value: two step curves, shaded between, and a thin estimate.

    Parameters
    ----------
    alpha : array-like, shape (k,)
        Knots in ascending order; below the first no classifier exists and nothing is drawn.
    curves : dict of str to three array-like, each of shape (k,)
        Of "ppv", "npv" or both: lower bound, estimate and upper bound at the knots.
    prevalence : str
        Shown in the title.
    delta : float
        Chance of failure, for the title.
    note : str
        What the bounds hold for, for the title.
    labels : sequence of two str
        Names of class 0 and class 1.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None makes a figure.

    Returns
    -------
    matplotlib.axes.Axes
        The Axes drawn on.
    """
    alpha = check_levels(alpha, "alpha", closed=True)
    ax = axes_or_new(ax)
    x = np.append(alpha, 1.0)
    for number, (name, (lower, middle, upper)) in enumerate(curves.items()):
        color, style, hatch = COLORS[number], LINESTYLES[number], HATCHES[number]
        lower, middle, upper = (np.append(curve, curve[-1]) for curve in (lower, middle, upper))
        for end, curve in (("lower", lower), ("upper", upper)):
            (line,) = ax.plot(x, curve, color=color, ls=style, drawstyle="steps-post", lw=1.5)
            line.set_gid(f"nproc-{name}-{end}")
        (line,) = ax.plot(x, middle, color=color, drawstyle="steps-post", lw=0.7)
        line.set_gid(f"nproc-{name}-estimate")
        fill = ax.fill_between(x, lower, upper, step="post", lw=0, alpha=0.25)
        of_class = labels[1] if name == "ppv" else labels[0]
        label = f"{name.upper()}: P({of_class} | called {of_class})"
        fill.set(facecolor=color, edgecolor=color, hatch=hatch, label=label, gid=f"nproc-{name}-fill")
    ax.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.01), xlabel=r"type I error upper bound, $\alpha$")
    ax.set_ylabel("predictive value")
    ax.set_title(rf"prevalence of {labels[1]}: {prevalence}; $\delta$ = {delta:g}, {note}", fontsize="small")
    ax.legend(loc="best", fontsize="small", handlelength=2.8)
    return ax
