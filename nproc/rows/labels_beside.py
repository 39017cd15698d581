"""Columns of a table that hold the labels of its rows, although all rows are given as those of class 0."""

from nproc.checks import shown_label
from nproc.errors import InvalidInputError
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


def refuse_labels_beside(X, labels, class0, used, name, *, takes_y=True):
    """Raise if a column of new rows that is not `used` says that not all of them are of class 0.

    Parameters
    ----------
    X : table
        New rows without labels.
    labels : list
        The labels of the classifier.
    class0 : label
        The class of which all rows are said to be.
    used : sequence of str, or None
        The columns that the classifier reads, and others that hold no labels; None if they have no names.
    name : str
        Name of the argument with the rows, for messages.
    takes_y : bool
        Whether the labels can be given as y.
    """
    table = as_table(X, name) if hasattr(type(X), "columns") else X
    # repeated names are refused where the rows are read
    if used is None or not is_frame(table) or not table.columns.is_unique:
        return
    column = next(iter(columns_of_labels(table, labels, used)), None)
    if column is None:
        return
    told = "the labels of both classes" if len(labels) == 2 else "labels of several classes"
    give = f"give y={name}[{column!r}], or " if takes_y else ""
    without_y = "without y " * takes_y
    raise InvalidInputError(
        f"{name} has the column {column!r} with {told}, and {without_y}all rows would count as {shown_label(class0)}.",
        argument=name,
        way_out=f"If it holds labels, {give}leave out the rows of other classes. If not, leave out the column.",
    )
