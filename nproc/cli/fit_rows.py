"""Rows of a file as a saved fit takes them, and what is said of those that it cannot take."""

import bisect
import sys
import warnings
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import numpy as np

from nproc.checks import count_of
from nproc.cli.files import GAPS, listed, omitted_note, require_columns
from nproc.cli.label_texts import labelled_rows, without_label
from nproc.cli.values import as_list
from nproc.cli.wording import option_with, rows_counted
from nproc.errors import FirstRowError, InvalidInputError, NPError
from nproc.row_chunks import MISSING, REFUSED_BY_METHOD, RefusedValuesError, score_new_rows
from nproc.rows import (
    NEW_CATEGORY,
    NewValues,
    UnseenCategoriesError,
    are_numbers,
    counting_rows,
    near_names,
    refuse_commas,
    refuse_points_in_doubt,
    refuse_two_signs,
    take_rows,
    times_among,
)


class OutsideRanges:
    """Values of new rows outside the ranges of their columns at the fit, of all parts of a file together."""

    def __init__(self, fit):
        self._ranges = getattr(getattr(fit, "design", None), "ranges", None)
        self._counts, self._new = 0, NewValues(self._ranges)

    def add(self, rows):
        """Count the values of some rows, whose index has their places in the file; return self."""
        if self._ranges is not None:
            self._counts = self._counts + self._ranges.count_outside(rows)
            self._new.add(rows, row_of=rows.index.__getitem__)
        return self

    def warn(self, file):
        """Warn where most values of a column lie outside its range, and as `warn_of_values`."""
        told = self._ranges.told(self._counts) if np.any(self._counts) else ""
        if told:
            sys.stderr.write(f"warning: {Path(file).name}: {told}\n")
        self.warn_of_values(file)

    def warn_of_values(self, file):
        """Warn of missing values and of usual codes for them, as a fit does of a table."""
        self._new.warn(Path(file).name)


def texts_of(fit):
    """Return the columns of a fit as `read_table` takes them, None for numbers; None for what knows no columns."""
    texts = getattr(getattr(fit, "design", None), "texts", None)
    return texts if texts is None else {**dict.fromkeys(fit.feature_names or ()), **texts}


def repeated_note(train, test, columns):
    """Return a line that says how many rows of `test` equal a row of `train` in some columns, or "".

    It is "" if all of them equal rows that occur several times in `train`. These are common values, as where all
    columns are categories, and no sign that one table was copied from the other.
    """
    times = times_among(test[list(columns)], train[list(columns)])
    if not np.any(times == 1):
        return ""
    n_repeated = int(np.sum(times > 0))
    equal = "equals" if n_repeated == 1 else "equal"
    return (
        f"warning: {count_of(n_repeated, len(test), 'test rows')} {equal} a row of the fit in all predictors; if they "
        "are the same observations, the errors are not those of new rows\n"
    )


@contextmanager
def places_of(tables):
    """Count the first row that is refused inside by its place in the file: that in the index of its table.

    `tables` has them by the argument as which their rows are given.
    """
    try:
        yield
    except FirstRowError as error:
        if error.argument not in tables:
            raise
        places = tables[error.argument].index
        raise error.counted(lambda row: int(places[row])) from error
    except UnseenCategoriesError as error:
        if not tables:
            raise
        # those of the new rows: the fit knows its own
        places = [table.index for table in tables.values()][-1]
        with counting_rows(lambda row: int(places[row])):
            raise error


@contextmanager
def refusals_in_words(model, rows):
    """Within it, an error of a library that a fit was made with names the file of the fit, the rows, and a way out."""
    try:
        yield
    except NPError as error:
        if error.fault != REFUSED_BY_METHOD:
            raise
        said = str(error.value).rstrip(".")
        raise InvalidInputError(f"the method of {model} refuses {rows}: {said}.", way_out=error.way_out) from error


def rows_for(fit, frame, *, besides=()):
    """Return the rows of a table as a fit wants them: its columns by name, or by position if it knows no names."""
    names = fit.feature_names
    if names is None:
        return frame.drop(columns=list(besides)).to_numpy()
    lost = [name for name in names if name not in frame.columns]
    if lost:
        meant = near_names(names, [name for name in frame.columns if name not in besides])
        rename = "Columns must have the names that they had in training. " * bool(meant)
        raise InvalidInputError(
            f"the new data lack {listed(lost)}, which the model needs. {meant}{rename}They have "
            f"{listed(frame.columns)}."
        )
    for name in names:
        if not _holds_categories(fit, name):
            # text in place of numbers is refused in any case; the points are the better reason
            refuse_points_in_doubt(frame[name], f"column {name!r} of the new data")
    return _flags_as_numbers(frame[list(names)]) if fit.design.numeric else frame[list(names)]


def _flags_as_numbers(rows):
    """Return rows in which true and false are numbers where a gap among them has made objects of them."""
    import pandas as pd

    objects = [name for name in rows.columns if rows[name].dtype == object]
    flags = [name for name in objects if pd.api.types.infer_dtype(rows[name], skipna=True) == "boolean"]
    return rows.astype(dict.fromkeys(flags, np.float64))


def _holds_categories(fit, name):
    kinds = getattr(getattr(getattr(fit, "design", None), "coding", None), "kinds", {})
    return kinds.get(name) == "categories"


def as_fitted(fit, frame, decimal):
    """Return rows of a file as a fit reads them; raise if its columns of numbers have two decimal signs."""
    texts = texts_of(fit) or {}
    names = [name for name in fit.feature_names or () if name in frame.columns and texts.get(name) is None]
    refuse_two_signs(frame[names], decimal)
    if decimal != ",":
        return frame
    for name in names:
        if not _holds_categories(fit, name):
            refuse_commas(frame[name], f"column {name!r} of the new data", decimal)
    return _with_decimal_points(fit, frame)


def refuse_text_among_numbers(fit, frame, decimal, *, omitted=False):
    """Raise for text in columns of numbers of a fit; the index of rows of `as_fitted` has their places in the file.

    Where rows with text were `omitted` already, nobody is told to omit them.
    """
    for name, is_text in _texts_among_numbers(fit, frame, decimal).items():
        if is_text.any():
            place = int(np.argmax(is_text))
            raise InvalidInputError(
                f"column {name!r} held numbers in training, and the new data have text there, such as "
                f"{frame[name].iloc[place]!r} in row {frame.index[place] + 1}.",
                fault=None if omitted else "text among numbers",
                way_out="Correct it, or leave the cell empty where the value is missing.",
            )


def _texts_among_numbers(fit, frame, decimal):
    """Return which rows have text, for each column that a fit has as numbers and that was read as text."""
    import pandas as pd

    design = getattr(fit, "design", None)
    kinds = getattr(getattr(design, "coding", None), "kinds", None)
    found = {}
    for name in fit.feature_names or ():
        is_number = getattr(design, "numeric", False) if kinds is None else kinds.get(name) == "numbers"
        if name not in frame.columns or not is_number or pd.api.types.is_numeric_dtype(frame[name]):
            continue
        if decimal != ",":
            refuse_commas(frame[name], f"column {name!r} of the new data", decimal)
        found[name] = np.array([isinstance(value, str) for value in frame[name]], dtype=bool)
        found[name][found[name]] = ~are_numbers(frame[name][found[name]], ".")
    return found


def rows_of_numbers(fit, frame, decimal):
    """Return the rows of a table that have no text in the columns of numbers of a fit, and where others have, or None.

    With them go the index of the others by column. A column without any number is none of those of the fit, and stays
    as it is.
    """
    wrong, where = np.zeros(len(frame), dtype=bool), []
    texts = _texts_among_numbers(fit, frame, decimal)
    texts = {name: rows for name, rows in texts.items() if (frame[name].notna() & ~rows).any()}
    for name, rows in texts.items():
        if rows.any():
            values = frame[name][rows]
            more = f" and {values.nunique() - 1} more" if values.nunique() > 1 else ""
            first = "first " if len(values) > 1 else ""
            where.append(f"column {name!r} has {values.iloc[0]!r}{more} ({first}in row {values.index[0] + 1})")
            wrong |= rows
    kept = frame[~wrong]
    numbers = {name: [float(v) if isinstance(v, str) else v for v in kept[name]] for name in texts}
    return kept.assign(**numbers), "; ".join(where) or None, {name: frame.index[rows] for name, rows in texts.items()}


def _with_decimal_points(fit, frame):
    """Return rows of a file with decimal commas, in which columns with other text hold their numbers with points.

    What refuses the text then names that, and no number. Columns of categories stay as they are.
    """
    import pandas as pd

    found = {}
    for name in fit.feature_names or ():
        if name not in frame.columns or pd.api.types.is_numeric_dtype(frame[name]) or _holds_categories(fit, name):
            continue
        texts = frame[name].astype(str)
        found[name] = frame[name].mask(are_numbers(texts, ","), texts.str.replace(",", "."))
    return frame.assign(**found)


def complete_rows(fit, frame, besides):
    """Return the rows of a table that a fit can predict: those without gaps, or with gaps that it takes.

    The columns `besides` are no predictors of a fit that knows no names.
    """
    import pandas as pd

    rows = pd.DataFrame(rows_for(fit, frame, besides=besides))
    complete = frame[~rows[fit.design.columns_without_gaps(rows.columns)].isna().any(axis=1).to_numpy()]
    if fit.design.coding is not None:
        return complete
    # a method that takes gaps in some columns may refuse them in others, which is known once it is asked
    with_gaps = complete[rows.set_axis(frame.index).loc[complete.index].isna().any(axis=1).to_numpy()]
    for error, refused in _refusals(fit, with_gaps, besides):
        if isinstance(error, RefusedValuesError) and error.faults[0].kind == MISSING:
            complete = complete.drop(index=refused)
    return complete


def known_rows(fit, complete, besides=()):
    """Return those of complete rows whose categories a fit knows, and in words where others are, or None.

    With them go the index of the others by column; those in which none is known to be at fault are in None.
    """
    where, at_fault = [], []
    for error, refused in _refusals(fit, complete, besides):
        if error.fault != NEW_CATEGORY:
            break
        at_fault.append(_columns_at_fault(complete.loc[refused], getattr(error, "found", ())))
        complete = complete.drop(index=refused)
        if isinstance(error, UnseenCategoriesError):
            where.append(error.where)
            if error.value:
                drop = option_with("--drop", as_list(error.value))
                where.append(f"if {error.value[0]!r} tells rows apart, as a name does, fit again with {drop}")
    names = dict.fromkeys(name for columns in at_fault for name in columns)
    unseen = {name: [row for columns in at_fault for row in columns.get(name, ())] for name in names}
    return complete, "; ".join(where) or None, unseen


def _columns_at_fault(rows, unseen):
    """Return the index of rows with new categories by column, and of those in no known column by None."""
    found = {}
    for one in unseen:
        # a fit may know its columns by their places alone
        if one.column not in rows.columns:
            continue
        values = rows[one.column]
        if len(unseen) == 1:
            found[one.column] = rows.index
        elif one.known:
            found[one.column] = rows.index[(values.notna() & ~values.isin(one.known)).to_numpy()]
        elif one.n_others == 0:
            # what a method knows is not said, but what it does not
            found[one.column] = rows.index[(values == one.value).to_numpy(dtype=bool)]
    others = rows.index[~np.any([np.zeros(len(rows), dtype=bool), *map(rows.index.isin, found.values())], axis=0)]
    return found | {None: others}


def _refusals(fit, frame, besides):
    """Yield what a fit refuses of the rows of a table, and the index of these rows, until it takes the others."""
    design = fit.design
    if frame.empty or (design.coding is None and design.numeric):
        return
    rows, index = rows_for(fit, frame, besides=besides), frame.index
    while len(index):
        try:
            with counting_rows(lambda row, index=index: int(index[row])):
                _ask(fit, rows)
            return
        except (UnseenCategoriesError, RefusedValuesError) as error:
            if error.rows is None:
                return
            yield error, index[error.rows]
            rows, index = take_rows(rows, np.flatnonzero(~error.rows)), index[~error.rows]


def _ask(fit, rows):
    """Raise for rows that a fit refuses; what else there is to say is said where they are predicted."""
    if fit.design.coding is not None:
        fit.design.coding.plain(rows)
        return
    table = fit.design.transform(rows)
    if len(fit.labels) > 2:
        fit.predict(rows)
        return
    from nproc.scorers import score_rows

    values = fit.labels if fit.prefit else None
    for scorer in fit.scorers:
        score_new_rows(partial(score_rows, scorer, values=values), table)


def first_refused(fit, frame):
    """Return the place of the first row that the formula of a fit cannot code; None where no row is at fault."""
    if getattr(getattr(fit, "design", None), "coding", None) is None:
        return None
    try:
        rows = rows_for(fit, frame)
    except InvalidInputError:
        return None

    def is_refused(n):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                fit.design.transform(rows.iloc[:n])
        except InvalidInputError:
            return True
        return False

    before = bisect.bisect_left(range(1, len(rows) + 1), True, key=is_refused)
    return None if before == len(rows) else int(frame.index[before])


TEXT = "text in a column of numbers"
# as many rows with gaps a note names
MOST_ROWS = 5
UNSEEN = "a category that was not in the training data"


def places_of_gaps(gaps, n):
    """Return in words in which of `n` rows of a file values are missing, the first few, and in which columns of all.

    Parameters
    ----------
    gaps : list of (Index, Series of bool)
        Of each part of the file the places of its first such rows, and whether each column has a gap in one of them.
    n : int
        How many there are.

    Returns
    -------
    str
    """
    if not gaps:
        return ""
    first = [str(place + 1) for places, _ in gaps for place in places][:MOST_ROWS]
    *others, last = first
    more = n - len(first)
    rows = f"rows {', '.join([*others, last])} and {more} more" if more else f"rows {', '.join(others)} and {last}"
    missing = np.any([missing for _, missing in gaps], axis=0)
    return f"{rows if others else f'row {last}'}, in {listed(list(gaps[0][1].index[missing]))}"


def rows_of_fit(fit, frame, label, besides, file):
    """Return the rows of the table of a fit that it used, and what is said of those with gaps; None where none are.

    The columns `besides` are, like that of the labels, no predictors of a fit that knows no names. A row without a
    label is an error where the fit left no row out.
    """
    require_columns(frame, [label], "the label")
    n_unknown = int(frame[label].isna().sum())
    if not fit.design.n_omitted and n_unknown:
        raise InvalidInputError(
            f"{file} has {n_unknown} row(s) without a label in the column {label!r}, and the fit left out no row. Give "
            "the file that it was fitted on."
        )
    if not fit.design.n_omitted:
        return frame, None
    of_fit = [getattr(fit, name, None) for name in ("group_column", "cluster_column")]
    known = frame.dropna(subset=[label, *(column for column in of_fit if column in frame.columns)])
    known = complete_rows(fit, known, dict.fromkeys([label, *besides]))
    fate = {"one": "is left out, as in the fit", "several": "are left out, as in the fit"}
    note = omitted_note(len(frame) - len(known), len(frame), file, **fate)
    return known, note


ERRORS_OF_OTHERS = "The errors below are those of the other rows."


def rows_with_errors(
    fit, frame, label, file, decimal, *, by=(), beside=(), done="count errors on", rest=ERRORS_OF_OTHERS
):
    """Return the rows of a table on which errors are counted, what is said of the others, and how many had what.

    Nothing is said, None, where there are no others. The table is as `as_fitted` returns it.

    A row without a label is left out, and so is one with a gap in one of the columns `by`, those of its group or
    cluster. The columns `beside` are, like that of the labels, no predictors of a fit that knows no names. What else
    than errors comes of the rows is told by `done`, with them, and by `rest`, a sentence on the rows that are returned.
    """
    besides = dict.fromkeys([*([] if label is None else [label]), *beside])
    labelled = frame if label is None else labelled_rows(frame, label)
    complete = complete_rows(fit, labelled, besides).dropna(subset=list(by))
    numbers, text, _ = rows_of_numbers(fit, complete, decimal)
    # a column without any number is not the one of the fit
    refuse_text_among_numbers(fit, numbers, decimal, omitted=True)
    known, unseen, _ = known_rows(fit, numbers, besides)
    parts = {without_label(label): labelled, GAPS: complete, TEXT: numbers, UNSEEN: known}
    sizes = [len(frame), *map(len, parts.values())]
    counts = {what: before - left for what, before, left in zip(parts, sizes, sizes[1:], strict=False)}
    where = {TEXT: text, UNSEEN: unseen}
    told = [omitted_note(n, len(frame), file, what, where.get(what)) for what, n in counts.items() if n]
    if known.empty:
        raise InvalidInputError(f"no row is left to {done}. {' '.join(told)}")
    note = " ".join([*told, rest])
    return known, f"{note} {rows_counted(note, [file])}".rstrip() if told else None, counts
