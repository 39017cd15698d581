"""Tests of `nproc.bands.fit` through `nproc`: who trains, who is left out, and which warnings are given."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from nproc import NPROCBand, npc, nproc
from nproc.errors import NPWarning, TooFewSamplesError
from nproc.scorers import score_rows
from nproc.splitting import make_splits


def data(n=400, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.repeat([0, 1], [n // 2, n - n // 2]))
    return rng.normal(size=(n, 2)) + np.outer(y, [2.0, 0.0]), y


X, Y = data()


def test_left_out_rows_of_both_classes_make_the_band():
    band = nproc(X, Y, "lda", n_splits=3, split_ratio=0.4, random_state=5)
    splits = make_splits(Y, 3, 0.4, 5, leave_out_class1=True)
    for j, split in enumerate(splits):
        scorer = band.scored[j].scorer
        np.testing.assert_array_equal(band.sorted0[j], np.sort(score_rows(scorer, X[split.idx_left0])))
        np.testing.assert_array_equal(band.sorted1[j], np.sort(score_rows(scorer, X[split.idx_left1])))
        assert scorer.priors_ == pytest.approx([0.5, 0.5])
    assert (band.n0_left_out, band.n1_left_out) == (120, 120)


def test_a_band_of_a_trained_model_uses_all_rows():
    model = LogisticRegression().fit(*data(seed=1))
    band = nproc(X, Y, model, prefit=True)
    scores = model.decision_function(X)
    by_hand = NPROCBand.from_scores(scores[Y == 0], scores[Y == 1])
    np.testing.assert_array_equal(band.type2_upper, by_hand.type2_upper)
    # and its classifier is that of npc
    np.testing.assert_array_equal(band.classifier(0.1).thresholds, npc(X, Y, model, prefit=True, alpha=0.1).thresholds)


@pytest.mark.slow
def test_one_seed_gives_one_band_for_any_number_of_processes():
    reference = nproc(X, Y, "lda", n_splits=3, random_state=5)
    band = nproc(X, Y, "lda", n_splits=3, random_state=5, n_jobs=2)
    np.testing.assert_array_equal(band.type2_upper, reference.type2_upper)
    fresh = nproc(X, Y, "lda", n_splits=3)
    np.testing.assert_array_equal(fresh.type2, nproc(X, Y, "lda", n_splits=3, random_state=fresh.seed).type2)


def test_an_adaptive_ratio_keeps_its_rows_out_of_both_left_out_parts():
    band = nproc(X, Y, "lda", split_ratio="adaptive", random_state=5)
    used = band.ratio_choice.used
    split = make_splits(Y, 1, band.split_ratio, 5, leave_out_class1=True, always_train=used)[0]
    assert not np.any(used[split.idx_left0])
    assert not np.any(used[split.idx_left1])
    np.testing.assert_array_equal(band.scored[0].scores1, score_rows(band.scored[0].scorer, X[split.idx_left1]))


def test_scores_that_point_the_wrong_way_warn_and_are_not_turned_round():
    with pytest.warns(NPWarning, match=r"the wrong sign.* only \d+\.\d% have the larger score.* the guarantee is lost"):
        band = nproc(X, Y, lambda X: -X[:, 0], prefit=True)
    np.testing.assert_array_equal(band.sorted0[0], np.sort(-X[Y == 0, 0]))


def test_ties_count_half_in_the_direction_warning():
    # equal scores everywhere have an area of exactly 1/2: no warning about the direction, but one about the ties
    with pytest.warns(NPWarning, match="the same score") as heard:
        nproc(X, Y, lambda X: np.zeros(len(X)), prefit=True)
    assert len(heard) == 1


@pytest.mark.filterwarnings("ignore:n_splits=2 is even")
def test_the_vote_of_two_splits_misses_what_either_misses_and_the_average_does_not_claim_to_be_its_error():
    band = nproc(X, Y, "tree", n_splits=2, random_state=5)
    with pytest.warns(NPWarning, match=r"every row is called class 0.* \(split 2 of 2\)"):
        fit = band.classifier(0.2)
    alone = [np.mean(fit.votes(X[Y == 1]) < share) for share in (0.5, 1)]
    # missed by both, and missed by either
    assert alone[0] < alone[1] == fit.evaluate(X, Y).type2
    choice = band.choose_alpha("youden")
    texts = [band.summary(), band.at(0.2).summary(), choice.reason, band.classifier(choice).summary()]
    for text in texts:
        told = " ".join(str(text).split())
        assert "averages over 2 splits, for which nothing is proved. They are about single splits." in told
        assert "Its type II error is therefore at least that of each split, and may lie above the bounds." in told
    told = " ".join(str(band.predictive_values(0.5).summary()).split())
    assert "They are about single splits. The predictive values of the vote" in told
    assert "average of 2 splits" in repr(band)


def test_an_even_number_of_splits_warns():
    with pytest.warns(NPWarning, match="n_splits=2 is even"):
        nproc(X, Y, "lda", n_splits=2, random_state=5)


@pytest.mark.parametrize(("keep0", "keep1", "what"), [(1, 50, "class 0"), (50, 1, "class 1")])
def test_a_class_without_rows_to_train_on_or_to_leave_out_is_an_error(keep0, keep1, what):
    rows = np.r_[np.flatnonzero(Y == 0)[:keep0], np.flatnonzero(Y == 1)[:keep1]]
    with pytest.raises(
        TooFewSamplesError, match=f"split_ratio=0.5 of 1 {what} rows leaves 0 to train and 1 for the band"
    ):
        nproc(X[rows], Y[rows], "lda", random_state=5)
