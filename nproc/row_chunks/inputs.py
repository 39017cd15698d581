"""Rows in chunks as the inputs of `npc` and `nproc` with ``prefit=True``: scored a chunk at a time."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace

import numpy as np

from nproc.errors import InvalidInputError
from nproc.inputs import Method, Subject, class0_of_method, warn_of_other_class0
from nproc.row_chunks.chunks import RowChunks
from nproc.row_chunks.mixing import RandomPart, members_of
from nproc.row_chunks.refusals import explaining, naming, row_in_file
from nproc.rows import Design, build_design, encode_labels, listed
from nproc.score_direction import ENOUGH_SCORES
from nproc.scorers import name_outliers, score_rows, scorer_names

# Which rows trained a model: noted where it is trained in chunks, and kept from setting its threshold.
#
# A row is told by its file and its place in it, so that neither side reads anything.


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
            f"X holds rows of {rows.name} that trained the model. A threshold set on them has no guarantee. Give "
            "the other part of the same split, as in train, rest = rows.split(0.5, random_state=1), with train "
            "for train_in_chunks and rest here; a split with another seed shares rows with the first."
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


@dataclass(frozen=True)
class CountedLabels:
    """The two labels, that of class 0 first, and the rows of each; as `nproc.rows.labels.Labels` without the codes."""

    values: np.ndarray
    n0: int
    n1: int


@dataclass(frozen=True)
class ChunkInputs:
    """What `nproc.inputs.Inputs` is for rows in memory, without the rows.

    Attributes
    ----------
    method : Method
        The trained scorer.
    design : Design
        Turns rows into what the scorer sees.
    rows : RowChunks
        The rows.
    labels : CountedLabels
        The labels and their counts.
    all_scores1 : bool
        Whether the scores of class 1 are wanted, or their smallest and largest are enough.
    """

    method: Method
    design: Design
    rows: RowChunks
    labels: CountedLabels
    all_scores1: bool
    sample_weight = None

    @property
    def subject(self):
        """The `Subject` of these inputs."""
        labels = self.labels
        return Subject(self.method.name, self.method.prefit, self.design, labels.values, labels.n0, labels.n1)

    def score(self):
        """Return the scores of class 0 and of class 1, and the mark of the rows, see `nproc.umbrella.left_out_mark`.

        Notes
        -----
        Memory is a chunk, 8 bytes for each score that is returned, and a byte for every row.
        """
        labels, n = self.labels, self.labels.n0 + self.labels.n1
        codes = np.empty(n, dtype=np.uint8)
        scores0 = np.empty(labels.n0)
        scores1 = np.empty(labels.n1 if self.all_scores1 else 0)
        # of class 1 a classifier needs the ends, and some to see the direction of the scores
        step, some = -(-labels.n1 // ENOUGH_SCORES), []
        ends, done, done0 = [], 0, 0
        for number, (X, y) in enumerate(self.rows, start=1):
            with naming(f"{self.rows.name}, chunk {number}"), self._explaining(X, done):
                here = encode_labels(y, labels.values)
                scores = score_rows(self.method.scorer, self.design.transform(X), labels.values)
            is0 = here == 0
            n_here0 = int(is0.sum())
            if done0 + n_here0 > labels.n0 or done - done0 + here.size - n_here0 > labels.n1:
                self._refuse_other_rows()
            scores0[done0 : done0 + n_here0] = scores[is0]
            if self.all_scores1:
                scores1[done - done0 : done - done0 + here.size - n_here0] = scores[~is0]
            elif n_here0 < here.size:
                ends += [scores[~is0].min(), scores[~is0].max()]
                ends = [min(ends), max(ends)]
                # a copy: a view would hold all of the chunk
                some.append(scores[~is0][(done0 - done) % step :: step].copy())
            codes[done : done + here.size] = here
            done, done0 = done + here.size, done0 + n_here0
        if done < n:
            self._refuse_other_rows()
        if not self.all_scores1:
            scores1 = np.concatenate([ends, *some] if step > 1 else some)
        return scores0, scores1, _mark(codes, labels.n0)

    def _explaining(self, X, done):
        return explaining(X, self.rows.name, advice="threshold", row_of=lambda row: row_in_file(self.rows, done + row))

    def _refuse_other_rows(self):
        # what would stand in the place of the scores that are missing is not a score
        raise InvalidInputError(
            f"{self.rows.name} has other labels now than when its rows were counted ({self.labels.n0} and "
            f"{self.labels.n1} rows of the two classes): its rows must be the same in every pass. Store them in a "
            "file, and read that."
        )


def read_chunk_inputs(rows, y, *, method, data, class0, all_scores1):
    """Return the `ChunkInputs` of rows and a trained method; see `npc` for the arguments."""
    if not method.prefit:
        trained = (
            ""
            if method.name in scorer_names()
            else "If it is trained already, on other rows, give prefit=True. Else split"
        )
        raise InvalidInputError(
            f"training of method {method.name!r} by npc and nproc needs the rows in memory. {trained or 'Split'} the "
            "rows by rows.split(0.5), train on the one part by train_in_chunks, and give the other here with "
            "prefit=True."
        )
    if y is not None or data is not None:
        raise InvalidInputError("rows from read_in_chunks contain their labels; leave out y and data.")
    refuse_rows_that_trained(method.scorer, rows)
    # rows that were read with a class 0 have it given
    given = rows.class0 if class0 is None else class0
    labels = rows.two_labels(class0_of_method(method, given, lambda: list(rows.label_counts()), rows.labels_name))
    warn_of_other_class0(method, labels)
    counts = rows.label_counts()
    n0, n1 = (counts[label] for label in labels.tolist())
    _check_features(method, rows)
    first = next(rows.rows())
    with naming(f"{rows.name}, chunk 1"):
        built = build_design(
            first,
            numeric=method.numeric,
            allow_nan=method.allow_nan,
            accept_sparse=method.sparse,
            method=method.name,
        )
    method = replace(method, scorer=name_outliers(method.scorer, labels, method.prefit))
    return ChunkInputs(method, built.design, rows, CountedLabels(labels, n0, n1), all_scores1)


def _check_features(method, rows):
    """Raise if a model that knows the columns of its training does not know those of the rows."""
    known = getattr(method.scorer, "feature_names_in_", None)
    if known is None or rows.features is None or list(known) == rows.features:
        return
    beyond = [name for name in rows.features if name not in known]
    lacking = [name for name in known if name not in rows.features]
    differences = f"unknown to it are {listed(beyond)}, " * bool(beyond) + f"missing are {listed(lacking)}, " * bool(
        lacking
    )
    way_out = "give columns on which it was trained" if lacking else f"read them with features={listed(list(known))}"
    raise InvalidInputError(
        f"{rows.name} does not have the columns on which {method.name} was trained, in the same order: "
        f"{differences or 'they are the same in another order, '}so {way_out}."
    )


def refuse_chunks(X, who):
    """Raise for rows in chunks where a function trains on parts of all rows in turn."""
    if isinstance(X, RowChunks):
        raise InvalidInputError(
            f"{who} requires rows in memory, and got RowChunks. For a trained model nproc(rows, method=model, "
            "prefit=True) gives the ROC band of rows in chunks; for a part of the rows that fits in memory put "
            "together the chunks of rows.split(0.01)[0]."
        )


def refuse_members(X, groups, clusters):
    """Raise for groups or clusters of rows in chunks."""
    if isinstance(X, RowChunks) and not (groups is None and clusters is None):
        raise InvalidInputError(
            "groups and clusters need the rows in memory. Read the rows of the part that sets the thresholds with "
            "the columns you need, such as pandas.concat(X for X, y in rows), and give them as X and y."
        )


def _mark(codes, n0):
    # the bytes that left_out_mark digests, a block of places at a time
    digest, step = hashlib.sha256(np.array([n0], dtype="<i8").tobytes()), 1 << 14
    for code in (0, 1):
        for start in range(0, codes.size, step):
            digest.update((np.flatnonzero(codes[start : start + step] == code) + start).astype("<i8").tobytes())
    return digest.hexdigest()
