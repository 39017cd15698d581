"""The constrained convex estimator: its level, its balls, its errors, its probabilities, and its name under npc."""

import inspect
import math
import warnings

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize
from sklearn.exceptions import SkipTestWarning
from sklearn.utils.estimator_checks import check_estimator

import nproc
from nproc import npc
from nproc.errors import InvalidInputError, NotConvergedWarning, TooFewSamplesError
from nproc.losses.calibrated import CALIBRATED_LOSSES
from nproc.scorers import fit_scorer, get_scorer, score_rows, scorer_spec
from nproc.scorers.papers import constrained as papers_constrained
from nproc.scorers.papers.constrained import ConstrainedNPClassifier
from nproc.solvers.constrained.problem import GroupRisk, Nonnegative


def world(seed=0, n0=150, n1=250, gap=1.5, p=3):
    """Two normal classes that no line separates."""
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], [n0, n1])
    return rng.normal(size=(n0 + n1, p)) + gap * y[:, None] * np.array([1.0, -0.5, 0.0][:p]), y


def separated(seed=0):
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], 30)
    return rng.normal(size=(60, 2)) + 12.0 * y[:, None], y


X, Y = world()


def class_means(model, loss, X=X, y=Y):
    scores = X @ model.coef_[0] + model.intercept_
    return loss.value(-scores[y == 0]).mean(), loss.value(scores[y == 1]).mean()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::nproc.errors.NPWarning")
@pytest.mark.parametrize("params", [{}, {"alpha": 0.3, "norm": "l1", "radius": 3.0}])
def test_scikit_learns_conventions_are_kept(params):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SkipTestWarning)
        assert len(check_estimator(ConstrainedNPClassifier(**params), on_fail="raise")) > 30


@pytest.mark.parametrize("name", ["logistic", "matsusita"])
def test_the_problem_is_the_one_that_is_written_down(name):
    loss, tau = CALIBRATED_LOSSES[name], 0.2
    model = ConstrainedNPClassifier(tau=tau, loss=name, tol=1e-8).fit(X, Y)

    def scores(v):
        return X @ v[:3] + v[3]

    oracle = minimize(
        lambda v: loss.value(scores(v)[Y == 1]).mean(),
        np.zeros(4),
        constraints={"type": "ineq", "fun": lambda v: tau - loss.value(-scores(v)[Y == 0]).mean()},
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    )
    mean0, mean1 = class_means(model, loss)
    assert mean0 == pytest.approx(tau, abs=1e-7)
    assert mean0 <= tau * (1 + 1e-12)
    assert mean1 == pytest.approx(oracle.fun, rel=1e-6)
    assert model.risks_["type2"] == pytest.approx(mean1, rel=1e-12)
    assert model.converged_
    assert model.certificate_ <= 1e-8
    # the multiplier is the price of a unit of tau
    dearer = class_means(ConstrainedNPClassifier(tau=tau - 1e-4, loss=name, tol=1e-9).fit(X, Y), loss)[1]
    assert (dearer - mean1) / 1e-4 == pytest.approx(model.multiplier_, rel=1e-2)


@pytest.mark.parametrize("variant", ["projected_gradient", "accelerated"])
def test_all_methods_find_the_same_rule(variant):
    exact = ConstrainedNPClassifier(tau=0.2, tol=1e-9).fit(X, Y)
    other = ConstrainedNPClassifier(tau=0.2, variant=variant, step_bound="spectral").fit(X, Y)
    assert other.converged_
    assert other.variant_ == variant
    np.testing.assert_allclose(other.coef_, exact.coef_, rtol=1e-3, atol=1e-4)


# a mean loss of alpha is strict: the power is small
@pytest.mark.filterwarnings("ignore:ConstrainedNPClassifier calls .* class 1 training rows")
@pytest.mark.parametrize("name", ["logistic", "matsusita"])
def test_the_default_level_bounds_the_training_error(name):
    for alpha in (0.05, 0.2):
        model = ConstrainedNPClassifier(alpha=alpha, loss=name).fit(X, Y)
        assert model.tau_ == pytest.approx(alpha * CALIBRATED_LOSSES[name].at_zero)
        assert model.type1_bound_ == pytest.approx(alpha)
        assert np.mean(model.predict(X[Y == 0]) == 1) <= alpha


def test_the_calibrated_hinge_needs_a_level_of_its_own_and_bounds_nothing():
    with pytest.raises(InvalidInputError, match="tau must be a number for loss='calibrated_hinge'"):
        ConstrainedNPClassifier(loss="calibrated_hinge").fit(X, Y)
    model = ConstrainedNPClassifier(tau=-0.2, loss="calibrated_hinge").fit(X, Y)
    assert class_means(model, CALIBRATED_LOSSES["calibrated_hinge"])[0] == pytest.approx(-0.2, abs=1e-6)
    assert model.type1_bound_ == 1.0


def test_a_history_and_the_usual_attributes_are_kept():
    model = ConstrainedNPClassifier(tau=0.2).fit(X, Y)
    assert {"objective", "risk1", "risk2", "type1", "type2"} <= set(model.history_.columns)
    assert len(model.history_) == model.n_iter_
    assert model.history_["risk2"].iloc[-1] == pytest.approx(model.risks_["type2"], rel=1e-3)
    assert model.support_.tolist() == [0, 1, 2]
    assert (model.classes_.tolist(), model.class0_, model.n_features_in_) == ([0, 1], 0, 3)
    assert model.level_ is None
    assert model.radius_ is None


@pytest.mark.parametrize("variant", ["interior_point", "projected_gradient", "accelerated"])
@pytest.mark.parametrize("ball", [{}, {"norm": "l1", "radius": 1.0}])
def test_the_history_traces_the_certificate_down_to_that_of_the_solution(variant, ball):
    model = ConstrainedNPClassifier(tau=0.2, variant=variant, step_bound="spectral", **ball).fit(X, Y)
    trace = model.history_["certificate"].to_numpy()
    assert trace[-1] == model.certificate_ <= 1e-6
    if variant == "interior_point":
        assert np.isfinite(trace).all()
        assert trace[0] > 1e-3
    else:
        assert np.isfinite(trace[9::10]).all()


def test_class0_chooses_the_bounded_class():
    names = np.array(["b", "a"])[Y]
    model = ConstrainedNPClassifier(tau=0.2, class0="b").fit(X, names)
    plain = ConstrainedNPClassifier(tau=0.2).fit(X, Y)
    assert model.class0_ == "b"
    np.testing.assert_allclose(model.decision_function(X), -plain.decision_function(X), rtol=1e-9)
    np.testing.assert_allclose(model.predict_proba(X), plain.predict_proba(X)[:, ::-1], rtol=1e-9)
    np.testing.assert_allclose(model.posterior(X), plain.posterior(X)[:, ::-1], rtol=1e-9)


def test_sparse_rows_give_the_rule_of_dense_ones():
    rows = np.where(np.abs(X) > 0.5, X, 0.0)
    dense = ConstrainedNPClassifier(tau=0.2, tol=1e-8).fit(rows, Y)
    thin = ConstrainedNPClassifier(tau=0.2, tol=1e-8).fit(sparse.csr_array(rows), Y)
    np.testing.assert_allclose(thin.coef_, dense.coef_, rtol=1e-5)
    np.testing.assert_allclose(thin.decision_function(sparse.csr_array(rows)), dense.decision_function(rows), rtol=1e-4)


def test_without_an_intercept_there_is_none():
    model = ConstrainedNPClassifier(tau=0.5, fit_intercept=False).fit(X - 1.0, Y)
    assert model.intercept_ == 0.0
    assert model.converged_


@pytest.mark.filterwarnings("ignore:ConstrainedNPClassifier calls no training row class 1")
@pytest.mark.parametrize("norm", ["l1", "l2"])
def test_a_ball_holds_the_weights_but_not_the_intercept(norm):
    model = ConstrainedNPClassifier(tau=0.2, norm=norm, radius=0.3).fit(X, Y)
    size = np.abs(model.coef_).sum() if norm == "l1" else np.linalg.norm(model.coef_[0])
    assert size == pytest.approx(0.3, rel=1e-6)
    assert model.radius_ == 0.3
    assert abs(model.intercept_) > 0.3
    assert model.converged_


def test_the_automatic_radius_follows_the_number_of_columns():
    for norm, radius in (("l2", 30.0 / math.sqrt(3.0)), ("l1", 10.0)):
        assert ConstrainedNPClassifier(tau=0.2, norm=norm, radius="auto").fit(X, Y).radius_ == pytest.approx(radius)


def test_further_constraints_are_kept():
    signs = ConstrainedNPClassifier(tau=0.2, constraints=[Nonnegative()]).fit(X, Y)
    assert signs.coef_.min() >= -1e-12
    assert ConstrainedNPClassifier(tau=0.2).fit(X, Y).coef_[0, 1] < -0.1
    group = (X[:, 2] > 0.5) & (Y == 0)
    model = ConstrainedNPClassifier(tau=0.2, constraints=[GroupRisk(group, 0.1)]).fit(X, Y)
    scores = X @ model.coef_[0] + model.intercept_
    assert np.logaddexp(0.0, scores[group]).mean() <= 0.1 * (1 + 1e-9)
    assert model.multipliers_["groups"].shape == (1,)


def test_separable_classes_without_a_ball_are_told_with_the_way_out():
    rows, labels = separated()
    with pytest.warns(
        NotConvergedWarning, match=r"no minimiser: complete separation\. Bound the norm of the weights: norm='l2'"
    ):
        model = ConstrainedNPClassifier(tau=0.2).fit(rows, labels)
    assert not model.converged_
    assert model.reason_.startswith("no minimiser")
    assert np.mean(model.predict(rows) == labels) == 1.0
    # in a ball there is a rule, and no warning
    assert ConstrainedNPClassifier(tau=0.2, norm="l2", radius=1.0).fit(rows, labels).converged_


def test_a_level_that_no_rule_reaches_is_an_error_with_the_proof():
    # all rows of class 0 lie on both sides of the origin: without an intercept phi(0) is the least mean loss
    rows = np.vstack([[[1.0], [-1.0]] * 10, [[2.0], [3.0]] * 10])
    labels = np.repeat([0, 1], 20)
    with pytest.raises(
        InvalidInputError,
        match=r"tau=0.5 cannot.*is above its bound by 0\.19\d* or more. Use a larger tau, or fit_intercept=True.",
    ):
        ConstrainedNPClassifier(tau=0.5, fit_intercept=False).fit(rows, labels)


def test_a_group_whose_bound_cannot_be_reached_is_an_error_that_speaks_of_it():
    rows = np.vstack([[[1.0], [-1.0]] * 10, [[2.0], [3.0]] * 10])
    labels = np.repeat([0, 1], 20)
    model = ConstrainedNPClassifier(tau=0.8, fit_intercept=False, constraints=[GroupRisk(labels == 0, 0.5)])
    with pytest.raises(InvalidInputError, match=r"or of a group of its rows, is above its bound by .*a larger bound"):
        model.fit(rows, labels)


def test_what_there_is_no_constraint_for_is_left_out():
    free = ConstrainedNPClassifier(tau=0.2).fit(X, Y)
    assert list(free.multipliers_) == ["type1"]
    assert list(free.risks_) == ["type1", "type2"]
    held = ConstrainedNPClassifier(tau=0.2, norm="l1", radius=1.0, constraints=[GroupRisk(Y == 0, 0.3)]).fit(X, Y)
    assert list(held.multipliers_) == ["type1", "groups", "l1"]
    assert list(held.risks_) == ["type1", "type2", "groups"]


def test_a_level_that_was_not_reached_is_an_error_without_a_claim_of_proof():
    model = ConstrainedNPClassifier(tau=math.log(2.0), fit_intercept=False)
    with pytest.raises(InvalidInputError, match=r"was not reached \(undecided: .*Use a larger tau"):
        model.fit(np.zeros((20, 2)), np.repeat([0, 1], 10))


def test_an_unfinished_run_is_told():
    with pytest.warns(
        NotConvergedWarning, match=r"stopped after 2 iterations: the KKT residual is [\d.]+, above tol = 1e-06\."
    ):
        ConstrainedNPClassifier(tau=0.2, max_iter=2, variant="projected_gradient").fit(X, Y)


@pytest.mark.parametrize(("verbose", "iterations"), [(1, list(range(1, 13))), (5, [5, 10])])
def test_progress_is_written_on_standard_error(capsys, verbose, iterations):
    with pytest.warns(NotConvergedWarning, match="after 12 iterations"):
        ConstrainedNPClassifier(tau=0.2, variant="projected_gradient", max_iter=12, verbose=verbose).fit(X, Y)
    lines = capsys.readouterr().err.splitlines()
    assert [int(line.split(":")[0].removeprefix("ConstrainedNPClassifier, iteration ")) for line in lines] == iterations
    assert "mean loss of class 1 " in lines[0]


def gaussians(n0, n1, seed):
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], [n0, n1])
    return rng.normal(size=(n0 + n1, 1)) + 2.0 * y[:, None], y


def test_probabilities_are_those_of_the_classes_in_the_proportion_of_the_multiplier():
    rows, labels = gaussians(8000, 24_000, 1)
    # log density ratio of N(2, 1) to N(0, 1): 2 x - 2
    ratio = np.exp(2.0 * rows[:, 0] - 2.0)
    for tau in (0.1, 0.3):
        model = ConstrainedNPClassifier(tau=tau).fit(rows, labels)
        expected = ratio / (ratio + model.multiplier_)
        np.testing.assert_allclose(model.predict_proba(rows)[:, 1], expected, atol=0.03)
        np.testing.assert_allclose(model.posterior(rows)[:, 1], 3.0 * ratio / (3.0 * ratio + 1.0), atol=0.03)
        np.testing.assert_allclose(model.posterior(rows, 0.9)[:, 1], ratio / (ratio + 9.0), atol=0.03)


def test_probabilities_count_the_multipliers_of_groups_as_well():
    rows, labels = gaussians(8000, 24_000, 2)
    half = (np.arange(labels.size) % 2 == 0) & (labels == 0)
    model = ConstrainedNPClassifier(tau=0.3, constraints=[GroupRisk(half, 0.1)]).fit(rows, labels)
    # the group has the law of class 0, so that its multiplier takes the place of the other
    assert model.multipliers_["groups"][0] > 1.0
    assert model.multiplier_ == pytest.approx(0.0, abs=1e-6)
    ratio = np.exp(2.0 * rows[:, 0] - 2.0)
    np.testing.assert_allclose(model.posterior(rows)[:, 1], 3.0 * ratio / (3.0 * ratio + 1.0), atol=0.03)


def test_a_row_is_called_1_where_its_probability_is_above_a_half():
    model = ConstrainedNPClassifier(tau=0.2).fit(X, Y)
    probabilities = model.predict_proba(X)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0, rtol=1e-12)
    np.testing.assert_array_equal(model.predict(X), (probabilities[:, 1] > 0.5).astype(int))


def test_without_an_active_constraint_there_is_no_posterior():
    model = ConstrainedNPClassifier(tau=50.0, norm="l2", radius=0.1, fit_intercept=False).fit(X, Y)
    assert model.multiplier_ == pytest.approx(0.0, abs=1e-9)
    with pytest.raises(InvalidInputError, match="the constraint does not bind"):
        model.posterior(X)


def box_world(n=15_000, seed=3):
    """Rows in the square from -1 to 1, class 1 to the right of class 0."""
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], n)
    return np.column_stack([rng.beta(1 + 2 * y, 3 - 2 * y), rng.random(2 * n)]) * 2.0 - 1.0, y


# and that of the theorem is stricter
@pytest.mark.filterwarnings("ignore:ConstrainedNPClassifier calls .* The theorem asks for a mean loss of at most")
@pytest.mark.parametrize(("tau", "alpha"), [("theorem", 0.65), ("theorem_scaled", 0.94)])
def test_the_theorems_level_holds_for_scores_of_at_most_1_and_for_new_rows(tau, alpha):
    rows, labels = box_world()
    model = ConstrainedNPClassifier(tau=tau, alpha=alpha, delta=0.1, feature_bound=1.0).fit(rows, labels)
    assert model.tau_ == model.level_.tau < model.level_.level
    assert np.abs(model.coef_).sum() + abs(model.intercept_) <= 1.0 + 1e-9
    assert np.abs(model.decision_function(rows)).max() <= 1.0 + 1e-9
    mean0, _ = class_means(model, CALIBRATED_LOSSES["logistic"], rows, labels)
    assert mean0 <= model.tau_ * (1 + 1e-9)
    new_rows, new_labels = box_world(seed=4)
    new_mean0, _ = class_means(model, CALIBRATED_LOSSES["logistic"], new_rows, new_labels)
    assert new_mean0 <= model.level_.level
    assert np.mean(model.predict(new_rows[new_labels == 0]) == 1) <= model.level_.type1_bound
    # an intercept as large as the box reaches phi(1)
    assert model.level_.epsilon == pytest.approx(math.log1p(math.exp(-1.0)) / model.level_.level)
    assert model.level_.n_features == 3


@pytest.mark.slow
def test_the_theorem_takes_sparse_rows_and_either_class():
    rows, labels = box_world()
    options = {"alpha": 0.65, "delta": 0.1, "feature_bound": 1.0, "tol": 1e-8}
    model = ConstrainedNPClassifier(tau="theorem", **options).fit(rows, labels)
    thin = ConstrainedNPClassifier(tau="theorem", **options).fit(sparse.csr_array(rows), labels)
    turned = ConstrainedNPClassifier(tau="theorem", class0=1, **options).fit(rows, 1 - labels)
    np.testing.assert_allclose(thin.coef_, model.coef_, atol=1e-5)
    np.testing.assert_allclose(turned.coef_, -model.coef_, atol=1e-12)
    assert turned.level_ == model.level_


def test_the_theorem_without_an_intercept_takes_the_least_mean_loss_of_the_rows():
    rows, labels = box_world(25_000)
    rows[labels == 0, 0] = -np.abs(rows[labels == 0, 0])
    model = ConstrainedNPClassifier(tau="theorem", alpha=0.69, delta=0.1, fit_intercept=False).fit(rows, labels)
    assert model.intercept_ == 0.0
    assert model.level_.epsilon * 0.69 > math.log1p(math.exp(-1.0)) + 0.01
    assert model.level_.n_features == 2


@pytest.mark.parametrize(
    ("params", "error", "message"),
    [
        (
            {"alpha": 0.1},
            InvalidInputError,
            r"alpha=0.1 cannot be reached: .* linear rules with scores between -1 and 1",
        ),
        (
            {"alpha": 0.65},
            TooFewSamplesError,
            r"Theorem 2.3 needs \d+ rows of class 0 .* got 150\..*npc\(\) .* needs 3\.$",
        ),
        ({"alpha": 0.65, "norm": "l2"}, InvalidInputError, "requires an l1 ball and no other constraint"),
        (
            {"alpha": 0.65, "constraints": [Nonnegative()]},
            InvalidInputError,
            "requires an l1 ball and no other constraint",
        ),
        ({"alpha": 0.65, "feature_bound": 1.0}, InvalidInputError, "feature_bound=1 is exceeded by an entry of X"),
        ({"feature_bound": 10, "radius": 0.2}, InvalidInputError, "radius must be at most 1 / feature_bound = 0.1"),
        ({"feature_bound": -1.0}, InvalidInputError, "feature_bound must be a finite number above 0"),
        ({"radius": "wide"}, InvalidInputError, "radius must be one of 'auto'"),
        ({"loss": "calibrated_hinge"}, InvalidInputError, "loss must be at least 0"),
        ({"delta": 0.7, "alpha": 0.65}, InvalidInputError, "delta must lie strictly between 0 and 1/2"),
    ],
)
def test_where_the_theorem_does_not_hold_is_an_error(params, error, message):
    with pytest.raises(error, match=message):
        ConstrainedNPClassifier(tau="theorem", **params).fit(X, Y)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"tau": 0.0}, "tau must be None, 'theorem', 'theorem_scaled' or a finite number above 0.*got 0.0"),
        ({"tau": math.nan}, "tau must be None"),
        ({"tau": "bound"}, "tau must be None, 'theorem', .* or a finite number above 0.*got 'bound'"),
        ({"alpha": 1.5}, "alpha must lie strictly between 0 and 1, got 1.5"),
        ({"loss": "hinge"}, "loss must be one of 'logistic', 'calibrated_hinge', 'matsusita', got 'hinge'"),
        ({"norm": "l3", "radius": 1.0}, "norm must be one of 'l1', 'l2', got 'l3'"),
        ({"norm": "l2"}, "radius must be a finite number above 0 or 'auto', with a norm, got None"),
        ({"norm": "l2", "radius": "wide"}, "radius must be a number above 0 or 'auto', got 'wide'"),
        ({"norm": "l2", "radius": 0}, "radius must be a finite number above 0"),
        ({"radius": 2.0}, "radius=2.0 needs norm='l1' or 'l2', got norm=None"),
        ({"variant": "newton"}, "variant must be one of"),
        ({"tol": 0}, "tol must be a finite number above 0"),
        ({"max_iter": -1}, "max_iter must be at least 1"),
        ({"verbose": -1}, "verbose must be at least 0"),
        ({"class0": 7}, "class0 must be one of the labels"),
        ({"constraints": ["ball"]}, "constraints must hold"),
        ({"constraints": None}, "constraints must be a list or tuple"),
        ({"max_iter": 0}, "max_iter must be at least 1"),
        ({"step": -1.0}, "step must be a finite number above 0"),
        ({"variant": "projected_gradient", "step": 2.0}, "step must lie strictly between 0 and 2"),
        ({"variant": "interior_point", "step": 2.0}, "step must lie strictly between 0 and 2"),
        ({"step": 3.0}, "step must lie above 0 and at most 1 .* for variant='auto', got 3"),
        ({"delta": 0.7}, "delta must lie strictly between 0 and 1/2 .* got 0.7"),
        ({"fit_intercept": "no"}, "fit_intercept must be True or False, got 'no'"),
    ],
)
def test_a_bad_parameter_is_an_error(params, message):
    with pytest.raises(InvalidInputError, match=message):
        ConstrainedNPClassifier(**params).fit(X, Y)


def test_the_name_hands_on_each_keyword_and_documents_it():
    factory = scorer_spec("constrained").factory
    assert factory is papers_constrained.constrained
    text = inspect.getdoc(factory)
    assert "\nR: " in text
    for keyword in scorer_spec("constrained").parameters:
        assert f"\n{keyword} : " in text
        assert get_scorer("constrained", **{keyword: 0.123})["constrained"].get_params()[keyword] == 0.123
    assert nproc.ConstrainedNPClassifier is ConstrainedNPClassifier


@pytest.mark.parametrize("make", [world, separated])
def test_the_named_scorer_has_a_rule_for_any_data_whatever_the_units(make):
    rows, labels = make()
    model = fit_scorer(get_scorer("constrained"), rows, labels)
    assert model[-1].converged_
    units = np.array([2.0**20, 2.0**-20, 1.0])[: rows.shape[1]]
    again = fit_scorer(get_scorer("constrained"), rows * units, labels)
    np.testing.assert_allclose(score_rows(again, rows * units), score_rows(model, rows), rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize(
    "params", [{}, {"norm": "l1"}, {"loss": "matsusita"}, {"loss": "calibrated_hinge", "tau": 0.0}]
)
def test_npc_gives_its_alpha_and_keeps_it(params):
    rows, labels = world(n0=1500, n1=1500)
    # so rarely broken that a fixed seed is no luck
    fit = npc(rows, labels, "constrained", alpha=0.1, delta=1e-4, random_state=0, **params)
    assert fit.scorers[0][-1].alpha == 0.1
    new_rows, new_labels = world(1, n0=5000, n1=5000)
    assert (fit.predict(new_rows)[new_labels == 0] == 1).mean() <= 0.1
    assert (fit.predict(new_rows)[new_labels == 1] == 1).mean() > 0.5
