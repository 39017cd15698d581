"""Code that messages advise, for the library that the user's table is of.

Of tables of other libraries than polars a pandas frame comes first.
"""

from nproc.checks import as_array, rows_in
from nproc.rows.frames import is_frame, is_of


def of_polars(table):
    """Return whether a table or a column is one of polars, or a pandas frame that was made of one."""
    return is_of(table, "polars", "DataFrame", "Series") or (is_frame(table) and rows_in(table, "X") == "X")


def code_of_categories(table, name):
    """Return code that makes categories of a column of text.

    Examples
    --------
    >>> import pandas as pd
    >>> code_of_categories(pd.DataFrame({"a": ["u"]}), "X")
    "X.astype({NAME: 'category'})"
    """
    if of_polars(table):
        return f"{name}.with_columns(polars.col(NAME).cast(polars.Categorical))"
    return f"{_in_pandas(table, name)}.astype({{NAME: 'category'}})"


def code_without(table, name, column):
    """Return code that leaves a column out.

    Examples
    --------
    >>> import pandas as pd
    >>> code_without(pd.DataFrame({"a": [1.0]}), "X", "a")
    "X.drop(columns='a')"
    """
    if of_polars(table):
        return f"{name}.drop({column!r})"
    return f"{_in_pandas(table, name)}.drop(columns={column!r})"


def code_of_filled(table, name, column):
    """Return code that puts an empty text in the place of the missing ones of a column.

    Examples
    --------
    >>> import pandas as pd
    >>> code_of_filled(pd.DataFrame({"a": [None]}), "X", "a")
    "X.fillna({'a': ''})"
    """
    if of_polars(table):
        return f"{name}.with_columns(polars.col({column!r}).fill_null(''))"
    return f"{_in_pandas(table, name)}.fillna({{{column!r}: ''}})"


def code_of_complete(table, name, column):
    """Return code that leaves out the rows without a value in a column.

    Examples
    --------
    >>> import pandas as pd
    >>> code_of_complete(pd.DataFrame({"a": [None]}), "data", "a")
    "data.dropna(subset=['a'])"
    """
    if of_polars(table):
        return f"{name}.drop_nulls({column!r})"
    return f"{_in_pandas(table, name)}.dropna(subset=[{column!r}])"


def code_of_labelled(y, name, X=None):
    """Return code that keeps the rows with a label; without the rows `X` they are taken to be of the library of `y`.

    Examples
    --------
    >>> import numpy as np
    >>> code_of_labelled(["u", None], "y", np.zeros((2, 1)))
    'keep = pandas.notna(y), then X[keep] and numpy.array(y)[keep]'
    >>> code_of_labelled(np.array([0.0, np.nan]), "y")
    'keep = numpy.isfinite(y), then X[keep] and y[keep]'
    """
    rows = y if X is None and not isinstance(y, list | tuple) else X
    are_floats = as_array(y, name).dtype.kind == "f"
    if of_polars(y):
        keep = f"numpy.isfinite({name}.to_numpy())" if are_floats else f"{name}.is_not_null().to_numpy()"
    else:
        keep = f"{'numpy.isfinite' if are_floats else 'pandas.notna'}({_in_pandas(y, name)})"
        # polars takes no Series of pandas for a mask
        keep += ".to_numpy()" * (of_polars(rows) and (hasattr(y, "iloc") or hasattr(type(y), "to_pandas")))
    return f"keep = {keep}, then {_kept(rows, 'X')} and {_kept(y, name)}"


def code_of_texts(values, name):
    """Return code that makes texts of one value a row.

    Examples
    --------
    >>> code_of_texts([2020, 2021], "y")
    'numpy.array(y).astype(str)'
    """
    if of_polars(values):
        return f"{name}.cast(polars.String)"
    made = f"numpy.array({name})" if isinstance(values, list | tuple) else _in_pandas(values, name)
    return f"{made}.astype(str)"


def _kept(values, name):
    if of_polars(values):
        return f"{name}.filter(keep)"
    return f"numpy.array({name})[keep]" if isinstance(values, list | tuple) else f"{_in_pandas(values, name)}[keep]"


def _in_pandas(table, name):
    if is_frame(table):
        made = rows_in(table, "").startswith(".to_pandas")
    else:
        made = hasattr(type(table), "to_pandas")
    return f"{name}.to_pandas()" if made else name
