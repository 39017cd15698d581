"""Samples of scores in ascending order, in memory or in a file, and counts in them that take little memory."""

import os
import tempfile
from contextlib import ExitStack, contextmanager

import numpy as np

from nproc.checks import check_path, check_scores
from nproc.errors import InvalidInputError
from nproc.score_chunks.sources import CHUNK_SIZE, ScoreChunks, as_chunks, refuse_loose


def sort_splits(scores, name, folder=None):
    """Return the scores of each split as a sorted float64 array.

    Parameters
    ----------
    scores : array-like or a source of chunks, or a list of them, one a split
        See `NPROCBand.from_scores`.
    name : str
        Name of the argument, for messages.
    folder : str or path, optional
        Where the arrays lie as files; None keeps them in memory.
    """
    several = isinstance(scores, list | tuple) and len(scores) > 0
    several = several and (np.ndim(scores[0]) == 1 or as_chunks(scores[0]) is not None)
    return tuple(_sort(split, name, folder) for split in (scores if several else [scores]))


def _sort(scores, name, folder):
    refuse_loose(scores, name)
    chunks = as_chunks(scores)
    if chunks is None:
        scores = check_scores(scores, name)
        if folder is None:
            return np.sort(scores)
        chunks = ScoreChunks(scores)
    ordered = _gather(chunks, name) if folder is None else _gather_in_file(chunks, name, _check_folder(folder))
    if ordered.size == 0:
        raise InvalidInputError(f"{name} is empty; at least one score is needed.")
    return ordered


def _gather(chunks, name):
    """Return all scores sorted, with one copy of them in memory."""
    scores = np.empty(chunks.size or CHUNK_SIZE)
    n = 0
    for chunk in chunks.chunks(name):
        if n + chunk.size > scores.size:
            # the system moves pages instead of copying them; room that is not used takes no memory
            scores.resize(max(n + chunk.size, scores.size * 3 // 2), refcheck=False)
        scores[n : n + chunk.size] = chunk
        n += chunk.size
    scores.resize(n, refcheck=False)
    scores.sort()
    return scores


def _gather_in_file(chunks, name, folder):
    """Return all scores sorted, as a view of a file that has no name, so that it goes when the view does."""
    with ExitStack() as stack:
        with _told_of(folder, name):
            # without a buffer: what cannot be written is told by the write, not again when the file is closed
            file = stack.enter_context(tempfile.TemporaryFile(dir=folder, buffering=0))
        n = 0
        # an error in reading the chunks is not one of the folder
        for chunk in chunks.chunks(name):
            with _told_of(folder, name):
                _write(file, chunk)
            n += chunk.size
        if n == 0:
            return np.empty(0)
        with _told_of(folder, name):
            # quicksort runs through each part from both ends, so that the system can write out and read ahead; it needs
            # no memory besides that of the file, whose pages the system may drop at any time
            np.memmap(file, dtype=np.float64, mode="r+", shape=(n,)).sort()
            # a plain view: it is searched, indexed and pickled as any array, and cannot be written to
            return np.asarray(np.memmap(file, dtype=np.float64, mode="r", shape=(n,)))


def _write(file, chunk):
    rest = np.ascontiguousarray(chunk).view(np.uint8)
    while rest.size:
        rest = rest[file.write(rest) :]


@contextmanager
def _told_of(folder, name):
    try:
        yield
    except OSError as error:
        raise InvalidInputError(
            f"{name} cannot be written to folder={str(folder)!r}, with 8 bytes for each score ({error}). Give a "
            "writable folder on a disk with enough free space."
        ) from error


def _check_folder(folder):
    if not isinstance(folder, str | os.PathLike):
        raise InvalidInputError(f"folder must be the path of a folder, for the sorted scores, got {folder!r}.")
    path = check_path(folder, "folder")
    if not path.is_dir():
        raise InvalidInputError(f"folder must be a folder that exists, for the sorted scores; there is no {folder}.")
    return path


def count_up_to(ordered, values):
    """Return how many of a sorted sample are at most each of some sorted values.

    The sample is searched between the first and the last of the values only, which is faster and reads fewer pages.
    """
    first = int(np.searchsorted(ordered, values[0], side="left"))
    last = int(np.searchsorted(ordered, values[-1], side="right"))
    return first + np.searchsorted(ordered[first:last], values, side="right")


def area_under_roc(sorted0, sorted1):
    """Return the share of pairs in which the class 1 score is larger, ties counted as one half."""
    twice = 0
    for start in range(0, sorted1.size, CHUNK_SIZE):
        few = sorted1[start : start + CHUNK_SIZE]
        first = int(np.searchsorted(sorted0, few[0], side="left"))
        part = sorted0[first : np.searchsorted(sorted0, few[-1], side="right")]
        below, up_to = (np.searchsorted(part, few, side=side) for side in ("left", "right"))
        twice += int(below.sum() + up_to.sum()) + 2 * first * few.size
    return twice / sorted1.size / (2 * sorted0.size)
