"""Several bands in one picture, over each other or in panels, and bars over the levels at which one beats another."""

import math
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from nproc.checks import check_choice
from nproc.errors import NPWarning, warn_at_call
from nproc.plotting.bands import mark_level, name_axes, plot_band, plot_steps
from nproc.plotting.canvas import (
    LETTER,
    PALE,
    axes_or_new,
    band_color,
    claim_axes,
    color_of,
    error_axes,
    find_strip,
    ink,
    level_line,
    line_width,
    new_size,
    panels_of,
    points,
    scale_of,
    short_names,
    small_size,
    write_plain_numbers,
)
from nproc.plotting.legend import note_caption, place_legend

# heights in units of the font size: of the gap below the curves, of a line of text, of a bar, and below the bars
TOP, TEXT_ROWS, BAR_ROWS, GAP = 0.6, 1.5, 0.85, 0.35
BAR_WITH_TEXT = TEXT_ROWS + BAR_ROWS + GAP
# each bar has a row of its own, with both names, up to so many bars and this share of the room; else one row a winner
MOST_ROWS, MOST_ROOM = 6, 0.46
# bars are lower, down to this, where there are so many that little room would be left for the curves
LEAST_BAR = 0.4
# more pairs without a winner than this are counted, and not named
MOST_UNDECIDED = 3
# from so many bands on, each gets a panel of its own
PANELS_FROM = 3
# names are cut to so many letters where not all have room
SHORTER = 16
LAYOUTS = ("overlay", "panels")
# letters by which a pipeline may be longer in a legend, where its last step is not enough
ROOM = 8
# room of the panels in units of the font size: for the numbers at the left, for a name, between two
LEFT, ABOVE, BETWEEN = 2.6, 2.0, 2.8
# least width and height of a panel, in units of the font size
LEAST_PANEL, LEAST_HEIGHT = 14, 10
INCHES = 5.2


def plot_comparison(
    bands,
    regions,
    *,
    somewhere=(),
    note=None,
    ax=None,
    layout=None,
    marked_alpha=None,
    bounded=True,
    figsize=None,
    **view,
):
    """Return Axes with several bands, and a strip below them with bars over the levels at which one beats another.

    Parameters
    ----------
    bands : sequence of dict
        Keyword arguments of `plot_band` for each band, with a different ``label`` each.
    regions, somewhere : iterable of (str, str, float, float)
        As `plot_dominance` takes them.
    note : str, optional
        What the bars speak of.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None makes a figure.
    layout : {"overlay", "panels"}, optional
        All bands over each other, or each in a panel with the estimates of the others in grey. None takes panels from
        three bands on, if they are high enough to be read. The panels are ``ax.child_axes``; limits set on `ax` are
        those of all.
    marked_alpha : float, optional
        A level to mark by a line across all bands.
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
    in_panels = len(bands) >= PANELS_FROM if layout is None else check_choice(layout, "layout", LAYOUTS) == "panels"
    names = [band["label"] for band in bands]
    font = points(small_size()) / 72
    apart = dominance_rows(regions, names, somewhere, apart=True)
    rows = _rows_apart(apart, note, math.inf) or dominance_rows(regions, names, somewhere)
    panels_wide = 1.35 * INCHES
    n_columns, n_rows = _grid(len(bands), panels_wide)
    bars, strip = sum(_room_for_bars(rows, names, n_columns, n_rows)), _ends_of_rows(_without_bars(rows), note)[-1]
    panels_high = 1.3 + n_rows * panels_wide / n_columns + font * (bars + strip)
    if ax is None:
        own = (panels_wide, panels_high) if in_panels else (INCHES, INCHES + font * _ends_of_rows(rows, note)[-1])
        figsize = new_size(figsize, own)
    ax = error_axes(ax, figsize=figsize, **view)
    ax._nproc_bounded = bounded
    if in_panels and layout is None:
        in_panels = _high_enough(ax, names, rows, note, LEAST_HEIGHT)
    elif in_panels and not _high_enough(ax, names, rows, note, LEAST_HEIGHT / 2):
        warn_at_call(
            f"layout='panels' has too little room for {len(bands)} panels. Use "
            f"figsize=({panels_wide:.3g}, {panels_high:.3g}), or layout='overlay'.",
            NPWarning,
        )
    (_plot_panels if in_panels else _plot_overlay)(bands, ax, marked_alpha)
    return plot_dominance(regions, names, ax=ax, note=note, somewhere=somewhere)


def _plot_overlay(bands, ax, marked_alpha):
    if marked_alpha is not None:
        mark_level(marked_alpha, ax=ax)
    names = short_names([band["label"] for band in bands], room=ROOM)
    for band, name in zip(bands, names, strict=True):
        # areas of three bands and more would hide each other
        plot_band(**{"shade": len(bands) < PANELS_FROM, **band, "label": name}, ax=ax)


def _plot_panels(bands, ax, marked_alpha):
    """Divide the Axes into a panel for each band, with one pair of axes for all."""
    font = points(small_size())
    width = ax.get_window_extent().width / ax.figure.dpi
    n_columns, n_rows = _grid(len(bands), width)
    longest = max(8, int(72 * width / n_columns / font / LETTER))
    if ax.get_xscale() == "linear":
        from nproc.plotting.ticks import linear_numbers

        # a number takes as much room as six letters
        ax.xaxis.set_major_locator(linear_numbers(max(2, longest // 6)))
    names = short_names([band["label"] for band in bands], longest)
    grid = _Grid(ax, n_rows, n_columns, [0.0] * n_rows)
    ax.tick_params(which="both", length=0, labelleft=False, labelbottom=False)
    ax.spines[:].set_visible(False)
    ax.patch.set_visible(False)
    for number, (band, name) in enumerate(zip(bands, names, strict=True)):
        row, column = divmod(number, n_columns)
        panel = ax.inset_axes([0, 0, 1, 1], sharex=ax, sharey=ax)
        panel.set_axes_locator(_Cell(grid, row, column))
        panel.set_gid(f"nproc-panel-{number}")
        panel._nproc_scale = scale_of(ax)
        lowest = number + n_columns >= len(bands)
        panel.tick_params(which="both", labelleft=column == 0, labelbottom=lowest, labelsize=small_size())
        for other, rest in enumerate(bands):
            if other != number:
                line = plot_steps(*_estimate(rest), ax=panel, color=PALE, lw=line_width(0.7))
                line.set_gid(f"nproc-other-{other}")
        if marked_alpha is not None:
            mark_level(marked_alpha, ax=panel).lines[-1].set_label("_")
        own = {"color": color_of(number), "linestyle": "-"} | band | {"label": None, "caption": None}
        plot_band(**own, ax=panel, number=number)
        for line in [line for line in panel.lines if line.get_gid() == f"nproc-band-{number}-estimate"]:
            # in its own colour a light one would look like the others in grey-scale print
            line.set(color=ink(), linestyle="-")
        panel.set(xlabel="", ylabel="")
        panel.set_title(name, loc="left", fontsize=small_size(), pad=0.4 * font)
    if len(bands) < n_rows * n_columns:
        # the legend stands in the first cell without a panel, if it has room there
        free = ax.inset_axes([0, 0, 1, 1])
        free.set_axes_locator(_Cell(grid, *divmod(len(bands), n_columns)))
        free.set_axis_off()
        free.set_gid("nproc-free-cell")
    if ax.get_xscale() == "log":
        # as many numbers as there is room for below one panel
        write_plain_numbers(panel)
    # the legend of all panels explains their lines, which have no names in it
    main = {"color": ink(), "label": "estimate and band", "lw": line_width(1.2)}
    ax.plot([], [], **main, gid="nproc-key-estimate")
    ax.plot([], [], color=PALE, lw=line_width(0.7), label="the other methods", gid="nproc-key-others")
    if marked_alpha is not None:
        mark_level(marked_alpha, ax=ax).lines[-1].set_xdata([math.nan, math.nan])
    for number, band in enumerate(bands):
        note_caption(ax, number, band.get("caption"))
    claim_axes(ax, bands[0].get("labels"))
    name_axes(ax)


def _estimate(band):
    type2 = band["type2"]
    return (band["alpha"], type2) if np.ndim(type2[0]) == 0 else type2


def _grid(number, inches):
    """Columns and rows of panels that are wide enough."""
    n_columns = int(np.clip(72 * inches / (LEAST_PANEL * points(small_size())), 1, number))
    n_rows = math.ceil(number / n_columns)
    return math.ceil(number / n_rows), n_rows


def _high_enough(ax, names, rows, note, least):
    """Return whether panels of these Axes can be read, with the bars below each and the strip below all of them."""
    font = points(small_size())
    width, height = (72 * side / ax.figure.dpi / font for side in ax.get_window_extent().size)
    n_columns, n_rows = _grid(len(names), width * font / 72)
    strip = min(_ends_of_rows(_without_bars(rows), note)[-1], height / 2)
    bars = sum(_room_for_bars(rows, names, n_columns, n_rows))
    return height - strip - bars - _below() - n_rows * ABOVE >= n_rows * least


def _below():
    """Room for numbers below Axes, in units of the font size."""
    import matplotlib as mpl

    return (mpl.rcParams["xtick.major.size"] + mpl.rcParams["xtick.major.pad"]) / points(small_size()) + 1.3


def _without_bars(rows):
    """The rows of the strip below panels, which have the bars themselves."""
    return [row for row in rows if row[1] is None]


def _room_for_bars(rows, names, n_columns, n_rows):
    """Room for the bars below the panels of each line of the grid, in units of the font size."""
    room = [0.0] * n_rows
    for _, better, bars in rows:
        if better is not None:
            line = names.index(better) // n_columns
            room[line] = max(room[line], GAP + BAR_WITH_TEXT * len(bars))
    return room


def plot_dominance(regions, names, *, ax, note=None, somewhere=()):
    """Return the Axes with a strip below it: bars over the levels at which one band beats another.

    One row for each method that beats another one somewhere, with a bar for each that it beats, in the colour of the
    better one; the pairs without a winner share a line. In panels the bars stand below the panel of the better one, on
    its own axis. The strip is an Axes of its own (its gid is
    `nproc-dominance`) that shares the x axis and takes its room from `ax`, so that nothing is cut off.

    Parameters
    ----------
    regions : iterable of (str, str, float, float)
        Name of the better band, name of the worse one, and the two ends of the range of alpha.
    names : sequence of str
        All names in the order in which the bands were drawn on `ax`.
    ax : matplotlib.axes.Axes
        Axes with the bands.
    note : str, optional
        What the bars speak of, written in a last row.
    somewhere : iterable of (str, str, float, float)
        Ranges in which one band beats another at one level at least: open bars.

    Returns
    -------
    matplotlib.axes.Axes
        The same Axes.
    """
    size = small_size()
    longest = int(72 * ax.get_window_extent().width / ax.figure.dpi / points(size) / LETTER)
    room = 72 * ax.get_window_extent().height / ax.figure.dpi / points(size)
    panels = panels_of(ax)
    rows = dominance_rows(regions, names, somewhere, longest)
    if not panels:
        rows = _rows_apart(dominance_rows(regions, names, somewhere, longest, apart=True), note, room) or rows
    if panels:
        _plot_bars_of_panels(rows, names, regions, somewhere, ax, panels)
        rows = _without_bars(rows)
    bar = _bar_height(rows, note, room)
    # in panels the name of the axis stands between their numbers and the strip
    tops = _ends_of_rows(rows, note, bar, _name_height() if panels else 0.0)
    earlier = find_strip(ax)
    xlabel = (earlier or ax).get_xlabel()
    if earlier is not None:
        earlier.remove()
    strip = ax.inset_axes([0, -0.2, 1, 0.2], sharex=ax)
    height = points(size) * tops[-1]
    ax.set_axes_locator(_UpperPart(ax, height))
    strip.set_axes_locator(_LowerPart(ax, height))
    strip.set(gid="nproc-dominance", ylim=(tops[-1], 0), yticks=[])
    strip.tick_params(which="both", left=False, labelleft=False)
    strip.spines[:].set_visible(False)
    if panels:
        strip.tick_params(which="both", bottom=False, labelbottom=False)
        strip.patch.set_visible(False)
    else:
        strip.spines[["top", "bottom"]].set_visible(True)
        strip.set_xlabel(xlabel)
        ax.set_xlabel("")
    ax.tick_params(axis="x", labelbottom=False)
    for panel in panels:
        panel.set_xlabel("")
    beside_frame = {"transform": strip.get_yaxis_transform(), "fontsize": size, "va": "top"}
    for row, (title, better, bars) in enumerate(rows):
        title += _where_hidden(bars, ax)
        strip.text(0.01, tops[row], title, **beside_frame, gid=f"nproc-dominance-{row}-text")
        for number, pieces in enumerate(bars):
            color = band_color(ax, names.index(better))
            _plot_bars(strip, pieces, tops[row] + TEXT_ROWS + bar * number, color, f"{row}-{number}", bar)
    if note is not None:
        strip.text(0.01, tops[-2], note, **beside_frame, style="italic", gid="nproc-dominance-note")
    place_legend(ax)
    return ax


def _where_hidden(bars, ax):
    """Words for a row none of whose bars lies between the limits of the Axes."""
    low, high = ax.get_xlim()
    spans = [span for pieces in bars for kind in pieces for span in kind]
    return " (not at the levels shown)" * (bool(spans) and all(b <= low or a >= high for a, b in spans))


def _plot_bars(strip, pieces, top, color, name, bar=BAR_ROWS):
    """Draw full and open bars in a strip whose y axis is in units of the font size."""
    for kind, ranges, face in (("bars", pieces[0], color), ("open-bars", pieces[1], "none")):
        spans = [(low, high - low) for low, high in ranges]
        # a gap between the bars of one winner, which have one colour
        place = (top, 0.65 * bar)
        drawn = strip.broken_barh(spans, place, facecolor=face, edgecolor=color, lw=line_width(0.3))
        drawn.set(gid=f"nproc-dominance-{name}-{kind}", label="_")


def _plot_bars_of_panels(rows, names, regions, somewhere, ax, panels):
    """Draw the bars of each winner below its panel, each with the name of the method that it beats."""
    size, grid = small_size(), panels[0].get_axes_locator().grid
    grid.bars[:] = _room_for_bars(rows, names, grid.n_columns, grid.n_rows)
    width = 72 * ax.get_window_extent().width / ax.figure.dpi / grid.n_columns
    longest = int(width / points(size) / LETTER) - len("better than ")
    shown = dict(zip(names, short_names(names, max(8, longest)), strict=True))
    for panel in panels:
        for child in [child for child in panel.child_axes if child.get_gid() == "nproc-dominance-panel"]:
            child.remove()
    of_better = {better: bars for _, better, bars in rows if better is not None}
    found = [(winner, loser) for winner, loser, *_ in [*regions, *somewhere]]
    for number, (panel, better) in enumerate(zip(panels, names, strict=True)):
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
        # its marks would cross the words of the strip, whose axis has the same ones
        panel.tick_params(which="both", labelbottom=False, bottom=False)
        strip.spines[["left", "right", "top"]].set_visible(False)
        beaten = [name for name in names if (better, name) in found]
        for bar, (loser, pieces) in enumerate(zip(beaten, of_better.get(better, []), strict=True)):
            top = BAR_WITH_TEXT * bar + GAP
            words = f"better than {shown[loser]}" + (_where_hidden([pieces], ax) or " somewhere in" * (not pieces[0]))
            strip.text(0.02, top, words, transform=strip.get_yaxis_transform(), fontsize=size, va="top")
            _plot_bars(strip, pieces, top + TEXT_ROWS, band_color(ax, number), f"{number}-{bar}")


def _bar_height(rows, note, room):
    """Height of a bar, in units of the font size, with which the strip takes less than half of the room."""
    number = sum(len(bars) for _, _, bars in rows)
    texts = _ends_of_rows(rows, note, 0.0)[-1]
    return float(np.clip((room / 2 - texts) / max(number, 1), LEAST_BAR, BAR_ROWS))


def _rows_apart(rows, note, room):
    """Return rows of one bar each if there are few of them and they leave most of the room to the curves, else none."""
    few = sum(bool(bars) for _, _, bars in rows) <= MOST_ROWS
    return rows if few and _ends_of_rows(rows, note)[-1] <= MOST_ROOM * room else []


def _name_height():
    """Height of the name of an axis and the room about it, in units of the font size."""
    import matplotlib as mpl

    return (1.5 * points(mpl.rcParams["axes.labelsize"]) + mpl.rcParams["axes.labelpad"]) / points(small_size())


def _ends_of_rows(rows, note, bar=BAR_ROWS, above=0.0):
    """Where each row of the strip starts, and where the last one ends, in units of the font size."""
    heights = [TEXT_ROWS + bar * len(bars) + GAP * bool(bars) for _, _, bars in rows]
    return np.cumsum([above or TOP, *heights, *([] if note is None else [TEXT_ROWS])]).tolist()


def dominance_rows(regions, names, somewhere=(), longest=80, *, apart=False):
    """Return one row for each band that beats another one, and one for the pairs without a winner.

    Parameters
    ----------
    regions : iterable of (str, str, float, float)
        Better name, worse name, and the ends of a range of alpha.
    names : sequence of str
        All names in order.
    somewhere : iterable of (str, str, float, float)
        The same for ranges in which it does so at one level at least.
    longest : int
        Letters for which a row has room; where there are more, the last names are counted.
    apart : bool
        A row for each pair of which one beats the other, and not one for all that a band beats.

    Returns
    -------
    list of (str, str or None, list)
        Text, better name, and for each band that it beats the ranges of both kinds.

    Examples
    --------
    >>> dominance_rows([("b", "a", 0.1, 0.4)], ["a", "b"])
    [('b better than a', 'b', [([(0.1, 0.4)], [])])]
    >>> dominance_rows([], ["a", "b"])
    [('neither is shown to be better', None, [])]
    """
    ranges = {}
    for kind, (better, worse, low, high) in [(0, r) for r in regions] + [(1, r) for r in somewhere]:
        ranges.setdefault((better, worse), ([], []))[kind].append((float(low), float(high)))
    rows, shown = [], dict(zip(names, short_names(names, room=ROOM), strict=True))
    shorter = dict(zip(names, short_names(names, SHORTER), strict=True))
    for better in names:
        losers = [worse for worse in names if (better, worse) in ranges]
        for beaten in [[name] for name in losers] if apart else [losers] * bool(losers):
            bars = [ranges[better, worse] for worse in beaten]
            told = " (from the top)" * (len(beaten) > 1) + " (open: at some level in it)" * any(b for _, b in bars)
            words = f"{shown[better]} better than {', '.join(shown[name] for name in beaten)}{told}"
            if len(words) > longest:
                words = f"{shorter[better]} better than "
                words += _listed([shorter[name] for name in beaten], longest - len(words + told)) + told
            rows.append((words, better, bars))
    pairs = list(combinations(names, 2))
    undecided = [pair for pair in pairs if pair not in ranges and pair[::-1] not in ranges]
    told = "; ".join(f"{shown[first]}, {shown[second]}" for first, second in undecided)
    if len(told) > longest - len("neither better: "):
        told = "; ".join(f"{shorter[first]}, {shorter[second]}" for first, second in undecided)
    if undecided and len(pairs) == 1:
        return [("neither is shown to be better", None, [])]
    if len(undecided) > MOST_UNDECIDED or len(told) > longest - len("neither better: "):
        told = f"{len(undecided)} of {len(pairs)} pairs"
    return [*rows, (f"neither better: {told}", None, [])] if undecided else rows


def _listed(names, longest):
    """The names, or as many as there is room for and the number of the others."""
    texts = [
        ", ".join(names),
        *(f"{', '.join(names[:k])} and {len(names) - k} more" for k in range(len(names) - 1, 0, -1)),
    ]
    return next((text for text in texts if len(text) <= longest), f"{len(names)} other{'s' * (len(names) > 1)}")


class _UpperPart:
    """Locator that leaves the lowest part of the room of Axes to a strip, in every layout."""

    def __init__(self, axes, height):
        self.axes, self.height = axes, height

    def full_height(self):
        """Height that the rows of the strip need, in figure coordinates."""
        return self.height / 72 / (self.axes.figure.bbox.height / self.axes.figure.dpi)

    def strip_height(self):
        """Height of the strip in figure coordinates: what its rows need, at most six tenths of the room."""
        return min(self.full_height(), 0.6 * self.axes.get_position(original=True).height)

    def get_subplotspec(self):
        """Tell tight_layout which cell of a grid these Axes fill."""
        return self.axes.get_subplotspec()

    def __call__(self, axes, renderer):
        from matplotlib.transforms import Bbox

        x, y, width, height = self.axes.get_position(original=True).bounds
        below = self.strip_height()
        return Bbox.from_bounds(x, y + below, width, height - below)


class _LowerPart(_UpperPart):
    """Locator of the strip, right below the Axes where they are drawn, or below their panels."""

    def __init__(self, axes, height):
        super().__init__(axes, height)
        # the share of its size that each text has now
        self.shares = {}

    def __call__(self, axes, renderer):
        from matplotlib.transforms import Bbox

        x, y, width, _ = self.axes.get_position().bounds
        below = self.strip_height()
        share = below / self.full_height()
        # where the strip has less room than its rows need, the letters shrink with them
        for text in axes.texts:
            before = self.shares.get(text, 1.0)
            if share != before:
                text.set_fontsize(text.get_fontsize() * share / before)
                self.shares[text] = share
        left = _share_of_width(self.axes, LEFT) if panels_of(self.axes) else 0.0
        return Bbox.from_bounds(x + left, y - below, width - left, below)


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


def plot_differences(rows, marked, *, ax=None, note=None, figsize=None):
    r"""Return Axes with a point and an interval for each difference, and a line at 0.

    Parameters
    ----------
    rows : sequence of (str, float, float, float)
        Label, difference, and the ends of its interval.
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
    ax.set(ylim=(len(rows) - 0.4, -0.6), yticks=range(len(rows)), xlabel="difference of type II errors")
    labels = [label for label, *_ in rows]
    # long names leave too little room for the intervals unless the level has a line of its own
    long = max(map(len, labels)) > LONGEST_LABEL
    ax.set_yticklabels([label.replace(", ", ",\n") if long else label for label in labels], fontsize=small_size())
    if note is not None:
        # ends with the Axes and begins above the labels, beside which the Axes may be narrow
        ax.set_title(note, fontsize=small_size(), loc="right")
    return ax
