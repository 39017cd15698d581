"""The scorer for a list of k rows: the choice of k, its threshold, sparse rows and errors."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.utils.estimator_checks import check_estimator

from nproc.errors import InvalidInputError, NotConvergedWarning, NPWarning
from nproc.scorers import get_scorer
from nproc.scorers.papers.svmperf import PrecisionAtKSVC, threshold_for
from nproc.solvers.precision_at_k import solve_precision_at_k


def world(seed=1, n0=200, n1=150, p=4):
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], [n0, n1])
    return rng.normal(size=(n0 + n1, p)) + np.outer(y, np.linspace(1.5, 0, p)), y


X, Y = world()


# with one row or two of a class its checks find alpha too small for class 0
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::nproc.errors.NPWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@pytest.mark.parametrize("estimator", [PrecisionAtKSVC(n_values=2, n_folds=2), PrecisionAtKSVC(k=1.0)], ids=repr)
def test_it_keeps_scikit_learns_conventions(estimator):
    assert len(check_estimator(estimator, on_fail="raise")) > 30


@pytest.mark.parametrize("k", [1, 40, 150, 200, 349])
def test_exactly_k_training_rows_are_called_class_1(k):
    model = PrecisionAtKSVC(k=k).fit(X, Y)
    assert model.k_ == k
    assert np.sum(model.predict(X) == 1) == k
    np.testing.assert_array_equal(model.predict(X) == 1, model.decision_function(X) > 0)


def test_a_share_is_a_share_of_class_1():
    assert PrecisionAtKSVC(k=0.5).fit(X, Y).k_ == 75
    assert PrecisionAtKSVC(k=1.0).fit(X, Y).k_ == 150
    assert PrecisionAtKSVC(k=1).fit(X, Y).k_ == 1
    assert PrecisionAtKSVC(k=1e-9).fit(X, Y).k_ == 1


def test_the_coefficients_are_those_of_the_solver_on_centred_columns():
    model = PrecisionAtKSVC(k=60, C=2.0, tol=1e-6).fit(X, Y)
    result = solve_precision_at_k(X - X.mean(axis=0), Y, k=60, C=2.0, tol=1e-6)
    np.testing.assert_allclose(model.coef_[0], result.coef, rtol=1e-6)
    assert model.n_iter_ == result.n_iter
    assert list(model.history_.columns) == ["objective", "lower_bound", "n_planes"]
    assert len(model.history_) == model.n_iter_ + 1
    assert model.converged_


@pytest.mark.parametrize(
    ("scores", "k", "threshold"),
    [
        ([3.0, 1.0, 2.0, 5.0], 1, 4.0),
        ([3.0, 1.0, 2.0, 5.0], 3, 1.5),
        # equal at the cut: fewer than k lie above
        ([3.0, 3.0, 1.0, 5.0], 2, 3.0),
        # no float lies between these two
        ([1.0, np.nextafter(1.0, 2.0)], 1, 1.0),
        ([-1e308, 1e308, 1.7e308], 1, 1.35e308),
    ],
)
def test_the_threshold_leaves_k_scores_above_or_fewer_at_ties(scores, k, threshold):
    found = threshold_for(np.array(scores), k)
    assert found == pytest.approx(threshold, rel=1e-12)
    above = np.sum(np.array(scores) > found)
    assert above <= k
    assert above == k or np.sum(np.array(scores) >= found) > k


def test_k_is_the_one_whose_left_out_type_1_error_is_closest_to_alpha():
    alpha = 0.1
    model = PrecisionAtKSVC(alpha, random_state=3).fit(X, Y)
    assert model.ks_[0] == 1
    assert model.ks_[-1] == 150
    assert len(model.ks_) == 10
    np.testing.assert_allclose(np.diff(model.ks_), np.diff(model.ks_).mean(), atol=1)
    distance = np.abs(model.validation_type1_ - alpha)
    assert distance[list(model.ks_).index(model.k_)] == distance.min()
    new, y_new = world(2, 4000, 4000)
    # 200 rows choose among ten values: near alpha, not at it
    assert np.mean(model.predict(new)[y_new == 0] == 1) == pytest.approx(alpha, abs=0.05)


@pytest.mark.slow
def test_a_larger_alpha_chooses_no_smaller_k():
    chosen = [PrecisionAtKSVC(alpha, random_state=3).fit(X, Y).k_ for alpha in (0.01, 0.05, 0.1, 0.2, 0.4)]
    assert chosen == sorted(chosen)
    assert chosen[0] < chosen[-1]


@pytest.mark.slow
def test_the_seed_decides_about_the_folds_and_nothing_else():
    first, again = (PrecisionAtKSVC(0.1, random_state=5).fit(X, Y) for _ in range(2))
    np.testing.assert_array_equal(first.coef_, again.coef_)
    np.testing.assert_array_equal(first.validation_type1_, again.validation_type1_)
    given = PrecisionAtKSVC(0.1, k=first.k_, random_state=6).fit(X, Y)
    np.testing.assert_array_equal(first.coef_, given.coef_)
    assert not hasattr(given, "ks_")


def test_with_few_rows_of_class_1_the_values_of_k_are_those_there_are():
    X, y = world(3, 60, 4)
    with pytest.warns(NPWarning, match="does not show more power"):
        assert PrecisionAtKSVC(0.1, random_state=1).fit(X, y).ks_.tolist() == [1, 2, 3, 4]


@pytest.mark.slow
def test_sparse_rows_give_the_dense_solution():
    sparse_rows = X * (np.abs(X) > 0.5)
    for k in (None, 50):
        dense = PrecisionAtKSVC(0.1, k=k, random_state=1).fit(sparse_rows, Y)
        thin = PrecisionAtKSVC(0.1, k=k, random_state=1).fit(sparse.csr_array(sparse_rows), Y)
        assert thin.k_ == dense.k_
        np.testing.assert_allclose(thin.coef_, dense.coef_, rtol=1e-6)
        np.testing.assert_allclose(
            thin.decision_function(sparse.csr_array(sparse_rows)), dense.decision_function(sparse_rows), atol=1e-8
        )


def test_either_label_can_be_the_controlled_one():
    names = np.array(["healthy", "ill"])[Y]
    codes = PrecisionAtKSVC(k=40).fit(X, Y)
    model = PrecisionAtKSVC(k=40, class0="healthy").fit(X, names)
    np.testing.assert_array_equal(model.predict(X) == "ill", codes.predict(X) == 1)
    turned = PrecisionAtKSVC(k=40, class0="ill").fit(X, names)
    assert turned.class0_ == "ill"
    assert np.sum(turned.predict(X) == "healthy") == 40
    np.testing.assert_array_equal(turned.predict(X) == "ill", turned.decision_function(X) > 0)


def test_progress_is_printed_on_standard_error_only_when_asked_for(capsys):
    PrecisionAtKSVC(k=20).fit(X, Y)
    assert capsys.readouterr() == ("", "")
    PrecisionAtKSVC(k=20, verbose=1).fit(X, Y)
    out, err = capsys.readouterr()
    assert out == ""
    assert "PrecisionAtKSVC, k=20: 0 planes, objective 1, at least 0" in err


def test_the_name_gives_a_pipeline_on_scaled_columns_that_can_be_pickled():
    model = get_scorer("svmperf", alpha=0.2, k=0.8, C=3.0).fit(X * [1e6, 1, 1e-6, 1], Y)
    assert model[-1].alpha == 0.2
    plain = get_scorer("svmperf", alpha=0.2, k=0.8, C=3.0).fit(X, Y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_allclose(again.decision_function(X * [1e6, 1, 1e-6, 1]), plain.decision_function(X), atol=1e-9)


def test_where_no_slack_is_left_the_largest_columns_decide_whatever_the_cost_and_this_is_told():
    def power(scale, **parameters):
        # the third of four columns has a third of the shift of the first
        rows = X * [1, 1, scale, 1]
        score = rows @ PrecisionAtKSVC(**parameters).fit(rows, Y).coef_[0]
        return np.mean(score[Y == 1] > np.quantile(score[Y == 0], 0.9))

    assert power(1, k=10) > 0.7
    for C in (1.0, 100.0):
        with pytest.warns(NPWarning, match=r"differ by a factor of about 21\. .* Standardise the columns first"):
            assert power(20, k=10, C=C) < 0.4
    # with slack, or one that bounds the loss, the others count
    assert power(20, k=150) > 0.7
    assert power(20, k=40, reference="average") > 0.7


def test_advice_against_little_power_begins_with_scales():
    few, rows = np.r_[:200, 200:230], X * [1, 1, 90, 1]
    with pytest.warns(NPWarning, match=r"Standardise the columns first: .* Use another alpha, or another method"):
        PrecisionAtKSVC(0.02, random_state=1).fit(rows[few], Y[few])


def test_too_few_planes_are_a_warning_with_the_reason():
    with pytest.warns(NotConvergedWarning, match=r"stopped after 2 iterations: the certificate .*max_iter=2"):
        model = PrecisionAtKSVC(k=20, max_iter=2, tol=1e-6).fit(X, Y)
    assert not model.converged_
    assert model.certificate_ > 1e-6


def test_an_alpha_below_one_row_of_class_0_is_a_warning():
    with pytest.warns(NPWarning, match="alpha=0.001 times 200 class 0 training rows is less than one row"):
        PrecisionAtKSVC(0.001, random_state=1).fit(X, Y)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"alpha": 1.5}, "alpha must lie strictly between 0 and 1, got 1.5"),
        ({"C": 0.0}, "C must be a finite number above 0, got 0.0"),
        ({"tol": np.inf}, "tol must be a finite number above 0, got inf"),
        ({"max_iter": 0}, "max_iter must be at least 1, got 0"),
        ({"n_values": 0}, "n_values must be at least 1, got 0"),
        ({"n_folds": 1}, "n_folds must be at least 2, got 1"),
        ({"k": 0}, "k must be at least 1, got 0"),
        ({"k": 350}, "k must be less than the number of rows, 350, got 350"),
        ({"k": 1.5}, "k as a share of the class 1 rows must lie above 0 and be at most 1.0, got 1.5"),
        ({"k": "all"}, "k must be a whole number of at least 1, got 'all'"),
        ({"verbose": -1}, "verbose must be at least 0, got -1"),
        ({"verbose": "yes"}, "verbose must be a whole number of at least 0, got 'yes'"),
        ({"reference": "mean"}, "reference must be one of 'labels', 'average', got 'mean'"),
        ({"class0": 7}, r"class0 must be one of the labels \[0, 1\]"),
    ],
)
def test_errors_name_the_parameter(parameters, message):
    with pytest.raises(InvalidInputError, match=message):
        PrecisionAtKSVC(**parameters).fit(X, Y)


def test_one_row_of_a_class_cannot_choose_k_but_can_be_fitted_at_a_given_k():
    X, y = world(4, 40, 1)
    X[-1] += 5
    with pytest.raises(InvalidInputError, match=r"at least 2 rows of each class to choose k .* got \[\d+, 1\]; give k"):
        PrecisionAtKSVC(0.1).fit(X, y)
    assert PrecisionAtKSVC(k=15).fit(X, y).k_ == 15


def test_entries_that_overflow_are_an_error():
    with pytest.raises(InvalidInputError, match="products overflow"):
        PrecisionAtKSVC(k=20).fit(X * 1e200, Y)


def overlapping():
    """A wide class 0 with class 1 in its middle: a short list from the top of any direction has no class 1 in it."""
    rng = np.random.default_rng(5)
    y = np.repeat([0, 1], [60, 30])
    return np.where(y == 1, 0.3 + 0.1 * rng.normal(size=90), 2.0 * rng.normal(size=90))[:, None], y


def test_a_solution_of_0_is_a_warning_and_not_silence():
    X, y = overlapping()
    for C in (0.1, 1000.0):
        with pytest.warns(NPWarning, match=r"scores all rows alike. At k=3 the classes overlap .* Use a larger k"):
            model = PrecisionAtKSVC(k=3, C=C).fit(X, y)
        np.testing.assert_array_equal(model.coef_, 0.0)
        assert model.converged_
        assert np.all(model.predict(X) == 0)


def test_a_k_with_the_solution_0_is_not_chosen_where_there_is_another():
    rng = np.random.default_rng(6)
    y = np.repeat([0, 1], [60, 40])
    X = (rng.normal(size=100) + np.where(y == 1, 1.0, 0.0))[:, None]
    with pytest.warns(NPWarning, match="alike"):
        PrecisionAtKSVC(k=1, reference="average").fit(X, y)
    # a type I error of 0 would be closest to this alpha
    with pytest.warns(
        NPWarning, match=r"calls 26.7 % of the 60 class 0 training rows class 1, but you asked for alpha=0.02"
    ):
        model = PrecisionAtKSVC(0.02, reference="average", random_state=1).fit(X, y)
    assert model.k_ > 1
    assert np.any(model.coef_)


def test_a_small_cost_still_gives_a_direction():
    assert np.any(PrecisionAtKSVC(k=100, C=1e-6).fit(X, Y).coef_)
