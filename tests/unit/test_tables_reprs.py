"""Tests of `nproc.tables`: what a result shows in a REPL and in a notebook, for every public result."""

import dataclasses
import re

import numpy as np
import pytest
from all_cases import check_all_cases
from public_names import PUBLIC
from sklearn.base import BaseEstimator

from nproc import (
    NPROCBand,
    NPWarning,
    compare,
    np_review,
    np_threshold,
    np_threshold_noisy,
    np_threshold_shifted,
    npc,
    npc_multiclass,
    nproc,
    plan_class0,
    rank_features,
    roc_cv,
)
from nproc.biased_samples import noise_sensitivity
from nproc.comparison import compare_aucs, compare_procedures
from nproc.groups import np_equal_thresholds, np_group_thresholds
from nproc.multiclass import npcs
from nproc.orderstat import clopper_pearson, type2_bounds
from nproc.planning import plan_split_ratio, supported_levels, type1_law
from nproc.review import plan_review
from nproc.serving import linear_rule, score_rule
from nproc.small_samples import normality_check, np_threshold_log_concave, np_threshold_normal
from nproc.solvers.constrained.projection import project_level_set
from nproc.solvers.constrained.risk_level import theorem_level
from nproc.solvers.sparse_logistic.primal import solve_sparse_logistic_primal
from nproc.tables import ShortRepr, rounded_down, rounded_up, short

RNG = np.random.default_rng(3)
Y = np.arange(300) % 2
X = RNG.normal(size=(300, 3)) + 1.5 * Y[:, None]
# labels that a page must not take for its own marks
NAMES = np.array(["<b>ill</b>", "a & b"])[Y]
ILL = {"class0": "<b>ill</b>", "random_state": 1}


@pytest.fixture(scope="module")
def results():
    fit = npc(X, NAMES, "lda", alpha=0.1, n_splits=3, **ILL)
    band = nproc(X, NAMES, "lda", **ILL)
    sites = np.where(np.arange(300) // 2 % 2 == 0, "<i>east</i>", "west")
    grouped = npc(X, NAMES, "lda", alpha=0.2, groups=sites, **ILL)
    predictive = band.predictive_values({"a & b": 0.2})
    with pytest.warns(NPWarning, match="assumes normal class 0 scores"):
        normal = npc(X[:40], NAMES[:40], "lda", small_sample="normal", **ILL)
    with pytest.warns(NPWarning, match="assumes normal class 0 scores"):
        normal_threshold = np_threshold_normal(RNG.normal(size=20))
    with pytest.warns(NPWarning, match="assumes a log-concave upper tail"):
        tail_threshold = np_threshold_log_concave(RNG.normal(size=20))
    levels = np.where(X[:, 0] > 1.5, "c", NAMES)
    several = npc_multiclass(X, levels, "lda", priority=[*np.unique(NAMES).tolist(), "c"], alphas=0.2, random_state=1)
    single = npc(X, NAMES, "lda", **ILL)
    equal = np_equal_thresholds(RNG.normal(size=800), np.arange(800) % 2, alpha=0.2, epsilon=0.15, random_state=1)
    reviewed = npc(X, NAMES, "lda", review_beta=0.2, alpha=0.1, **ILL)
    crossed = npc(X, NAMES, "lda", cross_fit=3, **ILL)
    return {
        "NPFit": fit,
        "RatioChoice": npc(X, NAMES, "lda", alpha=0.2, split_ratio="adaptive", **ILL).ratio_choice,
        "CertifiedBound": fit.certify(X, NAMES),
        "VoteBound": fit.vote_bound(),
        "CrossFitBound": crossed.bound(),
        "NPCrossFit": crossed,
        "NPRandomVoteFit": npc(X, NAMES, "lda", alpha=0.1, n_splits=3, vote="random", **ILL),
        "CrossFittedCurve": nproc(X, NAMES, "lda", cross_fit=3, **ILL).cross_fitted,
        "Type1Curve": single.type1_upper_curve(),
        "PredictiveBand": predictive,
        "PredictiveValues": predictive.at([0.05, 0.1, 0.2]),
        "RankLaw": type1_law(100),
        "ClassZeroPlan": plan_class0(
            0.1, 0.1, power=0.5, pilot=(X[::2, 0], X[1::2, 0]), prevalence={"a & b": 0.1}, labels=np.unique(NAMES)
        ),
        "SupportedLevels": supported_levels(40),
        "SplitRatioPlan": plan_split_ratio(X, NAMES, "lda", ratios=(0.3, 0.5), n_repeats=2, **ILL),
        "NPSmallSampleFit": normal,
        "NormalThreshold": normal_threshold,
        "LogConcaveThreshold": tail_threshold,
        "NormalityCheck": normality_check(RNG.normal(size=20)),
        "NPGroupFit": grouped,
        "GroupEvaluation": grouped.evaluate(X, NAMES, sites),
        "GroupThresholds": np_group_thresholds(RNG.normal(size=200), np.arange(200) % 2),
        "ScoreRule": score_rule(RNG.normal(size=200), class0="<b>ill</b>", class1="well", score="marker"),
        "LinearRule": linear_rule(npc(X, NAMES, "lda", alpha=0.1, **ILL)),
        "NPReviewFit": reviewed,
        "EqualThresholds": equal,
        "AssumptionChecks": single.check_assumptions(n_permutations=19),
        "FeatureRanking": rank_features(X, NAMES, alpha=0.2, n_splits=2, **ILL),
        "ShiftedThreshold": np_threshold_shifted(X[::2, 0], np.ones(150), weight_max=1.2, random_state=1),
        "NoisyThreshold": np_threshold_noisy(X[::2, 0], X[1::2, 0], noise0=0.05, noise1=0.05, alpha=0.2),
        "NoiseSensitivity": noise_sensitivity(X[::2, 0], X[1::2, 0], alpha=0.2),
        "ReviewEvaluation": reviewed.evaluate(X, NAMES),
        "ReviewRule": np_review(X[::2, 0], X[1::2, 0], alpha=0.1),
        "ReviewPlan": plan_review(X[::2, 0], X[1::2, 0], max_review=0.5),
        "NPClusterFit": npc(X, NAMES, "lda", clusters=np.arange(300) // 2, **ILL),
        "NPMultiFit": several,
        "NPCSFit": npcs(X, levels, "lda", alphas={"c": 0.5}, random_state=1),
        "MultiEvaluation": several.evaluate(X, levels),
        "ProcedureComparison": compare_procedures(X, NAMES, ["lda", "nb"], alpha=0.1, n_splits=3, **ILL),
        "Evaluation": fit.evaluate(X, NAMES),
        "NPROCBand": band,
        "PartialAUC": band.partial_auc(0.2),
        "AUCComparison": compare_aucs(X[::2, :2], X[1::2, :2], names=["<b>first</b>", "second"]),
        "BandValues": band.at([0.05, 0.1, 0.2]),
        "AlphaChoice": band.choose_alpha("youden"),
        "Comparison": compare(band, nproc(X, NAMES, "nb", **ILL)),
        "ROCCurve": roc_cv(X, NAMES, "lda", **ILL),
        "Threshold": np_threshold(RNG.normal(size=100), random_state=1),
    }


KINDS = [
    name
    for name, kind in PUBLIC.items()
    if isinstance(kind, type) and dataclasses.is_dataclass(kind) and not issubclass(kind, BaseEstimator)
]


@pytest.mark.slow
def test_the_list_has_every_public_result(results):
    assert sorted(results) == sorted(KINDS)


@pytest.mark.slow
def test_a_repr_has_one_or_two_lines_with_short_numbers(results):
    def check(name):
        text = repr(results[name])
        assert text.startswith(name)
        assert len(text.splitlines()) <= 2
        assert max(map(len, text.splitlines())) <= 170
        # no number has more than four digits after its point but for a power of ten
        assert re.search(r"\d\.\d{7,}", text) is None
        assert "array(" not in text

    check_all_cases(check, {name: (name,) for name in KINDS})


def test_printed_bounds_are_rounded_outward(results):
    plan, rule = results["ClassZeroPlan"], results["ReviewRule"]
    frames = {name: results[name].to_frame() for name in ("FeatureRanking", "ProcedureComparison")}
    frames |= {"ClassZeroPlan": plan.to_frame([plan.n0_min, plan.n0]), "ReviewRule": rule.shares()}
    for name, frame in frames.items():
        printed = str(results[name].summary()).split()
        for end, text in (("lower", rounded_down), ("upper", rounded_up)):
            (column,) = (column for column in frame if column in (end, f"type2_{end}", f"review_{end}"))
            assert set(map(text, frame[column])) <= set(printed), (name, end)


def test_a_notebook_shows_the_summary_with_labels_escaped(results):
    def check(name):
        page, summary = results[name]._repr_html_(), results[name].summary()
        assert page == summary.as_html()
        assert "<table" in page
        assert "<b>ill</b>" not in page
        if name in ("NPFit", "Evaluation", "NPROCBand", "ROCCurve"):
            assert "&lt;b&gt;ill&lt;/b&gt;" in page

    check_all_cases(check, {name: (name,) for name in KINDS})


def test_a_summary_goes_to_text_latex_and_csv(results):
    def check(name):
        summary = results[name].summary()
        assert str(summary).isascii()
        # nothing there draws names in the style of code
        assert "`" not in str(summary)
        assert r"\begin{tabular}" in summary.as_latex()
        assert len(summary.as_csv().splitlines()) > 2

    check_all_cases(check, {name: (name,) for name in KINDS})


def test_a_frame_has_plain_names_and_a_number_for_its_row(results):
    def check(name):
        frame = results[name].to_frame()
        assert len(frame) > 0 or name == "Comparison"
        assert frame.columns.is_unique
        # but for columns that hold a label of the user
        labels = {*NAMES.tolist(), "c"}
        of_label = {f"P({label}{call})" for label in labels for call in ("", f" | called {label}")}
        shares = {f"{share}{end}" for share in of_label for end in ("", "_lower", "_upper")}
        named = [c for c in frame.columns if c.removeprefix("called ") not in labels and c not in shares]
        assert all(re.fullmatch(r"[a-z][a-z0-9_]*", column) for column in named)
        assert list(frame.index) == list(range(len(frame)))

    check_all_cases(check, {name: (name,) for name in KINDS})


def test_frames_hold_the_attributes(results):
    values, rule, choice = results["BandValues"], results["Threshold"], results["AlphaChoice"]
    np.testing.assert_array_equal(values.to_frame()["type2_upper"], values.type2_upper)
    assert results["NPROCBand"].at(0.1).to_frame()["order"].tolist() == [results["NPROCBand"].at(0.1).order]
    row = rule.to_frame().iloc[0]
    assert (row["value"], row["order"], row["n0"]) == (rule.value, rule.order, rule.n0)
    assert np.isnan(row["tie_cut"])
    assert choice.to_frame()["guaranteed"].tolist() == [False]
    assert choice.to_frame()["alpha"].tolist() == [choice.alpha]


def test_the_direction_of_the_scores_and_class_0_are_told(results):
    assert "larger scores mean class 1" in repr(results["Threshold"])
    band = NPROCBand.from_scores(RNG.normal(size=50), RNG.normal(2, 1, size=50))
    assert "larger scores are taken to mean class 1" in repr(band)
    for name in ("NPFit", "NPROCBand", "Evaluation"):
        assert "class0=<b>ill</b>" in repr(results[name])
    for name in ("NPFit", "NPROCBand", "Threshold"):
        assert re.search(
            "arger scores (mean|are taken to mean) class 1", " ".join(str(results[name].summary()).split())
        )


def test_the_choice_says_why_it_has_no_guarantee(results):
    text = _flat(results["AlphaChoice"].summary())
    assert "Guaranteed: no" in text
    assert results["AlphaChoice"].reason in text


def test_results_of_solvers_and_bounds_print_no_array():
    solved = solve_sparse_logistic_primal(X, Y, p_min=0.1, p_max=0.4, lam=1.0)
    texts = [
        repr(solved),
        repr(project_level_set([3.0, 4.0], lambda p: (p @ p, 2 * p), 1.0)),
        repr(theorem_level(300_000, 300_000, 10, alpha=0.6, delta=0.05, loss=_Logistic())),
        repr(type2_bounds(np.arange(100), 100, 0.05)),
    ]
    for text in texts:
        assert len(text.splitlines()) <= 2
        assert len(text) < 420
        assert "array(" not in text
    assert f"converged={solved.converged}, n_iter={solved.n_iter}, objective={solved.objective[-1]:.4g}" in texts[0]
    assert repr(clopper_pearson(3, 100)) == "Bounds(lower=0.0062, upper=0.0852)"


class _Logistic:
    at_zero = np.log(2)

    def value(self, z):
        return np.logaddexp(0.0, -np.asarray(z))

    def derivative(self, z):
        return -1.0 / (1.0 + np.exp(np.asarray(z)))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1 / 3, "0.3333"),
        (np.float64(123456.789), "1.235e+05"),
        (np.int64(12), "12"),
        (np.True_, "True"),
        (None, "None"),
        ("x" * 60, repr("x" * 47 + "...")),
        (np.array(0.25), "0.25"),
        (np.arange(3), "[0, 1, 2]"),
        (np.zeros((2, 3)), "<2 x 3 numbers, 0 to 0>"),
        (np.array([True, False] * 3), "<6 flags, 3 true>"),
        (np.array([]), "[]"),
        (np.array(list("abcdef")), "<6 entries>"),
        ((1, 2.0), "[1, 2]"),
        (list(range(9)), "<9 entries>"),
        ({"gap": [1.0]}, "<gap>"),
        ({}, "<>"),
        (object(), "<object>"),
    ],
)
def test_short_texts(value, text):
    assert short(value) == text


def test_fields_that_want_no_repr_are_left_out():
    @dataclasses.dataclass(repr=False)
    class Pair(ShortRepr):
        seen: float
        hidden: float = dataclasses.field(repr=False, default=1.0)

    assert repr(Pair(2.0)) == "Pair(seen=2)"


def _flat(summary):
    return " ".join(str(summary).split())
