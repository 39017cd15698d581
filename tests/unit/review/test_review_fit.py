"""Tests of `npc(review_beta=)`: three answers from a trained classifier, its votes, counts, files and refusals."""

import numpy as np
import pandas as pd
import pytest

from nproc import NPWarning, load, np_review, npc, nproc, read_in_chunks, save
from nproc.errors import InvalidInputError, TooFewSamplesError
from nproc.serving import linear_rule

RNG = np.random.default_rng(1)
N = 800
Y = np.arange(N) % 2
X = RNG.normal(size=(N, 3)) + 1.2 * Y[:, None]
NEW = RNG.normal(size=(2000, 3)) + 1.2 * (np.arange(2000) % 2)[:, None]
Y_NEW = np.arange(2000) % 2
KNOWN = {"alpha": 0.1, "review_beta": 0.1, "random_state": 1}


@pytest.fixture(scope="module")
def fit():
    return npc(X, Y, "lda", **KNOWN)


def test_labels_are_those_of_the_rule_on_the_left_out_scores(fit):
    rule = np_review(fit.scores0[0], fit.scores1[0], alpha=0.1, beta=0.1)
    assert rule == fit.review_rules[0]
    scores = fit.decision_function(NEW) + fit.thresholds[0]
    expected = np.array(["review", "0", "1"])[rule.predict(scores) + 1]
    np.testing.assert_array_equal(fit.predict(NEW).astype(str), expected)
    # integers stay integers beside the word
    assert {type(label) for label in fit.predict(NEW)} == {int, str}
    assert (fit.decision_function(NEW) > 0).tolist() == (fit.predict(NEW) == 1).tolist()


def test_the_class_1_rows_that_set_the_lower_cut_do_not_train(fit):
    assert fit.n1_left_out + fit.n0_left_out < N
    trained = fit.scorers[0].means_
    # the left-out rows are those whose scores the fit keeps
    scores = fit.decision_function(X) + fit.thresholds[0]
    left = [
        np.isclose(scores[:, None], kept).any(axis=1) & (c == Y)
        for c, kept in ((0, fit.scores0[0]), (1, fit.scores1[0]))
    ]
    assert [int(rows.sum()) for rows in left] == [fit.n0_left_out, fit.n1_left_out]
    np.testing.assert_allclose(trained, [X[(c == Y) & ~left[c]].mean(axis=0) for c in (0, 1)])


def test_a_prefit_model_uses_all_rows():
    fit = npc(X, Y, lambda rows: np.asarray(rows)[:, 0], prefit=True, **KNOWN)
    assert fit.review_rules[0] == np_review(X[Y == 0, 0], X[Y == 1, 0], alpha=0.1, beta=0.1)


def test_rows_in_chunks_set_both_cuts_by_all_scores(tmp_path):
    pd.DataFrame({"a": X[:, 0], "y": Y}).to_csv(tmp_path / "rows.csv", index=False)
    chunks = read_in_chunks(tmp_path / "rows.csv", label="y", chunk_size=100)
    fit = npc(chunks, method=lambda rows: np.asarray(rows)[:, 0], prefit=True, class0=0, **KNOWN)
    assert fit.review_rules[0] == np_review(X[Y == 0, 0], X[Y == 1, 0], alpha=0.1, beta=0.1)


def test_counts_on_new_rows_add_up(fit):
    found, predicted = fit.evaluate(NEW, Y_NEW), fit.predict(NEW)
    assert found.n_false1 == np.sum((predicted == 1) & (Y_NEW == 0))
    assert found.n_false0 == np.sum((predicted == 0) & (Y_NEW == 1))
    assert found.n0_review + found.n1_review == np.sum(predicted == "review")
    assert found.review == pytest.approx(np.mean(predicted == "review"))
    parts = [(NEW[:700], Y_NEW[:700]), (NEW[700:], Y_NEW[700:])]
    assert repr(fit.evaluate(parts)) == repr(found)
    labels = list(fit.predict_chunks([NEW[:700], NEW[:0], NEW[700:]]))
    assert np.concatenate(labels).tolist() == predicted.tolist()
    # a class 0 row that is reviewed is no type I error
    assert fit.certify(NEW, Y_NEW).n_called1 == found.n_false1


def test_labels_that_are_text_stay_text():
    names = np.array(["ill", "well"])[Y]
    fit = npc(pd.DataFrame(X, columns=list("abc")), names, "lda", class0="ill", **KNOWN)
    predicted = fit.predict(pd.DataFrame(NEW, columns=list("abc")))
    assert predicted.dtype.kind == "U"
    assert set(predicted.tolist()) == {"ill", "well", "review"}


def test_several_splits_agree_by_majority_or_leave_the_row_to_review():
    fit = npc(X, Y, "lda", n_splits=3, **KNOWN)
    calls = []
    for split, rule in enumerate(fit.review_rules):
        scores = fit.scorers[split].decision_function(NEW)
        calls.append(rule.predict(scores))
    calls = np.array(calls)
    expected = np.where((calls == 1).sum(axis=0) > 1.5, "1", np.where((calls == 0).sum(axis=0) > 1.5, "0", "review"))
    np.testing.assert_array_equal(fit.predict(NEW).astype(str), expected)
    assert not fit.guaranteed
    assert "not proved for this vote" in str(fit.summary()).replace("\n    ", " ")


@pytest.mark.filterwarnings("ignore:n_splits=2 is even")
def test_two_splits_must_agree_and_so_keep_both_bounds_of_each():
    fit = npc(X, Y, "lda", n_splits=2, **KNOWN)
    each = np.array(
        [
            rule.predict(scorer.decision_function(NEW))
            for rule, scorer in zip(fit.review_rules, fit.scorers, strict=True)
        ]
    )
    called, agree = fit.predict(NEW).astype(str), each[0] == each[1]
    assert 0 < np.mean(agree) < 1
    np.testing.assert_array_equal(called[~agree], "review")
    for label in (0, 1):
        np.testing.assert_array_equal(called == str(label), agree & (each[0] == label))
    assert fit.guaranteed
    said = str(fit.summary()).replace("\n    ", " ")
    assert "Both splits must agree on a class; other rows are reviewed. The vote therefore has the same bounds" in said
    assert "not proved for this vote" not in said


def test_classes_far_apart_leave_nothing_to_review():
    far = X + 10 * Y[:, None]
    fit = npc(far, Y, "lda", **KNOWN)
    assert fit.review_rules[0].crossed
    plain = npc(far, Y, "lda", split_ratio=fit.split_ratio, alpha=0.1, random_state=1)
    assert fit.thresholds.shape == plain.thresholds.shape
    assert set(fit.predict(far).tolist()) == {0, 1}


def test_other_levels_move_the_cuts_without_training(fit):
    looser = fit.with_levels(alpha=0.2, beta=0.3)
    assert looser.review_rules[0] == np_review(fit.scores0[0], fit.scores1[0], alpha=0.2, beta=0.3)
    assert fit.with_levels().review_rules == fit.review_rules


def test_a_band_gives_the_classifier_with_review():
    band = nproc(X, Y, "lda", random_state=1)
    fit = band.classifier(0.1, review_beta=0.2)
    assert fit.review_rules[0] == np_review(fit.scores0[0], band.scored[0].scores1, alpha=0.1, beta=0.2)
    assert "requires that alpha = 0.1 and beta = 0.2 were fixed before the band was looked at." in fit.notes()[0]
    with pytest.raises(InvalidInputError, match="fixed beforehand"):
        band.classifier(band.choose_alpha("youden"), review_beta=0.2)


def test_files_keep_it(fit, tmp_path):
    for ending in ("joblib", "skops"):
        path = save(fit, tmp_path / f"fit.{ending}")
        again = load(path)
        assert again.predict(NEW).tolist() == fit.predict(NEW).tolist()
        assert repr(again) == repr(fit)


def test_what_needs_one_cut_is_refused(fit):
    for ask in (fit.to_sklearn, fit.thresholds_table, lambda: linear_rule(fit)):
        with pytest.raises(InvalidInputError, match=r"review|one cut"):
            ask()


def test_what_cannot_be_combined_is_told():
    cases = {
        "review_beta cannot be combined": {"cross_fit": 3},
        "review_beta must": {"review_beta": 1.5},
        "has no use": {"ties": "randomize"},
    }
    for message, more in cases.items():
        with pytest.raises(InvalidInputError, match=message):
            npc(X, Y, "lda", **{**KNOWN, **more})
    with pytest.raises(InvalidInputError, match="is one of the labels"):
        npc(X, np.array(["ok", "review"])[Y], "lda", class0="ok", **KNOWN)
    with pytest.raises(TooFewSamplesError, match=r"class 1 scores cannot meet review_beta=0.001"):
        npc(X, Y, "lda", **{**KNOWN, "review_beta": 0.001})


def test_an_even_vote_warns():
    with pytest.warns(NPWarning, match="even"):
        npc(X, Y, "lda", n_splits=2, **KNOWN)


def test_the_picture_shows_both_cuts_and_the_zone(fit):
    ax = fit.plot()
    found = {artist.get_gid() for artist in ax.findobj(lambda artist: artist.get_gid())}
    assert {"nproc-lower", "nproc-upper", "nproc-review", "nproc-scores-0", "nproc-scores-1"} <= found
    assert any("review" in text.get_text() for text in ax.get_legend().get_texts())
    # in grey-scale print the zone has lines across it and the bars have none
    hatches = {patch.get_gid(): patch.get_hatch() for patch in ax.patches}
    assert hatches["nproc-review"] is not None
    assert hatches["nproc-scores-0"] is None


def test_the_summary_says_which_share_trained_and_why():
    fit = npc(X, Y, "lda", **KNOWN)
    told = " ".join(str(fit.summary()).split())
    assert f"{1 - fit.n0_left_out / fit.n0:.4g} (auto)" in told
    assert "within 10 of half, this one leaves the smallest part of alpha unused" in told
    assert "unused" not in str(npc(X, Y, "lda", **KNOWN, split_ratio=0.5).summary())
