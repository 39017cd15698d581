"""The lines of a CSV file: each holds one field for every name in the header, or the file is refused."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import re
from contextlib import contextmanager, suppress
from dataclasses import dataclass

import numpy as np

from nproc.errors import InvalidInputError, NPError

# bytes that are looked at together, and the longest line
SCAN_BYTES, MOST_BYTES = 1 << 20, 1 << 28
NEW_LINE, RETURN, QUOTE, ZERO = 10, 13, 34, 48
UTF8_MARK, UTF16_MARKS = b"\xef\xbb\xbf", (b"\xff\xfe", b"\xfe\xff")
SEPARATORS = ",;\t|"
# lines at the beginning that show the separator
LOOK_LINES = 21
_WITH_COMMA = re.compile(r"\s*[-+]?[\d.]*,\d+([eE][-+]?\d+)?\s*")
_TITLE = "If line 1 is a title, remove it; the first line must have the names of all columns"
SAVE = "Save the table as CSV in the encoding UTF-8 (in Excel: 'CSV UTF-8')"


@dataclass(frozen=True)
class CSVLines:
    """What one pass over a CSV file found.

    Attributes
    ----------
    columns : list of str or None
        The names in the header. A first column without a name has None: it holds row names. Columns without a name
        at the end are left out: they are empty in every line.
    n_fields : int
        Fields of each line, with those that are left out.
    n_rows : int
        Rows below the header.
    places : list of int
        The byte at which each block of rows begins, and the end of the last row.
    empty : list of int
        The rows, from 0, of which every field is empty, whether it is quoted or has blanks or not.
    returns_only : bool
        Whether a carriage return without a line feed ends every row.
    codes : list of str
        The columns with a value that begins with 0 and another digit, as 007. No number is written so, but a code.
    encoding : str
        The encoding that was given, or UTF-8 for a file that begins with the mark of UTF-8.
    """

    columns: list
    n_fields: int
    n_rows: int
    places: list
    empty: list
    returns_only: bool
    codes: list
    encoding: str


def check_format(path, sep, decimal):
    """Return the separator and the decimal sign of a CSV file, which are checked.

    If `decimal` is None, it is a point. If `sep` is None, it is a tab for ``.tsv``; of another file it is what
    `find_separator` finds beside a decimal comma, and a comma otherwise. Commas can be both signs: a field that has one
    then stands within quotation marks.
    """
    if sep is not None and not (isinstance(sep, str) and len(sep) == 1 and sep.isascii() and sep not in '"\r\n\0'):
        raise InvalidInputError(f"sep must be a single character, such as ';' or '\\t', got {sep!r}.")
    if decimal is not None and (not isinstance(decimal, str) or decimal not in (".", ",")):
        raise InvalidInputError(f"decimal must be '.' or ',', got {decimal!r}.")
    decimal = decimal or "."
    if sep is None and ".tsv" in path.name.lower():
        sep = "\t"
    if sep is None:
        sep = find_separator(path)[0] if decimal == "," else ","
    if sep == decimal == ".":
        raise InvalidInputError(f"{path}: separator and decimal sign are both '.'. Give another sep, such as ';'.")
    return sep, decimal


def find_separator(path):
    """Return the separator of a CSV file, and the number of columns into which it splits the header.

    A separator gives as many fields in the first rows as in the header. Names and numbers with commas can make a comma
    do so by chance, so that another one with such a number in a field goes before it. Otherwise it is the one with most
    columns.
    """
    with refusing(path), _opened(path) as file:
        text = io.TextIOWrapper(file, encoding="utf-8-sig", errors="replace", newline="")
        lines = list(filter(None, (text.readline(1_000_000) for _ in range(LOOK_LINES))))
    try:
        columns = {sep: len(next(csv.reader(lines[:1], delimiter=sep), [])) for sep in SEPARATORS}
    except csv.Error as error:
        raise InvalidInputError(f"the first line of {path} cannot be read as column names: {error}.") from error
    several = [sep for sep in SEPARATORS if columns[sep] > 1]
    if not several:
        return ",", columns[","]

    def rank(sep):
        rows = _rows_with(columns[sep], lines, sep)
        has_commas = sep != "," and any(_WITH_COMMA.fullmatch(field) for row in rows for field in row)
        return len(rows), has_commas, columns[sep], sep != ",", -SEPARATORS.index(sep)

    sep = max(several, key=rank)
    return sep, columns[sep]


def _rows_with(n_fields, lines, sep):
    """Return the rows below the header that have this number of fields, up to a line that cannot be read so."""
    found = []
    with suppress(csv.Error):
        found.extend(csv.reader(lines, delimiter=sep, strict=True))
    return [row for row in found[1:] if len(row) == n_fields]


def check_encoding(encoding):
    """Return the name of an encoding in which each byte is one character, ASCII as such, or UTF-8, as for None.

    Examples
    --------
    >>> check_encoding(None), check_encoding("Windows-1252"), check_encoding("latin-1")
    ('utf-8', 'cp1252', 'iso8859-1')
    """
    every_byte = bytes(range(256))
    try:
        name = codecs.lookup("utf-8" if encoding is None else encoding).name
        text = every_byte.decode(name, "replace")
    except (LookupError, TypeError, ValueError):
        name, text = None, ""
    if name in ("utf-8", "utf-8-sig"):
        return "utf-8"
    if len(text) != 256 or text[:128].encode() != every_byte[:128]:
        raise InvalidInputError(
            f"encoding must be UTF-8 or one with a byte for each character, such as 'cp1252', got {encoding!r}. Save "
            "a table in another encoding, such as UTF-16 ('Unicode text' in Excel), as UTF-8 ('CSV UTF-8').",
            argument="encoding",
        )
    return name


def read_lines(path, sep, n_block=SCAN_BYTES, asked=(), encoding="utf-8", *, is_found=False):
    """Return the `CSVLines` of a file, from one pass over it.

    A row ends at a line feed, or a carriage return, that is not within quotation marks. A mark begins a quoted field
    only as its first character, and stands for itself further on in a field without marks, as for pandas.

    Parameters
    ----------
    path : Path
        The file; one that ends in ``.gz`` is compressed.
    sep : str
        The separator.
    n_block : int
        Rows of a block.
    asked : collection of str
        Columns that the caller knows by name: one of them may hold other separators in its name.
    encoding : str
        As `check_encoding` returns it. A file that begins with the mark of UTF-8 is read as UTF-8 all the same.
    is_found : bool
        Whether the separator was not given, but found in the file.

    Raises
    ------
    InvalidInputError
        If a line has more or fewer fields than the header, is blank before the end of the file, or is no text in the
        encoding; if a quotation mark is not closed; or if the header repeats a name, lacks one, or seems to have
        another separator. The message names the line as an editor counts them.

    Notes
    -----
    In memory are a megabyte and the longest line.
    """
    with refusing(path), _opened(path) as file:
        return _Scan(path, sep, n_block, asked, encoding, is_found).run(file)


@contextmanager
def refusing(path):
    """Name the file in what pandas or the operating system says of it."""
    import zlib

    import pandas as pd

    try:
        yield
    except NPError:
        raise
    except (pd.errors.ParserError, OSError, EOFError, ValueError, zlib.error) as error:
        raise InvalidInputError(f"{path} cannot be read as CSV: {error}") from error


class _Scan:
    def __init__(self, path, sep, n_block, asked, encoding, is_found):
        self._path, self._sep, self._n_block, self._asked = path, sep, n_block, asked
        self._encoding, self._is_found = encoding, is_found
        self._columns, self._n_fields, self._n_unnamed, self._commented = None, 0, 0, False
        self._places, self._empty, self._n_rows, self._end = [], [], 0, 0
        # the signs that end rows, and what may stand in a row whose fields are all empty
        self._end_signs, self._nothing = set(), re.compile(rb'[" \t%b]*' % re.escape(sep.encode()))
        # what may stand before the digits of a field, or before the first of them, and which fields hold codes
        self._before_digits = np.isin(np.arange(256), [ord(sign) for sign in '"+- \t' if sign != sep])
        self._before_zero = self._before_digits | np.isin(np.arange(256), [ord(sep), NEW_LINE, RETURN])
        self._has_codes = None
        # lines before the piece, the first of the blank ones since the last row, and the place of the piece
        self._n_lines, self._blank, self._begin = 0, None, 0

    def run(self, file):
        data, n_kept = file.read(SCAN_BYTES), 0
        if data[:2] in UTF16_MARKS:
            raise InvalidInputError(f"{self._path} is in the encoding UTF-16. {SAVE}.")
        if data.startswith(UTF8_MARK):
            # files of two hospitals may be written in two encodings, and a command takes one
            self._encoding, data, self._begin = "utf-8", data[3:], 3
        while data:
            more = file.read(max(SCAN_BYTES, n_kept))
            done = self._take(data, final=not more)
            self._begin, n_kept = self._begin + done, len(data) - done
            data = data[done:] + more if more else b""
        if self._columns is None:
            raise InvalidInputError(f"{self._path} is empty.")
        if self._n_rows == 0:
            raise InvalidInputError(f"{self._path} has a header but no rows.")
        if self._blank is not None and self._n_fields == 1:
            raise InvalidInputError(
                f"{self._path} cannot be read as CSV: line {self._blank} is blank. In a file with one column, a "
                "blank line may be a missing value. If it is, write NA; otherwise remove the blank lines at the "
                "end."
            )
        if self._empty and len(self._end_signs) > 1:
            # pandas would not skip all of them
            raise InvalidInputError(
                f"{self._path} cannot be read as CSV: some of its lines end with a carriage return and others with a "
                f"line feed, and row {self._empty[0] + 1} has nothing in any column. Remove such rows, or save the "
                "file with one kind of line ends."
            )
        codes = [
            name for name, found in zip(self._columns, self._has_codes, strict=False) if found and name is not None
        ]
        places, returns_only = [*self._places, self._end], self._end_signs == {RETURN}
        found = self._columns, self._n_fields, self._n_rows, places, self._empty, returns_only, codes
        return CSVLines(*found, encoding=self._encoding)

    def _take(self, data, final):
        """Look at the whole lines of a piece that begins with a line; return the bytes that they take."""
        signs = np.frombuffer(data, dtype=np.uint8)
        all_ends = _line_ends(data, signs, final)
        quoted, opened, is_broken = self._find_quoted(data, signs)
        ends = all_ends if quoted is None else all_ends[~quoted[all_ends]]
        if is_broken or (opened is not None and (final or len(data) - opened > MOST_BYTES)):
            if self._columns is None and all_ends.size:
                self._refuse_preface(data[: all_ends[0]].decode(self._encoding, errors="replace"))
            if self._columns is None and ends.size:
                # another separator in the header is the likely cause
                self._read_header(data[: ends[0]].decode(self._encoding, errors="replace").strip())
            what = "goes on after its closing quotation mark" if is_broken else "has no closing quotation mark"
            self._refuse(all_ends, opened, f"begins a field that {what}. Within a quoted field write each mark twice")
        self._end_signs.update(np.unique(signs[ends]).tolist())
        if final and (not ends.size or ends[-1] < len(data) - 1):
            ends = np.append(ends, len(data))
        if not ends.size:
            if len(data) > MOST_BYTES:
                self._refuse(all_ends, 0, f"has more than {MOST_BYTES >> 20} MB")
            return 0
        done = min(int(ends[-1]) + 1, len(data))
        self._check_text(data, done, all_ends)
        begins = np.concatenate([[0], ends[:-1] + 1])
        # a line feed after a carriage return is one end of a line with it
        pairs = (ends > begins) & (ends < len(data)) & (signs[np.minimum(ends, len(data) - 1)] == NEW_LINE)
        stops = ends - (pairs & (signs[np.maximum(ends, 1) - 1] == RETURN))
        begins, stops, ends = self._without_blank(data, begins, stops, ends, all_ends)
        if begins.size:
            self._take_lines(data, signs, begins, stops, quoted, all_ends)
            self._end = self._begin + min(int(ends[-1]) + 1, len(data))
        self._n_lines += int(np.searchsorted(all_ends, done))
        return done

    def _take_lines(self, data, signs, begins, stops, quoted, all_ends):
        seps = np.flatnonzero(signs == ord(self._sep))
        if quoted is not None:
            seps = seps[~quoted[seps]]
        counts = 1 + np.searchsorted(seps, stops) - np.searchsorted(seps, begins)
        is_header = self._columns is None
        if is_header:
            self._read_header(data[begins[0] : stops[0]].decode(self._encoding))
            begins, stops, counts = begins[1:], stops[1:], counts[1:]
        wrong = np.flatnonzero(counts != self._n_fields)
        if wrong.size:
            self._refuse_count(data, int(begins[wrong[0]]), int(stops[wrong[0]]), int(counts[wrong[0]]), all_ends)
        for place in range(1, self._n_unnamed + 1):
            full = np.flatnonzero(signs[stops - place] != ord(self._sep))
            if full.size:
                self._refuse(
                    all_ends,
                    int(begins[full[0]]),
                    f"has a value in column {self._n_fields - place + 1}, which has no name in the header. "
                    f"{_TITLE if len(self._columns) == 1 else 'Name the column, or remove it'}",
                )
        if begins.size:
            first, last = np.searchsorted(seps, [begins[0], stops[-1]])
            self._find_codes(signs, begins, seps[first:last])
        numbers = self._n_rows + np.arange(begins.size)
        if self._n_fields > 1:
            may_be_empty = np.flatnonzero(self._before_zero[signs[begins]] & self._before_zero[signs[stops - 1]])
            is_empty = [self._nothing.fullmatch(data, begins[line], stops[line]) for line in may_be_empty]
            self._empty += numbers[may_be_empty[np.array(is_empty, dtype=bool)]].tolist()
        self._places += (self._begin + begins[numbers % self._n_block == 0]).tolist()
        self._n_rows += begins.size

    def _find_codes(self, signs, begins, seps):
        """Note the fields with leading zeros; `seps` are the separators of the lines that begin at `begins`."""
        if self._has_codes is None:
            self._has_codes = np.zeros(self._n_fields, dtype=bool)
        zeros = np.flatnonzero((signs[:-1] == ZERO) & (signs[1:] - ZERO < 10))
        places = zeros[(zeros == 0) | self._before_zero[signs[zeros - 1]]]
        if not places.size:
            return
        while (inside := (places > 0) & self._before_digits[signs[places - 1]]).any():
            places = places - inside
        starts = np.column_stack([begins, seps.reshape(begins.size, -1) + 1]).ravel()
        fields = np.searchsorted(starts, places)
        self._has_codes[fields[starts.take(fields, mode="clip") == places] % self._n_fields] = True

    def _without_blank(self, data, begins, stops, ends, all_ends):
        """Return the lines but the blank ones, which only blank ones may follow."""
        first = np.frombuffer(data, dtype=np.uint8)[np.minimum(begins, len(data) - 1)]
        maybe = np.flatnonzero((stops == begins) | (first == ord(" ")) | (first == ord("\t")))
        blank = np.zeros(begins.size, dtype=bool)
        blanks = b" \t".replace(self._sep.encode(), b"")
        blank[[line for line in maybe if not data[begins[line] : stops[line]].strip(blanks)]] = True
        if not blank.any() and self._blank is None:
            return begins, stops, ends
        if blank.any() and self._blank is None:
            first_blank = int(np.argmax(blank))
            self._blank = self._line_of(all_ends, int(begins[first_blank]))
            before, rest = begins[:first_blank], blank[first_blank:]
        else:
            before, rest = begins[:0], blank
        if not rest.all():
            raise InvalidInputError(
                f"{self._path} cannot be read as CSV: line {self._blank} is blank, and rows follow. Remove it; if it "
                "stands for a row with a missing value, write NA."
            )
        return before, stops[: before.size], ends[: before.size]

    def _find_quoted(self, data, signs):
        """Return which bytes are within quotation marks, where one is still open, and whether its field is broken."""
        if b'"' not in data:
            return None, None, False
        is_mark, is_broken = signs == QUOTE, False
        marks = np.flatnonzero(is_mark)
        is_edge = np.zeros(256, dtype=bool)
        is_edge[[ord(self._sep), NEW_LINE, RETURN, QUOTE]] = True
        opening, closing = marks[::2], marks[1::2]
        opens = (opening == 0) | is_edge[signs[opening - 1]]
        inner = closing[closing < len(data) - 1]
        if not (opens.all() and is_edge[signs[inner + 1]].all()):
            marks, is_broken = self._marks_one_by_one(data, signs, marks)
            is_mark = np.zeros(signs.size, dtype=bool)
            is_mark[marks] = True
        return np.logical_xor.accumulate(is_mark), int(marks[-1]) if marks.size % 2 else None, is_broken

    def _marks_one_by_one(self, data, signs, marks):
        kept, place, edges = [], 0, (ord(self._sep), NEW_LINE, RETURN)
        while place < marks.size:
            mark = int(marks[place])
            place += 1
            if len(kept) % 2 == 0:
                # one within a field without marks stands for itself
                if mark == 0 or signs[mark - 1] in edges:
                    kept.append(mark)
            elif mark + 1 < len(data) and signs[mark + 1] == QUOTE:
                # two within a field stand for one
                place += 1
            elif mark + 1 == len(data) or signs[mark + 1] in edges:
                kept.append(mark)
            else:
                return np.array(kept), True
        return np.array(kept, dtype=np.int64), False

    def _check_text(self, data, done, all_ends):
        if b"\0" in data:
            self._refuse(all_ends, data.index(b"\0"), f"holds binary data, not text. {SAVE}")
        try:
            data[:done].decode(self._encoding)
        except UnicodeDecodeError as error:
            byte, known = data[error.start : error.start + 1], self._encoding.replace("utf", "UTF")
            what = f"holds the byte {byte[0]:#x}, which is no {known}"
            if known == "UTF-8" and _is_mostly_utf8(self._path):
                # in another encoding each of the other letters would become two
                way_out = "The file is in UTF-8 otherwise. Write the text in this line anew, and save the table again."
                self._refuse(all_ends, error.start, what, fault="broken letter", way_out=way_out)
            sign = byte.decode("cp1252", "ignore") if known == "UTF-8" else ""
            way_out = f"If it stands for {sign!r}, as in other CSV files of Excel, give encoding='cp1252'." * bool(sign)
            what = f"{what}. {SAVE}"
            self._refuse(all_ends, error.start, what, fault="encoding", way_out=way_out)

    def _read_header(self, text):
        try:
            names = next(csv.reader([text], delimiter=self._sep))
        except csv.Error as error:
            raise InvalidInputError(
                f"the first line of {self._path} cannot be read as column names: {error}."
            ) from error
        self._n_fields = len(names)
        self._refuse_preface(text)
        names = [name if name.strip() else None for name in names]
        while len(names) > 1 and names[-1] is None:
            names.pop()
        self._n_unnamed = self._n_fields - len(names)
        if names in ([None], []):
            raise InvalidInputError(f"the header of {self._path} has no column names.")
        others = [sign for sign in SEPARATORS if sign != self._sep and sign in (names[0] or "")]
        if self._n_fields == 1 and others and names[0] not in self._asked:
            # as spreadsheets write where numbers have a comma
            comma = ", and decimal=',' too if its numbers have decimal commas" * (others[0] == ";")
            # between commas most numbers have points; quoted ones with commas are told of by their column
            comma += " without decimal=','" * (others[0] == ",")
            raise InvalidInputError(
                f"{self._path} has a single column {names[0]!r} with the separator {self._sep!r}; give "
                f"sep={others[0]!r}{comma}."
            )
        lost = [place for place, name in enumerate(names) if name is None and place > 0]
        if lost:
            raise InvalidInputError(f"column {lost[0] + 1} of {self._path} has no name in the header; name it.")
        seen = set()
        repeated = sorted({name for name in names if name is not None and (name in seen or seen.add(name))})
        if repeated:
            raise InvalidInputError(f"{self._path} has several columns of the name(s) {repeated}; rename them.")
        self._columns = names

    def _refuse_preface(self, text):
        """Refuse a first line that is no header: Excel's mark of the separator, or names between blanks."""
        mark = re.fullmatch(r'"?sep=(.)"?,*;*', text.strip(" \r\n"), re.IGNORECASE)
        if mark and not any(str(name).lower().startswith("sep=") for name in self._asked):
            sign = "a tab" if mark[1] == "\t" else repr(mark[1])
            raise InvalidInputError(
                f"the first line of {self._path} is Excel's separator line ({sign}), not a row of column names. Remove "
                "this line.",
                fault="mark of the separator",
                value=mark[1],
                way_out=f"Then give sep={mark[1]!r}.",
            )
        if self._sep != " " and re.fullmatch(r'"[^"]*"( +"[^"]*")+', text.strip()):
            raise InvalidInputError(
                f"the names in the first line of {self._path} are separated by blanks, as R's write.table does: write "
                "the table by write.csv(..., row.names=FALSE), or with sep=','."
            )
        self._commented = text.startswith("#")

    def _refuse_count(self, data, begin, stop, count, all_ends):
        found = f"has {count} field{'s' * (count > 1)}, and the header has {self._n_fields}"
        if data[begin : begin + 1] == b"#":
            way_out = "Lines of comments are not read: remove them"
        elif self._commented:
            way_out = "Line 1 begins with '#', and is taken for the header: remove lines of comments above the header"
        elif self._n_unnamed and count == self._n_fields - self._n_unnamed:
            way_out = f"The header ends with {self._sep!r}: remove it there, or end all other lines so"
        elif len(self._columns) == 1 and self._n_unnamed and count > 1:
            way_out = f"{_TITLE}. Otherwise name the columns in line 1"
        elif count < self._n_fields:
            way_out = "Write its missing values as NA, or as empty fields with their separators"
        elif count == self._n_fields + 1 and stop > begin and data[stop - 1 : stop] == self._sep.encode():
            way_out = f"Remove the {self._sep!r} at its end, or add one to the header if all lines end so"
        else:
            way_out = "A separator within a field does that: write such fields within quotation marks"
            if self._n_fields == 1:
                way_out = f"{_TITLE}. {way_out}"
            if count == self._n_fields + 1:
                way_out += (
                    ". Row names without a column name in the header also cause this. Give their column a name, "
                    "which may be empty (in R use write.csv, or col.names=NA)"
                )
            if self._sep == ",":
                way_out += (
                    ". Decimal commas in a comma-separated file also cause this: separate the fields by semicolons"
                )
        others = [
            sign for sign in SEPARATORS if sign != self._sep and any(sign in (name or "") for name in self._columns)
        ]
        if self._is_found and others:
            way_out += f". The separator {self._sep!r} was found in the first lines"
            way_out += f"; give sep={others[0]!r} if it is that"
        self._refuse(all_ends, begin, f"{found}. {way_out}")

    def _refuse(self, all_ends, place, what, **fields):
        number = self._line_of(all_ends, place)
        raise InvalidInputError(f"{self._path} cannot be read as CSV: line {number} {what}.", **fields)

    def _line_of(self, all_ends, place):
        """Return the number of the line, from 1, at a place in the piece."""
        return self._n_lines + int(np.searchsorted(all_ends, place)) + 1


def _is_mostly_utf8(path):
    """Whether more letters of a file are valid in UTF-8, beyond those of ASCII, than bytes are not.

    Letters of an encoding with a byte for each make a letter of UTF-8 by chance only.
    """
    decoder, n_letters, n_broken = codecs.getincrementaldecoder("utf-8")("surrogateescape"), 0, 0
    with _opened(path) as file:
        while piece := file.read(SCAN_BYTES):
            signs = np.frombuffer(decoder.decode(piece).encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
            is_broken = (signs >= 0xDC80) & (signs <= 0xDCFF)
            n_broken += int(is_broken.sum())
            n_letters += int(np.sum((signs > 0x7F) & ~is_broken))
    return n_letters > n_broken


def _opened(path):
    return (gzip.open if path.name.lower().endswith(".gz") else open)(path, "rb")


def _line_ends(data, signs, final):
    """Return where lines end, also those within quotation marks: at line feeds, and carriage returns without one."""
    ends = np.flatnonzero(signs == NEW_LINE)
    if b"\r" not in data:
        return ends
    returns = np.flatnonzero(signs == RETURN)
    # what follows the last byte of a piece is not known yet
    known = returns if final else returns[returns < len(data) - 1]
    alone = known[(known == len(data) - 1) | (signs[np.minimum(known + 1, len(data) - 1)] != NEW_LINE)]
    return np.union1d(ends, alone) if alone.size else ends
