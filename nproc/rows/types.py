"""What the columns of a table held at the fit, where a scorer gets them as they are, and the same of new rows.

A CSV file has no types: text such as "01" comes back as a number, "None" as a missing value, None as NaN, and a
category as text. A scorer then sees other rows than it was trained on, often without an error.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, time, timedelta

import numpy as np

from nproc.checks import differs_from_itself, rows_in
from nproc.errors import InvalidInputError, NPWarning, warn_at_call
from nproc.rows.frames import check_categories, is_frame, listed

# what pandas takes for a missing value in a CSV file
SIGNS_OF_GAPS = (
    *("", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A", "NA"),
    *("NULL", "NaN", "None", "n/a", "nan", "null"),
)


# what stands for a missing value in a column of Python objects, by a name that a file of the fit can hold
_GAPS = {"None": None, "NaN": np.nan}


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
    objects : dict of str to tuple of str
        Columns of Python objects, and of text with missing values, each with what stood there for a missing value:
        "None", "NaN" or both.
    numbers : tuple of int
        The places of the columns of numbers, which tables without names have, too.
    untold : tuple of str
        Categorical columns of which new categories are not told: an encoder of the method says what becomes of them, or
        the method leaves the column out.
    refused : tuple of str
        Categorical columns of which new categories are refused, because XGBoost would take some for known ones.
    """

    texts: dict = field(default_factory=dict)
    categories: dict = field(default_factory=dict)
    whole: tuple = ()
    complete: tuple = ()
    objects: dict = field(default_factory=dict)
    numbers: tuple = ()
    untold: tuple = ()
    refused: tuple = ()

    def restored(self, table, name):
        """Return new rows with categories, whole numbers and missing values as at the fit; arrays stay as they are.

        Raises
        ------
        InvalidInputError
            A column of text holds numbers now, or a column of numbers dates or times.
        UnseenCategoriesError
            A column that is `refused` has new categories.

        Warns
        -----
        NPWarning
            A column of text had no missing value, has some now, and had a text that files have for missing values; a
            column had both None and NaN, and has only NaN now; or a categorical column that is not `untold` of has new
            categories.
        """
        self._refuse_dates(table, name)
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
        check_categories(table, {column: self.categories[column][0] for column in self.refused}, rows_in(table, name))
        changed = {}
        for column, (known, ordered) in self.categories.items():
            values = table[column]
            # a new category stays what it is, behind those of the fit: what becomes of it is up to the scorer
            there = set(known)
            new = [value for value in values.dropna().unique().tolist() if value not in there]
            if new and column not in self.untold:
                self._warn_of_new(column, new, known, name)
            levels = [*known, *new]
            if isinstance(values.dtype, pd.CategoricalDtype):
                if values.cat.categories.tolist() == levels:
                    continue
                values = values.cat.remove_unused_categories()
            changed[column] = pd.Categorical(values, categories=levels, ordered=ordered)
        for column in self.whole:
            values = table[column]
            if values.dtype == np.float64 and np.isfinite(values).all() and (values % 1 == 0).all():
                changed[column] = values.astype(np.int64)
        for column, signs in self.objects.items():
            values = changed.get(column, table[column])
            found = _signs_of_gaps(values)
            if len(signs) == 2 and found == ("NaN",):
                warn_at_call(
                    f"column {column!r} of {name} has NaN for its missing values, and had both None and NaN at the "
                    "fit. Encoders take the two for different categories, and a CSV file does not tell them apart. "
                    f"Use one of them before the fit, as in X[{column!r}].fillna(np.nan).",
                    NPWarning,
                )
            has_other_sign = len(signs) == 1 and found not in ((), signs)
            are_numbers = column not in self.texts and pd.api.types.is_numeric_dtype(values.dtype)
            if has_other_sign or are_numbers:
                plain, there = values.to_numpy(dtype=object, copy=True), values.notna().to_numpy()
                if are_numbers and column in self.whole and (values[there] % 1 == 0).all():
                    plain[there] = values[there].astype(np.int64)
                if has_other_sign:
                    plain[~there] = _GAPS[signs[0]]
                changed[column] = pd.Series(plain, index=table.index, dtype=object)
        return table.assign(**changed) if changed else table

    @staticmethod
    def _warn_of_new(column, new, known, name):
        others = f" and {len(new) - 1} more" if len(new) > 1 else ""
        warn_at_call(
            f"column {column!r} of {name} has {new[0]!r}{others}, which the fit did not have as a category; known: "
            f"{listed(known)}. What becomes of such rows is up to the method: LightGBM and HistGradientBoosting take "
            "the value as missing, CatBoost and TargetEncoder use a value of their own, and XGBoost may take it for "
            "another category.",
            NPWarning,
            what=f"new categories in column {column!r} of {name}",
        )

    def _refuse_dates(self, table, name):
        """Raise for dates where the fit had numbers: a model may take them for nanoseconds without an error."""
        if is_frame(table):
            kinds, columns = table.dtypes, table.columns.tolist()
        else:
            columns = list(range(table.shape[1] if table.ndim == 2 else 0))
            kinds = [table.dtype] * len(columns)
        maybe = {place for place, kind in enumerate(kinds) if getattr(kind, "kind", "O") in "OmM"}
        for place in sorted(maybe.intersection(self.numbers)):
            if holds_dates(table.iloc[:, place] if is_frame(table) else table[:, place]):
                raise InvalidInputError(
                    f"column {columns[place]!r} of {name} holds dates or times, and held none at the fit. Give it as "
                    "numbers, as in the training data."
                )


def types_of(table):
    """Return the `ColumnTypes` of a table; without text names of its columns it tells only where the numbers are."""
    if not is_frame(table):
        numbers = range(table.shape[1]) if table.ndim == 2 and table.dtype.kind in "biuf" else ()
        return ColumnTypes(numbers=tuple(numbers))
    import pandas as pd

    is_number = pd.api.types.is_numeric_dtype
    numbers = tuple(place for place, kind in enumerate(table.dtypes) if is_number(kind))
    if not all(isinstance(column, str) for column in table.columns):
        return ColumnTypes(numbers=numbers)
    levels, categories, whole, complete, objects = {}, {}, [], [], {}
    for column in table.columns:
        values = table[column]
        content = pd.api.types.infer_dtype(values, skipna=True) if not is_number(values.dtype) else None
        if isinstance(values.dtype, pd.CategoricalDtype):
            categories[column] = tuple(values.cat.categories.tolist()), bool(values.cat.ordered)
            levels[column] = categories[column][0]
        elif pd.api.types.is_integer_dtype(values.dtype) or content == "integer":
            whole.append(column)
        elif content == "string":
            levels[column] = values.dropna().unique().tolist()
        if values.dtype == object or (content == "string" and values.isna().any()):
            objects[column] = _signs_of_gaps(values)
        if column in levels and not values.isna().any():
            complete.append(column)
    texts = texts_among(levels)
    complete = tuple(column for column in complete if column in texts)
    return ColumnTypes(texts, categories, tuple(whole), complete, objects, numbers)


def texts_among(levels):
    """Return of `{column: values}` the columns of text alone, with the signs for a missing value among their values."""
    texts = {}
    for column, values in levels.items():
        if len(values) > 0 and all(isinstance(value, str) for value in values):
            known = set(values)
            texts[column] = tuple(sign for sign in SIGNS_OF_GAPS if sign in known)
    return texts


def _signs_of_gaps(values):
    """Return which of "NaN" and "None" a column has for its missing values; none of them if others are among these."""
    gaps = values[values.isna()]
    if values.dtype != object:
        return ("NaN",) if len(gaps) else ()
    found = {"None" if gap is None else "NaN" if isinstance(gap, float) else "" for gap in gaps}
    return () if "" in found else tuple(sorted(found))


def holds_dates(values):
    """Whether a column holds dates, times or spans of time, of which objects tell by the first that is there."""
    kind = getattr(values.dtype, "kind", "O")
    if kind != "O":
        return kind in "mM"
    first = next((value for value in values if value is not None and not differs_from_itself(value)), None)
    return isinstance(first, date | time | timedelta) or type(first).__name__ == "Period"
