"""Tests of `nproc.fits.random_vote`: its rank against an integral, and labels drawn with the shares of votes."""

import numpy as np
import pytest
from scipy import stats

from nproc import NPClassifier, TooFewSamplesError, load, npc, save
from nproc.errors import InvalidInputError, NPWarning
from nproc.fits import NPRandomVoteFit, average_order, average_size
from nproc.fits.random_vote import average_upper
from nproc.orderstat import min_class0_size, np_order
from nproc.simulate import simulation1

SAMPLE = simulation1(600, random_state=1)
FIT = npc(SAMPLE.X, SAMPLE.y, "lda", n_splits=5, vote="random", random_state=1)
# where the splits disagree
NEW = np.linspace(FIT.thresholds.min() - 4, FIT.thresholds.max() + 4, 4000)[:, None]


@pytest.mark.parametrize(("order", "n0", "delta"), [(60, 60, 0.05), (245, 250, 0.05), (90, 100, 0.3), (1, 3, 0.9)])
def test_the_bound_is_the_mean_of_the_tail(order, n0, delta):
    law = stats.beta(n0 + 1 - order, order)
    tail = law.expect(lambda x: x, lb=law.isf(delta), conditional=True)
    np.testing.assert_allclose(average_upper(order, n0, delta), tail, rtol=1e-8)


@pytest.mark.parametrize(
    ("n0", "alpha", "delta"), [(250, 0.05, 0.05), (1000, 0.05, 0.05), (77, 0.1, 0.2), (9, 0.5, 0.1)]
)
def test_the_rank_is_the_smallest_that_keeps_alpha_and_above_that_of_one_split(n0, alpha, delta):
    order = average_order(n0, alpha, delta)
    good = [k for k in range(1, n0 + 1) if average_upper(k, n0, delta) <= alpha]
    assert good[0] == order
    assert order > np_order(n0, alpha, delta)


@pytest.mark.parametrize(
    ("alpha", "delta"), [(0.05, 0.05), (0.2, 0.01), (0.9, 0.9), (0.01, 0.5), (0.01, 0.9), (0.001, 0.999)]
)
def test_the_smallest_size_has_a_rank_and_one_row_less_has_none(alpha, delta):
    size = average_size(alpha, delta)
    assert average_order(size, alpha, delta) == size
    assert size == 1 or average_order(size - 1, alpha, delta) == size
    assert size >= min_class0_size(alpha, delta)


@pytest.mark.slow
def test_each_row_is_called_class_1_as_often_as_the_splits_vote_for_it():
    votes = FIT.votes(NEW)
    assert {0.0, 0.2, 0.4, 0.6, 0.8, 1.0} == set(np.round(votes, 12))
    called = np.mean([FIT.predict(NEW, random_state=seed) for seed in range(400)], axis=0)
    np.testing.assert_array_equal(called[votes == 0], 0)
    np.testing.assert_array_equal(called[votes == 1], 1)
    between = (votes > 0) & (votes < 1)
    total, expected = 400 * called[between].sum(), 400 * votes[between].sum()
    assert abs(total - expected) < 4 * np.sqrt(400 * np.sum(votes * (1 - votes)))


def test_one_seed_gives_the_same_labels_whole_in_chunks_and_in_threads():
    labels = FIT.predict(NEW, random_state=3)
    parts = FIT.predict_chunks([NEW[:1234], NEW[1234:1300], NEW[1300:]], random_state=3)
    np.testing.assert_array_equal(np.concatenate(list(parts)), labels)
    np.testing.assert_array_equal(FIT.predict(NEW, random_state=3, n_jobs=2), labels)
    many = np.tile(NEW, (12, 1))
    np.testing.assert_array_equal(FIT.predict(many, random_state=3, n_jobs=2), FIT.predict(many, random_state=3))
    assert np.any(FIT.predict(NEW, random_state=4) != labels)


@pytest.mark.slow
def test_tied_scores_at_random_have_numbers_of_their_own():
    X = np.round(SAMPLE.X)
    with pytest.warns(NPWarning, match="exact copies"):
        fit = npc(X, SAMPLE.y, "lda", n_splits=5, vote="random", ties="randomize", random_state=1)
    rows = np.unique(X, axis=0)
    labels = np.array([fit.predict(rows, random_state=seed) for seed in range(300)])
    votes = np.array([fit.votes(rows, random_state=seed) for seed in range(300)])
    assert np.any((votes.std(axis=0) > 0) & (labels.std(axis=0) > 0))
    spread = np.sqrt(votes.mean(axis=0) * (1 - votes.mean(axis=0)) / 300)
    assert np.all(np.abs(labels.mean(axis=0) - votes.mean(axis=0)) <= 5 * spread + 1e-12)


def test_a_saved_fit_and_other_levels_are_of_the_same_kind(tmp_path):
    save(FIT, tmp_path / "fit.joblib")
    again = load(tmp_path / "fit.joblib")
    assert isinstance(again, NPRandomVoteFit)
    np.testing.assert_array_equal(again.predict(NEW, random_state=3), FIT.predict(NEW, random_state=3))
    other = FIT.with_levels(alpha=0.1)
    anew = npc(
        SAMPLE.X, SAMPLE.y, "lda", alpha=0.1, n_splits=5, vote="random", random_state=1, split_ratio=FIT.split_ratio
    )
    assert isinstance(other, NPRandomVoteFit)
    np.testing.assert_array_equal(other.thresholds, anew.thresholds)
    assert other.orders[0] == average_order(other.n0_left_out, 0.1, 0.05)


def test_the_left_out_size_suits_its_own_rank():
    # the average over the left-out part is at least as near alpha as with half of the rows
    for n0 in range(160, 420, 20):
        X, y = np.random.default_rng(n0).normal(size=(n0 + 10, 1)), np.repeat([0, 1], [n0, 10])
        fit = npc(X, y, "lda", n_splits=2, vote="random", random_state=1)
        half = npc(X, y, "lda", n_splits=2, vote="random", random_state=1, split_ratio=0.5)
        means = [(f.n0_left_out + 1 - f.orders[0]) / (f.n0_left_out + 1) for f in (fit, half)]
        assert means[0] >= means[1]


def test_the_summary_says_what_is_promised():
    text = " ".join(str(FIT.summary()).split())
    assert "for any number of splits" in text
    assert "drawn at random" in text
    assert "majority" not in text
    assert FIT.guaranteed
    assert repr(FIT).startswith("NPRandomVoteFit(method='lda', alpha=0.05, delta=0.05, 5 splits")
    with pytest.raises(InvalidInputError, match="no majority vote"):
        FIT.vote_bound()


@pytest.mark.parametrize(
    "arguments",
    [
        {"n_splits": 1},
        {"n_splits": 3, "rank": "randomize"},
        {"n_splits": 1, "cross_fit": 5},
        {"n_splits": 3, "groups": np.repeat(["a", "b"], 300)},
        {"n_splits": 3, "clusters": np.arange(600)},
        {"n_splits": 3, "small_sample": "normal"},
    ],
)
def test_what_it_cannot_be_combined_with_is_refused(arguments):
    with pytest.raises(InvalidInputError, match=r"vote='random' (draws one of several splits|cannot be combined with)"):
        npc(SAMPLE.X, SAMPLE.y, "lda", vote="random", **arguments)


def test_too_few_rows_are_told_with_the_number_that_is_needed():
    rows = np.r_[np.flatnonzero(SAMPLE.y == 0)[:114], np.flatnonzero(SAMPLE.y == 1)]
    with pytest.raises(TooFewSamplesError, match="at least 78 are needed"):
        npc(SAMPLE.X[rows], SAMPLE.y[rows], "lda", n_splits=3, vote="random")
    assert npc(SAMPLE.X[rows], SAMPLE.y[rows], "lda", n_splits=3, vote="random", split_ratio=0.3).orders[0] == 80


def test_the_estimator_takes_it():
    model = NPClassifier("lda", n_splits=5, vote="random", random_state=1).fit(SAMPLE.X, SAMPLE.y)
    assert isinstance(model.fit_, NPRandomVoteFit)
    np.testing.assert_array_equal(model.thresholds_, FIT.thresholds)
