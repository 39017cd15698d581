"""CSV files of rows: what one pass over the lines found is kept, and any block of lines can then be read alone."""

import io
from contextlib import contextmanager

import numpy as np

from nproc.checks import count_of
from nproc.errors import InvalidInputError, NPError, NPWarning, giving_ways_out, warn_at_call
from nproc.row_chunks.csv_lines import SAVE, check_encoding, check_format, read_lines, refusing
from nproc.row_chunks.sources import block_rows, check_stamp, choose_columns, columns_of, cut_frame, file_mark, stamp
from nproc.rows import SIGNS_OF_GAPS, are_numbers, columns_in_doubt, refuse_commas, refuse_two_signs

CSV_ENDINGS = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".txt", ".txt.gz")
SHEET_ENDINGS = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
# rows from which the types of the columns are inferred
LOOK_ROWS = 10_000


def unknown_extension(path, known):
    """Return what to say of a file that has none of the `known` endings.

    Examples
    --------
    >>> print(unknown_extension("ward.dat", (".csv", ".tsv")))
    the file ward.dat has an unknown extension; the known ones are .csv, .tsv.
    """
    told = f"the file {path} has an unknown extension; the known ones are {', '.join(known)}."
    if not str(path).lower().endswith(SHEET_ENDINGS):
        return told
    return f"{told} {SAVE} with one row of column names."


def exact_floats():
    """Return options with which read_csv reads numbers to the last digit; from pandas 3.1 on it always does."""
    import pandas as pd

    is_new = tuple(int(piece) for piece in pd.__version__.split(".")[:2]) >= (3, 1)
    return {} if is_new else {"float_precision": "round_trip"}


def may_be_rounded(values):
    """Return whether a column has gaps, and whole numbers so large that a gap among them may have rounded them.

    Examples
    --------
    >>> import pandas as pd
    >>> may_be_rounded(pd.Series([26061012300040017, None], dtype=float)), may_be_rounded(pd.Series([7.0, None]))
    (True, False)
    """
    if values.dtype != np.float64 or not values.hasnans:
        return False
    numbers = values.dropna().to_numpy()
    # infinity has no remainder
    return bool(np.isfinite(numbers).all() and np.any(np.abs(numbers) >= 2.0**53) and np.all(numbers % 1 == 0))


def whole_numbers(exact, values):
    """Return a column as whole numbers with gaps, as text if they exceed 64 bits, or as it is if others are among them.

    Parameters
    ----------
    exact : Series
        The values, as text or as whole numbers; gaps are missing values.
    values : Series
        The same, as they were read.

    Examples
    --------
    >>> import pandas as pd
    >>> exact = pd.Series(["26061012300040017", None])
    >>> whole_numbers(exact, exact.astype(float)).tolist()
    [26061012300040017, <NA>]
    """
    there = exact.notna()
    try:
        numbers = [int(value) for value in exact[there]]
    except ValueError:
        return values
    if not all(-(2**63) <= number < 2**63 for number in numbers):
        return exact
    whole = values.isna().map({True: None}).astype("Int64")
    whole[there.to_numpy()] = numbers
    return whole


class CSVTable:
    """A CSV file whose lines have been checked, as pandas reads it: the one reader of such files.

    A column with leading zeros, as in 007, holds codes, and is read as text.

    Attributes
    ----------
    columns : list of str
        The columns that are read, without row names.
    n_rows : int
        Number of rows.
    places : list of int
        Where blocks of rows begin; see `CSVLines`.
    empty : ndarray
        The rows, from 0, of which every field is empty; see `CSVLines`.
    without_empty : dict
        Options of `read` that skip these.
    may_doubt : bool
        Whether `look` looks for signs that may stand between thousands.
    """

    def __init__(self, path, sep=None, decimal=None, *, encoding=None, n_block=LOOK_ROWS, asked=(), texts=None):
        self.sep, self.decimal = check_format(path, sep, decimal)
        self._path, self._n_block = path, n_block
        # few new rows may have no other number that shows the sign which was given
        self.may_doubt = decimal is None or (self.sep == self.decimal and texts is None)
        is_found = sep is None and self.decimal == "," and ".tsv" not in path.name.lower()
        lines = read_lines(path, self.sep, n_block, asked, check_encoding(encoding), is_found=is_found)
        self._encoding = lines.encoding
        known = {**dict.fromkeys(lines.codes, ()), **(texts or {})}
        # None is for numbers of a fit
        self._texts = {name: signs for name, signs in known.items() if signs is not None}
        nameless = [None] * (lines.n_fields - len(lines.columns))
        self._fields = [f"\0{j}" if name is None else name for j, name in enumerate([*lines.columns, *nameless])]
        self.columns = [name for name in lines.columns if name is not None]
        self.n_rows, self.places = lines.n_rows, lines.places
        self.empty = np.array(lines.empty, dtype=np.int64)
        # the header is the first line for pandas, whatever its fields hold
        self.without_empty = {"skiprows": [row + 1 for row in lines.empty]} if lines.empty else {}
        # rows at the end change no number of the others
        rows = np.delete(np.arange(self.n_rows), lines.empty) if lines.empty else np.arange(0)
        self._numbers = None if np.array_equal(rows, np.arange(rows.size)) else rows
        # otherwise pandas skips no row behind a bare carriage return, and before 3.1 misreads some
        self._ends = {"lineterminator": "\r"} if lines.returns_only else {}

    def read(self, **options):
        """Return what read_csv makes of the file: a frame, or a reader of chunks."""
        encoding = "utf-8-sig" if self._encoding == "utf-8" else self._encoding
        return self._parse(self._path, encoding=encoding, **options)

    def numbered(self, frame):
        """Return rows that were read without the empty ones, with the number of each in the file as its index.

        Gaps that pandas took for texts, among whole numbers from 2**63 on, become missing.
        """
        for name in frame.columns:
            if frame[name].dtype.kind == "O" and name not in self._texts:
                gaps = frame[name].isin(SIGNS_OF_GAPS)
                frame = frame.assign(**{name: frame[name].mask(gaps)}) if gaps.any() else frame
        return frame if self._numbers is None else frame.set_axis(self._numbers[frame.index])

    def look(self, n_rows=LOOK_ROWS):
        """Return the frame of the first rows, or of all if None, and which of its columns are text for their points.

        These are columns of numbers whose points may stand between thousands, and quoted commas beside others between
        the columns; with another decimal sign there are none. Whole numbers with gaps among them keep all their digits,
        also those that no float64 holds. Rows of which every field is empty are skipped, and the index has the number
        of each of the others in the file, from 0.
        """

        def as_text(names):
            return self.numbered(self.read(nrows=n_rows, usecols=names, dtype="str", **self.without_empty))

        frame = self.numbered(self.read(nrows=n_rows, **self.without_empty))
        if rounded := [name for name in self.columns if may_be_rounded(frame[name])]:
            texts = as_text(rounded)
            frame = frame.assign(**{name: whole_numbers(texts[name], frame[name]) for name in rounded})
        if not self.may_doubt:
            return frame, []
        texts = columns_in_doubt(frame, self.sep, as_text, self.decimal)
        for name in texts.columns:
            frame[name] = texts[name]
        return frame, list(texts.columns)

    def read_block(self, block, **options):
        """Return the frame of a block of rows without the empty ones; its index has their numbers in the file."""
        import pandas as pd

        rows = range(block * self._n_block, min((block + 1) * self._n_block, self.n_rows))
        empty = self.empty[np.searchsorted(self.empty, rows.start) : np.searchsorted(self.empty, rows.stop)]
        numbers = np.delete(rows, empty - rows.start) if empty.size else pd.RangeIndex(rows.start, rows.stop)
        if not len(numbers):
            return pd.DataFrame(columns=options.get("usecols", self.columns))
        skipped = {"skiprows": (empty - rows.start).tolist()} if empty.size else {}
        with open(self._path, "rb") as file:
            file.seek(self.places[block])
            data = file.read(self.places[block + 1] - self.places[block])
        # not a made-up header: pandas compares its names with each other
        frame = self._parse(io.BytesIO(data), encoding=self._encoding, header=None, **skipped, **options)
        return frame.set_axis(numbers)

    def _parse(self, source, **options):
        import pandas as pd

        known = {"names": self._fields, "usecols": self.columns, "header": 0, "index_col": False, "low_memory": False}
        read = {**known, **self._ends, **options}
        texts = [name for name in self._texts if name in read["usecols"]]
        if texts and read.get("dtype") != "str":
            read["dtype"] = {**(read.get("dtype") or {}), **dict.fromkeys(texts, "str")}
        if any(self._texts[name] for name in texts):
            # a text of the fit is none of the signs for a missing value in its column
            read["na_values"] = {name: set(SIGNS_OF_GAPS) - set(self._texts.get(name, ())) for name in self.columns}
            read["keep_default_na"] = False
        return pd.read_csv(source, sep=self.sep, decimal=self.decimal, **exact_floats(), **read)


class CSVSource:
    """Rows of a CSV file, in blocks of some thousand lines; see `nproc.row_chunks.sources.ArraySource`.

    A compressed file has no places to begin at: it is one block, read from its beginning. The types of the columns are
    those of the first rows, the same in every block: numbers become float64, and all else but true and false is text.
    Rows of which every field is empty are skipped with a warning; they keep their numbers.
    """

    def __init__(self, path, label, features, drop, chunk_size, *, texts=None, decimal=None, **form):
        self.name, self._path, self._label = str(path), path, label
        self._stamp = stamp([path])
        self._compressed = path.name.lower().endswith(".gz")
        asked = [label, *(features or ())]
        known = {"n_block": block_rows(chunk_size), "asked": asked, "texts": texts}
        self._table = CSVTable(path, decimal=decimal, **form, **known)
        self.features = choose_columns(self._table.columns, label, features, drop, self.name)
        with self._refusing():
            look, _ = self._table.look()
        refuse_two_signs(look[self.features], decimal)
        # only between commas are quoted commas in doubt
        ways_out = (
            {} if self._table.sep == "," else {"commas in doubt": "If they are decimal commas, give decimal=','."}
        )
        where = f"in the first {LOOK_ROWS} rows " if self._table.n_rows > LOOK_ROWS else ""
        for name in self.features:
            with giving_ways_out(ways_out):
                refuse_commas(look[name], f"column {name!r} {where}of {self.name}", decimal)
        self.has_labels = label is not None
        found = {name: getattr(kind, "kind", "O") for name, kind in look.dtypes.items()}
        self._kinds = {name: _COMMON.get(kind, "str") for name, kind in found.items()}
        self._whole_labels = self.has_labels and found[label] == "i"
        self.n_rows, self.empty = self._table.n_rows, self._table.empty
        if self.empty.size == self.n_rows:
            raise InvalidInputError(f"{self.name} has no rows.")
        if self.empty.size:
            have = "has nothing in any column and is" if self.empty.size == 1 else "have nothing in any column and are"
            count = count_of(self.empty.size, self.n_rows, first=True)
            warn_at_call(f"{count} of {self.name} {have} skipped, the first in row {self.empty[0] + 1}.", NPWarning)
        self.n_blocks = 1 if self._compressed else len(self._table.places) - 1

    def origins(self):
        """Return the mark of the file, and 0 for the number of its first row."""
        return [(file_mark(self._path, self._stamp), 0)]

    def read(self, block, piece_rows, what):
        """Yield (numbers, X, y) for one block; see `ArraySource.read`."""
        check_stamp(self._stamp)
        wanted = columns_of(what, self.features, self._label)
        kinds = {name: self._kinds[name] for name in wanted}
        frames = self._stream(piece_rows, kinds) if self._compressed else self._one_block(block, kinds)
        for frame in frames:
            if "y" in what and self._whole_labels and (frame[self._label] % 1 == 0).all():
                frame[self._label] = frame[self._label].astype(np.int64)
            yield from cut_frame(frame, frame.index, piece_rows, what, self.features, self._label, self.name)

    def _one_block(self, block, kinds):
        def as_text():
            yield self._table.read_block(block, usecols=list(kinds), dtype="str")

        with self._refusing(kinds, as_text):
            frame = self._table.read_block(block, usecols=list(kinds), dtype=_types(kinds))
        yield frame

    def _stream(self, piece_rows, kinds):
        def pieces(dtype):
            options = {"usecols": list(kinds), "dtype": dtype, **self._table.without_empty}
            with self._table.read(chunksize=piece_rows, **options) as reader:
                yield from map(self._table.numbered, reader)

        with self._refusing(kinds, lambda: pieces("str")):
            yield from pieces(_types(kinds))

    @contextmanager
    def _refusing(self, kinds=None, as_text=None):
        import pandas as pd

        with refusing(self.name):
            try:
                yield
            except NPError:
                raise
            except ValueError as error:
                # text among numbers: the rows are read once more, as text, to tell which value it is
                if as_text is not None and not isinstance(error, pd.errors.ParserError | UnicodeError):
                    for frame in as_text():
                        self._refuse_values(frame, kinds, error)
                raise

    def _refuse_values(self, frame, kinds, cause):
        """Raise for the first value in a frame of text that is not of the type of its column, if there is one."""
        import pandas as pd

        for name, kind in kinds.items():
            if kind == "str":
                continue
            values = frame[name]
            if kind == "bool":
                what, wrong = "true and false only", ~values.str.lower().isin(("true", "false"))
            else:
                what, wrong = "numbers", values.notna() & ~are_numbers(values, self._table.decimal)
            if not wrong.any():
                continue
            row = int(np.flatnonzero(wrong)[0])
            found = "a missing value" if pd.isna(values.iloc[row]) else repr(values.iloc[row])
            is_label = name == self._label
            way_out = "Give all labels one type." if is_label else "Correct it, or write the column as text throughout."
            if kind != "bool" and not is_label:
                way_out = "Correct it, leave it empty if it is missing, or do not read the column (drop=, features=)."
            raise InvalidInputError(
                f"{self.name} has {found} in row {frame.index[row] + 1} of column {name!r}, which holds {what} in the "
                f"first {LOOK_ROWS} rows. {way_out}"
            ) from cause


def _types(kinds):
    """Return the one type of all columns, which pandas reads faster than a type for each, or those of each."""
    one = set(kinds.values())
    return one.pop() if len(one) == 1 else kinds


# a column of numbers may have missing ones further on
_COMMON = {"b": "bool", "i": "float64", "u": "float64", "f": "float64"}
