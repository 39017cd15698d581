"""How a threshold, and what it calls class 1, move with the share of wrong labels that is assumed."""

import numpy as np

from nproc.doors import needed
from nproc.errors import InvalidInputError
from nproc.plotting.canvas import COLORS, LINESTYLES, figure_size, line_width, small_size


def plot_noise_sensitivity(noise0, thresholds, called0, called1, *, ax=None, figsize=None):
    """Return two Axes: the threshold against the assumed noise, and below it the shares called class 1.

    Parameters
    ----------
    noise0, thresholds, called0, called1 : ndarray, shape (k,)
        The noise in rows labelled 0 in rising order, and for each the threshold, and the shares of the rows labelled 0
        and labelled 1 that are called class 1.
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
    if ax is None:
        with needed("matplotlib", "a picture"):
            import matplotlib.pyplot as plt

        size = figure_size((5.2, 4.6)) if figsize is None else figsize
        pair = plt.subplots(2, 1, sharex=True, figsize=size, layout="constrained")[1]
    else:
        if figsize is not None:
            raise InvalidInputError("figsize is the size of a new figure; leave it out where ax is given.")
        pair = np.ravel(np.asarray(ax, dtype=object))
        if pair.size != 2 or not all(hasattr(one, "get_figure") for one in pair):
            raise InvalidInputError(f"ax must be two Axes, as of plt.subplots(2, 1), got {type(ax).__name__}.")
    top, bottom = pair
    look = {"lw": line_width(1.2), "marker": "o", "ms": 3}
    top.plot(noise0, thresholds, color=COLORS[0], gid="nproc-noise-threshold", **look)
    top.set_ylabel("threshold")
    for values, label, color, style in (
        (called1, "labelled 1", COLORS[0], LINESTYLES[0]),
        (called0, "labelled 0", COLORS[1], LINESTYLES[1]),
    ):
        name = f"nproc-noise-{label.replace(' ', '')}"
        bottom.plot(noise0, values, color=color, ls=style, label=label, gid=name, **look)
    bottom.set(xlabel="assumed share of class 1 among rows labelled 0", ylabel="called class 1")
    bottom.set_ylim(0, 1.02 * np.max([called0, called1]) + 0.02)
    place = {"loc": "lower left", "bbox_to_anchor": (0.0, 1.0), "ncols": 3, "borderaxespad": 0.2}
    bottom.legend(fontsize=small_size(), frameon=False, handlelength=1.6, handletextpad=0.5, columnspacing=1.0, **place)
    return pair
