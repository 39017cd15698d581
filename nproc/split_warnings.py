"""What `npc` and `nproc` warn of in the splits: tied votes, copies on both sides, useless or reversed scores."""

from __future__ import annotations

import numpy as np

from nproc.errors import NPWarning
from nproc.rows import count_shared, has_twin, row_keys, take_rows
from nproc.score_direction import CHOSEN, FREE, PAID, SHARED, some_of, warn_direction
from nproc.scorers import score_rows
from nproc.thresholds import FINER_SCORES, SAME_SCORE, all_tied_message, rounding_guard
from nproc.warning_place import warn_at_call


def warn_even(n_splits):
    """Warn that the tie of an even number of votes goes to class 0."""
    if n_splits % 2 == 0:
        warn_at_call(
            f"n_splits={n_splits} is even: a tied vote goes to class 0. Use an odd number to have none.",
            NPWarning,
        )


def warn_duplicates(X, splits):
    """Warn if exact copies of left-out rows were trained on, which makes them less than left out."""
    keys = row_keys(X)
    twin = has_twin(keys)
    if not twin.any():
        return
    shared = []
    for split in splits:
        idx_left = np.concatenate([split.idx_left0, split.idx_left1])
        n_left = idx_left.size
        shared.append(count_shared(keys, split.idx_train, idx_left, twin=twin))
    if max(shared):
        most = f" (most, over {len(shared)} splits)" if len(shared) > 1 else ""
        warn_at_call(
            f"{max(shared)} of {n_left} left-out rows are exact copies of training rows{most}. If they are one "
            "observation entered twice, the left-out rows are not independent of the training and the guarantee is "
            "weakened: drop the copies first. If they are different observations that agree in all columns, keep them: "
            "the guarantee holds.",
            NPWarning,
        )


def warn_uninformative(inputs, scored, thresholds, *, ties="conservative"):
    """Warn once, of the first such split, if scores that count as equal leave nothing that is called class 1."""
    for j, (split, value) in enumerate(zip(scored, thresholds, strict=True), start=1):
        scores0 = split.scores0
        low, high = scores0.min(), scores0.max()
        # no guard is wider, and those of most samples need not be worked out
        if high - value > 2 * SAME_SCORE * (high - low) + 4 * np.spacing(abs(value)):
            continue
        guard = rounding_guard(scores0, value)
        if high - value > guard:
            continue
        message = _useless(inputs.method.name, scores0, _some_scores1(inputs, split), value, guard, ties)
        if message is None:
            continue
        which = f" (split {j} of {len(scored)})" if len(scored) > 1 else ""
        warn_at_call(message + which, NPWarning)
        return


def _useless(name, scores0, scores1, value, guard, ties):
    """Return the warning for a threshold with no class 0 score clearly above it; None if there is no need of one."""
    low, high = scores0.min(), scores0.max()
    above = max(high, scores1.max()) - value
    if 64 * np.spacing(abs(value)) < above <= guard:
        return (
            f"no score is further than {guard:.1g} above the threshold {value:g}, but others are as far as "
            f"{value - low:.1g} below it, and beside such numbers differences of this size may be rounding errors. So "
            "they count as none, and every row is called class 0. Use scores of one scale, such as their logarithm or "
            "another increasing function of them."
        )
    n_tied = int(np.sum(np.abs(scores0 - value) <= guard))
    if n_tied < 2 or ties == "randomize":
        return None
    if low == value and np.all(scores1 == value):
        return (
            f"method {name!r} gives every row the constant score {value:g}: it separates nothing, and every row is "
            "called class 0. Check the predictors or choose another method."
        )
    if low == value:
        return all_tied_message(scores0.size, value)
    if above <= guard:
        return (
            f"the {n_tied} largest of {scores0.size} left-out class 0 scores are tied at {value:g}, and no class 1 "
            f"score lies above: every row is called class 0. {FINER_SCORES}"
        )
    return None


def _some_scores1(inputs, split):
    if split.scores1.size:
        return split.scores1
    # all class 1 rows trained: scores of these only help to word a warning
    idx = np.flatnonzero(inputs.y == 1)[:1000]
    return _scores_of(inputs, split, idx)


def warn_reversed(inputs, scored, splits, choice=None, *, clusters=None):
    """Warn if the scores clearly point the wrong way; `nproc.score_direction` has what is proved.

    The evidence is the scores of training rows in the first split, which set no threshold there. They flatter a scorer
    that was trained on them, so that useless ones are not taken for reversed. Without splits, of a prefit scorer, only
    the rows that set the threshold are there. An adaptive ratio comes with its `choice`. With `clusters`, the cluster
    of each row, one row of each cluster and class is compared, since rows of one cluster may be alike.
    """
    class0, class1 = inputs.labels.values.tolist()
    first, price = scored[0], PAID
    who = f"scored by {inputs.method.name!r}, with {class0!r} as class 0 and {class1!r} as class 1"
    if splits is None:
        # scores0 has one row of each cluster already
        scores1 = first.scores1 if clusters is None else first.scores1[_one_of_each(clusters[inputs.y == 1])]
        scores = first.scores0, scores1
    else:
        scores = []
        for label in (0, 1):
            rows = splits[0].idx_train[inputs.y[splits[0].idx_train] == label]
            rows = rows if clusters is None else rows[_one_of_each(clusters[rows])]
            scores.append(_scores_of(inputs, first, some_of(rows)))
        free = FREE.format(seed=splits.seed, ratio=CHOSEN if choice else "")
        price = free if len(splits) == 1 else SHARED
    warn_direction(*scores, who, price)


def _one_of_each(clusters):
    return np.unique(clusters, return_index=True)[1]


def _scores_of(inputs, split, rows):
    return score_rows(split.scorer, take_rows(inputs.X, rows)) if rows.size else np.empty(0)
