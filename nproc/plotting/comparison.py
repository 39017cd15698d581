"""Several bands in one picture, over each other or in panels, and bars over the levels at which one beats another."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations, groupby, pairwise, zip_longest
from string import ascii_uppercase

import numpy as np

from nproc.checks import check_choice, level_text
from nproc.errors import NPWarning, warn_at_call
from nproc.plotting.anew import in_settings_of, placed, set_room, size_of
from nproc.plotting.bands import mark_level, mark_segment, name_axes, plot_band, plot_steps
from nproc.plotting.canvas import (
    BESIDE,
    LETTER,
    LONGEST,
    LONGEST_IN_LEGEND,
    NARROW,
    PALE,
    as_given,
    as_height,
    axes_or_new,
    band_color,
    claim_axes,
    color_of,
    error_axes,
    extent_of,
    find_child,
    find_strip,
    ink,
    letters_of,
    level_line,
    line_width,
    lines_of,
    names_in_legend,
    new_size,
    panels_of,
    points,
    row_of,
    scale_of,
    short_names,
    small_size,
    width_beside,
    write_plain_numbers,
)
from nproc.plotting.legend import (
    MOST_IN_A_COLUMN,
    explain_bounds,
    has_room_above,
    least_shrunk,
    legend_room,
    note_caption,
    place_legend,
)
from nproc.plotting.lines import (
    FREE_AT_EDGE,
    break_name_of_y,
    height_beside_name,
    in_lines,
    name_x,
    name_x_again,
    room_of,
    room_over_names,
    width_in,
)

# heights in units of the font size: of the gap below the curves, of a line of text above bars and below all of them, of
# bars, below them, and of bars whose name stands beside them
TOP, TEXT_ROWS, LAST_ROWS, BAR_ROWS, GAP, NAMED_BAR = 0.6, 1.5, 1.35, 0.85, 0.35, 1.2
# of bars with words in them, and of one of these bars; what the words leave free of the width of their bar
LETTERED_ROWS, LETTERED_BAR, AROUND_WORDS = 1.45, 1.2, 0.4
# and of each line of the name of an axis behind the first
LINE = 1.2
# and what a single letter leaves free, which is enough to read it
AROUND_LETTER = 0.1
# share of the colour of a method in its bars where it beats not all the others
LIGHT = 0.4
# width of the edge of a bar; a bar narrower than so many of these would be all edge, and look like a darker bar
BAR_EDGE, NARROW_BAR = 0.3, 4
# how much of its colour the band in a panel has: the grey lines of the others are seen on it, also in print
SHADE_IN_PANEL = 0.15
# up to so many rows have all names above them, if legend and bars leave this share of the room to the curves
MOST_WITH_NAMES, LEAST_OF_CURVES = 6, 0.5
# more pairs without a winner than this are counted, and not named
MOST_UNDECIDED = 3
# from so many bands on, each gets a panel of its own
PANELS_FROM = 3
# over each other, the bounds of more bands than this cannot be told apart
MOST_WITH_BOUNDS = 4
# of a name that is cut, at least so many letters are left
SHORTEST = 8
# names of at most so many letters need no letter that stands for them
FEW_LETTERS = 3
BETTER, OPEN = " better than ", " (open bar: at some level in it)"
OPEN_BARS = "open bars mean better at some level"
LIGHT_BARS = "not better than all others"
PROVE_MORE = "; where the bands do not overlap, they prove more"
SOMEWHERE, NO_WORDS, NOT_SHOWN = " somewhere in", "unnamed bars: ", " not shown"
ELSEWHERE, SOME_ELSEWHERE = "found at levels not shown", "at some level"
# so many others are named in a bar, even where they are all
FEW_OTHERS = 2
# in units of the font size: width of a bar of the bounds at a marked level, with one letter or a few, and of the room
# before it; the largest share of the width of Axes that these bars take
MARKED_BAR, NAMED_MARK, BEFORE_BARS, MOST_BESIDE = 1.6, 2.4, 0.5, 0.35
# lines that name bars without words, at most; the share of such a bar that is left when its ends are rounded, at least
LINES_OF_UNLABELLED, LEAST_OF_ROUNDED = 2, 0.8
# width of the gap between bars that touch, and the share of the narrower one that it takes at most
PART, MOST_OF_PART = 0.8, 0.3
# share of the room of Axes that the strip may take, and the share of their height in which lines of text in it still
# stand apart
MOST_OF_STRIP, LEAST_OF_LINES = 0.5, 0.87
# where the texts of a strip begin, as a share of its width, and what stays free behind their lines, in points
INDENT, BEHIND_LINES = 0.01, 1.0
# share of the size of a new figure that its layout leaves to the curves, before anything is drawn
SHARE = 0.775
LAYOUTS = ("overlay", "panels")
# room of the panels in units of the font size: for the numbers at the left, for a name, between two
LEFT, ABOVE, BETWEEN = 2.6, 2.0, 2.8
# least width and height of a panel, in units of the font size
LEAST_PANEL, LEAST_HEIGHT = 14, 9
# from so many bands on, those over each other tell less than panels of this height
CROWDED_FROM, LEAST_OF_CROWDED = 4, 5.8
INCHES = 5.2
# the highest panel of a new figure
HIGHEST_PANEL = 2.6


def plot_comparison(
    bands,
    regions,
    *,
    somewhere=(),
    note=None,
    apart=(),
    ax=None,
    layout=None,
    marked_alpha=None,
    chosen=False,
    bounded=True,
    **view,
):
    """Return Axes with several bands, and a strip below them with bars over the levels at which one beats another.

    Parameters
    ----------
    bands : sequence of dict
        Keyword arguments of `plot_band` for each band, with a different ``label`` each. In place of ``caption``, the
        legend says ``unseen`` where no bounds are drawn, if there is such a key.
    regions, somewhere : iterable of (str, str, float, float)
        As `plot_dominance` takes them.
    note : str, optional
        What the bars speak of.
    apart : iterable of (float, float)
        Ranges of levels in which the bounds of two bands do not overlap although no bar says so. The note tells it
        where the picture shows such bounds.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None makes a figure.
    layout : {"overlay", "panels"}, optional
        All bands over each other, or each in a panel with the estimates of the others in grey. None takes panels from
        three bands on, if they are high enough to be read and the figure holds no other Axes. The panels are
        ``ax.child_axes``; limits set on `ax` are those of all. Over each other, three and four bands have their bounds
        as thin lines, and more than four have their estimates alone, which the legend says.
    marked_alpha : float, optional
        A level to mark by a line across all bands, whose bounds there stand beside the curves, or in their panels.
    chosen : bool
        Whether the legend says that this level was chosen on a band, as in `mark_level`.
    bounded : bool
        Whether the horizontal axis shows bounds on the type I error, and not the type I error itself.
    figsize : (float, float), optional
        Size of the new figure in inches; None takes that of rcParams, if somebody has set one, or what the picture
        needs.
    **view
        scale, xlim, log and whole, as `error_axes` takes them.

    Returns
    -------
    matplotlib.axes.Axes
        The Axes drawn on.

    Raises
    ------
    InvalidInputError
        If the layout is unknown.
    """
    panels_wide = 1.35 * INCHES
    in_panels = len(bands) >= PANELS_FROM if layout is None else check_choice(layout, "layout", LAYOUTS) == "panels"
    names = [band["label"] for band in bands]
    font = points(small_size()) / 72
    pairs = _ranges(regions, somewhere)
    plain, note = note, note if not apart else f"{note}{PROVE_MORE}"
    n_columns, n_rows = _grid(len(bands), SHARE * panels_wide)
    panel_high = min(panels_wide / n_columns, HIGHEST_PANEL)
    strip = _Strip(names, pairs, note, 80, n_columns)
    panels_high = 1.3 + n_rows * panel_high + font * (sum(strip.room_for_bars(n_columns, n_rows)) + strip.height)
    own = ax is None
    if own:
        letters = int(SHARE * INCHES / font / LETTER)
        own_high = INCHES + font * _Strip(names, pairs, note, letters).height
        view["figsize"] = new_size(view.get("figsize"), (panels_wide, panels_high) if in_panels else (INCHES, own_high))
    ax = error_axes(ax, **view)
    ax.patch._nproc_bounded = bounded
    others = ""
    if not in_panels and len(ax.figure.axes) == 1 and _high_enough(ax, names, pairs, note, LEAST_HEIGHT / 2):
        others = ", or layout='panels'"
    if in_panels and layout is None:
        least = LEAST_HEIGHT if len(bands) < CROWDED_FROM else LEAST_OF_CROWDED
        in_panels = len(ax.figure.axes) == 1 and _high_enough(ax, names, pairs, note, least)
    elif in_panels and not _high_enough(ax, names, pairs, note, LEAST_HEIGHT / 2):
        warn_at_call(
            f"layout='panels' has too little room for {len(bands)} panels. Use "
            f"figsize=({panels_wide:.3g}, {panels_high:.3g}), or layout='overlay'.",
            NPWarning,
        )
    (_plot_panels if in_panels else _plot_overlay)(bands, ax, marked_alpha, chosen)
    # of more bands over each other, bounds stand beside the curves alone
    at_one = [math.nan if marked_alpha is None else marked_alpha] * 2
    seen = None if in_panels or len(bands) <= MOST_WITH_BOUNDS else at_one
    told = partial(_note_at_limits, (plain, note), list(apart), seen)
    plot_dominance(regions, names, ax=ax, note=told, somewhere=somewhere)
    _warn_of_rows_without_room(regions, names, told, somewhere, ax, own, others)
    if not own:
        _warn_of_narrow_axes(ax)
    return ax


def _warn_of_narrow_axes(ax):
    """Say once for a size of a figure that the texts of its comparisons are wider than its Axes side by side can be.

    A layout would then make the Axes narrower each time that it is drawn, and the texts would not get narrower.
    """
    row, figure = row_of(ax), ax.figure
    if len(row) < 2 or figure.get_layout_engine() is None:
        return
    whole = figure.bbox.width / figure.dpi - 2 * FREE_AT_EDGE / 72 * len(row)
    left, right = (sum(sides) / figure.dpi for sides in zip(*map(_width_of_texts, row), strict=True))
    if left + right <= whole or getattr(figure, "_nproc_narrow", None) == size_of(ax):
        return
    figure._nproc_narrow = size_of(ax)
    wide = max(0.0, whole - left) / len(row)
    warn_at_call(
        f"Axes {wide:.1f} inches wide side by side have too little room for the texts of a comparison. Make the figure "
        "wider, put one comparison below another, or give each a figure of its own.",
        NPWarning,
    )


def _width_of_texts(ax):
    """How far texts reach from the left side of Axes to the left, and those of a comparison to the right, in pixels."""
    side, numbers, strip = extent_of(ax).x0, ax.yaxis.get_tightbbox(for_layout_only=True), find_strip(ax)
    texts = [] if strip is None else [text.get_window_extent() for text in _texts_beside_bars(strip)]
    left, right = [side - box.x0 for box in [numbers, *texts] if box is not None], [box.x1 - side for box in texts]
    if strip is not None and ax.get_legend() is not None:
        legend = ax.get_legend().get_window_extent()
        # one in a corner stands where the Axes end
        right.append(min(legend.x1 - side, legend.width))
    return max(left, default=0.0), max(right, default=0.0)


def _warn_of_rows_without_room(regions, names, note, somewhere, ax, own, others):
    """Say whose bars are left out, since the strip has no room for their rows, and the size that they need.

    `own` is whether the figure was made for this picture, and `others` what else helps.
    """
    if find_strip(ax)._nproc_left_out and not _strip_of(regions, names, note, somewhere, ax).left_out:
        # the numbers of the levels stand below the strip now, and no longer take room from its note
        plot_dominance(regions, names, ax=ax, note=note, somewhere=somewhere)
    left_out = find_strip(ax)._nproc_left_out
    if not left_out:
        return
    taller = 1.0
    while _strip_of(regions, names, note, somewhere, ax, taller=taller).left_out:
        taller *= 1.05
    width, height = size_of(ax)
    high = math.ceil(10 * taller * height) / 10
    # once for a figure, unless other Axes in it need more or lack other bars; what other Axes showed before they were
    # cleared does not count
    strips = [find_strip(one) for one in ax.figure.axes if one is not ax]
    told = [strip._nproc_lacks for strip in strips if strip is not None and strip._nproc_lacks is not None]
    find_strip(ax)._nproc_lacks = (width, height), high, set(left_out)
    told = [(most, names) for size, most, names in told if size == (width, height)]
    if any(high <= most for most, _ in told) and set(left_out) <= set().union(*(names for _, names in told)):
        return
    told = _in_words(left_out)
    if len(left_out) > MOST_UNDECIDED:
        told = f"{len(left_out)} of {len(names)} methods"
    way = f"Use figsize=({width:.3g}, {high:.3g})" if own else f"Make the whole figure {high:.3g} inches high"
    warn_at_call(
        f"The strip below the curves has too little room for the bars of {told}, which are left out. {way}{others}.",
        NPWarning,
    )


def _note_at_limits(notes, apart, seen, ax):
    """The second of two notes where bounds that do not overlap are seen, or else the first."""
    left, right = sorted(ax.get_xlim()) if seen is None else seen
    return notes[any(low <= right and left < high for low, high in apart)]


def _plot_overlay(bands, ax, marked_alpha, chosen):
    if marked_alpha is not None:
        mark_level(marked_alpha, ax=ax, chosen=chosen)
    bounds = len(bands) <= MOST_WITH_BOUNDS
    seen = bounds or any(_bounds_at(band, marked_alpha) for band in bands)
    for band in bands:
        own = {"bounds": bounds} | band | {"label": as_given(band["label"])}
        unseen = own.pop("unseen", None)
        plot_band(**own if seen or unseen is None else own | {"caption": unseen}, ax=ax)
    _plot_marked_bounds(bands, ax, marked_alpha)
    if not bounds:
        beside = find_child(ax, BESIDE)
        explain_bounds(ax, "bounds not drawn" if beside is None else f"bounds only {beside.get_xlabel()}")


def _plot_marked_bounds(bands, ax, alpha):
    """Draw the bounds of all bands at a marked level beside these Axes, on the same vertical axis.

    On the line of the level they would cover each other, and beside it they would look like bounds at other levels.
    """
    earlier = find_child(ax, BESIDE)
    if earlier is not None:
        earlier.remove()
    marked = [(number, ends) for number, band in enumerate(bands) if (ends := _bounds_at(band, alpha))]
    if not marked:
        return
    names = [bands[number]["label"] for number, _ in marked]
    words = rf"at $\alpha$ = {level_text(alpha)}"
    wide = NAMED_MARK if max(map(len, names)) <= FEW_LETTERS or len(bands) > len(ascii_uppercase) else MARKED_BAR
    # the sign of alpha is one letter
    needed = BEFORE_BARS + max(wide * len(marked), LETTER * (len(words) - len(r"$\alpha$") + 1))
    beside = ax.inset_axes([1, 0, 0.1, 1], sharey=ax)
    beside.set(gid=BESIDE, xlim=(-0.5, len(marked) - 0.5), xticks=range(len(marked)))
    beside._nproc_names, beside._nproc_scale = names, scale_of(ax)
    beside._nproc_needed = needed
    beside.set_axes_locator(_RightPart(ax))
    beside.set_xlabel(words, fontsize=small_size(), labelpad=1)
    beside.tick_params(which="both", length=0, labelleft=False, labelsize=small_size())
    beside.grid(axis="y", lw=line_width(0.3), color="0.85")
    beside.set_axisbelow(True)
    beside.patch.set_visible(False)
    beside.spines[:].set_visible(False)
    for place, (number, (low, high, value)) in enumerate(marked):
        color = band_color(ax, number)
        mark_segment(place, low, high, ax=beside, color=color, number=number)
        height = as_height(ax, value)
        dot = {"color": color, "ms": line_width(3), "label": "_", "gid": f"nproc-mark-{number}-estimate"}
        beside.plot([place], [height], "o", **dot)
    _fit_marked_bounds(ax, beside)


def _fit_marked_bounds(ax, beside):
    """Give the bounds at a marked level the width that they need, or less of narrow Axes."""
    width = 72 * ax.get_window_extent().width / ax.figure.dpi / points(small_size())
    beside._nproc_width = min(beside._nproc_needed, MOST_BESIDE * width)
    for segment in [line for line in lines_of(beside, "mark") if line.get_gid().endswith("-segment")]:
        segment.set_markersize(0.7 * points(small_size()) * beside._nproc_width / beside._nproc_needed)


def _name_marked(beside, called):
    """Write below the bars of bounds how their methods are called: all of them, or each second or third one."""
    names = [called[name] for name in beside._nproc_names]
    room = beside._nproc_width - BEFORE_BARS
    step = math.ceil((LETTER * max(map(len, names)) + 0.25) * len(names) / room)
    beside.set_xticks(range(0, len(names), step), names[::step])


def _bounds_at(band, alpha):
    """The bounds of a band at a level, and its estimate; none without a level or a classifier of the band there."""
    at = -1 if alpha is None else int(np.searchsorted(band["alpha"], alpha, side="right")) - 1
    if at < 0:
        return ()
    levels, values = _estimate(band)
    value = values[max(int(np.searchsorted(levels, alpha, side="right")) - 1, 0)]
    return band["type2_lower"][at], band["type2_upper"][at], value


def _plot_panels(bands, ax, marked_alpha, chosen):
    """Divide the Axes into a panel for each band, with one pair of axes for all."""
    width = ax.get_window_extent().width / ax.figure.dpi
    n_columns, n_rows = _grid(len(bands), width)
    if ax.get_xscale() == "linear":
        _number_panels(n_columns, ax)
    grid = _Grid(ax, n_rows, n_columns, [0.0] * n_rows)
    ax.tick_params(which="both", length=0, labelleft=False, labelbottom=False)
    ax.spines[:].set_visible(False)
    ax.patch.set_visible(False)
    for number, band in enumerate(bands):
        row, column = divmod(number, n_columns)
        panel = ax.inset_axes([0, 0, 1, 1], sharex=ax, sharey=ax)
        panel.set_axes_locator(_Cell(grid, row, column))
        panel.set_gid(f"nproc-panel-{number}")
        panel._nproc_scale = scale_of(ax)
        lowest = number + n_columns >= len(bands)
        panel.tick_params(which="both", labelleft=column == 0, labelbottom=lowest, labelsize=small_size())
        # ticks without numbers would stand right above the name of the panel below
        panel.tick_params(axis="x", which="both", bottom=lowest)
        for other, rest in enumerate(bands):
            if other != number:
                line = plot_steps(*_estimate(rest), ax=panel, color=PALE, lw=line_width(0.7))
                line.set_gid(f"nproc-other-{other}")
        if marked_alpha is not None:
            mark_level(marked_alpha, ax=panel).lines[-1].set_label("_")
        own = {"color": color_of(number), "linestyle": "-"} | band | {"label": None, "caption": None}
        own.pop("unseen", None)
        plot_band(**own, ax=panel, number=number)
        for line in [line for line in panel.lines if line.get_gid() == f"nproc-band-{number}-estimate"]:
            # in its own colour a light one would look like the others in grey-scale print
            line.set(color=ink(), linestyle="-")
        for fill in panel.collections:
            fill.set_alpha(SHADE_IN_PANEL)
        panel.set(xlabel="", ylabel="")
        if bounds := _bounds_at(band, marked_alpha):
            mark_segment(marked_alpha, *bounds[:2], ax=panel, color=ink())
    if len(bands) < n_rows * n_columns:
        # the legend stands in the first cell without a panel, if it has room there
        free = ax.inset_axes([0, 0, 1, 1])
        free.set_axes_locator(_Cell(grid, *divmod(len(bands), n_columns)))
        free.set_axis_off()
        free.set_gid("nproc-free-cell")
    # and as many as there is room for beside one
    ax.yaxis.get_major_locator().set_axis(panel.yaxis)
    if ax.get_xscale() == "log":
        # as many numbers as there is room for below one panel
        write_plain_numbers(panel)
    # the legend of all panels explains their lines, which have no names in it
    main = {"color": ink(), "label": "estimate and band", "lw": line_width(1.2)}
    ax.plot([], [], **main, gid="nproc-key-estimate")
    others = "the other method" + "s" * (len(bands) > 2)
    ax.plot([], [], color=PALE, lw=line_width(0.7), label=others, gid="nproc-key-others")
    if marked_alpha is not None:
        has_bar = any(_bounds_at(band, marked_alpha) for band in bands)
        mark_level(marked_alpha, ax=ax, chosen=chosen, has_bar=has_bar).lines[-1].set_xdata([math.nan, math.nan])
    for number, band in enumerate(bands):
        note_caption(ax, number, band.get("caption"))
    claim_axes(ax, bands[0].get("labels"))
    name_axes(ax)


def _number_panels(n_columns, ax, drawn=None):
    """Write as many numbers as have room below each panel; each takes as much room as six letters."""
    from nproc.plotting.ticks import linear_numbers

    if drawn in (None, ax.xaxis.get_major_locator()):
        drawn = linear_numbers(max(2, letters_of(ax) // n_columns // 6))
        ax.xaxis.set_major_locator(drawn)
        placed(ax, "numbers", partial(_number_panels, n_columns, drawn=drawn))


def _estimate(band):
    type2 = band["type2"]
    return (band["alpha"], type2) if np.ndim(type2[0]) == 0 else type2


def _grid(number, inches):
    """Columns and rows of panels that are wide enough."""
    n_columns = int(np.clip(72 * inches / (LEAST_PANEL * points(small_size())), 1, number))
    n_rows = math.ceil(number / n_columns)
    return math.ceil(number / n_rows), n_rows


def _high_enough(ax, names, pairs, note, least):
    """Return whether panels of these Axes can be read, with the bars below each and the strip below all of them."""
    font = points(small_size())
    width, height = (72 * side / ax.figure.dpi / font for side in ax.get_window_extent().size)
    n_columns, n_rows = _grid(len(names), width * font / 72)
    strip = _Strip(names, pairs, note, letters_of(ax), n_columns, axis=_Axis(sorted(ax.get_xlim())))
    taken = min(strip.height, height / 2) + sum(strip.room_for_bars(n_columns, n_rows)) + _below()
    return height - taken - n_rows * ABOVE >= n_rows * least


def _below():
    """Room for numbers below Axes, in units of the font size."""
    import matplotlib as mpl

    return (mpl.rcParams["xtick.major.size"] + mpl.rcParams["xtick.major.pad"]) / points(small_size()) + 1.3


@dataclass(frozen=True)
class _Row:
    """The bars of one method: whom it beats at all, and from each level to another.

    Parameters
    ----------
    better : str
        The method.
    worse : tuple of str
        All that it beats somewhere.
    full, open : list of (float, float, tuple of str)
        Two levels and whom it beats between them: throughout, no two bars on each other; or at one level at least.
    is_lettered : bool
        Whether the bars have words in them, which say whom the method beats there.
    """

    better: str
    worse: tuple
    full: list
    open: list
    is_lettered: bool

    @property
    def is_alike(self):
        """Whether each bar is about all that the method beats somewhere."""
        return all(worse == self.worse for *_, worse in [*self.full, *self.open])

    @property
    def n_lanes(self):
        """How many bars stand below each other: open ones hide no full ones where both have words in them."""
        return 1 + (self.is_lettered and any(a < d and c < b for a, b, _ in self.full for c, d, _ in self.open))

    @property
    def lanes(self):
        """The bars that stand side by side, in the order of levels, each with whether it is open."""
        full, some = ([(*bar, is_open) for bar in bars] for bars, is_open in ((self.full, False), (self.open, True)))
        return [full, some] if self.n_lanes > 1 else [sorted([*full, *some])]

    @property
    def bars_height(self):
        return LETTERED_ROWS * self.n_lanes if self.is_lettered else BAR_ROWS

    @property
    def spans(self):
        """The levels of full and of open bars."""
        return tuple([bar[:2] for bar in bars] for bars in (self.full, self.open))

    def covers(self, levels):
        """Return whether its full bars lie over one of these levels, and whether its open bars do."""
        return tuple(any(low <= level <= high for low, high in span for level in levels) for span in self.spans)

    @property
    def length(self):
        """The length of all its bars, that of a bar counted for each method that it is about."""
        return sum((high - low) * len(worse) for low, high, worse in [*self.full, *self.open])


def _rows(names, pairs):
    """Return a row for each method that beats another one, in the order of the names."""
    rows = []
    for better in names:
        found = {worse: pairs[better, worse] for worse in names if (better, worse) in pairs}
        if found:
            full, some = ([(*span, worse) for worse in found for span in found[worse][kind]] for kind in (0, 1))
            bars = _cut_where_they_change(full, names), _joined(some, names)
            rows.append(_Row(better, tuple(found), *bars, is_lettered=len(found) > 1))
    return rows


def _cut_where_they_change(ranges, names):
    """Return bars that do not lie on each other, each with all whose ranges cover it."""
    bars = []
    for low, high in pairwise(sorted({end for span in ranges for end in span[:2]})):
        covering = {worse for a, b, worse in ranges if a <= low and high <= b}
        worse = tuple(name for name in names if name in covering)
        if bars and bars[-1][1:] == (low, worse):
            bars[-1] = bars[-1][0], high, worse
        elif worse:
            bars.append((low, high, worse))
    return bars


def _joined(ranges, names):
    """Return bars that do not lie on each other: what is true at some level of a range is so of a longer one."""
    bars = []
    for low, high, worse in sorted(ranges):
        if bars and low < bars[-1][1]:
            start, end, earlier = bars[-1]
            bars[-1] = start, max(end, high), tuple(name for name in names if name in (*earlier, worse))
        else:
            bars.append((low, high, (worse,)))
    return bars


@dataclass(frozen=True)
class _Axis:
    """What a strip asks of the axis that it stands below.

    Parameters
    ----------
    limits : (float, float)
        Its first and its last level: of open bars that reach beyond, the ends are told.
    words_with_room : callable, optional
        Gives for ways to name a bar and its two levels the first one that has room in it, or an empty text; None for a
        bar that is not shown.
    in_lines, in_longer_lines : callable
        Gives for the note, and for another text, the same with a new line where it has no more room.
    """

    limits: Sequence = (0.0, 1.0)
    words_with_room: Callable | None = None
    in_lines: Callable = str
    in_longer_lines: Callable = str


class _Strip:
    """What stands below the curves: how each method is called in the picture, the texts, and their heights.

    Each method that beats another one has a row. Up to a few rows have the names of all methods above their bars.
    Where that takes too much room, each method has a letter in the legend or in the title of its panel, and the letters
    stand beside the bars. A method that beats several has bars with their names or letters in them.

    Parameters
    ----------
    names : sequence of str
        Of all methods, in order.
    pairs : dict
        Of `_ranges`.
    note : str or None
        A last row. If there is room, bars are light where their method does not beat all others, and the row says so.
    letters : int
        Width of a row.
    n_columns : int
        Of panels; 0 where the bands lie over each other.
    height : float
        Room for curves, legend and strip together, in units of the font size.
    marked : collection of float
        The levels that the legend names.
    beside : float
        Width of the bounds at a marked level, which stand beside the curves and need letters.
    axis : _Axis
        What is below the curves.
    agreed : dict
        For names that other Axes of the figure show shorter: how.
    """

    def __init__(
        self,
        names,
        pairs,
        note,
        letters,
        n_columns=0,
        height=math.inf,
        marked=(),
        beside=0.0,
        axis=_Axis(),
        agreed=None,
    ):
        self.names, self.pairs, self.in_panels = names, pairs, n_columns > 0
        self.plain_note, self.agreed = note, agreed or {}
        self.limits, self.words_with_room = axis.limits, axis.words_with_room
        self.in_lines, self.in_longer_lines = axis.in_lines, axis.in_longer_lines
        self.in_legend = len(names) + len(marked)
        # of names in a legend of letters and names: how many letters they may have, if it has room for them, and always
        self.longest, self.shortest = 0, 1
        self.rows = _rows(names, pairs)
        # once the picture is laid out, a panel is somewhat wider than before
        self.letters_of_row = int(1.12 * letters / n_columns) if n_columns else letters
        letters_of_name = self.letters_of_row if n_columns else names_in_legend(letters)
        self.shown = self.called = self._names_with_room(max(letters_of_name, SHORTEST), height, beside)
        self.keyed = self.shown is None or (self.words_with_room is not None and self._says_more_by_letters())
        if self.keyed and max(map(len, names)) <= FEW_LETTERS:
            self.shown = self.called = {name: as_given(name) for name in names}
        elif self.keyed:
            self.longest = self.shortest = letters_of_name
            many = self.in_legend > MOST_IN_A_COLUMN
            if not self.in_panels and many and self._legend_height() > height / 4:
                # as many as have room in two columns
                self.shortest = min(letters_of_name, names_in_legend(letters / least_shrunk() / 2))
            self.called = self._letters_of_names()
            self.cut_names(self.shortest)
        if self.in_panels or not self.keyed:
            # what stands above the bars says whom the method beats, and words in the bars tell which of these
            self.rows = [replace(row, is_lettered=row.is_lettered and self._needs_words(row)) for row in self.rows]
        self.left_out, self.letters = set(), int(letters - beside / LETTER)
        # the lines of text that there may be, that which goes first being the last
        self.told_of = ["undecided", "beyond", "unlabelled"]
        self.without_words = self._narrow_bars()
        # before anything is drawn, nothing is known of the bars
        self.n_unlabelled = 1 if self.words_with_room is None else LINES_OF_UNLABELLED
        if not self.in_panels:
            self._leave_out(MOST_OF_STRIP * height - self.in_legend / 2, marked)

    def _needs_words(self, row):
        return not row.is_alike or len(self.words_above(row, self.called)) > self.letters_of_row

    def _letters_of_names(self):
        few = len(self.names) <= len(ascii_uppercase)
        return {name: ascii_uppercase[k] if few else f"m{k + 1}" for k, name in enumerate(self.names)}

    def _says_more_by_letters(self):
        """Whether fewer bars of panels, or of other Axes, stay without words if letters stand for the names."""
        names, by_names = self.called, self._narrow_bars()
        self.called = self._letters_of_names()
        by_letters = self._narrow_bars()
        self.called = names
        return len(by_letters) < len(by_names)

    def _narrow_bars(self):
        """Return each bar that has no room for words, with the method that it is about."""
        return [
            (row.better, *bar)
            for row in self.rows
            if row.is_lettered
            for lane in row.lanes
            for bar in lane
            if self.words_with_room is None or self.words_with_room(self.words_in_bar(bar[2]), *bar[:2]) == ""
        ]

    def cut_names(self, letters):
        """Show each method by its letter and its name, of which at most so many letters together are left."""
        cut = self._short_names(max(letters - 3, SHORTEST))
        self.shown = {name: f"{self.called[name]}: {text}" for name, text in zip(self.names, cut, strict=True)}

    def _short_names(self, longest):
        found = zip(self.names, _short_names(self.names, longest), strict=True)
        return [self.agreed.get(name, text) for name, text in found]

    @property
    def texts(self):
        """What is left of each name, without its letter."""
        start = {name: f"{self.called[name]}: " for name in self.names}
        return {name: text.removeprefix(start[name]) for name, text in self.shown.items()}

    def fit_names(self, fits):
        """Show of each name that is cut or has no room as much as there is room for, which `fits` tells of the name."""
        for place, name in enumerate(self.names):
            # once the picture is laid out, a panel is somewhat wider than before
            before, has_room = self.shown[name], self.in_panels or fits(name)
            if name in self.agreed or (has_room and "..." not in before):
                continue
            least = NARROW if has_room else SHORTEST - 1
            cuts = [_short_names(self.names, longest)[place] for longest in range(LONGEST_IN_LEGEND, least, -1)]
            start = f"{self.called[name]}: "
            # two names may not look the same behind their letters
            taken = {self.shown[other].partition(": ")[2] for other in self.names if other != name}
            rest = [cut for cut in dict.fromkeys(cuts) if cut not in taken]
            for cut in [cut for cut in rest if not has_room or len(start + cut) > len(before)]:
                self.shown[name] = start + cut
                if fits(name):
                    break
                self.shown[name] = before

    def _names_with_room(self, most, height, beside):
        """Return how each method is called in the whole picture, or None where names have too little room."""
        if beside:
            return None
        if not self.pairs:
            return dict(zip(self.names, self._short_names(most), strict=True))
        # the word Classifier goes before letters stand for the names
        least = min(most, NARROW, max(SHORTEST, *(len(name) - 1 for name in self.names)))
        for longest in range(most, least - 1, -1):
            shown = dict(zip(self.names, self._short_names(longest), strict=True))
            fits = all(len(self.words_above(row, shown)) <= self.letters_of_row for row in self.rows)
            if fits and not any(" ..." in text for text in shown.values()):
                break
        else:
            return None
        if not self.in_panels:
            rows = sum(TEXT_ROWS + row.bars_height + GAP for row in self.rows)
            taken = self._legend_height() + TOP + rows + LAST_ROWS * 2
            if len(self.rows) > MOST_WITH_NAMES or height - taken < LEAST_OF_CURVES * height:
                return None
        return shown

    def _legend_height(self):
        """Height of a legend above the curves: a caption, the levels, and the names."""
        return TEXT_ROWS * (1 + self.in_legend)

    def _leave_out(self, most, marked):
        """Leave out rows until the strip is not higher than so many font sizes: first those without a marked level.

        Before that, bars without words have one line. Among the rows those with the shortest bars go first. A full bar
        over a marked level keeps its row the longest. With one row left, lines of text go.
        """
        if self.height > most:
            self.n_unlabelled = 1
        while self.height > most and len(self.rows) > 1:
            left_out = min(self.rows, key=lambda row: (*row.covers(marked), row.length))
            self.rows.remove(left_out)
            self.left_out.add(left_out.better)
        while self.height > most and self.left_out and self.told_of:
            self.told_of.pop()

    @property
    def last(self):
        """The texts below the bars that are left, but for the note."""
        left_out = [self.called[name] for name in self.names if name in self.left_out]
        told = _in_words(left_out)
        if len(left_out) > MOST_UNDECIDED or len(told) > self.letters / 2:
            told = f"{len(left_out)} winner{'s' * (len(left_out) > 1)}"
        left, right = self.limits
        some = any(
            (row.full or not self.in_panels) and any(low < right and high > left for low, high, _ in row.open)
            for row in self.rows
        )
        open_bars = [OPEN_BARS] * (some and (self.keyed or self.in_panels))
        rows = []
        for text in [
            *self._undecided(),
            *open_bars,
            *self._cut_open_bars(),
            *self._pairs_beyond(),
            *[f"bars of {told}{NOT_SHOWN}"] * bool(left_out),
        ]:
            # small letters and commas take less room than names
            if rows and len(f"{rows[-1]}; {text}") <= 1.1 * self.letters:
                rows[-1] = f"{rows[-1]}; {text}"
            else:
                rows.append(text)
        return [line for row in rows for line in self.in_longer_lines(row).split("\n")]

    @property
    def unlabelled(self):
        """The lines about the bars that seem to have no room for words."""
        kept = {row.better for row in self.rows}
        bars = [bar for bar in self.without_words if bar[0] in kept]
        told = "unlabelled" in self.told_of
        has_room = {"n_lines": self.n_unlabelled, "fits": lambda line: len(line) <= self.letters}
        return _name_unlabelled(bars, (), self.called, **has_room) if told else []

    def beats_all(self, worse):
        """Whether these are all other methods."""
        return len(worse) == len(self.names) - 1

    @property
    def note(self):
        """The text below all others, or None."""
        return self._note_and_tints()[0]

    @property
    def tinted(self):
        """Whether bars are light where their method does not beat all others."""
        return self._note_and_tints()[1]

    def _note_and_tints(self):
        """The note, and whether it has room to tell what light bars are; without that, all bars have one tint."""
        both = len({self.beats_all(worse) for row in self.rows for *_, worse in row.full}) > 1
        if self.plain_note is not None and self.rows and all(map(self.where_hidden, self.rows)):
            return self.in_lines(self.plain_note.removeprefix("bars: ")), False
        if self.plain_note is None:
            return (self.in_lines(f"light bars: {LIGHT_BARS}"), True) if both else (None, False)
        plain, longer = map(self.in_lines, (self.plain_note, f"{self.plain_note}; light: {LIGHT_BARS}"))
        told = both and longer.count("\n") == plain.count("\n")
        return (longer if told else plain), told

    def _cut_open_bars(self):
        """The texts about open bars that reach beyond the axis: what is proved is not about the part that is shown."""
        left, right = self.limits
        called = {}
        for row in self.rows:
            spans = [bar[:2] for bar in row.open if bar[0] < right and bar[1] > left]
            for number, (low, high) in enumerate(spans):
                if low < left or high > right:
                    # only the outer ones can be cut
                    which = "" if len(spans) == 1 else "first " if number == 0 else "last "
                    called.setdefault((which, _outward(low, high)), []).append(self.called[row.better])
        return [
            f"{which}open bar{'s' * (len(names) > 1)} of {_in_words(names)} in full: {ends}"
            for (which, ends), names in called.items()
        ]

    def _pairs_beyond(self):
        """The text about the pairs whose bars lie beyond the axis, where their method has other bars; or none."""
        left, right = self.limits
        found = []
        for row in self.rows:
            bars = [bar for bar in [*row.full, *row.open] if bar[0] < right and bar[1] > left]
            shown = {worse for *_, beaten in bars for worse in beaten}
            found += [(row.better, worse) for worse in row.worse if bars and worse not in shown]
        if not found or "beyond" not in self.told_of:
            return []
        by_winner = groupby(found, key=lambda pair: pair[0])
        beaten = {better: ", ".join(self.called[worse] for _, worse in pairs) for better, pairs in by_winner}
        told = "; ".join(f"{self.called[better]} beats {names}" for better, names in beaten.items())
        # worded as in the rows that have no bars at all
        text = f"{told}, {ELSEWHERE}"
        if len(text) <= self.letters:
            return [text]
        return [f"{len(found)} pair{'s' * (len(found) > 1)} {ELSEWHERE}"]

    def words_above(self, row, shown=None):
        """What stands above the bars of a method."""
        called = shown or self.called
        worse = ", ".join(called[name] for name in row.worse)
        if not self.in_panels:
            return f"{called[row.better]}{BETTER}{worse}{OPEN * bool(row.open)}"
        words = f"{BETTER.strip()} {worse}{SOMEWHERE * (not row.full)}"
        too_long = shown is None and len(words) > self.letters_of_row and row.is_lettered
        return words.replace(worse, f"{len(row.worse)} methods") if too_long else words

    def where_hidden(self, row):
        """Words for a row none of whose bars lies between the limits of the axis."""
        low, high = self.limits
        spans = [span for kind in row.spans for span in kind]
        if not spans or any(a < high and b > low for a, b in spans):
            return ""
        if row.full:
            return ELSEWHERE
        least, most = (f"{float(level):g}" for level in _inward(low, high).split("-"))
        below, above = any(b <= low for _, b in spans), any(a >= high for a, _ in spans)
        where = f"outside {least} to {most}" if below and above else f"above {most}" if above else f"below {least}"
        return f"{SOME_ELSEWHERE} {where}"

    def words_in_place_of_bars(self, row):
        """What stands where a row beside its letter shows no bars: whom the method beats, and where."""
        hidden = self.where_hidden(row)
        if not hidden or not row.is_lettered:
            return hidden
        others = ", ".join(self.called[name] for name in row.worse)
        if self.beats_all(row.worse) and len(row.worse) > FEW_OTHERS:
            others = "all others"
        # "at some level" goes on with the sentence
        rest = f"{',' * bool(row.full)} {hidden}"
        words = f"{others}{rest}"
        return words if len(words) <= self.letters else f"{len(row.worse)} others{rest}"

    def words_of_row(self, row):
        """What stands above the bars of a method where the bands lie over each other."""
        hidden = self.where_hidden(row)
        if not hidden:
            return self.words_above(row)
        words = self.words_above(row).removesuffix(OPEN)
        if row.full:
            return f"{words}, {hidden}"
        longer = f"{words} at some level from {_outward(row.open[0][0], row.open[-1][1])} (not shown)"
        return longer if len(row.open) == 1 and len(longer) <= self.letters else f"{words} {hidden}"

    @property
    def bars(self):
        """What bars there are, their tints and how they call the methods, and what changes words or heights of rows."""
        in_rows = not self.keyed or self.in_panels
        hidden = [self.where_hidden(row) for row in self.rows] if in_rows else None
        bars = [(row.better, row.worse, row.full, row.open) for row in self.rows]
        return self.called, bars, self.tinted, hidden

    @property
    def told(self):
        """What the limits of the axis change of the texts."""
        return [self.where_hidden(row) for row in self.rows], self.last, self.unlabelled, self.note

    def words_beside(self, row):
        """What stands beside the bars of a method: its letter, and whom it beats if its bars do not say so."""
        worse = "" if row.is_lettered else f" {self.called[row.worse[0]]}"
        return f"{self.called[row.better]} beats{worse}"

    def words_in_bar(self, worse):
        """Ways to say in a bar whom the method beats there, the best one first."""
        called, beats_all = [self.called[name] for name in worse], self.beats_all(worse)
        if beats_all and len(worse) > FEW_OTHERS:
            return ("all",)
        if max(map(len, called)) == 1:
            return (" ".join(called),)
        return (", ".join(called), *["both"] * (beats_all and len(worse) == FEW_OTHERS))

    def _undecided(self):
        """The text about the pairs of which neither is shown to be better, in a list, or none."""
        all_pairs = list(combinations(self.names, 2))
        pairs = [pair for pair in all_pairs if pair not in self.pairs and pair[::-1] not in self.pairs]
        if not pairs or "undecided" not in self.told_of:
            return []
        if len(all_pairs) == 1:
            return [r"neither shown better, whichever $\alpha$ is fixed"]
        told = "neither shown better: " + "; ".join(f"{self.called[a]} or {self.called[b]}" for a, b in pairs)
        counted = f"neither shown better: {len(pairs)} of {len(all_pairs)} pairs"
        return [counted if len(pairs) > MOST_UNDECIDED or len(told) > self.letters else told]

    def height_of(self, row):
        """Height of the bars of a method and their text."""
        if self.keyed and not self.in_panels:
            return row.bars_height if row.is_lettered else NAMED_BAR
        no_bars = not self.in_panels and self.where_hidden(row)
        return TEXT_ROWS + (0.0 if no_bars else row.bars_height + GAP)

    def ends(self, above=0.0):
        """Where each row starts, and where the last one ends, in units of the font size."""
        # panels have their own bars
        rows = [] if self.in_panels else [self.height_of(row) for row in self.rows]
        texts = len(self.last) + len(self.unlabelled) + (0 if self.note is None else 1 + self.note.count("\n"))
        # letters beside the first bar stand below the lowest number of the vertical axis
        above = above or (1.0 if self.keyed else TOP)
        rows[-1:] = [height + 0.15 for height in rows[-1:]]
        return np.cumsum([above, *rows, *[LAST_ROWS] * texts]).tolist()

    @property
    def height(self):
        return self.ends()[-1]

    def room_for_bars(self, n_columns, n_rows):
        """Room for the bars below the panels of each line of the grid, in units of the font size."""
        room = [0.0] * n_rows
        for row in self.rows:
            line = self.names.index(row.better) // n_columns
            room[line] = max(room[line], GAP + self.height_of(row))
        return room


def _in_words(names):
    """Return names in one text, the last behind "and"; an empty one for none."""
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def _outward(low, high):
    """Return two levels as text, rounded so that nothing between them is lost."""
    return f"{math.floor(1e4 * low) / 1e4:.4f} to {math.ceil(1e4 * high) / 1e4:.4f}"


def _inward(low, high):
    """Return two levels as text, rounded so that no level outside is added and most of those between them are left."""
    for digits in range(2, 8):
        first, last = math.ceil(10**digits * low), math.floor(10**digits * high)
        if last - first >= LEAST_OF_ROUNDED * 10**digits * (high - low):
            break
    return f"{first / 10**digits:.{digits}f}-{last / 10**digits:.{digits}f}"


def _name_unlabelled(bars, told, called, n_lines, fits):
    """Return lines that say of bars without words whom a method beats there, of as many bars as have room.

    A line ends only between two statements, each of which names the levels of all bars that say the same.

    Parameters
    ----------
    bars : list of (str, float, float, tuple of str, bool)
        The method of each bar, its ends, whom the method beats there, and whether the bar is open.
    told : collection of (str, str)
        The pairs of a better and a worse method that other bars name. What no bar tells is said first, and then the
        longest bars are named.
    called : dict
        How each method is called in the picture.
    n_lines : int
        How many lines there may be.
    fits : callable
        Tells of a line whether it has room.

    Examples
    --------
    >>> bars = [("tree", 0.35, 0.372, ("lda",), False), ("tree", 0.4, 0.41, ("lda", "nb"), False)]
    >>> called = {"lda": "A", "nb": "B", "tree": "C", "svm": "D"}
    >>> _name_unlabelled(bars, [], called, 2, lambda line: len(line) <= 57)
    ['unnamed bars: C beats A 0.35-0.37;', 'C beats A and B 0.40-0.41']
    >>> _name_unlabelled(bars, [("tree", "lda")], called, 1, lambda line: len(line) <= 48)
    ['unnamed bars: C beats A and B 0.40-0.41; 1 more']
    """
    known, rest, ranked = set(told), sorted(bars, key=lambda bar: bar[1] - bar[2]), []
    while rest:
        bar = next((bar for bar in rest if any((bar[0], worse) not in known for worse in bar[3])), rest[0])
        rest.remove(bar)
        ranked.append(bar)
        known.update((bar[0], worse) for worse in bar[3])
    order = {name: place for place, name in enumerate(called)}

    def in_order(bar):
        return order[bar[0]], [order[name] for name in bar[3]], bar[1]

    for number in range(len(ranked), 0, -1):
        statements = {}
        for better, low, high, worse, is_open in sorted(ranked[:number], key=in_order):
            words = _in_words([called[name] for name in worse])
            if len(worse) == len(called) - 1 and len(worse) > FEW_OTHERS:
                words = "all"
            where = _outward(low, high).replace(" to ", "-") + " (open)" if is_open else _inward(low, high)
            statements.setdefault(f"{called[better]} beats {words}", []).append(where)
        texts = [f"{words} {', '.join(levels)}" for words, levels in statements.items()]
        if number < len(ranked):
            texts.append(f"{len(ranked) - number} more")
        lines = [f"{NO_WORDS}{texts[0]}"]
        for text in texts[1:]:
            if fits(f"{lines[-1]}; {text};"):
                lines[-1] += f"; {text}"
            else:
                lines[-1] += ";"
                lines.append(text)
        if len(lines) <= n_lines and all(map(fits, lines)):
            return lines
    return [f"{len(ranked)} narrow unnamed bar{'s' * (len(ranked) > 1)}"] * bool(ranked)


def _short_names(names, longest):
    """Return names of at most so many letters as texts of a picture."""
    return list(map(as_given, short_names(names, longest)))


def _ranges(regions, somewhere):
    """Return for each better and worse name the ranges of both kinds."""
    ranges = {}
    for kind, (better, worse, low, high) in [(0, r) for r in regions] + [(1, r) for r in somewhere]:
        ranges.setdefault((better, worse), ([], []))[kind].append((float(low), float(high)))
    return ranges


def plot_dominance(regions, names, *, ax, note=None, somewhere=()):
    """Return the Axes with a strip below it: bars over the levels at which one band beats another.

    A row for each method that is better than another one, with bars in its colour; the pairs without a winner share a
    line. The bars of a method that beats several have the names of those in them, or letters that stand for these,
    unless the words above them say the same of each bar.
    Where some bars are about all other methods and some are not, the latter are light and the note says so, if its
    lines have room for that; if not, all bars look the same. Bars that are too narrow for words have none, and a text
    below says what they mean, of as many as have room. Methods whose rows have no room are left out, first those
    without a bar at a marked level and then those with the shortest bars; a line says whose, and `plot_comparison`
    warns. Another line gives both ends of an open bar that reaches
    beyond the axis: the level at which the method is better may lie there. In the whole picture a method has one name:
    bands that were drawn with one of `names` as label are renamed in the legend, if it is too long or a letter stands
    for it in the strip. Of several comparisons in a figure, all show a name as short as the narrowest one. In panels
    the row of a method stands below its panel, on its own axis. The strip is an Axes of its own (its gid is
    `nproc-dominance`) that shares the x axis and takes its room from `ax`, so that nothing is cut off.

    Parameters
    ----------
    regions : iterable of (str, str, float, float)
        Name of the better band, name of the worse one, and the two ends of the range of alpha.
    names : sequence of str
        All names in the order in which the bands were drawn on `ax`.
    ax : matplotlib.axes.Axes
        Axes with the bands.
    note : str, or callable that takes the Axes and returns one, optional
        What the bars speak of, written in a last row. A callable is asked again when the limits change.
    somewhere : iterable of (str, str, float, float)
        Ranges in which one band beats another at one level at least: open bars. Those of one band that overlap are
        joined to one, with the names of all whom it beats in them.

    Returns
    -------
    matplotlib.axes.Axes
        The same Axes.
    """
    draw = partial(_draw_strip, list(regions), list(names), note, list(somewhere))
    draw(ax)
    ax._nproc_draw_strip = draw
    _agree_on_names(ax)
    return ax


def _agree_on_names(ax):
    """Draw comparisons of a figure anew where one of them shows a name longer than another one does."""
    drawn = [one for one in ax.figure.axes if hasattr(one, "_nproc_draw_strip") and find_strip(one) is not None]
    # those that stand for another size of the figure are drawn anew before long, and say their names then
    drawn = [one for one in drawn if find_strip(one)._nproc_told[0] == size_of(one)]
    shortest = {}
    for one in drawn:
        for name, text in one._nproc_own_names.items():
            shortest[name] = min(shortest.get(name, text), text, key=lambda text: (len(text), text))
    for one in drawn:
        # also those that are its own, which may have more room once the others are shorter
        agreed = {name: shortest[name] for name in one._nproc_own_names}
        if agreed != one._nproc_shown_names and len(set(agreed.values())) == len(agreed):
            in_settings_of(one, partial(one._nproc_draw_strip, agreed=agreed))


def _draw_strip(regions, names, note, somewhere, ax, agreed=None):
    panels = panels_of(ax)
    if (beside := find_child(ax, BESIDE)) is not None:
        _fit_marked_bounds(ax, beside)
    strip_of = _strip_of(regions, names, note, somewhere, ax, agreed)
    _rename(ax, panels, strip_of)
    if beside is not None:
        _name_marked(beside, strip_of.called)
    if panels:
        _plot_bars_of_panels(strip_of, ax, panels)
    if (earlier := find_strip(ax)) is not None:
        earlier.remove()
    strip = ax.inset_axes([0, -0.2, 1, 0.2], sharex=ax)
    strip.set(gid="nproc-dominance", yticks=[])
    strip._nproc_panels = panels
    strip._nproc_left_out = [name for name in names if name in strip_of.left_out]
    strip._nproc_lacks = getattr(earlier, "_nproc_lacks", None)
    tops = _write_strip(strip, strip_of, ax)
    set_room(ax, _UpperPart(ax))
    strip.set_axes_locator(_LowerPart(ax))
    strip.tick_params(which="both", left=False, labelleft=False)
    strip.spines[:].set_visible(False)
    if panels:
        strip.tick_params(which="both", bottom=False, labelbottom=False)
        strip.patch.set_visible(False)
    else:
        strip.spines[["top", "bottom"]].set_visible(True)
    # the strip covers the marks of this axis, but not half of one at a corner
    ax.tick_params(axis="x", which="both", bottom=False, labelbottom=False)
    for panel in panels:
        panel.set_xlabel("")
    for number, row in enumerate([] if panels else strip_of.rows):
        color = band_color(ax, names.index(row.better))
        _plot_bars(strip, row, strip_of, tops[number] + TEXT_ROWS * (not strip_of.keyed), color, number)
    spec = ax.get_subplotspec()
    if spec is not None and spec.get_gridspec().nrows == 1:
        # the lines of this name take from the room of the other one
        name_x_again(ax)
        break_name_of_y(ax, room=height_beside_name)
    for letters in range(strip_of.longest, strip_of.shortest - 1, -1):
        strip_of.cut_names(letters)
        _rename(ax, panels, strip_of)
        corner, columns = legend_room(ax)
        if corner or columns > 1:
            break
    if strip_of.keyed:
        seen = {"ax": ax, "panels": panels, "strip_of": strip_of, "before": legend_room(ax)}
        strip_of.fit_names(partial(_has_room_for, **seen))
        _rename(ax, panels, strip_of)
    place_legend(ax)
    placed(ax, "strip", partial(_renew_strip, regions, names, note, somewhere), by_limits=True)
    ax._nproc_shown_names = strip_of.texts
    if not agreed:
        ax._nproc_own_names = strip_of.texts


def _texts_beside_bars(strip):
    """The texts beside bars and below them, and not those in them, which are drawn as wide as these are."""
    return [text for text in strip.texts if (text.get_gid() or "").endswith(("-text", "-note"))]


def _write_strip(strip, strip_of, ax):
    """Write all texts beside the bars and below them; return where each row starts, and where the last one ends."""
    for text in _texts_beside_bars(strip):
        text.remove()
    # in panels the name of the axis stands between their numbers and the strip
    tops = strip_of.ends(_name_height(ax) if panels_of(ax) else 0.0)
    strip._nproc_points_high = points(small_size()) * tops[-1]
    strip._nproc_points_of_bars = points(small_size()) * tops[0 if panels_of(ax) else len(strip_of.rows)]
    strip._nproc_told = size_of(ax), strip_of.bars, (_name_height(ax), strip_of.told)
    strip.set_ylim(tops[-1], 0)
    beside_frame = {"transform": strip.get_yaxis_transform(), "fontsize": small_size()}
    rows = [] if panels_of(ax) else strip_of.rows
    for number, row in enumerate(rows):
        top, hidden = tops[number], strip_of.where_hidden(row)
        gid = f"nproc-dominance-{number}-text"
        if strip_of.keyed:
            middle = top + 0.5 * strip_of.height_of(row) / row.n_lanes
            strip.text(-0.012, middle, strip_of.words_beside(row), **beside_frame, ha="right", va="center", gid=gid)
            if hidden:
                more = beside_frame | {"gid": f"nproc-dominance-{number}-hidden-text"}
                strip.text(INDENT, middle, strip_of.words_in_place_of_bars(row), **more, va="center")
        else:
            strip.text(INDENT, top, strip_of.words_of_row(row), **beside_frame, va="top", gid=gid)
    unlabelled, n_rows = strip_of.unlabelled, len(rows) + len(strip_of.last)
    texts = [*strip_of.last, *unlabelled, *([] if strip_of.note is None else [strip_of.note])]
    for number, text in enumerate(texts, len(rows)):
        is_note = strip_of.note is not None and number == len(rows) + len(texts) - 1
        kind, gid = ("italic", "note") if is_note else ("normal", f"{number}-text")
        style = {"style": kind, "gid": f"nproc-dominance-{gid}"}
        written = strip.text(INDENT, tops[number], text, **beside_frame, va="top", **style)
        written._nproc_below_bars = True
        if n_rows <= number < n_rows + len(unlabelled):
            written._nproc_of_bars = strip_of.called
    return tops


def _strip_of(regions, names, note, somewhere, ax, agreed=None, taller=1.0):
    """What the strip of these Axes says at the room and the limits that they have, or if they are so much taller."""
    size, panels = points(small_size()), panels_of(ax)
    marked = {line.get_label(): line._nproc_level for line in ax.lines if hasattr(line, "_nproc_level")}.values()
    room = {
        "n_columns": panels[0].get_axes_locator().grid.n_columns if panels else 0,
        "height": taller * 72 * ax.get_window_extent().height / ax.figure.dpi / size,
        "marked": marked,
        "beside": width_beside(ax),
        "agreed": agreed,
    }
    width, beyond = room_of(ax)
    font, width_of = size * ax.figure.dpi / 72, width_in(ax, small_size())
    room_of_note = width - width_beside(ax) * font
    # where no other Axes stand beside these, lines other than the note may reach beyond the curves, to the free edge
    room_of_lines = room_of_note + beyond - INDENT * width - (LEFT * font if panels else 0.0)
    rooms = min(room_of_note, room_of_lines), room_of_lines
    broken, longer = (partial(in_lines, room=own, width_of=width_of) for own in rooms)
    # of the bars and not of all panels together
    wide = ax.get_position(original=True) if not panels else panels[0].get_axes_locator()(panels[0], None)
    fonts = 72 * wide.width * ax.figure.bbox.width / ax.figure.dpi / size - width_beside(ax)

    def words_with_room(ways, *levels):
        share = _shown_share(ax, *levels)
        return _words_with_room(_widths(ax, ways), fonts * share) if share > 0 else None

    axis = _Axis(sorted(ax.get_xlim()), words_with_room, broken, longer)
    note = note(ax) if callable(note) else note
    return _Strip(names, _ranges(regions, somewhere), note, letters_of(ax), axis=axis, **room)


def _renew_strip(regions, names, note, somewhere, ax):
    """Draw the strip anew where somebody has not removed it and it says something else at this size or limits."""
    strip = find_strip(ax)
    if strip is None:
        return
    (size, bars, _), strip_of = strip._nproc_told, _strip_of(regions, names, note, somewhere, ax)
    if (size, bars) != (size_of(ax), strip_of.bars):
        plot_dominance(regions, names, ax=ax, note=note, somewhere=somewhere)
    elif strip._nproc_told[-1] != (_name_height(ax), strip_of.told):
        _write_strip(strip, strip_of, ax)


def _has_room_for(name, ax, panels, strip_of, before):
    """Whether a name fits as it is shown: into the width of its panel, or into the legend, whose place stays."""
    _rename(ax, panels, strip_of)
    if panels:
        panel = panels[strip_of.names.index(name)]
        room = panel.get_axes_locator()(panel, None).width * ax.figure.bbox.width
        return _set_title(panel, strip_of.shown[name]).get_window_extent().width <= room
    corner, columns = legend_room(ax)
    return corner or (not before[0] and columns >= before[1] and has_room_above(ax, strip_of.shown[name]))


def _set_title(panel, text):
    return panel.set_title(text, loc="left", fontsize=small_size(), pad=0.4 * points(small_size()))


def _rename(ax, panels, strip_of):
    """Call each method in the legend, or in the title of its panel, as beside the bars."""
    for number, name in enumerate(strip_of.names):
        if panels:
            _set_title(panels[number], strip_of.shown[name])
        for line in ax.lines:
            if line.get_gid() in (f"nproc-band-{number}-estimate", f"nproc-band-{number}-lower"):
                # as it was called when it was drawn
                line._nproc_name = getattr(line, "_nproc_name", line.get_label())
                if line._nproc_name in (name, as_given(name)):
                    line.set_label(strip_of.shown[name])
                elif strip_of.keyed and not line._nproc_name.startswith("_"):
                    line.set_label(f"{strip_of.called[name]}: {line._nproc_name}")


def _plot_bars(strip, row, strip_of, top, color, name):
    """Draw the full and open bars of a row in a strip whose y axis is in units of the font size, and words in them."""
    light = _mixed(color, _ground(strip), LIGHT if strip_of.tinted else 1)
    place = f"nproc-dominance-{name}"
    for kind, bars, lane in (("bars", row.full, 0), ("open-bars", row.open, row.n_lanes - 1)):
        faces = [color if strip_of.beats_all(worse) else light for *_, worse in bars]
        spans = [(low, high - low) for low, high, _ in bars]
        low, high = 0.0, 0.65 * BAR_ROWS
        if strip_of.keyed and not strip_of.in_panels:
            low = 0.5 * (NAMED_BAR - high)
        if row.is_lettered:
            low, high = LETTERED_ROWS * lane + 0.5 * (LETTERED_ROWS - LETTERED_BAR), LETTERED_BAR
        # without tints, the bars of a row are told apart by edges in the colour of the ground
        parted = kind == "bars" and row.is_lettered and not strip_of.tinted
        edge = _ground(strip) if parted else color
        look = {"facecolor": "none" if kind == "open-bars" else faces, "edgecolor": edge, "lw": line_width(BAR_EDGE)}
        drawn = strip.broken_barh(spans, (top + low, high), **look)
        drawn.set(gid=f"{place}-{kind}", label="_")
        if bars:
            drawn._nproc_bars = [bar[:2] for bar in bars], edge, None if kind == "open-bars" else faces
        if kind == "bars":
            _part_bars(strip, row.lanes[0], (top + low, top + low + high), place)
    for number, lane in enumerate(row.lanes if row.is_lettered else ()):
        for bar in lane:
            *_, worse, is_open = bar
            ground = _ground(strip) if is_open else color if strip_of.beats_all(worse) else light
            style = {"fontsize": small_size(), "ha": "center", "va": "center", "color": _ink_on(ground)}
            style |= {"transform": strip.get_yaxis_transform(), "gid": f"{place}-beaten"}
            text = strip.text(0.0, top + LETTERED_ROWS * (number + 0.5), "", **style)
            text._nproc_beats, text._nproc_ways = (row.better, *bar), _widths(strip, strip_of.words_in_bar(worse))
    _fit_bars(strip, 72 * strip.get_window_extent().width / strip.figure.dpi)


def _part_bars(strip, bars, heights, place):
    """Draw a gap where two full bars of a row touch, which are about different methods, or a full and an open bar.

    Beside an open bar the gap is within the full one, so that the open bar keeps its edge.
    """
    from matplotlib.collections import LineCollection

    touching = [pair for pair in pairwise(bars) if pair[0][1] == pair[1][0] and not (pair[0][3] and pair[1][3])]
    if touching:
        lines = [[(first[1], height) for height in heights] for first, _ in touching]
        shifts = [((first[3] - second[3]) * line_width(PART) / 2 / 72, 0.0) for first, second in touching]
        look = {"colors": [_ground(strip)], "label": "_", "capstyle": "butt"}
        moved = {"offsets": shifts, "offset_transform": strip.figure.dpi_scale_trans}
        gaps = LineCollection(lines, gid=f"{place}-gaps", **look, **moved)
        gaps._nproc_touching = [(first[:2], second[:2]) for first, second in touching]
        strip.add_collection(gaps, autolim=False)


def _shown_share(axes, low, high):
    """Share of the width of the axis of levels that the part between two levels takes, as far as it is shown."""
    left, right = _places_on_axis(axes, low, high)
    return right - left


def _places_on_axis(axes, *levels):
    """Where levels lie on the axis that is shown, from 0 at its left end to 1."""
    places = (axes.transScale + axes.transLimits).transform([(level, 1.0) for level in levels])[:, 0]
    return np.clip(places, 0.0, 1.0)


def _fit_bars(strip, width):
    """Draw the edges of each bar of a strip of this width in points, and words in the part of it that is shown.

    A bar without room for them has none: words beside it might be taken for those of the next bar. A narrow bar has an
    edge of its own colour, or if it is open a thinner one, so that edges side by side do not look like a bar of another
    kind.
    """
    for drawn in strip.collections:
        if hasattr(drawn, "_nproc_bars"):
            spans, outline, faces = drawn._nproc_bars
            places = [_places_on_axis(strip, *span) for span in spans]
            wide = np.array([(right - left) * width for left, right in places])
            edge = line_width(BAR_EDGE)
            if faces is None:
                drawn.set_linewidth(np.clip(wide / NARROW_BAR, 0.2 * edge, edge))
            else:
                narrow = wide < NARROW_BAR * edge
                drawn.set_edgecolor([face if own else outline for face, own in zip(faces, narrow, strict=True)])
        elif hasattr(drawn, "_nproc_touching"):
            narrower = [min(_shown_share(strip, *bar) for bar in pair) for pair in drawn._nproc_touching]
            drawn.set_linewidth(np.minimum(line_width(PART), MOST_OF_PART * width * np.array(narrower)))
    for text in strip.texts:
        if hasattr(text, "_nproc_beats"):
            left, right = _places_on_axis(strip, *text._nproc_beats[1:3])
            words = _words_with_room(text._nproc_ways, (right - left) * width / text.get_fontsize())
            text.set(x=0.5 * (left + right), text=words)
    _tell_of_bars_without_words(strip, width)


def _tell_of_bars_without_words(strip, width):
    """Say what the bars on show without words mean, those of panels too: before the layout it is a guess which."""
    written = [text for text in strip.texts if hasattr(text, "_nproc_of_bars")]
    if not written:
        return
    below_panels = [child for panel in strip._nproc_panels for child in panel.child_axes]
    bars = [text for axes in (strip, *below_panels) for text in axes.texts if hasattr(text, "_nproc_beats")]
    shown = [text for text in bars if _shown_share(text.axes, *text._nproc_beats[1:3]) > 0]
    told = {(text._nproc_beats[0], worse) for text in shown if text.get_text() for worse in text._nproc_beats[3]}
    without = [text._nproc_beats for text in shown if not text.get_text()]
    width_of = width_in(strip, written[0].get_fontsize())
    room = ((1 - INDENT) * width - BEHIND_LINES) * strip.figure.dpi / 72
    fits = {"n_lines": len(written), "fits": lambda line: width_of(line) <= room}
    lines = _name_unlabelled(without, told, written[0]._nproc_of_bars, **fits)
    for text, line in zip_longest(written, lines, fillvalue=""):
        text.set_text(line)
    # the note stands below the lines that are left
    for note in [text for text in strip.texts if text.get_gid() == "nproc-dominance-note"]:
        note.set_y(written[0].get_position()[1] + LAST_ROWS * len(lines))


def _widths(axes, ways):
    """Return each of several words with its width in units of the font size."""
    width_of = width_in(axes, small_size())
    return [(words, 72 * width_of(words) / axes.figure.dpi / points(small_size())) for words in ways]


def _words_with_room(ways, room):
    """The first words that have room in a bar of this width, in units of the font size, or an empty text."""
    fits = (words for words, wide in ways if wide + (AROUND_LETTER if len(words) == 1 else AROUND_WORDS) <= room)
    return next(fits, "")


def _ground(axes):
    """The colour on which Axes are drawn."""
    from matplotlib.colors import to_rgb

    *color, opaque = axes.get_facecolor()
    return color if opaque else [float(sum(to_rgb(ink())) < 1.5)] * 3


def _mixed(color, ground, share):
    """A colour of which a share is left on this ground."""
    from matplotlib.colors import to_rgb

    return tuple(share * a + (1 - share) * b for a, b in zip(to_rgb(color), to_rgb(ground), strict=True))


def _ink_on(ground):
    """Black or white, whichever can be read on a ground."""
    from matplotlib.colors import to_rgb

    return "black" if np.dot(np.power(to_rgb(ground), 2.2), (0.2126, 0.7152, 0.0722)) > 0.18 else "white"


def _plot_bars_of_panels(strip_of, ax, panels):
    """Draw the row of each winner below its panel."""
    size, grid = small_size(), panels[0].get_axes_locator().grid
    grid.bars[:] = strip_of.room_for_bars(grid.n_columns, grid.n_rows)
    for panel in panels:
        for child in [child for child in panel.child_axes if child.get_gid() == "nproc-dominance-panel"]:
            child.remove()
    for number, (panel, better) in enumerate(zip(panels, strip_of.names, strict=True)):
        room = grid.bars[number // grid.n_columns]
        if not room:
            continue
        # all panels of a line have strips of one height, so that their numbers stand side by side
        strip = panel.inset_axes([0, -0.2, 1, 0.2], sharex=panel)
        strip.set_axes_locator(_BelowPanel(panel, grid))
        strip.set(gid="nproc-dominance-panel", ylim=(room, 0), yticks=[])
        strip.patch.set_visible(False)
        numbered = number + grid.n_columns >= len(panels)
        strip.tick_params(which="both", left=False, labelleft=False, labelbottom=numbered, labelsize=size)
        strip.tick_params(axis="x", which="both", bottom=numbered)
        # its marks would cross the words of the strip, whose axis has the same ones
        panel.tick_params(which="both", labelbottom=False, bottom=False)
        strip.spines[["left", "right", "top"]].set_visible(False)
        for row in [row for row in strip_of.rows if row.better == better]:
            words, hidden = strip_of.words_above(row), strip_of.where_hidden(row)
            if hidden:
                # no bar takes the room of a second line
                words = f"{words.removesuffix(SOMEWHERE)}\n{hidden}"
            style = {"transform": strip.get_yaxis_transform(), "fontsize": size, "va": "top", "linespacing": 1.1}
            strip.text(0.02, GAP, words, **style)
            _plot_bars(strip, row, strip_of, GAP + TEXT_ROWS, band_color(ax, number), number)


def _name_height(ax):
    """Height of the name of the horizontal axis and the room about it, in units of the font size."""
    import matplotlib as mpl

    lines = 1.5 + LINE * ax.get_xlabel().count("\n")
    return (lines * points(mpl.rcParams["axes.labelsize"]) + mpl.rcParams["axes.labelpad"]) / points(small_size())


class _UpperPart:
    """Locator that leaves the lowest part of the room of Axes to a strip, in every layout.

    In a row of a grid all strips get the height of the highest one, so that the curves end on one line.
    """

    def __init__(self, axes):
        self.axes = axes

    def most(self):
        """Height that a strip may have, in points."""
        figure = self.axes.figure
        whole = 72 * figure.bbox.height / figure.dpi
        return MOST_OF_STRIP * self.axes.get_position(original=True).height * whole

    def has_room_for_lines(self):
        """Whether the lines of text below the bars have room: where they do not, they would lie over each other."""
        return self.most() >= LEAST_OF_LINES * self._needed("_nproc_points_high")

    def points_high(self):
        """Height that the rows of the strip need, or those of another one beside it, in points."""
        return self._needed("_nproc_points_high" if self.has_room_for_lines() else "_nproc_points_of_bars")

    def _needed(self, what):
        row = [] if panels_of(self.axes) else [axes for axes in row_of(self.axes) if not panels_of(axes)]
        strips = [strip for axes in [self.axes, *row] if (strip := find_strip(axes)) is not None]
        return max((getattr(strip, what) for strip in strips), default=0.0)

    def strip_height(self):
        """Height of the strip in figure coordinates: what its rows need, at most half of the room."""
        figure = self.axes.figure
        return min(self.points_high(), self.most()) / (72 * figure.bbox.height / figure.dpi)

    def _name_below(self, strip, y):
        """Put the name of the levels below their numbers, which stand below the strip that ends at this height."""
        from matplotlib.transforms import blended_transform_factory

        axes, numbers, tick = self.axes, strip.xaxis.get_tightbbox(), strip.xaxis.get_major_ticks(1)[0]
        down = 0.0 if numbers is None else numbers.height
        down += (tick.get_tick_padding() + tick.get_pad() + axes.xaxis.labelpad) * axes.figure.dpi / 72
        across = blended_transform_factory(axes.transAxes, axes.figure.transSubfigure)
        axes.xaxis.set_label_coords(0.5, y - down / axes.figure.bbox.height, transform=across)

    def get_subplotspec(self):
        """Tell tight_layout which cell of a grid these Axes fill."""
        return self.axes.get_subplotspec()

    def __call__(self, axes, renderer):
        from matplotlib.transforms import Bbox

        x, y, width, height = self.axes.get_position(original=True).bounds
        below, taken = self.strip_height(), _share_of_width(self.axes, width_beside(self.axes))
        if (strip := find_strip(self.axes)) is not None and not panels_of(self.axes):
            self._name_below(strip, y)
        return Bbox.from_bounds(x, y + below, width - taken, height - below)


class _LowerPart(_UpperPart):
    """Locator of the strip, right below the Axes where they are drawn, or below their panels."""

    def __init__(self, axes):
        super().__init__(axes)
        # the share of its size that each text has now
        self.shares = {}

    def _shrink(self, text, share):
        before = self.shares.get(text, 1.0)
        if share != before:
            text.set_fontsize(text.get_fontsize() * share / before)
            self.shares[text] = share

    def __call__(self, axes, renderer):
        from matplotlib.transforms import Bbox

        x, y, width, height = self.axes.get_position().bounds
        below = self.strip_height()
        # a title of the Axes calls this with these Axes
        strip, needed, has_room = find_strip(self.axes), self.points_high(), self.has_room_for_lines()
        lowest = needed / points(small_size())
        if strip.get_ylim() != (lowest, 0):
            strip.set_ylim(lowest, 0)
        # where the strip has less room than its rows need, the letters shrink with them, as far as they can be read
        for text in strip.texts:
            self._shrink(text, max(min(1.0, self.most() / needed), least_shrunk()))
            text.set_visible(has_room or not hasattr(text, "_nproc_below_bars"))
        # beside low curves the name of the axis reaches up, since it would cover the letters beside the bars
        label = self.axes.yaxis.label
        if label.get_ha() == "center":
            whole = label.get_window_extent().height / self.axes.figure.bbox.height
            label.set_y(max(0.5, 0.5 * whole / max(height, 0.01)))
        left = _share_of_width(self.axes, LEFT) if panels_of(self.axes) else 0.0
        _fit_bars(strip, 72 * (width - left) * self.axes.figure.bbox.width / self.axes.figure.dpi)
        return Bbox.from_bounds(x + left, y - below, width - left, below)


class _RightPart:
    """Locator of the bounds at a marked level, right beside the Axes where they are drawn."""

    def __init__(self, axes):
        self.axes = axes

    def __call__(self, axes, renderer):
        from matplotlib.transforms import Bbox

        x, y, width, height = self.axes.get_position().bounds
        before = _share_of_width(self.axes, BEFORE_BARS)
        # a title of the Axes calls this with these Axes
        wide = _share_of_width(self.axes, width_beside(self.axes))
        return Bbox.from_bounds(x + width + before, y, wide - before, height)


@dataclass
class _Grid:
    """The panels of Axes, and the room for bars below each line of them, in units of the font size."""

    axes: object
    n_rows: int
    n_columns: int
    bars: list


class _Cell:
    """Locator of a panel: its cell of a grid in the room of Axes."""

    def __init__(self, grid, row, column):
        self.grid, self.row, self.column = grid, row, column

    def __call__(self, axes, renderer):
        from matplotlib.transforms import Bbox

        grid = self.grid
        x, y, width, height = grid.axes.get_position().bounds
        wide, tall = _share_of_width(grid.axes, 1.0), _share_of_height(grid.axes, 1.0)
        # every panel has room for a name above it and for its bars, and only the lowest ones for numbers below
        own_width = (width - LEFT * wide - (grid.n_columns - 1) * BETWEEN * wide) / grid.n_columns
        rest = _below() + grid.n_rows * ABOVE + sum(grid.bars)
        own_height = (height - rest * tall) / grid.n_rows
        left = x + LEFT * wide + self.column * (own_width + BETWEEN * wide)
        under = _below() + sum(grid.bars[self.row :]) + (grid.n_rows - 1 - self.row) * ABOVE
        bottom = y + under * tall + (grid.n_rows - 1 - self.row) * own_height
        return Bbox.from_bounds(left, bottom, max(own_width, 0.01), max(own_height, 0.01))


class _BelowPanel:
    """Locator of the bars of a panel, right below it."""

    def __init__(self, panel, grid):
        self.panel, self.grid = panel, grid

    def __call__(self, axes, renderer):
        from matplotlib.transforms import Bbox

        x, y, width, _ = self.panel.get_axes_locator()(self.panel, renderer).bounds
        _fit_bars(axes, 72 * width * axes.figure.bbox.width / axes.figure.dpi)
        below = _share_of_height(self.grid.axes, axes.get_ylim()[0])
        return Bbox.from_bounds(x, y - below, width, below)


def _share_of_width(axes, fonts):
    """A number of font sizes as a share of the width of the figure."""
    return fonts * points(small_size()) * axes.figure.dpi / 72 / axes.figure.bbox.width


def _share_of_height(axes, fonts):
    """A number of font sizes as a share of the height of the figure."""
    return fonts * points(small_size()) * axes.figure.dpi / 72 / axes.figure.bbox.height


DIFFERENCE_ROW_INCHES = 0.34
LONGEST_LABEL = 36
# names of methods that leave less of the figure to the intervals are replaced by letters
LEAST_OF_DIFFERENCES = 0.4
# what a letter that stands for a name and the edges take beside it, in letters
BESIDE_LETTER = 6


def plot_differences(rows, marked, *, ax=None, note=None, figsize=None):
    r"""Return Axes with a point and an interval for each difference, and a line at 0.

    Where the names of methods would leave too little room to the intervals, letters stand for them in the rows, and the
    title explains the letters.

    Parameters
    ----------
    rows : sequence of (str or (str, str, str), float, float, float)
        Label, difference, and the ends of its interval. A label is a text, or the names of two methods and what else is
        said of their difference.
    marked : sequence of bool
        Which points to fill; the others are hollow.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None makes a figure as high as the rows need.
    note : str, optional
        What the intervals are, written as title.
    figsize : (float, float), optional
        Size of the new figure in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The Axes drawn on.
    """
    ax = axes_or_new(ax, figsize, (6.4, 1.1 + DIFFERENCE_ROW_INCHES * len(rows)))
    level_line(ax, x=0, gid="nproc-difference-zero", zorder=1)
    size, face = points(small_size()), ax.get_facecolor()
    for row, ((_, value, lower, upper), filled) in enumerate(zip(rows, marked, strict=True)):
        ends = {"marker": "|", "ms": 0.9 * size, "color": color_of(0), "lw": line_width(1.3), "zorder": 2}
        ax.plot([lower, upper], [row, row], gid=f"nproc-difference-{row}-interval", **ends)
        dot = {"marker": "o", "ms": 0.8 * size, "color": color_of(0), "zorder": 3}
        ax.plot([value], [row], gid=f"nproc-difference-{row}-point", mfc=color_of(0) if filled else face, **dot)
    ax.set_ylim(len(rows) - 0.4, -0.6)
    _write_differences([label for label, *_ in rows], note, ax=ax)
    name_x(ax, "difference of type II errors")
    return ax


def _write_differences(labels, note, ax, drawn_title=""):
    """Name the rows of differences, and write the title, unless somebody else has given one."""
    letters = _name_differences(ax, labels)
    if (note is not None or letters or drawn_title) and ax.get_title(loc="right") == drawn_title:
        over, width_of = room_over_names(ax) or room_of(ax)[0], width_in(ax, small_size())
        title = [*_packed(letters, over, width_of), *([] if note is None else [in_lines(note, over, width_of)])]
        # ends with the Axes and begins above the labels, beside which the Axes may be narrow
        drawn_title = "\n".join(title)
        ax.set_title(drawn_title, fontsize=small_size(), loc="right", ma="left" if letters else "right")
    placed(ax, "differences", partial(_write_differences, labels, note, drawn_title=drawn_title))


def _name_differences(ax, labels):
    """Name the rows of differences by two methods each; return what each letter stands for, if letters are used."""
    names = list(dict.fromkeys(name for label in labels if not isinstance(label, str) for name in label[:2]))
    shown = dict(zip(names, map(as_given, short_names(names)), strict=True))

    def texts(called, between):
        return [
            label if isinstance(label, str) else f"{called[label[0]]} $-$ {called[label[1]]}{between}{label[2]}"
            for label in labels
        ]

    # long names leave too little room for the intervals unless the level has a line of its own
    long = max(map(len, texts(shown, ", "))) > LONGEST_LABEL
    ax.set_yticks(range(len(labels)), texts(shown, ",\n" if long else ", "), fontsize=small_size())
    if not names or len(names) > len(ascii_uppercase) or room_of(ax)[0] >= LEAST_OF_DIFFERENCES * ax.figure.bbox.width:
        return []
    called = dict(zip(names, ascii_uppercase, strict=False))
    ax.set_yticks(range(len(labels)), texts(called, ", "), fontsize=small_size())
    # in the title a name has a line of its own, if it needs one
    longest = int(72 * ax.figure.bbox.width / ax.figure.dpi / points(small_size()) / LETTER) - BESIDE_LETTER
    whole = map(as_given, short_names(names, max(longest, LONGEST)))
    return [f"{letter}: {name}" for letter, name in zip(called.values(), whole, strict=True)]


def _packed(texts, room, width_of):
    """Return the lines of several texts, as many in a line as have room."""
    lines = []
    for text in texts:
        longer = f"{lines[-1]};  {text}" if lines else text
        if lines and width_of(longer) <= room:
            lines[-1] = longer
        else:
            lines.append(text)
    return lines
