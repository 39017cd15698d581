"""Rows that are not independent: one row for each cluster sets the threshold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nproc.checks import Seed, as_array, check_seed, count_of, level_text, tells_names
from nproc.errors import InvalidInputError, NPWarning, calling_it, each_warning_once, warn_at_call
from nproc.fits import (
    NO_BOUND,
    NO_CLUSTERS_TO_COUNT,
    ONE_ROW_EACH,
    CertifiedBound,
    Evaluation,
    NPFit,
    refuse_no_rows,
    span,
    warn_no_clusters,
)
from nproc.groups.fit import head_rows
from nproc.groups.membership import find_labels, own_name, read_membership, without_column
from nproc.inputs import knows_names_of_r
from nproc.monitoring import CLUSTERS_UNKNOWN, cluster_name
from nproc.rows import (
    Table,
    as_table,
    check_same_length,
    check_same_rows,
    counting_rows,
    encode_labels,
    n_rows,
    no_class0_beside,
    notes_on_class0_rows,
    notes_on_labels_beside,
    row_keys,
    take_rows,
)
from nproc.splitting import stream
from nproc.tables import DataFrame, at_least
from nproc.thresholds import and_of_rank

TOO_NARROW = "the intervals are too narrow"


@dataclass(frozen=True, repr=False, eq=False)
class NPClusterFit(NPFit):
    r"""A Neyman-Pearson classifier from rows that come in clusters, such as country-years or repeated patients.

    Made by `npc` and `NPClassifier` with ``clusters=``. It predicts and plots as `NPFit`, whose attributes it has.

    Attributes
    ----------
    alpha, delta : float
        Type I error for a row drawn at random from a new cluster at most `alpha` with probability at least 1 - `delta`.
    n_clusters, n_clusters0 : int
        Clusters in all, and those that have class 0 rows.
    cluster_column : str or None
        Name of the column of the table of the fit that had the clusters, as in `NPGroupFit` that of the groups.
    clusters_together : bool
        Whether the rows of each cluster stood together in the table of the fit. Only then are `scores0` in the order of
        the clusters, whichever row of a cluster was drawn.
    n0_left_out : int
        Clusters left out in each split, and so class 0 rows that set its threshold: one for each.
    n0_trained, n1_trained : ndarray of int, shape (n_splits,), or None
        Rows of each class that trained in each split: those of the clusters that were not left out. None for a prefit
        scorer.
    cluster_keys : ndarray of uint64
        Hashes of the names of all clusters of the fit, by which it recognises them. By these anyone who has the fit can
        test whether a given cluster was used.
    split_ratio : float or None
        Share of the clusters with class 0 rows that trained; None for a prefit scorer.
    method, n0, n1, n_splits, labels, seed, scorers, rules, scores0, design, ties, rank, prefit
        As in `NPFit`.
    alpha_chosen, simultaneous, caveats, versions, ratio_choice, given, of_band, band_rule, auto_ratio, unmet
        As in `NPFit`.
    keys0, table_keys0
        As in `NPFit`.

    Notes
    -----
    *Target.* R0 = P(predict class 1) for a class 0 row that is drawn at random, all with the same probability, from the
    class 0 rows of a new cluster that has class 0 rows. All clusters have the same weight, whatever their sizes. In a
    single cluster the error may be higher. It may also be higher over all rows together, if large clusters are harder
    to classify.

    *Assumption.* Clusters, with all their rows, labels and sizes, are independent with one distribution. Within a
    cluster any dependence is allowed; even the size of the cluster may depend on the scores.

    *Proof.* Let K0 be the clusters that have class 0 rows, of which a random part, chosen without a look at their rows,
    is left out. Given the training clusters and which ones have class 0 rows, the left-out clusters are
    independent, with the distribution of a new cluster that has class 0 rows, and the scoring function, trained on
    other clusters only, is fixed. One class 0 row of each, drawn at random, is thus a sample of independent scores from
    the distribution of the row of the target. By Proposition 1 for that sample, P(R0 > alpha) = v(k) <= delta, with
    equality for continuous scores. The idea is single subsampling of [dunn2023]_, who give it for prediction sets.

    All rows of the left-out clusters, instead of one each, would be no sample of independent scores: with strong
    dependence the threshold then violates far more often than delta. And no row of a left-out cluster may train, those
    of class 1 neither: the scoring function would have met the cluster of the threshold's row (its country, its
    patient), but not that of a new row, so that the two would have scores of different distributions. A score that
    subtracts the mean of the cluster's training rows, say, would spread little on the threshold's rows and widely on
    new ones, and nearly always break the bound; nearest neighbours would score a row as its relatives were labelled.

    The draw wastes rows, and another draw gives another threshold. A mean over draws or over splits has no proof. For a
    band give `NPROCBand.from_scores` the rows of `one_per_cluster`, those of class 0 and of class 1 from different
    clusters, since the scores of the two classes must be independent.

    References
    ----------
    .. [dunn2023] Dunn, R., Wasserman, L. and Ramdas, A. (2023). Distribution-free prediction sets for two-layer
       hierarchical models. Journal of the American Statistical Association 118(544), 2491-2502.
    """

    n_clusters: int = 0
    n_clusters0: int = 0
    cluster_column: object = None
    clusters_together: bool = False
    n0_trained: np.ndarray | None = None
    n1_trained: np.ndarray | None = None
    cluster_keys: np.ndarray | None = None

    def __repr__(self):
        return (
            f"{self._opening()}one row from each of {self.n0_left_out} of {self.n_clusters0} clusters with class 0 "
            f"rows sets the threshold at rank {span(self.orders)}: violation rate "
            f"{span(self.violation_rates, limit=self.delta)}, type I error <= "
            f"{span(self.type1_uppers, limit=self.alpha)}"
            f"{' in each split' * (self.n_splits > 1)}{self._doubt()}"
        )

    @knows_names_of_r
    @each_warning_once()
    def evaluate(  # type: ignore[override]  # new rows come with their clusters
        self,
        X: Table,
        y: ArrayLike | None = None,
        clusters: ArrayLike | None = None,
        *,
        level: float = 0.95,
        random_state: Seed = None,
    ) -> Evaluation:
        """Return both errors on new data, from one row for each cluster and class, with Clopper-Pearson intervals.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix, shape (m, p)
            New rows, from clusters that the fit did not have.
        y : array-like, shape (m,), optional
            Their labels. For a fit by formula None takes the label column of `X`.
        clusters : array-like, shape (m,), or str, optional
            Their clusters, or the name of a column of `X`. None looks for the column of the fit; without one, every row
            counts as a cluster of its own, with a warning. If their column or Series has another name than that of the
            fit, names that are whole numbers, such as those of visits and patients, may agree by accident. If no other
            names are shared, it is not known whether they share clusters with the fit, and the result says so.
        level : float
            Coverage of each interval by itself, in (0, 1).
        random_state : None, int, Generator or RandomState
            Draws the row of each cluster that is counted, and the calls of scores equal to the threshold with
            ``ties="randomize"``. None: the rows that the fit's seed gives, the same in every call, because a draw that
            was chosen for its result has no bound. The calls of equal scores are then drawn anew in every call.

        Returns
        -------
        Evaluation
            Its `n0` and `n1` are numbers of clusters that have rows of the class.

        Raises
        ------
        InvalidInputError
            As `NPFit.evaluate`.

        Warns
        -----
        NPWarning
            If no clusters are known, or some have the names of clusters of the fit.
        """
        check_same_rows(X=X, y=y, clusters=clusters)
        (X, y, clusters), counted = self._counted_rows(X, y, clusters)
        y = self.design.labels_of(X, y)
        seed = None if random_state is None else check_seed(random_state)
        kept = self._one_row_each(X, encode_labels(y, self.labels), clusters, seed)
        # the coins of ties are drawn apart, so that the same seed gives the rows that certify counts
        source = None if seed is None else np.random.default_rng(stream(np.random.SeedSequence(seed), "ties"))
        labels = as_array(y, "y").ravel()[kept]
        with counted, counting_rows(lambda row: int(kept[row]), in_table=True):
            found = super().evaluate(take_rows(as_table(X, "X"), kept), labels, level=level, random_state=source)
        notes = self._note_on_clusters(X, clusters, NO_CLUSTERS_TO_COUNT)
        return replace(found, one_per_cluster=NO_CLUSTERS_TO_COUNT not in notes, note=" ".join(notes))

    @tells_names
    def thresholds_table(  # type: ignore[override]  # new rows come with their clusters
        self,
        X: Table | None = None,
        y: ArrayLike | None = None,
        clusters: ArrayLike | None = None,
        *,
        alphas: Sequence[float] | None = None,
        prevalence: float | Mapping[Any, float] | None = None,
        level: float = 0.95,
        random_state: Seed = None,
    ) -> DataFrame:
        """Return a table of thresholds, one for each alpha, with both errors from one row for each cluster and class.

        Parameters
        ----------
        X, y, clusters : optional
            New rows, their labels and their clusters, as in `evaluate`.
        alphas, prevalence, level
            As in `NPFit.thresholds_table`.
        random_state : None, int, Generator or RandomState
            As in `evaluate`. All rows of the table count the same rows of `X`.

        Returns
        -------
        DataFrame
            As `NPFit.thresholds_table`. Each error has the interval of `evaluate`.

        Raises
        ------
        TooFewSamplesError, InvalidInputError
            As `NPFit.thresholds_table`.

        Warns
        -----
        NPWarning
            As `NPFit.thresholds_table`, or if no clusters are known.
        """
        given = {"prevalence": prevalence, "level": level, "random_state": random_state, "clusters": clusters}
        return self._thresholds_table(X, y, alphas=alphas, **given)

    @knows_names_of_r
    @each_warning_once()
    def certify(
        self,
        X0: Table,
        y: ArrayLike | None = None,
        *,
        clusters: ArrayLike | None = None,
        random_state: Seed = None,
        **options: Any,
    ) -> CertifiedBound:
        """Return an upper bound on the type I error of this very classifier, from fresh class 0 clusters.

        Parameters
        ----------
        X0 : DataFrame, array-like or sparse matrix, n rows
            Class 0 rows from clusters that took no part in the fit.
        y : array-like, shape (n,), optional
            Labels, where `X0` holds class 1 rows too: only class 0 counts. For a fit by formula None takes the label
            column of `X0`, if it has one.
        clusters : array-like, shape (n,), or str, optional
            As in `evaluate`.
        random_state : None, int, Generator or RandomState
            Draws the row of each cluster that is counted. None: the rows that the fit's seed gives, the same in every
            call, because a draw that was chosen for its result has no bound.
        **options
            ``delta``, ``n_candidates`` and ``anytime``, as in `NPFit.certify`.

        Returns
        -------
        CertifiedBound

        Raises
        ------
        InvalidInputError
            As `NPFit.certify`.

        Warns
        -----
        NPWarning
            If no clusters are known: nothing is then certified. If each row is a cluster of its own, give
            each another name as `clusters`. If some have the names of clusters of the fit.

        Notes
        -----
        It bounds the type I error for a row drawn at random from a new cluster, as the fit does.

        With ``anytime=True`` the bounds hold at all looks at once if each look has the rows of the look before, in
        their order, with further clusters behind them, and if a cluster is complete when it first comes. The same rows
        then count in all looks. A cluster that still grows may change which of its rows counts.
        """
        check_same_rows(X0=X0, y=y, clusters=clusters)
        refuse_no_rows(X0)
        (X0, y, clusters), counted = self._counted_rows(X0, y, clusters, name="X0")
        beside = self._labels_beside(X0, "X0", clusters) if y is None else None
        y = y if beside is None else beside
        codes = np.zeros(n_rows(X0), dtype=np.int64) if y is None else encode_labels(y, self.labels)
        if beside is not None and np.all(codes == 1):
            raise no_class0_beside(beside, self.class0, "X0")
        with calling_it("X0"):
            kept = self._one_row_each(X0, codes, clusters, random_state, NO_BOUND)
        # columns of labels are looked for once, above
        labels = np.full(codes.size, self.class0) if y is None else as_array(y, "y").ravel()
        with counted, counting_rows(lambda row: int(kept[row]), in_table=True):
            bound = super().certify(take_rows(as_table(X0, "X0"), kept), labels[kept], **options)
        notes = [] if kept.size == codes.size else [ONE_ROW_EACH]
        told = self._note_on_clusters(X0, clusters, CLUSTERS_UNKNOWN, codes == 0)
        unknown = CLUSTERS_UNKNOWN in told
        notes += [] if unknown else told
        notes += notes_on_class0_rows(codes.size, self.class0) if y is None else []
        notes += [] if beside is None else notes_on_labels_beside(beside, self.class0)
        return replace(bound, dependent=CLUSTERS_UNKNOWN if unknown else "", note=" ".join(notes))

    def _own_notes(self):
        rank = and_of_rank(self.rules[0])
        chance = at_least(1 - self.delta) + f" over the draw of the clusters and their rows{rank}" * bool(rank)
        promise = (
            f"{self._premise()}P(predict {self.labels[1]} | {self.class0}) <= {level_text(self.alpha)} "
            f"{self._holds()} with probability at least {chance} for a class 0 row drawn at random from a "
            f"new cluster{self._each_split()} (Proposition 1). This requires that the clusters are independent and "
            "have one distribution. One row of each left-out cluster, drawn at random, sets the threshold. This type I "
            f"error is an average over clusters, each with the same weight.{self._trained_beforehand()}"
        )
        return [" ".join([promise, *self._vote_notes()]), *super()._own_notes()[1:]]

    def _about(self):
        column = None if self.cluster_column is None else str(self.cluster_column)
        return super()._about() | {"cluster_column": column, "seed": self.seed}

    def _vote_was_tried(self):
        return False

    def _which_scores(self):
        return "one per cluster" if self.prefit else "one per left-out cluster"

    def _why_auto(self):
        return self._why_auto_of("clusters")

    def _rows_drawn(self):
        return self.n_clusters0, "clusters with class 0 rows"

    def _table_of_summary(self):
        pairs = [
            *head_rows(self),
            ("Clusters", self.n_clusters),
            ("Clusters with class 0", self.n_clusters0),
            ("Of these left out", self.n0_left_out),
            *([] if self.prefit else self._rows_trained()),
            ("Violation rate" + " (each)" * (self.n_splits > 1), span(self.violation_rates, limit=self.delta)),
            *self._last_pairs(),
        ]
        return "Neyman-Pearson classifier from clusters of rows", pairs, *self._rows_of_splits()

    def _note_on_clusters(self, X, clusters, missing, chosen=None):
        """Return what must be said of the clusters of new rows, or of the `chosen` ones, as a list of sentences."""
        labels = find_labels(clusters, "clusters", X, self.cluster_column)
        if labels is None:
            return [missing]
        labels = labels if chosen is None else [labels[row] for row in np.flatnonzero(chosen)]
        return self._told_of_clusters(labels, clusters)

    def _told_of_clusters(
        self, labels, given, lost="the errors found do not apply to new clusters, and no interval or bound holds"
    ):
        """Warn if some clusters have names of clusters of the fit, and return the warning in a list; else none.

        The clusters may come from another column than those of the fit. Whole numbers then count different things, such
        as visits instead of patients, so if all names that are shared are whole numbers, or none is shared, it is said
        without a warning that nothing is known. `given` is what the user gave as clusters, and `lost` what does not
        hold if they are the same clusters.
        """
        names = _distinct_names(labels)
        shared = [names[i] for i in np.flatnonzero(np.isin(_keys_of_names(names), self.cluster_keys))]
        n, name, of_fit = len(shared), own_name(given), self.cluster_column
        is_other = name is not None and of_fit is not None and name != of_fit
        if is_other and all(map(_is_whole_number, shared)):
            return [
                f"The clusters of the new rows are those of {name!r}, and the fit had those of {of_fit!r}. Whether the "
                f"new rows share clusters with the fit is therefore not known. If they do, {lost}."
            ]
        if n == 0:
            return []
        have = "has the name of a cluster" if n == 1 else "have the names of clusters"
        same = "it is the same cluster" if n == 1 else "they are the same clusters"
        other = f" (the new clusters come from {name!r}, those of the fit from {of_fit!r})" if is_other else ""
        told = (
            f"{count_of(n, len(names), 'clusters', first=True)} {have} of the fit{other}. If {same}, {lost}. Leave out "
            "their rows; or, if only the names begin anew in each table, give the new clusters names of their own."
        )
        warn_at_call(told, NPWarning)
        return [told]

    def _clusters_of_new(self, X, clusters, name):
        """Return the cluster of each new row, as given or by a column of `X`; None if they are not known."""
        return find_labels(clusters, name, X, self.cluster_column)

    def _one_row_each(self, X, codes, clusters, random_state, lost=TOO_NARROW, name="clusters"):
        """Positions of one row for each cluster and class; of all rows, with a warning, where no clusters are known.

        The warning says what is `lost`, and that the argument `name` is missing.
        """
        check_same_length(X, codes)
        labels = find_labels(clusters, name, X, self.cluster_column)
        if labels is None:
            warn_no_clusters(codes.size, lost, name)
            return np.arange(codes.size)
        members = read_membership(labels, name, X)[2]
        rng = np.random.default_rng(check_seed(self.seed if random_state is None else random_state))
        kept = []
        for code in (0, 1):
            rows = np.flatnonzero(codes == code)
            # rows that come in later change no number of those before, so that an anytime bound counts the same rows
            lots = np.argsort(rng.random(rows.size))
            kept.append(rows[lots[np.unique(members.codes[rows[lots]], return_index=True)[1]]])
        return np.sort(np.concatenate(kept))

    def _drawn_rows(self, clusters0):
        """Positions of the rows drawn in each split among the class 0 rows, from the clusters of all of these."""
        members = read_membership(clusters0, "clusters", clusters0)[2]
        if (members.size, members.codes.size) != (self.n_clusters0, self.n0):
            raise InvalidInputError(
                f"clusters must be those of the fit, which had {self.n_clusters0} with class 0 rows, got "
                f"{members.size} with class 0 rows.",
                argument="clusters",
            )
        if self.prefit:
            seed = np.random.SeedSequence(self.seed)
            return (draw_one_per_cluster(members.codes, stream(seed, "rows")),) * self.n_splits
        seeds = (np.random.SeedSequence(self.seed, spawn_key=(j,)) for j in range(self.n_splits))
        return tuple(draw_clusters(members.codes, self.n0_left_out, seed)[1] for seed in seeds)

    def _rows_trained(self):
        return [("Class 0 rows trained", span(self.n0_trained)), ("Class 1 rows trained", span(self.n1_trained))]

    def _training_told(self):
        """Return how many rows of each class trained, as a sentence."""
        of_class0, of_class1 = span(self.n0_trained), span(self.n1_trained)
        return f"The other clusters trained the method, with {of_class0} rows of class 0 and {of_class1} of class 1."

    def _share_trained(self):
        return 1 - self.n0_left_out / self.n_clusters0

    def _table(self, X):
        return without_column(X, self.cluster_column, self.feature_names)


def cluster_keys(labels):
    """Return one 64-bit hash for each distinct cluster, in ascending order, by its name as text."""
    return np.unique(_keys_of_names(_distinct_names(labels)))


def _distinct_names(labels):
    return list({*map(cluster_name, labels)})


def _keys_of_names(names):
    return row_keys(np.array([[name] for name in names], dtype=object))


def _is_whole_number(name):
    return name.removeprefix("-").isdecimal()


@tells_names
def one_per_cluster(clusters: ArrayLike, *, random_state: Seed = None) -> NDArray[np.intp]:
    """Draw one row of each cluster at random, where rows of a cluster depend on each other.

    For a threshold or band of scores from anywhere: ``np_threshold(scores0[one_per_cluster(clusters0)])`` is exact for
    a row drawn at random from a new cluster, when clusters are independent with one distribution.

    Parameters
    ----------
    clusters : array-like, shape (n,)
        The cluster of each row, of any hashable type. For a threshold those of left-out class 0 rows only; for a band
        a cluster must give a row of one class only, since scores of the two classes must be independent.
    random_state : None, int, Generator or RandomState
        Source of randomness.

    Returns
    -------
    ndarray of int, shape (number of clusters,)
        Positions in ascending order.

    Raises
    ------
    InvalidInputError
        If a value is missing or cannot be compared.

    See Also
    --------
    npc : with ``clusters=``, splits by cluster as well.

    Notes
    -----
    Every row of a cluster has the same chance, and clusters are drawn from independently. See `NPClusterFit` for the
    proof.

    References
    ----------
    Single subsampling of [dunn2023]_.

    Examples
    --------
    >>> one_per_cluster(["ann", "bob", "ann", "eve"], random_state=0)
    array([1, 2, 3])
    """
    seed = check_seed(random_state)
    return draw_one_per_cluster(read_membership(clusters, "clusters", clusters)[2].codes, seed)


def draw_one_per_cluster(codes, source):
    """Return positions of one row of each code, in ascending order; `source` is a seed or Generator."""
    order = np.random.default_rng(source).permutation(codes.size)
    _, first = np.unique(codes[order], return_index=True)
    return np.sort(order[first])


def draw_clusters(codes0, n_left, seed):
    """Draw the clusters to leave out, and one row of each: their codes, and positions among the class 0 rows.

    `codes0` are the clusters of the class 0 rows; only how they are sorted and how many rows each has matters.
    """
    rng = np.random.default_rng(stream(seed, "rows"))
    left = rng.permutation(np.unique(codes0))[:n_left]
    rows = np.flatnonzero(np.isin(codes0, left))
    return left, rows[draw_one_per_cluster(codes0[rows], rng)]
