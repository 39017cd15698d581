"""The legend of a picture: in a corner where it covers no line, or above the axes; names beside their lines."""

import math
from functools import partial

import numpy as np

from nproc.plotting.anew import in_settings_of, placed, room_locator, set_room
from nproc.plotting.canvas import (
    extent_of,
    grey,
    ink,
    least_size,
    line_width,
    panels_of,
    points,
    row_of,
    small_size,
    width_beside,
)
from nproc.plotting.lines import FREE_AT_EDGE, in_lines, room_of, room_over_names, width_in

# corners in the order in which they are tried, as (x, y): 0 is left or below, 1 right or above
CORNERS = {"lower right": (1, 0), "upper right": (1, 1), "upper left": (0, 1), "lower left": (0, 0)}
# share of the axes that is kept free beside a legend, which may gain a little when the layout is made
SLACK = 0.02
# what the sample of a line beside a text takes, in units of the font size
BESIDE_TEXT = 4.2
# a legend above with more rows than this has two columns
MOST_IN_A_COLUMN = 3
# what a title says of a pointwise band, and says so where it would need a second line
IN_FEWER_LETTERS = r"one $\alpha$ fixed beforehand", r"one fixed $\alpha$"
# names at the ends of lines are so many times their height apart, or stand in the legend
NAMES_APART = 1.3
# share of the width of Axes that names at the ends of lines may take; longer ones stand in the legend
MOST_OF_NAMES = 0.25
# width of the lines of bounds beside an estimate, and the gid of their row in the legend
EDGE, BOUNDS_KEY = 0.5, "nproc-key-bounds"
# and of the bar of bounds at a level
BAR = 1.6
# of several bars at one level, in units of the font size: from one to the next, and the width of its ends
NEXT_BAR, ENDS_OF_BAR = 0.95, 0.7
# and how many of them have room in the legend
BARS_IN_SAMPLE = 3
# at a type I error of 1 all curves meet
ENDS_MEET = 0.9


def place_legend(ax):
    """Draw the legend of these Axes anew: in a corner where it covers no line, or above the axes.

    What all bands share, as noted by `note_caption`, is the title; what they do not share stands in the row of each.
    A legend above takes its room from the axes where no layout makes room for it.
    In a row of a grid all legends stand above if one of them does, since its room is taken from all, and then have
    letters of one size.
    When the limits of the axes change, or the size of the figure, the legend is placed again. A legend that somebody
    else has made stays.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Axes with labelled artists; without any there is no legend.
    """
    # cleared Axes have a new patch, and call nobody any more
    if not hasattr(ax.patch, "_nproc_watched"):
        ax.patch._nproc_watched = True
        for change in ("xlim_changed", "ylim_changed"):
            ax.callbacks.connect(change, _place_at_new_limits)
    placed(ax, "legend", _place_again)
    if not _is_ours(ax.get_legend(), True):
        return
    if ax.get_legend() is not None:
        ax.get_legend().remove()
    row = [] if panels_of(ax) else [axes for axes in row_of(ax) if axes is not ax and _is_kept(axes)]
    drafts = [draft for axes in [ax, *row] if (draft := _Draft(axes)).has_entries]
    if not drafts:
        return
    inside = all(draft.corner is not None for draft in drafts)
    share = 1.0 if inside else min(draft.share for draft in drafts)
    for draft in drafts:
        draft.draw(inside, share)


def legend_height(ax, texts):
    """Return how high a legend with these texts in one column would be above Axes without a legend, in pixels."""
    from matplotlib.legend import Legend
    from matplotlib.lines import Line2D

    letter, width_of = points(small_size()) * ax.figure.dpi / 72, width_in(ax, small_size())
    room = room_of(ax)[0] - (BESIDE_TEXT + 0.3) * letter
    lines = [in_lines(text, room, width_of) for text in texts]
    drawn = Legend(ax, [Line2D([], []) for _ in lines], lines, loc="lower left", fontsize=small_size())
    return drawn.get_window_extent().height


def legend_room(ax):
    """Return whether a free corner is left to the legend of these Axes, and how many columns it would have above them.

    In a row of a grid no corner is left if another legend of the row stands above.
    """
    draft = _Draft(ax)
    if not draft.has_entries:
        return True, 2
    others = [axes for axes in row_of(ax) if axes is not ax]
    return draft.corner is not None and not any(_is_above(axes.get_legend()) for axes in others), int(draft.room)


def has_room_above(ax, *texts):
    """Return whether these texts, or all of the legend of these Axes, have room in one line each above the Axes."""
    beside = (BESIDE_TEXT + 0.3) * points(small_size()) * ax.figure.dpi / 72
    texts = texts or ax.get_legend_handles_labels()[1]
    return max(map(width_in(ax, small_size()), texts)) <= room_of(ax)[0] - beside


def height_below_legend(ax):
    """Return the height that Axes with a legend will have, in pixels, if the figure has a layout and no other Axes."""
    height, legend = extent_of(ax).height, ax.get_legend()
    if ax.figure.get_layout_engine() is None or len(ax.figure.axes) > 1 or not _is_above(legend):
        return height
    # the numbers and the name of the horizontal axis, and what is free at the edges of the figure and below the legend
    below = ax.get_window_extent().y0 - ax.xaxis.get_tightbbox().y0
    free = (2 * FREE_AT_EDGE + legend.borderaxespad * points(small_size())) * ax.figure.dpi / 72
    return ax.figure.bbox.height - below - free - legend.get_window_extent().height


class _Draft:
    """What the legend of some Axes holds, a corner where it covers no line, and how it would stand above them."""

    def __init__(self, ax):
        from matplotlib.legend import Legend

        self.ax = ax
        self.handles, self.texts, self.caption = _entries(ax)
        self.has_entries = bool(self.handles) or self.caption is not None
        if not self.has_entries:
            return
        size = small_size()
        self.style = {"fontsize": size, "title_fontsize": size, "handlelength": 2.4, "alignment": "left"}
        # the dashed line of a level ends at the frame and does not shine through the words
        self.style |= {"columnspacing": 1.2, "framealpha": 1.0}
        if not self.handles:
            # a title alone, without the room of a row below it
            self.style |= {"borderpad": 0.1, "labelspacing": 0.0}
        self._break_texts()
        legend = Legend(ax, self.handles, self.texts, loc="lower right", title=self.caption, **self.style)
        corners = () if panels_of(ax) else CORNERS
        self.corner = next((name for name in corners if _is_free(ax, _box(ax, legend, name))), None)
        self._measure_above(legend)

    def _break_texts(self):
        """Break texts that are too wide for one column above the Axes."""
        ax = self.ax
        room, width_of = room_of(ax)[0], width_in(ax, small_size())
        letter = points(small_size()) * ax.figure.dpi / 72
        # above names of rows a text that is too wide may reach up to the left edge of the figure
        too_wide = max(map(width_of, self.texts), default=0.0) > room - (BESIDE_TEXT + 0.3) * letter
        self.over = room_over_names(ax) if too_wide else None
        room = room if self.over is None else self.over
        least, most = (room - (BESIDE_TEXT + free) * letter for free in (1, 0.3))
        # the Axes get lower by another line, and their numbers may need a digit more then
        self.texts = [text if width_of(text) <= most else in_lines(text, least, width_of) for text in self.texts]
        if self.caption is not None:
            self.caption = in_lines(self.caption, room / least_shrunk(), width_of)

    def _measure_above(self, legend):
        """Find the columns, the share of their size that the letters need, and the entries and title there."""
        ax, key = self.ax, _row_of_bounds(self.handles)
        width = extent_of(ax).width + width_beside(ax) * points(small_size()) * ax.figure.dpi / 72
        width = width if self.over is None else self.over
        wide = [text.get_window_extent().width for text in legend.get_texts()]
        self.room, self.share = _columns(ax, width, wide, self.over)
        self.above = self.handles, self.texts, self.caption
        if key is not None and self.caption is not None:
            words = self.texts[key] if self.handles[key].get_linestyle() == "None" else "thin lines: bounds"
            room, share = _columns(ax, width, wide[:key] + wide[key + 1 :])
            saved = math.ceil(len(wide) / self.room) - math.ceil((len(wide) - 1) / room)
            on_one_line = [f"{caption}; {words}" for caption in (self.caption, self.caption.replace(*IN_FEWER_LETTERS))]
            # the names of the vertical axis may still take from the width
            least, width_of = min(width, room_of(ax)[0] if self.over is None else width), width_in(ax, small_size())
            for title in (*on_one_line, f"{self.caption};\n{words}"):
                # a row less above the curves
                fits = share * max(map(width_of, title.split("\n"))) <= least
                if fits and (title in on_one_line or saved > 1):
                    self.room, self.share = room, share
                    self.above = *(part[:key] + part[key + 1 :] for part in (self.handles, self.texts)), title
                    break

    def draw(self, inside, share):
        """Draw the legend in its corner, in a free cell among panels, or above with this share of the size of letters.

        One that stands there already stays as it is, with all that somebody has changed in it.
        """
        ax, style = self.ax, self.style
        wanted = inside and self.corner, share, self.texts, self.caption
        if ax.get_legend() is not None and ax._nproc_legend == wanted:
            return
        ax._nproc_legend = wanted
        cell = None
        if inside:
            ax.legend(self.handles, self.texts, loc=self.corner, title=self.caption, **style)
        else:
            cell = _legend_in_free_cell(ax, self.handles, self.texts, {"title": self.caption, **style})
        if not inside and cell is None:
            if share < 1:
                smaller = share * points(small_size())
                style = style | {"fontsize": smaller, "title_fontsize": smaller, "columnspacing": 0.8}
            handles, texts, title = self.above
            columns = int(np.clip(self.room * self.share / share + 1e-9, 1, max(len(handles), 1)))
            left = {"loc": "lower left", "bbox_to_anchor": (0.0, 1.0)}
            place = left if self.over is None else {"loc": "lower right", "bbox_to_anchor": (1.0, 1.0)}
            # a picture may give up the room inside a frame that is not drawn, and Axes side by side have little
            pad = getattr(ax, "_nproc_pad", 0.4 if len(row_of(ax)) == 1 else 0.2)
            above = {"borderaxespad": 0.2, "borderpad": pad, "frameon": False, **place}
            # matplotlib fills one column after the other, and a reader reads along the rows
            along = [k for column in range(columns) for k in range(column, len(handles), columns)]
            parts = ([part[k] for k in along] for part in (handles, texts))
            ax.legend(*parts, ncols=columns, title=title, **above | style)
        ax.get_legend().set_gid("nproc-legend")
        spec = ax.get_subplotspec()
        if _is_above(ax.get_legend()) or (spec is not None and spec.get_gridspec().ncols > 1):
            _keep_titles_off(ax)
        if not inside and cell is None and not isinstance(room_locator(ax), _BelowLegend):
            set_room(ax, _BelowLegend(ax, room_locator(ax)))


def _columns(ax, width, wide, over=None):
    """Columns of a legend whose texts are so wide, and the share of their size that the letters then have."""
    letter = points(small_size()) * ax.figure.dpi / 72

    def needed(n_columns, even=False):
        # a text has the sample of a line before it, and there is some room between columns and at both sides
        columns = [max(wide[column::n_columns], default=0.0) for column in range(n_columns)]
        texts = n_columns * max(columns) if even else sum(columns)
        return texts + ((BESIDE_TEXT + 0.2) * n_columns - 0.2) * letter

    room = room_of(ax)[0] if over is None else over
    # other Axes than those of curves may get narrower by the names at their left, once they are laid out
    even = not hasattr(ax, "_nproc_scale")
    fitting = [n for n in range(2, len(wide) + 1) if needed(n, even) <= width and needed(n) <= room]
    most = max(fitting, default=1)
    # a column of many rows would leave little height to the curves
    share = min(1.0, width / needed(2, even), room / needed(2)) if len(wide) > MOST_IN_A_COLUMN else 0.0
    if most == 1 and share >= least_shrunk():
        return 2, share
    return most, min(1.0, max(least_shrunk(), room / needed(1))) if most == 1 else 1.0


def least_shrunk():
    """Return the smallest share of the size of letters in legends that can still be read."""
    return min(1.0, least_size() / points(small_size()))


def legend_above(ax, **style):
    """Draw a legend without a frame above the Axes, in `ncols` columns at most, as many as have room."""
    usual = {"loc": "lower left", "bbox_to_anchor": (0.0, 1.0), "ncols": 3, "borderaxespad": 0.2, "frameon": False}
    usual |= {"fontsize": small_size(), "handlelength": 1.3, "handletextpad": 0.5, "columnspacing": 1.0}
    usual |= {"borderpad": 0.4} | style
    handles, texts = ax.get_legend_handles_labels()
    letter, width_of = points(small_size()) * ax.figure.dpi / 72, width_in(ax, small_size())
    over = room_over_names(ax) if usual["loc"] == "lower right" else None
    room = (room_of(ax)[0] if over is None else over) - 2 * usual["borderpad"] * letter
    sample, between = ((usual["handlelength"] + usual["handletextpad"]) * letter, usual["columnspacing"] * letter)
    texts = [in_lines(text, room - sample, width_of) for text in texts]
    wide = [width_of(text) + sample for text in texts]

    def needed(n_columns):
        columns = [max(column, default=0.0) for column in np.array_split(wide, n_columns)]
        return sum(columns) + (n_columns - 1) * between

    fitting = [n for n in range(2, usual["ncols"] + 1) if needed(n) <= room]
    drawn = ax.legend(handles, texts, **usual | {"ncols": max(fitting, default=1)})
    placed(ax, "legend", partial(_draw_above_again, drawn, style))


def _draw_above_again(drawn, style, ax):
    if ax.get_legend() is drawn:
        legend_above(ax, **style)


def note_caption(ax, number, caption):
    """Note what the legend is to say of a band, such as its delta: once, if all bands of these Axes share it."""
    earlier = getattr(ax.patch, "_nproc_captions", {}) if number else {}
    ax.patch._nproc_captions = {**earlier, f"nproc-band-{number}": caption}


def explain_bounds(ax, words=None):
    """Say in the last row of the legend, once, what these Axes show of the bounds of bands without a light area.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Axes with the bands.
    words : str, optional
        What to say where no line shows bounds; None explains the thin lines.
    """
    for earlier in [line for line in ax.lines if line.get_gid() == BOUNDS_KEY]:
        earlier.remove()
    look = {"ls": "-" if words is None else "", "color": grey(), "lw": line_width(EDGE)}
    ax.plot([], [], label="bounds (thin lines)" if words is None else words, gid=BOUNDS_KEY, **look)


def _row_of_bounds(handles):
    """The place of the row that `explain_bounds` has added, or None."""
    return next((k for k, handle in enumerate(handles) if getattr(handle, "get_gid", str)() == BOUNDS_KEY), None)


def _place_at_new_limits(ax):
    in_settings_of(ax, _place_again)


def _place_again(ax):
    if _is_kept(ax):
        place_legend(ax)


def _is_kept(ax):
    # where all names stand at the ends of lines there may be no legend
    return _is_ours(ax.get_legend(), any(text.get_gid() == "nproc-name" for text in ax.texts))


def _is_ours(legend, if_none):
    return if_none if legend is None else legend.get_gid() == "nproc-legend"


def _is_above(legend):
    # a legend in a corner has a frame
    return _is_ours(legend, False) and not legend.get_frame_on()


def _entries(ax):
    """Handles, texts and title of the legend."""
    captions = getattr(ax.patch, "_nproc_captions", {})
    shared = set(captions.values())
    title = shared.pop() if len(shared) == 1 else None
    fills = {fill.get_gid(): fill for fill in ax.collections}
    handles, texts = _shown_once(ax, *_data_first(*ax.get_legend_handles_labels()))
    # a labelled line of a band, the estimate or the lower end, stands for the band
    stems = [str(getattr(handle, "get_gid", str)()).rpartition("-") for handle in handles]
    bands = [stem if end in ("estimate", "lower") else None for stem, _, end in stems]
    named = _name_line_ends(ax, [handle for handle, band in zip(handles, bands, strict=True) if band in captions])
    kept, words = [], []
    for handle, text, band in zip(handles, texts, bands, strict=True):
        if handle not in named:
            fill = fills.get(f"{band}-fill")
            kept.append(handle if fill is None else (fill, handle))
            own = captions.get(band) if title is None else None
            words.append(f"{text}, {own}" if own else text)
    return kept, words, title


def _data_first(handles, texts):
    """Return the entries with points and bars, which matplotlib puts behind all lines, before those of the lines."""
    from matplotlib.container import Container

    pairs = sorted(zip(handles, texts, strict=True), key=lambda pair: not isinstance(pair[0], Container))
    return [list(part) for part in zip(*pairs, strict=True)] or [[], []]


def _shown_once(ax, handles, texts):
    """Return the entries without levels that these Axes do not show, and each level once, behind all curves.

    Of a level that no classifier respects the words stay, without a line. Of one that was chosen on a band the legend
    says so, whichever of the bands it is marked on.
    """
    from matplotlib.lines import Line2D

    low, high = ax.get_xlim()
    curves, levels, bounds = [], {}, []
    for handle, text in zip(handles, texts, strict=True):
        level = getattr(handle, "_nproc_level", None)
        if level is None:
            (bounds if _row_of_bounds([handle]) == 0 else curves).append((handle, text))
        elif not low <= level <= high:
            if handle._nproc_too_small:
                levels[level, text] = Line2D([], [], ls=""), text
        elif handle._nproc_too_small:
            levels.setdefault((level, text), (handle, text))
        elif len(text) > len(levels.get(level, ("", ""))[1]):
            levels[level] = handle, text
    kept = [*curves, *((_with_bar(handle, ax), text) for handle, text in levels.values()), *bounds]
    return [list(part) for part in zip(*kept, strict=True)] or [[], []]


def bars_of(ax):
    """Return the bars of bounds at marked levels on these Axes."""
    return [line for line in ax.lines if hasattr(line, "_nproc_at")]


def _with_bar(level, ax):
    """The sample of a level in the legend: where bars show the bounds there, with the first of them on its line."""
    from matplotlib.lines import Line2D
    from matplotlib.path import Path

    if not getattr(level, "_nproc_has_bar", False):
        return level
    colors = [bar.get_color() for bar in bars_of(ax) if bar._nproc_at == level._nproc_level][:BARS_IN_SAMPLE] or [ink()]
    wide, bars = 0.5 * (ENDS_OF_BAR if len(colors) > 1 else 1.0), []
    for number, color in enumerate(colors):
        x = NEXT_BAR * (number - 0.5 * (len(colors) - 1))
        corners = [(x + side * wide, height) for height in (-0.5, 0.5) for side in (-1, 1)] + [(x, -0.5), (x, 0.5)]
        # a marker is scaled until its furthest corner is half its size from the middle
        size = 2 * np.abs(corners).max() * points(small_size())
        look = {"ls": "", "ms": size, "mew": line_width(BAR), "fillstyle": "none", "color": color}
        bars.append(Line2D([], [], marker=Path(corners, [Path.MOVETO, Path.LINETO] * 3), **look))
    return level, *bars


def _name_line_ends(ax, lines):
    """Write the names of two or more lines beside their right ends, if these are apart and there is room."""
    for text in [text for text in ax.texts if text.get_gid() == "nproc-name"]:
        text.remove()
    lines = [line for line in lines if not line.get_label().startswith("_")]
    # only a layout that makes room for them keeps names beside the axes inside the figure
    if len(lines) < 2 or ax.figure.get_layout_engine() is None or ax.get_subplotspec() is None or width_beside(ax):
        return []
    # other Axes would lose room too, with legends that are placed already
    widest = max(width_in(ax, small_size())(line.get_label()) for line in lines)
    if len(ax.figure.axes) > 1 or widest > MOST_OF_NAMES * extent_of(ax).width:
        return []
    right = ax.get_xlim()[1]
    if right >= ENDS_MEET:
        return []
    ends = [line.get_ydata()[np.searchsorted(line.get_xdata(), right, side="right") - 1] for line in lines]
    heights = ax.transAxes.inverted().transform(ax.transData.transform([(right, end) for end in ends]))[:, 1]
    tall = NAMES_APART * points(small_size()) * ax.figure.dpi / 72 / extent_of(ax).height
    if np.diff(np.sort(heights)).min() < tall or not np.all((heights > 0) & (heights < 1)):
        return []
    for line, height in zip(lines, heights, strict=True):
        place = {"xytext": (4, 0), "textcoords": "offset points", "va": "center", "xycoords": "axes fraction"}
        ax.annotate(
            line.get_label(), (1, height), color=line.get_color(), fontsize=small_size(), gid="nproc-name", **place
        )
    return lines


def _box(ax, legend, corner):
    """The box of a legend in a corner, in shares of the axes, with a margin."""
    from matplotlib.transforms import Bbox

    size, whole = legend.get_window_extent(), extent_of(ax)
    pad = points(small_size()) * ax.figure.dpi / 72
    width, height = (size.width + pad) / whole.width + SLACK, (size.height + pad) / whole.height + SLACK
    right, upper = CORNERS[corner]
    return Bbox.from_bounds(1 - width if right else 0.0, 1 - height if upper else 0.0, width, height)


def _legend_in_free_cell(ax, handles, texts, style):
    """Draw the legend in the cell of a grid that has no panel, and return that cell; None if it has too little room."""
    cell = next((child for child in ax.child_axes if child.get_gid() == "nproc-free-cell"), None)
    if cell is None:
        return None
    there = {"loc": "upper left", "bbox_to_anchor": (0.0, 0.95), "bbox_transform": cell.transAxes, "borderaxespad": 0.0}
    # a cell is narrow
    title = {"title": style["title"] and style["title"].replace(", ", ",\n")}
    legend = ax.legend(handles, texts, **{**style, **title, **there, "borderpad": 0.0, "framealpha": 0.0})
    box, room, whole = legend.get_window_extent(), cell.get_axes_locator()(cell, None), ax.figure.bbox
    # a little may stand beyond the cell, whose right side is the edge of the picture
    return cell if box.width < 1.05 * room.width * whole.width and box.height < room.height * whole.height else None


def _is_free(ax, box):
    """Whether no curve, no marked level and no filled area of these Axes crosses a box within them."""
    if box.width > 1 or box.height > 1:
        return False
    to_axes = ax.transAxes.inverted()
    curves = [(_drawn_path(line), line.get_transform(), False) for line in ax.lines]
    areas = [(path, area.get_transform(), True) for area in ax.collections for path in area.get_paths()]
    areas += [(patch.get_path(), patch.get_transform(), True) for patch in ax.patches]
    return not any(
        to_axes.transform_path(transform.transform_path(path)).intersects_bbox(box, filled=filled)
        for path, transform, filled in curves + areas
        if len(path.vertices)
    )


def _drawn_path(line):
    """The path of a line with the corners of its steps."""
    from matplotlib.path import Path

    x, y = (np.asarray(values, dtype=float) for values in line.get_data())
    if line.get_drawstyle() != "steps-post" or x.size < 2:
        return Path(np.column_stack([x, y]))
    return Path(np.column_stack([np.repeat(x, 2)[1:], np.repeat(y, 2)[:-1]]))


def _keep_titles_off(ax):
    """Put an invisible Axes around legends above this row of a grid, since a title is moved above all such children.

    So the titles of a row stand side by side, whichever of its legends are above the curves.
    """
    if any(child.get_gid() == "nproc-legend-room" for child in ax.child_axes):
        return
    room = ax.inset_axes([0, 1, 1, 0.1])
    room.set_axes_locator(_AroundLegend(ax))
    room.set_axis_off()
    room.set_gid("nproc-legend-room")


class _BelowLegend:
    """Locator of Axes whose legend stands above: the rest of their room, where the figure has no layout of its own.

    The highest legend of a row of a grid takes the room of all, so that the curves begin on one line. It may stand in
    the margin of the figure above the first row, unless something else stands there.
    """

    def __init__(self, axes, inner):
        self.axes, self.inner = axes, inner

    def get_subplotspec(self):
        """Tell tight_layout which cell of a grid these Axes fill."""
        return self.axes.get_subplotspec()

    def __call__(self, axes, renderer):
        from matplotlib.transforms import Bbox

        place = self.axes.get_position(original=True) if self.inner is None else self.inner(axes, renderer)
        figure = self.axes.figure
        if figure.get_layout_engine() is not None or not _is_above(self.axes.get_legend()):
            return place
        legends = [legend for axes in row_of(self.axes) if _is_above(legend := axes.get_legend())]
        pad = max(legend.borderaxespad for legend in legends) * points(small_size()) * figure.dpi / 72
        taken = (max(legend.get_window_extent(renderer).height for legend in legends) + pad) / figure.bbox.height
        taken -= self._free_above(place)
        return Bbox.from_bounds(place.x0, place.y0, place.width, place.height - np.clip(taken, 0.0, 0.5 * place.height))

    def _free_above(self, place):
        """Height of the margin above Axes of the first row of a grid that a legend may have, in figure coordinates."""
        figure, spec = self.axes.figure, self.axes.get_subplotspec()
        titled = any(axes.get_title(loc) for axes in row_of(self.axes) for loc in ("left", "center", "right"))
        if spec is None or titled or figure.texts or figure.legends:
            return 0.0
        if any(axes.get_position(original=True).y0 >= place.y1 for axes in figure.axes):
            return 0.0
        return max(0.0, 1 - place.y1 - FREE_AT_EDGE * figure.dpi / 72 / figure.bbox.height)


class _AroundLegend:
    """Locator of the room up to the highest legend above a row of Axes; of no height where there is none."""

    def __init__(self, axes):
        self.axes = axes

    def __call__(self, axes, renderer):
        from matplotlib.transforms import Bbox

        x, y, width, height = self.axes.get_position().bounds
        to_figure = self.axes.figure.transSubfigure.inverted()
        legends = [legend for axes in row_of(self.axes) if _is_above(legend := axes.get_legend())]
        ends = [legend.get_window_extent(renderer).transformed(to_figure).y1 for legend in legends]
        taken = max(0.0, *ends, y + height) - y - height
        return Bbox.from_bounds(x, y + height, width, taken if taken < 1 else 0.0)
