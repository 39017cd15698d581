"""Scores in a dask array: its blocks, computed a few at a time, or folded where they are."""

from __future__ import annotations

from nproc.errors import InvalidInputError

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
            f"of dask give an array, a Series or a DataFrame with column=, got {type(array).__name__}."
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
