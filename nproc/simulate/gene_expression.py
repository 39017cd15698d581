r"""A world of gene expression: negative binomial counts of reads, two classes that differ in a share of the genes.

References
----------
Sections 4.2 and 4.3 of [barlaud2015]_.

.. [barlaud2015] Barlaud, M., Combettes, P. L. and Fillatre, L. (2015). Constrained convex Neyman-Pearson
   classification using an outer approximation splitting method. Preprint, hal-01160831.
.. [robinson2010] Robinson, M. D. and Oshlack, A. (2010). A scaling normalization method for differential expression
   analysis of RNA-seq data. Genome Biology 11, R25.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nproc.checks import Seed, as_floats, check_count, check_number, check_seed
from nproc.errors import InvalidInputError
from nproc.simulate.worlds import Drawn, Sample, vector_of

# of the natural logarithms of gene lengths (median 2 kb), and of expression: an interquartile range of a factor 8
LENGTH_SD = 0.7
EXPRESSION_SD = 1.5
MEDIAN_LENGTH = 2.0
# reads of the median gene at a depth of 1
MEDIAN_COUNT = 100.0
# larger mean counts do not fit into 64 bits together with what they vary by
MOST_READS = 1e16
# offsets of more than that many units of ln mu leave no count that can be written down
MOST_SHIFT = 50.0


@dataclass(frozen=True, eq=False, repr=False)
class CountSample(Sample):
    """A `Sample` whose `X` holds counts (int64), with the sequencing depth of each row in `depths`."""

    depths: np.ndarray


@dataclass(frozen=True, eq=False)
class RNASeqWorld(Drawn):
    r"""Counts :math:`X_{ij}` of reads, negative binomial with mean :math:`\mu_i L_i D_j` and variance m + m^2 / size.

    Gene i has the length L_i and, in each class, an expression mu_i; row j has the depth D_j, normal with mean 1 and
    drawn again where it is not above 0.

    Parameters
    ----------
    lengths : array-like, shape (p,)
        Lengths of the genes, above 0.
    expression0, expression1 : array-like, shape (p,)
        Reads a unit of length at depth 1 in each class, above 0.
    size : float
        Size of the negative binomial law, above 0; the smaller, the more the counts vary.
    depth_sd : float
        Standard deviation of the depths before negative ones are drawn again, at least 0.
    prob0 : float
        Probability of class 0 for the rows of `sample`, from 0 to 1.

    Examples
    --------
    >>> from nproc.simulate.gene_expression import RNASeqWorld
    >>> world = RNASeqWorld([1.0, 2.0], [10.0, 50.0], [20.0, 50.0])
    >>> world.sample_classes(3, 2, random_state=1)
    Sample(n0=3, n1=2, d=2, seed=1)
    >>> world
    RNASeqWorld(n_features=2, changed=1, size=6, depth_sd=0.2)
    """

    lengths: np.ndarray
    expression0: np.ndarray
    expression1: np.ndarray
    size: float = 6.0
    depth_sd: float = 0.2
    prob0: float = 0.5

    def __post_init__(self):
        lengths = _positive(self.lengths, "lengths")
        expression0 = _positive(self.expression0, "expression0", lengths.size)
        expression1 = _positive(self.expression1, "expression1", lengths.size)
        size, depth_sd = check_number(self.size, "size"), check_number(self.depth_sd, "depth_sd", zero=True)
        self.__dict__.update(
            lengths=lengths,
            expression0=expression0,
            expression1=expression1,
            size=size,
            depth_sd=depth_sd,
            prob0=_share(self.prob0, "prob0", "a probability"),
        )

    def __repr__(self):
        return (
            f"RNASeqWorld(n_features={self.n_features}, changed={self.changed.size}, size={self.size:g}, "
            f"depth_sd={self.depth_sd:g})"
        )

    n_features = property(lambda self: self.lengths.size, doc="Number of genes, p.")
    changed = property(
        lambda self: np.flatnonzero(self.expression0 != self.expression1), doc="Genes that differ between the classes."
    )

    def means(self, label: str | None, depths: ArrayLike = 1.0) -> NDArray[np.float64]:
        """Return the mean counts of rows of class `label` (0 or 1) with these `depths`, shape (n, p) or (p,)."""
        expression = self.expression1 if label else self.expression0
        return np.multiply.outer(as_floats(depths, "depths"), expression * self.lengths)

    def _fill(self, y, rng, seed):
        depths = rng.normal(1.0, self.depth_sd, y.size)
        while np.any(again := depths <= 0):
            depths[again] = rng.normal(1.0, self.depth_sd, int(again.sum()))
        X = np.empty((y.size, self.n_features), dtype=np.int64)
        for label in (0, 1):
            mean = self.means(label, depths[y == label])
            if mean.size and mean.max() > MOST_READS:
                raise InvalidInputError(
                    f"mean counts must be at most {MOST_READS:g}, got {mean.max():.3g}. Use smaller expressions, "
                    "lengths or offsets, or depths that vary less."
                )
            X[y == label] = rng.negative_binomial(self.size, self.size / (self.size + mean))
        return CountSample(X, y, self, seed, depths)


def rna_seq(
    n0: int = 1040,
    n1: int = 3340,
    n_genes: int = 1000,
    *,
    shift: float = 0.2,
    changed: float = 0.2,
    size: float = 6.0,
    depth_sd: float = 0.2,
    random_state: Seed = None,
) -> CountSample:
    r"""Return a sample of the artificial RNA-seq experiment: counts of reads, two classes, a share of genes changed.

    Counts are negative binomial with mean :math:`m_{ij} = \mu_i L_i D_j`. Class 1, the larger one, has expressions
    :math:`\mu_i` drawn around a typical value; class 0, the minority whose error is controlled, has the same except
    for a random share `changed` of the genes, whose logarithms are moved up or down by normal offsets of standard
    deviation `shift`.

    Parameters
    ----------
    n0, n1 : int
        Rows of class 0 and of class 1.
    n_genes : int
        Number of genes, the columns.
    shift : float
        How far apart the classes are: the standard deviation of the offsets of ln mu_i, at least 0; with 0 they do
        not differ.
    changed : float
        Share of the genes that are moved, from 0 to 1.
    size : float
        Size of the negative binomial law, above 0.
    depth_sd : float
        Standard deviation of the sequencing depths, whose mean is 1; a depth that is not above 0 is drawn again.
    random_state : int, Generator, RandomState or None
        Seed of the world and of its rows; None draws a fresh one.

    Returns
    -------
    CountSample
        `X` of shape (n0 + n1, n_genes), counts; `y`; `depths`; `world`, an `RNASeqWorld` with the lengths and
        expressions, which draws further rows by ``sample_classes(n0, n1)``, or by ``sample(n)`` with class 0 as
        frequent as here; `seed`. Class 0 rows come first.

    Raises
    ------
    InvalidInputError
        For an argument out of its range.

    See Also
    --------
    nproc.expression.log_counts : The transformation to work with.

    Notes
    -----
    Sizes, law, size parameter and the share of genes are the paper's; it does not state the rest, which is chosen
    here: log-normal lengths (median 2 kb) and expressions (median gene: 100 reads), offsets on the log scale, where
    a mean cannot become negative, and depths with standard deviation 0.2. After `log_counts` the classes are about
    normal with a distance of :math:`\sqrt{p\,\text{changed}\,/\,\psi_1(\text{size})}\,\text{shift}` standard
    deviations (6.6 with the defaults), less what genes with few reads lose to noise.

    The depth moves all logarithms of a row together; the best linear score has weights that sum to about 0.

    References
    ----------
    Sections 4.2 and 4.3 of [barlaud2015]_; [robinson2010]_.

    Examples
    --------
    >>> from nproc.simulate import rna_seq
    >>> sample = rna_seq(20, 40, 50, random_state=1)
    >>> sample
    Sample(n0=20, n1=40, d=50, seed=1)
    >>> sample.world.changed.size
    10
    """
    n_genes = check_count(n_genes, "n_genes")
    shift = check_number(shift, "shift", zero=True)
    if shift > MOST_SHIFT:
        raise InvalidInputError(f"shift must be at most {MOST_SHIFT:g}, got {shift:g}.")
    changed = _share(changed, "changed", "a share of the genes")
    sizes = [check_count(n0, "n0", minimum=0), check_count(n1, "n1", minimum=0)]
    rng = np.random.default_rng(seed := check_seed(random_state))
    lengths = MEDIAN_LENGTH * np.exp(LENGTH_SD * rng.standard_normal(n_genes))
    expression1 = MEDIAN_COUNT / MEDIAN_LENGTH * np.exp(EXPRESSION_SD * rng.standard_normal(n_genes))
    # all genes get an offset, so that the world is the same but for it whatever `shift` and `changed` are
    offsets = shift * rng.standard_normal(n_genes)
    offsets[rng.permutation(n_genes)[round(changed * n_genes) :]] = 0.0
    prob0 = sizes[0] / sum(sizes) if sum(sizes) else 0.5
    world = RNASeqWorld(lengths, expression1 * np.exp(offsets), expression1, size, depth_sd, prob0)
    return world._fill(np.repeat([0, 1], sizes), rng, seed)


def _share(value, name, what):
    value = check_number(value, name, zero=True)
    if value > 1:
        raise InvalidInputError(f"{name} must be {what}, from 0 to 1, got {value:g}.")
    return value


def _positive(values, name, size=None):
    vector = vector_of(values, name, size=size)
    if np.any(vector <= 0):
        raise InvalidInputError(f"{name} must be above 0, got {vector.min():g}.")
    return vector
