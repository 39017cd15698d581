"""The votes of several scorers, each with its threshold, on new rows: counted a block of rows at a time."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy import sparse

from nproc.checks import check_numeric_matrix, check_seed, rows_in
from nproc.errors import InvalidInputError
from nproc.parallel import in_threads, one_blas_thread, run_tasks
from nproc.row_chunks import RefusedValuesError, noting_faults, score_new_rows, showing_rows
from nproc.rows import UnseenCategoriesError, as_table, is_frame
from nproc.scorers import score_rows, stack_linear

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
    >>> from nproc.rows.design import build_design
    >>> X = np.arange(6).reshape(3, 2)
    >>> rows = NewRows(build_design(X, numeric=True).design, X)
    >>> rows.n_rows, rows.block(1, 3)
    (3, array([[2., 3.],
           [4., 5.]]))
    """

    def __init__(self, design, X, name="X"):
        self._design, self._name, self._shown = design, name, rows_in(X, name)
        table = as_table(X, name)
        if design.coding is not None:
            table = design.transform(table, name=name)
        else:
            table = design.columns_of_fit(table, name)
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
            with showing_rows(self._shown):
                work(0, self.n_rows)
            return
        step = block_rows * blocks_per_task
        tasks = [(start, min(start + step, self.n_rows)) for start in range(0, self.n_rows, step)]
        # where there is one task, the change takes longer than what it spares
        few_threads = one_blas_thread() if small_products and len(tasks) > 1 else nullcontext()
        with in_threads(), few_threads, showing_rows(self._shown):
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


# a task of linear members alone would be shorter than what it takes to start it
LINEAR_BLOCKS_PER_TASK = 8


@dataclass(frozen=True)
class Cuts:
    """Where scores are cut: one number a split, or one a split and group, shape (M,) or (M, G).

    Attributes
    ----------
    thresholds : ndarray
        A score above it votes for class 1.
    guards : ndarray
        A score that lies no further from the threshold counts as equal to it, see `nproc.thresholds.rounding_guard`.
    tie_cuts : ndarray or None
        Where ties are called at random: a tied row votes for class 1 if its uniform number is above.
    """

    thresholds: np.ndarray
    guards: np.ndarray
    tie_cuts: np.ndarray | None


@dataclass(frozen=True)
class SeedOfRows:
    """A source of randomness for some rows of a table: they are called as among all its rows.

    Attributes
    ----------
    seed : int
        Seed by which all rows of the table are called.
    places : ndarray of int
        Positions of the rows in the table, in ascending order.
    """

    seed: int
    places: np.ndarray


class TieNumbers:
    """Uniform numbers for tied rows, M a row; those of row i do not depend on where blocks begin.

    Parameters
    ----------
    random_state : None, int, Generator, RandomState or SeedOfRows
        Source of randomness, read once.
    n_splits : int
        M.
    """

    def __init__(self, random_state, n_splits):
        self._places = None
        if isinstance(random_state, SeedOfRows):
            random_state, self._places = random_state.seed, random_state.places
        self._seed, self._n_splits = check_seed(random_state), n_splits
        self.first_row = 0

    def of_block(self, start, n):
        """Return an array, shape (n, M): rows `start` to `start` + n of ``rng.random((all rows, M))``."""
        if self._places is None:
            return self._numbers(start, n)
        places = self._places[start : start + n]
        return self._numbers(places[0], places[-1] + 1 - places[0])[places - places[0]]

    def _numbers(self, start, n):
        bits = np.random.PCG64(self._seed)
        # one step of the generator makes one number
        bits.advance(int(self.first_row + start) * self._n_splits)
        return np.random.Generator(bits).random((n, self._n_splits))


class Voters:
    """M scorers with their cuts.

    Parameters
    ----------
    scorers : sequence
        As `score_rows` takes them.
    values : ndarray or None
        As `score_rows` takes it.
    cuts : Cuts
        The thresholds.

    Notes
    -----
    Counting votes takes one matrix product for all members whose score is a weighted sum of the columns, see
    `nproc.scorers.linear`. A member that has a row so close to its threshold that rounding might decide scores
    the block itself; so the votes are those of the margins, in every case.
    """

    def __init__(self, scorers, values, cuts):
        self._scorers, self._values, self._cuts = scorers, values, cuts
        self._linear = stack_linear(scorers, values)

        self._all_linear = self._linear is not None and self._linear.members.size == len(self._scorers)
        self._block_rows = BLOCK_ROWS if self._all_linear else LARGE_BLOCK_ROWS

    def median_margins(self, rows, out, *, codes=None, n_jobs=None):
        """Write the lower median over members of score minus threshold of `rows` (a `NewRows`) into `out`."""
        lower = (len(self._scorers) - 1) // 2

        def work(start, stop):
            block, groups = rows.block(start, stop), _part(codes, start, stop)
            margins = [self._margins(j, block, groups, start, rows.n_rows) for j in range(len(self._scorers))]
            # a copy: partition works in place
            out[start:stop] = margins[0] if len(margins) == 1 else np.partition(margins, lower, axis=0)[lower]

        rows.for_each_block(work, block_rows=self._block_rows, n_jobs=n_jobs)

    def counts(self, rows, keep, *, codes=None, ties=None, n_jobs=None):
        """Call ``keep(start, stop, counts)`` for every block of `rows`: how many members call each row class 1."""

        def work(start, stop):
            keep(start, stop, self._block_counts(rows, _part(codes, start, stop), ties, start, stop))

        many = LINEAR_BLOCKS_PER_TASK if self._all_linear else 1
        rows.for_each_block(
            work, block_rows=self._block_rows, n_jobs=n_jobs, blocks_per_task=many, small_products=self._all_linear
        )

    def _block_counts(self, rows, groups, ties, start, stop):
        block = rows.block(start, stop)
        counts, unclear = self._counts_by_product(block, groups)
        uniform = None
        for j in unclear:
            margins = self._margins(j, block, groups, start, rows.n_rows, at_random=ties is not None)
            above = margins > 0
            if ties is not None and (tied := margins == 0).any():
                uniform = ties.of_block(start, stop - start) if uniform is None else uniform
                above |= tied & (uniform[:, j] > _of_rows(self._cuts.tie_cuts[j : j + 1], groups)[0])
            counts += above
        return counts

    def _counts_by_product(self, block, groups):
        """Return the votes of the members that are told apart from their threshold, and the other members."""
        n, everybody = block.shape[0], range(len(self._scorers))
        linear = self._linear
        plain = None if linear is None else linear.plain_rows(block)
        found = None if plain is None else linear.products(plain)
        if found is None:
            return np.zeros(n, dtype=np.int64), everybody
        product, sizes = found
        thresholds, guards = (
            _of_rows(part[linear.members], groups) for part in (self._cuts.thresholds, self._cuts.guards)
        )
        # the product without the constants is compared with the thresholds less the constants
        cuts = thresholds - linear.intercepts[:, np.newaxis]
        widths = guards + linear.rounding * (sizes[:, np.newaxis] + np.abs(thresholds))
        above, not_below = product > cuts + widths, product >= cuts - widths
        members = linear.members
        if np.count_nonzero(above) != np.count_nonzero(not_below):
            clear = (above == not_below).all(axis=1)
            above, members = above[clear], members[clear]
        return _column_sums(above), np.setdiff1d(everybody, members).tolist()

    def _margins(self, j, block, groups, start, n_rows, *, at_random=False):
        """Return score minus threshold of member `j`, 0 where they count as equal.

        With `at_random` such rows may be called class 1, and a score below the threshold counts as below: the rule is
        then class 0 wherever the exact one is, so that its type I error is no larger, whatever the guard is.
        """
        scores = _scores_of(self._scorers[j], block, self._values, start, n_rows)
        cuts = self._cuts
        thresholds, guards = (_of_rows(part[j : j + 1], groups)[0] for part in (cuts.thresholds, cuts.guards))
        margins = scores - thresholds
        # a row that equals the one at the threshold may score a rounding error away from it: it is tied
        margins[(margins >= (0.0 if at_random else -guards)) & (margins <= guards)] = 0.0
        return margins


def _of_rows(values, groups):
    """Return values of members, shape (L,) or (L, G), as shape (L, 1) or, for the groups of n rows, (L, n)."""
    return values[:, np.newaxis] if values.ndim == 1 else values[:, groups]


def _part(codes, start, stop):
    return None if codes is None else codes[start:stop]


def _column_sums(above):
    # bytes are added up many at a time
    narrow = above.shape[0] < 256
    return above.view(np.uint8).sum(axis=0, dtype=np.uint8 if narrow else np.int64).astype(np.int64)


def _scores_of(scorer, block, values, start, n_rows):
    """Return the scores of a block; an error says which of the rows it is about."""
    try:
        return score_new_rows(partial(score_rows, scorer, values=values), block, start=start, n_rows=n_rows)
    except (RefusedValuesError, UnseenCategoriesError):
        # they name the row themselves
        raise
    except InvalidInputError as error:
        n = block.shape[0]
        if n == n_rows:
            raise
        raise error.told(f"rows {start + 1} to {start + n} of {n_rows}: ") from error
