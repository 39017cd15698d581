"""Rows of class 0 that seem to have been copied up to the size of class 1."""

import numpy as np
from scipy import sparse

from nproc.rows.frames import is_frame
from nproc.rows.keys import has_twin, row_keys

# a column does not tell copies from observations that agree if it has at most this many different values a class 1 row
FEW_VALUES = 0.5
# a value is rare if at most the first share of the different class 0 rows and the second of all class 0 rows have it
RARE, OF_ALL = 0.1, 0.2


def looks_oversampled(X, y, *, least=0.0):
    """Return whether class 0 seems to have been copied up to the size of class 1.

    It then has exactly as many rows, and the share of its rows that equal another one of their class is more than twice
    that of class 1, and more than `least`.

    Different observations often agree in columns of few values, such as healthy people without symptoms. So the same
    must hold of the columns in which most rows of class 1 differ, where only rows with a rare value count. Without such
    columns, copies cannot be told from such observations, and the answer is False.

    Examples
    --------
    >>> rows = np.r_[np.arange(6.0).repeat(2), np.arange(10.0, 22.0)][:, None]
    >>> looks_oversampled(rows, np.repeat([0, 1], 12)), looks_oversampled(rows, np.repeat([1, 0], 12))
    (True, False)
    """
    classes = [np.flatnonzero(y == code) for code in (0, 1)]
    if any(2 * rows.size != y.size for rows in classes):
        return False
    keys = row_keys(X)
    if not _more_copies(*(has_twin(keys[rows]) for rows in classes), least):
        return False
    # one of each of the different rows of class 0
    first = np.unique(keys[classes[0]], return_index=True)[1]
    told, rare = [], np.zeros(classes[0].size, dtype=bool)
    few = FEW_VALUES * classes[1].size
    for place, cells in _cells_by_column(X, few):
        if np.unique(cells[classes[1]]).size > few:
            told.append(place)
            codes = np.unique(cells[classes[0]], return_inverse=True)[1]
            is_rare = np.bincount(codes[first]) <= max(1.0, RARE * first.size)
            rare |= (is_rare & (np.bincount(codes) <= OF_ALL * codes.size))[codes]
    if not told:
        return False
    keys = row_keys(_columns(X, told))
    twins0, twins1 = (has_twin(keys[rows]) for rows in classes)
    return _more_copies(twins0 & rare, twins1, least)


def _more_copies(twins0, twins1, least):
    return bool(np.mean(twins0) > max(2 * np.mean(twins1), least))


def _cells_by_column(X, few):
    """Yield the place of each column that may have more than `few` values, with one integer a cell."""
    if sparse.issparse(X):
        X = X.tocsc()
    for place in range(X.shape[1]):
        if not sparse.issparse(X) or X.indptr[place + 1] - X.indptr[place] >= few:
            yield place, row_keys(_columns(X, [place]))


def _columns(X, places):
    return X.iloc[:, places] if is_frame(X) else X[:, places]
