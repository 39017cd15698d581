"""The user's table becomes the matrix that a scorer sees, and at predict the same again.

`read_table` is the one way in. It takes a formula with a frame, a DataFrame, an array or a sparse matrix, and returns
the matrix, the coded labels and a `Design`, which remembers what it must about the columns, and of the rows only the
least and the largest value of each column of numbers and whether one was missing.
"""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import numpy as np

from nproc.checks import check_numeric_matrix, refuse_other_shapes, refuse_unordered, shown
from nproc.errors import FirstRowError, InvalidInputError, InvalidTypeError, NPWarning, giving_ways_out, warn_at_call
from nproc.rows.beside import gaps_of_table, name_in_table, table_of_formula
from nproc.rows.formulas import FormulaCoding, fit_formula
from nproc.rows.frames import as_table, check_frame, is_frame, near_names, text_names
from nproc.rows.identifiers import owners_told, refuse_texts_of_owners, shared_owners, warn_of_identifiers
from nproc.rows.keys import lowest_keys, n_rows
from nproc.rows.label_columns import short_of_label_columns, warn_of_label_columns
from nproc.rows.labels import NO_LABEL, refuse_text, way_out_of_unlabelled
from nproc.rows.matching import check_same_rows
from nproc.rows.missing_codes import warn_of_missing_codes
from nproc.rows.ranges import ColumnRanges, ranges_of
from nproc.rows.table_code import code_of_columns, code_of_complete, code_without
from nproc.rows.types import ColumnTypes, texts_among, types_of

NO_GAPS = "The fit left such rows out (na_action='omit'), and its statements are about rows without missing values."
# the words of scikit-learn
_OTHER_NAMES = "The feature names should match those that were passed during fit."
_WAYS_OUT_OF_A_FIT = {
    "columns of text": "Encode them, give a formula ('y ~ a + b'), or pass a pipeline with an encoder as method.",
    "no numbers": "Encode text columns, or pass a pipeline with an encoder as method.",
    "sparse": "Use X.toarray() if it fits in memory, or a method that takes sparse input (see describe_scorers).",
}
_WAYS_OUT_OF_NEW_ROWS = {
    "columns of text": "Give them as numbers, as in the training data.",
    "no numbers": "Give numbers, as in the training data.",
}


@dataclass(frozen=True)
class Design:
    """What is known about the columns of the training data; made by `build_design`, small and picklable.

    Attributes
    ----------
    n_features : int
        Number of columns that the scorer sees.
    feature_names : tuple of str, or None
        Their names: the columns of a frame, or the coded columns of a formula. None for arrays, and for
        frames whose column labels are not text.
    columns : tuple, or None
        The column labels of the training frame, of whatever type; None for arrays and formulas.
    coding : FormulaCoding, or None
        How the formula codes rows.
    n_omitted : int
        Rows that ``na_action="omit"`` left out.
    types : ColumnTypes
        What the columns held, for a scorer that gets them as they are.
    bare_texts : bool
        Whether the rows were texts without a table, such as a list of str. They are kept as one column.
    ranges : ColumnRanges, or None
        The range of each column of numbers, by which new rows in other units are told, and whether it had no missing
        value; None for rows without names of columns, sparse rows and rows in chunks.
    told : tuple of str
        What there is to say of the table, such as a predictor that looks like an identifier, as sentences.
    owners : tuple of str
        Columns of the table that name the owners of rows, of which some have several: those among the predictors, if
        `nproc.fits.with_shared_owners` does not know more.
    dependent : str
        Which rows depend on each other by these, as `owners_told` says it; "" where none do.
    numeric, allow_nan, accept_sparse, method
        As given to `build_design`; `numeric` is False for a formula with `learned_terms`.
    """

    n_features: int
    feature_names: tuple | None
    columns: tuple | None
    coding: FormulaCoding | None
    numeric: bool
    allow_nan: bool
    accept_sparse: bool
    method: str | None
    n_omitted: int = 0
    types: ColumnTypes = field(default_factory=ColumnTypes)
    bare_texts: bool = False
    ranges: ColumnRanges | None = None
    told: tuple[str, ...] = ()
    owners: tuple[str, ...] = ()
    dependent: str = ""

    def __repr__(self):
        # the names of all columns would fill the screen wherever a design is shown, as in an estimator of scikit-learn
        return f"<design of {self.n_features} column(s)>" if self.coding is None else f"<design of {self.formula!r}>"

    @property
    def formula(self):
        """The formula as the user wrote it, or None."""
        return None if self.coding is None else self.coding.formula

    @property
    def required_columns(self):
        """Columns that new data must have (of a formula those of its right side); None if nameless."""
        return self.feature_names if self.coding is None else tuple(self.coding.kinds)

    @property
    def learned_terms(self):
        """Terms of a formula that hold numbers learned from rows, such as ``scale(age)``.

        A scorer then gets the columns of the formula as they are, and codes them by what its own training rows show
        (`nproc.scorers.with_coding`).
        """
        return () if self.coding is None else self.coding.learned_terms

    def columns_without_gaps(self, columns):
        """Return those of some columns in which a row has a value, or is none of those that the fit is about.

        These are all of them, but for numbers of a fit that takes gaps in them and left no row out.
        """
        if not self.allow_nan or self.n_omitted:
            return list(columns)
        kinds = {} if self.coding is None else self.coding.kinds
        return [column for column in columns if kinds.get(column) == "categories"]

    def rows_with_gaps(self, X):
        """Return which new rows have a missing value, if the fit left such rows out, as a Boolean array.

        None if there are none, or if the fit left none out: its statements are then about these rows as well.
        """
        if not self.n_omitted:
            return None
        table = as_table(X, "X")
        if is_frame(table) and self.required_columns is not None:
            required = set(self.required_columns)
            table = table[[column for column in table.columns if column in required]]
        # what is no table of rows is refused where it is read
        if getattr(table, "ndim", 2) != 2 or 0 in table.shape:
            return None
        gaps = np.any(list(gaps_of_table(table).values()), axis=0)
        return gaps if gaps.any() else None

    def after_omitting(self, n_omitted):
        """Return the design of a fit for which ``na_action="omit"`` left out some rows, or none."""
        # of new rows with missing values it then warns by `rows_with_gaps`
        silent = n_omitted and self.ranges is not None
        ranges = self.ranges.silent_on_missing() if silent else self.ranges
        return replace(self, n_omitted=n_omitted, ranges=ranges)

    def omitted_notes(self):
        """Say how many rows ``na_action="omit"`` left out, as a list of no or one sentence."""
        if not self.n_omitted:
            return []
        rows = (
            "1 row with missing values was"
            if self.n_omitted == 1
            else f"{self.n_omitted} rows with missing values were"
        )
        return [f"{rows} left out (na_action='omit'). All statements are about rows without missing values."]

    def label_notes(self):
        """Say in short which predictor tells the label of every row, as a list of no or one sentence."""
        return short_of_label_columns(self.told)

    def labels_of(self, X, y=None):
        """Return `y`, or where it is missing the label column of `X`, which a fit by formula knows."""
        if y is not None:
            return y
        if self.coding is None:
            raise InvalidInputError(
                "y is missing; give one label a row.",
                way_out="A label column in X is used only by fits with a formula. Pass it as y, such as X['label'].",
            )
        found = self.labels_beside(X)
        if found is None:
            raise InvalidInputError(
                f"y is missing, and X has no column {self.coding.label!r}, the label of the formula."
            )
        return found

    def labels_beside(self, X):
        """Return the label column of `X`, which a fit by formula knows by its name; None without formula or column."""
        if self.coding is None:
            return None
        X = as_table(X, "X") if hasattr(type(X), "columns") else X
        label = self.coding.label
        return X[label] if hasattr(X, "columns") and label in X.columns else None

    def transform(self, X_new, *, name="X"):
        """Return new rows as the matrix that the scorer sees, with the columns as at the fit.

        Parameters
        ----------
        X_new : DataFrame, array-like or sparse matrix, m rows
            For a formula a DataFrame with the columns of its right side; the label is not needed. Otherwise a
            frame with the columns of the fit, found by their names, in any order and among further ones.
        name : str
            Name of the argument, for messages.

        Returns
        -------
        ndarray of float64 or CSR matrix, shape (m, n_features); for ``numeric=False`` the table itself
            One row for every row of `X_new`, never fewer.

        Raises
        ------
        InvalidInputError
            Other columns, an unknown category, missing or infinite values, or no row at all.

        Warns
        -----
        NPWarning
            Only one of the two tables, at the fit and now, has column names, so that position alone matches.
        """
        table = as_table(X_new, name)
        if self.coding is not None:
            frame = check_frame(table, name)
            with _gaps_of_new_rows():
                return self.coding.plain(frame, name) if self.learned_terms else self.coding.code(frame, name)
        return self.matrix_of(self.columns_of_fit(table, name), name)

    @property
    def texts(self):
        """Columns that held text, with the signs for a missing value that were text in them: `{column: (sign, ...)}`.

        A file of new rows is to be read so: "01" is no number there, and "None" may be a category.
        """
        return self.types.texts if self.coding is None else texts_among(self.coding.levels)

    def matrix_of(self, table, name="X"):
        """Return what `transform` makes of a table, without a look at the names of its columns; not for formulas."""
        with _gaps_of_new_rows(), giving_ways_out(_WAYS_OUT_OF_NEW_ROWS):
            matrix = _checked_matrix(table, self.numeric, self.allow_nan, self.accept_sparse, self.method, name)
        if matrix.shape[1] != self.n_features:
            raise InvalidInputError(
                f"{name} has {matrix.shape[1]} features, but {self._who} is expecting {self.n_features} "
                "features as input. Give the columns of the training data, in their order.",
                argument=name,
            )
        return matrix

    @property
    def _who(self):
        return self.method or "this classifier"

    def columns_of_fit(self, table, name="X"):
        """Return the columns of the fit, found by their names, with their types; warn if only one table has names."""
        if self.bare_texts and not is_frame(table) and table.ndim == 1:
            table = _as_one_column(table)
        refuse_other_shapes(table, name)
        table = self.types.restored(self._columns_found(table, name), name)
        if self.bare_texts and table.shape[1] == 1:
            with _gaps_of_new_rows():
                _refuse_no_texts(table, name)
        return table

    def _columns_found(self, table, name):
        names = text_names(columns := _columns(table))
        by_position = "; columns are matched by position."
        if names is None and self.feature_names is None:
            # labels that are not text are no names, yet the same ones in another order are surely a mistake
            if columns != self.columns and _sorted(columns) == _sorted(self.columns):
                details = "Feature names must be in the same order as they were in fit.\n"
                raise InvalidInputError(
                    f"{_OTHER_NAMES}\n{details}Select the columns of the fit by {name}[list(fit.design.columns)], or "
                    f"by {name}[list(model.fit_.design.columns)] of an estimator."
                )
        elif names is None:
            message = f"{name} does not have valid feature names, but {self._who} was fitted with feature names"
            warn_at_call(message + by_position, NPWarning)
            return self._as_at_the_fit(table)
        elif self.feature_names is None:
            message = f"{name} has feature names, but {self._who} was fitted without feature names"
            warn_at_call(message + by_position, NPWarning)
            return self._as_at_the_fit(table)
        elif names != self.feature_names and set(names) >= set(self.feature_names):
            # another order, or more, such as the labels or an identifier, which the fit did not use
            _refuse_repeated(names, name)
            return table[list(self.feature_names)]
        elif names != self.feature_names:
            unseen = sorted(set(names) - set(self.feature_names))
            missing = sorted(set(self.feature_names) - set(names))
            details = _bullets("Feature names unseen at fit time:", unseen)
            details += _bullets("Feature names seen at fit time, yet now missing:", missing)
            raise InvalidInputError(
                f"{_OTHER_NAMES}\n{details}{near_names(self.feature_names, names)}{name} must have the missing columns "
                "too, also if the method does not use them: give them, or fit without them. Further columns do no harm."
            )
        return table

    def refuse_other_order(self, X):
        """Raise for a table of the columns of the fit in another order, as the estimators of scikit-learn must."""
        names = (
            None if self.coding is not None or self.feature_names is None else text_names(_columns(as_table(X, "X")))
        )
        if names is not None and names != self.feature_names and sorted(names) == sorted(self.feature_names):
            code = code_of_columns(X, "X", "list(model.feature_names_in_)")
            raise InvalidInputError(
                f"{_OTHER_NAMES}\nFeature names must be in the same order as they were in fit.\nX has the columns in "
                f"another order. Put them in order by {code}, or predict by model.fit_, which finds columns by name."
            )

    def _as_at_the_fit(self, table):
        """Return a table with or without names, as the user's own scorer was fitted, which would warn once more."""
        if self.numeric or table.ndim != 2 or table.shape[1] != self.n_features:
            return table
        if self.feature_names is None:
            return table.to_numpy() if self.columns is None else table
        if not isinstance(table, np.ndarray):
            return table
        import pandas as pd

        return pd.DataFrame(table, columns=list(self.feature_names)).infer_objects()


@dataclass(frozen=True, eq=False)
class TableKeys:
    """What tells rows of a table again by all its columns but the labels, also by those that a formula does not use.

    Attributes
    ----------
    columns : tuple
        Labels of the columns.
    keys : ndarray of uint32
        The smallest keys of the rows, see `nproc.rows.lowest_keys`.
    """

    columns: tuple
    keys: np.ndarray

    def transform(self, table):
        """Return the columns of a frame that has all of them."""
        return table[list(self.columns)]

    def are_in(self, table):
        """Return whether a table has all of the columns."""
        return is_frame(table) and set(self.columns) <= set(table.columns)


def keys_of_table(design, table, chosen):
    """Return the `TableKeys` of some rows of the table of a formula, or None where it has no columns to spare."""
    if design.coding is None:
        return None
    columns = tuple(name for name in table.columns if name != design.coding.label)
    if set(columns) <= set(design.coding.kinds):
        return None
    return TableKeys(columns, lowest_keys(table[list(columns)], chosen))


@dataclass(frozen=True)
class DesignData:
    """The result of `build_design` and `read_table`.

    Attributes
    ----------
    design : Design
        Turns new rows into the same columns.
    X : ndarray, CSR matrix or DataFrame, n rows
        What the scorer sees.
    labels : Labels; of `build_design` as given, or the label column of the formula
        The labels of the rows.
    table : ndarray, CSR matrix or DataFrame, n rows
        All columns that the user gave: `X`, or the whole table of a formula.
    """

    design: Design
    X: object
    labels: object
    table: object


def read_table(X, y, data, *, method, encode, places=None, **beside):
    """Return the rows and labels that a user gave, checked, of which some are left out of the training.

    Parameters
    ----------
    X, y, data
        As in `npc`.
    method : Method
        What it can take decides what becomes of the rows.
    encode : callable
        Makes `Labels` of the labels: `check_labels` or `order_labels`.
    places : array of int, optional
        As in `GivenRows`.
    **beside : object
        What else has one value a row, by its name.

    Returns
    -------
    DesignData
        Its `labels` are `Labels`.
    """
    y, data = table_of_formula(X, y, data)
    _refuse_other_order(X, y)
    if isinstance(y, str):
        raise InvalidInputError(
            f"y must hold one label a row, got the text {y!r}. Give the column itself, and X without it: "
            f"{code_without(X, 'X', y)}, X[{y!r}]. Or give a formula, such as '{y} ~ .', with data=X.",
            argument="y",
        )
    check_same_rows(X=X, data=data, y=y, **beside)
    built = build_design(
        X,
        y,
        data,
        numeric=method.numeric,
        allow_nan=method.allow_nan,
        accept_sparse=method.sparse,
        method=method.name,
        places=places,
        clusters=beside.get("clusters"),
    )
    if built.design.formula is not None and method.prefit:
        raise InvalidInputError(
            "prefit=True cannot be used with a formula: it would code the columns from these rows, and the model "
            "may have been trained with another coding. Give X as the table that the model accepts."
        )
    with _unlabelled_rows_of_a_fit(X, y, data, built.design):
        labels = encode(built.labels)
    check_same_length(built.X, labels.y)
    told, owners, other = list(built.design.told), {}, "another row"
    # a column with the very labels is told of already
    if not (method.prefit or told):
        predictors, names = built.X, built.design.feature_names or built.design.columns
        if built.design.formula is not None:
            names = built.design.required_columns
            predictors = built.table[list(names)]
        told += warn_of_label_columns(predictors, labels.y, names, not method.numeric)
    if method.numeric and not method.prefit:
        # a scorer of the user's may leave out columns itself
        clusters, predictors = beside.get("clusters"), _predictors_to_judge(X, built)
        if predictors is not None:
            told += warn_of_identifiers(predictors, clusters)
            owners = shared_owners(predictors, clusters)
            other = other if clusters is None else "a row of another cluster"
        told += _warn_of_missing_codes(built)
    told = [text[:1].upper() + text[1:] for text in told]
    known = {"owners": tuple(owners), "dependent": owners_told(owners, labels.y.size, other)}
    if built.design.types.categories:
        told_of = method.columns_without_encoder(built.X)
        untold = tuple(column for column in built.design.types.categories if column not in told_of)
        # a model that was trained before may know more categories than these rows have
        of_xgboost = () if method.prefit else method.columns_of_xgboost(built.X)
        refused = tuple(column for column in built.design.types.categories if column in of_xgboost)
        known["types"] = replace(built.design.types, untold=untold, refused=refused)
    design = replace(built.design, ranges=_ranges(X, built), told=tuple(told), **known)
    return DesignData(design, built.X, labels, built.table)


def _refuse_other_order(X, y):
    """Say in which order the rows, the labels and a formula are given, if they came in another one."""
    if isinstance(y, str) and isinstance(X, str):
        raise InvalidInputError(
            f"after the formula {X!r} comes its table, got the text {y!r}. Give the table there, or as data=. If "
            f"{y!r} is the method, give it as method={y!r}.",
            argument="y",
        )
    if isinstance(y, str) and "~" in y:
        raise InvalidInputError(
            f"y must hold one label a row, got the formula {y!r}. The formula comes first, and then the table.",
            argument="y",
        )
    shape, other = (getattr(given, "shape", ()) for given in (X, y))
    if len(shape) == 1 and len(other) == 2 and other[1] > 1:
        raise InvalidInputError(
            f"X has one value a row, and y has {other[1]} columns. The rows come first, and then the labels.",
            argument="y",
        )


@contextmanager
def _unlabelled_rows_of_a_fit(X, y, data, design):
    """Say of missing labels what a fit can do beyond what is said of other labels."""
    try:
        yield
    except InvalidInputError as error:
        if error.fault != NO_LABEL:
            raise
        if design.formula is None:
            way_out = way_out_of_unlabelled(y, "y", X)
        else:
            way_out = f"Label those rows, or leave them out: {code_of_complete(data, 'data', design.coding.label)}."
        way_out += " A fit by npc or nproc with na_action='omit' leaves them out, and rows with gaps in X too."
        raise InvalidInputError(error.fact, argument=error.argument, fault=NO_LABEL, way_out=way_out) from None


@contextmanager
def _gaps_of_new_rows():
    """Say of missing values what can be done with new rows; what helps in a fit is of no use there."""
    try:
        yield
    except InvalidInputError as error:
        if error.fault not in ("missing values", "missing category"):
            raise
        way_out = "Impute them as in the training data, or leave these rows out: the classifier cannot label them."
        error.fault, error.way_out = "gaps of new rows", way_out
        raise error.told("") from None


def _ranges(X, built):
    """Return the `ColumnRanges` of the columns that the user gave; None for rows without names of columns."""
    ranges, design = _ranges_of_given(X, built), built.design
    # others refuse new rows with missing values
    return ranges if ranges is None or design.allow_nan else ranges.silent_on_missing()


def _ranges_of_given(X, built):
    design = built.design
    if isinstance(X, str):
        return ranges_of(built.table, design.required_columns)
    if design.columns is None:
        return None
    if isinstance(built.X, np.ndarray):
        return ranges_of(built.X, design.columns)
    return ranges_of(built.X, design.columns) if is_frame(built.X) else None


def _predictors_to_judge(X, built):
    """Return the predictors, some of which may be identifiers, as a frame; None if they have no names.

    Those that a formula names are none.
    """
    if built.design.formula is None:
        return None if built.design.columns is None else as_table(X, "X")
    by_dot = "." in X.partition("~")[2].split()
    return built.table[list(built.design.required_columns)] if by_dot else None


def _warn_of_missing_codes(built):
    """Warn of predictors that seem to hold numbers for missing values, but not of categories; return what is said."""
    X, names = built.X, built.design.feature_names or built.design.columns
    if built.design.formula is not None:
        coding = built.design.coding
        numbers = built.table[[column for column in coding.kinds if column not in coding.levels]]
        numbers = numbers.select_dtypes("number")
        X, names = numbers.to_numpy(dtype=float, na_value=np.nan), numbers.columns
    return warn_of_missing_codes(X, names) if isinstance(X, np.ndarray) else []


def _refuse_label_column(table, y, numeric):
    """Refuse a table that holds the labels as one of its columns; warn where the user's own method may leave it out.

    Returns what is said of the table, as a tuple of no or one text.
    """
    label = name_in_table(y, table)
    if label is None:
        return ()
    way_out = f"Leave it out: {code_without(table, 'X', label)}."
    if numeric:
        raise InvalidInputError(f"X contains y as the column {label!r}, so y would be a predictor of itself. {way_out}")
    said = f"X contains y as the column {label!r}, so y is a predictor of itself unless your method leaves it out."
    warn_at_call(f"{said} {way_out}", NPWarning)
    return (said,)


def build_design(
    X,
    y=None,
    data=None,
    *,
    numeric,
    allow_nan=False,
    accept_sparse=False,
    method=None,
    places=None,
    clusters=None,
):
    """Return the matrix that a scorer sees, the labels, and the `Design` that does the same to new rows.

    Parameters
    ----------
    X : DataFrame, array-like or sparse matrix of n rows, or str
        The rows, or a formula ``'label ~ terms'`` (see `nproc.rows.formulas.fit_formula`) together with `data`.
    y : array-like, shape (n,), optional
        The labels; only their number is checked here. Not with a formula.
    data : DataFrame, optional
        The table of a formula.
    numeric : bool
        True for a scorer that needs numbers: X becomes a float64 array (not copied if it is one) or CSR.
        False for a scorer of the user's, which gets frames, text and objects as they are.
    allow_nan, accept_sparse : bool
        What a numeric scorer can take.
    method : str, optional
        Name of the scorer, for messages.
    places : array of int, optional
        The places of the rows of `data` in the table of the user, for messages.
    clusters : array, optional
        The cluster of each row, for messages.

    Returns
    -------
    DesignData
        The matrix, the labels as they are, and the design.

    Raises
    ------
    InvalidInputError
        A rule above is broken.

    Notes
    -----
    Rows are never dropped. The list of the categories of a column is learned from all rows given, without their
    labels, so that every split has the same columns. The numbers of terms such as ``scale(a)`` and ``bs(a)`` are not:
    with such terms the matrix here is the table of the columns that the formula uses, and each scorer learns the
    numbers from the rows that train it.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"y": ["no", "yes", "no"], "age": [30, 40, 50], "job": ["a", "b", "a"]})
    >>> built = build_design("y ~ age * job", data=frame, numeric=True)
    >>> built.design.feature_names
    ('age', 'job[T.b]', 'age:job[T.b]')
    >>> built.design.transform(pd.DataFrame({"job": ["b"], "age": [60]}))
    array([[60.,  1., 60.]])
    """
    coding, columns, bare_texts, told = None, None, False, ()
    if isinstance(X, str):
        if y is not None:
            raise InvalidInputError(
                f"the formula {X!r} names the labels already, so leave out y and give the table as data=. Or give "
                "a table as X, without a formula."
            )
        if data is None:
            raise InvalidInputError(f"the formula {X!r} needs data=, a DataFrame with its columns.")
        frame = check_frame(as_table(data, "data"), "data")
        coding, matrix, y = fit_formula(X, frame, allow_nan=allow_nan, places=places, clusters=clusters)
        names = coding.names
        if coding.learned_terms:
            matrix, numeric = coding.plain(frame, "data"), False
            names = tuple(coding.kinds)
    else:
        if data is not None:
            raise InvalidInputError(
                f"data= goes with a formula, such as 'default ~ age', but X is a {type(X).__name__}. "
                "Give either a formula and data, or X and y."
            )
        table = as_table(X, "X")
        bare_texts = not numeric and _are_bare_texts(table)
        if bare_texts:
            table = _as_one_column(table)
        elif numeric and _are_bare_texts(table) and not _read_as_numbers(table):
            raise bare_texts_error(f"method {method!r}" if method else "this function")
        columns = _columns(table)
        names = text_names(columns)
        _refuse_repeated(columns, "X")
        if numeric and columns is not None:
            refuse_texts_of_owners(table, clusters)
        with giving_ways_out(_WAYS_OUT_OF_A_FIT):
            matrix = _checked_matrix(table, numeric, allow_nan, accept_sparse, method, "X", in_fit=True)
            if bare_texts:
                _refuse_no_texts(matrix, "X")
        if y is not None:
            check_same_length(matrix, y)
            if columns is not None:
                told = _refuse_label_column(table, y, numeric)
    design = Design(
        n_features=int(matrix.shape[1]),
        feature_names=names,
        columns=columns,
        coding=coding,
        numeric=numeric,
        allow_nan=allow_nan,
        accept_sparse=accept_sparse,
        method=method,
        types=types_of(table) if coding is None and not numeric else ColumnTypes(),
        bare_texts=bare_texts,
        told=told,
    )
    return DesignData(design, matrix, y, matrix if coding is None else frame)


def check_same_length(X, y, *, name="X", name_y="y"):
    """Raise InvalidInputError unless there is one label for every row.

    Examples
    --------
    >>> check_same_length([[0.5], [1.5], [0.0]], [0, 1, 1])
    """
    refuse_unordered(y, name_y)
    refuse_text(y, name_y)
    rows, labels = _count(X, name), _count(y, name_y)
    if rows != labels:
        raise InvalidInputError(
            f"{name} has {rows} rows and {name_y} has {labels} labels; every row needs exactly one label "
            f"(inconsistent numbers of samples: {[rows, labels]})."
        )


def _count(values, name):
    many = any(hasattr(values, kind) for kind in ("shape", "__len__", "__array__"))
    if not many or getattr(values, "shape", None) == ():
        raise InvalidInputError(f"{name} must have one entry a row, got {shown(values)}.")
    return n_rows(values)


def _checked_matrix(table, numeric, allow_nan, accept_sparse, method, name, in_fit=False):
    if numeric:
        known = {"allow_nan": allow_nan, "accept_sparse": accept_sparse, "method": method}
        return check_numeric_matrix(table, name, in_fit=in_fit, **known)
    refuse_other_shapes(table, name)
    if 0 in table.shape:
        raise InvalidInputError(f"{name} is empty: {table.shape[0]} rows and {table.shape[1]} columns.")
    return table


def _are_bare_texts(table):
    """Whether a table is a vector with texts, among which there may be other values, which `_refuse_no_texts` names."""
    if is_frame(table) or table.ndim != 1 or table.dtype.kind not in "OUT":
        return False
    return any(isinstance(value, str) for value in table.tolist())


def _read_as_numbers(texts):
    try:
        texts.astype(np.float64)
    except (TypeError, ValueError):
        return False
    return True


def bare_texts_error(who):
    """Return the error that says what takes texts without a table, which `who` does not."""
    return InvalidTypeError(
        f"X is texts without a table, which require a method that begins with a vectorizer, and {who} does not.",
        argument="X",
        way_out="Use one, as in make_pipeline(TfidfVectorizer(), LogisticRegression()). If the texts are categories, "
        "give a table of one column, such as frame[['NAME']].",
    )


def _as_one_column(texts):
    return texts.astype(object).reshape(-1, 1)


def _refuse_no_texts(table, name):
    """Raise unless the only column of a table has a text in every row."""
    import pandas as pd

    values = pd.DataFrame(table).iloc[:, 0]
    gaps, others = values.isna().to_numpy(), ~values.map(lambda value: isinstance(value, str)).to_numpy(dtype=bool)
    rule = f"{name} must have a text in every row, as the method takes texts without a table"
    if gaps.any():
        raise FirstRowError.at(
            int(np.argmax(gaps)),
            f"{rule}, and {gaps.sum()} of {len(values)} are missing",
            ".",
            table=f"pandas.Series({name}).iloc",
            argument=name,
            fault="missing values",
            way_out=f"Fill them, as by pandas.Series({name}).fillna(''), or leave out these rows (in a fit by "
            "na_action='omit').",
        )
    if others.any():
        row = int(np.argmax(others))
        raise FirstRowError.at(
            row,
            f"{rule}, and {others.sum()} of {len(values)} are none",
            f" ({shown(values.iloc[row])}).",
            table=f"pandas.Series({name}).iloc",
            argument=name,
            way_out=f"Correct such values, or make texts of all by pandas.Series({name}).astype(str).",
        )


def _columns(table):
    return tuple(table.columns.tolist()) if is_frame(table) else None


def _refuse_repeated(columns, name):
    if columns is not None and len(set(columns)) < len(columns):
        repeated = sorted(str(column) for column, count in Counter(columns).items() if count > 1)
        raise InvalidInputError(f"{name} has several columns of the name(s) {repeated}; rename or drop them.")


def _sorted(columns):
    return None if columns is None else sorted(map(repr, columns))


def _bullets(title, names):
    shown = "".join(f"- {entry}\n" for entry in names[:5]) + ("- ...\n" if len(names) > 5 else "")
    return f"{title}\n{shown}" if names else ""
