"""What all pictures share: colours, a new figure, axis labels and the legend."""

import numpy as np

from nproc.errors import InvalidInputError

# Each two colours differ by at least 12 units of CIE lightness (L*), so that they can be told apart in
# grey-scale print and with any colour vision; each comes with a line style and a hatch of its own.
COLORS = ("#004488", "#D07010", "#AA3377", "#66BBDD", "#111111")
LINESTYLES = ("-", "--", "-.", (0, (1, 1)), (0, (5, 1, 1, 1, 1, 1)))
HATCHES = ("", "///", "\\\\\\", "...", "xxx")

ALPHA_LABEL = r"type I error upper bound, $\alpha$"
KINDS = {"band": ("NP-ROC band", r"$x$ axis: $\alpha$"), "roc": ("ROC", "$x$ axis: empirical type I error")}


def axes_or_new(ax, figsize=(5.2, 5.2)):
    """Return `ax`, or the Axes of a new figure if it is None."""
    if ax is not None:
        if not hasattr(ax, "get_figure") or isinstance(ax, type):
            raise InvalidInputError(f"ax must be the Axes of a figure of matplotlib, or None, got {type(ax).__name__}.")
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=figsize, layout="constrained")[1]


def claim_axes(ax, class0):
    """Remember the class whose error is the type I error on these Axes; refuse them for that of another class.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        What is drawn on.
    class0 : label or None
        The class; None where it is not known.

    Raises
    ------
    InvalidInputError
        If a band or a curve of another class was drawn here before.
    """
    if class0 is None:
        return
    # as the user writes it
    class0 = class0.item() if isinstance(class0, np.generic) else class0
    # Axes that were cleared show nothing any more
    drawn = _lines_of(ax, "band") or _lines_of(ax, "roc")
    shown = getattr(ax, "_nproc_class0", None) if drawn else None
    if shown is not None and shown != class0:
        raise InvalidInputError(
            f"ax already shows type I errors of class {shown!s}, and here class 0 is {class0!s}: the type I and "
            f"type II errors would be exchanged. Make this band again with class0={shown!r}, or draw it on Axes of "
            "its own."
        )
    ax._nproc_class0 = class0


def _lines_of(ax, kind):
    return [line for line in ax.lines if (line.get_gid() or "").startswith(f"nproc-{kind}-")]


def count_drawn(ax, kind):
    """Return how many bands ("band"), ROC curves ("roc") or marks ("mark") these Axes hold."""
    return len({line.get_gid().split("-")[2] for line in _lines_of(ax, kind)})


def next_style(ax):
    """Return colour, line style and hatch for the next band on these Axes; 25 bands differ in the three."""
    number = count_drawn(ax, "band")
    shifted = (number + number // len(COLORS)) % len(LINESTYLES)
    return COLORS[number % len(COLORS)], LINESTYLES[shifted], HATCHES[shifted]


def band_color(ax, number):
    """Return the colour of a band on these Axes, or the one that it would get."""
    drawn = [line for line in ax.lines if line.get_gid() == f"nproc-band-{number}-lower"]
    return drawn[0].get_color() if drawn else COLORS[number % len(COLORS)]


def find_strip(ax):
    """Return the Axes of the dominance bars below these Axes, or None."""
    return next((axes for axes in ax.child_axes if axes.get_gid() == "nproc-dominance"), None)


def name_axes(ax):
    """Set the limits and axis labels that fit what is drawn, and draw the legend anew."""
    has_band, has_roc = bool(_lines_of(ax, "band")), bool(_lines_of(ax, "roc"))
    xlabel, ylabel = ALPHA_LABEL, "1 $-$ conditional type II error"
    if has_roc and not has_band:
        xlabel, ylabel = "empirical type I error", "1 $-$ empirical type II error"
    elif has_roc:
        xlabel += " (NP-ROC band)\nempirical type I error (ROC)"
        ylabel = "1 $-$ type II error: conditional (band), empirical (ROC)"
        _tell_kinds_apart(ax)
    ax.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.01), ylabel=ylabel)
    (find_strip(ax) or ax).set_xlabel(xlabel)
    fills = {(fill.get_gid() or "").replace("fill", "lower"): fill for fill in ax.collections}
    handles, texts = ax.get_legend_handles_labels()
    if handles:
        pairs = [(fills[h.get_gid()], h) if h.get_gid() in fills else h for h in handles]
        before = ax.get_legend()
        title = None if before is None else before.get_title().get_text() or None
        ax.legend(pairs, texts, loc="best", fontsize="small", handlelength=2.8, title=title, title_fontsize="small")


def _tell_kinds_apart(ax):
    """Say in each label whether it is a band or a ROC curve, and what the x axis means for it."""
    for kind, (word, axis) in KINDS.items():
        for line in _lines_of(ax, kind):
            text = line.get_label()
            if not text.startswith("_") and axis not in text:
                line.set_label(f"{text} ({axis})" if word in text else f"{text} ({word}, {axis})")


N_COLUMNS = 4000


def step_corners(alpha, type2_lower, type2_upper):
    """Return the corners, from 0 to 1, of the two step curves of an NP-ROC band.

    A curve keeps the value of a corner until the next one. Below the first knot no classifier exists:
    the lower curve is 0 there and the upper one has its value at the first knot.

    Parameters
    ----------
    alpha : ndarray, shape (k,)
        Knots in ascending order.
    type2_lower, type2_upper : ndarray, shape (k,)
        Bounds on the conditional type II error at the knots.

    Returns
    -------
    x, lower, upper : ndarray, shape (k + 2,)
        Levels, and one minus the upper and the lower bound.

    Raises
    ------
    InvalidInputError
        If the lengths differ or the knots are not in order.
    """
    if alpha.ndim != 1 or not alpha.size or not alpha.shape == type2_lower.shape == type2_upper.shape:
        raise InvalidInputError(
            "alpha, type2_lower and type2_upper must be one-dimensional and equally long, got shapes "
            f"{alpha.shape}, {type2_lower.shape} and {type2_upper.shape}."
        )
    if np.any(np.diff(alpha) < 0):
        raise InvalidInputError("alpha must be in ascending order; sort the three arrays by alpha.")
    lower, upper = 1 - type2_upper, 1 - type2_lower
    x = np.concatenate(([0.0], alpha, [1.0]))
    return x, np.concatenate(([0.0], lower, lower[-1:])), np.concatenate((upper[:1], upper, upper[-1:]))


def thin_corners(x, lower, upper):
    """Return the corners that a picture needs.

    Corners at which neither curve changes are left out, which changes nothing. If more than 8000
    remain, only the first and the last in each of 4000 columns of equal width stay; where the curves do
    not fall, this moves no step by more than 1/4000.

    Parameters
    ----------
    x, lower, upper : ndarray, shape (k,)
        Corners as `step_corners` returns them.

    Returns
    -------
    x, lower, upper : ndarray, shape (m,)
        A subset of the corners with the first and the last one, m at most 8002.
    """
    keep = np.ones(x.size, dtype=bool)
    keep[1:-1] = (np.diff(lower)[:-1] != 0) | (np.diff(upper)[:-1] != 0)
    x, lower, upper = x[keep], lower[keep], upper[keep]
    if x.size > 2 * N_COLUMNS:
        new = np.diff(np.floor(x * N_COLUMNS)) != 0
        keep = np.append(True, new) | np.append(new, True)
        x, lower, upper = x[keep], lower[keep], upper[keep]
    return x, lower, upper


def histogram_edges(samples, cut):
    """Return edges of equal bins for a histogram of one or more samples, with an edge exactly at `cut`.

    The range covers the central 99 % of each sample, and all of it unless far values would squeeze the
    rest together.

    Parameters
    ----------
    samples : sequence of ndarray
        The samples.
    cut : float
        A value that must be an edge.

    Returns
    -------
    ndarray, shape (m + 1,)
        Edges of 10 to about 60 bins.
    """
    low, high = cut, cut
    for sample in samples:
        inner = np.quantile(sample, [0.005, 0.995])
        slack = 0.5 * (inner[1] - inner[0])
        low = min(low, max(sample.min(), inner[0] - slack))
        high = max(high, min(sample.max(), inner[1] + slack))
    n_bins = int(np.clip(2 * np.cbrt(max(sample.size for sample in samples)), 10, 60))
    width = (high - low) / n_bins or max(abs(cut), 1.0) / 10
    first, last = np.floor((low - cut) / width), np.ceil((high - cut) / width)
    return cut + width * np.arange(min(first, -1), max(last, 1) + 1)  # at least one bin on each side


def histogram_heights(sample, edges):
    """Return the density in each bin; a bin holds its right edge, and the end bins all values beyond.

    Parameters
    ----------
    sample : ndarray, shape (n,)
        The values.
    edges : ndarray, shape (m + 1,)
        Ascending edges.

    Returns
    -------
    ndarray, shape (m,)
        Heights whose area is 1.

    Examples
    --------
    >>> import numpy as np
    >>> histogram_heights(np.array([0.0, 1.0, 1.5, 9.0]), np.array([0.0, 1.0, 2.0]))
    array([0.5, 0.5])
    """
    counts = np.histogram(-np.clip(sample, edges[0], edges[-1]), -edges[::-1])[0][::-1]
    return counts / (sample.size * np.diff(edges))
