"""The scores behind a threshold."""

import re
from dataclasses import dataclass
from functools import partial
from itertools import product
from string import ascii_uppercase

import numpy as np

from nproc.checks import level_text
from nproc.errors import InvalidInputError
from nproc.plotting.anew import placed
from nproc.plotting.canvas import (
    LETTER,
    as_given,
    axes_or_new,
    color_of,
    drawn_classes,
    ink,
    level_line,
    line_width,
    points,
    score_bins,
    small_size,
    write_round_levels,
)
from nproc.plotting.legend import least_shrunk, place_legend
from nproc.plotting.lines import (
    LEAST_OF_AXES,
    in_lines,
    keep_rows_apart,
    name_rows,
    name_x,
    room_of,
    room_over_names,
    row_height,
    width_in,
)

# of the name of an axis in one row
LONGEST_ROW = 50
# densities with powers of ten beyond these are written without them
SMALLEST_POWER, LARGEST_POWER = -4, 4
# of a confusion table: the least and the largest share of the figure that names at its left may have where there is
# little room, and the largest share that the names below it may have
LEAST_OF_CROWDED, MOST_OF_CROWDED, MOST_BELOW = 0.2, 0.34, 0.4
# width of a cell there, in letters: with a decimal and a count, and with a whole per cent
WIDE_CELL, LEAST_CELL = 5.7, 3.2


def plot_threshold(
    scores0_per_split,
    thresholds,
    *,
    ax=None,
    figsize=None,
    scores1=None,
    alpha=None,
    labels=None,
    at_random=0.0,
    which="left out",
):
    """Return Axes with the scores of left-out class 0 rows and the threshold that they set.

    A histogram on the density scale, with the part above the threshold (the rows that are classified
    wrongly) in another shade and its share in the legend. Far scores may be gathered in bars that are set apart, see
    `score_bins` in `nproc.plotting.canvas`. Models of different splits score differently: with several splits, each
    threshold is subtracted from the scores of its split, so that 0 is the threshold everywhere, and the differences
    are pooled.

    Parameters
    ----------
    scores0_per_split : ndarray, shape (n0,), or list of those
        Scores of left-out class 0 rows; one array a split.
    thresholds : float or sequence of float
        One threshold a split.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None makes a figure.
    figsize : (float, float), optional
        Size of the new figure in inches.
    scores1 : ndarray, shape (n1,), optional
        Scores of class 1 rows, drawn as an outline; with one split only.
    alpha : float, optional
        The bound on the type I error, for the legend.
    labels : sequence of two, optional
        The names of class 0 and class 1.
    at_random : float
        The share of the left-out class 0 scores that equal the threshold, if such scores are called at random; else 0.
    which : str
        Which rows of class 0 have these scores, for the legend.

    Returns
    -------
    matplotlib.axes.Axes
        The Axes drawn on.
    """
    thresholds = np.atleast_1d(thresholds)
    several = thresholds.size > 1
    samples = scores0_per_split if isinstance(scores0_per_split, list) else [scores0_per_split]
    share = np.mean([np.mean(s > t) for s, t in zip(samples, thresholds, strict=True)])
    cut = 0.0 if several else thresholds[0]
    shift = thresholds if several else np.zeros(1)
    pooled = [np.concatenate([s - t for s, t in zip(samples, shift, strict=True)])]
    pooled += [] if scores1 is None else [scores1]
    bins = score_bins(pooled, cut)
    edges, heights = bins.edges, bins.heights(pooled[0])
    above = int(np.searchsorted(edges, cut))
    names = drawn_classes(labels)
    ax = axes_or_new(ax, figsize, (6, 4))
    sizes = f"n = {samples[0].size}" + (f" in each of {thresholds.size} splits" if several else "")
    bars = ax.stairs(heights, edges, fill=True, color="0.8", label=f"{names[0]}, {which} ({sizes})")
    bars.set_gid("nproc-scores-0")
    if share > 0:
        part = ax.stairs(heights[above:], edges[above:], fill=True, color=color_of(0), gid="nproc-scores-above")
        part.set_label(f"{names[0]} above the threshold: {100 * share:.3g} %" + (" on average" * several))
    if scores1 is not None:
        ax.stairs(
            bins.heights(pooled[1]),
            edges,
            color=color_of(1),
            ls="--",
            lw=line_width(1.0),
            label=names[1],
            gid="nproc-scores-1",
        )
    bound = "" if alpha is None else rf" for $\alpha$ = {level_text(alpha)}"
    none = "" if share > 0 else f"; 0 % of {names[0]} above"
    tied = f"\n({100 * at_random:.3g} % equal it: called at random)" if at_random else ""
    level_line(ax, x=cut, lw=1.0, ls="-", label="threshold" + bound + none + tied, gid="nproc-threshold")
    return finish_histogram(ax, "score minus the threshold of its split" if several else "score", bins)


def plot_shift(scores0, weights, threshold, *, alpha, ax=None, figsize=None):
    """Return Axes with the class 0 scores at hand, the same weighted as the class 0 to come, and the threshold.

    Parameters
    ----------
    scores0, weights : ndarray, shape (n0,)
        Scores, and how many times more often rows like them will come.
    threshold : float
        The threshold.
    alpha : float
        The bound on the type I error, for the legend.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None makes a figure.
    figsize : (float, float), optional
        Size of the new figure in inches.

    Returns
    -------
    matplotlib.axes.Axes
    """
    bins = score_bins([scores0], threshold)
    edges = bins.edges
    ax = axes_or_new(ax, figsize, (6, 4))
    above = [float(np.average(scores0 > threshold, weights=w)) for w in (None, weights)]
    told = [f"{100 * share:.3g} % above" for share in above]
    bars = ax.stairs(bins.heights(scores0), edges, fill=True, color="0.8", gid="nproc-scores-source")
    bars.set_label(f"at hand (n = {scores0.size}): {told[0]}")
    look = {"color": color_of(1), "ls": "--", "lw": line_width(1.0), "gid": "nproc-scores-target"}
    ax.stairs(bins.heights(scores0, weights), edges, label=f"to come, by weights: {told[1]}", **look)
    name = rf"threshold for $\alpha$ = {level_text(alpha)}"
    level_line(ax, x=threshold, lw=1.0, ls="-", label=name, gid="nproc-threshold")
    return finish_histogram(ax, "class 0 score", bins)


def finish_histogram(ax, what, bins):
    """Return the Axes of a histogram of something with the names of both axes and the legend."""
    note = bins.note
    # both ends, or a long name, fill a line of their own
    bins.show_on(ax)
    ax.set_ylim(0, 1.05 * ax.dataLim.ymax)
    _write_densities(ax)
    short = len(what + note) <= LONGEST_ROW
    name_x(ax, what + note if short else f"{what}\n{note.lstrip()}", joined=None if short else what + note)
    place_legend(ax)
    return ax


def _write_densities(ax):
    """Name the axis of densities, with the power of ten of very small or large ones: it would cover the legend."""
    power = int(np.floor(np.log10(ax.get_ylim()[1])))
    shown = power < SMALLEST_POWER or power > LARGEST_POWER
    ax.set_ylabel(f"density ($10^{{{power}}}$)" if shown else "density")
    if shown:
        ax.yaxis.set_major_formatter(lambda density, _: f"{density / 10.0**power:g}")


def plot_group_scores(scores0, thresholds, groups, alpha, *, labels=None, ax=None, figsize=None):
    """Return Axes with the left-out class 0 scores of each group about its threshold.

    A light bar holds all scores of a group, a darker one their middle half with the median as a notch; a black line is
    the threshold of the group, and points are the scores above it. With several splits, the threshold of its split and
    group is subtracted from each score and the differences are pooled. Where a few scores lie so far away that the
    others could not be told apart, the axis ends before them, and its name says how many they are.

    Parameters
    ----------
    scores0 : sequence of sequence of ndarray
        The scores of each split and group.
    thresholds : ndarray, shape (n_splits, G)
        The threshold of each.
    groups : sequence
        Names of the groups.
    alpha : float
        The bound on the type I error, for the legend.
    labels : pair, optional
        The names of class 0 and class 1.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None makes a figure.
    figsize : (float, float), optional
        Size of the new figure in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The Axes drawn on.
    """
    thresholds = np.atleast_2d(thresholds)
    several = len(scores0) > 1
    ax = axes_or_new(ax, figsize, (6.4, 1.5 + 0.5 * len(groups)))
    # the longest bar would end at the frame
    ax.use_sticky_edges = False
    shifts = thresholds if several else np.zeros((1, len(groups)))
    cuts = np.zeros(len(groups)) if several else thresholds[0]
    samples = [
        np.concatenate([split[row] - shift[row] for split, shift in zip(scores0, shifts, strict=True)])
        for row in range(len(groups))
    ]
    for row, (scores, cut) in enumerate(zip(samples, cuts, strict=True)):
        _draw_row(ax, row, scores, cut, alpha, several)
    bins = score_bins(samples, cuts.min(), cuts.max())
    margin = ax.margins()[0] * (bins.high - bins.low)
    if bins.n_below:
        ax.set_xlim(left=bins.low - margin)
    if bins.n_above:
        ax.set_xlim(right=bins.high + margin)
    sizes = [len(part) for part in scores0[0]]
    names, counts = _names_of_groups(groups), [f"n = {size}" for size in sizes]
    name_rows(ax, range(len(groups)), names, counts)
    ax.set_ylim(len(groups) - 0.4, -0.6)
    zero = drawn_classes(labels)[0]
    beyond = f"\nnot shown: {bins.beyond}".replace(", ", ",\n") if bins.beyond else ""
    minus = ",\nminus the threshold of its split and group" * several
    name_x(ax, f"score of left-out {zero} rows{minus}{beyond}")
    place_legend(ax)
    keep_rows_apart(ax, names, counts)
    return ax


def plot_group_errors(evaluation, *, ax=None, figsize=None):
    """Return Axes with the type I error of each group on new rows, its interval, and alpha.

    Parameters
    ----------
    evaluation : GroupEvaluation
        What is drawn.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None makes a figure.
    figsize : (float, float), optional
        Size of the new figure in inches.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    InvalidInputError
        If no row is of class 0.
    """
    pairs = zip(evaluation.groups, evaluation.parts, strict=True)
    kept, alpha = [(group, part) for group, part in pairs if part.n0], evaluation.overall.alpha
    if not kept:
        raise InvalidInputError("there is no class 0 row, and so no type I error to draw.")
    ends = [(part.type1, part.type1_interval.lower, part.type1_interval.upper) for _, part in kept]
    rates, lower, upper = np.array(ends).T
    holds = evaluation.overall.intervals_hold
    if not holds:
        lower = upper = rates
    ax = axes_or_new(ax, figsize, (6.4, 1.5 + 0.45 * len(kept)))
    bars = np.vstack([np.maximum(rates - lower, 0), np.maximum(upper - rates, 0)])
    rows = np.arange(len(kept))
    told = "type I error" + f", {100 * evaluation.overall.level:.4g} % interval of each" * holds
    look = {"fmt": "o", "ms": line_width(3.3), "color": color_of(0), "capsize": 3 * holds, "label": told}
    ax.errorbar(rates, rows, xerr=bars, **look).lines[0].set_gid("nproc-group-errors")
    level_line(ax, x=alpha, ls="--", lw=0.8, label=rf"$\alpha$ = {level_text(alpha)}", gid="nproc-group-alpha")
    write_round_levels(ax)
    names, counts = _names_of_groups(group for group, _ in kept), [f"n = {part.n0}" for _, part in kept]
    name_rows(ax, rows, names, counts)
    ax.set_ylim(len(kept) - 0.5, -0.5)
    most = min(1.0, 1.1 * max(alpha, float(upper.max())))
    # room for the whole of a point at 0
    ax.set_xlim(-0.02 * most, most)
    zero, one = drawn_classes(evaluation.overall.labels)
    name_x(ax, f"share of {zero} rows called {one}")
    place_legend(ax)
    keep_rows_apart(ax, names, counts)
    return ax


def _names_of_groups(groups):
    """Return the names of groups as texts; a bare number is called a group."""
    names = map(str, groups)
    return [f"group {name}" if re.fullmatch(r"[-+]?\d+(\.\d+)?", name) else name for name in names]


def _draw_row(ax, row, scores, cut, alpha, several):
    def told(text):
        return text if row == 0 else None

    low, first, middle, third, high = np.quantile(scores, [0, 0.25, 0.5, 0.75, 1])
    ax.barh(row, high - low, left=low, height=0.28, color="0.85", label=told("all scores"), gid=f"nproc-group-{row}")
    ax.barh(row, third - first, left=first, height=0.28, color="0.55", label=told("middle half, median"))
    ax.plot([middle, middle], [row - 0.14, row + 0.14], color="white", lw=line_width(1.0))
    above = scores[scores > cut]
    share = f"scores above the threshold{', all splits' * several}"
    dots = {"ms": line_width(2.7), "color": color_of(0), "label": told(share)}
    ax.plot(above, np.full(above.size, row), "o", gid=f"nproc-group-above-{row}", **dots)
    line = {"color": ink(), "lw": line_width(1.5), "label": told(rf"threshold for $\alpha$ = {level_text(alpha)}")}
    ax.plot([cut, cut], [row - 0.3, row + 0.3], gid=f"nproc-group-threshold-{row}", **line)


def plot_normal_qq(quantiles, standardised, lower, upper, outside, *, level, ax=None, figsize=None):
    """Return Axes with standardised scores against normal quantiles, inside a simultaneous band.

    Parameters
    ----------
    quantiles, standardised : ndarray, shape (n,)
        Normal quantiles and standardised scores, both ascending.
    lower, upper : ndarray, shape (n,)
        The band.
    outside : ndarray of bool, shape (n,)
        Which scores to show as outside of it.
    level : float
        Chance that a normal sample leaves the band somewhere.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None makes a figure.
    figsize : (float, float), optional
        Size of the new figure in inches.

    Returns
    -------
    matplotlib.axes.Axes
    """
    ax = axes_or_new(ax, figsize, (4.8, 4.6))
    name = f"{100 * (1 - level):.4g} % of normal samples, all ranks at once"
    ax.fill_between(quantiles, lower, upper, color="0.85", lw=0, label=name, gid="nproc-qq-band")
    ax.axline((0, 0), slope=1, color=ink(), ls=":", lw=line_width(0.7))
    inside = ~outside
    style = {"ls": "", "ms": line_width(3.0)}
    ax.plot(quantiles[inside], standardised[inside], marker="o", color=color_of(0), gid="nproc-qq-inside", **style)
    if outside.any():
        style |= {"marker": "X", "color": color_of(1), "label": f"outside the band: {int(outside.sum())}"}
        ax.plot(quantiles[outside], standardised[outside], gid="nproc-qq-outside", **style)
    ax.set(xlabel="normal quantile", ylabel="standardised left-out class 0 score")
    place_legend(ax)
    return ax


def plot_confusion(evaluation, *, title=None, ax=None, figsize=None):
    """Return Axes with a confusion table: shade and figures are shares of the true class, counts stand below them.

    Cells of the errors that have a level have a thick frame; beside each line stands their sum, with the level, and the
    total error of the class. Shades are greys, so that print loses nothing. Small cells have whole per cents alone.
    Where the names of the classes would leave too little room to the table, letters stand for them in the columns, and
    the rows say which class each letter is.

    Parameters
    ----------
    evaluation : MultiEvaluation
        What is drawn.
    title : str, optional
        Of which rows it is.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None makes a figure.
    figsize : (float, float), optional
        Size of the new figure in inches.

    Returns
    -------
    matplotlib.axes.Axes
    """
    counts, controlled, alphas = evaluation.counts, evaluation.controlled, evaluation.alphas
    names = list(map(str, evaluation.labels.tolist()))
    n_classes = len(names)
    ax = axes_or_new(ax, figsize, (3.4 + 1.05 * n_classes, 1.4 + 0.9 * n_classes))
    n = counts.sum(axis=1)
    shares = counts / np.maximum(n, 1)[:, None]
    # the darkest shade is a mid grey, on which black figures can be read
    ax.imshow(shares, cmap="Greys", vmin=0, vmax=1.8, aspect="auto", gid="nproc-confusion")
    words = [_errors_of(row, k, controlled[k], alphas[k]) if n[k] else "no rows" for k, row in enumerate(counts)]
    ax.set_ylabel("true class")
    _write_table(names, words, counts, title, ax=ax)
    _frame_cells(ax, controlled & (np.array([a is not None for a in alphas])[:, None]))
    ax.spines[["top", "right", "bottom"]].set_visible(False)
    return ax


def _write_table(names, words, counts, title, ax, drawn_title=""):
    """Write the names of the classes, the figures in the cells and what stands beside them, and the title."""
    import matplotlib as mpl

    n_classes, n = len(names), counts.sum(axis=1)
    for text in [text for text in ax.texts if text.get_gid() == "nproc-confusion-text"]:
        text.remove()
    # one that somebody else has given stays
    title = title if ax.get_title() + ax.get_title(loc="right") == drawn_title else None
    if title is not None:
        ax.set_title("", loc="right")
        ax.set_title(title, fontsize="medium")
    ax.tick_params(axis="y", labelsize=mpl.rcParams["ytick.labelsize"])
    table = _usual_table(ax, names, n, words)
    if n_classes <= len(ascii_uppercase) and _is_crowded(ax, table, n_classes):
        table = _crowded_table(ax, names, n, words)
    written = {"va": "center", "gid": "nproc-confusion-text"}
    for (row, column), share in np.ndenumerate(counts / np.maximum(n, 1)[:, None]):
        text = f"{100 * share:.1f}{'' if table.narrow else ' %'}\n{counts[row, column]}" if n[row] else "-"
        if table.whole_only and n[row]:
            text = "<1" if 0 < share < 0.005 else f"{100 * share:.0f}"
        ax.text(column, row, text, ha="center", fontsize=table.size, color=ink(), **written)
    for row, text in enumerate(table.words):
        ax.text(n_classes - 0.4, row, text, ha="left", fontsize=small_size(), **written)
    ax.set_xlim(-0.5, table.width - 0.5)
    over, width_of = room_over_names(ax), width_in(ax, "medium")
    if title is not None and over is not None and width_of(title) > room_of(ax)[0]:
        ax.set_title("")
        ax.set_title(in_lines(title, over, width_of), fontsize="medium", loc="right")
    if title is not None or not drawn_title:
        drawn_title = ax.get_title() + ax.get_title(loc="right")
    placed(ax, "table", partial(_write_table, names, words, counts, title, drawn_title=drawn_title))


@dataclass(frozen=True)
class _Table:
    """How a confusion table is written.

    Parameters
    ----------
    words : sequence of str
        What stands beside each row.
    cell, size : float
        Width of a cell and size of the letters in it, in points.
    width : float
        Width of the Axes, in cells.
    narrow, whole_only : bool
        Whether cells have no sign of per cent, and whether they have whole per cents alone.
    """

    words: list
    cell: float
    size: float
    width: float
    narrow: bool
    whole_only: bool

    @property
    def called(self):
        """The name of the horizontal axis, with the units of narrow cells."""
        return f"called (% of the true class{'' if self.whole_only else ', rows'})" if self.narrow else "called"


def _usual_table(ax, names, n, words):
    """Name each row and each column of a table by its class, and return how the table is written then."""
    labels, n_classes = list(map(as_given, names)), len(names)
    whole, small = 72 * ax.get_window_extent().width / ax.figure.dpi, points(small_size())
    cell, width = _cell_and_width(whole, words, small, n_classes)
    # "100.0 %" takes seven letters
    least = least_shrunk() * small
    narrow = 0.8 * cell / (7 * LETTER) < least
    if narrow:
        words = list(map(_in_fewer_words, words))
        cell, width = _cell_and_width(whole, words, small, n_classes)
    size = min(points("medium"), 0.8 * cell / ((4.5 if narrow else 7) * LETTER))
    wide = max(map(len, labels)) * LETTER * points("medium") > cell
    ax.set_xticks(range(n_classes), labels, rotation=90 if wide else 0)
    ax.set_yticks(range(n_classes), [f"{label}\nn = {m}" for label, m in zip(labels, n, strict=True)])
    # where cells have too little room for letters that can be read, they have whole per cents alone
    table = _Table(words, cell, max(size, least), width, narrow, size < least)
    # the name of the axis in the middle of the table, not of the Axes
    ax.set_xlabel(table.called, x=n_classes / 2 / width)
    return table


def _is_crowded(ax, table, n_classes):
    """Whether names leave too little room to the Axes, or the table has too little room beside them."""
    to_points, figure = 72 / ax.figure.dpi, ax.figure.bbox
    room = to_points * room_of(ax)[0]
    cell = room / table.width
    needed = (3 if table.whole_only else 4.5 if table.narrow else 7) * LETTER * table.size
    beside = LETTER * points(small_size()) * _longest_line(table.words)
    columns = ax.xaxis.get_tightbbox(for_layout_only=True).height
    return (
        room < LEAST_OF_AXES * to_points * figure.width
        or columns > MOST_BELOW * figure.height
        or cell < needed
        or room - n_classes * cell < beside
    )


def _crowded_table(ax, names, n, words):
    """Name the columns of a table by letters, which the rows explain, and return how the table is written then."""
    n_classes, figure, small = len(names), ax.figure.bbox, points(small_size())
    to_points, least = 72 / ax.figure.dpi, least_shrunk() * small
    ax.set_xticks(range(n_classes), ascii_uppercase[:n_classes], rotation=0)
    ax.set_yticks(range(n_classes), [""] * n_classes)
    width_of = width_in(ax, ax.xaxis.label.get_fontsize())
    called = "called (% of the true class, rows)"
    ax.set_xlabel(in_lines(called, LEAST_OF_AXES * figure.width, width_of))
    room, high = to_points * room_of(ax)[0], to_points * row_height(ax)
    whole = to_points * figure.width
    for letters, shorter in product((WIDE_CELL, LEAST_CELL), (_in_fewer_words, _in_more_lines, _without_levels)):
        told = list(map(shorter, words))
        beside = LETTER * small * _longest_line(told)
        cells = (n_classes + 0.1) * letters * LETTER * least
        n_lines = max(text.count("\n") + 1 for text in told)
        # levels are left out where even the smallest cells have no room beside them
        kept = letters == LEAST_CELL or shorter is not _without_levels
        if kept and n_lines * 1.25 * small <= high and room - LEAST_OF_CROWDED * whole - beside >= cells:
            break
    most = np.clip((room - beside - cells) / whole, LEAST_OF_CROWDED, MOST_OF_CROWDED)
    keep_rows_apart(ax, names, [f"n = {m}" for m in n], letters=ascii_uppercase[:n_classes], most=most)
    left = room - to_points * room_of(ax)[0]
    room -= left
    cell = max((room - beside) / (n_classes + 0.1), 1.0)
    size = min(points("medium"), 0.8 * cell / (4.5 * LETTER))
    whole_only = size < least or 2.5 * size > high
    width = n_classes + 0.1 + beside / cell
    table = _Table(told, cell, max(size, least), width, True, whole_only)
    middle = n_classes / 2 / width
    beyond = min(left + middle * room, (1 - middle) * room) / to_points
    ax.set_xlabel(in_lines(table.called, 2 * beyond, width_of), x=middle)
    return table


def _in_fewer_words(text):
    return re.sub(r"error |( \(no bound\)|\n\(no level\))$", "", text)


def _in_more_lines(text):
    return _in_fewer_words(text).replace(" (", "\n(").replace("; ", ";\n")


def _without_levels(text):
    return re.sub(r"\s\(level [^)]*\)|; level [^)]*", "", _in_fewer_words(text))


def _longest_line(texts):
    return max((len(line) for text in texts for line in text.split("\n")), default=0)


def _cell_and_width(whole, words, size, n_classes):
    """Width in points of a cell of a table with words beside it, and of all in cells."""
    beside = LETTER * size * _longest_line(words)
    cell = max(whole - beside, 0.4 * whole) / (n_classes + 0.1)
    return cell, n_classes + 0.1 + beside / cell


def _errors_of(counts, row, controlled, alpha):
    n = counts.sum()
    total = f"total error {100 * (n - counts[row]) / n:.1f} %"
    if alpha is None:
        return f"{total}\n(no level)"
    bounded = 100 * counts[controlled].sum() / n
    if controlled.sum() == counts.size - 1:
        return f"{total}\n(framed; level {100 * alpha:g} %)"
    return f"framed {bounded:.1f} % (level {100 * alpha:g} %)\n{total} (no bound)"


def _frame_cells(ax, cells):
    from matplotlib.patches import Rectangle

    for row, column in np.argwhere(cells).tolist():
        frame = Rectangle((column - 0.47, row - 0.46), 0.94, 0.92, fill=False, lw=line_width(1.5), ec="black")
        frame.set_gid(f"nproc-controlled-{row}-{column}")
        ax.add_patch(frame)
