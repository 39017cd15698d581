"""Columns of a table that hold the labels of its rows, although all rows are given as those of class 0."""

import numpy as np

from nproc.checks import shown_label
from nproc.errors import InvalidInputError, NPWarning, warn_at_call
from nproc.rows.frames import as_table, is_frame


def same_labels(value, labels):
    """Return those of some labels that are the same text as a value, or else the same number, with 1 for true.

    Examples
    --------
    >>> same_labels("1", [0.0, 1.0]), same_labels("ill", ["well", "sick"])
    ([1.0], [])
    """
    for same in (str, _as_number):
        wanted = same(value)
        found = [label for label in labels if wanted is not None and same(label) == wanted]
        if found:
            return found
    return []


def _as_number(value):
    """Return the number that a label is or reads as, with 1 for true and 0 for false; None for other text."""
    word = str(value).strip().lower()
    try:
        return float({"true": 1, "false": 0}.get(word, word))
    except ValueError:
        return None


def distinct_values(column):
    """Return the different values of a column without gaps, as a list, which is empty if they are lists or records."""
    try:
        return column.dropna().unique().tolist()
    except TypeError:
        return []


def columns_of_labels(frame, labels, used):
    """Return the columns that are not `used` and hold labels of several classes and nothing else; true counts as 1.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"age": [0, 1, 1], "sick": [1, 0, 1], "drug": [0, 0, 0], "dose": [0, 1, 2]})
    >>> columns_of_labels(table, [0, 1], ["age"])
    ['sick']
    """
    found = []
    for column in frame.columns.difference(used, sort=False):
        values = distinct_values(frame[column])
        if 1 < len(values) <= len(labels):
            meant = [same_labels(value, labels)[:1] for value in values]
            if [] not in meant and len({label for [label] in meant}) > 1:
                found.append(column)
    return found


def _have_other_uses(labels):
    """Return whether labels are numbers or truth values, as columns without labels have, such as a sex of 0 and 1."""
    return all(_as_number(label) is not None for label in labels)


def refuse_labels_beside(X, labels, class0, used, name, *, beside=(), takes_y=True):
    """Raise or warn if columns of new rows that are not `used` have labels of several classes, and nothing else.

    Labels that are words are hardly ever in a column by chance: all rows would count as class 0, and this is refused.
    Numbers and truth values stand in columns of other kinds as well. Such columns are warned of, all in one warning.

    Parameters
    ----------
    X : table
        New rows without labels.
    labels : list
        The labels of the classifier.
    class0 : label
        The class of which all rows are said to be.
    used : sequence of str, or None
        The columns that the classifier reads; None if they have no names.
    name : str
        Name of the argument with the rows, for messages.
    beside : sequence
        Names of further columns without labels, such as that of the groups, and what has one value a row and is given
        beside the rows. A column of the same name or with the same values holds no labels. What is None is passed over.
    takes_y : bool
        Whether the labels can be given as y.
    """
    table = as_table(X, name) if hasattr(type(X), "columns") else X
    # repeated names are refused where the rows are read
    if used is None or not is_frame(table) or not table.columns.is_unique:
        return
    found = columns_of_labels(table, labels, used)
    found = [column for column in found if not any(_is_column(one, table[column]) for one in beside)]
    if not found:
        return
    warned, several = _have_other_uses(labels), len(found) > 1
    told = "the labels of both classes" if len(labels) == 2 else "labels of several classes"
    told = "the same values as the labels" if warned else told
    fact = (
        f"{name} has the column{'s' * several} {', '.join(map(repr, found))} with {told}, and {'without y ' * takes_y}"
        f"all rows {'' if warned else 'would '}count as {shown_label(class0)}."
    )
    give = f"give {'it as y' if several else f'y={name}[{found[0]!r}]'}, or " * takes_y
    holds = "one of them holds the" if several else "it holds"
    way_out = f"If {holds} labels, {give}leave out the rows of other classes"
    if warned:
        warn_at_call(NPWarning(fact, argument=name, way_out=f"{way_out}."), NPWarning)
        return
    rest = " and the other columns. If none does, leave them all out." if several else ". If not, leave out the column."
    raise InvalidInputError(fact, argument=name, way_out=f"{way_out}{rest}")


def _is_column(one, column):
    """Return whether a name is that of a column, or values have the name of the column or equal it."""
    import pandas as pd

    values = np.asarray(one, dtype=object)
    if values.ndim == 0:
        return one is not None and one == column.name
    if getattr(one, "name", None) == column.name:
        return True
    # a gap is equal to nothing
    return not (column.isna().any() or pd.isna(values).any()) and np.array_equal(values, column.to_numpy(dtype=object))
