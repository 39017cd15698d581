"""Whether new class 0 rows are likely to be rows of a fit: by hashes of their values, and by scores that are equal."""

from contextlib import contextmanager
from contextvars import ContextVar

import numpy as np
from scipy.special import bdtrc

from nproc.errors import NPWarning, warn_at_call
from nproc.fits.evaluation import BY_CHANCE, EQUAL_IN_TABLE, EQUAL_ROWS, MANY_OWN, OWN_ROWS
from nproc.fits.voting import Cuts, NewRows, Voters
from nproc.rows import KEPT_KEYS, as_table, has_twin, n_rows, take_rows, value_keys
from nproc.thresholds import surely_same_within

# class 0 rows that are compared with those of the fit
RECOGNISED = 200
# the share of left-out scores equal to the next one up to which any equal score is a sign of the same row
MOST_TIED = 0.02

# what is known of the parts so far within `parts_together`, or None outside
_PARTS = ContextVar("_PARTS", default=None)


class OwnRows:
    """What tells that new class 0 rows, which may come in parts, are likely to be rows of a fit.

    Parameters
    ----------
    fit : NPFit
        The fit.
    most : int or inf
        About how many class 0 rows are scored, evenly spread over all.
    """

    def __init__(self, fit, most=RECOGNISED):
        self._fit = fit
        pairs = fit._scorers_with_scores() or ()
        self._pairs = [(scorer, np.sort(known)) for scorer, known in pairs]
        n_known = sum(known.size for _, known in self._pairs)
        self._by_score = _Spread(most, bool) if n_known >= 20 else None
        self._by_values = None if fit.keys0 is None else EqualRows(fit.keys0, fit.n0, fit.design)
        # of a formula; by more columns rows are told again that agree in the predictors by chance
        of_table = fit.table_keys0
        self._by_table = None if of_table is None else EqualRows(of_table.keys, fit.n0, of_table)

    def add(self, X, rows0):
        """Look at more rows, of which those of class 0 are given by position."""
        given = as_table(X, "X")
        table = as_table(self._fit._table(X), "X")
        chosen = rows0[:0] if self._by_score is None else self._by_score.of_next(rows0)
        if chosen.size:
            self._by_score.add(self._seen(take_rows(table, chosen)))
        if self._by_values is not None:
            self._by_values.add(table, rows0)
        if self._by_table is not None and self._fit.table_keys0.are_in(given):
            self._by_table.add(given, rows0)

    def _seen(self, table):
        seen = np.zeros(n_rows(table), dtype=bool)
        for scorer, known in self._pairs:
            labels = self._fit.labels if self._fit.prefit else None
            voters = Voters([scorer], labels, Cuts(np.zeros(1), np.zeros(1), None))
            scores = np.empty(seen.size)
            voters.median_margins(NewRows(self._fit.design, table), scores)
            after = np.clip(np.searchsorted(known, scores), 1, known.size - 1)
            distance = np.minimum(np.abs(scores - known[after - 1]), np.abs(scores - known[after]))
            seen |= distance <= surely_same_within(known)(scores)
        return seen

    @property
    def equal(self):
        """Whether more class 0 rows than by chance equal a class 0 row of the fit, as `EqualRows.equal`.

        Of a fit by formula, in the predictors or in all columns of its table. None also for a fit of rows in chunks.
        """
        found = {one.equal for one in (self._by_values, self._by_table) if one is not None} - {None}
        return any(found) if found else None

    @property
    def share(self):
        """Share of the class 0 rows that score exactly as one that set the threshold: likely the same rows.

        Exactly means up to rounding of the scores compared. Two independent rows score alike only where scores are
        tied: a new row about as often as one of the left-out scores equals another. So where more than a few of these
        are tied, the share must be larger than theirs by far, and by more than chance. From 20 class 0 rows on, about
        `most` are looked at. None where nothing is told, and of a fit with groups.
        """
        if self._by_score is None or self._by_score.found.size < 20:
            return None
        seen, expected = self._by_score.found, 0.0
        for _, known in self._pairs:
            alike = np.diff(known) <= surely_same_within(known)(known[1:])
            if np.count_nonzero(alike) > MOST_TIED * known.size:
                tied = np.append(alike, False) | np.append(False, alike)
                expected += (np.count_nonzero(tied) + 1) / (known.size + 1)
        return None if expected and not more_than_chance(seen, expected) else float(np.mean(seen))

    @property
    def n_seen(self):
        """How many class 0 rows score exactly as one that set the threshold, and how many were looked at."""
        found = self._by_score.found
        return int(np.count_nonzero(found)), found.size

    def warn(self):
        """Warn if the rows are likely to be rows of the fit; return whether they are, None if nothing tells.

        Scores tell only of the rows that set the threshold; of those that trained the keys tell. A fit with
        ``prefit=True`` has no keys of the rows that trained its model, so that it never returns False.
        """
        share, equal = self.share, self.equal
        own = share is not None and share >= MANY_OWN
        if own or equal:
            equal_rows = EQUAL_ROWS if self._by_values is not None and self._by_values.equal else EQUAL_IN_TABLE
            warn_at_call(OWN_ROWS if own else equal_rows, NPWarning)
            return True
        return False if equal is False and not self._fit.prefit else None


class EqualRows:
    """What tells that new rows, which may come in parts, are likely to be among the rows of a fit: hashes of values.

    Parameters
    ----------
    keys : ndarray of uint32
        The lowest keys of the rows of the fit, see `nproc.rows.lowest_keys`.
    n : int
        How many rows they are the lowest of.
    design : Design or TableKeys
        What makes of new rows what the keys were made of.
    """

    def __init__(self, keys, n, design):
        self._keys, self._design = keys, design
        self._new = _Spread(RECOGNISED * n // keys.size, np.uint32)

    def add(self, table, rows):
        """Look at some rows of a table, given by position."""
        chosen = self._new.of_next(rows)
        if chosen.size:
            self._new.add(value_keys(self._design.transform(take_rows(table, chosen))))

    @property
    def equal(self):
        """Whether more rows than by chance equal a row of the fit; None if nothing tells.

        A new row does so about as often as one row of the fit equals another, and rarely where they have many values.
        The keys that are kept are the smallest, so of the new rows those with keys as small are looked at: some 200, if
        there are so many. None if even equal rows alone could be chance.
        """
        keys, own = self._new.found, self._keys
        if own.size == KEPT_KEYS:
            keys = keys[keys <= own[-1]]
        common = (np.count_nonzero(has_twin(own)) + 1) / (own.size + 1)
        if 1 - common < MANY_OWN or common**keys.size >= BY_CHANCE:
            return None
        return more_than_chance(np.isin(keys, own), common)


class _Spread:
    """What was found at some rows, about a number of them, evenly spread over all that come, in parts or at once."""

    def __init__(self, number, kind):
        self.number, self.step, self.n_rows, self.found = number, 1, 0, np.empty(0, dtype=kind)

    def of_next(self, rows):
        """Return those of the next rows that are to be looked at."""
        before = self.n_rows
        self.n_rows += rows.size
        while self.n_rows > self.number * self.step:
            self.step, self.found = 2 * self.step, self.found[::2]
        return rows[-before % self.step :: self.step]

    def add(self, found):
        self.found = np.concatenate([self.found, found])


def more_than_chance(found, expected):
    """Return whether rows were found far more often than expected, and more often than chance explains.

    The share that is expected is estimated from the rows of the fit, and counts as exact here. That a false alarm is
    rarer than `BY_CHANCE` is therefore not proved: equal rows depend on each other, so that their number is no binomial
    count, and a bound for the share is not simple. After a false alarm a result only says less than it could.
    """
    far = np.mean(found) - expected >= MANY_OWN
    return bool(far and bdtrc(np.count_nonzero(found) - 1, found.size, expected) < BY_CHANCE)


def own_rows_of(fit, X, rows0, most=RECOGNISED):
    """Return the `OwnRows` of rows that are here at once; those of class 0 are given by position."""
    own = OwnRows(fit, most)
    own.add(X, rows0)
    return own


def warn_of_own_rows(fit, X, rows0):
    """Warn if the new class 0 rows are likely to be rows of the fit, as `OwnRows.warn`; parts are only added."""
    together = _PARTS.get()
    if together is None:
        return own_rows_of(fit, X, rows0).warn()
    if id(fit) not in together:
        # once for all parts, since it sorts the left-out scores
        together[id(fit)] = OwnRows(fit)
    together[id(fit)].add(X, rows0)
    return None


@contextmanager
def parts_together():
    """Within it the rows that fits are asked about are parts of one whole, of which it warns at the end.

    It yields a list that then has what `OwnRows.warn` returns for each fit.
    """
    own, verdicts = {}, []
    token = _PARTS.set(own)
    try:
        yield verdicts
    finally:
        _PARTS.reset(token)
    verdicts += [one.warn() for one in own.values()]
