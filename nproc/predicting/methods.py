"""What a fitted classifier says of new rows: margins, votes, labels and errors, in memory of a block of rows."""

from __future__ import annotations

import numpy as np

from nproc.checks import check_level
from nproc.design import check_same_length
from nproc.errors import InvalidInputError, NPWarning
from nproc.evaluation import count_errors, evaluation_of_counts
from nproc.frames import as_table, refuse_path
from nproc.labels import encode_labels
from nproc.matching_rows import check_same_rows
from nproc.parallel.tasks import check_n_jobs
from nproc.predicting.blocks import NewRows
from nproc.predicting.votes import Cuts, TieNumbers, Voters
from nproc.row_chunks.chunks import RowChunks
from nproc.row_chunks.tables import (
    chosen_columns,
    comes_in_chunks,
    name_of,
    pair_of,
    placing_chunk,
    rows_of_path,
    tables_in,
    warn_if_none,
)
from nproc.rows import n_rows, take_rows
from nproc.thresholds import rounding_guard
from nproc.warning_place import warn_at_call

# class 0 rows that are compared with those of the fit
RECOGNISED = 200


class Predictions:
    """Methods of `NPFit` that look at new rows.

    All of them work on blocks of 2^14 rows, or 2^16 where a scorer is not linear, whatever `n_jobs` is: memory beyond X
    and the result is that of a few blocks for each thread. A table that a formula codes is coded as a whole. More
    threads pay where scorers take long over a block; the products of linear ones wait for memory, not for a processor.
    """

    def decision_function(self, X, *, n_jobs=None):
        """Return the lower median over splits of score minus threshold.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix, shape (m, p)
            New rows, with the columns of the fit.
        n_jobs : int or None
            Threads, as in `predict`.

        Returns
        -------
        ndarray of float, shape (m,)
            Above 0 exactly where `predict` says class 1 (with ``ties="randomize"``: except at exact ties). For one
            split it is the score itself, shifted. A difference within rounding error (see `rounding_guard` in
            `nproc.thresholds`) is 0, a tie: equal rows may score a last digit apart.

        Raises
        ------
        InvalidInputError
            If the columns are not those of the fit, or a value is not finite.
        """
        return self._median_margins(self._table(X), None, n_jobs)

    def votes(self, X, *, random_state=None, n_jobs=None):
        """Return the share of splits that call each row class 1.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix, shape (m, p)
            New rows.
        random_state : None, int, Generator or RandomState
            Only for ``ties="randomize"``: source of the uniform numbers of tied rows. None draws fresh ones in every
            call: numbers repeated from call to call would give rows that come one at a time the same luck.
        n_jobs : int or None
            Threads, as in `predict`.

        Returns
        -------
        ndarray of float, shape (m,)
            Between 0 and 1.
        """
        return self._shares(self._table(X), None, random_state, n_jobs)

    def predict(self, X, *, random_state=None, n_jobs=None):
        """Return the predicted labels: class 1 where more than half of the splits say so.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix, shape (m, p)
            New rows, with the columns of the fit.
        random_state : None, int, Generator or RandomState
            As in `votes`.
        n_jobs : int or None
            Threads that blocks of rows are shared among; -1 is one for each core. None is 1 unless a
            `joblib.parallel_config` is active. The labels do not depend on it.

        Returns
        -------
        ndarray, shape (m,)
            Labels as in the training data; the tie of an even number of splits goes to class 0.

        Raises
        ------
        InvalidInputError
            If the columns are not those of the fit, or a value is not finite.

        See Also
        --------
        predict_chunks : for rows that do not fit in memory.

        Notes
        -----
        Memory beyond `X` and the labels is that of a few blocks of 2^14 rows (2^16 where a scorer is not linear) and M
        scores for each thread; a formula codes its whole table first. Linear scorers, such as logistic regression, cost
        one matrix product for all M of them. It decides only where no rounding error could: where a score comes within
        the error bound of its threshold, the scorer is asked itself.

        Each task of a thread takes all steps of its rows, and a scorer that is parallel itself is sequential in it.
        A Dask array is predicted by its own workers: ``X.map_blocks(fit.predict, drop_axis=1,
        dtype=fit.labels.dtype)``, for blocks of all columns; a Dask DataFrame by ``X.map_partitions(fit.predict)``.
        """
        return self._labels(self._table(X), None, random_state, n_jobs)

    def predict_chunks(self, chunks, *, random_state=None, n_jobs=None):
        """Return an iterator over the labels of rows that come in chunks.

        Parameters
        ----------
        chunks : iterable of tables, RowChunks or path
            Each table as `predict` takes it, or an object whose ``rows()`` gives such tables, as that of
            `read_in_chunks`, or the path of a Parquet or CSV file. Other columns than those of the fit are left out.
        random_state : None, int, Generator or RandomState
            As in `votes`; read once, so that the labels of all chunks are those of one table.
        n_jobs : int or None
            As in `predict`.

        Returns
        -------
        iterator of ndarray
            The labels of one chunk after the other, each computed when it is asked for. Put end to end they are
            ``predict(X, random_state=...)`` of the whole table. A chunk without rows gives no labels.

        Raises
        ------
        InvalidInputError
            If `chunks` is a single table or cannot be iterated over, and as in `predict`.

        Notes
        -----
        In memory is one chunk at a time, with what `predict` takes for it.

        Examples
        --------
        >>> import numpy as np
        >>> from nproc import npc
        >>> from nproc.simulate import simulation1
        >>> sample = simulation1(1000, random_state=1)
        >>> fit = npc(sample.X, sample.y, random_state=1)
        >>> chunks = (np.random.default_rng(day).normal(size=(500, 1)) for day in range(3))
        >>> [int(labels.sum()) for labels in fit.predict_chunks(chunks)]
        [5, 4, 9]
        """
        check_n_jobs(n_jobs)
        ties = self._ties(random_state)
        chunks = rows_of_path(chunks, self._columns_read())
        return self._labels_of_chunks(chunks, tables_in(chunks), ties, n_jobs)

    def evaluate(self, X, y=None, *, level=0.95, n_jobs=None):
        """Return both errors on new data, with Clopper-Pearson intervals.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix, shape (m, p), or iterable of (X, y)
            New rows, not those of the fit. Without `y` also a `RowChunks` or any iterable of pairs of rows and labels,
            of which one pair at a time is in memory.
        y : array-like, shape (m,), optional
            Their labels. For a fit by formula None takes the label column of `X`.
        level : float
            Coverage of each interval by itself, in (0, 1), for a number of rows that was fixed beforehand; looking
            again as rows come in is not covered.
        n_jobs : int or None
            Threads, as in `predict`.

        Returns
        -------
        Evaluation

        Raises
        ------
        InvalidInputError
            If a label is missing or was not in the training data, or the rows do not match the fit.

        Warns
        -----
        NPWarning
            If many class 0 rows score exactly as rows that set the threshold, as rows of the fit do.
        """
        level = check_level(level, "level")
        known = {"level": level, "alpha": self.alpha, "delta": self.delta, "labels": self.labels}
        if y is None and comes_in_chunks(X):
            counts, number = np.zeros(4, dtype=np.int64), 0
            for chunk in X:
                number += 1
                with placing_chunk(X, number, int(counts[:2].sum())):
                    counts += self._errors(*pair_of(chunk), n_jobs)
                # it would stay in memory beside the next
                del chunk
            warn_if_none(number, "X")
            return evaluation_of_counts(*counts.tolist(), **known)
        refuse_path(X, "X")
        if isinstance(X, RowChunks):
            raise InvalidInputError("X is RowChunks, which have their labels with them: leave out y.")
        check_same_rows(X=X, y=y)
        codes = encode_labels(self.design.labels_of(X, y), self.labels)
        self._warn_of_own_rows(X, codes)
        predicted = self._called1(self._table(X), None, None, n_jobs)
        check_same_length(predicted, codes)
        return count_errors(codes, predicted, **known)

    def _table(self, X):
        """Return new rows without the columns that are none of the predictors."""
        return X

    def _cuts(self):
        """Return where the scores of each split are cut."""
        guards = np.array([rounding_guard(s, t) for s, t in zip(self.scores0, self.thresholds, strict=True)])
        tie_cuts = np.array([rule.tie_cut for rule in self.rules]) if self.ties == "randomize" else None
        return Cuts(self.thresholds, guards, tie_cuts)

    def _voters(self):
        return Voters(self.scorers, self.labels if self.prefit else None, self._cuts())

    def _ties(self, random_state):
        return TieNumbers(random_state, self.n_splits) if self.ties == "randomize" else None

    def _median_margins(self, table, codes, n_jobs):
        rows = NewRows(self.design, table)
        margins = np.empty(rows.n_rows)
        self._voters().median_margins(rows, margins, codes=codes, n_jobs=check_n_jobs(n_jobs))
        return margins

    def _shares(self, table, codes, random_state, n_jobs):
        ties = self._ties(random_state)
        return self._of_counts(table, codes, ties, n_jobs, np.float64, lambda counts: counts / self.n_splits)

    def _called1(self, table, codes, random_state, n_jobs):
        """Return 1 where a row is called class 1, and 0 elsewhere."""
        ties = self._ties(random_state)
        return self._of_counts(table, codes, ties, n_jobs, np.int64, lambda counts: 2 * counts > self.n_splits)

    def _labels(self, table, codes, random_state, n_jobs):
        return self._labels_by(self._voters(), table, codes, self._ties(random_state), n_jobs)

    def _labels_by(self, voters, table, codes, ties, n_jobs):
        def named(counts):
            return self.labels[(2 * counts > self.n_splits).astype(np.intp)]

        return self._of_counts(table, codes, ties, n_jobs, self.labels.dtype, named, voters=voters)

    def _of_counts(self, table, codes, ties, n_jobs, dtype, function, *, voters=None):
        """Return a function of the number of splits that call a row class 1, for all rows."""
        rows = NewRows(self.design, table)
        result = np.empty(rows.n_rows, dtype=dtype)

        def keep(start, stop, counts):
            result[start:stop] = function(counts)

        voters = self._voters() if voters is None else voters
        voters.counts(rows, keep, codes=codes, ties=ties, n_jobs=check_n_jobs(n_jobs))
        return result

    def _labels_of_chunks(self, chunks, tables, ties, n_jobs):
        voters, columns = self._voters(), self._columns_read()
        number = done = 0
        # not enumerate, which would keep the table beside the next
        for table in tables:
            number, n = number + 1, n_rows(table)
            with placing_chunk(chunks, number, done):
                table = chosen_columns(table, columns)
                labels = self._labels_of_chunk(voters, table, ties, n_jobs) if n else self.labels[:0]
            done += n
            if ties is not None:
                ties.first_row = done
            # it would stay in memory beside the next
            del table
            yield labels
        warn_if_none(number, name_of(chunks))

    def _labels_of_chunk(self, voters, X, ties, n_jobs):
        return self._labels_by(voters, self._table(X), None, ties, n_jobs)

    def _columns_read(self):
        """Return the columns that new rows of a file must have; None for all there are."""
        return None if self.feature_names is None else list(self.feature_names)

    def _warn_of_own_rows(self, X, codes):
        """Warn if new class 0 rows score exactly as those that set the threshold: they are likely to be the same rows.

        Two independent rows score alike only where scores are tied. So only a fit without ties among its left-out
        scores tells anything, and a fifth of some 200 class 0 rows must be among them. Of a fit with groups nothing is
        looked at.
        """
        rows0 = np.flatnonzero(codes == 0)
        rows0 = rows0[:: -(-rows0.size // RECOGNISED) or 1]
        known = self.scores0[0]
        if not isinstance(known, np.ndarray) or min(known.size, rows0.size) < 20:
            return
        known = np.sort(known)
        if np.any(np.diff(known) <= 0):
            return
        table = take_rows(as_table(self._table(X), "X"), rows0)
        voters = Voters(self.scorers[:1], self.labels if self.prefit else None, Cuts(np.zeros(1), np.zeros(1), None))
        scores = np.empty(rows0.size)
        voters.median_margins(NewRows(self.design, table), scores)
        near = known[np.minimum(np.searchsorted(known, scores - rounding_guard(known, scores)), known.size - 1)]
        n_known = int(np.sum(np.abs(near - scores) <= 1e-12 * np.ptp(known)))
        if n_known >= rows0.size / 5:
            warn_at_call(
                "a fifth or more of the class 0 rows score exactly as rows that set the threshold of this fit. If they "
                "are rows of the fit, they say nothing about new ones, and no bound holds: give rows that it has not "
                "seen.",
                NPWarning,
            )

    def _errors(self, X, y, n_jobs):
        """Return n0, n1 and the numbers of errors of the two classes, as an array."""
        check_same_rows(X=X, y=y)
        y = self.design.labels_of(X, y)
        check_same_length(X, y)
        if n_rows(y) == 0:
            return np.zeros(4, dtype=np.int64)
        codes = encode_labels(y, self.labels)
        rows = chosen_columns(X, self._columns_read())
        wrong = codes != self._called1(self._table(rows), None, None, n_jobs)
        counts = [np.sum(codes == 0), np.sum(codes == 1), np.sum(wrong & (codes == 0)), np.sum(wrong & (codes == 1))]
        return np.array(counts, dtype=np.int64)
