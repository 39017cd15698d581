"""Is the promise still kept? Errors of class 0 rows that come in one after the other, after the fit.

`Type1Monitor` is a test that may be looked at after every row, with bounds on the type I error that hold at all times.
`Type1ChangeDetector` is for a change that comes late. Both stand on the evidence of `nproc.monitoring.evidence`.

References
----------
.. [robbins1970] Robbins, H. (1970). Statistical methods related to the law of the iterated logarithm. Annals of
   Mathematical Statistics 41(5), 1397-1409.
.. [ville1939] Ville, J. (1939). Etude critique de la notion de collectif. Gauthier-Villars, Paris.
.. [shin2024] Shin, J., Ramdas, A. and Rinaldo, A. (2024). E-detectors: a nonparametric framework for sequential change
   detection. New England Journal of Statistics in Data Science 2(2), 229-260.
"""

from nproc.monitoring.change import Type1ChangeDetector
from nproc.monitoring.evidence import default_prior, log_evidence, rate_bounds
from nproc.monitoring.monitor import CLUSTERS_UNKNOWN, Type1Monitor, cluster_name, draw_of_each, read_clusters

__all__ = [
    "CLUSTERS_UNKNOWN",
    "Type1ChangeDetector",
    "Type1Monitor",
    "cluster_name",
    "default_prior",
    "draw_of_each",
    "log_evidence",
    "rate_bounds",
    "read_clusters",
]
