"""Training on rows that are never all in memory: standardised columns, random order, `partial_fit` chunk by chunk."""

from __future__ import annotations

from typing import Any

import numpy as np

from nproc.checks import Seed, check_count, check_flag, check_seed, shown_label, tells_names
from nproc.errors import InvalidInputError, NPWarning, warn_at_call
from nproc.parallel import check_verbose, progress
from nproc.row_chunks.chunks import RowChunks
from nproc.row_chunks.inputs import note_rows
from nproc.row_chunks.refusals import explaining, first_faults, naming
from nproc.scorers import check_trainable, fresh_copy

# chunks of one class only are a sign of rows in bad order where they are a larger share of all, and where a chunk in
# random order would have so many rows of the rarer class: it has none with probability exp(-10)
ONE_CLASS_SHARE, FEW_ROWS = 0.25, 10


@tells_names
def train_in_chunks(
    model: Any,
    rows: RowChunks,
    *,
    n_epochs: int = 1,
    standardize: bool = True,
    class0: object = None,
    buffer: int | None = None,
    random_state: Seed = None,
    verbose: int = 0,
) -> Any:
    """Train a copy of `model` on rows that need not fit in memory.

    One pass counts the labels, one more finds mean and standard deviation of each column, and each epoch reads all rows
    once, in a random order of its own. The result goes to `npc` with ``prefit=True`` and rows that did not train it.

    Parameters
    ----------
    model : estimator with ``partial_fit``
        Such as `OnlineNPClassifier`, `OnlineNPNetwork` or scikit-learn's SGDClassifier. It is not changed: a fresh copy
        is trained. Its ``class0`` and ``n0_total``, where it has them and they are None, are set to the label
        of class 0 and to the number of its rows.
    rows : RowChunks
        The training rows, from `read_in_chunks` or `RowChunks.split`.
    n_epochs : int
        Passes over the rows in training.
    standardize : bool
        Bring the columns to mean 0 and standard deviation 1 first, which most models with ``partial_fit`` need. Mean
        and deviation are those of the training rows.
    class0 : label, optional
        The label whose misclassification is controlled; None takes that of `rows`, and else the first in sorted order.
    buffer : int, optional
        Rows that are mixed at a time, see `RowChunks.shuffled`; None takes 4 chunks.
    random_state : None, int, Generator or RandomState
        Seed of the order of rows, and of the model where it has no whole number of its own.
    verbose : int
        1 shows a progress bar on the standard error, 2 a line for every chunk.

    Returns
    -------
    Pipeline or estimator
        A scikit-learn pipeline of the scaling and the trained model, or without `standardize` the model. It knows the
        user's labels.

    Raises
    ------
    InvalidInputError
        If the model cannot learn in chunks, the rows have not two labels, or hold what the model refuses, such as text
        or missing values; the message names file, column and row.

    Warns
    -----
    NPWarning
        If the labels do not say which of them is class 0 and `class0` is not given, as in `npc`. If more than a quarter
        of the training chunks had rows of one class only, although one in random order would hardly ever: the file
        is sorted by class, and its blocks are too large to be mixed (see `RowChunks.shuffled`).

    See Also
    --------
    read_in_chunks : rows of a file.
    RowChunks.shuffled : the order of the rows.

    Notes
    -----
    Memory is about three times `buffer`, and the model. Ctrl-C stops it at once; nothing is kept then, and nothing is
    written. Same seed, same bits.

    All predictors must be numbers, none of them missing. Leave columns of text out by ``drop=`` of `read_in_chunks`, or
    write the file with them coded as numbers. Fill gaps in, or leave rows with gaps out, when the file is written: what
    is promised then holds for rows treated so.

    Training promises nothing about errors on new rows, also where the model bounds its training error: the threshold
    of `npc` does, and it needs rows apart from these, as the second part of `RowChunks.split`.

    The model keeps a mark of the files (path, size and time of the last change; of arrays a digest of some rows), and
    of which parts of them trained it, so that `npc` and `nproc` refuse these `RowChunks`, also in parts of another
    split, a folder that holds the file, or after saving. They cannot recognise the same rows in another file, in a file
    written anew or in arrays without `RowChunks`, nor training by ``partial_fit`` or ``fit`` of the model itself. Do
    not give such rows. A scikit-learn clone keeps nothing.

    Examples
    --------
    >>> from nproc import OnlineNPClassifier, npc
    >>> from nproc.simulate import simulation1
    >>> sample = simulation1(4000, random_state=1)
    >>> rows = RowChunks.from_arrays(sample.X, sample.y, chunk_size=500)
    >>> train, left_out = rows.split(0.5, random_state=2)
    >>> trained = train_in_chunks(OnlineNPClassifier(alpha=0.05), train, random_state=3)
    >>> fit = npc(left_out, method=trained, prefit=True, alpha=0.05, delta=0.05, random_state=4)
    >>> fit.n0 == left_out.label_counts()[0], bool(fit.violation_rates[0] <= 0.05)
    (True, True)
    """
    _check_model(model)
    if not isinstance(rows, RowChunks):
        raise InvalidInputError(
            "rows must be RowChunks, from read_in_chunks or nproc.row_chunks.RowChunks.from_arrays, got "
            f"{type(rows).__name__}."
        )
    n_epochs = check_count(n_epochs, "n_epochs")
    check_verbose(verbose)
    seed = check_seed(random_state)
    labels = rows.two_labels(class0)
    model = fresh_copy(model, seed)
    _prepare(model, labels, rows.label_counts()[labels.tolist()[0]])
    scaler = _learn_scale(rows) if check_flag(standardize, "standardize") else None
    classes = np.sort(labels)
    n_calls = n_epochs * -(-rows.n_rows // rows.chunk_size)
    one_class = 0
    with progress(verbose, "train_in_chunks: chunk", n_calls) as advance:
        for epoch in range(n_epochs):
            for number, (X, y) in enumerate(rows.shuffled(seed, epoch=epoch, buffer=buffer), start=1):
                place = f"{rows.name}, epoch {epoch + 1}, chunk {number} in random order"
                with naming(place), _explaining(rows, X):
                    model.partial_fit(X if scaler is None else scaler.transform(X), y, classes=classes)
                one_class += bool((y == y[0]).all())
                advance()
    _warn_badly_mixed(rows, one_class, n_calls)
    note_rows(model, rows)
    if scaler is None:
        return model
    # imported here, like all of scikit-learn beyond its base, to keep the import of the package fast
    from sklearn.pipeline import Pipeline

    return Pipeline([("scale", scaler), (type(model).__name__.lower(), model)])


def _explaining(rows, X):
    # the rows of a chunk are in random order: those of the file are looked for
    return explaining(X, rows.name, advice="training", search=lambda said: first_faults(rows, said))


def _check_model(model):
    if isinstance(model, str):
        raise InvalidInputError(
            f"model must be an estimator with partial_fit, such as OnlineNPClassifier(), got the name {model!r}."
        )
    check_trainable(model, "model")
    if hasattr(model, "steps"):
        raise InvalidInputError(
            "a pipeline cannot be trained in chunks, because each step must be trained on all rows before the "
            "next step can be trained. Give its last step as model; standardize=True scales the columns."
        )
    if not hasattr(model, "partial_fit"):
        raise InvalidInputError(
            f"{type(model).__name__} has no partial_fit, so it can only be trained on all rows at once. Use "
            "OnlineNPClassifier, OnlineNPNetwork or scikit-learn's SGDClassifier, or train it on a part of the "
            "rows that fits in memory."
        )


def _prepare(model, labels, n0):
    """Tell a model that asks for them which label has priority and how many rows it has in all."""
    params, class0 = model.get_params(deep=False), labels.tolist()[0]
    if params.get("class0") is not None and params["class0"] != class0:
        raise InvalidInputError(
            f"model has class0={shown_label(params['class0'])} of its own, but the rows were read with "
            f"class0={class0!r}."
        )
    told = {"class0": class0, "n0_total": n0}
    model.set_params(**{name: value for name, value in told.items() if name in params and params[name] is None})


def _warn_badly_mixed(rows, one_class, n_calls):
    """Warn if chunks of one class only were frequent, where rows in random order have hardly any."""
    expected = min(rows.label_counts().values()) / rows.n_rows * min(rows.chunk_size, rows.n_rows)
    if one_class > ONE_CLASS_SHARE * n_calls and expected > FEW_ROWS:
        warn_at_call(
            f"{one_class} of the {n_calls} training chunks had rows of one class only, because {rows.name} is "
            "sorted by class and its blocks are larger than the buffer. Give a larger buffer, write the file with "
            "a smaller row_group_size, or write it in random order.",
            NPWarning,
        )


def _learn_scale(rows):
    from sklearn.preprocessing import StandardScaler

    scaler = StandardScaler()
    for number, X in enumerate(rows.rows(), start=1):
        with naming(f"{rows.name}, chunk {number}"), _explaining(rows, X):
            scaler.partial_fit(X)
    return scaler
