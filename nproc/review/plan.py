"""How many rows, or which levels, leave few enough rows to a person: a plan from pilot scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from nproc.checks import check_delta, check_level, check_scores, class_names, tells_names
from nproc.orderstat import search_orders, smallest_size
from nproc.rows import one_share_of_class1, two_names
from nproc.score_direction import warn_direction, warn_labels
from nproc.simultaneous import beta_quantile
from nproc.tables import Axes, DataFrame, InNotebook, Summary, level_pairs, summary_table, table_frame

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(48)
_NODES, _WEIGHTS = (_NODES + 1) / 2, _WEIGHTS / 2
# the largest multiple of the pilot that a plan looks at
LARGEST_MULTIPLE = 2.0**14
STEPS = " Each row of the table has 1.41 times the scores of the row above, so up to 29 % fewer may be enough."


@dataclass(frozen=True, repr=False, eq=False)
class ReviewPlan(InNotebook):
    """The share of rows that two cuts leave to a person, as estimated from pilot scores.

    Attributes
    ----------
    max_review : float
        The share that was asked for.
    prevalence : float
        Share of class 1 among the rows to come.
    alpha, beta, delta0, delta1 : float
        Levels, as in `np_review`.
    n0_pilot, n1_pilot : int
        Scores of each class in the pilot.
    n0, n1 : ndarray of int
        Numbers of scores that set the cuts, from the smallest that meet the levels to enough.
    review, review0, review1 : ndarray of float
        Expected share in review at these numbers: of all rows, of class 0 and of class 1.
    review_limit : float
        The share with cuts at the true quantiles: what no number of rows goes below.
    n0_needed, n1_needed : int or None
        The smallest of these numbers at which the share is at most `max_review`; None if there is none.
    alpha_needed, beta_needed : float or None
        Levels, both multiplied by one factor, at which the numbers of the pilot bring the share down to `max_review`;
        None if levels below 1/2 do not.
    labels : tuple of two, or None
        The names of class 0 and class 1.
    """

    max_review: float
    prevalence: float
    alpha: float
    beta: float
    delta0: float
    delta1: float
    n0_pilot: int
    n1_pilot: int
    n0: np.ndarray
    n1: np.ndarray
    review: np.ndarray
    review0: np.ndarray
    review1: np.ndarray
    review_limit: float
    n0_needed: int | None
    n1_needed: int | None
    alpha_needed: float | None
    beta_needed: float | None
    labels: tuple[object, object] | None = None

    def __repr__(self):
        found = "no number of rows is enough"
        if self.n0_needed is not None:
            found = f"n0={self.n0_needed} and n1={self.n1_needed} scores"
        return (
            f"ReviewPlan(max_review={self.max_review:g}, alpha={self.alpha:g}, beta={self.beta:g}: {found};\n"
            f"  the share in review cannot fall below {self.review_limit:.4f} at these levels)"
        )

    def to_frame(self) -> DataFrame:
        """Return a DataFrame with a row a number of scores: n0, n1, review, review0, review1."""
        names = ("n0", "n1", "review", "review0", "review1")
        return table_frame({name: getattr(self, name) for name in names})

    def summary(self) -> Summary:
        """Return the plan as a summary of statsmodels."""
        return self._summary()

    def _summary(self, caveats=()):
        """Return the summary; `caveats` say what the rows of the pilot break."""
        needed = "-" if self.n0_needed is None else f"{self.n0_needed} and {self.n1_needed}"
        levels = "-" if self.alpha_needed is None else f"{self.alpha_needed:.3g} and {self.beta_needed:.3g}"
        named = [] if self.labels is None else list(zip(("Class 0", "Class 1"), self.labels, strict=True))
        pairs = [
            *named,
            ("Review at most", f"{self.max_review:g}"),
            (f"Share of {class_names(self.labels)[1]}", f"{self.prevalence:g}"),
            ("Review, limit", self.review_limit),
            ("Scores needed", needed),
            *level_pairs(self, "alpha", "beta"),
            ("delta0 and delta1", f"{self.delta0:g} and {self.delta1:g}"),
            ("alpha, beta needed", levels),
        ]
        columns = ["Class 0 scores", "Class 1 scores", "Review", "Review 0", "Review 1"]
        rows = list(self.to_frame().itertuples(index=False, name=None))
        notes = [
            "Review: the expected share of all rows that are left to a person. Review 0 and Review 1: the same "
            "share among the rows of each class. Review, limit: no number of scores brings Review below this. "
            "All are estimates from the pilot scores.",
            "Scores needed: numbers of class 0 and class 1 scores at which Review is small enough, in the proportion "
            f"of the pilot.{STEPS if self.n0_needed else ''} alpha, beta needed: levels at which the numbers of the "
            "pilot are enough.",
            *caveats,
            "If you choose levels by this plan, set the cuts on other rows than those of the pilot.",
        ]
        return summary_table("Plan of a rule with review", pairs, columns, rows, notes)

    def plot(self, *, ax: Axes | None = None, figsize: tuple[float, float] | None = None) -> Axes:
        """Draw the expected share in review against the number of class 0 scores; return the Axes.

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
        from nproc.plotting import plot_review_plan

        names = ["class 0", "class 1"]
        if self.labels is not None:
            names = [f"{name} ({label})" for name, label in zip(names, self.labels, strict=True)]
        return plot_review_plan(
            self.n0,
            dict(zip(["all rows", *names], [self.review, self.review0, self.review1], strict=True)),
            n0_pilot=self.n0_pilot,
            max_review=self.max_review,
            limit=self.review_limit,
            needed=self.n0_needed,
            ax=ax,
            figsize=figsize,
        )


@tells_names
def plan_review(
    scores0: ArrayLike,
    scores1: ArrayLike,
    *,
    max_review: float = 0.1,
    prevalence: float | Mapping[Any, float] | None = None,
    alpha: float = 0.05,
    beta: float = 0.05,
    delta0: float = 0.05,
    delta1: float = 0.05,
    labels: Sequence[object] | None = None,
) -> ReviewPlan:
    r"""Plan a rule with review: how many scores, or which levels, leave at most a given share of rows to a person.

    Parameters
    ----------
    scores0, scores1 : array-like of float, shape (n0,) and (n1,)
        Pilot scores of each class, at least 2, finite; larger = more like class 1.
    max_review : float
        Largest expected share in review, in (0, 1).
    prevalence : float or dict, optional
        Share of class 1 among the rows to come, in (0, 1), or a dict with the share of either class by its label, such
        as ``{"malignant": 0.01}``. None is the share of class 1 in the pilot.
    alpha, beta, delta0, delta1 : float
        As in `np_review`.
    labels : sequence of two, optional
        The labels of class 0 and class 1, for `prevalence`, the summary and the picture.

    Returns
    -------
    ReviewPlan

    Raises
    ------
    InvalidInputError
        If an argument is not valid.

    Warns
    -----
    NPWarning
        If there are `labels` other than 0 and 1, -1 and 1, or False and True, and the prevalence is a bare number. If
        `scores0` and `scores1` look like the labels and the scores of the same rows, or the scores of class 1 are
        clearly smaller than those of class 0.

    Notes
    -----
    With n0 and n1 scores the cuts lie at random levels: :math:`F_0(t_0)` has the law Beta(k, n0 + 1 - k), and
    :math:`F_1(t_1)` the mirrored one. The pilot gives the two distribution functions, with straight lines between
    (i - 1/2) / n at the i-th score. The expected share is an integral over both laws, which are independent. This is an
    estimate, which nothing bounds: beyond the pilot's own scores its tails are not known. Numbers of scores are
    multiples of the pilot by powers of the square root of 2, so up to 29 % fewer than the number found may be enough.
    The factor of the levels is right within 1.1 %.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> plan = plan_review(rng.normal(size=300), rng.normal(2.9, 1, size=300), max_review=0.1)
    >>> plan
    ReviewPlan(max_review=0.1, alpha=0.05, beta=0.05: n0=425 and n1=425 scores;
      the share in review cannot fall below 0.0354 at these levels)
    """
    scores0, scores1 = check_scores(scores0, "scores0"), check_scores(scores1, "scores1")
    max_review = check_level(max_review, "max_review")
    alpha, beta = check_level(alpha, "alpha"), check_level(beta, "beta")
    delta0, delta1 = check_delta(delta0, "delta0"), check_delta(delta1, "delta1")
    warn_labels(scores0, scores1, "plan_review")
    warn_direction(scores0, scores1, "in the pilot", "")
    labels = two_names(labels)
    weight1 = scores1.size / (scores0.size + scores1.size)
    if prevalence is not None:
        weight1 = one_share_of_class1(prevalence, labels)
    pilot = _Pilot(np.sort(scores0), np.sort(scores1), weight1)

    def shares(n0, n1, alpha=alpha, beta=beta):
        order0 = int(search_orders(n0, np.array([alpha]), delta0)[0])
        order1 = int(search_orders(n1, np.array([beta]), delta1)[0])
        return None if order0 > n0 or order1 > n1 else pilot.shares(order0, n0, order1, n1)

    known, limit = (scores0.size, scores1.size), pilot.limit(alpha, beta)
    least = max(smallest_size(alpha, delta0) / known[0], smallest_size(beta, delta1) / known[1])
    first = np.ceil(2 * np.log2(least))
    steps = np.arange(first, max(first, 2 * np.log2(LARGEST_MULTIPLE)) + 1)
    tried = []
    for factor in 2 ** (steps / 2):
        sizes = tuple(int(np.ceil(n * factor)) for n in known)
        found = shares(*sizes)
        if found is None:
            continue
        tried.append((*sizes, *found))
        if found[0] <= max_review or (factor >= 1 and limit > max_review and found[0] < 1.05 * limit):
            break
    columns = [np.array(column) for column in zip(*tried, strict=True)]
    enough = columns[2][-1] <= max_review
    factor = _factor(lambda f: shares(*known, f * alpha, f * beta), max_review, 0.5 / max(alpha, beta))
    return ReviewPlan(
        max_review=max_review,
        prevalence=weight1,
        alpha=alpha,
        beta=beta,
        delta0=delta0,
        delta1=delta1,
        n0_pilot=known[0],
        n1_pilot=known[1],
        n0=columns[0],
        n1=columns[1],
        review=columns[2],
        review0=columns[3],
        review1=columns[4],
        review_limit=limit,
        n0_needed=int(columns[0][-1]) if enough else None,
        n1_needed=int(columns[1][-1]) if enough else None,
        alpha_needed=None if factor is None else factor * alpha,
        beta_needed=None if factor is None else factor * beta,
        labels=labels,
    )


def _factor(shares, most, largest):
    """Return about the smallest factor of both levels at which the share is at most `most`; None if there is none."""
    for factor in np.geomspace(1 / 64, 1, 400) * largest:
        found = shares(factor)
        if found is not None and found[0] <= most:
            return float(factor)
    return None


class _Pilot:
    """Two distribution functions, straight between the pilot's sorted scores."""

    def __init__(self, sorted0, sorted1, weight1):
        self._sorted = sorted0, sorted1
        self._levels = tuple((np.arange(s.size) + 0.5) / s.size for s in self._sorted)
        self._weights = 1 - weight1, weight1

    def _level(self, label, cuts):
        known = self._sorted[label]
        return np.interp(cuts, known, self._levels[label], left=0.0, right=1.0)

    def _quantile(self, label, levels):
        return np.interp(levels, self._levels[label], self._sorted[label])

    def _between(self, level0, level1):
        """Return the shares between cuts at levels of class 0 and class 1: of all rows and of each class."""
        cut1, cut0 = self._quantile(0, level0), self._quantile(1, level1)
        of0 = np.maximum(0.0, level0 - self._level(0, cut0))
        of1 = np.maximum(0.0, self._level(1, cut1) - level1)
        of0, of1 = np.where(cut0 <= cut1, of0, 0.0), np.where(cut0 <= cut1, of1, 0.0)
        return self._weights[0] * of0 + self._weights[1] * of1, of0, of1

    def shares(self, order0, n0, order1, n1):
        level0 = beta_quantile(order0, n0 + 1 - order0, _NODES)[:, np.newaxis]
        level1 = 1 - beta_quantile(order1, n1 + 1 - order1, _NODES)[np.newaxis, :]
        return tuple(float(_WEIGHTS @ part @ _WEIGHTS) for part in self._between(level0, level1))

    def limit(self, alpha, beta):
        return float(self._between(np.array(1 - alpha), np.array(beta))[0])
