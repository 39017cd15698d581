"""Bars over the levels at which one band lies above another."""

from itertools import combinations

import numpy as np

from nproc.errors import InvalidInputError
from nproc.plotting.canvas import ALPHA_LABEL, COLORS, axes_or_new, band_color, find_strip

DOMINANCE_ROW_INCHES = 0.28
# heights in rows: of the gap below the curves, of a line of text, of a bar, and of the gap below the bars
TOP, TEXT_ROWS, BAR_ROWS, GAP = 0.12, 0.62, 0.34, 0.12
# more pairs without a winner than this are counted, and not named
MOST_UNDECIDED = 3


def plot_dominance(regions, names, *, ax, note=None, somewhere=()):
    """Return the Axes with a strip below it: bars over the levels at which one band beats another.

    One row for each method that beats another one somewhere, with a bar for each that it beats, in the colour of the
    better one; the pairs without a winner share a line. The strip is an Axes of its own (its gid is
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
    tops = np.cumsum([TOP, *(TEXT_ROWS + BAR_ROWS * len(bars) + GAP * bool(bars) for _, _, bars in rows)]).tolist()
    n_rows = tops[-1] + (0 if note is None else TEXT_ROWS)
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
    for row, (title, better, bars) in enumerate(rows):
        text = strip.text(0, tops[row], title, fontsize="x-small", va="top")
        text.set_gid(f"nproc-dominance-{row}-text")
        for number, pieces in enumerate(bars):
            color = band_color(ax, names.index(better))
            place = (tops[row] + TEXT_ROWS + BAR_ROWS * number, 0.8 * BAR_ROWS)
            for kind, ranges, face in (("bars", pieces[0], color), ("open-bars", pieces[1], "none")):
                spans = [(low, high - low) for low, high in ranges]
                drawn = strip.broken_barh(spans, place, facecolor=face, edgecolor=color, lw=0.6)
                drawn.set(gid=f"nproc-dominance-{row}-{number}-{kind}", label="_")
    if note is not None:
        text = strip.text(0, tops[-1], f"({note})", fontsize="x-small", va="top", style="italic", color="0.25")
        text.set_gid("nproc-dominance-note")
    return ax


def dominance_rows(regions, names, somewhere=()):
    """Return one row for each band that beats another one, and one for the pairs without a winner.

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
    list of (str, str or None, list)
        Text, better name, and for each band that it beats the ranges of both kinds.

    Raises
    ------
    InvalidInputError
        If a name is not in `names`, or the ends of a range are not in order within [0, 1].

    Examples
    --------
    >>> dominance_rows([("b", "a", 0.1, 0.4)], ["a", "b"])
    [('b better than a', 'b', [([(0.1, 0.4)], [])])]
    >>> dominance_rows([], ["a", "b"])
    [('neither better: a, b', None, [])]
    """
    ranges = {}
    for kind, (better, worse, low, high) in [(0, r) for r in regions] + [(1, r) for r in somewhere]:
        if better not in names or worse not in names:
            raise InvalidInputError(f"regions must use the names {names}, got {better!r} and {worse!r}.")
        if not 0 <= low <= high <= 1:
            raise InvalidInputError(f"regions must have 0 <= alpha_low <= alpha_high <= 1, got {low} and {high}.")
        ranges.setdefault((better, worse), ([], []))[kind].append((float(low), float(high)))
    rows = []
    for better in names:
        beaten = [worse for worse in names if (better, worse) in ranges]
        if beaten:
            bars = [ranges[better, worse] for worse in beaten]
            told = " (from the top)" * (len(beaten) > 1) + " (open: at some level in it)" * any(b for _, b in bars)
            rows.append((f"{better} better than {', '.join(beaten)}{told}", better, bars))
    pairs = list(combinations(names, 2))
    undecided = [pair for pair in pairs if pair not in ranges and pair[::-1] not in ranges]
    if len(undecided) > MOST_UNDECIDED:
        rows.append((f"neither better: {len(undecided)} of {len(pairs)} pairs", None, []))
    elif undecided:
        rows.append(("neither better: " + "; ".join(map(", ".join, undecided)), None, []))
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
