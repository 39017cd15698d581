"""Scores that need not fit in memory: whatever holds them, as checked chunks of float64, one at a time."""

from __future__ import annotations

import mmap
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from nproc.checks import as_array, check_count, check_path, check_scores, refuse_unordered
from nproc.errors import InvalidInputError


def is_path(source):
    """Whether it is the path of a file or folder, or other text."""
    return isinstance(source, str | os.PathLike)


def is_memmap(scores):
    """Whether an array is a memmap or a view of one."""
    while isinstance(scores, np.ndarray):
        scores = scores.base
    return isinstance(scores, mmap.mmap)


def is_array(source):
    """Whether numpy makes an array of it: an array, a list of numbers, a Series, a table, a buffer."""
    named = ("__array__", "__array_interface__", "__buffer__", "__dataframe__", "shape")
    return isinstance(source, Sequence) or any(hasattr(source, name) for name in named)


def is_iterable(source):
    """Whether it gives one thing after another, in an order."""
    return isinstance(source, Iterable) and not isinstance(source, str | bytes | Mapping | Set)


def refuse_loose(scores, name):
    """Raise for a dict or set, and for a list of text or of lists, which may be chunks of one sample or a mistake.

    Parameters
    ----------
    scores : object
        What was given.
    name : str
        Name of the argument, for messages.
    """
    if isinstance(scores, Mapping):
        raise InvalidInputError(
            f"{name} is a {type(scores).__name__} with the keys {list(scores)[:5]}; give one of its values, or "
            "nproc.score_chunks.ScoreChunks(list(scores.values())) if they are chunks of one sample."
        )
    if isinstance(scores, Set):
        raise InvalidInputError(f"{name} is a {type(scores).__name__}, which drops tied scores; give an array or list.")
    first = scores[0] if isinstance(scores, list | tuple) and scores else None
    if is_path(first):
        raise InvalidInputError(
            f"{name} is a list of text or paths, of which the first is {str(first)!r}. Files that hold one sample "
            "go in as nproc.score_chunks.ScoreChunks([path, ...]), or as the path of their folder. Convert text "
            "to numbers first."
        )
    shape = (len(first),) if isinstance(first, list | tuple) else getattr(first, "shape", ())
    # a list of lists of one score is a column
    if shape and shape[0] != 1:
        raise InvalidInputError(
            f"{name} is a list of {len(scores)} arrays or lists, of which the first has {shape[0]} elements, and "
            "must be one-dimensional (one score a row). Chunks of one sample go in as "
            "nproc.score_chunks.ScoreChunks([array, ...])."
        )


# blocks that come to the caller together
TOGETHER = 8
# parts that one task merges; the fewer, the fewer wait for it
FAN_IN = 4


def is_dask(source):
    """Whether an object is a collection of dask."""
    # an array of xarray has the method whatever holds its numbers
    return hasattr(source, "compute") and hasattr(source, "__dask_graph__") and source.__dask_graph__() is not None


def delayed_blocks(array):
    """Return the blocks of a dask array or Series of scores, and their number of scores, None if it is not known."""
    # asked of the class: a Delayed says yes to every name. Only an array of xarray has names for its dimensions
    if hasattr(type(array), "dims"):
        array = array.data
    if hasattr(type(array), "to_dask_array"):
        array = array.to_dask_array()
    if not hasattr(type(array), "to_delayed") or not hasattr(type(array), "chunks"):
        raise InvalidInputError(
            f"dask objects must be an array, a Series, or a DataFrame with column=, got {type(array).__name__}."
        )
    if array.ndim != 1 and array.shape[1:] != (1,):
        raise InvalidInputError(f"scores must be one-dimensional (one score a row), got shape {array.shape}.")
    # blocks of unknown size have NaN as their size, and so does the array
    known = array.shape[0] == array.shape[0]
    return array.to_delayed().ravel().tolist(), int(array.shape[0]) if known else None


def computed_blocks(blocks):
    """Give the blocks as arrays, in order, a few computed together."""
    import dask

    for first in range(0, len(blocks), TOGETHER):
        yield from dask.compute(*blocks[first : first + TOGETHER])


def count_blocks(blocks):
    """Return the number of scores in all blocks, counted where they are."""
    import dask

    return sum(dask.compute(*[_task(len, block) for block in blocks]))


def fold_blocks(blocks, new, check):
    """Return an accumulator that holds all blocks: one for each block where it is, merged in a tree.

    Parameters
    ----------
    blocks : list of dask.delayed.Delayed
    new : callable
        Makes an empty accumulator.
    check : callable
        ``check(block, number)`` returns the clean scores of a block, numbered from 1.
    """
    parts = [_task(_fold_one, new, check, block, number) for number, block in enumerate(blocks, start=1)]
    while len(parts) > 1:
        groups = [parts[first : first + FAN_IN] for first in range(0, len(parts), FAN_IN)]
        parts = [_task(_merged, new, group) for group in groups]
    return parts[0].compute()


def _task(function, *arguments):
    from dask import delayed

    return delayed(function, pure=False)(*arguments)


def _fold_one(new, check, block, number):
    part = new()
    part.add(check(block, number))
    part.trim()
    return part


def _merged(new, parts):
    # into a new one: a task that is run again, as after the loss of a worker, must find its parts as they were
    total = new()
    for part in parts:
        total.merge(part)
    total.trim()
    return total


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
            raise InvalidInputError(f"{file} is not a Parquet file, or is damaged ({error}).") from error
        column = choose_column(schema.names, column, str(file))
        kind, types = schema.field(column).type, pyarrow.types
        if not (types.is_floating(kind) or types.is_integer(kind) or types.is_boolean(kind) or types.is_decimal(kind)):
            raise InvalidInputError(f"column {column!r} of {file} holds {kind}, not numbers.")
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
                f"{where} has {len(own)} columns {own[:8]}; name the column of the scores: "
                "nproc.score_chunks.ScoreChunks(..., column='score')."
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


# half a megabyte stays in the processor's cache while it is checked and compared
CHUNK_SIZE = 1 << 16
# a sample is taken in short runs: a page of a file costs the same for one score as for all its 512
SAMPLE_SIZE, SAMPLE_RUN = 1 << 17, 1 << 9


class ScoreChunks:
    """Scores of one sample, read a chunk at a time, so that they may be larger than memory.

    `np_threshold` and `NPROCBand.from_scores` make one of what they are given where it is no array or list. Make it
    yourself to name a column, to set the size of the chunks, or to give a list of arrays as the chunks of one sample.

    Parameters
    ----------
    source : array, path, dask array or iterable
        An array, a numpy memmap, or another object with shape, dtype and slices, as of h5py and zarr; the path of an
        ``.npy`` file, of a Parquet file or of a folder of Parquet files (extra ``parquet``), or a list of such paths,
        whose scores are one sample; a dask array, Series or DataFrame (extra ``dask``); a list or any other iterable
        of chunks, each an array of scores, a Series, or a table.
    column : str, optional
        The column of a Parquet file or a table that holds the scores; None where there is only one.
    chunk_size : int
        Scores read at a time from an array or a file; dask arrays and iterables keep their own chunks.

    Attributes
    ----------
    size : int or None
        Number of scores; None where only a pass over them would tell.
    one_shot : bool
        Whether `source` is an iterator, such as a generator, which can be read only once.

    Raises
    ------
    InvalidInputError
        If `source` is none of these, a file or column is not there, or pyarrow is missing; on reading, if a chunk is
        not one-dimensional or holds NaN or infinite values. The message names the chunk.

    See Also
    --------
    RowChunks : the same for rows with predictors and labels.

    Notes
    -----
    Iterating gives arrays of float64. In memory is one chunk at a time: of a dask array 8 blocks where the caller needs
    the scores themselves, of a Parquet file what pyarrow needs for a row group. Order and size of the chunks
    change no result. Of an array or a memmap ``dask.array.from_array`` makes a copy in memory: give the memmap itself.
    A file of raw numbers does not say what it holds: ``np.memmap(path)`` without `dtype` reads bytes as scores from 0
    to 255, which nobody can notice; write ``np.memmap(path, dtype=np.float64, mode="r")``.

    Examples
    --------
    >>> import numpy as np
    >>> from nproc import np_threshold
    >>> days = [np.arange(40.0), np.arange(40.0, 100.0)]
    >>> ScoreChunks(days)
    ScoreChunks(list of chunks, 100 scores)
    >>> np_threshold(ScoreChunks(days)) == np_threshold(np.arange(100.0))
    True
    """

    def __init__(self, source: NDArray[np.float64], *, column: str | None = None, chunk_size: int = CHUNK_SIZE) -> None:
        self.chunk_size = check_count(chunk_size, "chunk_size")
        self.size, self.one_shot = None, False
        self._array, self._blocks, self._was_read = None, None, False
        self._what = type(source).__name__
        if sparse.issparse(source):
            raise InvalidInputError("scores must be a dense array, got a sparse one: give scores.toarray().ravel().")
        if isinstance(source, Sequence) and len(source) > 0:
            refuse_unordered(source[0], "the first chunk of scores")
        if is_path(source):
            self._read_path(check_path(source, "scores"), column)
        elif is_dask(source):
            self._blocks, self.size = delayed_blocks(_scores_of(source, column))
            self._what = f"dask array of {len(self._blocks)} blocks"
            self._open = partial(computed_blocks, self._blocks)
        elif isinstance(source, Sequence) and len(source) > 0 and is_path(source[0]):
            self._read_paths(source, column)
        elif isinstance(source, Sequence) and len(source) > 0 and np.ndim(source[0]) > 0:
            self.size, self._what = sum(_length(chunk) or 0 for chunk in source), f"{self._what} of chunks"
            self._open = partial(_each, source, column)
        elif is_array(source):
            self._read_array(_scores_of(source, column))
        elif is_iterable(source):
            self.one_shot = hasattr(source, "__next__")
            self._open = partial(_each, source, column)
        else:
            raise InvalidInputError(
                "scores must be an array, the path of an .npy or Parquet file, a dask array or an iterable of arrays, "
                f"got {self._what}."
            )

    def __repr__(self):
        size = "size not known yet" if self.size is None else f"{self.size} scores"
        return f"ScoreChunks({self._what}, {size}{', for one pass' * self.one_shot})"

    def __iter__(self):
        """Give the chunks as one-dimensional float64 arrays, checked."""
        return self.chunks("scores")

    def chunks(self, name: str) -> Iterator[NDArray[np.float64]]:
        """Give the chunks; `name` is that of the argument, for messages."""
        if self.one_shot and self._was_read:
            raise InvalidInputError(f"{name} is an iterator that has been read already, and gives nothing more.")
        self._was_read = True
        start = 0
        for number, raw in enumerate(self._open(), start=1):
            values = _checked(raw, number, name, start)
            start += values.size
            yield values

    def count(self, name: str) -> int:
        """Return the number of scores: known, or counted by a pass over the chunks that looks at nothing else."""
        if self.size is not None:
            return self.size
        if self.one_shot:
            raise InvalidInputError(
                f"{name} is an iterator, which can be read only once. The rank of the threshold depends on the number "
                "of scores. Give this number as n0=, or give something that can be read again (a path, a memmap, a "
                "list of arrays in ScoreChunks, an object whose __iter__ starts afresh)."
            )
        # what is no chunk counts as none here, and is refused by name when it is read
        return sum(_length(raw) or 0 for raw in self._open()) if self._blocks is None else count_blocks(self._blocks)

    def sample(self) -> NDArray[np.float64] | None:
        """Return some scores from all over an array or memmap, unchecked; None of other sources, and of small ones."""
        if self._array is None or self.size < 8 * SAMPLE_SIZE or self._array.dtype.kind not in "biuf":
            return None
        starts = np.linspace(0, self.size - SAMPLE_RUN, SAMPLE_SIZE // SAMPLE_RUN).astype(np.int64)
        runs = [np.asarray(self._array[start : start + SAMPLE_RUN]) for start in starts.tolist()]
        return np.concatenate(runs).astype(np.float64)

    def fold(self, new: Callable[..., Any], name: str) -> Any:
        """Return an accumulator that has taken in all chunks; those of a dask array where its blocks are.

        Parameters
        ----------
        new : callable
            Makes an empty accumulator with ``add(chunk)``, ``merge(other)`` and ``trim()``; it must be one that can be
            pickled, and the order of merging must not matter.
        name : str
            Name of the argument, for messages.
        """
        if self._blocks is not None:
            return fold_blocks(self._blocks, new, partial(_checked, name=name))
        total = new()
        for chunk in self.chunks(name):
            total.add(chunk)
        return total

    def _read_paths(self, paths, column):
        others = [type(path).__name__ for path in paths if not is_path(path)]
        if others:
            raise InvalidInputError(f"scores is a list of paths and {others[0]}; give the chunks in one form.")
        parts = [ScoreChunks(path, column=column, chunk_size=self.chunk_size) for path in paths]
        self.size, self._what = sum(part.size for part in parts), f"{len(parts)} paths"
        self._open = partial(_each_of, parts)

    def _read_path(self, path, column):
        if not path.exists():
            raise InvalidInputError(
                f"scores must be numbers, or the path of an .npy or Parquet file; there is no file or folder {path}."
            )
        if path.is_dir() or path.suffix.lower() in SUFFIXES:
            files, column, self.size = find_scores(path, column)
            self._what = f"{path.name}, column {column!r}"
            self._open = partial(read_scores, files, column, self.chunk_size)
        elif path.suffix.lower() == ".npy":
            _refuse_column(column, path.name)
            try:
                array = np.load(path, mmap_mode="r")
            except (ValueError, EOFError) as error:
                raise InvalidInputError(f"{path} holds no array of numbers ({error}).") from error
            if not isinstance(array, np.ndarray):
                array.close()
                raise InvalidInputError(f"{path} holds several arrays, as an .npz file does; save the scores alone.")
            self._read_array(array)
            self._what = path.name
        else:
            raise InvalidInputError(
                f"{path} must be an .npy file, a Parquet file or a folder of Parquet files. For another format, "
                "give the chunks, as pandas.read_csv(path, usecols=['score'], chunksize=100_000) does, and n0=, "
                "their number."
            )

    def _read_array(self, source):
        array = source.to_numpy() if hasattr(source, "iloc") else source
        # a column of polars has both and gives its numbers as a whole
        if hasattr(array, "to_numpy") or not (hasattr(array, "shape") and hasattr(array, "dtype")):
            array = as_array(array, "scores")
        if len(array.shape) == 2 and array.shape[1] == 1:
            array = array[:, 0]
        if len(array.shape) != 1:
            raise InvalidInputError(f"scores must be one-dimensional (one score a row), got shape {array.shape}.")
        self._array, self.size = array, int(array.shape[0])
        self._open = partial(_slices, array, self.chunk_size)


def as_chunks(scores):
    """Return `ScoreChunks` of what is to be read in chunks, and None for an array or list, which is in memory."""
    if isinstance(scores, ScoreChunks):
        return scores
    to_read = is_path(scores) or is_dask(scores) or is_memmap(scores)
    return ScoreChunks(scores) if to_read or (is_iterable(scores) and not is_array(scores)) else None


def _column_names(source):
    """Column names of a table of pandas, pyarrow, polars or dask; None of anything else."""
    kind = type(source)
    if hasattr(kind, "column_names"):
        return list(source.column_names)
    # a Series of dask has columns as well
    return list(source.columns) if hasattr(kind, "columns") and len(source.shape) == 2 else None


def _scores_of(source, column):
    """Return the column of a table, and anything else as it is."""
    names = _column_names(source)
    if names is None:
        _refuse_column(column, type(source).__name__)
        return source
    return source[choose_column(names, column, f"the {type(source).__name__}")]


def _refuse_column(column, what):
    if column is not None:
        raise InvalidInputError(f"column={column!r} is for Parquet files and tables; leave it out for {what}.")


def _each(source, column):
    return (_scores_of(chunk, column) for chunk in source)


def _each_of(parts):
    return (chunk for part in parts for chunk in part._open())


def _slices(array, size):
    # slices of a plain array cost less than those of a memmap, whose memory they share
    plain = np.asarray(array) if isinstance(array, np.memmap) else array
    for start in range(0, plain.shape[0], size):
        yield plain[start : start + size]


def _length(chunk):
    """Number of scores in a chunk; None of what is no chunk, such as a number or a path."""
    no_chunk = isinstance(chunk, str | bytes) or not hasattr(chunk, "__len__") or getattr(chunk, "ndim", 1) == 0
    return None if no_chunk else len(chunk)


def _checked(raw, number, name, start=None):
    """Return a chunk as `check_scores` does, except that it may be empty; an error says which chunk it was."""
    size = _length(raw)
    if size is None:
        raise InvalidInputError(
            f"{name} must give chunks that are arrays of scores, got {raw!r} as chunk {number}. Put single numbers "
            "into a list; pass paths as nproc.score_chunks.ScoreChunks([path, ...])."
        )
    if size == 0:
        return np.empty(0)
    try:
        return check_scores(raw, name)
    except InvalidInputError as error:
        where = "" if start is None else f", {name}[{start}:{start + size}]"
        raise InvalidInputError(f"{error} This is chunk {number}{where}.") from error
