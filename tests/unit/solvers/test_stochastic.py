"""Algorithm 4: its constraint on a closed-form world, its certificate, its memory, its errors."""

import tracemalloc

import numpy as np
import pytest
from scipy import sparse
from scipy.stats import norm

from nproc.errors import InvalidInputError
from nproc.losses import SigmoidLoss
from nproc.solvers.jit import plain_python
from nproc.solvers.sampling import draw_fourier_features
from nproc.solvers.stochastic.run import Examination, mean_square_norm
from nproc.solvers.stochastic.solve import solve_stochastic_np


def gaussians(n=400, p=3, shift=2.0, seed=0, share0=0.5):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) >= share0).astype(np.uint8)
    X = rng.normal(size=(n, p))
    X[:, 0] += shift * y
    return X, y


def solve(X, y, seed=0, **changes):
    return solve_stochastic_np(X, y, **({"alpha": 0.1, "max_iter": 20} | changes), rng=np.random.default_rng(seed))


@pytest.mark.parametrize("changes", [{}, {"loss": "ramp", "eta": 1.0}, {"average": False, "balanced": False}], ids=str)
def test_sparse_and_dense_rows_give_the_same_model(changes):
    X, y = gaussians(500, p=6)
    X[np.random.default_rng(1).random(X.shape) < 0.6] = 0.0
    dense, thin = solve(X, y, **changes), solve(sparse.csr_array(X), y, **changes)
    # rounding, carried through 10,000 steps
    np.testing.assert_allclose(thin.coef, dense.coef, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(thin.certificate, dense.certificate, rtol=1e-6, atol=1e-10)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_compiled_and_plain_runs_agree(kind):
    X, y = gaussians(200)
    compiled = solve(kind(X), y, max_iter=3)
    with plain_python():
        plain = solve(kind(X), y, max_iter=3)
    np.testing.assert_allclose(plain.coef, compiled.coef, rtol=1e-9)
    np.testing.assert_allclose(plain.certificate, compiled.certificate, rtol=1e-6)


@pytest.mark.parametrize(
    "changes", [{}, {"balanced": False}, {"loss": "ramp", "eta": 1.0}, {"additive": True}], ids=str
)
def test_gaussians_are_separated_as_well_as_theory_allows(changes):
    X, y = gaussians(8000, p=3, shift=2.0, share0=0.4)
    alpha = 0.1
    result = solve(
        X,
        y,
        alpha=alpha,
        lam=1e-4,
        eta=changes.get("eta", 4.0),
        max_iter=60,
        **{key: value for key, value in changes.items() if key != "eta"},
    )
    size = np.linalg.norm(result.coef)
    type1 = norm.sf(-result.intercept / size)
    type2 = norm.cdf((-result.intercept - 2.0 * result.coef[0]) / size)
    best = norm.cdf(norm.isf(alpha) - 2.0)
    assert result.converged
    assert result.certificate < 0.1
    # the loss of class 0 is alpha, its error a little less; 0.0055 is a standard error of the sample
    assert alpha - 0.02 < type1 < alpha + 0.015
    assert type2 < best + 0.04
    # at its own level it is nearly optimal: the direction is right
    assert type2 < norm.cdf(norm.isf(type1) - 2.0) + 0.003


def test_an_inactive_constraint_ends_with_a_small_multiplier():
    X, y = gaussians(1000, shift=6.0)
    result = solve(X, y, alpha=0.4, max_iter=60)
    assert result.multiplier < 0.05
    assert result.converged


def test_the_examination_is_the_gradient_on_all_rows():
    X, y = gaussians(300)
    result = solve(X, y, gamma0=0.05, max_iter=5)
    looked = result.examination
    loss, eye = SigmoidLoss(eta=2.0), np.eye(4) * 1e-6

    def lagrangian(point):
        scores = X @ point[:-1] + point[-1]
        mean0, mean1 = loss.value(-scores[y == 0]).mean(), loss.value(scores[y == 1]).mean()
        return 0.5e-3 * point[:-1] @ point[:-1] + mean1 + looked.multiplier * mean0

    at = np.append(result.coef, result.intercept)
    gradient = [(lagrangian(at + h) - lagrangian(at - h)) / 2e-6 for h in eye]
    np.testing.assert_allclose(looked.shrink + looked.pull1 + looked.multiplier * looked.pull0, gradient, atol=1e-8)
    scores = X @ result.coef + result.intercept
    assert result.history["type1"][-1] == np.mean(scores[y == 0] > 0)
    assert result.history["type2"][-1] == np.mean(scores[y == 1] <= 0)


def test_the_constraint_counts_only_what_is_broken_or_loose_at_a_price():
    def constraint(loss0, multiplier):
        zero = np.zeros(2)
        rest = {"penalty": 0.0, "loss1": 0.0, "type1": 0.0, "type2": 0.0, "pull0": zero, "pull1": zero, "shrink": zero}
        looked = Examination(coef=zero, intercept=0.0, multiplier=multiplier, loss0=loss0, steepest=0.5, **rest)
        return looked.constraint(0.1, 100)

    np.testing.assert_allclose(constraint(0.122, 0.0), 0.2)
    assert constraint(0.05, 0.0) == 0.0
    np.testing.assert_allclose(constraint(0.089, 3.0), 0.1)


def test_averaging_gives_a_smaller_certificate():
    X, y = gaussians(600)
    last = [solve(X, y, seed, average=False).certificate for seed in range(5)]
    mean = [solve(X, y, seed, average=True).certificate for seed in range(5)]
    assert np.mean(mean) < 0.8 * np.mean(last)


def test_the_average_is_that_of_the_iterates_after_the_epochs_asked_for():
    X, y = gaussians(200)
    # one part an epoch: the iterates are those at the ends of epochs
    iterates = [solve(X, y, average=False, max_iter=k).coef for k in (4, 5, 6)]
    np.testing.assert_allclose(solve(X, y, average=3, max_iter=6).coef, np.mean(iterates, axis=0), rtol=1e-12)


def test_units_do_not_matter_when_lam_has_them_too():
    X, y = gaussians(300)
    here, there = solve(X, y), solve(X * 1000.0, y, lam=1e-3 * 1e6)
    np.testing.assert_allclose(there.coef * 1000.0, here.coef, rtol=1e-6)


def test_a_run_without_tol_has_no_certificate_and_says_so():
    X, y = gaussians(200)
    result = solve(X, y, tol=None)
    assert result.certificate is None
    assert result.converged
    assert "asks for no certificate" in result.reason
    assert result.history["full_data"].sum() == 0


def test_a_run_far_from_its_end_says_what_is_wrong():
    X, y = gaussians(200)
    result = solve(X, y, tol=1e-9, max_iter=2)
    assert not result.converged
    assert "above tol=1e-09" in result.reason


def test_the_callback_sees_every_epoch():
    X, y = gaussians(100)
    seen = []
    solve(X, y, max_iter=4, callback=lambda epoch, row: seen.append((epoch, sorted(row))))
    assert [epoch for epoch, _ in seen] == [1, 2, 3, 4]
    assert seen[0][1] == ["full_data", "multiplier", "objective", "type1", "type2"]


def test_random_features_are_made_in_blocks_and_change_nothing():
    X, y = gaussians(600)
    features = draw_fourier_features(3, gamma=0.3, n_components=60, rng=np.random.default_rng(1))
    by_blocks = solve(X, y, features=features, max_iter=5)
    whole = solve(features.transform(X), y, gamma0=0.1, lam=1e-3, max_iter=5)
    np.testing.assert_allclose(by_blocks.coef, whole.coef, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(by_blocks.certificate, whole.certificate, rtol=1e-6)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_memory_does_not_grow_with_the_rows(kind):
    X, y = gaussians(120_000, p=4, share0=0.3)
    X = kind(X)
    solve(X[:500], y[:500], max_iter=1)
    tracemalloc.start()
    solve(X, y, max_iter=2)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # an index of 4 bytes a row would be 480,000
    assert peak < 350_000


def test_weights_whose_squares_would_overflow_are_an_error():
    X, y = gaussians(200)
    with pytest.raises(InvalidInputError, match="too large for these data"):
        solve(X, y, gamma0=1e160, lam=1e-170)


def test_too_large_a_rate_is_an_error_and_not_a_nan():
    X, y = gaussians(200)
    with pytest.raises(InvalidInputError, match=r"overflowed after .* steps: gamma0=1e\+308 is too large"):
        solve(X * 1e30, y, gamma0=1e308, lam=1e-320)
    with plain_python(), pytest.raises(InvalidInputError, match="too large for these data"):
        solve(X * 1e30, y, gamma0=1e308, lam=1e-320)
    with pytest.raises(InvalidInputError, match=r"gamma0 \* lam must be below 1, got 2"):
        solve(X, y, gamma0=20.0, lam=0.1)
    with pytest.raises(InvalidInputError, match="squares overflow"):
        mean_square_norm(X * 1e200)


def test_rows_of_zeros_are_no_reason_to_divide_by_zero():
    y = np.array([0, 1, 0, 1], dtype=np.uint8)
    result = solve(np.zeros((4, 2)), y)
    assert (result.coef == 0).all()
    assert np.isfinite(result.intercept)
