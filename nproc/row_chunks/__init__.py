"""Rows that need not fit in memory: reading, dividing, mixing, training and scoring them by chunks.

`read_in_chunks` looks through files once and gives `RowChunks`, which can be divided, permuted and trained on; a
`ChunkInputs` scores them for the umbrella as `Inputs` does rows in memory.
"""

from typing import TYPE_CHECKING

from nproc.doors import lazy_names

if TYPE_CHECKING:
    from nproc.row_chunks.chunks import RowChunks
    from nproc.row_chunks.csv_files import CSV_ENDINGS, CSVTable, may_be_rounded, unknown_extension, whole_numbers
    from nproc.row_chunks.csv_lines import check_encoding, check_format, find_separator, refusing
    from nproc.row_chunks.inputs import ChunkInputs, read_chunk_inputs, refuse_chunks, refuse_members
    from nproc.row_chunks.reading import (
        chosen_columns,
        comes_in_chunks,
        is_file_name,
        name_of,
        pair_of,
        places_in_all,
        placing_chunk,
        read_in_chunks,
        rows_of_path,
        tables_in,
        warn_if_none,
    )
    from nproc.row_chunks.refusals import (
        MISSING,
        RefusedValuesError,
        counting,
        explaining,
        noting_faults,
        showing_rows,
    )
    from nproc.row_chunks.refused_rows import REFUSED_BY_METHOD, score_new_rows
    from nproc.row_chunks.sources import PARQUET_ENDINGS
    from nproc.row_chunks.training import train_in_chunks

__all__ = [
    "CSV_ENDINGS",
    "MISSING",
    "PARQUET_ENDINGS",
    "REFUSED_BY_METHOD",
    "CSVTable",
    "ChunkInputs",
    "RefusedValuesError",
    "RowChunks",
    "check_encoding",
    "check_format",
    "chosen_columns",
    "comes_in_chunks",
    "counting",
    "explaining",
    "find_separator",
    "is_file_name",
    "may_be_rounded",
    "name_of",
    "noting_faults",
    "pair_of",
    "places_in_all",
    "placing_chunk",
    "read_chunk_inputs",
    "read_in_chunks",
    "refuse_chunks",
    "refuse_members",
    "refusing",
    "rows_of_path",
    "score_new_rows",
    "showing_rows",
    "tables_in",
    "train_in_chunks",
    "unknown_extension",
    "warn_if_none",
    "whole_numbers",
]

__getattr__, __dir__ = lazy_names(__name__)
