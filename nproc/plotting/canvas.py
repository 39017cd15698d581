"""What all pictures share: styles, a new figure, the two axes of errors, and short names."""

import io
import math
import re
import threading
from dataclasses import dataclass
from functools import partial
from itertools import combinations, pairwise

import numpy as np

from nproc.checks import check_choice, check_flag, class_names, shown
from nproc.doors import needed
from nproc.errors import InvalidInputError
from nproc.plotting.anew import placed

# Each two colours differ by at least 12 units of CIE lightness (L*), so that they can be told apart in grey-scale
# print, and by at least 18 units of CIE Lab for people who lack one of the three kinds of cones, the first three by 40.
# Each has a line style of its own.
COLORS = ("#004488", "#D07010", "#66BBDD", "#111111", "#AA3377")
LINESTYLES = ("-", "--", "-.", (0, (1, 1)), (0, (5, 1, 1, 1, 1, 1)))
# of thresholds and levels
DASHED = (0, (4, 3))
# the others in a panel
PALE = "0.58"

# what the two axes are called, with an estimate and with bounds
SCALES = {
    "roc": ("type I error", "1 $-$ type II error"),
    "errors": ("type I error", "type II error"),
    "sensitivity": ("1 $-$ specificity for", "sensitivity for"),
}
LONGEST = 30
# of names in a legend, where there is room, and what the sample of a line beside them takes, in letters
LONGEST_IN_LEGEND, BESIDE_NAME = 40, 8
# of a name that is cut in the middle, both ends can be read if it has more letters than this
NARROW = 20
# a name with a word that is itself too long is cut between words if this leaves so much of the room to it
LEAST_OF_WORDS = 0.5
# in less room than so many letters, both ends of a word say less than its beginning
LEAST_OF_ENDS = 12
# of a step of a pipeline that is shortened, fewer letters say nothing
LEAST_OF_STEP = 3
# what stands between words, and where words are joined in one: before a capital, and around a point between letters
BETWEEN_WORDS, JOINED_WORDS = " _+,.", r"(?<=[a-z])(?=[A-Z])|(?<=[^\W\d_])\.(?=[^\W\d_])"
# average width of a letter, in units of the font size
LETTER = 0.58
# of ROC curves beside a band, in turn in a strong and in a weaker grey
GREY_LINES = ((0, (1, 1)), "-", (0, (7, 1, 1, 1)), (0, (2, 2)), (0, (1, 3)))


def axes_or_new(ax, figsize, default):
    """Return `ax`, or the Axes of a new figure if it is None: of size `figsize`, or else as `new_size` says."""
    if ax is not None:
        if not hasattr(ax, "get_figure") or isinstance(ax, type):
            raise InvalidInputError(f"ax must be the Axes of a figure of matplotlib, or None, got {type(ax).__name__}.")
        _refuse_size(figsize)
        return ax
    return _new_axes(figsize, default)


def two_axes(ax, figsize, default, **grid):
    """Return two Axes, one below the other: those that were given, or those of a new figure."""
    if ax is not None:
        pair = np.ravel(np.asarray(ax, dtype=object))
        if pair.size != 2 or not all(hasattr(one, "get_figure") for one in pair):
            raise InvalidInputError(f"ax must be two Axes, as of plt.subplots(2, 1), got {type(ax).__name__}.")
        _refuse_size(figsize)
        return pair
    return _new_axes(figsize, default, nrows=2, **grid)


def _new_axes(figsize, default, **grid):
    size = new_size(figsize, default)
    with needed("matplotlib", "a picture"):
        import matplotlib.pyplot as plt

    return plt.subplots(figsize=size, layout="constrained", **grid)[1]


def _refuse_size(figsize):
    if figsize is not None:
        raise InvalidInputError("figsize is the size of a new figure; leave it out where ax is given.")


def extent_of(ax):
    """Return the box in which Axes will be drawn, in pixels, also where a locator leaves room below them."""
    locator = ax.get_axes_locator()
    return ax.get_window_extent() if locator is None else locator(ax, None).transformed(ax.figure.transSubfigure)


def ink():
    """Return the colour of thresholds and marked levels: that of text, so that a dark background shows them too."""
    import matplotlib as mpl

    return mpl.rcParams["text.color"]


# matplotlib reads formulas by one object for the whole process: two threads that draw at once spoil both pictures
one_picture = threading.Lock()


# the widest picture of one column of a journal in inches, and the size of its letters in points where it has many texts
ONE_COLUMN, LETTERS_OF_COLUMN = 3.6, 7


def column_letters(figsize):
    """Return a context in which letters are small enough for many texts in a picture of one column; else it is empty.

    None for `figsize` is a picture that is as wide as it needs.
    """
    import matplotlib as mpl

    is_narrow = figsize is not None and figsize[0] <= ONE_COLUMN
    size = min(points(mpl.rcParams["font.size"]), LETTERS_OF_COLUMN)
    return mpl.rc_context({"font.size": size} if is_narrow else {})


def figure_for_file(figsize, *, layout="constrained"):
    """Return a matplotlib Figure that is drawn without a window, and whose texts are measured once."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=figsize, layout=layout)
    # without one, matplotlib makes a renderer for each measure, and remembers the measures of each renderer apart
    FigureCanvasAgg(figure)
    return figure


def as_svg(draw, figsize=(5.2, 4.2)):
    """Return the bytes of an SVG file of what a function draws on the Axes that it takes as `ax`; always the same."""
    import matplotlib as mpl

    file = io.BytesIO()
    with one_picture, mpl.rc_context({"svg.hashsalt": "nproc"}):
        figure = figure_for_file(figsize)
        draw(ax=figure.subplots())
        figure.savefig(file, format="svg", metadata={"Date": None})
    return file.getvalue()


def level_line(ax, *, x=None, y=None, gid=None, label=None, color=None, lw=0.7, ls=DASHED, **style):
    """Draw a thin line across the Axes, upright at `x` or level at `y`, in the colour of text; return it."""
    look = {"color": ink() if color is None else color, "lw": line_width(lw), "ls": ls, "gid": gid, "label": label}
    return ax.axhline(y, **look, **style) if x is None else ax.axvline(x, **look, **style)


def grey(*, weaker=False):
    """Return the colour of what stands beside bands: a grey that is seen on this background, or a weaker one."""
    from matplotlib.colors import to_rgb

    return ("0.3", "0.55")[weaker] if sum(to_rgb(ink())) < 1.5 else ("0.75", "0.5")[weaker]


def new_size(figsize, default):
    """Return the size of a new figure in inches: `figsize`, that of rcParams if somebody has set one, or `default`."""
    if figsize is not None:
        return _check_figsize(figsize)
    with needed("matplotlib", "a picture"):
        import matplotlib as mpl

    chosen = mpl.rcParams["figure.figsize"]
    return default if list(chosen) == list(mpl.rcParamsDefault["figure.figsize"]) else tuple(chosen)


def _check_figsize(figsize):
    try:
        width, height = (float(side) for side in figsize)
    except (TypeError, ValueError):
        width = height = -1.0
    if not (0 < width < np.inf and 0 < height < np.inf):
        raise InvalidInputError(
            f"figsize must be width and height in inches, such as (3.35, 3.0), got {shown(figsize)}.",
            argument="figsize",
        )
    return width, height


# letters of a picture have at least so many points, or are as large as those of the font where that is smaller
LEAST_POINTS = 6.0
# and at least this share of its size
LEAST_OF_FONT = 0.8


def small_size():
    """Return the font size of legends and captions: that of rcParams, if somebody has set one, or that of "small".

    "small" has 5.8 points beside a font of 7, and few journals print letters below 6 points.
    """
    import matplotlib as mpl

    chosen = mpl.rcParams["legend.fontsize"]
    return max(points("small"), least_size()) if chosen == mpl.rcParamsDefault["legend.fontsize"] else chosen


def least_size():
    """Return the size of the smallest letters of a picture in points."""
    import matplotlib as mpl

    size = points(mpl.rcParams["font.size"])
    return max(LEAST_OF_FONT * size, min(LEAST_POINTS, size))


def points(size):
    """Return a font size in points, such as that of "small"."""
    from matplotlib.font_manager import FontProperties

    return FontProperties(size=size).get_size_in_points()


def line_width(share):
    """Return a share of the line width of rcParams; less beside small letters, unless somebody has set that."""
    import matplotlib as mpl

    width = mpl.rcParams["lines.linewidth"]
    if width == mpl.rcParamsDefault["lines.linewidth"]:
        width *= min(1.0, points(mpl.rcParams["font.size"]) / 10)
    return share * width


def palette():
    """Return the colours and line styles of curves: those of the colour cycle, if somebody has set one, or ours."""
    import matplotlib as mpl

    cycle = mpl.rcParams["axes.prop_cycle"]
    if cycle == mpl.rcParamsDefault["axes.prop_cycle"]:
        return COLORS, LINESTYLES
    chosen = cycle.by_key()
    return tuple(chosen.get("color", COLORS)), tuple(chosen.get("linestyle", LINESTYLES))


def as_given(name):
    r"""Return a name of the user as text of a picture, in which no dollar sign begins a formula.

    Every name goes through here before it becomes part of a text: matplotlib reads what stands between two dollar
    signs as a formula, and those in a name would also pair up with those of ours, as of $\alpha$.

    Examples
    --------
    >>> print(as_given("<=$50K"))
    <=\$50K
    """
    return str(name).replace("$", r"\$")


def drawn_classes(labels):
    """Return the names of class 0 and class 1 as texts of a picture."""
    return tuple(map(as_given, class_names(labels)))


def _cut(name, longest):
    """Return both ends of a name, or its first words; a word is cut only if it is itself too long."""
    if len(name) <= longest:
        return name
    # five letters are for the dots and blanks between both ends
    half = max(1, (longest - 5) // 2)
    by_letters = f"{name[: longest - 5 - half].rstrip()} ... {name[-half:].lstrip()}"
    ends = [0, *_breaks(name), len(name)]
    words = [name[start:end].strip(BETWEEN_WORDS) for start, end in pairwise(ends)]
    pairs = [(name[:i].rstrip(BETWEEN_WORDS), name[j:].lstrip(BETWEEN_WORDS)) for i, j in combinations(ends[1:-1], 2)]
    fitting = [pair for pair in pairs if len(" ... ".join(pair)) <= longest]
    # both ends tell much, rather than one of them
    by_words = " ... ".join(max(fitting, key=lambda pair: (min(map(len, pair)), sum(map(len, pair))), default=()))
    if len(by_words) <= LEAST_OF_WORDS * longest:
        by_words = max(by_words, _first_words(name, longest, by_letters=""), key=len)
    too_long = max(map(len, words)) > longest - len(" ...")
    return by_letters if not by_words or (too_long and len(by_words) <= LEAST_OF_WORDS * longest) else by_words


def _beginning(name, longest):
    return name if len(name) <= longest else _first_words(name, longest, f"{name[: longest - 4].rstrip()} ...")


def _ends_or_beginning(name, longest):
    """Return both ends of a name, or where these would be too short the beginning, of one letter at least."""
    return _cut(name, longest) if longest >= LEAST_OF_ENDS else _beginning(name, max(longest, 5))


def _short_steps(name, longest):
    """Shorten each step of a pipeline to its first words in the same room, or if this is too little the whole name."""
    steps = name.split("+")
    each = (longest + 1) // len(steps) - 1
    if len(steps) == 1 or each < LEAST_OF_STEP:
        return _cut(name, longest)
    return "+".join(_short_step(step, each) for step in steps)


def _short_step(step, longest):
    """Return a step of a pipeline, or as many of its first words as have room, or letters where a word has none."""
    if len(step) <= longest:
        return step
    words = [end for end in _breaks(step) if LEAST_OF_STEP <= end < longest]
    end = max(words, default=longest - 1)
    return f"{step[:end].partition('(')[0].rstrip(BETWEEN_WORDS)}."


def _without_suffix(name):
    """Drop the word Classifier that ends the names of classes and tells none of them apart."""
    return re.sub(r"(?<=[a-z0-9])Classifier\b", "", name)


def _steps(name):
    """Return the steps of a pipeline, whose name joins the names of classes; else the name alone.

    Examples
    --------
    >>> _steps("StandardScaler+CalibratedClassifierCV of PCA+SVC (2)")
    ['StandardScaler', 'CalibratedClassifierCV of PCA+SVC (2)']
    """
    named = re.fullmatch(r"((?:\w+\+)+)(\w+( of [\w+ ]+)?( \(\d+\))?)", name)
    return [*named[1][:-1].split("+"), named[2]] if named else [name]


def short_name(name, longest=LONGEST):
    """Return a name that fits into a legend: as it is, of a pipeline its last step, or both ends of a long text.

    In little room it is the beginning.

    Examples
    --------
    >>> short_name("StandardScaler+PCA+HistGradientBoostingClassifier")
    'HistGradientBoostingClassifier'
    >>> short_name("StandardScaler+PCA+HistGradientBoostingClassifier", 20)
    'HistGradientBoosting'
    >>> short_name("a name that is far too long for any legend")
    'a name that ... for any legend'
    >>> short_name("malignant", 8)
    'mali ...'
    """
    last = _steps(name)[-1]
    bare = _without_suffix(last)
    fitting = (text for text in (name, last, bare) if len(text) <= longest)
    return next(fitting, _ends_or_beginning(bare, longest))


def short_names(names, longest=LONGEST):
    """Return names of at most so many letters, and different names for different ones.

    If one is too long, all lose the word Classifier at their ends; if one is still too long, pipelines keep their last
    step and the steps in which they differ. Of names that are still too long the words are left out with which all
    begin, then what stands in brackets, and then the last words. If there is no such start or bracket, or the names
    would look the same, they keep both their ends, are shown from where they differ, or get numbers.

    Examples
    --------
    >>> short_names(["LogisticRegression", "StandardScaler+LogisticRegression"], 36)
    ['LogisticRegression', 'StandardScaler+LogisticRegression']
    >>> short_names(["GradientBoostingClassifier", "HistGradientBoostingClassifier"], 20)
    ['GradientBoosting', 'HistGradientBoosting']
    >>> short_names(["Scaler+PCA+LogisticRegression", "Polynomials+Scaler+LogisticRegression"])
    ['PCA+LogisticRegression', 'Polynomials+LogisticRegression']
    >>> short_names(["Scaler+PCA+LogisticRegression", "Polynomials+Scaler+LogisticRegression"], 16)
    ['PCA+Logistic ...', 'Polynomials ...']
    >>> short_names(["impute__scale__pca3__logreg", "impute__scale__poly2__logreg"], 18)
    ['... pca3__logreg', '... poly2__logreg']
    """
    whole = list(names)
    bare = [_without_suffix(name) for name in names]
    bare = bare if len(set(bare)) == len(set(names)) else whole
    own = last_steps(bare)
    for found in (whole, bare, own):
        if max(map(len, found), default=0) <= longest:
            return found
    if by_words := _by_words(own, longest):
        return by_words
    ways = (
        lambda text, alike: (_cut if longest > NARROW else _beginning)(text, longest),
        lambda text, alike: _beginning(text, longest),
        lambda text, alike: _short_steps(text, longest),
        lambda text, alike: _cut(text, longest),
        lambda text, alike: _from_difference(text, alike, longest),
    )
    for way in ways:
        groups = [[text for text, other in zip(own, found, strict=True) if other == short] for short in found]
        found = [
            way(text, alike) if len(alike) > 1 or len(short) > longest else short
            for text, short, alike in zip(own, found, groups, strict=True)
        ]
    return [
        f"{_ends_or_beginning(name, longest - 4)} ({number})" if found.count(short) > 1 else short
        for number, (name, short) in enumerate(zip(own, found, strict=True), 1)
    ]


def _by_words(names, longest):
    """Leave out the words with which all names begin, brackets, and last words; None if that does not tell them apart.

    Names that fit stay as they are.
    """
    bare = [re.sub(r"\s*\([^()]*\)", "", name) for name in names]
    started, bare_started = _without_start(names), _without_start(bare)
    if bare_started == list(names):
        return None
    cut = [_first_words(name, longest) for name in bare_started]
    # of those that look the same now, the words with which they begin tell nothing either
    groups = [[name for name, other in zip(bare_started, cut, strict=True) if other == short] for short in cut]
    cut = [
        _first_words(_without_start(alike)[alike.index(name)], longest) if len(alike) > 1 else short
        for name, short, alike in zip(bare_started, cut, groups, strict=True)
    ]
    for shorter in (started, bare, bare_started, cut):
        found = [name if len(name) <= longest else new for name, new in zip(names, shorter, strict=True)]
        with_words = all(re.search(r"\w", name) for name in found)
        if with_words and max(map(len, found)) <= longest and len(set(found)) == len(set(names)):
            return found
    return None


def _ends_of_words(name):
    """Places behind the words of a name, outside of brackets: where others of its words may be left out."""
    ends = [match.start() for match in re.finditer(r"[\s_+]+", name)]
    return [end for end in ends if end and name.count("(", 0, end) == name.count(")", 0, end)]


def _breaks(name):
    """Places in a name where it may be cut: behind its words, and behind those that are joined, as in NaiveBayes."""
    return sorted({*_ends_of_words(name), *(match.start() for match in re.finditer(JOINED_WORDS, name))})


def _without_start(names):
    """Leave out the words with which all names begin, if each has other words behind them."""
    starts = [{name[:end] for end in _ends_of_words(name)} for name in names]
    same = max(set.intersection(*starts), key=len, default="") if len(set(names)) > 1 else ""
    return [f"... {name[len(same) :].lstrip(' _+')}" for name in names] if same else list(names)


def _first_words(name, longest, by_letters=None):
    """Return as many of the first words of a name as have room, or else the name or what it is cut to by letters."""
    if len(name) <= longest:
        return name
    cuts = [f"{name[:end].rstrip(BETWEEN_WORDS)} ..." for end in _breaks(name) if name[:end].strip(" ._+")]
    default = name if by_letters is None else by_letters
    return max((cut for cut in cuts if len(cut) <= longest), key=len, default=default)


def last_steps(names):
    """Call pipelines by their last step, and those with one last step also by the steps that not all of these have.

    If two names would look the same, all stay as they are.

    Examples
    --------
    >>> last_steps(["Scaler+PCA+LogisticRegression", "Scaler+SVC", "PCA+SVC", "lda"])
    ['LogisticRegression', 'Scaler+SVC', 'PCA+SVC', 'lda']
    """
    steps = [_steps(name) for name in names]
    # equal names have numbers behind them
    ends = [re.sub(r" \(\d+\)$", "", own[-1]) for own in steps]
    found = []
    for own, end in zip(steps, ends, strict=True):
        shared = set.intersection(*(set(other[:-1]) for other, last in zip(steps, ends, strict=True) if last == end))
        found.append("+".join([step for step in own[:-1] if step not in shared] + own[-1:]))
    return found if len(set(found)) == len(set(names)) else list(names)


def _from_difference(text, alike, longest):
    """Leave out the words with which all texts begin."""
    columns = enumerate(zip(*alike, strict=False))
    same = next((k for k, letters in columns if len(set(letters)) > 1), min(map(len, alike)))
    start = text.rfind(" ", 0, same) + 1
    rest = f"... {text[start:]}"
    return _beginning(rest, longest) if len(alike) > 1 and start else _cut(text, longest)


def letters_of(ax):
    """Return about how many small letters have room in the width of Axes."""
    return int(72 * ax.get_window_extent().width / ax.figure.dpi / points(small_size()) / LETTER)


def names_in_legend(letters):
    """Return about how many letters a name in the legend may have, beside the sample of its line in such a width."""
    return int(np.clip(letters - BESIDE_NAME, 8, LONGEST_IN_LEGEND))


def legend_letters(ax):
    """Return about how many letters a name in the legend of Axes may have."""
    return names_in_legend(letters_of(ax))


def error_axes(ax=None, *, scale=None, xlim=None, log=None, figsize=None, whole=(0.001, 1.0)):
    """Return Axes for curves of type II errors against type I errors, with scales and limits set once.

    Parameters
    ----------
    ax : matplotlib.axes.Axes, optional
        Where to draw; None makes a figure.
    scale : {"roc", "errors", "sensitivity"}, optional
        What the axes show: the type I error against one minus the type II error, as in [tong2018]_; against the type II
        error; or one minus specificity against sensitivity, which is the first in the words of diagnostic tests, where
        sensitivity is the share of class 1 that is called class 1, as the names of the axes say. None
        is that of these Axes, which was drawn or given here before; "roc" at first.
    xlim : (float, float), optional
        Ends of the horizontal axis; None keeps those of these Axes that were drawn or given here before, 0 and 1 at
        first.
    log : bool, optional
        Whether the horizontal axis is logarithmic; None keeps it as it is.
    figsize : (float, float), optional
        Size of the new figure in inches; None takes that of rcParams, if somebody has set one, or 5.2 by 5.2.
    whole : (float, float)
        The first and the last level at which there is something to show: the ends of the horizontal axis of Axes that
        show no curve yet, where no `xlim` was given. A linear axis starts at 0.

    Returns
    -------
    matplotlib.axes.Axes
        The Axes.

    Raises
    ------
    InvalidInputError
        If these Axes have another scale or show predictive values already, if `figsize` is given with `ax`, or if a
        value is out of range.
    """
    scale = None if scale is None else check_choice(scale, "scale", tuple(SCALES))
    log = None if log is None else check_flag(log, "log")
    ax = axes_or_new(ax, figsize, (5.2, 5.2))
    if panels_of(ax):
        raise InvalidInputError("ax is divided into panels; draw on one of ax.child_axes, or ask for layout='overlay'.")
    if has_predictive(ax):
        raise InvalidInputError(
            "ax already shows predictive values, which have another vertical axis than errors; draw this on Axes of "
            "its own, or leave out ax."
        )
    drawn = has_curves(ax)
    # cleared Axes have a new patch, and nothing was chosen for them
    earlier = getattr(ax.patch, "_nproc_chosen", None)
    chosen = earlier or {}
    known = ax._nproc_scale if drawn else chosen.get("scale")
    if known is not None and scale not in (None, known):
        raise InvalidInputError(
            f"ax already has scale={known!r}, and here scale={scale!r} was asked for; draw this on Axes of its own, "
            "or leave out scale."
        )
    given = {name: value for name, value in (("scale", scale), ("xlim", xlim)) if value is not None}
    ax._nproc_scale = known or scale or "roc"
    show_levels(ax, xlim=xlim, log=log, whole=None if drawn or "xlim" in chosen else whole)
    if not drawn and earlier is None:
        ax.set_ylim(-0.01, 1.01)
    ax.patch._nproc_chosen = chosen | given
    return ax


def show_levels(ax, *, xlim=None, log=None, whole=(0.001, 1.0)):
    """Set the ends of the horizontal axis of levels and its numbers; the arguments are as in `error_axes`.

    Without `xlim` the ends are `whole`, or stay as they are if that is None.
    """
    log = None if log is None else check_flag(log, "log")
    if log is not None:
        ax.set_xscale("log" if log else "linear")
    if xlim is not None or whole is not None:
        is_log = ax.get_xscale() == "log"
        ends = xlim if xlim is not None else (0.9 * whole[0] if is_log else 0.0, whole[1])
        ax.set_xlim(_with_room(ends, is_log))
    if log:
        write_plain_numbers(ax)
    write_round_levels(ax)


# what arguments of R's plot are here; the picture itself is changed by the Axes
_STYLE_OF_R = {
    "main": "set the title of the Axes that plot returns: ax.set_title('...')",
    "title": "set the title of the Axes that plot returns: ax.set_title('...')",
    "xlab": "use ax.set_xlabel('...') of the Axes that plot returns",
    "ylab": "use ax.set_ylabel('...') of the Axes that plot returns",
    "ylim": "use ax.set_ylim(0, 1) of the Axes that plot returns",
    "col": "use color",
    "lty": "use linestyle",
    "lwd": "set plt.rcParams['lines.linewidth'] before the call",
    "add": "use ax=, the Axes that the first plot returned",
}


def check_style(style, known):
    """Raise if a picture is given an argument that it does not know, and say what R's arguments are here."""
    unknown = next((name for name in style if name not in known), None)
    if unknown is not None:
        way = _STYLE_OF_R.get(unknown)
        if way is None or ((way.startswith("use color") or way.startswith("use linestyle")) and "color" not in known):
            way = f"the arguments are {', '.join(known)}. Change all else on the Axes that plot returns"
        raise InvalidInputError(f"plot has no argument {unknown!r}: {way}.", argument=unknown)


def ready_axes(ax):
    """Return the Axes as they are if `error_axes` has made them ready, or ready by its defaults."""
    is_ready = hasattr(ax, "_nproc_scale") and not panels_of(ax) and not has_predictive(ax)
    return ax if is_ready else error_axes(ax)


def write_plain_numbers(ax):
    """Write the numbers of a logarithmic axis as 0.02 or 200, not as powers of ten; fewer where room is short."""
    from matplotlib.ticker import NullFormatter, StrMethodFormatter

    from nproc.plotting.ticks import LogNumbers

    ax.xaxis.set_major_locator(LogNumbers())
    ax.xaxis.set_major_formatter(StrMethodFormatter("{x:.10g}"))
    ax.xaxis.set_minor_formatter(NullFormatter())


def write_counts(ax, room_of):
    """Write as many numbers of rows on the horizontal axis as can be read at the width that `room_of` tells."""
    from nproc.plotting.ticks import counts

    ax.xaxis.set_major_locator(counts(ax, room_of(ax)[0]))
    placed(ax, "counts", partial(_write_counts_again, room_of, ax.xaxis.get_major_locator()))


def _write_counts_again(room_of, drawn, ax):
    if ax.xaxis.get_major_locator() is drawn:
        write_counts(ax, room_of)


def write_powers(ax):
    """Write whole powers of ten on a vertical axis of logarithms to base 10, as many as can be read."""
    from nproc.plotting.ticks import Powers

    ax.yaxis.set_major_locator(Powers())
    ax.yaxis.set_major_formatter(lambda power, _: f"$10^{{{power:.0f}}}$")


def write_round_levels(ax):
    """Write levels on a linear axis in steps of 1, 2 or 5, and errors too, unless somebody has chosen others."""
    from matplotlib.ticker import AutoLocator

    from nproc.plotting.ticks import LinearNumbers, linear_numbers

    if type(ax.xaxis.get_major_locator()) is AutoLocator and ax.get_xscale() == "linear":
        ax.xaxis.set_major_locator(linear_numbers())
    if type(ax.yaxis.get_major_locator()) is AutoLocator:
        ax.yaxis.set_major_locator(LinearNumbers())


def _with_room(xlim, log):
    """Check the ends of the axis of levels; a curve along the frame gets room, so that it is not cut in half."""
    try:
        low, high = (float(end) for end in xlim)
    except (TypeError, ValueError):
        raise InvalidInputError(f"xlim must be two levels, such as (0, 0.2), got {shown(xlim)}.") from None
    if not 0 <= low < high <= 1 or (log and low == 0):
        start = "above 0 with log=True" if log else "0 or more"
        raise InvalidInputError(
            f"xlim must be two ascending levels, the first {start}, the second at most 1, got {shown(xlim)}."
        )
    room = 0.01 * (high - low)
    return (low, high * 1.05) if log else (low - room, high + room)


def scale_of(ax):
    """Return what the axes show, as `error_axes` takes it."""
    return getattr(ax, "_nproc_scale", "roc")


def as_height(ax, type2):
    """Return where a type II error lies on the vertical axis of these Axes."""
    return type2 if scale_of(ax) == "errors" else 1 - type2


def claim_axes(ax, labels):
    """Remember both classes on these Axes, class 0 first; refuse them for an error of another class 0.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        What is drawn on.
    labels : (label, label) or None
        Both classes, that whose error is the type I error first; None where they are not known.

    Raises
    ------
    InvalidInputError
        If a band or a curve of another class was drawn here before.
    """
    is_first = not (has_curves(ax) or has_predictive(ax))
    earlier = None if is_first else classes_of(ax)
    # as the user writes them
    classes = None if labels is None else tuple(x.item() if isinstance(x, np.generic) else x for x in labels)
    if earlier is not None and classes is not None and earlier[0] != classes[0]:
        raise InvalidInputError(
            f"ax already shows type I errors of class {earlier[0]!s}, and here class 0 is {classes[0]!s}: the type I "
            f"and type II errors would be exchanged. Make this band again with class0={earlier[0]!r}, or draw it on "
            "Axes of its own."
        )
    # cleared Axes have a new patch, and forget what stands on the old one
    ax.patch._nproc_alike = is_first or (share_classes(ax) and classes == earlier)
    ax.patch._nproc_classes = earlier if classes is None else classes


def classes_of(ax):
    """Return both classes that `claim_axes` has noted for these Axes, class 0 first; None where they are not known."""
    return getattr(ax.patch, "_nproc_classes", None)


def share_classes(ax):
    """Whether all that is drawn on these Axes was given the same two classes, or none."""
    return getattr(ax.patch, "_nproc_alike", True)


def lines_of(ax, kind):
    """Return the lines of all bands ("band"), ROC curves ("roc"), marks ("mark") or levels ("level") on these Axes."""
    return [line for line in ax.lines if (line.get_gid() or "").startswith(f"nproc-{kind}-")]


def has_curves(ax):
    """Whether these Axes show a band or a ROC curve."""
    return bool(lines_of(ax, "band") or lines_of(ax, "roc"))


def has_predictive(ax):
    """Whether these Axes show predictive values."""
    return bool(lines_of(ax, "ppv") or lines_of(ax, "npv"))


def count_drawn(ax, kind):
    """Return how many bands, ROC curves, marks, levels, ppv or npv these Axes hold; see `lines_of`."""
    return len({line.get_gid().split("-")[2] for line in lines_of(ax, kind)})


def next_style(ax):
    """Return colour and line style for the next band on these Axes; 25 bands differ in the two."""
    return _freest([style_of(number) for number in range(_n_styles())], lines_of(ax, "band") + lines_of(ax, "roc"))


def next_roc_style(ax):
    """Return colour and line style for the next ROC curve: grey beside bands, else those of a band."""
    if count_drawn(ax, "band") == 0:
        return next_style(ax)
    greys = [(grey(weaker=number % 2 == 1), GREY_LINES[number % len(GREY_LINES)]) for number in range(10)]
    return _freest(greys, lines_of(ax, "roc"))


def _n_styles():
    return math.prod(map(len, palette()))


def _freest(styles, lines):
    """Return the first style whose colour and line style, as a pair and then each by itself, the fewest lines have."""
    from matplotlib.colors import to_rgba

    drawn = [line._nproc_style for line in lines if hasattr(line, "_nproc_style")]

    def taken(style):
        same = [(to_rgba(style[0]) == color, style[1] == dashes) for color, dashes in drawn]
        return sum(map(all, same)), sum(map(sum, same))

    return min(styles, key=taken)


def remember_style(line, color, linestyle):
    """Remember the style of a curve for `next_style`; a word for a line style is that of its sign."""
    from matplotlib.colors import to_rgba

    line._nproc_style = to_rgba(color), line.get_linestyle() if isinstance(linestyle, str) else linestyle


def style_of(number):
    """Return colour and line style of a band."""
    colors, styles = palette()
    return colors[number % len(colors)], styles[(number + number // len(colors)) % len(styles)]


def color_of(number):
    """Return the colour of a curve."""
    return style_of(number)[0]


def band_color(ax, number):
    """Return the colour of a band on these Axes, or the one that it would get."""
    lines = {line.get_gid(): line for axes in (ax, *panels_of(ax)) for line in axes.lines}
    # the estimate is dark in a panel, and stands alone where many bands lie over each other
    drawn = lines.get(f"nproc-band-{number}-lower") or lines.get(f"nproc-band-{number}-estimate")
    return style_of(number)[0] if drawn is None else drawn.get_color()


def panels_of(ax):
    """Return the panels that these Axes are divided into."""
    return [axes for axes in ax.child_axes if (axes.get_gid() or "").startswith("nproc-panel-")]


def find_child(ax, gid):
    """Return the Axes of this gid that stand in these Axes or beside them, or None."""
    return next((axes for axes in ax.child_axes if axes.get_gid() == gid), None)


def find_strip(ax):
    """Return the Axes of the dominance bars below these Axes, or None."""
    return find_child(ax, "nproc-dominance")


def row_of(ax):
    """Return the Axes in one row of a grid of subplots, these among them."""
    return _in_line(ax, "rowspan")


def column_of(ax):
    """Return the Axes in one column of a grid of subplots, these among them."""
    return _in_line(ax, "colspan")


def _in_line(ax, span):
    own = ax.get_subplotspec()
    if own is None:
        return [ax]
    specs = ((axes, axes.get_subplotspec()) for axes in ax.figure.axes if axes.get_visible())
    found = [
        axes
        for axes, spec in specs
        if spec is not None and spec.get_gridspec() is own.get_gridspec() and getattr(spec, span) == getattr(own, span)
    ]
    return found if ax in found else [*found, ax]


def width_beside(ax):
    """Return the room of the bounds at a marked level beside these Axes, in units of the font size."""
    beside = find_child(ax, BESIDE)
    return 0.0 if beside is None else beside._nproc_width


# the gid of the Axes with the bounds of several bands at a marked level
BESIDE = "nproc-marked-bounds"


N_COLUMNS = 4000


def step_corners(alpha, type2_lower, type2_upper):
    """Return the corners, from 0 to 1, of the two step curves of an NP-ROC band.

    A curve keeps the value of a corner until the next one. Below the first knot no classifier exists:
    the lower curve is 0 there and the upper one has its value at the first knot.

    Parameters
    ----------
    alpha : ndarray, shape (k,)
        Knots in ascending order.
    type2_lower, type2_upper : ndarray, shape (k,)
        Bounds on the conditional type II error at the knots.

    Returns
    -------
    x, lower, upper : ndarray, shape (k + 2,)
        Levels, and one minus the upper and the lower bound.
    """
    lower, upper = 1 - type2_upper, 1 - type2_lower
    x = np.concatenate(([0.0], alpha, [1.0]))
    return x, np.concatenate(([0.0], lower, lower[-1:])), np.concatenate((upper[:1], upper, upper[-1:]))


def thin_corners(x, lower, upper):
    """Return the corners that a picture needs.

    Corners at which neither curve changes are left out, which changes nothing. If more than 8000
    remain, only the first and the last in each of 4000 columns of equal width stay; where the curves do
    not fall, this moves no step by more than 1/4000.

    Parameters
    ----------
    x, lower, upper : ndarray, shape (k,)
        Corners as `step_corners` returns them.

    Returns
    -------
    x, lower, upper : ndarray, shape (m,)
        A subset of the corners with the first and the last one, m at most 8002.
    """
    keep = np.ones(x.size, dtype=bool)
    keep[1:-1] = (np.diff(lower)[:-1] != 0) | (np.diff(upper)[:-1] != 0)
    x, lower, upper = x[keep], lower[keep], upper[keep]
    if x.size > 2 * N_COLUMNS:
        new = np.diff(np.floor(x * N_COLUMNS)) != 0
        keep = np.append(True, new) | np.append(new, True)
        x, lower, upper = x[keep], lower[keep], upper[keep]
    return x, lower, upper


# what the range of a histogram must show (see `_shown`), in shares of its bars and of the most that a shorter one shows
LEAST_SHOWN, LEAST_OF_MOST = 0.4, 0.7
# scores that reach less far beyond an end than this share of the range need no bar that is set apart
NEAR = 0.5
# least width of a bar that is set apart and of the gap before it, in shares of the range; and the largest width
END_BAR, END_GAP, WIDEST_END = 0.04, 0.03, 0.25


@dataclass(frozen=True)
class ScoreBins:
    """Bins of histograms of scores around one or two cuts, with a bar set apart for the scores beyond each end.

    Parameters
    ----------
    edges : ndarray, shape (m + 1,)
        Ascending edges. With scores beyond an end, the outermost bin is that of the bar set apart, and the next one is
        the gap before it.
    low, high : float
        The ends of the range between the bars that are set apart.
    n_below, n_above : int
        How many scores lie beyond each end.
    """

    edges: np.ndarray
    low: float
    high: float
    n_below: int
    n_above: int

    def heights(self, sample, weights=None):
        """Return the height of each bar, so that its area is the share of the scores in it.

        A bin holds its right edge, and the first one of the range its left edge too.

        Parameters
        ----------
        sample : ndarray, shape (n,)
            The scores.
        weights : ndarray, shape (n,), optional
            How often each score counts.

        Returns
        -------
        ndarray, shape (m,)
        """
        # scores beyond an end lie in its bar, whatever they are
        inside = np.where(sample < self.low, self.edges[0], np.where(sample > self.high, self.edges[-1], sample))
        mass = np.histogram(-inside, -self.edges[::-1], weights=weights)[0][::-1]
        return mass / (mass.sum() * np.diff(self.edges))

    @property
    def note(self):
        """What the bars that are set apart hold, for the name of the axis; empty without them."""
        return f" (bar{'s' * bool(self.n_below and self.n_above)} set apart: {self.beyond})" if self.beyond else ""

    @property
    def beyond(self):
        """How many scores lie beyond each end of the range, in words; empty if none does."""
        ends = ((self.n_below, "below", self.low), (self.n_above, "above", self.high))
        # 450000, as on the axis, and not 4.5e+05
        told = [f"{n} {side} {float(f'{end:.3g}'):.12g}" for n, side, end in ends if n]
        return ", ".join(told).replace("-", "\N{MINUS SIGN}")

    def show_on(self, ax):
        """Write numbers on the axis, but not below the bars that are set apart, and break it in the gaps before these.

        The scores in these bars lie elsewhere.
        """
        from nproc.plotting.ticks import ScoreNumbers

        ends = self.low if self.n_below else -np.inf, self.high if self.n_above else np.inf
        ax.xaxis.set_major_locator(ScoreNumbers(*ends))
        gaps = [self.edges[1:3]] * bool(self.n_below) + [self.edges[-3:-1]] * bool(self.n_above)
        for middle in map(np.mean, gaps):
            _break_axis(ax, middle)


def _break_axis(ax, x):
    """Draw two slashes across the horizontal axis, which is not continuous there."""
    from matplotlib.path import Path

    lines = [(-0.65, -1), (-0.15, 1), (0.15, -1), (0.65, 1)]
    look = {"ls": "", "ms": 8.0, "clip_on": False, "transform": ax.get_xaxis_transform(), "label": "_"}
    between = Path([lines[0], lines[1], lines[3], lines[2]])
    ax.plot(x, 0, marker=between, mfc=ax.get_facecolor(), mew=0, zorder=4, **look)
    slashes = Path(lines, [Path.MOVETO, Path.LINETO] * 2)
    ax.plot(x, 0, marker=slashes, mfc="none", mec=ink(), mew=line_width(0.8), zorder=5, gid="nproc-axis-break", **look)


def score_bins(samples, lower, upper=None):
    """Return bins for histograms of one or more samples of scores, with edges at one or two cuts.

    The range covers all scores if these lie in enough of its bars. Else it reaches less far to both sides of the cuts,
    and the scores beyond are gathered in bars that are set apart: the bars around the cuts can be read however far the
    other scores lie. No bar holds scores of both sides of a cut: one equal to the lower of two lies between
    them, and one equal to the upper, or to the only one, lies below it.

    Parameters
    ----------
    samples : sequence of ndarray
        The samples.
    lower : float
        The cut, or the lower one of two.
    upper : float, optional
        The upper one.

    Returns
    -------
    ScoreBins
        Bins of equal width, of which there are some 10 to 60; narrower ones where two cuts lie closer together.
    """
    upper = lower if upper is None else upper
    n_bars = int(np.clip(2 * np.cbrt(max(sample.size for sample in samples)), 10, 60))
    samples = [np.sort(sample) for sample in samples]
    beyond = [np.sort(np.maximum(np.maximum(lower - sample, sample - upper), 0.0)) for sample in samples]
    first, last = min(sample[0] for sample in samples), max(sample[-1] for sample in samples)
    found = []
    # few scores are left out in small steps
    for share in 1 - np.linspace(0, 0.99, 100) ** 2:
        reach = max(sizes[int(np.ceil(share * sizes.size)) - 1] for sizes in beyond)
        # the range ends with the scores in reach, and rounding puts none of them out of reach
        limits = lower - reach * (1 + 1e-12), upper + reach * (1 + 1e-12)
        parts = [
            sample[np.searchsorted(sample, limits[0]) : np.searchsorted(sample, limits[1], side="right")]
            for sample in samples
        ]
        ends = min(part[0] for part in parts if part.size), max(part[-1] for part in parts if part.size)
        # the bars of a narrow zone do not make up for wide ones beside it
        edges = _edges_between(*ends, upper, upper, n_bars)
        counts = [np.diff(np.searchsorted(sample, edges, side="right")) / sample.size for sample in samples]
        found.append((_shown(np.mean(counts, axis=0)), ends))
    enough = min(LEAST_SHOWN * n_bars, LEAST_OF_MOST * max(shown for shown, _ in found))
    low, high = next(ends for shown, ends in found if shown >= enough)
    near = NEAR * (high - low)
    low, high = first if low - first <= near else low, last if last - high <= near else high
    return _with_ends(_edges_between(low, high, lower, upper, n_bars), samples)


def _edges_between(low, high, lower, upper, n_bars):
    """Edges of about so many bins that cover a range, among them both cuts, with a bin at least on each side."""
    zone = upper - lower
    low, high = min(low, lower), max(high, upper)
    width = (high - low) / n_bars or max(abs(upper), 1.0) / 10
    inner = np.array([upper])
    if zone > 0:
        n_inner = max(1, int(np.ceil(zone / width - 0.25)))
        width = zone / n_inner if zone > width / 2 else width
        inner = np.linspace(lower, upper, n_inner + 1)
        # a score at the lower cut lies between both
        inner[0] = np.nextafter(lower, -np.inf)
    n_before, n_after = (max(1, int(np.ceil(room / width - 1e-9))) for room in (lower - low, high - upper))
    before, after = lower - width * np.arange(n_before, 0, -1), upper + width * np.arange(1, n_after + 1)
    # rounding must leave no score out
    before[0], after[-1] = min(before[0], low), max(after[-1], high)
    return np.concatenate([before, inner, after])


def _shown(shares):
    """What bars show that hold such shares of the scores: nothing if one holds all of them, most if they are even.

    The number of bars of one height that are as uneven as these, less 1, times the root of the share of the scores in
    all of them.
    """
    inside = shares.sum()
    return (inside**2 / np.sum(shares**2) - 1) * np.sqrt(inside) if inside else 0.0


def _with_ends(edges, samples):
    """Set a bar apart at each end beyond which scores lie, no higher than the others if it need not be too wide."""
    low, high, core = edges[0], edges[-1], edges[-1] - edges[0]
    below = [np.searchsorted(sample, low, side="left") for sample in samples]
    above = [sample.size - np.searchsorted(sample, high, side="right") for sample in samples]
    tops = [np.max(np.diff(np.searchsorted(sample, edges, side="right")) / np.diff(edges)) for sample in samples]
    gap = max(np.median(np.diff(edges)), END_GAP * core)

    def width(counts):
        needed = max(count / top if top else np.inf for count, top in zip(counts, tops, strict=True) if count)
        return np.clip(needed, max(END_BAR * core, gap), WIDEST_END * core)

    start = [low - gap - width(below), low - gap] if any(below) else []
    end = [high + gap, high + gap + width(above)] if any(above) else []
    return ScoreBins(np.concatenate([start, edges, end]), low, high, int(sum(below)), int(sum(above)))
