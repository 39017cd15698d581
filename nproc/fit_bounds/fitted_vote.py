"""The bound of the majority vote, as a method of a fitted classifier."""

from __future__ import annotations

from nproc.errors import InvalidInputError
from nproc.fit_bounds.vote_bound import vote_bound
from nproc.reprs import InNotebook
from nproc.simultaneous import share_of_each_class


class HasVoteBound(InNotebook):
    """The method of a fitted classifier of several splits; it reads the fields of `NPFit`."""

    def vote_bound(self):
        r"""Return what is proved of the type I error of the majority vote of these splits.

        Returns
        -------
        VoteBound

        Raises
        ------
        InvalidInputError
            If alpha was chosen on the rows that set the thresholds, so that nothing is proved; of a simultaneous band
            it may be.

        Notes
        -----
        The thresholds of a simultaneous band keep alpha in a split, at every alpha at once, except with chance
        :math:`\delta' = 1 - \sqrt{1 - \delta}`, class 0's share of delta. That no split fails is one event for all
        alpha: the union bound at this delta, and it alone, holds for the vote however alpha was chosen. With alpha
        fixed beforehand ``vote_bound(n_splits, alpha, delta, n0_left_out=..., order=...)`` says more.
        """
        if self.simultaneous:
            return vote_bound(self.n_splits, self.alpha, share_of_each_class(self.delta))
        if self.alpha_chosen:
            raise InvalidInputError(
                "alpha was chosen on the rows that set the thresholds: nothing is proved of these splits or their vote."
            )
        n0, order = self.rules[0].n0, int(self.rules[0].order)
        return vote_bound(self.n_splits, self.alpha, self.delta, n0_left_out=n0, order=order)
