"""The average score of scorers trained on resampled rows: an ensemble with one threshold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import clone
from sklearn.utils.validation import (
    _check_sample_weight,
    assert_all_finite,
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
    validate_data,
)

from nproc.checks import (
    Seed,
    as_floats,
    check_choice,
    check_flag,
    check_models,
    check_numeric_matrix,
    check_seed,
    is_number,
    shown,
)
from nproc.errors import InvalidInputError
from nproc.parallel import check_n_jobs, run_tasks
from nproc.rows import Table, as_table, check_same_rows, is_frame, take_rows
from nproc.scorers.adapter import check_trainable, score_rows, scoring_method
from nproc.scorers.base import BinaryScorer, labels_to_validate, with_parameters
from nproc.scorers.outliers import refuse_detector
from nproc.scorers.registry import MethodLike, get_scorer, scorer_spec
from nproc.scorers.scaling import register_estimator
from nproc.scorers.training import fit_scorer, fresh_copy


def member_scorer(scorer, params, is_sparse):
    """Return the unfitted scorer of all members, without a seed of its own; `scorer` is a name or an estimator."""
    if params is not None and not isinstance(params, dict):
        raise InvalidInputError(f"params must be None or a dict of keywords of the scorer, got {shown(params)}.")
    unfitted = check_trainable(get_scorer(scorer, **(params or {})), "scorer")
    refuse_detector(unfitted, "scorer")
    if is_sparse and isinstance(scorer, str) and not scorer_spec(scorer).sparse:
        raise InvalidInputError(
            f"X is sparse, and the scorer {scorer!r} of the members needs a dense array: use X.toarray(), or another "
            "scorer."
        )
    if not hasattr(unfitted, "get_params"):
        return unfitted
    unfitted = clone(unfitted)
    own = [name for name in unfitted.get_params() if name.rpartition("__")[2] == "random_state"]
    return unfitted.set_params(**dict.fromkeys(own))


def draw_rows(codes, rng, sampling, share):
    """Return the rows of one member: max(1, round(share n_c)) of the n_c rows of each class c, drawn with `rng`."""
    drawn = []
    for label in (0, 1):
        rows = np.flatnonzero(codes == label)
        drawn.append(rng.choice(rows, max(1, round(share * rows.size)), replace=sampling == "bootstrap"))
    return np.sort(np.concatenate(drawn))


def train_member(X, codes, weights, scorer, sampling, share, standardize, seed):
    """Return a trained member and the scale of its scores."""
    for_rows, for_scorer = seed.spawn(2)
    rows = draw_rows(codes, np.random.default_rng(for_rows), sampling, share)
    own_seed = int(for_scorer.generate_state(1)[0])
    member = fit_scorer(
        fresh_copy(scorer, own_seed),
        take_rows(X, rows),
        codes[rows],
        None if weights is None else weights[rows],
    )
    if not standardize:
        return member, 1.0
    outside = np.ones(codes.size, dtype=bool)
    outside[rows] = False
    return member, _scale(score_rows(member, X), codes == 0, outside)


def _scale(scores, is_class0, outside):
    """Return the standard deviation over the first of three sets of rows on which the scores are not constant."""
    for chosen in (is_class0 & outside, is_class0, np.ones(scores.size, dtype=bool)):
        spread = scores[chosen].std() if chosen.any() else 0.0
        # below rounding error of the scores themselves nothing is told apart
        if spread > 64 * np.spacing(np.abs(scores[chosen]).max(initial=0.0)):
            return float(spread)
    return 1.0


def centred_scores(member, X):
    """Return the scores of a member, counted from 1/2 where they are probabilities: above 0 it leans to class 1."""
    scores = score_rows(member, X)
    return scores - 0.5 if scoring_method(member) == "predict_proba" else scores


# a bootstrap sample has as many rows as the class; a subsample half of them, as in the theory of subagging
SHARES = {"bootstrap": 1.0, "subsample": 0.5}


@with_parameters
class AveragedScorer(BinaryScorer):
    r"""The average score of several scorers trained on resampled rows (bagging, subagging), for unsteady ones.

    Member m is trained on rows drawn from those given to ``fit``, from each class by itself, so that no class is ever
    missing. The score is

    .. math:: f(x) = \frac{1}{M} \sum_{m=1}^{M} \frac{f_m(x)}{s_m},

    with :math:`s_m` the standard deviation of the member's scores of the class 0 rows that it did not train on.

    Parameters
    ----------
    scorer : str or estimator
        A registered name, or an unfitted classifier with ``decision_function`` or ``predict_proba``.
    n_members : int
        Number of members, M.
    sampling : {'bootstrap', 'subsample'}
        Rows drawn with replacement, or without.
    share : float, optional
        Rows drawn for a member, as a share of the rows of each class, above 0 and at most 1; at least one row a class.
        None: 1 for the bootstrap, 0.5 for subsamples.
    standardize : bool
        Divide by :math:`s_m`. False averages the scores as they are.
    params : dict, optional
        Keywords of the named scorer.
    n_jobs : int or None
        Members trained at the same time; it changes no result.
    random_state : None, int, Generator or RandomState
        Seed of the rows drawn and of the members; a ``random_state`` of the scorer itself is replaced.

    Attributes
    ----------
    members_ : list
        The trained members.
    scales_ : ndarray, shape (n_members,)
        The :math:`s_m`, or ones.
    seed_ : int
        The seed; the same one gives the same members.
    classes_, n_features_in_
        The labels in sorted order, the number of columns.

    Raises
    ------
    InvalidInputError
        For a parameter out of its range, a scorer that cannot be trained, a class that is missing, sparse rows that
        the named scorer cannot take, or weights that it cannot use.

    See Also
    --------
    nproc.npc : The threshold; ``npc(X, y, "averaged", scorer="lda")`` is the short form.
    nproc.fits.vote_bound : What is proved of the majority vote of several splits.

    Notes
    -----
    **Guarantee.** Under the umbrella (`npc` with one split) the type I error is at most alpha with probability at
    least 1 - delta, exactly as for one scorer: given the training part of the rows, and the seed, the members and
    their scales are fixed, and so is the function f, however much the members share among them. The left-out class 0
    rows are independent of both, so that their scores are independent draws from the law of f(X) in class 0, and
    Proposition 1 holds given the training part, hence also without the condition. Out-of-bag rows, on which the scales
    are measured, belong to the training part. Unlike the majority vote of several splits there is one threshold, set
    by one sample, and nothing is lost to a union bound.

    **What averaging can do** is lower the variance of the score, and so of the type II error, for scorers that change
    much with their rows (trees, selected variables, nearest neighbours); a stable scorer gains little, and the average
    of scorers trained on fewer rows may be worse than one trained on all. Nothing is proved of the type II error.

    **Scale.** A constant added to a member's scores moves f by a constant and changes no classifier; its scale is its
    weight in the average. Log-odds of separated classes, or machines with different penalties, differ in scale by
    accident, and one member could outvote all others. The class 0 scores are the ones that set the threshold. Rows
    of the member's own sample are left out of :math:`s_m` because a flexible member scores these too well. Where fewer
    than two class 0 rows with different scores are outside the sample, all class 0 rows are used, then all rows; a
    member that is constant everywhere gets the scale 1. Averages of ranks are not offered: ranks among the training
    rows tie beyond the most extreme of them, which is where the threshold lies.

    The score is above 0 where the members, on average, lean towards ``classes_[1]``: probabilities count from 1/2.
    Rows of weight 0 are dropped before rows are drawn; other weights go to the members with the rows.

    References
    ----------
    [breiman1996]_ (bootstrap), [buhlmann2002]_ (subsamples).

    Examples
    --------
    >>> from nproc import npc
    >>> from nproc.scorers import AveragedScorer
    >>> from nproc.simulate import GaussianWorld
    >>> sample = GaussianWorld([0, 0], [1.5, 1]).sample(1000, random_state=1)
    >>> trees = AveragedScorer("tree", n_members=5, params={"min_samples_leaf": 25})
    >>> fit = npc(sample.X, sample.y, trees, random_state=2)
    >>> fit.guaranteed, fit.n_splits
    (True, 1)
    """

    scorer: MethodLike = "logistic"
    _: KW_ONLY
    n_members: int = 11
    sampling: Literal["bootstrap", "subsample"] = "bootstrap"
    share: float | None = None
    standardize: bool = True
    params: Mapping[str, Any] | None = None
    n_jobs: int | None = None
    random_state: Seed = None

    def fit(self, X: Table, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Train the members.

        Parameters
        ----------
        X : array-like, DataFrame or sparse matrix, shape (n, p)
            Training rows, as the scorer takes them.
        y : array-like, shape (n,)
            Labels of two classes.
        sample_weight : array-like, shape (n,), optional
            Weights of the rows.

        Returns
        -------
        self
        """
        n_members = check_models(self.n_members, "n_members")
        share = self._checked_share()
        check_n_jobs(self.n_jobs)
        check_same_rows(X=X, y=y, sample_weight=sample_weight)
        if y is None:
            raise InvalidInputError("AveragedScorer requires y to be passed, but the target y is None.")
        X, y = self._read_table(X, reset=True), column_or_1d(labels_to_validate(y), warn=True)
        check_consistent_length(X, y)
        assert_all_finite(y, input_name="y")
        self._set_classes(y)
        codes = (y == self.classes_[1]).astype(np.int64)
        scorer = member_scorer(self.scorer, self.params, sparse.issparse(X))
        weights = None
        if sample_weight is not None:
            weights = _check_sample_weight(as_floats(sample_weight, "sample_weight"), X, ensure_non_negative=True)
            kept = np.flatnonzero(weights > 0)
            X, codes, weights = take_rows(X, kept), codes[kept], weights[kept]
        if np.unique(codes).size < 2:
            raise InvalidInputError("sample_weight is positive in rows of one class only; AveragedScorer needs both.")
        self.seed_ = check_seed(self.random_state)
        tasks = [(seed,) for seed in np.random.SeedSequence(self.seed_).spawn(n_members)]
        shared = (X, codes, weights, scorer, self.sampling, share, self.standardize)
        trained = run_tasks(train_member, tasks, shared=shared, n_jobs=self.n_jobs, label="averaged: member")
        self.members_ = [member for member, _ in trained]
        self.scales_ = np.array([scale for _, scale in trained])
        return self

    def decision_function(self, X: Table) -> NDArray[np.float64]:
        """Score the rows of `X`, shape (n,): the average over the members; larger = more like ``classes_[1]``."""
        check_is_fitted(self)
        X = self._read_table(X, reset=False)
        total = sum(centred_scores(m, X) / scale for m, scale in zip(self.members_, self.scales_, strict=True))
        return total / len(self.members_)

    def _checked_share(self):
        check_choice(self.sampling, "sampling", tuple(SHARES))
        check_flag(self.standardize, "standardize")
        share = SHARES[self.sampling] if self.share is None else self.share
        if not is_number(share) or not 0 < share <= 1:
            raise InvalidInputError(f"share must be None or a number above 0 and at most 1, got {shown(share)}.")
        return float(share)

    def _read_table(self, X, *, reset):
        """Return `X` as the members take it: a frame as it is, so that pipelines find their columns by name."""
        X = as_table(X, "X")
        if is_frame(X):
            validate_data(self, X, reset=reset, skip_check_array=True)
        else:
            # NaN and text are for the members to take or refuse
            X = validate_data(self, X, reset=reset, dtype=None, accept_sparse="csr", ensure_all_finite=False)
        if not isinstance(self.scorer, str):
            return X
        # the named methods take numbers alone, as in npc
        allow_nan = scorer_spec(self.scorer).allow_nan
        known = {"allow_nan": allow_nan, "accept_sparse": True, "method": self.scorer}
        return check_numeric_matrix(X, in_fit=reset, **known)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        if isinstance(self.scorer, str):
            spec = scorer_spec(self.scorer)
            tags.input_tags.sparse, tags.input_tags.allow_nan = spec.sparse, spec.allow_nan
        elif hasattr(self.scorer, "__sklearn_tags__") and not isinstance(self.scorer, type):
            inner = self.scorer.__sklearn_tags__().input_tags
            tags.input_tags.sparse, tags.input_tags.allow_nan = inner.sparse, inner.allow_nan
        return tags


def at_level(parameters):
    """Return `parameters` without ``alpha``, which is given to the members where their method has a level."""
    kept, scorer = dict(parameters), parameters["scorer"]
    alpha = kept.pop("alpha")
    if alpha is not None and isinstance(scorer, str) and scorer_spec(scorer).follows_alpha:
        kept["params"] = {"alpha": alpha, **(kept["params"] or {})}
    return kept


ALPHA = """alpha : float, optional
    Level at which the members train, for a named scorer that has one and is given none in `params`."""

averaged = register_estimator(
    "averaged",
    AveragedScorer,
    added={"alpha": ALPHA},
    prepare=at_level,
    allow_nan=True,
    sparse=True,
    follows_alpha=True,
)
