"""The table that a user works on: an upload or a sample, read, checked and described."""

from __future__ import annotations

import csv
import hashlib
import heapq
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from nproc import datasets, tabular
from nproc.errors import InvalidInputError

MAX_BYTES = 200_000_000
# each column is looked through and listed on the page
MAX_COLUMNS = 2000
# distinct values of a column that are shown
FIRST_VALUES = 5
EXTENSIONS = (".csv", ".tsv", ".txt")
SEPARATORS = (",", ";", "\t", "|")
SAMPLES = {
    "breast_cancer": ("Breast cancer", "load_breast_cancer_np"),
    "simulation1": ("Simulation 1, one predictor", "load_simulation1"),
    "simulation2": ("Simulation 2, two predictors", "load_simulation2"),
    "logistic_world": ("Logistic world of the R examples", "load_logistic_world"),
}
# names that label columns often have
_LABEL_NAMES = ("y", "label", "class", "target", "outcome", "diagnosis", "status", "response")
_PAGE_WORDS = (
    (", or name the columns in a --formula", ""),
    ("--drop the column", "leave out the column"),
    ("--drop it", "leave it out"),
    ("leave it out of --features", "leave it out of the predictors"),
    ("type2_max", "the target"),
    ("Impute them in a pipeline", "Fill them in, leave out those columns or rows"),
    ("give decimal=',' (--decimal ',' on the command line)", "save the table with decimal points"),
    ("give decimal='.' (--decimal '.' on the command line)", "save the table with decimal commas throughout"),
)


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
    """

    n_distinct: int
    first: tuple
    counts: tuple
    problem: str = ""

    def __str__(self):
        return ", ".join(str(value) for value in self.first) + (", ..." if self.n_distinct > len(self.first) else "")


def _values_of(frame, column):
    problem = ""
    try:
        values = tabular.label_values(frame[[column]], column)
    except InvalidInputError as error:
        values, problem = frame[column].dropna().to_numpy(), page_words(error)
    counts = Counter(values.tolist())
    first = tuple(heapq.nsmallest(FIRST_VALUES, counts, key=str))
    return ColumnValues(len(counts), first, tuple(counts[value] for value in first), problem)


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
    fingerprint : str
        The same for two sources of the same rows.
    """

    frame: object
    name: str
    code: tuple
    label: str | None = None
    class0: object = None
    description: str = ""
    fingerprint: str = ""

    @cached_property
    def likely_label(self):
        """The column that most looks like the label."""
        if self.label is not None:
            return self.label
        columns = [str(column) for column in self.frame.columns]
        two = [c for c in columns if self.values[c].n_distinct == 2]
        named = [c for c in columns if c.lower() in _LABEL_NAMES]
        return next(iter([c for c in named if c in two] + two[::-1] + named + columns[-1:]))

    def labels(self, column):
        """Return the `ColumnValues` of a column that is to be the label; missing values are an error."""
        if self.values[column].problem:
            raise InvalidInputError(self.values[column].problem)
        return self.values[column]

    @cached_property
    def values(self):
        """The `ColumnValues` of each column: of a tall table they take seconds, and no page may wait for them."""
        return {column: _values_of(self.frame, column) for column in self.frame.columns}

    def predictors(self, label):
        """Return the columns that can predict, those of them that are text, and the reasons against the others."""
        others = [column for column in self.frame.columns if column != label]
        texts, unusable = self._not_numeric
        usable = [column for column in others if column not in unusable]
        reasons = {column: unusable[column] for column in others if column in unusable}
        return usable, [column for column in usable if column in texts], reasons

    @cached_property
    def _not_numeric(self):
        """Columns of text that can be categories, and the reasons against those that cannot."""
        from pandas.api.types import is_numeric_dtype

        texts, unusable = set(), {}
        columns = self.frame.columns
        for column, dtype in self.frame.dtypes.items():
            if is_numeric_dtype(dtype):
                continue
            try:
                # any other column serves as the label
                label = columns[1] if column == columns[0] else columns[0]
                tabular.choose_predictors(self.frame, label, features=[column])
                texts.add(column)
            except InvalidInputError as error:
                unusable[column] = page_words(error)
        return texts, unusable


def sample_source(key):
    """Return one of the `SAMPLES` as a `Source`."""
    title, loader = SAMPLES[key]
    data = getattr(datasets, loader)()
    code = (f"from nproc.datasets import {loader}", f"{loader}().frame")
    return Source(data.frame, title, code, data.label_name, data.class0, data.description, key)


def uploaded_source(path, name):
    """Return an uploaded CSV file as a `Source`.

    Parameters
    ----------
    path : str or path
        Where the file is.
    name : str
        What the user calls it.

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
            f"{name} is not a CSV file by its name, which should end in {', '.join(EXTENSIONS)}. Save the table as CSV "
            "with one row of column names."
        )
    try:
        sep, n_columns = guess_separator(path)
        check_columns(name, n_columns)
        frame = tabular.read_table(path, sep=sep)
    except InvalidInputError as error:
        raise InvalidInputError(page_words(error).replace(str(path), name)) from error
    if frame.shape[1] < 2:
        raise InvalidInputError(f"{name} has a single column; it needs a label and at least one predictor.")
    check_columns(name, frame.shape[1])
    default = "\t" if name.lower().endswith(".tsv") else ","
    given = "" if sep == default else f", sep={sep!r}"
    code = ("from nproc.tabular import read_table", f"read_table({name!r}{given})")
    with path.open("rb") as file:
        fingerprint = hashlib.file_digest(file, "sha256").hexdigest()
    return Source(frame, name, code, fingerprint=fingerprint)


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


def guess_separator(path):
    """Return the separator that splits the first line of a file into most columns, and the number of those."""
    with open(path, encoding="utf-8-sig", errors="replace", newline="") as file:
        first = file.readline(1_000_000)
    try:
        columns = {sep: len(next(csv.reader([first], delimiter=sep), [])) for sep in SEPARATORS}
    except csv.Error as error:
        raise InvalidInputError(f"the first line of {path} is no row of column names: {error}.") from error
    sep = max(columns, key=columns.get)
    return sep, columns[sep]


def page_words(message):
    """Return a message of the command line in the words of the page, which has no options with two hyphens."""
    text = str(message)
    for option, words in _PAGE_WORDS:
        text = text.replace(option, words)
    return text
