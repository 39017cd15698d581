"""New rows for a fitted classifier, a block at a time: as they are, checked and converted block by block."""

from __future__ import annotations

from contextlib import nullcontext

from scipy import sparse

from nproc.checks import check_numeric_matrix
from nproc.errors import InvalidInputError
from nproc.frames import as_table, is_frame
from nproc.parallel.blas_threads import one_blas_thread
from nproc.parallel.tasks import in_threads, run_tasks
from nproc.row_chunks.refusals import noting_faults

# Fixed, so that neither the number of threads nor the memory decides in which order sums are taken. A block of 20
# columns, 2.6 MB, stays in the processor's cache from the check of its values to its last product; models that do more
# than a product, such as forests, take a while to begin with a table.
BLOCK_ROWS, LARGE_BLOCK_ROWS = 1 << 14, 1 << 16


class NewRows:
    """A table of new rows, of which the matrix that the scorers see is made for one block of rows at a time.

    Parameters
    ----------
    design : Design
        Of the fit.
    X : DataFrame, array-like or sparse matrix, n rows
        The rows.
    name : str
        Name of the argument, for messages.

    Attributes
    ----------
    n_rows : int
        Number of rows.

    Raises
    ------
    InvalidInputError
        As `Design.transform`; for values that are not numbers, missing or infinite only when their block is reached.

    Notes
    -----
    The blocks put end to end are ``design.transform(X)``. The table of a formula is coded as a whole, as the types of
    its columns depend on all of their values, and takes n p numbers. Other tables take no memory here beyond a block,
    unless they have to be made an array or a pandas frame first.

    Examples
    --------
    >>> import numpy as np
    >>> from nproc.design import build_design
    >>> X = np.arange(6).reshape(3, 2)
    >>> rows = NewRows(build_design(X, numeric=True).design, X)
    >>> rows.n_rows, rows.block(1, 3)
    (3, array([[2., 3.],
           [4., 5.]]))
    """

    def __init__(self, design, X, name="X"):
        self._design, self._name = design, name
        table = as_table(X, name)
        if design.coding is not None:
            table = design.transform(table, name=name)
        else:
            design.check_names(table, name)
            if table.ndim != 2 or 0 in table.shape or table.shape[1] != design.n_features:
                # of no use as a whole: this raises
                design.matrix_of(table, name)
        self._table = table
        self.n_rows = int(table.shape[0])

    def block(self, start, stop):
        """Return the rows from `start` up to, but not including, `stop`, as the scorers see them."""
        part = self._table
        if stop - start < self.n_rows:
            part = part.iloc[start:stop] if is_frame(part) else _rows_of(part, start, stop)
        design = self._design
        if design.coding is not None or not design.numeric:
            return part
        kept = {"allow_nan": design.allow_nan, "accept_sparse": design.accept_sparse, "method": design.method}
        try:
            return check_numeric_matrix(part, self._name, **kept)
        except InvalidInputError:
            # the message counts over all rows, as it does without blocks
            with noting_faults(self._table):
                design.matrix_of(self._table, self._name)
            raise

    def for_each_block(self, work, *, block_rows=BLOCK_ROWS, n_jobs=None, blocks_per_task=1, small_products=False):
        """Call ``work(start, stop)`` for all blocks of `block_rows` rows, in threads if `n_jobs` says so.

        Threads, as each block is looked at once: a process would have to be sent it first. `work` writes into arrays
        of its own; blocks are the same for every `n_jobs`, and none overlaps another. With `small_products` BLAS has
        one thread for all of them: what it takes to share so small a product among threads is more than the product.
        """
        if self.n_rows <= block_rows:
            work(0, self.n_rows)
            return
        step = block_rows * blocks_per_task
        tasks = [(start, min(start + step, self.n_rows)) for start in range(0, self.n_rows, step)]
        # where there is one task, the change takes longer than what it spares
        few_threads = one_blas_thread() if small_products and len(tasks) > 1 else nullcontext()
        with in_threads(), few_threads:
            run_tasks(_through_blocks, tasks, shared=(work, block_rows), n_jobs=n_jobs, label="part of the rows")


def _through_blocks(work, block_rows, first, last):
    for start in range(first, last, block_rows):
        work(start, min(start + block_rows, last))


def _rows_of(table, start, stop):
    """Return some rows of an array or CSR matrix as views of its numbers."""
    if not sparse.issparse(table):
        return table[start:stop]
    # slicing a sparse matrix copies, which takes as long as the product
    first, last = table.indptr[start], table.indptr[stop]
    parts = (table.data[first:last], table.indices[first:last], table.indptr[start : stop + 1] - first)
    return type(table)(parts, shape=(stop - start, table.shape[1]), copy=False)
