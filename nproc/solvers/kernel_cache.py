"""The kernel matrix of the training rows, behind a cache of bounded size that several solves share."""

import numpy as np
from scipy import sparse

from nproc.errors import InvalidInputError
from nproc.solvers.jit import hot
from nproc.solvers.kernels import centre_of, check_digits, products

BYTES = 8
# rows computed by one call of BLAS
BLOCK_ROWS = 64
# a matrix of no more rows is computed at once: a few calls of BLAS cost more than the rows that are never asked for
AT_ONCE = 1000
# rows on which a function that serves as a kernel is tried, and by how much it may fail, as single precision does
MOST_TRIED, FORGIVEN = 64, 1e-5
# rows of a small problem, whose own matrix takes at most a quarter of the room
MOST_IN_SQUARE = 2000


class KernelRows:
    """Rows of the kernel matrix of `X`, computed when they are asked for and kept while there is room.

    Rows are computed by BLAS in blocks, up to 1,000 rows all at once. When the whole matrix fits into `cache_size`, no
    row is ever computed twice; otherwise the row whose last use is longest ago makes room. A kernel row depends neither
    on labels nor on costs, so one object serves all iterations of a DC procedure and all values of a multiplier.

    Parameters
    ----------
    kernel : Kernel
        The kernel, symmetric.
    X : ndarray or CSR matrix, shape (n, p), or the (n, n) Gram matrix for a precomputed kernel
        The training rows.
    cache_size : float
        Room for rows in MB (2**20 bytes), at least two rows being kept always.

    Attributes
    ----------
    kernel : Kernel
        As given.
    n : int
        Number of training rows.
    diagonal : ndarray, shape (n,)
        Kernel of each row with itself.
    store : ndarray, shape (m, n)
        The rows that are kept.
    slot_of : ndarray of int, shape (n,)
        Where a row is kept, -1 where it is not.
    last_use : ndarray of int, shape (m,)
        Clock of the last use of each place.
    n_computed : int
        Rows computed so far.

    Examples
    --------
    >>> from nproc.solvers.kernels import make_kernel
    >>> rows = KernelRows(make_kernel("linear"), np.array([[1.0], [2.0]]))
    >>> rows.product(np.array([0.0, 1.0]))
    array([2., 4.])
    """

    def __init__(self, kernel, X, *, cache_size=200.0):
        self.kernel = kernel
        self.X = X if sparse.issparse(X) else np.ascontiguousarray(X, dtype=np.float64)
        self.n = self.X.shape[0]
        self.diagonal = kernel.diagonal(self.X)
        kernel.check_size(self.diagonal)
        if kernel.name == "callable":
            _check_function(kernel, self.X, self.diagonal)
        self._scratch = np.empty(0)
        self.n_computed = 0
        if kernel.name == "precomputed":
            # all rows are there already: nothing is copied and nothing evicted
            self.store = self.X
            self.most_in_square = min(self.n, MOST_IN_SQUARE, int(np.sqrt(cache_size * 2**20 / BYTES)))
            self.slot_of = np.arange(self.n)
            self.owner = np.arange(self.n)
        else:
            self._left, self._right = kernel.factors(self.X, centre_of(self.X))
            if kernel.name == "rbf":
                # the column of the halves of squared norms, which are below 0; dense and CSR alike
                check_digits(kernel.gamma, -float(self._right[:, [-1]].min()))
            entries = int(cache_size * 2**20 / BYTES)
            self.most_in_square = min(self.n, MOST_IN_SQUARE, int(np.sqrt(entries / 4)))
            room = (entries - self.most_in_square**2) // max(self.n, 1)
            # memory is touched, and so taken, only when a row is written
            self.store = np.empty((max(2, min(self.n, room)), self.n))
            self.slot_of = np.full(self.n, -1)
            self.owner = np.full(self.store.shape[0], -1)
        self.last_use = np.zeros(self.store.shape[0], dtype=np.int64)
        self.n_kept = int(np.sum(self.owner >= 0))
        self._at_once = self.n_kept < self.n <= min(AT_ONCE, self.store.shape[0])
        self.clock = 1

    def block(self, idx, out=None):
        """Return the (len(idx), n) rows `idx` of the kernel matrix, computed anew."""
        if self.kernel.name == "precomputed":
            return self.X[idx]
        if self.kernel.name == "callable":
            return self.kernel.matrix(self.X[idx], self.X)
        return self.kernel.of_products(products(self._left[idx], self._right, out))

    def square(self, idx):
        """Return the (m, m) kernel matrix of the rows `idx` with each other; the next call writes over it."""
        if self._at_once:
            self._fetch_all()
        if self._scratch.size < idx.size**2:
            self._scratch = np.empty(idx.size**2)
        # the same memory each time: to touch new memory costs more than to fill it
        square = self._scratch[: idx.size**2].reshape(idx.size, idx.size)
        slots = self.slot_of[idx]
        pick_columns(self.store, slots, idx, square)
        missing = np.flatnonzero(slots < 0)
        if missing.size:
            square[missing] = self._between(idx[missing], idx)
        return square

    def _between(self, idx, others):
        if self.kernel.name == "callable":
            return self.kernel.matrix(self.X[idx], self.X[others])
        return self.kernel.of_products(products(self._left[idx], self._right[others]))

    def fetch(self, idx):
        """Bring the rows `idx` into the cache, at most as many as it holds; those that it has are not computed."""
        if self._at_once:
            self._fetch_all()
        idx = np.asarray(idx, dtype=np.int64)
        self.clock += 1
        here = self.slot_of[idx] >= 0
        self.last_use[self.slot_of[idx[here]]] = self.clock
        missing = idx[~here]
        for start in range(0, missing.size, BLOCK_ROWS):
            part = missing[start : start + BLOCK_ROWS]
            slots = self._make_room(part.size)
            if np.all(np.diff(slots) == 1):
                # places side by side are written without a copy
                place = self.store[slots[0] : slots[-1] + 1]
                values = self.block(part, out=place)
                if values is not place:
                    place[:] = values
            else:
                self.store[slots] = self.block(part)
            self.slot_of[part], self.owner[slots], self.last_use[slots] = slots, part, self.clock
            self.n_computed += part.size

    def _fetch_all(self):
        everything = np.arange(self.n)
        values = self.block(everything, out=self.store)
        if values is not self.store:
            self.store[:] = values
        self.slot_of[:] = self.owner[:] = everything
        self.n_kept = self.n_computed = self.n
        self._at_once = False

    def _make_room(self, count):
        free = np.arange(self.n_kept, min(self.n_kept + count, self.store.shape[0]))
        self.n_kept += free.size
        if free.size == count:
            return free
        wanted = count - free.size
        used = self.last_use.copy()
        used[free] = np.iinfo(np.int64).max
        oldest = np.argpartition(used, wanted - 1)[:wanted]
        self.slot_of[self.owner[oldest]] = -1
        return np.concatenate([free, oldest])

    def product(self, v):
        """Return K v, shape (n,); the cost is that of the rows where `v` is not zero, less those in the cache."""
        v = np.asarray(v, dtype=np.float64)
        idx, total = np.flatnonzero(v), np.zeros(self.n)
        self.add_product(idx, v[idx], total)
        return total

    def add_product(self, idx, weights, total):
        """Add the rows `idx` of K, times their weights, to `total`, shape (n,)."""
        entries = self.X.nnz if sparse.issparse(self.X) else self.X.size
        if self.kernel.name == "linear" and entries <= idx.size * self.n:
            total += self.X @ (weights @ self.X[idx])
            return
        if idx.size <= self.store.shape[0]:
            self.fetch(idx)
            add_rows(self.store, self.slot_of[idx], weights, total)
            return
        here = self.slot_of[idx] >= 0
        add_rows(self.store, self.slot_of[idx[here]], weights[here], total)
        # more rows than there is room for: those that are missing are not kept
        missing, weights = idx[~here], weights[~here]
        for start in range(0, missing.size, BLOCK_ROWS):
            part = slice(start, start + BLOCK_ROWS)
            total += weights[part] @ self.block(missing[part])


def _check_function(kernel, X, diagonal):
    """Raise where a function shows on a few rows that it is no kernel: not symmetric, or an eigenvalue below 0."""
    name = getattr(kernel.function, "__name__", repr(kernel.function))
    idx = np.unique(np.linspace(0, X.shape[0] - 1, MOST_TRIED).astype(np.int64))
    block = kernel.matrix(X[idx], X[idx])
    gap = float(np.max(np.abs(block - block.T), initial=0.0))
    if gap > FORGIVEN * float(np.max(np.abs(block), initial=0.0)):
        raise InvalidInputError(
            f"kernel {name} is not symmetric: k(A, B) and k(B, A) transposed differ by up to {gap:.3g} on rows of X. "
            "A kernel is an inner product, the same for two rows in either order."
        )
    scale = float(np.max(np.abs(diagonal), initial=0.0))
    least = float(np.min(diagonal, initial=0.0))
    if least < -FORGIVEN * scale:
        raise InvalidInputError(
            f"kernel {name} is not a kernel: its value for a row of X with itself must be at least 0, and is "
            f"{least:.3g} for one of the rows. A kernel is the inner product of two rows after a mapping; A @ B.T "
            "is one."
        )
    values = np.linalg.eigvalsh(0.5 * (block + block.T))
    if values[0] < -FORGIVEN * max(values[-1], 0.0):
        raise InvalidInputError(
            f"kernel {name} is not a kernel: its matrix for {idx.size} rows of X has the eigenvalue {values[0]:.3g} "
            f"(the largest is {values[-1]:.3g}), but the matrix of a kernel has no eigenvalue below 0."
        )


@hot
def add_rows(store, slots, weights, total):
    """Add the weighted sum of some rows of `store` to `total`."""
    for k in range(slots.shape[0]):
        row = store[slots[k]]
        weight = weights[k]
        for i in range(total.shape[0]):
            total[i] += weight * row[i]


@hot
def pick_columns(store, slots, idx, picked):
    """Write the columns `idx` of the rows in `slots` into `picked`; a row in slot -1 is passed over."""
    for a in range(slots.shape[0]):
        if slots[a] >= 0:
            row, to = store[slots[a]], picked[a]
            for b in range(idx.shape[0]):
                to[b] = row[idx[b]]
