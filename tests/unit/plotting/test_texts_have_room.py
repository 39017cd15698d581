"""In one column of a journal no text of any picture covers another one or leaves the figure; names are as given."""

import contextlib
import itertools
import re
import warnings
from types import SimpleNamespace

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from pictures import collisions, drawn_texts

from nproc import NPROCBand, compare, npc, npc_multiclass, nproc, plotting, roc_cv
from nproc.biased_samples import noise_sensitivity, np_threshold_noisy, np_threshold_shifted
from nproc.comparison.result import ProcedureComparison, ProcedureDifference
from nproc.errors import NPWarning
from nproc.fits import vote_bound
from nproc.groups import np_equal_thresholds
from nproc.monitoring import Type1ChangeDetector, Type1Monitor
from nproc.multiclass.result import MultiEvaluation
from nproc.planning import plan_class0
from nproc.plotting.lines import in_lines
from nproc.review import plan_review

mpl.use("Agg")

RNG = np.random.default_rng(0)
SCORES0, SCORES1 = RNG.normal(size=300), RNG.normal(1.5, 1, size=400)
CAUCHY = RNG.standard_cauchy(300)
NAMES = ("malignant tumour", "benign tumour")
FILES = {"format": "png", "dpi": 110}, {"format": "pdf"}
GROUPS = ("younger than 40", "from 40 to 60", "older than 60")
PIPELINES = ("lda", "StandardScaler+PCA+LogisticRegression")
LONG_PROCEDURES = (*PIPELINES[1:], "HistGradientBoostingClassifier", "penalised logistic regression with interactions")
LONG_PIPELINES = (
    "StandardScaler+PCA+LogisticRegression",
    "StandardScaler+PolynomialFeatures+LogisticRegression",
    "QuantileTransformer+LogisticRegression",
)
VERY_LONG = (
    "acute myeloid leukaemia with recurrent genetic abnormalities",
    "acute lymphoblastic leukaemia of B-cell precursors",
    "chronic myelomonocytic leukaemia, dysplastic type",
    "none",
)
# the formulas of our own texts
FORMULAS = {r"\alpha", r"\delta", r"\leq", r"\pm", "-", "n_0", "10^{}", "10^{-}"}


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def confusion(n_classes, size, names=None):
    counts = RNG.integers(1, 2000, size=(n_classes, n_classes))
    labels = np.array([*NAMES, *(f"class {k}" for k in range(2, n_classes))] if names is None else names[:n_classes])
    alphas = (0.1,) * (n_classes - 1) + (None,)
    above = np.triu(np.ones(counts.shape, dtype=bool), k=1)
    return MultiEvaluation(labels, counts, above, alphas, 0.95, "").plot(figsize=size)


def groups(n_splits, size):
    parts = [[RNG.normal(size=60) for _ in range(3)] for _ in range(n_splits)]
    return plotting.plot_group_scores(parts, np.ones((n_splits, 3)), GROUPS, 0.1, labels=NAMES, figsize=size)


def rows():
    return np.append(SCORES0, SCORES1)[:, None], np.repeat(NAMES, (300, 400))


def fitted(**more):
    method = np.ravel if more.get("prefit") else "lda"
    return npc(*rows(), method, class0=NAMES[0], alpha=0.1, random_state=0, **more)


def group_errors(size):
    X, y = rows()
    which = np.array(GROUPS)[np.arange(y.size) % 3]
    return fitted(groups=which).evaluate(X, y, groups=which).plot(figsize=size)


def left_out(size):
    X = rows()[0]
    labels = np.array(GROUPS)[np.digitize(-X[:, 0] + 0.3 * RNG.normal(size=X.size), [-1.5, -0.3])]
    return npc_multiclass(X, labels, "lda", priority=GROUPS, alphas=0.2, random_state=0).plot(figsize=size)


def curve_and_band(size):
    band = nproc(*rows(), "lda", class0=NAMES[0], random_state=0)
    ax = band.plot(scale="sensitivity", alpha=0.1, figsize=size)
    return roc_cv(*rows(), "lda", class0=NAMES[0], random_state=0).plot(ax=ax)


def compared(size, **how):
    bands = [nproc(*rows(), method, class0=NAMES[0], random_state=0) for method in ("lda", "tree")]
    return compare(*bands, names=[f"cost {group}" for group in GROUPS[:2]]).plot(figsize=size, **how)


def side_by_side(methods, width, names=None):
    bands = [nproc(*rows(), method, class0=NAMES[0], random_state=0) for method in methods]
    with mpl.rc_context({"font.size": 7}):
        figure, pair = plt.subplots(1, 2, figsize=(width, 3.0), layout="constrained")
        for ax in pair:
            compare(bands, names=names).plot(ax=ax, layout="overlay")
    return figure


def features(size):
    errors = np.array([0.2, 0.3, 0.4])
    return plotting.plot_features(GROUPS, errors, errors - 0.1, errors + 0.1, xlabel="overall error", figsize=size)


def procedures(size, names=PIPELINES):
    pairs = itertools.product(itertools.combinations(names, 2), (0.05, 0.1))
    found = [ProcedureDifference(*pair, alpha, -0.2, 0.1, -0.5, 0.1, 0.2, 0.2) for pair, alpha in pairs]
    levels, means = np.array([0.05, 0.1]), np.full((9, len(names), 2), 0.4)
    return ProcedureComparison(
        tuple(names), levels, 0.05, 0.95, means, tuple(found), 100, 100, 0.5, np.array(NAMES), 0
    ).plot(figsize=size)


def monitored(size, watch=Type1ChangeDetector, n=400):
    detector = watch(0.1)
    detector.update(np.arange(n) % 12 == 0)
    return detector.plot(figsize=size)


def checked(size, new=None):
    X, y = rows()
    return fitted().check_assumptions(new, X=X, y=y, random_state=0).plot(figsize=size)


def checked_far(size):
    scores = np.append(-30.0, RNG.normal(-2, 3, 128))
    drawn = SimpleNamespace(scores=scores, threshold=3.9, path=RNG.normal(size=129) / 9, fresh=None, change=None)
    checks = SimpleNamespace(drawn=drawn, level=0.05, order="the rows")
    return plotting.plot_assumptions(checks, figsize=size)


def split_plan(size):
    ratios = np.arange(0.1, 1.0, 0.1)
    errors = 0.5 + (ratios - 0.4) ** 2
    plan = SimpleNamespace(
        ratios=ratios, type2_mean=errors, type2_se=errors / 50, beyond=ratios > 0.25, split_ratio=0.4
    )
    return plotting.plot_split_plan(plan, figsize=size)


def bands(size):
    levels = np.array([0.1, 0.4])
    curves = {name: (np.full(2, 0.3), np.full(2, 0.5), np.full(2, 0.7)) for name in ("ppv", "npv")}
    given = {"prevalence": f"{NAMES[1]}: 0.1 to 0.3", "delta": 0.05, "note": "one $\\alpha$ fixed beforehand"}
    return plotting.plot_predictive(levels, curves, **given, names=NAMES, figsize=size)


PICTURES = {
    "confusion of 4": lambda size: confusion(4, size),
    "confusion of 7": lambda size: confusion(7, size),
    "confusion of 2 with very long names": lambda size: confusion(2, size, VERY_LONG),
    "confusion of 4 with very long names": lambda size: confusion(4, size, VERY_LONG),
    "left-out rows of 3 classes": left_out,
    "groups": lambda size: groups(1, size),
    "groups of several splits": lambda size: groups(5, size),
    "errors of groups": group_errors,
    "band and curve": curve_and_band,
    "two bands": compared,
    "two bands with the words of diagnostic tests": lambda size: compared(size, scale="sensitivity", alpha=0.2),
    "panels": lambda size: compared(size, layout="panels"),
    "features": features,
    "fit": lambda size: fitted(n_splits=3).plot(figsize=size),
    "fit with review": lambda size: fitted(review_beta=0.1).plot(figsize=size),
    "calibration": lambda size: fitted().plot_calibration(*rows(), figsize=size),
    "procedures": procedures,
    "procedures with long names": lambda size: procedures(size, LONG_PROCEDURES),
    "predictive values": bands,
    "change": monitored,
    "change in many rows": lambda size: monitored(size, n=200_000),
    "monitor": lambda size: monitored(size, Type1Monitor),
    "order of the scores": checked,
    "order of scores that lie far apart": checked_far,
    "new scores": lambda size: checked(size, rows()[0][:120] + 0.3),
    "plan of the split ratio": split_plan,
    "threshold": lambda size: plotting.plot_threshold(
        SCORES0, 1.6, scores1=SCORES1, alpha=0.05, labels=NAMES, figsize=size
    ),
    "review": lambda size: plotting.plot_review(SCORES0, SCORES1, 0.1, 1.6, labels=NAMES, figsize=size),
    "threshold of scores with heavy tails": lambda size: plotting.plot_threshold(
        [CAUCHY, CAUCHY - 3, CAUCHY + 5],
        [2.0, -1.0, 7.0],
        alpha=0.05,
        labels=NAMES,
        figsize=size,
    ),
    "review of scores with heavy tails": lambda size: plotting.plot_review(
        -1e4 * np.abs(CAUCHY) - 1e5, 1e4 * CAUCHY, -1.5e5, -1e5, labels=NAMES, figsize=size
    ),
    "plan of a review": lambda size: plan_review(SCORES0, SCORES1, max_review=0.5, labels=NAMES).plot(figsize=size),
    "votes": lambda size: vote_bound(7, 0.1, 0.05, n0_left_out=90).plot(figsize=size),
    "plan": lambda size: plan_class0(0.05, 0.05).plot(figsize=size),
    "plan from a pilot": lambda size: plan_class0(0.1, 0.05, pilot=(SCORES0, SCORES1)).plot(figsize=size),
    "noise": lambda size: noise_sensitivity(SCORES0, SCORES1, alpha=0.1).plot(figsize=size),
    "noisy labels": lambda size: np_threshold_noisy(SCORES0, SCORES1, noise0=0.05, noise1=(0, 0.1), alpha=0.1).plot(
        SCORES0, SCORES1, figsize=size
    ),
    "shift": lambda size: np_threshold_shifted(
        SCORES0, np.full(300, 0.9), weight_max=1.0, alpha=0.1, random_state=0
    ).plot(SCORES0, np.full(300, 0.9), figsize=size),
    "equal thresholds": lambda size: np_equal_thresholds(
        SCORES0, np.arange(300) % 2, alpha=0.1, epsilon=0.2, delta=0.1, gamma=0.1
    ).plot(SCORES0, np.arange(300) % 2, figsize=size),
}


def in_turn(names, first):
    """Return the names of pictures for a test; all but each third, from the number `first` on, are slow."""
    return [pytest.param(name, marks=[pytest.mark.slow] * (j % 3 != first)) for j, name in enumerate(names)]


# in one column, where there is the least room; the test of another size looks at two columns
@pytest.mark.slow(oldest=True)
@pytest.mark.parametrize("picture", in_turn(PICTURES, 0))
def test_no_text_covers_another_one_or_leaves_the_figure(picture):
    with mpl.rc_context({"font.size": 7}):
        drawn = PICTURES[picture]((3.35, 0.85 * 3.35))
        figure = np.ravel(drawn)[0].figure
        assert collisions(figure) == []
        # letters have other widths in other files
        assert [collisions(figure, **file) for file in FILES] == [[], []]


@pytest.mark.slow
@pytest.mark.parametrize("methods", [("lda", "nb"), ("lda", "tree", "nb")])
@pytest.mark.parametrize("are_long", [False, True])
def test_two_comparisons_side_by_side_in_one_column_say_whole_of_which_pairs_neither_is_better(methods, are_long):
    names = LONG_PIPELINES[: len(methods)] if are_long else None
    # three methods in both stand on the edge, as the next test says
    with pytest.warns(NPWarning, match="side by side") if len(methods) > 2 else contextlib.nullcontext():
        figure = side_by_side(methods, 3.35, names)
    with mpl.rc_context({"font.size": 7}):
        assert collisions(figure) == []
    assert any(text.startswith("neither") for text, *_ in drawn_texts(figure))


@pytest.mark.slow(oldest=True)
@pytest.mark.filterwarnings("ignore::nproc.errors.NPWarning")
def test_lines_of_text_below_bars_are_left_out_of_a_picture_in_which_they_would_lie_over_each_other():
    found = compare([nproc(*rows(), method, class0=NAMES[0], random_state=0) for method in ("lda", "tree", "nb")])
    with mpl.rc_context({"font.size": 7}):
        figure, (ax, _) = plt.subplots(1, 2, figsize=(3.35, 1.7), layout="constrained")
        found.plot(ax=ax)
        assert collisions(figure) == []
        assert not [text for text, *_ in drawn_texts(figure) if text.startswith("bars")]
        figure.set_size_inches(6.7, 4.0)
        assert collisions(figure) == []
    assert [text for text, *_ in drawn_texts(figure) if text.startswith("bars: fitted rules")]


@pytest.mark.slow(oldest=True)
def test_what_bounds_hold_for_has_room_above_a_comparison_whose_vertical_axis_has_a_long_name():
    bands = {name: NPROCBand.from_scores(SCORES0, SCORES1 - by) for name, by in (("lda", 0), ("nb", 0.6), ("svm", 1))}
    ax = compare(bands).plot(figsize=(3.35, 3.2), scale="sensitivity")
    assert [collisions(ax.figure, **file) for file in ({}, *FILES)] == [[], [], []]


@pytest.mark.slow
@pytest.mark.parametrize("width", [3.35, 3.6])
def test_comparisons_side_by_side_warn_once_where_each_drawing_makes_their_axes_narrower(width):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        figure = side_by_side(("lda", "tree", "nb"), width)
    widths = []
    for _ in range(4):
        figure.canvas.draw()
        widths.append(figure.axes[0].get_window_extent().width)
    narrower = bool(widths[-1] < 0.9 * widths[0])
    assert narrower == (width < 3.5)
    assert ["Make the figure wider" in str(one.message) for one in told] == [True] * narrower


@pytest.mark.slow
@pytest.mark.parametrize("picture", PICTURES)
def test_texts_have_room_after_the_figure_has_got_another_size(picture):
    figure = np.ravel(PICTURES[picture]((6.7, 5.2)))[0].figure
    figure.canvas.draw()
    for size in [(3.35, 3.0), (6.7, 5.2)]:
        figure.set_size_inches(size)
        assert collisions(figure) == []


@pytest.mark.slow
def test_axes_in_the_words_of_diagnostic_tests_lose_the_names_of_classes_where_large_letters_leave_no_room():
    draw = PICTURES["two bands with the words of diagnostic tests"]
    small, wide = (np.ravel(draw(size))[0] for size in [(3.35, 3.0), (6.7, 5.2)])
    assert collisions(small.figure) == []
    assert (small.get_ylabel(), "tumour" in small.get_xlabel()) == ("sensitivity", False)
    assert "tumour" in wide.get_ylabel()
    assert "tumour" in wide.get_xlabel()


@pytest.mark.parametrize(
    "picture",
    in_turn(
        [
            "confusion of 4",
            "confusion of 7",
            "confusion of 2 with very long names",
            "confusion of 4 with very long names",
            "left-out rows of 3 classes",
            "groups",
            "groups of several splits",
            "errors of groups",
            "review",
            "review of scores with heavy tails",
            "fit with review",
            "threshold of scores with heavy tails",
            "procedures",
            "procedures with long names",
            "change",
            "change in many rows",
            "monitor",
            "order of the scores",
            "order of scores that lie far apart",
            "new scores",
            "plan of the split ratio",
            "noise",
            "features",
        ],
        2,
    ),
)
def test_in_one_column_letters_of_the_usual_size_have_room_and_leave_half_of_the_width_to_the_axes(picture):
    drawn = np.ravel(PICTURES[picture]((3.35, 2.85)))
    figure = drawn[0].figure
    assert collisions(figure) == []
    assert min(ax.get_window_extent().width for ax in drawn) >= 0.5 * figure.bbox.width


def test_letters_in_the_columns_of_a_table_are_explained_in_its_rows():
    with mpl.rc_context({"font.size": 7}):
        ax = confusion(4, (3.35, 2.85), VERY_LONG)
    names = [" ".join(label.get_text().split()) for label in ax.get_yticklabels()]
    letters = [label.get_text() for label in ax.get_xticklabels()]
    assert letters == ["A", "B", "C", "D"]
    assert [name.rpartition(",")[0] for name in names] == [f"{a}: {b}" for a, b in zip(letters, VERY_LONG, strict=True)]


def test_letters_in_the_rows_of_procedures_are_explained_in_the_title():
    with mpl.rc_context({"font.size": 7}):
        ax = procedures((3.35, 2.85), LONG_PROCEDURES)
    assert [label.get_text() for label in ax.get_yticklabels()][::2] == [
        rf"{first} $-$ {second}, $\alpha$ = 0.05" for first, second in ("AB", "AC", "BC")
    ]
    title = ax.get_title(loc="right")
    assert title.splitlines()[:3] == [f"{a}: {name}" for a, name in zip("ABC", LONG_PROCEDURES, strict=True)]


@pytest.mark.slow
@pytest.mark.parametrize("picture", ["review", "fit with review", "review of scores with heavy tails"])
def test_a_legend_with_long_names_leaves_a_fifth_of_a_low_picture_to_the_axes(picture, monkeypatch):
    here = test_a_legend_with_long_names_leaves_a_fifth_of_a_low_picture_to_the_axes.__globals__
    monkeypatch.setitem(here, "NAMES", LONG_NAMES)
    ax = PICTURES[picture]((3.35, 2.85))
    assert collisions(ax.figure) == []
    assert ax.get_window_extent().height >= 0.2 * ax.figure.bbox.height
    told = [" ".join(text.get_text().split()) for text in ax.get_legend().get_texts()]
    assert [sum(name in text for text in told) for name in LONG_NAMES] == [1, 1]
    assert told[0].startswith(f"class 0: {LONG_NAMES[0]}")
    assert told[3:] == [
        "below: called class 0",
        "above: called class 1",
    ]


LONG_NAMES = ("acute myeloid leukaemia (AML)", "acute lymphoblastic leukaemia (ALL)")
LONG_GROUPS = ("women aged 65 years and over", "men aged 65 years and over", "children of 12 years or less")


@pytest.mark.slow(oldest=True)
@pytest.mark.parametrize(
    "picture",
    in_turn(
        [
            "fit",
            "predictive values",
            "groups",
            "groups of several splits",
            "errors of groups",
            "confusion of 4",
            "review",
            "fit with review",
            "review of scores with heavy tails",
            "calibration",
            "two bands",
        ],
        0,
    ),
)
@pytest.mark.parametrize("font", [7, 10])
def test_long_names_are_whole_and_leave_half_of_one_column_to_the_axes(picture, font, monkeypatch):
    here = test_long_names_are_whole_and_leave_half_of_one_column_to_the_axes.__globals__
    monkeypatch.setitem(here, "NAMES", LONG_NAMES)
    monkeypatch.setitem(here, "GROUPS", LONG_GROUPS)
    with mpl.rc_context({"font.size": font}):
        ax = PICTURES[picture]((3.35, 3.2))
        assert collisions(ax.figure) == []
        assert ax.get_window_extent().width >= 0.5 * ax.figure.bbox.width


@pytest.mark.parametrize("more", [{}, {"n_splits": 11}, {"prefit": True}])
def test_the_legend_of_a_fit_has_room_in_one_column_at_the_usual_size_of_letters(more):
    ax = fitted(**more).plot(figsize=(3.35, 3.2))
    assert collisions(ax.figure) == []
    assert ax.get_window_extent().width >= 0.7 * ax.figure.bbox.width


@pytest.mark.parametrize(
    "whole",
    ["class 0", "12 rows", "3 splits", "35.1 %", "n = 30", r"$\alpha$ = 0.05", "type II", "below \N{MINUS SIGN}4.5"],
)
@pytest.mark.parametrize("more", ["share of {} called benign", "{} called benign", "the called ones of {}"])
def test_no_line_ends_between_a_number_or_a_sign_and_the_word_to_which_it_belongs(whole, more):
    text = more.format(whole)
    for room in range(1, len(text)):
        lines = in_lines(text, room, len)
        assert whole in lines
        # there is always a place for a line to end elsewhere
        assert "\n" in lines


def as_shown(text):
    """What is shown of a text: its formulas, and what stands beside them."""
    pieces = re.split(r"(?<!\\)\$", text)
    # an odd number of dollar signs is no formula
    pieces = pieces if len(pieces) % 2 else [text]
    return {re.sub(r"\d+(?=})", "", piece) for piece in pieces[1::2]}, "".join(pieces[::2]).replace(r"\$", "$")


@pytest.mark.slow(oldest=True)
@pytest.mark.filterwarnings("ignore::nproc.errors.NPWarning")
@pytest.mark.parametrize("picture", in_turn(PICTURES, 1))
def test_names_with_dollar_signs_are_shown_as_given(picture, monkeypatch):
    names, groups = ("<=$50K", ">$50K"), ("$0 to $10", "_$x_$", "a<b & $c$")
    here = test_names_with_dollar_signs_are_shown_as_given.__globals__
    usual = drawn_texts(np.ravel(PICTURES[picture]((6.7, 5.2)))[0].figure)
    had_names = {k for k, name in enumerate([*NAMES, *GROUPS]) if any(name in text for text, *_ in usual)}
    for name, value in (("NAMES", names), ("GROUPS", groups)):
        monkeypatch.setitem(here, name, value)
    drawn = drawn_texts(np.ravel(PICTURES[picture]((6.7, 5.2)))[0].figure)
    shown = [as_shown(text) for text, *_ in drawn]
    assert set().union(*(formulas for formulas, _ in shown)) <= FORMULAS
    assert not [text for _, text in shown if "\\" in text]
    has_names = {k for k, name in enumerate([*names, *groups]) if any(name in text for _, text in shown)}
    assert has_names >= had_names


def test_the_lines_of_a_long_text_need_no_more_measures_than_pairs_of_its_words():
    words, measured = 60, []
    lines = in_lines("word, " * words + "end", 7, lambda text: measured.append(text) or len(text))
    assert lines.count("\n") == words
    assert len(measured) < 10 * words**2
