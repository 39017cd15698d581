import pickle

import joblib
import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import check_estimator

from nproc import InvalidInputError, NPClassifier, compare, get_scorer, load, np_threshold, npc, nproc, save
from nproc.cli import main
from nproc.scorers import AveragedScorer, score_rows, scorer_spec
from nproc.scorers.averaged import draw_rows
from nproc.simulate import GaussianWorld
from nproc.splitting import make_splits

WORLD = GaussianWorld([0, 0, 0], [1.5, 1, 0])
SAMPLE = WORLD.sample_classes(150, 200, 1)
X, Y = SAMPLE.X, SAMPLE.y
NEW = WORLD.sample_classes(300, 300, 2)


def ensemble(scorer="lda", **arguments):
    return AveragedScorer(scorer, **{"n_members": 3, "random_state": 5, **arguments})


def scores(model, rows=NEW.X):
    return model.decision_function(rows)


def test_the_score_is_the_mean_of_the_members_scores_over_their_scales():
    model = ensemble().fit(X, Y)
    parts = [score_rows(member, NEW.X) / s for member, s in zip(model.members_, model.scales_, strict=True)]
    np.testing.assert_allclose(scores(model), np.mean(parts, axis=0), rtol=1e-12)
    assert len(model.members_) == 3
    assert roc_auc_score(NEW.y, scores(model)) > 0.85


def test_a_member_is_trained_on_the_rows_drawn_and_scaled_on_the_class_0_rows_that_were_not():
    model = ensemble(n_members=2, sampling="subsample").fit(X, Y)
    for seed, member, scale in zip(np.random.SeedSequence(5).spawn(2), model.members_, model.scales_, strict=True):
        rows = draw_rows(Y, np.random.default_rng(seed.spawn(1)[0]), "subsample", 0.5)
        alone = get_scorer("lda").fit(X[rows], Y[rows])
        np.testing.assert_array_equal(member.coef_, alone.coef_)
        outside = np.setdiff1d(np.flatnonzero(Y == 0), rows)
        assert outside.size == 75
        assert scale == pytest.approx(alone.decision_function(X[outside]).std(), rel=1e-12)


@pytest.mark.parametrize(
    ("sampling", "share", "sizes"),
    [
        ("bootstrap", 1.0, (5, 40)),
        ("subsample", 0.5, (2, 20)),
        ("bootstrap", 0.01, (1, 1)),
        ("subsample", 1.0, (5, 40)),
    ],
)
def test_each_class_is_drawn_by_itself(sampling, share, sizes):
    y = np.repeat([0, 1], [5, 40])
    for seed in range(20):
        rows = draw_rows(y, np.random.default_rng(seed), sampling, share)
        assert tuple(np.bincount(y[rows], minlength=2)) == sizes
        if sampling == "subsample":
            assert np.unique(rows).size == rows.size


def test_more_members_extend_fewer():
    few, many = ensemble(n_members=2).fit(X, Y), ensemble(n_members=4).fit(X, Y)
    for a, b in zip(few.members_, many.members_[:2], strict=True):
        np.testing.assert_array_equal(a.coef_, b.coef_)


def test_the_same_seed_gives_the_same_scores_for_each_n_jobs():
    one = ensemble("tree").fit(X, Y)
    with joblib.parallel_config("threading"):
        two = ensemble("tree", n_jobs=2).fit(X, Y)
    np.testing.assert_array_equal(scores(one), scores(two))
    other = ensemble("tree", random_state=6).fit(X, Y)
    assert not np.array_equal(scores(one), scores(other))
    assert (one.seed_, other.seed_) == (5, 6)


def test_the_members_own_seeds_differ_even_where_the_scorer_has_one():
    model = ensemble(DecisionTreeClassifier(max_features=1, random_state=0)).fit(X, Y)
    assert len({member.random_state for member in model.members_}) == 3


def test_the_scale_of_a_member_does_not_weigh_in_the_average():
    class Loud(LogisticRegression):
        """Its scores are a million times larger where the first coefficient, times 1000, is odd."""

        def decision_function(self, rows):
            factor = 1e6 if int(1000 * self.coef_[0, 0]) % 2 else 1.0
            return factor * super().decision_function(rows)

    plain = ensemble(LogisticRegression(), n_members=6).fit(X, Y)
    loud = ensemble(Loud(), n_members=6).fit(X, Y)
    assert loud.scales_.max() > 1e4 * loud.scales_.min()
    np.testing.assert_allclose(scores(loud), scores(plain), rtol=1e-9)
    as_they_are = ensemble(standardize=False).fit(X, Y)
    assert as_they_are.scales_.tolist() == [1.0, 1.0, 1.0]


def test_scales_are_found_where_no_class_0_row_is_left_outside_or_all_score_alike():
    rows, y = np.array([[0.0], [1.0], [2.0], [3.0], [4.0]]), np.array([0, 1, 1, 1, 1])
    model = ensemble(LogisticRegression(), n_members=4).fit(rows, y)
    # one class 0 row, which every member has seen: all rows give the scale
    expected = [member.decision_function(rows).std() for member in model.members_]
    np.testing.assert_allclose(model.scales_, expected, rtol=1e-12)

    class Constant(LogisticRegression):
        def decision_function(self, rows):
            return np.full(len(rows), 0.1)

    assert ensemble(Constant()).fit(X, Y).scales_.tolist() == [1.0, 1.0, 1.0]


def test_probabilities_count_from_a_half():
    model = ensemble("randomforest", params={"n_estimators": 10}).fit(X, Y)
    assert scores(model).min() < 0 < scores(model).max()
    np.testing.assert_array_equal(model.predict(NEW.X), (scores(model) > 0).astype(int))
    assert np.mean(model.predict(NEW.X) == NEW.y) > 0.75


def test_labels_may_be_text():
    model = ensemble().fit(X, np.array(["bad", "good"])[Y])
    assert model.classes_.tolist() == ["bad", "good"]
    np.testing.assert_array_equal(model.predict(NEW.X) == "good", ensemble().fit(X, Y).predict(NEW.X) == 1)


def test_rows_of_weight_0_are_as_if_they_were_not_there():
    weights = np.concatenate([np.ones(len(Y)), np.zeros(len(Y))])
    model = ensemble("logistic").fit(np.vstack([X, X + 50]), np.concatenate([Y, 1 - Y]), sample_weight=weights)
    np.testing.assert_allclose(scores(model), scores(ensemble("logistic").fit(X, Y, np.ones(len(Y)))), rtol=1e-9)


def test_weights_reach_the_members():
    weights = np.where(X[:, 0] > 1, 50.0, 1.0)
    assert not np.allclose(scores(ensemble("logistic").fit(X, Y, weights)), scores(ensemble("logistic").fit(X, Y)))
    with pytest.raises(InvalidInputError, match="cannot use weights in fit"):
        ensemble("lda").fit(X, Y, weights)
    with pytest.raises(InvalidInputError, match="sample_weight is positive in rows of one class only"):
        ensemble("logistic").fit(X, Y, Y.astype(float))


def test_sparse_rows_give_the_scores_of_dense_ones():
    model, csr = ensemble("svm", params={"kernel": "linear"}), sparse.csr_array(X)
    dense, from_sparse = clone(model).fit(X, Y), clone(model).fit(csr, Y)
    np.testing.assert_allclose(scores(from_sparse, sparse.csr_array(NEW.X)), scores(dense), rtol=0, atol=2e-3)
    with pytest.raises(InvalidInputError, match="X is sparse, and the scorer 'lda' of the members needs a dense array"):
        ensemble("lda").fit(csr, Y)


def test_missing_values_are_for_the_members_to_take():
    holes = X.copy()
    holes[::7, 0] = np.nan
    assert np.isfinite(scores(ensemble("tree").fit(holes, Y), holes)).all()
    with pytest.raises(InvalidInputError, match="NaN"):
        ensemble("lda").fit(holes, Y)


def test_a_frame_reaches_a_pipeline_of_members_with_its_columns():

    kinds = np.array(["low", "mid", "high"])[np.clip(np.digitize(X[:, 0], [0, 1]), 0, 2)]
    frame = pd.DataFrame({"kind": kinds, "x2": X[:, 1]})
    columns = make_column_transformer((OneHotEncoder(handle_unknown="ignore"), ["kind"]), remainder="passthrough")
    fit = npc(frame, Y, ensemble(make_pipeline(columns, LogisticRegression())), alpha=0.1, delta=0.1, random_state=1)
    assert fit.predict(frame.head(4)).shape == (4,)
    assert fit.scorers[0].feature_names_in_.tolist() == ["kind", "x2"]


# --- through the package ---


def test_npc_by_name_and_by_object_agree_and_are_guaranteed():
    arguments = {"alpha": 0.1, "delta": 0.1, "random_state": 3}
    named = npc(X, Y, "averaged", scorer="lda", n_members=3, **arguments)
    given = npc(X, Y, AveragedScorer("lda", n_members=3), **arguments)
    face = NPClassifier("averaged", method_params={"scorer": "lda", "n_members": 3}, **arguments).fit(X, Y)
    np.testing.assert_array_equal(named.decision_function(NEW.X), given.decision_function(NEW.X))
    np.testing.assert_array_equal(named.predict(NEW.X), face.predict(NEW.X))
    assert named.guaranteed
    assert "AveragedScorer(scorer='lda', n_members=3)" in str(named.summary())


def test_the_members_see_the_training_part_alone():
    fit = npc(X, Y, AveragedScorer("lda", n_members=3), alpha=0.1, delta=0.1, random_state=3, split_ratio=0.5)
    split = make_splits(Y, 1, 0.5, 3, leave_out_class1=False)[0]
    again = AveragedScorer("lda", n_members=3, random_state=fit.scorers[0].seed_)
    again.fit(X[split.idx_train], Y[split.idx_train])
    left = again.decision_function(X[split.idx_left0])
    np.testing.assert_array_equal(np.sort(left), np.sort(fit.scores0[0]))
    assert fit.thresholds[0] == np_threshold(left, alpha=0.1, delta=0.1).value


def test_bands_and_comparisons_take_it():
    bands = [nproc(X, Y, method, delta=0.1, random_state=4) for method in (ensemble("tree"), "tree")]
    assert compare(*bands).names == ("AveragedScorer", "tree")
    assert bands[0].at(0.3).type2_upper <= 1


def test_members_of_a_method_that_trains_at_a_level_train_at_that_of_npc():
    assert scorer_spec("averaged").follows_alpha
    fit = npc(X, Y, "averaged", scorer="gen", n_members=2, alpha=0.15, delta=0.1, random_state=1)
    assert [member.alpha for member in _last(fit.scorers[0].members_)] == [0.15, 0.15]
    own = npc(X, Y, "averaged", scorer="gen", params={"alpha": 0.3}, n_members=2, alpha=0.15, delta=0.1, random_state=1)
    assert [member.alpha for member in _last(own.scorers[0].members_)] == [0.3, 0.3]
    plain = npc(X, Y, "averaged", scorer="lda", n_members=2, alpha=0.15, delta=0.1, random_state=1)
    assert plain.scorers[0].params is None


def _last(members):
    return [member.steps[-1][1] if hasattr(member, "steps") else member for member in members]


@pytest.mark.parametrize("suffix", [".joblib", ".skops"])
def test_a_saved_fit_scores_as_before(tmp_path, suffix):
    fit = npc(X, Y, "averaged", scorer="lda", n_members=3, alpha=0.1, delta=0.1, random_state=3)
    path = tmp_path / f"fit{suffix}"
    save(fit, path)
    np.testing.assert_array_equal(load(path).decision_function(NEW.X), fit.decision_function(NEW.X))
    back = pickle.loads(pickle.dumps(fit))
    np.testing.assert_array_equal(back.predict(NEW.X), fit.predict(NEW.X))


def test_a_search_goes_over_the_members_and_their_scorer():
    search = GridSearchCV(ensemble(LogisticRegression()), {"n_members": [1, 3], "scorer__C": [0.1, 1.0]}, cv=2)
    search.fit(X, Y)
    assert set(search.best_params_) == {"n_members", "scorer__C"}


def test_the_command_line_takes_it(tmp_path, capsys):
    path = tmp_path / "rows.csv"
    np.savetxt(path, np.column_stack([X, Y]), delimiter=",", header="a,b,c,y", comments="")
    arguments = ["fit", str(path), "--formula", "y ~ .", "--method", "averaged", "--param", "scorer=lda"]
    assert main([*arguments, "--alpha", "0.1", "--delta", "0.1", "--seed", "1"]) == 0
    assert "AveragedScorer(scorer='lda')" in capsys.readouterr().out


# scikit-learn's test data are separable, which is reported rightly; some checks are skipped with a warning
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::nproc.errors.SeparationWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
def test_it_keeps_scikit_learns_conventions():
    reason = "a row drawn with a weight of 2 is not two rows to draw from"
    expected = {f"check_sample_weight_equivalence_on_{kind}_data": reason for kind in ("dense", "sparse")}
    results = check_estimator(AveragedScorer(n_members=3), on_fail=None, expected_failed_checks=expected)
    assert [result["check_name"] for result in results if result["status"] == "failed"] == []
    assert len(results) > 30


# --- errors ---


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_members": 0}, "n_members must be at least 1, got 0"),
        ({"sampling": "jackknife"}, "sampling must be one of 'bootstrap', 'subsample', got 'jackknife'"),
        ({"share": 0}, "share must be None or a number above 0 and at most 1, got 0"),
        ({"share": 1.5}, "share must be None or a number above 0 and at most 1, got 1.5"),
        ({"standardize": "yes"}, "standardize must be True or False, got 'yes'"),
        ({"params": [1]}, r"params must be None or a dict of keywords of the scorer, got \[1\]"),
        ({"params": {"C": 1}}, "method 'lda' has no parameter 'C'"),
        ({"scorer": "ldaa"}, "unknown method 'ldaa'. Did you mean 'lda'"),
        ({"scorer": LogisticRegression}, "is the class LogisticRegression; pass an instance"),
        ({"n_jobs": 0}, "n_jobs must be None or a whole number other than 0"),
        ({"random_state": -1}, "random_state must be at least 0"),
    ],
)
def test_a_parameter_out_of_its_range_is_an_error(arguments, message):
    with pytest.raises(InvalidInputError, match=message):
        ensemble(**{"scorer": "lda", **arguments}).fit(X, Y)


def test_one_class_or_three_are_errors():
    with pytest.raises(InvalidInputError, match=r"y has one class only \(.*0.*\); AveragedScorer needs 2 classes"):
        ensemble().fit(X[:100], Y[:100])
    with pytest.raises(InvalidInputError, match="Only binary classification is supported"):
        ensemble().fit(X, np.arange(len(Y)) % 3)


def test_text_is_no_number_to_a_named_scorer():
    model = ensemble("lda").fit(X, Y)
    for text in (X.astype(str), X.astype(str).astype(object), pd.DataFrame(X.astype(str))):
        with pytest.raises(InvalidInputError, match=r"X (must hold|has columns that are not) numbers"):
            model.predict(text)
    with pytest.raises(InvalidInputError, match="X must hold numbers"):
        ensemble("lda").fit(X.astype(str).astype(object), Y)


def test_the_type_of_numbers_changes_no_score():
    coarse = X.astype(np.float16)
    scores_of = [scores(ensemble("lda").fit(coarse.astype(kind), Y)) for kind in (np.float16, np.float32, np.float64)]
    np.testing.assert_array_equal(scores_of[0], scores_of[2])
    np.testing.assert_array_equal(scores_of[1], scores_of[2])


def test_a_number_among_texts_is_not_one_of_the_labels():
    mixed = ["1" if i == 0 else label for i, label in enumerate(Y.tolist())]
    with pytest.raises((TypeError, InvalidInputError), match=r"y mixes|'str'"):
        ensemble("lda").fit(X, mixed)
