"""Planning a study: how many class 0 rows, how to share them, and what they buy."""

from typing import TYPE_CHECKING

from nproc.doors import lazy_names

if TYPE_CHECKING:
    from nproc.planning.class0 import ClassZeroPlan, plan_class0
    from nproc.planning.rank_law import RankLaw, type1_law
    from nproc.planning.split_ratio import SplitRatioPlan, plan_split_ratio
    from nproc.planning.supported import SupportedLevels, supported_levels

__all__ = [
    "ClassZeroPlan",
    "RankLaw",
    "SplitRatioPlan",
    "SupportedLevels",
    "plan_class0",
    "plan_split_ratio",
    "supported_levels",
    "type1_law",
]

__getattr__, __dir__ = lazy_names(__name__)
