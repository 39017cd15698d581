"""Tables in files for the command line: CSV, Parquet and JSON lines, read whole or in parts, and written."""

import codecs
import gzip
import itertools
import json
import shlex
import sys
import zlib
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from nproc.checks import check_path, count_of
from nproc.cli.values import as_list
from nproc.errors import InvalidInputError, NPError
from nproc.outputs import replaced_file
from nproc.row_chunks import (
    CSV_ENDINGS,
    PARQUET_ENDINGS,
    CSVTable,
    check_encoding,
    check_format,
    may_be_rounded,
    refusing,
    unknown_extension,
    whole_numbers,
)
from nproc.rows import near_names

JSON_ENDINGS = (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz")


def read_table(path, *, sep=None, decimal=None, encoding=None, texts=None, tell=None):
    """Return the DataFrame in a file of CSV, Parquet or JSON lines, told apart by the extension.

    Numbers are read to the last digit. A first column without a name holds row names and is left out. If `decimal` is
    None, it is a point. Columns of a CSV file are text if their points, or quoted commas beside others between the
    columns, may stand between thousands. So are columns with leading zeros, as in 007, which show codes. `texts` are
    columns of a CSV file that hold text, as `nproc.rows.Design.texts` has them, and None for a column whose leading
    zeros show no codes.

    Rows of a CSV file of which every field is empty are skipped; the index has the places of the others in the file.
    `tell` is called with a sentence on them, which begins with how many they are.

    Raises
    ------
    InvalidInputError
        The file is not there, cannot be read as a table, is empty, or pyarrow is missing; a line of a CSV file is
        blank, or has more or fewer fields than its header.
    """
    path = check_path(path, "path")
    if not path.is_file():
        raise InvalidInputError(f"there is no file {path}." if not path.exists() else f"{path} is not a file.")
    kind = kind_of_file(path)
    if kind == "parquet":
        import pandas as pd

        with _refusing_parquet(path):
            # rows are known by their place, as in any other file
            frame = pd.read_parquet(path, engine="pyarrow").reset_index(drop=True)
            if rounded := [name for name in frame.columns if may_be_rounded(frame[name])]:
                exact = pd.read_parquet(path, engine="pyarrow", columns=rounded, dtype_backend="numpy_nullable")
                frame = frame.assign(**{name: whole_numbers(exact[name], frame[name]) for name in rounded})
    elif kind == "csv":
        with refusing(path):
            table = CSVTable(path, sep, decimal, encoding=encoding, texts=texts)
            frame, _ = table.look(None)
        if table.empty.size and tell is not None:
            tell(_empty_note(table))
    elif kind == "jsonl":
        frame = next(_jsonl_parts(path, None))
    else:
        raise InvalidInputError(unknown_extension(path, CSV_ENDINGS + PARQUET_ENDINGS + JSON_ENDINGS))
    if len(frame) == 0:
        raise InvalidInputError(f"{path} has no rows.")
    return frame


def _empty_note(table):
    fate = {"one": "is skipped", "several": "are skipped"}
    return omitted_note(table.empty.size, table.n_rows, "the file", "nothing in any column", **fate)


def say_note(text):
    """Write a note to the standard error."""
    sys.stderr.write(f"note: {text}\n")


def kind_of_file(path):
    """Return "csv", "parquet" or "jsonl" for a file with a known extension, else None."""
    path = Path(path)
    name = path.name.lower()
    if not path.is_file():
        return None
    endings = {"parquet": PARQUET_ENDINGS, "csv": CSV_ENDINGS, "jsonl": JSON_ENDINGS}
    return next((kind for kind, known in endings.items() if name.endswith(known)), None)


def _jsonl_parts(path, n_rows):
    """Return an iterator over tables of `n_rows` objects each of a file of JSON lines, or over one of all, if None.

    Numbers are read to the last digit. A name that an object lacks is a missing value there.
    """
    import pandas as pd

    found = False
    try:
        with gzip.open(path, "rb") if str(path).lower().endswith(".gz") else open(path, "rb") as file:
            records = _jsonl_records(path, file)
            while part := list(itertools.islice(records, n_rows)):
                found = True
                frame = pd.DataFrame(part)
                for name in [name for name in frame.columns if may_be_rounded(frame[name])]:
                    exact = pd.Series([record.get(name) for record in part], dtype=object)
                    frame[name] = whole_numbers(exact, frame[name])
                yield frame
    except (EOFError, OSError, zlib.error) as error:
        raise InvalidInputError(f"{path} cannot be read: {error}.") from error
    if not found:
        raise InvalidInputError(f"{path} has no rows.")


def _jsonl_records(path, lines):
    empty = None
    for number, line in enumerate(lines, 1):
        if not line.strip():
            empty = empty or number
            continue
        try:
            record = json.loads(line)
        except ValueError as error:
            raise InvalidInputError(f"line {number} of {path} cannot be read as JSON: {error}.") from error
        if not isinstance(record, dict):
            raise InvalidInputError(
                f'line {number} of {path} is not a JSON object; each line must be one, such as {{"score": 0.5}}.'
            )
        if empty:
            raise InvalidInputError(f"line {empty} of {path} is blank; every line must be one row.")
        yield record


@contextmanager
def _refusing_parquet(path):
    try:
        import pyarrow
    except ImportError:
        raise InvalidInputError(f"reading {path} requires pyarrow: pip install 'nproc-py[parquet]'.") from None
    try:
        yield
    except NPError:
        raise
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        raise InvalidInputError(f"{path} cannot be read as Parquet: {error}") from error


def require_columns(frame, columns, what):
    """Raise unless `frame` has all `columns`; `what` begins the message."""
    lost = [column for column in columns if column not in frame.columns]
    if lost:
        meant = _with_commas(columns, frame.columns) or near_names(columns, frame.columns)
        raise InvalidInputError(
            f"{what} {listed(lost)} is not in the data. {meant}The columns are {listed(frame.columns)}."
        )


def _with_commas(columns, names):
    """Return how a list is written if some of its columns are the parts of a name that has a comma, or ""."""
    for name in names:
        parts = [part.strip() for part in str(name).split(",") if part.strip()]
        if len(parts) > 1 and set(parts) <= set(columns):
            meant = as_list([name, *(column for column in columns if column not in parts)])
            return f"In a list a name with a comma stands within quotation marks: {shlex.quote(meant)}. "
    return ""


def complete_column(frame, column, what, way_out="fill them in, or leave out these rows"):
    """Return a column of groups or clusters; without it, or with a gap in it, is an error, which `what` begins."""
    require_columns(frame, [column], what)
    missing = np.flatnonzero(frame[column].isna().to_numpy())
    if missing.size:
        raise InvalidInputError(
            f"{what} {column!r} has {missing.size} missing value(s), the first in row {frame.index[missing[0]] + 1}; "
            f"{way_out}."
        )
    return frame[column]


GAPS = "missing values"


def omitted_note(n, n_rows, file, what=GAPS, where=None, *, one="is left out", several="are left out"):
    """Return how many rows of a file are not used, and what they have and where, as a sentence; None for none."""
    have = f"has {what} and {one}" if n == 1 else f"have {what} and {several}"
    return f"{count_of(n, n_rows, first=True)} of {file} {have}{f': {where}' if where else ''}." if n else None


def listed(values, most=12):
    """Return the first of some names or labels as text."""
    return ", ".join(map(repr, values[:most])) + (", ..." if len(values) > most else "")


PART_ROWS = 100_000
_OF_KIND = {"integer": "int64", "floating": "float64", "boolean": "bool", "string": "str", "empty": "float64"}


def common_types(path, columns, **form):
    """Return the types that columns have in a whole file, or None where only reading it as a whole would tell.

    Parameters
    ----------
    path : str or path
        A file that `nproc.cli.files.read_table` reads.
    columns : collection of str or None
        The columns that matter; None for all.
    **form : object
        How a CSV file is written; see `read_table`.

    Returns
    -------
    dict or None
        Name to type. None for a file of at most `PART_ROWS` rows, for what is no file, and for columns of dates,
        categories or a mixture of true, false and gaps, which are written according to all of their values.

    Notes
    -----
    One pass over the file. pandas takes a column for numbers if all of its values are: whole ones in one part and a gap
    in another make it decimal throughout, and text anywhere makes it text.
    """
    kind = kind_of_file(path)
    if kind is None:
        return None
    found, n_parts = {}, 0
    for part in read_parts(path, **form):
        n_parts += 1
        for name in part.columns if columns is None else [c for c in part.columns if c in columns]:
            found.setdefault(name, set()).add(_kind_of(part[name]))
    if n_parts < 2:
        return None
    types = {name: _common(kinds, kind) for name, kinds in found.items()}
    return None if None in types.values() else types


def read_in_parts(path, columns, **form):
    """Return the tables of some rows each that a file is read in: one of all where only the whole can be judged.

    `columns` are those that matter, None for all.
    """
    types = common_types(path, columns, **form)
    if types is None:
        return [read_table(path, **form, tell=say_note)]
    return read_parts(path, types, **form, tell=say_note)


def columns_to_type(path, columns):
    """Return those of the columns to keep whose types matter: none of a CSV file, where they are kept as text."""
    return () if kind_of_file(path) == "csv" else columns


def with_kept(frames, path, columns, **form):
    """Yield each of the tables that a file is read in with its `columns` to keep, in a CSV file as they stand there."""
    import pandas as pd

    what = "the column to keep"
    if not columns or kind_of_file(path) != "csv":
        for frame in frames:
            require_columns(frame, columns, what)
            yield frame, frame[columns]
        return
    with refusing(path):
        table = CSVTable(Path(path), **form)
        require_columns(pd.DataFrame(columns=table.columns), columns, what)
        # no text stands for a missing value
        options = {"usecols": list(dict.fromkeys(columns)), "dtype": "str", "na_filter": False}
        with table.read(**options, iterator=True, **table.without_empty) as reader:
            for frame in frames:
                yield frame, reader.get_chunk(len(frame))[columns].set_axis(frame.index)


def read_parts(path, types=None, *, tell=None, **form):
    """Return an iterator over parts of a table of `PART_ROWS` rows, with the `types` that `common_types` found.

    The index has the places of the rows in the file. For `tell` see `read_table`.
    """
    kind = kind_of_file(path)
    if kind == "csv":
        yield from csv_parts(path, PART_ROWS, types, tell=tell, **form)
        return
    first = 0
    if kind == "jsonl":
        for part in _jsonl_parts(path, PART_ROWS):
            # a name that no object of this part has is missing in all of them
            part = part.reindex(columns=list(dict.fromkeys([*part.columns, *(types or {})]))).astype(types or {})
            yield part.set_axis(range(first, first + len(part)))
            first += len(part)
        return
    # a gap makes whole numbers decimal in its part alone
    gaps = {name: kind for name, kind in (types or {}).items() if kind == "float64"}
    with _refusing_parquet(path):
        from pyarrow.parquet import ParquetFile

        with ParquetFile(path) as file:
            for batch in file.iter_batches(batch_size=PART_ROWS):
                part = batch.to_pandas().astype(gaps)
                yield part.set_axis(range(first, first + len(part)))
                first += len(part)


def csv_parts(path, part_rows, types, *, decimal=None, tell=None, **form):
    """Return an iterator over the rows of a CSV file as `read_table` reads them, with the `types` of some columns."""
    with refusing(path):
        table = CSVTable(Path(path), decimal=decimal, **form)
        if table.may_doubt:
            # the first rows tell of the signs, as for `read_in_chunks`
            _, doubtful = table.look()
            types = {**(types or {}), **dict.fromkeys(doubtful, "str")}
        if table.empty.size and tell is not None:
            tell(_empty_note(table))
        with table.read(chunksize=part_rows, dtype=types, **table.without_empty) as reader:
            yield from map(table.numbered, reader)


def signs_written(path, *, sep=None, decimal=None):
    """Return the separator and the decimal sign of a CSV file that a command writes; None is the standard output.

    Its options read the file, with a semicolon for `sep` where that was left out beside a decimal comma.

    Examples
    --------
    >>> signs_written("rows.csv"), signs_written("rows.csv", decimal=",")
    ({'sep': ',', 'decimal': '.'}, {'sep': ';', 'decimal': ','})
    """
    name = Path("the standard output" if path is None else path)
    if sep is None and decimal == "," and ".tsv" not in name.name.lower():
        sep = ";"
    sep, decimal = check_format(name, sep, decimal)
    return {"sep": sep, "decimal": decimal}


def write_texts(path, texts, *, sep=None, decimal=None, encoding=None):
    """Write texts to a file one after the other, compressed if its name ends in .gz; None is the standard output.

    The file is UTF-8. If the options of the command say other than a comma, a point and UTF-8, it begins with the
    mark of UTF-8: it is then read as such whatever the encoding of those is, and by spreadsheets too.
    """
    if path is None:
        sys.stdout.write("".join(texts))
        return
    usual = (sep or ",", decimal or ".", check_encoding(encoding)) == (",", ".", "utf-8")
    opened = gzip.open if str(path).lower().endswith(".gz") else open
    with replaced_file(path) as part, opened(part, "wb") as file:
        if not usual:
            file.write(codecs.BOM_UTF8)
        for text in texts:
            file.write(text.encode("utf-8"))


def _kind_of(values):
    import pandas as pd

    if not isinstance(values.dtype, np.dtype) and not pd.api.types.is_string_dtype(values.dtype):
        return "other"
    if values.dtype.kind in "Mmu":
        return "other"
    if values.isna().all():
        return "empty"
    found = pd.api.types.infer_dtype(values, skipna=True)
    if values.dtype == object and found != "string":
        # such as whole numbers of more than 64 bits, which no plain dtype holds
        return "other"
    # gaps in whole numbers make them decimal at once, and true and false a mixture
    complete = found != "boolean" or not values.isna().any()
    return found if found in _OF_KIND and complete else "other"


def _common(kinds, file):
    numbers = {"integer", "floating", "empty"}
    if len(kinds) == 1 and kinds <= set(_OF_KIND):
        return _OF_KIND[next(iter(kinds))]
    if kinds <= numbers:
        return "float64"
    # of a CSV file the text itself is there; a gap is one in text, too
    if "string" in kinds and kinds <= ({"string", "empty"} if file == "parquet" else set(_OF_KIND)):
        return "str"
    return None
