"""Where rows come from: tables cut into blocks that can be read in any order, each a piece at a time."""

import hashlib
from collections import Counter
from decimal import InvalidOperation

import numpy as np
from scipy import sparse

from nproc.checks import as_array, is_label, refuse_masked, refuse_unreal, shown
from nproc.errors import InvalidInputError
from nproc.rows import as_column, is_frame, listed, n_rows, row_keys, take_rows

# rows of a block, where a source may choose: small enough to mix a file that is sorted, large enough to read fast
FEWEST_BLOCK_ROWS, MOST_BLOCK_ROWS = 256, 8192
# labels that are counted before the column is taken for a measurement
MOST_LABELS = 100
# rows that tell arrays from others
MARKED_ROWS = 1024
NO_ROWS = np.arange(0)


def block_rows(chunk_size):
    """Return the rows of a block for chunks of this size, where a source may choose."""
    return max(FEWEST_BLOCK_ROWS, min(MOST_BLOCK_ROWS, chunk_size))


class ArraySource:
    """Rows of arrays or a DataFrame that are at hand, such as memory maps.

    A source has `name`, for messages; `features`, the names of its predictors or None; `has_labels`; `n_blocks`;
    `n_rows`; `empty`, the numbers of rows that `read` skips; `origins`, a mark of each file and the number of its first
    row; and `read`.
    """

    empty = NO_ROWS

    def __init__(self, X, y, chunk_size):
        X = X.tocsr() if sparse.issparse(X) else X
        if y is not None:
            refuse_masked(y, "y")
            if sparse.issparse(y):
                raise InvalidInputError("y must be a dense one-dimensional array, got a sparse matrix.")
            y = as_column(y, "y")
            y = y.to_numpy() if hasattr(y, "to_numpy") else y
            # other arrays, as of files, are read a part at a time
            y = y if hasattr(y, "dtype") and not isinstance(y, np.ndarray) else as_array(y, "y")
            y = y[:, 0] if y.ndim == 2 and y.shape[1] == 1 else y
            if y.ndim != 1:
                raise InvalidInputError(f"y must be one-dimensional, got shape {y.shape}.")
            if isinstance(y.dtype, np.dtype):
                refuse_unreal(y, "y")
        if y is not None and n_rows(X) != n_rows(y):
            raise InvalidInputError(f"X has {n_rows(X)} rows and y has {n_rows(y)} labels; every row needs one label.")
        self.name = f"the {type(X).__name__} X"
        self.features = X.columns.tolist() if is_frame(X) else None
        self.has_labels = y is not None
        self.n_rows = n_rows(X)
        self._X, self._y, self._block_rows = X, y, block_rows(chunk_size)
        self.n_blocks = -(-self.n_rows // self._block_rows)

    def origins(self):
        """Return [(mark, 0)], with a mark that other arrays do not share, from a sample of rows and labels."""
        places = np.unique(np.linspace(0, self.n_rows - 1, MARKED_ROWS).astype(np.int64))
        tables = [self._X] if self._y is None else [self._X, self._y[:, None]]
        digest = hashlib.sha256(repr((self._X.shape, self.has_labels)).encode())
        for table in tables:
            digest.update(row_keys(take_rows(table, places)).astype("<u8").tobytes())
        return [(digest.hexdigest(), 0)]

    def read(self, block, piece_rows, what):
        """Yield (numbers, X, y) for one block, at most `piece_rows` rows a piece.

        Parameters
        ----------
        block : int
            From 0 to ``n_blocks - 1``.
        piece_rows : int
            Most rows of a piece.
        what : str
            "X", "y" or "Xy": what is read. The rest is None.

        Yields
        ------
        numbers : sequence of int
            The increasing numbers of the rows, from 0, as a range, an index or an array; `empty` ones are left out.
        X, y : table, ndarray
            The rows and their labels.
        """
        first = block * self._block_rows
        stop = min(first + self._block_rows, self.n_rows)
        for start in range(first, stop, piece_rows):
            here = slice(start, min(start + piece_rows, stop))
            numbers = range(here.start, here.stop)
            X = (self._X.iloc[here] if is_frame(self._X) else self._X[here]) if "X" in what else None
            y = clean_labels(self._y[here], "y", self.name, numbers) if "y" in what else None
            yield numbers, X, y


class DaskSource:
    """Rows of a Dask DataFrame; its partitions are the blocks, and one of them is in memory at a time."""

    empty = NO_ROWS

    def __init__(self, frame, label, features, drop):
        self.name = "the Dask DataFrame"
        self.features = choose_columns(frame.columns.tolist(), label, features, drop, self.name)
        self.has_labels = label is not None
        self.n_blocks = int(frame.npartitions)
        self._frame, self._label = frame, label
        self._ends = None

    def origins(self):
        """Return [(mark, 0)], with the name that Dask gives to the same frame made in the same way."""
        return [(f"dask {self._frame._name}", 0)]

    @property
    def n_rows(self):
        """Number of rows, from one pass that counts those of every partition."""
        return int(self._find_ends()[-1])

    def _find_ends(self):
        if self._ends is None:
            self._ends = np.cumsum(self._frame.map_partitions(len).compute().to_numpy())
        return self._ends

    def read(self, block, piece_rows, what):
        """Yield (numbers, X, y) for one partition; see `ArraySource.read`."""
        part = self._frame.get_partition(block)[columns_of(what, self.features, self._label)].compute()
        end = int(self._find_ends()[block])
        numbers = range(end - len(part), end)
        yield from cut_frame(part, numbers, piece_rows, what, self.features, self._label, self.name)


def cut_frame(frame, numbers, piece_rows, what, features, label, name):
    """Yield (numbers, X, y) for the rows of a frame, which have these `numbers` in the source `name`."""
    for first in range(0, len(frame), piece_rows):
        piece = frame.iloc[first : first + piece_rows].reset_index(drop=True)
        X = piece[features] if "X" in what else None
        here = numbers[first : first + piece_rows]
        y = clean_labels(piece[label], f"the label column {label!r}", name, here) if "y" in what else None
        yield here, X, y


def columns_of(what, features, label):
    """Return the columns to read for "X", "y" or "Xy"."""
    return (list(features) if "X" in what else []) + ([label] if "y" in what else [])


def choose_columns(columns, label, features, drop, name):
    """Return the predictors among the `columns` of a source; a name that is not there is an error."""
    repeated = sorted(str(column) for column, count in Counter(columns).items() if count > 1)
    if repeated:
        raise InvalidInputError(f"{name} has several columns of the name(s) {repeated}; rename them.")
    if features is not None and len(set(features)) < len(features):
        raise InvalidInputError(f"features names a column twice: {listed(features)}.")
    drop = list(drop or ())
    known, dropped = set(columns), set(drop)
    wanted = {
        "the label": [] if label is None else [label],
        "the column to drop": drop,
        "the feature": list(features or []),
    }
    for role, asked in wanted.items():
        lost = [column for column in asked if column not in known]
        if lost:
            raise InvalidInputError(f"{role} {listed(lost)} is not in {name}; its columns are {listed(columns)}.")
    if features is not None and label in features:
        raise InvalidInputError(f"the label {label!r} is among the features; leave it out of them.")
    kept = [c for c in (columns if features is None else features) if c != label and c not in dropped]
    if not kept:
        raise InvalidInputError(f"{name} has no predictor left beside the label {label!r}.")
    return kept


def clean_labels(values, what, name, numbers):
    """Return labels as a plain array; a missing one is an error that tells its row, of these `numbers` from 0."""
    import pandas as pd

    try:
        missing = np.flatnonzero(pd.isna(values))
    except InvalidOperation as error:
        # a signalling NaN of decimal refuses to be compared
        raise InvalidInputError(
            f"{what} of {name} has a missing value (sNaN); remove such rows or label them."
        ) from error
    if missing.size:
        raise InvalidInputError(
            f"{what} of {name} has a missing value in row {numbers[missing[0]] + 1}; remove such rows or label "
            "them (in files empty, NA, NaN, NULL and None count as missing)."
        )
    kind = values.dtype.kind if isinstance(getattr(values, "dtype", None), np.dtype) else "O"
    if kind in "biuf":
        plain = np.asarray(values)
    else:
        # text is compared once for each distinct one: a list of all of them would take most of the time of a pass
        codes, found = pd.factorize(values)
        if not all(map(is_label, found)):
            raise InvalidInputError(f"{what} of {name} must hold labels, got {shown(list(found))}.")
        _check_one_type(found, f"{what} of {name}")
        plain = np.array(list(found))[codes]
    return plain


def _check_one_type(labels, name):
    """Raise for text among other labels, which would become text, or have no order."""
    kinds = sorted({type(label).__name__ for label in labels})
    if len(kinds) > 1 and any(isinstance(label, str) for label in labels):
        raise InvalidInputError(
            f"{name} mixes values of different types ({', '.join(kinds)}); give all labels the same type."
        )


def count_labels(batches, name):
    """Return a dict of the number of each label in sorted order, from arrays of those that messages call `name`."""
    found = Counter()
    for y in batches:
        values, counts = np.unique(y, return_counts=True)
        found.update(dict(zip(values.tolist(), counts.tolist(), strict=True)))
        _check_one_type(found, name)
        if len(found) > MOST_LABELS:
            raise InvalidInputError(
                f"{name} has more than {MOST_LABELS} distinct values, such as "
                f"{listed(sorted(found)[:5])}, which look like a measurement; two classes are needed."
            )
    return {label: found[label] for label in sorted(found)}


def stamp(paths):
    """Return what shows that files have changed: their sizes and the times of their last change."""
    return {path: (path.stat().st_size, path.stat().st_mtime_ns) for path in paths}


def file_mark(path, stamped):
    """Return a text that tells a file from others and from what it was before a change; it does not show the name."""
    return hashlib.sha256(repr((str(path.resolve()), *stamped[path])).encode()).hexdigest()


def check_stamp(stamped):
    """Raise if a file is not as it was: rows are told by their places, which would be those of others."""
    for path, before in stamped.items():
        if not path.exists() or stamp([path])[path] != before:
            raise InvalidInputError(
                f"{path} has changed since it was opened, so that its rows are not the same in every pass. Call "
                "read_in_chunks again. Then train and set the threshold again."
            )


PARQUET_ENDINGS = (".parquet", ".pq")
# bytes that pyarrow holds of each column: it would read whole row groups otherwise
READ_AHEAD = 1 << 16


class ParquetSource:
    """Rows of Parquet files with the same columns, as an `ArraySource`; the row groups are the blocks.

    The files of a folder are taken in the order of their names.
    """

    empty = NO_ROWS

    def __init__(self, path, label, features, drop):
        self.name, self._label = str(path), label
        parts = [path]
        if path.is_dir():
            parts = sorted(part for part in path.iterdir() if part.name.lower().endswith(PARQUET_ENDINGS))
            if not parts:
                csv = any(part.suffix.lower() in (".csv", ".gz", ".tsv", ".txt") for part in path.iterdir())
                way_out = " Of CSV files give one by its own path, or write them anew as Parquet." * csv
                raise InvalidInputError(
                    f"the folder {path} has no Parquet files ({', '.join(PARQUET_ENDINGS)}).{way_out}"
                )
        self._stamp = stamp(parts)
        self._files, columns = [], None
        for part in parts:
            metadata, named = self._look(part)
            columns = columns or named
            if set(named) != set(columns):
                raise InvalidInputError(
                    f"{part} has other columns than {parts[0]}: {sorted(set(named) ^ set(columns))}. Files of one "
                    "folder need the same columns."
                )
            self._files.append((part, metadata))
        self.features = choose_columns(columns, label, features, drop, self.name)
        self.has_labels = label is not None
        self._blocks = [(*file, group) for file in self._files for group in range(file[1].num_row_groups)]
        sizes = [metadata.row_group(group).num_rows for _, metadata, group in self._blocks]
        self._starts = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)]).tolist()
        self.n_blocks, self.n_rows = len(self._blocks), self._starts[-1]
        if self.n_rows == 0:
            raise InvalidInputError(f"{path} has no rows.")

    def origins(self):
        """Return the mark of each file, and the number of its first row in the folder."""
        sizes = [metadata.num_rows for _, metadata in self._files]
        starts = np.cumsum([0, *sizes[:-1]]).tolist()
        return [(file_mark(part, self._stamp), start) for (part, _), start in zip(self._files, starts, strict=True)]

    def read(self, block, piece_rows, what):
        """Yield (numbers, X, y) for one row group; see `nproc.row_chunks.sources.ArraySource.read`."""
        pyarrow, parquet = _pyarrow(self.name)
        check_stamp(self._stamp)
        part, metadata, group = self._blocks[block]
        start = self._starts[block]
        columns = columns_of(what, self.features, self._label)
        try:
            with parquet.ParquetFile(part, metadata=metadata, pre_buffer=False, buffer_size=READ_AHEAD) as file:
                batches = file.iter_batches(
                    batch_size=piece_rows, row_groups=[group], columns=columns, use_threads=False
                )
                for batch in batches:
                    frame = batch.to_pandas(ignore_metadata=True)
                    numbers = range(start, start + batch.num_rows)
                    yield from cut_frame(frame, numbers, piece_rows, what, self.features, self._label, self.name)
                    start += batch.num_rows
        except (pyarrow.ArrowException, OSError) as error:
            raise InvalidInputError(f"{part} cannot be read as Parquet: {error}") from error

    def _look(self, part):
        """Return the metadata of a file and the names of its columns, without an index that pandas stored."""
        pyarrow, parquet = _pyarrow(self.name)
        try:
            with parquet.ParquetFile(part) as file:
                schema, metadata = file.schema_arrow, file.metadata
        except (pyarrow.ArrowException, OSError) as error:
            raise InvalidInputError(f"{part} cannot be read as Parquet: {error}") from error
        index = (schema.pandas_metadata or {}).get("index_columns", [])
        return metadata, [name for name in schema.names if name not in index]


def _pyarrow(name):
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise InvalidInputError(f"reading {name} requires pyarrow: pip install 'nproc-py[parquet]'.") from None
    return pyarrow, parquet
