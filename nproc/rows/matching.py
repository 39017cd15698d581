"""Whether pandas objects that are given together name the same rows in the same order."""

import sys

from nproc.errors import InvalidInputError


def check_same_rows(**given):
    """Raise if two pandas objects of one call have other row labels, or the same ones in another order.

    Rows are matched by position everywhere. Labels that say otherwise mean that one of the objects was sorted,
    shuffled or filtered without the other. Objects without row labels (arrays, lists, columns of other libraries, None)
    pass, and so does another number of rows: the checks of lengths have better words for that.

    Parameters
    ----------
    **given : object
        The arguments with one entry a row, by their names.

    Examples
    --------
    >>> import pandas as pd
    >>> from nproc.rows.matching import check_same_rows
    >>> X = pd.DataFrame({"age": [30, 40]}, index=["ann", "bob"])
    >>> check_same_rows(X=X, y=pd.Series([0, 1], index=["ann", "bob"]), groups=["a", "b"])
    """
    pandas = sys.modules.get("pandas")
    if pandas is None:
        return
    labelled = {name: x.index for name, x in given.items() if isinstance(x, pandas.DataFrame | pandas.Series)}
    if len(labelled) < 2:
        return
    # two that equal the first equal each other
    (first, index), *others = labelled.items()
    for name, other in others:
        if len(index) != len(other) or index.equals(other) or other.equals(index):
            continue
        known = set(other)
        n_shared = sum(label in known for label in index)
        if n_shared < len(index) or known != set(index):
            raise InvalidInputError(
                f"{first} and {name} have different row labels: {n_shared} of the {len(index)} labels of {first} "
                f"are among those of {name}, and rows are matched by position. Select the same rows of both, for "
                f"example by {name}.loc[{first}.index]. If the rows correspond by position, give "
                f"{name}.to_numpy()."
            )
        raise InvalidInputError(
            f"{first} and {name} have the same row labels in a different order, and rows are matched by position. Put "
            f"them in one order, as {name}.loc[{first}.index] does, or give {name}.to_numpy() if the positions are "
            "meant."
        )


def with_labels_of(given, values):
    """Return values for the rows of `given`, as a Series with its labels if it has some, by which rows are matched."""
    pandas = sys.modules.get("pandas")
    if pandas is None or not isinstance(given, pandas.DataFrame | pandas.Series):
        return values
    return pandas.Series(values, index=given.index)


def check_returned_rows(X, returned, name):
    """Raise if what a function or model of the user's returns for `X` names its rows in another order.

    Rows that are counted from 0, as in a Series made of an array, say nothing of an order.

    Parameters
    ----------
    X : object
        The rows that were passed on.
    returned : object
        What came back, by position one entry a row.
    name : str
        How to call it in the message.
    """
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(getattr(returned, "index", None), pandas.RangeIndex):
        return
    check_same_rows(X=X, **{name: returned})
