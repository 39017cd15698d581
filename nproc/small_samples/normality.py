"""Do class 0 scores look normal? A QQ plot with simultaneous bands, and two tests."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import log_ndtr, ndtri

from nproc.checks import Seed, check_level, check_scores, check_seed, tells_names
from nproc.errors import InvalidInputError, TooFewSamplesError
from nproc.tables import Axes, DataFrame, InNotebook, Summary, short, summary_table, table_frame

# simulated samples for the shape of the band, and for its level and the Anderson-Darling p-value
N_SHAPE, N_TRIAL = 4000, 1999
CENTRAL = 0.99
MOST_SCORES = 1000


@dataclass(frozen=True, repr=False, eq=False)
class NormalityCheck(InNotebook):
    """How far class 0 scores are from normal ones. Made by `normality_check`.

    Attributes
    ----------
    scores0 : ndarray, shape (n0,)
        The scores in ascending order.
    quantiles : ndarray, shape (n0,)
        Normal quantiles at (i - 1/2) / n0.
    lower, upper : ndarray, shape (n0,)
        Band for the standardised scores: a normal sample lies inside at all ranks with probability 1 - level.
    level : float
        Chance that a normal sample leaves the band somewhere.
    shapiro, shapiro_p : float
        Statistic W of Shapiro and Wilk and its p-value.
    anderson, anderson_p : float
        Statistic A squared of Anderson and Darling with estimated mean and variance, and its Monte Carlo p-value.
    seed : int
        Seed of the simulated normal samples.
    """

    scores0: np.ndarray
    quantiles: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    level: float
    shapiro: float
    shapiro_p: float
    anderson: float
    anderson_p: float
    seed: int

    @property
    def n0(self) -> int:
        """Number of scores."""
        return self.scores0.size

    @property
    def standardised(self) -> NDArray[np.float64]:
        """Scores less their mean, over their standard deviation, in ascending order."""
        return _standardise(self.scores0)

    @property
    def outside(self) -> NDArray[np.bool_]:
        """Which standardised scores lie outside the band."""
        z = self.standardised
        return (z < self.lower) | (z > self.upper)

    def __repr__(self):
        return (
            f"NormalityCheck(n0={self.n0}, Shapiro-Wilk p={short(self.shapiro_p)}, Anderson-Darling "
            f"p={short(self.anderson_p)}, {int(self.outside.sum())} scores outside the {1 - self.level:.0%} "
            "band)\n  passing these tests with a small sample is weak evidence of normality"
        )

    def to_frame(self) -> DataFrame:
        """Return a DataFrame with a row a rank: score, quantile, standardised, lower, upper, outside."""
        return table_frame(
            {
                "score": self.scores0,
                "quantile": self.quantiles,
                "standardised": self.standardised,
                "lower": self.lower,
                "upper": self.upper,
                "outside": self.outside,
            }
        )

    def summary(self) -> Summary:
        """Return a table of the tests and of the band, as a summary of statsmodels."""
        rows = [
            ("Shapiro-Wilk W", self.shapiro, self.shapiro_p),
            ("Anderson-Darling A2", self.anderson, self.anderson_p),
        ]
        pairs = [
            ("Scores", self.n0),
            ("Outside the band", int(self.outside.sum())),
            ("Band holds a normal sample", f"{1 - self.level:.0%}"),
            ("Seed", self.seed),
        ]
        notes = [
            "Null hypothesis: a sample of a normal distribution, mean and variance unknown. A small p-value, or a "
            "score outside the band, speaks against it.",
            "A large p-value is no evidence of normality, because tests of so few scores have little power. The "
            "bound depends on the upper tail, and a small sample contains few scores there.",
        ]
        return summary_table("Are the class 0 scores normal?", pairs, ["Test", "Statistic", "p-value"], rows, notes)

    def plot(self, *, ax: Axes | None = None, figsize: tuple[float, float] | None = None) -> Axes:
        """Draw the QQ plot with its simultaneous band; return the Axes.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; None makes a figure.
        figsize : (float, float), optional
            Width and height of a new figure, in inches.

        Returns
        -------
        matplotlib.axes.Axes
        """
        from nproc.plotting import plot_normal_qq

        return plot_normal_qq(
            self.quantiles,
            self.standardised,
            self.lower,
            self.upper,
            self.outside,
            level=self.level,
            ax=ax,
            figsize=figsize,
        )


@tells_names
def normality_check(scores0: ArrayLike, *, level: float = 0.05, random_state: Seed = 0) -> NormalityCheck:
    r"""Check class 0 scores against the normal distribution, before you trust `np_threshold_normal`.

    Parameters
    ----------
    scores0 : array-like of float, shape (n0,)
        3 to 1000 left-out class 0 scores, finite, not all equal.
    level : float
        Chance, in [0.0005, 1), that a normal sample leaves the band somewhere.
    random_state : None, int, Generator or RandomState
        Source of the 5999 normal samples behind the band and the Anderson-Darling p-value.

    Returns
    -------
    NormalityCheck

    Raises
    ------
    TooFewSamplesError
        If there are fewer than 3 scores.
    InvalidInputError
        If there are more than 1000, all are equal, or an argument is out of range.

    See Also
    --------
    np_threshold_normal : the threshold that rests on this.

    Notes
    -----
    Standardised order statistics of a normal sample have a law free of its mean and variance, so 4000 simulated
    samples of the same size give its median and its central 99 % range at every rank. The band is that range, stretched
    about the median by one factor for all ranks: of the factors that 1999 further samples need to lie inside
    everywhere, the j-th largest, j = floor(2000 * level). A normal sample and these are exchangeable, so that over all
    draws it leaves the band with probability j / 2000 exactly; given the seed, up to the error of the simulation, with
    a standard deviation of 0.005 at level = 0.05. From about 5 scores on every rank has nearly the same chance to be
    outside, as in [aldornoiman2013]_; there it is the very same, which takes more samples the smaller the level and
    the more the scores. The Anderson-Darling p-value is the rank of the statistic among
    those of the 1999 samples, a valid Monte Carlo test at any size; Shapiro and Wilk's is scipy's.

    A small sample seldom shows that it is not normal: at n0 = 20 the Shapiro-Wilk test at 0.05 finds a Student t with
    5 degrees of freedom in about one sample of six. The check may refute the model, never confirm it.

    References
    ----------
    [aldornoiman2013]_, [shapiro1965]_

    Examples
    --------
    >>> import numpy as np
    >>> check = normality_check(np.random.default_rng(0).normal(3, 2, size=30))
    >>> int(check.outside.sum()), check.shapiro_p > 0.05
    (0, True)
    """
    from scipy.stats import shapiro

    scores0 = np.sort(check_scores(scores0, "scores0"))
    level, seed = check_level(level, "level"), check_seed(random_state)
    n0 = scores0.size
    if n0 < 3:
        raise TooFewSamplesError(f"n0={n0} scores cannot be checked for normality; at least 3 are needed.")
    if n0 > MOST_SCORES:
        raise InvalidInputError(
            f"normality_check takes at most {MOST_SCORES} scores, got {n0}. With so many scores no model is "
            "needed; use np_threshold."
        )
    if _n_outside(level) < 1:
        raise InvalidInputError(
            f"level={level:g} is below {1 / (N_TRIAL + 1):g}, the least that {N_TRIAL} simulated samples can show; "
            "give a larger one."
        )
    if scores0[0] == scores0[-1]:
        raise InvalidInputError(f"all {n0} scores0 are {scores0[0]:g}: there is nothing to check.")
    simulated = _standardise(np.sort(np.random.default_rng(seed).standard_normal((N_SHAPE + N_TRIAL, n0)), axis=1))
    trial = simulated[N_SHAPE:]
    lower, upper = _stretched_band(simulated[:N_SHAPE], trial, level)
    statistic = float(_anderson(_standardise(scores0)))
    larger = int(np.sum(_anderson(trial) >= statistic))
    found = shapiro(scores0)
    return NormalityCheck(
        scores0=scores0,
        quantiles=ndtri((np.arange(n0) + 0.5) / n0),
        lower=lower,
        upper=upper,
        level=level,
        shapiro=float(found.statistic),
        shapiro_p=float(found.pvalue),
        anderson=statistic,
        anderson_p=(larger + 1) / (N_TRIAL + 1),
        seed=seed,
    )


def _standardise(values):
    return (values - values.mean(axis=-1, keepdims=True)) / values.std(axis=-1, ddof=1, keepdims=True)


def _stretched_band(shape, trial, level):
    """The central range of `shape` at every rank, stretched about the medians until it holds enough rows of `trial`.

    The rows that set the level are others than those that give the shape, which would fit them too well.
    """
    low, middle, high = np.quantile(shape, [(1 - CENTRAL) / 2, 0.5, (1 + CENTRAL) / 2], axis=0)
    # how far the range would have to be stretched to hold the whole row
    stretch = np.maximum((trial - middle) / (high - middle), (middle - trial) / (middle - low)).max(axis=1)
    factor = np.sort(stretch)[-_n_outside(level)]
    return middle - factor * (middle - low), middle + factor * (high - middle)


def _n_outside(level):
    # a new normal sample is as likely as any of the others to be among the most extreme ones
    return int(level * (N_TRIAL + 1) + 1e-9)


def _anderson(z):
    n = z.shape[-1]
    weights = 2 * np.arange(1, n + 1) - 1
    return -n - (weights * (log_ndtr(z) + log_ndtr(-z[..., ::-1]))).sum(axis=-1) / n
