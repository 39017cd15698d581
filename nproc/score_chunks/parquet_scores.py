"""Scores in Parquet files: which column, how many, and a batch of rows at a time."""

from __future__ import annotations

from nproc.errors import InvalidInputError

SUFFIXES = (".parquet", ".pq")


def find_scores(path, column):
    """Return the files, the column of the scores and the number of rows, by what the files say of themselves.

    Parameters
    ----------
    path : Path
        A file, or a folder whose Parquet files, at any depth, are parts of one sample.
    column : str or None
        None takes the only column.
    """
    pyarrow = _pyarrow()
    files, n_rows = [path], 0
    if path.is_dir():
        found = (file for file in path.rglob("*") if file.suffix.lower() in SUFFIXES)
        files = sorted(file for file in found if not file.name.startswith((".", "_")))
        if not files:
            raise InvalidInputError(f"the folder {path} holds no Parquet file ({' or '.join(SUFFIXES)}).")
    for file in files:
        try:
            with pyarrow.parquet.ParquetFile(file) as opened:
                schema, n_in_file = opened.schema_arrow, opened.metadata.num_rows
        except pyarrow.ArrowInvalid as error:
            raise InvalidInputError(f"{file} is no Parquet file, or damaged ({error}).") from error
        column = choose_column(schema.names, column, str(file))
        kind, types = schema.field(column).type, pyarrow.types
        if not (types.is_floating(kind) or types.is_integer(kind) or types.is_boolean(kind) or types.is_decimal(kind)):
            raise InvalidInputError(f"column {column!r} of {file} holds {kind}, no numbers.")
        n_rows += n_in_file
    return files, column, n_rows


def read_scores(files, column, size):
    """Give the scores of the files, at most `size` at a time; a missing value comes as NaN."""
    pyarrow = _pyarrow()
    for file in files:
        with pyarrow.parquet.ParquetFile(file) as opened:
            # asked for all row groups at once, pyarrow keeps what it has read
            for group in range(opened.num_row_groups):
                for batch in opened.iter_batches(batch_size=size, columns=[column], row_groups=[group]):
                    scores = batch.column(0)
                    if not pyarrow.types.is_floating(scores.type):
                        scores = scores.cast(pyarrow.float64(), safe=False)
                    yield scores.to_numpy(zero_copy_only=False)


def choose_column(names, column, where):
    """Return the column that holds the scores: the one named, or the only one."""
    # the index that pandas writes into a file is no column of the user's
    own = [name for name in names if not str(name).startswith("__index_level_")]
    if column is None:
        if len(own) != 1:
            raise InvalidInputError(
                f"{where} has {len(own)} columns {own[:8]}; name that of the scores: ScoreChunks(..., column='score')."
            )
        return own[0]
    if column not in names:
        raise InvalidInputError(f"{where} has no column {column!r}; it has {own[:8]}.")
    if names.count(column) > 1:
        raise InvalidInputError(f"{where} has {names.count(column)} columns {column!r}; give them different names.")
    return column


def _pyarrow():
    try:
        import pyarrow.parquet
    except ImportError as error:
        raise InvalidInputError("Parquet files need pyarrow: pip install 'nproc-py[parquet]'.") from error
    return pyarrow
