"""Tables of any library become pandas frames, arrays or CSR; columns become plain dtypes, checked by name."""

import difflib
import re
import sys
from collections.abc import Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from nproc.checks import as_array, refuse_rows_of_words, refuse_unordered, refuse_unreal, shown, with_rows_in
from nproc.errors import FirstRowError, InvalidInputError, at_row
from nproc.rows.identifiers import tells_apart
from nproc.rows.spellings import OTHER_CODES, composed

# columns of which a message says more than the name
_MOST_COLUMNS = 5
# rows of any library, or the text of a formula
Table: TypeAlias = ArrayLike | sparse.spmatrix | sparse.sparray


def is_frame(X):
    """Return True if `X` is a pandas DataFrame, without importing pandas for those who do not use it."""
    return is_of(X, "pandas", "DataFrame")


def is_of(X, library, *kinds):
    """Return whether `X` is of one of the classes of a library, which is not imported."""
    module = sys.modules.get(library)
    return module is not None and isinstance(X, tuple(getattr(module, kind) for kind in kinds))


def refuse_path(X, name):
    """Raise for the name of a file, or other text, in the place of a table."""
    if isinstance(X, str | bytes | bytearray | Path):
        raise InvalidInputError(
            f"{name} is the text {shown(str(X) if isinstance(X, Path) else X)}, and must be a table here.",
            argument=name,
            way_out="For the rows of a file use "
            "predict_chunks(path) to predict, evaluate(read_in_chunks(path, label)) to estimate errors, or "
            "npc(read_in_chunks(path, label), method=model, prefit=True) to set the threshold of a trained model. "
            "A file that fits in memory is read by pandas.read_csv or pandas.read_parquet. A classifier of texts "
            "requires a list, also of a single text: [text].",
        )


def as_table(X, name):
    """Return a pandas frame, a CSR matrix or an array; what is one already is not copied."""
    if X is None:
        raise InvalidInputError(f"{name} is missing; give a table with one row per observation.", argument=name)
    if is_frame(X):
        return X
    refuse_path(X, name)
    if sparse.issparse(X):
        refuse_unreal(X, name)
        return X.tocsr() if X.ndim == 2 else X.toarray()
    if is_of(X, "narwhals", "DataFrame", "LazyFrame"):
        return as_table(X.to_native(), name)
    if is_of(X, "xarray", "Dataset"):
        raise InvalidInputError(
            f"{name} is a Dataset of xarray, which holds several arrays by name: give {name}.to_dataframe() if they "
            "are columns, or one of them if it has rows and columns."
        )
    if isinstance(X, Mapping):
        # pandas makes no table of single values, as in a record of JSON, without a list around them
        single = [isinstance(value, str) or not hasattr(value, "__len__") for value in X.values()]
        one_row = all(single) and len(single) > 0
        raise InvalidInputError(
            f"{name} is a {type(X).__name__}, which has values by name, but a table is needed. Give "
            + (f"pandas.DataFrame([{name}]), a table of one row." if one_row else f"pandas.DataFrame({name})."),
            argument=name,
        )
    refuse_unordered(X, name)
    if is_of(X, "polars", "DataFrame"):
        return _from_polars(X)
    # asked of the class, as a LazyFrame of polars would work out its columns
    kind = type(X)
    if hasattr(X, "__dataframe__") or (
        hasattr(kind, "columns") and (hasattr(kind, "to_pandas") or not hasattr(kind, "__array__"))
    ):
        return _from_library(X, name)
    if callable(getattr(X, "rows", None)):
        raise InvalidInputError(
            f"{name} is a {type(X).__name__}, whose rows come in chunks, but a table is needed here. With rows in "
            "chunks you can use predict_chunks, evaluate, and npc with prefit=True. For everything else, read the "
            "chunks in a loop, or join those that fit in memory."
        )
    if isinstance(X, list | tuple) and len({len(row) for row in X if isinstance(row, list | tuple)}) > 1:
        refuse_rows_of_words(X, name)
    array = as_array(X, name)
    refuse_unreal(array, name)
    if array.dtype.kind == "U" and isinstance(X, list | tuple):
        # numpy makes texts of the numbers and missing values among texts, such as "nan"
        plain = np.array(X, dtype=object)
        array = array if all(isinstance(value, str) for value in plain.flat) else plain
    if array.shape == (0,):
        raise InvalidInputError(f"{name} is empty: 0 rows.", argument=name)
    return array


def _from_polars(table):
    """Return a pandas frame of a polars DataFrame, the same with and without pyarrow."""
    import pandas as pd

    columns = {}
    for name in table.columns:
        values = table[name]
        dtype = values.dtype
        if is_of(dtype, "polars", "Categorical", "Enum"):
            fixed = is_of(dtype, "polars", "Enum")
            texts = values.to_list()
            known = dtype.categories.to_list() if fixed else [text for text in dict.fromkeys(texts) if text is not None]
            columns[name] = pd.Series(pd.Categorical(texts, categories=known, ordered=fixed))
        elif dtype.is_integer() or dtype.is_float() or dtype.is_temporal():
            # a gap becomes NaN or NaT
            columns[name] = values.to_numpy()
        else:
            columns[name] = pd.Series(values.to_list(), dtype=None if values.null_count() < len(values) else float)
    return with_rows_in(_without_objects(pd.DataFrame(columns)), "")


def _from_library(X, name):
    """Return a pandas frame of the table of a library that knows how to make one, or how to give it to Arrow."""
    if hasattr(X, "to_pandas"):
        return with_rows_in(_without_objects(X.to_pandas()), ".to_pandas().iloc")
    if hasattr(X, "collect") or hasattr(X, "compute"):
        how = "collect" if hasattr(X, "collect") else "compute"
        raise InvalidInputError(
            f"{name} is a {type(X).__name__} of {type(X).__module__.partition('.')[0]}, whose rows are not in memory "
            f"yet: give {name}.{how}(), or the files to read_in_chunks."
        )
    known = _known_to_narwhals(X)
    if known is not None:
        return _without_objects(known)
    if not hasattr(X, "__arrow_c_stream__"):
        raise InvalidInputError(
            f"{name} is a {type(X).__name__} without to_pandas() or __arrow_c_stream__(); give a pandas DataFrame or "
            "an array."
        )
    try:
        import pyarrow
    except ModuleNotFoundError as error:
        raise InvalidInputError(
            f"{name} is a {type(X).__name__}, which is read by pyarrow, and pyarrow is not installed: install it by "
            "pip install pyarrow, or give a pandas DataFrame or an array."
        ) from error
    return _without_objects(pyarrow.table(X).to_pandas())


def _known_to_narwhals(X):
    """Return a pandas frame of a table that narwhals knows, such as one of Modin, else None."""
    try:
        # formulaic installs it
        import narwhals
    except ModuleNotFoundError:
        return None
    table = narwhals.from_native(X, eager_only=True, pass_through=True)
    return table.to_pandas() if isinstance(table, narwhals.DataFrame) else None


def _without_objects(frame):
    """Return a frame whose Boolean columns with gaps, and decimal numbers, are floats and no longer objects."""
    from pandas.api.types import infer_dtype

    for position, dtype in enumerate(frame.dtypes):
        column = frame.iloc[:, position]
        if getattr(dtype, "kind", "O") == "O" and infer_dtype(column, skipna=True) in ("boolean", "decimal"):
            frame.isetitem(position, np.array([np.nan if value is None else float(value) for value in column]))
    return frame


def as_column(values, name):
    """Return one value a row as a list or an array where another library holds them; a pandas object stays as it is.

    Examples
    --------
    >>> import pandas as pd
    >>> as_column(["a", "b"], "groups"), as_column(pd.DataFrame({"site": ["a", "b"]}), "groups").tolist()
    (['a', 'b'], ['a', 'b'])
    """
    refuse_unordered(values, name)
    if isinstance(values, np.ndarray | list | tuple) or is_of(values, "pandas", "Series"):
        return values
    # asked of the class: a Series may have a row of that label
    if hasattr(type(values), "columns"):
        table = as_table(values, name)
        if not is_frame(table):
            return table
        if len(table.columns) != 1:
            raise InvalidInputError(f"{name} must be one value a row, got a table of {len(table.columns)} columns.")
        return table.iloc[:, 0]
    for method in ("to_pylist", "to_list"):
        # of pyarrow; of polars and narwhals
        if hasattr(type(values), method):
            return getattr(values, method)()
    return as_array(values, name) if hasattr(type(values), "__array__") else values


def check_frame(table, name):
    """Return `table` if it is a DataFrame with rows."""
    if not is_frame(table):
        is_row = isinstance(table, np.ndarray) and table.ndim == 1
        raise InvalidInputError(
            f"{name} must be a DataFrame with the columns of the formula, got "
            f"{'a vector' if is_row else type(table).__name__}.",
            way_out="Give one row of a DataFrame as frame.iloc[[0]]."
            if is_row
            else "Give pandas.DataFrame(rows, columns=[...]) with the names of its columns.",
        )
    if len(table) == 0:
        raise InvalidInputError(f"{name} is empty: 0 rows.", argument=name)
    return table


def plain_columns(frame, columns, formula, whole=()):
    """Return a frame of some columns in plain dtypes, and the kind of each: "numbers" or "categories".

    Numbers become float64, in which small integer dtypes cannot overflow. Where no value is missing, integers
    in the columns `whole` become int64, and Boolean columns stay Boolean. Text becomes objects; categoricals
    keep their order and lose unused levels.
    """
    import pandas as pd

    plain, kinds = {}, {}
    for column in columns:
        values = frame[column]
        if isinstance(values, pd.DataFrame):
            raise InvalidInputError(f"data has {values.shape[1]} columns of the name {column!r}; rename or drop them.")
        content = pd.api.types.infer_dtype(values, skipna=True)
        if isinstance(values.dtype, pd.CategoricalDtype):
            kinds[column] = "categories"
            plain[column] = values.cat.remove_unused_categories().reset_index(drop=True)
        elif content == "boolean" and not values.isna().any():
            kinds[column] = "numbers"
            plain[column] = pd.Series(values.to_numpy(dtype=bool))
        elif content == "integer" and column in whole and not values.isna().any():
            kinds[column] = "numbers"
            plain[column] = pd.Series(values.to_numpy(dtype=np.int64))
        elif content in ("integer", "floating", "mixed-integer-float", "decimal", "boolean", "empty"):
            kinds[column] = "numbers"
            plain[column] = pd.Series(values.to_numpy(dtype=np.float64, na_value=np.nan))
        elif content == "string":
            kinds[column] = "categories"
            plain[column] = values.astype(object).reset_index(drop=True)
        else:
            raise InvalidInputError(
                f"column {column!r} of the formula {formula!r} holds {content} values (dtype "
                f"{values.dtype}); turn it into numbers or text first."
            )
    # formulaic aligns some columns by the index and others by position: a plain index makes both the same
    return pd.DataFrame(plain, index=pd.RangeIndex(len(frame))), kinds


def as_category(values, levels):
    """Return a Series of the values as a pandas categorical with these levels."""
    import pandas as pd

    return pd.Series(pd.Categorical(values.astype(object), categories=levels))


@dataclass(frozen=True)
class Gaps:
    """The missing values of a column: whether they are categories, how many they are, and the first row from 0.

    An empty column has no value in any row of a fit.
    """

    column: object
    in_text: bool
    n_missing: int
    row: int
    table: str = ""
    is_empty: bool = False

    def __str__(self):
        what = "missing category value(s)" if self.in_text else "missing value(s) (NaN)"
        return f"column {self.column!r} has {self.n_missing} {what}, the first {at_row(self.row, self.table)}"


class MissingValuesError(InvalidInputError):
    """Columns have missing values that the method does not take; `gaps` has those of each column."""

    gaps: tuple[Gaps, ...]
    allow_nan: bool


def gaps_error(gaps, allow_nan, *, fault=None, way_out=None):
    """Return the error that names all columns with missing values that a method does not take, the empty ones first."""
    empty = [one.column for one in gaps if one.is_empty]
    some = [one for one in gaps if not one.is_empty]
    if empty:
        told, leave_out = f"column(s) {listed(empty)} have no value in any row", "Leave out the empty columns."
        if some:
            rest = gaps_error(some, allow_nan)
            fault, told, leave_out = (
                fault or rest.fault,
                f"{told}; {rest.fact}",
                f"{leave_out} For the others: {rest.way_out[0].lower()}{rest.way_out[1:]}",
            )
        error = MissingValuesError(
            told if some else f"{told}.",
            fault=fault or "missing values",
            way_out=leave_out if way_out is None else way_out,
        )
        error.gaps, error.allow_nan = tuple(gaps), allow_nan
        return error
    first, *others = gaps
    also = ""
    if others:
        shown = [
            f"{one.column!r} ({one.n_missing}, the first {at_row(one.row, one.table)})"
            for one in others[:_MOST_COLUMNS]
        ]
        also = f", and so {'has' if len(others) == 1 else 'have'} {', '.join(shown)}"
        also += f" and {len(others) - _MOST_COLUMNS} more columns" * (len(others) > _MOST_COLUMNS)
    in_text = any(one.in_text for one in gaps)
    # whether a model of the user takes them is not known
    numbers = " The method may take missing numbers, but a coded category has no missing value." * allow_nan
    remedy = "Impute them or leave out these rows (in a fit by na_action='omit')."
    if all(one.in_text for one in gaps):
        # the rows of a table of polars have no .iloc
        rows = first.table or "data.iloc"
        code = f"{rows}.with_columns(polars.col({first.column!r}).fill_null('missing'))"
        if rows.endswith(".iloc"):
            code = f"{rows.removesuffix('.iloc')}[column].fillna('missing')"
        remedy = f"Make them a category by {code}, or leave out these rows (in a fit by na_action='omit')."
    elif not in_text:
        remedy = "Impute them, leave out these rows (in a fit by na_action='omit'), or use a method that accepts NaN."
    error = MissingValuesError(
        f"{first}{also}; no row is dropped silently.{numbers}",
        fault=fault or ("missing category" if in_text else "missing values"),
        way_out=remedy if way_out is None else way_out,
    )
    error.gaps, error.allow_nan = tuple(gaps), allow_nan
    return error


def check_complete(plain, categorical, allow_nan, table, *, in_fit):
    """Refuse missing values in categorical columns always, and in numeric ones unless NaN is welcome.

    Its rows are those of `table`, see `nproc.errors.at_row`. In a fit empty columns are named apart: they have no use.
    """
    found = []
    for column in plain.columns:
        missing = plain[column].isna().to_numpy()
        in_text = column in categorical or plain[column].dtype.kind == "O"
        if missing.any() and (in_text or not allow_nan):
            is_empty = in_fit and bool(missing.all())
            found.append(Gaps(column, in_text, int(missing.sum()), int(np.argmax(missing)), table, is_empty))
    if found:
        raise gaps_error(found, allow_nan)


@dataclass(frozen=True)
class Unseen:
    """The categories of a column that training did not have.

    The first value, how many others there are, its row from 0, the number of such rows, and the known categories; none
    of those where only the method knows them.
    """

    column: object
    value: object
    n_others: int
    row: int
    n_rows: int
    known: tuple
    table: str = ""

    def __str__(self):
        others = f" and {self.n_others} more" if self.n_others else ""
        first = "first " if self.n_rows > 1 else ""
        where = f"{first}{at_row(self.row, self.table)}"
        value = repr(self.value) if isinstance(self.value, str) else self.value
        known = f"; known: {listed(self.known)}" if self.known else ""
        return f"column {self.column!r} has {value}{others} ({where}{known})"


NEW_CATEGORY = "new category"
# a column may tell rows apart if it has so many categories at the fit, and new ones in so many new rows
MANY_NAMES = 10


class UnseenCategoriesError(InvalidInputError):
    """Some rows, as a Boolean array, have categories that the training data did not have; `where` says it in words."""

    found: tuple[Unseen, ...]
    rows: np.ndarray
    where: str
    complete: bool


def unseen_error(found, refused, *, complete=True):
    """Return the error that names all columns with categories that training did not have, which some rows have.

    Where it is not `complete`, other rows may have more of them.
    """
    more = f"; and {len(found) - _MOST_COLUMNS} more columns" if len(found) > _MOST_COLUMNS else ""
    where = "; ".join(map(str, found[:_MOST_COLUMNS])) + more
    rows = "1 row has" if np.sum(refused) == 1 else f"{np.sum(refused)} rows have"
    way_out = "Leave such rows out, merge the category into a known one, or train with rows that have it."
    names = [
        one.column
        for one in found
        if one.n_rows == refused.size
        and min(one.n_rows, len(one.known)) >= MANY_NAMES
        and tells_apart(one.n_others + 1, one.n_rows)
    ]
    if names:
        again = f"If {names[0]!r} tells rows apart, as a name does, fit again without it."
        way_out = f"{again} Otherwise {way_out[:1].lower()}{way_out[1:]}"
    error = UnseenCategoriesError(
        f"{'' if complete else 'at least '}{rows} a category that was not in the training data: {where}.",
        fault=NEW_CATEGORY,
        value=names or None,
        way_out=way_out,
    )
    error.found, error.rows, error.where, error.complete = tuple(found), refused, where, complete
    return error


@contextmanager
def counting_rows(row_of, *, in_table=False):
    """Count the rows whose values are refused inside as `row_of` does: those of a file, or others `in_table`."""
    try:
        yield
    except UnseenCategoriesError as error:
        found = [replace(one, row=row_of(one.row), table=one.table if in_table else "") for one in error.found]
        again = unseen_error(found, error.rows, complete=error.complete)
        raise again.told(error.about) from error
    except MissingValuesError as error:
        gaps = [replace(one, row=row_of(one.row), table=one.table if in_table else "") for one in error.gaps]
        again = gaps_error(gaps, error.allow_nan, fault=error.fault, way_out=error.way_out)
        raise again.told(error.about) from error
    except FirstRowError as error:
        raise error.counted(row_of, in_table=in_table) from error


def check_categories(plain, levels, table):
    """Refuse categories that the training data did not have; `levels` are those of each column.

    The rows are those of `table`, see `nproc.errors.at_row`.
    """
    found, refused = [], np.zeros(len(plain), dtype=bool)
    for column, known in levels.items():
        values = plain[column]
        unseen = (values.notna() & ~values.isin(list(known))).to_numpy()
        if unseen.any():
            row, refused = int(np.argmax(unseen)), refused | unseen
            n_others = values[unseen].nunique() - 1
            found.append(Unseen(column, values.iloc[row], n_others, row, int(unseen.sum()), tuple(known), table))
    if found:
        raise unseen_error(found, refused)


# what vectorizers say of a value that is no text
NO_TEXT = re.compile(
    r"invalid document, expected byte or unicode|expected string or bytes-like object|"
    r"'(NoneType|NAType|NaTType|float)' object has no attribute|"
    r"'\w+' object has no attribute '(lower|strip|split|translate)'"
)


def values_without_text(table):
    """Return (column, row, value) for the first value that is no text in each column where others are; rows from 0.

    `table` is a frame, or an array of objects, whose columns are called by their places.

    Examples
    --------
    >>> import pandas as pd
    >>> values_without_text(pd.DataFrame({"note": ["late", 3.5], "age": [40, 50]}, dtype=object))
    [('note', 1, 3.5)]
    """
    import pandas as pd

    frame, found = table if is_frame(table) else pd.DataFrame(table), []
    for j, (column, kind) in enumerate(zip(frame.columns, frame.dtypes, strict=True)):
        values = frame.iloc[:, j].tolist() if getattr(kind, "kind", "O") in "OUT" else []
        is_text = [isinstance(value, str | bytes) for value in values]
        if any(is_text) and not all(is_text):
            row = is_text.index(False)
            found.append((column, row, values[row]))
    return found


def text_names(columns):
    """Return the column labels if they are text, else None, as scikit-learn does; a mixture is refused."""
    if columns is None:
        return None
    is_text = [isinstance(column, str) for column in columns]
    if any(is_text) and not all(is_text):
        kinds = sorted({type(column).__name__ for column in columns})
        raise InvalidInputError(
            "Feature names are only supported if all input features have string names, but the columns have "
            f"names of types {kinds}. Use X.columns = X.columns.astype(str)."
        )
    return columns if columns and all(is_text) else None


def listed(names):
    """Return up to 20 names in brackets, for messages."""
    shown = [repr(name) if isinstance(name, str) else str(name) for name in list(names)[:20]]
    return "[" + ", ".join(shown) + (f", ... {len(names) - 20} more" if len(names) > 20 else "") + "]"


def near_names(wanted, names, most=12):
    """Return a question that gives for each of the first wanted names that are not there the nearest other, or "".

    Examples
    --------
    >>> near_names(["age", "bmi", "sex"], ["sex", "Age", "BMI"])
    "Did you mean 'Age' for 'age', 'BMI' for 'bmi'? "
    """
    there, asked = set(names), set(wanted)
    lost = [name for name in wanted if name not in there]
    # names that differ by capitals alone are the closest, and no name stands for two
    known, found = {composed(name).lower(): name for name in names if name not in asked}, {}
    for name in sorted(lost[:most], key=lambda name: composed(name).lower() not in known):
        for close in difflib.get_close_matches(composed(name).lower(), known, n=1):
            found[name] = known.pop(close)
    if not found:
        return ""
    pairs = (f"{found[name]!r} for {name!r}" for name in lost if name in found)
    look_same = any(composed(name) == composed(close) for name, close in found.items())
    return f"Did you mean {', '.join(pairs) if len(lost) > 1 else repr(found[lost[0]])}? {OTHER_CODES * look_same}"


def one_line(error):
    """Return a message without the colours and marks that formulaic adds for terminals."""
    text = " ".join(re.sub(r"\x1b\[[\d;]*m|[⧛⧚]", "", str(error)).split())
    return text if text.endswith((".", "]")) else text + "."
