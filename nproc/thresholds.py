"""Thresholds on raw scores: one sample of left-out class 0 scores in, one threshold out."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nproc.checks import (
    Seed,
    check_choice,
    check_count,
    check_delta,
    check_level,
    check_scores,
    check_seed,
    level_text,
    tells_names,
)
from nproc.errors import InvalidInputError, NPWarning, warn_at_call
from nproc.orderstat import lower_rank_chance, order_or_error, round_up, type1_upper, violation_rate
from nproc.rows import warn_of_score_codes
from nproc.score_chunks import CHUNK_SIZE, TopScores, as_chunks, likely_floor, mixture_of, refuse_loose
from nproc.tables import (
    DataFrame,
    InNotebook,
    Summary,
    at_least,
    level_pairs,
    rounded_up,
    short,
    summary_table,
    table_frame,
)

# the same for all splits of a fit
_violation_rate = lru_cache(maxsize=64)(violation_rate)
_type1_upper = lru_cache(maxsize=64)(type1_upper)

TIES = RANKS = ("conservative", "randomize")
VOTES = ("majority", "random")
TIED_SCORE = " A row with a score equal to the threshold is called at random."
NOT_OF_THE_VOTE = "Violation rate and Type I upper are those of each single split, not of the vote."
# a threshold for each group, or one for all; what is done where rows are too few for an order statistic
GROUP_THRESHOLDS, SMALL_SAMPLES = ("separate", "pooled"), ("error", "normal", "log_concave")
# shares of the scale of scores, see `rounding_guard`: two that differ by less are the same, by more may be told apart
SURELY_SAME, SAME_SCORE = 1e-11, 1e-9
FINER_SCORES = "Use a scorer with finer scores, or ties='randomize'."


class ScoreCut(InNotebook):
    """A threshold on scores that has no rule of its own for ties: class 1 when ``score > value``."""

    value: float

    def predict(self, scores: ArrayLike) -> NDArray[np.intp]:
        """Return 0/1 labels for `scores`: 1 where the score exceeds the threshold.

        Parameters
        ----------
        scores : array-like of float, shape (n,)
            Scores, larger = more like class 1.

        Returns
        -------
        ndarray of int, shape (n,)

        Examples
        --------
        >>> from nproc.biased_samples import np_threshold_noisy
        >>> threshold = np_threshold_noisy(np.arange(100.0), np.arange(50.0, 150.0), noise0=0.02, noise1=0.05)
        >>> threshold.predict([90.0, 120.0])
        array([0, 1])
        """
        return (check_scores(scores, "scores") > self.value).astype(np.int64)


class OfRules(property):
    """An attribute that holds, as an array, the same attribute of each of the ``rules``."""

    def __init__(self, name: str) -> None:
        super().__init__(lambda result: np.array([getattr(rule, name) for rule in result.rules]))

    if TYPE_CHECKING:

        def __get__(self, result: Any, kind: Any = None) -> NDArray[Any]: ...  # type: ignore[override]


@dataclass(frozen=True, repr=False)
class Threshold(InNotebook):
    """A threshold on scores: predict class 1 when ``score > value``.

    Attributes
    ----------
    value : float
        The order statistic.
    order : int
        Its rank among the class 0 scores (1 = the smallest).
    n0 : int
        Number of class 0 scores.
    alpha, delta : float
        Type I error at most `alpha` with probability at least 1 - `delta`.
    violation_rate : float
        The probability that the type I error is above `alpha`, at most `delta`: exact for continuous scores and for
        ``ties="randomize"``, an upper bound otherwise.
    type1_upper : float
        Upper bound on the type I error that holds with probability 1 - `delta`, at most `alpha`.
    tie_cut : float or None
        With ``ties="randomize"``: a score equal to `value` is called class 1 when a fresh uniform number
        exceeds this cut. None otherwise.
    coin : float or None
        With ``rank="randomize"``: the probability with which the rank below k* was drawn, when the threshold was made.
        `violation_rate` and `type1_upper` then count this draw in. None otherwise.
    """

    value: float
    order: int
    n0: int
    alpha: float
    delta: float
    violation_rate: float
    type1_upper: float
    tie_cut: float | None = None
    coin: float | None = None

    def __repr__(self):
        tie = "" if self.tie_cut is None else f", tie_cut={short(self.tie_cut)}"
        tie += "" if self.coin is None else f", coin={short(self.coin)}"
        return (
            f"Threshold(value={short(self.value)}, order={self.order} of n0={self.n0}, alpha={level_text(self.alpha)}, "
            f"delta={level_text(self.delta)}, violation_rate={rounded_up(self.violation_rate, self.delta)}, "
            f"type1_upper={rounded_up(self.type1_upper, self.alpha)}{tie})\n"
            "  class 1 when score > value: larger scores mean class 1"
        )

    def predict(self, scores: ArrayLike, *, random_state: Seed = None) -> NDArray[np.intp]:
        """Return 0/1 labels for `scores`: 1 where the score exceeds the threshold.

        Parameters
        ----------
        scores : array-like of float, shape (n,)
            Scores, larger = more like class 1.
        random_state : None, int, Generator or RandomState
            Source of the uniform numbers of a randomised rule; not used otherwise.

        Returns
        -------
        ndarray of int, shape (n,)

        Examples
        --------
        >>> import numpy as np
        >>> np_threshold(np.arange(100.0)).predict([97.0, 98.5, 120.0])
        array([0, 1, 1])
        """
        scores = check_scores(scores, "scores")
        above = scores > self.value
        if self.tie_cut is not None:
            uniform = np.random.default_rng(check_seed(random_state)).random(scores.shape)
            above |= (scores == self.value) & (uniform > self.tie_cut)
        return above.astype(np.int64)

    def to_frame(self) -> DataFrame:
        """Return a DataFrame of one row with the attributes as columns; NaN stands for a tie_cut or coin of None."""
        return table_frame({name: [np.nan if value is None else value] for name, value in asdict(self).items()})

    def summary(self) -> Summary:
        """Return a table of the threshold, its rank and what it promises, as a summary of statsmodels."""
        pairs = [
            ("Threshold", self.value),
            ("Rank", self.order),
            ("Of", self.n0),
            *level_pairs(self, "alpha", "delta"),
            ("Violation rate", rounded_up(self.violation_rate, self.delta)),
            ("Type I upper", rounded_up(self.type1_upper, self.alpha)),
            ("Ties", "conservative" if self.tie_cut is None else f"randomize (cut {self.tie_cut:.4f})"),
        ]
        notes = [
            "Predict class 1 when the score exceeds the threshold: larger scores are taken to mean class 1."
            + TIED_SCORE * (self.tie_cut is not None),
            f"The type I error is at most {level_text(self.alpha)} with probability at least "
            f"{at_least(1 - self.delta)} over the draw of the class 0 scores{and_of_rank(self)}, if the scoring "
            "function never saw their rows (Proposition 1).",
            " ".join([rates_note(self.delta), *coin_notes(self)]),
        ]
        return summary_table("Neyman-Pearson threshold", pairs, notes=notes)


@tells_names
def np_threshold(
    scores0: ArrayLike,
    *,
    alpha: float = 0.05,
    delta: float = 0.05,
    ties: Literal["conservative", "randomize"] = "conservative",
    rank: Literal["conservative", "randomize"] = "conservative",
    random_state: Seed = None,
    n0: int | None = None,
) -> Threshold:
    r"""Set a threshold with a guaranteed type I error from class 0 scores that you already have.

    The rule "predict 1 when score > value" has a type I error of at most `alpha` with probability at
    least 1 - `delta`, over the draw of `scores0`. Nothing is assumed about the scores beyond a
    sample of independent class 0 points that the scoring function never saw. Scores of ``cross_val_predict`` come from
    several models, and for a model trained on all rows the bound is not proved: use the scores of left-out rows.
    ``cross_fit=`` of `npc` uses all class 0 rows, but only a weaker bound than `alpha` is proved for it.

    Parameters
    ----------
    scores0 : array-like of float, shape (n0,), or a source of chunks
        Scores of left-out class 0 points, finite; larger = more like class 1. Scores that do not fit in memory: a
        numpy memmap, the path of an ``.npy`` file or of Parquet (a file or a folder, with one column), a dask array or
        Series, or an iterable of arrays; see `ScoreChunks`, which also takes a list of paths and the name of a column.
        Give ``np.memmap`` the `dtype` of the file: without it bytes would be taken for scores.
    alpha : float
        Bound on the type I error, in (0, 1).
    delta : float
        Bound on the probability, in (0, 0.5], that the type I error is above `alpha`.
    ties : {"conservative", "randomize"}
        What a score equal to the threshold means. "conservative": class 0. With tied scores the type I error is then
        lower than necessary; the guarantee holds. "randomize": class 1 with a probability such that the violation rate
        is *exactly* that of continuous scores (the randomised test of the Neyman-Pearson lemma); predictions of tied
        points are then random.
    rank : {"conservative", "randomize"}
        "conservative": the smallest rank k* with v(k*) <= delta, whose violation rate is mostly below `delta`.
        "randomize": k* - 1 with the probability that makes the violation rate `delta` exactly, and k* otherwise. A coin
        decides once, when the threshold is made, and lowers the type II error on average.
    random_state : None, int, Generator or RandomState
        Used only by ``ties="randomize"`` and ``rank="randomize"``.
    n0 : int, optional
        The number of scores, on which the rank depends. Required for an iterator that can be read only once. For other
        sources of unknown size it saves one pass over the scores.

    Returns
    -------
    Threshold

    Raises
    ------
    TooFewSamplesError
        If n0 is below `min_class0_size(alpha, delta)`.
    InvalidInputError
        If a score is not finite, a level not in (0, 1), `n0` missing where it is needed, or not the number of scores
        found.

    Warns
    -----
    NPWarning
        If all scores are tied, so that the rule calls none of these points class 1. If a score of an array looks like a
        code for a missing value, such as -9 where no other score is negative.

    See Also
    --------
    np_order : the rank alone.
    npc : scorer, threshold and classifier in one.
    ScoreChunks : scores that do not fit in memory.

    Notes
    -----
    With ``ties="randomize"`` every score s carries an independent uniform number u, and pairs (s, u) are compared
    in lexicographic order. They are distributed continuously, so Proposition 1 holds with equality; the
    scores themselves are never changed. The cost is one selection, O(n0), with no sort.

    With ``rank="randomize"`` the rank k* - 1 is drawn with probability
    :math:`p = (\delta - v(k^*)) / (v(k^* - 1) - v(k^*))`. If the draw is independent of the scores, the type I error
    exceeds alpha with probability :math:`(1 - p) v(k^*) + p v(k^* - 1) = \delta` over the scores and the draw (for
    k* = 1 there is no lower rank, and k* stays). The uniform number of the draw comes from `random_state` and from a
    mixture of all bits of the scores. It is thus another one for other data, also for whoever always types the same
    seed, and it is taken to be independent of where the scores lie, as pseudo-random numbers are. Scores with very few
    distinct values may give the same number again and again: draw the seed at random there. Once the rank is known, the
    violation rate is that of this rank: above `delta` for k* - 1. Do not repeat the call until you like the rank: that
    makes the guarantee void.

    From chunks the result is exactly that of all scores in one array, ties and seeds included, whatever the order and
    the sizes of the chunks. The scores are read once, or twice if they must be counted first. About 16 alpha n0 bytes
    are kept in memory, and for a short time up to 24 alpha n0.

    Of a dask array each block is reduced where it is, so that no more than n0 - k + 1 of its scores travel, and the
    parts are merged in a tree, in which several wait on each of some :math:`\log_4(1 / \alpha)` levels. All workers
    together then take far more than one pass here does: 80 to 150 alpha n0 bytes were measured for two threads, which
    for alpha = 0.05 is more than half of the scores. A merge takes up to 64 alpha n0 bytes of one worker.

    References
    ----------
    Proposition 1 and Algorithm 1, steps 9 and 15 to 18, of [tong2018]_.

    Examples
    --------
    >>> import numpy as np
    >>> scores0 = np.random.default_rng(0).normal(size=500)
    >>> threshold = np_threshold(scores0, alpha=0.05, delta=0.05)
    >>> threshold.order, round(threshold.value, 3), round(threshold.violation_rate, 4)
    (484, 1.764, 0.0343)
    """
    refuse_loose(scores0, "scores0")
    chunks = as_chunks(scores0)
    values = None if chunks is not None else check_scores(scores0, "scores0")
    alpha = check_level(alpha, "alpha")
    delta = check_delta(delta)
    check_choice(ties, "ties", TIES)
    check_choice(rank, "rank", RANKS)
    known = chunks.size if values is None else values.size
    size = _size_of(chunks, known, n0)
    way_out = "If they can be assumed normal, nproc.small_samples.np_threshold_normal requires only 2 scores."
    order, coin = order_or_error(size, alpha, delta, way_out=way_out), None
    if rank == "randomize":
        random_state = check_seed(random_state)
    if values is not None:
        warn_of_score_codes(values, "scores0")
        if rank == "randomize":
            order, coin = draw_order(order, size, alpha, delta, random_state, mixture_of(values))
        threshold = threshold_at(values, order, alpha, delta, ties, random_state, coin)
        all_tied = ties == "conservative" and size > 1 and values.min() == values.max()
    else:
        mixed = rank == "randomize"
        # the rank below k* is one place further from the top
        top = _select(chunks, size, min(size, size - order + 1 + mixed), counted=n0 is None, mixed=mixed)
        if mixed:
            order, coin = draw_order(order, size, alpha, delta, random_state, top.mixture)
        value, n_larger, n_tied = top.largest(size - order + 1)
        tie_cut = _tie_cut(n_tied, size - order + 1 - n_larger, random_state) if ties == "randomize" else None
        threshold = _threshold(value, order, size, alpha, delta, tie_cut, coin)
        all_tied = ties == "conservative" and n_tied == size > 1
    if all_tied:
        warn_at_call(f"{all_tied_message(size, threshold.value)} {FINER_SCORES}", NPWarning)
    return threshold


def draw_order(order, n0, alpha, delta, seed, mixture):
    """Return the rank that a coin chooses, `order` or the one below, and the probability of the latter.

    The coin depends on the seed and on `mixture_of` the scores. From the seed alone, whoever always types the same one
    would always draw the same side.
    """
    coin = lower_rank_chance(order, n0, alpha, delta)
    # a stream apart from those of splits and of an adaptive ratio
    source = np.random.default_rng([seed, 3, mixture >> 32, mixture % 2**32])
    return order - int(source.random() < coin), coin


def threshold_at(scores0, order, alpha, delta, ties="conservative", random_state=None, coin=None):
    """Return the `Threshold` at a known rank of checked scores."""
    value = float(np.partition(scores0, order - 1)[order - 1])
    tie_cut = None
    if ties == "randomize":
        n_larger, n_tied = np.count_nonzero(scores0 > value), np.count_nonzero(scores0 == value)
        tie_cut = _tie_cut(n_tied, scores0.size - order + 1 - n_larger, random_state)
    return _threshold(value, order, scores0.size, alpha, delta, tie_cut, coin)


def _threshold(value, order, n0, alpha, delta, tie_cut, coin):
    # over the scores and the coin the rate is delta, and so alpha is the bound
    exact = bool(coin)
    return Threshold(
        value=value,
        order=order,
        n0=n0,
        alpha=alpha,
        delta=delta,
        violation_rate=delta if exact else _violation_rate(order, n0, alpha),
        type1_upper=alpha if exact else _type1_upper(order, n0, delta),
        tie_cut=tie_cut,
        coin=coin,
    )


def _size_of(chunks, known, n0):
    """Return the number of scores, which decides the rank: known, given or counted."""
    if n0 is not None:
        n0 = check_count(n0, "n0")
        if known not in (None, n0):
            raise InvalidInputError(f"n0={n0} was given, but scores0 has {known} scores; leave n0 out.")
    size = n0 or known or chunks.count("scores0")
    if size == 0:
        raise InvalidInputError("scores0 is empty; at least one score is needed.")
    return size


def _select(chunks, n0, rank, *, counted, mixed):
    """Return the `TopScores` of the chunks, which know the rank-th largest score and those above it."""
    sample = chunks.sample()
    floor = -np.inf if sample is None else likely_floor(sample, rank / n0)
    top = chunks.fold(partial(TopScores, rank, floor, mixed), "scores0")
    if top.n == n0 and not top.complete:
        # the order of the scores misled the sample: once more, without a guess
        top = chunks.fold(partial(TopScores, rank, mixed=mixed), "scores0")
    if top.n != n0:
        came = "were counted first" if counted else "were announced by n0="
        raise InvalidInputError(
            f"scores0 held {top.n} scores, but {n0} {came}; the rank of the threshold depends on their number."
        )
    return top


def rounding_guard(scores0, value):
    r"""Return the distance from a threshold within which scores count as equal to it.

    Parameters
    ----------
    scores0 : ndarray, shape (n,)
        Left-out class 0 scores.
    value : float or ndarray
        One threshold, or several.

    Returns
    -------
    float or ndarray
        As `value`.

    Notes
    -----
    A model scores equal rows equally only up to rounding: sums are taken in another order for one row than for many.
    A score within the distance is called class 0, so that the type I error only falls by it; where ties are called at
    random, one below the threshold is class 0 all the same.

    The distance reaches half way to the next class 0 score, so that it costs hardly any power. It is at most 1e-9
    of the scale of the scores and at least 1e-11 of it, each plus 4 units in the last place of the threshold. The scale
    counts from the median m: it is \|value - m\|, plus the median of those \|s - m\| that are more than rounding of m.
    So a constant that is added to all scores changes nothing but the last term, and neither does a factor. Two scores
    are the same where they differ by no more than the least distance: the next class 0 score is the first that does.
    Above the largest the step below it counts. With the distance added, thresholds keep their order.

    Rounding errors are smaller than the largest distance where the columns are up to 10^5 of their own standard
    deviations away from 0, and smaller than the least where they are up to 10^3. Between the two, equal class 0 rows
    whose scores differ by rounding count as different and hold the distance down, so a new row equal to them may be
    called class 1. Power is lost where the least distance matters: where half of the scores lie 10^10 times further
    from the threshold than the others are apart.

    Examples
    --------
    >>> scores0 = np.array([-1.0, -0.5, 0.0, 0.5, 1.0])
    >>> bool(abs(rounding_guard(1e6 + scores0, 1e6 + 1.0) / rounding_guard(scores0, 1.0) - 1) < 0.4)
    True
    """
    return guard_of(scores0)(value)


def guard_of(scores0):
    """Return `rounding_guard` of one sample as a function of the threshold."""
    at_share = _shares_of_scale(scores0)
    least_distance = partial(at_share, SURELY_SAME)
    top = scores0.max()
    below = scores0[scores0 < top - least_distance(top)]
    after = top + (top - below.max()) if below.size else np.inf

    def next_above(value):
        if np.ndim(value) == 0:
            # one look at each score costs less than sorting them
            return np.min(scores0, where=scores0 > value, initial=after)
        known = np.append(np.sort(scores0), after)
        return known[np.searchsorted(known[:-1], value, side="right")]

    def guard(value):
        least = least_distance(value)
        return np.clip((next_above(value + least) - value) / 2, least, at_share(SAME_SCORE, value))

    return guard


def surely_same_within(scores):
    """Return the distance up to which a score is surely the same as one of a sample, as a function of the score.

    It is the least distance of `rounding_guard`. A score that lies far out has a distance of its own size, and changes
    that of no other.
    """
    return partial(_shares_of_scale(scores), SURELY_SAME)


def _shares_of_scale(scores):
    """Return the distances of `rounding_guard` as a function of a share of the scale and of a score."""
    centre = float(np.median(scores))
    away = np.abs(scores - centre)
    away = away[away > 64 * np.spacing(abs(centre))]
    spread = float(np.median(away)) if away.size else 0.0
    return lambda share, value: share * (spread + np.abs(value - centre)) + 4 * np.spacing(np.abs(value))


def middle_range(scores):
    """Return the range of the middle nine tenths of scores, along the first axis: a few far-out scores do not count."""
    ordered, outside = np.sort(scores, axis=0), -(-len(scores) // 20)
    # of one or two scores there is no middle
    return np.maximum(ordered[-1 - outside] - ordered[outside], 0) if len(scores) > outside else 0.0 * ordered[0]


def all_tied_message(n0, value):
    """Return what to say of a sample of equal scores, before the advice of `FINER_SCORES`."""
    return (
        f"all {n0} left-out class 0 scores are tied at {value:g}, so only rows with a larger score are called class 1. "
        "The type I error is controlled, but the type II error may be large."
    )


def _tie_cut(n_tied, rank, random_state):
    """Return the rank-th largest of as many uniform numbers as scores are tied with the threshold.

    `rank` is that of the threshold among the tied scores, from the top. The numbers are drawn a chunk at a time, which
    gives the same as all at once.
    """
    rng = np.random.default_rng(check_seed(random_state))
    uniforms = TopScores(rank)
    for start in range(0, n_tied, CHUNK_SIZE):
        uniforms.add(rng.random(min(CHUNK_SIZE, n_tied - start)))
    return uniforms.largest(rank)[0]


def and_of_rank(rule):
    """Return what a promise adds to "over the draw of the scores" where the rank was drawn, too; else nothing."""
    return " and the random choice between two ranks" * (getattr(rule, "coin", None) is not None)


def coin_notes(rule):
    """Return how a random rank was drawn, as a list of one sentence, or of none."""
    if rule.coin is None:
        return []
    drawn = _violation_rate(rule.order, rule.n0, rule.alpha)
    return [
        "The rank was chosen at random when the threshold was made: the lower of two ranks with probability "
        f"{rule.coin:.3g}. The violation rate includes this random choice. "
        f"Given the rank that was drawn, the violation rate is {round_up(drawn)}."
    ]


def rates_note(delta):
    return (
        "Violation rate: an upper bound on the probability of a type I error above alpha (at most delta = "
        f"{delta:g}). Type I upper: the type I error is at most this value with probability at least 1 - delta."
    )


def rates_of_splits_note(delta):
    """Return what `rates_note` says, for splits that vote."""
    return (
        f"{NOT_OF_THE_VOTE} In each split the type I error is above alpha with a probability of at most the violation "
        f"rate (at most delta = {delta:g}). It is at most Type I upper with probability at least 1 - delta."
    )
