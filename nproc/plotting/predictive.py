"""Bands of predictive values against alpha."""

from __future__ import annotations

import numpy as np

from nproc.checks import check_levels
from nproc.plotting.canvas import COLORS, HATCHES, LINESTYLES, axes_or_new


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
