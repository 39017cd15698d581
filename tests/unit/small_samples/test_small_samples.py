"""nproc.small_samples.threshold, nproc.small_samples.normality and the small-sample form of npc."""

import json
import pickle

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from scipy import stats
from statsmodels.stats.diagnostic import normal_ad
from versions import since

import nproc
from nproc import InvalidInputError, NPClassifier, NPFit, NPWarning, TooFewSamplesError, np_threshold, npc
from nproc.cli import main
from nproc.simulate import GaussianWorld
from nproc.small_samples import (
    NPSmallSampleFit,
    log_concave_factor,
    normal_factor,
    normality_check,
    np_threshold_log_concave,
    np_threshold_normal,
)
from nproc.small_samples.log_concave import log_concave_threshold_at
from nproc.small_samples.normality import _standardise

SAMPLE = GaussianWorld(np.zeros(3), np.array([2.0, 0, 0])).sample_classes(40, 60, random_state=1)
NODES, WEIGHTS = np.polynomial.legendre.leggauss(500)
SCORES = np.random.default_rng(2).normal(5, 3, size=20)


def first_column(X):
    return np.asarray(X)[:, 0]


def small(method="lda", **options):
    """The classifier of the small sample, with its warning."""
    with pytest.warns(NPWarning, match="assumes normal class 0 scores"):
        return npc(SAMPLE.X, SAMPLE.y, method, small_sample="normal", **{"random_state": 1, **options})


@pytest.fixture(scope="module")
def fit():
    return small()


# the factor


@pytest.mark.parametrize(
    ("n0", "alpha", "delta", "factor"),
    # one-sided tolerance factors as tabulated: content 1 - alpha, confidence 1 - delta
    [(2, 0.05, 0.05, 26.260), (5, 0.05, 0.05, 4.203), (10, 0.1, 0.05, 2.355), (20, 0.05, 0.05, 2.396),
     (50, 0.01, 0.01, 3.125)],
)  # fmt: skip
def test_the_factor_is_that_of_the_tables(n0, alpha, delta, factor):
    assert normal_factor(n0, alpha, delta) == pytest.approx(factor, abs=5e-4)


@pytest.mark.parametrize("n0", [2, 3, 10, 58, 1000, 100_000])
@pytest.mark.parametrize(("alpha", "delta"), [(0.05, 0.05), (0.001, 0.2), (0.5, 0.01), (0.7, 0.6)])
def test_the_factor_solves_the_equation_of_the_proof(n0, alpha, delta):
    # P(Z + sqrt(n) z > sqrt(n) k W) as an integral over W, the standard deviation
    factor = normal_factor(n0, alpha, delta)
    w = np.sqrt(stats.chi2.ppf((NODES + 1) / 2, n0 - 1) / (n0 - 1))
    rate = np.sum(WEIGHTS / 2 * stats.norm.cdf(np.sqrt(n0) * (stats.norm.isf(alpha) - factor * w)))
    # the noncentral t of scipy 1.15 is a little less accurate for large samples
    assert rate == pytest.approx(delta, rel=1e-5 if since("scipy", "1.16") else 1e-4)


def test_the_factor_falls_to_the_normal_quantile():
    factors = [normal_factor(n, 0.05, 0.05) for n in (2, 5, 20, 100, 10_000, 10**6)]
    assert factors == sorted(factors, reverse=True)
    assert factors[-1] == pytest.approx(stats.norm.isf(0.05), abs=3e-3)


# the threshold


def test_the_threshold_moves_with_the_scale_of_the_scores():
    with pytest.warns(NPWarning, match="of 20 left-out scores"):
        plain = np_threshold_normal(SCORES, alpha=0.1, delta=0.1)
    with pytest.warns(NPWarning, match="assumes normal class 0 scores"):
        moved = np_threshold_normal(7 * SCORES - 2, alpha=0.1, delta=0.1)
    assert moved.value == pytest.approx(7 * plain.value - 2)
    assert plain.value == pytest.approx(SCORES.mean() + plain.factor * SCORES.std(ddof=1))
    assert (plain.violation_rate, plain.type1_upper, plain.order) == (0.1, 0.1, 0)
    assert plain.predict([plain.value, plain.value + 1e-9]).tolist() == [0, 1]
    assert "assumes normal class 0 scores" in repr(plain)
    assert "Assumes normal class 0 scores" in str(plain.summary())
    assert plain.to_frame()["factor"].item() == plain.factor
    assert pickle.loads(pickle.dumps(plain)) == plain


def test_the_expected_type_1_error_is_that_of_a_prediction_limit():
    with pytest.warns(NPWarning, match="assumes"):
        rule = np_threshold_normal(SCORES)
    cdf = lambda w: stats.norm.cdf(np.sqrt(20 / 21) * rule.factor * w)  # noqa: E731
    w = np.sqrt(stats.chi2.ppf((np.arange(100_000) + 0.5) / 100_000, 19) / 19)
    assert rule.type1_mean == pytest.approx(1 - cdf(w).mean(), rel=1e-3)


def test_tied_scores_get_a_second_warning():
    with pytest.warns(NPWarning) as caught:
        np_threshold_normal(np.round(SCORES))
    assert len(caught) == 2
    assert "are tied" in str(caught[1].message)


@pytest.mark.parametrize(
    ("scores0", "arguments", "error", "message"),
    [
        ([1.0], {}, TooFewSamplesError, "at least 2"),
        ([1.0, 1.0, 1.0], {}, InvalidInputError, "all 3 left-out class 0 scores are 1"),
        ([1.0, np.nan], {}, InvalidInputError, "scores0 must be finite"),
        ([1.0, 2.0], {"alpha": 1.0}, InvalidInputError, "alpha must lie strictly"),
        ([1.0, 2.0], {"delta": 0.0}, InvalidInputError, "delta must lie strictly"),
    ],
)
def test_np_threshold_normal_refuses(scores0, arguments, error, message):
    with pytest.raises(error, match=message):
        np_threshold_normal(scores0, **arguments)


# the check of the model


def test_the_check_is_the_same_for_every_scale_and_seed_repeats():
    first, second = normality_check(SCORES), normality_check(-2 + 3 * SCORES)
    assert first.shapiro_p == pytest.approx(second.shapiro_p)
    assert first.anderson_p == second.anderson_p
    assert np.array_equal(first.lower, second.lower)
    assert first.shapiro == pytest.approx(stats.shapiro(SCORES).statistic)
    assert normality_check(SCORES, random_state=9).seed == 9


def test_the_anderson_darling_test_is_near_that_of_statsmodels():
    statistic, p_value = normal_ad(SCORES)
    check = normality_check(SCORES)
    assert check.anderson == pytest.approx(statistic)
    assert check.anderson_p == pytest.approx(p_value, abs=0.05)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n0", "level", "error"),
    [(3, 0.1, 0.03), (20, 0.1, 0.03), (80, 0.1, 0.03), (300, 0.01, 0.011), (1000, 0.001, 0.005)],
)
def test_the_band_holds_normal_samples_as_often_as_it_says(n0, level, error):
    check = normality_check(np.random.default_rng(1).normal(size=n0), level=level, random_state=2)
    fresh = _standardise(np.sort(np.random.default_rng(3).normal(size=(4000, n0)), axis=1))
    left = np.mean(((fresh < check.lower) | (fresh > check.upper)).any(axis=1))
    assert left == pytest.approx(level, abs=error)  # two simulations: of the level and of this rate


def test_every_rank_has_nearly_the_same_chance_to_lie_outside_the_band():
    check = normality_check(np.random.default_rng(1).normal(size=20), level=0.3, random_state=2)
    fresh = _standardise(np.sort(np.random.default_rng(3).normal(size=(20_000, 20)), axis=1))
    each = np.mean((fresh < check.lower) | (fresh > check.upper), axis=0)
    assert each.max() < 2 * each.min()


def test_a_level_below_what_the_simulation_can_show_is_an_error():
    assert normality_check(SCORES, level=0.0005).level == 0.0005
    with pytest.raises(InvalidInputError, match=r"level=0.0004 is below 0.0005, the least that 1999 simulated samples"):
        normality_check(SCORES, level=0.0004)


def test_skewed_scores_are_found_out_when_there_are_enough():
    check = normality_check(np.random.default_rng(4).exponential(size=80))
    assert max(check.shapiro_p, check.anderson_p) < 0.001
    assert check.outside.any()
    assert "speaks against it" in str(check.summary())
    assert "outside the 95% band" in repr(check)
    assert check.to_frame()["outside"].sum() == check.outside.sum()


def test_the_plot_marks_what_is_outside():
    check = normality_check(np.random.default_rng(4).exponential(size=80))
    ax = check.plot(ax=Figure().subplots())
    marked = next(line for line in ax.lines if line.get_gid() == "nproc-qq-outside")
    assert len(marked.get_xdata()) == check.outside.sum()


@pytest.mark.parametrize(
    ("scores0", "error", "message"),
    [
        ([1.0, 2.0], TooFewSamplesError, "at least 3"),
        (np.ones(9), InvalidInputError, "nothing to check"),
        (np.arange(1001.0), InvalidInputError, "at most 1000 scores"),
    ],
)
def test_normality_check_refuses(scores0, error, message):
    with pytest.raises(error, match=message):
        normality_check(scores0)


# npc


def test_too_few_rows_are_an_error_that_names_the_way_out():
    with pytest.raises(TooFewSamplesError, match=r"at least 59 are needed .* small_sample='normal'"):
        npc(SAMPLE.X, SAMPLE.y, "lda", random_state=1)
    with pytest.raises(TooFewSamplesError, match=r"at least 59 are needed .* small_sample='normal'"):
        npc(SAMPLE.X, SAMPLE.y, first_column, prefit=True, random_state=1)
    with pytest.raises(
        TooFewSamplesError,
        match=r"at least 59 are needed .* nproc\.small_samples\.np_threshold_normal requires only 2 scores",
    ):
        np_threshold(SCORES)
    # a rank alone has no such way out
    with pytest.raises(TooFewSamplesError, match=r"delta >= 0\.0511\)\.$"):
        nproc.np_order(58, 0.05, 0.05)


def test_a_prefit_scorer_with_one_row_is_told_of_no_split_ratio():
    with pytest.raises(TooFewSamplesError, match="needs 2 class 0 rows to set the threshold, got n0=1") as error:
        npc(
            [[1.0], [2.0], [3.0]], [0, 1, 1], first_column, prefit=True, small_sample="normal", random_state=1
        )  # fmt: skip
    assert "split_ratio" not in str(error.value)


def test_the_small_sample_fit_says_what_it_assumes(fit):
    assert isinstance(fit, NPSmallSampleFit)
    assert fit.guaranteed is False
    assert fit.assumption == "normal class 0 scores"
    assert (fit.n0_left_out, fit.n0_needed) == (20, 59)
    assert "assumes normal class 0 scores" in repr(fit)
    assert "If the scores are normal" in str(fit.summary())
    scores0 = fit.scores0[0]
    assert fit.thresholds[0] == pytest.approx(scores0.mean() + normal_factor(20) * scores0.std(ddof=1))
    assert np.array_equal(fit.predict(SAMPLE.X), (fit.decision_function(SAMPLE.X) > 0).astype(int))
    assert fit.check().n0 == 20
    assert fit.to_frame().columns.tolist() == [
        "split",
        "threshold",
        "mean",
        "sd",
        "factor",
        "n0_left_out",
        "type1_mean",
    ]
    assert fit.plot(ax=Figure().subplots()).has_data()


def test_the_scorer_and_the_split_are_those_of_the_ordinary_fit(fit):
    ordinary = npc(SAMPLE.X, SAMPLE.y, "lda", alpha=0.3, random_state=1, split_ratio=0.5)
    assert np.array_equal(ordinary.scores0[0], fit.scores0[0])


def test_enough_rows_give_the_order_statistic():
    options = {"alpha": 0.3, "random_state": 1}
    usual = npc(SAMPLE.X, SAMPLE.y, "lda", **options)
    same = npc(SAMPLE.X, SAMPLE.y, "lda", small_sample="normal", **options)
    assert type(same) is type(usual)
    assert np.array_equal(same.thresholds, usual.thresholds)


def test_the_estimator_gives_the_same_labels(fit):
    with pytest.warns(NPWarning, match="assumes normal class 0 scores"):
        model = NPClassifier("lda", small_sample="normal", random_state=1).fit(SAMPLE.X, SAMPLE.y)
    assert np.array_equal(model.decision_function(SAMPLE.X), fit.decision_function(SAMPLE.X))


def test_several_splits_vote_without_a_proof():
    fit = small(n_splits=3)
    assert len(fit.rules) == 3
    assert "the same bound is not proved, even under" in " ".join(str(fit.summary()).split())
    with pytest.raises(InvalidInputError, match="without it nothing is proved"):
        fit.vote_bound()
    with pytest.raises(InvalidInputError, match="split must be at most n_splits=3"):
        fit.check(split=4)


def test_a_prefit_scorer_leaves_all_rows_to_the_threshold():
    fit = small(first_column, prefit=True)
    assert fit.n0_left_out == 40
    assert fit.split_ratio is None


def test_what_needs_no_order_statistic_still_works(fit):
    p = fit.p_values(SAMPLE.X[-5:])
    assert p.min() >= 1 / 21
    assert np.array_equal(fit.to_sklearn().predict(SAMPLE.X), fit.predict(SAMPLE.X))
    with pytest.raises(InvalidInputError, match="requires a threshold that is an order statistic"):
        fit.type1_upper_curve()


@pytest.mark.parametrize("name", ["model.joblib", "model.skops"])
def test_a_small_sample_fit_can_be_saved(fit, name, tmp_path):
    again = nproc.load(nproc.save(fit, tmp_path / name))
    assert repr(again) == repr(fit)
    assert np.array_equal(again.predict(SAMPLE.X), fit.predict(SAMPLE.X))


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"small_sample": "lda"}, InvalidInputError, "small_sample must be one of 'error', 'normal'"),
        ({"ties": "randomize"}, InvalidInputError, "applies only to thresholds that are order statistics"),
        ({"clusters": np.arange(100)}, InvalidInputError, "small_sample cannot be combined with clusters"),
        ({"split_ratio": 0.98}, TooFewSamplesError, "leaves 1 out"),
        ({"split_ratio": 0.001}, TooFewSamplesError, "needs a class 0 row to train"),
        ({"split_ratio": "adaptive"}, TooFewSamplesError, "give split_ratio as a number"),
    ],
)
def test_the_small_sample_form_refuses(options, error, message):
    with pytest.raises(error, match=message):
        npc(SAMPLE.X, SAMPLE.y, "lda", **{"small_sample": "normal", "random_state": 1, **options})


def test_the_command_line_fits_a_small_sample(fit, capsys, tmp_path):
    frame = pd.DataFrame(SAMPLE.X, columns=list("abc")).assign(y=SAMPLE.y)
    frame.to_csv(tmp_path / "small.csv", index=False)
    options = ["fit", str(tmp_path / "small.csv"), "--label", "y", "--method", "lda", "--seed", "1", "--json"]
    assert main(options) == 2
    assert "--small-sample normal" in capsys.readouterr().err
    assert main([*options[:-1], "--small-sample", "normal", "--json"]) == 0
    captured = capsys.readouterr()
    record = json.loads(captured.out)
    assert "warning: the threshold assumes normal class 0 scores" in captured.err
    assert record["splits"][0]["threshold"] == pytest.approx(fit.thresholds[0])
    assert record["guaranteed"] is False
    assert record["notes"][0].startswith("If the scores are normal, P(predict")


# a log-concave tail


@pytest.mark.slow
def test_the_factor_is_the_one_at_which_exponential_scores_fail_with_probability_delta():
    rng = np.random.default_rng(5)
    for n0, alpha, delta in ((5, 0.1, 0.2), (20, 0.05, 0.05), (40, 0.05, 0.05), (100, 0.01, 0.1)):
        scores = np.sort(rng.exponential(size=(20_000, n0)), axis=1)
        base = scores[:, min(max(1, round(0.7 * n0)), n0 - 1) - 1]
        cuts = scores[:, -1] + log_concave_factor(n0, alpha, delta) * (scores[:, -1] - base)
        count = int(np.sum(np.exp(-cuts) > alpha))
        assert stats.binomtest(count, 20_000, delta).pvalue > 1e-4


@pytest.mark.slow
def test_the_factor_falls_with_more_rows_and_with_larger_levels_to_0():
    by_rows = [log_concave_factor(n0) for n0 in (2, 5, 10, 20, 40, 58, 59, 100)]
    assert np.all(np.diff(by_rows) <= 0)
    assert by_rows[-1] == 0.0
    assert log_concave_factor(20, 0.1) < log_concave_factor(20, 0.05) < log_concave_factor(20, 0.05, 0.01)


def test_the_threshold_does_what_a_change_of_scale_and_place_does():
    scores = np.random.default_rng(1).normal(size=20)
    with pytest.warns(NPWarning, match="the threshold assumes a log-concave upper tail"):
        one = np_threshold_log_concave(scores)
    with pytest.warns(NPWarning, match="beyond the largest of 20 left-out scores"):
        other = np_threshold_log_concave(3.0 * scores - 7.0)
    np.testing.assert_allclose(other.value, 3 * one.value - 7, rtol=1e-12)
    assert one.value > one.largest > one.base
    assert one.predict([one.value, np.nextafter(one.value, 9)]).tolist() == [0, 1]
    assert "log-concave" in str(one.summary())
    assert "assumes a log-concave upper tail" in repr(one)
    assert one.to_frame()["base_order"].tolist() == [14]


def test_scores_without_a_tail_and_impossible_samples_are_refused():
    with pytest.raises(TooFewSamplesError, match="requires at least 2 class 0 scores, got 1"):
        np_threshold_log_concave([1.0])
    with pytest.raises(InvalidInputError, match="the 7 largest of 20 left-out class 0 scores are all 1, so the tail"):
        np_threshold_log_concave(np.repeat([0.0, 1.0], [10, 10]))
    with pytest.raises(InvalidInputError, match="n0=2 class 0 scores are too few for alpha=1e-05 with delta=1e-09"):
        log_concave_factor(2, 1e-5, 1e-9)


def test_npc_takes_it_where_an_order_statistic_needs_more_rows():
    y = np.repeat([0, 1], 40)
    rows = np.random.default_rng(2).normal(size=(80, 2)) + 2 * y[:, None]
    with pytest.warns(NPWarning, match="the threshold assumes a log-concave upper tail"):
        fit = npc(rows, y, "lda", small_sample="log_concave", n_splits=3, random_state=1)
    assert isinstance(fit, NPSmallSampleFit)
    assert (fit.guaranteed, fit.n0_left_out, fit.n0_needed) == (False, 20, 59)
    for rule, scores0 in zip(fit.rules, fit.scores0, strict=True):
        assert rule.value == log_concave_threshold_at(scores0, 0.05, 0.05).value
    text = " ".join(str(fit.summary()).split())
    assert (
        "If the upper tail of the scores is log-concave, P(predict 1 | 0) <= 0.05 holds with probability at least 0.95"
        in text
    )
    assert "even under the assumption" in text
    assert fit.to_frame().columns.tolist() == [
        "split",
        "threshold",
        "largest",
        "base",
        "base_order",
        "factor",
        "n0_left_out",
    ]
    with pytest.raises(InvalidInputError, match="check tests whether scores are normal"):
        fit.check()
    with pytest.warns(NPWarning, match="log-concave"):
        wider = fit.with_levels(alpha=0.1)
    assert wider.alpha == 0.1
    assert wider.thresholds[0] < fit.thresholds[0]
    # enough rows: an order statistic, without a word
    assert type(npc(rows, y, "lda", small_sample="log_concave", alpha=0.3, random_state=1)) is NPFit


def test_the_summary_says_that_half_was_left_out_as_no_size_has_a_rank():
    told = " ".join(str(small(alpha=0.05, delta=0.05).summary()).split())
    looked_at = "within 20 of half and at most four fifths of all"
    assert f"leaves out half, because no number of left-out rows {looked_at} is enough" in told
    assert "unused" not in told


@pytest.mark.slow
def test_scores_that_need_no_assumption_are_told_so():
    scores0 = np.random.default_rng(0).normal(size=60)
    with pytest.warns(NPWarning, match="60 scores are enough for np_threshold") as found:
        threshold = np_threshold_log_concave(scores0)
    assert len(found) == 1
    assert threshold.value == scores0.max() >= np_threshold(scores0).value
    with pytest.warns(NPWarning, match="lies beyond the largest of 50"):
        assert np_threshold_log_concave(scores0[:50]).value > scores0[:50].max()
