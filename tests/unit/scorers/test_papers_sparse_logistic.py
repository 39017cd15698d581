"""Sparse logistic regression: ordinary where the interval is all, truthful inside it, saturated and sparse outside."""

import pickle
import re

import matplotlib as mpl
import numpy as np
import pytest
from scipy import sparse
from scipy.special import expit, logit
from sklearn.linear_model import LogisticRegression
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.utils.estimator_checks import check_estimator

from nproc.errors import NotConvergedWarning, NPWarning
from nproc.scorers.papers.probability_interval import interval_from_costs
from nproc.scorers.papers.sparse_logistic import SparseLogisticClassifier

mpl.use("Agg")


def world(seed=0, n0=210, n1=90, shift=1.0):
    """Rows, labels, and the true probability of class 1 where its share is n1 / (n0 + n1)."""
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], [n0, n1])
    X = rng.normal(size=(n0 + n1, 2)) + shift * np.where(y == 1, 1.0, -1.0)[:, None]
    return X, y, expit(np.log(n1 / n0) + 2 * shift * X.sum(axis=1))


X, Y, _ = world()
X_NEW, Y_NEW, P_NEW = world(1, 2100, 900)
NARROWING = [(0.0, 1.0), (0.02, 0.85), (0.1, 0.6), (0.2, 0.4), (0.28, 0.32)]


# scikit-learn's checks have labels of all kinds and never name class0
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:class0 is not given")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@pytest.mark.parametrize("params", [{}, {"p_min": 0.3, "p_max": 0.7}, {"kernel": "rbf"}], ids=str)
@pytest.mark.filterwarnings("ignore:SparseLogisticClassifier (calls|would call) ")
def test_the_conventions_of_scikit_learn_hold(params):
    assert len(check_estimator(SparseLogisticClassifier(**params), on_fail="raise")) > 30


@pytest.mark.parametrize("solver", ["primal", "dual"])
@pytest.mark.parametrize("lam", [0.1, 1.0, 30.0])
def test_with_the_whole_interval_it_is_logistic_regression(solver, lam):
    model = SparseLogisticClassifier(lam=lam, solver=solver).fit(X, Y)
    peer = LogisticRegression(C=1 / lam, solver="newton-cholesky", tol=1e-12).fit(X, Y)
    np.testing.assert_allclose(model.coef_, peer.coef_, rtol=1e-6)
    np.testing.assert_allclose(model.intercept_, peer.intercept_, rtol=1e-6)
    np.testing.assert_allclose(model.predict_proba(X_NEW), peer.predict_proba(X_NEW), rtol=1e-6)
    np.testing.assert_array_equal(model.predict(X_NEW), peer.predict(X_NEW))
    assert model.support_.size == Y.size


@pytest.mark.parametrize("interval", NARROWING)
@pytest.mark.parametrize("params", [{"solver": "primal"}, {"solver": "dual"}, {"kernel": "rbf"}], ids=str)
def test_the_optimality_conditions_hold(interval, params):
    model = SparseLogisticClassifier(*interval, **params).fit(X, Y)
    assert model.converged_
    assert model.certificate_ <= 1e-9
    # (13), and alpha in [0, 1)
    dual = model.dual_coef_[0]
    alpha = np.abs(dual) * model.lam
    assert dual.sum() == pytest.approx(0.0, abs=1e-7)
    assert (alpha < 1).all()
    np.testing.assert_array_equal(np.sign(dual[alpha > 0]) > 0, Y[model.support_][alpha > 0] == 1)
    # rows outside the support are right by more than the interval asks for
    p = model.predict_proba(X)[:, 1]
    rest = np.setdiff1d(np.arange(Y.size), model.support_)
    assert (p[rest][Y[rest] == 1] >= interval[1] - 1e-9).all()
    assert (p[rest][Y[rest] == 0] <= interval[0] + 1e-9).all()


def test_primal_and_dual_agree():
    primal, dual = (SparseLogisticClassifier(0.2, 0.4, solver=s).fit(X, Y) for s in ("primal", "dual"))
    np.testing.assert_allclose(primal.coef_, dual.coef_, atol=1e-6)
    np.testing.assert_allclose(primal.decision_function(X_NEW), dual.decision_function(X_NEW), atol=1e-6)
    np.testing.assert_array_equal(primal.support_, dual.support_)


@pytest.mark.slow
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_the_support_falls_as_the_interval_narrows(kernel):
    sizes = [SparseLogisticClassifier(*i, kernel=kernel).fit(X, Y).support_.size for i in NARROWING]
    assert sizes[0] == Y.size
    assert (np.diff(sizes) < 0).all()
    assert sizes[-1] < 0.5 * Y.size


@pytest.mark.slow
def test_inside_the_interval_probabilities_are_calibrated_and_outside_they_saturate():
    model = SparseLogisticClassifier(0.2, 0.4, kernel="rbf", gamma=0.3).fit(*world(3, 700, 300)[:2])
    p = model.predict_proba(X_NEW)[:, 1]
    inside = (P_NEW > 0.2) & (P_NEW < 0.4)
    assert abs(np.mean(p[inside] - P_NEW[inside])) < 0.03
    # a constant in the middle would be 0.05 off
    assert np.mean(np.abs(p[inside] - P_NEW[inside])) < 0.045
    # on the right side, and far from the truth: estimates stay where the loss stops to ask for more
    low, high = P_NEW < 0.05, P_NEW > 0.8
    assert np.mean(p[low] < 0.25) > 0.95
    assert np.mean(p[high] > 0.35) > 0.95
    assert np.median(p[low]) > 0.1
    assert np.median(p[high]) < 0.6


def test_what_is_known_of_a_probability_is_its_value_or_a_side():
    model = SparseLogisticClassifier(0.2, 0.4).fit(X, Y)
    p, bounds = model.predict_proba(X_NEW)[:, 1], model.probability_bounds(X_NEW)
    inside, below, above = (p >= 0.2) & (p <= 0.4), p < 0.2, p > 0.4
    assert min(inside.sum(), below.sum(), above.sum()) > 0
    np.testing.assert_array_equal(bounds[inside], np.column_stack([p, p])[inside])
    np.testing.assert_array_equal(bounds[below], np.tile([0.0, 0.2], (below.sum(), 1)))
    np.testing.assert_array_equal(bounds[above], np.tile([0.4, 1.0], (above.sum(), 1)))


def test_predict_calls_class_1_where_that_costs_least():
    model = SparseLogisticClassifier(0.1, 0.4, cost0=1.0, cost1=4.0).fit(X, Y)
    assert model.threshold_ == pytest.approx(0.2)
    p = model.predict_proba(X_NEW)[:, 1]
    np.testing.assert_array_equal(model.predict(X_NEW), (p > 0.2).astype(int))
    np.testing.assert_allclose(model.decision_function(X_NEW), logit(p) - logit(0.2), atol=1e-9)


def test_without_costs_the_threshold_is_one_half_or_the_middle_of_the_interval():
    assert SparseLogisticClassifier(0.1, 0.6).fit(X, Y).threshold_ == 0.5
    assert SparseLogisticClassifier(0.1, 0.4).fit(X, Y).threshold_ == pytest.approx(0.25)


def test_a_threshold_outside_the_interval_is_told():
    with pytest.warns(
        NPWarning, match=r"the threshold that follows from the costs, 0.5, is not strictly between p_min=0.1 "
    ):
        SparseLogisticClassifier(0.1, 0.4, cost0=1, cost1=1).fit(X, Y)


@pytest.mark.parametrize("costs", [(1, 4), (2, 3)])
def test_a_threshold_at_an_end_is_told(costs):
    # estimates of rows beyond an end are that end, so that rounding would decide what they are called
    with pytest.warns(NPWarning, match="not strictly between"):
        SparseLogisticClassifier(0.2, 0.4, cost0=costs[0], cost1=costs[1]).fit(X, Y)
    assert SparseLogisticClassifier(0.2, 0.5).fit(X, Y).threshold_ == 0.35
    assert SparseLogisticClassifier(0.5, 0.8).fit(X, Y).threshold_ == 0.65


def test_at_an_end_of_the_interval_no_more_than_a_side_is_known():
    model = SparseLogisticClassifier(0.2, 0.4, kernel="rbf", lam=0.1).fit(X, Y)
    p, bounds = model.predict_proba(X)[:, 1], model.probability_bounds(X)
    for end, known in ((0.2, (0.0, 0.2)), (0.4, (0.4, 1.0))):
        on = np.abs(p - end) < 1e-9
        assert on.sum() > 3
        np.testing.assert_array_equal(bounds[on], np.tile(known, (on.sum(), 1)))


def test_the_interval_can_come_from_the_costs():
    model = SparseLogisticClassifier(interval="costs", cost0=1, cost1=4, factor=2.0).fit(X, Y)
    chosen = interval_from_costs(1, 4, factor=2.0)
    assert (model.p_min_, model.p_max_, model.threshold_) == (chosen.p_min, chosen.p_max, chosen.threshold)
    given = SparseLogisticClassifier(chosen.p_min, chosen.p_max, cost0=1, cost1=4).fit(X, Y)
    np.testing.assert_array_equal(model.coef_, given.coef_)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_the_interval_can_come_from_alpha(kernel):
    model = SparseLogisticClassifier(interval="alpha", alpha=0.1, factor=2.0, kernel=kernel, random_state=0).fit(X, Y)
    assert 0 < model.p_min_ < model.threshold_ < model.p_max_ < 1
    # empirical only: near alpha on new rows, and the ends have type I errors to both sides of it
    p0 = model.predict_proba(X_NEW)[Y_NEW == 0, 1]
    assert np.mean(p0 > model.threshold_) == pytest.approx(0.1, abs=0.06)
    assert np.mean(p0 > model.p_max_) < 0.1 < np.mean(p0 > model.p_min_)
    assert np.mean(model.predict(X_NEW[Y_NEW == 0]) == 1) == np.mean(p0 > model.threshold_)
    assert model.support_.size < Y.size


def test_an_interval_that_no_row_reaches_is_widened():
    # so far in the tail of classes that overlap, the best model of an interval is often a constant
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [300, 700])
    rows = rng.normal(size=(1000, 2)) + np.outer(y, [0.3, 0.0])
    model = SparseLogisticClassifier(interval="alpha", alpha=0.02, random_state=0).fit(rows, y)
    with pytest.warns(NPWarning, match="calls all training rows class 0"):
        narrow = SparseLogisticClassifier(0.78, 0.84).fit(rows, y)
    assert np.ptp(narrow.decision_function(rows)) < 1e-6
    assert np.ptp(model.decision_function(rows)) > 0.5
    assert model.p_min_ < 0.75


def test_the_folds_of_the_interval_depend_on_the_seed_alone():
    one, two, other = (SparseLogisticClassifier(interval="alpha", random_state=seed).fit(X, Y) for seed in (1, 1, 2))
    np.testing.assert_array_equal(one.coef_, two.coef_)
    assert one.p_min_ != other.p_min_


def test_costs_move_the_threshold_of_an_interval_from_alpha():
    model = SparseLogisticClassifier(interval="alpha", alpha=0.1, cost0=1, cost1=1, random_state=0).fit(X, Y)
    assert model.threshold_ == 0.5


@pytest.mark.parametrize("params", [{}, {"kernel": "rbf"}], ids=str)
def test_either_label_can_be_the_prioritised_class(params):
    labels = np.where(Y == 0, "sick", "fit")
    model = SparseLogisticClassifier(0.2, 0.4, class0="sick", **params).fit(X, labels)
    plain = SparseLogisticClassifier(0.2, 0.4, **params).fit(X, Y)
    np.testing.assert_array_equal(model.predict(X_NEW) == "fit", plain.predict(X_NEW) == 1)
    # classes_ is sorted: fit, whose probability the interval is about, before sick
    np.testing.assert_array_equal(model.predict_proba(X_NEW), plain.predict_proba(X_NEW)[:, ::-1])
    np.testing.assert_array_equal(model.decision_function(X_NEW), -plain.decision_function(X_NEW))
    np.testing.assert_array_equal(model.probability_bounds(X_NEW), plain.probability_bounds(X_NEW))


def test_the_attributes_rebuild_the_score():
    model = SparseLogisticClassifier(0.2, 0.4, kernel="rbf", gamma=0.3).fit(X, Y)
    # the score is counted from the threshold, the middle of the interval
    cut = logit(0.3)
    by_hand = rbf_kernel(X_NEW, model.support_vectors_, gamma=0.3) @ model.dual_coef_[0] + model.intercept_ + cut
    np.testing.assert_allclose(model.predict_proba(X_NEW)[:, 1], expit(by_hand), atol=1e-10)
    np.testing.assert_array_equal(model.support_vectors_, X[model.support_])
    for solver in ("primal", "dual"):
        linear = SparseLogisticClassifier(0.2, 0.4, solver=solver).fit(X, Y)
        np.testing.assert_allclose(linear.coef_, linear.dual_coef_ @ X[linear.support_], atol=1e-7)
        by_hand = X_NEW @ linear.coef_[0] + linear.intercept_ + cut
        np.testing.assert_allclose(linear.predict_proba(X_NEW)[:, 1], expit(by_hand), atol=1e-12)


@pytest.mark.parametrize("interval", ["given", pytest.param("alpha", marks=pytest.mark.slow)])
def test_a_precomputed_kernel_and_a_callable_give_what_the_name_gives(interval):
    ends = {"p_min": 0.2, "p_max": 0.4} if interval == "given" else {"alpha": 0.1}
    settings = {"interval": interval, "random_state": 0, **ends}
    named = SparseLogisticClassifier(kernel="rbf", gamma=0.3, **settings).fit(X, Y)
    given = SparseLogisticClassifier(kernel="precomputed", **settings).fit(rbf_kernel(X, gamma=0.3), Y)
    called = SparseLogisticClassifier(kernel=lambda A, B: rbf_kernel(A, B, gamma=0.3), **settings).fit(X, Y)
    scores = named.decision_function(X_NEW)
    np.testing.assert_allclose(given.decision_function(rbf_kernel(X_NEW, X, gamma=0.3)), scores, atol=1e-6)
    np.testing.assert_allclose(called.decision_function(X_NEW), scores, atol=1e-6)
    assert not hasattr(given, "support_vectors_")


@pytest.mark.parametrize(
    "params", [{}, {"solver": "dual"}, {"kernel": "rbf"}, {"kernel": "poly", "coef0": 1.0}], ids=str
)
def test_sparse_rows_give_what_dense_rows_give(params):
    dense = SparseLogisticClassifier(0.2, 0.4, **params).fit(X, Y)
    thin = SparseLogisticClassifier(0.2, 0.4, **params).fit(sparse.csr_array(X), Y)
    scores = thin.decision_function(sparse.csr_array(X_NEW))
    np.testing.assert_allclose(scores, dense.decision_function(X_NEW), atol=1e-6)


def test_a_second_fit_leaves_nothing_of_the_first():
    model = SparseLogisticClassifier(0.2, 0.4).fit(X, Y)
    model.set_params(kernel="precomputed").fit(rbf_kernel(X), Y)
    assert not hasattr(model, "coef_")
    assert not hasattr(model, "support_vectors_")


def test_without_a_penalty_separated_classes_have_no_minimiser():
    apart = X + 20.0 * np.where(Y == 1, 1.0, -1.0)[:, None]
    with pytest.warns(NotConvergedWarning, match="no minimiser"):
        model = SparseLogisticClassifier(lam=0.0).fit(apart, Y)
    assert not model.converged_
    assert not hasattr(model, "dual_coef_")
    # with both ends the loss stops to fall
    closed = SparseLogisticClassifier(0.2, 0.4, lam=0.0).fit(apart, Y)
    assert closed.converged_
    np.testing.assert_array_equal(closed.predict(apart), Y)


def test_without_a_penalty_it_is_maximum_likelihood():
    model = SparseLogisticClassifier(lam=0.0).fit(X, Y)
    peer = LogisticRegression(C=np.inf, solver="newton-cholesky", tol=1e-12).fit(X, Y)
    np.testing.assert_allclose(model.coef_, peer.coef_, rtol=1e-6)


def test_without_convergence_the_reason_is_told():
    with pytest.warns(NotConvergedWarning, match=r"SparseLogisticClassifier stopped after 1 iterations"):
        model = SparseLogisticClassifier(0.2, 0.4, max_iter=1).fit(X, Y)
    assert not model.converged_


@pytest.mark.parametrize(("solver", "quantity"), [("primal", "objective"), ("dual", "largest violation")])
def test_progress_is_told_on_standard_error(solver, quantity, capsys):
    model = SparseLogisticClassifier(0.2, 0.4, solver=solver, verbose=2).fit(X, Y)
    told = capsys.readouterr()
    assert told.out == ""
    form = rf"SparseLogisticClassifier, iteration (\d+): {quantity} \d"
    numbers = [int(re.match(form, line)[1]) for line in told.err.splitlines()]
    assert numbers == list(range(2, model.n_iter_ + 1, 2))


def test_the_history_falls_to_the_optimum():
    model = SparseLogisticClassifier(0.2, 0.4).fit(X, Y)
    assert len(model.history_) == model.n_iter_
    assert "objective" in model.history_


def test_the_picture_shows_the_rows_given():
    model = SparseLogisticClassifier(0.2, 0.4, class0=1).fit(X, 1 - Y)
    ax = model.plot(X_NEW, 1 - Y_NEW, n_groups=8)
    # the controlled class is the one labelled 1 here
    assert ax.get_xlabel() == "estimated probability of label 0"
    line = ax.findobj(lambda artist: artist.get_gid() == "nproc-calibration")[0]
    p = np.sort(model.predict_proba(X_NEW)[:, 0])
    np.testing.assert_allclose(line.get_xdata(), [part.mean() for part in np.array_split(p, 8)])


def test_pickling_keeps_the_scores():
    model = SparseLogisticClassifier(0.2, 0.4, kernel="rbf").fit(X, Y)
    back = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(back.decision_function(X_NEW), model.decision_function(X_NEW))


@pytest.mark.parametrize("interval", ["given", "alpha"])
def test_more_columns_than_rows_give_the_same_model_by_each_way(interval):
    rng = np.random.default_rng(5)
    y = np.arange(60) % 2
    X = np.where(rng.random((60, 900)) < 0.1, rng.normal(size=(60, 900)), 0.0)
    X[:, :3] += y[:, None]
    own = {"p_min": 0.2, "p_max": 0.7} if interval == "given" else {"alpha": 0.2, "random_state": 1}
    known = {"interval": interval, **own}
    dual = SparseLogisticClassifier(**known, solver="dual").fit(X, y)
    for rows in (X, sparse.csr_matrix(X)):
        model = SparseLogisticClassifier(**known).fit(rows, y)
        assert model.converged_
        np.testing.assert_allclose(model.coef_, dual.coef_, atol=1e-8)
        np.testing.assert_allclose(model.intercept_, dual.intercept_, atol=1e-8)
        np.testing.assert_array_equal(model.predict(rows), dual.predict(X))
