"""Parquet files of rows: a file or a folder of them, read by row groups, a bounded number of rows at a time."""

from __future__ import annotations

import numpy as np

from nproc.errors import InvalidInputError
from nproc.row_chunks.sources import check_stamp, choose_columns, columns_of, cut_frame, file_mark, stamp

PARQUET_ENDINGS = (".parquet", ".pq")
# bytes that pyarrow holds of each column: it would read whole row groups otherwise
READ_AHEAD = 1 << 16


class ParquetSource:
    """Rows of Parquet files with the same columns, as an `ArraySource`; the row groups are the blocks.

    The files of a folder are taken in the order of their names.
    """

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
        """Yield (start, n, X, y) for one row group; see `nproc.row_chunks.sources.ArraySource.read`."""
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
                    yield from cut_frame(frame, start, piece_rows, what, self.features, self._label, self.name)
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
        raise InvalidInputError(f"reading {name} takes pyarrow: pip install 'nproc-py[parquet]'.") from None
    return pyarrow, parquet
