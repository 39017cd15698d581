"""What a ranking holds, and what leaves it as it is."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from all_cases import forget_warnings
from scipy import sparse
from scipy.stats import gaussian_kde, norm
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.svm import SVC

from nproc import TooFewSamplesError, np_threshold, rank_features
from nproc.errors import InvalidInputError, NPWarning
from nproc.feature_ranking import averaged_error_bounds
from nproc.orderstat import clopper_pearson
from nproc.splitting import make_splits

SETTINGS = {"alpha": 0.1, "delta": 0.1, "n_splits": 5, "random_state": 3}
COLUMNS = ["scores", "lower", "upper", "ranks", "ranks_low", "ranks_high"]


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(7)
    y = np.repeat([0, 1], [120, 150])
    X = rng.normal(size=(270, 20))
    X[:, :4] += np.array([2.0, 1.5, 1.0, 0.5]) * y[:, None]
    X[:, 5] = rng.integers(0, 4, 270) + y
    X[:, 6] *= 1 + 4 * y
    X[:, 7] = 3.0
    return X, y


class RefusesConstants(LogisticRegression):
    def fit(self, X, y):
        if np.ptp(X) == 0:
            raise ValueError("the column does not vary")
        return super().fit(X, y)


@pytest.fixture(scope="module")
def ranking(rows):
    return rank_features(*rows, **SETTINGS)


def same(one, other):
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in [*COLUMNS, "split_scores"])


def reference_width(values):
    low, high = np.quantile(values, [0.25, 0.75])
    return 0.9 * min(values.std(ddof=1), (high - low) / 1.34) * values.size**-0.2


def density(values):
    return gaussian_kde(values, bw_method=reference_width(values) / values.std(ddof=1))


def test_a_score_is_the_mean_share_of_missed_rows_by_the_threshold_of_np_threshold(rows, ranking):
    X, y = rows
    for feature in (0, 3, 6, 12):
        missed = []
        for split in make_splits(y, 5, 0.5, ranking.seed, leave_out_class1=True):
            x = X[:, feature]
            train = x[split.idx_train]
            p0, p1 = (density(train[y[split.idx_train] == c]) for c in (0, 1))
            scores0, scores1 = (p1.logpdf(x[left]) - p0.logpdf(x[left]) for left in (split.idx_left0, split.idx_left1))
            missed.append(np.mean(~np_threshold(scores0, alpha=0.1, delta=0.1).predict(scores1).astype(bool)))
        np.testing.assert_allclose(ranking.split_scores[:, feature], missed, atol=1e-12)
    np.testing.assert_allclose(ranking.scores, ranking.split_scores.mean(axis=0), rtol=1e-12)


def test_the_classical_score_is_the_share_of_errors_where_the_more_likely_class_is_predicted(rows):
    X, y = rows
    found = rank_features(X, y, "classical", n_splits=3, random_state=3)
    wrong = []
    for split in make_splits(y, 3, 0.5, found.seed, leave_out_class1=True):
        x, train = X[:, 1], split.idx_train
        left = np.concatenate([split.idx_left0, split.idx_left1])
        by_class = [density(x[train][y[train] == c]).pdf(x[left]) * np.sum(y[train] == c) for c in (0, 1)]
        wrong.append(np.mean((by_class[1] > by_class[0]) != y[left]))
    np.testing.assert_allclose(found.split_scores[:, 1], wrong, atol=1e-12)
    assert found.order is None


def test_a_feature_with_the_same_mean_in_both_classes_is_found_by_its_spread(ranking):
    assert 6 in ranking.top(4)


def test_a_constant_feature_misses_all_of_class1(ranking):
    assert ranking.scores[7] == 1.0
    assert ranking.ranks[7] == 20


@pytest.mark.parametrize("method", ["density", "lda"])
def test_the_number_of_processes_changes_nothing(rows, method):
    X, y = rows
    one, two = (rank_features(X[:, :7], y, method=method, n_jobs=n, **SETTINGS) for n in (1, 2))
    assert same(one, two)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["density", "qda"])
def test_another_order_of_the_columns_changes_the_order_alone(rows, method):
    X, y = rows
    X = np.delete(X, 7, axis=1)
    order = np.random.default_rng(0).permutation(X.shape[1])
    plain, moved = (rank_features(rows, y, method=method, **SETTINGS) for rows in (X, X[:, order]))
    for name in COLUMNS:
        np.testing.assert_array_equal(getattr(plain, name)[order], getattr(moved, name))


def test_a_feature_has_the_same_score_alone(rows, ranking):
    X, y = rows
    alone = rank_features(X[:, [2]], y, **SETTINGS)
    assert alone.scores[0] == ranking.scores[2]
    assert alone.ranks[0] == 1


@pytest.mark.parametrize(("factor", "shift"), [(8.0, 0.0), (1e-3, 0.0), (-1.0, 0.0), (2.5, -4.0)])
def test_a_change_of_unit_direction_and_origin_changes_no_score(rows, ranking, factor, shift):
    X, y = rows
    other = rank_features(X * factor + shift, y, **SETTINGS)
    np.testing.assert_allclose(other.scores, ranking.scores, atol=1e-12)


def test_more_splits_extend_fewer(rows, ranking):
    more = rank_features(*rows, **{**SETTINGS, "n_splits": 7})
    np.testing.assert_array_equal(more.split_scores[:5], ranking.split_scores)


def test_names_of_frames_are_kept(rows, ranking):
    X, y = rows
    names = [f"gene {j}" for j in range(20)]
    for frame in (pd.DataFrame(X, columns=names), pl.DataFrame(X, schema=names)):
        found = rank_features(frame, y, **SETTINGS)
        assert found.top(3) == [names[j] for j in ranking.top(3)]
        assert same(found, ranking)


def test_the_frame_is_sorted_and_equal_scores_share_a_rank(ranking):
    frame = ranking.to_frame()
    assert list(frame.columns) == ["feature", "score", "lower", "upper", "rank", "rank_low", "rank_high"]
    assert frame["score"].is_monotonic_increasing
    assert frame["feature"].tolist() == ranking.top(20)
    assert frame["rank"].tolist() == frame["score"].rank(method="min").astype(int).tolist()
    assert (frame["rank_low"] <= frame["rank_high"]).all()


def test_intervals_are_those_of_an_average_and_exact_for_one_split(rows, ranking):
    bounds = averaged_error_bounds(ranking.scores, 75)
    np.testing.assert_array_equal(bounds.upper, ranking.upper)
    single = rank_features(*rows, **{**SETTINGS, "n_splits": 1})
    exact = clopper_pearson(np.rint(single.scores * 75).astype(int), 75)
    np.testing.assert_array_equal(single.lower, exact.lower)


def test_intervals_for_all_features_at_once_are_those_at_a_corrected_level(rows, ranking):
    at_once = rank_features(*rows, simultaneous=True, **SETTINGS)
    np.testing.assert_array_equal(at_once.upper, averaged_error_bounds(ranking.scores, 75, level=1 - 0.05 / 20).upper)
    assert "for all features at once" in str(at_once.summary())


def test_any_scorer_of_one_column_may_rank(rows):
    X, y = rows
    by_name = rank_features(X[:, :5], y, method="logistic", **SETTINGS)
    by_model = rank_features(X[:, :5], y, method=LogisticRegression(C=1e4), **SETTINGS)
    assert by_name.top(3) == by_model.top(3) == [0, 1, 2]
    assert by_model.method == "LogisticRegression"
    labels = rank_features(X[:, :5], y, "classical", method=SVC(kernel="linear"), n_splits=2, random_state=1)
    assert labels.top(2) == [0, 1]


def test_with_a_monotone_score_the_miss_rate_is_that_of_a_cut(rows):
    X, y = rows
    found = rank_features(X[:, [0]], y, method="lda", **SETTINGS)
    missed = []
    for split in make_splits(y, 5, 0.5, found.seed, leave_out_class1=True):
        cut = np.sort(X[split.idx_left0, 0])[found.order - 1]
        missed.append(np.mean(X[split.idx_left1, 0] <= cut))
    np.testing.assert_allclose(found.split_scores[:, 0], missed, atol=1e-12)


def test_labels_of_any_kind_with_the_second_as_class0(rows, ranking):
    X, y = rows
    words = np.where(y == 0, "well", "ill")
    found = rank_features(X, words, class0="well", **SETTINGS)
    assert same(found, ranking)
    assert found.class0 == "well"
    forget_warnings()
    with pytest.warns(NPWarning, match="'ill', the first label in sorted order"):
        rank_features(X[:, :2], words, **SETTINGS)


def test_the_order_of_population_is_found_where_the_two_criteria_disagree():
    # shift: overall error .159, type II error .522 at alpha = .02; spread: .176 and .358
    alpha = 0.02
    shift = norm.cdf(norm.isf(alpha) - 2), norm.cdf(-1)
    cut = np.sqrt(2 * np.log(5) / (1 - 1 / 25))
    spread = 2 * norm.cdf(norm.isf(alpha / 2) / 5) - 1, norm.sf(cut) + norm.cdf(cut / 5) - 0.5
    rng = np.random.default_rng(5)
    y = np.repeat([0, 1], 3000)
    X = rng.normal(size=(6000, 3))
    X[y == 1, 0] += 2
    X[y == 1, 1] *= 5
    by_np = rank_features(X, y, alpha=alpha, delta=0.1, random_state=1)
    classical = rank_features(X, y, "classical", random_state=1)
    assert by_np.top(3) == [1, 0, 2]
    assert classical.top(3) == [0, 1, 2]
    np.testing.assert_allclose(classical.scores[:2], [shift[1], spread[1]], atol=0.01)
    # the threshold stays on the safe side of alpha: with 1500 rows the type I error is about .016
    np.testing.assert_allclose(by_np.scores[:2], [shift[0], spread[0]], atol=0.06)
    assert np.all(by_np.scores[:2] > [shift[0], spread[0]])


def test_what_cannot_be_ranked_is_refused_in_words(rows):
    X, y = rows
    gap = pd.DataFrame(X[:, :3].copy(), columns=["a", "b", "c"])
    gap.loc[4, "b"] = np.nan
    with pytest.raises(InvalidInputError, match="'b'"):
        rank_features(gap, y, **SETTINGS)
    with pytest.raises(InvalidInputError, match="criterion must be"):
        rank_features(X, y, "auc")
    with pytest.raises(InvalidInputError, match="Formulas and paths"):
        rank_features("y ~ .", y)
    with pytest.raises(InvalidInputError, match="nosuch"):
        rank_features(X, y, method="nosuch")
    with pytest.raises(InvalidInputError, match=r"feature 7: .*does not vary"):
        rank_features(X, y, method=RefusesConstants(), **SETTINGS)
    with pytest.raises(TooFewSamplesError, match="at least 22"):
        rank_features(X[80:], y[80:], **SETTINGS)
    with pytest.raises(TooFewSamplesError, match="of class 1"):
        rank_features(X[:122], y[:122], **SETTINGS)


def test_few_class0_rows_are_enough_for_the_classical_criterion(rows):
    X, y = rows
    assert rank_features(X[110:], y[110:], "classical", n_splits=2, random_state=1).n0 == 10


def test_repr_and_summary_say_what_was_counted(ranking, rows):
    X, y = rows
    assert "('np', 1 feature, alpha=" in repr(rank_features(X[:, :1], y, **SETTINGS))
    text = repr(ranking)
    assert len(text.splitlines()) == 2
    assert "20 features, alpha=0.1, delta=0.1" in text
    assert "best: 6 (" in text
    summary = " ".join(str(ranking.summary(max_rows=3)).split())
    assert "17 more" in summary
    assert "type I error of at most 0.1" in summary
    assert "chosen by these rows" in summary
    assert "type I error" not in str(rank_features(np.eye(12), np.arange(12) % 2, "classical").summary())


def test_what_is_no_dense_table_of_numbers_is_refused_with_ways_out_that_work_here(rows):
    X, y = rows
    frame = pd.DataFrame(X[:, :2], columns=["a", "b"]).assign(kind=np.where(X[:, 2] > 0, "u", "v"))
    encoded = make_pipeline(OneHotEncoder(handle_unknown="ignore"), LogisticRegression())
    for method in ("density", "logistic", encoded):
        with pytest.raises(InvalidInputError, match=r"\['kind'\]\. Encode them as numbers, .* or leave them out\.$"):
            rank_features(frame, y, method=method, **SETTINGS)
        with pytest.raises(InvalidInputError, match=r"this function needs a dense array. Use X.toarray\(\) .* fewer"):
            rank_features(sparse.csr_array(X), y, method=method, **SETTINGS)
        gap = frame[["a", "b"]].mask(frame[["a", "b"]] > 1)
        with pytest.raises(InvalidInputError, match=r"complete rows\. Impute them, or leave out these rows\.$"):
            rank_features(gap, y, method=method, **SETTINGS)
    # two values are tied, and say nothing at so small an alpha
    with pytest.warns(NPWarning, match="Ties leave no rule for 'kind_u', 'kind_v' in up to 5 of 5 splits"):
        assert rank_features(pd.get_dummies(frame), y, **SETTINGS).features == ("a", "b", "kind_u", "kind_v")


@pytest.mark.parametrize("method", ["density", "logistic"])
def test_a_feature_whose_ties_leave_no_rule_is_told_and_one_that_is_constant_is_not(method):
    rng = np.random.default_rng(4)
    y = np.repeat([0, 1], 300)
    points = np.clip(np.round(rng.normal(3 + 1.2 * y)), 1, 4)
    X = pd.DataFrame({"noise": rng.normal(0.2 * y), "points": points, "constant": 1.0})
    said = "Ties leave no rule for 'points' in up to 5 of 5 splits: the largest class 0 scores are equal"
    with pytest.warns(NPWarning, match=said):
        ranking = rank_features(X, y, method=method, **SETTINGS)
    assert ranking.n_tied.tolist() == [0, 5, 0]
    # the better predictor, as the larger alpha below shows, and the last in the order
    assert ranking.scores[1] == 1.0 > ranking.scores[0]
    assert said in " ".join(str(ranking.summary()).split())
    # what the note offers: a larger alpha, at which the ties leave a rule
    larger = rank_features(X, y, method=method, **SETTINGS | {"alpha": 0.5})
    assert larger.n_tied.tolist() == [0, 0, 0]
    assert larger.scores[1] < larger.scores[0]
    assert "Ties" not in str(larger.summary())
    assert rank_features(X, y, "classical", method=method, n_splits=2, random_state=1).n_tied.tolist() == [0, 0, 0]


def test_an_estimator_ranks_a_frame_as_it_ranks_the_array(rows):
    X, y = rows
    of_array = rank_features(X[:, :3], y, method=LogisticRegression(), **SETTINGS)
    of_frame = rank_features(
        pd.DataFrame(X[:, :3], columns=["a", "b", "c"]), y, method=LogisticRegression(), **SETTINGS
    )
    np.testing.assert_array_equal(of_frame.split_scores, of_array.split_scores)
