"""NP-ROC bands: the bounds at each level, bands of one or several splits, and predictive values.

`fit_band` scores the splits, `bound_rule` says which bounds they get, and an `NPROCBand` holds the sorted scores, of
which everything else follows: values at levels, a choice of alpha, a classifier, areas and pictures.
"""

from nproc.bands.band import NPROCBand, PartialAUC, levels_to_show
from nproc.bands.bounds import AlphaChoice, BandValues, SimultaneousBounds, bound_rule, choose_from_knots, level_of
from nproc.bands.fit import band_of_splits, fit_band, plan_splits
from nproc.bands.predictive import OF_SINGLE_SPLITS, ONE_REGION, PredictiveBand, PredictiveValues, estimate_text

__all__ = [
    "OF_SINGLE_SPLITS",
    "ONE_REGION",
    "AlphaChoice",
    "BandValues",
    "NPROCBand",
    "PartialAUC",
    "PredictiveBand",
    "PredictiveValues",
    "SimultaneousBounds",
    "band_of_splits",
    "bound_rule",
    "choose_from_knots",
    "estimate_text",
    "fit_band",
    "level_of",
    "levels_to_show",
    "plan_splits",
]
