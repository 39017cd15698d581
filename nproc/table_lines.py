"""The lines of a summary in plain text: how wide its columns are, and where long names and values continue."""

from __future__ import annotations

import textwrap

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

    Examples
    --------
    >>> cells = [["Better", "alpha from"], ["StandardScaler+LogisticRegression", "0.1"]]
    >>> body_lines(cells) == cells, body_lines([[*row, "x" * 50] for row in cells])[2]
    (True, ['LogisticRegression', '', ''])
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
    """
    lines = []
    for line in textwrap.wrap(value, width, break_on_hyphens=False, break_long_words=False):
        rest = line
        while len(rest) > width:
            joint = max(rest.rfind(mark, 0, width) for mark in _BREAKS) + 1
            # hardly anything on a line is worse than a broken word
            end = joint if joint > width // 3 else width
            lines.append(rest[:end])
            rest = rest[end:]
        lines.append(rest)
    return lines or [""]


def _natural_widths(body):
    return [max(len(cell) for cell in column) for column in zip(*body, strict=True)]


def _rooms(sides, width):
    """Return the columns for each side: halves, or where a value does not fit, what the other side can spare."""
    halves = [width // 2, width - width // 2]
    needs = [_need(side) for side in sides]
    too_long = [need > half for need, half in zip(needs, halves, strict=True)]
    if too_long == [True, False]:
        second = max(needs[1], width - needs[0])
        return [width - second, second]
    if too_long == [False, True]:
        first = max(needs[0], width - needs[1])
        return [first, width - first]
    return halves


def _need(side):
    stub, value = (max((len(pair[j]) for pair in side), default=0) for j in (0, 1))
    return stub + 1 + value
