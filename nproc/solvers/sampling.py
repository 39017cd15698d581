"""Random row numbers for the stochastic solvers, drawn in chunks: balanced, plain, or in pairs of the two classes.

A balanced draw takes class 0 or class 1 with probability 1/2 each, then a row of that class at random; a plain draw
takes a row at random. All draws are with replacement. A row of one class is found by drawing rows at random until
one is of that class, so that no list of rows is held; only a class with less than one row in `RARE` is listed.

References
----------
Section 3.3, "Imbalanced dataset", and section 4 of [gasso2011]_.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from nproc.solvers.jit import hot

# a class with less than 1 row in 6 is listed: at most two thirds of a byte for each row of the data, and the search
# for a row of a class then never takes more than 6 draws on average
RARE = 6
# rows are drawn by the block; this bounds the memory of a search
LARGEST_BLOCK = 1 << 14


class RowSampler:
    """Draws row numbers of two classes at random, with replacement, from a numpy Generator.

    The sequence depends on `y`, on the state of `rng` and on the sizes asked for, and on nothing else.

    Parameters
    ----------
    y : ndarray, shape (n,)
        0 or 1 a row, of any integer or floating type; not copied.
    rng : numpy.random.Generator
        Where chance comes from; its state moves on.
    rows : ndarray of int, optional
        The rows to draw from; None: all.

    Attributes
    ----------
    n, n0, n1 : int
        Rows to draw from in all, of class 0 and of class 1.

    Notes
    -----
    Memory is a few blocks, and the list of the rows of a rare class; with `rows`, the labels of these besides. Numbers
    are int32 where n allows.

    Examples
    --------
    >>> y = np.array([0, 1, 1, 1])
    >>> sampler = RowSampler(y, np.random.default_rng(3))
    >>> sampler.plain(4)
    array([3, 0, 0, 0], dtype=int32)
    >>> y[sampler.balanced(1000)].mean().round(1)
    np.float64(0.5)
    >>> rows0, rows1 = sampler.pairs(5)
    >>> y[rows0].tolist(), y[rows1].tolist()
    ([0, 0, 0, 0, 0], [1, 1, 1, 1, 1])
    """

    def __init__(self, y, rng, rows=None):
        self._rows = rows
        y = y if rows is None else y[rows]
        self.n = int(y.shape[0])
        self.n1 = int(np.count_nonzero(y))
        self.n0 = self.n - self.n1
        self._y = y
        self._rng = rng
        self._type = np.int32 if self.n < 2**31 else np.int64
        # looked up once, since a chunk can be short
        self._keep_class, self._interleave = keep_class.target(), interleave.target()
        self._listed = {}
        for label, count in ((0, self.n0), (1, self.n1)):
            if 0 < count * RARE < self.n:
                self._listed[label] = self._list(label, count)

    def plain(self, count):
        """Return `count` row numbers, each row equally likely, shape (count,)."""
        return self._numbers(self._plain(count))

    def balanced(self, count):
        """Return `count` row numbers, of class 0 or 1 with probability 1/2 each, shape (count,)."""
        of_class1 = self._rng.integers(0, 2, size=count, dtype=np.bool_)
        n_class0 = count - int(np.count_nonzero(of_class1))
        drawn, rows = np.empty(count, dtype=self._type), np.empty(count, dtype=self._type)
        self._draw_class(0, drawn[:n_class0])
        self._draw_class(1, drawn[n_class0:])
        self._interleave(of_class1, drawn, n_class0, rows)
        return self._numbers(rows)

    def pairs(self, count):
        """Return two arrays of shape (count,): row numbers of class 0, and of class 1."""
        drawn = np.empty((2, count), dtype=self._type)
        for label in (0, 1):
            self._draw_class(label, drawn[label])
        return self._numbers(drawn[0]), self._numbers(drawn[1])

    def _numbers(self, places):
        return places if self._rows is None else self._rows[places]

    def _plain(self, count):
        return self._rng.integers(0, self.n, size=count, dtype=self._type)

    def _draw_class(self, label, places):
        # fill in places of rows with this label, each such row equally likely
        size = self.n1 if label == 1 else self.n0
        listed = self._listed.get(label)
        if listed is not None:
            # the numbers are in range: "clip" spares the copy that take makes to raise an error of them
            listed.take(self._rng.integers(0, listed.size, size=places.size), out=places, mode="clip")
            return
        found = 0
        while found < places.size:
            # a little more than are expected to be needed; what is left over is thrown away
            wanted = int(1.1 * (places.size - found) * self.n / size) + 16
            block = self._plain(min(wanted, LARGEST_BLOCK))
            found = int(self._keep_class(block, self._y, int(label), places, found))

    def _list(self, label, count):
        rows = np.empty(count, dtype=self._type)
        found = 0
        # comparing all labels at once would take a byte a row
        for start in range(0, self.n, LARGEST_BLOCK):
            block = np.arange(start, min(start + LARGEST_BLOCK, self.n), dtype=self._type)
            found = int(self._keep_class(block, self._y, label, rows, found))
        return rows


@hot
def keep_class(block, y, label, rows, found):
    """Copy the entries of `block` whose y is `label` to `rows` from place `found` on, until it is full; return how
    many places are filled."""
    n_places = rows.shape[0]
    for i in range(block.shape[0]):
        if found == n_places:
            break
        row = block[i]
        # written at once, and written over if it is of the other class: no branch to guess wrong
        rows[found] = row
        if y[row] == label:
            found += 1
    return found


@hot
def interleave(of_class1, drawn, n_class0, rows):
    """Fill `rows` with the next of class 1 where `of_class1` is true, with the next of class 0 elsewhere; `drawn` has
    `n_class0` rows of class 0, then those of class 1."""
    n_taken1 = 0
    for i in range(rows.shape[0]):
        # one read at either place: no branch to guess wrong
        rows[i] = drawn[n_class0 + n_taken1 if of_class1[i] else i - n_taken1]
        n_taken1 += of_class1[i]


# entries of a block of rows, or of its features: 16 MB
BLOCK_ENTRIES = 1 << 21


@dataclass(frozen=True)
class FourierFeatures:
    r"""The map :math:`z(x) = \sqrt{2 / D} \, (\cos(\omega_d^\top x + \phi_d))_{d = 1, ..., D}`.

    With frequencies from N(0, 2 gamma I) and phases uniform on [0, 2 pi], E z(x)'z(x') is the kernel; the error of
    one entry is of size 1 / sqrt(D).

    Parameters
    ----------
    frequencies : ndarray, shape (p, D)
        One column a feature.
    phases : ndarray, shape (D,)
        In radians.

    See Also
    --------
    draw_fourier_features : Draws one.

    References
    ----------
    Algorithm 1 of [rahimi2007]_.

    Examples
    --------
    >>> features = draw_fourier_features(2, gamma=0.5, n_components=5000, rng=np.random.default_rng(0))
    >>> z = features.transform(np.array([[0.0, 0.0], [1.0, 0.0]]))
    >>> (z @ z.T).round(1)
    array([[1. , 0.6],
           [0.6, 1. ]])
    """

    frequencies: np.ndarray
    phases: np.ndarray

    @property
    def n_components(self):
        """Return the number D of features."""
        return self.phases.size

    @property
    def block_rows(self):
        """Return how many rows to transform at once, so that neither they nor their features take much memory."""
        return max(16, min(4096, BLOCK_ENTRIES // max(self.frequencies.shape)))

    def transform(self, X):
        """Return the features of the rows of `X` (dense or sparse), a new C-contiguous array of shape (n, D)."""
        z = np.empty((X.shape[0], self.n_components))
        for start in range(0, X.shape[0], self.block_rows):
            part = X[start : start + self.block_rows]
            angles = part @ self.frequencies
            if sparse.issparse(angles):
                angles = angles.toarray()
            angles += self.phases
            np.cos(angles, out=z[start : start + self.block_rows])
        z *= np.sqrt(2.0 / self.n_components)
        return z

    def project(self, X, coef):
        """Return z(x)'coef of the rows of `X`, shape (n,), without holding the features of all rows."""
        return np.concatenate(
            [self.transform(X[i : i + self.block_rows]) @ coef for i in range(0, X.shape[0], self.block_rows)]
        )


def draw_fourier_features(n_features, *, gamma, n_components, rng):
    """Return random features of the Gaussian kernel exp(-gamma ||x - x'||^2).

    Parameters
    ----------
    n_features : int
        Number p of columns of X.
    gamma : float
        Above 0.
    n_components : int
        Number D of features, at least 1.
    rng : numpy.random.Generator
        Where chance comes from.

    Returns
    -------
    features : FourierFeatures

    See Also
    --------
    FourierFeatures : What is returned.

    Notes
    -----
    Memory is p D numbers.

    References
    ----------
    Algorithm 1 of [rahimi2007]_.

    Examples
    --------
    >>> draw_fourier_features(3, gamma=0.5, n_components=10, rng=np.random.default_rng(0)).frequencies.shape
    (3, 10)
    """
    frequencies = rng.normal(scale=np.sqrt(2.0 * gamma), size=(n_features, n_components))
    return FourierFeatures(frequencies, rng.uniform(0.0, 2.0 * np.pi, size=n_components))
