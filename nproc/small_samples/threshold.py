r"""Thresholds for normal class 0 scores: any number of rows from 2 on, at the price of a model."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import nctdtrit, ndtri, stdtr

from nproc.checks import check_count, check_delta, check_level, check_scores, level_text, tells_names
from nproc.errors import InvalidInputError, NPWarning, TooFewSamplesError, warn_at_call
from nproc.tables import DataFrame, Summary, at_least, level_pairs, short, summary_table, table_frame
from nproc.thresholds import ScoreCut

ASSUMPTION = "normal class 0 scores"


@dataclass(frozen=True, repr=False)
class ModelThreshold(ScoreCut):
    """A threshold that is no order statistic, since it rests on an assumption about the scores."""

    def to_frame(self) -> DataFrame:
        """Return a DataFrame of one row with the attributes as columns, but for tie_cut."""
        return table_frame({f.name: [getattr(self, f.name)] for f in fields(self) if f.name != "tie_cut"})


@dataclass(frozen=True, repr=False)
class NormalThreshold(ModelThreshold):
    """A threshold on scores that assumes normal class 0 scores: predict class 1 when ``score > value``.

    Attributes
    ----------
    value : float
        mean + factor * sd.
    mean, sd : float
        Mean and standard deviation (divisor n0 - 1) of the class 0 scores.
    factor : float
        Tolerance factor, `normal_factor`.
    n0 : int
        Number of class 0 scores.
    alpha, delta : float
        Type I error at most `alpha` with probability 1 - `delta`, exactly, if the scores are normal.
    violation_rate : float
        The probability that the type I error is above `alpha` if the scores are normal: `delta`.
    type1_upper : float
        Upper bound on the type I error that holds with probability 1 - `delta` if the scores are normal: `alpha`.
    type1_mean : float
        Expected type I error if the scores are normal.
    order : int
        0: the value is no order statistic.
    tie_cut : None
        Ties have no meaning for normal scores.
    """

    value: float
    mean: float
    sd: float
    factor: float
    n0: int
    alpha: float
    delta: float
    violation_rate: float
    type1_upper: float
    type1_mean: float
    order: int = 0
    tie_cut: None = None

    assumption: ClassVar[str] = ASSUMPTION

    def __repr__(self):
        return (
            f"NormalThreshold(value={short(self.value)} = mean + {short(self.factor)} sd of n0={self.n0}, "
            f"alpha={short(self.alpha)}, delta={short(self.delta)})\n"
            f"  assumes {ASSUMPTION}; class 1 when score > value: larger scores mean class 1"
        )

    def summary(self) -> Summary:
        """Return a table of the threshold and what it promises under the model, as a summary of statsmodels."""
        pairs = [
            ("Threshold", self.value),
            ("Mean", self.mean),
            ("Standard deviation", self.sd),
            ("Factor", self.factor),
            ("Class 0 scores", self.n0),
            *level_pairs(self, "alpha", "delta"),
            ("Expected type I error", self.type1_mean),
        ]
        notes = [
            "Assumes normal class 0 scores. Threshold: mean + factor * standard deviation, a one-sided tolerance "
            "limit.",
            f"If they are normal, the type I error is at most {level_text(self.alpha)} with probability "
            f"{at_least(1 - self.delta)} (exactly) over the draw of the class 0 scores. Without normality nothing is "
            "promised.",
            "Predict class 1 when the score exceeds the threshold: larger scores are taken to mean class 1.",
        ]
        return summary_table("Normal threshold", pairs, notes=notes)


@tells_names
def normal_factor(n0: int, alpha: float = 0.05, delta: float = 0.05) -> float:
    r"""Compute the one-sided tolerance factor of a normal sample, the k of `np_threshold_normal`.

    The number k with P(mean + k sd >= the 1 - alpha quantile) = 1 - delta for the mean and standard deviation of
    n0 independent normal variables.

    Parameters
    ----------
    n0 : int
        Sample size, at least 2.
    alpha, delta : float
        Levels in (0, 1).

    Returns
    -------
    float

    Raises
    ------
    TooFewSamplesError
        If `n0` is 1.
    InvalidInputError
        If an argument is out of range, or the factor is beyond what can be computed (`n0` above 10^9, say).

    References
    ----------
    Section 2.2 of [krishnamoorthy2009]_.

    Examples
    --------
    >>> round(normal_factor(20), 3), round(normal_factor(5), 3)
    (2.396, 4.203)
    """
    n0, alpha, delta = check_count(n0, "n0"), check_level(alpha, "alpha"), check_level(delta, "delta")
    if n0 < 2:
        raise TooFewSamplesError("n0=1 class 0 score has no standard deviation; a normal threshold needs at least 2.")
    root = np.sqrt(n0)
    factor = float(nctdtrit(n0 - 1, -root * ndtri(alpha), 1 - delta) / root)
    if not np.isfinite(factor):
        raise InvalidInputError(
            f"the tolerance factor of n0={n0}, alpha={alpha:g} and delta={delta:g} cannot be computed from the "
            "noncentral t distribution. Use larger levels, or np_threshold if there are enough scores."
        )
    return factor


@tells_names
def np_threshold_normal(scores0: ArrayLike, *, alpha: float = 0.05, delta: float = 0.05) -> NormalThreshold:
    r"""Set the threshold mean + k sd of few class 0 scores, which controls the type I error if they are normal.

    For samples below `min_class0_size`, where no order statistic can. It needs 2 scores and a model: class 0 scores are
    a sample of a normal distribution, such as the scores of any linear function of a multivariate normal class 0 (the
    model of linear discriminant analysis) that was trained on other rows.

    Parameters
    ----------
    scores0 : array-like of float, shape (n0,)
        Scores of left-out class 0 points, finite, not all equal; larger = more like class 1.
    alpha : float
        Bound on the type I error, in (0, 1).
    delta : float
        Bound on the probability, in (0, 0.5], that the type I error is above `alpha`.

    Returns
    -------
    NormalThreshold

    Raises
    ------
    TooFewSamplesError
        If there is one score only.
    InvalidInputError
        If a score is not finite, all are equal, or a level is not in (0, 1).

    Warns
    -----
    NPWarning
        Always: the promise rests on a model. A second one if scores are tied, which normal ones never are.

    See Also
    --------
    np_threshold : no model, from `min_class0_size` scores on.
    normality_check : QQ plot with simultaneous bands, and tests.

    Notes
    -----
    *Exact under the model.* Let the n scores be independent N(mu, sigma^2), M their mean, S their standard deviation,
    c = M + k S, and z the 1 - alpha quantile of N(0, 1). The type I error P(score > c) exceeds alpha if and only if
    c < mu + z sigma, that is, with Z = sqrt(n) (mu - M) / sigma and W = S / sigma, if and only if

    .. math:: \frac{Z + \sqrt{n} z}{W} > \sqrt{n} k.

    Z is standard normal, (n - 1) W^2 is chi-squared with n - 1 degrees of freedom, and they are independent, so the
    left side has the noncentral t distribution with n - 1 degrees of freedom and noncentrality sqrt(n) z. With
    sqrt(n) k its 1 - delta quantile, the chance of a violation is delta exactly, for each n >= 2, mu and sigma. The
    threshold is the classical one-sided tolerance limit. Expected type I error: a new score exceeds c if and only if
    (score - M) / (S sqrt(1 + 1/n)) > k / sqrt(1 + 1/n), and the left side is Student's t with n - 1 degrees of freedom.

    *LDA model.* Class 0 rows N(mu_0, Sigma), class 1 rows N(mu_1, Sigma), scores a'x with a trained on rows independent
    of the left-out class 0 rows: given a, these scores are independent N(a'mu_0, a'Sigma a), and the above applies
    whatever a is. Class 1 need not be normal. The idea of a threshold under this model, for samples too small
    for an order statistic, is that of [tong2020]_; the construction here is another, the tolerance limit.

    *Without the model nothing is promised*, and more rows do not help: mean + k sd tends to mu + z sigma, whose type I
    error is not alpha for another distribution. For exponential scores it is above 0.07 at alpha = 0.05.

    References
    ----------
    [krishnamoorthy2009]_, Section 2.2; the setting is that of [tong2020]_.

    Examples
    --------
    >>> import warnings, numpy as np
    >>> scores0 = np.random.default_rng(0).normal(size=20)
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     threshold = np_threshold_normal(scores0)
    >>> round(threshold.value, 3), round(threshold.type1_mean, 4)
    (1.908, 0.0152)
    """
    scores0 = check_scores(scores0, "scores0")
    alpha, delta = check_level(alpha, "alpha"), check_delta(delta)
    threshold = normal_threshold_at(scores0, alpha, delta)
    warn_of_model([scores0])
    return threshold


def normal_threshold_at(scores0, alpha, delta):
    """Return the `NormalThreshold` of checked scores, without a warning."""
    n0 = scores0.size
    factor = normal_factor(n0, alpha, delta)
    if scores0.min() == scores0.max():
        raise InvalidInputError(
            f"all {n0} left-out class 0 scores are {scores0[0]:g}: they are not normal, and have no standard "
            "deviation. Use a scorer with finer scores."
        )
    mean, sd = float(np.mean(scores0)), float(np.std(scores0, ddof=1))
    type1_mean = float(stdtr(n0 - 1, -factor / np.sqrt(1 + 1 / n0)))
    return NormalThreshold(mean + factor * sd, mean, sd, factor, n0, alpha, delta, delta, alpha, type1_mean)


def warn_of_model(samples):
    """Warn that the thresholds of samples of one size rest on a model, and of ties, which it gives probability 0."""
    warn_at_call(
        f"the threshold assumes {ASSUMPTION}. It is mean + factor * sd of {samples[0].size} left-out scores. The "
        "bound on the type I error holds only if the scores are normal, and so few rows can hardly show whether "
        "they are. See nproc.small_samples.normality_check.",
        NPWarning,
    )
    for scores0 in samples:
        n_tied = scores0.size - np.unique(scores0).size
        if n_tied:
            warn_at_call(
                f"{n_tied} of {scores0.size} left-out class 0 scores are tied, so they are not normal; the bound "
                "on the type I error does not hold for them.",
                NPWarning,
            )
