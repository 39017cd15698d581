"""Pictures of NP-ROC bands, ROC curves, dominance and thresholds: arrays in, Axes out.

matplotlib is imported inside the functions; global settings and the backend are never touched. Every
artist carries a gid (`nproc-band-0-lower`, `nproc-roc-0`, ...), by which `Axes.findobj` finds it.
"""

from nproc.plotting.bands import mark_alpha, mark_level, plot_band, plot_bands, plot_roc
from nproc.plotting.comparison import plot_differences, plot_dominance
from nproc.plotting.scores import plot_threshold

__all__ = [
    "mark_alpha",
    "mark_level",
    "plot_band",
    "plot_bands",
    "plot_differences",
    "plot_dominance",
    "plot_roc",
    "plot_threshold",
]
