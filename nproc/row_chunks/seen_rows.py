"""Which rows trained a model: noted where it is trained in chunks, and kept from setting its threshold.

A row is told by its file and its place in it, so that neither side reads anything.
"""

from __future__ import annotations

from nproc.errors import InvalidInputError
from nproc.row_chunks.parts import RandomPart, members_of

# what is noted hangs on the model under this name, as plain lists, so that it is saved with the model in any format
NOTE = "_rows_that_trained"
# places that are looked at in one go
STEP = 1 << 16


def note_rows(model, rows):
    """Note on a model which rows have trained it.

    Parameters
    ----------
    model : object
        The trained model.
    rows : RowChunks
        The rows.
    """
    source, parts = rows.origin
    found, n = source.origins(), source.n_rows
    ends = [first for _, first in found[1:]] + [n]
    files = [[mark, first, end - first] for (mark, first), end in zip(found, ends, strict=True)]
    setattr(model, NOTE, {"files": files, "parts": [[p.seed, p.depth, p.low, p.high] for p in parts]})


def refuse_rows_that_trained(model, rows):
    """Raise if one of the rows has trained the model, as far as that was noted.

    Parameters
    ----------
    model : object
        A model, or a pipeline that ends with one.
    rows : RowChunks
        The rows that are to set a threshold.

    Raises
    ------
    InvalidInputError
        If there is such a row.
    """
    note = _note_of(model)
    if note is None:
        return
    source, parts = rows.origin
    first_of = dict(source.origins())
    trained = [RandomPart(*part) for part in note["parts"]]
    if any(
        _share_a_row(trained, first, parts, first_of[mark], n) for mark, first, n in note["files"] if mark in first_of
    ):
        raise InvalidInputError(
            f"X holds rows of {rows.name} that trained the model: a threshold set on them promises nothing. Give the "
            "other part of the same split, as in train, rest = rows.split(0.5, random_state=1), with train for "
            "train_in_chunks and rest here; a split with another seed shares rows with the first."
        )


def _note_of(model):
    while hasattr(model, "steps"):
        model = model.steps[-1][1]
    return getattr(model, NOTE, None)


def _share_a_row(parts_a, first_a, parts_b, first_b, n):
    """Whether any of the n rows of a file, from two places on in what it was read with, is in both parts."""
    return any(
        (members_of(parts_a, first_a + start, size) & members_of(parts_b, first_b + start, size)).any()
        for start in range(0, n, STEP)
        for size in [min(STEP, n - start)]
    )
