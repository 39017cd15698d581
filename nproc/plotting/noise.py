"""How a threshold, and what it calls class 1, move with the share of wrong labels that is assumed."""

import numpy as np

from nproc.plotting.canvas import LINESTYLES, color_of, line_width, two_axes, write_round_levels
from nproc.plotting.legend import legend_above


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
    pair = two_axes(ax, figsize, (5.2, 4.6), sharex=True)
    top, bottom = pair
    look = {"lw": line_width(1.2), "marker": "o", "ms": line_width(2.0)}
    top.plot(noise0, thresholds, color=color_of(0), gid="nproc-noise-threshold", **look)
    top.set_ylabel("threshold")
    for values, label, color, style in (
        (called1, 1, color_of(0), LINESTYLES[0]),
        (called0, 0, color_of(1), LINESTYLES[1]),
    ):
        name = f"nproc-noise-labelled{label}"
        bottom.plot(noise0, values, color=color, ls=style, label=f"labelled class {label}", gid=name, **look)
    bottom.set(xlabel="share of class 1 in rows labelled class 0", ylabel="share called class 1")
    write_round_levels(bottom)
    bottom.set_ylim(0, 1.02 * np.max([called0, called1]) + 0.02)
    legend_above(bottom, handlelength=1.6)
    return pair
