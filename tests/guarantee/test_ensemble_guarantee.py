"""Ensembles: one threshold on an averaged score is exact; the vote has a weaker bound, which cannot be improved."""

import numpy as np
import pytest
from exactness import (
    MeanDifference,
    assert_rate,
    assert_rate_above,
    assert_rate_at_most,
    exact_violation_rate,
    rejects,
    smallest_order,
    type1_of,
)
from scipy import optimize, stats

from nproc import np_threshold, npc
from nproc.fits import average_order, vote_bound
from nproc.scorers import AveragedScorer
from nproc.simulate import GaussianWorld
from nproc.simultaneous import simultaneous_type1_upper

WORLD = GaussianWorld([0, 0], [1.5, 1])
ALPHA = 0.1
DELTAS = (0.05, 0.2)
# class 0 rows, half of which set the threshold, and how the members draw theirs
SIZES = [(118, "bootstrap"), (200, "subsample"), (500, "bootstrap")]


def averaged_violations(n_data_sets, n0, scorer, start, **arguments):
    """Counts over data sets of a true type I error above alpha, one for each delta; the members are the same."""
    counts = np.zeros(len(DELTAS), dtype=int)
    for seed in range(start, start + n_data_sets):
        sample = WORLD.sample_classes(n0, 40, seed)
        fit = npc(
            sample.X,
            sample.y,
            scorer,
            alpha=ALPHA,
            delta=DELTAS[0],
            random_state=seed,
            **{"split_ratio": 0.5} | arguments,
        )
        assert fit.guaranteed
        error = type1_of(fit, 2)[0]
        weights_norm = (fit.thresholds[0] - _intercept(fit)) / stats.norm.isf(error)
        for i, delta in enumerate(DELTAS):
            cut = np_threshold(fit.scores0[0], alpha=ALPHA, delta=delta).value
            counts[i] += stats.norm.sf((cut - _intercept(fit)) / weights_norm) > ALPHA
    return counts


def _intercept(fit):
    return fit.scorers[0].decision_function(np.zeros((1, 2)))[0]


def exact_rate(n_left_out, delta):
    return float(exact_violation_rate(n_left_out, smallest_order(n_left_out, ALPHA, delta), ALPHA))


@pytest.mark.slow
@pytest.mark.parametrize(("n0", "sampling"), SIZES)
def test_one_threshold_on_an_averaged_score_violates_at_the_exact_rate(n0, sampling):
    scorer = AveragedScorer(MeanDifference(), n_members=3, sampling=sampling)
    counts = averaged_violations(250, n0, scorer, start=60_000)
    for count, delta in zip(counts, DELTAS, strict=True):
        assert_rate(count, 250, exact_rate(n0 // 2, delta))


@pytest.mark.slow
def test_the_named_ensemble_violates_at_the_exact_rate_on_1500_data_sets():
    counts = averaged_violations(1500, 200, "averaged", start=70_000, method_params={"scorer": "lda", "n_members": 2})
    for count, delta in zip(counts, DELTAS, strict=True):
        assert_rate(count, 1500, exact_rate(100, delta))
        wrong = smallest_order(100, ALPHA, delta) - 1
        assert rejects(count, 1500, float(exact_violation_rate(100, wrong, ALPHA)))


# --- the vote ---


def wrapped_vote(errors):
    """Type I error of a majority vote of rules with these errors, arranged so that it is as large as it can be.

    Their regions are arcs laid end to end around a circle of length sum / m: no arc meets itself, and each point lies
    in exactly m of them. The share of points with m votes is counted, not taken from the formula.
    """
    least = errors.size // 2 + 1
    length = errors.sum() / least
    assert errors.max() <= length
    starts = np.concatenate([[0.0], np.cumsum(errors)[:-1]])
    corners = np.sort(np.concatenate([starts, starts + errors]) % length)
    middles = (corners + np.append(corners[1:], corners[0] + length)) / 2
    widths = np.diff(np.append(corners, corners[0] + length))
    votes = ((middles[:, None] - starts) % length < errors).sum(axis=1)
    return widths[votes >= least].sum()


def spread_tails(rng, n_samples, n_splits, n, order, p):
    """Errors of splits, each with its Beta law, that share their bad luck: with probability p all lie in the worst p.

    There they stand evenly spaced in probability, so that their mean is nearly the mean of the tail, every time.
    """
    bad = rng.random(n_samples) < p
    spaced = (rng.random(n_samples)[:, None] + np.arange(n_splits) / n_splits) % 1
    upper = np.where(bad[:, None], p * spaced, p + (1 - p) * rng.random((n_samples, n_splits)))
    return stats.beta.isf(upper, n + 1 - order, order)


@pytest.mark.parametrize("n", [59, 250, 2000])
@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize("kind", ["independent", "equal", "worst"])
def test_the_bound_of_the_vote_holds_however_the_splits_depend(n, delta, kind):
    n_splits, n_samples = 11, 4000
    bound = vote_bound(n_splits, ALPHA, delta, n0_left_out=n)
    rng = np.random.default_rng([n, int(100 * delta)])
    law = stats.beta(n + 1 - bound.order, bound.order)
    if kind == "worst":
        errors = spread_tails(rng, n_samples, n_splits, n, bound.order, delta)
    else:
        errors = np.broadcast_to(
            law.rvs((n_samples, 1 if kind == "equal" else n_splits), random_state=rng), (n_samples, n_splits)
        )
    # each split by itself keeps its promise, at the exact rate
    assert_rate(np.sum(errors[:, 4] > ALPHA), n_samples, float(exact_violation_rate(n, bound.order, ALPHA)))
    # the most that the vote can reach with these errors
    most = np.maximum(errors.max(axis=1), errors.sum(axis=1) / bound.least_votes)
    most = np.minimum(most, errors.sum(axis=1) / bound.least_votes)
    assert_rate_at_most(np.sum(most > bound.type1_upper), n_samples, bound.failure)
    assert_rate_at_most(np.sum(most > bound.type1_upper_at_delta), n_samples, delta)
    assert most.mean() <= bound.mean_type1_upper * (1 + 4 / np.sqrt(n_samples))


@pytest.mark.parametrize("n", [60, 200, 600])
@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize("n_splits", [2, 3])
def test_on_a_simultaneous_band_the_union_bound_holds_at_all_alpha_at_once(n, delta, n_splits):
    n_samples, share = 600, 1 - np.sqrt(1 - delta)
    upper = simultaneous_type1_upper(n, share)
    rng = np.random.default_rng([n, int(100 * delta), n_splits])
    # type I errors of the rules at all ranks, of splits without anything in common
    errors = 1 - np.sort(rng.random((n_samples, n_splits, n)), axis=2)
    # each split keeps all its bounds at the exact rate (the local level is found to a thousandth)
    assert_rate(np.sum(np.any(errors[:, 0] > upper, axis=1)), n_samples, 0.9995 * share)
    # the most that the vote can reach at each rank, with the worst b splits put aside
    least = n_splits // 2 + 1
    ordered = np.sort(errors, axis=1)
    most = np.min([ordered[:, : n_splits - b].sum(axis=1) / (least - b) for b in range(least)], axis=0)
    bound = vote_bound(n_splits, ALPHA, share)
    # alpha is chosen, after looking, where the vote does worst
    assert_rate_at_most(np.sum(np.any(most > bound.factor * upper, axis=1)), n_samples, bound.failure)


@pytest.mark.parametrize("n", [59, 250, 2000])
@pytest.mark.parametrize("delta", DELTAS)
def test_no_smaller_bound_follows_from_the_promise_of_single_splits(n, delta):
    # within 3 % of the bound is exceeded with probability delta itself
    n_splits, n_samples = 31, 4000
    bound = vote_bound(n_splits, ALPHA, delta, n0_left_out=n)
    errors = spread_tails(np.random.default_rng([n, 7]), n_samples, n_splits, n, bound.order, delta)
    reached = errors.sum(axis=1) / bound.least_votes > 0.97 * bound.type1_upper_at_delta
    assert_rate_above(reached.sum(), n_samples, 0.6 * delta)
    for row in errors[reached][:20]:
        # rules with these errors exist whose vote has the whole of it
        assert wrapped_vote(row) == pytest.approx(row.sum() / bound.least_votes, rel=1e-12)


@pytest.mark.parametrize("n_splits", [3, 5, 11, 4])
def test_the_constant_of_the_vote_is_approached(n_splits):
    # class 0 is uniform on cells and on a height; rule j sees m neighbouring cells, so that m rules see each cell
    least = n_splits // 2 + 1
    ratios = []
    for n in (1000, 10_000, 100_000):
        order = smallest_order(n, ALPHA, 0.05)
        rng = np.random.default_rng([n_splits, n])
        cell, height = rng.integers(n_splits, size=n), rng.random(n)
        cuts = np.empty(n_splits)
        for j in range(n_splits):
            seen = (cell - j) % n_splits < least
            cuts[j] = np.sort(np.where(seen, height, -1.0))[order - 1]
        errors = least / n_splits * (1 - cuts)
        all_seers = [[(c - i) % n_splits for i in range(least)] for c in range(n_splits)]
        vote = np.mean([1 - cuts[seers].max() for seers in all_seers])
        assert vote <= errors.sum() / least * (1 + 1e-12)
        ratios.append(vote / (n_splits / least * ALPHA))
    assert ratios[0] < ratios[1] < ratios[2] < 1.02
    assert ratios[2] > 0.97


class Window:
    """A score that sees a window of angles, its place drawn anew in each split; elsewhere it says -1.

    Class 0 is uniform in angle and height, so that each window is as good a score as any other.
    """

    share = 0.8

    def __init__(self, random_state=None):
        self.random_state = random_state

    def get_params(self, deep=True):
        return {"random_state": self.random_state}

    def set_params(self, **params):
        self.random_state = params["random_state"]
        return self

    def fit(self, X, y):
        self.start_ = np.random.default_rng(self.random_state).random()
        return self

    def decision_function(self, X):
        return np.where((X[:, 0] - self.start_) % 1 < self.share, X[:, 1], -1.0)


def window_vote(fit, n_angles=2000):
    """True type I error of the vote of windows: at each angle the height from which most of the splits say 1."""
    angles = (np.arange(n_angles) + 0.5) / n_angles
    starts = np.array([scorer.start_ for scorer in fit.scorers])
    seen = (angles[:, None] - starts) % 1 < Window.share
    cuts = np.sort(np.where(seen, fit.thresholds, np.inf), axis=1)[:, fit.n_splits // 2]
    return float(np.mean(np.clip(1 - cuts, 0, None)))


@pytest.mark.slow
def test_the_vote_breaks_alpha_in_most_samples_where_scores_disagree_and_its_own_bound_in_few():
    alpha, delta, n_data_sets = 0.2, 0.1, 150
    singles, over, over_bound = 0, 0, 0
    for seed in range(n_data_sets):
        rng = np.random.default_rng([seed, 8])
        X, y = rng.random((2010, 2)), np.repeat([0, 1], [2000, 10])
        fit = npc(X, y, Window(), alpha=alpha, delta=delta, n_splits=11, random_state=seed, split_ratio=0.5)
        vote, bound = window_vote(fit), fit.vote_bound()
        singles += Window.share * (1 - fit.thresholds[0]) > alpha
        over += vote > alpha
        over_bound += vote > bound.type1_upper_at_delta
    order = smallest_order(1000, alpha, delta)
    assert_rate(singles, n_data_sets, float(exact_violation_rate(1000, order, alpha)))
    assert_rate_above(over, n_data_sets, 0.8)
    assert_rate_at_most(over_bound, n_data_sets, delta)


def test_the_summary_of_a_vote_that_breaks_alpha_does_not_say_that_the_violation_rate_bounds_it():
    rng = np.random.default_rng([0, 8])
    X, y = rng.random((2010, 2)), np.repeat([0, 1], [2000, 10])
    given = {"alpha": 0.2, "delta": 0.1, "random_state": 0, "split_ratio": 0.5}
    one, vote = (npc(X, y, Window(), n_splits=n_splits, **given) for n_splits in (1, 11))
    assert window_vote(vote) > 0.2
    of_one, of_vote = (" ".join(str(fit.summary()).split()) for fit in (one, vote))
    bound = "Violation rate: an upper bound on the probability of a type I error above alpha"
    assert bound in of_one
    assert bound not in of_vote
    assert "Violation rate and Type I upper are those of each single split, not of the vote." in of_vote
    assert "It held in experiments with useful scores, but it can fail if the scores of the splits disagree." in of_vote


# --- one split, drawn at random for each row ---


@pytest.mark.parametrize("n", [59, 250, 2000])
@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize("kind", ["independent", "equal", "worst"])
def test_the_average_keeps_alpha_however_the_splits_depend(n, delta, kind):
    n_splits, n_samples = 31, 4000
    order = average_order(n, ALPHA, delta)
    rng = np.random.default_rng([n, int(100 * delta), 11])
    if kind == "worst":
        errors = spread_tails(rng, n_samples, n_splits, n, order, delta)
    else:
        columns = 1 if kind == "equal" else n_splits
        errors = stats.beta(n + 1 - order, order).rvs((n_samples, columns), random_state=rng)
    assert_rate_at_most(np.sum(errors.mean(axis=1) > ALPHA), n_samples, delta)


@pytest.mark.slow
@pytest.mark.parametrize(("n", "delta"), [(59, 0.05), (59, 0.2), (100, 0.2)])
def test_at_a_smaller_rank_some_splits_break_alpha_on_average_more_often_than_delta(n, delta):
    n_splits, n_samples = 201, 4000
    order = average_order(n, ALPHA, delta) - 1
    law = stats.beta(n + 1 - order, order)
    # the share of bad luck whose errors are a little above alpha on average is larger than delta
    worst = optimize.brentq(lambda p: law.expect(lambda x: x, lb=law.isf(p), conditional=True) - 1.01 * ALPHA, 1e-3, 1)
    errors = spread_tails(np.random.default_rng([n, int(100 * delta), 12]), n_samples, n_splits, n, order, worst)
    # each split by itself keeps its law
    assert_rate(np.sum(errors[:, 4] > ALPHA), n_samples, float(exact_violation_rate(n, order, ALPHA)))
    assert_rate_above(np.sum(errors.mean(axis=1) > ALPHA), n_samples, delta)


@pytest.mark.slow
def test_where_scores_disagree_a_split_drawn_at_random_keeps_alpha_and_a_majority_does_not():
    alpha, delta, n_data_sets = 0.2, 0.1, 100
    over, over_by_majority = 0, 0
    for seed in range(n_data_sets):
        rng = np.random.default_rng([seed, 9])
        X, y = rng.random((2010, 2)), np.repeat([0, 1], [2000, 10])
        given = {"alpha": alpha, "delta": delta, "n_splits": 11, "random_state": seed, "split_ratio": 0.5}
        fit = npc(X, y, Window(), vote="random", **given)
        assert fit.guaranteed
        over += np.mean(Window.share * (1 - fit.thresholds)) > alpha
        # the same splits and the same rank
        over_by_majority += window_vote(fit) > alpha
    assert_rate_at_most(over, n_data_sets, delta)
    assert_rate_above(over_by_majority, n_data_sets, 0.5)
