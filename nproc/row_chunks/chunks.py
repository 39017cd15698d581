"""Rows of files larger than memory: chunks of them in order, in random order, and random parts of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nproc.checks import Seed, check_count, check_level, check_one_label, check_seed, shown_label
from nproc.errors import InvalidInputError, NPWarning, warn_at_call
from nproc.row_chunks.mixing import LANES, RandomPart, in_order, members_among, mixed, places_in, shuffle_generator
from nproc.row_chunks.sources import ArraySource, count_labels
from nproc.rows import Table, as_table, check_labels, check_same_rows, take_rows


class RowChunks:
    """Rows that are read a chunk at a time, as often as wanted; made by `read_in_chunks` and `from_arrays`.

    Iterating gives pairs (X, y) of `chunk_size` rows, the last with the rest, in the order of the file: X a DataFrame
    (an array or sparse matrix for rows given so), y an array of labels.

    Parameters
    ----------
    source : ArraySource, CsvSource or ParquetSource
        Where blocks of rows come from; the two functions above make it.
    chunk_size : int
        Rows of a chunk.
    class0 : label, optional
        The label whose misclassification is controlled; None: the first in sorted order.
    parts : tuple of RandomPart
        Of which random part of the rows these are; empty for all.

    Attributes
    ----------
    name : str
        The file or folder.
    labels_name : str
        What messages call the labels.
    features : list or None
        Names of the predictors; None for arrays.
    has_labels : bool
        Whether there is a column of labels.
    n_rows : int
        Number of rows.

    Notes
    -----
    Memory is that of a few chunks, whatever the size of the file. The lines of a CSV file are looked at once, when it
    is opened; a compressed one is read from its beginning in every pass.

    Examples
    --------
    >>> import numpy as np
    >>> rows = RowChunks.from_arrays(np.arange(10.0).reshape(5, 2), [0, 0, 1, 0, 1], chunk_size=2)
    >>> [len(y) for X, y in rows]
    [2, 2, 1]
    >>> train, left_out = rows.split(0.6, random_state=1)
    >>> train.n_rows + left_out.n_rows
    5
    """

    def __init__(self, source: Any, chunk_size: int, class0: object = None, parts: Any = ()) -> None:
        self._source, self._parts = source, parts
        self.name: str = source.name
        self.labels_name: str = "y" if isinstance(source, ArraySource) else f"the label column of {source.name}"
        self.features: list[str] | None = source.features
        self.has_labels: bool = source.has_labels
        self.chunk_size, self.class0 = chunk_size, check_one_label(class0, "class0")
        self._counts: dict[Any, int] | None = None
        self._n_rows: int | None = None

    @classmethod
    def from_arrays(
        cls, X: Table, y: ArrayLike | None = None, *, class0: object = None, chunk_size: int = 100_000
    ) -> RowChunks:
        """Return the rows of arrays, such as memory maps, in chunks.

        Parameters
        ----------
        X : ndarray, DataFrame or sparse matrix, shape (n, p)
            The rows. A memory map is read a chunk at a time; a sparse matrix is made CSR.
        y : array-like, shape (n,), optional
            The labels.
        class0, chunk_size
            As in `read_in_chunks`.

        Returns
        -------
        RowChunks
        """
        chunk_size = check_count(chunk_size, "chunk_size")
        check_same_rows(X=X, y=y)
        X = as_table(X, "X")
        if X.ndim != 2 or 0 in X.shape:
            raise InvalidInputError(f"X must be two-dimensional with rows and columns, got shape {X.shape}.")
        return cls(ArraySource(X, y, chunk_size), chunk_size, class0)

    @property
    def origin(self) -> Any:
        """The source, and the parts of it that these rows are in."""
        return self._source, self._parts

    @property
    def n_rows(self) -> int:
        if self._n_rows is None:
            # membership depends on places alone: nothing is read
            has_all = not self._parts and not len(self._source.empty)
            self._n_rows = self._source.n_rows if has_all else sum(len(rows) for rows in places_in(*self.origin))
        return self._n_rows

    def __repr__(self):
        columns = "" if self.features is None else f", {len(self.features)} features"
        parts = "".join(f", rows [{p.low:g}, {p.high:g}) of the split with seed {p.seed}" for p in self._parts)
        class0 = "" if self.class0 is None else f", class0={self.class0!s}"
        return f"RowChunks({self.name!r}{columns}{class0}, chunk_size={self.chunk_size}{parts})"

    def __iter__(self):
        """Yield (X, y) a chunk at a time, in the order of the file."""
        self._need_labels()
        return in_order(self._pieces("Xy"), self.chunk_size)

    def rows(self) -> Iterator[Any]:
        """Return an iterator over X alone, a chunk at a time; the labels are not read."""
        return (X for X, _ in in_order(self._pieces("X"), self.chunk_size))

    def labels(self) -> Iterator[NDArray[Any]]:
        """Return an iterator over y alone, a chunk at a time; the predictors are not read, if the format allows it."""
        self._need_labels()
        return (y for _, y in in_order(self._pieces("y"), self.chunk_size))

    def label_counts(self) -> dict[Any, int]:
        """Return a dict of the number of rows of each label, in sorted order, from one pass over the labels.

        Raises
        ------
        InvalidInputError
            If a label is missing, or there are more than 100 distinct ones.
        """
        if self._counts is None:
            self._need_labels()
            self._counts = count_labels((y for _, y in self._pieces("y")), self.labels_name)
            self._n_rows = sum(self._counts.values())
        return dict(self._counts)

    def two_labels(self, class0: object = None) -> NDArray[Any]:
        """Return the two labels, that of class 0 first; `class0` must not be other than that of these rows.

        Parameters
        ----------
        class0 : label, optional
            The label whose misclassification is controlled; None takes that of these rows.

        Returns
        -------
        ndarray, shape (2,)

        Raises
        ------
        InvalidInputError
            If there are not exactly two labels, or `class0` is none of them.
        """
        if class0 is not None and self.class0 is not None and not np.all(class0 == self.class0):
            raise InvalidInputError(
                f"class0={shown_label(class0)} is given, but these rows were read with "
                f"class0={shown_label(self.class0)}."
            )
        counts = self.label_counts()
        if len(counts) < 2:
            found = f"the label {next(iter(counts))!r} only" if counts else "no row"
            raise InvalidInputError(f"{self.name} has {found} in its {self.n_rows} rows; exactly 2 classes are needed.")
        given = self.class0 if class0 is None else class0
        return check_labels(np.array(list(counts)), given, name=self.labels_name).values

    def split(self, share: float, *, random_state: Seed = None) -> tuple[RowChunks, ...]:
        """Divide these rows at random into two parts, each row in the first with probability `share`.

        Parameters
        ----------
        share : float
            In (0, 1).
        random_state : None, int, Generator or RandomState
            Source of randomness. None draws a fresh seed, which the repr of the parts shows.

        Returns
        -------
        first, second : RowChunks
            Disjoint, and together all rows; rows stay in the order of the file. Parts can be split again.

        Raises
        ------
        InvalidInputError
            If `share` is not in (0, 1).

        Notes
        -----
        A row's part depends on the seed and on its place in the file alone: it is the same in every pass and for every
        `chunk_size`, and nothing is kept. The sizes are random, about `share` of the rows of each class. That costs no
        guarantee: the parts do not depend on what the rows hold, so that given the number of class 0 rows in a part,
        these are as many draws from class 0, independent of each other and of the other part.

        Where rows are not independent, as several of one patient, split files by patient beforehand.

        Examples
        --------
        >>> rows = RowChunks.from_arrays(np.arange(20.0).reshape(10, 2), [0, 1] * 5)
        >>> train, left_out = rows.split(0.5, random_state=3)
        >>> train.n_rows, left_out.n_rows
        (9, 1)
        """
        share, seed, depth = check_level(share, "share"), check_seed(random_state), len(self._parts)
        bounds = ((0.0, share), (share, 1.0))
        return tuple(
            RowChunks(self._source, self.chunk_size, self.class0, (*self._parts, RandomPart(seed, depth, low, high)))
            for low, high in bounds
        )

    def shuffled(
        self, random_state: Seed = None, *, epoch: int = 0, buffer: int | None = None
    ) -> Iterator[tuple[Any, Any]]:
        """Return an iterator over (X, y) in random order, each row once: the blocks of the file, mixed in a buffer.

        Parameters
        ----------
        random_state : None, int, Generator or RandomState
            Source of randomness.
        epoch : int
            Number of the pass, from 0: each has a permutation of its own, which depends on the seed and this number.
        buffer : int, optional
            Rows that are mixed at a time, at least `chunk_size`; None takes 4 chunks.

        Returns
        -------
        iterator of (X, y)
            Chunks of `chunk_size` rows; the last ones may have half as many.

        Raises
        ------
        InvalidInputError
            If `buffer` is below `chunk_size`, or there are no labels.

        Warns
        -----
        NPWarning
            If the file is one block and larger than the buffer, so that it is hardly mixed.

        Notes
        -----
        Blocks are the row groups of Parquet files, partitions of Dask, and else some thousand rows. They come in random
        order, 8 at a time in turn, and the rows of a full buffer are permuted. This is not a uniform permutation of all
        rows: two rows of one block come near each other. For rows stored in random order it makes no difference. A file
        sorted by class or by time needs blocks that are small against the buffer, so that a buffer spans many of them:
        write Parquet with ``row_group_size`` of at most an eighth of the buffer. A compressed CSV file is a single
        block. Memory is about 3 buffers.

        Examples
        --------
        >>> rows = RowChunks.from_arrays(np.arange(6.0).reshape(6, 1), [0, 1] * 3, chunk_size=3)
        >>> sorted(x for X, _ in rows.shuffled(1) for x in X[:, 0].tolist())
        [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
        """
        self._need_labels()
        seed, epoch = check_seed(random_state), check_count(epoch, "epoch", minimum=0)
        buffer = 4 * self.chunk_size if buffer is None else check_count(buffer, "buffer")
        if buffer < self.chunk_size:
            raise InvalidInputError(f"buffer must be at least chunk_size={self.chunk_size}, got {buffer}.")
        if self._source.n_blocks == 1 and self._source.n_rows > buffer:
            warn_at_call(
                f"{self.name} is stored as one block of {self._source.n_rows} rows, so rows are shuffled only "
                f"within {buffer} rows at a time. If they are sorted by class or time, training is worse. Write "
                f"Parquet with a row_group_size of at most {max(1, buffer // LANES)}, or leave a CSV file "
                "uncompressed.",
                NPWarning,
            )
        rng = shuffle_generator(seed, epoch)
        return mixed(self._source.n_blocks, self._read, size=self.chunk_size, buffer=buffer, rng=rng)

    def _need_labels(self):
        if not self.has_labels:
            raise InvalidInputError(f"{self.name} was read without labels; give the column of labels, or use .rows().")

    def _pieces(self, what):
        for block in range(self._source.n_blocks):
            yield from self._read(block, self.chunk_size, what)

    def _read(self, block, piece_rows, what="Xy"):
        """Yield (X, y) of the rows of a block that are in this part."""
        for numbers, X, y in self._source.read(block, piece_rows, what):
            if not self._parts:
                yield X, y
                continue
            chosen = np.flatnonzero(members_among(self._parts, numbers))
            if chosen.size:
                yield tuple(None if table is None else take_rows(table, chosen) for table in (X, y))
