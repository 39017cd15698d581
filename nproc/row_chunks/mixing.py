"""Pieces of rows put together to chunks: in order, or mixed at random within a buffer."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from nproc.rows import n_rows, take_rows

# blocks that are read at the same time: rows that lie together in the file are spread over the chunks
LANES = 8


def joined(pieces):
    """Return one table of several of the same kind, rows in order; None for tables that were not read."""
    if len(pieces) == 1 or pieces[0] is None:
        return pieces[0]
    if hasattr(pieces[0], "iloc"):
        import pandas as pd

        return pd.concat(pieces, ignore_index=True)
    return sparse.vstack(pieces, format="csr") if sparse.issparse(pieces[0]) else np.concatenate(pieces)


def in_order(pieces, size):
    """Yield (X, y) with exactly `size` rows, the last with what is left, from pieces of at most `size` rows.

    Examples
    --------
    >>> pieces = [(np.array([1, 2]), None), (np.array([3, 4]), None), (np.array([5]), None)]
    >>> [X.tolist() for X, _ in in_order(iter(pieces), 3)]
    [[1, 2, 3], [4, 5]]
    """
    held, n_held = [], 0
    for piece in pieces:
        held.append(piece)
        n_held += rows_of(piece)
        if n_held >= size:
            whole = _joined_pieces(held)
            n_held -= size
            yield _part(whole, slice(0, size)) if n_held else whole
            held = [_part(whole, slice(size, None))] if n_held else []
    if held:
        yield _joined_pieces(held)


def mixed(blocks, read, *, size, buffer, rng):
    """Yield (X, y) with `size` rows, at the end also half as many: blocks in random order, mixed within a buffer.

    Parameters
    ----------
    blocks : int
        Number of blocks.
    read : callable
        Of a block and a largest number of rows: an iterator over its pieces (X, y). `LANES` of them are read in turn.
    size, buffer : int
        Rows of a chunk; rows that are mixed at a time, at least `size`.
    rng : numpy.random.Generator
        Where chance comes from.

    Notes
    -----
    Memory is about three times the buffer: the rows, the same put together, and a chunk of them.
    """
    waiting = iter(rng.permutation(blocks).tolist())
    piece_rows = max(1, buffer // LANES)
    lanes, held, n_held = [], [], 0
    try:
        while True:
            while len(lanes) < LANES and (block := next(waiting, None)) is not None:
                lanes.append(read(block, piece_rows))
            if not lanes:
                break
            for lane in list(lanes):
                piece = next(lane, None)
                if piece is None:
                    lanes.remove(lane)
                    continue
                held.append(piece)
                n_held += rows_of(piece)
            if n_held >= buffer + size:
                whole = _joined_pieces(held)
                order = rng.permutation(n_held)
                # at least a chunk is kept for the next buffer, so that the last chunk of all is no tiny one
                n_out = (n_held // size - 1) * size
                for first in range(0, n_out, size):
                    yield _part(whole, order[first : first + size])
                n_held -= n_out
                held = [_part(whole, order[n_out:])]
                del whole
        if held:
            whole = _joined_pieces(held)
            for part in np.array_split(rng.permutation(n_held), -(-n_held // size)):
                yield _part(whole, part)
    finally:
        for lane in lanes:
            lane.close()


def rows_of(piece):
    """Return the number of rows of a pair (X, y) of which one may be None."""
    return n_rows(piece[1] if piece[0] is None else piece[0])


def _joined_pieces(held):
    X, y = zip(*held, strict=True)
    return joined(X), joined(y)


def _part(piece, rows):
    """Return some rows of (X, y): a slice without a copy, or positions."""
    return tuple(None if table is None else _rows_of_table(table, rows) for table in piece)


def _rows_of_table(table, rows):
    if isinstance(rows, slice):
        return table.iloc[rows].reset_index(drop=True) if hasattr(table, "iloc") else table[rows]
    taken = take_rows(table, rows)
    return taken.reset_index(drop=True) if hasattr(taken, "iloc") else taken


# streams of a user's seed, apart from those of splits of rows in memory
_SPLIT_STREAM, _SHUFFLE_STREAM = 101, 102


@dataclass(frozen=True)
class RandomPart:
    """Rows whose uniform number, by place in the file, lies in [low, high).

    `depth` tells a split of all rows (0) from one of a part of them: with one seed they are independent.
    """

    seed: int
    depth: int
    low: float
    high: float

    def members(self, start, n):
        """Return whether each of the rows `start`, ..., `start` + n - 1 is in this part."""
        stream = np.random.SeedSequence(self.seed, spawn_key=(_SPLIT_STREAM, self.depth))
        # a generator by counter: the number of a row depends on its place alone, not on what was read before
        bits = np.random.Philox(key=stream.generate_state(2, np.uint64))
        bits.advance(start // 4)
        uniform = np.random.Generator(bits).random(start % 4 + n)[start % 4 :]
        return (self.low <= uniform) & (uniform < self.high)


def members_of(parts, start, n):
    """Return whether each of the rows `start`, ..., `start` + n - 1 is in all of the parts.

    Examples
    --------
    >>> members_of((RandomPart(1, 0, 0.0, 0.5), RandomPart(1, 0, 0.5, 1.0)), 0, 3)
    array([False, False, False])
    """
    chosen = np.ones(n, dtype=bool)
    for part in parts:
        chosen &= part.members(start, n)
    return chosen


def members_among(parts, numbers):
    """Return whether each of the rows with these increasing `numbers`, at least one, is in all of the parts.

    Examples
    --------
    >>> parts = (RandomPart(1, 0, 0.0, 0.5),)
    >>> bool(np.all(members_among(parts, [2, 5, 6]) == members_of(parts, 0, 7)[[2, 5, 6]]))
    True
    """
    first, last = int(numbers[0]), int(numbers[-1])
    chosen = members_of(parts, first, last - first + 1)
    return chosen if chosen.size == len(numbers) else chosen[np.asarray(numbers) - first]


def places_in(source, parts):
    """Yield the places of the rows of a source that are in all of the parts and not empty, some thousand at a time."""
    step = 1 << 16
    for start in range(0, source.n_rows, step):
        chosen = members_of(parts, start, min(step, source.n_rows - start))
        empty = source.empty[np.searchsorted(source.empty, start) : np.searchsorted(source.empty, start + step)]
        chosen[empty - start] = False
        yield start + np.flatnonzero(chosen)


def shuffle_generator(seed, epoch):
    """Return the numpy Generator of one pass in random order."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(_SHUFFLE_STREAM, epoch)))
