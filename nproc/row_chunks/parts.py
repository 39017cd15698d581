"""Chance for rows that are never all in memory: random parts by the places of rows, and random orders by epoch."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

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


def shuffle_generator(seed, epoch):
    """Return the numpy Generator of one pass in random order."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(_SHUFFLE_STREAM, epoch)))
