"""The constrained solver against a conic solver, its certificate and its variants."""

import numpy as np
import pytest
from np_problems import a_level, conic_optimum, overlapping
from scipy import sparse

from nproc.errors import InvalidInputError
from nproc.losses import CALIBRATED_LOSSES, CalibratedHingeLoss, LogisticLoss, MatsusitaLoss
from nproc.solvers.constrained.problem import GroupRisk, L1Ball, L2Ball, Nonnegative
from nproc.solvers.constrained.solve import solve_constrained_np

THIRD = np.arange(150) % 3 == 0
SETS = {
    "none": (),
    "l2": (L2Ball(0.3),),
    "l1": (L1Ball(0.4),),
    "signs": (Nonnegative(),),
    "l1, signs": (L1Ball(0.3), Nonnegative()),
    "l2, signs": (L2Ball(0.2), Nonnegative()),
    "l2, l1": (L2Ball(0.3), L1Ball(0.5)),
}


def groups(tau):
    return (GroupRisk(THIRD, 0.9 * tau if tau > 0 else 1.1 * tau - 0.01),)


def assert_optimal(found, X, y, loss, name, tau, fit_intercept, constraints):
    status, optimum = conic_optimum(X, y, name, tau, fit_intercept=fit_intercept, constraints=constraints)
    assert status.startswith("optimal")
    assert found.converged, found.reason
    assert found.certificate <= 1e-6
    assert found.risks["type1"] <= tau + 1e-12
    # the calibrated hinge crosses 0; the conic solver calls some optima inaccurate
    assert found.risks["type2"] == pytest.approx(optimum, rel=1e-6 if status == "optimal" else 5e-6, abs=2e-7)
    z = X @ found.coef + found.intercept
    assert found.risks["type1"] == pytest.approx(float(loss.value(-z[y == 0]).mean()), abs=1e-12)
    assert found.risks["type2"] == pytest.approx(float(loss.value(z[y == 1]).mean()), abs=1e-12)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("name", CALIBRATED_LOSSES)
@pytest.mark.parametrize("sets", SETS)
def test_the_optimum_is_that_of_a_conic_solver(sets, name, fit_intercept):
    loss = CALIBRATED_LOSSES[name]
    # another problem for each, as conic solvers take their time
    seed = list(SETS).index(sets) + 10 * list(CALIBRATED_LOSSES).index(name) + 100 * fit_intercept
    X, y = overlapping(seed)
    tau = a_level(loss, seed)
    found = solve_constrained_np(X, y, tau=tau, loss=loss, fit_intercept=fit_intercept, constraints=SETS[sets])
    assert_optimal(found, X, y, loss, name, tau, fit_intercept, SETS[sets])


@pytest.mark.parametrize("name", CALIBRATED_LOSSES)
def test_the_risk_of_a_group_is_held_as_well(name):
    loss = CALIBRATED_LOSSES[name]
    X, y = overlapping(0)
    tau = a_level(loss, 0)
    found = solve_constrained_np(X, y, tau=tau, loss=loss, constraints=groups(tau))
    assert_optimal(found, X, y, loss, name, tau, True, groups(tau))
    assert found.risks["groups"][0] <= groups(tau)[0].tau + 1e-12
    assert found.multipliers["groups"].shape == (1,)


@pytest.mark.parametrize("variant", ["projected_gradient", "accelerated"])
@pytest.mark.parametrize("sets", [name for name in SETS if name != "signs"])
def test_gradient_variants_reach_the_same_point(sets, variant):
    # scaled columns: these methods are slow where the scales differ
    X, y = overlapping(1)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    options = {"tau": 0.62, "constraints": SETS[sets]}
    best = solve_constrained_np(X, y, tol=1e-9, **options)
    found = solve_constrained_np(X, y, variant=variant, step_bound="spectral", max_iter=3000, **options)
    assert best.converged
    assert found.converged, found.reason
    assert found.variant == variant
    assert found.n_inner > 0
    assert found.risks["type1"] <= 0.62 + 1e-12
    assert found.risks["type2"] == pytest.approx(best.risks["type2"], rel=1e-6)
    np.testing.assert_allclose(found.coef, best.coef, atol=1e-4)
    assert found.multiplier == pytest.approx(best.multiplier, rel=1e-4)


def test_the_papers_path_converges_with_its_own_step():
    X, y = overlapping(3, n=80, p=3)
    X = X / np.linalg.norm(X, axis=1)[:, None]
    found = solve_constrained_np(X, y, tau=0.65, variant="projected_gradient", step=1.9, step_bound="trace")
    best = solve_constrained_np(X, y, tau=0.65, tol=1e-9)
    assert found.converged
    assert found.risks["type2"] == pytest.approx(best.risks["type2"], rel=1e-6)


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_sparse_rows_give_what_dense_rows_give(fit_intercept):
    X, y = overlapping(2)
    X[np.random.default_rng(0).random(X.shape) < 0.6] = 0.0
    for variant in ("interior_point", "accelerated"):
        options = {
            "tau": 0.66,
            "fit_intercept": fit_intercept,
            "variant": variant,
            "step_bound": "spectral",
            "constraints": (L2Ball(0.5),),
        }
        dense = solve_constrained_np(X, y, **options)
        found = solve_constrained_np(sparse.csr_array(X), y, **options)
        assert dense.converged
        assert found.converged
        np.testing.assert_allclose(found.coef, dense.coef, atol=1e-9)


def test_more_columns_than_rows_with_a_ball():
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(40, 300)), np.repeat([0, 1], 20)
    for constraints, name in (((L2Ball(0.1),), "l2"), ((L1Ball(0.5),), "l1")):
        found = solve_constrained_np(X, y, tau=0.4, constraints=constraints)
        assert_optimal(found, X, y, LogisticLoss(), "logistic", 0.4, True, constraints)
        assert np.sum(found.coef != 0) < 30 or name == "l2"


@pytest.mark.parametrize("loss", CALIBRATED_LOSSES.values(), ids=CALIBRATED_LOSSES)
def test_units_and_origins_of_columns_do_not_matter(loss):
    X, y = overlapping(1)
    tau = a_level(loss, 0)
    found = solve_constrained_np(X, y, tau=tau, loss=loss)
    scale = np.array([1e-6, 1e-3, 1.0, 1e2, 1e4, 1e6])
    other = solve_constrained_np(X * scale + 3 * scale, y, tau=tau, loss=loss)
    assert found.converged
    assert other.converged
    assert other.risks["type2"] == pytest.approx(found.risks["type2"], rel=1e-6)
    assert other.n_iter <= found.n_iter + 10
    np.testing.assert_allclose(other.coef * scale, found.coef, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("constraints", [(), (L2Ball(0.3),), (L1Ball(0.4),), (Nonnegative(),)])
@pytest.mark.parametrize("shift", [1e5, 1e7])
def test_columns_far_from_0_do_not_matter(constraints, shift):
    X, y = overlapping(1)
    tau = a_level(LogisticLoss(), 0)
    found = solve_constrained_np(X, y, tau=tau, constraints=constraints)
    other = solve_constrained_np(X + shift, y, tau=tau, constraints=constraints)
    assert other.converged, other.reason
    assert other.risks["type2"] == pytest.approx(found.risks["type2"], rel=1e-6)
    np.testing.assert_allclose(other.coef, found.coef, atol=1e-4)
    assert other.intercept == pytest.approx(found.intercept - shift * other.coef.sum(), abs=1e-4)


@pytest.mark.parametrize("shift", [1e4, 1e6, 1e8])
def test_gradient_steps_that_stall_far_from_0_do_not_count_as_converged(shift):
    X, y = overlapping(1)
    tau = a_level(LogisticLoss(), 0)
    best = solve_constrained_np(X, y, tau=tau).risks["type2"]
    for rows in (X + shift, sparse.csr_array(X + shift)):
        found = solve_constrained_np(rows, y, tau=tau, variant="accelerated", step_bound="spectral", max_iter=100)
        assert found.risks["type2"] > 1.1 * best
        assert not found.converged
        assert found.certificate > 1e-3


@pytest.mark.parametrize("radius", [3.0, 15.0, 30.0])
def test_an_optimum_far_below_rounding_is_found_where_a_ball_holds_separated_classes(radius):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 50)
    X = rng.normal(size=(100, 5)) + 6 * y[:, None]
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    found = solve_constrained_np(X, y, tau=0.05, constraints=(L2Ball(radius),))
    assert found.converged, found.reason
    assert np.linalg.norm(found.coef) == pytest.approx(radius, rel=1e-5)
    assert found.risks["type2"] < 10.0 ** (-radius)
    # beside the optimum on the sphere the loss is larger, relative to itself
    value = found.risks["type2"]
    for _ in range(20):
        w = found.coef + 1e-2 * radius * rng.normal(size=5)
        w *= radius / np.linalg.norm(w)
        low, high = -1e3, 1e3
        for _ in range(200):
            middle = 0.5 * (low + high)
            risk1 = float(LogisticLoss().value(-(X[y == 0] @ w + middle)).mean())
            low, high = (middle, high) if risk1 <= 0.05 else (low, middle)
        assert float(LogisticLoss().value(X[y == 1] @ w + low).mean()) >= value * (1 - 1e-6)


def test_a_ball_that_is_far_too_large_is_told():
    X, y = np.array([[-1.0], [-2.0], [1.0], [2.0]]), np.array([0, 0, 1, 1])
    found = solve_constrained_np(X, y, tau=0.1, constraints=(L2Ball(1e4),))
    assert not found.converged
    assert "Take a smaller radius" in found.reason


def test_collinear_and_empty_columns_are_no_obstacle():
    X, y = overlapping(0)
    best = solve_constrained_np(X, y, tau=0.6)
    wide = np.column_stack([X, X[:, 0], np.ones(len(X)), np.zeros(len(X))])
    found = solve_constrained_np(wide, y, tau=0.6)
    assert found.converged
    assert found.risks["type2"] == pytest.approx(best.risks["type2"], rel=1e-6)


def test_a_loose_level_leaves_the_unconstrained_minimum_and_no_multiplier():
    X, y = overlapping(0)
    found = solve_constrained_np(X, y, tau=30.0, fit_intercept=False, constraints=(L2Ball(0.2),))
    assert found.converged
    assert found.multiplier == pytest.approx(0.0, abs=1e-6)
    assert found.risks["type1"] < 30.0


def test_a_lower_level_costs_what_the_multiplier_says():
    X, y = overlapping(1)
    here, below, above = (solve_constrained_np(X, y, tau=tau, tol=1e-9) for tau in (0.5, 0.499, 0.501))
    slope = (above.risks["type2"] - below.risks["type2"]) / 0.002
    assert here.multiplier == pytest.approx(-slope, rel=1e-3)
    assert below.risks["type2"] > here.risks["type2"] > above.risks["type2"]


@pytest.mark.parametrize("variant", ["interior_point", "projected_gradient", "accelerated"])
def test_history_has_a_row_an_iteration_and_the_errors_are_those_of_f_above_0(variant):
    X, y = overlapping(0)
    X = X / X.std(axis=0)
    rows = []
    found = solve_constrained_np(
        X, y, tau=0.62, variant=variant, max_iter=15, tol=1e-12, callback=lambda n, row: rows.append((n, row))
    )
    assert [n for n, _ in rows] == list(range(1, found.n_iter + 1))
    for name in ("objective", "risk1", "risk2", "type1", "type2", "certificate"):
        assert found.history[name].shape == (found.n_iter,)
        np.testing.assert_array_equal(found.history[name][:-1], [row[name] for _, row in rows][:-1])
    assert found.history["certificate"][-1] == found.certificate
    np.testing.assert_array_equal(found.history["objective"], found.history["risk2"])
    f = X @ found.coef + found.intercept
    if variant == "interior_point":
        assert found.history["type1"][-1] == np.mean(f[y == 0] > 0)
        assert found.history["type2"][-1] == np.mean(f[y == 1] <= 0)
        # all iterates of this variant are feasible
        assert np.all(found.history["risk1"] < 0.62)


def test_a_callback_can_stop_the_solver():
    def stop(n_iter, row):
        raise KeyboardInterrupt

    X, y = overlapping(0)
    with pytest.raises(KeyboardInterrupt):
        solve_constrained_np(X, y, tau=0.5, callback=stop)


def test_too_few_iterations_are_said_and_the_point_is_feasible_all_the_same():
    X, y = overlapping(0)
    for variant in ("interior_point", "accelerated"):
        found = solve_constrained_np(X, y, tau=0.5, max_iter=2, variant=variant)
        assert not found.converged
        assert found.reason.startswith("the KKT residual is")
        assert found.risks["type1"] <= 0.5 + 1e-12


def test_steps_beyond_two_beta_are_refused_and_data_too_large_are():
    X, y = overlapping(0)
    rules = (("projected_gradient", 2.0, "strictly between 0 and 2"), ("accelerated", 1.5, "at most 1"))
    for variant, step, rule in rules:
        with pytest.raises(InvalidInputError, match=rule):
            solve_constrained_np(X, y, tau=0.5, variant=variant, step=step)
    with pytest.raises(InvalidInputError, match="finite squares"):
        solve_constrained_np(X * 1e200, y, tau=0.5)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"tau": np.nan}, "tau must be finite"),
        ({"variant": "newton"}, "variant must be one of"),
        ({"step_bound": "norm"}, "step_bound must be one of"),
        ({"tol": 0.0}, "tol must be a finite number above 0"),
        ({"max_iter": -1}, "max_iter must be at least 1"),
        ({"max_iter": 0}, "max_iter must be at least 1"),
        ({"max_iter": 0, "variant": "accelerated"}, "max_iter must be at least 1"),
        ({"step": 0.0}, "step must be a finite number above 0"),
        ({"constraints": None}, "constraints must be a list or tuple"),
    ],
)
def test_bad_arguments_are_refused(change, message):
    X, y = overlapping(0)
    with pytest.raises(InvalidInputError, match=message):
        solve_constrained_np(X, y, **{"tau": 0.5} | change)


@pytest.mark.parametrize("loss", [LogisticLoss(), MatsusitaLoss(), CalibratedHingeLoss()])
def test_the_certificate_is_not_small_elsewhere(loss):
    X, y = overlapping(1)
    found = solve_constrained_np(X, y, tau=a_level(loss, 0), loss=loss, max_iter=3)
    assert found.certificate > 1e-4
