"""A bound on the type I error of any classifier, from class 0 rows that it has never seen."""

from __future__ import annotations

from collections.abc import Mapping, Set
from contextlib import nullcontext
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from nproc.checks import (
    as_array,
    check_count,
    check_delta,
    check_flag,
    check_level,
    check_one_label,
    check_scores,
    class_names,
    level_text,
    shown,
    shown_label,
    tells_names,
)
from nproc.errors import InvalidInputError, NPWarning, calling_it, warn_at_call
from nproc.fits.evaluation import SEE_CHECKS
from nproc.model_choice import fit_inside, model_with_class0, stated_class0
from nproc.monitoring import CLUSTERS_UNKNOWN, default_prior, draw_of_each, rate_bounds, read_clusters
from nproc.orderstat import clopper_pearson, meets_level, round_up, type2_bounds
from nproc.rows import (
    NO_LABELS,
    Design,
    Table,
    as_column,
    as_table,
    check_returned_rows,
    check_same_rows,
    column_of,
    distinct_labels,
    is_frame,
    label_array,
    listed,
    n_rows,
    no_class0_beside,
    notes_on_class0_rows,
    notes_on_labels_beside,
    plain_frame,
    refuse_labels_beside,
    refuse_other_spellings,
    take_rows,
)
from nproc.tables import DataFrame, InNotebook, Summary, at_least, at_most, summary_table, table_frame

FRESH = (
    "must be independent class 0 rows from the distribution of the future class 0 rows. They must not have been used "
    "to train this classifier, to set its threshold or its parameters, or to choose it."
)
NOTICED = (
    "Rows of the fit are noticed only if their values are unchanged and they are at least a fifth of these rows. Fewer "
    "are not noticed, and can make the bound too low."
)
# in a report that has the rows of the fit
COUNTED = (
    "All new rows that equal a row of the fit in all predictors were counted. Rows of the fit with changed values were "
    "not counted, and can make the bound too low."
)
ONE_LOOK = "The number of fresh rows must be fixed beforehand: the bound does not cover repeated looks as rows come in."
ANYTIME = (
    "(anytime=True). You may look as often as you like as rows come in, each time at all rows since the first: all "
    "these bounds hold at once."
)
LIKELY_OWN = (
    "Many of these rows equal rows of the fit, or have exactly the scores of rows that set the threshold. Unless "
    "copies were dropped before the fit, they are likely to be the same rows. If they are, no bound holds, and what "
    "follows does not apply."
)
UNCHECKED = (
    "It could not be checked whether the classifier has seen these rows. If it has, no bound holds, and what follows "
    "does not apply. Only fits of this package recognise their rows, and only if enough are given that differ from "
    "each other. A fit of a model that was trained beforehand recognises the rows that set its threshold, but not "
    "those that trained the model."
)
# other scores may still be those of rows that trained, or some of those that set the threshold
SET_THE_RULE = "These are the very scores that set the threshold of the rule, and the bound holds for fresh rows only."
UNCHECKED_OF_RULE = (
    "These are not exactly the scores that set the threshold of the rule. They may still be some of them, or of rows "
    "that trained the score. If so, no bound holds, and what follows does not apply."
)
ALL_GROUPS = (
    "This is the type I error over all groups, with the groups mixed as in these rows. For a bound in each group, "
    "certify the rows of one group at a time, and give the number of groups as n_candidates."
)

ONE_ROW_EACH = (
    "One row was drawn of each cluster. The error is that of a row drawn at random from a new cluster, and "
    "the clusters, not the rows, must be independent. If you draw several times from the same clusters, fix the "
    "number of draws beforehand, and give it as n_candidates."
)

NO_BOUND = "no bound holds, so nothing is certified"


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
        Bound on the probability that this bound, or the bound of any of the candidates, does not hold.
    alpha : float or None
        The level to compare with, fixed beforehand.
    n_candidates : int
        Classifiers, fixed beforehand, that are certified on these rows.
    class0 : label
        The user's label of class 0.
    method : str
        Name of the classifier.
    note : str
        What else a reader should know.
    anytime : bool
        Whether the bound holds at all times at once, however often one looks as rows come in.
    class1 : label or None
        The other label, where it is the only one.
    own_rows : bool or None
        Whether many of the rows equal rows of the fit or score exactly as they do, so that they are likely to be the
        same rows. Nothing is then certified. None if this could not be checked: for a classifier that is no fit of
        this package, for new rows of a fit with ``prefit=True``, for too few rows, or where most rows of the fit equal
        another one. A rule knows only whether these are exactly the scores that it was made from.
    dependent : str
        In a few words which rows depend on each other, as columns of their table say, or that the classifier was made
        with clusters and those of the rows are not known; "" otherwise. With such rows nothing is certified.
    guaranteed_delta : float or None
        Bound on the probability that the type I error of this classifier is above alpha, where its fit or its rule
        guarantees one.
    is_rule : bool
        Whether the classifier is a rule on a score, and not a fit.
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
    anytime: bool = False
    class1: object = None
    own_rows: bool | None = None
    dependent: str = ""
    guaranteed_delta: float | None = None
    is_rule: bool = False

    @property
    def type1(self) -> float:
        """Share of the fresh rows that are called class 1: an estimate of the type I error."""
        return self.n_called1 / self.n0

    @property
    def certified(self) -> bool | None:
        """Whether the bound is at most alpha; None without an alpha, and False for `own_rows` or `dependent` ones."""
        if self.alpha is None:
            return None
        if self._no_bound_holds:
            return False
        if self.anytime:
            return bool(self.type1_upper <= self.alpha)
        return certifies(self.n0, self.n_called1, self.alpha, self.delta / self.n_candidates)

    @property
    def n0_needed(self) -> int | None:
        """The fewest fresh rows that certify alpha, if none of them is called another class; None without an alpha."""
        if self.alpha is None:
            return None
        if not self.anytime:
            return certification_size(self.alpha, self.delta, n_candidates=self.n_candidates)
        delta, prior = self.delta / self.n_candidates, default_prior(self.alpha)
        return _smallest(0, lambda n: rate_bounds(0, n, delta, prior)[1] <= self.alpha)

    def _above_told(self, see):
        if self.guaranteed_delta is None:
            return ""
        # the type I error is above alpha, or the bound fails
        chance = at_most(min(self.guaranteed_delta + self.delta / self.n_candidates, 1.0))
        where, since = "class 0 is that of the fit", "since the fit"
        if self.is_rule:
            where, since = "all that the rule requires holds", "since the rule was made"
        mixed = "Are rows of another class among these (then give their labels)? " * (NO_LABELS in self.note)
        return (
            f" Where {where}, this happens with probability at most {chance}. {mixed}Are the labels swapped, or has "
            f"class 0 changed {since}? {see}".rstrip()
        )

    def _stands(self, check, see):
        """Return that a "no" does not speak against a guarantee that the classifier has; "" if it has none."""
        if self.guaranteed_delta is None:
            return ""
        speaks = "does not speak" if check is None or not check.against else "by itself does not speak"
        if self.is_rule:
            rests = "which rests on the rows that set its threshold"
            return f" Where all that the rule requires holds, this {speaks} against its guarantee, {rests}."
        return f" This {speaks} against the guarantee of the fit, which rests on its left-out rows. {see}".rstrip()

    @property
    def _of_whom(self):
        return " (all groups together)" * self.note.startswith(ALL_GROUPS)

    @property
    def _called_another(self):
        name = class_names((self.class0, self.class0))[0]
        if name == str(self.class0) or name == "label 0":
            return f"rows of class {self.class0!s} called another class"
        # in this package "class 1" is the other class
        return f"rows of {name} (class 0) called another label"

    @property
    def _no_bound_holds(self):
        """Whether no bound holds: the rows are no fresh ones, or not independent."""
        return bool(self.own_rows or self.dependent)

    @property
    def _upper(self):
        return round_up(self.type1_upper, 4)

    @property
    def _lower(self):
        """A lower bound on the type I error that fails as seldom as the upper one, 0 where none is known."""
        # the two-sided interval at this level has a one-sided bound at each end
        level = 1 - 2 * self.delta / self.n_candidates
        if self._no_bound_holds or self.anytime or level <= 0:
            return 0.0
        return clopper_pearson(self.n_called1, self.n0, level=level).lower

    def __repr__(self):
        verdict = "" if self.alpha is None else f", certified={self.certified} for alpha={level_text(self.alpha)}"
        if self._no_bound_holds:
            unknown = self.dependent == CLUSTERS_UNKNOWN
            doubt = (
                "because the clusters of the rows are not known"
                if unknown
                else "because some of them depend on each other"
            )
            if self.own_rows:
                seem = "if they are rows of the fit, as they seem to be"
                doubt = "because they set the threshold of the rule" if self.is_rule else seem
            return (
                f"CertifiedBound({self.method}: {self.n_called1} of {self.n0} {self._called_another},\n"
                f"  no bound holds {doubt}{verdict})"
            )
        fresh, condition = " fresh", ""
        if self.own_rows is None:
            fresh, condition = "", ",\n  if the classifier has not seen these rows, which could not be checked"
        return (
            f"CertifiedBound({self.method}: {self.n_called1} of {self.n0}{fresh} {self._called_another},\n"
            f"  type I error{self._of_whom} <= {self._upper} with probability at least "
            f"{at_least(1 - self.delta)}{condition}{verdict})"
        )

    def to_frame(self) -> DataFrame:
        """Return a DataFrame of one row with all numbers; alpha and certified are missing where there is none.

        Where `own_rows` is True or `dependent` is not empty, no bound holds, and `type1_upper` is none.
        """
        names = ("method", "class0", "n0", "n_called1", "type1", "type1_upper", "delta", "n_candidates", "anytime")
        more = ("alpha", "certified", "own_rows", "dependent")
        return table_frame({name: [getattr(self, name)] for name in (*names, *more)})

    def summary(self) -> Summary:
        """Return a table of the counts and the bound, and what it takes for it to hold, as a summary of statsmodels."""
        return self._summary()

    def _summary(self, *, in_report=False, check=None, counted=False):
        """Return the summary; who reads it `in_report` need not have this package, and finds no calls there.

        `check` is the check by the same rows, in the report, of the guarantee of the fit, None if it has none.
        `counted` is whether the report gives the number of these rows that equal a row of the fit.
        """
        others = "another class" if self.class1 is None else class_names((self.class0, self.class1))[1]
        needed = self.n0_needed
        verdict = "-" if needed is None else self.certified if needed <= self.n0 else "no, too few rows"
        if needed is not None and self.own_rows:
            verdict = "no, rows of the rule" if self.is_rule else "no, rows of the fit"
        elif needed is not None and self.dependent:
            verdict = "no, clusters not known" if self.dependent == CLUSTERS_UNKNOWN else "no, dependent rows"
        pairs = [
            ("Classifier", self.method),
            ("Class 0 (controlled)", str(self.class0)),
            ("Fresh class 0 rows" if self.own_rows is False else "Class 0 rows", self.n0),
            (f"Called {others}", self.n_called1),
            ("Share", self.type1),
            ("Type I upper", "-" if self._no_bound_holds else self._upper),
            ("delta", f"{self.delta:g}"),
            ("Classifiers certified", self.n_candidates),
            ("alpha", "-" if self.alpha is None else level_text(self.alpha)),
            ("Certified" + self._of_whom, verdict),
        ]
        level = 1 - self.delta / self.n_candidates
        # rows of one cluster need not be
        drawn = " drawn" * (ONE_ROW_EACH in self.note)
        # what could not be checked was not noticed either
        seen = COUNTED if counted else NOTICED * (self.own_rows is not None)
        fresh = f"The rows{drawn} {FRESH} {seen}".rstrip()
        unchecked = UNCHECKED_OF_RULE if self.is_rule else UNCHECKED
        likely_own = f"{SET_THE_RULE} What follows does not apply." if self.is_rule else LIKELY_OWN
        notes = [
            f"{likely_own} " * (self.own_rows is True)
            + f"{unchecked} " * (self.own_rows is None)
            + f"Nothing is certified, because {self.dependent}. What follows would hold for independent rows. "
            * bool(self.dependent)
            + f"With probability at least {at_least(level)} over the draw of the fresh rows, the type I error of this "
            "classifier is at most the bound computed from them"
            + ("" if self._no_bound_holds else f", here {self._upper}")
            + (f" {ANYTIME}" if self.anytime else " (Clopper-Pearson, one-sided)."),
            fresh if self.anytime else f"{fresh} {ONE_LOOK}" + " For these give anytime=True." * (not in_report),
        ]
        if self.note:
            notes[0] += f" {self.note}"
        # the checks are those of a fit
        see = "" if in_report or self.is_rule else SEE_CHECKS
        see = see if check is None else f"See the check '{check.name}'."
        is_above = self._lower > (1.0 if self.alpha is None else self.alpha)
        stands = "" if is_above else self._stands(check, see)
        if needed is not None and needed > self.n0:
            notes.insert(
                0,
                f"With {self.n0} fresh class 0 rows no classifier can be certified for alpha = "
                f"{level_text(self.alpha)}, however "
                f"good it is: at least {needed} are needed, and more if some of them are called {others}.{stands}",
            )
        if is_above:
            # the strongest finding stands first
            notes.insert(
                0,
                f"With probability at least {at_least(level)} the type I error is at least {at_least(self._lower, 4)}, "
                f"which is above alpha.{self._above_told(see)}",
            )
        if verdict is False and not is_above:
            proved = f"that the type I error is at most {level_text(self.alpha)}"
            notes.insert(0, f"Certified: no. These rows alone do not prove {proved}.{stands}")
        if in_report:
            notes.append("This is for one classifier, which was not chosen by these rows.")
        elif self.n_candidates == 1:
            notes.append(
                "This is for one classifier. If K classifiers, all fixed beforehand, are certified on the same "
                "rows, give n_candidates=K. The bounds of all K then hold at once, so the best of them may be used "
                "with its bound."
            )
        else:
            notes.append(
                f"{self.n_candidates} classifiers are certified on the same rows, each at delta / {self.n_candidates}. "
                f"The bounds of all of them hold at once with probability at least {at_least(1 - self.delta)}."
            )
        return summary_table("Certified type I error", pairs, notes=notes)


def certifies(n, n_called1, alpha, delta):
    """Whether the bound is at most alpha, with equalities settled as those of `np_order` are."""
    # P(Bin(n, alpha) <= count) is the violation rate of rank n - count
    return n_called1 < n and bool(meets_level(np.float64(n - n_called1), n, alpha, delta))


@tells_names
def certify(
    classifier: object,
    X0: Table,
    y: ArrayLike | None = None,
    *,
    class0: object = None,
    delta: float = 0.05,
    alpha: float | None = None,
    n_candidates: int = 1,
    anytime: bool = False,
    clusters: ArrayLike | None = None,
) -> CertifiedBound:
    r"""Bound the type I error of any classifier, however it was made, by fresh class 0 rows.

    Whatever the classifier is (a vote, an average, a rule without any proof of its own), given the classifier the
    number of fresh class 0 rows that it calls class 1 is binomial with its type I error as probability.

    Parameters
    ----------
    classifier : object with ``predict``, or function
        A fitted classifier, or a function of X that returns one label a row.
    X0 : DataFrame, array-like or sparse matrix, n rows
        Class 0 rows that were used neither to make nor to choose the classifier; passed on as they are.
    y : array-like, shape (n,), optional
        Labels, where `X0` holds rows of other classes too: only those of class 0 count. For a fit by formula None takes
        the label column of `X0`, if it has one.
    class0 : label, optional
        The label of class 0; every other prediction is an error. None takes that of the classifier, of the last step of
        a pipeline or of the best estimator of a search, if it has one.
    delta : float
        Bound on the probability, in (0, 0.5], that the type I error is above the bound.
    alpha : float, optional
        A level fixed beforehand, to compare the bound with.
    n_candidates : int
        How many classifiers, all fixed beforehand, are certified on these rows, each of them once. Each bound is taken
        at delta / n_candidates, so that all hold at once, and with them that of the best.
    anytime : bool
        True gives a slightly larger bound, which holds however often you look as rows come in. Each time give all rows
        since the first. With False there must be one look, at a number of rows that was fixed beforehand.
    clusters : array-like, shape (n,), or str, optional
        The cluster of each row, such as its patient, or the name of a column of `X0`. None takes the column that had
        the clusters of the fit, if `X0` has it. One class 0 row of each cluster is drawn at random and counted, and the
        bound is for a row drawn at random from a new cluster. The clusters must be independent, and their rows need not
        be. The draw depends on the seed of a fit or rule that was made with clusters, and is otherwise that of the seed
        0. With ``anytime=True`` a cluster must be complete when it first comes.

    Returns
    -------
    CertifiedBound

    Raises
    ------
    InvalidInputError
        If class 0 is not named or unknown to the classifier, a label is missing or is no class of the classifier, a
        label differs from class 0 only in capital letters or in spaces, there is no class 0 row, or there is not one
        prediction a row, or the prediction of a row depends on the rows beside it. If `y` is missing and a function
        gives several labels, none of which is `class0`, or a column of `X0` that the classifier does not read has the
        labels of several classes. It is a warning where these are numbers or truth values.

    Warns
    -----
    NPWarning
        If not a single row is predicted as class 0: `class0` may not be spelt as the predictions are. If the classifier
        or rule was made with clusters, and those of the rows are not known: nothing is then certified. If each row is a
        cluster of its own, give each another name as `clusters`. If at least a fifth of the rows equal rows
        of a fit of this package, or score exactly as rows that set its threshold: they are likely to be the same rows.
        Fewer are not noticed. A rule on a score recognises only exactly the scores that it was made from.

    See Also
    --------
    certification_size : how many rows it takes.
    npc : a bound with no fresh rows at all, for one split.

    Notes
    -----
    Let R be the type I error of the classifier and C the count among n rows, Bin(n, R) given the classifier. The
    bound u(C) is the :math:`r` with :math:`P(\mathrm{Bin}(n, r) \le C) = \delta`: Beta(C + 1, n - C)'s quantile at
    1 - delta, and 1 for C = n. As u increases in C, u(C) < R happens exactly for C below some c with
    :math:`P(\mathrm{Bin}(n, R) < c) \le \delta` [clopper1934]_. This holds for every R, so conditionally on the
    classifier: it speaks of the one at hand, unlike the promise of `npc`, which speaks of all data sets. It is at most
    alpha exactly if C is at most n minus ``np_order(n, alpha, delta)``. A classifier whose ties are random draws new
    numbers for each row, and its type I error is over these too.

    The number n of rows is fixed before they are seen. The bound does not hold for somebody who looks again as rows
    come in and stops when it is low enough, whatever `n_candidates` is. With a type I error of 0.1, delta = 0.05 and a
    look after each of 1,000 rows, at least one of the bounds is false with probability 0.27; at delta / 3 each, 0.12.

    ``anytime=True`` takes the upper bound of `nproc.monitoring.rate_bounds`, with the prior of `alpha`, or of 0.05 if
    there is none. It holds for all numbers of rows at once, by Ville's inequality. With 30 errors in 1,000 rows and
    delta = 0.05 it is 0.0487, and the bound for one look 0.0405.

    References
    ----------
    .. [clopper1934] Clopper, C. J. and Pearson, E. S. (1934). The use of confidence or fiducial limits illustrated in
       the case of the binomial. Biometrika 26(4), 404-413.

    Examples
    --------
    >>> import numpy as np
    >>> fresh = np.random.default_rng(0).normal(size=(200, 1))
    >>> bound = certify(lambda X: np.where(X[:, 0] > 2, "ill", "well"), fresh, class0="well", alpha=0.05)
    >>> bound.n_called1, round(bound.type1_upper, 4), bound.certified
    (1, 0.0235, True)
    """
    # an estimator holds its fit
    fitted = getattr(classifier, "fit_", classifier)
    refuse_no_rows(X0)
    named = clusters
    clusters = _clusters_of(fitted, X0, clusters)
    check_same_rows(X0=X0, y=y, clusters=clusters)
    class0 = _class0_of(classifier, class0)
    predicted = _predictions(classifier, X0)
    found, labels_known = sorted({*predicted.tolist()}, key=str), _labels_of(classifier) is not None
    notes = [ALL_GROUPS] if hasattr(fitted, "group_values") else []
    names = None if clusters is None else np.array(read_clusters(clusters, predicted.size, "rows of X0"), dtype=object)
    design = getattr(fitted, "design", None)
    beside = design.labels_beside(X0) if y is None and isinstance(design, Design) else None
    if y is None and beside is None:
        _refuse_labels_beside(classifier, X0, class0, named)
    y = y if beside is None else beside
    if not hasattr(fitted, "thresholds"):
        # the scores of a fit were looked at by the fit
        _refuse_batch_labels(classifier, X0, predicted)
    rows0 = np.arange(predicted.size)
    if y is not None:
        truth = label_array(as_column(y, "y"))
        # labels of several types, as 0 and "0", are refused there
        given = distinct_labels(truth)[0].tolist()
        _refuse_unknown_labels(given, classifier, class0)
        others = [label for label in given if label != class0]
        if len(others) > 1 and not labels_known:
            notes.append(f"The labels {listed(others)} of y are taken for other classes, and their rows do not count.")
        if truth.shape != predicted.shape:
            raise InvalidInputError(f"y must have one label a row ({predicted.size}), got shape {truth.shape}.")
        rows0 = np.flatnonzero(truth == class0)
        predicted = predicted[rows0]
        names = None if names is None else names[rows0]
        if beside is not None and predicted.size == 0:
            raise no_class0_beside(beside, class0, "X0")
        if predicted.size == 0:
            raise InvalidInputError(
                f"y has no label {shown(class0)}, which is class0: its labels are {listed(others)}. certify needs rows "
                "of class 0."
            )
    own_rows = None
    inside, rows = fit_inside(classifier, X0)
    # a fit of two classes keeps its class 0 rows alone, one of several classes all rows
    if inside is not None and getattr(inside, "class0", class0) == class0:
        own_rows = inside._warn_of_own_rows(rows, rows0)
        # steps in front of it may have been trained on other rows
        own_rows = own_rows if rows is X0 else own_rows or None
    elif hasattr(fitted, "was_set_by") and getattr(fitted, "class0", class0) == class0:
        own_rows = fitted.was_set_by(check_scores(X0, "X0")[rows0]) or None
        if own_rows:
            warn_at_call(SET_THE_RULE, NPWarning)
    # a fit, or a rule on scores
    of_clusters, dependent = hasattr(fitted, "n_clusters0") or getattr(fitted, "clustered", False) is True, ""
    if names is not None:
        counted = one_row_each(names, getattr(fitted, "seed", 0) if of_clusters else 0)
        notes += [ONE_ROW_EACH] if counted.size < predicted.size else []
        notes += fitted._told_of_clusters(names.tolist(), clusters) if hasattr(fitted, "_told_of_clusters") else []
        predicted = predicted[counted]
    elif of_clusters:
        warn_no_clusters(predicted.size)
        dependent = CLUSTERS_UNKNOWN
    n_called1 = int(np.sum(predicted != class0))
    if n_called1 == predicted.size:
        # the class of a fit, or of the labels, has no typing error
        _tell_no_class0(found, classifier, class0, predicted.size, known=labels_known or y is not None)
    method = getattr(classifier, "method", None)
    method = method if isinstance(method, str) else _name_of(classifier)
    levels = {"delta": delta, "alpha": alpha, "n_candidates": n_candidates, "anytime": anytime, "own_rows": own_rows}
    levels |= {"dependent": dependent}
    levels |= _guarantee_of(fitted, class0, None if alpha is None else check_level(alpha, "alpha"))
    notes += notes_on_class0_rows(n_rows(X0), class0) if y is None else []
    notes += [] if beside is None else notes_on_labels_beside(beside, class0)
    return bound_of_count(n_called1, int(predicted.size), **levels, class0=class0, method=method, note=" ".join(notes))


def _refuse_labels_beside(classifier, X0, class0, clusters):
    """Refuse or warn of rows without labels that have these in a column that the classifier does not say it reads."""
    fitted, labels = getattr(classifier, "fit_", classifier), _labels_of(classifier)
    design = getattr(fitted, "design", None)
    used = getattr(classifier, "feature_names_in_", None)
    used = design.required_columns if isinstance(design, Design) else used
    if used is None or labels is None:
        return
    beside = (getattr(fitted, "group_column", None), getattr(fitted, "cluster_column", None), clusters)
    refuse_labels_beside(X0, np.asarray(labels).tolist(), class0, used, "X0", beside=beside)


def _guarantee_of(fitted, class0, alpha):
    """Return what a `CertifiedBound` has of the guarantee of a fit or rule, if it is for this class 0 and level."""
    # only a rule on a score is asked whether scores set it
    is_rule, own = hasattr(fitted, "was_set_by"), getattr(fitted, "alpha", 1.0)
    guaranteed = not fitted.dependent if is_rule else getattr(fitted, "guaranteed", False) is True
    if not guaranteed or getattr(fitted, "class0", None) != class0 or alpha is None or own > alpha:
        return {"is_rule": is_rule}
    return {"guaranteed_delta": fitted.delta, "is_rule": is_rule}


def _clusters_of(fitted, X0, clusters):
    """Return the cluster of each row: as given, or that of a named column or of the column of the fit; else None."""
    column, table = getattr(fitted, "cluster_column", None), plain_frame(X0)
    if clusters is None and column is not None and is_frame(table) and column in table.columns:
        return column_of(table, column, "clusters", "X0")
    return column_of(table, clusters, "clusters", "X0") if isinstance(clusters, str) else clusters


def one_row_each(names, seed):
    """Return the positions, in ascending order, of one row of each cluster, drawn at random by a seed."""
    return np.sort(list(draw_of_each(names, seed).values()))


def warn_no_clusters(n, lost=NO_BOUND, name="clusters"):
    """Warn that `n` rows count as independent, although the classifier was made with clusters.

    `lost` is what does not hold if they are not, and `name` the argument that is missing.
    """
    fact = (
        f"{name} is missing, so each of the {n} rows is treated as its own cluster. If rows belong to the same "
        f"cluster, {lost}."
    )
    # numbers alone might be names of clusters of the fit
    own = f'{name}=[f"new {{i}}" for i in range({n})]'
    way_out = f"Give the cluster of every row. If each row is a cluster of its own, give {own}."
    warn_at_call(NPWarning(fact, fault="no clusters", way_out=way_out), NPWarning)


def bound_of_count(n_called1, n0, *, delta, alpha, n_candidates, anytime=False, **described):
    """Return the `CertifiedBound` for a count of fresh rows called class 1; the levels are checked here.

    `described` is what else a `CertifiedBound` holds: class0, method and more.
    """
    delta = check_delta(delta)
    alpha = None if alpha is None else check_level(alpha, "alpha")
    n_candidates = check_count(n_candidates, "n_candidates")
    if check_flag(anytime, "anytime"):
        upper = rate_bounds(n_called1, n0, delta / n_candidates, default_prior(0.05 if alpha is None else alpha))[1]
    else:
        upper = type2_bounds(n_called1, n0, delta / n_candidates).upper
    return CertifiedBound(n0, n_called1, upper, delta, alpha, n_candidates, anytime=anytime, **described)


@tells_names
def certification_size(alpha: float = 0.05, delta: float = 0.05, *, n_errors: int = 0, n_candidates: int = 1) -> int:
    r"""Plan `certify`: the smallest number of fresh class 0 rows that certify alpha with some errors among them.

    It is the smallest n with :math:`P(\mathrm{Bin}(n, \alpha) \le r) \le \delta`, for r errors.

    Parameters
    ----------
    alpha : float
        The level to certify, in (0, 1).
    delta : float
        Bound on the probability, in (0, 0.5], that the type I error is above the bound.
    n_errors : int
        Errors allowed among the rows, at least 0. With a type I error R expect about n R.
    n_candidates : int
        How many classifiers, all fixed beforehand, share the rows, as in `certify`.

    Returns
    -------
    int
        Smallest n; any larger one serves as well.

    Raises
    ------
    InvalidInputError
        If an argument is out of its range.

    See Also
    --------
    certify : the bound.
    min_class0_size : the same number for no error, the least to set a threshold.

    Notes
    -----
    With n rows, `n_errors` errors certify alpha exactly if n - `n_errors` is at least ``np_order(n, alpha, delta)``.
    The chance of that falls in n, so that a bisection finds the smallest n.

    Examples
    --------
    >>> certification_size(0.05, 0.05), certification_size(0.05, 0.05, n_errors=5)
    (59, 208)
    """
    alpha, delta = check_level(alpha, "alpha"), check_delta(delta)
    n_errors = check_count(n_errors, "n_errors", minimum=0)
    # each of the candidates has its share of delta, which must be a level too
    delta = check_level(delta / check_count(n_candidates, "n_candidates"), "delta / n_candidates")
    return _smallest(n_errors, lambda n: certifies(n, n_errors, alpha, delta))


def _smallest(low, enough):
    """Return the smallest number above `low` that is enough, where any larger one is, too."""
    high = low + 1
    while not enough(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _refuse_batch_labels(classifier, X0, predicted):
    """Refuse a classifier whose label of a row depends on the rows beside it; one that draws labels may differ."""
    few = np.arange(predicted.size - 1, -1, -2)[:1000]
    rows = take_rows(X0, few)
    alone = _predictions(classifier, rows)
    n_differ = int(np.sum(alone != predicted[few]))
    # one or two may be ties that are called at random
    if n_differ > 2 and np.array_equal(_predictions(classifier, rows), alone):
        raise InvalidInputError(
            f"the label of a row depends on the other rows: {_name_of(classifier)} gives {n_differ} of {few.size} "
            "rows another label when they are passed without the others. No bound holds for such predictions. Fit "
            "scalers and rank transformations on training rows, so that the classifier only applies them."
        )


def _name_of(classifier):
    return getattr(classifier, "__name__", type(classifier).__name__)


def _class0_of(classifier, class0):
    known = getattr(classifier, "classes_", None)
    if class0 is None:
        class0 = stated_class0(model_with_class0(classifier))
    if class0 is None:
        raise InvalidInputError(
            f"class0 is missing: name the label of class 0, as {_name_of(classifier)} predicts it; every other "
            "prediction counts as an error."
        )
    check_one_label(class0, "class0")
    if known is not None and class0 not in np.asarray(known).tolist():
        raise InvalidInputError(
            f"class0={shown_label(class0)} is not a class of the classifier, which has {np.asarray(known).tolist()}."
        )
    return class0


def _labels_of(classifier):
    """Return the labels that an estimator of scikit-learn or a fit of this package has, or None."""
    return getattr(classifier, "classes_", getattr(classifier, "labels", None))


def _refuse_unknown_labels(found, classifier, class0):
    """Refuse labels that are no class of the classifier, and other spellings of class 0 where its classes are unknown.

    A class 0 row with a typing error in its label would else be left out in silence.
    """
    known = _labels_of(classifier)
    classes = [class0] if known is None else np.asarray(known).tolist()
    unknown = [label for label in found if label not in classes]
    refuse_other_spellings(class0, unknown, "y")
    if unknown and known is not None:
        raise InvalidInputError(
            f"y has the label {unknown[0]!r}, which is not a class of the classifier: it has {classes}. Spell the "
            "labels as these, or leave out the rows of other classes.",
            argument="y",
        )


def _tell_no_class0(found, classifier, class0, n, *, known):
    """Warn that none of `n` class 0 rows is called class 0; raise if `class0` seems to have a typing error.

    It does where the classifier `found` several labels and class 0 is none of them, unless the label is `known`.
    """
    labels = _labels_of(classifier)
    labels = [] if labels is None else np.asarray(labels).tolist()
    refuse_other_spellings(class0, [label for label in found if label not in labels], f"{_name_of(classifier)}(X0)")
    told = f"none of the {n} rows is predicted as class0={shown_label(class0)}"
    if class0 not in found:
        if len(found) > 1 and not known:
            raise InvalidInputError(
                f"{told}: {_name_of(classifier)} gives the labels {listed(found)}. Give class0 as the classifier "
                "spells it.",
                argument="class0",
            )
        # a fit of two classes has its own
        of_fit = getattr(getattr(classifier, "fit_", classifier), "class0", None) == class0
        way_out = "Check that the rows are of class 0" if of_fit else "If one of these is class 0, give it as class0"
        told += f". The classifier gives {listed(found)}, and all rows count as errors. {way_out}"
    warn_at_call(f"{told}.", NPWarning)


def refuse_no_rows(X0):
    """Raise if there are no fresh rows, or if a text, a dict or a set is given, which have a length but no rows."""
    if isinstance(X0, str | bytes | bytearray | Mapping | Set):
        as_table(X0, "X0")
    with calling_it("X0"):
        n = n_rows(X0)
    if n == 0:
        raise InvalidInputError("X0 is empty: 0 rows. Give the fresh class 0 rows.", argument="X0")


def _predictions(classifier, X0):
    predict = getattr(classifier, "predict", classifier)
    if isinstance(classifier, type) or not callable(predict):
        raise InvalidInputError(
            f"classifier must be a fitted object with predict, or a function of X, got {_name_of(classifier)}."
        )
    # a plan imports this file, and no scorer
    from nproc.scorers import rows_for

    # a fit of this package sees to the rows of its scorers
    own = hasattr(getattr(classifier, "fit_", classifier), "thresholds")
    with calling_it("X0") if own else nullcontext():
        predicted = predict(X0 if own else rows_for(classifier, X0))
    check_returned_rows(X0, predicted, f"{_name_of(classifier)}(X0)")
    predicted = as_array(predicted, f"{_name_of(classifier)}(X0)")
    if predicted.ndim == 2 and predicted.shape[1] == 1:
        predicted = predicted[:, 0]
    rows = n_rows(X0)
    if predicted.shape != (rows,):
        raise InvalidInputError(
            f"classifier must predict one label for each of the {rows} rows of X0, got shape {predicted.shape}."
        )
    return predicted


__all__ = ["CertifiedBound"]
