"""Bars over the levels at which one band lies above another."""

from nproc.errors import InvalidInputError
from nproc.plotting.canvas import ALPHA_LABEL, COLORS, axes_or_new, band_color, find_strip

DOMINANCE_ROW_INCHES = 0.28
# a note is a line of text, without a bar
NOTE_ROWS = 0.65


def plot_dominance(regions, names, *, ax, note=None, somewhere=()):
    """Return the Axes with a strip below it: bars over the levels at which one band beats another.

    One row for each method that beats another one somewhere, its bars in the colour of the better one; a
    pair without a winner has a row that says so. The strip is an Axes of its own (its gid is
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

    Raises
    ------
    InvalidInputError
        If a region has a name that is not in `names`, or its ends are not in order.
    """
    names = list(names)
    rows = dominance_rows(regions, names, somewhere)
    n_rows = len(rows) + (0 if note is None else NOTE_ROWS)
    earlier = find_strip(ax)
    xlabel = (earlier or ax).get_xlabel() or ALPHA_LABEL
    if earlier is not None:
        earlier.remove()
    strip = ax.inset_axes([0, -0.2, 1, 0.2], sharex=ax)
    ax.set_axes_locator(_UpperPart(ax, n_rows))
    strip.set_axes_locator(_LowerPart(ax, n_rows))
    strip.set(gid="nproc-dominance", ylim=(n_rows, 0), yticks=[], xlabel=xlabel)
    for spine in ("left", "right"):
        strip.spines[spine].set_visible(False)
    ax.set_xlabel("")
    ax.tick_params(axis="x", labelbottom=False)
    for row, (title, better, ranges, open_ranges) in enumerate(rows):
        text = strip.text(0, row + 0.08, title, fontsize="x-small", va="top")
        text.set_gid(f"nproc-dominance-{row}-text")
        if better is not None:
            color = band_color(ax, names.index(better))
            spans = [(low, high - low) for low, high in ranges]
            bars = strip.broken_barh(spans, (row + 0.56, 0.34), facecolor=color, edgecolor=color, lw=0.5)
            bars.set(gid=f"nproc-dominance-{row}-bars", label="_")
            spans = [(low, high - low) for low, high in open_ranges]
            bars = strip.broken_barh(spans, (row + 0.56, 0.34), facecolor="none", edgecolor=color, lw=0.8)
            bars.set(gid=f"nproc-dominance-{row}-open-bars", label="_")
    if note is not None:
        text = strip.text(0, len(rows) + 0.08, f"({note})", fontsize="x-small", va="top", style="italic", color="0.25")
        text.set_gid("nproc-dominance-note")
    return ax


def dominance_rows(regions, names, somewhere=()):
    """Return one row for each direction in which a band beats another, and for each pair without one.

    Parameters
    ----------
    regions : iterable of (str, str, float, float)
        Better name, worse name, and the ends of a range of alpha.
    names : sequence of str
        All names in order.
    somewhere : iterable of (str, str, float, float)
        The same for ranges in which it does so at one level at least.

    Returns
    -------
    list of (str, str or None, list of (float, float), list of (float, float))
        Text, better name, and the ranges of both kinds.

    Raises
    ------
    InvalidInputError
        If a name is not in `names`, or the ends of a range are not in order within [0, 1].

    Examples
    --------
    >>> dominance_rows([("b", "a", 0.1, 0.4)], ["a", "b"])
    [('b better than a', 'b', [(0.1, 0.4)], [])]
    >>> dominance_rows([], ["a", "b"])
    [('a, b: neither better', None, [], [])]
    """
    ranges = {}
    for kind, (better, worse, low, high) in [(0, r) for r in regions] + [(1, r) for r in somewhere]:
        if better not in names or worse not in names:
            raise InvalidInputError(f"regions must use the names {names}, got {better!r} and {worse!r}.")
        if not 0 <= low <= high <= 1:
            raise InvalidInputError(f"regions must have 0 <= alpha_low <= alpha_high <= 1, got {low} and {high}.")
        ranges.setdefault((better, worse), ([], []))[kind].append((float(low), float(high)))
    rows = []
    for i, first in enumerate(names):
        for second in names[i + 1 :]:
            found = [pair for pair in ((first, second), (second, first)) if pair in ranges]
            rows += [
                (f"{a} better than {b}" + " (open bar: at some level in it)" * bool(ranges[a, b][1]), a, *ranges[a, b])
                for a, b in found
            ]
            rows += [] if found else [(f"{first}, {second}: neither better", None, [], [])]
    return rows


class _UpperPart:
    """Locator that leaves the lowest part of the room of Axes to a strip, in every layout."""

    def __init__(self, axes, n_rows):
        self.axes, self.n_rows = axes, n_rows

    def strip_height(self):
        """Height in figure coordinates: the same for each row, at most half of the room."""
        inches = self.axes.figure.bbox.height / self.axes.figure.dpi
        return min(DOMINANCE_ROW_INCHES * self.n_rows / inches, self.axes.get_position(original=True).height / 2)

    def get_subplotspec(self):
        """Tell tight_layout which cell of a grid these Axes fill."""
        return self.axes.get_subplotspec()

    def __call__(self, axes, renderer):
        from matplotlib.transforms import Bbox

        x, y, width, height = self.axes.get_position(original=True).bounds
        below = self.strip_height()
        return Bbox.from_bounds(x, y + below, width, height - below)


class _LowerPart(_UpperPart):
    """Locator of the strip, right below the Axes where they are drawn."""

    def __call__(self, axes, renderer):
        from matplotlib.transforms import Bbox

        x, y, width, _ = self.axes.get_position().bounds
        below = self.strip_height()
        return Bbox.from_bounds(x, y - below, width, below)


DIFFERENCE_ROW_INCHES = 0.34


def plot_differences(rows, marked, *, ax=None, note=None):
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

    Returns
    -------
    matplotlib.axes.Axes
        The Axes drawn on.

    Raises
    ------
    InvalidInputError
        If there is no row, or an interval does not hold its difference.
    """
    rows, marked = list(rows), list(marked)
    if not rows or len(rows) != len(marked):
        raise InvalidInputError(f"rows must have at least one entry, and marked one for each, got {len(rows)}.")
    for label, value, lower, upper in rows:
        if not lower <= value <= upper:
            raise InvalidInputError(f"the interval of {label!r} must hold {value}, got {lower} to {upper}.")
    ax = axes_or_new(ax, figsize=(6.4, 1.1 + DIFFERENCE_ROW_INCHES * len(rows)))
    ax.axvline(0, color="0.4", lw=1, linestyle=(0, (4, 3)), zorder=1).set_gid("nproc-difference-zero")
    for row, ((_, value, lower, upper), filled) in enumerate(zip(rows, marked, strict=True)):
        (line,) = ax.plot([lower, upper], [row, row], color=COLORS[0], lw=2, marker="|", ms=9, zorder=2)
        line.set_gid(f"nproc-difference-{row}-interval")
        (point,) = ax.plot(
            [value], [row], marker="o", ms=8, color=COLORS[0], mfc=COLORS[0] if filled else "white", zorder=3
        )
        point.set_gid(f"nproc-difference-{row}-point")
    ax.set(ylim=(len(rows) - 0.4, -0.6), yticks=range(len(rows)), xlabel="difference of type II errors")
    ax.set_yticklabels([label for label, *_ in rows], fontsize="small")
    if note is not None:
        ax.set_title(note, fontsize="small")
    return ax
