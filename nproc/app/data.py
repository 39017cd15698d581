"""The table that a user works on: an upload or a sample, read, checked and described."""

from __future__ import annotations

import heapq
import shlex
from collections import Counter
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from nproc import datasets
from nproc.app.seen_rows import hashes_of, marks_of
from nproc.checks import check_count, check_delta, check_level, count_of, counts_named
from nproc.cli import (
    choose_predictors,
    label_values,
    listed,
    match_label,
    option_with,
    read_table,
    require_columns,
    rows_as_arguments,
    rows_counted,
    rows_for,
)
from nproc.errors import InvalidInputError
from nproc.orderstat import round_up, smallest_size, type1_upper
from nproc.row_chunks import find_separator
from nproc.rows import (
    alike_told,
    are_numbers,
    code_warning,
    doubtful_categories_told,
    has_decimal_commas,
    holds_all,
    n_sharing_owners,
    owners_told,
    refuse_commas,
    text_of_each_row,
    values_alike,
    why_identifier,
)
from nproc.scorers import scorer_names, scorer_spec
from nproc.splitting import n_train, rows_in_all

MAX_BYTES = 200_000_000
# each column is looked through and listed on the page
MAX_COLUMNS = 2000
# distinct values of a column that are shown
FIRST_VALUES = 5
# columns left out that a report names
COLUMNS_NAMED = 5
# more boxes than this make the page slow; all columns that can predict are taken then
MOST_BOXES = 400
EXTENSIONS = (".csv", ".tsv", ".txt")
# what the code of a page imports to read an upload, and new rows as the fit knows their columns
READER = "from nproc.cli import read_table"
READER_OF_NEW_ROWS = f"{READER}, texts_of"
# in which Excel on Windows writes CSV files, unless it is told to write UTF-8
OF_EXCEL = "cp1252"
SAMPLES = {
    "breast_cancer": ("Breast cancer", "load_breast_cancer_np"),
    "simulation1": ("Simulation 1, one predictor", "load_simulation1"),
    "simulation2": ("Simulation 2, two predictors", "load_simulation2"),
    "logistic_world": ("Logistic world of the R examples", "load_logistic_world"),
}
# names that label columns often have
_LABEL_NAMES = ("y", "label", "class", "target", "outcome", "diagnosis", "status", "response")
# faults of a column that cannot become numbers nor categories
BEYOND_MENDING = ("unusable column", "many categories", "owners")
# what an argument is called on the page
_CONTROLS = {
    "n_splits": "the number of splits",
    "review_beta": "beta",
    "random_state": "the seed",
    "type2_max": "the target",
}
MISSING = "Tick \u201cLeave out the rows with missing values\u201d, or leave out those columns."
NO_METHOD = "No method can use rows with missing values in columns of text."
ONE_SPELLING = "Spell each label in one way in the file, and upload it again."
# what to do on the page about a fault
_WAYS_OUT = {
    "missing values": MISSING,
    "missing category": MISSING,
    "target out of reach": "Raise the target, or upload a table with more class 1 rows.",
    "empty column": "",
    "mendable column": "",
    "unusable column": "",
    "mark of the separator": "",
    "encoding": "",
    "unknown labels": "Write the labels in this file as in the fit, leave those of rows of neither class empty, and "
    "upload it again.",
    **dict.fromkeys(
        ("decimal commas", "commas in doubt"),
        "If the column has decimal commas, save the table with semicolons or tabs between its columns.",
    ),
    "decimal points": "If the column has decimal points, save the table with decimal commas throughout.",
    "missing code": "If it is one, leave those cells of the file empty, and upload it again before the first fit.",
    "codes of new rows": "If they are codes, leave these cells of the file empty, and upload it again.",
    "points in doubt": "If they are decimal points, write one of the numbers with more digits, such as 1.1690.",
}


@dataclass(frozen=True)
class ColumnValues:
    """What a column holds.

    Attributes
    ----------
    n_distinct : int
        Number of distinct values that are not missing.
    first : tuple
        The first `FIRST_VALUES` of them in the order of their texts.
    counts : tuple of int
        The numbers of rows that have these.
    problem : str
        Why the column can be no label; empty if it can, were its values two.
    alike : tuple of tuple
        Values that differ only in capital letters or in spaces, those of one word together.
    others : tuple
        The first `FIRST_VALUES` of the values that do not.
    """

    n_distinct: int
    first: tuple
    counts: tuple
    problem: str = ""
    alike: tuple = ()
    others: tuple = ()

    @property
    def is_label(self):
        """Whether the column can be the label."""
        return self.n_distinct == 2 and not self.problem

    @property
    def n_words(self):
        """Number of distinct values where capital letters and spaces do not count."""
        return self.n_distinct - sum(len(values) - 1 for values in self.alike)

    @property
    def marks(self):
        """Those of the first values that are texts without a letter or a digit, such as "-": they may mean a gap."""
        return [value for value in self.first if isinstance(value, str) and not any(map(str.isalnum, value))]

    def __str__(self):
        return ", ".join(map(str, self.first)) + (", ..." if self.n_distinct > len(self.first) else "")

    def alike_told(self):
        """Return which values differ only in capital letters or in spaces, as the end of a sentence; or nothing."""
        return alike_told(self.alike)

    def _others_told(self):
        n_others = self.n_distinct - sum(map(len, self.alike))
        if not n_others:
            return ""
        shown, left = list(map(repr, self.others)), n_others - len(self.others)
        return f" The other{'s are' if n_others > 1 else ' is'} {and_list([*shown, *[f'{left} more'] * (left > 0)])}."

    def not_two(self, column):
        """Return why a column with another number of values than two is no label, and what to do."""
        shown, left = ", ".join(map(repr, self.first)), self.n_distinct - len(self.first)
        count = "1 distinct value" if self.n_distinct == 1 else f"{self.n_distinct} distinct values"
        said = f"The column {column!r} has {count}"
        if self.alike:
            way_out = ONE_SPELLING
            if self.n_words > 2:
                way_out = (
                    "Spell each label in one way in the file, leave the rows of two labels in it, and upload it again."
                )
            said = f"{said}. A label needs exactly two. Some of them {self.alike_told()}.{self._others_told()}"
            return f"{said} {way_out}"
        more = f" and {left} more" if left > 0 else ""
        # with more values it is hardly meant as a label
        way_out = "Choose another column."
        if 2 < self.n_distinct <= FIRST_VALUES:
            way_out = (
                "Leave the rows of two labels in the file and upload it again, or choose another column. For more "
                "than two classes the command line has npc multiclass."
            )
        if self.marks and self.n_words - len(self.marks) == 2:
            marks, means = and_list(list(map(repr, self.marks))), "means" if len(self.marks) == 1 else "mean"
            way_out = f"If {marks} {means} that the label is missing, leave those cells of the file empty and upload it"
            way_out += " again."
        return f"{said} ({shown}{more}). A label needs exactly two. {way_out}"


def _values_of(frame, column):
    problem = ""
    try:
        values = label_values(frame[[column]], column)
    except InvalidInputError as error:
        values, problem = whole_again(frame[[column]])[column].dropna().to_numpy(), page_words(error)
    counts = Counter(values.tolist())
    if len(counts) > 2 and frame[column].isna().any():
        # without its gaps it would be no label either
        problem = ""
    first = tuple(heapq.nsmallest(FIRST_VALUES, counts, key=str))
    alike = values_alike(list(counts))
    others = tuple(
        heapq.nsmallest(FIRST_VALUES, counts.keys() - {value for values in alike for value in values}, key=str)
    )
    return ColumnValues(len(counts), first, tuple(counts[value] for value in first), problem, alike, others)


@dataclass(frozen=True, eq=False)
class Source:
    """A table with its name.

    Attributes
    ----------
    frame : DataFrame
        All rows and columns.
    name : str
        The name of the file, or of the sample.
    code : tuple of str
        Lines of Python: the imports, and the expression that gives `frame` again.
    label, class0 : object
        The label column and the label of class 0, where they are known.
    description : str
        What is known of the table.
    decimal : str or None
        The decimal sign of its numbers; None is a point, if it was not found.
    ways_out : dict of str
        For faults of its columns what to do about them, where that depends on the file.
    unlabelled : tuple of (str, int)
        Columns that were the label, and how many rows had no value there and were left out.
    sep : str
        The separator of its columns in the file.
    encoding : str or None
        The encoding of the file; None is UTF-8.
    """

    frame: object
    name: str
    code: tuple
    label: str | None = None
    class0: object = None
    description: str = ""
    decimal: str | None = None
    ways_out: dict = field(default_factory=dict)
    unlabelled: tuple = ()
    sep: str = ","
    encoding: str | None = None

    @property
    def options(self):
        """The options with which commands read this file, as a list of words."""
        words = _options_of(self.sep, self.decimal or ".", _usual_separator(self.name))
        return words if self.encoding is None else [*words, "--encoding", self.encoding]

    @property
    def csv_signs(self):
        """The separator and the decimal sign of CSV files that a spreadsheet reads which has written this one.

        Semicolons are what it writes where numbers have decimal commas, which whole numbers do not show. It splits no
        CSV file at tabs.
        """
        floats = self.frame.select_dtypes("float")
        # gaps make floats of whole numbers
        has_points = any(not floats[name].hasnans or (floats[name] % 1 > 0).any() for name in floats)
        decimal = "," if self.decimal == "," or (self.sep == ";" and not has_points) else "."
        return ";" if self.sep == ";" or decimal == "," else ",", decimal

    @cached_property
    def likely_label(self):
        """The column that most looks like the label."""
        if self.label is not None:
            return self.label
        columns = [str(column) for column in self.frame.columns]
        # a label that is spelled in several ways, or has marks of gaps, is one all the same, and the page says what to
        # do about it; it comes behind others that are as likely
        two = [c for c in columns if 2 in (self.values[c].n_words, self.values[c].n_words - len(self.values[c].marks))]
        two.sort(key=lambda column: self.values[column].n_distinct > 2)
        named = [c for c in columns if c.lower() in _LABEL_NAMES]
        at_the_end = [c for c in columns[-1:] if c in two]
        clean = [c for c in columns[::-1] if c in two and self.values[c].n_distinct == 2]
        return next(iter([c for c in two if c in named] + at_the_end + clean + two[::-1] + named + columns[-1:]))

    @property
    def label_told(self):
        """Why the last column is not the label at first, where it looks like one but for its number of values."""
        last = str(self.frame.columns[-1])
        n_distinct = self.values[last].n_distinct
        if last == self.likely_label or self.label is not None or self.likely_label.lower() in _LABEL_NAMES:
            return ""
        # a measurement of few rows has few values, too
        measured = self.frame[last].dtype.kind == "f" and (self.frame[last].dropna() % 1 > 0).any()
        has = f"has {n_distinct} distinct values ({self.values[last]})"
        if n_distinct == 1:
            has = self._single_told(last)
        elif not 2 < n_distinct <= FIRST_VALUES or measured:
            return ""
        return (
            f"The last column, {last!r}, {has}, and a label has two: {self.likely_label!r} is chosen at first. Choose "
            "the one that you mean."
        )

    def labels(self, column):
        """Return the `ColumnValues` of a column that is to be the label; missing values are an error."""
        if self.values[column].problem:
            raise InvalidInputError(self.values[column].problem, fault="no label")
        return self.values[column]

    @cached_property
    def values(self):
        """The `ColumnValues` of each column: of a tall table they take seconds, and no page may wait for them."""
        return {column: _values_of(self.frame, column) for column in self.frame.columns}

    def predictors(self, label):
        """Return the columns that can predict, those of them that are text, and the reasons against the others.

        Columns that can be mended in the file come first.
        """
        no_numbers = {column: reason for column, (reason, _) in self._not_numeric.items() if reason}
        mendable = {column: reason for column, reason in no_numbers.items() if self._not_numeric[column][1]}
        against = mendable | self._constant | no_numbers
        reasons = {column: reason for column, reason in against.items() if column != label}
        usable = [column for column in self.frame.columns if column != label and column not in reasons]
        return usable, [column for column in usable if column in self._not_numeric], reasons

    def likely_predictors(self, label):
        """Return the columns that can predict but for those that look like identifiers."""
        return [column for column in self.predictors(label)[0] if column not in self.identifiers]

    @cached_property
    def identifiers(self):
        """The columns that look like identifiers of rows or of their owners, each with the reason."""
        reasons = {c: why_identifier(self.frame[c], self.values[c].n_distinct) for c in self.frame.columns}
        return {column: reason for column, reason in reasons.items() if reason is not None}

    @cached_property
    def shared_owners(self):
        """The columns that name the owners of rows, where some own several; each with the number of such rows."""
        counts = {c: n_sharing_owners(self.frame[c], self.values[c].n_distinct) for c in self.frame.columns}
        return {column: count for column, count in counts.items() if count}

    def owners_told(self, label):
        """Return in a few words which rows depend on each other by their owners, as an identifier says; or nothing."""
        counts = {column: count for column, count in self.shared_owners.items() if column != label}
        return owners_told(counts, len(self.frame))

    def owners_way(self, label):
        """Return what to do about rows of one owner, with the column that names all owners, if one does."""
        columns = [column for column in self.shared_owners if column != label]
        among, column = and_list(list(map(repr, columns)), "or"), holds_all(self.frame, columns)
        if column is not None:
            way = (
                f"The command npc fit {option_with('--clusters', column)} can, and so can "
                f"npc(..., clusters=frame[{column!r}]) in Python."
            )
        else:
            way = (
                f"Choose the one of {among} in which all rows that belong together share one value. "
                "Give it to the command npc fit --clusters, or to npc(..., clusters=...) in Python. The page cannot "
                "tell which one it is."
            )
        them = {1: "it", 2: "both of these columns"}.get(len(columns), "all of these columns")
        return (
            f"This page cannot take that into account. {way} If rows with the same {among} do not belong together, "
            f"upload the file without {them}."
        )

    @cached_property
    def _constant(self):
        """The columns that say the same, or nothing, of every row, or another text of each; and why they are no use."""
        from pandas.api.types import is_numeric_dtype

        found = {}
        for column in self.frame.columns:
            n_distinct = self.values[column].n_distinct
            if n_distinct == 0:
                found[column] = f"column {column!r} is empty."
            elif n_distinct == 1:
                # gaps among numbers may tell something, and some methods take them
                if column not in self.columns_with_gaps or not is_numeric_dtype(self.frame[column]):
                    found[column] = f"column {column!r} {self._single_told(column)}."
            elif texts := text_of_each_row(self.frame[column], n_distinct):
                found[column] = f"column {column!r} has {texts}, such as a name."
        return found

    def _single_told(self, column):
        where = "that have a value" if column in self.columns_with_gaps else ""
        return f"has a single value ({self.values[column]}) in all rows {where}".rstrip()

    @cached_property
    def columns_with_gaps(self):
        """The columns in which a value is missing."""
        missing = self.frame.isna().any()
        return set(missing.index[missing.to_numpy()])

    def with_gaps(self, features):
        """Return for each row whether one of some columns has no value there, as an array."""
        return self.frame[list(features)].isna().any(axis=1).to_numpy()

    def owner_column(self, label):
        """Return the column that names the owner of each row, where some own several; None without one."""
        column = holds_all(self.frame, [column for column in self.shared_owners if column != label])
        return None if column in self.columns_with_gaps else column

    def drawn(self, label, share, seed):
        """Return which rows are drawn to be set aside, as an array of bool.

        They are a share of each class. If rows belong together, a share of the owners is drawn, with all their rows.
        """
        from sklearn.model_selection import GroupShuffleSplit, train_test_split

        places, owner = np.arange(len(self.frame)), self.owner_column(label)
        if owner is not None:
            _, aside = next(
                GroupShuffleSplit(1, test_size=share, random_state=seed).split(places, groups=self.frame[owner])
            )
        elif min(self.labels(label).counts) < FEWEST_DIVIDED:
            raise InvalidInputError(
                f"One of the two classes has fewer than {FEWEST_DIVIDED} rows, too few to set some of them aside for a "
                f"check. Choose \u201c{ASIDE['']}\u201d for the rows set aside.",
                fault="none to set aside",
            )
        else:
            _, aside = train_test_split(places, test_size=share, stratify=self.frame[label], random_state=seed)
        return np.isin(places, aside)

    def without_unlabelled(self, label):
        """Return the `Source` of the rows that have a label."""
        # the index stays: it has the number of each row in the file
        frame, code = self.frame.dropna(subset=[label]), f"{self.code[1]}.dropna(subset=[{label!r}])"
        # a gap that goes leaves whole numbers decimal
        were_whole = self.frame.columns[(whole_again(self.frame).dtypes != self.frame.dtypes).to_numpy()]
        whole = [name for name in were_whole if not frame[name].hasnans]
        frame = frame.astype(dict.fromkeys(whole, np.int64))
        if label in whole:
            code += f".astype({{{label!r}: 'int64'}})"
        n_left_out = len(self.frame) - len(frame)
        rows, are = ("row", "is") if n_left_out == 1 else ("rows", "are")
        said = f"{n_left_out} {rows} without a value in {label!r} {are} left out."
        return replace(
            self,
            frame=frame,
            code=(self.code[0], code),
            description=f"{self.description} {said}".strip(),
            label=label,
            unlabelled=(*self.unlabelled, (label, n_left_out)),
        )

    @property
    def unlabelled_told(self):
        """How many rows were left out for want of a label, as words that follow the name of the file; usually none."""
        n_left_out = sum(n for _, n in self.unlabelled)
        if not n_left_out:
            return ""
        columns = " or in ".join(column for column, _ in self.unlabelled)
        have = "has" if n_left_out == 1 else "have"
        return f" without {n_left_out} of its {len(self.frame) + n_left_out} rows, which {have} no value in {columns}"

    def marks_of_rows(self, label):
        """Return the set of all columns, each with a number that stands for its values and the labels beside them.

        The order of the rows and the format of the file do not count, and neither do rows without a label. Two
        tables share the mark of a column if its values and the labels beside them are the same. Otherwise they share it
        by accident, with a probability of about 2^-64.
        """
        return self._both_marks(label)[0]

    def marks_in_order(self, label):
        """Return the same set with numbers to which the order of the rows counts as well."""
        return self._both_marks(label)[1]

    def _both_marks(self, label):
        if label not in self._marks:
            rows = self.frame[self.frame[label].notna()]
            labels = hashes_of(rows[label])
            # numbers that were not read tell nothing: another file may have them as numbers
            read = rows.columns.difference(set(self._unread) - {label}, sort=False)
            found = {name: marks_of(hashes_of(rows[name]), labels) for name in read}
            self._marks[label] = [frozenset((name, both[k]) for name, both in found.items()) for k in (0, 1)]
        return self._marks[label]

    @cached_property
    def _marks(self):
        return {}

    @cached_property
    def _unread(self):
        return _with_other_signs(self.frame, self.decimal)

    @cached_property
    def _not_numeric(self):
        """The columns that are no numbers: why they cannot be categories, or "", and whether that can be mended."""
        from pandas.api.types import is_numeric_dtype

        # new rows may have a single column
        frame = self.frame if self.frame.shape[1] > 1 else self.frame.assign(**{f"not {self.frame.columns[0]}": 0})
        found, columns = {}, frame.columns
        for column, dtype in self.frame.dtypes.items():
            if is_numeric_dtype(dtype):
                continue
            try:
                # any other column serves as the label
                label = columns[1] if column == columns[0] else columns[0]
                choose_predictors(frame, label, features=[column], decimal=self.decimal)
                found[column] = "", True
            except InvalidInputError as error:
                mendable = error.fault not in BEYOND_MENDING
                # the page shows them together, and how rows count once
                told = page_words(error, self.ways_out, with_line=False)
                if error.fault == "many categories":
                    told += (
                        " If rows with the same value belong together, such as those of one patient, this page cannot "
                        f"take that into account. The command npc fit {option_with('--clusters', column)} can."
                    )
                found[column] = told, mendable
        return found


def sample_source(key):
    """Return one of the `SAMPLES` as a `Source`."""
    title, loader = SAMPLES[key]
    data = getattr(datasets, loader)()
    code = (f"from nproc.datasets import {loader}", f"{loader}().frame")
    return Source(data.frame, title, code, data.label_name, data.class0, data.description)


def uploaded_source(path, name, texts=None):
    """Return an uploaded CSV file as a `Source`; its separator, its decimal sign and its encoding are found.

    Parameters
    ----------
    path : str or path
        Where the file is.
    name : str
        What the user calls it.
    texts : dict, optional
        Of new rows, how the columns of the fit are read: see `Plan.texts_read`.

    Raises
    ------
    InvalidInputError
        The file is too large, has too many columns, is no CSV file, or cannot be read; the message names the file as
        the user does.
    """
    path, name = Path(path), Path(name).name
    check_size(name, path.stat().st_size)
    if Path(name).suffix.lower() not in EXTENSIONS:
        raise InvalidInputError(
            f"{name} does not end in {', '.join(EXTENSIONS)}, as the name of a CSV file should. Save the table as CSV "
            "with one row of column names."
        )
    try:
        sep, n_columns = find_separator(path)
        check_columns(name, n_columns)
        skipped = []
        frame, encoding = _read_in_its_encoding(path, sep=sep, texts=texts, tell=skipped.append)
        decimal, said = None, ""
        ways = {}
        columns = _with_other_signs(frame, None)
        # between commas a number such as "1,234" may have one between thousands
        if columns and (sep != "," or any(has_decimal_commas(frame[name]) for name in columns)):
            other = read_table(path, sep=sep, decimal=",", encoding=encoding, texts=texts)
            still = _with_other_signs(other, ",")
            lost = [name for name in still if name not in columns]
            # only if that makes no text of a number; a few cells of text among the numbers say nothing of the sign
            if not lost and any(_has_numbers(other[name], ",") for name in columns if name not in still):
                said = _decimal_commas_told(frame, other, columns)
                frame, decimal = other, ","
            # the file has such a separator already
            way = "If the column has decimal commas, write all numbers of the table with them"
            way += f": those of {listed(lost, 5)} have points." if lost else "."
            ways = {"decimal commas": way, "commas in doubt": way}
    except InvalidInputError as error:
        raise InvalidInputError(page_words(error).replace(str(path), name)) from error
    # new rows need no label, and a fit may have a single predictor
    if frame.shape[1] < 2 and texts is None:
        raise InvalidInputError(f"{name} has a single column; it needs a label and at least one predictor.")
    check_columns(name, frame.shape[1])
    given = "" if sep == _usual_separator(name) else f", sep={sep!r}"
    given += "" if decimal is None else ", decimal=','"
    given += "" if encoding is None else f", encoding={encoding!r}"
    said = " ".join(filter(None, [_encoding_told(frame) if encoding else "", said, *skipped]))
    code = (READER, f"read_table({name!r}{given})")
    if texts is not None:
        code = (READER_OF_NEW_ROWS, f"read_table({name!r}{given}, texts=texts_of(classifier))")
    return Source(frame, name, code, description=said, decimal=decimal, ways_out=ways, sep=sep, encoding=encoding)


def whole_again(frame):
    """Return a table in which numbers that gaps made decimal are whole again, so that no 10 is written as 10.0.

    Examples
    --------
    >>> import pandas as pd
    >>> whole_again(pd.DataFrame({"age": [10.0, None], "dose": [1.5, None]})).to_csv(index=False).split()
    ['age,dose', '10,1.5', ',']
    """
    floats = frame.select_dtypes("float")
    whole = [name for name in floats if floats[name].hasnans and (floats[name].dropna() % 1 == 0).all()]
    return frame.astype({name: "Int64" for name in whole if not (floats[name].abs() >= 2.0**53).any()})


def _read_in_its_encoding(path, **form):
    """Return the table in a CSV file, and its encoding: None for UTF-8, or `OF_EXCEL`, if it is none of UTF-8."""
    try:
        return read_table(path, **form), None
    except InvalidInputError as error:
        if error.fault != "encoding":
            raise
        try:
            return read_table(path, encoding=OF_EXCEL, **form), OF_EXCEL
        except InvalidInputError as other:
            # what else is wrong with the file, unless it is in neither encoding
            raise (error if other.fault == "encoding" else other) from None


def _encoding_told(frame):
    """Return that a table was read as `OF_EXCEL`, with the first letters that show whether it was, as sentences."""
    texts = frame.select_dtypes(exclude=["number", "bool"])
    cells = ((value, name) for name in texts for value in texts[name].dropna().unique())
    cells = ((value, name) for value, name in cells if isinstance(value, str) and not value.isascii())
    value, name = next(cells, (None, None))
    column = next((column for column in frame.columns if not str(column).isascii()), None)
    shown = (
        f": {value!r} in {name!r}" if value is not None else f": the column {column!r}" if column is not None else ""
    )
    return (
        f"The file is not in UTF-8 and is read as Windows-1252, in which Excel writes CSV files{shown}. If letters are "
        "wrong, save the table as CSV in the encoding UTF-8 and upload it again."
    )


def _has_numbers(values, decimal):
    """Whether most different values of a column are numbers with a decimal sign."""
    from pandas.api.types import is_numeric_dtype

    texts = None if is_numeric_dtype(values) else values.dropna().drop_duplicates()
    return texts is None or 2 * int(are_numbers(texts, decimal).sum()) > len(texts)


def _decimal_commas_told(frame, other, columns):
    """Return how the first number with a decimal comma was read, as a sentence; nothing where there is none."""
    from pandas.api.types import is_numeric_dtype

    column = next((name for name in columns if is_numeric_dtype(other[name])), None)
    if column is None:
        return ""
    row = frame[column].str.contains(",").fillna(False).to_numpy().argmax()
    text, number = (table[column].iloc[row] for table in (frame, other))
    return f"Numbers are read with decimal commas: {text!r} in {column!r} is {number:.10g}."


def _with_other_signs(frame, decimal):
    """Return the columns of text that look like numbers with another decimal sign."""
    found = []
    for column in frame.columns:
        try:
            refuse_commas(frame[column], column, decimal)
        except InvalidInputError:
            found.append(column)
    return found


def check_size(name, size):
    """Raise InvalidInputError if a file is larger than the page takes."""
    if size > MAX_BYTES:
        raise InvalidInputError(
            f"{name} has {size / 1e6:.0f} MB and was not read: the page takes at most {MAX_BYTES / 1e6:.0f} MB. Use "
            "the command line or Python for it, which have no such limit."
        )


def check_columns(name, n_columns):
    """Raise InvalidInputError if a table has more columns than the page takes."""
    if n_columns > MAX_COLUMNS:
        raise InvalidInputError(
            f"{name} has {n_columns} columns and was not read: the page takes at most {MAX_COLUMNS}. Leave columns "
            "out, or use the command line or Python, which have no such limit."
        )


def page_words(error, ways_out=None, *, with_line=True):
    """Return the text of an error of the package in the words of the page; some ways out of a fault may be given.

    In which line of the file a row is stands at the end, unless the caller says it.
    """
    way_out = (_WAYS_OUT | (ways_out or {})).get(error.fault)
    text = error.worded(argument=_CONTROLS.get(error.argument), way_out=way_out)
    if error.limit == (0.0, 1.0) and 1 <= error.value < 100 and not error.way_out:
        text += f" Write {error.value / 100:.6g} for {error.value:.6g} %."
    begins_sentence = error.argument in _CONTROLS or error.fault == "target out of reach"
    text = f"{text} {rows_counted(text, EXTENSIONS) if with_line else ''}".rstrip()
    return text[:1].upper() + text[1:] if begins_sentence else text


SPLIT_RATIO = 0.5
# what a file of new rows is called that is not there yet
NEW_FILE = "new.csv"
# shares of the rows that can be set aside for a check, and what the page calls them
ASIDE = {"": "none", "0.2": "20 %", "0.3": "30 %"}
# rows of a class that is divided
FEWEST_DIVIDED = 5
CONTENT = "content of the table"
ORDER = "order of the rows"
# where rows may have been seen that are not recognised
IF_UNSEEN = "if no band of these rows was seen before"
LARGEST_SEED = 2**32 - 1
# the server keeps the model of every split, of every user; the vote of more changes nothing that can be seen
MAX_SPLITS = 999


@dataclass(frozen=True, eq=False)
class Plan:
    """Settings of a fit, all checked.

    Attributes
    ----------
    source : Source
        The table.
    label : str
        The label column.
    class0 : object
        The label of class 0.
    class1 : object
        The other label.
    features : tuple of str
        The predictors.
    texts : tuple of str
        Those of them that are text, and coded as categories.
    methods : tuple of str
        Names of the methods, all different.
    n_splits : int
        Number of splits.
    alpha, delta : float
        The level fixed before the fit, and the bound on the probability that a bound does not hold.
    seed : int
        Root seed, the same for all methods, which therefore get the same splits.
    review_beta : float or None
        Bound on the type II error, where rows between two cuts are left to a person.
    omit : bool
        Whether rows with missing values are left out.
    aside_share : float or None
        Share of the rows that is set aside for a check and takes no part in the fit.
    changed : tuple of str
        What differs from the first fit of these rows, whose band has been seen: settings, or the table itself.
    first : dict or None
        What `fixed` was at that fit; None if these rows are not known from one.
    resembles : bool
        Whether a table with the same columns, or more or fewer of them, had been fitted before that one, or before
        this, with rows that seem to be others.
    """

    source: Source
    label: str
    class0: object
    class1: object
    features: tuple
    texts: tuple
    methods: tuple
    n_splits: int
    alpha: float
    delta: float
    seed: int
    review_beta: float | None = None
    omit: bool = False
    aside_share: float | None = None
    changed: tuple = ()
    first: dict | None = None
    resembles: bool = False

    @cached_property
    def _is_aside(self):
        return None if self.aside_share is None else self.source.drawn(self.label, self.aside_share, self.seed)

    @cached_property
    def kept(self):
        """The rows of the fit, as a `Source`."""
        if self.aside_share is None:
            return self.source
        return replace(self.source, frame=self.source.frame[~self._is_aside])

    @cached_property
    def aside(self):
        """The rows set aside that can be checked, as a `Source`; None if no rows are set aside.

        A row with a category that no row of the fit has cannot be predicted.
        """
        if self.aside_share is None:
            return None
        frame = self.source.frame[self._is_aside]
        unseen = np.any([np.zeros(len(frame), dtype=bool), *self.unseen(frame).values()], axis=0)
        return replace(self.source, frame=frame[~unseen])

    def unseen(self, frame):
        """Return by column which rows of a table have a category that no row of the fit has, as arrays of bool.

        Of a gap it is told elsewhere, and so it is of a column that has numbers in place of text.
        """
        from pandas.api.types import is_numeric_dtype

        fitted, found = self.kept.frame, {}
        if self.leaves_out:
            fitted = fitted.dropna(subset=list(self.features))
        for name in self.texts:
            if not is_numeric_dtype(frame[name]):
                found[name] = (frame[name].notna() & ~frame[name].isin(fitted[name])).to_numpy()
        return found

    @property
    def texts_read(self):
        """How `read_table` reads the columns of new rows: text as text, and numbers as numbers, as 007 is one here.

        An identifier that does not predict keeps its leading zeros.
        """
        usable, texts, _ = self.source.predictors(self.label)
        kept = set(self.source.identifiers) - set(self.features)
        return {name: () if name in texts else None for name in usable if name in texts or name not in kept}

    @property
    def n_aside(self):
        """How many rows are set aside."""
        return 0 if self.aside_share is None else int(self._is_aside.sum())

    @property
    def unknown(self):
        """How many rows set aside have a category that no row of the fit has, as a sentence; nothing for none."""
        n_unknown = self.n_aside - (0 if self.aside is None else len(self.aside.frame))
        if n_unknown == 0:
            return ""
        have = (
            "has a category that no row of the fit has, and counts"
            if n_unknown == 1
            else ("have a category that no row of the fit has, and count")
        )
        return f"{count_of(n_unknown, self.n_aside, first=True)} set aside {have} in no error."

    @property
    def division(self):
        """Python that divides `frame` in the same way: the import, and the lines; None if no rows are set aside."""
        if self.aside_share is None:
            return None
        owner, seed = self.source.owner_column(self.label), f"random_state={self.seed}"
        if owner is None:
            call = f"train_test_split(frame, test_size={self.aside_share}, stratify=frame[{self.label!r}], {seed})"
            lines = f"parts = {call}\nframe, aside = (part.sort_index() for part in parts)"
            return "from sklearn.model_selection import train_test_split", lines
        draw = f"draw = GroupShuffleSplit(1, test_size={self.aside_share}, {seed})"
        lines = f"{draw}\nkept, drawn = next(draw.split(frame, groups=frame[{owner!r}]))"
        return (
            "from sklearn.model_selection import GroupShuffleSplit",
            f"{lines}\nframe, aside = frame.iloc[kept], frame.iloc[drawn]",
        )

    @property
    def data_name(self):
        """What the rows of the fit are called in a report."""
        name, n_rows = f"{Path(self.source.name).name}{self._without_columns}", len(self.source.frame)
        labelled = self.source.unlabelled_told
        if self.aside_share is None:
            return f"{name}{labelled}"
        owner = self.source.owner_column(self.label)
        draw = f"train_test_split, stratified by {self.label}"
        if owner is not None:
            draw = f"GroupShuffleSplit, whole groups by {owner}"
        rows = f", and without {self.n_aside} of the other {n_rows}"
        if not labelled:
            rows = f" without {self.n_aside} of its {n_rows} rows"
        return (
            f"{name}{labelled}{rows}, which were set aside for a check (drawn by scikit-learn's {draw}, test_size "
            f"{self.aside_share}, random_state {self.seed})"
        )

    @property
    def _without_columns(self):
        """Words that follow the name of the file: which of its columns cannot predict; nothing for none."""
        names = list(self.source.predictors(self.label)[2])
        if not names:
            return ""
        more = [f"{len(names) - COLUMNS_NAMED} more"] * (len(names) > COLUMNS_NAMED)
        columns = "column" if len(names) == 1 else "columns"
        return (
            f" (without its {columns} {and_list([*names[:COLUMNS_NAMED], *more])}, which the page cannot use as "
            f"{'a predictor' if len(names) == 1 else 'predictors'})"
        )

    @property
    def columns_left_out(self):
        """The columns that cannot predict, or look like identifiers and were not chosen, each with the reason."""
        usable, _, reasons = self.source.predictors(self.label)
        identifiers = self.source.identifiers
        unlikely = [name for name in usable if name in identifiers and name not in self.features]
        # with more columns there are no boxes
        way = " Tick it among the predictors to use it." * (len(usable) <= MOST_BOXES)
        why = "it looks like an identifier, because"
        return reasons | {name: f"{name}: {why} {identifiers[name]}.{way}" for name in unlikely}

    @property
    def formula(self):
        """The formula of a fit with categories, the label on all predictors; None without them."""
        return f"`{self.label}` ~ ." if self.texts else None

    def settings(self):
        """Return what the user set, by the names on the page, but for the label, which makes another problem."""
        return _on_page(vars(self))

    def fixed(self):
        """Return what must stay as it is once a band of these rows was seen: the settings and the table.

        In another order of the rows the same seed draws other splits.
        """
        marks = {CONTENT: self.marks, ORDER: self.source.marks_in_order(self.label)}
        return {**self.settings(), **marks}

    def after(self, first):
        """Return this plan with what changed since the first fit, of which `fixed` is given; None if this is it."""
        if first is None:
            return replace(self, changed=(), first=None)
        now = self.fixed()
        changed = [name for name in self.settings() if now[name] != first[name]]
        # the tables may have other columns besides
        for name in (CONTENT, ORDER):
            known = dict(now[name])
            if any(known.get(column, mark) != mark for column, mark in first[name]):
                # other rows have no common order
                changed.append(name)
                break
        return replace(self, changed=tuple(changed), first=first)

    def differences(self, *, source, label, **settings):
        """Return in words where the settings on the page, given as to `make_plan`, are not those of this plan."""
        fitted = {"data": self.source.name, "label": self.label, **self.settings()}
        now = {"data": source.name, "label": label, **_on_page(settings)}
        return [
            f"{name} (fitted {_shown(was)}, now {_shown(now[name])})"
            for name, was in fitted.items()
            if was != now[name]
        ]

    def arguments(self):
        """Return the arguments of `nproc` but for the method, as the command line gives them."""
        rows = self.kept.frame[list(self.features)]
        values = label_values(self.kept.frame, self.label)
        return {
            **rows_as_arguments(rows, self.label, values, self.formula),
            "class0": self.class0,
            "delta": self.delta,
            "n_splits": self.n_splits,
            "random_state": self.seed,
            **({"na_action": "omit"} if self.leaves_out else {}),
        }

    @property
    def marks(self):
        """What tells these rows and labels from others, see `Source.marks_of_rows`."""
        return self.source.marks_of_rows(self.label)

    @property
    def owners(self):
        """Why rows depend on each other, if some of one owner do; else an empty text."""
        return self.source.owners_told(self.label)

    @property
    def unmet(self):
        """What a proof requires and these rows or settings do not have, as conditions that begin with "if"."""
        table = " and the table" if {CONTENT, ORDER} & set(self.changed) else ""
        conditions = [f"if these settings{table} had been fixed before the first fit"] * bool(self.changed)
        return conditions + ["if all rows were independent"] * bool(self.owners)

    @property
    def without(self):
        """What follows the name of an error that the band shows: with beta its own error is another one."""
        return ", without review" * (self.review_beta is not None)

    @property
    def leaves_out(self):
        """How many rows with missing values are left out."""
        return int(self.kept.with_gaps(self.features).sum()) if self.omit else 0

    def fitted_rows(self, fit):
        """Return the rows and labels that were given to a fit."""
        return rows_for(fit, self.kept.frame), label_values(self.kept.frame, self.label)

    def rows_file(self, *, aside=False):
        """Return a CSV file of the rows of the fit, or those set `aside`, which commands read by `options_of_rows`."""
        source = self.source
        taken = np.ones(len(source.frame), dtype=bool) if self.aside_share is None else self._is_aside == aside
        # a column may have its gaps in the other rows
        rows = whole_again(source.frame)[taken]
        sep, decimal = self._signs_of_rows
        text = rows.to_csv(index=False, lineterminator="\r\n", sep=sep, decimal=decimal)
        return text.encode("utf-8-sig")

    @property
    def _signs_of_rows(self):
        """The separator and the decimal sign of `rows_file`."""
        source, decimal = self.source, self.source.decimal or "."
        # neither a file that ends in .tsv needs an option nor this one
        return "," if source.name.lower().endswith(".tsv") and decimal == "." else source.sep, decimal

    @property
    def options_of_rows(self):
        """The options with which commands read `rows_file`, as a list of words."""
        return _options_of(*self._signs_of_rows)

    def certify_command(self, model, rows):
        """Return the command that certifies a classifier in the file `model` by the rows set aside in the file `rows`.

        It leaves rows out where it has to.
        """
        has_gaps = self.omit and self.source.with_gaps(self.features)[self._is_aside].any()
        return self._certify(model, rows, self.options_of_rows, omits=bool(has_gaps or self.unknown))

    def certify_new_command(self, model, new=None, *, omits=False):
        """Return the command that certifies a classifier in the file `model` by new rows, a `Source` or those to come.

        Those to come are read as the file of the fit. Rows are left out if it `omits` what gets no prediction or has no
        label.
        """
        if new is None:
            return self._certify(model, NEW_FILE, replace(self.source, name=NEW_FILE).options)
        return self._certify(model, new.name, new.options, omits=omits, labelled=self.label in new.frame.columns)

    def _certify(self, model, rows, options, *, omits=False, labelled=True):
        # what begins with - would be an option of its own
        files = [f"./{name}" if name.startswith("-") else name for name in (model, rows)]
        label = [option_with("--label", self.label)] * labelled
        more = shlex.join([*options, *["--na-action", "omit"] * omits])
        return " ".join(filter(None, [shlex.join(["npc", "certify", *files]), *label, more]))

    def missing_note(self):
        """Return a sentence that names the predictors with missing values, empty if there are none."""
        return gaps_told(self.kept.frame[list(self.features)])

    @property
    def codes_told(self):
        """Which numbers look like codes for missing values, as the page says before the fit; usually empty."""
        return table_codes_told(self.source.frame[list(self.features)])

    def out_of_reach(self):
        """Return each `Room` whose rows allow no threshold at its level, alpha or beta, together with this level."""
        levels = [(self.room, self.alpha)]
        if self.review_beta is not None:
            levels.append((self._room_for(1), self.review_beta))
        return tuple((room, level) for room, level in levels if not room.carries(level))

    @property
    def room(self):
        """The `Room` of these rows for alpha."""
        return self._room_for(0)

    def _room_for(self, number):
        how = {"number": number, "is_aside": self._is_aside}
        how["barred"] = "" if self.omit else gaps_barred(self.source.frame[list(self.features)], self.methods)
        complete_in = self.features if self.omit or how["barred"] else ()
        return room_of(self.source, self.label, self.class0, self.delta, complete_in, **how)

    @property
    def resembles_told(self):
        """What follows for a proof if a table with such columns was fitted before; else an empty text."""
        if not self.resembles or self.unmet:
            return ""
        return (
            "A table with the same columns, or with more or fewer of them, was fitted before in this session, and the "
            f"page does not recognise its rows in this one. What is proved here is proved {IF_UNSEEN}."
        )

    def advice(self):
        """Return what the reader should know before looking at the band, as a list of sentences."""
        said = [self.resembles_told] * bool(self.resembles_told)
        said += [f"Coded as categories: {', '.join(self.texts)}."] if self.texts else []
        said += doubtful_categories_told(self.source.frame, self.texts)
        if self.aside_share is not None:
            owner = self.source.owner_column(self.label)
            how = "within each class" if owner is None else f"with all rows of the same {owner!r} together"
            said.append(
                f"{self.n_aside} of the {len(self.source.frame)} rows, drawn at random {how}, are set aside "
                "for a check. They take no part in the fit."
            )
        if self.leaves_out:
            have = "has missing values and is" if self.leaves_out == 1 else "have missing values and are"
            promised = "" if self.unmet else " What is promised holds for rows without missing values."
            said.append(f"{count_of(self.leaves_out, len(self.kept.frame), first=True)} {have} left out.{promised}")
        return said


def _usual_separator(name):
    """Return the separator that commands take for that of a CSV file by its name."""
    return "\t" if name.lower().endswith(".tsv") else ","


def _options_of(sep, decimal, usual=","):
    """Return the options with which commands read a CSV file, as a list of words."""
    words = [] if sep == usual else ["--sep", "\\t" if sep == "\t" else sep]
    return [*words, *([] if decimal == "." else ["--decimal", decimal])]


def names_class(label):
    """Return whether a label says by itself what its class is, as most words do; others need the column beside them.

    Examples
    --------
    >>> [label for label in ("malignant", "no diabetes", "A201", "Yes", "no", "f", "01", 1) if names_class(label)]
    ['malignant', 'no diabetes', 'A201']
    """
    if not isinstance(label, str) or len(label) < 2 or not any(letter.isalpha() for letter in label):
        return False
    return label.casefold() not in ("yes", "no", "true", "false")


def and_list(names, word="and"):
    """Return some names as a list in a sentence."""
    return f" {word} ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def gaps_told(rows):
    """Return in a sentence how many rows of a table have missing values and where, empty if none has."""
    counts = rows.isna().sum()
    counts = counts[counts > 0].sort_values(ascending=False)
    if counts.empty:
        return ""
    n_rows = int(rows.isna().any(axis=1).sum())
    have = "has" if n_rows == 1 else "have"
    return f"{count_of(n_rows, len(rows), first=True)} {have} missing values: {counts_named(counts.items())}."


def table_codes_told(rows):
    """Return which numbers of a table of predictors look like codes for missing values, empty if none does."""
    numbers = rows.select_dtypes("number")
    warning = code_warning(numbers.to_numpy(dtype=float, na_value=np.nan), numbers.columns)
    return "" if warning is None else page_words(warning, with_line=False)


def gaps_barred(rows, methods):
    """Return why a fit by some methods cannot use the rows with gaps of a table, as a sentence; empty if it can."""
    from pandas.api.types import is_numeric_dtype

    with_gaps = rows.columns[rows.isna().any()]
    if not all(is_numeric_dtype(rows[name]) for name in with_gaps):
        return NO_METHOD
    unable = [name for name in methods if not scorer_spec(name).takes_gaps]
    if len(with_gaps) == 0 or not unable:
        return ""
    return f"{and_list(unable)} cannot use rows with missing values."


def gaps_way(rows):
    """Return what to do about the missing values of a table of predictors."""
    from pandas.api.types import is_numeric_dtype

    if not all(is_numeric_dtype(rows[name]) for name in rows.columns[rows.isna().any()]):
        return MISSING
    able = [name for name in scorer_names() if scorer_spec(name).takes_gaps]
    return f"{MISSING[:-1]}, or choose {and_list(able, 'or')}, which can use such rows."


@dataclass(frozen=True)
class Room:
    """Which levels the rows of a class can carry: those of class 0 alpha, and those of class 1 beta.

    Attributes
    ----------
    rows, left : int
        Rows of the class, and those of them that are left out for a threshold.
    delta : float
        Bound on the probability that the bound does not hold.
    number : {0, 1}
        The class.
    barred : str
        Why rows with missing values are not counted, although they are not left out yet; else empty.
    """

    rows: int
    left: int
    delta: float
    number: int = 0
    barred: str = ""

    @property
    def level(self):
        """What the level is called that these rows carry."""
        return ("alpha", "beta")[self.number]

    @property
    def smallest(self):
        """The smallest level that has a threshold, rounded up to three digits, as text."""
        return round_up(type1_upper(self.left, self.left, self.delta))

    @property
    def is_of_use(self):
        """Whether the smallest level is one to work with: above 0.5 a coin errs less often."""
        return self.left > 0 and float(self.smallest) <= 0.5

    def carries(self, level):
        """Return whether there is a threshold at a level."""
        return smallest_size(level, self.delta) <= self.left

    def told(self, level):
        """Return a few sentences about a level."""
        return f"{self._told(level)} {self.barred and f'{self.barred} Such rows are not counted here.'}".rstrip()

    def _told(self, level):
        rows, cut = f"class {self.number} rows", ("the threshold", "a second threshold")[self.number]
        if self.carries(level):
            return (
                f"{self.left} of the {self.rows} {rows} are left out to set {cut}. With them {self.level} can be "
                f"{self.smallest} or larger."
            )
        way = f"No {self.level} of 0.5 or below is possible with them."
        if self.is_of_use:
            way = f"With them {self.level} can be {self.smallest} or larger."
        needed = smallest_size(level, self.delta)
        in_all = rows_in_all(needed, SPLIT_RATIO)
        return (
            f"There are too few {rows} for {self.level} = {level:g} with delta = {self.delta:g}. That needs "
            f"{needed:.10g} left-out {rows}, so {in_all:.10g} in all, and {self.left} of the {self.rows} are left "
            f"out. {way}"
        )


def room_of(source, label, class0, delta, complete_in=(), *, number=0, is_aside=None, barred=""):
    """Return the `Room` of the rows of a class: all, or those without a gap in some columns that are not set aside."""
    labels = source.labels(label)
    value = class0 if number == 0 else next(value for value in labels.first if value != class0)
    rows = labels.counts[labels.first.index(value)]
    if complete_in or is_aside is not None:
        counts = label_values(source.frame, label) == value
        if is_aside is not None:
            counts &= ~is_aside
        complete = counts & ~source.with_gaps(complete_in) if complete_in else counts
        if barred and not complete.any():
            # the gaps themselves are then the fault to tell
            complete, barred = counts, ""
        rows = int(np.sum(complete))
    return Room(rows, rows - n_train(rows, SPLIT_RATIO), delta, number, barred)


def _on_page(settings):
    """Return settings by their names on the page, so that they can be compared: the order of columns does not count."""
    return {
        "class 0": None if settings["class0"] is None else str(settings["class0"]),
        "predictors": sorted(settings["features"]),
        "methods": sorted(settings["methods"]),
        "alpha": settings["alpha"],
        "delta": settings["delta"],
        "splits": settings["n_splits"],
        "seed": settings["seed"],
        "beta": settings.get("review_beta"),
        "rows with missing values": "left out" if settings.get("omit") else "kept",
        "share of rows set aside": ASIDE[share_named(settings.get("aside_share"))],
    }


def share_named(share):
    """Return a share of rows to set aside, which may be None, as the name that the page has for it in `ASIDE`."""
    return "" if share is None else f"{share:g}"


def _shown(setting):
    if isinstance(setting, list):
        return f"{len(setting)} of them" if len(setting) > 5 else ", ".join(setting) or "none"
    if isinstance(setting, str):
        return repr(setting)
    return "empty" if setting is None else f"{setting:.10g}"


def refuse_empty(value, name):
    """Raise InvalidInputError if a field of a number is empty, or holds what the browser cannot read as one."""
    if value is None:
        example = "0.05, with a point" if name in ("alpha", "delta") else 1
        said = name.replace("n_", "number of ")
        raise InvalidInputError(f"{said} is empty or no number: give a number, such as {example}.", argument=said)


def make_plan(source, *, label, class0, features, methods, omit=False, review_beta=None, aside_share=None, **numbers):
    """Return the `Plan` of the settings on the page; InvalidInputError says what is wrong with them.

    The features are some of those that `Source.predictors` gives; the numbers are alpha, delta, n_splits and seed.
    """
    if source is None:
        raise InvalidInputError("There are no data yet: upload a CSV file, or pick a sample.", fault="no data")
    require_columns(source.frame, [label], "the label")
    present = source.labels(label)
    if present.n_distinct != 2:
        raise InvalidInputError(present.not_two(label), fault="no label")
    first, second = present.first
    if class0 is None:
        raise InvalidInputError(
            f"Choose the class whose error you bound, {first!r} or {second!r}. It is class 0, whose misclassification "
            "is controlled. Choose before the first fit: nothing is guaranteed for a class chosen after you have seen "
            "a band.",
            fault="no class 0",
        )
    class0 = match_label(class0, present.first)
    class1 = second if class0 == first else first
    if not features:
        usable, _, reasons = source.predictors(label)
        said = "Choose at least one predictor."
        if not usable:
            first = next(iter(reasons.values()))
            said = f"No column can be a predictor. {first[:1].upper()}{first[1:]}"
        raise InvalidInputError(said, fault="no predictor")
    if not methods:
        raise InvalidInputError("Choose at least one method.", fault="no method")
    for method in methods:
        scorer_spec(method)
    for name in ("alpha", "delta", "n_splits", "seed"):
        refuse_empty(numbers[name], name)
    reason = (
        "the server keeps one model for each split. Fewer splits give nearly the same vote; the command line accepts "
        "more"
    )
    n_splits = check_count(numbers["n_splits"], "number of splits", maximum=MAX_SPLITS, reason=reason)
    if n_splits % 2 == 0:
        raise InvalidInputError(
            f"The number of splits must be odd, such as {n_splits - 1} or {n_splits + 1}, got {n_splits}. A tied vote "
            "of an even number would be called class 0, which raises the type II error.",
            fault="even splits",
        )
    seed = check_count(numbers["seed"], "seed", minimum=0, maximum=LARGEST_SEED, reason="it has 32 bits")
    chosen = set(features)
    return Plan(
        source=source,
        label=label,
        class0=class0,
        class1=class1,
        features=tuple(features),
        texts=tuple(name for name in source.predictors(label)[1] if name in chosen),
        methods=tuple(dict.fromkeys(methods)),
        n_splits=n_splits,
        alpha=check_level(numbers["alpha"], "alpha"),
        delta=check_delta(numbers["delta"]),
        seed=seed,
        review_beta=None if review_beta is None else check_level(review_beta, "review_beta"),
        omit=omit,
        aside_share=aside_share,
    )
