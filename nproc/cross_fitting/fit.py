"""A cross-fitted classifier: a scorer for each fold, and one rank among all out-of-fold class 0 scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from nproc.checks import check_count, level_text
from nproc.cross_fitting.bound import CrossFitBound, cross_fit_bound, fold_sizes
from nproc.errors import InvalidInputError
from nproc.fits import NPFit, VoteBound, scorer_notes
from nproc.orderstat import order_or_error
from nproc.rows import take_rows
from nproc.scorers import score_rows
from nproc.splitting import Split, Splits, stream
from nproc.tables import Axes, DataFrame, at_least, level_pairs, table_frame
from nproc.thresholds import guard_of
from nproc.umbrella import (
    CONSTANT_SCORES,
    SEPARATING_SCORES,
    ScoredSplit,
    assemble,
    caveats_of_splits,
    left_out_mark,
    rules_at,
    score_splits,
    tell_useless,
    unmet_of_splits,
    warn_reversed,
)

# without the coin for ties, which a cross-fit does not have
FINER_SCORES = "Use a scorer with finer scores."


@dataclass(frozen=True, eq=False)
class CrossFittedScorer:
    """The scorers of all folds as one: minus the number of out-of-fold class 0 scores at or above that of a row.

    Attributes
    ----------
    models : tuple
        The trained scorer of each fold.
    sorted0 : tuple of ndarray
        The scores of the class 0 rows that each of them did not see, ascending.
    """

    models: tuple
    sorted0: tuple

    @property
    def classes_(self):
        """The codes of class 0 and class 1."""
        return np.array([0, 1])

    def decision_function(self, X):
        """Return minus the count for each row, shape (n,), between minus the number of class 0 rows and 0."""
        return -np.sum(
            [count_at_or_above(known, score_rows(m, X)) for m, known in zip(self.models, self.sorted0, strict=True)],
            axis=0,
            dtype=np.float64,
        )


def count_at_or_above(known, scores):
    """Return how many of some ascending scores are at or above each of others; within rounding error they are equal."""
    return known.size - np.searchsorted(known, scores - guard_of(known)(scores), side="left")


@dataclass(frozen=True, repr=False, eq=False)
class NPCrossFit(NPFit):
    """A Neyman-Pearson classifier that is cross-fitted, so that all class 0 rows train and all set the threshold.

    Made by `npc` and `NPClassifier` with ``cross_fit``. A row is called class 1 if at most n0 minus rank of the
    out-of-fold class 0 scores are at or above its own, each compared by the scorer of its fold.

    Attributes
    ----------
    method : str
        Name of the scorer.
    alpha, delta : float
        Levels of the rank: for one scorer that had seen none of the rows it would bound the type I error by `alpha`
        with probability at least 1 - `delta`. For cross-fitting this is not proved.
    models : tuple
        The trained scorer of each fold.
    n_folds : int
        Number of folds.
    thresholds, orders : ndarray, shape (1,)
        The threshold on minus the number of out-of-fold scores at or above that of a row, and the rank.
    violation_rates, type1_uppers : ndarray, shape (1,)
        Those that the rank has for one scorer.
    n0, n1, n0_left_out : int
        Rows of each class; all class 0 rows are left out once.
    guaranteed : bool
        False: what is proved is `bound`.
    split_ratio : None
        All class 0 rows train and set the threshold.
    n_splits, labels, seed, scorers, rules, scores0, design, ties, rank, prefit, alpha_chosen, simultaneous
        As in `NPFit`. ``scorers`` holds one `CrossFittedScorer`, and ``scores0`` places between its whole numbers.
    caveats, versions, ratio_choice, given, of_band, band_rule, auto_ratio, unmet, keys0, table_keys0
        As in `NPFit`.
    """

    @property
    def models(self) -> tuple[Any, ...]:
        return self.scorers[0].models

    @property
    def n_folds(self) -> int:
        return len(self.models)

    @property
    def guaranteed(self) -> bool:
        return False

    def __repr__(self):
        return (
            f"{self._opening(parts=f'{self.n_folds} folds')}a row is called class 1 if at most "
            f"{self.n0 - int(self.orders[0])} of {self.n0} out-of-fold class 0 scores are at or above its own; the "
            f"bound at alpha is not proved, see bound(){self._doubt()}"
        )

    def bound(self) -> CrossFitBound:
        """Return what is proved of the type I error, for any learner and any dependence between the folds."""
        return cross_fit_bound(self.n0, self.n_folds, self.alpha, self.delta, order=int(self.orders[0]))

    def _proved_bound(self):
        return float("nan") if self.unmet else self.bound().type1_upper_at_delta

    def vote_bound(self) -> VoteBound:
        """Raise InvalidInputError: the folds do not vote; `bound` says what is proved of them."""
        raise InvalidInputError("a cross-fitted classifier is not a majority vote; use bound() for what is proved.")

    def to_frame(self) -> DataFrame:
        """Return a DataFrame with a row a fold: its class 0 rows, and the range of their out-of-fold scores."""
        known = self.scorers[0].sorted0
        return table_frame(
            {
                "fold": np.arange(1, self.n_folds + 1),
                "n0_left_out": np.array([scores.size for scores in known]),
                "lowest_score": np.array([scores[0] for scores in known]),
                "median_score": np.array([np.median(scores) for scores in known]),
                "largest_score": np.array([scores[-1] for scores in known]),
            }
        )

    def _table_of_summary(self):
        pairs = [
            *self._heading(),
            ("Class 0 rows", self.n0),
            ("Class 1 rows", self.n1),
            ("Folds", self.n_folds),
            *level_pairs(self, "alpha", "delta"),
            ("Rank", int(self.orders[0])),
            ("Seed", self.seed),
        ]
        columns = ["Fold", "Class 0 rows", "Lowest score", "Median score", "Largest score"]
        rows = list(self.to_frame().itertuples(index=False, name=None))
        return "Cross-fitted Neyman-Pearson classifier", pairs, columns, rows

    def _scorer_notes(self):
        return scorer_notes(self.models, self.design, parts="folds")

    def _own_notes(self):
        most = self.n0 - int(self.orders[0])
        proved = self.bound().sentence()
        if self.unmet:
            proved = f"What is proved of cross-fitting would hold {' and '.join(self.unmet)}."
        return [
            f"It is not proved that the type I error is at most {level_text(self.alpha)} with probability at least "
            f"{at_least(1 - self.delta)}, although this held in experiments with useful scores. {proved}",
            "Each class 0 row was scored by a model that was trained without the rows of its fold. A new row is scored "
            "by the model of each fold. In each fold the class 0 scores at or above this score are counted. The row is "
            f"called {self.labels[1]} (class 1) if the counts of all folds add up to at most {most} of {self.n0}.",
        ]

    def plot(self, *, ax: Axes | None = None, figsize: tuple[float, float] | None = None) -> Axes:
        """Raise InvalidInputError: the scores of the folds are not on one scale."""
        raise InvalidInputError(
            "the scores of different folds are not on one scale, so they cannot be drawn in one plot."
        )

    def _scorers_with_scores(self):
        return list(zip(self.models, self.scorers[0].sorted0, strict=True))

    def _claims(self):
        # what is not proved and what is, and how a row is called
        return self._own_notes()

    def _models(self):
        return self.scorers[0].models

    def _share_trained(self):
        return 1 - 1 / self.n_folds

    def _order_at(self, alpha, delta):
        return order_or_error(self.n0, alpha, delta)

    def _need_ranks(self, what):
        raise InvalidInputError(
            f"{what} requires a single scorer, and a cross-fitted classifier has one scorer for each fold. Fit "
            "without cross_fit, or certify the classifier on fresh class 0 rows."
        )


def make_folds(y, n_folds, seed, *, both=False):
    """Return folds of the rows of class 0, or of each class, as `Splits`: in each all rows but its own train."""
    return Splits(_draw_fold, (y,), (n_folds, seed, both), n_folds, seed, folds=True)


def _draw_fold(arrays, settings, seed):
    (y,), (n_folds, root, both) = arrays, settings
    # one order of the rows for all folds
    rng, fold = np.random.default_rng(stream(np.random.SeedSequence(root), "rows")), seed.spawn_key[-1]
    left = []
    for label in (0, 1)[: 1 + both]:
        rows = rng.permutation(np.flatnonzero(y == label))
        ends = np.cumsum(fold_sizes(rows.size, n_folds))
        left.append(np.sort(rows[ends[fold - 1] if fold else 0 : ends[fold]]))
    trains = np.ones(y.size, dtype=bool)
    trains[np.concatenate(left)] = False
    return Split(np.flatnonzero(trains), left[0], left[1] if both else left[0][:0], seed, part="fold")


def fit_cross(inputs, run, *, alpha, delta, ties, n_folds):
    """Return the `NPCrossFit` of checked inputs; see `npc` for the arguments.

    References
    ----------
    [vovk2015]_, with the rank of [tong2018]_.
    """
    n_folds, n0 = check_count(n_folds, "cross_fit", minimum=2), inputs.labels.n0
    refused = {
        "prefit=True": inputs.method.prefit,
        f"n_splits={run.n_splits}": run.n_splits != 1,
        f"split_ratio={run.split_ratio!r}": run.split_ratio != "auto",
        f"ties={ties!r}": ties != "conservative",
    }
    if any(refused.values()):
        listed = ", ".join(name for name, given in refused.items() if given)
        raise InvalidInputError(f"cross_fit divides all class 0 rows into folds; leave out {listed}.")
    if n_folds > n0:
        raise InvalidInputError(f"cross_fit={n_folds} requires at least {n_folds} class 0 rows, got {n0}.")
    order = order_or_error(n0, alpha, delta)
    folds = make_folds(inputs.y, n_folds, run.seed)
    scored = score_splits(inputs, folds, run, "npc: fold")
    whole = CrossFittedScorer(tuple(s.scorer for s in scored), tuple(np.sort(s.scores0) for s in scored))
    useless = _warn_useless(inputs, whole, n0 - order)
    wrong = warn_reversed(inputs, scored, folds)
    # with a score of minus c, a row has c of these places above it
    places = -np.arange(n0)[::-1] - 0.5
    mark = left_out_mark(np.flatnonzero(inputs.y == 0), np.empty(0, dtype=np.intp))
    one = [ScoredSplit(whole, places, places[:0], np.random.SeedSequence(run.seed), mark)]
    rules = rules_at(one, order, alpha, delta)
    run = type(run)(seed=run.seed, split_ratio=None)
    caveats = (*caveats_of_splits(inputs.subject, scored, folds=True), *useless, *wrong)
    told = {"caveats": caveats, "unmet": unmet_of_splits(inputs.subject, scored)}
    return assemble(inputs.subject, run, one, rules, kind=NPCrossFit, alpha=alpha, delta=delta, **told)


def _warn_useless(inputs, whole, most):
    """Warn if so many of the largest scores of the folds are tied that nothing can be called class 1, or little.

    A row is called class 1 if at most `most` class 0 scores are at or above its own, over all folds. At most 1000 class
    1 rows are looked at. Return what a fit keeps of it as a caveat, as no or one text.
    """
    n0 = inputs.labels.n0
    at_top = [int(count_at_or_above(known, known[-1:])[0]) for known in whole.sorted0]
    tied = sum(n for n in at_top if n > 1)
    if tied <= most:
        return ()
    rows1 = np.flatnonzero(inputs.y == 1)[:1000]
    scores1 = [score_rows(model, take_rows(inputs.X, rows1)) for model in whole.models]
    pairs = list(zip(whole.sorted0, scores1, strict=True))
    counts = np.sum([count_at_or_above(*pair) for pair in pairs], axis=0)
    all_tied, advice = tied == n0, FINER_SCORES
    if all(known[0] == known[-1] and np.all(scores == known[0]) for known, scores in pairs):
        finding = f"method {inputs.method.name!r} gives every row the same score, so every row is called class 0."
        advice = CONSTANT_SCORES
    elif all_tied and counts.max() == 0:
        finding = (
            f"all {n0} out-of-fold class 0 scores are tied within their fold, and all class 1 scores that were looked "
            "at lie above: the scores tell the classes apart without an error."
        )
        advice = SEPARATING_SCORES
    elif counts.min() > most:
        finding = (
            f"{tied} of {n0} out-of-fold class 0 scores are tied with the largest of their fold. A row is called class "
            f"1 if at most {most} of the {n0} are at or above its own score, and none of the {rows1.size} class 1 rows "
            "that were looked at is."
        )
    elif all_tied:
        finding = (
            f"all {n0} out-of-fold class 0 scores are tied within their fold, so only rows with a larger score are "
            "called class 1, and the type II error may be large."
        )
    else:
        return ()
    return tell_useless({"": {1: (finding, advice)}}, 1)
