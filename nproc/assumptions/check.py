"""The checks of a fit: which rows it left out, what can be checked, and what was found."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from nproc.assumptions.dependence import cluster_test
from nproc.assumptions.new_rows import new_errors_test, new_scores_test
from nproc.assumptions.order import FEWEST, MartingaleTest, in_order, martingale_test, rank_tests
from nproc.assumptions.result import AssumptionCheck, AssumptionChecks, combined
from nproc.checks import as_array, check_count, check_level, check_seed, differs_from_itself, refuse_other_shapes, shown
from nproc.errors import InvalidInputError, calling_it
from nproc.rows import (
    as_table,
    check_same_rows,
    column_of,
    counting_rows,
    encode_labels,
    is_frame,
    n_rows,
    no_class0_beside,
    notes_on_labels_beside,
    plain_frame,
    take_rows,
)
from nproc.splitting import make_splits
from nproc.thresholds import middle_range

MEANINGS = {
    "trend": "the scores of class 0 rise or fall with the order of the rows, so future rows may have another "
    "distribution than the rows that set the threshold.",
    "change": "the class 0 scores before some point of the order differ from the later ones, so future rows may be "
    "like the later rows only. Fit on the later rows, or certify on fresh ones.",
    "martingale": "the scores depend on the order of the rows in some way: a drift, a change, or neighbours that are "
    "alike.",
    "new scores": "the scores of the new class 0 rows have another distribution than those of the left-out rows.",
    "new errors": "more new class 0 rows score above the threshold than its rank leads to expect.",
    "clusters": "scores of one cluster are alike, so the left-out rows tell only as much as a smaller number of "
    "independent rows. The probability of a type I error above alpha may exceed delta. Use clusters= of npc.",
}
TOO_OFTEN = "the checks of new rows speak against the assumption too often"
DRAWN = (
    "This fit drew one row of each left-out cluster. Give clusters, too, so that these rows are known, and as order "
    "one time for each cluster."
)
SEVERAL_TIMES = (
    "The values of order differ within a cluster. The time of the drawn row could depend on its score even for "
    "independent clusters. Give all rows of a cluster one time that does not depend on its rows, such as the day on "
    "which a patient entered the study."
)
APART = (
    "The rows of a cluster did not stand together in the table of the fit, so the table has no order of the clusters. "
    "For these checks, give clusters and as order one time for each cluster, or sort the table by cluster before the "
    "fit, with the clusters in order of time."
)


@dataclass(frozen=True)
class Drawn:
    """What the picture needs of the first split."""

    scores: np.ndarray
    threshold: float
    fresh: np.ndarray | None
    path: np.ndarray | None
    # how many scores lie before the change that was found
    change: int | None


@dataclass(frozen=True)
class FitRows:
    """The class 0 rows of a fit, as far as they are known.

    Attributes
    ----------
    fit : NPFit
        The fit.
    codes : ndarray of int or None
        0 or 1 for each row of the fit.
    positions : tuple of ndarray, or None
        For each split the left-out rows, counted among those of class 0; None if they are not known. Of a fit with
        clusters they are the rows that were drawn.
    clusters : ndarray of int or None
        The cluster of each class 0 row of a fit with clusters, if they are known.
    """

    fit: object
    codes: np.ndarray | None
    positions: tuple | None
    clusters: np.ndarray | None = None

    def places0(self, n):
        """Return the places of the class 0 rows among `n` values, of one for each of them or one for each row."""
        return np.arange(n) if n == self.fit.n0 else np.flatnonzero(self.codes == 0)

    def of_class0(self, values, name):
        """Return values of the class 0 rows, of one for each class 0 row or one for each row of the fit."""
        n, n0 = n_rows(values), self.fit.n0
        if n == n0:
            return values
        if n == n0 + self.fit.n1 and self.codes is not None:
            return take_rows(values, np.flatnonzero(self.codes == 0))
        way_out = " Give y, too, so that those of class 0 are known." if n == n0 + self.fit.n1 else ""
        raise InvalidInputError(
            f"{name} must have one value for each of the {n0} class 0 rows of the fit, in their order, or with y one "
            f"for each of its {n0 + self.fit.n1} rows, got {n}.{way_out}{self._omitted()}",
            argument=name,
        )

    def _omitted(self):
        n_omitted = self.fit.design.n_omitted
        return f" The fit left out {n_omitted} rows with missing values; leave them out here." if n_omitted else ""


def check_fit(
    fit,
    X0_new=None,
    order=None,
    clusters=None,
    *,
    X=None,
    y=None,
    clusters_new=None,
    level=0.05,
    n_permutations=999,
    random_state=None,
):
    """Return the `AssumptionChecks` of a fit; see `NPFit.check_assumptions` for the arguments."""
    level = check_level(level, "level")
    n_permutations = check_count(n_permutations, "n_permutations", minimum=19, maximum=1_000_000, reason="time")
    seed = check_seed(fit.seed if random_state is None else random_state)
    order, clusters = _of_column(order, "order", X), _of_column(clusters, "clusters", X)
    check_same_rows(X=X, y=y, order=order, clusters=clusters)
    rows = _rows_of(fit, X, y)
    if hasattr(fit, "n_clusters"):
        rows, clusters = _with_drawn(rows, clusters, X)
    table0 = None if X is None else as_table(rows.of_class0(as_table(X, "X"), "X"), "X")
    if table0 is not None and rows.positions is not None:
        places = rows.places0(n_rows(X))
        with counting_rows(lambda row: int(places[row]), in_table=True):
            _refuse_other_rows(fit, table0, rows.positions)
    # apart from the streams of the splits, which are the children of SeedSequence(seed)
    streams = np.random.SeedSequence([seed, 5]).spawn(fit.n_splits)
    rngs = [[np.random.default_rng(child) for child in one.spawn(2)] for one in streams]
    report = _Report(level)
    times = None if order is None else _times(rows.of_class0(_one_column(order, "order"), "order"))
    drawn_order = _check_order(report, rows, times, n_permutations, [rng[0] for rng in rngs])
    fresh, notes, unknown = _check_new(report, fit, X0_new, clusters_new)
    _check_clusters(report, rows, clusters, n_permutations, [rng[1] for rng in rngs])
    scores, path, change = drawn_order
    drawn = Drawn(scores, float(fit.thresholds[0]), fresh, path, change)
    parts = {name.replace(" ", "_"): check for name, check in report.checks.items()}
    return AssumptionChecks(
        **parts,
        level=level,
        n0_left_out=fit.n0_left_out,
        n_splits=fit.n_splits,
        n_permutations=n_permutations,
        seed=seed,
        order=_name_of_order(order, fit),
        drawn=drawn,
        note=" ".join(notes),
        new_clusters_unknown=unknown,
    )


def _name_of_order(order, fit):
    """Return by what the rows are in order: the name of a Series, if it has one."""
    if order is None:
        return "the clusters" if hasattr(fit, "n_clusters") else "the rows"
    name = getattr(order, "name", None)
    return "the values given" if name in (None, "") else str(name)


class _Report:
    """The checks so far, by their names."""

    def __init__(self, level):
        self.level, self.checks = level, {}

    def add(self, name, results, found, more=""):
        p_value = combined([result.p_value for result in results])
        self.checks[name] = AssumptionCheck(name, p_value, self.level, found, MEANINGS[name] + more, tuple(results))

    def leave_out(self, names, why):
        for name in names:
            self.checks[name] = AssumptionCheck(name, None, self.level, why, MEANINGS[name])


def _rows_of(fit, X, y):
    codes = None
    if y is None and X is not None and fit.design.formula is not None and n_rows(X) != fit.n0:
        y = fit.design.labels_of(X)
    if y is not None:
        codes = encode_labels(y, fit.labels)
        if (int(np.sum(codes == 0)), int(np.sum(codes == 1))) != (fit.n0, fit.n1):
            raise InvalidInputError(
                f"y must hold the labels of the rows of the fit, {fit.n0} of class 0 and {fit.n1} of class 1, got "
                f"{int(np.sum(codes == 0))} and {int(np.sum(codes == 1))}.",
                argument="y",
                way_out=way_to_rows(fit, codes.size),
            )
    return FitRows(fit, codes, left_out_positions(fit, codes))


def _with_drawn(rows, clusters, X):
    """Return the rows of a fit with clusters with those that it drew, and the clusters, given or a column of `X`."""
    column = rows.fit.cluster_column
    if clusters is None and column is not None and X is not None and is_frame(X) and column in X.columns:
        clusters = X[column]
    if clusters is None:
        return rows, None
    clusters0 = rows.of_class0(_one_column(clusters, "clusters"), "clusters")
    return replace(rows, positions=rows.fit._drawn_rows(clusters0), clusters=_codes_of(clusters0)), clusters


def _differ_within(values, codes):
    by_cluster = np.lexsort((values, codes))
    return bool(np.any((np.diff(codes[by_cluster]) == 0) & (np.diff(values[by_cluster]) != 0)))


def way_to_rows(fit, n_given):
    """Return what to do where a number of rows is given that is not that of the rows of a fit; nothing for fewer."""
    if n_given <= fit.n0 + fit.n1:
        return ""
    # as all classifiers of the page
    of_page = ' For a classifier of the web page, they are its download "Rows of the fit (CSV)".'
    return "Leave out rows that were set aside before the fit." + of_page * (fit.of_band is not None)


def left_out_positions(fit, codes):
    """Return for each split the left-out rows, counted among those of class 0; None if they are not known."""
    if hasattr(fit, "n_clusters"):
        return None
    if fit.prefit:
        return (np.arange(fit.n0),) * fit.n_splits
    used = None if fit.ratio_choice is None else fit.ratio_choice.used
    if used is not None:
        if codes is None:
            return None
        used = used[codes == 0]
    # the draw within class 0 depends on the number of its rows alone
    splits = make_splits(
        np.zeros(fit.n0, dtype=np.int64),
        fit.n_splits,
        fit.split_ratio,
        fit.seed,
        leave_out_class1=False,
        always_train=used,
    )
    positions = tuple(split.idx_left0 for split in splits)
    sizes = [scores.size for scores in fit.scores0]
    return positions if [left.size for left in positions] == sizes else None


def _refuse_other_rows(fit, table0, positions):
    """Raise unless the left-out rows of a table of class 0 rows score as those of the fit, in their order."""
    scores = fit._scores(table0)
    for j, (known, left) in enumerate(zip(fit.scores0, positions, strict=True)):
        # another order of summation gives other last digits, of each score by its own size and that of most others
        allowed = 1e-6 * (middle_range(known) + np.abs(known - np.median(known))) + 1e-9 * np.abs(known)
        if np.any(np.abs(known - scores[left, j]) > allowed):
            raise InvalidInputError(
                "X is not the table of this fit with its rows in their order: the rows that the fit left out have "
                "other scores than in the fit. Give the table that npc was given, without rows that na_action left "
                "out.",
                argument="X",
            )


def _check_order(report, rows, when, n_permutations, rngs):
    """Make the three checks of the order; return the scores of the first split by it, the evidence and the change.

    Notes
    -----
    Of a fit with clusters a score belongs to a row that was drawn without a look at scores or times. If all rows of a
    cluster have one time, the time of the drawn row is the same whichever was drawn. Given the times, independent
    clusters of one distribution then have exchangeable scores. If the times differed within a cluster, as those of
    visits do, the drawn row would choose its time, and a score that depends on the visit would seem to be a trend.
    """
    names, first = ("trend", "change", "martingale"), rows.fit.scores0[0]
    why = ""
    if first.size < FEWEST:
        why = f"There are {first.size} left-out class 0 rows; {FEWEST} are needed."
    elif when is not None and rows.positions is None:
        why = DRAWN if hasattr(rows.fit, "n_clusters") else "Give y: which rows the adaptive ratio used depends on it."
    elif when is not None and rows.clusters is not None and _differ_within(when, rows.clusters):
        why = SEVERAL_TIMES
    elif when is not None and np.all(when == when[0]):
        why = "All values of order are equal."
    elif when is None and not getattr(rows.fit, "clusters_together", True):
        # sorted by visit, the place of a drawn row would tell which visit it is
        why = APART
    if why:
        report.leave_out(names, why)
        return first, None, None
    found = []
    for j, scores in enumerate(rows.fit.scores0):
        times = np.arange(scores.size) if when is None else when[rows.positions[j]]
        scores, times = in_order(scores, times, rngs[j])
        trend, change = rank_tests(scores, times, n_permutations, rngs[j])
        martingale: MartingaleTest = martingale_test(scores, rngs[j])
        found.append((trend, change, martingale, scores))
    trends, changes, martingales, firsts = zip(*found, strict=True)
    report.add("trend", trends, f"rank correlation {trends[0].correlation:+.3f}")
    at = changes[0]
    way = "smaller" if at.later_larger < 0.5 else "larger"
    share = max(at.later_larger, 1 - at.later_larger)
    found = f"scores from row {at.n_before + 1} of {at.n} on: {way} in {share:.2f} of pairs"
    report.add("change", changes, found)
    report.add("martingale", martingales, f"evidence up to {martingales[0].highest:.3g}")
    shown_change = at.n_before if report.checks["change"].against else None
    return firsts[0], martingales[0].log_evidence, shown_change


def _of_column(given, name, X):
    """Return what has one value a row, where it may be given by the name of a column of the rows of the fit."""
    if not isinstance(given, str):
        return given
    if X is None:
        raise InvalidInputError(
            f"{name} must be one value for each row, got {given!r}.",
            argument=name,
            way_out="If it names a column, give X, the rows of the fit with this column.",
        )
    return column_of(plain_frame(X), given, name)


def _one_column(values, name):
    """Return the values of rows as a one-dimensional array without missing ones."""
    array = as_array(values, name)
    array = array[:, 0] if array.ndim == 2 and array.shape[1] == 1 else array
    if array.ndim != 1:
        raise InvalidInputError(f"{name} must be one value for each row, got {shown(values)}.", argument=name)
    _refuse_missing(array, name)
    return array


def _times(values):
    """Return the ranks of numbers or times, from 0, with equal ones for equal times."""
    text = values.dtype.kind in "US" or (values.dtype.kind == "O" and any(isinstance(v, str | bytes) for v in values))
    if text or values.dtype.kind == "c":
        raise InvalidInputError(
            f"order must be one number or time for each row, got {shown(values[0])}. Turn dates in text "
            "into times by pandas.to_datetime.",
            argument="order",
        )
    try:
        return np.unique(values, return_inverse=True)[1].reshape(-1)
    except TypeError as error:
        raise InvalidInputError(f"order must hold values that can be compared ({error}).", argument="order") from error


def _codes_of(values):
    """Return whole numbers for the clusters of rows, equal ones for equal values."""
    numbers: dict = {}
    try:
        return np.array([numbers.setdefault(value, len(numbers)) for value in values.tolist()], dtype=np.int64)
    except TypeError as error:
        raise InvalidInputError(
            f"clusters must hold values such as numbers or text ({error}).", argument="clusters"
        ) from error


def _refuse_missing(values, name):
    n_missing = sum(value is None or differs_from_itself(value) for value in values.ravel().tolist())
    # a missing time becomes None or a number by tolist
    n_missing = max(n_missing, int(np.isnat(values).sum()) if values.dtype.kind in "mM" else 0)
    if n_missing:
        raise InvalidInputError(f"{name} has {n_missing} missing values; each row needs one.", argument=name)


def _check_new(report, fit, X0_new, clusters_new):
    """Make the two checks of new rows.

    Returns their scores in the first split, notes on which rows were taken, and whether the fit has clusters and those
    of the new rows are not known.
    """
    names, notes = ("new scores", "new errors"), []
    of_clusters = hasattr(fit, "n_clusters")
    if clusters_new is not None and not of_clusters:
        raise InvalidInputError(
            "clusters_new is for a fit that was made with clusters, and this one was not: every row set its threshold "
            "as a row of its own. Give one new row of each cluster as X0_new, or fit with npc(..., clusters=).",
            argument="clusters_new",
        )
    if X0_new is None:
        if clusters_new is not None:
            raise InvalidInputError("clusters_new is for new rows; give X0_new too.", argument="clusters_new")
        report.leave_out(names, "No new class 0 rows were given (X0_new).")
        return None, notes, False
    X0_new = as_table(X0_new, "X0_new")
    if X0_new.ndim == 0:
        refuse_other_shapes(X0_new, "X0_new")
    places = np.arange(n_rows(X0_new))
    of_new = None
    if of_clusters:
        with calling_it("X0_new"):
            of_new = fit._clusters_of_new(X0_new, clusters_new, "clusters_new")
        if of_new is not None and len(of_new) != places.size:
            raise InvalidInputError(
                f"clusters_new has {len(of_new)} values and X0_new has {places.size} rows; every row needs one.",
                argument="clusters_new",
            )
    labels = fit.design.labels_beside(X0_new)
    if labels is not None:
        rows0 = np.flatnonzero(encode_labels(labels, fit.labels) == 0)
        if rows0.size == 0:
            raise no_class0_beside(labels, fit.class0, "X0_new")
        notes = notes_on_labels_beside(labels, fit.class0)
        X0_new, places = take_rows(X0_new, rows0), rows0
    (X0_new, places), _ = fit._counted_rows(X0_new, places, name="X0_new", row_of=places.__getitem__)
    of_new = None if of_new is None else [of_new[place] for place in places]
    ranges = fit.design.ranges
    if ranges is not None and is_frame(X0_new):
        told = ranges.told(ranges.count_outside(X0_new))
        notes = [*notes, f"{told[:1].upper()}{told[1:]}"] if told else notes
    unknown = of_clusters and of_new is None
    if of_clusters:
        # one row of each new cluster, as of those that set the threshold
        codes = np.zeros(n_rows(X0_new), dtype=np.int64)
        kept = fit._one_row_each(X0_new, codes, of_new, None, TOO_OFTEN, "clusters_new")
        lost = "the checks of new rows do not hold"
        notes = [*notes, *([] if unknown else fit._told_of_clusters(of_new, clusters_new, lost))]
        X0_new, places = take_rows(X0_new, kept), places[kept]
    with counting_rows(lambda row: int(places[row]), in_table=True):
        fresh = fit._scores(X0_new, "X0_new")
    if fit._warn_of_own_rows(X0_new, np.arange(fresh.shape[0])):
        report.leave_out(
            names,
            "At least a fifth of the new class 0 rows are likely to be rows of the fit, of which these checks tell "
            "nothing. Give rows that the fit has not seen.",
        )
        return None, notes, False
    found = [new_scores_test(known, fresh[:, j]) for j, known in enumerate(fit.scores0)]
    one, counted = found[0], not (fit.alpha_chosen or fit.simultaneous)
    more = " The bound may still hold." * fit.guaranteed + " See new errors." * counted
    report.add("new scores", found, f"distance {one.distance:.3f}, {one.n_new} rows", more)
    if not counted:
        report.leave_out(names[1:], "The rank may have been chosen on the left-out scores, so its law is not known.")
        return fresh[:, 0], notes, unknown
    guards = fit._cuts().guards
    above = np.sum(fresh - fit.thresholds > guards, axis=0)
    errors = [
        new_errors_test(int(count), fresh.shape[0], int(rule.order), rule.n0)
        for count, rule in zip(above, fit.rules, strict=True)
    ]
    one = errors[0]
    said = f"{one.n_above} of {one.n_new} above, {one.expected * one.n_new:.1f} expected"
    concerned = " This concerns the bound itself." * fit.guaranteed
    more = f"{concerned} Certify on the new rows, and fit again on rows like them."
    report.add("new errors", errors, said, more)
    return fresh[:, 0], notes, unknown


def _check_clusters(report, rows, clusters, n_permutations, rngs):
    """Make the check of clusters."""
    fit, why = rows.fit, ""
    if hasattr(fit, "n_clusters"):
        why = "This fit took one row of each cluster, so that rows of one cluster need not be independent."
    elif clusters is None:
        why = (
            "To make it, give the rows of the fit and their clusters: X, y and clusters, or for npc check --data, "
            "--label and --clusters."
        )
    elif rows.positions is None:
        why = "Give y: which rows the adaptive ratio used depends on it."
    if why:
        report.leave_out(["clusters"], why)
        return
    codes = _codes_of(rows.of_class0(_one_column(clusters, "clusters"), "clusters"))
    found = []
    for j, left in enumerate(rows.positions):
        trained = np.empty(0, dtype=np.int64) if fit.prefit else np.delete(codes, left)
        given = {"order": int(fit.rules[j].order), "alpha": fit.alpha, "n_permutations": n_permutations}
        found.append(cluster_test(fit.scores0[j], codes[left], trained, rng=rngs[j], **given))
    if any(one is None for one in found):
        report.leave_out(["clusters"], "No cluster has two left-out class 0 rows, or all are of one cluster.")
        return
    one = found[0]
    # no -0.00
    icc, icc_tail = round(one.icc, 2) + 0.0, round(one.icc_tail, 2) + 0.0
    said = f"correlation {icc:+.2f}, in the tail {icc_tail:+.2f}; {one.n0} rows count as {one.n0_effective:.0f}"
    rate = float(np.mean([one.violation_rate for one in found]))
    more = (
        f" With that many independent rows the violation rate would be about {rate:.2g} rather than "
        f"{float(fit.violation_rates[0]):.2g}."
    )
    if one.n_shared:
        more += f" {one.n_shared} of {one.n0} left-out rows are of a cluster that also trained."
    report.add("clusters", found, said, more)
