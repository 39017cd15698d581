"""The ratio of two kernel densities with a left-out threshold."""

import inspect

import numpy as np
import pytest
from scipy import sparse
from sklearn.neighbors import KernelDensity as Oracle
from sklearn.utils.estimator_checks import check_estimator

from nproc import npc
from nproc.errors import InvalidInputError, NPWarning
from nproc.scorers import fit_scorer, get_scorer, score_rows, scorer_spec
from nproc.scorers.papers import parzen as papers_parzen
from nproc.scorers.papers.parzen import ParzenNP, _log_densities


def world(seed=0, n0=80, n1=60, p=2, gap=1.5):
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], [n0, n1])
    return rng.normal(size=(n0 + n1, p)) + gap * y[:, None], y


# scikit-learn's tiny samples have less than 1 / alpha rows of class 0
# scikit-learn's checks have labels of all kinds and never name class0
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:class0 is not given")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@pytest.mark.filterwarnings("ignore:.*less than one row:nproc.errors.NPWarning")
@pytest.mark.filterwarnings("ignore:ParzenNP (sets its threshold on .* So few rows|would call)")
@pytest.mark.parametrize("params", [{}, {"bandwidth": "cv"}, {"kernel": "exponential"}])
def test_scikit_learns_conventions_are_kept(params):
    assert len(check_estimator(ParzenNP(**params), on_fail="raise")) > 30


@pytest.mark.parametrize("kernel", ["gaussian", "exponential"])
def test_the_score_is_the_log_ratio_of_scikit_learns_densities(kernel):
    X, y = world()
    X_new, _ = world(1)
    model = ParzenNP(0.1, kernel=kernel).fit(X, y)
    # one bandwidth for columns in units of their standard deviations; a constant of the units drops out of the ratio
    units = X.std(axis=0)
    widths = (model.bandwidths_ / units)[:, 0]
    densities = [Oracle(bandwidth=h, kernel=kernel).fit(X[y == k] / units) for k, h in enumerate(widths)]
    ratio = densities[1].score_samples(X_new / units) - densities[0].score_samples(X_new / units)
    # distances from inner products
    np.testing.assert_allclose(model.decision_function(X_new), ratio - model.threshold_, atol=1e-6)


@pytest.mark.parametrize("kernel", ["gaussian", "exponential"])
def test_left_out_densities_are_those_of_a_fit_without_the_row(kernel):
    X, _ = world(n0=25, n1=2)
    # a pair of copies, and a row far from all others
    X = np.vstack([X, X[:1], [[40.0, -40.0]]])
    (found,) = _log_densities(X, X, (0.4,), kernel, left_out=True)
    for i in range(len(X)):
        ((alone,),) = _log_densities(X[i : i + 1], np.delete(X, i, axis=0), (0.4,), kernel, left_out=False)
        assert found[i] == pytest.approx(alone, rel=1e-8, abs=1e-6)


def test_blocks_of_rows_give_what_one_block_gives(monkeypatch):
    X, y = world()
    whole = ParzenNP(0.1, bandwidth="cv").fit(X, y)
    monkeypatch.setattr(papers_parzen, "BLOCK_ENTRIES", 700)
    parts = ParzenNP(0.1, bandwidth="cv").fit(X, y)
    np.testing.assert_allclose(parts.decision_function(X), whole.decision_function(X), rtol=1e-9, atol=1e-12)


@pytest.mark.filterwarnings("ignore:ParzenNP sets its threshold on 40 class 0 training rows")
@pytest.mark.parametrize("alpha", [0.03, 0.1, 0.125, 0.5, 0.9, 0.999, 1 - 1e-14])
@pytest.mark.parametrize("copies", [1, 3])
def test_the_left_out_type_1_error_is_as_large_as_it_may_be(alpha, copies):
    X, y = world(n0=40)
    X, y = np.repeat(X, copies, axis=0), np.repeat(y, copies)
    model = ParzenNP(alpha).fit(X, y)
    zero = X[y == 0]
    ratios = np.array(
        [
            ParzenNP._score(_with_class0(model, np.delete(zero, i, axis=0)), zero[i : i + 1])[0] + model.threshold_
            for i in range(len(zero))
        ]
    )
    # the threshold is one of the ratios; the refits, and copies of a row, round differently
    above = ratios > model.threshold_ + 1e-7
    assert above.mean() <= model.type1_ <= alpha
    assert copies > 1 or above.mean() == model.type1_
    at_least = ratios >= model.threshold_ - 1e-7
    assert at_least.mean() > alpha


def _with_class0(model, rows):
    """The model with other rows of class 0, at the same bandwidth."""
    other = ParzenNP()
    other.__dict__.update(model.__dict__)
    other._rows = (model._moved(rows), model._rows[1])
    return other


# the densities of 20 columns hardly tell the classes apart
@pytest.mark.filterwarnings("ignore:ParzenNP would call about")
def test_left_out_thresholds_are_honest_on_average_where_plain_ones_are_not():
    plain, fresh = [], []
    for seed in range(12):
        X, y = world(seed, p=20, gap=0.3, n0=200, n1=200)
        X_new, _ = world(100 + seed, p=20, n0=2000, n1=1)
        model = ParzenNP(0.1).fit(X, y)
        plain.append((model.predict(X[y == 0]) == 1).mean())
        fresh.append((model.predict(X_new[:2000]) == 1).mean())
    assert np.mean(plain) < 0.01
    # one threshold from 200 rows has standard deviation 0.024
    assert np.mean(fresh) == pytest.approx(0.1, abs=0.03)


@pytest.mark.parametrize("kernel", ["gaussian", "exponential"])
@pytest.mark.parametrize("distance", [1e2, 1e6, 1e12, 1e200, 1e308])
def test_scores_far_from_all_data_are_finite_and_follow_the_larger_bandwidth(kernel, distance):
    X, y = world()
    wide1 = np.where(y[:, None] == 1, 3 * X, X)
    model = ParzenNP(0.1, kernel=kernel).fit(wide1, y)
    assert np.all(model.bandwidths_[1] > model.bandwidths_[0])
    far = distance * np.array([[1.0, 0.0], [-1.0, 0.0], [0.6, -0.8], [-1.0, 1.0]])
    scores = model.decision_function(far)
    assert np.isfinite(scores).all()
    assert (scores > 0).all()


def test_with_one_bandwidth_the_class_with_the_nearest_row_wins_far_away():
    X, y = world(gap=20.0)
    model = ParzenNP(0.1, bandwidth=0.5).fit(X, y)
    # a million bandwidths away, where plain densities are 0 / 0
    scores = model.decision_function([[1e6, 1e6], [-1e6, -1e6]])
    assert scores[0] > 1e6
    assert scores[1] < -1e6


def test_the_rules_of_thumb_are_per_class():
    X, y = world(n0=100, n1=50, p=3)
    units = X.std(axis=0)
    spreads = [np.sqrt((X / units)[y == k].var(axis=0, ddof=1).mean()) for k in (0, 1)]
    scott = ParzenNP(0.1, bandwidth="scott").fit(X, y).bandwidths_
    expected = np.outer([spreads[0] * 100 ** (-1 / 7), spreads[1] * 50 ** (-1 / 7)], units)
    np.testing.assert_allclose(scott, expected, rtol=1e-9)
    silverman = ParzenNP(0.1, bandwidth="silverman").fit(X, y).bandwidths_
    np.testing.assert_allclose(silverman, scott * (5 / 4) ** (-1 / 7), rtol=1e-12)
    assert ParzenNP(0.1, bandwidth=0.25).fit(X, y).bandwidths_.tolist() == [[0.25] * 3] * 2


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:ParzenNP sets its threshold on 30 class 0")
def test_cross_validation_takes_the_bandwidth_with_the_largest_left_out_likelihood():
    X, y = world(n0=30)
    model = ParzenNP(0.1, bandwidth="cv").fit(X, y)
    rough = ParzenNP(0.1).fit(X, y)
    units = X.std(axis=0)
    zero, grid = X[y == 0] / units, (rough.bandwidths_[0] / units)[0] * papers_parzen.CV_FACTORS
    likelihoods = [
        sum(Oracle(bandwidth=h).fit(np.delete(zero, i, axis=0)).score(zero[i : i + 1]) for i in range(30)) for h in grid
    ]
    assert model.bandwidths_[0] / units == pytest.approx(grid[np.argmax(likelihoods)], rel=1e-9)


def test_a_class_without_spread_gets_a_small_bandwidth():
    X, y = world()
    X[y == 0] = 0.0
    for rule in papers_parzen.RULES:
        model = ParzenNP(0.1, bandwidth=rule).fit(X, y)
        assert np.all((model.bandwidths_[0] > 0) & (model.bandwidths_[0] < 0.05))
        assert np.isfinite(model.decision_function(X)).all()
    with pytest.warns(NPWarning, match="call none of new class 1 rows class 1"):
        constant = ParzenNP(0.3).fit(np.ones((10, 2)), np.repeat([0, 1], 5))
    assert np.unique(constant.decision_function(np.ones((3, 2)))).size == 1


def test_class0_chooses_the_bounded_class():
    X, y = world()
    model = ParzenNP(0.1, class0=1).fit(X, 1 - y)
    plain = ParzenNP(0.1).fit(X, y)
    np.testing.assert_allclose(model.decision_function(X), -plain.decision_function(X), atol=1e-12)
    assert model.threshold_ == plain.threshold_


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"alpha": 0}, "alpha must lie strictly between 0 and 1, got 0"),
        ({"bandwidth": "plugin"}, "bandwidth must be one of 'silverman', 'scott', 'cv', got 'plugin'"),
        ({"bandwidth": 0}, "bandwidth must be a number from 1e-100 to 1e[+]100 or one of 'silverman'"),
        ({"bandwidth": True}, "bandwidth must be a number"),
        ({"kernel": "tophat"}, "kernel must be one of 'gaussian', 'exponential', got 'tophat'"),
        ({"class0": "no"}, "class0 must be one of the labels"),
    ],
)
def test_a_bad_parameter_is_an_error(params, message):
    with pytest.raises(InvalidInputError, match=message):
        ParzenNP(**params).fit(*world())


def test_one_row_of_a_class_is_an_error_and_few_rows_are_told():
    X, y = world()
    with pytest.raises(InvalidInputError, match="at least 2 rows of each class"):
        ParzenNP(0.1).fit(X[: 80 + 1], y[: 80 + 1])
    with pytest.warns(NPWarning, match="alpha=0.01 times 80 class 0 training rows is less than one row"):
        model = ParzenNP(0.01).fit(X, y)
    assert model.type1_ == 0.0


def test_sparse_rows_are_refused_in_words():
    X, y = world()
    with pytest.raises(InvalidInputError, match="X is sparse, and ParzenNP needs dense rows"):
        ParzenNP().fit(sparse.csr_array(X), y)
    # a text of 200,000 documents: what scikit-learn advises would take more memory than there is
    text, labels = sparse.eye_array(200_000, 50_000, format="csr"), np.arange(200_000) % 2
    with pytest.raises(
        InvalidInputError, match=r"toarray\(\) would take 80 GB\. OnlineNPClassifier, .* take sparse rows"
    ):
        ParzenNP().fit(text, labels)
    model = ParzenNP().fit(X, y)
    with pytest.raises(
        InvalidInputError, match=r"X is sparse, and ParzenNP needs dense rows: X\.toarray\(\) makes them"
    ):
        model.predict(sparse.csr_array(X))


def test_the_factory_hands_on_each_keyword_and_documents_it():
    text = inspect.getdoc(scorer_spec("parzen").factory)
    assert "\nR: " in text
    for keyword in scorer_spec("parzen").parameters:
        assert f"\n{keyword} : " in text
        assert get_scorer("parzen", **{keyword: 0.123})["parzen"].get_params()[keyword] == 0.123


def test_the_rules_are_blind_to_units_and_constant_columns():
    X, y = world()
    units = np.array([2.0**20, 2.0**-20])
    constant = np.column_stack([X, np.full(len(X), 0.1), 0.1 + 1e-16 * (np.arange(len(X)) % 2)])
    scores = score_rows(fit_scorer(get_scorer("parzen"), X, y), X)
    again = score_rows(fit_scorer(get_scorer("parzen"), X * units, y), X * units)
    np.testing.assert_allclose(again, scores, rtol=1e-9, atol=1e-9)
    assert np.isfinite(score_rows(fit_scorer(get_scorer("parzen"), constant, y), constant)).all()
    for rule in papers_parzen.RULES:
        model = ParzenNP(0.1, bandwidth=rule).fit(X, y)
        scaled = ParzenNP(0.1, bandwidth=rule).fit(X * units, y)
        np.testing.assert_allclose(scaled.decision_function(X * units), model.decision_function(X), atol=1e-6)
        np.testing.assert_allclose(scaled.bandwidths_, model.bandwidths_ * units, rtol=1e-9)
        assert np.isfinite(ParzenNP(0.1, bandwidth=rule).fit(constant, y).decision_function(constant)).all()


def test_columns_far_apart_in_scale_cost_a_rule_no_power_and_a_number_says_so():
    X, y = world(n0=300, n1=300, gap=np.array([3.0, 0.0]))
    apart = X * [1.0, 1e4]
    model = ParzenNP(0.1).fit(apart, y)
    assert np.mean(model.predict(apart)[y == 1] == 1) > 0.85
    with pytest.warns(NPWarning, match="Standardise the columns first"):
        lost = ParzenNP(0.1, bandwidth=100.0).fit(apart, y)
    assert np.mean(lost.predict(apart)[y == 1] == 1) < 0.5


@pytest.mark.slow
def test_npc_gives_its_alpha_and_keeps_it():
    X, y = world(n0=1500, n1=400, gap=2.0)
    # so rarely broken that a fixed seed is no luck
    fit = npc(X, y, method="parzen", alpha=0.1, delta=1e-4, random_state=0)
    X_new, y_new = world(1, n0=5000, n1=5000, gap=2.0)
    assert (fit.predict(X_new)[y_new == 0] == 1).mean() <= 0.1
    assert (fit.predict(X_new)[y_new == 1] == 1).mean() > 0.5
