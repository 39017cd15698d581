r"""A threshold from scores of rows of which some are labelled wrongly.

References
----------
.. [scott2013] Scott, C., Blanchard, G. and Handy, G. (2013). Classification with asymmetric label noise: consistency
   and maximal denoising. Proceedings of the 26th Annual Conference on Learning Theory, PMLR 30, 489-511.
.. [yao2023] Yao, S., Rava, B., Tong, X. and James, G. (2023). Asymmetric error control under imperfect supervision: a
   label-noise-adjusted Neyman-Pearson umbrella algorithm. Journal of the American Statistical Association 118(543),
   1824-1836.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import ArrayLike

from nproc.biased_samples.mixture_test import NullCurve, allowed_counts, rows_needed
from nproc.checks import as_floats, check_delta, check_level, check_scores, level_text, shown, tells_names
from nproc.errors import InvalidInputError, NPWarning, TooFewSamplesError, warn_at_call
from nproc.orderstat import search_orders, too_few_message, violation_rate
from nproc.score_direction import PAID_BY_BOTH, warn_direction, warn_labels
from nproc.tables import Axes, DataFrame, Summary, at_least, rounded_up, short, summary_table, table_frame
from nproc.thresholds import ScoreCut


@dataclass(frozen=True, repr=False)
class NoisyThreshold(ScoreCut):
    """A threshold from scores with wrong labels: predict class 1 when ``score > value``.

    Attributes
    ----------
    value : float
        The threshold, a score of a row labelled 0.
    order : int
        Its rank among the scores of rows labelled 0 (1 = the smallest).
    n0, n1 : int
        Number of scores of rows labelled 0 and 1.
    n_above0, n_above1 : int
        Those of them above the threshold.
    noise0, noise1 : (float, float)
        The assumed share of class 1 among rows labelled 0, and of class 0 among rows labelled 1, as intervals.
    alpha, delta : float
        Type I error at most `alpha` with probability at least 1 - `delta`.
    violation_rate : float
        Upper bound on the probability that the type I error exceeds `alpha`; at most `delta`.
    type1_upper : float
        Upper bound on the type I error that holds with probability at least 1 - `delta`: `alpha`.
    type1_estimate, type2_estimate : float
        Estimates of both errors for rows with right labels. Of an interval of noises they are the largest estimates.
    """

    value: float
    order: int
    n0: int
    n1: int
    n_above0: int
    n_above1: int
    noise0: tuple[float, float]
    noise1: tuple[float, float]
    alpha: float
    delta: float
    violation_rate: float

    @property
    def type1_upper(self) -> float:
        """Upper bound on the type I error that holds with probability at least 1 - `delta`: `alpha`."""
        return self.alpha

    @property
    def type1_estimate(self) -> float:
        above0, above1 = self.n_above0 / self.n0, self.n_above1 / self.n1
        low, high = (b0 / (1 - b0 - b1) for b0, b1 in zip(self.noise0, self.noise1, strict=True))
        return float(np.clip(max(above0 + r * (above0 - above1) for r in (low, high)), 0, 1))

    @property
    def type2_estimate(self) -> float:
        above0, above1 = self.n_above0 / self.n0, self.n_above1 / self.n1
        low, high = (b1 / (1 - b0 - b1) for b0, b1 in zip(self.noise0, self.noise1, strict=True))
        return float(np.clip(max(1 - above1 - r * (above1 - above0) for r in (low, high)), 0, 1))

    def __repr__(self):
        return (
            f"NoisyThreshold(value={short(self.value)}, order={self.order} of n0={self.n0}, n1={self.n1}, "
            f"noise0={said(self.noise0)}, noise1={said(self.noise1)}, alpha={short(self.alpha)}, "
            f"delta={short(self.delta)})\n  class 1 when score > value: larger scores mean class 1"
        )

    def to_frame(self) -> DataFrame:
        """Return a DataFrame of one row with the attributes as columns; an interval has two, _low and _high."""
        known = {f.name: getattr(self, f.name) for f in fields(self)}
        for name in ("noise0", "noise1"):
            known[f"{name}_low"], known[f"{name}_high"] = known.pop(name)
        known |= {name: getattr(self, name) for name in ("type1_estimate", "type2_estimate")}
        return table_frame({name: [value] for name, value in known.items()})

    def summary(self) -> Summary:
        """Return a table of the threshold, the noise assumed and what is promised, as a summary of statsmodels."""
        pairs = [
            ("Threshold", self.value),
            ("Rank", self.order),
            ("Rows labelled 0", self.n0),
            ("Rows labelled 1", self.n1),
            ("Class 1 among labelled 0", said(self.noise0)),
            ("Class 0 among labelled 1", said(self.noise1)),
            ("alpha", level_text(self.alpha)),
            ("delta", f"{self.delta:g}"),
            ("Violation rate", rounded_up(self.violation_rate, self.delta)),
            ("Type I error, estimate", self.type1_estimate),
            ("Type II error, estimate", self.type2_estimate),
        ]
        notes = [
            f"With probability at least {at_least(1 - self.delta)} over the draw of both samples, the type I error "
            "is at most "
            f"{level_text(self.alpha)}. This requires that the shares of wrong labels lie in the intervals above (or "
            "equal the "
            "numbers), and that within a class a wrong label does not depend on the score. If you assume more noise "
            "than there is, the bound may fail.",
            "Predict class 1 when the score exceeds the threshold: larger scores are taken to mean class 1.",
        ]
        return summary_table("Neyman-Pearson threshold from noisy labels", pairs, notes=notes)

    def plot(
        self,
        scores0: ArrayLike,
        scores1: ArrayLike,
        *,
        ax: Axes | None = None,
        figsize: tuple[float, float] | None = None,
    ) -> Axes:
        """Draw the scores of rows labelled 0 and labelled 1 about the threshold; return the Axes.

        Parameters
        ----------
        scores0, scores1 : array-like of float
            Scores of rows labelled 0 and labelled 1, such as those that set the threshold.
        ax : matplotlib.axes.Axes, optional
            Where to draw; None makes a figure.
        figsize : (float, float), optional
            Width and height of a new figure, in inches.

        Returns
        -------
        matplotlib.axes.Axes
        """
        from nproc.plotting import plot_threshold

        names = ("labelled 0", "labelled 1")
        return plot_threshold(
            check_scores(scores0, "scores0"),
            self.value,
            scores1=check_scores(scores1, "scores1"),
            alpha=self.alpha,
            labels=names,
            ax=ax,
            figsize=figsize,
        )


@tells_names
def np_threshold_noisy(
    scores0: ArrayLike,
    scores1: ArrayLike,
    *,
    noise0: float | tuple[float, float],
    noise1: float | tuple[float, float],
    alpha: float = 0.05,
    delta: float = 0.05,
) -> NoisyThreshold:
    r"""Set a threshold with a guaranteed type I error from scores of rows whose labels are partly wrong.

    With probability at least 1 - `delta`, the type I error of the rule "predict 1 when score > value" is at most
    `alpha`, for rows that truly are of class 0. The shares of wrong labels must be known or lie in known intervals.

    Parameters
    ----------
    scores0, scores1 : array-like of float, shapes (n0,) and (n1,)
        Scores of rows labelled 0 and labelled 1, finite; larger = more like class 1. The scoring function never saw
        these rows.
    noise0 : float or (float, float)
        Share of class 1 among rows labelled 0, in [0, 1): a number, or an interval in which it lies.
    noise1 : float or (float, float)
        Share of class 0 among rows labelled 1, likewise. Both upper ends together must be below 1.
    alpha : float
        Bound on the type I error, in (0, 1).
    delta : float
        Bound on the probability, in (0, 0.5], that the type I error is above `alpha`.

    Returns
    -------
    NoisyThreshold

    Raises
    ------
    TooFewSamplesError
        If ``(1 - (1 - rho) * alpha) ** n0 > delta``, with rho = noise0 / (1 - noise1) of the upper ends.
    InvalidInputError
        If a score is not finite, a level not in (0, 1), a noise not in [0, 1), an interval in the wrong order, or the
        upper ends of both noises add up to 1 or more.

    Warns
    -----
    NPWarning
        If no score of either sample lies above the threshold, so that the rule calls none of these rows class 1. If
        `scores0` and `scores1` look like the labels and the scores of the same rows, or the scores of rows labelled 1
        are clearly smaller than those of rows labelled 0.

    See Also
    --------
    np_threshold : where the labels are right, or class 1 leaks into class 0; see Notes.
    nproc.biased_samples.noise_sensitivity : thresholds for several assumed noises, with a plot.

    Notes
    -----
    *Model.* The scores of rows labelled 0 are independent draws from the mixture of (1 - noise0) class 0 and noise0
    class 1, those of rows labelled 1 independent draws from noise1 class 0 and 1 - noise1 class 1, and both samples
    are independent. So a wrong label does not depend on the score within a class. With G_0(t) and G_1(t) for the
    shares of class 0 and class 1 above t, and u and v for the shares of rows labelled 0 and 1 above t,

    .. math:: u = (1 - noise_0) G_0 + noise_0 G_1, \quad v = noise_1 G_0 + (1 - noise_1) G_1, \quad
        G_0 = u - r (v - u), \quad r = \frac{noise_0}{1 - noise_0 - noise_1}.

    *The worst noise.* G_0 depends on the noise only through r, in which it is linear, and r rises with both noises. So
    over a box of noises G_0 is largest at the two lower ends where v >= u, and at the two upper ends where v < u. Class
    1 mostly scores higher, so that v > u: there the lower ends are the safe ones, and *too much assumed noise breaks
    the bound*. G_0 >= alpha holds for some noise in the box if and only if

    .. math:: u \ge b(v) = (1 - \rho) \alpha + \rho v, \quad \rho = noise_0 / (1 - noise_1),

    with rho of the lower ends where v >= alpha, and of the upper ends where v < alpha.

    *A test at one cut.* X of the n0 rows labelled 0 and Y of the n1 rows labelled 1 have scores above a fixed t. They
    are independent and binomial with probabilities u and v. The cut passes if X <= k(Y), for a nondecreasing k such
    that P(X <= k(Y)) <= delta for all v and all u >= b(v). The probability falls with u and rises with v, so that on an
    interval of v it is at most the one for the smallest b(v) and the largest v. It is summed for up to 1000 intervals
    that cover [0, 1]. By such a check k is proved valid, however it was found. It depends on n0, n1, the noise,
    alpha and delta alone, and is made so large that the probability is near delta for most v.

    *The threshold* is the smallest c such that all cuts from c on pass. No simultaneous bound is needed. Let q be the
    smallest t with G_0(t) <= alpha. The type I error at c exceeds alpha if and only if c < q. Then all cuts between c
    and q pass, also those just below q, where X and Y count the scores of at least q. These two counts belong to the
    one fixed point q, and their u and v are those of a G_0 of at least alpha, since P(score >= q) >= alpha in class 0.
    So the test at this one point passes wrongly, which has probability at most delta. Ties change nothing in
    this. Since all higher cuts must pass too, the bound is broken less often than at one cut if rows are few and noise
    is large: in simulations with delta = 0.1 in a share of 0.10 of the samples with 4000 rows of each label and noise
    0.1, and of 0.06 with 300 and 100 rows and noise 0.3. The threshold is
    always a score of a row labelled 0: k falls as Y falls, so a cut fails first where X jumps.

    *Without noise* in class 0 (noise0 = 0), k is the number of scores above `np_threshold`, and the threshold is the
    same. If `noise0` is an interval from 0 on, they are mostly the same too, since the lower end counts.

    *What the proof needs of the model* concerns the point q alone. Let A and B be the shares with a score of at
    least q among the rows of class 1 labelled 0, and among those of class 0 labelled 1. The bound holds if A is at
    least that of the rows of class 1 labelled 1, and B at most that of class 0. It may break if rows of class 1 are
    labelled 0 because they look like class 0: their scores are lower than those of other rows of class 1.

    *The plain threshold*, `np_threshold` of `scores0`, bounds u. It stays valid for all noises where class 1 has at
    least the share alpha of its scores at q or above, thus for every score that is better than a coin there. The price
    is power: about alpha (1 - rho) + rho v of the rows labelled 0 could be above the cut, and it allows alpha. It is
    not valid where class 1 scores lower at q, or where the rows of class 1 labelled 0 do.

    If an interval of noises holds with probability 1 - gamma only, as an estimate from rows that were labelled
    twice, the type I error is at most alpha with probability at least 1 - delta - gamma. Do not choose the
    noise by looking at the thresholds.

    References
    ----------
    The model of mixtures is that of [scott2013]_. [yao2023]_ adjust the threshold by an estimate of the gap between
    u and G_0, for bounds on the noise from below. The test and the proof here are other ones.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> labelled0 = np.concatenate([rng.normal(size=1800), rng.normal(2, size=200)])
    >>> labelled1 = np.concatenate([rng.normal(2, size=1800), rng.normal(size=200)])
    >>> threshold = np_threshold_noisy(labelled0, labelled1, noise0=0.1, noise1=0.1, alpha=0.1, delta=0.1)
    >>> plain = np_threshold_noisy(labelled0, labelled1, noise0=0, noise1=0.1, alpha=0.1, delta=0.1)
    >>> round(threshold.value, 3), round(plain.value, 3)
    (1.301, 1.721)
    """
    scores0, scores1 = check_scores(scores0, "scores0"), check_scores(scores1, "scores1")
    box = check_noises(noise0, noise1)
    alpha, delta = check_level(alpha, "alpha"), check_delta(delta)
    warn_labels(scores0, scores1, "np_threshold_noisy")
    threshold = noisy_threshold_at(np.sort(scores0), np.sort(scores1), box, alpha, delta)
    warn_of_sign(scores0, scores1)
    if threshold.n_above0 + threshold.n_above1 == 0:
        warn_at_call(
            f"no score of either sample lies above the threshold {threshold.value:g}, so that none of these rows is "
            "called class 1. The type I error is controlled, but the type II error may be large. More rows labelled 0 "
            "or a larger alpha or delta help.",
            NPWarning,
        )
    return threshold


def warn_of_sign(scores0, scores1):
    """Warn if the scores of rows labelled 1 are clearly the smaller ones.

    With both noises together below 1, those of class 1 are then the smaller ones, too: the area under the ROC curve by
    these labels is 1/2 + (1 - noise0 - noise1) (A - 1/2), where A is the area by right labels.
    """
    warn_direction(scores0, scores1, "by the labels of scores0 and scores1", PAID_BY_BOTH)


def noisy_threshold_at(scores0, scores1, box, alpha, delta):
    """Return the `NoisyThreshold` of two checked and sorted samples."""
    n0, n1 = scores0.size, scores1.size
    allowed, rate = _allowed(n0, n1, box, alpha, delta)
    cuts = np.unique(np.concatenate([scores0, scores1]))
    above0 = n0 - np.searchsorted(scores0, cuts, side="right")
    above1 = n1 - np.searchsorted(scores1, cuts, side="right")
    failed = np.flatnonzero(above0 > allowed(above1))
    # the largest score passes, since nothing is above it
    at = int(failed[-1]) + 1 if failed.size else 0
    return NoisyThreshold(
        value=float(cuts[at]),
        order=int(n0 - above0[at]),
        n0=n0,
        n1=n1,
        n_above0=int(above0[at]),
        n_above1=int(above1[at]),
        noise0=box[0],
        noise1=box[1],
        alpha=alpha,
        delta=delta,
        violation_rate=rate,
    )


def _allowed(n0, n1, box, alpha, delta):
    """Return the largest number of rows labelled 0 above a cut, given that of rows labelled 1, and the test's size."""
    (low0, high0), (low1, high1) = box
    if high0 == 0:
        order = int(search_orders(n0, np.array([alpha]), delta)[0])
        if order > n0:
            raise TooFewSamplesError(too_few_message(n0, alpha, delta, rows="scores of rows labelled 0"))
        return (lambda _: n0 - order), violation_rate(order, n0, alpha)
    curve = NullCurve(alpha, low0 / (1 - low1), high0 / (1 - high1))
    needed = rows_needed(curve, delta)
    if n0 < needed:
        raise TooFewSamplesError(
            f"n0={n0} scores of rows labelled 0 cannot meet alpha={alpha:g} with delta={delta:g} under noise0="
            f"{said(box[0])} and noise1={said(box[1])}; at least {needed} are needed, and more for a rule with power.",
            argument="scores0",
            value=n0,
            limit=needed,
        )
    allowed = allowed_counts(n0, n1, curve, delta)
    return allowed, allowed.size


def check_noises(noise0, noise1):
    """Return both noises as intervals of floats."""
    box = _check_noise(noise0, "noise0"), _check_noise(noise1, "noise1")
    total = box[0][1] + box[1][1]
    if total >= 1:
        raise InvalidInputError(
            f"noise0={said(box[0])} and noise1={said(box[1])} add up to {total:g} at their largest, and they must add "
            "up to less than 1: otherwise the rows labelled 0 need not hold more of class 0 than those labelled 1.",
            argument="noise0",
        )
    return box


def _check_noise(noise, name):
    rule = "be a number in [0, 1), or an interval (low, high) of them"
    values = as_floats(noise, name, rule)
    if values.shape not in ((), (2,)):
        raise InvalidInputError(f"{name} must {rule}, got {shown(noise)}.", argument=name)
    low, high = (float(value) for value in (values if values.ndim else (values, values)))
    if not (0 <= low < 1 and 0 <= high < 1):
        raise InvalidInputError(f"{name} must {rule}, got {shown(noise)}.", argument=name)
    if low > high:
        raise InvalidInputError(f"{name} must have its smaller end first, got ({low:g}, {high:g}).", argument=name)
    # -0.0 is 0
    return low + 0.0, high + 0.0


def said(interval):
    """Return an interval of noises in words.

    Examples
    --------
    >>> said((0.1, 0.1)), said((0.05, 0.1))
    ('0.1', '0.05 to 0.1')
    """
    low, high = interval
    return f"{low:.4g}" if low == high else f"{low:.4g} to {high:.4g}"
