"""The largest scores of a sample that is seen in parts, and exact counts of the ties among them."""

import numpy as np

# scores looked at in one go: they stay in the processor's cache from the comparison to the copy
PIECE = 1 << 16
# ties with one cutoff that are more than chance among continuous scores
SOME_TIES = 100


def mixture_of(scores):
    """Return a whole number below 2^64 to which every bit of every score contributes, whatever their order.

    Each score goes through the mixing step of the generator splitmix64, and the results are added up.

    Examples
    --------
    >>> mixture_of(np.array([1.0, 2.0])) == mixture_of(np.array([2.0, 1.0])) != mixture_of(np.array([1.0, 2.5]))
    True
    """
    total = np.uint64(0)
    for start in range(0, scores.size, PIECE):
        # -0.0 is the same score as 0.0
        bits = (np.asarray(scores[start : start + PIECE], dtype=np.float64) + 0.0).view(np.uint64)
        bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        total = total + np.sum(bits ^ (bits >> np.uint64(31)), dtype=np.uint64)
    return int(total)


class TopScores:
    """The `n_keep` largest scores of all that were added; parts of a sample merge in any order, with the same result.

    The n_keep-th largest of the scores seen so far, `cutoff`, can only rise. A score below it is not among the largest,
    and one equal to it is counted, not kept: that is all that is ever asked of it. Only scores above it are
    copied, and when the buffer of 2 `n_keep` is full, one selection halves it. So no more than 2 `n_keep` scores are
    ever held, each score is selected from about twice even if they come in ascending order, and of scores in random
    order few are copied at all.

    Parameters
    ----------
    n_keep : int
        How many scores are asked for.
    floor : float
        A first cutoff, guessed; minus infinity where nothing is known. Fewer scores are then copied, and if the guess
        was too high, `complete` says so in the end.
    mixed : bool
        Whether `mixture` is computed.

    Attributes
    ----------
    n : int
        How many scores have been added.
    cutoff : float
        A lower bound on the n_keep-th largest score, or the floor.
    mixture : int
        See `mixture_of`, of all scores that were added.
    """

    def __init__(self, n_keep, floor=-np.inf, mixed=False):
        self.n_keep = n_keep
        self.mixed, self.mixture = mixed, 0
        self.n = 0
        self.cutoff = floor
        self._buffer = np.empty(0)
        self._n_held = 0
        self._n_dropped_at_cutoff = 0

    @property
    def held(self):
        """The scores held now, in no order: the `n_keep` largest are among them."""
        return self._buffer[: self._n_held]

    @property
    def complete(self):
        """Whether the `n_keep` largest are known: not if the floor was too high, or fewer scores were added."""
        return self._n_held + self._n_dropped_at_cutoff >= self.n_keep

    def add(self, scores):
        """Take more scores in.

        Parameters
        ----------
        scores : ndarray of float64, shape (m,)
            Already checked.
        """
        self.n += scores.size
        if self.mixed:
            self.mixture = (self.mixture + mixture_of(scores)) % 2**64
        self._take_all(scores)

    def merge(self, other):
        """Take in what another accumulator of the same `n_keep` has seen, and leave that one as it is."""
        self.n += other.n
        self.mixture = (self.mixture + other.mixture) % 2**64
        if other.cutoff > self.cutoff:
            # of the own scores none equal to the new cutoff has been dropped: those dropped were smaller
            own = self.held.copy()
            self.cutoff, self._n_dropped_at_cutoff, self._n_held = other.cutoff, other._n_dropped_at_cutoff, 0
            self._copy(other.held)
            self._take_all(own)
        else:
            if other.cutoff == self.cutoff:
                self._n_dropped_at_cutoff += other._n_dropped_at_cutoff
            self._take_all(other.held)

    def trim(self):
        """Hold no more than the `n_keep` largest, without room for others: for a part that waits, or travels."""
        if self._n_held > self.n_keep:
            self._select()
        self._buffer = self.held.copy()

    def largest(self, rank):
        """Return the rank-th largest score of all, how many are larger, and how many are equal to it.

        Parameters
        ----------
        rank : int
            From 1 to `n_keep`, of a complete accumulator.

        Returns
        -------
        value : float
        n_larger, n_equal : int
            Counts over all scores added, those that are no longer held included.
        """
        held = self.held
        if rank > held.size:
            # among those that are tied at the cutoff
            value = float(self.cutoff)
        else:
            at = held.size - rank
            held.partition(at)
            value = float(held[at])
        n_equal = np.count_nonzero(held == value)
        if value == self.cutoff:
            n_equal += self._n_dropped_at_cutoff
        return value, np.count_nonzero(held > value), n_equal

    def _take_all(self, scores):
        for start in range(0, scores.size, PIECE):
            self._take(scores[start : start + PIECE])

    def _take(self, piece):
        if self.cutoff > -np.inf:
            if self._n_dropped_at_cutoff > SOME_TIES:
                # there may be many more, which need not be copied to be counted
                n_at_least = np.count_nonzero(piece >= self.cutoff)
                piece = _passing(piece, self.cutoff, np.greater)
            else:
                piece = _passing(piece, self.cutoff, np.greater_equal)
                n_at_least = piece.size
                above = piece > self.cutoff
                if np.count_nonzero(above) < n_at_least:
                    piece = piece[above]
            self._n_dropped_at_cutoff += n_at_least - piece.size
        while piece.size:
            room = 2 * self.n_keep - self._n_held
            self._copy(piece[:room])
            piece = piece[room:]
            if self._n_held == 2 * self.n_keep:
                self._select()

    def _copy(self, scores):
        """Hold more scores, for which there is room in 2 `n_keep`; the buffer grows as they come."""
        n_held = self._n_held + scores.size
        if n_held > self._buffer.size:
            larger = np.empty(min(max(n_held, 2 * self._buffer.size), 2 * self.n_keep))
            larger[: self._n_held] = self.held
            self._buffer = larger
        self._buffer[self._n_held : n_held] = scores
        self._n_held = n_held

    def _select(self):
        """Drop all but the `n_keep` largest, count those dropped that equal the new cutoff, and raise the cutoff."""
        held = self.held
        at = held.size - self.n_keep
        held.partition(at)
        cutoff = float(held[at])
        if cutoff > self.cutoff:
            self.cutoff, self._n_dropped_at_cutoff = cutoff, 0
        self._n_dropped_at_cutoff += np.count_nonzero(held[:at] == cutoff)
        held[: self.n_keep] = held[at:]
        self._n_held = self.n_keep


def likely_floor(sample, share):
    """Return a number that very likely is below the quantile that a share of all scores exceeds, but not far below.

    Parameters
    ----------
    sample : ndarray of float, shape (m,)
        Scores from all over the sample; if they are finite, and came at random, the floor is too high with a chance
        of less than one in a million.
    share : float
        In (0, 1].
    """
    generous = 1.05 * share + 5 * np.sqrt(share * (1 - share) / sample.size)
    rank = int(np.ceil(generous * sample.size))
    if rank >= sample.size or not np.isfinite(sample).all():
        return -np.inf
    return float(np.partition(sample, -rank)[-rank])


def _passing(piece, cutoff, compare):
    """Return the scores that pass a comparison with a cutoff, in order."""
    flags = compare(piece, cutoff)
    if piece.size % 4 == 0 and piece.flags.c_contiguous:
        # four flags are one word: where few scores pass, most words are zero, and their scores need no second look
        piece = piece.reshape(-1, 4).compress(flags.view(np.uint32) != 0, axis=0).ravel()
        flags = compare(piece, cutoff)
    return piece.compress(flags)
