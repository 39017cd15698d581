"""What the columns of a table held at the fit, where a scorer gets them as they are, and the same of new rows.

A CSV file has no types: text such as "01" comes back as a number, "None" as a missing value, and a category as text. A
scorer then sees other rows than it was trained on, often without an error.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from nproc.errors import InvalidInputError, NPWarning, warn_at_call
from nproc.rows.frames import is_frame

# what pandas takes for a missing value in a CSV file
SIGNS_OF_GAPS = (
    *("", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A", "NA"),
    *("NULL", "NaN", "None", "n/a", "nan", "null"),
)


@dataclass(frozen=True)
class ColumnTypes:
    """Types of columns at the fit, by their names; made by `types_of`.

    Attributes
    ----------
    texts : dict of str to tuple of str
        Columns of text, each with those of `SIGNS_OF_GAPS` that were among its values.
    categories : dict of str to (tuple, bool)
        The categories of categorical columns in their order, and whether this order counts.
    whole : tuple of str
        Columns of whole numbers.
    complete : tuple of str
        Columns of text without a missing value.
    """

    texts: dict = field(default_factory=dict)
    categories: dict = field(default_factory=dict)
    whole: tuple = ()
    complete: tuple = ()

    def restored(self, table, name):
        """Return new rows with categories and whole numbers as at the fit; other tables than frames stay as they are.

        Raises
        ------
        InvalidInputError
            A column of text holds numbers now.

        Warns
        -----
        NPWarning
            A column of text had no missing value, has some now, and had a text that files have for missing values.
        """
        if not is_frame(table):
            return table
        import pandas as pd

        for column, signs in self.texts.items():
            values = table[column]
            if pd.api.types.is_numeric_dtype(values.dtype) and values.notna().any():
                raise InvalidInputError(
                    f"column {column!r} of {name} holds numbers, and held text at the fit. Give it as text. From a CSV "
                    f"file pandas.read_csv reads it so with dtype={{{column!r}: 'str'}}."
                )
            if signs and column in self.complete and values.isna().any():
                warn_at_call(
                    f"column {column!r} of {name} has missing values and had none at the fit, where {signs[0]!r} was "
                    "one of its texts. If they come from a CSV file, this text was read as missing: give "
                    "keep_default_na=False to pandas.read_csv.",
                    NPWarning,
                )
        changed = {}
        for column, (known, ordered) in self.categories.items():
            values = table[column]
            # a category that is new stays what it is: what becomes of it is up to the scorer
            if not isinstance(values.dtype, pd.CategoricalDtype) and values.dropna().isin(known).all():
                changed[column] = pd.Categorical(values, categories=list(known), ordered=ordered)
        for column in self.whole:
            values = table[column]
            if values.dtype == np.float64 and np.isfinite(values).all() and (values % 1 == 0).all():
                changed[column] = values.astype(np.int64)
        return table.assign(**changed) if changed else table


def types_of(table):
    """Return the `ColumnTypes` of a frame, or empty ones of another table."""
    if not is_frame(table):
        return ColumnTypes()
    import pandas as pd

    levels, categories, whole, complete = {}, {}, [], []
    for column in table.columns:
        values = table[column]
        if isinstance(values.dtype, pd.CategoricalDtype):
            categories[column] = tuple(values.cat.categories.tolist()), bool(values.cat.ordered)
            levels[column] = categories[column][0]
        elif pd.api.types.is_integer_dtype(values.dtype):
            whole.append(column)
        elif pd.api.types.infer_dtype(values, skipna=True) == "string":
            levels[column] = values.dropna().unique().tolist()
        if column in levels and not values.isna().any():
            complete.append(column)
    texts = texts_among(levels)
    return ColumnTypes(texts, categories, tuple(whole), tuple(column for column in complete if column in texts))


def texts_among(levels):
    """Return of `{column: values}` the columns of text alone, with the signs for a missing value among their values."""
    texts = {}
    for column, values in levels.items():
        if len(values) > 0 and all(isinstance(value, str) for value in values):
            known = set(values)
            texts[column] = tuple(sign for sign in SIGNS_OF_GAPS if sign in known)
    return texts
