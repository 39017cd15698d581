"""The bound on the type I error of a fitted rule against the chance that it fails."""

from __future__ import annotations

from nproc.checks import check_level, check_levels
from nproc.errors import InvalidInputError
from nproc.plotting.canvas import COLORS, axes_or_new


def plot_type1_curve(delta, type1_upper, *, alpha, delta_alpha, mean, ax=None):
    """Return Axes with the bound against delta on a logarithmic axis, the level of the rule and its mean error marked.

    Parameters
    ----------
    delta, type1_upper : array-like, shape (m,)
        Chances of failure, and for each the bound.
    alpha : float
        Level of the rule.
    delta_alpha : float
        Chance that the type I error exceeds `alpha`.
    mean : float
        Mean of the type I error.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None makes a figure.

    Returns
    -------
    matplotlib.axes.Axes
        The Axes drawn on.

    Raises
    ------
    InvalidInputError
        If the arrays differ in length, or a number is not in (0, 1).
    """
    delta, type1_upper = check_levels(delta, "delta"), check_levels(type1_upper, "type1_upper")
    if delta.ndim != 1 or delta.shape != type1_upper.shape:
        raise InvalidInputError(
            f"delta and type1_upper must be two lists of one length, got shapes {delta.shape} and {type1_upper.shape}."
        )
    alpha, mean = check_level(alpha, "alpha"), check_level(mean, "mean")
    ax = axes_or_new(ax, figsize=(6, 4))
    order = delta.argsort()
    (line,) = ax.plot(delta[order], type1_upper[order], color=COLORS[0], lw=1.8, label="bound on the type I error")
    line.set_gid("nproc-type1-curve")
    ax.axhline(alpha, color="black", lw=1, ls=(0, (4, 3)), gid="nproc-type1-alpha", label=rf"$\alpha$ = {alpha:g}")
    ax.plot(
        [delta_alpha],
        [alpha],
        "o",
        color="black",
        ms=6,
        gid="nproc-type1-at-alpha",
        label=f"exceeded with probability {delta_alpha:.3g}",
    )
    ax.axhline(mean, color=COLORS[1], lw=1.5, ls=":", gid="nproc-type1-mean", label=f"mean type I error {mean:.3g}")
    ax.set(xscale="log", xlabel=r"chance that the bound fails, $\delta$", ylabel="bound on the type I error")
    ax.set_ylim(bottom=0)
    ax.legend(loc="best", fontsize="small")
    return ax
