"""Predictive values against alpha: bounds on the share of right calls among the rows called class 1, and class 0."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from nproc.checks import check_levels
from nproc.errors import InvalidInputError
from nproc.predictivepoints import COLUMNS, NAMES, NONE_NOTE, PAIR, PredictiveValues, split_values, value_rows
from nproc.reprs import InNotebook
from nproc.sequences import refuse_unordered
from nproc.tables import summary_table, table_frame
from nproc.thresholds import rounding_guard

SHOWN = (0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5)


@dataclass(frozen=True, repr=False, eq=False)
class PredictiveBand(InNotebook):
    r"""Bounds on both predictive values of the classifiers of an NP-ROC band, at a prevalence given from outside.

    Made by `predictive_band` and `NPROCBand.predictive_values`.

    Attributes
    ----------
    alpha, order : ndarray, shape (n0_left_out,)
        The knots of the band in ascending order of alpha, and the ranks of the thresholds there.
    ppv_lower, ppv, ppv_upper : ndarray, shape (n0_left_out,)
        Of P(Y = 1 | called class 1) at the knots: bounds, and an estimate, of an interval of prevalences at its middle.
    npv_lower, npv, npv_upper : ndarray, shape (n0_left_out,)
        Of P(Y = 0 | called class 0).
    band : NPROCBand
        The band.
    prevalence : tuple of float
        Lowest and highest share of class 1 where the classifier is used.
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

    *Pointwise band, one alpha fixed beforehand, one split.* Let :math:`\delta' = 1 - \sqrt{1 - \delta}`. The bound on
    R1 fails with probability at most :math:`\delta'`; given the threshold, which decides that, the bound on R2 from the
    class 1 scores fails with probability at most :math:`\delta'`. So both hold with probability at least
    :math:`(1 - \delta')^2 = 1 - \delta`: the two lower bounds are right together with that probability, the two upper
    bounds too, and all four with probability at least :math:`1 - 2 \delta`.

    *Lower bound on R1.* With k' class 0 scores up to the threshold (k' = k without ties) it is Clopper-Pearson's for
    n0 - k' of n0 above, the :math:`\delta'` quantile of Beta(n0 - k', k' + 1), or 0 for k' = n0. It needs no
    continuity; the proof is in the notes of `pointwise_errors` in `nproc.predictivepoints`.

    *Simultaneous band.* Both distribution functions are inside their two-sided bounds everywhere with probability at
    least 1 - delta, half of it (as in the band) for each class: all four bounds hold at all alpha and at all
    prevalences at once.

    Several splits: the bounds are averages over splits, for which no proof exists. The shares of the classes in the
    data are not looked at: where rows were gathered by class they say nothing about the prevalence.

    References
    ----------
    [tong2018]_ for the threshold; [clopper1934]_ for the counts.
    """

    band: object
    prevalence: tuple

    @property
    def delta(self):
        return self.band.delta

    @property
    def simultaneous(self):
        return self.band.rule.simultaneous

    @property
    def order(self):
        return np.arange(self.band.n0_left_out, 0, -1)

    @property
    def alpha(self):
        return self.band.alpha

    @cached_property
    def _knots(self):
        return self._at_orders(self.order)

    @property
    def ppv_lower(self):
        return self._knots["ppv_lower"]

    @property
    def ppv(self):
        return self._knots["ppv"]

    @property
    def ppv_upper(self):
        return self._knots["ppv_upper"]

    @property
    def npv_lower(self):
        return self._knots["npv_lower"]

    @property
    def npv(self):
        return self._knots["npv"]

    @property
    def npv_upper(self):
        return self._knots["npv_upper"]

    def __repr__(self):
        return (
            f"PredictiveBand(method={self.band.method!r}, prevalence of {self._classes[1]} {self._shown_prevalence}, "
            f"delta={self.delta:g}, {'all alpha at once' if self.simultaneous else 'one alpha'})"
        )

    def at(self, alpha):
        """Return the predictive values at one level or many.

        Parameters
        ----------
        alpha : float or array-like
            Levels in [0, 1].

        Returns
        -------
        PredictiveValues

        Raises
        ------
        InvalidInputError
            If a level is outside [0, 1].
        """
        levels = check_levels(alpha, "alpha", closed=True)
        n0 = self.band.n0_left_out
        orders = np.asarray(self.band.rule.orders(n0, levels.ravel())).reshape(levels.shape)
        none = orders > n0
        found = self._at_orders(np.minimum(orders, n0).ravel())
        # without a classifier nothing is said
        nothing = {"ppv_lower": 0.0, "npv_lower": 0.0, "ppv": np.nan, "npv": np.nan, "ppv_upper": 1.0, "npv_upper": 1.0}
        columns = {name: np.where(none, nothing[name], found[name].reshape(levels.shape)) for name in NAMES}
        if levels.ndim == 0:
            columns = {name: float(value) for name, value in columns.items()}
            return PredictiveValues(float(levels), int(orders), **columns, note=self._promise)
        return PredictiveValues(levels, orders, **columns, note=self._promise)

    def to_frame(self):
        """Return a DataFrame of the knots: alpha, order, and bounds and estimates of both values."""
        return table_frame({"alpha": self.alpha, "order": self.order, **self._knots})

    def summary(self, *, alphas=SHOWN):
        """Return a table of the bounds at some levels, and what they promise, as a summary of statsmodels.

        Parameters
        ----------
        alphas : sequence of float
            Levels.
        """
        zero, one = self._classes
        pairs = [
            ("Method", self.band.method),
            ("Prevalence of class 1", self._shown_prevalence),
            ("Class 0 (controlled)", zero),
            ("Class 1", one),
            ("Class 0 rows left out", self.band.n0_left_out),
            ("Class 1 rows left out", self.band.n1_left_out),
            ("delta", f"{self.delta:g}"),
            ("Splits", self.band.n_splits),
        ]
        rows = value_rows(self.at(np.ravel(check_levels(alphas, "alphas", closed=True))))
        notes = [
            f"PPV: share of class 1 ({one}) among rows called class 1. NPV: share of class 0 ({zero}) among rows "
            "called class 0.",
            "The prevalence is the share of class 1 where the classifier is used. It is taken as given: the shares "
            "of the classes in the data say nothing about it where rows were gathered by class.",
        ]
        notes.append(self._promise)
        if self.band.n_splits > 1:
            notes.append(f"Bounds are averages over {self.band.n_splits} splits, for which no proof exists.")
        notes.append(NONE_NOTE)
        return summary_table("Predictive values", pairs, COLUMNS, rows, notes)

    def plot(self, *, ax=None, values=PAIR):
        """Draw the bounds of both predictive values against alpha; return the Axes.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; None makes a figure.
        values : sequence of {"ppv", "npv"}
            Which to draw.
        """
        from nproc.plotting.predictive import plot_predictive

        refuse_unordered(values, "values")
        wanted = [values] if isinstance(values, str) else values
        if (
            not isinstance(wanted, list | tuple)
            or not wanted
            or any(not isinstance(name, str) or name not in PAIR for name in wanted)
        ):
            raise InvalidInputError(f"values must be of 'ppv' and 'npv', got {values!r}.")
        curves = {name: [self._knots[f"{name}{end}"] for end in ("_lower", "", "_upper")] for name in wanted}
        note = "all $\\alpha$ at once" if self.simultaneous else "one $\\alpha$ fixed beforehand"
        labels = ("class 0", "class 1") if self.band.subject is None else self._classes
        given = {"prevalence": self._shown_prevalence, "delta": self.delta, "note": note, "labels": labels}
        return plot_predictive(self.alpha, curves, **given, ax=ax)

    @property
    def _promise(self):
        if self.simultaneous:
            return (
                "All bounds hold for all alpha, and all prevalences, at once with probability at least "
                f"{1 - self.delta:g}, for one split."
            )
        return (
            "At one alpha fixed beforehand, for one split: both lower bounds hold with probability at least "
            f"{1 - self.delta:g}, both upper bounds too, all four with {max(0.0, 1 - 2 * self.delta):g}."
        )

    @property
    def _classes(self):
        subject = self.band.subject
        return ("0", "1") if subject is None else tuple(str(label) for label in subject.labels)

    @property
    def _shown_prevalence(self):
        low, high = self.prevalence
        return f"{low:g}" if low == high else f"{low:g} to {high:g}"

    def _at_orders(self, orders):
        """Averages over splits of the six curves at ranks, as a dict."""
        totals = np.zeros((len(NAMES), orders.size))
        for scores0, scores1 in zip(self.band.sorted0, self.band.sorted1, strict=True):
            cuts = scores0[orders - 1]
            if self.band.subject is not None:
                # as the classifier counts, see NPROCBand
                cuts = cuts + rounding_guard(scores0, cuts)
            method = self.band.rule.bounds if self.simultaneous else None
            totals += split_values(scores0, scores1, cuts, orders, self.prevalence, self.delta, method)
        return dict(zip(NAMES, totals / self.band.n_splits, strict=True))


def predictive_band(band, prevalence):
    """Return bounds on the predictive values of a band's classifiers at a prevalence.

    Parameters
    ----------
    band : NPROCBand
        The band, with its left-out scores.
    prevalence : float or (float, float)
        P(Y = 1) where the classifier is used: the share of class 1, the class that is not controlled. In (0, 1); a pair
        is an interval in which it lies.

    Returns
    -------
    PredictiveBand

    Raises
    ------
    InvalidInputError
        If `band` is no band, or the prevalence no number in (0, 1) or increasing pair of them.

    See Also
    --------
    NPROCBand.predictive_values : the same as a method.

    Notes
    -----
    What is proved, and how, is in the notes of `PredictiveBand`.

    Examples
    --------
    >>> import numpy as np
    >>> from nproc import NPROCBand, predictive_band
    >>> rng = np.random.default_rng(0)
    >>> band = NPROCBand.from_scores(rng.normal(size=500), rng.normal(2, 1, size=500))
    >>> values = predictive_band(band, 0.1).at(0.05)
    >>> round(values.ppv_lower, 3), round(values.ppv, 3), round(values.ppv_upper, 3)
    (0.531, 0.65, 0.787)
    """
    if not all(hasattr(band, name) for name in ("sorted0", "sorted1", "rule", "subject")):
        raise InvalidInputError(f"band must be an NPROCBand, as nproc returns, got {type(band).__name__}.")
    levels = check_levels(prevalence, "prevalence")
    if levels.shape not in ((), (2,)) or (levels.ndim == 1 and levels[0] > levels[1]):
        raise InvalidInputError(f"prevalence must be one number or an increasing pair of two, got {prevalence!r}.")
    low, high = np.broadcast_to(levels, 2).tolist()
    return PredictiveBand(band, (low, high))
