"""A bound in every group, and rows that come in clusters.

Rows with a `Membership` are split by group or by cluster, scored as ever, and get a threshold for each group, or one
for clusters of which one row each counts: an `NPGroupFit` or an `NPClusterFit`.
"""

from nproc.groups.clusters import NPClusterFit, one_per_cluster
from nproc.groups.fit import GroupEvaluation, NPGroupFit
from nproc.groups.membership import plain_labels
from nproc.groups.thresholds import GroupThresholds, np_group_thresholds
from nproc.groups.umbrella import umbrella_for

__all__ = [
    "GroupEvaluation",
    "GroupThresholds",
    "NPClusterFit",
    "NPGroupFit",
    "np_group_thresholds",
    "one_per_cluster",
    "plain_labels",
    "umbrella_for",
]
