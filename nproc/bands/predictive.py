"""Predictive values against alpha: bounds on the share of right calls among the rows called class 1, and class 0."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, logit

from nproc.bands.bounds import AlphaChoice, cuts_at, level_cell, level_of, mask_order, shown_order
from nproc.bands.joint_region import largest_log_ratio
from nproc.checks import check_level, check_levels, class_names, level_text, refuse_beyond, refuse_unordered, shown
from nproc.errors import InvalidInputError, TooFewSamplesError
from nproc.fits import doubt_in_picture
from nproc.rows import share_of_all_rows, share_of_class1, share_of_right_calls
from nproc.simultaneous import share_of_each_class, simultaneous_cdf_bounds
from nproc.tables import (
    FEW,
    Axes,
    DataFrame,
    InNotebook,
    Summary,
    at_least,
    format_number,
    rounded_down,
    rounded_up,
    short,
    summary_table,
    table_frame,
)

if TYPE_CHECKING:
    from nproc.bands.band import NPROCBand

NAMES = ("ppv_lower", "ppv", "ppv_upper", "npv_lower", "npv", "npv_upper")
LEVELS_FIRST = ("alpha", "order", *NAMES)
PAIR = ("ppv", "npv")
COLUMNS = ("alpha", "Rank", "Share of right calls", "Lower", "Estimate", "Upper")
# letters of the shares of both classes in a repr, beyond which it has ranges over the levels
LONGEST_LINE = 160
NONE_NOTE = "Rank none: no left-out class 0 score as threshold meets this alpha, and the bounds are then 0 and 1."
EMPTY_NOTE = "Estimate -: no left-out row is called {label} there, so that no share of right calls can be estimated."
ONE_REGION = (
    "These bounds come from one region for both errors, and are not what the separate bounds of the two errors would "
    "give."
)
ESTIMATE_NOTE = (
    "The estimates take (m + 1) / (n0 + 1) as the type I error if m of the n0 left-out class 0 rows are called {label}."
)


@dataclass(frozen=True, repr=False, eq=False)
class PredictiveValues(InNotebook):
    """Predictive values at given levels; arrays are shaped like the levels asked for.

    Printed bounds are rounded outward, to four decimals: lower bounds down and upper bounds up.

    Attributes
    ----------
    alpha : float or ndarray
        Levels.
    order : int or ndarray
        Rank of the threshold; n0 + 1 where no classifier respects alpha. Tables and reprs then say that there is none.
    ppv_lower, ppv_upper, npv_lower, npv_upper : float or ndarray
        Bounds; 0 and 1 where no classifier respects alpha.
    ppv, npv : float or ndarray
        Estimates, made as in the notes of `PredictiveBand`; NaN where no classifier respects alpha. `ppv` is also NaN
        where no left-out row is called class 1.
    prevalence : tuple of float
        Lowest and highest share of class 1, as in `PredictiveBand`.
    given_of : {0, 1}
        The class whose share was given, and is shown.
    note : str
        What the bounds promise.
    copies : str
        Which left-out rows are exact copies of others, and what that means for the bounds; empty for few or none.
    classes : (str, str)
        Names of class 0 and class 1.
    """

    alpha: float | np.ndarray
    order: int | np.ndarray
    ppv_lower: float | np.ndarray
    ppv: float | np.ndarray
    ppv_upper: float | np.ndarray
    npv_lower: float | np.ndarray
    npv: float | np.ndarray
    npv_upper: float | np.ndarray
    prevalence: tuple[float, float]
    given_of: int = 1
    note: str = ""
    copies: str = ""
    classes: tuple[str, str] = ("class 0", "class 1")

    def __repr__(self):
        order = shown_order(self.order, without_rank(self))
        shares = ", ".join(map(self._with_bounds, PAIR, reversed(self.classes)))
        if np.size(self.alpha) > FEW or len(shares) > LONGEST_LINE:
            shares = ", ".join(map(self._range, PAIR, reversed(self.classes)))
        return (
            f"PredictiveValues(prevalence of {': '.join(shown_prevalence(self))}, "
            f"alpha={short(self.alpha, level_text)}, order={order},\n  {shares})"
        )

    def _with_bounds(self, value, label):
        """Return the estimate of the share of a class with its bounds, level by level."""
        estimates, lower, upper = (np.ravel(getattr(self, value + end)) for end in ("", "_lower", "_upper"))
        found = ["none" if np.isnan(estimate) else format_number(estimate) for estimate in estimates]
        bounds = [f"[{rounded_down(low)}, {rounded_up(high)}]" for low, high in zip(lower, upper, strict=True)]
        return f"{share_of_right_calls(label)}={'; '.join(map(' '.join, zip(found, bounds, strict=True)))} (.{value})"

    def _range(self, value, label):
        """Return the range of the estimates of the share of a class over all levels, and of the bounds."""
        estimates, lower, upper = (np.ravel(getattr(self, value + end)) for end in ("", "_lower", "_upper"))
        known = estimates[~np.isnan(estimates)]
        found = f"{format_number(known.min())} to {format_number(known.max())}" if known.size else "none"
        bounds = f"[{rounded_down(lower.min())}, {rounded_up(upper.max())}]"
        return f"{share_of_right_calls(label)}={found} in {bounds} (.{value})"

    def to_frame(self) -> DataFrame:
        """Return a DataFrame with a row a level.

        Returns
        -------
        DataFrame
            alpha, order, the prevalence of class 1, such as ``P(benign)``, and of each class the share of right calls,
            such as ``P(benign | called benign)``; first of class 1 (`ppv`), then of class 0 (`npv`). The order is
            missing where no classifier respects alpha. Each share has ``_lower`` and ``_upper``; the estimates are at
            the middle of the prevalences. The labels 0 and 1 are called class 0 and class 1.
        """
        frame = table_frame(_columns(self, {name: getattr(self, name) for name in LEVELS_FIRST}))
        return mask_order(frame, np.ravel(without_rank(self)))

    def summary(self) -> Summary:
        """Return a table with a row a level, as a summary of statsmodels."""
        of_class, share = shown_prevalence(self)
        pairs = [(f"Prevalence of {of_class}", share)]
        notes = [self.note, self.copies, " ".join([*_on_estimates(self), *_on_gaps(self)])]
        return summary_table(
            "Predictive values at some levels", pairs, COLUMNS, value_rows(self), list(filter(None, notes))
        )


def _given_prevalence(values):
    return values.prevalence if values.given_of == 1 else [1 - share for share in reversed(values.prevalence)]


def _middle(values):
    return sum(_given_prevalence(values)) / 2


def shown_prevalence(values):
    """Return whose prevalence the user gave of a `PredictiveBand` or of its values, and what it is."""
    low, high = _given_prevalence(values)
    return values.classes[values.given_of], f"{low:g}" if low == high else f"{low:g} to {high:g}"


def without_rank(values):
    """Return where no classifier respects alpha; elsewhere the threshold itself is called class 0."""
    return np.isnan(values.npv)


def _on_estimates(values):
    """Say in a list how the estimates are made, and where they are of an interval of prevalences."""
    low, high = values.prevalence
    at_middle = [f"Estimates are at the middle of the interval, {_middle(values):g}."] * (low < high)
    return [ESTIMATE_NOTE.format(label=values.classes[1]), *at_middle]


def _on_gaps(values):
    """Say in a list how to read the rows of a table that have no threshold, or no estimate, if there are any."""
    none = without_rank(values)
    no_estimate = bool((np.isnan(values.ppv) & ~none).any())
    return [NONE_NOTE] * bool(none.any()) + [EMPTY_NOTE.format(label=values.classes[1])] * no_estimate


def _columns(values, found):
    """Return the columns of a table of both predictive values, named by the classes, with the prevalence in front."""
    named = columns_by_label(values.classes)
    alpha, order, *shares = [(named.get(name, name), np.ravel(column)) for name, column in found.items()]
    (low, high), name = values.prevalence, share_of_all_rows(values.classes[1])
    given = {f"{name}_lower": low, name: (low + high) / 2, f"{name}_upper": high}
    return dict([alpha, order, *((name, np.full(alpha[1].size, share)) for name, share in given.items()), *shares])


def _with_class(name, code):
    return name if name == f"class {code}" else f"{name} (class {code})"


def columns_by_label(classes):
    """Return the columns of `NAMES` by the classes' own names, which leave no doubt about what is "positive".

    Examples
    --------
    >>> columns_by_label(("ill", "well"))["ppv_lower"]
    'P(well | called well)_lower'
    """
    right = {"ppv": share_of_right_calls(classes[1]), "npv": share_of_right_calls(classes[0])}
    return {name: name.replace(value, right[value]) for name in NAMES for value in PAIR if name.startswith(value)}


def pointwise_values(orders, up_to0, n0, up_to1, n1, delta, prevalence):
    """Return bounds and estimates at thresholds of ranks fixed beforehand, the six rows of `NAMES`.

    Parameters
    ----------
    orders : ndarray of int, shape (m,)
        Ranks of the thresholds.
    up_to0, up_to1 : ndarray of int, shape (m,)
        Scores of each class up to the thresholds.
    n0, n1 : int
        Scores of each class.
    delta : float
        Bound on the probability that one of the two lower bounds does not hold, and the same for the two upper bounds.
    prevalence : (float, float)
        Lowest and highest share of class 1.

    Returns
    -------
    ndarray, shape (6, m)
    """
    high1, rest1, high2, rest2 = error_laws(orders, up_to0, n0, up_to1, n1)
    # logarithms of the odds of class 1 that each bound is taken at
    low, high = logit(prevalence)
    found = np.empty((len(NAMES), orders.size))
    found[0] = expit(low - largest_log_ratio(high1, high2, delta))
    found[2] = expit(high + largest_log_ratio(rest2, rest1, delta))
    found[3] = expit(-high - largest_log_ratio(high2, high1, delta))
    found[5] = expit(-low + largest_log_ratio(rest1, rest2, delta))
    found[1], found[4] = _estimates(up_to0, n0, up_to1, n1, prevalence)
    return found


def error_laws(orders, up_to0, n0, up_to1, n1):
    r"""Return the Beta laws whose upper quantiles bound both errors from above, and their complements.

    Returns
    -------
    list of four tuple of two ndarray
        Parameters a and b of the laws: the upper u quantile of the first is the upper bound on the type I error that
        fails with probability at most u, and that of the second is 1 less the lower bound; the last two are those of
        the type II error. With b = 0 the quantile is 1.

    Notes
    -----
    The lower bound on the type I error at rank k needs a proof of its own, since with ties the error may be smaller
    than that of continuous scores, and the number k' of class 0 scores up to the threshold :math:`T_{(k)}` is random.
    Write the scores as quantiles of uniform :math:`U_i`. Then :math:`F(T_{(k)})` is e(u), the right end of the values
    that share a score with :math:`u = U_{(k)}`, and k' = N(e(u)), the number of :math:`U_i` up to there. With
    :math:`b_j` the :math:`1 - \delta'` quantile of :math:`U_{(j)}`, for any :math:`\delta'`, the bound is
    :math:`1 - b_{k' + 1}`, and fails where :math:`e(u) > b_{k' + 1}`. Let p be the smallest right end above
    :math:`b_{k + 1}`. A failure at p means :math:`p > b_{N(p) + 1}`; one beyond p means N(p) < k, so that again
    :math:`p > b_{N(p) + 1}`; before p there is none. With m the largest count for which :math:`p > b_{m + 1}`, this is
    :math:`N(p) \le m`, that is :math:`U_{(m + 1)} > p`, of probability at most :math:`\delta'`. (Without a smallest
    right end take right ends p down to the infimum: the failures at or beyond p increase to all failures.)

    For continuous scores the quantile of Beta(n0 + 1 - k, k) would do, which is about one rank less conservative; with
    a mass at one score it would not.
    """
    laws = [(n0 + 1 - orders, orders), (up_to0 + 1, n0 - up_to0), (up_to1 + 1, n1 - up_to1), (n1 + 1 - up_to1, up_to1)]
    return [(np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)) for a, b in laws]


def simultaneous_values(up_to0, n0, up_to1, n1, delta, method, prevalence):
    """Return the same for all thresholds at once, with `method` as in `simultaneous_cdf_bounds`."""
    share = share_of_each_class(delta)
    below0, above0 = simultaneous_cdf_bounds(up_to0, n0, share, method=method)
    lower2, upper2 = simultaneous_cdf_bounds(up_to1, n1, share, method=method)
    low, high = prevalence
    ppv, npv = _estimates(up_to0, n0, up_to1, n1, prevalence)
    return np.stack(
        [
            _share(low * (1 - upper2), (1 - low) * (1 - below0), 0.0),
            ppv,
            _share(high * (1 - lower2), (1 - high) * (1 - above0), 1.0),
            _share((1 - high) * below0, high * upper2, 0.0),
            npv,
            _share((1 - low) * above0, low * lower2, 1.0),
        ]
    )


def _estimates(up_to0, n0, up_to1, n1, prevalence):
    """Return estimates of PPV and NPV at the middle of the prevalences; PPV is NaN if no row is called class 1."""
    # were the scores continuous, `type1` would be the mean of the type I error at that rank
    middle, type1, type2 = sum(prevalence) / 2, (n0 + 1 - up_to0) / (n0 + 1), up_to1 / n1
    ppv = _share(middle * (1 - type2), (1 - middle) * type1, 0.0)
    ppv[(up_to0 == n0) & (up_to1 == n1)] = np.nan
    return ppv, _share((1 - middle) * (1 - type1), middle * type2, 1.0)


def _share(right, wrong, empty):
    """Return right / (right + wrong), and `empty` where both are 0."""
    total = right + wrong
    return np.divide(right, total, out=np.full(total.shape, empty), where=total > 0)


def estimate_text(value):
    """Return an estimate as text for a table, or "-" where there is none.

    Examples
    --------
    >>> estimate_text(0.25), estimate_text(float("nan"))
    ('0.2500', '-')
    """
    return "-" if np.isnan(value) else format_number(value)


def value_rows(values):
    """Return the rows of a table of `PredictiveValues`: two a level, the share of each class named by its label."""
    rows = []
    one, zero = (share_of_right_calls(label) for label in reversed(values.classes))
    columns = [np.ravel(getattr(values, name)).tolist() for name in LEVELS_FIRST]
    for alpha, order, *cells in zip(*columns, strict=True):
        none = np.isnan(cells[4])
        shown = (rounded_down, estimate_text, rounded_up) * 2
        cells = [text(cell) for cell, text in zip(cells, shown, strict=True)]
        rows += [(level_cell(alpha), "none" if none else int(order), one, *cells[:3]), ("", "", zero, *cells[3:])]
    return rows


OF_SINGLE_SPLITS = (
    "They are about single splits. The predictive values of the vote of the splits may lie outside of them."
)
SHOWN = (0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5)


def _curve(name: str) -> cached_property[NDArray[np.float64]]:
    """Return the attribute of a `PredictiveBand` that is one of its six curves."""
    return cached_property(lambda band: band._knots[name])


@dataclass(frozen=True, repr=False, eq=False)
class PredictiveBand(InNotebook):
    r"""Bounds on both predictive values of the classifiers of an NP-ROC band, at a prevalence given from outside.

    Made by `NPROCBand.predictive_values`.

    Attributes
    ----------
    alpha, order : ndarray, shape (n_knots,)
        The knots of the band in ascending order of alpha, and the ranks of the thresholds there.
    ppv_lower, ppv, ppv_upper : ndarray, shape (n_knots,)
        Of P(Y = 1 | called class 1) at the knots: bounds, and an estimate, of an interval of prevalences at its middle.
        The estimate is NaN where no left-out row is called class 1; with several splits, where this is so in one.
    npv_lower, npv, npv_upper : ndarray, shape (n_knots,)
        Of P(Y = 0 | called class 0).
    band : NPROCBand
        The band.
    prevalence : tuple of float
        Lowest and highest share of class 1 where the classifier is used.
    given_of : {0, 1}
        The class whose share was given, and is shown.
    classes : (str, str)
        Names of class 0 and class 1.
    delta : float
        That of the band.
    simultaneous : bool
        Whether the bounds hold for all alpha at once.

    Notes
    -----
    With type I error R1, type II error R2 and prevalence :math:`\pi = P(Y = 1)`,

    .. math::

       \mathrm{PPV} = \frac{\pi (1 - R_2)}{\pi (1 - R_2) + (1 - \pi) R_1}, \qquad
       \mathrm{NPV} = \frac{(1 - \pi)(1 - R_1)}{(1 - \pi)(1 - R_1) + \pi R_2}.

    Both fall in R1 and in R2; PPV rises and NPV falls in :math:`\pi`. Upper bounds on R1 and R2 thus give the lower
    bounds of both, lower ones the upper bounds, and an interval of prevalences its ends, for all prevalences at once.

    *Pointwise band, one alpha fixed beforehand, one split.* Upper bounds on both errors hold together with probability
    at least 1 - delta, in the region of `nproc.bands.joint_region`. It is the region of two separate bounds without its
    corner, where both errors would be at their bounds at once. The lower bounds of PPV and NPV are their smallest
    values in the region, so that both are right with that probability. The two upper bounds come in the same way from
    lower bounds of the errors. All four hold with probability at least :math:`1 - 2 \delta`.

    *Lower bound on R1.* With k' class 0 scores up to the threshold (k' = k without ties) it is Clopper-Pearson's for
    n0 - k' of n0 above, a quantile of Beta(n0 - k', k' + 1), or 0 for k' = n0. It needs no continuity; the proof is in
    the notes of `error_laws` in `nproc.bands.predictive`.

    *Estimates.* In the formula R1 is (n0 + 1 - k') / (n0 + 1), with k' as above. For continuous scores this is the mean
    of the type I error over samples. R2 is the share of left-out class 1 scores at or below the threshold.

    *Simultaneous band.* Both distribution functions are inside their two-sided bounds everywhere with probability at
    least 1 - delta, half of it (as in the band) for each class: all four bounds hold at all alpha and at all
    prevalences at once.

    Several splits: the bounds are averages over splits, for which no proof exists. They are about single splits; the
    predictive values of the vote of the splits may lie outside of them. The shares of the classes in the
    data are not looked at: where rows were gathered by class they say nothing about the prevalence.

    References
    ----------
    [tong2018]_ for the threshold; [clopper1934]_ for the counts; [bagnoli2005]_ for the smallest values.
    """

    band: NPROCBand
    prevalence: tuple
    given_of: int = 1

    @property
    def classes(self) -> tuple[str, str]:
        return class_names(None if self.band.subject is None else self.band.subject.labels)

    @property
    def delta(self) -> float:
        return self.band.delta

    @property
    def simultaneous(self) -> bool:
        return self.band.rule.simultaneous

    @property
    def order(self) -> NDArray[np.intp]:
        return np.arange(self.band.n0_left_out, 0, -1)[: self.band.n_knots]

    @property
    def alpha(self) -> NDArray[np.float64]:
        return self.band.alpha[: self.band.n_knots]

    @cached_property
    def _knots(self):
        return self._at_orders(self.order)

    ppv_lower, ppv, ppv_upper, npv_lower, npv, npv_upper = map(_curve, NAMES)

    def __repr__(self):
        return (
            f"PredictiveBand(method={self.band.method!r}, prevalence of {': '.join(shown_prevalence(self))}, "
            f"delta={self.delta:g}, {f'all alpha{self.band.rule.up_to} at once' if self.simultaneous else 'one alpha'})"
        )

    def at(self, alpha: ArrayLike | AlphaChoice) -> PredictiveValues:
        """Return the predictive values at one level or many.

        Parameters
        ----------
        alpha : float, array-like or AlphaChoice
            Levels in [0, 1], or in [0, `alpha_max`] if the band ends there. At a level that was chosen on this band
            nothing is proved, unless the band is simultaneous and of one split. The summary then says so. If a choice
            was made on the band of other rows, give ``choice.alpha``; it counts as fixed beforehand.

        Returns
        -------
        PredictiveValues

        Raises
        ------
        InvalidInputError
            If a level is outside [0, 1], or above `alpha_max` of the band.
        """
        levels = check_levels(level_of(alpha), "alpha", closed=True)
        refuse_beyond(levels, self.band.alpha_max)
        n0 = self.band.n0_left_out
        orders = np.asarray(self.band.rule.orders(n0, levels.ravel())).reshape(levels.shape)
        none = orders > n0
        found = self._at_orders(np.minimum(orders, n0).ravel())
        # without a classifier nothing is said
        nothing = {"ppv_lower": 0.0, "npv_lower": 0.0, "ppv": np.nan, "npv": np.nan, "ppv_upper": 1.0, "npv_upper": 1.0}
        columns = {name: np.where(none, nothing[name], found[name].reshape(levels.shape)) for name in NAMES}
        columns = {"alpha": levels, "order": orders, **columns}
        note = self._promise(self.band._chosen_told(levels, orders, is_choice=isinstance(alpha, AlphaChoice)))
        if levels.ndim == 0:
            columns = {name: value.item() for name, value in columns.items()}
        told = {"note": note, "copies": " ".join(self.band._copies())}
        shown = {"prevalence": self.prevalence, "given_of": self.given_of, "classes": self.classes} | told
        return PredictiveValues(**columns | shown)

    def to_frame(self) -> DataFrame:
        """Return a DataFrame of the knots, with the columns of `PredictiveValues.to_frame`."""
        return table_frame(_columns(self, {"alpha": self.alpha, "order": self.order, **self._knots}))

    def summary(self, *, alphas: Sequence[float] = SHOWN) -> Summary:
        """Return a table of the bounds at some levels, and what they promise, as a summary of statsmodels.

        Parameters
        ----------
        alphas : sequence of float
            Levels.
        """
        zero, one = self.classes
        of_class, share = shown_prevalence(self)
        pairs = [
            ("Method", self.band.method),
            (f"Prevalence of {of_class}", share),
            ("Class 0 (controlled)", self._classes[0]),
            ("Class 1", self._classes[1]),
            ("Class 0 rows left out", self.band.n0_left_out),
            ("Class 1 rows left out", self.band.n1_left_out),
            ("delta", f"{self.delta:g}"),
            ("Splits", self.band.n_splits),
        ]
        levels = np.ravel(check_levels(alphas, "alphas", closed=True))
        values = self.at(levels[levels <= (self.band.alpha_max or 1)])
        told = (
            f"{share_of_right_calls(one)} is the share of {_with_class(one, 1)} among rows called {one}. "
            f"{share_of_right_calls(zero)} is the share of {_with_class(zero, 0)} among rows called {zero}. The "
            f"prevalence is the share of {of_class} where the classifier is used. It is not estimated, because the "
            "data need not have this share."
        )
        notes = [" ".join([told, *_on_estimates(values)]), values.note, values.copies, " ".join(_on_gaps(values))]
        return summary_table("Predictive values", pairs, COLUMNS, value_rows(values), list(filter(None, notes)))

    def plot(
        self,
        *,
        ax: Axes | None = None,
        alpha: float | AlphaChoice | None = None,
        xlim: tuple[float, float] | None = None,
        log: bool | None = None,
        figsize: tuple[float, float] | None = None,
        values: Sequence[str] = PAIR,
    ) -> Axes:
        """Draw the bounds of both predictive values against alpha; return the Axes.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; None makes a figure. Predictive values at several prevalences, or of several methods with the
            same class 0, may be drawn on the same Axes.
        alpha : float or AlphaChoice, optional
            A level to mark, at most `alpha_max`, with a bar for the bounds there. Below the smallest alpha of the band
            there is no classifier: the level gets no bar, and the legend gives the smallest alpha.
        xlim : (float, float), optional
            The smallest and the largest level that the picture shows, such as (0, 0.2).
        log : bool, optional
            Whether the axis of levels is logarithmic.
        figsize : (float, float), optional
            Width and height of a new figure, in inches.
        values : sequence of {"ppv", "npv"}
            Which to draw.

        Raises
        ------
        InvalidInputError
            If `values` holds another name, a level is out of range, or `ax` shows errors, another class 0 or the same
            predictive values.
        TooFewSamplesError
            If the band has no classifier at any alpha up to `alpha_max`.
        """
        from nproc.plotting import plot_predictive, tell_chosen

        is_chosen = False
        if alpha is not None:
            level = check_level(level_of(alpha), "alpha")
            refuse_beyond(level, self.band.alpha_max)
            alpha, is_chosen = level, self.band._doubts_choice(alpha)
        none = self.band.rule.no_rank(self.band.n0_left_out)
        if none is not None:
            raise TooFewSamplesError(none)
        refuse_unordered(values, "values")
        wanted = [values] if isinstance(values, str) else values
        if (
            not isinstance(wanted, list | tuple)
            or not wanted
            or any(not isinstance(name, str) or name not in PAIR for name in wanted)
        ):
            raise InvalidInputError(f"values must be 'ppv', 'npv' or both, got {shown(values)}.")
        curves = {name: [self._knots[f"{name}{end}"] for end in ("_lower", "", "_upper")] for name in wanted}
        note = self.band.rule.in_legend if self.simultaneous else "one $\\alpha$ fixed beforehand"
        note = "; ".join(filter(None, [note, doubt_in_picture(self.band.unmet)]))
        if self.band.n_splits > 1:
            note = self.band.caption
        low, high = self.prevalence
        given = {
            "prevalence": ": ".join(shown_prevalence(self)) + (f", lines at {_middle(self):g}" if low < high else ""),
            "delta": self.delta,
            "note": note,
            "names": self.classes,
            "method": self.band.method,
            "labels": None if self.band.subject is None else self.band.subject.labels,
            "whole": (float(self.alpha[0]), self.band.alpha_max or 1.0),
        }
        view = {"marked_alpha": alpha, "xlim": xlim, "log": log}
        ax = plot_predictive(self.alpha, curves, **given, **view, ax=ax, figsize=figsize)
        return tell_chosen(ax) if is_chosen else ax

    def _promise(self, chosen_told):
        """Return what is proved of the bounds and what is not; `chosen_told` is about levels chosen on the band."""
        said = [*self.band._conditions(), self._promise_of_independent_rows]
        if self.band.n_splits > 1:
            said.append(
                f"The bounds are averages over {self.band.n_splits} splits; nothing is proved about averages. "
                f"{OF_SINGLE_SPLITS}"
            )
        return " ".join([*said, *chosen_told])

    @property
    def _promise_of_independent_rows(self):
        if self.simultaneous:
            return (
                f"All bounds hold for all alpha{self.band.rule.up_to}, and all prevalences, at once with probability "
                f"at least {at_least(1 - self.delta)}, for one split. A lower bound worked out from alpha and the "
                "band's bound on the type II error can be larger. It also holds with this probability, but not "
                "together with the upper bounds here."
            )
        return (
            "At one alpha fixed beforehand, for one split: both lower bounds hold with probability at least "
            f"{at_least(1 - self.delta)}, so do both upper bounds, and all "
            f"four hold with probability at least {at_least(max(0.0, 1 - 2 * self.delta))}. {ONE_REGION}"
        )

    @property
    def _classes(self):
        subject = self.band.subject
        return ("0", "1") if subject is None else tuple(str(label) for label in subject.labels)

    def _at_orders(self, orders):
        """Averages over splits of the six curves at ranks, as a dict."""
        totals = np.zeros((len(NAMES), orders.size))
        for scores0, scores1 in zip(self.band.sorted0, self.band.sorted1, strict=True):
            cuts = cuts_at(scores0, orders, self.band.subject)
            up_to0, up_to1 = (np.searchsorted(scores, cuts, side="right") for scores in (scores0, scores1))
            counts = up_to0, scores0.size, up_to1, scores1.size
            if self.simultaneous:
                totals += simultaneous_values(*counts, self.delta, self.band.rule.bounds, self.prevalence)
            else:
                totals += pointwise_values(orders, *counts, self.delta, self.prevalence)
        return dict(zip(NAMES, totals / self.band.n_splits, strict=True))


Prevalence = float | tuple[float, float] | Mapping[Any, float | tuple[float, float]]


def predictive_band(band, prevalence):
    """Return the `PredictiveBand` of a band; see `NPROCBand.predictive_values` for the prevalence."""
    labels = [0, 1] if band.subject is None else band.subject.labels.tolist()
    levels = check_levels(share_of_class1(prevalence, labels), "prevalence")
    if levels.shape not in ((), (2,)) or (levels.ndim == 1 and levels[0] > levels[1]):
        raise InvalidInputError(f"prevalence must be one number or an increasing pair of two, got {shown(prevalence)}.")
    low, high = np.broadcast_to(levels, 2).tolist()
    given_of = labels.index(next(iter(prevalence))) if isinstance(prevalence, Mapping) else 1
    return PredictiveBand(band, (low, high), given_of)
