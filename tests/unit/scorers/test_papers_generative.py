"""The best linear or kernel rule for class models with given means and covariances."""

import inspect
import warnings

import numpy as np
import pytest
from scipy import sparse, stats
from sklearn.base import clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.exceptions import SkipTestWarning
from sklearn.utils.estimator_checks import check_estimator

from nproc import npc
from nproc.errors import InvalidInputError, NotConvergedWarning, NPWarning
from nproc.scorers import fit_scorer, get_scorer, score_rows, scorer_spec
from nproc.scorers.papers import generative as papers_generative
from nproc.scorers.papers.generative import GaussianNPClassifier
from nproc.solvers import solve_pareto_direction


def world(seed=0, n=200, gap=2.0):
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], [n, n])
    return rng.normal(size=(2 * n, 2)) * np.where(y[:, None] == 0, 1.0, [0.5, 2.0]) + gap * y[:, None], y


def rings(seed=0, n=150):
    """Class 1 around class 0, so that no line parts them."""
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], n)
    angle, radius = rng.uniform(0, 2 * np.pi, 2 * n), np.where(y == 0, 1.0, 3.0) + 0.3 * rng.normal(size=2 * n)
    return radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)]), y


# scikit-learn's checks have labels of all kinds and never name class0
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:class0 is not given")
@pytest.mark.parametrize(
    "params", [{"alpha": 0.3}, {"alpha": 0.3, "bound": "chebyshev"}, {"alpha": 0.3, "kernel": "rbf"}]
)
def test_scikit_learns_conventions_are_kept(params):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SkipTestWarning)
        # scikit-learn's tiny samples: too few rows for alpha, or no signal for the Chebyshev bound
        warnings.simplefilter("ignore", NPWarning)
        assert len(check_estimator(GaussianNPClassifier(**params), on_fail="raise")) > 30


# scikit-learn's checks have labels of all kinds and never name class0
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:class0 is not given")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@pytest.mark.filterwarnings("ignore::nproc.errors.NPWarning")
def test_scikit_learns_conventions_are_kept_with_the_defaults():
    assert len(check_estimator(GaussianNPClassifier(), on_fail="raise")) > 30


@pytest.mark.parametrize("alpha", [0.01, 0.1, 0.6])
def test_on_gaussian_classes_the_errors_on_new_rows_are_those_that_the_model_states(alpha):
    model = GaussianNPClassifier(alpha).fit(*world(0, n=5000))
    X, y = world(1, n=50_000)
    called1 = model.predict(X) == 1
    assert model.type1_ == alpha
    # 50 000 new rows a class, and the error of moments from 5000
    assert called1[y == 0].mean() == pytest.approx(alpha, rel=0.15)
    assert (~called1[y == 1]).mean() == pytest.approx(model.type2_, rel=0.1, abs=1e-4)


def test_the_direction_depends_on_alpha_and_beats_fishers():
    X, y = world(0, n=5000, gap=1.0)
    strict, loose = GaussianNPClassifier(0.001).fit(X, y), GaussianNPClassifier(0.4).fit(X, y)
    turns = [model.coef_[0, 1] / model.coef_[0, 0] for model in (strict, loose)]
    assert turns[0] > turns[1] * 1.5
    fisher = LinearDiscriminantAnalysis().fit(X, y).coef_[0]
    fisher /= np.std(X[y == 0] @ fisher)
    cut = np.mean(X[y == 0] @ fisher) + stats.norm.isf(0.001)
    type2 = stats.norm.cdf((cut - np.mean(X[y == 1] @ fisher)) / np.std(X[y == 1] @ fisher))
    assert strict.type2_ < type2 - 0.01


def test_the_score_is_in_standard_deviations_of_class_0_beyond_the_cut():
    X, y = world()
    model = GaussianNPClassifier(0.1, reg=0).fit(X, y)
    scores = model.decision_function(X[y == 0])
    assert scores.std(ddof=1) == pytest.approx(1.0, rel=1e-9)
    assert scores.mean() == pytest.approx(-stats.norm.isf(0.1), rel=1e-9)


@pytest.mark.parametrize("kernel", [None, "rbf"])
def test_class0_chooses_the_bounded_class(kernel):
    X, y = world()
    names = np.array(["b", "a"])[y]
    model = GaussianNPClassifier(0.1, kernel=kernel, gamma=0.5, class0="b").fit(X, names)
    plain = GaussianNPClassifier(0.1, kernel=kernel, gamma=0.5).fit(X, y)
    assert model.class0_ == "b"
    assert (model.predict(X) == np.array(["b", "a"])[plain.predict(X)]).all()
    np.testing.assert_allclose(model.decision_function(X), -plain.decision_function(X), rtol=1e-9)


def test_a_kernel_parts_what_no_line_can():
    X, y = rings()
    X_new, y_new = rings(1)
    model = GaussianNPClassifier(0.1, kernel="rbf").fit(X, y)
    assert np.mean(model.predict(X_new) == y_new) > 0.95
    assert GaussianNPClassifier(0.1).fit(X, y).type2_ > 0.5
    assert model.dual_coef_.shape == (1, model.support_.size)
    assert model.certificate_ < 1e-6


def test_a_linear_kernel_gives_the_scores_of_the_linear_rule_on_columns_of_one_scale():
    X, y = world()
    X /= X.std(axis=0)
    plain = GaussianNPClassifier(0.1, reg=1e-2).fit(X, y).decision_function(X)
    np.testing.assert_allclose(
        GaussianNPClassifier(0.1, kernel="linear", reg=1e-2).fit(X, y).decision_function(X), plain
    )
    own = GaussianNPClassifier(0.1, kernel=lambda A, B: A @ B.T, reg=1e-2).fit(X, y)
    np.testing.assert_allclose(own.decision_function(X), plain)


def test_the_chebyshev_rule_keeps_the_bound_for_a_skew_class():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 5000)
    X = rng.exponential(size=(10_000, 1)) + 8 * y[:, None]
    bounded = GaussianNPClassifier(0.02, bound="chebyshev").fit(X, y)
    with pytest.warns(NPWarning, match=r"calls 4\.86 % of the 5000 class 0 training rows class 1, .* outliers or skew"):
        normal = GaussianNPClassifier(0.02).fit(X, y)
    new = rng.exponential(size=(20_000, 1))
    assert (bounded.predict(new) == 1).mean() <= 0.02
    assert (normal.predict(new) == 1).mean() > 0.03
    assert bounded.type2_ > normal.type2_


def test_a_chebyshev_bound_that_says_nothing_is_told_with_the_least_alpha():
    X, y = world(gap=0.5)
    with pytest.warns(NPWarning, match=r"too small for the Chebyshev bound.*below 1 only for alpha above 0\.\d+"):
        model = GaussianNPClassifier(0.05, bound="chebyshev").fit(X, y)
    assert model.type2_ == 1.0
    assert model.multiplier_ == 0.0


def test_an_unfinished_search_is_told():
    with pytest.warns(NotConvergedWarning, match=r"GaussianNPClassifier stopped after 1 iterations: no root"):
        model = GaussianNPClassifier(0.05, max_iter=1).fit(*world())
    assert not model.converged_


@pytest.mark.filterwarnings("ignore:GaussianNPClassifier learns")
def test_equal_means_are_told():
    X = np.array([[-1.0], [1.0], [-2.0], [2.0]])
    with pytest.warns(NotConvergedWarning, match="the classes have the same mean"):
        model = GaussianNPClassifier(0.5).fit(X, [0, 0, 1, 1])
    assert np.isfinite(model.decision_function(X)).all()


def test_too_few_rows_for_the_level_are_told():
    X, y = world(n=10)
    with pytest.warns(NPWarning, match="alpha=0.05 times 10 class 0 training rows is less than one row"):
        GaussianNPClassifier(0.05).fit(X, y)


def test_the_history_has_a_row_for_each_step():
    model = GaussianNPClassifier(0.05).fit(*world())
    assert model.history_.columns.tolist() == ["objective", "type1", "type2", "weight"]
    assert len(model.history_) == model.n_iter_
    assert model.history_["type2"].iloc[-1] == pytest.approx(model.type2_, rel=1e-8)
    assert model.converged_
    assert model.multiplier_ > 0


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"alpha": 1.5}, "alpha must lie strictly between 0 and 1, got 1.5"),
        ({"bound": "normal"}, "bound must be one of 'gaussian', 'chebyshev', got 'normal'"),
        ({"kernel": "sigmoid"}, "kernel must be one of 'linear', 'rbf', 'poly', got 'sigmoid'"),
        ({"kernel": "rbf", "gamma": -1}, "gamma must be a finite number above 0, got -1"),
        ({"kernel": "rbf", "gamma": "wide"}, "gamma must be one of 'scale', 'auto'"),
        ({"kernel": "poly", "coef0": -1}, "coef0 must be a finite number of at least 0, got -1"),
        ({"kernel": "poly", "degree": 0}, "degree must be"),
        ({"reg": -0.1}, "reg must be a finite number of at least 0, got -0.1"),
        ({"reg": "auto"}, "reg must be a finite number"),
        ({"tol": 0}, "tol must be a finite number above 0, got 0"),
        ({"max_iter": 0}, "max_iter must be at least 1"),
        ({"class0": 7}, "class0 must be one of the labels"),
        ({"kernel": lambda A, B: -A @ B.T}, "no positive diagonal entry"),
    ],
)
def test_a_bad_parameter_is_an_error(params, message):
    with pytest.raises(InvalidInputError, match=message):
        GaussianNPClassifier(**params).fit(*world())


@pytest.mark.parametrize("kernel", [None, "rbf", "linear"])
def test_numbers_whose_squares_overflow_are_told(kernel):
    X, y = world()
    with pytest.raises(InvalidInputError, match="squares overflow"):
        GaussianNPClassifier(kernel=kernel).fit(1e200 * X, y)


def test_sparse_rows_are_refused_in_words():
    X, y = world()
    with pytest.raises(InvalidInputError, match="X is sparse, and GaussianNPClassifier needs dense rows"):
        GaussianNPClassifier().fit(sparse.csr_array(X), y)


def test_the_factory_hands_on_each_keyword_and_documents_it():
    factory = scorer_spec("gen").factory
    assert factory is papers_generative.gen
    text = inspect.getdoc(factory)
    assert "\nR: " in text
    for keyword in scorer_spec("gen").parameters:
        assert f"\n{keyword} : " in text
        assert get_scorer("gen", **{keyword: 0.123})["gen"].get_params()[keyword] == 0.123


@pytest.mark.parametrize("params", [{}, {"kernel": "rbf"}, {"bound": "chebyshev", "alpha": 0.3}])
def test_the_named_scorer_is_blind_to_units_and_constant_columns(params):
    X, y = world()
    scores = score_rows(fit_scorer(get_scorer("gen", **params), X, y), X)
    units = np.array([2.0**20, 2.0**-20])
    again = score_rows(fit_scorer(get_scorer("gen", **params), X * units, y), X * units)
    np.testing.assert_allclose(again, scores, rtol=1e-9, atol=1e-9)
    constant = np.column_stack([X, np.full(len(X), 0.1)])
    with_constant = score_rows(fit_scorer(clone(get_scorer("gen", **params)), constant, y), constant)
    assert np.corrcoef(scores, with_constant)[0, 1] > 0.999


@pytest.mark.parametrize("bound", ["gaussian", "chebyshev"])
def test_units_of_columns_do_not_matter_to_the_linear_rule_but_to_rounding(bound):
    X, y = world()
    # a third column is in part the sum of both, and a fourth tells no rows apart
    X = np.column_stack([X, X.sum(axis=1) + 0.1 * world(1)[0][:, 0], np.full(len(X), 0.1)])
    units, shifts = np.array([1e6, 1.0, 1e-6, 1e3]), np.array([0.0, 1e3, 0.0, 0.0])
    kept = GaussianNPClassifier(0.2, bound=bound).fit(X, y)
    for given in (X * units + shifts, (X - X.mean(axis=0)) / np.r_[X[:, :3].std(axis=0), 1.0]):
        model = GaussianNPClassifier(0.2, bound=bound).fit(given, y)
        np.testing.assert_allclose(model.decision_function(given), kept.decision_function(X), rtol=1e-8, atol=1e-8)
        assert model.type2_ == pytest.approx(kept.type2_, rel=1e-8)


def test_units_of_columns_do_not_matter_to_the_models_of_the_quarters():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [60, 240])
    X = rng.normal(size=(300, 30)) + 0.5 * y[:, None]
    told = r"would call about 20 % of new class 0 rows class 1, .* on each quarter of the training rows in turn"
    for units in (1.0, np.logspace(-6, 6, 30)):
        with pytest.warns(NPWarning, match=told):
            GaussianNPClassifier(0.05).fit(X * units, y)


def test_the_ridge_is_a_share_of_the_variance_of_each_column_except_in_documents():
    X, y = world()
    model = GaussianNPClassifier(0.2, reg=0.5).fit(X, y)
    spread = X.std(axis=0)
    result = solve_pareto_direction(X / spread, y, alpha=0.2, reg=0.5)
    np.testing.assert_allclose(model.coef_[0], result.coef / spread, rtol=1e-12)
    words = np.random.default_rng(0).choice(6, size=400, p=[0.4, 0.25, 0.15, 0.1, 0.05, 0.05])
    documents = np.eye(6)[np.where(y == 1, words, 5 - words)]
    model = GaussianNPClassifier(0.2, reg=0.5).fit(documents, y)
    np.testing.assert_allclose(
        model.coef_[0], solve_pareto_direction(documents, y, alpha=0.2, reg=0.5).coef, rtol=1e-12
    )


def test_npc_gives_its_alpha_and_keeps_it():
    X, y = world(n=1500)
    # so rarely broken that a fixed seed is no luck
    fit = npc(X, y, method="gen", alpha=0.1, delta=1e-4, random_state=0)
    X_new, y_new = world(1, n=5000)
    assert (fit.predict(X_new)[y_new == 0] == 1).mean() <= 0.1
    assert (fit.predict(X_new)[y_new == 1] == 1).mean() > 0.5


@pytest.mark.parametrize("kernel", [None, "rbf"])
def test_a_class_of_one_row_has_no_covariance(kernel):
    rng = np.random.default_rng(0)
    for y in (np.r_[np.zeros(30), 1], np.r_[0, np.ones(30)]):
        with pytest.raises(InvalidInputError, match="at least 2 rows of each class for a covariance"):
            GaussianNPClassifier(0.1, kernel=kernel).fit(rng.normal(size=(31, 2)), y)
