"""The QQ plot of scores against the normal distribution."""

from __future__ import annotations

from nproc.plotting.canvas import COLORS, axes_or_new


def plot_normal_qq(quantiles, standardised, lower, upper, outside, *, level, ax=None):
    """Return Axes with standardised scores against normal quantiles, inside a simultaneous band.

    Parameters
    ----------
    quantiles, standardised : ndarray, shape (n,)
        Normal quantiles and standardised scores, both ascending.
    lower, upper : ndarray, shape (n,)
        The band.
    outside : ndarray of bool, shape (n,)
        Which scores to show as outside of it.
    level : float
        Chance that a normal sample leaves the band somewhere.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None makes a figure.

    Returns
    -------
    matplotlib.axes.Axes
    """
    ax = axes_or_new(ax, figsize=(4.8, 4.6))
    band = ax.fill_between(
        quantiles, lower, upper, color="0.85", lw=0, label=f"{1 - level:.0%} of normal samples, all ranks at once"
    )
    band.set_gid("nproc-qq-band")
    ax.axline((0, 0), slope=1, color="black", ls=":", lw=1)
    inside = ~outside
    style = {"ls": "", "ms": 5}
    ax.plot(quantiles[inside], standardised[inside], marker="o", color=COLORS[0], gid="nproc-qq-inside", **style)
    if outside.any():
        label = f"outside the band: {int(outside.sum())}"
        ax.plot(
            quantiles[outside], standardised[outside], marker="X", color=COLORS[1], label=label, gid="nproc-qq-outside",
            **style,
        )  # fmt: skip
    ax.set(xlabel="normal quantile", ylabel="standardised left-out class 0 score")
    ax.legend(fontsize="small", loc="upper left")
    return ax
