"""CSV files of rows: the places of their lines are found once, and any block of lines can then be read alone."""

from __future__ import annotations

import io
import warnings
from contextlib import contextmanager
from functools import cached_property

import numpy as np

from nproc.errors import InvalidInputError, NPError
from nproc.row_chunks.sources import block_rows, check_stamp, choose_columns, columns_of, cut_frame, file_mark, stamp

CSV_ENDINGS = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".txt", ".txt.gz")
# rows from which the types of the columns are inferred, and bytes that are held while lines are looked for
LOOK_ROWS, SCAN_BYTES = 10_000, 1 << 20
NEW_LINE, RETURN, QUOTE = 10, 13, 34
# name of the column of what a line has too many
BEYOND = "\0beyond"


def exact_floats():
    """Return options with which read_csv reads numbers to the last digit; from pandas 3.1 on it always does."""
    import pandas as pd

    release = tuple(int(piece) for piece in pd.__version__.split(".")[:2])
    return {} if release >= (3, 1) else {"float_precision": "round_trip"}


class CSVSource:
    """Rows of a CSV file, in blocks of some thousand lines; see `nproc.row_chunks.sources.ArraySource`.

    A compressed file has no places to begin at: it is one block, read from its beginning. The types of the columns are
    those of the first rows, the same in every block: numbers become float64, and all else but true and false is text.
    """

    def __init__(self, path, label, features, drop, sep, chunk_size):
        self.name, self._path, self._label = str(path), path, label
        self._sep = sep or ("\t" if ".tsv" in path.name.lower() else ",")
        self._stamp = stamp([path])
        self._block_rows = block_rows(chunk_size)
        self._compressed = path.name.lower().endswith(".gz")
        with self._refusing(0):
            header = self._parse(path, header=None, nrows=1, dtype=str, encoding="utf-8-sig").iloc[0]
        # a first column without a name holds row names
        self._columns = [f"\0{place}" if name != name else name for place, name in enumerate(header)]
        self._check_separator(label, features)
        with self._refusing(0):
            look = self._look(path)
        named = [name for name in self._columns if not name.startswith("\0")]
        self.features = choose_columns(named, label, features, drop, self.name)
        if len(look) == 0:
            raise InvalidInputError(f"{path} has a header but no rows.")
        self.has_labels = label is not None
        found = [getattr(kind, "kind", "O") for kind in look.dtypes]
        self._kinds = {name: _COMMON.get(kind, "str") for name, kind in zip(self._columns, found, strict=True)}
        self._whole_labels = self.has_labels and found[self._columns.index(label)] == "i"

    def _check_separator(self, label, features):
        """Raise for a single column whose name holds other separators, unless it is asked for by that name."""
        name, asked = self._columns[0], [label, *(features or ())]
        others = [sign for sign in ",;\t|" if sign != self._sep and sign in name]
        if len(self._columns) == 1 and others and name not in asked:
            raise InvalidInputError(
                f"{self.name} has a single column {name!r} with the separator {self._sep!r}; give sep={others[0]!r}."
            )

    @cached_property
    def _places(self):
        places, n_rows = find_lines(self._path, self._block_rows)
        if n_rows == 0:
            raise InvalidInputError(f"the lines of {self.name} do not end in a line feed; write the file anew.")
        return places, n_rows

    def origins(self):
        """Return the mark of the file, and 0 for the number of its first row."""
        return [(file_mark(self._path, self._stamp), 0)]

    @cached_property
    def n_rows(self):
        """Number of rows, from one pass over the file."""
        if not self._compressed:
            return self._places[1]
        return sum(n for _, n, _, _ in self.read(0, self._block_rows, "y" if self.has_labels else "X"))

    @property
    def n_blocks(self):
        """Number of blocks: 1 for a compressed file."""
        return 1 if self._compressed else len(self._places[0]) - 1

    def read(self, block, piece_rows, what):
        """Yield (start, n, X, y) for one block; see `ArraySource.read`."""
        check_stamp(self._stamp)
        wanted = columns_of(what, self.features, self._label)
        kinds = {name: self._kinds[name] for name in wanted}
        frames = self._stream(piece_rows, kinds) if self._compressed else self._one_block(block, kinds)
        for start, frame in frames:
            if "y" in what and self._whole_labels and (frame[self._label] % 1 == 0).all():
                frame[self._label] = frame[self._label].astype(np.int64)
            yield from cut_frame(frame, start, piece_rows, what, self.features, self._label, self.name)

    def _one_block(self, block, kinds):
        places, n_rows = self._places
        first = block * self._block_rows
        with open(self._path, "rb") as file:
            file.seek(places[block])
            data = file.read(places[block + 1] - places[block])
        # read_csv drops the fields that a line has too many, if it is told which columns to read: one more column takes
        # them, for which a line must be there
        columns = [*self._columns, BEYOND]
        header = f"{self._sep.join('0' * len(columns))}\n".encode()
        known = {"names": columns, "usecols": [*kinds, BEYOND], "dtype": {**kinds, BEYOND: "str"}}

        def as_text():
            yield first, self._parse(io.BytesIO(header + data), header=0, index_col=False, **{**known, "dtype": "str"})

        with self._refusing(first, kinds, as_text):
            frame = self._parse(io.BytesIO(header + data), header=0, index_col=False, **known)
        too_long = np.flatnonzero(frame[BEYOND].notna())
        if too_long.size:
            raise InvalidInputError(
                f"{self.name} has more fields in row {first + int(too_long[0]) + 1} than names of columns. A separator "
                "within a field does that; write the file anew with its fields quoted."
            )
        expected = min(self._block_rows, n_rows - first)
        if len(frame) != expected:
            raise InvalidInputError(
                f"{self.name}: the {expected} lines from row {first + 1} on hold {len(frame)} rows. A quotation mark "
                "within a field, or a line of blanks, does that; write the file anew with its fields quoted."
            )
        yield first, frame

    def _look(self, path):
        """Return the first rows, of which none may have more fields than the header has names."""
        import pandas as pd

        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)
            try:
                return self._parse(path, nrows=LOOK_ROWS, encoding="utf-8-sig", low_memory=False, index_col=False)
            except pd.errors.ParserWarning:
                raise InvalidInputError(
                    f"the rows of {path} have more fields than its header has names. Row names need a column of their "
                    "own, whose name may be empty: in R use write.csv, or col.names=NA."
                ) from None

    def _stream(self, piece_rows, kinds):
        def pieces(dtype):
            start = 0
            options = {"names": self._columns, "index_col": False, "dtype": dtype, "low_memory": False}
            with self._parse(self._path, header=0, chunksize=piece_rows, **options) as reader:
                for frame in reader:
                    yield start, frame[list(kinds)]
                    start += len(frame)

        with self._refusing(0, kinds, lambda: pieces("str")):
            yield from pieces(kinds)

    def _parse(self, source, **options):
        import pandas as pd

        return pd.read_csv(source, sep=self._sep, **exact_floats(), **options)

    @contextmanager
    def _refusing(self, first, kinds=None, as_text=None):
        import pandas as pd

        try:
            yield
        except NPError:
            raise
        except pd.errors.EmptyDataError:
            raise InvalidInputError(f"{self.name} is empty.") from None
        # the parser's own complaints, text among numbers, a wrong encoding, a file that is no gzip
        except (ValueError, OSError, EOFError) as error:
            if as_text is not None and not isinstance(error, pd.errors.ParserError | UnicodeError | OSError):
                # the rows are read once more, as text, to tell which value it is
                for start, frame in as_text():
                    self._refuse_values(start, frame, kinds, error)
            raise InvalidInputError(f"{self.name}, from row {first + 1} on, cannot be read as CSV: {error}") from error

    def _refuse_values(self, start, frame, kinds, cause):
        """Raise for the first value in a frame of text that is not of the type of its column, if there is one."""
        import pandas as pd

        for name, kind in kinds.items():
            if kind == "str":
                continue
            values = frame[name]
            if kind == "bool":
                what, wrong = "true and false only", ~values.str.lower().isin(("true", "false"))
            else:
                what, wrong = "numbers", values.notna() & pd.to_numeric(values, errors="coerce").isna()
            if not wrong.any():
                continue
            row = int(np.flatnonzero(wrong)[0])
            found = "a missing value" if pd.isna(values.iloc[row]) else repr(values.iloc[row])
            is_label = name == self._label
            way_out = "Give all labels one type." if is_label else "Correct it, or write the column as text throughout."
            if kind != "bool" and not is_label:
                way_out = "Correct it, leave it empty if it is missing, or do not read the column (drop=, features=)."
            raise InvalidInputError(
                f"{self.name} has {found} in row {start + row + 1} of column {name!r}, which holds {what} in the first "
                f"{LOOK_ROWS} rows. {way_out}"
            ) from cause


# a column of numbers may have missing ones further on
_COMMON = {"b": "bool", "i": "float64", "u": "float64", "f": "float64"}


def find_lines(path, n_block):
    """Return where blocks of `n_block` rows begin in a CSV file, and the number of rows below its header.

    A line ends at a line feed with an even number of quotation marks before it. Empty lines are none, as in pandas.

    Parameters
    ----------
    path : path
        The file.
    n_block : int
        Rows of a block.

    Returns
    -------
    places : list of int
        The byte at which each block begins; the last is the size of the file.
    n_rows : int
        Rows in all.

    Notes
    -----
    One pass, in the memory of some megabytes and a place for each block.
    """
    places, n_lines, begin, quotes, last, size = [], 0, 0, 0, NEW_LINE, 0
    with open(path, "rb") as file:
        while data := file.read(SCAN_BYTES):
            signs = np.frombuffer(data, dtype=np.uint8)
            ends = np.flatnonzero(signs == NEW_LINE)
            marks = np.flatnonzero(signs == QUOTE)
            if marks.size or quotes:
                ends = ends[(np.searchsorted(marks, ends) + quotes) % 2 == 0]
            quotes = (quotes + marks.size) % 2
            before = np.where(ends > 0, signs[np.maximum(ends, 1) - 1], last)
            begins = np.concatenate([[begin], ends[:-1] + size + 1]) if ends.size else np.empty(0, dtype=np.int64)
            lengths = ends + size - begins
            begins = begins[(lengths > 1) | ((lengths == 1) & (before != RETURN))]
            # line 0 is the header
            numbers = n_lines + np.arange(begins.size) - 1
            places += begins[(numbers >= 0) & (numbers % n_block == 0)].tolist()
            n_lines += begins.size
            begin = int(ends[-1]) + size + 1 if ends.size else begin
            size, last = size + len(data), data[-1]
    if begin < size:
        if (n_lines - 1) % n_block == 0 and n_lines > 0:
            places.append(begin)
        n_lines += 1
    return [*places, size], max(n_lines - 1, 0)
