"""What scores may be given as: what is an array, what gives chunks, and what is refused as a likely mistake."""

from __future__ import annotations

import mmap
import os
from collections.abc import Iterable, Mapping, Sequence, Set

import numpy as np

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
            "ScoreChunks(list(scores.values())) if they are chunks of one sample."
        )
    if isinstance(scores, Set):
        raise InvalidInputError(f"{name} is a {type(scores).__name__}, which drops tied scores; give an array or list.")
    first = scores[0] if isinstance(scores, list | tuple) and scores else None
    if is_path(first):
        raise InvalidInputError(
            f"{name} is a list of text or paths, of which the first is {str(first)!r}. Files that hold one sample go "
            "in as ScoreChunks([path, ...]), or by their folder; of text that stands for numbers make numbers."
        )
    shape = (len(first),) if isinstance(first, list | tuple) else getattr(first, "shape", ())
    # a list of lists of one score is a column
    if shape and shape[0] != 1:
        raise InvalidInputError(
            f"{name} is a list of {len(scores)} arrays or lists, of which the first has {shape[0]} elements, and "
            "must be one-dimensional (one score a row). Chunks of one sample go in as ScoreChunks([array, ...])."
        )
