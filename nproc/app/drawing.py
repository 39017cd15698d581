"""The picture of a result, on the screen and as a file."""

from __future__ import annotations

import io

SIZE = (6.4, 6.0)
FORMATS = {"svg": "image/svg+xml", "pdf": "application/pdf"}


def draw(result, level, *, alpha_up_to=1.0, layout="constrained"):
    """Return a matplotlib Figure with all bands, the level, and dominance bars where there are several methods.

    Parameters
    ----------
    result : Result
        What to draw.
    level : Level
        The level to mark.
    alpha_up_to : float
        Where the alpha axis ends.
    layout : str
        The layout engine of matplotlib.
    """
    from matplotlib.figure import Figure

    ax = Figure(figsize=SIZE, layout=layout).subplots()
    if result.comparison is not None:
        result.comparison.plot(ax=ax, alpha=level.alpha)
    else:
        result.bands[0].plot(ax=ax, alpha=level.alpha)
    ax.set_xlim(-0.01 * alpha_up_to, 1.01 * alpha_up_to)
    return ax.figure


def picture_bytes(result, level, kind, *, alpha_up_to=1.0):
    """Return the picture as the bytes of an SVG or PDF file."""
    buffer = io.BytesIO()
    draw(result, level, alpha_up_to=alpha_up_to).savefig(buffer, format=kind)
    return buffer.getvalue()
