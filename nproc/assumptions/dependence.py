"""Do rows depend on each other? Scores that are alike within clusters."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import betainc

from nproc.assumptions.order import centred_ranks
from nproc.tables import ShortRepr

# share of the scores that make up the tail
TAIL = 0.1


@dataclass(frozen=True, repr=False)
class ClusterTest(ShortRepr):
    """Are the scores of one cluster more alike than those of different clusters?

    Attributes
    ----------
    icc : float
        Intra-cluster correlation of the ranks of the scores, by the analysis of variance; may be negative.
    icc_tail : float
        That of being among the largest tenth of the scores, or above the threshold if these are more. A threshold in
        the tail rests on this one.
    n0, n_clusters, n_alone : int
        Left-out scores, their clusters, and clusters with a single one.
    n_shared : int
        Left-out rows whose cluster also has class 0 rows that trained.
    design_effect : float
        1 + (m - 1) icc_tail with m the mean size of the cluster of a row; at least 1.
    violation_rate : float
        Probability, roughly, that the type I error is above alpha; see `rough_violation_rate`.
    p_value : float
        One-sided, by permutations of the scores over the rows.
    """

    icc: float
    icc_tail: float
    n0: int
    n_clusters: int
    n_alone: int
    n_shared: int
    design_effect: float
    violation_rate: float
    p_value: float

    @property
    def n0_effective(self) -> float:
        """Independent scores that would tell as much of the share in the tail."""
        return self.n0 / self.design_effect


def cluster_test(scores, codes, trained, *, order, alpha, n_permutations, rng):
    r"""Return the `ClusterTest` of left-out scores, or None where no cluster, or only one, has two of them.

    Parameters
    ----------
    scores : ndarray, shape (n0,)
        Left-out class 0 scores.
    codes, trained : ndarray of int
        The clusters of their rows, and those of the class 0 rows that trained.
    order : int
        Rank of the threshold.
    alpha : float
        Level of the threshold.
    n_permutations : int
        Random permutations.
    rng : Generator
        Their source.

    Notes
    -----
    The statistic is the sum over clusters of (sum of ranks)^2 / size, the variation between clusters. If scores are
    exchangeable, also of rows of one cluster, all assignments of scores to rows have the same probability, and
    P(p <= t) <= t as for any permutation test.
    """
    n_shared = int(np.isin(codes, trained).sum())
    _, codes, sizes = np.unique(codes, return_inverse=True, return_counts=True)
    n, g = scores.size, sizes.size
    if g < 2 or g == n:
        return None
    by_cluster = np.argsort(codes, kind="stable")
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    ranks = centred_ranks(scores)[by_cluster]
    found = between(ranks, starts, sizes)
    # equal sums may be added in another order
    reached = found * (1 - 1e-12)
    as_large = sum(between(rng.permutation(ranks), starts, sizes) >= reached for _ in range(n_permutations))
    share = max(TAIL, (n + 1 - order) / (n + 1))
    tail = (np.argsort(np.argsort(scores, kind="stable"))[by_cluster] >= (1 - share) * n).astype(np.int64)
    icc_tail = anova_icc(tail, starts, sizes)
    effect = float(1 + (np.sum(sizes.astype(np.float64) ** 2) / n - 1) * max(icc_tail, 0.0))
    return ClusterTest(
        icc=anova_icc(ranks, starts, sizes),
        icc_tail=icc_tail,
        n0=n,
        n_clusters=g,
        n_alone=int(np.sum(sizes == 1)),
        n_shared=n_shared,
        design_effect=effect,
        violation_rate=rough_violation_rate(n, order, alpha, effect),
        p_value=(1 + as_large) / (n_permutations + 1),
    )


def between(values, starts, sizes):
    """Return the sum over clusters of (sum of values)^2 / size, for whole numbers in the order of their clusters."""
    return float(np.sum(np.add.reduceat(values, starts).astype(np.float64) ** 2 / sizes))


def anova_icc(values, starts, sizes):
    """Return the intra-cluster correlation of values by the analysis of variance, for clusters of any sizes."""
    n, g = values.size, sizes.size
    # less n times the square of the mean in both
    least = float(values.sum()) ** 2 / n
    squares, found = float(np.sum(values.astype(np.float64) ** 2)), between(values, starts, sizes)
    mean_between, mean_within = (found - least) / (g - 1), (squares - found) / (n - g)
    m0 = (n - np.sum(sizes.astype(np.float64) ** 2) / n) / (g - 1)
    spread = mean_between + (m0 - 1) * mean_within
    return float((mean_between - mean_within) / spread) if spread > 0 else 0.0


def rough_violation_rate(n0, order, alpha, design_effect):
    r"""Return roughly the probability of a type I error above alpha, if n0 scores count as n0 / design_effect.

    The type I error of rank k is above alpha exactly where at most n0 - k of the scores are above the 1 - alpha
    quantile of their law. For independent scores their number is binomial. Here it is taken to be the design effect
    times a binomial number of n0 / design_effect scores, whose distribution function is an incomplete beta function.
    With a design effect of 1 this is the violation rate itself. No theorem says how near it is for dependent scores.
    """
    # half a step from one multiple of the design effect to the next
    half = (1 + 1 / design_effect) / 2
    return float(1 - betainc((n0 - order) / design_effect + half, order / design_effect + 1 - half, alpha))
