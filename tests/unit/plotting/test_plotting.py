"""Tests of `nproc.plotting` on the artists that it draws: positions, labels, styles, and no global change."""

import contextlib
import importlib
import inspect
import io
import itertools
import pickle
import pkgutil
import re
import subprocess
import sys
import time
import warnings

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.path import Path
from pictures import collisions, drawn_texts
from scipy import stats
from scipy.spatial.distance import pdist

import nproc
from nproc import NPROCBand
from nproc.errors import InvalidInputError, NPWarning
from nproc.planning import plan_class0
from nproc.plotting import (
    error_axes,
    mark_alpha,
    name_classes,
    plot_band,
    plot_comparison,
    plot_dominance,
    plot_review,
    plot_review_plan,
    plot_roc,
    plot_threshold,
    tell_chosen,
)
from nproc.plotting.canvas import (
    COLORS,
    LINESTYLES,
    PALE,
    last_steps,
    lines_of,
    score_bins,
    short_name,
    short_names,
    step_corners,
    thin_corners,
)
from nproc.plotting.comparison import LAST_ROWS
from nproc.plotting.legend import _drawn_path, place_legend

mpl.use("Agg")

ALPHA = np.array([0.1, 0.3, 0.6])
LOWER = np.array([0.5, 0.2, 0.0])
UPPER = np.array([0.9, 0.6, 0.1])
OTHER = {"alpha": np.array([0.05, 0.5]), "type2_lower": np.array([0.3, 0.25]), "type2_upper": np.array([0.6, 0.5])}
BAND = {"alpha": ALPHA, "type2_lower": LOWER, "type2_upper": UPPER}
NAMED = [
    {**BAND, "type2": np.array([0.7, 0.4, 0.05]), "label": "X1"},
    {**OTHER, "type2": np.array([0.4, 0.3]), "label": "X2"},
]
REGIONS = [("X2", "X1", 0.05, 0.1), ("X1", "X2", 0.6, 0.9), ("X1", "X2", 0.95, 1.0)]


@pytest.fixture
def ax():
    return Figure(figsize=(5, 5)).subplots()


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


def draw_all(ax, *bands):
    for band in bands:
        plot_band(**band, ax=ax)
    return ax


def found(ax, gid):
    artists = ax.findobj(lambda artist: artist.get_gid() == gid)
    assert len(artists) == 1, f"{len(artists)} artists with gid {gid}"
    return artists[0]


def step_value(line, x):
    """Height of a steps-post line at x."""
    assert line.get_drawstyle() == "steps-post"
    corners, heights = line.get_data()
    return heights[np.searchsorted(corners, x, side="right") - 1]


def legend_texts(ax):
    """Return the texts of a legend as they are read: row by row."""
    ax.figure.draw_without_rendering()
    placed = [(text.get_window_extent(), text.get_text()) for text in ax.get_legend().get_texts()]
    return [text for _, text in sorted(placed, key=lambda pair: (-round(pair[0].y0), pair[0].x0))]


def linear_rgb(rgb):
    rgb = np.asarray(rgb)
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def lightness(color):
    """CIE L* of an sRGB colour, from 0 (black) to 100 (white)."""
    y = linear_rgb(to_rgb(color)) @ [0.2126, 0.7152, 0.0722]
    return 116 * np.cbrt(y) - 16 if y > 216 / 24389 else y * 24389 / 27


def test_steps_start_exactly_at_the_knots(ax):
    plot_band(**BAND, ax=ax)
    lower, upper = found(ax, "nproc-band-0-lower"), found(ax, "nproc-band-0-upper")
    just_below = np.nextafter(ALPHA, 0)
    np.testing.assert_array_equal([step_value(lower, a) for a in ALPHA], 1 - UPPER)
    np.testing.assert_array_equal([step_value(upper, a) for a in ALPHA], 1 - LOWER)
    np.testing.assert_array_equal([step_value(lower, a) for a in just_below], [0, *(1 - UPPER[:-1])])
    np.testing.assert_array_equal([step_value(upper, a) for a in just_below[1:]], 1 - LOWER[:-1])


def test_below_the_first_knot_no_band_is_drawn(ax):
    plot_band(**BAND, ax=ax)
    assert step_value(found(ax, "nproc-band-0-lower"), 0.0) == 0
    assert found(ax, "nproc-band-0-upper").get_xdata()[0] == ALPHA[0]
    assert found(ax, "nproc-band-0-fill").get_paths()[0].vertices[:, 0].min() == ALPHA[0]


def test_a_first_knot_where_nothing_changes_still_starts_the_band(ax):
    plot_band(np.array([0.1, 0.3]), np.array([0.5, 0.5]), np.array([1.0, 0.6]), ax=ax)
    assert found(ax, "nproc-band-0-upper").get_xdata()[0] == 0.1


def test_the_shade_lies_between_the_curves(ax):
    plot_band(**BAND, ax=ax)
    corners = found(ax, "nproc-band-0-fill").get_paths()[0].vertices
    assert {tuple(point) for point in corners} >= {(0.1, 0.5), (0.3, 0.4), (0.3, 0.8), (1.0, 1.0)}
    assert corners.max() == 1


def test_shade_can_be_left_out(ax):
    plot_band(**BAND, ax=ax, shade=False, label="lda")
    assert len(ax.collections) == 0
    assert legend_texts(ax) == ["lda"]


def filled(ax):
    return [area.get_gid().split("-")[2] for area in ax.collections]


def test_two_bands_are_filled_and_a_third_one_takes_the_areas_of_both_away(ax):
    bands = [{**band, "label": name} for band, name in zip([*NAMED, NAMED[0]], "abc", strict=True)]
    draw_all(ax, *bands[:2])
    assert filled(ax) == ["0", "1"]
    draw_all(ax, bands[2])
    assert filled(ax) == []
    assert legend_texts(ax) == [*"abc", "bounds (thin lines)"]
    # cleared Axes forget what was drawn on them
    ax.clear()
    draw_all(ax, bands[0])
    assert filled(ax) == ["0"]


def test_a_band_whose_area_was_asked_for_stays_filled_beside_two_others(ax):
    draw_all(ax, {**NAMED[0], "shade": True}, *NAMED)
    assert filled(ax) == ["0"]
    draw_all(ax, {**NAMED[0], "shade": True})
    assert filled(ax) == ["0", "3"]


def test_axes_are_named_reach_from_0_to_1_and_hold_all_that_is_drawn(ax):
    assert plot_band(**BAND, ax=ax, marked_alpha=0.3) is ax
    assert ax.get_xlabel() == r"type I error bound, $\alpha$"
    assert ax.get_ylabel() == "1 $-$ type II error"
    assert ax.get_xlim() == ax.get_ylim() == (-0.01, 1.01)
    for line in ax.lines:
        assert np.all((line.get_xydata() >= 0) & (line.get_xydata() <= 1))


@pytest.mark.slow(oldest=True)
def test_a_figure_is_made_when_there_are_no_axes():
    assert plot_band(**BAND).figure is not plot_band(**BAND).figure
    assert plot_comparison([NAMED[0]], []).figure is not plot_comparison([NAMED[0]], []).figure
    assert (
        plot_roc(np.array([0, 1]), np.array([0, 1])).figure is not plot_roc(np.array([0, 1]), np.array([0, 1])).figure
    )


def test_the_estimate_is_the_widest_line_and_starts_with_the_first_classifier(ax):
    plot_band(**BAND, type2=np.array([0.7, 0.4, 0.05]), ax=ax, label="lda")
    line = found(ax, "nproc-band-0-estimate")
    np.testing.assert_allclose(line.get_xydata(), [[0.1, 0.3], [0.3, 0.6], [0.6, 0.95], [1.0, 0.95]])
    assert line.get_linewidth() > 2 * found(ax, "nproc-band-0-lower").get_linewidth()
    assert line.get_label() == "lda"


@pytest.mark.slow(oldest=True)
@pytest.mark.parametrize(
    ("scale", "height", "xlabel", "ylabel"),
    [
        ("roc", 0.6, r"type I error bound, $\alpha$", "1 $-$ type II error"),
        ("errors", 0.4, r"type I error bound, $\alpha$", "type II error"),
        (
            "sensitivity",
            0.6,
            r"1 $-$ specificity for class 1, upper bound $\alpha$ (share of class 0 called class 1)",
            "sensitivity for class 1 (share of class 1 called class 1)",
        ),
    ],
)
def test_each_scale_shows_the_same_errors_in_its_own_words(scale, height, xlabel, ylabel):
    ax = error_axes(scale=scale)
    plot_band(**BAND, type2=np.array([0.7, 0.4, 0.05]), ax=ax, marked_alpha=0.3)
    plot_roc(np.array([0, 0.3, 1]), np.array([0, 0.6, 1]), ax=ax)
    assert step_value(found(ax, "nproc-band-0-estimate"), 0.3) == pytest.approx(height)
    assert found(ax, "nproc-roc-0").get_ydata()[1] == pytest.approx(height)
    ends = np.array([0.4, 0.8]) if scale != "errors" else np.array([0.6, 0.2])
    np.testing.assert_allclose(found(ax, "nproc-mark-0-segment").get_ydata(), ends)
    assert (" ".join(ax.get_xlabel().split()), ax.get_ylabel()) == (xlabel, ylabel)
    with pytest.raises(InvalidInputError, match=rf"already has scale='{scale}'"):
        error_axes(ax, scale="errors" if scale == "roc" else "roc")


@pytest.mark.slow(oldest=True)
def test_the_words_of_diagnostic_tests_say_of_which_class_they_are():
    ax = plot_band(**BAND, ax=error_axes(scale="sensitivity"), labels=("malignant", "benign"))
    assert ax.get_ylabel() == "sensitivity for benign (share of benign called benign)"
    # malignant may be the disease, and then the two words without "for" would be the wrong way round
    assert " ".join(ax.get_xlabel().split()) == (
        r"1 $-$ specificity for benign, upper bound $\alpha$ (share of malignant called benign)"
    )


def named_axes(*labels, size=(5.2, 5.2), **view):
    ax = error_axes(Figure(figsize=size, layout="constrained").subplots(), **view)
    for pair in labels:
        plot_band(**BAND, ax=ax, labels=pair, marked_alpha=0.3)
    return " ".join(ax.get_xlabel().split()), " ".join(ax.get_ylabel().split())


PLAIN = r"type I error bound, $\alpha$", "1 $-$ type II error"


@pytest.mark.parametrize("size", [(5.2, 5.2), (3.35, 2.8)])
def test_axes_say_which_class_is_controlled_where_labels_are_texts(size):
    ill = ("ill", "well")
    assert named_axes(ill, ill, size=size) == (f"{PLAIN[0]} (ill called well)", f"{PLAIN[1]} (well called well)")
    assert named_axes(ill, scale="errors")[1] == "type II error (well called well)"
    # a plain number, or True, does not say what it means
    for pair in [None, (0, 1), (1, 0), (np.int64(-1), np.int64(1)), ("0", "1"), (False, True), np.array([True, False])]:
        assert named_axes(pair, size=size) == PLAIN
    # and of two classes 1 neither is what all curves are about
    for others in [(ill, ("ill", "unsure")), (ill, None), (None, ill), (ill, None, ill)]:
        assert named_axes(*others, size=size) == PLAIN
    assert named_axes(ill, None, scale="sensitivity") == (r"1 $-$ specificity, upper bound $\alpha$", "sensitivity")


@pytest.mark.parametrize("layout", ["overlay", "panels"])
def test_axes_name_classes_of_numbers_where_they_are_asked_to(layout):
    ax = Figure(figsize=(7, 6), layout="constrained").subplots()
    name_classes(ax)
    plot_comparison([{**band, "labels": (1, 0)} for band in NAMED], REGIONS, ax=ax, layout=layout)
    told = f"{PLAIN[0]} (label 1 called label 0)", f"{PLAIN[1]} (label 0 called label 0)"
    assert (ax.get_xlabel(), ax.get_ylabel()) == told


@pytest.mark.parametrize("layout", ["overlay", "panels"])
def test_axes_of_a_comparison_say_once_which_class_is_controlled(layout):
    drawn = [{**band, "labels": ("ill", "well")} for band in NAMED]
    ax = plot_comparison(drawn, REGIONS, layout=layout, marked_alpha=0.3)
    assert (ax.get_xlabel(), ax.get_ylabel()) == (f"{PLAIN[0]} (ill called well)", f"{PLAIN[1]} (well called well)")
    assert sum("called" in text for text, *_ in drawn_texts(ax.figure)) == 2


def test_axes_keep_their_plain_names_where_those_of_the_classes_have_no_room():
    labels = ("patients without any sign of recurrence", "patients with a histologically confirmed recurrence")
    assert named_axes(labels, size=(1.2, 1.2)) == PLAIN
    ax = plot_band(**BAND, ax=error_axes(figsize=(5.2, 5.2)), labels=labels)
    assert "patients" in ax.get_xlabel()
    assert "called" in ax.get_ylabel()
    ax.figure.set_size_inches(1.2, 1.2)
    ax.figure.draw_without_rendering()
    assert "called" not in ax.get_xlabel() + ax.get_ylabel()
    ax = plot_band(**BAND, ax=Figure(layout="constrained").subplots(1, 2)[0], labels=("ill", "well"))
    assert (ax.get_xlabel(), ax.get_ylabel()) == PLAIN


@pytest.mark.parametrize("labels", [("ill", "well"), ("malignant tumour", "benign tumour, no surgery")])
@pytest.mark.parametrize("size", [(6.4, 4.8), (4, 3)])
def test_names_of_classes_take_no_more_lines_in_a_figure_without_a_layout(labels, size):
    names = []
    for pair in (None, labels):
        ax = plot_band(**BAND, ax=error_axes(Figure(figsize=size).subplots()), labels=pair)
        ax.figure.draw_without_rendering()
        names.append((ax.xaxis.label.get_window_extent(), ax.yaxis.label.get_window_extent()))
    (plain_x, plain_y), (x, y) = names
    # a pixel is 1 but for rounding
    moved = np.round([x.y0 - plain_x.y0, y.x0 - plain_y.x0], 6)
    assert np.abs(moved).max() <= 1
    assert ax.bbox.x0 <= x.x0 < x.x1 <= ax.bbox.x1
    assert ax.bbox.y0 <= y.y0 < y.y1 <= ax.bbox.y1


@pytest.mark.slow
def test_long_names_of_classes_stay_inside_a_picture_of_one_column():
    labels = ("patients without any sign of recurrence", "patients with a histologically confirmed recurrence")
    ax = plot_band(**BAND, ax=error_axes(scale="sensitivity", figsize=(3.35, 2.6)), labels=labels, label="lda")
    ax.figure.draw_without_rendering()
    whole = ax.figure.bbox
    for name in (ax.xaxis.label, ax.yaxis.label):
        box = name.get_window_extent()
        assert whole.x0 <= box.x0 <= box.x1 <= whole.x1
        assert whole.y0 <= box.y0 <= box.y1 <= whole.y1
        assert "called" in name.get_text()
    # where there is room the names are whole
    ax = plot_band(**BAND, ax=error_axes(scale="sensitivity", figsize=(8, 8)), labels=labels, label="lda")
    assert labels[0] in " ".join(ax.get_xlabel().split())


@pytest.mark.slow(oldest=True)
@pytest.mark.parametrize("scale", ["errors", "sensitivity"])
def test_axes_without_curves_keep_the_scale_and_the_limits_that_they_were_made_with(scale):
    rng = np.random.default_rng(0)
    scores0 = rng.normal(size=300)
    band, better = (NPROCBand.from_scores(scores0, rng.normal(shift, 1, 300)) for shift in (1, 3))
    y, X = np.repeat([0, 1], 300), np.append(scores0, rng.normal(1, 1, 300))[:, None]
    for draw in (
        band.plot,
        nproc.compare(band, better).plot,
        nproc.roc_cv(X, y, "lda", class0=0, random_state=0).plot,
    ):
        ax = draw(ax=error_axes(Figure().subplots(), scale=scale, xlim=(0, 0.2)))
        assert ax._nproc_scale == scale
        assert ax.get_ylabel().startswith({"errors": "type II error", "sensitivity": "sensitivity"}[scale])
        assert ax.get_xlim()[1] == pytest.approx(0.202)
    for draw in (band.plot, nproc.compare(band, better).plot):
        with pytest.raises(InvalidInputError, match=rf"ax already has scale='{scale}', and here scale='roc' was asked"):
            draw(ax=error_axes(Figure().subplots(), scale=scale), scale="roc")
    # nothing is left of what was chosen before
    ax.clear()
    assert band.plot(ax=ax).get_ylabel() == "1 $-$ type II error"


@pytest.mark.slow(oldest=True)
def test_cleared_axes_remember_nothing_of_what_was_drawn_before():
    def words(ax):
        return ax.get_xlabel(), ax.get_ylabel(), ax.get_legend().get_title().get_text()

    rng = np.random.default_rng(0)
    band = NPROCBand.from_scores(rng.normal(size=300), rng.normal(1, 1, 300))
    ax = Figure().subplots()
    plot_band(**BAND, ax=error_axes(ax, scale="sensitivity"), labels=("malignant", "benign"))
    for draw, view in ((band.plot, {"scale": "sensitivity"}), (band.plot, {}), (band.plot, {"xlim": (0, 0.2)})):
        ax.clear()
        assert words(draw(ax=ax, **view)) == words(draw(ax=Figure().subplots(), **view))
    plot_comparison(NAMED, REGIONS, ax=ax, bounded=False)
    assert ax.get_xlabel() == "type I error"
    ax.clear()
    band.plot(ax=ax)
    assert ax.get_xlabel() == r"type I error bound, $\alpha$"
    # what the band was said to hold for is not said of a curve
    ax.clear()
    plot_roc(np.array([0, 0.5, 1]), np.array([0, 0.9, 1]), ax=ax)
    assert ax.get_legend().get_title().get_text() == ""
    # and its legend leaves a corner that the curve reaches at other limits
    before = ax.get_legend()._loc
    ax.set_ylim(0.99, 3)
    assert ax.get_legend()._loc != before


def test_limits_and_a_logarithmic_axis_stay_when_more_is_drawn():
    ax = error_axes(xlim=(0.05, 0.5), log=True)
    draw_all(ax, BAND, OTHER)
    assert ax.get_xscale() == "log"
    np.testing.assert_allclose(ax.get_xlim(), (0.05, 0.525))
    assert error_axes(ax) is ax
    np.testing.assert_allclose(ax.get_xlim(), (0.05, 0.525))


@pytest.mark.parametrize(
    ("view", "match"),
    [
        ({"scale": "auc"}, "scale must be one of 'roc'"),
        ({"xlim": 0.2}, "xlim must be two levels"),
        ({"xlim": (0.3, 0.2)}, "two ascending levels, the first 0 or more"),
        ({"xlim": (0, 0.2), "log": True}, "the first above 0 with log=True"),
        ({"log": "yes"}, "log must be True or False"),
        ({"ax": Figure().subplots(), "figsize": (3, 3)}, "leave it out where ax is given"),
    ],
)
def test_a_view_that_cannot_be_is_refused(view, match):
    with pytest.raises(InvalidInputError, match=match):
        error_axes(**view)


def test_settings_of_the_user_are_followed():
    with mpl.rc_context({"figure.figsize": (3, 2), "lines.linewidth": 1.0, "axes.prop_cycle": mpl.cycler(color="gr")}):
        ax = draw_all(error_axes(), BAND, OTHER)
        assert tuple(ax.figure.get_size_inches()) == (3, 2)
    assert [found(ax, f"nproc-band-{i}-lower").get_color() for i in (0, 1)] == ["g", "r"]
    assert found(ax, "nproc-band-0-lower").get_linewidth() == 1.0
    assert tuple(error_axes(figsize=(4, 3)).figure.get_size_inches()) == (4, 3)


def test_there_is_no_legend_without_a_name(ax):
    plot_band(**BAND, ax=ax)
    assert ax.get_legend() is None


def test_bands_differ_in_colour_and_line_and_are_all_named(ax):
    draw_all(ax, {**BAND, "label": "X1"}, {**OTHER, "label": "X2"}, {**OTHER, "label": "X3"})
    lines = [found(ax, f"nproc-band-{i}-lower") for i in range(3)]
    assert [line.get_color() for line in lines] == list(COLORS[:3])
    assert len({line.get_linestyle() for line in lines}) == 3
    assert legend_texts(ax) == ["X1", "X2", "X3"]


def test_styles_given_by_the_caller_win(ax):
    plot_band(**BAND, ax=ax, color="red", linestyle=":")
    line = found(ax, "nproc-band-0-upper")
    assert (line.get_color(), line.get_linestyle()) == ("red", ":")


@pytest.mark.parametrize(
    ("given", "free"),
    [({"color": "0.6", "linestyle": "dashed"}, 0), ({"color": COLORS[0]}, 1), ({"linestyle": ":"}, 1)],
)
def test_the_next_curve_takes_a_colour_and_a_line_that_none_on_the_axes_has(ax, given, free):
    plot_band(**BAND, ax=ax, **given)
    plot_band(**BAND, ax=ax)
    lines = [found(ax, f"nproc-band-{number}-lower") for number in (0, 1)]
    assert (lines[1].get_color(), lines[1].get_linestyle()) == (COLORS[free], LINESTYLES[free])
    assert lines[0].get_linestyle() != lines[1].get_linestyle()
    curves = Figure().subplots()
    for style in (given, {}):
        plot_roc(np.array([0, 1]), np.array([0, 1]), ax=curves, **style)
    assert [line.get_color() for line in lines_of(curves, "roc")] == [line.get_color() for line in lines]


def test_twenty_five_bands_have_different_styles(ax):
    draw_all(ax, *[{**OTHER, "shade": False}] * 25)
    lines = [found(ax, f"nproc-band-{i}-lower") for i in range(25)]
    assert len({(line.get_color(), str(line._unscaled_dash_pattern)) for line in lines}) == 25


def test_colours_survive_grey_scale_print():
    levels = np.sort([lightness(color) for color in COLORS])
    assert np.diff(levels).min() >= 12
    assert levels.max() <= 72  # still visible on white paper
    assert len(set(LINESTYLES)) == len(COLORS)


# Machado, Oliveira and Fernandes (2009): linear RGB as seen with one kind of cones missing
SIGHT = {
    "normal": np.eye(3),
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
}


def cie_lab(linear):
    """CIE L*a*b* of linear sRGB colours under D65."""
    xyz = linear @ np.array([[0.4124, 0.2126, 0.0193], [0.3576, 0.7152, 0.1192], [0.1805, 0.0722, 0.9505]])
    share = xyz / [0.9505, 1.0, 1.089]
    x, y, z = np.where(share > 216 / 24389, np.cbrt(share), (24389 / 27 * share + 16) / 116).T
    return np.column_stack([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("sight", SIGHT)
def test_colours_of_methods_differ_for_every_kind_of_sight(sight):
    linear = linear_rgb([to_rgb(color) for color in COLORS])
    seen = cie_lab(np.clip(linear @ np.transpose(SIGHT[sight]), 0, 1))
    # a difference of 2.3 units is just noticed when two areas touch
    assert pdist(seen).min() >= 18
    # the first three, which most pictures have, are far apart
    assert pdist(seen[:3]).min() >= 40
    assert np.linalg.norm(seen[0] - seen[1]) >= 60


def test_marked_alpha_shows_the_bounds_of_the_largest_knot_below(ax):
    plot_band(**BAND, ax=ax, marked_alpha=0.45)
    np.testing.assert_allclose(found(ax, "nproc-mark-0-segment").get_xydata(), [[0.45, 0.4], [0.45, 0.8]])
    line = found(ax, "nproc-mark-0-line")
    assert list(line.get_xdata()) == [0.45, 0.45]
    assert line.get_linestyle() == "--"
    # the legend shows the bar on its line
    (sample,) = bars_in_legend(ax)
    assert sample.get_markeredgewidth() == found(ax, "nproc-mark-0-segment").get_linewidth()
    assert legend_texts(ax) == [r"bounds at $\alpha$ = 0.45"]


def bars_in_legend(ax):
    """The bars that the legend draws, whose markers are paths."""
    return ax.get_legend().findobj(lambda artist: isinstance(getattr(artist, "get_marker", str)(), Path))


def test_a_marked_alpha_below_the_smallest_one_has_no_segment_and_the_legend_says_why(ax):
    smallest = 0.0298067
    band = {**BAND, "alpha": np.array([smallest, 0.3, 0.6])}
    plot_band(**band, ax=ax, marked_alpha=0.005)
    assert [line.get_gid() for line in lines_of(ax, "mark")] == ["nproc-mark-0-line"]
    # rounded up: typed in, it is a level that the band has
    assert legend_texts(ax) == [r"$\alpha$ = 0.005, below the smallest, 0.0299"]
    ax.set_xlim(0.01, 1)
    assert legend_texts(ax) == [r"$\alpha$ = 0.005, below the smallest, 0.0299"]
    plot_band(**band, ax=ax, marked_alpha=0.0299)
    found(ax, "nproc-mark-1-segment")


def test_the_legend_has_a_level_once_and_only_where_the_axis_reaches_it(ax):
    draw_all(ax, *({**BAND, "label": name, "marked_alpha": 0.3} for name in ("X1", "X2")))
    assert legend_texts(ax) == ["X1", "X2", r"bounds at $\alpha$ = 0.3"]
    ax.set_xlim(0, 0.2)
    assert legend_texts(ax) == ["X1", "X2"]
    ax.set_xlim(0, 0.5)
    assert legend_texts(ax) == ["X1", "X2", r"bounds at $\alpha$ = 0.3"]
    # chosen on one of the bands, it is not told a second time without these words
    tell_chosen(ax)
    assert legend_texts(ax) == ["X1", "X2", r"bounds at $\alpha$ = 0.3, chosen on a band"]


@pytest.mark.parametrize(("levels", "is_inside"), [([0.8], True), ([0.2, 0.8], False)])
def test_the_legend_covers_no_marked_level_and_stands_above_where_it_would_in_each_corner(ax, levels, is_inside):
    # a flat curve leaves all four corners free
    flat = {"alpha": np.array([0.02, 0.5]), "type2_lower": np.array([0.5, 0.5]), "type2_upper": np.array([0.55, 0.55])}
    for level in levels:
        plot_band(**flat, ax=ax, marked_alpha=level)
    box = ax.get_legend().get_window_extent()
    places = ax.transData.transform([(level, 0.5) for level in levels])[:, 0]
    assert ax.get_legend().get_frame_on() == is_inside
    is_beside = not any(box.x0 < place < box.x1 for place in places)
    assert is_beside if is_inside else box.y0 >= ax.get_window_extent().y1 - 1


@pytest.mark.slow(oldest=True)
@pytest.mark.parametrize(("width", "view"), [(3.35, {"log": True}), (6.7, {})])
def test_bars_of_several_bands_at_one_level_stand_side_by_side_in_every_range_of_levels(width, view):
    ax = error_axes(figsize=(width, 3), **view)
    draw_all(ax, *({**BAND, "label": f"X{k}", "marked_alpha": 0.3} for k in range(4)))
    mark_alpha(0.4, 0.2, 0.4, ax=ax)
    *bars, alone = [line for line in lines_of(ax, "mark") if line.get_gid().endswith("-segment")]
    assert alone.get_transform() == ax.transData
    drawn = []
    # at both ends of the axis too
    for xlim in [(0.01, 1), (0.1, 0.9), (0.3, 0.9), (0.1, 0.3)]:
        ax.set_xlim(xlim)
        ax.figure.draw_without_rendering()
        boxes = [bar.get_window_extent() for bar in bars]
        assert all(one.x1 < two.x0 for one, two in itertools.pairwise(boxes))
        assert boxes[0].x0 >= ax.bbox.x0 - 1
        assert boxes[-1].x1 <= ax.bbox.x1 + 1
        drawn.append(np.array([(box.x0 + box.x1) / 2 for box in boxes]) - ax.transData.transform((0.3, 0))[0])
    np.testing.assert_allclose(drawn[1], drawn[0])
    np.testing.assert_allclose(np.diff(drawn), np.diff(drawn[:1]).repeat(4, axis=0))
    assert drawn[0].sum() == pytest.approx(0, abs=1e-6)


def test_a_segment_is_dark_and_those_of_several_bands_have_the_colours_of_these_bands(ax):
    draw_all(ax, {**BAND, "marked_alpha": 0.3})
    assert found(ax, "nproc-mark-0-segment").get_color() == "black"
    draw_all(ax, {**OTHER, "marked_alpha": 0.3})
    assert [found(ax, f"nproc-mark-{k}-segment").get_color() for k in (0, 1)] == list(COLORS[:2])
    # so do those of the legend
    assert [bar.get_color() for bar in bars_in_legend(ax)] == list(COLORS[:2])


@pytest.mark.parametrize("width", [3.35, 6.7])
@pytest.mark.parametrize("n_bands", [1, 2, 3])
def test_a_bar_of_bounds_has_ends_and_hides_no_more_than_its_own_width(n_bands, width):
    ax = error_axes(figsize=(width, 3))
    draw_all(ax, *({**BAND, "label": f"X{k}", "marked_alpha": 0.3} for k in range(n_bands)))
    bars = [found(ax, f"nproc-mark-{k}-segment") for k in range(n_bands)]
    for bar in bars:
        assert bar.get_marker() == "_"
        assert bar.get_markersize() > 2 * bar.get_linewidth()
        assert bar.get_path_effects() == []
    assert len(bars_in_legend(ax)) == n_bands


@pytest.mark.slow(oldest=True)
def test_several_levels_can_be_marked(ax):
    mark_alpha(0.1, 0.2, 0.4, ax=ax)
    assert mark_alpha(0.2, 0.1, 0.3, ax=ax) is ax
    assert found(ax, "nproc-mark-1-segment").get_color() != COLORS[0]
    assert legend_texts(ax) == [r"bounds at $\alpha$ = 0.1", r"bounds at $\alpha$ = 0.2"]
    # each in its own dashes
    for alpha in np.linspace(0.3, 0.9, 7):
        mark_alpha(alpha, 0.1, 0.3, ax=ax)
    marked = [line for line in lines_of(ax, "mark") if line.get_gid().endswith("-line")]
    assert len({str(line._unscaled_dash_pattern) for line in marked}) == len(marked) == 9


def test_a_roc_curve_alone_has_the_axes_of_a_roc_curve(ax):
    assert plot_roc(np.array([0, 0.2, 1]), np.array([0, 0.7, 1]), ax=ax) is ax
    assert ax.get_xlabel() == "type I error"
    assert ax.get_ylabel() == "1 $-$ type II error"
    np.testing.assert_array_equal(found(ax, "nproc-roc-0").get_xydata(), [[0, 0], [0.2, 0.7], [1, 1]])
    assert legend_texts(ax) == ["ROC-CV"]


@pytest.mark.parametrize("beside_a_band", [False, True])
def test_several_roc_curves_can_be_told_apart(beside_a_band):
    ax = NPROCBand.from_scores(np.arange(99.0), np.arange(50.0, 149)).plot() if beside_a_band else None
    for _ in range(5):
        ax = plot_roc(np.array([0, 0.2, 1]), np.array([0, 0.7, 1]), ax=ax)
    looks = [(line.get_color(), str(line._dash_pattern)) for line in lines_of(ax, "roc")]
    assert len(set(looks)) == 5
    if beside_a_band:
        # greys, of which those of one curve and the next one differ, and so do their lines
        assert all(len(set(to_rgb(color))) == 1 for color, _ in looks)
        assert len({dashes for _, dashes in looks}) == 5
        assert min(abs(lightness(a) - lightness(b)) for (a, _), (b, _) in itertools.pairwise(looks)) > 20


@pytest.mark.parametrize("band_first", [True, False])
def test_beside_a_band_a_roc_curve_says_that_its_errors_are_estimated(ax, band_first):
    drawings = [
        lambda: plot_band(**BAND, ax=ax, label="rf"),
        lambda: plot_roc(np.array([0, 1]), np.array([0, 1]), ax=ax),
    ]
    for draw in drawings if band_first else drawings[::-1]:
        draw()
    # drawing more repeats nothing
    mark_alpha(0.3, 0.2, 0.6, ax=ax)
    assert {"rf", "ROC-CV, estimated errors"} <= set(legend_texts(ax))
    assert ax.get_xlabel() == r"type I error bound, $\alpha$"


def test_what_all_bands_share_is_told_once(ax):
    caption = r"each $\alpha$ by itself, $\delta$ = 0.05"
    draw_all(ax, {**BAND, "label": "X1", "caption": caption}, {**BAND, "label": "X2", "caption": caption})
    assert legend_texts(ax) == ["X1", "X2"]
    assert ax.get_legend().get_title().get_text() == caption
    # drawing more keeps it
    mark_alpha(0.3, 0.2, 0.6, ax=ax)
    assert ax.get_legend().get_title().get_text() == caption


def test_bands_that_differ_say_so_in_their_own_rows(ax):
    draw_all(
        ax,
        {**BAND, "label": "X1", "caption": r"$\delta$ = 0.05"},
        {**BAND, "label": "X2", "caption": r"$\delta$ = 0.1"},
    )
    assert legend_texts(ax) == [r"X1, $\delta$ = 0.05", r"X2, $\delta$ = 0.1"]
    assert ax.get_legend().get_title().get_text() == ""


def covers(ax):
    """The lines that the legend covers, and whether it lies within the figure."""
    ax.figure.draw_without_rendering()
    box = ax.get_legend().get_window_extent()
    assert box.x0 >= 0
    assert box.y1 <= ax.figure.bbox.y1
    hidden = []
    for line in ax.lines:
        x, y = line.get_data()
        path = line.get_transform().transform_path(
            type(line.get_path())(np.column_stack([np.repeat(x, 2)[1:], np.repeat(y, 2)[:-1]]))
        )
        hidden += [line.get_gid()] if path.intersects_bbox(box, filled=False) else []
    return hidden


FLAT_BELOW = {"alpha": np.array([0.02]), "type2_lower": np.array([0.97]), "type2_upper": np.array([0.99])}


@pytest.mark.slow(oldest=True)
@pytest.mark.parametrize("bands", [[BAND], [FLAT_BELOW], [BAND, FLAT_BELOW, OTHER]])
@pytest.mark.parametrize("scale", ["roc", "errors"])
def test_the_legend_covers_no_curve(bands, scale):
    ax = error_axes(scale=scale)
    draw_all(ax, *({**band, "label": f"method {i}", "caption": "shared"} for i, band in enumerate(bands)))
    assert covers(ax) == []
    # nor after a change of the limits
    ax.set_xlim(0, 0.25)
    assert covers(ax) == []
    # nor of the size, after it was drawn
    for size in [(3.35, 3.0), (6.7, 5.0)]:
        ax.figure.set_size_inches(size)
        ax.figure.draw_without_rendering()
        assert covers(ax) == []


def test_a_picture_keeps_the_settings_of_its_call_when_its_limits_or_its_size_change():
    with mpl.rc_context({"font.size": 7}):
        ax = plot_band(**BAND, label="lda")
    small = ax.get_legend().get_texts()[0].get_fontsize()
    ax.set_xlim(0, 0.5)
    assert ax.get_legend().get_texts()[0].get_fontsize() == small
    ax.figure.set_size_inches(3, 3)
    ax.figure.draw_without_rendering()
    assert ax.get_legend().get_texts()[0].get_fontsize() == small


@pytest.mark.slow(oldest=True)
def test_what_a_user_has_named_stays_in_another_size():
    ax = plot_comparison(NAMED, REGIONS, note="bars: paired tests")
    ax.set_ylabel("mine")
    ax.set_xlabel("mine too")
    ax.get_legend().remove()
    ax.legend(["and this"])
    ax.figure.set_size_inches(3, 3)
    ax.figure.draw_without_rendering()
    assert (ax.get_ylabel(), ax.get_xlabel()) == ("mine", "mine too")
    # which stands below the numbers, and those below the bars
    numbers = found(ax, "nproc-dominance").get_xticklabels()
    assert ax.xaxis.label.get_window_extent().y1 < min(number.get_window_extent().y0 for number in numbers)
    assert legend_texts(ax) == ["and this"]


def test_a_title_stays_clear_of_a_legend_above():
    ax = error_axes(figsize=(3, 2))
    draw_all(ax, *({**band, "label": f"a long name {i}"} for i, band in enumerate([BAND, FLAT_BELOW, BAND])))
    ax.set_title("My data")
    ax.figure.draw_without_rendering()
    legend = ax.get_legend().get_window_extent()
    assert legend.y0 >= ax.get_window_extent().y1
    assert ax.title.get_window_extent().y0 >= legend.y1 - 1


def test_a_legend_above_stands_in_the_margin_of_a_figure_without_a_layout_where_nothing_else_does():
    figure = FigureCanvasAgg(Figure(figsize=(3.35, 3.2))).figure
    ax = figure.subplots()
    draw_all(ax, *({**band, "label": f"a long name {i}"} for i, band in enumerate([BAND, FLAT_BELOW, BAND])))
    figure.draw_without_rendering()
    free = figure.bbox.height - ax.get_legend().get_window_extent().y1
    assert 0 <= free < 0.04 * figure.bbox.height
    height = ax.get_window_extent().height
    for write in (lambda: figure.suptitle("My data"), lambda: ax.set_title("My data")):
        text = write()
        figure.draw_without_rendering()
        assert ax.get_window_extent().height < height
        assert text.get_window_extent().y0 >= ax.get_legend().get_window_extent().y1 - 1
        assert text.get_window_extent().y1 <= figure.bbox.height
        text.set_text("")


def test_a_legend_of_the_user_stays(ax):
    plot_band(**BAND, ax=ax, label="lda")
    ax.legend(["mine"])
    ax.set_xlim(0, 0.5)
    plot_band(**OTHER, ax=ax, label="tree")
    assert legend_texts(ax) == ["mine"]


def test_names_stand_beside_lines_whose_ends_are_apart():
    ax = error_axes(xlim=(0, 0.2))
    draw_all(
        ax,
        {**BAND, "type2": np.array([0.7, 0.4, 0.05]), "label": "X1"},
        {**OTHER, "type2": np.array([0.4, 0.06]), "label": "X2"},
    )
    names = {text.get_text(): text for text in ax.texts}
    assert set(names) == {"X1", "X2"}
    assert names["X1"].xy == (1, pytest.approx((0.3 + 0.01) / 1.02))
    assert ax.get_legend() is None
    ax.figure.draw_without_rendering()
    assert all(text.get_window_extent().x1 <= ax.figure.bbox.x1 for text in names.values())
    # where they meet, they are named in the legend
    ax.set_xlim(0, 1)
    assert not ax.texts


@pytest.mark.parametrize(("n_axes", "width", "beside"), [(1, 6.7, True), (1, 3.35, False), (2, 6.7, False)])
def test_names_beside_lines_leave_axes_their_room_and_legends_their_place(n_axes, width, beside):
    names = ["logistic regression", "random forest of fifty trees"]
    with mpl.rc_context({"font.size": 7}):
        figure = Figure(figsize=(width, 3), layout="constrained")
        for ax in figure.subplots(1, n_axes, squeeze=False)[0]:
            error_axes(ax, xlim=(0, 0.2))
            for name, height in zip(names, (0.06, 0.4), strict=True):
                drawn = {**OTHER, "type2": np.array([0.7, height]), "alpha": np.array([0.02, 0.1])}
                plot_band(**drawn, label=name, caption=r"at one $\alpha$ fixed beforehand, $\delta$ = 0.05", ax=ax)
        assert collisions(figure) == []
    for ax in figure.axes:
        assert {text.get_text() for text in ax.texts} == (set(names) if beside else set())
        assert (legend_texts(ax) == names) is not beside
        assert ax.get_window_extent().width > 0.6 * figure.bbox.width / n_axes
        box = ax.get_legend().get_window_extent().transformed(ax.transAxes.inverted())
        assert box.y0 > 1 or not any(
            ax.transAxes.inverted()
            .transform_path(line.get_transform().transform_path(_drawn_path(line)))
            .intersects_bbox(box, filled=False)
            for line in lines_of(ax, "band")
        )


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("StandardScaler+PCA+LogisticRegression", "LogisticRegression"),
        ("StandardScaler+LogisticRegression (2)", "LogisticRegression (2)"),
        ("StandardScaler+RandomForest", "StandardScaler+RandomForest"),
        ("PCA+ExplainableBoosterOfTreesClassifier", "ExplainableBoosterOfTrees"),
        ("lda", "lda"),
        ("sensor a + sensor b", "sensor a + sensor b"),
        ("the gradient boosting of the first laboratory", "the gradient ... laboratory"),
    ],
)
def test_long_names_are_cut_in_the_middle_and_pipelines_named_by_their_last_step(name, short):
    assert short_name(name) == short


@pytest.mark.parametrize(
    ("name", "longest", "short"),
    [
        ("malignant tumours", 15, "malignant ..."),
        ("mean.radius.of.the.cell.nuclei", 24, "mean.radius ... nuclei"),
        ("mean_radius_of_the_cell_nuclei", 12, "mean ..."),
        ("QuadraticDiscriminantAnalysis", 20, "Quadratic ..."),
        # a word that is itself too long
        ("internationalisation", 15, "inter ... ation"),
        # both ends of a word in little room tell nothing
        ("malignant", 8, "mali ..."),
        ("Hochrisikopatienten", 11, "Hochris ..."),
    ],
)
def test_names_without_a_shared_start_are_cut_between_words(name, longest, short):
    assert short_name(name, longest) == short
    assert short_names([name, "lda"], longest)[0] in (short, f"{name[: longest - 4]} ...")


def test_names_that_would_look_the_same_are_kept():
    names = ["StandardScaler+SVC", "MinMaxScaler+SVC", "PCA+LogisticRegression"]
    # with room they are those of the summary
    assert short_names(names) == names
    assert short_names(names, 20) == [*names[:2], "LogisticRegression"]


def test_short_names_keep_what_tells_them_apart():
    boosters = ["HistGradientBoostingClassifier", "GradientBoostingClassifier", "RandomForestClassifier"]
    assert short_names(boosters, 24) == ["HistGradientBoosting", "GradientBoosting", "RandomForest"]
    # without the word they would be one name
    assert short_names(["LongNameOfAForest", "LongNameOfAForestClassifier"], 24)[0] == "LongNameOfAForest"
    forests = [f"random forest with {n} trees, all columns of the table" for n in (50, 500)]
    assert short_names(forests, 24) == ["... 50 trees, all ...", "... 500 trees, all ..."]
    # words of the start say nothing, brackets less than what stands before them, and no bracket is left open
    steps = ["pca3__logreg_l2", "poly2__logreg_l2", "histgb__calibrated"]
    assert short_names([f"impute__scale__{step}" for step in steps], 22) == [f"... {step}" for step in steps]
    models = ["PCA(6) + Logistic", "KNeighbors(n=51, weights=distance)", "HistGradientBoosting(l2=0.1) + isotonic"]
    scaled = [f"StandardScaler + {model}" for model in models]
    assert short_names(scaled, 20) == ["... PCA + Logistic", "... KNeighbors", "... HistGradient ..."]
    ends = ["logistic (C=0.1)", "random forest"]
    hot = [*(f"one-hot + standard scaler + {end}" for end in ends), "one-hot + SelectKBest(10) + logistic regression"]
    assert short_names(hot, 24) == ["... logistic", "... random forest", "... SelectKBest ..."]


def test_pipelines_with_one_last_step_are_told_by_the_steps_in_which_they_differ():
    names = ["StandardScaler+PCA+LogisticRegression", "PolynomialFeatures+StandardScaler+LogisticRegression", "lda"]
    assert short_names(names, 38) == ["PCA+LogisticRegression", "PolynomialFeatures+LogisticRegression", "lda"]
    # in a narrow place the beginnings, in which they differ
    assert short_names(names, 16) == ["PCA+Logistic ...", "Polynomial ...", "lda"]
    # the same steps in another order share nothing that could be left out
    assert short_names(["PCA+Scaler+SVC", "Scaler+PCA+SVC"]) == ["PCA+Scaler+SVC", "Scaler+PCA+SVC"]
    assert last_steps(names) == ["PCA+LogisticRegression", "PolynomialFeatures+LogisticRegression", "lda"]
    # numbers tell equal names apart, and not from a third pipeline with this last step
    numbered = ["PCA+SVC (1)", "PCA+SVC (2)"]
    assert last_steps([*numbered, "lda"]) == ["SVC (1)", "SVC (2)", "lda"]
    assert last_steps([*numbered, "Scaler+SVC"]) == [*numbered, "Scaler+SVC"]
    # where beginnings and ends agree, each step is shortened
    many = [f"{first}+{second}+SVC" for first in ("Standardised", "Transformed") for second in ("Splines", "Powers")]
    assert short_names(many, 14) == ["Sta.+Spl.+SVC", "Sta.+Pow.+SVC", "Tra.+Spl.+SVC", "Tra.+Pow.+SVC"]
    # to whole words where one has room
    firsts, seconds = ("AdditiveChi2Sampler", "SkewedChiSquaredSampler"), ("SplineTransformer", "PowerTransformer")
    assert short_names([f"{first}+{second}+LinearSVC" for first in firsts for second in seconds], 26) == [
        f"{first}.+{second}.+Linear." for first in ("Additiv", "Skewed") for second in ("Spline", "Power")
    ]


def dominance_axes(ax, regions=REGIONS, names=("X1", "X2")):
    draw_all(ax, *({**BAND, "label": name} for name in names))
    assert plot_dominance(regions, names, ax=ax) is ax
    return found(ax, "nproc-dominance")


def bar_edges(strip, row):
    boxes = [path.get_extents() for path in found(strip, f"nproc-dominance-{row}-bars").get_paths()]
    return [(box.x0, box.x1, box.y0, box.y1) for box in boxes]


def test_bars_have_the_ends_and_the_colour_of_the_better_band(ax):
    strip = dominance_axes(ax)
    np.testing.assert_allclose([edge[:2] for edge in bar_edges(strip, 0)], [(0.6, 0.9), (0.95, 1.0)])
    np.testing.assert_allclose([edge[:2] for edge in bar_edges(strip, 1)], [(0.05, 0.1)])
    assert [text.get_text() for text in strip.texts] == ["X1 better than X2", "X2 better than X1"]
    for row in range(2):
        assert to_hex(found(strip, f"nproc-dominance-{row}-bars").get_facecolor()[0]).upper() == COLORS[row]


def test_bars_take_the_colour_that_the_band_was_drawn_in(ax):
    draw_all(ax, {**BAND, "color": "#123456"}, OTHER)
    plot_dominance([("X1", "X2", 0.6, 0.9)], ["X1", "X2"], ax=ax)
    assert to_hex(found(ax, "nproc-dominance-0-bars").get_facecolor()[0]) == "#123456"


@pytest.mark.slow(oldest=True)
def test_behaviour_25_bars_and_texts_are_not_cut_off(ax):
    names = ["penlog", "randomforest", "svm"]
    pairs = [(a, b, 0.0, 1.0) for a in names for b in names if a != b]
    strip = dominance_axes(ax, pairs, names)
    figure = ax.figure
    figure.draw_without_rendering()
    bottom, top = sorted(strip.get_ylim())
    for row in range(3):
        for x0, x1, y0, y1 in bar_edges(strip, row):
            assert strip.get_xlim()[0] < x0 < x1 < strip.get_xlim()[1]
            assert bottom < y0 < y1 < top
    inside = figure.bbox
    for axes in (ax, strip):
        box = axes.get_tightbbox()
        assert inside.x0 <= box.x0
        assert box.x1 <= inside.x1
        assert inside.y0 <= box.y0
        assert box.y1 <= inside.y1


@pytest.mark.parametrize("size", [(4, 2.5), (5, 5), (9, 9)])
def test_the_strip_lies_right_below_the_curves_and_its_rows_do_not_overlap(size):
    ax = Figure(figsize=size).subplots()
    room = ax.get_position(original=True).bounds
    strip = dominance_axes(ax)
    ax.figure.draw_without_rendering()
    above, below = ax.get_position(), strip.get_position()
    np.testing.assert_allclose([below.x0, below.x1, below.y1], [above.x0, above.x1, above.y0])
    np.testing.assert_allclose([below.y0, above.y1], [room[1], room[1] + room[3]])
    for row, text in enumerate(strip.texts):
        box = text.get_window_extent()
        bars = found(strip, f"nproc-dominance-{row}-bars").get_window_extent()
        assert bars.y1 <= box.y0 + 1  # a pixel
        assert box.y1 <= strip.get_window_extent().y1


@pytest.mark.slow
@pytest.mark.parametrize("layout", ["tight", "constrained", "compressed"])
def test_strips_fit_in_every_layout(layout):
    figure = Figure(figsize=(9, 8), layout=layout)
    for ax in figure.subplots(2, 2).flat:
        dominance_axes(ax)
    figure.draw_without_rendering()
    boxes = [ax.get_tightbbox() for ax in figure.axes if ax.child_axes]
    assert len(boxes) == 4
    for i, box in enumerate(boxes):
        assert figure.bbox.x0 <= box.x0 < box.x1 <= figure.bbox.x1
        assert figure.bbox.y0 <= box.y0 < box.y1 <= figure.bbox.y1
        assert not any(box.overlaps(other) for other in boxes[i + 1 :])


def test_a_figure_with_dominance_bars_can_be_pickled(ax):
    dominance_axes(ax)
    again = pickle.loads(pickle.dumps(ax.figure))
    again.draw_without_rendering()
    assert again.axes[0].child_axes[0].texts[0].get_text() == "X1 better than X2"


def test_the_x_axis_is_named_once_whatever_is_drawn_later(ax):
    strip = dominance_axes(ax)
    mark_alpha(0.3, 0.2, 0.6, ax=ax)
    assert (ax.get_xlabel(), strip.get_xlabel()) == (r"type I error bound, $\alpha$", "")


@pytest.mark.slow(oldest=True)
def test_drawing_dominance_again_replaces_the_strip(ax):
    dominance_axes(ax)
    plot_dominance([], ["X1", "X2"], ax=ax)
    strip = found(ax, "nproc-dominance")
    assert (ax.get_xlabel(), strip.get_xlabel()) == (r"type I error bound, $\alpha$", "")
    assert [text.get_text() for text in strip.texts] == [r"neither shown better, whichever $\alpha$ is fixed"]


def test_dominance_of_several_bands_has_a_row_a_winner_and_one_for_the_other_pairs(ax):
    strip = dominance_axes(ax, [("c", "a", 0.2, 0.3)], ["a", "b", "c"])
    assert [text.get_text() for text in strip.texts] == ["c better than a", "neither shown better: a or b; b or c"]
    assert to_hex(found(strip, "nproc-dominance-0-bars").get_facecolor()[0]).upper() == COLORS[2]


def bar_texts(strip):
    return [text.get_text() for text in strip.texts if (text.get_gid() or "").endswith("-beaten")]


def row_texts(strip):
    return [text.get_text() for text in strip.texts if not (text.get_gid() or "").endswith("-beaten")]


def test_the_bars_of_a_winner_stand_in_one_row_cut_where_it_beats_others_and_say_whom(ax):
    regions = [("e", "a", 0.2, 0.5), ("e", "b", 0.4, 0.7), ("e", "a", 0.7, 0.9), ("e", "b", 0.9, 0.905)]
    regions += [("e", "c", 0.1, 0.105), ("e", "a", 0.905, 0.91)]
    strip = dominance_axes(ax, [*regions, *(("e", k, 0.4, 0.5) for k in "cd")], list("abcde"))
    narrow = ["unnamed bars: e beats a 0.905-0.910; e beats b 0.900-0.905;", "e beats c 0.100-0.105"]
    rest = ["neither shown better: 6 of 10 pairs", *narrow]
    assert row_texts(strip) == ["e better than a, b, c, d", *rest, "light bars: not better than all others"]
    edges = [edge[:2] for edge in bar_edges(strip, 0)]
    wide = [(0.2, 0.4), (0.4, 0.5), (0.5, 0.7), (0.7, 0.9)]
    np.testing.assert_allclose(edges, [(0.1, 0.105), *wide, (0.9, 0.905), (0.905, 0.91)])
    # bars that touch have a gap between them
    gaps = [segment[0][0] for segment in found(strip, "nproc-dominance-0-gaps").get_segments()]
    np.testing.assert_allclose(gaps, [0.4, 0.5, 0.7, 0.9, 0.905])
    assert bar_texts(strip) == ["", "a", "all", "b", "a", "", ""]
    # in the colour of the method where it beats all others, and light elsewhere
    faces = found(strip, "nproc-dominance-0-bars").get_facecolor()
    assert [to_hex(face).upper() == COLORS[4] for face in faces] == [False, False, True, *[False] * 4]
    assert min(lightness(face[:3]) for face in faces[[1, 3, 4]]) > lightness(faces[2][:3]) + 30


@pytest.mark.slow(oldest=True)
def test_a_full_bar_ends_a_gap_before_an_open_one_that_it_touches(ax):
    draw_all(ax, *({**BAND, "label": name} for name in ("X1", "X2")))
    some = [("X1", "X2", low, low + 0.2) for low in (0.2, 0.6)]
    plot_dominance([("X1", "X2", 0.4, 0.6)], ["X1", "X2"], ax=ax, somewhere=some)
    gaps = found(found(ax, "nproc-dominance"), "nproc-dominance-0-gaps")
    np.testing.assert_allclose([segment[0][0] for segment in gaps.get_segments()], [0.4, 0.6])
    # to the right of the first end, and to the left of the second
    assert [np.sign(shift) for shift, _ in gaps.get_offsets()] == [1, -1]


@pytest.mark.parametrize("end", [0.105, 0.118, 0.121, 0.124, 0.14])
def test_words_stand_in_a_bar_and_never_beside_it_and_a_line_of_text_tells_of_a_bar_without_room(ax, end):
    # a wide letter: the strip has the line where the bar has no words, and not where it has some
    strip = dominance_axes(ax, [("c", "M", 0.1, end), ("c", "b", 0.5, 0.8)], ["M", "b", "c", "d"])
    ax.figure.draw_without_rendering()
    strip = found(ax, "nproc-dominance")
    first, second = [text for text in strip.texts if text.get_gid().endswith("-beaten")]
    assert second.get_text() == "b"
    assert first.get_text() == "M" or end < 0.14
    left, right = strip.transData.transform([(0.1, 0.0), (end, 0.0)])[:, 0]
    box = first.get_window_extent()
    assert not first.get_text() or left < box.x0 < box.x1 < right
    unlabelled = [text for text in row_texts(strip) if text.startswith("unnamed bars: c beats M 0.10")]
    assert len(unlabelled) == (not first.get_text())
    assert "" not in row_texts(strip)


@pytest.mark.slow(oldest=True)
def test_edges_of_narrow_light_bars_do_not_add_up_to_a_dark_one(ax):
    regions = [("c", "a", 0.0, 0.2), *(("c", "b", 0.002 * k, 0.002 * k + 0.001) for k in range(1, 4))]
    strip = dominance_axes(ax, [*regions, *(("c", k, 0.3, 0.5) for k in "abd")], list("abcd"))
    bars = found(strip, "nproc-dominance-0-bars")

    def has_light_edge():
        return [np.allclose(*pair) for pair in zip(bars.get_edgecolor(), bars.get_facecolor(), strict=True)]

    ax.figure.draw_without_rendering()
    assert has_light_edge() == [True] * 6 + [False, True]
    # a closer look has room for lines between them
    ax.set_xlim(0, 0.01)
    ax.figure.draw_without_rendering()
    assert has_light_edge() == [False] * 7 + [True]


@pytest.mark.slow(oldest=True)
@pytest.mark.parametrize(
    ("width", "regions", "key"),
    [
        (
            6.7,
            [("c", "a", 0.1, 0.8), ("c", "b", 0.4, 0.9), ("b", "a", 0.1, 0.2)],
            "; light: not better than all others",
        ),
        (6.7, [("c", "a", 0.1, 0.8), ("b", "a", 0.1, 0.2)], ""),
        # a key that takes one more line is left out, and all bars have one tint
        (3.35, [("c", "a", 0.1, 0.8), ("c", "b", 0.4, 0.9), ("b", "a", 0.1, 0.2)], ""),
    ],
)
@pytest.mark.parametrize("layout", ["overlay", "panels"])
def test_bars_have_two_tints_only_where_the_note_says_what_the_light_ones_mean(width, regions, key, layout):
    note = "bars: paired tests, fitted scores, for all levels at once"
    with mpl.rc_context({"font.size": 7}):
        ax = plot_comparison(many_bands("abc"), regions, note=note, layout=layout, figsize=(width, 3.5))
        ax.figure.draw_without_rendering()
    assert found(ax, "nproc-dominance-note").get_text() == note + key
    told = ax.findobj(lambda artist: re.fullmatch(r"nproc-dominance-\d-bars", artist.get_gid() or "") is not None)
    tints = [[to_hex(face).upper() in COLORS for face in bars.get_facecolor()] for bars in told]
    assert tints == ([[False], [False, True, False]] if key else [[True], [True] * (3 if len(regions) == 3 else 1)])
    # bars that touch have edges between them
    for bars in told:
        if len(bars.get_facecolor()) > 1:
            edges = [lightness(edge[:3]) for edge in bars.get_edgecolor()[[0, -1]]]
            faces = [lightness(face[:3]) for face in bars.get_facecolor()[[0, -1]]]
            assert np.abs(np.subtract(edges, faces)).min() > 10


def test_narrow_open_bars_stay_open(ax):
    plot_band(**BAND, ax=ax)
    plot_dominance([], ["a", "b"], ax=ax, somewhere=[("a", "b", 0.1, 0.102), ("a", "b", 0.3, 0.5)])
    ax.figure.draw_without_rendering()
    strip = ax.child_axes[0]
    narrow, wide = found(strip, "nproc-dominance-0-open-bars").get_linewidths()
    inches = strip.get_window_extent().width / ax.figure.dpi
    assert narrow <= 72 * 0.002 * inches / np.ptp(ax.get_xlim()) / 3 < wide


@pytest.mark.slow(oldest=True)
def test_words_in_a_bar_follow_the_part_of_it_that_is_shown(ax):
    regions = [("c", "a", 0.0, 1.0), ("c", "b", 0.1, 0.11), ("b", "a", 0.5, 0.8)]
    strip = dominance_axes(ax, regions, list("abc"))
    assert bar_texts(strip) == ["a", "", "a"]
    for limits, shown in [((0.09, 0.12), ["a", "a b", "a"]), ((0.2, 0.3), ["", "", "a"]), ((0.0, 1.0), ["a", "", "a"])]:
        ax.set_xlim(limits)
        ax.figure.draw_without_rendering()
        # a row without bars in sight is lower
        strip = found(ax, "nproc-dominance")
        assert bar_texts(strip) == shown
        for text in strip.texts:
            if text.get_gid().endswith("-beaten") and text.get_text():
                assert strip.get_window_extent().x0 < text.get_window_extent().x0
                assert text.get_window_extent().x1 < strip.get_window_extent().x1


@pytest.mark.slow(oldest=True)
def test_letters_stand_for_names_where_names_leave_bars_of_a_panel_without_words():
    names = ["lda", "tree", "qda"]
    regions = [("lda", "tree", 0.0, 0.24), ("lda", "qda", 0.12, 0.24), ("lda", "qda", 0.5, 0.62)]
    with mpl.rc_context({"font.size": 7}):
        for width, called in [(3.35, ["B", "", "C"]), (9.0, ["tree", "both", "qda"])]:
            ax = plot_comparison(many_bands(names), regions, layout="panels", figsize=(width, 5))
            ax.figure.draw_without_rendering()
            strips = [axes for panel in panels(ax) for axes in panel.child_axes if axes.texts]
            told = [text.get_text() for text in strips[0].texts if text.get_gid() == "nproc-dominance-0-beaten"]
            assert told == called
            assert panels(ax)[0].get_title("left") == ("A: lda" if "C" in called else "lda")


@pytest.mark.slow(oldest=True)
@pytest.mark.parametrize("layout", ["panels", "overlay"])
def test_bars_have_no_words_where_those_above_them_say_the_same(layout):
    names, same = ["lda", "tree", "qda"], [("lda", "tree", 0.0, 0.2), ("lda", "qda", 0.0, 0.2)]
    both = "both" if layout == "panels" else "tree, qda"
    for regions, inside in ((same, []), ([*same, ("lda", "qda", 0.5, 0.9)], [both, "qda"])):
        ax = plot_comparison(many_bands(names), regions, layout=layout, figsize=(9, 6))
        ax.figure.draw_without_rendering()
        texts = [text for text in ax.figure.findobj(mpl.text.Text) if text.get_text()]
        shown = [text.get_text() for text in texts]
        assert any(text.endswith("better than tree, qda") for text in shown)
        beaten = {id(text): text.get_text() for text in texts if (text.get_gid() or "").endswith("-beaten")}
        assert [*beaten.values()] == inside
        assert not any("unnamed bar" in text for text in shown)


@pytest.mark.slow(oldest=True)
def test_a_bar_as_wide_as_a_letter_has_its_letter(ax):
    # beside these bars there is no room for it
    regions = [("c", "a", 0.0, 1.0), ("c", "b", 0.0, 0.4), ("c", "b", 0.427, 1.0)]
    with mpl.rc_context({"font.size": 7}):
        ax.figure.set_size_inches(3.35, 3)
        strip = dominance_axes(ax, regions, list("abcd"))
        ax.figure.draw_without_rendering()
    text = strip.findobj(lambda artist: artist.get_gid() == "nproc-dominance-0-beaten")[1]
    assert text.get_text() == "a"
    bar = strip.transData.transform([(0.4, 0.0), (0.427, 0.0)])[:, 0]
    box = text.get_window_extent()
    assert bar[0] < box.x0 < box.x1 < bar[1]


@pytest.mark.slow(oldest=True)
def test_a_pair_whose_bars_lie_beyond_the_axis_is_told_where_its_winner_has_other_bars():
    regions = [("c", "a", 0.1, 0.4), ("c", "b", 0.6, 0.9), ("b", "a", 0.7, 0.9)]
    view = {"layout": "overlay", "figsize": (6.7, 6)}
    whole, left = (plot_comparison(many_bands("abc"), regions, xlim=xlim, **view) for xlim in ((0, 1), (0, 0.5)))
    assert not any("not shown" in text for text in row_texts(found(whole, "nproc-dominance")))
    rows = ["b better than a, found at levels not shown", "c better than a, b", "c beats b, found at levels not shown"]
    assert row_texts(found(left, "nproc-dominance")) == rows


def test_open_bars_of_a_winner_join_where_they_overlap_and_cover_no_full_ones(ax):
    draw_all(ax, *({**BAND, "label": name} for name in "abc"))
    somewhere = [("c", "a", 0.1, 0.4), ("c", "b", 0.3, 0.6), ("c", "a", 0.7, 0.9)]
    plot_dominance([("c", "b", 0.8, 0.95)], "abc", ax=ax, somewhere=somewhere)
    strip = found(ax, "nproc-dominance")
    boxes = [path.get_extents() for path in found(strip, "nproc-dominance-0-open-bars").get_paths()]
    # better at some level of a range, and so of a longer one
    np.testing.assert_allclose([(box.x0, box.x1) for box in boxes], [(0.1, 0.6), (0.7, 0.9)])
    assert bar_texts(strip) == ["b", "a b", "a"]
    ((*_, full_low, full_high),) = bar_edges(strip, 0)
    assert all(box.y0 >= full_high or box.y1 <= full_low for box in boxes)


@pytest.mark.slow(oldest=True)
def test_beside_many_bars_stand_letters_which_the_legend_explains(ax):
    regions = [(better, worse, 0.2, 0.3) for better in ("svm", "ada") for worse in ("lda", "nb", "tree")]
    names = ["lda", "nb", "tree", "svm", "ada"]
    strip = dominance_axes(ax, [*regions, ("ada", "svm", 0.4, 0.5), ("nb", "lda", 0.1, 0.3)], names)
    assert row_texts(strip) == ["B beats A", "D beats", "E beats", "neither shown better: A or C; B or C"]
    assert bar_texts(strip) == ["A B C", "A B C", "D"]
    assert legend_texts(ax) == [f"{letter}: {name}" for letter, name in zip("ABCDE", names, strict=True)]
    edges = [bar_edges(strip, row)[0] for row in range(3)]
    np.testing.assert_allclose([edge[:2] for edge in edges], [(0.1, 0.3), (0.2, 0.3), (0.2, 0.3)])
    # rows are counted downwards
    assert all(above[3] < below[2] for above, below in itertools.pairwise(edges))


@pytest.mark.slow
def test_rows_without_room_are_left_out_and_told_and_no_letters_get_smaller():
    names = [f"m{k:02}" for k in range(12)]
    regions = [(a, b, 0.1, 0.2 + 0.05 * k) for k, a in enumerate(names) for b in names[:k]]
    view = {"layout": "overlay", "note": "bars"}
    with mpl.rc_context({"font.size": 7}):
        with pytest.warns(NPWarning, match="has too little room for the bars of") as told:
            ax = plot_comparison(many_bands(names), regions, figsize=(3.35, 3), **view)
        assert collisions(ax.figure) == []
        # in the size that is told none is left out
        size = tuple(map(float, re.search(r"figsize=\((.*?), (.*?)\)", str(told[0].message)).groups()))
        high = plot_comparison(many_bands(names), regions, figsize=size, **view)
        assert sum("beats" in text for text in row_texts(found(high, "nproc-dominance"))) == 11
        # once for a figure
        fewer = names[:6]
        of_fewer = [region for region in regions if region[0] in fewer]
        pair = Figure(figsize=(3.35, 5), layout="constrained").subplots(2, 1)
        with pytest.warns(NPWarning, match="Make the whole figure .* inches high") as once:
            [plot_comparison(many_bands(fewer), of_fewer, ax=axes, **view) for axes in pair]
        assert len(once) == 1
        # again where the Axes are cleared, or others lack the bars of other methods
        others = [f"n{name[1:]}" for name in fewer]
        of_others = [(a.replace("m", "n"), b.replace("m", "n"), *ends) for a, b, *ends in of_fewer]
        for shown, bars, cleared in ((fewer, of_fewer, [0, 1]), (others, of_others, [1])):
            [pair[place].clear() for place in cleared]
            with pytest.warns(NPWarning, match="Make the whole figure .* inches high") as again:
                [plot_comparison(many_bands(shown), bars, ax=pair[place], **view) for place in cleared]
            assert len(again) == 1
    strip = found(ax, "nproc-dominance")
    kept = [text for text in row_texts(strip) if "beats" in text]
    # those with the longest bars stay
    assert kept == [f"{name} beats" for name in names[-len(kept) :]]
    assert any(text.endswith(f"bars of {11 - len(kept)} winners not shown") for text in row_texts(strip))
    assert f"for the bars of {11 - len(kept)} of 12 methods, which are left out" in str(told[0].message)
    assert ax.get_window_extent().height > 0.9 * strip.get_window_extent().height


@pytest.mark.slow
def test_rows_that_have_room_once_the_numbers_stand_below_the_strip_are_not_left_out():
    a, b, c = names = ["logistic regression", "gradient boosting", "random forest"]
    regions = [(a, b, 0.1, 0.4), (a, c, 0.2, 0.4), (b, a, 0.5, 0.505), (b, c, 0.6, 0.8), (c, b, 0.02, 0.025)]
    note = r"bars: paired tests, fitted rules, for all $\alpha$ at once"
    shown = []
    for height in (2.6, 2.7, 2.8, 3.0, 3.4):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            ax = plot_comparison(many_bands(names), regions, layout="overlay", note=note, figsize=(3.35, height))
        told = [str(one.message) for one in told if issubclass(one.category, NPWarning)]
        shown.append(row_texts(found(ax, "nproc-dominance"))[:3] == ["A beats", "B beats", "C beats B"])
        # a warning never tells the size that the figure has
        assert shown[-1] is not bool(told)
        assert all(float(re.search(r"figsize=\(.*?, (.*?)\)", text).group(1)) > height for text in told)
        assert collisions(ax.figure) == []
    assert shown[-1]
    # matplotlib 3.9 puts the letters of these words wider apart
    assert shown[-2] or mpl.__version__.startswith("3.9.")


@pytest.mark.slow
def test_winners_at_the_marked_level_keep_their_rows_where_others_have_no_room():
    names = ["lda", "nb", "tree", "svm", "ada"]
    long = [(a, b, 0.2, 0.9) for k, a in enumerate(names) for b in names[:k]]
    short, some = [("lda", "ada", 0.045, 0.055)], [("nb", "svm", 0.04, 0.06)]
    view = {"marked_alpha": 0.05, "layout": "overlay", "note": "bars: fitted rules", "figsize": (3.35, 3)}
    # a line about open bars takes the room of a row, and a full bar is kept before an open one
    for full, somewhere, kept in [
        (short, [], ["A beats E", "E beats"]),
        ([], some, ["B beats"]),
        (short, some, ["A beats E"]),
    ]:
        with pytest.warns(NPWarning, match="which are left out"):
            ax = plot_comparison(many_bands(names), [*full, *long], somewhere=somewhere, **view)
        assert [text for text in row_texts(found(ax, "nproc-dominance")) if "beats" in text] == kept


@pytest.mark.slow
@pytest.mark.parametrize(("width", "last", "without_words"), [(4.3, 0.16, 0), (5.5, 0.15, 0), (5.5, 0.137, 1)])
def test_bars_are_called_blank_only_where_one_on_show_has_no_words(width, last, without_words):
    ax = Figure(figsize=(width, 5.6), layout="tight").subplots()
    regions = [("forest", "logistic", 0.02, 0.25), ("forest", "lda", 0.02, 0.06), ("forest", "lda", 0.12, last)]
    view = {"layout": "overlay", "xlim": (0, 0.3), "marked_alpha": 0.1, "note": "bars"}
    plot_comparison(many_bands(["logistic", "lda", "forest"]), regions, ax=ax, **view)
    ax.figure.draw_without_rendering()
    strip = found(ax, "nproc-dominance")
    assert bar_texts(strip).count("") == without_words
    assert any("unnamed bar" in text for text in row_texts(strip)) == bool(without_words)


@pytest.mark.slow(oldest=True)
def test_panels_say_what_their_bars_without_words_mean_those_first_that_no_other_bar_tells():
    regions = [("a", "b", 0.1, 0.102), ("a", "b", 0.104, 0.109), ("a", "c", 0.1, 0.5), ("b", "c", 0.2, 0.3)]
    regions += [("b", "c", 0.4, 0.41), ("b", "d", 0.41, 0.415), ("b", "a", 0.415, 0.418)]
    wide = ["a beats b and c 0.100-0.102, 0.104-0.109;", "b beats a 0.415-0.418"]
    for width, told in [(9, wide), (4.5, ["b beats a 0.415", " more"])]:
        view = {"layout": "panels", "note": "bars: fitted rules", "figsize": (width, 9)}
        ax = plot_comparison(many_bands(list("abcd")), regions, **view)
        ax.figure.draw_without_rendering()
        texts = " ".join(row_texts(found(ax, "nproc-dominance")))
        assert "unnamed bars: " in texts
        assert all(text in texts for text in told), texts


def test_lines_below_panels_end_before_the_edge_of_the_figure():
    regions = [("a", "b", 0.095, 0.28), ("b", "a", 0.319, 0.357), ("a", "b", 0.499, 0.566), ("a", "b", 0.598, 0.63)]
    regions += [("b", "a", 0.63, 0.721), ("a", "b", 0.807, 0.834), ("a", "b", 0.86, 0.932), ("b", "a", 0.972, 0.988)]
    regions += [("c", "a", 0.095, 0.149), ("a", "c", 0.149, 0.357), ("c", "a", 0.394, 0.721), ("a", "c", 0.807, 0.834)]
    regions += [("a", "c", 0.86, 0.953), ("c", "b", 0.095, 0.28), ("b", "c", 0.28, 0.357), ("c", "b", 0.394, 0.63)]
    regions += [("b", "c", 0.721, 0.75), ("b", "c", 0.932, 0.953), ("b", "c", 0.998, 1.0)]
    names = {"a": "logistic", "b": "discriminant", "c": "neighbours"}
    regions = [(names[better], names[worse], *ends) for better, worse, *ends in regions]
    view = {"layout": "panels", "figsize": (6.7, 4)}
    # the longest lines are the note, which says what light bars mean if it has room for that, and the unnamed bars
    for length in (12, 14):
        with mpl.rc_context({"font.size": 9}):
            ax = plot_comparison(many_bands(list(names.values())), regions, note="bars:" + " tested" * length, **view)
            ax.figure.set_dpi(200)
            ax.figure.canvas.draw()
        lines = [text for text in found(ax, "nproc-dominance").texts if text.get_text()]
        assert any("unnamed bars" in text.get_text() for text in lines)
        assert max(text.get_window_extent().x1 for text in lines) < ax.figure.bbox.x1


@pytest.mark.slow(oldest=True)
def test_the_texts_below_the_bars_speak_of_no_row_that_is_left_out():
    names = ["lda", "nb", "tree", "svm", "ada"]
    regions = [(a, b, 0.2, 0.9) for k, a in enumerate(names) for b in names[:k]]
    regions += [("lda", "nb", 0.1, 0.101), ("lda", "tree", 0.101, 0.102)]
    some = [("lda", "ada", 0.02, 0.09)]
    unlabelled = ["unnamed bars: A beats B 0.100-0.101;", "A beats C 0.101-0.102"]
    for height, kept, told in [(3, "DE", ["bars of A, B and C not shown"]), (6, "ABCDE", unlabelled)]:
        view = {"layout": "overlay", "note": "bars: fitted rules", "figsize": (3.35, height)}
        with pytest.warns(NPWarning, match="lda, nb and tree") if height == 3 else contextlib.nullcontext():
            ax = plot_comparison(many_bands(names), regions, somewhere=some, **view)
        texts = [*told, "bars: fitted rules"]
        texts = ["open bars mean better at some level"] * ("A" in kept) + texts
        shown = [text for text in row_texts(found(ax, "nproc-dominance")) if text]
        assert [text[0] for text in shown[: len(kept)]] == list(kept)
        assert shown[len(kept) :] == texts


# matplotlib before 3.10 leaves other room for legends
OLD_LAYOUT = mpl.__version_info__ < (3, 10)
LONG = ["standardised logistic regression", "random forest of fifty trees", "histogram gradient boosting"]


@pytest.mark.slow
@pytest.mark.parametrize("font", [7, 10])
@pytest.mark.parametrize("names", [LONG, ["RandomForestClassifier", "PCA+LogisticRegression", "lda"]])
def test_in_one_column_of_a_journal_long_names_leave_the_curves_half_of_the_height(font, names):
    regions = [(names[0], names[1], 0.1, 0.4), (names[0], names[2], 0.1, 0.4), (names[1], names[2], 0.1, 0.4)]
    with mpl.rc_context({"font.size": font}):
        drawn = many_bands(names)
        view = {"layout": "overlay", "marked_alpha": 0.1, "figsize": (3.35, 3.2)}
        ax = plot_comparison(drawn, regions, note="bars: fitted rules", **view)
        assert collisions(ax.figure) == []
        least = 0.45 if font == 10 else 0.48 if OLD_LAYOUT else 0.5
        assert ax.get_window_extent().height > least * ax.figure.bbox.height
        low, high = ax.get_ylim()
        assert sum(low <= tick <= high for tick in ax.get_yticks()) >= 3
    # each row says of whom it speaks
    strip = found(ax, "nproc-dominance")
    a, b, c = [text.split(": ")[0] for text in legend_texts(ax) if ": " in text]
    assert row_texts(strip)[:2] == [f"{a} beats", f"{b} beats {c}"]
    assert bar_texts(strip) == [f"{b} {c}"]


@pytest.mark.slow(oldest=True)
@pytest.mark.parametrize(
    ("size", "names"),
    [
        ((3.35, 3.2), LONG),
        ((6.7, 5.2), LONG[:2]),
        (None, LONG),
        (None, [f"{kind}Classifier" for kind in ("HistGradientBoosting", "Voting")]),
    ],
)
def test_a_picture_calls_a_method_by_one_name(size, names):
    regions = [(names[0], name, 0.1, 0.4) for name in names[1:]]
    ax = plot_comparison(many_bands(names), regions, note="bars", figsize=size)
    shown = [panel.get_title(loc="left") for panel in panels(ax)] or legend_texts(ax)
    # the names of the legend or of the panels, or the letters before them
    called = [label.split(": ")[0] for label in shown[: len(names)]]
    strips = [found(ax, "nproc-dominance"), *(child for panel in panels(ax) for child in panel.child_axes)]
    texts = [text for strip in strips for text in row_texts(strip)]
    worse = ", ".join(called[1:])
    assert any(text.endswith(f"better than {worse}") or text in ("A beats", "A beats B") for text in texts)
    inside = [text for strip in strips for text in bar_texts(strip)]
    assert inside in ([], [worse], [" ".join(called[1:])], ["".join(called[1:])])
    if size is None and len(names) == 2:
        assert [name for name, text in zip(names, shown, strict=True) if not text.endswith(name)] == []


@pytest.mark.slow
def test_comparisons_of_one_figure_call_a_method_by_one_name():
    names = ["StandardScaler+PCA+LogisticRegression", "random forest of fifty trees"]
    regions = [(*names, 0.1, 0.4)]
    with mpl.rc_context({"font.size": 7}):
        figure = Figure(figsize=(6.7, 3.5), layout="constrained")
        axs = figure.subplots(1, 2, width_ratios=(1, 2))

        def told():
            figure.draw_without_rendering()
            lines = [[line for line in lines_of(ax, "band") if line.get_gid().endswith("-estimate")] for ax in axs]
            return [[re.sub("^[A-Z]: ", "", line.get_label()) for line in drawn] for drawn in lines]

        for ax in axs[::-1]:
            plot_comparison(many_bands(names), regions, ax=ax)
        narrow, wide = told()
        assert narrow == wide
        assert narrow != names
        # and again in another size
        figure.set_size_inches(20, 6)
        assert told() == [names, names]


@pytest.mark.slow(oldest=True)
def test_without_bars_there_are_no_letters_that_stand_for_names():
    names = ["a method with a name that no picture has room for", "another method with such a name"]
    ax = plot_comparison(many_bands(names), [], figsize=(3.35, 3.2))
    assert [text.split()[0] for text in legend_texts(ax)] == ["a", "another"]


@pytest.mark.slow(oldest=True)
def test_the_bounds_at_a_marked_level_stand_beside_the_curves_with_the_letters_of_the_legend():
    ax = plot_comparison(many_bands(["first method", "second method"]), [], marked_alpha=0.35)
    ax.figure.canvas.draw()
    beside = found(ax, "nproc-marked-bounds")
    assert lines_of(ax, "mark") == []
    assert [text.get_text() for text in beside.get_xticklabels()] == ["A", "B"]
    assert [text.split(":")[0] for text in legend_texts(ax)][:2] == ["A", "B"]
    assert beside.get_xlabel() == r"at $\alpha$ = 0.35"
    bands = many_bands(["first method", "second method"])
    for number, band in enumerate(bands):
        at = np.searchsorted(band["alpha"], 0.35, side="right") - 1
        bar = found(ax, f"nproc-mark-{number}-segment")
        assert bar.get_color() == COLORS[number]
        np.testing.assert_allclose(bar.get_ydata(), 1 - np.array([band["type2_upper"][at], band["type2_lower"][at]]))
        (estimate,) = found(ax, f"nproc-mark-{number}-estimate").get_ydata()
        assert estimate == 1 - band["type2"][at]
        # at the height that the curves have
        own, other = (axes.transData.transform((0, estimate))[1] for axes in (ax, beside))
        assert own == pytest.approx(other)
        assert bar.get_window_extent().x0 > ax.get_window_extent().x1


@pytest.mark.slow(oldest=True)
def test_a_band_without_a_classifier_at_a_marked_level_has_no_bar():
    # the first band has no classifier there
    low = plot_comparison(NAMED, [], marked_alpha=0.07)
    assert [line.get_color() for line in lines_of(found(low, "nproc-marked-bounds"), "mark")] == [COLORS[1]] * 2
    plot_comparison(NAMED, [], marked_alpha=0.35, ax=low)
    assert [child.get_gid() for child in low.child_axes].count("nproc-marked-bounds") == 1
    in_panels = plot_comparison([*NAMED, {**NAMED[0], "label": "X3"}], [], marked_alpha=0.35)
    assert [len(lines_of(panel, "mark")) for panel in panels(in_panels)] == [1, 1, 1]


# each number of bands but the largest meets both axes and both widths
@pytest.mark.parametrize(
    ("n_bands", "log", "width"),
    [
        (2, True, 6.7),
        (2, False, 3.35),
        pytest.param(5, True, 3.35, marks=pytest.mark.slow),
        (5, False, 6.7),
        pytest.param(12, True, 3.35, marks=pytest.mark.slow),
    ],
)
def test_no_text_of_a_comparison_with_a_marked_level_covers_another(n_bands, log, width):
    names = [f"StandardScaler+Step{k}+LogisticRegression" for k in range(n_bands)]
    view = {"layout": "overlay", "marked_alpha": 0.3, "log": log, "xlim": (0.02, 0.5), "figsize": (width, 3.4)}
    with mpl.rc_context({"font.size": 7}):
        ax = plot_comparison(many_bands(names), [(names[0], names[1], 0.1, 0.2)], note="bars: rules", **view)
        ax.set_title("a title")
        assert collisions(ax.figure) == []
    if log:
        # no mark of the axis of the curves hangs below them
        ticks = [*ax.xaxis.get_major_ticks(), *ax.xaxis.get_minor_ticks()]
        assert not any(tick.tick1line.get_visible() for tick in ticks)


@pytest.mark.slow
def test_the_first_of_many_rows_stands_below_the_lowest_number_of_the_vertical_axis():
    names = [f"StandardScaler+Step{k}+LogisticRegression" for k in range(5)]
    regions = [(a, b, 0.1, 0.3) for a, b in itertools.permutations(names, 2)][:15]
    for width, size, told in [(3.35, 10, "Step0.* and .*Step3"), (5.2, 14, "Step3")]:
        with mpl.rc_context({"font.size": size}):
            with pytest.warns(NPWarning, match=f"bars of [A-Za-z]*.{told}.LogisticRegression, which are left out"):
                ax = plot_comparison(many_bands(names), regions, layout="overlay", figsize=(width, 0.9 * width))
            assert collisions(ax.figure) == []


def test_ranges_in_which_one_is_better_somewhere_are_open(ax):
    draw_all(ax, BAND, OTHER)
    plot_dominance([("X1", "X2", 0.6, 0.9)], ["X1", "X2"], ax=ax, somewhere=[("X1", "X2", 0.1, 0.3)])
    strip = found(ax, "nproc-dominance")
    assert strip.texts[0].get_text() == "X1 better than X2 (open bar: at some level in it)"
    bars = found(strip, "nproc-dominance-0-open-bars")
    assert bars.get_facecolor().size == 0
    box = bars.get_paths()[0].get_extents()
    np.testing.assert_allclose((box.x0, box.x1), (0.1, 0.3))


@pytest.mark.slow(oldest=True)
def test_an_open_bar_that_the_axis_cuts_has_its_ends_in_words():
    # the level at which X1 is better may be any of 0.05 to 0.3
    view = {"somewhere": [("X1", "X2", 0.05004, 0.29996)], "layout": "overlay"}

    def told(regions=(), **more):
        return row_texts(found(plot_comparison(NAMED, regions, **(view | more)), "nproc-dominance"))

    above = "X1 better than X2 (open bar: at some level in it)"
    assert told() == told(xlim=(0, 0.3)) == [above]
    # rounded outwards
    assert told(xlim=(0, 0.2)) == told(xlim=(0.1, 1)) == [above, "open bar of X1 in full: 0.0500 to 0.3000"]
    # nothing that a full bar says is about levels beyond the axis
    assert told([("X2", "X1", 0.4, 0.9)], xlim=(0, 0.5)) == [above, "X2 better than X1"]
    two = [("X1", "X2", 0.05, 0.1), ("X1", "X2", 0.2, 0.3)]
    assert told(somewhere=two, xlim=(0, 0.25))[1:] == ["last open bar of X1 in full: 0.2000 to 0.3000"]
    assert told(somewhere=two, xlim=(0.07, 1))[1:] == ["first open bar of X1 in full: 0.0500 to 0.1000"]
    # of what is shown
    assert told(somewhere=two, xlim=(0, 0.07))[1:] == ["open bar of X1 in full: 0.0500 to 0.1000"]
    # bars with the same ends share a line
    three = {"bands": many_bands(["A", "B", "C"]), "regions": [], "xlim": (0, 0.2)} | view
    for last, texts in [
        (0.5, ["open bars of A and C in full: 0.1000 to 0.5000"]),
        (0.4, ["open bar of A in full: 0.1000 to 0.5000", "open bar of C in full: 0.1000 to 0.4000"]),
    ]:
        shown = plot_comparison(**three | {"somewhere": [("A", "B", 0.1, 0.5), ("C", "B", 0.1, last)]})
        assert [text for text in row_texts(found(shown, "nproc-dominance")) if "in full" in text] == texts
    # where no bar is shown, no words are about bars
    hidden = {"xlim": (0.4, 1), "note": "bars: paired tests", "figsize": (6.7, 4)}
    assert told(**hidden) == ["X1 better than X2 at some level from 0.0500 to 0.3000 (not shown)", "paired tests"]
    assert told(**hidden | {"figsize": None})[0] == "X1 better than X2 at some level below 0.4"
    assert told(**hidden | {"figsize": None, "xlim": (0, 0.04)})[0] == "X1 better than X2 at some level above 0.04"
    around = hidden | {"figsize": None, "xlim": (0.12, 0.18), "somewhere": two}
    assert told(**around)[0] == "X1 better than X2 at some level outside 0.12 to 0.18"


@pytest.mark.slow
@pytest.mark.parametrize("layout", ["overlay", "panels"])
def test_the_words_about_bars_follow_the_limits_that_a_user_sets(layout):
    view = {"somewhere": [("X1", "X2", 0.05004, 0.29996)], "layout": layout, "note": "bars: paired tests"}
    more = {"apart": [(0.7, 0.8)]}

    def words(ax):
        strips = ax.findobj(
            lambda artist: (artist.get_gid() or "").startswith("nproc-dominance") and hasattr(artist, "texts")
        )
        return sorted(text.get_text() for strip in strips for text in strip.texts)

    ax = plot_comparison(NAMED, [], **view, **more)
    for xlim in [(0, 0.2), (0.4, 1), (0, 0.3), (0, 1)]:
        ax.set_xlim(xlim)
        ax.figure.draw_without_rendering()
        assert words(ax) == words(plot_comparison(NAMED, [], **view, **more, xlim=xlim))
        assert collisions(ax.figure) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("layout", "size"), [("overlay", (3.35, 3.2)), ("overlay", (6.7, 5.0)), ("panels", (3.35, 5.0)), ("panels", None)]
)
def test_the_ends_of_open_bars_that_the_axis_cuts_have_room_below_the_bars(layout, size):
    names = ["lda", "logistic", "nb", "forest"]
    somewhere = [("nb", "lda", 0.03, 0.377), ("nb", "logistic", 0.04, 0.525), ("forest", "lda", 0.01, 0.4)]
    view = {"somewhere": somewhere, "note": "bars: paired tests", "xlim": (0, 0.2), "figsize": size, "layout": layout}
    with mpl.rc_context({"font.size": 7}):
        ax = plot_comparison(many_bands(names), [("forest", "nb", 0.1, 0.15)], **view)
        assert collisions(ax.figure) == []
    shown = [*legend_texts(ax), *(panel.get_title("left") for panel in panels(ax))]
    text = "; ".join(row_texts(found(ax, "nproc-dominance")))
    for called, ends in zip(
        "CD" if "A: lda" in shown else names[2:], ("0.0300 to 0.5250", "0.0100 to 0.4000"), strict=True
    ):
        assert f"open bar of {called} in full: {ends}" in text


def panels(ax):
    return [child for child in ax.child_axes if child.get_gid().startswith("nproc-panel-")]


@pytest.mark.slow(oldest=True)
def test_two_bands_lie_over_each_other_and_from_three_on_each_has_a_panel():
    third = {**NAMED[0], "label": "StandardScaler+PCA+LogisticRegression"}
    assert not panels(plot_comparison(NAMED, REGIONS))
    ax = plot_comparison([*NAMED, third], REGIONS)
    assert [panel.get_title(loc="left") for panel in panels(ax)] == ["X1", "X2", "LogisticRegression"]
    for number, panel in enumerate(panels(ax)):
        main = found(panel, f"nproc-band-{number}-estimate")
        # a light colour would look like the grey of the others in print: the band has it, and the estimate is dark
        assert found(panel, f"nproc-band-{number}-lower").get_color() == COLORS[number]
        assert lightness(main.get_color()) <= lightness(PALE) - 60
        assert main.get_linestyle() == "-"
        others = [line for line in panel.lines if line.get_gid().startswith("nproc-other-")]
        assert len(others) == 2
        assert all(line.get_linewidth() < main.get_linewidth() for line in others)
    # one pair of limits
    ax.set_xlim(0, 0.3)
    assert all(panel.get_xlim() == (0, 0.3) for panel in panels(ax))
    assert to_hex(found(ax, "nproc-dominance-0-bars").get_facecolor()[0]).upper() == COLORS[0]
    # words lie below a panel whose method is better: the axis below them has the marks, which would cross them
    ax.figure.canvas.draw()
    marks = [panel.xaxis.get_major_ticks()[1].tick1line.get_visible() for panel in panels(ax)]
    assert marks == [not panel.child_axes for panel in panels(ax)]
    assert False in marks
    assert not panels(plot_comparison([*NAMED, third], REGIONS, layout="overlay"))
    with pytest.raises(InvalidInputError, match="divided into panels"):
        plot_band(**BAND, ax=ax)
    with pytest.raises(InvalidInputError, match="layout must be one of 'overlay', 'panels'"):
        plot_comparison(NAMED, [], layout="grid")


def test_the_other_methods_can_be_told_from_the_band_of_each_panel_in_grey_print():
    def luminance(color):
        return np.dot(np.power(to_rgb(color), 2.2), (0.2126, 0.7152, 0.0722))

    ax = plot_comparison(many_bands("abcde"), [], layout="panels", figsize=(9, 7))
    for panel in panels(ax):
        (fill,) = panel.collections
        *color, share = fill.get_facecolor()[0]
        ground = luminance(share * np.array(color) + (1 - share))
        for other in [line for line in panel.lines if line.get_gid().startswith("nproc-other-")]:
            assert (ground + 0.05) / (luminance(other.get_color()) + 0.05) > 2
            assert other.get_zorder() > fill.get_zorder()


@pytest.mark.slow(oldest=True)
@pytest.mark.parametrize("n_bands", [3, 4])
def test_the_legend_says_once_that_the_thin_lines_of_three_or_four_bands_are_their_bounds(n_bands):
    drawn = many_bands("abcd"[:n_bands])
    ax = plot_comparison(drawn, [], layout="overlay")
    assert legend_texts(ax) == [*"abcd"[:n_bands], "bounds (thin lines)"]
    (key,) = [line for line in ax.get_legend().get_lines() if line.get_linewidth() < 1]
    edges = [line for line in lines_of(ax, "band") if line.get_gid().endswith(("-lower", "-upper"))]
    assert {line.get_linewidth() for line in edges} == {key.get_linewidth()}
    assert len(edges) == 2 * n_bands
    # another band without an area is explained by the same row
    plot_band(**{**drawn[0], "label": "e"}, shade=False, ax=ax)
    assert legend_texts(ax) == [*"abcd"[:n_bands], "e", "bounds (thin lines)"]


@pytest.mark.parametrize(("names", "told"), [("ab", "the other method"), ("abc", "the other methods")])
def test_the_key_of_panels_tells_one_other_method_from_several(names, told):
    ax = plot_comparison(many_bands(names), [], layout="panels", figsize=(7, 5))
    assert [text for text in legend_texts(ax) if "other" in text] == [told]


@pytest.mark.slow(oldest=True)
def test_areas_and_panels_need_no_row_about_thin_lines():
    for drawn, layout in [(many_bands("ab"), "overlay"), (many_bands("abc"), "panels")]:
        assert not [text for text in legend_texts(plot_comparison(drawn, [], layout=layout)) if "bounds" in text]


@pytest.mark.slow(oldest=True)
def test_a_legend_above_the_curves_says_in_its_title_that_thin_lines_are_bounds():
    # flat bands leave no corner free
    low, high = np.array([0.2, 0.2, 0.2]), np.array([0.8, 0.8, 0.8])
    flat = {"alpha": np.array([0.01, 0.1, 0.2]), "type2_lower": low, "type2_upper": high, "caption": "shared"}
    drawn = [{**flat, "type2": np.full(3, 0.1 * k), "label": f"m{k}"} for k in (4, 5, 6)]
    ax = plot_comparison(drawn, [], layout="overlay")
    assert legend_texts(ax) == ["m4", "m5", "m6"]
    assert ax.get_legend().get_title().get_text() == "shared; thin lines: bounds"
    # a title that would leave the figure has a row of its own below it
    caption = "a caption that is so long that it has just about as much room as there is here"
    ax = plot_comparison([{**band, "caption": caption} for band in drawn], [], layout="overlay")
    assert legend_texts(ax) == ["m4", "m5", "m6", "bounds (thin lines)"]
    assert ax.get_legend().get_title().get_text() == caption


@pytest.mark.slow(oldest=True)
def test_more_bands_over_each_other_than_can_be_told_apart_are_estimates_and_the_legend_says_so():
    unseen = r"tests: all $\alpha$ at once"
    drawn = [{**band, "unseen": unseen} for band in many_bands("abcde")]
    ax = plot_comparison(drawn, [("e", "a", 0.1, 0.4)], layout="overlay")
    assert ax.get_legend().get_title().get_text().startswith(unseen)
    assert [line.get_gid() for line in lines_of(ax, "band")] == [f"nproc-band-{k}-estimate" for k in range(5)]
    assert legend_texts(ax) == [*"abcde", "bounds not drawn"]
    # as in the legend, bars have the colours of the estimates
    assert to_hex(found(ax, "nproc-dominance-0-bars").get_facecolor()[0]).upper() == COLORS[4]
    marked = plot_comparison(drawn, [], layout="overlay", marked_alpha=0.35)
    assert "tests" not in marked.get_legend().get_title().get_text()
    title, told = marked.get_legend().get_title().get_text(), legend_texts(marked)
    assert r"bounds only at $\alpha$ = 0.35" in "; ".join([title, *told])
    assert all(found(marked, f"nproc-mark-{k}-segment").get_color() == COLORS[k] for k in range(5))
    # nothing of a band is lost in panels
    in_panels = panels(plot_comparison(drawn, [], layout="panels", figsize=(7, 6)))
    assert [len(lines_of(panel, "band")) for panel in in_panels] == [3] * 5


@pytest.mark.parametrize(
    ("layout", "loc"),
    [
        ("constrained", "left"),
        pytest.param("tight", "center", marks=pytest.mark.slow),
        pytest.param("none", "left", marks=pytest.mark.slow),
    ],
)
def test_comparisons_side_by_side_have_titles_and_curves_on_one_line(layout, loc):
    with mpl.rc_context({"font.size": 7}):
        figure = FigureCanvasAgg(Figure(figsize=(6.7, 4), layout=layout)).figure
        left, right = figure.subplots(1, 2)
        plot_comparison(many_bands("ab"), [], ax=left)
        assert left.get_legend().get_frame_on()
        regions = [("c", "a", 0.1, 0.3), ("c", "b", 0.1, 0.3)]
        plot_comparison(many_bands("abc"), regions, note="bars", ax=right, layout="overlay", xlim=(0, 0.1))
        titles = [ax.set_title(f"({name})", loc=loc) for ax, name in ((left, "a"), (right, "b"))]
        assert collisions(figure) == []
    # that of the right has no corner without a curve, and the room above it is taken from both
    assert not any(ax.get_legend().get_frame_on() for ax in (left, right))
    assert left.bbox.y1 == pytest.approx(right.bbox.y1, abs=1)
    low, high = (box.y0 for box in (titles[0].get_window_extent(), titles[1].get_window_extent()))
    assert low == pytest.approx(high, abs=1)
    zeros = [ax.transData.transform((0, 0))[1] for ax in (left, right)]
    assert zeros[0] == pytest.approx(zeros[1], abs=1)
    strips = [found(ax, "nproc-dominance") for ax in (left, right)]
    assert strips[0].bbox.height == pytest.approx(strips[1].bbox.height)
    # the row of the lower strip is as high as those of the other
    heights = [np.diff(strip.get_ylim())[0] for strip in strips]
    assert heights[0] == pytest.approx(heights[1])
    assert strips[0].texts[0].get_fontsize() == strips[1].texts[0].get_fontsize()
    # alone, it needs less
    right.remove()
    figure.draw_without_rendering()
    assert strips[0].bbox.height < 0.7 * strips[1].bbox.height


def test_a_comparison_has_panels_of_its_own_accord_only_where_its_figure_holds_no_other_axes():
    drawn = many_bands("abc")
    alone = Figure(figsize=(6.7, 5)).subplots()
    assert len(panels(plot_comparison(drawn, [], ax=alone))) == 3
    left, right = Figure(figsize=(13.4, 5)).subplots(1, 2)
    assert not panels(plot_comparison(drawn, [], ax=left))
    assert len(panels(plot_comparison(drawn, [], ax=right, layout="panels"))) == 3


def letter_sizes(ax):
    legend = ax.get_legend()
    return {text.get_fontsize() for text in [legend.get_title(), *legend.get_texts()]}


@pytest.mark.slow
@mpl.rc_context()
def test_legends_of_a_row_have_letters_of_one_size_and_what_a_user_changes_in_one_stays():
    # as large as all other letters, those of legends may get smaller
    mpl.rcParams["legend.fontsize"] = mpl.rcParams["font.size"]
    names = [f"method {k}" for k in range(4)]
    figure = FigureCanvasAgg(Figure(figsize=(6.7, 6), layout="constrained")).figure
    (left, right), (below, last) = figure.subplots(2, 2)
    plot_comparison(many_bands("ab"), [], ax=left)
    whole = letter_sizes(left)
    plot_comparison(many_bands(names), [], ax=right)
    assert letter_sizes(left) == letter_sizes(right)
    assert 0.8 * mpl.rcParams["font.size"] <= max(letter_sizes(left))
    assert max(letter_sizes(left)) < min(whole) or OLD_LAYOUT
    # another row has sizes of its own
    plot_comparison(many_bands("ab"), [], ax=below)
    assert letter_sizes(below) == whole
    below.get_legend().set_title("mine")
    plot_comparison(many_bands("ab"), [], ax=last)
    assert below.get_legend().get_title().get_text() == "mine"
    assert collisions(figure) == []


@pytest.mark.slow(oldest=True)
def test_a_legend_is_not_left_over_bounds_when_bars_of_a_neighbour_take_room_from_its_axes():
    with mpl.rc_context({"font.size": 7}):
        figure = FigureCanvasAgg(Figure(figsize=(6.7, 3), layout="constrained")).figure
        left, right = figure.subplots(1, 2)
        plot_comparison(many_bands("abcd"), [], ax=left, xlim=(0, 0.9))
        assert left.get_legend().get_frame_on()
        regions = [(better, worse, 0.1, 0.3) for better, worse in itertools.combinations("abcd", 2)]
        plot_comparison(many_bands("abcd"), regions, ax=right, xlim=(0, 0.9))
        figure.draw_without_rendering()
    for ax in (left, right):
        box = ax.get_legend().get_window_extent()
        edges = [line for line in lines_of(ax, "band") if line.get_gid().endswith(("-lower", "-upper"))]
        assert len(edges) == 8
        paths = [line.get_transform().transform_path(_drawn_path(line)) for line in edges]
        assert not any(path.intersects_bbox(box, filled=False) for path in paths)


def overlapping_texts(figure):
    """Pairs of texts whose boxes overlap, and texts outside the figure."""
    figure.draw_without_rendering()
    texts = [text for text in figure.findobj(mpl.text.Text) if text.get_visible() and text.get_text().strip()]
    hidden = {t for axes in figure.findobj(mpl.axes.Axes) for axis in (axes.xaxis, axes.yaxis) for t in _undrawn(axis)}
    boxes = [(text.get_text(), text.get_window_extent()) for text in texts if text not in hidden]
    boxes = [(text, box) for text, box in boxes if box.width > 0]
    whole = figure.bbox.padded(1)
    outside = [text for text, box in boxes if min(box.x0, box.y0) < whole.x0 or box.x1 > whole.x1 or box.y1 > whole.y1]
    # a pixel or two of the room around letters may be shared
    both = [(a, b) for i, (a, one) in enumerate(boxes) for b, two in boxes[i + 1 :] if one.padded(-1.5).overlaps(two)]
    return outside, both


def _undrawn(axis):
    low, high = sorted(axis.get_view_interval())
    ticks = [*axis.get_major_ticks(), *axis.get_minor_ticks()]
    return [
        label
        for tick in ticks
        for label in (tick.label1, tick.label2)
        if not (label.get_visible() and low <= tick.get_loc() <= high)
    ]


@pytest.mark.parametrize("most", [200, 20_000, 2_000_000])
def test_numbers_on_a_logarithmic_axis_lie_apart_in_a_narrow_picture(most):
    n0 = np.geomspace(50, most, 12)
    shares = {"all rows": 0.3 + 10 / n0, "class 0": 0.25 + 10 / n0, "class 1": 0.35 + 10 / n0}
    ax = plot_review_plan(n0, shares, n0_pilot=300, max_review=0.1, limit=0.3, needed=most, figsize=(3.35, 3.0))
    assert overlapping_texts(ax.figure) == ([], [])
    shown = [label.get_text() for label in ax.get_xticklabels()]
    assert len(shown) >= 3
    # no powers, and no numbers such as 1e+06 that a reader has to work out
    assert set("".join(shown)) <= set("0123456789")


@pytest.mark.parametrize("xlim", [(0.003, 1.0), (0.05, 0.3), (0.0002, 0.5), (0.09, 0.11)])
@pytest.mark.parametrize("width", [1.5, 3.35, 6.7])
def test_a_logarithmic_axis_of_any_range_and_width_has_numbers_that_can_be_read(xlim, width):
    ax = error_axes(xlim=xlim, log=True, figsize=(width, 3))
    assert collisions(ax.figure) == []
    low, high = ax.get_xlim()
    shown = [tick for tick in ax.get_xticks() if low <= tick <= high]
    assert len(shown) >= (1 if width < 2 else 3)
    # the numbers are where they say
    ax.figure.canvas.draw()
    np.testing.assert_allclose([float(label.get_text()) for label in ax.get_xticklabels()], ax.get_xticks())


@pytest.mark.slow
@pytest.mark.parametrize("width", [3.35, 6.7])
def test_numbers_of_logarithmic_panels_lie_apart(width):
    with mpl.rc_context({"font.size": 7}):
        drawn = many_bands(["a", "b", "c"])
        ax = plot_comparison(drawn, [], layout="panels", log=True, xlim=(0.003, 1.0), figsize=(width, 4))
        assert collisions(ax.figure) == []


@pytest.mark.parametrize("regions", [[], [("a", "b", 0.1, 0.6)]])
def test_ticks_stand_below_a_panel_only_with_numbers(regions):
    with mpl.rc_context({"font.size": 7}):
        ax = plot_comparison(many_bands(list("abcd")), regions, layout="panels", figsize=(3.35, 5))
    ax.figure.draw_without_rendering()
    assert len({panel.get_window_extent().y0 for panel in panels(ax)}) == 2
    for axes in [*panels(ax), *(strip for panel in panels(ax) for strip in panel.child_axes)]:
        tick = axes.xaxis.get_major_ticks()[0]
        assert tick.tick1line.get_visible() == tick.label1.get_visible()


@pytest.mark.slow(oldest=True)
def test_panels_of_a_line_have_strips_of_one_height_and_the_name_of_the_axis_stands_above_the_notes():
    with mpl.rc_context({"font.size": 7}):
        ax = plot_comparison(
            many_bands(["a", "b", "c"]), [("a", "c", 0.1, 0.4), ("a", "b", 0.1, 0.4)], note="bars", figsize=(6.7, 4)
        )
        ax.figure.canvas.draw()
        strips = [panel.child_axes[0].get_window_extent() for panel in panels(ax)]
        np.testing.assert_allclose([(strip.y0, strip.height) for strip in strips], [strips[0].bounds[1::2]] * 3)
        label, note = ax.xaxis.label.get_window_extent(), found(ax, "nproc-dominance-note").get_window_extent()
        numbers = min(text.get_window_extent().y0 for text in panels(ax)[0].child_axes[0].get_xticklabels())
        assert note.y1 <= label.y0 < label.y1 <= numbers
        # drawn again, the numbers stay
        plot_dominance([("a", "c", 0.1, 0.4)], ["a", "b", "c"], ax=ax)
        ax.figure.canvas.draw()
        assert all(panel.child_axes[0].get_xticklabels()[0].get_visible() for panel in panels(ax))


@pytest.mark.slow(oldest=True)
def test_four_bands_in_one_column_of_a_journal_have_panels_and_do_not_hide_each_other():
    regions = [(better, "randomforest", 0.01, 0.04) for better in ("logistic", "lda", "nb")]
    bands = many_bands(["logistic", "lda", "randomforest", "nb"])
    view = {"note": "bars: fitted rules", "figsize": (3.35, 3)}
    with mpl.rc_context({"font.size": 7}):
        ax = plot_comparison(bands, regions, **view)
        assert len(panels(ax)) == 4
        assert collisions(ax.figure) == []
        assert not panels(plot_comparison(bands, regions, layout="overlay", **view))


@pytest.mark.slow(oldest=True)
def test_the_legend_of_panels_stands_in_the_cell_without_a_panel_where_there_is_one():
    with mpl.rc_context({"font.size": 7}):
        # the letters of matplotlib 3.9 are a little wider
        width = 3.4 if mpl.__version__.startswith("3.9.") else 3.35
        ax = plot_comparison(many_bands(["a", "b", "c"]), [], layout="panels", figsize=(width, 2.95))
        assert collisions(ax.figure) == []
        legend, (_, right, low) = ax.get_legend().get_window_extent(), (p.get_window_extent() for p in panels(ax))
        assert legend.x0 >= low.x1
        assert legend.y1 <= right.y0
        assert legend.x1 <= ax.figure.bbox.x1


def test_edges_of_several_bands_have_the_line_styles_of_these_bands_and_lie_below_the_estimates(ax):
    draw_all(ax, *({**band, "shade": False} for band in NAMED))
    for number in range(2):
        edge, main = (found(ax, f"nproc-band-{number}-{name}") for name in ("lower", "estimate"))
        assert edge.get_linestyle() == main.get_linestyle()
        assert edge.get_zorder() < 2 < main.get_zorder()
    assert found(ax, "nproc-band-0-lower").get_linestyle() != found(ax, "nproc-band-1-lower").get_linestyle()


MIDDLES = (np.arange(300) + 0.5) / 300


@pytest.mark.slow(oldest=True)
@pytest.mark.parametrize(
    ("pilot", "what", "texts"),
    [
        (None, "type1", ["expected", "central 90 %", r"$\alpha$ = 0.05"]),
        (0.9, "type1", ["expected", "central 90 %", r"$\alpha$ = 0.05"]),
        (0.9, "type2", ["expected", "best: {:.3g}"]),
        ((stats.norm.ppf(MIDDLES), stats.norm.ppf(MIDDLES) + 1.5), "type2", ["expected", "bounds", "best: {:.3g}"]),
    ],
)
def test_the_legend_of_a_plan_has_fewer_words_where_they_would_break_and_leaves_half_of_the_height(pilot, what, texts):
    plan = plan_class0(0.05, 0.05, power=0.8, pilot=pilot)
    ax = plan.plot(what=what, figsize=(3.35, 2.6))
    assert collisions(ax.figure) == []
    assert ax.get_window_extent().height >= 0.48 * ax.figure.bbox.height
    assert ax.yaxis.label.get_window_extent().height <= ax.get_window_extent().height
    assert ax.get_legend().get_title().get_text() == "vertical lines: 80 % of the best power"
    shown = [text.format(plan.type2_oracle) for text in texts]
    assert legend_texts(ax) == [*shown, f"from {plan.n0} on", f"first at {plan.n0_first}"]
    ax = plan.plot(what=what)
    goals = [f"from here on: {plan.n0}", f"for the first time: {plan.n0_first}"]
    assert legend_texts(ax)[-2:] == [f"80 % of the best possible power {goal}" for goal in goals]
    told = [rf"best possible at $\alpha$ = 0.05: {plan.type2_oracle:.3g}"] if what == "type2" else []
    assert [text for text in legend_texts(ax)[:-2] if "best" in text] == told


def test_the_legend_of_a_plan_of_reviews_leaves_the_curves_their_room_in_one_column_of_a_journal():
    n0 = np.geomspace(80, 7241, 12)
    shares = {"all rows": 0.2 + 20 / n0, "class 0": 0.23 + 50 / n0, "class 1": 0.16 + 5 / n0}
    with mpl.rc_context({"font.size": 10}):
        ax = plot_review_plan(n0, shares, n0_pilot=40, max_review=0.2, limit=0.177, needed=7241, figsize=(3.35, 2.95))
        assert overlapping_texts(ax.figure) == ([], [])
        legend = ax.get_legend()
        assert len(legend.get_texts()) == 6
        assert legend.get_window_extent().height < ax.figure.bbox.height / 4 < ax.bbox.height / 2


@pytest.mark.slow(oldest=True)
def test_letters_of_a_low_strip_can_be_read_and_cover_no_bar():
    drawn = [{**NAMED[number % 2], "label": name, "caption": "shared"} for number, name in enumerate("abcde")]
    regions = [(name, "e", 0.1, 0.4) for name in "abcd"]
    with pytest.warns(NPWarning, match="bars of a, b and c, which are left out"):
        ax = plot_comparison(drawn, regions, note="bars: fitted rules", layout="overlay", figsize=(3.35, 2.9))
    assert overlapping_texts(ax.figure) == ([], [])
    (strip,) = [child for child in ax.child_axes if child.get_gid() == "nproc-dominance"]
    assert strip.texts[0].get_fontsize() >= 0.8 * mpl.rcParams["font.size"]
    bars = [box for area in strip.collections for path in area.get_paths() for box in [path.get_extents()]]
    bars = [box.transformed(strip.transData) for box in bars]
    assert not any(text.get_window_extent().padded(-1.5).overlaps(bar) for text in strip.texts for bar in bars)


NUMBERS, LAYOUTS = [1, 2, 3, 5, 8], ["overlay", "panels"]
XLIMS, SIZES = [None, (0, 0.2)], [None, (3.35, 5.5), (6.7, 7.0)]
# a quarter of all cases, in which any values of two of the four arguments meet
QUARTER = [
    (NUMBERS[i], LAYOUTS[(i + k) % 2], XLIMS[(i + k) // 2 % 2], SIZES[k])
    for i, k in itertools.product(range(5), range(3))
]


@pytest.mark.slow
@pytest.mark.parametrize(("n_bands", "layout", "xlim", "size"), QUARTER)
def test_texts_of_a_comparison_lie_within_the_figure_and_apart(n_bands, layout, xlim, size):
    names = ["lda", "StandardScaler+LogisticRegression", "HistGradientBoostingClassifier", *"abcde"][:n_bands]
    drawn = [{**NAMED[i % 2], "label": name, "caption": r"$\delta$ = 0.05"} for i, name in enumerate(names)]
    regions = [(better, worse, 0.1, 0.4) for better, worse in itertools.combinations(names[:4], 2)]
    with mpl.rc_context({} if size is None else {"font.size": 7}):
        ax = plot_comparison(
            drawn, regions, note="bars: fitted rules", layout=layout, marked_alpha=0.1, xlim=xlim, figsize=size
        )
        assert overlapping_texts(ax.figure) == ([], [])


def many_knots(n):
    alpha = np.arange(1, n + 1) / (n + 1)
    return alpha, (1 - alpha) ** 2, 1 - alpha


def test_thinning_drops_only_corners_without_change_when_there_are_few():
    x, lower, upper = step_corners(np.array([0.1, 0.2, 0.3]), np.array([0.5, 0.5, 0.1]), np.array([0.9, 0.9, 0.9]))
    thin = thin_corners(x, lower, upper)
    np.testing.assert_array_equal(thin[0], [0, 0.1, 0.3, 1])
    grid = np.linspace(0, 1, 1001)
    for whole, part in ((lower, thin[1]), (upper, thin[2])):
        np.testing.assert_array_equal(
            whole[np.searchsorted(x, grid, side="right") - 1],
            part[np.searchsorted(thin[0], grid, side="right") - 1],
        )


def test_thinning_many_knots_moves_no_step_by_more_than_a_column():
    x, lower, upper = step_corners(*many_knots(200_000))
    thin = thin_corners(x, lower, upper)
    assert thin[0].size <= 8002
    assert (thin[0][0], thin[0][-1]) == (0, 1)
    grid = np.linspace(0, 1, 10_001)
    for whole, part in ((lower, thin[1]), (upper, thin[2])):
        drawn = part[np.searchsorted(thin[0], grid, side="right") - 1]
        early = whole[np.searchsorted(x, grid - 1 / 4000, side="right").clip(1) - 1]
        late = whole[np.searchsorted(x, grid + 1 / 4000, side="right") - 1]
        assert np.all((early <= drawn) & (drawn <= late))


def test_a_band_with_a_million_knots_is_saved_fast_and_small(ax):
    start = time.perf_counter()
    plot_band(*many_knots(10**6), ax=ax, label="lda")
    file = io.BytesIO()
    ax.figure.savefig(file, format="svg")
    assert file.tell() < 2e6
    assert time.perf_counter() - start < 10


def test_threshold_splits_the_histogram_exactly(ax):
    scores = np.arange(1.0, 101.0)
    assert plot_threshold(scores, 95.0, ax=ax, alpha=0.1) is ax
    assert list(found(ax, "nproc-threshold").get_xdata()) == [95, 95]
    whole, above = found(ax, "nproc-scores-0").get_data(), found(ax, "nproc-scores-above").get_data()
    assert above.edges[0] == 95  # the score that sets the threshold lies below
    np.testing.assert_allclose(np.sum(above.values * np.diff(above.edges)), 0.05)
    np.testing.assert_allclose(np.sum(whole.values * np.diff(whole.edges)), 1)
    assert legend_texts(ax) == [
        "class 0, left out (n = 100)",
        "class 0 above the threshold: 5 %",
        r"threshold for $\alpha$ = 0.1",
    ]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("score", "density")


@pytest.mark.slow(oldest=True)
@pytest.mark.filterwarnings("ignore:.*exact copies")
def test_scores_at_the_threshold_that_are_called_at_random_are_told(ax):
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1], 400)
    X = rng.integers(0, 4, size=(800, 1)) + y[:, None]
    told = {}
    for ties in ("randomize", "conservative"):
        fit = nproc.npc(X, y, "lda", ties=ties, alpha=0.1, class0=0, random_state=1)
        told[ties] = legend_texts(fit.plot(ax=Figure().subplots()))[-1]
    tied = np.mean(np.isclose(fit.scores0[0], fit.thresholds[0]))
    assert tied > 0.1
    assert told["randomize"] == f"{told['conservative']}\n({100 * tied:.3g} % equal it: called at random)"
    smooth = nproc.npc(X + rng.normal(size=X.shape), y, "lda", ties="randomize", class0=0, random_state=1)
    # the score that sets the threshold is no tie
    assert "at random" not in " ".join(legend_texts(smooth.plot(ax=ax)))


def test_thresholds_of_several_splits_are_moved_to_zero(ax):
    splits = [np.arange(1.0, 11.0), 100 + np.arange(1.0, 11.0)]
    plot_threshold(splits, [9.0, 108.0], ax=ax, labels=["malignant", "benign"])
    assert list(found(ax, "nproc-threshold").get_xdata()) == [0, 0]
    edges = found(ax, "nproc-scores-0").get_data().edges
    assert edges[0] >= -12
    assert edges[-1] <= 5
    assert ax.get_xlabel() == "score minus the threshold of its split"
    assert legend_texts(ax)[:2] == [
        "malignant, left out (n = 10 in each of 2 splits)",
        "malignant above the threshold: 15 % on average",
    ]


def test_class_1_scores_are_an_outline_with_its_name(ax):
    plot_threshold(np.array([1.0, 2.0, 3.0]), 3.0, ax=ax, scores1=np.array([2.0, 5.0]), labels=("bad", "good"))
    outline = found(ax, "nproc-scores-1")
    assert not outline.get_fill()
    assert outline.get_linestyle() == "--"
    assert "good" in legend_texts(ax)


def test_far_scores_are_gathered_in_a_bar_that_is_set_apart_and_counted(ax):
    scores = np.append(np.linspace(0, 1, 999), 1e6)
    plot_threshold(scores, 0.9, ax=ax)
    heights, edges, _ = found(ax, "nproc-scores-0").get_data()
    areas = heights * np.diff(edges)
    np.testing.assert_allclose(areas.sum(), 1)
    assert ax.get_xlabel() == f"score (bar set apart: 1 above {edges[-3]:.3g})"
    np.testing.assert_allclose(areas[-2:], [0, 0.001])
    assert areas[-3] > 0.001
    assert edges[-1] < 2
    # its place on the axis is not that of its score, and a mark before the bar says so
    assert np.max(ax.get_xticks()) <= edges[-3]
    assert edges[-3] < found(ax, "nproc-axis-break").get_xdata()[0] < edges[-2]


def test_large_scores_beyond_the_axis_are_told_without_an_exponent(ax):
    plot_threshold(5e5 * np.append(np.linspace(0, 1, 999), 1e6), 4.5e5, ax=ax)
    assert ax.get_xlabel() == "score (bar set apart: 1 above 500000)"


def test_a_few_far_scores_leave_the_bulk_its_bins(ax):
    # three of 285 are far, more than one half of a per cent at one end
    scores = np.append(np.random.default_rng(0).normal(size=282), [40.0, 60.0, 80.0])
    plot_threshold(scores, 1.7, ax=ax)
    _, edges, _ = found(ax, "nproc-scores-0").get_data()
    inside = np.histogram(scores, edges)[0]
    assert np.sum(inside > 0) >= 8
    assert re.fullmatch(r"score \(bar set apart: 3 above \d\.\d+\)", ax.get_xlabel())


def heavy_tails(kind):
    """500 scores, the threshold, and the spread of those around it."""
    share = 0.1 if kind in ("two heaps", "nearly all are far") else 0.3
    rng = np.random.default_rng(3)
    if kind == "log odds":
        scores = 8 - np.exp(rng.normal(1.5, 1.8, size=500))
    elif kind == "Cauchy":
        scores = rng.standard_cauchy(500)
    elif kind == "two heaps":
        scores = np.append(rng.normal(size=150), np.full(350, -1e10))
    else:
        scores = np.append(rng.normal(size=60), -1e10 - 1e9 * rng.random(440))
    threshold = np.quantile(scores, 0.95, method="higher")
    near = np.sort(np.abs(scores - threshold))
    return scores, threshold, near[int(share * near.size)]


@pytest.mark.parametrize("kind", ["log odds", "Cauchy", "two heaps", "nearly all are far"])
def test_bars_around_the_threshold_are_narrow_however_far_the_other_scores_lie(ax, kind):
    scores, threshold, spread = heavy_tails(kind)
    plot_threshold(scores, threshold, ax=ax)
    heights, edges, _ = found(ax, "nproc-scores-0").get_data()
    at = int(np.searchsorted(edges, threshold))
    assert edges[at] == threshold
    # bars on both sides of the threshold are not wider than this
    assert np.max(np.diff(edges)[at - 1 : at + 1]) <= spread
    assert np.sum(heights > 0) >= 8
    # and areas are shares, in the bars and beyond them
    np.testing.assert_allclose((heights * np.diff(edges))[at:].sum(), np.mean(scores > threshold))
    n_below = int(re.search(r"(\d+) below", ax.get_xlabel())[1])
    np.testing.assert_allclose(heights[0] * (edges[1] - edges[0]), n_below / 500)
    assert heights[1] == 0


def test_scores_without_heavy_tails_have_equal_bars_that_cover_all_of_them():
    rng = np.random.default_rng(0)
    for sample in (rng.normal(size=300), rng.gamma(3.0, size=300), rng.random(300), rng.integers(0, 3, 300) / 2):
        bins = score_bins([sample], np.quantile(sample, 0.9))
        assert (bins.n_below, bins.n_above, bins.note) == (0, 0, "")
        ax = Figure().subplots()
        bins.show_on(ax)
        assert list(ax.lines) == []
        assert bins.edges[0] <= sample.min() <= sample.max() <= bins.edges[-1]
        np.testing.assert_allclose(np.diff(bins.edges), bins.edges[1] - bins.edges[0])


@pytest.mark.parametrize("tails", [1.0, 1e9])
def test_no_bar_holds_scores_of_both_sides_of_one_of_two_cuts(tails):
    rng = np.random.default_rng(5)
    # many scores equal a cut
    scores = [np.append(rng.normal(center, 1, 200).round(1), -tails * np.arange(1.0, 60.0)) for center in (-1, 1)]
    for lower, upper in ((-0.5, 0.9), (0.3, 0.4), (-0.1, -0.1)):
        ax = plot_review(*scores, lower, upper, ax=Figure().subplots())
        for number, sample in enumerate(scores):
            heights, edges, _ = found(ax, f"nproc-scores-{number}").get_data()
            middles, areas = (edges[1:] + edges[:-1]) / 2, heights * np.diff(edges)
            zone = np.mean((sample >= lower) & (sample <= upper)) if lower < upper else 0
            np.testing.assert_allclose(areas[middles > upper].sum(), np.mean(sample > upper))
            np.testing.assert_allclose(areas[(middles > lower) & (middles < upper)].sum(), zone)


def test_a_narrow_zone_of_review_among_heavy_tails_can_be_seen():
    rng = np.random.default_rng(7)
    # as of log odds: 45 of 100 scores of class 0 are very far
    scores0 = np.concatenate([rng.normal(0, 10, 55), rng.normal(-1e10, 1, 45)])
    ax = plot_review(scores0, rng.normal(15, 10, 120), 5.0, 14.0, ax=Figure().subplots())
    low, high = ax.get_xlim()
    assert 9.0 / (high - low) > 0.05


def test_one_split_may_come_as_a_list_of_one_array(ax):
    plot_threshold([np.arange(1.0, 11.0)], [0.5], ax=ax)
    assert list(found(ax, "nproc-threshold").get_xdata()) == [0.5, 0.5]
    assert "class 0 above the threshold: 100 %" in legend_texts(ax)


def test_tied_scores_can_be_drawn(ax):
    plot_threshold(np.full(60, 2.0), 2.0, ax=ax)
    assert "threshold; 0 % of class 0 above" in legend_texts(ax)


def test_a_legend_of_many_rows_above_narrow_axes_has_two_columns():
    figure = Figure(figsize=(3.35, 3), layout="constrained")
    ax = figure.subplots()
    for number, name in enumerate(("logistic", "lda", "randomforest", "svm")):
        ax.plot([0, 1], [number / 4, 1 - number / 4], label=name)
    # no corner is free
    ax.fill_between([0, 1], 0, 1)
    place_legend(ax)
    figure.draw_without_rendering()
    tops = [round(text.get_window_extent().y0) for text in ax.get_legend().get_texts()]
    assert len(set(tops)) == 2
    assert ax.get_legend().get_window_extent().x1 <= figure.bbox.x1


def test_legend_lies_above_the_bars():
    rng = np.random.default_rng(0)
    ax = plot_threshold(rng.normal(size=250), 1.9, scores1=rng.normal(-1, 1, 200), alpha=0.05)
    ax.figure.draw_without_rendering()
    top_of_bars = ax.transData.transform((0, ax.dataLim.ymax))[1]
    assert ax.get_legend().get_window_extent().y0 >= top_of_bars


def test_bins_hold_their_right_edge_and_cut_is_an_edge():
    rng = np.random.default_rng(1)
    sample = rng.normal(size=500)
    cut = np.sort(sample)[470]
    bins = score_bins([sample], cut)
    assert cut in bins.edges
    areas = bins.heights(sample) * np.diff(bins.edges)
    np.testing.assert_allclose(areas[bins.edges[:-1] >= cut].sum(), np.mean(sample > cut))


def test_axes_that_show_errors_of_another_class_are_refused(ax):
    plot_band(**BAND, ax=ax, labels=(np.str_("ill"), np.str_("well")))
    plot_roc(np.array([0, 1]), np.array([0, 1]), ax=ax, labels=("ill", "well"))
    # not known: nothing to refuse
    plot_band(**OTHER, ax=ax)
    before = len(ax.lines)
    for draw in (
        lambda: plot_band(**OTHER, ax=ax, labels=("well", "ill")),
        lambda: plot_roc(np.array([0, 1]), np.array([0, 1]), ax=ax, labels=("well", "ill")),
    ):
        with pytest.raises(
            InvalidInputError, match=r"ax already shows .* class ill, .* class0='ill', or draw it on Axes"
        ):
            draw()
    assert len(ax.lines) == before
    ax.clear()
    plot_band(**BAND, ax=ax, labels=("well", "ill"))


@pytest.mark.slow(oldest=True)
@pytest.mark.filterwarnings("ignore:class0 is not given")
def test_bands_and_curves_know_their_class():
    rng = np.random.default_rng(0)
    y = np.repeat(["a", "b"], 60)
    X = rng.normal(size=(120, 2)) + (y == "b")[:, None]
    ax = nproc.nproc(X, y, "lda", class0="b", random_state=1).plot(ax=Figure().subplots())
    with pytest.raises(InvalidInputError, match=r"class b, and here class 0 is a.*class0='b'"):
        nproc.roc_cv(X, y, "lda", random_state=1).plot(ax=ax)
    with pytest.raises(InvalidInputError, match=r"class b, and here class 0 is a"):
        nproc.nproc(X, y, "lda", random_state=1).plot(ax=ax)
    curve = nproc.roc_cv(X, y, "lda", class0="b", random_state=1)
    assert curve.plot(ax=ax) is ax
    # a label of the user has the same room in the legend, whatever it is of
    band, label = nproc.nproc(X, y, "lda", class0="b", random_state=1), "a logistic regression of all 60 columns"
    for size in [(3.35, 3.0), (6.7, 6.0)]:
        axes = [one.plot(label=label, ax=Figure(size, layout="constrained").subplots()) for one in (band, curve)]
        of_band, of_curve = (ax.get_legend().get_texts()[-1].get_text() for ax in axes)
        assert of_band == of_curve == (label if size[0] > 4 else "a logistic ... all 60 columns")


def test_global_settings_stay_as_they_were():
    before, backend = dict(mpl.rcParams), mpl.get_backend()
    ax = draw_all(error_axes(), BAND, OTHER)
    plot_dominance(REGIONS, ["X1", "X2"], ax=ax)
    plot_roc(np.array([0, 1]), np.array([0, 1]))
    plot_threshold(np.array([1.0, 2.0]), 1.0)
    assert dict(mpl.rcParams) == before
    assert mpl.get_backend() == backend


@pytest.mark.slow
def test_import_stays_light():
    code = "import sys, nproc.plotting; print('matplotlib' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


@pytest.mark.parametrize("figsize", [3.35, (3, 0), (1, 2, 3), "large", (3, float("inf"))])
def test_a_size_that_is_none_is_named(figsize):
    with pytest.raises(InvalidInputError, match="figsize must be width and height in inches"):
        error_axes(figsize=figsize)


def test_every_result_that_makes_a_new_figure_takes_its_size():
    rooms = [found.name for found in pkgutil.walk_packages(nproc.__path__, "nproc.") if ".app" not in found.name]
    results = {
        kind
        for room in rooms
        if not room.endswith("__main__")
        for kind in vars(importlib.import_module(room)).values()
        if inspect.isclass(kind) and kind.__module__.startswith("nproc.")
    }
    drawn = [(kind.__name__, inspect.signature(kind.plot)) for kind in results if hasattr(kind, "plot")]
    assert len(drawn) > 20
    # a keyword of its own, or one of those that are handed on
    assert [name for name, given in drawn if not {"figsize", "style"} & set(given.parameters)] == []


PIPELINES = [
    f"{first}+{second}+LogisticRegression"
    for first in ("StandardScaler", "QuantileTransformer")
    for second in ("PCA", "PolynomialFeatures", "SplineTransformer")
]


@pytest.mark.slow(oldest=True)
def test_long_names_are_whole_where_the_measured_room_lets_them_be_and_else_cut_between_words():
    long = ["penalised logistic regression", "support vector machine", "naive Bayes", "linear discriminant analysis"]
    names, whole = [*long, "random forest"], [f"{letter}: {name}" for letter, name in zip("ABCD", long, strict=True)]
    regions = [(names[a], names[b], 0.1, 0.3) for a, b in itertools.combinations(range(5), 2)]
    with mpl.rc_context({"font.size": 7}):
        # the corner of one of two Axes has room for them
        ax = Figure(figsize=(6.9, 3.4), layout="constrained").subplots(1, 2)[1]
        plot_comparison(many_bands(names), regions, ax=ax, layout="overlay")
        assert legend_texts(ax)[:4] == whole
    ax = plot_comparison(many_bands(names), regions, layout="panels", figsize=(7, 7.2))
    titles = [panel.get_title(loc="left") for panel in panels(ax)]
    assert titles[:4] == [whole[0].replace("logistic", "..."), *whole[1:3], whole[3].replace("discriminant", "...")]


def test_no_empty_line_stands_above_the_note_where_all_bars_have_words():
    names = ["LogisticRegression", "SVC", "KNeighborsClassifier"]
    regions = [(names[0], names[1], 0.05, 0.3), (names[0], names[2], 0.05, 0.2), (names[2], names[1], 0.4, 0.8)]
    with mpl.rc_context({"font.size": 7}):
        ax = plot_comparison(many_bands(names), regions, note="bars: rules", layout="panels", figsize=(3.35, 3.4))
        ax.figure.canvas.draw()
    (strip,) = (child for child in ax.child_axes if child.get_gid() == "nproc-dominance")
    shown = [text for text in strip.texts if text.get_text()]
    # there was a line for bars without words before the layout
    assert len(shown) < len(strip.texts)
    assert shown[-1].get_gid() == "nproc-dominance-note"
    heights = [text.get_position()[1] for text in shown]
    assert heights[0] == min(text.get_position()[1] for text in strip.texts)
    assert np.diff(heights) == pytest.approx(LAST_ROWS)


@pytest.mark.parametrize("longest", [12, 16, 28, 40])
def test_short_names_of_different_methods_differ_and_have_room(longest):
    names = short_names(
        [*PIPELINES, "LogisticRegression", "the same long beginning, a", "the same long beginning, b"], longest
    )
    assert len(set(names)) == len(names)
    assert max(map(len, names)) <= longest


def many_bands(names):
    rng = np.random.default_rng(1)
    scores0 = rng.normal(size=200)
    bands = [NPROCBand.from_scores(scores0, rng.normal(1 + 0.5 * k, 1, 150)) for k in range(len(names))]
    given = [
        {"alpha": b.alpha, "type2_lower": b.type2_lower, "type2_upper": b.type2_upper, "type2": b.type2} for b in bands
    ]
    caption = r"at one $\alpha$ fixed beforehand, $\delta$ = 0.05"
    return [{**one, "label": name, "caption": caption} for one, name in zip(given, names, strict=True)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("names", "view"),
    [
        (["lda", "tree"], {"scale": "errors", "log": True}),
        (["a", "b", "c"], {"xlim": (0.0, 0.3)}),
        (PIPELINES[:3], {}),
        (PIPELINES[:3], {"scale": "errors", "log": True}),
        (["lda", "nb", "tree", "svm", "ada"], {}),
        (["lda", "nb", "tree", "svm", "ada"], {"xlim": (0.0, 0.3)}),
    ],
)
def test_in_one_column_of_a_journal_no_text_of_a_comparison_covers_another(names, view):
    regions = [(names[k], names[j], 0.1 * j, 0.1 * j + 0.3) for k in range(1, len(names)) for j in range(k)]
    with mpl.rc_context({"font.size": 7, "figure.figsize": (3.35, 2.95), "figure.dpi": 200}):
        ax = plot_comparison(many_bands(names), regions, note="bars: fitted scores, for all alpha at once", **view)
        assert collisions(ax.figure) == []


@pytest.mark.slow
@pytest.mark.parametrize("layout", ["none", "constrained", "tight"])
def test_a_legend_above_one_of_several_axes_covers_nothing_and_stays_inside(layout):
    names = ["StandardScaler+PCA+LogisticRegression", "PolynomialFeatures+StandardScaler+LogisticRegression"]
    figure = FigureCanvasAgg(Figure(figsize=(9, 6), layout=layout)).figure
    for ax in figure.subplots(2, 2).flat:
        plot_comparison(many_bands(names), [(names[1], names[0], 0.1, 0.4)], ax=ax, marked_alpha=0.1)
        # drawn a second time, it takes its room once
        plot_dominance([(names[1], names[0], 0.1, 0.4)], names, ax=ax)
        assert not ax.get_legend().get_frame_on()
    assert len(drawn_texts(figure)) > 40
    assert collisions(figure) == []
    legend, curves = ax.get_legend().get_window_extent(), ax.get_window_extent()
    assert curves.y1 - 1 <= legend.y0 <= curves.y1 + 10
    assert curves.height > 50


@pytest.mark.slow(oldest=True)
def test_many_bars_leave_half_of_the_room_to_the_curves():
    names = ["lda", "nb", "tree", "svm", "ada"]
    regions = [(names[k], names[j], 0.1, 0.4) for k in range(1, 5) for j in range(k)]
    with mpl.rc_context({"font.size": 7, "figure.figsize": (3.35, 2.95)}):
        ax = plot_comparison(many_bands(names), regions, layout="overlay")
        ax.figure.canvas.draw()
        strip = found(ax.figure, "nproc-dominance")
        assert ax.get_position().height > 0.7 * strip.get_position().height


def test_panels_without_room_tell_the_size_that_they_need():
    bands = many_bands(["lda", "nb", "tree", "svm", "ada"])
    with pytest.warns(NPWarning, match=r"too little room for 5 panels\. Use figsize=\(7.02, "):
        plot_comparison(bands, [], layout="panels", figsize=(3, 2))


@pytest.mark.slow(oldest=True)
def test_the_legend_is_placed_by_the_room_above_the_bars():
    names = ["lda", "nb", "tree", "svm", "ada"]
    regions = [(names[k], names[j], 0.1, 0.4) for k in range(1, 5) for j in range(k)]
    with mpl.rc_context({"font.size": 7, "figure.figsize": (3.35, 2.95)}):
        ax = plot_comparison(many_bands(names), regions, layout="overlay")
        ax.figure.canvas.draw()
        legend = ax.get_legend().get_window_extent()
        inside = [
            line.get_transform().transform_path(_drawn_path(line)).intersects_bbox(legend, filled=False)
            for line in lines_of(ax, "band")
        ]
        assert not any(inside)


@pytest.mark.slow
def test_on_a_dark_background_thresholds_and_marks_are_light():
    with mpl.style.context("dark_background"):
        ax = plot_threshold(np.array([1.0, 2.0, 3.0]), 2.0, alpha=0.1)
        assert to_rgb(found(ax, "nproc-threshold").get_color()) == (1, 1, 1)
        ax = mark_alpha(0.2, 0.1, 0.4, ax=plot_band(**BAND))
        assert all(to_rgb(line.get_color()) == (1, 1, 1) for line in lines_of(ax, "mark"))


def test_histograms_follow_the_colour_cycle():
    with mpl.rc_context({"axes.prop_cycle": mpl.cycler(color=["#112233", "#445566"])}):
        ax = plot_threshold(np.array([1.0, 2.0, 3.0]), 2.0, scores1=np.array([2.0, 5.0]))
        assert to_hex(found(ax, "nproc-scores-above").get_facecolor()) == "#112233"


@pytest.mark.parametrize(
    ("labels", "told"),
    [
        (None, ["class 0", "class 1"]),
        ((0, 1), ["class 0", "class 1"]),
        (("ill", "well"), ["ill", "well"]),
        # the controlled class is the one labelled 1
        ((1, 0), ["label 1", "label 0"]),
        (("-1", "1"), ["label -1", "label 1"]),
    ],
)
def test_pictures_name_classes_by_their_labels_and_bare_numbers_as_labels(labels, told):
    scores = np.linspace(-1, 1, 59)
    ax = plot_threshold([scores], [0.9], scores1=scores + 1, labels=labels)
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert any(text.startswith(f"{told[0]}, left out") for text in texts)
    assert told[1] in texts


def test_where_no_score_is_above_the_threshold_the_legend_has_no_colour_for_it():
    ax = plot_threshold(np.array([0.0, 1.0, 1.0, 1.0]), 1.0, alpha=0.3, labels=("ill", "well"))
    assert legend_texts(ax) == ["ill, left out (n = 4)", r"threshold for $\alpha$ = 0.3; 0 % of ill above"]
    assert not ax.findobj(lambda artist: artist.get_gid() == "nproc-scores-above")
    ax = plot_threshold(np.array([0.0, 1.0, 1.0, 2.0]), 1.0, alpha=0.3, labels=("ill", "well"))
    assert "ill above the threshold: 25 %" in legend_texts(ax)


@pytest.mark.slow(oldest=True)
def test_names_that_have_room_in_a_corner_of_a_narrow_picture_are_whole():
    names = ["Linear discriminant analysis", "Support vector machine, RBF", "Random forest (500 trees)"]
    regions = [(names[1], names[0], 0.05, 0.4), (names[2], names[0], 0.05, 0.4), (names[2], names[1], 0.05, 0.1)]
    # steep curves, which leave the lower right corner free
    steep = {"alpha": np.array([0.02, 0.1]), "type2_lower": np.array([0.05, 0.0]), "type2_upper": np.array([0.3, 0.2])}
    steep |= {"type2": np.array([0.2, 0.1]), "caption": r"at one $\alpha$ fixed beforehand, $\delta$ = 0.05"}
    drawn = [{**steep, "label": name} for name in names]
    with mpl.rc_context({"font.size": 7}):
        ax = plot_comparison(
            drawn, regions, note="bars: fitted rules", layout="overlay", marked_alpha=0.1, figsize=(3.35, 3.0)
        )
        assert collisions(ax.figure) == []
        assert ax.get_legend().get_frame_on()
        whole = [f"{letter}: {name}" for letter, name in zip("ABC", names, strict=True)]
        assert legend_texts(ax)[:3] == whole


@pytest.mark.slow
@pytest.mark.parametrize(("size", "font"), [(None, 10), ((6.7, 5.0), 7), ((3.35, 5.0), 7)])
@pytest.mark.parametrize("xlim", [(0, 0.3), None])
def test_words_about_the_bars_of_a_panel_end_with_the_panel(size, font, xlim):
    names = ["logistic", "HGB", "forest"]
    regions, somewhere = [("HGB", "logistic", 0.4, 0.5)], [("forest", "logistic", 0.1, 0.5)]
    view = {"somewhere": somewhere, "layout": "panels", "xlim": xlim, "figsize": size}
    with mpl.rc_context({"font.size": font}):
        ax = plot_comparison(many_bands(names), regions, note="bars: fitted scores", **view)
        assert collisions(ax.figure) == []
        strips = ax.figure.findobj(lambda artist: artist.get_gid() == "nproc-dominance-panel")
        told = {}
        for strip in strips:
            for text in strip.texts:
                told[text.get_text()] = strip
                box, whole = text.get_window_extent(), strip.get_window_extent()
                assert box.x1 <= whole.x1 + 0.5 * text.get_fontsize() * ax.figure.dpi / 72
                assert box.y0 >= whole.y0 - 1
        assert any(" somewhere in" in text for text in told)
        assert any("\nfound at levels not shown" in text for text in told) == (xlim is not None)


@pytest.mark.slow(oldest=True)
def test_a_row_whose_bars_lie_beyond_the_axis_says_so():
    ax = plot_comparison(NAMED, [("X1", "X2", 0.6, 0.9), ("X2", "X1", 0.05, 0.1)], xlim=(0, 0.2))
    texts = [text.get_text() for text in found(ax, "nproc-dominance").texts]
    assert texts == ["X1 better than X2, found at levels not shown", "X2 better than X1"]
    # and takes no more room than these words
    first, second = (text.get_position()[1] for text in found(ax, "nproc-dominance").texts)
    assert second - first < 2
    # where letters stand beside the bars, they say whom such a row is about
    names = ["lda", "nb", "tree", "svm", "ada"]
    regions = [("svm", "lda", 0.6, 0.9), ("svm", "nb", 0.6, 0.9), ("nb", "lda", 0.7, 0.8), ("ada", "nb", 0.1, 0.15)]
    regions += [("ada", worse, 0.5, 0.6) for worse in names[:4]]
    view = {"xlim": (0, 0.2), "layout": "overlay", "figsize": (3.35, 4.7)}
    somewhere = [("lda", "tree", 0.3, 0.4)]
    low = plot_comparison(NAMED, [("X1", "X2", 0.5, 0.6)], somewhere=[("X2", "X1", 0.05, 0.12)], **view)
    assert "open bars mean better at some level" in row_texts(found(low, "nproc-dominance"))
    # what open bars mean is said of those that are drawn
    low = plot_comparison(NAMED, [("X1", "X2", 0.5, 0.6)], somewhere=[("X2", "X1", 0.55, 0.62)], **view)
    assert not any("open bar" in text for text in row_texts(found(low, "nproc-dominance")))
    assert collisions(low.figure) == []
    ax = plot_comparison(many_bands(names), regions, somewhere=somewhere, **view)
    assert collisions(ax.figure) == []
    told = ("beats", "not shown", "some level above")
    words = [text for text in row_texts(found(ax, "nproc-dominance")) if any(part in text for part in told)]
    assert words == [
        *["A beats C", "at some level above 0.2", "B beats A", "found at levels not shown"],
        *["D beats", "A, B, found at levels not shown", "E beats"],
        # of the last winner another bar is in sight
        "3 pairs found at levels not shown",
    ]
