"""Pictures of NP-ROC bands, ROC curves, dominance and thresholds: arrays or a result in, Axes out.

matplotlib is imported inside the functions; global settings and the backend are never touched. Every
artist carries a gid (`nproc-band-0-lower`, `nproc-roc-0`, ...), by which `Axes.findobj` finds it.
"""

from nproc.plotting.assumptions import plot_assumptions
from nproc.plotting.bands import (
    add_to_names,
    mark_alpha,
    mark_level,
    name_classes,
    name_of_curve,
    plot_band,
    plot_estimate,
    plot_predictive,
    plot_roc,
    tell_chosen,
)
from nproc.plotting.bounds import (
    plot_calibration,
    plot_plan_type1,
    plot_plan_type2,
    plot_split_plan,
    plot_type1_curve,
    plot_vote_bound,
)
from nproc.plotting.canvas import (
    LETTERS_OF_COLUMN,
    as_given,
    as_svg,
    check_style,
    column_letters,
    error_axes,
    figure_for_file,
    last_steps,
    legend_letters,
    one_picture,
    short_name,
    short_names,
)
from nproc.plotting.comparison import plot_comparison, plot_differences, plot_dominance
from nproc.plotting.features import plot_features
from nproc.plotting.levels import ENDS, TIMES_ALPHA, end_of_levels
from nproc.plotting.monitor import plot_change, plot_monitor
from nproc.plotting.noise import plot_noise_sensitivity
from nproc.plotting.review import plot_review, plot_review_plan
from nproc.plotting.scores import (
    plot_confusion,
    plot_group_errors,
    plot_group_scores,
    plot_normal_qq,
    plot_shift,
    plot_threshold,
)

__all__ = [
    "ENDS",
    "LETTERS_OF_COLUMN",
    "TIMES_ALPHA",
    "add_to_names",
    "as_given",
    "as_svg",
    "check_style",
    "column_letters",
    "end_of_levels",
    "error_axes",
    "figure_for_file",
    "last_steps",
    "legend_letters",
    "mark_alpha",
    "mark_level",
    "name_classes",
    "name_of_curve",
    "one_picture",
    "plot_assumptions",
    "plot_band",
    "plot_calibration",
    "plot_change",
    "plot_comparison",
    "plot_confusion",
    "plot_differences",
    "plot_dominance",
    "plot_estimate",
    "plot_features",
    "plot_group_errors",
    "plot_group_scores",
    "plot_monitor",
    "plot_noise_sensitivity",
    "plot_normal_qq",
    "plot_plan_type1",
    "plot_plan_type2",
    "plot_predictive",
    "plot_review",
    "plot_review_plan",
    "plot_roc",
    "plot_shift",
    "plot_split_plan",
    "plot_threshold",
    "plot_type1_curve",
    "plot_vote_bound",
    "short_name",
    "short_names",
    "tell_chosen",
]
