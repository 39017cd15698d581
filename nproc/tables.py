"""Text tables in the style of statsmodels, and the numbers in them.

statsmodels and pandas are imported inside the functions, so that what only prints starts without them.
"""

import csv
import dataclasses
import html
import io
import math
import numbers
import re
import textwrap
import unicodedata
from collections.abc import Callable
from contextlib import contextmanager
from contextvars import ContextVar
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from nproc.checks import check_count, level_text
from nproc.doors import needed

# what results give back, for annotations: the libraries are imported by type checkers alone
if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame
    from statsmodels.iolib.summary import Summary
else:
    Axes = DataFrame = Summary = Any

# columns of the text, unless the table needs more
WIDTH = 78
# a cell of the table is broken into lines no narrower than this
NARROWEST = 24
# a long word, such as the name of a pipeline, is broken after one of these if it can be
_BREAKS = "+,/=([_-."


def table_width(pairs, body):
    """Return the columns of the whole text: `WIDTH`, or what the labels and the table need."""
    label = max((len(label) for label, _ in pairs), default=0)
    return max(WIDTH, 2 * (label + 15) + 3, sum(width + 2 for width in _natural_widths(body)) - 2)


def pair_lines(pairs, width):
    """Return rows of four texts for the block of pairs, long values on several rows, and the four widths."""
    sides = pairs[: (len(pairs) + 1) // 2], pairs[(len(pairs) + 1) // 2 :]
    columns, widths = [], []
    for side, room in zip(sides, _rooms(sides, width - 3), strict=True):
        stub = max((len(label) for label, _ in side), default=0)
        lines = []
        for label, value in side:
            pieces = broken(value, room - 1 - stub)
            lines += [(label, pieces[0])] + [("", piece) for piece in pieces[1:]]
        columns.append(lines)
        widths += [stub, room - 1 - stub]
    n_lines = max(len(lines) for lines in columns)
    left, right = (lines + [("", "")] * (n_lines - len(lines)) for lines in columns)
    rows = [(*a, "  " + b, c) for a, (b, c) in zip(left, right, strict=True)]
    return rows, [widths[0], widths[1], widths[2] + 2, widths[3]]


def body_lines(body):
    """Return the rows of a table with long cells on several rows, where it would be wider than `WIDTH` otherwise.

    In the first column the further rows of a cell are indented, so that none of them looks like a row of its own.

    Examples
    --------
    >>> cells = [["Better", "alpha from"], ["StandardScaler+LogisticRegression", "0.1"]]
    >>> body_lines(cells) == cells, body_lines([[*row, "x" * 50] for row in cells])[2]
    (True, ['  LogisticRegression', '', ''])
    """
    widths = _natural_widths(body)
    # the headers stay on one line
    least = [max(NARROWEST, len(name)) for name in body[0]]
    excess = sum(widths) + 2 * (len(widths) - 1) - WIDTH
    while excess > 0 and any(width > bound for width, bound in zip(widths, least, strict=True)):
        # a character at a time, of the column that has most to spare
        spare = [width - bound for width, bound in zip(widths, least, strict=True)]
        widths[spare.index(max(spare))] -= 1
        excess -= 1
    rows = []
    for row in body:
        cells = [broken(cell, width) for cell, width in zip(row, widths, strict=True)]
        if len(cells[0]) > 1:
            start = cells[0][0]
            cells[0] = [start, *("  " + piece for piece in broken(row[0][len(start) :].lstrip(), widths[0] - 2))]
        rows += [[cell[j] if j < len(cell) else "" for cell in cells] for j in range(max(map(len, cells)))]
    return rows


def body_widths(body, width):
    """Return the widths of the columns of the table, the spare room shared by all but the first."""
    first, *others = _natural_widths(body)
    each, rest = divmod(width - first - sum(others) - 2 * len(others), max(len(others), 1))
    return [first + rest] + [w + each for w in others] if others else [width]


def broken(value, width):
    """Return a text as lines of at most `width` characters, broken at spaces, or else in long words at their joints.

    Examples
    --------
    >>> broken("StandardScaler+LogisticRegression", 20)
    ['StandardScaler+', 'LogisticRegression']
    >>> broken("a name of words", 8), broken("", 8)
    (['a name', 'of words'], [''])
    >>> broken("HistGradientBoostingClassifier", 28)
    ['HistGradientBoosting', 'Classifier']
    """
    lines = []
    for line in textwrap.wrap(value, width, break_on_hyphens=False, break_long_words=False):
        rest = line
        while len(rest) > width:
            capitals = [place for place in range(1, width) if rest[place].isupper() and rest[place - 1].islower()]
            joint = max((rest.rfind(mark, 0, width) + 1 for mark in _BREAKS), default=0) or max(capitals, default=0)
            # hardly anything on a line is worse than a broken word
            end = joint if joint > width // 3 else width
            lines.append(rest[:end])
            rest = rest[end:]
        lines.append(rest)
    return lines or [""]


def _hanging(note):
    """Return the lines of a note, all but the first indented; a word longer than a line is broken after "(" or ","."""
    lines, room = [""], WIDTH - 4
    for word in note.split():
        pieces = [word]
        if len(word) > room:
            pieces = [line for piece in re.findall(r"[^(,]*[(,]?", word) if piece for line in broken(piece, room)]
        for number, piece in enumerate(pieces):
            before = " " * (number == 0 and lines != [""])
            if len(lines[-1] + before + piece) <= WIDTH:
                lines[-1] += before + piece
            else:
                lines.append(f"    {piece}")
    return lines


def _natural_widths(body):
    return [max(len(cell) for cell in column) for column in zip(*body, strict=True)]


def _rooms(sides, width):
    """Return the columns for each side: halves, or where a value does not fit, what the other side can spare.

    A side that can break its values at spaces leaves the other one the room for its longest word.
    """
    halves = [width // 2, width - width // 2]
    needs = [_need(side) for side in sides]
    too_long = [need > half for need, half in zip(needs, halves, strict=True)]
    first = halves[0]
    if too_long == [True, False]:
        first = width - max(needs[1], width - needs[0])
    elif too_long == [False, True]:
        first = max(needs[0], width - needs[1])
    least = [_need([(label, word) for label, value in side for word in value.split() or [""]]) for side in sides]
    if sum(least) <= width:
        first = min(max(first, least[0]), width - least[1])
    return [first, width - first]


def _need(side):
    stub, value = (max((len(pair[j]) for pair in side), default=0) for j in (0, 1))
    return stub + 1 + value


_LATEX = str.maketrans(
    {character: "\\" + character for character in "#$%&_{}"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    | {"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"{\char34}"}
    | {"[": "{[}", "]": "{]}"}
)


def format_number(value):
    """Return a number as text: whole numbers plain, others with 4 decimals.

    A number that 4 decimals show as 0, or one of 10^6 and more, is written in powers of ten with
    three significant figures. None becomes empty text; text stays as it is.

    Parameters
    ----------
    value : int, float, str, bool or None
        What to write.

    Returns
    -------
    str
        Text of one line.

    Examples
    --------
    >>> format_number(59), format_number(0.04855), format_number(1.2e-7), format_number(0.0)
    ('59', '0.0486', '1.20e-07', '0.0000')
    """
    if value is None:
        return ""
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if not isinstance(value, numbers.Real):
        return _one_line(value)
    text = f"{float(value) + 0.0:.4f}"  # adding 0 turns -0 into 0
    hidden = (float(text) == 0 and value != 0) or 1e6 <= abs(value) < math.inf
    return f"{float(value):.2e}" if hidden else text


def p_text(p):
    """Return a p-value for a cell of a table; one that floating point cannot hold is said to be below 1e-300.

    Examples
    --------
    >>> p_text(0.0), p_text(1.8e-234), p_text(0.25)
    ('< 1e-300', '1.80e-234', '0.2500')
    """
    return "< 1e-300" if p < 1e-300 else format_number(p)


def at_least(value, places=6, *, percent=False):
    """Return a lower bound as text, rounded down, so that what is said is no more than what is known.

    Parameters
    ----------
    value : float
        A probability or a share.
    places : int
        Decimals; below 6 they are all shown.
    percent : bool
        Whether to write it as a percentage.

    Returns
    -------
    str
        The text.

    Examples
    --------
    >>> at_least(1 - 0.05), at_least(1 - 1e-9), at_least(0.1239, 3), at_least(1 - 0.05, percent=True)
    ('0.95', '0.999999', '0.123', '95 %')
    """
    return _rounded(value, places, percent, ROUND_FLOOR)


def at_most(value, places=6, *, percent=False):
    """Return an upper bound as text, rounded up; the arguments are those of `at_least`.

    Examples
    --------
    >>> at_most(0.1231, 3), at_most(0.12345612, percent=True)
    ('0.124', '12.3457 %')
    """
    return _rounded(value, places, percent, ROUND_CEILING)


def share_text(count, total):
    """Return a share in percent as text with two digits, and from 99.5 % on as `format_percent` does.

    Examples
    --------
    >>> share_text(1, 300), share_text(2653, 2689), share_text(299, 300), share_text(2999, 3000), share_text(5, 5)
    ('0.33 %', '99 %', '99.7 %', '>99.9 %', '100 %')
    """
    share = count / total
    if share < 0.995:
        return f"{100 * share:.2g} %"
    return format_percent(share, digits=int(count < total)).replace("%", " %")


def _rounded(value, places, percent, way):
    # less the rounding error of a difference such as 1 - 0.05
    exact = Decimal(f"{float(value):.15f}")
    number = (100 * exact if percent else exact).quantize(Decimal(1).scaleb(-(places - 2 * percent)), way)
    text = f"{number:f}"
    if places >= 6 and "." in text:
        text = text.rstrip("0").rstrip(".")
    return f"{text} %" if percent else text


def rounded_up(value, limit=None):
    """Return an upper bound as text that is not below it: four decimals, three digits of a number below 0.0001.

    A bound of at most `limit`, such as alpha, has as many digits as its limit, if fewer would put it above.

    Examples
    --------
    >>> rounded_up(0.04881), rounded_up(0.05), rounded_up(1.2345e-7), rounded_up(float("nan"))
    ('0.0489', '0.0500', '1.24e-07', 'nan')
    >>> rounded_up(0.1566221, 0.156623), rounded_up(0.1565, 0.156623), rounded_up(0.2, 0.156623)
    ('0.156623', '0.1565', '0.2000')
    """
    text = _outward(value, ROUND_CEILING)
    if limit is None or not value <= limit < float(text):
        return text
    # the limit as it is shown has these digits, so it is not passed
    step = Decimal(1).scaleb(Decimal(level_text(limit)).as_tuple().exponent)
    rounded = Decimal(f"{float(value):.15g}").quantize(step, ROUND_CEILING)
    return f"{rounded:f}" if value >= 1e-4 else f"{rounded:e}"


def rounded_down(value):
    """Return a lower bound as text that is not above it, as `rounded_up` does for an upper one.

    Examples
    --------
    >>> rounded_down(0.04889), rounded_down(-0.01001), rounded_down(0.0), rounded_down(1.239e-7)
    ('0.0488', '-0.0101', '0.0000', '1.23e-07')
    """
    return _outward(value, ROUND_FLOOR)


def _outward(value, way):
    if value is None or isinstance(value, str) or not np.isfinite(value):
        return format_number(value)
    if 0 < abs(value) < 1e-4:
        exact = Decimal(f"{float(value):.12e}")
        return f"{float(exact.quantize(Decimal(1).scaleb(exact.adjusted() - 2), way)):.2e}"
    return _rounded(value, 4, False, way)


def region_ends(low, high, where="throughout"):
    """Return the ends of a region, ``low <= alpha < high``, as texts that claim no more than it does.

    A region "throughout" is rounded inwards, so that each level between the texts lies in it: to four decimals, or
    to as many as leave something between them. A region "somewhere" is rounded outwards: its level may lie at an end.

    Examples
    --------
    >>> region_ends(0.017037, 0.058768), region_ends(0.1, 0.3), region_ends(0.12341, 0.12349)
    (('0.0171', '0.0587'), ('0.1000', '0.3000'), ('0.12341', '0.12349'))
    >>> region_ends(0.017037, 0.058768, "somewhere")
    ('0.0170', '0.0588')
    """
    if where == "somewhere":
        return rounded_down(low), rounded_up(high)
    # the shortest decimals that are read as the same float
    start, end = (Decimal(repr(float(value))) for value in (low, high))
    for places in range(4, 20):
        step = Decimal(1).scaleb(-places)
        first, second = start.quantize(step, ROUND_CEILING), end.quantize(step, ROUND_FLOOR)
        if first < second:
            return f"{first:f}", f"{second:f}"
    return f"{start:f}", f"{end:f}"


def format_percent(value, digits=1):
    """Return a share between 0 and 1 as a percentage that never rounds to 0 or 100 by accident.

    Parameters
    ----------
    value : float
        A share.
    digits : int
        Decimals of the percentage.

    Returns
    -------
    str
        Such as ``'4.9%'``, ``'<0.1%'`` or ``'>99.9%'``.

    Examples
    --------
    >>> format_percent(0.0486), format_percent(0.0), format_percent(0.0001), format_percent(0.99999)
    ('4.9%', '0.0%', '<0.1%', '>99.9%')
    """
    text, step = f"{100 * float(value):.{digits}f}", 10.0**-digits
    if float(text) == 0 < value:
        return f"<{step:.{digits}f}%"
    return f">{100 - step:.{digits}f}%" if float(text) == 100 and value < 1 else text + "%"


def table_frame(columns):
    """Return a DataFrame with one column for each entry of `columns`.

    Parameters
    ----------
    columns : dict of str to array-like, each of shape (n,)
        The columns in order.

    Returns
    -------
    pandas.DataFrame
        n rows.

    Examples
    --------
    >>> table_frame({"split": [1, 2], "threshold": [0.3, 0.4]}).shape
    (2, 2)
    """
    import pandas as pd

    return pd.DataFrame(dict(columns))


def summary_table(title, pairs, columns=None, rows=None, notes=(), *, max_rows=None):
    """Return a `statsmodels.iolib.summary.Summary` that reads like those of statsmodels.

    A title, a block of label and value in two columns (the first half of `pairs` on the left), a table
    with headers, and numbered notes. It prints as text and also has as_latex, as_html and as_csv, in
    which special characters are escaped. The text is 78 columns wide unless the table needs
    more; a long value or note continues on the next line.

    Parameters
    ----------
    title : str
        The centred title.
    pairs : sequence of (str, value)
        Labels without a colon, and values: text or numbers (see `format_number`).
    columns : sequence of str, optional
        Headers of the table, one a column; the first column is aligned left.
    rows : sequence of sequences, optional
        Rows of the table, each as long as `columns`.
    notes : sequence of str
        Notes below.
    max_rows : int, optional
        Show this many rows and say how many more there are; None shows all.

    Returns
    -------
    statsmodels.iolib.summary.Summary
        The summary.

    Examples
    --------
    >>> print(summary_table("Fit", [("Method", "lda"), ("alpha", 0.05)], notes=["One split."]))
                                         Fit
    ==============================================================================
    Method:                            lda   alpha:                         0.0500
    ==============================================================================
    <BLANKLINE>
    Notes:
    [1] One split.
    """
    body = [] if rows is None else _body_cells(columns, rows, max_rows)
    cells = [(_one_line(label) + ":", format_number(value)) for label, value in pairs]
    made = TextSummary if _TEXT_ALONE.get() else _summary_class()
    return made(_one_line(title), cells, body, [note_text(note) for note in notes])


def _one_line(value):
    """Text of `value` on one line, in its own letters; what is no character to print is written as its escape."""
    text = " ".join(str(value).split())
    return "".join(c if unicodedata.category(c) not in ("Cc", "Cs") else ascii(c)[1:-1] for c in text)


def _body_cells(columns, rows, max_rows):
    rows = [[format_number(value) for value in row] for row in rows]
    shown = rows if max_rows is None else rows[:max_rows]
    if len(shown) < len(rows):
        shown = [*shown, [f"... {len(rows) - len(shown)} more"] + [""] * (len(columns) - 1)]
    return [[_one_line(name) for name in columns], *shown]


# whether summaries are text alone
_TEXT_ALONE: ContextVar[bool] = ContextVar("text alone", default=False)
# what makes the words of a note, which are for users of Python, those of another face
_NOTE_WORDS: ContextVar[Callable[[str], str]] = ContextVar("note words", default=str)


@contextmanager
def summaries_as_text(note_words=str):
    """Within it `summary_table` returns a `TextSummary`: for a program that prints, and starts without statsmodels.

    Parameters
    ----------
    note_words : callable, default str
        Takes a note, which has the words of Python, and returns it in those of the program.
    """
    tokens = _TEXT_ALONE.set(True), _NOTE_WORDS.set(note_words)
    try:
        yield
    finally:
        _TEXT_ALONE.reset(tokens[0])
        _NOTE_WORDS.reset(tokens[1])


def note_text(note):
    """Return a note on one line, in the words of the program around it."""
    return _NOTE_WORDS.get()(_one_line(note))


class TextSummary:
    """What a summary says, as text and with special characters escaped in LaTeX, HTML and CSV."""

    def __init__(self, title, pairs, body, notes):
        self.content = title, pairs, body, notes
        self.numbered = [f"[{number}] {note}" for number, note in enumerate(notes, start=1)]

    def __str__(self):
        return self.as_text()

    def as_text(self):
        """Return the text that statsmodels would print."""
        title, pairs, body, notes = self.content
        table = _headed(body_lines(body)) if body else []
        width = table_width(pairs, table)
        lines = [title.center(width), "=" * width]
        if pairs:
            lines += [*_aligned(*pair_lines(pairs, width), " ", "lrlr"), "=" * width]
        if body:
            widths = body_widths(table, width)
            header, *rows = _aligned(table, widths, "  ", "l" + "r" * (len(widths) - 1))
            lines += [header, "-" * width, *rows, "=" * width]
        return "\n".join(lines + (["", *self.note_lines()] if notes else []))

    def note_lines(self):
        """Return the lines of the notes, of at most `WIDTH` columns also below a table that is wider."""
        return ["Notes:", *(line for note in self.numbered for line in _hanging(note))]

    def as_csv(self):
        """Return comma-separated values."""
        title, pairs, body, _ = self.content
        text, notes = io.StringIO(), [[note] for note in self.numbered]
        csv.writer(text, lineterminator="\n").writerows([[title], *pairs, *body, *notes])
        return text.getvalue()

    def as_html(self):
        """Return HTML."""
        title, pairs, body, _ = self.content
        tables = [_html_table(rows, rows is body) for rows in (pairs, body) if rows]
        # without the class a notebook sets what stands between two dollar signs, in labels too, as mathematics
        heading = f'<div class="tex2jax_ignore mathjax_ignore"><p><strong>{html.escape(title)}</strong></p>\n'
        return heading + "<br/>".join(["\n".join(tables), *map(html.escape, self.numbered)]) + "</div>"

    def as_latex(self):
        """Return LaTeX, for a document that loads the package booktabs."""
        title, pairs, body, _ = self.content
        head = rf"\begin{{center}}\textbf{{{title.translate(_LATEX)}}}\\"
        tables = "\\\\[1ex]\n".join(_latex_table(rows, rows is body) for rows in (pairs, body) if rows)
        notes = [note.translate(_LATEX) + r" \newline" for note in self.numbered]
        return "\n".join([head, tables, r"\end{center}", *notes])


def _headed(table):
    """Return the rows of a table of which at least one line says that there is nothing."""
    return [table[0], *(table[1:] or [["none", *[""] * (len(table[0]) - 1)]])]


def _aligned(rows, widths, between, sides):
    """Return the rows as lines, each column aligned to the left, "l", or to the right, "r"."""
    align = {"l": str.ljust, "r": str.rjust}
    return [between.join(align[side](*cell) for side, *cell in zip(sides, row, widths, strict=True)) for row in rows]


@cache
def _summary_class():
    """The class of a summary, made on first use because it needs statsmodels."""
    with needed("statsmodels", "a summary"):
        from statsmodels.iolib.summary import Summary
        from statsmodels.iolib.table import SimpleTable
        from statsmodels.iolib.tableformatting import fmt_base

    class NPSummary(TextSummary, Summary):
        """A summary of statsmodels, which prints its own tables."""

        def __init__(self, title, pairs, body, notes):
            Summary.__init__(self)
            super().__init__(title, pairs, body, notes)
            table = _headed(body_lines(body)) if body else []
            width = table_width(pairs, table)
            plain = {**fmt_base, "data_fmts": ["%s"]}
            if pairs:
                lines, widths = pair_lines(pairs, width)
                form = {**plain, "colwidths": widths, "data_aligns": "lrlr"}
                self.tables.append(SimpleTable(lines, title=title, txt_fmt=form))
            if body:
                widths = body_widths(table, width)
                form = {**plain, "colwidths": widths, "colsep": "  ", "data_aligns": "l" + "r" * len(widths)}
                (first, *others), *lines = table
                headers = [first.ljust(widths[0]), *others]
                self.tables.append(SimpleTable(lines, headers=headers, title="" if pairs else title, txt_fmt=form))
            if notes:
                self.add_extra_txt(self.note_lines())

        def __reduce__(self):
            return _rebuild, self.content

        as_text = __str__ = __repr__ = Summary.as_text

    return NPSummary


def _rebuild(title, pairs, body, notes):
    return _summary_class()(title, pairs, body, notes)


def _html_table(rows, headed):
    lines = ['<table class="simpletable">']
    for number, row in enumerate(rows):
        heads = len(row) if headed and number == 0 else 1
        cells = [("th" if i < heads else "td", html.escape(cell)) for i, cell in enumerate(row)]
        lines.append("<tr>" + "".join(f"<{tag}>{cell}</{tag}>" for tag, cell in cells) + "</tr>")
    return "\n".join([*lines, "</table>"])


def _latex_table(rows, headed):
    lines = [" & ".join(cell.translate(_LATEX) for cell in row) + r" \\" for row in rows]
    lines[:1] = [lines[0], r"\midrule"] if headed else lines[:1]
    begin = rf"\begin{{tabular}}{{l{'r' * (len(rows[0]) - 1)}}}\toprule"
    return "\n".join([begin, *lines, r"\bottomrule\end{tabular}"])


def level_pairs(result, *names):
    """Return pairs of a summary with levels of a result, such as alpha and delta."""
    return [(name, level_text(getattr(result, name))) for name in names]


def rows_to_show(max_rows):
    """Return how many rows of a table a summary shows, or None for all of them."""
    return None if max_rows is None else check_count(max_rows, "max_rows", minimum=0)


# numbers of a short array that are all shown
FEW = 4


class InNotebook:
    """A result that a notebook shows as its summary: the table and the notes, with labels escaped."""

    def _repr_html_(self):
        return self.summary().as_html()


class ShortRepr:
    """A dataclass whose repr is its fields in short form, bounds rounded outwards; for a ``@dataclass(repr=False)``."""

    def __repr__(self):
        outward = {"lower": rounded_down, "upper": rounded_up}
        shown = ", ".join(
            f"{field.name}={short(getattr(self, field.name), outward.get(field.name))}"
            for field in dataclasses.fields(self)
            if field.repr
        )
        return f"{type(self).__name__}({shown})"


def short(value, number=None):
    """Return a value as text of some 50 characters at most, numbers with four significant digits.

    Parameters
    ----------
    value : object
        A number, array, text, or a dict of these. An array of more than four numbers becomes its shape and range; of
        another object only the class is told.
    number : callable, optional
        What writes a number that is not whole by type, such as `rounded_up` for a bound.

    Returns
    -------
    str

    Examples
    --------
    >>> short(2 / 3), short(59), short("lda"), short(None)
    ('0.6667', '59', "'lda'", 'None')
    >>> short(np.array([1.0, 1 / 3])), short(np.linspace(0, 1, 201))
    ('[1, 0.3333]', '<201 numbers, 0 to 1>')
    """
    if isinstance(value, bool | np.bool_ | type(None)):
        return str(value)
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real):
        return f"{float(value):.4g}" if number is None else number(float(value))
    if isinstance(value, str):
        return repr(value if len(value) <= 50 else value[:47] + "...")
    if isinstance(value, np.ndarray):
        return _short_array(value, number)
    if isinstance(value, dict):
        return f"<{', '.join(str(key) for key in value)}>" if value else "<>"
    if isinstance(value, list | tuple):
        return f"<{len(value)} entries>" if len(value) > FEW else f"[{', '.join(short(entry) for entry in value)}]"
    return repr(value) if isinstance(value, ShortRepr) else f"<{type(value).__name__}>"


def _short_array(values, number):
    if values.size <= FEW and values.ndim <= 1:
        shown = ", ".join(short(value, number) for value in np.ravel(values).tolist())
        return shown if values.ndim == 0 else f"[{shown}]"
    what = f"{values.size} numbers" if values.ndim == 1 else f"{' x '.join(map(str, values.shape))} numbers"
    if values.dtype.kind == "b":
        return f"<{what.replace('numbers', 'flags')}, {int(values.sum())} true>"
    if values.dtype.kind not in "iuf" or values.size == 0:
        return f"<{what.replace('numbers', 'entries')}>"
    return f"<{what}, {short(values.min(), number)} to {short(values.max(), number)}>"
