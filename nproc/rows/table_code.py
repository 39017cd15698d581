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
    in_polars = ".with_columns(polars.col(NAME).cast(polars.Categorical))"
    return _code(table, name, in_polars, ".astype({NAME: 'category'})")


def code_of_dummies(table, name):
    """Return code that makes columns of numbers of a column of text.

    Examples
    --------
    >>> import pandas as pd
    >>> code_of_dummies(pd.DataFrame({"a": ["u"]}), "X")
    'pandas.get_dummies(X)'
    """
    return f"{name}.to_dummies(NAME)" if of_polars(table) else f"pandas.get_dummies({_in_pandas(table, name)})"


def code_of_columns(table, name, columns):
    """Return code that takes some columns, which other code lists.

    Examples
    --------
    >>> import pandas as pd
    >>> code_of_columns(pd.DataFrame({"a": [1.0]}), "X", "list(names)")
    'X[list(names)]'
    """
    selects = of_polars(table) or is_of(table, "pyarrow", "Table")
    return f"{name}.select({columns})" if selects else f"{_in_pandas(table, name)}[{columns}]"


def code_without(table, name, column):
    """Return code that leaves a column out.

    Examples
    --------
    >>> import pandas as pd
    >>> code_without(pd.DataFrame({"a": [1.0]}), "X", "a")
    "X.drop(columns='a')"
    """
    return _code(table, name, f".drop({column!r})", f".drop(columns={column!r})")


def code_of_filled(table, name, column):
    """Return code that puts an empty text in the place of the missing ones of a column.

    Examples
    --------
    >>> import pandas as pd
    >>> code_of_filled(pd.DataFrame({"a": [None]}), "X", "a")
    "X.fillna({'a': ''})"
    """
    in_polars = f".with_columns(polars.col({column!r}).fill_null(''))"
    return _code(table, name, in_polars, f".fillna({{{column!r}: ''}})")


def code_of_complete(table, name, column):
    """Return code that leaves out the rows without a value in a column.

    Examples
    --------
    >>> import pandas as pd
    >>> code_of_complete(pd.DataFrame({"a": [None]}), "data", "a")
    "data.dropna(subset=['a'])"
    """
    return _code(table, name, f".drop_nulls({column!r})", f".dropna(subset=[{column!r}])")


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
    return _code(values, name, ".cast(polars.String)", ".astype(str)")


def _kept(values, name):
    return _code(values, name, ".filter(keep)", "[keep]")


def _code(values, name, in_polars, in_pandas):
    """Return the name of a table or column with what follows it, as the library of the values writes it."""
    if isinstance(values, list | tuple):
        return f"numpy.array({name}){in_pandas}"
    return f"{name}{in_polars}" if of_polars(values) else f"{_in_pandas(values, name)}{in_pandas}"


def _in_pandas(table, name):
    if is_frame(table):
        made = rows_in(table, "").startswith(".to_pandas")
    else:
        made = hasattr(type(table), "to_pandas")
    return f"{name}.to_pandas()" if made else name
