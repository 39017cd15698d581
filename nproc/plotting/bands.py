"""NP-ROC bands, ROC curves and marked levels."""

from functools import partial

import numpy as np

from nproc.checks import class_names, level_text
from nproc.errors import InvalidInputError
from nproc.plotting.anew import placed, size_of
from nproc.plotting.canvas import (
    DASHED,
    LETTER,
    LONGEST,
    SCALES,
    as_given,
    as_height,
    axes_or_new,
    band_color,
    claim_axes,
    classes_of,
    count_drawn,
    error_axes,
    extent_of,
    has_curves,
    ink,
    legend_letters,
    level_line,
    line_width,
    lines_of,
    next_roc_style,
    next_style,
    panels_of,
    points,
    ready_axes,
    remember_style,
    row_of,
    scale_of,
    share_classes,
    short_name,
    short_names,
    show_levels,
    small_size,
    step_corners,
    style_of,
    thin_corners,
)
from nproc.plotting.legend import BAR, EDGE, ENDS_OF_BAR, NEXT_BAR, bars_of, explain_bounds, note_caption, place_legend
from nproc.plotting.lines import height_beside_name, in_lines, name_x, name_y, room_of, width_in, with_names

# of a name of an axis: a third line is written where so many lines take no more than this share of the figure
MANY_LINES, MOST_OF_LINES = 3.6, 0.15
# parts of the room below the Axes that names of classes may take where more is drawn later
LESS_ROOM = (0.9, 0.8, 0.7)
# of the first level that is marked, of the second, and so on; those after these have a dash and ever more dots
LEVEL_DASHES = (DASHED, (0, (1, 2)), (0, (10, 2)), (0, (8, 2, 1, 2)), (0, (2, 6)))
ESTIMATED = ", estimated errors"
CHOSEN = ", chosen on a band"
# the areas of more bands than this hide each other
MOST_FILLED = 2


def plot_band(
    alpha,
    type2_lower,
    type2_upper,
    type2=None,
    *,
    ax=None,
    label=None,
    caption=None,
    color=None,
    linestyle=None,
    shade=None,
    bounds=True,
    marked_alpha=None,
    labels=None,
    number=None,
):
    r"""Return Axes with one NP-ROC band: a light area between two step curves, and the estimate as a line in it.

    The band at a level is that of the largest knot not above it. Below the first knot there is no
    classifier: the pessimistic curve shows a type II error of 1 there, and there is no other.

    Parameters
    ----------
    alpha : ndarray, shape (k,)
        The knots in ascending order: bounds on the type I error.
    type2_lower, type2_upper : ndarray, shape (k,)
        Bounds on the conditional type II error at the knots.
    type2 : ndarray, shape (k,), or pair of ndarray, optional
        The estimate at the knots, or levels and estimates from each of them to the next. Without it, the ends of the
        band are drawn as lines.
    ax : matplotlib.axes.Axes, optional
        Where to draw, see `error_axes`; None makes a figure.
    label : str, optional
        Name in the legend. There is no legend as long as neither a label nor a caption is given.
    caption : str, optional
        What the bounds are, for the legend: once if all bands on these Axes share it.
    color, linestyle : optional
        As matplotlib takes them; None takes the next style that no curve on these Axes has.
    shade : bool, optional
        Fill the band. Without this the legend explains the thin lines beside an estimate. None fills the first and the
        second band on these Axes; a third one takes the areas of those away that were filled by this rule.
    bounds : bool
        Draw the band; False draws its estimate alone, where there is one.
    marked_alpha : float, optional
        A level to mark with `mark_alpha`; below the first knot by a line alone.
    labels : (label, label), optional
        Both classes, that whose error alpha bounds first; Axes that show another one are refused.
    number : int, optional
        Number of the band on these Axes, from 0; None counts those that are there.

    Returns
    -------
    matplotlib.axes.Axes
        The Axes drawn on.

    Raises
    ------
    InvalidInputError
        If `ax` shows another class.

    Notes
    -----
    Up to 8000 knots every step is exact; with more, no step moves by more than 1/4000 (see `thin_corners`
    in `nproc.plotting.canvas`).

    Examples
    --------
    >>> import numpy as np
    >>> from matplotlib.figure import Figure
    >>> alpha, lower, upper = np.array([0.1, 0.4]), np.array([0.3, 0.0]), np.array([0.7, 0.2])
    >>> ax = plot_band(alpha, lower, upper, label="lda", ax=Figure().subplots())
    >>> ax.findobj(lambda artist: artist.get_gid() == "nproc-band-0-lower")[0].get_ydata()
    array([0. , 0.3, 0.8, 0.8])
    """
    x, lower, upper = step_corners(alpha, type2_lower, type2_upper)
    bounds = bounds or type2 is None
    ax = ready_axes(ax)
    claim_axes(ax, labels)
    number = count_drawn(ax, "band") if number is None else number
    chosen = zip((color, linestyle), next_style(ax), strict=True)
    color, linestyle = (default if given is None else given for given, default in chosen)
    shown_x, shown_lower, shown_upper = thin_corners(x, lower, upper)
    # below the first knot no classifier respects alpha: there is a pessimistic curve, but no band to show
    inside = shown_x > alpha[0]
    band_x = np.append(alpha[0], shown_x[inside])
    band_lower, band_upper = (
        np.append(curve[1], shown[inside]) for curve, shown in ((lower, shown_lower), (upper, shown_upper))
    )
    # an edge has the line style of its band, by which it is known in grey-scale print; the estimates lie over all edges
    thin = {"lw": line_width(1.0 if type2 is None else EDGE), "linestyle": linestyle, "zorder": 1.8}
    edges = (("lower", shown_x, shown_lower), ("upper", band_x, band_upper)) if bounds else ()
    for name, line_x, curve in edges:
        (line,) = ax.plot(line_x, as_height(ax, 1 - curve), color=color, drawstyle="steps-post", **thin)
        line.set(gid=f"nproc-band-{number}-{name}", label="_")
    if type2 is None:
        main = lines_of(ax, "band")[-2]
    else:
        levels, values = (alpha, type2) if np.ndim(type2[0]) == 0 else type2
        look = {"color": color, "linestyle": linestyle, "lw": line_width(1.3), "zorder": 2.2}
        main = plot_steps(levels, values, ax=ax, **look)
        main.set_gid(f"nproc-band-{number}-estimate")
    main.set_label(label or "_")
    remember_style(main, color, linestyle)
    are_many = count_drawn(ax, "band") > MOST_FILLED
    fill = None
    if bounds and (not are_many if shade is None else shade):
        ends = (as_height(ax, 1 - curve) for curve in (band_lower, band_upper))
        fill = ax.fill_between(band_x, *ends, step="post", lw=0, alpha=0.2)
        fill.set(facecolor=color, gid=f"nproc-band-{number}-fill")
        fill._nproc_goes = shade is None
    taken = [area for area in ax.collections if are_many and getattr(area, "_nproc_goes", False)]
    for area in taken:
        area.remove()
    if (taken or (bounds and fill is None)) and type2 is not None and (label or caption):
        explain_bounds(ax)
    note_caption(ax, number, caption)
    name_axes(ax)
    if marked_alpha is not None and marked_alpha < alpha[0]:
        _mark_too_small(marked_alpha, alpha[0], ax)
    elif marked_alpha is not None:
        at = np.searchsorted(x, marked_alpha, side="right") - 1
        mark_alpha(marked_alpha, 1 - upper[at], 1 - lower[at], ax=ax, of_band=color)
    return ax


def plot_steps(alpha, type2, *, ax, **style):
    """Draw estimated type II errors, each from its level to the next one; return the line."""
    x, power, _ = thin_corners(*step_corners(alpha, type2, type2))
    inside = x > alpha[0]
    x, type2 = np.append(alpha[0], x[inside]), np.append(type2[0], 1 - power[inside])
    (line,) = ax.plot(x, as_height(ax, type2), drawstyle="steps-post", label="_", **style)
    return line


def plot_estimate(alpha, type2, *, ax, label):
    """Return the Axes with estimated type II errors of other classifiers drawn as a dotted line over the last band.

    Parameters
    ----------
    alpha, type2 : ndarray, shape (k,)
        Knots in ascending order, and estimates from each to the next.
    ax : matplotlib.axes.Axes
        Axes with the band.
    label : str
        Name in the legend.

    Returns
    -------
    matplotlib.axes.Axes
        The same Axes.
    """
    number = count_drawn(ax, "band") - 1
    style = {"color": band_color(ax, number), "linestyle": ":", "lw": line_width(1.3), "zorder": 2.2}
    line = plot_steps(alpha, type2, ax=ax, **style)
    line.set(gid=f"nproc-band-{number}-cross-fitted", label=label)
    name_axes(ax)
    return ax


def name_axes(ax):
    """Name both axes by what is drawn and, if there is room, by the classes it is about; place the legend."""
    xlabel, ylabel = SCALES[scale_of(ax)]
    in_words_of_tests, bounded = scale_of(ax) == "sensitivity", ""
    if getattr(ax.patch, "_nproc_bounded", True) and (lines_of(ax, "band") or panels_of(ax)):
        bounded = r", upper bound $\alpha$"
        xlabel += "" if in_words_of_tests else r" bound, $\alpha$"
        # a curve of estimated errors beside bounds
        for curve in lines_of(ax, "roc"):
            curve.set_label(curve.get_label().removesuffix(ESTIMATED) + ESTIMATED)
    bare_x, bare_y = xlabel, ylabel
    if in_words_of_tests:
        # class 1 is the positive one here, and readers may take the other for it, as where class 0 is the disease
        bare_x, bare_y = xlabel.removesuffix(" for") + bounded, ylabel.removesuffix(" for")
        above_x, above_y, share = f"{xlabel} {{}}{bounded}", f"{ylabel} {{}}", "share of "
    else:
        above_x, above_y, share = bare_x, bare_y, ""
    ax.set_ylabel(bare_y)
    if _names_classes(ax):
        name_y(ax, _with_classes(ax, above_y, share, 1), shorter=[bare_y], room=height_beside_name)
        # bars and bounds that are drawn later take room
        less = [_with_classes(ax, above_x, share, 0, of_room) for of_room in LESS_ROOM]
        name_x(ax, _with_classes(ax, above_x, share, 0), shorter=[*less, bare_x])
    else:
        name_x(ax, bare_x)
    place_legend(ax)


def name_classes(ax):
    """Let the names of both axes tell the classes of what will be drawn, also those of labels that are numbers."""
    ax.patch._nproc_names_classes = True


def _names_classes(ax):
    """Whether the names of both axes tell the classes: where all that is drawn shares them, and they are texts.

    Axes with others beside them have too little room for both errors in words.
    """
    if not share_classes(ax):
        return False
    told = scale_of(ax) == "sensitivity" or getattr(ax.patch, "_nproc_names_classes", False)
    classes = classes_of(ax)
    return told or (classes is not None and class_names(classes) == classes and len(row_of(ax)) == 1)


def _with_classes(ax, name, share, whose, of_room=1.0):
    """Return the name of an axis with the class whose rows it is about, and what these are called: always class 1.

    The names of the classes are as long as have room.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        The Axes.
    name : str
        What the axis shows; braces in it stand for the name of class 1.
    share : str
        What stands before the class; without it, a name that has no room tells no class.
    whose : int
        The class: 0 for the horizontal axis, 1 for the vertical one.
    of_room : float
        Which part of the room the name may take.
    """
    import matplotlib as mpl

    size = points(mpl.rcParams["axes.labelsize"])
    # the lines take from the height of the figure, or from its width
    many = MANY_LINES * size <= MOST_OF_LINES * 72 * size_of(ax)[1 - whose]
    width, beyond = room_of(ax)
    room = of_room * (height_beside_name(ax) if whose else width + 2 * beyond)

    def choices(longest):
        names = list(map(as_given, short_names(list(class_names(classes_of(ax))), longest)))
        first, of_class, called = name.replace("{}", names[1]), f"({share}{names[whose]}", f"called {names[1]})"
        lines = [f"{first} {of_class} {called}", f"{first}\n{of_class} {called}"]
        lines += [f"{first}\n{of_class}\n{called}"] * many
        # a figure without a layout makes no room for more lines
        return lines if share or ax.figure.get_layout_engine() is not None else lines[:1]

    width_of = width_in(ax, size)
    named = with_names(choices, room, width_of)
    has_room = share or max(map(width_of, named.split("\n"))) <= room
    return named.replace("\n", " ") if has_room else name


def add_to_names(ax, parts):
    """Write more behind the names of both axes: of the horizontal one below it, of the other beside it.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Axes whose names of both axes are written.
    parts : callable
        Takes the largest number of letters of a name, and returns the two parts of what is added to each axis, between
        which a line may end.
    """
    import matplotlib as mpl

    name_of_x, name_of_y = ax.get_xlabel(), ax.get_ylabel()
    width_of = width_in(ax, points(mpl.rcParams["axes.labelsize"]))

    def below(longest):
        return [f"{name_of_x}\n{sign.join(parts(longest)[0])}" for sign in (" ", "\n")]

    def beside(longest):
        words = parts(longest)[1]
        return [f"{name_of_y}{before}{sign.join(words)}" for before, sign in ((" ", " "), ("\n", " "), ("\n", "\n"))]

    # the lines of each name take room from the other one
    for _ in range(2):
        width, beyond = room_of(ax)
        ax.set_xlabel(with_names(below, width + 2 * beyond, width_of))
        ax.set_ylabel(with_names(beside, height_beside_name(ax), width_of))
    if (layout := ax.figure.get_layout_engine()) is not None:
        # the curves are now smaller, and the legend must find its place beside these
        layout.execute(ax.figure)
    place_legend(ax)


def mark_level(alpha, *, ax, chosen=False, has_bar=False):
    """Return the Axes with a level marked by a dashed vertical line, which belongs to no band.

    Parameters
    ----------
    alpha : float
        The level.
    ax : matplotlib.axes.Axes
        Where to draw, before the bands if the legend is to name it.
    chosen : bool
        Whether the legend says that the level was chosen on a band, whose bounds need not hold there.
    has_bar : bool
        Whether the legend says of a bar there that it shows bounds.

    Returns
    -------
    matplotlib.axes.Axes
        The same Axes.
    """
    gid = f"nproc-level-{count_drawn(ax, 'level')}-line"
    label = _told_bounds(alpha) if has_bar else _told_level(alpha, alpha)
    look = {"label": f"{label}{CHOSEN if chosen else ''}", "ls": _dashes_of(alpha, ax), "zorder": 3}
    line = level_line(ax, x=alpha, gid=gid, **look)
    line._nproc_level, line._nproc_too_small, line._nproc_has_bar = alpha, False, has_bar
    return ax


def mark_alpha(alpha, type2_lower, type2_upper, *, ax, of_band=None):
    """Return the Axes with a chosen level marked: a dashed vertical line and the segment of the band there.

    Parameters
    ----------
    alpha : float
        The level.
    type2_lower, type2_upper : float
        Bounds on the conditional type II error at that level.
    ax : matplotlib.axes.Axes
        Where to draw.
    of_band : optional
        Colour of the band, for a segment that is not alone.

    Returns
    -------
    matplotlib.axes.Axes
        The same Axes.
    """
    number = _mark_line(alpha, _told_bounds(alpha), ax, has_bar=True)
    mark_segment(alpha, type2_lower, type2_upper, ax=ax, color=ink(), number=number, of_band=of_band)
    name_axes(ax)
    return ax


def tell_chosen(ax):
    """Say of the level marked last that it was chosen on a band, whose bounds need not hold there; return the Axes."""
    line = [line for line in lines_of(ax, "mark") if hasattr(line, "_nproc_level")][-1]
    line.set_label(f"{line.get_label()}{CHOSEN}")
    place_legend(ax)
    return ax


def mark_segment(x, type2_lower, type2_upper, *, ax, color, number=None, of_band=None):
    """Draw the bounds at a level as a bar, beside those that stand there; return the line."""
    number = count_drawn(ax, "mark") if number is None else number
    ends = as_height(ax, np.array([type2_upper, type2_lower]))
    return _draw_segment(x, ends, ax=ax, color=color, gid=f"nproc-mark-{number}-segment", of_band=of_band)


def _draw_segment(x, ends, *, ax, color, gid, of_band=None):
    style = {"lw": line_width(BAR), "marker": "_", "ms": points(small_size()), "mew": line_width(BAR)}
    (segment,) = ax.plot([x, x], ends, color=color, zorder=4, label="_", **style)
    segment.set(gid=gid, solid_capstyle="butt")
    segment._nproc_at, segment._nproc_color = float(x), of_band
    of_bands = [bar for bar in bars_of(ax) if bar._nproc_color is not None]
    if len(of_bands) > 1:
        # a single one is dark, so that it is seen on its band; of several each has the colour of its band
        for bar in of_bands:
            bar.set_color(bar._nproc_color)
    _part_bars(ax)
    return segment


def _part_bars(ax):
    """Draw the bars at one level side by side in the order of the legend, the middle at the level if it has room."""
    from matplotlib.transforms import ScaledTranslation

    bars_at = {}
    for bar in bars_of(ax):
        bars_at.setdefault(bar._nproc_at, []).append(bar)
    several = {level: bars for level, bars in bars_at.items() if len(bars) > 1}
    if not several:
        return
    size, width = points(small_size()), 72 * extent_of(ax).width / ax.figure.dpi
    for level, bars in several.items():
        # in points: a logarithmic axis, or another range, does not move them together
        beside = NEXT_BAR * size * (np.arange(len(bars)) - 0.5 * (len(bars) - 1))
        place = width * (ax.transScale + ax.transLimits).transform((level, 0.5))[0]
        reach = beside[-1] + 0.5 * NEXT_BAR * size
        beside += np.clip(place, reach, width - reach) - place if 0 <= place <= width else 0.0
        for bar, by in zip(bars, beside, strict=True):
            bar.set_transform(ax.transData + ScaledTranslation(by / 72, 0, ax.figure.dpi_scale_trans))
            # by its ends a bar is told from a step of a curve of its own colour, in grey-scale print too
            bar.set_markersize(ENDS_OF_BAR * size)
    placed(ax, "bars", _part_bars, by_limits=True)


def _mark_too_small(alpha, smallest, ax):
    """Mark a level at which there is no classifier, and say so: a segment would bound the error of none."""
    _mark_line(alpha, _told_level(alpha, smallest), ax)
    lines_of(ax, "mark")[-1]._nproc_too_small = True
    name_axes(ax)


def _told_level(alpha, smallest):
    words = rf"$\alpha$ = {level_text(alpha)}"
    return words if alpha >= smallest else f"{words}, below the smallest, {level_text(smallest, digits=3)}"


def _told_bounds(alpha):
    return rf"bounds at $\alpha$ = {level_text(alpha)}"


def _mark_line(alpha, words, ax, *, has_bar=False):
    number = count_drawn(ax, "mark")
    look = {"label": words, "ls": _dashes_of(alpha, ax), "zorder": 3}
    line = level_line(ax, x=alpha, gid=f"nproc-mark-{number}-line", **look)
    line._nproc_level, line._nproc_too_small, line._nproc_has_bar = alpha, False, has_bar
    return number


def _dashes_of(alpha, ax):
    """The line style of a level: each level on these Axes has its own, whatever bands it is marked on."""
    marked = [line._nproc_level for line in ax.lines if hasattr(line, "_nproc_level")]
    levels = list(dict.fromkeys([*marked, alpha]))
    number = levels.index(alpha)
    return LEVEL_DASHES[number] if number < len(LEVEL_DASHES) else (0, (8, 2, *(1, 2) * (number - 3)))


def name_of_curve(method, ax):
    """Return a short name for the curve of a method: that of its band, if these Axes (or None) show it."""
    if hasattr(ax, "_nproc_scale"):
        of_band = short_name(method, legend_letters(ax))
        if as_given(of_band) in [line.get_label() for line in ax.get_lines()]:
            return of_band
    return short_name(method, 20)


def plot_roc(
    fpr, tpr, *, ax=None, figsize=None, label="ROC-CV", color=None, linestyle=None, drawstyle="default", labels=None
):
    """Return Axes with an empirical ROC curve, which may lie beside a band.

    A ROC curve shows estimated errors, a band shows bounds on errors; beside a band the legend says so.

    Parameters
    ----------
    fpr, tpr : ndarray, shape (k,)
        Empirical type I error and one minus the empirical type II error.
    ax : matplotlib.axes.Axes, optional
        Where to draw, see `error_axes`; None makes a figure.
    figsize : (float, float), optional
        Size of the new figure in inches.
    label : str
        Name in the legend.
    color, linestyle, drawstyle : optional
        As matplotlib takes them; None takes the next style of these Axes.
    labels : (label, label), optional
        Both classes, that whose error is the type I error first; Axes that show another one are refused.

    Returns
    -------
    matplotlib.axes.Axes
        The Axes drawn on.
    """
    ax = ready_axes(ax) if ax is not None else error_axes(None, figsize=figsize)
    claim_axes(ax, labels)
    next_color, next_line = next_roc_style(ax)
    style = {
        "color": next_color if color is None else color,
        "linestyle": next_line if linestyle is None else linestyle,
        "drawstyle": drawstyle,
    }
    if fpr[0] == 0 < tpr[0]:
        # an average begins above the corner, where no row is called class 1
        fpr, tpr = np.append(0.0, fpr), np.append(0.0, tpr)
    (line,) = ax.plot(fpr, as_height(ax, 1 - tpr), **style)
    remember_style(line, style["color"], style["linestyle"])
    line.set(gid=f"nproc-roc-{count_drawn(ax, 'roc')}", lw=line_width(1.2), label=label)
    name_axes(ax)
    return ax


def plot_predictive(
    alpha,
    curves,
    *,
    prevalence,
    delta,
    note,
    names,
    method=None,
    labels=None,
    marked_alpha=None,
    ax=None,
    **view,
):
    """Return Axes with a band for each predictive value: a light area, and the estimate as a line in it.

    What all predictive values on these Axes share is their title; where they differ, each row of the legend says it.

    Parameters
    ----------
    alpha : ndarray, shape (k,)
        Knots in ascending order; below the first no classifier exists and nothing is drawn.
    curves : dict of str to three ndarray, each of shape (k,)
        Of "ppv", "npv" or both: lower bound, estimate and upper bound at the knots.
    prevalence : str
        Whose prevalence, and what it is.
    delta : float
        Bound on the probability that the bounds do not hold.
    note : str
        What the bounds hold for.
    names : sequence of two str
        Names of class 0 and class 1.
    method : str, optional
        Name of the method, for the legend where there are several.
    labels : (label, label), optional
        Both classes, class 0 first; Axes that show another class 0 are refused.
    marked_alpha : float, optional
        A level to mark, with a bar for each pair of bounds there; below the first knot by a line alone.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None makes a figure.
    **view
        figsize, xlim, log and whole, as `error_axes` takes them.

    Returns
    -------
    matplotlib.axes.Axes
        The Axes drawn on.

    Raises
    ------
    InvalidInputError
        If `ax` shows errors, another class 0, or the same predictive values already.
    """
    ax = axes_or_new(ax, view.pop("figsize", None), (5.2, 5.2))
    if has_curves(ax) or panels_of(ax):
        raise InvalidInputError(
            "ax already shows errors, which have another vertical axis than predictive values; draw these on Axes of "
            "their own, or leave out ax."
        )
    # of another class 0 the other share would have the same name
    claim_axes(ax, labels)
    method = None if method is None else as_given(short_name(method, LONGEST))
    of_bounds = method, f"prevalence of {as_given(prevalence)}", rf"$\delta$ = {delta:g}, {note}"
    told = {}
    for name in curves:
        of_class = as_given(names[1] if name == "ppv" else names[0])
        told[name] = f"P({of_class} | called {of_class})", *of_bounds
    drawn = [line._nproc_told for line in _predictive_lines(ax)]
    twice = next((words for words in told.values() if words in drawn), None)
    if twice is not None:
        raise InvalidInputError(
            f"ax already shows {twice[0]} at a {twice[2]}, and the legend could not tell the two apart; draw this on "
            "Axes of its own, or leave out ax."
        )
    if drawn:
        view["whole"] = None
    else:
        ax._nproc_title = ""
    show_levels(ax, **view)
    x = np.append(alpha, 1.0)
    for name, (lower, middle, upper) in curves.items():
        color, style = style_of(len(_predictive_lines(ax)))
        stem = f"nproc-{name}-{count_drawn(ax, name)}"
        lower, middle, upper = (np.append(curve, curve[-1]) for curve in (lower, middle, upper))
        # an edge has the line style of its band, by which it is known in grey-scale print
        for end, curve, width in (("lower", lower, EDGE), ("upper", upper, EDGE), ("estimate", middle, 1.2)):
            (line,) = ax.plot(x, curve, color=color, ls=style, drawstyle="steps-post", lw=line_width(width))
            line.set(gid=f"{stem}-{end}", label="_")
        line._nproc_told = told[name]
        fill = ax.fill_between(x, lower, upper, step="post", lw=0, alpha=0.2)
        fill.set(facecolor=color, gid=f"{stem}-fill")
        if marked_alpha is not None and marked_alpha >= alpha[0]:
            at = np.searchsorted(x, marked_alpha, side="right") - 1
            bar = {"color": ink(), "gid": f"{stem}-at-alpha", "of_band": color}
            _draw_segment(marked_alpha, [lower[at], upper[at]], ax=ax, **bar)
    if marked_alpha is not None:
        too_small = bool(marked_alpha < alpha[0])
        words = _told_level(marked_alpha, alpha[0]) if too_small else _told_bounds(marked_alpha)
        _mark_line(marked_alpha, words, ax, has_bar=not too_small)
        lines_of(ax, "mark")[-1]._nproc_too_small = too_small
    ax.set(ylim=(-0.01, 1.01), xlabel=r"type I error bound, $\alpha$", ylabel="predictive value")
    lines = _predictive_lines(ax)
    _, *kinds = zip(*(line._nproc_told for line in lines), strict=True)
    differ = [len(set(kind)) > 1 for kind in kinds]
    for line in lines:
        what, *words = line._nproc_told
        line.set_label(", ".join([what, *[text for text, own in zip(words, differ, strict=True) if own and text]]))
    _write_title("; ".join(kind[0] for kind, own in zip(kinds[1:], differ[1:], strict=True) if not own), ax=ax)
    place_legend(ax)
    return ax


def _predictive_lines(ax):
    """The estimates of predictive values on these Axes."""
    return [line for line in ax.lines if hasattr(line, "_nproc_told")]


def _write_title(title, ax):
    """Write what bounds of predictive values hold for above them, unless somebody else has written a title."""
    if ax.get_title() != ax._nproc_title:
        return
    wide = len(title) * LETTER * points(small_size()) > 72 * ax.get_window_extent().width / ax.figure.dpi
    width, beyond = room_of(ax)
    lines = in_lines(title.replace("; ", ";\n", 1) if wide else title, width + 2 * beyond, width_in(ax, small_size()))
    ax.set_title(lines, fontsize=small_size())
    ax._nproc_title = lines
    placed(ax, "title", partial(_write_title, title))
