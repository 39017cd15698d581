"""One member of an ensemble: drawn rows, a trained scorer, and the scale of its scores."""

from __future__ import annotations

import numpy as np
from sklearn.base import clone

from nproc.errors import InvalidInputError
from nproc.rows import take_rows
from nproc.scorers.adapter import check_trainable, score_rows, scoring_method
from nproc.scorers.outliers import refuse_detector
from nproc.scorers.registry import get_scorer, scorer_spec
from nproc.scorers.training import fit_scorer, fresh_copy


def member_scorer(scorer, params, is_sparse):
    """Return the unfitted scorer of all members, without a seed of its own; `scorer` is a name or an estimator."""
    if params is not None and not isinstance(params, dict):
        raise InvalidInputError(f"params must be None or a dict of keywords of the scorer, got {params!r}.")
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
