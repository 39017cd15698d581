"""The confusion table of several classes as a picture."""

from __future__ import annotations

import numpy as np

from nproc.checks import LARGEST_COUNT, check_counts
from nproc.errors import InvalidInputError
from nproc.plotting.canvas import axes_or_new


def plot_confusion(counts, labels, *, controlled=None, alphas=None, ax=None):
    """Return Axes with a confusion table: shade and figures are shares of the true class, counts stand below them.

    Cells of the errors that have a level have a thick frame; beside each line stands their sum, with the level, and the
    total error of the class. Shades are greys, so that print loses nothing.

    Parameters
    ----------
    counts : ndarray of int, shape (K, K)
        True classes down, called classes across.
    labels : sequence of str, length K
        Names of the classes.
    controlled : ndarray of bool, shape (K, K), optional
        Cells of the errors that have a level.
    alphas : sequence of float or None, length K, optional
        The levels.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None makes a figure.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    InvalidInputError
        If the table is not square, or has not as many lines as there are labels.
    """
    counts = check_counts(counts, "counts", minimum=0, maximum=LARGEST_COUNT)
    n_classes = len(labels)
    if counts.shape != (n_classes, n_classes):
        raise InvalidInputError(f"counts must have shape {(n_classes, n_classes)}, got {counts.shape}.")
    controlled = np.zeros(counts.shape, dtype=bool) if controlled is None else np.asarray(controlled)
    alphas = [None] * n_classes if alphas is None else list(alphas)
    ax = axes_or_new(ax, figsize=(3.4 + 1.05 * n_classes, 1.4 + 0.9 * n_classes))
    n = counts.sum(axis=1)
    shares = counts / np.maximum(n, 1)[:, None]
    # the darkest shade is a mid grey, on which black figures can be read
    ax.imshow(shares, cmap="Greys", vmin=0, vmax=1.8, aspect="auto", gid="nproc-confusion")
    for (row, column), share in np.ndenumerate(shares):
        text = f"{100 * share:.1f} %\n{counts[row, column]}" if n[row] else "-"
        ax.text(column, row, text, ha="center", va="center", fontsize="medium")
    _frame_cells(ax, controlled & (np.array([a is not None for a in alphas])[:, None]))
    ax.set_xticks(range(n_classes), labels)
    ax.set_yticks(range(n_classes), [f"{label}\nn = {m}" for label, m in zip(labels, n, strict=True)])
    ax.set_ylabel("true class")
    for row, alpha in enumerate(alphas):
        if n[row]:
            words = _errors_of(counts[row], row, controlled[row], alpha)
            ax.text(n_classes - 0.4, row, words, ha="left", va="center", fontsize="small")
    # room for the words beside the table
    width = n_classes + 1.4 + 0.12 * n_classes
    ax.set_xlim(-0.5, width - 0.5)
    # the name of the axis in the middle of the table, not of the Axes
    ax.set_xlabel("called", x=n_classes / 2 / width)
    ax.spines[["top", "right", "bottom"]].set_visible(False)
    return ax


def _errors_of(counts, row, controlled, alpha):
    n = counts.sum()
    total = f"total error {100 * (n - counts[row]) / n:.1f} %"
    if alpha is None:
        return f"{total}\n(no level)"
    bounded = 100 * counts[controlled].sum() / n
    if controlled.sum() == counts.size - 1:
        return f"{total}\n(framed; level {100 * alpha:g} %)"
    return f"framed {bounded:.1f} % (level {100 * alpha:g} %)\n{total} (no bound)"


def _frame_cells(ax, cells):
    from matplotlib.patches import Rectangle

    for row, column in np.argwhere(cells).tolist():
        frame = Rectangle((column - 0.47, row - 0.46), 0.94, 0.92, fill=False, lw=2.2, ec="black")
        frame.set_gid(f"nproc-controlled-{row}-{column}")
        ax.add_patch(frame)
