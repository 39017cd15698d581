"""The splits of several methods, trained and scored in one pool of tasks."""

from __future__ import annotations

from dataclasses import replace

from nproc.errors import InvalidInputError, NPError
from nproc.inputs import read_inputs
from nproc.labels import plain_labels
from nproc.parallel.tasks import run_tasks
from nproc.row_chunks.chunks import RowChunks
from nproc.umbrella import check_resample, open_store, score_split, split_keys, warn_duplicates


def read_all_inputs(X, y, methods, *, data=None, class0=None, sample_weight=None):
    """Return the `Inputs` of each `Method` for the same rows; tables that are equal are one object.

    Parameters
    ----------
    X, y, data, class0, sample_weight
        As in `npc`.
    methods : sequence of Method
        The methods.

    Returns
    -------
    list of Inputs

    Raises
    ------
    InvalidInputError
        If the rows come in chunks, or one of the methods cannot take them.
    """
    if isinstance(X, RowChunks):
        raise InvalidInputError(
            "several methods train on rows in memory, and these come in chunks: train each method by train_in_chunks "
            "on one part of the rows, make its band from the other by nproc with prefit=True, and compare the bands."
        )
    found, tables = [], {}
    for method in methods:
        inputs = read_inputs(X, y, method=method, data=data, class0=class0, sample_weight=sample_weight)
        # what the first has found holds for all, and is told once
        class0 = plain_labels(inputs.labels.values)[0]
        # a matrix of numbers, or the rows as they were given
        table = tables.setdefault(method.numeric, inputs.X)
        found.append(replace(inputs, X=table))
    return found


def score_methods(
    inputs, splits, *, resample=None, n_jobs=None, verbose=0, label="split", checkpoint=None, summarise=None
):
    """Return for each method the list of its `ScoredSplit` objects; all methods and splits are tasks of one pool.

    Parameters
    ----------
    inputs : sequence of Inputs
        Of each method, from `read_all_inputs`.
    splits : sequence of Splits
        Of each method, by one seed from the same rows, so that they differ at most in their settings (the ratio).
    resample, n_jobs, verbose, label
        As in `nproc.umbrella.score_splits`.
    checkpoint : Path or None
        As there: the files are those that a run of one method alone finds and makes. Not with `summarise`, of which
        the files know nothing.
    summarise : callable, optional
        What to give back in place of each ScoredSplit; it is called where the split was trained, so that no trained
        scorer is sent or kept.

    Returns
    -------
    list of list of ScoredSplit
        The same, bit for bit, as `nproc.umbrella.score_splits` gives method by method.

    Notes
    -----
    Copies of rows are looked for once. The rows reach each worker once for all methods.
    """
    if checkpoint is not None and summarise is not None:
        raise ValueError("a checkpoint keeps scored splits, and no summaries of them")
    first = inputs[0]
    check_resample(resample, first.sample_weight)
    by_settings = {own.settings: own for own in splits}
    # drawn one by one: all splits at once would take as much memory as many copies of the labels
    warn_duplicates(first.X, (split for own in by_settings.values() for split in own))
    tables = list({id(own.X): own.X for own in inputs}.values())
    position = {id(table): j for j, table in enumerate(tables)}
    tasks, keys, stores = [], [], []
    for k, (own, mine) in enumerate(zip(inputs, splits, strict=True)):
        stores.append(open_store(checkpoint, own, mine, resample))
        table, method = position[id(own.X)], own.method
        tasks += [(table, method.name, method.scorer, mine.settings, mine.seed_of(j)) for j in range(len(mine))]
        keys += [(k, key) for key in split_keys(mine)]
    found = run_tasks(
        _score_split_of_method,
        tasks,
        shared=(
            splits[0].draw,
            resample,
            summarise,
            first.y,
            first.sample_weight,
            len(tables),
            *tables,
            *splits[0].arrays,
        ),
        n_jobs=n_jobs,
        verbose=verbose,
        label=label,
        store=None if checkpoint is None else _StoreOfMethods(stores),
        keys=None if checkpoint is None else keys,
    )
    scored = iter(found)
    return [[next(scored) for _ in range(len(own))] for own in splits]


def _score_split_of_method(draw, resample, summarise, y, sample_weight, n_tables, *rest):
    tables, arrays = rest[:n_tables], rest[n_tables:-5]
    table, name, scorer, settings, seed = rest[-5:]
    try:
        scored = score_split(draw, settings, resample, scorer, tables[table], y, sample_weight, *arrays, seed)
    except NPError as error:
        raise type(error)(f"method {name!r}: {error}") from error
    return scored if summarise is None else summarise(scored)


class _StoreOfMethods:
    """The checkpoints of several methods as one; a key is the position of the method and its own key."""

    def __init__(self, stores):
        self.stores = stores

    def read(self, key):
        return self.stores[key[0]].read(key[1])

    def write(self, key, outcome):
        self.stores[key[0]].write(key[1], outcome)
