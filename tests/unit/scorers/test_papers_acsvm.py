"""The support vector machine whose two costs are chosen for a level of the type I error."""

import inspect
import itertools
import re

import numpy as np
import pytest
from scipy import sparse
from sklearn.model_selection import PredefinedSplit
from sklearn.svm import SVC, LinearSVC
from sklearn.utils.estimator_checks import check_estimator

from nproc import npc
from nproc.errors import InvalidInputError, NotConvergedWarning, NPWarning
from nproc.scorers import fit_scorer, get_scorer, score_rows, scorer_spec
from nproc.scorers.classical.penalised import stratified_folds
from nproc.scorers.papers.acsvm import (
    AsymmetricCostSVC,
    best_candidate,
    grid_values,
    judged_candidates,
    usual_scales,
)

GRID = {"C1s": [0.1, 1, 10], "C0s": [0.1, 1, 10], "gammas": [0.1, 1.0]}
LINEAR = {"kernel": "linear", "C1s": [0.01, 0.1, 1], "C0s": [0.01, 0.1, 1]}


def world(seed=0, n0=80, n1=60, gap=1.5):
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], [n0, n1])
    return rng.normal(size=(n0 + n1, 2)) + gap * y[:, None], y


# scikit-learn's tiny samples have less than 1 / alpha rows of class 0
# scikit-learn's checks have labels of all kinds and never name class0
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:class0 is not given")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@pytest.mark.filterwarnings("ignore:.*less than one row:nproc.errors.NPWarning")
@pytest.mark.parametrize(
    "params",
    [
        {"C1s": [1, 10], "C0s": [1, 10], "gammas": [0.1]},
        {"kernel": "linear", "loss": "squared_hinge", "C1s": [0.1, 1], "C0s": [0.1, 1], "alpha": 0.3},
    ],
)
@pytest.mark.filterwarnings("ignore:AsymmetricCostSVC (calls|would call)")
def test_scikit_learns_conventions_are_kept(params):
    assert len(check_estimator(AsymmetricCostSVC(**params), on_fail="raise")) > 30


def folds_of(y, seed, n_folds=4):
    return stratified_folds(y, n_folds, np.random.default_rng(seed))


def test_the_errors_of_each_candidate_are_those_of_plain_cross_validation():
    X, y = world()
    model = AsymmetricCostSVC(0.1, **GRID, random_state=3).fit(X, y)
    assert len(model.history_) == 18
    split = PredefinedSplit(folds_of(y, 3))
    for row in model.history_.sample(5, random_state=0).itertuples():
        called = np.empty_like(y)
        for train, test in split.split():
            machine = SVC(gamma=row.gamma, class_weight={0: row.C0, 1: row.C1}).fit(X[train], y[train])
            called[test] = machine.predict(X[test])
        assert row.type1 == pytest.approx((called[y == 0] == 1).mean(), rel=1e-12)
        assert row.type2 == pytest.approx((called[y == 1] == 0).mean(), rel=1e-12)
        loss = row.type2 + max(0, row.type1 - 0.1) / 0.1
        assert row.J == pytest.approx(loss, rel=1e-12, abs=1e-14)  # noqa: SIM300
        assert row.gamma == pytest.approx(1 / (2 * row.sigma**2))


def test_the_winner_has_the_least_loss_and_is_trained_on_all_rows():
    X, y = world()
    model = AsymmetricCostSVC(0.1, **GRID, random_state=3).fit(X, y)
    best = model.best_params_
    assert model.loss_ == model.history_["J"].min()
    plain = SVC(gamma=best["gamma"], class_weight={0: best["C0"], 1: best["C1"]}).fit(X, y)
    np.testing.assert_array_equal(model.decision_function(X), plain.decision_function(X))
    np.testing.assert_array_equal(model.support_, plain.support_)
    np.testing.assert_array_equal(model.dual_coef_, plain.dual_coef_)
    np.testing.assert_array_equal(model.intercept_, plain.intercept_)
    assert model.converged_
    assert model.n_not_converged_ == 0


@pytest.mark.slow
def test_a_smaller_level_buys_fewer_class_0_errors():
    X, y = world(n0=300, n1=300)
    strict, loose = (AsymmetricCostSVC(a, **GRID, random_state=0).fit(X, y) for a in (0.02, 0.3))
    assert strict.type1_ < loose.type1_
    assert strict.type2_ > loose.type2_
    ratio = [m.best_params_["C0"] / m.best_params_["C1"] for m in (strict, loose)]
    assert ratio[0] > ratio[1]
    X_new, y_new = world(1, n0=2000, n1=10)
    assert (strict.predict(X_new)[y_new == 0] == 1).mean() < 0.06


def test_ties_go_to_fewer_type_1_errors_then_small_costs_then_a_small_scale():
    costs = list(itertools.product([1.0, 10.0], [1.0, 10.0]))
    rates = np.zeros((2, 4, 2))
    rates[:, :, 0], rates[:, :, 1] = 0.05, 0.2
    table = judged_candidates(rates, costs, [0.1, 1.0], 0.1)
    first = best_candidate(table)
    assert (table["C1"][first], table["C0"][first], table["gamma"][first]) == (1.0, 1.0, 0.1)
    # (1, 10) and (10, 1) have the same sum
    rates[:, 0, 1] = rates[:, 3, 1] = 0.3
    second = best_candidate(judged_candidates(rates, costs, [0.1, 1.0], 0.1))
    assert (table["C1"][second], table["C0"][second], table["gamma"][second]) == (1.0, 10.0, 0.1)
    rates[1, 2, 0] = 0.04
    third = best_candidate(judged_candidates(rates, costs, [0.1, 1.0], 0.1))
    assert (table["C1"][third], table["C0"][third], table["gamma"][third]) == (10.0, 1.0, 1.0)


def test_the_order_of_the_grid_changes_nothing():
    X, y = world(n0=20, n1=20)
    turned = {name: values[::-1] * 2 for name, values in GRID.items()}
    one = AsymmetricCostSVC(0.1, **GRID, random_state=1).fit(X, y)
    two = AsymmetricCostSVC(0.1, **turned, random_state=1).fit(X, y)
    assert one.best_params_ == two.best_params_
    assert one.history_.equals(two.history_)


@pytest.mark.slow
@pytest.mark.parametrize("params", [GRID, LINEAR], ids=["rbf", "linear"])
def test_processes_do_not_change_the_result(params):
    X, y = world()
    one = AsymmetricCostSVC(0.1, **params, random_state=1).fit(X, y)
    two = AsymmetricCostSVC(0.1, **params, random_state=1, n_jobs=2).fit(X, y)
    assert one.history_.equals(two.history_)
    np.testing.assert_array_equal(one.decision_function(X), two.decision_function(X))


def test_a_linear_kernel_is_liblinear_with_weights():
    X, y = world()
    model = AsymmetricCostSVC(0.1, **LINEAR, random_state=1).fit(X, y)
    assert isinstance(model.estimator_, LinearSVC)
    assert model.best_params_["gamma"] is None
    assert model.history_["gamma"].isna().all()
    np.testing.assert_allclose(X @ model.coef_[0] + model.intercept_, model.decision_function(X))
    assert not hasattr(model, "support_")


@pytest.mark.parametrize("params", [GRID, LINEAR], ids=["rbf", "linear"])
def test_sparse_rows_give_what_dense_ones_give(params):
    X, y = world()
    X[np.abs(X) < 0.5] = 0.0
    # columns with a mean of 0: those of sparse rows are not centred
    X[0] -= X.sum(axis=0)
    dense = AsymmetricCostSVC(0.1, **params, random_state=1).fit(X, y)
    rows = AsymmetricCostSVC(0.1, **params, random_state=1).fit(sparse.csr_array(X), y)
    assert rows.best_params_ == dense.best_params_
    # both solvers stop at 1e-3
    np.testing.assert_allclose(rows.decision_function(sparse.csr_array(X)), dense.decision_function(X), atol=2e-3)


def test_a_level_of_less_than_one_row_is_told():
    X, y = world()
    with pytest.warns(NPWarning, match="alpha=0.01 times 80 class 0 training rows is less than one row"):
        AsymmetricCostSVC(0.01, **GRID, random_state=1).fit(X, y)


def test_class0_chooses_the_bounded_class():
    X, y = world()
    plain = AsymmetricCostSVC(0.1, **GRID, random_state=1).fit(X, y)
    turned = AsymmetricCostSVC(0.1, **GRID, random_state=1, class0=1).fit(X, 1 - y)
    assert turned.best_params_ == plain.best_params_
    np.testing.assert_array_equal(turned.predict(X), 1 - plain.predict(X))


def test_the_default_scales_depend_on_units_as_the_kernel_does_and_not_on_shifts():
    X, _ = world()
    np.testing.assert_allclose(np.array(usual_scales(10 * X)) * 100, usual_scales(X))
    np.testing.assert_allclose(usual_scales(X + np.array([5.0, -3.0])), usual_scales(X))
    np.testing.assert_allclose(usual_scales(X + 1e9), usual_scales(X), rtol=1e-6)
    np.testing.assert_allclose(usual_scales(sparse.csr_array(X)), usual_scales(X))
    assert usual_scales(X)[1] == pytest.approx(1 / X.var(axis=0).sum())
    assert usual_scales(np.full((7, 2), 0.1))[1] == 1.0
    assert usual_scales(np.full((7, 2), 1e9 + 0.1))[1] == 1.0


@pytest.mark.parametrize("params", [{**GRID, "gammas": [10.0]}, LINEAR], ids=["libsvm", "liblinear"])
def test_unfinished_fits_are_told_once_with_their_number(params):
    X, y = world()
    with pytest.warns(NotConvergedWarning, match=r"\d+ of 37 fits stopped at max_iter") as caught:
        model = AsymmetricCostSVC(0.1, **params, max_iter=1, random_state=0).fit(X, y)
    assert len(caught) == 1
    assert model.n_not_converged_ == 37
    assert not model.converged_
    assert ("squared_hinge" in str(caught[0].message)) == (model.kernel == "linear")


def test_progress_goes_to_the_standard_error(capsys):
    X, y = world()
    AsymmetricCostSVC(0.1, **GRID, random_state=1, verbose=1).fit(X, y)
    shown = capsys.readouterr()
    assert "block of fits: 100%" in shown.err
    assert "8/8" in shown.err
    assert shown.out == ""


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"alpha": 1}, "alpha must lie strictly between 0 and 1, got 1"),
        ({"kernel": "laplace"}, "kernel must be one of 'rbf', 'linear'"),
        ({"loss": "ramp"}, "loss must be one of 'hinge', 'squared_hinge'"),
        ({"C1s": [0, 1]}, r"C1s must be a list of finite numbers above 0, got \[0, 1\]"),
        ({"C0s": []}, "C0s must be a list of finite numbers above 0"),
        ({"C0s": 3.0}, "C0s must be a list of finite numbers above 0, got 3.0"),
        ({"C0s": ["a"]}, "C0s must be a list"),
        ({"gammas": [np.inf]}, "gammas must be a list"),
        ({"n_folds": 1}, "n_folds must be at least 2"),
        ({"max_iter": 0}, "max_iter must be at least 1"),
        ({"n_jobs": 0}, "n_jobs must be None or a whole number"),
        ({"verbose": -1}, "verbose must be at least 0, got -1"),
        ({"verbose": "yes"}, "verbose must be a whole number of at least 0, got 'yes'"),
        ({"class0": 9}, "class0 must be one of the labels"),
    ],
)
def test_a_bad_parameter_is_an_error(params, message):
    with pytest.raises(InvalidInputError, match=message):
        AsymmetricCostSVC(**params).fit(*world())


def test_one_row_of_a_class_is_an_error():
    X, y = world()
    with pytest.raises(InvalidInputError, match=r"at least 2 rows of each class.*got \[80, 1\]"):
        AsymmetricCostSVC().fit(X[:81], y[:81])


@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly", "sigmoid"])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_columns_too_large_or_small_to_compute_with_are_told_of(kernel, form, scale):
    X, y = world()
    model = AsymmetricCostSVC(kernel=kernel, C1s=[1], C0s=[1], gammas=[1])
    with pytest.raises(InvalidInputError, match=r"too far from 1 to compute with\. Standardise the columns"):
        model.fit(form(X * scale), y)


def test_a_number_whose_square_is_too_large_is_told_of_though_its_column_does_not_vary():
    X, y = world()
    far = np.column_stack([X, np.full(y.size, 2.0**531)])
    with pytest.raises(InvalidInputError, match=r"a number of size 7.03e\+159, whose square .* Standardise"):
        AsymmetricCostSVC(C1s=[1], C0s=[1]).fit(far, y)


def test_grid_values_are_sorted_and_each_taken_once():
    assert grid_values(np.array([3, 1, 3]), None, "C1s") == [1.0, 3.0]


def test_the_factory_hands_on_each_keyword_and_documents_it():
    text = inspect.getdoc(scorer_spec("acsvm").factory)
    assert "\nR: " in text
    for keyword in scorer_spec("acsvm").parameters:
        assert re.search(rf"\n(\w+, )*{keyword}(, \w+)* : ", text)
        assert get_scorer("acsvm", **{keyword: 0.123})["acsvm"].get_params()[keyword] == 0.123


def test_the_named_scorer_is_blind_to_units_and_takes_sparse_rows():
    X, y = world()
    named = {"C1s": [1], "C0s": [1, 10], "alpha": 0.2, "random_state": 0}
    scores = score_rows(fit_scorer(get_scorer("acsvm", **named), X, y), X)
    units = np.array([2.0**20, 2.0**-20])
    again = score_rows(fit_scorer(get_scorer("acsvm", **named), X * units, y), X * units)
    np.testing.assert_allclose(again, scores, rtol=1e-9, atol=1e-9)
    rows = sparse.csr_array(X)
    # the sparse pipeline does not centre: another rounding
    np.testing.assert_allclose(score_rows(fit_scorer(get_scorer("acsvm", **named), rows, y), rows), scores, atol=1e-6)


def test_npc_gives_its_alpha_and_keeps_it():
    X, y = world(n0=800, n1=200, gap=2.0)
    # so rarely broken that a fixed seed is no luck
    fit = npc(X, y, method="acsvm", C1s=[1], C0s=[1, 10], gammas=[0.2], alpha=0.1, delta=1e-4, random_state=0)
    X_new, y_new = world(1, n0=5000, n1=5000, gap=2.0)
    assert (fit.predict(X_new)[y_new == 0] == 1).mean() <= 0.1
    assert (fit.predict(X_new)[y_new == 1] == 1).mean() > 0.5


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        # LIBSVM would not end
        ({"tol": 1e-320}, "tol must be at least"),
        ({"tol": 1e-15}, "tol must be at least 1e-12"),
        ({"degree": 10**400}, "degree must be at most 2147483647"),
        ({"degree": True}, "degree must be a whole number"),
        ({"max_iter": 10**12}, "max_iter must be at most 2147483647"),
        ({"coef0": 10**400}, "coef0 is too large"),
        ({"coef0": None}, "coef0 must be a finite number"),
    ],
)
def test_what_the_solver_cannot_take_is_refused_by_name(settings, message):
    rng = np.random.default_rng(0)
    y = np.tile([0, 1], 20)
    model = AsymmetricCostSVC(C1s=[1], C0s=[1], gammas=[0.5], kernel="poly", n_folds=2, random_state=0, **settings)
    with pytest.raises(InvalidInputError, match=message):
        model.fit(rng.normal(size=(40, 2)) + 2 * y[:, None], y)
