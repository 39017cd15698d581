"""Which single features predict well? A ranking by the type II error under a bound on the type I error.

`rank_features` builds one classifier for each feature in each of several random splits, by the ratio of two density
estimates (`nproc.feature_ranking.densities`) or by any scorer of one column. It ranks the features by the type II
errors of these classifiers on left-out rows, or by their overall errors. The intervals are those of
`nproc.feature_ranking.averages`.

References
----------
.. [li2021] Li, J. J., Chen, Y. E. and Tong, X. (2021). A flexible model-free prediction-based framework for feature
   ranking. Journal of Machine Learning Research 22, 20-673; arXiv:1903.05262.
.. [silverman1986] Silverman, B. W. (1986). Density Estimation for Statistics and Data Analysis. Chapman and Hall.
.. [hoeffding1963] Hoeffding, W. (1963). Probability inequalities for sums of bounded random variables. Journal of the
   American Statistical Association 58(301), 13-30.
"""

from nproc.feature_ranking.averages import averaged_error_bounds
from nproc.feature_ranking.densities import log_density_ratio
from nproc.feature_ranking.ranking import FeatureRanking, rank_features

__all__ = ["FeatureRanking", "averaged_error_bounds", "log_density_ratio", "rank_features"]
