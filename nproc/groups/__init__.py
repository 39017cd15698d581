"""A bound in every group, and rows that come in clusters.

Rows with a `Membership` are split by group or by cluster, scored as ever, and get a threshold for each group, or one
for clusters of which one row each counts: an `NPGroupFit` or an `NPClusterFit`. From scores alone,
`np_group_thresholds` bounds the type I error in each group, and `np_equal_thresholds` that of all together and the
difference between two groups.

References
----------
.. [fan2023] Fan, J., Tong, X., Wu, Y., Xia, L. and Yao, S. (2023). Neyman-Pearson and equal opportunity: when
   efficiency meets fairness in classification. arXiv:2310.01009.
"""

from typing import TYPE_CHECKING

from nproc.doors import lazy_names

if TYPE_CHECKING:
    from nproc.groups.clusters import NPClusterFit, one_per_cluster
    from nproc.groups.equal_opportunity import EqualThresholds, equal_thresholds_at, np_equal_thresholds
    from nproc.groups.fit import GroupEvaluation, NPGroupFit
    from nproc.groups.membership import plain_labels
    from nproc.groups.thresholds import GroupThresholds, np_group_thresholds
    from nproc.groups.umbrella import umbrella_for

__all__ = [
    "EqualThresholds",
    "GroupEvaluation",
    "GroupThresholds",
    "NPClusterFit",
    "NPGroupFit",
    "equal_thresholds_at",
    "np_equal_thresholds",
    "np_group_thresholds",
    "one_per_cluster",
    "plain_labels",
    "umbrella_for",
]

__getattr__, __dir__ = lazy_names(__name__)
