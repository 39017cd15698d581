"""Texts broken into lines where they are wider than the room that Axes will have for them."""

import math
import re
from functools import cache, lru_cache, partial
from itertools import pairwise

from nproc.plotting.anew import placed
from nproc.plotting.canvas import (
    LONGEST_IN_LEGEND,
    as_given,
    column_of,
    extent_of,
    find_strip,
    least_size,
    panels_of,
    points,
    short_name,
    short_names,
    small_size,
    width_beside,
)

# a line ends here rather than at another blank: before a bar or a bracket with several words, and behind a comma, a
# semicolon or a colon; if the lines are then at most so many times as wide as the others would be
GOOD_PLACES = re.compile(r" (?=\||\([^)]+ )|(?<=[,;:]) ")
UNEVEN = 1.35
# and never beside a sign of equality, before a number, between a number and its unit, or behind the "type" of an error
ALL_PLACES = re.compile(r"(?<!=)(?<!\btype) (?![=%]|\N{MINUS SIGN}?\d|(?<=\d )(?:rows|splits)\b)")
PLACES = GOOD_PLACES, ALL_PLACES
# lines that a name of a vertical axis may have if there is a shorter one
MOST_LINES = 3
# points by which the layout may move the middle of a name once its lines are chosen
MOVED_BY_LAYOUT = 2.0
# what the layout of a figure keeps free at its edges, in points
FREE_AT_EDGE = 3.0
# names beside Axes are broken if they would leave less than this share of the figure to the Axes, and may have this one
LEAST_OF_AXES, MOST_OF_NAMES = 0.5, 0.42
# letters of names of rows that are low, at first and at last
LONGEST_OF_ROWS, SHORTEST_OF_ROWS = 80, 8
# and of names that stand in the name of an axis, at last
SHORTEST_OF_NAMES = 8
# what is kept free between names of rows, in units of the font size
BETWEEN_ROWS = 0.25
# Axes that have more than this share of the figure have no names of rows at their left
MOST_BESIDE_NAMES = 0.7
# letters are set on whole pixels, so they are up to a tenth wider at one resolution of a file than at another
DPIS = 100, 110, 150, 300
# what the width of a text depends on besides its size
SETTINGS_OF_LETTERS = ("font.", "mathtext.", "text.")


def in_lines(text, room, width_of):
    """Return a text in two lines, or as many as it needs, if it is wider than the room for it.

    Parameters
    ----------
    text : str
        The text; lines that it has already are kept.
    room : float
        The largest width of a line.
    width_of : callable
        Gives the width of a text.

    Examples
    --------
    >>> print(in_lines("ill, left out (n = 30 in each split)", 25, len))
    ill, left out
    (n = 30 in each split)
    >>> print(in_lines("false alarms, upper bound (share of healthy rows called ill)", 33, len))
    false alarms, upper bound
    (share of healthy rows called ill)
    """

    # the same end of a line is reached by many ways
    @cache
    def parts(line):
        return _parts(line, room, width_of, parts)

    return "\n".join(part for line in text.split("\n") for part in parts(line))


def _parts(line, room, width_of, parts):
    if width_of(line) <= room:
        return [line]
    good, usual = ([[line[: at.start()], line[at.end() :]] for at in places.finditer(line)] for places in PLACES)
    widths, usual_widths = ([max(map(width_of, halves)) for halves in pairs] for pairs in (good, usual))
    least, least_usual = (min(found, default=math.inf) for found in (widths, usual_widths))
    if least <= min(room, UNEVEN * least_usual):
        return good[widths.index(least)]
    if least_usual <= room:
        return usual[usual_widths.index(least_usual)]
    # the last good place and the last of all that leave a line with room
    fitting = ([at for at in places.finditer(line) if width_of(line[: at.start()]) <= room] for places in PLACES)
    ends = [found[-1] for found in fitting if found] or [*ALL_PLACES.finditer(line)][:1]
    ways = [[line[: at.start()], *parts(line[at.end() :])] for at in ends]
    return min(ways, key=len, default=[line])


@cache
def _renderer(dpi):
    from matplotlib.backends.backend_agg import RendererAgg

    return RendererAgg(1, 1, dpi)


def width_in(ax, size, *, dpis=DPIS):
    """Return a function that gives the width of a text in these Axes, in pixels, in letters of this size.

    It is the largest width that the text has at the resolution of the figure and at `dpis`, those of usual files.
    """
    import matplotlib as mpl

    own, letters = ax.figure.dpi, points(size)
    settings = tuple(str(mpl.rcParams[name]) for name in mpl.rcParams if name.startswith(SETTINGS_OF_LETTERS))

    def width_of(text):
        return max(_width(text, letters, dpi, settings) / dpi for dpi in {own, *dpis}) * own

    return width_of


# each name is measured many times until a picture has found its place
@lru_cache(maxsize=20_000)
def _width(text, size, dpi, settings):
    """Return the width of a text in pixels; `settings` are those of rcParams that hold now, on which it depends."""
    from matplotlib.figure import Figure
    from matplotlib.text import Text

    drawn = Text(text=text, fontsize=size)
    drawn.set_figure(Figure(dpi=dpi))
    return drawn.get_window_extent(_renderer(dpi)).width


def room_of(ax):
    """Return the width that Axes will have, in pixels, and how far their texts may reach beyond each of their sides.

    Beside others in a grid, or where the figure has no layout of its own, Axes keep the width that they have.
    """
    width = extent_of(ax).width
    spec = ax.get_subplotspec()
    if ax.figure.get_layout_engine() is None or spec is None or spec.get_gridspec().ncols > 1:
        return width, 0.0
    left = right = 0.0
    for axes in column_of(ax):
        box = axes.get_window_extent()
        # without the names of both axes, beside whose ends there is room
        for axis in (axes.xaxis, axes.yaxis):
            taken = axis.get_tightbbox(for_layout_only=True)
            if taken is not None:
                left, right = max(left, box.x0 - taken.x0), max(right, taken.x1 - box.x1)
    edge = FREE_AT_EDGE * ax.figure.dpi / 72
    return ax.figure.bbox.width - left - right - 2 * edge, right + edge


def room_over_names(ax):
    """Return the width from the left edge of the figure to the right side of Axes with names of rows, in pixels.

    None where no such names stand at their left, or where `room_of` keeps the width of the Axes.
    """
    width, beyond = room_of(ax)
    whole = ax.figure.bbox.width
    if not beyond or width > MOST_BESIDE_NAMES * whole:
        return None
    return whole - beyond - FREE_AT_EDGE * ax.figure.dpi / 72


def name_x(ax, text, *, joined=None, shorter=()):
    """Name the horizontal axis, in lines that have room below the Axes.

    `joined` is the same text with fewer lines of its own, which stands there where that saves a line. Below names of
    rows the lines reach up to the left edge of the figure, if that saves a line. A name that needs more than
    `MOST_LINES` lines gives way to the first of the `shorter` ones that needs no more, or to the last of them.
    """
    import matplotlib as mpl

    size, whole = points(mpl.rcParams["axes.labelsize"]), text
    width, beyond = room_of(ax)
    # the name stands in the middle of what is left beside the bounds at a marked level
    width -= width_beside(ax) * points(small_size()) * ax.figure.dpi / 72
    width_of, over = width_in(ax, size), room_over_names(ax)
    choices = (in_lines(choice, width + 2 * beyond, width_of) for choice in (text, joined) if choice is not None)
    lines = min(choices, key=lambda lines: lines.count("\n"))
    for name in shorter:
        if lines.count("\n") + 1 <= MOST_LINES:
            break
        text, lines = name, in_lines(name, width + 2 * beyond, width_of)
    longer = lines if over is None else in_lines(text, over, width_of)
    saves = longer.count("\n") < lines.count("\n")
    look = {"x": 1.0, "ha": "right"} if saves else {}
    drawn = longer if saves else lines
    ax.set_xlabel(drawn, **look)
    ax._nproc_name_of_x = whole, joined, shorter, drawn
    placed(ax, "x", name_x_again)


def name_x_again(ax):
    """Name the horizontal axis as before, for the room that there is now; a name that somebody else has given stays."""
    text, joined, shorter, drawn = ax._nproc_name_of_x
    if ax.get_xlabel() == drawn:
        name_x(ax, text, joined=joined, shorter=shorter)


def name_y(ax, text, *, shorter=(), room=None):
    """Name the vertical axis, in lines that have room beside the Axes, or `room(ax)` for their length in pixels.

    A name that needs more than `MOST_LINES` lines gives way to the first of the `shorter` ones that needs at most one
    more than these, or to the last of them.
    """
    import matplotlib as mpl

    width_of = width_in(ax, points(mpl.rcParams["axes.labelsize"]))
    length = extent_of(ax).height if room is None else room(ax)
    for most, name in zip([MOST_LINES] + [MOST_LINES + 1] * len(shorter), [text, *shorter], strict=True):
        lines = in_lines(name, length, width_of)
        if lines.count("\n") + 1 <= most:
            break
    ax.set_ylabel(lines)
    ax._nproc_name_of_y = text, shorter, ax.get_ylabel()
    placed(ax, "y", partial(_name_y_again, room))


def _name_y_again(room, ax):
    text, shorter, drawn = ax._nproc_name_of_y
    # a name that somebody else has given stays
    if ax.get_ylabel() == drawn:
        name_y(ax, text, shorter=shorter, room=room)


def break_name_of_y(ax, *, room):
    """Break the name of the vertical axis anew for this `room`: as `name_y` was given it, or as others have set it."""
    text, shorter, drawn = getattr(ax, "_nproc_name_of_y", ("", (), ""))
    if ax.get_ylabel() == drawn:
        name_y(ax, text, shorter=shorter, room=room)
    else:
        name_y(ax, ax.get_ylabel(), room=room)


def height_beside_name(ax):
    """Return the length that the name of the vertical axis may have, in pixels: all that is left above a strip."""
    strip = find_strip(ax)
    if strip is None:
        return extent_of(ax).height
    # in panels the name of the levels stands within the strip
    below = [one.xaxis.get_tightbbox() for one in ([strip] if panels_of(ax) else [strip, ax])]
    taken = (strip._nproc_points_high + 2 * points(small_size()) + MOVED_BY_LAYOUT) * ax.figure.dpi / 72
    return ax.figure.bbox.height - taken - sum(box.height for box in below if box is not None)


def with_names(choices, room, width_of):
    """Return the first text that has room, of those with names as long as in a legend or else of the longest names.

    Parameters
    ----------
    choices : callable
        Takes the largest number of letters of a name, and returns texts with names that are as long, the best first.
    room : float
        The largest width of a line.
    width_of : callable
        Gives the width of a text.

    Examples
    --------
    >>> with_names(lambda longest: [f"errors of {short_name('malignant tumours', longest)}"], 25, len)
    'errors of malignant ...'
    """
    for longest in range(LONGEST_IN_LEGEND, SHORTEST_OF_NAMES - 1, -1):
        texts = choices(longest)
        for text in texts:
            if max(map(width_of, text.split("\n"))) <= room:
                return text
    return texts[-1]


def name_rows(ax, places, names, more):
    """Name the rows of Axes, each with `more` in a line below, and break names that would leave little room to them."""
    import matplotlib as mpl

    whole, drawn = ax.figure.bbox.width, list(map(as_given, names))
    ax.set_yticks(places, ["\n".join(pair) for pair in zip(drawn, more, strict=True)])
    if room_of(ax)[0] < LEAST_OF_AXES * whole:
        most, width_of = MOST_OF_NAMES * whole, width_in(ax, points(mpl.rcParams["ytick.labelsize"]), dpis=())
        texts = [
            f"{name}\n{rest}" if width_of(name) <= most else in_lines(f"{name}, {rest}", most, width_of)
            for name, rest in zip(drawn, more, strict=True)
        ]
        ax.set_yticks(places, texts)
    _note_rows(ax, "rows", partial(_name_rows_again, places, names, more))


def _name_rows_again(places, names, more, ax):
    import matplotlib as mpl

    if _texts_of_rows(ax) == ax._nproc_rows:
        ax.tick_params(axis="y", labelsize=mpl.rcParams["ytick.labelsize"])
        name_rows(ax, places, names, more)


def _keep_apart_again(names, more, ax):
    if _texts_of_rows(ax) == ax._nproc_rows:
        keep_rows_apart(ax, names, more)


def _note_rows(ax, kind, place):
    ax._nproc_rows = _texts_of_rows(ax)
    placed(ax, kind, place)


def _texts_of_rows(ax):
    return [label.get_text() for label in ax.get_yticklabels()]


def keep_rows_apart(ax, names, more, *, letters=None, most=MOST_OF_NAMES):
    """Make the letters of names of rows smaller where they would touch, then their lines fewer, then the names shorter.

    Called when the legend and the name of the horizontal axis are there, since they take from the height of the rows.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Axes whose rows have been named.
    names, more : sequence of str
        As `name_rows` takes them.
    letters : sequence of str, optional
        What stands before each name.
    most : float
        The largest share of the width of the figure that names may have.
    """
    import matplotlib as mpl

    pitch, places = row_height(ax), ax.get_yticks()
    room, usual = most * ax.figure.bbox.width, points(mpl.rcParams["ytick.labelsize"])
    before = [""] * len(names) if letters is None else [f"{letter}:\N{NO-BREAK SPACE}" for letter in letters]

    def has_room():
        boxes = [label.get_window_extent() for label in ax.get_yticklabels()]
        gap = BETWEEN_ROWS * points(small_size()) * ax.figure.dpi / 72
        apart = all((one.height + two.height) / 2 + gap <= pitch for one, two in pairwise(boxes))
        return apart and (letters is None or max(box.width for box in boxes) <= room)

    if letters is None:
        _note_rows(ax, "heights of rows", partial(_keep_apart_again, names, more))
        if has_room():
            return
    smaller = min(usual, least_size())
    ways = [(size, LONGEST_OF_ROWS) for size in ([smaller] if letters is None else [usual, smaller])]
    ways += [(smaller, longest) for longest in range(LONGEST_OF_ROWS - 8, SHORTEST_OF_ROWS - 1, -4)]
    for size, longest in ways:
        # the layout leaves room to wider ones
        width_of = width_in(ax, size, dpis=())
        # letters tell names apart that look the same
        cut = short_names(names, longest) if letters is None else [short_name(name, longest) for name in names]
        short = map(as_given, cut)
        texts = zip(before, short, more, strict=True)
        ax.set_yticks(places, [in_lines(f"{a}{name}, {rest}", room, width_of) for a, name, rest in texts])
        ax.tick_params(axis="y", labelsize=size)
        ax._nproc_rows = _texts_of_rows(ax)
        if has_room():
            return


def row_height(ax):
    """Return the height that a row of Axes will have, in pixels: that of a step of 1 on the vertical axis."""
    import matplotlib as mpl

    height, spec = extent_of(ax).height, ax.get_subplotspec()
    if ax.figure.get_layout_engine() is not None and spec is not None and spec.get_gridspec().nrows == 1:
        below, legend = ax.xaxis.get_tightbbox(for_layout_only=True), ax.get_legend()
        height = ax.figure.bbox.height - 2 * FREE_AT_EDGE * ax.figure.dpi / 72
        height -= 0.0 if below is None else below.height
        if legend is not None and not legend.get_frame_on():
            height -= legend.get_window_extent().height
        if ax.get_title():
            height -= ax.title.get_window_extent().height + mpl.rcParams["axes.titlepad"] * ax.figure.dpi / 72
    low, high = ax.get_ylim()
    return height / abs(high - low)
