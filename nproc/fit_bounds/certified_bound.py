"""The certificate of a classifier: a bound on its type I error, and what it takes to hold."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nproc.orderstat import round_up
from nproc.ranks import meets_level
from nproc.reprs import InNotebook
from nproc.tables import summary_table, table_frame

FRESH = (
    "The rows must be independent class 0 rows that took no part in making this classifier or in choosing it among "
    "others: not in training, thresholds, parameters or splits. Fits keep no rows, so that this cannot be checked. "
    "Their number is fixed beforehand: looking again as rows come in is not covered."
)
ALL_GROUPS = (
    "The error is that of all groups together, in the proportions of these rows. For a bound in each group give its "
    "rows alone, with the number of groups as n_candidates."
)


@dataclass(frozen=True, repr=False, eq=False)
class CertifiedBound(InNotebook):
    """An upper bound on the type I error of one classifier; made by `certify` and `NPFit.certify`.

    Attributes
    ----------
    n0 : int
        Fresh class 0 rows.
    n_called1 : int
        Those that the classifier does not call class 0.
    type1_upper : float
        Bound on the type I error that fails with probability at most `delta` / `n_candidates`.
    delta : float
        Chance that this bound, or that of any of the candidates, fails.
    alpha : float or None
        The level to compare with, fixed beforehand.
    n_candidates : int
        Classifiers, fixed beforehand, that are certified on these rows.
    class0 : label
        The prioritised label.
    method : str
        Name of the classifier.
    note : str
        What else a reader should know.
    """

    n0: int
    n_called1: int
    type1_upper: float
    delta: float
    alpha: float | None
    n_candidates: int
    class0: object
    method: str
    note: str = ""

    @property
    def type1(self):
        """Share of the fresh rows that are called class 1: an estimate of the type I error."""
        return self.n_called1 / self.n0

    @property
    def certified(self):
        """Whether the bound is at most alpha; None without an alpha."""
        if self.alpha is None:
            return None
        return certifies(self.n0, self.n_called1, self.alpha, self.delta / self.n_candidates)

    @property
    def _of_whom(self):
        return " (all groups together)" * (self.note == ALL_GROUPS)

    @property
    def _upper(self):
        return round_up(self.type1_upper, 4)

    def __repr__(self):
        verdict = "" if self.alpha is None else f", certified={self.certified} for alpha={self.alpha:g}"
        return (
            f"CertifiedBound({self.method}: {self.n_called1} of {self.n0} fresh rows of class {self.class0!s} called "
            f"otherwise,\n  type I error{self._of_whom} <= {self._upper} with probability {1 - self.delta:g}{verdict})"
        )

    def to_frame(self):
        """Return a DataFrame of one row with all numbers; alpha and certified are missing where there is none."""
        names = ("method", "class0", "n0", "n_called1", "type1", "type1_upper", "delta", "n_candidates", "alpha")
        return table_frame({name: [getattr(self, name)] for name in (*names, "certified")})

    def summary(self):
        """Return a table of the counts and the bound, and what it takes for it to hold, as a summary of statsmodels."""
        pairs = [
            ("Classifier", self.method),
            ("Class 0 (controlled)", str(self.class0)),
            ("Fresh class 0 rows", self.n0),
            ("Called class 1", self.n_called1),
            ("Share", self.type1),
            ("Type I upper", self._upper),
            ("delta", f"{self.delta:g}"),
            ("Classifiers certified", self.n_candidates),
            ("alpha", "-" if self.alpha is None else f"{self.alpha:g}"),
            ("Certified" + self._of_whom, "-" if self.alpha is None else self.certified),
        ]
        holds = f"The type I error of this classifier is at most {self._upper}; over draws of the fresh rows "
        holds += "such a bound (Clopper-Pearson, one-sided) fails with probability at most "
        shared = f" / {self.n_candidates}, since {self.n_candidates} classifiers share the rows"
        notes = [holds + f"{self.delta:g}{shared * (self.n_candidates > 1)}.", FRESH]
        if self.n_candidates == 1:
            notes.append(
                "This is for one classifier. For K classifiers, all fixed beforehand, on the same rows give "
                "n_candidates=K; the best of them is then certified as well."
            )
        if self.note:
            notes.append(self.note)
        return summary_table("Certified type I error", pairs, notes=notes)


def certifies(n, n_called1, alpha, delta):
    """Whether the bound is at most alpha, with equalities settled as those of `np_order` are."""
    # P(Bin(n, alpha) <= count) is the violation rate of rank n - count
    return n_called1 < n and bool(meets_level(np.float64(n - n_called1), n, alpha, delta))


__all__ = ["CertifiedBound"]
